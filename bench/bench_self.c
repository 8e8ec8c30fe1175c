// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Self-collision of whole robots (paper 002, section IV), one thread, in one run: without tables, with tables of balls, with
// proven tables, and FCL from Debian on the same pairs of links. Rows of `./dev bench spheres`. In the kitchen the whole
// scene is asked about, through the same hierarchy (there FCL also measures the pairs that the scene allows to touch, so
// its distances differ).
//
// FCL gets its poses for free; berth is timed from joint values to answer, so its kinematics is in its time and a user of
// FCL has it on top. Both are told: times FCL as measured, and the same with the time of the frames alone (in the same block)
// taken off berth's: "poses given". Blocks alternate; a ratio is the median over blocks. Answers are compared for every
// state; tables must change none.

#include <berth/lab/check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/cell.h"
#include "support/clock.h"

enum { BLOCKS = 15, WAYS = 3 };

static const char* const way_names[WAYS] = {"no tables", "tables of balls", "proven tables"};

typedef struct Robot {
    const char* label;
    const char* path;  // in the shared folder, or "models/NAME/cell.yaml" in the build folder
    const char* srdf;  // or null
    bool world;        // not the robot alone: everything in the scene
} Robot;

typedef struct Answers {
    double* of[WAYS + 1];  // distance, -1 for a hit, NAN for unknown; the last is FCL's
} Answers;

// Seconds of this thread alone: machines are shared, and a block is short.
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double ask(BerthChecker* checker, const double* values, bool world, bool distance) {
    const BerthCheckRequest request = {.distance = distance};
    BerthCheckResult result;
    if (world) {
        berth_check_state(checker, values, &request, &result);
    } else {
        berth_check_self(checker, 0, values, &request, &result);
    }
    return result.verdict == BERTH_COLLISION ? -1.0
           : result.verdict == BERTH_FREE    ? (distance ? result.clearance.upper : 1.0)
                                             : (double)NAN;
}

static double ask_peer(PeerFclWorld* peer, const double* poses, bool distance) {
    return distance                            ? peer_fcl_world_distance_self(peer, poses)
           : peer_fcl_world_check(peer, poses) ? -1.0
                                               : 1.0;
}

// The poses that FCL is given, but for one product a part.
static void place_frames(const BerthScene* scene, const double* values, Pose* frames) {
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        bi_robot_frame_poses(robot->robot, &robot->world_from_base, values + robot->first_value,
                             frames + robot->first_frame);
    }
}

static int count_different(const double* a, const double* b, int count) {
    int differ = 0;
    for (int i = 0; i < count; ++i) {
        differ += !(fabs(a[i] - b[i]) < 1e-6 || (a[i] < 0 && b[i] < 1e-9));
    }
    return differ;
}

static void report(const Setting* s, const char* question, const char* way, double ours, double theirs,
                   double ratio, double gain, int hits, int differ) {
    fprintf(stderr,
            "%-12s %-9s %-29s %9.0f/s   FCL %9.0f/s   %5.2f times FCL   %5.2f times no tables   (%d of %d "
            "collide, "
            "%d differ)\n",
            s->label, question, way, 1.0 / ours, 1.0 / theirs, ratio, gain, hits, s->count, differ);
    printf("self,%s,%s,%s,%.6g,%.6g,%.4g,%.4g,%d,%d,%d,", s->label, question, way, 1.0 / ours, 1.0 / theirs,
           ratio, gain, hits, s->count, differ);
    bench_print_who();
    printf("\n");
}

/// Times of the blocks.
typedef struct Blocks {
    double of[WAYS + 1][BLOCKS];  // the last is FCL
    double kinematics[BLOCKS];
} Blocks;

static void run_blocks(Setting* s, BerthChecker* const* checkers, bool world, bool distance, Answers* answers,
                       Blocks* out) {
    const size_t values = (size_t)s->scene->value_count;
    const size_t poses = (size_t)s->body_parts * 12;
    Pose* frames = malloc((size_t)s->scene->frame_count * sizeof *frames);
    for (int block = 0; block < BLOCKS; ++block) {
        const int begin = s->count * block / BLOCKS;
        const int end = s->count * (block + 1) / BLOCKS;
        for (int w = 0; w <= WAYS; ++w) {
            const double start = now();
            for (int i = begin; i < end; ++i) {
                answers->of[w][i] = w < WAYS
                                        ? ask(checkers[w], s->states + (size_t)i * values, world, distance)
                                        : ask_peer(s->peer, s->poses + (size_t)i * poses, distance);
            }
            out->of[w][block] = (now() - start) / (end - begin);
        }
        const double start = now();
        for (int i = begin; i < end; ++i) {
            place_frames(s->scene, s->states + (size_t)i * values, frames);
        }
        out->kinematics[block] = (now() - start) / (end - begin);
    }
    free(frames);
}

static void report_way(const Setting* s, const Blocks* blocks, bool distance, int way, bool given, int hits,
                       int differ) {
    double times[BLOCKS], ratio[BLOCKS], gain[BLOCKS];
    char name[64];
    snprintf(name, sizeof name, "%s%s", way_names[way], given ? "; poses given" : "");
    for (int block = 0; block < BLOCKS; ++block) {
        const double less = given ? blocks->kinematics[block] : 0.0;
        times[block] = blocks->of[way][block] - less;
        ratio[block] = blocks->of[WAYS][block] / times[block];
        gain[block] = (blocks->of[0][block] - less) / times[block];
    }
    double theirs[BLOCKS];
    memcpy(theirs, blocks->of[WAYS], sizeof theirs);
    report(s, distance ? "distance" : "verdict", name, bench_median(times, BLOCKS),
           bench_median(theirs, BLOCKS), bench_median(ratio, BLOCKS), bench_median(gain, BLOCKS), hits,
           differ);
}

static void compare(Setting* s, BerthChecker* const* checkers, bool world, bool distance) {
    Answers answers;
    for (int w = 0; w <= WAYS; ++w) {
        answers.of[w] = malloc((size_t)s->count * sizeof(double));
    }
    Blocks blocks;
    run_blocks(s, checkers, world, distance, &answers, &blocks);
    int hits = 0;
    for (int i = 0; i < s->count; ++i) {
        hits += answers.of[0][i] < 0;
    }
    for (int w = 0; w < WAYS; ++w) {
        const int differ = count_different(answers.of[w], answers.of[WAYS], s->count);
        if (count_different(answers.of[w], answers.of[0], s->count) > 0) {
            bench_die("tables change an answer");
        }
        report_way(s, &blocks, distance, w, false, hits, differ);
        report_way(s, &blocks, distance, w, true, hits, differ);
    }
    for (int w = 0; w <= WAYS; ++w) {
        free(answers.of[w]);
    }
}

static void tell_tables(const Setting* s, BerthChecker* const* checkers, const double* seconds) {
    int left[WAYS] = {0};
    for (int w = 0; w < WAYS; ++w) {
        left[w] = checkers[w]->has_comparisons ? 0 : s->scene->pair_count;
        for (int32_t i = 0; checkers[w]->has_comparisons && i < checkers[w]->comparisons.near_count; ++i) {
            left[w] += checkers[w]->comparisons.near[i].pair >= 0;
        }
        fprintf(stderr, "%-12s %-16s made in %.1f ms; %d pairs of links left to compare\n", s->label,
                way_names[w], seconds[w] * 1e3, left[w]);
        printf("self,%s,creation,%s,%.6g,,,,%d,%d,,", s->label, way_names[w], 1.0 / seconds[w], left[w],
               s->scene->pair_count);
        bench_print_who();
        printf("\n");
    }
}

static void run(const Robot* robot, int count) {
    char path[4096], srdf[4096];
    const bool model = strncmp(robot->path, "models/", 7) == 0;
    snprintf(path, sizeof path, "%s/%s", model ? BERTH_BUILD_DIR : BERTH_SHARED_DIR "/robots", robot->path);
    snprintf(srdf, sizeof srdf, "%s/robots/%s", BERTH_SHARED_DIR, robot->srdf != NULL ? robot->srdf : "");
    Setting s = bench_open_scene(robot->label, path, robot->srdf != NULL ? srdf : NULL, count);
    BerthChecker* checkers[WAYS] = {NULL};
    double seconds[WAYS];
    static const BerthTables tables[WAYS] = {BERTH_TABLES_NONE, BERTH_TABLES_BALLS, BERTH_TABLES_PROVEN};
    for (int w = 0; w < WAYS; ++w) {
        BerthCheckerDef def = berth_default_checker_def();
        BerthCheckerLab lab = {0};
        def.lab = &lab;
        lab.tables = tables[w];
        const double start = now();
        if (berth_checker_create(s.scene, &def, &checkers[w]) != BERTH_OK) {
            bench_die("checker");
        }
        seconds[w] = now() - start;
    }
    tell_tables(&s, checkers, seconds);
    compare(&s, checkers, robot->world, false);
    s.count = count / 10;
    compare(&s, checkers, robot->world, true);
    for (int w = 0; w < WAYS; ++w) {
        berth_checker_destroy(checkers[w]);
    }
    bench_close(&s);
}

int main(int argc, char** argv) {
    const char* only = argc > 1 ? argv[1] : "";  // robots whose label holds this word
    static const Robot robots[] = {
        {"humanoid", "models/humanoid23/cell.yaml", NULL, false},
        {"kitchen", "models/kitchen/cell.yaml", NULL, true},
        {"romeo", "example-robot-data/robots/romeo_description/urdf/romeo.urdf",
         "example-robot-data/robots/romeo_description/srdf/romeo.srdf", false},
        {"pr2", "moveit_resources_pr2_description/urdf/robot.xml", NULL, false},
        {"dual_panda", "moveit_resources_dual_arm_panda_moveit_config/config/dual_panda_close.urdf",
         "moveit_resources_dual_arm_panda_moveit_config/config/panda.srdf", false},
    };
    printf(
        "bench,robot,question,way,berth_per_s,fcl_per_s,times_fcl,times_no_tables,collide,count,differ,"
        "machine,"
        "compiler,commit\n");
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; ++i) {
        if (strstr(robots[i].label, only) != NULL) {
            run(&robots[i], 15000);
        }
    }
    return 0;
}
