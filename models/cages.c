// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A 6-joint arm that reaches out between the thin bars of a cage (paper 001, Figures 11a and 11b). A closed surface has an
// even number of triangles, so the paper's 2,991 is 2,990 here.

#include "models/kit.h"
#include "models/models.h"

#include "math/math.h"

// Around a square: six bars a side stand, three lie outside them, with a gap between.
static bool write_cage(const char* folder, double scale) {
    const double half = 0.75, thick = 0.015, height = 1.7, outside = half + 1.25 * thick;
    Surface s = {0};
    for (int side = 0; side < 4; ++side) {
        const int first = s.vertex_count;
        for (int i = 0; i < 6; ++i) {
            bi_surface_add_bar(&s, v3(half, -half + 2 * half / 6 * i, height / 2), v3(thick, thick, height));
        }
        for (int i = 0; i < 3; ++i) {
            // Sides take turns in height, so that bars pass each other at the corners.
            const double at = 0.1 + 0.75 * i + (side % 2 == 0 ? 0.0 : 1.5 * thick);
            bi_surface_add_bar(&s, v3(outside, 0, at), v3(thick, 2 * outside + thick, thick));
        }
        const BerthPose pose = berth_pose_from_rpy(v3(0, 0, 0), v3(0, 0, 1.5707963267948966 * side));
        bi_surface_move(&s, first, &pose);
    }
    bi_surface_scale(&s, scale);
    const bool done = bi_surface_write(&s, folder, "cage.stl");
    bi_surface_free(&s);
    return done;
}

// Out of a gap in front, and out of one at the side.
static const ArmState states[] = {
    {"start", {0.1652, 0.1, -0.1, 0, 0, 0}},
    {"goal", {1.7360, 0.2, -0.1, 0, 0.1, 0}},
};

static bool write_caged(const char* folder, const ArmDef* arm, const char* about) {
    static const CellRobot robots[] = {{"arm", "arm", {0, 0, 0}, 0}};
    static const CellObject objects[] = {{"cage", "cage.stl", {0, 0, 0}}};
    const Cell cell = {.about = about,
                       .robots = robots,
                       .robot_count = 1,
                       .objects = objects,
                       .object_count = 1,
                       .scale = arm->scale};
    return write_cage(folder, arm->scale) && bi_write_arm(folder, arm) && bi_write_cell(folder, &cell);
}

bool bi_write_cage6(const char* folder) {
    const ArmDef arm = {.name = "arm",
                        .tool = ARM_GRIPPER,
                        .triangles = 2990,
                        .scale = 1.77 / ARM_FOREARM,
                        .states = states,
                        .state_count = 2};
    return write_caged(folder, &arm, "a 6-joint arm in a cage of thin bars (paper 001, Figure 11a)");
}

bool bi_write_cage6_gun(const char* folder) {
    const ArmDef arm = {.name = "arm",
                        .tool = ARM_GUN,
                        .triangles = 2502,
                        .tool_triangles = 1080,
                        .scale = 1.65 / ARM_FOREARM,
                        .states = states,
                        .state_count = 2};
    return write_caged(folder, &arm,
                       "a 6-joint arm with a welding gun in a cage of thin bars (paper 001, Figure 11b)");
}
