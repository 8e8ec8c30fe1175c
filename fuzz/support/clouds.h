// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What every reader of clouds promises: the points that it keeps are finite.

#ifndef FUZZ_SUPPORT_CLOUDS_H
#define FUZZ_SUPPORT_CLOUDS_H

#include "io/cloud/cloud.h"
#include "support/target.h"

static inline void need_finite_points(const PointCloud* cloud) {
    for (size_t i = 0; i < cloud->count; ++i) {
        const BerthVec3 p = cloud->points[i];
        need(p.x - p.x == 0.0 && p.y - p.y == 0.0 && p.z - p.z == 0.0);
    }
}

#endif
