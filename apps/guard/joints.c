// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every value belongs to the writer that told it first. A source's message is complete when all of its values were heard
// anew, and as old as the oldest of them. When an owner falls silent another writer may take its joints over: the source's
// stream is then another one, which the monitor answers with STOP until a reset.

#include "joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Seconds of silence after which an owner may lose its joints.
static const double takeover = 0.5;

typedef struct Value {
    double position, velocity, received, skew;
    bool has_velocity, fresh;
    int32_t owner;  // -1: nobody yet
    uint64_t seen;  // message that told it last
} Value;

typedef struct Writer {
    uint64_t id;
    double stamp, received;
} Writer;

typedef struct Source {
    int32_t* values;
    int32_t count;
    uint64_t stream, sequence;
} Source;

struct Joints {
    const BerthScene* scene;
    Value* values;
    int32_t value_count;
    Source* sources;
    int32_t source_count;
    Writer writers[JOINT_WRITERS_MAX];
    int32_t writer_count;
    uint64_t messages;
    int32_t* told;  // values of the message at hand; -1: a name that is not in the scene
    int32_t told_size;
    JointMail mail[JOINT_MAIL];
    atomic_size_t head, tail;  // written by the receiver, by the loop
    atomic_llong lost;
};

static bool take_sources(Joints* joints, const BerthMonitorDef* def) {
    joints->source_count = def->source_count > 0 ? def->source_count : 1;
    joints->sources = calloc((size_t)joints->source_count, sizeof *joints->sources);
    for (int32_t s = 0; joints->sources != NULL && s < joints->source_count; ++s) {
        const int32_t* values = def->source_count > 0 ? def->sources[s].values : NULL;
        Source* source = &joints->sources[s];
        source->count = values != NULL ? def->sources[s].value_count : joints->value_count;
        source->values = calloc((size_t)source->count + 1, sizeof *source->values);
        if (source->values == NULL) {
            return false;
        }
        for (int32_t i = 0; i < source->count; ++i) {
            source->values[i] = values != NULL ? values[i] : i;
        }
    }
    return joints->sources != NULL;
}

static bool take_mail(Joints* joints) {
    const size_t count = (size_t)joints->value_count + 1;
    for (int i = 0; i < JOINT_MAIL; ++i) {
        joints->mail[i].positions = calloc(count, sizeof(double));
        joints->mail[i].velocities = calloc(count, sizeof(double));
        if (joints->mail[i].positions == NULL || joints->mail[i].velocities == NULL) {
            return false;
        }
    }
    return true;
}

bool joints_open(const BerthScene* scene, const BerthMonitorDef* def, Joints** out, GuardError* error) {
    Joints* joints = calloc(1, sizeof *joints);
    *out = joints;
    if (joints == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }
    joints->scene = scene;
    joints->value_count = berth_scene_value_count(scene);
    joints->told_size = 4 * joints->value_count + 64;
    joints->values = calloc((size_t)joints->value_count + 1, sizeof *joints->values);
    joints->told = calloc((size_t)joints->told_size, sizeof *joints->told);
    if (joints->values == NULL || joints->told == NULL || !take_sources(joints, def) || !take_mail(joints)) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }
    for (int32_t i = 0; i < joints->value_count; ++i) {
        joints->values[i].owner = -1;
    }
    return true;
}

void joints_close(Joints* joints) {
    if (joints == NULL) {
        return;
    }
    for (int32_t s = 0; joints->sources != NULL && s < joints->source_count; ++s) {
        free(joints->sources[s].values);
    }
    for (int i = 0; i < JOINT_MAIL; ++i) {
        free(joints->mail[i].positions);
        free(joints->mail[i].velocities);
    }
    free(joints->sources);
    free(joints->values);
    free(joints->told);
    free(joints);
}

// ---- hearing ---------------------------------------------------------------------------------------------------

static int32_t find_writer(Joints* joints, uint64_t id) {
    for (int32_t i = 0; i < joints->writer_count; ++i) {
        if (joints->writers[i].id == id) {
            return i;
        }
    }
    return -1;
}

static bool owns_any(const Joints* joints, int32_t writer) {
    for (int32_t i = 0; i < joints->value_count; ++i) {
        if (joints->values[i].owner == writer) {
            return true;
        }
    }
    return false;
}

// A place for a new writer: an unused one, or that of one that owns nothing any more.
static int32_t add_writer(Joints* joints, uint64_t id) {
    int32_t at = -1;
    if (joints->writer_count < JOINT_WRITERS_MAX) {
        at = joints->writer_count++;
    }
    for (int32_t i = 0; at < 0 && i < JOINT_WRITERS_MAX; ++i) {
        at = owns_any(joints, i) ? -1 : i;
    }
    if (at >= 0) {
        joints->writers[at] = (Writer){.id = id, .stamp = -INFINITY, .received = -INFINITY};
    }
    return at;
}

// Which values it tells; false when the message contradicts itself.
static bool look_up(Joints* joints, const JointState* state) {
    if (state->name_count > joints->told_size || state->position_count != state->name_count ||
        (state->velocity_count != 0 && state->velocity_count != state->name_count)) {
        return false;
    }
    joints->messages += 1;
    for (int32_t i = 0; i < state->name_count; ++i) {
        const int32_t value =
            state->names[i] != NULL ? berth_scene_find_value(joints->scene, state->names[i]) : -1;
        joints->told[i] = value;
        if (value >= 0 && joints->values[value].seen == joints->messages) {
            return false;
        }
        if (value >= 0) {
            joints->values[value].seen = joints->messages;
        }
    }
    return true;
}

static void new_stream(Joints* joints, int32_t value) {
    for (int32_t s = 0; s < joints->source_count; ++s) {
        for (int32_t i = 0; i < joints->sources[s].count; ++i) {
            joints->sources[s].stream += joints->sources[s].values[i] == value;
        }
    }
}

// May this writer tell this value?
static bool is_owner(Joints* joints, int32_t writer, int32_t value, double now) {
    Value* v = &joints->values[value];
    if (v->owner < 0) {
        v->owner = writer;
    }
    if (v->owner != writer && now - joints->writers[v->owner].received > takeover) {
        v->owner = writer;
        new_stream(joints, value);
    }
    return v->owner == writer;
}

static bool is_complete(const Joints* joints, const Source* source) {
    for (int32_t i = 0; i < source->count; ++i) {
        if (!joints->values[source->values[i]].fresh) {
            return false;
        }
    }
    return source->count > 0;
}

static void send_source(Joints* joints, int32_t at) {
    Source* source = &joints->sources[at];
    const size_t head = atomic_load_explicit(&joints->head, memory_order_relaxed);
    const size_t tail = atomic_load_explicit(&joints->tail, memory_order_acquire);
    for (int32_t i = 0; i < source->count; ++i) {
        joints->values[source->values[i]].fresh = false;
    }
    source->sequence += 1;
    if (head - tail >= JOINT_MAIL) {
        atomic_fetch_add(&joints->lost, 1);  // the loop is behind: it will see the age
        return;
    }
    JointMail* mail = &joints->mail[head % JOINT_MAIL];
    mail->source = at;
    mail->stream = source->stream;
    mail->sequence = source->sequence;
    mail->received = INFINITY;
    mail->skew = 0.0;
    mail->has_velocities = true;
    for (int32_t i = 0; i < source->count; ++i) {
        const Value* v = &joints->values[source->values[i]];
        mail->positions[i] = v->position;
        mail->velocities[i] = v->velocity;
        mail->has_velocities = mail->has_velocities && v->has_velocity;
        mail->received = fmin(mail->received, v->received);
        mail->skew = fabs(v->skew) > fabs(mail->skew) ? v->skew : mail->skew;
    }
    atomic_store_explicit(&joints->head, head + 1, memory_order_release);
}

JointsTook joints_hear(Joints* joints, const JointState* state) {
    if (!look_up(joints, state) || !isfinite(state->stamp) || !isfinite(state->received)) {
        return JOINTS_MALFORMED;
    }
    int32_t writer = find_writer(joints, state->writer);
    writer = writer >= 0 ? writer : add_writer(joints, state->writer);
    if (writer < 0) {
        return JOINTS_STRANGER;
    }
    if (!(state->stamp > joints->writers[writer].stamp)) {
        return JOINTS_STALE;
    }
    joints->writers[writer].stamp = state->stamp;
    int32_t mine = 0;
    for (int32_t i = 0; i < state->name_count; ++i) {
        const int32_t value = joints->told[i];
        if (value < 0 || !is_owner(joints, writer, value, state->received)) {
            continue;
        }
        Value* v = &joints->values[value];
        v->position = state->positions[i];
        v->has_velocity = state->velocity_count > 0;
        v->velocity = v->has_velocity ? state->velocities[i] : 0.0;
        v->received = state->received;
        v->skew = state->skew;
        v->fresh = true;
        mine += 1;
    }
    joints->writers[writer].received = state->received;
    for (int32_t s = 0; mine > 0 && s < joints->source_count; ++s) {
        if (is_complete(joints, &joints->sources[s])) {
            send_source(joints, s);
        }
    }
    return mine > 0 ? JOINTS_TAKEN : JOINTS_STRANGER;
}

// ---- the loop's end ----------------------------------------------------------------------------------------------

const JointMail* joints_next(Joints* joints) {
    const size_t tail = atomic_load_explicit(&joints->tail, memory_order_relaxed);
    return tail == atomic_load_explicit(&joints->head, memory_order_acquire)
               ? NULL
               : &joints->mail[tail % JOINT_MAIL];
}

void joints_done(Joints* joints) {
    atomic_fetch_add_explicit(&joints->tail, 1, memory_order_release);
}

int64_t joints_lost(const Joints* joints) {
    return atomic_load(&joints->lost);
}
