// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes a solid of a cloud of points: a mesh whose triangles are points, each a piece of its own. It has no
// inside; the thickness of its points is the padding of the object that has it.
// Entries: berth_solid_from_points, berth_solid_point_count.

#include "math/tolerance.h"
#include "mesh/mesh.h"
#include "tree/solid.h"

static BerthStatus check_points(const BerthVec3* points, int32_t count) {
    if (points == NULL || count <= 0 || count > BI_MESH_TRIANGLES_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "points: there are %d, from 1 to %d are expected", (int)count,
                       BI_MESH_TRIANGLES_MAX);
    }

    for (int32_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double at = v3_at(points[i], axis);
            if (!(fabs(at) <= BI_COORDINATE_MAX)) {
                return bi_fail(BERTH_ERR_ARGUMENT,
                               "points: point %d has %c = %g, a finite number within %g m is expected",
                               (int)i, "xyz"[axis], at, BI_COORDINATE_MAX);
            }
        }
    }
    return BERTH_OK;
}

static BerthMesh* make_point_mesh(const BerthVec3* points, int32_t count, const BerthAllocator* from) {
    BerthMesh* mesh = bi_take(from, 1, sizeof *mesh);
    if (mesh == NULL) {
        return NULL;
    }

    mesh->allocator = *from;
    mesh->info = (BerthMeshInfo){.vertex_count = count,
                                 .triangle_count = count,
                                 .component_count = count,
                                 .low = points[0],
                                 .high = points[0]};

    mesh->vertices = bi_take(from, (size_t)count, sizeof *mesh->vertices);
    mesh->triangles = bi_take(from, 3 * (size_t)count, sizeof *mesh->triangles);
    mesh->component = bi_take(from, (size_t)count, sizeof *mesh->component);
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->component == NULL) {
        berth_mesh_destroy(mesh);
        return NULL;
    }

    for (int32_t i = 0; i < count; ++i) {
        mesh->vertices[i] = points[i];
        mesh->component[i] = i;
        for (int k = 0; k < 3; ++k) {
            mesh->triangles[3 * (size_t)i + (size_t)k] = i;
        }
        mesh->info.low = v3_min(mesh->info.low, points[i]);
        mesh->info.high = v3_max(mesh->info.high, points[i]);
    }
    return mesh;
}

BerthStatus berth_solid_from_points(const BerthVec3* points, int32_t count, const BerthAllocator* allocator,
                                    BerthSolid** out) {
    *out = NULL;
    const BerthAllocator from = bi_allocator_or_default(allocator);
    const BerthStatus status = check_points(points, count);
    if (status != BERTH_OK) {
        return status;
    }

    BerthMesh* mesh = make_point_mesh(points, count, &from);
    BerthSolid* solid = mesh != NULL ? bi_solid_new(&from) : NULL;
    if (solid == NULL) {
        berth_mesh_destroy(mesh);
        return bi_fail(BERTH_ERR_MEMORY, "points: out of memory for %d", (int)count);
    }

    solid->mesh = mesh;
    solid->is_mesh = true;
    solid->is_cloud = true;
    return bi_solid_finish(solid, out);
}

int32_t berth_solid_point_count(const BerthSolid* solid) {
    return solid != NULL && solid->is_cloud ? solid->mesh->info.vertex_count : 0;
}
