// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// 256^3 cells, 60 boxes, Euclidean balls: OctoMap's tree through FCL, DynamicEDT3D, and ours, in one run.

#include <berth/lab/field.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maps/maps.h"
#include "oracle/peer_map.h"
#include "support/clock.h"

// As a planner asks: every state of the arm is another one. FCL gets the first of them.
enum { ARMS = 2000, COUNT = ARM_BALLS * ARMS, FEW = ARM_BALLS * 20 };

static void say(bool holds, const char* words, double value) {
    fprintf(stderr, "%s %s: %.3g\n", holds ? "PASS    " : "differs ", words, value);
    map_row("expected", holds ? "PASS" : "differs", words, value, (double)NAN);
}

static double* arms(void) {
    double* out = calloc((size_t)COUNT * 4, sizeof *out);
    for (int a = 0; out != NULL && a < ARMS; ++a) {
        map_random_arm((uint64_t)a, out + (size_t)4 * ARM_BALLS * (size_t)a);
    }
    return out;
}

#if BERTH_HAVE_ORACLES

// Seconds to make our tree of all cells one by one, as OctoMap gets them.
static double tree_from_cells(const uint8_t* cells) {
    BerthFieldDef def = berth_default_field_def();
    BerthFieldBuilder* builder = NULL;
    double seconds = 0;
    uint8_t* colours = calloc((size_t)256 * 256 * 256, 1);
    for (size_t i = 0; colours != NULL && i < (size_t)256 * 256 * 256; ++i) {
        colours[i] = cells[i] != 0 ? BERTH_CELL_OCCUPIED : BERTH_CELL_FREE;
    }
    def.levels = 8;
    def.resolution = 1.0;
    static const int32_t size[3] = {256, 256, 256}, low[3] = {0, 0, 0};
    static const int64_t stride[3] = {256 * 256, 256, 1};
    const double start = bench_thread_now();
    if (colours != NULL && berth_field_builder_create(&def, &builder) == BERTH_OK &&
        berth_field_add_block(builder, colours, size, stride, low) == BERTH_OK) {
        berth_field_destroy(map_build(builder, &seconds));
    }
    const double all = bench_thread_now() - start;
    berth_field_builder_destroy(builder);
    free(colours);
    map_row("rivals", "60 boxes", "our tree's build from cells s", all, (double)NAN);
    return all;
}

// OctoMap's own question is about a point: is its cell occupied? Ours by a ball of radius 0.
static void point_queries(const PeerMap* peer, const BerthField* field, const double* balls) {
    double best[2] = {INFINITY, INFINITY};
    int hits[2] = {0, 0};
    for (int round = 0; round < 3; ++round) {
        double start = bench_thread_now();
        hits[0] = 0;
        for (int i = 0; i < FEW; ++i) {
            hits[0] += peer_map_point(peer, balls[4 * i], balls[4 * i + 1], balls[4 * i + 2]) == 1;
        }
        best[0] = fmin(best[0], 1e6 * (bench_thread_now() - start) / FEW);

        start = bench_thread_now();
        hits[1] = 0;
        for (int i = 0; i < FEW; ++i) {
            const BerthVec3 at = {balls[4 * i], balls[4 * i + 1], balls[4 * i + 2]};
            hits[1] += berth_field_ball_by(field, BERTH_FIELD_BY_OCTREE, BERTH_METRIC_L2, at, 0.0) ==
                       BERTH_COLLISION;
        }
        best[1] = fmin(best[1], 1e6 * (bench_thread_now() - start) / FEW);
    }
    fprintf(stderr,
            "A point: OctoMap's search %.4f us, %d occupied; our octree by a ball of radius 0 %.4f us, %d "
            "occupied (processor time)\n",
            best[0], hits[0], best[1], hits[1]);
    map_row("rivals", "60 boxes", "OctoMap point us", best[0], (double)NAN);
    map_row("rivals", "60 boxes", "our point us", best[1], (double)NAN);
}

static void against_fcl(const BerthField* field, const uint8_t* cells, const double* balls) {
    const double begin = bench_thread_now();
    PeerMap* peer = peer_map_open(cells, 256);
    const double made = bench_thread_now() - begin;
    double seconds = 0;
    BerthFieldBuilder* builder = map_sixty();
    berth_field_destroy(map_build(builder, &seconds));
    berth_field_builder_destroy(builder);
    fprintf(
        stderr,
        "OctoMap's tree: built in %.3f s of processor time from %d cells a side, our tree in %.3f from the "
        "boxes and\n    %.3f from the cells\n",
        made, 256, seconds, tree_from_cells(cells));
    map_row("rivals", "60 boxes", "OctoMap build s", made, (double)NAN);
    map_row("rivals", "60 boxes", "our tree's build s", seconds, (double)NAN);
    double best = INFINITY, farthest = INFINITY;
    int hits = 0, ours = 0, touch = 0, differ = 0;
    for (int round = 0; round < 3; ++round) {
        const double start = bench_thread_now();
        hits = 0;
        for (int i = 0; i < FEW; ++i) {
            hits +=
                peer_map_collides(peer, balls[4 * i], balls[4 * i + 1], balls[4 * i + 2], balls[4 * i + 3]);
        }
        best = fmin(best, (bench_thread_now() - start) / FEW);
    }
    point_queries(peer, field, balls);
    const double start = bench_thread_now();
    double sum = 0;
    for (int i = 0; i < 200; ++i) {
        sum += peer_map_distance(peer, balls[64 * i % (4 * FEW)], balls[64 * i % (4 * FEW) + 1],
                                 balls[64 * i % (4 * FEW) + 2], 0.01);
    }
    farthest = (bench_thread_now() - start) / 200;
    for (int i = 0; i < FEW; ++i) {
        const BerthVec3 at = {balls[4 * i], balls[4 * i + 1], balls[4 * i + 2]};
        const BerthVerdict verdict = berth_field_ball(field, BERTH_METRIC_L2, at, balls[4 * i + 3]);
        const bool theirs = peer_map_collides(peer, at.x, at.y, at.z, balls[4 * i + 3]);
        ours += verdict == BERTH_COLLISION;
        touch += verdict == BERTH_UNKNOWN;  // as near as rounding can tell
        differ += verdict != BERTH_UNKNOWN && (verdict == BERTH_COLLISION) != theirs;
    }
    static const BerthFieldMethod ways[3] = {BERTH_FIELD_BY_LISTS, BERTH_FIELD_BY_EUCLID,
                                             BERTH_FIELD_BY_OCTREE};
    static const char* const names[3] = {"lists", "euclid", "octree"};
    double fastest = INFINITY;
    fprintf(stderr,
            "FCL on OctoMap: %.3f us a ball (distance %.1f us), %d hits; ours %d hits, %d touch within "
            "rounding, %d differ\n",
            1e6 * best, 1e6 * farthest, hits, ours, touch, differ);
    map_row("rivals", "60 boxes", "FCL collide", 1e6 * best, 3.37);
    map_row("rivals", "60 boxes", "FCL distance", 1e6 * farthest, 285);
    map_row("rivals", "60 boxes", "FCL verdicts that differ", differ, (double)NAN);
    for (int i = 0; i < 3; ++i) {
        const double us = 1e6 * map_time(field, ways[i], BERTH_METRIC_L2, balls, FEW);
        fprintf(stderr, "    ours by %-7s %.4f us a ball: %.0f times\n", names[i], us, 1e6 * best / us);
        map_row("rivals", "60 boxes", names[i], us, (double)NAN);
        fastest = fmin(fastest, us);
    }
    say(1e6 * best / fastest >= 30, "at least 30 times FCL's octree ball check", 1e6 * best / fastest);
    (void)sum;
    peer_map_close(peer);
}

static void against_edt(const BerthField* bare, const BerthField* field, const uint8_t* cells,
                        const double* balls) {
    double built = INFINITY, made = 0, best = INFINITY, bytes = 0;
    PeerEdt* edt = NULL;
    for (int round = 0; round < 2; ++round) {
        if (edt != NULL) {
            peer_edt_close(edt);
        }
        const size_t held = peer_held_bytes();
        const double start = bench_thread_now();
        edt = peer_edt_open(cells, 256);
        built = fmin(built, bench_thread_now() - start);
        bytes = (double)(peer_held_bytes() - held);
    }
    const double ours_bytes = (double)berth_field_info(field).euclid_bytes;
    fprintf(stderr, "Distances of all cells: DynamicEDT3D %.0f MB, our Euclidean map %.0f MB\n", 1e-6 * bytes,
            1e-6 * ours_bytes);
    map_row("rivals", "60 boxes", "EDT bytes", bytes, (double)NAN);
    map_row("rivals", "60 boxes", "our Euclidean map bytes", ours_bytes, (double)NAN);
    berth_field_destroy(map_remake(bare, BERTH_FIELD_EUCLID, &made));
    int missed = 0;
    int all = 0, wrong = 0;
    for (int i = 0; i < COUNT; ++i) {
        const BerthVec3 at = {balls[4 * i], balls[4 * i + 1], balls[4 * i + 2]};
        const bool hit = berth_field_ball_by(field, BERTH_FIELD_BY_OCTREE, BERTH_METRIC_L2, at,
                                             balls[4 * i + 3]) == BERTH_COLLISION;
        all += hit;
        wrong += hit != (berth_field_ball_by(field, BERTH_FIELD_BY_EUCLID, BERTH_METRIC_L2, at,
                                             balls[4 * i + 3]) == BERTH_COLLISION);
        missed += hit && !(peer_edt_distance(edt, at.x, at.y, at.z) <= balls[4 * i + 3]);
    }
    // Many balls in one call, as the peer's loop has them too; in turn.
    double us = INFINITY;
    volatile int hits = 0;
    BerthVerdict* verdicts = calloc(COUNT, sizeof *verdicts);
    for (int round = 0; round < 20; ++round) {
        double start = bench_thread_now();
        hits = peer_edt_count_hits(edt, balls, COUNT, 0.0);
        best = fmin(best, (bench_thread_now() - start) / COUNT);

        start = bench_thread_now();
        (void)berth_field_balls_by(field, BERTH_FIELD_BY_EUCLID, BERTH_METRIC_L2, balls, COUNT, verdicts);
        us = fmin(us, 1e6 * (bench_thread_now() - start) / COUNT);
    }
    (void)hits;
    free(verdicts);
    fprintf(stderr,
            "DynamicEDT3D: built in %.3f s (ours %.3f s), %.4f us a ball (ours %.4f); misses %d of %d "
            "collisions (ours %d)\n",
            built, made, 1e6 * best, us, missed, all, wrong);
    map_row("rivals", "60 boxes", "EDT build s", built, 6.5);
    map_row("rivals", "60 boxes", "our Euclidean map build s", made, (double)NAN);
    map_row("rivals", "60 boxes", "EDT us", 1e6 * best, 0.014);
    map_row("rivals", "60 boxes", "EDT missed", missed, (double)NAN);
    say(wrong == 0, "no collision is missed by the Euclidean map; missed", wrong);
    say(built / made >= 5, "the exact Euclidean map is built at least 5 times faster than DynamicEDT3D's",
        built / made);
    say(us / (1e6 * best) <= 3, "a question within 3 times of DynamicEDT3D's", us / (1e6 * best));
    peer_edt_close(edt);
}

/// Between a point and the centre of its cell, twice: half of it at the ball, half at the obstacle.
#define CELL_DIAGONAL 1.7320508075688774

enum { ROBOT = 59, ROUNDS = 60, CACHES = 128 << 20 };  // bytes that no processor's caches hold

/// Who is asked about the states, and what it took, us a state in each round.
typedef enum RobotSide { SIDE_EDT = 0, SIDE_GROWN, SIDE_OURS, SIDES } RobotSide;
typedef struct RobotTimes {
    double warm[SIDES][ROUNDS], cold[SIDES][ROUNDS];
    int hits[SIDES];
} RobotTimes;

static double* robot_states(void) {
    double* balls = calloc((size_t)ARMS * ROBOT * 4, sizeof *balls);
    for (int a = 0; balls != NULL && a < ARMS; ++a) {
        double all[4 * ARM_BALLS];
        map_random_arm((uint64_t)a, all);
        for (int i = 0; i < ROBOT; ++i) {
            memcpy(balls + 4 * ((size_t)a * ROBOT + (size_t)i), all + 4 * (i * ARM_BALLS / ROBOT),
                   4 * sizeof *all);
        }
    }
    return balls;
}

// One side asked about all states, one after the other, of each: is it free? Microseconds a state.
static double ask_states(const BerthField* field, const PeerEdt* edt, const double* balls, RobotSide side,
                         int* hits) {
    const double start = bench_thread_now();
    *hits = 0;
    for (int a = 0; a < ARMS; ++a) {
        const double* b = balls + 4 * (size_t)a * ROBOT;
        if (side == SIDE_OURS) {
            *hits += berth_field_balls_by(field, BERTH_FIELD_BY_EUCLID, BERTH_METRIC_L2, b, ROBOT, NULL) !=
                     BERTH_FREE;
        } else {
            *hits += peer_edt_any_hits(edt, b, ROBOT, side == SIDE_GROWN ? CELL_DIAGONAL : 0.0);
        }
    }
    return 1e6 * (bench_thread_now() - start) / ARMS;
}

// In turn, and each side as often as others right after each other one. Warm: each side is asked twice, and the second time counts, so that
// each finds in the caches what it left there itself. Cold: the caches are full of something else.
static void time_robots(const BerthField* field, const PeerEdt* edt, const double* balls, RobotTimes* out) {
    volatile uint8_t* other = calloc(CACHES, 1);
    for (int round = 0; other != NULL && round < ROUNDS; ++round) {
        for (int k = 0; k < SIDES; ++k) {
            const RobotSide side = (RobotSide)((k * (1 + round % 2) + round) % SIDES);
            (void)ask_states(field, edt, balls, side, &out->hits[side]);
            out->warm[side][round] = ask_states(field, edt, balls, side, &out->hits[side]);

            for (size_t i = 0; i < CACHES; i += 64) {
                other[i] += 1;
            }
            out->cold[side][round] = ask_states(field, edt, balls, side, &out->hits[side]);
        }
    }
    free((void*)other);
}

// Prints the medians of one way of asking, and what they say.
static void tell_robots(const char* way, double times[SIDES][ROUNDS]) {
    static const char* const names[SIDES] = {"EDT us a state", "EDT us a state, radii grown",
                                             "our us a state"};
    double us[SIDES], least[SIDES];
    char words[160];
    for (int side = 0; side < SIDES; ++side) {
        us[side] = bench_median(times[side], ROUNDS);  // sorts
        least[side] = times[side][0];
        (void)snprintf(words, sizeof words, "%s, %s", names[side], way);
        map_row("rivals", "robot of 59", words, us[side], (double)NAN);
    }

    fprintf(stderr,
            "    %s, us a state, median (least) of %d rounds: DynamicEDT3D %.3f (%.3f), so that it misses "
            "nothing %.3f (%.3f); ours %.3f (%.3f)\n",
            way, (int)ROUNDS, us[SIDE_EDT], least[SIDE_EDT], us[SIDE_GROWN], least[SIDE_GROWN], us[SIDE_OURS],
            least[SIDE_OURS]);
    (void)snprintf(words, sizeof words,
                   "%s: a robot of 59 spheres at least as fast as DynamicEDT3D's; times theirs", way);
    say(us[SIDE_OURS] <= us[SIDE_EDT], words, us[SIDE_OURS] / us[SIDE_EDT]);
    (void)snprintf(words, sizeof words, "%s: and as its own that misses nothing; times that", way);
    say(us[SIDE_OURS] <= us[SIDE_GROWN], words, us[SIDE_OURS] / us[SIDE_GROWN]);
}

// A robot of 59 spheres, state by state: is it free? All stop at the first ball that hits.
static void robot_of_59(const BerthField* field, const uint8_t* cells) {
    PeerEdt* edt = peer_edt_open(cells, 256);
    double* balls = robot_states();
    RobotTimes times = {.hits = {0}};
    if (balls == NULL) {
        fprintf(stderr, "bench: no memory for the robot's states\n");
        exit(2);
    }
    time_robots(field, edt, balls, &times);

    int missed = 0;
    for (int a = 0; a < ARMS; ++a) {
        const double* b = balls + 4 * (size_t)a * ROBOT;
        const bool tree = berth_field_balls_by(field, BERTH_FIELD_BY_OCTREE, BERTH_METRIC_L2, b, ROBOT,
                                               NULL) == BERTH_COLLISION;
        missed += tree && berth_field_balls_by(field, BERTH_FIELD_BY_EUCLID, BERTH_METRIC_L2, b, ROBOT,
                                               NULL) != BERTH_COLLISION;
    }

    fprintf(stderr,
            "A robot of 59 spheres, 2,000 states: DynamicEDT3D finds %d in collision, with radii larger by a "
            "cell's\n    diagonal, so that it misses none, %d; ours %d\n",
            times.hits[SIDE_EDT], times.hits[SIDE_GROWN], times.hits[SIDE_OURS]);
    map_row("rivals", "robot of 59", "EDT hits", times.hits[SIDE_EDT], (double)NAN);
    map_row("rivals", "robot of 59", "EDT hits, radii grown", times.hits[SIDE_GROWN], (double)NAN);
    map_row("rivals", "robot of 59", "our hits", times.hits[SIDE_OURS], (double)NAN);
    say(missed == 0, "no state in collision is missed; missed", missed);
    tell_robots("warm", times.warm);
    tell_robots("cold", times.cold);
    free(balls);
    peer_edt_close(edt);
}
#endif

void map_rivals(void) {
    double seconds = 0;
    BerthFieldBuilder* builder = map_sixty();
    BerthField* bare = map_build(builder, &seconds);
    BerthField* field = map_remake(bare, BERTH_FIELD_ALL_PARTS, &seconds);
    uint8_t* cells = map_cells(bare);
    double* balls = arms();
    fprintf(stderr, "\nPeers: 256^3 cells, 60 boxes (%lld nodes), 159 balls in 2,000 states, Euclidean\n\n",
            (long long)berth_field_info(bare).node_count);
#if BERTH_HAVE_ORACLES
    against_fcl(field, cells, balls);
    against_edt(bare, field, cells, balls);
    robot_of_59(field, cells);
#else
    fprintf(stderr, "built without FCL and OctoMap\n");
#endif
    free(balls);
    free(cells);
    berth_field_destroy(field);
    berth_field_destroy(bare);
    berth_field_builder_destroy(builder);
}
