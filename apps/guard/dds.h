// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// ROS 2 without ROS: joint states in and permits out through Cyclone DDS. Its threads allocate and lock as they like; the
// loop meets them only at two rings. A build without DDS has the same calls, and dds_open says so.

#ifndef GUARD_DDS_H
#define GUARD_DDS_H

#include "joints.h"

typedef struct DdsDef {
    const BerthScene* scene;
    const BerthMonitorDef* def;
    const char* input;   ///< "TOPIC[@DOMAIN]", TOPIC as ROS writes it (/joint_states); null: nothing is heard
    const char* output;  ///< likewise, for permits; null: nothing is told
} DdsDef;

typedef struct DdsCounts {
    int64_t messages, malformed, stale, strangers;
    int64_t lost;          ///< the loop was too slow
    int64_t sent, unsent;  ///< permits
} DdsCounts;

typedef struct Dds Dds;
/// Starts its threads. On failure *out is null.
bool dds_open(const DdsDef* def, Dds** out, GuardError* error);
void dds_close(Dds* dds);
/// Messages for the loop; null when nothing is heard.
Joints* dds_joints(Dds* dds);
/// From the loop: never waits. Seconds that it is valid from now, 0 for STOP.
void dds_permit(Dds* dds, uint64_t stream, const BerthPermit* permit, double valid_for);
DdsCounts dds_counts(const Dds* dds);

#endif
