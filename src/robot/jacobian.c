// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Geometric Jacobians of a point that is fixed to a link.
//
// A turn about the unit axis a through o moves p by a x (p - o) per radian, a slide by a per metre. A mimic
// joint adds its multiplier times that to the column of the joint that it follows. For a floating joint with
// quaternion q, normalised: the rotation per unit of its component k is w = 2/|q| vec(e_k conj(q/|q|)); the
// part of e_k along q, which normalising removes, contributes nothing to the vector part, so no projection is
// needed.
// Entries: bi_robot_jacobian, berth_robot_point_jacobian.

#include "robot/robot.h"

static Vec3 turn_column(Vec3 axis, Vec3 origin, Vec3 point) {
    return v3_cross(axis, v3_sub(point, origin));
}

static void add_floating_columns(const double* q, const Pose* world_from_joint, const Pose* world_from_frame,
                                 Vec3 point, Vec3* columns) {
    columns[0] = v3_add(columns[0], world_from_joint->x);
    columns[1] = v3_add(columns[1], world_from_joint->y);
    columns[2] = v3_add(columns[2], world_from_joint->z);

    const double largest = fmax(fmax(fabs(q[3]), fabs(q[4])), fmax(fabs(q[5]), fabs(q[6])));
    const double x = q[3] / largest, y = q[4] / largest, z = q[5] / largest, w = q[6] / largest;
    const double k = 2.0 / ((x * x + y * y + z * z + w * w) * largest);
    // vec(e conj(q)) for e = i, j, k, 1
    const Vec3 turns[4] = {v3(w, z, -y), v3(-z, w, x), v3(y, -x, w), v3(-x, -y, -z)};
    for (int i = 0; i < 4; ++i) {
        const Vec3 axis = pose_turn(world_from_joint, v3_scale(turns[i], k));
        columns[3 + i] = v3_add(columns[3 + i], turn_column(axis, world_from_frame->t, point));
    }
}

static void add_columns(const RobotFrame* frame, const Pose* world_from_parent, const Pose* world_from_frame,
                        const double* values, Vec3 point, Vec3* columns) {
    Vec3* column = columns + frame->value;

    if (frame->motion == FRAME_FLOATING || frame->motion == FRAME_PLANAR) {
        const Pose joint = pose_mul(world_from_parent, &frame->parent_from_joint);
        if (frame->motion == FRAME_FLOATING) {
            add_floating_columns(values + frame->value, &joint, world_from_frame, point, column);
            return;
        }

        column[0] = v3_add(column[0], pose_turn(&joint, frame->across[0]));
        column[1] = v3_add(column[1], pose_turn(&joint, frame->across[1]));
        const Vec3 axis = pose_turn(&joint, frame->axis);
        column[2] = v3_add(column[2], turn_column(axis, world_from_frame->t, point));
        return;
    }

    const Vec3 axis = pose_turn(world_from_frame, frame->axis);
    const Vec3 move = frame->motion == FRAME_SLIDE ? axis : turn_column(axis, world_from_frame->t, point);
    column[0] = v3_mad(column[0], frame->multiplier, move);
}

void bi_robot_jacobian(const BerthRobot* robot, const Pose* world_from_frame, const double* values,
                       int32_t frame, Vec3 point, Vec3* columns) {
    for (int32_t i = 0; i < robot->value_count; ++i) {
        columns[i] = v3(0, 0, 0);
    }

    for (int32_t f = frame; f > 0; f = robot->frames[f].parent) {
        const RobotFrame* self = &robot->frames[f];
        add_columns(self, &world_from_frame[self->parent], &world_from_frame[f], values, point, columns);
    }
}

void berth_robot_point_jacobian(const BerthRobot* robot, const BerthPose* world_from_base,
                                const double* values, int32_t link, BerthVec3 point, BerthVec3* columns) {
    for (int32_t i = 0; i < robot->value_count; ++i) {
        columns[i] = v3(0, 0, 0);
    }

    // From the base down to the link's frame with one running pose: in preorder the child that leads to `target`
    // is the one whose range holds it.
    const int32_t target = robot->links[link].frame;
    Pose world_from_parent = *world_from_base;
    for (int32_t f = 1; f <= target;) {
        const RobotFrame* frame = &robot->frames[f];
        if (frame->end <= target) {
            f = frame->end;
            continue;
        }

        Pose world_from_frame;
        bi_robot_frame_step(frame, &world_from_parent, values, &world_from_frame);
        add_columns(frame, &world_from_parent, &world_from_frame, values, point, columns);
        world_from_parent = world_from_frame;
        ++f;
    }
}
