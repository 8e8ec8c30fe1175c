// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Clouds and poses as ROS 2 has them, on their way to the monitor: whose they are, whether they are new, where they are in
// the world. Knows no DDS and takes its memory at the start. One thread receives, the loop takes.

#ifndef GUARD_SENSED_H
#define GUARD_SENSED_H

#include <stdatomic.h>

#include "guard.h"

/// What a topic carries.
typedef enum SensedKind {
    SENSED_CLOUD,       ///< sensor_msgs/PointCloud2
    SENSED_POSE,        ///< geometry_msgs/PoseStamped
    SENSED_TRANSFORMS,  ///< tf2_msgs/TFMessage
} SensedKind;

/// What is in the head of every message, and who sent it.
typedef struct SensedHead {
    uint64_t writer;  ///< another one: another sender, or the same that began anew
    int64_t seconds;  ///< of the sender's clock; 0 with 0: none
    uint32_t nanoseconds;
    double wall;        ///< the wall clock at receipt
    double received;    ///< CLOCK_MONOTONIC
    const char* frame;  ///< in which it is told
} SensedHead;

/// A field of a point.
typedef struct SensedField {
    const char* name;
    uint32_t offset, count;
    uint8_t type;  ///< 7: float, 8: double
} SensedField;

/// A cloud as it came: nothing of it is believed.
typedef struct SensedCloud {
    SensedHead head;
    uint32_t height, width, point_step, row_step;
    const SensedField* fields;
    uint32_t field_count;
    bool big_endian;
    const uint8_t* data;
    size_t size;
} SensedCloud;

/// A place as it came: position, and a quaternion x, y, z, w.
typedef struct SensedPlace {
    SensedHead head;
    double position[3], quaternion[4];
} SensedPlace;

typedef enum SensedOutcome {
    SENSED_TAKEN = 0,
    SENSED_MALFORMED,  ///< sizes that contradict each other, no x, y, z, no stamp, no rotation
    SENSED_STALE,      ///< a stamp that does not grow
    SENSED_STRANGER,   ///< somebody else speaks there
    SENSED_MISFIT,     ///< in a frame that was not declared
    SENSED_LOST,       ///< the loop is behind
    SENSED_IGNORED,    ///< a frame of something else
} SensedOutcome;

/// What the loop takes: one cloud, or one pose.
typedef struct SensedMessage {
    uint64_t stream, sequence;
    double stamp;     ///< of its sender's clock, brought near to CLOCK_MONOTONIC once
    double skew;      ///< that stamp less the wall clock at receipt
    double received;  ///< CLOCK_MONOTONIC
    int32_t cloud;    ///< by the order of the def; -1: it is a pose
    BerthObjectId object;
    BerthPose pose;
    BerthVec3* points;  ///< in the world
    int32_t count;      ///< of `points`; 0 of a cloud that is too large
    int32_t total;
    bool alive;
} SensedMessage;

typedef struct Sensed Sensed;
/// `movers`: objects that are told. Null in *out where no topic is asked for.
bool sensed_open(const GuardSettings* settings, const BerthObjectId* movers, int32_t mover_count,
                 Sensed** out, GuardError* error);
void sensed_close(Sensed* sensed);

int32_t sensed_topic_count(const Sensed* sensed);
/// The name of a topic, as ROS writes it, and what it carries.
const char* sensed_topic(const Sensed* sensed, int32_t topic, SensedKind* kind);
/// Topics from whose clouds points that are no numbers, or clouds that are empty, say that space is free.
int32_t sensed_believed_empty(const Sensed* sensed);

// For the receiving thread.
SensedOutcome sensed_receive_cloud(Sensed* sensed, int32_t topic, const SensedCloud* cloud);
SensedOutcome sensed_receive_pose(Sensed* sensed, int32_t topic, const SensedPlace* place);
/// `child`: the frame that is there. Those that no object is named after are ignored.
SensedOutcome sensed_receive_transform(Sensed* sensed, const char* child, const SensedPlace* place);

// For the loop: the next message, or null. It is valid until sensed_release.
const SensedMessage* sensed_next(Sensed* sensed);
void sensed_release(Sensed* sensed);

#endif
