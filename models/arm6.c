// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The 6-joint arm of arm.c as it is described there, about 2,500 triangles, in a fenced cell with a table and a part.
// It reaches 1.7 m from its first axis.

#include "models/kit.h"
#include "models/models.h"

static const ProfilePoint part_profile[] = {
    {0.06, 0}, {0.06, 0.02}, {0.035, 0.03}, {0.035, 0.08}, {0.03, 0.09}};

static const ArmState states[] = {
    {"home", {0, -0.4, 0.6, 0, 0.9, 0}},
    {"zero", {0, 0, 0, 0, 0, 0}},
    {"over_part", {0.2075, 0.34, -0.01, 0, 1.2408, 0}},
    {"in_table", {0.2075, 0.43, 0.17, 0, 0.9708, 0}},
};

static const ArmDef arm = {.name = "arm6",
                           .tool = ARM_GRIPPER,
                           .scale = 1,
                           .states = states,
                           .state_count = sizeof states / sizeof states[0],
                           .skip_wrist = true};

static bool write_part(const char* folder) {
    Surface s = {0};
    bi_surface_add_turned(&s, part_profile, 5, 24);
    const bool done = bi_surface_write(&s, folder, "part.stl");
    bi_surface_free(&s);
    return done;
}

static bool write_scene(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "cell.yaml");
    bi_writer_print(
        &w, "%s",
        "# Made by make_models: a 6-joint arm of meshes, a table with a part on it, and a fence.\n"
        "berth: 1\n"
        "robots:\n"
        "  - name: arm\n"
        "    urdf: arm6.urdf\n"
        "    srdf: arm6.srdf\n"
        "    state: home\n"
        "objects:\n"
        "  - name: floor\n"
        "    halfspace: {normal: [0, 0, 1], offset: 0}\n"
        "  - name: table\n"
        "    box: {size: [0.8, 1.2, 0.05]}\n"
        "    pose: {xyz: [1.1, 0, 0.525]}\n"
        "  - name: table_leg_1\n"
        "    box: {size: [0.06, 0.06, 0.5]}\n"
        "    pose: {xyz: [0.75, -0.55, 0.25]}\n"
        "  - name: table_leg_2\n"
        "    box: {size: [0.06, 0.06, 0.5]}\n"
        "    pose: {xyz: [0.75, 0.55, 0.25]}\n"
        "  - name: table_leg_3\n"
        "    box: {size: [0.06, 0.06, 0.5]}\n"
        "    pose: {xyz: [1.45, -0.55, 0.25]}\n"
        "  - name: table_leg_4\n"
        "    box: {size: [0.06, 0.06, 0.5]}\n"
        "    pose: {xyz: [1.45, 0.55, 0.25]}\n"
        "  - name: part\n"
        "    mesh: {file: part.stl}\n"
        "    pose: {xyz: [0.95, 0.2, 0.5502]}\n"
        "  - name: fence_back\n"
        "    box: {size: [0.04, 2.4, 2]}\n"
        "    pose: {xyz: [-1, 0, 1]}\n"
        "  - name: fence_left\n"
        "    box: {size: [2.8, 0.04, 2]}\n"
        "    pose: {xyz: [0.4, 1.2, 1]}\n"
        "  - name: fence_right\n"
        "    box: {size: [2.8, 0.04, 2]}\n"
        "    pose: {xyz: [0.4, -1.2, 1]}\n"
        "  - name: fence_post\n"
        "    cylinder: {radius: 0.05, length: 2.2}\n"
        "    pose: {xyz: [-1, 1.2, 1.1]}\n"
        "allow:\n"
        "  - [base_link, floor]\n");
    return bi_writer_close(&w);
}

bool bi_write_arm6(const char* folder) {
    return bi_write_arm(folder, &arm) && write_part(folder) && write_scene(folder);
}
