// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a URDF. Nothing on disk is looked at; a robot that comes out is used once.

#include "io/robot/urdf.h"
#include "support/target.h"

static void use_robot(const BerthRobot* robot) {
    const size_t values = (size_t)berth_robot_value_count(robot),
                 links = (size_t)berth_robot_link_count(robot);
    double* state = calloc(values + 1, sizeof *state);
    BerthPose* poses = calloc(links + 1, sizeof *poses);
    BerthVec3* columns = calloc(values + 1, sizeof *columns);
    if (state != NULL && poses != NULL && columns != NULL) {
        const BerthPose base = berth_pose_identity();
        berth_robot_default_values(robot, state);
        berth_robot_link_poses(robot, &base, state, poses);
        berth_robot_point_jacobian(robot, &base, state, (int32_t)links - 1, poses[0].t, columns);
        need(berth_robot_reach(robot) >= 0.0);
    }
    free(state);
    free(poses);
    free(columns);
}

FUZZ_TARGET(bytes, size) {
    const BerthIoOptions options = berth_default_io_options();
    const RobotText urdf = {"fuzz.urdf", bytes, size};
    const RobotRequest ask = {.no_files = true, .options = &options};
    BerthRobot* robot = NULL;
    const BerthStatus status = bi_io_robot_from_text(&urdf, NULL, &ask, &robot);
    need((status == BERTH_OK) == (robot != NULL));
    // Every refusal names the file and, but for memory, a line.
    need(status == BERTH_OK || strncmp(berth_error_text(), "fuzz.urdf:", 10) == 0);
    if (robot != NULL) {
        use_robot(robot);
    }
    berth_robot_destroy(robot);
}
