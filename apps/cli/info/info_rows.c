// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// `berth info` about files of states, trajectories and segments: how many, how long, the range of every value.

#include <math.h>
#include <string.h>

#include "cli/info/info.h"

BerthStatus info_read_rows(InfoRowsKind kind, const char* path, const BerthScene* scene,
                           const BerthIoOptions* io, InfoRows* out) {
    *out = (InfoRows){.kind = kind};
    BerthStatus status = BERTH_OK;

    switch (kind) {
    case INFO_ROWS_STATES:
        status = berth_io_read_states(path, scene, io, &out->states);
        out->values = out->states.values;
        out->row_count = out->states.row_count;
        break;
    case INFO_ROWS_TRAJECTORY:
        status = berth_io_read_trajectory(path, scene, io, &out->trajectory);
        out->values = out->trajectory.positions;
        out->row_count = out->trajectory.row_count;
        break;
    default:
        status = berth_io_read_segments(path, scene, io, &out->segments);
        out->values = out->segments.values;
        out->row_count = 2 * out->segments.segment_count;
        break;
    }

    out->value_count = berth_scene_value_count(scene);
    return status;
}

void info_free_rows(InfoRows* rows) {
    berth_io_free_states(&rows->states);
    berth_io_free_trajectory(&rows->trajectory);
    berth_io_free_segments(&rows->segments);
}

void info_json_warnings(Json* json, const Warnings* warnings) {
    json_key_open(json, "warnings", '[');
    for (size_t at = 0; at < warnings->kept.size; at += strlen(warnings->kept.data + at) + 1) {
        json_text(json, warnings->kept.data + at);
    }
    json_close(json, ']');
}

void info_json_end(Json* json, Text* text, const Warnings* warnings) {
    json_key_open(json, "assumed", '[');
    json_close(json, ']');
    cli_json_no_pairs(json);
    info_json_warnings(json, warnings);
    json_close(json, '}');
    text_puts(text, "\n");
}

// Rows with a value outside its limits.
static int64_t count_outside(const InfoRows* rows, const BerthScene* scene) {
    int64_t count = 0;
    for (int32_t row = 0; row < rows->row_count; ++row) {
        int32_t outside = 0;
        (void)berth_scene_check_values(scene, rows->values + (size_t)row * (size_t)rows->value_count,
                                       &outside, NULL);
        count += outside > 0;
    }
    return count;
}

static void column_range(const InfoRows* rows, int32_t column, double* low, double* high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int32_t row = 0; row < rows->row_count; ++row) {
        const double value = rows->values[(size_t)row * (size_t)rows->value_count + (size_t)column];
        *low = value < *low ? value : *low;
        *high = value > *high ? value : *high;
    }
}

// The default interpolation of `berth path`; null if that would refuse the file.
static const char* interpolation_of(const BerthTrajectory* trajectory) {
    BerthInterpolation found;
    return berth_trajectory_interpolation(trajectory, &found) == BERTH_OK ? berth_interpolation_name(found)
                                                                          : NULL;
}

static void put_heading(Text* text, const InfoRows* rows, const char* path, int64_t outside) {
    const BerthTrajectory* t = &rows->trajectory;

    switch (rows->kind) {
    case INFO_ROWS_TRAJECTORY:
        text_printf(text, "%s: a trajectory of %d rows of %d values", path, (int)rows->row_count,
                    (int)rows->value_count);
        if (t->times != NULL) {
            text_printf(text, " from %.6g to %.6g s", t->times[0], t->times[rows->row_count - 1]);
        }
        text_printf(text, "%s%s; %s between rows; %lld of them outside joint limits\n",
                    t->velocities != NULL ? ", with velocities" : "",
                    t->accelerations != NULL ? ", with accelerations" : "",
                    interpolation_of(t) != NULL ? interpolation_of(t) : "nothing is clear",
                    (long long)outside);
        break;
    case INFO_ROWS_SEGMENTS:
        text_printf(text, "%s: %d segments of %d values, %lld of their ends outside joint limits\n", path,
                    (int)rows->row_count / 2, (int)rows->value_count, (long long)outside);
        break;
    default:
        text_printf(text, "%s: %d states of %d values, %lld of them outside joint limits\n", path,
                    (int)rows->row_count, (int)rows->value_count, (long long)outside);
        break;
    }
}

static void json_heading(Json* json, const InfoRows* rows, const char* path, int64_t outside) {
    const BerthTrajectory* t = &rows->trajectory;
    static const char* const kinds[] = {"states", "trajectory", "segments"};
    static const char* const counts[] = {"states", "rows", "segments"};

    json_key_text(json, "file", path);
    json_key_text(json, "kind", kinds[rows->kind]);
    json_key_int(json, counts[rows->kind],
                 rows->kind == INFO_ROWS_SEGMENTS ? rows->row_count / 2 : rows->row_count);

    if (rows->kind == INFO_ROWS_TRAJECTORY) {
        json_key(json, "time");
        if (t->times != NULL) {
            json_open(json, '[');
            json_number(json, t->times[0]);
            json_number(json, t->times[rows->row_count - 1]);
            json_close(json, ']');
        } else {
            json_put_null(json);
        }
        json_key_bool(json, "velocities", t->velocities != NULL);
        json_key_bool(json, "accelerations", t->accelerations != NULL);
        json_key_text(json, "interpolation", interpolation_of(t));
    }

    json_key_int(json, "outside_limits", outside);
}

void info_write_rows(Text* text, const InfoRows* rows, const char* path, const BerthScene* scene,
                     const Options* options, const Warnings* warnings) {
    const int64_t outside = count_outside(rows, scene);
    Json json = json_writer(text);

    if (options->json) {
        json_open(&json, '{');
        json_heading(&json, rows, path, outside);
        json_key_open(&json, "columns", '[');
    } else {
        put_heading(text, rows, path, outside);
    }

    for (int32_t i = 0; i < rows->value_count; ++i) {
        char name[256];
        double low = 0.0, high = 0.0;
        berth_scene_value_name(scene, i, name, sizeof name);
        column_range(rows, i, &low, &high);

        if (options->json) {
            json_open(&json, '{');
            json_key_text(&json, "name", name);
            json_key_number(&json, "low", low);
            json_key_number(&json, "high", high);
            json_close(&json, '}');
        } else if (rows->row_count > 0) {
            text_printf(text, "  %-32s %10.4g .. %.4g\n", name, low, high);
        }
    }

    if (options->json) {
        json_close(&json, ']');
        info_json_end(&json, text, warnings);
    }
}
