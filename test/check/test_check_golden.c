// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Golden hashes: the verdicts of the models' scenes, the same for every compiler, instruction set and optimisation.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>

#include <berth/berth.h>

#include "check/check.h"
#include "robot/robot.h"

enum { STATES = 3000, VALUES_MAX = 64 };

// FNV-1a over the verdict and the bodies of the first hit of each state.
static uint64_t hash_verdicts(const BerthScene* scene, BerthChecker* checker) {
    uint64_t hash = 0xcbf29ce484222325u;
    Random random = {2026};
    for (int i = 0; i < STATES; ++i) {
        double values[VALUES_MAX];
        for (int32_t r = 0; r < scene->robot_count; ++r) {
            bi_robot_random_values(scene->robots[r].robot, &random, values + scene->robots[r].first_value);
        }
        BerthCheckResult result;
        const BerthCheckRequest request = {.distance = i % 4 == 0};
        assert_int_equal(berth_check_state(checker, values, &request, &result), BERTH_OK);
        const int32_t told[3] = {(int32_t)result.verdict, result.hit_count > 0 ? result.hits[0].body_a : -1,
                                 result.hit_count > 0 ? result.hits[0].body_b : -1};
        for (int k = 0; k < 3; ++k) {
            hash = (hash ^ (uint64_t)(uint32_t)told[k]) * 0x100000001b3u;
        }
    }
    return hash;
}

static void check_scene(const char* name, uint64_t expected) {
    char path[4096];
    snprintf(path, sizeof path, "%s/models/%s/cell.yaml", BERTH_BUILD_DIR, name);
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    assert_int_equal(berth_io_read_scene(path, &options, &scene), BERTH_OK);
    assert_true(scene->value_count <= VALUES_MAX);
    const BerthCheckerDef def = berth_default_checker_def();
    for (int isa = 0; isa < SIMD_ISA_COUNT; ++isa) {
        BerthChecker* checker = NULL;
        assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
        if (bi_simd_kernels_for((SimdIsa)isa) != NULL) {
            checker->query->kernels = bi_simd_kernels_for((SimdIsa)isa);
            const uint64_t hash = hash_verdicts(scene, checker);
            if (hash != expected) {
                fail_msg("%s, instruction set %d: hash 0x%016llx, expected 0x%016llx", name, isa,
                         (unsigned long long)hash, (unsigned long long)expected);
            }
        }
        berth_checker_destroy(checker);
    }
    berth_scene_destroy(scene);
}

static void two_arms(void** state) {
    (void)state;
    check_scene("two_arms", 0xf93aa89097b845f0u);
}

static void arm6(void** state) {
    (void)state;
    check_scene("arm6", 0xbfad3bc39974692cu);
}

static void room(void** state) {
    (void)state;
    check_scene("room", 0x3153c26180c22636u);
}

int test_check_golden(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_arms),
        cmocka_unit_test(arm6),
        cmocka_unit_test(room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
