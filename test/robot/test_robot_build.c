// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Building robots: what is refused and what is blamed, mimics, layout of states, names, memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/builder.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

int test_robot_build(void);

static BerthRobotBuilder* new_builder(void) {
    BerthRobotBuilder* builder = NULL;
    assert_int_equal(berth_robot_builder_create("r", NULL, &builder), BERTH_OK);
    return builder;
}

static void add_links(BerthRobotBuilder* builder, const char* letters) {
    for (; *letters != '\0'; ++letters) {
        const char name[2] = {*letters, '\0'};
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
    }
}

// Joint "ab" from link a to link b.
static BerthStatus add_joint(BerthRobotBuilder* builder, const char* ends, BerthJointType type,
                             const char* mimic, double multiplier, double offset) {
    const char parent[2] = {ends[0], '\0'}, child[2] = {ends[1], '\0'};
    BerthJointDef def = berth_default_joint_def();
    def.name = ends;
    def.type = type;
    def.parent_link = bi_robot_builder_find_link(builder, parent);
    def.child_link = bi_robot_builder_find_link(builder, child);
    def.parent_from_joint.t = v3(1, 0, 0);
    def.axis = v3(0, 0, 1);
    def.mimic = mimic;
    def.mimic_multiplier = multiplier;
    def.mimic_offset = offset;
    return berth_robot_add_joint(builder, &def, NULL);
}

static void add_joints(BerthRobotBuilder* builder, const char* pairs, BerthJointType type) {
    for (; pairs[0] != '\0'; pairs += 2) {
        const char ends[3] = {pairs[0], pairs[1], '\0'};
        assert_int_equal(add_joint(builder, ends, type, NULL, 1, 0), BERTH_OK);
    }
}

// ---- one tree ---------------------------------------------------------------------------------------------

static void broken_trees_are_named(void** state) {
    (void)state;
    static const struct {
        const char* links;
        const char* joints;
        const char* text;
        int32_t link, joint;
    } cases[] = {
        {"", "", "has no links", -1, -1},
        {"ab", "aa", "joint 'aa' joins link 'a' to itself", 0, 0},
        {"abc", "abacbc", "link 'c' has two parents: by joint 'ac' and by joint 'bc'", 2, 2},
        {"abc", "ab", "links 'a' and 'c' are both roots", 2, -1},
        {"abc", "abbcca", "links form a loop", -2, -2},
        {"ab", "abba", "links form a loop: '", -2, -2},
        {"abcd", "cddc", "both roots", 1, -1},
        {"abcd", "abcddc", "links form a loop", -2, -2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthRobotBuilder* builder = new_builder();
        BerthRobot* robot = NULL;
        BerthRobotFault fault = {5, 5};
        add_links(builder, cases[i].links);
        add_joints(builder, cases[i].joints, BERTH_JOINT_REVOLUTE);
        assert_int_equal(berth_robot_build(builder, &robot, &fault), BERTH_ERR_ARGUMENT);
        assert_null(robot);
        if (strstr(berth_error_text(), cases[i].text) == NULL) {
            fail_msg("case %zu: '%s' is not in '%s'", i, cases[i].text, berth_error_text());
        }
        if (cases[i].link == -2) {
            assert_true(fault.link >= 0 && fault.joint >= 0);
        } else {
            assert_int_equal(fault.link, cases[i].link);
            assert_int_equal(fault.joint, cases[i].joint);
        }
        assert_int_equal(builder->link_count, 0);  // empty, and still to be destroyed
        berth_robot_builder_destroy(builder);
    }
}

static void wrong_parts_are_refused(void** state) {
    (void)state;
    BerthRobotBuilder* builder = new_builder();
    add_links(builder, "ab");
    assert_int_equal(berth_robot_add_link(builder, "a", NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_add_link(builder, "", NULL), BERTH_ERR_ARGUMENT);
    BerthJointDef def = berth_default_joint_def();
    def.name = "j";
    def.parent_link = 0;
    def.child_link = 1;
    def.type = BERTH_JOINT_REVOLUTE;
    BerthJointDef bad = def;
    bad.stamp = 0;
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    bad = def;
    bad.child_link = 2;
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    bad = def;
    bad.axis = v3(0, 0, 0);
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    bad.type = BERTH_JOINT_FIXED;
    bad.name = "fixed with no axis";
    bad.mimic = "nothing";  // and a mimic of nothing: real robots have both
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_OK);
    bad = def;
    bad.axis = v3((double)NAN, 0, 1);
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    bad = def;
    bad.parent_from_joint.x = v3(1, 0.01, 0);
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    bad = def;
    bad.parent_from_joint.z = v3(0, 0, -1);  // a mirror
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    bad = def;
    bad.parent_from_joint.t.y = 1e8;
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    bad = def;
    bad.has_limits = true;
    bad.lower = 1;
    bad.upper = 0.5;
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    bad.upper = (double)INFINITY;
    assert_int_equal(berth_robot_add_joint(builder, &bad, NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_set_free_base(builder, "base", BERTH_JOINT_REVOLUTE), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_set_free_base(builder, "fixed with no axis", BERTH_JOINT_PLANAR),
                     BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_disable_pair(builder, 0, 0, ""), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_enable_pair(builder, 0, 7), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_add_solid(builder, 0, NULL, NULL, ""), BERTH_ERR_ARGUMENT);
    const int32_t joints[] = {4};
    assert_int_equal(berth_robot_add_group(builder, "g", joints, 1), BERTH_ERR_ARGUMENT);
    berth_robot_builder_destroy(builder);
    berth_robot_builder_destroy(NULL);
    berth_robot_destroy(NULL);
}

// A chain of 20,000 links, and 20,000 links in a row of loops: nothing may recurse or be quadratic.
static void long_chains_are_fine(void** state) {
    (void)state;
    enum { COUNT = 20000 };
    BerthRobotBuilder* builder = new_builder();
    char name[32], other[32];
    for (int i = 0; i < COUNT; ++i) {
        snprintf(name, sizeof name, "l%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
    }
    for (int i = 1; i < COUNT; ++i) {
        BerthJointDef def = berth_default_joint_def();
        snprintf(name, sizeof name, "j%d", i);
        snprintf(other, sizeof other, "j%d", i + 1);
        def.name = name;
        def.type = BERTH_JOINT_REVOLUTE;
        def.parent_link = i - 1;
        def.child_link = i;
        def.mimic = i < COUNT - 1 ? other : NULL;
        def.mimic_multiplier = 1;
        def.mimic_offset = 0.5;
        def.parent_from_joint.t = v3(0.001, 0, 0);
        assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
    }
    BerthRobot* robot = NULL;
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    assert_int_equal(berth_robot_value_count(robot), 1);
    assert_int_equal(robot->frames[0].end, COUNT);
    assert_true(robot->joints[0].mimic_offset == 0.5 * (COUNT - 2));
    assert_true(berth_robot_reach(robot) <= 20.0 && berth_robot_reach(robot) >= 19.9);
    snprintf(name, sizeof name, "l%d", 12345);
    assert_int_equal(berth_robot_find_link(robot, name), 12345);
    assert_int_equal(berth_robot_find_link(robot, "nobody"), -1);
    berth_robot_destroy(robot);
    berth_robot_builder_destroy(builder);
}

// ---- mimics -----------------------------------------------------------------------------------------------

static void mimic_chains_multiply(void** state) {
    (void)state;
    BerthRobotBuilder* builder = new_builder();
    add_links(builder, "abcdef");
    // ab = 2 bc + 1, bc = -3 cd + 0.5, cd free, de follows a fixed joint, ef follows with factor 0
    assert_int_equal(add_joint(builder, "ab", BERTH_JOINT_REVOLUTE, "bc", 2, 1), BERTH_OK);
    assert_int_equal(add_joint(builder, "bc", BERTH_JOINT_PRISMATIC, "cd", -3, 0.5), BERTH_OK);
    assert_int_equal(add_joint(builder, "cd", BERTH_JOINT_CONTINUOUS, NULL, 1, 0), BERTH_OK);
    assert_int_equal(add_joint(builder, "de", BERTH_JOINT_PRISMATIC, "ff", 7, 0.25), BERTH_OK);
    assert_int_equal(add_joint(builder, "ef", BERTH_JOINT_REVOLUTE, "cd", 0, 0.75), BERTH_OK);
    BerthJointDef def = berth_default_joint_def();
    add_links(builder, "g");
    def.name = "ff";
    def.parent_link = 5;
    def.child_link = 6;
    assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
    BerthRobot* robot = NULL;
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    assert_int_equal(robot->value_count, 1);
    assert_int_equal(robot->joints[0].mimic, 2);
    assert_true(robot->joints[0].mimic_multiplier == -6 && robot->joints[0].mimic_offset == 2);
    assert_true(robot->joints[1].mimic_multiplier == -3 && robot->joints[1].mimic_offset == 0.5);
    // Constant joints move nothing: they are merged, at their constant.
    assert_int_equal(robot->links[3].frame, robot->links[4].frame);
    assert_int_equal(robot->links[4].frame, robot->links[5].frame);
    assert_true(robot->joints[3].mimic_multiplier == 0 && robot->joints[3].mimic_offset == 0.25);
    assert_true(v3_distance(robot->links[4].frame_from_link.t, v3(1, 0, 0.25)) == 0);
    assert_true(fabs(robot->links[5].frame_from_link.x.y - sin(0.75)) < 1e-15);
    assert_int_equal(robot->joints[2].first_value, 0);
    assert_int_equal(robot->joints[3].first_value, -1);
    berth_robot_destroy(robot);
    berth_robot_builder_destroy(builder);
}

static void wrong_mimics_are_named(void** state) {
    (void)state;
    static const struct {
        BerthJointType type_ab, type_bc;
        const char* mimic_ab;
        const char* mimic_bc;
        double multiplier;
        const char* text;
        int32_t joint;
    } cases[] = {
        {BERTH_JOINT_REVOLUTE, BERTH_JOINT_REVOLUTE, "ab", NULL, 1, "joint 'ab' mimics itself", 0},
        {BERTH_JOINT_REVOLUTE, BERTH_JOINT_REVOLUTE, "bc", "ab", 1, "mimics itself by way of", 0},
        {BERTH_JOINT_REVOLUTE, BERTH_JOINT_REVOLUTE, NULL, "xx", 1,
         "joint 'bc' mimics 'xx', which does not exist", 1},
        {BERTH_JOINT_FLOATING, BERTH_JOINT_REVOLUTE, NULL, "ab", 1, "floating and planar", 1},
        {BERTH_JOINT_PLANAR, BERTH_JOINT_REVOLUTE, "bc", NULL, 1, "floating and planar", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthRobotBuilder* builder = new_builder();
        BerthRobot* robot = NULL;
        BerthRobotFault fault;
        add_links(builder, "abc");
        assert_int_equal(
            add_joint(builder, "ab", cases[i].type_ab, cases[i].mimic_ab, cases[i].multiplier, 0), BERTH_OK);
        assert_int_equal(
            add_joint(builder, "bc", cases[i].type_bc, cases[i].mimic_bc, cases[i].multiplier, 0), BERTH_OK);
        assert_int_equal(berth_robot_build(builder, &robot, &fault), BERTH_ERR_ARGUMENT);
        if (strstr(berth_error_text(), cases[i].text) == NULL) {
            fail_msg("case %zu: '%s' is not in '%s'", i, cases[i].text, berth_error_text());
        }
        assert_int_equal(fault.joint, cases[i].joint);
        berth_robot_builder_destroy(builder);
    }
}

// ---- layout and names -------------------------------------------------------------------------------------

static void values_follow_the_document(void** state) {
    (void)state;
    BerthRobotBuilder* builder = new_builder();
    add_links(builder, "abcdef");
    add_joints(builder, "ef", BERTH_JOINT_PLANAR);  // document order is not tree order
    add_joints(builder, "de", BERTH_JOINT_FIXED);
    add_joints(builder, "cd", BERTH_JOINT_REVOLUTE);
    assert_int_equal(add_joint(builder, "bc", BERTH_JOINT_REVOLUTE, "cd", 1, 0), BERTH_OK);
    add_joints(builder, "ab", BERTH_JOINT_FLOATING);
    assert_int_equal(berth_robot_set_free_base(builder, "world_joint", BERTH_JOINT_PLANAR), BERTH_OK);
    const int32_t group[] = {2, 0};
    assert_int_equal(berth_robot_add_group(builder, "arm", group, 2), BERTH_OK);
    int32_t home = -1, other = -1;
    assert_int_equal(berth_robot_add_state(builder, "arm", "home", &home), BERTH_OK);
    assert_int_equal(berth_robot_add_state(builder, "leg", "home", &other), BERTH_OK);
    const double base_values[] = {1, 2, 3}, angle = 0.5;
    assert_int_equal(berth_robot_add_state_value(builder, home, "world_joint", base_values, 3), BERTH_OK);
    assert_int_equal(berth_robot_add_state_value(builder, home, "cd", &angle, 1), BERTH_OK);
    assert_int_equal(berth_robot_add_state_value(builder, home, "bc", &angle, 1),
                     BERTH_OK);  // a mimic: no value
    assert_int_equal(berth_robot_add_state_value(builder, home, "ef", base_values, 1), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_add_state_value(builder, home, "zz", base_values, 1), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_add_state_value(builder, 5, "cd", base_values, 1), BERTH_ERR_ARGUMENT);
    BerthRobot* robot = NULL;
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    static const char* const expected[] = {"world_joint/x",
                                           "world_joint/y",
                                           "world_joint/theta",
                                           "ef/x",
                                           "ef/y",
                                           "ef/theta",
                                           "cd",
                                           "ab/x",
                                           "ab/y",
                                           "ab/z",
                                           "ab/qx",
                                           "ab/qy",
                                           "ab/qz",
                                           "ab/qw"};
    assert_int_equal(robot->value_count, 14);
    for (int32_t i = 0; i < 14; ++i) {
        char name[40];
        berth_robot_value_name(robot, i, name, sizeof name);
        assert_string_equal(name, expected[i]);
    }
    assert_int_equal(berth_robot_find_joint(robot, "world_joint"), 5);
    assert_int_equal(berth_robot_joint(robot, 5).child_link, 0);
    double values[14];
    berth_robot_default_values(robot, values);
    assert_true(values[13] == 1 && values[12] == 0);
    assert_int_equal(berth_robot_named_state(robot, "home", values), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "two states named 'home': 'arm/home' and 'leg/home'"));
    assert_int_equal(berth_robot_named_state(robot, "nowhere", values), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_robot_named_state(robot, "arm/home", values), BERTH_OK);
    assert_true(values[0] == 1 && values[2] == 3 && values[6] == 0.5 && values[3] == 0);
    const int32_t* joints = NULL;
    int32_t count = 0;
    assert_string_equal(berth_robot_group(robot, 0, &joints, &count), "arm");
    assert_true(count == 2 && joints[0] == 2);
    berth_robot_destroy(robot);
    berth_robot_builder_destroy(builder);
}

static void defaults_are_clamped(void** state) {
    (void)state;
    static const double limits[][3] = {{-1, 1, 0},    {0.5, 2, 0.5},  {-3, -2, -2},
                                       {1e9, 2e9, 0}, {-1e9, 1e9, 0}, {0.3, 0.3, 0.3}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        BerthRobotBuilder* builder = new_builder();
        add_links(builder, "ab");
        BerthJointDef def = berth_default_joint_def();
        def.name = "j";
        def.type = BERTH_JOINT_REVOLUTE;
        def.parent_link = 0;
        def.child_link = 1;
        def.has_limits = true;
        def.lower = limits[i][0];
        def.upper = limits[i][1];
        const BerthStatus status = berth_robot_add_joint(builder, &def, NULL);
        assert_int_equal(status, limits[i][0] >= 1e9 ? BERTH_ERR_ARGUMENT : BERTH_OK);
        if (status == BERTH_OK) {
            BerthRobot* robot = NULL;
            double value = 9;
            assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
            berth_robot_default_values(robot, &value);
            assert_true(value == limits[i][2]);
            assert_true(fabs(robot->values[0].upper) <= BI_ANGLE_MAX);
            berth_robot_destroy(robot);
        }
        berth_robot_builder_destroy(builder);
    }
}

static void names_match_a_slow_search(void** state) {
    (void)state;
    enum { COUNT = 3000 };
    Arena arena;
    bi_arena_init(&arena, NULL, 0);
    NameTable table = {0};
    Random random = {3};
    char(*names)[12] = malloc(COUNT * sizeof *names);
    assert_non_null(names);
    int32_t count = 0;
    for (int i = 0; i < COUNT; ++i) {
        char name[12];
        snprintf(name, sizeof name, "n%d", (int)(bi_random_next(&random) % (2 * COUNT)));
        int32_t slow = -1;
        for (int32_t k = 0; k < count; ++k) {
            slow = strcmp(names[k], name) == 0 ? k : slow;
        }
        assert_int_equal(bi_names_find(&table, name), slow);
        if (slow < 0) {
            memcpy(names[count], name, sizeof name);
            assert_true(bi_names_add(&table, &arena, names[count], count));
            ++count;
        }
    }
    free(names);
    bi_arena_free(&arena);
}

// ---- memory -----------------------------------------------------------------------------------------------

static BerthStatus make_small_robot(void* user, const BerthAllocator* allocator) {
    (void)user;
    BerthRobotBuilder* builder = NULL;
    BerthStatus status = berth_robot_builder_create("small", allocator, &builder);
    if (status != BERTH_OK) {
        return status;
    }
    static const char* const links[] = {"a", "b", "c", "d"};
    for (int32_t i = 0; i < 4 && status == BERTH_OK; ++i) {
        status = berth_robot_add_link(builder, links[i], NULL);
        BerthShape shape;
        BerthSolid* solid = NULL;
        berth_shape_sphere(0.8, &shape);
        if (status == BERTH_OK) {
            status = berth_solid_from_shape(&shape, allocator, &solid);
        }
        if (status == BERTH_OK) {
            status = berth_robot_add_solid(builder, i, NULL, solid, "sphere");
        }
    }
    for (int32_t i = 1; i < 4 && status == BERTH_OK; ++i) {
        BerthJointDef def = berth_default_joint_def();
        def.name = links[i];
        def.type = BERTH_JOINT_REVOLUTE;
        def.parent_link = i - 1;
        def.child_link = i;
        def.mimic = i == 2 ? "b" : NULL;
        def.parent_from_joint.t = v3(0.3, 0, 0);
        status = berth_robot_add_joint(builder, &def, NULL);
    }
    int32_t named = 0;
    const int32_t group[] = {0, 2};
    const double value = 0.5;
    if (status == BERTH_OK) {
        status = berth_robot_add_state(builder, "g", "home", &named);
    }
    if (status == BERTH_OK) {
        status = berth_robot_add_state_value(builder, named, "b", &value, 1);
    }
    if (status == BERTH_OK) {
        status = berth_robot_add_group(builder, "g", group, 2);
    }
    if (status == BERTH_OK) {
        status = berth_robot_set_free_base(builder, "world", BERTH_JOINT_PLANAR);
    }
    BerthRobot* robot = NULL;
    if (status == BERTH_OK) {
        status = berth_robot_build(builder, &robot, NULL);
    }
    assert_true((status == BERTH_OK) == (robot != NULL));
    berth_robot_destroy(robot);
    berth_robot_builder_destroy(builder);
    return status;
}

static void every_failed_allocation_is_clean(void** state) {
    (void)state;
    assert_true(starve(make_small_robot, NULL) > 5);
}

int test_robot_build(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_trees_are_named),
        cmocka_unit_test(wrong_parts_are_refused),
        cmocka_unit_test(long_chains_are_fine),
        cmocka_unit_test(mimic_chains_multiply),
        cmocka_unit_test(wrong_mimics_are_named),
        cmocka_unit_test(values_follow_the_document),
        cmocka_unit_test(defaults_are_clamped),
        cmocka_unit_test(names_match_a_slow_search),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
