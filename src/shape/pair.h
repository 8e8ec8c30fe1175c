// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Pair functions of the matrix in gap.c, and what they share. Each handles the kinds in its name, A first;
// all in A's frame. `scale` bounds the coordinates of both bodies in A's frame.

#ifndef BI_PAIR_H
#define BI_PAIR_H

#include "shape/core.h"

typedef BerthGap (*PairGap)(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                            double stop_above);

/// A sphere against sphere, capsule, box, cylinder, cone, triangle, and the other way round.
BerthGap bi_sphere_any_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above);
BerthGap bi_any_sphere_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above);
/// Two of capsule and triangle.
BerthGap bi_thin_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above);
BerthGap bi_box_box_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above);
/// Anything but a half-space against a half-space, the other way round, and two half-spaces.
BerthGap bi_any_halfspace_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                              double stop_above);
BerthGap bi_halfspace_any_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                              double stop_above);
BerthGap bi_halfspaces_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above);

/// The gap is known to be f < 0, or f = 0 up to rounding, along n; finds the witnesses. Pushed apart along n,
/// the bodies' nearest points are the same, and GJK finds them better the further they are apart.
BerthGap bi_overlap_gap_along(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double f,
                              Vec3 n, double scale);

static inline double pair_scale(const BerthShape* a, const BerthShape* b, const Pose* a_from_b) {
    return shape_size(a) + shape_size(b) + v3_length(a_from_b->t);
}

/// A closed form: both bounds from one value.
static inline BerthGap gap_from_value(double value, Vec3 point_a, Vec3 point_b, Vec3 normal, double scale) {
    return (BerthGap){value - BI_DISTANCE_SLACK * scale, value, point_a, point_b, normal, 0};
}

#endif
