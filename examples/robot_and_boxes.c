// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A robot from its files, boxes from code: reads a URDF and an SRDF, puts a table and a shelf beside the robot, and checks
// a path from the state "home" to another named one. What most programs that plan for an arm begin with.
//     robot_and_boxes ROBOT.urdf ROBOT.srdf [TO]

#include <berth/berth.h>
#include <stdio.h>
#include <stdlib.h>

static void print_warning(void* user, const char* text) {
    (void)user;
    fprintf(stderr, "warning: %s\n", text);
}

/// The robot at the origin, with the SRDF's allowed pairs, groups and named states.
static BerthStatus add_robot(BerthScene* scene, const char* urdf, const char* srdf) {
    BerthIoOptions options = berth_default_io_options();
    options.warn = print_warning;
    BerthRobotOptions robot_options = berth_default_robot_options();
    robot_options.srdf = srdf;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.own = true;  // the scene destroys it
    BerthStatus status = berth_io_read_robot(urdf, &robot_options, &options, &def.robot);
    if (status != BERTH_OK) {
        return status;
    }

    status = berth_scene_add_robot(scene, &def, NULL);
    if (status != BERTH_OK) {
        berth_robot_destroy(def.robot);
    }
    return status;
}

/// A table below the robot, which its base may touch, and a shelf in front of it.
static BerthStatus add_boxes(BerthScene* scene) {
    const BerthVec3 no_turn = {0, 0, 0};
    const BerthPose at_table = berth_pose_from_rpy((BerthVec3){0.3, 0, -0.55}, no_turn);
    const BerthPose at_shelf = berth_pose_from_rpy((BerthVec3){2.2, 0, 0.8}, no_turn);
    BerthStatus status = berth_scene_add_box(scene, "table", (BerthVec3){1.2, 1.2, 0.05}, &at_table, NULL);
    if (status == BERTH_OK) {
        status = berth_scene_add_box(scene, "shelf", (BerthVec3){0.3, 1.0, 0.02}, &at_shelf, NULL);
    }
    return status;
}

/// Two rows, from "home" to the state `to`, in `rows`; they are the caller's.
static BerthStatus make_rows(const BerthScene* scene, const char* to, double** rows) {
    const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
    const size_t count = (size_t)berth_scene_value_count(scene);
    *rows = calloc(2 * count + 1, sizeof **rows);
    if (*rows == NULL) {
        return BERTH_ERR_MEMORY;
    }

    BerthStatus status = berth_robot_named_state(robot, "home", *rows);
    if (status == BERTH_OK) {
        status = berth_robot_named_state(robot, to, *rows + count);
    }
    return status;
}

static void print_answer(const BerthScene* scene, const BerthPathResult* path) {
    if (path->verdict == BERTH_FREE) {
        printf("free: nothing comes nearer than %.4f m\n", path->clearance);
    } else {
        printf("%s: %s and %s at t = %.4f\n", berth_verdict_name(path->verdict),
               berth_scene_body_name(scene, path->body_a), berth_scene_body_name(scene, path->body_b),
               path->t);
    }

    // A proof is only as good as what it is about.
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        const BerthAssumed assumed = berth_scene_assumed(scene, i);
        printf("assumed: %s (%d)\n", assumed.what, (int)assumed.count);
    }
}

int main(int argc, char** argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: robot_and_boxes ROBOT.urdf ROBOT.srdf [TO]\n");
        return 2;
    }

    BerthScene* scene = NULL;
    double* rows = NULL;
    BerthPathResult path = {.verdict = BERTH_UNKNOWN};
    BerthStatus status = berth_scene_create(NULL, &scene);
    if (status == BERTH_OK) {
        status = add_robot(scene, argv[1], argv[2]);
    }
    if (status == BERTH_OK) {
        status = add_boxes(scene);
    }
    if (status == BERTH_OK) {
        status = berth_scene_commit(scene);
    }

    if (status == BERTH_OK) {
        status = make_rows(scene, argc > 3 ? argv[3] : "stretched", &rows);
    }
    if (status == BERTH_OK) {
        status = berth_motion_check_path(scene, rows, 2, berth_scene_value_count(scene), 0.0, &path);
    }

    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
    } else {
        print_answer(scene, &path);
    }

    free(rows);
    berth_scene_destroy(scene);
    return status == BERTH_OK && path.verdict == BERTH_FREE ? 0 : 1;
}
