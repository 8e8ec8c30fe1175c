// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps and clouds under the guard that hang on links or are told where they are: whatever is permitted is further apart than
// the margin by the brute model, and what moves by itself further than it can go. What cannot be guarded is refused.
// test-share: 0.4

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/carried.h"
#include "support/courses.h"
#include "support/guard.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/verdicts.h"

static const BerthJointLimit slow = {1.0, 4.0, 8.0};

typedef struct Count {
    int worlds, refused, rounds, go, stop, told, told_go, shy;
    double least;  ///< gap beyond the margin that was permitted
} Count;

// The scene of a world under a kit; false when its robots cannot be guarded.
static bool open_world(GuardKit* kit, World* world, bool refine, Count* count) {
    memset(kit, 0, sizeof *kit);
    kit->scene = world->scene;
    kit->count = berth_scene_value_count(world->scene);
    kit->def = berth_default_monitor_def();
    kit->def.safety =
        (BerthSafety){.period = 0.001, .latency = 0.001, .reaction = 0.004, .silence = 0.005, .margin = 0.01};
    kit->def.good_needed = 1;
    kit->def.refine = refine;
    kit->stream = 7;
    if (kit->count > KIT_VALUES) {
        return false;
    }
    for (int r = 0; r < world->brute.robot_count; ++r) {
        const BerthRobot* robot = berth_scene_robot(world->scene, r, NULL, NULL);
        for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
            assert_int_equal(berth_scene_set_joint_limit(world->scene, r, j, &slow), BERTH_OK);
        }
    }
    for (int o = 0; o < world->object_count; ++o) {
        BerthObjectInfo info;
        assert_int_equal(berth_scene_object(world->scene, world->ids[o], &info), BERTH_OK);
        if (info.moving) {
            kit->objects[kit->object_count++] = (KitObject){world->ids[o], world->poses[o]};
        }
    }
    carried_commit(world);
    const BerthStatus status = berth_monitor_create(world->scene, &kit->def, &kit->monitor);
    if (status != BERTH_OK) {
        const bool known =
            strstr(berth_error_text(), "is a map that moves and takes what is outside") != NULL ||
            strstr(berth_error_text(), "is floating") != NULL;
        if (!known) {
            fail_msg("%s", berth_error_text());
        }
        count->refused += 1;
        return false;
    }
    return true;
}

// Where it is told to be, in the brute model.
static void put(World* world, BerthObjectId id, const BerthPose* pose) {
    for (int i = 0; i < world->brute.body_count; ++i) {
        BruteBody* body = &world->brute.bodies[i];
        if (body->object >= 0 && world->ids[body->object].slot == id.slot) {
            body->pose = lpose_of(pose);
        }
    }
}

static void try_state(GuardKit* kit, World* world, int seed, Count* count) {
    static Truth truth[VERDICT_PAIRS];
    BerthPermit permit = kit_wake(kit);
    for (int k = 0; k < 3 && (permit.reason == BERTH_STOP_JUMP || permit.reason == BERTH_STOP_RESET); ++k) {
        permit = kit_wake(kit);  // from another state to this one; it is believed after a reset
    }
    const double margin = kit->def.safety.margin;
    const double horizon = berth_monitor_horizon(kit->monitor, 0.0);
    const int pairs = true_gaps(world, kit->q, truth);
    double least = INFINITY;
    for (int i = 0; i < pairs; ++i) {
        bool moves = false;
        for (int o = 0; o < kit->object_count; ++o) {
            moves = moves || (truth[i].b->object >= 0 &&
                              world->ids[truth[i].b->object].slot == kit->objects[o].id.slot);
        }
        const bool both_stand = !moves && berth_scene_body(world->scene, truth[i].a->index).fixed &&
                                berth_scene_body(world->scene, truth[i].b->index).fixed;
        if (both_stand) {
            continue;  // what stands against what stands is not the guard's to judge
        }
        const double spare = (double)truth[i].gap.upper - margin - (moves ? 0.5 * horizon : 0.0);
        if (permit.go && !(spare > 0.0)) {
            fail_msg("world %d: permitted, but %s and %s are %Lg m apart (margin %g m, moving %d)", seed,
                     truth[i].a->name, truth[i].b->name, truth[i].gap.upper, margin, moves);
        }
        least = fmin(least, spare);
    }
    count->rounds += 1;
    count->go += permit.go;
    count->stop += !permit.go;
    count->told += kit->object_count > 0;
    count->told_go += kit->object_count > 0 && permit.go;
    count->least = permit.go ? fmin(count->least, least) : count->least;
    count->shy += !permit.go && permit.reason == BERTH_STOP_NEAR && least > 0.5;
    if (!permit.go && permit.reason != BERTH_STOP_NEAR && permit.reason != BERTH_STOP_UNKNOWN) {
        fail_msg("world %d: stopped for %s", seed, berth_stop_name(permit.reason));
    }
}

// Random states of a world, with what moves by itself told to be anywhere; its `corner` is there, in its own axes.
static void watch_far_world(GuardKit* kit, World* world, Random* random, int seed, double spread,
                            BerthVec3 corner, Count* count) {
    for (int k = 0; k < 12; ++k) {
        int32_t outside = 1;
        for (int tries = 0; tries < 20 && outside > 0; ++tries) {
            world_values(world, random, kit->q);
            assert_int_equal(berth_scene_check_values(world->scene, kit->q, &outside, NULL), BERTH_OK);
        }
        if (outside > 0) {
            continue;
        }
        for (int o = 0; o < kit->object_count; ++o) {
            BerthPose pose = test_pose(random, spread);
            pose.t = v3_sub(pose.t, pose_turn(&pose, corner));
            kit->objects[o].pose = pose;
            put(world, kit->objects[o].id, &kit->objects[o].pose);
        }
        try_state(kit, world, seed, count);
    }
    berth_monitor_destroy(kit->monitor);
}

static void watch_world(GuardKit* kit, World* world, Random* random, int seed, double spread, Count* count) {
    watch_far_world(kit, world, random, seed, spread, v3(0, 0, 0), count);
}

static void report(const char* what, const Count* count) {
    print_message(
        "report %s: %d worlds (%d refused), %d states: %d permits, %d stops; with poses told %d of %d; "
        "nearest permit %g m beyond what is needed, %d stops at more than 0.5 m\n",
        what, count->worlds, count->refused, count->rounds, count->go, count->stop, count->told_go,
        count->told, count->least, count->shy);
}

static void permits_keep_the_margin(void** state) {
    (void)state;
    static GuardKit kit;
    Count count = {.least = INFINITY};
    Carried carried = {0};
    const int worlds = test_scaled(120);
    for (int w = 0; w < worlds; ++w) {
        Random random = {(uint64_t)w * 37 + 5};
        World* world = carried_make(&random, w % 9 == 0 ? WORLD_PLAIN : WORLD_CONVEX, &carried);
        count.worlds += 1;
        if (open_world(&kit, world, w % 2 == 1, &count)) {
            watch_world(&kit, world, &random, w, 0.7, &count);
        }
        world_destroy(world);
    }
    report("maps and clouds", &count);
    assert_true(test_scaled(100) < 100 || (count.go > count.rounds / 20 && count.told_go > 5));
}

// Some joints and at most one body beside what a test adds.
static World* small_world(Random* random, int seed) {
    const WorldPlan plan = {.style = seed % 4 == 0 ? WORLD_PLAIN : WORLD_CONVEX,
                            .robots = 1,
                            .joints = 1 + (int)(bi_random_next(random) % 4),
                            .objects = seed % 3 == 0,
                            .no_planes = true};
    return world_make(random, &plan);
}

// One thing made of several solids that moves by itself, and another that hangs on a link: each part counts where it is on the thing.
static void things_of_parts(void** state) {
    (void)state;
    static GuardKit kit;
    Count count = {.least = INFINITY};
    for (int w = 0; w < test_scaled(60); ++w) {
        Random random = {(uint64_t)w * 41 + 11};
        World* world = small_world(&random, w);
        const BerthPose pose = test_pose(&random, 0.7);
        carried_add_parts(world, &random, 2 + w % 4, &pose, -1, -1, true);
        if (w % 3 == 1) {
            const BerthPose on_link = test_pose(&random, 0.2);
            carried_add_parts(world, &random, 2, &on_link, 0, world->brute.robots[0].link_count - 1, false);
        }
        count.worlds += 1;
        if (open_world(&kit, world, w % 2 == 1, &count)) {
            assert_int_equal(kit.object_count, 1);
            watch_world(&kit, world, &random, w, 0.6, &count);
        }
        world_destroy(world);
    }
    report("parts", &count);
    assert_true(count.refused < count.worlds / 2);
    assert_true(test_scaled(100) < 100 || (count.told_go > 20 && count.stop > 20));
}

// Maps whose corner is up to 100 km from where their cells are used, brought back by their pose: on their own, told where they are, or
// on a link.
static void maps_from_afar(void** state) {
    (void)state;
    static GuardKit kit;
    static Grid grid;
    Count count = {.least = INFINITY};
    for (int w = 0; w < test_scaled(60); ++w) {
        Random random = {(uint64_t)w * 43 + 17};
        World* world = small_world(&random, w);
        const double far = pow(10, bi_random_between(&random, 2, 5));
        grid_random(&random, 3, 4, w % 3 == 2 ? 0.07 : 0.2, &grid);
        grid.origin = v3_scale(test_pose(&random, 1.0).t, far);
        BerthPose pose = test_pose(&random, w % 3 == 2 ? 0.2 : 0.6);
        pose.t = v3_sub(pose.t, pose_turn(&pose, grid.origin));
        const bool held = w % 3 == 2;
        carried_add_map(world, &grid, &pose, held ? 0 : -1, held ? world->brute.robots[0].link_count - 1 : -1,
                        true, w % 3 == 1);
        count.worlds += 1;
        if (open_world(&kit, world, w % 2 == 1, &count)) {
            watch_far_world(&kit, world, &random, w, 0.6, grid.origin, &count);
        }
        world_destroy(world);
    }
    report("maps from afar", &count);
    assert_true(count.refused < count.worlds / 2);
    assert_true(test_scaled(100) < 100 || (count.go > 20 && count.stop > 20));
}

static BerthStatus start_with(GuardKit* kit, const Grid* grid, BerthObjectDef object, bool outside_is_free) {
    kit_open(kit, kit_arm, NULL, false, slow);
    BerthMapDef map = berth_default_map_def();
    map.outside_is_free = outside_is_free;
    object.name = "sensed";
    BerthField* field = grid_field(grid);
    BerthStatus status = berth_scene_add_map(kit->scene, &object, field, &map, NULL);
    berth_field_destroy(field);
    if (status == BERTH_OK) {
        assert_int_equal(berth_scene_commit(kit->scene), BERTH_OK);
        status = berth_monitor_create(kit->scene, &kit->def, &kit->monitor);
    }
    return status;
}

// A map on the hand in which nothing is: it has no body. Its mass was written in front of the array of masses, and the arm
// was thought to brake as without it: 71 mm to the wall were taken for enough where 375 mm are needed.
static void empty_maps_on_a_hand(void** state) {
    (void)state;
    static GuardKit kit;
    static Grid grid;
    grid = (Grid){.dim = 3, .size = {2, 2, 2}, .resolution = 0.1};
    BerthObjectDef object = berth_default_object_def();
    object.attach = "two";
    assert_int_equal(start_with(&kit, &grid, object, true), BERTH_OK);
    kit_close(&kit);
    object.mass = 5.0;
    assert_int_equal(start_with(&kit, &grid, object, true), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "'sensed' is attached with a mass of 5 kg, but is a map"));
    kit_close(&kit);
    grid.colour[0][0][0] = 1;  // one cell is a load
    assert_int_equal(start_with(&kit, &grid, object, true), BERTH_OK);
    assert_true(berth_monitor_limit(kit.monitor, 0).deceleration < 0.2 * slow.deceleration);
    kit_close(&kit);
}

// What is outside of a map has no end: as a thing that moves, nobody can say how far it goes.
static void closed_rooms_that_move(void** state) {
    (void)state;
    static GuardKit kit;
    static Grid grid;
    grid = (Grid){.dim = 3, .size = {2, 2, 2}, .resolution = 9.0, .origin = {-9, -9, -9}};
    grid.colour[0][0][0] = 1;
    for (int attached = 0; attached < 2; ++attached) {
        BerthObjectDef object = berth_default_object_def();
        object.attach = attached != 0 ? "two" : NULL;
        object.moving = attached == 0;
        assert_int_equal(start_with(&kit, &grid, object, false), BERTH_ERR_ARGUMENT);
        assert_non_null(strstr(berth_error_text(), "'sensed' is a map that moves and takes what is outside"));
        kit_close(&kit);
    }
}

int test_monitor_carried(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permits_keep_the_margin), cmocka_unit_test(things_of_parts),
        cmocka_unit_test(maps_from_afar),          cmocka_unit_test(empty_maps_on_a_hand),
        cmocka_unit_test(closed_rooms_that_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
