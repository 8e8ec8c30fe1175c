// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A trajectory in one call: the curves that a controller would follow between its rows.
// Entry: berth_trajectory_check.

#include <berth/io/motion.h>

#include "base/base.h"
#include "path/path_check.h"
#include "scene/scene.h"

typedef struct TrajectoryRun {
    const BerthTrajectory* trajectory;
    const BerthScene* scene;
    BerthInterpolation interpolation;
    BerthCurve* curves;
} TrajectoryRun;

static BerthStatus segment_of_trajectory(void* user, int32_t index, BerthSegment* out) {
    const TrajectoryRun* run = user;
    return berth_trajectory_segment(run->trajectory, run->scene, index, run->interpolation, run->curves, out);
}

static BerthStatus check_states(const BerthTrajectory* trajectory, const BerthScene* scene) {
    for (int32_t row = 0; row < trajectory->row_count; ++row) {
        const double* values = trajectory->positions + (size_t)row * (size_t)trajectory->value_count;
        const BerthStatus wrong = berth_scene_check_values(scene, values, NULL, NULL);
        if (wrong != BERTH_OK) {
            return bi_fail_prefix(wrong, "trajectory: row %d", (int)row);
        }
    }
    return BERTH_OK;
}

BerthStatus berth_trajectory_check(const BerthTrajectory* trajectory, const BerthScene* scene, double margin,
                                   BerthPathResult* out) {
    if (trajectory == NULL || scene == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "trajectory: a trajectory, its scene and a result are expected");
    }
    *out = (BerthPathResult){.segment = -1, .body_a = -1, .body_b = -1};
    if (trajectory->value_count != scene->value_count || trajectory->row_count < 1) {
        return bi_fail(BERTH_ERR_ARGUMENT, "trajectory: %d rows of %d values; the scene has %d values",
                       (int)trajectory->row_count, (int)trajectory->value_count, (int)scene->value_count);
    }

    TrajectoryRun run = {.trajectory = trajectory, .scene = scene};
    BerthStatus status = check_states(trajectory, scene);
    if (status == BERTH_OK) {
        status = berth_trajectory_interpolation(trajectory, &run.interpolation);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const size_t values = (size_t)scene->value_count;
    run.curves = bi_take(&scene->allocator, values, sizeof *run.curves);
    if (run.curves == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "trajectory: out of memory");
    }
    status = bi_path_check(scene, margin, berth_trajectory_segment_count(trajectory), segment_of_trajectory,
                           &run, out);
    bi_give(&scene->allocator, run.curves, values, sizeof *run.curves);
    return status;
}
