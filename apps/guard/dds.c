// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Two threads: one waits for joint states and puts them together (joint_merger.c), one writes the permits that the loop leaves.
// Entries: dds_open, dds_queue_permit, dds_counts, dds_close.

#include "dds.h"

#include <dds/dds.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "machine.h"
#include "ros.h"

enum { SAMPLES_MAX = 32, PENDING_MAX = 16, TOPIC_MAX = 256 };

typedef struct PendingPermit {
    uint64_t stream;
    double valid_for;
    BerthPermit permit;
} PendingPermit;

struct Dds {
    const BerthScene* scene;
    dds_entity_t participant, reader, writer, waitset;
    JointMerger* merger;
    pthread_t receiver, sender;
    bool receiver_runs, sender_runs;
    atomic_bool done;
    int wake;  // an eventfd: the loop wakes the writing thread without a lock
    PendingPermit permits[PENDING_MAX];
    atomic_size_t head, tail;  // written by the loop, by the writing thread
    atomic_llong messages, malformed, stale, strangers, sent, unsent;
};

// ---- receiving -------------------------------------------------------------------------------------------------

static void receive_joint_state(Dds* dds, const sensor_msgs_msg_dds__JointState_* m, uint64_t writer) {
    const double stamp = (double)m->header.stamp.sec + 1e-9 * (double)m->header.stamp.nanosec;
    const bool fits = m->name._length < INT32_MAX && m->position._length < INT32_MAX &&
                      m->velocity._length < INT32_MAX && m->header.stamp.nanosec < 1000000000u;

    const JointState state = {.writer = writer,
                              .stamp = stamp,
                              .skew = stamp - machine_wall_seconds(),
                              .received = machine_monotonic_seconds(),
                              .names = (const char* const*)m->name._buffer,
                              .positions = m->position._buffer,
                              .velocities = m->velocity._buffer,
                              .name_count = (int32_t)m->name._length,
                              .position_count = (int32_t)m->position._length,
                              .velocity_count = (int32_t)m->velocity._length};

    switch (fits ? joint_merger_receive(dds->merger, &state) : JOINT_STATE_MALFORMED) {
    case JOINT_STATE_TAKEN:
        break;
    case JOINT_STATE_MALFORMED:
        atomic_fetch_add(&dds->malformed, 1);
        break;
    case JOINT_STATE_STALE:
        atomic_fetch_add(&dds->stale, 1);
        break;
    case JOINT_STATE_STRANGER:
        atomic_fetch_add(&dds->strangers, 1);
        break;
    }
}

static void* run_receiver(void* user) {
    Dds* dds = user;
    void* samples[SAMPLES_MAX] = {NULL};
    dds_sample_info_t infos[SAMPLES_MAX];

    while (!atomic_load(&dds->done)) {
        dds_attach_t which;
        (void)dds_waitset_wait(dds->waitset, &which, 1, DDS_MSECS(50));
        const dds_return_t count = dds_take(dds->reader, samples, infos, SAMPLES_MAX, SAMPLES_MAX);

        for (dds_return_t i = 0; i < count; ++i) {
            if (infos[i].valid_data) {
                atomic_fetch_add(&dds->messages, 1);
                receive_joint_state(dds, samples[i], infos[i].publication_handle);
            }
        }

        if (count > 0) {
            (void)dds_return_loan(dds->reader, samples, count);
            memset(samples, 0, sizeof samples);
        }
    }
    return NULL;
}

// ---- sending ---------------------------------------------------------------------------------------------------

static char* body_name(const Dds* dds, int32_t body) {
    static char none[1] = "";
    return body >= 0 ? (char*)(uintptr_t)berth_scene_body_name(dds->scene, body) : none;
}

static void send_permit(Dds* dds, const PendingPermit* pending) {
    const BerthPermit* p = &pending->permit;
    berth_msg_dds__Permit_ m = {.stream = pending->stream,
                                .number = p->sequence,
                                .go = p->go,
                                .valid_for = p->go ? pending->valid_for : 0.0,
                                .reason = (char*)(uintptr_t)berth_stop_name(p->reason),
                                .body_a = body_name(dds, p->body_a),
                                .body_b = body_name(dds, p->body_b),
                                .distance = p->body_a >= 0 ? p->distance : (double)NAN,
                                .required = p->body_a >= 0 ? p->required : (double)NAN};

    memcpy(m.model, p->model, sizeof m.model);
    const bool good = dds_write(dds->writer, &m) == DDS_RETCODE_OK;
    atomic_fetch_add(good ? &dds->sent : &dds->unsent, 1);
}

static void* run_sender(void* user) {
    Dds* dds = user;
    for (bool last = false; !last;) {
        uint64_t woken;
        last = atomic_load(&dds->done);  // what was left before the end is still sent
        if (!last && read(dds->wake, &woken, sizeof woken) < 0 && errno != EINTR) {
            return NULL;
        }

        size_t tail = atomic_load_explicit(&dds->tail, memory_order_relaxed);
        while (tail != atomic_load_explicit(&dds->head, memory_order_acquire)) {
            send_permit(dds, &dds->permits[tail % PENDING_MAX]);
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
    dds->permits[head % PENDING_MAX] = (PendingPermit){stream, valid_for, *permit};
    atomic_store_explicit(&dds->head, head + 1, memory_order_release);
    const uint64_t one = 1;
    (void)!write(dds->wake, &one, sizeof one);  // can only fail when it is awake anyway
}

// ---- opening ---------------------------------------------------------------------------------------------------

// "/joint_states@3": the topic as DDS has it, and the domain. ROS_DOMAIN_ID where none is given.
static bool read_topic(const char* text, const char* fallback, char topic[TOPIC_MAX], uint32_t* domain,
                       GuardError* error) {
    const char* at = strrchr(text, '@');
    const char* number = at != NULL ? at + 1 : getenv("ROS_DOMAIN_ID");
    size_t size = at != NULL ? (size_t)(at - text) : strlen(text);
    if (size == 0) {
        text = fallback;
        size = strlen(text);
    }
    if (text[0] != '/' || size < 2 || size > TOPIC_MAX - 4 || memchr(text, '@', size) != NULL) {
        return guard_fail(error, GUARD_WRONG, "dds:%s: expected dds:/TOPIC or dds:/TOPIC@DOMAIN", text);
    }

    memcpy(topic, "rt", 2);
    memcpy(topic + 2, text, size);
    topic[2 + size] = 0;

    *domain = 0;
    if (number != NULL && number[0] != 0) {
        char* end = NULL;
        const unsigned long value = strtoul(number, &end, 10);
        if (number[0] < '0' || number[0] > '9' || *end != 0 || value > 232) {
            return guard_fail(error, GUARD_WRONG, "dds: domain '%s': expected a number from 0 to 232",
                              number);
        }
        *domain = (uint32_t)value;
    }
    return true;
}

static bool fail_dds(GuardError* error, const char* what, dds_return_t code) {
    return guard_fail(error, GUARD_MACHINE, "dds: %s: %s", what, dds_strretcode(-code));
}

static bool open_reader(Dds* dds, const DdsDef* def, const char* topic_name, GuardError* error) {
    if (!joint_merger_open(def->scene, def->def, &dds->merger, error)) {
        return false;
    }

    const dds_entity_t topic =
        dds_create_topic(dds->participant, &sensor_msgs_msg_dds__JointState__desc, topic_name, NULL, NULL);
    dds_qos_t* qos = dds_create_qos();  // matches every writer, keeps nothing old
    dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
    dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, SAMPLES_MAX);
    dds->reader = topic < 0 ? topic : dds_create_reader(dds->participant, topic, qos, NULL);
    dds_delete_qos(qos);

    if (dds->reader < 0) {
        return fail_dds(error, topic_name, dds->reader);
    }

    dds->waitset = dds_create_waitset(dds->participant);
    const dds_return_t attached =
        dds->waitset < 0 || dds_set_status_mask(dds->reader, DDS_DATA_AVAILABLE_STATUS) < 0
            ? DDS_RETCODE_ERROR
            : dds_waitset_attach(dds->waitset, dds->reader, 0);
    if (attached < 0) {
        return fail_dds(error, topic_name, attached);
    }

    dds->receiver_runs = machine_start_thread(&dds->receiver, run_receiver, dds, 0);
    return dds->receiver_runs || guard_fail(error, GUARD_MACHINE, "dds: no thread");
}

static bool open_writer(Dds* dds, const char* topic_name, GuardError* error) {
    const dds_entity_t topic =
        dds_create_topic(dds->participant, &berth_msg_dds__Permit__desc, topic_name, NULL, NULL);
    dds_qos_t* qos = dds_create_qos();  // a permit that comes again late is worse than none
    dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
    dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1);
    dds->writer = topic < 0 ? topic : dds_create_writer(dds->participant, topic, qos, NULL);
    dds_delete_qos(qos);

    if (dds->writer < 0) {
        return fail_dds(error, topic_name, dds->writer);
    }

    dds->wake = eventfd(0, EFD_CLOEXEC);
    if (dds->wake < 0) {
        return guard_fail(error, GUARD_MACHINE, "dds: eventfd: %s", strerror(errno));
    }

    dds->sender_runs = machine_start_thread(&dds->sender, run_sender, dds, 0);
    return dds->sender_runs || guard_fail(error, GUARD_MACHINE, "dds: no thread");
}

static bool open_parts(Dds* dds, const DdsDef* def, GuardError* error) {
    char input[TOPIC_MAX], output[TOPIC_MAX];
    uint32_t domain = 0, output_domain = 0;
    if ((def->input != NULL && !read_topic(def->input, "/joint_states", input, &domain, error)) ||
        (def->output != NULL && !read_topic(def->output, "/berth/permit", output, &output_domain, error))) {
        return false;
    }

    if (def->input != NULL && def->output != NULL && domain != output_domain) {
        return guard_fail(error, GUARD_WRONG, "dds: input in domain %u and output in domain %u", domain,
                          output_domain);
    }

    dds->participant = dds_create_participant(def->input != NULL ? domain : output_domain, NULL, NULL);
    if (dds->participant < 0) {
        return fail_dds(error, "cannot join the domain", dds->participant);
    }

    return (def->input == NULL || open_reader(dds, def, input, error)) &&
           (def->output == NULL || open_writer(dds, output, error));
}

bool dds_open(const DdsDef* def, Dds** out, GuardError* error) {
    *out = NULL;
    Dds* dds = calloc(1, sizeof *dds);
    if (dds == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    dds->scene = def->scene;
    dds->wake = -1;
    if (!open_parts(dds, def, error)) {
        dds_close(dds);
        return false;
    }
    *out = dds;
    return true;
}

void dds_close(Dds* dds) {
    if (dds == NULL) {
        return;
    }

    // Wake the sender so that it sees `done`.
    atomic_store(&dds->done, true);
    if (dds->sender_runs) {
        const uint64_t one = 1;
        (void)!write(dds->wake, &one, sizeof one);
        (void)pthread_join(dds->sender, NULL);
    }
    if (dds->receiver_runs) {
        (void)pthread_join(dds->receiver, NULL);
    }

    if (dds->participant > 0) {
        (void)dds_delete(dds->participant);
    }
    if (dds->wake >= 0) {
        (void)close(dds->wake);
    }

    joint_merger_close(dds->merger);
    free(dds);
}

JointMerger* dds_joint_merger(Dds* dds) {
    return dds->merger;
}

DdsCounts dds_counts(const Dds* dds) {
    return (DdsCounts){.messages = atomic_load(&dds->messages),
                       .malformed = atomic_load(&dds->malformed),
                       .stale = atomic_load(&dds->stale),
                       .strangers = atomic_load(&dds->strangers),
                       .lost = dds->merger != NULL ? joint_merger_lost(dds->merger) : 0,
                       .sent = atomic_load(&dds->sent),
                       .unsent = atomic_load(&dds->unsent)};
}
