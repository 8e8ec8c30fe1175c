// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Curves between two ends: straight lines, and the polynomials that meet position and velocity, quintics also acceleration,
// at both ends (Hermite), as ROS's joint_trajectory_controller follows them.
//
// With D the difference of positions, T the duration, V = v T, A = a T^2 and t in [0, 1]:
//   cubic    p0 + V0 t + (3 D - 2 V0 - V1) t^2 + (V0 + V1 - 2 D) t^3
//   quintic  p0 + V0 t + A0/2 t^2 + (10 D - 6 V0 - 4 V1 - (3 A0 - A1)/2) t^3
//            + (-15 D + 8 V0 + 7 V1 + (3 A0 - 2 A1)/2) t^4 + (6 D - 3 V0 - 3 V1 - (A0 - A1)/2) t^5
// Terms are rounded: a curve states how far that takes it from the polynomial that the file defines.
// Entries: bi_curve_line, bi_curve_cubic, bi_curve_quintic, bi_curve_control_points.

#include <math.h>

#include "math/tolerance.h"
#include "scene/segment.h"

/// What the terms lose, as a share of all that is added up in them: durations, speeds and bends have up to five
/// roundings, a term six more.
#define TERM_ROUNDING (16.0 * BI_ULP)

BerthCurve bi_curve_line(CurveEnd a, CurveEnd b) {
    const double d = b.position - a.position;
    return (BerthCurve){{a.position, d}, TERM_ROUNDING * fabs(d)};
}

BerthCurve bi_curve_cubic(CurveEnd a, CurveEnd b) {
    const double d = b.position - a.position;
    return (BerthCurve){{a.position, a.speed, 3.0 * d - 2.0 * a.speed - b.speed, a.speed + b.speed - 2.0 * d},
                        TERM_ROUNDING * (5.0 * fabs(d) + 4.0 * fabs(a.speed) + 2.0 * fabs(b.speed))};
}

BerthCurve bi_curve_quintic(CurveEnd a, CurveEnd b) {
    const double d = b.position - a.position;
    return (BerthCurve){{a.position, a.speed, 0.5 * a.bend,
                         10.0 * d - 6.0 * a.speed - 4.0 * b.speed - 0.5 * (3.0 * a.bend - b.bend),
                         -15.0 * d + 8.0 * a.speed + 7.0 * b.speed + 0.5 * (3.0 * a.bend - 2.0 * b.bend),
                         6.0 * d - 3.0 * (a.speed + b.speed) - 0.5 * (a.bend - b.bend)},
                        TERM_ROUNDING * (31.0 * fabs(d) + 18.0 * fabs(a.speed) + 14.0 * fabs(b.speed) +
                                         4.0 * fabs(a.bend) + 2.0 * fabs(b.bend))};
}

void bi_curve_control_points(const BerthCurve* curve, double point[BERTH_CURVE_TERMS]) {
    // point[i] = sum over k <= i of C(i, k) / C(5, k) term[k]
    static const double choose[BERTH_CURVE_TERMS][BERTH_CURVE_TERMS] = {
        {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}, {1, 5, 10, 10, 5, 1}};
    for (int i = 0; i < BERTH_CURVE_TERMS; ++i) {
        point[i] = 0.0;
        for (int k = 0; k <= i; ++k) {
            point[i] += choose[i][k] / choose[BERTH_CURVE_TERMS - 1][k] * curve->term[k];
        }
    }
}
