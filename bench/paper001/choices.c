// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Choices that the paper discusses without a table: distance algorithms inside ADAPTIVE-BISECTION (III-C) and covering
// strategies (II-E), each on the same free and the same colliding segments, with the paper's own bound.

#include <math.h>
#include <stdio.h>

#include "paper001/paper.h"
#include "support/cell.h"

enum { SEGMENTS = 1000, WAYS_MOST = 6, MODELS = 4 };
static const int models[MODELS] = {FIG_11A, FIG_11B, FIG_12A, FIG_12B};

/// One part: its ways, and what is said above them.
typedef struct Part {
    const char *name, *title;
    PaperMethod ways[WAYS_MOST];
    int count;
} Part;

static double each(int64_t sum, const PaperSum* s) {
    return (double)sum / (double)(s->segments > 0 ? s->segments : 1);
}

static void print_sum(const Part* part, int w, const char* figure, const char* kind, const PaperSum* sums) {
    const PaperSum* s = &sums[w];
    const double t = s->seconds / (sums[0].seconds > 0.0 ? sums[0].seconds : 1.0);
    paper_say("%-4s %-8s %8lld  %-34s | %6.2f %9.0f %8.1f %8.1f | %5lld %5lld\n", figure, kind,
              (long long)s->segments, part->ways[w].name, t, each(s->bv, s), each(s->tri, s),
              each(s->configurations, s), (long long)s->verdicts[BERTH_UNKNOWN], (long long)s->budget);

    char column[128];
    snprintf(column, sizeof column, "%s %s: BV", kind, part->ways[w].name);
    paper_figure(figure, column, NAN, each(s->bv, s));
    snprintf(column, sizeof column, "%s %s: configurations", kind, part->ways[w].name);
    paper_figure(figure, column, NAN, each(s->configurations, s));
    snprintf(column, sizeof column, "%s %s: time over the first", kind, part->ways[w].name);
    paper_figure(figure, column, NAN, t);
}

/// Geometric means over the models, against the first way.
typedef struct Means {
    double time[WAYS_MOST], bv[WAYS_MOST], configurations[WAYS_MOST];
} Means;

static void run_kind(const Part* part, PaperScale scale, PaperKind kind, Means* means) {
    const char* label = kind == PAPER_FREE ? "free" : "collide";
    *means = (Means){{0}, {0}, {0}};
    for (int m = 0; m < MODELS; ++m) {
        PaperCell cell = paper_open(models[m]);
        BerthMotionChecker* judge = paper_motion(&cell, &paper_judge);
        PaperSegments segments =
            paper_segments(&cell, judge, kind, (int)(scale.share * SEGMENTS), scale.seconds);
        berth_motion_checker_destroy(judge);

        PaperSum sums[WAYS_MOST];
        for (int w = 0; w < part->count; ++w) {
            sums[w] = paper_run(&cell, &part->ways[w], &segments);
            print_sum(part, w, cell.model->figure, label, sums);
            means->time[w] += log(sums[w].seconds / sums[0].seconds) / MODELS;
            means->bv[w] += log((double)sums[w].bv / (double)sums[0].bv) / MODELS;
            means->configurations[w] +=
                log((double)sums[w].configurations / (double)sums[0].configurations) / MODELS;
        }
        paper_free_segments(&segments);
        paper_close(&cell);
    }
}

static void print_means(const Part* part, const char* kind, const Means* means) {
    paper_say("\n%s segments, geometric means over the models, as shares of the first\n", kind);
    for (int w = 0; w < part->count; ++w) {
        paper_say("  %-34s time %5.2f, BV %6.2f, configurations %6.2f\n", part->ways[w].name,
                  exp(means->time[w]), exp(means->bv[w]), exp(means->configurations[w]));
    }
}

static void run_part(const Part* part, PaperScale scale, Means* clear, Means* hit) {
    paper_begin(part->name);
    paper_say("%s\n\n", part->title);
    paper_say("%-4s %-8s %8s  %-34s | %6s %9s %8s %8s | %5s %5s\n", "fig", "", "segments", "", "t", "BV",
              "Tri", "conf.", "open", "spent");
    run_kind(part, scale, PAPER_FREE, clear);
    run_kind(part, scale, PAPER_COLLIDING, hit);
    print_means(part, "Free", clear);
    print_means(part, "Colliding", hit);
    paper_say("\n");
}

void paper_distance(PaperScale scale) {
    static const Part part = {
        "distance",
        "III-C: distance algorithms inside ADAPTIVE-BISECTION, delta 0.005, the paper's bound, RSS trees",
        {{.name = "GREEDY-DIST", .distance = BERTH_DISTANCE_GREEDY},
         {.name = "EXACT-DIST", .distance = BERTH_DISTANCE_EXACT},
         {.name = "APPROX-DIST, 0.5", .distance = BERTH_DISTANCE_APPROXIMATE},
         {.name = "as much as the proof needs"},
         {.name = "... with bounds of the interval"}},
        5};
    Part run = part;
    for (int w = 0; w < run.count; ++w) {
        run.ways[w].method = BERTH_METHOD_ADAPTIVE;
        run.ways[w].delta = 0.005;
        run.ways[w].bound = w < 4 ? BERTH_BOUND_GLOBAL : BERTH_BOUND_INTERVAL;
    }

    Means clear, hit;
    run_part(&run, scale, &clear, &hit);
    paper_expect("free: GREEDY-DIST is faster than EXACT-DIST (paper: exact distances cost too much)",
                 clear.time[1] > 0.0, exp(clear.time[1]));
    paper_expect("free: EXACT-DIST needs fewer configurations", clear.configurations[1] < 0.0,
                 exp(clear.configurations[1]));
    paper_expect("free: GREEDY-DIST is faster than APPROX-DIST", clear.time[2] > 0.0, exp(clear.time[2]));
    paper_expect("colliding: GREEDY-DIST is faster than EXACT-DIST", hit.time[1] > 0.0, exp(hit.time[1]));
    paper_end();
}

void paper_covers(PaperScale scale) {
    static const Part part = {
        "covers",
        "II-E: where the next configuration is put (Figure 3), ADAPTIVE-BISECTION, delta 0.005, the paper's "
        "bound",
        {{.name = "b, halfway; GREEDY-DIST", .distance = BERTH_DISTANCE_GREEDY},
         {.name = "c, where covers end; GREEDY-DIST",
          .distance = BERTH_DISTANCE_GREEDY,
          .cover = BERTH_COVER_FRONTS},
         {.name = "d, middle of the gap; GREEDY-DIST",
          .distance = BERTH_DISTANCE_GREEDY,
          .cover = BERTH_COVER_MIDDLE},
         {.name = "b; as much as needed"},
         {.name = "c; as much as needed", .cover = BERTH_COVER_FRONTS},
         {.name = "d; as much as needed", .cover = BERTH_COVER_MIDDLE}},
        6};
    Part run = part;
    for (int w = 0; w < run.count; ++w) {
        run.ways[w].method = BERTH_METHOD_ADAPTIVE;
        run.ways[w].delta = 0.005;
        run.ways[w].bound = BERTH_BOUND_GLOBAL;
    }

    Means clear, hit;
    run_part(&run, scale, &clear, &hit);
    paper_expect("free: c tests more BVs than b (paper: half of what it covers is covered already)",
                 clear.bv[1] > 0.0, exp(clear.bv[1]));
    paper_expect("free: d gains little over b in BVs, less than a third (paper: 'gains are small')",
                 clear.bv[2] > log(2.0 / 3.0), exp(clear.bv[2]));
    paper_expect("free: d places more configurations than b (paper: each pair has its own)",
                 clear.configurations[2] > 0.0, exp(clear.configurations[2]));
    paper_end();
}
