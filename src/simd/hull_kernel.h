// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Supports of a hull along two directions at once, written once on wide.h.
// Entry: hull_supports.

#ifndef BI_HULL_KERNEL_H
#define BI_HULL_KERNEL_H

#include "simd/simd.h"
#include "simd/wide.h"

static inline float largest_lane(f32w v) {
    _Alignas(64) float lanes[WIDE];
    wide_store(lanes, v);
    float most = lanes[0];
    for (int i = 1; i < WIDE; ++i) {
        most = lanes[i] > most ? lanes[i] : most;
    }
    return most;
}

static inline f32w support_of_lanes(const float n[3], f32w x, f32w y, f32w z, f32w r) {
    return wide_add(wide_add(wide_mul(wide_set(n[0]), x), wide_mul(wide_set(n[1]), y)),
                    wide_add(wide_mul(wide_set(n[2]), z), r));
}

static void hull_supports(const float* points, int32_t stride, const float first[3], const float second[3],
                          float out[2]) {
    f32w most_first = wide_set(-3e38f);
    f32w most_second = wide_set(-3e38f);
    for (int32_t i = 0; i < stride; i += WIDE) {
        const f32w x = wide_load(points + i);
        const f32w y = wide_load(points + stride + i);
        const f32w z = wide_load(points + 2 * stride + i);
        const f32w r = wide_load(points + 3 * stride + i);
        most_first = wide_max(support_of_lanes(first, x, y, z, r), most_first);
        most_second = wide_max(support_of_lanes(second, x, y, z, r), most_second);
    }

    out[0] = largest_lane(most_first);
    out[1] = largest_lane(most_second);
}

#endif
