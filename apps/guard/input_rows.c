// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A recorded file of joint angles. Its time is its own: rows come when they were written down, or one a cycle, or every
// cycle gets a point of the motion between two rows, as a controller executes it: a line, or a curve through given
// velocities.
// Entries: input_open_rows, input_drain_rows.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard_internal.h"

static double row_time(const Guard* guard, int32_t row) {
    const BerthTrajectory* rows = &guard->input.rows;
    const double rate = guard->settings->rate > 0.0 ? guard->settings->rate : 1.0 / guard->safety.period;
    return rows->times != NULL ? rows->times[row] - rows->times[0] : (double)row / rate;
}

// Speeds from a row and the previous one; the first row has those of the second.
static bool make_differences(Guard* guard) {
    Input* input = &guard->input;
    const BerthTrajectory* rows = &input->rows;
    const size_t count = (size_t)rows->value_count;
    input->differences = calloc((size_t)rows->row_count * count + 1, sizeof *input->differences);
    if (input->differences == NULL) {
        return false;
    }

    input->uses_differences = true;
    for (int32_t r = 1; r < rows->row_count; ++r) {
        const double step = row_time(guard, r) - row_time(guard, r - 1);
        for (size_t k = 0; k < count; ++k) {
            const double* at = rows->positions + (size_t)r * count + k;
            input->differences[(size_t)r * count + k] = (at[0] - at[-(ptrdiff_t)count]) / step;
        }
    }

    if (rows->row_count > 1) {
        memcpy(input->differences, input->differences + count, count * sizeof *input->differences);
    }
    return true;
}

static void warn_unnamed(Guard* guard) {
    const BerthTrajectory* rows = &guard->input.rows;
    char name[256] = "", text[1024];
    int count = 0;
    for (int32_t i = 0; i < rows->value_count; ++i) {
        if (!rows->named[i] && count++ == 0) {
            berth_scene_value_name(guard->settings->scene, i, name, sizeof name);
        }
    }
    guard->input.unnamed_count = count;

    if (count > 0 && guard->settings->io->warn != NULL) {
        (void)snprintf(text, sizeof text, "%s: %d of %d values are missing (%s): they keep the scene's state",
                       guard->settings->input, count, rows->value_count, name);
        guard->settings->io->warn(guard->settings->io->user, text);
    }
}

// Rows further apart than the guard's silence cause STOP in between: warned about at once, with advice.
static void warn_sparse(const Guard* guard) {
    const GuardSettings* settings = guard->settings;
    const BerthTrajectory* rows = &guard->input.rows;
    double longest = 0.0;
    for (int32_t r = 1; r < rows->row_count; ++r) {
        longest = fmax(longest, row_time(guard, r) - row_time(guard, r - 1));
    }

    if (!settings->interpolate && longest > guard->safety.silence && settings->io->warn != NULL) {
        char text[1024];
        (void)snprintf(
            text, sizeof text,
            "%s: up to %g ms between two rows, but the scene's silence is %g ms, which causes STOP late. "
            "--interpolate sends a message every cycle, on the motion between the rows",
            settings->input, 1e3 * longest, 1e3 * guard->safety.silence);
        settings->io->warn(settings->io->user, text);
    }
}

// Whether the motion between rows can be computed. Velocities make curves, for which rows must have times.
static bool open_between_rows(Guard* guard, GuardError* error) {
    Input* input = &guard->input;
    const size_t count = (size_t)input->rows.value_count;
    input->curves = calloc(count, sizeof *input->curves);
    input->speeds = calloc(count, sizeof *input->speeds);
    if (input->curves == NULL || input->speeds == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    BerthStatus status = berth_trajectory_interpolation(&input->rows, &input->between);
    const int32_t segment_count = berth_trajectory_segment_count(&input->rows);
    for (int32_t i = 0; i < segment_count && status == BERTH_OK; ++i) {
        BerthSegment segment;
        status = berth_trajectory_segment(&input->rows, guard->settings->scene, i, input->between,
                                          input->curves, &segment);
    }
    if (status != BERTH_OK) {
        error->about_file = true;
        return guard_fail(error, GUARD_WRONG, "%s", berth_error_text());
    }
    return true;
}

bool input_open_rows(Guard* guard, GuardError* error) {
    const GuardSettings* settings = guard->settings;
    Input* input = &guard->input;
    const BerthStatus status =
        berth_io_read_trajectory(settings->input, settings->scene, settings->io, &input->rows);
    if (status != BERTH_OK) {
        error->about_file = true;
        const bool machine = status == BERTH_ERR_MEMORY || status == BERTH_ERR_SYSTEM;
        return guard_fail(error, machine ? GUARD_MACHINE : GUARD_WRONG, "%s", berth_error_text());
    }

    warn_unnamed(guard);
    warn_sparse(guard);
    if (settings->differences && input->rows.velocities == NULL && !make_differences(guard)) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }
    return !settings->interpolate || open_between_rows(guard, error);
}

static const double* row_velocities(const Input* input, int32_t row) {
    const double* all = input->rows.velocities != NULL ? input->rows.velocities : input->differences;
    return all != NULL ? all + (size_t)row * (size_t)input->rows.value_count : NULL;
}

static void deliver_row(Guard* guard, uint64_t sequence, const double* positions, const double* velocities,
                        double received) {
    messages_deliver_values(guard, sequence, positions, velocities, received);
    if (guard->settings->objects_stand) {
        messages_deliver_standing_objects(guard, sequence, received);
    }
}

// The speeds at t of a segment with curves.
static void curve_speeds(const BerthSegment* segment, double t, double* out) {
    for (int32_t k = 0; k < segment->value_count; ++k) {
        const double* term = segment->curves[k].term;
        double slope = 0.0;
        for (int power = BERTH_CURVE_TERMS - 1; power > 0; --power) {
            slope = slope * t + (double)power * term[power];
        }
        out[k] = slope / segment->duration;
    }
}

// A point of the motion between the last past row and the next one, with its speed there.
static void deliver_between_rows(Guard* guard, double now) {
    Input* input = &guard->input;
    const BerthTrajectory* rows = &input->rows;
    const int32_t last = rows->row_count - 1;
    while (input->next < last && row_time(guard, input->next + 1) <= now) {
        input->next += 1;
    }

    const int32_t row = input->next;
    const double* speed = row_velocities(input, row < last ? row + 1 : row);
    input->ended = row >= last;
    if (input->ended) {
        const double* at = rows->positions + (size_t)row * (size_t)rows->value_count;
        deliver_row(guard, (uint64_t)guard->cycle + 1, at, speed, now);
        return;
    }

    // Every segment was checked when the file was opened, so this one is valid.
    BerthSegment segment;
    (void)berth_trajectory_segment(rows, guard->settings->scene, row, input->between, input->curves,
                                   &segment);
    const double t = (now - row_time(guard, row)) / (row_time(guard, row + 1) - row_time(guard, row));
    berth_segment_values(guard->settings->scene, &segment, t, guard->positions);
    if (segment.curves != NULL) {
        curve_speeds(&segment, t, input->speeds);
        speed = input->speeds;
    }
    deliver_row(guard, (uint64_t)guard->cycle + 1, guard->positions, speed, now);
}

void input_drain_rows(Guard* guard, double now) {
    Input* input = &guard->input;
    const BerthTrajectory* rows = &input->rows;

    if (guard->settings->interpolate) {
        deliver_between_rows(guard, now);
        return;
    }

    // Rows and cycles may have the same times: rounding must not delay a row by a cycle.
    const double until = now + 1e-6 * guard->safety.period;
    for (int i = 0; i < DRAIN_MAX && input->next < rows->row_count; ++i, ++input->next) {
        const double at = row_time(guard, input->next);
        if (!(at <= until)) {
            break;
        }
        deliver_row(guard, (uint64_t)input->next + 1,
                    rows->positions + (size_t)input->next * (size_t)rows->value_count,
                    row_velocities(input, input->next), at < now ? at : now);
    }

    input->ended = input->next >= rows->row_count;
}
