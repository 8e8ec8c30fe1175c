// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which points are near a centre, written once on wide.h.
// Entry: points_near.

#ifndef BI_POINTS_KERNEL_H
#define BI_POINTS_KERNEL_H

#include "simd/simd.h"
#include "simd/wide.h"

static void points_near(const float* points, int32_t stride, const float centre[3], float within_sq,
                        float beyond_sq, uint64_t* within, uint64_t* not_beyond) {
    const f32w cx = wide_set(centre[0]), cy = wide_set(centre[1]), cz = wide_set(centre[2]);
    const f32w near_sq = wide_set(within_sq), far_sq = wide_set(beyond_sq);

    for (int32_t first = 0; first < stride; first += POINTS_STEP) {
        uint64_t sure = 0, possible = 0;
        for (int32_t k = 0; k < POINTS_STEP; k += WIDE) {
            const float* at = points + first + k;
            const f32w dx = wide_sub(wide_load(at), cx);
            const f32w dy = wide_sub(wide_load(at + stride), cy);
            const f32w dz = wide_sub(wide_load(at + 2 * (int64_t)stride), cz);
            const f32w d_sq = wide_add(wide_mul(dx, dx), wide_add(wide_mul(dy, dy), wide_mul(dz, dz)));
            sure |= (uint64_t)wide_gt(near_sq, d_sq) << k;
            possible |= (uint64_t)wide_not_gt(d_sq, far_sq) << k;
        }
        within[first / POINTS_STEP] = sure;
        not_beyond[first / POINTS_STEP] = possible;
    }
}

#endif
