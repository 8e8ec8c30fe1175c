// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The derivative of a gap against differences of the brute force's gap, every joint type, and of berth's own gap for
// real robots. Where nearest points jump, the two one-sided differences do not agree: such values are counted and left
// out, and must be few.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/verdicts.h"

enum { VALUE_MAX = 300 };

typedef struct Slopes {
    int64_t compared, jumps, large;
    int64_t by_type[6];
    double worst;
} Slopes;

static BerthChecker* checker_of(const BerthScene* scene) {
    const BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    return checker;
}

// Forward and backward differences. True when they agree on one slope.
static bool one_slope(double back, double here, double forth, double step, double bend, double* slope) {
    const double left = (here - back) / step;
    const double right = (forth - here) / step;
    *slope = (forth - back) / (2 * step);
    return fabs(left - right) <= bend * step + 1e-6;
}

static BerthJointType type_of_value(const World* world, int value) {
    int first = 0;
    for (int r = 0; r < world->brute.robot_count; ++r) {
        const BruteRobot* robot = &world->brute.robots[r];
        for (int j = -1; j < robot->joint_count; ++j) {
            const BruteJoint* joint = j < 0 ? &robot->base_joint : &robot->joints[j];
            const int at = first + (j < 0 ? 0 : joint->first_value);
            const int count = joint->type == BERTH_JOINT_FLOATING ? 7
                              : joint->type == BERTH_JOINT_PLANAR ? 3
                              : joint->type == BERTH_JOINT_FIXED  ? 0
                                                                  : 1;
            if (joint->mimic < 0 && value >= at && value < at + count) {
                return joint->type;
            }
        }
        first += robot->value_count;
    }
    return BERTH_JOINT_FIXED;
}

static void compare_pair(World* world, BerthChecker* checker, const double* values, const Truth* pair,
                         Slopes* sum) {
    double gradient[VALUE_MAX];
    BerthGapGradient found = {.defined = true};
    assert_int_equal(berth_check_gradient(checker, values, pair->a->index, pair->b->index, gradient, &found),
                     BERTH_OK);
    assert_true(found.defined);
    assert_int_equal(found.gap.body_a, pair->a->index);
    assert_int_equal(found.gap.body_b, pair->b->index);
    assert_true(found.gap.lower <= pair->gap.upper + 1e-17L);
    assert_true(fabsl(found.gap.upper - pair->gap.upper) <= 1e-8L * (1 + pair->gap.upper));
    // The other way round is the same.
    double turned[VALUE_MAX];
    BerthGapGradient back;
    assert_int_equal(berth_check_gradient(checker, values, pair->b->index, pair->a->index, turned, &back),
                     BERTH_OK);
    assert_memory_equal(&back.gap.point_a, &found.gap.point_b, sizeof found.gap.point_b);
    assert_memory_equal(turned, gradient, (size_t)world->brute.value_count * sizeof *gradient);
    double moved[VALUE_MAX];
    memcpy(moved, values, (size_t)world->brute.value_count * sizeof *moved);
    for (int v = 0; v < world->brute.value_count; ++v) {
        const double step = 1e-6;
        Real at[3];
        for (int k = 0; k < 3; ++k) {
            moved[v] = values[v] + (k - 1) * step;
            brute_pose_world(&world->brute, moved);
            const BruteGap now = brute_body_gap(&world->brute, pair->a, pair->b);
            at[k] = now.upper;
        }
        moved[v] = values[v];
        double slope = 0;
        // Curvature is about 1 / gap where small parts pass each other.
        const double bend = 100.0 * (1 + 1 / (double)(pair->gap.upper + 1e-3L));
        if (!one_slope((double)(at[0] - at[1]), 0, (double)(at[2] - at[1]), step, bend, &slope)) {
            sum->jumps += 1;
            continue;
        }
        const double off = fabs(slope - gradient[v]);
        sum->compared += 1;
        sum->large += fabs(slope) > 1e-3;
        sum->by_type[type_of_value(world, v)] += fabs(slope) > 1e-3;
        sum->worst = fmax(sum->worst, off);
        if (!(off <= 2e-4 * (1 + fabs(slope)))) {
            fail_msg("value %d (type %d): slope %.9g, gradient %.9g, gap %.9Lg", v, type_of_value(world, v),
                     slope, gradient[v], pair->gap.upper);
        }
    }
}

static void random_robots(void** state) {
    (void)state;
    static Truth truth[VERDICT_PAIRS];
    Slopes sum = {0};
    for (int i = 0; i < test_scaled(150); ++i) {
        Random random = {.state = 41u * (uint64_t)(i + 1)};
        const WorldPlan plan = {.style = i % 2 == 0 ? WORLD_PLAIN : WORLD_CONVEX,
                                .robots = 1 + (i % 5 == 0),
                                .joints = i % 5 == 0 ? 4 : 8,
                                .objects = 3};
        World* world = world_make(&random, &plan);
        BerthChecker* checker = checker_of(world->scene);
        double values[VALUE_MAX];
        world_values(world, &random, values);
        const int count = true_gaps(world, values, truth);
        int done = 0;
        for (int k = 0; k < count && done < 5; ++k) {
            const Truth* pair = &truth[(k * 7 + i) % count];
            if (pair->gap.upper > 0.01L && pair->gap.upper < 3) {
                compare_pair(world, checker, values, pair, &sum);
                done += 1;
            }
        }
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    print_message(
        "report slopes: %lld compared, %lld not zero (%lld revolute %lld continuous %lld prismatic %lld "
        "floating %lld planar), %lld jumps, worst %.2g\n",
        (long long)sum.compared, (long long)sum.large, (long long)sum.by_type[1], (long long)sum.by_type[2],
        (long long)sum.by_type[3], (long long)sum.by_type[4], (long long)sum.by_type[5], (long long)sum.jumps,
        sum.worst);
    assert_true(sum.jumps * 30 < sum.compared);
    for (int t = BERTH_JOINT_REVOLUTE; test_scaled(100) >= 100 && t <= BERTH_JOINT_PLANAR; ++t) {
        assert_true(sum.by_type[t] > 20);
    }
}

// ---- real robots ----------------------------------------------------------------------------------------------

static double own_gap(BerthChecker* checker, const double* values, int a, int b) {
    double gradient[VALUE_MAX];
    BerthGapGradient found = {.defined = true};
    assert_int_equal(berth_check_gradient(checker, values, a, b, gradient, &found), BERTH_OK);
    return found.gap.upper;
}

static void real_robots(void** state) {
    (void)state;
    static const char* const names[] = {"panda", "fanuc", "ur5_gripper", "romeo", "panda_capsules"};
    Slopes sum = {0};
    for (int n = 0; n < 5; ++n) {
        const TestRobot* entry = test_robot_named(names[n]);
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.robot = test_shared_dir() == NULL ? NULL : test_read_robot(entry, true, true);
        def.own = true;
        if (def.robot == NULL) {
            TEST_SKIP("no shared robots");
        }
        BerthScene* scene = NULL;
        assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
        assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
        assert_int_equal(berth_scene_commit(scene), BERTH_OK);
        BerthChecker* checker = checker_of(scene);
        const int count = berth_scene_value_count(scene);
        Random random = {.state = 5};
        for (int i = 0; i < test_scaled(12); ++i) {
            double values[VALUE_MAX], gradient[VALUE_MAX];
            berth_robot_default_values(def.robot, values);
            for (int v = 0; v < count; ++v) {
                values[v] += bi_random_between(&random, -0.5, 0.5);
            }
            int32_t a = 0, b = 0;
            berth_scene_pair(
                scene, (int32_t)(bi_random_next(&random) % (uint64_t)berth_scene_pair_count(scene)), &a, &b);
            BerthGapGradient found = {.defined = true};
            assert_int_equal(berth_check_gradient(checker, values, a, b, gradient, &found), BERTH_OK);
            if (!found.defined || !(found.gap.upper > 0.01)) {
                continue;
            }
            for (int v = 0; v < count; ++v) {
                const double step = 1e-6;
                const double q = values[v];
                double slope = 0;
                values[v] = q - step;
                const double low = own_gap(checker, values, a, b);
                values[v] = q + step;
                const double high = own_gap(checker, values, a, b);
                values[v] = q;
                if (!one_slope(low, found.gap.upper, high, step, 3000.0, &slope)) {
                    sum.jumps += 1;
                    continue;
                }
                sum.compared += 1;
                sum.worst = fmax(sum.worst, fabs(slope - gradient[v]));
                assert_true(fabs(slope - gradient[v]) <= 1e-3 * (1 + fabs(slope)));
            }
        }
        berth_checker_destroy(checker);
        berth_scene_destroy(scene);
    }
    print_message("report real slopes: %lld compared, %lld jumps, worst %.2g\n", (long long)sum.compared,
                  (long long)sum.jumps, sum.worst);
    assert_true(sum.jumps * 20 < sum.compared);
}

// ---- where there is none --------------------------------------------------------------------------------------

static void overlaps_have_none(void** state) {
    (void)state;
    static Truth truth[VERDICT_PAIRS];
    int64_t overlaps = 0;
    for (int i = 0; i < test_scaled(60); ++i) {
        Random random = {.state = 43u * (uint64_t)(i + 1)};
        const WorldPlan plan = {
            .style = WORLD_PLAIN, .robots = 1, .joints = 8, .objects = 5, .no_padding = true};
        World* world = world_make(&random, &plan);
        BerthChecker* checker = checker_of(world->scene);
        double values[VALUE_MAX], gradient[VALUE_MAX];
        world_values(world, &random, values);
        const int count = true_gaps(world, values, truth);
        for (int k = 0; k < count; ++k) {
            BerthGapGradient found = {.defined = true};
            assert_int_equal(
                berth_check_gradient(checker, values, truth[k].a->index, truth[k].b->index, gradient, &found),
                BERTH_OK);
            if (truth[k].gap.upper < -1e-9L || truth[k].gap.lower < -1) {
                assert_false(found.defined);
                overlaps += 1;
            } else if (truth[k].gap.lower > 1e-9L) {
                assert_true(found.defined);
            }
        }
        BerthGapGradient found = {.defined = true};
        assert_int_equal(berth_check_gradient(checker, values, 0, 0, gradient, &found), BERTH_ERR_ARGUMENT);
        assert_false(found.defined);
        assert_int_equal(berth_check_gradient(checker, values, -1, 0, gradient, &found), BERTH_ERR_ARGUMENT);
        assert_int_equal(berth_check_gradient(checker, values, 0, world->brute.body_count, gradient, &found),
                         BERTH_ERR_ARGUMENT);
        berth_checker_destroy(checker);
        world_destroy(world);
    }
    assert_true(!test_is_whole() || overlaps > 0);
}

int test_check_gradient(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_robots),
        cmocka_unit_test(real_robots),
        cmocka_unit_test(overlaps_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
