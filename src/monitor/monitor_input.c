// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Messages: newest wins; what is old is counted and makes nothing fresh; what is wrong stops (SAFETY section 5, rows 1 to 10).

#include "math/math.h"
#include "monitor/monitor.h"

void bi_monitor_fault(BerthMonitor* monitor, BerthStop stop, int32_t value, int32_t source) {
    if (monitor->pending == BERTH_STOP_NONE) {
        monitor->pending = stop;
        monitor->fault_value = value;
        monitor->fault_source = source;
    }
    if (monitor->latched == BERTH_STOP_NONE || monitor->latched == BERTH_STOP_RESET) {
        monitor->latched = stop;
    }
    monitor->reset_asked = false;
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        monitor->sources[i].good = 0;
    }
    for (int32_t i = 0; i < monitor->object_count; ++i) {
        monitor->objects[i].good = 0;
    }
}

void berth_monitor_fault(BerthMonitor* monitor, BerthStop stop) {
    bi_monitor_fault(monitor, stop, -1, -1);
}

void berth_monitor_reset(BerthMonitor* monitor) {
    monitor->reset_asked = true;
    for (int32_t i = 0; i < monitor->source_count; ++i) {
        monitor->sources[i].good = 0;
    }
    for (int32_t i = 0; i < monitor->object_count; ++i) {
        monitor->objects[i].good = 0;
    }
}

void berth_monitor_end(BerthMonitor* monitor) {
    monitor->ended = true;
}

/// What is to become of a message by its numbers.
typedef enum Order { ORDER_NEW, ORDER_OLD, ORDER_WRONG } Order;

static Order order_of(const BerthMonitor* monitor, bool heard, uint64_t stream, uint64_t sequence,
                      uint64_t last_stream, uint64_t last_sequence) {
    if (!heard) {
        return ORDER_NEW;
    }
    if (stream != last_stream) {
        return ORDER_WRONG;
    }
    if (sequence > last_sequence) {
        return ORDER_NEW;
    }
    return last_sequence - sequence <= monitor->def.reorder ? ORDER_OLD : ORDER_WRONG;
}

static bool clock_is_off(const BerthMonitor* monitor, double stamp, double received) {
    const double limit = monitor->def.skew_limit;
    if (!(limit < (double)INFINITY)) {
        return false;
    }
    return !(fabs(received - stamp) <= limit);  // no stamp where one is asked for is off
}

static const RobotValue* value_of(const BerthScene* scene, int32_t at) {
    int32_t r = 0;
    while (at >= scene->robots[r].first_value + scene->robots[r].value_count) {
        r += 1;
    }
    return &scene->robots[r].robot->values[at - scene->robots[r].first_value];
}

// A value outside its limits, or one that came further than its joint can go in the time since the last one.
static BerthStop judge_value(const BerthMonitor* monitor, const GuardSource* source, int32_t at,
                             double position, double received) {
    if (!isfinite(position)) {
        return BERTH_STOP_VALUE;
    }
    const RobotValue* value = value_of(monitor->scene, at);
    if (value->has_limits && !(position >= value->lower && position <= value->upper)) {
        return BERTH_STOP_LIMIT;
    }
    // A message may have been under way for `latency` longer or shorter than the one before it.
    const double passed = received - source->received + monitor->safety.latency;
    const double most = monitor->limits[at] * passed + monitor->def.jump_slack;
    return source->heard && !(fabs(position - monitor->values[at]) <= most) ? BERTH_STOP_JUMP
                                                                            : BERTH_STOP_NONE;
}

static BerthStop judge_speed(const BerthMonitor* monitor, int32_t at, double velocity) {
    if (!isfinite(velocity)) {
        return BERTH_STOP_VALUE;
    }
    return fabs(velocity) <= monitor->limits[at] * (1.0 + 1e-6) ? BERTH_STOP_NONE : BERTH_STOP_JUMP;
}

static bool judge(BerthMonitor* monitor, const GuardSource* source, const BerthMonitorMessage* message) {
    for (int32_t i = 0; i < message->count; ++i) {
        BerthStop stop =
            judge_value(monitor, source, source->values[i], message->positions[i], message->received);
        if (stop == BERTH_STOP_NONE && message->velocities != NULL) {
            stop = judge_speed(monitor, source->values[i], message->velocities[i]);
        }
        if (stop != BERTH_STOP_NONE) {
            bi_monitor_fault(monitor, stop, source->values[i], message->source);
            return false;
        }
    }
    return true;
}

void berth_monitor_hear(BerthMonitor* monitor, const BerthMonitorMessage* message) {
    monitor->counters.messages += 1;
    if (message->source < 0 || message->source >= monitor->source_count || message->positions == NULL ||
        message->count != monitor->sources[message->source].value_count || !isfinite(message->received)) {
        monitor->counters.malformed += 1;
        return;
    }
    GuardSource* source = &monitor->sources[message->source];
    const Order order = order_of(monitor, source->heard, message->stream, message->sequence, source->stream,
                                 source->sequence);
    if (order == ORDER_OLD || (source->heard && !(message->received >= source->received))) {
        monitor->counters.stale += 1;
        return;
    }
    if (order == ORDER_WRONG) {
        // The new stream is what counts after a reset.
        source->heard = false;
        bi_monitor_fault(monitor, BERTH_STOP_SEQUENCE, -1, message->source);
        return;
    }
    if (clock_is_off(monitor, message->stamp, message->received)) {
        bi_monitor_fault(monitor, BERTH_STOP_SKEW, -1, message->source);
        return;
    }
    if (!judge(monitor, source, message)) {
        source->heard = false;  // where it was is not known any more
        return;
    }
    for (int32_t i = 0; i < message->count; ++i) {
        const int32_t at = source->values[i];
        const bool told = message->velocities != NULL && !monitor->def.fixed_buffers;
        monitor->values[at] = message->positions[i];
        monitor->told[at] = message->velocities != NULL ? message->velocities[i] : NAN;
        monitor->speeds[at] = told ? fabs(message->velocities[i]) : monitor->limits[at];
    }
    source->heard = true;
    source->stream = message->stream;
    source->sequence = message->sequence;
    source->received = message->received;
    source->good += source->good < INT32_MAX;
    monitor->counters.good += 1;
}

static GuardObject* find_object(BerthMonitor* monitor, BerthObjectId id) {
    for (int32_t i = 0; i < monitor->object_count; ++i) {
        if (monitor->objects[i].id.place == id.place && monitor->objects[i].id.age == id.age) {
            return &monitor->objects[i];
        }
    }
    return NULL;
}

static bool is_pose(const Pose* p) {
    const Vec3 cross = v3_cross(p->x, p->y);
    return v3_finite(p->t) && v3_length(v3_abs(p->t)) < BI_COORDINATE_MAX &&
           fabs(v3_length_sq(p->x) - 1.0) < BI_ROTATION_NEAR &&
           fabs(v3_length_sq(p->y) - 1.0) < BI_ROTATION_NEAR &&
           v3_length(v3_sub(cross, p->z)) < BI_ROTATION_NEAR;
}

// Every corner of its guards, by no more than its speed allows.
static bool object_moved_as_it_can(const BerthMonitor* monitor, const GuardObject* object, const Pose* pose,
                                   double received) {
    const double most =
        object->speed * (received - object->received + monitor->safety.latency) + monitor->def.jump_slack;
    for (int32_t i = 0; i < monitor->guard_count; ++i) {
        const Guard* guard = &monitor->guards[i];
        for (int32_t k = 0; guard->object == object - monitor->objects && k < guard->point_count; ++k) {
            const Vec3 from = pose_apply(&object->pose, guard->points[k].centre);
            if (!(v3_distance(pose_apply(pose, guard->points[k].centre), from) <= most)) {
                return false;
            }
        }
    }
    return true;
}

void berth_monitor_hear_pose(BerthMonitor* monitor, const BerthMonitorPose* message) {
    monitor->counters.messages += 1;
    GuardObject* object = find_object(monitor, message->object);
    const Pose* pose = (const Pose*)&message->pose;
    if (object == NULL || !isfinite(message->received)) {
        monitor->counters.malformed += 1;
        return;
    }
    const Order order = order_of(monitor, object->heard, message->stream, message->sequence, object->stream,
                                 object->sequence);
    if (order == ORDER_OLD || (object->heard && !(message->received >= object->received))) {
        monitor->counters.stale += 1;
        return;
    }
    const bool jumps = object->heard && !object_moved_as_it_can(monitor, object, pose, message->received);
    const BerthStop stop = order == ORDER_WRONG                                       ? BERTH_STOP_SEQUENCE
                           : clock_is_off(monitor, message->stamp, message->received) ? BERTH_STOP_SKEW
                           : jumps                                                    ? BERTH_STOP_JUMP
                           : !is_pose(pose)                                           ? BERTH_STOP_VALUE
                                                                                      : BERTH_STOP_NONE;
    if (stop != BERTH_STOP_NONE) {
        object->heard = false;
        bi_monitor_fault(monitor, stop, -1, -1);
        return;
    }
    object->heard = true;
    object->stream = message->stream;
    object->sequence = message->sequence;
    object->received = message->received;
    object->pose = *pose;
    object->good += object->good < INT32_MAX;
    monitor->counters.good += 1;
}
