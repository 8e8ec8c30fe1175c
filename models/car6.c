// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Six arms with thin welding guns around a car body (paper 001, Figures 12c and 12d): closed sheets of metal with the
// gaps between panels that a car has, and thin pillars.

#include "models/kit.h"
#include "models/models.h"

// A panel seen from outside: corners counter-clockwise.
#define PANEL(x0, y0, z0, x1, y1, z1, x2, y2, z2, x3, y3, z3, bx, by, bz, tx, ty, tz, share)        \
    {                                                                                               \
        .owner = "body",                                                                            \
        .sheet = {{{(x0), (y0), (z0)}, {(x1), (y1), (z1)}, {(x2), (y2), (z2)}, {(x3), (y3), (z3)}}, \
                  {(bx), (by), (bz)},                                                               \
                  {(tx), (ty), (tz)}},                                                              \
        .weight = (share)                                                                           \
    }
// A side panel from x0 to x1 and z0 to z1, on both sides; it leans in at the top by `lean`.
#define SIDES(x0, x1, z0, z1, lean, share)                                                                   \
    PANEL(x1, 0.72, z0, x0, 0.72, z0, x0, 0.72 - (lean), z1, x1, 0.72 - (lean), z1, 0, 0.03, 0, 0, -0.012,   \
          0, share),                                                                                         \
        PANEL(x0, -0.72, z0, x1, -0.72, z0, x1, (lean)-0.72, z1, x0, (lean)-0.72, z1, 0, -0.03, 0, 0, 0.012, \
              0, share)
// A level panel, bulging up.
#define LEVEL(x0, x1, half, z0, z1, bulge, share) \
    PANEL(x0, -(half), z0, x1, -(half), z1, x1, half, z1, x0, half, z0, 0, 0, bulge, 0, 0, -0.012, share)
// A pillar on both sides, from the belt line to the roof.
#define PILLARS(x0, x1, thick)                                                                               \
    PANEL((x0) + (thick), 0.71, 0.80, x0, 0.71, 0.80, x1, 0.58, 1.18, (x1) + (thick), 0.58, 1.18, 0, 0, 0,   \
          0, -0.03, 0, 1),                                                                                   \
        PANEL(x0, -0.71, 0.80, (x0) + (thick), -0.71, 0.80, (x1) + (thick), -0.58, 1.18, x1, -0.58, 1.18, 0, \
              0, 0, 0, 0.03, 0, 1)

// Measures for arms that reach 1.7 m; the car looks along +x.
static const Piece car[] = {
    LEVEL(0.85, 1.80, 0.64, 0.80, 0.66, 0.06, 8),
    LEVEL(-0.70, 0.35, 0.57, 1.20, 1.20, 0.06, 8),
    LEVEL(-1.80, -1.30, 0.64, 0.84, 0.84, 0.03, 5),
    LEVEL(-1.78, 1.78, 0.68, 0.22, 0.22, 0.02, 8),
    SIDES(0.90, 1.80, 0.45, 0.66, 0.02, 5),
    SIDES(0.05, 0.88, 0.25, 0.79, 0.02, 6),
    SIDES(-0.80, 0.03, 0.25, 0.79, 0.02, 6),
    SIDES(-1.80, -0.82, 0.45, 0.83, 0.02, 5),
    PILLARS(0.80, 0.30, 0.05),
    PILLARS(-0.02, -0.02, 0.05),
    PILLARS(-0.85, -0.70, 0.06),
    PILLARS(-1.28, -0.80, 0.05),
    PANEL(1.83, -0.68, 0.25, 1.83, 0.68, 0.25, 1.83, 0.68, 0.64, 1.83, -0.68, 0.64, 0.04, 0, 0, -0.012, 0, 0,
          4),
    PANEL(-1.83, 0.68, 0.25, -1.83, -0.68, 0.25, -1.83, -0.68, 0.80, -1.83, 0.68, 0.80, -0.04, 0, 0, 0.012, 0,
          0, 4),
    PANEL(0.80, -0.66, 0.25, 0.80, 0.66, 0.25, 0.84, 0.66, 0.76, 0.84, -0.66, 0.76, 0.02, 0, 0, -0.012, 0, 0,
          3),
};
#define CAR_COUNT ((int)(sizeof car / sizeof car[0]))

static const double RIGHT = -1.5707963267948966, LEFT = 1.5707963267948966;

// Drawn back, and reaching in: the middle arms through the windows, the others over hood and trunk.
static const ArmState states[] = {
    {"start", {0, -1.0, 0.6, 0, 1.2, 0}},
    {"goal", {0, -0.7, 0.5, 0, 0.25, 0}},
};

static bool write_cars(const char* folder, int arm_triangles, int tool_triangles, int car_triangles,
                       double forearm, const char* about) {
    const ArmDef arm = {.name = "arm",
                        .tool = ARM_GUN,
                        .triangles = arm_triangles,
                        .tool_triangles = tool_triangles,
                        .scale = forearm / ARM_FOREARM,
                        .states = states,
                        .state_count = 2};
    const CellRobot robots[] = {
        {"left_front", "arm", {1.4, 1.45, 0}, RIGHT},    {"left_middle", "arm", {0.15, 1.45, 0}, RIGHT},
        {"left_rear", "arm", {-1.45, 1.45, 0}, RIGHT},   {"right_front", "arm", {1.4, -1.45, 0}, LEFT},
        {"right_middle", "arm", {0.15, -1.45, 0}, LEFT}, {"right_rear", "arm", {-1.45, -1.45, 0}, LEFT},
    };
    const Cell cell = {.about = about,
                       .robots = robots,
                       .robot_count = 6,
                       .pieces = car,
                       .piece_count = CAR_COUNT,
                       .scale = arm.scale};
    return bi_write_arm(folder, &arm) && bi_write_objects(folder, car, CAR_COUNT, car_triangles, arm.scale) &&
           bi_write_cell(folder, &cell);
}

bool bi_write_car6(const char* folder) {
    return write_cars(folder, 3594, 1440, 19668, 1.59, "six arms around a car body (paper 001, Figure 12c)");
}

bool bi_write_car6_small(const char* folder) {
    return write_cars(folder, 2502, 1080, 4016, 1.32,
                      "six arms around a coarse car body (paper 001, Figure 12d)");
}
