// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The smallest gap of a free motion, from both sides: motions whose gap is known by hand, random worlds against the brute model,
// real robots against FCL and KDL (2,000 motions in the long form); own links and others apart, with margins of their own;
// tracking errors; a search that is cut short says so. `unknown` names a pair.
// test-share: 0.25

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io.h>

#include "math/math.h"
#include "support/cells.h"
#include "support/judge.h"
#include "support/kit.h"
#include "support/robots.h"
#include "support/setting.h"

static const BerthMethod provers[] = {BERTH_METHOD_SECOND_ORDER, BERTH_METHOD_ADAPTIVE, BERTH_METHOD_REFINED};
enum { PROVERS = 3 };

static BerthMotionCheckerDef def_of(BerthMethod method) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.method = method;
    return def;
}

static BerthMotionResult ask(const Kit* kit, const BerthMotionCheckerDef* def, const double* from,
                             const double* to) {
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(kit->scene, def, &motion), BERTH_OK);
    const BerthMotionRequest request = {.sharp_clearance = true};
    const BerthSegment segment = {.value_count = berth_scene_value_count(kit->scene), .from = from, .to = to};
    BerthMotionResult r;
    assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
    berth_motion_checker_destroy(motion);
    return r;
}

// Both bounds are about `truth`, and `share` of it is proven.
static void expect_bounds(const BerthClearance* c, double truth, double share, const char* what) {
    if (!(c->lower <= truth + 1e-12) || !(c->upper >= truth - 1e-12) || !(c->upper <= truth * 1.2 + 1e-12) ||
        !(c->lower >= share * truth)) {
        fail_msg("%s: [%.12g, %.12g], truth %.12g", what, c->lower, c->upper, truth);
    }
}

// A rod of 1 m sweeps 1 mm over a ball: was told 0.38 mm by second-order, 0.01 by refined and 7e-13 by adaptive.
static void test_rod_over_a_ball(void** state) {
    (void)state;
    for (int m = 0; m < PROVERS; ++m) {
        Kit kit = kit_new();
        const int rod = kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0));
        kit_solid(&kit, rod, kit_box(1, 0.02, 0.02), v3(0.5, 0, 0));
        kit_robot(&kit, NULL);
        kit_object(&kit, kit_ball(0.05), kit_at(0.7, 0, -0.061), NULL);
        kit_commit(&kit);

        const BerthMotionCheckerDef def = def_of(provers[m]);
        const double from = -1.1, to = 0.9;
        const BerthMotionResult r = ask(&kit, &def, &from, &to);
        assert_int_equal(r.verdict, BERTH_FREE);
        expect_bounds(&r.environment, 0.001, 0.7, "a rod over a ball");
        assert_true(r.clearance == r.environment.lower && !r.environment.spent);
        assert_true(r.environment.body_a >= 0 && r.environment.body_b >= 0);
        assert_true(r.self.lower == (double)INFINITY && r.self.upper == (double)INFINITY);
        const double apart = v3_distance(r.environment.point_a, r.environment.point_b);
        assert_true(fabs(apart - r.environment.upper) < 1e-12);
        kit_free(&kit);
    }
}

// Two links slide past each other 20 mm apart, the first 100 mm from a wall.
static Kit make_slider(void) {
    Kit kit = kit_new();
    const int a = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
    const int b = kit_link(&kit, a, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
    kit_solid(&kit, a, kit_box(0.1, 0.1, 0.1), v3(0, 0, 0));
    kit_solid(&kit, b, kit_box(0.1, 0.1, 0.1), v3(0, 0.12, 0));
    const int none[] = {-1};
    kit_robot(&kit, none);
    kit_object(&kit, kit_box(4, 0.1, 0.1), kit_at(0, -0.2, 0), NULL);
    kit_commit(&kit);
    return kit;
}

static void test_own_links_apart(void** state) {
    (void)state;
    const double from[2] = {-0.5, -0.4}, to[2] = {0.5, 0.6};
    for (int m = 0; m < PROVERS; ++m) {
        Kit kit = make_slider();
        BerthMotionCheckerDef def = def_of(provers[m]);
        BerthMotionResult r = ask(&kit, &def, from, to);
        assert_int_equal(r.verdict, BERTH_FREE);
        expect_bounds(&r.self, 0.02, 0.7, "own links");
        expect_bounds(&r.environment, 0.1, 0.7, "a wall");
        assert_true(r.clearance == r.self.lower);
        BerthClearance both = r.environment;
        berth_clearance_lower(&both, &r.self);
        assert_true(both.lower == r.self.lower && both.upper == r.self.upper && both.body_b == r.self.body_b);

        // One margin for all, then own links on their own, then a wall that is too near.
        def.margin = 0.05;
        r = ask(&kit, &def, from, to);
        assert_int_equal(r.verdict, BERTH_COLLISION);
        def.self_margin = 0.01;
        r = ask(&kit, &def, from, to);
        assert_int_equal(r.verdict, BERTH_FREE);
        assert_true(r.self.lower >= 0.01 && r.environment.lower >= 0.05);
        expect_bounds(&r.self, 0.02, 0.7, "own links, with margins");
        expect_bounds(&r.environment, 0.1, 0.7, "a wall, with margins");
        def.self_margin = 0.03;
        assert_int_equal(ask(&kit, &def, from, to).verdict, BERTH_COLLISION);
        def.self_margin = 0.01;
        def.margin = 0.11;
        assert_int_equal(ask(&kit, &def, from, to).verdict, BERTH_COLLISION);
        kit_free(&kit);
    }
}

// Errors of 5 mm and 2 mm: own links slide along each other, so only the wall's gap could change, and that by nothing across it
// that the bounds know of.
static void test_tracking_error_comes_off_both(void** state) {
    (void)state;
    const double error[2] = {0.005, 0.002};
    const double from[2] = {-0.5, -0.4}, to[2] = {0.5, 0.6};
    Kit kit = make_slider();
    BerthMotionCheckerDef def = def_of(BERTH_METHOD_DEFAULT);
    def.tracking_error = error;
    const BerthMotionResult r = ask(&kit, &def, from, to);
    assert_int_equal(r.verdict, BERTH_FREE);
    expect_bounds(&r.self, 0.02 - error[1], 0.7, "own links with an error");
    expect_bounds(&r.environment, 0.1 - error[0], 0.7, "a wall with an error");
    kit_free(&kit);
}

/// Says yes from some call on.
typedef struct Patience {
    int64_t calls, most;
} Patience;

static bool is_over(void* user) {
    Patience* patience = user;
    return ++patience->calls > patience->most;
}

// Cut short anywhere: the verdict's own bound is told, or a better one; never more than there is; and that it was cut.
static void test_cut_short(void** state) {
    (void)state;
    const double from[2] = {-0.5, -0.4}, to[2] = {0.5, 0.6};
    Kit kit = make_slider();
    int spent = 0, unknown = 0;
    for (int64_t most = 0; most < 60; ++most) {
        Patience patience = {0, most};
        BerthMotionCheckerDef def = def_of(BERTH_METHOD_DEFAULT);
        def.cancelled = is_over;
        def.cancelled_user = &patience;
        const BerthMotionResult r = ask(&kit, &def, from, to);
        unknown += r.verdict == BERTH_UNKNOWN;
        if (r.verdict == BERTH_FREE) {
            spent += r.self.spent || r.environment.spent;
            expect_bounds(&r.self, 0.02, r.self.spent ? 0.0 : 0.7, "own links, cut short");
            expect_bounds(&r.environment, 0.1, r.environment.spent ? 0.0 : 0.7, "a wall, cut short");
        } else {
            assert_true(r.reason == BERTH_REASON_BUDGET && r.body_a >= 0 && r.body_b >= 0);
        }
    }
    assert_true(spent > 0 && unknown > 0);
    kit_free(&kit);
}

// Random worlds: the brute model in long double finds the smallest gap, with a bound from below by a crude speed.
static void test_random_worlds(void** state) {
    (void)state;
    int free = 0, sharp = 0, asked = 0, spent = 0;
    for (int i = 0; i < test_scaled(240); ++i) {
        Random random = {(uint64_t)(91000 + i)};
        Course course;
        World* world = segment_world(&random, i % 3 == 0 ? WORLD_PLAIN : WORLD_CONVEX);
        BerthChecker* checker = segment_checker(world->scene);
        segment_free(&random, world, checker, &course);
        const SegmentAsk wanted = {.delta = 1e-4, .method = provers[i % PROVERS]};
        BerthMotionChecker* motion = segment_motion(world->scene, &wanted);
        const BerthMotionRequest request = {.sharp_clearance = true};
        const BerthSegment segment = course_segment(&course);
        BerthMotionResult r;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);

        if (r.verdict == BERTH_FREE && r.clearance < 10) {
            const Lowest lowest =
                course_lowest(&course, course_speed(&course, world), 1e-4, 0, 400, course_brute_gap, world);
            BerthClearance all = r.environment;
            berth_clearance_lower(&all, &r.self);
            double values[COURSE_VALUES];
            course_values(&course, all.t, values);
            const double there = course_brute_gap(world, values);
            if (!(all.lower <= lowest.gap + 1e-9) || !(all.upper >= lowest.bound - 1e-9) ||
                !(there <= all.upper + 1e-6) || !(all.lower <= all.upper)) {
                fail_msg("world %d (%s): [%.12g, %.12g] at %.12g, where the gap is %.12g; least found %.12g",
                         i, berth_method_name(wanted.method), all.lower, all.upper, all.t, there, lowest.gap);
            }
            free += 1;
            asked += all.upper > 1e-3;
            sharp += all.upper > 1e-3 && all.lower >= 0.7 * all.upper;
            spent += all.spent;
        }
        berth_motion_checker_destroy(motion);
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    print_message("report random worlds: %d free, %d of %d with lower >= 0.7 upper, %d spent\n", free, sharp,
                  asked, spent);
    assert_true(free > 0 && sharp * 10 >= asked * 9);
}

// Real robots among things: FCL's distances at KDL's poses, a thousand and more on each motion.
static void judge_robot(const char* name, double reach, int wanted) {
    if (!BERTH_HAVE_ORACLES) {
        TEST_SKIP("built without FCL and KDL");
    }
    const TestRobot* which = test_robot_named(name);
    char urdf[4096];
    BerthRobot* robot = test_read_robot(which, true, true);
    if (robot == NULL || !test_shared_path(urdf, sizeof urdf, which->urdf)) {
        TEST_SKIP("%s is not in the shared folder", name);
    }

    static const double blunt = 4e-5;  // sides of prisms are inside of cylinders by so much at most
    int free = 0, sharp = 0, asked = 0;
    double nearest = INFINITY;
    for (int scene = 0; free < wanted; ++scene) {
        Random random = {(uint64_t)(92000 + scene)};
        Cell cell = cell_open(&random, name, robot, reach, scene % CELL_KINDS);
        Judge* judge = judge_open(cell.scene, robot, urdf, cell.padding);
        assert_non_null(judge);
        const SegmentAsk how = {.delta = 1e-4, .method = provers[scene % PROVERS]};
        BerthMotionChecker* motion = segment_motion(cell.scene, &how);
        for (int k = 0; k < 6 && free < wanted; ++k) {
            Course course;
            cell_course(&random, &cell, segment_log_between(&random, 0.02, 0.5), &course);
            const BerthMotionRequest request = {.sharp_clearance = true};
            const BerthSegment segment = course_segment(&course);
            BerthMotionResult r;
            assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &r), BERTH_OK);
            if (r.verdict != BERTH_FREE) {
                continue;
            }

            BerthClearance all = r.environment;
            berth_clearance_lower(&all, &r.self);
            double values[COURSE_VALUES];
            course_values(&course, all.t, values);
            const double there = judge_gap(judge, values);
            const JudgeFound found = judge_course(judge, &course);
            const double least = fmin(found.gap, there);
            if (!(all.lower <= least + 1e-9) || !(least <= all.upper + blunt)) {
                fail_msg("%s, scene %d, %d: [%.12g, %.12g]; FCL finds %.12g, and %.12g at t = %.12g", name,
                         scene, k, all.lower, all.upper, found.gap, there, all.t);
            }
            free += 1;
            nearest = fmin(nearest, least - all.lower);
            asked += all.upper > 1e-3;
            sharp += all.upper > 1e-3 && all.lower >= 0.7 * all.upper;
        }
        berth_motion_checker_destroy(motion);
        judge_close(judge);
        cell_close(&cell);
    }
    print_message(
        "report %s: FCL within the bounds of %d free motions, nearest %.3g above the lower one; %d of "
        "%d with lower >= 0.7 upper\n",
        name, free, nearest, sharp, asked);
    assert_true(sharp * 10 >= asked * 9);
    berth_robot_destroy(robot);
}

static void test_panda(void** state) {
    (void)state;
    judge_robot("panda", 1.5, test_is_long() ? test_scaled(700) : 2);
}

static void test_panda_capsules(void** state) {
    (void)state;
    judge_robot("panda_capsules", 1.5, test_is_long() ? test_scaled(900) : 6);
}

static void test_ur5(void** state) {
    (void)state;
    judge_robot("ur5", 1.3, test_is_long() ? test_scaled(400) : 1);
}

int test_motion_clearance(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_over_a_ball),
        cmocka_unit_test(test_own_links_apart),
        cmocka_unit_test(test_tracking_error_comes_off_both),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_random_worlds),
        cmocka_unit_test(test_panda),
        cmocka_unit_test(test_panda_capsules),
        cmocka_unit_test(test_ur5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
