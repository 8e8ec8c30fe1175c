// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the readers of scenes share: berth's own YAML, problems, MoveIt's .scene, MotionBenchMaker's YAML.

#ifndef BI_IO_SCENE_FILE_H
#define BI_IO_SCENE_FILE_H

#include <berth/io/cloud.h>
#include <berth/io/map.h>
#include <berth/io/robot.h>
#include <berth/io/scene.h>

#include "io/syntax/yaml.h"

/// Where robots, meshes and files come from. Null stands for the disk; tests and fuzzers put something else here, so
/// that bytes from anywhere never name a file.
typedef struct SceneFiles {
    BerthStatus (*resolve)(void* user, const char* uri, const char* referring_file,
                           const BerthIoOptions* options, Arena* arena, const char** path);
    BerthStatus (*read_robot)(void* user, const char* urdf, const BerthRobotOptions* robot_options,
                              const BerthIoOptions* options, BerthRobot** out);
    BerthStatus (*read_mesh)(void* user, const char* path, BerthVec3 scale, const BerthIoOptions* options,
                             BerthMesh** out);
    void* user;
    /// These two may be null: then scenes have no maps and no clouds.
    BerthStatus (*read_field)(void* user, const char* path, const BerthMapOptions* map_options,
                              const BerthIoOptions* options, BerthField** out, BerthMapFacts* facts);
    BerthStatus (*read_points)(void* user, const char* path, const BerthIoOptions* options, BerthPoints* out);
} SceneFiles;

typedef struct SceneReader {
    const char* path;        ///< of the scene file, for texts and as the place that relative names start from
    const YamlFile* yaml;    ///< null for .scene
    BerthIoOptions options;  ///< with the scene's packages behind those of the caller
    SceneFiles files;
    BerthScene* scene;
    Arena* arena;
} SceneReader;

/// Reads a scene from bytes. `files` may be null: the disk. The scene is committed.
BerthStatus bi_io_scene_from_bytes(const char* path, const char* data, size_t size,
                                   const BerthIoOptions* options, const SceneFiles* files, BerthScene** out);
/// berth_io_read_problem with other files.
BerthStatus bi_io_problem_from_text(const BerthProblemText* line, const BerthIoOptions* options,
                                    const SceneFiles* files, BerthScene* scene, BerthProblem* out);
SceneFiles bi_io_scene_files_or_disk(const SceneFiles* files);

// One a format; each fills reader->scene and leaves the commit to its caller.
BerthStatus bi_io_read_berth_scene(SceneReader* reader, const YamlNode* root);
BerthStatus bi_io_read_mbm_scene(SceneReader* reader, const YamlNode* root);
BerthStatus bi_io_read_moveit_scene(SceneReader* reader, const char* data, size_t size);
/// The robot of a scene file that holds none: options.robot, else a text that says how to name one.
BerthStatus bi_io_read_scene_robot(SceneReader* reader);

/// One entry of `objects`, without its touch list (which may name objects that come later). `id` may be null.
BerthStatus bi_io_read_object(SceneReader* reader, const YamlNode* node, BerthObjectId* id);
/// All of `objects`, with touch lists. `ids` is null, or has room for node->count ids.
BerthStatus bi_io_read_objects(SceneReader* reader, const YamlNode* node, BerthObjectId* ids);
/// {xyz, rpy} or {xyz, quat}.
BerthStatus bi_io_read_pose(const YamlFile* file, const YamlNode* node, const char* what, BerthPose* out);
/// A solid from the mesh file that `node` names; `what` is for texts. `hull`: its convex hull.
BerthStatus bi_io_read_mesh_solid(SceneReader* reader, const YamlNode* node, const char* what,
                                  BerthVec3 scale, bool hull, BerthSolid** out);
/// What `map:` and `points:` stand for; `what` is for texts, `source` becomes the file's name.
BerthStatus bi_io_read_scene_map(SceneReader* reader, const YamlNode* node, const char* what,
                                 BerthObjectDef* out, const char** source);
BerthStatus bi_io_read_scene_points(SceneReader* reader, const YamlNode* node, const char* what,
                                    BerthSolid** out, double* radius, const char** source);
/// Makes a quaternion unit, unless it is but for rounding; false when it is zero or not finite.
bool bi_io_normalize_quat(double quat[4]);

#endif
