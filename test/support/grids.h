// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Small maps cell by cell, and the slow answer about them: every cell that is an obstacle is a box of its own, in the
// brute model. Shares no code with the product.

#ifndef TEST_SUPPORT_GRIDS_H
#define TEST_SUPPORT_GRIDS_H

#include <berth/scene.h>

#include "math/math.h"
#include "support/brute.h"
#include "tree/cells.h"

enum { GRID_SIDE = 24 };

typedef struct Grid {
    int dim;
    int size[3];  ///< at most GRID_SIDE each; 1 in z in the plane
    double resolution;
    BerthVec3 origin;
    double height[2];
    bool unknown_is_free;
    uint8_t colour[GRID_SIDE][GRID_SIDE][GRID_SIDE];  ///< [x][y][z]: 0 free, 1 occupied, 2 unknown
    // Its obstacles as boxes, by grid_open.
    BrutePart* boxes;
    int box_count;
} Grid;

/// A few boxes, walls, shells and dust; some cells unknown. At least one cell is an obstacle. `side` is the most cells an axis.
void grid_random(Random* random, int dim, int side, double resolution, Grid* out);
/// Poses a part whose own frame is the body's.
void grid_pose_part(BrutePart* part, const BerthPose* world_from_part);
bool grid_blocks(const Grid* grid, int x, int y, int z);
/// Makes the boxes of its obstacles, in the map's frame, posed at `world_from_map`.
void grid_open(Grid* grid, const BerthPose* world_from_map);
void grid_close(Grid* grid);
/// The gap of a posed part: the least of all boxes. Where it overlaps one, upper <= 0.
BruteGap grid_gap(const Grid* grid, const BrutePart* part);
/// As cubes of many sizes, in any order; returns how many there are.
int grid_cubes(const Grid* grid, CellCube* cubes);
/// As a field. Null when the library refused it.
BerthField* grid_field(const Grid* grid);
/// An object of the scene by way of a field, at a pose.
BerthObjectId grid_add(const Grid* grid, BerthScene* scene, const char* name, const BerthPose* pose,
                       const char* attach, bool outside_is_free);
/// The same as a solid.
BerthSolid* grid_solid(const Grid* grid, const BerthAllocator* allocator);

#endif
