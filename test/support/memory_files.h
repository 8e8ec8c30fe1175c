// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files for the readers of scenes that are not on any disk: every robot is test_arm, every mesh a tetrahedron, every
// map a few cells, every cloud three points; names with "missing" in them are not found.

#ifndef TEST_SUPPORT_MEMORY_FILES_H
#define TEST_SUPPORT_MEMORY_FILES_H

#include "io/scene/scene_file.h"

typedef struct MemoryFiles {
    int robot_count, mesh_count, map_count, cloud_count;
    char urdf[128], srdf[128], mesh[128], package[128];  // last asked for
    int hull_count;
    BerthVec3 scale;
    BerthMapOptions map;  // last asked for
} MemoryFiles;

SceneFiles test_memory_files(MemoryFiles* files);

#endif
