// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The loop's side of joint states, clouds, poses and permits over DDS. Everything else (maps, switches, resets) can be
// received as datagrams as well: dds:/joint_states+udp:HOST:PORT.
// Entries: ros_open, ros_drain, ros_close.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dds.h"
#include "guard_internal.h"

static const char* output_topic(const GuardSettings* settings) {
    for (int i = 0; i < settings->output_count; ++i) {
        if (strncmp(settings->outputs[i], "dds:", 4) == 0) {
            return settings->outputs[i] + 4;
        }
    }
    return NULL;
}

bool ros_open(Guard* guard, GuardError* error) {
    const GuardSettings* settings = guard->settings;
    const bool receives = guard->input.kind == INPUT_DDS;
    const char* beside = receives ? strstr(settings->input, "+udp:") : NULL;
    char topic[256] = "";

    if (guard->dds != NULL || (!receives && output_topic(settings) == NULL)) {
        return true;
    }

    if (!trust_check_dds(guard, error)) {
        return false;
    }
    if (receives) {
        const size_t size = beside != NULL ? (size_t)(beside - settings->input) : strlen(settings->input);
        if (size - 4 >= sizeof topic) {
            return guard_fail(error, GUARD_WRONG, "--input '%s': the topic's name is too long",
                              settings->input);
        }
        memcpy(topic, settings->input + 4, size - 4);
        topic[size - 4] = '\0';
    }

    if (receives && !sensed_open(settings, guard->movers, guard->mover_count, &guard->sensed, error)) {
        return false;
    }
    const DdsDef def = {.scene = settings->scene,
                        .def = &settings->def,
                        .sensed = guard->sensed,
                        .deadline = 2.0 * guard->safety.period,
                        .input = receives ? topic : NULL,
                        .output = output_topic(settings)};

    return dds_open(&def, &guard->dds, error) &&
           (beside == NULL || input_open_udp(guard, beside + strlen("+udp:"), error));
}

void ros_close(Guard* guard) {
    dds_close(guard->dds);
    guard->dds = NULL;
    sensed_close(guard->sensed);
    guard->sensed = NULL;
}

// What the monitor is told of a sender's clock: its stamps, brought near to this one's once; or, where both are meant to
// show the same time and do not, by how much.
static double stamp_of(const Guard* guard, double stamp, double skew, double received) {
    return fabs(skew) > guard->settings->def.skew_limit ? received + skew : stamp;
}

static void deliver_sensed(Guard* guard, const SensedMessage* m, double received) {
    const double stamp = stamp_of(guard, m->stamp, m->skew, received);
    guard->message_counts.taken += 1;
    if (m->cloud >= 0) {
        const BerthMonitorPoints message = {.cloud = m->cloud,
                                            .stream = m->stream,
                                            .sequence = m->sequence,
                                            .stamp = stamp,
                                            .received = received,
                                            .total = m->total,
                                            .alive = m->alive,
                                            .points = m->points,
                                            .count = m->count};
        berth_monitor_receive_points(guard->monitor, &message);
        return;
    }

    const BerthMonitorPose message = {.object = m->object,
                                      .stream = m->stream,
                                      .sequence = m->sequence,
                                      .stamp = stamp,
                                      .received = received,
                                      .pose = m->pose};
    berth_monitor_receive_pose(guard->monitor, &message);
}

static void drain_sensed(Guard* guard, double now, double monotonic) {
    int taken = 0;
    for (const SensedMessage* m;
         guard->sensed != NULL && taken < DRAIN_MAX && (m = sensed_next(guard->sensed)) != NULL; ++taken) {
        deliver_sensed(guard, m, now - fmax(monotonic - m->received, 0.0));
        sensed_release(guard->sensed);
    }
    guard->message_counts.full += taken == DRAIN_MAX;
}

void ros_drain(Guard* guard, double now) {
    JointMerger* merger = dds_joint_merger(guard->dds);
    const double monotonic = machine_monotonic_seconds();
    int taken = 0;

    for (const JointMessage* joint; taken < DRAIN_MAX && (joint = joint_merger_next(merger)) != NULL;
         ++taken) {
        const BerthMonitorSource* source = &guard->settings->def.sources[joint->source];
        const double received = now - (monotonic > joint->received ? monotonic - joint->received : 0.0);

        const BerthMonitorMessage message = {
            .source = joint->source,
            .stream = joint->stream,
            .sequence = joint->sequence,
            .stamp = stamp_of(guard, joint->stamp, joint->skew, received),
            .received = received,
            .positions = joint->positions,
            .velocities = joint->has_velocities ? joint->velocities : NULL,
            .count = source->values != NULL ? source->value_count : guard->value_count};

        guard->message_counts.taken += 1;
        berth_monitor_receive(guard->monitor, &message);
        joint_merger_release(merger);
    }

    guard->message_counts.full += taken == DRAIN_MAX;
    drain_sensed(guard, now, monotonic);

    // Only what is new since the previous cycle.
    const DdsCounts counts = dds_counts(guard->dds);
    guard->message_counts.datagrams += counts.messages - guard->dds_counted.messages;
    guard->message_counts.malformed += counts.malformed - guard->dds_counted.malformed;
    guard->message_counts.strangers += counts.strangers - guard->dds_counted.strangers;
    guard->message_counts.misfits += counts.misfits - guard->dds_counted.misfits;
    guard->dds_counted = counts;

    if (guard->input.datagrams != NULL) {
        input_drain_udp(guard, now);
    }
}
