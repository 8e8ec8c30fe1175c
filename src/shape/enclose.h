// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Simple convex bodies around points: a capsule, a box. The result contains the input: the last step of each
// fit measures all points and rounds up, whatever the search did before.

#ifndef BI_SHAPE_ENCLOSE_H
#define BI_SHAPE_ENCLOSE_H

#include <berth/shape.h>

#include "shape/ball.h"

/// A capsule: all points within `radius` of the segment.
typedef struct Capsule {
    Vec3 end[2];
    double radius;
} Capsule;

/// A small capsule around balls (points have radius 0). Scratch has room for `count` balls. Volume is what is made small.
Capsule bi_capsule_around(const Ball* balls, int32_t count, Ball* scratch);
double bi_capsule_volume(const Capsule* capsule);

/// Points whose hull, each with its radius, contains the posed shape: none for half-spaces. Circles are enclosed in polygons.
typedef void ShapePoint(void* user, Ball point);
void bi_shape_each_enclosing_point(const BerthShape* shape, const Pose* pose, ShapePoint* take, void* user);
/// The same into an array. Returns how many there are; at most `capacity` are written.
int32_t bi_shape_points(const BerthShape* shape, const Pose* pose, Ball* out, int32_t capacity);

/// A small box around balls: centre and axes in `pose`.
BerthShape bi_box_around(const Ball* balls, int32_t count, Pose* pose);

/// The capsule as a shape and its pose.
BerthShape bi_capsule_shape(const Capsule* capsule, Pose* pose);

#endif
