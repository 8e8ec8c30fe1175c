// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Field: sensed space as a quadtree (dim 2) or octree (dim 3) of free, occupied and unknown cells, and maps
// over it that give the distance of the nearest obstacle: nodal separation (ODM), perimeter functions (EODM),
// dense maps (DM), candidate lists.
//
// Words. A *cell* is the smallest cube, `resolution` metres wide; cell (i, j, k) is the closed cube from
// origin + resolution * (i, j, k) to origin + resolution * (i+1, j+1, k+1). In the plane (dim 2) only x and y
// count and z is ignored. The tree's root is 2^levels cells wide. An *obstacle* is a maximal tree node of one
// colour: occupied or, by choice, unknown. Sets are closed: touching is collision. A *code* is a Morton code:
// bit 3b of it is bit b of x, bit 3b+1 of y, bit 3b+2 of z (in the plane 2b and 2b+1). A node's level counts
// from the root (0) to the cells (`levels`); its code has `level` digits and is the code of its first cell
// shifted right by dim * (levels - level).

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

/// A map of space. Constant once built; may be shared between threads. Only berth_field_update changes it,
/// and nothing may query it meanwhile.
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

/// What is built over the tree; combined with |. The tree itself is always built.
typedef enum BerthFieldPart {
    BERTH_FIELD_ODM = 1,        ///< least and greatest separation of every free node
    BERTH_FIELD_EODM = 2,       ///< perimeter functions of every free node
    BERTH_FIELD_DM = 4,         ///< L1 distance of cells, dense
    BERTH_FIELD_EUCLID = 8,     ///< Euclidean distance of cells, dense
    BERTH_FIELD_LISTS = 16,     ///< candidates for the nearest obstacle of every free node, for L2
    BERTH_FIELD_ALL_PARTS = 31  ///< every part
} BerthFieldPart;

/// How distances are measured.
typedef enum BerthMetric {
    BERTH_METRIC_L2 = 0,  ///< Euclidean: balls are round
    BERTH_METRIC_L1,      ///< sum of absolute differences: balls are octahedra
    BERTH_METRIC_COUNT    ///< how many there are
} BerthMetric;
/// "l2", "l1".
BERTH_API const char* berth_metric_name(BerthMetric metric);

/// Start from berth_default_field_def().
typedef struct BerthFieldDef {
    int32_t dim;        ///< 2 or 3
    int32_t levels;     ///< 0 to 16: the root is 2^levels cells wide
    double resolution;  ///< metres per cell, > 0; default 1
    BerthVec3 origin;   ///< the corner of cell (0, 0, 0), metres
    int32_t size[3];    ///< cells that the map covers, from cell 0 on, each <= 2^levels; 0: the whole root
    BerthCellColour background;  ///< of cells that nothing was added to: FREE (the default) or UNKNOWN
    bool unknown_is_free;        ///< false: unknown cells are obstacles
    uint32_t parts;              ///< BerthFieldPart, combined with |
    /// EODM relative to the parent cell only: faster to build, slower to query (all ancestors are looked at)
    bool local;
    /// Most bytes of the tree while it is built, and of the tree and all parts together; 0: 4 GB. More is
    /// BERTH_ERR_MEMORY, before anything is taken, with a text that says how much is needed
    size_t memory_limit;
    /// Called from time to time while things are added and parts are built; false ends the work with
    /// BERTH_ERR_CANCELLED. `share` goes from 0 to 1. May be null
    bool (*progress)(void* user, double share);
    void* progress_user;       ///< passed to `progress`
    BerthAllocator allocator;  ///< all zero: the C library's heap
    uint32_t stamp;            ///< set by the default function; ties the def to this library version
} BerthFieldDef;
/// The def to start from: dim 3, cells of 1 m, free background, unknown cells are obstacles, no parts.
BERTH_API BerthFieldDef berth_default_field_def(void);

/// The smallest number of levels such that 2^levels >= each of the (dim) sizes; -1 when it exceeds 16 or a
/// size is < 1.
BERTH_API int32_t berth_field_levels_for(int32_t dim, const int32_t size[3]);

// ---- building ---------------------------------------------------------------------------------------------
// What is added later overrides what was added before. Everything must lie within the map's size, otherwise
// BERTH_ERR_ARGUMENT; only points and meshes may reach beyond it, and are clipped. A failed call may have
// added nothing or a part; the builder stays usable.

/// An empty builder for a map of this size.
BERTH_API BerthStatus berth_field_builder_create(const BerthFieldDef* def, BerthFieldBuilder** out);
/// Frees a builder; null is fine. Fields built with it stay.
BERTH_API void berth_field_builder_destroy(BerthFieldBuilder* builder);
/// Adds one cell; z is ignored in the plane.
BERTH_API BerthStatus berth_field_add_cell(BerthFieldBuilder* builder, int32_t x, int32_t y, int32_t z,
                                           BerthCellColour colour);
/// Adds the cells with low <= cell < high on each axis (z is ignored in the plane).
BERTH_API BerthStatus berth_field_add_box(BerthFieldBuilder* builder, const int32_t low[3],
                                          const int32_t high[3], BerthCellColour colour);
/// Adds a block of `size` cells from cell `low` on: cell low + (i, j, k) is cells[i * stride[0] + j *
/// stride[1] + k * stride[2]], a BerthCellColour. An image is a block in the plane: size[2] = 1, stride[2] =
/// 0.
BERTH_API BerthStatus berth_field_add_block(BerthFieldBuilder* builder, const uint8_t* cells,
                                            const int32_t size[3], const int64_t stride[3],
                                            const int32_t low[3]);
/// Adds points, in metres: the cells that contain them become occupied, and with `radius` > 0 all cells that
/// a ball around one of them touches. Points with NaN or infinite coordinates, and those further than
/// `radius` outside the map along some axis, are left out and counted in `dropped` (may be null). In the
/// plane z is ignored.
BERTH_API BerthStatus berth_field_add_points(BerthFieldBuilder* builder, const BerthVec3* points,
                                             size_t count, double radius, size_t* dropped);
/// Adds a mesh, as a solid when it is watertight, else its surface: every cell that it touches becomes
/// occupied (closed sets, rounded outward: a face on the border of two cells takes both). Only for dim 3.
BERTH_API BerthStatus berth_field_add_mesh(BerthFieldBuilder* builder, const BerthMesh* mesh,
                                           const BerthPose* field_from_mesh);
/// Builds the field; the builder stays as it is and may be used again.
BERTH_API BerthStatus berth_field_build(BerthFieldBuilder* builder, BerthField** out);
/// Frees a field; null is fine.
BERTH_API void berth_field_destroy(BerthField* field);

// ---- contents ---------------------------------------------------------------------------------------------

/// The contents of a field.
typedef struct BerthFieldInfo {
    int32_t dim;                 ///< 2 or 3
    int32_t levels;              ///< the root is 2^levels cells wide
    double resolution;           ///< metres per cell
    BerthVec3 origin;            ///< corner of cell (0, 0, 0)
    int32_t size[3];             ///< cells that the map covers
    BerthCellColour background;  ///< of cells that nothing was added to
    bool unknown_is_free;        ///< unknown cells are not obstacles
    bool local;                  ///< its EODM is relative to parent cells only
    uint32_t parts;              ///< BerthFieldPart, combined with |
    int64_t node_count;          ///< of the tree: leaves and grey nodes
    int64_t grey_count;          ///< nodes of mixed colour
    int64_t free_count;          ///< free leaves
    int64_t occupied_count;      ///< occupied leaves
    int64_t unknown_count;       ///< unknown leaves
    int64_t obstacle_count;      ///< leaves that are obstacles
    uint64_t occupied_cells;     ///< cells, not leaves
    uint64_t unknown_cells;      ///< cells, not leaves
    int64_t interval_count;      ///< of the EODM
    int64_t strip_count;         ///< of the EODM: between two line separators of a face
    int64_t list_count;          ///< entries of all candidate lists
    uint64_t tree_bytes;         ///< of the tree
    uint64_t odm_bytes;          ///< of the ODM
    uint64_t eodm_bytes;         ///< of the EODM
    uint64_t dm_bytes;           ///< of the dense L1 map
    uint64_t euclid_bytes;       ///< of the dense Euclidean map
    uint64_t list_bytes;         ///< of the candidate lists
} BerthFieldInfo;
/// The contents of a field.
BERTH_API BerthFieldInfo berth_field_info(const BerthField* field);

/// A leaf of the tree.
typedef struct BerthFieldLeaf {
    int32_t low[3];          ///< its first cell
    int32_t width;           ///< cells
    int32_t level;           ///< from the root (0) to the cells (`levels`)
    uint64_t code;           ///< `level` digits
    BerthCellColour colour;  ///< of all its cells
} BerthFieldLeaf;
/// Leaves that are not free, in the order of their codes: 0 <= index < occupied_count + unknown_count.
/// Obstacles are identified by this index. Out of range: all zero, level -1.
BERTH_API BerthFieldLeaf berth_field_solid_leaf(const BerthField* field, int64_t index);
/// The leaf that contains the cell; level -1 outside the root.
BERTH_API BerthFieldLeaf berth_field_leaf_at(const BerthField* field, int32_t x, int32_t y, int32_t z);
/// The colour of a cell; UNKNOWN outside the root.
BERTH_API BerthCellColour berth_field_colour_at(const BerthField* field, int32_t x, int32_t y, int32_t z);
/// Writes the colours of `size` cells from cell `low` on into `cells`, in the layout of
/// berth_field_add_block; UNKNOWN outside the root. In the plane size[2] is 1.
BERTH_API void berth_field_read_block(const BerthField* field, const int32_t low[3], const int32_t size[3],
                                      const int64_t stride[3], uint8_t* cells);

// ---- questions --------------------------------------------------------------------------------------------
// Nothing below allocates. NaN and infinite values give UNKNOWN, numeric. The answers are exact: `lower` and
// `upper` differ by rounding only, and not at all where, for example, coordinates and radius are multiples of
// 1/256 of a cell and the resolution is a power of two.

/// The answer about one ball.
typedef struct BerthFieldAnswer {
    /// COLLISION: the nearest obstacle is at most `radius` away; FREE: it is proven to be further away
    BerthVerdict verdict;
    BerthReason reason;  ///< why it is UNKNOWN: NUMERIC; NONE when the centre is `outside`
    /// The distance from the centre to the nearest obstacle is at least this, metres; 0 inside an obstacle;
    /// +infinity without obstacles
    double lower;
    double upper;       ///< and at most this
    BerthVec3 nearest;  ///< the point of an obstacle that is nearest to the centre
    int64_t obstacle;   ///< the index of that obstacle; -1: there is none, or it was not looked for
    /// The centre is outside the map's size: distances are to the obstacles inside. Never FREE, since nothing
    /// is known about that place
    bool outside;
    int32_t steps;  ///< nodes, intervals or candidates that were visited
} BerthFieldAnswer;

/// The distance of the centre, and the verdict about the ball of this radius >= 0 in this metric (an L1 ball
/// is an octahedron, in the plane a diamond). A negative radius is BERTH_ERR_ARGUMENT, and the answer is
/// UNKNOWN.
BERTH_API BerthStatus berth_field_query(const BerthField* field, BerthMetric metric, BerthVec3 centre,
                                        double radius, BerthFieldAnswer* out);
/// The verdict alone, which is faster: FREE, COLLISION or UNKNOWN (also for a negative radius).
BERTH_API BerthVerdict berth_field_ball(const BerthField* field, BerthMetric metric, BerthVec3 centre,
                                        double radius);
/// Many balls, x y z radius each (the layout of BerthBall). COLLISION when one collides, else UNKNOWN when
/// one is unknown, else FREE. `verdicts`, one per ball, may be null: the search then ends at the first
/// collision.
BERTH_API BerthVerdict berth_field_balls(const BerthField* field, BerthMetric metric, const double* balls,
                                         size_t count, BerthVerdict* verdicts);
/// A lower bound of the smallest distance minus radius over all balls (x y z radius each), metres, safe
/// against rounding. For a ball that is proven clear by more than `enough` nothing better is looked for;
/// below that the bound is the distance itself, less rounding. `worst` (may be null; not written when the
/// result is +infinity) receives the ball that the bound belongs to. Only obstacles count: for a ball outside
/// the map the distance is that to the obstacles inside. No balls, or no obstacles: +infinity. NaN, infinite
/// values and negative radii: -infinity.
BERTH_API double berth_field_clearance(const BerthField* field, BerthMetric metric, const double* balls,
                                       size_t count, double enough, size_t* worst);
/// All obstacles at the smallest distance, up to rounding, in the order of codes. Returns how many there are;
/// at most `capacity` are written. 0 for NaN and infinite coordinates.
BERTH_API int64_t berth_field_all_nearest(const BerthField* field, BerthMetric metric, BerthVec3 centre,
                                          int64_t* obstacles, int64_t capacity);

/// The gap between a posed convex shape (A) and the nearest obstacle (B), resolved within [min_d, max_d]:
/// below min_d any witness will do, and above max_d a proof that it is further away. `lower` holds for all
/// obstacles and is safe against rounding; without an obstacle within max_d, lower >= max_d and upper may be
/// +infinity. Where they overlap, lower and upper are the depth in one obstacle. Memory is fixed; when
/// `node_budget` is spent, the lower bound reached so far is returned. In the plane obstacles extend from
/// height[0] to height[1] in z, without end when `height` is null. NaN gives -infinity to +infinity.
BERTH_API BerthGap berth_field_gap(const BerthField* field, const BerthShape* shape,
                                   const BerthPose* field_from_shape, const double height[2], double min_d,
                                   double max_d, int32_t node_budget);

// ---- change -----------------------------------------------------------------------------------------------

/// One cell of a change.
typedef struct BerthFieldChange {
    int32_t cell[3];         ///< x, y, z
    BerthCellColour colour;  ///< the new one
} BerthFieldChange;
/// Changes the colours of cells; of two changes of one cell the later one counts. Cells outside the map's
/// size are an error. Nothing may query the field meanwhile. The result equals a newly built field bit for
/// bit. On failure the field is as before.
BERTH_API BerthStatus berth_field_update(BerthField* field, const BerthFieldChange* changes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
