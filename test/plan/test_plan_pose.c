// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Tool poses as goals, on random robots whose kinematics are the test's own: a pose that some state has is found again, and the
// balls of that link are where they are in that state; states are within limits, free, and different from each other.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include <berth/plan.h>

#include "scene/scene.h"
#include "support/kit.h"
#include "support/rigs.h"
#include "support/setting.h"
#include "support/starve.h"

enum { RIGS = 60, STATES = 3 };

typedef struct Count {
    int asked, solved, states, free, wrong;
} Count;

// A link with balls and the state's pose of it, by the rig's own kinematics for the balls and by the library's for the pose.
static int last_ball(const Rig* rig) {
    return rig->ball_count - 1;
}

static bool are_balls_there(Rig* rig, int link, double (*wanted)[3], const double* values) {
    (void)rig_gap(rig, values);
    const double close = 1e-6 * (1.0 + 40.0 * rig->size);
    for (int i = 0; i < rig->ball_count; ++i) {
        for (int k = 0; k < 3 && rig->balls[i].link == link; ++k) {
            if (!(fabs(rig->at[i][k] - wanted[i][k]) <= close)) {
                return false;
            }
        }
    }
    return true;
}

static void solve_rig(Rig* rig, Random* random, Count* count) {
    double start[RIG_VALUES], target[RIG_VALUES], wanted[RIG_BALLS][3], states[STATES][RIG_VALUES],
        rows[STATES * RIG_VALUES];
    rig_values(rig, random, false, start);
    rig_values(rig, random, false, target);
    if (!rig_is_within(rig, start) || !rig_is_within(rig, target)) {
        return;
    }
    (void)rig_gap(rig, target);
    memcpy(wanted, rig->at, sizeof wanted);

    // The rig's links are those of its robots, one robot after the other.
    const int link = rig->balls[last_ball(rig)].link;
    const SceneRobot* robot = &rig->scene->robots[rig->links[link].robot];
    int own = link;
    while (own > 0 && rig->links[own - 1].robot == rig->links[link].robot) {
        own -= 1;
    }
    Pose poses[RIG_LINKS];
    berth_robot_link_poses(robot->robot, &robot->world_from_base, target + robot->first_value, poses);
    const BerthPlanPose pose = {rig->links[link].robot, link - own, poses[link - own]};

    BerthPlanner* planner = NULL;
    BerthPlannerDef def = berth_default_planner_def();
    def.margin = rig->margin;
    def.self_margin = rig->self_margin;
    assert_int_equal(berth_planner_create(rig->scene, &def, &planner), BERTH_OK);
    int32_t found = 0;
    assert_int_equal(berth_planner_solve_pose(planner, &pose, start, rows, STATES, &found), BERTH_OK);
    count->asked += 1;
    count->solved += found > 0;
    count->states += found;
    for (int i = 0; i < found; ++i) {
        memcpy(states[i], rows + i * rig->value_count, (size_t)rig->value_count * sizeof(double));
        assert_true(rig_is_within(rig, states[i]));
        count->free += rig_gap(rig, states[i]) > 0.0;
        count->wrong += !are_balls_there(rig, link, wanted, states[i]);
        assert_true(found == 1 || rig_gap(rig, states[i]) > 0.0);
    }
    berth_planner_destroy(planner);
}

static void poses_are_found_again(void** state) {
    (void)state;
    Count count = {0};
    const int rigs = test_scaled(RIGS);
    for (int i = 0; i < rigs; ++i) {
        Rig* rig = rig_make((uint64_t)(9000 + i));
        Random random = {(uint64_t)i};
        if (rig->value_count > 0 && rig->ball_count > 0) {
            solve_rig(rig, &random, &count);
        }
        rig_destroy(rig);
    }
    print_message("%d poses: %d found again, %d states, %d of them free, %d wrong\n", count.asked,
                  count.solved, count.states, count.free, count.wrong);
    assert_true(count.asked > rigs / 4);
    assert_int_equal(count.wrong, 0);
    assert_true(10 * count.solved >= 8 * count.asked);
}

// ---- by hand -------------------------------------------------------------------------------------------------------

// Two links of 1 m in the plane, a ball at the tip.
static Kit make_arm(void) {
    Kit kit = kit_new();
    kit_limit(&kit, -3.0, 3.0);
    const int a = kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, (BerthVec3){0, 0, 1}, (BerthVec3){0, 0, 0});
    kit_limit(&kit, -3.0, 3.0);
    const int b = kit_link(&kit, a, BERTH_JOINT_REVOLUTE, (BerthVec3){0, 0, 1}, (BerthVec3){1, 0, 0});
    kit_limit(&kit, -3.0, 3.0);
    const int c = kit_link(&kit, b, BERTH_JOINT_REVOLUTE, (BerthVec3){0, 0, 1}, (BerthVec3){1, 0, 0});
    kit_solid(&kit, c, kit_ball(0.05), (BerthVec3){0, 0, 0});
    kit_robot(&kit, NULL);
    return kit;
}

// A point in the plane with a direction has two states, elbow left and elbow right; the wall takes one of them, or the tip.
static void elbows_are_told_apart(void** state) {
    (void)state;
    const double start[3] = {0.1, 0.2, 0.3};
    const BerthPose tip = berth_pose_from_rpy((BerthVec3){1.2, 0.5, 0}, (BerthVec3){0, 0, 0.4});
    for (int wall = 0; wall < 2; ++wall) {
        Kit kit = make_arm();
        if (wall == 1) {
            kit_object(&kit, kit_ball(0.2), kit_at(1.2, 0.5, 0), NULL);
        }
        kit_commit(&kit);
        BerthPlanner* planner = NULL;
        const BerthPlannerDef def = berth_default_planner_def();
        assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
        double states[4][3];
        int32_t count = 0;
        assert_int_equal(
            berth_planner_solve_pose(planner, &(BerthPlanPose){0, 3, tip}, start, &states[0][0], 4, &count),
            BERTH_OK);
        assert_int_equal(count, wall == 0 ? 2 : 1);
        for (int i = 0; i < count; ++i) {
            const double *q = states[i], sum = q[0] + q[1] + q[2];
            assert_true(fabs(cos(q[0]) + cos(q[0] + q[1]) - 1.2) < 1e-6);
            assert_true(fabs(sin(q[0]) + sin(q[0] + q[1]) - 0.5) < 1e-6);
            assert_true(fabs(sum - 0.4) < 1e-5 || fabs(fabs(sum - 0.4) - 6.283185307179586) < 1e-5);
        }
        if (count == 2) {
            assert_true(states[0][1] * states[1][1] < 0.0);
        }

        // The state in the wall is a goal that collides.
        BerthPlanResult result;
        assert_int_equal(berth_planner_find(planner, &(BerthPlanQuery){start, &states[0][0], count}, &result),
                         BERTH_OK);
        assert_int_equal(result.reason, wall == 0 ? BERTH_PLAN_FOUND : BERTH_PLAN_GOAL_COLLISION);

        // Out of reach there is none; of robots and links that are not there none is asked for.
        const BerthPose far = berth_pose_from_rpy((BerthVec3){2.2, 0.5, 0}, (BerthVec3){0, 0, 0});
        assert_int_equal(
            berth_planner_solve_pose(planner, &(BerthPlanPose){0, 3, far}, start, &states[0][0], 4, &count),
            BERTH_OK);
        assert_int_equal(count, 0);
        assert_int_equal(
            berth_planner_solve_pose(planner, &(BerthPlanPose){1, 3, far}, start, &states[0][0], 4, &count),
            BERTH_ERR_ARGUMENT);
        assert_int_equal(
            berth_planner_solve_pose(planner, &(BerthPlanPose){0, 9, far}, start, &states[0][0], 4, &count),
            BERTH_ERR_ARGUMENT);
        berth_planner_destroy(planner);
        kit_free(&kit);
    }
}

// A ball is put where the tip should get to, and the planner is asked once more. It was made before: an arm of balls is asked by
// lanes, which knew nothing of the ball, and the state that collides was told as a free one.
static void an_edited_scene_is_stale(void** state) {
    (void)state;
    const double start[3] = {0.1, 0.2, 0.3};
    const BerthPlanPose tip = {0, 3, berth_pose_from_rpy((BerthVec3){1.2, 0.5, 0}, (BerthVec3){0, 0, 0.4})};
    Kit kit = make_arm();
    kit_commit(&kit);
    BerthPlanner* planner = NULL;
    const BerthPlannerDef def = berth_default_planner_def();
    assert_int_equal(berth_planner_create(kit.scene, &def, &planner), BERTH_OK);
    double states[4][3];
    int32_t count = 0;
    assert_int_equal(berth_planner_solve_pose(planner, &tip, start, &states[0][0], 4, &count), BERTH_OK);
    assert_int_equal(count, 2);

    kit_object(&kit, kit_ball(0.2), kit_at(1.2, 0.5, 0), NULL);
    kit_commit(&kit);
    assert_int_equal(berth_planner_solve_pose(planner, &tip, start, &states[0][0], 4, &count),
                     BERTH_ERR_STALE);
    assert_int_equal(count, 0);
    berth_planner_destroy(planner);
    kit_free(&kit);
}

static BerthStatus solve_once(void* user, const BerthAllocator* allocator) {
    const Kit* kit = user;
    const double start[3] = {0.1, 0.2, 0.3};
    double states[6];
    int32_t count = 0;
    BerthPlanner* planner = NULL;
    BerthPlannerDef def = berth_default_planner_def();
    def.allocator = *allocator;
    BerthStatus status = berth_planner_create(kit->scene, &def, &planner);
    if (status == BERTH_OK) {
        const BerthPose tip = berth_pose_from_rpy((BerthVec3){1.2, 0.5, 0}, (BerthVec3){0, 0, 0.4});
        status = berth_planner_solve_pose(planner, &(BerthPlanPose){0, 3, tip}, start, states, 2, &count);
    }
    berth_planner_destroy(planner);
    return status;
}

static void memory_may_end(void** state) {
    (void)state;
    Kit kit = make_arm();
    kit_commit(&kit);
    assert_true(starve(solve_once, &kit) > 5);
    kit_free(&kit);
}

int test_plan_pose(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_found_again), cmocka_unit_test(elbows_are_told_apart),
        cmocka_unit_test(an_edited_scene_is_stale), cmocka_unit_test(memory_may_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
