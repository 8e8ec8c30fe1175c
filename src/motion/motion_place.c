// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The middle configuration of an interval: poses, velocities, and for every body the sums along its chain that bound how
// far its points can go.

#include "motion/motion.h"

// Bounds of motion are enlarged by more than the rounding of the few dozen operations they come from.
#define GROWN (1.0 + 0x1p-40)

static void place_twists(BerthMotion* motion, const SceneRobot* robot) {
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

// A floating frame's own axis is fixed on the segment, so it counts as any other.
// From the body inward: how far each axis can be from the body's points on the interval, and what its joint does.
// Then outward: the sums.
static void sum_chain(BerthMotion* motion, int32_t body_index, double half) {
    const MotionBody* body = &motion->bodies[body_index];
    const CheckBody* ball = &motion->checker->bodies[body_index];
    ChainSum* row = motion->chains + body->first_chain;
    const int32_t* frame = motion->chain_frame + body->first_chain;
    const double* far = motion->chain_far + body->first_chain;
    double beyond =
        0.0;  // travel of the body's points by the joints beyond this one, tracking error included
    for (int32_t k = body->chain_count - 1; k > 0; --k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const double near =
            axis_distance(rate, &motion->checker->world_from_frame[frame[k]], ball->centre) + ball->radius;
        const double grown = (near + beyond) * GROWN + BI_DISTANCE_SLACK * ball->size;
        row[k].lever = grown < far[k] ? grown : far[k];
        beyond += half * (row[k].lever * rate->turn_most + rate->slide_most) +
                  row[k].lever * rate->turn_error + rate->slide_error;
    }
    row[0] = (ChainSum){0};
    for (int32_t k = 1; k < body->chain_count; ++k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const double lever = row[k].lever;
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

bool bi_motion_place(BerthMotion* motion, Span span) {
    const BerthScene* scene = motion->scene;
    if (!bi_check_place(motion->checker, motion->values)) {
        return false;
    }
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        place_twists(motion, &scene->robots[r]);
    }
    for (int32_t i = 0; i < scene->body_count; ++i) {
        if (motion->bodies[i].chain_count > 1) {
            sum_chain(motion, i, span.half);
        }
    }
    return true;
}
