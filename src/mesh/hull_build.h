// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A hull under construction: which input points are its vertices (hull_flat.c, hull_qhull.c), its faces, and
// how far any input point can be outside (hull_outside.c). hull.c owns the arrays and the order of the steps.

#ifndef BI_HULL_BUILD_H
#define BI_HULL_BUILD_H

#include <berth/mesh.h>
#include "base/sort.h"

#include "shape/hull.h"

typedef struct HullBuild {
    BerthAllocator allocator;
    const Vec3* points;
    int32_t count;
    Vec3 low, high;     // bounding box
    int32_t corner[4];  // far apart: first point, farthest from it, from their line, from their plane
    int dimension;      // 0 to 3, up to rounding
    double thickness;   // 3: distance of corner 3 from the plane of the others
    int32_t* vertices;  // input indexes; capacity 2 * count
    int32_t vertex_count;
    int32_t* faces;  // 3 * face_count input indexes, outward; capacity 3 * face_capacity
    int32_t face_count, face_capacity;
    double outside;
} HullBuild;

/// Fills corner, dimension and thickness.
void bi_hull_find_dimension(HullBuild* build);
/// Vertices and `outside` of points in one plane, in cyclic order; of any points, when `outside` may be as
/// large as their thickness.
BerthStatus bi_hull_flat(HullBuild* build);
/// Vertices and outward triangles by qhull. `*flat`: it found the points too flat to begin. `*failed`: it
/// gave up, or its surface is not closed; nothing was added then.
BerthStatus bi_hull_qhull(HullBuild* build, bool* flat, bool* failed);
/// Bounds by how far an input point can be outside the hull of the vertices, whatever qhull merged.
BerthStatus bi_hull_measure_outside(HullBuild* build);

/// The face across edge k (corner k to k + 1) of each face, 3 * face_count; false when the surface is not
/// closed. `items` has room for 6 * face_count.
bool bi_hull_face_neighbours(const int32_t* faces, int32_t face_count, SortItem* items, int32_t* across);

#endif
