// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a scene file of any kind (berth's YAML, MoveIt's .scene, MotionBenchMaker's YAML), with a robot given and
// without, and as a line of problems. Robots and meshes come from memory: no name in the bytes reaches the disk.

#include <stdlib.h>

#include "scene/scene.h"
#include "support/arms.h"
#include "support/memory_files.h"
#include "support/target.h"

static void check(const BerthScene* scene) {
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (!(pair->body_a >= 0 && pair->body_a < pair->body_b && pair->body_b < scene->body_count &&
              pair->padding >= 0.0)) {
            abort();
        }
    }
    for (int32_t i = 0; i < scene->body_count; ++i) {
        if (berth_scene_find_body(scene, scene->bodies[i].name) != i) {
            abort();
        }
    }
}

static void as_scene(const char* text, size_t size, const char* robot) {
    MemoryFiles files;
    const SceneFiles memory = test_memory_files(&files);
    BerthIoOptions options = berth_default_io_options();
    options.robot = robot;
    BerthScene* scene = NULL;
    const BerthStatus status = bi_io_scene_from_bytes("fuzz", text, size, &options, &memory, &scene);
    if ((status == BERTH_OK) != (scene != NULL) || (status != BERTH_OK && berth_error_text()[0] == '\0')) {
        abort();
    }
    if (scene != NULL) {
        check(scene);
    }
    berth_scene_destroy(scene);
}

static void as_problem(const char* text, size_t size) {
    MemoryFiles files;
    const SceneFiles memory = test_memory_files(&files);
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = test_arm(false, NULL);
    def.own = true;
    if (berth_scene_create(NULL, &scene) != BERTH_OK ||
        berth_scene_add_robot(scene, &def, NULL) != BERTH_OK || berth_scene_commit(scene) != BERTH_OK) {
        abort();
    }
    BerthProblem problem;
    const BerthProblemText line = {text, size, "fuzz", 1};
    if (bi_io_problem_from_text(&line, &options, &memory, scene, &problem) == BERTH_OK) {
        check(scene);
        berth_io_free_problem(scene, &problem);
    }
    if (berth_scene_object_count(scene) != 0) {
        abort();
    }
    berth_scene_destroy(scene);
}

FUZZ_TARGET(bytes, size) {
    as_scene(bytes, size, NULL);
    as_scene(bytes, size, "arm.urdf");
    if (size > 0 && bytes[0] == '{') {
        as_problem(bytes, size);
    }
}
