// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sphere trees over the surface of a mesh or the volume of a shape (paper 002, errata 3.1 and 3.2). Triangles
// are tiled: a long one has several leaves, each a ball around a piece of it. Invariant: every point of the
// body is in all balls on the path from the root to some leaf of its triangle. Children may protrude from
// their parent.

#ifndef BI_SPHERE_H
#define BI_SPHERE_H

#include "shape/ball.h"
#include "tree/solid.h"

typedef struct SphereNode {
    Vec3 centre;
    double radius;
    int32_t child;  ///< first of `count` adjacent children, or -1 - triangle of the mesh (-1 for a shape)
    int32_t count;  ///< 0 for a leaf
} SphereNode;

struct SphereTree {
    BerthAllocator allocator;
    SphereNode* nodes;  ///< nodes[0] is the root; children come after their parents
    int32_t node_count, node_capacity, leaf_count;
    int32_t depth, arity;
};

/// Deeper trees are not made: below 30 levels groups are halved.
enum { SPHERE_DEPTH_MAX = 62, SPHERE_ARITY_MAX = 8 };

static inline bool sphere_is_leaf(const SphereNode* node) {
    return node->count == 0;
}
static inline int32_t sphere_triangle(const SphereNode* node) {
    return -1 - node->child;
}

/// `*out` stays null for a half-space, which has no tree.
BerthStatus bi_tree_sphere_build(const BerthSolid* solid, const BerthSphereTreeDef* def,
                                 const BerthAllocator* allocator, SphereTree** out);
void bi_tree_sphere_destroy(SphereTree* tree);
size_t bi_tree_sphere_bytes(const SphereTree* tree);

#endif
