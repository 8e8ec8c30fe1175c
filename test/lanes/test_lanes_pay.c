// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// When a layout pays, and what is left out of one for few questions: chains of balls and of boxes, short and long, among few and many
// obstacles.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "lanes/lanes.h"
#include "support/must.h"

typedef struct Chain {
    int links;
    bool balls;
    int boxes;  // beside it
} Chain;

// Every link is a pair with every other, but for its neighbours.
static BerthScene* make_scene(const Chain* chain) {
    BerthRobotBuilder* builder = NULL;
    BerthScene* scene = NULL;
    BerthSceneRobotDef robot = berth_default_scene_robot_def();
    char name[32], joint[32];
    MUST(berth_robot_builder_create("chain", NULL, &builder));
    for (int i = 0; i <= chain->links; ++i) {
        snprintf(name, sizeof name, "link%d", i);
        MUST(berth_robot_add_link(builder, name, NULL));
        if (i == 0) {
            continue;
        }
        BerthJointDef def = berth_default_joint_def();
        snprintf(joint, sizeof joint, "joint%d", i);
        def.name = joint;
        def.type = BERTH_JOINT_REVOLUTE;
        def.parent_link = i - 1;
        def.child_link = i;
        def.axis = (BerthVec3){i % 2 == 0, i % 2 == 1, 0};
        def.parent_from_joint = berth_pose_identity();
        def.parent_from_joint.t = (BerthVec3){0, 0, 0.2};
        def.has_limits = true;
        def.lower = -2.0;
        def.upper = 2.0;
        MUST(berth_robot_add_joint(builder, &def, NULL));

        BerthShape shape;
        BerthSolid* solid = NULL;
        const BerthPose pose = berth_pose_identity();
        MUST(chain->balls ? berth_shape_sphere(0.05, &shape)
                          : berth_shape_box((BerthVec3){0.1, 0.08, 0.06}, &shape));
        MUST(berth_solid_from_shape(&shape, NULL, &solid));
        MUST(berth_robot_add_solid(builder, i, &pose, solid, "chain"));
    }
    MUST(berth_robot_use_listed_pairs(builder));
    for (int i = 1; i < chain->links; ++i) {
        MUST(berth_robot_disable_pair(builder, i, i + 1, "neighbours"));
    }

    MUST(berth_robot_build(builder, &robot.robot, NULL));
    berth_robot_builder_destroy(builder);
    robot.name = "r";
    robot.own = true;
    MUST(berth_scene_create(NULL, &scene));
    MUST(berth_scene_add_robot(scene, &robot, NULL));
    for (int i = 0; i < chain->boxes; ++i) {
        BerthPose pose = berth_pose_identity();
        pose.t = (BerthVec3){1.0 + 0.1 * (i % 30), 0.1 * (i / 30 % 30), 0.1 * (i / 900)};
        snprintf(name, sizeof name, "box%d", i);
        MUST(berth_scene_add_box(scene, name, (BerthVec3){0.02, 0.02, 0.02}, &pose, NULL));
    }
    assert_false(berth_lanes_pay(scene, INT64_MAX, INT64_MAX));  // it is not committed
    MUST(berth_scene_commit(scene));
    return scene;
}

// From how many segments on, by asking; INT64_MAX: never.
static int64_t segments_to_pay(const BerthScene* scene) {
    if (!berth_lanes_pay(scene, 0, INT64_MAX)) {
        return INT64_MAX;
    }
    int64_t low = 0, high = INT64_MAX / 2;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(berth_lanes_pay(scene, 0, middle) ? &high : &low) = middle;
    }
    return high;
}

static void layouts_pay_where_they_should(void** state) {
    (void)state;
    const struct {
        Chain chain;
        int64_t least, most;
    } cases[] = {
        {{10, true, 3}, 5, 64},                 // made of balls: at once
        {{10, true, 2000}, 500, 10000},         // a grid of obstacles takes longer
        {{10, false, 3}, 10000, 100000},        // every link must be covered
        {{30, true, 3}, INT64_MAX, INT64_MAX},  // 406 pairs: lanes lose
        {{30, false, 3}, INT64_MAX, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        BerthScene* scene = make_scene(&cases[i].chain);
        const int64_t found = segments_to_pay(scene);
        assert_true(found >= cases[i].least && found <= cases[i].most);
        assert_false(berth_lanes_pay(scene, 0, 0));
        const int64_t states = found == INT64_MAX ? found : 6 * found;  // a state saves less
        assert_int_equal(berth_lanes_pay(scene, states, 0), found != INT64_MAX);
        assert_false(berth_lanes_pay(scene, found / 2, 0));
        const int64_t told = bi_lanes_segments_to_pay(scene);
        assert_true(told == found || told == found + 1);  // planners count from there
        berth_scene_destroy(scene);
    }
    assert_false(berth_lanes_pay(NULL, 1, 1));
}

static void few_questions_search_no_links(void** state) {
    (void)state;
    const Chain chain = {10, true, 3};
    BerthScene* scene = make_scene(&chain);
    const int64_t expected[] = {0, 100, 100000000};
    for (int i = 0; i < 3; ++i) {
        BerthLanesDef def = berth_default_lanes_def();
        BerthLanes* lanes = NULL;
        def.expected_segments = expected[i];
        MUST(berth_lanes_create(scene, &def, &lanes));
        assert_non_null(lanes);
        int32_t searched = 0;
        for (int32_t p = 0; p < lanes->model.pair_count; ++p) {
            searched += lanes->model.pairs[p].meetings != NULL;
        }
        assert_true(lanes->model.pair_count > 10);
        assert_int_equal(searched > 0, i != 1);
        assert_int_equal(lanes->model.chart_count > 0, i != 1);
        berth_lanes_destroy(lanes);
    }
    berth_scene_destroy(scene);
}

int test_lanes_pay(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_pay_where_they_should),
        cmocka_unit_test(few_questions_search_no_links),
    };
    return cmocka_run_group_tests_name("lanes: when a layout pays", tests, NULL, NULL);
}
