// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A few capsules or boxes that together cover a mesh.

#ifndef BI_MESH_ENCLOSE_H
#define BI_MESH_ENCLOSE_H

#include <berth/mesh.h>

#include "shape/enclose.h"

enum { BI_MESH_PIECES_MAX = 64 };
/// Shapes that cover something together, in its frame.
typedef struct MeshEnclosure {
    BerthShape shapes[BI_MESH_PIECES_MAX];
    Pose poses[BI_MESH_PIECES_MAX];
    int32_t count;
    double volume;  ///< sum
} MeshEnclosure;
/// Covers a mesh by at most `most` capsules (or boxes): its surface, and of a watertight one what is inside. It is cut where that
/// saves the most; a further piece must save `gain` of the whole volume.
BerthStatus bi_mesh_enclose(const BerthMesh* mesh, BerthShapeKind kind, int32_t most, double gain,
                            const BerthAllocator* allocator, MeshEnclosure* out);

#endif
