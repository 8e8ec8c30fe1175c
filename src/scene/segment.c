// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The values of a segment at time t, and how fast they can change on an interval around it. Values follow
// polynomials of t, floating joints turn about one axis at constant speed. Hot.
// Entries: bi_segment_bounds, bi_segment_arc, berth_segment_values.

#include "scene/segment.h"

#include "math/math.h"
#include "robot/robot.h"

// from + t (to - from) has three roundings.
#define STRAIGHT_ROUNDING (4.0 * BI_ULP)
// Horner's scheme loses at most 10 u of the sum of all |term|, for each derivative d[k] with its factors; on an interval
// of half-length 1/2 these add up to 10 u (1 + 1/2)^j |term[j]|, and 1.5^5 < 8.
#define CURVE_ROUNDING (80.0 * BI_ULP)

static SegmentBounds straight_jet(const BerthSegment* segment, int32_t i, double t) {
    const double d = segment->to[i] - segment->from[i];
    return (SegmentBounds){segment->from[i] + t * d, d, fabs(d), 0.0,
                           STRAIGHT_ROUNDING * (fabs(segment->from[i]) + fabs(segment->to[i]))};
}

// Taylor's formula around t bounds the derivatives on [t - half, t + half].
static SegmentBounds curve_jet(const BerthCurve* curve, double t, double half) {
    double d[BERTH_CURVE_TERMS];  // d[k]: k-th derivative at t
    for (int k = 0; k < BERTH_CURVE_TERMS; ++k) {
        double sum = 0.0;
        for (int j = BERTH_CURVE_TERMS - 1; j >= k; --j) {
            double factor = curve->term[j];
            for (int i = 0; i < k; ++i) {
                factor *= j - i;
            }
            sum = sum * t + factor;
        }
        d[k] = sum;
    }

    SegmentBounds jet = {d[0], d[1], 0.0, 0.0, 0.0};
    double power = 1.0;  // half^k / k!
    for (int k = 0; k + 1 < BERTH_CURVE_TERMS; ++k) {
        jet.speed_most += fabs(d[k + 1]) * power;
        jet.bend_most += k + 2 < BERTH_CURVE_TERMS ? fabs(d[k + 2]) * power : 0.0;
        power *= half / (k + 1);
    }

    jet.rounding = curve->error;
    for (int k = 0; k < BERTH_CURVE_TERMS; ++k) {
        jet.rounding += CURVE_ROUNDING * fabs(curve->term[k]);
    }
    return jet;
}

SegmentBounds bi_segment_bounds(const BerthSegment* segment, int32_t value, double t, double half) {
    return segment->curves == NULL ? straight_jet(segment, value, t)
                                   : curve_jet(&segment->curves[value], t, half);
}

static BerthQuat unit_quat(const double* v) {
    const double s = 1.0 / sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    return (BerthQuat){v[0] * s, v[1] * s, v[2] * s, v[3] * s};
}

// The angle in [0, pi/2] whose sine and cosine are in the ratio s : c. Each step leaves a sixth of the error's cube.
static double angle_of(double s, double c) {
    const double length = sqrt(s * s + c * c);
    double angle = s > c ? 1.57 - c / length : s / length;
    for (int step = 0; step < 4; ++step) {
        double sine = 0.0;
        double cosine = 0.0;
        bi_sincos(angle, &sine, &cosine);
        angle -= (sine * c - cosine * s) / length;
    }
    return angle;
}

SegmentArc bi_segment_arc(const double* from, const double* to) {
    const BerthQuat a = unit_quat(from);
    BerthQuat b = unit_quat(to);
    const double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if (dot < 0.0) {
        b = (BerthQuat){-b.x, -b.y, -b.z, -b.w};
    }

    // conj(a) * b
    const Vec3 v =
        v3(a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y, a.w * b.y - a.y * b.w - a.z * b.x + a.x * b.z,
           a.w * b.z - a.z * b.w - a.x * b.y + a.y * b.x);

    const double s = v3_length(v);
    const double c = fabs(dot);
    return (SegmentArc){a, v3_unit_or(v, v3(1, 0, 0)), 2.0 * angle_of(s, c)};
}

static void write_arc_at(const SegmentArc* arc, double t, double* out) {
    double s = 0.0;
    double c = 0.0;
    bi_sincos(0.5 * arc->angle * t, &s, &c);

    const BerthQuat a = arc->from;
    const BerthQuat r = {arc->axis.x * s, arc->axis.y * s, arc->axis.z * s, c};
    out[0] = a.w * r.x + a.x * r.w + a.y * r.z - a.z * r.y;
    out[1] = a.w * r.y + a.y * r.w + a.z * r.x - a.x * r.z;
    out[2] = a.w * r.z + a.z * r.w + a.x * r.y - a.y * r.x;
    out[3] = a.w * r.w - a.x * r.x - a.y * r.y - a.z * r.z;
}

void berth_segment_values(const BerthScene* scene, const BerthSegment* segment, double t, double* values) {
    for (int32_t i = 0; i < segment->value_count; ++i) {
        values[i] = bi_segment_bounds(segment, i, t, 0.0).at;
    }

    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t k = 0; k < robot->robot->frame_count; ++k) {
            const RobotFrame* f = &robot->robot->frames[k];
            if (f->motion == FRAME_FLOATING) {
                const int32_t q = robot->first_value + f->value + 3;
                const SegmentArc arc = bi_segment_arc(segment->from + q, segment->to + q);
                write_arc_at(&arc, t, values + q);
            }
        }
    }
}
