// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The fast engine: certified segments and states in wide lanes, side by side with FCL from Debian in one run, one thread.
// FCL samples every 0.01 rad by bisection on the meshes and stops at the first collision; its kinematics is not counted. Segments
// have ends that both models call free and are 0.1 to 1 rad long. Of both the processor time of the best round counts: machines are
// shared. Single questions are too short for that clock: of them the best of some rounds by the clock on the wall.
//   spheres   a sphere model alone, like for like with what other fast checkers ask
//   meshes    the robot itself: spheres decide what they can, meshes the rest
//   alone     nanoseconds of the sphere model, without a peer: batches, single states, edges by length and verdict
//   growth    10 to 10,000 boxes at equal local density
//   large     a mesh of 1,000,000 triangles and a map of 256^3 cells beside ten boxes
//   layout    what a layout takes for few and for many questions, and single questions by each, of seven robots
// usage: bench_fast [spheres|meshes|alone|growth|large|layout]...

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fast/fast.h"
#include "lanes/lanes.h"
#include "support/cell.h"
#include "support/clock.h"

enum { SEGMENTS = 500, PEER_ROUNDS = 5, STATES = 20000, ROUNDS = 40 };
static const double RESOLUTION = 0.01;  // radian

static const char PANDA_SRDF[] = "panda_mbm/panda.srdf";
static const char PANDA_SPHERES[] = "panda_mbm/panda_spherized.urdf";

// ---- FCL ----------------------------------------------------------------------------------------------------------

// What it takes to look at the clock, which is not the peer's time.
static double clock_cost(void) {
    static double cost = INFINITY;
    for (int i = 0; i < 1000 && cost == (double)INFINITY; ++i) {
        double least = INFINITY;
        for (int k = 0; k < 1000; ++k) {
            const double t0 = bench_thread_now();
            least = fmin(least, bench_thread_now() - t0);
        }
        cost = least;
    }
    return cost;
}

static int peer_at(Setting* s, const double* values, double* poses, double* seconds) {
    bi_check_place(s->checker, values);
    for (int32_t p = 0; p < s->body_parts; ++p) {
        fcl_rows(&s->checker->world_from_part[p], poses + 12 * (size_t)p);
    }
    const double t0 = bench_thread_now();
    const int hit = peer_fcl_world_check(s->peer, poses);
    *seconds += bench_thread_now() - t0 - clock_cost();
    return hit;
}

// Both ends, then middles of ever shorter parts.
static int peer_segment(Setting* s, const double* from, const double* to, double* poses, double* seconds) {
    const BerthSegment segment = {.value_count = s->scene->value_count, .from = from, .to = to};
    double longest = 0.0, values[256];
    for (int32_t i = 0; i < segment.value_count; ++i) {
        longest = fmax(longest, fabs(to[i] - from[i]));
    }
    int hit = 0;
    for (int level = -1; !hit && (level < 0 || longest / (double)(1 << level) > RESOLUTION); ++level) {
        const int count = level < 0 ? 2 : 1 << level;
        for (int i = 0; i < count && !hit; ++i) {
            const double t = level < 0 ? (double)i : (i + 0.5) / count;
            berth_segment_values(s->scene, &segment, t, values);
            hit = peer_at(s, values, poses, seconds);
        }
    }
    return hit;
}

// ---- segments of both models ----------------------------------------------------------------------------------------

BerthBatch* fast_open_batch(const BerthScene* scene, BerthBatchKind kind) {
    BerthBatchDef def = berth_default_batch_def();
    BerthBatch* batch = NULL;
    def.kind = kind;
    def.threads = 1;
    def.expected_rows = INT64_MAX;
    if (berth_batch_create(scene, &def, &batch) != BERTH_OK) {
        bench_die("batch");
    }
    return batch;
}

static BerthVerdict state_verdict(Setting* s, const double* values) {
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    berth_check_state(s->checker, values, &request, &result);
    return result.verdict;
}

// Rows of two states, `count` of them; ends are free for both settings (which may be one).
static double* draw_segments(Setting* a, Setting* b, int count) {
    const int32_t n = a->scene->value_count;
    double* rows = malloc((size_t)count * 2 * (size_t)n * sizeof *rows);
    Random random = {11};
    for (int i = 0; i < count;) {
        double *from = rows + (size_t)i * 2 * (size_t)n, *to = from + n, sq = 0.0;
        for (int32_t r = 0; r < a->scene->robot_count; ++r) {
            const SceneRobot* robot = &a->scene->robots[r];
            bi_robot_random_values(robot->robot, &random, from + robot->first_value);
            bi_robot_random_values(robot->robot, &random, to + robot->first_value);
        }
        for (int32_t k = 0; k < n; ++k) {
            sq += (to[k] - from[k]) * (to[k] - from[k]);
        }
        const double share = bi_random_between(&random, 0.1, 1.0) / sqrt(sq);
        for (int32_t k = 0; k < n; ++k) {
            to[k] = from[k] + share * (to[k] - from[k]);
        }
        i += state_verdict(a, from) == BERTH_FREE && state_verdict(a, to) == BERTH_FREE &&
             state_verdict(b, from) == BERTH_FREE && state_verdict(b, to) == BERTH_FREE;
    }
    return rows;
}

/// What one engine made of the segments.
typedef struct Times {
    double mean, middle;  // seconds a segment: of all, and of the middle one
    int verdicts[3];
} Times;

static Times ask_segments(BerthBatch* batch, const double* rows, int count) {
    Times out = {0};
    uint8_t verdicts[SEGMENTS];
    double each[SEGMENTS], best = INFINITY;
    BerthBatchResult result;
    for (int i = 0; i < count; ++i) {
        each[i] = INFINITY;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        const double t0 = bench_thread_now();
        berth_batch_ask_worker(batch, 0, rows, count, verdicts, NULL, &result);
        best = fmin(best, bench_thread_now() - t0);
        for (int i = 0; round < 5 && i < count; ++i) {
            const double t = bench_now();
            berth_batch_ask_worker(batch, 0, rows + (size_t)i * (size_t)berth_batch_row_size(batch), 1,
                                   verdicts, NULL, &result);
            each[i] = fmin(each[i], bench_now() - t);
        }
    }
    berth_batch_ask_worker(batch, 0, rows, count, verdicts, NULL, &result);
    for (int i = 0; i < count; ++i) {
        out.verdicts[verdicts[i]] += 1;
    }
    out.mean = best / count;
    out.middle = bench_median(each, count);
    return out;
}

// Of the segments, those that lanes alone decided.
double fast_decided_share(const BerthBatch* batch, const double* rows, int count) {
    int decided = 0;
    for (int i = 0; i < count && batch->workers[0].motion->lanes != NULL; ++i) {
        const double* from = rows + (size_t)i * (size_t)batch->row_size;
        LanesSegmentAnswer answer;
        bi_lanes_ask_segments(batch->workers[0].motion->lanes, from, 0, 1, 1e-4, &answer);
        decided += answer.verdict != LANES_OPEN;
    }
    return (double)decided / count;
}

static void print_row(const char* what, const char* label, double ours, double theirs, const Times* times,
                      double share) {
    printf("fast,%s,%s,%.6g,%.6g,%.5g,%.4g,%d,%d,%d,%.4g,", what, label, 1.0 / ours, 1.0 / theirs,
           theirs / ours, 1e9 * times->middle, times->verdicts[BERTH_FREE], times->verdicts[BERTH_COLLISION],
           times->verdicts[BERTH_UNKNOWN], share);
    bench_print_who();
    printf("\n");
}

// FCL on the meshes of `truth`, ours on `asked`: the same robot, or its sphere model.
static void compare_segments(const char* what, Setting* truth, Setting* asked) {
    double* rows = draw_segments(truth, asked, SEGMENTS);
    const int32_t n = truth->scene->value_count;
    double* poses = malloc((size_t)truth->body_parts * 12 * sizeof *poses);
    double peer = INFINITY;
    for (int round = 0; round < PEER_ROUNDS; ++round) {
        double seconds = 0.0;
        for (int i = 0; i < SEGMENTS; ++i) {
            const double* from = rows + (size_t)i * 2 * (size_t)n;
            (void)peer_segment(truth, from, from + n, poses, &seconds);
        }
        peer = fmin(peer, seconds / SEGMENTS);
    }

    BerthBatch* batch = fast_open_batch(asked->scene, BERTH_BATCH_SEGMENTS);
    const Times times = ask_segments(batch, rows, SEGMENTS);
    const double share = fast_decided_share(batch, rows, SEGMENTS);
    fprintf(stderr,
            "%-8s %-38s %9.0f segments/s, FCL at 0.01 rad %6.0f, ratio %6.0f; median %6.0f ns; %d free, %d "
            "collide, %d "
            "unknown; lanes decided %.1f %%\n",
            what, truth->label, 1.0 / times.mean, 1.0 / peer, peer / times.mean, 1e9 * times.middle,
            times.verdicts[1], times.verdicts[2], times.verdicts[0], 100.0 * share);
    print_row(what, truth->label, times.mean, peer, &times, share);
    berth_batch_destroy(batch);
    free(rows);
    free(poses);
}

static void compare_states(const char* what, Setting* truth, Setting* asked) {
    const int32_t n = truth->scene->value_count;
    double* poses = malloc((size_t)truth->body_parts * 12 * sizeof *poses);
    uint8_t* verdicts = malloc((size_t)truth->count);
    double theirs = INFINITY, best = INFINITY;
    BerthBatchResult result;
    const int asked_of_peer = truth->count / 10;
    for (int round = 0; round < PEER_ROUNDS; ++round) {
        double seconds = 0.0;
        for (int i = 0; i < asked_of_peer; ++i) {
            (void)peer_at(truth, truth->states + (size_t)i * (size_t)n, poses, &seconds);
        }
        theirs = fmin(theirs, seconds / asked_of_peer);
    }

    BerthBatch* batch = fast_open_batch(asked->scene, BERTH_BATCH_STATES);
    double alone = INFINITY;
    for (int round = 0; round < 10; ++round) {
        double t0 = bench_thread_now();
        berth_batch_ask_worker(batch, 0, truth->states, truth->count, verdicts, NULL, &result);
        best = fmin(best, bench_thread_now() - t0);

        // One after the other, as a planner asks that has but one.
        t0 = bench_thread_now();
        for (int i = 0; i < asked_of_peer; ++i) {
            BerthBatchResult one;
            berth_batch_ask_worker(batch, 0, truth->states + (size_t)i * (size_t)n, 1, verdicts, NULL, &one);
        }
        alone = fmin(alone, (bench_thread_now() - t0) / asked_of_peer);
    }
    best /= truth->count;
    const Times times = {
        best, best, {(int)result.unknown_count, (int)result.free_count, (int)result.collision_count}};
    fprintf(stderr, "%-8s %-38s %9.0f states/s, FCL %6.0f, ratio %6.1f; %d free, %d collide, %d unknown\n",
            what, truth->label, 1.0 / best, 1.0 / theirs, theirs / best, times.verdicts[1], times.verdicts[2],
            times.verdicts[0]);
    print_row(what, truth->label, best, theirs, &times, 0.0);
    char one_by_one[64];
    snprintf(one_by_one, sizeof one_by_one, "%s one by one", what);
    fprintf(stderr, "%-8s %-38s %9.0f states/s, ratio %6.1f\n", one_by_one, truth->label, 1.0 / alone,
            theirs / alone);
    const Times ones = {alone, alone, {0, 0, 0}};
    print_row(one_by_one, truth->label, alone, theirs, &ones, 0.0);
    berth_batch_destroy(batch);
    free(poses);
    free(verdicts);
}

static void bench_spheres(void) {
    for (int i = 0; i < 3; ++i) {
        const BenchPlace place = {.label = bench_places[i].label,
                                  .urdf = PANDA_SPHERES,
                                  .srdf = PANDA_SRDF,
                                  .problem = bench_places[i].problem};
        Setting truth = bench_open(&bench_places[i], STATES), asked = bench_open(&place, STATES);
        compare_segments("spheres", &truth, &asked);
        compare_states("spheres states", &truth, &asked);
        bench_close(&truth);
        bench_close(&asked);
    }
}

static void bench_meshes(void) {
    for (int i = 0; i <= BENCH_PLACES; ++i) {
        Setting truth = bench_open(i < BENCH_PLACES ? &bench_places[i] : &bench_pr2_arm, STATES);
        compare_segments("meshes", &truth, &truth);
        compare_states("meshes states", &truth, &truth);
        bench_close(&truth);
    }
}

// ---- nanoseconds of the sphere model --------------------------------------------------------------------------------

/// Sums over the 35 problems: the first five of each set.
typedef struct Alone {
    double batch, single, edges[3], hits[3];  // seconds
    int64_t batch_count, single_count, edge_count[3], hit_count[3], open_count;
} Alone;

static const double LENGTHS[3] = {0.25, 1.0, 4.0};

// The least of several rounds, so that what else the machine does counts little.
static void time_edges(LanesQuery* query, const double* rows, int32_t n, int count, int at, Alone* sum) {
    for (int i = 0; i < count; ++i) {
        const double* from = rows + (size_t)i * 2 * (size_t)n;
        double best = INFINITY;
        LanesSegmentAnswer answer;
        for (int round = 0; round < 5; ++round) {
            const double t0 = bench_now();
            for (int k = 0; k < 4; ++k) {
                bi_lanes_ask_segments(query, from, 0, 1, 1e-4, &answer);
            }
            best = fmin(best, 0.25 * (bench_now() - t0));
        }
        if (answer.verdict == LANES_FREE) {
            sum->edges[at] += best;
            sum->edge_count[at] += 1;
        } else if (answer.verdict == LANES_HIT) {
            sum->hits[at] += best;
            sum->hit_count[at] += 1;
        } else {
            sum->open_count += 1;
        }
    }
}

static void time_states(LanesQuery* query, const double* states, int32_t n, int count, Alone* sum) {
    uint8_t verdicts[LANES];
    double best = INFINITY, single = INFINITY;
    for (int round = 0; round < 20; ++round) {
        double t0 = bench_now();
        for (int i = 0; i + LANES <= count; i += LANES) {
            (void)bi_lanes_ask_states(query, states + (size_t)i * (size_t)n, n, LANES, verdicts);
        }
        best = fmin(best, bench_now() - t0);
        t0 = bench_now();
        for (int i = 0; i < 256; ++i) {
            (void)bi_lanes_ask_states(query, states + (size_t)i * (size_t)n, n, 1, verdicts);
        }
        single = fmin(single, bench_now() - t0);
    }
    sum->batch += best;
    sum->batch_count += count / LANES * LANES;
    sum->single += single;
    sum->single_count += 256;
}

static int keep_free(LanesQuery* query, Setting* s) {
    const int32_t n = s->scene->value_count;
    int kept = 0;
    for (int i = 0; i < s->count; ++i) {
        uint8_t verdict;
        (void)bi_lanes_ask_states(query, s->states + (size_t)i * (size_t)n, n, 1, &verdict);
        if (verdict == LANES_FREE) {
            memmove(s->states + (size_t)(kept++) * (size_t)n, s->states + (size_t)i * (size_t)n,
                    (size_t)n * sizeof(double));
        }
    }
    return kept;
}

static void time_problem(const char* problem, SimdIsa isa, Alone* sum) {
    const BenchPlace place = {
        .label = problem, .urdf = PANDA_SPHERES, .srdf = PANDA_SRDF, .problem = problem};
    Setting s = bench_open(&place, 2000);
    const BerthLanesDef def = berth_default_lanes_def();
    BerthLanes* lanes = NULL;
    LanesQuery* query = NULL;
    if (bi_lanes_create(s.scene, &def, bi_simd_kernels_for(isa), &lanes) != BERTH_OK || lanes == NULL ||
        bi_lanes_query_create(lanes, &query) != BERTH_OK) {
        bench_die("lanes");
    }

    const int32_t n = s.scene->value_count;
    const int count = keep_free(query, &s);
    time_states(query, s.states, n, count, sum);
    for (int at = 0; at < 3; ++at) {
        double rows[200 * 2 * 16];
        Random random = {5};
        for (int i = 0; i < 200; ++i) {
            double *from = rows + i * 2 * n, *to = from + n, sq = 0.0;
            memcpy(from, s.states + (bi_random_next(&random) % (uint64_t)count) * (uint64_t)n,
                   (size_t)n * sizeof *from);
            memcpy(to, s.states + (bi_random_next(&random) % (uint64_t)count) * (uint64_t)n,
                   (size_t)n * sizeof *to);
            for (int32_t k = 0; k < n; ++k) {
                sq += (to[k] - from[k]) * (to[k] - from[k]);
            }
            const double share = fmin(1.0, LENGTHS[at] / sqrt(sq));
            for (int32_t k = 0; k < n; ++k) {
                to[k] = from[k] + share * (to[k] - from[k]);
            }
        }
        time_edges(query, rows, n, 200, at, sum);
    }
    bi_lanes_query_destroy(query);
    berth_lanes_destroy(lanes);
    bench_close(&s);
}

static void bench_alone(void) {
    static const char* const sets[7] = {"bookshelf_small", "bookshelf_tall",  "bookshelf_thin", "box", "cage",
                                        "table_pick",      "table_under_pick"};
    static const char* const names[SIMD_ISA_COUNT] = {
        [SIMD_PLAIN] = "plain", [SIMD_AVX2] = "AVX2", [SIMD_AVX512] = "AVX-512"};
    for (int isa = SIMD_ISA_COUNT - 1; isa > SIMD_PLAIN; --isa) {
        if (bi_simd_kernels_for((SimdIsa)isa) == NULL || names[isa] == NULL) {
            continue;
        }
        Alone sum = {0};
        for (int set = 0; set < 7; ++set) {
            for (int k = 1; k <= 5; ++k) {
                char problem[64];
                snprintf(problem, sizeof problem, "%s/%04d", sets[set], k);
                time_problem(problem, (SimdIsa)isa, &sum);
            }
        }
        const double ns = 1e9;
        fprintf(
            stderr, "alone    %-8s 35 problems, ns: free state in batches %.0f, one state %.0f; free edges",
            names[isa], ns * sum.batch / (double)sum.batch_count, ns * sum.single / (double)sum.single_count);
        printf("alone,%s,%.4g,%.4g", names[isa], ns * sum.batch / (double)sum.batch_count,
               ns * sum.single / (double)sum.single_count);
        for (int at = 0; at < 3; ++at) {
            fprintf(stderr, " %.2f rad %.0f (colliding %.0f)", LENGTHS[at],
                    ns * sum.edges[at] / (double)sum.edge_count[at],
                    ns * sum.hits[at] / (double)sum.hit_count[at]);
            printf(",%.4g,%.4g", ns * sum.edges[at] / (double)sum.edge_count[at],
                   ns * sum.hits[at] / (double)sum.hit_count[at]);
        }
        fprintf(stderr, "; open %lld\n", (long long)sum.open_count);
        printf(",%lld,", (long long)sum.open_count);
        bench_print_who();
        printf("\n");
    }
}

// ---- many obstacles -------------------------------------------------------------------------------------------------

// Boxes of 2 to 10 cm at equal density: the more, the wider they are spread, around a robot that reaches 1.4 m.
static void bench_growth(void) {
    for (int count = 10; count <= 10000; count *= 10) {
        char path[4096], srdf[4096];
        snprintf(path, sizeof path, "%s/robots/%s", BERTH_SHARED_DIR, PANDA_SPHERES);
        snprintf(srdf, sizeof srdf, "%s/robots/%s", BERTH_SHARED_DIR, PANDA_SRDF);
        BerthIoOptions options = berth_default_io_options();
        options.srdf = srdf;
        BerthScene* scene = NULL;
        if (berth_io_read_scene(path, &options, &scene) != BERTH_OK) {
            bench_die(path);
        }

        Random random = {3};
        const double side = 1.2 * cbrt(count / 10.0);  // ten in (1.2 m)^3 beside the robot
        for (int i = 0; i < count; ++i) {
            char name[32];
            snprintf(name, sizeof name, "box%d", i);
            const BerthPose pose = {
                {1, 0, 0},
                {0, 1, 0},
                {0, 0, 1},
                {0.3 + bi_random_between(&random, 0.0, side), bi_random_between(&random, -0.5, 0.5) * side,
                 bi_random_between(&random, 0.0, side)}};
            const double size = bi_random_between(&random, 0.02, 0.1);
            if (berth_scene_add_box(scene, name, (BerthVec3){size, size, size}, &pose, NULL) != BERTH_OK) {
                bench_die(name);
            }
        }
        if (berth_scene_commit(scene) != BERTH_OK) {
            bench_die("commit");
        }

        BerthBatch* batch = fast_open_batch(scene, BERTH_BATCH_STATES);
        const int32_t n = scene->value_count;
        double* states = malloc((size_t)STATES * (size_t)n * sizeof *states);
        uint8_t* verdicts = malloc(STATES);
        BerthBatchResult result;
        for (int i = 0; i < STATES; ++i) {
            bi_robot_random_values(scene->robots[0].robot, &random, states + (size_t)i * (size_t)n);
        }
        double best = INFINITY;
        for (int round = 0; round < 10; ++round) {
            const double t0 = bench_now();
            berth_batch_ask_worker(batch, 0, states, STATES, verdicts, NULL, &result);
            best = fmin(best, (bench_now() - t0) / STATES);
        }
        fprintf(stderr, "growth   %6d boxes: %6.0f ns a state, %.1f %% free\n", count, 1e9 * best,
                100.0 * (double)result.free_count / STATES);
        printf("growth,%d,%.4g,%.4g,", count, 1e9 * best, (double)result.free_count / STATES);
        bench_print_who();
        printf("\n");
        free(states);
        free(verdicts);
        berth_batch_destroy(batch);
        berth_scene_destroy(scene);
    }
}

static bool is_wanted(int argc, char** argv, const char* part) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; ++i) {
        wanted = wanted || strcmp(argv[i], part) == 0;
    }
    return wanted;
}

// What the columns of the following rows are.
static void print_header(const char* columns) {
    printf("bench,%s,machine,compiler,commit\n", columns);
}

int main(int argc, char** argv) {
    const bool spheres = is_wanted(argc, argv, "spheres"), meshes = is_wanted(argc, argv, "meshes");
    if (spheres || meshes) {
        print_header(
            "what,setting,ours a second,FCL a second,ratio,median ns,free,collide,unknown,decided by lanes");
    }
    if (spheres) {
        bench_spheres();
    }
    if (meshes) {
        bench_meshes();
    }
    if (is_wanted(argc, argv, "alone")) {
        print_header(
            "instruction set,ns a free state in batches,ns one state,ns a free segment of 0.25 rad,"
            "colliding 0.25 rad,free 1 rad,colliding 1 rad,free 4 rad,colliding 4 rad,open");
        bench_alone();
    }
    if (is_wanted(argc, argv, "growth")) {
        print_header("boxes,ns a state,free share");
        bench_growth();
    }
    if (is_wanted(argc, argv, "large")) {
        print_header("obstacle,what,ns,free share,colliding share,decided by lanes,layout s");
        fast_bench_large();
    }
    if (is_wanted(argc, argv, "layout")) {
        print_header(
            "robot,way,layout ms,free segments of 500,us a free segment,us a colliding segment,us a state");
        fast_bench_layout();
    }
    return 0;
}
