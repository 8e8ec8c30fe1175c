// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Runs the tests that hold NEON against plain C: of primitives, of kernels, of robots in lanes; then tests of rooms above, which
// know nothing of processors. Made by tools/test_arm64.

#include <stdbool.h>
#include <stdio.h>

#include "mesh/hull_build.h"
#include "simd/simd.h"

int test_simd_wide(void);
int test_simd_box(void);
int test_simd_lanes(void);
int test_lanes_rigs(void);
int test_motion_agree(void);
int test_motion_bounds(void);
int test_path_cache(void);
int test_motion_closed(void);
int test_motion_queue(void);
int test_plan_find(void);
int test_plan_nearest(void);
int test_plan_roadmap(void);
int test_batch_threads(void);

// Without qhull all distinct points are vertices of a hull.
BerthStatus bi_hull_qhull(HullBuild* build, bool* flat, bool* failed) {
    (void)build;
    *flat = false;
    *failed = true;
    return BERTH_OK;
}

int main(void) {
    if (bi_simd_kernels()->isa != SIMD_NEON) {
        printf("FAILED: the best kernels are not NEON's\n");
        return 1;
    }

    static int (*const tests[])(void) = {
        test_simd_wide,     test_simd_box,     test_simd_lanes,    test_lanes_rigs,   test_motion_agree,
        test_motion_bounds, test_path_cache,   test_motion_closed, test_motion_queue, test_plan_find,
        test_plan_nearest,  test_plan_roadmap, test_batch_threads};
    int failed = 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
        failed += tests[i]();
    }
    return failed;
}
