// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// From bytes to the monitor: one place for every kind of message, whatever way it came.

#include <math.h>

#include "inside.h"

static void take_state(Guard* guard, const BerthWireMessage* m, double received) {
    const int32_t source = berth_monitor_find_source(guard->monitor, m->name);
    if (source < 0) {
        guard->mail.nameless += 1;
        return;
    }
    const BerthMonitorMessage message = {.source = source,
                                         .stream = m->stream,
                                         .sequence = m->sequence,
                                         .stamp = m->stamp,
                                         .received = received,
                                         .positions = m->positions,
                                         .velocities = m->has_velocities ? m->velocities : NULL,
                                         .count = m->count};
    guard->mail.taken += 1;
    berth_monitor_hear(guard->monitor, &message);
}

static void take_pose(Guard* guard, const BerthWireMessage* m, double received) {
    const BerthObjectId object = berth_scene_find_object(guard->settings->scene, m->name);
    BerthObjectInfo info;
    if (berth_scene_object(guard->settings->scene, object, &info) != BERTH_OK) {
        guard->mail.nameless += 1;
        return;
    }
    const BerthMonitorPose message = {.object = object,
                                      .stream = m->stream,
                                      .sequence = m->sequence,
                                      .stamp = m->stamp,
                                      .received = received,
                                      .pose = m->pose};
    guard->mail.taken += 1;
    berth_monitor_hear_pose(guard->monitor, &message);
}

static void take_cloud(Guard* guard, const BerthWireMessage* m, double received) {
    const int32_t cloud = berth_monitor_find_cloud(guard->monitor, m->name);
    if (cloud < 0) {
        guard->mail.nameless += 1;
        return;
    }
    const BerthMonitorPoints message = {.cloud = cloud,
                                        .stream = m->stream,
                                        .sequence = m->sequence,
                                        .stamp = m->stamp,
                                        .received = received,
                                        .first = m->first,
                                        .total = m->total,
                                        .alive = m->alive,
                                        .points = m->points,
                                        .count = m->point_count};
    guard->mail.taken += 1;
    berth_monitor_hear_points(guard->monitor, &message);
}

// An option that was not declared is handed on: the monitor stops at it.
static void take_switch(Guard* guard, const BerthWireMessage* m, double received) {
    const int32_t choice = berth_monitor_find_choice(guard->monitor, m->name);
    if (choice < 0) {
        guard->mail.nameless += 1;
        return;
    }
    const BerthMonitorSwitch message = {
        .choice = choice,
        .option = berth_monitor_find_option(guard->monitor, choice, m->option),
        .stream = m->stream,
        .sequence = m->sequence,
        .stamp = m->stamp,
        .received = received};
    guard->mail.taken += 1;
    berth_monitor_switch(guard->monitor, &message);
}

void mail_reset(Guard* guard) {
    guard->mail.resets += 1;
    berth_monitor_reset(guard->monitor);
}

// A reset counts once: a copy of it that comes again is none. Nor is one that waited while something went wrong: who sent it did not
// know of that.
static void take_reset(Guard* guard, const BerthWireMessage* m, double received) {
    if (!(received >= guard->fault_at)) {
        return;
    }
    if (guard->mail.resets > 0 && m->stream == guard->reset_stream && m->sequence <= guard->reset_sequence) {
        return;
    }
    guard->reset_stream = m->stream;
    guard->reset_sequence = m->sequence;
    mail_reset(guard);
}

void mail_deliver(Guard* guard, double received) {
    const BerthWireMessage* m = &guard->message;
    switch (m->kind) {
    case BERTH_WIRE_STATE:
        take_state(guard, m, received);
        break;
    case BERTH_WIRE_POSE:
        take_pose(guard, m, received);
        break;
    case BERTH_WIRE_CLOUD:
        take_cloud(guard, m, received);
        break;
    case BERTH_WIRE_SWITCH:
        take_switch(guard, m, received);
        break;
    case BERTH_WIRE_RESET:
        take_reset(guard, m, received);
        break;
    default:  // permits are not for us
        guard->mail.malformed += 1;
        break;
    }
}

void mail_take(Guard* guard, const void* bytes, size_t size, double received) {
    if (size > BERTH_WIRE_SIZE || berth_wire_read(bytes, size, &guard->message) != BERTH_OK) {
        guard->mail.malformed += 1;
        return;
    }
    mail_deliver(guard, received);
}

// ---- files of rows -------------------------------------------------------------------------------------------

static void tell_source(Guard* guard, int32_t at, uint64_t sequence, const double* positions,
                        const double* velocities, double received) {
    const BerthMonitorSource* source = &guard->settings->def.sources[at];
    BerthWireMessage* m = &guard->message;  // for its room
    const int32_t count = source->value_count;
    for (int32_t i = 0; i < count; ++i) {
        m->positions[i] = positions[source->values[i]];
        m->velocities[i] = velocities != NULL ? velocities[source->values[i]] : 0.0;
    }
    const BerthMonitorMessage message = {.source = at,
                                         .sequence = sequence,
                                         .stamp = NAN,
                                         .received = received,
                                         .positions = m->positions,
                                         .velocities = velocities != NULL ? m->velocities : NULL,
                                         .count = count};
    guard->mail.taken += 1;
    berth_monitor_hear(guard->monitor, &message);
}

void mail_values(Guard* guard, uint64_t sequence, const double* positions, const double* velocities,
                 double received) {
    const BerthMonitorDef* def = &guard->settings->def;
    for (int32_t i = 0; i < def->source_count; ++i) {
        if (def->sources[i].values != NULL) {
            tell_source(guard, i, sequence, positions, velocities, received);
            continue;
        }
        const BerthMonitorMessage message = {.source = i,
                                             .sequence = sequence,
                                             .stamp = NAN,
                                             .received = received,
                                             .positions = positions,
                                             .velocities = velocities,
                                             .count = guard->value_count};
        guard->mail.taken += 1;
        berth_monitor_hear(guard->monitor, &message);
    }
}

void mail_standing(Guard* guard, uint64_t sequence, double received) {
    for (int32_t i = 0; i < guard->mover_count; ++i) {
        BerthObjectInfo info;
        if (berth_scene_object(guard->settings->scene, guard->movers[i], &info) == BERTH_OK) {
            const BerthMonitorPose message = {.object = guard->movers[i],
                                              .sequence = sequence,
                                              .stamp = NAN,
                                              .received = received,
                                              .pose = info.pose};
            berth_monitor_hear_pose(guard->monitor, &message);
        }
    }
}
