// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Creation and destruction of a scene, its robots and its state. Objects and exceptions are in objects.c,
// names in names.c, what is built from all of it in commit.c.

#include "scene/scene.h"

#include <math.h>
#include <string.h>

#include "robot/robot.h"

// ---- memory and checks that the room shares ----------------------------------------------------------------

bool bi_scene_grow_array(const BerthAllocator* allocator, void** items, int32_t count, int32_t needed,
                         int32_t* capacity, size_t size) {
    if (needed <= *capacity) {
        return true;
    }

    int32_t larger = *capacity > 0 ? *capacity : 8;
    while (larger < needed) {
        if (larger > INT32_MAX / 2) {
            return false;
        }
        larger *= 2;
    }

    void* moved = bi_take(allocator, (size_t)larger, size);
    if (moved == NULL) {
        return false;
    }

    if (count > 0) {
        memcpy(moved, *items, (size_t)count * size);
    }
    bi_give(allocator, *items, (size_t)*capacity, size);
    *items = moved;
    *capacity = larger;
    return true;
}

char* bi_scene_copy_text(const BerthAllocator* allocator, const char* text) {
    const size_t length = strlen(text);
    char* copy = bi_take(allocator, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length + 1);
    }
    return copy;
}

void bi_scene_free_text(const BerthAllocator* allocator, char* text) {
    if (text != NULL) {
        bi_give(allocator, text, strlen(text) + 1, 1);
    }
}

void bi_scene_mark_edited(BerthScene* scene) {
    scene->committed = false;
    scene->generation += 1;
}

// Largest difference between the products of the axes and those of a rotation; NaN for NaN.
static double rotation_error(const Pose* p) {
    const double error[] = {v3_dot(p->x, p->x) - 1.0,
                            v3_dot(p->y, p->y) - 1.0,
                            v3_dot(p->z, p->z) - 1.0,
                            v3_dot(p->x, p->y),
                            v3_dot(p->y, p->z),
                            v3_dot(p->z, p->x),
                            v3_dot(v3_cross(p->x, p->y), p->z) - 1.0};

    double largest = 0.0;
    for (size_t i = 0; i < sizeof error / sizeof error[0]; ++i) {
        largest = fabs(error[i]) <= largest ? largest : fabs(error[i]);
        if (isnan(largest)) {
            return largest;
        }
    }
    return largest;
}

BerthStatus bi_scene_check_pose(const char* what, const char* name, const Pose* pose, Pose* out) {
    if (pose == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s '%s': no pose given", what, name);
    }

    const Vec3 t = v3_abs(pose->t);
    if (!(t.x <= BI_COORDINATE_MAX && t.y <= BI_COORDINATE_MAX && t.z <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s '%s': position (%g, %g, %g) is not within %g m", what, name,
                       pose->t.x, pose->t.y, pose->t.z, BI_COORDINATE_MAX);
    }

    const double error = rotation_error(pose);
    if (!(error <= BI_ROTATION_NEAR)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s '%s': the axes of its pose are not a rotation (off by %g)",
                       what, name, error);
    }

    *out = *pose;
    if (error > BI_ROTATION_EXACT) {
        return berth_pose_from_quat(pose->t, berth_pose_to_quat(pose), out);
    }
    return BERTH_OK;
}

// ---- life --------------------------------------------------------------------------------------------------

BerthStatus berth_scene_create(const BerthAllocator* allocator, BerthScene** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "scene: no place for the result");
    }
    *out = NULL;

    const BerthAllocator memory = bi_allocator_or_default(allocator);
    BerthScene* scene = bi_take(&memory, 1, sizeof *scene);
    if (scene == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "scene: out of memory");
    }

    scene->allocator = memory;
    scene->first_unused = -1;
    bi_arena_init(&scene->built, &memory, 0);
    *out = scene;
    return BERTH_OK;
}

void berth_scene_destroy(BerthScene* scene) {
    if (scene == NULL) {
        return;
    }

    const BerthAllocator memory = scene->allocator;
    bi_arena_free(&scene->built);
    for (int32_t i = 0; i < scene->object_count; ++i) {
        bi_scene_free_object(&memory, &scene->objects[i]);
    }
    bi_give(&memory, scene->buckets, (size_t)scene->object_capacity, sizeof *scene->buckets);
    bi_give(&memory, scene->objects, (size_t)scene->object_capacity, sizeof *scene->objects);

    for (int32_t i = 0; i < scene->robot_count; ++i) {
        SceneRobot* robot = &scene->robots[i];
        bi_scene_free_text(&memory, robot->name);
        bi_give(&memory, robot->limits, (size_t)robot->joint_count, sizeof *robot->limits);
        if (robot->own) {
            berth_robot_destroy(robot->robot);
        }
    }
    bi_give(&memory, scene->robots, (size_t)scene->robot_capacity, sizeof *scene->robots);

    bi_give(&memory, scene->exceptions, (size_t)scene->exception_capacity, sizeof *scene->exceptions);
    for (int32_t i = 0; i < scene->material_count; ++i) {
        bi_scene_free_text(&memory, scene->materials[i].name);
    }
    bi_give(&memory, scene->materials, (size_t)scene->material_capacity, sizeof *scene->materials);

    bi_give(&memory, scene->values, (size_t)scene->value_count, sizeof *scene->values);
    bi_give(&memory, scene, 1, sizeof *scene);
}

// ---- robots ------------------------------------------------------------------------------------------------

BerthSceneRobotDef berth_default_scene_robot_def(void) {
    return (BerthSceneRobotDef){.world_from_base = pose_identity(), .stamp = BI_DEF_STAMP};
}

static BerthStatus check_robot_name(const BerthScene* scene, const char* name) {
    if (name[0] == '\0') {
        if (scene->robot_count == 0) {
            return BERTH_OK;
        }
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: it needs a name, because the scene has another robot");
    }

    const BerthStatus status = bi_scene_check_name("robot", name);
    if (status != BERTH_OK) {
        return status;
    }
    if (strchr(name, '/') != NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot '%s': a robot's name has no '/' in it", name);
    }

    for (int32_t i = 0; i < scene->robot_count; ++i) {
        if (scene->robots[i].name[0] == '\0') {
            return bi_fail(
                BERTH_ERR_ARGUMENT,
                "robot '%s': the scene's first robot has no name; with several robots each needs one", name);
        }
        if (strcmp(scene->robots[i].name, name) == 0) {
            return bi_fail(BERTH_ERR_ARGUMENT, "robot '%s': the scene already has a robot of that name",
                           name);
        }
    }
    return BERTH_OK;
}

// What is wrong with one joint's values, or BERTH_OK; sets `outside` to the first value beyond its limits, or -1.
static BerthStatus check_joint_values(const char* owner, const BerthJointInfo* joint, const double* values,
                                      int32_t* outside) {
    const double* q = values + joint->first_value;
    *outside = -1;
    for (int32_t i = 0; i < joint->value_count; ++i) {
        const bool angle = joint->type == BERTH_JOINT_REVOLUTE || joint->type == BERTH_JOINT_CONTINUOUS ||
                           (joint->type == BERTH_JOINT_PLANAR && i == 2);
        const double most = angle ? BI_ANGLE_MAX : BI_COORDINATE_MAX;
        if (!(fabs(q[i]) <= most)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "joint '%s%s': value %g is not a finite number within %g",
                           owner, joint->name, q[i], most);
        }
    }

    if (joint->type == BERTH_JOINT_FLOATING) {
        const double length_sq = q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6];
        if (!(length_sq >= BI_QUAT_MIN_SQ)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "joint '%s%s': its quaternion is zero", owner, joint->name);
        }
    }

    if (joint->has_limits && joint->value_count == 1 && !(q[0] >= joint->lower && q[0] <= joint->upper)) {
        *outside = joint->first_value;
    }
    return BERTH_OK;
}

// Joints that follow others go where multipliers and offsets take them.
static BerthStatus check_followers(const BerthRobot* robot, const char* owner, const double* values) {
    for (int32_t k = 1; k < robot->frame_count; ++k) {
        const RobotFrame* f = &robot->frames[k];
        if (f->motion > FRAME_SLIDE) {
            continue;
        }
        const double most = f->motion == FRAME_SLIDE ? BI_COORDINATE_MAX : BI_ANGLE_MAX;
        const double value = f->multiplier * values[f->value] + f->offset;
        if (!(fabs(value) <= most)) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "joint '%s%s': the joint that it follows takes it to %g, which is not within %g",
                           owner, berth_robot_joint(robot, f->joint).name, value, most);
        }
    }
    return BERTH_OK;
}

static BerthStatus check_robot_values(const BerthRobot* robot, const char* name, bool several,
                                      const double* values, int32_t first_value, int32_t* outside_count,
                                      int32_t* first_outside) {
    char owner[BI_SCENE_NAME_MAX + 2] = "";
    if (several) {
        const size_t length = strlen(name);
        memcpy(owner, name, length);
        owner[length] = '/';
    }

    const int32_t joint_count = berth_robot_joint_count(robot);
    for (int32_t j = 0; j < joint_count; ++j) {
        const BerthJointInfo joint = berth_robot_joint(robot, j);
        if (joint.first_value < 0) {
            continue;
        }
        int32_t outside = -1;
        const BerthStatus status = check_joint_values(owner, &joint, values, &outside);
        if (status != BERTH_OK) {
            return status;
        }

        if (outside >= 0) {
            *outside_count += 1;
            const int32_t value = first_value + outside;
            *first_outside = *first_outside < 0 || value < *first_outside ? value : *first_outside;
        }
    }
    return check_followers(robot, owner, values);
}

static BerthStatus check_robot_def(const BerthScene* scene, const BerthSceneRobotDef* def, const char* name,
                                   Pose* world_from_base) {
    if (def->robot == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot '%s': the def holds no robot", name);
    }
    if (!(def->padding >= 0.0 && def->padding <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot '%s': padding is %g m, must be finite and >= 0", name,
                       def->padding);
    }

    BerthStatus status = check_robot_name(scene, name);
    if (status == BERTH_OK) {
        status = bi_scene_check_pose("robot", name, &def->world_from_base, world_from_base);
    }
    return status;
}

// Everything that `robot` needs and that may fail, before the scene is changed.
static BerthStatus prepare_robot(BerthScene* scene, const BerthSceneRobotDef* def, SceneRobot* robot,
                                 double** values) {
    const int32_t total = scene->value_count + robot->value_count;
    robot->limits = bi_take(&scene->allocator, (size_t)robot->joint_count, sizeof *robot->limits);
    robot->name = bi_scene_copy_text(&scene->allocator, def->name != NULL ? def->name : "");
    *values = bi_take(&scene->allocator, (size_t)total, sizeof **values);
    if (robot->limits == NULL || robot->name == NULL || *values == NULL ||
        !bi_scene_grow_array(&scene->allocator, (void**)&scene->robots, scene->robot_count,
                             scene->robot_count + 1, &scene->robot_capacity, sizeof *scene->robots)) {
        return bi_fail(BERTH_ERR_MEMORY, "robot '%s': out of memory", def->name != NULL ? def->name : "");
    }

    if (scene->value_count > 0) {
        memcpy(*values, scene->values, (size_t)scene->value_count * sizeof **values);
    }
    double* own = *values + scene->value_count;
    if (def->values == NULL) {
        berth_robot_default_values(def->robot, own);
        return BERTH_OK;
    }
    if (robot->value_count > 0) {
        memcpy(own, def->values, (size_t)robot->value_count * sizeof *own);
    }

    int32_t outside = 0;
    int32_t first = -1;
    return check_robot_values(def->robot, robot->name, robot->name[0] != '\0', own, 0, &outside, &first);
}

BerthStatus berth_scene_add_robot(BerthScene* scene, const BerthSceneRobotDef* def, int32_t* index) {
    if (scene == NULL || def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot def: start from berth_default_scene_robot_def()");
    }

    SceneRobot robot = {.robot = def->robot, .own = def->own, .padding = def->padding};
    BerthStatus status =
        check_robot_def(scene, def, def->name != NULL ? def->name : "", &robot.world_from_base);
    if (status != BERTH_OK) {
        return status;
    }

    robot.value_count = berth_robot_value_count(def->robot);
    robot.first_value = scene->value_count;
    robot.joint_count = berth_robot_joint_count(def->robot);
    robot.frame_count = def->robot->frame_count;
    robot.first_frame = scene->frame_count;
    if (scene->value_count > INT32_MAX - robot.value_count ||
        scene->frame_count > INT32_MAX - robot.frame_count) {
        return bi_fail(BERTH_ERR_CAPACITY, "robot '%s': the scene has too many joints",
                       def->name != NULL ? def->name : "");
    }

    double* values = NULL;
    status = prepare_robot(scene, def, &robot, &values);
    if (status != BERTH_OK) {
        bi_scene_free_text(&scene->allocator, robot.name);
        bi_give(&scene->allocator, robot.limits, (size_t)robot.joint_count, sizeof *robot.limits);
        bi_give(&scene->allocator, values, (size_t)(scene->value_count + robot.value_count), sizeof *values);
        return status;
    }

    bi_give(&scene->allocator, scene->values, (size_t)scene->value_count, sizeof *scene->values);
    scene->values = values;
    scene->value_count += robot.value_count;
    scene->frame_count += robot.frame_count;

    if (index != NULL) {
        *index = scene->robot_count;
    }
    scene->robots[scene->robot_count++] = robot;
    bi_scene_mark_edited(scene);
    return BERTH_OK;
}

static BerthStatus check_robot_index(const BerthScene* scene, int32_t robot) {
    if (scene == NULL || robot < 0 || robot >= scene->robot_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "scene: there is no robot %d", (int)robot);
    }
    return BERTH_OK;
}

BerthStatus berth_scene_set_base(BerthScene* scene, int32_t robot, const BerthPose* world_from_base) {
    BerthStatus status = check_robot_index(scene, robot);
    Pose pose;
    if (status == BERTH_OK) {
        status = bi_scene_check_pose("robot", scene->robots[robot].name, world_from_base, &pose);
    }
    if (status == BERTH_OK) {
        scene->robots[robot].world_from_base = pose;
        bi_scene_mark_edited(scene);
    }
    return status;
}

BerthStatus berth_scene_set_joint_limit(BerthScene* scene, int32_t robot, int32_t joint,
                                        const BerthJointLimit* limit) {
    const BerthStatus status = check_robot_index(scene, robot);
    if (status != BERTH_OK) {
        return status;
    }
    if (joint < 0 || joint >= scene->robots[robot].joint_count || limit == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "scene: there is no joint %d", (int)joint);
    }

    const double numbers[] = {limit->velocity, limit->acceleration, limit->deceleration};
    for (int i = 0; i < 3; ++i) {
        if (!(numbers[i] >= 0.0 && isfinite(numbers[i]))) {
            return bi_fail(BERTH_ERR_ARGUMENT, "joint '%s': limit %g must be finite and >= 0",
                           berth_robot_joint(scene->robots[robot].robot, joint).name, numbers[i]);
        }
    }

    scene->robots[robot].limits[joint] = *limit;
    return BERTH_OK;
}

BerthJointLimit berth_scene_joint_limit(const BerthScene* scene, int32_t robot, int32_t joint) {
    if (scene == NULL || robot < 0 || robot >= scene->robot_count || joint < 0 ||
        joint >= scene->robots[robot].joint_count) {
        return (BerthJointLimit){0};
    }
    return scene->robots[robot].limits[joint];
}

int32_t berth_scene_robot_count(const BerthScene* scene) {
    return scene != NULL ? scene->robot_count : 0;
}

const BerthRobot* berth_scene_robot(const BerthScene* scene, int32_t robot, const char** name,
                                    BerthPose* world_from_base) {
    if (scene == NULL || robot < 0 || robot >= scene->robot_count) {
        return NULL;
    }
    if (name != NULL) {
        *name = scene->robots[robot].name;
    }
    if (world_from_base != NULL) {
        *world_from_base = scene->robots[robot].world_from_base;
    }
    return scene->robots[robot].robot;
}

double berth_scene_padding(const BerthScene* scene, int32_t robot) {
    return scene != NULL && robot >= 0 && robot < scene->robot_count ? scene->robots[robot].padding : 0.0;
}

// ---- state -------------------------------------------------------------------------------------------------

int32_t berth_scene_value_count(const BerthScene* scene) {
    return scene != NULL ? scene->value_count : 0;
}

const double* berth_scene_values(const BerthScene* scene) {
    return scene != NULL ? scene->values : NULL;
}

BerthStatus berth_scene_check_values(const BerthScene* scene, const double* values, int32_t* outside_limits,
                                     int32_t* first_outside) {
    if (scene == NULL || (values == NULL && scene->value_count > 0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state: no values given");
    }

    int32_t outside = 0;
    int32_t first = -1;
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        const SceneRobot* robot = &scene->robots[i];
        const double* own = robot->value_count > 0 ? values + robot->first_value : values;
        const BerthStatus status = check_robot_values(robot->robot, robot->name, scene->robot_count > 1, own,
                                                      robot->first_value, &outside, &first);
        if (status != BERTH_OK) {
            return status;
        }
    }

    if (outside_limits != NULL) {
        *outside_limits = outside;
    }
    if (first_outside != NULL) {
        *first_outside = first;
    }

    return BERTH_OK;
}

BerthStatus berth_scene_set_values(BerthScene* scene, const double* values) {
    const BerthStatus status = berth_scene_check_values(scene, values, NULL, NULL);
    if (status == BERTH_OK && scene->value_count > 0) {
        memcpy(scene->values, values, (size_t)scene->value_count * sizeof *values);
    }
    return status;
}
