// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robots that are asked as spheres: every point of the geometry that was given is in a sphere, links of spheres stay as they
// are, and so does everything but the geometry: joints, states, groups, pairs. Proven tables count for one of the two only.
#include <berth/lab/robot.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"
#include "robot/builder.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"
#include "tree/solid.h"

int test_robot_as_spheres(void);

// ---- a robot of everything ---------------------------------------------------------------------------------------

// box - turn - two spheres - slide - torus = fixed = wavy sheet and capsule - mimic - ball mesh; a free base.
enum { LINKS = 6 };

static void add_shape(BerthRobotBuilder* builder, int32_t link, BerthShapeKind kind, Random* random) {
    BerthShape shape = test_shape(kind, 0.1, random);
    BerthSolid* solid = NULL;
    const BerthPose pose = test_pose(random, 0.1);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
    assert_int_equal(berth_robot_add_solid(builder, link, &pose, solid, "shape"), BERTH_OK);
}

static void add_mesh(BerthRobotBuilder* builder, int32_t link, TestMeshKind kind, int triangles,
                     Random* random) {
    const BerthPose pose = test_pose(random, 0.1);
    BerthSolid* solid = test_solid(kind, triangles, 0.15, random);
    assert_int_equal(berth_robot_add_solid(builder, link, &pose, solid, "mesh"), BERTH_OK);
}

static void add_joints(BerthRobotBuilder* builder, Random* random) {
    static const BerthJointType types[] = {BERTH_JOINT_REVOLUTE, BERTH_JOINT_PRISMATIC, BERTH_JOINT_FIXED,
                                           BERTH_JOINT_REVOLUTE, BERTH_JOINT_CONTINUOUS};
    for (int32_t i = 0; i < LINKS - 1; ++i) {
        char name[8];
        snprintf(name, sizeof name, "j%d", i);
        BerthJointDef def = berth_default_joint_def();
        def.name = name;
        def.type = types[i];
        def.parent_link = i;
        def.child_link = i + 1;
        def.parent_from_joint = test_pose(random, 0.4);
        def.axis = v3(0.3, -1, 0.2);
        def.has_limits = true;
        def.lower = -0.5;
        def.upper = 0.7;
        def.velocity = 1.5;
        def.mimic = i == 3 ? "j0" : NULL;
        def.mimic_multiplier = -0.5;
        assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
    }
}

static BerthRobotBuilder* start_robot(uint64_t seed, bool listed) {
    Random random = {seed};
    BerthRobotBuilder* builder = NULL;
    assert_int_equal(berth_robot_builder_create("all", NULL, &builder), BERTH_OK);
    for (int32_t i = 0; i < LINKS; ++i) {
        char name[8];
        snprintf(name, sizeof name, "l%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
    }
    add_joints(builder, &random);
    assert_int_equal(berth_robot_set_free_base(builder, "base", BERTH_JOINT_PLANAR), BERTH_OK);

    add_shape(builder, 0, BERTH_BOX, &random);
    add_shape(builder, 1, BERTH_SPHERE, &random);
    add_shape(builder, 1, BERTH_SPHERE, &random);
    add_mesh(builder, 2, TEST_MESH_TORUS, 300, &random);
    add_mesh(builder, 3, TEST_MESH_SHEET, 100, &random);
    add_shape(builder, 3, BERTH_CAPSULE, &random);
    add_shape(builder, 3, BERTH_SPHERE, &random);
    add_mesh(builder, 5, TEST_MESH_BALL, 200, &random);

    int32_t home = -1;
    assert_int_equal(berth_robot_add_state(builder, "arm", "home", &home), BERTH_OK);
    assert_int_equal(berth_robot_add_state_value(builder, home, "j0", &(double){0.3}, 1), BERTH_OK);
    assert_int_equal(berth_robot_add_group(builder, "arm", (const int32_t[]){0, 1, -1}, 3), BERTH_OK);
    if (listed) {
        assert_int_equal(berth_robot_disable_pair(builder, 0, 1, "Adjacent"), BERTH_OK);
        assert_int_equal(berth_robot_disable_pair(builder, 0, 5, "Never"), BERTH_OK);
    }
    return builder;
}

static BerthRobot* finish(BerthRobotBuilder* builder, double protrusion, int32_t most) {
    BerthRobot* robot = NULL;
    if (most > 0) {
        assert_int_equal(berth_robot_use_spheres(builder, protrusion, most), BERTH_OK);
    }
    if (berth_robot_build(builder, &robot, NULL) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    berth_robot_builder_destroy(builder);
    return robot;
}

// ---- what is covered ---------------------------------------------------------------------------------------------

static bool is_in_sphere(const BerthRobot* robot, int32_t link, Vec3 point) {
    for (int32_t i = 0; i < berth_robot_link(robot, link).solid_count; ++i) {
        BerthPose pose;
        const BerthShape* shape = berth_solid_shape(berth_robot_solid(robot, link, i, &pose, NULL));
        assert_true(shape != NULL && shape->kind == BERTH_SPHERE);
        if (v3_distance(point, pose.t) <= shape->as.sphere.radius) {
            return true;
        }
    }
    return false;
}

// A random point of a shape, in its own frame.
static Vec3 point_of_shape(const BerthShape* shape, Random* random) {
    const Vec3 a = v3(bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                      bi_random_between(random, -1, 1));
    if (shape->kind == BERTH_BOX) {
        return v3(a.x * shape->as.box.half.x, a.y * shape->as.box.half.y, a.z * shape->as.box.half.z);
    }
    const double radius = shape->kind == BERTH_CAPSULE ? shape->as.capsule.radius : shape->as.sphere.radius;
    const double length = shape->kind == BERTH_CAPSULE ? shape->as.capsule.length : 0.0;
    const Vec3 on = v3_scale(a, radius / fmax(v3_length(a), 1e-3) * (1.0 - 1e-12));
    return v3(on.x, on.y, on.z + 0.5 * length * bi_random_between(random, -1, 1));
}

// A random point of a triangle.
static Vec3 point_of_mesh(const BerthMesh* mesh, Random* random) {
    const BerthMeshInfo info = berth_mesh_info(mesh);
    const int32_t* corner =
        berth_mesh_triangles(mesh) + 3 * (ptrdiff_t)(bi_random_next(random) % (uint64_t)info.triangle_count);
    const Vec3* at = berth_mesh_vertices(mesh);
    double s = bi_random_between(random, 0, 1), t = bi_random_between(random, 0, 1);
    if (s + t > 1) {
        s = 1 - s;
        t = 1 - t;
    }
    return v3_add(v3_scale(at[corner[0]], 1 - s - t),
                  v3_add(v3_scale(at[corner[1]], s), v3_scale(at[corner[2]], t)));
}

// Rounding of the point itself: a last-bit sphere of its own.
static void expect_covered(const BerthRobot* robot, const BerthRobot* spheres, int points, uint64_t seed) {
    Random random = {seed};
    for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
        for (int32_t i = 0; i < berth_robot_link(robot, link).solid_count; ++i) {
            BerthPose pose;
            const BerthSolid* solid = berth_robot_solid(robot, link, i, &pose, NULL);
            const BerthShape* shape = berth_solid_shape(solid);
            for (int k = 0; k < points; ++k) {
                const Vec3 own = shape != NULL ? point_of_shape(shape, &random)
                                               : point_of_mesh(berth_solid_mesh(solid), &random);
                if (!is_in_sphere(spheres, link, pose_apply(&pose, own))) {
                    fail_msg("link %d, solid %d: a point is in no sphere", (int)link, (int)i);
                }
            }
        }
    }
}

// ---- what stays --------------------------------------------------------------------------------------------------

static void expect_same_joints(const BerthRobot* a, const BerthRobot* b) {
    assert_int_equal(berth_robot_joint_count(a), berth_robot_joint_count(b));
    for (int32_t i = 0; i < berth_robot_joint_count(a); ++i) {
        const BerthJointInfo of_a = berth_robot_joint(a, i), of_b = berth_robot_joint(b, i);
        assert_string_equal(of_a.name, of_b.name);
        assert_true(of_a.type == of_b.type && of_a.parent_link == of_b.parent_link &&
                    of_a.child_link == of_b.child_link && of_a.has_limits == of_b.has_limits);
        assert_true(of_a.lower == of_b.lower && of_a.upper == of_b.upper && of_a.velocity == of_b.velocity);
        assert_true(of_a.mimic == of_b.mimic && of_a.mimic_multiplier == of_b.mimic_multiplier &&
                    of_a.first_value == of_b.first_value);
    }
    assert_int_equal(a->frame_count, b->frame_count);
    assert_memory_equal(a->frames, b->frames, (size_t)a->frame_count * sizeof *a->frames);
}

static void expect_same_rest(const BerthRobot* a, const BerthRobot* b) {
    expect_same_joints(a, b);
    assert_int_equal(a->geometry_count, b->geometry_count);
    for (int32_t i = 0; i < a->link_count; ++i) {
        assert_int_equal(a->links[i].geometry, b->links[i].geometry);
        for (int32_t k = 0; k < a->link_count; ++k) {
            const char *of_a = NULL, *of_b = NULL;
            assert_int_equal(berth_robot_pair(a, i, k, &of_a), berth_robot_pair(b, i, k, &of_b));
            assert_string_equal(of_a, of_b);
        }
    }

    assert_int_equal(berth_robot_state_count(a), berth_robot_state_count(b));
    assert_int_equal(berth_robot_group_count(a), berth_robot_group_count(b));
    for (int32_t i = 0; i < berth_robot_group_count(a); ++i) {
        const int32_t *of_a = NULL, *of_b = NULL;
        int32_t count_a = 0, count_b = 0;
        assert_string_equal(berth_robot_group(a, i, &of_a, &count_a),
                            berth_robot_group(b, i, &of_b, &count_b));
        assert_int_equal(count_a, count_b);
        assert_memory_equal(of_a, of_b, (size_t)count_a * sizeof *of_a);
    }
    double values_a[64] = {0}, values_b[64] = {0};
    assert_true(a->value_count <= 64);
    for (int32_t i = 0; i < a->state_count; ++i) {
        memcpy(values_a, values_b, sizeof values_a);
        const char* group = "";
        char name[200];
        const char* state = berth_robot_state_name(a, i, &group);
        snprintf(name, sizeof name, "%s/%s", group, state);
        assert_int_equal(berth_robot_named_state(a, name, values_a), BERTH_OK);
        assert_int_equal(berth_robot_named_state(b, name, values_b), BERTH_OK);
        assert_memory_equal(values_a, values_b, sizeof values_a);
    }
}

static void all_is_covered_and_the_rest_stays(void** state) {
    (void)state;
    for (int i = 0; i < 4 + test_scaled(8); ++i) {
        const uint64_t seed = 100 + (uint64_t)i;
        BerthRobot* robot = finish(start_robot(seed, i % 2 == 0), 0, 0);
        BerthRobot* spheres =
            finish(start_robot(seed, i % 2 == 0), i % 3 == 0 ? 0.01 : 0.05, i % 4 == 3 ? 1 : 32);

        assert_int_equal(berth_robot_sphere_link_count(robot), 0);
        assert_int_equal(berth_robot_sphere_link_count(spheres), LINKS - 1);  // one has no geometry
        expect_covered(robot, spheres, 1000, seed);
        expect_same_rest(robot, spheres);

        // Links of spheres, bit for bit.
        assert_int_equal(robot->links[1].solid_count, 2);
        assert_int_equal(spheres->links[1].solid_count, 2);
        for (int32_t k = 0; k < 2; ++k) {
            BerthPose of_a, of_b;
            const BerthSolid* a = berth_robot_solid(robot, 1, k, &of_a, NULL);
            const BerthSolid* b = berth_robot_solid(spheres, 1, k, &of_b, NULL);
            assert_memory_equal(&of_a, &of_b, sizeof of_a);
            assert_true(a->shape.as.sphere.radius == b->shape.as.sphere.radius);
        }
        assert_int_equal(spheres->links[3].open_mesh_count, 1);
        assert_int_equal(spheres->links[2].open_mesh_count, 0);

        char sum_a[BERTH_SUM_TEXT], sum_b[BERTH_SUM_TEXT];
        berth_robot_sum(robot, sum_a);
        berth_robot_sum(spheres, sum_b);
        assert_string_not_equal(sum_a, sum_b);
        berth_robot_destroy(robot);
        berth_robot_destroy(spheres);
    }
}

static void real_robots_are_covered(void** state) {
    (void)state;
    static const char* const names[] = {"panda", "ur5", "panda_spheres"};
    int read = 0;
    for (int i = 0; i < 3; ++i) {
        const TestRobot* named = test_robot_named(names[i]);
        BerthRobot* robot = named != NULL ? test_read_robot_if_there(named, true) : NULL;
        if (robot == NULL) {
            continue;
        }
        char urdf[600], srdf[600];
        BerthRobot* spheres = NULL;
        BerthIoOptions options = berth_default_io_options();
        options.spheres_only = true;
        assert_true(test_shared_path(urdf, sizeof urdf, named->urdf));
        assert_true(named->srdf == NULL || test_shared_path(srdf, sizeof srdf, named->srdf));
        BerthRobotOptions with = berth_default_robot_options();
        with.srdf = named->srdf != NULL ? srdf : NULL;
        assert_int_equal(berth_io_read_robot(urdf, &with, &options, &spheres), BERTH_OK);
        expect_covered(robot, spheres, 300, 5);
        expect_same_rest(robot, spheres);

        char sum_a[BERTH_SUM_TEXT], sum_b[BERTH_SUM_TEXT];
        berth_robot_sum(robot, sum_a);
        berth_robot_sum(spheres, sum_b);
        assert_int_equal(strcmp(sum_a, sum_b) == 0, i == 2);
        berth_robot_destroy(robot);
        berth_robot_destroy(spheres);
        read += 1;
    }
    if (read == 0) {
        TEST_SKIP("there is no folder of shared robots");
    }
}

// ---- pairs -------------------------------------------------------------------------------------------------------

// Three bars in a row that slide along each other: the outer two are 10 mm apart for ever, one ball around each is not. Such a
// pair would be left out as one that always overlaps, were the rule asked about balls.
static BerthRobotBuilder* start_bars(void) {
    BerthRobotBuilder* builder = NULL;
    assert_int_equal(berth_robot_builder_create("bars", NULL, &builder), BERTH_OK);
    for (int32_t i = 0; i < 3; ++i) {
        char name[8], joint[8];
        snprintf(name, sizeof name, "bar%d", i);
        snprintf(joint, sizeof joint, "slide%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
        BerthShape shape;
        BerthSolid* solid = NULL;
        assert_int_equal(berth_shape_box(v3(1, i == 1 ? 0.005 : 0.1, 0.1), &shape), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        assert_int_equal(berth_robot_add_solid(builder, i, NULL, solid, "box"), BERTH_OK);
        if (i > 0) {
            BerthJointDef def = berth_default_joint_def();
            def.name = joint;
            def.type = BERTH_JOINT_PRISMATIC;
            def.parent_link = i - 1;
            def.child_link = i;
            def.has_limits = true;
            def.lower = -0.05;
            def.upper = 0.05;
            def.parent_from_joint.t = v3(0, 0.055, 0);
            assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
        }
    }
    return builder;
}

static void larger_bodies_leave_out_no_pair(void** state) {
    (void)state;
    BerthRobot* robot = finish(start_bars(), 0, 0);
    BerthRobot* spheres = finish(start_bars(), 0.001, 1);
    assert_int_equal(berth_robot_pair(robot, 0, 2, NULL), BERTH_PAIR_CHECKED);
    assert_int_equal(berth_robot_pair(spheres, 0, 2, NULL), BERTH_PAIR_CHECKED);
    assert_int_equal(berth_robot_pair(spheres, 0, 1, NULL), BERTH_PAIR_ADJACENT);
    assert_int_equal(berth_robot_link(spheres, 0).solid_count, 1);
    assert_true(berth_robot_reach(spheres) > berth_robot_reach(robot));
    berth_robot_destroy(robot);
    berth_robot_destroy(spheres);
}

// A table of the bars, or of the balls, in either of the two.
static BerthRobot* with_table(const BerthRobot* of, double protrusion, int32_t most) {
    static const BerthProvenPair pair = {"bar0", "bar2", 0.004};
    BerthProvenLimit limits[4];
    BerthProvenTable table = {
        .limits = limits, .limit_count = berth_robot_limits(of, limits), .pairs = &pair, .pair_count = 1};
    berth_robot_sum(of, table.robot);
    berth_proven_table_sum(&table, table.sum);

    BerthRobotBuilder* builder = start_bars();
    assert_int_equal(berth_robot_disable_pair(builder, 0, 2, "Proven"), BERTH_OK);
    assert_int_equal(berth_robot_add_proven_table(builder, &table), BERTH_OK);
    return finish(builder, protrusion, most);
}

static void tables_count_for_one_of_the_two(void** state) {
    (void)state;
    BerthRobot* robots[2] = {finish(start_bars(), 0, 0), finish(start_bars(), 0.001, 8)};
    for (int of = 0; of < 2; ++of) {
        for (int in = 0; in < 2; ++in) {
            BerthRobot* built = with_table(robots[of], 0.001, in == 1 ? 8 : 0);
            const BerthTableUse other = in == 1 ? BERTH_TABLE_OF_ORIGINAL : BERTH_TABLE_OTHER_ROBOT;
            assert_int_equal(berth_robot_table_use(built, 0), of == in ? BERTH_TABLE_USED : other);
            assert_int_equal(berth_robot_pair(built, 0, 2, NULL),
                             of == in ? BERTH_PAIR_PROVEN : BERTH_PAIR_CHECKED);
            assert_true((berth_robot_proven_gap(built, 0, 2) > 0) == (of == in));
            berth_robot_destroy(built);
        }
    }
    berth_robot_destroy(robots[0]);
    berth_robot_destroy(robots[1]);
}

// ---- what is wrong -----------------------------------------------------------------------------------------------

static void wrong_requests_are_refused(void** state) {
    (void)state;
    BerthRobotBuilder* builder = start_bars();
    assert_int_equal(berth_robot_use_spheres(NULL, 0.01, 8), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_use_spheres(builder, 0.0, 8), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_use_spheres(builder, NAN, 8), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_use_spheres(builder, 0.01, 0), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_use_spheres(builder, 0.01, 4097), BERTH_ERR_ARGUMENT);

    BerthShape shape;
    BerthSolid* solid = NULL;
    BerthRobot* robot = NULL;
    BerthRobotFault fault;
    assert_int_equal(berth_shape_halfspace(v3(0, 0, 1), 0, &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
    assert_int_equal(berth_robot_add_solid(builder, 2, NULL, solid, "floor"), BERTH_OK);
    assert_int_equal(berth_robot_use_spheres(builder, 0.01, 8), BERTH_OK);
    assert_int_equal(berth_robot_build(builder, &robot, &fault), BERTH_ERR_UNSUPPORTED);
    assert_null(robot);
    assert_int_equal(fault.link, 2);
    assert_non_null(strstr(berth_error_text(), "link 'bar2'"));
    berth_robot_builder_destroy(builder);
}

// Solids change hands in the middle of a build: whatever fails, each is destroyed once.
static BerthStatus try_build(void* user, const BerthAllocator* allocator) {
    (void)user;
    BerthRobotBuilder* builder = NULL;
    BerthStatus status = berth_robot_builder_create("two", allocator, &builder);
    for (int32_t i = 0; i < 2 && status == BERTH_OK; ++i) {
        BerthShape shape;
        BerthSolid* solid = NULL;
        status = berth_robot_add_link(builder, i == 0 ? "a" : "b", NULL);
        if (status == BERTH_OK && i == 0) {
            status = berth_shape_box(v3(0.1, 0.2, 0.1), &shape);
        } else if (status == BERTH_OK) {
            status = berth_shape_sphere(0.1, &shape);
        }
        if (status == BERTH_OK) {
            status = berth_solid_from_shape(&shape, allocator, &solid);
        }
        if (status == BERTH_OK) {
            status = berth_robot_add_solid(builder, i, NULL, solid, "");
        }
    }

    BerthJointDef def = berth_default_joint_def();
    def.name = "j";
    def.parent_link = 0;
    def.child_link = 1;
    def.type = BERTH_JOINT_CONTINUOUS;
    BerthRobot* robot = NULL;
    if (status == BERTH_OK) {
        status = berth_robot_add_joint(builder, &def, NULL);
    }
    if (status == BERTH_OK) {
        status = berth_robot_use_spheres(builder, 0.05, 6);
    }
    if (status == BERTH_OK) {
        status = berth_robot_build(builder, &robot, NULL);
    }
    berth_robot_builder_destroy(builder);
    berth_robot_destroy(robot);
    return status;
}

static void memory_may_fail_anywhere(void** state) {
    (void)state;
    assert_true(starve(try_build, NULL) > 20);
}

int test_robot_as_spheres(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_covered_and_the_rest_stays),
        cmocka_unit_test(real_robots_are_covered),
        cmocka_unit_test(larger_bodies_leave_out_no_pair),
        cmocka_unit_test(tables_count_for_one_of_the_two),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
