// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a trajectory (by its content, as CSV and as a message) and as a file of segments. What is read holds what
// the header promises, along every interpolation.

#include <math.h>
#include <string.h>

#include "io/motion/trajectory.h"
#include "scene/scene.h"
#include "support/arms.h"
#include "support/target.h"

enum { VALUES_MAX = 32 };

static void look_at_segment(const BerthTrajectory* t, const BerthScene* scene, int32_t index,
                            BerthInterpolation interpolation) {
    BerthCurve curves[VALUES_MAX];
    BerthSegment segment;
    const BerthStatus status = berth_trajectory_segment(t, scene, index, interpolation, curves, &segment);
    need(status == BERTH_OK || (interpolation != BERTH_INTERPOLATION_LINEAR && status == BERTH_ERR_PARSE));
    for (int32_t i = 0; status == BERTH_OK && segment.curves != NULL && i < segment.value_count; ++i) {
        double end = 0.0;
        double most = 1.0;
        for (int k = 0; k < BERTH_CURVE_TERMS; ++k) {
            end += curves[i].term[k];
            most += fabs(curves[i].term[k]);
        }
        need(curves[i].term[0] == segment.from[i] && fabs(end - segment.to[i]) <= 1e-12 * most);
    }
}

static void look_at_trajectory(const char* path, const char* data, size_t size, const BerthScene* scene) {
    const BerthIoOptions options = berth_default_io_options();
    BerthTrajectory t;
    if (bi_io_trajectory_from_bytes(path, data, size, scene, &options, &t) != BERTH_OK) {
        need(t.positions == NULL && strncmp(berth_error_text(), path, strlen(path)) == 0);
        return;
    }
    need(t.row_count > 0 && t.value_count == scene->value_count);
    for (int32_t row = 0; row < t.row_count; ++row) {
        need(berth_scene_check_values(scene, t.positions + (size_t)row * (size_t)t.value_count, NULL, NULL) ==
             BERTH_OK);
        need(t.times == NULL || row == 0 || t.times[row] > t.times[row - 1]);
    }
    for (int32_t i = 0; i < berth_trajectory_segment_count(&t); ++i) {
        look_at_segment(&t, scene, i, BERTH_INTERPOLATION_LINEAR);
        look_at_segment(&t, scene, i, BERTH_INTERPOLATION_CUBIC);
        look_at_segment(&t, scene, i, BERTH_INTERPOLATION_QUINTIC);
    }
    need(berth_trajectory_wrap(&t, scene) == BERTH_OK);  // nothing here turns without end
    berth_io_free_trajectory(&t);
}

static void look_at_segments(const char* path, const char* data, size_t size, const BerthScene* scene) {
    const BerthIoOptions options = berth_default_io_options();
    BerthSegments s;
    if (bi_io_segments_from_bytes(path, data, size, scene, &options, &s) != BERTH_OK) {
        need(s.values == NULL && strncmp(berth_error_text(), path, strlen(path)) == 0);
        return;
    }
    for (int32_t i = 0; i < s.segment_count; ++i) {
        const BerthSegment segment = berth_segments_segment(&s, i);
        need(berth_scene_check_values(scene, segment.from, NULL, NULL) == BERTH_OK);
        need(berth_scene_check_values(scene, segment.to, NULL, NULL) == BERTH_OK);
    }
    berth_io_free_segments(&s);
}

FUZZ_TARGET(bytes, size) {
    const BerthScene* scene = fuzz_two_arms();
    need(scene->value_count <= VALUES_MAX);
    look_at_trajectory("fuzz", bytes, size, scene);
    look_at_trajectory("fuzz.csv", bytes, size, scene);
    look_at_trajectory("fuzz.yaml", bytes, size, scene);
    look_at_segments("fuzz", bytes, size, scene);
}
