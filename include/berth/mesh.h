// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Mesh: triangle meshes and what is known about their surfaces; convex hulls of points.

#ifndef BERTH_MESH_H
#define BERTH_MESH_H

#include <berth/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A welded triangle mesh, with what is known about its surface. Constant once built; may be shared between
/// threads.
typedef struct BerthMesh BerthMesh;

/// What is known about the surface of a mesh.
typedef struct BerthMeshInfo {
    int32_t vertex_count;    ///< after welding
    int32_t triangle_count;  ///< left after dropping
    /// Triangles that were dropped: they named a vertex twice, or their corners lie on a line
    int32_t degenerate_count;
    /// Of those that named a vertex twice: lines and points that are on no edge of another triangle
    int32_t lost_count;
    int32_t duplicate_count;  ///< triangles that were dropped because they occurred twice
    int32_t open_edge_count;  ///< edges that are not shared by exactly two triangles in opposite directions
    int32_t component_count;  ///< connected pieces of surface
    bool watertight;          ///< closed: the mesh is a solid, and a body wholly inside it collides
    /// Watertight, one component, equal to its own hull; large meshes are not tested (see berth_mesh_create)
    bool convex;
    BerthVec3 low;   ///< smallest coordinates
    BerthVec3 high;  ///< largest coordinates
    double volume;   ///< of a watertight mesh, m3; otherwise 0
    double area;     ///< of all triangles, m2
} BerthMeshInfo;

/// Welds equal vertices, drops degenerate and duplicate triangles and determines whether the surface is
/// closed. Both arrays are copied; `triangles` holds 3 * triangle_count indexes. Refuses coordinates that are
/// NaN, infinite or beyond 1e7 m, indexes out of range, more than 20 million triangles, and none (also when
/// none is left). Above 2^27 pairs of a face and a vertex (about 16,000 triangles) convexity is not tested,
/// and `convex` is false.
BERTH_API BerthStatus berth_mesh_create(const BerthVec3* vertices, int32_t vertex_count,
                                        const int32_t* triangles, int32_t triangle_count,
                                        const BerthAllocator* allocator, BerthMesh** out);
/// Frees a mesh; null is fine.
BERTH_API void berth_mesh_destroy(BerthMesh* mesh);
/// What was found out about the surface when the mesh was made.
BERTH_API BerthMeshInfo berth_mesh_info(const BerthMesh* mesh);
/// vertex_count points, borrowed from the mesh.
BERTH_API const BerthVec3* berth_mesh_vertices(const BerthMesh* mesh);
/// 3 * triangle_count vertex indexes, borrowed from the mesh; wound outward when it is watertight.
BERTH_API const int32_t* berth_mesh_triangles(const BerthMesh* mesh);

/// The convex hull of `count` points (at least 1; copied; coplanar, collinear and coincident points are
/// fine). Rounding may leave input points slightly outside the hull; the largest such distance is measured
/// and subtracted from the lower bound of every gap.
BERTH_API BerthStatus berth_hull_create(const BerthVec3* points, int32_t count,
                                        const BerthAllocator* allocator, BerthHull** out);
/// Frees a hull; null is fine.
BERTH_API void berth_hull_destroy(BerthHull* hull);
/// Its vertices, `*count` of them, borrowed from the hull.
BERTH_API const BerthVec3* berth_hull_vertices(const BerthHull* hull, int32_t* count);
/// Its faces as triangles: 3 * `*count` vertex indexes, wound outward, borrowed. None when the hull is flat,
/// a line or one point.
BERTH_API const int32_t* berth_hull_faces(const BerthHull* hull, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
