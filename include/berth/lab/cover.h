// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, cover: what only tests need of covering spheres.

#ifndef BERTH_LAB_COVER_H
#define BERTH_LAB_COVER_H

#include <berth/cover.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The metric of the balls.
BERTH_API BerthMetric berth_spheres_metric(const BerthSpheres* spheres);

#ifdef __cplusplus
}
#endif
#endif
