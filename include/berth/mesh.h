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

/// A triangle mesh, welded, with what is known about its surface. Constant once made.
typedef struct BerthMesh BerthMesh;

/// What is known about a mesh.
typedef struct BerthMeshInfo {
    int32_t vertex_count;      ///< after welding
    int32_t triangle_count;    ///< that are left
    int32_t degenerate_count;  ///< triangles that named a point twice, or lay on a line, and were dropped
    int32_t
        lost_count;  ///< of those that named a point twice: lines and points that are on no edge of another triangle
    int32_t duplicate_count;  ///< triangles that were there twice and were dropped
    int32_t open_edge_count;  ///< edges that are not shared by exactly two triangles in opposite directions
    int32_t component_count;  ///< connected pieces of surface
    bool watertight;          ///< closed: it is solid, and what is wholly inside it collides
    bool convex;     ///< watertight, one piece and its own hull; not looked for in large meshes (see below)
    BerthVec3 low;   ///< smallest coordinates
    BerthVec3 high;  ///< largest coordinates
    double volume;   ///< of a watertight mesh, m3; else 0
    double area;     ///< of all triangles, m2
} BerthMeshInfo;

/// Welds equal vertices, drops degenerate and duplicate triangles, finds out whether the surface is closed. Both arrays
/// are copied; `triangles` holds 3 * triangle_count indexes. Refuses NaN, infinite and > 1e7 m coordinates, indexes out
/// of range, no triangles (also when none is left) and more than 20 million. Above 2^27 pairs of a face and a vertex
/// (some 16,000 triangles) a mesh is not called convex.
BERTH_API BerthStatus berth_mesh_create(const BerthVec3* vertices, int32_t vertex_count,
                                        const int32_t* triangles, int32_t triangle_count,
                                        const BerthAllocator* allocator, BerthMesh** out);
/// Frees a mesh; null is fine.
BERTH_API void berth_mesh_destroy(BerthMesh* mesh);
/// What was found out about the surface.
BERTH_API BerthMeshInfo berth_mesh_info(const BerthMesh* mesh);
/// vertex_count points, borrowed from the mesh.
BERTH_API const BerthVec3* berth_mesh_vertices(const BerthMesh* mesh);
/// 3 * triangle_count vertex indexes, outward winding when watertight.
BERTH_API const int32_t* berth_mesh_triangles(const BerthMesh* mesh);

/// The hull of `count` points (at least 1, copied; flat, straight and single-point sets are fine). Rounding may leave
/// points of the input a little outside of it; how far at most is measured, and taken off the lower bound of every gap.
BERTH_API BerthStatus berth_hull_create(const BerthVec3* points, int32_t count,
                                        const BerthAllocator* allocator, BerthHull** out);
/// Frees a hull; null is fine.
BERTH_API void berth_hull_destroy(BerthHull* hull);
/// Its corners, `*count` of them, borrowed from the hull.
BERTH_API const BerthVec3* berth_hull_vertices(const BerthHull* hull, int32_t* count);
/// Its faces as triangles: 3 * `*count` indexes of corners, wound outward, borrowed. None when it is flat, straight or one point.
BERTH_API const int32_t* berth_hull_faces(const BerthHull* hull, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
