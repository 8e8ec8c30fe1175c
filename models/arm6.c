// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A 6-joint industrial arm of closed meshes, about 2,500 triangles in all, in a fenced cell with a table and a
// part. Each mesh is one closed piece: a turned profile or a box with chamfers; links have one, two or three.
// It reaches 1.7 m from its first axis, in the class of a 10 kg handling robot. Half of the meshes are STL, half OBJ.

#include <string.h>

#include "math/math.h"
#include "models/models.h"
#include "models/surface.h"
#include "models/writer.h"

static const double QUARTER = 1.5707963267948966;

typedef struct Mesh {
    const char* link;
    const char* file;
    ProfilePoint profile[8];  // turned when profile_count > 0
    int profile_count, sides;
    BerthVec3 size;  // else a box
    double chamfer;
    BerthVec3 place, turn;  // in the link's frame: xyz and rpy; written into the vertices
} Mesh;

// Joint frames at zero: z up, x forward, arm reaching forward with a vertical upper arm.
static const Mesh meshes[] = {
    {"base_link",
     "base.stl",
     {{0.20, 0}, {0.20, 0.03}, {0.15, 0.05}, {0.14, 0.18}, {0.16, 0.20}, {0.16, 0.26}, {0.13, 0.29}},
     7,
     40,
     {0, 0, 0},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"link1",
     "turret.obj",
     {{0.14, 0}, {0.15, 0.02}, {0.15, 0.10}, {0.12, 0.14}, {0.10, 0.15}},
     5,
     32,
     {0, 0, 0},
     0,
     {0, 0, 0},
     {0, 0, 0}},
    {"link1", "shoulder.stl", {{0, 0}}, 0, 0, {0.26, 0.16, 0.24}, 0.02, {0.10, 0, 0.15}, {0, 0, 0}},
    {"link2", "upper_arm.stl", {{0, 0}}, 0, 0, {0.14, 0.08, 0.62}, 0.02, {0, 0.13, 0.30}, {0, 0, 0}},
    {"link2",
     "shoulder_hub.obj",
     {{0.07, 0.02}, {0.09, 0.03}, {0.10, 0.05}, {0.10, 0.09}, {0.09, 0.11}, {0.06, 0.12}},
     6,
     24,
     {0, 0, 0},
     0,
     {0, 0.07, 0},
     {-1, 0, 0}},
    {"link3", "elbow.stl", {{0, 0}}, 0, 0, {0.24, 0.16, 0.20}, 0.03, {0.03, 0, 0.06}, {0, 0, 0}},
    {"link3",
     "elbow_motor.obj",
     {{0.05, -0.26}, {0.06, -0.25}, {0.06, -0.12}, {0.07, -0.10}, {0.07, -0.08}},
     5,
     24,
     {0, 0, 0},
     0,
     {0, 0, 0.10},
     {0, 1, 0}},
    {"link4",
     "forearm.stl",
     {{0.075, 0}, {0.08, 0.02}, {0.08, 0.08}, {0.06, 0.14}, {0.055, 0.38}, {0.06, 0.40}},
     6,
     24,
     {0, 0, 0},
     0,
     {0.16, 0, 0},
     {0, 1, 0}},
    {"link5",
     "wrist.obj",
     {{0.04, -0.055}, {0.05, -0.045}, {0.055, 0}, {0.05, 0.045}, {0.04, 0.055}},
     5,
     24,
     {0, 0, 0},
     0,
     {0, 0, 0},
     {1, 0, 0}},
    {"link6",
     "flange.stl",
     {{0.03, 0.050}, {0.04, 0.055}, {0.04, 0.075}, {0.05, 0.080}, {0.05, 0.095}, {0.045, 0.10}},
     6,
     24,
     {0, 0, 0},
     0,
     {0, 0, 0},
     {0, 1, 0}},
    {"link6", "palm.obj", {{0, 0}}, 0, 0, {0.05, 0.14, 0.06}, 0.005, {0.125, 0, 0}, {0, 0, 0}},
    {"link6", "finger_left.obj", {{0, 0}}, 0, 0, {0.09, 0.015, 0.025}, 0.003, {0.194, 0.05, 0}, {0, 0, 0}},
    {"link6", "finger_right.obj", {{0, 0}}, 0, 0, {0.09, 0.015, 0.025}, 0.003, {0.194, -0.05, 0}, {0, 0, 0}},
};
#define MESH_COUNT ((int)(sizeof meshes / sizeof meshes[0]))

static const ProfilePoint part_profile[] = {
    {0.06, 0}, {0.06, 0.02}, {0.035, 0.03}, {0.035, 0.08}, {0.03, 0.09}};

typedef struct Joint {
    double at[3];
    const char* axis;
    double lower, upper, velocity;
} Joint;

static const Joint joints[6] = {
    {{0, 0, 0.29}, "0 0 1", -2.97, 2.97, 3.4}, {{0.15, 0, 0.16}, "0 1 0", -1.4, 2.2, 2.8},
    {{0, 0, 0.60}, "0 1 0", -1.6, 2.4, 3.2},   {{0, 0, 0.10}, "1 0 0", -3.3, 3.3, 5.2},
    {{0.62, 0, 0}, "0 1 0", -2.1, 2.1, 5.2},   {{0, 0, 0}, "1 0 0", -6.2, 6.2, 7.0},
};

static const struct {
    const char* name;
    double values[6];
} states[] = {
    {"home", {0, -0.4, 0.6, 0, 0.9, 0}},
    {"zero", {0, 0, 0, 0, 0, 0}},
    {"over_part", {0.2075, 0.34, -0.01, 0, 1.2408, 0}},
    {"in_table", {0.2075, 0.43, 0.17, 0, 0.9708, 0}},
};

static bool write_mesh(const char* folder, const Mesh* mesh) {
    Surface s;
    bi_surface_clear(&s);
    if (mesh->profile_count > 0) {
        bi_surface_add_turned(&s, mesh->profile, mesh->profile_count, mesh->sides);
    } else {
        bi_surface_add_box(&s, v3(0, 0, 0), mesh->size, mesh->chamfer);
    }
    const Vec3 turn = v3(mesh->turn.x * QUARTER, mesh->turn.y * QUARTER, mesh->turn.z * QUARTER);
    const BerthPose pose = berth_pose_from_rpy(mesh->place, turn);
    bi_surface_move(&s, &pose);
    return bi_surface_write(&s, folder, mesh->file);
}

static bool write_part(const char* folder) {
    Surface s;
    bi_surface_clear(&s);
    bi_surface_add_turned(&s, part_profile, 5, 24);
    return bi_surface_write(&s, folder, "part.stl");
}

static void write_link(Writer* w, const char* link) {
    bi_writer_print(w, "  <link name=\"%s\">\n", link);
    for (int i = 0; i < MESH_COUNT; ++i) {
        for (int k = 0; k < 2 && strcmp(meshes[i].link, link) == 0; ++k) {
            const char* what = k == 0 ? "visual" : "collision";
            bi_writer_print(w, "    <%s><geometry><mesh filename=\"%s\"/></geometry></%s>\n", what,
                            meshes[i].file, what);
        }
    }
    bi_writer_print(w, "  </link>\n");
}

static bool write_urdf(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "arm6.urdf");
    bi_writer_print(
        &w,
        "<?xml version=\"1.0\"?>\n<!-- Made by make_models: a 6-joint industrial arm of closed meshes. "
        "-->\n<robot name=\"arm6\">\n");
    write_link(&w, "base_link");
    for (int i = 0; i < 6; ++i) {
        char link[16], parent[16] = "base_link";
        (void)snprintf(link, sizeof link, "link%d", i + 1);
        if (i > 0) {
            (void)snprintf(parent, sizeof parent, "link%d", i);
        }
        write_link(&w, link);
        bi_writer_print(
            &w,
            "  <joint name=\"joint%d\" type=\"revolute\">\n    <parent link=\"%s\"/>\n"
            "    <child link=\"%s\"/>\n    <origin xyz=\"%.9g %.9g %.9g\"/>\n    <axis xyz=\"%s\"/>\n"
            "    <limit lower=\"%.9g\" upper=\"%.9g\" velocity=\"%.9g\" effort=\"300\"/>\n  </joint>\n",
            i + 1, parent, link, joints[i].at[0], joints[i].at[1], joints[i].at[2], joints[i].axis,
            joints[i].lower, joints[i].upper, joints[i].velocity);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

static bool write_srdf(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "arm6.srdf");
    bi_writer_print(&w,
                    "<?xml version=\"1.0\"?>\n<robot name=\"arm6\">\n  <group name=\"arm\">\n"
                    "    <chain base_link=\"base_link\" tip_link=\"link6\"/>\n  </group>\n");
    for (size_t s = 0; s < sizeof states / sizeof states[0]; ++s) {
        bi_writer_print(&w, "  <group_state name=\"%s\" group=\"arm\">\n", states[s].name);
        for (int i = 0; i < 6; ++i) {
            bi_writer_print(&w, "    <joint name=\"joint%d\" value=\"%.9g\"/>\n", i + 1, states[s].values[i]);
        }
        bi_writer_print(&w, "  </group_state>\n");
    }
    bi_writer_print(&w, "  <disable_collisions link1=\"base_link\" link2=\"link1\" reason=\"Adjacent\"/>\n");
    for (int i = 1; i < 6; ++i) {
        bi_writer_print(&w, "  <disable_collisions link1=\"link%d\" link2=\"link%d\" reason=\"Adjacent\"/>\n",
                        i, i + 1);
    }
    bi_writer_print(&w,
                    "  <disable_collisions link1=\"link4\" link2=\"link6\" reason=\"Default\"/>\n</robot>\n");
    return bi_writer_close(&w);
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
    for (int i = 0; i < MESH_COUNT; ++i) {
        if (!write_mesh(folder, &meshes[i])) {
            return false;
        }
    }
    return write_part(folder) && write_urdf(folder) && write_srdf(folder) && write_scene(folder);
}
