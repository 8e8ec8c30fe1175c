// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scans: the cells that rays pass against exact arithmetic over all cells, the log-odds against a table of cells, and whole trees
// against liboctomap's insertPointCloud, bit for bit. Fields that follow the changes equal fields built anew.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "field/field.h"
#include "io/map/map_file.h"
#include "math/math.h"
#include "occupancy/occupancy.h"
#include "support/setting.h"
#include "support/starve.h"
#if BERTH_HAVE_ORACLES
#include "oracle/peer_octomap_scan.h"
#endif

enum { FIRST = OCCUPANCY_SIDE / 2, SIDE = 12 };

static int below(Random* random, int n) {
    return (int)(bi_random_next(random) % (uint64_t)n);
}

static double share(Random* random) {
    return (double)(bi_random_next(random) >> 11) * 0x1p-53;
}

static BerthOccupancy* create(int dim, double resolution) {
    BerthOccupancyDef def = berth_default_occupancy_def();
    BerthOccupancy* o = NULL;
    def.dim = dim;
    def.resolution = resolution;
    assert_int_equal(berth_occupancy_create(&def, &o), BERTH_OK);
    return o;
}

// ---- rays, exactly -----------------------------------------------------------------------------------------------

/// Coordinates in 1/64 cells: whole numbers.
typedef struct Ray {
    int64_t from[3], to[3];
} Ray;

// The part of the ray within the closed cell, as fractions of its length: [low, high] with two denominators. `open`: the ray is
// within the open cell on more than a point.
static bool ray_meets(const Ray* ray, int dim, const int32_t cell[3], bool open) {
    // Fractions n / d with d > 0, compared by products.
    __int128 low_n = 0, low_d = 1, high_n = 1, high_d = 1;
    for (int axis = 0; axis < dim; ++axis) {
        const int64_t a = (int64_t)cell[axis] * 64, b = a + 64;
        const int64_t p = ray->from[axis], way = ray->to[axis] - p;
        if (way == 0) {
            if (open ? (p <= a || p >= b) : (p < a || p > b)) {
                return false;
            }
            continue;
        }

        const int64_t d = way > 0 ? way : -way;
        const int64_t enter = way > 0 ? a - p : p - b, leave = way > 0 ? b - p : p - a;
        if (enter * low_d > low_n * d) {
            low_n = enter;
            low_d = d;
        }
        if (leave * high_d < high_n * d) {
            high_n = leave;
            high_d = d;
        }
    }
    return open ? low_n * high_d < high_n * low_d : low_n * high_d <= high_n * low_d;
}

// Random rays on a grid of 1/64 cells, so that many run along faces and through edges and corners: every cell that a ray is inside
// of is passed, every cell that is passed is touched, the last one is hit.
static void rays_pass_what_they_cross(void** state) {
    (void)state;
    Random random = {1801};
    for (int turn = 0; turn < test_scaled(1500); ++turn) {
        const int dim = 2 + below(&random, 2);
        // A resolution that is no power of two, and an origin far away, for every second tree: the grid is exact in cells all the same.
        const double resolution = below(&random, 2) == 0 ? 0.25 : 0.375;
        BerthOccupancyDef def = berth_default_occupancy_def();
        BerthOccupancy* o = NULL;
        def.dim = dim;
        def.resolution = resolution;
        def.origin = below(&random, 2) == 0 ? v3(0, 0, 0) : v3(3072, -1536, 384);
        assert_int_equal(berth_occupancy_create(&def, &o), BERTH_OK);

        Ray ray;
        double from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
        const int step = 1 << below(&random, 7);
        for (int axis = 0; axis < dim; ++axis) {
            ray.from[axis] = (int64_t)below(&random, SIDE * 64) / step * step;
            ray.to[axis] =
                below(&random, 4) == 0 ? ray.from[axis] : (int64_t)below(&random, SIDE * 64) / step * step;
            from[axis] = (double)ray.from[axis] / 64.0 * resolution;
            to[axis] = (double)ray.to[axis] / 64.0 * resolution;
        }
        const BerthVec3 sensor = v3_add(def.origin, v3(from[0], from[1], from[2]));
        const BerthVec3 point = v3_add(def.origin, v3(to[0], to[1], to[2]));
        BerthOccupancyReport report;
        assert_int_equal(berth_occupancy_insert_scan(o, &point, 1, sensor, 0.0, &report), BERTH_OK);
        assert_int_equal(report.hit, 1);

        int64_t passed = 0;
        for (int32_t i = 0; i < SIDE * SIDE * (dim == 2 ? 1 : SIDE); ++i) {
            const int32_t cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            const int32_t there[3] = {cell[0] + FIRST, cell[1] + FIRST, dim == 2 ? 0 : cell[2] + FIRST};
            bool last = true;
            for (int axis = 0; axis < dim; ++axis) {
                last = last && ray.to[axis] / 64 == cell[axis];
            }

            const BerthCellColour colour = berth_occupancy_colour(o, there);
            passed += colour == BERTH_CELL_FREE;
            if (last) {
                assert_int_equal(colour, BERTH_CELL_OCCUPIED);
            } else if (colour == BERTH_CELL_FREE) {
                assert_true(ray_meets(&ray, dim, cell, false));
            } else {
                assert_int_equal(colour, BERTH_CELL_UNKNOWN);
                assert_false(ray_meets(&ray, dim, cell, true));
            }
        }
        assert_int_equal(passed, report.passed);
        berth_occupancy_destroy(o);
    }
}

// ---- log-odds by a table -------------------------------------------------------------------------------------------

/// What each cell of a small block should have; NaN: unknown.
typedef struct Table {
    float odds[SIDE * SIDE * SIDE];
} Table;

static int64_t count_nodes(const BerthOccupancy* o);

static BerthStatus count_node(void* user, const OccupancyNode* node) {
    (void)node;
    *(int64_t*)user += 1;
    return BERTH_OK;
}

static int64_t count_nodes(const BerthOccupancy* o) {
    int64_t count = 0;
    assert_int_equal(bi_occupancy_walk(o, count_node, &count), BERTH_OK);
    return count;
}

// Parents have the greatest of their children; no eight leaves are equal.
static BerthStatus check_node(void* user, const OccupancyNode* node) {
    const BerthOccupancy* o = user;
    const int32_t width = 1 << node->log_width;
    if (node->children == 0 || node->log_width > 4) {
        return BERTH_OK;
    }

    float most = -INFINITY, least = INFINITY;
    bool all = true;
    for (int32_t i = 0; i < width * width * width; ++i) {
        const int32_t cell[3] = {node->low[0] + i % width, node->low[1] + i / width % width,
                                 node->low[2] + i / width / width};
        float odds = 0.0f;
        const bool known = berth_occupancy_log_odds(o, cell, &odds);
        all = all && known;
        most = known ? fmaxf(most, odds) : most;
        least = known ? fminf(least, odds) : least;
    }
    assert_true(node->log_odds == most);
    assert_false(all && most == least);
    return BERTH_OK;
}

static void cells_have_their_odds(void** state) {
    (void)state;
    Random random = {1802};
    for (int turn = 0; turn < test_scaled(30); ++turn) {
        BerthOccupancy* o = create(3, 0.5);
        Table table;
        for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
            table.odds[i] = NAN;
        }

        const int region = 2 + below(&random, SIDE - 1);  // small ones fill up and are pruned
        for (int step = 0; step < 3000; ++step) {
            const int32_t at[3] = {below(&random, region), below(&random, region), below(&random, region)};
            const int32_t cell[3] = {at[0] + FIRST, at[1] + FIRST, at[2] + FIRST};
            float* want = &table.odds[at[0] + SIDE * (at[1] + SIDE * at[2])];
            const int kind = below(&random, 8);
            if (kind == 0) {
                *want = below(&random, 2) == 0 ? NAN : 1.5f;
                assert_int_equal(bi_occupancy_set_node(o, cell, 0, *want), BERTH_OK);
            } else {
                const float add = kind % 2 == 0 ? o->hit : o->miss;
                *want = fminf(fmaxf((isnan(*want) ? 0.0f : *want) + add, o->least), o->most);
                assert_int_equal(bi_occupancy_add(o, cell, add), BERTH_OK);
            }
        }

        for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
            const int32_t cell[3] = {FIRST + i % SIDE, FIRST + i / SIDE % SIDE, FIRST + i / SIDE / SIDE};
            float odds = 0.0f;
            const bool known = berth_occupancy_log_odds(o, cell, &odds);
            assert_int_equal(known, !isnan(table.odds[i]));
            assert_true(!known || odds == table.odds[i]);
        }
        assert_int_equal(bi_occupancy_walk(o, check_node, o), BERTH_OK);
        assert_int_equal(count_nodes(o), berth_occupancy_info(o).node_count);

        // Unknown again, everywhere: nothing is left.
        const int32_t low[3] = {0, 0, 0}, high[3] = {OCCUPANCY_SIDE, OCCUPANCY_SIDE, OCCUPANCY_SIDE};
        assert_int_equal(berth_occupancy_set_box(o, low, high, NAN), BERTH_OK);
        assert_int_equal(berth_occupancy_info(o).node_count, 0);
        berth_occupancy_destroy(o);
    }
}

// ---- a field follows -----------------------------------------------------------------------------------------------

enum { FIELD_SIDE = 20 };

static BerthField* build_field(const BerthOccupancy* o, uint32_t parts) {
    BerthFieldDef def = berth_default_field_def();
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    def.levels = 5;
    def.size[0] = def.size[1] = def.size[2] = FIELD_SIDE;
    def.resolution = 0.1;
    def.background = BERTH_CELL_UNKNOWN;
    def.parts = parts;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    for (int32_t i = 0; i < FIELD_SIDE * FIELD_SIDE * FIELD_SIDE; ++i) {
        const int32_t cell[3] = {i % FIELD_SIDE, i / FIELD_SIDE % FIELD_SIDE, i / FIELD_SIDE / FIELD_SIDE};
        const int32_t there[3] = {cell[0] + FIRST, cell[1] + FIRST, cell[2] + FIRST};
        const BerthCellColour colour = berth_occupancy_colour(o, there);
        assert_int_equal(berth_field_add_cell(builder, cell[0], cell[1], cell[2], colour), BERTH_OK);
    }
    assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
    berth_field_builder_destroy(builder);
    return field;
}

static void random_scan(Random* random, double extent, int count, BerthVec3* points, BerthVec3* sensor) {
    *sensor =
        v3((float)(extent * share(random)), (float)(extent * share(random)), (float)(extent * share(random)));
    for (int i = 0; i < count; ++i) {
        points[i] = v3((float)(extent * share(random)), (float)(extent * share(random)),
                       (float)(extent * share(random)));
    }
}

// Changed cells of the tree become those of a map, whose first cell is FIRST.
static void follow(BerthField* field, const BerthOccupancy* o) {
    size_t count = 0;
    const BerthFieldChange* changes = berth_occupancy_changes(o, &count);
    BerthFieldChange* own = calloc(count + 1, sizeof *own);
    assert_non_null(own);
    for (size_t i = 0; i < count; ++i) {
        own[i] = changes[i];
        for (int axis = 0; axis < 3; ++axis) {
            own[i].cell[axis] -= FIRST;
        }
    }
    assert_int_equal(berth_field_update(field, own, count), BERTH_OK);
    free(own);
}

static void fields_follow_scans(void** state) {
    (void)state;
    Random random = {1803};
    for (int turn = 0; turn < test_scaled(6); ++turn) {
        BerthOccupancy* o = create(3, 0.1);
        BerthField* field = build_field(o, BERTH_FIELD_ALL_PARTS);
        for (int scan = 0; scan < 5; ++scan) {
            BerthVec3 points[40], sensor;
            random_scan(&random, 0.1 * FIELD_SIDE * 0.999, 40, points, &sensor);
            berth_occupancy_forget_changes(o);
            BerthOccupancyReport report;
            assert_int_equal(berth_occupancy_insert_scan(o, points, 40, sensor, 0.0, &report), BERTH_OK);

            size_t count = 0;
            (void)berth_occupancy_changes(o, &count);
            assert_int_equal(count, report.became_occupied + report.became_free);
            follow(field, o);

            BerthField* fresh = build_field(o, BERTH_FIELD_ALL_PARTS);
            const size_t size = bi_bmap_block_size(fresh);
            assert_int_equal(size, bi_bmap_block_size(field));
            void* a = aligned_alloc(64, size);
            void* b = aligned_alloc(64, size);
            assert_int_equal(bi_bmap_write_block(fresh, a, size), BERTH_OK);
            assert_int_equal(bi_bmap_write_block(field, b, size), BERTH_OK);
            assert_memory_equal(a, b, size);
            free(a);
            free(b);
            berth_field_destroy(fresh);
        }
        berth_field_destroy(field);
        berth_occupancy_destroy(o);
    }
}

// The field's cells are the tree's, however the changes came.
static void expect_same_cells(const BerthField* field, const BerthOccupancy* o, int64_t n) {
    for (int32_t i = 0; i < FIELD_SIDE * FIELD_SIDE * FIELD_SIDE; ++i) {
        const int32_t cell[3] = {i % FIELD_SIDE, i / FIELD_SIDE % FIELD_SIDE, i / FIELD_SIDE / FIELD_SIDE};
        const int32_t there[3] = {cell[0] + FIRST, cell[1] + FIRST, cell[2] + FIRST};
        const BerthCellColour wanted = berth_occupancy_colour(o, there);
        const BerthCellColour got = berth_field_colour_at(field, cell[0], cell[1], cell[2]);
        if (got != wanted) {
            fail_msg("request %lld failed: cell %d %d %d is %d in the tree, %d in the map", (long long)n,
                     cell[0], cell[1], cell[2], (int)wanted, (int)got);
        }
    }
}

// A scan for which memory ran out, and the same scan again: the map that follows the tree has every cell that was hit. It did not:
// a cell that had changed, and found no room among the changes, was never told of again, so where a ray had ended the map stayed free;
// and nodes on the way to a cell that could not be made stayed, as occupied ones of up to 65,536 cells a side.
static void fields_follow_scans_that_failed(void** state) {
    (void)state;
    Random random = {77};
    BerthVec3 points[2][30], sensor[2];
    for (int scan = 0; scan < 2; ++scan) {
        random_scan(&random, 0.1 * FIELD_SIDE * 0.999, 30, points[scan], &sensor[scan]);
    }

    bool failed = true;
    int64_t n = 0;
    for (; failed; ++n) {
        TestAllocator counts = {.fail_at = -1};
        BerthOccupancyDef def = berth_default_occupancy_def();
        BerthOccupancy* o = NULL;
        def.resolution = 0.1;
        def.allocator = test_allocator(&counts);
        assert_int_equal(berth_occupancy_create(&def, &o), BERTH_OK);
        BerthField* field = build_field(o, 0);

        counts.fail_at = counts.taken + n;
        const int64_t nodes = berth_occupancy_info(o).node_count;
        const BerthStatus status = berth_occupancy_insert_scan(o, points[0], 30, sensor[0], 0.0, NULL);
        failed = status != BERTH_OK;
        assert_true(status == BERTH_OK || status == BERTH_ERR_MEMORY);
        assert_true(berth_occupancy_info(o).node_count >= nodes);

        counts.fail_at = -1;
        for (int scan = 0; scan < 2; ++scan) {
            assert_int_equal(berth_occupancy_insert_scan(o, points[scan], 30, sensor[scan], 0.0, NULL),
                             BERTH_OK);
        }
        follow(field, o);
        expect_same_cells(field, o, n);
        berth_field_destroy(field);
        berth_occupancy_destroy(o);
        assert_int_equal(counts.live, 0);
    }
    print_message("%lld requests that can fail\n", (long long)(n - 1));
    assert_true(n > 10);
}

// ---- liboctomap ------------------------------------------------------------------------------------------------------

#if BERTH_HAVE_ORACLES
enum { SCANS = 4, POINTS = 60, LEAVES = 1 << 17 };

// What a ray does to a cell that is larger by `grown` on all sides, when it ends later by `longer` (both in cells): 0 misses it, 1 ends in it,
// 2 passes it.
static int effect_of_ray(const PeerScan* scan, const float to[3], const int32_t cell[3], double resolution,
                         double grown, double longer) {
    double enter = 0.0, leave = INFINITY, length = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double p = (double)scan->sensor[axis] / resolution + FIRST,
                     q = (double)to[axis] / resolution + FIRST;
        const double a = cell[axis] - grown, b = cell[axis] + 1.0 + grown, way = q - p;
        length += way * way;
        if (way == 0.0) {
            leave = p < a || p > b ? -1.0 : leave;
            continue;
        }
        enter = fmax(enter, fmin((a - p) / way, (b - p) / way));
        leave = fmin(leave, fmax((a - p) / way, (b - p) / way));
    }

    length = sqrt(length);
    const double range = scan->range / resolution;
    const double end = (scan->range > 0.0 && length > range ? range : length) + longer;
    if (!(enter < leave) || enter * length > end) {
        return 0;
    }
    return leave * length > end ? 1 : 2;
}

// OctoMap computes rays in float, some 1e-5 m off at 100 m: a cell may be passed by one and not by the other where a thousandth of a cell
// decides.
static bool is_grazed(const PeerScan* scan, const float to[3], const int32_t cell[3], double resolution) {
    static const double room = 1e-3;
    const int effect = effect_of_ray(scan, to, cell, resolution, room, room);
    return effect != effect_of_ray(scan, to, cell, resolution, room, -room) ||
           effect != effect_of_ray(scan, to, cell, resolution, -room, room) ||
           effect != effect_of_ray(scan, to, cell, resolution, -room, -room);
}

/// Two trees that should be the same, and the rays that made them.
typedef struct Comparison {
    const BerthOccupancy* other;
    const PeerScan* scans;
    double resolution;
    int64_t cells, differ;
} Comparison;

// Every cell of a leaf has the same log-odds in the other tree, or a ray grazes it: OctoMap steps along a direction in float, so where a
// ray passes an edge to within that rounding, one passes a cell that the other does not.
static BerthStatus compare_leaf(void* user, const OccupancyNode* node) {
    Comparison* c = user;
    const int64_t width = (int64_t)1 << node->log_width;
    for (int64_t i = 0; node->children == 0 && i < width * width * width; ++i) {
        const int32_t cell[3] = {node->low[0] + (int32_t)(i % width),
                                 node->low[1] + (int32_t)(i / width % width),
                                 node->low[2] + (int32_t)(i / width / width)};
        float odds = NAN;
        c->cells += 1;
        if (berth_occupancy_log_odds(c->other, cell, &odds) && odds == node->log_odds) {
            continue;
        }

        bool grazed = false;
        for (int k = 0; k < SCANS * POINTS; ++k) {
            const PeerScan* scan = &c->scans[k / POINTS];
            const float* to = scan->points + 3 * (size_t)(k % POINTS);
            grazed = grazed || is_grazed(scan, to, cell, c->resolution);
        }
        assert_true(grazed);
        c->differ += 1;
    }
    return BERTH_OK;
}

static void trees_of_liboctomap(void** state) {
    (void)state;
    Random random = {1804};
    PeerOddsLeaf* leaves = calloc(LEAVES, sizeof *leaves);
    assert_non_null(leaves);
    int64_t cells_compared = 0, cells_differ = 0;

    for (int turn = 0; turn < test_scaled(20); ++turn) {
        static const double resolutions[] = {0.05, 0.1, 0.125, 0.3};
        const double resolution = resolutions[below(&random, 4)];
        const double far = below(&random, 2) == 0 ? 0.0 : 100.0;
        static float points[SCANS][3 * POINTS];
        PeerScan scans[SCANS];
        BerthOccupancy* o = create(3, resolution);

        for (int s = 0; s < SCANS; ++s) {
            BerthVec3 own[POINTS], sensor;
            random_scan(&random, 25.0 * resolution, POINTS, own, &sensor);
            // A sensor that stays makes cells that are passed and hit again and again, up to the clamps.
            sensor = s % 2 == 1 ? v3((double)scans[s - 1].sensor[0] - far, (double)scans[s - 1].sensor[1],
                                     (double)scans[s - 1].sensor[2])
                                : sensor;
            const double range = below(&random, 2) == 0 ? 0.0 : 12.0 * resolution;
            scans[s] = (PeerScan){
                points[s], POINTS, {(float)(sensor.x + far), (float)sensor.y, (float)sensor.z}, range};
            for (int i = 0; i < POINTS; ++i) {
                points[s][3 * i] = (float)(own[i].x + far);
                points[s][3 * i + 1] = (float)own[i].y;
                points[s][3 * i + 2] = (float)own[i].z;
                own[i] =
                    v3((double)points[s][3 * i], (double)points[s][3 * i + 1], (double)points[s][3 * i + 2]);
            }
            const BerthVec3 at =
                v3((double)scans[s].sensor[0], (double)scans[s].sensor[1], (double)scans[s].sensor[2]);
            assert_int_equal(berth_occupancy_insert_scan(o, own, POINTS, at, range, NULL), BERTH_OK);
        }

        int64_t nodes = 0;
        const int count = peer_octomap_insert(NULL, resolution, scans, SCANS, NULL, leaves, LEAVES, &nodes);
        assert_in_range(count, 1, LEAVES);
        BerthOccupancy* theirs = create(3, resolution);
        for (int i = 0; i < count; ++i) {
            const int32_t low[3] = {leaves[i].x, leaves[i].y, leaves[i].z};
            assert_int_equal(bi_occupancy_set_node(theirs, low, leaves[i].scale, leaves[i].log_odds),
                             BERTH_OK);
        }

        // Both ways: what is theirs is ours, and what is ours is theirs.
        Comparison there = {o, scans, resolution, 0, 0}, back = {theirs, scans, resolution, 0, 0};
        assert_int_equal(bi_occupancy_walk(theirs, compare_leaf, &there), BERTH_OK);
        assert_int_equal(bi_occupancy_walk(o, compare_leaf, &back), BERTH_OK);
        // Without such cells the trees are the same to the last node.
        if (there.differ + back.differ == 0) {
            assert_int_equal(nodes, berth_occupancy_info(o).node_count);
        }
        cells_compared += there.cells;
        cells_differ += there.differ + back.differ;
        berth_occupancy_destroy(theirs);
        berth_occupancy_destroy(o);
    }
    print_message("%lld cells compared with liboctomap's, %lld differ: all grazed by a ray\n",
                  (long long)cells_compared, (long long)cells_differ);
    assert_true(cells_differ * 1000 <= cells_compared);
    free(leaves);
}
#else
static void trees_of_liboctomap(void** state) {
    (void)state;
    TEST_SKIP("without liboctomap");
}
#endif

// ---- what is refused ---------------------------------------------------------------------------------------------------

static bool stop_at_once(void* user, double done) {
    (void)user;
    (void)done;
    return false;
}

static void wrong_and_too_much(void** state) {
    (void)state;
    BerthOccupancyDef def = berth_default_occupancy_def();
    BerthOccupancy* o = NULL;
    def.hit = 0.4;
    assert_int_equal(berth_occupancy_create(&def, &o), BERTH_ERR_ARGUMENT);
    def = berth_default_occupancy_def();
    def.resolution = NAN;
    assert_int_equal(berth_occupancy_create(&def, &o), BERTH_ERR_ARGUMENT);

    def = berth_default_occupancy_def();
    def.resolution = 0.01;
    def.memory_limit = 1 << 20;
    assert_int_equal(berth_occupancy_create(&def, &o), BERTH_OK);
    const BerthVec3 outside = v3(1e9, 0, 0), nan = v3(NAN, 0, 0), inside = v3(0.2, 0.1, 0.05);
    const BerthVec3 points[3] = {outside, nan, inside};
    BerthOccupancyReport report;
    assert_int_equal(berth_occupancy_insert_scan(o, points, 3, outside, 0.0, &report), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_occupancy_insert_scan(o, points, 3, inside, -1.0, &report), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_occupancy_insert_scan(o, points, 3, v3(0, 0, 0), 0.0, &report), BERTH_OK);
    assert_int_equal(report.dropped, 2);
    assert_int_equal(report.points, 1);
    // A range brings the far point in: its ray clears, and hits nothing.
    assert_int_equal(berth_occupancy_insert_scan(o, points, 1, v3(0, 0, 0), 1.0, &report), BERTH_OK);
    assert_int_equal(report.beyond, 1);
    assert_int_equal(report.hit, 0);
    assert_int_equal(report.passed, 100);

    // Rays of more cells than the limit allows.
    Random random = {1805};
    BerthVec3 many[200];
    for (int i = 0; i < 200; ++i) {
        many[i] = v3(300.0 * share(&random), 300.0 * share(&random), 300.0 * share(&random));
    }
    assert_int_equal(berth_occupancy_insert_scan(o, many, 200, v3(0, 0, 0), 0.0, &report), BERTH_ERR_MEMORY);
    assert_non_null(strstr(berth_error_text(), "limit"));
    berth_occupancy_destroy(o);

    def.memory_limit = 0;
    def.progress = stop_at_once;
    assert_int_equal(berth_occupancy_create(&def, &o), BERTH_OK);
    BerthVec3* cloud = calloc(1000, sizeof *cloud);
    assert_non_null(cloud);
    assert_int_equal(berth_occupancy_insert_scan(o, cloud, 1000, inside, 0.0, &report), BERTH_ERR_CANCELLED);
    free(cloud);
    berth_occupancy_destroy(o);
}

// Everything that takes memory: a tree, a scan, cells, a box, and the way from a field.
static BerthStatus work_hard(void* user, const BerthAllocator* allocator) {
    const BerthField* field = user;
    BerthOccupancyDef def = berth_default_occupancy_def();
    BerthOccupancy* o = NULL;
    BerthOccupancy* copy = NULL;
    int32_t corner[3];
    def.resolution = 0.1;
    def.allocator = *allocator;
    const BerthVec3 points[2] = {v3(1.0, 0.5, 0.25), v3(-0.5, 0.75, 0.3)};
    const int32_t low[3] = {FIRST, FIRST, FIRST}, high[3] = {FIRST + 3, FIRST + 5, FIRST + 2};

    BerthStatus status = berth_occupancy_create(&def, &o);
    if (status == BERTH_OK) {
        status = berth_occupancy_insert_scan(o, points, 2, v3(0.05, 0.05, 0.05), 0.0, NULL);
    }
    if (status == BERTH_OK) {
        status = berth_occupancy_set_points(o, points, 2, BERTH_CELL_UNKNOWN, NULL);
    }
    if (status == BERTH_OK) {
        status = berth_occupancy_set_box(o, low, high, 1.0f);
    }
    // A tree in which memory ran out is still one.
    if (o != NULL) {
        assert_int_equal(count_nodes(o), berth_occupancy_info(o).node_count);
    }
    if (status == BERTH_OK) {
        status = berth_occupancy_from_field(field, &def, &copy, corner);
    }
    berth_occupancy_destroy(o);
    berth_occupancy_destroy(copy);
    return status;
}

static void memory_runs_out(void** state) {
    (void)state;
    BerthOccupancy* o = create(3, 0.1);
    const BerthVec3 points[2] = {v3(1.0, 0.5, 0.25), v3(0.5, 0.75, 0.3)};
    assert_int_equal(berth_occupancy_insert_scan(o, points, 2, v3(0.05, 0.05, 0.05), 0.0, NULL), BERTH_OK);
    BerthField* field = build_field(o, 0);
    assert_true(starve(work_hard, field) > 5);
    berth_field_destroy(field);
    berth_occupancy_destroy(o);
}

int test_occupancy_scan(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_pass_what_they_cross), cmocka_unit_test(cells_have_their_odds),
        cmocka_unit_test(fields_follow_scans),       cmocka_unit_test(fields_follow_scans_that_failed),
        cmocka_unit_test(trees_of_liboctomap),       cmocka_unit_test(wrong_and_too_much),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
