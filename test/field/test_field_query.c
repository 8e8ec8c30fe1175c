// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every structure against whole-number brute force: the distance from a point to every obstacle cell box, in 256ths of a cell. Centres and radii are multiples of
// that, so that nothing may be off by anything; touching counts.
// test-share: 0.5

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "field/field.h"
#include "math/math.h"
#include "simd/simd.h"
#include "support/setting.h"

enum { PARTS = 256 };     // of a cell
enum { SET_MOST = 200 };  // balls

/// Obstacles as plain boxes, in cells.
typedef struct Box {
    int32_t low[3], high[3];
} Box;

typedef struct World {
    int dim;
    int32_t cells;
    Box* boxes;
    size_t count;
    BerthField* field;
    BerthField* local;  // the same with a local EODM
} World;

static int64_t below(Random* random, int64_t n) {
    return (int64_t)(bi_random_next(random) % (uint64_t)n);
}

static BerthField* build(BerthFieldBuilder* builder) {
    BerthField* field = NULL;
    const BerthStatus status = berth_field_build(builder, &field);
    if (status != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return field;
}

// Boxes of many sizes, single cells, or a chessboard; kind 3: each is all of the map.
static World make_world(Random* random, int dim, int32_t levels, int kind, int pieces) {
    World world = {.dim = dim, .cells = 1 << levels};
    BerthFieldDef def = berth_default_field_def();
    def.dim = dim;
    def.levels = levels;
    def.parts = BERTH_FIELD_ALL_PARTS;
    BerthFieldBuilder* builder = NULL;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    world.boxes = calloc((size_t)pieces + 1, sizeof *world.boxes);
    for (int i = 0; i < pieces; ++i) {
        Box* box = &world.boxes[world.count];
        const int32_t most = kind == 0 ? 1 : kind == 1 ? (world.cells + 3) / 4 : world.cells / 16 + 1;
        for (int axis = 0; axis < 3; ++axis) {
            const int32_t width = kind == 3 ? world.cells : 1 + (int32_t)below(random, most);
            box->low[axis] = (int32_t)below(random, world.cells - width + 1);
            box->high[axis] = box->low[axis] + width;
        }
        if (dim == 2) {
            box->low[2] = 0;
            box->high[2] = 1;
        }
        assert_int_equal(berth_field_add_box(builder, box->low, box->high, BERTH_CELL_OCCUPIED), BERTH_OK);
        ++world.count;
    }
    world.field = build(builder);
    berth_field_builder_destroy(builder);
    def.parts = BERTH_FIELD_EODM;
    def.local = true;
    assert_int_equal(berth_field_remake(world.field, &def, &world.local), BERTH_OK);
    return world;
}

static void free_world(World* world) {
    free(world->boxes);
    berth_field_destroy(world->field);
    berth_field_destroy(world->local);
}

/// Least L1 distance and least squared distance of a point (in parts) to any box, in parts.
typedef struct Truth {
    int64_t l1, l2_sq;
} Truth;

static Truth truth_of(const World* world, const int64_t at[3]) {
    Truth truth = {INT64_MAX, INT64_MAX};
    for (size_t i = 0; i < world->count; ++i) {
        int64_t l1 = 0, l2_sq = 0;
        for (int axis = 0; axis < world->dim; ++axis) {
            const int64_t low = (int64_t)world->boxes[i].low[axis] * PARTS,
                          high = (int64_t)world->boxes[i].high[axis] * PARTS;
            const int64_t gap = at[axis] < low ? low - at[axis] : at[axis] > high ? at[axis] - high : 0;
            l1 += gap;
            l2_sq += gap * gap;
        }
        truth.l1 = l1 < truth.l1 ? l1 : truth.l1;
        truth.l2_sq = l2_sq < truth.l2_sq ? l2_sq : truth.l2_sq;
    }
    return truth;
}

/// One question, put to all.
typedef struct Ask {
    int64_t at[3];
    int64_t radius;
    Truth truth;
} Ask;

static Ask random_ask(Random* random, const World* world) {
    Ask ask = {{0, 0, 0}, 0, {0, 0}};
    const int64_t range = (int64_t)world->cells * PARTS;
    // On corners and borders of cells, on halves, anywhere.
    const int64_t grid = (const int64_t[]){PARTS, PARTS / 2, PARTS / 4, 1}[below(random, 4)];
    for (int axis = 0; axis < world->dim; ++axis) {
        ask.at[axis] = below(random, range / grid + 1) * grid;
    }
    if (below(random, 50) == 0) {  // outside
        ask.at[below(random, world->dim)] =
            below(random, 2) == 0 ? -1 - below(random, range) : range + 1 + below(random, 4 * PARTS);
    }
    ask.truth = truth_of(world, ask.at);
    switch (below(random, 5)) {
    case 0:
        ask.radius = 0;
        break;
    case 1:  // touching, in L1
        ask.radius = ask.truth.l1 == INT64_MAX ? 5 : ask.truth.l1;
        break;
    case 2:  // just not
        ask.radius = ask.truth.l1 == INT64_MAX || ask.truth.l1 == 0 ? 1 : ask.truth.l1 - 1;
        break;
    case 3:  // near the Euclidean distance
        ask.radius = (int64_t)sqrt((double)(ask.truth.l2_sq == INT64_MAX ? 9 : ask.truth.l2_sq)) +
                     below(random, 3) - 1;
        ask.radius = ask.radius < 0 ? 0 : ask.radius;
        break;
    default:
        ask.radius = below(random, 4 * PARTS);
        break;
    }
    return ask;
}

static bool is_inside(const World* world, const Ask* ask) {
    bool inside = true;
    for (int axis = 0; axis < world->dim; ++axis) {
        inside = inside && ask->at[axis] >= 0 && ask->at[axis] <= (int64_t)world->cells * PARTS;
    }
    return inside;
}

// The distance, the verdict, the obstacle and its nearest point.
static void check_answer(const World* world, const BerthField* field, const Ask* ask, BerthFieldMethod method,
                         BerthMetric metric) {
    const BerthVec3 centre = {(double)ask->at[0] / PARTS, (double)ask->at[1] / PARTS,
                              (double)ask->at[2] / PARTS};
    const double radius = (double)ask->radius / PARTS;
    BerthFieldAnswer answer;
    assert_int_equal(berth_field_query_by(field, method, metric, centre, radius, &answer), BERTH_OK);
    const bool l1 = metric == BERTH_METRIC_L1;
    const bool none = ask->truth.l1 == INT64_MAX;
    const bool hit =
        !none && (l1 ? ask->truth.l1 <= ask->radius : ask->truth.l2_sq <= ask->radius * ask->radius);
    const bool inside = is_inside(world, ask);
    const BerthVerdict expected = hit ? BERTH_COLLISION : inside ? BERTH_FREE : BERTH_UNKNOWN;
    const BerthVerdict ball = berth_field_ball_by(field, method, metric, centre, radius);
    if (answer.verdict != expected || ball != expected) {
        fail_msg(
            "%s %s at (%lld, %lld, %lld) r %lld: query %d, ball %d, true %d; distance %.17g, true %lld / "
            "sqrt %lld",
            berth_field_method_name(method), berth_metric_name(metric), (long long)ask->at[0],
            (long long)ask->at[1], (long long)ask->at[2], (long long)ask->radius, answer.verdict, ball,
            expected, answer.lower * PARTS, (long long)ask->truth.l1, (long long)ask->truth.l2_sq);
    }
    assert_true(answer.outside == !inside);
    if (none) {
        assert_true(answer.lower == INFINITY && answer.obstacle == -1);
        return;
    }
    const double lower = answer.lower * PARTS, upper = answer.upper * PARTS;
    const bool good = l1 ? lower == (double)ask->truth.l1 && upper == lower
                         : lower * lower <= (double)ask->truth.l2_sq * (1 + 4 * DBL_EPSILON) &&
                               upper * upper >= (double)ask->truth.l2_sq * (1 - 4 * DBL_EPSILON) &&
                               upper <= lower * (1 + 1e-12);
    if (!good) {
        fail_msg("%s %s at (%lld, %lld, %lld): %.17g to %.17g, true %lld / sqrt %lld",
                 berth_field_method_name(method), berth_metric_name(metric), (long long)ask->at[0],
                 (long long)ask->at[1], (long long)ask->at[2], lower, upper, (long long)ask->truth.l1,
                 (long long)ask->truth.l2_sq);
    }
    const double one[4] = {centre.x, centre.y, centre.z, radius};
    const double enough = (double)(ask->at[0] % 700) / PARTS,
                 clear = berth_field_clearance_by(field, method, metric, one, 1, enough, NULL);
    const double true_clear = (l1 ? (double)ask->truth.l1 : sqrt((double)ask->truth.l2_sq)) / PARTS - radius;
    assert_true(clear <= true_clear && (clear > enough || clear >= true_clear - 1e-9));

    // What most callers use: the method is the map's own choice.
    BerthVerdict verdict = BERTH_UNKNOWN;
    assert_int_equal(berth_field_balls(field, metric, one, 1, &verdict), expected);
    assert_int_equal(verdict, expected);
    size_t worst = 7;
    const double chosen = berth_field_clearance(field, metric, one, 1, enough, &worst);
    assert_true(chosen <= true_clear && (chosen > enough || chosen >= true_clear - 1e-9) && worst == 0);
    // The point named is on the obstacle named, which is one, and as far as said.
    const BerthFieldLeaf leaf = berth_field_solid_leaf(field, answer.obstacle);
    assert_int_equal(leaf.colour, BERTH_CELL_OCCUPIED);
    double found = 0.0;
    const double near[3] = {answer.nearest.x, answer.nearest.y, answer.nearest.z};
    for (int axis = 0; axis < world->dim; ++axis) {
        assert_true(near[axis] >= leaf.low[axis] && near[axis] <= leaf.low[axis] + leaf.width);
        const double gap = fabs(near[axis] * PARTS - (double)ask->at[axis]);
        found += l1 ? gap : gap * gap;
    }
    assert_true(found == (double)(l1 ? ask->truth.l1 : ask->truth.l2_sq));
}

static void ask_all(Random* random, const World* world, int asks) {
    for (int i = 0; i < asks; ++i) {
        const Ask ask = random_ask(random, world);
        for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
            check_answer(world, world->field, &ask, (BerthFieldMethod)method, BERTH_METRIC_L1);
            check_answer(world, world->field, &ask, (BerthFieldMethod)method, BERTH_METRIC_L2);
        }
        check_answer(world, world->local, &ask, BERTH_FIELD_BY_EODM, BERTH_METRIC_L1);
        check_answer(world, world->local, &ask, BERTH_FIELD_BY_EODM, BERTH_METRIC_L2);
    }
}

static void small_worlds(void** state) {
    (void)state;
    Random random = {1};
    for (int round = 0; round < test_scaled(160); ++round) {
        const int dim = 2 + round % 2;
        const int32_t levels = (int32_t)below(&random, dim == 2 ? 7 : 6);
        World world =
            make_world(&random, dim, levels, (int)below(&random, 3), (int)below(&random, 1 + (1 << levels)));
        ask_all(&random, &world, 60);
        free_world(&world);
    }
}

// 2-D 256 x 256, 3-D 64^3 and 256^3. Fewer questions where brute force is slow, more at a higher scale.
static void large_worlds(void** state) {
    (void)state;
    static const struct {
        int dim, levels, kind, pieces, asks;
    } worlds[] = {{2, 8, 0, 600, 400}, {2, 8, 1, 12, 600}, {2, 8, 2, 60, 500}, {3, 6, 0, 500, 400},
                  {3, 6, 1, 10, 600},  {3, 6, 2, 60, 500}, {3, 8, 2, 12, 400}};
    Random random = {2};
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; ++i) {
        World world = make_world(&random, worlds[i].dim, worlds[i].levels, worlds[i].kind, worlds[i].pieces);
        ask_all(&random, &world, test_scaled(worlds[i].asks));
        free_world(&world);
    }
}

// Resolution 0.05, origins that are no multiples of it, any double as a coordinate: the truth, in long double, is in every interval, and no verdict is against it.
static void rounding_is_covered(void** state) {
    (void)state;
    Random random = {3};
    int unknown = 0, sure = 0;
    for (int round = 0; round < test_scaled(40); ++round) {
        const int dim = 2 + round % 2;
        BerthFieldDef def = berth_default_field_def();
        def.dim = dim;
        def.levels = 5;
        def.parts = BERTH_FIELD_ALL_PARTS;
        def.resolution = (const double[]){0.05, 0.1, 1.0 / 3.0, 1e-3}[below(&random, 4)];
        def.origin = (BerthVec3){bi_random_between(&random, -10, 10), 0.3, 1e6 * (double)below(&random, 2)};
        BerthFieldBuilder* builder = NULL;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        Box boxes[6];
        for (int i = 0; i < 6; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                boxes[i].low[axis] = axis < dim ? (int32_t)below(&random, 30) : 0;
                boxes[i].high[axis] = boxes[i].low[axis] + 1 + (int32_t)below(&random, axis < dim ? 2 : 1);
            }
            assert_int_equal(berth_field_add_box(builder, boxes[i].low, boxes[i].high, BERTH_CELL_OCCUPIED),
                             BERTH_OK);
        }
        BerthField* field = build(builder);
        const double origin[3] = {def.origin.x, def.origin.y, def.origin.z};
        for (int ask = 0; ask < 100; ++ask) {
            double p[3];
            for (int axis = 0; axis < 3; ++axis) {
                const double cells =
                    below(&random, 3) == 0 ? (double)below(&random, 33) : bi_random_between(&random, 0, 32);
                p[axis] = origin[axis] + def.resolution * cells;
            }
            long double l1 = INFINITY, l2 = INFINITY;
            for (int i = 0; i < 6; ++i) {
                long double sum = 0, sum_sq = 0;
                for (int axis = 0; axis < dim; ++axis) {
                    const long double low =
                        (long double)origin[axis] + (long double)def.resolution * boxes[i].low[axis];
                    const long double high =
                        (long double)origin[axis] + (long double)def.resolution * boxes[i].high[axis];
                    const long double gap = p[axis] < low    ? low - p[axis]
                                            : p[axis] > high ? p[axis] - high
                                                             : 0;
                    sum += gap;
                    sum_sq += gap * gap;
                }
                l1 = sum < l1 ? sum : l1;
                l2 = sqrtl(sum_sq) < l2 ? sqrtl(sum_sq) : l2;
            }
            for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
                for (int metric = 0; metric < BERTH_METRIC_COUNT; ++metric) {
                    const long double truth = metric == BERTH_METRIC_L1 ? l1 : l2;
                    const double r = ask % 3 == 0   ? (double)truth
                                     : ask % 3 == 1 ? nextafter((double)truth, 1e9)
                                                    : bi_random_between(&random, 0, 3 * def.resolution);
                    BerthFieldAnswer answer;
                    const BerthVec3 centre = {p[0], p[1], p[2]};
                    assert_int_equal(berth_field_query_by(field, (BerthFieldMethod)method,
                                                          (BerthMetric)metric, centre, r, &answer),
                                     BERTH_OK);
                    const long double tiny = 1e-18L * (20 + fabsl((long double)origin[2]));
                    assert_true(answer.lower <= truth + tiny && answer.upper >= truth - tiny);
                    assert_true(answer.upper - answer.lower < 1e-8 * (1 + fabs(origin[2])));
                    const BerthVerdict ball =
                        berth_field_ball_by(field, (BerthFieldMethod)method, (BerthMetric)metric, centre, r);
                    const BerthVerdict both[2] = {answer.verdict, ball};
                    for (int k = 0; k < 2; ++k) {
                        assert_false(both[k] == BERTH_FREE && truth + tiny < r);
                        assert_false(both[k] == BERTH_COLLISION && truth - tiny > r);
                        unknown += ask % 3 == 2 && both[k] == BERTH_UNKNOWN;
                        sure += ask % 3 == 2 && both[k] != BERTH_UNKNOWN;
                    }
                }
            }
        }
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
    assert_true(4 * unknown < sure);  // of radii that are not the distance itself
}

// Where all is an obstacle every point that is deeper than rounding is one, on the borders of cells, too, whose place is rounded.
static void deep_in_solid_is_a_collision(void** state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        BerthFieldDef def = berth_default_field_def();
        def.dim = dim;
        def.levels = 4;
        def.parts = BERTH_FIELD_ALL_PARTS;
        def.resolution = 0.1;
        def.origin = (BerthVec3){-3276.8, 0.3, 0.0};
        BerthFieldBuilder* builder = NULL;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        // Two boxes: the border between them is inside, too. The last cell is free.
        const int32_t low[2][3] = {{0, 0, 0}, {7, 0, 0}}, high[2][3] = {{7, 16, 16}, {16, 16, 16}};
        for (int i = 0; i < 2; ++i) {
            const int32_t to[3] = {high[i][0], high[i][1], dim == 3 ? 16 : 1};
            assert_int_equal(berth_field_add_box(builder, low[i], to, BERTH_CELL_OCCUPIED), BERTH_OK);
        }
        assert_int_equal(berth_field_add_cell(builder, 15, 15, dim == 3 ? 15 : 0, BERTH_CELL_FREE), BERTH_OK);
        BerthField* field = build(builder);
        berth_field_builder_destroy(builder);
        for (int i = 0; i < 1000; ++i) {
            const BerthVec3 at = {def.origin.x + def.resolution * (1 + i % 10) * (i < 500 ? 1.0 : 1.37),
                                  def.origin.y + def.resolution * (1 + i / 10 % 10),
                                  def.origin.z + def.resolution * (1 + i / 100)};
            for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
                for (int metric = 0; metric < BERTH_METRIC_COUNT; ++metric) {
                    BerthFieldAnswer answer;
                    assert_int_equal(berth_field_query_by(field, (BerthFieldMethod)method,
                                                          (BerthMetric)metric, at, 0.0, &answer),
                                     BERTH_OK);
                    assert_true(answer.verdict == BERTH_COLLISION && answer.upper == 0.0);
                }
            }
        }
        // On the border to what is free nothing can be told.
        BerthFieldAnswer answer;
        const BerthVec3 edge = {def.origin.x + 15 * def.resolution, def.origin.y + 15.5 * def.resolution,
                                def.origin.z + 15.5 * def.resolution};
        assert_int_equal(berth_field_query(field, BERTH_METRIC_L2, edge, 0.0, &answer), BERTH_OK);
        assert_int_equal(answer.verdict, BERTH_UNKNOWN);
        assert_int_equal(answer.reason, BERTH_REASON_NUMERIC);
        berth_field_destroy(field);
    }
}

static void nonsense_is_never_free(void** state) {
    (void)state;
    Random random = {4};
    World world = make_world(&random, 3, 4, 2, 5);
    World empty = make_world(&random, 2, 3, 2, 0);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};
    for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
        for (int metric = 0; metric < BERTH_METRIC_COUNT; ++metric) {
            for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
                for (int slot = 0; slot < 4; ++slot) {
                    double v[4] = {1.5, 2.5, 3.5, 0.25};
                    v[slot] = bad[i];
                    const BerthField* fields[2] = {world.field, empty.field};
                    for (int k = 0; k < 2; ++k) {
                        const bool ignored = k == 1 && slot == 2;  // z, in the plane
                        if (ignored || (slot == 3 && bad[i] == 1e308)) {
                            continue;
                        }
                        BerthFieldAnswer answer = {.verdict = BERTH_FREE};
                        const BerthStatus status =
                            berth_field_query_by(fields[k], (BerthFieldMethod)method, (BerthMetric)metric,
                                                 (BerthVec3){v[0], v[1], v[2]}, v[3], &answer);
                        assert_true(answer.verdict != BERTH_FREE);
                        assert_true(status == BERTH_OK ||
                                    (slot == 3 && v[3] < 0 && status == BERTH_ERR_ARGUMENT));
                        assert_true(berth_field_ball_by(fields[k], (BerthFieldMethod)method,
                                                        (BerthMetric)metric, (BerthVec3){v[0], v[1], v[2]},
                                                        v[3]) != BERTH_FREE);
                        BerthVerdict one = BERTH_FREE;
                        assert_true(berth_field_balls_by(fields[k], (BerthFieldMethod)method,
                                                         (BerthMetric)metric, v, 1, &one) != BERTH_FREE);
                        assert_true(one != BERTH_FREE);
                        const double clear = berth_field_clearance_by(fields[k], (BerthFieldMethod)method,
                                                                      (BerthMetric)metric, v, 1, 0, NULL);
                        assert_true(clear == -INFINITY);
                    }
                }
            }
        }
    }
    // A ball larger than any map: free only where there is nothing.
    for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
        for (int metric = 0; metric < BERTH_METRIC_COUNT; ++metric) {
            const BerthVec3 p = {1.5, 2.5, 3.5};
            for (double r = 1.0; r < 1e12; r *= 1000.0) {
                assert_int_equal(
                    berth_field_ball_by(empty.field, (BerthFieldMethod)method, (BerthMetric)metric, p, r),
                    BERTH_FREE);
                if (r > 100.0) {
                    assert_int_equal(
                        berth_field_ball_by(world.field, (BerthFieldMethod)method, (BerthMetric)metric, p, r),
                        BERTH_COLLISION);
                }
            }
        }
    }
    BerthFieldAnswer answer;
    BerthFieldDef def = berth_default_field_def();
    BerthField* plain = NULL;
    assert_int_equal(berth_field_remake(world.field, &def, &plain), BERTH_OK);
    assert_int_equal(
        berth_field_query_by(plain, BERTH_FIELD_BY_EODM, BERTH_METRIC_L1, (BerthVec3){1, 1, 1}, 0.1, &answer),
        BERTH_ERR_ARGUMENT);
    assert_int_equal(answer.verdict, BERTH_UNKNOWN);
    assert_int_equal(
        berth_field_ball_by(plain, BERTH_FIELD_BY_DM, BERTH_METRIC_L1, (BerthVec3){1, 1, 1}, 0.1),
        BERTH_UNKNOWN);
    assert_int_equal(
        berth_field_ball_by(plain, (BerthFieldMethod)99, BERTH_METRIC_L1, (BerthVec3){1, 1, 1}, 0.1),
        BERTH_UNKNOWN);
    assert_int_equal(
        berth_field_ball_by(plain, BERTH_FIELD_BY_OCTREE, (BerthMetric)7, (BerthVec3){1, 1, 1}, 0.1),
        BERTH_UNKNOWN);
    berth_field_destroy(plain);
    free_world(&world);
    free_world(&empty);
}

// A call with many balls says what each alone is told; NaN, negative radii and balls outside among them.
static void many_are_one_by_one(void** state) {
    (void)state;
    enum { MOST = 200 };
    Random random = {9};
    int told[3] = {0};
    for (int round = 0; round < test_scaled(300); ++round) {
        const int dim = 2 + round % 2;
        World world = make_world(&random, dim, 5, (int)below(&random, 3), (int)below(&random, 12));
        const size_t count = (size_t)below(&random, MOST + 1);
        double balls[4 * MOST];
        for (size_t i = 0; i < 4 * count; ++i) {
            balls[i] = i % 4 == 3 ? (double)below(&random, 90) / 16.0 - 0.2
                                  : (double)below(&random, 700) / 20.0 - 1.0;
            if (below(&random, 400) == 0) {
                balls[i] = (double)NAN;
            }
        }
        for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
            const BerthMetric metric = (BerthMetric)below(&random, BERTH_METRIC_COUNT);
            BerthVerdict verdicts[MOST], all = BERTH_FREE;
            const BerthVerdict with =
                berth_field_balls_by(world.field, (BerthFieldMethod)method, metric, balls, count, verdicts);
            const BerthVerdict without =
                berth_field_balls_by(world.field, (BerthFieldMethod)method, metric, balls, count, NULL);
            for (size_t i = 0; i < count; ++i) {
                const double* b = balls + 4 * i;
                const BerthVerdict one = berth_field_ball_by(world.field, (BerthFieldMethod)method, metric,
                                                             (BerthVec3){b[0], b[1], b[2]}, b[3]);
                assert_int_equal(verdicts[i], one);
                all = one == BERTH_COLLISION || (one == BERTH_UNKNOWN && all == BERTH_FREE) ? one : all;
                ++told[one];
            }
            assert_int_equal(with, all);
            assert_int_equal(without, all);
            assert_int_equal(berth_field_balls(world.field, metric, balls, count, NULL), all);
        }
        free_world(&world);
    }
    assert_true(told[BERTH_FREE] > 100 && told[BERTH_COLLISION] > 100 && told[BERTH_UNKNOWN] > 100);
}

// The maps by their definitions, every cell; sizes that are no powers of two; unknown cells both ways.
static void maps_as_defined(void** state) {
    (void)state;
    Random random = {5};
    for (int round = 0; round < test_scaled(60); ++round) {
        BerthFieldDef def = berth_default_field_def();
        def.dim = 2 + round % 2;
        def.levels = 1 + (int32_t)below(&random, 4);
        def.parts = BERTH_FIELD_DM | BERTH_FIELD_EUCLID | BERTH_FIELD_ODM;
        def.unknown_is_free = below(&random, 2) == 0;
        int32_t size[3] = {1, 1, 1};
        for (int axis = 0; axis < def.dim; ++axis) {
            size[axis] = def.size[axis] = 1 + (int32_t)below(&random, 1 << def.levels);
        }
        BerthFieldBuilder* builder = NULL;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        for (int i = (int)below(&random, 9); i > 0; --i) {
            assert_int_equal(berth_field_add_cell(
                                 builder, (int32_t)below(&random, size[0]), (int32_t)below(&random, size[1]),
                                 (int32_t)below(&random, size[2]), (BerthCellColour)(1 + below(&random, 2))),
                             BERTH_OK);
        }
        BerthField* field = build(builder);
        int32_t c[3], o[3];
        for (c[2] = 0; c[2] < size[2]; ++c[2]) {
            for (c[1] = 0; c[1] < size[1]; ++c[1]) {
                for (c[0] = 0; c[0] < size[0]; ++c[0]) {
                    int64_t l1 = INT64_MAX, euclid = INT64_MAX;
                    for (o[2] = 0; o[2] < size[2]; ++o[2]) {
                        for (o[1] = 0; o[1] < size[1]; ++o[1]) {
                            for (o[0] = 0; o[0] < size[0]; ++o[0]) {
                                const BerthCellColour colour = berth_field_colour_at(field, o[0], o[1], o[2]);
                                if (colour == BERTH_CELL_FREE ||
                                    (colour == BERTH_CELL_UNKNOWN && def.unknown_is_free)) {
                                    continue;
                                }
                                int64_t sum = 0, sum_sq = 0;
                                for (int axis = 0; axis < 3; ++axis) {
                                    const int64_t apart = llabs((long long)c[axis] - o[axis]);
                                    sum += apart;
                                    sum_sq += apart > 0 ? (2 * apart - 1) * (2 * apart - 1) : 0;
                                }
                                l1 = sum < l1 ? sum : l1;
                                euclid = sum_sq < euclid ? sum_sq : euclid;
                            }
                        }
                    }
                    assert_int_equal(berth_field_dm_at(field, c[0], c[1], c[2]), l1 == INT64_MAX ? -1 : l1);
                    assert_int_equal(berth_field_euclid_at(field, c[0], c[1], c[2]),
                                     euclid == INT64_MAX ? -1 : euclid);
                    int64_t least, greatest;
                    if (berth_field_separation(field, c[0], c[1], c[2], &least, &greatest)) {
                        BerthFieldAnswer answer;
                        const BerthVec3 p = {c[0] + bi_random_between(&random, 0, 1), c[1] + 0.5,
                                             c[2] + 0.25};
                        assert_int_equal(berth_field_query_by(field, BERTH_FIELD_BY_OCTREE, BERTH_METRIC_L1,
                                                              p, 0, &answer),
                                         BERTH_OK);
                        assert_true(answer.upper >= (double)least && answer.lower <= (double)greatest);
                    }
                }
            }
        }
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
}

static void all_that_are_nearest(void** state) {
    (void)state;
    Random random = {6};
    for (int round = 0; round < test_scaled(200); ++round) {
        World world = make_world(&random, 2 + round % 2, 3, 0, (int)below(&random, 12));
        const int64_t solids = berth_field_info(world.field).occupied_count;
        for (int i = 0; i < 20; ++i) {
            double p[3];
            for (int axis = 0; axis < 3; ++axis) {
                p[axis] = 0.5 * (double)below(&random, 17);  // ties are common
            }
            const BerthMetric metric = (BerthMetric)(i % 2);
            double best = INFINITY;
            int64_t expected[64], found[64], count = 0;
            for (int64_t k = 0; k < solids; ++k) {
                const BerthFieldLeaf leaf = berth_field_solid_leaf(world.field, k);
                double key = 0;
                for (int axis = 0; axis < world.dim; ++axis) {
                    const double gap =
                        fmax(fmax(leaf.low[axis] - p[axis], p[axis] - leaf.low[axis] - leaf.width), 0);
                    key += metric == BERTH_METRIC_L1 ? gap : gap * gap;
                }
                count = key < best ? 0 : count;
                best = key < best ? key : best;
                if (key == best) {
                    expected[count++] = k;
                }
            }
            assert_int_equal(
                berth_field_all_nearest(world.field, metric, (BerthVec3){p[0], p[1], p[2]}, found, 64),
                count);
            assert_memory_equal(found, expected, (size_t)count * sizeof found[0]);
        }
        free_world(&world);
    }
}

// The thesis' structure as a function: along the faces of a free node, m + F is the distance for every point (2-D), and the intervals follow each other.
static void perimeter_functions(void** state) {
    (void)state;
    Random random = {7};
    for (int round = 0; round < test_scaled(100); ++round) {
        World world = make_world(&random, 2, 5, 1, 1 + (int)below(&random, 8));
        const int32_t x = (int32_t)below(&random, 32), y = (int32_t)below(&random, 32);
        BerthFieldInterval intervals[256];
        const int64_t count = berth_field_intervals(world.field, x, y, 0, intervals, 256);
        assert_true(count <= 256);
        const BerthFieldLeaf leaf = berth_field_leaf_at(world.field, x, y, 0);
        if (leaf.colour != BERTH_CELL_FREE) {
            assert_int_equal(count, 0);
        } else {
            for (int i = 0; i < 50; ++i) {
                const int64_t at[3] = {leaf.low[0] * PARTS + below(&random, leaf.width * PARTS + 1),
                                       leaf.low[1] * PARTS + below(&random, leaf.width * PARTS + 1), 0};
                double best = INFINITY;
                for (int64_t k = 0; k < count; ++k) {
                    const int normal = intervals[k].face / 2;
                    const double s = (double)at[1 - normal] / PARTS, n = (double)at[normal] / PARTS;
                    const double m =
                        intervals[k].face % 2 == 0 ? n - leaf.low[normal] : leaf.low[normal] + leaf.width - n;
                    if (s >= intervals[k].from && s <= intervals[k].to) {
                        best = fmin(best, m + intervals[k].value + intervals[k].slope * s);
                    }
                }
                assert_true(best * PARTS == (double)truth_of(&world, at).l1);
            }
        }
        free_world(&world);
    }
}

// Many balls in one call are answered as each by itself: rows of balls as links have them, near and far from obstacles, across the border,
// with numbers that are none among them.
static void many_balls_as_one_by_one(void** state) {
    (void)state;
    Random random = {21};
    int64_t verdicts[3] = {0, 0, 0};
    for (int round = 0; round < test_scaled(60); ++round) {
        const int dim = round % 4 == 0 ? 2 : 3;
        BerthFieldDef def = berth_default_field_def();
        def.dim = dim;
        def.levels = 6;
        def.size[0] = def.size[1] = 50 + round % 15;
        def.size[2] = 40;
        def.resolution = round % 3 == 0 ? 0.05 : 1.0;
        def.origin = v3(round % 5 == 0 ? -1638.4 : 0.0, 0.3, 0.0);
        if (round % 7 == 6) {
            def.resolution = 0.05;
            def.origin.y = 9e6 + 0.3;  // so far that a first look would not be enough
        }
        def.parts = BERTH_FIELD_EUCLID | BERTH_FIELD_DM;
        BerthFieldBuilder* builder = NULL;
        BerthField* field = NULL;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        for (int i = 0; i < round % 12; ++i) {
            int32_t low[3], high[3];
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = (int32_t)(bi_random_next(&random) % 38);
                high[axis] = low[axis] + 1 + (int32_t)(bi_random_next(&random) % 2);
            }
            assert_int_equal(berth_field_add_box(builder, low, high, BERTH_CELL_OCCUPIED), BERTH_OK);
        }
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);

        for (int n = 0; n < 60; ++n) {
            double balls[4 * SET_MOST];
            BerthVerdict each[SET_MOST], all = BERTH_FREE;
            const int count = 1 + (int)(bi_random_next(&random) % (n % 10 == 0 ? SET_MOST : 70));
            double at[3], step[3];
            for (int axis = 0; axis < 3; ++axis) {
                at[axis] = bi_random_between(&random, -3.0, 53.0);
                step[axis] = bi_random_between(&random, -0.5, 0.5);
            }
            for (int i = 0; i < count; ++i) {
                balls[4 * i] = def.origin.x + def.resolution * (at[0] + step[0] * i);
                balls[4 * i + 1] = def.origin.y + def.resolution * (at[1] + step[1] * i);
                balls[4 * i + 2] = def.origin.z + def.resolution * (at[2] + step[2] * i);
                balls[4 * i + 3] = def.resolution * bi_random_between(&random, 0.0, n % 3 + 0.5);
            }
            if (n % 5 == 0) {
                const double odd[] = {NAN, INFINITY, -INFINITY, -1.0, 1e300};
                const int where = (int)(bi_random_next(&random) % (uint64_t)(4 * count));
                balls[where] = odd[n / 5 % 5];
            }

            const BerthMetric metric = n % 2 == 0 ? BERTH_METRIC_L2 : BERTH_METRIC_L1;
            (void)berth_field_balls_by(field, BERTH_FIELD_BY_EUCLID, metric, balls, (size_t)count, each);
            for (int i = 0; i < count; ++i) {
                const double* b = balls + 4 * i;
                const BerthVerdict one =
                    berth_field_ball_by(field, BERTH_FIELD_BY_OCTREE, metric, v3(b[0], b[1], b[2]), b[3]);
                if (one != each[i]) {
                    fail_msg("round %d.%d: ball %d of %d is %s alone, %s with others", round, n, i, count,
                             berth_verdict_name(one), berth_verdict_name(each[i]));
                }
                verdicts[one] += 1;
                all = one == BERTH_COLLISION || (one == BERTH_UNKNOWN && all == BERTH_FREE) ? one : all;
            }
            for (int way = 0; way < 2; ++way) {
                const BerthFieldMethod method = way == 0 ? BERTH_FIELD_BY_EUCLID : BERTH_FIELD_BY_DM;
                assert_int_equal(berth_field_balls_by(field, method, metric, balls, (size_t)count, NULL),
                                 all);
            }
        }
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
    // So that the test could fail; few balls need not hold enough of each.
    assert_true(!test_is_whole() || (verdicts[BERTH_FREE] > 100 && verdicts[BERTH_COLLISION] > 50 &&
                                     verdicts[BERTH_UNKNOWN] > 100));
}

/// How the balls of a set are made.
typedef enum SetKind {
    SET_ANY,       // as other questions
    SET_NEARLY,    // none touches, by one part of 256 or less: no look at a dense map can tell
    SET_ONE,       // the same, but one, which touches exactly
    SET_POINTS,    // of radius 0
    SET_NONSENSE,  // one has NaN for a radius or a place, or a negative radius
    SET_KINDS
} SetKind;

// The greatest radius with which a ball does not touch, in parts.
static int64_t radius_that_misses(const Ask* ask, BerthMetric metric) {
    if (metric == BERTH_METRIC_L1) {
        return ask->truth.l1 - 1;
    }
    int64_t r = (int64_t)sqrt((double)ask->truth.l2_sq);
    r -= r * r >= ask->truth.l2_sq ? 1 : 0;
    return r;
}

static Ask random_ask_of_set(Random* random, const World* world, SetKind kind, BerthMetric metric) {
    Ask ask = random_ask(random, world);
    const bool nearly = kind == SET_NEARLY || kind == SET_ONE;
    for (int i = 0; nearly && i < 100 && (ask.truth.l1 <= 0 || !is_inside(world, &ask)); ++i) {
        ask = random_ask(random, world);
    }

    if (nearly && ask.truth.l1 > 0 && ask.truth.l1 != INT64_MAX) {
        ask.radius = radius_that_misses(&ask, metric);
    } else if (kind == SET_POINTS) {
        ask.radius = 0;
    }
    return ask;
}

static BerthVerdict true_verdict(const World* world, const Ask* ask, BerthMetric metric) {
    const bool none = ask->truth.l1 == INT64_MAX;
    const bool hit = !none && (metric == BERTH_METRIC_L1 ? ask->truth.l1 <= ask->radius
                                                         : ask->truth.l2_sq <= ask->radius * ask->radius);
    if (hit) {
        return BERTH_COLLISION;
    }
    return is_inside(world, ask) ? BERTH_FREE : BERTH_UNKNOWN;
}

// A set of balls, as a robot has them: what each is told, and what all are told together.
static BerthVerdict check_set(Random* random, const World* world, SetKind kind, BerthMetric metric,
                              size_t count) {
    double balls[4 * SET_MOST];
    BerthVerdict wanted[SET_MOST], all = BERTH_FREE;
    const size_t special = count > 0 ? (size_t)below(random, (int64_t)count) : 0;

    for (size_t i = 0; i < count; ++i) {
        Ask ask = random_ask_of_set(random, world, kind, metric);
        if (kind == SET_ONE && i == special && metric == BERTH_METRIC_L1 && ask.truth.l1 != INT64_MAX) {
            ask.radius = ask.truth.l1;
        } else if (kind == SET_ONE && i == special) {
            ask.radius += 1;
        }
        wanted[i] = true_verdict(world, &ask, metric);

        for (int axis = 0; axis < 3; ++axis) {
            balls[4 * i + (size_t)axis] = (double)ask.at[axis] / PARTS;
        }
        balls[4 * i + 3] = (double)ask.radius / PARTS;
        if (kind == SET_NONSENSE && i == special) {
            const double odd[3] = {(double)NAN, -1.0, (double)NAN};
            const int64_t which = below(random, 3);
            balls[4 * i + (which == 2 ? 0u : 3u)] = odd[which];
            wanted[i] = BERTH_UNKNOWN;
        }

        const BerthVerdict one = wanted[i];
        all = one == BERTH_COLLISION || (one == BERTH_UNKNOWN && all == BERTH_FREE) ? one : all;
    }

    for (int way = 0; way < BERTH_FIELD_METHOD_COUNT + 2 * SIMD_ISA_COUNT; ++way) {
        // Every method, then those that look into dense maps on every instruction set.
        const int isa = (way - BERTH_FIELD_METHOD_COUNT) / 2, dense = way % 2;
        const bool by_isa = way >= BERTH_FIELD_METHOD_COUNT;
        const int method = by_isa ? (dense == 0 ? BERTH_FIELD_BY_EUCLID : BERTH_FIELD_BY_DM) : way;
        const SimdKernels* kernels = by_isa ? bi_simd_kernels_for((SimdIsa)isa) : bi_simd_kernels();
        if (kernels == NULL) {
            continue;
        }
        world->field->kernels = kernels;

        BerthVerdict told[SET_MOST];
        assert_int_equal(
            berth_field_balls_by(world->field, (BerthFieldMethod)method, metric, balls, count, NULL), all);
        assert_int_equal(
            berth_field_balls_by(world->field, (BerthFieldMethod)method, metric, balls, count, told), all);
        for (size_t i = 0; i < count; ++i) {
            if (told[i] != wanted[i]) {
                fail_msg("%s %s, set %d: ball %zu of %zu (%.17g %.17g %.17g r %.17g) is told %s, is %s",
                         berth_field_method_name((BerthFieldMethod)method), berth_metric_name(metric), kind,
                         i, count, balls[4 * i], balls[4 * i + 1], balls[4 * i + 2], balls[4 * i + 3],
                         berth_verdict_name(told[i]), berth_verdict_name(wanted[i]));
            }
        }
    }
    return all;
}

// Robots of balls against brute force: no ball, one, as many as a block of looks has, one more or less, more than may stay open; in maps
// of boxes, without an obstacle, and solid all through.
static void sets_of_balls(void** state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 128, SET_MOST};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    Random random = {31};
    int told[SET_KINDS][3] = {{0}};

    for (int round = 0; round < test_scaled(30); ++round) {
        const int pieces = round % 6 == 5 ? 0 : 1 + (int)below(&random, 12);
        const int kind_of_world = round % 6 == 4 ? 3 : round % 3;  // 3: solid
        World world = make_world(&random, 2 + round % 2, 4 + round % 3, kind_of_world, pieces);
        for (int i = 0; i < 3 * COUNTS; ++i) {
            const SetKind kind = (SetKind)((i + round) % SET_KINDS);
            const BerthMetric metric = (BerthMetric)((i + round) / SET_KINDS % BERTH_METRIC_COUNT);
            ++told[kind][check_set(&random, &world, kind, metric, counts[i % COUNTS])];
        }
        free_world(&world);
    }

    for (int kind = 0; kind < SET_KINDS && test_is_whole(); ++kind) {
        assert_true(told[kind][BERTH_COLLISION] > 10);
    }
    assert_true(!test_is_whole() || told[SET_NEARLY][BERTH_FREE] > 20);
}

int test_field_query(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_balls_as_one_by_one),
        cmocka_unit_test(sets_of_balls),
        cmocka_unit_test(small_worlds),
        cmocka_unit_test(large_worlds),
        cmocka_unit_test(rounding_is_covered),
        cmocka_unit_test(deep_in_solid_is_a_collision),
        cmocka_unit_test(nonsense_is_never_free),
        cmocka_unit_test(maps_as_defined),
        cmocka_unit_test(all_that_are_nearest),
        cmocka_unit_test(many_are_one_by_one),
        cmocka_unit_test(perimeter_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
