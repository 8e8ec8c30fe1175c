// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Section V of paper 000 on its testbed: sizes of the octree, cycles between changes, where the time goes, what each refinement is
// worth, N, naive against octree, grids, the region octree, rebuild and reinsert, and cycles over the number of links that move.
// Movers are 1.2 in larger all round, what stands is not, as there; a task ends where extended primitives meet, as there.

#include <berth/lab/index.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/testbed.h"
#include "shape/gap.h"
#include "support/cell.h"
#include "support/clock.h"

#define INCH 0.0254
#define BUFFER (1.2 * INCH)
enum { PRIMITIVES_MOST = 320, PAIRS_MOST = 1 << 14, RUNS = 7, TURNS = 5 };

/// The testbed's primitives, or fewer, or more.
typedef struct World {
    Testbed* testbed;
    Primitive primitives[PRIMITIVES_MOST];
    int32_t count;
    int cycles[TESTBED_TASKS];  ///< until extended primitives meet
    BerthIndex* index;
    BerthIndexPair pairs[PAIRS_MOST];
    int64_t gaps, warnings;
    int moving;  ///< links that are moved; TESTBED_MOVERS: all
} World;

static bool is_allowed(const World* w, int32_t a, int32_t b) {
    const bool known = a < TESTBED_PRIMITIVES && b < TESTBED_PRIMITIVES;
    return known ? w->testbed->allowed[a][b] != 0 : a >= TESTBED_MOVERS && b >= TESTBED_MOVERS;
}

// ---- one cycle, in the stages whose shares are told ------------------------------------------------------

typedef enum Stage { STAGE_PLACE, STAGE_MOVE, STAGE_UPDATE, STAGE_PAIRS, STAGE_GAPS, STAGE_COUNT } Stage;

static void move_all(World* w) {
    for (int32_t m = TESTBED_MOVERS - w->moving; m < TESTBED_MOVERS; ++m) {
        berth_index_move(w->index, m, (const BerthPose*)&w->testbed->primitives[m].pose, BUFFER);
    }
}

static void measure_pairs(World* w, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        const int32_t a = w->pairs[i].a;
        const int32_t b = w->pairs[i].b;
        const Primitive* x = a < TESTBED_MOVERS ? &w->testbed->primitives[a] : &w->primitives[a];
        const Primitive* y = b < TESTBED_MOVERS ? &w->testbed->primitives[b] : &w->primitives[b];
        const double limit = b < TESTBED_MOVERS ? 2 * BUFFER : BUFFER;
        const Pose a_from_b = pose_between(&x->pose, &y->pose);
        w->warnings += !(bi_shape_gap(&x->shape, &y->shape, &a_from_b, limit).lower > limit);
    }
    w->gaps += count;
}

static void run_cycle(World* w, const double* values, Stage last) {
    bench_testbed_place(w->testbed, values);
    if (last >= STAGE_MOVE) {
        move_all(w);
    }
    if (last >= STAGE_UPDATE) {
        berth_index_update(w->index);
    }
    if (last >= STAGE_PAIRS) {
        const int32_t count = berth_index_pairs(w->index, w->pairs, PAIRS_MOST);
        if (last >= STAGE_GAPS) {
            measure_pairs(w, count < PAIRS_MOST ? count : PAIRS_MOST);
        }
    }
}

static int run_tasks(World* w, Stage last) {
    int cycles = 0;
    for (int task = 0; task < TESTBED_TASKS; ++task) {
        const int values = w->testbed->scene->value_count;
        for (int i = 0; i < w->cycles[task]; ++i, ++cycles) {
            run_cycle(w, w->testbed->task[task] + (size_t)i * (size_t)values, last);
        }
    }
    return cycles;
}

// Microseconds a cycle over the three tasks, the best of some runs.
static double time_tasks(World* w, Stage last) {
    double best = INFINITY;
    const double begin = bench_now();
    for (int run = 0; run < RUNS && (run < 2 || bench_now() < begin + 1.0); ++run) {
        const double start = bench_thread_now();
        const int cycles = run_tasks(w, last);
        best = fmin(best, (bench_thread_now() - start) / cycles);
    }
    return best * 1e6;
}

// ---- worlds ----------------------------------------------------------------------------------------------

static BerthIndexDef paper_def(void) {
    BerthIndexDef def = berth_default_index_def();
    def.low = (BerthVec3){-125 * INCH, -125 * INCH, -3 * INCH};
    def.edge = 250 * INCH;
    def.smallest = 250.0 / 128.0 * INCH;
    def.leaf_limit = 10;
    def.merge_limit = 10;
    def.body_limit = PRIMITIVES_MOST;
    def.mover_limit = TESTBED_MOVERS;
    def.node_limit = 1 << 16;
    def.entry_limit = 1 << 18;
    return def;
}

static void open_index(World* w, const BerthIndexDef* def) {
    if (berth_index_create(def, &w->index) != BERTH_OK) {
        bench_die("index");
    }
    bench_testbed_place(w->testbed, w->testbed->scene->values);
    for (int32_t i = 0; i < w->count; ++i) {
        const bool moves = i < TESTBED_MOVERS;
        const Primitive* p = moves ? &w->testbed->primitives[i] : &w->primitives[i];
        int32_t body = -1;
        if (berth_index_add(w->index, &p->shape, (const BerthPose*)&p->pose, moves ? BUFFER : 0.0, moves,
                            &body) != BERTH_OK ||
            body != i) {
            bench_die("index");
        }
    }
    for (int32_t a = 0; a < w->count; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            berth_index_allow(w->index, a, b, is_allowed(w, a, b));
        }
    }
    berth_index_update(w->index);
}

static void close_index(World* w) {
    berth_index_destroy(w->index);
    w->index = NULL;
}

// A task is over when extended primitives meet.
static void find_ends(World* w) {
    const BerthIndexDef def = paper_def();
    open_index(w, &def);
    const int values = w->testbed->scene->value_count;
    for (int task = 0; task < TESTBED_TASKS; ++task) {
        w->cycles[task] = 0;
        w->warnings = 0;
        while (w->cycles[task] < w->testbed->cycles[task] && w->warnings == 0) {
            run_cycle(w, w->testbed->task[task] + (size_t)w->cycles[task] * (size_t)values, STAGE_GAPS);
            w->cycles[task] += w->warnings == 0;
        }
        fprintf(stderr, "task %d: %d of %d cycles until extended primitives meet\n", task + 1,
                w->cycles[task], w->testbed->cycles[task]);
        bench_row("task cycles", "clear", task + 1, w->cycles[task]);
    }
    close_index(w);
}

static void tell(const char* table, const char* series, double x, double value) {
    fprintf(stderr, "  %-22s %-28s %8.5g %10.4g\n", table, series, x, value);
    bench_row(table, series, x, value);
}

static double time_def(World* w, const BerthIndexDef* def) {
    open_index(w, def);
    const double us = time_tasks(w, STAGE_GAPS);
    close_index(w);
    return us;
}

// The same of several that are compared with each other: they take turns, so that a slow minute of the machine is everybody's.
static void time_defs(World* w, const BerthIndexDef* defs, int count, double* us) {
    for (int turn = 0; turn < TURNS; ++turn) {
        for (int i = 0; i < count; ++i) {
            const double now = time_def(w, &defs[i]);
            us[i] = turn == 0 ? now : fmin(us[i], now);
        }
    }
}

// ---- tables ----------------------------------------------------------------------------------------------

static void tell_sizes(World* w, const char* name, BerthIndexDef def) {
    open_index(w, &def);
    BerthIndexStats s = berth_index_stats(w->index);
    tell("size nodes", name, def.leaf_limit, s.nodes);
    tell("size leaves", name, def.leaf_limit, s.leaves);
    tell("size empty", name, def.leaf_limit, s.empty_leaves);
    tell("size depth", name, def.leaf_limit, s.depth);
    tell("size per leaf", name, def.leaf_limit, (double)s.entries / (s.leaves - s.empty_leaves));
    tell("size per primitive", name, def.leaf_limit, (double)s.entries / w->count);
    const int64_t before = s.splits + s.merges;
    const int64_t pair_before = s.pair_tests;
    w->gaps = 0;
    const int cycles = run_tasks(w, STAGE_GAPS);
    s = berth_index_stats(w->index);
    const int64_t changes = s.splits + s.merges - before;
    tell("size changes", name, def.leaf_limit, (double)changes);
    tell("size cycles per change", name, def.leaf_limit,
         changes > 0 ? (double)cycles / (double)changes : cycles);
    tell("size pair tests", name, def.leaf_limit, (double)(s.pair_tests - pair_before) / cycles);
    tell("size gaps", name, def.leaf_limit, (double)w->gaps / cycles);
    close_index(w);
}

static void tell_all_sizes(World* w) {
    BerthIndexDef def = paper_def();
    def.exact_nodes = true;
    tell_sizes(w, "as printed", def);
    def.merge_limit = 6;
    tell_sizes(w, "with hysteresis", def);
    def.exact_nodes = false;
    tell_sizes(w, "by boxes", def);
}

static void tell_shares(World* w, const char* table, bool exact) {
    static const char* const names[STAGE_COUNT] = {"kinematics", "moves", "update", "pairs", "distances"};
    BerthIndexDef def = paper_def();
    def.exact_nodes = exact;
    def.merge_limit = exact ? 10 : 6;
    def.update = exact ? BERTH_UPDATE_NEIGHBOURS : BERTH_UPDATE_DESCENT;
    open_index(w, &def);
    double before = 0.0;
    for (int stage = 0; stage < STAGE_COUNT; ++stage) {
        const double us = time_tasks(w, (Stage)stage);
        tell(table, names[stage], stage, us - before);
        before = us;
    }
    tell(table, "cycle", STAGE_COUNT, before);
    close_index(w);
}

// What the paper measured is a gain with the others in place. Without boxes the distance of every pair in a leaf is computed.
static void tell_gains(World* w) {
    static const struct {
        const char* name;
        int32_t less;
    } parts[] = {{"all", 0},
                 {"redundant tests", BERTH_LESS_STAMPS},
                 {"direction", BERTH_LESS_DIRECTION},
                 {"box in node", BERTH_LESS_INSIDE},
                 {"boxes first", BERTH_LESS_BOXES}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    BerthIndexDef defs[PARTS + 1];
    double us[PARTS + 1];
    for (int i = 0; i < PARTS; ++i) {
        defs[i] = paper_def();
        defs[i].exact_nodes = true;
        defs[i].update = BERTH_UPDATE_NEIGHBOURS;
        defs[i].less = parts[i].less;
    }
    defs[PARTS] = paper_def();
    defs[PARTS].merge_limit = 6;
    time_defs(w, defs, PARTS + 1, us);
    for (int i = 0; i < PARTS; ++i) {
        tell("without", parts[i].name, i, us[i]);
    }
    tell("without", "ours", 9, us[PARTS]);
}

static void tell_updates(World* w) {
    BerthIndexDef defs[2 * BERTH_UPDATE_COUNT];
    double us[2 * BERTH_UPDATE_COUNT];
    for (int i = 0; i < 2 * BERTH_UPDATE_COUNT; ++i) {
        defs[i] = paper_def();
        defs[i].update = (BerthIndexUpdate)(i / 2);
        defs[i].exact_nodes = i % 2 != 0;
        defs[i].merge_limit = i % 2 != 0 ? 10 : 6;
    }
    time_defs(w, defs, 2 * BERTH_UPDATE_COUNT, us);
    for (int i = 0; i < 2 * BERTH_UPDATE_COUNT; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", berth_index_update_name(defs[i].update),
                 i % 2 != 0 ? " exact" : "");
        tell("update", name, i / 2, us[i]);
    }
}

static void tell_n(World* w) {
    static const int32_t limits[] = {3, 4, 5, 6, 8, 10, 12, 14, 17, 20, 25, 30, 35};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        BerthIndexDef def = paper_def();
        def.leaf_limit = limits[i];
        def.merge_limit = limits[i];
        def.exact_nodes = true;
        def.update = BERTH_UPDATE_NEIGHBOURS;
        tell("figure 4", "as printed", limits[i], time_def(w, &def));
        def.exact_nodes = false;
        def.update = BERTH_UPDATE_DESCENT;
        def.merge_limit = (6 * limits[i] + 9) / 10 < limits[i] ? (6 * limits[i] + 9) / 10 : limits[i] - 1;
        tell("figure 4", "ours", limits[i], time_def(w, &def));
    }
}

static void tell_grids(World* w) {
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        BerthIndexDef def = paper_def();
        def.kind = BERTH_INDEX_GRID;
        def.grid = sizes[i];
        def.exact_nodes = true;
        tell("figure 6", "as printed", sizes[i], time_def(w, &def));
        def.exact_nodes = false;
        tell("figure 6", "ours", sizes[i], time_def(w, &def));
    }
}

// Boxes of 4 in within 2 ft of the arms, but never so near that extended primitives meet: as the paper's, they are in the
// immediate area around the arms, which is the worst for the octree.
static void add_boxes(World* w, int32_t count) {
    Random random = {60};
    while (w->count < count) {
        Primitive p = {.shape = {.kind = BERTH_BOX, .as.box.half = {2 * INCH, 2 * INCH, 2 * INCH}}};
        p.pose = (Pose){{1, 0, 0},
                        {0, 1, 0},
                        {0, 0, 1},
                        {bi_random_between(&random, 0.2, 2.2), bi_random_between(&random, -2.2, 1.4),
                         bi_random_between(&random, 0.1, 2.2)}};
        double least = INFINITY;
        for (int task = 0; task < TESTBED_TASKS && least > 1.5 * BUFFER; ++task) {
            const size_t values = (size_t)w->testbed->scene->value_count;
            for (int i = 0; i < w->cycles[task] && least > 1.5 * BUFFER; i += 5) {
                bench_testbed_place(w->testbed, w->testbed->task[task] + (size_t)i * values);
                for (int m = 0; m < TESTBED_MOVERS; ++m) {
                    const Primitive* mover = &w->testbed->primitives[m];
                    const Pose mover_from_box = pose_between(&mover->pose, &p.pose);
                    least = fmin(least, bi_shape_gap(&mover->shape, &p.shape, &mover_from_box, 1.0).lower);
                }
            }
        }
        if (least > 1.5 * BUFFER && least < 24 * INCH) {
            w->primitives[w->count++] = p;
        }
    }
}

static void tell_naive(World* w) {
    static const int32_t counts[] = {15, 20, 25, 30, 35, 50, 75, 100, 150, 200, 300};
    World grown = *w;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        if (counts[i] <= TESTBED_PRIMITIVES) {
            grown.count = counts[i];
            if (counts[i] == 15) {  // the arms and the box in front
                grown.primitives[TESTBED_MOVERS] = w->primitives[TESTBED_MOVERS + 10];
            } else {
                memcpy(grown.primitives, w->primitives, sizeof grown.primitives);
            }
        } else {
            add_boxes(&grown, counts[i]);
        }
        BerthIndexDef def = paper_def();
        def.exact_nodes = true;
        def.update = BERTH_UPDATE_NEIGHBOURS;
        tell("figure 5", "octree as printed", counts[i], time_def(&grown, &def));
        def.exact_nodes = false;
        def.update = BERTH_UPDATE_DESCENT;
        def.merge_limit = 6;
        tell("figure 5", "octree", counts[i], time_def(&grown, &def));
        def.kind = BERTH_INDEX_LIST;
        tell("figure 5", "naive", counts[i], time_def(&grown, &def));
        def.less = BERTH_LESS_BOXES;
        tell("figure 5", "naive without boxes", counts[i], time_def(&grown, &def));
    }
}

static void tell_links(World* w) {
    BerthIndexDef def = paper_def();
    for (int moving = 0; moving <= TESTBED_MOVERS; ++moving) {
        w->moving = moving;
        def.exact_nodes = true;
        def.update = BERTH_UPDATE_NEIGHBOURS;
        def.merge_limit = 10;
        open_index(w, &def);
        const double printed = time_tasks(w, STAGE_UPDATE);
        close_index(w);
        def.exact_nodes = false;
        def.update = BERTH_UPDATE_DESCENT;
        def.merge_limit = 6;
        open_index(w, &def);
        tell("links", "as printed", moving, printed);
        tell("links", "ours", moving, time_tasks(w, STAGE_UPDATE));
        close_index(w);
    }
    w->moving = TESTBED_MOVERS;
}

// 250 in / 128 and / 256: the paper's 1.2 in is not a cube cut in halves.
static void tell_region(World* w) {
    for (int cut = 128; cut <= 256; cut *= 2) {
        BerthIndexDef def = paper_def();
        def.kind = BERTH_INDEX_REGION;
        def.exact_nodes = true;
        def.smallest = 250.0 / cut * INCH;
        def.node_limit = 1 << 20;
        def.entry_limit = 1 << 21;
        open_index(w, &def);
        const double edge = 250.0 / cut;
        const BerthIndexStats before = berth_index_stats(w->index);
        tell("region leaves", "all", edge, before.leaves);
        for (int32_t m = 0; m < TESTBED_MOVERS; ++m) {
            if (m % 7 != 0) {  // the upper six links of both arms
                berth_index_remove(w->index, m);
            }
        }
        berth_index_update(w->index);
        const BerthIndexStats after = berth_index_stats(w->index);
        tell("region leaves", "of 12 links", edge, before.entries - after.entries);
        close_index(w);
        open_index(w, &def);
        const int values = w->testbed->scene->value_count;
        const double start = bench_thread_now();
        const int cycles = cut == 128 ? 60 : 10;
        for (int i = 0; i < cycles; ++i) {
            run_cycle(w, w->testbed->task[0] + (size_t)(3 * i + 200) * (size_t)values, STAGE_GAPS);
        }
        tell("region cycle us", "all", edge, (bench_thread_now() - start) / cycles * 1e6);
        close_index(w);
    }
}

// Every cycle's time, not only their mean: the paper's mean was 30 ms and its worst below 60.
static void tell_spread(World* w) {
    BerthIndexDef def = paper_def();
    def.merge_limit = 6;
    open_index(w, &def);
    double* times = malloc(sizeof(double) * 4096);
    double reading = INFINITY;
    for (int i = 0; i < 100; ++i) {
        const double start = bench_thread_now();
        reading = fmin(reading, bench_thread_now() - start);
    }
    int count = 0;
    for (int task = 0; task < TESTBED_TASKS; ++task) {
        const size_t values = (size_t)w->testbed->scene->value_count;
        for (int i = 0; i < w->cycles[task] && count < 4096; ++i) {
            const double start = bench_thread_now();
            run_cycle(w, w->testbed->task[task] + (size_t)i * values, STAGE_GAPS);
            times[count++] = bench_thread_now() - start - reading;
        }
    }
    tell("cycle us", "median", 50, bench_quantile(times, count, 0.5) * 1e6);
    tell("cycle us", "p99", 99, bench_quantile(times, count, 0.99) * 1e6);
    tell("cycle us", "worst", 100, bench_quantile(times, count, 1.0) * 1e6);
    free(times);
    close_index(w);
}

void bench_paper000(void) {
    static World world;
    Testbed testbed = bench_testbed_open();
    world.testbed = &testbed;
    world.count = TESTBED_PRIMITIVES;
    world.moving = TESTBED_MOVERS;
    memcpy(world.primitives, testbed.primitives, sizeof testbed.primitives);
    find_ends(&world);
    tell_all_sizes(&world);
    tell_shares(&world, "share printed us", true);
    tell_shares(&world, "share us", false);
    tell_gains(&world);
    tell_updates(&world);
    tell_links(&world);
    tell_n(&world);
    tell_naive(&world);
    tell_grids(&world);
    tell_region(&world);
    tell_spread(&world);
    bench_testbed_close(&testbed);
}
