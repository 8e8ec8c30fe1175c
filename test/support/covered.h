// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// For tests of covers: points of triangles, and whether a ball has them.

#ifndef TEST_SUPPORT_COVERED_H
#define TEST_SUPPORT_COVERED_H

#include "math/math.h"
#include "oracle/exact.h"

static inline bool ball_has(Vec3 centre, double radius, Vec3 p) {
    const double at[3] = {p.x, p.y, p.z}, c[3] = {centre.x, centre.y, centre.z};
    // Far inside needs no big numbers.
    return v3_distance(p, centre) < 0.999999 * radius || exact_ball_contains(c, radius, at);
}

static inline Vec3 random_on_triangle(const Vec3 t[3], Random* random) {
    double a = bi_random_between(random, 0, 1), b = bi_random_between(random, 0, 1);
    if (a + b > 1.0) {
        a = 1.0 - a;
        b = 1.0 - b;
    }
    return v3_mad(v3_mad(t[0], a, v3_sub(t[1], t[0])), b, v3_sub(t[2], t[0]));
}

#endif
