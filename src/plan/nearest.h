// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Nearest neighbours among points that are added one by one: a kd-tree whose leaves hold up to NEAREST_LEAF
// points, coordinate by coordinate, so that a leaf is one loop over plain arrays. A few points are one leaf,
// a linear scan. A full leaf is split at the median of its widest coordinate; a part that becomes too deep
// for its leaves, as with sorted points, is rebuilt. The same points in the same order give the same answers.

#ifndef BI_PLAN_NEAREST_H
#define BI_PLAN_NEAREST_H

#include "base/base.h"

enum {
    NEAREST_LEAF = 64,
    NEAREST_DIMENSION_MAX = 256  ///< coordinates of a point
};

/// A split, or a leaf (axis -1).
typedef struct NearestNode {
    int32_t axis;
    float split;
    int32_t low, high;       ///< children: coordinates <= split, and >= split; of a leaf `low` is its place
    int32_t parent;          ///< -1: the root
    int32_t points, leaves;  ///< below it
} NearestNode;

typedef struct Nearest {
    BerthAllocator allocator;
    int32_t dimension;
    int32_t leaf_size;   ///< floats of a leaf: dimension times NEAREST_LEAF
    int32_t count;       ///< points
    NearestNode* nodes;  ///< the first is the root
    int32_t node_count, node_capacity;
    float* coordinates;  ///< leaf_size a leaf
    int32_t* ids;        ///< NEAREST_LEAF a leaf
    int32_t* filled;     ///< points of a leaf
    int32_t leaf_count, leaf_capacity;
} Nearest;

/// A leaf's coordinates: NEAREST_LEAF of the first axis, then of the next one, ...
static inline float* nearest_leaf(const Nearest* nearest, int32_t leaf) {
    return nearest->coordinates + (size_t)leaf * (size_t)nearest->leaf_size;
}

/// What was found: squared distance, and the number that the point was added with; -1: none.
typedef struct NearestFound {
    float distance_sq;
    int32_t id;
} NearestFound;

void bi_nearest_init(Nearest* nearest, const BerthAllocator* allocator, int32_t dimension);
void bi_nearest_free(Nearest* nearest);
/// No points; its memory stays.
void bi_nearest_clear(Nearest* nearest);
/// False when there is no memory: the point is not added.
bool bi_nearest_add(Nearest* nearest, const float* point, int32_t id);
/// Builds what is below a node anew, with as many leaves, as flat as can be. False when there is no memory: all is as it was.
bool bi_nearest_rebuild(Nearest* nearest, int32_t top);
NearestFound bi_nearest_find(const Nearest* nearest, const float* point);
/// The `most` nearest, nearest first, none beyond `reach`. Returns how many.
int32_t bi_nearest_find_many(const Nearest* nearest, const float* point, float reach, NearestFound* found,
                             int32_t most);

#endif
