// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The inside of a monitor. docs/monitor.md derives buffers and the time that they have to last for.

#ifndef BI_MONITOR_H
#define BI_MONITOR_H

#include <berth/index.h>
#include <berth/monitor.h>

#include "check/check.h"
#include "shape/ball.h"

enum { GUARD_POINTS = 8 };

/// A simple body around a part of a body of the scene, or around a piece of one.
typedef struct Guard {
    int32_t body, frame;  ///< of the scene; frame -1: the world, or `object`
    int32_t object;       ///< of the monitor's moving objects, -1: none
    BerthShape shape;
    BerthHull* hull;  ///< owned, or null
    Pose frame_from_shape;
    Ball points[GUARD_POINTS];  ///< in the frame: their hull contains the shape
    int32_t point_count;
    int32_t first_row, row_count;  ///< of its chain; row 0 is "nothing moves"
    int32_t indexed;               ///< in the index
    Pose pose;                     ///< in the world, now
} Guard;

/// A joint of a robot: what it can do from a sample to standstill, from its speed now.
typedef struct GuardJoint {
    double velocity, acceleration, deceleration;  ///< limits; acceleration +infinity when it is not known
    double turn, slide;                           ///< radian and metre, this cycle
    double stopping;                              ///< seconds of braking, this cycle
} GuardJoint;

typedef struct GuardSource {
    int32_t* values;
    int32_t value_count;
    uint64_t stream, sequence;
    double received;
    int32_t good;  ///< messages since the last reset
    bool heard;
} GuardSource;

/// An object that moves by itself.
typedef struct GuardObject {
    BerthObjectId id;
    int32_t body;
    double speed, intrusion, uncertainty;
    bool person;
    uint64_t stream, sequence;
    double received;
    int32_t good;
    bool heard;
    Pose pose;
} GuardObject;

struct BerthMonitor {
    BerthAllocator allocator;
    BerthMonitorDef def;
    BerthSafety safety;
    const BerthScene* scene;
    BerthChecker* checker;
    BerthIndex* index;
    BerthIndexPair* near;
    int32_t near_capacity;
    Guard* guards;
    int32_t guard_count, guard_capacity;
    int32_t* guard_of;   ///< by body of the index
    int32_t* row_frame;  ///< scene frame of each chain row; -1 in row 0
    double* row_sum;     ///< how far the guard's points can go by the joints up to this row
    double* row_lever;
    int32_t row_total;
    GuardJoint* joints;  ///< by scene frame
    GuardSource* sources;
    int32_t source_count;
    int32_t* source_values;  ///< of all sources
    GuardObject* objects;
    int32_t object_count;
    int32_t* pair_of;  ///< pair of the scene by two bodies, body_count^2; -1: not asked
    double* limits;    ///< largest speed of each value
    double* values;
    double* speeds;  ///< magnitudes; the limit where it is not told
    double* told;    ///< velocities with sign; NaN where they are not told
    uint64_t sequence;
    double last_cycle;
    BerthStop latched;  ///< NONE: permits may be given
    BerthStop pending;  ///< the fault that this cycle is to answer
    int32_t fault_value, fault_source;
    bool reset_asked, ended;
    uint8_t model[32];
    BerthMonitorCounters counters;
    size_t bytes;
};

/// Latches a fault. The first one is told.
void bi_monitor_fault(BerthMonitor* monitor, BerthStop stop, int32_t value, int32_t source);
/// Places all guards for the newest values, with what each can do from a sample of that age to standstill.
bool bi_monitor_place(BerthMonitor* monitor, double age);

#endif
