// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The Panda and its problems.

#include "support/panda.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/cell.h"

static const char problems[] = BERTH_SHARED_DIR "/problems/panda.jsonl";

const char* panda_urdf(bool spheres) {
    return spheres ? BERTH_SHARED_DIR "/robots/panda_mbm/panda_spherized.urdf"
                   : BERTH_SHARED_DIR "/robots/panda_mbm/panda.urdf";
}

// A scene of the same robot, and a turned box out of reach: what the layouts of problems are made like.
static BerthScene* copy_robot(const BerthScene* scene) {
    BerthScene* out = NULL;
    const BerthPose turned = berth_pose_from_rpy((BerthVec3){0.0, 0.0, 1e3}, (BerthVec3){0.0, 0.0, 0.6});
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = (BerthRobot*)(uintptr_t)berth_scene_robot(scene, 0, &def.name, &def.world_from_base);
    if (berth_scene_create(NULL, &out) != BERTH_OK || berth_scene_add_robot(out, &def, NULL) != BERTH_OK ||
        berth_scene_add_box(out, "out of reach", (BerthVec3){1e-3, 1e-3, 1e-3}, &turned, NULL) != BERTH_OK ||
        berth_scene_commit(out) != BERTH_OK) {
        bench_die("copy");
    }
    return out;
}

static BerthLanes* make_lanes(const BerthScene* scene, const BerthLanes* like) {
    BerthLanes* lanes = NULL;
    BerthLanesDef def = berth_default_lanes_def();
    def.like = like;
    if (berth_lanes_create(scene, &def, &lanes) != BERTH_OK) {
        bench_die("lanes");
    }
    return lanes;
}

Panda panda_open(bool spheres) {
    Panda panda = {.spheres = spheres};
    BerthIoOptions options = berth_default_io_options();
    options.srdf = BERTH_SHARED_DIR "/robots/panda_mbm/panda.srdf";
    options.spheres_only = spheres;
    if (berth_io_read_scene(panda_urdf(spheres), &options, &panda.scene) != BERTH_OK) {
        bench_die(panda_urdf(spheres));
    }
    panda.empty = copy_robot(panda.scene);
    panda.like = make_lanes(panda.empty, NULL);
    if (berth_io_read_problem_lines(problems, NULL, &panda.lines) != BERTH_OK) {
        bench_die(problems);
    }
    return panda;
}

void panda_close(Panda* panda) {
    berth_io_free_problem_lines(&panda->lines);
    berth_lanes_destroy(panda->like);
    berth_scene_destroy(panda->empty);
    berth_scene_destroy(panda->scene);
}

void panda_read(Panda* panda, int32_t line, BerthProblem* out) {
    const BerthProblemLines* lines = &panda->lines;
    const BerthProblemText text = {lines->text + lines->starts[line], lines->lengths[line], problems,
                                   lines->numbers[line]};
    if (berth_io_read_problem(&text, NULL, panda->scene, out) != BERTH_OK) {
        bench_die(problems);
    }
}

void panda_forget(Panda* panda, BerthProblem* problem) {
    berth_io_free_problem(panda->scene, problem);
}

BerthLanes* panda_lanes(const Panda* panda) {
    return make_lanes(panda->scene, panda->like);
}

void panda_family(const BerthProblem* problem, char* out, int size) {
    (void)snprintf(out, (size_t)size, "%.*s", (int)strcspn(problem->name, "/"), problem->name);
}
