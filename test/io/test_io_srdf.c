// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SRDF: wrong files with their lines, warnings with theirs, and what groups, states, pairs and free bases mean.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/robot.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/urdf_text.h"

int test_io_srdf(void);

#define BALL "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
#define TURN(name, parent, child)                                                       \
    "<joint name='" name "' type='revolute'><origin xyz='1 0 0'/><parent link='" parent \
    "'/><child link='" child "'/><axis xyz='0 0 1'/><limit lower='-1' upper='1'/></joint>"

// a - j1 - b - j2 - c - fix - d - j3 - e, and b - k - f with k following j1; p planar below a
static const char urdf[] =
    "<robot name='r'><link name='a'>" BALL "</link><link name='b'>" BALL "</link><link name='c'>" BALL
    "</link><link name='d'>" BALL "</link><link name='e'>" BALL "</link><link name='f'/><link name='g'/>" TURN(
        "j1", "a", "b") TURN("j2", "b", "c") "<joint name='fix' type='fixed'><parent link='c'/><child link='d'/></joint>" TURN(
        "j3", "d",
        "e") "<joint name='k' type='continuous'><parent link='b'/><child link='f'/><mimic joint='j1'/></joint>"
             "<joint name='p' type='planar'><parent link='a'/><child link='g'/><axis xyz='0 0 1'/></joint></robot>";

#define R(inside) "<robot name='r'>\n" inside "</robot>"
#define VIRTUAL(type, child) \
    "<virtual_joint name='v' type='" type "' parent_frame='w' child_link='" child "'/>"

typedef struct Case {
    int line;
    const char* says;
    const char* text;
} Case;

static const Case wrong[] = {
    {1, "XML: no element found", ""},
    {2, "XML: mismatched tag", "<robot>\n</group>"},
    {1, "<!DOCTYPE is refused", "<!DOCTYPE robot><robot/>"},
    {1, "<srdf>: an SRDF begins with <robot>", "<srdf/>"},
    {2, "<link name=\"a\">: this is a URDF, not an SRDF", R("<link name='a'/>")},
    {1, "this is a xacro file", "<robot name='r'><xacro:include filename='x'/></robot>"},
    {1, "this is a xacro file", "<xacro:robot/>"},
    {2, "<disable_collisions>: has no attribute link1", R("<disable_collisions/>")},
    {2, "<disable_collisions>: has no attribute link2", R("<disable_collisions link1='a'/>")},
    {2, "<disable_collisions>: attribute link1 is empty", R("<disable_collisions link1='' link2='b'/>")},
    {2, "<enable_collisions>: has no attribute link2", R("<enable_collisions link1='a'/>")},
    {2, "<disable_default_collisions>: has no attribute link", R("<disable_default_collisions/>")},
    {2, "<group>: has no attribute name", R("<group/>")},
    {2, "<group name=\"\">: attribute name is empty", R("<group name=''/>")},
    {3, "<group name=\"g\">: there are two groups of this name (first in line 2)",
     R("<group name='g'/>\n<group name='g'/>")},
    {3, "<group name=\"g\">: <group name=\"h\">: there is no group of this name",
     R("<group name='g'>\n<group name='h'/></group>")},
    {2, "groups contain each other in a loop", R("<group name='g'><group name='g'/></group>")},
    {3, "groups contain each other in a loop",
     R("<group name='g'><group name='h'/></group>\n<group name='h'><group name='g'/></group>")},
    {4, "groups contain each other in a loop",
     R("<group name='x'><group name='g'/></group>\n<group name='g'><group name='h'/></group>\n"
       "<group name='h'><group name='g'/></group>")},
    {2, "<group name=\"g\">: <chain>: has no attribute base_link", R("<group name='g'><chain/></group>")},
    {2, "<chain>: has no attribute tip_link", R("<group name='g'><chain base_link='a'/></group>")},
    {2, "<link>: has no attribute name", R("<group name='g'><link/></group>")},
    {2, "<joint>: has no attribute name", R("<group name='g'><joint/></group>")},
    {2, "<group_state>: has no attribute name", R("<group_state/>")},
    {2, "<group_state name=\"s\">: has no attribute group", R("<group_state name='s'/>")},
    {3, "<group_state name=\"s\">: <joint name=\"j1\">: has no attribute value",
     R("<group_state name='s' group='g'>\n<joint name='j1'/></group_state>")},
    {3, "<joint>: has no attribute name",
     R("<group_state name='s' group='g'>\n<joint value='1'/></group_state>")},
    {3, "value=\"\": 0 numbers, 1 to 7 are needed",
     R("<group_state name='s' group='g'>\n<joint name='j1' value=''/></group_state>")},
    {3, "value=\"1,5\": '1,5': decimal comma",
     R("<group_state name='s' group='g'>\n<joint name='j1' value='1,5'/></group_state>")},
    {3, "value=\"nan\": 'nan': not finite",
     R("<group_state name='s' group='g'>\n<joint name='j1' value='nan'/></group_state>")},
    {3, "value=\"0.5rad\": '0.5rad': trailing characters",
     R("<group_state name='s' group='g'>\n<joint name='j1' value='0.5rad'/></group_state>")},
    {3, "value=\"inf\": 'inf': not finite",
     R("<group_state name='s' group='g'>\n<joint name='j1' value='inf'/></group_state>")},
    {3, "value=\"1e8\": 1e+08 is too large",
     R("<group_state name='s' group='g'>\n<joint name='j1' value='1e8'/></group_state>")},
    {3, "state 's': joint 'j1' has 1 value, 2 given",
     R("<group_state name='s' group='g'>\n<joint name='j1' value='1 2'/></group_state>")},
    {3, "state 's': joint 'p' has 3 values, 1 given",
     R("<group_state name='s' group='g'>\n<joint name='p' value='1'/></group_state>")},
    {3, "8 numbers, 1 to 7 are needed",
     R("<group_state name='s' group='g'>\n<joint name='j1' value='1 2 3 4 5 6 7 8'/></group_state>")},
    {2, "<virtual_joint>: has no attribute name", R("<virtual_joint type='planar'/>")},
    {2, "<virtual_joint name=\"v\">: has no attribute type", R("<virtual_joint name='v'/>")},
    {2, "type=\"spherical\": must be fixed, planar or floating",
     R("<virtual_joint name='v' type='spherical'/>")},
    {2, "has no attribute parent_frame", R("<virtual_joint name='v' type='planar'/>")},
    {2, "has no attribute child_link", R("<virtual_joint name='v' type='planar' parent_frame='w'/>")},
    {2, "<end_effector>: has no attribute name", R("<end_effector/>")},
    {2, "<end_effector name=\"e\">: has no attribute group", R("<end_effector name='e'/>")},
    {2, "<end_effector name=\"e\">: has no attribute parent_link", R("<end_effector name='e' group='g'/>")},
    {2, "<passive_joint>: has no attribute name", R("<passive_joint/>")},
    {2, "<joint_property>: has no attribute joint_name", R("<joint_property/>")},
    {2, "<link_sphere_approximation>: has no attribute link", R("<link_sphere_approximation/>")},
    {2, "<sphere>: has no attribute center",
     R("<link_sphere_approximation link='a'><sphere/></link_sphere_approximation>")},
    {2, "center=\"0 0\": 2 numbers, 3 are needed",
     R("<link_sphere_approximation link='a'><sphere center='0 0'/></link_sphere_approximation>")},
    {2, "<sphere>: has no attribute radius",
     R("<link_sphere_approximation link='a'><sphere center='0 0 0'/></link_sphere_approximation>")},
    {2, "radius=\"-1\": must be >= 0",
     R("<link_sphere_approximation link='a'><sphere center='0 0 0' "
       "radius='-1'/></link_sphere_approximation>")},
    {2, "attribute link1 holds a control character", R("<disable_collisions link1='a&#9;b' link2='b'/>")},
    {2, "XML: undefined entity", R("<group name='&x;'/>")},
    {2, "XML: duplicate attribute", R("<group name='a' name='b'/>")},
};

// The same, with a free base asked for.
static const Case wrong_free[] = {
    {1, "<robot name=\"r\">: a free base is asked for, but there is no <virtual_joint>", R("")},
    {2, "a free base is asked for, but no <virtual_joint> is planar or floating", R(VIRTUAL("fixed", "a"))},
    {2, "a free base is asked for, but no <virtual_joint>", R(VIRTUAL("planar", "zzz"))},
    {2, "a free base is asked for, but child_link=\"b\" is not the robot's root",
     R(VIRTUAL("floating", "b"))},
    {2, "there are two joints named 'j1'",
     R("<virtual_joint name='j1' type='planar' parent_frame='w' child_link='a'/>")},
    {3, "joint 'v' has 7 values, 3 given",
     R(VIRTUAL("floating",
               "a") "<group_state name='s' group='g'>\n<joint name='v' value='1 2 3'/></group_state>")},
};

static int count_failures(const Case* cases, size_t count, bool free_base) {
    int failed = 0;
    for (size_t i = 0; i < count; ++i) {
        BerthRobot* robot = NULL;
        char place[40];
        const BerthStatus status = test_read_text(urdf, cases[i].text, free_base, NULL, &robot);
        snprintf(place, sizeof place, "r.srdf:%d: ", cases[i].line);
        if (status != BERTH_ERR_PARSE || strncmp(berth_error_text(), place, strlen(place)) != 0 ||
            strstr(berth_error_text(), cases[i].says) == NULL) {
            print_message("case %zu: %s '%s'\n  expected %s%s\n", i, berth_status_name(status),
                          berth_error_text(), place, cases[i].says);
            ++failed;
        }
        berth_robot_destroy(robot);
    }
    return failed;
}

static void wrong_files_say_what_and_where(void** state) {
    (void)state;
    assert_int_equal(count_failures(wrong, sizeof wrong / sizeof wrong[0], false), 0);
    assert_int_equal(count_failures(wrong_free, sizeof wrong_free / sizeof wrong_free[0], true), 0);
    BerthRobot* robot = NULL;
    assert_int_equal(test_read_text(urdf, NULL, true, NULL, &robot), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "a free base is asked for: that needs an SRDF"));
}

// ---- warnings ---------------------------------------------------------------------------------------------

static const Case doubtful[] = {
    {2, "<disable_collisions>: link1=\"z\": the robot has no such link; ignored",
     R("<disable_collisions link1='z' link2='b'/>")},
    {2, "<enable_collisions>: link2=\"z\": the robot has no such link",
     R("<enable_collisions link1='b' link2='z'/>")},
    {2, "<disable_default_collisions>: link=\"z\": the robot has no such link",
     R("<disable_default_collisions link='z'/>")},
    {2, "a link with itself is no pair", R("<disable_collisions link1='a' link2='a'/>")},
    {3, "<group name=\"g\">: <link name=\"z\">: the robot has no such link",
     R("<group name='g'>\n<link name='z'/></group>")},
    {3, "<group name=\"g\">: <joint name=\"z\">: the robot has no such joint",
     R("<group name='g'>\n<joint name='z'/></group>")},
    {3, "the robot has no link 'z'; ignored",
     R("<group name='g'>\n<chain base_link='a' tip_link='z'/></group>")},
    {2, "is not below base_link='e'", R("<group name='g'><chain base_link='e' tip_link='a'/></group>")},
    {3, "<group_state name=\"s\">: <joint name=\"z\">: the robot has no such joint",
     R("<group_state name='s' group='g'>\n<joint name='z' value='1'/></group_state>")},
    {2, "child_link=\"z\": the robot has no such link", R(VIRTUAL("planar", "z"))},
    {2, "parent_link=\"z\": the robot has no such link",
     R("<end_effector name='e' group='g' parent_link='z'/>")},
    {2, "name=\"z\": the robot has no such joint", R("<passive_joint name='z'/>")},
    {2, "joint_name=\"z\": the robot has no such joint",
     R("<joint_property joint_name='z' property_name='a' value='1'/>")},
    {2, "link=\"z\": the robot has no such link", R("<link_sphere_approximation link='z'/>")},
    {1, "<robot name=\"other\">: the URDF's robot is named \"r\"", "<robot name='other'/>"},
};

static void doubtful_files_are_read_with_a_warning(void** state) {
    (void)state;
    int failed = 0;
    for (size_t i = 0; i < sizeof doubtful / sizeof doubtful[0]; ++i) {
        BerthRobot* robot = NULL;
        TestTalk talk;
        char place[40];
        const BerthStatus status = test_read_text(urdf, doubtful[i].text, false, &talk, &robot);
        snprintf(place, sizeof place, "r.srdf:%d: ", doubtful[i].line);
        if (status != BERTH_OK || talk.warning_count != 1 || strncmp(talk.first, place, strlen(place)) != 0 ||
            strstr(talk.first, doubtful[i].says) == NULL) {
            print_message("case %zu: %s, %d warnings, '%s'\n  expected %s%s\n", i, berth_status_name(status),
                          talk.warning_count, talk.first, place, doubtful[i].says);
            ++failed;
        }
        berth_robot_destroy(robot);
    }
    assert_int_equal(failed, 0);
}

// ---- meaning ----------------------------------------------------------------------------------------------

static BerthRobot* read_right(const char* srdf, bool free_base) {
    BerthRobot* robot = NULL;
    TestTalk talk;
    const BerthStatus status = test_read_text(urdf, srdf, free_base, &talk, &robot);
    if (status != BERTH_OK || talk.warning_count != 0) {
        fail_msg("%s '%s' '%s'", berth_status_name(status), berth_error_text(), talk.first);
    }
    return robot;
}

static void assert_group(const BerthRobot* robot, int32_t index, const char* name, const char* joints) {
    const int32_t* list = NULL;
    int32_t count = 0;
    char text[200] = "";
    assert_string_equal(berth_robot_group(robot, index, &list, &count), name);
    for (int32_t i = 0; i < count; ++i) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s ", berth_robot_joint(robot, list[i]).name);
    }
    assert_string_equal(text, joints);
}

static void groups_expand(void** state) {
    (void)state;
    BerthRobot* robot = read_right(
        R("<group name='both'><group name='arm'/><group name='side'/></group>"  // before what it holds
          "<group name='arm'><chain base_link='a' tip_link='e'/></group>"
          "<group name='side'><link name='f'/><link name='a'/><joint name='j1'/><joint name='fix'/><joint "
          "name='v'/>"
          "<passive_joint name='k'/></group>"
          "<group name='part'><chain base_link='b' tip_link='d'/></group><group name='none'/>" VIRTUAL(
              "fixed", "a") "<gripper name='x'/><specificities/>"),
        false);
    assert_int_equal(berth_robot_group_count(robot), 5);
    assert_group(robot, 0, "both", "j1 j2 j3 k ");
    assert_group(robot, 1, "arm", "j1 j2 j3 ");
    assert_group(robot, 2, "side", "k j1 ");
    assert_group(robot, 3, "part", "j2 ");
    assert_group(robot, 4, "none", "");
    berth_robot_destroy(robot);
}

static void states_are_named(void** state) {
    (void)state;
    BerthRobot* robot = read_right(
        R(VIRTUAL("floating", "a") "<group name='arm'/><group_state name='home' group='arm'>"
                                   "<joint name='j1' value='0.5'/><joint name='p' value='1 2 3'/>"
                                   "<joint name='v' value='1 2 3 0 0 0 1'/><joint name='k' value='9'/>"
                                   "</group_state>"),
        false);
    double values[6] = {0, 7, 0, 0, 0, 0};
    assert_int_equal(berth_robot_value_count(robot), 6);  // j1 j2 j3 p/x p/y p/theta
    assert_int_equal(berth_robot_named_state(robot, "arm/home", values), BERTH_OK);
    assert_true(values[0] == 0.5 && values[1] == 7 && values[3] == 1 && values[5] == 3);
    berth_robot_destroy(robot);
}

static void free_bases_are_joints(void** state) {
    (void)state;
    BerthRobot* robot =
        read_right(R(VIRTUAL("planar", "a") "<group_state name='s' group='g'><joint name='v' value='4 5 6'/>"
                                            "</group_state>"),
                   true);
    char name[20];
    assert_int_equal(berth_robot_value_count(robot), 9);
    berth_robot_value_name(robot, 0, name, sizeof name);
    assert_string_equal(name, "v/x");
    berth_robot_value_name(robot, 3, name, sizeof name);
    assert_string_equal(name, "j1");
    double values[9] = {0};
    assert_int_equal(berth_robot_named_state(robot, "s", values), BERTH_OK);
    assert_true(values[0] == 4 && values[2] == 6);
    assert_true(isinf(berth_robot_reach(robot)));
    berth_robot_destroy(robot);
    robot = read_right(
        R(VIRTUAL("planar",
                  "a") "<group name='g'><joint name='v'/><joint name='j1'/></group>"
                       "<group name='h'><link name='a'/><chain base_link='a' tip_link='b'/></group>"),
        true);
    assert_group(robot, 0, "g", "v j1 ");
    assert_group(robot, 1, "h", "v j1 ");
    berth_robot_destroy(robot);
}

static void pairs_come_in_their_order(void** state) {
    (void)state;
    BerthRobot* robot =
        read_right(R("<disable_collisions link1='a' link2='b' reason='Adjacent'/><enable_collisions "
                     "link1='b' link2='a'/>"
                     "<enable_collisions link1='c' link2='e'/><disable_default_collisions link='c'/>"
                     "<disable_collisions link1='f' link2='a'/>"
                     "<link_sphere_approximation link='e'><sphere center='0 0 0' "
                     "radius='0'/></link_sphere_approximation>"),
                   false);
    const char* reason = NULL;
    assert_int_equal(berth_robot_pair(robot, 0, 1, &reason), BERTH_PAIR_ADJACENT);
    assert_string_equal(reason, "Adjacent");
    assert_int_equal(berth_robot_pair(robot, 2, 4, NULL), BERTH_PAIR_CHECKED);
    assert_int_equal(berth_robot_pair(robot, 2, 3, NULL), BERTH_PAIR_RIGID);
    assert_int_equal(berth_robot_pair(robot, 0, 2, &reason), BERTH_PAIR_DISABLED);
    assert_string_equal(reason, "disabled by default");
    assert_int_equal(berth_robot_pair(robot, 0, 5, NULL), BERTH_PAIR_NO_GEOMETRY);
    assert_int_equal(berth_robot_pair(robot, 3, 4, NULL),
                     BERTH_PAIR_CHECKED);  // neighbours that nobody disabled
    assert_int_equal(berth_robot_pair(robot, 0, 4, NULL),
                     BERTH_PAIR_CHECKED);  // a link with no spheres still counts
    berth_robot_destroy(robot);
}

static void panda_is_as_its_file_says(void** state) {
    (void)state;
    char path[4096];
    if (!test_shared_path(path, sizeof path, test_robots[0].srdf)) {
        TEST_SKIP("the shared robots are not there");
    }
    BerthRobot* robot = test_read_robot(&test_robots[0], true, false);
    assert_non_null(robot);
    assert_group(robot, 2, "panda_arm_hand",
                 "panda_joint1 panda_joint2 panda_joint3 panda_joint4 panda_joint5 panda_joint6 panda_joint7 "
                 "panda_finger_joint1 panda_finger_joint2 ");
    double values[8];
    berth_robot_default_values(robot, values);
    assert_true(values[3] == 0);
    assert_int_equal(berth_robot_named_state(robot, "ready", values), BERTH_OK);
    assert_true(values[1] == -0.785 && values[7] == 0);
    assert_int_equal(berth_robot_named_state(robot, "hand/open", values), BERTH_OK);
    assert_true(values[7] == 0.035);
    berth_robot_destroy(robot);
}

// 9,000 groups that each hold the one before, all down to a robot's joints: work and memory are bounded.
static void nested_groups_are_bounded(void** state) {
    (void)state;
    enum { COUNT = 9000 };
    char* text = malloc(COUNT * 64);
    assert_non_null(text);
    char* at =
        text + sprintf(text, "<robot name='r'><group name='g0'><chain base_link='a' tip_link='e'/></group>");
    for (int i = COUNT - 1; i > 0; --i) {
        at += sprintf(at, "<group name='g%d'><group name='g%d'/></group>", i, i - 1);
    }
    sprintf(at, "</robot>");
    BerthRobot* robot = read_right(text, false);
    assert_group(robot, 1, "g8999", "j1 j2 j3 ");
    berth_robot_destroy(robot);
    free(text);
}

int test_io_srdf(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_say_what_and_where),
        cmocka_unit_test(doubtful_files_are_read_with_a_warning),
        cmocka_unit_test(groups_expand),
        cmocka_unit_test(states_are_named),
        cmocka_unit_test(free_bases_are_joints),
        cmocka_unit_test(pairs_come_in_their_order),
        cmocka_unit_test(panda_is_as_its_file_says),
        cmocka_unit_test(nested_groups_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
