// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps and clouds as solids: the surface cell by cell, gaps against every cell as a box of its own, insides both ways,
// engines, memory that runs out.
// test-share: 0.4

// clang-format off
#include <berth/cover.h>
#include <berth/lab/tree.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/grids.h"
#include "support/meshes.h"
#include "support/setting.h"
#include "support/starve.h"

static bool blocks_at(const Grid* grid, const int cell[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        if (cell[axis] < 0 || cell[axis] >= grid->size[axis]) {
            return false;
        }
    }
    return grid_blocks(grid, cell[0], cell[1], cell[2]);
}

// Every side of a cell between an obstacle and what is none is in exactly one rectangle, with its normal; no other is.
static void surface_is_complete(void** state) {
    (void)state;
    Random random = {31};
    static uint8_t seen[3][2][GRID_SIDE + 1][GRID_SIDE + 1][GRID_SIDE + 1];
    static Grid grid;
    static CellCube cubes[GRID_SIDE * GRID_SIDE * GRID_SIDE];
    int64_t faces = 0, sides = 0;
    for (int round = 0; round < test_scaled(300); ++round) {
        grid_random(&random, round % 3 == 0 ? 2 : 3, GRID_SIDE, 0.05, &grid);
        const CellSet set = {.dim = grid.dim,
                             .size = {grid.size[0], grid.size[1], grid.size[2]},
                             .resolution = 0.05,
                             .height = {0.0, 1.0},
                             .cube_count = grid_cubes(&grid, cubes),
                             .cubes = cubes,
                             .triangle_limit = 1 << 20};
        CellFaces found;
        const BerthAllocator from = bi_allocator_or_default(NULL);
        assert_int_equal(bi_cell_faces(&set, &from, &found), BERTH_OK);
        memset(seen, 0, sizeof seen);
        for (int32_t i = 0; i < found.stored; ++i) {
            const CellFace* f = &found.faces[i];
            for (int u = f->from; u < f->to; ++u) {
                for (int v = f->low; v < f->high; ++v) {
                    int at[3];
                    at[f->axis] = f->plane;
                    at[(f->axis + 1) % 3] = u;
                    at[(f->axis + 2) % 3] = v;
                    seen[f->axis][f->up][at[0]][at[1]][at[2]] += 1;
                }
            }
        }
        for (int axis = 0; axis < 3; ++axis) {
            for (int k = 0; k < (grid.size[0] + 1) * (grid.size[1] + 1) * (grid.size[2] + 1); ++k) {
                const int at[3] = {k % (grid.size[0] + 1), k / (grid.size[0] + 1) % (grid.size[1] + 1),
                                   k / (grid.size[0] + 1) / (grid.size[1] + 1)};
                int below[3] = {at[0], at[1], at[2]};
                below[axis] -= 1;
                const bool lower = blocks_at(&grid, below), upper = blocks_at(&grid, at);
                assert_int_equal(seen[axis][1][at[0]][at[1]][at[2]], lower && !upper);
                assert_int_equal(seen[axis][0][at[0]][at[1]][at[2]], upper && !lower);
                sides += lower != upper;
            }
        }
        faces += found.count;
        bi_cell_faces_free(&from, &found);
    }
    printf("%lld sides of cells in %lld rectangles\n", (long long)sides, (long long)faces);
    assert_true(faces < sides / 2);
}

// One body against one map, asked in every way, against the brute model.
typedef struct Tally {
    int hits, free, unknown, contained;
} Tally;

static void compare(BerthTreeQuery* query, const BerthSolid* map, const BerthPose* world_from_map,
                    const BerthSolid* body, const BerthPose* world_from_body, const BruteGap* truth,
                    Tally* tally) {
    const BerthTreeRequest request = berth_default_tree_request();
    const BerthTreeAnswer d =
        berth_tree_distance(query, map, world_from_map, body, world_from_body, &request);
    const BerthTreeAnswer back =
        berth_tree_distance(query, body, world_from_body, map, world_from_map, &request);
    const BerthTreeAnswer c = berth_tree_collide(query, map, world_from_map, body, world_from_body, 0.0);
    const double rounding = 64 * BI_ULP * 40;
    assert_true(d.verdict != BERTH_FREE || truth->lower > 0);
    assert_true(d.verdict != BERTH_COLLISION || truth->upper <= (Real)rounding);
    assert_true(back.verdict != BERTH_FREE || truth->lower > 0);
    assert_true(back.verdict != BERTH_COLLISION || truth->upper <= (Real)rounding);
    assert_true(c.verdict != BERTH_FREE || truth->lower > 0);
    assert_true(c.verdict != BERTH_COLLISION || truth->upper <= (Real)rounding);
    assert_true((Real)d.lower <= truth->upper + (Real)1e-17 &&
                (Real)back.lower <= truth->upper + (Real)1e-17);
    if (truth->upper > 0) {
        assert_true(fabs(d.upper - (double)truth->upper) <= 1e-9 * (double)truth->upper + rounding);
        assert_true(fabs(back.upper - (double)truth->upper) <= 1e-9 * (double)truth->upper + rounding);
    }
    BerthCounters counters = {0};
    const double greedy =
        berth_tree_greedy(query, map, world_from_map, body, world_from_body, 0.01, &counters);
    assert_true((Real)greedy <= (truth->upper > 0 ? truth->upper : 0));
    tally->hits += d.verdict == BERTH_COLLISION;
    tally->free += d.verdict == BERTH_FREE;
    tally->unknown += d.verdict == BERTH_UNKNOWN;
    tally->contained += d.contained;
}

static void gaps_are_those_of_the_cells(void** state) {
    (void)state;
    Random random = {32};
    static Grid grid;
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    Tally tally = {0};
    const int rounds = test_scaled(240);
    for (int round = 0; round < rounds; ++round) {
        grid_random(&random, round % 3 == 0 ? 2 : 3, round % 2 == 0 ? 6 : 12, 0.1, &grid);
        const BerthPose map_pose = test_pose(&random, 1.0);
        grid_open(&grid, &map_pose);
        BerthSolid* map = grid_solid(&grid, NULL);
        assert_non_null(map);
        for (int k = 0; k < 8; ++k) {
            BerthSolid* body = NULL;
            if (k < 3) {
                body = test_solid((TestMeshKind)(round % 4), 40, k == 0 ? 1.2 : 0.1, &random);
            } else {
                const BerthShape shape =
                    test_shape((BerthShapeKind)(round % (BERTH_TRIANGLE + 1)), k == 3 ? 0.8 : 0.15, &random);
                berth_solid_from_shape(&shape, NULL, &body);
            }
            assert_non_null(body);
            BerthPose pose = test_pose(&random, 1.0);
            if (k > 0) {  // among the cells
                const int at = (int)(bi_random_next(&random) % (uint64_t)grid.box_count);
                const Lv c = grid.boxes[at].centre;
                const BerthVec3 off = test_pose(&random, 0.4).t;
                pose.t = v3_add(v3((double)c.x, (double)c.y, (double)c.z), off);
            }
            BrutePart part = brute_solid(body);
            grid_pose_part(&part, &pose);
            const BruteGap truth = grid_gap(&grid, &part);
            compare(query, map, &map_pose, body, &pose, &truth, &tally);
            brute_free_part(&part);
            berth_solid_destroy(body);
        }
        berth_solid_destroy(map);
        grid_close(&grid);
    }
    printf("%d hits, %d of them inside, %d free, %d unknown\n", tally.hits, tally.contained, tally.free,
           tally.unknown);
    assert_true(tally.hits > rounds && tally.free > rounds && tally.unknown <= rounds / 50);
    assert_true(tally.contained > 0 || rounds < 200);
    berth_tree_query_destroy(query);
}

// Points: in a cell that is an obstacle, in another, on borders.
static void insides_are_those_of_the_cells(void** state) {
    (void)state;
    Random random = {33};
    static Grid grid;
    for (int round = 0; round < test_scaled(100); ++round) {
        grid_random(&random, round % 3 == 0 ? 2 : 3, GRID_SIDE, round % 2 == 0 ? 0.1 : 0.125, &grid);
        BerthSolid* map = grid_solid(&grid, NULL);
        assert_non_null(map);
        for (int k = 0; k < 1000; ++k) {
            int cell[3];
            double at[3];
            bool border = false;
            for (int axis = 0; axis < 3; ++axis) {
                cell[axis] = (int)(bi_random_next(&random) % (uint64_t)(grid.size[axis] + 4)) - 2;
                const bool flat = grid.dim == 2 && axis == 2;
                const double share = k % 5 == 0 ? 0.0 : bi_random_between(&random, 1e-6, 1.0 - 1e-6);
                border = border || share == 0.0;
                at[axis] = flat ? grid.height[0] + (grid.height[1] - grid.height[0]) * (cell[axis] + share)
                                : v3_at(grid.origin, axis) + grid.resolution * (cell[axis] + share);
            }
            bool inside = blocks_at(&grid, cell);
            for (int n = 1; border && n < 8; ++n) {  // any of the eight that meet there
                const int other[3] = {cell[0] - (n & 1), cell[1] - (n >> 1 & 1), cell[2] - (n >> 2 & 1)};
                inside = inside || blocks_at(&grid, other);
            }
            assert_int_equal(bi_solid_contains(map, v3(at[0], at[1], at[2])), inside);
        }
        assert_true(bi_solid_contains(map, v3((double)NAN, 0, 0)));
        berth_solid_destroy(map);
    }
}

// A cloud: distances to the nearest point; points inside of closed meshes are found, however many there are.
static void clouds_are_their_points(void** state) {
    (void)state;
    Random random = {34};
    enum { MOST = 3000 };
    BerthVec3* points = calloc(MOST, sizeof *points);
    BrutePart* dots = calloc(MOST, sizeof *dots);
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1 << 30, NULL, &query), BERTH_OK);
    const BerthShape dot = {.kind = BERTH_SPHERE};
    Tally tally = {0};
    const int rounds = test_scaled(150);
    for (int round = 0; round < rounds; ++round) {
        const int count =
            round % 10 == 0 ? 1 : 1 + (int)(bi_random_next(&random) % (round % 15 == 1 ? MOST : 200));
        const BerthPose cloud_pose = test_pose(&random, 1.0);
        const Lpose world_cloud = lpose_of(&cloud_pose);
        const BerthPose still = pose_identity();
        for (int i = 0; i < count; ++i) {
            points[i] = test_pose(&random, 1.0).t;
            if (round % 4 == 1) {  // a wall
                points[i].x = 0.5;
            }
            if (i > 0 && i % 17 == 0) {
                points[i] = points[i - 1];
            }
            dots[i] = brute_shape(&dot);
            dots[i].body_from_part = lpose_of(&still);
            Lpose at = world_cloud;
            at.t = lpose_apply(&world_cloud, lv_of(points[i]));
            brute_pose_part(&dots[i], &at);
        }
        BerthSolid* cloud = NULL;
        assert_int_equal(berth_solid_from_points(points, count, NULL, &cloud), BERTH_OK);
        assert_int_equal(berth_solid_point_count(cloud), count);
        for (int k = 0; k < 6; ++k) {
            BerthSolid* body = NULL;
            if (k < 3) {
                body = test_solid((TestMeshKind)(round % 4), 60, k == 0 ? 0.6 : 0.2, &random);
            } else {
                const BerthShape shape =
                    test_shape((BerthShapeKind)(round % (BERTH_TRIANGLE + 1)), k == 3 ? 0.6 : 0.2, &random);
                berth_solid_from_shape(&shape, NULL, &body);
            }
            BerthPose pose = test_pose(&random, 1.0);
            pose.t = pose_apply(&cloud_pose, v3_add(points[0], v3_scale(pose.t, 0.3)));
            BrutePart part = brute_solid(body);
            grid_pose_part(&part, &pose);
            BruteGap truth = {.lower = INFINITY, .upper = INFINITY};
            for (int i = 0; i < count; ++i) {
                const BruteGap gap = brute_gap(&dots[i], &part);
                truth.lower = gap.lower < truth.lower ? gap.lower : truth.lower;
                truth.upper = gap.upper < truth.upper ? gap.upper : truth.upper;
            }
            compare(query, cloud, &cloud_pose, body, &pose, &truth, &tally);
            brute_free_part(&part);
            berth_solid_destroy(body);
        }
        for (int i = 0; i < count; ++i) {
            brute_free_part(&dots[i]);
        }
        berth_solid_destroy(cloud);
    }
    printf("%d hits, %d of them inside, %d free, %d unknown\n", tally.hits, tally.contained, tally.free,
           tally.unknown);
    assert_true(tally.hits > rounds && tally.free > rounds && tally.unknown <= rounds / 20);
    assert_true(tally.contained > rounds / 4);
    free(points);
    free(dots);
    berth_tree_query_destroy(query);
}

// A few boxes hold every cell that is an obstacle, and the more there are the less else.
static void boxes_cover_the_cells(void** state) {
    (void)state;
    Random random = {37};
    static Grid grid;
    const BerthAllocator from = bi_allocator_or_default(NULL);
    double volume[3] = {0.0, 0.0, 0.0};
    for (int round = 0; round < test_scaled(100); ++round) {
        grid_random(&random, round % 3 == 0 ? 2 : 3, GRID_SIDE, 0.1, &grid);
        BerthSolid* map = grid_solid(&grid, NULL);
        const BerthPose still = pose_identity();
        grid_open(&grid, &still);
        for (int k = 0; k < 3; ++k) {
            SolidBox boxes[64];
            int32_t count = 0;
            assert_int_equal(bi_cell_boxes(map->cells,
                                           k == 0   ? 1
                                           : k == 1 ? 8
                                                    : 64,
                                           &from, boxes, &count),
                             BERTH_OK);
            assert_true(count >= 1 && count <= (k == 0 ? 1 : k == 1 ? 8 : 64));
            for (int32_t i = 0; i < count; ++i) {
                const Vec3 d = v3_sub(boxes[i].high, boxes[i].low);
                volume[k] += d.x * d.y * d.z;
            }
            for (int b = 0; b < grid.box_count; ++b) {
                bool held = false;
                for (int32_t i = 0; i < count && !held; ++i) {
                    held = true;
                    for (int c = 0; c < 8; ++c) {
                        const BerthVec3 p = grid.boxes[b].points[c];
                        held = held && p.x >= boxes[i].low.x && p.y >= boxes[i].low.y &&
                               p.z >= boxes[i].low.z && p.x <= boxes[i].high.x && p.y <= boxes[i].high.y &&
                               p.z <= boxes[i].high.z;
                    }
                }
                assert_true(held);
            }
        }
        grid_close(&grid);
        berth_solid_destroy(map);
    }
    printf("volume of 1, 8, 64 boxes: %.3g, %.3g, %.3g m3\n", volume[0], volume[1], volume[2]);
    assert_true(volume[1] < 0.8 * volume[0] && volume[2] < volume[1]);
}

// Boxes, RSS and spheres say the same.
static void engines_agree(void** state) {
    (void)state;
    Random random = {35};
    static Grid grid;
    BerthTreeQuery* queries[BERTH_ENGINE_COUNT];
    for (int engine = 0; engine < BERTH_ENGINE_COUNT; ++engine) {
        assert_int_equal(berth_tree_query_create(1 << 30, NULL, &queries[engine]), BERTH_OK);
    }
    for (int round = 0; round < test_scaled(60); ++round) {
        BerthSolid* solids[2] = {NULL, test_solid((TestMeshKind)(round % 4), 60, 0.3, &random)};
        if (round % 2 == 0) {
            grid_random(&random, 3, 10, 0.1, &grid);
            solids[0] = grid_solid(&grid, NULL);
        } else {
            BerthVec3 points[64];
            for (int i = 0; i < 64; ++i) {
                points[i] = test_pose(&random, 0.6).t;
            }
            berth_solid_from_points(points, 64, NULL, &solids[0]);
        }
        for (int engine = 0; engine < BERTH_ENGINE_COUNT; ++engine) {
            assert_int_equal(berth_tree_query_use(queries[engine], (BerthEngine)engine,
                                                  (const BerthSolid* const*)solids, 2),
                             BERTH_OK);
        }
        for (int k = 0; k < 50; ++k) {
            const BerthPose still = pose_identity(), pose = test_pose(&random, 1.0);
            const BerthTreeRequest request = berth_default_tree_request();
            const BerthTreeAnswer d =
                berth_tree_distance(queries[0], solids[0], &still, solids[1], &pose, &request);
            for (int engine = 1; engine < BERTH_ENGINE_COUNT; ++engine) {
                const BerthTreeAnswer other =
                    berth_tree_distance(queries[engine], solids[0], &still, solids[1], &pose, &request);
                assert_int_equal(other.verdict, d.verdict);
                assert_true(fabs(other.upper - d.upper) < 1e-12);
            }
        }
        for (int engine = 0; engine < BERTH_ENGINE_COUNT; ++engine) {
            assert_int_equal(berth_tree_query_use(queries[engine], BERTH_ENGINE_DEFAULT, NULL, 0), BERTH_OK);
        }
        berth_solid_destroy(solids[0]);
        berth_solid_destroy(solids[1]);
    }
    for (int engine = 0; engine < BERTH_ENGINE_COUNT; ++engine) {
        berth_tree_query_destroy(queries[engine]);
    }
}

static BerthStatus make_cells(void* grid, const BerthAllocator* allocator) {
    BerthSolid* solid = grid_solid(grid, allocator);
    const BerthStatus status = solid != NULL ? BERTH_OK : BERTH_ERR_MEMORY;
    berth_solid_destroy(solid);
    return status;
}

static BerthStatus make_points(void* points, const BerthAllocator* allocator) {
    BerthSolid* solid = (BerthSolid*)points;
    const BerthStatus status = berth_solid_from_points(points, 100, allocator, &solid);
    assert_int_equal(solid != NULL, status == BERTH_OK);
    berth_solid_destroy(solid);
    return status;
}

static void memory_may_run_out(void** state) {
    (void)state;
    Random random = {36};
    static Grid grid;
    BerthVec3 points[100];
    for (int i = 0; i < 100; ++i) {
        points[i] = test_pose(&random, 1.0).t;
    }
    grid_random(&random, 3, 8, 0.1, &grid);
    assert_true(starve(make_cells, &grid) > 5);
    assert_true(starve(make_points, points) > 5);
}

static void wrong_sets_are_refused(void** state) {
    (void)state;
    const CellCube cube = {{0, 0, 0}, 1};
    CellSet set = {.dim = 3,
                   .size = {4, 4, 4},
                   .resolution = 1.0,
                   .cube_count = 1,
                   .cubes = &cube,
                   .triangle_limit = 12};
    BerthSolid* solid = NULL;
    assert_int_equal(bi_solid_from_cells(&set, NULL, &solid), BERTH_OK);
    BerthCellsInfo info;
    assert_true(berth_solid_cells(solid, &info) && info.triangle_count == 12 && info.dim == 3);
    assert_int_equal(berth_mesh_info(berth_solid_mesh(solid)).vertex_count, 8);
    assert_true(berth_mesh_info(berth_solid_mesh(solid)).volume == 1.0);
    berth_solid_destroy(solid);
    set.triangle_limit = 10;
    assert_int_equal(bi_solid_from_cells(&set, NULL, &solid), BERTH_ERR_CAPACITY);
    assert_non_null(strstr(berth_error_text(), "12 triangles"));
    set.triangle_limit = 100;
    set.origin.x = 1e8;
    assert_int_equal(bi_solid_from_cells(&set, NULL, &solid), BERTH_ERR_ARGUMENT);
    set.origin.x = 1e6;
    set.resolution = 1e-9;
    assert_int_equal(bi_solid_from_cells(&set, NULL, &solid), BERTH_ERR_ARGUMENT);
    set.resolution = 1.0;
    set.cube_count = 0;  // empty: infinitely far from everything
    assert_int_equal(bi_solid_from_cells(&set, NULL, &solid), BERTH_OK);
    Random random = {1};
    BerthSolid* ball = test_solid(TEST_MESH_BALL, 40, 1.0, &random);
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(1000, NULL, &query), BERTH_OK);
    const BerthPose still = pose_identity();
    const BerthTreeRequest request = berth_default_tree_request();
    const BerthTreeAnswer far = berth_tree_distance(query, ball, &still, solid, &still, &request);
    assert_true(far.verdict == BERTH_FREE && far.lower == (double)INFINITY);
    assert_int_equal(berth_tree_collide(query, solid, &still, ball, &still, 0.1).verdict, BERTH_FREE);
    BerthCounters counters = {0};
    assert_true(berth_tree_greedy(query, solid, &still, ball, &still, 0.1, &counters) > 1e3);
    const BerthSolid* both[2] = {solid, ball};
    assert_int_equal(berth_tree_query_use(query, BERTH_ENGINE_SPHERES, both, 2), BERTH_OK);
    assert_int_equal(berth_tree_collide(query, solid, &still, ball, &still, 0.1).verdict, BERTH_FREE);
    const BerthSpheresDef spheres = berth_default_spheres_def();
    BerthSpheres* fitted = NULL;
    assert_int_equal(berth_solid_fit_spheres(solid, &spheres, &fitted), BERTH_ERR_ARGUMENT);
    assert_true(berth_solid_bytes(solid) > 0);
    berth_tree_query_destroy(query);
    berth_solid_destroy(ball);
    berth_solid_destroy(solid);
    set.cube_count = 1;
    set.dim = 2;
    set.size[2] = 1;
    assert_int_equal(bi_solid_from_cells(&set, NULL, &solid), BERTH_ERR_ARGUMENT);  // no height
    const BerthVec3 bad = {0, (double)NAN, 0};
    assert_int_equal(berth_solid_from_points(&bad, 1, NULL, &solid), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_solid_from_points(&bad, 0, NULL, &solid), BERTH_ERR_ARGUMENT);
    assert_null(solid);
}

int test_tree_cells(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_is_complete),
        cmocka_unit_test(gaps_are_those_of_the_cells),
        cmocka_unit_test(insides_are_those_of_the_cells),
        cmocka_unit_test(clouds_are_their_points),
        cmocka_unit_test(boxes_cover_the_cells),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(wrong_sets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
