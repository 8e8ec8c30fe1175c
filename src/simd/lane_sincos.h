// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sine and cosine of float lanes for angles up to LANE_ANGLE_MOST: reduced by pi/2 in three parts (products
// of the first two with a small integer are exact), then polynomials fitted here. The error is at most
// LANE_SINCOS_ERROR, which test_simd_lanes shows by trying every float.

#ifndef BI_LANE_SINCOS_H
#define BI_LANE_SINCOS_H

#include "simd/wide.h"

/// No float up to LANE_ANGLE_MOST has a sine or cosine that is further off.
#define LANE_SINCOS_ERROR 1e-7

static inline void lane_sincos(f32w x, f32w* sine, f32w* cosine) {
    const f32w shift = wide_set(0x1.8p23f);
    const f32w n = wide_sub(wide_fma(x, wide_set(0x1.45f306p-1f), shift), shift);
    f32w r = wide_fnma(n, wide_set(0x1.92p+0f), x);
    r = wide_fnma(n, wide_set(0x1.fb4p-12f), r);
    r = wide_fnma(n, wide_set(0x1.4442d2p-24f), r);

    const f32w sq = wide_mul(r, r);
    f32w s = wide_fma(sq, wide_set(-0x1.9aca2ap-13f), wide_set(0x1.110c2ap-7f));
    s = wide_fma(sq, s, wide_set(-0x1.555552p-3f));
    s = wide_fma(wide_mul(r, sq), s, r);
    f32w c = wide_fma(sq, wide_set(0x1.9bd8e8p-16f), wide_set(-0x1.6c12d4p-10f));
    c = wide_fma(sq, c, wide_set(0x1.555554p-5f));
    c = wide_fma(wide_mul(sq, sq), c, wide_fma(sq, wide_set(-0.5f), wide_set(1.0f)));

    wide_quarter_turns(n, s, c, sine, cosine);
}

#endif
