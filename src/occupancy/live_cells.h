// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Cells that change many times per second: which of them are obstacles, as bits of a full octree, one byte
// for eight siblings. All memory is taken at the start; a cell changes at most one bit per level, and the
// bits are a function of the cells alone, so changes lead to the same bits as a new build. For the guard;
// maps that are queried much and change little are fields (berth/field.h).

#ifndef BI_LIVE_CELLS_H
#define BI_LIVE_CELLS_H

#include <berth/occupancy.h>
#include <berth/shape.h>

enum {
    LIVE_CELLS_LEVELS = 8,  ///< most: 256 cells a side
    LIVE_CELLS_SIDE = 1 << LIVE_CELLS_LEVELS
};

/// Cells (0, 0, 0) to size - 1; what is outside of the size is no obstacle here.
typedef struct LiveCells {
    int32_t size[3];
    int32_t levels;                     ///< 1 to LIVE_CELLS_LEVELS; the root is 2^levels cells wide
    double resolution;                  ///< metres a cell; cell (0, 0, 0) begins at the origin of their frame
    uint32_t start[LIVE_CELLS_LEVELS];  ///< of each level's bytes
    uint8_t* bits;  ///< by level and code: bit k of a node's byte is its child k, which holds an obstacle
} LiveCells;

/// Levels and starts for this size, each 1 to LIVE_CELLS_SIDE. `bits` is still to be set.
LiveCells bi_live_cells_shape(const int32_t size[3], double resolution);
/// Bytes of `bits`.
size_t bi_live_cells_bytes(const LiveCells* cells);
/// All cells within the size become obstacles. Takes a moment.
void bi_live_cells_fill(LiveCells* cells);
/// Takes the bits of cells of the same size; null: all become free.
void bi_live_cells_copy(LiveCells* cells, const uint8_t* bits);
/// Cells of a row `count` long from number `first` on: numbers go along x, then y, then z, and the row may go on in the next ones.
/// All of them must be within the size.
void bi_live_cells_set(LiveCells* cells, uint32_t first, uint32_t count, bool obstacle);

/// The gap between a posed convex shape (A) and the nearest obstacle (B), if there is one within `wanted` metres: `lower` holds for all
/// obstacles then. `slack`: how far the pose is off. `nodes` are those that may be opened, and what is left of them; when none is left
/// `lower` is that of what was not looked at, and `spent` is set. True: something is within `wanted`, or may be.
typedef struct LiveCellsNearest {
    BerthGap gap;
    int32_t cell[3];  ///< an obstacle; -1 where none was measured
    bool spent;
} LiveCellsNearest;
bool bi_live_cells_nearest(const LiveCells* cells, const BerthShape* shape, const BerthPose* cells_from_shape,
                           double slack, double wanted, int32_t* nodes, LiveCellsNearest* out);
/// The same of what is outside of the cells' size, as if all of that were solid. False: nothing of it is within `wanted`.
bool bi_live_cells_outside(const LiveCells* cells, const BerthShape* shape, const BerthPose* cells_from_shape,
                           double slack, double wanted, BerthGap* out);

#endif
