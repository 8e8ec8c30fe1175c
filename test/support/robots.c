// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robots for tests.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "io/robot/urdf.h"
#include "io/syntax/file.h"
#include "support/robots.h"
#include "support/setting.h"

#define MOVEIT "robots/moveit_resources_"
#define EXAMPLE "robots/example-robot-data/robots/"

const TestRobot test_robots[] = {
    {"panda", MOVEIT "panda_description/urdf/panda.urdf", MOVEIT "panda_moveit_config/config/panda.srdf"},
    {"dual_panda", MOVEIT "dual_arm_panda_moveit_config/config/dual_panda.urdf",
     MOVEIT "dual_arm_panda_moveit_config/config/panda.srdf"},
    {"dual_panda_close", MOVEIT "dual_arm_panda_moveit_config/config/dual_panda_close.urdf",
     MOVEIT "dual_arm_panda_moveit_config/config/panda.srdf"},
    {"fanuc", MOVEIT "fanuc_description/urdf/fanuc.urdf", MOVEIT "fanuc_moveit_config/config/fanuc.srdf"},
    {"pr2", MOVEIT "pr2_description/urdf/robot.xml", MOVEIT "pr2_description/srdf/robot.xml"},
    {"ur5", EXAMPLE "ur_description/urdf/ur5_robot.urdf", EXAMPLE "ur_description/srdf/ur5.srdf"},
    {"ur5_gripper", EXAMPLE "ur_description/urdf/ur5_gripper.urdf",
     EXAMPLE "ur_description/srdf/ur5_gripper.srdf"},
    {"romeo", EXAMPLE "romeo_description/urdf/romeo.urdf", EXAMPLE "romeo_description/srdf/romeo.srdf"},
    {"romeo_moveit", EXAMPLE "romeo_description/urdf/romeo.urdf",
     EXAMPLE "romeo_description/srdf/romeo_moveit.srdf"},
    {"romeo_small", EXAMPLE "romeo_description/urdf/romeo_laas_small.urdf",
     EXAMPLE "romeo_description/srdf/romeo_small.srdf"},
    {"panda_capsules", EXAMPLE "panda_description/urdf/panda_collision.urdf",
     EXAMPLE "panda_description/srdf/panda.srdf"},
    {"panda_mbm", "robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf"},
    {"panda_spheres", "robots/panda_mbm/panda_spherized.urdf", "robots/panda_mbm/panda.srdf"},
    {NULL, NULL, NULL},
};

bool test_robot_is_due(const TestRobot* robot) {
    return test_is_whole() || (robot - test_robots) % 3 == 0;
}

bool test_robot_is_due_to_long_work(const TestRobot* robot) {
    return test_is_long() || (robot - test_robots) % 3 == 0;
}

const TestRobot* test_robot_named(const char* name) {
    const TestRobot* robot = test_robots;
    while (robot->name != NULL && strcmp(robot->name, name) != 0) {
        ++robot;
    }
    assert_non_null(robot->name);
    return robot;
}

BerthRobot* test_read_robot(const TestRobot* robot, bool use_srdf, bool meshes) {
    char urdf_path[4096], srdf_path[4096];
    if (!test_shared_path(urdf_path, sizeof urdf_path, robot->urdf) ||
        !test_shared_path(srdf_path, sizeof srdf_path, robot->srdf)) {
        return NULL;
    }
    const BerthIoOptions options = berth_default_io_options();
    BerthRobot* out = NULL;
    BerthStatus status = BERTH_OK;
    if (meshes) {
        BerthRobotOptions robot_options = berth_default_robot_options();
        robot_options.srdf = use_srdf ? srdf_path : NULL;
        status = berth_io_read_robot(urdf_path, &robot_options, &options, &out);
    } else {
        FileBytes urdf = {0}, srdf = {0};
        status = bi_io_read_file(urdf_path, 0, NULL, &urdf);
        if (status == BERTH_OK) {
            status = bi_io_read_file(srdf_path, 0, NULL, &srdf);
        }
        if (status == BERTH_OK) {
            const RobotText urdf_text = {urdf_path, urdf.data, urdf.size};
            const RobotText srdf_text = {srdf_path, srdf.data, srdf.size};
            const RobotRequest ask = {.no_files = true, .options = &options};
            status = bi_io_robot_from_text(&urdf_text, use_srdf ? &srdf_text : NULL, &ask, &out);
        }
        bi_io_free_file(&urdf);
        bi_io_free_file(&srdf);
    }
    if (status != BERTH_OK) {
        printf("%s: %s\n", robot->name, berth_error_text());
    }
    return out;
}

BerthRobot* test_read_robot_if_there(const TestRobot* robot, bool use_srdf) {
    char path[4096];
    if (!test_shared_path(path, sizeof path, robot->urdf)) {
        return NULL;
    }
    BerthRobot* out = test_read_robot(robot, use_srdf, true);
    assert_true(out != NULL || strstr(berth_error_text(), "assimp") != NULL);
    return out;
}
