// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Joint states and permits over DDS, as the loop meets them. Everything else - poses, clouds, switches, resets - may come as
// datagrams beside them: dds:/joint_states+udp:HOST:PORT.

#include <stdio.h>
#include <string.h>

#include "dds.h"
#include "inside.h"

static const char* output_topic(const GuardSettings* set) {
    for (int i = 0; i < set->output_count; ++i) {
        if (strncmp(set->outputs[i], "dds:", 4) == 0) {
            return set->outputs[i] + 4;
        }
    }
    return NULL;
}

bool ros_open(Guard* guard, GuardError* error) {
    const GuardSettings* set = guard->settings;
    const bool hears = guard->input.kind == INPUT_DDS;
    const char* beside = hears ? strstr(set->input, "+udp:") : NULL;
    char topic[256] = "";
    if (guard->dds != NULL || (!hears && output_topic(set) == NULL)) {
        return true;
    }
    if (hears) {
        const size_t size = beside != NULL ? (size_t)(beside - set->input) : strlen(set->input);
        if (size - 4 >= sizeof topic) {
            return guard_fail(error, GUARD_WRONG, "--input '%s': the topic's name is too long", set->input);
        }
        memcpy(topic, set->input + 4, size - 4);
        topic[size - 4] = '\0';
    }
    const DdsDef def = {
        .scene = set->scene, .def = &set->def, .input = hears ? topic : NULL, .output = output_topic(set)};
    return dds_open(&def, &guard->dds, error) &&
           (beside == NULL || input_open_udp(guard, beside + strlen("+udp:"), error));
}

void ros_close(Guard* guard) {
    dds_close(guard->dds);
    guard->dds = NULL;
}

void ros_drain(Guard* guard, double now) {
    Joints* joints = dds_joints(guard->dds);
    const double mono = machine_mono();
    int taken = 0;
    for (const JointMail* mail; taken < DRAIN_MAX && (mail = joints_next(joints)) != NULL; ++taken) {
        const BerthMonitorSource* source = &guard->settings->def.sources[mail->source];
        const double received = now - (mono > mail->received ? mono - mail->received : 0.0);
        const BerthMonitorMessage message = {
            .source = mail->source,
            .stream = mail->stream,
            .sequence = mail->sequence,
            .stamp = received + mail->skew,
            .received = received,
            .positions = mail->positions,
            .velocities = mail->has_velocities ? mail->velocities : NULL,
            .count = source->values != NULL ? source->value_count : guard->value_count};
        guard->mail.taken += 1;
        berth_monitor_hear(guard->monitor, &message);
        joints_done(joints);
    }
    guard->mail.full += taken == DRAIN_MAX;
    const DdsCounts counts = dds_counts(guard->dds);
    guard->mail.datagrams += counts.messages - guard->dds_told.messages;
    guard->mail.malformed += counts.malformed - guard->dds_told.malformed;
    guard->mail.strangers += counts.strangers - guard->dds_told.strangers;
    guard->dds_told = counts;
    if (guard->input.datagrams != NULL) {
        input_drain_udp(guard, now);
    }
}
