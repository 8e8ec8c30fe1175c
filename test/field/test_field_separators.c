// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The shared separator trees of paper 004's appendices (bench/maps/separators.c) against EODM's answers and against whole-number brute
// force over the boxes that were painted, in 256ths of a cell: no distance may be off by anything.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "maps/separators.h"
#include "math/math.h"
#include "support/setting.h"

enum { PARTS = 256, BOXES_MOST = 400 };

typedef struct Plain {
    int dim;
    int32_t cells;
    int32_t low[BOXES_MOST][3], high[BOXES_MOST][3];
    int count;
} Plain;

static int64_t below(Random* random, int64_t n) {
    return (int64_t)(bi_random_next(random) % (uint64_t)n);
}

// Kind 0: single cells; 1: boxes up to a quarter of the map; 2: small boxes; 3: a chessboard.
static void make_boxes(Random* random, Plain* plain, int kind, int count) {
    const int32_t most =
        (const int32_t[]){1, (plain->cells + 3) / 4, plain->cells / 16 + 1, plain->cells > 1 ? 2 : 1}[kind];
    plain->count = count < BOXES_MOST ? count : BOXES_MOST;
    for (int i = 0; i < plain->count; ++i) {
        int32_t odd = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const int32_t width = kind == 3 ? most : 1 + (int32_t)below(random, most);
            int32_t low = (int32_t)below(random, plain->cells - width + 1);
            if (kind == 3) {
                low = low / 2 * 2;
                odd += axis < plain->dim ? low / 2 : 0;
            }
            plain->low[i][axis] = axis < plain->dim ? low : 0;
            plain->high[i][axis] = axis < plain->dim ? low + width : 1;
        }
        if (kind == 3 && odd % 2 != 0 && plain->cells > 2) {  // the neighbour is of the other colour
            const int32_t step = plain->low[i][0] == 0 ? 2 : -2;
            plain->low[i][0] += step;
            plain->high[i][0] += step;
        }
    }
}

static BerthField* make_field(const Plain* plain, int levels) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = plain->dim;
    def.levels = levels;
    def.parts = BERTH_FIELD_EODM;
    BerthFieldBuilder* builder = NULL;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    for (int i = 0; i < plain->count; ++i) {
        assert_int_equal(berth_field_add_box(builder, plain->low[i], plain->high[i], BERTH_CELL_OCCUPIED),
                         BERTH_OK);
    }
    BerthField* field = NULL;
    assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
    berth_field_builder_destroy(builder);
    return field;
}

// L1, in parts; INT64_MAX: there is no obstacle.
static int64_t true_distance(const Plain* plain, const int64_t at[3]) {
    int64_t least = INT64_MAX;
    for (int i = 0; i < plain->count; ++i) {
        int64_t d = 0;
        for (int axis = 0; axis < plain->dim; ++axis) {
            const int64_t low = (int64_t)plain->low[i][axis] * PARTS,
                          high = (int64_t)plain->high[i][axis] * PARTS;
            d += at[axis] < low ? low - at[axis] : at[axis] > high ? at[axis] - high : 0;
        }
        least = d < least ? d : least;
    }
    return least;
}

static void ask_one(Random* random, const Plain* plain, const BerthField* field,
                    const SeparatorTrees* trees) {
    // On corners and borders of cells, on halves, anywhere.
    const int64_t grid = (const int64_t[]){PARTS, PARTS / 2, PARTS / 4, 1}[below(random, 4)];
    int64_t at[3] = {0, 0, 0};
    for (int axis = 0; axis < plain->dim; ++axis) {
        at[axis] = below(random, (int64_t)plain->cells * PARTS / grid + 1) * grid;
    }
    const int64_t truth = true_distance(plain, at);
    const CellPoint point =
        bi_field_cell_point(field, v3((double)at[0] / PARTS, (double)at[1] / PARTS, (double)at[2] / PARTS));
    const FieldNear near = map_separators_within(trees, &point, INFINITY),
                    eodm = bi_eodm_nearest(field, &point);
    const double expected = truth == INT64_MAX ? INFINITY : (double)truth / PARTS;

    if (near.key != expected || near.key != eodm.key) {
        fail_msg(
            "%d-D, %d cells, %d boxes, at (%lld, %lld, %lld) / 256: shared %.17g, EODM %.17g, true %.17g",
            plain->dim, plain->cells, plain->count, (long long)at[0], (long long)at[1], (long long)at[2],
            near.key, eodm.key, expected);
    }
    if (truth == INT64_MAX) {
        assert_true(near.obstacle == UINT32_MAX);
        return;
    }

    // The obstacle named is one, and that far away; one at the limit counts, one beyond it does not.
    assert_true(near.obstacle < field->arrays[FIELD_SOLIDS].count);
    assert_true(leaf_key(field, field->solids[near.obstacle], point.at, BERTH_METRIC_L1) == expected);
    assert_true(map_separators_within(trees, &point, expected).key == expected);
    if (truth > 0) {
        assert_true(map_separators_within(trees, &point, expected - 1.0 / PARTS).obstacle == UINT32_MAX);
    }
}

static void as_eodm_and_brute_force(void** state) {
    (void)state;
    Random random = {41};
    int64_t leaves = 0, planes = 0;
    for (int round = 0; round < test_scaled(240); ++round) {
        Plain plain = {.dim = 2 + round % 2};
        const int levels = (int)below(&random, plain.dim == 2 ? 8 : 6);
        plain.cells = 1 << levels;
        make_boxes(&random, &plain, round / 2 % 4, (int)below(&random, 2 + 2 * plain.cells));

        BerthField* field = make_field(&plain, levels);
        SeparatorTrees* trees = map_separators_create(field);
        assert_non_null(trees);
        for (int i = 0; i < 100; ++i) {
            ask_one(&random, &plain, field, trees);
        }

        // They are shared: a plane once, however many leaves lie at it.
        assert_true(trees->separator_count <= (size_t)plain.dim * ((size_t)plain.cells + 1));
        assert_true(trees->grid_count <= 2 * trees->separator_count);
        assert_true(trees->grid_count <= trees->link_count);
        leaves += field->slots;
        planes += (int64_t)trees->separator_count;
        map_separators_destroy(trees);
        berth_field_destroy(field);
    }
    assert_true(leaves > planes);  // so that something was shared at all
}

// The trees are what a search for a place takes them for: smaller on the left, larger on the right, each place once.
static void trees_are_ordered(void** state) {
    (void)state;
    Random random = {42};
    Plain plain = {.dim = 3, .cells = 32};
    make_boxes(&random, &plain, 2, 60);
    BerthField* field = make_field(&plain, 5);
    SeparatorTrees* trees = map_separators_create(field);
    assert_non_null(trees);

    size_t met = 0;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t stack[128];
        int32_t last = -1;
        int depth = 0;
        for (uint32_t i = trees->roots[axis]; i != SEPARATOR_NONE || depth > 0;) {
            for (; i != SEPARATOR_NONE; i = trees->separators[i].left) {
                assert_true(depth < 128);
                stack[depth++] = i;
            }
            i = stack[--depth];
            assert_true(trees->separators[i].at > last);
            last = trees->separators[i].at;
            ++met;
            i = trees->separators[i].right;
        }
        assert_true(last <= plain.cells);
    }
    assert_true(met == trees->separator_count);
    map_separators_destroy(trees);
    berth_field_destroy(field);
}

int test_field_separators(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_eodm_and_brute_force),
        cmocka_unit_test(trees_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
