// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls that end 1e-16 to 1e-9 m before or behind the border of a voxel, in OctoMaps whose corner is kilometres away, and in volumes and
// images that are up to 9,000 km away. Truth is in GMP's
// rationals: voxel k reaches from k * res to (k + 1) * res, with res the double of the file, and once more with res its decimal number. Also
// files of a few hundred bytes that stand for the whole cube: small answers or clear refusals.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <berth/io/map.h>
#include <berth/lab/field.h>
#include <berth/scene.h>

#include "io/map/map_cells.h"
#include "math/math.h"
#include "support/dice.h"
#include "support/program.h"
#include "support/setting.h"

enum { HALF = 32768, VOXELS = 3 };

/// Voxels by their places: [low, low + 2^scale) times the resolution from the origin on. An OctoMap's is the middle of its cube.
typedef struct Voxels {
    int dim;
    double origin[3];
    double resolution;
    int numerator, denominator;  // of the resolution as it is written
    int32_t low[VOXELS][3];
    int scale[VOXELS];
    bool stretched;  // a free leaf at the far end of the cube
} Voxels;

static void add_leaf(MapCells* cells, const int32_t low[3], int scale, BerthCellColour colour) {
    const CellNode node = {(uint16_t)(low[0] + HALF), (uint16_t)(low[1] + HALF), (uint16_t)(low[2] + HALF),
                           (uint8_t)scale, (uint8_t)colour};
    assert_int_equal(bi_map_cells_add(cells, node), BERTH_OK);
}

static void write_octomap(const char* path, double resolution, MapCells* cells) {
    cells->dimensions = 3;
    cells->rest = BERTH_CELL_UNKNOWN;
    cells->resolution = resolution;
    cells->origin = (BerthVec3){-HALF * resolution, -HALF * resolution, -HALF * resolution};
    cells->size[0] = cells->size[1] = cells->size[2] = BI_MAP_SIDE_MAX;

    TextOut out = {.bytes.allocator = berth_default_allocator()};
    assert_int_equal(bi_io_octomap_bytes(path, cells, &out), BERTH_OK);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(out.bytes.data, 1, out.bytes.size, file), out.bytes.size);
    fclose(file);
    bi_io_free_file(&out.bytes);
}

#if BERTH_HAVE_ORACLES
#include <gmp.h>

static BerthField* read_octomap(const char* path, uint32_t parts) {
    BerthMapOptions options = berth_default_map_options();
    options.unknown_given = options.unknown_is_free = true;
    options.parts = parts;
    const BerthIoOptions io = berth_default_io_options();
    BerthField* field = NULL;
    if (berth_io_read_field(path, &options, &io, &field, NULL) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return field;
}

static Voxels roll_voxels(void) {
    static const int fractions[][2] = {{5, 100}, {1, 10}, {7, 100}, {3, 100}};
    Voxels v = {.dim = 3, .stretched = dice_choose(3) == 0};
    const int which = dice_choose(4);
    v.numerator = fractions[which][0];
    v.denominator = fractions[which][1];
    v.resolution = (double)v.numerator / v.denominator;

    // Near the middle, somewhere, or at the ends of the cube; apart from each other by multiples of 8.
    const int32_t reach = dice_choose(3) == 0 ? 40 : HALF - 64;
    int32_t corner[3];
    for (int axis = 0; axis < 3; ++axis) {
        corner[axis] = (int32_t)dice_between(-reach, reach - 32) & ~7;
    }
    for (int i = 0; i < VOXELS; ++i) {
        v.scale[i] = dice_choose(3);
        for (int axis = 0; axis < 3; ++axis) {
            v.low[i][axis] = corner[axis] + 8 * i + ((dice_choose(8) >> v.scale[i]) << v.scale[i]);
        }
    }
    return v;
}

static BerthField* field_of(const Voxels* v) {
    MapCells cells;
    bi_map_cells_init(&cells, NULL, 0);
    const int32_t corner[3] = {v->low[0][0] & ~7, v->low[0][1] & ~7, v->low[0][2] & ~7};

    // Free cells around them, so that centres are inside of the map.
    for (int side = 0; side < 2; ++side) {
        const int32_t at[3] = {corner[0] + (side == 0 ? -8 : 31), corner[1] + (side == 0 ? -8 : 31),
                               corner[2] + (side == 0 ? -8 : 31)};
        add_leaf(&cells, at, 0, BERTH_CELL_FREE);
    }
    if (v->stretched) {
        const int32_t in = dice_choose(4000);
        const int32_t end = corner[0] < 0 ? HALF - 1 - in : -HALF + in;
        add_leaf(&cells, (int32_t[3]){end, end, end}, 0, BERTH_CELL_FREE);
    }
    for (int i = 0; i < VOXELS; ++i) {
        add_leaf(&cells, v->low[i], v->scale[i], BERTH_CELL_OCCUPIED);
    }

    const char* path = program_temporary("far.bt");
    write_octomap(path, v->resolution, &cells);
    bi_map_cells_free(&cells);
    // Of a map that is wide most parts take seconds.
    return read_octomap(path, v->stretched ? 0u : (uint32_t)BERTH_FIELD_ALL_PARTS);
}

// A volume or an image of 48 cells a side, anywhere up to 9,000 km away.
static Voxels roll_volume(void) {
    static const int fractions[][2] = {{5, 100}, {1, 10}, {7, 100},  {3, 100},
                                       {1, 4},   {3, 16}, {1, 1000}, {1, 1}};
    static const double reaches[] = {0.0, 1.0, 100.0, 3000.0, 1e5, 1e6, 9e6};
    Voxels v = {.dim = 2 + dice_choose(2)};
    const int which = dice_choose(8);
    v.numerator = fractions[which][0];
    v.denominator = fractions[which][1];
    v.resolution = (double)v.numerator / v.denominator;

    const double reach = reaches[dice_choose(7)];
    for (int axis = 0; axis < v.dim; ++axis) {
        v.origin[axis] = dice_between(-reach, reach);
        for (int i = 0; i < VOXELS; ++i) {
            v.scale[i] = 0;
            v.low[i][axis] = 4 + dice_choose(40);
        }
    }
    return v;
}

static BerthField* volume_of(const Voxels* v) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = v->dim;
    def.levels = 6;
    def.resolution = v->resolution;
    def.origin = (BerthVec3){v->origin[0], v->origin[1], v->origin[2]};
    def.size[0] = def.size[1] = 48;
    def.size[2] = v->dim == 3 ? 48 : 1;
    def.parts = BERTH_FIELD_ALL_PARTS;

    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    for (int i = 0; i < VOXELS; ++i) {
        assert_int_equal(
            berth_field_add_cell(builder, v->low[i][0], v->low[i][1], v->low[i][2], BERTH_CELL_OCCUPIED),
            BERTH_OK);
    }
    assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
    berth_field_builder_destroy(builder);
    return field;
}

/// Numbers that the oracle works with.
typedef struct Rationals {
    mpq_t resolution, origin, at, gap, sum, best[BERTH_METRIC_COUNT], radius;
} Rationals;

// The least distance of the centre to a voxel: L1 as it is, L2 squared.
static void measure(Rationals* q, const Voxels* v, const double centre[3]) {
    for (int i = 0; i < VOXELS; ++i) {
        for (int metric = 0; metric < BERTH_METRIC_COUNT; ++metric) {
            mpq_set_ui(q->sum, 0, 1);
            for (int axis = 0; axis < v->dim; ++axis) {
                // From the origin on.
                mpq_set_d(q->at, centre[axis]);
                mpq_set_d(q->origin, v->origin[axis]);
                mpq_sub(q->at, q->at, q->origin);
                mpq_set_si(q->gap, v->low[i][axis], 1);
                mpq_mul(q->gap, q->gap, q->resolution);
                mpq_sub(q->gap, q->gap, q->at);
                if (mpq_sgn(q->gap) <= 0) {
                    mpq_set_si(q->gap, v->low[i][axis] + (1 << v->scale[i]), 1);
                    mpq_mul(q->gap, q->gap, q->resolution);
                    mpq_sub(q->gap, q->at, q->gap);
                }
                if (mpq_sgn(q->gap) <= 0) {
                    continue;
                }
                if (metric == BERTH_METRIC_L2) {
                    mpq_mul(q->gap, q->gap, q->gap);
                }
                mpq_add(q->sum, q->sum, q->gap);
            }
            if (i == 0 || mpq_cmp(q->sum, q->best[metric]) < 0) {
                mpq_set(q->best[metric], q->sum);
            }
        }
    }
}

// Does the ball touch a voxel?
static bool touches(Rationals* q, int metric, double radius) {
    mpq_set_d(q->radius, radius);
    if (metric == BERTH_METRIC_L2) {
        mpq_mul(q->radius, q->radius, q->radius);
    }
    return mpq_cmp(q->best[metric], q->radius) <= 0;
}

/// One ball, and whether it touches by each reading of the resolution.
typedef struct Shot {
    double ball[4];
    int metric;
    bool touches[2];
    double off;  // metres that it was made to end in (> 0) or before a voxel
} Shot;

static void roll_shot(const Voxels* v, Shot* shot) {
    const int i = dice_choose(VOXELS);
    const int along = dice_choose(v->dim);
    shot->ball[2] = 0.0;
    for (int axis = 0; axis < v->dim; ++axis) {
        const double width = v->resolution * (1 << v->scale[i]);
        const double low = v->origin[axis] + v->resolution * v->low[i][axis];
        if (axis == along || dice_choose(3) == 0) {
            const double way = dice_between(0.01, 2.0) * v->resolution;
            shot->ball[axis] = dice_choose(2) == 0 ? low - way : low + width + way;
        } else {
            shot->ball[axis] = low + dice_between(0.0, 1.0) * width;
        }
    }
    const double size = pow(10.0, dice_between(-16.0, -9.0));
    shot->off = dice_choose(6) == 0 ? 0.0 : dice_choose(2) == 0 ? size : -size;
    shot->metric = dice_choose(2);
}

static void aim(Rationals* q, const Voxels* v, Shot* shot) {
    for (int reading = 0; reading < 2; ++reading) {
        if (reading == 0) {
            mpq_set_d(q->resolution, v->resolution);
        } else {
            mpq_set_ui(q->resolution, (unsigned)v->numerator, (unsigned)v->denominator);
            mpq_canonicalize(q->resolution);
        }
        measure(q, v, shot->ball);
        if (reading == 0) {
            const double d = mpq_get_d(q->best[shot->metric]);
            const double distance = shot->metric == BERTH_METRIC_L2 ? sqrt(d) : d;
            shot->ball[3] = fmax(distance + shot->off, 0.0);
        }
        shot->touches[reading] = touches(q, shot->metric, shot->ball[3]);
    }
}

static void judge(const Shot* shot, BerthVerdict verdict, const char* by) {
    const bool wrong_free = verdict == BERTH_FREE && (shot->touches[0] || shot->touches[1]);
    const bool wrong_hit = verdict == BERTH_COLLISION && !(shot->touches[0] || shot->touches[1]);
    if (wrong_free || wrong_hit) {
        fail_msg("%s says %s: ball (%.17g, %.17g, %.17g) r %.17g, %s, off by %g", by,
                 berth_verdict_name(verdict), shot->ball[0], shot->ball[1], shot->ball[2], shot->ball[3],
                 berth_metric_name((BerthMetric)shot->metric), shot->off);
    }
}

/// Answers that said something, of those that should: balls off by more than 0.3 nm.
typedef struct Useful {
    int64_t asked, told;
} Useful;

static void ask_field(const BerthField* field, const Shot* shot, Useful* useful) {
    const BerthVec3 centre = {shot->ball[0], shot->ball[1], shot->ball[2]};
    const BerthMetric metric = (BerthMetric)shot->metric;
    const uint32_t parts = berth_field_info(field).parts;

    for (int m = 0; m < BERTH_FIELD_METHOD_COUNT; ++m) {
        const BerthFieldMethod method = (BerthFieldMethod)m;
        if (parts == 0 && method > BERTH_FIELD_BY_THESIS) {
            continue;
        }
        BerthFieldAnswer answer;
        assert_int_equal(berth_field_query_by(field, method, metric, centre, shot->ball[3], &answer),
                         BERTH_OK);
        judge(shot, answer.verdict, berth_field_method_name(method));
        const BerthVerdict quick = berth_field_ball_by(field, method, metric, centre, shot->ball[3]);
        judge(shot, quick, berth_field_method_name(method));

        if (fabs(shot->off) > 3e-10 && shot->ball[3] > 1e-6) {
            useful->asked += 2;
            useful->told += (answer.verdict != BERTH_UNKNOWN) + (quick != BERTH_UNKNOWN);
        }
        const double clear = berth_field_clearance_by(field, method, metric, shot->ball, 1, 0.0, NULL);
        judge(shot, clear > 0.0 ? BERTH_FREE : BERTH_UNKNOWN, "clearance");
    }
}

// The field as a shape's obstacle and as a solid: what check and path ask.
static void ask_solid(const BerthField* field, const BerthSolid* map, BerthTreeQuery* query,
                      const Shot* shot) {
    BerthShape shape;
    BerthSolid* ball = NULL;
    BerthPose pose = berth_pose_identity();
    const BerthPose still = pose;
    if (shot->metric != BERTH_METRIC_L2 || !(shot->ball[3] > 1e-6)) {
        return;
    }

    assert_int_equal(berth_shape_sphere(shot->ball[3], &shape), BERTH_OK);
    assert_int_equal(berth_solid_from_shape(&shape, NULL, &ball), BERTH_OK);
    pose.t = (BerthVec3){shot->ball[0], shot->ball[1], shot->ball[2]};

    const BerthGap gap = berth_field_gap(field, &shape, &pose, NULL, 0.0, 1.0, 1000000);
    judge(shot, gap.lower > 0.0 ? BERTH_FREE : BERTH_UNKNOWN, "the field's gap");
    judge(shot, gap.upper <= 0.0 ? BERTH_COLLISION : BERTH_UNKNOWN, "the field's gap");
    judge(shot,
          berth_tree_collide(query, ball, &pose, map, &still, 0.0).verdict == BERTH_FREE ? BERTH_FREE
                                                                                         : BERTH_UNKNOWN,
          "the solid");
    berth_solid_destroy(ball);
}

static void shoot_at_maps(uint64_t seed, int maps, bool volumes) {
    dice = (Random){seed};
    Rationals q;
    mpq_inits(q.resolution, q.origin, q.at, q.gap, q.sum, q.best[0], q.best[1], q.radius, NULL);
    BerthTreeQuery* query = NULL;
    assert_int_equal(berth_tree_query_create(100000, NULL, &query), BERTH_OK);
    Useful useful = {0, 0};

    for (int i = 0; i < maps; ++i) {
        const Voxels v = volumes ? roll_volume() : roll_voxels();
        BerthField* field = volumes ? volume_of(&v) : field_of(&v);
        BerthSolid* map = NULL;
        BerthMapDef def = berth_default_map_def();
        if (v.dim == 2) {
            def.height[0] = -100.0;
            def.height[1] = 100.0;
        }
        assert_int_equal(berth_solid_from_field(field, &def, &map), BERTH_OK);

        // So far away nanometres cannot be told apart.
        const bool far = fmax(fabs(v.origin[0]), fmax(fabs(v.origin[1]), fabs(v.origin[2]))) > 4000.0;
        Useful nothing = {0, 0};
        for (int k = 0; k < 300; ++k) {
            Shot shot;
            roll_shot(&v, &shot);
            aim(&q, &v, &shot);
            ask_field(field, &shot, far ? &nothing : &useful);
            ask_solid(field, map, query, &shot);
        }
        berth_solid_destroy(map);
        berth_field_destroy(field);
    }

    // Balls that end further than rounding from a border are told apart.
    assert_true(useful.asked > 50 * maps);
    assert_true(100 * useful.told >= 99 * useful.asked);
    mpq_clears(q.resolution, q.origin, q.at, q.gap, q.sum, q.best[0], q.best[1], q.radius, NULL);
    berth_tree_query_destroy(query);
    program_remove_temporary();
}

static void balls_at_borders(void** state) {
    (void)state;
    shoot_at_maps(20, test_scaled(60), false);
}

static void balls_at_borders_of_far_volumes(void** state) {
    (void)state;
    shoot_at_maps(21, test_scaled(100), true);
}
#else
static void balls_at_borders(void** state) {
    (void)state;
    test_say_skip("no GMP: balls at the borders of far voxels are not judged");
    skip();
}

static void balls_at_borders_of_far_volumes(void** state) {
    (void)state;
    skip();
}
#endif

// ---- few bytes, much space -------------------------------------------------------------------------------------

static int64_t g_calls;

static bool count_calls(void* user, double share) {
    (void)user;
    (void)share;
    return ++g_calls < 3;
}

static BerthStatus open_with(const char* path, uint32_t parts, size_t limit, BerthMapOptions* options,
                             BerthField** field) {
    const BerthIoOptions io = berth_default_io_options();
    options->parts = parts;
    options->memory_limit = limit;
    return berth_io_read_field(path, options, &io, field, NULL);
}

// Single cells at both ends of the cube at odd places, and a large occupied leaf between.
static void the_whole_cube_in_few_bytes(void** state) {
    (void)state;
    const size_t limit = (size_t)256 << 20;
    for (int large = 0; large < 2; ++large) {
        MapCells cells;
        bi_map_cells_init(&cells, NULL, 0);
        add_leaf(&cells, (int32_t[3]){1 - HALF, 3 - HALF, 5 - HALF}, 0, BERTH_CELL_FREE);
        add_leaf(&cells, (int32_t[3]){HALF - 3, HALF - 5, HALF - 7}, 0, BERTH_CELL_FREE);
        add_leaf(&cells, (int32_t[3]){0, 0, 0}, large != 0 ? 12 : 0, BERTH_CELL_OCCUPIED);
        const char* path = program_temporary("wide.bt");
        write_octomap(path, 0.1, &cells);
        bi_map_cells_free(&cells);

        BerthMapOptions options = berth_default_map_options();
        BerthField* field = NULL;
        assert_int_equal(open_with(path, BERTH_FIELD_EODM, limit, &options, &field), BERTH_OK);
        const BerthFieldInfo info = berth_field_info(field);
        assert_int_equal(info.occupied_cells, large != 0 ? (uint64_t)1 << 36 : 1);
        assert_true(info.unknown_cells > (uint64_t)1 << 47);
        assert_true(info.tree_bytes + info.eodm_bytes < (uint64_t)64 << 20);
        assert_int_equal(berth_field_ball(field, BERTH_METRIC_L2, (BerthVec3){0.05, 0.05, 0.05}, 0.01),
                         BERTH_COLLISION);
        berth_field_destroy(field);

        assert_int_equal(open_with(path, BERTH_FIELD_DM, limit, &options, &field), BERTH_ERR_MEMORY);
        assert_null(field);
        assert_non_null(strstr(berth_error_text(), "wide.bt: "));
        assert_non_null(strstr(berth_error_text(), " cells would need "));
        assert_non_null(strstr(berth_error_text(), "268435456"));
    }
    program_remove_temporary();
}

// Things that would be billions of cells are refused before the first is made: progress is not even asked about painting.
static void large_things_are_refused(void** state) {
    (void)state;
    static const struct {
        const char *name, *text;
        double radius;
    } files[] = {
        {"large.obj", "v 0 0 0\nv 100 0 10\nv 0 100 5\nv 10 20 100\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
         0.0},
        {"large.xyz", "0 0 0\n1 1 1\n", 30.0},
        {"large.yaml", "berth: 1\nobjects:\n  - name: ball\n    sphere: {radius: 50}\n", 0.0},
        {"tall.yaml", "berth: 1\nobjects:\n  - name: rod\n    cylinder: {radius: 20, length: 90}\n", 0.0},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        const char* path = program_temporary(files[i].name);
        assert_true(program_write_text(path, files[i].text));
        BerthMapOptions options = berth_default_map_options();
        options.radius = files[i].radius;
        options.memory_limit = (size_t)64 << 20;
        options.progress = count_calls;
        const BerthIoOptions io = berth_default_io_options();

        for (int fine = 1; fine >= 0; --fine) {
            BerthMap* map = NULL;
            options.resolution = fine != 0 ? 0.005 : 2.0;
            g_calls = fine != 0 ? 0 : INT64_MIN;
            const BerthStatus status = berth_io_open_map(path, &options, &io, &map);
            assert_int_equal(status, fine != 0 ? BERTH_ERR_MEMORY : BERTH_OK);
            if (fine != 0 && strstr(berth_error_text(), "nodes of a map of") == NULL) {
                fail_msg("%s", berth_error_text());
            }
            berth_io_close_map(map);
        }
    }
    program_remove_temporary();
}

// A wish to stop is heard while things are read and painted, before any part is built.
static void a_stop_is_heard_early(void** state) {
    (void)state;
    MapCells cells;
    bi_map_cells_init(&cells, NULL, 0);
    for (int i = 0; i < 200000; ++i) {
        const int32_t at[3] = {2 * (i % 100), 2 * (i / 100 % 100), 2 * (i / 10000)};
        add_leaf(&cells, at, 0, BERTH_CELL_OCCUPIED);
    }
    const char* path = program_temporary("many.bt");
    write_octomap(path, 0.1, &cells);
    bi_map_cells_free(&cells);

    BerthMapOptions options = berth_default_map_options();
    BerthField* field = NULL;
    options.progress = count_calls;
    g_calls = 0;
    assert_int_equal(open_with(path, 0, 0, &options, &field), BERTH_ERR_CANCELLED);
    assert_null(field);
    assert_int_equal(g_calls, 3);
    program_remove_temporary();
}

int test_io_map_far(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_at_borders),
        cmocka_unit_test(balls_at_borders_of_far_volumes),
        cmocka_unit_test(the_whole_cube_in_few_bytes),
        cmocka_unit_test(large_things_are_refused),
        cmocka_unit_test(a_stop_is_heard_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
