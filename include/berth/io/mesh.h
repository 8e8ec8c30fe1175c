// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Mesh files: STL, OBJ, DAE, PLY, glTF.

#ifndef BERTH_IO_MESH_H
#define BERTH_IO_MESH_H

#include <berth/io/syntax.h>
#include <berth/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a mesh. By extension, in upper or lower case: .stl and .obj by readers of berth; .dae, .ply, .gltf
/// and .glb through assimp, in the program berth-mesh-reader, which is started for each file. A file that
/// crashes that program is BERTH_ERR_PARSE, one for which memory or time run out BERTH_ERR_MEMORY or
/// BERTH_ERR_SYSTEM. BERTH_ERR_UNSUPPORTED when that program is missing, when the build has no assimp, and
/// for all other types. `scale` is per axis, finite and not 0; a scale that mirrors reverses the winding.
BERTH_API BerthStatus berth_io_read_mesh(const char* path, BerthVec3 scale, const BerthIoOptions* options,
                                         BerthMesh** out);
/// Is the file a mesh that berth_io_read_mesh reads, by its name?
BERTH_API bool berth_io_is_mesh(const char* path);

#ifdef __cplusplus
}
#endif
#endif
