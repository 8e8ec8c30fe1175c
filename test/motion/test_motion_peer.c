// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What is called free, looked at by somebody else in a thousand places and more: KDL and FCL (support/judge.h) on real
// robots and one made by code, half of the segments made to graze. Nothing of the product takes part in the judgement.
// test-share: 0.15

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <berth/io.h>

#include "math/math.h"
#include "support/cells.h"
#include "support/graze.h"
#include "support/judge.h"
#include "support/robots.h"
#include "support/setting.h"

enum { SCENES = 3, EACH = 2, TRIES = 40, TOGETHER = 4 };
// Boards; meshes and a floor; rods and a floor, padded.
static const int scene_kinds[SCENES] = {0, 6, 5};
// Sides of prisms are inside of cylinders by so much at most.
static const double blunt = 4e-5;

typedef struct Bench {
    Random random;
    Cell cell;
    Judge* judge;
    SegmentAsk ask;
    BerthMotionChecker* motion;
    SegmentCount* count;
    int64_t judged, judged_grazing, samples, hits, hits_seen, more, more_free;
    double nearest;  // to what was claimed
} Bench;

static void new_course(Bench* bench, double longest, Course* course) {
    cell_course(&bench->random, &bench->cell, segment_log_between(&bench->random, 0.02, longest), course);
    if (segment_pick(&bench->random, 4) == 0) {
        segment_bend(&bench->random, course, 0.5);
    }
}

// Making one graze costs as much as judging it: so it comes with parts of itself.
static int graze(Bench* bench, Course out[TOGETHER], double* gap) {
    static const double offs[4] = {1e-4, 1e-4, 3e-5, 1e-6};
    Random* random = &bench->random;
    Lowest lowest;
    new_course(bench, 0.3, &out[0]);
    const double off = offs[segment_pick(random, 4)] * bi_random_between(random, -0.3, 1);
    if (!(cell_gap(&bench->cell, out[0].from) > 0) ||
        !course_shift_to(&out[0], cell_speed(&bench->cell, &out[0]), bench->ask.margin + off,
                         course_checker_gap, bench->cell.checker, &lowest)) {
        return 0;
    }
    *gap = lowest.gap;
    for (int k = 1; !out[0].curved && k < TOGETHER; ++k) {
        const double wide = segment_log_between(random, 1e-2, 0.7);
        out[k] = course_part(&out[0], fmax(0, lowest.t - wide),
                             fmin(1, lowest.t + wide * bi_random_between(random, 0.1, 1)));
    }
    return out[0].curved ? 1 : TOGETHER;
}

// True when it was free, and so judged.
static bool ask_one(Bench* bench, const Course* course, bool grazing) {
    const BerthMotionResult r = segment_ask(bench->motion, course, false);
    SegmentCount* count = bench->count;
    count->segments += 1;
    count->grazing += grazing;
    count->asks += 1;
    count->free += r.verdict == BERTH_FREE;
    count->hits += r.verdict == BERTH_COLLISION;
    count->unknown += r.verdict == BERTH_UNKNOWN;
    if (r.verdict == BERTH_COLLISION) {  // or the judge is blind
        double values[COURSE_VALUES];
        course_values(course, r.t, values);
        bench->hits += 1;
        bench->hits_seen += judge_gap(bench->judge, values) <= bench->ask.margin + blunt;
    }
    if (r.verdict != BERTH_FREE) {
        return false;
    }
    const JudgeFound found = judge_free(bench->judge, course, &bench->ask, &r, count);
    bench->judged += 1;
    bench->judged_grazing += grazing;
    bench->samples += found.samples;
    bench->nearest = fmin(bench->nearest, found.gap - r.clearance);
    return true;
}

// Asked for a little more than there is: hardly ever free, but then it is judged.
static void ask_more(Bench* bench, const Course* course, double gap) {
    static const double more[3] = {2e-6, 3e-5, 9e-5};
    for (int k = 0; k < 3; ++k) {
        SegmentAsk ask = bench->ask;
        ask.margin = fmax(0, gap + more[k]);
        BerthMotionChecker* motion = segment_motion(bench->cell.scene, &ask);
        const BerthMotionResult r = segment_ask(motion, course, false);
        bench->more += 1;
        if (r.verdict == BERTH_FREE) {
            bench->more_free += 1;
            judge_free(bench->judge, course, &ask, &r, bench->count);
        }
        berth_motion_checker_destroy(motion);
    }
}

static void run_scene(Bench* bench, int scene, const char* urdf, int asks) {
    bench->judge = judge_open(bench->cell.scene, bench->cell.robot, urdf, bench->cell.padding);
    assert_non_null(bench->judge);
    for (int k = 0; k < asks; ++k) {
        static const double margins[SEGMENT_METHODS] = {0, 0.001, 1e-5, 0};
        bench->ask = segment_random_ask(&bench->random);
        bench->ask.margin = margins[(asks * scene + k) % SEGMENT_METHODS];
        bench->ask.method = segment_methods[(asks * scene + k) % SEGMENT_METHODS];
        bench->motion = segment_motion(bench->cell.scene, &bench->ask);
        int free[2] = {0, 0};  // any, grazing
        for (int tries = 0; tries < TRIES && free[0] + free[1] < EACH; ++tries) {
            Course courses[TOGETHER];
            const bool grazing = free[0] >= free[1];
            int count = 1;
            double gap = 0;
            if (grazing) {
                count = graze(bench, courses, &gap);
                if (count > 0) {
                    ask_more(bench, &courses[0], gap);
                }
            } else {
                new_course(bench, 0.8, &courses[0]);
            }
            for (int i = 0; i < count && free[grazing] < EACH / 2; ++i) {
                free[grazing] += ask_one(bench, &courses[i], grazing);
            }
        }
        berth_motion_checker_destroy(bench->motion);
    }
    judge_close(bench->judge);
}

static void run_robot(const char* name, const char* urdf, BerthRobot* robot, double reach, int scenes,
                      int asks) {
    SegmentCount count = {.what = name};
    static Bench bench;
    bench = (Bench){.count = &count, .nearest = INFINITY};
    for (int s = 0; s < scenes; ++s) {
        bench.random = (Random){(uint64_t)(31000 + s)};
        count.seed = s;
        bench.cell = cell_open(&bench.random, name, robot, reach, scene_kinds[s]);
        run_scene(&bench, s, urdf, asks);
        cell_close(&bench.cell);
    }
    print_message(
        "report %s: FCL and KDL at %lld configurations of %lld free segments (%lld grazing), nearest "
        "%.3g above the clearance claimed; %lld of %lld hits seen; asked for more than there is %lld times, "
        "%lld free\n",
        name, (long long)bench.samples, (long long)bench.judged, (long long)bench.judged_grazing,
        bench.nearest, (long long)bench.hits_seen, (long long)bench.hits, (long long)bench.more,
        (long long)bench.more_free);
    segment_settle(&count);
    assert_true(bench.judged * 4 >= (int64_t)3 * scenes * EACH * asks &&
                bench.judged_grazing * 3 >= bench.judged);
    // FCL takes meshes for surfaces: what is wholly inside of one it does not see.
    assert_true(bench.hits_seen * 10 >= 9 * bench.hits);
}

#define NEED_PEERS()                                \
    do {                                            \
        if (!BERTH_HAVE_ORACLES) {                  \
            TEST_SKIP("built without FCL and KDL"); \
        }                                           \
    } while (0)

static void shared_robot(const char* name, double reach, int scenes, int asks) {
    NEED_PEERS();
    const TestRobot* which = test_robot_named(name);
    char urdf[4096];
    BerthRobot* robot = test_read_robot(which, true, true);
    if (robot == NULL || !test_shared_path(urdf, sizeof urdf, which->urdf)) {
        TEST_SKIP("%s is not in the shared folder", name);
    }
    run_robot(name, urdf, robot, reach, scenes, asks);
    berth_robot_destroy(robot);
}

static void test_panda(void** state) {
    (void)state;
    shared_robot("panda", 1.5, test_is_whole() ? SCENES : 1, test_scaled(2));
}

// FCL needs seconds for each of its segments: one of the scenes, all in long runs; none with a second compiler or a
// sanitizer, which FCL is not compiled with.
static void test_fanuc(void** state) {
    (void)state;
    if (test_is_whole()) {
        shared_robot("fanuc", 2.2, test_is_long() ? SCENES : 1, test_scaled(1));
    }
}

static void test_made(void** state) {
    (void)state;
    NEED_PEERS();
    const BerthIoOptions options = berth_default_io_options();
    const char* urdf = BERTH_BUILD_DIR "/models/arm6/arm6.urdf";
    BerthRobotOptions robot_options = berth_default_robot_options();
    robot_options.srdf = BERTH_BUILD_DIR "/models/arm6/arm6.srdf";
    BerthRobot* robot = NULL;
    assert_int_equal(berth_io_read_robot(urdf, &robot_options, &options, &robot), BERTH_OK);
    run_robot("arm6", urdf, robot, 2.5, SCENES, test_scaled(2));
    berth_robot_destroy(robot);
}

int test_motion_peer(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panda),
        cmocka_unit_test(test_fanuc),
        cmocka_unit_test(test_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
