// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A mesh under construction: weld (weld.c), then topology (topology.c), then solid (solid.c). Each step only
// ever shrinks the contents of the arrays; mesh.c owns them and their order.

#ifndef BI_MESH_BUILD_H
#define BI_MESH_BUILD_H

#include "base/sort.h"
#include "mesh/mesh.h"

typedef struct MeshBuild {
    BerthAllocator allocator;
    BerthMeshInfo info;  // counts of what was dropped and found; vertex_count and triangle_count are live
    Vec3* vertices;      // vertex_capacity of them
    int32_t* triangles;  // 3 * triangle_capacity
    int32_t* component;  // triangle_capacity: of each triangle, in order of first appearance
    int32_t vertex_capacity, triangle_capacity;
    int32_t threads;       // at most; the result is the same for any number of them
    int32_t sorted_count;  // times that hash tables filled badly and sorting had to do: for tests
} MeshBuild;

/// Makes vertices with equal coordinates one (first one stays, -0 becomes 0), then drops triangles that name
/// a vertex twice, and all but the first of triangles with the same corners in the same cyclic order.
BerthStatus bi_mesh_weld(MeshBuild* build);
/// Finds pieces and open edges; when there are none, drops triangles on a line that kept neighbours cover.
BerthStatus bi_mesh_topology(MeshBuild* build);
/// Of a watertight mesh: turns pieces that are inside out, unless they are cavities; volume.
BerthStatus bi_mesh_turn_outward(MeshBuild* build);
/// Drops vertices that no triangle names; the array has exactly the size that is left then.
BerthStatus bi_mesh_compact(MeshBuild* build);
/// Area and bounding box; true convexity of a watertight mesh of one piece.
void bi_mesh_measure(MeshBuild* build);

/// True when the three points are exactly on one line (or too small to tell: then false). No rounding: sums
/// of products are kept whole.
bool bi_points_on_line(Vec3 a, Vec3 b, Vec3 c);

/// What one ray shows about a point and triangles.
typedef struct RayCount {
    int32_t winding;
    bool sure;  // false: the ray passed too near an edge, or the point is too near the surface
} RayCount;
/// Adds the signed crossings of the ray from p along direction `index` (0..BI_RAY_COUNT-1) with one triangle.
/// Does nothing once `count->sure` is false.
void bi_ray_add_crossings(Vec3 p, int32_t index, const Vec3 t[3], RayCount* count);
#define BI_RAY_COUNT 16

#endif
