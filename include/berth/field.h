// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Field: sensed space as a quadtree (dim 2) or octree (dim 3) of free, occupied and unknown cells, and maps over it
// that tell how far the nearest obstacle is: nodal separation (ODM), perimeter functions (EODM), dense maps (DM),
// candidate lists.
//
// Words. A *cell* is the smallest cube, `resolution` metres wide; cell (i, j, k) is the closed cube from origin +
// resolution * (i, j, k) to origin + resolution * (i+1, j+1, k+1). In the plane only x and y count and z is ignored.
// The tree's root is 2^levels cells wide. An *obstacle* is a largest tree node of one colour, occupied or (by choice)
// unknown. Sets are closed: touching is collision. A *code* is a Morton code: bit 3b of it is bit b of x, bit 3b+1 of
// y, bit 3b+2 of z (in the plane 2b and 2b+1). A node's level counts from the root (0) to the cells (`levels`); its
// code has `level` digits, so it is the code of its first cell shifted right by dim * (levels - level).

#ifndef BERTH_FIELD_H
#define BERTH_FIELD_H

#include <berth/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How deep a map can be.
enum {
    BERTH_FIELD_LEVELS_MAX = 16  ///< the root is at most 2^16 cells wide
};

/// Constant once made: share it between threads. Only berth_field_update changes one, alone.
typedef struct BerthField BerthField;
/// Collects what is known of space; one thread at a time.
typedef struct BerthFieldBuilder BerthFieldBuilder;

/// What is known of a cell.
typedef enum BerthCellColour {
    BERTH_CELL_FREE = 0,     ///< white
    BERTH_CELL_OCCUPIED,     ///< black
    BERTH_CELL_UNKNOWN,      ///< nothing is known: an obstacle unless a def says otherwise
    BERTH_CELL_COLOUR_COUNT  ///< how many there are
} BerthCellColour;

/// What is built over the tree, to be or-ed. The tree itself is always there.
typedef enum BerthFieldPart {
    BERTH_FIELD_ODM = 1,        ///< least and greatest separation of every free node
    BERTH_FIELD_EODM = 2,       ///< perimeter functions of every free node
    BERTH_FIELD_DM = 4,         ///< L1 distance of cells, dense
    BERTH_FIELD_EUCLID = 8,     ///< Euclidean distance of cells, dense
    BERTH_FIELD_LISTS = 16,     ///< candidates for the nearest obstacle of every free node, L2
    BERTH_FIELD_ALL_PARTS = 31  ///< every part
} BerthFieldPart;

/// How distances are measured.
typedef enum BerthMetric {
    BERTH_METRIC_L2 = 0,  ///< Euclidean: balls are round
    BERTH_METRIC_L1,      ///< sum of differences: balls are octahedra
    BERTH_METRIC_COUNT    ///< how many there are
} BerthMetric;
/// "l2", "l1".
BERTH_API const char* berth_metric_name(BerthMetric metric);

/// Start from berth_default_field_def().
typedef struct BerthFieldDef {
    int32_t dim;        ///< 2 or 3
    int32_t levels;     ///< 0 to 16: the root is 2^levels cells wide
    double resolution;  ///< metres a cell, > 0; default 1
    BerthVec3 origin;   ///< the corner of cell (0, 0, 0), metres
    int32_t size[3];    ///< cells that the map is about, from cell 0 on, each <= 2^levels; 0: the whole root
    BerthCellColour background;  ///< of cells that nothing was said about: FREE (the default) or UNKNOWN
    bool unknown_is_free;        ///< false: unknown cells are obstacles
    uint32_t parts;              ///< BerthFieldPart
    bool local;  ///< EODM from the parent cell only: faster to build, slower to ask (all ancestors are asked)
    /// Most bytes of the tree while it is built, and of the tree and all parts together; 0: 4 GB. More is BERTH_ERR_MEMORY
    /// with a text that says how much is needed, before it is taken.
    size_t memory_limit;
    /// Called now and then while things are added and parts are built; false ends the work with BERTH_ERR_CANCELLED.
    /// `share` goes from 0 to 1. May be null.
    bool (*progress)(void* user, double share);
    void* progress_user;       ///< passed to `progress`
    BerthAllocator allocator;  ///< all zero: the C library's heap
    uint32_t stamp;            ///< set by the default function; ties the def to this library version
} BerthFieldDef;
/// The def to start from: space, 1 m cells, free background, unknown cells are obstacles, no parts.
BERTH_API BerthFieldDef berth_default_field_def(void);

/// The least levels so that 2^levels >= each of the (dim) sizes; -1 when that is over 16 or a size is < 1.
BERTH_API int32_t berth_field_levels_for(int32_t dim, const int32_t size[3]);

// ---- building -------------------------------------------------------------------------------------------------------
// What is added later wins where it overlaps what was added before. All of it must lie within the map's size, else
// BERTH_ERR_ARGUMENT; only points and meshes may reach out of it, and are cut. A failed call adds nothing or a part;
// the builder stays usable.

/// An empty builder of a map of this size.
BERTH_API BerthStatus berth_field_builder_create(const BerthFieldDef* def, BerthFieldBuilder** out);
/// Frees a builder; null is fine. Fields made with it stay.
BERTH_API void berth_field_builder_destroy(BerthFieldBuilder* builder);
/// One cell; z is ignored in the plane.
BERTH_API BerthStatus berth_field_add_cell(BerthFieldBuilder* builder, int32_t x, int32_t y, int32_t z,
                                           BerthCellColour colour);
/// Cells low <= cell < high on each axis (z ignored in the plane).
BERTH_API BerthStatus berth_field_add_box(BerthFieldBuilder* builder, const int32_t low[3],
                                          const int32_t high[3], BerthCellColour colour);
/// Colours of a block of cells, `size` of them from cell `low` on: cell low + (i, j, k) is cells[i * stride[0] + j *
/// stride[1] + k * stride[2]] (a BerthCellColour each). Images are blocks of the plane: size[2] = 1, stride[2] = 0.
BERTH_API BerthStatus berth_field_add_block(BerthFieldBuilder* builder, const uint8_t* cells,
                                            const int32_t size[3], const int64_t stride[3],
                                            const int32_t low[3]);
/// Points in metres: the cells that hold them, with `radius` > 0 all cells that a ball around them touches, are
/// occupied. Points with NaN or infinite coordinates, and those that are further than `radius` outside of the map along
/// some axis, are left out and counted in `dropped` (may be null). In the plane z is ignored.
BERTH_API BerthStatus berth_field_add_points(BerthFieldBuilder* builder, const BerthVec3* points,
                                             size_t count, double radius, size_t* dropped);
/// A mesh, solid when it is watertight, else its surface: every cell that it touches becomes occupied (closed sets,
/// rounded outward: a face that lies in the border of two cells takes both). Only in space (dim 3).
BERTH_API BerthStatus berth_field_add_mesh(BerthFieldBuilder* builder, const BerthMesh* mesh,
                                           const BerthPose* field_from_mesh);
/// Makes the field; the builder is not changed by that and may be used again.
BERTH_API BerthStatus berth_field_build(BerthFieldBuilder* builder, BerthField** out);
/// Frees a field; null is fine.
BERTH_API void berth_field_destroy(BerthField* field);

// ---- what is in it --------------------------------------------------------------------------------------------------

/// What is in a field.
typedef struct BerthFieldInfo {
    int32_t dim;                 ///< 2 or 3
    int32_t levels;              ///< the root is 2^levels cells wide
    double resolution;           ///< metres a cell
    BerthVec3 origin;            ///< corner of cell (0, 0, 0)
    int32_t size[3];             ///< cells the map is about
    BerthCellColour background;  ///< of cells that nothing was said about
    bool unknown_is_free;        ///< unknown cells are no obstacles
    bool local;                  ///< its EODM is that of parent cells only
    uint32_t parts;              ///< BerthFieldPart, or-ed
    int64_t node_count;          ///< of the tree: leaves and grey nodes
    int64_t grey_count;          ///< nodes that are neither free, occupied nor unknown as a whole
    int64_t free_count;          ///< free leaves
    int64_t occupied_count;      ///< occupied leaves
    int64_t unknown_count;       ///< unknown leaves
    int64_t obstacle_count;      ///< leaves that are obstacles
    uint64_t occupied_cells;     ///< cells, not leaves
    uint64_t unknown_cells;      ///< cells, not leaves
    int64_t interval_count;      ///< of the EODM
    int64_t strip_count;         ///< of the EODM: between two line separators of a face
    int64_t list_count;          ///< entries of all lists
    uint64_t tree_bytes;         ///< of the tree
    uint64_t odm_bytes;          ///< of the ODM
    uint64_t eodm_bytes;         ///< of the EODM
    uint64_t dm_bytes;           ///< of the dense L1 map
    uint64_t euclid_bytes;       ///< of the dense Euclidean map
    uint64_t list_bytes;         ///< of the candidate lists
} BerthFieldInfo;
/// What is in a field.
BERTH_API BerthFieldInfo berth_field_info(const BerthField* field);

/// A leaf of the tree.
typedef struct BerthFieldLeaf {
    int32_t low[3];          ///< its first cell
    int32_t width;           ///< cells
    int32_t level;           ///< from the root (0) to the cells
    uint64_t code;           ///< `level` digits
    BerthCellColour colour;  ///< of all its cells
} BerthFieldLeaf;
/// Leaves that are not free, in the order of codes: 0 <= index < occupied_count + unknown_count. Obstacles are named by
/// this index. Out of range: all zero, level -1.
BERTH_API BerthFieldLeaf berth_field_solid_leaf(const BerthField* field, int64_t index);
/// The leaf that holds the cell; level -1 outside of the root.
BERTH_API BerthFieldLeaf berth_field_leaf_at(const BerthField* field, int32_t x, int32_t y, int32_t z);
/// The colour of a cell; UNKNOWN outside of the root.
BERTH_API BerthCellColour berth_field_colour_at(const BerthField* field, int32_t x, int32_t y, int32_t z);
/// The colours of `size` cells from cell `low` on, into `cells` as berth_field_add_block reads them: a BerthCellColour
/// each, UNKNOWN outside of the root. In the plane size[2] is 1.
BERTH_API void berth_field_read_block(const BerthField* field, const int32_t low[3], const int32_t size[3],
                                      const int64_t stride[3], uint8_t* cells);

// ---- questions ------------------------------------------------------------------------------------------------------
// Nothing below allocates. NaN and infinite values give UNKNOWN, numeric. The answers are exact: `lower` and `upper`
// differ by rounding only, and not at all where coordinates and radius are whole multiples of 1/256 of a cell and
// resolution a power of two, say.

/// The answer about one ball.
typedef struct BerthFieldAnswer {
    /// COLLISION: the nearest obstacle is at most `radius` away; FREE: proven that it is not
    BerthVerdict verdict;
    BerthReason reason;  ///< why it is UNKNOWN: NUMERIC; NONE when that is because the centre is `outside`
    /// Metres from the centre to the nearest obstacle, at least; 0 inside of one; +infinity without obstacles
    double lower;
    double upper;       ///< and at most
    BerthVec3 nearest;  ///< a nearest point of it
    int64_t obstacle;   ///< its index; -1: there is none, or it was not looked for
    /// The centre is outside of the map's size: distances are to what is inside. Never FREE: what is there is not
    /// known.
    bool outside;
    int32_t steps;  ///< nodes, intervals or candidates that were looked at
} BerthFieldAnswer;

/// The distance of the centre, and the verdict about the ball of this radius >= 0 (of the metric: an L1 ball is an
/// octahedron or a diamond). A negative radius is BERTH_ERR_ARGUMENT, and the answer is UNKNOWN.
BERTH_API BerthStatus berth_field_query(const BerthField* field, BerthMetric metric, BerthVec3 centre,
                                        double radius, BerthFieldAnswer* out);
/// Only the verdict, which is faster: FREE, COLLISION or UNKNOWN (also for a negative radius).
BERTH_API BerthVerdict berth_field_ball(const BerthField* field, BerthMetric metric, BerthVec3 centre,
                                        double radius);
/// Many balls, x y z radius each (the layout of BerthBall). COLLISION when one hits, else UNKNOWN when one is, else
/// FREE. `verdicts`, one a ball, may be null: then it stops at the first hit.
BERTH_API BerthVerdict berth_field_balls(const BerthField* field, BerthMetric metric, const double* balls,
                                         size_t count, BerthVerdict* verdicts);
/// A lower bound, metres, of the distance less the radius over all balls (x y z radius each), rounding on the safe
/// side. Where a ball is proven clear by more than `enough` that is all that is looked for; below it the bound is the
/// distance itself, less rounding. `worst` (may be null; not written when the answer is +infinity): the ball it is of.
/// Only obstacles count: a ball outside of the map is as far as they are. No balls, or no obstacles: +infinity. NaN,
/// infinite values and negative radii: -infinity.
BERTH_API double berth_field_clearance(const BerthField* field, BerthMetric metric, const double* balls,
                                       size_t count, double enough, size_t* worst);
/// All obstacles that are equally near, up to rounding, in the order of codes. Returns how many there are; at most
/// `capacity` are written. 0 for NaN and infinite coordinates.
BERTH_API int64_t berth_field_all_nearest(const BerthField* field, BerthMetric metric, BerthVec3 centre,
                                          int64_t* obstacles, int64_t capacity);

/// The gap between a posed convex shape (A) and the nearest obstacle (B), as far as [min_d, max_d] asks for it: below
/// min_d a witness is enough, above max_d that it is further is enough. `lower` holds for all obstacles, rounding on
/// the safe side; no obstacle within max_d: lower >= max_d, and upper may be +infinity. Where they overlap, lower and
/// upper are the depth in one obstacle. Fixed memory; a spent budget leaves the lower bound that was reached. In the
/// plane obstacles reach from height[0] to height[1] in z, endless when `height` is null. NaN in: -infinity to
/// +infinity.
BERTH_API BerthGap berth_field_gap(const BerthField* field, const BerthShape* shape,
                                   const BerthPose* field_from_shape, const double height[2], double min_d,
                                   double max_d, int32_t node_budget);

// ---- change ---------------------------------------------------------------------------------------------------------

/// One cell of a change.
typedef struct BerthFieldChange {
    int32_t cell[3];         ///< x, y, z
    BerthCellColour colour;  ///< from now on
} BerthFieldChange;
/// Cells change their colour; of two changes of one cell the later counts. Cells outside of the map's size are an
/// error. Nobody may ask the field meanwhile. The result equals a field that was built anew, bit for bit. On failure
/// the field is as before.
BERTH_API BerthStatus berth_field_update(BerthField* field, const BerthFieldChange* changes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
