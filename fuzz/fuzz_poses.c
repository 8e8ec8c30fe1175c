// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a recorded motion of a body: rotations, finite places and times that grow, or an error with the file's name.

#include <math.h>
#include <string.h>

#include "io/motion/poses.h"
#include "support/target.h"

static double dot(BerthVec3 a, BerthVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static void look_at_pose(const BerthPose* p) {
    need(isfinite(p->t.x) && isfinite(p->t.y) && isfinite(p->t.z));
    need(fabs(dot(p->x, p->x) - 1.0) < 1e-9 && fabs(dot(p->y, p->y) - 1.0) < 1e-9);
    need(fabs(dot(p->x, p->y)) < 1e-9 && fabs(dot(p->x, p->z)) < 1e-9 && fabs(dot(p->y, p->z)) < 1e-9);
}

FUZZ_TARGET(bytes, size) {
    BerthPoses poses;
    if (bi_io_poses_from_bytes("fuzz.csv", bytes, size, NULL, &poses) == BERTH_OK) {
        need(poses.row_count > 0);
        for (int32_t i = 0; i < poses.row_count; ++i) {
            look_at_pose(&poses.poses[i]);
            need(poses.times == NULL ||
                 (isfinite(poses.times[i]) && (i == 0 || poses.times[i] > poses.times[i - 1])));
        }
        berth_io_free_poses(&poses);
    } else {
        need(poses.poses == NULL && strncmp(berth_error_text(), "fuzz.csv", 8) == 0);
    }
}
