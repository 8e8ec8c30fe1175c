// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Time a free segment over its length and over its difficulty, which is how near it passes obstacles. A Panda in front of a
// bookshelf; the default method.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper001/paper.h"
#include "support/cell.h"
#include "support/clock.h"

enum { SEGMENTS = 3000, SAMPLES = 48, CLASSES = 4, REPEATS = 3 };

typedef struct Point {
    double length, gap, seconds, fixed_seconds, configurations;
} Point;

// From a free state, `length` long in value space. False when it does not stay within limits.
static bool draw(Setting* s, Random* random, double length, double* from, double* to) {
    double sq = 0.0;
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    bi_robot_random_values(s->scene->robots[0].robot, random, from);
    berth_check_state(s->checker, from, &request, &result);
    if (result.verdict != BERTH_FREE) {
        return false;
    }
    bi_robot_random_values(s->scene->robots[0].robot, random, to);
    for (int32_t i = 0; i < s->scene->value_count; ++i) {
        sq += (to[i] - from[i]) * (to[i] - from[i]);
    }
    for (int32_t i = 0; i < s->scene->value_count; ++i) {
        to[i] = from[i] + (to[i] - from[i]) * length / sqrt(sq);
    }
    return length <= sqrt(sq);
}

// Of the robot to obstacles: fingers are always near each other, and that makes nothing harder.
static double nearest(Setting* obstacles, const BerthSegment* segment, double* at) {
    const BerthCheckRequest request = {.distance = true, .tolerance = 0.02};
    double values[PAPER_VALUES], least = INFINITY;
    for (int i = 0; i <= SAMPLES; ++i) {
        BerthCheckResult result;
        berth_segment_values(obstacles->scene, segment, (double)i / SAMPLES, values);
        berth_check_state(obstacles->checker, values, &request, &result);
        const double gap = result.has_clearance ? result.clearance.upper : 0.0;
        *at = gap < least ? (double)i / SAMPLES : *at;
        least = fmin(least, gap);
    }
    return least;
}

// The same cell without pairs of links.
static void drop_self_pairs(Setting* s) {
    enum { LINKS = 64, NAME = 64 };
    static char names[LINKS][NAME];
    const int32_t count = s->scene->link_body_count;
    for (int32_t i = 0; i < count; ++i) {
        snprintf(names[i], NAME, "%s", s->scene->bodies[i].name);
    }
    for (int32_t a = 0; a < count; ++a) {
        for (int32_t b = a + 1; b < count; ++b) {
            if (berth_scene_allow(s->scene, names[a], names[b]) != BERTH_OK) {
                bench_die(names[a]);
            }
        }
    }
    const BerthCheckerDef def = berth_default_checker_def();
    berth_checker_destroy(s->checker);
    if (berth_scene_commit(s->scene) != BERTH_OK ||
        berth_checker_create(s->scene, &def, &s->checker) != BERTH_OK) {
        bench_die("obstacles alone");
    }
}

static double time_of(BerthMotionChecker* motion, const BerthSegment* segment, BerthMotionResult* result) {
    const BerthMotionRequest request = {0};
    double best = INFINITY;
    for (int k = 0; k < REPEATS; ++k) {
        const double t0 = bench_now();
        berth_motion_check_segment(motion, segment, &request, result);
        best = fmin(best, bench_now() - t0);
    }
    return best;
}

static BerthMotionChecker* motion_by(const Setting* s, BerthMethod method) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.method = method;
    BerthMotionChecker* motion = NULL;
    if (berth_motion_checker_create(s->scene, &def, &motion) != BERTH_OK) {
        bench_die("motion");
    }
    return motion;
}

static const double gap_edges[CLASSES + 1] = {0.0, 0.01, 0.03, 0.1, 1e9};
static const double length_edges[CLASSES + 1] = {0.05, 0.16, 0.5, 1.6, 5.01};

static int class_of(const double* edges, double value) {
    int k = 0;
    while (k < CLASSES - 1 && value >= edges[k + 1]) {
        k += 1;
    }
    return k;
}

// As many of each class of gap, as far as there are: near ones are rare.
static int collect(Setting* s, Setting* obstacles, Point* points, int wanted) {
    BerthMotionChecker* motion = motion_by(s, BERTH_METHOD_DEFAULT);
    BerthMotionChecker* fixed = motion_by(s, BERTH_METHOD_FIXED);
    Random random = {23};
    int count = 0, of_class[CLASSES] = {0};
    for (int tries = 0; count < wanted && tries < 30 * wanted; ++tries) {
        double from[PAPER_VALUES], to[PAPER_VALUES];
        const double length = 0.05 * pow(100.0, bi_random_between(&random, 0, 1));
        if (!draw(s, &random, length, from, to)) {
            continue;
        }
        const BerthSegment segment = {.value_count = s->scene->value_count, .from = from, .to = to};
        BerthMotionResult result, sampled;
        const double seconds = time_of(motion, &segment, &result);
        if (result.verdict != BERTH_FREE) {
            continue;
        }
        double at = 0.0;
        const double gap = nearest(obstacles, &segment, &at);
        const int k = class_of(gap_edges, gap);
        if (of_class[k] < wanted / CLASSES) {
            of_class[k] += 1;
            points[count++] = (Point){length, gap, seconds, time_of(fixed, &segment, &sampled),
                                      (double)result.stats.configurations};
        }
    }
    berth_motion_checker_destroy(motion);
    berth_motion_checker_destroy(fixed);
    return count;
}

static double median_time(const Point* points, int count, double* scratch, int gap, int length, bool fixed) {
    int n = 0;
    for (int i = 0; i < count; ++i) {
        const Point* p = &points[i];
        if (class_of(gap_edges, p->gap) == gap && class_of(length_edges, p->length) == length) {
            scratch[n++] = 1e6 * (fixed ? p->fixed_seconds : p->seconds);
        }
    }
    return n < 5 ? (double)NAN : bench_median(scratch, n);
}

// ---- the same nearest gap, longer and longer ---------------------------------------------------------------------

enum { STRETCHES = 7, STRETCHED = 240 };

/// Pieces of one long free segment around where it is nearest, each twice as long as the one before.
typedef struct Stretch {
    double length[STRETCHES], us[STRETCHES], fixed_us[STRETCHES];
} Stretch;

static bool stretch(Setting* s, Setting* obstacles, Random* random, BerthMotionChecker* motion,
                    BerthMotionChecker* fixed, Stretch* out) {
    double from[PAPER_VALUES], to[PAPER_VALUES], a[PAPER_VALUES], b[PAPER_VALUES], at = 0.0;
    const BerthMotionRequest request = {0};
    BerthMotionResult result;
    const double length = 4.0;
    if (!draw(s, random, length, from, to)) {
        return false;
    }
    const BerthSegment whole = {.value_count = s->scene->value_count, .from = from, .to = to};
    berth_motion_check_segment(motion, &whole, &request, &result);
    if (result.verdict != BERTH_FREE || nearest(obstacles, &whole, &at) > 0.05) {
        return false;
    }
    for (int k = 0; k < STRETCHES; ++k) {
        const double share = ldexp(1.0, k + 1 - STRETCHES);
        const double low = fmin(fmax(at - 0.5 * share, 0.0), 1.0 - share);
        berth_segment_values(s->scene, &whole, low, a);
        berth_segment_values(s->scene, &whole, low + share, b);
        const BerthSegment piece = {.value_count = s->scene->value_count, .from = a, .to = b};
        out->length[k] = share * length;
        out->us[k] = 1e6 * time_of(motion, &piece, &result);
        out->fixed_us[k] = 1e6 * time_of(fixed, &piece, &result);
    }
    return true;
}

static void print_stretches(Setting* s, Setting* obstacles, int wanted) {
    BerthMotionChecker* motion = motion_by(s, BERTH_METHOD_DEFAULT);
    BerthMotionChecker* fixed = motion_by(s, BERTH_METHOD_FIXED);
    static Stretch all[STRETCHED];
    static double column[STRETCHED];
    Random random = {29};
    int count = 0;
    for (int tries = 0; tries < 400 * wanted && count < wanted && count < STRETCHED; ++tries) {
        count += stretch(s, obstacles, &random, motion, fixed, &all[count]);
    }
    FILE* data = paper_data("stretch.csv");
    fprintf(data, "length,us,fixed_us\n");
    paper_say(
        "\nThe same nearest gap, longer and longer: pieces of %d segments around where they are nearest (< "
        "50 mm)\n\n%-34s",
        count, "length, rad");
    double median[2][STRETCHES];
    for (int k = 0; k < STRETCHES; ++k) {
        paper_say(" %8.3g", all[0].length[k]);
        for (int w = 0; w < 2; ++w) {
            for (int i = 0; i < count; ++i) {
                column[i] = w == 0 ? all[i].us[k] : all[i].fixed_us[k];
            }
            median[w][k] = bench_median(column, count);
        }
        fprintf(data, "%.6g,%.6g,%.6g\n", all[0].length[k], median[0][k], median[1][k]);
    }
    for (int w = 0; w < 2; ++w) {
        paper_say("\n%-34s", w == 0 ? "certified, us (median)" : "fixed at 0.01 rad, us (median)");
        for (int k = 0; k < STRETCHES; ++k) {
            char name[64];
            snprintf(name, sizeof name, "%s us at %.3g rad", w == 0 ? "certified" : "fixed",
                     all[0].length[k]);
            paper_say(" %8.0f", median[w][k]);
            paper_figure("same gap", name, NAN, median[w][k]);
        }
    }
    paper_say("\n%.0f times as long: certified %.1f times the time, fixed %.1f times\n",
              ldexp(1.0, STRETCHES - 1), median[0][STRETCHES - 1] / median[0][0],
              median[1][STRETCHES - 1] / median[1][0]);
    fclose(data);
    berth_motion_checker_destroy(motion);
    berth_motion_checker_destroy(fixed);
}

static void print_table(const Point* points, int count, bool fixed) {
    static const char* const gap_names[CLASSES] = {"gap < 10 mm", "10 - 30 mm", "30 - 100 mm",
                                                   "gap > 100 mm"};
    static const char* const length_names[CLASSES] = {"0.05 - 0.16 rad", "0.16 - 0.5", "0.5 - 1.6",
                                                      "1.6 - 5"};
    double* scratch = malloc((size_t)count * sizeof *scratch);
    paper_say("%-34s %16s %14s %14s %14s\n",
              fixed ? "fixed at 0.01 rad, us (median)" : "certified, us (median)", length_names[0],
              length_names[1], length_names[2], length_names[3]);
    for (int g = 0; g < CLASSES; ++g) {
        paper_say("%-34s", gap_names[g]);
        for (int l = 0; l < CLASSES; ++l) {
            const double us = median_time(points, count, scratch, g, l, fixed);
            char text[32] = "-";
            if (!isnan(us)) {
                snprintf(text, sizeof text, "%.0f", us);
            }
            paper_say(" %*s", l == 0 ? 16 : 14, text);
            char column[64];
            snprintf(column, sizeof column, "%s us: %s", fixed ? "fixed" : "certified", length_names[l]);
            if (!isnan(us)) {
                paper_figure(gap_names[g], column, NAN, us);
            }
        }
        paper_say("\n");
    }
    free(scratch);
}

static double slope(const Point* points, int count, bool by_gap, bool fixed) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;  // of logarithms
    for (int i = 0; i < count; ++i) {
        const double x = log(by_gap ? fmax(points[i].gap, 1e-4) : points[i].length);
        const double y = log(fixed ? points[i].fixed_seconds : points[i].seconds);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

void paper_growth(PaperScale scale) {
    paper_begin("growth");
    Setting s = bench_open(&bench_places[0], 10);
    const int wanted = (int)(scale.share * SEGMENTS);
    Point* points = malloc((size_t)wanted * sizeof *points);
    Setting obstacles = bench_open(&bench_places[0], 10);
    drop_self_pairs(&obstacles);
    const int count = collect(&s, &obstacles, points, wanted);
    FILE* data = paper_data("growth.csv");
    fprintf(data, "length,gap,us,fixed_us,configurations\n");
    for (int i = 0; i < count; ++i) {
        fprintf(data, "%.6g,%.6g,%.6g,%.6g,%.0f\n", points[i].length, points[i].gap, 1e6 * points[i].seconds,
                1e6 * points[i].fixed_seconds, points[i].configurations);
    }
    fclose(data);
    paper_say(
        "Time a free segment: %d random segments of a Panda in front of a bookshelf, by how near they "
        "pass\n\n",
        count);
    print_table(points, count, false);
    paper_say("\n");
    print_table(points, count, true);
    const double of_length = slope(points, count, false, false), of_fixed = slope(points, count, false, true);
    paper_say(
        "\nSlopes in the log-log plot: certified over length %.2f, over gap %.2f; fixed over length %.2f\n",
        of_length, slope(points, count, true, false), of_fixed);
    paper_figure("all", "log slope of certified time over length", NAN, of_length);
    paper_figure("all", "log slope of certified time over gap", NAN, slope(points, count, true, false));
    paper_figure("all", "log slope of fixed time over length", NAN, of_fixed);
    free(points);
    print_stretches(&s, &obstacles, (int)(scale.share * STRETCHED));
    bench_close(&obstacles);
    bench_close(&s);
    paper_end();
}
