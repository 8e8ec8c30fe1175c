// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The thesis' arm: models/arm159, covered by 159 balls that are proven to hold its links.

#include <berth/berth.h>
#include <berth/cover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maps/maps.h"

#define CELL 0.01                  // metres
#define ROOT_3 1.7320508075688774  // rounded up

/// The robot, and its balls in the frames of its links.
typedef struct Arm {
    BerthScene* scene;
    BerthSpheres* spheres;
} Arm;

static void die(const char* what) {
    fprintf(stderr, "bench: %s: %s\n", what, berth_error_text());
    exit(2);
}

static const Arm* the_arm(void) {
    static Arm arm;
    if (arm.scene == NULL) {
        const BerthIoOptions io = berth_default_io_options();
        if (berth_io_read_scene(BERTH_BUILD_DIR "/models/arm159/cell.yaml", &io, &arm.scene) != BERTH_OK) {
            die("build the target `models`");
        }
        BerthSpheresDef def = berth_default_spheres_def();
        def.count = ARM_BALLS;
        if (berth_robot_fit_spheres(berth_scene_robot(arm.scene, 0, NULL, NULL), -1, &def, &arm.spheres) !=
            BERTH_OK) {
            die("no cover");
        }
    }
    return &arm;
}

int map_arm(int state, double balls[4 * ARM_BALLS], double round[ARM_BALLS]) {
    const Arm* arm = the_arm();
    BerthPose base, poses[16];
    double values[16];
    char name[32];
    (void)snprintf(name, sizeof name, "state%d", state + 1);
    const BerthRobot* robot = berth_scene_robot(arm->scene, 0, NULL, &base);
    if (berth_robot_named_state(robot, name, values) != BERTH_OK) {
        die(name);
    }
    berth_robot_link_poses(robot, &base, values, poses);

    int count = 0;
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        const BerthSphereGroup group = berth_spheres_group(arm->spheres, link);
        if (group.has_geometry && !group.covered) {
            die("a cover that is not proven");
        }
        for (int32_t i = 0; i < group.count && count < ARM_BALLS; ++i, ++count) {
            const BerthVec3 at = berth_pose_apply(&poses[link], group.balls[i].centre);
            round[count] = group.balls[i].radius / CELL;
            memcpy(balls + 4 * count,
                   (double[4]){at.x / CELL, at.y / CELL, at.z / CELL, ROOT_3 * round[count]},
                   4 * sizeof *balls);
        }
    }
    return count;
}
