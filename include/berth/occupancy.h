// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Occupancy: how likely each cell of space is occupied, as log-odds in a tree, and scans that change it: where a ray of a
// sensor ends a cell is hit, where it passes cells are cleared. Numbers, clamping and pruning are OctoMap's, so that the same
// scans make the same tree. Fields (berth/field.h) are made of it, and follow its changes by berth_field_update.
//
// Words. The tree is a cube (in the plane a square) of 2^16 cells a side; a cell that nothing was said about is unknown.
// Log-odds are log(p / (1 - p)) of the chance p of being occupied; a cell is occupied from 0 on, free below.

#ifndef BERTH_OCCUPANCY_H
#define BERTH_OCCUPANCY_H

#include <berth/field.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One thread at a time.
typedef struct BerthOccupancy BerthOccupancy;

/// Start from berth_default_occupancy_def().
typedef struct BerthOccupancyDef {
    int32_t dim;        ///< 2 or 3; in the plane z of points is ignored, and so is that of cells
    double resolution;  ///< metres a cell, > 0; default 1
    BerthVec3 origin;   ///< the lower corner of cell `first`; default 0
    int32_t first[3];   ///< 0 to 65535; default 32768 on each axis, which is OctoMap's cube around the origin
    double hit;         ///< chance that a cell is occupied where a ray ended, in (0.5, 1); default 0.7
    double miss;        ///< and where one passed, in (0, 0.5); default 0.4
    double least;       ///< chances never get below this, in (0, 0.5); default 0.1192
    double most;        ///< nor above this, in (0.5, 1); default 0.971
    size_t
        memory_limit;  ///< bytes of the tree, and of the cells of one scan; 0: 4 GB. More is BERTH_ERR_MEMORY
    bool (*progress)(void* user, double share);  ///< as in BerthFieldDef; may be null
    void* progress_user;                         ///< passed to `progress`
    BerthAllocator allocator;                    ///< all zero: the C library's heap
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthOccupancyDef;
/// The def to start from: space, cells of 1 m, OctoMap's cube and chances.
BERTH_API BerthOccupancyDef berth_default_occupancy_def(void);

/// A tree in which nothing is known.
BERTH_API BerthStatus berth_occupancy_create(const BerthOccupancyDef* def, BerthOccupancy** out);
/// The cells of a field, where it has them: occupied ones with the log-odds of `most`, free ones with those of one miss, so that one
/// hit is enough to make them occupied; unknown ones are unknown. `corner`: the cell of the tree that is the field's cell
/// (0, 0, 0). Dim and resolution are the field's, and so are the places: the def's are not used.
BERTH_API BerthStatus berth_occupancy_from_field(const BerthField* field, const BerthOccupancyDef* def,
                                                 BerthOccupancy** out, int32_t corner[3]);
/// Frees it; null is fine.
BERTH_API void berth_occupancy_destroy(BerthOccupancy* occupancy);

/// What is in a tree.
typedef struct BerthOccupancyInfo {
    int32_t dim;         ///< 2 or 3
    double resolution;   ///< metres a cell
    BerthVec3 origin;    ///< the lower corner of cell `first`
    int32_t first[3];    ///< the cell that begins at `origin`
    int64_t node_count;  ///< leaves and inner nodes, as OctoMap counts them
    uint64_t bytes;      ///< of the tree
} BerthOccupancyInfo;
/// What is in a tree.
BERTH_API BerthOccupancyInfo berth_occupancy_info(const BerthOccupancy* occupancy);

/// The log-odds of a cell; false when nothing is known of it, or it is outside of the cube.
BERTH_API bool berth_occupancy_log_odds(const BerthOccupancy* occupancy, const int32_t cell[3], float* out);
/// The colour of a cell.
BERTH_API BerthCellColour berth_occupancy_colour(const BerthOccupancy* occupancy, const int32_t cell[3]);
/// The cell that holds a point; false outside of the cube, and for NaN.
BERTH_API bool berth_occupancy_cell(const BerthOccupancy* occupancy, BerthVec3 point, int32_t cell[3]);

/// What a call did to the cells. Counts are of cells, each once, if not said otherwise.
typedef struct BerthOccupancyReport {
    int64_t points;           ///< points that were taken
    int64_t dropped;          ///< points that were not: NaN, infinite, or outside of the cube
    int64_t beyond;           ///< points beyond the range: rays that clear up to it and hit nothing
    int64_t hit;              ///< cells in which a ray ended, or that were set occupied
    int64_t passed;           ///< cells that rays passed and in which none ended, or that were set free
    int64_t became_occupied;  ///< cells that were not occupied before
    int64_t became_free;      ///< cells that were not free before
    int64_t
        hit_and_free;  ///< cells that were hit and are still free: their log-odds were too low for one hit
} BerthOccupancyReport;

/// A scan: points in metres that a sensor at `sensor` saw. Each cell in which a ray ends gets the log-odds of a hit, each other
/// cell that a ray passes those of a miss, once a scan, then all are clamped: what OctoMap's insertPointCloud does. Rays pass
/// from cell to cell through faces, in the order in which the straight line crosses them (where it crosses an edge to within
/// rounding, one of the cells beside it is passed). `range` > 0: what is further from the sensor hits nothing, and its ray clears up
/// to the range only; 0: no limit. A sensor outside of the cube is BERTH_ERR_ARGUMENT. That passed cells are free is an
/// assumption about the sensor. `report` may be null. On failure a part of the scan may be in the tree.
BERTH_API BerthStatus berth_occupancy_insert_scan(BerthOccupancy* occupancy, const BerthVec3* points,
                                                  size_t count, BerthVec3 sensor, double range,
                                                  BerthOccupancyReport* report);
/// Cells that hold points become as sure as they can: occupied (`most`), free (`least`), or unknown. `report` may be null; its
/// `hit` or `passed` counts the cells.
BERTH_API BerthStatus berth_occupancy_set_points(BerthOccupancy* occupancy, const BerthVec3* points,
                                                 size_t count, BerthCellColour colour,
                                                 BerthOccupancyReport* report);
/// All cells low <= cell < high get these log-odds, not clamped; NaN makes them unknown. No changes are kept of it.
BERTH_API BerthStatus berth_occupancy_set_box(BerthOccupancy* occupancy, const int32_t low[3],
                                              const int32_t high[3], float log_odds);
/// Cells whose colour changed since berth_occupancy_forget_changes, each with the colour it has now, in the order of the calls (a
/// cell that changed twice is there twice). Cells are those of the cube: a field that begins at cell `c` of it calls them cell - c.
/// Valid until the next call that changes something.
BERTH_API const BerthFieldChange* berth_occupancy_changes(const BerthOccupancy* occupancy, size_t* count);
/// The list of changes is empty then.
BERTH_API void berth_occupancy_forget_changes(BerthOccupancy* occupancy);

#ifdef __cplusplus
}
#endif
#endif
