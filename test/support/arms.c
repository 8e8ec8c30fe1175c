// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT

#include "support/arms.h"

#include <stdio.h>

BerthSolid* test_ball(double radius, const BerthAllocator* allocator) {
    BerthShape shape;
    BerthSolid* solid = NULL;
    if (berth_shape_sphere(radius, &shape) != BERTH_OK ||
        berth_solid_from_shape(&shape, allocator, &solid) != BERTH_OK) {
        return NULL;
    }
    return solid;
}

static bool add_ball(BerthRobotBuilder* b, int32_t link, double x, double radius,
                     const BerthAllocator* allocator) {
    BerthSolid* solid = test_ball(radius, allocator);
    BerthPose pose = berth_pose_identity();
    pose.t.x = x;
    return solid != NULL && berth_robot_add_solid(b, link, &pose, solid, "sphere") == BERTH_OK;
}

static bool add_joint(BerthRobotBuilder* b, const char* name, BerthJointType type, int32_t parent,
                      BerthVec3 axis, double x) {
    BerthJointDef def = berth_default_joint_def();
    def.name = name;
    def.type = type;
    def.parent_link = parent;
    def.child_link = parent + 1;
    def.parent_from_joint = berth_pose_from_rpy((BerthVec3){x, 0, 0}, (BerthVec3){0, 0, 0});
    def.axis = axis;
    def.has_limits = type == BERTH_JOINT_REVOLUTE;
    def.lower = -2.0;
    def.upper = 2.0;
    return berth_robot_add_joint(b, &def, NULL) == BERTH_OK;
}

static bool fill_arm(BerthRobotBuilder* b, bool free_base, const BerthAllocator* allocator) {
    static const char* const links[] = {"base", "upper", "lower", "hand", "tool"};
    for (int32_t i = 0; i < 5; ++i) {
        int32_t link = -1;
        if (berth_robot_add_link(b, links[i], &link) != BERTH_OK ||
            (i < 4 && !add_ball(b, link, 0.0, 0.05, allocator))) {
            return false;
        }
    }
    if (!add_joint(b, "shoulder", BERTH_JOINT_REVOLUTE, 0, (BerthVec3){0, 0, 1}, 0.2) ||
        !add_joint(b, "elbow", BERTH_JOINT_REVOLUTE, 1, (BerthVec3){0, 1, 0}, 0.3) ||
        !add_joint(b, "wrist", BERTH_JOINT_FIXED, 2, (BerthVec3){1, 0, 0}, 0.3) ||
        !add_joint(b, "flange", BERTH_JOINT_FIXED, 3, (BerthVec3){1, 0, 0}, 0.1)) {
        return false;
    }
    if (free_base && berth_robot_set_free_base(b, "world_joint", BERTH_JOINT_FLOATING) != BERTH_OK) {
        return false;
    }
    int32_t state = -1;
    const double shoulder = 0.5;
    const double elbow = -1.0;
    return berth_robot_use_listed_pairs(b) == BERTH_OK &&
           berth_robot_disable_pair(b, 0, 1, "Adjacent") == BERTH_OK &&
           berth_robot_disable_pair(b, 1, 2, "Adjacent") == BERTH_OK &&
           berth_robot_add_state(b, "arm", "ready", &state) == BERTH_OK &&
           berth_robot_add_state_value(b, state, "shoulder", &shoulder, 1) == BERTH_OK &&
           berth_robot_add_state_value(b, state, "elbow", &elbow, 1) == BERTH_OK;
}

BerthRobot* test_arm(bool free_base, const BerthAllocator* allocator) {
    BerthRobotBuilder* b = NULL;
    BerthRobot* robot = NULL;
    if (berth_robot_builder_create("arm", allocator, &b) == BERTH_OK && fill_arm(b, free_base, allocator)) {
        if (berth_robot_build(b, &robot, NULL) != BERTH_OK) {
            robot = NULL;
        }
    }
    berth_robot_builder_destroy(b);
    return robot;
}

static bool add_random_joint(BerthRobotBuilder* b, Random* random, int32_t child) {
    char name[32];
    snprintf(name, sizeof name, "joint%d", (int)child);
    BerthJointDef def = berth_default_joint_def();
    def.name = name;
    def.type = (BerthJointType)(bi_random_next(random) % 6);
    def.parent_link = (int32_t)(bi_random_next(random) % (uint64_t)child);
    def.child_link = child;
    const Vec3 t = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                      bi_random_between(random, -1, 1));
    berth_pose_from_quat(t, bi_random_quat(random), &def.parent_from_joint);
    def.axis = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                  bi_random_between(random, 0.5, 1));
    def.has_limits = def.type == BERTH_JOINT_REVOLUTE || def.type == BERTH_JOINT_PRISMATIC;
    def.lower = -1.5;
    def.upper = 1.5;
    return berth_robot_add_joint(b, &def, NULL) == BERTH_OK;
}

BerthRobot* test_random_robot(Random* random, bool default_rule) {
    BerthRobotBuilder* b = NULL;
    BerthRobot* robot = NULL;
    bool fine = berth_robot_builder_create("random", NULL, &b) == BERTH_OK;
    const int32_t link_count = 1 + (int32_t)(bi_random_next(random) % 8);
    for (int32_t i = 0; fine && i < link_count; ++i) {
        char name[32];
        snprintf(name, sizeof name, "link%d", (int)i);
        fine = berth_robot_add_link(b, name, NULL) == BERTH_OK;
        const int solids = (int)(bi_random_next(random) % 3);
        for (int k = 0; fine && k < solids; ++k) {
            fine = add_ball(b, i, bi_random_between(random, -0.2, 0.2), 0.05, NULL);
        }
        fine = fine && (i == 0 || add_random_joint(b, random, i));
    }
    if (fine && !default_rule) {
        fine = berth_robot_use_listed_pairs(b) == BERTH_OK;
        for (int32_t i = 0; fine && i < link_count; ++i) {
            for (int32_t k = i + 1; fine && k < link_count; ++k) {
                fine =
                    bi_random_next(random) % 3 != 0 || berth_robot_disable_pair(b, i, k, "test") == BERTH_OK;
            }
        }
    }
    if (fine && berth_robot_build(b, &robot, NULL) != BERTH_OK) {
        robot = NULL;
    }
    berth_robot_builder_destroy(b);
    return robot;
}

BerthScene* test_arm_scene(const char* first, int robots, bool free_base) {
    BerthScene* scene = NULL;
    BerthStatus status = berth_scene_create(NULL, &scene);
    for (int i = 0; i < robots && status == BERTH_OK; ++i) {
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.name = i == 0 ? first : "right";
        def.robot = test_arm(free_base, NULL);
        def.own = true;
        status = def.robot != NULL ? berth_scene_add_robot(scene, &def, NULL) : BERTH_ERR_MEMORY;
    }
    if (status != BERTH_OK) {
        printf("arms: %s\n", berth_error_text());
        berth_scene_destroy(scene);
        return NULL;
    }
    return scene;
}
