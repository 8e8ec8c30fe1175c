// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Table VII of paper 001 (V-E): skinny linkages that stand up through rings or holes walk at random, every step proven free, until all of
// them are below; then the walk is smoothed by the paper's recursive shortcut. A step turns all joints of one linkage, drawn at random,
// by up to STEP; the paper does not say how its steps were made, nor its delta.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/check.h"
#include "models/models.h"
#include "paper001/paper.h"
#include "support/cell.h"
#include "support/clock.h"

enum { CASES = 3, RECURSION = 12 };
static const double STEP = 0.1, LIMIT = 2.0, LINK = 0.5, DELTA = 1e-4;

static const struct {
    const char* name;
    double below;  // metres: where the lowest ring or bar begins, less the links' radius
    int iterations;
    double segments, walk, smoothing, sigma;  // the paper's
} cases[CASES] = {
    {"1a", 2.96, 1000, 40439, 82, 152, 0.06},
    {"11c, 1 linkage", 4.47, 500, 4208, 5.9, 16, 0.11},
    {"11c, 9 linkages", 4.47, 6000, 47744, 823, 5952, 0.25},
};

/// Configurations one after the other, and how far each is from the first along them.
typedef struct Walk {
    PaperCell cell;
    BerthMotionChecker* motion;
    int values, count, capacity;
    double *rows, *along;
    int64_t segments, unknown;
} Walk;

static double* row_of(const Walk* walk, int index) {
    return walk->rows + (size_t)index * (size_t)walk->values;
}

static double distance(const Walk* walk, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < walk->values; ++i) {
        sum += (b[i] - a[i]) * (b[i] - a[i]);
    }
    return sqrt(sum);
}

static void measure(Walk* walk) {
    walk->along[0] = 0.0;
    for (int i = 1; i < walk->count; ++i) {
        walk->along[i] = walk->along[i - 1] + distance(walk, row_of(walk, i - 1), row_of(walk, i));
    }
}

static bool ask(Walk* walk, const double* from, const double* to) {
    PaperSum sum = {0};
    const BerthVerdict verdict = paper_ask(walk->motion, from, to, &sum).verdict;
    walk->segments += 1;
    walk->unknown += verdict == BERTH_UNKNOWN;
    return verdict == BERTH_FREE;
}

// ---- the walk ------------------------------------------------------------------------------------------------------

// Are both ends of all links below?
static bool is_below(const Walk* walk, double height) {
    const BerthScene* scene = walk->cell.scene;
    bi_check_place(walk->cell.checker, row_of(walk, walk->count - 1));
    for (int32_t b = 0; b < scene->body_count; ++b) {
        for (int32_t p = 0; scene->bodies[b].robot >= 0 && p < scene->bodies[b].part_count; ++p) {
            const Pose* pose = &walk->cell.checker->world_from_part[scene->bodies[b].first_part + p];
            if (!(pose->t.z < height && pose->t.z + LINK * pose->z.z < height)) {
                return false;
            }
        }
    }
    return true;
}

static void make_room(Walk* walk) {
    if (walk->count < walk->capacity) {
        return;
    }
    walk->capacity = walk->capacity > 0 ? 2 * walk->capacity : 1024;
    walk->rows = realloc(walk->rows, (size_t)walk->capacity * (size_t)walk->values * sizeof *walk->rows);
    walk->along = realloc(walk->along, (size_t)walk->capacity * sizeof *walk->along);
    if (walk->rows == NULL || walk->along == NULL) {
        bench_die("out of memory");
    }
}

// True when all are below before `seconds` are over.
static bool walk_out(Walk* walk, double height, double seconds) {
    const BerthScene* scene = walk->cell.scene;
    Random* random = &walk->cell.random;
    const double until = bench_thread_now() + seconds;
    make_room(walk);
    memcpy(row_of(walk, 0), scene->values, (size_t)walk->values * sizeof(double));
    walk->count = 1;
    while (!is_below(walk, height)) {
        if (bench_thread_now() > until) {
            return false;
        }
        make_room(walk);
        const SceneRobot* robot = &scene->robots[bi_random_next(random) % (uint64_t)scene->robot_count];
        const double* from = row_of(walk, walk->count - 1);
        double* to = row_of(walk, walk->count);
        memcpy(to, from, (size_t)walk->values * sizeof *to);
        for (int32_t i = 0; i < berth_robot_value_count(robot->robot); ++i) {
            double* value = &to[robot->first_value + i];
            *value = fmin(fmax(*value + bi_random_between(random, -STEP, STEP), -LIMIT), LIMIT);
        }
        walk->count += ask(walk, from, to);
    }
    return true;
}

// ---- smoothing -----------------------------------------------------------------------------------------------------

/// A place on the walk: before row `index + 1`.
typedef struct Place {
    int index;
    double values[PAPER_VALUES];
} Place;

static void find_place(const Walk* walk, double along, Place* out) {
    int low = 0, high = walk->count - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (walk->along[middle] <= along) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double length = walk->along[low + 1] - walk->along[low];
    const double t = length > 0.0 ? fmin(fmax((along - walk->along[low]) / length, 0.0), 1.0) : 0.0;
    const double *a = row_of(walk, low), *b = row_of(walk, low + 1);
    out->index = low;
    for (int i = 0; i < walk->values; ++i) {
        out->values[i] = (1.0 - t) * a[i] + t * b[i];
    }
}

// What is between the two places becomes a straight line.
static void cut(Walk* walk, const Place* left, const Place* right) {
    const size_t bytes = (size_t)walk->values * sizeof(double);
    const int kept = walk->count - (right->index + 1);
    const int behind = left->index + 3;  // the row that comes behind both places
    if (behind > right->index + 1) {
        walk->count += behind - (right->index + 1);
        make_room(walk);
        walk->count -= behind - (right->index + 1);
    }
    memmove(row_of(walk, behind), row_of(walk, right->index + 1), (size_t)kept * bytes);
    memcpy(row_of(walk, left->index + 1), left->values, bytes);
    memcpy(row_of(walk, left->index + 2), right->values, bytes);
    walk->count = behind + kept;
    measure(walk);
}

// Rows that the places cut are on the lines only up to rounding: what is left of the two lines is asked again.
static bool is_cut_free(Walk* walk, const Place* left, const Place* right) {
    return ask(walk, left->values, right->values) && ask(walk, row_of(walk, left->index), left->values) &&
           ask(walk, right->values, row_of(walk, right->index + 1));
}

// K iterations, or fewer when `seconds` are over; how many.
static int smooth(Walk* walk, int iterations, double seconds) {
    const double until = bench_thread_now() + seconds;
    int done = 0;
    for (; done < iterations && bench_thread_now() < until; ++done) {
        const double length = walk->along[walk->count - 1];
        const double q = bi_random_between(&walk->cell.random, 0.0, length);
        for (int depth = 1; depth <= RECURSION; ++depth) {
            Place left, right;
            const double share = ldexp(1.0, -depth);
            find_place(walk, q - share * q, &left);
            find_place(walk, q + share * (length - q), &right);
            if (left.index == right.index) {
                break;  // it is straight already
            }
            if (is_cut_free(walk, &left, &right)) {
                cut(walk, &left, &right);
                break;
            }
        }
    }
    return done;
}

// ---- a row of the table --------------------------------------------------------------------------------------------

static Walk open_walk(int which) {
    Walk walk = {0};
    char folder[4200];
    if (which == 2) {
        snprintf(folder, sizeof folder, "%s/paper001", BERTH_BUILD_DIR);
        (void)mkdir(folder, 0777);
        snprintf(folder, sizeof folder, "%s/paper001/lattice9", BERTH_BUILD_DIR);
        (void)mkdir(folder, 0777);
        if (!bi_write_lattice9(folder)) {
            bench_die(folder);
        }
        walk.cell = paper_open_folder(folder);
    } else {
        walk.cell = paper_open(which == 0 ? FIG_1A : FIG_11C);
    }
    PaperMethod method = paper_judge;
    method.delta = DELTA;
    walk.motion = paper_motion(&walk.cell, &method);
    walk.values = walk.cell.scene->value_count;
    return walk;
}

static bool is_proven(Walk* walk) {
    bool is_free = true;
    for (int i = 0; i + 1 < walk->count && is_free; ++i) {
        is_free = ask(walk, row_of(walk, i), row_of(walk, i + 1));
    }
    return is_free;
}

static void run_case(int which, double share) {
    Walk walk = open_walk(which);
    double start = bench_thread_now();
    const bool out = walk_out(&walk, cases[which].below, 300.0 * share);
    const double walked = bench_thread_now() - start;
    const int64_t segments = walk.segments, unknown = walk.unknown;
    const int steps = walk.count - 1;
    paper_say("%-16s paper | %8.0f %8s %8.1f | %5d %8s %8.1f  %5.2f\n", cases[which].name,
              cases[which].segments, "", cases[which].walk, cases[which].iterations, "",
              cases[which].smoothing, cases[which].sigma);
    measure(&walk);
    const double length = walk.along[walk.count - 1];
    start = bench_thread_now();
    const int done = smooth(&walk, cases[which].iterations, 300.0 * share);
    const double smoothed = bench_thread_now() - start;
    const int64_t attempts = walk.segments - segments;
    const double sigma = walk.along[walk.count - 1] / length;
    const bool proven = is_proven(&walk);
    paper_say("%-16s ours  | %8lld %8d %8.1f | %5d %8lld %8.1f  %5.2f   %s%s, %lld steps undecided\n",
              cases[which].name, (long long)segments, steps, walked, done, (long long)attempts, smoothed,
              sigma, out ? "all below" : "not yet below when time was over",
              proven ? ", every line proven" : ", NOT PROVEN", (long long)unknown);
    paper_figure(cases[which].name, "segments of the walk", cases[which].segments, (double)segments);
    paper_figure(cases[which].name, "seconds of the walk", cases[which].walk, walked);
    paper_figure(cases[which].name, "iterations", cases[which].iterations, done);
    paper_figure(cases[which].name, "seconds of smoothing", cases[which].smoothing, smoothed);
    paper_figure(cases[which].name, "sigma", cases[which].sigma, sigma);
    paper_figure(cases[which].name, "all below", NAN, out);
    paper_expect("every line of the smoothed walk is proven", proven, proven);
    free(walk.rows);
    free(walk.along);
    berth_motion_checker_destroy(walk.motion);
    paper_close(&walk.cell);
}

void paper_table7(PaperScale scale) {
    paper_begin("table7");
    paper_say("Table VII: a random walk out of rings and lattice, and smoothing\n\n");
    paper_say("                       |  tested     free  seconds |     K   tested  seconds  sigma\n");
    for (int i = 0; i < CASES; ++i) {
        run_case(i, scale.share);
    }
    paper_end();
}
