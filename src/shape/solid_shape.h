// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Shapes as solids: corners, mass, inertia.

#ifndef BI_SOLID_SHAPE_H
#define BI_SOLID_SHAPE_H

#include <berth/shape.h>

#include "math/vec3.h"

/// Corners of a shape that is a polyhedron or taken as one, in its frame: cylinders and cones are prisms and pyramids of
/// `sides` sides around them. 0: it is none. `out` has room for 512.
int32_t bi_shape_corners(const BerthShape* shape, int32_t sides, Vec3* out);

/// Mass of the ball or capsule around a segment, of density 1, and its inertia about its middle.
double bi_round_mass(const Vec3* from, const Vec3* to, double r, Vec3 inertia[3]);
/// Volume, first and second moments (xx, yy, zz, xy, yz, zx) about a point, of tetrahedra that start there.
typedef struct SolidMoments {
    double volume;
    Vec3 first;
    double second[6];
} SolidMoments;
/// Adds the tetrahedron with three corners, counter-clockwise from outside, relative to the point.
void bi_moments_add(SolidMoments* sum, Vec3 a, Vec3 b, Vec3 c);
/// Returns the centroid, relative to the point; and the inertia about it, of density 1.
Vec3 bi_moments_inertia(const SolidMoments* sum, Vec3 inertia[3]);
/// Adds what an inertia about a centroid is more about a point that is `d` away.
void bi_inertia_move(Vec3 inertia[3], double mass, Vec3 d);
/// The inverse of a symmetric matrix of columns. False: it has none.
bool bi_inertia_invert(const Vec3 m[3], Vec3 out[3]);

#endif
