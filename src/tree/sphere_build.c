// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Builds sphere trees top down over the pieces of a body: a group is split across the middle of its longest
// side, repeatedly, until there are as many groups as a node has children. A node's ball is made from the
// points below it (compact and its variants) or from its children's balls (greedy); both end with the radius
// pass of shape/ball.c.
// Entry: bi_tree_sphere_build.

#include "tree/sphere.h"

#include <float.h>

#include "math/math.h"
#include "tree/sphere_tile.h"

enum { BALANCED_BELOW = 30, TASKS_MAX = SPHERE_DEPTH_MAX * SPHERE_ARITY_MAX };

// What leaves are cut to by default: a share of the body's radius, and a triangle's length over its height
// (docs/theory/tree.md has the measurement). No triangle is shorter than 1.15 times its height.
#define ASPECT_LEAST 1.5
#define LEAF_SHARE 0.25
#define ASPECT 8.0

typedef struct Group {
    int32_t begin, end;
} Group;

typedef struct Task {
    int32_t node, depth;
    Group group;
} Task;

BerthSphereTreeDef berth_default_sphere_tree_def(void) {
    return (BerthSphereTreeDef){
        .rule = BERTH_SPHERES_COMPACT, .arity = 2, .aspect = ASPECT, .stamp = BI_DEF_STAMP};
}

static BerthStatus check_sphere_def(const BerthSphereTreeDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "sphere tree def: start from berth_default_sphere_tree_def()");
    }

    if ((int)def->rule < 0 || def->rule >= BERTH_SPHERES_RULE_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "sphere tree def: rule %d is not known", (int)def->rule);
    }

    if (def->arity < 2 || def->arity > SPHERE_ARITY_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "sphere tree def: arity is %d, must be from 2 to %d", def->arity,
                       SPHERE_ARITY_MAX);
    }
    if (!(def->aspect >= ASPECT_LEAST)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "sphere tree def: aspect is %g, must be >= %g", def->aspect,
                       ASPECT_LEAST);
    }
    if (!(def->leaf_size >= 0.0) || !isfinite(def->leaf_size)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "sphere tree def: leaf size is %g m, must be finite and >= 0",
                       def->leaf_size);
    }

    return BERTH_OK;
}

static Vec3 piece_middle(const SphereTiles* tiles, int32_t piece) {
    const Vec3* p = tiles->points + (size_t)piece * (size_t)tiles->stride;
    Vec3 sum = p[0];
    for (int32_t k = 1; k < tiles->stride; ++k) {
        sum = v3_add(sum, p[k]);
    }
    return v3_scale(sum, 1.0 / tiles->stride);
}

static void swap_pieces(SphereTiles* tiles, int32_t i, int32_t j) {
    Vec3* p = tiles->points + (size_t)i * (size_t)tiles->stride;
    Vec3* q = tiles->points + (size_t)j * (size_t)tiles->stride;
    for (int32_t k = 0; k < tiles->stride; ++k) {
        const Vec3 swap = p[k];
        p[k] = q[k];
        q[k] = swap;
    }

    const int32_t source = tiles->sources[i];
    tiles->sources[i] = tiles->sources[j];
    tiles->sources[j] = source;
}

// Puts the pieces on one side of the middle first; returns where the other side begins.
static int32_t split_pieces(SphereTiles* tiles, Group group, bool balanced) {
    const int32_t half = group.begin + (group.end - group.begin) / 2;
    Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX);
    Vec3 high = v3_neg(low);

    for (int32_t i = group.begin; i < group.end && !balanced; ++i) {
        const Vec3 middle = piece_middle(tiles, i);
        low = v3_min(low, middle);
        high = v3_max(high, middle);
    }

    const Vec3 size = v3_sub(high, low);
    const int axis = box_longest_axis(size);
    const double at = 0.5 * (v3_at(low, axis) + v3_at(high, axis));

    int32_t first = group.begin;
    int32_t last = group.end - 1;
    while (!balanced && first <= last) {
        if (v3_at(piece_middle(tiles, first), axis) <= at) {
            first += 1;
        } else {
            swap_pieces(tiles, first, last--);
        }
    }

    return first > group.begin && first < group.end ? first : half;
}

// Splits the largest group again until there are `arity`, or only single pieces. Returns how many there are.
static int32_t split_groups(SphereTiles* tiles, Group all, int32_t arity, bool balanced,
                            Group out[SPHERE_ARITY_MAX]) {
    int32_t count = 1;
    out[0] = all;

    while (count < arity) {
        int32_t largest = 0;
        for (int32_t i = 1; i < count; ++i) {
            largest = out[i].end - out[i].begin > out[largest].end - out[largest].begin ? i : largest;
        }

        if (out[largest].end - out[largest].begin < 2) {
            break;
        }

        const int32_t middle = split_pieces(tiles, out[largest], balanced);
        out[count++] = (Group){middle, out[largest].end};
        out[largest].end = middle;
    }
    return count;
}

static Ball ball_of(const SphereTiles* tiles, Group group, BerthSphereRule rule) {
    const Vec3* points = tiles->points + (size_t)group.begin * (size_t)tiles->stride;
    const int32_t count = (group.end - group.begin) * tiles->stride;
    switch (rule) {
    case BERTH_SPHERES_GROWING:
        return bi_ball_incremental(points, count);
    case BERTH_SPHERES_RITTER:
        return bi_ball_ritter(points, count);
    default:
        return bi_ball_smallest(points, count);
    }
}

static void set_ball(SphereNode* node, const BerthSolid* solid, Ball ball) {
    // The ball of a whole shape may be smaller than that of the cells it was cut into.
    if (!solid->is_mesh && solid->radius < ball.radius) {
        ball = (Ball){solid->centre, solid->radius * (1.0 + 8.0 * BI_ULP)};
    }

    node->centre = ball.centre;
    node->radius = ball.radius;
}

static void build_sphere_nodes(SphereTree* tree, const BerthSolid* solid, SphereTiles* tiles,
                               BerthSphereRule rule) {
    Task tasks[TASKS_MAX];
    int32_t waiting = 0;

    tasks[waiting++] = (Task){0, 1, {0, tiles->count}};
    tree->node_count = 1;
    while (waiting > 0) {
        const Task task = tasks[--waiting];
        SphereNode* node = &tree->nodes[task.node];
        tree->depth = task.depth > tree->depth ? task.depth : tree->depth;

        const bool leaf = task.group.end - task.group.begin == 1;
        if (leaf || rule != BERTH_SPHERES_GREEDY) {
            Ball ball = ball_of(tiles, task.group, rule);
            ball.radius = (ball.radius + tiles->swell) * (1.0 + 4.0 * BI_ULP);
            set_ball(node, solid, ball);
        }

        if (leaf) {
            node->child = -1 - tiles->sources[task.group.begin];
            tree->leaf_count += 1;
            continue;
        }

        Group groups[SPHERE_ARITY_MAX];
        node->count = split_groups(tiles, task.group, tree->arity, task.depth > BALANCED_BELOW, groups);
        node->child = tree->node_count;
        tree->node_count += node->count;

        BI_ASSERT(waiting + node->count <= TASKS_MAX && task.depth < SPHERE_DEPTH_MAX);
        for (int32_t i = node->count - 1; i >= 0; --i) {
            tasks[waiting++] = (Task){node->child + i, task.depth + 1, groups[i]};
        }
    }
}

// Children come after their parents, so one pass from the end meets every child before its parent.
static void merge_children(SphereTree* tree, const BerthSolid* solid) {
    for (int32_t i = tree->node_count - 1; i >= 0; --i) {
        SphereNode* node = &tree->nodes[i];
        Ball balls[SPHERE_ARITY_MAX];

        for (int32_t k = 0; k < node->count; ++k) {
            const SphereNode* child = &tree->nodes[node->child + k];
            balls[k] = (Ball){child->centre, child->radius};
        }

        if (node->count == 2) {
            set_ball(node, solid, bi_ball_merge(balls[0], balls[1]));
        } else if (node->count > 0) {
            set_ball(node, solid, bi_ball_of_balls(balls, node->count));
        }
    }
}

BerthStatus bi_tree_sphere_build(const BerthSolid* solid, const BerthSphereTreeDef* def,
                                 const BerthAllocator* allocator, SphereTree** out) {
    *out = NULL;
    BerthStatus status = check_sphere_def(def);
    if (status != BERTH_OK || solid_is_empty(solid) ||
        (!solid->is_mesh && solid->shape.kind == BERTH_HALFSPACE)) {
        return status;
    }

    const double given = def->leaf_size > 0.0 ? def->leaf_size : LEAF_SHARE * solid->radius;
    SphereTiles tiles;
    status = bi_tree_sphere_tile(solid, fmax(given, DBL_MIN), def->aspect, allocator, &tiles);
    if (status != BERTH_OK) {
        return status;
    }

    SphereTree* tree = bi_take(allocator, 1, sizeof *tree);
    if (tree != NULL) {
        tree->allocator = *allocator;
        tree->arity = def->arity;
        tree->node_capacity = 2 * tiles.count - 1;
        tree->nodes = bi_take(allocator, (size_t)tree->node_capacity, sizeof *tree->nodes);
    }

    if (tree == NULL || tree->nodes == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "sphere tree of %d pieces: out of memory", tiles.count);
        bi_tree_sphere_destroy(tree);
    } else {
        build_sphere_nodes(tree, solid, &tiles, def->rule);
        if (def->rule == BERTH_SPHERES_GREEDY) {
            merge_children(tree, solid);
        }
        *out = tree;
    }

    bi_tree_sphere_tiles_free(&tiles, allocator);
    return status;
}

void bi_tree_sphere_destroy(SphereTree* tree) {
    if (tree != NULL) {
        const BerthAllocator from = tree->allocator;
        bi_give(&from, tree->nodes, (size_t)tree->node_capacity, sizeof *tree->nodes);
        bi_give(&from, tree, 1, sizeof *tree);
    }
}

size_t bi_tree_sphere_bytes(const SphereTree* tree) {
    return tree == NULL ? 0 : sizeof *tree + (size_t)tree->node_capacity * sizeof *tree->nodes;
}
