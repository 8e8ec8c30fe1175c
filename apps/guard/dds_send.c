// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The second thread writes the permits passed by the loop: as a type of berth's own, and as types that every ROS 2 can
// read: Bool, Float64 and DiagnosticArray.
// Entries: dds_open_writers, dds_queue_permit.

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dds_internal.h"

/// Seconds between two diagnostics: while something changes, and while nothing does.
static const double TELL_LEAST = 0.1, TELL_MOST = 0.5;

enum { LEVEL_OK = 0, LEVEL_WARN = 1, LEVEL_ERROR = 2 };

// DDS has no constant texts; nobody changes these.
static char* text_of(const char* text) {
    return (char*)(uintptr_t)text;
}

static char* body_name(const Dds* dds, int32_t body) {
    return text_of(body >= 0 ? berth_scene_body_name(dds->def.scene, body) : "");
}

static dds_return_t write_permit(Dds* dds, uint64_t stream, const BerthPermit* p) {
    berth_msg_dds__Permit_ m = {.stream = stream,
                                .number = p->sequence,
                                .go = p->go,
                                .valid_for = p->go ? p->valid_until : 0.0,
                                .reason = text_of(berth_stop_name(p->reason)),
                                .body_a = body_name(dds, p->body_a),
                                .body_b = body_name(dds, p->body_b),
                                .distance = p->body_a >= 0 ? p->distance : (double)NAN,
                                .required = p->body_a >= 0 ? p->required : (double)NAN};
    memcpy(m.model, p->model, sizeof m.model);
    return dds_write(dds->writers.permit, &m);
}

// ---- diagnostics -----------------------------------------------------------------------------------------------

static void number_text(char text[32], double value) {
    (void)snprintf(text, 32, isfinite(value) ? "%.4f" : "none", value);
}

static dds_return_t write_diagnostics(Dds* dds, const BerthPermit* p) {
    char distance[32], required[32], scale[32], message[80], number[32];
    const bool is_near = p->body_a >= 0;
    number_text(distance, is_near ? p->distance : (double)NAN);
    number_text(required, is_near ? p->required : (double)NAN);
    number_text(scale, dds->def.def->speed_scale ? p->scale : (double)NAN);
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)p->sequence);
    (void)snprintf(message, sizeof message, "%s%s",
                   p->go ? "go" : "STOP: ", p->go ? "" : berth_stop_name(p->reason));

    diagnostic_msgs_msg_dds__KeyValue_ values[] = {
        {text_of("cause"), text_of(berth_stop_name(p->cause))},
        {text_of("a"), body_name(dds, p->body_a)},
        {text_of("b"), body_name(dds, p->body_b)},
        {text_of("distance"), distance},
        {text_of("required"), required},
        {text_of("scale"), scale},
        {text_of("retreat"), text_of(p->retreat ? "true" : "false")},
        {text_of("sequence"), number}};
    const uint32_t count = sizeof values / sizeof values[0];
    const uint8_t stopped = p->reason == BERTH_STOP_NEAR ? LEVEL_WARN : LEVEL_ERROR;
    diagnostic_msgs_msg_dds__DiagnosticStatus_ status = {
        .level = p->go ? LEVEL_OK : stopped,
        .name = text_of("berth: guard"),
        .message = message,
        .hardware_id = text_of("berth"),
        .values = {._maximum = count, ._length = count, ._buffer = values}};

    const double wall = machine_wall_seconds();
    diagnostic_msgs_msg_dds__DiagnosticArray_ m = {
        .header = {.stamp = {.sec = (int32_t)floor(wall),
                             .nanosec = (uint32_t)fmin(1e9 * (wall - floor(wall)), 999999999.0)},
                   .frame_id = text_of("")},
        .status = {._maximum = 1, ._length = 1, ._buffer = &status}};
    return dds_write(dds->writers.diagnostics, &m);
}

// True if the permit must be reported now; from then on it counts as reported.
static bool take_turn(DdsWriters* writers, const BerthPermit* p) {
    const double now = machine_monotonic_seconds(), since = now - writers->told_at;
    const bool changed =
        p->go != writers->told_go || p->retreat != writers->told_retreat || p->reason != writers->told_reason;
    if (since < (changed ? TELL_LEAST : TELL_MOST)) {
        return false;
    }
    writers->told_at = now;
    writers->told_go = p->go;
    writers->told_retreat = p->retreat;
    writers->told_reason = p->reason;
    return true;
}

// ---- the thread ------------------------------------------------------------------------------------------------

// The permit as it is when it is written: a write may take a while, so each looks again.
static BerthPermit permit_now(const PendingPermit* pending) {
    return pending_as_of(pending, machine_monotonic_seconds());
}

static void send_permit(Dds* dds, const PendingPermit* pending) {
    DdsWriters* writers = &dds->writers;

    // The plain ones first: who reads them reads nothing else.
    BerthPermit p = permit_now(pending);
    const std_msgs_msg_dds__Bool_ go = {.data = p.go};
    bool good = dds_write(writers->go, &go) == DDS_RETCODE_OK;
    p = permit_now(pending);
    const std_msgs_msg_dds__Bool_ retreat = {.data = p.retreat};
    good = (writers->retreat <= 0 || dds_write(writers->retreat, &retreat) == DDS_RETCODE_OK) && good;
    p = permit_now(pending);
    const std_msgs_msg_dds__Float64_ scale = {.data = p.go ? p.scale : 0.0};
    good = (writers->scale <= 0 || dds_write(writers->scale, &scale) == DDS_RETCODE_OK) && good;

    p = permit_now(pending);
    good = write_permit(dds, pending->stream, &p) == DDS_RETCODE_OK && good;
    if (take_turn(writers, &p)) {
        good = write_diagnostics(dds, &p) == DDS_RETCODE_OK && good;
    }
    atomic_fetch_add(good ? &dds->sent : &dds->unsent, 1);
}

// Of several that wait, one that is over says nothing that a newer one does not.
static void send_or_skip(Dds* dds, const PendingPermit* pending, bool newer_waits) {
    if (newer_waits && !(pending->until > machine_monotonic_seconds())) {
        atomic_fetch_add(&dds->unsent, 1);
        return;
    }
    send_permit(dds, pending);
}

static void* run_sender(void* user) {
    Dds* dds = user;
    for (bool last = false; !last;) {
        uint64_t woken;
        last = atomic_load(&dds->done);  // permits passed before the end are still sent
        if (!last && read(dds->wake, &woken, sizeof woken) < 0 && errno != EINTR) {
            return NULL;
        }

        size_t tail = atomic_load_explicit(&dds->tail, memory_order_relaxed);
        for (size_t head; tail != (head = atomic_load_explicit(&dds->head, memory_order_acquire));) {
            send_or_skip(dds, &dds->permits[tail % PENDING_MAX], head - tail > 1);
            atomic_store_explicit(&dds->tail, ++tail, memory_order_release);
        }
    }
    return NULL;
}

void dds_queue_permit(Dds* dds, uint64_t stream, const BerthPermit* permit, double valid_for) {
    const size_t head = atomic_load_explicit(&dds->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&dds->tail, memory_order_acquire) >= PENDING_MAX) {
        atomic_fetch_add(&dds->unsent, 1);
        return;
    }
    dds->permits[head % PENDING_MAX] =
        (PendingPermit){stream, machine_monotonic_seconds() + valid_for, *permit};
    atomic_store_explicit(&dds->head, head + 1, memory_order_release);
    const uint64_t one = 1;
    (void)!write(dds->wake, &one, sizeof one);  // can only fail if the thread is awake anyway
}

// ---- opening ---------------------------------------------------------------------------------------------------

// A permit that comes again late is worse than none: only the newest is kept. Reliable ones match every reader of ROS 2,
// and offer a deadline of two cycles, so that a reader may ask to be told when they cease.
static bool open_writer(const Dds* dds, const dds_topic_descriptor_t* type, const char* name, bool stock,
                        dds_entity_t* out, GuardError* error) {
    const dds_entity_t topic = dds_open_topic(dds, type, name);
    dds_qos_t* qos = dds_create_qos();
    dds_qset_reliability(qos, stock ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
                         stock ? DDS_MSECS(1) : 0);
    dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1);
    if (stock && dds->def.deadline > 0.0) {
        dds_qset_deadline(qos, (dds_duration_t)(1e9 * dds->def.deadline));
    }
    *out = topic < 0 ? topic : dds_create_writer(dds->participant, topic, qos, NULL);
    dds_delete_qos(qos);
    return *out >= 0 || dds_fail(error, name, *out);
}

bool dds_open_writers(Dds* dds, const char* permits, GuardError* error) {
    char go[TOPIC_MAX], scale[TOPIC_MAX], retreat[TOPIC_MAX];
    (void)snprintf(go, sizeof go, "%s/go", permits);
    (void)snprintf(scale, sizeof scale, "%s/scale", permits);
    (void)snprintf(retreat, sizeof retreat, "%s/retreat", permits);
    DdsWriters* writers = &dds->writers;
    const double deadline = dds->def.deadline;

    if (!open_writer(dds, &berth_msg_dds__Permit__desc, permits, false, &writers->permit, error) ||
        !open_writer(dds, &std_msgs_msg_dds__Bool__desc, go, true, &writers->go, error) ||
        (dds->def.def->speed_scale &&
         !open_writer(dds, &std_msgs_msg_dds__Float64__desc, scale, true, &writers->scale, error)) ||
        (dds->def.def->crawl > 0.0 &&
         !open_writer(dds, &std_msgs_msg_dds__Bool__desc, retreat, true, &writers->retreat, error))) {
        return false;
    }
    dds->def.deadline = 0.0;  // diagnostics are sent when there is something to report
    if (!open_writer(dds, &diagnostic_msgs_msg_dds__DiagnosticArray__desc, "rt/diagnostics", true,
                     &writers->diagnostics, error)) {
        return false;
    }
    dds->def.deadline = deadline;

    dds->wake = eventfd(0, EFD_CLOEXEC);
    if (dds->wake < 0) {
        return guard_fail(error, GUARD_MACHINE, "dds: eventfd: %s", strerror(errno));
    }
    dds->sender_runs = machine_start_thread(&dds->sender, run_sender, dds, 0);
    return dds->sender_runs || guard_fail(error, GUARD_MACHINE, "dds: cannot start a thread");
}
