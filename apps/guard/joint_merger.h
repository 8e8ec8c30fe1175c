// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Merges joint states from several writers, with names in any order, into one message for each source of the monitor.
// Independent of DDS; allocates all memory at the start.

#ifndef GUARD_JOINT_MERGER_H
#define GUARD_JOINT_MERGER_H

#include <stdatomic.h>

#include "guard.h"

enum { JOINT_WRITERS_MAX = 32, JOINT_MESSAGES_MAX = 64 };

/// One message of a writer.
typedef struct JointState {
    uint64_t writer;  ///< changes if it is another sender, or the same one restarted
    double stamp;     ///< by the sender's clock; must increase from message to message
    double skew;      ///< the stamp minus the wall clock at receipt
    double received;  ///< CLOCK_MONOTONIC
    const char* const* names;
    const double* positions;
    const double* velocities;
    int32_t name_count, position_count, velocity_count;
} JointState;

/// All values of a source, each one received since the last such message.
typedef struct JointMessage {
    int32_t source;
    uint64_t stream, sequence;
    double skew;      ///< the worst one of its parts
    double stamp;     ///< of its oldest part, by its sender's clock shifted once to near CLOCK_MONOTONIC
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
    JOINT_STATE_MALFORMED,  ///< fewer positions than names, or a name twice
    JOINT_STATE_STALE,      ///< a stamp that does not increase
    JOINT_STATE_STRANGER,   ///< one writer too many, or none of the joints belong to it
} JointOutcome;
/// Takes one message. For the receiving thread.
JointOutcome joint_merger_receive(JointMerger* merger, const JointState* state);
/// For the loop: the next message, or null. It is valid until joint_merger_release.
const JointMessage* joint_merger_next(JointMerger* merger);
void joint_merger_release(JointMerger* merger);
/// The number of messages lost because the loop was too slow.
int64_t joint_merger_lost(const JointMerger* merger);

#endif
