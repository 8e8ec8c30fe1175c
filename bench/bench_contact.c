// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 003 measured: Table 1 (seven pairs of its objects over levels of the octrees), Figure 4 (their mean), Figure 5 (time
// over vertices), by the paper's own search (`printed`) and by the library's; its scene of six, two parts of 64 convex pieces
// each, and Bullet and MuJoCo on the same convex pairs, asked cold, moving and warm. One thread.
//
// A pair is measured in places where it touches by up to a twentieth of its size. Tables are of a body that moves a little
// from one question to the next, as a haptic loop does; poses are set within the time. A row's us is the mean over places of
// the median of each; of `columns` rows us is the median and `nodes` the 99 % quantile.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <berth/berth.h>
#include <berth/lab/contact.h>

#include "contact/columns.h"
#include "contact/printed.h"
#include "math/math.h"
#include "models/models.h"
#include "models/touch.h"
#include "oracle/peer_contact.h"
#include "support/clock.h"

enum { PLACES = 60, AGAIN = 8, SIDES_MAX = 128 };

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(BerthStatus status) {
    if (status != BERTH_OK) {
        fprintf(stderr, "bench_contact: %s\n", berth_error_text());
        exit(1);
    }
}

// ---- bodies ------------------------------------------------------------------------------------------------------

typedef struct Solid {
    BerthVec3 points[2 * SIDES_MAX];
    int count;      // 0: the sphere
    double radius;  // of a ball around it
} Solid;

static Solid solid_of(TouchObject object, int sides) {
    Solid s = {.count = sides > 0 ? bi_touch_prism(sides, s.points) : bi_touch_points(object, s.points)};
    s.radius = s.count == 0 ? TOUCH_RADIUS : 0.0;
    for (int i = 0; i < s.count; ++i) {
        s.radius = fmax(s.radius, v3_length(s.points[i]));
    }
    return s;
}

static void add_solid(BerthContactWorld* world, const Solid* solid) {
    BerthHull* hull = NULL;
    BerthContactPiece piece = {.body_from_shape = berth_pose_identity()};
    if (solid->count > 0) {
        must(berth_hull_create(solid->points, solid->count, NULL, &hull));
        must(berth_shape_hull(hull, &piece.shape));
    } else {
        must(berth_shape_sphere(TOUCH_RADIUS, &piece.shape));
    }
    BerthContactBodyDef def = berth_default_contact_body_def();
    def.pieces = &piece;
    def.piece_count = 1;
    def.motion = BERTH_BODY_DRIVEN;
    must(berth_contact_add_body(world, &def, NULL));
    berth_hull_destroy(hull);
}

static BerthContactWorld* pair_world(const Solid* a, const Solid* b, int levels, BerthContactMethod method) {
    BerthContactDef def = berth_default_contact_def();
    BerthContactLab lab = berth_default_contact_lab();
    def.lab = &lab;
    lab.levels = levels;
    lab.homogeneous = levels >= 0;
    def.method = method;
    BerthContactWorld* world = NULL;
    must(berth_contact_create(&def, &world));
    add_solid(world, a);
    add_solid(world, b);
    must(berth_contact_commit(world));
    return world;
}

static double deepest(const BerthContactResult* r) {
    double depth = 0.0;
    for (int32_t i = 0; i < r->contact_count; ++i) {
        depth = fmax(depth, r->contacts[i].depth);
    }
    return depth;
}

// Poses of B, A being at the origin, that touch by no more than a twentieth of the smaller one.
static void find_places(const Solid* a, const Solid* b, Random* random, BerthPose places[PLACES]) {
    BerthContactWorld* world = pair_world(a, b, -1, BERTH_CONTACT_MANIFOLD);
    const double most = 0.05 * fmin(a->radius, b->radius);
    for (int found = 0; found < PLACES;) {
        const BerthQuat q = bi_random_quat(random), side = bi_random_quat(random);
        const Vec3 way = v3_unit_or(v3(side.x, side.y, side.z), v3(1, 0, 0));
        BerthPose pose = bi_pose_from_unit_quat(q, v3_scale(way, 0.5 * (a->radius + b->radius)));
        // Pushed out along the normal until it is just in.
        for (int round = 0; round < 20; ++round) {
            BerthContactResult r;
            must(berth_contact_move(world, 1, &pose, NULL, NULL));
            must(berth_contact_cycle(world, &r));
            const double depth = deepest(&r);
            if (r.contact_count == 0) {
                break;
            }
            if (depth <= most) {
                places[found++] = pose;
                break;
            }
            pose.t = v3_mad(pose.t, depth - bi_random_between(random, 0.1, 0.9) * most, r.contacts[0].normal);
        }
    }
    berth_contact_destroy(world);
}

// ---- Table 1, Figures 4 and 5 ----------------------------------------------------------------------------------------

// One of the three that answer a table: two ways of the library, and the paper's own.
enum { METHODS = 3, METHOD_PRINTED = 0 };
static const char* const method_names[METHODS] = {"printed", "manifold", "elemental"};
static const BerthContactMethod method_kinds[METHODS] = {BERTH_CONTACT_MANIFOLD, BERTH_CONTACT_MANIFOLD,
                                                         BERTH_CONTACT_ELEMENTAL};

static int ask_world(void* user, const BerthPose* pose) {
    BerthContactWorld* world = user;
    BerthContactResult r;
    must(berth_contact_move(world, 1, pose, NULL, NULL));
    must(berth_contact_cycle(world, &r));
    return r.contact_count;
}

static void forget_world(void* user) {
    berth_contact_forget(user);
}

static int ask_printed(void* user, const BerthPose* pose) {
    return printed_ask(user, pose, (BerthVec3){0.01, 0.0, 0.0}).contacts;
}

static void forget_printed(void* user) {
    printed_forget(user);
}

typedef struct Timing {
    double seconds;  // a cycle
    double contacts, nodes, edges;
} Timing;

// The paper's own search on two bodies. A sphere is always the second.
static Printed* make_printed(const Solid* a, const Solid* b, int levels) {
    Printed* printed = printed_create(a->points, a->count, b->points, b->count, b->radius, levels, 0.0);
    if (printed == NULL) {
        exit(1);
    }
    return printed;
}

static Timing time_printed(const Solid* a, const Solid* b, int levels, const BerthPose places[PLACES],
                           int* lost) {
    Printed* printed = make_printed(a, b, levels);
    const Column column =
        columns_measure(&(Asked){ask_printed, forget_printed, printed}, COLUMN_MOVING, places, PLACES);
    Timing t = {.seconds = column.mean, .contacts = column.contacts};
    for (int i = 0; i < PLACES; ++i) {
        printed_forget(printed);
        const PrintedAnswer answer = printed_ask(printed, &places[i], (BerthVec3){0.0, 0.0, 0.0});
        t.nodes += (double)answer.node_tests / PLACES;
        t.edges += (double)answer.checks / PLACES;
        *lost += answer.contacts == 0;
    }
    printed_destroy(printed);
    return t;
}

static Timing time_pair(BerthContactWorld* world, const BerthPose places[PLACES]) {
    const Column column =
        columns_measure(&(Asked){ask_world, forget_world, world}, COLUMN_MOVING, places, PLACES);
    Timing t = {.seconds = column.mean, .contacts = column.contacts};
    for (int i = 0; i < PLACES; ++i) {
        BerthContactResult r;
        must(berth_contact_move(world, 1, &places[i], NULL, NULL));
        must(berth_contact_cycle(world, &r));
        must(berth_contact_cycle(world, &r));
        t.nodes += (double)r.counters.node_tests / PLACES;
        t.edges += (double)r.counters.edge_edges / PLACES;
    }
    return t;
}

// Any of the three; `level` LEVELS: chosen by the library, which the paper's own search cannot.
static Timing time_method(const Solid* a, const Solid* b, int levels, int method,
                          const BerthPose places[PLACES], int* lost) {
    if (method == METHOD_PRINTED) {
        return time_printed(a, b, levels, places, lost);
    }
    BerthContactWorld* world = pair_world(a, b, levels, method_kinds[method]);
    const Timing t = time_pair(world, places);
    berth_contact_destroy(world);
    return t;
}

typedef struct Row {
    const char* name;
    TouchObject a, b;
    int vertices;
    double paper[5];  // ms at levels 0 to 4
} Row;

static const Row table[] = {
    {"(b)-(e)", TOUCH_RECTANGLE, TOUCH_SPHERE, 8, {0.8, 0.5, 0.8, 1.6, 9.1}},
    {"(d)-(e)", TOUCH_CONE, TOUCH_SPHERE, 11, {1.1, 0.9, 1.2, 2.1, 9.9}},
    {"(b)-(a)", TOUCH_RECTANGLE, TOUCH_CUBE, 16, {48, 11.1, 6.7, 7.8, 36}},
    {"(b)-(d)", TOUCH_RECTANGLE, TOUCH_CONE, 19, {198, 62.8, 7.1, 8.9, 27.5}},
    {"(b)-(c)", TOUCH_RECTANGLE, TOUCH_CYLINDER, 28, {250, 135, 59, 17.6, 60}},
    {"(d)-(c)", TOUCH_CONE, TOUCH_CYLINDER, 31, {700, 480, 150, 34, 75}},
    {"(c)-(c)", TOUCH_CYLINDER, TOUCH_CYLINDER, 40, {1720, 800, 170, 41, 105}},
};
enum { ROWS = sizeof table / sizeof table[0], LEVELS = 5 };

static void print_row(const char* what, const char* name, int vertices, int levels, const char* method,
                      const Timing* t, double paper) {
    printf("contact,%s,%s,%d,%d,%s,%.4g,%.3g,%.4g,%.4g,%.4g,", what, name, vertices, levels, method,
           1e6 * t->seconds, t->contacts, t->nodes, t->edges, paper);
    bench_print_who();
    printf("\n");
}

// One row of Table 1 by one of the three.
static void bench_row(const Row* row, int method, const BerthPose places[PLACES], double* mean) {
    const Solid a = solid_of(row->a, 0), b = solid_of(row->b, 0);
    int lost = 0;
    fprintf(stderr, "%-8s %-10s", row->name, method_names[method]);
    for (int level = 0; level < LEVELS + (method != METHOD_PRINTED); ++level) {
        const int levels = level < LEVELS ? level : -1;
        int missed = 0;
        const Timing t = time_method(&a, &b, levels, method, places, &missed);
        const double paper = level < LEVELS ? row->paper[level] : NAN;
        mean[level] += 1e6 * t.seconds / ROWS;
        lost += missed;
        fprintf(stderr, level < LEVELS ? " %10.2f (%8g)" : " %10.2f", 1e6 * t.seconds, paper);
        print_row("table1", row->name, row->vertices, levels, method_names[method], &t, paper);
        if (method == METHOD_PRINTED) {
            const Timing none = {.contacts = missed, .nodes = PLACES};
            print_row("table1lost", row->name, row->vertices, levels, "printed", &none, NAN);
        }
    }
    fprintf(stderr, method == METHOD_PRINTED ? "   %d places without a contact\n" : "\n", lost);
}

static void bench_table(Random* random) {
    double mean[METHODS][LEVELS + 1] = {{0.0}}, paper_mean[LEVELS] = {0.0};
    fprintf(stderr, "Table 1: us a cycle (the paper, 1996: ms)\n%-8s %-10s %22s %22s %22s %22s %22s %10s\n",
            "objects", "method", "L=0", "L=1", "L=2", "L=3", "L=4", "auto");
    for (int i = 0; i < ROWS; ++i) {
        const Solid a = solid_of(table[i].a, 0), b = solid_of(table[i].b, 0);
        BerthPose places[PLACES];
        find_places(&a, &b, random, places);
        for (int m = 0; m < METHODS; ++m) {
            bench_row(&table[i], m, places, mean[m]);
        }
        for (int level = 0; level < LEVELS; ++level) {
            paper_mean[level] += table[i].paper[level] / ROWS;
        }
    }
    for (int m = 0; m < METHODS; ++m) {
        fprintf(stderr, "Figure 4 %-10s", method_names[m]);
        for (int level = 0; level < LEVELS + (m != METHOD_PRINTED); ++level) {
            const Timing t = {.seconds = 1e-6 * mean[m][level]};
            fprintf(stderr, level < LEVELS ? " %10.2f (%8.4g)" : " %10.2f", mean[m][level],
                    level < LEVELS ? paper_mean[level] : 0.0);
            print_row("figure4", "mean", 0, level < LEVELS ? level : -1, method_names[m], &t,
                      level < LEVELS ? paper_mean[level] : NAN);
        }
        fprintf(stderr, "\n");
    }
}

// The straight line through points, and the largest distance from it as a share of the largest value.
static void fit_line(const double* x, const double* y, int count, double* slope, double* offset,
                     double* residual) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0, high = 0;
    for (int i = 0; i < count; ++i) {
        sx += x[i];
        sy += y[i];
        sxx += x[i] * x[i];
        sxy += x[i] * y[i];
        high = fmax(high, y[i]);
    }
    *slope = (count * sxy - sx * sy) / (count * sxx - sx * sx);
    *offset = (sy - *slope * sx) / count;
    *residual = 0.0;
    for (int i = 0; i < count; ++i) {
        *residual = fmax(*residual, fabs(y[i] - *offset - *slope * x[i]) / high);
    }
}

// Figure 5 by one of the three; the levels that there are, then the library's own choice.
static void bench_vertices_by(int method, Random* random) {
    static const int sides[] = {4, 6, 8, 10, 14, 20, 28, 40, 56};
    enum { COUNT = sizeof sides / sizeof sides[0] };
    double x[COUNT], best[COUNT], chosen[COUNT];
    const int columns = method == METHOD_PRINTED ? 6 : 7;
    fprintf(stderr, "Figure 5, %s: two prisms, us a cycle over the number of vertices of both\n%8s",
            method_names[method], "vertices");
    for (int level = 0; level <= 5; ++level) {
        fprintf(stderr, "       L=%d", level);
    }
    fprintf(stderr, method == METHOD_PRINTED ? "\n" : "      auto\n");
    for (int i = 0; i < COUNT; ++i) {
        const Solid s = solid_of(TOUCH_CYLINDER, sides[i]);
        BerthPose places[PLACES];
        find_places(&s, &s, random, places);
        x[i] = 4.0 * sides[i];
        best[i] = INFINITY;
        fprintf(stderr, "%8d", 4 * sides[i]);
        for (int level = 0; level < columns; ++level) {
            const int levels = level <= 5 ? level : -1;
            int lost = 0;
            const Timing t = time_method(&s, &s, levels, method, places, &lost);
            best[i] = level <= 5 ? fmin(best[i], 1e6 * t.seconds) : best[i];
            chosen[i] = 1e6 * t.seconds;
            fprintf(stderr, " %9.2f", 1e6 * t.seconds);
            print_row("figure5", "prisms", 4 * sides[i], levels, method_names[method], &t, NAN);
        }
        fprintf(stderr, "\n");
    }
    for (int way = 0; way < columns - 5; ++way) {
        double slope, offset, residual;
        fit_line(x, way == 0 ? best : chosen, COUNT, &slope, &offset, &residual);
        fprintf(stderr, "%s: %.2f us + %.4f us a vertex, off by at most %.1f %% of the largest\n",
                way == 0 ? "best level" : "automatic", offset, slope, 100.0 * residual);
        const Timing t = {.seconds = 1e-6 * slope, .contacts = offset, .nodes = residual};
        print_row("figure5fit", way == 0 ? "best" : "auto", 0, -1, method_names[method], &t, NAN);
    }
}

static void bench_vertices(Random* random) {
    for (int method = 0; method < 2; ++method) {
        bench_vertices_by(method, random);
    }
}

// ---- scenes --------------------------------------------------------------------------------------------------------------

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void report_rate(const char* name, const char* method, double* seconds, int count, double contacts) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += seconds[i];
    }
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    const double p50 = seconds[count / 2], p99 = seconds[(int)(0.99 * count)];
    const double p999 = seconds[(int)(0.999 * count)];
    fprintf(
        stderr,
        "%-16s %-10s %9.0f cycles/s, %.1f contacts; median %.2f us, 99 %% %.2f us, 99.9 %% %.2f us, worst "
        "%.2f us\n",
        name, method, count / sum, contacts, 1e6 * p50, 1e6 * p99, 1e6 * p999, 1e6 * seconds[count - 1]);
    printf("contact,rate,%s,0,-1,%s,%.4g,%.3g,%.4g,%.4g,,", name, method, 1e6 * sum / count, contacts,
           1e6 * p50, 1e6 * p999);
    bench_print_who();
    printf("\n");
    printf("contact,rate99,%s,0,-1,%s,%.4g,%.3g,%.4g,%.4g,,", name, method, 1e6 * p99, contacts, 1e6 * p99,
           1e6 * seconds[count - 1]);
    bench_print_who();
    printf("\n");
}

// Moves one body a little to and fro and times every cycle.
static void time_scene(const char* name, const char* method, BerthContactWorld* world, int32_t body,
                       int cycles) {
    double* seconds = malloc((size_t)cycles * sizeof *seconds);
    BerthContactBody at;
    must(berth_contact_body(world, body, &at));
    double contacts = 0.0;
    for (int i = 0; seconds != NULL && i < cycles; ++i) {
        BerthPose pose = at.world_from_body;
        const BerthVec3 velocity = {0.01, 0.0, 0.0};
        pose.t.x += 1e-4 * ((i % 200) / 100.0 - 1.0);
        BerthContactResult r;
        const double from = cpu_now();
        must(berth_contact_move(world, body, &pose, &velocity, NULL));
        must(berth_contact_cycle(world, &r));
        seconds[i] = cpu_now() - from;
        contacts += (double)r.contact_count / cycles;
    }
    if (seconds != NULL) {
        report_rate(name, method, seconds, cycles, contacts);
    }
    free(seconds);
}

static BerthPose six_pose(int32_t i) {
    return berth_pose_from_rpy(bi_touch_scene[i].at, (BerthVec3){0.0, 0.0, bi_touch_scene[i].yaw});
}

// The library: all six may move, so all fifteen pairs are compared.
static void bench_six_by(BerthContactMethod method, const char* name) {
    BerthContactDef def = berth_default_contact_def();
    def.method = method;
    BerthContactWorld* world = NULL;
    must(berth_contact_create(&def, &world));
    for (int i = 0; i < TOUCH_BODY_COUNT; ++i) {
        const Solid solid = solid_of(bi_touch_scene[i].object, 0);
        add_solid(world, &solid);
    }
    must(berth_contact_commit(world));
    for (int32_t i = 0; i < TOUCH_BODY_COUNT; ++i) {
        const BerthPose pose = six_pose(i);
        must(berth_contact_move(world, i, &pose, NULL, NULL));
    }
    time_scene("six", name, world, TOUCH_FOLLOWER, 100000);
    berth_contact_destroy(world);
}

// The paper's own search: the follower against each of the five, octrees of two levels (three: cylinder and cone).
static void bench_six_printed(void) {
    enum { CYCLES = 20000 };
    Printed* pairs[TOUCH_FOLLOWER];
    BerthPose frames[TOUCH_FOLLOWER];
    const Solid follower = solid_of(bi_touch_scene[TOUCH_FOLLOWER].object, 0);
    for (int32_t i = 0; i < TOUCH_FOLLOWER; ++i) {
        const TouchObject object = bi_touch_scene[i].object;
        const Solid other = solid_of(object, 0);
        pairs[i] = make_printed(&follower, &other, object == TOUCH_CUBE || object == TOUCH_RECTANGLE ? 2 : 3);
        frames[i] = six_pose(i);
    }

    double* seconds = malloc(CYCLES * sizeof *seconds);
    double contacts = 0.0;
    const BerthPose start = six_pose(TOUCH_FOLLOWER);
    for (int k = 0; seconds != NULL && k < CYCLES; ++k) {
        BerthPose pose = start;
        pose.t.x += 1e-4 * ((k % 200) / 100.0 - 1.0);
        const double from = cpu_now();
        for (int32_t i = 0; i < TOUCH_FOLLOWER; ++i) {
            const BerthPose there = pose_between(&pose, &frames[i]);
            contacts += (double)printed_ask(pairs[i], &there, (BerthVec3){0.01, 0.0, 0.0}).contacts / CYCLES;
        }
        seconds[k] = cpu_now() - from;
    }
    if (seconds != NULL) {
        report_rate("six", "printed", seconds, CYCLES, contacts);
    }
    free(seconds);
    for (int32_t i = 0; i < TOUCH_FOLLOWER; ++i) {
        printed_destroy(pairs[i]);
    }
}

static void bench_six(void) {
    bench_six_printed();
    bench_six_by(BERTH_CONTACT_MANIFOLD, "manifold");
    bench_six_by(BERTH_CONTACT_ELEMENTAL, "elemental");
    bench_six_by(BERTH_CONTACT_OVERLAP, "overlap");
}

static void bench_parts(void) {
    const BerthIoOptions io = berth_default_io_options();
    BerthScene* scene = NULL;
    BerthContactWorld* world = NULL;
    const BerthContactDef def = berth_default_contact_def();
    must(berth_io_read_scene(BERTH_BUILD_DIR "/models/touch_parts/cell.yaml", &io, &scene));
    must(berth_contact_from_scene(scene, &def, false, &world));
    time_scene("two parts of 64", "overlap", world, berth_scene_find_body(scene, "upper"), 10000);
    berth_contact_destroy(world);
    berth_scene_destroy(scene);
}

// ---- peers ---------------------------------------------------------------------------------------------------------------

#if BERTH_HAVE_ORACLES
typedef struct PeerTiming {
    double seconds, contacts;
    double depth_off;  // worst difference of the deepest depth, m
    double angle_off;  // worst angle between normals, degrees, where the depth agrees
    int missed;        // places where it tells no contact
    int differ;        // places whose depths differ by more than a tenth of a millimetre
    int longer;        // of those: its normal is a longer way out than berth's
    int edges;         // of those: two edges touch
    int understated;   // of those: moving by its depth along its normal does not part them
} PeerTiming;

// What it takes to part them along n, from all corners.
static double way_out(const Solid* a, const Solid* b, const BerthPose* pose, BerthVec3 n) {
    double high = -INFINITY, low = INFINITY;
    for (int i = 0; i < a->count; ++i) {
        high = fmax(high, v3_dot(n, a->points[i]));
    }
    for (int i = 0; i < b->count; ++i) {
        low = fmin(low, v3_dot(n, pose_apply(pose, b->points[i])));
    }
    return high - low;
}

static PeerTiming time_peer(PeerContact* peer, const Solid* a, const Solid* b, const BerthPose places[PLACES],
                            BerthContactWorld* world) {
    PeerTiming t = {0};
    for (int i = 0; i < PLACES; ++i) {
        BerthPose pose = places[i];
        PeerPoint points[PEER_POINTS];
        int count = peer_contact_ask(peer, &pose, points);
        double best = INFINITY;
        for (int k = 0; k < AGAIN; ++k) {
            pose.t.x += 1e-7;
            const double from = cpu_now();
            count = peer_contact_ask(peer, &pose, points);
            best = fmin(best, cpu_now() - from);
        }
        BerthContactResult r;
        berth_contact_forget(world);
        must(berth_contact_move(world, 1, &pose, NULL, NULL));
        must(berth_contact_cycle(world, &r));
        double depth = 0.0, along = 1.0, out = 0.0;
        for (int k = 0; k < count; ++k) {
            if (points[k].depth > depth) {
                depth = points[k].depth;
                out = way_out(a, b, &pose, points[k].normal);
                along = r.contact_count > 0 ? v3_dot(points[k].normal, r.contacts[0].normal) : 1.0;
            }
        }
        const double off = fabs(depth - deepest(&r));
        t.seconds += best / PLACES;
        t.contacts += (double)count / PLACES;
        t.missed += count == 0;
        t.differ += count > 0 && off > 1e-4;
        t.longer += count > 0 && off > 1e-4 && out > deepest(&r) + 1e-4;
        t.edges += count > 0 && off > 1e-4 && r.contacts[0].feature_a.kind == BERTH_FEATURE_EDGE;
        t.understated += count > 0 && off > 1e-4 && depth < out - 1e-4;
        t.depth_off = count > 0 ? fmax(t.depth_off, off) : t.depth_off;
        t.angle_off =
            count > 0 && off <= 1e-4 ? fmax(t.angle_off, 57.29578 * acos(fmin(1.0, along))) : t.angle_off;
    }
    return t;
}

static int ask_peer(void* user, const BerthPose* pose) {
    PeerPoint points[PEER_POINTS];
    return peer_contact_ask(user, pose, points);
}

// Cold, moving and warm: median and 99 %.
static void print_columns(const Row* row, const char* who, const Asked* asked,
                          const BerthPose places[PLACES]) {
    fprintf(stderr, "   %-8s", who);
    for (int k = 0; k < COLUMN_COUNT; ++k) {
        const Column c = columns_measure(asked, k, places, PLACES);
        fprintf(stderr, "  %s %6.2f (99 %%: %6.2f)", column_names[k], 1e6 * c.median, 1e6 * c.p99);
        printf("contact,columns,%s,%d,-1,%s %s,%.4g,%.3g,%.4g,,,", row->name, row->vertices, who,
               column_names[k], 1e6 * c.median, c.contacts, 1e6 * c.p99);
        bench_print_who();
        printf("\n");
    }
    fprintf(stderr, "\n");
}

static void bench_columns(Random* random) {
    fprintf(stderr,
            "contact generation of convex pairs, us: somewhere else, a little further, in the same place\n");
    for (int i = 2; i < ROWS; ++i) {
        const Solid a = solid_of(table[i].a, 0), b = solid_of(table[i].b, 0);
        BerthPose places[PLACES];
        find_places(&a, &b, random, places);
        fprintf(stderr, "%s\n", table[i].name);
        static const BerthContactMethod kinds[] = {BERTH_CONTACT_MANIFOLD, BERTH_CONTACT_OVERLAP};
        static const char* const names[] = {"berth", "overlap"};
        for (int m = 0; m < 2; ++m) {
            BerthContactWorld* world = pair_world(&a, &b, -1, kinds[m]);
            print_columns(&table[i], names[m], &(Asked){ask_world, forget_world, world}, places);
            berth_contact_destroy(world);
        }
        for (int which = 0; which < PEER_CONTACT_COUNT; ++which) {
            PeerContact* peer =
                peer_contact_create((PeerContactKind)which, &a.points[0].x, a.count, &b.points[0].x, b.count);
            if (peer != NULL) {
                print_columns(&table[i], peer_contact_name((PeerContactKind)which),
                              &(Asked){ask_peer, NULL, peer}, places);
                peer_contact_destroy(peer);
            }
        }
    }
}

static void bench_peers(Random* random) {
    fprintf(stderr,
            "contact generation of convex pairs, us (points): berth, Bullet, MuJoCo; how far peers are from "
            "berth\n");
    for (int i = 2; i < ROWS; ++i) {
        const Solid a = solid_of(table[i].a, 0), b = solid_of(table[i].b, 0);
        BerthPose places[PLACES];
        find_places(&a, &b, random, places);
        BerthContactWorld* world = pair_world(&a, &b, -1, BERTH_CONTACT_MANIFOLD);
        const Timing own = time_pair(world, places);
        fprintf(stderr, "%-8s berth %6.2f (%.1f)\n", table[i].name, 1e6 * own.seconds, own.contacts);
        print_row("peers", table[i].name, table[i].vertices, -1, "berth", &own, NAN);
        for (int which = 0; which < PEER_CONTACT_COUNT; ++which) {
            PeerContact* peer =
                peer_contact_create((PeerContactKind)which, &a.points[0].x, a.count, &b.points[0].x, b.count);
            if (peer == NULL) {
                fprintf(stderr, "   %s: cannot be asked\n", peer_contact_name((PeerContactKind)which));
                continue;
            }
            const PeerTiming t = time_peer(peer, &a, &b, places, world);
            fprintf(stderr,
                    "   %s %6.2f (%.1f), %.2f times; depth off %.2g mm, %d of %d by > 0.1 mm (%d where edges "
                    "touch, %d a longer way out, %d not the whole way), %d missed, %.2g deg\n",
                    peer_contact_name((PeerContactKind)which), 1e6 * t.seconds, t.contacts,
                    t.seconds / own.seconds, 1e3 * t.depth_off, t.differ, PLACES, t.edges, t.longer,
                    t.understated, t.missed, t.angle_off);
            printf("contact,peers,%s,%d,-1,%s,%.4g,%.3g,%.4g,%d,%d,", table[i].name, table[i].vertices,
                   peer_contact_name((PeerContactKind)which), 1e6 * t.seconds, t.contacts, 1e3 * t.depth_off,
                   t.differ, t.missed);
            bench_print_who();
            printf("\n");
            peer_contact_destroy(peer);
        }
        berth_contact_destroy(world);
    }
}
#endif

int main(int argc, char** argv) {
    const char* part = argc > 1 ? argv[1] : "";
    Random random = {3};
    printf(
        "bench,what,objects,vertices,levels,method,us,contacts,nodes,edges,paper_ms,machine,compiler,"
        "commit\n");
    if (part[0] == '\0' || strcmp(part, "table") == 0) {
        bench_table(&random);
    }
    if (part[0] == '\0' || strcmp(part, "vertices") == 0) {
        bench_vertices(&random);
    }
    if (part[0] == '\0' || strcmp(part, "rates") == 0) {
        bench_six();
        bench_parts();
    }
#if BERTH_HAVE_ORACLES
    if (part[0] == '\0' || strcmp(part, "peers") == 0) {
        bench_peers(&random);
    }
    if (part[0] == '\0' || strcmp(part, "columns") == 0) {
        bench_columns(&random);
    }
#endif
    return 0;
}
