// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Meshes: made once from any triangles, then constant. The steps are in weld.c, topology.c and solid.c; here
// are validation, the order of the steps and the result.
// Entries: berth_mesh_create, berth_mesh_destroy, berth_mesh_info, berth_mesh_vertices, berth_mesh_triangles.

#include "mesh/mesh.h"

#include <string.h>

#include "base/threads.h"
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

static BerthStatus copy_arrays(MeshBuild* build, const BerthVec3* vertices, const int32_t* triangles) {
    const size_t vertex_count = (size_t)build->vertex_capacity;
    const size_t triangle_count = (size_t)build->triangle_capacity;
    build->vertices = bi_take_raw(&build->allocator, vertex_count, sizeof *build->vertices);
    build->triangles = bi_take_raw(&build->allocator, 3 * triangle_count, sizeof *build->triangles);
    if (build->vertices == NULL || build->triangles == NULL) {
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

// Equal points one, and the others gone: what follows needs an array a vertex.
static BerthStatus weld_and_compact(MeshBuild* build) {
    const BerthStatus status = bi_mesh_weld(build);
    if (status != BERTH_OK) {
        return status;
    }
    if (build->info.triangle_count == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "mesh: all %d triangles name a point twice, none is left",
                       build->info.degenerate_count);
    }
    return bi_mesh_compact(build);
}

static BerthStatus run_build_steps(MeshBuild* build) {
    BerthStatus status = weld_and_compact(build);
    if (status == BERTH_OK) {
        build->component =
            bi_take_raw(&build->allocator, (size_t)build->triangle_capacity, sizeof *build->component);
        status = build->component != NULL ? BERTH_OK
                                          : bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %d triangles",
                                                    build->triangle_capacity);
    }

    if (status == BERTH_OK) {
        status = bi_mesh_topology(build);
    }
    if (status == BERTH_OK) {
        status = bi_mesh_turn_outward(build);
    }
    if (status == BERTH_OK) {
        status =
            bi_mesh_compact(build);  // triangles without area are gone, and may have taken vertices along
    }
    if (status == BERTH_OK) {
        bi_mesh_measure(build);
    }
    return status;
}

// The array itself when it has the size that is left, else a copy that has; null when there is no memory.
static void* shrink_array(const BerthAllocator* allocator, void** array, size_t capacity, size_t count,
                          size_t size) {
    void* fitted = *array;
    if (capacity == count) {
        *array = NULL;  // the build gives nothing back then
        return fitted;
    }

    fitted = bi_take_raw(allocator, count, size);
    if (fitted != NULL) {
        memcpy(fitted, *array, count * size);
    }
    return fitted;
}

static BerthStatus make_mesh(MeshBuild* build, BerthMesh** out) {
    BerthMesh* mesh = bi_take(&build->allocator, 1, sizeof *mesh);
    if (mesh == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory");
    }

    const size_t triangle_count = (size_t)build->info.triangle_count;
    const size_t triangle_capacity = (size_t)build->triangle_capacity;
    void *vertices = build->vertices, *triangles = build->triangles, *component = build->component;
    mesh->allocator = build->allocator;
    mesh->info = build->info;
    mesh->vertices = shrink_array(&mesh->allocator, &vertices, (size_t)build->vertex_capacity,
                                  (size_t)build->info.vertex_count, sizeof *mesh->vertices);
    mesh->triangles = shrink_array(&mesh->allocator, &triangles, triangle_capacity, triangle_count,
                                   3 * sizeof *mesh->triangles);
    mesh->component = shrink_array(&mesh->allocator, &component, triangle_capacity, triangle_count,
                                   sizeof *mesh->component);
    build->vertices = vertices;
    build->triangles = triangles;
    build->component = component;

    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->component == NULL) {
        berth_mesh_destroy(mesh);
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %zu triangles", triangle_count);
    }
    *out = mesh;
    return BERTH_OK;
}

static BerthStatus finish_build(MeshBuild* build, BerthMesh** out) {
    BerthStatus status = run_build_steps(build);
    if (status == BERTH_OK) {
        status = make_mesh(build, out);
    }
    give_arrays(build);
    return status;
}

static MeshBuild start_build(int32_t vertex_count, int32_t triangle_count, const BerthAllocator* allocator) {
    return (MeshBuild){
        .allocator = bi_allocator_or_default(allocator),
        .info = {.vertex_count = vertex_count, .triangle_count = triangle_count},
        .vertex_capacity = vertex_count,
        .triangle_capacity = triangle_count,
        .threads = bi_processor_count(),
    };
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

    MeshBuild build = start_build(vertex_count, triangle_count, allocator);
    status = copy_arrays(&build, vertices, triangles);
    if (status != BERTH_OK) {
        give_arrays(&build);
        return status;
    }
    return finish_build(&build, out);
}

BerthStatus bi_mesh_create_from_arrays(MeshArrays* arrays, const BerthAllocator* allocator, BerthMesh** out) {
    *out = NULL;
    const BerthStatus status =
        check_input(arrays->vertices, arrays->vertex_count, arrays->triangles, arrays->triangle_count);
    if (status != BERTH_OK) {
        return status;
    }

    MeshBuild build = start_build(arrays->vertex_count, arrays->triangle_count, allocator);
    build.vertices = arrays->vertices;
    build.triangles = arrays->triangles;
    build.vertex_capacity = arrays->vertex_capacity;
    build.triangle_capacity = arrays->triangle_capacity;
    *arrays = (MeshArrays){0};
    return finish_build(&build, out);
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
