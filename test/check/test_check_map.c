// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps and clouds in scenes: random robots among random cells and points, verdicts and clearances against the brute model
// in which every cell is a box and every point a ball; what is assumed; who holds the map.
// test-share: 0.4

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/courses.h"
#include "support/sensed.h"
#include "support/setting.h"

typedef struct Tally {
    int free, hits, unknown, by_map, by_cloud;
} Tally;

// One state: what the checker says about it, and what is true.
static void try_state(Sensed* sensed, BerthChecker* checker, const double* values, Tally* tally) {
    const BerthCheckRequest request = {.distance = true};
    BerthCheckResult r;
    assert_int_equal(berth_check_state(checker, values, &request, &r), BERTH_OK);
    const double map = sensed_map_gap(sensed, values), cloud = sensed_cloud_gap(sensed, values);
    const double rest = course_brute_gap(sensed->world, values);
    const double least = fmin(rest, fmin(map, cloud));
    const double rounding = 64 * BI_ULP * 60;
    // GJK stops within 1e-10 of the gap of the bodies without their padding.
    if ((r.verdict == BERTH_FREE && !(least > 0.0)) ||
        (r.verdict == BERTH_COLLISION && !(least <= rounding)) ||
        (r.has_clearance && r.verdict == BERTH_FREE &&
         (r.clearance.lower > least + 1e-15 || fabs(r.clearance.upper - least) > 1e-9 * least + 1e-10))) {
        fail_msg("seed %d: verdict %d, clearance %.17g to %.17g; true: %.17g (map %.17g, cloud %.17g)",
                 (int)sensed->seed, (int)r.verdict, r.clearance.lower, r.clearance.upper, least, map, cloud);
    }
    tally->free += r.verdict == BERTH_FREE;
    tally->hits += r.verdict == BERTH_COLLISION;
    tally->unknown += r.verdict == BERTH_UNKNOWN;
    tally->by_map += map < rest && map < cloud;
    tally->by_cloud += cloud < rest && cloud < map;
}

static void states_against_the_brute_model(void** state) {
    (void)state;
    Tally tally = {0};
    const int rounds = test_scaled(600);
    for (int seed = 0; seed < rounds; ++seed) {
        Sensed* sensed = sensed_make((uint64_t)seed * 7 + 3);
        BerthChecker* checker = NULL;
        const BerthCheckerDef def = berth_default_checker_def();
        assert_int_equal(berth_checker_create(sensed->world->scene, &def, &checker), BERTH_OK);
        for (int k = 0; k < 12; ++k) {
            double values[COURSE_VALUES];
            world_values(sensed->world, &sensed->random, values);
            try_state(sensed, checker, values, &tally);
        }
        berth_checker_destroy(checker);
        sensed_destroy(sensed);
    }
    printf("%d free, %d hits, %d unknown; nearest is the map in %d, the cloud in %d\n", tally.free,
           tally.hits, tally.unknown, tally.by_map, tally.by_cloud);
    // So that the test could fail; few seeds need not hold enough of each.
    assert_true(!test_is_whole() || (tally.free > rounds && tally.hits > rounds));
    assert_true(!test_is_whole() || (tally.by_map > rounds && tally.by_cloud > rounds / 2));
    assert_true(tally.unknown <= rounds / 20);
}

static const BerthAssumed* find_assumed(const BerthScene* scene, const char* what, BerthAssumed* out) {
    for (int32_t i = 0; i < berth_scene_assumed_count(scene); ++i) {
        *out = berth_scene_assumed(scene, i);
        if (strcmp(out->what, what) == 0) {
            return out;
        }
    }
    return NULL;
}

// A ball of 1 cm at x on a slide, through cells of 10 cm: free, occupied, unknown, free, and then outside.
static void unknown_and_outside(void** state) {
    (void)state;
    static Grid grid;
    for (int choice = 0; choice < 4; ++choice) {
        const bool unknown_free = choice & 1, outside_free = choice & 2;
        grid = (Grid){.dim = 3, .size = {4, 1, 1}, .resolution = 0.1, .unknown_is_free = unknown_free};
        grid.colour[1][0][0] = 1;
        grid.colour[2][0][0] = 2;
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0.05, 0.05));
        kit_solid(&kit, 1, kit_ball(0.01), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        const BerthPose still = pose_identity();
        assert_true(grid_add(&grid, kit.scene, "room", &still, NULL, outside_free).age > 0);
        kit_commit(&kit);
        BerthAssumed assumed;
        assert_int_equal(find_assumed(kit.scene, "unknown_space_free", &assumed) != NULL, unknown_free);
        assert_true(!unknown_free ||
                    (assumed.count == 1 &&
                     strstr(assumed.detail, "1 unknown cell of a map is taken as free: room") != NULL));
        assert_int_equal(find_assumed(kit.scene, "outside_space_free", &assumed) != NULL, outside_free);
        assert_true(!outside_free || strstr(assumed.detail, "room") != NULL);
        BerthChecker* checker = NULL;
        const BerthCheckerDef def = berth_default_checker_def();
        assert_int_equal(berth_checker_create(kit.scene, &def, &checker), BERTH_OK);
        const double at[6] = {0.05, 0.15, 0.25, 0.35, 0.45, -0.2};
        const bool hit[6] = {false, true, !unknown_free, false, !outside_free, !outside_free};
        for (int i = 0; i < 6; ++i) {
            const BerthCheckRequest request = {0};
            BerthCheckResult r;
            assert_int_equal(berth_check_state(checker, &at[i], &request, &r), BERTH_OK);
            assert_int_equal(r.verdict, hit[i] ? BERTH_COLLISION : BERTH_FREE);
        }
        berth_checker_destroy(checker);
        kit_free(&kit);
    }
}

// A row of cells that change again and again, and with them what is said of the outside; a post that belongs to the map stays, and so do
// its id, its place and what it may touch. What fails changes nothing.
static void maps_that_change(void** state) {
    (void)state;
    static Grid grid;
    Random random = {8};
    grid = (Grid){.dim = 3, .size = {8, 1, 1}, .resolution = 0.1};
    Kit kit = kit_new();
    kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0.05, 0.05));
    kit_solid(&kit, 1, kit_ball(0.01), v3(0, 0, 0));
    kit_robot(&kit, NULL);
    const BerthPose at = kit_at(0.3, 0, 0), post_at = kit_at(3.0, 0.05, 0.05);
    const BerthObjectId id = grid_add(&grid, kit.scene, "room", &at, NULL, true);
    BerthShape box;
    BerthSolid* post = NULL;
    assert_int_equal(berth_shape_box((BerthVec3){0.2, 0.2, 0.2}, &box), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&box, NULL, &post), BERTH_OK);
    assert_int_equal(berth_scene_add_part(kit.scene, id, &post_at, post), BERTH_OK);
    BerthField* field = grid_field(&grid);

    BerthMapDef def = berth_default_map_def();
    for (int round = 0; round < test_scaled(300); ++round) {
        BerthFieldChange change = {.cell = {(int32_t)(bi_random_next(&random) % 8), 0, 0},
                                   .colour = (BerthCellColour)(bi_random_next(&random) % 3)};
        grid.colour[change.cell[0]][0][0] = (uint8_t)change.colour;
        def.outside_is_free = bi_random_next(&random) % 2 == 0;
        assert_int_equal(berth_field_update(field, &change, 1), BERTH_OK);
        assert_int_equal(berth_scene_set_map(kit.scene, id, field, &def), BERTH_OK);
        assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);

        BerthChecker* checker = NULL;
        const BerthCheckerDef checker_def = berth_default_checker_def();
        assert_int_equal(berth_checker_create(kit.scene, &checker_def, &checker), BERTH_OK);
        for (int k = -1; k <= 9; ++k) {
            const double x = 0.35 + 0.1 * k;
            const BerthCheckRequest request = {0};
            BerthCheckResult r;
            assert_int_equal(berth_check_state(checker, &x, &request, &r), BERTH_OK);
            const bool hit = k < 0 || k >= 8 ? !def.outside_is_free : grid.colour[k][0][0] != 0;
            assert_int_equal(r.verdict, hit ? BERTH_COLLISION : BERTH_FREE);
        }
        const double in_post = 3.3;
        const BerthCheckRequest request = {0};
        BerthCheckResult r;
        assert_int_equal(berth_check_state(checker, &in_post, &request, &r), BERTH_OK);
        assert_int_equal(r.verdict, BERTH_COLLISION);
        berth_checker_destroy(checker);
    }

    BerthObjectId ball = {0, 0};
    BerthMapDef wrong = def;
    wrong.stamp = 0;
    assert_int_equal(berth_scene_add_sphere(kit.scene, "ball", 0.1, (BerthVec3){9, 9, 9}, &ball), BERTH_OK);
    assert_int_equal(berth_scene_set_map(kit.scene, ball, field, &def), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_scene_set_map(kit.scene, id, NULL, &def), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_scene_set_map(kit.scene, id, field, &wrong), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_scene_remove_object(kit.scene, id), BERTH_OK);
    assert_int_equal(berth_scene_set_map(kit.scene, id, field, &def), BERTH_ERR_STALE);
    berth_field_destroy(field);
    kit_free(&kit);
}

// The radius of a cloud counts against everything, also against the robot that holds it; padding only against others.
static void radius_of_a_cloud(void** state) {
    (void)state;
    for (int attached = 0; attached < 2; ++attached) {
        Kit kit = kit_new();
        kit.padding = 0.03;
        kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0, 0));
        kit_link(&kit, 0, BERTH_JOINT_FIXED, v3(0, 0, 0), v3(0, 0, 0));
        kit_solid(&kit, 1, kit_ball(0.1), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        BerthObjectDef object = berth_default_object_def();
        object.name = "dot";
        object.radius = 0.02;
        object.attach = attached ? "link0" : NULL;
        object.pose = kit_at(1.0, 0, 0);
        const BerthVec3 point = {0, 0, 0};
        assert_int_equal(berth_solid_from_points(&point, 1, NULL, &object.solid), BERTH_OK);
        assert_int_equal(berth_scene_add_object(kit.scene, &object, NULL), BERTH_OK);
        kit_commit(&kit);
        BerthAssumed assumed;
        assert_null(find_assumed(kit.scene, "open_meshes", &assumed));
        BerthChecker* checker = NULL;
        const BerthCheckerDef def = berth_default_checker_def();
        assert_int_equal(berth_checker_create(kit.scene, &def, &checker), BERTH_OK);
        const double at = 0.5;
        const BerthCheckRequest request = {.distance = true};
        BerthCheckResult r;
        assert_int_equal(berth_check_state(checker, &at, &request, &r), BERTH_OK);
        assert_true(fabs(r.clearance.upper - (0.5 - 0.1 - 0.02 - (attached ? 0.0 : 0.03))) < 1e-12);
        berth_checker_destroy(checker);
        kit_free(&kit);
    }
    BerthObjectDef object = berth_default_object_def();
    object.name = "dot";
    object.radius = -1.0;
    const BerthVec3 point = {0, 0, 0};
    BerthScene* scene = NULL;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    assert_int_equal(berth_solid_from_points(&point, 1, NULL, &object.solid), BERTH_OK);
    assert_int_equal(berth_scene_add_object(scene, &object, NULL), BERTH_ERR_ARGUMENT);
    berth_scene_destroy(scene);
}

static void wrong_maps_are_refused(void** state) {
    (void)state;
    static Grid grid;
    grid = (Grid){.dim = 2, .size = {2, 2, 1}, .resolution = 0.1, .height = {0.0, 1.0}};
    BerthMapDef def = berth_default_map_def();
    BerthSolid* solid = NULL;
    BerthField* field = grid_field(&grid);
    assert_int_equal(berth_solid_from_field(field, &def, &solid), BERTH_ERR_ARGUMENT);  // no height
    assert_non_null(strstr(berth_error_text(), "height"));
    def.height[0] = 0.0;
    def.height[1] = 1.0;
    assert_int_equal(berth_solid_from_field(field, &def, &solid), BERTH_OK);  // all free: empty
    BerthScene* scene = NULL;
    BerthObjectDef object = berth_default_object_def();
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    object.name = "cart";
    object.moving = true;
    object.solid = solid;
    assert_int_equal(berth_scene_add_object(scene, &object, NULL), BERTH_ERR_ARGUMENT);
    berth_scene_destroy(scene);
    berth_field_destroy(field);
    grid.colour[0][0][0] = 1;
    field = grid_field(&grid);
    assert_int_equal(berth_solid_from_field(field, &def, &solid), BERTH_OK);
    BerthCellsInfo info;
    assert_true(berth_solid_cells(solid, &info) && info.occupied == 1 && info.dim == 2 && info.high.z == 1.0);
    berth_solid_destroy(solid);
    def.triangle_limit = 3;
    assert_int_equal(berth_solid_from_field(field, &def, &solid), BERTH_ERR_ARGUMENT);
    def.triangle_limit = 12;
    def.stamp = 0;
    assert_int_equal(berth_solid_from_field(field, &def, &solid), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_solid_from_field(NULL, &def, &solid), BERTH_ERR_ARGUMENT);
    berth_field_destroy(field);
    grid = (Grid){.dim = 3, .size = {2, 2, 2}, .resolution = 0.1};
    grid.colour[0][0][0] = 1;
    field = grid_field(&grid);
    def = berth_default_map_def();
    def.height[0] = 0.0;
    assert_int_equal(berth_solid_from_field(field, &def, &solid), BERTH_ERR_ARGUMENT);  // has a height
    berth_field_destroy(field);
}

// Maps without obstacles: the object is there and may be named, there is no body of it, and all of it is assumed.
static void empty_maps(void** state) {
    (void)state;
    static Grid grid;
    for (int choice = 0; choice < 2; ++choice) {
        grid = (Grid){.dim = 3, .size = {4, 4, 4}, .resolution = 0.1, .unknown_is_free = true};
        grid.colour[1][1][1] = 2;
        Kit kit = kit_new();
        kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 0.15, 0.15));
        kit_solid(&kit, 1, kit_ball(0.01), v3(0, 0, 0));
        kit_robot(&kit, NULL);
        const BerthPose still = pose_identity();
        const BerthObjectId id = grid_add(&grid, kit.scene, "room", &still, NULL, choice == 0);
        assert_true(id.age > 0);
        if (choice == 0) {
            assert_int_equal(berth_scene_allow(kit.scene, "room", "link0"), BERTH_OK);
        }
        kit_commit(&kit);
        assert_int_equal(berth_scene_object_body(kit.scene, id) < 0, choice == 0);
        BerthAssumed assumed;
        assert_non_null(find_assumed(kit.scene, "unknown_space_free", &assumed));
        assert_int_equal(assumed.count, 1);
        assert_int_equal(find_assumed(kit.scene, "outside_space_free", &assumed) != NULL, choice == 0);
        BerthChecker* checker = NULL;
        const BerthCheckerDef def = berth_default_checker_def();
        assert_int_equal(berth_checker_create(kit.scene, &def, &checker), BERTH_OK);
        for (int i = 0; i < 2; ++i) {
            const double at = i == 0 ? 0.15 : 0.6;
            const BerthCheckRequest request = {.distance = true};
            BerthCheckResult r;
            assert_int_equal(berth_check_state(checker, &at, &request, &r), BERTH_OK);
            assert_int_equal(r.verdict, i == 1 && choice == 1 ? BERTH_COLLISION : BERTH_FREE);
        }
        berth_checker_destroy(checker);
        const BerthMotionCheckerDef motion = berth_default_motion_checker_def();
        const double from = 0.1, to = 0.3;
        assert_int_equal(kit_ask(&kit, &motion, &from, &to, NULL, false).verdict, BERTH_FREE);
        kit_free(&kit);
    }
}

int test_check_map(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_against_the_brute_model),
        cmocka_unit_test(unknown_and_outside),
        cmocka_unit_test(maps_that_change),
        cmocka_unit_test(radius_of_a_cloud),
        cmocka_unit_test(wrong_maps_are_refused),
        cmocka_unit_test(empty_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
