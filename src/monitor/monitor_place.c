// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The poses of the simple bodies, and how far each of their points can move until everything stands still
// (errata 1.8).
// Entries: bi_monitor_place, bi_monitor_find_buffers; berth_monitor_horizon, berth_monitor_limit,
// berth_monitor_braking_assumed.

#include "math/math.h"
#include "monitor/monitor.h"

double berth_monitor_horizon(const BerthMonitor* monitor, double age) {
    const BerthSafety* s = &monitor->safety;
    // The sample was taken `latency` before it came; this cycle answers at its end; the permit lives on; then it takes
    // `reaction` until brakes bite. A sample that is missing makes the age, so the sampling phase is in it.
    return s->latency + age + s->period + monitor->def.valid_for + s->reaction;
}

/// One elementary joint from the sample to standstill.
typedef struct StopBound {
    double travel, seconds;
} StopBound;

// `scale` is what the load leaves of the deceleration.
static StopBound stop_from(const MonitorJoint* joint, double speed, double horizon, double scale) {
    const double v0 = speed < joint->velocity ? speed : joint->velocity;
    // Faster and faster until it is as fast as it can be, or the time is over. What is not known may be sudden.
    const bool unknown = !(joint->acceleration < (double)INFINITY);
    const double until = unknown ? 0.0 : (joint->velocity - v0) / joint->acceleration;
    const double rising = until < horizon ? until : horizon;
    const double gained = unknown ? 0.0 : joint->acceleration * rising;
    const double v1 = unknown || until < horizon ? joint->velocity : fmin(joint->velocity, v0 + gained);
    const double run = (v0 + 0.5 * gained) * rising + joint->velocity * (horizon - rising);
    const double deceleration = joint->deceleration * scale;
    return (StopBound){(run + 0.5 * v1 * v1 / deceleration) * BI_MONITOR_GROWN,
                       v1 / deceleration * BI_MONITOR_GROWN};
}

/// Speeds that buffers are for: those that there are, or all of them a share of the largest.
typedef struct SpeedsTaken {
    double horizon;
    double scale;  // < 0: those that there are
} SpeedsTaken;

static double speed_of(const BerthMonitor* monitor, const SpeedsTaken* taken, int32_t value) {
    return taken->scale < 0.0 ? monitor->speeds[value] : taken->scale * monitor->limits[value].velocity;
}

static void bound_joint(const BerthMonitor* monitor, int32_t robot_index, int32_t frame,
                        const SpeedsTaken* taken, JointNow* joints) {
    const SceneRobot* robot = &monitor->scene->robots[robot_index];
    const RobotFrame* f = &robot->robot->frames[frame];
    const MonitorJoint* joint = &monitor->joints[robot->first_frame + frame];
    JointNow* now = &joints[robot->first_frame + frame];
    const int32_t first = robot->first_value + f->value;
    const double horizon = taken->horizon;
    const double scale = monitor->load_scale[robot_index];
    const double error = monitor->def.tracking_error + monitor->safety.noise;
    *now = (JointNow){0};

    if (f->motion == FRAME_PLANAR || f->motion == FRAME_FLOATING) {
        // Slides along two axes or three, and a turn; how fast a floating base turns is never reported.
        const int slides = f->motion == FRAME_PLANAR ? 2 : 3;
        for (int k = 0; k <= slides; ++k) {
            const double speed = f->motion == FRAME_FLOATING && k == slides
                                     ? joint->velocity
                                     : speed_of(monitor, taken, first + k);
            const StopBound stop = stop_from(joint, speed, horizon, scale);
            if (k < slides) {
                now->slide += stop.travel + error;
            } else {
                now->turn += stop.travel + error;
            }
            now->stopping = fmax(now->stopping, stop.seconds);
        }
        return;
    }

    const StopBound stop = stop_from(joint, speed_of(monitor, taken, first), horizon, scale);
    const double travel = (stop.travel + error) * fabs(f->multiplier);
    now->stopping = stop.seconds;

    const RobotValue* value = &robot->robot->values[f->value];
    const double at = monitor->values[robot->first_value + f->value];
    const double away = (stop.travel + error) * BI_MONITOR_GROWN;
    now->within = !value->has_limits || (at - away >= value->lower && at + away <= value->upper);

    if (f->motion == FRAME_SLIDE) {
        now->slide = travel;
    } else {
        now->turn = travel;
    }
}

// A point's distance from an axis is convex in the point: over the shape it is largest at a corner of its hull. So is that from
// the origin, about which a floating base turns in any way.
static double lever_of(const BerthMonitor* monitor, const SimpleBody* simple, const Pose* world_from_axis,
                       const RobotFrame* f) {
    const Vec3 direction = pose_turn(world_from_axis, f->axis);
    const bool floats = f->motion == FRAME_FLOATING;
    const Pose* world_from_frame = &monitor->checker->world_from_frame[simple->frame];
    double most = 0.0;
    for (int32_t i = 0; i < simple->point_count; ++i) {
        const Vec3 at = pose_apply(world_from_frame, simple->points[i].centre);
        const Vec3 from = v3_sub(at, world_from_axis->t);
        const double away = v3_length(floats ? from : v3_cross(direction, from)) + simple->points[i].radius;
        most = away > most ? away : most;
    }
    return most;
}

static void find_levers(BerthMonitor* monitor, const SimpleBody* simple) {
    const BerthScene* scene = monitor->scene;
    const int32_t* frame = monitor->row_frame + simple->first_row;
    for (int32_t k = 1; k < simple->row_count; ++k) {
        const SceneRobot* robot = &scene->robots[scene->bodies[simple->body].robot];
        const RobotFrame* f = &robot->robot->frames[frame[k] - robot->first_frame];
        monitor->row_lever[simple->first_row + k] =
            lever_of(monitor, simple, &monitor->checker->world_from_frame[frame[k]], f);
    }
}

// From the body inward: levers grow by what the joints beyond can do to them. Then outward: sums.
static void sum_rows(const BerthMonitor* monitor, const SimpleBody* simple, Buffers* buffers) {
    double* sum = buffers->row_sum + simple->first_row;
    const double* lever = monitor->row_lever + simple->first_row;
    const int32_t* frame = monitor->row_frame + simple->first_row;
    double beyond = 0.0;

    for (int32_t k = simple->row_count - 1; k > 0; --k) {
        const JointNow* joint = &buffers->joints[frame[k]];
        sum[k] = (lever[k] + beyond) * BI_MONITOR_GROWN * joint->turn + joint->slide;
        beyond += sum[k];
    }

    sum[0] = 0.0;
    for (int32_t k = 1; k < simple->row_count; ++k) {
        sum[k] = (sum[k - 1] + sum[k]) * BI_MONITOR_GROWN;
    }
}

static void place_simple_body(BerthMonitor* monitor, int32_t at) {
    const SimpleBody* simple = &monitor->simple_bodies[at];
    const Pose* outer = simple->object >= 0 ? &monitor->object_pose[simple->object]
                                            : &monitor->checker->world_from_frame[simple->frame];
    monitor->simple_pose[at] = pose_mul(outer, &simple->frame_from_shape);
    find_levers(monitor, simple);
}

// How far something can go on its own until the robots stand: its speed for all that time, and for a person what the sensor
// does not see.
static double own_reach(const BerthMonitor* monitor, double speed, double seconds, double uncertainty,
                        double intrusion, bool person) {
    const double extra = person ? monitor->def.robot_uncertainty : 0.0;
    return (speed * seconds + uncertainty + intrusion + extra) * BI_MONITOR_GROWN;
}

static double object_reach(const BerthMonitor* monitor, int32_t at, double now, double stopping) {
    const MonitorObject* object = &monitor->objects[at];
    const double age = bi_track_age(&monitor->object_tracks[at], now);
    return own_reach(monitor, object->speed, berth_monitor_horizon(monitor, age) + stopping,
                     object->uncertainty, object->person ? object->intrusion : 0.0, object->person);
}

static void bound_clouds(const BerthMonitor* monitor, double now, double stopping, double* reach) {
    for (int32_t i = 0; i < monitor->cloud_count; ++i) {
        const MonitorCloud* cloud = &monitor->clouds[i];
        const double age = bi_track_age(&monitor->cloud_tracks[i], now);
        const double horizon =
            berth_monitor_horizon(monitor, age) - monitor->safety.latency + cloud->latency + stopping;
        reach[i] =
            own_reach(monitor, cloud->speed, horizon, cloud->uncertainty, cloud->intrusion, cloud->person);
    }
}

double bi_monitor_oldest_age(const BerthMonitor* monitor, double now) {
    double age = 0.0;
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        const double own = bi_track_age(&monitor->source_tracks[i], now);
        if (age == age) {  // NaN stays
            age = own <= age ? age : own;
        }
    }
    return age;
}

// Joints, from the oldest of all samples. Returns the longest time that braking can take, or NaN.
static double bound_joints(const BerthMonitor* monitor, double now, double scale, JointNow* joints) {
    const BerthScene* scene = monitor->scene;
    double age = bi_monitor_oldest_age(monitor, now);
    if (monitor->def.fixed_buffers && age <= monitor->safety.silence) {
        age = monitor->safety.silence;
    }

    const SpeedsTaken taken = {berth_monitor_horizon(monitor, age), scale};
    double stopping = 0.0;

    for (int32_t r = 0; r < scene->robot_count; ++r) {
        for (int32_t f = 1; f < scene->robots[r].frame_count; ++f) {
            bound_joint(monitor, r, f, &taken, joints);
            const double own = joints[scene->robots[r].first_frame + f].stopping;
            stopping = own <= stopping ? stopping : own;
        }
    }
    return stopping;
}

// It stands still, and was placed at the start; or it is not there.
static bool is_left_out(const BerthMonitor* monitor, int32_t at) {
    const SimpleBody* simple = &monitor->simple_bodies[at];
    return (simple->row_count == 1 && simple->object < 0) || !monitor->simple_shown[at];
}

void bi_monitor_find_buffers(const BerthMonitor* monitor, double now, double scale, Buffers* out) {
    const double stopping = bound_joints(monitor, now, scale, out->joints);
    bound_clouds(monitor, now, stopping, out->cloud_reach);

    for (int32_t i = 0; i < monitor->simple_count; ++i) {
        const SimpleBody* simple = &monitor->simple_bodies[i];
        if (is_left_out(monitor, i)) {
            continue;
        }

        sum_rows(monitor, simple, out);
        if (simple->object >= 0) {
            out->row_sum[simple->first_row] = object_reach(monitor, simple->object, now, stopping);
        }
    }
}

// The buffers for the index: by the speeds that there are, and where permits have a scale by all that there can be.
static double reach_in_index(const BerthMonitor* monitor, const SimpleBody* simple) {
    const double now = bi_simple_body_reach(&monitor->now, simple);
    const double most = monitor->def.speed_scale ? bi_simple_body_reach(&monitor->fastest, simple) : now;
    return most > now ? most : now;  // NaN stays
}

bool bi_monitor_place(BerthMonitor* monitor, double now) {
    const BerthScene* scene = monitor->scene;
    if (!bi_check_place_balls(monitor->checker, monitor->values)) {
        return false;
    }

    for (int32_t i = 0; i < monitor->simple_count; ++i) {
        if (!is_left_out(monitor, i)) {
            place_simple_body(monitor, i);
        }
    }
    bi_monitor_find_buffers(monitor, now, -1.0, &monitor->now);
    if (monitor->def.speed_scale) {
        bi_monitor_find_buffers(monitor, now, 1.0, &monitor->fastest);
    }

    const double own = 0.5 * (monitor->safety.margin + monitor->safety.hysteresis) + monitor->def.model_error;
    for (int32_t i = 0; i < monitor->simple_count; ++i) {
        const SimpleBody* simple = &monitor->simple_bodies[i];
        if (is_left_out(monitor, i)) {
            continue;
        }

        const double extension =
            (reach_in_index(monitor, simple) + own + scene->bodies[simple->body].padding) * BI_MONITOR_GROWN;
        if (berth_index_move(monitor->index, simple->indexed, &monitor->simple_pose[i], extension) !=
            BERTH_OK) {
            return false;
        }
    }

    berth_index_update(monitor->index);
    return true;
}

static int32_t value_count_of(FrameMotion motion) {
    switch (motion) {
    case FRAME_PLANAR:
        return 3;
    case FRAME_FLOATING:
        return 7;
    default:
        return 1;
    }
}

BerthJointLimit berth_monitor_limit(const BerthMonitor* monitor, int32_t value) {
    const BerthScene* scene = monitor->scene;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t f = 1; f < robot->frame_count; ++f) {
            const RobotFrame* frame = &robot->robot->frames[f];
            const int32_t first = robot->first_value + frame->value;
            if (value >= first && value < first + value_count_of(frame->motion)) {
                const MonitorJoint* joint = &monitor->joints[robot->first_frame + f];
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
