// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A depth camera flown through models/kitchen, with noise: its scans make the tree that liboctomap makes of them, the map that follows scan by
// scan is the one that is built anew, and what was seen is there. The camera's rays are held against all triangles.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io/map.h>
#include <berth/lab/field.h>
#include <berth/occupancy.h>
#include <math.h>

#include "io/map/map_file.h"
#include "math/math.h"
#include "models/camera.h"
#include "oracle/peer_octomap_scan.h"
#include "support/program.h"
#include "support/setting.h"

#define RESOLUTION 0.1

enum { FRAMES = 12, PIXELS = 40 * 30, LEAVES = 1 << 18, SIZE_X = 60, SIZE_Y = 52, SIZE_Z = 40 };

static DepthScene* kitchen(void) {
    DepthScene* scene = bi_depth_open(program_model("kitchen"));
    assert_non_null(scene);
    assert_int_equal(bi_depth_triangles(scene), 95000);
    return scene;
}

static void rays_meet_the_first_triangle(void** state) {
    (void)state;
    DepthScene* scene = kitchen();
    Random random = {1821};
    int met = 0;
    for (int i = 0; i < test_scaled(300); ++i) {
        double way[3], length = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            way[axis] = i % 50 == axis ? 0.0 : bi_random_between(&random, -1.0, 1.0);
            length += way[axis] * way[axis];
        }
        length = sqrt(length);
        const BerthVec3 from = {bi_random_between(&random, -3.0, 3.0), bi_random_between(&random, -3.0, 3.0),
                                bi_random_between(&random, -0.5, 3.0)};
        const BerthVec3 direction = {way[0] / length, way[1] / length, way[2] / length};
        const double fast = bi_depth_cast(scene, from, direction),
                     slow = bi_depth_cast_slowly(scene, from, direction);
        assert_true(fast == slow);
        met += isfinite(slow);
    }
    assert_true(4 * met > test_scaled(300));
    bi_depth_close(scene);
}

/// A flight as it was told: in float, which is what OctoMap takes.
typedef struct Flight {
    BerthVec3 points[FRAMES][PIXELS], eyes[FRAMES];
    float floats[FRAMES][3 * PIXELS];
    int counts[FRAMES];
} Flight;

static double in_float(double value) {
    volatile float narrow = (float)value;
    return (double)narrow;
}

static void fly(Flight* flight) {
    DepthScene* scene = kitchen();
    DepthCamera camera = bi_depth_camera();
    camera.columns = 40;
    camera.rows = 30;
    uint64_t random = 1822;
    for (int f = 0; f < FRAMES; ++f) {
        BerthVec3 eye, target;
        bi_depth_flight(f, FRAMES, &eye, &target);
        flight->eyes[f] = (BerthVec3){in_float(eye.x), in_float(eye.y), in_float(eye.z)};
        const int count =
            bi_depth_picture(scene, &camera, flight->eyes[f], target, &random, flight->points[f]);
        assert_in_range(count, PIXELS / 10, PIXELS);  // fewer where the kitchen is open
        flight->counts[f] = count;
        for (int i = 0; i < count; ++i) {
            BerthVec3* p = &flight->points[f][i];
            *p = (BerthVec3){in_float(p->x), in_float(p->y), in_float(p->z)};
            flight->floats[f][3 * i] = (float)p->x;
            flight->floats[f][3 * i + 1] = (float)p->y;
            flight->floats[f][3 * i + 2] = (float)p->z;
        }
    }
    bi_depth_close(scene);
}

static BerthOccupancy* empty_tree(void) {
    BerthOccupancyDef def = berth_default_occupancy_def();
    BerthOccupancy* odds = NULL;
    def.resolution = RESOLUTION;
    assert_int_equal(berth_occupancy_create(&def, &odds), BERTH_OK);
    return odds;
}

static void insert(BerthOccupancy* odds, const Flight* flight, int f) {
    BerthOccupancyReport report;
    assert_int_equal(berth_occupancy_insert_scan(odds, flight->points[f], (size_t)flight->counts[f],
                                                 flight->eyes[f], 0.0, &report),
                     BERTH_OK);
    assert_int_equal(report.points, flight->counts[f]);
}

static void octomap_makes_the_same_tree(void** state) {
    (void)state;
#if BERTH_HAVE_ORACLES
    static Flight flight;
    fly(&flight);
    BerthOccupancy* odds = empty_tree();
    PeerScan scans[FRAMES];
    for (int f = 0; f < FRAMES; ++f) {
        insert(odds, &flight, f);
        const BerthVec3 eye = flight.eyes[f];
        scans[f] =
            (PeerScan){flight.floats[f], flight.counts[f], {(float)eye.x, (float)eye.y, (float)eye.z}, 0.0};
    }
    PeerOddsLeaf* leaves = calloc(LEAVES, sizeof *leaves);
    assert_non_null(leaves);
    int64_t nodes = 0, cells = 0, differ = 0;
    const int count = peer_octomap_insert(NULL, RESOLUTION, scans, FRAMES, NULL, leaves, LEAVES, &nodes);
    assert_in_range(count, 1, LEAVES);
    for (int i = 0; i < count; ++i) {
        const int width = 1 << leaves[i].scale;
        for (int c = 0; c < width * width * width; ++c) {
            const int32_t cell[3] = {leaves[i].x + c % width, leaves[i].y + c / width % width,
                                     leaves[i].z + c / width / width};
            float ours = NAN;
            differ += !berth_occupancy_log_odds(odds, cell, &ours) || ours != leaves[i].log_odds;
            cells += 1;
        }
    }
    // Rays that cross an edge of cells to within float's rounding, in which OctoMap walks (test_occupancy_scan looks at each).
    assert_true(cells > 10000 && 1000 * differ <= cells);
    free(leaves);
    berth_occupancy_destroy(odds);
#else
    TEST_SKIP("without liboctomap");
#endif
}

static BerthField* room(const BerthFieldDef* def) {
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    assert_int_equal(berth_field_builder_create(def, &builder), BERTH_OK);
    assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
    berth_field_builder_destroy(builder);
    return field;
}

static void assert_same(const BerthField* a, const BerthField* b) {
    const size_t size = bi_bmap_block_size(a);
    assert_int_equal(size, bi_bmap_block_size(b));
    void* x = aligned_alloc(64, size);
    void* y = aligned_alloc(64, size);
    assert_int_equal(bi_bmap_write_block(a, x, size), BERTH_OK);
    assert_int_equal(bi_bmap_write_block(b, y, size), BERTH_OK);
    assert_memory_equal(x, y, size);
    free(x);
    free(y);
}

// Of every scan the changes of colour, as a robot would follow them; and what is hit again and again is an obstacle.
static void maps_follow_a_flight(void** state) {
    (void)state;
    static Flight flight;
    static const int32_t corner[3] = {32768 - SIZE_X / 2, 32768 - SIZE_Y / 2, 32768 - 4};
    fly(&flight);
    BerthFieldDef def = berth_default_field_def();
    def.resolution = RESOLUTION;
    def.size[0] = SIZE_X;
    def.size[1] = SIZE_Y;
    def.size[2] = SIZE_Z;
    def.levels = 6;
    def.origin = (BerthVec3){-SIZE_X / 2 * RESOLUTION, -SIZE_Y / 2 * RESOLUTION, -4 * RESOLUTION};
    def.background = BERTH_CELL_UNKNOWN;
    def.parts = BERTH_FIELD_ALL_PARTS;
    BerthOccupancy* odds = empty_tree();
    BerthField* field = room(&def);
    int64_t changed = 0;

    for (int f = 0; f < FRAMES; ++f) {
        insert(odds, &flight, f);
        size_t count = 0, kept = 0;
        const BerthFieldChange* all = berth_occupancy_changes(odds, &count);
        BerthFieldChange* changes = calloc(count + 1, sizeof *changes);
        for (size_t i = 0; i < count; ++i) {
            BerthFieldChange change = all[i];
            bool inside = true;
            for (int axis = 0; axis < 3; ++axis) {
                change.cell[axis] -= corner[axis];
                inside = inside && change.cell[axis] >= 0 && change.cell[axis] < def.size[axis];
            }
            changes[kept] = change;
            kept += inside;
        }
        assert_int_equal(berth_field_update(field, changes, kept), BERTH_OK);
        changed += (int64_t)kept;
        free(changes);
        berth_occupancy_forget_changes(odds);
    }
    assert_true(changed > 5000);

    // Cell by cell it has the tree's colours; and the same bytes as a map that is built of them.
    BerthFieldBuilder* builder = NULL;
    BerthField* anew = NULL;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    for (int32_t x = 0; x < SIZE_X; ++x) {
        for (int32_t y = 0; y < SIZE_Y; ++y) {
            for (int32_t z = 0; z < SIZE_Z; ++z) {
                const int32_t cell[3] = {corner[0] + x, corner[1] + y, corner[2] + z};
                const BerthCellColour colour = berth_occupancy_colour(odds, cell);
                assert_int_equal(berth_field_leaf_at(field, x, y, z).colour, colour);
                assert_int_equal(berth_field_add_cell(builder, x, y, z, colour), BERTH_OK);
            }
        }
    }
    assert_int_equal(berth_field_build(builder, &anew), BERTH_OK);
    assert_same(field, anew);

    // The eye stood in what was cleared, and walls that it saw are obstacles for a ball of 5 cm that reaches to them.
    int hits = 0, asked = 0;
    for (int f = 0; f < FRAMES; ++f) {
        assert_true(berth_field_ball(field, BERTH_METRIC_L2, flight.eyes[f], 0.0) == BERTH_FREE);
        for (int i = 0; i < flight.counts[f]; i += 7) {
            hits += berth_field_ball(field, BERTH_METRIC_L2, flight.points[f][i], 0.05) == BERTH_COLLISION;
            ++asked;
        }
    }
    assert_true(100 * hits > 97 * asked);
    berth_field_destroy(anew);
    berth_field_builder_destroy(builder);
    berth_field_destroy(field);
    berth_occupancy_destroy(odds);
}

int test_occupancy_flight(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_the_first_triangle),
        cmocka_unit_test(octomap_makes_the_same_tree),
        cmocka_unit_test(maps_follow_a_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
