// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// GJK's and EPA's view of a shape: a core (point, segment, box, cylinder, cone, triangle, hull) and a radius
// around it. Owns the support functions; they are inline because each GJK step evaluates two of them.
//
// Words for a pair: D = { b - a }, the difference set of the cores. A direction n points from A to B, and
// f(n) = min over D of n.w = (least n.b) - (greatest n.a). For every unit n the gap of the cores is at least
// f(n), whether they are apart or overlap, and some n reaches it. So a lower bound never depends on how n was
// found.

#ifndef BI_CORE_H
#define BI_CORE_H

#include "math/tolerance.h"
#include "shape/gap.h"
#include "shape/hull.h"

/// Hulls with at least this many corners are climbed along their edges; below, a scan is faster.
#define HULL_CLIMB_MIN 32

typedef struct Core {
    const BerthShape* shape;
    double radius;   // of the ball that is added to the core
    double outside;  // the exact hull may reach this much further
    int32_t hint;    // corner of the hull where the last climb ended
} Core;

/// A point of D and the points of A and B it is the difference of, all in A's frame.
typedef struct DiffPoint {
    Vec3 w, a, b;
} DiffPoint;

typedef struct CorePair {
    Core a, b;
    const Pose* a_from_b;
    double scale;  // bounds all coordinates in A's frame
} CorePair;

static inline double larger(double x, double y) {
    return x > y ? x : y;
}
static inline double smaller(double x, double y) {
    return x < y ? x : y;
}

/// No point of the shape is further than this from its frame's origin; for half-spaces, its plane is that
/// far.
static inline double shape_size(const BerthShape* shape) {
    switch (shape->kind) {
    case BERTH_SPHERE:
        return shape->as.sphere.radius;
    case BERTH_CAPSULE:
        return shape->as.capsule.radius + 0.5 * shape->as.capsule.length;
    case BERTH_BOX:
        return v3_length(shape->as.box.half);
    case BERTH_CYLINDER:
        return shape->as.cylinder.radius + 0.5 * shape->as.cylinder.length;
    case BERTH_CONE:
        return shape->as.cone.radius + 0.5 * shape->as.cone.length;
    case BERTH_TRIANGLE: {
        const Vec3* p = shape->as.triangle.point;
        return sqrt(larger(v3_length_sq(p[0]), larger(v3_length_sq(p[1]), v3_length_sq(p[2]))));
    }
    case BERTH_HULL:
        return v3_length(shape->as.hull.hull->centre) + shape->as.hull.hull->radius;
    case BERTH_HALFSPACE:
        return fabs(shape->as.halfspace.offset);
    default:
        return NAN;
    }
}

static inline Core core_of(const BerthShape* shape) {
    Core core = {shape, 0.0, 0.0, 0};
    if (shape->kind == BERTH_SPHERE) {
        core.radius = shape->as.sphere.radius;
    } else if (shape->kind == BERTH_CAPSULE) {
        core.radius = shape->as.capsule.radius;
    } else if (shape->kind == BERTH_HULL) {
        core.outside = shape->as.hull.hull->outside;
    }
    return core;
}

static inline int32_t hull_scan(const BerthHull* hull, Vec3 d) {
    int32_t best = 0;
    double high = v3_dot(hull->vertices[0], d);
    for (int32_t i = 1; i < hull->vertex_count; i++) {
        const double height = v3_dot(hull->vertices[i], d);
        if (height > high) {
            high = height;
            best = i;
        }
    }
    return best;
}

// Steepest neighbour until none is higher. Rounding may stop it early on nearly flat faces, which is why
// certified bounds scan instead.
static inline int32_t hull_climb(const BerthHull* hull, Vec3 d, int32_t start) {
    int32_t best = start;
    double high = v3_dot(hull->vertices[best], d);
    for (int32_t step = 0; step < hull->vertex_count; step++) {
        const int32_t from = best;
        for (int32_t k = hull->first_neighbour[from]; k < hull->first_neighbour[from + 1]; k++) {
            const double height = v3_dot(hull->vertices[hull->neighbours[k]], d);
            if (height > high) {
                high = height;
                best = hull->neighbours[k];
            }
        }

        if (best == from) {
            break;
        }
    }

    return best;
}

static inline Vec3 disc_support(double radius, double z, Vec3 d) {
    const double length = sqrt(d.x * d.x + d.y * d.y);
    if (!(length > 0.0)) {
        return v3(radius, 0.0, z);
    }
    return v3(radius * (d.x / length), radius * (d.y / length), z);
}

static inline Vec3 cone_support(double radius, double half, Vec3 d) {
    const double rim = radius * sqrt(d.x * d.x + d.y * d.y) - half * d.z;
    return half * d.z >= rim ? v3(0.0, 0.0, half) : disc_support(radius, -half, d);
}

static inline Vec3 triangle_support(const Vec3 p[3], Vec3 d) {
    const double h0 = v3_dot(p[0], d), h1 = v3_dot(p[1], d), h2 = v3_dot(p[2], d);
    if (h0 >= h1) {
        return h0 >= h2 ? p[0] : p[2];
    }
    return h1 >= h2 ? p[1] : p[2];
}

/// Farthest point of the core along d, in the shape's frame. `exact`: scan hulls instead of climbing.
static inline Vec3 core_support(Core* core, Vec3 d, bool exact) {
    const BerthShape* s = core->shape;
    switch (s->kind) {
    case BERTH_CAPSULE:
        return v3(0.0, 0.0, d.z >= 0.0 ? 0.5 * s->as.capsule.length : -0.5 * s->as.capsule.length);
    case BERTH_BOX: {
        const Vec3 h = s->as.box.half;
        return v3(d.x >= 0.0 ? h.x : -h.x, d.y >= 0.0 ? h.y : -h.y, d.z >= 0.0 ? h.z : -h.z);
    }
    case BERTH_CYLINDER: {
        const double half = 0.5 * s->as.cylinder.length;
        return disc_support(s->as.cylinder.radius, d.z >= 0.0 ? half : -half, d);
    }
    case BERTH_CONE:
        return cone_support(s->as.cone.radius, 0.5 * s->as.cone.length, d);
    case BERTH_TRIANGLE:
        return triangle_support(s->as.triangle.point, d);
    case BERTH_HULL: {
        const BerthHull* hull = s->as.hull.hull;
        if (exact || hull->vertex_count < HULL_CLIMB_MIN || hull->neighbour_count == 0) {
            core->hint = hull_scan(hull, d);
        } else {
            core->hint = hull_climb(hull, d, core->hint);
        }
        return hull->vertices[core->hint];
    }
    case BERTH_SPHERE:
    default:
        return v3(0.0, 0.0, 0.0);
    }
}

/// The point of D that lies farthest against n (from A to B): it gives f(n) = n.w for unit n.
static inline DiffPoint pair_support(CorePair* pair, Vec3 n, bool exact) {
    DiffPoint point;
    point.a = core_support(&pair->a, n, exact);
    const Vec3 back = v3_neg(pose_turn_back(pair->a_from_b, n));
    point.b = pose_apply(pair->a_from_b, core_support(&pair->b, back, exact));
    point.w = v3_sub(point.b, point.a);
    return point;
}

/// What EPA starts from: 1 to 4 points of D with the origin in their hull, up to rounding.
typedef struct Simplex {
    DiffPoint point[4];
    double share[4];  // of the point nearest to the origin
    int count;
} Simplex;

/// Depth of overlapping cores. Fills lower, upper (both <= 0 up to rounding) and the normal that carries
/// lower; false when the origin is in truth outside D by more than rounding.
bool bi_epa_depth(CorePair* pair, const Simplex* start, BerthGap* gap);

/// GJK, and EPA when the cores overlap. No half-spaces.
BerthGap bi_gjk_gap(const BerthShape* a, const BerthShape* b, const Pose* a_from_b, double stop_above);
/// GJK alone: of cores that overlap nothing is known.
BerthGap bi_gjk_gap_if_apart(const BerthShape* a, const BerthShape* b, const Pose* a_from_b,
                             double stop_above);

/// Nothing is known.
static inline BerthGap gap_unknown(void) {
    const Vec3 zero = {0.0, 0.0, 0.0};
    return (BerthGap){-INFINITY, INFINITY, zero, zero, {0.0, 0.0, 1.0}, 0};
}

#endif
