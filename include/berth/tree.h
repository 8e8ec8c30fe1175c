// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Tree: many triangles that move together. Two questions about two bodies, each of them a mesh, a shape, a
// cloud of points or the cells of a map: do they touch? how far apart are they (within a range and a
// tolerance)?

#ifndef BERTH_TREE_H
#define BERTH_TREE_H

#include <berth/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A body - one shape, one mesh, one cloud or one map - with what queries need. Constant once built; may be
/// shared between threads. What only some queries need of a mesh (the RSS tree of motions) is added when the
/// first of them is prepared, with the solid's allocator and under its lock.
typedef struct BerthSolid BerthSolid;

/// Copies the shape. If it has a hull, that is borrowed until the solid is destroyed.
BERTH_API BerthStatus berth_solid_from_shape(const BerthShape* shape, const BerthAllocator* allocator,
                                             BerthSolid** out);
/// Takes ownership of the hull: it is destroyed with the solid, and on failure.
BERTH_API BerthStatus berth_solid_from_hull(BerthHull* hull, const BerthAllocator* allocator,
                                            BerthSolid** out);
/// Builds the trees. Takes ownership of the mesh: it is destroyed with the solid, and on failure.
BERTH_API BerthStatus berth_solid_from_mesh(BerthMesh* mesh, const BerthAllocator* allocator,
                                            BerthSolid** out);
/// A cloud of points, copied: 1 to 20,000,000 of them, within 1e7 m. A cloud has no inside; its distance is
/// that of the nearest point. To give points a radius, make an object with a radius (BerthObjectDef). A cloud
/// collides when one of its points is in or on the other body; a point wholly inside a closed mesh is found
/// too.
BERTH_API BerthStatus berth_solid_from_points(const BerthVec3* points, int32_t count,
                                              const BerthAllocator* allocator, BerthSolid** out);
/// Frees a solid and the mesh or hull that it owns; null is fine.
BERTH_API void berth_solid_destroy(BerthSolid* solid);
/// The mesh that it was made from; for a map, the surface of its cells; for a cloud, one triangle of no size
/// per point. Null for a shape and for a hull. Borrowed.
BERTH_API const BerthMesh* berth_solid_mesh(const BerthSolid* solid);
/// The shape that it was made from (of kind BERTH_HULL for a hull), or null. Borrowed.
BERTH_API const BerthShape* berth_solid_shape(const BerthSolid* solid);
/// What is known about a solid that was made from the cells of a map (scene.h: berth_solid_from_field). Its
/// mesh is the surface of the obstacle cells and is closed; whether a point is inside is looked up in the
/// cells.
typedef struct BerthCellsInfo {
    int32_t dim;           ///< 2: squares over a height; 3: cubes
    double resolution;     ///< metres a cell
    BerthVec3 low;         ///< smallest corner of the box that the map covers, in its frame
    BerthVec3 high;        ///< its largest corner
    uint64_t occupied;     ///< occupied cells
    uint64_t unknown;      ///< unknown cells, which are obstacles too unless
    bool unknown_is_free;  ///< they were taken as free
    bool outside_is_free;  ///< outside the box nothing is an obstacle, by the caller's choice
    bool unseen_is_free;   ///< the map is from a cloud or meshes: nothing shows that its other cells are free
    bool from_open_meshes;   ///< it is from open meshes, of which only the surface is occupied
    int32_t triangle_count;  ///< of its surface
} BerthCellsInfo;
/// False when the solid was not made from cells. `out` may be null.
BERTH_API bool berth_solid_cells(const BerthSolid* solid, BerthCellsInfo* out);
/// Points of a cloud; 0 for any other solid.
BERTH_API int32_t berth_solid_point_count(const BerthSolid* solid);
/// Bytes held, trees and mesh included.
BERTH_API size_t berth_solid_bytes(const BerthSolid* solid);

/// The work of a query.
typedef struct BerthCounters {
    /// Pairs of bounding volumes compared (a wide test counts every lane that it compares)
    int64_t bv_tests;
    int64_t leaf_tests;   ///< pairs of triangles, or of a triangle and a shape
    int64_t shape_tests;  ///< pairs of convex shapes
} BerthCounters;

/// Scratch memory of queries: one per thread.
typedef struct BerthTreeQuery BerthTreeQuery;

/// Where a gap lies relative to the request's [min_d, max_d].
typedef enum BerthRange {
    /// Not proven: max_d is within the tolerance of the gap, or the budget was spent
    BERTH_RANGE_UNKNOWN = 0,
    BERTH_IN_RANGE,   ///< lower > min_d and upper <= max_d, with a witness of upper
    BERTH_BELOW_MIN,  ///< upper <= min_d, with a witness; nearer points may exist
    BERTH_ABOVE_MAX   ///< lower > max_d; a witness is not promised, and upper may be infinite
} BerthRange;

/// Bounds of the gap of two solids.
typedef struct BerthTreeAnswer {
    BerthVerdict verdict;  ///< COLLISION: upper <= min_d. FREE: lower > min_d. Otherwise UNKNOWN
    BerthReason reason;    ///< why it is UNKNOWN
    BerthRange range;      ///< where the gap lies relative to the request
    double lower;          ///< the gap is at least this
    /// The gap is at most this, by the witness points; 0 for overlapping meshes (their depth is not defined)
    double upper;
    BerthVec3 point_a;  ///< witness of upper, in the world
    BerthVec3 point_b;  ///< witness of upper, in the world
    /// Of a COLLISION: a point of both bodies, or the midpoint of the witnesses when the bodies are apart
    BerthVec3 meeting;
    BerthVec3 normal;        ///< unit, from A to B; zero when it is not defined
    bool has_depth;          ///< overlapping convex shapes: upper is minus the depth
    bool contained;          ///< one body is wholly inside the other: the surfaces do not cross
    int32_t triangle_a;      ///< of the witness on A; -1 for shapes
    int32_t triangle_b;      ///< of the witness on B; -1 for shapes
    BerthCounters counters;  ///< the work of the query
} BerthTreeAnswer;

/// What is asked for. Start from berth_default_tree_request().
typedef struct BerthTreeRequest {
    double min_d;  ///< gaps below this need not be resolved: the search may stop at upper <= min_d. Default 0
    /// Gaps above this need not be resolved: the search may stop at lower > max_d. Default infinity
    double max_d;
    /// Relative: the search stops when lower >= upper / (1 + tolerance). 0 is exact. Paper 002's error
    /// tolerance alpha, with (1 - alpha) upper <= gap <= upper, is tolerance = alpha / (1 - alpha). It
    /// applies to the part of the gap above min_d, so that min_d is always decided; a gap beyond (1 +
    /// tolerance) max_d is certified to be above max_d.
    double tolerance;
    /// Triangle caching: an earlier answer about the same two solids, or null. Its triangles are measured
    /// first, which saves most of the search when little has moved. Never changes a verdict; may change which
    /// of several equal witnesses is reported.
    const BerthTreeAnswer* last;
} BerthTreeRequest;

/// Scratch memory for one thread. A query opens at most `node_budget` (> 0) tree nodes; beyond that it
/// answers UNKNOWN, budget.
BERTH_API BerthStatus berth_tree_query_create(int32_t node_budget, const BerthAllocator* allocator,
                                              BerthTreeQuery** out);
/// Frees a query; null is fine.
BERTH_API void berth_tree_query_destroy(BerthTreeQuery* query);
/// The request to start from: the whole range, exact.
BERTH_API BerthTreeRequest berth_default_tree_request(void);
/// Do the solids touch (gap <= margin, metres)? Stops at the first witness.
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
