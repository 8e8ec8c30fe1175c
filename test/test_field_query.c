// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every structure against whole-number brute force: the distance from a point to every obstacle cell box, in 256ths of a cell. Centres and radii are multiples of
// that, so that nothing may be off by anything; touching counts.

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
#include "support/setting.h"

enum { PARTS = 256 };  // of a cell

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

// Boxes of many sizes, single cells, or a chessboard.
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
            const int32_t width = 1 + (int32_t)below(random, most);
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
    assert_int_equal(berth_field_query(field, method, metric, centre, radius, &answer), BERTH_OK);
    const bool l1 = metric == BERTH_METRIC_L1;
    const bool none = ask->truth.l1 == INT64_MAX;
    const bool hit =
        !none && (l1 ? ask->truth.l1 <= ask->radius : ask->truth.l2_sq <= ask->radius * ask->radius);
    const bool inside = is_inside(world, ask);
    const BerthVerdict expected = hit ? BERTH_HIT : inside ? BERTH_FREE : BERTH_UNKNOWN;
    const BerthVerdict ball = berth_field_ball(field, method, metric, centre, radius);
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

int test_field_query(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
