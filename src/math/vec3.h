// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Vectors and poses for internal use: inline, without checks.

#ifndef BI_VEC3_H
#define BI_VEC3_H

#include <berth/math.h>
#include <math.h>

typedef BerthVec3 Vec3;
typedef BerthPose Pose;

static inline Vec3 v3(double x, double y, double z) {
    return (Vec3){x, y, z};
}
static inline Vec3 v3_add(Vec3 a, Vec3 b) {
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline Vec3 v3_sub(Vec3 a, Vec3 b) {
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline Vec3 v3_scale(Vec3 a, double s) {
    return v3(a.x * s, a.y * s, a.z * s);
}
static inline Vec3 v3_neg(Vec3 a) {
    return v3(-a.x, -a.y, -a.z);
}
/// a + s * b
static inline Vec3 v3_mad(Vec3 a, double s, Vec3 b) {
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double v3_dot(Vec3 a, Vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3 v3_cross(Vec3 a, Vec3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double v3_length_sq(Vec3 a) {
    return v3_dot(a, a);
}
static inline double v3_length(Vec3 a) {
    return sqrt(v3_dot(a, a));
}
static inline double v3_distance(Vec3 a, Vec3 b) {
    return v3_length(v3_sub(a, b));
}
static inline Vec3 v3_lerp(Vec3 a, Vec3 b, double t) {
    return v3_mad(a, t, v3_sub(b, a));
}
/// Unit vector along a; `otherwise` when a has no usable length.
static inline Vec3 v3_unit_or(Vec3 a, Vec3 otherwise) {
    const double length = v3_length(a);
    return length > 1e-300 && length < 1e300 ? v3_scale(a, 1.0 / length) : otherwise;
}
static inline Vec3 v3_abs(Vec3 a) {
    return v3(fabs(a.x), fabs(a.y), fabs(a.z));
}
static inline Vec3 v3_min(Vec3 a, Vec3 b) {
    return v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline Vec3 v3_max(Vec3 a, Vec3 b) {
    return v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
static inline bool v3_finite(Vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline double v3_at(Vec3 a, int axis) {
    if (axis == 0) {
        return a.x;
    }
    return axis == 1 ? a.y : a.z;
}
/// A unit vector at right angles to the unit vector a.
static inline Vec3 v3_any_normal(Vec3 a) {
    const Vec3 other = fabs(a.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    return v3_unit_or(v3_cross(a, other), v3(0, 0, 1));
}

static inline double clamp(double value, double low, double high) {
    if (value < low) {
        return low;
    }
    return value > high ? high : value;
}

/// Rotates only.
static inline Vec3 pose_turn(const Pose* outer_from_inner, Vec3 v) {
    const Pose* p = outer_from_inner;
    return v3(p->x.x * v.x + p->y.x * v.y + p->z.x * v.z, p->x.y * v.x + p->y.y * v.y + p->z.y * v.z,
              p->x.z * v.x + p->y.z * v.y + p->z.z * v.z);
}
/// Rotates by the inverse.
static inline Vec3 pose_turn_back(const Pose* outer_from_inner, Vec3 v) {
    return v3(v3_dot(outer_from_inner->x, v), v3_dot(outer_from_inner->y, v), v3_dot(outer_from_inner->z, v));
}
static inline Vec3 pose_apply(const Pose* outer_from_inner, Vec3 point) {
    return v3_add(pose_turn(outer_from_inner, point), outer_from_inner->t);
}
/// The inner coordinates of an outer point.
static inline Vec3 pose_apply_back(const Pose* outer_from_inner, Vec3 point) {
    return pose_turn_back(outer_from_inner, v3_sub(point, outer_from_inner->t));
}
static inline Pose pose_identity(void) {
    return (Pose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
}
/// a_from_c = pose_mul(a_from_b, b_from_c)
static inline Pose pose_mul(const Pose* a_from_b, const Pose* b_from_c) {
    return (Pose){pose_turn(a_from_b, b_from_c->x), pose_turn(a_from_b, b_from_c->y),
                  pose_turn(a_from_b, b_from_c->z), pose_apply(a_from_b, b_from_c->t)};
}
static inline Pose pose_inverse(const Pose* a_from_b) {
    const Pose* p = a_from_b;
    return (Pose){{p->x.x, p->y.x, p->z.x},
                  {p->x.y, p->y.y, p->z.y},
                  {p->x.z, p->y.z, p->z.z},
                  v3_neg(pose_turn_back(p, p->t))};
}
/// a_from_b out of world_from_a and world_from_b: the translations are subtracted before anything is turned.
static inline Pose pose_between(const Pose* world_from_a, const Pose* world_from_b) {
    return (Pose){pose_turn_back(world_from_a, world_from_b->x),
                  pose_turn_back(world_from_a, world_from_b->y),
                  pose_turn_back(world_from_a, world_from_b->z),
                  pose_turn_back(world_from_a, v3_sub(world_from_b->t, world_from_a->t))};
}

#endif
