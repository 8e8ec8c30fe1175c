// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How fast each frame can move on an interval of a segment: what its values do, through its joint.
// Entries: bi_motion_rates, bi_motion_values.

#include "math/math.h"
#include "motion/motion.h"
#include "scene/segment.h"

const char* berth_method_name(BerthMethod method) {
    static const char* const names[BERTH_METHOD_COUNT] = {"default", "second-order", "adaptive", "refined",
                                                          "fixed"};
    return (int)method >= 0 && method < BERTH_METHOD_COUNT ? names[method] : "unknown";
}

// How fast at the middle is not known, so nothing is to second order.
static SegmentBounds jet_of_function(const BerthMotionFunction* function, int32_t i) {
    return (SegmentBounds){0.0, 0.0, function->speeds[i], (double)INFINITY, 0.0};
}

static void one_value_rate(BerthMotionChecker* motion, const RobotFrame* f, const SegmentBounds* jet,
                           int32_t value, FrameRate* rate) {
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
static void base_rate(BerthMotionChecker* motion, const RobotFrame* f, const SegmentBounds* jets,
                      int32_t value, FrameRate* rate) {
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

static void frame_rate(BerthMotionChecker* motion, const SceneRobot* robot, const RobotFrame* f,
                       const BerthSegment* segment, Span span, FrameRate* rate) {
    *rate = (FrameRate){.axis = {0, 0, 1}};
    const int32_t value = robot->first_value + f->value;
    if (f->motion == FRAME_STILL) {
        return;
    }

    // One value: a slide or a turn.
    if (f->motion != FRAME_PLANAR && f->motion != FRAME_FLOATING) {
        const SegmentBounds jet = motion->function != NULL
                                      ? jet_of_function(motion->function, value)
                                      : bi_segment_bounds(segment, value, span.middle, span.half);
        one_value_rate(motion, f, &jet, value, rate);
        return;
    }

    // Three or more: a base.
    SegmentBounds jets[3];
    for (int k = 0; k < 3; ++k) {
        jets[k] = motion->function != NULL ? jet_of_function(motion->function, value + k)
                                           : bi_segment_bounds(segment, value + k, span.middle, span.half);
    }
    base_rate(motion, f, jets, value, rate);

    if (f->motion == FRAME_FLOATING) {
        const SegmentArc arc = bi_segment_arc(segment->from + value + 3, segment->to + value + 3);
        rate->axis = arc.axis;
        rate->turn = arc.angle;
        rate->turn_most = fabs(arc.angle);

        // An error of length e in a unit quaternion turns by at most 2 asin(e) <= pi e, about any axis; no two
        // orientations are more than pi apart.
        for (int k = 3; k < 7; ++k) {
            const double lost = segment->curves != NULL ? segment->curves[value + k].error : 0.0;
            rate->turn_error += 3.1416 * (motion->tracking_error[value + k] + lost);
        }
        rate->any_axis = rate->turn_error > 0.0;
    }
}

// The value, or NaN where the function went further than its speeds allow: such a function proves nothing.
static double checked_by_speed(const BerthSegment* segment, const BerthMotionFunction* function, int32_t i,
                               double t, double value) {
    const double slack = 1e-12 * (1.0 + fabs(segment->from[i]) + fabs(segment->to[i]) + function->speeds[i]);
    const bool good = fabs(value - segment->from[i]) <= function->speeds[i] * t + slack &&
                      fabs(value - segment->to[i]) <= function->speeds[i] * (1.0 - t) + slack;
    return good ? value : NAN;
}

void bi_motion_values(const BerthMotionChecker* motion, const BerthSegment* segment, double t,
                      double* values) {
    const BerthMotionFunction* function = motion->function;
    if (function == NULL) {
        berth_segment_values(motion->scene, segment, t, values);
        return;
    }
    function->values(function->user, t, values);
    for (int32_t i = 0; i < segment->value_count; ++i) {
        values[i] = checked_by_speed(segment, function, i, t, values[i]);
    }
}

void bi_motion_rates(BerthMotionChecker* motion, const BerthSegment* segment, Span span) {
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
