// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Messages: newest wins; what is old is counted and makes nothing fresh; what is wrong stops (SAFETY section 5, rows 1 to 10).
// Entries: berth_monitor_receive, berth_monitor_receive_pose; berth_monitor_fault, berth_monitor_reset, berth_monitor_end. The
// functions bi_track_... are for clouds and choices too.

#include "math/math.h"
#include "monitor/monitor.h"

// What a value says of its speed is held against where it goes over windows of so many seconds: with the usual slack of 0.01
// radian, 0.04 radian a second more than is told are found.
#define TRAIL_SECONDS 0.25

static const double full_turn = 6.283185307179586;

static void clear_good_counts(BerthMonitor* monitor) {
    Track* const lists[] = {monitor->source_tracks, monitor->object_tracks, monitor->cloud_tracks,
                            monitor->choice_tracks};
    const int32_t counts[] = {monitor->source_count, monitor->object_count, monitor->cloud_count,
                              monitor->choice_count};
    for (int k = 0; k < 4; ++k) {
        for (int32_t i = 0; i < counts[k]; ++i) {
            lists[k][i].good = 0;
        }
    }
}

void bi_monitor_fault(BerthMonitor* monitor, BerthStop stop, FaultAt at) {
    // What is no reason is a mistake of the caller, and that is one.
    const bool is_reason = (int)stop > BERTH_STOP_RESET && stop < BERTH_STOP_COUNT;
    const BerthStop reason = is_reason ? stop : BERTH_STOP_UNKNOWN;
    monitor->counters.faults[reason] += 1;
    if (monitor->pending == BERTH_STOP_NONE) {
        monitor->pending = reason;
        monitor->fault_at = at;
    }
    if (monitor->latched == BERTH_STOP_NONE || monitor->latched == BERTH_STOP_RESET) {
        monitor->latched = reason;
    }
    monitor->reset_asked = false;
    clear_good_counts(monitor);
}

void berth_monitor_fault(BerthMonitor* monitor, BerthStop stop) {
    bi_monitor_fault(monitor, stop, FAULT_ANYWHERE);
}

void berth_monitor_reset(BerthMonitor* monitor) {
    monitor->reset_asked = true;
    clear_good_counts(monitor);
}

void berth_monitor_end(BerthMonitor* monitor) {
    monitor->ended = true;
}

// ---- senders ---------------------------------------------------------------------------------------------

TrackOrder bi_track_order(const BerthMonitor* monitor, const Track* track, uint64_t stream, uint64_t sequence,
                          double received) {
    if (!track->known) {
        return ORDER_NEW;
    }
    if (stream != track->stream) {
        return ORDER_WRONG;
    }
    if (sequence > track->sequence) {
        return track->heard && !(received >= track->received) ? ORDER_OLD : ORDER_NEW;
    }
    return track->sequence - sequence <= monitor->def.reorder ? ORDER_OLD : ORDER_WRONG;
}

void bi_track_accept(BerthMonitor* monitor, Track* track, uint64_t stream, uint64_t sequence,
                     double received) {
    track->heard = track->known = true;
    track->stream = stream;
    track->sequence = sequence;
    track->received = received;
    track->good += track->good < INT32_MAX;
    monitor->counters.good += 1;
}

void bi_track_restart(Track* track, uint64_t stream, uint64_t sequence) {
    track->heard = false;
    track->known = true;
    track->stream = stream;
    track->sequence = sequence;
}

bool bi_track_admit(BerthMonitor* monitor, Track* track, uint64_t stream, uint64_t sequence, double received,
                    FaultAt here) {
    const TrackOrder order = bi_track_order(monitor, track, stream, sequence, received);
    if (order == ORDER_OLD) {
        monitor->counters.stale += 1;
    } else if (order == ORDER_WRONG) {
        bi_track_restart(track, stream, sequence);
        bi_monitor_fault(monitor, BERTH_STOP_SEQUENCE, here);
    }
    return order == ORDER_NEW;
}

bool bi_clock_is_off(const BerthMonitor* monitor, double stamp, double received) {
    const double limit = monitor->def.skew_limit;
    return limit < (double)INFINITY && !(fabs(received - stamp) <= limit);
}

double bi_track_age(const Track* track, double now) {
    const double age = now - track->received;
    // Both times were rounded when they became numbers.
    return age >= 0.0 ? age + 2.0 * BI_ULP * fabs(now) : (double)NAN;
}

// ---- joints ----------------------------------------------------------------------------------------------

// How far a value came; one that turns round and round may have been counted anew from the other side.
static double moved_by(const MonitorValue* limit, double from, double to) {
    const double by = to - from;
    return fabs(limit->wraps ? by - full_turn * rint(by / full_turn) : by);
}

// A value outside its limits, or one that came further than its joint can go in the time since the last one.
static BerthStop judge_value(const BerthMonitor* monitor, const Track* track, int32_t at, double position,
                             double received) {
    const MonitorValue* limit = &monitor->limits[at];
    if (!isfinite(position)) {
        return BERTH_STOP_VALUE;
    }
    if (!(position >= limit->lower && position <= limit->upper)) {
        return BERTH_STOP_LIMIT;
    }
    if (!track->heard || limit->velocity == 0.0) {
        return BERTH_STOP_NONE;  // the first one, or a value that moves nothing
    }
    // A message may have been under way for `latency` longer or shorter than the one before it.
    const double passed = received - track->received + monitor->safety.latency;
    const double most = limit->velocity * passed + monitor->def.jump_slack;
    return moved_by(limit, monitor->values[at], position) <= most ? BERTH_STOP_NONE : BERTH_STOP_JUMP;
}

static BerthStop judge_speed(const BerthMonitor* monitor, int32_t at, double velocity) {
    const MonitorValue* limit = &monitor->limits[at];
    if (!isfinite(velocity)) {
        return BERTH_STOP_VALUE;
    }
    const bool can = limit->velocity == 0.0 || fabs(velocity) <= limit->velocity * (1.0 + 1e-6);
    return can ? BERTH_STOP_NONE : BERTH_STOP_JUMP;
}

// The largest speed between the last sample and this one, if what both tell is true.
static double peak_speed(const BerthMonitor* monitor, int32_t at, double velocity, double passed) {
    const MonitorValue* limit = &monitor->limits[at];
    const double told = fmax(fabs(monitor->told[at]), fabs(velocity));  // a NaN counts as neither
    const bool both = isfinite(monitor->told[at]) && isfinite(velocity);
    return both ? fmin(limit->velocity, told + limit->acceleration * passed) : limit->velocity;
}

// Does a value go as it says? A sender whose velocities are always 0 would make the buffers too small.
static BerthStop judge_trail(const BerthMonitor* monitor, int32_t source, int32_t at, double position,
                             double velocity, double received) {
    const Track* track = &monitor->source_tracks[source];
    const MonitorValue* limit = &monitor->limits[at];
    if (!track->heard || limit->velocity == 0.0) {
        return BERTH_STOP_NONE;
    }
    const double passed = received - track->received + monitor->safety.latency;
    const double peak = fmax(monitor->trails[at].peak, peak_speed(monitor, at, velocity, passed));
    const double since = received - monitor->source_since[source] + monitor->safety.latency;
    const double most = peak * since + monitor->def.jump_slack + 2.0 * monitor->def.tracking_error;
    return moved_by(limit, monitor->trails[at].from, position) <= most ? BERTH_STOP_NONE : BERTH_STOP_JUMP;
}

/// Two quaternions, of any length and sign: no less than the angle between the orientations. Half the chord between the unit
/// ones is x = sin(angle / 4) <= 0.71, and asin x <= x + 0.571 x^3 up to 1.
static double angle_bound(const double a[4], const double b[4]) {
    double aa = 0.0;
    double bb = 0.0;
    double ab = 0.0;
    for (int k = 0; k < 4; ++k) {
        aa += a[k] * a[k];
        bb += b[k] * b[k];
        ab += a[k] * b[k];
    }
    const double cosine = fabs(ab) / sqrt(aa * bb);  // of half the angle
    const double x = sqrt(fmax(0.5 * (1.0 - cosine), 0.0));
    return cosine <= 2.0 ? 4.0 * (x + 0.571 * x * x * x) : (double)NAN;
}

// Orientations of floating bases that this message tells: by no more than they can turn.
static BerthStop judge_turns(const BerthMonitor* monitor, const MonitorSource* source,
                             const BerthMonitorMessage* message, int32_t* at) {
    const Track* track = &monitor->source_tracks[message->source];
    for (int32_t i = 0; i < monitor->float_count; ++i) {
        const MonitorFloatingBase* f = &monitor->floats[i];
        if (f->source != message->source) {
            continue;
        }

        double from[4];
        double to[4];
        for (int k = 0; k < 4; ++k) {
            from[k] = monitor->values[source->values[f->at[k]]];
            to[k] = message->positions[f->at[k]];
        }

        *at = source->values[f->at[0]];
        const double passed = message->received - track->received + monitor->safety.latency;
        const double most = f->velocity * passed + monitor->def.jump_slack;

        if (!(angle_bound(to, to) <= 1.0)) {
            return BERTH_STOP_VALUE;  // no orientation at all
        }
        if (track->heard && !(angle_bound(from, to) <= most)) {
            return BERTH_STOP_JUMP;
        }
    }
    return BERTH_STOP_NONE;
}

static bool judge_values(BerthMonitor* monitor, const MonitorSource* source,
                         const BerthMonitorMessage* message) {
    const Track* track = &monitor->source_tracks[message->source];

    for (int32_t i = 0; i < message->count; ++i) {
        const int32_t at = source->values[i];
        const double velocity = message->velocities != NULL ? message->velocities[i] : (double)NAN;

        BerthStop stop = judge_value(monitor, track, at, message->positions[i], message->received);
        if (stop == BERTH_STOP_NONE && message->velocities != NULL) {
            stop = judge_speed(monitor, at, velocity);
        }
        if (stop == BERTH_STOP_NONE) {
            stop =
                judge_trail(monitor, message->source, at, message->positions[i], velocity, message->received);
        }

        if (stop != BERTH_STOP_NONE) {
            bi_monitor_fault(monitor, stop, fault_at_value(at, message->source));
            return false;
        }
    }

    int32_t which = -1;
    const BerthStop turned = judge_turns(monitor, source, message, &which);
    if (turned != BERTH_STOP_NONE) {
        bi_monitor_fault(monitor, turned, fault_at_value(which, message->source));
        return false;
    }
    return true;
}

static void take_values(BerthMonitor* monitor, const MonitorSource* source,
                        const BerthMonitorMessage* message) {
    const Track* track = &monitor->source_tracks[message->source];
    double* since = &monitor->source_since[message->source];
    const double passed = message->received - track->received + monitor->safety.latency;
    const bool anew = !track->heard || message->received - *since > TRAIL_SECONDS;
    if (anew) {
        *since = message->received;
    }

    for (int32_t i = 0; i < message->count; ++i) {
        const int32_t at = source->values[i];
        const double velocity = message->velocities != NULL ? message->velocities[i] : (double)NAN;
        ValueTrail* trail = &monitor->trails[at];

        if (anew) {
            *trail = (ValueTrail){.from = message->positions[i]};
        } else {
            trail->peak = fmax(trail->peak, peak_speed(monitor, at, velocity, passed));
        }

        monitor->values[at] = message->positions[i];
        monitor->told[at] = velocity;
        monitor->speeds[at] = message->velocities != NULL && !monitor->def.fixed_buffers
                                  ? fabs(velocity)
                                  : monitor->limits[at].velocity;
    }
}

void berth_monitor_receive(BerthMonitor* monitor, const BerthMonitorMessage* message) {
    monitor->counters.messages += 1;
    if (message->source < 0 || message->source >= monitor->source_count || message->positions == NULL ||
        message->count != monitor->sources[message->source].value_count || !isfinite(message->received)) {
        monitor->counters.malformed += 1;
        return;
    }

    const MonitorSource* source = &monitor->sources[message->source];
    Track* track = &monitor->source_tracks[message->source];
    const FaultAt here = fault_at_source(message->source);
    if (!bi_track_admit(monitor, track, message->stream, message->sequence, message->received, here)) {
        return;
    }

    if (bi_clock_is_off(monitor, message->stamp, message->received)) {
        bi_monitor_fault(monitor, BERTH_STOP_SKEW, here);
        return;
    }

    if (!judge_values(monitor, source, message)) {
        track->heard = false;  // where it was is not known any more
        return;
    }

    take_values(monitor, source, message);
    bi_track_accept(monitor, track, message->stream, message->sequence, message->received);
}

// ---- objects ---------------------------------------------------------------------------------------------

static int32_t find_object(const BerthMonitor* monitor, BerthObjectId id) {
    for (int32_t i = 0; i < monitor->object_count; ++i) {
        if (monitor->objects[i].id.place == id.place && monitor->objects[i].id.age == id.age) {
            return i;
        }
    }
    return -1;
}

// A rotation up to BI_ROTATION_NEAR, made exact: shapes are measured in its axes.
static bool make_rotation_exact(const Pose* p, Pose* out) {
    const bool near = fabs(v3_length_sq(p->x) - 1.0) < BI_ROTATION_NEAR &&
                      fabs(v3_length_sq(p->y) - 1.0) < BI_ROTATION_NEAR &&
                      fabs(v3_dot(p->x, p->y)) < BI_ROTATION_NEAR &&
                      v3_length(v3_sub(v3_cross(p->x, p->y), p->z)) < BI_ROTATION_NEAR;
    if (!near || !v3_finite(p->t) || !(v3_length(p->t) < BI_COORDINATE_MAX)) {
        return false;
    }
    out->x = v3_unit_or(p->x, v3(1, 0, 0));
    out->y = v3_mad(p->y, -v3_dot(out->x, p->y), out->x);
    out->y = v3_unit_or(out->y, v3(0, 1, 0));
    out->z = v3_cross(out->x, out->y);
    out->t = p->t;
    return true;
}

// Every corner of its simple bodies, by no more than its speed allows.
static bool object_moved_as_it_can(const BerthMonitor* monitor, int32_t object, const Pose* pose,
                                   double received) {
    const double passed = received - monitor->object_tracks[object].received + monitor->safety.latency;
    const double most = monitor->objects[object].speed * passed + monitor->def.jump_slack;
    for (int32_t i = 0; i < monitor->simple_count; ++i) {
        const SimpleBody* simple = &monitor->simple_bodies[i];
        for (int32_t k = 0; simple->object == object && k < simple->point_count; ++k) {
            const Vec3 from = pose_apply(&monitor->object_pose[object], simple->points[k].centre);
            if (!(v3_distance(pose_apply(pose, simple->points[k].centre), from) <= most)) {
                return false;
            }
        }
    }
    return true;
}

void berth_monitor_receive_pose(BerthMonitor* monitor, const BerthMonitorPose* message) {
    monitor->counters.messages += 1;
    const int32_t at = find_object(monitor, message->object);
    if (at < 0 || !isfinite(message->received)) {
        monitor->counters.malformed += 1;
        return;
    }

    Track* track = &monitor->object_tracks[at];
    const FaultAt here = fault_at_body(monitor->objects[at].body);
    if (!bi_track_admit(monitor, track, message->stream, message->sequence, message->received, here)) {
        return;
    }

    Pose pose;
    BerthStop stop = BERTH_STOP_NONE;
    if (bi_clock_is_off(monitor, message->stamp, message->received)) {
        stop = BERTH_STOP_SKEW;
    } else if (!make_rotation_exact(&message->pose, &pose)) {
        stop = BERTH_STOP_VALUE;
    } else if (track->heard && !object_moved_as_it_can(monitor, at, &pose, message->received)) {
        stop = BERTH_STOP_JUMP;
    }

    if (stop != BERTH_STOP_NONE) {
        track->heard = false;
        bi_monitor_fault(monitor, stop, here);
        return;
    }

    monitor->object_pose[at] = pose;
    bi_track_accept(monitor, track, message->stream, message->sequence, message->received);
}
