// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Joint states from several writers, names in any order, put together into one message for each source of the monitor.
// Knows no DDS and takes its memory at the start.

#ifndef GUARD_JOINTS_H
#define GUARD_JOINTS_H

#include <stdatomic.h>

#include "guard.h"

enum { JOINT_WRITERS_MAX = 32, JOINT_MAIL = 64 };

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

/// All values of a source, heard since the last such message.
typedef struct JointMail {
    int32_t source;
    uint64_t stream, sequence;
    double skew;      ///< the worst of its parts
    double received;  ///< of its oldest part
    bool has_velocities;
    double* positions;
    double* velocities;
} JointMail;

typedef struct Joints Joints;
bool joints_open(const BerthScene* scene, const BerthMonitorDef* def, Joints** out, GuardError* error);
void joints_close(Joints* joints);

typedef enum JointsTook {
    JOINTS_TAKEN = 0,
    JOINTS_MALFORMED,  ///< fewer positions than names, a name twice
    JOINTS_STALE,      ///< a stamp that does not grow
    JOINTS_STRANGER,   ///< one writer too many, or none of its joints are its own to tell
} JointsTook;
/// For the thread that receives.
JointsTook joints_hear(Joints* joints, const JointState* state);
/// For the loop: the next message, or null. It is valid until joints_done.
const JointMail* joints_next(Joints* joints);
void joints_done(Joints* joints);
/// Messages that the loop was too slow for.
int64_t joints_lost(const Joints* joints);

#endif
