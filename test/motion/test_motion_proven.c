// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
// test-share: 0.3
//
// Segments that leave joint limits, with margins and tracking errors, by every method: on those that are called free FCL finds
// no pair of the proven table nearer than the margin, in states all along them and off them by the tracking error.

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
enum { VALUE_MAX = 64, KIND_COUNT = 6, SAMPLES = 21 };

/// What is asked of a segment.
typedef struct Kind {
    BerthMethod method;
    double margin, error;
} Kind;
static const Kind kinds[KIND_COUNT] = {{BERTH_METHOD_DEFAULT, 0.0, 0.0},  {BERTH_METHOD_DEFAULT, 0.02, 0.0},
                                       {BERTH_METHOD_DEFAULT, 0.0, 0.02}, {BERTH_METHOD_REFINED, 0.005, 0.0},
                                       {BERTH_METHOD_ADAPTIVE, 0.0, 0.0}, {BERTH_METHOD_DEFAULT, 0.05, 0.01}};

typedef struct Stage {
    BerthScene* scene;
    BerthRobot* robot;
    BerthMotionChecker* motions[KIND_COUNT];
} Stage;

static bool stage_open(Stage* stage, const char* name) {
    char path[4096];
    const TestRobot* entry = test_robot_named(name);
    *stage = (Stage){0};
    BerthRobot* plain = test_read_robot_if_there(entry, false);
    if (plain == NULL || !test_shared_path(path, sizeof path, entry->urdf)) {
        return false;
    }

    ProvenSheet* sheet = malloc(sizeof *sheet);
    assert_non_null(sheet);
    proven_make(plain, sheet);
    char* text = proven_text(sheet);
    const BerthIoOptions options = berth_default_io_options();
    assert_int_equal(proven_read_file(path, text, NULL, 0, &options, &stage->robot), BERTH_OK);
    free(text);
    free(sheet);
    berth_robot_destroy(plain);

    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = stage->robot;
    assert_int_equal(berth_scene_create(NULL, &stage->scene), BERTH_OK);
    assert_int_equal(berth_scene_add_robot(stage->scene, &def, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(stage->scene), BERTH_OK);
    assert_true(stage->scene->proven_count > 0 && stage->scene->value_count <= VALUE_MAX);
    for (int i = 0; i < KIND_COUNT; ++i) {
        double errors[VALUE_MAX];
        for (int k = 0; k < VALUE_MAX; ++k) {
            errors[k] = kinds[i].error;
        }
        BerthMotionCheckerDef motion = berth_default_motion_checker_def();
        motion.method = kinds[i].method;
        motion.margin = kinds[i].margin;
        motion.tracking_error = errors;
        motion.delta = 0.005;  // grazes are unknown, which is no matter here
        motion.interval_budget = 2000;
        assert_int_equal(berth_motion_checker_create(stage->scene, &motion, &stage->motions[i]), BERTH_OK);
    }
    return true;
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
    proven_judge_close(&judge);
    for (int i = 0; i < KIND_COUNT; ++i) {
        berth_motion_checker_destroy(stage.motions[i]);
    }
    berth_scene_destroy(stage.scene);
    berth_robot_destroy(stage.robot);
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
#else
        cmocka_unit_test(nothing_without_oracles),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
