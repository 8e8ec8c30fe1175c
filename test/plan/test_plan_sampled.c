// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The sampled SBL of paper 001's comparison (berth/lab/plan.h): it finds what its samples do not refute, no more and no less.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include <berth/lab/plan.h>

#include "support/kit.h"

// A ball of radius 0.1 slides in the plane; a wall 0.2 thick stands across x = 0, maybe with an opening of 0.3 about y = 1.5.
static Kit make_walled(bool is_open) {
    Kit kit = kit_new();
    kit_limit(&kit, -2.0, 2.0);
    const int x = kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, (BerthVec3){1, 0, 0}, (BerthVec3){0, 0, 0});
    kit_limit(&kit, -2.0, 2.0);
    const int y = kit_link(&kit, x, BERTH_JOINT_PRISMATIC, (BerthVec3){0, 1, 0}, (BerthVec3){0, 0, 0});
    kit_solid(&kit, y, kit_ball(0.1), (BerthVec3){0, 0, 0});
    kit_robot(&kit, NULL);
    kit_object(&kit, kit_box(0.2, 3.35, 1), kit_at(0, 1.35 - 0.5 * 3.35, 0), NULL);
    kit_object(&kit, kit_box(0.2, 1.35, 1), kit_at(0, 1.65 + 0.5 * 1.35, 0), NULL);
    if (!is_open) {
        kit_object(&kit, kit_box(0.2, 0.5, 1), kit_at(0, 1.5, 0), NULL);
    }
    kit_commit(&kit);
    return kit;
}

// By hand: surely blocked, with room for the corners of the opening.
static bool is_blocked(double x, double y) {
    return fabs(x) < 0.199 && (y < 1.35 || y > 1.65);
}

// All middles of the line's pieces, down to pieces shorter than the resolution.
static int blocked_middles(const double* from, const double* to, double resolution) {
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    int count = 0;
    for (int level = 0; ldexp(length, -level) > resolution; ++level) {
        for (int i = 0; i < 1 << level; ++i) {
            const double t = (i + 0.5) / (1 << level);
            count += is_blocked(from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]));
        }
    }
    return count;
}

typedef struct Count {
    int found, free, colliding, blocked;
} Count;

static Count plan(const BerthScene* scene, double resolution, int seeds) {
    static const double left[2] = {-1.0, -1.0}, right[2] = {1.0, -1.0};
    const BerthPlannerLab lab = {.resolution = resolution};
    BerthPlannerDef def = berth_default_planner_def();
    Count count = {0};
    def.kind = BERTH_PLANNER_SBL;
    def.sample_budget = 2000;
    def.lab = &lab;
    for (int seed = 0; seed < seeds; ++seed) {
        BerthPlanner* planner = NULL;
        BerthPlanResult result;
        BerthPlanProof proof;
        def.seed = (uint64_t)seed;
        assert_int_equal(berth_planner_create(scene, &def, &planner), BERTH_OK);
        assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){left, right, 1}, &result), BERTH_OK);
        count.found += result.found;
        for (int row = 0; row + 1 < result.row_count; ++row) {
            count.blocked += blocked_middles(result.rows + 2 * row, result.rows + 2 * row + 2, resolution);
        }
        if (result.found) {
            assert_int_equal(berth_planner_certify(planner, false, NULL, &proof), BERTH_OK);
            count.free += proof.verdict == BERTH_FREE;
            count.colliding += proof.verdict == BERTH_COLLISION;
        }
        berth_planner_destroy(planner);
    }
    return count;
}

// Coarse samples do not see a wall; the proof does.
static void coarse_samples_pass_walls(void** state) {
    (void)state;
    Kit kit = make_walled(false);
    const Count coarse = plan(kit.scene, 3.0, 10), fine = plan(kit.scene, 0.05, 10);
    assert_true(coarse.found == 10 && coarse.colliding == 10 && coarse.blocked == 0);
    assert_int_equal(fine.found, 0);
    kit_free(&kit);
}

static void fine_samples_find_the_opening(void** state) {
    (void)state;
    Kit kit = make_walled(true);
    const Count fine = plan(kit.scene, 0.02, 10);
    assert_true(fine.found >= 8 && fine.blocked == 0);
    assert_true(fine.free + fine.colliding <= fine.found && fine.free > 0);
    kit_free(&kit);
}

static void nonsense_is_refused(void** state) {
    (void)state;
    Kit kit = make_walled(true);
    const BerthPlannerLab labs[] = {
        {.resolution = -1.0}, {.resolution = NAN}, {.method = BERTH_METHOD_FIXED}, {.resolution = 0.1}};
    for (int i = 0; i < 4; ++i) {
        BerthPlanner* planner = NULL;
        BerthPlannerDef def = berth_default_planner_def();
        def.kind = i < 3 ? BERTH_PLANNER_SBL : BERTH_PLANNER_RRT_CONNECT;
        def.lab = &labs[i];
        assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_ERR_ARGUMENT);
        assert_null(planner);
    }
    kit_free(&kit);
}

int test_plan_sampled(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(coarse_samples_pass_walls),
                                       cmocka_unit_test(fine_samples_find_the_opening),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
