// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Several trajectories, one per robot, become one motion over their common time: a row wherever one of them
// has a row, and between rows the polynomials of the files, cut there. A piece from u0 to u1 of a segment's
// own time is f(u0 + s (u1 - u0)) for s in [0, 1], expanded anew around u0; the rounding is added to the
// curve's error, so that a proof about the merged motion is one about the files.
// Entry: berth_trajectory_merge.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/motion/table.h"
#include "io/motion/trajectory.h"
#include "math/tolerance.h"
#include "scene/scene.h"

/// What cutting loses, as a share of the terms' sum: times of the cut are off by 3 roundings each, which speeds of at most
/// five times the sum make 50; writing it anew takes 16 more.
#define CUT_ROUNDING (128.0 * BI_ULP)
/// What a component of a quaternion loses when it is placed on its arc.
#define ARC_ROUNDING (64.0 * BI_ULP)
/// Numbers that a value of a row takes: its position and its curve.
enum { MERGED_NUMBERS = 1 + sizeof(BerthCurve) / sizeof(double) };

// ---- what can be merged ------------------------------------------------------------------------------------

static BerthStatus check_joints_apart(const BerthTrajectory* parts, int32_t part_count,
                                      const BerthScene* scene) {
    for (int32_t v = 0; v < scene->value_count; ++v) {
        const BerthTrajectory* owner = NULL;
        for (int32_t i = 0; i < part_count; ++i) {
            if (!parts[i].named[v]) {
                continue;
            }

            if (owner != NULL) {
                char name[2 * BI_SCENE_NAME_MAX + 2];
                berth_scene_value_name(scene, v, name, sizeof name);
                return bi_fail(BERTH_ERR_PARSE,
                               "%s: joint '%s' is in %s already: trajectories that are merged have joints of "
                               "their own",
                               parts[i].path, name, owner->path);
            }
            owner = &parts[i];
        }
    }
    return BERTH_OK;
}

static BerthStatus check_parts(const BerthTrajectory* parts, int32_t part_count, const BerthScene* scene) {
    for (int32_t i = 0; i < part_count; ++i) {
        if (parts[i].value_count != scene->value_count || parts[i].row_count < 1 || parts[i].curves != NULL) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "merge trajectories: give trajectories of this scene, as they were read");
        }
        if (parts[i].times == NULL) {
            return bi_fail(BERTH_ERR_PARSE,
                           "%s: it has no times: several trajectories are merged over their time, so each "
                           "needs a column 'time' (or time_from_start)",
                           parts[i].path);
        }
    }
    return check_joints_apart(parts, part_count, scene);
}

// ---- rows --------------------------------------------------------------------------------------------------

static int by_time(const void* a, const void* b) {
    const double p = *(const double*)a;
    const double q = *(const double*)b;
    return (p > q) - (p < q);
}

// All times of all parts, each once, into `times`; returns how many.
static int32_t collect_times(const BerthTrajectory* parts, int32_t part_count, double* times) {
    size_t count = 0;
    for (int32_t i = 0; i < part_count; ++i) {
        memcpy(times + count, parts[i].times, (size_t)parts[i].row_count * sizeof *times);
        count += (size_t)parts[i].row_count;
    }
    qsort(times, count, sizeof *times, by_time);

    int32_t kept = 1;
    for (size_t i = 1; i < count; ++i) {
        if (times[i] > times[kept - 1]) {
            times[kept++] = times[i];
        }
    }
    return kept;
}

// "a.csv, b.csv"
static char* join_paths(const BerthAllocator* allocator, const BerthTrajectory* parts, int32_t part_count) {
    size_t size = 1;
    for (int32_t i = 0; i < part_count; ++i) {
        size += strlen(parts[i].path) + 2;
    }
    char* text = bi_take(allocator, size, 1);
    if (text == NULL) {
        return NULL;
    }

    size_t used = 0;
    for (int32_t i = 0; i < part_count; ++i) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", parts[i].path);
    }

    char* copy = bi_scene_copy_text(allocator, text);
    bi_give(allocator, text, size, 1);
    return copy;
}

static BerthStatus allocate_merged(const BerthTrajectory* parts, int32_t part_count, const BerthScene* scene,
                                   BerthTrajectory* out) {
    int64_t rows = 0;
    for (int32_t i = 0; i < part_count; ++i) {
        rows += parts[i].row_count;
        out->times_from_start = out->times_from_start || parts[i].times_from_start;
    }

    out->allocator = bi_allocator_or_default(&parts[0].allocator);
    out->path = join_paths(&out->allocator, parts, part_count);
    if (out->path == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "merge trajectories: out of memory");
    }
    BerthStatus status = bi_io_check_row_count(out->path, "rows", rows, MERGED_NUMBERS, scene);
    if (status != BERTH_OK) {
        return status;
    }

    // Times are collected first: how many rows there are is known only then.
    double* times = bi_take(&out->allocator, (size_t)rows, sizeof *times);
    status = times != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", out->path);
    if (status == BERTH_OK) {
        const int32_t kept = collect_times(parts, part_count, times);
        status = bi_io_allocate_trajectory(kept, scene, (TrajectoryParts){.times = true}, out);
    }
    if (status == BERTH_OK) {
        memcpy(out->times, times, (size_t)out->row_count * sizeof *times);
        out->curves = bi_take(&out->allocator, (size_t)(out->row_count - 1) * (size_t)out->value_count,
                              sizeof *out->curves);
        status = out->curves != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", out->path);
    }

    bi_give(&out->allocator, times, (size_t)rows, sizeof *times);
    return status;
}

// ---- pieces of curves --------------------------------------------------------------------------------------

// The part of a curve from u0 to u1 of its own time.
static BerthCurve cut_curve(const BerthCurve* whole, double u0, double u1) {
    if (u0 == 0.0 && u1 == 1.0) {
        return *whole;
    }

    BerthCurve piece = *whole;
    double size = 0.0;
    for (int k = 0; k < BERTH_CURVE_TERMS; ++k) {
        size += fabs(whole->term[k]);
    }
    piece.error += CUT_ROUNDING * size;

    // Around u0, then with a unit of u1 - u0.
    for (int from = 0; from < BERTH_CURVE_TERMS; ++from) {
        for (int k = BERTH_CURVE_TERMS - 2; k >= from; --k) {
            piece.term[k] += u0 * piece.term[k + 1];
        }
    }
    double power = 1.0;
    for (int k = 0; k < BERTH_CURVE_TERMS; ++k) {
        piece.term[k] *= power;
        power *= u1 - u0;
    }
    return piece;
}

/// Goes through one part beside the merged rows.
typedef struct PartCursor {
    const BerthTrajectory* part;
    const BerthScene* scene;
    BerthInterpolation interpolation;
    int32_t segment;     // of the part, whose `curves` these are; -1: none yet
    BerthCurve* curves;  // value_count
    double* values;      // value_count
} PartCursor;

// The part's own time of a segment, exact at its ends.
static double own_time(const PartCursor* cursor, double time) {
    const double* ends = cursor->part->times + cursor->segment;
    return (time - ends[0]) / (ends[1] - ends[0]);
}

// The segment of the part that is under way from this time on: its curves are made once. Standing parts have none.
static BerthStatus enter_segment(PartCursor* cursor, double time, bool* moves) {
    const BerthTrajectory* part = cursor->part;
    *moves = time >= part->times[0] && time < part->times[part->row_count - 1];
    if (!*moves || (cursor->segment >= 0 && time < part->times[cursor->segment + 1])) {
        return BERTH_OK;
    }

    do {
        ++cursor->segment;
    } while (time >= part->times[cursor->segment + 1]);

    BerthSegment segment;
    const BerthStatus status = berth_trajectory_segment(part, cursor->scene, cursor->segment,
                                                        cursor->interpolation, cursor->curves, &segment);
    return status == BERTH_OK
               ? bi_io_segment_curves(part, cursor->segment, cursor->interpolation, cursor->curves)
               : status;
}

// Where the part is at a time: at its first or last row, in a row, or between two.
static const double* find_values(PartCursor* cursor, double time, bool moves) {
    const BerthTrajectory* part = cursor->part;
    const size_t each = (size_t)part->value_count;
    if (!moves) {
        return part->positions + (time < part->times[0] ? 0 : (size_t)(part->row_count - 1) * each);
    }

    const double* row = part->positions + (size_t)cursor->segment * each;
    if (time == part->times[cursor->segment]) {
        return row;
    }

    const BerthSegment segment = {
        .value_count = part->value_count, .from = row, .to = row + each, .curves = cursor->curves};
    berth_segment_values(cursor->scene, &segment, own_time(cursor, time), cursor->values);
    return cursor->values;
}

// What the part's joints do from merged row `row` on.
static BerthStatus add_part_row(PartCursor* cursor, int32_t row, BerthTrajectory* out) {
    const size_t each = (size_t)out->value_count;
    const double start = out->times[row];
    bool moves = false;
    const BerthStatus status = enter_segment(cursor, start, &moves);
    if (status != BERTH_OK) {
        return status;
    }

    const double* values = find_values(cursor, start, moves);
    const bool last = row + 1 == out->row_count;
    for (size_t v = 0; v < each; ++v) {
        if (!cursor->part->named[v]) {
            continue;
        }

        out->positions[(size_t)row * each + v] = values[v];
        out->named[v] = true;
        if (!last) {
            BerthCurve* curve = &out->curves[(size_t)row * each + v];
            *curve = moves ? cut_curve(&cursor->curves[v], own_time(cursor, start),
                                       own_time(cursor, out->times[row + 1]))
                           : (BerthCurve){{values[v]}, 0.0};
        }
    }
    return BERTH_OK;
}

// Orientations turn along the arc between the rows whatever their curves say: only what rounding does to rows between a
// part's own counts.
static void set_arc_errors(const BerthScene* scene, BerthTrajectory* out) {
    const size_t each = (size_t)out->value_count;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t j = 0; j < robot->joint_count; ++j) {
            const BerthJointInfo joint = berth_robot_joint(robot->robot, j);
            if (joint.type != BERTH_JOINT_FLOATING || joint.first_value < 0) {
                continue;
            }

            const size_t quat = (size_t)robot->first_value + (size_t)joint.first_value + 3;
            for (int32_t row = 0; row + 1 < out->row_count; ++row) {
                const double* from = out->positions + (size_t)row * each + quat;
                const bool turns = memcmp(from, from + each, 4 * sizeof *from) != 0;
                for (size_t k = 0; k < 4; ++k) {
                    out->curves[(size_t)row * each + quat + k].error = turns ? ARC_ROUNDING : 0.0;
                }
            }
        }
    }
}

static BerthStatus add_part(PartCursor* cursor, BerthTrajectory* out) {
    BerthStatus status = BERTH_OK;
    for (int32_t row = 0; row < out->row_count && status == BERTH_OK; ++row) {
        status = add_part_row(cursor, row, out);
    }
    return status;
}

// Joints of no part stand as in the scene.
static void add_standing(BerthTrajectory* out) {
    const size_t each = (size_t)out->value_count;
    for (size_t i = 0; i < (size_t)(out->row_count - 1) * each; ++i) {
        out->curves[i].term[0] = out->positions[i];
    }
    for (int32_t row = 0; row < out->row_count; ++row) {
        out->lines[row] = row;
    }
}

BerthStatus berth_trajectory_merge(const BerthTrajectory* parts, const BerthInterpolation* interpolations,
                                   int32_t part_count, const BerthScene* scene, BerthTrajectory* out) {
    if (out != NULL) {
        *out = (BerthTrajectory){.positions = NULL};
    }
    if (parts == NULL || interpolations == NULL || part_count < 1 || scene == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "merge trajectories: give trajectories, an interpolation each, their scene and a "
                       "place");
    }

    BerthStatus status = check_parts(parts, part_count, scene);
    if (status == BERTH_OK) {
        status = allocate_merged(parts, part_count, scene, out);
    }

    const size_t each = (size_t)scene->value_count;
    const BerthAllocator memory = bi_allocator_or_default(&parts[0].allocator);
    BerthCurve* curves = status == BERTH_OK ? bi_take(&memory, each, sizeof *curves) : NULL;
    double* values = status == BERTH_OK ? bi_take(&memory, each, sizeof *values) : NULL;
    if (status == BERTH_OK && (curves == NULL || values == NULL)) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", out->path);
    }

    if (status == BERTH_OK) {
        add_standing(out);
    }
    for (int32_t i = 0; i < part_count && status == BERTH_OK; ++i) {
        PartCursor cursor = {.part = &parts[i],
                             .scene = scene,
                             .interpolation = interpolations[i],
                             .segment = -1,
                             .curves = curves,
                             .values = values};
        status = add_part(&cursor, out);
    }
    if (status == BERTH_OK) {
        set_arc_errors(scene, out);
    }

    bi_give(&memory, curves, each, sizeof *curves);
    bi_give(&memory, values, each, sizeof *values);
    if (status != BERTH_OK) {
        berth_io_free_trajectory(out);
    }
    return status;
}
