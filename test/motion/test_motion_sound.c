// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random segments of random robots and of real ones, half of them made to graze. What is called free must survive a
// search for its smallest gap (branch and bound over samples with a crude speed, judged by the brute model); what is
// called a hit must be one where it says; UNKNOWN is for gaps within the band, and exceptions are counted.
// test-share: 0.1

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <berth/io.h>

#include "math/math.h"
#include "support/cells.h"
#include "support/robots.h"
#include "support/setting.h"

enum { SEARCH = 400 };

// ---- random worlds --------------------------------------------------------------------------------------------

static void plain_segments(WorldStyle style, int worlds, int each, const char* what) {
    SegmentCount count = {.what = what};
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)(w * 10 + (int)style + 77)};
        count.seed = w;
        World* world = segment_world(&random, style);
        BerthChecker* checker = segment_checker(world->scene);
        SegmentAsk asks[2] = {segment_random_ask(&random), segment_random_ask(&random)};
        BerthMotionChecker* motions[2] = {segment_motion(world->scene, &asks[0]),
                                          segment_motion(world->scene, &asks[1])};
        Course course;
        for (int i = 0; i < each; ++i) {
            segment_free(&random, world, checker, &course);
            const bool brute = i % 32 == 0 && style == WORLD_CONVEX;  // the search itself by other code
            const double floor = fmin(asks[0].margin, asks[1].margin) - 1e-3;
            const Lowest lowest = course_lowest(&course, course_speed(&course, world), 1e-5, floor, SEARCH,
                                                brute ? course_brute_gap : course_checker_gap,
                                                brute ? (void*)world : (void*)checker);
            count.segments += 1;
            count.samples += lowest.samples;
            for (int k = 0; k < 2; ++k) {
                const BerthMotionResult r = segment_ask(motions[k], &course, i % 4 == 0);
                segment_judge(world, &course, &asks[k], &r, &lowest, &count);
            }
        }
        berth_motion_checker_destroy(motions[0]);
        berth_motion_checker_destroy(motions[1]);
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    segment_settle(&count);
}

static void test_convex(void** state) {
    (void)state;
    plain_segments(WORLD_CONVEX, test_scaled(240), 32, "convex");
}

static void test_plain(void** state) {
    (void)state;
    plain_segments(WORLD_PLAIN, test_scaled(40), 32, "plain");
}

static void test_grid(void** state) {
    (void)state;
    plain_segments(WORLD_GRID, test_scaled(20), 32, "grid");
}

static void test_far(void** state) {
    (void)state;
    plain_segments(WORLD_FAR, test_scaled(16), 32, "far");
}

static void test_uneven(void** state) {
    (void)state;
    plain_segments(WORLD_UNEVEN, test_scaled(20), 32, "uneven");
}

static void test_sliding(void** state) {
    (void)state;
    plain_segments(WORLD_SLIDING, test_scaled(25), 32, "sliding");
}

// ---- grazing --------------------------------------------------------------------------------------------------

static void ask_grazing(World* world, BerthChecker* checker, BerthMotionChecker* motion,
                        const SegmentAsk* ask, const Course* course, double speed, SegmentCount* count) {
    const Lowest lowest =
        course_lowest(course, speed, 1e-7, ask->margin - 2e-4, 160, course_checker_gap, checker);
    count->segments += 1;
    count->grazing += fabs(lowest.gap - ask->margin) <= 1.1e-4;
    count->samples += lowest.samples;
    const BerthMotionResult r = segment_ask(motion, course, false);
    segment_judge(world, course, ask, &r, &lowest, count);
}

static void grazing_segments(WorldStyle style, int worlds, const char* what) {
    SegmentCount count = {.what = what};
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)(w * 10 + (int)style + 7777)};
        count.seed = w;
        const SegmentAsk ask = segment_random_ask(&random);
        World* world = segment_world(&random, style);
        BerthChecker* checker = segment_checker(world->scene);
        Course course;
        segment_free(&random, world, checker, &course);
        berth_checker_destroy(checker);
        const double speed = course_speed(&course, world);
        static const double offs[6] = {1e-4, 1e-4, 1e-6, 1e-6, 1e-8, 5e-5};
        const double off = offs[segment_pick(&random, 6)] * bi_random_between(&random, -1, 1);
        const double target = ask.margin + off + (segment_pick(&random, 4) == 0 ? ask.delta : 0.0);
        Lowest lowest;
        // Where the margin is 0 a gap below it cannot be measured: come near, then go the rest of the way.
        const bool done = course_graze(world, &course, speed, fmax(target, 2e-5), &lowest);
        if (done) {
            if (target < 2e-5) {
                course_graze(world, &course, speed, target, &lowest);
            }
            checker = segment_checker(world->scene);
            BerthMotionChecker* motion = segment_motion(world->scene, &ask);
            ask_grazing(world, checker, motion, &ask, &course, speed, &count);
            if (!course.curved) {
                const Course back = course_reversed(&course);
                ask_grazing(world, checker, motion, &ask, &back, speed, &count);
                for (int k = 0; k < 8; ++k) {
                    const double wide = segment_log_between(&random, 1e-4, 0.5);
                    const double a = fmax(0, lowest.t - wide * bi_random_between(&random, 0, 1));
                    const double b = fmin(1, lowest.t + wide * bi_random_between(&random, 0, 1));
                    if (b - a > 1e-9) {
                        const Course part = course_part(&course, a, b);
                        ask_grazing(world, checker, motion, &ask, &part, speed * (b - a) * 1.0001, &count);
                    }
                }
            }
            berth_motion_checker_destroy(motion);
            berth_checker_destroy(checker);
        }
        world_destroy(world);
    }
    segment_settle(&count);
    assert_true(count.grazing * 4 > count.segments);  // or this test is about something else
}

static void test_grazing_convex(void** state) {
    (void)state;
    grazing_segments(WORLD_CONVEX, test_scaled(2000), "grazing convex");
}

static void test_grazing_plain(void** state) {
    (void)state;
    grazing_segments(WORLD_PLAIN, test_scaled(350), "grazing plain");
}

static void test_grazing_uneven(void** state) {
    (void)state;
    grazing_segments(WORLD_UNEVEN, test_scaled(150), "grazing uneven");
}

// ---- tracking errors ------------------------------------------------------------------------------------------

// The state at t with every value off by its error, up or down, whichever brings the bodies nearer: one value after the
// other, then once more.
static double worst_error(const Course* course, const double* error, double t, BerthChecker* checker) {
    double values[COURSE_VALUES];
    course_values(course, t, values);
    double best = course_checker_gap(checker, values);
    double sign[COURSE_VALUES] = {0};
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < course->count; ++i) {
            for (int side = -1; side <= 1; side += 2) {
                const double before = values[i];
                values[i] += (side - sign[i]) * error[i];
                const double gap = course_checker_gap(checker, values);
                if (gap < best) {
                    best = gap;
                    sign[i] = side;
                } else {
                    values[i] = before;
                }
            }
        }
    }
    return best;
}

// The largest of the errors, doubled again and again, that is still called free: then the bound is used up.
static double largest_free(World* world, SegmentAsk ask, const Course* course, double* error,
                           BerthMotionResult* out) {
    double unit[COURSE_VALUES], scale = 1e-5, best = 0;
    memcpy(unit, error, sizeof unit);
    ask.error = error;
    for (int k = 0; k < 40; ++k) {
        for (int i = 0; i < course->count; ++i) {
            error[i] = scale * unit[i];
        }
        BerthMotionChecker* motion = segment_motion(world->scene, &ask);
        const BerthMotionResult r = segment_ask(motion, course, false);
        berth_motion_checker_destroy(motion);
        if (r.verdict != BERTH_FREE || scale > 3) {
            break;
        }
        *out = r;
        best = scale;
        scale *= 2.5;
    }
    for (int i = 0; i < course->count; ++i) {
        error[i] = best * unit[i];
    }
    return best;
}

// Where an error leaves a motion unproven, it is left out for the rest of the search, which is for a witness. Who asks for the
// first contact is told the same with the error in every bound.
static void test_errors_left_out(void** state) {
    (void)state;
    int free_count = 0, hits = 0, unknown = 0;
    for (int w = 0; w < test_scaled(150); ++w) {
        Random random = {(uint64_t)w + 52000};
        World* world = segment_world(&random, w / 3 % 2 == 0 ? WORLD_CONVEX : WORLD_PLAIN);
        double error[COURSE_VALUES];
        const double size = segment_log_between(&random, 1e-3, 0.2);
        for (int i = 0; i < world->brute.value_count; ++i) {
            error[i] = size * bi_random_between(&random, 0, 1);
        }
        static const BerthMethod methods[3] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_ADAPTIVE,
                                               BERTH_METHOD_REFINED};
        SegmentAsk ask = {.method = methods[w % 3], .delta = 1e-3, .error = error};
        BerthMotionChecker* motion = segment_motion(world->scene, &ask);
        BerthChecker* checker = segment_checker(world->scene);
        for (int i = 0; i < 4; ++i) {
            Course course = {0};
            segment_free(&random, world, checker, &course);
            const BerthMotionResult quick = segment_ask(motion, &course, false);
            const BerthMotionResult whole = segment_ask(motion, &course, true);
            if ((quick.verdict == BERTH_FREE) != (whole.verdict == BERTH_FREE) ||
                (whole.verdict == BERTH_COLLISION && quick.verdict != BERTH_COLLISION)) {
                fail_msg("world %d: %d, but %d when the first contact is asked for", w, (int)quick.verdict,
                         (int)whole.verdict);
            }
            free_count += quick.verdict == BERTH_FREE;
            hits += quick.verdict == BERTH_COLLISION;
            unknown += quick.verdict == BERTH_UNKNOWN;
        }
        berth_checker_destroy(checker);
        berth_motion_checker_destroy(motion);
        world_destroy(world);
    }
    print_message("report errors left out: %d free, %d hits, %d unknown\n", free_count, hits, unknown);
    assert_true(!test_is_whole() || (free_count > 0 && hits > 0 && unknown > 0));
}

static void test_errors(void** state) {
    (void)state;
    SegmentCount count = {.what = "errors"};
    int64_t reached = 0;
    for (int w = 0; w < test_scaled(80); ++w) {
        Random random = {(uint64_t)w + 51000};
        count.seed = w;
        World* world = segment_world(&random, WORLD_CONVEX);
        BerthChecker* checker = segment_checker(world->scene);
        double error[COURSE_VALUES];
        const int only = segment_pick(&random, world->brute.value_count + 1);
        for (int i = 0; i < world->brute.value_count; ++i) {  // of one value, or of all
            error[i] = w % 2 == 0 && i != only ? 0.0 : bi_random_between(&random, 0.1, 1);
        }
        const SegmentAsk ask = segment_random_ask(&random);
        Course course;
        BerthMotionResult r = {0};
        segment_free(&random, world, checker, &course);
        const double scale = largest_free(world, ask, &course, error, &r);
        count.segments += 1;
        count.free += scale > 0;
        if (scale > 0) {
            const Lowest lowest = course_lowest(&course, course_speed(&course, world), 1e-4, ask.margin, 100,
                                                course_checker_gap, checker);
            for (int k = 0; k < 8; ++k) {
                const double t = k == 0 ? lowest.t : bi_random_between(&random, 0, 1);
                const double gap = worst_error(&course, error, t, checker);
                reached += k == 0 && gap < 0.5 * lowest.gap;
                if (!(gap > ask.margin) || !(gap >= r.clearance - 1e-12)) {
                    segment_wrong(&count,
                                  "FREE (%s, clearance %g, margin %g), but an error of %g leaves %g at %.17g",
                                  berth_method_name(ask.method), r.clearance, ask.margin, scale, gap, t);
                }
            }
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    segment_settle(&count);
    print_message("report errors: took away half of the clearance and more %lld times\n", (long long)reached);
    assert_true(count.free > 0);
}

// ---- real robots ----------------------------------------------------------------------------------------------

static void robot_segments(const char* name, double reach, int scenes, int each, double tip) {
    const TestRobot* which = test_robot_named(name);
    BerthRobot* robot = test_read_robot(which, true, true);
    if (robot == NULL) {
        TEST_SKIP("%s is not in the shared folder", name);
    }
    SegmentCount count = {.what = name};
    int64_t crossed = 0;
    for (int s = 0; s < scenes; ++s) {
        Random random = {(uint64_t)(1000 + s)};
        Cell cell = cell_open(&random, name, robot, reach, s);
        count.seed = s;
        SegmentAsk asks[SEGMENT_METHODS - 1];
        BerthMotionChecker* motions[SEGMENT_METHODS - 1];
        for (int k = 0; k < SEGMENT_METHODS - 1; ++k) {
            asks[k] = segment_random_ask(&random);
            asks[k].method = segment_methods[k + 1];
            asks[k].margin = k == 0 ? 0.0 : asks[k].margin;
            motions[k] = segment_motion(cell.scene, &asks[k]);
        }
        Course course;
        for (int i = 0; i < each; ++i) {
            cell_course(&random, &cell, segment_log_between(&random, 0.01, tip), &course);
            if (i % 4 == 3) {
                segment_bend(&random, &course, 0.5);
            }
            const Lowest lowest =
                course_lowest(&course, cell_speed(&cell, &course), 1e-5, -1e-3, SEARCH, cell_gap, &cell);
            count.segments += 1;
            count.grazing += fabs(lowest.gap) < 1e-4;
            count.samples += lowest.samples;
            bool free = false;
            for (int k = 0; k < SEGMENT_METHODS - 1; ++k) {
                const BerthMotionResult r = segment_ask(motions[k], &course, i % 8 == 0);
                cell_judge(&cell, &course, &asks[k], &r, &lowest, &count);
                free = free || r.verdict == BERTH_FREE;
            }
            for (int k = 0; free && i % 8 == 0 && k < 8; ++k) {
                double values[COURSE_VALUES];
                course_values(&course, k == 0 ? lowest.t : bi_random_between(&random, 0, 1), values);
                crossed += 1;
                if (cell_peers_collide(&cell, values) && lowest.gap > 1e-9) {
                    segment_wrong(&count, "FREE, but FCL says that state %d collides (gap %g)", k,
                                  lowest.gap);
                }
            }
        }
        for (int k = 0; k < SEGMENT_METHODS - 1; ++k) {
            berth_motion_checker_destroy(motions[k]);
        }
        cell_close(&cell);
    }
    berth_robot_destroy(robot);
    print_message("report %s: %lld states of free segments crossed with FCL\n", name, (long long)crossed);
    segment_settle(&count);
}

static void test_panda(void** state) {
    (void)state;
    robot_segments("panda", 1.5, 8, test_scaled(20), 0.4);
}

static void test_panda_capsules(void** state) {
    (void)state;
    robot_segments("panda_capsules", 1.5, 8, test_scaled(40), 0.4);
}

static void test_fanuc(void** state) {
    (void)state;
    robot_segments("fanuc", 2.2, 8, test_scaled(8), 0.3);
}

static void test_ur5(void** state) {
    (void)state;
    robot_segments("ur5", 1.3, 8, test_scaled(20), 0.3);
}

int test_motion_sound(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convex),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_grazing_convex),
        cmocka_unit_test(test_grazing_plain),
        cmocka_unit_test(test_grazing_uneven),
        cmocka_unit_test(test_panda),
        cmocka_unit_test(test_panda_capsules),
        cmocka_unit_test(test_fanuc),
        cmocka_unit_test(test_ur5),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_errors_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
