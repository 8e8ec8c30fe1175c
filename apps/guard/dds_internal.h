// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Internal to the guard's DDS: what opening, receiving and sending share.

#ifndef GUARD_DDS_INTERNAL_H
#define GUARD_DDS_INTERNAL_H

#include <dds/dds.h>

#include "dds.h"
#include "machine.h"
#include "pending.h"
#include "ros.h"

enum { PENDING_MAX = 16, TOPIC_MAX = 300 };

/// The writers of permits, and of the messages that standard ROS 2 packages can read.
typedef struct DdsWriters {
    dds_entity_t permit, go, scale, retreat, diagnostics;  ///< scale, retreat: 0 if not published
    bool told_go, told_retreat;                            ///< of the last diagnostics
    BerthStop told_reason;
    double told_at;  ///< CLOCK_MONOTONIC
} DdsWriters;

struct Dds {
    DdsDef def;
    dds_entity_t participant, waitset;
    dds_entity_t states;                  ///< reader of joint states
    dds_entity_t topics[GUARD_LIST_MAX];  ///< readers of def.sensed's topics
    DdsWriters writers;
    JointMerger* merger;
    pthread_t receiver, sender;
    bool receiver_runs, sender_runs;
    atomic_bool done;
    int wake;  ///< an eventfd: the loop wakes the writing thread without a lock
    PendingPermit permits[PENDING_MAX];
    atomic_size_t head, tail;  ///< written by the loop, by the writing thread
    atomic_llong messages, malformed, stale, strangers, misfits, lost, sent, unsent;
};

/// Creates a topic in this participant. Negative: the error.
dds_entity_t dds_open_topic(const Dds* dds, const dds_topic_descriptor_t* type, const char* name);
bool dds_fail(GuardError* error, const char* what, dds_return_t code);

/// Creates readers of joint states on `states`, unless null, and of def.sensed's topics, and starts their thread.
bool dds_open_readers(Dds* dds, const char* states, GuardError* error);
/// Creates writers on `permits` and the topics below it, and starts their thread.
bool dds_open_writers(Dds* dds, const char* permits, GuardError* error);

#endif
