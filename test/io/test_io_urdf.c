// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// URDF: what wrong and hostile files say, with their lines; what right ones mean; every shared robot.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/urdf.h"
#include "io/syntax/file.h"
#include "support/meshes.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"
#include "support/urdf_text.h"

int test_io_urdf(void);

typedef struct Wrong {
    int line;
    const char* says;  // after FILE:LINE:
    const char* text;
} Wrong;

#define LINKS "<robot name='r'>\n<link name='a'/><link name='b'/>\n"
#define ENDS "<parent link='a'/><child link='b'/>"
#define LIMIT "<limit lower='-1' upper='1' velocity='1' effort='1'/>"
// A joint in line 3 whose inside begins in line 4.
#define JOINT(type, inside) LINKS "<joint name='j' type='" type "'>\n" inside "</joint></robot>"
// A collision whose geometry stands in line 3.
#define SHAPE(inside)                                                 \
    "<robot name='r'>\n<link name='a'><collision><geometry>\n" inside \
    "</geometry></collision></link></"                                \
    "robot>"

static const Wrong wrong[] = {
    // not XML, or not a URDF
    {1, "XML: no element found", ""},
    {1, "XML: syntax error", "solid robot"},
    {1, "XML: ", "\x01\x02"},
    {2, "XML: mismatched tag", "<robot>\n<link></robot>"},
    {2, "XML: no element found", "<robot>\n"},
    {1, "XML: junk after document element", "<robot/><robot/>"},
    {1, "XML: undefined entity", "<robot name='&boom;'/>"},
    {2, "<!DOCTYPE is refused", "<?xml version='1.0'?>\n<!DOCTYPE robot [<!ENTITY a 'b'>]>\n<robot/>"},
    {1, "<!DOCTYPE is refused", "<!DOCTYPE robot SYSTEM 'file:///etc/passwd'>\n<robot/>"},
    {1, "<!DOCTYPE is refused",
     "<!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]><robot "
     "name='&c;'/>"},
    {1, "XML: duplicate attribute", "<robot name='a' name='b'/>"},
    {1, "XML: unknown encoding", "<?xml version='1.0' encoding='martian'?><robot/>"},
    {1, "<sdf>: a URDF begins with <robot>", "<sdf version='1.6'><model/></sdf>"},
    {1, "<robot>: the robot has no links", "<robot/>"},
    {1, "<robot name=\"r\">: the robot has no links", "<robot name='r'><joint name='j'/></robot>"},
    // xacro
    {1, "this is a xacro file", "<xacro:macro name='m'/>"},
    {2, "xacro robot.xacro > robot.urdf",
     "<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='a'/></robot>"},
    {2, "${prefix}a: this is a xacro file", "<robot name='r'>\n<link name='${prefix}a'/></robot>"},
    {3, "this is a xacro file",
     "<robot name='r'>\n<link name='a'>\n<xacro:inertia mass='1'/></link></robot>"},
    {3, "this is a xacro file", SHAPE("<mesh filename='$(find robot)/a.stl'/>")},
    // links
    {2, "<link>: has no attribute name", "<robot>\n<link/></robot>"},
    {2, "<link name=\"\">: attribute name is empty", "<robot>\n<link name=''/></robot>"},
    {2, "<link name=\"a?b\">: attribute name holds a control character",
     "<robot>\n<link name='a&#10;b'/></robot>"},
    {3, "<link name=\"a\">: there are two links of this name (first in line 2)",
     "<robot>\n<link name='a'/>\n<link name='a'/></robot>"},
    // shapes
    {2, "<collision>: has no <geometry>", "<robot>\n<link name='a'><collision/></link></robot>"},
    {3, "<geometry>: appears twice (first in line 2)",
     "<robot>\n<link name='a'><collision><geometry><sphere "
     "radius='1'/></geometry>\n<geometry/></collision></link></robot>"},
    {2, "<geometry> must hold one of", SHAPE("")},
    {3, "<donut>: <geometry> must hold one of", SHAPE("<donut/>")},
    {3, "<box>: a second shape in one <geometry> (first <sphere>)",
     SHAPE("<sphere radius='1'/><box size='1 1 1'/>")},
    {3, "<link name=\"a\">: <sphere>: has no attribute radius", SHAPE("<sphere/>")},
    {3, "radius=\"0\": must be > 0", SHAPE("<sphere radius='0'/>")},
    {3, "radius=\"-0.5\": must be > 0", SHAPE("<sphere radius='-0.5'/>")},
    {3, "radius=\"\": 0 numbers, 1 is needed", SHAPE("<sphere radius=''/>")},
    {3, "radius=\"nan\": 'nan': not finite", SHAPE("<sphere radius='nan'/>")},
    {3, "radius=\"1e999\": '1e999': not finite", SHAPE("<sphere radius='1e999'/>")},
    {3, "radius=\"1,5\": '1,5': decimal comma", SHAPE("<sphere radius='1,5'/>")},
    {3, "radius=\"0.05abc\": '0.05abc': trailing characters", SHAPE("<sphere radius='0.05abc'/>")},
    {3, "radius=\"0x10\": '0x10': hexadecimal", SHAPE("<sphere radius='0x10'/>")},
    {3, "radius=\"1e8\": 1e+08 is too large", SHAPE("<sphere radius='1e8'/>")},
    {3, "length=\"0\": must be > 0", SHAPE("<cylinder radius='1' length='0'/>")},
    {3, "length=\"-1\": must be >= 0", SHAPE("<capsule radius='1' length='-1'/>")},
    {3, "<cylinder>: has no attribute length", SHAPE("<cylinder radius='1'/>")},
    {3, "size=\"1 2\": 2 numbers, 3 are needed", SHAPE("<box size='1 2'/>")},
    {3, "size=\"1 2 3 4\": 4 numbers, 3 are needed", SHAPE("<box size='1 2 3 4'/>")},
    {3, "size=\"1 -2 3\": must not be negative", SHAPE("<box size='1 -2 3'/>")},
    {3, "size=\"1 2 three\": 'three': not a number", SHAPE("<box size='1 2 three'/>")},
    {3, "<mesh>: has no attribute filename", SHAPE("<mesh/>")},
    {3, "<mesh>: attribute filename is empty", SHAPE("<mesh filename=''/>")},
    {3, "scale=\"1 0 1\": must not be zero", SHAPE("<mesh filename='a.stl' scale='1 0 1'/>")},
    {3, "scale=\"0.001\": 1 number, 3 are needed", SHAPE("<mesh filename='a.stl' scale='0.001'/>")},
    {2, "<origin>: xyz=\"1 2\": 2 numbers, 3 are needed",
     "<robot>\n<link name='a'><collision><origin xyz='1 2'/><geometry/></collision></link></robot>"},
    {2, "<origin>: rpy=\"0 0 9e6\": 9e+06 is too large",
     "<robot>\n<link name='a'><collision><origin rpy='0 0 9e6'/><geometry/></collision></link></robot>"},
    // joints
    {3, "<joint name=\"j\">: has no attribute type", LINKS "<joint name='j'>" ENDS "</joint></robot>"},
    {3, "<joint>: has no attribute name", LINKS "<joint type='fixed'>" ENDS "</joint></robot>"},
    {3, "type=\"hinge\": must be revolute, continuous, prismatic, fixed, floating or planar",
     JOINT("hinge", ENDS)},
    {3, "<joint name=\"j\">: has no <parent>", JOINT("fixed", "")},
    {3, "<joint name=\"j\">: has no <child>", JOINT("fixed", "<parent link='a'/>")},
    {4, "<joint name=\"j\">: <child>: has no attribute link", JOINT("fixed", "<parent link='a'/><child/>")},
    {4, "<joint name=\"j\">: <child>: there is no link 'z'",
     JOINT("fixed", "<parent link='a'/><child link='z'/>")},
    {4, "<parent>: appears twice", JOINT("fixed", ENDS "<parent link='b'/>")},
    {3, "has no <limit>: revolute joints need one (continuous ones do not)", JOINT("revolute", ENDS)},
    {3, "has no <limit>: prismatic joints need one", JOINT("prismatic", ENDS)},
    {4, "<limit>: lower limit 1 is above upper limit -1",
     JOINT("revolute", ENDS "<limit lower='1' upper='-1'/>")},
    {4, "<limit>: lower=\"nan\": 'nan': not finite",
     JOINT("revolute", ENDS "<limit lower='nan' upper='1'/>")},
    {4, "<limit>: upper=\"1 2\": 2 numbers, 1 is needed",
     JOINT("revolute", ENDS "<limit lower='0' upper='1 2'/>")},
    {4, "velocity -1, effort 0: must not be negative", JOINT("revolute", ENDS "<limit velocity='-1'/>")},
    {4, "<axis>: xyz=\"0 0 0\": the axis of a joint that moves cannot be zero",
     JOINT("revolute", ENDS LIMIT "<axis xyz='0 0 0'/>")},
    {4, "<axis>: xyz=\"1 0\": 2 numbers, 3 are needed", JOINT("fixed", ENDS "<axis xyz='1 0'/>")},
    {4, "<mimic>: has no attribute joint", JOINT("continuous", ENDS "<mimic multiplier='2'/>")},
    {4, "<mimic>: offset=\"x\": 'x': not a number",
     JOINT("continuous", ENDS "<mimic joint='k' offset='x'/>")},
    {3, "joint 'j' mimics 'k', which does not exist", JOINT("continuous", ENDS "<mimic joint='k'/>")},
    {3, "joint 'j' mimics itself", JOINT("continuous", ENDS "<mimic joint='j'/>")},
    {3, "floating and planar joints cannot", JOINT("floating", ENDS "<mimic joint='j'/>")},
    {4, "<joint name=\"j\">: there are two joints of this name (first in line 3)",
     LINKS "<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='j' type='fixed'>" ENDS
           "</joint></robot>"},
    // trees
    {2, "<link name=\"b\">: links 'a' and 'b' are both roots", LINKS "</robot>"},
    {3, "joint 'j' joins link 'a' to itself",
     "<robot>\n<link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/><child "
     "link='a'/></joint></robot>"},
    {4, "<joint name=\"k\">: link 'b' has two parents: by joint 'j' and by joint 'k'",
     LINKS "<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'>" ENDS
           "</joint></robot>"},
    {3, "links form a loop",
     LINKS "<joint name='j' type='fixed'>" ENDS
           "</joint><joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>"},
};

static void wrong_files_say_what_and_where(void** state) {
    (void)state;
    int failed = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        BerthRobot* robot = NULL;
        char place[40];
        const BerthStatus status = test_read_text(wrong[i].text, NULL, false, NULL, &robot);
        snprintf(place, sizeof place, "r.urdf:%d: ", wrong[i].line);
        const bool right = status == BERTH_ERR_PARSE && robot == NULL &&
                           strncmp(berth_error_text(), place, strlen(place)) == 0 &&
                           strstr(berth_error_text(), wrong[i].says) != NULL &&
                           strchr(berth_error_text(), '\n') == NULL;
        if (!right) {
            print_message("case %zu: %s '%s'\n  expected %s%s\n", i, berth_status_name(status),
                          berth_error_text(), place, wrong[i].says);
            ++failed;
        }
        berth_robot_destroy(robot);
    }
    assert_int_equal(failed, 0);
}

static void comma_locales_change_nothing(void** state) {
    (void)state;
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; ++i) {
        found = setlocale(LC_ALL, names[i]) != NULL;
    }
    if (!found) {
        TEST_SKIP("no locale with a decimal comma is installed");
    }
    BerthRobot* robot = NULL;
    const BerthStatus status =
        test_read_text(SHAPE("<box size='0.5 1.25e-1 .75'/>"), NULL, false, NULL, &robot);
    const BerthStatus comma =
        test_read_text(SHAPE("<sphere radius='1,5'/>"), NULL, false, NULL, &(BerthRobot*){NULL});
    setlocale(LC_ALL, "C");
    assert_int_equal(status, BERTH_OK);
    assert_int_equal(comma, BERTH_ERR_PARSE);
    const BerthShape* shape = berth_solid_shape(berth_robot_solid(robot, 0, 0, NULL, NULL));
    assert_true(shape->as.box.half.x == 0.25 && shape->as.box.half.y == 0.0625 &&
                shape->as.box.half.z == 0.375);
    berth_robot_destroy(robot);
}

// ---- what right files mean --------------------------------------------------------------------------------

static void everything_is_read(void** state) {
    (void)state;
    static const char text[] =
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<!-- joints may come before links -->\n"
        "<robot name='all' xmlns:xacro='http://wiki.ros.org/xacro' version='1.0'>\n"
        "<material name='grey'><color rgba='1 1 1 1'/></material>\n"
        "<joint name='turn' type='revolute'><parent link='base'/><child link='arm'/>\n"
        "  <origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 0 -2'/>\n"
        "  <limit lower='-1.5' upper='2.5' velocity='3' effort='40'/><dynamics damping='1'/>\n"
        "  <safety_controller k_velocity='1'/><calibration rising='0'/></joint>\n"
        "<joint name='slide' type='prismatic'><parent link='arm'/><child link='hand'/>\n"
        "  <axis xyz='3 0 4'/><limit lower='0.1' upper='0.1'/></joint>\n"
        "<joint name='copy' type='prismatic'><parent link='arm'/><child link='other'/>\n"
        "  <limit lower='0' upper='1'/><mimic joint='slide' multiplier='-2' offset='0.5'/></joint>\n"
        "<joint name='spin' type='continuous'><parent link='hand'/><child link='tip'/>\n"
        "  <limit velocity='7' effort='1'/></joint>\n"
        "<joint name='weld' type='fixed'><parent link='tip'/><child link='tool'/><axis xyz='0 0 0'/>\n"
        "  <mimic joint='nobody'/></joint>\n"
        "<joint name='plane' type='planar'><parent link='base'/><child link='cart'/><axis xyz='0 0 "
        "1'/></joint>\n"
        "<joint name='free' type='floating'><parent link='base'/><child link='drone'/></joint>\n"
        "<link name='base'><inertial><mass value='1'/></inertial>\n"
        "  <collision name='c'><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry></collision>\n"
        "  <collision><geometry><cylinder radius='0.5' length='2'/></geometry></collision></link>\n"
        "<link name='arm'><collision><geometry><capsule radius='0.5' "
        "length='0'/></geometry></collision></link>\n"
        "<link name='hand'><collision><geometry><sphere radius='+.25'/></geometry></collision></link>\n"
        "<link name='other'/><link name='tip'><collision><geometry><mesh filename='package://x/y.stl' "
        "scale='1 -1 1'/>\n"
        "  </geometry></collision></link><link name='tool'/><link name='cart'/><link name='drone'/>\n"
        "<transmission name='t'><type>${what}</type><joint name='turn'><x/></joint></transmission>\n"
        "<gazebo reference='a'><plugin name='${x}'/></gazebo><ros2_control name='r'/><whatever/>\n"
        "</robot>\n";
    TestTalk talk;
    BerthRobot* robot = NULL;
    const BerthStatus status = test_read_text(text, NULL, false, &talk, &robot);
    if (status != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    assert_int_equal(talk.warning_count, 0);
    assert_string_equal(berth_robot_name(robot), "all");
    assert_int_equal(berth_robot_value_count(robot), 3 + 3 + 7);
    const BerthJointInfo turn = berth_robot_joint(robot, berth_robot_find_joint(robot, "turn"));
    assert_true(turn.axis.z == -1 && turn.lower == -1.5 && turn.upper == 2.5 && turn.velocity == 3 &&
                turn.effort == 40);
    const BerthJointInfo slide = berth_robot_joint(robot, 1);
    assert_true(fabs(slide.axis.x - 0.6) < 1e-15 && slide.lower == 0.1 && slide.upper == 0.1);
    const BerthJointInfo copy = berth_robot_joint(robot, 2);
    assert_true(copy.mimic == 1 && copy.mimic_multiplier == -2 && copy.mimic_offset == 0.5 &&
                copy.first_value == -1);
    const BerthJointInfo spin = berth_robot_joint(robot, 3);
    assert_true(!spin.has_limits && spin.velocity == 7);
    assert_int_equal(berth_robot_link(robot, berth_robot_find_link(robot, "base")).solid_count, 2);
    const char* source = NULL;
    BerthPose pose;
    const BerthSolid* box = berth_robot_solid(robot, berth_robot_find_link(robot, "base"), 0, &pose, &source);
    assert_string_equal(source, "box");
    assert_true(pose.t.z == 1 && berth_solid_shape(box)->as.box.half.y == 1);
    berth_robot_solid(robot, berth_robot_find_link(robot, "tip"), 0, NULL, &source);
    assert_string_equal(source, "package://x/y.stl");
    berth_robot_destroy(robot);
}

static void unknown_elements_are_mentioned_once(void** state) {
    (void)state;
    TestTalk talk;
    BerthRobot* robot = NULL;
    assert_int_equal(
        test_read_text("<robot>\n<link name='a'>\n<wheel/><wheel/></link><link name='b'><wheel/></link>"
                       "<joint name='j' type='fixed'>" ENDS "<gear/></joint></robot>",
                       NULL, false, &talk, &robot),
        BERTH_OK);
    assert_int_equal(talk.warning_count, 2);
    assert_string_equal(talk.last, "r.urdf:3: <link name=\"a\">: <wheel>: is unknown here and ignored");
    berth_robot_destroy(robot);
}

// ---- size -------------------------------------------------------------------------------------------------

static void nesting_and_lengths_are_bounded(void** state) {
    (void)state;
    enum { DEEP = 200000 };
    char* text = malloc(8 * DEEP + 100);
    assert_non_null(text);
    size_t length = 0;
    for (int i = 0; i < DEEP; ++i) {
        memcpy(text + length, "<a>", 3);
        length += 3;
    }
    text[length] = '\0';
    BerthRobot* robot = NULL;
    assert_int_equal(test_read_text(text, NULL, false, NULL, &robot), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "r.urdf:1: elements are nested deeper than 100"));
    length = (size_t)sprintf(text, "<robot name='");
    memset(text + length, 'x', 100000);
    sprintf(text + length + 100000, "'/>");
    assert_int_equal(test_read_text(text, NULL, false, NULL, &robot), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "an attribute is too long"));
    free(text);
}

// More links than are allowed: refused, and not slowly.
static void counts_are_bounded(void** state) {
    (void)state;
    enum { COUNT = BI_ROBOT_LINK_MAX + 1 };
    char* text = malloc(32 * (size_t)COUNT + 100);
    assert_non_null(text);
    char* at = text + sprintf(text, "<robot>");
    for (int i = 0; i < COUNT; ++i) {
        at += sprintf(at, "<link name='l%d'/>", i);
    }
    sprintf(at, "</robot>");
    BerthRobot* robot = NULL;
    assert_int_equal(test_read_text(text, NULL, false, NULL, &robot), BERTH_ERR_CAPACITY);
    assert_non_null(strstr(berth_error_text(), "more than 100000 links"));
    free(text);
}

// ---- memory, files ----------------------------------------------------------------------------------------

static BerthStatus read_whole_robot(void* user, const BerthAllocator* allocator) {
    (void)user;
    static const char urdf[] = LINKS "<joint name='j' type='revolute'>" ENDS LIMIT "</joint></robot>";
    static const char srdf[] =
        "<robot name='r'><virtual_joint name='v' type='planar' parent_frame='w' child_link='a'/>"
        "<group name='g'><joint name='j'/></group><group_state name='s' group='g'>"
        "<joint name='j' value='0.5'/></group_state>"
        "<disable_collisions link1='a' link2='b' reason='Adjacent'/></robot>";
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    const RobotText urdf_text = {"r.urdf", urdf, strlen(urdf)};
    const RobotText srdf_text = {"r.srdf", srdf, strlen(srdf)};
    const RobotRequest ask = {.robot.free_base = true, .no_files = true, .options = &options};
    BerthRobot* robot = NULL;
    const BerthStatus status = bi_io_robot_from_text(&urdf_text, &srdf_text, &ask, &robot);
    berth_robot_destroy(robot);
    return status;
}

static void every_failed_allocation_is_clean(void** state) {
    (void)state;
    assert_true(starve(read_whole_robot, NULL) >= 4);
}

static void every_shared_robot_loads(void** state) {
    (void)state;
    unsetenv("ROS_PACKAGE_PATH");
    int loaded = 0;
    for (const TestRobot* entry = test_robots; entry->name != NULL; ++entry) {
        if (!test_robot_is_due(entry)) {
            continue;
        }
        BerthRobot* robot = test_read_robot_if_there(entry, true);
        loaded += robot != NULL;
        berth_robot_destroy(robot);
    }
    char path[4096];
    if (loaded == 0 || !test_shared_path(path, sizeof path, "robots/mesh-traps/empty-robot.urdf")) {
        TEST_SKIP("the shared robots are not there");
    }
    BerthRobot* robot = NULL;
    assert_int_equal(berth_io_read_robot(path, NULL, NULL, &robot), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "empty-robot.urdf:6: <robot>: the robot has no links"));
}

static void options_that_are_none_are_refused(void** state) {
    (void)state;
    BerthRobotOptions options = {.free_base = true};
    BerthRobot* robot = NULL;
    assert_int_equal(berth_io_read_robot("none.urdf", &options, NULL, &robot), BERTH_ERR_ARGUMENT);
    assert_string_equal(berth_error_text(), "robot options: start from berth_default_robot_options()");

    options = berth_default_robot_options();
    options.hull_link_count = 1;
    assert_int_equal(berth_io_read_robot("none.urdf", &options, NULL, &robot), BERTH_ERR_ARGUMENT);
    assert_string_equal(berth_error_text(), "robot options: hull_link_count is 1, hull_links null");
    assert_null(robot);
}

static void hulls_replace_meshes(void** state) {
    (void)state;
    char path[4096];
    if (!test_shared_path(path, sizeof path, test_robots[0].urdf)) {
        TEST_SKIP("the shared robots are not there");
    }
    const char* const one[] = {"panda_link3"};
    const char* const none[] = {"panda_link33"};
    const char* const all[] = {"*"};
    BerthRobotOptions options = berth_default_robot_options();
    options.hull_link_count = 1;
    options.hull_links = none;
    BerthRobot* robot = NULL;
    assert_int_equal(berth_io_read_robot(path, &options, NULL, &robot), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "hull: there is no link 'panda_link33'"));
    options.hull_links = one;
    assert_int_equal(berth_io_read_robot(path, &options, NULL, &robot), BERTH_OK);
    const int32_t link3 = berth_robot_find_link(robot, "panda_link3");
    assert_null(berth_solid_mesh(berth_robot_solid(robot, link3, 0, NULL, NULL)));
    assert_non_null(berth_solid_mesh(berth_robot_solid(robot, link3 + 1, 0, NULL, NULL)));
    berth_robot_destroy(robot);
    options.hull_links = all;
    assert_int_equal(berth_io_read_robot(path, &options, NULL, &robot), BERTH_OK);
    for (int32_t i = 0; i < berth_robot_link_count(robot); ++i) {
        if (berth_robot_link(robot, i).solid_count > 0) {
            assert_null(berth_solid_mesh(berth_robot_solid(robot, i, 0, NULL, NULL)));
        }
    }
    berth_robot_destroy(robot);
}

int test_io_urdf(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_say_what_and_where),
        cmocka_unit_test(comma_locales_change_nothing),
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(unknown_elements_are_mentioned_once),
        cmocka_unit_test(nesting_and_lengths_are_bounded),
        cmocka_unit_test(counts_are_bounded),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(every_shared_robot_loads),
        cmocka_unit_test(options_that_are_none_are_refused),
        cmocka_unit_test(hulls_replace_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
