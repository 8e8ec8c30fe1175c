// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Messages: the newest counts; old ones are counted and make nothing fresh; wrong ones stop
// (docs/reference/safety.md, rows 1 to 10).
// Entries: berth_monitor_receive, berth_monitor_receive_pose; berth_monitor_fault, berth_monitor_reset,
// berth_monitor_end. The functions bi_track_... are for clouds and choices too.

#include "math/math.h"
#include "monitor/monitor.h"

// The reported speed of a value is compared with its positions over windows of this many seconds: with the usual slack of 0.01
// radian, 0.04 radian a second more than is reported are found.
#define TRAIL_SECONDS 0.25

// How fast a value is seen to go is its mean speed over this many seconds or the latency, whichever is longer, and at most twice as
// many: long enough that messages which do not come evenly matter little, short enough that a lie is found within one braking.
#define SEEN_SECONDS 0.02

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

// Receipt less stamp of the quickest message so far, if its clock and this one have drifted apart as far as they may.
static double least_lag(const BerthMonitor* monitor, const Track* track, double received) {
    return track->least + monitor->def.clock_drift * fmax(received - track->judged, 0.0);
}

static bool clock_is_right(const BerthMonitor* monitor, const Track* track, const TrackClock* clock) {
    // A clock in common, where one is declared. No stamp is off, too.
    const double limit = monitor->def.skew_limit;
    const double lag = clock->received - clock->stamp;
    if (limit < (double)INFINITY && !(fabs(lag) <= limit)) {
        return false;
    }

    // Without stamps age counts from the receipt; but a sender that had them may not lose them.
    if (!isfinite(clock->stamp)) {
        return isnan(clock->stamp) && !track->stamped;
    }
    if (!track->stamped) {
        return true;
    }

    // It may stand or fall behind for a moment, and catch up with what it was at its quickest; it cannot be quicker than no delay
    // at all, and it never goes back.
    const double drifted = monitor->def.clock_drift * fmax(clock->received - track->anchored, 0.0);
    return clock->stamp >= track->stamp && lag >= track->floor - drifted &&
           lag - least_lag(monitor, track, clock->received) <= clock->silence;
}

bool bi_track_admit_clock(BerthMonitor* monitor, Track* track, const TrackClock* clock, FaultAt here) {
    const bool right = clock_is_right(monitor, track, clock);
    if (!right) {
        track->heard = false;  // how old it is is not known
        bi_monitor_fault(monitor, BERTH_STOP_SKEW, here);
    }
    return right;
}

// Keeps what later stamps are compared with, and how much older than its receipt this message is.
static void take_stamp(const BerthMonitor* monitor, Track* track, const TrackClock* clock) {
    track->behind = 0.0;
    track->echoed_behind = fmax(clock->echo_age - clock->latency, 0.0);  // no echo: 0
    if (!isfinite(clock->stamp)) {
        return;
    }

    const double lag = clock->received - clock->stamp;
    if (!track->stamped) {
        track->least = lag;
        track->floor = lag - clock->latency - clock->silence;
        track->anchored = clock->received;
    } else {
        track->least = fmin(lag, least_lag(monitor, track, clock->received));
        const double rounding = 4.0 * BI_ULP * (fabs(clock->stamp) + fabs(clock->received));
        track->behind = lag > track->least ? lag - track->least + rounding : 0.0;
    }

    track->stamped = true;
    track->stamp = clock->stamp;
    track->judged = clock->received;
}

// Which permit did the sender see last? It was made in a cycle of this monitor, so the sample is no older than that. One that was never
// sent, that is too long ago to be known, or that is missing where there was one, is a clock that is wrong.
static bool admit_echo(BerthMonitor* monitor, Track* track, const BerthMonitorMessage* message,
                       TrackClock* clock, FaultAt here) {
    if (message->echo == 0 && !track->echoes) {
        return true;
    }

    const bool known = message->echo > 0 && message->echo <= monitor->sequence &&
                       monitor->sequence - message->echo < PERMIT_TIMES;
    const double sent = known ? monitor->permit_time[message->echo % PERMIT_TIMES] : (double)NAN;
    const double age = message->received - sent;
    if (!isfinite(age)) {
        track->heard = false;  // how old it is is not known
        bi_monitor_fault(monitor, BERTH_STOP_SKEW, here);
        return false;
    }
    clock->echo_age = fmax(age, 0.0) + 2.0 * BI_ULP * fabs(message->received);
    track->echoes = true;
    return true;
}

void bi_track_accept(BerthMonitor* monitor, Track* track, uint64_t stream, uint64_t sequence,
                     const TrackClock* clock) {
    take_stamp(monitor, track, clock);
    monitor->counters.unstamped += isnan(clock->stamp) && isnan(clock->echo_age);

    track->heard = track->known = true;
    track->stream = stream;
    track->sequence = sequence;
    track->received = clock->received;
    track->good += track->good < INT32_MAX;
    monitor->counters.good += 1;
}

void bi_track_restart(Track* track, uint64_t stream, uint64_t sequence) {
    track->heard = false;
    track->stamped = track->stamped && stream == track->stream;
    track->echoes = track->echoes && stream == track->stream;
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

double bi_track_age(const Track* track, double now) {
    const double age = now - track->received;
    // Both times were rounded when they became numbers.
    const double behind = fmax(track->behind, track->echoed_behind);
    return age >= 0.0 ? age + behind + 2.0 * BI_ULP * fabs(now) : (double)NAN;
}

// At most so many seconds lie between the last sample and one that is received now: either may have been under way for up to
// `latency`, and the last one was perhaps behind.
static double most_passed(const BerthMonitor* monitor, const Track* track, double received) {
    return received - track->received + track->behind + monitor->safety.latency;
}

// ---- joints ----------------------------------------------------------------------------------------------

// How far a value came; one that turns round and round may have been counted anew from the other side.
static double moved_by(const MonitorValue* limit, double from, double to) {
    const double by = to - from;
    return fabs(limit->wraps ? by - full_turn * rint(by / full_turn) : by);
}

// What a value may seem to have moved though it did not.
static double slack_of(const BerthMonitor* monitor) {
    return monitor->def.jump_slack + 2.0 * (monitor->def.tracking_error + monitor->safety.noise);
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
    // No further than the buffers of the last sample allow: from its speed on as fast as it can.
    const double passed = most_passed(monitor, track, received);
    const double rising = (monitor->speeds[at] + 0.5 * limit->acceleration * passed) * passed;
    const double most = fmin(limit->velocity * passed, rising) + slack_of(monitor);
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

// Seconds from the last sample to this one, by their receipts or their stamps, whichever is more.
static double seconds_between(const Track* track, const BerthMonitorMessage* message) {
    const double by_receipt = fmax(message->received - track->received, 0.0);
    return track->stamped ? fmax(by_receipt, message->stamp - track->stamp) : by_receipt;
}

/// What a value can have done between two samples if what both tell of its speed is true.
typedef struct Excursion {
    double peak, way;  // the largest speed, and how far
} Excursion;

// Faster from the one speed on, and down to the other. What is not reported may have been the largest.
static Excursion excursion_of(const BerthMonitor* monitor, int32_t at, double velocity, double seconds) {
    const MonitorValue* limit = &monitor->limits[at];
    if (!isfinite(monitor->told[at]) || !isfinite(velocity) || !(limit->acceleration < (double)INFINITY)) {
        return (Excursion){limit->velocity, limit->velocity * seconds};
    }
    const double before = fabs(monitor->told[at]), after = fabs(velocity);
    const double rise = limit->acceleration * seconds, fall = limit->deceleration * seconds;
    const double peak = fmax(fmax(before, after), fmin(before + rise, after + fall));
    const double mean = fmax(0.5 * (before + after), fmin(before + 0.5 * rise, after + 0.5 * fall));
    return (Excursion){fmin(limit->velocity, peak), fmin(limit->velocity, mean) * seconds};
}

// Does a value go as it says? A sender whose velocities are always 0 would make the buffers too small. The first and the last sample
// may have been under way for up to `latency`.
static BerthStop judge_trail(const BerthMonitor* monitor, const BerthMonitorMessage* message, int32_t at,
                             double position, double velocity) {
    const Track* track = &monitor->source_tracks[message->source];
    const MonitorValue* limit = &monitor->limits[at];
    if (!track->heard || limit->velocity == 0.0) {
        return BERTH_STOP_NONE;
    }
    const Excursion now = excursion_of(monitor, at, velocity, seconds_between(track, message));
    const double peak = fmax(monitor->trails[at].peak, now.peak);
    const double most =
        monitor->trails[at].way + now.way + peak * monitor->safety.latency + slack_of(monitor);
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

// Orientations of floating bases that this message reports: by no more than they can turn.
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
        const double most =
            f->velocity * most_passed(monitor, track, message->received) + monitor->def.jump_slack;

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
            stop = judge_trail(monitor, message, at, message->positions[i], velocity);
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

// Seconds that a source's values are looked back: by its receipts or its stamps, whichever is less.
static double seconds_looked_back(const SourceTrail* trail, const BerthMonitorMessage* message) {
    const double by_receipt = message->received - trail->older;
    const double by_stamp = message->stamp - trail->older_stamp;
    return by_stamp > 0.0 ? fmin(by_receipt, by_stamp) : by_receipt;
}

// How fast a value is seen to go, with sign: what it moved beyond what its sensor may be off, at most as fast as it can.
static double seen_speed(const BerthMonitor* monitor, int32_t at, double position, double seconds) {
    const MonitorValue* limit = &monitor->limits[at];
    const double from = monitor->trails[at].older;
    const double moved =
        moved_by(limit, from, position) - 2.0 * (monitor->def.tracking_error + monitor->safety.noise);
    if (!(moved > 0.0)) {
        return 0.0;
    }

    const double by = position - from;
    const double shortest = limit->wraps ? by - full_turn * rint(by / full_turn) : by;
    const double speed = seconds > 0.0 ? fmin(moved / seconds, limit->velocity) : limit->velocity;
    return copysign(speed, shortest);
}

/// Spans of time that end with the message at hand, and where its source's history has what was reported at their beginnings.
typedef struct SpeedWindows {
    int32_t slot[WINDOWS];
    double per_second[WINDOWS], half[WINDOWS];
    int32_t count;
} SpeedWindows;

// Back by 1, 2, 4, ... messages: the least over these is at most a few percent above that over all.
static SpeedWindows windows_of(const BerthMonitor* monitor, const BerthMonitorMessage* message) {
    const SourceHistory* history = &monitor->histories[message->source];
    SpeedWindows windows = {.count = 0};
    for (int k = 0; k < WINDOWS; ++k) {
        const int32_t back = (1 << k < HISTORY ? 1 << k : HISTORY) - 1;
        if (back >= history->count) {
            break;
        }

        // By receipts or by stamps: the shorter time makes a value faster, the longer one lets it gain more speed.
        const int32_t slot = (history->at + HISTORY - back) % HISTORY;
        const double by_receipt = message->received - history->received[slot];
        const double by_stamp = message->stamp - history->stamp[slot];
        const double rounding = 4.0 * BI_ULP * fabs(message->received);
        const double least = (by_stamp > 0.0 ? fmin(by_receipt, by_stamp) : by_receipt) - rounding;
        if (least > 0.0) {
            windows.slot[windows.count] = slot;
            windows.per_second[windows.count] = 1.0 / least;
            windows.half[windows.count++] = 0.5 * (fmax(by_receipt, by_stamp) + rounding);
        }
    }
    return windows;
}

// No less than the speed that a value has now: its mean over a span, noise counted, and what it can have gained since the middle of it.
// A joint that turned round within the span may have braked harder than it can speed up; then it has no more than all that it can gain
// in the span. 0 where there is no span yet.
static double observed_speed(const BerthMonitor* monitor, const SpeedWindows* windows, int32_t at,
                             double position) {
    const MonitorValue* limit = &monitor->limits[at];
    const double* history = monitor->history + (size_t)at * HISTORY;
    const double noise = 2.0 * monitor->safety.noise;
    const double gain = limit->acceleration, any = fmax(gain, limit->deceleration);
    double least = limit->velocity;
    for (int32_t k = 0; k < windows->count; ++k) {
        const double mean =
            (moved_by(limit, history[windows->slot[k]], position) + noise) * windows->per_second[k];
        const double half = windows->half[k];
        const double one_way = fmax(mean + gain * half, 2.0 * gain * half);
        least = fmin(least, fmin(one_way, mean + any * half) * BI_MONITOR_GROWN);
    }
    return windows->count > 0 ? least : 0.0;
}

// Buffers are made for the larger of the reported and the observed speed of a value (docs/reference/safety.md, rows 7 and
// 10).
static void take_speed(BerthMonitor* monitor, int32_t at, double told, double seen, double observed) {
    const bool is_told = isfinite(told);
    monitor->told[at] = told;
    monitor->seen[at] = seen;
    monitor->taken[at] = is_told && fabs(seen) > fabs(told) ? seen : told;
    monitor->speeds[at] =
        is_told && !monitor->def.fixed_buffers ? fmax(fabs(told), observed) : monitor->limits[at].velocity;
}

// Keeps where the values are now, but of a burst of messages only one: the history is to reach back for a while.
static void keep_history(BerthMonitor* monitor, const MonitorSource* source,
                         const BerthMonitorMessage* message) {
    SourceHistory* history = &monitor->histories[message->source];
    if (!monitor->source_tracks[message->source].heard) {
        history->count = 0;
    }
    if (history->count > 0 &&
        !(message->received - history->received[history->at] >= 0.5 * monitor->safety.period)) {
        return;
    }

    history->at = (history->at + 1) % HISTORY;
    history->count += history->count < HISTORY;
    history->received[history->at] = message->received;
    history->stamp[history->at] = message->stamp;
    for (int32_t i = 0; i < message->count; ++i) {
        monitor->history[(size_t)source->values[i] * HISTORY + (size_t)history->at] = message->positions[i];
    }
}

// The moments of the trails after this message. `*anew`: all values begin theirs; `*step`: they move on by one moment.
static void advance_source_trail(const BerthMonitor* monitor, const BerthMonitorMessage* message, bool* anew,
                                 bool* step) {
    const Track* track = &monitor->source_tracks[message->source];
    SourceTrail* trail = &monitor->source_trails[message->source];
    *anew = !track->heard || message->received - trail->since > TRAIL_SECONDS;
    *step = !track->heard || message->received - trail->newer >= fmax(SEEN_SECONDS, monitor->safety.latency);

    if (*anew) {
        trail->since = message->received;
    }
    if (*step) {
        trail->older = track->heard ? trail->newer : message->received;
        trail->older_stamp = track->heard ? trail->newer_stamp : message->stamp;
        trail->newer = message->received;
        trail->newer_stamp = message->stamp;
    }
}

static void take_values(BerthMonitor* monitor, const MonitorSource* source,
                        const BerthMonitorMessage* message) {
    const Track* track = &monitor->source_tracks[message->source];
    const double passed = seconds_between(track, message);
    const double back = seconds_looked_back(&monitor->source_trails[message->source], message);
    const SpeedWindows windows = track->heard ? windows_of(monitor, message) : (SpeedWindows){.count = 0};
    bool anew = false;
    bool step = false;
    advance_source_trail(monitor, message, &anew, &step);

    for (int32_t i = 0; i < message->count; ++i) {
        const int32_t at = source->values[i];
        const double position = message->positions[i];
        const double velocity = message->velocities != NULL ? message->velocities[i] : (double)NAN;
        ValueTrail* trail = &monitor->trails[at];
        const Excursion excursion = excursion_of(monitor, at, velocity, passed);

        take_speed(monitor, at, velocity, track->heard ? seen_speed(monitor, at, position, back) : 0.0,
                   observed_speed(monitor, &windows, at, position));
        trail->peak = anew ? 0.0 : fmax(trail->peak, excursion.peak);
        trail->way = anew ? 0.0 : trail->way + excursion.way;
        trail->from = anew ? position : trail->from;
        if (step) {
            trail->older = track->heard ? trail->newer : position;
            trail->newer = position;
        }

        monitor->values[at] = position;
    }
    keep_history(monitor, source, message);
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

    TrackClock clock = track_clock(monitor, message->stamp, message->received);
    if (!bi_track_admit_clock(monitor, track, &clock, here) ||
        !admit_echo(monitor, track, message, &clock, here)) {
        return;
    }

    if (!judge_values(monitor, source, message)) {
        track->heard = false;  // where it was is not known any more
        return;
    }

    take_values(monitor, source, message);
    bi_track_accept(monitor, track, message->stream, message->sequence, &clock);
}

// ---- objects ---------------------------------------------------------------------------------------------

static int32_t find_object(const BerthMonitor* monitor, BerthObjectId id) {
    for (int32_t i = 0; i < monitor->object_count; ++i) {
        if (monitor->objects[i].id.slot == id.slot && monitor->objects[i].id.age == id.age) {
            return i;
        }
    }
    return -1;
}

bool bi_monitor_make_rotation_exact(const Pose* p, Pose* out) {
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
    const double passed = most_passed(monitor, &monitor->object_tracks[object], received);
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

    const TrackClock clock = track_clock(monitor, message->stamp, message->received);
    if (!bi_track_admit_clock(monitor, track, &clock, here)) {
        return;
    }

    Pose pose;
    BerthStop stop = BERTH_STOP_NONE;
    if (!bi_monitor_make_rotation_exact(&message->pose, &pose)) {
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
    bi_track_accept(monitor, track, message->stream, message->sequence, &clock);
}
