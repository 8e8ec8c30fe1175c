// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Runs the tests that hold NEON against plain C: of primitives, of kernels, of robots in lanes. Made by tools/test_arm64.

#include <stdbool.h>
#include <stdio.h>

#include "mesh/hull_build.h"
#include "simd/simd.h"

int test_simd_wide(void);
int test_simd_box(void);
int test_simd_lanes(void);
int test_lanes_rigs(void);

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
    return test_simd_wide() + test_simd_box() + test_simd_lanes() + test_lanes_rigs();
}
