// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Capsules and triangles among themselves: bodies whose cores are segments and triangles, by the distances of
// triangle_gap.c. Where two cores cross, the depth is the largest f(n) over the possible normals of a face of
// their difference set: the triangles' normals and the cross products of two edges. Hot file.
// Entry: bi_thin_gap.

#include "shape/pair.h"

/// Cores nearer than this (by scale) may get their normal from edges and faces: below, q - p loses digits to
/// scale.
#define NEAR 0x1p-5

// A segment is a triangle with its last corner twice.
typedef struct FlatCore {
    Vec3 corner[3];
    Vec3 edge[3];
    int edge_count;
    double radius;
} FlatCore;

static FlatCore flat_core_of(const BerthShape* shape, const Pose* pose) {
    FlatCore flat;
    if (shape->kind == BERTH_CAPSULE) {
        const Vec3 reach = v3_scale(pose->z, 0.5 * shape->as.capsule.length);
        flat.corner[0] = v3_sub(pose->t, reach);
        flat.corner[1] = flat.corner[2] = v3_add(pose->t, reach);
        flat.edge_count = 1;
        flat.radius = shape->as.capsule.radius;
    } else {
        for (int i = 0; i < 3; i++) {
            flat.corner[i] = pose_apply(pose, shape->as.triangle.point[i]);
        }
        flat.edge_count = 3;
        flat.radius = 0.0;
    }

    for (int i = 0; i < 3; i++) {
        flat.edge[i] = v3_sub(flat.corner[(i + 1) % 3], flat.corner[i]);
    }
    return flat;
}

// f(n) of the cores (core.h).
static double separation_along(const FlatCore* a, const FlatCore* b, Vec3 n) {
    double high = -INFINITY, low = INFINITY;
    for (int i = 0; i < 3; i++) {
        high = larger(high, v3_dot(n, a->corner[i]));
        low = smaller(low, v3_dot(n, b->corner[i]));
    }
    return low - high;
}

static void try_normal(const FlatCore* a, const FlatCore* b, Vec3 axis, double* best, Vec3* normal) {
    const Vec3 n = v3_unit_or(axis, v3(0.0, 0.0, 0.0));
    if (!(v3_length_sq(n) > 0.5)) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        const Vec3 outward = side == 0 ? n : v3_neg(n);
        const double f = separation_along(a, b, outward);
        if (f > *best) {
            *best = f;
            *normal = outward;
        }
    }
}

// The best normal of two cores that cross or nearly do, and f there.
static double find_crossing_normal(const FlatCore* a, const FlatCore* b, Vec3* normal) {
    double f = -INFINITY;
    *normal = v3(0.0, 0.0, 1.0);

    try_normal(a, b, v3_cross(a->edge[0], a->edge[1]), &f, normal);
    try_normal(a, b, v3_cross(b->edge[0], b->edge[1]), &f, normal);

    for (int i = 0; i < a->edge_count; i++) {
        for (int j = 0; j < b->edge_count; j++) {
            try_normal(a, b, v3_cross(a->edge[i], b->edge[j]), &f, normal);
        }
        // Next to a parallel edge or a point, every normal of the edge is one of the difference set.
        try_normal(a, b, v3_any_normal(v3_unit_or(a->edge[i], v3(1.0, 0.0, 0.0))), &f, normal);
    }

    for (int j = 0; j < b->edge_count; j++) {
        try_normal(a, b, v3_any_normal(v3_unit_or(b->edge[j], v3(1.0, 0.0, 0.0))), &f, normal);
    }
    return f;
}

BerthGap bi_thin_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above) {
    (void)stop_above;
    const Pose identity = pose_identity();
    const FlatCore fa = flat_core_of(a, &identity), fb = flat_core_of(b, a_from_b);
    const double scale = pair_scale(a, b, a_from_b);
    Vec3 p, q;
    const double d_sq = bi_triangle_distance_sq(fa.corner, fb.corner, &p, &q);
    Vec3 normal = v3_unit_or(v3_sub(q, p), v3(0.0, 0.0, 0.0));
    if (!(d_sq >= 0.0)) {
        return gap_unknown();
    }

    // The cores cross or touch.
    if (!(d_sq > 0.0) || !(v3_length_sq(normal) > 0.0)) {
        const double f = smaller(find_crossing_normal(&fa, &fb, &normal), 0.0);
        return bi_overlap_gap_along(a, b, a_from_b, f - fa.radius - fb.radius, normal, scale);
    }

    if (d_sq < NEAR * NEAR * scale * scale) {
        // q - p is short, and its direction is rounding: a normal of the cores may be better, if it parts them.
        Vec3 other;
        if (find_crossing_normal(&fa, &fb, &other) > separation_along(&fa, &fb, normal)) {
            normal = other;
        }
    }

    BerthGap gap = gap_from_value(sqrt(d_sq), p, q, normal, scale);
    gap.lower -= fa.radius + fb.radius;
    gap.upper -= fa.radius + fb.radius;
    gap.point_a = v3_mad(gap.point_a, fa.radius, gap.normal);
    gap.point_b = v3_mad(gap.point_b, -fb.radius, gap.normal);
    return gap;
}
