// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps and clouds under the guard: whatever is permitted is further from them than the margin, by simple bodies and by the
// surface itself; what is inside of a block of cells is not permitted; and there are permits.
// test-share: 0.4

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/math.h"
#include "support/grids.h"
#include "support/guard.h"
#include "support/meshes.h"
#include "support/setting.h"

static const BerthJointLimit slow = {1.0, 4.0, 8.0};

static void add_cloud(GuardKit* kit, Random* random) {
    BerthVec3 points[40];
    for (int i = 0; i < 40; ++i) {
        points[i] = test_pose(random, 1.2).t;
    }
    BerthObjectDef object = berth_default_object_def();
    object.name = "cloud";
    object.radius = 0.02;
    assert_int_equal(berth_solid_from_points(points, 40, NULL, &object.solid), BERTH_OK);
    assert_int_equal(berth_scene_add_object(kit->scene, &object, NULL), BERTH_OK);
}

// The smallest gap of the state, by the check room; 0 for a hit.
static double clearance(const BerthScene* scene, const double* values) {
    BerthChecker* checker = NULL;
    const BerthCheckerDef def = berth_default_checker_def();
    const BerthCheckRequest request = {.distance = true};
    BerthCheckResult r;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
    assert_int_equal(berth_check_state(checker, values, &request, &r), BERTH_OK);
    berth_checker_destroy(checker);
    return r.verdict == BERTH_FREE ? r.clearance.upper : 0.0;
}

static void permits_keep_the_margin(void** state) {
    (void)state;
    static GuardKit kit;
    static Grid grid;
    int go[2] = {0, 0}, stop[2] = {0, 0}, far = 0;
    const int rounds = test_scaled(80) < 40 ? 40 : test_scaled(80);  // of fewer none may stop
    for (int round = 0; round < rounds; ++round) {
        Random random = {(uint64_t)round * 31 + 7};
        const bool refine = round % 2 == 1;
        kit_open(&kit, kit_arm, NULL, false, slow);
        grid_random(&random, round % 4 == 0 ? 2 : 3, 10, 0.12, &grid);
        const BerthPose pose = test_pose(&random, 1.0);
        assert_true(grid_add(&grid, kit.scene, "map", &pose, NULL, true).age > 0);
        if (round % 3 == 0) {
            add_cloud(&kit, &random);
        }
        kit.def.good_needed = 1;
        kit.def.refine = refine;
        kit.q[0] = bi_random_between(&random, -3.0, 3.0);
        kit.q[1] = bi_random_between(&random, -2.4, 2.4);
        kit_start(&kit);
        const BerthPermit permit = kit_wake(&kit);
        const BerthSafety safety = kit.def.safety;
        const double gap = clearance(kit.scene, kit.q);
        if (permit.go && !(gap > safety.margin)) {
            fail_msg("round %d: permitted at %g m, the margin is %g m", round, gap, safety.margin);
        }
        go[refine] += permit.go;
        stop[refine] += !permit.go;
        far += !permit.go && refine && gap > safety.margin + 0.3;
        kit_close(&kit);
    }
    print_message("by simple bodies %d permits of %d, by surfaces %d of %d\n", go[0], go[0] + stop[0], go[1],
                  go[1] + stop[1]);
    assert_true(go[0] > rounds / 20 && go[1] > rounds / 8 && stop[0] + stop[1] > 0);
    assert_int_equal(far, 0);
}

// The carriage of the rail within a block that is larger than it: no surface is near.
static void inside_of_a_block(void** state) {
    (void)state;
    static GuardKit kit;
    static Grid grid;
    for (int refine = 0; refine < 2; ++refine) {
        kit_open(&kit, kit_rail, NULL, false, slow);
        grid = (Grid){.dim = 3, .size = {4, 4, 4}, .resolution = 1.0, .origin = {-2, -2, -2}};
        memset(grid.colour, 1, sizeof grid.colour);
        const BerthPose still = pose_identity();
        assert_true(grid_add(&grid, kit.scene, "block", &still, NULL, true).age > 0);
        kit.def.good_needed = 1;
        kit.def.refine = refine != 0;
        kit_start(&kit);
        const BerthPermit permit = kit_wake(&kit);
        assert_false(permit.go);
        assert_int_equal(permit.reason, BERTH_STOP_NEAR);
        kit_close(&kit);
    }
}

int test_monitor_map(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permits_keep_the_margin),
        cmocka_unit_test(inside_of_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
