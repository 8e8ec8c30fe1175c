// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A generated motion for measurements: every joint swings from the scene's state into the larger part of its range, each
// with its own period and slower than real joints can. Declared clouds show the upper sides of standing objects, as a
// camera above the cell sees them, thirty times a second, in as many parts as messages would have.
// Entries: input_open_motion, input_drain_motion.

#include <math.h>
#include <stdlib.h>

#include "guard_internal.h"

static const double SWING = 0.05;  // radian or metre; a joint moves at most twice as far

static double choose_swing(const BerthJointInfo* info, double home, double fastest) {
    const double up = info->has_limits ? info->upper - home : 1.0;
    const double down = info->has_limits ? home - info->lower : 1.0;
    const double room = fmax(fmax(up, down), 0.0);
    const double largest = fmin(fmin(SWING, 0.45 * room), 0.25 * fastest);
    return up >= down ? largest : -largest;
}

// ---- clouds --------------------------------------------------------------------------------------------------

static const double CLOUDS_A_SECOND = 30.0;

// A number from 0 to 1 that looks random: the fractional parts of multiples of an irrational number are evenly distributed.
static double spread(int32_t n, double irrational) {
    return fmod((double)(n + 1) * irrational, 1.0);
}

// A point of the upper side of a box or ball around a standing object; false for bodies moved by a joint.
static bool point_above(const Guard* guard, int32_t body, int32_t n, BerthVec3* out) {
    const BerthSimpleBody simple = berth_monitor_body(guard->monitor, body);
    if (berth_scene_body(guard->settings->scene, simple.body).robot >= 0) {
        return false;
    }

    BerthVec3 half = {0.1, 0.1, 0.1};
    if (simple.shape.kind == BERTH_BOX) {
        half = simple.shape.as.box.half;
    }
    const BerthPose* p = &simple.pose;
    const double x = half.x * (2.0 * spread(n, 0.6180339887498949) - 1.0);
    const double y = half.y * (2.0 * spread(n, 0.7548776662466927) - 1.0);
    *out = (BerthVec3){p->t.x + p->x.x * x + p->y.x * y + p->z.x * half.z,
                       p->t.y + p->x.y * x + p->y.y * y + p->z.y * half.z,
                       p->t.z + p->x.z * x + p->y.z * y + p->z.z * half.z};
    return true;
}

static bool make_clouds(Guard* guard) {
    const BerthMonitorDef* def = &guard->settings->def;
    int32_t most = 0;
    for (int32_t i = 0; i < def->cloud_count; ++i) {
        most = def->clouds[i].capacity > most ? def->clouds[i].capacity : most;
    }
    guard->input.seen = calloc((size_t)most + 1, sizeof *guard->input.seen);

    const int32_t bodies = berth_monitor_body_count(guard->monitor);
    for (int32_t n = 0, body = 0, passed = 0; guard->input.seen != NULL && n < most && passed <= bodies;) {
        const bool found = point_above(guard, body, n, &guard->input.seen[n]);
        n += found;
        passed = found ? 0 : passed + 1;  // nothing stands still: the remaining points are at the origin
        body = (body + 1) % bodies;
    }
    return guard->input.seen != NULL;
}

static void deliver_cloud(Guard* guard, int32_t cloud, double now) {
    const BerthMonitorCloud* c = &guard->settings->def.clouds[cloud];
    const int64_t span = (int64_t)fmax(rint(1.0 / (CLOUDS_A_SECOND * guard->safety.period)), 1.0);
    const int64_t parts = (c->capacity + BERTH_WIRE_POINTS - 1) / BERTH_WIRE_POINTS;
    const int64_t at_once = (parts + span - 1) / span;
    const int64_t begin = guard->cycle % span * at_once;

    for (int64_t part = begin; part < begin + at_once && part < parts; ++part) {
        const int32_t first = (int32_t)part * BERTH_WIRE_POINTS;
        const int32_t left = c->capacity - first;
        const BerthMonitorPoints message = {.cloud = cloud,
                                            .sequence = (uint64_t)(guard->cycle / span) + 1,
                                            .stamp = NAN,
                                            .received = now,
                                            .first = first,
                                            .total = c->capacity,
                                            .alive = true,
                                            .points = guard->input.seen + first,
                                            .count = left < BERTH_WIRE_POINTS ? left : BERTH_WIRE_POINTS};
        berth_monitor_receive_points(guard->monitor, &message);
    }
}

// ---- joints --------------------------------------------------------------------------------------------------

bool input_open_motion(Guard* guard, GuardError* error) {
    const BerthScene* scene = guard->settings->scene;
    double* swing = calloc((size_t)guard->value_count + 1, sizeof *swing);
    if (swing == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    int32_t first = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);

        for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
            const BerthJointInfo info = berth_robot_joint(robot, j);
            for (int32_t k = 0; info.first_value >= 0 && k < info.value_count; ++k) {
                const int32_t at = first + info.first_value + k;
                const double fastest = berth_monitor_limit(guard->monitor, at).velocity;
                swing[at] = choose_swing(&info, berth_scene_values(scene)[at], fastest);
            }
        }
        first += berth_robot_value_count(robot);
    }

    guard->input.differences = swing;
    return make_clouds(guard) || guard_fail(error, GUARD_MACHINE, "out of memory");
}

void input_drain_motion(Guard* guard, double now) {
    const double* home = berth_scene_values(guard->settings->scene);
    const double* swing = guard->input.differences;
    for (int32_t i = 0; i < guard->value_count; ++i) {
        const double rate = 0.5 + 0.07 * (double)(i % 11);
        guard->positions[i] = home[i] + swing[i] * (1.0 - cos(rate * now));
        guard->velocities[i] = swing[i] * rate * sin(rate * now);
    }
    messages_deliver_values(guard, (uint64_t)guard->cycle + 1, guard->positions, guard->velocities, now);
    messages_deliver_standing_objects(guard, (uint64_t)guard->cycle + 1, now);
    for (int32_t i = 0; i < guard->settings->def.cloud_count; ++i) {
        if (guard->settings->def.clouds[i].grid == NULL) {
            deliver_cloud(guard, i, now);
        }
    }
}
