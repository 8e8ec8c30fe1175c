// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys the scratch memory of queries, including sphere trees that solids lack, and the public
// functions.
// Entries: berth_tree_query_create, berth_tree_query_use, berth_tree_collide, berth_tree_distance,
// berth_tree_greedy, berth_solid_rss_volumes.

#include "math/math.h"
#include "tree/rss.h"
#include "tree/sphere.h"

const char* berth_engine_name(BerthEngine engine) {
    static const char* const names[BERTH_ENGINE_COUNT] = {"boxes", "rss", "spheres"};
    return (int)engine >= 0 && engine < BERTH_ENGINE_COUNT ? names[engine] : "unknown";
}

BerthStatus berth_tree_query_create(int32_t node_budget, const BerthAllocator* allocator,
                                    BerthTreeQuery** out) {
    *out = NULL;
    if (node_budget <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "tree query: node budget is %d, must be > 0", node_budget);
    }

    const BerthAllocator from = bi_allocator_or_default(allocator);
    const int32_t capacity = 2 * SOLID_DEPTH_MAX * BOX_PAIRS;
    BerthTreeQuery* query = bi_take(&from, 1, sizeof *query);
    SolidPairEntry* stack = bi_take(&from, (size_t)capacity, sizeof *stack);
    if (query == NULL || stack == NULL) {
        bi_give(&from, query, 1, sizeof *query);
        bi_give(&from, stack, (size_t)capacity, sizeof *stack);
        return bi_fail(BERTH_ERR_MEMORY, "tree query: out of memory");
    }

    *query = (BerthTreeQuery){.allocator = from,
                              .kernels = bi_simd_kernels(),
                              .node_budget = node_budget,
                              .stack_capacity = capacity,
                              .stack = stack};

    *out = query;
    return BERTH_OK;
}

static void free_spheres(BerthTreeQuery* query) {
    for (int32_t i = 0; i < query->tree_capacity; ++i) {
        bi_tree_sphere_destroy(query->trees[i].tree);
    }
    bi_give(&query->allocator, query->trees, (size_t)query->tree_capacity, sizeof *query->trees);
    query->trees = NULL;
    query->tree_capacity = 0;
    query->engine = BERTH_ENGINE_DEFAULT;
}

void berth_tree_query_destroy(BerthTreeQuery* query) {
    if (query != NULL) {
        const BerthAllocator from = query->allocator;
        free_spheres(query);
        bi_give(&from, query->stack, (size_t)query->stack_capacity, sizeof *query->stack);
        bi_give(&from, query, 1, sizeof *query);
    }
}

// Where the search for a solid begins: the address without its low bits, spread.
static uint32_t home_place(const BerthTreeQuery* query, const BerthSolid* solid) {
    const uint64_t key = (uint64_t)(uintptr_t)solid * 0x9E3779B97F4A7C15u;
    return (uint32_t)(key >> 40) & (uint32_t)(query->tree_capacity - 1);
}

// The place that has the solid, or the free one where it belongs. The table is never full.
static QueryTree* find_place(const BerthTreeQuery* query, const BerthSolid* solid) {
    uint32_t i = home_place(query, solid);
    while (query->trees[i].solid != NULL && query->trees[i].solid != solid) {
        i = (i + 1) & (uint32_t)(query->tree_capacity - 1);
    }
    return &query->trees[i];
}

const SphereTree* bi_tree_query_spheres(const BerthTreeQuery* query, const BerthSolid* solid) {
    if (solid->spheres != NULL || query->tree_capacity == 0) {
        return solid->spheres;
    }
    return find_place(query, solid)->tree;
}

static BerthStatus make_spheres(BerthTreeQuery* query, const BerthSolid* const* solids, int32_t count) {
    int32_t capacity = 16;
    while (capacity / 2 < count && capacity < 1 << 29) {
        capacity *= 2;
    }

    query->trees = bi_take(&query->allocator, (size_t)capacity, sizeof *query->trees);
    query->tree_capacity = query->trees != NULL ? capacity : 0;
    if (query->trees == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "tree query: out of memory");
    }

    const BerthSphereTreeDef def = berth_default_sphere_tree_def();
    BerthStatus status = BERTH_OK;

    for (int32_t i = 0; i < count && status == BERTH_OK; ++i) {
        if (!solids[i]->is_mesh || solids[i]->spheres != NULL) {
            continue;
        }

        QueryTree* place = find_place(query, solids[i]);
        if (place->solid == NULL) {
            place->solid = solids[i];
            status = bi_tree_sphere_build(solids[i], &def, &query->allocator, &place->tree);
        }
    }
    return status;
}

BerthStatus berth_tree_query_use(BerthTreeQuery* query, BerthEngine engine, const BerthSolid* const* solids,
                                 int32_t count) {
    if ((int)engine < 0 || engine >= BERTH_ENGINE_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "tree query: engine %d is not known", (int)engine);
    }

    free_spheres(query);
    BerthStatus status = engine == BERTH_ENGINE_SPHERES ? make_spheres(query, solids, count) : BERTH_OK;
    for (int32_t i = 0; engine == BERTH_ENGINE_RSS && i < count && status == BERTH_OK; ++i) {
        status = bi_solid_need_rss(solids[i]);
    }
    if (status != BERTH_OK) {
        free_spheres(query);
        return status;
    }

    query->engine = engine;
    return BERTH_OK;
}

size_t bi_tree_query_bytes(const BerthTreeQuery* query) {
    size_t bytes = sizeof *query + (size_t)query->stack_capacity * sizeof *query->stack;
    for (int32_t i = 0; i < query->tree_capacity; ++i) {
        bytes += sizeof *query->trees + bi_tree_sphere_bytes(query->trees[i].tree);
    }
    return bytes;
}

BerthTreeRequest berth_default_tree_request(void) {
    return (BerthTreeRequest){.min_d = 0.0, .max_d = INFINITY, .tolerance = 0.0};
}

static BerthTreeAnswer ask_in_world(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                                    const BerthSolid* b, const BerthPose* world_from_b,
                                    SolidRequest* request) {
    const Pose a_from_b = pose_between(world_from_a, world_from_b);
    request->slack = bi_solid_slack(a, world_from_a, b, world_from_b);

    BerthTreeAnswer answer;
    bi_solid_query(query, a, b, &a_from_b, request, &answer);

    answer.point_a = pose_apply(world_from_a, answer.point_a);
    answer.point_b = pose_apply(world_from_a, answer.point_b);
    answer.meeting = pose_apply(world_from_a, answer.meeting);
    answer.normal = pose_turn(world_from_a, answer.normal);
    return answer;
}

BerthTreeAnswer berth_tree_collide(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                                   const BerthSolid* b, const BerthPose* world_from_b, double margin) {
    SolidRequest request = {.min_d = margin, .max_d = margin, .stop_d = margin};
    return ask_in_world(query, a, world_from_a, b, world_from_b, &request);
}

BerthTreeAnswer berth_tree_distance(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                                    const BerthSolid* b, const BerthPose* world_from_b,
                                    const BerthTreeRequest* given) {
    SolidRequest request = {.min_d = given->min_d,
                            .stop_d = given->min_d,
                            .max_d = given->max_d,
                            .tolerance = given->tolerance,
                            .base = given->min_d,  // the verdict about min_d is not left to the tolerance
                            .last = given->last,
                            .sorted = true};
    return ask_in_world(query, a, world_from_a, b, world_from_b, &request);
}

double berth_tree_greedy(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                         const BerthSolid* b, const BerthPose* world_from_b, double delta,
                         BerthCounters* counters) {
    const Pose a_from_b = pose_between(world_from_a, world_from_b);
    const double slack = bi_solid_slack(a, world_from_a, b, world_from_b);
    if (bi_solid_need_rss(a) != BERTH_OK || bi_solid_need_rss(b) != BERTH_OK) {
        return 0.0;
    }
    return bi_solid_greedy_distance(query, a, b, &a_from_b, delta, slack, counters);
}

// ---- for pictures ------------------------------------------------------------------------------------------------

static BerthRssVolume rss_volume(const RssTree* tree, int32_t index) {
    const RssNode* node = &tree->nodes[index];
    return (BerthRssVolume){.solid_from_volume = {node->axis[0], node->axis[1], node->axis[2], node->centre},
                            .half = {node->half[0], node->half[1]},
                            .radius = node->radius,
                            .node = index};
}

// The largest that is no leaf; -1: all are leaves.
static int32_t largest_rss(const RssTree* tree, const BerthRssVolume* volumes, int32_t count) {
    int32_t best = -1;
    for (int32_t i = 0; i < count; ++i) {
        const RssNode* node = &tree->nodes[volumes[i].node];
        if (!rss_is_leaf(node) && (best < 0 || rss_size(node) > rss_size(&tree->nodes[volumes[best].node]))) {
            best = i;
        }
    }
    return best;
}

int32_t berth_solid_rss_volumes(const BerthSolid* solid, BerthRssVolume* out, int32_t capacity) {
    const RssTree* tree = bi_solid_need_rss(solid) == BERTH_OK ? solid_rss(solid) : NULL;
    if (tree == NULL || solid->is_cloud || capacity < 1) {
        return 0;
    }

    int32_t count = 1;
    out[0] = rss_volume(tree, 0);
    int32_t open = largest_rss(tree, out, count);
    while (open >= 0 && count < capacity) {
        const int32_t child = tree->nodes[out[open].node].child;
        out[open] = rss_volume(tree, child);
        out[count++] = rss_volume(tree, child + 1);
        open = largest_rss(tree, out, count);
    }
    return count;
}
