// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The thesis' arm: models/arm159, by the 159 L1 balls that hold its links in a state, and by 159 round ones.

#include <berth/berth.h>
#include <berth/cover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maps/maps.h"

#define CELL 0.01  // metres

enum { LINKS_MAX = 16 };

static void die(const char* what) {
    fprintf(stderr, "bench: %s: %s\n", what, berth_error_text());
    exit(2);
}

/// One of the arm's two models.
typedef struct Arm {
    const char* file;
    BerthScene* scene;
    const BerthRobot* robot;
} Arm;
static Arm by_spheres = {.file = BERTH_BUILD_DIR "/models/arm159/arm159_spheres.urdf"};
static Arm by_capsules = {.file = BERTH_BUILD_DIR "/models/arm159/arm159.urdf"};

static void place_arm(Arm* arm, int state, BerthPose poses[LINKS_MAX]) {
    if (arm->scene == NULL) {
        BerthIoOptions io = berth_default_io_options();
        io.srdf = BERTH_BUILD_DIR "/models/arm159/arm159.srdf";
        if (berth_io_read_scene(arm->file, &io, &arm->scene) != BERTH_OK) {
            die("build the target `models`");
        }
        arm->robot = berth_scene_robot(arm->scene, 0, NULL, NULL);
    }

    double values[LINKS_MAX];
    char name[32];
    (void)snprintf(name, sizeof name, "state%d", state + 1);
    if (berth_robot_named_state(arm->robot, name, values) != BERTH_OK) {
        die(name);
    }
    BerthPose base = berth_pose_identity();
    base.t = (BerthVec3){1.28, 1.28, 0.08};  // as in its cell
    berth_robot_link_poses(arm->robot, &base, values, poses);
}

static void put_ball(double out[4], BerthVec3 at, double radius) {
    memcpy(out, (double[4]){at.x / CELL, at.y / CELL, at.z / CELL, radius / CELL}, 4 * sizeof *out);
}

int map_arm_round(int state, double balls[4 * ARM_BALLS]) {
    BerthPose poses[LINKS_MAX];
    place_arm(&by_spheres, state, poses);
    const BerthRobot* robot = by_spheres.robot;
    int count = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        for (int32_t i = 0; i < berth_robot_link(robot, link).solid_count && count < ARM_BALLS;
             ++i, ++count) {
            BerthPose place;
            const BerthShape* ball = berth_solid_shape(berth_robot_solid(robot, link, i, &place, NULL));
            put_ball(balls + 4 * count, berth_pose_apply(&poses[link], place.t), ball->as.sphere.radius);
        }
    }
    return count;
}

int map_arm(int state, double balls[4 * ARM_BALLS]) {
    BerthPose poses[LINKS_MAX];
    place_arm(&by_capsules, state, poses);

    // Octahedra turn with nothing: they are fitted to the capsules where this state has them.
    BerthSpheresDef def = berth_default_spheres_def();
    BerthSpheres* spheres = NULL;
    def.count = ARM_BALLS;
    def.effort = 0.1;  // with 1 a state takes half a minute of processor time
    def.metric = BERTH_METRIC_L1;
    def.poses = poses;
    if (berth_robot_fit_spheres(by_capsules.robot, -1, &def, &spheres) != BERTH_OK) {
        die("the arm's octahedra");
    }

    int count = 0;
    for (int32_t g = 0; g < berth_spheres_group_count(spheres); ++g) {
        const BerthSphereGroup group = berth_spheres_group(spheres, g);
        if (group.has_geometry && !group.covered) {
            die("the arm is not covered");
        }
        for (int32_t i = 0; i < group.count && count < ARM_BALLS; ++i, ++count) {
            put_ball(balls + 4 * count, group.balls[i].centre, group.balls[i].radius);
        }
    }
    berth_spheres_destroy(spheres);
    return count;
}
