// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where a segment is at time t, and how fast each frame can move on an interval around it. Values run along polynomials
// of t, floating joints turn about one axis at constant speed.

#include "math/math.h"
#include "motion/motion.h"

const char* berth_method_name(BerthMethod method) {
    static const char* const names[BERTH_METHOD_COUNT] = {"default", "second-order", "adaptive", "refined",
                                                          "fixed"};
    return (int)method >= 0 && method < BERTH_METHOD_COUNT ? names[method] : "unknown";
}

/// Derivatives of one value at a time.
typedef struct Jet {
    double at, speed;
    double speed_most, bend_most;  // on the interval
    double
        rounding;  // how far the value may be off on the interval by what doubles lose here; counts as an error
} Jet;

// from + t (to - from) has three roundings.
#define STRAIGHT_ROUNDING (4.0 * BI_ULP)
// Horner's scheme loses at most 10 u of the sum of all |term|, for each derivative d[k] with its factors; on an interval
// of half-length 1/2 these add up to 10 u (1 + 1/2)^j |term[j]|, and 1.5^5 < 8.
#define CURVE_ROUNDING (80.0 * BI_ULP)

static Jet straight(const BerthSegment* segment, int32_t i, double t) {
    const double d = segment->to[i] - segment->from[i];
    return (Jet){segment->from[i] + t * d, d, fabs(d), 0.0,
                 STRAIGHT_ROUNDING * (fabs(segment->from[i]) + fabs(segment->to[i]))};
}

// Taylor's formula around t bounds the derivatives on [t - half, t + half].
static Jet curved(const BerthCurve* curve, double t, double half) {
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
    Jet jet = {d[0], d[1], 0.0, 0.0, 0.0};
    double power = 1.0;  // half^k / k!
    for (int k = 0; k + 1 < BERTH_CURVE_TERMS; ++k) {
        jet.speed_most += fabs(d[k + 1]) * power;
        jet.bend_most += k + 2 < BERTH_CURVE_TERMS ? fabs(d[k + 2]) * power : 0.0;
        power *= half / (k + 1);
    }
    for (int k = 0; k < BERTH_CURVE_TERMS; ++k) {
        jet.rounding += CURVE_ROUNDING * fabs(curve->term[k]);
    }
    return jet;
}

// How fast at the middle is not known, so nothing is to second order.
static Jet lawless(const BerthMotionLaw* law, int32_t i) {
    return (Jet){0.0, 0.0, law->speeds[i], (double)INFINITY, 0.0};
}

static Jet jet_of(const BerthSegment* segment, int32_t i, double t, double half) {
    return segment->curves == NULL ? straight(segment, i, t) : curved(&segment->curves[i], t, half);
}

static BerthQuat unit_quat(const double* v) {
    const double s = 1.0 / sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    return (BerthQuat){v[0] * s, v[1] * s, v[2] * s, v[3] * s};
}

/// The shorter arc between two orientations: axis in the frame itself, and angle.
typedef struct Arc {
    BerthQuat from;
    Vec3 axis;
    double angle;
} Arc;

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

static Arc arc_between(const double* from, const double* to) {
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
    return (Arc){a, v3_unit_or(v, v3(1, 0, 0)), 2.0 * angle_of(s, c)};
}

static void arc_at(const Arc* arc, double t, double* out) {
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

static void one_value_rate(BerthMotion* motion, const RobotFrame* f, const Jet* jet, int32_t value,
                           FrameRate* rate) {
    const double m = fabs(f->multiplier);
    if (f->motion == FRAME_SLIDE) {
        rate->slide = v3_scale(f->axis, f->multiplier * jet->speed);
        rate->slide_most = m * jet->speed_most;
        rate->slide_bend = m * jet->bend_most;
        rate->slide_error = m * (motion->tracking_error[value] + jet->rounding);
    } else {
        rate->axis = f->axis;
        rate->turn = f->multiplier * jet->speed;
        rate->turn_most = m * jet->speed_most;
        rate->turn_bend = m * jet->bend_most;
        rate->turn_error = m * (motion->tracking_error[value] + jet->rounding);
    }
}

// Planar: x and y slide across the axis, theta turns about it. Floating: x, y, z slide, the arc turns.
static void base_rate(BerthMotion* motion, const RobotFrame* f, const Jet* jets, int32_t value,
                      FrameRate* rate) {
    const bool planar = f->motion == FRAME_PLANAR;
    const Vec3 along[3] = {planar ? f->across[0] : v3(1, 0, 0), planar ? f->across[1] : v3(0, 1, 0),
                           v3(0, 0, 1)};
    for (int k = 0; k < (planar ? 2 : 3); ++k) {
        rate->slide = v3_mad(rate->slide, jets[k].speed, along[k]);
        rate->slide_most += jets[k].speed_most;
        rate->slide_bend += jets[k].bend_most;
        rate->slide_error += motion->tracking_error[value + k] + jets[k].rounding;
    }
    if (planar) {
        rate->axis = f->axis;
        rate->turn = jets[2].speed;
        rate->turn_most = jets[2].speed_most;
        rate->turn_bend = jets[2].bend_most;
        rate->turn_error = motion->tracking_error[value + 2] + jets[2].rounding;
    }
}

static void frame_rate(BerthMotion* motion, const SceneRobot* robot, const RobotFrame* f,
                       const BerthSegment* segment, Span span, FrameRate* rate) {
    *rate = (FrameRate){.axis = {0, 0, 1}};
    const int32_t value = robot->first_value + f->value;
    if (f->motion == FRAME_STILL) {
        return;
    }
    if (f->motion != FRAME_PLANAR && f->motion != FRAME_FLOATING) {
        const Jet jet = motion->law != NULL ? lawless(motion->law, value)
                                            : jet_of(segment, value, span.middle, span.half);
        one_value_rate(motion, f, &jet, value, rate);
        return;
    }
    Jet jets[3];
    for (int k = 0; k < 3; ++k) {
        jets[k] = motion->law != NULL ? lawless(motion->law, value + k)
                                      : jet_of(segment, value + k, span.middle, span.half);
    }
    base_rate(motion, f, jets, value, rate);
    if (f->motion == FRAME_FLOATING) {
        const Arc arc = arc_between(segment->from + value + 3, segment->to + value + 3);
        rate->axis = arc.axis;
        rate->turn = arc.angle;
        rate->turn_most = fabs(arc.angle);
        // An error of length e in a unit quaternion turns by at most 2 asin(e) <= pi e, about any axis; no two
        // orientations are more than pi apart.
        for (int k = 3; k < 7; ++k) {
            rate->turn_error += 3.1416 * motion->tracking_error[value + k];
        }
        rate->any_axis = rate->turn_error > 0.0;
    }
}

void berth_segment_values(const BerthScene* scene, const BerthSegment* segment, double t, double* values) {
    for (int32_t i = 0; i < segment->value_count; ++i) {
        values[i] = jet_of(segment, i, t, 0.0).at;
    }
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t k = 0; k < robot->robot->frame_count; ++k) {
            const RobotFrame* f = &robot->robot->frames[k];
            if (f->motion == FRAME_FLOATING) {
                const int32_t q = robot->first_value + f->value + 3;
                const Arc arc = arc_between(segment->from + q, segment->to + q);
                arc_at(&arc, t, values + q);
            }
        }
    }
}

// A law that goes further than it says proves nothing: its value is then no number.
static double lawful(const BerthSegment* segment, const BerthMotionLaw* law, int32_t i, double t,
                     double value) {
    const double slack = 1e-12 * (1.0 + fabs(segment->from[i]) + fabs(segment->to[i]) + law->speeds[i]);
    const bool good = fabs(value - segment->from[i]) <= law->speeds[i] * t + slack &&
                      fabs(value - segment->to[i]) <= law->speeds[i] * (1.0 - t) + slack;
    return good ? value : NAN;
}

void bi_motion_values(const BerthMotion* motion, const BerthSegment* segment, double t, double* values) {
    const BerthMotionLaw* law = motion->law;
    if (law == NULL) {
        berth_segment_values(motion->scene, segment, t, values);
        return;
    }
    law->values(law->user, t, values);
    for (int32_t i = 0; i < segment->value_count; ++i) {
        values[i] = lawful(segment, law, i, t, values[i]);
    }
}

void bi_motion_rates(BerthMotion* motion, const BerthSegment* segment, Span span) {
    const BerthScene* scene = motion->scene;
    motion->segment = segment;
    bi_motion_values(motion, segment, span.middle, motion->values);
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t k = 0; k < robot->robot->frame_count; ++k) {
            frame_rate(motion, robot, &robot->robot->frames[k], segment, span,
                       &motion->rates[robot->first_frame + k]);
        }
    }
}
