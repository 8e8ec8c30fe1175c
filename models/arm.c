// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The 6-joint industrial arm of the models, in the class of a 10 kg handling robot: closed meshes, a gripper or an
// arc welding gun, any triangle budget and scale. Each mesh is one closed piece: a turned profile or a box with
// chamfers; links have one to five. Half of the meshes are STL, half OBJ; the gun's are STL.

#include <string.h>

#include "math/math.h"
#include "models/kit.h"

// Joint frames at zero: z up, x forward, arm reaching forward with a vertical upper arm.
static const Piece body_pieces[] = {
    {.owner = "base_link",
     .file = "base.stl",
     .profile =
         {{0.20, 0}, {0.20, 0.03}, {0.15, 0.05}, {0.14, 0.18}, {0.16, 0.20}, {0.16, 0.26}, {0.13, 0.29}},
     .profile_count = 7,
     .sides = 40},
    {.owner = "link1",
     .file = "turret.obj",
     .profile = {{0.14, 0}, {0.15, 0.02}, {0.15, 0.10}, {0.12, 0.14}, {0.10, 0.15}},
     .profile_count = 5,
     .sides = 32},
    {.owner = "link1",
     .file = "shoulder.stl",
     .size = {0.26, 0.16, 0.24},
     .chamfer = 0.02,
     .place = {0.10, 0, 0.15}},
    {.owner = "link2",
     .file = "upper_arm.stl",
     .size = {0.14, 0.08, 0.62},
     .chamfer = 0.02,
     .place = {0, 0.13, 0.30}},
    {.owner = "link2",
     .file = "shoulder_hub.obj",
     .profile = {{0.07, 0.02}, {0.09, 0.03}, {0.10, 0.05}, {0.10, 0.09}, {0.09, 0.11}, {0.06, 0.12}},
     .profile_count = 6,
     .sides = 24,
     .place = {0, 0.07, 0},
     .turn = {-1, 0, 0}},
    {.owner = "link3",
     .file = "elbow.stl",
     .size = {0.24, 0.16, 0.20},
     .chamfer = 0.03,
     .place = {0.03, 0, 0.06}},
    {.owner = "link3",
     .file = "elbow_motor.obj",
     .profile = {{0.05, -0.26}, {0.06, -0.25}, {0.06, -0.12}, {0.07, -0.10}, {0.07, -0.08}},
     .profile_count = 5,
     .sides = 24,
     .place = {0, 0, 0.10},
     .turn = {0, 1, 0}},
    {.owner = "link4",
     .file = "forearm.stl",
     .profile = {{0.075, 0}, {0.08, 0.02}, {0.08, 0.08}, {0.06, 0.14}, {0.055, 0.38}, {0.06, 0.40}},
     .profile_count = 6,
     .sides = 24,
     .place = {0.16, 0, 0},
     .turn = {0, 1, 0}},
    {.owner = "link5",
     .file = "wrist.obj",
     .profile = {{0.04, -0.055}, {0.05, -0.045}, {0.055, 0}, {0.05, 0.045}, {0.04, 0.055}},
     .profile_count = 5,
     .sides = 24,
     .turn = {1, 0, 0}},
    {.owner = "link6",
     .file = "flange.stl",
     .profile = {{0.03, 0.050}, {0.04, 0.055}, {0.04, 0.075}, {0.05, 0.080}, {0.05, 0.095}, {0.045, 0.10}},
     .profile_count = 6,
     .sides = 24,
     .turn = {0, 1, 0}},
};
#define BODY_COUNT ((int)(sizeof body_pieces / sizeof body_pieces[0]))
#define FLANGE (BODY_COUNT - 1)  // the first piece of the last link; the tool's follow

static const Piece gripper_pieces[] = {
    {.owner = "link6",
     .file = "palm.obj",
     .size = {0.05, 0.14, 0.06},
     .chamfer = 0.005,
     .place = {0.125, 0, 0}},
    {.owner = "link6",
     .file = "finger_left.obj",
     .size = {0.09, 0.015, 0.025},
     .chamfer = 0.003,
     .place = {0.194, 0.05, 0}},
    {.owner = "link6",
     .file = "finger_right.obj",
     .size = {0.09, 0.015, 0.025},
     .chamfer = 0.003,
     .place = {0.194, -0.05, 0}},
};

// A thin cranked gun: the nozzle points 0.32 of a quarter turn below the flange's axis.
static const Piece gun_pieces[] = {
    {.owner = "link6",
     .file = "gun_mount.stl",
     .size = {0.07, 0.06, 0.05},
     .chamfer = 0.005,
     .place = {0.13, 0, 0}},
    {.owner = "link6",
     .file = "gun_body.stl",
     .profile = {{0.015, 0}, {0.024, 0.01}, {0.024, 0.10}, {0.018, 0.12}, {0.012, 0.14}},
     .profile_count = 5,
     .sides = 16,
     .place = {0.16, 0, 0},
     .turn = {0, 1, 0},
     .weight = 3},
    {.owner = "link6",
     .file = "gun_neck.stl",
     .profile = {{0.009, 0}, {0.009, 0.06}, {0.009, 0.13}, {0.009, 0.20}},
     .profile_count = 4,
     .sides = 12,
     .place = {0.295, 0, 0},
     .turn = {0, 1.32, 0},
     .weight = 3},
    {.owner = "link6",
     .file = "gun_nozzle.stl",
     .profile = {{0.010, 0}, {0.014, 0.01}, {0.014, 0.05}, {0.009, 0.07}, {0.004, 0.075}, {0.004, 0.09}},
     .profile_count = 6,
     .sides = 12,
     .place = {0.4617, 0, -0.0916},
     .turn = {0, 1.32, 0},
     .weight = 4},
    {.owner = "link6",
     .file = "gun_bracket.stl",
     .size = {0.03, 0.12, 0.012},
     .chamfer = 0,
     .place = {0.2, 0, 0.03}},
};

#define ARM_PIECE_MAX 16

// All pieces of an arm, the tool's last.
typedef struct ArmPieces {
    Piece pieces[ARM_PIECE_MAX];
    int shares[ARM_PIECE_MAX];
    int count;
} ArmPieces;

static bool gather(const ArmDef* def, ArmPieces* arm) {
    const bool gun = def->tool == ARM_GUN;
    const int tool_count = (int)(gun ? sizeof gun_pieces : sizeof gripper_pieces) / (int)sizeof(Piece);
    *arm = (ArmPieces){.count = BODY_COUNT + tool_count};
    memcpy(arm->pieces, body_pieces, sizeof body_pieces);
    memcpy(arm->pieces + BODY_COUNT, gun ? gun_pieces : gripper_pieces, (size_t)tool_count * sizeof(Piece));
    if (def->triangles == 0) {
        return true;
    }
    if (def->tool_triangles == 0) {
        return bi_share_triangles(arm->pieces, arm->count, def->triangles, arm->shares);
    }
    return bi_share_triangles(arm->pieces, FLANGE, def->triangles - def->tool_triangles, arm->shares) &&
           bi_share_triangles(arm->pieces + FLANGE, arm->count - FLANGE, def->tool_triangles,
                              arm->shares + FLANGE);
}

typedef struct Joint {
    double at[3];
    const char* axis;
    double lower, upper, velocity;
} Joint;

static const Joint joints[ARM_JOINT_COUNT] = {
    {{0, 0, 0.29}, "0 0 1", -2.97, 2.97, 3.4}, {{0.15, 0, 0.16}, "0 1 0", -1.4, 2.2, 2.8},
    {{0, 0, 0.60}, "0 1 0", -1.6, 2.4, 3.2},   {{0, 0, 0.10}, "1 0 0", -3.3, 3.3, 5.2},
    {{0.62, 0, 0}, "0 1 0", -2.1, 2.1, 5.2},   {{0, 0, 0}, "1 0 0", -6.2, 6.2, 7.0},
};

static void write_link(Writer* w, const ArmPieces* arm, const char* link) {
    bi_writer_print(w, "  <link name=\"%s\">\n", link);
    for (int i = 0; i < arm->count; ++i) {
        for (int k = 0; k < 2 && strcmp(arm->pieces[i].owner, link) == 0; ++k) {
            const char* what = k == 0 ? "visual" : "collision";
            bi_writer_print(w, "    <%s><geometry><mesh filename=\"%s\"/></geometry></%s>\n", what,
                            arm->pieces[i].file, what);
        }
    }
    bi_writer_print(w, "  </link>\n");
}

static void write_joint(Writer* w, const ArmDef* def, int index) {
    const Joint* joint = &joints[index];
    const bool turned = index == 0 && def->turn > 0.0;
    char parent[16] = "base_link";
    if (index > 0) {
        (void)snprintf(parent, sizeof parent, "link%d", index);
    }
    bi_writer_print(
        w,
        "  <joint name=\"joint%d\" type=\"revolute\">\n    <parent link=\"%s\"/>\n"
        "    <child link=\"link%d\"/>\n    <origin xyz=\"%.9g %.9g %.9g\"/>\n    <axis xyz=\"%s\"/>\n"
        "    <limit lower=\"%.9g\" upper=\"%.9g\" velocity=\"%.9g\" effort=\"300\"/>\n  </joint>\n",
        index + 1, parent, index + 1, joint->at[0] * def->scale, joint->at[1] * def->scale,
        joint->at[2] * def->scale, joint->axis, turned ? -def->turn : joint->lower,
        turned ? def->turn : joint->upper, joint->velocity);
}

static bool write_urdf(const char* folder, const ArmDef* def, const ArmPieces* arm) {
    Writer w;
    char name[64];
    (void)snprintf(name, sizeof name, "%s.urdf", def->name);
    bi_writer_open(&w, folder, name);
    bi_writer_print(
        &w,
        "<?xml version=\"1.0\"?>\n<!-- Made by make_models: a 6-joint industrial arm of closed meshes. "
        "-->\n<robot name=\"%s\">\n",
        def->name);
    write_link(&w, arm, "base_link");
    for (int i = 0; i < ARM_JOINT_COUNT; ++i) {
        char link[16];
        (void)snprintf(link, sizeof link, "link%d", i + 1);
        write_link(&w, arm, link);
        write_joint(&w, def, i);
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

static bool write_srdf(const char* folder, const ArmDef* def) {
    Writer w;
    char name[64];
    (void)snprintf(name, sizeof name, "%s.srdf", def->name);
    bi_writer_open(&w, folder, name);
    bi_writer_print(&w,
                    "<?xml version=\"1.0\"?>\n<robot name=\"%s\">\n  <group name=\"arm\">\n"
                    "    <chain base_link=\"base_link\" tip_link=\"link6\"/>\n  </group>\n",
                    def->name);
    for (int s = 0; s < def->state_count; ++s) {
        bi_writer_print(&w, "  <group_state name=\"%s\" group=\"arm\">\n", def->states[s].name);
        for (int i = 0; i < ARM_JOINT_COUNT; ++i) {
            bi_writer_print(&w, "    <joint name=\"joint%d\" value=\"%.9g\"/>\n", i + 1,
                            def->states[s].values[i]);
        }
        bi_writer_print(&w, "  </group_state>\n");
    }
    bi_writer_print(&w, "  <disable_collisions link1=\"base_link\" link2=\"link1\" reason=\"Adjacent\"/>\n");
    for (int i = 1; i < ARM_JOINT_COUNT; ++i) {
        bi_writer_print(&w, "  <disable_collisions link1=\"link%d\" link2=\"link%d\" reason=\"Adjacent\"/>\n",
                        i, i + 1);
    }
    if (def->skip_wrist) {
        bi_writer_print(&w, "  <disable_collisions link1=\"link4\" link2=\"link6\" reason=\"Default\"/>\n");
    }
    bi_writer_print(&w, "</robot>\n");
    return bi_writer_close(&w);
}

bool bi_write_arm(const char* folder, const ArmDef* def) {
    ArmPieces arm;
    bool done = gather(def, &arm);
    for (int i = 0; i < arm.count && done; ++i) {
        Surface s = {0};
        bi_piece_add(&s, &arm.pieces[i], arm.shares[i]);
        bi_surface_scale(&s, def->scale);
        done = bi_surface_write(&s, folder, arm.pieces[i].file);
        bi_surface_free(&s);
    }
    return done && write_urdf(folder, def, &arm) && write_srdf(folder, def);
}

// As an STL file has it. Volatile, because gcc 12 at -O2 drops the way through float where it makes two at once.
static double as_float(double value) {
    volatile float narrow = (float)value;
    return (double)narrow;
}

// The last link's pieces with its x axis pitched down, as they are in the file.
static void add_pitched_tool(Surface* s, const ArmDef* def, double pitch) {
    ArmPieces arm;
    s->failed = !gather(def, &arm);
    for (int i = 0; i < arm.count; ++i) {
        if (strcmp(arm.pieces[i].owner, "link6") == 0) {
            bi_piece_add(s, &arm.pieces[i], arm.shares[i]);
        }
    }
    bi_surface_scale(s, def->scale);
    for (int i = 0; i < s->vertex_count; ++i) {
        const Vec3 p = s->vertices[i];
        s->vertices[i] = v3(as_float(p.x), as_float(p.y), as_float(p.z));
    }
    const BerthPose pose = berth_pose_from_rpy(v3(0, 0, 0), v3(0, pitch, 0));
    bi_surface_move(s, 0, &pose);
}

BerthVec3 bi_arm_tool_lowest(const ArmDef* def, double pitch) {
    Surface s = {0};
    add_pitched_tool(&s, def, pitch);
    Vec3 lowest = v3(0, 0, 0);
    for (int i = 0; i < s.vertex_count; ++i) {
        lowest = s.vertices[i].z < lowest.z ? s.vertices[i] : lowest;
    }
    bi_surface_free(&s);
    return lowest;
}

BerthVec3 bi_arm_wrist(const ArmDef* def, double upper, double fore) {
    const double pitches[] = {0.0, 0.0, upper, fore, fore};
    Vec3 at = v3(0, 0, 0);
    for (int i = 0; i < 5; ++i) {
        const BerthPose pose = berth_pose_from_rpy(at, v3(0, pitches[i], 0));
        at = pose_apply(&pose, v3_scale(v3(joints[i].at[0], joints[i].at[1], joints[i].at[2]), def->scale));
    }
    return at;
}
