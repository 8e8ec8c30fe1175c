// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Convex hulls: vertices for support functions, neighbours for hill climbing, faces for containment.

#ifndef BI_HULL_H
#define BI_HULL_H

#include <berth/shape.h>

#include "base/base.h"
#include "math/vec3.h"

/// More points are refused.
#define BI_HULL_POINTS_MAX 60000000

struct BerthHull {
    BerthAllocator allocator;
    int32_t vertex_count;
    int32_t face_count;       // triangles; 0 when the points are flat, straight or one
    int32_t neighbour_count;  // total entries of `neighbours`
    double outside;  // no input point is further than this outside (qhull's max_outside and rounding)
    Vec3 centre;     // a point inside, and
    double radius;   // the vertices are within this of it
    Vec3* vertices;
    int32_t* faces;            // 3 * face_count, outward
    int32_t* first_neighbour;  // vertex_count + 1 offsets into
    int32_t* neighbours;       // vertices that share an edge; empty when vertex_count is small
};

#endif
