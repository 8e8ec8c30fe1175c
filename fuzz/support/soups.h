// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What every reader of meshes promises: triangles that a mesh can be made of, or that are refused with an error.

#ifndef FUZZ_SUPPORT_SOUPS_H
#define FUZZ_SUPPORT_SOUPS_H

#include <berth/mesh.h>

#include "io/mesh/soup.h"

static inline void make_mesh_of(const TriangleSoup* soup) {
    BerthMesh* mesh = NULL;
    (void)berth_mesh_create(soup->vertices, (int32_t)soup->vertex_count, soup->corners,
                            (int32_t)soup->triangle_count, NULL, &mesh);
    berth_mesh_destroy(mesh);
}

#endif
