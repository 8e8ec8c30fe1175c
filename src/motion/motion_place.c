// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The middle configuration of an interval: poses, velocities, and for every body the sums along its chain that bound how
// far its points can go.
// Entry: bi_motion_place.

#include "motion/motion.h"

static void find_twists(BerthMotionChecker* motion, const SceneRobot* robot) {
    const Pose* pose = motion->checker->world_from_frame + robot->first_frame;
    const FrameRate* rates = motion->rates + robot->first_frame;
    Twist* twists = motion->twists + robot->first_frame;
    twists[0] = (Twist){{0, 0, 0}, {0, 0, 0}};

    for (int32_t k = 1; k < robot->robot->frame_count; ++k) {
        const RobotFrame* f = &robot->robot->frames[k];
        const Twist* parent = &twists[f->parent];
        const Pose joint = pose_mul(&pose[f->parent], &f->parent_from_joint);

        const Vec3 axis = pose_turn(&pose[k], rates[k].axis);
        const Vec3 slide = pose_turn(&joint, rates[k].slide);
        const Vec3 spin = v3_scale(axis, rates[k].turn);
        // A turn about an axis through o moves the point at the world's origin by spin x (0 - o).
        const Vec3 turn_origin = v3_cross(pose[k].t, spin);

        twists[k].spin = v3_add(parent->spin, spin);
        twists[k].origin = v3_add(v3_add(parent->origin, slide), turn_origin);
    }
}

// Long intervals gain by balls that are swept, short ones do not (docs/motion.md): from this many radians on.
#define SWEPT_FROM 0.5

/// A ball that contains the body's points, seen from one axis after the other while the joints beyond it sweep the interval.
typedef struct SweptBall {
    Vec3 centre;
    double radius;
} SweptBall;

// Carries the ball over one joint: it turns by at most `turn` both ways, then slides by `slide`. The centre goes to where the
// ball that holds the arc is smallest: with c = 1 - turn^2 / 2 <= cos(turn), no point of the arc is further than
// sqrt(1 - c^2) of its radius from c times the arc's middle.
static void sweep_ball(SweptBall* ball, const FrameRate* rate, const Pose* frame, double away, double turn,
                       double slide) {
    const Vec3 arm = v3_sub(ball->centre, frame->t);
    const Vec3 axis = pose_turn(frame, rate->axis);
    const Vec3 out = rate->any_axis ? arm : v3_mad(arm, -v3_dot(axis, arm), axis);
    const double inward = turn * turn < 2.0 ? 0.5 * turn * turn : 1.0;  // 1 - c; NaN goes to the axis
    ball->centre = v3_mad(ball->centre, -inward, out);
    ball->radius = (ball->radius + away * sqrt(inward * (2.0 - inward)) + slide) * MOTION_GROWN;
}

// How far each axis can be from the body's points on the interval, from the body inward: the smallest of three bounds.
// A floating frame's own axis is fixed on the segment, so it counts as any other.
static void find_levers(BerthMotionChecker* motion, int32_t body_index, double half) {
    const MotionBody* body = &motion->bodies[body_index];
    const CheckBody* ball = &motion->checker->bodies[body_index];
    double* lever = motion->chain_lever + body->first_chain;
    const int32_t* frame = motion->chain_frame + body->first_chain;
    const double* far = motion->chain_far + body->first_chain;
    const double slack = BI_DISTANCE_SLACK * ball->size;
    // Does the chain turn far enough on the interval that swept balls gain?
    double turns = 0.0;
    for (int32_t k = body->chain_count - 1; k > 1; --k) {
        turns += motion->rates[frame[k]].turn_most;
    }
    const bool is_long = half * turns > SWEPT_FROM;

    SweptBall swept = {ball->centre, ball->radius};
    // Travel of the body's points by the joints beyond this one, tracking error included.
    double beyond = 0.0;

    for (int32_t k = body->chain_count - 1; k > 0; --k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const Pose* pose = &motion->checker->world_from_frame[frame[k]];
        // From where the ball is now, and what the joints beyond can carry it.
        const double near = axis_distance(rate, pose, ball->centre) + ball->radius;
        const double grown = (near + beyond) * MOTION_GROWN + slack;
        lever[k] = grown < far[k] ? grown : far[k];

        const double turn = half * rate->turn_most + rate->turn_error;
        const double slide = half * rate->slide_most + rate->slide_error;
        // From the ball that is swept by the joints beyond.
        if (is_long) {
            const double away = axis_distance(rate, pose, swept.centre) + slack;
            const double within = (away + swept.radius) * MOTION_GROWN + slack;
            lever[k] = within < lever[k] ? within : lever[k];
            sweep_ball(&swept, rate, pose, away, turn, slide);
        }

        beyond += lever[k] * turn + slide;
    }
}

// Outward: the sums.
static void sum_chain(BerthMotionChecker* motion, int32_t body_index) {
    const MotionBody* body = &motion->bodies[body_index];
    ChainSum* row = motion->chains + body->first_chain;
    const int32_t* frame = motion->chain_frame + body->first_chain;
    const double* levers = motion->chain_lever + body->first_chain;
    row[0] = (ChainSum){0};

    for (int32_t k = 1; k < body->chain_count; ++k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const double lever = levers[k];
        const double before = row[k - 1].turn;
        const double arc = lever * rate->turn_most;

        row[k].turn = before + rate->turn_most;
        row[k].speed = row[k - 1].speed + arc + rate->slide_most;
        row[k].lever = row[k - 1].lever + arc + rate->slide_most;
        row[k].bend = row[k - 1].bend + arc * (rate->turn_most + 2.0 * before) +
                      rate->slide_most * 2.0 * before + lever * rate->turn_bend + rate->slide_bend;
        row[k].error = row[k - 1].error + lever * rate->turn_error + rate->slide_error;
    }
}

bool bi_motion_place(BerthMotionChecker* motion, Span span) {
    const BerthScene* scene = motion->scene;
    if (!bi_check_place(motion->checker, motion->values)) {
        return false;
    }
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        find_twists(motion, &scene->robots[r]);
    }
    for (int32_t i = 0; i < scene->body_count; ++i) {
        if (motion->bodies[i].chain_count > 1) {
            find_levers(motion, i, span.half);
            sum_chain(motion, i);
        }
    }
    return true;
}
