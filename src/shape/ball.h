// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls that contain points or balls. Every function that makes one ends with a pass over all of them that
// sets the radius, rounded up: containment does not depend on the search. Points must be finite; with count =
// 0 the ball is empty. Nothing is allocated, no order is changed; docs/theory/shape.md has the ideas.

#ifndef BI_BALL_H
#define BI_BALL_H

#include "math/vec3.h"

typedef struct Ball {
    Vec3 centre;
    double radius;  ///< < 0: empty
} Ball;

/// The smallest radius around `centre` that contains every point, rounded up (by less than 16 u of itself); -1 for none,
/// infinite where a point is NaN. So is that of every maker.
double bi_ball_radius_around(Vec3 centre, const Vec3* points, int32_t count);
/// The same for balls; empty ones are left out.
double bi_ball_radius_around_balls(Vec3 centre, const Ball* balls, int32_t count);

/// The smallest ball, to rounding (some 1e-15 of the radius). A few passes over the points: O(n) for all practical sets.
Ball bi_ball_smallest(const Vec3* points, int32_t count);
/// Ritter: two passes to start, one that grows. At most some 20 % too large, usually 5.
Ball bi_ball_ritter(const Vec3* points, int32_t count);
/// The incremental rule of paper 002, repaired (errata 3.1): usually 1 to 3 % too large; O(n^2) at worst.
Ball bi_ball_incremental(const Vec3* points, int32_t count);

/// The smallest ball that contains balls, to rounding.
Ball bi_ball_of_balls(const Ball* balls, int32_t count);
/// The smallest ball that contains both, to rounding.
Ball bi_ball_merge(Ball a, Ball b);

#endif
