// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A sphere against sphere, capsule, box, cylinder, cone and triangle: the signed distance of its centre, less
// its radius. Each projection below works in the other body's frame and is exact up to a few roundings. Hot
// file. Entries: bi_any_sphere_gap, bi_sphere_any_gap.

#include "shape/pair.h"

// The surface point nearest to p, the outward unit normal there, and the signed distance (negative inside).
typedef struct Foot {
    double distance;
    Vec3 point, normal;
} Foot;

// Outside or on a surface without inside: from its nearest point q; `otherwise` is the normal when p is on q.
static Foot foot_outside(Vec3 p, Vec3 q, Vec3 otherwise) {
    const Vec3 d = v3_sub(p, q);
    return (Foot){v3_length(d), q, v3_unit_or(d, otherwise)};
}

static Foot foot_on_box(Vec3 half, Vec3 p) {
    const Vec3 q = v3(clamp(p.x, -half.x, half.x), clamp(p.y, -half.y, half.y), clamp(p.z, -half.z, half.z));
    if (q.x != p.x || q.y != p.y || q.z != p.z) {
        return foot_outside(p, q, v3(0.0, 0.0, 1.0));
    }

    const Vec3 room = v3_sub(half, v3_abs(p));
    Foot foot = {-room.x, v3(copysign(half.x, p.x), p.y, p.z), v3(copysign(1.0, p.x), 0.0, 0.0)};
    if (room.y < -foot.distance) {
        foot = (Foot){-room.y, v3(p.x, copysign(half.y, p.y), p.z), v3(0.0, copysign(1.0, p.y), 0.0)};
    }
    if (room.z < -foot.distance) {
        foot = (Foot){-room.z, v3(p.x, p.y, copysign(half.z, p.z)), v3(0.0, 0.0, copysign(1.0, p.z))};
    }
    return foot;
}

static Foot foot_on_segment(double half, Vec3 p) {
    return foot_outside(p, v3(0.0, 0.0, clamp(p.z, -half, half)), v3(1.0, 0.0, 0.0));
}

// Bodies of revolution: the half-plane through p, with `side` its unit direction away from the axis.
static Vec3 radial_direction(Vec3 p, double* rho) {
    *rho = sqrt(p.x * p.x + p.y * p.y);
    return *rho > 0.0 ? v3(p.x / *rho, p.y / *rho, 0.0) : v3(1.0, 0.0, 0.0);
}

static Foot foot_on_cylinder(double radius, double half, Vec3 p) {
    double rho;
    const Vec3 side = radial_direction(p, &rho);
    const double q_rho = rho < radius ? rho : radius, q_z = clamp(p.z, -half, half);
    if (rho > radius || q_z != p.z) {
        // Straight above the disc nothing moves sideways.
        const Vec3 q = rho > radius ? v3(side.x * q_rho, side.y * q_rho, q_z) : v3(p.x, p.y, q_z);
        Foot foot = foot_outside(p, q, side);
        const double out = rho - q_rho, up = p.z - q_z;
        foot.distance = sqrt(out * out + up * up);
        return foot;
    }

    if (radius - rho < half - fabs(p.z)) {
        return (Foot){rho - radius, v3(side.x * radius, side.y * radius, p.z), side};
    }
    return (Foot){fabs(p.z) - half, v3(p.x, p.y, copysign(half, p.z)), v3(0.0, 0.0, copysign(1.0, p.z))};
}

static Foot foot_on_cone(double radius, double half, Vec3 p) {
    double rho;
    const Vec3 side = radial_direction(p, &rho);

    // In the half-plane: the slope runs from the rim (radius, -half) to the tip (0, half); its normal is (nr,
    // nz).
    const double length = 2.0 * half, slant = sqrt(length * length + radius * radius);
    const double nr = length / slant, nz = radius / slant;
    const double over_slope = nr * (rho - radius) + nz * (p.z + half), over_base = -half - p.z;
    const Vec3 slope_normal = v3(nr * side.x, nr * side.y, nz), down = v3(0.0, 0.0, -1.0);

    if (over_slope <= 0.0 && over_base <= 0.0) {
        if (over_slope > over_base) {
            return (Foot){over_slope, v3_mad(p, -over_slope, slope_normal), slope_normal};
        }
        return (Foot){over_base, v3(p.x, p.y, -half), down};
    }
    if (rho <= radius && over_base > 0.0) {
        return (Foot){over_base, v3(p.x, p.y, -half), down};
    }

    // Nearest point of the slope, rim and tip included; `s` runs from the rim.
    const double s = ((radius - rho) * radius + (p.z + half) * length) / (slant * slant);
    if (s > 0.0 && s < 1.0) {
        return (Foot){over_slope, v3_mad(p, -over_slope, slope_normal), slope_normal};
    }

    const double q_rho = s >= 1.0 ? 0.0 : radius, q_z = s >= 1.0 ? half : -half;
    const double out = rho - q_rho, up = p.z - q_z;
    Foot foot = foot_outside(p, v3(side.x * q_rho, side.y * q_rho, q_z), slope_normal);
    foot.distance = sqrt(out * out + up * up);
    return foot;
}

// Height of p above the triangle along n: what the direction n proves.
static double height_above(const Vec3 t[3], Vec3 p, Vec3 n) {
    return v3_dot(n, p) - larger(v3_dot(n, t[0]), larger(v3_dot(n, t[1]), v3_dot(n, t[2])));
}

static Foot foot_on_triangle(const Vec3 t[3], Vec3 p) {
    Vec3 q;
    const double d_sq = bi_point_triangle_distance_sq(p, t, &q);
    const Vec3 face_normal = v3_unit_or(v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0])), v3(0.0, 0.0, 1.0));
    Foot foot = foot_outside(p, q, face_normal);
    foot.distance = sqrt(d_sq);

    // Near the face, p - q is short and its direction is rounding; the face's normal is not.
    const Vec3 up = v3_dot(face_normal, v3_sub(p, t[0])) < 0.0 ? v3_neg(face_normal) : face_normal;
    if (height_above(t, p, up) > height_above(t, p, foot.normal)) {
        foot.normal = up;
    }
    return foot;
}

static Foot foot_on_core(const BerthShape* shape, Vec3 p) {
    switch (shape->kind) {
    case BERTH_CAPSULE:
        return foot_on_segment(0.5 * shape->as.capsule.length, p);
    case BERTH_BOX:
        return foot_on_box(shape->as.box.half, p);
    case BERTH_CYLINDER:
        return foot_on_cylinder(shape->as.cylinder.radius, 0.5 * shape->as.cylinder.length, p);
    case BERTH_CONE:
        return foot_on_cone(shape->as.cone.radius, 0.5 * shape->as.cone.length, p);
    case BERTH_TRIANGLE:
        return foot_on_triangle(shape->as.triangle.point, p);
    case BERTH_SPHERE:
    default:
        return foot_on_segment(0.0, p);
    }
}

// Spheres and capsules are inflated; the others have the radius 0 here.
static double radius_of(const BerthShape* shape) {
    return core_of(shape).radius;
}

BerthGap bi_any_sphere_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                           double stop_above) {
    (void)stop_above;
    const Vec3 p = a_from_b->t;
    const Foot foot = foot_on_core(a, p);
    const double ra = radius_of(a), rb = b->as.sphere.radius;
    return gap_from_value(foot.distance - ra - rb, v3_mad(foot.point, ra, foot.normal),
                          v3_mad(p, -rb, foot.normal), foot.normal, pair_scale(a, b, a_from_b));
}

BerthGap bi_sphere_any_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                           double stop_above) {
    (void)stop_above;
    const Foot foot = foot_on_core(b, v3_neg(pose_turn_back(a_from_b, a_from_b->t)));
    const double ra = a->as.sphere.radius, rb = radius_of(b);
    const Vec3 normal = v3_neg(pose_turn(a_from_b, foot.normal));
    return gap_from_value(foot.distance - ra - rb, v3_scale(normal, ra),
                          v3_mad(pose_apply(a_from_b, foot.point), -rb, normal), normal,
                          pair_scale(a, b, a_from_b));
}
