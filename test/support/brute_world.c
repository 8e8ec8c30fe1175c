// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A whole scene by slow means: kinematics by products of long double matrices, and the pairs that docs/theory/scene.md says.

#include <math.h>
#include <string.h>

#include "support/brute.h"

static const Lpose still = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

// Rotation about a unit axis: each unit vector u goes to u cos + (axis x u) sin + axis (axis . u)(1 - cos).
static Lpose about(Lv axis, Real angle) {
    const Real c = cosl(angle), s = sinl(angle);
    const Real ax[3] = {axis.x, axis.y, axis.z};
    Lv columns[3];
    for (int k = 0; k < 3; ++k) {
        const Lv u = lv(k == 0, k == 1, k == 2);
        const Lv cross =
            lv(axis.y * u.z - axis.z * u.y, axis.z * u.x - axis.x * u.z, axis.x * u.y - axis.y * u.x);
        columns[k] = lv_add(lv_add(lv_scale(u, c), lv_scale(cross, s)), lv_scale(axis, ax[k] * (1 - c)));
    }
    return (Lpose){columns[0], columns[1], columns[2], lv(0, 0, 0)};
}

// x y theta: in the plane whose normal is the axis, z being turned to the axis the short way.
static Lpose planar(Lv n, const double* q) {
    Lpose pose = about(n, q[2]);
    const Real flat = n.x * n.x + n.y * n.y;
    Lv x = lv(1, 0, 0), y = lv(0, n.z < 0 ? -1 : 1, 0);
    if (flat > 0) {
        const Real angle = atan2l(sqrtl(flat), n.z);
        const Lpose tilt = about(lv_scale(lv(-n.y, n.x, 0), 1 / sqrtl(flat)), angle);
        x = tilt.x;
        y = tilt.y;
    }
    pose.t = lv_add(lv_scale(x, q[0]), lv_scale(y, q[1]));
    return pose;
}

static Lpose floating(const double* q) {
    Real x = q[3], y = q[4], z = q[5], w = q[6];
    const Real length = sqrtl(x * x + y * y + z * z + w * w);
    x /= length, y /= length, z /= length, w /= length;
    return (Lpose){lv(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
                   lv(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
                   lv(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
                   lv(q[0], q[1], q[2])};
}

static Real value_of(const BruteRobot* robot, const BruteJoint* joint, const double* values) {
    Real scale = 1, shift = 0;
    while (joint->mimic >= 0) {  // value = multiplier * other + offset, other likewise
        shift += scale * joint->offset;
        scale *= joint->multiplier;
        joint = &robot->joints[joint->mimic];
    }
    return scale * (Real)values[joint->first_value] + shift;
}

Real brute_followed_turns(const BruteRobot* robot, const double* values) {
    Real sum = 0;
    for (int j = 0; j < robot->joint_count; ++j) {
        const BruteJoint* joint = &robot->joints[j];
        if (joint->mimic >= 0 && joint->type != BERTH_JOINT_PRISMATIC) {
            sum += fabsl(value_of(robot, joint, values)) + fabsl(joint->offset);
        }
    }
    return sum;
}

static Lpose motion_of(const BruteRobot* robot, const BruteJoint* joint, const double* values) {
    Lpose pose = still;
    switch (joint->type) {
    case BERTH_JOINT_FLOATING:
        return floating(values + joint->first_value);
    case BERTH_JOINT_PLANAR:
        return planar(joint->axis, values + joint->first_value);
    case BERTH_JOINT_PRISMATIC:
        pose.t = lv_scale(joint->axis, value_of(robot, joint, values));
        return pose;
    case BERTH_JOINT_REVOLUTE:
    case BERTH_JOINT_CONTINUOUS:
        return about(joint->axis, value_of(robot, joint, values));
    default:
        return pose;
    }
}

static void pose_robot(BruteRobot* robot, const double* values) {
    const Lpose base = motion_of(robot, &robot->base_joint, values);
    robot->links[0] = lpose_multiply(&robot->base, &base);
    for (int link = 1; link < robot->link_count; ++link) {  // parents come before their children
        for (int j = 0; j < robot->joint_count; ++j) {
            const BruteJoint* joint = &robot->joints[j];
            if (joint->child == link) {
                const Lpose motion = motion_of(robot, joint, values);
                const Lpose step = lpose_multiply(&joint->parent_from_joint, &motion);
                robot->links[link] = lpose_multiply(&robot->links[joint->parent], &step);
            }
        }
    }
}

void brute_pose_world(BruteWorld* world, const double* values) {
    for (int r = 0; r < world->robot_count; ++r) {
        pose_robot(&world->robots[r], values);
        values += world->robots[r].value_count;
    }
    for (int i = 0; i < world->body_count; ++i) {
        BruteBody* body = &world->bodies[i];
        Lpose pose = body->robot >= 0 ? world->robots[body->robot].links[body->link] : still;
        if (body->object >= 0) {
            pose = lpose_multiply(&pose, &body->pose);
        }
        for (int k = 0; k < body->part_count; ++k) {
            brute_pose_part(&body->parts[k], &pose);
        }
    }
}

static bool may_touch(const BruteWorld* world, const BruteBody* object, const BruteBody* other) {
    if (object->object < 0) {
        return false;
    }
    if (other->object < 0 && object->robot == other->robot && object->link == other->link) {
        return true;  // the link it is attached to
    }
    for (int k = 0; k < object->touch_count; ++k) {
        if (&world->bodies[object->touch[k]] == other) {
            return true;
        }
    }
    return false;
}

bool brute_is_checked(const BruteWorld* world, const BruteBody* a, const BruteBody* b) {
    if (a == b || (a->robot < 0 && b->robot < 0)) {
        return false;  // objects that stand are not checked against each other
    }
    if (a->object < 0 && b->object < 0 && a->robot == b->robot &&
        world->robots[a->robot].skip[a->link][b->link]) {
        return false;
    }
    for (int i = 0; i < world->allow_count; ++i) {
        const BruteBody* x = &world->bodies[world->allow[i][0]];
        const BruteBody* y = &world->bodies[world->allow[i][1]];
        if ((x == a && y == b) || (x == b && y == a)) {
            return false;
        }
    }
    return !may_touch(world, a, b) && !may_touch(world, b, a);
}

double brute_padding(const BruteWorld* world, const BruteBody* a, const BruteBody* b) {
    const double radii = a->radius + b->radius;
    if (a->robot == b->robot) {
        return radii;  // padding is against everything but the robot itself
    }
    return radii + (a->robot >= 0 ? world->robots[a->robot].padding : 0) +
           (b->robot >= 0 ? world->robots[b->robot].padding : 0);
}

BruteGap brute_body_gap(const BruteWorld* world, const BruteBody* a, const BruteBody* b) {
    BruteGap best = {.lower = INFINITY, .upper = INFINITY};
    for (int i = 0; i < a->part_count; ++i) {
        for (int k = 0; k < b->part_count; ++k) {
            const BruteGap gap = brute_gap(&a->parts[i], &b->parts[k]);
            best.lower = fminl(best.lower, gap.lower);
            if (gap.upper < best.upper) {
                best.upper = gap.upper;
                best.point_a = gap.point_a;
                best.point_b = gap.point_b;
            }
        }
    }
    const Real padding = brute_padding(world, a, b);
    best.lower -= padding;
    best.upper -= padding;
    return best;
}

Real brute_reach(const BruteBody* a, const BruteBody* b) {
    Real reach = 0;
    for (int i = 0; i < a->part_count; ++i) {
        reach = fmaxl(reach, a->parts[i].reach);
    }
    for (int i = 0; i < b->part_count; ++i) {
        reach = fmaxl(reach, b->parts[i].reach);
    }
    return reach;
}

Real brute_body_point_gap(const BruteBody* body, Lv point) {
    Real best = INFINITY;
    for (int i = 0; i < body->part_count; ++i) {
        best = fminl(best, brute_point_gap(&body->parts[i], point));
    }
    return best;
}

void brute_free_world(BruteWorld* world) {
    for (int i = 0; i < world->body_count; ++i) {
        for (int k = 0; k < world->bodies[i].part_count; ++k) {
            brute_free_part(&world->bodies[i].parts[k]);
        }
    }
    world->body_count = 0;
}
