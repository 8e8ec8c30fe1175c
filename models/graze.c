// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The three bad cases of paper 001, Figure 14: a whole turn about the first joint during which the tip of the tool stays
// at a small clearance above a floor (a), or above the top of a wide (b) or a narrow (c) box on its way.

#include "models/kit.h"
#include "models/models.h"

#include "math/math.h"

static const double PI = 3.141592653589793;

// "Slightly bigger than zeta", the paper says. Large against the float of a mesh vertex.
static const double ZETA_FACTOR = 1.01;

// The nozzle points straight down.
static const double TOOL_PITCH = 0.68 * 1.5707963267948966;
static const double UPPER_PITCH = 0.9;

static const ArmDef gun_arm = {.name = "arm",
                               .tool = ARM_GUN,
                               .triangles = 2502,
                               .tool_triangles = 1080,
                               .scale = 1.65 / ARM_FOREARM,
                               .turn = 3.2};

// The pitch of the forearm at which the tip is at `height` over the base's foot. The wrist sinks as it grows.
static double forearm_pitch(double height) {
    const double wrist = height - bi_arm_tool_lowest(&gun_arm, TOOL_PITCH).z;
    double low = -1.0, high = 1.5;
    for (int i = 0; i < 100; ++i) {
        const double middle = low + (high - low) / 2;
        if (bi_arm_wrist(&gun_arm, UPPER_PITCH, middle).z > wrist) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool write_path(const char* folder, const ArmState* states) {
    Writer w;
    bi_writer_open(&w, folder, "path.csv");
    for (int i = 0; i < ARM_JOINT_COUNT; ++i) {
        bi_writer_print(&w, "%sjoint%d", i > 0 ? "," : "", i + 1);
    }
    bi_writer_print(&w, "\n");
    for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < ARM_JOINT_COUNT; ++i) {
            bi_writer_print(&w, "%s%.17g", i > 0 ? "," : "", states[s].values[i]);
        }
        bi_writer_print(&w, "\n");
    }
    return bi_writer_close(&w);
}

// The floor of case a, or the box, 6 faces of 8,000, of the others.
static bool write_grazed(const char* folder, GrazeCase which) {
    Surface s = {0};
    if (which == GRAZE_FLOOR) {
        bi_surface_add_floor(&s, 10, 0.1, 62, 8000);
    } else {
        const double width = which == GRAZE_WIDE_BOX ? 2.0 : 0.5;
        bi_surface_add_faceted_box(&s, v3(0, 0, -0.5), v3(1, width, 1), 63, 8000);
    }
    const bool done = bi_surface_write(&s, folder, "grazed.stl");
    bi_surface_free(&s);
    return done;
}

static bool write_pedestal(const char* folder) {
    Surface s = {0};
    bi_surface_add_bar(&s, v3(0, 0, -0.5), v3(1.2, 1.2, 1));
    const bool done = bi_surface_write(&s, folder, "pedestal.stl");
    bi_surface_free(&s);
    return done;
}

bool bi_write_graze(const char* folder, GrazeCase which, double zeta) {
    const double fore = forearm_pitch(zeta * ZETA_FACTOR);
    const double reach =
        bi_arm_wrist(&gun_arm, UPPER_PITCH, fore).x + bi_arm_tool_lowest(&gun_arm, TOOL_PITCH).x;
    const double second = UPPER_PITCH, third = fore - UPPER_PITCH, fifth = TOOL_PITCH - fore;
    const ArmState states[] = {{"start", {-PI, second, third, 0, fifth, 0}},
                               {"goal", {PI, second, third, 0, fifth, 0}}};
    ArmDef arm = gun_arm;
    arm.states = states;
    arm.state_count = 2;
    static const CellRobot robots[] = {{"arm", "arm", {0, 0, 0}, 0}};
    // The box stands so that the tip passes over its middle.
    const CellObject objects[] = {{"grazed", "grazed.stl", v3(which == GRAZE_FLOOR ? 0 : reach, 0, 0)},
                                  {"pedestal", "pedestal.stl", v3(0, 0, 0)}};
    static const char* const allow[] = {"base_link", "grazed", "base_link", "pedestal"};
    static const char* const abouts[] = {
        "a tool that grazes a floor during a whole turn (paper 001, Figure 14a)",
        "a tool that grazes a wide box during a whole turn (paper 001, Figure 14b)",
        "a tool that grazes a narrow box during a whole turn (paper 001, Figure 14c)"};
    const Cell cell = {.about = abouts[which],
                       .robots = robots,
                       .robot_count = 1,
                       .objects = objects,
                       .object_count = which == GRAZE_FLOOR ? 1 : 2,
                       .scale = 1,
                       .allow = which == GRAZE_FLOOR ? allow : allow + 2,
                       .allow_count = 1};
    return bi_write_arm(folder, &arm) && write_grazed(folder, which) &&
           (which == GRAZE_FLOOR || write_pedestal(folder)) && write_path(folder, states) &&
           bi_write_cell(folder, &cell);
}

bool bi_write_graze_a(const char* folder) {
    return bi_write_graze(folder, GRAZE_FLOOR, GRAZE_ZETA);
}

bool bi_write_graze_b(const char* folder) {
    return bi_write_graze(folder, GRAZE_WIDE_BOX, GRAZE_ZETA);
}

bool bi_write_graze_c(const char* folder) {
    return bi_write_graze(folder, GRAZE_NARROW_BOX, GRAZE_ZETA);
}
