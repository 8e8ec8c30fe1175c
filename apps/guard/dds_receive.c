// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One thread waits for all topics. joint_merger.c merges joint states, sensed.c takes clouds and poses. Both validate the
// messages; this file only converts them.
// Entry: dds_open_readers.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dds_internal.h"

enum { SAMPLES_MAX = 32, CLOUD_HISTORY = 4, FIELDS_MAX = 64 };

// ---- joint states ----------------------------------------------------------------------------------------------

static void receive_joint_state(Dds* dds, const sensor_msgs_msg_dds__JointState_* m, uint64_t writer) {
    const double stamp = (double)m->header.stamp.sec + 1e-9 * (double)m->header.stamp.nanosec;
    const bool is_in_range = m->name._length < INT32_MAX && m->position._length < INT32_MAX &&
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

    switch (is_in_range ? joint_merger_receive(dds->merger, &state) : JOINT_STATE_MALFORMED) {
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

// ---- clouds and poses ------------------------------------------------------------------------------------------

static void count_outcome(Dds* dds, SensedOutcome outcome) {
    atomic_llong* const counts[] = {
        [SENSED_MALFORMED] = &dds->malformed, [SENSED_STALE] = &dds->stale,
        [SENSED_STRANGER] = &dds->strangers,  [SENSED_MISFIT] = &dds->misfits,
        [SENSED_LOST] = &dds->lost,
    };
    if (outcome != SENSED_TAKEN && outcome != SENSED_IGNORED) {
        atomic_fetch_add(counts[outcome], 1);
    }
}

static SensedHead head_of(const std_msgs_msg_dds__Header_* header, uint64_t writer) {
    return (SensedHead){.writer = writer,
                        .seconds = header->stamp.sec,
                        .nanoseconds = header->stamp.nanosec,
                        .wall = machine_wall_seconds(),
                        .received = machine_monotonic_seconds(),
                        .frame = header->frame_id};
}

static void receive_cloud(Dds* dds, int32_t topic, const sensor_msgs_msg_dds__PointCloud2_* m,
                          uint64_t writer) {
    SensedField fields[FIELDS_MAX];
    const uint32_t count = m->fields._length < FIELDS_MAX ? m->fields._length : FIELDS_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        const sensor_msgs_msg_dds__PointField_* field = &m->fields._buffer[i];
        fields[i] = (SensedField){field->name, field->offset, field->count, field->datatype};
    }

    const SensedCloud cloud = {.head = head_of(&m->header, writer),
                               .height = m->height,
                               .width = m->width,
                               .point_step = m->point_step,
                               .row_step = m->row_step,
                               .fields = fields,
                               .field_count = count,
                               .big_endian = m->is_bigendian,
                               .data = m->data._buffer,
                               .size = m->data._length};
    count_outcome(dds, sensed_receive_cloud(dds->def.sensed, topic, &cloud));
}

static void receive_pose(Dds* dds, int32_t topic, const geometry_msgs_msg_dds__PoseStamped_* m,
                         uint64_t writer) {
    const geometry_msgs_msg_dds__Pose_* p = &m->pose;
    const SensedPlace place = {
        .head = head_of(&m->header, writer),
        .position = {p->position.x, p->position.y, p->position.z},
        .quaternion = {p->orientation.x, p->orientation.y, p->orientation.z, p->orientation.w}};
    count_outcome(dds, sensed_receive_pose(dds->def.sensed, topic, &place));
}

static void receive_transforms(Dds* dds, const tf2_msgs_msg_dds__TFMessage_* m, uint64_t writer) {
    for (uint32_t i = 0; i < m->transforms._length; ++i) {
        const geometry_msgs_msg_dds__TransformStamped_* one = &m->transforms._buffer[i];
        const geometry_msgs_msg_dds__Transform_* t = &one->transform;
        const SensedPlace place = {
            .head = head_of(&one->header, writer),
            .position = {t->translation.x, t->translation.y, t->translation.z},
            .quaternion = {t->rotation.x, t->rotation.y, t->rotation.z, t->rotation.w}};
        count_outcome(dds, sensed_receive_transform(dds->def.sensed, one->child_frame_id, &place));
    }
}

static void receive_sensed(Dds* dds, int32_t topic, const void* sample, uint64_t writer) {
    SensedKind kind;
    (void)sensed_topic(dds->def.sensed, topic, &kind);
    switch (kind) {
    case SENSED_CLOUD:
        receive_cloud(dds, topic, sample, writer);
        break;
    case SENSED_POSE:
        receive_pose(dds, topic, sample, writer);
        break;
    case SENSED_TRANSFORMS:
        receive_transforms(dds, sample, writer);
        break;
    }
}

// ---- the thread ------------------------------------------------------------------------------------------------

// `topic`: -1 for joint states.
static void take_samples(Dds* dds, dds_entity_t reader, int32_t topic) {
    void* samples[SAMPLES_MAX] = {NULL};
    dds_sample_info_t infos[SAMPLES_MAX];
    const dds_return_t count = dds_take(reader, samples, infos, SAMPLES_MAX, SAMPLES_MAX);

    for (dds_return_t i = 0; i < count; ++i) {
        if (!infos[i].valid_data) {
            continue;
        }
        atomic_fetch_add(&dds->messages, 1);
        if (topic < 0) {
            receive_joint_state(dds, samples[i], infos[i].publication_handle);
        } else {
            receive_sensed(dds, topic, samples[i], infos[i].publication_handle);
        }
    }
    if (count > 0) {
        (void)dds_return_loan(reader, samples, count);
    }
}

static void* run_receiver(void* user) {
    Dds* dds = user;
    while (!atomic_load(&dds->done)) {
        dds_attach_t which;
        (void)dds_waitset_wait(dds->waitset, &which, 1, DDS_MSECS(50));
        if (dds->states > 0) {
            take_samples(dds, dds->states, -1);
        }
        for (int32_t i = 0; i < sensed_topic_count(dds->def.sensed); ++i) {
            take_samples(dds, dds->topics[i], i);
        }
    }
    return NULL;
}

// Best effort and volatile: this matches every writer, and keeps no old messages.
static bool open_reader(Dds* dds, const dds_topic_descriptor_t* type, const char* name, int32_t history,
                        dds_entity_t* out, GuardError* error) {
    const dds_entity_t topic = dds_open_topic(dds, type, name);
    dds_qos_t* qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
    dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, history);
    *out = topic < 0 ? topic : dds_create_reader(dds->participant, topic, qos, NULL);
    dds_delete_qos(qos);

    dds_return_t status = *out;
    if (status >= 0) {
        status = dds_set_status_mask(*out, DDS_DATA_AVAILABLE_STATUS);
    }
    if (status >= 0) {
        status = dds_waitset_attach(dds->waitset, *out, 0);
    }
    return status >= 0 || dds_fail(error, name, status);
}

bool dds_open_readers(Dds* dds, const char* states, GuardError* error) {
    static const dds_topic_descriptor_t* const types[] = {
        [SENSED_CLOUD] = &sensor_msgs_msg_dds__PointCloud2__desc,
        [SENSED_POSE] = &geometry_msgs_msg_dds__PoseStamped__desc,
        [SENSED_TRANSFORMS] = &tf2_msgs_msg_dds__TFMessage__desc};

    dds->waitset = dds_create_waitset(dds->participant);
    if (dds->waitset < 0) {
        return dds_fail(error, "waitset", dds->waitset);
    }
    if (!joint_merger_open(dds->def.scene, dds->def.def, &dds->merger, error) ||
        !open_reader(dds, &sensor_msgs_msg_dds__JointState__desc, states, SAMPLES_MAX, &dds->states, error)) {
        return false;
    }

    for (int32_t i = 0; i < sensed_topic_count(dds->def.sensed); ++i) {
        SensedKind kind;
        char name[TOPIC_MAX] = "rt";
        strncat(name, sensed_topic(dds->def.sensed, i, &kind), sizeof name - 3);
        const int32_t history = kind == SENSED_CLOUD ? CLOUD_HISTORY : SAMPLES_MAX;
        if (!open_reader(dds, types[kind], name, history, &dds->topics[i], error)) {
            return false;
        }
    }

    dds->receiver_runs = machine_start_thread(&dds->receiver, run_receiver, dds, 0);
    return dds->receiver_runs || guard_fail(error, GUARD_MACHINE, "dds: cannot start a thread");
}
