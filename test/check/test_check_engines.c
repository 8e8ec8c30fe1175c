// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Boxes, RSS and spheres: whole scenes and whole robots (Romeo, PR2, two Pandas) get the same verdicts from all engines,
// the same gaps of every pair, and motions the same answers; worlds made by code are held against the brute model too.
// test-share: 0.3

// clang-format off
#include <berth/lab/check.h>
#include <berth/lab/tree.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/verdicts.h"

enum { VALUE_MAX = 300, ENGINES = BERTH_ENGINE_COUNT };

static BerthChecker* checker_of(const BerthScene* scene, BerthEngine engine, double margin) {
    BerthCheckerDef def = berth_default_checker_def();
    BerthCheckerLab lab = {0};
    def.lab = &lab;
    def.margin = margin;
    lab.engine = engine;
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    return checker;
}

static BerthCheckResult ask(BerthChecker* checker, const double* values, int kind) {
    const BerthCheckRequest request = {.distance = (kind & 1) != 0, .all = (kind & 2) != 0};
    BerthCheckResult result;
    assert_int_equal(berth_check_state(checker, values, &request, &result), BERTH_OK);
    return result;
}

// Every kind of request to every engine: the verdicts, the clearance and the gaps of all pairs.
static void compare(BerthChecker* const checkers[ENGINES], const double* values, const char* name) {
    for (int kind = 0; kind < 4; ++kind) {
        BerthCheckResult truth = ask(checkers[0], values, kind);
        const int32_t count = truth.pair_count;
        BerthPairGap* pairs = calloc((size_t)count + 1, sizeof *pairs);
        memcpy(pairs, truth.pairs, (size_t)count * sizeof *pairs);
        for (int e = 1; e < ENGINES; ++e) {
            const BerthCheckResult r = ask(checkers[e], values, kind);
            if (r.verdict != truth.verdict) {
                fail_msg("%s, request %d: %s says %s, boxes %s", name, kind,
                         berth_engine_name((BerthEngine)e), berth_verdict_name(r.verdict),
                         berth_verdict_name(truth.verdict));
            }
            assert_int_equal(r.pair_count, count);
            if (kind == 1 && truth.verdict == BERTH_FREE) {
                assert_true(r.has_clearance == truth.has_clearance);
                assert_true(!r.has_clearance || fabs(r.clearance.upper - truth.clearance.upper) < 1e-9);
            }
            for (int32_t i = 0; kind == 3 && i < count; ++i) {
                // Both are sorted by gap; equal gaps may change places.
                assert_true(fabs(r.pairs[i].upper - pairs[i].upper) < 1e-8 || pairs[i].upper < 0.0);
            }
        }
        free(pairs);
    }
}

static void worlds_agree(void** state) {
    (void)state;
    static const WorldStyle styles[3] = {WORLD_PLAIN, WORLD_GRID, WORLD_UNEVEN};
    for (int i = 0; i < test_scaled(24); ++i) {
        Random random = {.state = 631u * (uint64_t)(i + 1)};
        const WorldPlan plan = {
            .style = styles[i % 3], .robots = 1 + i % 2, .joints = 5, .objects = 1 + i % 4};
        World* world = world_make(&random, &plan);
        BerthChecker* checkers[ENGINES];
        const double margin = i % 2 == 0 ? 0.0 : 0.02;
        Tally tallies[ENGINES] = {
            {.what = "boxes", .seed = i}, {.what = "rss", .seed = i}, {.what = "spheres", .seed = i}};
        for (int e = 0; e < ENGINES; ++e) {
            checkers[e] = checker_of(world->scene, (BerthEngine)e, margin);
        }
        for (int k = 0; k < 4; ++k) {
            double values[VALUE_MAX];
            world_values(world, &random, values);
            BerthVerdict verdicts[ENGINES];
            for (int e = 0; e < ENGINES; ++e) {
                verdicts[e] = examine(world, checkers[e], margin, values, &tallies[e]);
                // A pair at the margin to rounding may be decided by one search and left open by another.
                assert_true(verdicts[e] == verdicts[0] || verdicts[e] == BERTH_UNKNOWN ||
                            verdicts[0] == BERTH_UNKNOWN);
            }
        }
        for (int e = 0; e < ENGINES; ++e) {
            assert_true(tallies[e].wrong == 0);
            berth_checker_destroy(checkers[e]);
        }
        world_destroy(world);
    }
}

static BerthScene* robot_scene(BerthRobot* robot) {
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.name = "robot";
    def.robot = robot;
    def.own = true;
    assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return scene;
}

// Whole robots in random states; distances of all pairs in some of them.
static void robots_agree(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not here");
    }
    static const char* const names[] = {"romeo", "pr2", "dual_panda"};
    for (int n = test_is_whole() ? 0 : 2; n < 3; ++n) {  // reading the large ones takes seconds
        const TestRobot* which = test_robot_named(names[n]);
        BerthRobot* robot = test_read_robot(which, true, true);
        assert_non_null(robot);
        BerthScene* scene = robot_scene(robot);
        BerthChecker* checkers[ENGINES];
        for (int e = 0; e < ENGINES; ++e) {
            checkers[e] = checker_of(scene, (BerthEngine)e, n == 2 ? 0.01 : 0.0);
        }
        Random random = {.state = 77u + (uint64_t)n};
        double values[VALUE_MAX];
        for (int i = 0; i < test_scaled(4); ++i) {
            // Half of them near the zero state, where most robots are free.
            program_random_states(scene, bi_random_next(&random) % 100000, 1, values);
            for (int32_t k = 0; i % 2 == 0 && k < berth_scene_value_count(scene); ++k) {
                values[k] = berth_scene_values(scene)[k] + 0.2 * (values[k] - berth_scene_values(scene)[k]);
            }
            compare(checkers, values, names[n]);
        }
        for (int e = 0; e < ENGINES; ++e) {
            berth_checker_destroy(checkers[e]);
        }
        berth_scene_destroy(scene);
    }
}

int test_check_engines(void);
int test_check_engines(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_agree),
        cmocka_unit_test(robots_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
