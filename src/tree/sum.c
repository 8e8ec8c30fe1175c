// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Hashes of solids: everything that a query depends on, nothing of how it was built. A hull is its vertices,
// a map the surface of its cells and the choices about them.
// Entries: bi_sum_vector, bi_sum_pose, bi_sum_solid.

#include "tree/sum.h"

#include "tree/cells.h"
#include "tree/solid.h"

void bi_sum_vector(Sha256* sha, Vec3 v) {
    bi_sha256_add_number(sha, v.x);
    bi_sha256_add_number(sha, v.y);
    bi_sha256_add_number(sha, v.z);
}

void bi_sum_pose(Sha256* sha, const Pose* pose) {
    bi_sum_vector(sha, pose->x);
    bi_sum_vector(sha, pose->y);
    bi_sum_vector(sha, pose->z);
    bi_sum_vector(sha, pose->t);
}

static void add_points(Sha256* sha, const Vec3* points, int32_t count) {
    bi_sha256_add_integer(sha, count);
    for (int32_t i = 0; i < count; ++i) {
        bi_sum_vector(sha, points[i]);
    }
}

static void add_shape(Sha256* sha, const BerthShape* shape) {
    bi_sha256_add_integer(sha, (int64_t)shape->kind);

    switch (shape->kind) {
    case BERTH_SPHERE:
        bi_sha256_add_number(sha, shape->as.sphere.radius);
        break;
    case BERTH_CAPSULE:
        bi_sha256_add_number(sha, shape->as.capsule.radius);
        bi_sha256_add_number(sha, shape->as.capsule.length);
        break;
    case BERTH_BOX:
        bi_sum_vector(sha, shape->as.box.half);
        break;
    case BERTH_CYLINDER:
        bi_sha256_add_number(sha, shape->as.cylinder.radius);
        bi_sha256_add_number(sha, shape->as.cylinder.length);
        break;
    case BERTH_CONE:
        bi_sha256_add_number(sha, shape->as.cone.radius);
        bi_sha256_add_number(sha, shape->as.cone.length);
        break;
    case BERTH_TRIANGLE:
        add_points(sha, shape->as.triangle.point, 3);
        break;
    case BERTH_HULL:
        add_points(sha, shape->as.hull.hull->vertices, shape->as.hull.hull->vertex_count);
        bi_sha256_add_number(sha, shape->as.hull.hull->outside);
        break;
    case BERTH_HALFSPACE:
        bi_sum_vector(sha, shape->as.halfspace.normal);
        bi_sha256_add_number(sha, shape->as.halfspace.offset);
        break;
    default:
        break;
    }
}

void bi_sum_solid(Sha256* sha, const BerthSolid* solid) {
    bi_sha256_add_integer(sha, solid->is_mesh);
    if (!solid->is_mesh) {
        add_shape(sha, &solid->shape);
        return;
    }

    const BerthMesh* mesh = solid->mesh;
    bi_sha256_add_integer(sha, solid->closed);

    if (solid->cells != NULL) {  // its surface says which cells; these, how they were chosen
        bi_sha256_add_integer(sha, solid->cells->info.dim);
        bi_sha256_add_number(sha, solid->cells->info.resolution);
        bi_sha256_add_integer(sha, solid->cells->info.unknown_is_free);
        bi_sha256_add_integer(sha, solid->cells->info.outside_is_free);
    }

    add_points(sha, mesh->vertices, mesh->info.vertex_count);
    bi_sha256_add_integer(sha, mesh->info.triangle_count);
    for (int32_t i = 0; i < 3 * mesh->info.triangle_count; ++i) {
        bi_sha256_add_integer(sha, mesh->triangles[i]);
    }
}
