// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// `berth path --moving reach`: objects that may move are everywhere they can have got to.
// Entries: path_check_times, path_find_start_hit, path_reach.

#include <stdlib.h>

#include "cli/path/path.h"

int path_check_times(const PathJob* job) {
    if (job->def.moving != BERTH_MOVING_REACH || job->trajectory->times != NULL) {
        return EXIT_FREE;
    }
    return cli_reject(
        "path",
        "--moving reach: %s has no times, and how far objects get depends on them: a column 'time', or "
        "time_from_start in a message, is expected",
        job->file);
}

BerthStatus path_find_start_hit(const PathJob* job, BerthMotionResult* out) {
    BerthCurve* curves = calloc((size_t)job->question->value_count + 1, sizeof *curves);
    BerthMotionCheckerDef def = job->def;
    def.method = BERTH_METHOD_FIXED;  // a segment without length has two samples, both at the start
    BerthMotionChecker* motion = NULL;
    BerthSegment start;

    BerthStatus status = curves != NULL ? BERTH_OK : BERTH_ERR_MEMORY;
    if (status == BERTH_OK) {
        status = path_segment(job, 0, curves, &start);
    }
    if (status == BERTH_OK) {
        status = berth_motion_checker_create(job->question->scene, &def, &motion);
    }

    if (status == BERTH_OK) {
        start.to = start.from;
        start.curves = NULL;
        start.duration = 0.0;
        const BerthMotionRequest request = {.first_contact = false};
        status = berth_motion_check_segment(motion, &start, &request, out);
    }

    berth_motion_checker_destroy(motion);
    free(curves);
    return status;
}

double path_reach(const PathJob* job, int32_t index, const BerthMotionResult* hit) {
    const BerthScene* scene = job->question->scene;
    const BerthBodyInfo body = berth_scene_body(scene, hit->body_b);
    BerthObjectInfo object;
    BerthSegment segment;
    if (job->def.moving != BERTH_MOVING_REACH || hit->body_b < 0 ||
        berth_scene_object(scene, body.object, &object) != BERTH_OK || !(object.moving || object.person)) {
        return 0.0;
    }

    // Only the times are needed: straight lines need no room for curves.
    if (berth_trajectory_segment(job->trajectory, scene, index, BERTH_INTERPOLATION_LINEAR, NULL, &segment) !=
        BERTH_OK) {
        return 0.0;
    }
    const double ahead = object.person ? object.intrusion + object.uncertainty : 0.0;
    return ahead + object.speed * (segment.start + hit->t * segment.duration);
}
