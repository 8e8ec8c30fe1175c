// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What every walk over two solids shares: the best pair so far, the distance beyond which pairs are
// irrelevant, and the tests of leaves. The walks differ only in the volumes by which they leave pairs out.

#ifndef BI_TREE_WALK_H
#define BI_TREE_WALK_H

#include "tree/solid.h"

typedef struct Walk {
    BerthTreeQuery* query;
    const BerthSolid* a;
    const BerthSolid* b;
    const Pose* a_from_b;
    const SolidRequest* request;
    BerthTreeAnswer* out;
    double cut;         ///< pairs proven further apart than this are of no interest
    float limit_sq;     ///< cut squared, rounded up
    double leaf_lower;  ///< smallest lower bound of a leaf pair
    int32_t nodes_left;
    BoxFrame frame;  ///< of the walk over boxes
    int32_t stack_count;
} Walk;

static inline bool walk_is_done(const Walk* walk) {
    return walk->out->upper <= walk->request->stop_d;
}

/// Measures two triangles, B's in its own frame; the sources are their numbers in the meshes.
void bi_walk_test_triangles(Walk* walk, const Vec3 ta[3], const Vec3 local_b[3], int32_t source_a,
                            int32_t source_b);
/// One solid is a mesh, the other a shape: measures a triangle of the mesh against the shape.
void bi_walk_test_shape(Walk* walk, const Vec3 triangle[3], int32_t source);

/// The walks. False when the budget ran out.
bool bi_tree_box_walk(Walk* walk);
/// Over sphere trees and RSS trees, as the query's engine says.
bool bi_volume_walk(Walk* walk);

#endif
