// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The gap between two convex shapes: one labelled matrix of pair functions (gap.c), closed forms where they
// are short, GJK and EPA for the others. All pair functions work in A's frame: a_from_b is B's pose in it.

#ifndef BI_GAP_H
#define BI_GAP_H

#include <berth/shape.h>

#include "math/vec3.h"

/// As BerthGap, but points and normal are in A's frame, and lower has no slack yet for the poses themselves.
/// `stop_above`: when the gap is proven larger than this, the answer may stop at any lower bound > stop_above
/// (upper stays valid or +infinity). Use +infinity for the exact gap.
BerthGap bi_shape_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above);
/// The same for those whom only a positive gap helps: how deep shapes are in each other may be left out, `lower` is -infinity then
/// and `upper` +infinity.
BerthGap bi_shape_gap_if_apart(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                               double stop_above);

/// Farthest point of the shape along `direction` (not unit) in its own frame. Half-spaces have none.
Vec3 bi_shape_support(const BerthShape* shape, Vec3 direction);
/// A ball that contains the shape, in its frame. Half-spaces: radius +infinity.
void bi_shape_ball(const BerthShape* shape, Vec3* centre, double* radius);
/// The axis-aligned box of the shape posed by `pose`, not inflated. Half-spaces: infinite.
void bi_shape_bounds(const BerthShape* shape, const Pose* pose, Vec3* low, Vec3* high);

/// Squared distance of two triangles and the nearest points; 0 when they touch or cross, and when they are
/// nearer than rounding can tell. NaN when a coordinate is NaN or infinite.
/// Degenerate triangles (segments, points) are fine. Rounding: see docs/theory/shape.md.
double bi_triangle_distance_sq(const Vec3 a[3], const Vec3 b[3], Vec3* point_a, Vec3* point_b);
/// Squared distance of a point to a triangle, and the nearest point.
double bi_point_triangle_distance_sq(Vec3 p, const Vec3 t[3], Vec3* nearest);
/// Squared distance of segments p0p1 and q0q1, and the nearest points.
double bi_line_segments_distance_sq(Vec3 p0, Vec3 p1, Vec3 q0, Vec3 q1, Vec3* point_p, Vec3* point_q);

/// True only when the triangles are proven to be further apart than `gap` metres; false proves nothing. Faster
/// than the distance, but sees only planes along faces and pairs of edges.
bool bi_triangles_apart(const Vec3 a[3], const Vec3 b[3], double gap);

#endif
