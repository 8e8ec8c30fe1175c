// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The arm with the welding gun reaches into a machine tool (paper 001, Figure 12a). A closed surface has an even
// number of triangles, so the paper's 34,171 is 34,170 here.

#include "models/kit.h"
#include "models/models.h"

// Measures for an arm that reaches 1.7 m. The machine's open front looks at the arm.
static const Piece machine[] = {
    {.owner = "bed", .size = {1.3, 1.7, 0.5}, .chamfer = 0.03, .place = {1.65, 0, 0.25}, .weight = 3},
    {.owner = "bed", .size = {1.0, 0.06, 0.06}, .chamfer = 0.005, .place = {1.6, 0.25, 0.531}},
    {.owner = "bed", .size = {1.0, 0.06, 0.06}, .chamfer = 0.005, .place = {1.6, -0.25, 0.531}},
    {.owner = "table", .size = {0.5, 0.9, 0.08}, .chamfer = 0.01, .place = {1.45, 0, 0.61}, .weight = 2},
    {.owner = "table", .size = {0.5, 0.03, 0.02}, .place = {1.45, 0.2, 0.661}},
    {.owner = "table", .size = {0.5, 0.03, 0.02}, .place = {1.45, -0.2, 0.661}},
    {.owner = "table", .size = {0.5, 0.03, 0.02}, .place = {1.45, 0.4, 0.661}},
    {.owner = "table", .size = {0.5, 0.03, 0.02}, .place = {1.45, -0.4, 0.661}},
    {.owner = "column", .size = {0.4, 0.6, 1.4}, .chamfer = 0.04, .place = {2.1, 0, 1.21}, .weight = 3},
    {.owner = "head", .size = {0.5, 0.36, 0.34}, .chamfer = 0.04, .place = {1.66, 0, 1.36}, .weight = 2},
    {.owner = "head",
     .profile =
         {{0.03, 0}, {0.06, 0.02}, {0.06, 0.06}, {0.09, 0.08}, {0.09, 0.16}, {0.12, 0.2}, {0.12, 0.26}},
     .profile_count = 7,
     .place = {1.52, 0, 1.02},
     .weight = 5},
    {.owner = "head",
     .profile = {{0.11, 0}, {0.13, 0.02}, {0.13, 0.25}, {0.10, 0.29}},
     .profile_count = 4,
     .place = {1.56, 0, 1.5},
     .weight = 3},
    {.owner = "cutter",
     .profile = {{0.01, 0}, {0.012, 0.02}, {0.012, 0.06}, {0.02, 0.07}, {0.02, 0.11}},
     .profile_count = 5,
     .place = {1.52, 0, 0.915},
     .weight = 4},
    {.owner = "chuck",
     .profile = {{0.13, 0}, {0.14, 0.01}, {0.14, 0.06}, {0.12, 0.07}, {0.05, 0.075}},
     .profile_count = 5,
     .place = {1.45, 0, 0.652},
     .weight = 4},
    {.owner = "chuck", .size = {0.08, 0.03, 0.05}, .chamfer = 0.004, .place = {1.53, 0, 0.752}},
    {.owner = "chuck", .size = {0.03, 0.08, 0.05}, .chamfer = 0.004, .place = {1.45, 0.08, 0.752}},
    {.owner = "chuck", .size = {0.03, 0.08, 0.05}, .chamfer = 0.004, .place = {1.45, -0.08, 0.752}},
    {.owner = "workpiece",
     .profile = {{0.05, 0}, {0.05, 0.05}, {0.035, 0.06}, {0.035, 0.10}, {0.025, 0.11}, {0.025, 0.13}},
     .profile_count = 6,
     .place = {1.45, 0, 0.73},
     .weight = 5},
    {.owner = "enclosure",
     .size = {1.3, 0.03, 1.6},
     .chamfer = 0.01,
     .place = {1.65, 0.84, 1.31},
     .weight = 2},
    {.owner = "enclosure",
     .size = {1.3, 0.03, 1.6},
     .chamfer = 0.01,
     .place = {1.65, -0.84, 1.31},
     .weight = 2},
    {.owner = "enclosure", .size = {1.3, 1.72, 0.03}, .chamfer = 0.01, .place = {1.65, 0, 2.12}, .weight = 2},
    {.owner = "enclosure", .size = {0.03, 1.72, 1.6}, .chamfer = 0.01, .place = {2.31, 0, 1.31}, .weight = 2},
    {.owner = "enclosure",
     .size = {0.03, 0.4, 1.6},
     .chamfer = 0.01,
     .place = {1.015, 0.63, 1.31},
     .weight = 1},
    {.owner = "enclosure",
     .size = {0.03, 0.4, 1.6},
     .chamfer = 0.01,
     .place = {1.015, -0.63, 1.31},
     .weight = 1},
    {.owner = "coolant",
     .profile = {{0.012, 0}, {0.012, 0.2}, {0.012, 0.4}, {0.008, 0.45}},
     .profile_count = 4,
     .place = {1.62, 0.16, 1.25},
     .turn = {0.1, 1.9, 0},
     .weight = 2},
    {.owner = "coolant",
     .profile = {{0.012, 0}, {0.012, 0.2}, {0.012, 0.4}, {0.008, 0.45}},
     .profile_count = 4,
     .place = {1.62, -0.16, 1.25},
     .turn = {-0.1, 1.9, 0},
     .weight = 2},
    {.owner = "changer",
     .ring = 0.26,
     .tube = 0.03,
     .sides = 16,
     .place = {1.9, 0.52, 1.5},
     .turn = {0, 1, 0},
     .weight = 6},
    {.owner = "changer",
     .profile = {{0.02, 0}, {0.04, 0.02}, {0.04, 0.3}, {0.08, 0.32}, {0.08, 0.36}},
     .profile_count = 5,
     .place = {1.8, 0.52, 1.5},
     .turn = {0, 1, 0},
     .weight = 3},
    {.owner = "handwheel",
     .ring = 0.09,
     .tube = 0.012,
     .sides = 12,
     .place = {0.94, 0.6, 0.4},
     .turn = {0, 1, 0},
     .weight = 3},
    {.owner = "panel", .size = {0.05, 0.3, 0.4}, .chamfer = 0.01, .place = {0.96, -0.65, 1.3}, .weight = 1},
};
#define MACHINE_COUNT ((int)(sizeof machine / sizeof machine[0]))

// Drawn back, and with the gun between workpiece and spindle.
static const ArmState states[] = {
    {"start", {0, -0.7, 0.7, 0, 0.3, 0}},
    {"goal", {0, 0.1, 0.0, 0, 0.2, 0}},
};

bool bi_write_machine(const char* folder) {
    const ArmDef arm = {.name = "arm",
                        .tool = ARM_GUN,
                        .triangles = 2502,
                        .tool_triangles = 1080,
                        .scale = 1.16 / ARM_FOREARM,
                        .states = states,
                        .state_count = 2};
    static const CellRobot robots[] = {{"arm", "arm", {0, 0, 0}, 0}};
    const Cell cell = {.about = "an arm with a welding gun at a machine tool (paper 001, Figure 12a)",
                       .robots = robots,
                       .robot_count = 1,
                       .pieces = machine,
                       .piece_count = MACHINE_COUNT,
                       .scale = arm.scale};
    return bi_write_arm(folder, &arm) && bi_write_objects(folder, machine, MACHINE_COUNT, 34170, arm.scale) &&
           bi_write_cell(folder, &cell);
}
