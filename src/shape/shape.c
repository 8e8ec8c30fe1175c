// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Convex shapes: functions that make them and refuse invalid ones, names, farthest points, balls and boxes
// around them.
// Entries: berth_shape_*, bi_shape_support, bi_shape_ball, bi_shape_bounds.

#include "base/base.h"
#include "shape/core.h"

// ---- makers --------------------------------------------------------------------------------------------

// A size in metres: finite, not negative, at most BI_COORDINATE_MAX.
static BerthStatus check_size(const char* shape, const char* what, double value, bool zero_is_fine) {
    if (!isfinite(value) || value < 0.0 || (value == 0.0 && !zero_is_fine)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: %s is %g m, must be finite and %s 0", shape, what, value,
                       zero_is_fine ? ">=" : ">");
    }
    if (value > BI_COORDINATE_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: %s is %g m, must be at most %g m", shape, what, value,
                       BI_COORDINATE_MAX);
    }
    return BERTH_OK;
}

static BerthStatus check_out(const char* shape, const BerthShape* out) {
    return out != NULL ? BERTH_OK : bi_fail(BERTH_ERR_ARGUMENT, "%s: no place for the result (null)", shape);
}

// Round bodies with a radius and a length: checks both.
static BerthStatus check_round(const char* shape, double radius, double length, bool zero_length_is_fine,
                               const BerthShape* out) {
    BerthStatus status = check_out(shape, out);
    if (status == BERTH_OK) {
        status = check_size(shape, "radius", radius, false);
    }
    if (status == BERTH_OK) {
        status = check_size(shape, "length", length, zero_length_is_fine);
    }
    return status;
}

BerthStatus berth_shape_sphere(double radius, BerthShape* out) {
    BerthStatus status = check_out("sphere", out);
    if (status == BERTH_OK) {
        status = check_size("sphere", "radius", radius, true);
    }
    if (status == BERTH_OK) {
        *out = (BerthShape){.kind = BERTH_SPHERE, .as.sphere = {radius}};
    }
    return status;
}

BerthStatus berth_shape_capsule(double radius, double length, BerthShape* out) {
    const BerthStatus status = check_round("capsule", radius, length, true, out);
    if (status == BERTH_OK) {
        *out = (BerthShape){.kind = BERTH_CAPSULE, .as.capsule = {radius, length}};
    }
    return status;
}

BerthStatus berth_shape_box(BerthVec3 size, BerthShape* out) {
    BerthStatus status = check_out("box", out);
    const double sizes[3] = {size.x, size.y, size.z};
    static const char* const names[3] = {"size x", "size y", "size z"};
    for (int i = 0; i < 3 && status == BERTH_OK; i++) {
        status = check_size("box", names[i], sizes[i], true);
    }
    if (status == BERTH_OK) {
        *out = (BerthShape){.kind = BERTH_BOX, .as.box = {v3_scale(size, 0.5)}};
    }
    return status;
}

BerthStatus berth_shape_cylinder(double radius, double length, BerthShape* out) {
    const BerthStatus status = check_round("cylinder", radius, length, false, out);
    if (status == BERTH_OK) {
        *out = (BerthShape){.kind = BERTH_CYLINDER, .as.cylinder = {radius, length}};
    }
    return status;
}

BerthStatus berth_shape_cone(double radius, double length, BerthShape* out) {
    const BerthStatus status = check_round("cone", radius, length, false, out);
    if (status == BERTH_OK) {
        *out = (BerthShape){.kind = BERTH_CONE, .as.cone = {radius, length}};
    }
    return status;
}

BerthStatus berth_shape_triangle(const BerthVec3 point[3], BerthShape* out) {
    const BerthStatus status = check_out("triangle", out);
    if (status != BERTH_OK) {
        return status;
    }
    if (point == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "triangle: no corners (null)");
    }

    for (int i = 0; i < 3; i++) {
        const Vec3 p = v3_abs(point[i]);
        if (!(p.x <= BI_COORDINATE_MAX && p.y <= BI_COORDINATE_MAX && p.z <= BI_COORDINATE_MAX)) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "triangle: corner %d is (%g, %g, %g) m, must be finite and within %g m", i,
                           point[i].x, point[i].y, point[i].z, BI_COORDINATE_MAX);
        }
    }

    *out = (BerthShape){.kind = BERTH_TRIANGLE, .as.triangle = {{point[0], point[1], point[2]}}};
    return BERTH_OK;
}

BerthStatus berth_shape_hull(const BerthHull* hull, BerthShape* out) {
    const BerthStatus status = check_out("hull", out);
    if (status != BERTH_OK) {
        return status;
    }
    if (hull == NULL || hull->vertex_count < 1) {
        return bi_fail(BERTH_ERR_ARGUMENT, "hull: no hull (null or without corners)");
    }
    *out = (BerthShape){.kind = BERTH_HULL, .as.hull = {hull}};
    return BERTH_OK;
}

BerthStatus berth_shape_halfspace(BerthVec3 normal, double offset, BerthShape* out) {
    const BerthStatus status = check_out("halfspace", out);
    if (status != BERTH_OK) {
        return status;
    }

    // Scaled first, so that the length of a tiny or huge normal neither vanishes nor overflows.
    const Vec3 sizes = v3_abs(normal);
    const double largest = larger(sizes.x, larger(sizes.y, sizes.z));
    if (!v3_finite(normal) || !(largest > 0.0) || !isfinite(1.0 / largest)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "halfspace: normal is (%g, %g, %g), must be finite and not zero",
                       normal.x, normal.y, normal.z);
    }

    const Vec3 scaled = v3(normal.x / largest, normal.y / largest, normal.z / largest);
    const double length = v3_length(scaled), distance = offset / largest / length;
    if (!(fabs(distance) <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "halfspace: offset is %g (%g m from the origin), must be within %g m", offset,
                       distance, BI_COORDINATE_MAX);
    }

    const Vec3 unit = v3(scaled.x / length, scaled.y / length, scaled.z / length);
    *out = (BerthShape){.kind = BERTH_HALFSPACE, .as.halfspace = {unit, distance}};
    return BERTH_OK;
}

const char* berth_shape_name(BerthShapeKind kind) {
    static const char* const names[BERTH_SHAPE_KIND_COUNT] = {"sphere", "capsule",  "box",  "cylinder",
                                                              "cone",   "triangle", "hull", "halfspace"};
    return (unsigned)kind < BERTH_SHAPE_KIND_COUNT ? names[kind] : "unknown";
}

// ---- farthest points, balls, boxes ---------------------------------------------------------------------

Vec3 bi_shape_support(const BerthShape* shape, Vec3 direction) {
    Core core = core_of(shape);
    const Vec3 p = core_support(&core, direction, true);
    return core.radius > 0.0 ? v3_mad(p, core.radius, v3_unit_or(direction, v3(0.0, 0.0, 1.0))) : p;
}

// Smallest ball of a triangle: around the longest edge, or through all corners when no corner is obtuse.
static Vec3 triangle_centre(const Vec3 p[3]) {
    const double l0 = v3_length_sq(v3_sub(p[1], p[0]));
    const double l1 = v3_length_sq(v3_sub(p[2], p[1]));
    const double l2 = v3_length_sq(v3_sub(p[0], p[2]));
    int i = l1 >= l2 ? 1 : 2;  // the longest edge starts here
    if (l0 >= l1 && l0 >= l2) {
        i = 0;
    }

    const Vec3 o = p[(i + 2) % 3], d = v3_sub(p[i], o), e = v3_sub(p[(i + 1) % 3], o), n = v3_cross(d, e);
    const double nn = v3_length_sq(n);
    if (!(v3_dot(d, e) > 0.0) || !(nn > 0.0)) {
        return v3_lerp(p[i], p[(i + 1) % 3], 0.5);
    }

    const Vec3 side = v3_sub(v3_scale(e, v3_length_sq(d)), v3_scale(d, v3_length_sq(e)));
    return v3_mad(o, 0.5 / nn, v3_cross(side, v3_neg(n)));
}

void bi_shape_ball(const BerthShape* shape, Vec3* centre, double* radius) {
    *centre = v3(0.0, 0.0, 0.0);
    double r = shape_size(shape);

    switch (shape->kind) {
    case BERTH_CYLINDER: {
        const double half = 0.5 * shape->as.cylinder.length;
        r = sqrt(shape->as.cylinder.radius * shape->as.cylinder.radius + half * half);
        break;
    }
    case BERTH_CONE: {
        // Through tip and rim, or around the base when the cone is blunt.
        const double rim = shape->as.cone.radius, length = shape->as.cone.length;
        const double above_base = length > rim ? (length - rim * (rim / length)) * 0.5 : 0.0;
        centre->z = above_base - 0.5 * length;
        r = larger(length - above_base, sqrt(rim * rim + above_base * above_base));
        break;
    }
    case BERTH_TRIANGLE: {
        const Vec3* p = shape->as.triangle.point;
        *centre = triangle_centre(p);
        r = larger(v3_distance(*centre, p[0]),
                   larger(v3_distance(*centre, p[1]), v3_distance(*centre, p[2])));
        r += 2.0 * BI_ULP * v3_length(*centre);
        break;
    }
    case BERTH_HULL:
        *centre = shape->as.hull.hull->centre;
        r = shape->as.hull.hull->radius + shape->as.hull.hull->outside;
        r += 2.0 * BI_ULP * v3_length(*centre);
        break;
    case BERTH_HALFSPACE:
        r = INFINITY;
        break;
    default:
        break;
    }

    *radius = r * (1.0 + 8.0 * BI_ULP);
}

// Half the extent of the unit disc around inner z, along the three outer axes.
static Vec3 disc_extent(const Pose* p) {
    return v3(sqrt(p->x.x * p->x.x + p->y.x * p->y.x), sqrt(p->x.y * p->x.y + p->y.y * p->y.y),
              sqrt(p->x.z * p->x.z + p->y.z * p->y.z));
}

static void bounds_of_points(const Vec3* points, int32_t count, double around, const Pose* pose, Vec3* low,
                             Vec3* high) {
    *low = *high = pose_apply(pose, points[0]);
    for (int32_t i = 1; i < count; i++) {
        const Vec3 p = pose_apply(pose, points[i]);
        *low = v3_min(*low, p);
        *high = v3_max(*high, p);
    }

    const Vec3 more = v3(around, around, around);
    *low = v3_sub(*low, more);
    *high = v3_add(*high, more);
}

void bi_shape_bounds(const BerthShape* shape, const Pose* pose, Vec3* low, Vec3* high) {
    Vec3 extent = {0.0, 0.0, 0.0};

    switch (shape->kind) {
    case BERTH_SPHERE:
        extent = v3(shape->as.sphere.radius, shape->as.sphere.radius, shape->as.sphere.radius);
        break;
    case BERTH_CAPSULE: {
        const double r = shape->as.capsule.radius;
        extent = v3_mad(v3(r, r, r), 0.5 * shape->as.capsule.length, v3_abs(pose->z));
        break;
    }
    case BERTH_BOX: {
        const Vec3 h = shape->as.box.half;
        extent = v3_mad(v3_mad(v3_scale(v3_abs(pose->x), h.x), h.y, v3_abs(pose->y)), h.z, v3_abs(pose->z));
        break;
    }
    case BERTH_CYLINDER:
        extent = v3_scale(disc_extent(pose), shape->as.cylinder.radius);
        extent = v3_mad(extent, 0.5 * shape->as.cylinder.length, v3_abs(pose->z));
        break;
    case BERTH_CONE: {
        const Vec3 tip = v3_mad(pose->t, 0.5 * shape->as.cone.length, pose->z);
        const Vec3 base = v3_mad(pose->t, -0.5 * shape->as.cone.length, pose->z);
        const Vec3 disc = v3_scale(disc_extent(pose), shape->as.cone.radius);
        *low = v3_min(tip, v3_sub(base, disc));
        *high = v3_max(tip, v3_add(base, disc));
        return;
    }
    case BERTH_TRIANGLE:
        bounds_of_points(shape->as.triangle.point, 3, 0.0, pose, low, high);
        return;
    case BERTH_HULL: {
        const BerthHull* hull = shape->as.hull.hull;
        bounds_of_points(hull->vertices, hull->vertex_count, hull->outside, pose, low, high);
        return;
    }
    default:
        extent = v3(INFINITY, INFINITY, INFINITY);
        break;
    }

    *low = v3_sub(pose->t, extent);
    *high = v3_add(pose->t, extent);
}
