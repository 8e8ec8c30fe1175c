// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Small robots and scenes in a few lines.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/kit.h"
#include "support/must.h"

Kit kit_new(void) {
    Kit kit = {0};
    MUST(berth_scene_create(NULL, &kit.scene));
    MUST(berth_robot_builder_create("kit", NULL, &kit.builder));
    MUST(berth_robot_add_link(kit.builder, "link0", NULL));
    kit.links = 1;
    return kit;
}

static int add_link(Kit* kit, int parent, BerthJointType type, BerthVec3 axis, BerthVec3 offset, int leader,
                    double multiplier, double shift) {
    char name[16], joint[16], other[16];
    snprintf(name, sizeof name, "link%d", kit->links);
    snprintf(joint, sizeof joint, "joint%d", kit->joints);
    snprintf(other, sizeof other, "joint%d", leader);
    MUST(berth_robot_add_link(kit->builder, name, NULL));
    BerthJointDef def = berth_default_joint_def();
    def.name = joint;
    def.type = type;
    def.parent_link = parent;
    def.child_link = kit->links;
    def.parent_from_joint = kit_at(offset.x, offset.y, offset.z);
    def.axis = axis.x == 0 && axis.y == 0 && axis.z == 0 ? v3(0, 0, 1) : axis;
    if (kit->limited) {
        def.has_limits = true;
        def.lower = kit->lower;
        def.upper = kit->upper;
        kit->limited = false;
    }
    if (leader >= 0) {
        def.mimic = other;
        def.mimic_multiplier = multiplier;
        def.mimic_offset = shift;
    }
    MUST(berth_robot_add_joint(kit->builder, &def, NULL));
    kit->joints += 1;
    return kit->links++;
}

void kit_limit(Kit* kit, double lower, double upper) {
    kit->limited = true;
    kit->lower = lower;
    kit->upper = upper;
}

int kit_link(Kit* kit, int parent, BerthJointType type, BerthVec3 axis, BerthVec3 offset) {
    return add_link(kit, parent, type, axis, offset, -1, 0, 0);
}

int kit_mimic(Kit* kit, int parent, BerthJointType type, BerthVec3 axis, BerthVec3 offset, int leader,
              double multiplier, double shift) {
    return add_link(kit, parent, type, axis, offset, leader, multiplier, shift);
}

void kit_solid(Kit* kit, int link, BerthShape shape, BerthVec3 at) {
    const BerthPose pose = kit_at(at.x, at.y, at.z);
    BerthSolid* solid = NULL;
    MUST(berth_solid_from_shape(&shape, NULL, &solid));
    MUST(berth_robot_add_solid(kit->builder, link, &pose, solid, "kit"));
}

void kit_robot(Kit* kit, const int* skipped) {
    MUST(berth_robot_use_listed_pairs(kit->builder));
    for (; skipped != NULL && *skipped >= 0; skipped += 2) {
        MUST(berth_robot_disable_pair(kit->builder, skipped[0], skipped[1], "kit"));
    }
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    MUST(berth_robot_build(kit->builder, &def.robot, NULL));
    berth_robot_builder_destroy(kit->builder);
    kit->builder = NULL;
    def.own = true;
    def.padding = kit->padding;
    MUST(berth_scene_add_robot(kit->scene, &def, NULL));
}

BerthObjectId kit_object(Kit* kit, BerthShape shape, BerthPose pose, const char* attach) {
    char name[16];
    snprintf(name, sizeof name, "object%d", kit->objects++);
    BerthObjectDef def = berth_default_object_def();
    BerthObjectId id;
    def.name = name;
    def.pose = pose;
    def.attach = attach;
    MUST(berth_solid_from_shape(&shape, NULL, &def.solid));
    MUST(berth_scene_add_object(kit->scene, &def, &id));
    return id;
}

void kit_commit(Kit* kit) {
    MUST(berth_scene_commit(kit->scene));
}

void kit_free(Kit* kit) {
    berth_robot_builder_destroy(kit->builder);
    berth_scene_destroy(kit->scene);
}

BerthShape kit_ball(double radius) {
    BerthShape shape;
    MUST(berth_shape_sphere(radius, &shape));
    return shape;
}

BerthShape kit_box(double x, double y, double z) {
    BerthShape shape;
    MUST(berth_shape_box(v3(x, y, z), &shape));
    return shape;
}

BerthShape kit_cylinder(double radius, double length) {
    BerthShape shape;
    MUST(berth_shape_cylinder(radius, length, &shape));
    return shape;
}

BerthShape kit_plane(BerthVec3 normal, double offset) {
    BerthShape shape;
    MUST(berth_shape_halfspace(normal, offset, &shape));
    return shape;
}

BerthPose kit_at(double x, double y, double z) {
    BerthPose pose = berth_pose_identity();
    pose.t = v3(x, y, z);
    return pose;
}

BerthMotionResult kit_ask(const Kit* kit, const BerthMotionCheckerDef* def, const double* from,
                          const double* to, const BerthCurve* curves, bool first_contact) {
    BerthMotionChecker* motion = NULL;
    MUST(berth_motion_checker_create(kit->scene, def, &motion));
    const BerthSegment segment = {
        .value_count = berth_scene_value_count(kit->scene), .from = from, .to = to, .curves = curves};
    const BerthMotionRequest request = {.first_contact = first_contact};
    BerthMotionResult r;
    memset(&r, 0xaa, sizeof r);
    MUST(berth_motion_check_segment(motion, &segment, &request, &r));
    berth_motion_checker_destroy(motion);
    return r;
}
