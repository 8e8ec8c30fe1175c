// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls carried up a chain of frames, growing by what each joint's range can add (errata 2.3 a).
// docs/theory/robot.md has the derivation and the rounding. NaN anywhere gives a ball whose radius is NaN or
// infinite: it proves nothing.

#include "robot/range.h"

// A sweep of less than a right angle to each side fits a smaller ball than the whole circle: just under pi/2.
static const double HALF_TURN_MOST = 1.57;

void bi_range_limits(const BerthRobot* robot, double* low, double* high) {
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const RobotValue* value = &robot->values[i];
        low[i] = value->has_limits ? value->lower : -INFINITY;
        high[i] = value->has_limits ? value->upper : INFINITY;
    }
}

// Rounding is monotone, so what kinematics compute from a value in between lies in between.
void bi_range_joint_value(const RobotFrame* frame, const double* low, const double* high, double* joint_low,
                          double* joint_high) {
    const double a = frame->multiplier * low[frame->value] + frame->offset;
    const double b = frame->multiplier * high[frame->value] + frame->offset;
    *joint_low = a < b ? a : b;
    *joint_high = a < b ? b : a;
}

// Everything that a turn by [low, high] about the axis makes of `ball`. With half the range f < pi/2 a point at
// distance d from the axis stays within d sin f of the point at distance d cos f on its mid direction.
static Ball turn_ball(Vec3 axis, double low, double high, Ball ball) {
    const Vec3 foot = v3_scale(axis, v3_dot(axis, ball.centre));
    const double half = 0.5 * (high - low);
    const double middle = low + half;
    if (half >= 0.0 && half < HALF_TURN_MOST && fabs(middle) <= BI_ANGLE_MAX) {
        double s = 1.0, c = 0.0;
        bi_sincos(half, &s, &c);
        const Pose turn = bi_pose_axis_angle(axis, middle, v3(0, 0, 0));
        const Vec3 arm = pose_turn(&turn, v3_sub(ball.centre, foot));
        const double d = v3_length(arm);

        // The middle and the half are rounded: angles are off by less than 2 u of their sizes.
        const double off = 4.0 * BI_ULP * (fabs(low) + fabs(high)) * d;
        return (Ball){v3_mad(foot, c, arm), ball.radius + s * d + off};
    }
    return (Ball){foot, ball.radius + v3_distance(ball.centre, foot)};
}

static Ball unbounded_ball(Ball ball) {
    return (Ball){ball.centre, INFINITY};
}

static double half_range(double low, double high) {
    const double half = 0.5 * (high - low);
    return half >= 0.0 ? half : (double)INFINITY;
}

// `travel`: how large the numbers are that the joint itself adds, for the rounding of the step.
static Ball slide_ball(const RobotFrame* frame, Ball ball, double low, double high, double* travel) {
    const double half = half_range(low, high);
    if (!(half < INFINITY)) {
        return unbounded_ball(ball);
    }
    *travel = fmax(fabs(low), fabs(high));
    return (Ball){v3_mad(ball.centre, low + half, frame->axis), ball.radius + half};
}

// The centre moves within the rectangle of x and y after any turn of theta's range about the axis.
static Ball planar_ball(const RobotFrame* frame, Ball ball, const double* a, const double* b,
                        double* travel) {
    const double x = half_range(a[0], b[0]), y = half_range(a[1], b[1]);
    if (!(x < INFINITY && y < INFINITY)) {
        return unbounded_ball(ball);
    }

    const Ball turned = turn_ball(frame->axis, a[2], b[2], ball);
    const Vec3 shift = v3_mad(v3_scale(frame->across[0], a[0] + x), a[1] + y, frame->across[1]);
    *travel = fmax(fabs(a[0]), fabs(b[0])) + fmax(fabs(a[1]), fabs(b[1]));
    return (Ball){v3_add(turned.centre, shift), turned.radius + sqrt(x * x + y * y)};
}

// Any rotation about the origin, then a shift within the box.
static Ball floating_ball(Ball ball, const double* a, const double* b, double* travel) {
    const Vec3 half = v3(half_range(a[0], b[0]), half_range(a[1], b[1]), half_range(a[2], b[2]));
    if (!v3_finite(half)) {
        return unbounded_ball(ball);
    }

    const Vec3 middle = v3(a[0] + half.x, a[1] + half.y, a[2] + half.z);
    const Vec3 far = v3_add(v3_abs(middle), half);
    *travel = far.x + far.y + far.z;
    return (Ball){middle, ball.radius + v3_length(ball.centre) + v3_length(half)};
}

Ball bi_range_step(const RobotFrame* frame, Ball ball, const double* low, const double* high) {
    if (frame->motion == FRAME_STILL) {
        return ball;
    }

    Ball moved;
    double travel = 0.0, a = 0.0, b = 0.0;
    if (frame->motion == FRAME_PLANAR) {
        moved = planar_ball(frame, ball, low + frame->value, high + frame->value, &travel);
    } else if (frame->motion == FRAME_FLOATING) {
        moved = floating_ball(ball, low + frame->value, high + frame->value, &travel);
    } else {
        bi_range_joint_value(frame, low, high, &a, &b);
        moved = frame->motion == FRAME_SLIDE ? slide_ball(frame, ball, a, b, &travel)
                                             : turn_ball(frame->axis, a, b, ball);
    }

    const Vec3 centre = pose_apply(&frame->parent_from_joint, moved.centre);
    // Rounding here and in the kinematics that this bounds: both below 64 u of the lengths that take part.
    const Vec3 sum = v3_add(v3_abs(ball.centre), v3_abs(frame->parent_from_joint.t));
    const double slack = BI_DISTANCE_SLACK * (2.0 * (sum.x + sum.y + sum.z) + travel + moved.radius);
    return (Ball){centre, moved.radius + slack};
}

Ball bi_range_step_back(const RobotFrame* frame, Ball ball, const double* low, const double* high) {
    if (frame->motion == FRAME_PLANAR || frame->motion == FRAME_FLOATING) {
        return unbounded_ball(ball);
    }

    double travel = 0.0, a = 0.0, b = 0.0;
    bi_range_joint_value(frame, low, high, &a, &b);
    const Ball joint = {pose_apply_back(&frame->parent_from_joint, ball.centre), ball.radius};
    const Ball moved = frame->motion == FRAME_SLIDE ? slide_ball(frame, joint, -b, -a, &travel)
                                                    : turn_ball(frame->axis, -b, -a, joint);

    const Vec3 sum = v3_add(v3_abs(ball.centre), v3_abs(frame->parent_from_joint.t));
    const double slack = BI_DISTANCE_SLACK * (2.0 * (sum.x + sum.y + sum.z) + travel + moved.radius);
    return (Ball){moved.centre, moved.radius + slack};
}

Ball bi_range_ball(const BerthRobot* robot, int32_t frame, int32_t ancestor, Ball ball, const double* low,
                   const double* high) {
    BI_ASSERT(ancestor >= 0 && frame >= ancestor && frame < robot->frames[ancestor].end);
    for (int32_t f = frame; f != ancestor && ball.radius < INFINITY; f = robot->frames[f].parent) {
        ball = bi_range_step(&robot->frames[f], ball, low, high);
    }
    return ball;
}
