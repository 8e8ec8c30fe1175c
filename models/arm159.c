// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The arm of thesis 004's last table: seven joints that turn about z and y in turn, seven links, to be covered by 159 balls, in a
// cube of 2.56 m with a floor, a table with a box on it, and a wall. The thesis shows a picture; the measures are ours.

#include <math.h>

#include "models/models.h"
#include "models/writer.h"

enum { LINKS = 7, STATES = 4 };
static const double lengths[LINKS] = {0.26, 0.24, 0.22, 0.20, 0.16, 0.12, 0.10};
static const double radii[LINKS] = {0.040, 0.036, 0.032, 0.030, 0.026, 0.022, 0.018};
static const double states[STATES][LINKS] = {{0.3, 0.9, -0.4, 1.1, 0.2, 0.7, 0},
                                             {-0.9, 1.6, 0.5, 0.2, 0, 0.3, 0},
                                             {0, 0.2, 0, 0.3, 0, 0.2, 0},
                                             {2.2, -0.5, 0.8, 0.9, 1.0, -0.6, 0.4}};

// 23 balls on the axis of each of the first five capsules, 22 on the others, from end to end. What is beside the axis is at most r from
// it, and half a step s along it from a centre: balls of the root of r^2 + (s / 2)^2 hold it. What is beyond an end is in the ball there.
static void write_balls(Writer* w, int link) {
    const int count = link < 5 ? 23 : 22;
    const double step = lengths[link] / (count - 1);
    const double radius = sqrt(radii[link] * radii[link] + 0.25 * step * step) + 2e-9;  // of nine digits
    for (int i = 0; i < count; ++i) {
        bi_writer_print(w,
                        "    <collision><origin xyz=\"0 0 %.9g\"/>"
                        "<geometry><sphere radius=\"%.9g\"/></geometry></collision>\n",
                        step * i, radius);
    }
}

static void write_capsule(Writer* w, int link) {
    bi_writer_print(w,
                    "    <collision><origin xyz=\"0 0 %.9g\"/>"
                    "<geometry><capsule radius=\"%.9g\" length=\"%.9g\"/></geometry></collision>\n",
                    0.5 * lengths[link], radii[link], lengths[link]);
}

static bool write_urdf(const char* folder, const char* name, void (*write_geometry)(Writer*, int)) {
    Writer w;
    bi_writer_open(&w, folder, name);
    bi_writer_print(&w, "%s",
                    "<?xml version=\"1.0\"?>\n<!-- Made by make_models: seven joints, for 159 balls. -->\n"
                    "<robot name=\"arm159\">\n  <link name=\"base\"/>\n");
    for (int i = 0; i < LINKS; ++i) {
        bi_writer_print(&w, "  <link name=\"link%d\">\n", i + 1);
        write_geometry(&w, i);
        bi_writer_print(&w, "  </link>\n");
    }
    for (int i = 0; i < LINKS; ++i) {
        char parent[16] = "base";
        if (i > 0) {
            (void)snprintf(parent, sizeof parent, "link%d", i);
        }
        bi_writer_print(
            &w,
            "  <joint name=\"joint%d\" type=\"revolute\">\n    <parent link=\"%s\"/>"
            "<child link=\"link%d\"/>\n    <origin xyz=\"0 0 %.9g\"/><axis xyz=\"%s\"/>\n"
            "    <limit lower=\"-2.6\" upper=\"2.6\" velocity=\"2\" effort=\"50\"/>\n  </joint>\n",
            i + 1, parent, i + 1, i > 0 ? lengths[i - 1] : 0.0, i % 2 == 0 ? "0 0 1" : "0 1 0");
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

// Links two apart overlap where the joint between them turns about both: by half of that link.
static bool write_srdf(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "arm159.srdf");
    bi_writer_print(&w, "%s",
                    "<?xml version=\"1.0\"?>\n<robot name=\"arm159\">\n  <group name=\"arm\">\n"
                    "    <chain base_link=\"base\" tip_link=\"link7\"/>\n  </group>\n");
    for (int s = 0; s < STATES; ++s) {
        bi_writer_print(&w, "  <group_state name=\"state%d\" group=\"arm\">\n", s + 1);
        for (int i = 0; i < LINKS; ++i) {
            bi_writer_print(&w, "    <joint name=\"joint%d\" value=\"%.9g\"/>\n", i + 1, states[s][i]);
        }
        bi_writer_print(&w, "  </group_state>\n");
    }
    for (int i = 1; i < LINKS; ++i) {
        bi_writer_print(&w, "  <disable_collisions link1=\"link%d\" link2=\"link%d\" reason=\"Adjacent\"/>\n",
                        i, i + 1);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

static bool write_scene(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "cell.yaml");
    bi_writer_print(&w, "%s",
                    "# Made by make_models: the arm of thesis 004's table 4.5, in the cells of its map.\n"
                    "berth: 1\n"
                    "robots:\n"
                    "  - urdf: arm159.urdf\n"
                    "    srdf: arm159.srdf\n"
                    "    base: {xyz: [1.28, 1.28, 0.08]}\n"
                    "    state: state3\n"
                    "objects:\n"
                    "  - name: floor\n"
                    "    box: {size: [2.56, 2.56, 0.01]}\n"
                    "    pose: {xyz: [1.28, 1.28, 0.005]}\n"
                    "  - name: table\n"
                    "    box: {size: [0.9, 1.15, 0.36]}\n"
                    "    pose: {xyz: [1.95, 1.025, 0.19]}\n"
                    "  - name: wall\n"
                    "    box: {size: [0.2, 1.8, 1.2]}\n"
                    "    pose: {xyz: [0.5, 1.3, 0.61]}\n"
                    "  - name: part\n"
                    "    box: {size: [0.23, 0.3, 0.21]}\n"
                    "    pose: {xyz: [1.915, 0.85, 0.475]}\n");
    return bi_writer_close(&w);
}

bool bi_write_arm159(const char* folder) {
    return write_urdf(folder, "arm159.urdf", write_capsule) &&
           write_urdf(folder, "arm159_spheres.urdf", write_balls) && write_srdf(folder) &&
           write_scene(folder);
}
