// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// RSS trees: binary trees of rectangle swept spheres over a mesh, split along principal directions (paper 001,
// errata 2.4). Invariant: every triangle is inside the volume of every ancestor.

#ifndef BI_RSS_H
#define BI_RSS_H

#include "tree/solid.h"

/// All points within `radius` of the rectangle centre +- half[0] axis[0] +- half[1] axis[1].
typedef struct RssNode {
    Vec3 axis[3];  ///< unit, at right angles; axis[2] is the rectangle's normal
    Vec3 centre;
    double half[2];
    double radius;
    int32_t child;  ///< first of two adjacent children, or -1 - leaf index
} RssNode;

struct RssTree {
    BerthAllocator allocator;
    const BerthMesh* mesh;   ///< borrowed from the solid
    RssNode* nodes;          ///< nodes[0] is the root
    int32_t* source;         ///< triangle of the mesh that each leaf is
    int32_t triangle_count;  ///< leaves; there are 2 n - 1 nodes
    int32_t depth;
};

/// Deeper trees are not made: below 40 levels groups are halved.
enum { RSS_DEPTH_MAX = 72, RSS_STACK = 2 * RSS_DEPTH_MAX + 8 };

static inline bool rss_is_leaf(const RssNode* node) {
    return node->child < 0;
}
static inline int32_t rss_leaf(const RssNode* node) {
    return -1 - node->child;
}

/// On at most `threads` threads; the tree is the same for any number of them. Memory is taken and given by the caller's
/// thread.
BerthStatus bi_rss_build(const BerthMesh* mesh, int32_t threads, const BerthAllocator* allocator,
                         RssTree** out);
void bi_rss_destroy(RssTree* tree);
size_t bi_rss_bytes(const RssTree* tree);

/// A lower bound of the distance of two volumes, up to rounding: 0 or less when they may touch.
double bi_rss_gap(const RssNode* a, const RssNode* b, const Pose* a_from_b);
/// The same for a volume and a ball, in the volume's frame; up to rounding.
double bi_rss_ball_gap(const RssNode* node, Vec3 centre, double radius);
/// The same for a volume and a shape; nodes proven further than `stop_above` need not be measured exactly.
double bi_rss_shape_gap(const RssNode* node, const BerthShape* shape, const Pose* rss_from_shape,
                        double stop_above);
/// The size that decides which of two nodes is opened: depends on the volume only, never on the configuration.
static inline double rss_size(const RssNode* node) {
    const double longest = node->half[0] > node->half[1] ? node->half[0] : node->half[1];
    return longest + node->radius;
}

/// GREEDY-DIST: 0 when the distance is at most delta, else a value in (delta, distance] minus `slack`.
/// -1 when the budget ran out. Surfaces only: containment is not looked at.
double bi_rss_greedy_distance(const RssTree* a, const RssTree* b, const Pose* a_from_b, double delta,
                              double slack, int32_t node_budget, BerthCounters* counters);
/// A collision test alone, on the same walk: false when the surfaces are further apart than `needed`, true when they are not or
/// the budget ran out. No distance is measured where a plane along a face already parts two volumes or triangles.
bool bi_rss_test_touch(const RssTree* a, const RssTree* b, const Pose* a_from_b, double needed,
                       int32_t node_budget, BerthCounters* counters);
#endif
