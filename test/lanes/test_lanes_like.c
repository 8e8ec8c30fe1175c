// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lanes that are made like others, and checkers that use lanes. One robot in many cells: what is taken from the first cell must
// answer as what is made anew. And whoever asks check or motion with lanes gets the verdict of the bodies, with a witness that
// the bodies confirm.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "check/check.h"
#include "lanes/lanes.h"
#include "motion/motion.h"
#include "support/places.h"
#include "support/setting.h"

enum { CELLS = 6, STATES = 2000, SEGMENTS = 400 };

// Covers of meshes are most of what this costs: a second robot, and most cells, are for the long form.
static int count_cells(void) {
    return test_is_long() ? CELLS : 2;
}

/// What was compared.
typedef struct Count {
    int64_t states, segments, free, collisions, differ, differ_lanes, unconfirmed;
} Count;

static BerthLanes* make_lanes(const Place* place, const BerthLanes* like) {
    BerthLanesDef def = berth_default_lanes_def();
    BerthLanes* lanes = NULL;
    def.margin = place->margin;
    def.like = like;
    assert_int_equal(berth_lanes_create(place->scene, &def, &lanes), BERTH_OK);
    assert_non_null(lanes);
    return lanes;
}

static BerthChecker* make_checker(const Place* place, const BerthLanes* lanes) {
    BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    def.margin = place->margin;
    def.lanes = lanes;
    assert_int_equal(berth_checker_create(place->scene, &def, &checker), BERTH_OK);
    return checker;
}

static BerthMotionChecker* make_motion(const Place* place, const BerthLanes* lanes) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    def.margin = place->margin;
    def.lanes = lanes;
    assert_int_equal(berth_motion_checker_create(place->scene, &def, &motion), BERTH_OK);
    return motion;
}

// ---- like another ---------------------------------------------------------------------------------------------------

// The same answers from both, of 16 states at a time and of segments.
static void compare_layouts(const Place* place, const BerthLanes* anew, const BerthLanes* like,
                            Random* random, Count* count) {
    LanesQuery *a = NULL, *b = NULL;
    const int32_t n = place->scene->value_count;
    assert_int_equal(bi_lanes_query_create(anew, &a), BERTH_OK);
    assert_int_equal(bi_lanes_query_create(like, &b), BERTH_OK);
    for (int i = 0; i < test_scaled(STATES) / LANES + 1; ++i) {
        double values[LANES * COURSE_VALUES];
        uint8_t one[LANES], other[LANES];
        for (int lane = 0; lane < LANES; ++lane) {
            place_values(place, random, values + lane * n);
        }
        assert_true(bi_lanes_ask_states(a, values, n, LANES, one));
        assert_true(bi_lanes_ask_states(b, values, n, LANES, other));
        for (int lane = 0; lane < LANES; ++lane) {
            count->states += 1;
            count->free += one[lane] == LANES_FREE;
            count->collisions += one[lane] == LANES_HIT;
            count->differ_lanes += one[lane] != other[lane];
        }
    }

    for (int i = 0; i < test_scaled(SEGMENTS); ++i) {
        Course course;
        double row[2 * COURSE_VALUES];
        LanesSegmentAnswer one, other;
        place_course(place, random, &course);
        memcpy(row, course.from, (size_t)n * sizeof *row);
        memcpy(row + n, course.to, (size_t)n * sizeof *row);
        bi_lanes_ask_segments(a, row, 2 * n, 1, 1e-4, &one);
        bi_lanes_ask_segments(b, row, 2 * n, 1, 1e-4, &other);
        count->segments += 1;
        count->differ_lanes += one.verdict != other.verdict;
    }
    bi_lanes_query_destroy(a);
    bi_lanes_query_destroy(b);
}

static void test_like_is_as_anew(void** state) {
    (void)state;
    static const PlaceRobot robots[] = {PLACE_PANDA, PLACE_UR5};
    Count count = {0};
    int taken = 0;
    for (size_t r = 0; r < (test_is_long() ? sizeof robots / sizeof robots[0] : 1); ++r) {
        Place first, place;
        Random random = {r + 41};
        if (!place_open(&first, robots[r], PLACE_PROBLEM, 1)) {
            TEST_SKIP("lanes like others: files of %s are not there", place_robot_names[robots[r]]);
        }
        BerthLanes* root = make_lanes(&first, NULL);
        for (int cell = 0; cell < count_cells(); ++cell) {
            const PlaceKind kind = (PlaceKind)(cell % PLACE_KINDS);  // problems, then thin plates
            assert_true(place_open(&place, robots[r], kind, (uint64_t)cell + 5));
            BerthLanes* anew = make_lanes(&place, NULL);
            BerthLanes* like = make_lanes(&place, root);
            taken += like->model.charts == root->model.charts && root->model.chart_count > 0;
            compare_layouts(&place, anew, like, &random, &count);
            berth_lanes_destroy(like);
            berth_lanes_destroy(anew);
            place_close(&place);
        }
        berth_lanes_destroy(root);
        place_close(&first);
    }
    place_forget_robots();
    print_message(
        "report lanes like: %lld states, %lld segments, %lld free, %lld hits, %lld differ; taken in %d "
        "cells\n",
        (long long)count.states, (long long)count.segments, (long long)count.free,
        (long long)count.collisions, (long long)count.differ_lanes, taken);
    assert_int_equal(count.differ_lanes, 0);
    assert_true(taken >= (test_is_long() ? 4 : 1) && count.free > count.states / 20 && count.collisions > 0);
}

// A cell of the robot of `from` and one box, which is turned about all axes.
static Place make_cell(const Place* from, double turn) {
    Place place = {.margin = from->margin, .dense = from->dense};
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    const BerthPose at = bi_pose_axis_angle(v3_scale(v3(1, 2, 3), 1.0 / sqrt(14.0)), turn, v3(0.5, 0.1, 0.4));
    def.robot = from->scene->robots[0].robot;
    assert_int_equal(berth_scene_create(NULL, &place.scene), BERTH_OK);
    assert_int_equal(berth_scene_add_robot(place.scene, &def, NULL), BERTH_OK);
    assert_int_equal(berth_scene_add_box(place.scene, "box", v3(0.3, 0.2, 0.1), &at, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(place.scene), BERTH_OK);
    return place;
}

// Lanes lie along the boxes of their cell: frames and balls are rounded in other ways where that is another direction. What is
// taken over all the same must answer as what is made anew, both ways round.
static void test_axes_may_differ(void** state) {
    (void)state;
    Place first;
    if (!place_open(&first, PLACE_PANDA, PLACE_PROBLEM, 1)) {
        TEST_SKIP("lanes like others: files of %s are not there", place_robot_names[PLACE_PANDA]);
    }
    Place cells[2] = {make_cell(&first, 0.0), make_cell(&first, 0.7)};
    BerthLanes* anew[2] = {make_lanes(&cells[0], NULL), make_lanes(&cells[1], NULL)};
    assert_true(v3_distance(anew[0]->world_from_lane.x, anew[1]->world_from_lane.x) > 0.1);
    Count count = {0};
    int taken = 0;
    for (int i = 0; i < 2; ++i) {
        Random random = {(uint64_t)i + 5};
        BerthLanes* like = make_lanes(&cells[i], anew[1 - i]);
        taken += like->model.charts == anew[1 - i]->model.charts &&
                 like->model.leaf_pairs == anew[1 - i]->model.leaf_pairs;
        compare_layouts(&cells[i], anew[i], like, &random, &count);
        berth_lanes_destroy(like);
    }
    print_message(
        "report lanes along other axes: %lld states, %lld segments, %lld free, %lld hits, %lld differ; taken "
        "%d times\n",
        (long long)count.states, (long long)count.segments, (long long)count.free,
        (long long)count.collisions, (long long)count.differ_lanes, taken);
    assert_int_equal(taken, 2);
    assert_int_equal(count.differ_lanes, 0);
    assert_true(count.free > count.states / 20 && count.collisions > 0);
    for (int i = 0; i < 2; ++i) {
        berth_lanes_destroy(anew[i]);
        berth_scene_destroy(cells[i].scene);
    }
    place_close(&first);
    place_forget_robots();
}

// What robots have in common is all or nothing: another margin, other limits, another robot, a scene that was edited.
static void test_what_differs_is_made_anew(void** state) {
    (void)state;
    Place first, other;
    if (!place_open(&first, PLACE_PANDA, PLACE_PROBLEM, 1)) {
        TEST_SKIP("lanes like others: files of %s are not there", place_robot_names[PLACE_PANDA]);
    }
    assert_true(place_open(&other, PLACE_FANUC, PLACE_PROBLEM, 1));
    BerthLanes* root = make_lanes(&first, NULL);
    BerthLanes* foreign = make_lanes(&other, root);
    assert_ptr_not_equal(foreign->model.charts, root->model.charts);
    assert_ptr_not_equal(foreign->bodies[0].balls, root->bodies[0].balls);
    berth_lanes_destroy(foreign);

    BerthLanesDef def = berth_default_lanes_def();
    def.margin = first.margin + 0.01;
    def.like = root;
    BerthLanes* wider = NULL;
    assert_int_equal(berth_lanes_create(first.scene, &def, &wider), BERTH_OK);
    assert_ptr_equal(wider->bodies[0].balls, root->bodies[0].balls);
    assert_ptr_not_equal(wider->model.leaf_pairs, root->model.leaf_pairs);

    // And lanes are for the margins that they were made for, and for this scene.
    BerthCheckerDef checker_def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    checker_def.margin = first.margin;
    checker_def.lanes = wider;
    assert_int_equal(berth_checker_create(first.scene, &checker_def, &checker), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "margins"));
    checker_def.lanes = root;
    assert_int_equal(berth_checker_create(other.scene, &checker_def, &checker), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "another scene"));
    berth_lanes_destroy(wider);
    berth_lanes_destroy(root);
    place_close(&other);
    place_close(&first);
    place_forget_robots();
}

// ---- checkers with lanes --------------------------------------------------------------------------------------------

static void compare_states(const Place* place, const BerthLanes* lanes, Random* random, Count* count) {
    BerthChecker *plain = make_checker(place, NULL), *fast = make_checker(place, lanes);
    const BerthCheckRequest request = {0};
    for (int i = 0; i < test_scaled(STATES); ++i) {
        double values[COURSE_VALUES];
        BerthCheckResult one, other, again;
        place_values(place, random, values);
        assert_int_equal(berth_check_state(plain, values, &request, &one), BERTH_OK);
        assert_int_equal(berth_check_state(fast, values, &request, &other), BERTH_OK);
        count->states += 1;
        count->free += other.verdict == BERTH_FREE;
        count->collisions += other.verdict == BERTH_COLLISION;
        count->differ += one.verdict != other.verdict || one.proven_count != other.proven_count;
        if (other.verdict == BERTH_COLLISION) {
            const BerthHit hit = other.hits[0];
            const int32_t pair = bi_scene_find_pair(place->scene, hit.body_a, hit.body_b);
            assert_int_equal(bi_check_open(plain, values, &pair, 1, &again), BERTH_OK);
            count->unconfirmed += again.verdict != BERTH_COLLISION || other.hit_count != 1;
        }
    }
    berth_checker_destroy(plain);
    berth_checker_destroy(fast);
}

static void compare_segments(const Place* place, const BerthLanes* lanes, Random* random, Count* count) {
    BerthMotionChecker *plain = make_motion(place, NULL), *fast = make_motion(place, lanes);
    const BerthMotionRequest request = {0};
    for (int i = 0; i < test_scaled(SEGMENTS); ++i) {
        Course course;
        place_course(place, random, &course);
        const BerthSegment segment = {.value_count = course.count, .from = course.from, .to = course.to};
        BerthMotionResult one, other;
        assert_int_equal(berth_motion_check_segment(plain, &segment, &request, &one), BERTH_OK);
        assert_int_equal(berth_motion_check_segment(fast, &segment, &request, &other), BERTH_OK);
        count->segments += 1;
        count->free += other.verdict == BERTH_FREE;
        count->collisions += other.verdict == BERTH_COLLISION;
        count->differ +=
            one.verdict != other.verdict && one.verdict != BERTH_UNKNOWN && other.verdict != BERTH_UNKNOWN;
        if (other.verdict == BERTH_COLLISION) {
            double values[COURSE_VALUES];
            BerthCheckResult again;
            const int32_t low = other.body_a < other.body_b ? other.body_a : other.body_b;
            const int32_t pair = bi_scene_find_pair(place->scene, low, other.body_a + other.body_b - low);
            berth_segment_values(place->scene, &segment, other.t, values);
            assert_int_equal(bi_check_open(plain->checker, values, &pair, 1, &again), BERTH_OK);
            count->unconfirmed += again.verdict != BERTH_COLLISION;
            count->unconfirmed += again.hit_count == 1 && v3_distance(again.hits[0].point, other.point) > 0.5;
        }
    }
    berth_motion_checker_destroy(plain);
    berth_motion_checker_destroy(fast);
}

static void test_checkers_with_lanes_answer_alike(void** state) {
    (void)state;
    static const PlaceRobot robots[] = {PLACE_PANDA, PLACE_FANUC};
    Count count = {0};
    for (size_t r = 0; r < (test_is_long() ? sizeof robots / sizeof robots[0] : 1); ++r) {
        Place first;
        Random random = {r + 17};
        BerthLanes* root = NULL;
        const int kinds = test_is_whole() ? (int)PLACE_KINDS : 2;  // layouts take the time there
        for (int kind = 0; kind < kinds; ++kind) {
            Place place;
            if (!place_open(&place, robots[r], (PlaceKind)kind, 3)) {
                TEST_SKIP("checkers with lanes: files of %s are not there", place_robot_names[robots[r]]);
            }
            BerthLanes* lanes = make_lanes(&place, root);
            compare_states(&place, lanes, &random, &count);
            compare_segments(&place, lanes, &random, &count);
            if (root == NULL) {
                root = lanes;
                first = place;
            } else {
                berth_lanes_destroy(lanes);
                place_close(&place);
            }
        }
        berth_lanes_destroy(root);
        place_close(&first);
    }
    place_forget_robots();
    print_message(
        "report checkers with lanes: %lld states, %lld segments, %lld free, %lld collisions, %lld differ, "
        "%lld "
        "witnesses not confirmed\n",
        (long long)count.states, (long long)count.segments, (long long)count.free,
        (long long)count.collisions, (long long)count.differ, (long long)count.unconfirmed);
    assert_int_equal(count.differ, 0);
    assert_int_equal(count.unconfirmed, 0);
    assert_true(count.free > count.states / 10 && count.collisions > count.states / 10);
}

int test_lanes_like(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_is_as_anew),
        cmocka_unit_test(test_axes_may_differ),
        cmocka_unit_test(test_what_differs_is_made_anew),
        cmocka_unit_test(test_checkers_with_lanes_answer_alike),
    };
    return cmocka_run_group_tests_name("lanes: like others, and checkers that use them", tests, NULL, NULL);
}
