// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lays out a scene, and makes the memory of a query.
// Entries: berth_default_lanes_def, berth_lanes_create, berth_lanes_destroy, berth_lanes_pay, bi_lanes_query_create,
// bi_lanes_query_destroy.

#include <string.h>

#include "lanes/lanes.h"

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "lanes: out of memory");
}

// ---- the layout -------------------------------------------------------------------------------------------------

static int32_t count_floats(const BerthScene* scene) {
    int32_t count = 0;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const BerthRobot* robot = scene->robots[r].robot;
        for (int32_t k = 1; k < robot->frame_count; ++k) {
            count += robot->frames[k].motion == FRAME_FLOATING;
        }
    }
    return count;
}

static BerthStatus take_build(LanesBuild* build) {
    const BerthScene* scene = build->scene;
    BerthLanes* lanes = build->lanes;
    Arena* arena = &lanes->arena;
    lanes->float_count = count_floats(scene);
    lanes->state_size = scene->value_count;
    const size_t floats = (size_t)lanes->float_count;
    // A planar joint is three, a floating one eight.
    const size_t frames = 3 * (size_t)scene->frame_count + LANES_FLOAT_ANGLES * floats + 1;
    const size_t rows = (size_t)scene->value_count + LANES_FLOAT_ANGLES * floats;
    build->frames = bi_arena_take(arena, frames, sizeof *build->frames);
    build->lane_frames = bi_arena_take(arena, frames, sizeof *build->lane_frames);
    build->lane_frame = bi_arena_take(arena, (size_t)scene->frame_count, sizeof *build->lane_frame);
    build->bodies = bi_arena_take(arena, (size_t)scene->body_count, sizeof *build->bodies);
    build->lane_groups = bi_arena_take(arena, LANES_GROUPS_MAX, sizeof *build->lane_groups);
    build->first_body = bi_arena_take(arena, LANES_GROUPS_MAX, sizeof *build->first_body);
    build->most_radius = bi_arena_take(arena, LANES_GROUPS_MAX, sizeof *build->most_radius);
    build->lane_pairs = bi_arena_take(arena, LANES_PAIRS_MAX, sizeof *build->lane_pairs);
    build->fields = bi_arena_take(arena, LANES_FIELDS_MAX, sizeof *build->fields);
    lanes->ranges = bi_arena_take(arena, rows, sizeof *lanes->ranges);
    lanes->floats = bi_arena_take(arena, floats + 1, sizeof *lanes->floats);
    lanes->groups = bi_arena_take(arena, LANES_GROUPS_MAX, sizeof *lanes->groups);
    lanes->pairs = bi_arena_take(arena, LANES_PAIRS_MAX, sizeof *lanes->pairs);
    lanes->all_groups = bi_arena_take(arena, LANES_GROUPS_MAX, sizeof *lanes->all_groups);
    lanes->frame_levers = bi_arena_take(arena, frames, sizeof *lanes->frame_levers);

    const bool ok = build->frames && build->lane_frames && build->lane_frame && build->bodies &&
                    build->lane_groups && build->first_body && build->most_radius && build->lane_pairs &&
                    build->fields && lanes->ranges && lanes->floats && lanes->groups && lanes->pairs &&
                    lanes->all_groups && lanes->frame_levers;
    return ok ? BERTH_OK : no_memory();
}

static void install(LanesBuild* build) {
    BerthLanes* lanes = build->lanes;
    LaneModel* model = &lanes->model;
    model->frames = build->lane_frames;
    model->groups = build->lane_groups;
    model->clusters = build->clusters;
    model->leaves = build->leaves;
    model->pairs = build->lane_pairs;
    model->fields = build->fields;
    model->levers = build->levers;
    model->charts = build->charts;
    model->rows = build->rows;
    model->leaf_clusters = build->leaf_clusters;
    model->row_clusters = build->row_clusters;
    model->leaf_pairs = build->leaf_pairs;

    for (int32_t g = model->group_count - 1; g >= 0; --g) {
        const int32_t field = build->lane_groups[g].field;
        if (field >= 0 && (build->fields[field].slabs == NULL || build->lane_groups[g].near != 0)) {
            lanes->all_groups[lanes->all_group_count++] = g;
        }
    }
    lanes->set_words = (model->group_count + model->pair_count + 63) / 64;
    lanes->bodies = build->bodies;
}

// Charts and meetings of another layout hold here where its groups are ours.
static BerthStatus compare_groups(LanesBuild* build) {
    if (build->like != NULL && !bi_lanes_have_same_groups(build, build->like)) {
        build->like = NULL;
    }
    return BERTH_OK;
}

static BerthStatus lay_out(LanesBuild* build) {
    BerthStatus (*const steps[])(LanesBuild*) = {
        take_build,     bi_lanes_make_frames, bi_lanes_make_balls,    bi_lanes_make_groups,
        compare_groups, bi_lanes_make_charts, bi_lanes_make_meetings, bi_lanes_make_fields};
    BerthStatus status = BERTH_OK;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == BERTH_OK && build->holds; ++i) {
        status = steps[i](build);
    }

    if (status == BERTH_OK && build->holds) {
        install(build);
    }
    return status;
}

// ---- what it is worth -------------------------------------------------------------------------------------------

/// Seconds, of the processor: what a layout takes for each body that moves, and what it takes more to cover one that is not made of
/// spheres; what it takes more for each to search how links come near each other; for each cell of a grid of distances; for each
/// obstacle of many.
/// Measured on seven robots (docs/results/lanes.md, What a layout costs).
#define TIME_A_BODY 5e-5
#define TIME_TO_COVER 0.035
#define TIME_TO_SEARCH 0.1
#define TIME_TO_SEARCH_SPHERES 0.005
#define TIME_A_CELL 5e-7
#define TIME_AN_ITEM 3e-5
/// What lanes save on a state and on a segment of a robot of meshes, and of one of spheres, which trees of boxes know worst; and
/// what they save more when links were searched.
#define SAVED_A_STATE 2e-6
#define SAVED_A_SEGMENT 1e-5
#define SAVED_A_STATE_OF_SPHERES 1e-5
#define SAVED_A_SEGMENT_OF_SPHERES 4e-5
#define SAVED_MORE_A_STATE 4e-7
#define SAVED_MORE_A_SEGMENT 1.2e-6
#define SAVED_MORE_A_STATE_OF_SPHERES 2e-8
#define SAVED_MORE_A_SEGMENT_OF_SPHERES 1.5e-7
/// Robots with more pairs of links that are looked at collide with themselves in most of their states, which trees find at once,
/// while lanes look at all of them: Romeo (353 pairs) takes 167 us a colliding segment by lanes and 17 without, the PR2 (1,322) 189
/// and 11; two Pandas (162) 12 and 8 (./dev bench fast layout).
enum { LINK_PAIRS_MOST = 256 };

/// What a layout of a scene takes, and what it saves, in seconds.
typedef struct Worth {
    bool pays;              // for some number of questions
    double layout, search;  // what is always made, and what only many questions pay for
    double state, segment, more_state, more_segment;
} Worth;

// Few items are found by bits of slabs, which takes no time; more are on a grid.
static double time_of_items(const BerthScene* scene) {
    double cells = 0.0;
    int64_t items = 0;
    for (int32_t b = scene->moved_body_count; b < scene->body_count; ++b) {
        const SceneBody* body = &scene->bodies[b];
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
            cells += bi_lanes_dense_cells(scene->parts[p].solid);
            items += 1;
        }
    }
    return TIME_A_CELL * cells + (items > LANE_MASK_ITEMS ? TIME_AN_ITEM * (double)items : 0.0);
}

static bool has_few_link_pairs(const BerthScene* scene) {
    int32_t count = 0;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        count += !pair->constant && pair->self && !(pair->proven_gap > 0.0);
    }
    return count <= LINK_PAIRS_MOST;
}

static Worth worth_of(const BerthScene* scene) {
    double bodies = 0.0, to_cover = 0.0;
    for (int32_t i = 0; i < scene->moved_body_count; ++i) {
        bodies += 1.0;
        to_cover += !bi_lanes_is_all_spheres(scene, &scene->bodies[i]);
    }

    const bool spheres = to_cover == 0.0;
    return (Worth){.pays = bodies > 0.0 && has_few_link_pairs(scene),
                   .layout = TIME_A_BODY * bodies + TIME_TO_COVER * to_cover + time_of_items(scene),
                   .search = bodies * (spheres ? TIME_TO_SEARCH_SPHERES : TIME_TO_SEARCH),
                   .state = spheres ? SAVED_A_STATE_OF_SPHERES : SAVED_A_STATE,
                   .segment = spheres ? SAVED_A_SEGMENT_OF_SPHERES : SAVED_A_SEGMENT,
                   .more_state = spheres ? SAVED_MORE_A_STATE_OF_SPHERES : SAVED_MORE_A_STATE,
                   .more_segment = spheres ? SAVED_MORE_A_SEGMENT_OF_SPHERES : SAVED_MORE_A_SEGMENT};
}

bool berth_lanes_pay(const BerthScene* scene, int64_t states, int64_t segments) {
    if (scene == NULL || !scene->committed) {
        return false;
    }
    const Worth worth = worth_of(scene);
    return worth.pays && (double)states * worth.state + (double)segments * worth.segment >= worth.layout;
}

int64_t bi_lanes_segments_to_pay(const BerthScene* scene) {
    const Worth worth = worth_of(scene);
    return worth.pays ? (int64_t)(worth.layout / worth.segment) + 1 : INT64_MAX;
}

// Does it not pay to search how links come near each other?
static bool expects_few(const BerthScene* scene, const BerthLanesDef* def) {
    if (def->expected_states <= 0 && def->expected_segments <= 0) {
        return false;
    }
    const Worth worth = worth_of(scene);
    const double states = fmax((double)def->expected_states, 0.0);
    const double segments = fmax((double)def->expected_segments, 0.0);
    return states * worth.more_state + segments * worth.more_segment < worth.search;
}

// ---- made and destroyed -----------------------------------------------------------------------------------------

static BerthStatus check_def(const BerthScene* scene, const BerthLanesDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "lanes def: start from berth_default_lanes_def()");
    }
    if (!(def->margin >= 0.0 && def->margin <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "lanes def: margin is %g m, must be from 0 to %g", def->margin,
                       BI_COORDINATE_MAX);
    }
    if (!(def->self_margin <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "lanes def: self margin is %g m, must be at most %g",
                       def->self_margin, BI_COORDINATE_MAX);
    }
    if (scene == NULL || !scene->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "lanes: the scene is not committed");
    }
    return BERTH_OK;
}

BerthLanesDef berth_default_lanes_def(void) {
    return (BerthLanesDef){.self_margin = -1.0, .stamp = BI_DEF_STAMP};
}

BerthStatus bi_lanes_create(const BerthScene* scene, const BerthLanesDef* def, const SimdKernels* kernels,
                            BerthLanes** out) {
    *out = NULL;
    BerthStatus status = check_def(scene, def);
    if (status != BERTH_OK) {
        return status;
    }
    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    BerthLanes* lanes = bi_take(&from, 1, sizeof *lanes);
    if (lanes == NULL) {
        return no_memory();
    }

    lanes->allocator = from;
    bi_arena_init(&lanes->arena, &from, 0);
    lanes->scene = scene;
    lanes->generation = scene->generation;
    lanes->margin = def->margin;
    lanes->self_margin = def->self_margin >= 0.0 ? def->self_margin : def->margin;
    lanes->kernels = kernels;

    LanesBuild build = {
        .lanes = lanes, .scene = scene, .quick = expects_few(scene, def), .holds = scene->value_count > 0};
    build.like = def->like != NULL && bi_lanes_have_same_robots(&build, def->like) ? def->like : NULL;
    status = lay_out(&build);
    if (status != BERTH_OK || !build.holds) {
        berth_lanes_destroy(lanes);
        return status;
    }
    *out = lanes;
    return BERTH_OK;
}

BerthStatus berth_lanes_create(const BerthScene* scene, const BerthLanesDef* def, BerthLanes** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "lanes: a place for the result is expected");
    }
    return bi_lanes_create(scene, def, bi_simd_kernels(), out);
}

void berth_lanes_destroy(BerthLanes* lanes) {
    if (lanes != NULL) {
        const BerthAllocator from = lanes->allocator;
        bi_arena_free(&lanes->arena);
        bi_give(&from, lanes, 1, sizeof *lanes);
    }
}

// ---- a query ----------------------------------------------------------------------------------------------------

// The query and all its rows are one block; this goes through it once to measure and once to carve.
typedef struct Carve {
    unsigned char* at;  // null: only measure
    size_t used;
} Carve;

static void* carve(Carve* c, size_t count, size_t size) {
    void* here = c->at != NULL ? c->at + c->used : NULL;
    c->used += (count * size + 63) / 64 * 64;
    return here;
}

static void carve_query(const BerthLanes* lanes, LanesQuery* query, Carve* c) {
    const LaneModel* m = &lanes->model;
    const size_t row = LANES * sizeof(float);
    (void)carve(c, 1, sizeof *query);
    query->scratch.poses = carve(c, 12 * (size_t)m->frame_count, row);
    query->scratch.twists = carve(c, 6 * (size_t)m->frame_count, row);
    query->scratch.turns = carve(c, 2 * (size_t)m->frame_count, row);
    query->scratch.rates = carve(c, 3 * (size_t)m->frame_count, row);
    query->scratch.groups = carve(c, 6 * (size_t)m->group_count, row);
    query->scratch.losses = carve(c, 2 * (size_t)m->group_count, row);
    query->scratch.clusters = carve(c, 6 * (size_t)m->cluster_count, row);
    query->scratch.leaves = carve(c, 6 * (size_t)m->leaf_count, row);
    query->scratch.alone = carve(c, 6 * LANE_ALONE_LEAVES / LANES, row);
    query->scratch.group_done = carve(c, (size_t)m->group_count, sizeof(uint64_t));
    query->scratch.cluster_done = carve(c, (size_t)m->cluster_count, sizeof(uint64_t));
    query->scratch.leaves_done = carve(c, (size_t)m->cluster_count, sizeof(uint64_t));

    query->values = carve(c, (size_t)m->value_count, row);
    query->goes = carve(c, (size_t)m->value_count, row);
    query->segment_values = carve(c, LANES_SEGMENTS * (size_t)m->value_count, sizeof(float));
    query->segment_goes = carve(c, LANES_SEGMENTS * (size_t)m->value_count, sizeof(float));
    query->segment_speeds = carve(c, LANES_SEGMENTS, sizeof(float));
    query->turn_sums = carve(c, (size_t)m->frame_count, sizeof(float));

    query->groups = carve(c, (size_t)m->group_count, sizeof(int32_t));
    query->pairs = carve(c, (size_t)m->pair_count, sizeof(int32_t));
    query->stack = carve(c, LANES_STACK, sizeof(LanesInterval));
    query->sets = carve(c, (size_t)(LANES_STACK + LANES) * (size_t)lanes->set_words, sizeof(uint64_t));
    query->answer.entries = carve(c, LANES_ENTRIES, sizeof(LaneEntry));
    query->answer.capacity = LANES_ENTRIES;
}

BerthStatus bi_lanes_query_create(const BerthLanes* lanes, LanesQuery** out) {
    *out = NULL;
    LanesQuery measured = {0};
    Carve measure = {NULL, 0};
    carve_query(lanes, &measured, &measure);

    unsigned char* block = bi_take(&lanes->allocator, measure.used, 1);
    if (block == NULL) {
        return no_memory();
    }
    LanesQuery* query = (LanesQuery*)(void*)block;
    Carve carved = {block, 0};
    carve_query(lanes, query, &carved);
    query->lanes = lanes;
    query->bytes = measure.used;
    query->allocator = lanes->allocator;
    *out = query;
    return BERTH_OK;
}

void bi_lanes_query_destroy(LanesQuery* query) {
    if (query != NULL) {
        const BerthAllocator from = query->allocator;
        bi_give(&from, query, query->bytes, 1);
    }
}
