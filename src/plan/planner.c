// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Planners: creation and destruction, one query from its start to its proof.
// Entries: berth_default_planner_def, berth_planner_create, berth_planner_destroy, berth_planner_find,
// berth_planner_shorten, berth_planner_stats, berth_planner_certify, berth_planner_certificate.

#include <math.h>
#include <string.h>

#include "plan/roadmap.h"

const char* berth_planner_name(BerthPlannerKind kind) {
    switch (kind) {
    case BERTH_PLANNER_DEFAULT:
    case BERTH_PLANNER_RRT_CONNECT:
        return "rrt-connect";
    case BERTH_PLANNER_SBL:
        return "sbl";
    case BERTH_PLANNER_PRM:
        return "prm";
    case BERTH_PLANNER_KIND_COUNT:
        break;
    }
    return "unknown";
}

const char* berth_plan_reason_name(BerthPlanReason reason) {
    static const char* const names[] = {
        "", "start_collision", "goal_collision", "start_unknown", "goal_unknown", "budget"};
    return (int)reason >= 0 && reason < BERTH_PLAN_REASON_COUNT ? names[reason] : "unknown";
}

BerthPlannerDef berth_default_planner_def(void) {
    const BerthMotionCheckerDef motion = berth_default_motion_checker_def();
    return (BerthPlannerDef){.self_margin = motion.self_margin,
                             .delta = motion.delta,
                             .sample_budget = 10000000,
                             .state_limit = 1000000,
                             .shorten_attempts = 400,
                             .stamp = BI_DEF_STAMP};
}

// ---- made and destroyed ----------------------------------------------------------------------------------------

// Margins and delta are judged by the checker that is made of them.
static BerthStatus check_def(const BerthScene* scene, const BerthPlannerDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "planner def: start from berth_default_planner_def()");
    }

    if ((int)def->kind < 0 || def->kind >= BERTH_PLANNER_KIND_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "planner def: kind %d is not known", (int)def->kind);
    }

    if (def->sample_budget <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "planner def: a budget of %lld samples, must be > 0",
                       (long long)def->sample_budget);
    }

    if (def->state_limit < 16) {
        return bi_fail(BERTH_ERR_ARGUMENT, "planner def: at most %d states, must be >= 16",
                       (int)def->state_limit);
    }

    if (def->shorten_attempts < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "planner def: %d attempts to shorten, must be >= 0",
                       (int)def->shorten_attempts);
    }

    const BerthPlannerLab* lab = def->lab;
    if (lab != NULL && (lab->method == BERTH_METHOD_FIXED || !(lab->resolution >= 0.0) ||
                        (lab->resolution > 0.0 && def->kind != BERTH_PLANNER_SBL))) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "planner lab: method %d, resolution %g; expected is one that proves, and a resolution "
                       ">= 0 that only SBL has above 0",
                       (int)lab->method, lab->resolution);
    }

    return scene != NULL ? BERTH_OK : bi_fail(BERTH_ERR_ARGUMENT, "planner: a scene is expected");
}

static BerthStatus create_parts(BerthPlanner* planner, const BerthScene* scene, const BerthPlannerDef* def) {
    const BerthStatus status = bi_space_create(scene, def, &planner->space);
    if (status != BERTH_OK) {
        return status;
    }
    const int32_t dimension = planner->space.dimension;
    if (dimension > NEAREST_DIMENSION_MAX) {
        return bi_fail(BERTH_ERR_UNSUPPORTED, "planner: %d values may change, at most %d can be planned for",
                       (int)dimension, NEAREST_DIMENSION_MAX);
    }

    for (int i = 0; i < 2; ++i) {
        bi_plan_tree_init(&planner->trees[i], &planner->allocator, dimension);
    }
    planner->path = planner->spare = (PlanPath){.allocator = planner->allocator, .dimension = dimension};
    planner->scratch =
        bi_take(&planner->allocator, (size_t)dimension * PLAN_SCRATCH, sizeof *planner->scratch);
    return planner->scratch != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "planner: out of memory");
}

BerthStatus berth_planner_create(const BerthScene* scene, const BerthPlannerDef* def, BerthPlanner** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "planner: a place for the result is expected");
    }
    *out = NULL;
    BerthStatus status = check_def(scene, def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator allocator = bi_allocator_or_default(&def->allocator);
    BerthPlanner* planner = bi_take(&allocator, 1, sizeof *planner);
    if (planner == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "planner: out of memory");
    }
    planner->allocator = allocator;
    planner->kind = def->kind;
    planner->shorten_attempts = def->shorten_attempts;
    planner->generation = scene->generation;
    planner->goal = -1;

    status = create_parts(planner, scene, def);
    if (status != BERTH_OK) {
        berth_planner_destroy(planner);
        return status;
    }
    *out = planner;
    return BERTH_OK;
}

void berth_planner_destroy(BerthPlanner* planner) {
    if (planner == NULL) {
        return;
    }

    const BerthAllocator allocator = planner->allocator;
    for (int i = 0; i < 2 && planner->scratch != NULL; ++i) {
        bi_plan_tree_free(&planner->trees[i]);
    }

    bi_give(&allocator, planner->scratch, (size_t)planner->space.dimension * PLAN_SCRATCH,
            sizeof *planner->scratch);
    if (planner->path.dimension > 0) {
        bi_plan_path_free(&planner->path);
        bi_plan_path_free(&planner->spare);
    }

    bi_roadmap_destroy(planner->roadmap);
    bi_timing_free(&planner->timing, &allocator);
    bi_give(&allocator, planner->rows, planner->row_capacity, sizeof *planner->rows);
    bi_give(&allocator, planner->root_goals, planner->root_capacity, sizeof *planner->root_goals);
    if (planner->space.allocator.take != NULL) {
        bi_space_destroy(&planner->space);
    }

    bi_give(&allocator, planner, 1, sizeof *planner);
}

// ---- one question ----------------------------------------------------------------------------------------------

bool bi_plan_is_stale(const BerthPlanner* planner) {
    return planner->generation != planner->space.scene->generation || !planner->space.scene->committed;
}

static void note_hit(const BerthCheckResult* check, BerthPlanResult* out) {
    if (check->verdict == BERTH_COLLISION && check->hit_count > 0) {
        out->body_a = check->hits[0].body_a;
        out->body_b = check->hits[0].body_b;
        out->point = check->hits[0].point;
    } else {
        out->body_a = check->unknown_a;
        out->body_b = check->unknown_b;
    }
}

// The start becomes the root of its tree.
static BerthStatus plant_start(BerthPlanner* planner, const BerthPlanQuery* query, BerthPlanResult* out) {
    PlanSpace* space = &planner->space;
    BerthCheckResult check;
    const BerthStatus status = bi_space_ask_state(space, query->start, &check);
    if (status != BERTH_OK) {
        return status;
    }
    if (check.verdict != BERTH_FREE) {
        out->reason =
            check.verdict == BERTH_COLLISION ? BERTH_PLAN_START_COLLISION : BERTH_PLAN_START_UNKNOWN;
        note_hit(&check, out);
        return BERTH_OK;
    }
    bi_space_point_from_state(space, query->start, planner->scratch);
    return bi_plan_tree_add(&planner->trees[0], space, planner->scratch, -1) >= 0 ? BERTH_OK
                                                                                  : BERTH_ERR_MEMORY;
}

// One state that counts as goal `index`: where it is free it becomes a root, else why not is noted.
static BerthStatus plant_goal(BerthPlanner* planner, const double* state, int32_t index,
                              BerthPlanResult* refused) {
    PlanSpace* space = &planner->space;
    PlanTree* tree = &planner->trees[1];
    BerthCheckResult check;
    const BerthStatus status = bi_space_ask_state(space, state, &check);
    if (status != BERTH_OK) {
        return status;
    }
    if (check.verdict == BERTH_FREE) {
        bi_space_point_from_state(space, state, planner->scratch);
        planner->root_goals[tree->count] = index;
        return bi_plan_tree_add(tree, space, planner->scratch, -1) >= 0 ? BERTH_OK : BERTH_ERR_MEMORY;
    }

    // The first that collides is reported, else the first that is unknown.
    const BerthPlanReason reason =
        check.verdict == BERTH_COLLISION ? BERTH_PLAN_GOAL_COLLISION : BERTH_PLAN_GOAL_UNKNOWN;
    if (refused->goal < 0 || (reason == BERTH_PLAN_GOAL_COLLISION && refused->reason != reason)) {
        refused->reason = reason;
        refused->goal = index;
        note_hit(&check, refused);
    }
    return BERTH_OK;
}

// Goals that are free become roots of the other one.
static BerthStatus plant_goals(BerthPlanner* planner, const BerthPlanQuery* query, BerthPlanResult* out) {
    PlanSpace* space = &planner->space;
    PlanTree* tree = &planner->trees[1];
    BerthPlanResult refused = {.body_a = -1, .body_b = -1, .goal = -1};

    // The nearest ways round of all goals come first: a straight line to one of them is often enough.
    for (int32_t which = 0; which <= space->wrap_count; ++which) {
        for (int32_t i = 0; i < query->goal_count; ++i) {
            const double* goal = query->goals + (size_t)i * (size_t)space->value_count;
            double* state = space->edge + 2 * (size_t)space->value_count;
            if (!bi_space_goal_state(space, goal, which, state)) {
                continue;
            }
            const BerthStatus status = plant_goal(planner, state, i, &refused);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }

    if (tree->count == 0) {
        out->reason = refused.reason;
        out->goal = refused.goal;
        out->body_a = refused.body_a;
        out->body_b = refused.body_b;
        out->point = refused.point;
    }
    return BERTH_OK;
}

// Is a straight line enough?
static SearchEnd try_straight(BerthPlanner* planner, BerthStatus* status) {
    const PlanTree *from = &planner->trees[0], *to = &planner->trees[1];
    for (int32_t first = 0; first < to->count; first += SPACE_BATCH) {
        const int32_t left = to->count - first;
        const int32_t count = left < SPACE_BATCH ? left : SPACE_BATCH;
        SpaceEdge edges[SPACE_BATCH];
        uint8_t is_free[SPACE_BATCH];
        for (int32_t i = 0; i < count; ++i) {
            edges[i] = (SpaceEdge){plan_tree_point(from, 0), plan_tree_point(to, first + i)};
        }
        *status = bi_space_ask_edges(&planner->space, edges, count, SPACE_UNTIL_FREE, is_free);
        if (*status != BERTH_OK) {
            return SEARCH_FAILED;
        }
        for (int32_t i = 0; i < count; ++i) {
            if (is_free[i]) {
                *status =
                    bi_plan_path_join(&planner->path, from, 0, to, first + i) ? BERTH_OK : BERTH_ERR_MEMORY;
                return *status == BERTH_OK ? SEARCH_FOUND : SEARCH_FAILED;
            }
        }
    }

    return SEARCH_SPENT;
}

// That trees and the roadmap hold. SBL counts its own while it searches.
static int64_t count_states(const BerthPlanner* planner) {
    const int64_t nodes = planner->roadmap != NULL ? planner->roadmap->points.count : 0;
    return nodes + planner->milestone_count + planner->trees[0].count + planner->trees[1].count;
}

SearchEnd bi_plan_check_budget(BerthPlanner* planner, BerthStatus* status) {
    PlanSpace* space = &planner->space;
    const SpaceStop stop = bi_space_poll_stop(space);
    if (stop == SPACE_CANCELLED) {
        *status = BERTH_ERR_CANCELLED;
        return SEARCH_FAILED;
    }
    const int64_t states = count_states(planner);
    const bool spent = stop == SPACE_LATE || space->stats.samples >= space->def.sample_budget ||
                       states >= space->def.state_limit;
    return spent ? SEARCH_SPENT : SEARCH_FOUND;
}

static SearchEnd search(BerthPlanner* planner, BerthStatus* status) {
    const bool sampled = planner->space.resolution > 0.0;
    const SearchEnd straight = sampled ? SEARCH_SPENT : try_straight(planner, status);
    if (straight != SEARCH_SPENT) {
        return straight;
    }

    switch (planner->kind) {
    case BERTH_PLANNER_SBL:
        return bi_plan_search_sbl(planner, status);
    case BERTH_PLANNER_PRM:
        return bi_plan_prm(planner, status);
    default:
        return bi_plan_search_rrt_connect(planner, status);
    }
}

// A path whose start is its goal has one point: the motion stands.
static bool keep_two_points(BerthPlanner* planner) {
    PlanPath* path = &planner->path;
    if (path->count != 1) {
        return true;
    }
    memcpy(planner->scratch, plan_path_point(path, 0), (size_t)path->dimension * sizeof *planner->scratch);
    return bi_plan_path_push(path, planner->scratch);
}

// The path as states, and what there is to tell of it.
static BerthStatus tell_path(BerthPlanner* planner, BerthPlanResult* out) {
    const PlanPath* path = &planner->path;
    const size_t values = (size_t)planner->space.value_count;
    const size_t needed = values * (size_t)path->count;
    if (needed > planner->row_capacity) {
        double* rows = bi_take_raw(&planner->allocator, 2 * needed, sizeof *rows);
        if (rows == NULL) {
            return bi_fail(BERTH_ERR_MEMORY, "planner: out of memory");
        }
        bi_give(&planner->allocator, planner->rows, planner->row_capacity, sizeof *rows);
        planner->rows = rows;
        planner->row_capacity = 2 * needed;
    }
    for (int32_t i = 0; i < path->count; ++i) {
        bi_space_state_from_point(&planner->space, plan_path_point(path, i),
                                  planner->rows + values * (size_t)i);
    }

    out->found = true;
    out->reason = BERTH_PLAN_FOUND;
    out->rows = planner->rows;
    out->row_count = path->count;
    out->goal = planner->goal;
    out->length = bi_plan_path_length(&planner->space, path);
    out->stats = planner->space.stats;
    return BERTH_OK;
}

// Which goal the path ends in.
static int32_t find_goal(const BerthPlanner* planner) {
    const PlanTree* tree = &planner->trees[1];
    const double* end = plan_path_point(&planner->path, planner->path.count - 1);
    const size_t bytes = (size_t)tree->dimension * sizeof *end;
    for (int32_t i = 0; i < tree->count && tree->parents[i] < 0; ++i) {
        if (memcmp(plan_tree_point(tree, i), end, bytes) == 0) {
            return planner->root_goals[i];
        }
    }
    return -1;
}

static BerthStatus reserve_roots(BerthPlanner* planner, int32_t goal_count) {
    const size_t needed = (size_t)goal_count * (size_t)(planner->space.wrap_count + 1);
    if (needed <= planner->root_capacity) {
        return BERTH_OK;
    }
    int32_t* roots = bi_take(&planner->allocator, needed, sizeof *roots);
    if (roots == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "planner: out of memory");
    }
    bi_give(&planner->allocator, planner->root_goals, planner->root_capacity, sizeof *roots);
    planner->root_goals = roots;
    planner->root_capacity = needed;
    return BERTH_OK;
}

static BerthStatus begin(BerthPlanner* planner, const BerthPlanQuery* query) {
    planner->goal = -1;
    planner->milestone_count = 0;
    planner->timing.is_set = false;
    planner->path.count = planner->spare.count = 0;
    bi_plan_tree_clear(&planner->trees[0]);
    bi_plan_tree_clear(&planner->trees[1]);
    const BerthStatus status = bi_space_begin(&planner->space, query);
    return status == BERTH_OK ? reserve_roots(planner, query->goal_count) : status;
}

// A query of the layers below leaves no text: its status says it all.
static BerthStatus fail_search(BerthStatus status) {
    return bi_fail(status, "planner: %s", berth_status_meaning(status));
}

BerthStatus berth_planner_find(BerthPlanner* planner, const BerthPlanQuery* query, BerthPlanResult* out) {
    *out = (BerthPlanResult){.reason = BERTH_PLAN_BUDGET, .goal = -1, .body_a = -1, .body_b = -1};
    if (query->start == NULL || query->goals == NULL || query->goal_count <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "plan: a start and at least one goal are expected");
    }
    if (bi_plan_is_stale(planner)) {
        return bi_fail(BERTH_ERR_STALE, "plan: the scene was edited since the planner was made");
    }

    BerthStatus status = begin(planner, query);
    if (status != BERTH_OK) {
        return status;
    }
    status = plant_start(planner, query, out);
    if (status == BERTH_OK && planner->trees[0].count > 0) {
        status = plant_goals(planner, query, out);
    }
    if (status != BERTH_OK) {
        return fail_search(status);
    }

    if (planner->trees[1].count > 0) {
        const SearchEnd end = search(planner, &status);
        if (end == SEARCH_FAILED) {
            return fail_search(status);
        }
        if (end == SEARCH_FOUND) {
            planner->goal = find_goal(planner);
            status = keep_two_points(planner) ? tell_path(planner, out) : fail_search(BERTH_ERR_MEMORY);
        }
    }
    out->stats = berth_planner_stats(planner);
    return status;
}

// ---- what was found --------------------------------------------------------------------------------------------

BerthStatus bi_plan_check_found(const BerthPlanner* planner) {
    if (bi_plan_is_stale(planner)) {
        return bi_fail(BERTH_ERR_STALE, "plan: the scene was edited since the planner was made");
    }
    return planner->path.count > 0 ? BERTH_OK : bi_fail(BERTH_ERR_ARGUMENT, "plan: no motion was found yet");
}

BerthStatus berth_planner_shorten(BerthPlanner* planner, BerthPlanResult* out) {
    BerthStatus status = bi_plan_check_found(planner);
    if (status != BERTH_OK) {
        return status;
    }
    planner->timing.is_set = false;
    status = bi_plan_shorten(planner);
    if (status != BERTH_OK) {
        return fail_search(status);
    }
    status = tell_path(planner, out);
    out->stats.states = count_states(planner);
    return status;
}

BerthPlanStats berth_planner_stats(const BerthPlanner* planner) {
    BerthPlanStats stats = planner->space.stats;
    stats.states = count_states(planner);
    return stats;
}

BerthStatus berth_planner_certificate(const BerthPlanner* planner, const BerthAllocator* allocator,
                                      BerthCertificate** out) {
    const BerthStatus status = berth_certificate_create(planner->space.motion, allocator, out);
    if (status == BERTH_OK) {
        berth_certificate_set_interpolation(*out, planner->timing.is_set ? "cubic" : "linear");
    }
    return status;
}

// One line of the motion, or one curve of it with its times.
static void give_segment(BerthPlanner* planner, int32_t index, BerthSegment* out) {
    const size_t values = (size_t)planner->space.value_count;
    const double* from = planner->rows + values * (size_t)index;
    if (planner->timing.is_set) {
        bi_timing_segment(planner, index, out);
    } else {
        *out = (BerthSegment){.value_count = (int32_t)values, .from = from, .to = from + values};
    }
}

// All lines or curves of the motion, one after the other.
static BerthStatus prove_rows(BerthPlanner* planner, const BerthMotionRequest* request, BerthPlanProof* out) {
    PlanSpace* space = &planner->space;
    const int32_t rows = planner->timing.is_set ? planner->timing.row_count : planner->path.count;
    for (int32_t i = 0; i + 1 < rows; ++i) {
        BerthSegment segment;
        give_segment(planner, i, &segment);
        BerthMotionResult result;
        const BerthStatus status = bi_motion_check_by_bodies(space->motion, &segment, request, &result);
        if (status != BERTH_OK) {
            return fail_search(status);
        }
        if (result.verdict != BERTH_FREE) {
            out->verdict = result.verdict;
            return bi_space_poll_stop(space) == SPACE_CANCELLED ? fail_search(BERTH_ERR_CANCELLED) : BERTH_OK;
        }

        result.self.segment = result.environment.segment = i;
        berth_clearance_lower(&out->self, &result.self);
        berth_clearance_lower(&out->environment, &result.environment);
        berth_motion_stats_add(&out->stats, &result.stats);
        out->proven_count = result.proven_count > out->proven_count ? result.proven_count : out->proven_count;
    }
    out->verdict = BERTH_FREE;
    return BERTH_OK;
}

BerthStatus berth_planner_certify(BerthPlanner* planner, bool sharp, BerthCertificate* certificate,
                                  BerthPlanProof* out) {
    const BerthClearance none = {.lower = INFINITY, .upper = INFINITY, .body_a = -1, .body_b = -1};
    *out = (BerthPlanProof){.self = none, .environment = none};
    BerthStatus status = bi_plan_check_found(planner);
    if (status != BERTH_OK) {
        return status;
    }

    // A motion that was found in time is proven however late it is.
    const BerthMotionRequest request = {.sharp_clearance = sharp, .certificate = certificate};
    planner->space.patient = true;
    planner->space.stop = SPACE_GOES_ON;
    status = prove_rows(planner, &request, out);
    planner->space.patient = false;
    return status;
}
