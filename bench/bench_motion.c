// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certified segments side by side with the sampled check people use: bisection with FCL from Debian at 0.01 rad, one
// thread, in one run. FCL's time is that of its collision tests alone: kinematics is not counted for it. Every segment
// that FCL calls free and berth shows a collision on, by a witness that the static check confirms, is a miss.
// And what a second thread adds: the same segments by one motion and by two, each in its own thread.
// usage: bench_motion [WORD]      settings whose name has that word, or "threads"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cell.h"
#include "support/clock.h"

enum { BLOCKS = 9 };
static const double RESOLUTION = 0.01;  // radian, of the joint that turns most

// Level by level, as bisection does it; true when a sample collides. Adds the peer's time.
static int peer_segment(Setting* s, const BerthSegment* segment, double* seconds, int64_t* samples) {
    double longest = 0.0;
    for (int32_t i = 0; i < segment->value_count; ++i) {
        longest = fmax(longest, fabs(segment->to[i] - segment->from[i]));
    }
    double values[256];
    double* poses = malloc((size_t)s->body_parts * 12 * sizeof *poses);
    int hit = 0;
    for (int level = -1; !hit && (level < 0 || longest / (double)(1 << level) > RESOLUTION); ++level) {
        const int count = level < 0 ? 2 : 1 << level;
        for (int i = 0; i < count && !hit; ++i) {
            const double t = level < 0 ? (double)i : (i + 0.5) / count;
            berth_segment_values(s->scene, segment, t, values);
            bi_check_place(s->checker, values);
            for (int32_t p = 0; p < s->body_parts; ++p) {
                fcl_rows(&s->checker->world_from_part[p], poses + 12 * (size_t)p);
            }
            const double t0 = bench_now();
            hit = peer_fcl_world_check(s->peer, poses);
            *seconds += bench_now() - t0;
            *samples += 1;
        }
    }
    free(poses);
    return hit;
}

// FCL at the witness itself: does it see that collision at all? Its meshes are surfaces: what is wholly inside is free to it.
static int peer_state(Setting* s, const BerthSegment* segment, double t) {
    double values[256];
    double* poses = malloc((size_t)s->body_parts * 12 * sizeof *poses);
    berth_segment_values(s->scene, segment, t, values);
    bi_check_place(s->checker, values);
    for (int32_t p = 0; p < s->body_parts; ++p) {
        fcl_rows(&s->checker->world_from_part[p], poses + 12 * (size_t)p);
    }
    const int hit = peer_fcl_world_check(s->peer, poses);
    free(poses);
    return hit;
}

static void random_segment(const Setting* s, Random* random, double length, double* from, double* to) {
    double sq = 0.0;
    for (int32_t r = 0; r < s->scene->robot_count; ++r) {
        const SceneRobot* robot = &s->scene->robots[r];
        bi_robot_random_values(robot->robot, random, from + robot->first_value);
        bi_robot_random_values(robot->robot, random, to + robot->first_value);
    }
    for (int32_t i = 0; i < s->scene->value_count; ++i) {
        sq += (to[i] - from[i]) * (to[i] - from[i]);
    }
    const double share = length > 0.0 && sq > length * length ? length / sqrt(sq) : 1.0;
    for (int32_t i = 0; i < s->scene->value_count; ++i) {
        to[i] = from[i] + share * (to[i] - from[i]);
    }
}

static void compare(Setting* s, double length, int count) {
    const BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    if (berth_motion_checker_create(s->scene, &def, &motion) != BERTH_OK) {
        bench_die("motion");
    }
    Random random = {3};
    double from[256], to[256];
    double ours[BLOCKS], theirs[BLOCKS], ratio[BLOCKS];
    int verdicts[3] = {0}, missed = 0, blind = 0, false_hits = 0, peer_hits = 0;
    int64_t samples = 0, configurations = 0;
    for (int block = 0; block < BLOCKS; ++block) {
        double our_time = 0.0, peer_time = 0.0;
        const int here = count / BLOCKS;
        for (int i = 0; i < here; ++i) {
            random_segment(s, &random, length, from, to);
            const BerthSegment segment = {.value_count = s->scene->value_count, .from = from, .to = to};
            const BerthMotionRequest request = {0};
            BerthMotionResult result;
            const double t0 = bench_now();
            berth_motion_check_segment(motion, &segment, &request, &result);
            our_time += bench_now() - t0;
            verdicts[result.verdict] += 1;
            configurations += result.stats.configurations;
            const int peer = peer_segment(s, &segment, &peer_time, &samples);
            peer_hits += peer;
            if (!peer && result.verdict == BERTH_COLLISION) {
                const int seen = peer_state(s, &segment, result.t);
                missed += seen;
                blind += !seen;
            }
            false_hits += peer && result.verdict == BERTH_FREE;
        }
        ours[block] = our_time / here;
        theirs[block] = peer_time / here;
        ratio[block] = theirs[block] / ours[block];
    }
    const double a = bench_median(ours, BLOCKS), b = bench_median(theirs, BLOCKS),
                 r = bench_median(ratio, BLOCKS);
    char label[64];
    snprintf(label, sizeof label, length > 0 ? "%.2f rad" : "any length", length);
    fprintf(
        stderr,
        "%-34s %-10s berth %8.0f/s  FCL at %.2f rad %7.0f/s  ratio %5.1f   free %d, collide %d, unknown %d; "
        "%.1f against %.1f configurations; FCL missed %d, does not see %d, called %d free ones colliding\n",
        s->label, label, 1.0 / a, RESOLUTION, 1.0 / b, r, verdicts[BERTH_FREE], verdicts[BERTH_COLLISION],
        verdicts[BERTH_UNKNOWN], (double)configurations / count, (double)samples / count, missed, blind,
        false_hits);
    printf("motion,%s,%s,%.6g,%.6g,%.4g,%d,%d,%d,%d,%d,%d,", s->label, label, 1.0 / a, 1.0 / b, r,
           verdicts[BERTH_FREE], verdicts[BERTH_COLLISION], verdicts[BERTH_UNKNOWN], missed, blind,
           false_hits);
    bench_print_who();
    printf("\n");
    berth_motion_checker_destroy(motion);
}

// ---- threads --------------------------------------------------------------------------------------------------

enum { CREW = 2, CREW_SEGMENTS = 20000, ROUNDS = 5 };

/// Every `stride`-th segment from `first`, by a motion of its own.
typedef struct Worker {
    const BerthScene* scene;
    const double* ends;
    int first, stride;
    int64_t verdicts[3];
} Worker;

static void* work(void* user) {
    Worker* worker = user;
    const BerthMotionCheckerDef def = berth_default_motion_checker_def();
    const int32_t values = worker->scene->value_count;
    BerthMotionChecker* motion = NULL;
    if (berth_motion_checker_create(worker->scene, &def, &motion) != BERTH_OK) {
        bench_die("motion");
    }
    for (int i = worker->first; i < CREW_SEGMENTS; i += worker->stride) {
        const double* from = worker->ends + (size_t)i * 2 * (size_t)values;
        const BerthSegment segment = {.value_count = values, .from = from, .to = from + values};
        const BerthMotionRequest request = {0};
        BerthMotionResult result;
        berth_motion_check_segment(motion, &segment, &request, &result);
        worker->verdicts[result.verdict] += 1;
    }
    berth_motion_checker_destroy(motion);
    return NULL;
}

// Seconds for all segments by so many threads.
static double crew_time(const Setting* s, const double* ends, int count, int64_t* free_count) {
    Worker workers[CREW] = {{0}};
    pthread_t threads[CREW];
    const double t0 = bench_now();
    for (int k = 0; k < count; ++k) {
        workers[k] = (Worker){.scene = s->scene, .ends = ends, .first = k, .stride = count};
        if (pthread_create(&threads[k], NULL, work, &workers[k]) != 0) {
            bench_die("a thread");
        }
    }
    *free_count = 0;
    for (int k = 0; k < count; ++k) {
        pthread_join(threads[k], NULL);
        *free_count += workers[k].verdicts[BERTH_FREE];
    }
    return bench_now() - t0;
}

static void compare_threads(Setting* s) {
    const int32_t values = s->scene->value_count;
    double* ends = malloc((size_t)CREW_SEGMENTS * 2 * (size_t)values * sizeof *ends);
    Random random = {5};
    for (int i = 0; i < CREW_SEGMENTS; ++i) {
        double* from = ends + (size_t)i * 2 * (size_t)values;
        random_segment(s, &random, 1.0, from, from + values);
    }
    double one[ROUNDS], two[ROUNDS], ratio[ROUNDS];
    int64_t free_one = 0, free_two = 0;
    for (int k = 0; k < ROUNDS; ++k) {
        one[k] = crew_time(s, ends, 1, &free_one) / CREW_SEGMENTS;
        two[k] = crew_time(s, ends, 2, &free_two) / CREW_SEGMENTS;
        ratio[k] = one[k] / two[k];
    }
    const double a = bench_median(one, ROUNDS), b = bench_median(two, ROUNDS),
                 r = bench_median(ratio, ROUNDS);
    fprintf(stderr, "%-34s %-10s one thread %8.0f/s  two threads %8.0f/s  speed-up %.2f%s\n", s->label,
            "1.00 rad", 1.0 / a, 1.0 / b, r, free_one == free_two ? "" : "   THE ANSWERS DIFFER");
    printf("motion threads,%s,1.00 rad,%.6g,%.6g,%.4g,%lld,,,,,,", s->label, 1.0 / b, 1.0 / a, r,
           (long long)free_two);
    bench_print_who();
    printf("\n");
    free(ends);
}

int main(int argc, char** argv) {
    const char* only = argc > 1 ? argv[1] : "";
    printf(
        "bench,setting,segments,berth_per_s,fcl_per_s,ratio,free,collide,unknown,fcl_missed,fcl_blind,fcl_"
        "false,"
        "machine,"
        "compiler,commit\n");
    for (size_t i = 0; i < BENCH_PLACES; ++i) {
        if (strstr(bench_places[i].label, only) == NULL) {
            continue;
        }
        Setting s = bench_open(&bench_places[i], 10);
        compare(&s, 0.0, 900);
        compare(&s, 1.0, 1800);
        compare(&s, 0.25, 1800);
        bench_close(&s);
    }
    if (strstr("threads", only) != NULL) {  // the second column is one thread, the first two
        Setting s = bench_open(&bench_places[0], 10);
        compare_threads(&s);
        bench_close(&s);
    }
    return 0;
}
