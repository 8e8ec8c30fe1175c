// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Triangle meshes: welded vertices, triangles, closedness, and the winding number of a point.

#ifndef BI_MESH_H
#define BI_MESH_H

#include <berth/mesh.h>

#include "base/base.h"
#include "math/vec3.h"

/// More triangles are refused: making a mesh of this many takes about 3 GB.
#define BI_MESH_TRIANGLES_MAX 20000000

struct BerthMesh {
    BerthAllocator allocator;
    BerthMeshInfo info;
    Vec3* vertices;
    int32_t* triangles;  // 3 * info.triangle_count
    int32_t* component;  // of each triangle
};

/// Arrays from the allocator that the mesh is made with.
typedef struct MeshArrays {
    Vec3* vertices;
    int32_t* triangles;  ///< three corners each
    int32_t vertex_count, triangle_count;
    int32_t vertex_capacity, triangle_capacity;  ///< that there is memory for
} MeshArrays;

/// As berth_mesh_create, but nothing is copied: the arrays are taken, and `arrays` is cleared, unless they are refused
/// (BERTH_ERR_ARGUMENT before anything is done with them).
BerthStatus bi_mesh_create_from_arrays(MeshArrays* arrays, const BerthAllocator* allocator, BerthMesh** out);

static inline void mesh_triangle(const BerthMesh* mesh, int32_t index, Vec3 out[3]) {
    const int32_t* corner = mesh->triangles + 3 * (size_t)index;
    out[0] = mesh->vertices[corner[0]];
    out[1] = mesh->vertices[corner[1]];
    out[2] = mesh->vertices[corner[2]];
}

/// True when p is inside the closed mesh (winding number not 0) by ray casting; points on the surface count as
/// inside. Only for watertight meshes. Linear in triangles: the tree room has the fast form.
bool bi_mesh_contains_slow(const BerthMesh* mesh, Vec3 p);

#endif
