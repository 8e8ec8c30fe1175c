// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A scene file of any kind: recognises its kind, by its name and its first bytes, and calls its reader.
// Entries: berth_io_read_scene, bi_io_scene_from_bytes, bi_io_scene_files_or_disk, bi_io_read_scene_robot.

#include "io/scene/scene_file.h"

#include <berth/io/mesh.h>
#include <string.h>

#include "io/robot/package.h"
#include "io/syntax/file.h"

static const char expected[] =
    "a berth scene (YAML with 'berth: 1'), a URDF, a MoveIt .scene or a MotionBenchMaker "
    "scene was expected";

// ---- the disk ----------------------------------------------------------------------------------------------

static BerthStatus disk_resolve(void* user, const char* uri, const char* referring_file,
                                const BerthIoOptions* options, Arena* arena, const char** path) {
    (void)user;
    return bi_io_resolve_uri(uri, referring_file, options, arena, path);
}

static BerthStatus disk_read_robot(void* user, const char* urdf, const BerthRobotOptions* robot_options,
                                   const BerthIoOptions* options, BerthRobot** out) {
    (void)user;
    return berth_io_read_robot(urdf, robot_options, options, out);
}

static BerthStatus disk_read_mesh(void* user, const char* path, BerthVec3 scale,
                                  const BerthIoOptions* options, BerthMesh** out) {
    (void)user;
    return berth_io_read_mesh(path, scale, options, out);
}

static BerthStatus disk_read_field(void* user, const char* path, const BerthMapOptions* map_options,
                                   const BerthIoOptions* options, BerthField** out, BerthMapFacts* facts) {
    (void)user;
    return berth_io_read_field(path, map_options, options, out, facts);
}

static BerthStatus disk_read_points(void* user, const char* path, const BerthIoOptions* options,
                                    BerthPoints* out) {
    (void)user;
    return berth_io_read_points(path, options, out);
}

SceneFiles bi_io_scene_files_or_disk(const SceneFiles* files) {
    if (files != NULL) {
        return *files;
    }
    return (SceneFiles){.resolve = disk_resolve,
                        .read_robot = disk_read_robot,
                        .read_mesh = disk_read_mesh,
                        .read_field = disk_read_field,
                        .read_points = disk_read_points};
}

// ---- which kind --------------------------------------------------------------------------------------------

typedef enum SceneKind { KIND_YAML = 0, KIND_XML, KIND_MOVEIT, KIND_NONE } SceneKind;

static const char* skip_blank(const char* at, const char* end) {
    if (end - at >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
        at += 3;
    }
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        ++at;
    }
    return at;
}

// MoveIt: a name on the first line, then "* object" or the final ".".
static bool looks_like_moveit(const char* data, const char* end) {
    const char* line = memchr(data, '\n', (size_t)(end - data));
    if (line == NULL) {
        return false;
    }

    line = skip_blank(line, end);
    if (line < end && *line == '.') {
        return line + 1 == end || line[1] == '\n' || line[1] == '\r';
    }
    return end - line >= 2 && line[0] == '*' && (line[1] == ' ' || line[1] == '\t');
}

static bool has_yaml_extension(const char* path) {
    return bi_io_has_extension(path, ".yaml") || bi_io_has_extension(path, ".yml") ||
           bi_io_has_extension(path, ".json");
}

static SceneKind find_kind(const char* path, const char* data, size_t size) {
    const char* end = data + size;
    const char* first = skip_blank(data, end);

    if (bi_io_has_extension(path, ".scene")) {
        return KIND_MOVEIT;
    }
    if (bi_io_has_extension(path, ".urdf") || bi_io_has_extension(path, ".xml") ||
        (first < end && *first == '<')) {
        return KIND_XML;
    }
    if (has_yaml_extension(path)) {
        return KIND_YAML;
    }

    if (memchr(data, '\0', size) != NULL || first == end) {
        return KIND_NONE;
    }
    return looks_like_moveit(data, end) ? KIND_MOVEIT : KIND_YAML;
}

// ---- readers -----------------------------------------------------------------------------------------------

static BerthStatus add_robot(SceneReader* reader, const char* urdf) {
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    BerthRobotOptions robot_options = berth_default_robot_options();
    robot_options.srdf = reader->options.srdf;
    BerthStatus status =
        reader->files.read_robot(reader->files.user, urdf, &robot_options, &reader->options, &def.robot);
    if (status != BERTH_OK) {
        return status;
    }

    def.own = true;
    status = berth_scene_add_robot(reader->scene, &def, NULL);
    if (status != BERTH_OK) {
        berth_robot_destroy(def.robot);
        return bi_fail_prefix(status, "%s", urdf);
    }
    return BERTH_OK;
}

BerthStatus bi_io_read_scene_robot(SceneReader* reader) {
    if (reader->options.robot == NULL && reader->options.world_only) {
        return BERTH_OK;
    }
    if (reader->options.robot == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s:1: this scene file holds no robot, and none was given",
                       reader->path);
    }
    return add_robot(reader, reader->options.robot);
}

static BerthStatus read_yaml(SceneReader* reader, const char* data, size_t size) {
    YamlFile yaml;
    BerthStatus status = bi_yaml_parse(data, size, reader->path, 1, &reader->options.allocator, &yaml);
    if (status == BERTH_ERR_PARSE && !has_yaml_extension(reader->path)) {
        // It was only tried because nothing said what the file is.
        status = bi_fail(BERTH_ERR_PARSE, "%s:1: not a scene: %s", reader->path, expected);
    }

    reader->yaml = &yaml;
    if (status == BERTH_OK && yaml.root->kind != YAML_MAP) {
        status = bi_yaml_fail(&yaml, yaml.root, "not a scene: %s", expected);
    } else if (status == BERTH_OK && bi_yaml_find(yaml.root, "berth") != NULL) {
        if (reader->options.robot == NULL && reader->options.srdf == NULL) {
            status = bi_io_read_berth_scene(reader, yaml.root);
        } else {
            status = bi_fail(BERTH_ERR_ARGUMENT,
                             "%s: the scene names its robots itself, and a robot or an SRDF was given",
                             reader->path);
        }
    } else if (status == BERTH_OK && (bi_yaml_find(yaml.root, "world") != NULL ||
                                      bi_yaml_find(yaml.root, "robot_model_name") != NULL ||
                                      bi_yaml_find(yaml.root, "allowed_collision_matrix") != NULL)) {
        status = bi_io_read_mbm_scene(reader, yaml.root);
    } else if (status == BERTH_OK && bi_yaml_find(yaml.root, "goal_constraints") != NULL) {
        status = bi_yaml_fail(&yaml, yaml.root, "a planning request, not a scene: %s", expected);
    } else if (status == BERTH_OK) {
        status = bi_yaml_fail(&yaml, yaml.root, "'berth: 1' is missing: %s", expected);
    }

    bi_yaml_free(&yaml);
    reader->yaml = NULL;
    return status;
}

// Settings that the kind of file has no use for are mistakes.
static BerthStatus check_settings(const SceneReader* reader, SceneKind kind) {
    if (reader->options.robot != NULL && kind == KIND_XML) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: it is a robot itself, and another one was given",
                       reader->path);
    }
    return BERTH_OK;
}

static BerthStatus read_by_kind(SceneReader* reader, const char* data, size_t size) {
    const SceneKind kind = find_kind(reader->path, data, size);
    const BerthStatus status = check_settings(reader, kind);
    if (status != BERTH_OK) {
        return status;
    }

    switch (kind) {
    case KIND_XML:
        return add_robot(reader, reader->path);
    case KIND_MOVEIT:
        return bi_io_read_moveit_scene(reader, data, size);
    case KIND_YAML:
        return read_yaml(reader, data, size);
    case KIND_NONE:
        break;
    }

    return bi_fail(BERTH_ERR_PARSE, "%s:1: %s: %s", reader->path,
                   size == 0 ? "the file is empty" : "not a scene", expected);
}

BerthStatus bi_io_scene_from_bytes(const char* path, const char* data, size_t size,
                                   const BerthIoOptions* options, const SceneFiles* files, BerthScene** out) {
    *out = NULL;
    Arena arena;
    bi_arena_init(&arena, &options->allocator, 0);

    SceneReader reader = {
        .path = path, .options = *options, .files = bi_io_scene_files_or_disk(files), .arena = &arena};
    reader.options.allocator = bi_allocator_or_default(&options->allocator);

    BerthStatus status = berth_scene_create(&reader.options.allocator, &reader.scene);
    if (status == BERTH_OK) {
        status = read_by_kind(&reader, data, size);
    }
    if (status == BERTH_OK) {
        status = berth_scene_commit(reader.scene);
        if (status != BERTH_OK) {
            bi_fail_prefix(status, "%s", path);
        }
    }

    bi_arena_free(&arena);
    if (status != BERTH_OK) {
        berth_scene_destroy(reader.scene);
        return status;
    }

    *out = reader.scene;
    return BERTH_OK;
}

BerthStatus berth_io_read_scene(const char* path, const BerthIoOptions* options, BerthScene** out) {
    if (out != NULL) {
        *out = NULL;
    }
    if (path == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read scene: give a path and a place");
    }

    FileBytes bytes = {.data = NULL};
    BerthStatus status = bi_io_settle_options(&options);
    if (status == BERTH_OK) {
        status = bi_io_read_file(path, 0, options, &bytes);
    }
    if (status == BERTH_OK) {
        status = bi_io_scene_from_bytes(path, bytes.data, bytes.size, options, NULL, out);
    }
    bi_io_free_file(&bytes);
    return status;
}
