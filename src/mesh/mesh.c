// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Meshes: made once from any triangles, then constant. The steps of making are in weld.c,
// topology.c and solid.c; here is what goes in, what is refused, and what comes out.
// Entries: berth_mesh_create, berth_mesh_destroy, berth_mesh_info, berth_mesh_vertices, berth_mesh_triangles.

#include "mesh/mesh.h"

#include <string.h>

#include "math/tolerance.h"
#include "mesh/mesh_build.h"

static BerthStatus check_vertices(const BerthVec3* vertices, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const double value = v3_at(vertices[i], axis);
            if (!(fabs(value) <= BI_COORDINATE_MAX)) {
                return bi_fail(BERTH_ERR_ARGUMENT,
                               "mesh: vertex %d has %c = %g, a finite number within %g m is expected", i,
                               "xyz"[axis], value, BI_COORDINATE_MAX);
            }
        }
    }
    return BERTH_OK;
}

static BerthStatus check_triangles(const int32_t* triangles, int32_t triangle_count, int32_t vertex_count) {
    for (int32_t i = 0; i < triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            const int32_t index = triangles[3 * (size_t)i + (size_t)k];
            if (index < 0 || index >= vertex_count) {
                return bi_fail(BERTH_ERR_ARGUMENT,
                               "mesh: triangle %d names vertex %d, there are %d (counted from 0)", i, index,
                               vertex_count);
            }
        }
    }
    return BERTH_OK;
}

static BerthStatus check_input(const BerthVec3* vertices, int32_t vertex_count, const int32_t* triangles,
                               int32_t triangle_count) {
    if (vertices == NULL || triangles == NULL || vertex_count <= 0 || triangle_count <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "mesh: %d vertices and %d triangles, at least one triangle is expected", vertex_count,
                       triangle_count);
    }
    if (triangle_count > BI_MESH_TRIANGLES_MAX || vertex_count > 3 * BI_MESH_TRIANGLES_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "mesh: %d triangles and %d vertices, at most %d triangles are allowed", triangle_count,
                       vertex_count, BI_MESH_TRIANGLES_MAX);
    }

    const BerthStatus status = check_vertices(vertices, vertex_count);
    if (status != BERTH_OK) {
        return status;
    }
    return check_triangles(triangles, triangle_count, vertex_count);
}

static BerthStatus take_arrays(MeshBuild* build, const BerthVec3* vertices, const int32_t* triangles) {
    const size_t vertex_count = (size_t)build->vertex_capacity;
    const size_t triangle_count = (size_t)build->triangle_capacity;
    build->vertices = bi_take(&build->allocator, vertex_count, sizeof *build->vertices);
    build->triangles = bi_take(&build->allocator, 3 * triangle_count, sizeof *build->triangles);
    build->component = bi_take(&build->allocator, triangle_count, sizeof *build->component);
    if (build->vertices == NULL || build->triangles == NULL || build->component == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %zu triangles", triangle_count);
    }

    memcpy(build->vertices, vertices, vertex_count * sizeof *vertices);
    memcpy(build->triangles, triangles, 3 * triangle_count * sizeof *triangles);
    return BERTH_OK;
}

static void give_arrays(MeshBuild* build) {
    const size_t vertex_count = (size_t)build->vertex_capacity;
    const size_t triangle_count = (size_t)build->triangle_capacity;
    bi_give(&build->allocator, build->vertices, vertex_count, sizeof *build->vertices);
    bi_give(&build->allocator, build->triangles, 3 * triangle_count, sizeof *build->triangles);
    bi_give(&build->allocator, build->component, triangle_count, sizeof *build->component);
}

static BerthStatus run_build_steps(MeshBuild* build) {
    BerthStatus status = bi_mesh_weld(build);
    if (status == BERTH_OK && build->info.triangle_count == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "mesh: all %d triangles name a point twice, none is left",
                       build->triangle_capacity);
    }

    if (status == BERTH_OK) {
        status = bi_mesh_topology(build);
    }
    if (status == BERTH_OK) {
        status = bi_mesh_turn_outward(build);
    }
    if (status == BERTH_OK) {
        status = bi_mesh_compact(build);
    }
    if (status == BERTH_OK) {
        bi_mesh_measure(build);
    }
    return status;
}

// Arrays of exactly the size that is left: a soup of triangles loses five of six vertices by welding.
static BerthStatus make_mesh(const MeshBuild* build, BerthMesh** out) {
    BerthMesh* mesh = bi_take(&build->allocator, 1, sizeof *mesh);
    if (mesh == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory");
    }

    const size_t vertex_count = (size_t)build->info.vertex_count;
    const size_t triangle_count = (size_t)build->info.triangle_count;
    mesh->allocator = build->allocator;
    mesh->info = build->info;
    mesh->vertices = bi_take(&mesh->allocator, vertex_count, sizeof *mesh->vertices);
    mesh->triangles = bi_take(&mesh->allocator, 3 * triangle_count, sizeof *mesh->triangles);
    mesh->component = bi_take(&mesh->allocator, triangle_count, sizeof *mesh->component);
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->component == NULL) {
        berth_mesh_destroy(mesh);
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %zu triangles", triangle_count);
    }

    memcpy(mesh->vertices, build->vertices, vertex_count * sizeof *mesh->vertices);
    memcpy(mesh->triangles, build->triangles, 3 * triangle_count * sizeof *mesh->triangles);
    memcpy(mesh->component, build->component, triangle_count * sizeof *mesh->component);
    *out = mesh;
    return BERTH_OK;
}

BerthStatus berth_mesh_create(const BerthVec3* vertices, int32_t vertex_count, const int32_t* triangles,
                              int32_t triangle_count, const BerthAllocator* allocator, BerthMesh** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "mesh: no place for the result");
    }
    *out = NULL;
    BerthStatus status = check_input(vertices, vertex_count, triangles, triangle_count);
    if (status != BERTH_OK) {
        return status;
    }

    MeshBuild build = {
        .allocator = bi_allocator_or_default(allocator),
        .info = {.vertex_count = vertex_count, .triangle_count = triangle_count},
        .vertex_capacity = vertex_count,
        .triangle_capacity = triangle_count,
    };

    status = take_arrays(&build, vertices, triangles);
    if (status == BERTH_OK) {
        status = run_build_steps(&build);
    }
    if (status == BERTH_OK) {
        status = make_mesh(&build, out);
    }

    give_arrays(&build);
    return status;
}

void berth_mesh_destroy(BerthMesh* mesh) {
    if (mesh == NULL) {
        return;
    }
    const BerthAllocator allocator = mesh->allocator;
    const size_t triangle_count = (size_t)mesh->info.triangle_count;
    bi_give(&allocator, mesh->vertices, (size_t)mesh->info.vertex_count, sizeof *mesh->vertices);
    bi_give(&allocator, mesh->triangles, 3 * triangle_count, sizeof *mesh->triangles);
    bi_give(&allocator, mesh->component, triangle_count, sizeof *mesh->component);
    bi_give(&allocator, mesh, 1, sizeof *mesh);
}

BerthMeshInfo berth_mesh_info(const BerthMesh* mesh) {
    return mesh->info;
}

const BerthVec3* berth_mesh_vertices(const BerthMesh* mesh) {
    return mesh->vertices;
}

const int32_t* berth_mesh_triangles(const BerthMesh* mesh) {
    return mesh->triangles;
}
