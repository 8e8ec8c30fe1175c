// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Table XI: ADAPTIVE-BISECTION and REFINED-ADAPTIVE-BISECTION on random segments with delta = L_ref / 200, and the memory
// that their queues take.

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
    double entry_bytes, queue_bytes, taken;
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

static Memory run(PaperCell* cell, const PaperSegments* segments, BerthMethod method, double delta,
                  PaperSum* sum) {
    BerthMotionDef def = berth_default_motion_def();
    def.engine = BERTH_ENGINE_RSS;
    def.method = method;
    def.distance = method == BERTH_METHOD_ADAPTIVE ? BERTH_DISTANCE_GREEDY : BERTH_DISTANCE_DEFAULT;
    def.delta = delta;
    def.allocator = (BerthAllocator){counting_take, counting_give, NULL};
    BerthMotion* motion = NULL;
    bytes_taken = 0;
    if (berth_motion_create(cell->scene, &def, &motion) != BERTH_OK) {
        bench_die("motion");
    }
    Memory memory = {.taken = (double)bytes_taken};
    *sum = (PaperSum){0};
    for (int i = 0; i < segments->count; ++i) {
        const double* from = segments->ends + (size_t)i * 2 * (size_t)segments->value_count;
        paper_ask(motion, from, from + segments->value_count, sum);
    }
    paper_queue_memory(motion, &memory.entries, &memory.entry_bytes, &memory.queue_bytes);
    berth_motion_destroy(motion);
    return memory;
}

// One model: the ratio of BV tests.
static double print_model(const Row* row, const char* kind, const PaperSum sums[WAYS],
                          const PaperSegments* segments) {
    const char* figure = paper_models[row->model].figure;
    paper_say("%-4s %-6s %8d", figure, "paper", SEGMENTS);
    for (int w = 0; w < WAYS; ++w) {
        paper_say("  | %5.2f %8.0f %6.0f %6s", row->t[w] / row->t[0], row->bv[w], row->tri[w], "");
    }
    paper_say("  | %5.1f %5.1f\n", row->bv[0] / row->bv[1], row->tri[0] / row->tri[1]);
    paper_say("%-4s %-6s %8lld", figure, kind, (long long)sums[0].segments);
    for (int w = 0; w < WAYS; ++w) {
        const PaperSum* s = &sums[w];
        char column[64];
        paper_say("  | %5.2f %8.0f %6.0f %6.1f", s->seconds / sums[0].seconds, each(s->bv, s),
                  each(s->tri, s), each(s->configurations, s));
        snprintf(column, sizeof column, "%s %s BV", kind, names[w]);
        paper_figure(figure, column, row->bv[w], each(s->bv, s));
        snprintf(column, sizeof column, "%s %s Tri", kind, names[w]);
        paper_figure(figure, column, row->tri[w], each(s->tri, s));
    }
    const double ratio = (double)sums[0].bv / (double)(sums[1].bv > 0 ? sums[1].bv : 1);
    paper_say("  | %5.1f %5.1f", ratio, (double)sums[0].tri / (double)(sums[1].tri > 0 ? sums[1].tri : 1));
    if (segments->length < (double)INFINITY) {
        paper_say("   segments of %.3g rad", segments->length);
    }
    paper_say("\n");
    paper_figure(figure, "BV adaptive / refined", row->bv[0] / row->bv[1], ratio);
    paper_figure(figure, "time refined / adaptive", row->t[1] / row->t[0], sums[1].seconds / sums[0].seconds);
    if (sums[0].budget + sums[1].budget > 0) {
        paper_say("            budgets ran out: adaptive %lld, refined %lld\n", (long long)sums[0].budget,
                  (long long)sums[1].budget);
    }
    return ratio;
}

static double print_kind(PaperScale scale, PaperKind kind, const char* label, Memory memory[ROWS][WAYS]) {
    double product = 1.0;
    for (int r = 0; r < ROWS; ++r) {
        PaperCell cell = paper_open(rows[r].model);
        const double delta = cell.model->l_ref / 200.0;
        BerthMotion* judge = paper_motion(&cell, &paper_judge);
        PaperSegments segments =
            paper_segments(&cell, judge, kind, (int)(scale.share * SEGMENTS), scale.seconds);
        berth_motion_destroy(judge);
        PaperSum sums[WAYS];
        memory[r][0] = run(&cell, &segments, BERTH_METHOD_ADAPTIVE, delta, &sums[0]);
        memory[r][1] = run(&cell, &segments, BERTH_METHOD_REFINED, delta, &sums[1]);
        product *= print_model(&rows[r], label, sums, &segments);
        paper_free_segments(&segments);
        paper_close(&cell);
    }
    return pow(product, 1.0 / ROWS);
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
            char column[64];
            paper_say("  | %-9s %9lld %9.1f %11.0f", "", (long long)m->entries, m->queue_bytes / 1024.0,
                      m->taken / 1024.0);
            snprintf(column, sizeof column, "%s queue bytes", names[w]);
            paper_figure(figure, column, NAN, m->queue_bytes);
        }
        paper_say("\n");
    }
    paper_say(
        "An entry is %.0f bytes; of REFINED a pair of BVs with its times and bounds, so its queue is the "
        "tree of BV\n"
        "pairs that is still open, with the remembered gaps. Taken: everything a checker allocates, at "
        "creation.\n",
        memory[0][0].entry_bytes);
}

void paper_table11(PaperScale scale) {
    static Memory memory[ROWS][WAYS];
    paper_begin("table11");
    paper_say(
        "Table XI: random segments, delta = L_ref / 200; t as a share of adaptive; last: adaptive / "
        "refined\n\n");
    paper_say("%-4s %-6s %8s  | %5s %8s %6s %6s  | %5s %8s %6s %6s  | %5s %5s\n", "fig", "", "segments", "t",
              "BV", "Tri", "conf.", "t", "BV", "Tri", "conf.", "BV", "Tri");
    const double mixed = print_kind(scale, PAPER_ANY, "any", memory);
    paper_say("\nThe same on free segments alone\n\n");
    const double ratio = print_kind(scale, PAPER_FREE, "free", memory);
    paper_say("\n");
    paper_expect(
        "refined tests 5 times fewer BVs than adaptive: geometric mean over six models, any segments",
        mixed >= 5.0, mixed);
    paper_expect("... and on free segments", ratio >= 5.0, ratio);
    print_memory(memory);
    paper_end();
}
