// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Environments, segments and printing of bench_paper001.

#include "paper001/paper.h"

#include <berth/lab/motion.h>
#include <berth/lab/tree.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/cell.h"
#include "support/clock.h"

const PaperModel paper_models[PAPER_MODELS] = {
    {"1a", "tori", 0.5},       {"11a", "cage6", 1.77},      {"11b", "cage6_gun", 1.65},
    {"11c", "lattice20", 0.5}, {"12a", "machine", 1.16},    {"12b", "workshop", 0.64},
    {"12c", "car6", 1.59},     {"12d", "car6_small", 1.32},
};

PaperCell paper_open_folder(const char* folder) {
    PaperCell cell = {.random = {17}};
    char path[4200];
    snprintf(path, sizeof path, "%s/cell.yaml", folder);
    const BerthIoOptions options = berth_default_io_options();
    if (berth_io_read_scene(path, &options, &cell.scene) != BERTH_OK ||
        berth_scene_commit(cell.scene) != BERTH_OK) {
        bench_die(path);
    }
    for (int32_t i = 0; i < cell.scene->part_count; ++i) {
        if (bi_solid_need_rss(cell.scene->parts[i].solid) != BERTH_OK) {
            bench_die("RSS trees");
        }
    }

    const BerthCheckerDef def = berth_default_checker_def();
    if (berth_checker_create(cell.scene, &def, &cell.checker) != BERTH_OK) {
        bench_die(path);
    }
    if (cell.scene->value_count > PAPER_VALUES) {
        bench_die("a model with more values than expected");
    }
    return cell;
}

PaperCell paper_open(int model) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/models/%s", BERTH_BUILD_DIR, paper_models[model].name);
    PaperCell cell = paper_open_folder(folder);
    cell.model = &paper_models[model];
    return cell;
}

void paper_close(PaperCell* cell) {
    berth_checker_destroy(cell->checker);
    berth_scene_destroy(cell->scene);
}

void paper_values(PaperCell* cell, double* values) {
    for (int32_t r = 0; r < cell->scene->robot_count; ++r) {
        const SceneRobot* robot = &cell->scene->robots[r];
        bi_robot_random_values(robot->robot, &cell->random, values + robot->first_value);
    }
}

// One robot after the other, each drawn anew until it is free of what is there already: six arms at once are hardly
// ever all free. With one robot that is a plain draw.
bool paper_free_values(PaperCell* cell, double* values) {
    const BerthScene* scene = cell->scene;
    const BerthCheckRequest request = {.all = true};
    memcpy(values, scene->values, (size_t)scene->value_count * sizeof *values);
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        bool is_free = false;
        for (int tries = 0; tries < 1000 && !is_free; ++tries) {
            BerthCheckResult result;
            bi_robot_random_values(robot->robot, &cell->random, values + robot->first_value);
            if (berth_check_state(cell->checker, values, &request, &result) != BERTH_OK) {
                bench_die("a state");
            }
            is_free = result.verdict != BERTH_UNKNOWN;
            for (int32_t i = 0; i < result.hit_count; ++i) {  // later robots still stand where they start
                const int32_t a = scene->bodies[result.hits[i].body_a].robot;
                const int32_t b = scene->bodies[result.hits[i].body_b].robot;
                is_free = is_free && a != r && b != r;
            }
        }
        if (!is_free) {
            return false;
        }
    }
    return true;
}

const PaperMethod paper_judge = {.name = "default", .method = BERTH_METHOD_DEFAULT, .delta = 0.005};

BerthMotionChecker* paper_motion(const PaperCell* cell, const PaperMethod* method) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionLab lab = berth_default_motion_lab();
    def.lab = &lab;
    lab.engine = method == &paper_judge ? BERTH_ENGINE_DEFAULT : BERTH_ENGINE_RSS;
    def.method = method->method;
    lab.distance = method->distance;
    lab.distance_error = 0.5;
    lab.bound = method->bound;
    lab.cover = method->cover;
    lab.order = method->order;
    def.delta = method->delta;
    def.resolution = method->resolution > 0.0 ? method->resolution : def.resolution;
    def.interval_budget = method->interval_budget > 0 ? method->interval_budget : def.interval_budget;
    BerthMotionChecker* motion = NULL;
    if (berth_motion_checker_create(cell->scene, &def, &motion) != BERTH_OK) {
        bench_die(method->name);
    }
    return motion;
}

BerthMotionResult paper_ask(BerthMotionChecker* motion, const double* from, const double* to, PaperSum* sum) {
    const BerthSegment segment = {.value_count = motion->scene->value_count, .from = from, .to = to};
    const BerthMotionRequest request = {0};
    BerthMotionResult result;
    const double t0 = bench_now();
    if (berth_motion_check_segment(motion, &segment, &request, &result) != BERTH_OK) {
        bench_die("a segment");
    }
    sum->seconds += bench_now() - t0;
    sum->segments += 1;
    sum->bv += result.stats.counters.bv_tests;
    sum->tri += result.stats.counters.leaf_tests;
    sum->configurations += result.stats.configurations;
    sum->verdicts[result.verdict] += 1;
    sum->budget += result.reason == BERTH_REASON_BUDGET && !result.sampled_free;
    return result;
}

PaperSum paper_run(const PaperCell* cell, const PaperMethod* method, const PaperSegments* segments) {
    BerthMotionChecker* motion = paper_motion(cell, method);
    PaperSum sum = {0};
    for (int i = 0; i < segments->count; ++i) {
        const double* from = segments->ends + (size_t)i * 2 * (size_t)segments->value_count;
        paper_ask(motion, from, from + segments->value_count, &sum);
    }
    berth_motion_checker_destroy(motion);
    return sum;
}

int64_t paper_ends_bv(const PaperCell* cell, const PaperMethod* method, const PaperSegments* segments) {
    PaperMethod ends = *method;
    ends.interval_budget = 1;  // ends come before the first interval
    ends.resolution = 1000.0;  // and no sample is between them
    return paper_run(cell, &ends, segments).bv;
}

static bool draw_segment(PaperCell* cell, double length, double* from, double* to) {
    double sq = 0.0;
    if (!paper_free_values(cell, from)) {
        return false;
    }
    if (!(length < (double)INFINITY)) {
        return paper_free_values(cell, to);
    }
    paper_values(cell, to);
    for (int32_t i = 0; i < cell->scene->value_count; ++i) {
        sq += (to[i] - from[i]) * (to[i] - from[i]);
    }
    for (int32_t i = 0; i < cell->scene->value_count; ++i) {
        to[i] = from[i] + (to[i] - from[i]) * length / sqrt(sq);
    }
    const BerthCheckRequest request = {0};
    BerthCheckResult result;
    berth_check_state(cell->checker, to, &request, &result);
    return result.verdict == BERTH_FREE;
}

PaperSegments paper_segments(PaperCell* cell, BerthMotionChecker* judge, PaperKind kind, int count,
                             double seconds) {
    const int32_t values = cell->scene->value_count;
    PaperSegments out = {.value_count = values, .length = INFINITY};
    out.ends = malloc((size_t)count * 2 * (size_t)values * sizeof *out.ends);
    const double start = bench_now();
    int here = 0, tried_here = 0;  // at this length
    while (out.count < count && bench_now() - start < seconds) {
        double* from = out.ends + (size_t)out.count * 2 * (size_t)values;
        double* to = from + values;
        PaperSum sum = {0};
        out.tried += 1;
        tried_here += 1;
        if (draw_segment(cell, out.length, from, to)) {
            const BerthVerdict verdict =
                kind == PAPER_ANY ? BERTH_UNKNOWN : paper_ask(judge, from, to, &sum).verdict;
            const bool wanted =
                kind == PAPER_ANY || verdict == (kind == PAPER_FREE ? BERTH_FREE : BERTH_COLLISION);
            out.count += wanted;
            here += wanted;
        }
        if (kind == PAPER_FREE && tried_here >= 300 && here * 100 < tried_here) {
            out.length = out.length < (double)INFINITY ? 0.5 * out.length : 4.0;
            out.count = here = tried_here = 0;  // all of one kind
        }
    }
    return out;
}

void paper_free_segments(PaperSegments* segments) {
    free(segments->ends);
    segments->ends = NULL;
}

// ---- printing -------------------------------------------------------------------------------------------------

static FILE* text;
static const char* part_name;

FILE* paper_data(const char* name) {
    char path[4200];
    snprintf(path, sizeof path, "%s/paper001", BERTH_BUILD_DIR);
    (void)mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/paper001/%s", BERTH_BUILD_DIR, name);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "bench: cannot write %s\n", path);
        exit(2);
    }
    return file;
}

void paper_begin(const char* part) {
    char name[64];
    snprintf(name, sizeof name, "%s.txt", part);
    part_name = part;
    text = paper_data(name);
    const char* commit = getenv("BERTH_COMMIT");
    const char* machine = getenv("BERTH_MACHINE");
    fprintf(text, "(commit %s; %s; %s)\n\n", commit != NULL ? commit : "?", machine != NULL ? machine : "?",
            BERTH_COMPILER);
}

void paper_end(void) {
    paper_say("\n");
    fclose(text);
    text = NULL;
}

void paper_say(const char* format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    vfprintf(stderr, format, args);
    vfprintf(text, format, again);
    va_end(again);
    va_end(args);
}

// Words as a CSV has them.
static const char* plain(const char* words, char* out, size_t size) {
    snprintf(out, size, "%s", words);
    for (char* c = out; *c != 0; ++c) {
        *c = *c == ',' ? ';' : *c;
    }
    return out;
}

void paper_figure(const char* row, const char* column, double paper, double ours) {
    char number[32] = "", row_words[256], column_words[256];
    if (!isnan(paper)) {
        snprintf(number, sizeof number, "%.6g", paper);
    }
    printf("paper001,%s,%s,%s,%s,%.6g,", part_name, plain(row, row_words, sizeof row_words),
           plain(column, column_words, sizeof column_words), number, ours);
    bench_print_who();
    printf("\n");
}

void paper_expect(const char* what, bool holds, double ours) {
    paper_say("%s  %s\n", holds ? "PASS   " : "differs", what);
    paper_figure(what, holds ? "expected: PASS" : "expected: differs", NAN, ours);
}
