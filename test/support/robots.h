// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robots for tests: the shared ones by name.

#ifndef TEST_SUPPORT_ROBOTS_H
#define TEST_SUPPORT_ROBOTS_H

#include <berth/io.h>

typedef struct TestRobot {
    const char* name;
    const char* urdf;  ///< in the shared folder
    const char* srdf;  ///< or null
} TestRobot;

/// All robots of the shared folder, each with each of its SRDFs; ends with a null name.
extern const TestRobot test_robots[];
/// For those who go through all of them: is it its turn? All robots' in runs with all cases, else every third's: reading all
/// of them takes seconds.
bool test_robot_is_due(const TestRobot* robot);
/// The same for those who take seconds a robot: all robots' in long runs only.
bool test_robot_is_due_to_long_work(const TestRobot* robot);

/// One of them by its name, which must be there.
const TestRobot* test_robot_named(const char* name);
/// Reads one of them. `meshes` false: every mesh is a small box, and no mesh file is opened. Null, after a message, when
/// that fails or the shared folder is absent.
BerthRobot* test_read_robot(const TestRobot* robot, bool use_srdf, bool meshes);
/// The same with its meshes, which must succeed; null when its files are not there, or for a build without assimp.
BerthRobot* test_read_robot_if_there(const TestRobot* robot, bool use_srdf);

#endif
