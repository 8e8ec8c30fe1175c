// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// From bytes to the monitor: one place for all kinds of messages, however they were received.
// Entries: messages_receive, messages_deliver, messages_deliver_values, messages_deliver_standing_objects, guard_reset_monitor.

#include <math.h>
#include <string.h>

#include "guard_internal.h"

// Whether the names in a state are those of the source's values.
static bool names_agree(const Guard* guard, const BerthMonitorSource* source, const BerthWireMessage* m) {
    const int32_t count = source->values != NULL ? source->value_count : guard->value_count;
    const char* told = m->names;
    bool agree = m->count == count;
    for (int32_t i = 0; agree && i < count; ++i, told += strlen(told) + 1) {
        char name[BERTH_WIRE_NAME + 2];  // one that is longer than any that can be told stays so
        berth_scene_value_name(guard->settings->scene, source->values != NULL ? source->values[i] : i, name,
                               sizeof name);
        agree = strcmp(name, told) == 0;
    }
    return agree;
}

// A sender with another model, or other joints, is ignored: the guard would check the wrong ones.
static bool state_agrees(const Guard* guard, int32_t source, const BerthWireMessage* m) {
    if (m->has_model && memcmp(m->model, guard->last_permit.model, sizeof m->model) != 0) {
        return false;
    }
    return !m->has_names || names_agree(guard, &guard->settings->def.sources[source], m);
}

// Which of this guard's permits a state echoes. A permit of another run was never sent by this guard.
static uint64_t echo_of(const Guard* guard, const BerthWireMessage* m) {
    return m->echo == 0 || m->echo_stream == guard->output.stream ? m->echo : UINT64_MAX;
}

static void deliver_state(Guard* guard, const BerthWireMessage* m, double received) {
    const int32_t source = berth_monitor_find_source(guard->monitor, m->name);
    if (source < 0) {
        guard->message_counts.nameless += 1;
        return;
    }
    if (!state_agrees(guard, source, m)) {
        guard->message_counts.misfits += 1;
        return;
    }

    const BerthMonitorMessage message = {.source = source,
                                         .stream = m->stream,
                                         .sequence = m->sequence,
                                         .stamp = m->stamp,
                                         .echo = echo_of(guard, m),
                                         .received = received,
                                         .positions = m->positions,
                                         .velocities = m->has_velocities ? m->velocities : NULL,
                                         .count = m->count};

    guard->message_counts.taken += 1;
    berth_monitor_receive(guard->monitor, &message);
}

static void deliver_pose(Guard* guard, const BerthWireMessage* m, double received) {
    const BerthObjectId object = berth_scene_find_object(guard->settings->scene, m->name);
    BerthObjectInfo info;
    if (berth_scene_object(guard->settings->scene, object, &info) != BERTH_OK) {
        guard->message_counts.nameless += 1;
        return;
    }

    const BerthMonitorPose message = {.object = object,
                                      .stream = m->stream,
                                      .sequence = m->sequence,
                                      .stamp = m->stamp,
                                      .received = received,
                                      .pose = m->pose};

    guard->message_counts.taken += 1;
    berth_monitor_receive_pose(guard->monitor, &message);
}

static void deliver_cloud(Guard* guard, const BerthWireMessage* m, double received) {
    const int32_t cloud = berth_monitor_find_cloud(guard->monitor, m->name);
    if (cloud < 0) {
        guard->message_counts.nameless += 1;
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

    guard->message_counts.taken += 1;
    berth_monitor_receive_points(guard->monitor, &message);
}

static void deliver_cells(Guard* guard, const BerthWireMessage* m, double received) {
    const int32_t cloud = berth_monitor_find_cloud(guard->monitor, m->name);
    if (cloud < 0) {
        guard->message_counts.nameless += 1;
        return;
    }

    const BerthMonitorCells message = {.cloud = cloud,
                                       .stream = m->stream,
                                       .sequence = m->sequence,
                                       .stamp = m->stamp,
                                       .received = received,
                                       .whole = m->whole,
                                       .rest = m->rest,
                                       .since = m->since,
                                       .part = m->part,
                                       .parts = m->parts,
                                       .alive = m->alive,
                                       .runs = m->runs,
                                       .count = m->run_count};

    guard->message_counts.taken += 1;
    berth_monitor_receive_cells(guard->monitor, &message);
}

// An undeclared option is passed on: the monitor stops at it.
static void deliver_switch(Guard* guard, const BerthWireMessage* m, double received) {
    const int32_t choice = berth_monitor_find_choice(guard->monitor, m->name);
    if (choice < 0) {
        guard->message_counts.nameless += 1;
        return;
    }

    const BerthMonitorSwitch message = {
        .choice = choice,
        .option = berth_monitor_find_option(guard->monitor, choice, m->option),
        .stream = m->stream,
        .sequence = m->sequence,
        .stamp = m->stamp,
        .received = received};

    guard->message_counts.taken += 1;
    berth_monitor_switch(guard->monitor, &message);
}

void guard_reset_monitor(Guard* guard) {
    guard->message_counts.resets += 1;
    berth_monitor_reset(guard->monitor);
}

// A reset counts once: a repeated copy does not count. Nor does a reset that waited while a fault occurred, because its
// sender did not know of it.
static void deliver_reset(Guard* guard, const BerthWireMessage* m, double received) {
    if (!(received >= guard->last_fault_time)) {
        return;
    }
    if (guard->message_counts.resets > 0 && m->stream == guard->reset_stream &&
        m->sequence <= guard->reset_sequence) {
        return;
    }
    guard->reset_stream = m->stream;
    guard->reset_sequence = m->sequence;
    guard_reset_monitor(guard);
}

void messages_deliver(Guard* guard, double received) {
    const BerthWireMessage* m = &guard->message;
    switch (m->kind) {
    case BERTH_WIRE_STATE:
        deliver_state(guard, m, received);
        break;
    case BERTH_WIRE_POSE:
        deliver_pose(guard, m, received);
        break;
    case BERTH_WIRE_CLOUD:
        deliver_cloud(guard, m, received);
        break;
    case BERTH_WIRE_CELLS:
        deliver_cells(guard, m, received);
        break;
    case BERTH_WIRE_SWITCH:
        deliver_switch(guard, m, received);
        break;
    case BERTH_WIRE_RESET:
        deliver_reset(guard, m, received);
        break;
    case BERTH_WIRE_HELLO:  // its sender was recorded with the signature
        break;
    default:  // permits are not for a guard
        guard->message_counts.malformed += 1;
        break;
    }
}

void messages_receive(Guard* guard, const void* bytes, size_t size, double received) {
    if (size > BERTH_WIRE_SIZE || berth_wire_read(bytes, size, &guard->message) != BERTH_OK) {
        guard->message_counts.malformed += 1;
        return;
    }
    if (trust_admit(guard, bytes)) {
        messages_deliver(guard, received);
    }
}

// ---- files of rows -------------------------------------------------------------------------------------------

static void deliver_source_values(Guard* guard, int32_t at, uint64_t sequence, const double* positions,
                                  const double* velocities, double received) {
    const BerthMonitorSource* source = &guard->settings->def.sources[at];
    const int32_t count = source->value_count;
    for (int32_t i = 0; i < count; ++i) {
        guard->source_positions[i] = positions[source->values[i]];
        guard->source_velocities[i] = velocities != NULL ? velocities[source->values[i]] : 0.0;
    }

    const BerthMonitorMessage message = {.source = at,
                                         .sequence = sequence,
                                         .stamp = NAN,
                                         .received = received,
                                         .positions = guard->source_positions,
                                         .velocities = velocities != NULL ? guard->source_velocities : NULL,
                                         .count = count};
    guard->message_counts.taken += 1;
    berth_monitor_receive(guard->monitor, &message);
}

void messages_deliver_values(Guard* guard, uint64_t sequence, const double* positions,
                             const double* velocities, double received) {
    const BerthMonitorDef* def = &guard->settings->def;
    for (int32_t i = 0; i < def->source_count; ++i) {
        if (def->sources[i].values != NULL) {
            deliver_source_values(guard, i, sequence, positions, velocities, received);
            continue;
        }

        const BerthMonitorMessage message = {.source = i,
                                             .sequence = sequence,
                                             .stamp = NAN,
                                             .received = received,
                                             .positions = positions,
                                             .velocities = velocities,
                                             .count = guard->value_count};

        guard->message_counts.taken += 1;
        berth_monitor_receive(guard->monitor, &message);
    }
}

void messages_deliver_standing_objects(Guard* guard, uint64_t sequence, double received) {
    for (int32_t i = 0; i < guard->mover_count; ++i) {
        BerthObjectInfo info;
        if (berth_scene_object(guard->settings->scene, guard->movers[i], &info) == BERTH_OK) {
            const BerthMonitorPose message = {.object = guard->movers[i],
                                              .sequence = sequence,
                                              .stamp = NAN,
                                              .received = received,
                                              .pose = info.pose};
            berth_monitor_receive_pose(guard->monitor, &message);
        }
    }
}
