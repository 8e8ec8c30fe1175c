// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as the SRDF of a small robot, with and without a free base.

#include "io/robot/urdf.h"
#include "support/target.h"

#define BALL "<collision><geometry><sphere radius='0.1'/></geometry></collision>"

static const char urdf_text[] =
    "<robot name='r'><link name='a'>" BALL "</link><link name='b'>" BALL "</link><link name='c'>" BALL
    "</link><link name='d'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic joint='j'/></joint>"
    "<joint name='p' type='planar'><parent link='c'/><child link='d'/></joint></robot>";

static void use_robot(const BerthRobot* robot) {
    double values[32] = {0};
    for (int32_t i = 0; i < berth_robot_state_count(robot); ++i) {
        const char* group = NULL;
        const char* name = berth_robot_state_name(robot, i, &group);
        need(berth_robot_named_state(robot, name, values) == BERTH_OK || berth_error_text()[0] != '\0');
    }
    for (int32_t i = 0; i < berth_robot_group_count(robot); ++i) {
        const int32_t* joints = NULL;
        int32_t count = 0;
        berth_robot_group(robot, i, &joints, &count);
        for (int32_t k = 0; k < count; ++k) {
            need(joints[k] >= 0 && joints[k] < berth_robot_joint_count(robot));
        }
    }
    for (int32_t a = 0; a < berth_robot_link_count(robot); ++a) {
        const char* reason = NULL;
        berth_robot_pair(robot, 0, a, &reason);
        need(reason != NULL);
    }
}

FUZZ_TARGET(bytes, size) {
    const BerthIoOptions options = berth_default_io_options();
    const RobotText urdf = {"fuzz.urdf", urdf_text, sizeof urdf_text - 1};
    const RobotText srdf = {"fuzz.srdf", bytes, size};
    for (int free_base = 0; free_base < 2; ++free_base) {
        const RobotRequest ask = {.robot.free_base = free_base != 0, .no_files = true, .options = &options};
        BerthRobot* robot = NULL;
        const BerthStatus status = bi_io_robot_from_text(&urdf, &srdf, &ask, &robot);
        need((status == BERTH_OK) == (robot != NULL));
        need(status == BERTH_OK || strncmp(berth_error_text(), "fuzz.", 5) == 0);
        if (robot != NULL) {
            use_robot(robot);
        }
        berth_robot_destroy(robot);
    }
}
