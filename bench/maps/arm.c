// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The thesis' arm: models/arm159, by the 159 balls that hold its links.

#include <berth/berth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maps/maps.h"

#define CELL 0.01                  // metres
#define ROOT_3 1.7320508075688774  // rounded up

static void die(const char* what) {
    fprintf(stderr, "bench: %s: %s\n", what, berth_error_text());
    exit(2);
}

static const BerthRobot* the_arm(void) {
    static BerthScene* scene;
    if (scene == NULL) {
        BerthIoOptions io = berth_default_io_options();
        io.srdf = BERTH_BUILD_DIR "/models/arm159/arm159.srdf";
        if (berth_io_read_scene(BERTH_BUILD_DIR "/models/arm159/arm159_spheres.urdf", &io, &scene) !=
            BERTH_OK) {
            die("build the target `models`");
        }
    }
    return berth_scene_robot(scene, 0, NULL, NULL);
}

int map_arm(int state, double balls[4 * ARM_BALLS], double round[ARM_BALLS]) {
    BerthPose base = berth_pose_identity(), poses[16];
    double values[16];
    char name[32];
    (void)snprintf(name, sizeof name, "state%d", state + 1);
    const BerthRobot* robot = the_arm();
    base.t = (BerthVec3){1.28, 1.28, 0.08};  // as in its cell
    if (berth_robot_named_state(robot, name, values) != BERTH_OK) {
        die(name);
    }
    berth_robot_link_poses(robot, &base, values, poses);

    int count = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        for (int32_t i = 0; i < berth_robot_link(robot, link).solid_count && count < ARM_BALLS;
             ++i, ++count) {
            BerthPose place;
            const BerthShape* ball = berth_solid_shape(berth_robot_solid(robot, link, i, &place, NULL));
            const BerthVec3 at = berth_pose_apply(&poses[link], place.t);
            round[count] = ball->as.sphere.radius / CELL;
            memcpy(balls + 4 * count,
                   (double[4]){at.x / CELL, at.y / CELL, at.z / CELL, ROOT_3 * round[count]},
                   4 * sizeof *balls);
        }
    }
    return count;
}
