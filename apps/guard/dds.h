// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// ROS 2 messages without ROS: receives joint states, clouds and poses, and sends permits, through Cyclone DDS. Its
// threads may allocate and lock; the loop shares only two rings with them. A build without DDS has the same functions,
// and dds_open fails with that reason.

#ifndef GUARD_DDS_H
#define GUARD_DDS_H

#include "joint_merger.h"
#include "sensed.h"

typedef struct DdsDef {
    const BerthScene* scene;
    const BerthMonitorDef* def;
    const char* input;   ///< "TOPIC[@DOMAIN]", TOPIC as ROS writes it (/joint_states); null: no input
    const char* output;  ///< likewise, for permits; null: no output
    Sensed* sensed;      ///< clouds and poses; null: none. Must live longer than this
    double deadline;     ///< largest time between two permits, in seconds
} DdsDef;

typedef struct DdsCounts {
    int64_t messages, malformed, stale, strangers, misfits;
    int64_t lost;          ///< the loop was too slow
    int64_t sent, unsent;  ///< permits
} DdsCounts;

typedef struct Dds Dds;
/// Starts the threads. On failure *out is null.
bool dds_open(const DdsDef* def, Dds** out, GuardError* error);
void dds_close(Dds* dds);
/// The received joint states, for the loop; null without an input.
JointMerger* dds_joint_merger(Dds* dds);
/// Passes a permit to the sending thread. Called by the loop; never waits. `valid_for`: seconds from now, 0 for STOP.
void dds_queue_permit(Dds* dds, uint64_t stream, const BerthPermit* permit, double valid_for);
DdsCounts dds_counts(const Dds* dds);

#endif
