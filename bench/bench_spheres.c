// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sphere trees as in paper 002: greedy against compact over the separating distance (figure 9a), query time over max_d
// (9b), min_d (10a) and the error tolerance (10b) for the humanoid alone and in the kitchen, what caching turned centres
// gains, tightness a level for an L-shaped body (figure 4), building, covering the Panda with 59 balls, and the other
// engines beside them. bench/pages002.py makes docs/results/paper002.md of the CSV.
//
// A whole robot is asked as the paper does: pairs of bodies, nearest balls first, the best distance so far is max_d of the
// next; in the kitchen, pairs of the robot and what stands there. Times are processor times, medians over blocks that
// alternate between the ways compared. usage: bench_spheres [STATES]     (20; more take longer and scatter less)
// or bench_spheres fit: the Panda in 59 balls only
// Over 900 lines because the paper's figures share their bodies, states and clocks.

#include <berth/cover.h>
#include <berth/lab/check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/check.h"
#include "support/cell.h"
#include "support/clock.h"
#include "tree/sphere.h"

enum { BLOCKS = 9, POSES = 40, PAIRS_MAX = 20000 };

// Time of this program alone: the machine may be shared.
static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// `distance` is a mean, in mm, where there is one.
static void row_at(const char* table, const char* series, double x, double value, double bv, double leaf,
                   double distance) {
    printf("spheres,%s,\"%s\",%.6g,%.6g,%.6g,%.6g,%.6g,", table, series, x, value, bv, leaf, distance);
    bench_print_who();
    printf("\n");
}

static void row(const char* table, const char* series, double x, double value, double bv, double leaf) {
    row_at(table, series, x, value, bv, leaf, 0.0);
}

static double tolerance_of(double alpha) {
    return alpha / (1.0 - alpha);
}

// ---- meshes made here ------------------------------------------------------------------------------------------

// Boxes [low, high] as one mesh of 12 triangles each.
static BerthSolid* boxes_solid(const Vec3 (*boxes)[2], int count) {
    static const int32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    Vec3 vertices[64];
    int32_t triangles[64 * 3];
    for (int b = 0; b < count; ++b) {
        for (int k = 0; k < 8; ++k) {
            vertices[8 * b + k] = v3(boxes[b][k & 1].x, boxes[b][k >> 1 & 1].y, boxes[b][k >> 2].z);
        }
        for (int f = 0; f < 36; ++f) {
            triangles[36 * b + f] = 8 * b + faces[f / 3][f % 3];
        }
    }
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    if (berth_mesh_create(vertices, 8 * count, triangles, 12 * count, NULL, &mesh) != BERTH_OK ||
        berth_solid_from_mesh(mesh, NULL, &solid) != BERTH_OK) {
        bench_die("boxes");
    }
    return solid;
}

static void add_spheres(BerthSolid* solid, BerthSphereRule rule, int arity, double aspect, double leaf_size) {
    BerthSphereTreeDef def = berth_default_sphere_tree_def();
    def.rule = rule;
    def.arity = arity;
    def.aspect = aspect;
    def.leaf_size = leaf_size;
    if (berth_solid_add_spheres(solid, &def) != BERTH_OK) {
        bench_die("spheres");
    }
}

// ---- two solids: one question in many poses, ways side by side -------------------------------------------------

typedef struct Way {
    BerthTreeQuery* query;
    const BerthSolid *a, *b;
    double seconds, bv, leaf;  // a query
} Way;

static void time_ways(Way* ways, int count, const Pose* poses, const BerthTreeRequest* request) {
    double times[8][BLOCKS];
    const Pose still = pose_identity();
    for (int w = 0; w < count; ++w) {
        ways[w].bv = ways[w].leaf = 0.0;
    }
    for (int block = 0; block < BLOCKS; ++block) {
        for (int w = 0; w < count; ++w) {
            const double t0 = cpu_now();
            for (int i = 0; i < POSES; ++i) {
                const BerthTreeAnswer d =
                    berth_tree_distance(ways[w].query, ways[w].a, &still, ways[w].b, &poses[i], request);
                ways[w].bv += (double)d.counters.bv_tests / (POSES * BLOCKS);
                ways[w].leaf += (double)d.counters.leaf_tests / (POSES * BLOCKS);
            }
            times[w][block] = (cpu_now() - t0) / POSES;
        }
    }
    for (int w = 0; w < count; ++w) {
        ways[w].seconds = bench_median(times[w], BLOCKS);
    }
}

// Random orientations, moved along a line until the gap is `gap`.
static void poses_at(BerthTreeQuery* query, const BerthSolid* a, const BerthSolid* b, double gap, Pose* out) {
    Random random = {42};
    const Pose still = pose_identity();
    for (int i = 0; i < POSES; ++i) {
        const Vec3 way = v3_unit_or(v3(bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1),
                                       bi_random_between(&random, -1, 1)),
                                    v3(0, 0, 1));
        Pose pose = bi_pose_from_unit_quat(bi_random_quat(&random), v3(0, 0, 0));
        double low = 0.0;
        double high = 4.0 * (a->radius + b->radius + gap);
        for (int step = 0; step < 60; ++step) {
            const double at = 0.5 * (low + high);
            pose.t = v3_scale(way, at);
            const BerthTreeRequest request = berth_default_tree_request();
            const bool far = berth_tree_distance(query, a, &still, b, &pose, &request).upper > gap;
            *(far ? &high : &low) = at;
        }
        out[i] = pose;
    }
}

static BerthTreeQuery* new_query(BerthEngine engine) {
    BerthTreeQuery* query = NULL;
    if (berth_tree_query_create(1 << 30, NULL, &query) != BERTH_OK ||
        berth_tree_query_use(query, engine, NULL, 0) != BERTH_OK) {
        bench_die("query");
    }
    return query;
}

// Figure 9a: two cubes of 1 m, tiled; the paper's: the extra time of greedy over compact.
static void combine_methods(void) {
    static const double gaps[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0};
    const Vec3 cube[1][2] = {{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}};
    BerthSolid* compact[2];
    BerthSolid* greedy[2];
    for (int i = 0; i < 2; ++i) {
        compact[i] = boxes_solid(cube, 1);
        greedy[i] = boxes_solid(cube, 1);
        add_spheres(compact[i], BERTH_SPHERES_COMPACT, 2, 2.5, 0.06);
        add_spheres(greedy[i], BERTH_SPHERES_GREEDY, 2, 2.5, 0.06);
    }
    BerthTreeQuery* boxes = new_query(BERTH_ENGINE_DEFAULT);
    BerthTreeQuery* query = new_query(BERTH_ENGINE_SPHERES);
    BerthTreeQuery* plain = new_query(BERTH_ENGINE_SPHERES);
    plain->plain_centres = true;
    fprintf(stderr, "\ntwo cubes of 1 m, %d leaves each: greedy over compact\n",
            compact[0]->spheres->leaf_count);
    fprintf(
        stderr,
        "  distance m | tolerance 0: compact us, greedy us, extra | 30 %%: compact us, greedy us, extra\n");
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g) {
        Pose poses[POSES];
        poses_at(boxes, compact[0], compact[1], gaps[g], poses);
        fprintf(stderr, "  %10g |", gaps[g]);
        for (int k = 0; k < 2; ++k) {
            BerthTreeRequest request = berth_default_tree_request();
            request.tolerance = tolerance_of(k == 0 ? 0.0 : 0.3);
            Way ways[3] = {{query, compact[0], compact[1], 0, 0, 0},
                           {query, greedy[0], greedy[1], 0, 0, 0},
                           {plain, compact[0], compact[1], 0, 0, 0}};
            time_ways(ways, 3, poses, &request);
            const char* names[2][3] = {{"compact", "greedy", "compact, plain centres"},
                                       {"compact 30%", "greedy 30%", "compact 30%, plain centres"}};
            for (int w = 0; w < 3; ++w) {
                row("combine", names[k][w], gaps[g], 1e6 * ways[w].seconds, ways[w].bv, ways[w].leaf);
            }
            fprintf(stderr, " %9.1f %9.1f %+6.0f %% (balls %+5.0f %%), kept centres save %4.1f %% |",
                    1e6 * ways[0].seconds, 1e6 * ways[1].seconds,
                    100 * (ways[1].seconds / ways[0].seconds - 1), 100 * (ways[1].bv / ways[0].bv - 1),
                    100 * (1 - ways[0].seconds / ways[2].seconds));
        }
        fprintf(stderr, "\n");
    }
    for (int i = 0; i < 2; ++i) {
        berth_solid_destroy(compact[i]);
        berth_solid_destroy(greedy[i]);
    }
    berth_tree_query_destroy(plain);
    berth_tree_query_destroy(boxes);
    berth_tree_query_destroy(query);
}

// Figure 4: mean radius a level, of both rules, for a body shaped like an L.
static void levels(void) {
    const Vec3 parts[2][2] = {{{0, 0, 0}, {1, 0.3, 0.3}}, {{0, 0, 0.3}, {0.3, 0.3, 1}}};
    BerthSolid* solid = boxes_solid(parts, 2);
    enum { DEEPEST = 24 };
    double sum[2][DEEPEST] = {{0}};
    int count[2][DEEPEST] = {{0}};
    for (int rule = 0; rule < 2; ++rule) {
        add_spheres(solid, rule == 0 ? BERTH_SPHERES_COMPACT : BERTH_SPHERES_GREEDY, 2, 2.5, 0.06);
        const SphereTree* tree = solid->spheres;
        int32_t* level = calloc((size_t)tree->node_count, sizeof *level);
        for (int32_t i = 0; i < tree->node_count; ++i) {
            for (int32_t k = 0; k < tree->nodes[i].count; ++k) {
                level[tree->nodes[i].child + k] = level[i] + 1;
            }
            if (level[i] < DEEPEST) {
                sum[rule][level[i]] += tree->nodes[i].radius;
                count[rule][level[i]] += 1;
            }
        }
        free(level);
    }
    fprintf(stderr,
            "\nL-shaped body (1 m arms): mean radius a level, mm\n  level  balls  compact   greedy  "
            "greedy/compact\n");
    for (int i = 0; i < DEEPEST && count[0][i] > 0; ++i) {
        const double compact = 1e3 * sum[0][i] / count[0][i];
        const double greedy = 1e3 * sum[1][i] / count[1][i];
        fprintf(stderr, "  %5d %6d %8.1f %8.1f %8.3f\n", i, count[0][i], compact, greedy, greedy / compact);
        row("levels", "compact", i, compact, count[0][i], 0);
        row("levels", "greedy", i, greedy, count[1][i], 0);
    }
    berth_solid_destroy(solid);
}

// ---- whole robots ----------------------------------------------------------------------------------------------

typedef struct Near {
    double bound;
    int32_t pair;
} Near;

static int by_bound(const void* a, const void* b) {
    const double x = ((const Near*)a)->bound, y = ((const Near*)b)->bound;
    return x < y ? -1 : x > y;
}

typedef struct Whole {
    const char* label;
    BerthScene* scene;
    bool self;  // pairs of links, else of links and objects
    BerthChecker* checkers[BERTH_ENGINE_COUNT];
    double* states;
    int count;
} Whole;

static Whole open_whole(const char* label, const char* model, int count) {
    Whole whole = {.label = label, .count = count};
    char path[4096];
    snprintf(path, sizeof path, "%s/models/%s/cell.yaml", BERTH_BUILD_DIR, model);
    const BerthIoOptions options = berth_default_io_options();
    if (berth_io_read_scene(path, &options, &whole.scene) != BERTH_OK) {
        bench_die(path);
    }
    for (int e = 0; e < BERTH_ENGINE_COUNT; ++e) {
        BerthCheckerDef def = berth_default_checker_def();
        BerthCheckerLab lab = {0};
        def.lab = &lab;
        lab.engine = (BerthEngine)e;
        if (berth_checker_create(whole.scene, &def, &whole.checkers[e]) != BERTH_OK) {
            bench_die(label);
        }
    }
    // Free states: around the scene's own, further out as they come.
    const int32_t values = whole.scene->value_count;
    whole.states = calloc((size_t)count * (size_t)values, sizeof *whole.states);
    Random random = {7};
    for (int found = 0; found < count;) {
        double* state = whole.states + (size_t)found * (size_t)values;
        for (int32_t i = 0; i < values; ++i) {
            state[i] = berth_scene_values(whole.scene)[i] + bi_random_between(&random, -0.6, 0.6);
        }
        BerthCheckResult result;
        const BerthCheckRequest request = {.distance = false};
        if (berth_check_state(whole.checkers[0], state, &request, &result) == BERTH_OK) {
            found += result.verdict == BERTH_FREE;
        }
    }
    return whole;
}

static void close_whole(Whole* whole) {
    for (int e = 0; e < BERTH_ENGINE_COUNT; ++e) {
        berth_checker_destroy(whole->checkers[e]);
    }
    berth_scene_destroy(whole->scene);
    free(whole->states);
}

static double ball_gap(const BerthChecker* c, const ScenePair* pair) {
    const CheckBody *a = &c->bodies[pair->body_a], *b = &c->bodies[pair->body_b];
    return v3_distance(a->centre, b->centre) - a->radius - b->radius;
}

// The smallest distance of all pairs that move, best so far as the next one's max_d; ends at min_d.
static double smallest(BerthChecker* c, bool self, const double* values, const BerthTreeRequest* asked,
                       BerthCounters* sum) {
    static Near near[PAIRS_MAX];
    const BerthScene* scene = c->scene;
    int32_t count = 0;
    bi_check_place(c, values);
    for (int32_t i = 0; i < scene->pair_count && count < PAIRS_MAX; ++i) {
        const bool own = scene->bodies[scene->pairs[i].body_a].robot >= 0 &&
                         scene->bodies[scene->pairs[i].body_b].robot >= 0;
        if (!scene->pairs[i].constant && own == self) {
            near[count++] = (Near){ball_gap(c, &scene->pairs[i]), i};
        }
    }
    qsort(near, (size_t)count, sizeof *near, by_bound);
    BerthTreeRequest request = *asked;
    for (int32_t i = 0; i < count && near[i].bound <= request.max_d && request.max_d > request.min_d; ++i) {
        const SceneBody* a = &scene->bodies[scene->pairs[near[i].pair].body_a];
        const SceneBody* b = &scene->bodies[scene->pairs[near[i].pair].body_b];
        for (int32_t k = 0; k < a->part_count * b->part_count; ++k) {
            const int32_t pa = a->first_part + k % a->part_count, pb = b->first_part + k / a->part_count;
            const BerthTreeAnswer d =
                berth_tree_distance(c->query, scene->parts[pa].solid, &c->world_from_part[pa],
                                    scene->parts[pb].solid, &c->world_from_part[pb], &request);
            sum->bv_tests += d.counters.bv_tests;
            sum->leaf_tests += d.counters.leaf_tests + d.counters.shape_tests;
            request.max_d = d.upper < request.max_d ? d.upper : request.max_d;
        }
    }
    return request.max_d;
}

// What the robot has around it, or of itself, when its values are `begin` + t (`end` - `begin`).
static double distance_at(const Whole* whole, const double* begin, const double* end, double t,
                          double* values) {
    const BerthTreeRequest request = berth_default_tree_request();
    BerthCounters unused = {0};
    for (int32_t i = 0; i < whole->scene->value_count; ++i) {
        values[i] = begin[i] + t * (end[i] - begin[i]);
    }
    return smallest(whole->checkers[BERTH_ENGINE_DEFAULT], whole->self, values, &request, &unused);
}

// As many states whose smallest distance is `gap`: from each state towards a random one in collision, as far as that.
static Whole moved_to(const Whole* whole, const char* label, double gap) {
    Whole moved = *whole;
    const size_t values = (size_t)whole->scene->value_count;
    double* end = calloc(values, sizeof *end);
    Random random = {11};
    moved.label = label;
    moved.states = calloc((size_t)whole->count * values, sizeof *moved.states);
    for (int i = 0; i < whole->count; ++i) {
        const double* begin = whole->states + (size_t)i * values;
        double* state = moved.states + (size_t)i * values;
        for (double nearest = INFINITY; nearest > gap;) {
            for (int32_t r = 0; r < whole->scene->robot_count; ++r) {
                bi_robot_random_values(whole->scene->robots[r].robot, &random,
                                       end + whole->scene->robots[r].first_value);
            }
            nearest = distance_at(whole, end, end, 0.0, state);
        }
        double low = 0.0, high = 1.0;
        for (int step = 0; step < 40; ++step) {
            const double t = 0.5 * (low + high);
            *(distance_at(whole, begin, end, t, state) > gap ? &low : &high) = t;
        }
        distance_at(whole, begin, end, low, state);
    }
    free(end);
    return moved;
}

// One request on all states by one engine, or by spheres with and without kept centres (`plain` as well).
static void time_whole(const Whole* whole, const char* table, double x, const BerthTreeRequest* request,
                       const BerthEngine* engines, int count, bool plain) {
    double times[BERTH_ENGINE_COUNT + 1][BLOCKS];
    double mean = 0.0;
    BerthCounters sums[BERTH_ENGINE_COUNT + 1] = {{0}};
    const int ways = count + (plain ? 1 : 0);
    for (int block = 0; block < BLOCKS; ++block) {
        for (int w = 0; w < ways; ++w) {
            BerthChecker* c = whole->checkers[w < count ? engines[w] : BERTH_ENGINE_SPHERES];
            c->query->plain_centres = w >= count;
            const double t0 = cpu_now();
            for (int i = 0; i < whole->count; ++i) {
                const double d =
                    smallest(c, whole->self, whole->states + (size_t)i * (size_t)whole->scene->value_count,
                             request, &sums[w]);
                mean += isfinite(d) ? d / (whole->count * BLOCKS * ways) : 0.0;
            }
            times[w][block] = (cpu_now() - t0) / whole->count;
            c->query->plain_centres = false;
        }
    }
    fprintf(stderr, "  %-18s %-10s %8g | mean %6.1f mm |", whole->label, table, x, 1e3 * mean);
    const double each = 1.0 / (whole->count * BLOCKS);
    for (int w = 0; w < ways; ++w) {
        const double us = 1e6 * bench_median(times[w], BLOCKS);
        const char* name = w < count ? berth_engine_name(engines[w]) : "spheres, plain";
        char series[80];
        snprintf(series, sizeof series, "%s %s", whole->label, name);
        row_at(table, series, x, us, (double)sums[w].bv_tests * each, (double)sums[w].leaf_tests * each,
               1e3 * mean);
        fprintf(stderr, " %s %9.1f us %8.0f volumes %6.0f leaves |", name, us,
                (double)sums[w].bv_tests * each, (double)sums[w].leaf_tests * each);
    }
    fprintf(stderr, "\n");
}

static const BerthEngine spheres_only[] = {BERTH_ENGINE_SPHERES};

static void over_min(const Whole* whole) {
    static const double nearest[] = {0.0, 0.002, 0.005, 0.01, 0.02, 0.05};
    for (size_t i = 0; i < sizeof nearest / sizeof nearest[0]; ++i) {
        BerthTreeRequest request = berth_default_tree_request();
        request.min_d = nearest[i];
        time_whole(whole, "min_d", nearest[i], &request, spheres_only, 1, false);
    }
}

static void over_tolerance(const Whole* whole, bool margin) {
    static const double alphas[] = {0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7};
    for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; ++i) {
        BerthTreeRequest request = berth_default_tree_request();
        request.min_d = margin ? 0.01 : 0.0;
        request.tolerance = tolerance_of(alphas[i]);
        time_whole(whole, margin ? "tolerance; min_d 10 mm" : "tolerance", alphas[i], &request, spheres_only,
                   1, false);
    }
}

// Nearer and nearer, with and without a margin of 10 mm, with and without a tolerance (figure 10a).
static void approaching(const Whole* whole) {
    static const double gaps[] = {0.001, 0.002, 0.005, 0.009, 0.012, 0.02, 0.05, 0.1, 0.2};
    static const char* const tables[2][2] = {{"approach; 0 mm; 0 %", "approach; 0 mm; 30 %"},
                                             {"approach; 10 mm; 0 %", "approach; 10 mm; 30 %"}};
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; ++i) {
        Whole moved = moved_to(whole, whole->label, gaps[i]);
        for (int k = 0; k < 4; ++k) {
            BerthTreeRequest request = berth_default_tree_request();
            request.min_d = k >= 2 ? 0.01 : 0.0;
            request.tolerance = tolerance_of(k % 2 ? 0.3 : 0.0);
            time_whole(&moved, tables[k / 2][k % 2], gaps[i], &request, spheres_only, 1, false);
        }
        free(moved.states);
    }
}

static void whole_robots(int states) {
    static const BerthEngine all[] = {BERTH_ENGINE_DEFAULT, BERTH_ENGINE_RSS, BERTH_ENGINE_SPHERES};
    static const double farthest[] = {0.001, 0.003, 0.01, 0.02, 0.03, 0.05,
                                      0.1,   0.3,   0.5,  0.7,  1.0,  INFINITY};
    const char* models[2][2] = {{"humanoid", "humanoid23"}, {"kitchen", "kitchen"}};
    fprintf(stderr, "\nwhole robots, smallest distance of all pairs, %d free states\n", states);
    for (int m = 0; m < 2; ++m) {
        Whole whole = open_whole(models[m][0], models[m][1], states);
        whole.self = m == 0;
        BerthTreeRequest request = berth_default_tree_request();
        time_whole(&whole, "engines", 0.0, &request, all, 3, true);
        for (size_t i = 0; i < sizeof farthest / sizeof farthest[0]; ++i) {
            request.max_d = farthest[i];
            time_whole(&whole, "max_d", farthest[i], &request, spheres_only, 1, false);
        }
        over_tolerance(&whole, false);
        if (whole.self) {
            over_min(&whole);
            over_tolerance(&whole, true);
        } else {  // a margin of millimetres matters to those who are close
            approaching(&whole);
            Whole moved = moved_to(&whole, "kitchen 5 mm off", 0.005);
            over_min(&moved);
            free(moved.states);
            moved = moved_to(&whole, "kitchen 20 mm off", 0.02);
            over_tolerance(&moved, false);
            over_tolerance(&moved, true);
            free(moved.states);
        }
        close_whole(&whole);
    }
}

// ---- the paper's whole combination ------------------------------------------------------------------------------

enum { COMBINATIONS = 4 };
static const char* const combination_names[COMBINATIONS] = {"pair by pair", "hierarchy, tables of balls",
                                                            "hierarchy, proven tables",
                                                            "hierarchy by M, tables of balls"};

/// A robot with itself, or with what is around it alone.
typedef struct Combined {
    Whole whole;                           // the loop over pairs, and the states
    BerthScene* scene;                     // without the pairs that are not asked about
    BerthChecker* checkers[COMBINATIONS];  // by sphere trees; the first is the loop's
} Combined;

// Links against each other are not asked about in the kitchen.
static void leave_out_self(BerthScene* scene) {
    enum { BODIES = 128, NAME = 64 };
    static char names[BODIES][NAME];  // an edit takes the bodies away
    int count = 0;
    for (int32_t i = 0; i < berth_scene_body_count(scene) && count < BODIES; ++i) {
        if (berth_scene_body(scene, i).link >= 0) {
            snprintf(names[count++], NAME, "%s", berth_scene_body(scene, i).name);
        }
    }
    for (int a = 0; a < count; ++a) {
        for (int b = a + 1; b < count; ++b) {
            if (berth_scene_allow(scene, names[a], names[b]) != BERTH_OK) {
                bench_die(names[a]);
            }
        }
    }
    if (berth_scene_commit(scene) != BERTH_OK) {
        bench_die("kitchen");
    }
}

// Tables hold within limits.
static void keep_limits(Whole* whole) {
    const BerthRobot* robot = whole->scene->robots[0].robot;
    for (int i = 0; i < whole->count; ++i) {
        double* state = whole->states + (size_t)i * (size_t)whole->scene->value_count;
        for (int32_t k = 0; k < robot->value_count; ++k) {
            const RobotValue* value = &robot->values[k];
            state[k] = value->has_limits ? fmin(fmax(state[k], value->lower), value->upper) : state[k];
        }
    }
}

static Combined open_combined(const char* label, const char* model, bool self, int states) {
    static const BerthCheckerLab labs[COMBINATIONS] = {
        {.engine = BERTH_ENGINE_SPHERES, .tables = BERTH_TABLES_NONE},
        {.engine = BERTH_ENGINE_SPHERES, .tables = BERTH_TABLES_BALLS},
        {.engine = BERTH_ENGINE_SPHERES, .tables = BERTH_TABLES_PROVEN},
        {.engine = BERTH_ENGINE_SPHERES, .tables = BERTH_TABLES_BALLS, .subtrees = BERTH_SUBTREES_SWEPT}};
    Combined out = {.whole = open_whole(label, model, states)};
    out.whole.self = self;
    keep_limits(&out.whole);
    char path[4096];
    snprintf(path, sizeof path, "%s/models/%s/cell.yaml", BERTH_BUILD_DIR, model);
    const BerthIoOptions options = berth_default_io_options();
    if (berth_io_read_scene(path, &options, &out.scene) != BERTH_OK) {
        bench_die(path);
    }
    if (!self) {
        leave_out_self(out.scene);
    }
    for (int w = 0; w < COMBINATIONS; ++w) {
        BerthCheckerDef def = berth_default_checker_def();
        def.lab = &labs[w];
        if (berth_checker_create(out.scene, &def, &out.checkers[w]) != BERTH_OK) {
            bench_die(label);
        }
    }
    return out;
}

static void close_combined(Combined* combined) {
    for (int w = 0; w < COMBINATIONS; ++w) {
        berth_checker_destroy(combined->checkers[w]);
    }
    berth_scene_destroy(combined->scene);
    close_whole(&combined->whole);
}

// The smallest distance of a state through the checker: the list of comparisons, then sphere trees.
static double ask_checker(const Combined* combined, int way, const double* values,
                          const BerthTreeRequest* asked, BerthCounters* sum) {
    const BerthCheckRequest request = {.distance = true,
                                       .tolerance = asked->tolerance,
                                       .near_enough = asked->min_d,
                                       .far_enough = isfinite(asked->max_d) ? asked->max_d : 0.0};
    BerthCheckResult result;
    const BerthStatus status = combined->whole.self
                                   ? berth_check_self(combined->checkers[way], 0, values, &request, &result)
                                   : berth_check_state(combined->checkers[way], values, &request, &result);
    if (status != BERTH_OK) {
        bench_die("a state");
    }
    sum->bv_tests += result.counters.bv_tests;
    sum->leaf_tests += result.counters.leaf_tests + result.counters.shape_tests;
    if (result.verdict == BERTH_COLLISION) {
        return 0.0;
    }
    return result.has_clearance ? fmin(result.clearance.upper, asked->max_d) : asked->max_d;
}

// How many comparisons of balls the walk makes for a verdict, before any tree: those of the list for the margin.
static void count_comparisons(const Combined* combined, const double* states, const char* label) {
    fprintf(stderr, "  %-18s comparisons for a verdict |", label);
    for (int w = 1; w < COMBINATIONS; ++w) {
        BerthChecker* checker = combined->checkers[w];
        const CompareList* list = &checker->comparisons;
        int64_t steps = 0, pairs = 0;
        for (int k = 0; k < combined->whole.count; ++k) {
            const BerthTreeRequest request = berth_default_tree_request();
            BerthCounters unused = {0};
            const double* values = states + (size_t)k * (size_t)combined->whole.scene->value_count;
            (void)ask_checker(combined, w, values, &request, &unused);  // puts the balls in place
            for (int32_t i = 0; i < list->near_count; ++steps) {
                const CompareStep* step = &list->near[i];
                const PlacedBall *a = &list->placed[step->a], *b = &list->placed[step->b];
                const bool apart =
                    v3_distance(a->centre, b->centre) > a->reach + b->reach + (double)step->padding;
                pairs += !apart && step->pair >= 0;
                i += apart ? step->skip : 1;
            }
        }
        char series[96];
        snprintf(series, sizeof series, "%s; %s", label, combination_names[w]);
        row("whole steps", series, 0, (double)steps / combined->whole.count, 0, 0);
        row("whole pairs", series, 0, (double)pairs / combined->whole.count, 0, 0);
        fprintf(stderr, " %s: %.1f (%d in the list), %.1f pairs left |", combination_names[w],
                (double)steps / combined->whole.count, list->near_count,
                (double)pairs / combined->whole.count);
    }
    fprintf(stderr, "\n");
}

static void time_combined(const Combined* combined, const double* states, const char* label,
                          const char* table, double x, const BerthTreeRequest* request) {
    double times[COMBINATIONS][BLOCKS];
    double mean[COMBINATIONS] = {0};
    BerthCounters sums[COMBINATIONS] = {{0}};
    const int count = combined->whole.count;
    for (int block = 0; block < BLOCKS; ++block) {
        for (int w = 0; w < COMBINATIONS; ++w) {
            const double t0 = cpu_now();
            for (int i = 0; i < count; ++i) {
                const double* values = states + (size_t)i * (size_t)combined->whole.scene->value_count;
                const double d = w == 0 ? smallest(combined->whole.checkers[BERTH_ENGINE_SPHERES],
                                                   combined->whole.self, values, request, &sums[w])
                                        : ask_checker(combined, w, values, request, &sums[w]);
                mean[w] += isfinite(d) ? d / (count * BLOCKS) : 0.0;
            }
            times[w][block] = (cpu_now() - t0) / count;
        }
    }

    fprintf(stderr, "  %-18s %-24s %8g |", label, table, x);
    const double each = 1.0 / (count * BLOCKS);
    for (int w = 0; w < COMBINATIONS; ++w) {
        const double us = 1e6 * bench_median(times[w], BLOCKS);
        char series[96], name[96];
        snprintf(series, sizeof series, "%s; %s", label, combination_names[w]);
        snprintf(name, sizeof name, "whole %s", table);
        row_at(name, series, x, us, (double)sums[w].bv_tests * each, (double)sums[w].leaf_tests * each,
               1e3 * mean[w]);
        fprintf(stderr, " %8.1f us %7.0f balls %6.1f mm |", us, (double)sums[w].bv_tests * each,
                1e3 * mean[w]);
    }
    fprintf(stderr, "\n");
}

static void combine_ranges(const Combined* combined) {
    static const double farthest[] = {0.001, 0.01, 0.03, 0.1, 0.3, 1.0, INFINITY};
    const Whole* whole = &combined->whole;
    for (size_t i = 0; i < sizeof farthest / sizeof farthest[0]; ++i) {
        BerthTreeRequest request = berth_default_tree_request();
        request.max_d = farthest[i];
        time_combined(combined, whole->states, whole->label, "max_d", farthest[i], &request);
    }
}

static void combine_near(const Combined* combined, const double* states, const char* label) {
    static const double nearest[] = {0.0, 0.002, 0.005, 0.01, 0.02, 0.05};
    static const double alphas[] = {0.0, 0.1, 0.3, 0.5, 0.7};
    for (size_t i = 0; i < sizeof nearest / sizeof nearest[0]; ++i) {
        BerthTreeRequest request = berth_default_tree_request();
        request.min_d = nearest[i];
        time_combined(combined, states, label, "min_d", nearest[i], &request);
    }
    for (int margin = 0; margin < 2; ++margin) {
        for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; ++i) {
            BerthTreeRequest request = berth_default_tree_request();
            request.min_d = margin == 1 ? 0.01 : 0.0;
            request.tolerance = tolerance_of(alphas[i]);
            time_combined(combined, states, label, margin == 1 ? "tolerance; min_d 10 mm" : "tolerance",
                          alphas[i], &request);
        }
    }
}

// Figures 9b, 10a and 10b by all of it: hierarchy, three steps, tables, sphere trees.
static void whole_combination(int states) {
    fprintf(stderr, "\nwhole combination, %d free states: ", states);
    for (int w = 0; w < COMBINATIONS; ++w) {
        fprintf(stderr, "%s%s", combination_names[w], w + 1 < COMBINATIONS ? " | " : "\n");
    }
    Combined humanoid = open_combined("humanoid", "humanoid23", true, states);
    count_comparisons(&humanoid, humanoid.whole.states, "humanoid");
    combine_ranges(&humanoid);
    combine_near(&humanoid, humanoid.whole.states, "humanoid");
    close_combined(&humanoid);

    Combined kitchen = open_combined("kitchen", "kitchen", false, states);
    count_comparisons(&kitchen, kitchen.whole.states, "kitchen");
    combine_ranges(&kitchen);
    combine_near(&kitchen, kitchen.whole.states, "kitchen");
    Whole moved = moved_to(&kitchen.whole, "kitchen 5 mm off", 0.005);
    combine_near(&kitchen, moved.states, "kitchen 5 mm off");
    free(moved.states);
    close_combined(&kitchen);
}

// ---- building and cutting --------------------------------------------------------------------------------------

// A bumpy ball of about `triangles`.
static BerthSolid* ball_solid(int triangles) {
    const int rings = (int)sqrt(triangles / 4.0), around = 2 * rings;
    Vec3* vertices = calloc((size_t)(rings + 1) * (size_t)around, sizeof *vertices);
    int32_t* corners = calloc((size_t)rings * (size_t)around * 6, sizeof *corners);
    int32_t used = 0;
    for (int i = 0; i <= rings; ++i) {
        for (int k = 0; k < around; ++k) {
            const double up = M_PI * i / rings, turn = 2 * M_PI * k / around;
            const double r = 0.5 + 0.03 * sin(9 * up) * cos(7 * turn);
            vertices[i * around + k] = v3(r * sin(up) * cos(turn), r * sin(up) * sin(turn), r * cos(up));
        }
    }
    for (int i = 0; i < rings; ++i) {
        for (int k = 0; k < around; ++k) {
            const int32_t a = i * around + k, b = i * around + (k + 1) % around;
            const int32_t six[6] = {a, a + around, b, b, a + around, b + around};
            memcpy(corners + used, six, sizeof six);
            used += 6;
        }
    }
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    if (berth_mesh_create(vertices, (rings + 1) * around, corners, used / 3, NULL, &mesh) != BERTH_OK ||
        berth_solid_from_mesh(mesh, NULL, &solid) != BERTH_OK) {
        bench_die("ball");
    }
    free(vertices);
    free(corners);
    return solid;
}

static void building(void) {
    static const char* const rules[] = {"compact", "greedy", "growing", "ritter"};
    fprintf(stderr, "\nbuilding\n");
    for (int size = 1000; size <= 100000; size *= 10) {
        BerthSolid* solid = ball_solid(size);
        for (int rule = 0; rule < BERTH_SPHERES_RULE_COUNT; ++rule) {
            double times[3];
            for (int i = 0; i < 3; ++i) {
                const double t0 = cpu_now();
                add_spheres(solid, (BerthSphereRule)rule, 2, 8.0, 0.0);
                times[i] = cpu_now() - t0;
            }
            const SphereTree* tree = solid->spheres;
            double radii = 0.0;
            for (int32_t i = 0; i < tree->node_count; ++i) {
                radii += tree->nodes[i].radius;
            }
            fprintf(stderr,
                    "  %6d triangles, %-8s %8.1f ms, %6d leaves, depth %d, mean radius %.4f mm, %.0f bytes a "
                    "triangle\n",
                    solid->triangle_count, rules[rule], 1e3 * bench_median(times, 3), tree->leaf_count,
                    tree->depth, 1e3 * radii / tree->node_count,
                    (double)bi_tree_sphere_bytes(tree) / solid->triangle_count);
            row("build", rules[rule], solid->triangle_count, 1e6 * bench_median(times, 3),
                1e3 * radii / tree->node_count, tree->leaf_count);
        }
        berth_solid_destroy(solid);
    }
}

static BerthSolid* read_solid(const char* file) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", BERTH_SHARED_DIR, file);
    const BerthIoOptions options = berth_default_io_options();
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    if (berth_io_read_mesh(path, v3(1, 1, 1), &options, &mesh) != BERTH_OK ||
        berth_solid_from_mesh(mesh, NULL, &solid) != BERTH_OK) {
        fprintf(stderr, "  SKIP: %s\n", berth_error_text());
        return NULL;
    }
    return solid;
}

// How finely leaves are cut, and how many children a node has.
static void cutting(const char* label, const char* file_a, const char* file_b, double gap) {
    static const double cuts[][3] = {{2, 2.5, 1.0 / 16}, {2, 2.5, 0.25}, {2, 8, 0.125}, {2, 8, 0.25},
                                     {2, 1e9, 0.25},     {2, 1e9, 100},  {4, 8, 0.25},  {8, 8, 0.25}};
    BerthSolid* a = read_solid(file_a);
    BerthSolid* b = read_solid(file_b);
    if (a != NULL && b != NULL) {
        BerthTreeQuery* boxes = new_query(BERTH_ENGINE_DEFAULT);
        BerthTreeQuery* rss = new_query(BERTH_ENGINE_RSS);
        const BerthSolid* const both[2] = {a, b};
        if (berth_tree_query_use(rss, BERTH_ENGINE_RSS, both, 2) != BERTH_OK) {
            bench_die("RSS trees");
        }
        BerthTreeQuery* query = new_query(BERTH_ENGINE_SPHERES);
        Pose poses[POSES];
        poses_at(boxes, a, b, gap, poses);
        fprintf(stderr, "\n%s, %g m apart: children, length over height, leaf over radius\n", label, gap);
        for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; ++i) {
            add_spheres(a, BERTH_SPHERES_COMPACT, (int)cuts[i][0], cuts[i][1], cuts[i][2] * a->radius);
            add_spheres(b, BERTH_SPHERES_COMPACT, (int)cuts[i][0], cuts[i][1], cuts[i][2] * b->radius);
            const BerthTreeRequest request = berth_default_tree_request();
            Way ways[3] = {{query, a, b, 0, 0, 0}, {boxes, a, b, 0, 0, 0}, {rss, a, b, 0, 0, 0}};
            time_ways(ways, i == 0 ? 3 : 1, poses, &request);
            char series[96];
            snprintf(series, sizeof series, "%s; %g; %g; %g", label, cuts[i][0], cuts[i][1], cuts[i][2]);
            row("cut", series, gap, 1e6 * ways[0].seconds, ways[0].bv, ways[0].leaf);
            fprintf(stderr, "  %g %6g %7.4f: %6d leaves, %8.1f us %7.0f balls %5.0f leaf pairs", cuts[i][0],
                    cuts[i][1], cuts[i][2], a->spheres->leaf_count, 1e6 * ways[0].seconds, ways[0].bv,
                    ways[0].leaf);
            if (i == 0) {
                fprintf(stderr, "   (boxes %.1f us, rss %.1f us)", 1e6 * ways[1].seconds,
                        1e6 * ways[2].seconds);
            }
            fprintf(stderr, "\n");
        }
        berth_tree_query_destroy(boxes);
        berth_tree_query_destroy(rss);
        berth_tree_query_destroy(query);
    }
    berth_solid_destroy(a);
    berth_solid_destroy(b);
}

// ---- covering balls --------------------------------------------------------------------------------------------

static BerthRobot* read_robot(const char* file) {
    char path[4096];
    snprintf(path, sizeof path, "%s/robots/%s", BERTH_SHARED_DIR, file);
    const BerthIoOptions options = berth_default_io_options();
    BerthRobot* robot = NULL;
    if (berth_io_read_robot(path, NULL, &options, &robot) != BERTH_OK) {
        fprintf(stderr, "  SKIP: %s\n", berth_error_text());
    }
    return robot;
}

static void tell_cover(const char* series, const BerthSpheres* spheres, double seconds) {
    double volume = 0, solid = 0, most = 0, mean = 0, weight = 0, outside = 0, farthest = 0;
    int count = 0, open = 0;
    for (int32_t i = 0; i < berth_spheres_group_count(spheres); ++i) {
        const BerthSphereGroup group = berth_spheres_group(spheres, i);
        const double surface = cbrt(group.volume * group.volume);  // about the union's
        count += group.count;
        open += group.has_geometry && !group.covered;
        volume += group.volume;
        solid += group.solid_volume;
        most = fmax(most, group.protrusion);
        mean += surface * group.mean_protrusion;
        outside += surface * group.outside_share;
        weight += surface;
        farthest = fmax(farthest, group.outside_most);
    }
    const struct {
        const char* name;
        double value;
    } facts[] = {{"balls", count},
                 {"links not proven covered", open},
                 {"volume m3", volume},
                 {"volume over solid", volume / solid},
                 {"protrusion most mm", 1e3 * most},
                 {"protrusion mean mm", 1e3 * mean / weight},
                 {"surface outside %", 100 * outside / weight},
                 {"outside most mm", 1e3 * farthest},
                 {"processor s", seconds}};
    fprintf(stderr, "  %s:", series);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; ++i) {
        char name[128];
        snprintf(name, sizeof name, "%s; %s", series, facts[i].name);
        row("fit", name, count, facts[i].value, 0, 0);
        fprintf(stderr, " %s %.4g,", facts[i].name, facts[i].value);
    }
    fprintf(stderr, "\n");
}

// The Panda in 59 balls, beside those that a planner ships.
static void covering(void) {
    BerthRobot* robot = read_robot("moveit_resources_panda_description/urdf/panda.urdf");
    BerthRobot* shipped = read_robot("panda_mbm/panda_spherized.urdf");
    BerthSpheres* spheres = NULL;
    BerthSpheresDef def = berth_default_spheres_def();
    def.count = 59;
    fprintf(stderr, "\nPanda covered by 59 balls\n");
    if (robot != NULL) {
        const double t0 = cpu_now();
        if (berth_robot_fit_spheres(robot, -1, &def, &spheres) != BERTH_OK) {
            bench_die("fit");
        }
        tell_cover("berth", spheres, cpu_now() - t0);
        berth_spheres_destroy(spheres);
    }
    if (robot != NULL && shipped != NULL) {
        const double t0 = cpu_now();
        if (berth_robot_measure_spheres(robot, shipped, &def, NULL, &spheres) != BERTH_OK) {
            bench_die("measure");
        }
        tell_cover("shipped", spheres, cpu_now() - t0);
        berth_spheres_destroy(spheres);
    }
    berth_robot_destroy(shipped);
    berth_robot_destroy(robot);
}

int main(int count, char** arguments) {
    const bool whole_only = count > 1 && strcmp(arguments[1], "whole") == 0;
    const int number = whole_only ? 2 : 1;
    const int asked = count > number ? atoi(arguments[number]) : 20;
    const int states = asked > 0 ? asked : 1;
    printf("bench,table,series,x,value,volumes,leaves,distance_mm,machine,compiler,commit\n");
    if (whole_only) {
        row("whole run", "states", 0, states, 0, 0);
        whole_combination(states);
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "fit") == 0) {
        covering();
        return 0;
    }
    row("run", "states", 0, states, 0, 0);
    levels();
    building();
    combine_methods();
    cutting("env.obj - rob.obj", "meshes/env.obj", "meshes/rob.obj", 20.0);
    cutting("Panda link5 - hand", "robots/moveit_resources_panda_description/meshes/collision/link5.stl",
            "robots/moveit_resources_panda_description/meshes/collision/hand.stl", 0.02);
    covering();
    whole_robots(states);
    row("whole run", "states", 0, states, 0, 0);
    whole_combination(states);
    return 0;
}
