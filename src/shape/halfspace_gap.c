// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Half-spaces: the other body's deepest point along the plane's normal decides, apart or overlapping. Hot
// file.
// Entries: bi_halfspace_any_gap, bi_any_halfspace_gap, bi_halfspaces_gap.

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

// The point of both half-spaces that is nearest to the origin.
static Vec3 nearest_in_both(Vec3 na, double offset_a, Vec3 nb, double offset_b) {
    // The origin, or its foot on one plane, where the other does not cut that off.
    const double over_a = -offset_a, over_b = -offset_b;
    const double c = v3_dot(na, nb);
    if (over_a >= over_b && !(over_b - c * over_a > 0.0)) {
        return v3_scale(na, over_a > 0.0 ? offset_a : 0.0);
    }
    if (over_b >= over_a && !(over_a - c * over_b > 0.0)) {
        return v3_scale(nb, over_b > 0.0 ? offset_b : 0.0);
    }

    // Else on the line of both planes: from the foot on A within its plane. What nearly parallel normals differ by is exact,
    // where 1 - c * c has lost its digits.
    const double sign = c < 0.0 ? 1.0 : -1.0;
    const Vec3 small = v3_mad(nb, sign, na);
    const Vec3 within = v3_mad(small, -v3_dot(small, na), na);
    const double lacking = offset_b + sign * offset_a * (1.0 - 0.5 * v3_length_sq(small));
    return v3_mad(v3_scale(na, offset_a), lacking / v3_length_sq(within), within);
}

// Two half-spaces meet, and without end, unless their normals are opposite. Normals that are opposite only up
// to rounding prove nothing: the planes may meet far away, so only upper is given. Where they would meet beyond all
// coordinates there is no witness: then they are not said to meet, either.
BerthGap bi_halfspaces_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                           double stop_above) {
    (void)stop_above;
    const Vec3 na = a->as.halfspace.normal, nb = pose_turn(a_from_b, b->as.halfspace.normal);
    const double offset_a = a->as.halfspace.offset;
    const double offset_b = b->as.halfspace.offset + v3_dot(nb, a_from_b->t);
    const double value = -offset_b - offset_a;
    const Vec3 foot_a = v3_scale(na, offset_a), foot_b = v3_scale(nb, offset_b);
    BerthGap gap = gap_from_value(value, foot_a, foot_b, na, pair_scale(a, b, a_from_b));

    const Vec3 sum = v3_add(na, nb);
    if (sum.x == 0.0 && sum.y == 0.0 && sum.z == 0.0) {
        return gap;
    }

    gap.lower = -INFINITY;
    if (v3_length_sq(sum) > BI_DISTANCE_SLACK * BI_DISTANCE_SLACK) {
        const Vec3 common = nearest_in_both(na, offset_a, nb, offset_b);
        if (v3_length(common) <= 4.0 * BI_COORDINATE_MAX) {
            gap.upper = -INFINITY;
            gap.point_a = gap.point_b = common;
        } else {
            gap.upper = v3_length(v3_sub(foot_a, foot_b));
        }
    }
    return gap;
}
