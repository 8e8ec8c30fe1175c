// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How far a robot reaches: each solid's ball is carried up its chain of frames, growing by what each joint's range can
// do to it (NOTES 2.3, the interval form). docs/robot.md has the rounding.

#include "robot/builder.h"

typedef struct Ball {
    Vec3 c;
    double r;
} Ball;

// Most steps of carrying balls; a robot that needs more (thousands of solids on a chain of thousands) gets the
// coarser sum of lengths.
enum { REACH_STEP_MAX = 20000000 };

// What the joint's value can be; infinite where nothing limits it.
static void value_range(const BerthRobot* robot, const RobotFrame* frame, double* low, double* high) {
    const RobotValue* value = &robot->values[frame->value];
    if (!value->has_limits) {
        *low = -INFINITY;
        *high = INFINITY;
        return;
    }
    const double a = frame->multiplier * value->lower + frame->offset;
    const double b = frame->multiplier * value->upper + frame->offset;
    *low = fmin(a, b);
    *high = fmax(a, b);
}

// The ball of everything that a turn by [low, high] about the axis makes of `ball`. With half the range f < pi/2 a
// point at distance d from the axis stays within d sin f of the point at distance d cos f on its mid direction.
static Ball turn_ball(Vec3 axis, double low, double high, Ball ball) {
    const Vec3 foot = v3_scale(axis, v3_dot(axis, ball.c));
    const double half = 0.5 * (high - low);
    const double middle = low + half;
    double s = 1.0, c = 0.0;
    if (half < 1.57 && fabs(middle) <= BI_ANGLE_MAX) {
        bi_sincos(half, &s, &c);
        const Pose turn = bi_pose_axis_angle(axis, middle, v3(0, 0, 0));
        const Vec3 arm = pose_turn(&turn, v3_sub(ball.c, foot));
        return (Ball){v3_mad(foot, c, arm), ball.r + s * v3_length(arm)};
    }
    return (Ball){foot, ball.r + v3_distance(ball.c, foot)};
}

static Ball lift_ball(const BerthRobot* robot, const RobotFrame* frame, Ball ball) {
    double low = 0.0, high = 0.0;
    value_range(robot, frame, &low, &high);
    Ball moved = {ball.c, INFINITY};  // planar and floating joints
    double travel = 0.0;
    if (frame->motion == FRAME_SLIDE) {
        if (low > -INFINITY) {
            moved =
                (Ball){v3_mad(ball.c, low + 0.5 * (high - low), frame->axis), ball.r + 0.5 * (high - low)};
            travel = fmax(fabs(low), fabs(high));
        }
    } else if (frame->motion != FRAME_PLANAR && frame->motion != FRAME_FLOATING) {
        moved = turn_ball(frame->axis, low, high, ball);
    }
    const Vec3 centre = pose_apply(&frame->parent_from_joint, moved.c);
    // Rounding here and in the walk that this bounds: both below 64 u of the lengths that take part.
    const Vec3 sum = v3_add(v3_abs(ball.c), v3_abs(frame->parent_from_joint.t));
    const double slack = BI_DISTANCE_SLACK * (2.0 * (sum.x + sum.y + sum.z) + travel + moved.r);
    return (Ball){centre, moved.r + slack};
}

static double ball_reach(const BerthRobot* robot, int32_t frame, Ball ball) {
    for (int32_t f = frame; f > 0 && ball.r < INFINITY; f = robot->frames[f].parent) {
        ball = lift_ball(robot, &robot->frames[f], ball);
    }
    const double reach = v3_length(ball.c) + ball.r;
    return reach + BI_DISTANCE_SLACK * reach;
}

// Lengths added up along a chain bound where a frame's origin can be: coarser than balls, one step a frame.
static double step_length(const BerthRobot* robot, const RobotFrame* frame) {
    if (frame->motion == FRAME_PLANAR || frame->motion == FRAME_FLOATING) {
        return INFINITY;
    }
    double low = 0.0, high = 0.0;
    value_range(robot, frame, &low, &high);
    return v3_length(frame->parent_from_joint.t) +
           (frame->motion == FRAME_SLIDE ? fmax(fabs(low), fabs(high)) : 0.0);
}

BerthStatus bi_robot_find_reach(BerthRobot* robot, Arena* scratch) {
    double* far = bi_arena_take(scratch, (size_t)robot->frame_count, sizeof *far);
    int32_t* depth = bi_arena_take(scratch, (size_t)robot->frame_count, sizeof *depth);
    if (far == NULL || depth == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
    }
    for (int32_t f = 1; f < robot->frame_count; ++f) {
        const RobotFrame* frame = &robot->frames[f];
        depth[f] = depth[frame->parent] + 1;
        far[f] = (far[frame->parent] + step_length(robot, frame)) * (1.0 + BI_DISTANCE_SLACK);
    }
    int64_t steps = 0;
    for (int32_t i = 0; i < robot->solid_count; ++i) {
        steps += depth[robot->solids[i].frame];
    }
    for (int32_t i = 0; i < robot->link_count; ++i) {
        steps += depth[robot->links[i].frame];
    }
    double reach = 0.0;
    // A link's origin counts too: rounding in the walk grows with how far frames are away, seen or not.
    for (int32_t i = -robot->link_count; i < robot->solid_count; ++i) {
        const RobotLink* link = i < 0 ? &robot->links[-1 - i] : NULL;
        const int32_t frame = link != NULL ? link->frame : robot->solids[i].frame;
        const Ball ball = link != NULL ? (Ball){link->frame_from_link.t, 0.0}
                                       : (Ball){robot->solids[i].centre, robot->solids[i].radius};
        const double at_most = steps <= REACH_STEP_MAX
                                   ? ball_reach(robot, frame, ball)
                                   : (far[frame] + v3_length(ball.c) + ball.r) * (1.0 + BI_DISTANCE_SLACK);
        reach = at_most > reach ? at_most : reach;
    }
    robot->reach = reach;
    return BERTH_OK;
}
