// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sines and cosines of many angles, written once on wide.h: the operations of bi_sincos (src/math/math.c,
// whose error bound is in docs/theory/math.md) in the same order, so the same bits. Quadrants are
// distinguished by comparisons, which are exact.
// Entry: turns.

#ifndef BI_TURN_KERNEL_H
#define BI_TURN_KERNEL_H

#include "math/math.h"
#include "simd/simd.h"
#include "simd/wide.h"

// The polynomials' coefficients, highest power first.
static const double sine_terms[8] = {
    1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
    1.0 / 362880.0,          -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0};
static const double cosine_terms[7] = {
    1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
    1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0};

static inline f64w polynomial(const double* terms, int count, f64w s) {
    f64w sum = wide64_set(terms[0]);
    for (int i = 1; i < count; ++i) {
        sum = wide64_add(wide64_set(terms[i]), wide64_mul(s, sum));
    }
    return sum;
}

static inline f64w nearest_whole(f64w x) {
    return wide64_sub(wide64_add(x, wide64_set(0x1.8p52)), wide64_set(0x1.8p52));
}

static inline void turn_lanes(const double* angle, double* sine, double* cosine) {
    const f64w x = wide64_load(angle);
    const f64w n = nearest_whole(wide64_mul(x, wide64_set(0x1.45f306dc9c883p-1)));
    f64w r = wide64_sub(x, wide64_mul(n, wide64_set(0x1.921fb544p+0)));
    r = wide64_sub(r, wide64_mul(n, wide64_set(0x1.0b4611a6p-34)));
    r = wide64_sub(r, wide64_mul(n, wide64_set(0x1.3198a2e037073p-69)));

    const f64w sq = wide64_mul(r, r);
    const f64w s = wide64_add(r, wide64_mul(wide64_mul(r, sq), polynomial(sine_terms, 8, sq)));
    const f64w fourth = wide64_mul(wide64_mul(sq, sq), polynomial(cosine_terms, 7, sq));
    const f64w c = wide64_sub(wide64_set(1.0), wide64_sub(wide64_mul(wide64_set(0.5), sq), fourth));

    // The quadrant, from -2 to 2: what n has over the nearest multiple of four.
    const f64w fours = nearest_whole(wide64_mul(n, wide64_set(0.25)));
    const f64w quadrant = wide64_sub(n, wide64_mul(fours, wide64_set(4.0)));
    const f64w size = wide64_abs(quadrant);

    // Odd quadrants exchange sine and cosine.
    const f64w one = wide64_set(1.0), minus = wide64_set(-1.0), half = wide64_set(0.5),
               one_and_half = wide64_set(1.5);
    const f64w sin_up_to_one = wide64_if_le(size, half, s, c), cos_up_to_one = wide64_if_le(size, half, c, s);
    f64w sin_x = wide64_if_le(size, one_and_half, sin_up_to_one, s);
    f64w cos_x = wide64_if_le(size, one_and_half, cos_up_to_one, c);
    // Half a turn negates both; a quarter forward the cosine, a quarter back the sine.
    const f64w sin_sign =
        wide64_if_le(quadrant, wide64_set(-0.5), minus, wide64_if_le(size, one_and_half, one, minus));
    const f64w cos_sign = wide64_if_le(half, quadrant, minus, wide64_if_le(size, one_and_half, one, minus));

    // Angles that are too large, and NaN, give NaN.
    const f64w nothing = wide64_set((double)NAN);
    const f64w size_x = wide64_abs(x), most = wide64_set(BI_ANGLE_MAX);
    wide64_store(sine, wide64_if_le(size_x, most, wide64_mul(sin_x, sin_sign), nothing));
    wide64_store(cosine, wide64_if_le(size_x, most, wide64_mul(cos_x, cos_sign), nothing));
}

static void turns(const double* angle, int32_t count, double* sine, double* cosine) {
    for (int32_t i = 0; i < count; i += WIDE_DOUBLE) {
        turn_lanes(angle + i, sine + i, cosine + i);
    }
}

#endif
