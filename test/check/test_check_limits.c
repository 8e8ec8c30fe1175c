// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where a checker has nothing to stand on: values that are none, stale scenes, spent budgets, no pairs, no memory. None
// of it may end as FREE, unless nothing can be hit.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/arms.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"
#include "support/verdicts.h"

enum { VALUE_MAX = 300 };

static const BerthCheckRequest plain = {0};
static const BerthCheckRequest everything = {.distance = true, .all = true};

static BerthChecker* checker_with(const BerthScene* scene, double margin, int32_t budget) {
    BerthCheckerDef def = berth_default_checker_def();
    def.margin = margin;
    def.node_budget = budget;
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    return checker;
}

static BerthChecker* checker_of(const BerthScene* scene) {
    return checker_with(scene, 0.0, berth_default_checker_def().node_budget);
}

static BerthObjectId add_ball(BerthScene* scene, const char* name, double x, double radius) {
    BerthObjectDef def = berth_default_object_def();
    BerthObjectId id;
    def.name = name;
    def.solid = test_ball(radius, NULL);
    def.pose.t.x = x;
    assert_int_equal(berth_scene_add_object(scene, &def, &id), BERTH_OK);
    return id;
}

static void commit(BerthScene* scene) {
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
}

// ---- values ---------------------------------------------------------------------------------------------------

static void bad_values_prove_nothing(void** state) {
    (void)state;
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300, -1e300, 1.1e6,
                                 -1.1e6};
    for (int i = 0; i < test_scaled(60); ++i) {
        Random random = {.state = 53u * (uint64_t)(i + 1)};
        const WorldPlan plan = {.style = WORLD_PLAIN, .robots = 1 + i % 2, .joints = 6, .objects = 2};
        World* world = world_make(&random, &plan);
        BerthChecker* checker = checker_of(world->scene);
        double values[VALUE_MAX], gradient[VALUE_MAX];
        for (int k = 0; k < 20 && world->brute.value_count > 0; ++k) {
            world_values(world, &random, values);
            const double wrong = bad[bi_random_next(&random) % 7];
            const int at = (int)(bi_random_next(&random) % (uint64_t)world->brute.value_count);
            values[at] = wrong;
            for (int way = 0; way < 4; ++way) {
                const BerthCheckRequest request = {.distance = (way & 1) != 0, .all = (way & 2) != 0};
                BerthCheckResult r;
                memset(&r, 0x5a, sizeof r);
                const BerthStatus status = berth_check_state(checker, values, &request, &r);
                int32_t outside = 0, first = 0;
                const bool refused =
                    berth_scene_check_values(world->scene, values, &outside, &first) != BERTH_OK;
                if (status != BERTH_OK) {
                    assert_int_equal(r.verdict, BERTH_UNKNOWN);
                    assert_int_equal(r.hit_count, 0);
                    assert_int_equal(r.pair_count, 0);
                    assert_false(r.has_clearance);
                }
                if (!isfinite(wrong)) {
                    assert_int_equal(status, BERTH_ERR_ARGUMENT);
                    assert_true(refused);
                }
                // What the scene refuses as a state is no state here either.
                if (refused && status == BERTH_OK) {
                    Tally tally = {.what = "refused values"};
                    char name[64];
                    berth_scene_value_name(world->scene, at, name, sizeof name);
                    complain(&tally, "world %d: %s is %g, an answer all the same", i, name, wrong);
                    fail();
                }
                BerthGapGradient found = {.defined = true};
                if (status != BERTH_OK && world->brute.body_count > 1) {
                    assert_int_equal(berth_check_gradient(checker, values, 0, 1, gradient, &found), status);
                    assert_false(found.defined);
                }
            }
        }
        // And it works again afterwards.
        Tally tally = {.what = "after bad values", .seed = i};
        world_values(world, &random, values);
        examine(world, checker, 0.0, values, &tally);
        assert_int_equal(tally.wrong, 0);
        berth_checker_destroy(checker);
        world_destroy(world);
    }
}

static void zero_quaternions_prove_nothing(void** state) {
    (void)state;
    BerthScene* scene = test_arm_scene(NULL, 1, true);
    add_ball(scene, "ball", 5.0, 0.1);
    commit(scene);
    BerthChecker* checker = checker_of(scene);
    const int count = berth_scene_value_count(scene);
    double values[16] = {0};
    BerthCheckResult r;
    assert_int_equal(count, 9);
    static const double sizes[] = {0.0, 1e-320, 1e-200, 1e-12, 1e200, 1e308};
    for (int i = 0; i < 6; ++i) {
        values[6] = sizes[i];
        for (int way = 0; way < 4; ++way) {
            const BerthCheckRequest request = {.distance = (way & 1) != 0, .all = (way & 2) != 0};
            const BerthStatus status = berth_check_state(checker, values, &request, &r);
            int32_t outside = 0, first = 0;
            if (berth_scene_check_values(scene, values, &outside, &first) != BERTH_OK) {
                assert_true(status != BERTH_OK || r.verdict == BERTH_UNKNOWN);
            }
        }
    }
    values[6] = 1.0;
    assert_int_equal(berth_check_state(checker, values, &plain, &r), BERTH_OK);
    assert_int_equal(r.verdict, BERTH_FREE);
    berth_checker_destroy(checker);
    berth_scene_destroy(scene);
}

// 3000 m along a rail turn a following joint by 4110 rad at the end of a 1000 m arm: m * q is rounded by 2e-13 rad, and
// that is 2e-10 m at the tip. Before slack was given to it, lower bounds were above the gap by as much.
static void followed_angles_have_slack(void** state) {
    (void)state;
    for (int i = 0; i < test_scaled(400); ++i) {
        Random random = {.state = 59u * (uint64_t)(i + 1)};
        BerthRobotBuilder* builder = NULL;
        BerthRobot* robot = NULL;
        assert_int_equal(berth_robot_builder_create("lever", NULL, &builder), BERTH_OK);
        for (int k = 0; k < 3; ++k) {
            const char* const names[3] = {"rail", "slide", "arm"};
            assert_int_equal(berth_robot_add_link(builder, names[k], NULL), BERTH_OK);
        }
        const double multiplier = bi_random_between(&random, 1, 2);
        for (int k = 0; k < 2; ++k) {
            BerthJointDef def = berth_default_joint_def();
            def.name = k == 0 ? "slide" : "turn";
            def.type = k == 0 ? BERTH_JOINT_PRISMATIC : BERTH_JOINT_CONTINUOUS;
            def.parent_link = k;
            def.child_link = k + 1;
            def.parent_from_joint = berth_pose_identity();
            def.axis = v3(0, 0, 1);
            def.mimic = k == 0 ? NULL : "slide";
            def.mimic_multiplier = multiplier;
            assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
        }
        BerthPose tip = berth_pose_identity();
        tip.t.x = 1000.0;
        assert_int_equal(berth_robot_add_solid(builder, 2, &tip, test_ball(0.1, NULL), "sphere"), BERTH_OK);
        assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
        berth_robot_builder_destroy(builder);
        BerthScene* scene = NULL;
        assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.robot = robot;
        def.own = true;
        assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
        add_ball(scene, "ball", 1000.0, 0.1);
        commit(scene);
        BerthChecker* checker = checker_of(scene);
        const double q = bi_random_between(&random, 2000, 4000);
        BerthCheckResult r;
        assert_int_equal(berth_check_state(checker, &q, &everything, &r), BERTH_OK);
        const long double turn = (long double)multiplier * q;
        const long double x = 1000.0L * cosl(turn) - 1000.0L, y = 1000.0L * sinl(turn), z = (long double)q;
        const long double far = sqrtl(x * x + y * y + z * z) - 2 * (long double)0.1;
        assert_true(r.clearance.lower <= far && r.clearance.upper >= far - 1e-8L);
        berth_checker_destroy(checker);
        berth_scene_destroy(scene);
    }
}

// ---- scenes ---------------------------------------------------------------------------------------------------

static void expect_stale(BerthChecker* checker, const double* values) {
    BerthCheckResult r;
    memset(&r, 0x5a, sizeof r);
    assert_int_equal(berth_check_state(checker, values, &plain, &r), BERTH_ERR_STALE);
    assert_int_equal(r.verdict, BERTH_UNKNOWN);
    double gradient[16];
    BerthGapGradient found = {.defined = true};
    assert_int_equal(berth_check_gradient(checker, values, 0, 1, gradient, &found), BERTH_ERR_STALE);
    assert_false(found.defined);
}

static void edits_make_checkers_stale(void** state) {
    (void)state;
    const double values[2] = {0.0, 0.0};
    BerthPose pose = berth_pose_identity();
    for (int edit = 0; edit < 9; ++edit) {
        BerthScene* scene = test_arm_scene(NULL, 1, false);
        const BerthObjectId id = add_ball(scene, "ball", 5.0, 0.1);
        commit(scene);
        BerthChecker* checker = checker_of(scene);
        BerthCheckResult r;
        assert_int_equal(berth_check_state(checker, values, &plain, &r), BERTH_OK);
        assert_int_equal(r.verdict, BERTH_FREE);
        pose.t.x = 0.0;
        switch (edit) {
        case 0:
            assert_int_equal(berth_scene_set_object_pose(scene, id, &pose), BERTH_OK);
            break;
        case 1:
            add_ball(scene, "more", 0.0, 0.1);
            break;
        case 2:
            assert_int_equal(berth_scene_remove_object(scene, id), BERTH_OK);
            break;
        case 3:
            assert_int_equal(berth_scene_attach(scene, id, "hand", &pose), BERTH_OK);
            break;
        case 4:
            assert_int_equal(berth_scene_add_part(scene, id, &pose, test_ball(5.0, NULL)), BERTH_OK);
            break;
        case 5:
            assert_int_equal(berth_scene_allow(scene, "hand", "ball"), BERTH_OK);
            break;
        case 6:
            assert_int_equal(berth_scene_touch(scene, id, "hand"), BERTH_OK);
            break;
        case 7:
            pose.t.x = 4.8;
            assert_int_equal(berth_scene_set_base(scene, 0, &pose), BERTH_OK);
            break;
        default:
            break;  // a commit with nothing to do must not matter, or make it stale: both are told
        }
        if (edit < 8) {
            expect_stale(checker, values);
        }
        commit(scene);
        if (edit < 8) {
            expect_stale(checker, values);
        } else {
            const BerthStatus status = berth_check_state(checker, values, &plain, &r);
            assert_true(status == BERTH_OK ? r.verdict == BERTH_FREE : r.verdict == BERTH_UNKNOWN);
        }
        BerthChecker* fresh = checker_of(scene);
        assert_int_equal(berth_check_state(fresh, values, &plain, &r), BERTH_OK);
        assert_int_equal(r.verdict,
                         edit == 0 || edit == 1 || edit == 4 || edit == 7 ? BERTH_COLLISION : r.verdict);
        berth_checker_destroy(fresh);
        berth_checker_destroy(checker);
        berth_scene_destroy(scene);
    }
}

static void set_values_keeps_checkers(void** state) {
    (void)state;
    BerthScene* scene = test_arm_scene(NULL, 1, false);
    add_ball(scene, "ball", 5.0, 0.1);
    commit(scene);
    BerthChecker* checker = checker_of(scene);
    const double values[2] = {0.3, -0.2};
    BerthCheckResult r;
    assert_int_equal(berth_scene_set_values(scene, values), BERTH_OK);
    assert_int_equal(berth_check_state(checker, values, &plain, &r), BERTH_OK);
    assert_int_equal(r.verdict, BERTH_FREE);
    berth_checker_destroy(checker);
    berth_scene_destroy(scene);
}

static void nothing_to_hit_is_free(void** state) {
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        BerthScene* scene = kind >= 2 ? test_arm_scene(NULL, 1, false) : NULL;
        if (scene == NULL) {
            assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
        }
        if (kind == 1) {  // objects that stand are not checked against each other
            add_ball(scene, "a", 0.0, 1.0);
            add_ball(scene, "b", 0.5, 1.0);
        }
        if (kind == 3) {
            const char* const links[4] = {"base", "upper", "lower", "hand"};
            for (int a = 0; a < 4; ++a) {
                for (int b = a + 1; b < 4; ++b) {
                    assert_int_equal(berth_scene_allow(scene, links[a], links[b]), BERTH_OK);
                }
            }
        }
        commit(scene);
        BerthChecker* checker = checker_of(scene);
        const double values[2] = {0.1, 0.1};
        for (int way = 0; way < 4; ++way) {
            const BerthCheckRequest request = {.distance = (way & 1) != 0, .all = (way & 2) != 0};
            BerthCheckResult r;
            assert_int_equal(berth_check_state(checker, values, &request, &r), BERTH_OK);
            assert_int_equal(r.verdict, BERTH_FREE);
            if (kind != 2) {
                assert_int_equal(berth_scene_pair_count(scene), 0);
                assert_false(r.has_clearance);
                assert_int_equal(r.pair_count, 0);
            }
        }
        berth_checker_destroy(checker);
        berth_scene_destroy(scene);
    }
}

static void wrong_defs_are_refused(void** state) {
    (void)state;
    BerthScene* scene = test_arm_scene(NULL, 1, false);
    BerthChecker* checker = NULL;
    BerthCheckerDef def = berth_default_checker_def();
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_ERR_ARGUMENT);  // not committed
    commit(scene);
    static const double margins[] = {(double)NAN, (double)INFINITY, -1e-9, 1e9};
    for (int i = 0; i < 4; ++i) {
        def = berth_default_checker_def();
        def.margin = margins[i];
        assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_ERR_ARGUMENT);
        assert_null(checker);
    }
    def = berth_default_checker_def();
    def.node_budget = 0;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_ERR_ARGUMENT);
    def = (BerthCheckerDef){.margin = 0.0, .node_budget = 100};
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_checker_create(NULL, &def, &checker), BERTH_ERR_ARGUMENT);
    berth_checker_destroy(NULL);
    checker = checker_of(scene);
    static const double tolerances[] = {(double)NAN, -0.1, (double)INFINITY};
    const double values[2] = {0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        const BerthCheckRequest request = {.distance = true, .tolerance = tolerances[i]};
        BerthCheckResult r;
        assert_int_equal(berth_check_state(checker, values, &request, &r), BERTH_ERR_ARGUMENT);
        assert_int_equal(r.verdict, BERTH_UNKNOWN);
    }
    berth_checker_destroy(checker);
    berth_scene_destroy(scene);
}

// ---- budgets --------------------------------------------------------------------------------------------------

// A small budget may leave things open; it may never turn an answer.
static void budgets_never_lie(void** state) {
    (void)state;
    int64_t spent = 0, told = 0;
    for (int i = 0; i < test_scaled(100); ++i) {
        Random random = {.state = 61u * (uint64_t)(i + 1)};
        const WorldPlan plan = {
            .style = i % 2 == 0 ? WORLD_PLAIN : WORLD_GRID, .robots = 1, .joints = 5, .objects = 4};
        World* world = world_make(&random, &plan);
        BerthChecker* full = checker_of(world->scene);
        for (int k = 0; k < 4; ++k) {
            double values[VALUE_MAX];
            world_values(world, &random, values);
            BerthCheckResult r;
            assert_int_equal(berth_check_state(full, values, &everything, &r), BERTH_OK);
            const BerthVerdict verdict = r.verdict;
            const double upper = r.pair_count > 0 ? r.pairs[0].upper : INFINITY;
            for (int32_t budget = 1; budget < 40; budget = budget * 2 + 1) {
                BerthChecker* small = checker_with(world->scene, 0.0, budget);
                for (int way = 0; way < 4; ++way) {
                    const BerthCheckRequest request = {.distance = (way & 1) != 0, .all = (way & 2) != 0};
                    assert_int_equal(berth_check_state(small, values, &request, &r), BERTH_OK);
                    assert_true(r.verdict == verdict || r.verdict == BERTH_UNKNOWN);
                    if (r.verdict == BERTH_UNKNOWN) {
                        assert_int_equal(r.reason, BERTH_REASON_BUDGET);
                        spent += 1;
                    } else {
                        told += 1;
                    }
                    if (r.has_clearance) {
                        assert_true(r.clearance.lower <= upper);
                    }
                    for (int32_t p = 0; p < r.pair_count; ++p) {
                        assert_true(r.pairs[p].lower <= r.pairs[p].upper);
                    }
                }
                berth_checker_destroy(small);
            }
        }
        berth_checker_destroy(full);
        world_destroy(world);
    }
    print_message("report budgets: %lld spent, %lld told\n", (long long)spent, (long long)told);
    assert_true(spent > 0 && told > 0);
}

// ---- memory ---------------------------------------------------------------------------------------------------

static BerthStatus make_checker(void* scene, const BerthAllocator* allocator) {
    BerthCheckerDef def = berth_default_checker_def();
    def.allocator = *allocator;
    BerthChecker* checker = (BerthChecker*)(uintptr_t)8;
    const BerthStatus status = berth_checker_create(scene, &def, &checker);
    assert_int_equal(checker != NULL, status == BERTH_OK);
    berth_checker_destroy(checker);
    return status;
}

static void memory_may_run_out(void** state) {
    (void)state;
    Random random = {.state = 67};
    const WorldPlan plan = {.style = WORLD_PLAIN, .robots = 2, .joints = 4, .objects = 3};
    World* world = world_make(&random, &plan);
    assert_true(starve(make_checker, world->scene) >= 5);
    world_destroy(world);
}

static void queries_take_no_memory(void** state) {
    (void)state;
    Random random = {.state = 71};
    const WorldPlan plan = {.style = WORLD_PLAIN, .robots = 1, .joints = 5, .objects = 2};
    World* world = world_make(&random, &plan);
    TestAllocator counts = {.fail_at = -1};
    BerthCheckerDef def = berth_default_checker_def();
    def.allocator = test_allocator(&counts);
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(world->scene, &def, &checker), BERTH_OK);
    const int64_t taken = counts.taken, given = counts.given;
    double values[VALUE_MAX], gradient[VALUE_MAX];
    const int queries = test_scaled(100000);
    for (int i = 0; i < queries; ++i) {
        const BerthCheckRequest request = {.distance = i % 50 == 0, .all = i % 7 == 0};
        BerthCheckResult r;
        world_values(world, &random, values);
        assert_int_equal(berth_check_state(checker, values, &request, &r), BERTH_OK);
        if (i % 100 == 0) {
            BerthGapGradient found = {.defined = true};
            assert_int_equal(berth_check_gradient(checker, values, 0, 1, gradient, &found), BERTH_OK);
        }
    }
    assert_int_equal(counts.taken, taken);
    assert_int_equal(counts.given, given);
    const BerthCheckerStats stats = berth_checker_stats(checker);
    assert_int_equal(stats.queries, queries);
    assert_true(stats.bytes >= (size_t)counts.live_bytes / 2 && stats.bytes <= (size_t)counts.live_bytes * 2);
    berth_checker_destroy(checker);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.live_bytes, 0);
    world_destroy(world);
}

int test_check_limits(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_values_prove_nothing),   cmocka_unit_test(zero_quaternions_prove_nothing),
        cmocka_unit_test(followed_angles_have_slack), cmocka_unit_test(edits_make_checkers_stale),
        cmocka_unit_test(set_values_keeps_checkers),  cmocka_unit_test(nothing_to_hit_is_free),
        cmocka_unit_test(wrong_defs_are_refused),     cmocka_unit_test(budgets_never_lie),
        cmocka_unit_test(memory_may_run_out),         cmocka_unit_test(queries_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
