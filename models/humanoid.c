// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A humanoid with the structure of the ARMAR of paper 002 (Steinbach, Kuffner, Asfour, Dillmann): 23 joints in five
// subsystems, which are a mobile base (3), torso (4), head (2) and two arms (7 each), and 16,440 triangles. Measures
// are ours, those of a person of 1.69 m on a platform. One closed mesh a link, of pieces that may overlap.

#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "models/kit.h"
#include "models/models.h"

#define HUMANOID_TRIANGLES 16440

// Frames at zero: x forward, y left, z up; arms hang down. Slices are {height, half_x, half_y, x, y, square}.
static const Slice platform[] = {{0.06, 0.24, 0.20, 0, 0, 0.6}, {0.09, 0.28, 0.24, 0, 0, 0.6},
                                 {0.22, 0.28, 0.24, 0, 0, 0.6}, {0.29, 0.25, 0.21, 0, 0, 0.6},
                                 {0.32, 0.18, 0.16, 0, 0, 0.5}, {0.33, 0.15, 0.14, 0, 0, 0.4}};
static const Slice bumper[] = {{0.10, 0.288, 0.248, 0, 0, 0.6},
                               {0.11, 0.298, 0.258, 0, 0, 0.6},
                               {0.15, 0.298, 0.258, 0, 0, 0.6},
                               {0.16, 0.288, 0.248, 0, 0, 0.6}};
static const Slice pelvis[] = {{-0.02, 0.06, 0.08, 0, 0, 0.2},
                               {0.01, 0.09, 0.125, 0, 0, 0.3},
                               {0.06, 0.105, 0.155, 0, 0, 0.3},
                               {0.10, 0.095, 0.14, 0, 0, 0.3},
                               {0.125, 0.06, 0.08, 0, 0, 0.2}};
static const Slice ribs[] = {{0.03, 0.06, 0.085, 0, 0, 0.3},  {0.06, 0.095, 0.12, 0, 0, 0.35},
                             {0.15, 0.11, 0.138, 0, 0, 0.4},  {0.26, 0.12, 0.16, 0.005, 0, 0.4},
                             {0.335, 0.10, 0.155, 0, 0, 0.4}, {0.385, 0.065, 0.105, 0, 0, 0.3},
                             {0.405, 0.045, 0.05, 0, 0, 0}};
static const Slice pack[] = {{0.08, 0.03, 0.08, 0, 0, 0.8},
                             {0.10, 0.04, 0.095, 0, 0, 0.9},
                             {0.30, 0.04, 0.095, 0, 0, 0.9},
                             {0.32, 0.03, 0.08, 0, 0, 0.8}};
static const Slice skull[] = {{-0.02, 0.040, 0.036, 0.035, 0, 0},   {0.015, 0.066, 0.055, 0.022, 0, 0.1},
                              {0.065, 0.085, 0.068, 0.008, 0, 0.1}, {0.12, 0.100, 0.077, 0, 0, 0},
                              {0.17, 0.098, 0.077, -0.004, 0, 0},   {0.21, 0.072, 0.058, -0.008, 0, 0},
                              {0.228, 0.042, 0.034, -0.010, 0, 0},  {0.234, 0.014, 0.012, -0.010, 0, 0}};
static const Slice visor[] = {{0.095, 0.020, 0.050, 0, 0, 0.5},
                              {0.105, 0.026, 0.058, 0, 0, 0.6},
                              {0.135, 0.026, 0.058, 0, 0, 0.6},
                              {0.145, 0.020, 0.050, 0, 0, 0.5}};
static const Slice nose[] = {
    {0.050, 0.008, 0.012, 0, 0, 0}, {0.060, 0.014, 0.013, 0, 0, 0}, {0.092, 0.006, 0.008, -0.002, 0, 0}};
static const Slice upper_arm[] = {{-0.212, 0.018, 0.020, 0, 0, 0}, {-0.18, 0.032, 0.032, 0, 0, 0},
                                  {-0.12, 0.043, 0.041, 0, 0, 0},  {-0.06, 0.046, 0.044, 0, 0, 0},
                                  {-0.03, 0.036, 0.036, 0, 0, 0},  {-0.015, 0.026, 0.026, 0, 0, 0}};
static const Slice forearm[] = {{-0.20, 0.020, 0.018, 0, 0, 0}, {-0.17, 0.026, 0.023, 0, 0, 0},
                                {-0.11, 0.035, 0.031, 0, 0, 0}, {-0.06, 0.042, 0.037, 0, 0, 0},
                                {-0.03, 0.034, 0.031, 0, 0, 0}, {-0.003, 0.018, 0.020, 0, 0, 0}};
static const Slice palm[] = {{-0.094, 0.036, 0.009, 0, 0, 0.4},
                             {-0.085, 0.041, 0.013, 0, 0, 0.5},
                             {-0.055, 0.042, 0.016, 0, 0, 0.4},
                             {-0.025, 0.032, 0.015, 0, 0, 0.3},
                             {-0.003, 0.017, 0.012, 0, 0, 0}};

// Bent in their xz plane; turned so that they close toward the palm.
static const Knot finger[] = {{{0, 0, 0.012}, 0.009},
                              {{0.001, 0, -0.022}, 0.0088},
                              {{0.006, 0, -0.048}, 0.008},
                              {{0.016, 0, -0.070}, 0.007},
                              {{0.020, 0, -0.077}, 0.003}};
static const Knot thumb[] = {{{-0.016, 0, 0.012}, 0.010},
                             {{0.008, 0, -0.006}, 0.0105},
                             {{0.022, 0, -0.028}, 0.0095},
                             {{0.026, 0, -0.050}, 0.008},
                             {{0.026, 0, -0.058}, 0.003}};

static const Piece trunk[] = {
    {.owner = "base", LOFT(platform), .sides = 40, .weight = 9},
    {.owner = "base", LOFT(bumper), .sides = 40, .straight = true, .weight = 1},
    {.owner = "base", ROLLER(0.09, 0.025, 0.01), .place = {0, 0.20, 0.091}, .turn = {1, 0, 0}, .weight = 2},
    {.owner = "base", ROLLER(0.09, 0.025, 0.01), .place = {0, -0.20, 0.091}, .turn = {1, 0, 0}, .weight = 2},
    {.owner = "base", ROLLER(0.045, 0.02, 0.008), .place = {0.19, 0, 0.046}, .turn = {1, 0, 0}, .weight = 1},
    {.owner = "base", ROLLER(0.045, 0.02, 0.008), .place = {-0.19, 0, 0.046}, .turn = {1, 0, 0}, .weight = 1},
    {.owner = "base",
     .profile = {{0.13, 0.31}, {0.13, 0.34}, {0.10, 0.37}, {0.09, 0.41}, {0.09, 0.54}, {0.085, 0.55}},
     .profile_count = 6,
     .weight = 3},
    {.owner = "base",
     .profile = {{0.04, 0.31}, {0.045, 0.315}, {0.045, 0.35}, {0.04, 0.355}, {0.04, 0.38}, {0.03, 0.39}},
     .profile_count = 6,
     .place = {0.19, 0, 0},
     .weight = 2},
    {.owner = "column",
     .profile = {{0.07, -0.21}, {0.07, 0.10}, {0.08, 0.12}, {0.08, 0.15}, {0.07, 0.17}, {0.06, 0.19}},
     .profile_count = 6,
     .weight = 4},
    {.owner = "hip", LOFT(pelvis), .sides = 36, .weight = 8},
    {.owner = "waist", ROLLER(0.05, 0.08, 0.01), .turn = {1, 0, 0}, .weight = 2},
    {.owner = "waist", .profile = {{0.035, -0.07}, {0.035, -0.04}, {0.03, 0}}, .profile_count = 3},
    {.owner = "chest", LOFT(ribs), .sides = 40, .weight = 14},
    {.owner = "chest", ROLLER(0.04, 0.05, 0.008), .turn = {0, 1, 0}, .weight = 1},
    {.owner = "chest", ROLLER(0.035, 0.06, 0.008), .place = {0, 0, 0.03}, .weight = 1},
    {.owner = "chest", ROLLER(0.045, 0.158, 0.008), .place = {0, 0, 0.335}, .turn = {1, 0, 0}, .weight = 2},
    {.owner = "chest", LOFT(pack), .sides = 32, .straight = true, .place = {-0.125, 0, 0}, .weight = 2},
    {.owner = "chest", .size = {0.03, 0.12, 0.07}, .chamfer = 0.006, .place = {0.115, 0, 0.26}},
    {.owner = "neck",
     .profile = {{0.05, -0.03}, {0.048, -0.005}, {0.038, 0.005}, {0.036, 0.05}, {0.03, 0.06}},
     .profile_count = 5,
     .weight = 3},
    {.owner = "head", LOFT(skull), .sides = 36, .weight = 10},
    {.owner = "head", ROLLER(0.026, 0.03, 0.005), .turn = {1, 0, 0}},
    {.owner = "head", LOFT(visor), .sides = 32, .straight = true, .place = {0.08, 0, 0}, .weight = 1.5},
    {.owner = "head", LOFT(nose), .sides = 12, .place = {0.098, 0, 0}},
    {.owner = "head", .size = {0.02, 0.044, 0.008}, .chamfer = 0.003, .place = {0.084, 0, 0.028}},
    {.owner = "head",
     .profile = {{0.014, 0}, {0.016, 0.004}, {0.016, 0.018}, {0.011, 0.018}, {0.008, 0.012}},
     .profile_count = 5,
     .place = {0.1, 0.032, 0.12},
     .turn = {0, 1, 0},
     .weight = 1.5},
    {.owner = "head",
     .profile = {{0.014, 0}, {0.016, 0.004}, {0.016, 0.018}, {0.011, 0.018}, {0.008, 0.012}},
     .profile_count = 5,
     .place = {0.1, -0.032, 0.12},
     .turn = {0, 1, 0},
     .weight = 1.5},
    {.owner = "head",
     ROLLER(0.03, 0.088, 0.006),
     .place = {-0.005, 0, 0.11},
     .turn = {1, 0, 0},
     .weight = 1.5},
};
#define TRUNK_COUNT ((int)(sizeof trunk / sizeof trunk[0]))

#define FINGER(at, length)                                                                \
    {                                                                                     \
        .owner = "l_hand", TUBE(finger), .sides = 12, .place = {(at), 0, (length)-0.085}, \
        .turn = {0, 0, -1}, .weight = 1.2                                                 \
    }

// The left arm; the right one is its mirror image.
static const Piece arm[] = {
    {.owner = "l_shoulder1",
     .profile = {{0.045, -0.008}, {0.053, 0}, {0.053, 0.022}, {0.045, 0.03}},
     .profile_count = 4,
     .turn = {-1, 0, 0},
     .weight = 2},
    {.owner = "l_shoulder2", BALL(0.055), .weight = 3},
    {.owner = "l_upper_arm", LOFT(upper_arm), .sides = 24, .weight = 5},
    {.owner = "l_elbow", ROLLER(0.036, 0.042, 0.008), .turn = {1, 0, 0}, .weight = 2},
    {.owner = "l_forearm", LOFT(forearm), .sides = 24, .weight = 5},
    {.owner = "l_wrist", BALL(0.024), .weight = 1.5},
    {.owner = "l_hand", LOFT(palm), .sides = 24, .weight = 2.5},
    FINGER(-0.030, -0.004),
    FINGER(-0.010, -0.001),
    FINGER(0.010, 0),
    FINGER(0.030, -0.005),
    {.owner = "l_hand", TUBE(thumb), .sides = 12, .place = {0.036, 0, -0.03}, .weight = 1.2},
};
#define ARM_COUNT ((int)(sizeof arm / sizeof arm[0]))
#define PIECE_COUNT (TRUNK_COUNT + 2 * ARM_COUNT)

// All pieces, and the names of the right arm's links.
typedef struct Body {
    Piece pieces[PIECE_COUNT];
    char names[ARM_COUNT][16];
} Body;

// Shapes have y = 0 as a plane of symmetry before they are turned and placed.
static Piece mirrored(const Piece* left, char name[16]) {
    Piece right = *left;
    (void)snprintf(name, 16, "r%s", left->owner + 1);
    right.owner = name;
    right.place.y = -right.place.y;
    right.turn.x = -right.turn.x;
    right.turn.z = -right.turn.z;
    return right;
}

typedef struct Joint {
    const char *name, *parent, *child, *group;
    BerthVec3 at;
    char axis;
    bool slides;
    double lower, upper, velocity;
} Joint;

static const Joint trunk_joints[] = {
    {"base_x", "odom", "base_x_slide", "base", {0, 0, 0}, 'x', true, -2, 2, 0.8},
    {"base_y", "base_x_slide", "base_y_slide", "base", {0, 0, 0}, 'y', true, -1.6, 1.6, 0.8},
    {"base_yaw", "base_y_slide", "base", "base", {0, 0, 0}, 'z', false, -3.14, 3.14, 1.5},
    {"torso_lift", "base", "column", "torso", {0, 0, 0.55}, 'z', true, 0, 0.15, 0.1},
    {"torso_yaw", "column", "hip", "torso", {0, 0, 0.20}, 'z', false, -1.6, 1.6, 1.2},
    {"torso_pitch", "hip", "waist", "torso", {0, 0, 0.17}, 'y', false, -0.3, 0.9, 1},
    {"torso_roll", "waist", "chest", "torso", {0, 0, 0.05}, 'x', false, -0.4, 0.4, 1},
    {"head_pan", "chest", "neck", "head", {0, 0, 0.42}, 'z', false, -1.4, 1.4, 2.5},
    {"head_tilt", "neck", "head", "head", {0, 0, 0.07}, 'y', false, -0.5, 0.6, 2.5},
};
#define TRUNK_JOINTS ((int)(sizeof trunk_joints / sizeof trunk_joints[0]))

static const Joint arm_joints[] = {
    {"l_shoulder_pitch", "chest", "l_shoulder1", "left_arm", {0, 0.16, 0.335}, 'y', false, -2.9, 1, 2},
    {"l_shoulder_roll", "l_shoulder1", "l_shoulder2", "left_arm", {0, 0.08, 0}, 'x', false, -0.2, 2.6, 2},
    {"l_arm_yaw", "l_shoulder2", "l_upper_arm", "left_arm", {0, 0, -0.03}, 'z', false, -1.5, 1.5, 2.5},
    {"l_elbow_pitch", "l_upper_arm", "l_elbow", "left_arm", {0, 0, -0.24}, 'y', false, -1.9, 0.05, 2.5},
    {"l_forearm_yaw", "l_elbow", "l_forearm", "left_arm", {0, 0, -0.03}, 'z', false, -1.6, 1.6, 3},
    {"l_wrist_pitch", "l_forearm", "l_wrist", "left_arm", {0, 0, -0.22}, 'y', false, -0.9, 0.9, 3},
    {"l_wrist_roll", "l_wrist", "l_hand", "left_arm", {0, 0, -0.012}, 'x', false, -0.5, 0.5, 3},
};
#define ARM_JOINTS ((int)(sizeof arm_joints / sizeof arm_joints[0]))
#define JOINT_COUNT (TRUNK_JOINTS + 2 * ARM_JOINTS)

// Values of base, torso, head and arms; the right arm's as for a left one.
typedef struct State {
    const char* name;
    double trunk[TRUNK_JOINTS];
    double left[ARM_JOINTS], right[ARM_JOINTS];
} State;

#define ASIDE \
    { 0.25, 0.15, 0, -1.1, 0, 0, 0 }

// In the kitchen: where the robot waits, both hands in the sink, one hand over a plate, one in the open cupboard;
// a hand through the table top; and, anywhere, the hands in each other.
static const State states[] = {
    {"start", {0, 0, 1.5708, 0, 0, 0, 0, 0, 0.2}, ASIDE, ASIDE},
    {"zero", {0}, {0}, {0}},
    {"at_sink",
     {-0.75, 0.80, 1.5708, 0.05, 0, 0.40, 0, 0, 0.5},
     {-1.2, -0.12, -0.6, -0.3, 0, 0.5, 0},
     {-1.2, -0.12, -0.6, -0.3, 0, 0.5, 0}},
    {"at_table", {0.72, -0.9, 0, 0, 0, 0.45, 0, 0, 0.5}, ASIDE, {-1.2, 0.1, -0.3, -0.3, 0, 0.3, 0}},
    {"at_cupboard", {1.42, 0.85, 1.5708, 0.15, 0, 0, 0, 0, 0}, ASIDE, {-1.75, 0, -0.1, -0.2, 0, 0, 0}},
    {"in_table", {0.72, -0.9, 0, 0, 0, 0.45, 0, 0, 0.5}, ASIDE, {-0.85, 0.1, -0.3, -0.3, 0, 0.3, 0}},
    {"hands_clash",
     {0, 0, 1.5708, 0, 0, 0, 0, 0, 0.2},
     {-0.6, 0, -0.8, -1.3, 0, 0, 0},
     {-0.6, 0, -0.8, -1.3, 0, 0, 0}},
};
#define STATE_COUNT ((int)(sizeof states / sizeof states[0]))

// Whether mirroring in the plane y = 0 changes the sign of a joint.
static double mirror_sign(const Joint* joint) {
    return joint->axis == 'y' ? 1.0 : -1.0;
}

static double state_value(const State* state, int index) {
    if (index < TRUNK_JOINTS) {
        return state->trunk[index];
    }
    index -= TRUNK_JOINTS;
    if (index < ARM_JOINTS) {
        return state->left[index];
    }
    index -= ARM_JOINTS;
    return mirror_sign(&arm_joints[index]) * state->right[index] + 0.0;  // no minus before a zero
}

// The index-th joint, the right arm's made of the left one's. The names live in `names`.
typedef struct NamedJoint {
    Joint joint;
    char name[32], parent[32], child[32];
} NamedJoint;

static void joint_at(int index, NamedJoint* out) {
    const bool right = index >= TRUNK_JOINTS + ARM_JOINTS;
    const Joint* from =
        index < TRUNK_JOINTS ? &trunk_joints[index] : &arm_joints[(index - TRUNK_JOINTS) % ARM_JOINTS];
    out->joint = *from;
    (void)snprintf(out->name, sizeof out->name, "%s", from->name);
    (void)snprintf(out->parent, sizeof out->parent, "%s", from->parent);
    (void)snprintf(out->child, sizeof out->child, "%s", from->child);
    if (right) {
        const double sign = mirror_sign(from);
        out->name[0] = 'r';
        out->child[0] = 'r';
        out->parent[0] = from->parent[1] == '_' ? 'r' : out->parent[0];
        out->joint.group = "right_arm";
        out->joint.at.y = -from->at.y;
        out->joint.lower = sign > 0.0 ? from->lower : -from->upper;
        out->joint.upper = sign > 0.0 ? from->upper : -from->lower;
    }
}

static void write_urdf_joint(Writer* w, const NamedJoint* named) {
    const Joint* joint = &named->joint;
    bi_writer_print(
        w,
        "  <joint name=\"%s\" type=\"%s\">\n    <parent link=\"%s\"/>\n    <child link=\"%s\"/>\n"
        "    <origin xyz=\"%.9g %.9g %.9g\"/>\n    <axis xyz=\"%d %d %d\"/>\n"
        "    <limit lower=\"%.9g\" upper=\"%.9g\" velocity=\"%.9g\" effort=\"100\"/>\n  </joint>\n",
        named->name, joint->slides ? "prismatic" : "revolute", named->parent, named->child, joint->at.x,
        joint->at.y, joint->at.z, joint->axis == 'x', joint->axis == 'y', joint->axis == 'z', joint->lower,
        joint->upper, joint->velocity);
}

// A link has a mesh when there are pieces of it.
static void write_link(Writer* w, const Body* body, const char* name) {
    bool shaped = false;
    for (int i = 0; i < PIECE_COUNT; ++i) {
        shaped = shaped || strcmp(body->pieces[i].owner, name) == 0;
    }
    bi_writer_print(w, "  <link name=\"%s\"%s>\n", name, shaped ? "" : "/");
    for (int k = 0; k < 2 && shaped; ++k) {
        const char* what = k == 0 ? "visual" : "collision";
        bi_writer_print(w, "    <%s><geometry><mesh filename=\"%s.stl\"/></geometry></%s>\n", what, name,
                        what);
    }
    bi_writer_print(w, "%s", shaped ? "  </link>\n" : "");
}

static bool write_urdf(const char* folder, const Body* body) {
    Writer w;
    bi_writer_open(&w, folder, "humanoid.urdf");
    bi_writer_print(
        &w,
        "<?xml version=\"1.0\"?>\n<!-- Made by make_models: a 23-joint humanoid of closed meshes, "
        "%d triangles. -->\n<robot name=\"humanoid\">\n",
        HUMANOID_TRIANGLES);
    write_link(&w, body, "odom");
    for (int i = 0; i < JOINT_COUNT; ++i) {
        NamedJoint named;
        joint_at(i, &named);
        write_link(&w, body, named.child);
        write_urdf_joint(&w, &named);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

static void write_groups(Writer* w) {
    static const char* const groups[] = {"base", "torso", "head", "left_arm", "right_arm"};
    for (int g = 0; g < 5; ++g) {
        bi_writer_print(w, "  <group name=\"%s\">\n", groups[g]);
        for (int i = 0; i < JOINT_COUNT; ++i) {
            NamedJoint named;
            joint_at(i, &named);
            if (strcmp(named.joint.group, groups[g]) == 0) {
                bi_writer_print(w, "    <joint name=\"%s\"/>\n", named.name);
            }
        }
        bi_writer_print(w, "  </group>\n");
    }
    bi_writer_print(w, "  <group name=\"whole\">\n");
    for (int g = 0; g < 5; ++g) {
        bi_writer_print(w, "    <group name=\"%s\"/>\n", groups[g]);
    }
    bi_writer_print(w, "  </group>\n");
}

static bool write_srdf(const char* folder) {
    Writer w;
    NamedJoint named;
    bi_writer_open(&w, folder, "humanoid.srdf");
    bi_writer_print(&w, "<?xml version=\"1.0\"?>\n<robot name=\"humanoid\">\n");
    write_groups(&w);
    for (int s = 0; s < STATE_COUNT; ++s) {
        bi_writer_print(&w, "  <group_state name=\"%s\" group=\"whole\">\n", states[s].name);
        for (int i = 0; i < JOINT_COUNT; ++i) {
            joint_at(i, &named);
            bi_writer_print(&w, "    <joint name=\"%s\" value=\"%.9g\"/>\n", named.name,
                            state_value(&states[s], i));
        }
        bi_writer_print(&w, "  </group_state>\n");
    }
    for (int i = 3; i < JOINT_COUNT; ++i) {  // from the platform on: what is before it has no geometry
        joint_at(i, &named);
        bi_writer_print(&w, "  <disable_collisions link1=\"%s\" link2=\"%s\" reason=\"Adjacent\"/>\n",
                        named.parent, named.child);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

bool bi_write_humanoid(const char* folder) {
    Body* body = calloc(1, sizeof *body);
    if (body == NULL) {
        return false;
    }
    memcpy(body->pieces, arm, sizeof arm);
    for (int i = 0; i < ARM_COUNT; ++i) {
        body->pieces[ARM_COUNT + i] = mirrored(&arm[i], body->names[i]);
    }
    // The trunk comes last, since the last piece takes what is left over of the budget: both arms have the same.
    memcpy(body->pieces + 2 * ARM_COUNT, trunk, sizeof trunk);
    const bool done = bi_write_objects(folder, body->pieces, PIECE_COUNT, HUMANOID_TRIANGLES, 1.0) &&
                      write_urdf(folder, body) && write_srdf(folder);
    free(body);
    return done;
}

bool bi_write_humanoid23(const char* folder) {
    static const CellRobot robots[] = {{"humanoid", "humanoid", {0, 0, 0}, 0}};
    const Cell cell = {
        .about = "a 23-joint humanoid (paper 002, Figure 1)", .robots = robots, .robot_count = 1, .scale = 1};
    return bi_write_humanoid(folder) && bi_write_cell(folder, &cell);
}
