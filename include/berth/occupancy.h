// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Occupancy: how likely each cell of space is to be occupied, as log-odds in a tree, and scans that update
// it: the cell where a ray of a sensor ends is hit, the cells that it passes are cleared. Numbers, clamping
// and pruning are OctoMap's, so that the same scans make the same tree. Fields (berth/field.h) are made from
// it and follow its changes by berth_field_update.
//
// Words. The tree is a cube (in the plane a square) of 2^16 cells a side; a cell that was never observed is
// unknown. The log-odds are log(p / (1 - p)) of the probability p of being occupied; a cell is occupied from
// 0 on, free below.

#ifndef BERTH_OCCUPANCY_H
#define BERTH_OCCUPANCY_H

#include <berth/field.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A tree of log-odds. One thread at a time.
typedef struct BerthOccupancy BerthOccupancy;

/// Start from berth_default_occupancy_def().
typedef struct BerthOccupancyDef {
    int32_t dim;        ///< 2 or 3; in the plane the z of points and cells is ignored
    double resolution;  ///< metres per cell, > 0; default 1
    BerthVec3 origin;   ///< the lower corner of cell `first`; default 0
    int32_t first[3];   ///< 0 to 65535; default 32768 on each axis: OctoMap's cube around the origin
    double hit;    ///< probability that a cell is occupied in which a ray ended, in (0.5, 1); default 0.7
    double miss;   ///< and of one that a ray passed, in (0, 0.5); default 0.4
    double least;  ///< probabilities are clamped to be at least this, in (0, 0.5); default 0.1192
    double most;   ///< and at most this, in (0.5, 1); default 0.971
    /// Bytes of the tree, and of the cells of one scan; 0: 4 GB. More is BERTH_ERR_MEMORY
    size_t memory_limit;
    bool (*progress)(void* user, double share);  ///< as in BerthFieldDef; may be null
    void* progress_user;                         ///< passed to `progress`
    BerthAllocator allocator;                    ///< all zero: the C library's heap
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthOccupancyDef;
/// The def to start from: dim 3, cells of 1 m, OctoMap's cube and probabilities.
BERTH_API BerthOccupancyDef berth_default_occupancy_def(void);

/// A tree in which everything is unknown.
BERTH_API BerthStatus berth_occupancy_create(const BerthOccupancyDef* def, BerthOccupancy** out);
/// A tree of the cells of a field, at the same places: occupied cells with the log-odds of `most`, free ones
/// with those of one miss, so that one hit is enough to make them occupied; unknown ones stay unknown.
/// `corner` receives the cell of the tree that is the field's cell (0, 0, 0). Dim, resolution and position
/// are the field's; the def's are not used.
BERTH_API BerthStatus berth_occupancy_from_field(const BerthField* field, const BerthOccupancyDef* def,
                                                 BerthOccupancy** out, int32_t corner[3]);
/// Frees a tree; null is fine.
BERTH_API void berth_occupancy_destroy(BerthOccupancy* occupancy);

/// The contents of a tree.
typedef struct BerthOccupancyInfo {
    int32_t dim;         ///< 2 or 3
    double resolution;   ///< metres per cell
    BerthVec3 origin;    ///< the lower corner of cell `first`
    int32_t first[3];    ///< the cell whose lower corner is `origin`
    int64_t node_count;  ///< leaves and inner nodes, as OctoMap counts them
    uint64_t bytes;      ///< of the tree
} BerthOccupancyInfo;
/// The contents of a tree.
BERTH_API BerthOccupancyInfo berth_occupancy_info(const BerthOccupancy* occupancy);

/// The log-odds of a cell; false when it is unknown or outside the cube.
BERTH_API bool berth_occupancy_log_odds(const BerthOccupancy* occupancy, const int32_t cell[3], float* out);
/// The colour of a cell.
BERTH_API BerthCellColour berth_occupancy_colour(const BerthOccupancy* occupancy, const int32_t cell[3]);
/// The cell that contains a point; false outside the cube, and for NaN.
BERTH_API bool berth_occupancy_cell(const BerthOccupancy* occupancy, BerthVec3 point, int32_t cell[3]);

/// What a call changed. Each cell is counted once, unless stated otherwise.
typedef struct BerthOccupancyReport {
    int64_t points;   ///< points that were used
    int64_t dropped;  ///< points that were not: NaN, infinite, or outside the cube
    int64_t beyond;   ///< points beyond the range: their rays clear cells up to the range and hit nothing
    int64_t hit;      ///< cells in which a ray ended, or that were set to occupied
    int64_t passed;   ///< cells that rays passed and in which none ended, or that were set to free
    int64_t became_occupied;  ///< cells that were not occupied before
    int64_t became_free;      ///< cells that were not free before
    /// Cells that were hit and are still free: one hit does not raise their log-odds to 0
    int64_t hit_and_free;
} BerthOccupancyReport;

/// Inserts a scan: points, in metres, that a sensor at `sensor` saw. Once per scan, each cell in which a ray
/// ends gets the log-odds of a hit, each other cell that a ray passes those of a miss; then all are clamped.
/// This is what OctoMap's insertPointCloud does. Rays pass from cell to cell through faces, in the order in
/// which the straight line crosses them (where it crosses an edge to within rounding, one of the adjacent
/// cells is passed). With `range` > 0 a point further from the sensor hits nothing, and its ray clears cells
/// up to the range only; 0: no limit. A sensor outside the cube is BERTH_ERR_ARGUMENT. That the cells passed
/// are free is an assumption about the sensor. `report` may be null. On failure a part of the scan may be in
/// the tree.
BERTH_API BerthStatus berth_occupancy_insert_scan(BerthOccupancy* occupancy, const BerthVec3* points,
                                                  size_t count, BerthVec3 sensor, double range,
                                                  BerthOccupancyReport* report);
/// Sets the cells that contain points to the extreme: occupied (`most`), free (`least`), or unknown. `report`
/// may be null; its `hit` or `passed` counts the cells.
BERTH_API BerthStatus berth_occupancy_set_points(BerthOccupancy* occupancy, const BerthVec3* points,
                                                 size_t count, BerthCellColour colour,
                                                 BerthOccupancyReport* report);
/// Gives all cells low <= cell < high these log-odds, without clamping; NaN makes them unknown. Not recorded
/// in berth_occupancy_changes.
BERTH_API BerthStatus berth_occupancy_set_box(BerthOccupancy* occupancy, const int32_t low[3],
                                              const int32_t high[3], float log_odds);
/// The cells whose colour changed since berth_occupancy_forget_changes, each with its present colour, in the
/// order of the calls (a cell that changed twice is listed twice). Cells are those of the cube; for a field
/// that begins at cell `c` of the cube they are cell - c. Valid until the next call that changes something.
BERTH_API const BerthFieldChange* berth_occupancy_changes(const BerthOccupancy* occupancy, size_t* count);
/// Empties the list of changes.
BERTH_API void berth_occupancy_forget_changes(BerthOccupancy* occupancy);

#ifdef __cplusplus
}
#endif
#endif
