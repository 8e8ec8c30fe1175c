// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Planning: the Panda in the 700 problems of the shared folder (MotionBenchMaker), one thread. Every motion is proven as it is
// found, and the whole once more, which is not counted. A problem is asked several times with the same seed and the best time counts:
// machines are shared. Laying out the scene (lanes, checkers) is told apart.
//   spheres   panda_spherized.urdf, like for like with planners that know spheres only
//   meshes    panda.urdf, the robot itself
// usage: bench_plan [spheres|meshes] [--every N] [--seed N] [--seeds N]

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <berth/berth.h>

#include "support/cell.h"
#include "support/clock.h"
#include "support/panda.h"

enum { OUTCOMES = 8192, ROUNDS = 5, FAMILIES = 16, NAME = 64 };
static const double LIMIT = 1.0;  // seconds of a search

/// What came of one problem. Microseconds.
typedef struct Outcome {
    char family[NAME];
    bool ends_free, found, proven;
    double layout, search, total, length, found_length, samples, edges;
} Outcome;

typedef struct Bench {
    Panda panda;
    uint64_t seed;  // the first
    int seeds;
    double deadline;
    Outcome outcomes[OUTCOMES];
    int count;
} Bench;

static bool is_late(void* user) {
    return bench_now() > ((const Bench*)user)->deadline;
}

// ---- one problem --------------------------------------------------------------------------------------------------

static void ask_rounds(Bench* bench, BerthPlanner* planner, const BerthPlanQuery* query, Outcome* out) {
    out->search = out->total = INFINITY;
    for (int round = 0; round < ROUNDS; ++round) {
        BerthPlanResult result;
        const double start = bench_now();
        bench->deadline = start + LIMIT;
        if (berth_planner_find(planner, query, &result) != BERTH_OK) {
            bench_die("find");
        }
        const double found = bench_now();
        out->ends_free = result.found || result.reason == BERTH_PLAN_BUDGET;
        if (!result.found) {
            return;
        }
        out->found = true;
        out->found_length = result.length;
        out->samples = (double)result.stats.samples;
        out->edges = (double)result.stats.edges;
        if (berth_planner_shorten(planner, &result) != BERTH_OK) {
            bench_die("shorten");
        }
        out->search = fmin(out->search, 1e6 * (found - start));
        out->total = fmin(out->total, 1e6 * (bench_now() - start));
        out->length = result.length;
    }
}

// A planner of its own for each seed; the layout is the same.
static void ask_seed(Bench* bench, const BerthProblem* problem, const BerthLanes* lanes, uint64_t seed,
                     Outcome* out) {
    const double start = bench_now();
    BerthPlanner* planner = NULL;
    BerthPlannerDef def = berth_default_planner_def();
    def.lanes = lanes;
    def.seed = seed;
    def.late = is_late;
    def.late_user = bench;
    if (berth_planner_create(bench->panda.scene, &def, &planner) != BERTH_OK) {
        bench_die("planner");
    }
    out->layout += 1e6 * (bench_now() - start);

    const BerthPlanQuery query = {problem->start, problem->goals, problem->goal_count};
    BerthPlanProof proof;
    ask_rounds(bench, planner, &query, out);
    if (out->found && berth_planner_certify(planner, false, NULL, &proof) == BERTH_OK) {
        out->proven = proof.verdict == BERTH_FREE;
    }
    berth_planner_destroy(planner);
}

static void ask_problem(Bench* bench, int32_t line) {
    BerthProblem problem;
    panda_read(&bench->panda, line, &problem);
    const double start = bench_now();
    BerthLanes* lanes = panda_lanes(&bench->panda);
    const double layout = 1e6 * (bench_now() - start);
    for (int i = 0; i < bench->seeds && bench->count < OUTCOMES; ++i) {
        Outcome* out = &bench->outcomes[bench->count++];
        panda_family(&problem, out->family, sizeof out->family);
        out->layout = layout;
        ask_seed(bench, &problem, lanes, bench->seed + (uint64_t)i, out);
    }
    berth_lanes_destroy(lanes);
    panda_forget(&bench->panda, &problem);
}

// ---- what came out -------------------------------------------------------------------------------------------------

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// One number of the problems of a family that were solved.
typedef struct Column {
    double values[OUTCOMES];
    int count;
} Column;

static double quantile(Column* column, double share) {
    qsort(column->values, (size_t)column->count, sizeof *column->values, compare);
    const int at = (int)(share * column->count);
    return column->count > 0 ? column->values[at < column->count ? at : column->count - 1] : NAN;
}

static Column* column_of(const Bench* bench, const char* family, size_t offset) {
    static Column column;
    column.count = 0;
    for (int i = 0; i < bench->count; ++i) {
        const Outcome* outcome = &bench->outcomes[i];
        if (outcome->found && (family == NULL || strcmp(family, outcome->family) == 0)) {
            column.values[column.count++] = *(const double*)((const char*)outcome + offset);
        }
    }
    return &column;
}

static void print_family(const Bench* bench, const char* model, const char* family) {
    int asked = 0, open = 0, found = 0, proven = 0;
    for (int i = 0; i < bench->count; ++i) {
        const Outcome* outcome = &bench->outcomes[i];
        if (family == NULL || strcmp(family, outcome->family) == 0) {
            asked += 1;
            open += outcome->ends_free;
            found += outcome->found;
            proven += outcome->proven;
        }
    }
    printf("plan,%s,%s,%d,%d,%d,%d", model, family != NULL ? family : "all", asked, open, found, proven);
    static const struct {
        size_t offset;
        double share;
    } columns[] = {{offsetof(Outcome, search), 0.5},       {offsetof(Outcome, search), 0.95},
                   {offsetof(Outcome, total), 0.5},        {offsetof(Outcome, total), 0.95},
                   {offsetof(Outcome, found_length), 0.5}, {offsetof(Outcome, length), 0.5},
                   {offsetof(Outcome, samples), 0.5},      {offsetof(Outcome, edges), 0.5},
                   {offsetof(Outcome, layout), 0.5}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        printf(",%.4g", quantile(column_of(bench, family, columns[i].offset), columns[i].share));
    }
    printf(",");
    bench_print_who();
    printf("\n");
}

static void print_all(const Bench* bench, const char* model) {
    char families[FAMILIES][NAME];
    int count = 0;
    for (int i = 0; i < bench->count; ++i) {
        bool known = false;
        for (int k = 0; k < count; ++k) {
            known = known || strcmp(families[k], bench->outcomes[i].family) == 0;
        }
        if (!known && count < FAMILIES) {
            memcpy(families[count++], bench->outcomes[i].family, NAME);
        }
    }
    for (int k = 0; k < count; ++k) {
        print_family(bench, model, families[k]);
    }
    print_family(bench, model, NULL);
}

static void run(bool spheres, int every, uint64_t seed, int seeds) {
    static Bench bench;
    bench = (Bench){.panda = panda_open(spheres), .seed = seed, .seeds = seeds};
    for (int32_t i = 0; i < bench.panda.lines.count; i += every) {
        ask_problem(&bench, i);
    }
    print_all(&bench, spheres ? "spheres" : "meshes");
    panda_close(&bench.panda);
}

int main(int argc, char** argv) {
    bool spheres = false, meshes = false;
    int every = 1, seeds = 1;
    uint64_t seed = 0;
    for (int i = 1; i < argc; ++i) {
        spheres = spheres || strcmp(argv[i], "spheres") == 0;
        meshes = meshes || strcmp(argv[i], "meshes") == 0;
        every = strcmp(argv[i], "--every") == 0 && i + 1 < argc ? atoi(argv[i + 1]) : every;
        seeds = strcmp(argv[i], "--seeds") == 0 && i + 1 < argc ? atoi(argv[i + 1]) : seeds;
        seed = strcmp(argv[i], "--seed") == 0 && i + 1 < argc ? (uint64_t)atoll(argv[i + 1]) : seed;
    }
    every = every > 0 ? every : 1;
    printf(
        "bench,model,family,problems,ends_free,found,proven,search_us,search_p95_us,total_us,total_p95_us,"
        "found_length,length,"
        "samples,edges,layout_us,machine,compiler,commit\n");
    if (spheres || !meshes) {
        run(true, every, seed, seeds);
    }
    if (meshes || !spheres) {
        run(false, every, seed, seeds);
    }
    return 0;
}
