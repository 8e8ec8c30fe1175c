// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A 6-joint arm among benches, shelves, bottles, pipes and wheels (paper 001, Figure 12b). A closed surface has an
// even number of triangles, so the paper's 74,681 is 74,680 here.

#include "models/kit.h"
#include "models/models.h"

#define LEG(name, x, y, high)                                                                             \
    {                                                                                                     \
        .owner = (name), .size = {0.05, 0.05, (high)}, .chamfer = 0.005, .place = {(x), (y), (high) / 2 } \
    }
#define SHELF(name, x, y, z) \
    { .owner = (name), .size = {1.4, 0.35, 0.03}, .chamfer = 0.005, .place = {(x), (y), (z)}, .weight = 2 }
#define BOTTLE(name, x, y)                                                                  \
    {                                                                                       \
        .owner = (name), .profile = {{0.10, 0},    {0.12, 0.03}, {0.12, 0.9}, {0.09, 1.02}, \
                                     {0.03, 1.08}, {0.03, 1.16}, {0.02, 1.2}},              \
        .profile_count = 7, .place = {(x), (y), 0.001}, .weight = 5                         \
    }
#define BARREL(name, x, y)                                                                 \
    {                                                                                      \
        .owner = (name), .profile = {{0.26, 0},    {0.28, 0.02}, {0.28, 0.3}, {0.3, 0.32}, \
                                     {0.28, 0.34}, {0.28, 0.78}, {0.26, 0.8}},             \
        .profile_count = 7, .place = {(x), (y), 0.001}, .weight = 5                        \
    }
#define PIPE(name, x, y, z)                                                                          \
    {                                                                                                \
        .owner = (name),                                                                             \
        .profile = {{0.03, 0}, {0.03, 1.3}, {0.045, 1.32}, {0.045, 1.4}, {0.03, 1.42}, {0.03, 3.4}}, \
        .profile_count = 6, .place = {(x), (y), (z)}, .turn = {0, 1, 0}, .weight = 4                 \
    }
#define CRATE(name, x, y, z) \
    { .owner = (name), .size = {0.3, 0.25, 0.2}, .chamfer = 0.01, .place = {(x), (y), (z)}, .weight = 2 }
#define WHEEL(name, x, y, z)                                                                \
    {                                                                                       \
        .owner = (name), .ring = 0.16, .tube = 0.05, .sides = 20, .place = {(x), (y), (z)}, \
        .turn = {1, 0, 0}, .weight = 8                                                      \
    }

// Measures for an arm that reaches 1.7 m and stands at the origin.
static const Piece workshop[] = {
    {.owner = "ground", .size = {4.4, 4.4, 0.1}, .chamfer = 0.02, .place = {0, 0, -0.051}, .weight = 6},
    {.owner = "bench", .size = {0.7, 1.8, 0.06}, .chamfer = 0.01, .place = {1.25, 0, 0.75}, .weight = 4},
    LEG("bench", 0.95, 0.8, 0.73),
    LEG("bench", 0.95, -0.8, 0.73),
    LEG("bench", 1.55, 0.8, 0.73),
    LEG("bench", 1.55, -0.8, 0.73),
    {.owner = "vise", .size = {0.12, 0.2, 0.08}, .chamfer = 0.01, .place = {1.05, 0.55, 0.83}},
    {.owner = "vise", .size = {0.10, 0.03, 0.08}, .chamfer = 0.005, .place = {1.05, 0.64, 0.9}},
    {.owner = "vise", .size = {0.10, 0.03, 0.08}, .chamfer = 0.005, .place = {1.05, 0.52, 0.9}},
    {.owner = "vise",
     .profile = {{0.012, 0}, {0.012, 0.1}, {0.02, 0.105}, {0.02, 0.12}},
     .profile_count = 4,
     .place = {1.05, 0.45, 0.84},
     .turn = {1, 0, 0},
     .weight = 2},
    {.owner = "drill", .size = {0.3, 0.24, 0.05}, .chamfer = 0.01, .place = {1.35, -0.55, 0.81}},
    {.owner = "drill",
     .profile = {{0.035, 0}, {0.035, 0.3}, {0.035, 0.7}},
     .profile_count = 3,
     .place = {1.45, -0.55, 0.83},
     .weight = 2},
    {.owner = "drill", .size = {0.34, 0.16, 0.18}, .chamfer = 0.02, .place = {1.36, -0.55, 1.42}},
    {.owner = "drill",
     .profile = {{0.006, 0}, {0.006, 0.08}, {0.02, 0.1}, {0.025, 0.16}, {0.03, 0.2}},
     .profile_count = 5,
     .place = {1.25, -0.55, 1.15},
     .weight = 3},
    {.owner = "drill",
     .ring = 0.07,
     .tube = 0.008,
     .sides = 10,
     .place = {1.33, -0.45, 1.4},
     .turn = {1, 0, 0},
     .weight = 3},
    {.owner = "engine",
     .profile = {{0.06, 0}, {0.10, 0.02}, {0.10, 0.1}, {0.07, 0.12}, {0.07, 0.2}, {0.03, 0.22}, {0.03, 0.3}},
     .profile_count = 7,
     .place = {1.2, 0.05, 0.782},
     .weight = 6},
    {.owner = "engine", .ring = 0.1, .tube = 0.012, .sides = 12, .place = {1.2, 0.05, 0.9}, .weight = 4},
    SHELF("rack", 0.2, 1.5, 0.2),
    SHELF("rack", 0.2, 1.5, 0.7),
    SHELF("rack", 0.2, 1.5, 1.2),
    SHELF("rack", 0.2, 1.5, 1.7),
    LEG("rack", -0.52, 1.66, 1.9),
    LEG("rack", -0.52, 1.34, 1.9),
    LEG("rack", 0.92, 1.66, 1.9),
    LEG("rack", 0.92, 1.34, 1.9),
    CRATE("crates", -0.2, 1.5, 0.316),
    CRATE("crates", 0.2, 1.5, 0.316),
    CRATE("crates", 0.6, 1.5, 0.316),
    CRATE("crates", 0.0, 1.5, 0.816),
    CRATE("crates", 0.5, 1.5, 0.816),
    CRATE("crates", -0.3, 1.5, 1.316),
    WHEEL("wheels", 0.2, 1.45, 1.43),
    WHEEL("wheels", 0.65, 1.45, 1.43),
    WHEEL("wheels", 0.2, 1.45, 1.93),
    WHEEL("wheels", 0.65, 1.45, 1.93),
    {.owner = "cabinet", .size = {0.8, 0.5, 1.6}, .chamfer = 0.02, .place = {0.3, -1.5, 0.801}, .weight = 4},
    {.owner = "cabinet",
     .size = {0.36, 0.02, 0.7},
     .chamfer = 0.005,
     .place = {0.1, -1.23, 1.1},
     .weight = 2},
    {.owner = "cabinet",
     .size = {0.36, 0.02, 0.7},
     .chamfer = 0.005,
     .place = {0.5, -1.23, 1.1},
     .weight = 2},
    BOTTLE("bottles", -0.5, -1.4),
    BOTTLE("bottles", -0.8, -1.4),
    BOTTLE("bottles", -1.1, -1.4),
    BARREL("barrels", -1.3, 0.9),
    BARREL("barrels", -1.4, 0.2),
    BARREL("barrels", -1.3, -0.6),
    PIPE("pipes", -1.7, 1.2, 2.2),
    PIPE("pipes", -1.7, 1.35, 2.2),
    PIPE("pipes", -1.7, -1.2, 2.3),
    {.owner = "crane", .size = {0.14, 3.6, 0.2}, .chamfer = 0.02, .place = {0.9, 0, 2.5}, .weight = 3},
    {.owner = "crane",
     .profile = {{0.008, 0}, {0.008, 0.3}, {0.008, 0.6}, {0.03, 0.62}, {0.05, 0.7}},
     .profile_count = 5,
     .place = {0.9, 0.7, 1.72},
     .weight = 3},
    {.owner = "crane",
     .ring = 0.05,
     .tube = 0.012,
     .sides = 12,
     .place = {0.9, 0.7, 1.66},
     .turn = {1, 0, 0},
     .weight = 4},
    {.owner = "trolley", .size = {0.5, 0.4, 0.03}, .chamfer = 0.005, .place = {0.9, -1.25, 0.5}, .weight = 2},
    {.owner = "trolley", .size = {0.5, 0.4, 0.03}, .chamfer = 0.005, .place = {0.9, -1.25, 0.2}, .weight = 2},
    LEG("trolley", 0.68, -1.08, 0.8),
    LEG("trolley", 1.12, -1.08, 0.8),
    LEG("trolley", 0.68, -1.42, 0.8),
    LEG("trolley", 1.12, -1.42, 0.8),
};
#define WORKSHOP_COUNT ((int)(sizeof workshop / sizeof workshop[0]))

// Over the bench, and at the rack with the wheels.
static const ArmState states[] = {
    {"start", {0, 0, 0.1, 0, 1.0, 0}},
    {"goal", {1.45, -0.1, 0.0, 0, 0.2, 0}},
};

bool bi_write_workshop(const char* folder) {
    const ArmDef arm = {.name = "arm",
                        .tool = ARM_GRIPPER,
                        .triangles = 5450,
                        .scale = 0.64 / ARM_FOREARM,
                        .states = states,
                        .state_count = 2};
    static const CellRobot robots[] = {{"arm", "arm", {0, 0, 0}, 0}};
    static const char* const allow[] = {"base_link", "ground"};
    const Cell cell = {.about = "a 6-joint arm in a workshop (paper 001, Figure 12b)",
                       .robots = robots,
                       .robot_count = 1,
                       .pieces = workshop,
                       .piece_count = WORKSHOP_COUNT,
                       .scale = arm.scale,
                       .allow = allow,
                       .allow_count = 1};
    return bi_write_arm(folder, &arm) &&
           bi_write_objects(folder, workshop, WORKSHOP_COUNT, 74680, arm.scale) &&
           bi_write_cell(folder, &cell);
}
