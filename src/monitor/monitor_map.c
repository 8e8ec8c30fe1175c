// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps that change while the guard runs. A whole map is built beside the cells in force, and replaces them
// when its last part has been received; changes are kept until all of them have been received, and are
// applied at once: a cycle sees the map of one update, never half of one. Changes that rest on an update that
// was not received are dropped, so that the map keeps the age of its contents. The work between two cycles is
// bounded by the cells that may be set, that of a cycle by the nodes that may be opened.
// Entries: berth_monitor_receive_cells; bi_monitor_map_nearest, bi_monitor_begin_maps.

#include <string.h>

#include "math/math.h"
#include "monitor/monitor.h"

enum { NODES_DEFAULT = 50000 };

// What was received is not accepted any more: only a whole can say what is there.
static void fault_map(BerthMonitor* monitor, int32_t cloud, BerthStop stop) {
    MapNow* map = monitor->clouds_now[cloud].map;
    map->known = map->whole.is_coming = map->changes.is_coming = false;
    monitor->cloud_tracks[cloud].heard = false;
    bi_monitor_fault(monitor, stop, fault_at_cloud(cloud));
}

void bi_monitor_begin_maps(BerthMonitor* monitor) {
    for (int32_t i = 0; i < monitor->cloud_count; ++i) {
        const MonitorCloud* cloud = &monitor->clouds[i];
        if (cloud->is_map) {
            MapNow* map = monitor->clouds_now[i].map;
            map->cells_left = 2 * (int64_t)cloud->capacity;
            map->may_begin = true;
            map->nodes_left = cloud->grid.nodes > 0 ? cloud->grid.nodes : NODES_DEFAULT;
        }
    }
}

// ---- messages --------------------------------------------------------------------------------------------

static bool is_well_formed(const BerthMonitor* monitor, const BerthMonitorCells* message) {
    return message->cloud >= 0 && message->cloud < monitor->cloud_count &&
           monitor->clouds[message->cloud].is_map && isfinite(message->received) && message->count >= 0 &&
           message->parts >= 1 && message->parts <= UPDATE_PARTS_MAX && message->part >= 0 &&
           message->part < message->parts && (message->count == 0 || message->runs != NULL) &&
           (message->whole || message->since < message->sequence);
}

// Runs lie within the map and have colours. Adds up their cells.
static bool count_cells(const MonitorCloud* cloud, const BerthMonitorCells* message, int64_t* cells) {
    const int32_t* size = cloud->grid.size;
    const int64_t all = (int64_t)size[0] * size[1] * size[2];
    *cells = 0;

    for (int32_t i = 0; i < message->count; ++i) {
        const BerthCellRun* run = &message->runs[i];
        if (run->count == 0 || (int64_t)run->first + run->count > all || (int)run->colour < 0 ||
            run->colour >= BERTH_CELL_COLOUR_COUNT) {
            return false;
        }
        *cells += run->count;
    }
    return !message->whole || message->rest == BERTH_CELL_FREE || message->rest == BERTH_CELL_UNKNOWN;
}

static bool is_obstacle(const MonitorCloud* cloud, BerthCellColour colour) {
    return colour == BERTH_CELL_OCCUPIED || (colour == BERTH_CELL_UNKNOWN && !cloud->grid.unknown_is_free);
}

static void set_runs(BerthMonitor* monitor, const MonitorCloud* cloud, LiveCells* cells,
                     const BerthCellRun* runs, int32_t count, bool obstacle) {
    for (int32_t i = 0; i < count; ++i) {
        if (is_obstacle(cloud, runs[i].colour) == obstacle) {
            bi_live_cells_set(cells, runs[i].first, runs[i].count, obstacle);
            monitor->counters.cells += runs[i].count;
        }
    }
}

static bool is_kept(const uint64_t* kept, uint32_t cell) {
    return (kept[cell / 64] >> (cell % 64) & 1) != 0;
}

// Frees what the runs of a whole free, but for cells that any of its parts, before or after, name an obstacle.
static void free_runs(BerthMonitor* monitor, const MonitorCloud* cloud, MapNow* map,
                      const BerthMonitorCells* message) {
    for (int32_t i = 0; i < message->count; ++i) {
        const BerthCellRun* run = &message->runs[i];
        const uint32_t end = run->first + run->count;
        if (is_obstacle(cloud, run->colour)) {
            for (uint32_t cell = run->first; cell < end; ++cell) {
                map->kept[cell / 64] |= (uint64_t)1 << (cell % 64);
            }
            bi_live_cells_set(&map->next, run->first, run->count, true);
            continue;
        }

        uint32_t next = run->first;
        while (next < end) {
            const uint32_t first = next;
            while (next < end && !is_kept(map->kept, next)) {
                ++next;
            }
            bi_live_cells_set(&map->next, first, next - first, false);
            next += next < end;
        }
        monitor->counters.cells += run->count;
    }
}

static void begin_update(BerthMonitor* monitor, const BerthMonitorCells* message, UpdateNow* now) {
    monitor->counters.incomplete += now->is_coming;
    uint64_t* const came = now->came;
    *now = (UpdateNow){.is_coming = true,
                       .alive = message->alive,
                       .stream = message->stream,
                       .sequence = message->sequence,
                       .since = message->since,
                       .rest = message->rest,
                       .stamp = message->stamp,
                       .received = message->received,
                       .parts = message->parts,
                       .came = came};
    memset(came, 0, ((size_t)message->parts + 63) / 64 * sizeof *came);
}

static bool is_of_update(const BerthMonitorCells* message, const UpdateNow* now) {
    return message->sequence == now->sequence && message->parts == now->parts &&
           message->alive == now->alive && is_same_stamp(message->stamp, now->stamp) &&
           message->received >= now->received && message->since == now->since && message->rest == now->rest;
}

/// What becomes of a part.
typedef enum PartFate { PART_TAKEN, PART_STALE, PART_BEGINS } PartFate;

static PartFate fate_of(const BerthMonitorCells* message, const UpdateNow* now) {
    if (!now->is_coming || message->stream != now->stream || message->sequence > now->sequence) {
        return PART_BEGINS;
    }
    const bool came = (now->came[message->part / 64] >> (message->part % 64) & 1) != 0;
    return is_of_update(message, now) && !came ? PART_TAKEN : PART_STALE;
}

// All of it is there: is it new by its sender's clock, too? It is as old as its first part. Nothing that was told is no answer unless
// the sensor lives.
static bool admit_update(BerthMonitor* monitor, int32_t at, const UpdateNow* now, TrackClock* clock) {
    const MonitorCloud* cloud = &monitor->clouds[at];
    *clock = (TrackClock){now->stamp, now->received, cloud->latency, cloud->silence, (double)NAN};
    if (now->named == 0 && !now->alive) {
        fault_map(monitor, at, BERTH_STOP_OBJECT);
        return false;
    }
    if (!bi_track_admit_clock(monitor, &monitor->cloud_tracks[at], clock, fault_at_cloud(at))) {
        monitor->clouds_now[at].map->known = false;
        return false;
    }
    return true;
}

static void accept_update(BerthMonitor* monitor, int32_t at, const UpdateNow* now, const TrackClock* clock) {
    MapNow* map = monitor->clouds_now[at].map;
    map->known = true;
    map->stream = now->stream;
    map->sequence = now->sequence;
    monitor->counters.clouds += 1;
    bi_track_accept(monitor, &monitor->cloud_tracks[at], now->stream, now->sequence, clock);
}

// Parts of a whole go into the cells beside those in force, as they come.
static void take_whole(BerthMonitor* monitor, const BerthMonitorCells* message, int64_t cells) {
    const MonitorCloud* cloud = &monitor->clouds[message->cloud];
    MapNow* map = monitor->clouds_now[message->cloud].map;
    UpdateNow* now = &map->whole;
    const bool rest = is_obstacle(cloud, message->rest);

    const PartFate fate = fate_of(message, now);
    if (fate == PART_STALE) {
        monitor->counters.stale += 1;
        return;
    }
    if (fate == PART_BEGINS && !map->may_begin) {
        monitor->counters.incomplete += 1;
        return;
    }
    if (fate == PART_BEGINS) {
        map->may_begin = false;
        begin_update(monitor, message, now);
        bi_live_cells_copy(&map->next, rest ? map->full : NULL);
        if (rest) {
            memset(map->kept, 0, kept_words(cloud->grid.size) * sizeof *map->kept);
        }
    }

    // A cell that is named twice stays an obstacle here, too.
    if (rest) {
        free_runs(monitor, cloud, map, message);
    } else {
        set_runs(monitor, cloud, &map->next, message->runs, message->count, true);
    }
    now->came[message->part / 64] |= (uint64_t)1 << (message->part % 64);
    now->part_count += 1;
    now->named += cells;
    if (now->part_count < now->parts) {
        return;
    }

    TrackClock clock;
    now->is_coming = false;
    now->named += rest;  // unknown is an answer, too
    if (admit_update(monitor, message->cloud, now, &clock)) {
        const LiveCells made = map->next;
        map->next = map->cells;
        map->cells = made;
        accept_update(monitor, message->cloud, now, &clock);
    }
}

// Changes wait until all of them came; then what became free goes first, so that a cell that is named twice stays an obstacle.
static void take_changes(BerthMonitor* monitor, const BerthMonitorCells* message, int64_t cells) {
    const MonitorCloud* cloud = &monitor->clouds[message->cloud];
    MapNow* map = monitor->clouds_now[message->cloud].map;
    UpdateNow* now = &map->changes;

    const PartFate fate = fate_of(message, now);
    if (fate == PART_STALE) {
        monitor->counters.stale += 1;
        return;
    }
    if (fate == PART_BEGINS) {
        begin_update(monitor, message, now);
        map->run_count = 0;
    }
    if (now->named + cells > cloud->capacity) {
        monitor->counters.overflows += 1;
        fault_map(monitor, message->cloud, BERTH_STOP_OBJECT);
        return;
    }

    for (int32_t i = 0; i < message->count; ++i) {
        map->runs[map->run_count++] = message->runs[i];  // no more runs than cells, so there is room
    }
    now->came[message->part / 64] |= (uint64_t)1 << (message->part % 64);
    now->part_count += 1;
    now->named += cells;
    if (now->part_count < now->parts) {
        return;
    }

    now->is_coming = false;
    if (now->named > map->cells_left) {
        monitor->counters.incomplete += 1;
        return;
    }

    TrackClock clock;
    map->cells_left -= now->named;
    if (admit_update(monitor, message->cloud, now, &clock)) {
        set_runs(monitor, cloud, &map->cells, map->runs, map->run_count, false);
        set_runs(monitor, cloud, &map->cells, map->runs, map->run_count, true);
        accept_update(monitor, message->cloud, now, &clock);
    }
}

// Is the message newer than what the map has? A whole that changes overtook while it came is late, not wrong.
static bool admit_order(BerthMonitor* monitor, const BerthMonitorCells* message) {
    Track* track = &monitor->cloud_tracks[message->cloud];
    const MapNow* map = monitor->clouds_now[message->cloud].map;
    const bool overtaken = message->whole && map->whole.is_coming && message->stream == map->whole.stream &&
                           message->sequence == map->whole.sequence && track->known &&
                           message->stream == track->stream && message->sequence <= track->sequence;
    const TrackOrder order =
        overtaken ? ORDER_OLD
                  : bi_track_order(monitor, track, message->stream, message->sequence, message->received);
    if (order == ORDER_OLD) {
        monitor->counters.stale += 1;
    } else if (order == ORDER_WRONG) {
        bi_track_restart(track, message->stream, message->sequence);
        fault_map(monitor, message->cloud, BERTH_STOP_SEQUENCE);
    }
    return order == ORDER_NEW;
}

void berth_monitor_receive_cells(BerthMonitor* monitor, const BerthMonitorCells* message) {
    monitor->counters.messages += 1;
    if (!is_well_formed(monitor, message)) {
        monitor->counters.malformed += 1;
        return;
    }
    if (!admit_order(monitor, message)) {
        return;
    }

    int64_t cells = 0;
    const MonitorCloud* cloud = &monitor->clouds[message->cloud];
    MapNow* map = monitor->clouds_now[message->cloud].map;
    if (!count_cells(cloud, message, &cells)) {
        fault_map(monitor, message->cloud, BERTH_STOP_VALUE);
        return;
    }

    // What cannot be used is as if it had been lost.
    const bool rests_on_nothing =
        !message->whole && !(map->known && message->stream == map->stream && message->since <= map->sequence);
    if (rests_on_nothing || (message->whole && cells > map->cells_left)) {
        monitor->counters.incomplete += 1;
        return;
    }

    if (message->whole) {
        map->cells_left -= cells;
        take_whole(monitor, message, cells);
    } else {
        take_changes(monitor, message, cells);
    }
}

// ---- distances -------------------------------------------------------------------------------------------

bool bi_monitor_map_nearest(BerthMonitor* monitor, int32_t simple_at, int32_t cloud_at, double wanted,
                            CloudNearest* out) {
    const MonitorCloud* cloud = &monitor->clouds[cloud_at];
    MapNow* map = monitor->clouds_now[cloud_at].map;
    const BerthShape* shape = &monitor->simple_bodies[simple_at].shape;
    const Pose* world_from_shape = &monitor->simple_pose[simple_at];
    const Pose* world_from_grid = &cloud->grid.world_from_grid;
    *out = (CloudNearest){.point = -1};

    // Two poses after each other are off by no more than their places are.
    const Pose pose = pose_between(world_from_grid, world_from_shape);
    const double slack = BI_DISTANCE_SLACK * (v3_length(world_from_shape->t) + v3_length(world_from_grid->t));
    const double reach = wanted + cloud->radius;

    LiveCellsNearest nearest;
    const int32_t before = map->nodes_left;
    const bool inside =
        bi_live_cells_nearest(&map->cells, shape, &pose, slack, reach, &map->nodes_left, &nearest);
    monitor->counters.nodes += before - map->nodes_left;
    if (inside) {
        *out = (CloudNearest){0, nearest.gap};
    }

    BerthGap border;
    if (!cloud->grid.outside_is_free &&
        bi_live_cells_outside(&map->cells, shape, &pose, slack, reach, &border) &&
        (!inside || border.lower < out->gap.lower)) {
        *out = (CloudNearest){0, border};
    }

    if (out->point >= 0) {
        out->gap.lower -= cloud->radius;
        out->gap.upper -= cloud->radius;
        out->gap.point_a = pose_apply(world_from_grid, out->gap.point_a);
        out->gap.point_b = pose_apply(world_from_grid, out->gap.point_b);
        out->gap.normal = pose_turn(world_from_grid, out->gap.normal);
    }
    return out->point < 0 || isfinite(out->gap.lower);
}
