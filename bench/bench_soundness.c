// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is FREE ever refuted? A million random segments, half of them made to graze, against independent code (soundness/run.c).
// It takes hours and may be stopped at any time: what is done is kept in build/soundness-SEED.state, and the same command
// goes on from there.
// usage: bench_soundness [SEGMENTS [SEED [SHARE [WORKERS]]]]      1,000,000, 1, 32 and 1 unless told otherwise
// Every SHARE-th free segment is judged as a whole by code that shares nothing with the library; 0: none. Several workers
// are processes that take blocks in turn, each with a state of its own (build/soundness-SEED.WORKER-of-WORKERS.state).

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soundness/run.h"
#include "support/clock.h"

// Version 2 of the state had no judge of whole segments, version 3 did not say which of them it proved.
enum { FIELDS = 20, FIRST_VERSION = 2, LAST_VERSION = 4, MOST_WORKERS = 64 };
static const int fields_of_version[LAST_VERSION + 1] = {[2] = 17, [3] = 19, [4] = FIELDS};

typedef struct Run {
    uint64_t seed;
    int64_t wanted, block, share;
    int64_t step;     // from block to block: the number of workers
    char commit[64];  // that it was begun with
    char path[4096];
    RunCount kinds[RUN_KINDS];
} Run;

// Every counter, in the order of the state file.
static void fields_of(RunCount* k, int64_t* out[FIELDS]) {
    SegmentCount* c = &k->count;
    int64_t* const all[FIELDS] = {
        &c->segments,          &c->grazing,     &c->asks,    &c->free,          &c->hits,
        &c->unknown,           &c->budget,      &c->numeric, &c->samples,       &c->alarms,
        &c->alarms_millimetre, &c->far,         &c->blunt,   &c->refuted,       &c->wrong,
        &k->exhausted,         &k->independent, &k->dense,   &k->dense_samples, &k->dense_proven};
    memcpy(out, all, sizeof all);
}

static RunCount total_of(Run* run) {
    RunCount total = {.count = {.what = "all"}};
    int64_t *sum[FIELDS], *one[FIELDS];
    fields_of(&total, sum);
    for (int k = 0; k < RUN_KINDS; ++k) {
        fields_of(&run->kinds[k], one);
        for (int f = 0; f < FIELDS; ++f) {
            *sum[f] += *one[f];
        }
    }
    return total;
}

static bool load(Run* run) {
    FILE* file = fopen(run->path, "r");
    if (file == NULL) {
        return false;
    }
    int version = 0;
    bool good =
        fscanf(file, "soundness %d commit %63s blocks %" SCNd64, &version, run->commit, &run->block) == 3 &&
        version >= FIRST_VERSION && version <= LAST_VERSION;
    const int fields = good ? fields_of_version[version] : 0;
    for (int k = 0; good && k < RUN_KINDS; ++k) {
        int64_t* field[FIELDS];
        fields_of(&run->kinds[k], field);
        for (int f = 0; good && f < fields; ++f) {
            good = fscanf(file, "%" SCNd64, field[f]) == 1;
        }
    }
    fclose(file);
    if (!good) {
        fprintf(stderr, "bench: %s is not what this program writes; remove it to begin anew\n", run->path);
        exit(2);
    }
    return true;
}

// Beside, then renamed: a run that is killed in between loses one block.
static void save(Run* run) {
    char beside[4200];
    snprintf(beside, sizeof beside, "%s.new", run->path);
    FILE* file = fopen(beside, "w");
    bool good = file != NULL && fprintf(file, "soundness %d commit %s blocks %" PRId64 "\n", LAST_VERSION,
                                        run->commit, run->block) > 0;
    for (int k = 0; good && k < RUN_KINDS; ++k) {
        int64_t* field[FIELDS];
        fields_of(&run->kinds[k], field);
        for (int f = 0; f < FIELDS; ++f) {
            good = fprintf(file, "%" PRId64 "%c", *field[f], f == FIELDS - 1 ? '\n' : ' ') > 0 && good;
        }
    }
    good = file != NULL && fclose(file) == 0 && good;
    if (!good || rename(beside, run->path) != 0) {
        fprintf(stderr, "bench: cannot write %s\n", run->path);
        exit(2);
    }
}

static void print_count(const RunCount* k) {
    const SegmentCount* c = &k->count;
    fprintf(stderr,
            "%-15s %8" PRId64 " segments (%" PRId64 " grazing), %" PRId64 " asks: %" PRId64 " free, %" PRId64
            " hits, %" PRId64 " unknown (%" PRId64 " budget); free refuted %" PRId64
            ", other complaints %" PRId64 "; false alarms over 1 mm %" PRId64 " of %" PRId64
            ", beyond delta %" PRId64 "; %.0f samples a segment, %.1f %% exhaustive, %" PRId64
            " states judged independently, %" PRId64 " free segments as a whole (%" PRId64
            " configurations; %" PRId64 " proven by them)\n",
            c->what, c->segments, c->grazing, c->asks, c->free, c->hits, c->unknown, c->budget, c->refuted,
            c->wrong - c->refuted, c->alarms_millimetre, c->far, c->alarms,
            (double)c->samples / (double)(c->segments > 0 ? c->segments : 1),
            100.0 * (double)k->exhausted / (double)(c->segments > 0 ? c->segments : 1), k->independent,
            k->dense, k->dense_samples, k->dense_proven);
}

static void print_row(const Run* run, const RunCount* k) {
    const SegmentCount* c = &k->count;
    printf("soundness,%s,%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
           ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
           ",%" PRId64 ",",
           c->what, run->seed, c->segments, c->grazing, c->asks, c->free, c->hits, c->unknown, c->refuted,
           c->wrong, c->alarms_millimetre, c->far, c->samples, k->independent, k->dense, k->dense_samples,
           k->dense_proven);
    bench_print_who();
    printf("\n");
}

static void go(Run* run) {
    const double start = bench_now();
    double said = start;
    const int64_t before = total_of(run).count.segments;
    for (RunCount total = total_of(run); total.count.segments < run->wanted; total = total_of(run)) {
        const int64_t was = total.count.segments;
        run_block(run->seed, run->block, run->share, run->kinds);
        run->block += run->step;
        save(run);
        total = total_of(run);
        const double now = bench_now();
        if (total.count.segments == was && run->block > RUN_KINDS * run->step && total.count.segments == 0) {
            fprintf(stderr, "bench: no segment could be made\n");
            exit(2);
        }
        if (now - said > (isatty(2) ? 1 : 60) || total.count.segments >= run->wanted) {
            const double rate = (double)(total.count.segments - before) / (now - start);
            fprintf(stderr,
                    "%s%" PRId64 " of %" PRId64 " segments, %" PRId64
                    " free refuted, %.0f a second, %.1f h to go   %s",
                    isatty(2) ? "\r" : "", total.count.segments, run->wanted, total.count.refuted, rate,
                    (double)(run->wanted - total.count.segments) / rate / 3600, isatty(2) ? "" : "\n");
            said = now;
        }
    }
    fprintf(stderr, isatty(2) ? "\n" : "");
}

// Where worker `worker` of `step` stands: at what its state file tells, or at its first block.
static void begin(Run* run, int64_t worker) {
    char of[64] = "";
    if (run->step > 1) {
        snprintf(of, sizeof of, ".%" PRId64 "-of-%" PRId64, worker, run->step);
    }
    snprintf(run->path, sizeof run->path, "%s/soundness-%" PRIu64 "%s.state", BERTH_BUILD_DIR, run->seed, of);
    run->block = worker;
    if (load(run)) {
        fprintf(stderr, "at block %" PRId64 " (%s, begun with commit %s)\n", run->block, run->path,
                run->commit);
    }
    for (int k = 0; k < RUN_KINDS; ++k) {
        run->kinds[k].count.what = run_kinds[k];
    }
}

// Every worker in a process of its own: a robot or a judge is shared by none.
static void go_together(const Run* all) {
    pid_t children[MOST_WORKERS];
    for (int64_t w = 0; w < all->step; ++w) {
        children[w] = fork();
        if (children[w] == 0) {
            static Run run;
            run = *all;
            run.wanted = (all->wanted + all->step - 1) / all->step;
            begin(&run, w);
            go(&run);
            exit(0);
        }
    }
    bool good = true;
    for (int64_t w = 0; w < all->step; ++w) {
        int status = 1;
        good = children[w] > 0 && waitpid(children[w], &status, 0) > 0 && status == 0 && good;
    }
    if (!good) {
        fprintf(stderr, "bench: a worker ended early; the same command goes on\n");
        exit(2);
    }
}

// What all workers counted.
static void add_up(Run* all) {
    for (int64_t w = 0; w < all->step; ++w) {
        static Run run;
        run = (Run){.seed = all->seed, .step = all->step};
        begin(&run, w);
        for (int k = 0; k < RUN_KINDS; ++k) {
            int64_t *sum[FIELDS], *one[FIELDS];
            fields_of(&all->kinds[k], sum);
            fields_of(&run.kinds[k], one);
            for (int f = 0; f < FIELDS; ++f) {
                *sum[f] += *one[f];
            }
            all->kinds[k].count.what = run_kinds[k];
        }
        snprintf(all->commit, sizeof all->commit, "%s", run.commit);
    }
}

int main(int argc, char** argv) {
    static Run run = {.seed = 1, .wanted = 1000000, .share = 32, .step = 1};
    const char* commit = getenv("BERTH_COMMIT");
    run.wanted = argc > 1 ? strtoll(argv[1], NULL, 10) : run.wanted;
    run.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : run.seed;
    run.share = argc > 3 ? strtoll(argv[3], NULL, 10) : run.share;
    run.step = argc > 4 ? strtoll(argv[4], NULL, 10) : run.step;
    if (run.wanted <= 0 || run.share < 0 || run.step < 1 || run.step > MOST_WORKERS) {
        fprintf(stderr, "usage: bench_soundness [SEGMENTS [SEED [SHARE [WORKERS]]]]\n");
        return 2;
    }
    snprintf(run.commit, sizeof run.commit, "%s", commit != NULL && commit[0] != 0 ? commit : "none");
    if (run.step == 1) {
        begin(&run, 0);
        go(&run);
    } else {
        go_together(&run);
        add_up(&run);
    }
    RunCount total = total_of(&run);
    printf(
        "bench,setting,seed,segments,grazing,asks,free,collide,unknown,free_refuted,complaints,false_alarms_"
        "over_1mm,"
        "gaps_over_1mm,samples,judged_independently,judged_whole,configurations_judged,proven_whole,machine,"
        "compiler,"
        "commit\n");
    for (int k = 0; k < RUN_KINDS; ++k) {
        print_count(&run.kinds[k]);
        print_row(&run, &run.kinds[k]);
    }
    print_count(&total);
    print_row(&run, &total);
    fprintf(
        stderr,
        "seed %" PRIu64 ", begun with commit %s: %" PRId64 " segments, free refuted %" PRId64
        ", false alarms over 1 mm %" PRId64 " of %" PRId64 " (%.4f %%), unknown %" PRId64 "\n",
        run.seed, run.commit, total.count.segments, total.count.refuted, total.count.alarms_millimetre,
        total.count.far,
        100.0 * (double)total.count.alarms_millimetre / (double)(total.count.far > 0 ? total.count.far : 1),
        total.count.unknown);
    return total.count.wrong == 0 ? 0 : 1;
}
