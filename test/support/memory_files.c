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
    *path = bi_arena_copy_text(arena, uri, strlen(uri));
    return *path != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "out of memory");
}

static BerthStatus read_robot(void* user, const char* urdf, const BerthRobotOptions* robot_options,
                              const BerthIoOptions* options, BerthRobot** out) {
    MemoryFiles* files = user;
    const char* srdf = robot_options->srdf;
    files->robot_count += 1;
    files->hull_count = robot_options->hull_link_count;
    snprintf(files->urdf, sizeof files->urdf, "%.100s", urdf);
    snprintf(files->srdf, sizeof files->srdf, "%.100s", srdf != NULL ? srdf : "");
    if (strstr(urdf, "broken") != NULL) {
        return bi_fail(BERTH_ERR_PARSE, "%.100s:7: not a robot", urdf);
    }
    *out = test_arm(robot_options->free_base, &options->allocator);
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

// Four cells a side (in the plane when the name has "plan"): one occupied, one unknown; "empty" has none.
static BerthStatus read_field(void* user, const char* path, const BerthMapOptions* map_options,
                              const BerthIoOptions* options, BerthField** out, BerthMapFacts* facts) {
    MemoryFiles* files = user;
    *facts = (BerthMapFacts){.background_taken_free = strstr(path, "cloud") != NULL,
                             .open_meshes = strstr(path, "open") != NULL ? 2 : 0};
    BerthFieldDef def = berth_default_field_def();
    BerthFieldBuilder* builder = NULL;
    files->map_count += 1;
    files->map = *map_options;
    def.dim = strstr(path, "plan") != NULL ? 2 : 3;
    def.levels = 2;
    def.resolution = map_options->resolution > 0.0 ? map_options->resolution : 0.1;
    def.unknown_is_free = map_options->unknown_is_free;
    def.allocator = options->allocator;
    BerthStatus status = berth_field_builder_create(&def, &builder);
    if (status == BERTH_OK && strstr(path, "empty") == NULL) {
        status = berth_field_add_cell(builder, 1, 1, 0, BERTH_CELL_OCCUPIED);
        status = status == BERTH_OK ? berth_field_add_cell(builder, 2, 1, 0, BERTH_CELL_UNKNOWN) : status;
    }
    if (status == BERTH_OK) {
        status = berth_field_build(builder, out);
    }
    berth_field_builder_destroy(builder);
    return status;
}

static BerthStatus read_points(void* user, const char* path, const BerthIoOptions* options,
                               BerthPoints* out) {
    MemoryFiles* files = user;
    const int64_t count = strstr(path, "empty") != NULL ? 0 : 3;
    files->cloud_count += 1;
    *out = (BerthPoints){.allocator = options->allocator, .count = count, .capacity = 3};
    out->points = bi_take(&options->allocator, 3, sizeof *out->points);
    out->dropped = strstr(path, "dropped") != NULL ? 2 : 0;
    return out->points != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "%.100s: out of memory", path);
}

SceneFiles test_memory_files(MemoryFiles* files) {
    *files = (MemoryFiles){.robot_count = 0};
    return (SceneFiles){.resolve = resolve,
                        .read_robot = read_robot,
                        .read_mesh = read_mesh,
                        .user = files,
                        .read_field = read_field,
                        .read_points = read_points};
}
