// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Spheres written to URDF and SRDF: they read back bit for bit, everything else stays as it was, and a second reader
// (urdfdom) sees the same robot.
// test-share: 1

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <berth/cover.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cover/many.h"
#include "io/syntax/file.h"
#if BERTH_HAVE_ORACLES
#include "oracle/peer_kdl.h"
#endif
#include "support/expect.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"

int test_io_spheres(void);

static BerthSpheres* quick_spheres(const BerthRobot* robot, int32_t link) {
    BerthSpheresDef def = berth_default_spheres_def();
    def.effort = 0.0;
    int32_t bodies = 0;
    for (int32_t i = 0; i < berth_robot_link_count(robot); ++i) {
        bodies += berth_robot_link(robot, i).solid_count > 0 ? 1 : 0;
    }
    def.count = link < 0 ? bodies : 2;
    BerthSpheres* spheres = NULL;
    assert_int_equal(berth_robot_fit_spheres(robot, link, &def, &spheres), BERTH_OK);
    return spheres;
}

// One to three for each link with geometry, anywhere and with all digits that a number may have. A fit takes a minute for
// all robots, and writers do not care.
static BerthSpheres* any_spheres(const BerthRobot* robot, Random* random) {
    const BerthAllocator from = bi_allocator_or_default(NULL);
    BerthSpheres* spheres = bi_take(&from, 1, sizeof *spheres);
    assert_non_null(spheres);
    *spheres = (BerthSpheres){
        .allocator = from, .metric = BERTH_METRIC_L2, .group_count = berth_robot_link_count(robot)};
    spheres->ball_count = 3 * spheres->group_count;
    spheres->groups = bi_take(&from, (size_t)spheres->group_count, sizeof *spheres->groups);
    spheres->balls = bi_take(&from, (size_t)spheres->ball_count, sizeof *spheres->balls);
    assert_true(spheres->groups != NULL && spheres->balls != NULL);

    for (int32_t i = 0; i < spheres->group_count; ++i) {
        const bool has_geometry = berth_robot_link(robot, i).solid_count > 0;
        BerthBall* balls = &spheres->balls[3 * i];
        for (int32_t k = 0; k < 3; ++k) {
            balls[k] = (BerthBall){
                v3(bi_random_between(random, -1.0, 1.0), bi_random_between(random, -1e-3, 1e-3), 0.1 * k),
                bi_random_between(random, 0.01, 0.3)};
        }
        spheres->groups[i] = (BerthSphereGroup){.balls = balls,
                                                .count = has_geometry ? 1 + i % 3 : 0,
                                                .has_geometry = has_geometry,
                                                .covered = has_geometry};
    }
    return spheres;
}

static BerthRobot* read_robot(const char* urdf, const char* srdf) {
    const BerthIoOptions options = berth_default_io_options();
    BerthRobotOptions robot_options = berth_default_robot_options();
    robot_options.srdf = srdf;
    BerthRobot* robot = NULL;
    if (berth_io_read_robot(urdf, &robot_options, &options, &robot) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return robot;
}

// Joints and limits are the same; links with spheres have these and nothing else.
static void expect_same(const BerthRobot* robot, const BerthRobot* again, const BerthSpheres* spheres) {
    assert_int_equal(berth_robot_link_count(robot), berth_robot_link_count(again));
    assert_int_equal(berth_robot_joint_count(robot), berth_robot_joint_count(again));
    for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
        const BerthJointInfo a = berth_robot_joint(robot, i), b = berth_robot_joint(again, i);
        assert_string_equal(a.name, b.name);
        assert_true(a.type == b.type && a.parent_link == b.parent_link && a.child_link == b.child_link);
        assert_true(a.lower == b.lower && a.upper == b.upper && a.mimic == b.mimic);
    }
    for (int32_t i = 0; i < berth_robot_link_count(robot); ++i) {
        const BerthSphereGroup group = berth_spheres_group(spheres, i);
        const BerthLinkInfo a = berth_robot_link(robot, i), b = berth_robot_link(again, i);
        assert_string_equal(a.name, b.name);
        assert_int_equal(b.solid_count, group.count > 0 ? group.count : a.solid_count);
        for (int32_t k = 0; k < group.count; ++k) {
            BerthPose pose;
            const BerthShape* shape = berth_solid_shape(berth_robot_solid(again, i, k, &pose, NULL));
            assert_non_null(shape);
            assert_int_equal(shape->kind, BERTH_SPHERE);
            assert_true(shape->as.sphere.radius == group.balls[k].radius);
            assert_memory_equal(&pose.t, &group.balls[k].centre, sizeof pose.t);
        }
    }
}

static void real_robots_read_back(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not here");
    }
    Random random = {3};
    BerthIoOptions options = berth_default_io_options();
    for (const TestRobot* named = test_robots; named->name != NULL; ++named) {
        if (!test_robot_is_due(named)) {
            continue;
        }
        char urdf[1024], srdf[1024];
        assert_true(test_shared_path(urdf, sizeof urdf, named->urdf));
        assert_true(test_shared_path(srdf, sizeof srdf, named->srdf));
        // Writers take names from the robot: what its meshes are like does not matter.
        BerthRobot* robot = test_read_robot(named, true, false);
        assert_non_null(robot);
        const bool is_quick = strcmp(named->name, "panda_spheres") == 0;
        BerthSpheres* spheres = is_quick ? quick_spheres(robot, -1) : any_spheres(robot, &random);
        const char* out = program_temporary("spheres.urdf");
        const char* srdf_out = program_temporary("spheres.srdf");
        assert_int_equal(berth_io_write_spherized(out, urdf, robot, spheres, &options), BERTH_OK);
        assert_int_equal(berth_io_write_sphere_srdf(srdf_out, srdf, robot, spheres, &options), BERTH_OK);
        BerthRobot* again = read_robot(out, srdf_out);
        expect_same(robot, again, spheres);
        assert_int_equal(berth_robot_state_count(robot), berth_robot_state_count(again));
        assert_int_equal(berth_robot_group_count(robot), berth_robot_group_count(again));
#if BERTH_HAVE_ORACLES
        char refusal[256];
        peer_kdl_refusal(out, refusal, sizeof refusal);
        assert_string_equal(refusal, "");
#endif
        // What was written once is replaced by what is written again.
        const char* twice = program_temporary("twice.srdf");
        assert_int_equal(berth_io_write_sphere_srdf(twice, srdf_out, robot, spheres, &options), BERTH_OK);
        FileBytes first, second;
        assert_int_equal(bi_io_read_file(srdf_out, 0, NULL, &first), BERTH_OK);
        assert_int_equal(bi_io_read_file(twice, 0, NULL, &second), BERTH_OK);
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.data, second.data, first.size);
        bi_io_free_file(&first);
        bi_io_free_file(&second);
        berth_robot_destroy(again);
        berth_spheres_destroy(spheres);
        berth_robot_destroy(robot);
    }
}

// Everything that may stand in the way of copying: comments, CDATA, one line, empty elements, quotes in names.
static const char odd_urdf[] =
    "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><!-- <collision> -->\n"
    "<robot name=\"o&amp;d\"><link name='a&lt;b&amp;\"c'><collision><geometry><box size='0.1 0.2 "
    "0.3'/></geometry>"
    "</collision><visual><geometry><sphere radius=\"1\"/></geometry></visual><collision name='second'>\n"
    "<origin xyz='0 0 0.3'/><geometry><cylinder radius='0.05' length='0.2'/></geometry></collision></link>\n"
    "  <link name=\"empty\"/>\n"
    "  <link name=\"kept\">\n    <collision>\n      <geometry><sphere radius=\"0.25\"/></geometry>\n    "
    "</collision>\n"
    "    <!-- </link> --><inertial><mass value='1'/></inertial>\n  </link>\n"
    "  <transmission name='t'><collision>not ours</collision></transmission>\n"
    "  <joint name='j' type='revolute'><parent link='a&lt;b&amp;\"c'/><child link='kept'/>"
    "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint>\n"
    "  <joint name='f' type='fixed'><parent link='kept'/><child link='empty'/></joint>\n"
    "</robot>\n<!-- caf\xe9 -->\n";

static void odd_files_are_copied(void** state) {
    (void)state;
    const char* path = program_temporary("odd.urdf");
    const char* out = program_temporary("odd_spheres.urdf");
    const char* srdf = program_temporary("odd.srdf");
    assert_true(program_write_text(path, odd_urdf));
    BerthRobot* robot = read_robot(path, NULL);
    const BerthIoOptions options = berth_default_io_options();
    for (int32_t link = -1; link < 1; ++link) {
        BerthSpheres* spheres = quick_spheres(robot, link);
        assert_int_equal(berth_io_write_spherized(out, path, robot, spheres, &options), BERTH_OK);
        assert_int_equal(berth_io_write_sphere_srdf(srdf, NULL, robot, spheres, &options), BERTH_OK);
        BerthRobot* again = read_robot(out, srdf);
        expect_same(robot, again, spheres);
        FileBytes bytes;
        assert_int_equal(bi_io_read_file(out, 0, NULL, &bytes), BERTH_OK);
        assert_non_null(strstr(bytes.data, "<!-- <collision> -->"));
        assert_non_null(strstr(bytes.data, "<collision>not ours</collision>"));
        assert_non_null(strstr(bytes.data, "caf\xe9"));
        assert_non_null(strstr(bytes.data, "<visual>"));
        assert_null(strstr(bytes.data, "<box"));
        bi_io_free_file(&bytes);
        berth_robot_destroy(again);
        berth_spheres_destroy(spheres);
    }
    berth_robot_destroy(robot);
}

static void wrong_requests_are_told(void** state) {
    (void)state;
    const char* path = program_temporary("same.urdf");
    assert_true(program_write_text(path, odd_urdf));
    BerthRobot* robot = read_robot(path, NULL);
    BerthSpheres* spheres = quick_spheres(robot, -1);
    const BerthIoOptions options = berth_default_io_options();
    assert_int_equal(berth_io_write_spherized(path, path, robot, spheres, &options), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "choose another output file"));
    assert_int_equal(berth_io_write_spherized("", path, robot, spheres, &options), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_io_write_spherized("/nowhere/at/all.urdf", path, robot, spheres, &options),
                     BERTH_ERR_ARGUMENT);
    const BerthIoOptions unset = {.srdf = NULL};
    assert_int_equal(berth_io_write_spherized(program_temporary("x"), path, robot, spheres, &unset),
                     BERTH_ERR_ARGUMENT);
    const char* broken = program_temporary("broken.urdf");
    assert_true(program_write_text(broken, "<robot name='x'>\n<link></robot>"));
    assert_int_equal(berth_io_write_spherized(program_temporary("x"), broken, robot, spheres, &options),
                     BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "broken.urdf:2:"));
    assert_true(program_write_text(broken, "\xff\xfe<"));
    assert_int_equal(berth_io_write_spherized(program_temporary("x"), broken, robot, spheres, &options),
                     BERTH_ERR_UNSUPPORTED);
    FILE* left = fopen(program_temporary("x"), "r");
    assert_null(left);
    berth_spheres_destroy(spheres);
    berth_robot_destroy(robot);
}

// Whatever the locale, and however large or small the numbers: what is written is what is read.
static void numbers_read_back_in_every_locale(void** state) {
    (void)state;
    const char* const tried[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0] && setlocale(LC_ALL, tried[i]) == NULL; ++i) {
    }
    Random random = {3};
    for (int32_t round = 0; round < 3; ++round) {
        BerthSolid* solid = test_solid(TEST_MESH_BALL, 60, pow(1000.0, round - 1.0), &random);
        BerthSpheresDef def = berth_default_spheres_def();
        def.count = 3;
        def.effort = 0.0;
        BerthSpheres* spheres = NULL;
        assert_int_equal(berth_solid_fit_spheres(solid, &def, &spheres), BERTH_OK);
        const char* out = program_temporary("body.urdf");
        const BerthIoOptions options = berth_default_io_options();
        assert_int_equal(berth_io_write_sphere_body(out, "a ball & more", spheres, &options), BERTH_OK);
        BerthRobot* again = read_robot(out, NULL);
        assert_string_equal(berth_robot_link(again, 0).name, "a ball & more");
        expect_same(again, again, spheres);
        berth_robot_destroy(again);
        berth_spheres_destroy(spheres);
        berth_solid_destroy(solid);
    }
    (void)setlocale(LC_ALL, "C");
}

/// What is written of spheres, and from what.
typedef struct WriteTry {
    const char *out, *urdf, *srdf;
    const BerthRobot* robot;
    const BerthSpheres* spheres;
} WriteTry;

static BerthStatus write_spherized(void* user, const BerthAllocator* allocator) {
    const WriteTry* w = user;
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    return berth_io_write_spherized(w->out, w->urdf, w->robot, w->spheres, &options);
}

static BerthStatus write_sphere_srdf(void* user, const BerthAllocator* allocator) {
    const WriteTry* w = user;
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    return berth_io_write_sphere_srdf(w->out, w->srdf, w->robot, w->spheres, &options);
}

static void memory_may_fail_anywhere(void** state) {
    (void)state;
    WriteTry w = {
        .out = program_temporary("memory.urdf"),
        .urdf = expect_written("odd.urdf", odd_urdf),
        .srdf = expect_written("memory.srdf", "<robot name='o'>\n<group name='g'/>\n</robot>\n"),
    };
    BerthRobot* robot = read_robot(w.urdf, NULL);
    BerthSpheres* spheres = quick_spheres(robot, -1);
    w.robot = robot;
    w.spheres = spheres;
    assert_true(starve(write_spherized, &w) > 0);
    assert_true(starve(write_sphere_srdf, &w) > 0);
    berth_spheres_destroy(spheres);
    berth_robot_destroy(robot);
}

int test_io_spheres(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_robots_read_back),    cmocka_unit_test(odd_files_are_copied),
        cmocka_unit_test(wrong_requests_are_told),  cmocka_unit_test(numbers_read_back_in_every_locale),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests_name("io_spheres", tests, NULL, expect_clean_up);
}
