// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Planners on random robots of balls among plain obstacles, whose kinematics and distances are the test's own: every motion
// that is found, as it was found and shortened, keeps its distance all the way; it begins and ends in the given states, keeps
// limits, is the same for the same seed; starts and goals that are not free are told as what they are. And on examples with
// known answers: a wall with a gap, a wall without, values that may not change, budgets, cancellation, memory.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <berth/lab/plan.h>
#include <berth/lanes.h>
#include <berth/plan.h>

#include "plan/plan.h"
#include "scene/scene.h"
#include "support/kit.h"
#include "support/rigs.h"
#include "support/setting.h"
#include "support/starve.h"

enum { RIGS = 120, TRIES = 300 };

typedef struct Count {
    int64_t asked, by_lanes, by_own_lanes, found, straight, none, shorter, segments, told, refuted;
} Count;

// ---- random robots -----------------------------------------------------------------------------------------------

// A state whose smallest gap is at least `gap`, within limits. False when none was drawn.
static bool draw_free(Rig* rig, Random* random, double gap, double* out) {
    for (int i = 0; i < TRIES; ++i) {
        rig_values(rig, random, false, out);
        if (rig_is_within(rig, out) && rig_gap(rig, out) > gap) {
            return true;
        }
    }
    return false;
}

// Some rigs have balls that never move within obstacles: nothing is free there. The rig's own gap leaves such pairs out.
static bool is_hopeless(const Rig* rig, const double* values) {
    BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    BerthCheckResult result;
    def.margin = rig->margin;
    def.self_margin = rig->self_margin;
    assert_int_equal(berth_checker_create(rig->scene, &def, &checker), BERTH_OK);
    assert_int_equal(berth_check_state(checker, values, &(BerthCheckRequest){.all = true}, &result),
                     BERTH_OK);
    bool hopeless = false;
    for (int32_t i = 0; i < result.hit_count; ++i) {
        const int32_t pair = bi_scene_find_pair(rig->scene, result.hits[i].body_a, result.hits[i].body_b);
        hopeless = hopeless || rig->scene->pairs[pair].constant;
    }
    berth_checker_destroy(checker);
    return hopeless;
}

static void check_motion(Rig* rig, const BerthPlanResult* result, const double* start, const double* goal,
                         Count* count) {
    const int n = rig->value_count;
    const size_t bytes = (size_t)n * sizeof(double);
    assert_true(result->found && result->row_count >= 2);
    assert_memory_equal(result->rows, start, bytes);
    assert_memory_equal(result->rows + (ptrdiff_t)(result->row_count - 1) * n, goal, bytes);

    for (int row = 0; row + 1 < result->row_count; ++row) {
        Course course = {.count = n};
        memcpy(course.from, result->rows + (ptrdiff_t)row * n, bytes);
        memcpy(course.to, result->rows + (ptrdiff_t)(row + 1) * n, bytes);
        assert_true(rig_is_within(rig, course.from) && rig_is_within(rig, course.to));
        const double speed = rig_speed(rig, course.from, course.to);
        const Lowest lowest = course_lowest(&course, speed, 1e-6 * rig->size, 0.0, 300, rig_gap, rig);
        count->segments += 1;
        if (!(lowest.gap > 0.0)) {
            count->refuted += 1;
            print_message("rig %lu: gap %.3g at t %.9g of segment %d\n", (unsigned long)rig->seed, lowest.gap,
                          lowest.t, row);
        }
    }
}

// What answers about edges: a layout that the planner makes where it pays, as by default; one that it is given, here and there for
// few edges; or none, as comparisons ask for. Rigs that do not fit lanes have none in any case.
typedef enum Answers { ANSWERS_DEFAULT = 0, ANSWERS_GIVEN, ANSWERS_BODIES } Answers;

static Answers rig_answers(const Rig* rig) {
    return (Answers)(rig->seed / 3 % 3);  // each with every kind of planner
}

static BerthLanes* rig_lanes;

static void open_lanes(const Rig* rig) {
    BerthLanesDef def = berth_default_lanes_def();
    def.margin = rig->margin;
    def.self_margin = rig->self_margin;
    def.expected_segments = rig->seed % 2 == 1 ? 100 : 0;
    rig_lanes = NULL;
    if (rig_answers(rig) == ANSWERS_GIVEN) {
        assert_int_equal(berth_lanes_create(rig->scene, &def, &rig_lanes), BERTH_OK);
    }
}

static BerthPlannerDef rig_def(const Rig* rig, uint64_t seed) {
    BerthPlannerDef def = berth_default_planner_def();
    def.margin = rig->margin;
    def.self_margin = rig->self_margin;
    def.delta = 1e-4 * rig->size;
    def.seed = seed;
    def.sample_budget = 300;
    def.shorten_attempts = 60;
    def.lanes = rig_lanes;
    static const BerthPlannerLab by_bodies = {0};
    def.lab = rig_answers(rig) == ANSWERS_BODIES ? &by_bodies : NULL;
    static const BerthPlannerKind kinds[] = {BERTH_PLANNER_SBL, BERTH_PLANNER_DEFAULT, BERTH_PLANNER_PRM};
    def.kind = kinds[rig->seed % 3];
    return def;
}

static double motion_length(const BerthPlanResult* result, int n) {
    double length = 0.0;
    for (int row = 0; row + 1 < result->row_count; ++row) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i) {
            const double step = result->rows[(row + 1) * n + i] - result->rows[row * n + i];
            sum += step * step;
        }
        length += sqrt(sum);
    }
    return length;
}

static bool has_quats(const Rig* rig) {
    for (int i = 0; i < rig->link_count; ++i) {
        if (rig->links[i].type == BERTH_JOINT_FLOATING) {
            return true;
        }
    }
    return false;
}

/// What a search told of its edges. Points are start, goal and where edges end, in that order.
typedef struct Told {
    Rig* rig;
    BerthPlannerKind kind;
    int64_t edges, loose, refuted;
    double points[4096][RIG_VALUES];
    int point_count;
} Told;

static void add_told_point(Told* told, const double* point) {
    assert_true(told->point_count < 4096);
    memcpy(told->points[told->point_count++], point, (size_t)told->rig->value_count * sizeof *point);
}

// Each edge hangs on a point that was told before, and is free by the rig's own gap, unless the planner asks later.
static void take_edge(void* user, const BerthPlanEdge* edge) {
    Told* told = user;
    const size_t bytes = (size_t)told->rig->value_count * sizeof(double);
    bool hangs = false;
    for (int i = 0; i < told->point_count && !hangs; ++i) {
        hangs = memcmp(told->points[i], edge->from, bytes) == 0;
    }
    told->edges += 1;
    told->loose += !hangs;
    assert_true(edge->tree == 0 || edge->tree == 1);
    add_told_point(told, edge->to);

    Course course = {.count = told->rig->value_count};
    memcpy(course.from, edge->from, bytes);
    memcpy(course.to, edge->to, bytes);
    const double speed = rig_speed(told->rig, course.from, course.to);
    if (told->kind != BERTH_PLANNER_SBL) {
        told->refuted +=
            !(course_lowest(&course, speed, 1e-6 * told->rig->size, 0.0, 300, rig_gap, told->rig).gap > 0.0);
    }
}

// The same seed again: the same bytes, also when somebody watches.
static void check_repeats(Rig* rig, const BerthPlanQuery* query, const BerthPlanResult* first, Count* count) {
    const size_t bytes = (size_t)first->row_count * (size_t)rig->value_count * sizeof(double);
    BerthPlannerDef def = rig_def(rig, 5);
    static Told told;
    told = (Told){.rig = rig, .kind = def.kind};
    add_told_point(&told, query->start);
    add_told_point(&told, query->goals);
    def.grew = take_edge;
    def.grew_user = &told;
    BerthPlanner* planner = NULL;
    BerthPlanResult again;
    assert_int_equal(berth_planner_create(rig->scene, &def, &planner), BERTH_OK);
    // Nor does it matter what was asked before, but where a roadmap is kept.
    for (int i = 0; i < (def.kind == BERTH_PLANNER_PRM ? 1 : 2); ++i) {
        const int64_t before = told.edges;
        assert_int_equal(berth_planner_find(planner, query, &again), BERTH_OK);
        assert_true(def.kind == BERTH_PLANNER_SBL || told.edges - before <= again.stats.free_edges);
        assert_true(again.row_count == 2 || def.kind == BERTH_PLANNER_PRM || told.edges > before);
        assert_int_equal(berth_planner_shorten(planner, &again), BERTH_OK);
        assert_int_equal(again.row_count, first->row_count);
        assert_memory_equal(again.rows, first->rows, bytes);
        assert_true(again.stats.samples == first->stats.samples && again.stats.edges == first->stats.edges);
    }
    berth_planner_destroy(planner);
    // A roadmap's edges may lie between any of its points.
    assert_true(told.loose == 0 || def.kind == BERTH_PLANNER_PRM);
    count->told += told.edges;
    count->refuted += told.refuted;
}

static void plan_rig(Rig* rig, Random* random, Count* count) {
    double start[RIG_VALUES], goals[2][RIG_VALUES];
    const double spare = 2e-3 * rig->size;
    if (!draw_free(rig, random, spare, start) || !draw_free(rig, random, spare, goals[0]) ||
        is_hopeless(rig, start)) {
        return;
    }

    const BerthPlannerDef def = rig_def(rig, 5);
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    const BerthPlanQuery query = {start, goals[0], 1};
    assert_int_equal(berth_planner_create(rig->scene, &def, &planner), BERTH_OK);
    assert_int_equal(berth_planner_find(planner, &query, &result), BERTH_OK);
    count->asked += 1;
    if (!result.found) {
        assert_int_equal(result.reason, BERTH_PLAN_BUDGET);
        count->none += 1;
        berth_planner_destroy(planner);
        return;
    }

    count->found += 1;
    count->straight += result.row_count == 2;
    check_motion(rig, &result, start, goals[0], count);
    const double before = result.length;
    assert_int_equal(berth_planner_shorten(planner, &result), BERTH_OK);
    check_motion(rig, &result, start, goals[0], count);
    assert_true(result.length <= before * (1.0 + 1e-9));
    count->shorter += result.length < before;
    if (!has_quats(rig)) {
        const double length = motion_length(&result, rig->value_count);
        assert_true(fabs(length - result.length) <= 1e-9 * (1.0 + length));
    }

    BerthPlanProof proof;
    assert_int_equal(berth_planner_certify(planner, false, NULL, &proof), BERTH_OK);
    assert_int_equal(proof.verdict, BERTH_FREE);
    check_repeats(rig, &query, &result, count);
    count->by_own_lanes += planner->space.own_lanes != NULL;
    assert_true(rig_answers(rig) == ANSWERS_DEFAULT || planner->space.own_lanes == NULL);
    berth_planner_destroy(planner);
}

static void motions_are_free(void** state) {
    (void)state;
    Count count = {0};
    const int rigs = test_scaled(RIGS);
    for (int i = 0; i < rigs; ++i) {
        Rig* rig = rig_make((uint64_t)(1000 + i));
        Random random = {(uint64_t)i};
        if (rig->value_count > 0) {
            open_lanes(rig);
            count.by_lanes += rig_lanes != NULL;
            plan_rig(rig, &random, &count);
            berth_lanes_destroy(rig_lanes);
            rig_lanes = NULL;
        }
        rig_destroy(rig);
    }
    print_message(
        "%ld asked: %ld found, %ld of them straight, %ld made shorter; %ld segments, %ld edges told, %ld "
        "refuted\n",
        (long)count.asked, (long)count.found, (long)count.straight, (long)count.shorter, (long)count.segments,
        (long)count.told, (long)count.refuted);
    assert_true(count.refuted == 0);
    assert_true(!test_is_whole() ||
                (count.asked > rigs / 3 && count.by_lanes > rigs / 8 && count.by_own_lanes > rigs / 16));
    assert_true(count.found > count.straight && count.told > 0);
}

// Robots of meshes are laid out only when a question has asked so many edges that it pays. The next question begins without the
// layout, so that what was asked before does not change its answer.
static void layout_comes_with_edges(void** state) {
    (void)state;
    int64_t late = 0;
    const int rigs = test_scaled(60);
    for (int i = 0; i < rigs; ++i) {
        Rig* rig = rig_make((uint64_t)(3007 + 9 * i));  // of those that answer by default, by two trees
        Random random = {(uint64_t)i};
        double start[RIG_VALUES], goal[RIG_VALUES];
        if (rig->value_count == 0 || !draw_free(rig, &random, 2e-3 * rig->size, start) ||
            !draw_free(rig, &random, 2e-3 * rig->size, goal) || is_hopeless(rig, start)) {
            rig_destroy(rig);
            continue;
        }

        const BerthPlannerDef def = rig_def(rig, 7);
        assert_true(def.lanes == NULL && def.lab == NULL);
        BerthPlanner *planner = NULL, *other = NULL;
        BerthPlanResult result, again;
        const BerthPlanQuery query = {start, goal, 1}, back = {goal, start, 1};
        assert_int_equal(berth_planner_create(rig->scene, &def, &planner), BERTH_OK);
        assert_int_equal(berth_planner_create(rig->scene, &def, &other), BERTH_OK);
        PlanSpace *space = &planner->space, *fresh = &other->space;
        if (space->own_lanes != NULL) {
            // As if the layout were dear: after 12 edges, none of which a layout has answered.
            enum { DEAR = 12 };
            space->lanes_from = fresh->lanes_from = DEAR;
            assert_int_equal(berth_planner_find(planner, &back, &result), BERTH_OK);
            assert_true((result.stats.edges > DEAR) == (space->motion->lanes != NULL));
            late += result.stats.edges > DEAR;

            assert_int_equal(berth_planner_find(planner, &query, &result), BERTH_OK);
            assert_int_equal(berth_planner_find(other, &query, &again), BERTH_OK);
            assert_int_equal(result.stats.edges, again.stats.edges);
            assert_int_equal(result.row_count, again.row_count);
            if (result.found) {
                assert_memory_equal(result.rows, again.rows,
                                    (size_t)result.row_count * (size_t)rig->value_count * sizeof(double));
                assert_int_equal(berth_planner_shorten(planner, &result), BERTH_OK);
            }
        }
        berth_planner_destroy(planner);
        berth_planner_destroy(other);
        rig_destroy(rig);
    }
    assert_true(!test_is_whole() || late > 2);
}

// Starts and goals by the test's own gap: what is clearly inside or clearly free is told as such.
static void ends_are_told(void** state) {
    (void)state;
    int64_t starts = 0, goals = 0;
    const int rigs = test_scaled(60);
    for (int i = 0; i < rigs; ++i) {
        Rig* rig = rig_make((uint64_t)(5000 + i));
        Random random = {(uint64_t)i};
        double good[RIG_VALUES], bad[RIG_VALUES];
        bool hits = false;
        for (int k = 0; k < TRIES && !hits && rig->value_count > 0; ++k) {
            rig_values(rig, &random, false, bad);
            hits = rig_is_within(rig, bad) && rig_gap(rig, bad) < -1e-6 * rig->size;
        }
        if (hits && draw_free(rig, &random, 2e-3 * rig->size, good) && !is_hopeless(rig, good)) {
            const BerthPlannerDef def = rig_def(rig, 1);
            BerthPlanner* planner = NULL;
            BerthPlanResult result;
            assert_int_equal(berth_planner_create(rig->scene, &def, &planner), BERTH_OK);
            assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){bad, good, 1}, &result), BERTH_OK);
            assert_false(result.found);
            assert_int_equal(result.reason, BERTH_PLAN_START_COLLISION);
            assert_true(result.body_a >= 0 && result.body_b > result.body_a && result.rows == NULL);
            starts += 1;

            assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){good, bad, 1}, &result), BERTH_OK);
            assert_int_equal(result.reason, BERTH_PLAN_GOAL_COLLISION);
            assert_true(result.body_a >= 0 && result.goal == 0);
            assert_int_equal(berth_planner_shorten(planner, &result), BERTH_ERR_ARGUMENT);

            // One of several goals is enough.
            double both[2 * RIG_VALUES];
            memcpy(both, bad, (size_t)rig->value_count * sizeof *both);
            memcpy(both + rig->value_count, good, (size_t)rig->value_count * sizeof *both);
            assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){good, both, 2}, &result),
                             BERTH_OK);
            assert_true(result.found && result.goal == 1 && result.row_count == 2 && result.length == 0.0);
            goals += 1;
            berth_planner_destroy(planner);
        }
        rig_destroy(rig);
    }
    assert_true(starts > 0 && goals == starts);
}

// ---- a ball that slides in the plane -----------------------------------------------------------------------------

/// A ball of radius 0.1 that slides along x and y within 2 m, among walls.
static Kit make_slider(void) {
    Kit kit = kit_new();
    kit_limit(&kit, -2.0, 2.0);
    const int x = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, (BerthVec3){1, 0, 0}, (BerthVec3){0, 0, 0});
    kit_limit(&kit, -2.0, 2.0);
    const int y = kit_link(&kit, x, BERTH_JOINT_PRISMATIC, (BerthVec3){0, 1, 0}, (BerthVec3){0, 0, 0});
    kit_solid(&kit, y, kit_ball(0.1), (BerthVec3){0, 0, 0});
    kit_robot(&kit, NULL);
    return kit;
}

// From x = -1 to x = 1 there is a wall, 0.2 thick, with an opening around y = 1.5; or none.
static Kit make_walled(double opening) {
    Kit kit = make_slider();
    if (opening > 0.0) {
        kit_object(&kit, kit_box(0.2, 2.0 + 1.5 - 0.5 * opening, 1),
                   kit_at(0, -2.0 + 0.5 * (3.5 - 0.5 * opening), 0), NULL);
        kit_object(&kit, kit_box(0.2, 1.0, 1), kit_at(0, 1.5 + 0.5 * opening + 0.5, 0), NULL);
    } else {
        kit_object(&kit, kit_box(0.2, 9, 1), kit_at(0, 0, 0), NULL);
    }
    kit_commit(&kit);
    return kit;
}

static const double left[2] = {-1.0, -1.0}, right[2] = {1.0, -1.0};

static void gap_is_found(void** state) {
    (void)state;
    Kit kit = make_walled(0.3);
    BerthPlannerDef def = berth_default_planner_def();
    for (uint64_t seed = 0; seed < 20; ++seed) {
        BerthPlanner* planner = NULL;
        BerthPlanResult result;
        def.seed = seed;
        def.kind = (BerthPlannerKind)(BERTH_PLANNER_RRT_CONNECT + seed % 3);
        assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
        assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result), BERTH_OK);
        assert_true(result.found);
        assert_int_equal(berth_planner_shorten(planner, &result), BERTH_OK);
        // It touches the corners of the opening, 0.1 away: by hand 2 * hypot(1 - 0.1, 2.35) + 0.2 and a little more.
        const double least = 2.0 * hypot(0.9, 2.35) + 0.2;
        assert_true(result.length > least && result.length < 1.25 * least);

        BerthPlanProof proof;
        BerthCertificate* certificate = NULL;
        assert_int_equal(berth_planner_certificate(planner, NULL, &certificate), BERTH_OK);
        assert_int_equal(berth_planner_certify(planner, true, certificate, &proof), BERTH_OK);
        assert_int_equal(proof.verdict, BERTH_FREE);
        assert_true(proof.environment.lower > 0.0 && proof.environment.lower <= proof.environment.upper);
        assert_true(proof.environment.upper <= 0.05 + 1e-9);
        int64_t all = 0;
        assert_true(berth_certificate_segment_count(certificate, &all) == all && all == result.row_count - 1);
        berth_certificate_destroy(certificate);
        berth_planner_destroy(planner);
    }
    kit_free(&kit);
}

static bool count_to_end(void* user) {
    int* left_calls = user;
    return --*left_calls < 0;
}

// A wall without an opening: every budget ends it, with what it did.
static void check_budgets(BerthPlannerKind kind) {
    Kit kit = make_walled(0.0);
    const BerthPlanQuery query = {left, right, 1};
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    BerthPlannerDef def = berth_default_planner_def();
    def.kind = kind;
    def.sample_budget = 500;
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    assert_int_equal(berth_planner_find(planner, &query, &result), BERTH_OK);
    assert_true(!result.found && result.reason == BERTH_PLAN_BUDGET && result.rows == NULL &&
                result.row_count == 0);
    assert_true(result.stats.samples >= 500 && result.stats.samples < 510 && result.stats.states > 2 &&
                result.stats.edges >= result.stats.free_edges);
    berth_planner_destroy(planner);

    def.sample_budget = 10000000;
    def.state_limit = 100;
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    assert_int_equal(berth_planner_find(planner, &query, &result), BERTH_OK);
    assert_true(result.reason == BERTH_PLAN_BUDGET && result.stats.states >= 100 &&
                result.stats.states < 200);
    berth_planner_destroy(planner);

    // Late is an answer, cancelled is none.
    int calls = 300;
    def = berth_default_planner_def();
    def.kind = kind;
    def.late = count_to_end;
    def.late_user = &calls;
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    assert_int_equal(berth_planner_find(planner, &query, &result), BERTH_OK);
    // It is asked once a sample at least, but for up to 16 in a row that are passed by.
    assert_true(result.reason == BERTH_PLAN_BUDGET && result.stats.samples > 0 &&
                result.stats.samples <= 300 * 17);
    BerthPlanStats so_far = berth_planner_stats(planner);
    assert_memory_equal(&so_far, &result.stats, sizeof so_far);
    berth_planner_destroy(planner);

    calls = 300;
    def.late = NULL;
    def.cancelled = count_to_end;
    def.cancelled_user = &calls;
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    assert_int_equal(berth_planner_find(planner, &query, &result), BERTH_ERR_CANCELLED);
    assert_false(result.found);
    so_far = berth_planner_stats(planner);  // who stops a search can tell how far it was
    assert_true(so_far.samples > 0 && so_far.samples <= 300 * 17 && so_far.edges > 0);
    berth_planner_destroy(planner);
    kit_free(&kit);
}

static void budgets_end_it(void** state) {
    (void)state;
    check_budgets(BERTH_PLANNER_RRT_CONNECT);
    check_budgets(BERTH_PLANNER_SBL);
    check_budgets(BERTH_PLANNER_PRM);
}

// Time that ends while a motion is made shorter leaves a motion.
static void late_shortening_keeps_the_motion(void** state) {
    (void)state;
    Kit kit = make_walled(0.3);
    for (int calls = 0; calls < 200; calls += 3) {
        int left_calls = 1000000;
        BerthPlanner* planner = NULL;
        BerthPlanResult result;
        BerthPlanProof proof;
        BerthPlannerDef def = berth_default_planner_def();
        def.late = count_to_end;
        def.late_user = &left_calls;
        assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
        assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result), BERTH_OK);
        assert_true(result.found);
        left_calls = calls;
        const double before = result.length;
        assert_int_equal(berth_planner_shorten(planner, &result), BERTH_OK);
        assert_true(result.found && result.length <= before);
        assert_memory_equal(result.rows, left, sizeof left);
        assert_memory_equal(result.rows + 2 * (result.row_count - 1), right, sizeof right);
        assert_int_equal(berth_planner_certify(planner, false, NULL, &proof), BERTH_OK);
        assert_int_equal(proof.verdict, BERTH_FREE);
        berth_planner_destroy(planner);
    }
    kit_free(&kit);
}

// ---- what may change, and requests that make no sense -------------------------------------------------------------

static void values_may_be_held(void** state) {
    (void)state;
    Kit kit = make_walled(0.3);
    const bool moves[2] = {true, false};
    const double level[2] = {1.0, 1.5}, from[2] = {-1.0, 1.5};
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    BerthPlannerDef def = berth_default_planner_def();
    def.moves = moves;
    def.sample_budget = 200;
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){from, level, 1}, &result), BERTH_OK);
    assert_true(result.found && result.row_count == 2 && result.rows[1] == 1.5 && result.rows[3] == 1.5);

    // y may not change: at y = -1 the wall is closed, and another y is no goal.
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result), BERTH_OK);
    assert_int_equal(result.reason, BERTH_PLAN_BUDGET);
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, level, 1}, &result),
                     BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "goal 0"));
    berth_planner_destroy(planner);

    const double weights[2] = {1.0, 10.0};
    def = berth_default_planner_def();
    def.weights = weights;
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, from, 1}, &result), BERTH_OK);
    assert_true(result.found && fabs(result.length - 25.0) < 1e-9);
    berth_planner_destroy(planner);
    kit_free(&kit);
}

static void nonsense_is_refused(void** state) {
    (void)state;
    Kit kit = make_walled(0.3);
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    const bool none[2] = {false, false};
    const double zero[2] = {1.0, 0.0}, beyond[2] = {2.5, 0.0}, nan_state[2] = {NAN, 0.0};
    BerthPlannerDef bad[] = {berth_default_planner_def(), berth_default_planner_def(),
                             berth_default_planner_def(), berth_default_planner_def(),
                             berth_default_planner_def(), berth_default_planner_def(),
                             berth_default_planner_def(), berth_default_planner_def()};
    bad[0].stamp = 0;
    bad[1].kind = BERTH_PLANNER_KIND_COUNT;
    bad[2].sample_budget = 0;
    bad[3].state_limit = 3;
    bad[4].shorten_attempts = -1;
    bad[5].moves = none;
    bad[6].weights = zero;
    bad[7].margin = NAN;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(berth_planner_create(kit.scene, &bad[i], &planner), BERTH_ERR_ARGUMENT);
        assert_null(planner);
        assert_true(berth_error_text()[0] != '\0');
    }

    const BerthPlannerDef def = berth_default_planner_def();
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    BerthPlanProof proof;
    assert_int_equal(berth_planner_certify(planner, false, NULL, &proof), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 0}, &result),
                     BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){beyond, right, 1}, &result),
                     BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "start"));
    assert_non_null(strstr(berth_error_text(), "limits"));
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, nan_state, 1}, &result),
                     BERTH_ERR_ARGUMENT);

    // A scene that was edited is not the one that the planner knows.
    kit_object(&kit, kit_ball(0.1), kit_at(0, 0, 3), NULL);
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result),
                     BERTH_ERR_STALE);
    kit_commit(&kit);
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result),
                     BERTH_ERR_STALE);
    berth_planner_destroy(planner);
    berth_planner_destroy(NULL);
    kit_free(&kit);
}

// ---- memory --------------------------------------------------------------------------------------------------------

static BerthPlannerKind plan_kind;

static BerthStatus plan_once(void* user, const BerthAllocator* allocator) {
    const Kit* kit = user;
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    BerthPlannerDef def = berth_default_planner_def();
    def.allocator = *allocator;
    def.kind = plan_kind;
    BerthStatus status = berth_planner_create(kit->scene, &def, &planner);
    if (status == BERTH_OK) {
        status = berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result);
    }
    if (status == BERTH_OK) {
        assert_true(result.found);
        status = berth_planner_shorten(planner, &result);
    }
    berth_planner_destroy(planner);
    return status;
}

static void memory_may_end(void** state) {
    (void)state;
    Kit kit = make_walled(0.3);
    for (plan_kind = BERTH_PLANNER_RRT_CONNECT; plan_kind < BERTH_PLANNER_KIND_COUNT; ++plan_kind) {
        assert_true(starve(plan_once, &kit) > 20);
    }
    kit_free(&kit);
}

// What a planner holds does not grow beyond what the limit of states needs, and a second search takes nothing more.
static void check_memory(BerthPlannerKind kind) {
    Kit kit = make_walled(0.0);
    TestAllocator counts = {.fail_at = -1};
    const BerthAllocator allocator = test_allocator(&counts);
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    BerthPlannerDef def = berth_default_planner_def();
    def.allocator = allocator;
    def.kind = kind;
    def.state_limit = 20000;
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result), BERTH_OK);
    assert_int_equal(result.reason, BERTH_PLAN_BUDGET);
    const int64_t requests = counts.taken;
    assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result), BERTH_OK);
    assert_true(counts.taken == requests);
    berth_planner_destroy(planner);
    kit_free(&kit);
}

static void memory_is_bounded(void** state) {
    (void)state;
    check_memory(BERTH_PLANNER_RRT_CONNECT);
    check_memory(BERTH_PLANNER_PRM);
}

int test_plan_find(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_are_free),   cmocka_unit_test(layout_comes_with_edges),
        cmocka_unit_test(ends_are_told),      cmocka_unit_test(gap_is_found),
        cmocka_unit_test(budgets_end_it),     cmocka_unit_test(late_shortening_keeps_the_motion),
        cmocka_unit_test(values_may_be_held), cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(memory_may_end),     cmocka_unit_test(memory_is_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
