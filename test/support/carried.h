// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random worlds with maps and clouds that stand at any pose, are said to move, or hang on links of one robot or of two; in
// the berth scene and in the brute model at once. There a map is the sides of its cells, one by one, and a cloud its points.

#ifndef TEST_SUPPORT_CARRIED_H
#define TEST_SUPPORT_CARRIED_H

#include "support/grids.h"
#include "support/worlds.h"

enum { CARRIED_POINTS = 80 };

/// How many of each kind there are.
typedef struct Carried {
    int maps, flat, clouds, held, closed;
} Carried;

/// A map in both models, at a pose in the world or in a link of a robot (-1, -1: in the world). Of a room that is closed, what
/// is outside of it is an obstacle, too. Not committed.
void carried_add_map(World* world, const Grid* grid, const BerthPose* pose, int robot, int link,
                     bool outside_is_free, bool moving);
/// A cloud, likewise.
void carried_add_cloud(World* world, const BerthVec3* points, int count, double radius, const BerthPose* pose,
                       int robot, int link, bool moving);
/// One thing of several solids, shapes and meshes, each at a place of its own on it. Not committed.
void carried_add_parts(World* world, Random* random, int count, const BerthPose* pose, int robot, int link,
                       bool moving);
/// Commits, and finds the bodies anew.
void carried_commit(World* world);
/// One robot or two, one to three maps and clouds, and at most one body more. Committed.
World* carried_make(Random* random, WorldStyle style, Carried* carried);

#endif
