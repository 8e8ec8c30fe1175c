// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Two threads: one waits for joint states and puts them together (joints.c), one writes the permits that the loop leaves.

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

enum { TAKE_MAX = 32, PERMITS = 16, TOPIC_MAX = 256 };

typedef struct PermitMail {
    uint64_t stream;
    double valid_for;
    BerthPermit permit;
} PermitMail;

struct Dds {
    const BerthScene* scene;
    dds_entity_t participant, reader, writer, waitset;
    Joints* joints;
    pthread_t hears, tells;
    bool hears_runs, tells_runs;
    atomic_bool done;
    int wake;  // an eventfd: the loop wakes the writing thread without a lock
    PermitMail permits[PERMITS];
    atomic_size_t head, tail;  // written by the loop, by the writing thread
    atomic_llong messages, malformed, stale, strangers, sent, unsent;
};

// ---- hearing ---------------------------------------------------------------------------------------------------

static void hear(Dds* dds, const sensor_msgs_msg_dds__JointState_* m, uint64_t writer) {
    const double stamp = (double)m->header.stamp.sec + 1e-9 * (double)m->header.stamp.nanosec;
    const bool fits = m->name._length < INT32_MAX && m->position._length < INT32_MAX &&
                      m->velocity._length < INT32_MAX && m->header.stamp.nanosec < 1000000000u;
    const JointState state = {.writer = writer,
                              .stamp = stamp,
                              .skew = stamp - machine_real(),
                              .received = machine_mono(),
                              .names = (const char* const*)m->name._buffer,
                              .positions = m->position._buffer,
                              .velocities = m->velocity._buffer,
                              .name_count = (int32_t)m->name._length,
                              .position_count = (int32_t)m->position._length,
                              .velocity_count = (int32_t)m->velocity._length};
    switch (fits ? joints_hear(dds->joints, &state) : JOINTS_MALFORMED) {
    case JOINTS_TAKEN:
        break;
    case JOINTS_MALFORMED:
        atomic_fetch_add(&dds->malformed, 1);
        break;
    case JOINTS_STALE:
        atomic_fetch_add(&dds->stale, 1);
        break;
    case JOINTS_STRANGER:
        atomic_fetch_add(&dds->strangers, 1);
        break;
    }
}

static void* run_hearing(void* user) {
    Dds* dds = user;
    void* samples[TAKE_MAX] = {NULL};
    dds_sample_info_t infos[TAKE_MAX];
    while (!atomic_load(&dds->done)) {
        dds_attach_t which;
        (void)dds_waitset_wait(dds->waitset, &which, 1, DDS_MSECS(50));
        const dds_return_t count = dds_take(dds->reader, samples, infos, TAKE_MAX, TAKE_MAX);
        for (dds_return_t i = 0; i < count; ++i) {
            if (infos[i].valid_data) {
                atomic_fetch_add(&dds->messages, 1);
                hear(dds, samples[i], infos[i].publication_handle);
            }
        }
        if (count > 0) {
            (void)dds_return_loan(dds->reader, samples, count);
            memset(samples, 0, sizeof samples);
        }
    }
    return NULL;
}

// ---- telling ---------------------------------------------------------------------------------------------------

static char* name_of(const Dds* dds, int32_t body) {
    static char none[1] = "";
    return body >= 0 ? (char*)(uintptr_t)berth_scene_body_name(dds->scene, body) : none;
}

static void tell(Dds* dds, const PermitMail* mail) {
    const BerthPermit* p = &mail->permit;
    berth_msg_dds__Permit_ m = {.stream = mail->stream,
                                .number = p->sequence,
                                .go = p->go,
                                .valid_for = p->go ? mail->valid_for : 0.0,
                                .reason = (char*)(uintptr_t)berth_stop_name(p->reason),
                                .body_a = name_of(dds, p->body_a),
                                .body_b = name_of(dds, p->body_b),
                                .distance = p->body_a >= 0 ? p->distance : (double)NAN,
                                .required = p->body_a >= 0 ? p->required : (double)NAN};
    memcpy(m.model, p->model, sizeof m.model);
    const bool good = dds_write(dds->writer, &m) == DDS_RETCODE_OK;
    atomic_fetch_add(good ? &dds->sent : &dds->unsent, 1);
}

static void* run_telling(void* user) {
    Dds* dds = user;
    for (bool last = false; !last;) {
        uint64_t woken;
        last = atomic_load(&dds->done);  // what was left before the end is still told
        if (!last && read(dds->wake, &woken, sizeof woken) < 0 && errno != EINTR) {
            return NULL;
        }
        size_t tail = atomic_load_explicit(&dds->tail, memory_order_relaxed);
        while (tail != atomic_load_explicit(&dds->head, memory_order_acquire)) {
            tell(dds, &dds->permits[tail % PERMITS]);
            atomic_store_explicit(&dds->tail, ++tail, memory_order_release);
        }
    }
    return NULL;
}

void dds_permit(Dds* dds, uint64_t stream, const BerthPermit* permit, double valid_for) {
    const size_t head = atomic_load_explicit(&dds->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&dds->tail, memory_order_acquire) >= PERMITS) {
        atomic_fetch_add(&dds->unsent, 1);
        return;
    }
    dds->permits[head % PERMITS] = (PermitMail){stream, valid_for, *permit};
    atomic_store_explicit(&dds->head, head + 1, memory_order_release);
    const uint64_t one = 1;
    (void)!write(dds->wake, &one, sizeof one);  // can only fail when it is awake anyway
}

// ---- opening ---------------------------------------------------------------------------------------------------

// "/joint_states@3": the topic as DDS has it, and the domain. ROS_DOMAIN_ID where none is told.
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
    if (!joints_open(def->scene, def->def, &dds->joints, error)) {
        return false;
    }
    const dds_entity_t topic =
        dds_create_topic(dds->participant, &sensor_msgs_msg_dds__JointState__desc, topic_name, NULL, NULL);
    dds_qos_t* qos = dds_create_qos();  // matches every writer, keeps nothing old
    dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
    dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, TAKE_MAX);
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
    dds->hears_runs = machine_thread(&dds->hears, run_hearing, dds, 0);
    return dds->hears_runs || guard_fail(error, GUARD_MACHINE, "dds: no thread");
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
    dds->tells_runs = machine_thread(&dds->tells, run_telling, dds, 0);
    return dds->tells_runs || guard_fail(error, GUARD_MACHINE, "dds: no thread");
}

static bool open_all(Dds* dds, const DdsDef* def, GuardError* error) {
    char input[TOPIC_MAX], output[TOPIC_MAX];
    uint32_t domain = 0, other = 0;
    if ((def->input != NULL && !read_topic(def->input, "/joint_states", input, &domain, error)) ||
        (def->output != NULL && !read_topic(def->output, "/berth/permit", output, &other, error))) {
        return false;
    }
    if (def->input != NULL && def->output != NULL && domain != other) {
        return guard_fail(error, GUARD_WRONG, "dds: input in domain %u and output in domain %u", domain,
                          other);
    }
    dds->participant = dds_create_participant(def->input != NULL ? domain : other, NULL, NULL);
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
    if (!open_all(dds, def, error)) {
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
    atomic_store(&dds->done, true);
    if (dds->tells_runs) {
        const uint64_t one = 1;
        (void)!write(dds->wake, &one, sizeof one);
        (void)pthread_join(dds->tells, NULL);
    }
    if (dds->hears_runs) {
        (void)pthread_join(dds->hears, NULL);
    }
    if (dds->participant > 0) {
        (void)dds_delete(dds->participant);
    }
    if (dds->wake >= 0) {
        (void)close(dds->wake);
    }
    joints_close(dds->joints);
    free(dds);
}

Joints* dds_joints(Dds* dds) {
    return dds->joints;
}

DdsCounts dds_counts(const Dds* dds) {
    return (DdsCounts){.messages = atomic_load(&dds->messages),
                       .malformed = atomic_load(&dds->malformed),
                       .stale = atomic_load(&dds->stale),
                       .strangers = atomic_load(&dds->strangers),
                       .lost = dds->joints != NULL ? joints_lost(dds->joints) : 0,
                       .sent = atomic_load(&dds->sent),
                       .unsent = atomic_load(&dds->unsent)};
}
