// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Rebuilds a part of the kd-tree: the same nodes and leaves, over which the points are distributed evenly,
// split at the middle of their widest coordinate. Takes memory for its points meanwhile, and none beyond.
// Entry: bi_nearest_rebuild.

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "plan/nearest.h"

typedef struct Rebuild {
    Nearest* nearest;
    int32_t point_count, leaf_count;
    float* points;  // one after the other
    int32_t* ids;   // of them
    SortItem *items, *scratch;
    int32_t *nodes, *leaves;  // that are used again
    int32_t next_node, next_leaf;
} Rebuild;

static int32_t node_count(const Rebuild* rebuild) {
    return 2 * rebuild->leaf_count - 1;
}

static bool take(Rebuild* rebuild) {
    const BerthAllocator* allocator = &rebuild->nearest->allocator;
    const size_t points = (size_t)rebuild->point_count;
    const size_t numbers = points * (size_t)rebuild->nearest->dimension;
    rebuild->points = bi_take_raw(allocator, numbers, sizeof *rebuild->points);
    rebuild->ids = bi_take_raw(allocator, points, sizeof *rebuild->ids);
    rebuild->items = bi_take_raw(allocator, points, sizeof *rebuild->items);
    rebuild->scratch = bi_take_raw(allocator, points, sizeof *rebuild->scratch);
    rebuild->nodes = bi_take_raw(allocator, (size_t)node_count(rebuild), sizeof *rebuild->nodes);
    rebuild->leaves = bi_take_raw(allocator, (size_t)rebuild->leaf_count, sizeof *rebuild->leaves);
    return rebuild->points != NULL && rebuild->ids != NULL && rebuild->items != NULL &&
           rebuild->scratch != NULL && rebuild->nodes != NULL && rebuild->leaves != NULL;
}

static void give(Rebuild* rebuild) {
    const BerthAllocator* allocator = &rebuild->nearest->allocator;
    const size_t points = (size_t)rebuild->point_count;
    const size_t numbers = points * (size_t)rebuild->nearest->dimension;
    bi_give(allocator, rebuild->points, numbers, sizeof *rebuild->points);
    bi_give(allocator, rebuild->ids, points, sizeof *rebuild->ids);
    bi_give(allocator, rebuild->items, points, sizeof *rebuild->items);
    bi_give(allocator, rebuild->scratch, points, sizeof *rebuild->scratch);
    bi_give(allocator, rebuild->nodes, (size_t)node_count(rebuild), sizeof *rebuild->nodes);
    bi_give(allocator, rebuild->leaves, (size_t)rebuild->leaf_count, sizeof *rebuild->leaves);
}

static void gather_leaf(Rebuild* rebuild, int32_t leaf, int32_t* count) {
    const Nearest* nearest = rebuild->nearest;
    const float* coordinates = nearest_leaf(nearest, leaf);
    for (int32_t k = 0; k < nearest->filled[leaf]; ++k) {
        float* point = rebuild->points + (size_t)*count * (size_t)nearest->dimension;
        for (int32_t i = 0; i < nearest->dimension; ++i) {
            point[i] = coordinates[i * NEAREST_LEAF + k];
        }
        rebuild->ids[*count] = nearest->ids[(size_t)leaf * NEAREST_LEAF + (size_t)k];
        rebuild->items[*count] = (SortItem){.index = (uint32_t)*count};
        *count += 1;
    }
}

// All nodes below `top`, itself first, their leaves and points.
static void gather(Rebuild* rebuild, int32_t top) {
    int32_t listed = 1, leaves = 0, points = 0;
    rebuild->nodes[0] = top;
    for (int32_t i = 0; i < listed; ++i) {
        const NearestNode* node = &rebuild->nearest->nodes[rebuild->nodes[i]];
        if (node->axis >= 0) {
            rebuild->nodes[listed++] = node->low;
            rebuild->nodes[listed++] = node->high;
        } else {
            rebuild->leaves[leaves++] = node->low;
            gather_leaf(rebuild, node->low, &points);
        }
    }
}

static float coordinate(const Rebuild* rebuild, const SortItem* item, int32_t axis) {
    return rebuild->points[(size_t)item->index * (size_t)rebuild->nearest->dimension + (size_t)axis];
}

static int32_t widest_axis(const Rebuild* rebuild, const SortItem* items, int32_t count) {
    int32_t best = 0;
    float widest = -1.0f;
    for (int32_t i = 0; i < rebuild->nearest->dimension; ++i) {
        float low = INFINITY, high = -INFINITY;
        for (int32_t k = 0; k < count; ++k) {
            const float at = coordinate(rebuild, &items[k], i);
            low = fminf(low, at);
            high = fmaxf(high, at);
        }
        if (high - low > widest) {
            widest = high - low;
            best = i;
        }
    }
    return best;
}

static void fill_leaf(Rebuild* rebuild, int32_t leaf, const SortItem* items, int32_t count) {
    Nearest* nearest = rebuild->nearest;
    float* coordinates = nearest_leaf(nearest, leaf);
    for (int32_t i = 0; i < nearest->dimension; ++i) {
        for (int32_t k = 0; k < NEAREST_LEAF; ++k) {
            coordinates[i * NEAREST_LEAF + k] = k < count ? coordinate(rebuild, &items[k], i) : INFINITY;
        }
    }
    for (int32_t k = 0; k < count; ++k) {
        nearest->ids[(size_t)leaf * NEAREST_LEAF + (size_t)k] = rebuild->ids[items[k].index];
    }
    nearest->filled[leaf] = count;
}

// As deep as the logarithm of the leaves.
static void build(Rebuild* rebuild, int32_t index, SortItem* items, int32_t count, int32_t leaves) {
    NearestNode* node = &rebuild->nearest->nodes[index];
    node->points = count;
    node->leaves = leaves;
    if (leaves == 1) {
        node->axis = -1;
        node->low = rebuild->leaves[rebuild->next_leaf++];
        fill_leaf(rebuild, node->low, items, count);
        return;
    }

    node->axis = widest_axis(rebuild, items, count);
    for (int32_t k = 0; k < count; ++k) {
        items[k].key = bi_sort_key((double)coordinate(rebuild, &items[k], node->axis));
    }
    bi_sort_items(items, rebuild->scratch, (size_t)count);

    // Points in proportion to leaves: none gets more than it holds, since all of them together do not.
    const int32_t low_leaves = leaves / 2;
    const int32_t low_count = (int32_t)((int64_t)count * low_leaves / leaves);
    node->split = coordinate(rebuild, &items[low_count - 1], node->axis);
    node->low = rebuild->nodes[rebuild->next_node++];
    node->high = rebuild->nodes[rebuild->next_node++];
    rebuild->nearest->nodes[node->low].parent = rebuild->nearest->nodes[node->high].parent = index;
    build(rebuild, node->low, items, low_count, low_leaves);
    build(rebuild, node->high, items + low_count, count - low_count, leaves - low_leaves);
}

bool bi_nearest_rebuild(Nearest* nearest, int32_t top) {
    Rebuild rebuild = {.nearest = nearest,
                       .point_count = nearest->nodes[top].points,
                       .leaf_count = nearest->nodes[top].leaves,
                       .next_node = 1};
    const bool has_room = take(&rebuild);
    if (has_room) {
        gather(&rebuild, top);
        build(&rebuild, top, rebuild.items, rebuild.point_count, rebuild.leaf_count);
    }
    give(&rebuild);
    return has_room;
}
