// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is a witness about what is outside of a map? Random small maps at random poses, and points in and around them, against boxes
// that share no code with the scene: one for each cell, and the box of the map itself.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "support/grids.h"
#include "support/setting.h"

enum { MAPS = 60, POINTS = 300, SIDE = 8 };

// Metres from a point to a box of cells; 0 inside.
static double distance_to_cells(const double p[3], const double low[3], const double high[3]) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double gap = fmax(0.0, fmax(low[axis] - p[axis], p[axis] - high[axis]));
        sum += gap * gap;
    }
    return sqrt(sum);
}

static double distance_to_obstacles(const Grid* grid, const double p[3]) {
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    double best = INFINITY;
    for (int x = 0; x < grid->size[0]; ++x) {
        for (int y = 0; y < grid->size[1]; ++y) {
            for (int z = 0; z < grid->size[2]; ++z) {
                const int cell[3] = {x, y, z};
                double low[3], high[3];
                for (int axis = 0; axis < 3; ++axis) {
                    const bool flat = grid->dim == 2 && axis == 2;
                    low[axis] = flat ? grid->height[0] : origin[axis] + grid->resolution * cell[axis];
                    high[axis] = flat ? grid->height[1] : low[axis] + grid->resolution;
                }
                if (grid_blocks(grid, x, y, z)) {
                    best = fmin(best, distance_to_cells(p, low, high));
                }
            }
        }
    }
    return best;
}

// Metres to the way out; below 0 outside. A map of the plane has no border above and below.
static double depth_in_box(const Grid* grid, const double p[3]) {
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    double depth = INFINITY;
    for (int axis = 0; axis < grid->dim; ++axis) {
        const double low = p[axis] - origin[axis];
        depth = fmin(depth, fmin(low, grid->resolution * grid->size[axis] - low));
    }
    return depth;
}

static void border_or_cell(void** state) {
    (void)state;
    Random random = {31};
    int outside = 0, inside = 0;
    for (int m = 0; m < test_scaled(MAPS); ++m) {
        Grid grid;
        grid_random(&random, m % 3 == 0 ? 2 : 3, SIDE, 0.125, &grid);
        BerthPose pose;
        const BerthVec3 t = {bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1), 0.5};
        assert_int_equal(berth_pose_from_quat(t, bi_random_quat(&random), &pose), BERTH_OK);

        BerthScene* scene = NULL;
        assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
        grid_add(&grid, scene, "room", &pose, NULL, false);
        grid_add(&grid, scene, "open", &pose, NULL, true);
        assert_int_equal(berth_scene_commit(scene), BERTH_OK);
        const int32_t room = berth_scene_find_body(scene, "room");
        const int32_t open = berth_scene_find_body(scene, "open");

        for (int i = 0; i < POINTS; ++i) {
            const double wide = grid.resolution * SIDE;
            const double p[3] = {grid.origin.x + bi_random_between(&random, -0.2, 1.2) * wide,
                                 grid.origin.y + bi_random_between(&random, -0.2, 1.2) * wide,
                                 grid.origin.z + bi_random_between(&random, -0.2, 1.2) * wide};
            const double depth = depth_in_box(&grid, p);
            const double obstacle = distance_to_obstacles(&grid, p);
            if (fabs(depth) < 1e-9 || fabs(depth - obstacle) < 1e-9) {
                continue;
            }
            const BerthVec3 world = berth_pose_apply(&pose, (BerthVec3){p[0], p[1], p[2]});
            const bool expected = depth < 0.0 || depth < obstacle;
            assert_int_equal(berth_scene_outside_map(scene, room, world), expected);
            assert_false(berth_scene_outside_map(scene, open, world));
            outside += expected;
            inside += !expected;
        }
        assert_false(berth_scene_outside_map(scene, -1, pose.t));
        assert_false(berth_scene_outside_map(scene, berth_scene_body_count(scene), pose.t));
        berth_scene_destroy(scene);
    }
    assert_true((outside > 100 && inside > 100) || !test_is_whole());
}

int test_scene_map_border(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(border_or_cell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
