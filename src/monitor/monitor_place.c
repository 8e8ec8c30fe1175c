// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where the guards are, and how far each of their points can go until everything stands still (NOTES 1.8).

#include "math/math.h"
#include "monitor/monitor.h"

#define GROWN (1.0 + 0x1p-40)

double berth_monitor_horizon(const BerthMonitor* monitor, double age) {
    const BerthSafety* s = &monitor->safety;
    // The sample was taken `latency` before it came; this cycle answers at its end; the permit lives on; then it takes
    // `reaction` until brakes bite. A sample that is missing makes the age, so the sampling phase is in it.
    return s->latency + age + s->period + monitor->def.valid_for + s->reaction;
}

/// One elementary joint from the sample to standstill.
typedef struct Stop {
    double travel, seconds;
} Stop;

static Stop stop_of(const GuardJoint* joint, double speed, double horizon) {
    const double v0 = speed < joint->velocity ? speed : joint->velocity;
    const bool unknown = !(joint->acceleration < (double)INFINITY);
    const double v1 = unknown ? joint->velocity : fmin(joint->velocity, v0 + joint->acceleration * horizon);
    const double most = joint->velocity * horizon;
    const double run =
        unknown ? most : fmin(most, v0 * horizon + 0.5 * joint->acceleration * horizon * horizon);
    return (Stop){(run + 0.5 * v1 * v1 / joint->deceleration) * GROWN, v1 / joint->deceleration};
}

static void place_joint(BerthMonitor* monitor, const SceneRobot* robot, int32_t frame, double horizon) {
    const RobotFrame* f = &robot->robot->frames[frame];
    GuardJoint* joint = &monitor->joints[robot->first_frame + frame];
    const double* speeds = monitor->speeds + robot->first_value + f->value;
    const double error = monitor->def.tracking_error;
    joint->turn = joint->slide = joint->stopping = 0.0;
    if (f->motion == FRAME_PLANAR) {
        for (int k = 0; k < 3; ++k) {
            const Stop stop = stop_of(joint, speeds[k], horizon);
            *(k < 2 ? &joint->slide : &joint->turn) += stop.travel + error;
            joint->stopping = fmax(joint->stopping, stop.seconds);
        }
        return;
    }
    const Stop stop = stop_of(joint, speeds[0], horizon);
    const double travel = (stop.travel + error) * fabs(f->multiplier);
    joint->stopping = stop.seconds;
    *(f->motion == FRAME_SLIDE ? &joint->slide : &joint->turn) = travel;
}

// A point's distance from an axis is convex in the point: over the shape it is largest at a corner of its hull.
static double lever_of(const BerthMonitor* monitor, const Guard* guard, const Pose* world_from_axis,
                       Vec3 axis) {
    const Vec3 direction = pose_turn(world_from_axis, axis);
    const Pose* place = guard->frame >= 0 ? &monitor->checker->world_from_frame[guard->frame] : NULL;
    double most = 0.0;
    for (int32_t i = 0; i < guard->point_count; ++i) {
        const Vec3 at = place != NULL ? pose_apply(place, guard->points[i].centre) : guard->points[i].centre;
        const double away =
            v3_length(v3_cross(direction, v3_sub(at, world_from_axis->t))) + guard->points[i].radius;
        most = away > most ? away : most;
    }
    return most;
}

// From the body inward: levers, grown by what the joints beyond can do to them. Then outward: sums.
static void sum_rows(BerthMonitor* monitor, const Guard* guard) {
    const BerthScene* scene = monitor->scene;
    double* sum = monitor->row_sum + guard->first_row;
    double* lever = monitor->row_lever + guard->first_row;
    const int32_t* frame = monitor->row_frame + guard->first_row;
    const SceneRobot* robot = guard->row_count > 1 ? &scene->robots[scene->bodies[guard->body].robot] : NULL;
    double beyond = 0.0;
    for (int32_t k = guard->row_count - 1; k > 0; --k) {
        const GuardJoint* joint = &monitor->joints[frame[k]];
        const RobotFrame* f = &robot->robot->frames[frame[k] - robot->first_frame];
        lever[k] =
            (lever_of(monitor, guard, &monitor->checker->world_from_frame[frame[k]], f->axis) + beyond) *
            GROWN;
        beyond += lever[k] * joint->turn + joint->slide;
    }
    sum[0] = 0.0;
    for (int32_t k = 1; k < guard->row_count; ++k) {
        const GuardJoint* joint = &monitor->joints[frame[k]];
        sum[k] = (sum[k - 1] + lever[k] * joint->turn + joint->slide) * GROWN;
    }
}

static void place_guard(BerthMonitor* monitor, Guard* guard, double object_reach) {
    const Pose* outer = guard->object >= 0  ? &monitor->objects[guard->object].pose
                        : guard->frame >= 0 ? &monitor->checker->world_from_frame[guard->frame]
                                            : NULL;
    guard->pose = outer != NULL ? pose_mul(outer, &guard->frame_from_shape) : guard->frame_from_shape;
    sum_rows(monitor, guard);
    if (guard->object >= 0) {
        monitor->row_sum[guard->first_row] = object_reach;
    }
}

// How far an object can go on its own until the robots stand: its speed for all that time, and for a person what the sensor
// does not see.
static double object_reach(const BerthMonitor* monitor, const GuardObject* object, double now,
                           double stopping) {
    const double age = now - object->received;
    const double extra = object->person ? object->intrusion + monitor->def.robot_uncertainty : 0.0;
    return (object->speed * (berth_monitor_horizon(monitor, age) + stopping) + object->uncertainty + extra) *
           GROWN;
}

bool bi_monitor_place(BerthMonitor* monitor, double now) {
    const BerthScene* scene = monitor->scene;
    if (!bi_check_place(monitor->checker, monitor->values)) {
        return false;
    }
    double age = 0.0;
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        age = fmax(age, now - monitor->sources[i].received);
    }
    age = monitor->def.fixed_buffers ? monitor->safety.silence : age;
    const double horizon = berth_monitor_horizon(monitor, age);
    double stopping = 0.0;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        for (int32_t f = 1; f < scene->robots[r].frame_count; ++f) {
            place_joint(monitor, &scene->robots[r], f, horizon);
            stopping = fmax(stopping, monitor->joints[scene->robots[r].first_frame + f].stopping);
        }
    }
    const double own = 0.5 * monitor->safety.margin + monitor->def.model_error;
    for (int32_t i = 0; i < monitor->guard_count; ++i) {
        Guard* guard = &monitor->guards[i];
        if (guard->row_count == 1 && guard->object < 0) {
            continue;  // it stands still, and was placed at the start
        }
        const double reach =
            guard->object >= 0 ? object_reach(monitor, &monitor->objects[guard->object], now, stopping) : 0.0;
        place_guard(monitor, guard, reach);
        const double extension = monitor->row_sum[guard->first_row + guard->row_count - 1] + own +
                                 scene->bodies[guard->body].padding;
        if (berth_index_move(monitor->index, guard->indexed, (const BerthPose*)&guard->pose, extension) !=
            BERTH_OK) {
            return false;
        }
    }
    berth_index_update(monitor->index);
    return true;
}
