// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Entries: bi_nearest_add, bi_nearest_find, bi_nearest_find_many.

#include "plan/nearest.h"

#include <math.h>
#include <string.h>

/// A part of the tree is built anew where it is higher than twice the logarithm of its leaves, and this.
enum { SPARE_HEIGHT = 4 };

void bi_nearest_init(Nearest* nearest, const BerthAllocator* allocator, int32_t dimension) {
    *nearest = (Nearest){
        .allocator = *allocator, .dimension = dimension, .leaf_size = dimension * (int32_t)NEAREST_LEAF};
}

void bi_nearest_free(Nearest* nearest) {
    const BerthAllocator* allocator = &nearest->allocator;
    const size_t leaves = (size_t)nearest->leaf_capacity;
    bi_give(allocator, nearest->nodes, (size_t)nearest->node_capacity, sizeof *nearest->nodes);
    bi_give(allocator, nearest->coordinates, leaves * (size_t)nearest->leaf_size,
            sizeof *nearest->coordinates);
    bi_give(allocator, nearest->ids, leaves * NEAREST_LEAF, sizeof *nearest->ids);
    bi_give(allocator, nearest->filled, leaves, sizeof *nearest->filled);
    bi_nearest_init(nearest, allocator, nearest->dimension);
}

void bi_nearest_clear(Nearest* nearest) {
    nearest->count = nearest->node_count = nearest->leaf_count = 0;
}

// ---- adding ----------------------------------------------------------------------------------------------------

// Moves an array of `size` bytes an item into one with room for more. False when there is no memory: all is as it was.
static bool grow(const BerthAllocator* allocator, void** items, size_t used, size_t capacity, size_t more,
                 size_t size) {
    void* larger = bi_take_raw(allocator, more, size);
    if (larger == NULL) {
        return false;
    }
    if (used > 0) {
        memcpy(larger, *items, used * size);
    }
    bi_give(allocator, *items, capacity, size);
    *items = larger;
    return true;
}

static bool reserve_node(Nearest* nearest) {
    if (nearest->node_count + 2 <= nearest->node_capacity) {
        return true;
    }
    const int32_t more = nearest->node_capacity > 0 ? 2 * nearest->node_capacity : 16;
    void* nodes = nearest->nodes;
    if (!grow(&nearest->allocator, &nodes, (size_t)nearest->node_count, (size_t)nearest->node_capacity,
              (size_t)more, sizeof *nearest->nodes)) {
        return false;
    }
    nearest->nodes = nodes;
    nearest->node_capacity = more;
    return true;
}

static bool reserve_leaf(Nearest* nearest) {
    if (nearest->leaf_count < nearest->leaf_capacity) {
        return true;
    }
    const BerthAllocator* allocator = &nearest->allocator;
    const size_t used = (size_t)nearest->leaf_count, old = (size_t)nearest->leaf_capacity;
    const size_t more = old > 0 ? 2 * old : 4;
    const size_t floats = (size_t)nearest->leaf_size;
    float* coordinates = bi_take_raw(allocator, more * floats, sizeof *coordinates);
    int32_t* ids = bi_take_raw(allocator, more * NEAREST_LEAF, sizeof *ids);
    int32_t* filled = bi_take_raw(allocator, more, sizeof *filled);
    if (coordinates == NULL || ids == NULL || filled == NULL) {
        bi_give(allocator, coordinates, more * floats, sizeof *coordinates);
        bi_give(allocator, ids, more * NEAREST_LEAF, sizeof *ids);
        bi_give(allocator, filled, more, sizeof *filled);
        return false;
    }

    if (used > 0) {
        memcpy(coordinates, nearest->coordinates, used * floats * sizeof *coordinates);
        memcpy(ids, nearest->ids, used * NEAREST_LEAF * sizeof *ids);
        memcpy(filled, nearest->filled, used * sizeof *filled);
    }
    bi_give(allocator, nearest->coordinates, old * floats, sizeof *coordinates);
    bi_give(allocator, nearest->ids, old * NEAREST_LEAF, sizeof *ids);
    bi_give(allocator, nearest->filled, old, sizeof *filled);
    nearest->coordinates = coordinates;
    nearest->ids = ids;
    nearest->filled = filled;
    nearest->leaf_capacity = (int32_t)more;
    return true;
}

// Places beyond the last point are infinitely far: a scan needs no end.
static int32_t open_leaf(Nearest* nearest) {
    const int32_t leaf = nearest->leaf_count++;
    float* coordinates = nearest_leaf(nearest, leaf);
    for (int32_t i = 0; i < nearest->leaf_size; ++i) {
        coordinates[i] = INFINITY;
    }
    nearest->filled[leaf] = 0;
    return leaf;
}

static void put(Nearest* nearest, int32_t leaf, const float* point, int32_t id) {
    float* coordinates = nearest_leaf(nearest, leaf);
    const int32_t place = nearest->filled[leaf]++;
    for (int32_t i = 0; i < nearest->dimension; ++i) {
        coordinates[i * NEAREST_LEAF + place] = point[i];
    }
    nearest->ids[(size_t)leaf * NEAREST_LEAF + (size_t)place] = id;
}

static int32_t widest_axis(const Nearest* nearest, int32_t leaf) {
    const float* coordinates = nearest_leaf(nearest, leaf);
    int32_t best = 0;
    float widest = -1.0f;
    for (int32_t i = 0; i < nearest->dimension; ++i) {
        float low = INFINITY, high = -INFINITY;
        for (int32_t k = 0; k < NEAREST_LEAF; ++k) {
            low = fminf(low, coordinates[i * NEAREST_LEAF + k]);
            high = fmaxf(high, coordinates[i * NEAREST_LEAF + k]);
        }
        if (high - low > widest) {
            widest = high - low;
            best = i;
        }
    }
    return best;
}

// Places of a full leaf in the order of one coordinate.
static void sort_places(const float* values, int32_t* places) {
    for (int32_t k = 0; k < NEAREST_LEAF; ++k) {
        int32_t at = k;
        for (; at > 0 && values[places[at - 1]] > values[k]; --at) {
            places[at] = places[at - 1];
        }
        places[at] = k;
    }
}

// A full leaf becomes a node with two half-full leaves.
static bool split_leaf(Nearest* nearest, int32_t node) {
    if (!reserve_node(nearest) || !reserve_leaf(nearest)) {
        return false;
    }
    const int32_t low = nearest->nodes[node].low, high = open_leaf(nearest);
    const int32_t axis = widest_axis(nearest, low);
    float* kept = nearest_leaf(nearest, low);
    float* moved = nearest_leaf(nearest, high);
    int32_t* kept_ids = nearest->ids + (size_t)low * NEAREST_LEAF;
    int32_t* moved_ids = nearest->ids + (size_t)high * NEAREST_LEAF;

    int32_t places[NEAREST_LEAF];
    sort_places(kept + axis * NEAREST_LEAF, places);
    const int32_t half = NEAREST_LEAF / 2;
    const float split = kept[axis * NEAREST_LEAF + places[half - 1]];

    // One coordinate at a time: the upper half moves, the lower half closes up.
    for (int32_t i = 0; i <= nearest->dimension; ++i) {
        float old[NEAREST_LEAF];
        int32_t old_ids[NEAREST_LEAF];
        if (i < nearest->dimension) {
            memcpy(old, kept + i * NEAREST_LEAF, sizeof old);
            for (int32_t k = 0; k < half; ++k) {
                kept[i * NEAREST_LEAF + k] = old[places[k]];
                kept[i * NEAREST_LEAF + half + k] = INFINITY;
                moved[i * NEAREST_LEAF + k] = old[places[half + k]];
            }
        } else {
            memcpy(old_ids, kept_ids, sizeof old_ids);
            for (int32_t k = 0; k < half; ++k) {
                kept_ids[k] = old_ids[places[k]];
                moved_ids[k] = old_ids[places[half + k]];
            }
        }
    }
    nearest->filled[low] = nearest->filled[high] = half;

    const int32_t first = nearest->node_count;
    const NearestNode leaf = {.axis = -1, .parent = node, .points = half, .leaves = 1};
    nearest->nodes[first] = nearest->nodes[first + 1] = leaf;
    nearest->nodes[first].low = low;
    nearest->nodes[first + 1].low = high;
    nearest->node_count += 2;
    nearest->nodes[node].axis = axis;
    nearest->nodes[node].split = split;
    nearest->nodes[node].low = first;
    nearest->nodes[node].high = first + 1;
    for (int32_t at = node; at >= 0; at = nearest->nodes[at].parent) {
        nearest->nodes[at].leaves += 1;
    }
    return true;
}

static int32_t floor_log2(int32_t number) {
    int32_t log = 0;
    for (; number > 1; number >>= 1) {
        log += 1;
    }
    return log;
}

// A leaf was split. Where what is above it is deeper than that many leaves need, the smallest such part is built anew.
static bool keep_flat(Nearest* nearest, int32_t node) {
    int32_t height = 1;
    for (int32_t at = node; at >= 0; at = nearest->nodes[at].parent) {
        if (height > 2 * floor_log2(nearest->nodes[at].leaves) + SPARE_HEIGHT) {
            return bi_nearest_rebuild(nearest, at);
        }
        height += 1;
    }
    return true;
}

bool bi_nearest_add(Nearest* nearest, const float* point, int32_t id) {
    if (nearest->node_count == 0) {
        if (!reserve_node(nearest) || !reserve_leaf(nearest)) {
            return false;
        }
        nearest->nodes[0] = (NearestNode){.axis = -1, .low = open_leaf(nearest), .parent = -1, .leaves = 1};
        nearest->node_count = 1;
    }

    int32_t at = 0;
    for (;;) {
        const NearestNode* node = &nearest->nodes[at];
        if (node->axis >= 0) {
            at = point[node->axis] <= node->split ? node->low : node->high;
        } else if (nearest->filled[node->low] < NEAREST_LEAF) {
            put(nearest, node->low, point, id);
            nearest->count += 1;
            for (; at >= 0; at = nearest->nodes[at].parent) {
                nearest->nodes[at].points += 1;
            }
            return true;
        } else if (!split_leaf(nearest, at) || !keep_flat(nearest, at)) {
            return false;
        } else {
            at = 0;  // what is above may have been built anew
        }
    }
}

// ---- finding ---------------------------------------------------------------------------------------------------

/// A search: the best so far, sorted, and how far from the node's box the point is along each coordinate.
typedef struct Search {
    const Nearest* nearest;
    const float* point;
    NearestFound* found;
    int32_t count, most;
    float limit_sq;  ///< nothing at this distance or beyond is wanted
    float offsets[NEAREST_DIMENSION_MAX];
} Search;

static void note(Search* search, float distance_sq, int32_t id) {
    // The farthest gives way where there is no room.
    if (search->count < search->most) {
        search->count += 1;
    }
    int32_t at = search->count - 1;
    for (; at > 0 && search->found[at - 1].distance_sq > distance_sq; --at) {
        search->found[at] = search->found[at - 1];
    }
    search->found[at] = (NearestFound){distance_sq, id};
    if (search->count == search->most) {
        search->limit_sq = search->found[search->most - 1].distance_sq;
    }
}

static void scan_leaf(Search* search, int32_t leaf) {
    const Nearest* nearest = search->nearest;
    const float* coordinates = nearest_leaf(nearest, leaf);
    const int32_t* ids = nearest->ids + (size_t)leaf * NEAREST_LEAF;
    const int32_t used = (nearest->filled[leaf] + 15) / 16 * 16;

    float sums[NEAREST_LEAF];
    for (int32_t k = 0; k < used; ++k) {
        sums[k] = 0.0f;
    }
    for (int32_t i = 0; i < nearest->dimension; ++i) {
        const float* row = coordinates + i * NEAREST_LEAF;
        const float at = search->point[i];
        for (int32_t k = 0; k < used; ++k) {
            const float step = row[k] - at;
            sums[k] += step * step;
        }
    }
    for (int32_t k = 0; k < used; ++k) {
        if (sums[k] < search->limit_sq) {
            note(search, sums[k], ids[k]);
        }
    }
}

// The half that holds the point first; the other one only if its box is near enough. As deep as the tree, which is at most about
// twice the logarithm of its leaves.
static void search_node(Search* search, int32_t at, float box_sq) {
    const NearestNode* node = &search->nearest->nodes[at];
    if (node->axis < 0) {
        scan_leaf(search, node->low);
        return;
    }

    const float offset = search->point[node->axis] - node->split;
    const bool in_low = offset <= 0.0f;
    search_node(search, in_low ? node->low : node->high, box_sq);

    float* known = &search->offsets[node->axis];
    const float old = *known;
    const float far_sq = box_sq - old * old + offset * offset;
    if (far_sq < search->limit_sq) {
        *known = offset;
        search_node(search, in_low ? node->high : node->low, far_sq);
        *known = old;
    }
}

int32_t bi_nearest_find_many(const Nearest* nearest, const float* point, float reach, NearestFound* found,
                             int32_t most) {
    if (nearest->node_count == 0 || most <= 0) {
        return 0;
    }
    Search search;  // most of its offsets are not used
    search.nearest = nearest;
    search.point = point;
    search.found = found;
    search.count = 0;
    search.most = most;
    search.limit_sq = reach * reach;
    memset(search.offsets, 0, (size_t)nearest->dimension * sizeof *search.offsets);
    search_node(&search, 0, 0.0f);
    return search.count;
}

NearestFound bi_nearest_find(const Nearest* nearest, const float* point) {
    NearestFound found = {INFINITY, -1};
    (void)bi_nearest_find_many(nearest, point, INFINITY, &found, 1);
    return found;
}
