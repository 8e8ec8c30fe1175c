// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The fast engine on real arms, judged by the sceptic's model (test/support/sound.h): the long form of test_lanes_sound. Edges and
// states are shared out over five arms, five kinds of places and as many seeds as it takes; the free ones are sampled by
// independent code, and every verdict is asked of every instruction set.
// usage: bench_sound [EDGES [STATES [SEED [KIND]]]]      1,000,000, 10,000,000 and 1 unless told otherwise: hours; KIND: places of
// that kind alone (problem, thin, map, cloud, held). EDGES 0: states alone, as many in each place, minutes

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/clock.h"
#include "support/sound.h"

enum { EDGES_A_PLACE = 2000 };

static void print_row(const SoundCount* c) {
    printf("sound,%s,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%.3g,", c->label,
           (long long)c->edges, (long long)c->grazing, (long long)c->free, (long long)c->hits,
           (long long)c->unknown, (long long)c->by_lanes, (long long)c->refuted, (long long)c->far,
           (long long)c->alarms, (long long)c->samples, (long long)c->states, (long long)c->states_refuted,
           (long long)c->differ, (long long)c->differ_lanes, c->nearest);
    bench_print_who();
    printf("\n");
    fflush(stdout);
}

int main(int argc, char** argv) {
    const int64_t edges = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000000;
    const int64_t states = argc > 2 ? strtoll(argv[2], NULL, 10) : 10000000;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    int only = -1;
    for (int kind = 0; argc > 4 && kind < PLACE_KINDS; ++kind) {
        only = strcmp(argv[4], place_kind_names[kind]) == 0 ? kind : only;
    }
    if (edges < 0 || states < 0 || (argc > 4 && only < 0)) {
        fprintf(stderr, "usage: bench_sound [EDGES [STATES [SEED [KIND]]]]\n");
        return 2;
    }

    printf(
        "bench,place,edges,grazing,free,collide,unknown,by_lanes,free_refuted,beyond_1mm,not_free,samples,"
        "states,states_"
        "refuted,differ,differ_in_lanes,nearest,machine,compiler,commit\n");
    SoundCount all = {.nearest = INFINITY};
    const int64_t round = only >= 0 ? PLACE_ROBOTS : PLACE_ROBOTS * PLACE_KINDS;
    for (int64_t i = 0; edges > 0 ? all.edges < edges : i < round; ++i) {
        const int robot = (int)(i % PLACE_ROBOTS);
        const int kind = only >= 0 ? only : (int)(i / PLACE_ROBOTS % PLACE_KINDS);
        const int64_t left = edges - all.edges;
        SoundPlan plan = {.grazing_every = 1, .samples = 60, .self_samples = 8};
        plan.edges = (int)(left < EDGES_A_PLACE ? left : EDGES_A_PLACE);
        plan.states = edges > 0 ? (int)((double)plan.edges / (double)edges * (double)states)
                                : (int)((states + round - 1) / round);
        SoundCount count = {.nearest = INFINITY};
        if (!sound_place((PlaceRobot)robot, (PlaceKind)kind, seed, &plan, &count)) {
            fprintf(stderr, "bench: the files of %s are not there\n", place_robot_names[robot]);
            return 2;
        }
        print_row(&count);
        sound_add(&all, &count);
        seed += i % round == round - 1;
    }

    char text[1024];
    sound_tell(&all, text, sizeof text);
    print_row(&all);
    fprintf(stderr, "%s\n", text);
    place_forget_robots();
    return all.refuted == 0 && all.states_refuted == 0 && all.differ == 0 ? 0 : 1;
}
