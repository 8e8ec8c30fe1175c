// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A small room for tests that need no file from outside: a 4-joint arm that mostly sweeps a horizontal plane
// (turn, turn, turn, lift), with a mimic gripper, among one object of every primitive kind; one is carried.
// No SRDF, so the default rule about pairs is at work.

#include "models/models.h"
#include "models/writer.h"

static bool write_urdf(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "arm.urdf");
    bi_writer_print(
        &w, "%s",
        "<?xml version=\"1.0\"?>\n"
        "<!-- Made by make_models: three turning joints and a lift, a gripper whose fingers mirror. -->\n"
        "<robot name=\"scara\">\n"
        "  <link name=\"base\">\n"
        "    <collision><origin xyz=\"0 0 0.25\"/>"
        "<geometry><cylinder radius=\"0.12\" length=\"0.5\"/></geometry></collision>\n"
        "  </link>\n"
        "  <link name=\"upper\">\n"
        "    <collision><origin xyz=\"0.2 0 0.05\"/>"
        "<geometry><box size=\"0.5 0.12 0.08\"/></geometry></collision>\n"
        "  </link>\n"
        "  <link name=\"fore\">\n"
        "    <collision><origin xyz=\"0.175 0 0.05\" rpy=\"0 1.5707963267948966 0\"/>"
        "<geometry><capsule radius=\"0.05\" length=\"0.35\"/></geometry></collision>\n"
        "  </link>\n"
        "  <link name=\"wrist\">\n"
        "    <collision><geometry><sphere radius=\"0.055\"/></geometry></collision>\n"
        "  </link>\n"
        "  <link name=\"quill\">\n"
        "    <collision><origin xyz=\"0 0 0.13\"/>"
        "<geometry><cylinder radius=\"0.025\" length=\"0.6\"/></geometry></collision>\n"
        "  </link>\n"
        "  <link name=\"finger_left\">\n"
        "    <collision><geometry><box size=\"0.02 0.01 0.06\"/></geometry></collision>\n"
        "  </link>\n"
        "  <link name=\"finger_right\">\n"
        "    <collision><geometry><box size=\"0.02 0.01 0.06\"/></geometry></collision>\n"
        "  </link>\n"
        "  <joint name=\"turn1\" type=\"revolute\">\n"
        "    <parent link=\"base\"/><child link=\"upper\"/><origin xyz=\"0 0 0.5\"/><axis xyz=\"0 0 1\"/>\n"
        "    <limit lower=\"-2.9\" upper=\"2.9\" velocity=\"2\" effort=\"50\"/>\n"
        "  </joint>\n"
        "  <joint name=\"turn2\" type=\"revolute\">\n"
        "    <parent link=\"upper\"/><child link=\"fore\"/><origin xyz=\"0.4 0 0.1\"/><axis xyz=\"0 0 1\"/>\n"
        "    <limit lower=\"-2.6\" upper=\"2.6\" velocity=\"2\" effort=\"50\"/>\n"
        "  </joint>\n"
        "  <joint name=\"turn3\" type=\"continuous\">\n"
        "    <parent link=\"fore\"/><child link=\"wrist\"/><origin xyz=\"0.35 0 0.05\"/><axis xyz=\"0 0 "
        "1\"/>\n"
        "    <limit velocity=\"4\" effort=\"10\"/>\n"
        "  </joint>\n"
        "  <joint name=\"lift\" type=\"prismatic\">\n"
        "    <parent link=\"wrist\"/><child link=\"quill\"/><origin xyz=\"0 0 0\"/><axis xyz=\"0 0 -1\"/>\n"
        "    <limit lower=\"0\" upper=\"0.3\" velocity=\"0.5\" effort=\"100\"/>\n"
        "  </joint>\n"
        "  <joint name=\"grip\" type=\"prismatic\">\n"
        "    <parent link=\"quill\"/><child link=\"finger_left\"/><origin xyz=\"0 0.006 -0.2\"/>"
        "<axis xyz=\"0 1 0\"/>\n"
        "    <limit lower=\"0\" upper=\"0.04\" velocity=\"0.1\" effort=\"20\"/>\n"
        "  </joint>\n"
        "  <joint name=\"grip_mirror\" type=\"prismatic\">\n"
        "    <parent link=\"quill\"/><child link=\"finger_right\"/><origin xyz=\"0 -0.006 -0.2\"/>"
        "<axis xyz=\"0 -1 0\"/>\n"
        "    <limit lower=\"0\" upper=\"0.04\" velocity=\"0.1\" effort=\"20\"/>\n"
        "    <mimic joint=\"grip\"/>\n"
        "  </joint>\n"
        "</robot>\n");
    return bi_writer_close(&w);
}

static bool write_scene(const char* folder) {
    Writer w;
    bi_writer_open(&w, folder, "cell.yaml");
    bi_writer_print(&w, "%s",
                    "# Made by make_models: a 4-joint arm among one object of every primitive kind.\n"
                    "berth: 1\n"
                    "robots:\n"
                    "  - urdf: arm.urdf\n"
                    "    state: {turn1: 0.3, turn2: 0.4, lift: 0.05, grip: 0.02}\n"
                    "objects:\n"
                    "  - name: floor\n"
                    "    halfspace: {normal: [0, 0, 1], offset: 0}\n"
                    "  - name: bench\n"
                    "    box: {size: [0.6, 1.2, 0.3]}\n"
                    "    pose: {xyz: [0.65, 0, 0.15]}\n"
                    "  - name: wall\n"
                    "    box: {size: [2, 0.1, 1.2]}\n"
                    "    pose: {xyz: [0, -0.9, 0.6]}\n"
                    "  - name: shelf\n"
                    "    box: {size: [0.5, 0.3, 0.04]}\n"
                    "    pose: {xyz: [-0.5, 0.6, 0.55], rpy: [0, 0, 0.5]}\n"
                    "  - name: post\n"
                    "    cylinder: {radius: 0.05, length: 1.5}\n"
                    "    pose: {xyz: [0.1, 0.75, 0.75]}\n"
                    "  - name: pipe\n"
                    "    capsule: {radius: 0.03, length: 1.0}\n"
                    "    pose: {xyz: [-0.3, -0.5, 0.7], rpy: [0, 1.5707963267948966, 0]}\n"
                    "  - name: ball\n"
                    "    sphere: {radius: 0.1}\n"
                    "    pose: {xyz: [0.8, 0.5, 0.4]}\n"
                    "  - name: cone\n"
                    "    cone: {radius: 0.08, length: 0.2}\n"
                    "    pose: {xyz: [0.6, -0.4, 0.4]}\n"
                    "  - name: carried\n"
                    "    box: {size: [0.03, 0.03, 0.05]}\n"
                    "    pose: {xyz: [0, 0, -0.235]}\n"
                    "    attach: quill\n"
                    "    touch: [finger_left, finger_right]\n"
                    "    mass: 0.1\n"
                    "allow:\n"
                    "  - [base, floor]\n");
    return bi_writer_close(&w);
}

bool bi_write_room(const char* folder) {
    return write_urdf(folder) && write_scene(folder);
}
