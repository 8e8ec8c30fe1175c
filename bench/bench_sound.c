// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The fast engine on real arms, judged by the sceptic's model (test/support/sound.h): the long form of test_lanes_sound. Edges and
// states are shared out over five arms, five kinds of places and as many seeds as it takes; the free ones are judged by
// independent code, and every verdict is asked of every instruction set.
// usage: bench_sound [EDGES [STATES [SEED [KIND [WORKERS [MINUTES]]]]]]      1,000,000, 10,000,000, 1, all, 1 and no end unless told
// otherwise. KIND: places of that kind alone (problem, thin, map, cloud, held). EDGES 0: states alone, as many in each place.
//
// It takes hours and may be stopped at any time: the same command goes on. A block of edges of one place is a row, kept in
// build/sound-rows.csv as soon as it is done and printed at the end. A row that is there, or in bench/results/sound.csv, is not
// asked again, if it is of the same library: BERTH_LIBRARY, which `./dev bench` has from tools/library_hash (batch, and what it
// stands on). So sessions add up, those of other clones, too. Workers are processes; after MINUTES they begin no other block.

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/sound.h"

enum { EDGES_A_BLOCK = 2000, ROUND = PLACE_ROBOTS * PLACE_KINDS, MOST_WORKERS = 64, FIELDS = 20 };

// As many rounds of blocks are asked of one place: the layout of the PR2's arm takes as long as a block.
static const int rounds_a_place[PLACE_ROBOTS] = {1, 1, 1, 5, 1};

static const char header[] =
    "bench,place,seed,block,edges,grazing,free,collide,unknown,by_lanes,free_refuted,proven,spent,beyond_1mm,"
    "not_free,samples,states,states_free,states_hit,states_judged,states_refuted,states_unseen,differ,"
    "differ_in_lanes,nearest,library,machine,compiler,commit";

typedef struct Run {
    uint64_t seed;
    int64_t edges, states, blocks;  // blocks: of all kinds
    int only;                       // kind, or -1
    int workers;
    double end;  // of bench_now
    const char* library;
    char* done;  // by block: it has a row
    char* told;  // by block: it is among the results
    SoundCount all;
} Run;

static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

// ---- blocks -------------------------------------------------------------------------------------------------------

static bool is_wanted(const Run* run, int64_t block) {
    return run->only < 0 || block / PLACE_ROBOTS % PLACE_KINDS == run->only;
}

// The same edges and states in every block, whatever the number of blocks.
static SoundPlan plan_of(const Run* run) {
    const int edges = (int)(run->edges < EDGES_A_BLOCK ? run->edges : EDGES_A_BLOCK);
    SoundPlan plan = {.edges = edges, .grazing_every = 1, .finest = 1e-5, .self_depth = 4};
    const int64_t places = run->only >= 0 ? PLACE_ROBOTS : ROUND;
    plan.states = (int)((double)edges * (double)run->states / fmax(1.0, (double)run->edges));
    if (run->edges == 0) {
        plan.states = (int)((run->states + places - 1) / places);
    }
    return plan;
}

static int64_t count_blocks(const Run* run) {
    const int64_t each = run->only >= 0 ? PLACE_ROBOTS : ROUND;
    const int64_t wanted = run->edges > 0 ? (run->edges + EDGES_A_BLOCK - 1) / EDGES_A_BLOCK : each;
    return run->only >= 0 ? (wanted + each - 1) / each * ROUND : wanted;
}

/// Stages that serve several rounds.
typedef struct Kept {
    SoundStage* stage[ROUND];
    uint64_t seed[ROUND];
} Kept;

static void ask_block(const Run* run, Kept* kept, int64_t block, SoundCount* count) {
    const int place = (int)(block % ROUND), robot = place % PLACE_ROBOTS, kind = place / PLACE_ROBOTS;
    const int64_t round = block / ROUND;
    const uint64_t seed = run->seed + (uint64_t)(round / rounds_a_place[robot]);
    if (kept->stage[place] == NULL || kept->seed[place] != seed) {
        sound_close(kept->stage[place]);
        kept->stage[place] = sound_open((PlaceRobot)robot, (PlaceKind)kind, seed, 0.0);
        kept->seed[place] = seed;
    }
    if (kept->stage[place] == NULL) {
        fprintf(stderr, "bench: the files of %s are not there\n", place_robot_names[robot]);
        exit(2);
    }

    const SoundPlan plan = plan_of(run);
    *count = (SoundCount){.nearest = INFINITY};
    sound_ask(kept->stage[place], (uint64_t)(round % rounds_a_place[robot]), &plan, count);
    if (rounds_a_place[robot] == 1) {
        sound_close(kept->stage[place]);
        kept->stage[place] = NULL;
    }
}

// ---- rows ---------------------------------------------------------------------------------------------------------

// Every counter, in the order of columns from `edges` on.
static void fields_of(SoundCount* c, int64_t* out[FIELDS]) {
    int64_t* const all[FIELDS] = {&c->edges,          &c->grazing,       &c->free,       &c->hits,
                                  &c->unknown,        &c->by_lanes,      &c->refuted,    &c->proven,
                                  &c->spent,          &c->far,           &c->alarms,     &c->samples,
                                  &c->states,         &c->states_free,   &c->states_hit, &c->states_judged,
                                  &c->states_refuted, &c->states_unseen, &c->differ,     &c->differ_lanes};
    memcpy(out, all, sizeof all);
}

// One write, so that rows of several workers do not mix.
static void keep_row(const Run* run, int64_t block, SoundCount* count) {
    static const char path[] = BERTH_BUILD_DIR "/sound-rows.csv";
    const char *machine = getenv("BERTH_MACHINE"), *commit = getenv("BERTH_COMMIT");
    char row[1024];
    int64_t* field[FIELDS];
    fields_of(count, field);
    int at = snprintf(row, sizeof row, "sound,%s,%" PRIu64 ",%" PRId64, count->label, run->seed, block);
    for (int f = 0; f < FIELDS; ++f) {
        at += snprintf(row + at, sizeof row - (size_t)at, ",%" PRId64, *field[f]);
    }
    at += snprintf(row + at, sizeof row - (size_t)at, ",%.3g,%s,%s,%s,%s\n", count->nearest, run->library,
                   machine != NULL ? machine : "", BERTH_COMPILER, commit != NULL ? commit : "");
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (at >= (int)sizeof row || file < 0 || write(file, row, (size_t)at) != at || close(file) != 0) {
        fprintf(stderr, "bench: cannot write %s\n", path);
        exit(2);
    }
}

// Is this line a row of this run? Then which block it is, and its counts.
static bool read_row(const Run* run, const char* line, int64_t* block, SoundCount* count) {
    uint64_t seed = 0;
    int64_t* field[FIELDS];
    char library[64] = "";
    int used = 0;
    *count = (SoundCount){.nearest = INFINITY};
    fields_of(count, field);
    if (sscanf(line, "sound,%63[^,],%" SCNu64 ",%" SCNd64 "%n", count->label, &seed, block, &used) != 3) {
        return false;
    }
    for (int f = 0; f < FIELDS; ++f) {
        int more = 0;
        if (sscanf(line + used, ",%" SCNd64 "%n", field[f], &more) != 1) {
            return false;
        }
        used += more;
    }
    count->states_open = count->states - count->states_free - count->states_hit;
    const SoundPlan plan = plan_of(run);
    return sscanf(line + used, ",%lf,%63[^,]", &count->nearest, library) == 2 && seed == run->seed &&
           strcmp(library, run->library) == 0 && *block >= 0 && *block < run->blocks &&
           is_wanted(run, *block) && count->edges == plan.edges &&
           count->states == (plan.states + 15) / 16 * 16;
}

typedef enum Reading { OF_RESULTS, OF_KEPT, TO_PRINT } Reading;

// Rows of this run in a file, from an offset on. What is kept and not among the results is to be printed.
static void read_rows(Run* run, const char* path, long from, Reading reading) {
    FILE* file = fopen(path, "r");
    char* line = NULL;
    size_t size = 0;
    if (file == NULL || fseek(file, from, SEEK_SET) != 0) {
        return;
    }
    while (getline(&line, &size, file) > 0) {
        int64_t block = 0;
        SoundCount count;
        if (!read_row(run, line, &block, &count)) {
            continue;
        }
        if (run->done[block] == 0) {
            sound_add(&run->all, &count);
            run->done[block] = 1;
        }
        if (reading == TO_PRINT && run->told[block] == 0) {
            printf("%s", line);
        }
        run->told[block] |= reading != OF_KEPT;
    }
    free(line);
    fclose(file);
}

// ---- the run ------------------------------------------------------------------------------------------------------

// One place is one worker's: what it keeps of it serves the next round.
static void work(const Run* run, int worker) {
    Kept kept = {{NULL}, {0}};
    double said = bench_now();
    for (int64_t block = 0, asked = 0; block < run->blocks && !stopped && bench_now() < run->end; ++block) {
        if (run->done[block] != 0 || !is_wanted(run, block) || block % ROUND % run->workers != worker) {
            continue;
        }
        SoundCount count;
        ask_block(run, &kept, block, &count);
        keep_row(run, block, &count);
        asked += 1;
        const bool wrong = count.refuted + count.states_refuted + count.states_unseen + count.differ > 0;
        if (wrong || bench_now() - said > 60) {
            char text[1024];
            sound_tell(&count, text, sizeof text);
            fprintf(stderr, "%sworker %d, %" PRId64 " blocks; %s\n", wrong ? "WRONG " : "", worker, asked,
                    text);
            said = bench_now();
        }
    }
    for (int i = 0; i < ROUND; ++i) {
        sound_close(kept.stage[i]);
    }
    place_forget_robots();
}

// Passes a signal on to those that still run.
static int wait_for(pid_t* children, int count, int which) {
    int status = 1;
    while (waitpid(children[which], &status, 0) < 0 && errno == EINTR) {
        for (int w = which; w < count; ++w) {
            kill(children[w], SIGTERM);
        }
    }
    return status;
}

static bool work_together(const Run* run) {
    pid_t children[MOST_WORKERS];
    for (int w = 0; w < run->workers; ++w) {
        children[w] = fork();
        if (children[w] == 0) {
            work(run, w);
            exit(0);
        }
        if (children[w] < 0) {
            fprintf(stderr, "bench: no worker could be started\n");
            exit(2);
        }
    }
    bool good = true;
    for (int w = 0; w < run->workers; ++w) {
        good = wait_for(children, run->workers, w) == 0 && good;
    }
    return good;
}

static bool read_arguments(Run* run, int argc, char** argv) {
    run->edges = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000000;
    run->states = argc > 2 ? strtoll(argv[2], NULL, 10) : 10000000;
    run->seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    run->workers = argc > 5 ? (int)strtol(argv[5], NULL, 10) : 1;
    run->end = argc > 6 ? bench_now() + 60.0 * strtod(argv[6], NULL) : INFINITY;
    run->only = -1;
    bool known = argc <= 4 || strcmp(argv[4], "all") == 0;
    for (int kind = 0; argc > 4 && kind < PLACE_KINDS; ++kind) {
        if (strcmp(argv[4], place_kind_names[kind]) == 0) {
            run->only = kind;
            known = true;
        }
    }
    return known && argc <= 7 && run->edges >= 0 && run->states >= 0 && run->workers >= 1 &&
           run->workers <= MOST_WORKERS;
}

int main(int argc, char** argv) {
    Run run = {.all = {.nearest = INFINITY}};
    if (!read_arguments(&run, argc, argv)) {
        fprintf(stderr, "usage: bench_sound [EDGES [STATES [SEED [KIND [WORKERS [MINUTES]]]]]]\n");
        return 2;
    }
    const char* library = getenv("BERTH_LIBRARY");
    const bool named = library != NULL && library[0] != 0;
    run.library = named ? library : "unknown";
    run.blocks = count_blocks(&run);
    run.done = calloc((size_t)run.blocks, 1);
    run.told = calloc((size_t)run.blocks, 1);
    const struct sigaction stopping = {.sa_handler = stop};
    sigaction(SIGINT, &stopping, NULL);
    sigaction(SIGTERM, &stopping, NULL);

    // What sessions before this one did with the same library, where it is known.
    static const char results[] = BERTH_SOURCE_DIR "/bench/results/sound.csv";
    static const char rows[] = BERTH_BUILD_DIR "/sound-rows.csv";
    long from = 0;
    if (named) {
        read_rows(&run, results, 0, OF_RESULTS);
        read_rows(&run, rows, 0, OF_KEPT);
    } else {
        FILE* file = fopen(rows, "a");
        from = file != NULL ? ftell(file) : 0;
        if (file != NULL) {
            fclose(file);
        }
    }
    fprintf(stderr, "library %s: %" PRId64 " edges and %" PRId64 " states are done\n", run.library,
            run.all.edges, run.all.states);

    const bool good = work_together(&run);
    printf("%s\n", header);
    read_rows(&run, rows, from, TO_PRINT);
    char text[1024];
    sound_tell(&run.all, text, sizeof text);
    fprintf(stderr, "seed %" PRIu64 ", library %s: %s\n", run.seed, run.library, text);
    const SoundCount* c = &run.all;
    const bool wrong = c->refuted + c->states_refuted + c->states_unseen + c->differ > 0;
    free(run.done);
    free(run.told);
    return !good ? 2 : wrong ? 1 : 0;
}
