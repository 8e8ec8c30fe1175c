// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Charts: what a lookup tells of two groups of links with one or two values between them, against the distance of the bodies
// themselves in the same state. Every chart of real robots with meshes. Lookups that take off nothing for the way to the middle of
// the cell must be found out.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "check/check.h"
#include "lanes/lanes.h"
#include "support/places.h"
#include "support/setting.h"

enum { STATES = 4000, LOOKUPS_ENOUGH = 400 };  // with fewer lookups none needs to be found out

/// What was looked up.
typedef struct Count {
    int64_t lookups, told, wrong, wrong_without;
    int64_t met, met_wrong, met_wrong_without;  // told that bodies are in each other
    double nearest;                             // between what is told and the truth
} Count;

static double look_up(const LaneChart* chart, const double* values, double levers) {
    int cell[2];
    double lost = 0.0;
    for (int k = 0; k < 2; ++k) {
        double q = values[chart->value[k]];
        if (chart->period[k] > 0.0f) {
            q -= 2 * M_PI * nearbyint((q - (double)chart->middle[k]) / (2 * M_PI));
        }
        const double at = (q - (double)chart->origin[k]) * (double)chart->inverse[k];
        cell[k] = (int)fmin(fmax(at, 0.0), chart->size[k] - 1.0);
        lost += (double)chart->lever[k] * fabs(at - cell[k] - 0.5) / (double)chart->inverse[k];
    }
    return (double)chart->gap[cell[0] * chart->size[1] + cell[1]] - levers * lost;
}

// How deep the two bodies of a chart are in each other at least, as a lookup tells it; not above 0: it does not.
static double look_up_depth(const LaneChart* chart, const double* values, double levers) {
    const double gap = look_up(chart, values, 0.0);
    return gap > (double)LANE_UNSURE ? -gap - levers * (gap - look_up(chart, values, 1.0)) : 0.0;
}

static bool deep_bodies_meet(BerthChecker* checker, const BerthLanes* lanes, const LaneChart* chart) {
    const int32_t a = lanes->model.clusters[chart->deep[0]].body,
                  b = lanes->model.clusters[chart->deep[1]].body;
    const int32_t pair = bi_scene_find_pair(lanes->scene, a < b ? a : b, a < b ? b : a);
    const PairRequest wanted = {.max_d = 0.0};
    BerthTreeAnswer answer;
    assert_true(pair >= 0);
    bi_check_pair(checker, &lanes->scene->pairs[pair], &wanted, &answer);
    return answer.verdict == BERTH_COLLISION;
}

static int group_of(const BerthLanes* lanes, int32_t body) {
    for (int32_t c = 0; c < lanes->model.cluster_count; ++c) {
        if (lanes->model.clusters[c].body == body) {
            return lanes->model.clusters[c].group;
        }
    }
    return -1;
}

// The smallest distance that was witnessed between bodies of the two groups.
static double true_gap(BerthChecker* checker, const BerthLanes* lanes, const KernelPair* pair) {
    const BerthScene* scene = lanes->scene;
    double least = INFINITY;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* bodies = &scene->pairs[i];
        const int a = group_of(lanes, bodies->body_a), b = group_of(lanes, bodies->body_b);
        if (a == pair->group_a && b == pair->group_b && !bodies->constant) {
            const PairRequest wanted = {.max_d = INFINITY, .distance = true, .true_gap = true};
            BerthTreeAnswer answer;
            bi_check_pair(checker, bodies, &wanted, &answer);
            least = fmin(least, answer.upper + bodies->padding);
        }
    }
    return least;
}

static void look_at_robot(PlaceRobot robot, Count* count) {
    Place place;
    BerthLanes* lanes = NULL;
    BerthChecker* checker = NULL;
    const BerthLanesDef lanes_def = berth_default_lanes_def();
    const BerthCheckerDef def = berth_default_checker_def();
    if (!place_open(&place, robot, PLACE_PROBLEM, 1)) {
        TEST_SKIP("charts: files of %s are not there", place_robot_names[robot]);
    }
    assert_int_equal(berth_lanes_create(place.scene, &lanes_def, &lanes), BERTH_OK);
    assert_int_equal(berth_checker_create(place.scene, &def, &checker), BERTH_OK);
    assert_non_null(lanes);

    Random random = {(uint64_t)robot + 3};
    for (int i = 0; i < test_scaled(STATES); ++i) {
        double values[COURSE_VALUES];
        place_values(&place, &random, values);
        assert_true(bi_check_place(checker, values));
        for (int32_t p = 0; p < lanes->model.pair_count; ++p) {
            const KernelPair* pair = &lanes->model.pairs[p];
            if (pair->chart < 0) {
                continue;
            }
            const LaneChart* chart = &lanes->model.charts[pair->chart];
            const double told = look_up(chart, values, 1.0);
            const double truth = fmax(true_gap(checker, lanes, pair), 0.0);
            count->lookups += 1;
            count->told += told > 0.0;
            count->wrong += told > 0.0 && told > truth;
            count->wrong_without += look_up(chart, values, 0.0) > truth;
            count->nearest = told > 0.0 ? fmin(count->nearest, truth - told) : count->nearest;
            if (look_up_depth(chart, values, 0.0) > 0.0) {
                const bool met = look_up_depth(chart, values, 1.0) > 0.0;
                const bool meet = deep_bodies_meet(checker, lanes, chart);
                count->met += met;
                count->met_wrong += met && !meet;
                count->met_wrong_without += !meet;
            }
        }
    }
    berth_checker_destroy(checker);
    berth_lanes_destroy(lanes);
    place_close(&place);
}

static void test_charts_tell_no_more_than_there_is(void** state) {
    (void)state;
    Count count = {.nearest = INFINITY};
    look_at_robot(PLACE_PANDA, &count);
    if (test_is_whole()) {  // layouts take the time elsewhere
        look_at_robot(PLACE_UR5, &count);
        look_at_robot(PLACE_FANUC, &count);
    }
    place_forget_robots();
    print_message(
        "report lanes charts: %lld lookups, %lld tell a gap, %lld more than there is, nearest %.2g m; "
        "%lld were the way to the middle not taken off; %lld tell that bodies meet, %lld that do not "
        "(%lld)\n",
        (long long)count.lookups, (long long)count.told, (long long)count.wrong, count.nearest,
        (long long)count.wrong_without, (long long)count.met, (long long)count.met_wrong,
        (long long)count.met_wrong_without);
    assert_int_equal(count.wrong, 0);
    assert_int_equal(count.met_wrong, 0);
    assert_true(count.met > count.lookups / 100);
    assert_true(count.told > count.lookups / 4);
    assert_true(count.wrong_without > 0 || count.lookups < LOOKUPS_ENOUGH);
}

int test_lanes_charts(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_charts_tell_no_more_than_there_is),
    };
    return cmocka_run_group_tests_name("lanes: charts", tests, NULL, NULL);
}
