// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Points that a sensor sees. A cloud comes in parts; it counts when all of them have been received, and is as
// old as its first part. Then its points are sorted into the cells of a grid, and a simple body looks at the
// cells that it can reach: turning a coordinate into a cell is monotone, so no point within a box is in a
// cell outside the box's cells.
// Entries: berth_monitor_receive_points; bi_monitor_cloud_nearest, bi_monitor_cloud_required.

#include <string.h>

#include "math/math.h"
#include "monitor/monitor.h"
#include "shape/gap.h"

// ---- the grid --------------------------------------------------------------------------------------------

static int32_t cell_on(const CloudNow* now, int32_t cells, int axis, double x) {
    const double cell = floor((x - v3_at(now->low, axis)) * now->per_cell[axis]);
    if (!(cell >= 0.0)) {
        return 0;
    }
    return cell < (double)cells ? (int32_t)cell : cells - 1;
}

static int32_t cell_of(const CloudNow* now, int32_t cells, Vec3 p) {
    return (cell_on(now, cells, 0, p.x) * cells + cell_on(now, cells, 1, p.y)) * cells +
           cell_on(now, cells, 2, p.z);
}

// Counting sort: first how many a cell has, then where each cell begins, then the points.
static void sort_points(const MonitorCloud* cloud, CloudNow* now) {
    const int32_t cells = cloud->cells;
    const int32_t count = now->coming_total;
    Vec3 low = count > 0 ? now->coming[0] : v3(0, 0, 0);
    Vec3 high = low;

    for (int32_t i = 1; i < count; ++i) {
        low = v3_min(low, now->coming[i]);
        high = v3_max(high, now->coming[i]);
    }

    now->low = low;
    for (int axis = 0; axis < 3; ++axis) {
        const double wide = v3_at(high, axis) - v3_at(low, axis);
        now->per_cell[axis] = wide > 0.0 ? cells / wide : 0.0;  // an infinite one is monotone, too
    }

    const int32_t total = cells * cells * cells;
    memset(now->first, 0, ((size_t)total + 1) * sizeof *now->first);
    for (int32_t i = 0; i < count; ++i) {
        now->first[cell_of(now, cells, now->coming[i]) + 1] += 1;
    }
    for (int32_t i = 0; i < total; ++i) {
        now->first[i + 1] += now->first[i];
    }

    // Each cell's beginning runs on to its end, which is the beginning of the next: one step back afterwards.
    for (int32_t i = 0; i < count; ++i) {
        now->points[now->first[cell_of(now, cells, now->coming[i])]++] = now->coming[i];
    }

    memmove(now->first + 1, now->first, (size_t)total * sizeof *now->first);
    now->first[0] = 0;
    now->count = count;
}

// ---- messages --------------------------------------------------------------------------------------------

static void fault_cloud(BerthMonitor* monitor, int32_t cloud, BerthStop stop) {
    monitor->cloud_tracks[cloud].heard = false;
    monitor->clouds_now[cloud].is_coming = false;
    bi_monitor_fault(monitor, stop, fault_at_cloud(cloud));
}

static bool points_are_numbers(const BerthMonitorPoints* message) {
    for (int32_t i = 0; i < message->count; ++i) {
        const Vec3 p = v3_abs(message->points[i]);
        if (!(p.x <= BI_COORDINATE_MAX && p.y <= BI_COORDINATE_MAX && p.z <= BI_COORDINATE_MAX)) {
            return false;
        }
    }
    return true;
}

static void begin_cloud(BerthMonitor* monitor, const MonitorCloud* cloud, CloudNow* now,
                        const BerthMonitorPoints* message) {
    monitor->counters.incomplete += now->is_coming;
    now->is_coming = true;
    now->coming_stream = message->stream;
    now->coming_sequence = message->sequence;
    now->coming_stamp = message->stamp;
    now->coming_received = message->received;
    now->coming_total = message->total;
    now->coming_alive = message->alive;
    now->coming_count = 0;
    memset(now->came, 0, ((size_t)cloud->capacity + 63) / 64 * sizeof *now->came);
}

// Another part of the cloud that is coming, or the first of a newer one. False when it is neither.
static bool join_or_begin_cloud(BerthMonitor* monitor, const MonitorCloud* cloud, CloudNow* now,
                                const BerthMonitorPoints* message) {
    if (!now->is_coming || message->stream != now->coming_stream ||
        message->sequence > now->coming_sequence) {
        begin_cloud(monitor, cloud, now, message);
        return true;
    }
    return message->sequence == now->coming_sequence && message->total == now->coming_total &&
           message->alive == now->coming_alive && is_same_stamp(message->stamp, now->coming_stamp) &&
           message->received >= now->coming_received;
}

// False when one of them is there already.
static bool take_points(CloudNow* now, const BerthMonitorPoints* message) {
    for (int32_t i = 0; i < message->count; ++i) {
        const int32_t at = message->first + i;
        if ((now->came[at / 64] >> (at % 64) & 1) != 0) {
            return false;
        }
    }
    for (int32_t i = 0; i < message->count; ++i) {
        const int32_t at = message->first + i;
        now->came[at / 64] |= (uint64_t)1 << (at % 64);
        now->coming[at] = message->points[i];
    }
    now->coming_count += message->count;
    return true;
}

static bool is_well_formed(const BerthMonitor* monitor, const BerthMonitorPoints* message) {
    return message->cloud >= 0 && message->cloud < monitor->cloud_count &&
           !monitor->clouds[message->cloud].is_map && isfinite(message->received) && message->count >= 0 &&
           message->total >= 0 && message->first >= 0 && message->count <= message->total &&
           message->first <= message->total - message->count &&
           (message->count == 0 || message->points != NULL);
}

// What is wrong with the message itself, before it is looked whether it is new.
static BerthStop judge_points(const BerthMonitor* monitor, const BerthMonitorPoints* message) {
    if (message->total > monitor->clouds[message->cloud].capacity) {
        return BERTH_STOP_OBJECT;  // what does not fit would be missing
    }
    if (message->total == 0 && !message->alive) {
        return BERTH_STOP_OBJECT;  // a covered lens sees nothing, too
    }
    return points_are_numbers(message) ? BERTH_STOP_NONE : BERTH_STOP_VALUE;
}

// All of it came: is it new by its sender's clock, too? It is as old as its first part.
static void accept_cloud(BerthMonitor* monitor, int32_t at) {
    const MonitorCloud* cloud = &monitor->clouds[at];
    CloudNow* now = &monitor->clouds_now[at];
    Track* track = &monitor->cloud_tracks[at];
    const TrackClock clock = {now->coming_stamp, now->coming_received, cloud->latency, cloud->silence,
                              (double)NAN};
    if (!bi_track_admit_clock(monitor, track, &clock, fault_at_cloud(at))) {
        return;
    }

    sort_points(cloud, now);
    monitor->counters.clouds += 1;
    bi_track_accept(monitor, track, now->coming_stream, now->coming_sequence, &clock);
}

void berth_monitor_receive_points(BerthMonitor* monitor, const BerthMonitorPoints* message) {
    monitor->counters.messages += 1;
    if (!is_well_formed(monitor, message)) {
        monitor->counters.malformed += 1;
        return;
    }

    const MonitorCloud* cloud = &monitor->clouds[message->cloud];
    CloudNow* now = &monitor->clouds_now[message->cloud];
    Track* track = &monitor->cloud_tracks[message->cloud];
    const TrackOrder order =
        bi_track_order(monitor, track, message->stream, message->sequence, message->received);
    if (order == ORDER_OLD) {
        monitor->counters.stale += 1;
        return;
    }
    if (order == ORDER_WRONG) {
        bi_track_restart(track, message->stream, message->sequence);
        fault_cloud(monitor, message->cloud, BERTH_STOP_SEQUENCE);
        return;
    }

    const BerthStop stop = judge_points(monitor, message);
    if (stop != BERTH_STOP_NONE) {
        monitor->counters.overflows += message->total > cloud->capacity;
        fault_cloud(monitor, message->cloud, stop);
        return;
    }

    if (!join_or_begin_cloud(monitor, cloud, now, message) || !take_points(now, message)) {
        monitor->counters.stale += 1;
        return;
    }

    if (now->coming_count == now->coming_total) {
        now->is_coming = false;
        accept_cloud(monitor, message->cloud);
    }
}

// ---- distances -------------------------------------------------------------------------------------------

double bi_monitor_cloud_unchanged(const BerthMonitor* monitor, const SimpleBody* simple) {
    return monitor->safety.margin + monitor->def.model_error + monitor->scene->bodies[simple->body].padding;
}

double bi_monitor_cloud_required(const BerthMonitor* monitor, const Buffers* buffers,
                                 const SimpleBody* simple, int32_t cloud) {
    return monitor_required(bi_monitor_cloud_unchanged(monitor, simple),
                            bi_simple_body_reach(buffers, simple) + buffers->cloud_reach[cloud]);
}

/// The box of a simple body, larger by what there must be and the radius of a point, and its cells.
typedef struct SearchBox {
    Vec3 low, high;
    int32_t first[3], last[3];
    Vec3 body_low, body_high;  ///< without them
    double slack;              ///< metres that rounding may make of a distance here, at most
} SearchBox;

static SearchBox box_around(const MonitorCloud* cloud, const CloudNow* now, const SimpleBody* simple,
                            const Pose* pose, double required) {
    SearchBox out;
    bi_shape_bounds(&simple->shape, pose, &out.low, &out.high);
    const Vec3 far = v3_max(v3_abs(out.low), v3_abs(out.high));
    const double grow = required + cloud->radius;
    out.slack = BI_DISTANCE_SLACK * (far.x + far.y + far.z + grow);
    out.body_low = out.low;
    out.body_high = out.high;
    const double by = grow + out.slack;
    out.low = v3_sub(out.low, v3(by, by, by));
    out.high = v3_add(out.high, v3(by, by, by));
    for (int axis = 0; axis < 3; ++axis) {
        out.first[axis] = cell_on(now, cloud->cells, axis, v3_at(out.low, axis));
        out.last[axis] = cell_on(now, cloud->cells, axis, v3_at(out.high, axis));
    }
    return out;
}

static bool is_outside(const SearchBox* box, Vec3 p) {
    return p.x < box->low.x || p.x > box->high.x || p.y < box->low.y || p.y > box->high.y ||
           p.z < box->low.z || p.z > box->high.z;
}

// Metres, squared, that a point is away from a capsule's axis, or from the box around another body: much cheaper than its gap, and no
// more than that and `*around` together.
static double near_distance_sq(const BerthShape* shape, const Pose* pose, const SearchBox* box, Vec3 p,
                               double* around) {
    if (shape->kind == BERTH_CAPSULE) {
        const double half = 0.5 * shape->as.capsule.length;
        const Vec3 away = v3_sub(p, pose->t);
        const double along = fmin(fmax(v3_dot(away, pose->z), -half), half);
        *around = shape->as.capsule.radius;
        return v3_length_sq(v3_mad(away, -along, pose->z));
    }
    *around = 0.0;
    const Vec3 beyond = v3_max(v3_sub(box->body_low, p), v3_sub(p, box->body_high));
    return v3_length_sq(v3_max(beyond, v3(0, 0, 0)));
}

// Points of a row of cells, which lie one behind the other.
static bool nearest_in_row(BerthMonitor* monitor, int32_t simple_at, int32_t cloud_at, const SearchBox* box,
                           int32_t from, int32_t to, CloudNearest* out) {
    const MonitorCloud* cloud = &monitor->clouds[cloud_at];
    const CloudNow* now = &monitor->clouds_now[cloud_at];
    const BerthShape* shape = &monitor->simple_bodies[simple_at].shape;
    const Pose* pose = &monitor->simple_pose[simple_at];
    const BerthShape ball = {.kind = BERTH_SPHERE, .as.sphere.radius = cloud->radius};

    for (int32_t i = now->first[from]; i < now->first[to + 1]; ++i) {
        if (is_outside(box, now->points[i])) {
            continue;
        }

        // One that cannot be nearer than the nearest so far. NaN goes on.
        monitor->counters.points += 1;
        double around = 0.0;
        const double away_sq = near_distance_sq(shape, pose, box, now->points[i], &around);
        const double most = fmax(out->gap.lower + cloud->radius + around, 0.0) + box->slack;
        if (out->point >= 0 && away_sq > most * most * BI_MONITOR_GROWN) {
            continue;
        }

        Pose at = pose_identity();
        at.t = now->points[i];
        const BerthGap gap = berth_shape_gap(shape, pose, &ball, &at);

        if (!isfinite(gap.lower)) {
            return false;
        }

        if (out->point < 0 || gap.lower < out->gap.lower) {
            out->point = i;
            out->gap = gap;
        }
    }
    return true;
}

bool bi_monitor_cloud_nearest(BerthMonitor* monitor, int32_t simple_at, int32_t cloud_at, double wanted,
                              CloudNearest* out) {
    const SimpleBody* simple = &monitor->simple_bodies[simple_at];
    const MonitorCloud* cloud = &monitor->clouds[cloud_at];
    const CloudNow* now = &monitor->clouds_now[cloud_at];
    *out = (CloudNearest){.point = -1};

    if (!(wanted < BI_COORDINATE_MAX)) {
        return false;
    }
    if (cloud->is_map) {
        return bi_monitor_map_nearest(monitor, simple_at, cloud_at, wanted, out);
    }

    const SearchBox box = box_around(cloud, now, simple, &monitor->simple_pose[simple_at], wanted);
    for (int32_t x = box.first[0]; x <= box.last[0]; ++x) {
        for (int32_t y = box.first[1]; y <= box.last[1]; ++y) {
            const int32_t row = (x * cloud->cells + y) * cloud->cells;
            if (!nearest_in_row(monitor, simple_at, cloud_at, &box, row + box.first[2], row + box.last[2],
                                out)) {
                return false;
            }
        }
    }
    return true;
}
