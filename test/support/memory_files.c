// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT

#include "support/memory_files.h"

#include <stdio.h>
#include <string.h>

#include "support/arms.h"

static BerthStatus resolve(void* user, const char* uri, const char* referring_file,
                           const BerthIoOptions* options, Arena* arena, const char** path) {
    MemoryFiles* files = user;
    (void)referring_file;
    if (strstr(uri, "missing") != NULL) {
        return bi_fail(BERTH_ERR_PARSE, "there is no file '%.100s'", uri);
    }
    if (options->package_count > 0) {
        snprintf(files->package, sizeof files->package, "%.100s",
                 options->packages[options->package_count - 1]);
    }
    *path = bi_arena_text(arena, uri, strlen(uri));
    return *path != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "out of memory");
}

static BerthStatus read_robot(void* user, const char* urdf, const char* srdf, bool free_base,
                              const char* const* hull, int32_t hull_count, const BerthIoOptions* options,
                              BerthRobot** out) {
    MemoryFiles* files = user;
    (void)hull;
    files->robot_count += 1;
    files->hull_count = hull_count;
    snprintf(files->urdf, sizeof files->urdf, "%.100s", urdf);
    snprintf(files->srdf, sizeof files->srdf, "%.100s", srdf != NULL ? srdf : "");
    if (strstr(urdf, "broken") != NULL) {
        return bi_fail(BERTH_ERR_PARSE, "%.100s:7: not a robot", urdf);
    }
    *out = test_arm(free_base, &options->allocator);
    return *out != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "%.100s: out of memory", urdf);
}

static BerthStatus read_mesh(void* user, const char* path, BerthVec3 scale, const BerthIoOptions* options,
                             BerthMesh** out) {
    static const BerthVec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    MemoryFiles* files = user;
    files->mesh_count += 1;
    files->scale = scale;
    snprintf(files->mesh, sizeof files->mesh, "%.100s", path);
    return berth_mesh_create(points, 4, triangles, strstr(path, "open") != NULL ? 3 : 4, &options->allocator,
                             out);
}

SceneFiles test_memory_files(MemoryFiles* files) {
    *files = (MemoryFiles){.robot_count = 0};
    return (SceneFiles){resolve, read_robot, read_mesh, files};
}
