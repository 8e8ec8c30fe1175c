// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Skinny 20-joint arms: two of them through three thin rings (Figure 1a of paper 001), and one through the
// holes of a lattice of bars (Figure 11c). Counts and link lengths are the paper's.

#include "models/kit.h"
#include "models/models.h"

#include "math/math.h"

static const double LINK = 0.5;

// Link i of the chain hangs on link i - 1; the first on the base.
static void write_chain_link(Writer* w, int index) {
    char parent[16] = "base_link";
    if (index > 0) {
        (void)snprintf(parent, sizeof parent, "link%d", index);
    }
    bi_writer_print(w, "  <link name=\"link%d\">\n", index + 1);
    for (int k = 0; k < 2; ++k) {
        const char* what = k == 0 ? "visual" : "collision";
        bi_writer_print(w, "    <%s><geometry><mesh filename=\"link.stl\"/></geometry></%s>\n", what, what);
    }
    bi_writer_print(w,
                    "  </link>\n  <joint name=\"joint%d\" type=\"revolute\">\n    <parent link=\"%s\"/>\n"
                    "    <child link=\"link%d\"/>\n    <origin xyz=\"0 0 %.9g\"/>\n    <axis xyz=\"%s\"/>\n"
                    "    <limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"50\"/>\n  </joint>\n",
                    index + 1, parent, index + 1, index > 0 ? LINK : 0.0, index % 2 == 0 ? "0 1 0" : "1 0 0");
}

static bool write_chain_urdf(const char* folder, const char* file) {
    Writer w;
    char name[64];
    (void)snprintf(name, sizeof name, "%s.urdf", file);
    bi_writer_open(&w, folder, name);
    bi_writer_print(
        &w,
        "<?xml version=\"1.0\"?>\n<!-- Made by make_models: a chain of 20 thin prisms of 16 triangles. "
        "-->\n<robot name=\"chain\">\n  <link name=\"base_link\"/>\n");
    for (int i = 0; i < CHAIN_JOINT_COUNT; ++i) {
        write_chain_link(&w, i);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

static bool write_chain_srdf(const char* folder, const char* file, const ChainState* states,
                             int state_count) {
    Writer w;
    char name[64];
    (void)snprintf(name, sizeof name, "%s.srdf", file);
    bi_writer_open(&w, folder, name);
    bi_writer_print(&w,
                    "<?xml version=\"1.0\"?>\n<robot name=\"chain\">\n  <group name=\"arm\">\n"
                    "    <chain base_link=\"base_link\" tip_link=\"link%d\"/>\n  </group>\n",
                    CHAIN_JOINT_COUNT);
    for (int s = 0; s < state_count; ++s) {
        bi_writer_print(&w, "  <group_state name=\"%s\" group=\"arm\">\n", states[s].name);
        for (int i = 0; i < CHAIN_JOINT_COUNT; ++i) {
            bi_writer_print(&w, "    <joint name=\"joint%d\" value=\"%.9g\"/>\n", i + 1, states[s].values[i]);
        }
        bi_writer_print(&w, "  </group_state>\n");
    }
    for (int i = 1; i < CHAIN_JOINT_COUNT; ++i) {
        bi_writer_print(&w, "  <disable_collisions link1=\"link%d\" link2=\"link%d\" reason=\"Adjacent\"/>\n",
                        i, i + 1);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

bool bi_write_chain(const char* folder, const char* file, double radius, const ChainState* states,
                    int state_count) {
    const ProfilePoint prism[] = {{radius, 0}, {radius, LINK}};
    Surface s = {0};
    bi_surface_add_turned(&s, prism, 2, 4);
    const bool done = bi_surface_write(&s, folder, "link.stl");
    bi_surface_free(&s);
    return done && write_chain_urdf(folder, file) && write_chain_srdf(folder, file, states, state_count);
}

// Straight up through the rings, and laid down below them: outward, each to its side, with a bow.
static const ChainState left_states[] = {
    {"start", {0}},
    {"goal", {-1.5, 0.1, 0, 0.1, 0, -0.1, 0, -0.1, 0, 0.1, 0, 0.1, 0, -0.1, 0, -0.1}},
};
static const ChainState right_states[] = {
    {"start", {0}},
    {"goal", {1.5, 0.1, 0, 0.1, 0, -0.1, 0, -0.1, 0, 0.1, 0, 0.1, 0, -0.1, 0, -0.1}},
};

bool bi_write_tori(const char* folder) {
    static const CellRobot robots[] = {{"left", "left", {-0.15, 0, 0}, 0},
                                       {"right", "right", {0.15, 0, 0}, 0}};
    static const CellObject rings[] = {{"ring_1", "ring.stl", {0.1, 0, 3}},
                                       {"ring_2", "ring.stl", {-0.1, 0.1, 5.5}},
                                       {"ring_3", "ring.stl", {0, -0.1, 8}}};
    const Cell cell = {.about = "two skinny 20-joint arms and three thin rings (paper 001, Figure 1a)",
                       .robots = robots,
                       .robot_count = 2,
                       .objects = rings,
                       .object_count = 3,
                       .scale = 1};
    Surface s = {0};
    bi_surface_add_torus(&s, 0.6, 0.03, 200, 15);
    const bool done = bi_surface_write(&s, folder, "ring.stl");
    bi_surface_free(&s);
    return done && bi_write_chain(folder, "left", 0.01, left_states, 2) &&
           bi_write_chain(folder, "right", 0.01, right_states, 2) && bi_write_cell(folder, &cell);
}

// Four layers of four and four crossing bars: 32 bars, 9 holes a layer, as far above each other as the bars are apart. The paper does not
// say how high it hangs; here it is about the arm's middle. With layers 2 m apart, from 1.75 m on, a random walk of one linkage
// was not out after 133,877 segments, where the paper's takes 4,208.
static bool write_lattice(const char* folder) {
    const double length = 2.6, pitch = 0.8, thick = 0.03, lowest = 4.5;
    Surface s = {0};
    for (int layer = 0; layer < 4; ++layer) {
        for (int i = 0; i < 4; ++i) {
            const double at = (i - 1.5) * pitch, height = lowest + pitch * layer;
            bi_surface_add_bar(&s, v3(at, 0, height), v3(thick, length, thick));
            bi_surface_add_bar(&s, v3(0, at, height + 1.5 * thick), v3(length, thick, thick));
        }
    }
    const bool done = bi_surface_write(&s, folder, "lattice.stl");
    bi_surface_free(&s);
    return done;
}

bool bi_write_lattice20(const char* folder) {
    static const CellRobot robots[] = {{"arm", "arm", {0, 0, 0}, 0}};
    static const CellObject objects[] = {{"lattice", "lattice.stl", {0, 0, 0}}};
    const Cell cell = {.about = "a skinny 20-joint arm in a lattice of bars (paper 001, Figure 11c)",
                       .robots = robots,
                       .robot_count = 1,
                       .objects = objects,
                       .object_count = 1,
                       .scale = 1};
    return write_lattice(folder) && bi_write_chain(folder, "arm", 0.01, right_states, 2) &&
           bi_write_cell(folder, &cell);
}

bool bi_write_lattice9(const char* folder) {
    static const char* const names[9] = {"a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"};
    static const CellObject objects[] = {{"lattice", "lattice.stl", {0, 0, 0}}};
    CellRobot robots[9];
    for (int i = 0; i < 9; ++i) {
        robots[i] = (CellRobot){names[i], "arm", {0.8 * (i / 3 - 1), 0.8 * (i % 3 - 1), 0}, 0};
    }
    const Cell cell = {.about = "nine skinny 20-joint arms in a lattice of bars (paper 001, Figure 11c)",
                       .robots = robots,
                       .robot_count = 9,
                       .objects = objects,
                       .object_count = 1,
                       .scale = 1};
    return write_lattice(folder) && bi_write_chain(folder, "arm", 0.01, right_states, 1) &&
           bi_write_cell(folder, &cell);
}
