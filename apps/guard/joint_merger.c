// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every value belongs to the writer that sent it first. A source's message is complete when all of its values have been
// received again; its age is that of the oldest one. If an owner is silent, another writer may take over its joints: the
// source then has a new stream, to which the monitor reacts with STOP until a reset.
// Entries: joint_merger_open, joint_merger_receive, joint_merger_next, joint_merger_release, joint_merger_close.

#include "joint_merger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Seconds of silence after which an owner may lose its joints.
static const double TAKEOVER_SECONDS = 0.5;

typedef struct Value {
    double position, velocity, received, skew;
    double stamp;  // near CLOCK_MONOTONIC
    bool has_velocity, fresh;
    int32_t owner;  // -1: none yet
    uint64_t seen;  // the last message that contained it
} Value;

typedef struct Writer {
    uint64_t id;
    double stamp, received;
    double offset;  ///< receipt minus stamp of its first message: converts its clock to near this one
} Writer;

typedef struct Source {
    int32_t* values;
    int32_t count;
    uint64_t stream, sequence;
} Source;

struct JointMerger {
    const BerthScene* scene;
    Value* values;
    int32_t value_count;
    Source* sources;
    int32_t source_count;
    Writer writers[JOINT_WRITERS_MAX];
    int32_t writer_count;
    uint64_t message_count;
    int32_t* named_values;  // values of the present message; -1: a name that is not in the scene
    int32_t named_size;
    JointMessage queue[JOINT_MESSAGES_MAX];
    atomic_size_t head, tail;  // head is written by the receiver, tail by the loop
    atomic_llong lost;
};

static bool allocate_sources(JointMerger* merger, const BerthMonitorDef* def) {
    merger->source_count = def->source_count > 0 ? def->source_count : 1;
    merger->sources = calloc((size_t)merger->source_count, sizeof *merger->sources);
    for (int32_t s = 0; merger->sources != NULL && s < merger->source_count; ++s) {
        const int32_t* values = def->source_count > 0 ? def->sources[s].values : NULL;
        Source* source = &merger->sources[s];
        source->count = values != NULL ? def->sources[s].value_count : merger->value_count;
        source->values = calloc((size_t)source->count + 1, sizeof *source->values);
        if (source->values == NULL) {
            return false;
        }
        for (int32_t i = 0; i < source->count; ++i) {
            source->values[i] = values != NULL ? values[i] : i;
        }
    }
    return merger->sources != NULL;
}

static bool allocate_queue(JointMerger* merger) {
    const size_t count = (size_t)merger->value_count + 1;
    for (int i = 0; i < JOINT_MESSAGES_MAX; ++i) {
        merger->queue[i].positions = calloc(count, sizeof(double));
        merger->queue[i].velocities = calloc(count, sizeof(double));
        if (merger->queue[i].positions == NULL || merger->queue[i].velocities == NULL) {
            return false;
        }
    }
    return true;
}

bool joint_merger_open(const BerthScene* scene, const BerthMonitorDef* def, JointMerger** out,
                       GuardError* error) {
    JointMerger* merger = calloc(1, sizeof *merger);
    *out = merger;
    if (merger == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    merger->scene = scene;
    merger->value_count = berth_scene_value_count(scene);
    merger->named_size = 4 * merger->value_count + 64;
    merger->values = calloc((size_t)merger->value_count + 1, sizeof *merger->values);
    merger->named_values = calloc((size_t)merger->named_size, sizeof *merger->named_values);

    if (merger->values == NULL || merger->named_values == NULL || !allocate_sources(merger, def) ||
        !allocate_queue(merger)) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    for (int32_t i = 0; i < merger->value_count; ++i) {
        merger->values[i].owner = -1;
    }
    return true;
}

void joint_merger_close(JointMerger* merger) {
    if (merger == NULL) {
        return;
    }

    for (int32_t s = 0; merger->sources != NULL && s < merger->source_count; ++s) {
        free(merger->sources[s].values);
    }
    for (int i = 0; i < JOINT_MESSAGES_MAX; ++i) {
        free(merger->queue[i].positions);
        free(merger->queue[i].velocities);
    }

    free(merger->sources);
    free(merger->values);
    free(merger->named_values);
    free(merger);
}

// ---- receiving -------------------------------------------------------------------------------------------------

static int32_t find_writer(JointMerger* merger, uint64_t id) {
    for (int32_t i = 0; i < merger->writer_count; ++i) {
        if (merger->writers[i].id == id) {
            return i;
        }
    }
    return -1;
}

static bool owns_any(const JointMerger* merger, int32_t writer) {
    for (int32_t i = 0; i < merger->value_count; ++i) {
        if (merger->values[i].owner == writer) {
            return true;
        }
    }
    return false;
}

// A slot for a new writer: an unused one, or that of a writer that no longer owns anything.
static int32_t add_writer(JointMerger* merger, uint64_t id) {
    int32_t at = -1;
    if (merger->writer_count < JOINT_WRITERS_MAX) {
        at = merger->writer_count++;
    }
    for (int32_t i = 0; at < 0 && i < JOINT_WRITERS_MAX; ++i) {
        at = owns_any(merger, i) ? -1 : i;
    }

    if (at >= 0) {
        merger->writers[at] = (Writer){.id = id, .stamp = -INFINITY, .received = -INFINITY, .offset = NAN};
    }
    return at;
}

// Finds the values that it names; false if the message contradicts itself.
static bool find_named_values(JointMerger* merger, const JointState* state) {
    if (state->name_count > merger->named_size || state->position_count != state->name_count ||
        (state->velocity_count != 0 && state->velocity_count != state->name_count)) {
        return false;
    }

    merger->message_count += 1;
    for (int32_t i = 0; i < state->name_count; ++i) {
        const int32_t value =
            state->names[i] != NULL ? berth_scene_find_value(merger->scene, state->names[i]) : -1;

        merger->named_values[i] = value;
        if (value >= 0 && merger->values[value].seen == merger->message_count) {
            return false;
        }
        if (value >= 0) {
            merger->values[value].seen = merger->message_count;
        }
    }
    return true;
}

static void start_new_stream(JointMerger* merger, int32_t value) {
    for (int32_t s = 0; s < merger->source_count; ++s) {
        for (int32_t i = 0; i < merger->sources[s].count; ++i) {
            merger->sources[s].stream += merger->sources[s].values[i] == value;
        }
    }
}

// Whether this writer may set this value. The first sender owns it; a silent owner loses it to the next sender.
static bool claim_value(JointMerger* merger, int32_t writer, int32_t value, double now) {
    Value* value_state = &merger->values[value];
    if (value_state->owner < 0) {
        value_state->owner = writer;
    }
    if (value_state->owner != writer &&
        now - merger->writers[value_state->owner].received > TAKEOVER_SECONDS) {
        value_state->owner = writer;
        start_new_stream(merger, value);
    }
    return value_state->owner == writer;
}

static bool is_complete(const JointMerger* merger, const Source* source) {
    for (int32_t i = 0; i < source->count; ++i) {
        if (!merger->values[source->values[i]].fresh) {
            return false;
        }
    }
    return source->count > 0;
}

static void queue_source(JointMerger* merger, int32_t at) {
    Source* source = &merger->sources[at];
    const size_t head = atomic_load_explicit(&merger->head, memory_order_relaxed);
    const size_t tail = atomic_load_explicit(&merger->tail, memory_order_acquire);

    for (int32_t i = 0; i < source->count; ++i) {
        merger->values[source->values[i]].fresh = false;
    }
    source->sequence += 1;

    if (head - tail >= JOINT_MESSAGES_MAX) {
        atomic_fetch_add(&merger->lost, 1);  // the loop is too slow: it will notice by the age
        return;
    }

    JointMessage* message = &merger->queue[head % JOINT_MESSAGES_MAX];
    message->source = at;
    message->stream = source->stream;
    message->sequence = source->sequence;
    message->received = INFINITY;
    message->skew = 0.0;
    message->stamp = INFINITY;
    message->has_velocities = true;

    for (int32_t i = 0; i < source->count; ++i) {
        const Value* value_state = &merger->values[source->values[i]];
        message->positions[i] = value_state->position;
        message->velocities[i] = value_state->velocity;
        message->has_velocities = message->has_velocities && value_state->has_velocity;
        message->received = fmin(message->received, value_state->received);
        message->stamp = fmin(message->stamp, value_state->stamp);
        message->skew = fabs(value_state->skew) > fabs(message->skew) ? value_state->skew : message->skew;
    }

    atomic_store_explicit(&merger->head, head + 1, memory_order_release);
}

JointOutcome joint_merger_receive(JointMerger* merger, const JointState* state) {
    if (!find_named_values(merger, state) || !isfinite(state->stamp) || !isfinite(state->received)) {
        return JOINT_STATE_MALFORMED;
    }

    int32_t writer = find_writer(merger, state->writer);
    if (writer < 0) {
        writer = add_writer(merger, state->writer);
    }
    if (writer < 0) {
        return JOINT_STATE_STRANGER;
    }

    if (!(state->stamp > merger->writers[writer].stamp)) {
        return JOINT_STATE_STALE;
    }
    Writer* from = &merger->writers[writer];
    from->stamp = state->stamp;
    from->offset = isnan(from->offset) ? state->received - state->stamp : from->offset;

    // Accept the values that this writer owns.
    int32_t taken = 0;
    for (int32_t i = 0; i < state->name_count; ++i) {
        const int32_t value = merger->named_values[i];
        if (value < 0 || !claim_value(merger, writer, value, state->received)) {
            continue;
        }

        Value* value_state = &merger->values[value];
        value_state->position = state->positions[i];
        value_state->has_velocity = state->velocity_count > 0;
        value_state->velocity = value_state->has_velocity ? state->velocities[i] : 0.0;
        value_state->received = state->received;
        value_state->skew = state->skew;
        value_state->stamp = state->stamp + from->offset;
        value_state->fresh = true;
        taken += 1;
    }

    merger->writers[writer].received = state->received;
    for (int32_t s = 0; taken > 0 && s < merger->source_count; ++s) {
        if (is_complete(merger, &merger->sources[s])) {
            queue_source(merger, s);
        }
    }

    return taken > 0 ? JOINT_STATE_TAKEN : JOINT_STATE_STRANGER;
}

// ---- the loop's end ----------------------------------------------------------------------------------------------

const JointMessage* joint_merger_next(JointMerger* merger) {
    const size_t tail = atomic_load_explicit(&merger->tail, memory_order_relaxed);
    return tail == atomic_load_explicit(&merger->head, memory_order_acquire)
               ? NULL
               : &merger->queue[tail % JOINT_MESSAGES_MAX];
}

void joint_merger_release(JointMerger* merger) {
    atomic_fetch_add_explicit(&merger->tail, 1, memory_order_release);
}

int64_t joint_merger_lost(const JointMerger* merger) {
    return atomic_load(&merger->lost);
}
