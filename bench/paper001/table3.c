// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Tables III and VI: FIXED-RES-BISECTION and ADAPTIVE-BISECTION on the same random segments, colliding and free.

#include <berth/lab/motion.h>
#include <math.h>
#include <stdio.h>

#include "paper001/paper.h"

enum { SEGMENTS = 1000, WAYS = 3, COLUMNS = 5 };
static const double nothing = 1e-9;  // epsilon "0": it ends at a collision, and these segments have one

typedef struct Row {
    int model;
    double t[WAYS], bv[WAYS], tri[WAYS];
} Row;

static const Row rows3[] = {
    {FIG_11A, {0.44, 0.33, 0.29}, {375, 197, 169}, {3.1, 3.0, 2.6}},
    {FIG_11B, {0.46, 0.43, 0.38}, {380, 324, 255}, {3.5, 3.9, 3.2}},
    {FIG_12A, {0.67, 0.40, 0.37}, {522, 501, 420}, {18.7, 18.0, 21.8}},
    {FIG_12B, {1.21, 0.57, 0.40}, {1035, 571, 440}, {10.1, 10.8, 13.4}},
    {FIG_12C, {3.11, 2.44, 2.23}, {2866, 686, 610}, {13.1, 12.1, 12.7}},
    {FIG_12D, {1.14, 1.93, 1.71}, {999, 609, 528}, {16.3, 19.5, 21.6}},
};
static const Row rows6[] = {
    {FIG_11B, {14.6, 11.3, NAN}, {15060, 9239, NAN}, {19.8, 200.8, NAN}},
    {FIG_12A, {5.1, 3.9, NAN}, {4032, 3834, NAN}, {17.9, 158.6, NAN}},
};

static const PaperMethod fixed_zero = {.name = "fixed, eps 0",
                                       .method = BERTH_METHOD_FIXED,
                                       .distance = BERTH_DISTANCE_COLLISION,
                                       .delta = 1e-4,
                                       .resolution = nothing,
                                       .interval_budget = 1 << 20};
static const PaperMethod fixed_rad = {.name = "fixed, eps 0.006 rad",
                                      .method = BERTH_METHOD_FIXED,
                                      .distance = BERTH_DISTANCE_COLLISION,
                                      .delta = 1e-4,
                                      .resolution = 0.006};
static const PaperMethod fixed_turn = {.name = "fixed, eps 0.006 turn",
                                       .method = BERTH_METHOD_FIXED,
                                       .distance = BERTH_DISTANCE_COLLISION,
                                       .delta = 1e-4,
                                       .resolution = 0.006 * 6.283185307179586};
static const PaperMethod library_zero = {.name = "berth's fixed, eps 0",
                                         .method = BERTH_METHOD_FIXED,
                                         .delta = 1e-4,
                                         .resolution = nothing,
                                         .interval_budget = 1 << 20};
static const PaperMethod adaptive_zero = {.name = "adaptive, delta 0",
                                          .method = BERTH_METHOD_ADAPTIVE,
                                          .distance = BERTH_DISTANCE_GREEDY,
                                          .interval_budget = 200000,
                                          .bound = BERTH_BOUND_GLOBAL};
static const PaperMethod adaptive_five = {.name = "adaptive, delta 0.005",
                                          .method = BERTH_METHOD_ADAPTIVE,
                                          .distance = BERTH_DISTANCE_GREEDY,
                                          .delta = 0.005,
                                          .bound = BERTH_BOUND_GLOBAL};
static const PaperMethod adaptive_ours = {.name = "adaptive, delta 0.005, our bound",
                                          .method = BERTH_METHOD_ADAPTIVE,
                                          .distance = BERTH_DISTANCE_GREEDY,
                                          .delta = 0.005};

// The same segments by each method. FIXED by pure collision is the paper's own.
static void run(PaperCell* cell, const PaperSegments* segments, const PaperMethod* const* methods, int count,
                PaperSum* sums) {
    for (int w = 0; w < count; ++w) {
        sums[w] = paper_run(cell, methods[w], segments);
        sums[w].ends_bv = paper_ends_bv(cell, methods[w], segments);
    }
}

static double each(int64_t sum, const PaperSum* s) {
    return (double)sum / (double)(s->segments > 0 ? s->segments : 1);
}

static int64_t inner(const PaperSum* s) {
    return s->bv - s->ends_bv;
}

static void print_head(const char* first, const PaperMethod* const* methods, int count) {
    paper_say("%s\n%-4s %-6s %8s", first, "fig", "", "segments");
    for (int w = 0; w < count; ++w) {
        paper_say("  | %-36s", methods[w]->name);
    }
    paper_say("\n%20s", "");
    for (int w = 0; w < count; ++w) {
        paper_say("  | %6s %7s %7s %6s %6s", "t", "BV", "inner", "Tri", "conf.");
    }
    paper_say("\n");
}

static void print_paper(const char* figure, const Row* row, const int* column, int count) {
    paper_say("%-4s %-6s %8d", figure, "paper", SEGMENTS);
    for (int w = 0; w < count; ++w) {
        if (column[w] < 0) {
            paper_say("  | %36s", "");
        } else {
            paper_say("  | %6.2f %7s %7.0f %6.1f %6s", row->t[column[w]] / row->t[0], "", row->bv[column[w]],
                      row->tri[column[w]], "");
        }
    }
    paper_say("\n");
}

static void print_ours(const char* table, const char* figure, const Row* row,
                       const PaperMethod* const* methods, const int* column, const PaperSum* sums,
                       int count) {
    paper_say("%-4s %-6s %8lld", figure, "ours", (long long)sums[0].segments);
    for (int w = 0; w < count; ++w) {
        const PaperSum* s = &sums[w];
        char name[96];
        paper_say("  | %6.2f %7.0f %7.0f %6.1f %6.1f", s->seconds / sums[0].seconds, each(s->bv, s),
                  each(inner(s), s), each(s->tri, s), each(s->configurations, s));
        snprintf(name, sizeof name, "%s %s: BV", table, methods[w]->name);
        paper_figure(figure, name, column[w] < 0 ? (double)NAN : row->bv[column[w]], each(inner(s), s));
        snprintf(name, sizeof name, "%s %s: BV with ends", table, methods[w]->name);
        paper_figure(figure, name, NAN, each(s->bv, s));
        snprintf(name, sizeof name, "%s %s: Tri", table, methods[w]->name);
        paper_figure(figure, name, column[w] < 0 ? (double)NAN : row->tri[column[w]], each(s->tri, s));
        snprintf(name, sizeof name, "%s %s: time over fixed", table, methods[w]->name);
        paper_figure(figure, name, column[w] < 0 ? (double)NAN : row->t[column[w]] / row->t[0],
                     s->seconds / sums[0].seconds);
    }
    paper_say("\n");
}

static void table3(PaperScale scale) {
    static const PaperMethod* const methods[COLUMNS] = {&fixed_zero, &adaptive_zero, &adaptive_five,
                                                        &adaptive_ours, &library_zero};
    static const int column[COLUMNS] = {0, 1, 2, -1, -1};
    print_head("Table III: colliding segments between random free configurations; t as a share of fixed",
               methods, COLUMNS);
    int fewer = 0;
    double product = 1.0, whole = 1.0;
    int64_t missed = 0;
    enum { ROWS = sizeof rows3 / sizeof rows3[0] };
    for (int r = 0; r < ROWS; ++r) {
        PaperCell cell = paper_open(rows3[r].model);
        BerthMotionChecker* judge = paper_motion(&cell, &paper_judge);
        PaperSegments segments =
            paper_segments(&cell, judge, PAPER_COLLIDING, (int)(scale.share * SEGMENTS), scale.seconds);
        berth_motion_checker_destroy(judge);
        PaperSum sums[COLUMNS];
        run(&cell, &segments, methods, COLUMNS, sums);
        print_paper(cell.model->figure, &rows3[r], column, COLUMNS);
        print_ours("III", cell.model->figure, &rows3[r], methods, column, sums, COLUMNS);
        const double ratio = (double)sums[1].bv / (double)sums[0].bv;
        const double inner_ratio = (double)inner(&sums[1]) / (double)inner(&sums[0]);
        paper_say(
            "            %d segments tried; adaptive / fixed: BV %.2f, inner %.2f (paper %.2f), "
            "configurations %.2f\n",
            segments.tried, ratio, inner_ratio, rows3[r].bv[1] / rows3[r].bv[0],
            (double)sums[1].configurations / (double)sums[0].configurations);
        missed += sums[0].segments - sums[0].verdicts[BERTH_COLLISION];
        fewer += ratio < 1.0 && inner_ratio < 1.0;
        product *= inner_ratio;
        whole *= ratio;
        paper_free_segments(&segments);
        paper_close(&cell);
    }
    paper_say("\n%lld of these collisions were not found by fixed within 2^20 samples\n", (long long)missed);
    paper_expect(
        "adaptive tests fewer BVs than fixed on colliding segments: geometric mean, without the ends",
        pow(product, 1.0 / ROWS) < 1.0, pow(product, 1.0 / ROWS));
    paper_expect("... with the ends", pow(whole, 1.0 / ROWS) < 1.0, pow(whole, 1.0 / ROWS));
    paper_expect("... both in each model", fewer == ROWS, fewer);
}

static void table6(PaperScale scale) {
    enum { COLUMNS6 = 4 };
    static const PaperMethod* const methods[COLUMNS6] = {&fixed_turn, &adaptive_five, &adaptive_ours,
                                                         &fixed_rad};
    static const int column[COLUMNS6] = {0, 1, -1, -1};
    paper_say("\n");
    print_head(
        "Table VI: free segments; the paper does not say what epsilon is measured in: a turn, or radians",
        methods, COLUMNS6);
    for (int r = 0; r < 2; ++r) {
        PaperCell cell = paper_open(rows6[r].model);
        BerthMotionChecker* judge = paper_motion(&cell, &paper_judge);
        PaperSegments segments =
            paper_segments(&cell, judge, PAPER_FREE, (int)(scale.share * SEGMENTS), 2.0 * scale.seconds);
        berth_motion_checker_destroy(judge);
        PaperSum sums[COLUMNS6];
        run(&cell, &segments, methods, COLUMNS6, sums);
        print_paper(cell.model->figure, &rows6[r], column, COLUMNS6);
        print_ours("VI", cell.model->figure, &rows6[r], methods, column, sums, COLUMNS6);
        paper_say("            %d segments tried; adaptive / fixed: BV %.2f, inner %.2f (paper %.2f)\n",
                  segments.tried, (double)sums[1].bv / (double)sums[0].bv,
                  (double)inner(&sums[1]) / (double)inner(&sums[0]), rows6[r].bv[1] / rows6[r].bv[0]);
        paper_free_segments(&segments);
        paper_close(&cell);
    }
}

void paper_table3(PaperScale scale) {
    paper_begin("table3");
    table3(scale);
    table6(scale);
    paper_end();
}
