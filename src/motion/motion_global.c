// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Levers that hold for any joint values (paper 001, IV-C): a ball around a body's points is carried from
// joint to joint inward, each joint free to turn fully. Slides stay within their limits; beyond them the ball
// is infinite.
// Entries: bi_global_lever, bi_global_carry, bi_global_keeps_limits.

#include "motion/motion.h"

// The ball's centre as seen along the axis that it turns about; a floating frame turns about any through its origin.
static Vec3 foot_of(const RobotFrame* frame, Vec3 centre) {
    return frame->motion == FRAME_FLOATING ? v3(0, 0, 0) : v3_scale(frame->axis, v3_dot(frame->axis, centre));
}

double bi_global_lever(const RobotFrame* frame, Ball ball) {
    return (v3_distance(ball.centre, foot_of(frame, ball.centre)) + ball.radius) * MOTION_GROWN;
}

/// Where a slide can be.
typedef struct SlideRange {
    double low, high;
    bool known;
} SlideRange;

static SlideRange range_of_slide(const BerthRobot* robot, const RobotFrame* frame) {
    const RobotValue* value = &robot->values[frame->value];
    const double a = frame->multiplier * value->lower + frame->offset;
    const double b = frame->multiplier * value->upper + frame->offset;
    return (SlideRange){a < b ? a : b, a < b ? b : a, value->has_limits};
}

Ball bi_global_carry(const BerthRobot* robot, const RobotFrame* frame, Ball ball, bool limits) {
    Ball out = {ball.centre, (double)INFINITY};
    if (frame->motion == FRAME_SLIDE && limits) {
        const SlideRange range = range_of_slide(robot, frame);
        out.centre = v3_mad(ball.centre, 0.5 * (range.low + range.high), frame->axis);
        out.radius = range.known ? (ball.radius + 0.5 * (range.high - range.low)) * MOTION_GROWN : out.radius;
    } else if (frame->motion != FRAME_SLIDE && frame->motion != FRAME_PLANAR &&
               frame->motion != FRAME_FLOATING) {
        out.centre = foot_of(frame, ball.centre);
        out.radius = bi_global_lever(frame, ball);
    }
    out.centre = pose_apply(&frame->parent_from_joint, out.centre);
    return out;
}

bool bi_global_keeps_limits(const BerthMotionChecker* motion, int32_t frame, double half) {
    const BerthScene* scene = motion->scene;
    int32_t r = 0;
    while (r + 1 < scene->robot_count && scene->robots[r + 1].first_frame <= frame) {
        r += 1;
    }
    const SceneRobot* robot = &scene->robots[r];
    const RobotFrame* f = &robot->robot->frames[frame - robot->first_frame];
    if (f->motion != FRAME_SLIDE) {
        return true;
    }

    const SlideRange range = range_of_slide(robot->robot, f);
    const FrameRate* rate = &motion->rates[frame];
    const double at = f->multiplier * motion->checker->values[robot->first_value + f->value] + f->offset;
    const double away = half * rate->slide_most + rate->slide_error;
    return range.known && at - away >= range.low && at + away <= range.high;
}
