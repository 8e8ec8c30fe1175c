// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random robots among a random map and a random cloud, in a berth scene and in the brute model at once: every cell a box,
// every point a ball.

#ifndef TEST_SUPPORT_SENSED_H
#define TEST_SUPPORT_SENSED_H

#include "support/grids.h"
#include "support/kit.h"
#include "support/worlds.h"

enum { SENSED_POINTS = 60 };

typedef struct Sensed {
    uint64_t seed;
    Random random;
    World* world;
    Grid grid;
    BerthPose map_pose;
    bool has_cloud;
    BrutePart points[SENSED_POINTS];  ///< posed
    int point_count;
    double radius;
} Sensed;

/// Committed; objects "map" and, in half of the worlds, "cloud". Fails the running test when the library refuses anything.
Sensed* sensed_make(uint64_t seed);
void sensed_destroy(Sensed* sensed);
/// The least gap of all that moves to the map, to the cloud; infinite without one.
double sensed_map_gap(Sensed* sensed, const double* values);
double sensed_cloud_gap(Sensed* sensed, const double* values);
/// A CourseGap: of everything.
double sensed_gap(void* sensed, const double* values);

#endif
