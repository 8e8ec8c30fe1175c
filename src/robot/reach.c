// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How far a robot reaches: each solid's ball is carried up its chain of frames, growing by what each joint's
// range can add (errata 2.3, the interval form). docs/theory/robot.md has the rounding.
// Entry: bi_robot_find_reach.

#include "robot/builder.h"
#include "robot/range.h"

// Most steps of carrying balls; a robot that needs more (thousands of solids on a chain of thousands) gets the
// coarser sum of lengths.
enum { REACH_STEP_MAX = 20000000 };

typedef struct Limits {
    double *low, *high;  // the robot's, a value each; infinite where there are none
} Limits;

static double ball_reach(const BerthRobot* robot, const Limits* limits, int32_t frame, Ball ball) {
    ball = bi_range_ball(robot, frame, 0, ball, limits->low, limits->high);
    const double reach = v3_length(ball.centre) + ball.radius;
    return reach + BI_DISTANCE_SLACK * reach;
}

// Lengths added up along a chain bound where a frame's origin can be: coarser than balls, one step a frame.
static double step_length(const Limits* limits, const RobotFrame* frame) {
    if (frame->motion == FRAME_PLANAR || frame->motion == FRAME_FLOATING) {
        return INFINITY;
    }
    double low = 0.0, high = 0.0;
    bi_range_joint_value(frame, limits->low, limits->high, &low, &high);
    return v3_length(frame->parent_from_joint.t) +
           (frame->motion == FRAME_SLIDE ? fmax(fabs(low), fabs(high)) : 0.0);
}

BerthStatus bi_robot_find_reach(BerthRobot* robot, Arena* scratch) {
    double* origin_reach = bi_arena_take(scratch, (size_t)robot->frame_count, sizeof *origin_reach);
    int32_t* depth = bi_arena_take(scratch, (size_t)robot->frame_count, sizeof *depth);
    Limits limits;
    limits.low = bi_arena_take(scratch, (size_t)robot->value_count, sizeof *limits.low);
    limits.high = bi_arena_take(scratch, (size_t)robot->value_count, sizeof *limits.high);
    if (origin_reach == NULL || depth == NULL || limits.low == NULL || limits.high == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
    }

    bi_range_limits(robot, limits.low, limits.high);
    for (int32_t f = 1; f < robot->frame_count; ++f) {
        const RobotFrame* frame = &robot->frames[f];
        depth[f] = depth[frame->parent] + 1;
        origin_reach[f] =
            (origin_reach[frame->parent] + step_length(&limits, frame)) * (1.0 + BI_DISTANCE_SLACK);
    }

    // Carrying balls costs a step for each frame of a chain.
    int64_t steps = 0;
    for (int32_t i = 0; i < robot->solid_count; ++i) {
        steps += depth[robot->solids[i].frame];
    }
    for (int32_t i = 0; i < robot->link_count; ++i) {
        steps += depth[robot->links[i].frame];
    }

    double reach = 0.0;
    // A link's origin counts too: rounding in kinematics grows with how far frames are away, seen or not.
    for (int32_t i = -robot->link_count; i < robot->solid_count; ++i) {
        const RobotLink* link = i < 0 ? &robot->links[-1 - i] : NULL;
        const int32_t frame = link != NULL ? link->frame : robot->solids[i].frame;
        const Ball ball = link != NULL ? (Ball){link->frame_from_link.t, 0.0}
                                       : (Ball){robot->solids[i].centre, robot->solids[i].radius};

        double at_most = 0.0;
        if (steps <= REACH_STEP_MAX) {
            at_most = ball_reach(robot, &limits, frame, ball);
        } else {
            at_most =
                (origin_reach[frame] + v3_length(ball.centre) + ball.radius) * (1.0 + BI_DISTANCE_SLACK);
        }
        reach = at_most > reach ? at_most : reach;
    }

    robot->reach = reach;
    return BERTH_OK;
}
