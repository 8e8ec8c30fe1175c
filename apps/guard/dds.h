// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// ROS 2 without ROS: joint states, clouds and poses in and permits out through Cyclone DDS. Its threads may allocate and lock; the loop
// shares only two rings with them. A build without DDS has the same calls, and dds_open says so.

#ifndef GUARD_DDS_H
#define GUARD_DDS_H

#include "joint_merger.h"
#include "sensed.h"

typedef struct DdsDef {
    const BerthScene* scene;
    const BerthMonitorDef* def;
    const char* input;   ///< "TOPIC[@DOMAIN]", TOPIC as ROS writes it (/joint_states); null: no input
    const char* output;  ///< likewise, for permits; null: no output
    Sensed* sensed;      ///< of clouds and poses; null: none. It outlives this
    double deadline;     ///< seconds within which permits follow each other
} DdsDef;

typedef struct DdsCounts {
    int64_t messages, malformed, stale, strangers, misfits;
    int64_t lost;          ///< the loop was too slow
    int64_t sent, unsent;  ///< permits
} DdsCounts;

typedef struct Dds Dds;
/// Starts its threads. On failure *out is null.
bool dds_open(const DdsDef* def, Dds** out, GuardError* error);
void dds_close(Dds* dds);
/// Messages for the loop; null without an input.
JointMerger* dds_joint_merger(Dds* dds);
/// Leaves a permit for the sending thread. From the loop: never waits. `valid_for`: seconds from now, 0 for STOP.
void dds_queue_permit(Dds* dds, uint64_t stream, const BerthPermit* permit, double valid_for);
DdsCounts dds_counts(const Dds* dds);

#endif
