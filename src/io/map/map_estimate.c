// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A lower bound of the number of cells of something, before they are made: a surface lies in as many columns
// of cells as its shadow along an axis has cells. Of a flat region of area A one of the three shadows is at
// least A / sqrt(3). Only objects that are entirely within the map count: for the others it is not known how
// much of them is in it.
// Entries: bi_map_check_mesh, bi_map_check_points, bi_map_check_shape.

#include <math.h>

#include "field/field.h"
#include "io/map/map_file.h"
#include "math/math.h"
#include "mesh/mesh.h"
#include "shape/gap.h"

#define SHADOW 0.577  // < 1 / sqrt(3)
#define PI_LOW 3.14159

// A box of metres is within the map.
static bool is_within(const BerthFieldDef* def, Vec3 low, Vec3 high) {
    const Vec3 size = v3(map_size(def, 0) * def->resolution, map_size(def, 1) * def->resolution,
                         map_size(def, 2) * def->resolution);
    const Vec3 a = v3_sub(low, def->origin), b = v3_sub(v3_add(def->origin, size), high);
    return fmin(a.x, fmin(a.y, a.z)) >= 0.0 && fmin(b.x, fmin(b.y, b.z)) >= 0.0;
}

static BerthStatus check_cells(const MapJob* job, const BerthFieldDef* def, double cells) {
    const BerthStatus status = bi_field_check_paints(def, cells < 1e18 ? (uint64_t)cells : UINT64_MAX / 2);
    return status == BERTH_OK ? BERTH_OK : bi_fail_prefix(status, "%s", job->path);
}

// Square metres of the largest shadow.
static double largest_shadow(const Vec3 t[3]) {
    const Vec3 twice = v3_abs(v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0])));
    return 0.5 * fmax(twice.x, fmax(twice.y, twice.z));
}

BerthStatus bi_map_check_mesh(const MapJob* job, const BerthFieldDef* def, const BerthMesh* mesh,
                              const BerthPose* pose) {
    double area = 0.0;
    for (int32_t i = 0; i < mesh->info.triangle_count; ++i) {
        Vec3 t[3];
        mesh_triangle(mesh, i, t);
        for (int k = 0; k < 3; ++k) {
            t[k] = pose_apply(pose, t[k]);
        }

        const Vec3 low = v3_min(t[0], v3_min(t[1], t[2])), high = v3_max(t[0], v3_max(t[1], t[2]));
        area += is_within(def, low, high) ? largest_shadow(t) : 0.0;
    }

    // Each triangle is made cells by itself. A millionth for rounding.
    return check_cells(job, def, area / (def->resolution * def->resolution) * 0.999999);
}

BerthStatus bi_map_check_points(const MapJob* job, const BerthFieldDef* def, const PointCloud* cloud) {
    const double r = job->map.radius, cells = r / def->resolution;
    double within = 0.0;
    for (size_t i = 0; i < cloud->count && r > 0.0; ++i) {
        const Vec3 reach = v3(r, r, r);
        within += is_within(def, v3_sub(cloud->points[i], reach), v3_add(cloud->points[i], reach));
    }
    // Above and below, where a ball has both.
    return check_cells(job, def, within * fmax(2.0 * PI_LOW * (cells - 1.0) * (cells - 1.0), 1.0));
}

// Square metres of a flat region in the shape; 0 when that is not known.
static double flat_region(const BerthShape* shape) {
    switch (shape->kind) {
    case BERTH_SPHERE:
        return PI_LOW * shape->as.sphere.radius * shape->as.sphere.radius;
    case BERTH_CAPSULE:
        return shape->as.capsule.radius *
               (2.0 * shape->as.capsule.length + PI_LOW * shape->as.capsule.radius);
    case BERTH_CYLINDER:
        return shape->as.cylinder.radius *
               fmax(2.0 * shape->as.cylinder.length, PI_LOW * shape->as.cylinder.radius);
    case BERTH_CONE:
        return shape->as.cone.radius * fmax(shape->as.cone.length, PI_LOW * shape->as.cone.radius);
    case BERTH_BOX: {
        const Vec3 h = shape->as.box.half;
        return 4.0 * fmax(h.x * h.y, fmax(h.y * h.z, h.z * h.x));
    }
    default:
        return 0.0;
    }
}

BerthStatus bi_map_check_shape(const MapJob* job, const BerthFieldDef* def, const BerthShape* shape,
                               const BerthPose* pose) {
    Vec3 low, high;
    bi_shape_bounds(shape, pose, &low, &high);
    const double area = is_within(def, low, high) ? SHADOW * flat_region(shape) : 0.0;
    return check_cells(job, def, area / (def->resolution * def->resolution));
}
