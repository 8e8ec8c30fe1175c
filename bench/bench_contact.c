// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 003 measured: Table 1 (seven pairs of its objects over levels of the octrees), Figure 4 (their mean), Figure 5 (time
// over vertices), its scene of six, two parts of 64 convex pieces each, and Bullet and MuJoCo on the same convex pairs. One
// thread; seconds of that thread alone, since machines are shared.
//
// A pair is measured in places where it touches by up to a twentieth of its size, each place looked at once before and then
// again and again with the smallest motion, as a haptic loop does. Peers get the same places; poses are set within the time.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <berth/berth.h>
#include <berth/lab/contact.h>

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

typedef struct Timing {
    double seconds;  // a cycle
    double contacts, nodes, edges;
} Timing;

static Timing time_pair(BerthContactWorld* world, const BerthPose places[PLACES]) {
    Timing t = {0};
    for (int i = 0; i < PLACES; ++i) {
        BerthContactResult r;
        BerthPose pose = places[i];
        must(berth_contact_move(world, 1, &pose, NULL, NULL));
        must(berth_contact_cycle(world, &r));
        double best = INFINITY;
        for (int k = 0; k < AGAIN; ++k) {
            pose.t.x += 1e-7;
            const double from = cpu_now();
            must(berth_contact_move(world, 1, &pose, NULL, NULL));
            must(berth_contact_cycle(world, &r));
            best = fmin(best, cpu_now() - from);
        }
        t.seconds += best / PLACES;
        t.contacts += (double)r.contact_count / PLACES;
        t.nodes += (double)r.counters.node_tests / PLACES;
        t.edges += (double)r.counters.edge_edges / PLACES;
    }
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

static void bench_table(Random* random) {
    static const char* const methods[] = {"manifold", "elemental"};
    double mean[2][LEVELS + 1] = {{0.0}}, paper_mean[LEVELS] = {0.0};
    fprintf(stderr, "Table 1: us a cycle (the paper, 1996: ms)\n%-8s %-10s %22s %22s %22s %22s %22s %10s\n",
            "objects", "method", "L=0", "L=1", "L=2", "L=3", "L=4", "auto");
    for (int i = 0; i < ROWS; ++i) {
        const Row* row = &table[i];
        const Solid a = solid_of(row->a, 0), b = solid_of(row->b, 0);
        BerthPose places[PLACES];
        find_places(&a, &b, random, places);
        for (int m = 0; m < 2; ++m) {
            fprintf(stderr, "%-8s %-10s", row->name, methods[m]);
            for (int level = 0; level <= LEVELS; ++level) {
                const int levels = level < LEVELS ? level : -1;
                BerthContactWorld* world = pair_world(&a, &b, levels, (BerthContactMethod)m);
                const Timing t = time_pair(world, places);
                const double paper = level < LEVELS ? row->paper[level] : NAN;
                mean[m][level] += 1e6 * t.seconds / ROWS;
                fprintf(stderr, level < LEVELS ? " %10.2f (%8g)" : " %10.2f", 1e6 * t.seconds, paper);
                print_row("table1", row->name, row->vertices, levels, methods[m], &t, paper);
                berth_contact_destroy(world);
            }
            fprintf(stderr, "\n");
        }
        for (int level = 0; level < LEVELS; ++level) {
            paper_mean[level] += row->paper[level] / ROWS;
        }
    }
    for (int m = 0; m < 2; ++m) {
        fprintf(stderr, "Figure 4 %-10s", methods[m]);
        for (int level = 0; level <= LEVELS; ++level) {
            const Timing t = {.seconds = 1e-6 * mean[m][level]};
            fprintf(stderr, level < LEVELS ? " %10.2f (%8.4g)" : " %10.2f", mean[m][level],
                    level < LEVELS ? paper_mean[level] : 0.0);
            print_row("figure4", "mean", 0, level < LEVELS ? level : -1, methods[m], &t,
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

static void bench_vertices(Random* random) {
    static const int sides[] = {4, 6, 8, 10, 14, 20, 28, 40, 56};
    enum { COUNT = sizeof sides / sizeof sides[0] };
    double x[COUNT], best[COUNT], chosen[COUNT];
    fprintf(stderr, "Figure 5: two prisms, us a cycle over the number of vertices of both\n%8s", "vertices");
    for (int level = 0; level <= 5; ++level) {
        fprintf(stderr, "       L=%d", level);
    }
    fprintf(stderr, "      auto\n");
    for (int i = 0; i < COUNT; ++i) {
        const Solid s = solid_of(TOUCH_CYLINDER, sides[i]);
        BerthPose places[PLACES];
        find_places(&s, &s, random, places);
        x[i] = 4.0 * sides[i];
        best[i] = INFINITY;
        fprintf(stderr, "%8d", 4 * sides[i]);
        for (int level = 0; level <= 6; ++level) {
            const int levels = level <= 5 ? level : -1;
            BerthContactWorld* world = pair_world(&s, &s, levels, BERTH_CONTACT_MANIFOLD);
            const Timing t = time_pair(world, places);
            best[i] = level <= 5 ? fmin(best[i], 1e6 * t.seconds) : best[i];
            chosen[i] = 1e6 * t.seconds;
            fprintf(stderr, " %9.2f", 1e6 * t.seconds);
            print_row("figure5", "prisms", 4 * sides[i], levels, "manifold", &t, NAN);
            berth_contact_destroy(world);
        }
        fprintf(stderr, "\n");
    }
    for (int way = 0; way < 2; ++way) {
        double slope, offset, residual;
        fit_line(x, way == 0 ? best : chosen, COUNT, &slope, &offset, &residual);
        fprintf(stderr, "%s: %.2f us + %.4f us a vertex, off by at most %.1f %% of the largest\n",
                way == 0 ? "best level" : "automatic", offset, slope, 100.0 * residual);
        const Timing t = {.seconds = 1e-6 * slope, .contacts = offset, .nodes = residual};
        print_row("figure5fit", way == 0 ? "best" : "auto", 0, -1, "manifold", &t, NAN);
    }
}

// ---- scenes --------------------------------------------------------------------------------------------------------------

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void report_rate(const char* name, double* seconds, int count, double contacts) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += seconds[i];
    }
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    const double p50 = seconds[count / 2], p999 = seconds[(int)(0.999 * count)];
    fprintf(stderr, "%-22s %9.0f cycles/s, %.1f contacts; median %.2f us, 99.9 %% %.2f us, worst %.2f us\n",
            name, count / sum, contacts, 1e6 * p50, 1e6 * p999, 1e6 * seconds[count - 1]);
    printf("contact,rate,%s,0,-1,manifold,%.4g,%.3g,%.4g,%.4g,,", name, 1e6 * sum / count, contacts,
           1e6 * p50, 1e6 * p999);
    bench_print_who();
    printf("\n");
}

// Moves one body a little to and fro and times every cycle.
static void time_scene(const char* name, BerthContactWorld* world, int32_t body, int cycles) {
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
        report_rate(name, seconds, cycles, contacts);
    }
    free(seconds);
}

static void bench_six(void) {
    const BerthContactDef def = berth_default_contact_def();
    BerthContactWorld* world = NULL;
    must(berth_contact_create(&def, &world));
    for (int i = 0; i < TOUCH_BODY_COUNT; ++i) {
        const Solid solid = solid_of(bi_touch_scene[i].object, 0);
        add_solid(world, &solid);
    }
    must(berth_contact_commit(world));
    for (int32_t i = 0; i < TOUCH_BODY_COUNT; ++i) {
        const BerthPose pose =
            berth_pose_from_rpy(bi_touch_scene[i].at, (BerthVec3){0.0, 0.0, bi_touch_scene[i].yaw});
        must(berth_contact_move(world, i, &pose, NULL, NULL));
    }
    time_scene("six", world, TOUCH_FOLLOWER, 100000);
    berth_contact_destroy(world);
}

static void bench_parts(void) {
    const BerthIoOptions io = berth_default_io_options();
    BerthScene* scene = NULL;
    BerthContactWorld* world = NULL;
    const BerthContactDef def = berth_default_contact_def();
    must(berth_io_read_scene(BERTH_BUILD_DIR "/models/touch_parts/cell.yaml", &io, &scene));
    must(berth_contact_from_scene(scene, &def, false, &world));
    time_scene("two parts of 64", world, berth_scene_find_body(scene, "upper"), 10000);
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
#endif
    return 0;
}
