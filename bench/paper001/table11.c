// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Table XI: ADAPTIVE-BISECTION and REFINED-ADAPTIVE-BISECTION on random segments with delta = L_ref / 200, and the memory
// that their queues take.

#include <berth/lab/motion.h>
#include <berth/lab/tree.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "paper001/paper.h"
#include "support/cell.h"

enum { SEGMENTS = 1000, WAYS = 2 };

typedef struct Row {
    int model;
    double t[WAYS], bv[WAYS], tri[WAYS];
} Row;

static const Row rows[] = {
    {FIG_11A, {0.066, 0.037}, {17491, 1510}, {45, 10}},
    {FIG_11B, {0.060, 0.040}, {13182, 1342}, {201, 14}},
    {FIG_12A, {0.020, 0.010}, {5038, 546}, {222, 15}},
    {FIG_12B, {0.032, 0.023}, {7299, 1144}, {66, 14}},
    {FIG_12C, {0.155, 0.142}, {15978, 2914}, {367, 30}},
    {FIG_12D, {0.507, 0.373}, {73579, 8523}, {4623, 169}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };
static const char* const names[WAYS] = {"ADAPTIVE", "REFINED"};

static double each(int64_t sum, const PaperSum* s) {
    return (double)sum / (double)(s->segments > 0 ? s->segments : 1);
}

/// Memory of one checker after its segments.
typedef struct Memory {
    int64_t entries;  // most in the queue at a time
    double entry_bytes, queue_bytes, memo_bytes, taken;
} Memory;

static int64_t bytes_taken;

static void* counting_take(void* user, size_t size, size_t align) {
    (void)user;
    bytes_taken += (int64_t)size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void counting_give(void* user, void* block, size_t size) {
    (void)user;
    bytes_taken -= (int64_t)size;
    free(block);
}

static Memory run(PaperCell* cell, const PaperSegments* segments, const PaperMethod* method, PaperSum* sum) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionLab lab = berth_default_motion_lab();
    def.lab = &lab;
    lab.engine = BERTH_ENGINE_RSS;
    def.method = method->method;
    lab.distance = method->distance;
    lab.bound = method->bound;
    def.delta = method->delta;
    def.allocator = (BerthAllocator){counting_take, counting_give, NULL};
    BerthMotionChecker* motion = NULL;
    bytes_taken = 0;
    if (berth_motion_checker_create(cell->scene, &def, &motion) != BERTH_OK) {
        bench_die("motion");
    }
    Memory memory = {.taken = (double)bytes_taken};
    *sum = (PaperSum){0};
    for (int i = 0; i < segments->count; ++i) {
        const double* from = segments->ends + (size_t)i * 2 * (size_t)segments->value_count;
        paper_ask(motion, from, from + segments->value_count, sum);
    }
    sum->ends_bv = paper_ends_bv(cell, method, segments);
    paper_queue_memory(motion, &memory.entries, &memory.entry_bytes, &memory.memo_bytes);
    memory.queue_bytes = (double)memory.entries * memory.entry_bytes;
    berth_motion_checker_destroy(motion);
    return memory;
}

/// BV tests of adaptive over those of refined, with and without the ends.
typedef struct Ratio {
    double whole, inner;
} Ratio;

static int64_t inner(const PaperSum* s) {
    return s->bv - s->ends_bv;
}

static double over(int64_t a, int64_t b) {
    return (double)a / (double)(b > 0 ? b : 1);
}

static void print_paper(const Row* row) {
    paper_say("%-4s %-14s %8d", paper_models[row->model].figure, "paper", SEGMENTS);
    for (int w = 0; w < WAYS; ++w) {
        paper_say("  | %5.2f %7s %7.0f %6.0f %6s", row->t[w] / row->t[0], "", row->bv[w], row->tri[w], "");
    }
    paper_say("  | %5s %5.1f %5.1f\n", "", row->bv[0] / row->bv[1], row->tri[0] / row->tri[1]);
}

static Ratio print_model(const Row* row, const char* kind, const PaperSum sums[WAYS],
                         const PaperSegments* segments) {
    const char* figure = paper_models[row->model].figure;
    const Ratio ratio = {over(sums[0].bv, sums[1].bv), over(inner(&sums[0]), inner(&sums[1]))};
    paper_say("%-4s %-14s %8lld", figure, kind, (long long)sums[0].segments);
    for (int w = 0; w < WAYS; ++w) {
        const PaperSum* s = &sums[w];
        char column[128];
        paper_say("  | %5.2f %7.0f %7.0f %6.0f %6.1f", s->seconds / sums[0].seconds, each(s->bv, s),
                  each(inner(s), s), each(s->tri, s), each(s->configurations, s));
        snprintf(column, sizeof column, "%s %s BV without ends", kind, names[w]);
        paper_figure(figure, column, row->bv[w], each(inner(s), s));
        snprintf(column, sizeof column, "%s %s BV", kind, names[w]);
        paper_figure(figure, column, NAN, each(s->bv, s));
        snprintf(column, sizeof column, "%s %s Tri", kind, names[w]);
        paper_figure(figure, column, row->tri[w], each(s->tri, s));
    }
    paper_say("  | %5.1f %5.1f %5.1f", ratio.whole, ratio.inner, over(sums[0].tri, sums[1].tri));
    if (segments->length < (double)INFINITY) {
        paper_say("  of %.3g rad", segments->length);
    }
    paper_say("\n");
    char column[128];
    snprintf(column, sizeof column, "%s BV without ends: adaptive / refined", kind);
    paper_figure(figure, column, row->bv[0] / row->bv[1], ratio.inner);
    snprintf(column, sizeof column, "%s BV: adaptive / refined", kind);
    paper_figure(figure, column, NAN, ratio.whole);
    snprintf(column, sizeof column, "%s time: refined / adaptive", kind);
    paper_figure(figure, column, row->t[1] / row->t[0], sums[1].seconds / sums[0].seconds);
    if (sums[0].budget + sums[1].budget > 0) {
        paper_say("            budgets ran out: adaptive %lld, refined %lld\n", (long long)sums[0].budget,
                  (long long)sums[1].budget);
    }
    return ratio;
}

/// Geometric means over the models, with each of the two bounds.
typedef struct Ratios {
    Ratio of[BERTH_BOUND_COUNT];
} Ratios;
static const char* const bound_names[BERTH_BOUND_COUNT] = {
    [BERTH_BOUND_INTERVAL] = "our bound", [BERTH_BOUND_GLOBAL] = "paper's R"};

// The same segments with the paper's own bound, then with that of the interval. Memory is of the second.
static Ratios print_kind(PaperScale scale, PaperKind kind, const char* label, Memory memory[ROWS][WAYS]) {
    Ratios product = {{{1.0, 1.0}, {1.0, 1.0}}};
    for (int r = 0; r < ROWS; ++r) {
        PaperCell cell = paper_open(rows[r].model);
        BerthMotionChecker* judge = paper_motion(&cell, &paper_judge);
        PaperSegments segments =
            paper_segments(&cell, judge, kind, (int)(scale.share * SEGMENTS), scale.seconds);
        berth_motion_checker_destroy(judge);

        print_paper(&rows[r]);
        for (int bound = BERTH_BOUND_GLOBAL; bound >= BERTH_BOUND_INTERVAL; --bound) {
            const PaperMethod methods[WAYS] = {{.name = "adaptive",
                                                .method = BERTH_METHOD_ADAPTIVE,
                                                .distance = BERTH_DISTANCE_GREEDY,
                                                .delta = cell.model->l_ref / 200.0,
                                                .bound = (BerthMotionBound)bound},
                                               {.name = "refined",
                                                .method = BERTH_METHOD_REFINED,
                                                .delta = cell.model->l_ref / 200.0,
                                                .bound = (BerthMotionBound)bound}};
            PaperSum sums[WAYS];
            char name[64];
            snprintf(name, sizeof name, "%s, %s", label, bound_names[bound]);
            memory[r][0] = run(&cell, &segments, &methods[0], &sums[0]);
            memory[r][1] = run(&cell, &segments, &methods[1], &sums[1]);
            const Ratio ratio = print_model(&rows[r], name, sums, &segments);
            product.of[bound].whole *= pow(ratio.whole, 1.0 / ROWS);
            product.of[bound].inner *= pow(ratio.inner, 1.0 / ROWS);
        }
        paper_free_segments(&segments);
        paper_close(&cell);
    }
    return product;
}

static void print_memory(Memory memory[ROWS][WAYS]) {
    paper_say("\nMemory of the queues on these segments: most entries at a time, and what they take\n\n");
    paper_say("%-4s", "fig");
    for (int w = 0; w < WAYS; ++w) {
        paper_say("  | %-9s %9s %9s %11s", names[w], "entries", "kB", "taken, kB");
    }
    paper_say("\n");
    for (int r = 0; r < ROWS; ++r) {
        const char* figure = paper_models[rows[r].model].figure;
        paper_say("%-4s", figure);
        for (int w = 0; w < WAYS; ++w) {
            const Memory* m = &memory[r][w];
            char column[128];
            paper_say("  | %-9s %9lld %9.1f %11.0f", "", (long long)m->entries, m->queue_bytes / 1024.0,
                      m->taken / 1024.0);
            snprintf(column, sizeof column, "%s queue bytes", names[w]);
            paper_figure(figure, column, NAN, m->queue_bytes);
        }
        paper_say("\n");
    }
    paper_say(
        "An entry is %.0f bytes: a pair of bodies (REFINED: of BVs) between two times. REFINED remembers "
        "gaps of BV\n"
        "pairs in a table of %.0f kB. Taken: everything a checker allocates, at creation.\n",
        memory[0][0].entry_bytes, memory[0][1].memo_bytes / 1024.0);
}

void paper_table11(PaperScale scale) {
    static Memory memory[ROWS][WAYS];
    paper_begin("table11");
    paper_say(
        "Table XI: random segments, delta = L_ref / 200; t as a share of adaptive; inner: BV without the "
        "ends\n\n");
    paper_say("%28s  | %-36s  | %-36s  | adaptive / refined\n%-4s %-14s %8s", "", names[0], names[1], "fig",
              "", "segments");
    for (int w = 0; w < WAYS; ++w) {
        paper_say("  | %5s %7s %7s %6s %6s", "t", "BV", "inner", "Tri", "conf.");
    }
    paper_say("  | %5s %5s %5s\n", "BV", "inner", "Tri");
    const Ratios clear = print_kind(scale, PAPER_FREE, "free", memory);
    print_memory(memory);
    paper_say(
        "\nThe same on segments that nobody chose: most of them collide, and most of the work is at their "
        "ends\n\n");
    const Ratios mixed = print_kind(scale, PAPER_ANY, "any", memory);
    paper_say("\n");
    for (int bound = BERTH_BOUND_GLOBAL; bound >= BERTH_BOUND_INTERVAL; --bound) {
        char text[160];
        snprintf(text, sizeof text, "%s: refined tests 5 times fewer BVs than adaptive, geometric mean, free",
                 bound_names[bound]);
        paper_expect(text, clear.of[bound].whole >= 5.0, clear.of[bound].whole);
        paper_expect("... without the ends", clear.of[bound].inner >= 5.0, clear.of[bound].inner);
        paper_expect("... any segments, without the ends", mixed.of[bound].inner >= 5.0,
                     mixed.of[bound].inner);
        paper_expect("... any segments, with the ends", mixed.of[bound].whole >= 5.0, mixed.of[bound].whole);
    }
    paper_end();
}
