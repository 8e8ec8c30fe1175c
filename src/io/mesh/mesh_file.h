// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What readers of robots and scenes need of mesh files.

#ifndef BI_IO_MESH_FILE_H
#define BI_IO_MESH_FILE_H

#include <berth/io/mesh.h>
#include <berth/tree.h>

/// A solid, or its convex hull. Takes the mesh, also on failure.
BerthStatus bi_io_solid_from_mesh(BerthMesh* mesh, bool as_hull, const BerthAllocator* allocator,
                                  BerthSolid** out);

#endif
