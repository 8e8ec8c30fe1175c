// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-share: 0.5
// Grids of distances of obstacles with many triangles: what a lookup tells at random places, near the surface, inside and far away,
// against the distance by long code over all triangles, with the inside by solid angles. Balls, tori, a hollow ball, sheets, soups,
// points, maps; among them some so large that only a part of them is in the grid. Lookups that take off nothing for the way to the
// middle of the cell must be found out.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lanes/lanes.h"
#include "support/brute.h"
#include "support/grids.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/urdf_text.h"

enum { ROUNDS = 24, PLACES = 400 };

/// An arm of two balls that reaches 0.6 m.
static const char arm[] =
    "<robot name=\"arm\"><link name=\"base\"/><link name=\"upper\"><collision><origin xyz=\"0.3 0 0\"/>"
    "<geometry><sphere radius=\"0.05\"/></geometry></collision></link>"
    "<link name=\"lower\"><collision><origin xyz=\"0.25 0 0\"/><geometry><sphere radius=\"0.04\"/></geometry>"
    "</collision></link>"
    "<joint name=\"a\" type=\"revolute\"><parent link=\"base\"/><child link=\"upper\"/><axis xyz=\"0 0 1\"/>"
    "<limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/></joint>"
    "<joint name=\"b\" type=\"revolute\"><parent link=\"upper\"/><child link=\"lower\"/><axis xyz=\"0 1 0\"/>"
    "<origin xyz=\"0.3 0 0\"/><limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/></joint></robot>";

/// What was looked up.
typedef struct Count {
    int64_t lookups, apart, met, inside, grids;
    int64_t wrong, wrong_without;          // more than there is
    int64_t met_wrong, met_wrong_without;  // less than there is
    double nearest;
} Count;

static BerthScene* open_arm(void) {
    BerthScene* scene = NULL;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.own = true;
    assert_int_equal(test_read_text(arm, NULL, false, NULL, &def.robot), BERTH_OK);
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    return scene;
}

// ---- an obstacle and its truth --------------------------------------------------------------------------------------

enum { KIND_MAP = TEST_MESH_KIND_COUNT, KIND_POINTS, KINDS, POINTS = 60 };

typedef struct Obstacle {
    int kind;
    BrutePart mesh;
    Grid grid;
    BerthVec3 points[POINTS];
} Obstacle;

static double true_gap(const Obstacle* o, BerthVec3 p) {
    const Lv at = {p.x, p.y, p.z};
    double least = INFINITY;
    if (o->kind == KIND_POINTS) {
        for (int i = 0; i < POINTS; ++i) {
            least = fmin(least, v3_distance(p, o->points[i]));
        }
    } else if (o->kind == KIND_MAP) {
        for (int i = 0; i < o->grid.box_count; ++i) {
            least = fmin(least, (double)brute_point_gap(&o->grid.boxes[i], at));
        }
    } else {
        least = (double)brute_point_gap(&o->mesh, at);
    }
    return least;
}

static void close_obstacle(Obstacle* o) {
    if (o->kind == KIND_MAP) {
        grid_close(&o->grid);
    } else if (o->kind != KIND_POINTS) {
        brute_free_part(&o->mesh);
    }
}

// Adds an obstacle `size` large at a pose, and tells what it is.
static void add_obstacle(BerthScene* scene, Random* random, int kind, double size, const BerthPose* pose,
                         Obstacle* o) {
    const BerthPose origin = berth_pose_identity();
    *o = (Obstacle){.kind = kind};
    if (kind == KIND_POINTS) {
        for (int i = 0; i < POINTS; ++i) {
            o->points[i] = (BerthVec3){bi_random_between(random, -size, size),
                                       bi_random_between(random, -size, size), 0.2 * size};
        }
        assert_int_equal(berth_scene_add_points(scene, "thing", o->points, POINTS, 0.0, pose, NULL),
                         BERTH_OK);
    } else if (kind == KIND_MAP) {
        grid_random(random, 3, 8, size / 8.0, &o->grid);
        grid_open(&o->grid, &origin);
        assert_true(grid_add(&o->grid, scene, "thing", pose, NULL, true).age > 0);
    } else {
        BerthObjectDef def = berth_default_object_def();
        def.name = "thing";
        def.pose = *pose;
        def.solid = test_solid((TestMeshKind)kind, 60 + (int)(bi_random_next(random) % 200), size, random);
        assert_non_null(def.solid);
        o->mesh = brute_solid(def.solid);
        grid_pose_part(&o->mesh, &origin);
        assert_int_equal(berth_scene_add_object(scene, &def, NULL), BERTH_OK);
    }
}

// ---- lookups --------------------------------------------------------------------------------------------------------

// The cell that is nearest to a place in the item's axes, and how far its middle is.
static size_t look_up(const LaneDense* dense, BerthVec3 x, double* off) {
    size_t cell = 0;
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double at = (v3_at(x, k) - (double)dense->origin[k]) / (double)dense->cell;
        const double i = floor(fmin(fmax(at, 0.0), dense->size[k] - 1.0));
        cell = cell * (size_t)dense->size[k] + (size_t)i;
        sum += (at - i - 0.5) * (at - i - 0.5);
    }
    *off = sqrt(sum) * (double)dense->cell;
    return cell;
}

static void look_at(const LaneDense* dense, const Obstacle* o, BerthVec3 middle, BerthVec3 p, Count* count) {
    double off;
    const size_t cell = look_up(dense, v3_sub(p, middle), &off);
    const double truth = true_gap(o, p);
    const double least = (double)dense->least[cell], most = (double)dense->most[cell];
    count->lookups += 1;
    count->inside += truth <= 0.0;
    count->apart += least - off > 0.0;
    count->wrong += least - off > truth;
    count->wrong_without += least > truth;
    count->nearest = least - off > 0.0 ? fmin(count->nearest, truth - (least - off)) : count->nearest;
    count->met += most + off < 0.05;
    count->met_wrong += most + off < truth;
    count->met_wrong_without += most < truth;
}

// In the grid, around it, and on the way from one such place to where the obstacle is nearest by the truth.
static BerthVec3 draw_place(const LaneDense* dense, const Obstacle* o, BerthVec3 middle, Random* random) {
    BerthVec3 p;
    double at[3];
    for (int k = 0; k < 3; ++k) {
        const double share = bi_random_between(random, -0.2, 1.2);
        at[k] = (double)dense->origin[k] + share * dense->size[k] * (double)dense->cell;
    }
    p = v3_add(middle, v3(at[0], at[1], at[2]));

    // Steps of nearly the gap never pass the surface.
    const int steps = (int)(bi_random_next(random) % 4);
    for (int i = 0; i < steps; ++i) {
        const double gap = true_gap(o, p);
        BerthVec3 best = p;
        for (int k = 0; k < 6; ++k) {
            const BerthVec3 way = v3_unit_or(test_pose(random, 1.0).x, v3(1, 0, 0));
            const BerthVec3 there = v3_add(p, v3_scale(way, 0.98 * gap));
            best = true_gap(o, there) < true_gap(o, best) ? there : best;
        }
        p = best;
    }
    return p;
}

static void ask_round(uint64_t seed, int kind, Count* count) {
    Random random = {seed};
    BerthScene* scene = open_arm();
    Obstacle o;
    BerthPose pose = test_pose(&random, 0.4);
    const double size = seed % 4 == 0 ? 3.0 : bi_random_between(&random, 0.05, 0.4);
    add_obstacle(scene, &random, kind, size, &pose, &o);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);

    const BerthLanesDef def = berth_default_lanes_def();
    BerthLanes* lanes = NULL;
    assert_int_equal(berth_lanes_create(scene, &def, &lanes), BERTH_OK);
    assert_non_null(lanes);
    const LaneItem* item = &lanes->model.fields[0].items[0];
    const BerthSolid* solid = scene->parts[scene->part_count - 1].solid;
    const BerthVec3 middle = v3_scale(v3_add(solid->low, solid->high), 0.5);
    count->grids += item->dense != NULL;

    for (int i = 0; item->dense != NULL && i < test_scaled(PLACES); ++i) {
        const BerthVec3 p = draw_place(item->dense, &o, middle, &random);
        if (v3_length(pose_apply(&pose, p)) < lanes->reach) {  // balls do not get further
            look_at(item->dense, &o, middle, p, count);
        }
    }
    berth_lanes_destroy(lanes);
    berth_scene_destroy(scene);
    close_obstacle(&o);
}

static void test_grids_tell_no_more_than_there_is(void** state) {
    (void)state;
    Count count = {.nearest = INFINITY};
    for (int i = 0; i < ROUNDS; ++i) {
        ask_round((uint64_t)i + 1, i % KINDS, &count);
    }
    print_message(
        "report lanes dense: %lld grids, %lld lookups (%lld inside), %lld tell a gap, %lld more than there "
        "is, nearest "
        "%.2g m, %lld were the way to the middle not taken off; %lld tell that something is near, %lld "
        "nearer than "
        "it is (%lld)\n",
        (long long)count.grids, (long long)count.lookups, (long long)count.inside, (long long)count.apart,
        (long long)count.wrong, count.nearest, (long long)count.wrong_without, (long long)count.met,
        (long long)count.met_wrong, (long long)count.met_wrong_without);
    assert_int_equal(count.wrong, 0);
    assert_int_equal(count.met_wrong, 0);
    assert_true(count.wrong_without > 0);
    assert_true(count.met_wrong_without > 0);
    assert_true(count.grids > ROUNDS / 2);
    assert_true(count.apart > count.lookups / 5);
    assert_true(count.met > count.lookups / 20);
    assert_true(count.inside > 0);
}

int test_lanes_dense(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grids_tell_no_more_than_there_is)};
    return cmocka_run_group_tests_name("lanes: grids of distances", tests, NULL, NULL);
}
