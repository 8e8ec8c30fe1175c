// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A motion made up for measuring: every joint swings from the scene's state into the larger part of its range, each in its
// own time and slower than real ones can.
// Entries: input_open_motion, input_drain_motion.

#include <math.h>
#include <stdlib.h>

#include "guard_internal.h"

static const double SWING = 0.05;  // radian or metre; twice that is the farthest it goes

static double choose_swing(const BerthJointInfo* info, double home, double fastest) {
    const double up = info->has_limits ? info->upper - home : 1.0;
    const double down = info->has_limits ? home - info->lower : 1.0;
    const double room = fmax(fmax(up, down), 0.0);
    const double largest = fmin(fmin(SWING, 0.45 * room), 0.25 * fastest);
    return up >= down ? largest : -largest;
}

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
    return true;
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
}
