// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Tables IV and V of paper 001 (V-D): SBL that samples its edges, with how fine a resolution that its paths are free 50 and 100 times in
// a row, and A-SBL, which proves them, over delta. For the times of both a seed is asked of all planners, one after the other; they are
// of the processor, so that others on the machine do not count.

#include <berth/lab/plan.h>
#include <math.h>
#include <string.h>

#include "paper001/paper.h"
#include "support/cell.h"
#include "support/clock.h"

enum { PROBLEMS = 6, DELTAS = 8, RUNS = 100 };

static const double deltas[DELTAS] = {0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00005, 0.00001, 0.0};

/// A row of both tables: epsilon and seconds for 50 and 100 runs, seconds by delta.
static const struct {
    int model;
    double epsilon[2], seconds[2], adaptive[DELTAS];
} paper[PROBLEMS] = {
    {FIG_11A, {0.00402, 0.00232}, {4.13, 5.15}, {5.59, 5.04, 5.60, 7.95, 11.17, 13.38, 17.07, 24.85}},
    {FIG_11B, {0.00078, 0.00078}, {12.26, 13.87}, {11.78, 12.37, 11.47, 13.17, 16.03, 16.99, 20.59, 27.54}},
    {FIG_12A, {0.00833, 0.00833}, {0.17, 0.17}, {0.16, 0.22, 0.42, 0.49, 1.32, 1.87, 3.48, 21.48}},
    {FIG_12B, {0.00162, 0.00038}, {7.52, 16.45}, {6.71, 7.33, 9.55, 12.63, 27.53, 31.91, 67.52, 251.56}},
    {FIG_12C, {0.00694, 0.00279}, {2.72, 3.82}, {2.00, 1.59, 1.80, 1.76, 2.95, 2.89, 3.83, 5.54}},
    {FIG_12D, {0.01200, 0.00833}, {0.67, 0.92}, {0.43, 0.65, 0.71, 0.86, 2.05, 2.42, 3.23, 10.90}},
};
static const double FIRST_EPSILON = 2.0, CUT = 1.2, RUN_LIMIT = 20.0;

/// One problem of a model.
typedef struct Problem {
    PaperCell cell;
    double start[PAPER_VALUES], goal[PAPER_VALUES];
    bool drawn;                 // at random: a straight line leads from the model's start to its goal
    BerthMotionChecker* judge;  // with delta 0
    double deadline;
} Problem;

static bool is_late(void* user) {
    return bench_now() > ((const Problem*)user)->deadline;
}

// ---- problems ------------------------------------------------------------------------------------------------------

static void read_state(const Problem* problem, const char* name, double* values) {
    const BerthScene* scene = problem->cell.scene;
    memcpy(values, scene->values, (size_t)scene->value_count * sizeof *values);
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        if (berth_robot_named_state(scene->robots[r].robot, name, values + scene->robots[r].first_value) !=
            BERTH_OK) {
            bench_die(name);
        }
    }
}

static BerthVerdict judge_line(const Problem* problem) {
    PaperSum sum = {0};
    return paper_ask(problem->judge, problem->start, problem->goal, &sum).verdict;
}

// One run; seconds, or infinity where it found nothing in time. `*colliding`: the path it found.
static double run_once(Problem* problem, double epsilon, double delta, int seed, bool* colliding) {
    const BerthPlannerLab lab = {.resolution = epsilon};
    BerthPlannerDef def = berth_default_planner_def();
    BerthPlanner* planner = NULL;
    BerthPlanResult result;
    def.kind = BERTH_PLANNER_SBL;
    def.seed = (uint64_t)seed;
    def.delta = delta;
    def.lab = &lab;
    def.late = is_late;
    def.late_user = problem;
    if (berth_planner_create(problem->cell.scene, &def, &planner) != BERTH_OK) {
        bench_die("planner");
    }

    const BerthPlanQuery query = {problem->start, problem->goal, 1};
    const double start = bench_thread_now();
    problem->deadline = bench_now() + RUN_LIMIT;
    if (berth_planner_find(planner, &query, &result) != BERTH_OK) {
        bench_die("find");
    }
    const double seconds = result.found ? bench_thread_now() - start : INFINITY;
    *colliding = false;
    for (int32_t i = 0; i + 1 < result.row_count && !*colliding; ++i) {
        PaperSum sum = {0};
        const double* from = result.rows + (ptrdiff_t)i * problem->cell.scene->value_count;
        *colliding = paper_ask(problem->judge, from, from + problem->cell.scene->value_count, &sum).verdict ==
                     BERTH_COLLISION;
    }
    berth_planner_destroy(planner);
    return seconds;
}

// The model's own start and goal; where a straight line leads there, the first random pair of which that is not so, and that A-SBL
// solves in a few seconds.
static Problem open_problem(int model) {
    static const PaperMethod exact = {.name = "delta 0", .method = BERTH_METHOD_DEFAULT, .delta = 0.0};
    Problem problem = {.cell = paper_open(model)};
    problem.judge = paper_motion(&problem.cell, &exact);
    read_state(&problem, "start", problem.start);
    read_state(&problem, "goal", problem.goal);
    bool colliding;
    while (judge_line(&problem) == BERTH_FREE ||
           (problem.drawn && !(run_once(&problem, 0.0, 1e-3, 1, &colliding) < 5.0))) {
        problem.drawn = true;
        if (!paper_free_values(&problem.cell, problem.start) ||
            !paper_free_values(&problem.cell, problem.goal)) {
            bench_die("no free configuration");
        }
    }
    return problem;
}

static void close_problem(Problem* problem) {
    berth_motion_checker_destroy(problem->judge);
    paper_close(&problem->cell);
}

// ---- Table IV ------------------------------------------------------------------------------------------------------

/// The first resolution with so many correct runs in a row; 0 where time ended before.
typedef struct Series {
    double epsilon[2], seconds[2];
    int series, runs, unsolved;
} Series;

// Runs of one epsilon until one collides; how many did not.
static int run_series(Problem* problem, double epsilon, int first_seed, Series* out, double until,
                      double* seconds) {
    for (int run = 0; run < RUNS; ++run) {
        bool colliding = false;
        const double t = run_once(problem, epsilon, 0.0, first_seed + run, &colliding);
        out->runs += 1;
        out->unsolved += !(t < (double)INFINITY);
        seconds[run] = fmin(t, RUN_LIMIT);
        if (colliding || bench_thread_now() > until) {
            return run;
        }
    }
    return RUNS;
}

static double mean(const double* values, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += values[i];
    }
    return sum / count;
}

static Series find_epsilon(Problem* problem, double seconds) {
    Series out = {0};
    const double until = bench_thread_now() + seconds;
    for (double epsilon = FIRST_EPSILON; out.epsilon[1] == 0.0 && bench_thread_now() < until;
         epsilon /= CUT) {
        double times[RUNS];
        const int correct = run_series(problem, epsilon, 1000 * ++out.series, &out, until, times);
        for (int i = 0; i < 2; ++i) {
            const int needed = i == 0 ? RUNS / 2 : RUNS;
            if (correct >= needed && out.epsilon[i] == 0.0) {
                out.epsilon[i] = epsilon;
                out.seconds[i] = mean(times, needed);
            }
        }
    }
    return out;
}

static void print_series(const Problem* problem, int row, const Series* series) {
    const char* figure = problem->cell.model->figure;
    paper_say("%-4s paper  | %8.5f %8.2f s | %8.5f %8.2f s |\n", figure, paper[row].epsilon[0],
              paper[row].seconds[0], paper[row].epsilon[1], paper[row].seconds[1]);
    paper_say("%-4s ours   |", figure);
    for (int i = 0; i < 2; ++i) {
        if (series->epsilon[i] > 0.0) {
            paper_say(" %8.5f %7.3f s  |", series->epsilon[i], series->seconds[i]);
        } else {
            paper_say("  not reached in time |");
        }
        paper_figure(figure, i == 0 ? "epsilon; N = 50" : "epsilon; N = 100", paper[row].epsilon[i],
                     series->epsilon[i]);
        paper_figure(figure, i == 0 ? "seconds; N = 50" : "seconds; N = 100", paper[row].seconds[i],
                     series->seconds[i]);
    }
    paper_say(" %d series, %d runs%s%s\n", series->series, series->runs,
              series->unsolved > 0 ? ", some not solved in 20 s" : "",
              problem->drawn ? "; ends drawn at random" : "");
}

// ---- Table V -------------------------------------------------------------------------------------------------------

/// Seconds by delta, and of SBL at the resolution of 100 correct runs, for the same seeds.
typedef struct Adaptive {
    double seconds[DELTAS], sampled;
    int colliding, unsolved;
} Adaptive;

static Adaptive run_adaptive(Problem* problem, double epsilon, int runs) {
    Adaptive out = {0};
    for (int run = 0; run < runs; ++run) {
        bool colliding = false;
        out.sampled +=
            epsilon > 0.0 ? fmin(run_once(problem, epsilon, 0.0, run, &colliding), RUN_LIMIT) / runs : 0.0;
        for (int d = 0; d < DELTAS; ++d) {
            const double t = run_once(problem, 0.0, deltas[d], run, &colliding);
            out.seconds[d] += fmin(t, RUN_LIMIT) / runs;
            out.unsolved += !(t < (double)INFINITY);
            out.colliding += colliding;
        }
    }
    return out;
}

static void print_adaptive(const Problem* problem, int row, const Adaptive* adaptive) {
    const char* figure = problem->cell.model->figure;
    paper_say("%-4s paper %7.2f", figure, paper[row].seconds[1]);
    for (int d = 0; d < DELTAS; ++d) {
        paper_say(" %7.2f", paper[row].adaptive[d]);
    }
    paper_say("\n%-4s  / SBL %6.2f", figure, 1.0);
    for (int d = 0; d < DELTAS; ++d) {
        paper_say(" %7.2f", paper[row].adaptive[d] / paper[row].seconds[1]);
    }
    paper_say("\n%-4s ours  %7.3f", figure, adaptive->sampled);
    for (int d = 0; d < DELTAS; ++d) {
        char column[64];
        snprintf(column, sizeof column, "A-SBL seconds; delta %g", deltas[d]);
        paper_say(" %7.3f", adaptive->seconds[d]);
        paper_figure(figure, column, paper[row].adaptive[d], adaptive->seconds[d]);
    }
    paper_figure(figure, "SBL seconds; same seeds", NAN, adaptive->sampled);
    if (adaptive->sampled > 0.0) {
        paper_say("\n%-4s  / SBL %6.2f", figure, 1.0);
        for (int d = 0; d < DELTAS; ++d) {
            paper_say(" %7.2f", adaptive->seconds[d] / adaptive->sampled);
        }
    }
    paper_say("   %d unsolved, %d colliding\n", adaptive->unsolved, adaptive->colliding);
}

// Rows from `first` on.
static void run_rows(const char* part, int first, int end, PaperScale scale) {
    const int runs = (int)fmax(1.0, round(RUNS * scale.share));
    Series series[PROBLEMS];
    Adaptive adaptive[PROBLEMS];
    Problem problems[PROBLEMS];
    int colliding = 0;
    paper_begin(part);
    paper_say(
        "Table IV: SBL, epsilon (rad, length in joint space) that first gave N correct runs in a row, and "
        "mean "
        "time\n\n            |        N = 50        |       N = 100        |\n");
    for (int i = first; i < end; ++i) {
        problems[i] = open_problem(paper[i].model);
        series[i] = find_epsilon(&problems[i], 1500.0 * scale.share);
        print_series(&problems[i], i, &series[i]);
    }

    paper_say(
        "\nTable V: A-SBL, mean seconds of %d runs over delta; SBL at the epsilon of N = 100 (else of N = "
        "50) for the same "
        "seeds, by turns\n\n           SBL    ",
        runs);
    for (int d = 0; d < DELTAS; ++d) {
        paper_say(" %7g", deltas[d]);
    }
    paper_say("\n");
    for (int i = first; i < end; ++i) {
        const double epsilon = series[i].epsilon[1] > 0.0 ? series[i].epsilon[1] : series[i].epsilon[0];
        adaptive[i] = run_adaptive(&problems[i], epsilon, runs);
        print_adaptive(&problems[i], i, &adaptive[i]);
        colliding += adaptive[i].colliding;
        close_problem(&problems[i]);
    }
    paper_say("\n");
    paper_expect("no path of A-SBL collides", colliding == 0, colliding);
    paper_end();
}

void paper_table4(PaperScale scale) {
    run_rows("table4", 0, 4, scale);
}

void paper_table4_six(PaperScale scale) {
    run_rows("table4_six", 4, PROBLEMS, scale);
}
