// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
// test-share: 0.3
//
// Segments that leave joint limits, with margins and tracking errors, by every method: on those that are called free FCL finds
// no pair of the proven table nearer than the margin, in states all along them and off them by the tracking error. Others keep
// their limits and leave them by the error alone: nothing is proven for them by the table, and FCL looks at corners of the error.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"
#include "motion/motion.h"
#include "support/proven.h"
#include "support/robots.h"
#include "support/setting.h"
#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
#include "support/proven_fcl.h"
#endif

int test_motion_proven(void);

#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
enum { VALUE_MAX = 64, KIND_COUNT = 9, SAMPLES = 21, FIRST_AIMED = 5, CORNERS = 6 };

/// What is asked of a segment.
typedef struct Kind {
    BerthMethod method;
    double margin, error;
} Kind;
static const Kind kinds[KIND_COUNT] = {{BERTH_METHOD_DEFAULT, 0.0, 0.0},  {BERTH_METHOD_DEFAULT, 0.02, 0.0},
                                       {BERTH_METHOD_DEFAULT, 0.0, 0.02}, {BERTH_METHOD_REFINED, 0.005, 0.0},
                                       {BERTH_METHOD_ADAPTIVE, 0.0, 0.0}, {BERTH_METHOD_DEFAULT, 0.05, 0.01},
                                       {BERTH_METHOD_DEFAULT, 0.0, 0.1},  {BERTH_METHOD_REFINED, 0.0, 0.05},
                                       {BERTH_METHOD_ADAPTIVE, 0.0, 0.03}};

typedef struct Stage {
    BerthScene* scene;
    BerthRobot* robot;
    BerthMotionChecker* motions[KIND_COUNT];
} Stage;

// A robot from a file, with the table that its own prover makes; `error` instead of that of the kinds where it is positive.
static void stage_open_file(Stage* stage, const char* path, const BerthRobot* plain, double error) {
    const BerthIoOptions options = berth_default_io_options();
    stage->scene = proven_scene(path, plain, &options, &stage->robot);
    assert_true(stage->scene->proven_count > 0 && stage->scene->value_count <= VALUE_MAX);
    for (int i = 0; i < KIND_COUNT; ++i) {
        double errors[VALUE_MAX];
        for (int k = 0; k < VALUE_MAX; ++k) {
            errors[k] = error > 0.0 ? error : kinds[i].error;
        }
        BerthMotionCheckerDef motion = berth_default_motion_checker_def();
        motion.method = kinds[i].method;
        motion.margin = kinds[i].margin;
        motion.tracking_error = errors;
        motion.delta = 0.005;  // grazes are unknown, which is no matter here
        motion.interval_budget = 2000;
        assert_int_equal(berth_motion_checker_create(stage->scene, &motion, &stage->motions[i]), BERTH_OK);
    }
}

static bool stage_open(Stage* stage, const char* name) {
    char path[4096];
    const TestRobot* entry = test_robot_named(name);
    *stage = (Stage){0};
    BerthRobot* plain = test_read_robot_if_there(entry, false);
    if (plain == NULL || !test_shared_path(path, sizeof path, entry->urdf)) {
        return false;
    }
    stage_open_file(stage, path, plain, 0.0);
    berth_robot_destroy(plain);
    return true;
}

static void stage_close(Stage* stage, ProvenJudge* judge) {
    proven_judge_close(judge);
    for (int i = 0; i < KIND_COUNT; ++i) {
        berth_motion_checker_destroy(stage->motions[i]);
    }
    berth_scene_destroy(stage->scene);
    berth_robot_destroy(stage->robot);
}

// A short way from somewhere within limits, or from just beyond some of them, to a state like it.
static void random_segment(const Stage* stage, Random* random, double* from, double* to) {
    bi_robot_random_values(stage->robot, random, from);
    for (int32_t i = 0; i < stage->robot->value_count; ++i) {
        const RobotValue* value = &stage->robot->values[i];
        const double scale = value->type == BERTH_JOINT_PRISMATIC ? 0.1 : 1.0;
        if (value->has_limits && bi_random_next(random) % 4 == 0) {
            from[i] = bi_random_next(random) % 2 == 0 ? value->lower : value->upper;
            from[i] += scale * bi_random_between(random, -0.3, 0.3);
        }
        to[i] = from[i] + scale * bi_random_between(random, -0.5, 0.5);
    }
}

static void judge_segment(const Stage* stage, ProvenJudge* judge, const Kind* kind,
                          const BerthSegment* segment, Random* random) {
    for (int s = 0; s < SAMPLES; ++s) {
        double values[VALUE_MAX];
        berth_segment_values(stage->scene, segment, (double)s / (SAMPLES - 1), values);
        for (int32_t i = 0; i < segment->value_count; ++i) {
            values[i] += bi_random_between(random, -kind->error, kind->error);
        }
        proven_judge_state(judge, stage->scene, values, kind->margin);
    }
}

static void judge_segments(const char* name, int count) {
    Stage stage;
    if (!stage_open(&stage, name)) {
        return;
    }
    ProvenJudge judge;
    proven_judge_open(&judge, stage.robot);

    Random random = {0x736567};
    int64_t free_count = 0, free_beyond = 0, relied = 0;
    for (int n = 0; n < count; ++n) {
        double from[VALUE_MAX], to[VALUE_MAX];
        random_segment(&stage, &random, from, to);
        const BerthSegment segment = {.value_count = stage.scene->value_count, .from = from, .to = to};
        const BerthMotionRequest request = {0};
        BerthMotionResult result;
        const int of = n % KIND_COUNT;
        assert_int_equal(berth_motion_check_segment(stage.motions[of], &segment, &request, &result),
                         BERTH_OK);
        assert_true(result.outside_limits == 0 || result.proven_count == 0);
        if (result.verdict == BERTH_FREE) {
            free_count += 1;
            free_beyond += result.outside_limits > 0;
            relied += result.proven_count > 0;
            judge_segment(&stage, &judge, &kinds[of], &segment, &random);
        }
    }

    print_message(
        "report %s: %d segments, %lld free, %lld of them beyond limits, %lld by the table; %lld pairs asked "
        "of FCL, %lld not apart\n",
        name, count, (long long)free_count, (long long)free_beyond, (long long)relied, (long long)judge.asked,
        (long long)judge.wrong);
    assert_int_equal(judge.wrong, 0);
    assert_true(count < 200 || (free_beyond > 0 && relied > 0));
    stage_close(&stage, &judge);
}

// ---- within limits, but not with the tracking error --------------------------------------------------------

// A short way whose values are all within limits, many of them nearer to a limit than the error. False: none is.
static bool aimed_segment(const Stage* stage, Random* random, double error, double* from, double* to) {
    bool near = false;
    bi_robot_random_values(stage->robot, random, from);
    for (int32_t i = 0; i < stage->robot->value_count; ++i) {
        const RobotValue* value = &stage->robot->values[i];
        const double room = value->upper - value->lower;
        to[i] = from[i] + bi_random_between(random, -0.05, 0.05);
        if (!value->has_limits) {
            continue;
        }
        if (bi_random_next(random) % 2 == 0 && room > 2.0 * error) {
            const bool low = bi_random_next(random) % 2 == 0;
            for (int end = 0; end < 2; ++end) {
                const double inside = error * bi_random_between(random, 0.0, 0.9);
                (end == 0 ? from : to)[i] = low ? value->lower + inside : value->upper - inside;
            }
            near = true;
        }
        to[i] = clamp(to[i], value->lower, value->upper);
    }
    return near;
}

// Every value off by its whole error: beyond the nearer limit or, now and then, the other way.
static void judge_corners(const Stage* stage, ProvenJudge* judge, const Kind* kind,
                          const BerthSegment* segment, Random* random) {
    for (int s = 0; s < CORNERS; ++s) {
        double values[VALUE_MAX];
        berth_segment_values(stage->scene, segment, (double)s / (CORNERS - 1), values);
        for (int32_t i = 0; i < segment->value_count; ++i) {
            const RobotValue* value = &stage->robot->values[i];
            const bool up = value->has_limits ? value->upper - values[i] < values[i] - value->lower
                                              : bi_random_next(random) % 2 == 0;
            const bool turned = bi_random_next(random) % 4 == 0;
            values[i] += up != turned ? kind->error : -kind->error;
        }
        proven_judge_state(judge, stage->scene, values, kind->margin);
    }
}

static void judge_aimed(const char* name, int count) {
    Stage stage;
    if (!stage_open(&stage, name)) {
        return;
    }
    ProvenJudge judge;
    proven_judge_open(&judge, stage.robot);

    Random random = {0x61696d};
    int64_t asked = 0, free_count = 0;
    for (int n = 0; n < count; ++n) {
        double from[VALUE_MAX], to[VALUE_MAX];
        const int of = FIRST_AIMED + n % (KIND_COUNT - FIRST_AIMED);
        if (!aimed_segment(&stage, &random, kinds[of].error, from, to)) {
            continue;
        }
        const BerthSegment segment = {.value_count = stage.scene->value_count, .from = from, .to = to};
        const BerthMotionRequest request = {0};
        BerthMotionResult result;
        assert_int_equal(berth_motion_check_segment(stage.motions[of], &segment, &request, &result),
                         BERTH_OK);
        assert_int_equal(result.outside_limits, 0);
        assert_int_equal(result.proven_count, 0);
        asked += 1;
        if (result.verdict == BERTH_FREE) {
            free_count += 1;
            judge_corners(&stage, &judge, &kinds[of], &segment, &random);
        }
    }

    print_message(
        "report %s: %lld segments within limits and beyond by their error, %lld free; %lld pairs asked of "
        "FCL, %lld not apart\n",
        name, (long long)asked, (long long)free_count, (long long)judge.asked, (long long)judge.wrong);
    assert_int_equal(judge.wrong, 0);
    assert_true(count < 100 || (asked > count / 2 && free_count > 0));
    stage_close(&stage, &judge);
}

// Two links that a joint or two bring near each other at their limits, and together a little beyond: a block on two slides, or
// a bar behind two hinges that folds back on its base. The link between has nothing to touch.
static void write_toy(FILE* file, bool turns, double gap) {
    fprintf(file,
            "<robot name='toy'><link name='base'><collision><geometry><box size='0.2 0.2 0.2'/></geometry>"
            "</collision></link><link name='mid'><collision><origin xyz='0 0 5'/><geometry><sphere "
            "radius='0.01'/></geometry></collision></link>");
    if (turns) {
        // At the lower limits of both hinges the bar lies along the base's side, `gap` away.
        fprintf(
            file,
            "<link name='end'><collision><origin xyz='0.25 0 0'/><geometry><box size='0.5 0.02 0.02'/>"
            "</geometry></collision></link>"
            "<joint name='a' type='revolute'><parent link='base'/><child link='mid'/><origin xyz='0 %.17g "
            "0'/><axis xyz='0 0 1'/><limit lower='0' upper='1.5' velocity='1' effort='1'/></joint>"
            "<joint name='b' type='revolute'><parent link='mid'/><child link='end'/><axis xyz='0 0 1'/>"
            "<limit lower='0' upper='1.5' velocity='1' effort='1'/></joint></robot>",
            0.11 + gap);
    } else {
        fprintf(
            file,
            "<link name='end'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"
            "<joint name='a' type='prismatic'><parent link='base'/><child link='mid'/><origin xyz='%.17g "
            "0 0'/><axis xyz='1 0 0'/><limit lower='0' upper='0.5' velocity='1' effort='1'/></joint>"
            "<joint name='b' type='prismatic'><parent link='mid'/><child link='end'/><axis xyz='1 0 0'/>"
            "<limit lower='-0.5' upper='0.5' velocity='1' effort='1'/></joint></robot>",
            0.7 + gap);
    }
}

static void toys_leave_limits_by_their_error(void** state) {
    (void)state;
    const BerthIoOptions options = berth_default_io_options();
    Random random = {0x746f79};
    const int count = test_scaled(400);
    int free_count = 0, refused = 0;
    int64_t asked = 0;
    for (int n = 0; n < count; ++n) {
        char path[] = "/tmp/berth-toy-XXXXXX";
        const int handle = mkstemp(path);
        FILE* file = handle >= 0 ? fdopen(handle, "w") : NULL;
        assert_non_null(file);
        const double gap = 0.002 * exp(bi_random_between(&random, 0.0, 3.0));
        const double error = 0.002 * exp(bi_random_between(&random, 0.0, 3.0));
        write_toy(file, n % 2 == 0, gap);
        fclose(file);

        Stage stage = {0};
        ProvenJudge judge;
        BerthRobot* plain = NULL;
        assert_int_equal(proven_read_file(path, NULL, NULL, 0, &options, &plain), BERTH_OK);
        stage_open_file(&stage, path, plain, error);
        proven_judge_open(&judge, stage.robot);
        for (int k = 0; k < 3; ++k) {
            static const int ways[3] = {0, 3, 4};
            const Kind kind = {kinds[ways[k]].method, kinds[ways[k]].margin, error};
            double from[VALUE_MAX], to[VALUE_MAX];
            for (int32_t i = 0; i < 2; ++i) {
                const double lower = stage.robot->values[i].lower;
                from[i] = lower + error * bi_random_between(&random, 0.0, 0.9);
                to[i] = lower + error * bi_random_between(&random, 0.0, 0.9);
            }
            const BerthSegment segment = {.value_count = 2, .from = from, .to = to};
            const BerthMotionRequest request = {0};
            BerthMotionResult result;
            assert_int_equal(berth_motion_check_segment(stage.motions[ways[k]], &segment, &request, &result),
                             BERTH_OK);
            free_count += result.verdict == BERTH_FREE;
            refused += result.verdict != BERTH_FREE;
            if (result.verdict == BERTH_FREE) {
                judge_corners(&stage, &judge, &kind, &segment, &random);
            }
        }
        asked += judge.asked;
        assert_int_equal(judge.wrong, 0);
        stage_close(&stage, &judge);
        berth_robot_destroy(plain);
        remove(path);
    }
    print_message("report toys: %d free, %d not; %lld pairs asked of FCL\n", free_count, refused,
                  (long long)asked);
    assert_true(count < 50 || (free_count > count / 10 && refused > count / 10));
}

static void error_may_leave_limits(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not there");
    }
    judge_aimed("fanuc", test_is_long() ? 20000 : test_scaled(1200));
    judge_aimed("panda", test_is_long() ? 20000 : test_scaled(600));
}

static void free_segments_keep_the_conditions(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not there");
    }
    judge_segments("fanuc", test_scaled(1200));
    judge_segments("panda", test_scaled(600));
}
#else
static void nothing_without_oracles(void** state) {
    (void)state;
    TEST_SKIP("this build has no FCL");
}
#endif

int test_motion_proven(void) {
    const struct CMUnitTest tests[] = {
#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
        cmocka_unit_test(free_segments_keep_the_conditions),
        cmocka_unit_test(error_may_leave_limits),
        cmocka_unit_test(toys_leave_limits_by_their_error),
#else
        cmocka_unit_test(nothing_without_oracles),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
