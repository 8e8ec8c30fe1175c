// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Half-spaces: the other body's deepest point along the plane's normal says everything, apart or overlapping.
// Hot file. Entries: bi_halfspace_any_gap, bi_any_halfspace_gap, bi_halfspaces_gap.

#include "shape/pair.h"

// Least height of the shape above the plane through the origin of its frame, and the lowest point.
static double find_lowest_point(const BerthShape* shape, Vec3 normal, Vec3* point, double* outside) {
    Core core = core_of(shape);
    const Vec3 p = core_support(&core, v3_neg(normal), true);
    *point = v3_mad(p, -core.radius, normal);
    *outside = core.outside;
    return v3_dot(normal, p) - core.radius;
}

BerthGap bi_halfspace_any_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                              double stop_above) {
    (void)stop_above;
    const Vec3 normal = a->as.halfspace.normal;
    Vec3 point;
    double outside;
    const double height = find_lowest_point(b, pose_turn_back(a_from_b, normal), &point, &outside);
    const double value = v3_dot(normal, a_from_b->t) - a->as.halfspace.offset + height;
    const Vec3 point_b = pose_apply(a_from_b, point);

    BerthGap gap =
        gap_from_value(value, v3_mad(point_b, -value, normal), point_b, normal, pair_scale(a, b, a_from_b));
    gap.lower -= outside;
    return gap;
}

BerthGap bi_any_halfspace_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                              double stop_above) {
    (void)stop_above;
    const Vec3 normal = pose_turn(a_from_b, b->as.halfspace.normal);
    Vec3 point;
    double outside;
    const double height = find_lowest_point(a, normal, &point, &outside);
    const double value = height - b->as.halfspace.offset - v3_dot(normal, a_from_b->t);

    BerthGap gap = gap_from_value(value, point, v3_mad(point, -value, normal), v3_neg(normal),
                                  pair_scale(a, b, a_from_b));
    gap.lower -= outside;
    return gap;
}

// Two half-spaces meet, and without end, unless their normals are opposite. Normals that are opposite only up
// to rounding prove nothing: the planes may meet far away, so only upper is given.
BerthGap bi_halfspaces_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                           double stop_above) {
    (void)stop_above;
    const Vec3 na = a->as.halfspace.normal, nb = pose_turn(a_from_b, b->as.halfspace.normal);
    const double offset_b = b->as.halfspace.offset + v3_dot(nb, a_from_b->t);
    const double value = -offset_b - a->as.halfspace.offset;
    const Vec3 sum = v3_add(na, nb);
    BerthGap gap = gap_from_value(value, v3_scale(na, a->as.halfspace.offset), v3_scale(nb, offset_b), na,
                                  pair_scale(a, b, a_from_b));

    if (sum.x != 0.0 || sum.y != 0.0 || sum.z != 0.0) {
        gap.lower = -INFINITY;
        gap.upper = v3_length_sq(sum) > 64.0 * BI_ULP * BI_ULP ? -INFINITY : value;
    }
    return gap;
}
