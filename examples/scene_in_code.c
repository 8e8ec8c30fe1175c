// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A scene built in code, without any file: an arm of two links over a table, and a path of it that is checked.
//     scene_in_code

#include <berth/berth.h>
#include <stdio.h>

/// A link of `length` metres along x: a capsule.
static BerthStatus add_rod(BerthRobotBuilder* builder, const char* name, double length, int32_t* link) {
    BerthShape capsule;
    BerthSolid* solid = NULL;
    BerthStatus status = berth_robot_add_link(builder, name, link);
    if (status == BERTH_OK) {
        status = berth_shape_capsule(0.04, length, &capsule);
    }
    if (status == BERTH_OK) {
        status = berth_solid_from_shape(&capsule, NULL, &solid);
    }
    if (status != BERTH_OK) {
        return status;
    }

    // Capsules lie along z: turn this one to x, and begin at the joint.
    const BerthVec3 middle = {length / 2, 0, 0};
    const BerthVec3 along_x = {0, 1.5707963267948966, 0};
    const BerthPose link_from_solid = berth_pose_from_rpy(middle, along_x);
    return berth_robot_add_solid(builder, *link, &link_from_solid, solid, "capsule");
}

/// Turns about y, by at most two radians to each side; the joint is `x` metres along its parent.
static BerthStatus add_hinge(BerthRobotBuilder* builder, const char* name, int32_t parent, int32_t child,
                             double x) {
    BerthJointDef def = berth_default_joint_def();
    def.name = name;
    def.type = BERTH_JOINT_REVOLUTE;
    def.parent_link = parent;
    def.child_link = child;
    def.parent_from_joint = berth_pose_from_rpy((BerthVec3){x, 0, 0}, (BerthVec3){0, 0, 0});
    def.axis = (BerthVec3){0, 1, 0};
    def.has_limits = true;
    def.lower = -2.0;
    def.upper = 2.0;
    return berth_robot_add_joint(builder, &def, NULL);
}

static BerthStatus build_arm(BerthRobot** out) {
    BerthRobotBuilder* builder = NULL;
    int32_t base = 0;
    int32_t upper = 0;
    int32_t lower = 0;
    BerthStatus status = berth_robot_builder_create("arm", NULL, &builder);
    if (status == BERTH_OK) {
        status = berth_robot_add_link(builder, "base", &base);
    }
    if (status == BERTH_OK) {
        status = add_rod(builder, "upper", 0.5, &upper);
    }
    if (status == BERTH_OK) {
        status = add_rod(builder, "lower", 0.4, &lower);
    }
    if (status == BERTH_OK) {
        status = add_hinge(builder, "shoulder", base, upper, 0.0);
    }
    if (status == BERTH_OK) {
        status = add_hinge(builder, "elbow", upper, lower, 0.5);
    }

    if (status == BERTH_OK) {
        status = berth_robot_build(builder, out, NULL);
    }
    berth_robot_builder_destroy(builder);
    return status;
}

/// The arm stands half a metre over a table, beside a post.
static BerthStatus build_scene(BerthScene** out) {
    BerthSceneRobotDef arm = berth_default_scene_robot_def();
    arm.own = true;  // the scene destroys it
    arm.world_from_base.t = (BerthVec3){0, 0, 0.5};
    BerthStatus status = build_arm(&arm.robot);
    if (status != BERTH_OK) {
        return status;
    }

    status = berth_scene_create(NULL, out);
    if (status == BERTH_OK) {
        status = berth_scene_add_robot(*out, &arm, NULL);
    }
    if (status != BERTH_OK) {
        berth_robot_destroy(arm.robot);
        return status;
    }

    const BerthPose at_table = berth_pose_from_rpy((BerthVec3){0.5, 0, -0.025}, (BerthVec3){0, 0, 0});
    status = berth_scene_add_box(*out, "table", (BerthVec3){1.2, 0.8, 0.05}, &at_table, NULL);
    if (status == BERTH_OK) {
        const BerthPose at_post = berth_pose_from_rpy((BerthVec3){0.6, 0.3, 0.3}, (BerthVec3){0, 0, 0});
        status = berth_scene_add_cylinder(*out, "post", 0.05, 0.6, &at_post, NULL);
    }
    return status == BERTH_OK ? berth_scene_commit(*out) : status;
}

int main(void) {
    const double reach_down[3][2] = {{0.0, 0.0}, {0.2, 0.4}, {0.3, 0.2}};
    const double too_far[2][2] = {{0.3, 0.2}, {0.9, 0.3}};
    BerthScene* scene = NULL;
    BerthPathResult first = {.verdict = BERTH_UNKNOWN};
    BerthPathResult second = {.verdict = BERTH_UNKNOWN};
    BerthStatus status = build_scene(&scene);
    if (status == BERTH_OK) {
        status = berth_motion_check_path(scene, &reach_down[0][0], 3, 2, 0.0, &first);
    }
    if (status == BERTH_OK) {
        status = berth_motion_check_path(scene, &too_far[0][0], 2, 2, 0.0, &second);
    }

    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
    } else {
        printf("reach down: %s, nothing nearer than %.3f m\n", berth_verdict_name(first.verdict),
               first.clearance);
        printf("too far: %s, %s and %s at t = %.3f\n", berth_verdict_name(second.verdict),
               berth_scene_body_name(scene, second.body_a), berth_scene_body_name(scene, second.body_b),
               second.t);
    }
    berth_scene_destroy(scene);
    return first.verdict == BERTH_FREE && second.verdict == BERTH_COLLISION ? 0 : 2;
}
