// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robots written as text inside tests.

#include "support/urdf_text.h"

#include <stdio.h>
#include <string.h>

#include "io/robot/urdf.h"

void test_hear(void* user, const char* text) {
    TestTalk* talk = user;
    if (talk->warning_count++ == 0) {
        snprintf(talk->first, sizeof talk->first, "%s", text);
    }
    snprintf(talk->last, sizeof talk->last, "%s", text);
}

BerthStatus test_read_text(const char* urdf, const char* srdf, bool free_base, TestTalk* talk,
                           BerthRobot** out) {
    TestTalk unused;
    talk = talk != NULL ? talk : &unused;
    memset(talk, 0, sizeof *talk);
    BerthIoOptions options = berth_default_io_options();
    options.warn = test_hear;
    options.user = talk;
    const RobotText urdf_text = {"r.urdf", urdf, strlen(urdf)};
    const RobotText srdf_text = {"r.srdf", srdf != NULL ? srdf : "", srdf != NULL ? strlen(srdf) : 0};
    const RobotRequest ask = {.robot.free_base = free_base, .no_files = true, .options = &options};
    return bi_io_robot_from_text(&urdf_text, srdf != NULL ? &srdf_text : NULL, &ask, out);
}
