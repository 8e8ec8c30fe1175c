// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The cell of Shaffer & Herb, sections III to V: two telerobot arms of seven joints, each link one "cylsphere"
// (capsule), among tables, boxes and experiment modules: 35 primitives, 14 of them moving, in a cube of 250 in.
// The paper prints the counts, the cube, the reach of 75 in and the three tasks, not the measures of each part:
// those are chosen here. Inches in this file, metres in what it writes.

#include "models/models.h"
#include "models/writer.h"

static const double INCH = 0.0254;

#define JOINT_COUNT 7

typedef struct ArmLink {
    double length;    // inches, from this joint to the next; the last one to the tip
    double radius;    // inches
    double limit;     // rad, both ways
    double velocity;  // rad/s: 24 in/s at the tip of a stretched arm, more where the lever is shorter
} ArmLink;

// Odd joints roll about the link, even ones pitch: shoulder, elbow and wrist, and a roll of the tool.
// Lengths add up to 75 in. Pitch limits keep links i and i+2 apart whatever the rolls are.
static const ArmLink arm_links[JOINT_COUNT] = {
    {10, 4.5, 3.0, 0.32}, {12, 4.5, 2.0, 0.32}, {12, 4.0, 3.0, 0.40}, {11, 3.8, 2.0, 0.45},
    {11, 3.2, 3.0, 0.80}, {9, 2.8, 1.9, 0.80},  {10, 2.0, 3.0, 1.50},
};

typedef struct NamedState {
    const char* name;
    double values[JOINT_COUNT];  // of the left arm; the right one is its mirror: rolls change sign
} NamedState;

static const NamedState arm_states[] = {
    {"home", {0, -0.9, 0, 1.6, 0, 0.8, 0}},
    {"stretched", {0, 0, 0, 0, 0, 0, 0}},
    {"reach_front",
     {1.05, -0.42, 1.15, -0.21, 0.88, -1.46, 0}},         // tool 1.7 in above the box on the front table
    {"hit_table", {0, -0.47, -0.2, 1.27, 0.19, 0.7, 0}},  // tool in the front table's top
    {"reach_side",
     {-1.51, -1.49, -1.84, 0.02, 0.27, -1.24, 0}},  // the right arm: tool above the box at its side
};
#define STATE_COUNT ((int)(sizeof arm_states / sizeof arm_states[0]))

typedef struct Part {
    const char* name;
    double centre[3], size[3];  // inches
} Part;

// 20 boxes; the handle, a capsule, is the 21st fixed primitive.
static const Part parts[] = {
    {"floor", {0, 0, -1}, {250, 250, 2}},       {"column", {-3, 0, 23.5}, {10, 12, 47}},
    {"beam", {-3, 0, 52}, {10, 70, 10}},        {"left_mount", {5, 22, 52}, {6, 12, 12}},
    {"right_mount", {5, -22, 52}, {6, 12, 12}}, {"front_table", {68, 0, 29}, {40, 60, 2}},
    {"front_leg_1", {50, -28, 14}, {3, 3, 28}}, {"front_leg_2", {50, 28, 14}, {3, 3, 28}},
    {"front_leg_3", {86, -28, 14}, {3, 3, 28}}, {"front_leg_4", {86, 28, 14}, {3, 3, 28}},
    {"front_box", {62, 0, 34}, {10, 10, 8}},    {"module_a", {80, -18, 39}, {12, 16, 18}},
    {"module_b", {80, 18, 35}, {10, 14, 10}},   {"side_table", {20, -80, 29}, {40, 40, 2}},
    {"side_leg_1", {2, -98, 14}, {3, 3, 28}},   {"side_leg_2", {2, -62, 14}, {3, 3, 28}},
    {"side_leg_3", {38, -98, 14}, {3, 3, 28}},  {"side_leg_4", {38, -62, 14}, {3, 3, 28}},
    {"side_box", {22, -76, 33}, {9, 9, 6}},     {"rack", {40, 100, 40}, {30, 20, 80}},
};
#define PART_COUNT ((int)(sizeof parts / sizeof parts[0]))

static void write_link(Writer* w, int index) {
    const ArmLink* link = &arm_links[index];
    // The last capsule ends at the tip; the others reach from joint to joint.
    const double length = index + 1 < JOINT_COUNT ? link->length : link->length - link->radius;
    bi_writer_print(w, "  <link name=\"link%d\">\n", index + 1);
    for (int i = 0; i < 2; ++i) {
        const char* what = i == 0 ? "visual" : "collision";
        bi_writer_print(w,
                        "    <%s>\n      <origin xyz=\"0 0 %.9g\"/>\n"
                        "      <geometry><capsule radius=\"%.9g\" length=\"%.9g\"/></geometry>\n    </%s>\n",
                        what, length / 2 * INCH, link->radius * INCH, length * INCH, what);
    }
    bi_writer_print(w, "  </link>\n");
}

static void write_joint(Writer* w, int index) {
    const ArmLink* link = &arm_links[index];
    const double at = index == 0 ? 0.0 : arm_links[index - 1].length;
    char parent[16] = "base_link";
    if (index > 0) {
        (void)snprintf(parent, sizeof parent, "link%d", index);
    }
    bi_writer_print(
        w,
        "  <joint name=\"joint%d\" type=\"revolute\">\n    <parent link=\"%s\"/>\n"
        "    <child link=\"link%d\"/>\n    <origin xyz=\"0 0 %.9g\"/>\n    <axis xyz=\"%s\"/>\n"
        "    <limit lower=\"%.9g\" upper=\"%.9g\" velocity=\"%.9g\" effort=\"200\"/>\n  </joint>\n",
        index + 1, parent, index + 1, at * INCH, index % 2 == 0 ? "0 0 1" : "0 1 0", -link->limit,
        link->limit, link->velocity);
}

static bool write_urdf(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "arm.urdf");
    bi_writer_print(
        &w,
        "<?xml version=\"1.0\"?>\n<!-- Made by make_models: a 7-joint arm, each link one capsule; 75 in "
        "(1.905 m) when stretched. -->\n<robot name=\"arm\">\n  <link name=\"base_link\"/>\n");
    for (int i = 0; i < JOINT_COUNT; ++i) {
        write_link(&w, i);
        write_joint(&w, i);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

static bool write_srdf(const char* folder, const char* name, double mirror) {
    Writer w;
    bi_writer_open(&w, folder, name);
    bi_writer_print(&w,
                    "<?xml version=\"1.0\"?>\n<robot name=\"arm\">\n  <group name=\"arm\">\n"
                    "    <chain base_link=\"base_link\" tip_link=\"link7\"/>\n  </group>\n");
    for (int s = 0; s < STATE_COUNT; ++s) {
        bi_writer_print(&w, "  <group_state name=\"%s\" group=\"arm\">\n", arm_states[s].name);
        for (int i = 0; i < JOINT_COUNT; ++i) {
            const double value = arm_states[s].values[i] * (i % 2 == 0 ? mirror : 1.0);
            bi_writer_print(&w, "    <joint name=\"joint%d\" value=\"%.9g\"/>\n", i + 1, value + 0.0);
        }
        bi_writer_print(&w, "  </group_state>\n");
    }
    for (int i = 1; i < JOINT_COUNT; ++i) {
        bi_writer_print(&w, "  <disable_collisions link1=\"link%d\" link2=\"link%d\" reason=\"Adjacent\"/>\n",
                        i, i + 1);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

// Brakes bring a joint at full speed to rest in the paper's 10 to 20 ms; how fast it gains speed is ours.
static void write_limits(Writer* w) {
    bi_writer_print(w, "    limits:\n");
    for (int i = 1; i <= JOINT_COUNT; ++i) {
        bi_writer_print(w, "      joint%d: {acceleration: 1, deceleration: 20}\n", i);
    }
}

// `safety` is the last line but its margin; `about` the second.
static bool write_scene(const char* folder, const char* file, const char* about, const char* safety) {
    Writer w;
    bi_writer_open(&w, folder, file);
    bi_writer_print(
        &w,
        "# Made by make_models: two 7-joint arms among tables and boxes, 35 primitives (14 move).\n"
        "# The cell of Shaffer & Herb, \"A real-time robot arm collision avoidance system\", in metres.\n"
        "%sberth: 1\nrobots:\n",
        about);
    for (int side = 1; side >= -1; side -= 2) {
        const char* name = side > 0 ? "left" : "right";
        bi_writer_print(
            &w,
            "  - name: %s\n    urdf: arm.urdf\n    srdf: %s.srdf\n"
            "    base: {xyz: [%.9g, %.9g, %.9g], rpy: [0, 1.5707963267948966, 0]}\n    state: home\n",
            name, name, 8 * INCH, side * 22 * INCH, 52 * INCH);
        write_limits(&w);
    }
    bi_writer_print(&w, "objects:\n");
    for (int i = 0; i < PART_COUNT; ++i) {
        const double *c = parts[i].centre, *s = parts[i].size;
        bi_writer_print(
            &w, "  - name: %s\n    box: {size: [%.9g, %.9g, %.9g]}\n    pose: {xyz: [%.9g, %.9g, %.9g]}\n",
            parts[i].name, s[0] * INCH, s[1] * INCH, s[2] * INCH, c[0] * INCH, c[1] * INCH, c[2] * INCH);
    }
    bi_writer_print(&w,
                    "  - name: module_b_handle\n    capsule: {radius: %.9g, length: %.9g}\n"
                    "    pose: {xyz: [%.9g, %.9g, %.9g], rpy: [1.5707963267948966, 0, 0]}\n",
                    0.75 * INCH, 8 * INCH, 74.0 * INCH, 18 * INCH, 37 * INCH);
    bi_writer_print(&w,
                    "allow:   # each arm's first link turns in its mount\n  - [left/link1, left_mount]\n"
                    "  - [left/link1, beam]\n  - [right/link1, right_mount]\n  - [right/link1, beam]\n"
                    "safety: {%s}\n",
                    safety);
    return bi_writer_close(&w);
}

bool bi_write_two_arms(const char* folder) {
    // testbed.yaml: cycles of 30 ms, joint angles 2 ms old (the space station's arms), no margin beyond what moves
    // until it stands: that alone is the paper's 1 to 3 in.
    return write_urdf(folder) && write_srdf(folder, "left.srdf", 1.0) &&
           write_srdf(folder, "right.srdf", -1.0) &&
           write_scene(folder, "cell.yaml", "",
                       "period: 0.001, latency: 0.01, reaction: 0.02, silence: 0.005, margin: 0.03048") &&
           write_scene(folder, "testbed.yaml",
                       "# With the paper's times, for its tasks: task1.csv, task2.csv, task3.csv, a row "
                       "every 30 ms.\n",
                       "period: 0.03, latency: 0.002, reaction: 0.015, silence: 0.045, margin: 0") &&
           bi_write_testbed_tasks(folder);
}
