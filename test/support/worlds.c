// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random worlds.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/meshes.h"
#include "support/worlds.h"

enum { WORLD_PARTS = 4 };

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

static bool chance(Random* random, double share) {
    return bi_random_between(random, 0, 1) < share;
}

static double on_grid(double x) {
    return nearbyint(x * 8) / 8;
}

static BerthPose quarter_turns(Random* random) {
    static const BerthVec3 axes[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    BerthPose pose = {.x = axes[pick(random, 6)], .t = {0, 0, 0}};
    do {
        pose.y = axes[pick(random, 6)];
    } while (v3_dot(pose.x, pose.y) != 0);
    pose.z = v3_cross(pose.x, pose.y);
    return pose;
}

BerthPose world_pose(Random* random, WorldStyle style, double range) {
    if (style != WORLD_GRID) {
        return test_pose(random, range);
    }
    BerthPose pose = quarter_turns(random);
    pose.t = v3(on_grid(bi_random_between(random, -range, range)),
                on_grid(bi_random_between(random, -range, range)),
                on_grid(bi_random_between(random, -range, range)));
    return pose;
}

static double random_size(Random* random, WorldStyle style, double size) {
    if (style == WORLD_UNEVEN) {
        return size * (chance(random, 0.5) ? 1e-3 : 1.5);
    }
    return style == WORLD_GRID ? fmax(0.125, on_grid(2 * size)) : size * bi_random_between(random, 0.5, 1.5);
}

// ---- solids -------------------------------------------------------------------------------------------------

static BerthSolid* hull_solid(Random* random, WorldStyle style, double size, BrutePart* out) {
    BerthVec3 points[24];
    const int count = 1 + pick(random, 24);
    const bool flat = pick(random, 6) == 0;
    for (int i = 0; i < count; ++i) {
        points[i] = v3(bi_random_between(random, -size, size), bi_random_between(random, -size, size),
                       flat ? 0.0 : bi_random_between(random, -size, size));
        if (style == WORLD_GRID) {
            points[i] = v3(on_grid(points[i].x), on_grid(points[i].y), on_grid(points[i].z));
        }
    }
    BerthHull* hull = NULL;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_hull_create(points, count, NULL, &hull), BERTH_OK);
    assert_int_equal(berth_solid_from_hull(hull, NULL, &solid), BERTH_OK);
    *out = brute_hull(points, count);
    return solid;
}

static BerthSolid* mesh_solid(Random* random, TestMeshKind kind, double size, BrutePart* out) {
    BerthMesh* mesh = test_mesh(kind, 12 + pick(random, 60), size, random);
    assert_non_null(mesh);
    const BerthMeshInfo info = berth_mesh_info(mesh);
    const bool closed = kind != TEST_MESH_SHEET && kind != TEST_MESH_SOUP;
    assert_int_equal(info.watertight, closed);
    *out = brute_mesh(berth_mesh_vertices(mesh), info.vertex_count, berth_mesh_triangles(mesh),
                      info.triangle_count, closed);
    BerthSolid* solid = NULL;
    assert_int_equal(berth_solid_from_mesh(mesh, NULL, &solid), BERTH_OK);
    return solid;
}

// Two balls in one mesh, far enough apart for one to be inside of something and the other not.
static BerthSolid* pieces_solid(Random* random, double size, BrutePart* out) {
    BerthVec3 points[400];
    int32_t triangles[1200];
    int32_t point_count = 0, triangle_count = 0;
    for (int k = 0; k < 2; ++k) {
        BerthMesh* ball = test_mesh(TEST_MESH_BALL, 24, size * 0.3, random);
        const BerthMeshInfo info = berth_mesh_info(ball);
        for (int32_t i = 0; i < info.vertex_count; ++i) {
            points[point_count + i] = berth_mesh_vertices(ball)[i];
            points[point_count + i].x += k == 0 ? -size : size;
        }
        for (int32_t i = 0; i < 3 * info.triangle_count; ++i) {
            triangles[3 * triangle_count + i] = point_count + berth_mesh_triangles(ball)[i];
        }
        point_count += info.vertex_count;
        triangle_count += info.triangle_count;
        berth_mesh_destroy(ball);
    }
    BerthMesh* mesh = NULL;
    BerthSolid* solid = NULL;
    assert_int_equal(berth_mesh_create(points, point_count, triangles, triangle_count, NULL, &mesh),
                     BERTH_OK);
    assert_int_equal(berth_mesh_info(mesh).watertight, true);
    *out = brute_mesh(points, point_count, triangles, triangle_count, true);
    assert_int_equal(berth_solid_from_mesh(mesh, NULL, &solid), BERTH_OK);
    return solid;
}

static BerthShape grid_shape(BerthShapeKind kind, double size, Random* random) {
    BerthShape shape = {0};
    const double length = size * (1 + pick(random, 3));
    switch (kind) {
    case BERTH_SPHERE:
        berth_shape_sphere(pick(random, 5) == 0 ? 0 : size, &shape);
        break;
    case BERTH_CAPSULE:
        berth_shape_capsule(size, pick(random, 5) == 0 ? 0 : length, &shape);
        break;
    case BERTH_BOX:
        berth_shape_box(v3(size, length, pick(random, 5) == 0 ? 0 : size), &shape);
        break;
    case BERTH_CYLINDER:
        berth_shape_cylinder(size, length, &shape);
        break;
    case BERTH_CONE:
        berth_shape_cone(size, length, &shape);
        break;
    default: {
        const BerthVec3 points[3] = {{0, 0, 0}, {length, 0, 0}, {0, size, 0}};
        berth_shape_triangle(points, &shape);
        break;
    }
    }
    return shape;
}

BerthSolid* world_solid(Random* random, WorldStyle style, int kind, double size, BrutePart* out) {
    BerthSolid* solid = NULL;
    if (kind == WORLD_PIECES) {
        return pieces_solid(random, size, out);
    }
    if (kind > BERTH_HALFSPACE) {
        return mesh_solid(random, (TestMeshKind)(kind - BERTH_HALFSPACE - 1), size, out);
    }
    if (kind == BERTH_HULL) {
        return hull_solid(random, style, size, out);
    }
    BerthShape shape = {0};
    if (kind == BERTH_HALFSPACE) {
        BerthVec3 normal = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1), 1);
        if (style == WORLD_GRID) {
            normal = v3(0, 0, 1);
        }
        assert_int_equal(berth_shape_halfspace(normal, style == WORLD_GRID ? -1.5 : -1.2, &shape), BERTH_OK);
    } else {
        shape = style == WORLD_GRID ? grid_shape((BerthShapeKind)kind, size, random)
                                    : test_shape((BerthShapeKind)kind, size, random);
    }
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
    *out = brute_shape(&shape);
    return solid;
}

const char* world_part_name(const BrutePart* part) {
    return part->kind != BRUTE_MESH ? berth_shape_name((BerthShapeKind)part->kind)
           : part->closed           ? "mesh"
                                    : "open mesh";
}

static int random_kind(Random* random, const WorldPlan* plan, bool plane) {
    if (plane && !plan->no_planes && chance(random, 0.12)) {
        return BERTH_HALFSPACE;
    }
    if (plan->style != WORLD_CONVEX && chance(random, 0.4)) {
        return BERTH_HALFSPACE + 1 + pick(random, TEST_MESH_KIND_COUNT);
    }
    return pick(random, BERTH_HALFSPACE);
}

// ---- robots -------------------------------------------------------------------------------------------------

static BerthJointType random_joint_type(Random* random, const WorldPlan* plan) {
    static const BerthJointType types[20] = {
        BERTH_JOINT_REVOLUTE,   BERTH_JOINT_REVOLUTE,   BERTH_JOINT_REVOLUTE,  BERTH_JOINT_REVOLUTE,
        BERTH_JOINT_REVOLUTE,   BERTH_JOINT_REVOLUTE,   BERTH_JOINT_REVOLUTE,  BERTH_JOINT_CONTINUOUS,
        BERTH_JOINT_CONTINUOUS, BERTH_JOINT_CONTINUOUS, BERTH_JOINT_PRISMATIC, BERTH_JOINT_PRISMATIC,
        BERTH_JOINT_PRISMATIC,  BERTH_JOINT_FIXED,      BERTH_JOINT_FIXED,     BERTH_JOINT_FIXED,
        BERTH_JOINT_FIXED,      BERTH_JOINT_PLANAR,     BERTH_JOINT_PLANAR,    BERTH_JOINT_FLOATING};
    return plan->style == WORLD_SLIDING && chance(random, 0.4) ? BERTH_JOINT_PRISMATIC
                                                               : types[pick(random, 20)];
}

static bool can_mimic(BerthJointType type) {
    return type == BERTH_JOINT_REVOLUTE || type == BERTH_JOINT_CONTINUOUS || type == BERTH_JOINT_PRISMATIC;
}

static BruteJoint random_joint(Random* random, const WorldPlan* plan, int child, BerthJointDef* def) {
    *def = berth_default_joint_def();
    def->type = random_joint_type(random, plan);
    def->child_link = child;
    def->parent_link = chance(random, 0.7) ? child - 1 : pick(random, child);
    const double step = plan->style == WORLD_UNEVEN ? 0.15 : 0.35;
    def->parent_from_joint = world_pose(random, plan->style, step);
    def->axis = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                   bi_random_between(random, -1, 1));
    if (plan->style == WORLD_GRID || chance(random, 0.4)) {
        def->axis = quarter_turns(random).x;
    }
    if (chance(random, 0.1)) {
        def->axis =
            v3(0, chance(random, 0.5) ? 1e-9 : 0, -1);  // nearly against z: where planes are hard to lay
    }
    def->has_limits = chance(random, 0.5);
    def->lower = -2;
    def->upper = 2;
    BruteJoint joint = {.type = def->type,
                        .parent = def->parent_link,
                        .child = child,
                        .parent_from_joint = lpose_of(&def->parent_from_joint),
                        .axis = lv_of(def->axis),
                        .mimic = -1,
                        .first_value = -1};
    joint.axis = lv_scale(joint.axis, 1 / lv_length(joint.axis));
    snprintf(joint.name, sizeof joint.name, "joint%d", child);
    return joint;
}

// Some joints follow others; chains of mimics too, never in a circle.
static void add_mimics(Random* random, BruteRobot* robot, BerthJointDef* defs) {
    for (int j = 1; j < robot->joint_count; ++j) {
        const int leader = pick(random, j);
        if (chance(random, 0.2) && can_mimic(robot->joints[j].type) &&
            can_mimic(robot->joints[leader].type)) {
            defs[j].mimic = robot->joints[leader].name;
            defs[j].mimic_multiplier = chance(random, 0.1) ? 0.0 : bi_random_between(random, -1.5, 1.5);
            defs[j].mimic_offset = bi_random_between(random, -0.5, 0.5);
            robot->joints[j].mimic = leader;
            robot->joints[j].multiplier = defs[j].mimic_multiplier;
            robot->joints[j].offset = defs[j].mimic_offset;
        }
    }
}

static int value_count_of(const BruteJoint* joint) {
    if (joint->mimic >= 0) {
        return 0;
    }
    return joint->type == BERTH_JOINT_FIXED      ? 0
           : joint->type == BERTH_JOINT_FLOATING ? 7
           : joint->type == BERTH_JOINT_PLANAR   ? 3
                                                 : 1;
}

static void add_links(Random* random, const WorldPlan* plan, BerthRobotBuilder* builder, World* world,
                      int r) {
    BruteRobot* robot = &world->brute.robots[r];
    for (int i = 0; i < robot->link_count; ++i) {
        char name[BRUTE_NAME];
        snprintf(name, sizeof name, "link%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
        const int solids = chance(random, 0.15) ? 0 : 1 + (chance(random, 0.3) ? 1 : 0);
        if (solids == 0) {
            continue;
        }
        BruteBody* body = &world->brute.bodies[world->brute.body_count++];
        *body = (BruteBody){.robot = r, .link = i, .object = -1, .part_count = solids};
        snprintf(body->name, sizeof body->name, "%s%s%s", robot->name, robot->name[0] != 0 ? "/" : "", name);
        for (int k = 0; k < solids; ++k) {
            const BerthPose pose = world_pose(random, plan->style, 0.08);
            BerthSolid* solid = world_solid(random, plan->style, random_kind(random, plan, false),
                                            random_size(random, plan->style, plan->robots > 1 ? 0.06 : 0.09),
                                            &body->parts[k]);
            body->parts[k].body_from_part = lpose_of(&pose);
            assert_int_equal(berth_robot_add_solid(builder, i, &pose, solid, "test"), BERTH_OK);
        }
    }
}

static void add_joints(Random* random, const WorldPlan* plan, BerthRobotBuilder* builder, BruteRobot* robot) {
    BerthJointDef defs[BRUTE_LINKS];
    int value = 0;
    robot->base_joint = (BruteJoint){.type = BERTH_JOINT_FIXED, .mimic = -1, .axis = lv(0, 0, 1)};
    if (chance(random, 0.12)) {
        robot->base_joint.type = chance(random, 0.5) ? BERTH_JOINT_PLANAR : BERTH_JOINT_FLOATING;
        assert_int_equal(berth_robot_set_free_base(builder, "world_joint", robot->base_joint.type), BERTH_OK);
        value = value_count_of(&robot->base_joint);
    }
    robot->joint_count = robot->link_count - 1;
    for (int j = 0; j < robot->joint_count; ++j) {
        robot->joints[j] = random_joint(random, plan, j + 1, &defs[j]);
    }
    for (int j = robot->joint_count - 1; j > 0; --j) {  // the document's order is not the tree's
        const int k = pick(random, j + 1);
        const BerthJointDef def = defs[j];
        const BruteJoint joint = robot->joints[j];
        defs[j] = defs[k];
        robot->joints[j] = robot->joints[k];
        defs[k] = def;
        robot->joints[k] = joint;
    }
    add_mimics(random, robot, defs);
    for (int j = 0; j < robot->joint_count; ++j) {
        defs[j].name = robot->joints[j].name;
        robot->joints[j].first_value = value;
        value += value_count_of(&robot->joints[j]);
        assert_int_equal(berth_robot_add_joint(builder, &defs[j], NULL), BERTH_OK);
    }
    robot->value_count = value;
}

// Does a joint never move? Fixed ones, and those that follow others by nothing.
static bool is_rigid(const BruteRobot* robot, const BruteJoint* joint) {
    bool nothing = joint->type == BERTH_JOINT_FIXED;
    for (; joint->mimic >= 0; joint = &robot->joints[joint->mimic]) {
        nothing = nothing || joint->multiplier == 0;
    }
    return nothing;
}

// The first link of those that are one body with this one.
static int rigid_root(const BruteRobot* robot, int link) {
    for (int j = 0; j < robot->joint_count; ++j) {
        if (robot->joints[j].child == link && is_rigid(robot, &robot->joints[j])) {
            return rigid_root(robot, robot->joints[j].parent);
        }
    }
    return link;
}

static void list_pairs(Random* random, BerthRobotBuilder* builder, BruteRobot* robot) {
    assert_int_equal(berth_robot_use_listed_pairs(builder), BERTH_OK);
    for (int a = 0; a < robot->link_count; ++a) {
        robot->skip[a][a] = true;
        for (int b = a + 1; b < robot->link_count; ++b) {
            bool off = chance(random, 0.4);
            for (int j = 0; j < robot->joint_count; ++j) {
                off = off || (robot->joints[j].parent == a && robot->joints[j].child == b);
            }
            robot->skip[a][b] = robot->skip[b][a] = off || rigid_root(robot, a) == rigid_root(robot, b);
            if (off) {
                assert_int_equal(berth_robot_disable_pair(builder, a, b, "test"), BERTH_OK);
            }
        }
    }
}

static void add_robot(Random* random, const WorldPlan* plan, World* world, int r) {
    BruteRobot* robot = &world->brute.robots[r];
    if (world->brute.robot_count > 1) {
        snprintf(robot->name, sizeof robot->name, "r%d", r);
    }
    BerthRobotBuilder* builder = NULL;
    BerthRobot* made = NULL;
    assert_int_equal(berth_robot_builder_create("random", NULL, &builder), BERTH_OK);
    robot->link_count = 2 + pick(random, plan->joints);
    add_links(random, plan, builder, world, r);
    add_joints(random, plan, builder, robot);
    const bool listed = !chance(random, 0.04);
    if (listed) {
        list_pairs(random, builder, robot);
    }
    const BerthStatus status = berth_robot_build(builder, &made, NULL);
    if (status != BERTH_OK) {
        fail_msg("build: %s", berth_error_text());
    }
    berth_robot_builder_destroy(builder);
    for (int a = 0; !listed && a < robot->link_count; ++a) {  // the default rule is the robot room's to test
        for (int b = 0; b < robot->link_count; ++b) {
            robot->skip[a][b] = berth_robot_pair(made, a, b, NULL) != BERTH_PAIR_CHECKED;
        }
    }
    assert_int_equal(berth_robot_value_count(made), robot->value_count);
    world->brute.value_count += robot->value_count;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.name = robot->name;
    def.robot = made;
    def.own = true;
    def.world_from_base = world_pose(random, plan->style, 0.5);
    if (plan->style == WORLD_FAR) {
        def.world_from_base.t = v3_add(def.world_from_base.t, v3(1e5, -7e4, 3e4));
    }
    robot->base = lpose_of(&def.world_from_base);
    def.padding = !plan->no_padding && chance(random, 0.3) ? bi_random_between(random, 0, 0.04) : 0.0;
    def.padding = plan->padding > 0 ? plan->padding : def.padding;
    robot->padding = def.padding;
    assert_int_equal(berth_scene_add_robot(world->scene, &def, NULL), BERTH_OK);
}

// ---- objects ------------------------------------------------------------------------------------------------

static BerthSolid* object_solid(Random* random, const WorldPlan* plan, bool plane, BrutePart* part) {
    return world_solid(random, plan->style, random_kind(random, plan, plane),
                       random_size(random, plan->style, 0.15), part);
}

static void add_object(Random* random, const WorldPlan* plan, World* world) {
    const int o = world->object_count++;
    BruteBody* body = &world->brute.bodies[world->brute.body_count++];
    *body = (BruteBody){.robot = -1, .link = -1, .object = o, .part_count = 1};
    snprintf(body->name, sizeof body->name, "object%d", o);
    BerthObjectDef def = berth_default_object_def();
    char attach[3 * BRUTE_NAME];
    def.name = body->name;
    def.pose = world_pose(random, plan->style, 0.9);
    const bool attached = world->brute.robot_count > 0 && chance(random, 0.25);
    if (attached) {
        body->robot = pick(random, world->brute.robot_count);
        const BruteRobot* robot = &world->brute.robots[body->robot];
        body->link = pick(random, robot->link_count);
        snprintf(attach, sizeof attach, "%s%slink%d", robot->name, robot->name[0] != 0 ? "/" : "",
                 body->link);
        def.attach = attach;
        def.pose = world_pose(random, plan->style, 0.25);
    } else if (plan->style == WORLD_FAR) {
        def.pose.t = v3_add(def.pose.t, v3(1e5, -7e4, 3e4));
    }
    def.solid = object_solid(random, plan, true, &body->parts[0]);
    body->pose = lpose_of(&def.pose);
    body->parts[0].body_from_part = (Lpose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    assert_int_equal(berth_scene_add_object(world->scene, &def, &world->ids[o]), BERTH_OK);
    world->poses[o] = def.pose;
    while (body->part_count < WORLD_PARTS && chance(random, 0.25)) {
        const BerthPose pose = world_pose(random, plan->style, 0.3);
        BrutePart* part = &body->parts[body->part_count++];
        BerthSolid* solid = object_solid(random, plan, false, part);
        part->body_from_part = lpose_of(&pose);
        assert_int_equal(berth_scene_add_part(world->scene, world->ids[o], &pose, solid), BERTH_OK);
    }
}

static void add_exceptions(Random* random, World* world) {
    BruteWorld* brute = &world->brute;
    for (int i = 0; i < brute->body_count; ++i) {
        BruteBody* body = &brute->bodies[i];
        while (body->object >= 0 && body->robot >= 0 && body->touch_count < 4 && chance(random, 0.5)) {
            const int other = pick(random, brute->body_count);
            if (other != i) {
                body->touch[body->touch_count++] = other;
                assert_int_equal(
                    berth_scene_touch(world->scene, world->ids[body->object], brute->bodies[other].name),
                    BERTH_OK);
            }
        }
    }
    while (brute->body_count > 1 && brute->allow_count < 8 && chance(random, 0.4)) {
        const int a = pick(random, brute->body_count);
        const int b = (a + 1 + pick(random, brute->body_count - 1)) % brute->body_count;
        brute->allow[brute->allow_count][0] = a;
        brute->allow[brute->allow_count++][1] = b;
        assert_int_equal(berth_scene_allow(world->scene, brute->bodies[a].name, brute->bodies[b].name),
                         BERTH_OK);
    }
}

static void commit(World* world) {
    assert_int_equal(berth_scene_commit(world->scene), BERTH_OK);
    assert_int_equal(berth_scene_body_count(world->scene), world->brute.body_count);
    for (int i = 0; i < world->brute.body_count; ++i) {
        world->brute.bodies[i].index = berth_scene_find_body(world->scene, world->brute.bodies[i].name);
        assert_true(world->brute.bodies[i].index >= 0);
    }
}

World* world_make(Random* random, const WorldPlan* plan) {
    World* world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->style = plan->style;
    assert_int_equal(berth_scene_create(NULL, &world->scene), BERTH_OK);
    world->brute.robot_count = plan->robots;
    for (int r = 0; r < plan->robots; ++r) {
        add_robot(random, plan, world, r);
    }
    for (int i = 0; i < plan->objects; ++i) {
        add_object(random, plan, world);
    }
    if (!plan->no_allow) {
        add_exceptions(random, world);
    }
    commit(world);
    assert_int_equal(berth_scene_value_count(world->scene), world->brute.value_count);
    return world;
}

World* world_pair(Random* random, WorldStyle style, int kind_a, double size_a, int kind_b, double size_b) {
    World* world = calloc(1, sizeof *world);
    assert_non_null(world);
    const Lpose still = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    const BerthPose identity = berth_pose_identity();
    world->style = style;
    assert_int_equal(berth_scene_create(NULL, &world->scene), BERTH_OK);
    BruteWorld* brute = &world->brute;
    brute->robot_count = 1;
    brute->body_count = 2;
    brute->value_count = 7;
    brute->robots[0] = (BruteRobot){.link_count = 1, .base = still, .value_count = 7};
    brute->robots[0].base_joint = (BruteJoint){
        .type = BERTH_JOINT_FLOATING, .mimic = -1, .axis = lv(0, 0, 1), .parent_from_joint = still};
    brute->bodies[0] = (BruteBody){.robot = 0, .link = 0, .object = -1, .part_count = 1, .name = "floater"};
    brute->bodies[1] =
        (BruteBody){.robot = -1, .link = -1, .object = 0, .part_count = 1, .name = "object", .pose = still};
    BerthRobotBuilder* builder = NULL;
    BerthRobot* robot = NULL;
    assert_int_equal(berth_robot_builder_create("floater", NULL, &builder), BERTH_OK);
    assert_int_equal(berth_robot_add_link(builder, "floater", NULL), BERTH_OK);
    assert_int_equal(berth_robot_set_free_base(builder, "free", BERTH_JOINT_FLOATING), BERTH_OK);
    BerthSolid* solid = world_solid(random, style, kind_a, size_a, &brute->bodies[0].parts[0]);
    assert_int_equal(berth_robot_add_solid(builder, 0, &identity, solid, "test"), BERTH_OK);
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    berth_robot_builder_destroy(builder);
    BerthSceneRobotDef robot_def = berth_default_scene_robot_def();
    robot_def.robot = robot;
    robot_def.own = true;
    assert_int_equal(berth_scene_add_robot(world->scene, &robot_def, NULL), BERTH_OK);
    BerthObjectDef def = berth_default_object_def();
    def.name = "object";
    def.solid = world_solid(random, style, kind_b, size_b, &brute->bodies[1].parts[0]);
    assert_int_equal(berth_scene_add_object(world->scene, &def, &world->ids[0]), BERTH_OK);
    world->poses[0] = identity;
    world->object_count = 1;
    brute->bodies[0].parts[0].body_from_part = brute->bodies[1].parts[0].body_from_part = still;
    commit(world);
    return world;
}

void world_destroy(World* world) {
    if (world != NULL) {
        berth_scene_destroy(world->scene);
        brute_free_world(&world->brute);
        free(world);
    }
}

static void joint_values(const World* world, Random* random, const BruteJoint* joint, double* q) {
    const bool grid = world->style == WORLD_GRID;
    const double reach = world->style == WORLD_SLIDING ? 3000.0 : 0.6;
    const int count = value_count_of(joint);
    if (count == 1) {
        if (joint->type != BERTH_JOINT_PRISMATIC) {
            const double turn = joint->type == BERTH_JOINT_CONTINUOUS ? 9.0 : 3.1;
            *q = grid && chance(random, 0.7) ? 0.0 : bi_random_between(random, -turn, turn);
        } else {
            *q = grid ? on_grid(bi_random_between(random, -1, 1)) : bi_random_between(random, -reach, reach);
        }
        return;
    }
    for (int k = 0; k < count; ++k) {
        q[k] = bi_random_between(random, -0.6, 0.6);
        q[k] = grid ? on_grid(q[k]) : q[k];
    }
    if (count == 3) {
        q[2] = grid && chance(random, 0.7) ? 0.0 : bi_random_between(random, -3, 3);
    } else if (count == 7) {
        const BerthQuat quat = bi_random_quat(random);
        const double size = bi_random_between(random, 0.5, 2);
        const double values[4] = {size * quat.x, size * quat.y, size * quat.z, size * quat.w};
        const double none[4] = {0, 0, 0, 1};
        memcpy(q + 3, grid ? none : values, sizeof values);
    }
}

void world_values(const World* world, Random* random, double* values) {
    for (int r = 0; r < world->brute.robot_count; ++r) {
        const BruteRobot* robot = &world->brute.robots[r];
        if (robot->base_joint.type != BERTH_JOINT_FIXED) {
            joint_values(world, random, &robot->base_joint, values);
        }
        for (int j = 0; j < robot->joint_count; ++j) {
            if (value_count_of(&robot->joints[j]) > 0) {
                joint_values(world, random, &robot->joints[j], values + robot->joints[j].first_value);
            }
        }
        values += robot->value_count;
    }
}

void world_move_object(World* world, int object, const BerthPose* pose) {
    for (int i = 0; i < world->brute.body_count; ++i) {
        if (world->brute.bodies[i].object == object) {
            world->brute.bodies[i].pose = lpose_of(pose);
        }
    }
    world->poses[object] = *pose;
    assert_int_equal(berth_scene_set_object_pose(world->scene, world->ids[object], pose), BERTH_OK);
    commit(world);
}

void world_carry(World* world, const BerthPose* motion) {
    for (int r = 0; r < world->brute.robot_count; ++r) {
        BerthPose base;
        berth_scene_robot(world->scene, r, NULL, &base);
        base = berth_pose_multiply(motion, &base);
        assert_int_equal(berth_scene_set_base(world->scene, r, &base), BERTH_OK);
        berth_scene_robot(world->scene, r, NULL, &base);
        world->brute.robots[r].base = lpose_of(&base);
    }
    for (int i = 0; i < world->brute.body_count; ++i) {
        BruteBody* body = &world->brute.bodies[i];
        if (body->object >= 0 && body->robot < 0) {
            const BerthPose pose = berth_pose_multiply(motion, &world->poses[body->object]);
            world_move_object(world, body->object, &pose);
        }
    }
    commit(world);
}
