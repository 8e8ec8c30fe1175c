// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Trajectories and segments: every way to write them, what is wrong with its line or byte, curves against closed forms,
// the shorter way round, memory that fails. Over 900 lines because half of it is one table of wrong files.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "io/motion/states.h"
#include "io/motion/trajectory.h"
#include "scene/scene.h"
#include "support/arms.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"
#include "support/urdf_text.h"

static BerthScene* scene_of(BerthRobot* first, BerthRobot* second) {
    static const char* const names[] = {"left", "right"};
    BerthRobot* robots[] = {first, second};
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    for (int i = 0; i < 2 && robots[i] != NULL; ++i) {
        BerthSceneRobotDef def = berth_default_scene_robot_def();
        def.name = names[i];
        def.robot = robots[i];
        def.own = true;
        assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    }
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return scene;
}

static BerthScene* arm_scene(int robots, bool free_base) {
    return scene_of(test_arm(free_base, NULL), robots > 1 ? test_arm(free_base, NULL) : NULL);
}

// A continuous joint that nobody follows, one that is followed, a sliding one and a fixed one.
static BerthScene* turning_scene(void) {
    static const char urdf[] =
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/><link name='e'/>"
        "<link name='f'/>"
        "<joint name='spin' type='continuous'><parent link='a'/><child link='b'/></joint>"
        "<joint name='gear' type='continuous'><parent link='b'/><child link='c'/></joint>"
        "<joint name='tail' type='continuous'><parent link='c'/><child link='d'/>"
        "<mimic joint='gear' multiplier='0.5'/></joint>"
        "<joint name='slide' type='prismatic'><parent link='d'/><child link='e'/>"
        "<limit lower='-9' upper='9' velocity='1' effort='1'/></joint>"
        "<joint name='weld' type='fixed'><parent link='e'/><child link='f'/></joint></robot>";
    BerthRobot* robot = NULL;
    if (test_read_text(urdf, NULL, false, NULL, &robot) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return scene_of(robot, NULL);
}

static BerthStatus read_as(const char* path, const char* text, const BerthScene* scene,
                           BerthTrajectory* out) {
    const BerthIoOptions options = berth_default_io_options();
    return bi_io_trajectory_from_bytes(path, text, strlen(text), scene, &options, out);
}

static void expect_read(const char* path, const char* text, const BerthScene* scene, BerthTrajectory* out) {
    if (read_as(path, text, scene, out) != BERTH_OK) {
        fail_msg("%s\n%s", berth_error_text(), text);
    }
}

// ---- every shape -------------------------------------------------------------------------------------------

// All of these are the same two points: shoulder 0.1 and 0.3, elbow 0.2 and -0.4.
static void the_same_path_in_every_shape(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, false);
    static const struct {
        const char* path;
        const char* text;
        double last_time;  // < 0: no times
        bool velocities, accelerations;
    } cases[] = {
        {"t.csv", "shoulder,elbow\n0.1,0.2\n0.3,-0.4\n", -1, false, false},
        {"t.csv", "elbow,time,shoulder\n0.2,0,0.1\n-0.4,1.5,0.3\n", 1.5, false, false},
        {"t", "time,left/elbow,shoulder\n-3,0.2,0.1\n1.5,-0.4,0.3", 1.5, false, false},
        {"t.csv", "time,elbow,shoulder,elbow:velocity,shoulder:velocity\n0,0.2,0.1,6,5\n1.5,-0.4,0.3,8,7\n",
         1.5, true, false},
        {"t.csv",
         "time,elbow:acceleration,elbow,shoulder,elbow:velocity,left/"
         "shoulder:velocity,shoulder:acceleration\n"
         "0,2,0.2,0.1,6,5,1\n1.5,4,-0.4,0.3,8,7,3\n",
         1.5, true, true},
        {"t.json",
         "{\"joint_names\": [\"elbow\", \"shoulder\"], \"points\": [{\"positions\": [0.2, 0.1]},\n"
         "{\"positions\": [-0.4, 0.3]}]}",
         -1, false, false},
        {"t",
         "{\"joint_names\":[\"elbow\",\"shoulder\"],\"points\":[{\"positions\":[0.2,0.1]},{\"positions\":[-0."
         "4,0.3]}]}",
         -1, false, false},
        {"t.json",
         "{\"header\": {\"frame_id\": \"world\", \"stamp\": {\"sec\": 0}}, \"joint_names\": [\"shoulder\", "
         "\"elbow\"], "
         "\"points\": [{\"positions\": [0.1, 0.2], \"velocities\": [5, 6], \"accelerations\": [1, 2], "
         "\"effort\": [], "
         "\"time_from_start\": {\"sec\": 0, \"nanosec\": 0}}, {\"positions\": [0.3, -0.4], \"velocities\": "
         "[7, 8], "
         "\"accelerations\": [3, 4], \"effort\": [9, 9], \"time_from_start\": {\"sec\": 1, \"nanosec\": "
         "500000000}}]}",
         1.5, true, true},
        {"t.yaml",
         "joint_names: [shoulder, elbow]\npoints:\n- positions: [0.1, 0.2]\n  velocities: [5, 6]\n  "
         "accelerations: []\n"
         "  effort: []\n  time_from_start: {secs: 0, nsecs: 0}\n- positions: [0.3, -0.4]\n  velocities: [7, "
         "8]\n"
         "  accelerations: []\n  effort: []\n  time_from_start: {secs: 1, nsecs: 500000000}\n",
         1.5, true, false},
        {"t.yml",
         "joint_names:\n- shoulder\n- elbow\npoints:\n- {positions: [0.1, 0.2], time_from_start: 0}\n"
         "- {positions: [0.3, -0.4], time_from_start: 1.5}\n",
         1.5, false, false},
        // A path that was not given times yet.
        {"t.yaml",
         "joint_names: [shoulder, elbow]\npoints:\n- {positions: [0.1, 0.2], time_from_start: {sec: 0, "
         "nanosec: 0}}\n"
         "- {positions: [0.3, -0.4], time_from_start: {sec: 0, nanosec: 0}}\n",
         -1, false, false},
        // MoveIt's RobotTrajectory, DisplayTrajectory, and goals of actions.
        {"t.yaml",
         "joint_trajectory:\n  header: {frame_id: world}\n  joint_names: [shoulder, elbow]\n  points:\n"
         "  - positions: [0.1, 0.2]\n  - positions: [0.3, -0.4]\nmulti_dof_joint_trajectory: {joint_names: "
         "[], points: []}\n",
         -1, false, false},
        {"t.yaml",
         "model_id: arm\ntrajectory_start: {}\ntrajectory:\n- joint_trajectory:\n    joint_names: [shoulder, "
         "elbow]\n"
         "    points: [{positions: [0.1, 0.2]}, {positions: [0.3, -0.4]}]\n",
         -1, false, false},
        {"t.yaml",
         "goal:\n  trajectory:\n    joint_names: [shoulder, elbow]\n    points: [{positions: [0.1, 0.2]}, "
         "{positions: [0.3, -0.4]}]\n  path_tolerance: []\n  goal_time_tolerance: {sec: 0, nanosec: 0}\n",
         -1, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthTrajectory t;
        expect_read(cases[i].path, cases[i].text, scene, &t);
        const double positions[] = {0.1, 0.2, 0.3, -0.4};
        const double velocities[] = {5, 6, 7, 8};
        const double accelerations[] = {1, 2, 3, 4};
        assert_int_equal(t.row_count, 2);
        assert_int_equal(t.value_count, 2);
        assert_int_equal(berth_trajectory_segment_count(&t), 1);
        assert_true(t.named[0] && t.named[1]);
        assert_memory_equal(t.positions, positions, sizeof positions);
        assert_int_equal(t.velocities != NULL, cases[i].velocities);
        assert_int_equal(t.accelerations != NULL, cases[i].accelerations);
        assert_int_equal(t.times != NULL, cases[i].last_time >= 0);
        if (t.velocities != NULL) {
            assert_memory_equal(t.velocities, velocities, sizeof velocities);
        }
        if (t.accelerations != NULL) {
            assert_memory_equal(t.accelerations, accelerations, sizeof accelerations);
        }
        if (t.times != NULL) {
            assert_true(t.times[1] == cases[i].last_time);
        }
        berth_io_free_trajectory(&t);
        berth_io_free_trajectory(&t);  // twice is fine
    }
    berth_scene_destroy(scene);
}

static void joints_that_are_not_named_keep_the_state(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(2, false);
    const double ready[] = {0.5, -1.0, 0.25, 0.75};
    assert_int_equal(berth_scene_set_values(scene, ready), BERTH_OK);
    static const char* const files[][2] = {
        {"t.csv", "right/elbow\n0.125\n"},
        {"t.yaml", "joint_names: [right/elbow]\npoints: [{positions: [0.125]}]\n"}};
    for (int i = 0; i < 2; ++i) {
        BerthTrajectory t;
        expect_read(files[i][0], files[i][1], scene, &t);
        const double wanted[] = {0.5, -1.0, 0.25, 0.125};
        assert_memory_equal(t.positions, wanted, sizeof wanted);
        assert_false(t.named[0] || t.named[1] || t.named[2]);
        assert_true(t.named[3]);
        // One row is one state: a segment of no length.
        assert_int_equal(berth_trajectory_segment_count(&t), 1);
        BerthSegment segment;
        assert_int_equal(berth_trajectory_segment(&t, scene, 0, BERTH_INTERPOLATION_LINEAR, NULL, &segment),
                         BERTH_OK);
        assert_ptr_equal(segment.from, segment.to);
        assert_null(segment.curves);
        berth_io_free_trajectory(&t);
    }
    berth_scene_destroy(scene);
}

static void late_starts_are_warned_about(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, false);
    TestTalk talk = {0};
    BerthIoOptions options = berth_default_io_options();
    options.warn = test_hear;
    options.user = &talk;
    const char* text = "joint_names: [elbow]\npoints:\n- {positions: [0], time_from_start: 0.5}\n";
    BerthTrajectory t;
    assert_int_equal(bi_io_trajectory_from_bytes("t.yaml", text, strlen(text), scene, &options, &t),
                     BERTH_OK);
    assert_int_equal(talk.warning_count, 1);
    assert_non_null(strstr(talk.first, "t.yaml:3: the first point is at 0.5 s"));
    berth_io_free_trajectory(&t);
    berth_scene_destroy(scene);
}

// ---- what is wrong -----------------------------------------------------------------------------------------

typedef struct WrongCase {
    const char* path;
    const char* text;
    const char* start;
    const char* fragment;
} WrongCase;

#define JOINTS "joint_names: [shoulder, elbow]\n"

static void wrong_trajectories_are_named(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, true);
    static const WrongCase cases[] = {
        // CSV
        {"t.csv", "", "t.csv:1: ", "empty"},
        {"t.csv", "shoulder,elbow\n", "t.csv:1: ", "no rows"},
        {"t.csv", "\n\nshoulder\n\n", "t.csv:3: ", "no rows"},
        {"t.csv", "time\n1\n", "t.csv:1: ", "no column is a joint's"},
        {"t.csv", "shoulder,\n1,2\n", "t.csv:1: ", "column 2 has no name"},
        {"t.csv", "shoulder,shoulder\n1,2\n", "t.csv:1: ", "appears twice"},
        {"t.csv", "shoulder,left/shoulder\n1,2\n", "t.csv:1: ", "has a column already"},
        {"t.csv", "shouldr\n1\n",
         "t.csv:1: ", "column 'shouldr': there is no joint of that name; did you mean 'shoulder'?"},
        {"t.csv", "wrist\n1\n", "t.csv:1: ", "column 'wrist': that joint is fixed"},
        {"t.csv", "world_joint\n1\n",
         "t.csv:1: ", "that joint has 7 values: name each, like 'world_joint/x'"},
        {"t.csv", "0.1,0.2\n1,2\n", "t.csv:1: ", "a header of joint names was expected"},
        {"t.csv", "shoulder;elbow\n1;2\n", "t.csv:1: ", "separated by commas"},
        {"t.csv", "Time,shoulder\n1,2\n", "t.csv:1: ", "column 'Time'"},
        {"t.csv", "time,time,shoulder\n1,1,2\n", "t.csv:1: ", "'time' appears twice"},
        {"t.csv", "shoulder,elbow\n1,2\n1\n",
         "t.csv:3: ", "1 values, the header has 2 columns (no value for 'elbow')"},
        {"t.csv", "shoulder,elbow\n1,2\n1,2,3\n", "t.csv:3: ", "more values"},
        {"t.csv", "shoulder,elbow\n1,\n", "t.csv:2: ", "a number was expected"},
        {"t.csv", "shoulder,elbow\n1,nan\n", "t.csv:2: ", "column 'elbow': 'nan'"},
        {"t.csv", "shoulder,elbow\n1,-inf\n", "t.csv:2: ", "column 'elbow': '-inf'"},
        {"t.csv", "shoulder,elbow\n1,1e999\n", "t.csv:2: ", "'1e999'"},
        {"t.csv", "shoulder\n\"1,5\"\n", "t.csv:2: ", "decimal comma"},
        {"t.csv", "shoulder\n0\n2e6\n", "t.csv:3: ", "joint 'shoulder'"},
        {"t.csv", "time,shoulder\n0,1\n1,1\n0.5,1\n",
         "t.csv:4: ", "time 0.5 s is before that of the row before, 1 s"},
        {"t.csv", "time,shoulder\n0,1\n0,1\n", "t.csv:3: ", "time 0 s is the same as in the row before"},
        {"t.csv", "time,shoulder\n0,1\n1e13,1\n", "t.csv:3: ", "column 'time': 1e+13 is beyond"},
        {"t.csv", "time,shoulder\nnan,1\n", "t.csv:2: ", "column 'time': 'nan'"},
        {"t.csv", "shoulder,elbow,elbow:velocity\n1,1,1\n",
         "t.csv:1: ", "joint 'shoulder' has no column 'shoulder:velocity', but others have"},
        {"t.csv", "shoulder,elbow:velocity\n1,1\n", "t.csv:1: ", "but others have"},
        {"t.csv", "shoulder,shoulder:velocity,elbow:acceleration\n1,1,1\n", "t.csv:1: ", "but"},
        {"t.csv", "shoulder,nosuch:velocity\n1,1\n",
         "t.csv:1: ", "column 'nosuch:velocity': there is no joint"},
        {"t.csv", "shoulder,shoulder:speed\n1,1\n", "t.csv:1: ", "column 'shoulder:speed'"},
        {"t.csv", "shoulder,shoulder:velocity\n1,2e6\n",
         "t.csv:2: ", "column 'shoulder:velocity': 2e+06 is beyond"},
        {"t.csv", "world_joint/qx,world_joint/qw\n0,1\n1,0\n",
         "t.csv:3: ", "joint 'world_joint' turns by half a turn"},
        {"t.csv", "world_joint/qw\n1\n0\n", "t.csv:3: ", "quaternion is zero"},
        // messages
        {"t.yaml", "", "t.yaml:1: ", "empty"},
        {"t.json", "{\"joint_names\": [\"elbow\"], \"points\": [{\"positions\": [0]}", "t.json:1: ", ""},
        {"t.yaml", "3\n", "t.yaml:1: ", "a map was expected"},
        {"t.yaml", "berth: 1\n", "t.yaml:1: ", "unknown key 'berth'"},
        {"t.yaml", "header: {}\n", "t.yaml:1: ", "joint_names and points were expected"},
        {"t.yaml", "joint_names: [elbow]\n", "t.yaml:1: ", "points is missing"},
        {"t.yaml", "points: []\n", "t.yaml:1: ", "joint_names is missing"},
        {"t.yaml", "joint_names: [elbow]\npoints: []\n", "t.yaml:2: ", "at least one was expected"},
        {"t.yaml", "joint_names: []\npoints: []\n", "t.yaml:1: ", "at least one was expected"},
        {"t.yaml", "joint_names: elbow\npoints: []\n", "t.yaml:1: ", "a list was expected"},
        {"t.yaml", "joint_names:\n- shoulder\n- elbw\npoints: []\n",
         "t.yaml:3: ", "'elbw': there is no joint of that name; did you mean 'elbow'?"},
        {"t.yaml", "joint_names: [elbow, left/elbow]\npoints: []\n",
         "t.yaml:1: ", "'left/elbow' appears twice"},
        {"t.yaml", "joint_names: [[elbow]]\npoints: []\n", "t.yaml:1: ", "a text was expected"},
        {"t.yaml", "joint_names: [flange]\npoints: []\n", "t.yaml:1: ", "'flange': that joint is fixed"},
        {"t.yaml", JOINTS "points: {}\n", "t.yaml:2: ", "a list was expected"},
        {"t.yaml", JOINTS "points: [3]\n", "t.yaml:2: ", "a map was expected"},
        {"t.yaml", JOINTS "points:\n- positions: [0, 0]\n- 7\n", "t.yaml:4: ", "a map was expected"},
        {"t.yaml", JOINTS "point: []\n", "t.yaml:2: ", "unknown key 'point'; did you mean 'points'?"},
        {"t.yaml", JOINTS "points:\n- positions: [0]\n",
         "t.yaml:3: ", "positions: a list of 2 numbers was expected, here are 1"},
        {"t.yaml", JOINTS "points:\n- positions: [0, 0, 0]\n", "t.yaml:3: ", "here are 3"},
        {"t.yaml", JOINTS "points:\n- positions: [0, .nan]\n", "t.yaml:3: ", "not finite"},
        {"t.yaml", JOINTS "points:\n- positions: [0, null]\n",
         "t.yaml:3: ", "a number was expected, here is nothing"},
        {"t.yaml", JOINTS "points:\n- positions: [0, '0']\n", "t.yaml:3: ", "a number was expected"},
        {"t.yaml", JOINTS "points:\n- positions: []\n", "t.yaml:3: ", "point 0 has no positions"},
        {"t.yaml", JOINTS "points:\n- velocities: [0, 0]\n", "t.yaml:3: ", "point 0 has no positions"},
        {"t.yaml", JOINTS "points:\n- position: [0, 0]\n",
         "t.yaml:3: ", "unknown key 'position'; did you mean 'positions'?"},
        {"t.yaml", JOINTS "points:\n- positions: [0, 0]\n  velocities: [1]\n",
         "t.yaml:4: ", "velocities: a list of 2 numbers"},
        {"t.yaml", JOINTS "points:\n- positions: [0, 0]\n  velocities: [1, 2]\n- positions: [0, 0]\n",
         "t.yaml:5: ", "point 1 has no velocities, but point 0 has some"},
        {"t.yaml", JOINTS "points:\n- positions: [0, 0]\n- positions: [0, 0]\n  accelerations: [1, 2]\n",
         "t.yaml:5: ", "point 1 has its accelerations, but point 0 has none"},
        {"t.yaml", JOINTS "points:\n- positions: [0, 0]\n  accelerations: [1e10, 2]\n",
         "t.yaml:4: ", "accelerations"},
        {"t.yaml", JOINTS "points:\n- positions: [0, 0]\n  effort: 3\n",
         "t.yaml:4: ", "effort: a list was expected"},
        {"t.yaml",
         JOINTS
         "points:\n- {positions: [0, 0], time_from_start: 1}\n- {positions: [0, 0], time_from_start: 0.5}\n",
         "t.yaml:4: ", "is before that of the row before"},
        {"t.yaml",
         JOINTS
         "points:\n- {positions: [0, 0], time_from_start: 1}\n- {positions: [0, 0], time_from_start: 1}\n",
         "t.yaml:4: ", "the same as in the row before"},
        {"t.yaml", JOINTS "points:\n- {positions: [0, 0], time_from_start: 0}\n- {positions: [0, 0]}\n",
         "t.yaml:4: ", "point 1 has no time_from_start"},
        {"t.yaml", JOINTS "points:\n- {positions: [0, 0], time_from_start: -1}\n",
         "t.yaml:3: ", "time_from_start"},
        {"t.yaml", JOINTS "points:\n- {positions: [0, 0], time_from_start: {sec: 1, nsecs: 0}}\n",
         "t.yaml:3: ", "sec and nanosec, or secs and nsecs"},
        {"t.yaml", JOINTS "points:\n- {positions: [0, 0], time_from_start: {}}\n",
         "t.yaml:3: ", "sec and nanosec"},
        {"t.yaml", JOINTS "points:\n- {positions: [0, 0], time_from_start: {sec: 1.5, nanosec: 0}}\n",
         "t.yaml:3: ", "whole numbers"},
        {"t.yaml", JOINTS "points:\n- {positions: [0, 0], time_from_start: {sec: 1, nanosec: 1000000000}}\n",
         "t.yaml:3: ", "time_from_start"},
        {"t.yaml", JOINTS "points:\n- {positions: [0, 0], time_from_start: soon}\n",
         "t.yaml:3: ", "time_from_start"},
        {"t.yaml", JOINTS "points:\n- positions: [0, 3e6]\n", "t.yaml:3: ", "joint 'elbow'"},
        {"t.yaml", JOINTS "points: []\npoints: []\n", "t.yaml:3: ", "appears twice"},
        {"t.yaml", JOINTS "points: [{positions: [0, 0]}]\n---\n" JOINTS,
         "t.yaml:3: ", "second YAML document"},
        {"t.yaml", "trajectory: []\n", "t.yaml:1: ", "one trajectory was expected, here are 0"},
        {"t.yaml", "trajectory: [{}, {}]\n", "t.yaml:1: ", "one trajectory was expected, here are 2"},
        {"t.yaml", "goal: {goal: {goal: {goal: {goal: {}}}}}\n", "t.yaml:1: ", "nested too deeply"},
        {"t.yaml", "multi_dof_joint_trajectory:\n  points: [{}]\njoint_trajectory: {}\n",
         "t.yaml:2: ", "poses of multi-dof joints are not read"},
        {"t.yaml",
         "joint_names: [world_joint/qx, world_joint/qw]\npoints:\n- positions: [0, 1]\n- positions: [1, 0]\n",
         "t.yaml:4: ", "half a turn"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthTrajectory t;
        const BerthStatus status = read_as(cases[i].path, cases[i].text, scene, &t);
        if (status != BERTH_ERR_PARSE ||
            strncmp(berth_error_text(), cases[i].start, strlen(cases[i].start)) != 0 ||
            strstr(berth_error_text(), cases[i].fragment) == NULL) {
            fail_msg("case %zu: %s '%s'\n%s", i, berth_status_name(status), berth_error_text(),
                     cases[i].text);
        }
        assert_null(t.positions);
        assert_null(t.path);
    }
    berth_scene_destroy(scene);
}

static void wrong_segments_are_named(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, true);
    static const WrongCase cases[] = {
        {"s.csv", "", "s.csv:1: ", "empty"},
        {"s.csv", "elbow\n1\n", "s.csv:1: ", "column 'elbow': JOINT:from or JOINT:to was expected"},
        {"s.csv", "elbow:From,elbow:to\n1,1\n", "s.csv:1: ", "JOINT:from or JOINT:to"},
        {"s.csv", "time,elbow:from,elbow:to\n1,1,1\n", "s.csv:1: ", "column 'time'"},
        {"s.csv", "elbow:from\n1\n", "s.csv:1: ", "has a column 'elbow:from' but none 'elbow:to'"},
        {"s.csv", "elbow:to\n1\n", "s.csv:1: ", "has a column 'elbow:to' but none 'elbow:from'"},
        {"s.csv", ":from,:to\n1,1\n", "s.csv:1: ", "column ':from': there is no joint"},
        {"s.csv", "elbw:from,elbw:to\n1,1\n", "s.csv:1: ", "did you mean 'elbow'?"},
        {"s.csv", "wrist:from,wrist:to\n1,1\n", "s.csv:1: ", "that joint is fixed"},
        {"s.csv", "elbow:from,elbow:to,left/elbow:to\n1,1,1\n", "s.csv:1: ", "has a column already"},
        {"s.csv", "elbow:from,elbow:to\n1,1\n1\n", "s.csv:3: ", "no value for 'elbow:to'"},
        {"s.csv", "elbow:from,elbow:to\n1,nan\n", "s.csv:2: ", "column 'elbow:to': 'nan'"},
        {"s.csv", "elbow:from,elbow:to\n1,2e6\n", "s.csv:2: ", "segment 0: joint 'elbow'"},
        {"s.csv", "world_joint/qx:from,world_joint/qx:to,world_joint/qw:from,world_joint/qw:to\n0,1,1,0\n",
         "s.csv:2: ", "half a turn"},
        {"s.npy", "elbow:from,elbow:to\n1,1\n", "s.npy: byte 0: ", "NUMPY"},
    };
    const BerthIoOptions options = berth_default_io_options();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthSegments s;
        const BerthStatus status = bi_io_segments_from_bytes(cases[i].path, cases[i].text,
                                                             strlen(cases[i].text), scene, &options, &s);
        if (status != BERTH_ERR_PARSE ||
            strncmp(berth_error_text(), cases[i].start, strlen(cases[i].start)) != 0 ||
            strstr(berth_error_text(), cases[i].fragment) == NULL) {
            fail_msg("case %zu: %s '%s'", i, berth_status_name(status), berth_error_text());
        }
        assert_null(s.values);
    }
    berth_scene_destroy(scene);
}

// ---- there and back ----------------------------------------------------------------------------------------

static char* put_row(char* at, const double* numbers, const int* order, int count, const char* between) {
    for (int i = 0; i < count; ++i) {
        at += sprintf(at, "%s%.17g", i > 0 ? between : "", numbers[order[i]]);
    }
    return at;
}

// Numbers printed with 17 digits come back bit for bit from CSV and YAML, in any order of joints and in a locale with
// decimal commas.
static void random_trajectories_come_back(void** state) {
    (void)state;
    enum { ROWS = 40, VALUES = 4 };
    BerthScene* scene = arm_scene(2, false);
    Random random = {5};
    static char text[1 << 16];
    const int rounds = test_scaled(300);
    for (int round = 0; round < rounds; ++round) {
        int order[VALUES] = {0, 1, 2, 3};
        for (int i = VALUES - 1; i > 0; --i) {
            const int k = (int)(bi_random_next(&random) % (uint64_t)(i + 1));
            const int swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        const int rows = 1 + (int)(bi_random_next(&random) % ROWS);
        const bool yaml = round % 2 == 1;
        double wanted[ROWS][VALUES];
        double times[ROWS];
        char* at = text;
        at += sprintf(at, yaml ? "points:\n" : "time");
        char names[VALUES][64];
        for (int i = 0; i < VALUES; ++i) {
            berth_scene_value_name(scene, order[i], names[i], sizeof names[i]);
            at += yaml ? 0 : sprintf(at, ",%s", names[i]);
        }
        at += yaml ? 0 : sprintf(at, "\n");
        double time = 0.0;
        for (int row = 0; row < rows; ++row) {
            times[row] = time;
            time += bi_random_between(&random, 1e-6, 2.0);
            for (int i = 0; i < VALUES; ++i) {
                wanted[row][i] =
                    bi_random_between(&random, -2, 2) * pow(10.0, -(double)(bi_random_next(&random) % 20));
            }
            at += sprintf(at, yaml ? "- time_from_start: %.17g\n  positions: [" : "%.17g,", times[row]);
            at = put_row(at, wanted[row], order, VALUES, yaml ? ", " : ",");
            at += sprintf(at, yaml ? "]\n" : "\n");
        }
        if (yaml) {
            at += sprintf(at, "joint_names: [%s, %s, %s, %s]\n", names[0], names[1], names[2], names[3]);
        }
        if (round >= rounds / 2) {
            setlocale(LC_ALL, "de_DE.UTF-8");
        }
        BerthTrajectory t;
        const BerthStatus status = read_as(yaml ? "t.yaml" : "t.csv", text, scene, &t);
        setlocale(LC_ALL, "C");
        if (status != BERTH_OK) {
            fail_msg("%s", berth_error_text());
        }
        assert_int_equal(t.row_count, rows);
        assert_memory_equal(t.positions, wanted, (size_t)rows * sizeof wanted[0]);
        if (rows > 1 || !yaml) {
            assert_memory_equal(t.times, times, (size_t)rows * sizeof times[0]);
        }
        berth_io_free_trajectory(&t);
    }
    berth_scene_destroy(scene);
}

static size_t make_npy(char* out, const char* shape, const double* numbers, size_t count) {
    const int length = sprintf(out + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n", shape);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)length;
    out[9] = 0;
    memcpy(out + 10 + length, numbers, 8 * count);
    return 10 + (size_t)length + 8 * count;
}

static void segments_come_from_csv_and_npy(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, false);
    const double ready[] = {0.5, -1.0};
    assert_int_equal(berth_scene_set_values(scene, ready), BERTH_OK);
    const BerthIoOptions options = berth_default_io_options();
    const char* text = "elbow:to,elbow:from\n0.2,0.1\n\n0.4,0.3\n";
    BerthSegments s;
    assert_int_equal(bi_io_segments_from_bytes("s.csv", text, strlen(text), scene, &options, &s), BERTH_OK);
    const double wanted[] = {0.5, 0.1, 0.5, 0.2, 0.5, 0.3, 0.5, 0.4};
    assert_int_equal(s.segment_count, 2);
    assert_memory_equal(s.values, wanted, sizeof wanted);
    assert_int_equal(s.lines[1], 4);
    const BerthSegment second = berth_segments_segment(&s, 1);
    assert_true(second.from[1] == 0.3 && second.to[1] == 0.4 && second.curves == NULL);
    berth_io_free_segments(&s);
    berth_io_free_segments(&s);

    char file[512];
    size_t size = make_npy(file, "(2, 2, 2)", wanted, 8);
    assert_int_equal(bi_io_segments_from_bytes("s.npy", file, size, scene, &options, &s), BERTH_OK);
    assert_memory_equal(s.values, wanted, sizeof wanted);
    berth_io_free_segments(&s);
    for (size_t cut = 0; cut < size; ++cut) {
        assert_int_equal(bi_io_segments_from_bytes("s.npy", file, cut, scene, &options, &s), BERTH_ERR_PARSE);
        assert_int_equal(strncmp(berth_error_text(), "s.npy: byte ", 12), 0);
    }
    static const char* const shapes[] = {"(4, 2)",    "(8,)",      "(1, 4, 2)",
                                         "(4, 1, 2)", "(4, 2, 1)", "(1, 2, 4)"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        size = make_npy(file, shapes[i], wanted, 8);
        assert_int_equal(bi_io_segments_from_bytes("s.npy", file, size, scene, &options, &s),
                         BERTH_ERR_PARSE);
        assert_non_null(strstr(berth_error_text(), "s.npy: byte 8: shape (n, 2, 2) was expected"));
    }
    const double bad[] = {0, 0, 0, 0, 0, 0, 0, NAN};
    size = make_npy(file, "(2, 2, 2)", bad, 8);
    assert_int_equal(bi_io_segments_from_bytes("s.npy", file, size, scene, &options, &s), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "segment 1: joint 'elbow'"));

    // None at all, and a trajectory.
    text = "elbow:to,elbow:from\n";
    assert_int_equal(bi_io_segments_from_bytes("s.csv", text, strlen(text), scene, &options, &s),
                     BERTH_ERR_PARSE);
    assert_string_equal(berth_error_text(), "s.csv:1: a header and no segments; at least one was expected");
    size = make_npy(file, "(0, 2, 2)", wanted, 0);
    assert_int_equal(bi_io_segments_from_bytes("s.npy", file, size, scene, &options, &s), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "s.npy: byte 8: shape (0, ...): there are no segments"));
    size = make_npy(file, "(4, 2)", wanted, 8);
    BerthTrajectory t;
    assert_int_equal(bi_io_trajectory_from_bytes("t.npy", file, size, scene, &options, &t), BERTH_OK);
    assert_int_equal(t.row_count, 4);
    assert_memory_equal(t.positions, wanted, sizeof wanted);
    berth_io_free_trajectory(&t);
    size = make_npy(file, "(0, 2)", wanted, 0);
    assert_int_equal(bi_io_trajectory_from_bytes("t.npy", file, size, scene, &options, &t), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "there are no rows"));
    berth_scene_destroy(scene);
}

// ---- curves ------------------------------------------------------------------------------------------------

// Position, velocity and acceleration in segment time.
static void jet(const BerthCurve* curve, double t, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (int k = BERTH_CURVE_TERMS - 1; k >= 0; --k) {
        out[0] = out[0] * t + curve->term[k];
    }
    for (int k = BERTH_CURVE_TERMS - 1; k >= 1; --k) {
        out[1] = out[1] * t + k * curve->term[k];
    }
    for (int k = BERTH_CURVE_TERMS - 1; k >= 2; --k) {
        out[2] = out[2] * t + k * (k - 1) * curve->term[k];
    }
}

static void expect_near(double value, double wanted, double scale) {
    if (!(fabs(value - wanted) <= 1e-13 * scale)) {
        fail_msg("%.17g, wanted %.17g", value, wanted);
    }
}

// A polynomial in seconds of degree 3 (5) is given at random times by its own positions, velocities (and
// accelerations); the segment must be that polynomial.
static void curves_are_hermite(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, false);
    Random random = {9};
    const int rounds = test_scaled(20000);
    for (int round = 0; round < rounds; ++round) {
        const bool quintic = round % 2 == 1;
        const double t0 = bi_random_between(&random, -2, 2);
        const double duration = bi_random_between(&random, 0.01, 3);
        double times[] = {t0, t0 + duration};
        double positions[4], velocities[4], accelerations[4];
        double poly[2][6] = {{0}};
        for (int v = 0; v < 2; ++v) {
            for (int k = 0; k < (quintic ? 6 : 4); ++k) {
                poly[v][k] = bi_random_between(&random, -1, 1);
            }
            for (int row = 0; row < 2; ++row) {
                BerthCurve curve;
                memcpy(curve.term, poly[v], sizeof curve.term);
                double out[3];
                jet(&curve, times[row], out);
                positions[2 * row + v] = out[0];
                velocities[2 * row + v] = out[1];
                accelerations[2 * row + v] = out[2];
            }
        }
        int64_t places[] = {2, 3};
        char path[] = "t.csv";
        BerthTrajectory t = {.row_count = 2,
                             .value_count = 2,
                             .positions = positions,
                             .velocities = velocities,
                             .accelerations = accelerations,
                             .times = times,
                             .path = path,
                             .lines = places};
        BerthCurve curves[2];
        BerthSegment segment;
        assert_int_equal(berth_trajectory_segment(
                             &t, scene, 0, quintic ? BERTH_INTERPOLATION_QUINTIC : BERTH_INTERPOLATION_CUBIC,
                             curves, &segment),
                         BERTH_OK);
        assert_ptr_equal(segment.curves, curves);
        assert_true(segment.from == positions && segment.to == positions + 2);
        const double step = times[1] - times[0];
        for (int v = 0; v < 2; ++v) {
            BerthCurve whole;
            memcpy(whole.term, poly[v], sizeof whole.term);
            for (int k = 0; k <= 8; ++k) {
                double got[3], wanted[3];
                jet(&curves[v], k / 8.0, got);
                jet(&whole, t0 + step * (k / 8.0), wanted);
                expect_near(got[0], wanted[0], 2e4);
                expect_near(got[1], wanted[1] * step, 1e5);
                expect_near(got[2], wanted[2] * step * step, 1e6);
            }
        }
    }
    berth_scene_destroy(scene);
}

static void curves_need_what_they_need(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, true);
    static const struct {
        const char* text;
        BerthInterpolation interpolation;
        const char* said;
    } cases[] = {
        {"time,elbow\n0,0\n1,1\n", BERTH_INTERPOLATION_CUBIC, "t.csv: cubic interpolation needs velocities"},
        {"time,elbow\n0,0\n1,1\n", BERTH_INTERPOLATION_QUINTIC,
         "t.csv: quintic interpolation needs velocities"},
        {"time,elbow,elbow:velocity\n0,0,0\n1,1,0\n", BERTH_INTERPOLATION_QUINTIC, "needs accelerations"},
        {"elbow,elbow:velocity\n0,0\n1,1\n", BERTH_INTERPOLATION_CUBIC, "needs times"},
        {"elbow,elbow:velocity\n0,0\n", BERTH_INTERPOLATION_CUBIC, "needs times"},
        {"time,elbow,elbow:velocity\n0,0,1e6\n9,1,0\n", BERTH_INTERPOLATION_CUBIC,
         "t.csv:2: value 8 runs up to"},
        {"time,world_joint/qx,world_joint/qw,world_joint/qx:velocity,world_joint/qw:velocity\n0,0,1,0,0\n"
         "1,0.6,0.8,0,0\n",
         BERTH_INTERPOLATION_CUBIC, "t.csv:2: floating joint 'world_joint' turns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthTrajectory t;
        expect_read("t.csv", cases[i].text, scene, &t);
        BerthCurve curves[16];
        BerthSegment segment;
        assert_int_equal(berth_trajectory_segment(&t, scene, 0, cases[i].interpolation, curves, &segment),
                         BERTH_ERR_PARSE);
        if (strstr(berth_error_text(), cases[i].said) == NULL) {
            fail_msg("case %zu: %s", i, berth_error_text());
        }
        assert_int_equal(berth_trajectory_segment(&t, scene, 0, BERTH_INTERPOLATION_LINEAR, NULL, &segment),
                         BERTH_OK);
        assert_int_equal(berth_trajectory_segment(&t, scene, 1, BERTH_INTERPOLATION_LINEAR, NULL, &segment),
                         BERTH_ERR_ARGUMENT);
        assert_int_equal(berth_trajectory_segment(&t, scene, -1, BERTH_INTERPOLATION_LINEAR, NULL, &segment),
                         BERTH_ERR_ARGUMENT);
        assert_int_equal(berth_trajectory_segment(&t, scene, 0, BERTH_INTERPOLATION_CUBIC, NULL, &segment),
                         BERTH_ERR_ARGUMENT);
        berth_io_free_trajectory(&t);
    }
    berth_scene_destroy(scene);
}

// ---- the shorter way round ---------------------------------------------------------------------------------

static void continuous_joints_take_the_shorter_way(void** state) {
    (void)state;
    BerthScene* scene = turning_scene();
    const double turn = 2.0 * acos(-1.0);
    BerthTrajectory t;
    expect_read("t.csv", "spin,slide,gear\n3,3,0\n-3,-3,1\n3,3,-2\n20,9,-2\n-100,0,-2\n", scene, &t);
    assert_int_equal(berth_trajectory_wrap(&t, scene), BERTH_OK);
    const double given[] = {3, -3, 3, 20, -100};
    for (int row = 0; row < 5; ++row) {
        const double* values = t.positions + 3 * row;
        const double turns = (values[0] - given[row]) / turn;
        assert_true(fabs(turns - nearbyint(turns)) < 1e-12);
        if (row > 0) {
            assert_true(fabs(values[0] - values[-3]) < turn / 2);
        }
    }
    assert_true(t.positions[0] == 3.0);
    assert_true(t.positions[2 * 3 + 2] == 3.0 &&
                t.positions[1 * 3 + 2] == -3.0);  // sliding joints do not turn
    assert_true(t.positions[1 * 3 + 1] == 1.0);
    berth_io_free_trajectory(&t);

    // Near enough already: not a bit changes.
    expect_read("t.csv", "spin\n100.1\n100.30000000000001\n", scene, &t);
    assert_int_equal(berth_trajectory_wrap(&t, scene), BERTH_OK);
    assert_true(t.positions[3] == 100.30000000000001);
    berth_io_free_trajectory(&t);

    expect_read("t.csv", "spin\n0\n\n3.1415926535897931\n", scene, &t);
    assert_int_equal(berth_trajectory_wrap(&t, scene), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "t.csv:4: joint 'spin' turns by half a turn"));
    berth_io_free_trajectory(&t);
    expect_read("t.csv", "gear\n-3\n3\n", scene, &t);
    assert_int_equal(berth_trajectory_wrap(&t, scene), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "t.csv:3: joint 'gear' would go the shorter way round"));
    berth_io_free_trajectory(&t);

    const BerthIoOptions options = berth_default_io_options();
    const char* text = "spin:from,spin:to,slide:from,slide:to\n3,-3,3,-3\n-3,3,0,0\n";
    BerthSegments s;
    assert_int_equal(bi_io_segments_from_bytes("s.csv", text, strlen(text), scene, &options, &s), BERTH_OK);
    assert_int_equal(berth_segments_wrap(&s, scene), BERTH_OK);
    const BerthSegment first = berth_segments_segment(&s, 0);
    const BerthSegment second = berth_segments_segment(&s, 1);
    assert_true(fabs(first.to[0] - (turn - 3.0)) < 1e-14 && fabs(second.to[0] - (3.0 - turn)) < 1e-14);
    assert_true(first.to[2] == -3.0);
    berth_io_free_segments(&s);
    text = "gear:from,gear:to\n0,1\n-3,3\n";
    assert_int_equal(bi_io_segments_from_bytes("s.csv", text, strlen(text), scene, &options, &s), BERTH_OK);
    assert_int_equal(berth_segments_wrap(&s, scene), BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "s.csv:3: joint 'gear'"));
    berth_io_free_segments(&s);

    berth_scene_destroy(scene);
}

// ---- joints that follow others -----------------------------------------------------------------------------

// tail = 0.5 gear. Columns and names of it are compared and taken for nothing else.
static void columns_of_mimics_must_agree(void** state) {
    (void)state;
    BerthScene* scene = turning_scene();
    BerthTrajectory t;
    static const struct {
        const char *path, *text, *said;  // said: null where it agrees
    } cases[] = {
        {"t.csv", "gear,tail\n0,0\n0.5,0.25\n", NULL},
        {"t.csv", "left/tail,gear\n0.0000009,0\n0.2499991,0.5\n", NULL},
        {"t.csv", "spin,tail\n1,0\n", NULL},  // the scene's state is followed
        {"t.csv", "spin,tail\n1,0.1\n",
         "t.csv:2: column 'tail': 0.1, but it follows 'gear', by which it is 0 (it may differ by 1e-06)"},
        {"t.csv", "gear,tail\n0,0\n0.5,0.250002\n",
         "t.csv:3: column 'tail': 0.250002, but it follows 'gear', by which it is 0.25"},
        {"t.csv", "time,gear,gear:velocity,tail,tail:velocity\n0,0,2,0,1\n1,1,2,0.5,1\n", NULL},
        {"t.csv", "time,gear,gear:velocity,tail,tail:velocity\n0,0,2,0,2\n1,1,2,0.5,1\n",
         "t.csv:2: column 'tail:velocity': 2, but"},
        {"t.csv", "gear,tail:velocity\n0,0\n",
         "t.csv:1: column 'tail:velocity': the joint that it follows has no such column"},
        {"t.csv", "tail\n0\n", "t.csv:1: no column is a joint's"},
        {"t.csv", "gear,tail\n0,nan\n", "column 'tail': 'nan'"},
        {"t.yaml", "joint_names: [tail, gear]\npoints:\n- positions: [0.25, 0.5]\n", NULL},
        {"t.yaml",
         "joint_names: [tail, gear]\npoints:\n- {positions: [0.25, 0.5], velocities: [1, 2],\n"
         "   accelerations: [2, 4]}\n",
         NULL},
        {"t.yaml", "joint_names: [tail, gear]\npoints:\n- positions: [0.25, 0.5]\n- positions: [0.25, 0.6]\n",
         "t.yaml:4: positions: number 1, of joint 'tail', is 0.25, but it follows 'gear', by which it is "
         "0.3"},
        {"t.yaml", "joint_names: [gear, tail]\npoints:\n- {positions: [0, 0], velocities: [1, 1]}\n",
         "t.yaml:3: velocities: number 2, of joint 'tail', is 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const BerthStatus status = read_as(cases[i].path, cases[i].text, scene, &t);
        assert_int_equal(status, cases[i].said == NULL ? BERTH_OK : BERTH_ERR_PARSE);
        if (cases[i].said != NULL && strstr(berth_error_text(), cases[i].said) == NULL) {
            fail_msg("case %zu: %s", i, berth_error_text());
        }
        berth_io_free_trajectory(&t);
    }

    const BerthIoOptions options = berth_default_io_options();
    BerthSegments s;
    const char* text = "gear:from,gear:to,tail:from,tail:to\n0,1,0,0.5\n";
    assert_int_equal(bi_io_segments_from_bytes("s.csv", text, strlen(text), scene, &options, &s), BERTH_OK);
    assert_true(s.values[4] == 1.0);
    berth_io_free_segments(&s);
    text = "gear:from,gear:to,tail:from,tail:to\n0,1,0,0.5\n0,1,0,0.6\n";
    assert_int_equal(bi_io_segments_from_bytes("s.csv", text, strlen(text), scene, &options, &s),
                     BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "s.csv:3: column 'tail:to': 0.6, but it follows 'gear'"));

    BerthStates states;
    text = "tail,gear\n0.5,1\n";
    assert_int_equal(bi_io_states_from_bytes("s.csv", text, strlen(text), scene, &options, &states),
                     BERTH_OK);
    assert_true(states.values[1] == 1.0);
    berth_io_free_states(&states);
    text = "tail,gear\n0.5,1.1\n";
    assert_int_equal(bi_io_states_from_bytes("s.csv", text, strlen(text), scene, &options, &states),
                     BERTH_ERR_PARSE);
    assert_non_null(strstr(berth_error_text(), "s.csv:2: column 'tail': 0.5, but it follows 'gear'"));

    // On the command line '--at tail=1' was told that there is no joint 'tail'.
    double values[3];
    assert_int_equal(berth_io_parse_state("tail=1", scene, values), BERTH_ERR_ARGUMENT);
    assert_non_null(
        strstr(berth_error_text(), "'tail': that joint follows 'gear' and has no value of its own"));
    assert_int_equal(berth_io_parse_state("weld=1", scene, values), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "'weld': that joint is fixed and has no value"));
    berth_scene_destroy(scene);
}

// ---- memory and files --------------------------------------------------------------------------------------

/// A file of a motion, as text.
typedef struct MotionText {
    const char *name, *text;
    BerthScene* scene;
} MotionText;

static BerthStatus read_and_wrap_trajectory(void* user, const BerthAllocator* allocator) {
    const MotionText* from = user;
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthTrajectory t;
    BerthStatus status =
        bi_io_trajectory_from_bytes(from->name, from->text, strlen(from->text), from->scene, &options, &t);
    if (status == BERTH_OK) {
        status = berth_trajectory_wrap(&t, from->scene);
        berth_io_free_trajectory(&t);
    }
    return status;
}

static BerthStatus read_and_wrap_segments(void* user, const BerthAllocator* allocator) {
    const MotionText* from = user;
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthSegments s;
    BerthStatus status =
        bi_io_segments_from_bytes(from->name, from->text, strlen(from->text), from->scene, &options, &s);
    if (status == BERTH_OK) {
        status = berth_segments_wrap(&s, from->scene);
        berth_io_free_segments(&s);
    }
    return status;
}

static void failing_memory_is_survived(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, false);
    MotionText files[] = {
        {"t.csv", "time,elbow,elbow:velocity,elbow:acceleration\n0,0,1,1\n1,1,0,1\n", scene},
        {"t.yaml",
         JOINTS "points:\n- {positions: [0, 0], velocities: [1, 1], accelerations: [0, 0], "
                "time_from_start: 1}\n",
         scene},
        {"s.csv", "elbow:from,elbow:to\n0,1\n1,2\n", scene},
    };
    for (int f = 0; f < 3; ++f) {
        assert_true(starve(f < 2 ? read_and_wrap_trajectory : read_and_wrap_segments, &files[f]) < 200);
    }
    berth_scene_destroy(scene);
}

static void files_on_the_disk(void** state) {
    (void)state;
    BerthScene* scene = arm_scene(1, false);
    const BerthIoOptions options = berth_default_io_options();
    BerthTrajectory t;
    BerthSegments s;
    assert_int_equal(berth_io_read_trajectory("/nowhere/at.csv", scene, &options, &t), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "/nowhere/at.csv"));
    assert_int_equal(berth_io_read_segments("/nowhere/at.csv", scene, &options, &s), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_io_read_trajectory(NULL, scene, &options, &t), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_io_read_segments("x", NULL, &options, &s), BERTH_ERR_ARGUMENT);
    char path[] = "/tmp/berth_trajectory_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    static const char text[] = "elbow\n0.5\n1\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    assert_int_equal(berth_io_read_trajectory(path, scene, &options, &t), BERTH_OK);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(t.path, path);
    berth_io_free_trajectory(&t);
    assert_int_equal(berth_io_read_segments(path, scene, &options, &s), BERTH_ERR_PARSE);
    unlink(path);
    berth_io_free_trajectory(NULL);
    berth_io_free_segments(NULL);
    berth_scene_destroy(scene);
}

int test_io_trajectory(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_path_in_every_shape),
        cmocka_unit_test(joints_that_are_not_named_keep_the_state),
        cmocka_unit_test(late_starts_are_warned_about),
        cmocka_unit_test(wrong_trajectories_are_named),
        cmocka_unit_test(wrong_segments_are_named),
        cmocka_unit_test(random_trajectories_come_back),
        cmocka_unit_test(segments_come_from_csv_and_npy),
        cmocka_unit_test(curves_are_hermite),
        cmocka_unit_test(curves_need_what_they_need),
        cmocka_unit_test(continuous_joints_take_the_shorter_way),
        cmocka_unit_test(columns_of_mimics_must_agree),
        cmocka_unit_test(failing_memory_is_survived),
        cmocka_unit_test(files_on_the_disk),
    };
    return cmocka_run_group_tests_name("io_trajectory", tests, NULL, NULL);
}
