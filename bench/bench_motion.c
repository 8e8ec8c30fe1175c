// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certified segments side by side with the sampled check people use: bisection with FCL from Debian at 0.01 rad, one
// thread, in one run. FCL's time is that of its collision tests alone: kinematics is not counted for it. Every segment
// that FCL calls free and berth shows a collision on, by a witness that the static check confirms, is a miss.

#include <math.h>
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
                bench_rows(&s->checker->world_from_part[p], poses + 12 * (size_t)p);
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
    const BerthMotionDef def = berth_default_motion_def();
    BerthMotion* motion = NULL;
    if (berth_motion_create(s->scene, &def, &motion) != BERTH_OK) {
        bench_die("motion");
    }
    Random random = {3};
    double from[256], to[256];
    double ours[BLOCKS], theirs[BLOCKS], ratio[BLOCKS];
    int verdicts[3] = {0}, missed = 0, false_hits = 0, peer_hits = 0;
    int64_t samples = 0, configurations = 0;
    for (int block = 0; block < BLOCKS; ++block) {
        double our_time = 0.0, peer_time = 0.0;
        const int here = count / BLOCKS;
        for (int i = 0; i < here; ++i) {
            random_segment(s, &random, length, from, to);
            const BerthSegment segment = {s->scene->value_count, from, to, NULL};
            const BerthMotionRequest request = {0};
            BerthMotionResult result;
            const double t0 = bench_now();
            berth_motion_segment(motion, &segment, &request, &result);
            our_time += bench_now() - t0;
            verdicts[result.verdict] += 1;
            configurations += result.stats.configurations;
            const int peer = peer_segment(s, &segment, &peer_time, &samples);
            peer_hits += peer;
            missed += !peer && result.verdict == BERTH_HIT;
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
        "%.1f against %.1f configurations; FCL missed %d, called %d free ones colliding\n",
        s->label, label, 1.0 / a, RESOLUTION, 1.0 / b, r, verdicts[BERTH_FREE], verdicts[BERTH_HIT],
        verdicts[BERTH_UNKNOWN], (double)configurations / count, (double)samples / count, missed, false_hits);
    printf("motion,%s,%s,%.6g,%.6g,%.4g,%d,%d,%d,%d,%d,", s->label, label, 1.0 / a, 1.0 / b, r,
           verdicts[BERTH_FREE], verdicts[BERTH_HIT], verdicts[BERTH_UNKNOWN], missed, false_hits);
    bench_print_who();
    printf("\n");
    berth_motion_destroy(motion);
}

int main(int argc, char** argv) {
    static const char* const place[][4] = {
        {"panda bookshelf_small", "panda_mbm/panda.urdf", "panda_mbm/panda.srdf", "bookshelf_small"},
        {"panda cage", "panda_mbm/panda.urdf", "panda_mbm/panda.srdf", "cage"},
        {"panda table_pick", "panda_mbm/panda.urdf", "panda_mbm/panda.srdf", "table_pick"},
        {"fanuc table_under_pick (not tuned on)", "moveit_resources_fanuc_description/urdf/fanuc.urdf",
         "moveit_resources_fanuc_moveit_config/config/fanuc.srdf", "table_under_pick"},
    };
    const char* only = argc > 1 ? argv[1] : "";
    printf(
        "bench,setting,segments,berth_per_s,fcl_per_s,ratio,free,collide,unknown,fcl_missed,fcl_false,"
        "machine,"
        "compiler,commit\n");
    for (size_t i = 0; i < sizeof place / sizeof place[0]; ++i) {
        if (strstr(place[i][0], only) == NULL) {
            continue;
        }
        Setting s = bench_open(place[i][0], place[i][1], place[i][2], place[i][3], 10);
        compare(&s, 0.0, 900);
        compare(&s, 1.0, 1800);
        compare(&s, 0.25, 1800);
        bench_close(&s);
    }
    return 0;
}
