// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth monitor --report: the guard's decisions over time, from the rows that it wrote (--rows), for people.
// Entry: monitor_write_report.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/monitor/monitor.h"
#include "view/report.h"

/// The contents of the rows.
typedef struct RowFacts {
    double *times, *distance, *required;
    int count, capacity;
    int64_t go, stop;
    double first_stop, nearest, nearest_time, nearest_required;
    char first_reason[64], nearest_a[128], nearest_b[128];
    bool failed;
} RowFacts;

enum { COLUMNS_MOST = 16 };

// Splits a line of CSV at its commas, and removes quotes from texts.
static int split(char* line, char* columns[COLUMNS_MOST]) {
    int count = 0;
    for (char* at = line; count < COLUMNS_MOST;) {
        columns[count++] = at;
        char* comma = strchr(at, ',');
        if (comma == NULL) {
            at[strcspn(at, "\r\n")] = '\0';
            break;
        }
        *comma = '\0';
        at = comma + 1;
    }
    return count;
}

static double number_of(const char* text) {
    char* end = NULL;
    const double value = strtod(text, &end);
    return end != text ? value : (double)NAN;
}

static bool grow(RowFacts* facts) {
    if (facts->count < facts->capacity) {
        return true;
    }
    const int capacity = facts->capacity > 0 ? 2 * facts->capacity : 1024;
    double* times = realloc(facts->times, (size_t)capacity * sizeof(double));
    facts->times = times != NULL ? times : facts->times;
    double* distance = realloc(facts->distance, (size_t)capacity * sizeof(double));
    facts->distance = distance != NULL ? distance : facts->distance;
    double* required = realloc(facts->required, (size_t)capacity * sizeof(double));
    facts->required = required != NULL ? required : facts->required;

    facts->failed = times == NULL || distance == NULL || required == NULL;
    facts->capacity = facts->failed ? facts->capacity : capacity;
    return !facts->failed;
}

// time, cycle, verdict, reason, a, b, distance, required, ...
static void add_row(RowFacts* facts, char** columns) {
    const double time = number_of(columns[0]), distance = number_of(columns[6]),
                 required = number_of(columns[7]);
    const bool is_go = strcmp(columns[2], "go") == 0;
    facts->go += is_go;
    facts->stop += !is_go;
    if (!is_go && isnan(facts->first_stop)) {
        facts->first_stop = time;
        (void)snprintf(facts->first_reason, sizeof facts->first_reason, "%s", columns[3]);
    }
    if (isfinite(distance) && !(distance - required >= facts->nearest - facts->nearest_required)) {
        facts->nearest = distance;
        facts->nearest_time = time;
        facts->nearest_required = required;
        (void)snprintf(facts->nearest_a, sizeof facts->nearest_a, "%s", columns[4]);
        (void)snprintf(facts->nearest_b, sizeof facts->nearest_b, "%s", columns[5]);
    }

    if (grow(facts)) {
        facts->times[facts->count] = time;
        facts->distance[facts->count] = 1e3 * distance;
        facts->required[facts->count++] = 1e3 * required;
    }
}

static bool read_rows(const char* path, RowFacts* facts) {
    FILE* file = fopen(path, "r");
    char line[4096];
    char* columns[COLUMNS_MOST];
    if (file == NULL) {
        return false;
    }
    for (int i = 0; fgets(line, sizeof line, file) != NULL && !facts->failed; ++i) {
        if (i > 0 && split(line, columns) >= 8) {
            add_row(facts, columns);
        }
    }
    (void)fclose(file);
    return !facts->failed;
}

static void put_words(Text* words, const RowFacts* facts) {
    const long long cycles = (long long)(facts->go + facts->stop);
    if (facts->stop == 0 && cycles > 0) {
        text_printf(words, "Permitted in all of %lld cycles\n", cycles);
    } else {
        text_printf(words, "Permitted in %lld of %lld cycles; first STOP at %.3f s: %s\n",
                    (long long)facts->go, cycles, facts->first_stop, facts->first_reason);
    }

    if (isfinite(facts->nearest)) {
        text_printf(words, "nearest to its limit at %.3f s: %s and %s, ", facts->nearest_time,
                    facts->nearest_a, facts->nearest_b);
        text_length(words, facts->nearest);
        text_puts(words, " apart (a lower bound), ");
        text_length(words, facts->nearest_required);
        text_puts(words, " required\n");
    }
    text_puts(words, "berth can only take permission away, behind a rated device.\n");
}

static void put_numbers(Text* text, const RowFacts* facts) {
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_int(&json, "cycles", facts->go + facts->stop);
    json_key_int(&json, "go", facts->go);
    json_key_int(&json, "stop", facts->stop);
    json_key_number(&json, "first_stop", facts->first_stop);
    json_key_text(&json, "first_stop_reason", facts->first_reason);
    json_key_number(&json, "nearest_distance", facts->nearest);
    json_key_number(&json, "nearest_required", facts->nearest_required);
    json_key_number(&json, "nearest_time", facts->nearest_time);
    json_close(&json, '}');
}

// A recorded trajectory gets a view, which begins at the first STOP, or where it was nearest to one.
static void show_input(Report* report, const Options* options, const BerthScene* scene,
                       const BerthIoOptions* io, ViewVisuals* visuals, const RowFacts* facts) {
    Question question = {.command = "monitor",
                         .options = options,
                         .io = berth_default_io_options(),
                         .scene = (BerthScene*)(uintptr_t)scene,
                         .values = (double*)(uintptr_t)berth_scene_values(scene),  // read only
                         .value_count = berth_scene_value_count(scene)};
    question.io.ignore_dae_units = io->ignore_dae_units;
    BerthTrajectory trajectory;
    BerthInterpolation interpolation = BERTH_INTERPOLATION_LINEAR;
    const char* input = options->monitor.input;
    if (input == NULL || strcmp(input, "-") == 0 || strncmp(input, "udp:", 4) == 0 ||
        berth_io_read_trajectory(input, scene, &question.io, &trajectory) != BERTH_OK) {
        report->page_note = "The input is not a trajectory in a file, so there is no 3-D view here.";
        return;
    }

    if (berth_trajectory_interpolation(&trajectory, &interpolation) == BERTH_OK) {
        report_view(report, &(ReportView){.question = &question,
                                          .trajectory = &trajectory,
                                          .interpolation = interpolation,
                                          .title = options->arguments[0],
                                          .start = isfinite(facts->first_stop) ? facts->first_stop
                                                                               : facts->nearest_time,
                                          .visuals = visuals});
    }
    berth_io_free_trajectory(&trajectory);
}

int monitor_write_report(const Options* options, const BerthScene* scene, const BerthIoOptions* io,
                         ViewVisuals* visuals, const char* rows) {
    RowFacts facts = {
        .first_stop = (double)NAN, .nearest = INFINITY, .nearest_time = (double)NAN, .nearest_required = 0.0};
    Report report = {.command = "monitor", .title = options->arguments[0]};
    Text words = {0}, numbers = {0};
    int status = EXIT_FREE;

    if (!read_rows(rows, &facts)) {
        status = files_report_error(rows, "cannot be read again");
    } else {
        put_words(&words, &facts);
        put_numbers(&numbers, &facts);
        const ReportSeries series[] = {
            {"distance", "#1f6fb2", facts.times, facts.distance, facts.count, false},
            {"required", "#e69f00", facts.times, facts.required, facts.count, true}};
        const ReportPlot plot = {.title = "The pair nearest to its limit",
                                 .x_name = "seconds",
                                 .y_name = "mm",
                                 .series = series,
                                 .series_count = 2,
                                 .mark = facts.first_stop,
                                 .mark_name = "first STOP"};
        report_plot(&report, &plot);
    }
    if (status == EXIT_FREE && !words.failed && !numbers.failed) {
        report_words(&report, words.data);
        report_numbers(&report, numbers.data);
        show_input(&report, options, scene, io, visuals, &facts);
        status = report_write(&report, options->report);
    }

    text_free(&words);
    text_free(&numbers);
    report_free(&report);
    free(facts.times);
    free(facts.distance);
    free(facts.required);
    return status;
}
