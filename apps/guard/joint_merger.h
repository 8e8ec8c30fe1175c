// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Joint states from several writers, names in any order, put together into one message for each source of the monitor.
// Knows no DDS and takes its memory at the start.

#ifndef GUARD_JOINT_MERGER_H
#define GUARD_JOINT_MERGER_H

#include <stdatomic.h>

#include "guard.h"

enum { JOINT_WRITERS_MAX = 32, JOINT_MESSAGES_MAX = 64 };

/// One message of a writer.
typedef struct JointState {
    uint64_t writer;  ///< another one: another sender, or the same that began anew
    double stamp;     ///< of the sender's clock; must grow from message to message
    double skew;      ///< that stamp less the wall clock at receipt
    double received;  ///< CLOCK_MONOTONIC
    const char* const* names;
    const double* positions;
    const double* velocities;
    int32_t name_count, position_count, velocity_count;
} JointState;

/// All values of a source, each received since the last such message.
typedef struct JointMessage {
    int32_t source;
    uint64_t stream, sequence;
    double skew;      ///< the worst of its parts
    double stamp;     ///< of its oldest part by its sender's clock, brought near to CLOCK_MONOTONIC once
    double received;  ///< of its oldest part
    bool has_velocities;
    double* positions;
    double* velocities;
} JointMessage;

typedef struct JointMerger JointMerger;
bool joint_merger_open(const BerthScene* scene, const BerthMonitorDef* def, JointMerger** out,
                       GuardError* error);
void joint_merger_close(JointMerger* merger);

typedef enum JointOutcome {
    JOINT_STATE_TAKEN = 0,
    JOINT_STATE_MALFORMED,  ///< fewer positions than names, a name twice
    JOINT_STATE_STALE,      ///< a stamp that does not grow
    JOINT_STATE_STRANGER,   ///< one writer too many, or it owns none of its joints
} JointOutcome;
/// Takes one message. For the receiving thread.
JointOutcome joint_merger_receive(JointMerger* merger, const JointState* state);
/// For the loop: the next message, or null. It is valid until joint_merger_release.
const JointMessage* joint_merger_next(JointMerger* merger);
void joint_merger_release(JointMerger* merger);
/// Messages that the loop was too slow for.
int64_t joint_merger_lost(const JointMerger* merger);

#endif
