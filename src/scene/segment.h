// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a segment: each value at a time, how fast it can change on an interval around it, and the
// arc along which a floating joint turns.

#ifndef BI_SEGMENT_H
#define BI_SEGMENT_H

#include "scene/scene.h"

/// One value of a segment at a time t, and what bounds it on [t - half, t + half].
typedef struct SegmentBounds {
    double at, speed;              ///< value and first derivative at t
    double speed_most, bend_most;  ///< largest first and second derivative on the interval
    double
        rounding;  ///< how far the value may be off on the interval by what doubles lose; counts as an error
} SegmentBounds;
SegmentBounds bi_segment_bounds(const BerthSegment* segment, int32_t value, double t, double half);

/// One end of a value's way, in the time of the segment: speed is per duration, bend per duration squared.
typedef struct CurveEnd {
    double position, speed, bend;
} CurveEnd;
BerthCurve bi_curve_line(CurveEnd a, CurveEnd b);
BerthCurve bi_curve_cubic(CurveEnd a, CurveEnd b);
BerthCurve bi_curve_quintic(CurveEnd a, CurveEnd b);
/// Its control points as a Bezier curve of degree 5, rounded: the curve lies between the least and the greatest.
void bi_curve_control_points(const BerthCurve* curve, double point[BERTH_CURVE_TERMS]);

/// The shorter arc between two orientations.
typedef struct SegmentArc {
    BerthQuat from;
    Vec3 axis;     ///< in the frame itself
    double angle;  ///< radians, >= 0
} SegmentArc;
/// The arc between two quaternions, x y z w.
SegmentArc bi_segment_arc(const double* from, const double* to);

#endif
