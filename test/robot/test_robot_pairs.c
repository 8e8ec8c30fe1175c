// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which pairs of a robot's own links are checked: the rules on robots made by hand, and counts on real ones.
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
#include "support/robots.h"
#include "support/setting.h"

int test_robot_pairs(void);

// A chain of spheres: link i is `radius[i]` thick (0: none) and `step[i]` along x from link i - 1, by a joint of type[i].
typedef struct Chain {
    int32_t count;
    double radius[6], step[6];
    BerthJointType type[6];
    double range;  // of every joint: [-range, range]
} Chain;

static BerthRobotBuilder* start_chain(const Chain* chain) {
    BerthRobotBuilder* builder = NULL;
    assert_int_equal(berth_robot_builder_create("chain", NULL, &builder), BERTH_OK);
    for (int32_t i = 0; i < chain->count; ++i) {
        char name[8], joint[8];
        snprintf(name, sizeof name, "l%d", i);
        snprintf(joint, sizeof joint, "j%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
        if (chain->radius[i] > 0) {
            BerthShape shape;
            BerthSolid* solid = NULL;
            assert_int_equal(berth_shape_sphere(chain->radius[i], &shape), BERTH_OK);
            assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
            assert_int_equal(berth_robot_add_solid(builder, i, NULL, solid, "sphere"), BERTH_OK);
        }
        if (i > 0) {
            BerthJointDef def = berth_default_joint_def();
            def.name = joint;
            def.type = chain->type[i];
            def.parent_link = i - 1;
            def.child_link = i;
            def.axis = v3(0, 0, 1);
            def.has_limits = true;
            def.lower = -chain->range;
            def.upper = chain->range;
            def.parent_from_joint.t = v3(chain->step[i], 0, 0);
            assert_int_equal(berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
        }
    }
    return builder;
}

static BerthRobot* finish(BerthRobotBuilder* builder) {
    BerthRobot* robot = NULL;
    assert_int_equal(berth_robot_build(builder, &robot, NULL), BERTH_OK);
    berth_robot_builder_destroy(builder);
    return robot;
}

static void assert_rule(const BerthRobot* robot, int32_t a, int32_t b, BerthPairRule rule) {
    const char* reason = NULL;
    if (berth_robot_pair(robot, a, b, &reason) != rule || berth_robot_pair(robot, b, a, NULL) != rule) {
        fail_msg("links %d %d: rule %d, expected %d", a, b, (int)berth_robot_pair(robot, a, b, NULL),
                 (int)rule);
    }
    assert_non_null(reason);
    assert_true((reason[0] == '\0') == (rule == BERTH_PAIR_CHECKED));
}

// l0 - turn - l1 = fixed = l2 - turn - l3 (no geometry) = fixed = l4 - turn - l5
static const Chain mixed = {6,
                            {0.1, 0.1, 0.1, 0, 0.1, 0.1},
                            {0, 1, 1, 1, 1, 1},
                            {BERTH_JOINT_FIXED, BERTH_JOINT_REVOLUTE, BERTH_JOINT_FIXED, BERTH_JOINT_REVOLUTE,
                             BERTH_JOINT_FIXED, BERTH_JOINT_REVOLUTE},
                            1.0};

static void default_rule_merges_fixed_joints(void** state) {
    (void)state;
    BerthRobot* robot = finish(start_chain(&mixed));
    assert_rule(robot, 0, 1, BERTH_PAIR_ADJACENT);
    assert_rule(robot, 0, 2, BERTH_PAIR_ADJACENT);  // l1 and l2 are one body
    assert_rule(robot, 1, 2, BERTH_PAIR_RIGID);
    assert_rule(robot, 0, 3, BERTH_PAIR_NO_GEOMETRY);
    assert_rule(robot, 1, 4, BERTH_PAIR_ADJACENT);
    assert_rule(robot, 4, 5, BERTH_PAIR_ADJACENT);
    assert_rule(robot, 0, 4, BERTH_PAIR_CHECKED);
    assert_rule(robot, 0, 5, BERTH_PAIR_CHECKED);
    assert_rule(robot, 2, 5, BERTH_PAIR_CHECKED);
    assert_rule(robot, 2, 2, BERTH_PAIR_RIGID);
    assert_false(robot->listed_pairs);
    berth_robot_destroy(robot);
}

// What is not listed is checked, neighbours too. What is listed is told apart: the default rule explains it, or nothing does.
static void listed_pairs_know_no_rules(void** state) {
    (void)state;
    BerthRobotBuilder* builder = start_chain(&mixed);
    assert_int_equal(berth_robot_use_listed_pairs(builder), BERTH_OK);
    BerthRobot* robot = finish(builder);
    assert_rule(robot, 0, 1, BERTH_PAIR_CHECKED);
    assert_rule(robot, 1, 2, BERTH_PAIR_RIGID);  // one body, listed or not
    assert_rule(robot, 0, 3, BERTH_PAIR_NO_GEOMETRY);
    berth_robot_destroy(robot);

    // Defaults off, then enabled, then disabled, whatever the order of the calls.
    builder = start_chain(&mixed);
    assert_int_equal(berth_robot_disable_pair(builder, 5, 4, "Adjacent"), BERTH_OK);
    assert_int_equal(berth_robot_disable_pair(builder, 4, 5, "again"), BERTH_OK);
    assert_int_equal(berth_robot_disable_pair(builder, 0, 2, "Never"), BERTH_OK);
    assert_int_equal(berth_robot_enable_pair(builder, 2, 0), BERTH_OK);
    assert_int_equal(berth_robot_enable_pair(builder, 2, 4), BERTH_OK);
    assert_int_equal(bi_robot_builder_disable_link(builder, 2), BERTH_OK);
    robot = finish(builder);
    const char* reason = NULL;
    assert_rule(robot, 4, 5, BERTH_PAIR_ADJACENT);
    berth_robot_pair(robot, 5, 4, &reason);
    assert_string_equal(reason, "Adjacent");
    assert_rule(robot, 0, 2, BERTH_PAIR_ADJACENT);
    assert_rule(robot, 2, 4, BERTH_PAIR_CHECKED);
    assert_rule(robot, 2, 5, BERTH_PAIR_DISABLED);
    assert_rule(robot, 1, 2, BERTH_PAIR_RIGID);
    assert_rule(robot, 0, 1, BERTH_PAIR_CHECKED);
    berth_robot_destroy(robot);
}

// Spheres of 0.3 every 0.25 m: next but one overlap while the chain is nearly straight, and always when it can only
// bend inward; with a slide that can leave, they stand apart in some state.
static void overlap_must_hold_in_every_state(void** state) {
    (void)state;
    Chain chain = {4, {0.3, 0.3, 0.3, 0.3}, {0, 0.25, 0.25, 0.25}, {0}, 3.0};
    for (int i = 1; i < 4; ++i) {
        chain.type[i] = BERTH_JOINT_REVOLUTE;
    }
    BerthRobot* robot = finish(start_chain(&chain));
    assert_rule(robot, 0, 2, BERTH_PAIR_ALWAYS_OVERLAP);
    assert_rule(robot, 1, 3, BERTH_PAIR_ALWAYS_OVERLAP);
    assert_rule(robot, 0, 3, BERTH_PAIR_CHECKED);  // 0.75 m apart by default: no overlap there
    berth_robot_destroy(robot);

    chain.step[2] = 0.1;
    chain.type[2] = BERTH_JOINT_PRISMATIC;  // along z, +-3 m
    robot = finish(start_chain(&chain));
    assert_rule(robot, 0, 2, BERTH_PAIR_CHECKED);  // overlaps by default, not always
    berth_robot_destroy(robot);

    chain.range = 0.01;
    robot = finish(start_chain(&chain));
    assert_rule(robot, 0, 2, BERTH_PAIR_ALWAYS_OVERLAP);
    berth_robot_destroy(robot);
}

// A pile of 400 spheres that all overlap, each on its own joint: 79,800 suspects. Time and memory stay bounded, and
// what the budget does not reach stays checked.
static void hostile_piles_are_bounded(void** state) {
    (void)state;
    BerthRobotBuilder* builder = NULL;
    assert_int_equal(berth_robot_builder_create("pile", NULL, &builder), BERTH_OK);
    for (int32_t i = 0; i < 400; ++i) {
        char name[16];
        BerthShape shape;
        BerthSolid* solid = NULL;
        snprintf(name, sizeof name, "l%d", i);
        assert_int_equal(berth_robot_add_link(builder, name, NULL), BERTH_OK);
        assert_int_equal(berth_shape_sphere(1, &shape), BERTH_OK);
        assert_int_equal(berth_solid_from_shape(&shape, NULL, &solid), BERTH_OK);
        assert_int_equal(berth_robot_add_solid(builder, i, NULL, solid, "sphere"), BERTH_OK);
        BerthJointDef def = berth_default_joint_def();
        def.name = name;
        def.type = BERTH_JOINT_CONTINUOUS;
        def.parent_link = 0;
        def.child_link = i;
        assert_int_equal(i == 0 ? BERTH_OK : berth_robot_add_joint(builder, &def, NULL), BERTH_OK);
    }
    BerthRobot* robot = finish(builder);
    assert_rule(robot, 0, 5, BERTH_PAIR_ADJACENT);
    assert_rule(robot, 398, 399, BERTH_PAIR_CHECKED);
    berth_robot_destroy(robot);
}

// ---- real robots ------------------------------------------------------------------------------------------

typedef struct Counts {
    int32_t of[6];
} Counts;

static Counts count_rules(const BerthRobot* robot) {
    Counts counts = {{0}};
    for (int32_t a = 0; a < robot->link_count; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            ++counts.of[berth_robot_pair(robot, a, b, NULL)];
        }
    }
    return counts;
}

// Links that a moving joint joins directly, by walking up through fixed joints only: our own words, not frames.
static int32_t body_of(const BerthRobot* robot, int32_t link) {
    for (;;) {
        const int32_t joint = robot->links[link].parent_joint;
        if (joint < 0 || robot->joints[joint].type != BERTH_JOINT_FIXED) {
            return link;
        }
        link = robot->joints[joint].parent_link;
    }
}

static bool bodies_adjacent(const BerthRobot* robot, int32_t a, int32_t b) {
    const int32_t above_a = robot->links[a].parent_joint, above_b = robot->links[b].parent_joint;
    return (above_a >= 0 && body_of(robot, robot->joints[above_a].parent_link) == b) ||
           (above_b >= 0 && body_of(robot, robot->joints[above_b].parent_link) == a);
}

static void check_default_rules(const BerthRobot* robot) {
    static Pose links[256];
    double values[128];
    const Pose base = pose_identity();
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1000000, NULL, &query), BERTH_OK);
    berth_robot_default_values(robot, values);
    berth_robot_link_poses(robot, &base, values, links);
    for (int32_t a = 0; a < robot->link_count; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            const BerthPairRule rule = berth_robot_pair(robot, a, b, NULL);
            const int32_t body_a = body_of(robot, a), body_b = body_of(robot, b);
            const bool geometry = robot->links[a].solid_count > 0 && robot->links[b].solid_count > 0;
            if (!geometry) {
                assert_int_equal(rule, BERTH_PAIR_NO_GEOMETRY);
            } else if (body_a == body_b) {
                assert_int_equal(rule, BERTH_PAIR_RIGID);
            } else if (bodies_adjacent(robot, body_a, body_b)) {
                assert_int_equal(rule, BERTH_PAIR_ADJACENT);
            } else if (rule == BERTH_PAIR_ALWAYS_OVERLAP) {
                bool hit = false;
                for (int32_t i = 0; i < robot->links[a].solid_count; ++i) {
                    for (int32_t j = 0; j < robot->links[b].solid_count; ++j) {
                        Pose in_a, in_b;
                        const BerthSolid* solid_a = berth_robot_solid(robot, a, i, &in_a, NULL);
                        const BerthSolid* solid_b = berth_robot_solid(robot, b, j, &in_b, NULL);
                        const Pose pose_a = pose_mul(&links[a], &in_a), pose_b = pose_mul(&links[b], &in_b);
                        hit |= berth_tree_collide(query, solid_a, &pose_a, solid_b, &pose_b, 0).verdict ==
                               BERTH_COLLISION;
                    }
                }
                assert_true(hit);
            } else {
                assert_int_equal(rule, BERTH_PAIR_CHECKED);
            }
        }
    }
    berth_tree_query_destroy(query);
}

static void real_robots_have_their_pairs(void** state) {
    (void)state;
    // Checked pairs with the SRDF; without it also rigid, adjacent, always overlapping.
    static const struct {
        const char* name;
        int32_t listed, checked, rigid, adjacent, always;
    } expected[] = {
        {"panda", 21, 42, 1, 12, 0},
        {"dual_panda", 162, 202, 3, 26, 0},
        {"fanuc", 11, 15, 0, 6, 0},
        {"pr2", 1402, 1322, 28, 73, 8},
        {"ur5", 17, 20, 1, 7, 0},
        {"romeo", 353, 906, 0, 33, 7},
        {"panda_capsules", 20, 41, 1, 12, 1},
        {"panda_mbm", 21, 39, 6, 10, 0},
        {"panda_spheres", 21, 39, 6, 10, 0},
    };
    int32_t compared = 0;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        const TestRobot* entry = test_robot_named(expected[i].name);
        BerthRobot* robot = test_read_robot_if_there(entry, true);
        if (robot == NULL) {
            continue;
        }
        const Counts listed = count_rules(robot);
        berth_robot_destroy(robot);
        robot = test_read_robot(entry, false, true);
        assert_non_null(robot);
        const Counts plain = count_rules(robot);
        check_default_rules(robot);
        berth_robot_destroy(robot);
        print_message("report %s: listed %d; checked %d rigid %d adjacent %d always %d\n", entry->name,
                      listed.of[0], plain.of[0], plain.of[BERTH_PAIR_RIGID], plain.of[BERTH_PAIR_ADJACENT],
                      plain.of[BERTH_PAIR_ALWAYS_OVERLAP]);
        assert_int_equal(listed.of[BERTH_PAIR_CHECKED], expected[i].listed);
        assert_int_equal(plain.of[BERTH_PAIR_CHECKED], expected[i].checked);
        assert_int_equal(plain.of[BERTH_PAIR_ALWAYS_OVERLAP], expected[i].always);
        assert_int_equal(plain.of[BERTH_PAIR_RIGID], expected[i].rigid);
        assert_int_equal(plain.of[BERTH_PAIR_ADJACENT], expected[i].adjacent);
        ++compared;
    }
    if (compared == 0) {
        TEST_SKIP("the shared robots are not there");
    }
}

int test_robot_pairs(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_rule_merges_fixed_joints), cmocka_unit_test(listed_pairs_know_no_rules),
        cmocka_unit_test(overlap_must_hold_in_every_state), cmocka_unit_test(hostile_piles_are_bounded),
        cmocka_unit_test(real_robots_have_their_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
