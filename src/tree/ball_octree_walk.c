// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which leaves of two spherical octrees are near each other. Two balls are left out only when they are proven
// further apart than requested: NaN is descended.
// Entries: bi_octree_walk, bi_octree_walk_ball, bi_octree_walk_two_phases.

#include "base/base.h"
#include "tree/ball_octree.h"

// One descent pops a pair and pushes at most eight, one level deeper in one of the trees: 8 * 2 * 7 at most.
enum { STACK_MAX = 16 * (BALL_OCTREE_LEVEL_MAX + 1) };

typedef struct Entry {
    int32_t a, b;
    Vec3 centre_b;  // in A's frame
} Entry;

static bool balls_apart(Vec3 centre_a, double radius_a, Vec3 centre_b, double radius_b, double reach) {
    const double sum = radius_a + radius_b + reach;
    return v3_length_sq(v3_sub(centre_a, centre_b)) > sum * sum;
}

static inline bool is_leaf(const BallOctreeNode* node) {
    return node->first < 0;
}

int64_t bi_octree_walk(const BallOctree* a, const BallOctree* b, const Pose* a_from_b, double reach,
                       BallOctreeVisit visit, void* user) {
    Entry stack[STACK_MAX];
    int count = 1;
    int64_t tests = 0;

    stack[0] = (Entry){0, 0, pose_apply(a_from_b, b->nodes[0].centre)};
    while (count > 0) {
        const Entry top = stack[--count];
        const BallOctreeNode* node_a = &a->nodes[top.a];
        const BallOctreeNode* node_b = &b->nodes[top.b];

        ++tests;
        if (balls_apart(node_a->centre, node_a->radius, top.centre_b, node_b->radius, reach)) {
            continue;
        }

        if (is_leaf(node_a) && is_leaf(node_b)) {
            visit(user, node_a, node_b);
        } else if (is_leaf(node_b) || (!is_leaf(node_a) && node_a->radius >= node_b->radius)) {
            BI_ASSERT(count + node_a->count <= STACK_MAX);
            for (int32_t k = 0; k < node_a->count; ++k) {
                stack[count++] = (Entry){node_a->first + k, top.b, top.centre_b};
            }
        } else {
            BI_ASSERT(count + node_b->count <= STACK_MAX);
            for (int32_t k = 0; k < node_b->count; ++k) {
                const int32_t child = node_b->first + k;
                stack[count++] = (Entry){top.a, child, pose_apply(a_from_b, b->nodes[child].centre)};
            }
        }
    }
    return tests;
}

// All leaves of `a` that meet a ball; `leaf_b` is passed on.
static int64_t walk_near_ball(const BallOctree* a, Vec3 centre, double radius, const BallOctreeNode* leaf_b,
                              BallOctreeVisit visit, void* user) {
    int32_t stack[STACK_MAX];
    int count = 1;
    int64_t tests = 0;

    stack[0] = 0;
    while (count > 0) {
        const BallOctreeNode* node = &a->nodes[stack[--count]];

        ++tests;
        if (balls_apart(node->centre, node->radius, centre, radius, 0.0)) {
            continue;
        }

        if (is_leaf(node)) {
            visit(user, node, leaf_b);
            continue;
        }

        BI_ASSERT(count + node->count <= STACK_MAX);
        for (int32_t k = 0; k < node->count; ++k) {
            stack[count++] = node->first + k;
        }
    }
    return tests;
}

int64_t bi_octree_walk_ball(const BallOctree* a, Vec3 centre, double radius, BallOctreeVisit visit,
                            void* user) {
    return walk_near_ball(a, centre, radius, NULL, visit, user);
}

int64_t bi_octree_walk_two_phases(const BallOctree* a, const BallOctree* b, const Pose* a_from_b,
                                  double reach, BallOctreeVisit visit, void* user) {
    int32_t stack[STACK_MAX];
    int count = 1;
    int64_t tests = 0;
    const BallOctreeNode* root = &a->nodes[0];

    stack[0] = 0;
    while (count > 0) {
        const BallOctreeNode* node = &b->nodes[stack[--count]];
        const Vec3 centre = pose_apply(a_from_b, node->centre);

        ++tests;
        if (balls_apart(root->centre, root->radius, centre, node->radius, reach)) {
            continue;
        }

        if (is_leaf(node)) {
            tests += walk_near_ball(a, centre, node->radius + reach, node, visit, user);
            continue;
        }

        for (int32_t k = 0; k < node->count; ++k) {
            stack[count++] = node->first + k;
        }
    }
    return tests;
}
