// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Forward kinematics. Hot: no allocation, no text. Frames are in preorder, so one pass from the front finds
// every parent done, and one joint moves one range. A whole pass and an update do the same operations on the
// same numbers, so their results are the same bits.
// Entries: bi_robot_frame_step, bi_robot_frame_poses, bi_robot_frame_poses_update, berth_robot_link_poses.

#include "robot/robot.h"

#include <string.h>

#if defined(__GNUC__)
#define BI_NOINLINE __attribute__((noinline))
#else
#define BI_NOINLINE
#endif

static inline Pose turn_x(const Pose* joint, double s, double c) {
    return (Pose){joint->x, v3_mad(v3_scale(joint->y, c), s, joint->z),
                  v3_mad(v3_scale(joint->z, c), -s, joint->y), joint->t};
}

static inline Pose turn_y(const Pose* joint, double s, double c) {
    return (Pose){v3_mad(v3_scale(joint->x, c), -s, joint->z), joint->y,
                  v3_mad(v3_scale(joint->z, c), s, joint->x), joint->t};
}

static inline Pose turn_z(const Pose* joint, double s, double c) {
    return (Pose){v3_mad(v3_scale(joint->x, c), s, joint->y), v3_mad(v3_scale(joint->y, c), -s, joint->x),
                  joint->z, joint->t};
}

// Any axis: the rotation by Rodrigues' formula, as bi_pose_axis_angle has it.
static inline Pose turn_axis(const Pose* joint, Vec3 a, double s, double c) {
    const double k = 1.0 - c;
    const Pose turn = {{c + k * a.x * a.x, k * a.x * a.y + s * a.z, k * a.x * a.z - s * a.y},
                       {k * a.x * a.y - s * a.z, c + k * a.y * a.y, k * a.y * a.z + s * a.x},
                       {k * a.x * a.z + s * a.y, k * a.y * a.z - s * a.x, c + k * a.z * a.z},
                       {0, 0, 0}};
    return (Pose){pose_turn(joint, turn.x), pose_turn(joint, turn.y), pose_turn(joint, turn.z), joint->t};
}

static void step_planar_or_floating(const RobotFrame* frame, const Pose* joint, const double* values,
                                    Pose* out) {
    const double* q = values + frame->value;
    if (frame->motion == FRAME_PLANAR) {
        const Vec3 t = v3_mad(v3_scale(frame->across[0], q[0]), q[1], frame->across[1]);
        const Pose move = bi_pose_axis_angle(frame->axis, q[2], t);
        *out = pose_mul(joint, &move);
    } else {
        Pose move;
        const BerthStatus status =
            berth_pose_from_quat(v3(q[0], q[1], q[2]), (BerthQuat){q[3], q[4], q[5], q[6]}, &move);
        if (status != BERTH_OK) {
            const Vec3 nothing = v3((double)NAN, (double)NAN, (double)NAN);
            move = (Pose){nothing, nothing, nothing, nothing};
        }
        *out = pose_mul(joint, &move);
    }
}

// What a turning or sliding joint stands at; 0 for the others, which have more than one value.
static inline double joint_value(const RobotFrame* frame, const double* values) {
    return frame->motion <= FRAME_SLIDE ? frame->multiplier * values[frame->value] + frame->offset : 0.0;
}

// One frame out of its parent, with the joint's value, or sine and cosine of it.
static inline void step_frame(const RobotFrame* frame, const Pose* world_from_parent, const double* values,
                              double q, double s, double c, Pose* out) {
    const Pose joint = pose_mul(world_from_parent, &frame->parent_from_joint);
    if (frame->motion == FRAME_TURN_Z) {
        *out = turn_z(&joint, s, c);
    } else if (frame->motion == FRAME_TURN_Y) {
        *out = turn_y(&joint, s, c);
    } else if (frame->motion == FRAME_TURN_X) {
        *out = turn_x(&joint, s, c);
    } else if (frame->motion == FRAME_TURN) {
        *out = turn_axis(&joint, frame->axis, s, c);
    } else if (frame->motion == FRAME_SLIDE) {
        *out = (Pose){joint.x, joint.y, joint.z, v3_mad(joint.t, q, pose_turn(&joint, frame->axis))};
    } else {
        step_planar_or_floating(frame, &joint, values, out);
    }
}

// Compiled once: which of two NaNs a sum keeps is up to the compiler, copy by copy.
BI_NOINLINE static void step_with_sincos(const RobotFrame* frame, const Pose* world_from_parent,
                                         const double* values, double q, double s, double c, Pose* out) {
    step_frame(frame, world_from_parent, values, q, s, c, out);
}

static void step_from_values(const RobotFrame* frame, const Pose* world_from_parent, const double* values,
                             Pose* out) {
    const double q = joint_value(frame, values);
    double s = 0.0, c = 1.0;
    if (frame->motion < FRAME_SLIDE) {
        bi_sincos(q, &s, &c);
    }
    step_with_sincos(frame, world_from_parent, values, q, s, c, out);
}

void bi_robot_frame_step(const RobotFrame* frame, const Pose* world_from_parent, const double* values,
                         Pose* world_from_frame) {
    step_from_values(frame, world_from_parent, values, world_from_frame);
}

// Sines and cosines of a few frames at once: they do not wait for the parents' poses, and the lanes are eight wide.
static void step_range(const BerthRobot* robot, const double* values, int32_t first, int32_t end,
                       Pose* world_from_frame) {
    enum { CHUNK = 4 * TURN_STEP };
    double q[CHUNK], s[CHUNK], c[CHUNK];

    for (int32_t f = first; f < end;) {
        const int32_t count = end - f < CHUNK ? end - f : CHUNK;
        const int32_t wide = (count + TURN_STEP - 1) / TURN_STEP * TURN_STEP;

        for (int32_t i = 0; i < wide; ++i) {
            q[i] = i < count ? joint_value(&robot->frames[f + i], values) : 0.0;
        }
        robot->kernels->turns(q, wide, s, c);

        for (int32_t i = 0; i < count; ++i, ++f) {
            const RobotFrame* frame = &robot->frames[f];
            step_with_sincos(frame, &world_from_frame[frame->parent], values, q[i], s[i], c[i],
                             &world_from_frame[f]);
        }
    }
}

void bi_robot_frame_poses(const BerthRobot* robot, const Pose* world_from_base, const double* values,
                          Pose* world_from_frame) {
    world_from_frame[0] = *world_from_base;
    step_range(robot, values, 1, robot->frame_count, world_from_frame);
}

// Bits, not values: 0 and -0 may lead to different bits further on, and NaN equals itself here.
static bool values_changed(const RobotFrame* frame, const double* old_values, const double* new_values) {
    int32_t count = 1;
    if (frame->motion == FRAME_FLOATING) {
        count = 7;
    } else if (frame->motion == FRAME_PLANAR) {
        count = 3;
    }
    return memcmp(old_values + frame->value, new_values + frame->value, (size_t)count * sizeof *old_values) !=
           0;
}

void bi_robot_frame_poses_update(const BerthRobot* robot, const Pose* world_from_base,
                                 const double* old_values, const double* new_values, Pose* world_from_frame) {
    world_from_frame[0] = *world_from_base;
    for (int32_t f = 1; f < robot->frame_count;) {
        if (!values_changed(&robot->frames[f], old_values, new_values)) {
            ++f;
            continue;
        }
        step_range(robot, new_values, f, robot->frames[f].end, world_from_frame);
        f = robot->frames[f].end;
    }
}

void berth_robot_link_poses(const BerthRobot* robot, const BerthPose* world_from_base, const double* values,
                            BerthPose* world_from_link) {
    // A frame is where its own link is: the caller's array is memory enough for the frames.
    for (int32_t f = 0; f < robot->frame_count; ++f) {
        const RobotFrame* frame = &robot->frames[f];
        if (frame->link >= 0) {
            const int32_t above = f > 0 ? robot->frames[frame->parent].link : -1;
            const Pose* parent = above >= 0 ? &world_from_link[above] : world_from_base;

            if (f > 0) {
                step_from_values(frame, parent, values, &world_from_link[frame->link]);
            } else {
                world_from_link[frame->link] = *world_from_base;
            }
        }
    }

    // Links that fixed joints carry follow from the frame's own link.
    for (int32_t i = 0; i < robot->link_count; ++i) {
        const RobotLink* link = &robot->links[i];
        const int32_t own = robot->frames[link->frame].link;
        if (own != i) {
            world_from_link[i] =
                pose_mul(own >= 0 ? &world_from_link[own] : world_from_base, &link->frame_from_link);
        }
    }
}
