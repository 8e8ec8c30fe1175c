// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Edits of a scene: ids that age, names, values, what is refused, and the n-th allocation failing for all n.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "scene/scene.h"
#include "support/arms.h"
#include "support/kit.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

static BerthScene* new_scene(int robots, bool free_base) {
    BerthScene* scene = test_arm_scene(robots == 1 ? NULL : "left", robots, free_base);
    assert_non_null(scene);
    return scene;
}

static BerthStatus add_object(BerthScene* scene, const char* name, BerthObjectId* id) {
    BerthObjectDef def = berth_default_object_def();
    def.name = name;
    def.solid = test_ball(0.1, NULL);
    return berth_scene_add_object(scene, &def, id);
}

#define EXPECT(call, wanted, fragment)                                                    \
    do {                                                                                  \
        const BerthStatus got_ = (call);                                                  \
        if (got_ != (wanted) || strstr(berth_error_text(), fragment) == NULL) {           \
            fail_msg("%s: %s: '%s'", #call, berth_status_name(got_), berth_error_text()); \
        }                                                                                 \
    } while (0)

// ---- ids ---------------------------------------------------------------------------------------------------

static void ids_age(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    BerthObjectId first;
    BerthObjectId second;
    const BerthPose pose = berth_pose_identity();
    assert_int_equal(add_object(scene, "a", &first), BERTH_OK);
    assert_int_equal(berth_scene_remove_object(scene, first), BERTH_OK);
    assert_int_equal(add_object(scene, "b", &second), BERTH_OK);
    assert_int_equal(first.slot, second.slot);  // the place is used again,
    assert_true(first.age != second.age);       // with another age
    EXPECT(berth_scene_remove_object(scene, first), BERTH_ERR_STALE, "was removed");
    EXPECT(berth_scene_set_object_pose(scene, first, &pose), BERTH_ERR_STALE, "was removed");
    EXPECT(berth_scene_attach(scene, first, "hand", &pose), BERTH_ERR_STALE, "was removed");
    EXPECT(berth_scene_detach(scene, first, &pose), BERTH_ERR_STALE, "was removed");
    EXPECT(berth_scene_touch(scene, first, "hand"), BERTH_ERR_STALE, "was removed");
    EXPECT(berth_scene_add_part(scene, first, &pose, test_ball(1, NULL)), BERTH_ERR_STALE, "was removed");
    EXPECT(berth_scene_remove_object(scene, (BerthObjectId){0, 0}), BERTH_ERR_ARGUMENT, "names no object");
    EXPECT(berth_scene_remove_object(scene, (BerthObjectId){99, 1}), BERTH_ERR_STALE, "was removed");
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    assert_int_equal(berth_scene_object_body(scene, first), -1);
    assert_int_equal(berth_scene_object_body(scene, second), berth_scene_find_body(scene, "b"));
    assert_int_equal(berth_scene_object_count(scene), 1);
    assert_int_equal(berth_scene_object_at(scene, 0).age, second.age);
    assert_int_equal(berth_scene_object_at(scene, 1).age, 0);
    assert_int_equal(berth_scene_find_object(scene, "a").age, 0);
    berth_scene_destroy(scene);
}

// A box that was named like a link was taken, and the scene could not be committed any more.
static void names_of_links_are_refused_at_once(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    EXPECT(add_object(scene, "hand", NULL), BERTH_ERR_ARGUMENT, "object 'hand': a link of robot");
    EXPECT(add_object(scene, "tool", NULL), BERTH_ERR_ARGUMENT, "has that name");  // without geometry
    EXPECT(berth_scene_add_box(scene, "hand", v3(1, 1, 1), NULL, NULL), BERTH_ERR_ARGUMENT, "has that name");
    assert_int_equal(berth_scene_object_count(scene), 0);
    assert_int_equal(add_object(scene, "hands", NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    berth_scene_destroy(scene);

    // With several robots links are named after them.
    scene = new_scene(2, false);
    EXPECT(add_object(scene, "right/hand", NULL), BERTH_ERR_ARGUMENT,
           "a link of robot 'right' has that name");
    assert_int_equal(add_object(scene, "hand", NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    berth_scene_destroy(scene);
}

// Names are found after thousands of edits in any order; a plain list is the oracle.
static void objects_come_and_go(void** state) {
    (void)state;
    enum { NAMES = 200 };
    BerthScene* scene = new_scene(1, false);
    BerthObjectId ids[NAMES] = {{0, 0}};
    Random random = {7};
    const int count = test_scaled(20000);
    int alive = 0;
    for (int i = 0; i < count; ++i) {
        const int which = (int)(bi_random_next(&random) % NAMES);
        char name[16];
        snprintf(name, sizeof name, "n%d", which);
        if (ids[which].age == 0) {
            assert_int_equal(add_object(scene, name, &ids[which]), BERTH_OK);
            ++alive;
        } else if (bi_random_next(&random) % 4 == 0) {
            EXPECT(add_object(scene, name, NULL), BERTH_ERR_ARGUMENT, "already has an object");
        } else {
            assert_int_equal(berth_scene_remove_object(scene, ids[which]), BERTH_OK);
            EXPECT(berth_scene_remove_object(scene, ids[which]), BERTH_ERR_STALE, "");
            ids[which] = (BerthObjectId){0, 0};
            --alive;
        }
        const BerthObjectId found = berth_scene_find_object(scene, name);
        assert_int_equal(found.age, ids[which].age);
        assert_int_equal(found.slot, ids[which].slot);
        assert_int_equal(berth_scene_object_count(scene), alive);
    }
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    assert_int_equal(berth_scene_body_count(scene), 4 + alive);
    berth_scene_destroy(scene);
}

static void every_edit_makes_the_scene_stale(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    const BerthPose pose = berth_pose_identity();
    BerthObjectId id;
    assert_int_equal(add_object(scene, "a", &id), BERTH_OK);
    const double values[] = {0.1, 0.2};
    for (int edit = 0; edit < 9; ++edit) {
        assert_int_equal(berth_scene_commit(scene), BERTH_OK);
        const uint64_t generation = scene->generation;
        assert_true(scene->committed);
        BerthStatus status = BERTH_OK;
        switch (edit) {
        case 0:
            status = berth_scene_set_object_pose(scene, id, &pose);
            break;
        case 1:
            status = berth_scene_attach(scene, id, "hand", &pose);
            break;
        case 2:
            status = berth_scene_touch(scene, id, "lower");
            break;
        case 3:
            status = berth_scene_detach(scene, id, &pose);
            break;
        case 4:
            status = berth_scene_allow(scene, "a", "hand");
            break;
        case 5:
            status = berth_scene_set_base(scene, 0, &pose);
            break;
        case 6:
            status = add_object(scene, "b", NULL);
            break;
        case 7:
            status = berth_scene_add_part(scene, id, &pose, test_ball(1, NULL));
            break;
        default:
            status = berth_scene_remove_object(scene, id);
            break;
        }
        assert_int_equal(status, BERTH_OK);
        assert_false(scene->committed);
        assert_true(scene->generation > generation);
        assert_int_equal(berth_scene_body_count(scene), 0);
        assert_int_equal(berth_scene_pair_count(scene), 0);
        assert_int_equal(berth_scene_assumed_count(scene), 0);
        assert_string_equal(berth_scene_body_name(scene, 0), "");
    }
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    const uint64_t generation = scene->generation;
    assert_int_equal(berth_scene_set_values(scene, values), BERTH_OK);  // the one that needs no commit
    assert_true(scene->committed && scene->generation == generation);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    assert_true(scene->generation != generation);  // a checker made before is stale
    berth_scene_destroy(scene);
}

// ---- names -------------------------------------------------------------------------------------------------

static void names_of_one_and_two_robots(void** state) {
    (void)state;
    BerthScene* one = new_scene(1, true);
    BerthScene* two = new_scene(2, true);
    char text[64];
    assert_int_equal(berth_scene_value_count(one), 9);
    assert_int_equal(berth_scene_value_count(two), 18);
    berth_scene_value_name(one, 0, text, sizeof text);
    assert_string_equal(text, "world_joint/x");
    berth_scene_value_name(two, 16, text, sizeof text);
    assert_string_equal(text, "right/shoulder");
    berth_scene_value_name(two, 16, text, 8);
    assert_string_equal(text, "right/s");
    berth_scene_value_name(two, 18, text, sizeof text);
    assert_string_equal(text, "");
    for (int32_t i = 0; i < 18; ++i) {
        berth_scene_value_name(two, i, text, sizeof text);
        assert_int_equal(berth_scene_find_value(two, text), i);
        if (i < 9) {
            berth_scene_value_name(one, i, text, sizeof text);
            assert_int_equal(berth_scene_find_value(one, text), i);
        }
    }
    assert_int_equal(berth_scene_find_value(two, "shoulder"), -1);
    assert_int_equal(berth_scene_find_value(one, "left/shoulder"), -1);
    assert_int_equal(berth_scene_find_value(one, "world_joint"), -1);
    EXPECT(berth_scene_allow(two, "hand", "left/base"), BERTH_ERR_ARGUMENT, "did you mean 'left/hand'?");
    EXPECT(berth_scene_allow(two, "left/hnad", "left/base"), BERTH_ERR_ARGUMENT, "did you mean 'left/hand'?");
    EXPECT(berth_scene_allow(two, "nothing_like_it", "left/base"), BERTH_ERR_ARGUMENT, "'nothing_like_it'");
    berth_scene_destroy(one);
    berth_scene_destroy(two);
}

static void clashes_are_named(void** state) {
    (void)state;
    // The object was there before the robot. "tool" has no geometry and is a name all the same.
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    assert_int_equal(add_object(scene, "tool", NULL), BERTH_OK);
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = test_arm(false, NULL);
    def.own = true;
    assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    EXPECT(berth_scene_commit(scene), BERTH_ERR_ARGUMENT, "object 'tool'");
    assert_false(scene->committed);
    assert_int_equal(berth_scene_remove_object(scene, berth_scene_find_object(scene, "tool")), BERTH_OK);
    assert_int_equal(add_object(scene, "left/hand", NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);  // the one robot has no name
    berth_scene_destroy(scene);
    scene = new_scene(2, false);
    assert_int_equal(add_object(scene, "hand", NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    berth_scene_destroy(scene);
}

// ---- what is refused ---------------------------------------------------------------------------------------

static void wrong_robots_are_refused(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    BerthRobot* robot = test_arm(false, NULL);
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = robot;
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "it needs a name");
    def.name = "other";
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "first robot has no name");
    def.name = "a/b";
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "no '/'");
    berth_scene_destroy(scene);
    scene = new_scene(2, false);
    def.name = "left";
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "already has a robot");
    def.name = "third";
    def.padding = -1e-9;
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "padding");
    def.padding = NAN;
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "padding");
    def.padding = 0.0;
    def.world_from_base.t.x = INFINITY;
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "1e+07");
    def.world_from_base = berth_pose_identity();
    const double values[] = {0.0, NAN};
    def.values = values;
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "joint 'third/elbow'");
    def.values = NULL;
    def.stamp = 0;
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "berth_default_scene_robot_def");
    def.stamp = berth_default_scene_robot_def().stamp;
    def.robot = NULL;
    EXPECT(berth_scene_add_robot(scene, &def, NULL), BERTH_ERR_ARGUMENT, "no robot");
    EXPECT(berth_scene_set_base(scene, 2, &def.world_from_base), BERTH_ERR_ARGUMENT, "no robot 2");
    EXPECT(berth_scene_set_base(scene, 0, NULL), BERTH_ERR_ARGUMENT, "no pose");
    berth_robot_destroy(robot);
    berth_scene_destroy(scene);
}

static void wrong_objects_are_refused(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    const struct {
        const char* name;
        const char* attach;
        double mass, speed, x;
        bool moving;
        const char* fragment;
    } wrong[] = {
        {NULL, NULL, 0, 0, 0, false, "no name"},
        {"", NULL, 0, 0, 0, false, "no name"},
        {"tab\there", NULL, 0, 0, 0, false, "control character"},
        {"\xff", NULL, 0, 0, 0, false, "not UTF-8"},
        {"\xc0\x80", NULL, 0, 0, 0, false, "not UTF-8"},
        {"\xed\xa0\x80", NULL, 0, 0, 0, false, "not UTF-8"},
        {"a", "nowhere", 0, 0, 0, false, "no link 'nowhere'"},
        {"a", "hadn", 0, 0, 0, false, "did you mean 'hand'?"},
        {"a", NULL, -1, 0, 0, false, "mass"},
        {"a", NULL, NAN, 0, 0, false, "mass"},
        {"a", NULL, 0, -1, 0, true, "speed"},
        {"a", NULL, 0, INFINITY, 0, true, "speed"},
        {"a", "hand", 0, 0, 0, true, "cannot move on its own"},
        {"a", NULL, 0, 0, 2e7, false, "1e+07"},
        {"a", NULL, 0, 0, NAN, false, "1e+07"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        BerthObjectDef def = berth_default_object_def();
        def.name = wrong[i].name;
        def.solid = test_ball(0.1, NULL);
        def.attach = wrong[i].attach;
        def.mass = wrong[i].mass;
        def.speed = wrong[i].speed;
        def.moving = wrong[i].moving;
        def.pose.t.x = wrong[i].x;
        EXPECT(berth_scene_add_object(scene, &def, NULL), BERTH_ERR_ARGUMENT, wrong[i].fragment);
    }
    BerthObjectDef def = berth_default_object_def();
    def.name = "a";
    EXPECT(berth_scene_add_object(scene, &def, NULL), BERTH_ERR_ARGUMENT, "no solid");
    const char* touch[] = {"hand", "nowhere"};
    def.solid = test_ball(0.1, NULL);
    def.touch = touch;
    def.touch_count = 2;
    EXPECT(berth_scene_add_object(scene, &def, NULL), BERTH_ERR_ARGUMENT,
           "object 'a': touch: there is no body 'nowhere'");
    assert_int_equal(berth_scene_object_count(scene), 0);
    assert_int_equal(scene->exception_count, 0);  // nothing is left of the try
    touch[1] = "a";
    def.solid = test_ball(0.1, NULL);
    EXPECT(berth_scene_add_object(scene, &def, NULL), BERTH_ERR_ARGUMENT, "the object itself");
    def.stamp = 0;
    def.solid = test_ball(0.1, NULL);
    EXPECT(berth_scene_add_object(scene, &def, NULL), BERTH_ERR_ARGUMENT, "berth_default_object_def");
    BerthObjectId id;
    assert_int_equal(add_object(scene, "a", &id), BERTH_OK);
    EXPECT(berth_scene_detach(scene, id, &def.pose), BERTH_ERR_ARGUMENT, "not attached");
    EXPECT(berth_scene_attach(scene, id, NULL, &def.pose), BERTH_ERR_ARGUMENT, "no link");
    EXPECT(berth_scene_allow(scene, "a", "a"), BERTH_ERR_ARGUMENT, "same body twice");
    EXPECT(berth_scene_allow(scene, NULL, "a"), BERTH_ERR_ARGUMENT, "no name");
    berth_scene_destroy(scene);
}

static void poses_are_rotations(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    BerthObjectId id;
    assert_int_equal(add_object(scene, "a", &id), BERTH_OK);
    BerthPose pose = berth_pose_identity();
    pose.x.x = -1.0;  // mirrored
    EXPECT(berth_scene_set_object_pose(scene, id, &pose), BERTH_ERR_ARGUMENT, "not a rotation");
    pose = berth_pose_identity();
    pose.y.y = NAN;
    EXPECT(berth_scene_set_object_pose(scene, id, &pose), BERTH_ERR_ARGUMENT, "not a rotation");
    pose = berth_pose_identity();
    pose.z.z = 1.1;
    EXPECT(berth_scene_set_object_pose(scene, id, &pose), BERTH_ERR_ARGUMENT, "not a rotation");
    // Seven digits are a rotation that was printed: it is made exact, and stays where it was.
    Random random = {3};
    for (int i = 0; i < 1000; ++i) {
        berth_pose_from_quat(v3(1, 2, 3), bi_random_quat(&random), &pose);
        BerthPose rough = pose;
        rough.x.x = (float)pose.x.x;
        rough.y.z = (float)pose.y.z;
        assert_int_equal(berth_scene_set_object_pose(scene, id, &rough), BERTH_OK);
        BerthObjectInfo info;
        assert_int_equal(berth_scene_object(scene, id, &info), BERTH_OK);
        assert_true(fabs(v3_dot(info.pose.x, info.pose.y)) < BI_ROTATION_EXACT &&
                    fabs(v3_dot(info.pose.x, info.pose.x) - 1) < BI_ROTATION_EXACT);
        assert_true(v3_distance(info.pose.x, pose.x) < 1e-6);
        // A rotation keeps its bits.
        assert_int_equal(berth_scene_set_object_pose(scene, id, &pose), BERTH_OK);
        assert_int_equal(berth_scene_object(scene, id, &info), BERTH_OK);
        assert_memory_equal(&info.pose, &pose, sizeof pose);
    }
    berth_scene_destroy(scene);
}

static void values_are_checked(void** state) {
    (void)state;
    BerthScene* scene = new_scene(2, true);
    double values[18];
    memcpy(values, berth_scene_values(scene), sizeof values);
    int32_t outside = -1;
    int32_t first = -1;
    assert_int_equal(berth_scene_check_values(scene, values, &outside, &first), BERTH_OK);
    assert_int_equal(outside, 0);
    assert_int_equal(first, -1);
    values[8] = 2.1;
    values[17] = -2.0000001;
    values[16] = 2.0;
    assert_int_equal(berth_scene_check_values(scene, values, &outside, &first), BERTH_OK);
    assert_int_equal(outside, 2);
    assert_int_equal(first, 8);
    assert_int_equal(berth_scene_set_values(scene, values),
                     BERTH_OK);  // beyond limits is for the caller to judge
    const double wrong[][2] = {{8, NAN}, {8, INFINITY}, {8, 1.1e6}, {0, 1.1e7}, {0, NAN}, {3, NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        double bad[18];
        memcpy(bad, values, sizeof bad);
        bad[(int)wrong[i][0]] = wrong[i][1];
        EXPECT(berth_scene_set_values(scene, bad), BERTH_ERR_ARGUMENT, "joint 'left/");
        assert_memory_equal(berth_scene_values(scene), values, sizeof values);
    }
    values[12] = values[13] = values[14] = values[15] = 0.0;
    EXPECT(berth_scene_set_values(scene, values), BERTH_ERR_ARGUMENT,
           "joint 'right/world_joint': its quaternion is zero");
    values[15] = 1e-7;
    EXPECT(berth_scene_set_values(scene, values), BERTH_ERR_ARGUMENT, "quaternion is zero");
    values[15] = -3.0;
    assert_int_equal(berth_scene_set_values(scene, values), BERTH_OK);
    EXPECT(berth_scene_set_values(scene, NULL), BERTH_ERR_ARGUMENT, "no values");
    berth_scene_destroy(scene);
}

// Half a million turns of a joint are a million of one that follows it twice as fast: batch refused such a row with nothing but "a
// value outside its contract", and no word of the joint.
static void followers_are_checked(void** state) {
    (void)state;
    Kit kit = kit_new();
    const int arm = kit_link(&kit, 0, BERTH_JOINT_CONTINUOUS, v3(0, 0, 1), v3(0, 0, 0));
    const int hand = kit_mimic(&kit, arm, BERTH_JOINT_CONTINUOUS, v3(0, 0, 1), v3(1, 0, 0), 0, -2.0, 0.3);
    kit_solid(&kit, hand, kit_ball(0.1), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    kit_commit(&kit);

    const double fine = 4.9e5, wrong = 5.1e5;
    assert_int_equal(berth_scene_check_values(kit.scene, &fine, NULL, NULL), BERTH_OK);
    EXPECT(berth_scene_check_values(kit.scene, &wrong, NULL, NULL), BERTH_ERR_ARGUMENT,
           "the joint that it follows takes it to -1.02e+06");
    kit_free(&kit);
}

static void settings_are_kept(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    BerthSafety safety = {.period = 0.001,
                          .latency = 0.01,
                          .reaction = 0.02,
                          .silence = 0.005,
                          .margin = 0.02,
                          .hysteresis = 0.001,
                          .noise = 1e-4};
    BerthSafety read;
    assert_false(berth_scene_safety(scene, &read));
    assert_int_equal(berth_scene_set_safety(scene, &safety), BERTH_OK);
    assert_true(berth_scene_safety(scene, &read));
    assert_true(read.margin == 0.02 && read.hysteresis == 0.001 && read.noise == 1e-4);
    safety.noise = -1.0;
    EXPECT(berth_scene_set_safety(scene, &safety), BERTH_ERR_ARGUMENT, "noise");
    safety.noise = 0.0;
    safety.period = 0.0;
    EXPECT(berth_scene_set_safety(scene, &safety), BERTH_ERR_ARGUMENT, "period");
    safety.period = NAN;
    EXPECT(berth_scene_set_safety(scene, &safety), BERTH_ERR_ARGUMENT, "period");
    const BerthJointLimit limit = {1, 2, 3};
    assert_int_equal(berth_scene_set_joint_limit(scene, 0, 1, &limit), BERTH_OK);
    assert_true(berth_scene_joint_limit(scene, 0, 1).deceleration == 3.0);
    assert_true(berth_scene_joint_limit(scene, 0, 0).velocity == 0.0);
    assert_true(berth_scene_joint_limit(scene, 1, 0).velocity == 0.0);
    EXPECT(berth_scene_set_joint_limit(scene, 0, 99, &limit), BERTH_ERR_ARGUMENT, "no joint 99");
    EXPECT(berth_scene_set_joint_limit(scene, 3, 0, &limit), BERTH_ERR_ARGUMENT, "no robot 3");
    const BerthMaterial steel = {1e6, 5, 6, 0.2, 2e8};
    BerthMaterial found;
    assert_int_equal(berth_scene_set_material(scene, "default", &steel), BERTH_OK);
    assert_true(berth_scene_material(scene, "default", &found) && found.friction == 0.2);
    assert_false(berth_scene_material(scene, "wood", &found));
    EXPECT(berth_scene_set_material(scene, "x", &(BerthMaterial){0, 0, 0, 0, 0}), BERTH_ERR_ARGUMENT,
           "stiffness");
    berth_scene_destroy(scene);
}

// ---- memory ------------------------------------------------------------------------------------------------

// 10,000 attached objects, a megabyte of scene file, took 19 GB: each is paired with each. Refused before memory is taken.
static void too_many_pairs_are_refused(void** state) {
    (void)state;
    BerthScene* scene = new_scene(1, false);
    BerthObjectDef def = berth_default_object_def();
    for (int i = 0; i < 4100; ++i) {  // 8.4 million pairs
        char name[16];
        snprintf(name, sizeof name, "o%d", i);
        def.name = name;
        def.attach = "hand";
        def.solid = test_ball(0.1, NULL);
        assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
    }
    EXPECT(berth_scene_commit(scene), BERTH_ERR_CAPACITY,
           "pairs of bodies to check, expected at most 8000000");
    berth_scene_destroy(scene);
}

static BerthStatus whole_life(void* robot, const BerthAllocator* memory) {
    BerthScene* scene = NULL;
    BerthStatus status = berth_scene_create(memory, &scene);
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = robot;
    for (int i = 0; i < 2 && status == BERTH_OK; ++i) {
        def.name = i == 0 ? "left" : "right";
        status = berth_scene_add_robot(scene, &def, NULL);
    }
    BerthObjectId id = {0, 0};
    for (int i = 0; i < 20 && status == BERTH_OK; ++i) {
        char name[16];
        snprintf(name, sizeof name, "o%d", i);
        const char* touch[] = {"left/hand"};
        BerthObjectDef object = berth_default_object_def();
        object.name = name;
        object.source = "test";
        object.touch = touch;
        object.touch_count = 1;
        object.attach = i % 3 == 0 ? "right/tool" : NULL;
        object.solid = test_ball(0.1, memory);
        status = object.solid != NULL ? berth_scene_add_object(scene, &object, &id) : BERTH_ERR_MEMORY;
        if (status == BERTH_OK && i % 2 == 0) {
            BerthSolid* part = test_ball(0.1, memory);
            status = part != NULL ? berth_scene_add_part(scene, id, &object.pose, part) : BERTH_ERR_MEMORY;
        }
        if (status == BERTH_OK && i % 5 == 0) {
            status = berth_scene_allow(scene, name, "left/base");
        }
    }
    if (status == BERTH_OK) {
        status = berth_scene_set_material(scene, "default", &(BerthMaterial){1, 1, 1, 1, 1});
    }
    if (status == BERTH_OK) {
        status = berth_scene_commit(scene);
    }
    if (status == BERTH_OK) {
        status = berth_scene_remove_object(scene, id);
    }
    if (status == BERTH_OK) {
        status = berth_scene_commit(scene);
        assert_int_equal(scene->committed, status == BERTH_OK);
    }
    berth_scene_destroy(scene);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    BerthRobot* robot = test_arm(false, NULL);
    assert_true(starve(whole_life, robot) > 50);  // it did need memory
    berth_robot_destroy(robot);
}

// Nothing of a scene crashes on null.
static void null_is_fine(void** state) {
    (void)state;
    int32_t a = 0;
    int32_t b = 0;
    berth_scene_destroy(NULL);
    assert_int_equal(berth_scene_create(NULL, NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_scene_commit(NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_scene_add_robot(NULL, NULL, NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_scene_add_object(NULL, NULL, NULL), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_scene_allow(NULL, "a", "b"), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_scene_value_count(NULL), 0);
    assert_int_equal(berth_scene_body_count(NULL), 0);
    assert_int_equal(berth_scene_find_value(NULL, "a"), -1);
    assert_int_equal(berth_scene_find_body(NULL, "a"), -1);
    assert_null(berth_scene_robot(NULL, 0, NULL, NULL));
    berth_scene_pair(NULL, 0, &a, &b);
    assert_int_equal(a, -1);
    assert_int_equal(b, -1);
    assert_int_equal(berth_scene_assumed(NULL, 0).count, 0);
    assert_int_equal(berth_scene_body(NULL, 0).robot, -1);
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);  // an empty scene is one
    assert_int_equal(berth_scene_pair_count(scene), 0);
    assert_int_equal(berth_scene_set_values(scene, NULL), BERTH_OK);
    berth_scene_destroy(scene);
}

int test_scene_edits(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_age),
        cmocka_unit_test(names_of_links_are_refused_at_once),
        cmocka_unit_test(objects_come_and_go),
        cmocka_unit_test(every_edit_makes_the_scene_stale),
        cmocka_unit_test(names_of_one_and_two_robots),
        cmocka_unit_test(clashes_are_named),
        cmocka_unit_test(wrong_robots_are_refused),
        cmocka_unit_test(wrong_objects_are_refused),
        cmocka_unit_test(poses_are_rotations),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(followers_are_checked),
        cmocka_unit_test(settings_are_kept),
        cmocka_unit_test(too_many_pairs_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(null_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
