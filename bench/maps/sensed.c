// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A depth camera flown through models/kitchen: its scans into our tree and into OctoMap's, the map that comes out, its change scan by scan
// beside DynamicEDT3D's, and balls asked of it.

#include <berth/io/map.h>
#include <berth/lab/field.h>
#include <berth/occupancy.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/map/map_file.h"
#include "maps/maps.h"
#include "models/camera.h"
#include "oracle/peer_map.h"
#include "oracle/peer_octomap_scan.h"
#include "support/clock.h"

#define RESOLUTION 0.05

enum { FRAMES = 60, LEAVES = 1 << 21, SIDE = 128, BALLS = 20000 };

/// What the camera told.
typedef struct Flight {
    BerthVec3* points[FRAMES];
    float* floats[FRAMES];  // the same in float, which is what OctoMap takes
    int counts[FRAMES];
    BerthVec3 eyes[FRAMES];
    int64_t total;
} Flight;

static void die(const char* what) {
    fprintf(stderr, "bench: %s: %s\n", what, berth_error_text());
    exit(2);
}

static void say(bool holds, const char* words, double value) {
    fprintf(stderr, "%s %s: %.3g\n", holds ? "PASS    " : "differs ", words, value);
    map_row("expected", holds ? "PASS" : "differs", words, value, (double)NAN);
}

static double in_float(double value) {
    volatile float narrow = (float)value;
    return (double)narrow;
}

static void fly(const DepthScene* scene, Flight* out) {
    const DepthCamera camera = bi_depth_camera();
    const size_t most = (size_t)camera.columns * (size_t)camera.rows;
    uint64_t random = 4;
    for (int f = 0; f < FRAMES; ++f) {
        BerthVec3 target;
        out->points[f] = calloc(most, sizeof **out->points);
        out->floats[f] = calloc(3 * most, sizeof **out->floats);
        bi_depth_flight(f, FRAMES, &out->eyes[f], &target);
        out->eyes[f] =
            (BerthVec3){in_float(out->eyes[f].x), in_float(out->eyes[f].y), in_float(out->eyes[f].z)};
        out->counts[f] = bi_depth_picture(scene, &camera, out->eyes[f], target, &random, out->points[f]);
        for (int i = 0; i < out->counts[f]; ++i) {
            BerthVec3* p = &out->points[f][i];
            *p = (BerthVec3){in_float(p->x), in_float(p->y), in_float(p->z)};
            out->floats[f][3 * i] = (float)p->x;
            out->floats[f][3 * i + 1] = (float)p->y;
            out->floats[f][3 * i + 2] = (float)p->z;
        }
        out->total += out->counts[f];
    }
}

static BerthOccupancy* empty_tree(void) {
    BerthOccupancyDef def = berth_default_occupancy_def();
    BerthOccupancy* odds = NULL;
    def.resolution = RESOLUTION;
    def.origin = (BerthVec3){0, 0, 0};
    if (berth_occupancy_create(&def, &odds) != BERTH_OK) {
        die("no tree");
    }
    return odds;
}

static void insert(BerthOccupancy* odds, const Flight* flight, int frame) {
    if (berth_occupancy_insert_scan(odds, flight->points[frame], (size_t)flight->counts[frame],
                                    flight->eyes[frame], 0.0, NULL) != BERTH_OK) {
        die("no scan");
    }
}

#if BERTH_HAVE_ORACLES
// The same scans by OctoMap: seconds, and cells whose log-odds are not ours.
static double by_octomap(const Flight* flight, const BerthOccupancy* odds, int64_t* nodes, double* bytes,
                         int64_t* cells, int64_t differ[2]) {
    PeerScan scans[FRAMES];
    for (int f = 0; f < FRAMES; ++f) {
        const BerthVec3 eye = flight->eyes[f];
        scans[f] =
            (PeerScan){flight->floats[f], flight->counts[f], {(float)eye.x, (float)eye.y, (float)eye.z}, 0.0};
    }
    PeerOddsLeaf* leaves = calloc(LEAVES, sizeof *leaves);
    const double start = bench_thread_now();
    const int count = peer_octomap_insert(NULL, RESOLUTION, scans, FRAMES, NULL, leaves, LEAVES, nodes);
    const double seconds = bench_thread_now() - start;
    // As its memoryUsage counts: 16 bytes a node, 64 for the pointers of an inner one.
    *bytes = 16.0 * (double)*nodes + 64.0 * (double)(*nodes - count);
    for (int i = 0; i < count && i < LEAVES; ++i) {
        const int width = 1 << leaves[i].scale;
        for (int c = 0; c < width * width * width; ++c) {
            const int32_t cell[3] = {leaves[i].x + c % width, leaves[i].y + c / width % width,
                                     leaves[i].z + c / width / width};
            float ours = NAN;
            const bool known = berth_occupancy_log_odds(odds, cell, &ours);
            differ[0] += !known || ours != leaves[i].log_odds;
            differ[1] += !known || (ours >= 0.0f) != (leaves[i].log_odds >= 0.0f);
            *cells += 1;
        }
    }
    free(leaves);
    return seconds;
}
#endif

// Scans into both, from nothing.
static BerthOccupancy* whole_flight(const Flight* flight) {
    BerthOccupancy* odds = empty_tree();
    const double start = bench_thread_now();
    for (int f = 0; f < FRAMES; ++f) {
        insert(odds, flight, f);
        berth_occupancy_forget_changes(odds);
    }
    const double ours = bench_thread_now() - start;
    const BerthOccupancyInfo info = berth_occupancy_info(odds);
    fprintf(stderr, "Insertion: ours %.3f s of processor time (%.2f us a ray), %lld nodes, %.2f MB\n", ours,
            1e6 * ours / (double)flight->total, (long long)info.node_count, 1e-6 * (double)info.bytes);
    map_row("sensed", "kitchen", "rays", (double)flight->total, (double)NAN);
    map_row("sensed", "kitchen", "our insertion s", ours, (double)NAN);
    map_row("sensed", "kitchen", "our nodes", (double)info.node_count, (double)NAN);
#if BERTH_HAVE_ORACLES
    int64_t nodes = 0, cells = 0, differ[2] = {0, 0};
    double bytes = 0;
    const double theirs = by_octomap(flight, odds, &nodes, &bytes, &cells, differ);
    fprintf(stderr,
            "    OctoMap %.3f s, %lld nodes, %.2f MB; of its %lld cells %lld have other log-odds than ours, "
            "%lld another "
            "colour: rays that graze\n"
            "    an edge to within float's rounding, in which OctoMap walks\n",
            theirs, (long long)nodes, 1e-6 * bytes, (long long)cells, (long long)differ[0],
            (long long)differ[1]);
    map_row("sensed", "kitchen", "OctoMap insertion s", theirs, (double)NAN);
    map_row("sensed", "kitchen", "cells that differ", (double)differ[0], (double)NAN);
    map_row("sensed", "kitchen", "colours that differ", (double)differ[1], (double)NAN);
    say(ours <= theirs, "scans are inserted at least as fast as by OctoMap; times its", ours / theirs);
    map_row("sensed", "kitchen", "OctoMap bytes", bytes, (double)NAN);
    map_row("sensed", "kitchen", "our tree of chances bytes", (double)info.bytes, (double)NAN);
    say((double)info.bytes <= 1.5 * bytes, "our tree of chances at most 1.5 times OctoMap's; times",
        (double)info.bytes / bytes);
    say(1000 * differ[0] <= cells, "at most a thousandth of the cells differ; share",
        (double)differ[0] / (double)cells);
#endif
    return odds;
}

// ---- live --------------------------------------------------------------------------------------------------------

static BerthField* room(uint32_t parts) {
    BerthFieldDef def = berth_default_field_def();
    def.resolution = RESOLUTION;
    def.size[0] = 110;
    def.size[1] = 94;
    def.size[2] = 60;
    def.levels = 7;
    def.origin = (BerthVec3){-55 * RESOLUTION, -47 * RESOLUTION, -4 * RESOLUTION};
    def.background = BERTH_CELL_UNKNOWN;
    def.parts = parts;
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    if (berth_field_builder_create(&def, &builder) != BERTH_OK ||
        berth_field_build(builder, &field) != BERTH_OK) {
        die("no room");
    }
    berth_field_builder_destroy(builder);
    return field;
}

static size_t changes_in_room(const BerthOccupancy* odds, BerthFieldChange** out) {
    static const int32_t corner[3] = {32768 - 55, 32768 - 47, 32768 - 4}, size[3] = {110, 94, 60};
    size_t count = 0, kept = 0;
    const BerthFieldChange* all = berth_occupancy_changes(odds, &count);
    *out = calloc(count + 1, sizeof **out);
    for (size_t i = 0; i < count; ++i) {
        BerthFieldChange change = all[i];
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            change.cell[axis] -= corner[axis];
            inside = inside && change.cell[axis] >= 0 && change.cell[axis] < size[axis];
        }
        if (inside) {
            (*out)[kept++] = change;
        }
    }
    return kept;
}

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// Seconds of each scan.
typedef struct Live {
    double insert[FRAMES], tree[FRAMES], euclid[FRAMES], dynamic[FRAMES];
    int64_t changes;
} Live;

static void tell_live(const char* what, double* seconds) {
    qsort(seconds, FRAMES, sizeof *seconds, by_size);
    fprintf(stderr, "    %-24s median %7.2f ms, most %7.2f ms\n", what, 1e3 * seconds[FRAMES / 2],
            1e3 * seconds[FRAMES - 1]);
    map_row("sensed", what, "median ms", 1e3 * seconds[FRAMES / 2], (double)NAN);
    map_row("sensed", what, "most ms", 1e3 * seconds[FRAMES - 1], (double)NAN);
}

static double update(BerthField* field, const BerthFieldChange* changes, size_t count) {
    const double start = bench_thread_now();
    if (berth_field_update(field, changes, count) != BERTH_OK) {
        die("no update");
    }
    return bench_thread_now() - start;
}

static bool same_bytes(const BerthField* a, const BerthField* b) {
    const size_t size = bi_bmap_block_size(a);
    bool same = size == bi_bmap_block_size(b);
    void* x = same ? aligned_alloc(64, size) : NULL;
    void* y = same ? aligned_alloc(64, size) : NULL;
    same = same && bi_bmap_write_block(a, x, size) == BERTH_OK &&
           bi_bmap_write_block(b, y, size) == BERTH_OK && memcmp(x, y, size) == 0;
    free(x);
    free(y);
    return same;
}

// Scan by scan: the tree of log-odds, and maps that follow it. Unknown cells are obstacles, but for DynamicEDT3D, which has none.
static BerthField* live(const Flight* flight) {
    static Live times;
    BerthOccupancy* odds = empty_tree();
    BerthField* tree = room(0);
    BerthField* euclid = room(BERTH_FIELD_EUCLID);
#if BERTH_HAVE_ORACLES
    uint8_t* none = calloc((size_t)SIDE * SIDE * SIDE, 1);
    PeerEdt* edt = peer_edt_open(none, SIDE);
    free(none);
#endif
    for (int f = 0; f < FRAMES; ++f) {
        double start = bench_thread_now();
        insert(odds, flight, f);
        times.insert[f] = bench_thread_now() - start;
        BerthFieldChange* changes;
        const size_t count = changes_in_room(odds, &changes);
        times.changes += (int64_t)count;
        times.tree[f] = update(tree, changes, count);
        times.euclid[f] = update(euclid, changes, count);
#if BERTH_HAVE_ORACLES
        start = bench_thread_now();
        for (size_t i = 0; i < count; ++i) {
            const BerthFieldChange* c = &changes[i];
            peer_edt_set(edt, c->cell[0], c->cell[1], c->cell[2], c->colour == BERTH_CELL_OCCUPIED);
        }
        peer_edt_update(edt);
        times.dynamic[f] = bench_thread_now() - start;
#endif
        free(changes);
        berth_occupancy_forget_changes(odds);
    }

    fprintf(stderr,
            "Live, scan by scan (110 x 94 x 60 cells, %lld changes in %d scans), processor time a scan:\n",
            (long long)times.changes, (int)FRAMES);
    tell_live("insertion", times.insert);
    tell_live("our tree", times.tree);
    tell_live("our Euclidean map", times.euclid);
#if BERTH_HAVE_ORACLES
    tell_live("DynamicEDT3D", times.dynamic);
    peer_edt_close(edt);
#endif
    double seconds;
    BerthField* anew = map_remake(tree, BERTH_FIELD_EUCLID, &seconds);
    say(same_bytes(anew, euclid),
        "the Euclidean map that followed all scans is one built anew, byte for byte; ms to build",
        1e3 * seconds);
    berth_field_destroy(anew);
    berth_field_destroy(tree);
    berth_occupancy_destroy(odds);
    return euclid;
}

// ---- build and query ---------------------------------------------------------------------------------------------

static void build_and_ask(const BerthOccupancy* odds) {
    static const struct {
        const char* name;
        uint32_t part;
        BerthFieldMethod way;
    } ways[] = {{"octree", 0, BERTH_FIELD_BY_OCTREE},
                {"lists", BERTH_FIELD_LISTS, BERTH_FIELD_BY_LISTS},
                {"eodm", BERTH_FIELD_EODM, BERTH_FIELD_BY_EODM},
                {"euclid", BERTH_FIELD_EUCLID, BERTH_FIELD_BY_EUCLID}};
    BerthMapOptions options = berth_default_map_options();
    const BerthIoOptions io = berth_default_io_options();
    BerthField* field = NULL;
    if (berth_io_field_from_occupancy("flight", odds, &options, &io, &field) != BERTH_OK) {
        die("no map");
    }
    const BerthFieldInfo info = berth_field_info(field);
    fprintf(
        stderr, "The map: %d x %d x %d cells, %llu occupied, %llu unknown (obstacles), %lld nodes, %.2f MB\n",
        (int)info.size[0], (int)info.size[1], (int)info.size[2], (unsigned long long)info.occupied_cells,
        (unsigned long long)info.unknown_cells, (long long)info.node_count, 1e-6 * (double)info.tree_bytes);

    double* balls = calloc((size_t)BALLS * 4, sizeof *balls);
    uint64_t random = 8;
    for (int i = 0; i < 4 * BALLS; ++i) {
        static const double low[4] = {-2.3, -1.9, 0.1, 0.02}, wide[4] = {4.6, 3.8, 2.2, 0.1};
        random = random * 6364136223846793005u + 1442695040888963407u;
        balls[i] = low[i % 4] + wide[i % 4] * ((double)(random >> 33) / 2147483648.0);
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        double seconds;
        BerthField* with = map_remake(field, ways[i].part, &seconds);
        const BerthFieldInfo part = berth_field_info(with);
        const double mb = 1e-6 * (double)(part.list_bytes + part.eodm_bytes + part.euclid_bytes);
        const double us = 1e6 * map_time(with, ways[i].way, BERTH_METRIC_L2, balls, BALLS);
        const int wrong = map_differences(with, ways[i].way, balls, BALLS);
        fprintf(stderr,
                "    by %-7s built in %8.2f ms, %7.2f MB over the tree; %.3f us a ball, %d answers differ\n",
                ways[i].name, 1e3 * seconds, mb, us, wrong);
        map_row("sensed", ways[i].name, "build s", seconds, (double)NAN);
        map_row("sensed", ways[i].name, "MB", mb, (double)NAN);
        map_row("sensed", ways[i].name, "us a ball", us, (double)NAN);
        berth_field_destroy(with);
    }
    free(balls);
    berth_field_destroy(field);
}

void map_sensed(void) {
    DepthScene* scene = bi_depth_open(BERTH_BUILD_DIR "/models/kitchen");
    if (scene == NULL) {
        fprintf(stderr, "bench: build/models/kitchen is not there: build the target `models`\n");
        exit(2);
    }
    static Flight flight;
    fly(scene, &flight);
    fprintf(stderr,
            "\nSensed: a depth camera of 80 x 60 pixels in %d places of models/kitchen (%d triangles), noise "
            "as a "
            "structured-light camera has it; %lld points, cells of %g m\n\n",
            (int)FRAMES, bi_depth_triangles(scene), (long long)flight.total, RESOLUTION);
    bi_depth_close(scene);

    BerthOccupancy* odds = whole_flight(&flight);
    build_and_ask(odds);
    berth_occupancy_destroy(odds);
    berth_field_destroy(live(&flight));
    for (int f = 0; f < FRAMES; ++f) {
        free(flight.points[f]);
        free(flight.floats[f]);
    }
}
