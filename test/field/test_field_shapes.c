// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Shapes and fields: the gap of a posed shape equals the least gap to any obstacle box, within its bounds; points and meshes paint every cell that they touch,
// and no cell that is clearly clear of them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "field/field.h"
#include "math/math.h"
#include "support/setting.h"

static int below(Random* random, int n) {
    return (int)(bi_random_next(random) % (uint64_t)n);
}

static BerthShape random_shape(Random* random, double size) {
    BerthShape shape;
    const double a = bi_random_between(random, 0.1 * size, size),
                 b = bi_random_between(random, 0.1 * size, size);
    switch (below(random, 7)) {
    case 0:
        assert_int_equal(berth_shape_sphere(0.5 * a, &shape), BERTH_OK);
        break;
    case 1:
        assert_int_equal(berth_shape_capsule(0.2 * a, 2.0 * b, &shape), BERTH_OK);
        break;
    case 2:
        assert_int_equal(berth_shape_cylinder(0.3 * a, b, &shape), BERTH_OK);
        break;
    case 3:
        assert_int_equal(berth_shape_cone(0.4 * a, b, &shape), BERTH_OK);
        break;
    case 4: {
        const BerthVec3 t[3] = {{a, 0, 0}, {0, b, 0.1}, {-b, 0.2 * a, b}};
        assert_int_equal(berth_shape_triangle(t, &shape), BERTH_OK);
        break;
    }
    case 5:
        assert_int_equal(berth_shape_halfspace((BerthVec3){a - b, 0.3 * a, b}, -0.3 * size, &shape),
                         BERTH_OK);
        break;
    default:
        assert_int_equal(berth_shape_box((BerthVec3){a, b, 0.3 * size}, &shape), BERTH_OK);
        break;
    }
    return shape;
}

/// A field and its obstacles' boxes as shapes.
typedef struct World {
    BerthField* field;
    BerthFieldInfo info;
    double height[2];
    bool has_height;
} World;

static World make_world(Random* random) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = 2 + below(random, 2);
    def.levels = 1 + below(random, 4);
    def.resolution = 0.05;
    def.origin = (BerthVec3){bi_random_between(random, -1, 1), bi_random_between(random, -1, 1),
                             bi_random_between(random, -1, 1)};
    def.unknown_is_free = below(random, 2) == 0;
    BerthFieldBuilder* builder = NULL;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    const int32_t cells = 1 << def.levels;
    for (int i = below(random, 14); i > 0; --i) {
        assert_int_equal(berth_field_add_cell(builder, below(random, cells), below(random, cells),
                                              below(random, cells), (BerthCellColour)(1 + below(random, 2))),
                         BERTH_OK);
    }
    World world = {.has_height = def.dim == 2 && below(random, 2) == 0};
    world.height[0] = bi_random_between(random, -1, 0);
    world.height[1] = bi_random_between(random, 0, 1);
    assert_int_equal(berth_field_build(builder, &world.field), BERTH_OK);
    world.info = berth_field_info(world.field);
    berth_field_builder_destroy(builder);
    return world;
}

static BerthGap brute_gap(const World* world, const BerthShape* shape, const BerthPose* pose) {
    BerthGap best = {INFINITY, INFINITY, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
    const double e = world->info.resolution;
    for (int64_t i = 0; i < world->info.occupied_count + world->info.unknown_count; ++i) {
        const BerthFieldLeaf leaf = berth_field_solid_leaf(world->field, i);
        if (leaf.colour == BERTH_CELL_UNKNOWN && world->info.unknown_is_free) {
            continue;
        }
        BerthShape box;
        BerthVec3 size = {e * leaf.width, e * leaf.width, e * leaf.width};
        BerthPose at = berth_pose_identity();
        at.t = (BerthVec3){world->info.origin.x + e * (leaf.low[0] + 0.5 * leaf.width),
                           world->info.origin.y + e * (leaf.low[1] + 0.5 * leaf.width),
                           world->info.origin.z + e * (leaf.low[2] + 0.5 * leaf.width)};
        if (world->info.dim == 2) {
            const double low = world->has_height ? world->height[0] : -10,
                         high = world->has_height ? world->height[1] : 10;
            size.z = high - low;
            at.t.z = 0.5 * (low + high);
        }
        assert_int_equal(berth_shape_box(size, &box), BERTH_OK);
        const BerthGap gap = berth_shape_gap(shape, pose, &box, &at);
        best.lower = fmin(best.lower, gap.lower);
        best.upper = fmin(best.upper, gap.upper);
    }
    return best;
}

static void gaps_of_shapes(void** state) {
    (void)state;
    Random random = {11};
    const double near = 1e-9, rounding = 1e-14;  // of brute force's own witnesses
    for (int round = 0; round < test_scaled(400); ++round) {
        const World world = make_world(&random);
        const double* height = world.has_height ? world.height : NULL;
        for (int i = 0; i < 12; ++i) {
            const BerthShape shape = random_shape(&random, 0.3);
            if (shape.kind == BERTH_HALFSPACE && world.info.dim == 2 && height == NULL) {
                continue;  // two endless bodies
            }
            const double width = world.info.resolution * (1 << world.info.levels);
            const Vec3 t = v3(world.info.origin.x + bi_random_between(&random, -0.5, width + 0.5),
                              world.info.origin.y + bi_random_between(&random, -0.5, width + 0.5),
                              world.info.origin.z + bi_random_between(&random, -0.5, width + 0.5));
            const BerthPose pose = bi_pose_from_unit_quat(bi_random_quat(&random), t);
            const BerthGap truth = brute_gap(&world, &shape, &pose);
            const BerthGap whole =
                berth_field_gap(world.field, &shape, &pose, height, -INFINITY, INFINITY, INT32_MAX);
            assert_true(whole.lower <= truth.upper + rounding && whole.upper >= truth.lower - near);
            if (truth.upper == INFINITY) {
                assert_true(whole.lower == INFINITY);
                continue;
            }
            if (truth.lower > 0) {  // depths of one obstacle may be bounded more or less tightly
                assert_true(fabs(whole.upper - truth.upper) < near && fabs(whole.lower - truth.lower) < near);
                const double apart = v3_distance(whole.point_a, whole.point_b);
                assert_true(fabs(apart - whole.upper) < near || shape.kind == BERTH_HALFSPACE);
            } else {
                assert_true(whole.upper <= near);
            }
            // Less is asked for: the bounds still hold, and say what was asked.
            const double least = bi_random_between(&random, -0.1, 0.3),
                         most = least + bi_random_between(&random, 0, 0.3);
            const BerthGap part = berth_field_gap(world.field, &shape, &pose, height, least, most, INT32_MAX);
            assert_true(part.lower <= truth.upper + rounding && part.upper >= truth.lower - near);
            if (truth.lower > most) {
                assert_true(part.lower > most || part.lower >= truth.lower - near);
            } else if (truth.upper <= least - near) {
                assert_true(part.upper <= least);
            } else if (truth.lower > least + near && truth.lower > 0) {
                assert_true(fabs(part.lower - truth.lower) < near);
            }
            for (int budget = 0; budget < 8; ++budget) {
                const BerthGap poor =
                    berth_field_gap(world.field, &shape, &pose, height, -INFINITY, INFINITY, budget);
                assert_true(poor.lower <= truth.upper + rounding && poor.upper >= truth.lower - near);
            }
        }
        berth_field_destroy(world.field);
    }
}

static void gaps_of_nonsense(void** state) {
    (void)state;
    Random random = {12};
    const World world = make_world(&random);
    BerthShape shape;
    assert_int_equal(berth_shape_sphere(0.1, &shape), BERTH_OK);
    for (int k = 0; k < 3; ++k) {
        BerthPose pose = berth_pose_identity();
        pose.t.x = k == 0 ? NAN : k == 1 ? INFINITY : 0;
        const BerthGap gap = berth_field_gap(world.field, &shape, &pose, NULL, 0, k == 2 ? NAN : 1, 1000);
        assert_true(gap.lower == -INFINITY && gap.upper == INFINITY);
    }
    berth_field_destroy(world.field);
}

// A box that is turned, as a mesh and as a shape: the shape says which cells it touches.
static void meshes_fill_their_cells(void** state) {
    (void)state;
    Random random = {13};
    static const int32_t t[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    int black = 0, white = 0;
    for (int round = 0; round < test_scaled(60); ++round) {
        const Vec3 half = v3(bi_random_between(&random, 0.05, 0.5), bi_random_between(&random, 0.05, 0.5),
                             bi_random_between(&random, 0.05, 0.5));
        BerthVec3 v[8];
        for (int i = 0; i < 8; ++i) {
            v[i] = v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        }
        BerthMesh* mesh = NULL;
        assert_int_equal(berth_mesh_create(v, 8, t, round % 4 == 3 ? 11 : 12, NULL, &mesh),
                         BERTH_OK);  // one with a hole
        BerthShape shape;
        assert_int_equal(berth_shape_box((BerthVec3){2 * half.x, 2 * half.y, 2 * half.z}, &shape), BERTH_OK);
        const Vec3 at = v3(bi_random_between(&random, -0.6, 0.6), bi_random_between(&random, -0.6, 0.6),
                           bi_random_between(&random, -0.6, 0.6));
        BerthPose pose = bi_pose_from_unit_quat(bi_random_quat(&random), at);
        if (round % 3 == 0) {  // along the cells
            pose = berth_pose_identity();
        }
        BerthFieldDef def = berth_default_field_def();
        def.levels = 4;
        def.resolution = 0.0625;
        def.origin = (BerthVec3){-0.5, -0.5, -0.5};
        // A map that ends before the mesh does: its surface has a hole there, and once the inside ran out through it.
        const int32_t size[3] = {round % 2 == 0 ? 16 : 11, 16, round % 5 == 0 ? 9 : 16};
        memcpy(def.size, size, sizeof size);
        BerthFieldBuilder* builder = NULL;
        BerthField* field = NULL;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        assert_int_equal(berth_field_add_mesh(builder, mesh, &pose), BERTH_OK);
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        BerthShape cube;
        assert_int_equal(berth_shape_box((BerthVec3){0.0625, 0.0625, 0.0625}, &cube), BERTH_OK);
        for (int z = 0; z < size[2]; ++z) {
            for (int y = 0; y < size[1]; ++y) {
                for (int x = 0; x < size[0]; ++x) {
                    BerthPose place = berth_pose_identity();
                    place.t =
                        v3(-0.5 + 0.0625 * (x + 0.5), -0.5 + 0.0625 * (y + 0.5), -0.5 + 0.0625 * (z + 0.5));
                    const BerthGap gap = berth_shape_gap(&shape, &pose, &cube, &place);
                    const bool occupied = berth_field_colour_at(field, x, y, z) == BERTH_CELL_OCCUPIED;
                    if (gap.lower > 1e-9) {
                        assert_false(occupied);
                        ++white;
                    } else if (gap.upper <= 0 && round % 4 != 3) {
                        assert_true(occupied);
                        ++black;
                    }
                }
            }
        }
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
        berth_mesh_destroy(mesh);
    }
    assert_true(black > 0 && white > 0);
}

static void points_fill_their_cells(void** state) {
    (void)state;
    Random random = {14};
    for (int round = 0; round < test_scaled(200); ++round) {
        BerthFieldDef def = berth_default_field_def();
        def.dim = 2 + round % 2;
        def.levels = 3;
        def.resolution = 0.5;
        def.size[0] = 7;
        const double radius = round % 5 == 0 ? 0.0 : bi_random_between(&random, 0, 1.5);
        const BerthVec3 points[3] = {{bi_random_between(&random, -1, 5), bi_random_between(&random, -1, 5),
                                      bi_random_between(&random, -1, 5)},
                                     {NAN, 1, 1},
                                     {1, 100, 1}};
        BerthFieldBuilder* builder = NULL;
        BerthField* field = NULL;
        size_t dropped = 99;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        assert_int_equal(berth_field_add_points(builder, points, 3, radius, &dropped), BERTH_OK);
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        const double c[3] = {points[0].x / 0.5, points[0].y / 0.5, points[0].z / 0.5};
        const int32_t size[3] = {7, 8, def.dim == 2 ? 1 : 8};
        int painted = 0;
        for (int z = 0; z < size[2]; ++z) {
            for (int y = 0; y < 8; ++y) {
                for (int x = 0; x < 7; ++x) {
                    const int32_t cell[3] = {x, y, z};
                    double sum = 0;
                    for (int axis = 0; axis < def.dim; ++axis) {
                        const double gap = fmax(fmax(cell[axis] - c[axis], c[axis] - cell[axis] - 1), 0);
                        sum += gap * gap;
                    }
                    const bool occupied = berth_field_colour_at(field, x, y, z) == BERTH_CELL_OCCUPIED;
                    painted += occupied;
                    if (fabs(sqrt(sum) - radius / 0.5) > 1e-9) {
                        assert_true(occupied == (sqrt(sum) < radius / 0.5));
                    } else if (radius == 0.0) {
                        assert_true(occupied || painted <= 1);
                    }
                }
            }
        }
        assert_true(dropped == 2 || (dropped == 3 && painted == 0));
        assert_int_equal(berth_field_add_points(builder, points, 3, -1.0, NULL), BERTH_ERR_ARGUMENT);
        assert_int_equal(berth_field_add_points(builder, points, 3, NAN, NULL), BERTH_ERR_ARGUMENT);
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
}

// What a map would need is said before anything is taken; work can be stopped.
static bool stop_soon(void* user, double share) {
    assert_true(share >= 0.0 && share <= 1.0);
    return ++*(int*)user < 3;
}

static void limits_are_told(void** state) {
    (void)state;
    BerthFieldDef def = berth_default_field_def();
    def.levels = 16;
    def.parts = BERTH_FIELD_DM;
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    assert_true(berth_field_dense_bytes(&def) == (uint64_t)2 << 48);
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_ERR_MEMORY);
    assert_null(builder);
    assert_non_null(strstr(berth_error_text(), "562949953421312 bytes"));
    assert_non_null(strstr(berth_error_text(), "65536 x 65536 x 65536 cells"));
    // Sixteen levels and an EODM, though.
    def.parts = BERTH_FIELD_EODM | BERTH_FIELD_ODM | BERTH_FIELD_LISTS;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    assert_int_equal(berth_field_add_cell(builder, 65535, 65535, 65535, BERTH_CELL_OCCUPIED), BERTH_OK);
    assert_int_equal(berth_field_add_cell(builder, 3, 30000, 65535, BERTH_CELL_OCCUPIED), BERTH_OK);
    assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
    for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
        BerthFieldAnswer answer;
        if (method == BERTH_FIELD_BY_DM || method == BERTH_FIELD_BY_EUCLID) {
            continue;
        }
        assert_int_equal(berth_field_query_by(field, (BerthFieldMethod)method, BERTH_METRIC_L1,
                                              (BerthVec3){0, 0, 0}, 95536, &answer),
                         BERTH_OK);
        assert_true(answer.lower == 95538 && answer.upper == 95538 && answer.verdict == BERTH_FREE);
    }
    berth_field_destroy(field);
    berth_field_builder_destroy(builder);
    def.levels = 6;
    def.memory_limit = 10000;
    const uint32_t parts[] = {BERTH_FIELD_EODM, BERTH_FIELD_LISTS, BERTH_FIELD_DM};
    for (int k = 0; k < 3; ++k) {
        def.parts = parts[k];
        if (parts[k] == BERTH_FIELD_DM) {
            assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_ERR_MEMORY);
            continue;
        }
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        for (int i = 0; i < 640; ++i) {
            assert_int_equal(berth_field_add_cell(builder, i % 64, 37 * i % 64, 11 * (i + i / 64) % 64,
                                                  BERTH_CELL_OCCUPIED),
                             BERTH_OK);
        }
        assert_int_equal(berth_field_build(builder, &field), BERTH_ERR_MEMORY);
        assert_non_null(strstr(berth_error_text(), "limit"));
        berth_field_builder_destroy(builder);
    }
    def.memory_limit = 0;
    def.parts = BERTH_FIELD_ALL_PARTS;
    int calls = 0;
    def.progress = stop_soon;
    def.progress_user = &calls;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    for (int i = 0; i < 64; ++i) {
        assert_int_equal(berth_field_add_cell(builder, i, 37 * i % 64, 11 * i % 64, BERTH_CELL_OCCUPIED),
                         BERTH_OK);
    }
    assert_int_equal(berth_field_build(builder, &field), BERTH_ERR_CANCELLED);
    assert_null(field);
    berth_field_builder_destroy(builder);
}

// How many nodes a box is made of, against painting it; and boxes that are refused before they are painted.
static void boxes_are_counted(void** state) {
    (void)state;
    Random random = {14};
    BerthFieldDef def = berth_default_field_def();
    for (int i = 0; i < 300; ++i) {
        BerthFieldBuilder* builder = NULL;
        BerthField* field = NULL;
        def.dim = 2 + i % 2;
        def.levels = 5;
        int32_t low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = (int32_t)(bi_random_next(&random) % 32);
            high[axis] = low[axis] + 1 + (int32_t)(bi_random_next(&random) % (uint64_t)(32 - low[axis]));
        }
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        assert_int_equal(berth_field_add_box(builder, low, high, BERTH_CELL_OCCUPIED), BERTH_OK);
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        assert_int_equal(berth_field_box_nodes(def.dim, low, high), berth_field_info(field).occupied_count);
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }

    // One cell less than the cube: its surface is some 2^33 cells.
    BerthFieldBuilder* builder = NULL;
    def.dim = 3;
    def.levels = 16;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    const int32_t low[3] = {0, 0, 0}, high[3] = {65535, 65535, 65535};
    assert_true(berth_field_box_nodes(3, low, high) > (uint64_t)1 << 33);
    assert_int_equal(berth_field_add_box(builder, low, high, BERTH_CELL_OCCUPIED), BERTH_ERR_MEMORY);
    assert_non_null(strstr(berth_error_text(), "65536 x 65536 x 65536 cells would need about"));
    berth_field_builder_destroy(builder);
    def.background = BERTH_CELL_UNKNOWN;
    def.size[0] = def.size[1] = def.size[2] = 65535;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_ERR_MEMORY);
}

int test_field_shapes(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_shapes),          cmocka_unit_test(gaps_of_nonsense),
        cmocka_unit_test(meshes_fill_their_cells), cmocka_unit_test(points_fill_their_cells),
        cmocka_unit_test(limits_are_told),         cmocka_unit_test(boxes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
