// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps and clouds under the guard that hang on links or are told where they are: whatever is permitted is further apart than
// the margin by the brute model, and what moves by itself further than it can go. What cannot be guarded is refused.

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
        if (body->object >= 0 && world->ids[body->object].place == id.place) {
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
                              world->ids[truth[i].b->object].place == kit->objects[o].id.place);
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
            for (int k = 0; k < 12; ++k) {
                int32_t outside = 1;
                for (int tries = 0; tries < 20 && outside > 0; ++tries) {
                    world_values(world, &random, kit.q);
                    assert_int_equal(berth_scene_check_values(world->scene, kit.q, &outside, NULL), BERTH_OK);
                }
                if (outside > 0) {
                    continue;
                }
                for (int o = 0; o < kit.object_count; ++o) {
                    kit.objects[o].pose = test_pose(&random, 0.7);
                    put(world, kit.objects[o].id, &kit.objects[o].pose);
                }
                try_state(&kit, world, w, &count);
            }
            berth_monitor_destroy(kit.monitor);
        }
        world_destroy(world);
    }
    print_message(
        "report %d worlds (%d refused), %d states: %d permits, %d stops; with poses told %d of %d; nearest "
        "permit %g m beyond what is needed, %d stops at more than 0.5 m\n",
        count.worlds, count.refused, count.rounds, count.go, count.stop, count.told_go, count.told,
        count.least, count.shy);
    assert_true(test_scaled(100) < 100 || (count.go > count.rounds / 20 && count.told_go > 5));
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
        cmocka_unit_test(permits_keep_the_margin),
        cmocka_unit_test(empty_maps_on_a_hand),
        cmocka_unit_test(closed_rooms_that_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
