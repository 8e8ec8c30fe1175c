// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where the guards are, and how far each of their points can go until everything stands still (NOTES 1.8).

#include "math/math.h"
#include "monitor/monitor.h"

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

// `scale` is what the load leaves of the deceleration.
static Stop stop_of(const GuardJoint* joint, double speed, double horizon, double scale) {
    const double v0 = speed < joint->velocity ? speed : joint->velocity;
    // Faster and faster until it is as fast as it can be, or the time is over. What is not known may be sudden.
    const bool unknown = !(joint->acceleration < (double)INFINITY);
    const double until = unknown ? 0.0 : (joint->velocity - v0) / joint->acceleration;
    const double rising = until < horizon ? until : horizon;
    const double gained = unknown ? 0.0 : joint->acceleration * rising;
    const double v1 = unknown || until < horizon ? joint->velocity : fmin(joint->velocity, v0 + gained);
    const double run = (v0 + 0.5 * gained) * rising + joint->velocity * (horizon - rising);
    const double deceleration = joint->deceleration * scale;
    return (Stop){(run + 0.5 * v1 * v1 / deceleration) * BI_GUARD_GROWN, v1 / deceleration * BI_GUARD_GROWN};
}

static void place_joint(BerthMonitor* monitor, int32_t robot_index, int32_t frame, double horizon) {
    const SceneRobot* robot = &monitor->scene->robots[robot_index];
    const RobotFrame* f = &robot->robot->frames[frame];
    const GuardJoint* joint = &monitor->joints[robot->first_frame + frame];
    JointNow* now = &monitor->joints_now[robot->first_frame + frame];
    const double* speeds = monitor->speeds + robot->first_value + f->value;
    const double scale = monitor->load_scale[robot_index];
    const double error = monitor->def.tracking_error;
    *now = (JointNow){0};
    if (f->motion == FRAME_PLANAR || f->motion == FRAME_FLOATING) {
        // Slides along two axes or three, and a turn; how fast a floating base turns is never told.
        const int slides = f->motion == FRAME_PLANAR ? 2 : 3;
        for (int k = 0; k <= slides; ++k) {
            const double speed = f->motion == FRAME_FLOATING && k == slides ? joint->velocity : speeds[k];
            const Stop stop = stop_of(joint, speed, horizon, scale);
            *(k < slides ? &now->slide : &now->turn) += stop.travel + error;
            now->stopping = fmax(now->stopping, stop.seconds);
        }
        return;
    }
    const Stop stop = stop_of(joint, speeds[0], horizon, scale);
    const double travel = (stop.travel + error) * fabs(f->multiplier);
    now->stopping = stop.seconds;
    *(f->motion == FRAME_SLIDE ? &now->slide : &now->turn) = travel;
}

// A point's distance from an axis is convex in the point: over the shape it is largest at a corner of its hull. So is that from
// the origin, about which a floating base turns in any way.
static double lever_of(const BerthMonitor* monitor, const Guard* guard, const Pose* world_from_axis,
                       const RobotFrame* f) {
    const Vec3 direction = pose_turn(world_from_axis, f->axis);
    const bool floats = f->motion == FRAME_FLOATING;
    const Pose* place = &monitor->checker->world_from_frame[guard->frame];
    double most = 0.0;
    for (int32_t i = 0; i < guard->point_count; ++i) {
        const Vec3 at = pose_apply(place, guard->points[i].centre);
        const Vec3 from = v3_sub(at, world_from_axis->t);
        const double away = v3_length(floats ? from : v3_cross(direction, from)) + guard->points[i].radius;
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
        const JointNow* joint = &monitor->joints_now[frame[k]];
        const RobotFrame* f = &robot->robot->frames[frame[k] - robot->first_frame];
        lever[k] = (lever_of(monitor, guard, &monitor->checker->world_from_frame[frame[k]], f) + beyond) *
                   BI_GUARD_GROWN;
        beyond += lever[k] * joint->turn + joint->slide;
    }
    sum[0] = 0.0;
    for (int32_t k = 1; k < guard->row_count; ++k) {
        const JointNow* joint = &monitor->joints_now[frame[k]];
        sum[k] = (sum[k - 1] + lever[k] * joint->turn + joint->slide) * BI_GUARD_GROWN;
    }
}

static void place_guard(BerthMonitor* monitor, int32_t at, double object_reach) {
    const Guard* guard = &monitor->guards[at];
    const Pose* outer = guard->object >= 0 ? &monitor->object_pose[guard->object]
                                           : &monitor->checker->world_from_frame[guard->frame];
    monitor->guard_pose[at] = pose_mul(outer, &guard->frame_from_shape);
    sum_rows(monitor, guard);
    if (guard->object >= 0) {
        monitor->row_sum[guard->first_row] = object_reach;
    }
}

// How far something can go on its own until the robots stand: its speed for all that time, and for a person what the sensor
// does not see.
static double own_reach(const BerthMonitor* monitor, double speed, double seconds, double uncertainty,
                        double intrusion, bool person) {
    const double extra = person ? monitor->def.robot_uncertainty : 0.0;
    return (speed * seconds + uncertainty + intrusion + extra) * BI_GUARD_GROWN;
}

static double object_reach(const BerthMonitor* monitor, int32_t at, double now, double stopping) {
    const GuardObject* object = &monitor->objects[at];
    const double age = bi_track_age(&monitor->object_tracks[at], now);
    return own_reach(monitor, object->speed, berth_monitor_horizon(monitor, age) + stopping,
                     object->uncertainty, object->person ? object->intrusion : 0.0, object->person);
}

static void place_clouds(BerthMonitor* monitor, double now, double stopping) {
    for (int32_t i = 0; i < monitor->cloud_count; ++i) {
        const GuardCloud* cloud = &monitor->clouds[i];
        const double age = bi_track_age(&monitor->cloud_tracks[i], now);
        const double horizon =
            berth_monitor_horizon(monitor, age) - monitor->safety.latency + cloud->latency + stopping;
        monitor->clouds_now[i].reach =
            own_reach(monitor, cloud->speed, horizon, cloud->uncertainty, cloud->intrusion, cloud->person);
    }
}

// Joints, from the oldest of all samples. Returns the longest time that braking can take, or NaN.
static double place_joints(BerthMonitor* monitor, double now) {
    const BerthScene* scene = monitor->scene;
    double age = 0.0;
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        const double own = bi_track_age(&monitor->source_tracks[i], now);
        age = own <= age ? age : own;  // NaN stays
    }
    age = monitor->def.fixed_buffers && age <= monitor->safety.silence ? monitor->safety.silence : age;
    const double horizon = berth_monitor_horizon(monitor, age);
    double stopping = 0.0;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        for (int32_t f = 1; f < scene->robots[r].frame_count; ++f) {
            place_joint(monitor, r, f, horizon);
            const double own = monitor->joints_now[scene->robots[r].first_frame + f].stopping;
            stopping = own <= stopping ? stopping : own;
        }
    }
    return stopping;
}

bool bi_monitor_place(BerthMonitor* monitor, double now) {
    const BerthScene* scene = monitor->scene;
    if (!bi_check_place_balls(monitor->checker, monitor->values)) {
        return false;
    }
    const double stopping = place_joints(monitor, now);
    place_clouds(monitor, now, stopping);
    const double own = 0.5 * monitor->safety.margin + monitor->def.model_error;
    for (int32_t i = 0; i < monitor->guard_count; ++i) {
        const Guard* guard = &monitor->guards[i];
        if ((guard->row_count == 1 && guard->object < 0) || !monitor->guard_shown[i]) {
            continue;  // it stands still, and was placed at the start; or it is not there
        }
        place_guard(monitor, i,
                    guard->object >= 0 ? object_reach(monitor, guard->object, now, stopping) : 0.0);
        const double extension =
            (bi_guard_reach(monitor, guard) + own + scene->bodies[guard->body].padding) * BI_GUARD_GROWN;
        if (berth_index_move(monitor->index, guard->indexed, &monitor->guard_pose[i], extension) !=
            BERTH_OK) {
            return false;
        }
    }
    berth_index_update(monitor->index);
    return true;
}

static int32_t values_of(FrameMotion motion) {
    return motion == FRAME_PLANAR ? 3 : motion == FRAME_FLOATING ? 7 : 1;
}

BerthJointLimit berth_monitor_limit(const BerthMonitor* monitor, int32_t value) {
    const BerthScene* scene = monitor->scene;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t f = 1; f < robot->frame_count; ++f) {
            const RobotFrame* frame = &robot->robot->frames[f];
            const int32_t first = robot->first_value + frame->value;
            if (value >= first && value < first + values_of(frame->motion)) {
                const GuardJoint* joint = &monitor->joints[robot->first_frame + f];
                return (BerthJointLimit){joint->velocity, joint->acceleration,
                                         joint->deceleration * monitor->load_scale[r]};
            }
        }
    }
    return (BerthJointLimit){0.0, 0.0, 0.0};
}

int32_t berth_monitor_braking_assumed(const BerthMonitor* monitor) {
    return monitor->braking_assumed;
}
