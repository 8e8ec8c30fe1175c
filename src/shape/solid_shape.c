// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Shapes as solids: corners of those that are polyhedra or replaced by one, mass and inertia of round ones.
// Entries: bi_shape_corners, bi_round_mass, bi_moments_add, bi_moments_inertia,
// bi_inertia_move, bi_inertia_invert.

#include "shape/solid_shape.h"

#include <math.h>

#include "math/math.h"

static const double PI = 3.141592653589793;

// A prism or pyramid around a cylinder or cone: 2 * sides or sides + 1 corners.
static int32_t round_corners(const BerthShape* shape, int32_t sides, Vec3* out) {
    const bool cone = shape->kind == BERTH_CONE;
    const double half = 0.5 * (cone ? shape->as.cone.length : shape->as.cylinder.length);
    const double radius = cone ? shape->as.cone.radius : shape->as.cylinder.radius;

    double sine = 0.0, cosine = 0.0;
    bi_sincos(PI / sides, &sine, &cosine);
    // Its sides touch the round body along their middles; rounding is on the outer side.
    const double corner = radius / cosine * (1.0 + 8.0 * BI_ULP);

    int32_t count = 0;
    for (int32_t i = 0; i < sides; ++i) {
        bi_sincos(2.0 * PI * i / sides, &sine, &cosine);
        out[count++] = v3(corner * cosine, corner * sine, -half);
        if (!cone) {
            out[count++] = v3(corner * cosine, corner * sine, half);
        }
    }

    if (cone) {
        out[count++] = v3(0.0, 0.0, half);
    }
    return count;
}

int32_t bi_shape_corners(const BerthShape* shape, int32_t sides, Vec3* out) {
    switch (shape->kind) {
    case BERTH_BOX:
        for (int i = 0; i < 8; ++i) {
            const Vec3 h = shape->as.box.half;
            out[i] = v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
        }
        return 8;
    case BERTH_TRIANGLE:
        for (int i = 0; i < 3; ++i) {
            out[i] = shape->as.triangle.point[i];
        }
        return 3;
    case BERTH_CYLINDER:
    case BERTH_CONE:
        return round_corners(shape, sides, out);
    default:
        return 0;
    }
}

// ---- masses --------------------------------------------------------------------------------------------------

double bi_round_mass(const Vec3* from, const Vec3* to, double r, Vec3 inertia[3]) {
    const double ball = 4.0 / 3.0 * PI * r * r * r;
    const double length = v3_distance(*from, *to);
    const double tube = PI * r * r * length;

    // Across: a cylinder, and two half balls moved out by half the length; along: both about their axis.
    const double across = tube * (length * length / 12.0 + 0.25 * r * r) +
                          ball * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
    const double along = 0.5 * tube * r * r + 0.4 * ball * r * r;

    const Vec3 u = length > 0.0 ? v3_scale(v3_sub(*to, *from), 1.0 / length) : v3(0, 0, 1);
    const double more = along - across;

    inertia[0] = v3(across + more * u.x * u.x, more * u.x * u.y, more * u.x * u.z);
    inertia[1] = v3(more * u.y * u.x, across + more * u.y * u.y, more * u.y * u.z);
    inertia[2] = v3(more * u.z * u.x, more * u.z * u.y, across + more * u.z * u.z);
    return ball + tube;
}

void bi_inertia_move(Vec3 inertia[3], double mass, Vec3 d) {
    const double dd = v3_length_sq(d);
    inertia[0] = v3_add(inertia[0], v3_scale(v3(dd - d.x * d.x, -d.x * d.y, -d.x * d.z), mass));
    inertia[1] = v3_add(inertia[1], v3_scale(v3(-d.y * d.x, dd - d.y * d.y, -d.y * d.z), mass));
    inertia[2] = v3_add(inertia[2], v3_scale(v3(-d.z * d.x, -d.z * d.y, dd - d.z * d.z), mass));
}

bool bi_inertia_invert(const Vec3 m[3], Vec3 out[3]) {
    const Vec3 yz = v3_cross(m[1], m[2]), zx = v3_cross(m[2], m[0]), xy = v3_cross(m[0], m[1]);
    const double det = v3_dot(m[0], yz);
    if (!(det > 0.0)) {
        return false;
    }

    // Rows of the inverse are the cross products; the matrix is symmetric, so they are its columns too.
    out[0] = v3_scale(yz, 1.0 / det);
    out[1] = v3_scale(zx, 1.0 / det);
    out[2] = v3_scale(xy, 1.0 / det);
    return v3_finite(out[0]) && v3_finite(out[1]) && v3_finite(out[2]);
}

void bi_moments_add(SolidMoments* sum, Vec3 a, Vec3 b, Vec3 c) {
    const double six = v3_dot(a, v3_cross(b, c)), s = six / 120.0;
    const Vec3 all = v3_add(a, v3_add(b, c));
    sum->volume += six / 6.0;
    sum->first = v3_mad(sum->first, six / 24.0, all);

    double* second = sum->second;
    second[0] += s * (a.x * a.x + b.x * b.x + c.x * c.x + all.x * all.x);
    second[1] += s * (a.y * a.y + b.y * b.y + c.y * c.y + all.y * all.y);
    second[2] += s * (a.z * a.z + b.z * b.z + c.z * c.z + all.z * all.z);
    second[3] += s * (a.x * a.y + b.x * b.y + c.x * c.y + all.x * all.y);
    second[4] += s * (a.y * a.z + b.y * b.z + c.y * c.z + all.y * all.z);
    second[5] += s * (a.z * a.x + b.z * b.x + c.z * c.x + all.z * all.x);
}

Vec3 bi_moments_inertia(const SolidMoments* sum, Vec3 inertia[3]) {
    const double* s = sum->second;
    const double m = sum->volume;
    const Vec3 c = v3_scale(sum->first, m > 0.0 ? 1.0 / m : 0.0);
    const double xx = s[0] - m * c.x * c.x, yy = s[1] - m * c.y * c.y, zz = s[2] - m * c.z * c.z;
    const double xy = s[3] - m * c.x * c.y, yz = s[4] - m * c.y * c.z, zx = s[5] - m * c.z * c.x;

    inertia[0] = v3(yy + zz, -xy, -zx);
    inertia[1] = v3(-xy, xx + zz, -yz);
    inertia[2] = v3(-zx, -yz, xx + yy);
    return c;
}
