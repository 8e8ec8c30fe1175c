// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Trees of points, and paths along them.
// Entries: bi_plan_tree_add, bi_plan_tree_nearest, bi_plan_path_add, bi_plan_path_join.

#include <math.h>
#include <string.h>

#include "plan/plan.h"

void bi_plan_tree_init(PlanTree* tree, const BerthAllocator* allocator, int32_t dimension) {
    *tree = (PlanTree){.allocator = *allocator, .dimension = dimension};
    bi_nearest_init(&tree->nearest, allocator, dimension);
}

static void free_arrays(const PlanTree* tree) {
    const size_t count = (size_t)tree->capacity;
    bi_give(&tree->allocator, tree->points, count * (size_t)tree->dimension, sizeof *tree->points);
    bi_give(&tree->allocator, tree->parents, count, sizeof *tree->parents);
    bi_give(&tree->allocator, tree->reaches, count, sizeof *tree->reaches);
}

void bi_plan_tree_free(PlanTree* tree) {
    free_arrays(tree);
    bi_give(&tree->allocator, tree->scaled, (size_t)tree->dimension, sizeof *tree->scaled);
    bi_nearest_free(&tree->nearest);
    bi_plan_tree_init(tree, &tree->allocator, tree->dimension);
}

void bi_plan_tree_clear(PlanTree* tree) {
    tree->count = 0;
    bi_nearest_clear(&tree->nearest);
}

static bool reserve(PlanTree* tree) {
    if (tree->scaled == NULL) {
        tree->scaled = bi_take_raw(&tree->allocator, (size_t)tree->dimension, sizeof *tree->scaled);
    }
    if (tree->count < tree->capacity || tree->scaled == NULL) {
        return tree->scaled != NULL;
    }

    const size_t used = (size_t)tree->count, dimension = (size_t)tree->dimension;
    PlanTree larger = *tree;
    larger.capacity = tree->capacity > 0 ? 2 * tree->capacity : 256;
    const size_t more = (size_t)larger.capacity;
    larger.points = bi_take_raw(&tree->allocator, more * dimension, sizeof *larger.points);
    larger.parents = bi_take_raw(&tree->allocator, more, sizeof *larger.parents);
    larger.reaches = bi_take_raw(&tree->allocator, more, sizeof *larger.reaches);
    if (larger.points == NULL || larger.parents == NULL || larger.reaches == NULL) {
        free_arrays(&larger);
        return false;
    }

    if (used > 0) {
        memcpy(larger.points, tree->points, used * dimension * sizeof *larger.points);
        memcpy(larger.parents, tree->parents, used * sizeof *larger.parents);
        memcpy(larger.reaches, tree->reaches, used * sizeof *larger.reaches);
    }
    free_arrays(tree);
    *tree = larger;
    return true;
}

int32_t bi_plan_tree_add(PlanTree* tree, const PlanSpace* space, const double* point, int32_t parent) {
    if (!reserve(tree)) {
        return -1;
    }
    const int32_t index = tree->count;
    bi_space_scale(space, point, tree->scaled);
    if (!bi_nearest_add(&tree->nearest, tree->scaled, index)) {
        return -1;
    }

    memcpy(tree->points + (size_t)index * (size_t)tree->dimension, point,
           (size_t)tree->dimension * sizeof *point);
    tree->parents[index] = parent;
    tree->reaches[index] = INFINITY;
    tree->count += 1;
    return index;
}

int32_t bi_plan_tree_nearest(PlanTree* tree, const PlanSpace* space, const double* point) {
    if (tree->count == 0) {
        return -1;
    }
    bi_space_scale(space, point, tree->scaled);
    return bi_nearest_find(&tree->nearest, tree->scaled).id;
}

// ---- paths -----------------------------------------------------------------------------------------------------

void bi_plan_path_free(PlanPath* path) {
    bi_give(&path->allocator, path->points, (size_t)path->capacity * (size_t)path->dimension,
            sizeof *path->points);
    path->points = NULL;
    path->count = path->capacity = 0;
}

bool bi_plan_path_add(PlanPath* path, const double* point) {
    const size_t bytes = (size_t)path->dimension * sizeof *point;
    const bool repeats = path->count > 0 && memcmp(plan_path_point(path, path->count - 1), point, bytes) == 0;
    return repeats || bi_plan_path_push(path, point);
}

bool bi_plan_path_push(PlanPath* path, const double* point) {
    const size_t dimension = (size_t)path->dimension;
    const size_t bytes = dimension * sizeof *point;
    if (path->count == path->capacity) {
        const size_t old = (size_t)path->capacity, more = old > 0 ? 2 * old : 64;
        double* points = bi_take_raw(&path->allocator, more * dimension, sizeof *points);
        if (points == NULL) {
            return false;
        }
        if (old > 0) {
            memcpy(points, path->points, old * bytes);
        }
        bi_give(&path->allocator, path->points, old * dimension, sizeof *points);
        path->points = points;
        path->capacity = (int32_t)more;
    }

    memcpy(plan_path_point(path, path->count), point, bytes);
    path->count += 1;
    return true;
}

double bi_plan_path_length(const PlanSpace* space, const PlanPath* path) {
    double length = 0.0;
    for (int32_t i = 1; i < path->count; ++i) {
        length += bi_space_distance(space, plan_path_point(path, i - 1), plan_path_point(path, i));
    }
    return length;
}

static void reverse(PlanPath* path) {
    for (int32_t low = 0, high = path->count - 1; low < high; ++low, --high) {
        double *a = plan_path_point(path, low), *b = plan_path_point(path, high);
        for (int32_t i = 0; i < path->dimension; ++i) {
            const double kept = a[i];
            a[i] = b[i];
            b[i] = kept;
        }
    }
}

bool bi_plan_path_join(PlanPath* path, const PlanTree* from, int32_t first, const PlanTree* to,
                       int32_t second) {
    bool has_room = true;
    path->count = 0;
    for (int32_t at = first; at >= 0 && has_room; at = from->parents[at]) {
        has_room = bi_plan_path_add(path, plan_tree_point(from, at));
    }
    reverse(path);
    for (int32_t at = second; at >= 0 && has_room; at = to->parents[at]) {
        has_room = bi_plan_path_add(path, plan_tree_point(to, at));
    }
    return has_room;
}
