// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Tree: many triangles that move together. Two questions about two bodies, each a mesh, a shape, a cloud of points or
// the cells of a map: do they touch? how far apart are they (with a range and a tolerance)?

#ifndef BERTH_TREE_H
#define BERTH_TREE_H

#include <berth/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A body: one shape, one mesh, one cloud or one map, with what queries need. Constant once made; share it between
/// threads. What only some questions need of a mesh (the RSS tree of motions) is added when the first of them is prepared,
/// with the solid's allocator and under its lock.
typedef struct BerthSolid BerthSolid;

/// Copies the shape (its hull, if it has one, is borrowed until the solid is destroyed).
BERTH_API BerthStatus berth_solid_from_shape(const BerthShape* shape, const BerthAllocator* allocator,
                                             BerthSolid** out);
/// Takes the hull: it is destroyed with the solid, and on failure.
BERTH_API BerthStatus berth_solid_from_hull(BerthHull* hull, const BerthAllocator* allocator,
                                            BerthSolid** out);
/// Builds the trees. Takes the mesh: it is destroyed with the solid, and on failure.
BERTH_API BerthStatus berth_solid_from_mesh(BerthMesh* mesh, const BerthAllocator* allocator,
                                            BerthSolid** out);
/// A cloud of points, copied: 1 to 20,000,000 of them, within 1e7 m. It has no inside; a distance to it is that to the
/// nearest point, so points with a radius are an object with a radius (BerthObjectDef). A hit needs a point of it in or
/// on the other body, and is found also where a point is wholly inside a closed mesh.
BERTH_API BerthStatus berth_solid_from_points(const BerthVec3* points, int32_t count,
                                              const BerthAllocator* allocator, BerthSolid** out);
/// Frees a solid and the mesh or hull it took; null is fine.
BERTH_API void berth_solid_destroy(BerthSolid* solid);
/// The mesh it was made from; of a map the surface of its cells; of a cloud one triangle without size a point. Null for
/// a shape and a hull. Borrowed.
BERTH_API const BerthMesh* berth_solid_mesh(const BerthSolid* solid);
/// The shape it was made from (of kind BERTH_HULL for a hull), or null. Borrowed.
BERTH_API const BerthShape* berth_solid_shape(const BerthSolid* solid);
/// What a solid stands for that was made from the cells of a map (scene.h: berth_solid_from_field). Its mesh is the
/// surface of the cells that are obstacles; it is closed, and what is inside is asked of the cells.
typedef struct BerthCellsInfo {
    int32_t dim;             ///< 2: squares over a height; 3: cubes
    double resolution;       ///< metres a cell
    BerthVec3 low;           ///< smallest corner of the box that the map is about, in its frame
    BerthVec3 high;          ///< its largest corner
    uint64_t occupied;       ///< cells
    uint64_t unknown;        ///< cells, obstacles too unless
    bool unknown_is_free;    ///< they were taken as free
    bool outside_is_free;    ///< outside of the box nothing is an obstacle, by choice
    bool unseen_is_free;     ///< nothing says that the other cells are free: they are from a cloud or meshes
    bool from_open_meshes;   ///< of which only the surface is occupied
    int32_t triangle_count;  ///< of its surface
} BerthCellsInfo;
/// False when it was not made from cells. `out` may be null.
BERTH_API bool berth_solid_cells(const BerthSolid* solid, BerthCellsInfo* out);
/// Points of a cloud; 0 when it is none.
BERTH_API int32_t berth_solid_point_count(const BerthSolid* solid);
/// Bytes held, trees and mesh included.
BERTH_API size_t berth_solid_bytes(const BerthSolid* solid);

/// What a query did.
typedef struct BerthCounters {
    int64_t bv_tests;     ///< pairs of bounding volumes compared (a wide test counts each lane it compares)
    int64_t leaf_tests;   ///< pairs of triangles, or of a triangle and a shape
    int64_t shape_tests;  ///< pairs of convex shapes
} BerthCounters;

/// Scratch memory of queries: one a thread.
typedef struct BerthTreeQuery BerthTreeQuery;

/// Where a gap lies with respect to the request's [min_d, max_d].
typedef enum BerthRange {
    BERTH_RANGE_UNKNOWN =
        0,            ///< not proven: max_d is within the tolerance of the gap, or the budget was spent
    BERTH_IN_RANGE,   ///< lower > min_d, and upper <= max_d with its witness
    BERTH_BELOW_MIN,  ///< upper <= min_d, with its witness: there may be nearer points
    BERTH_ABOVE_MAX   ///< lower > max_d; no witness is promised, and upper may be infinite
} BerthRange;

/// What is known about the gap of two solids.
typedef struct BerthTreeAnswer {
    BerthVerdict verdict;  ///< COLLISION: upper <= min_d. FREE: lower > min_d. Else UNKNOWN
    BerthReason reason;    ///< why it is UNKNOWN
    BerthRange range;      ///< where the gap is with respect to the request
    double lower;          ///< the gap is at least this
    /// And at most this, by the witness points; overlapping meshes have 0 (depth is not defined for them)
    double upper;
    BerthVec3 point_a;  ///< witness of upper, in the world
    BerthVec3 point_b;  ///< witness of upper, in the world
    /// Of a COLLISION: a point of both bodies, or halfway between the witnesses of those that are apart
    BerthVec3 meeting;
    BerthVec3 normal;        ///< unit, from A to B; zero where it is not defined
    bool has_depth;          ///< overlapping convex shapes: upper is minus the depth
    bool contained;          ///< one is wholly inside the other: no surfaces cross
    int32_t triangle_a;      ///< of the witness on A; -1 for shapes
    int32_t triangle_b;      ///< of the witness on B; -1 for shapes
    BerthCounters counters;  ///< what the query did
} BerthTreeAnswer;

/// What is wanted. Start from berth_default_tree_request().
typedef struct BerthTreeRequest {
    /// Nearer than this need not be told apart: the answer may stop at upper <= min_d. Default 0
    double min_d;
    /// Farther than this need not be told apart: the answer may stop at lower > max_d. Default inf.
    double max_d;
    /// Relative: stop when lower >= upper / (1 + tolerance). 0 is exact. Paper 002's error tolerance alpha, with (1 -
    /// alpha) upper <= gap <= upper, is tolerance = alpha / (1 - alpha). It is taken of what the gap has above min_d,
    /// so that min_d is always decided; a gap beyond (1 + tolerance) max_d is certified to be above max_d.
    double tolerance;
    /// Triangle caching: an earlier answer about the same two solids, or null. Its triangles are measured first, which
    /// cuts most of the search when little has moved. Never changes a verdict; may change which of equal witnesses is
    /// told.
    const BerthTreeAnswer* last;
} BerthTreeRequest;

/// Scratch memory for one thread; a query opens at most `node_budget` (> 0) tree nodes, else it answers UNKNOWN,
/// budget.
BERTH_API BerthStatus berth_tree_query_create(int32_t node_budget, const BerthAllocator* allocator,
                                              BerthTreeQuery** out);
/// Frees it; null is fine.
BERTH_API void berth_tree_query_destroy(BerthTreeQuery* query);
/// The request to start from: the whole range, exact.
BERTH_API BerthTreeRequest berth_default_tree_request(void);
/// Do they touch (gap <= margin)? Stops at the first witness.
BERTH_API BerthTreeAnswer berth_tree_collide(BerthTreeQuery* query, const BerthSolid* a,
                                             const BerthPose* world_from_a, const BerthSolid* b,
                                             const BerthPose* world_from_b, double margin);
/// The gap, within the request's range and tolerance. `request` must not be null.
BERTH_API BerthTreeAnswer berth_tree_distance(BerthTreeQuery* query, const BerthSolid* a,
                                              const BerthPose* world_from_a, const BerthSolid* b,
                                              const BerthPose* world_from_b, const BerthTreeRequest* request);
#ifdef __cplusplus
}
#endif
#endif
