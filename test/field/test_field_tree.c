// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Trees: any paint gives the cells it says, in the fewest nodes, whatever order and size it came in.

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

enum { MAX_LEVELS = 5, MAX_CELLS = 32 };

/// The cells as a plain array.
typedef struct Plain {
    int dim, levels, cells;
    uint8_t colour[MAX_CELLS * MAX_CELLS * MAX_CELLS];
} Plain;

static Plain plain;

static uint8_t* cell_of(int x, int y, int z) {
    return &plain.colour[(size_t)x + (size_t)plain.cells * ((size_t)y + (size_t)plain.cells * (size_t)z)];
}

static int below(Random* random, int n) {
    return (int)(bi_random_next(random) % (uint64_t)n);
}

static void plain_box(const int32_t low[3], const int32_t high[3], BerthCellColour colour) {
    for (int z = plain.dim == 2 ? 0 : low[2]; z < (plain.dim == 2 ? 1 : high[2]); ++z) {
        for (int y = low[1]; y < high[1]; ++y) {
            memset(cell_of(low[0], y, z), (int)colour, (size_t)(high[0] - low[0]));
        }
    }
}

static void paint_random(Random* random, BerthFieldBuilder* builder) {
    const BerthCellColour colour = (BerthCellColour)below(random, BERTH_CELL_COLOUR_COUNT);
    int32_t low[3], high[3];
    const int kind = below(random, 4);
    if (kind == 0) {
        const int level = below(random, plain.levels + 1);
        const int dim = plain.dim;
        const uint64_t code = bi_random_next(random) & (((uint64_t)1 << (dim * level)) - 1);
        assert_int_equal(berth_field_add_node(builder, code, level, colour), BERTH_OK);
        // Digit by digit, as errata 5.10 says.
        const int shift = plain.levels - level;
        for (int axis = 0; axis < 3; ++axis) {
            int32_t x = 0;
            for (int digit = 0; digit < level && axis < dim; ++digit) {
                x |= (int32_t)(code >> (dim * digit + axis) & 1) << digit;
            }
            low[axis] = x << shift;
            high[axis] = low[axis] + (1 << shift);
        }
        plain_box(low, high, colour);
    } else if (kind == 1) {
        const int x = below(random, plain.cells), y = below(random, plain.cells),
                  z = below(random, plain.cells);
        assert_int_equal(berth_field_add_cell(builder, x, y, z, colour), BERTH_OK);
        *cell_of(x, y, plain.dim == 2 ? 0 : z) = (uint8_t)colour;
    } else {
        for (int axis = 0; axis < 3; ++axis) {
            const int a = below(random, plain.cells + 1), b = below(random, plain.cells + 1);
            low[axis] = a < b ? a : b;
            high[axis] = a < b ? b : a;
        }
        if (kind == 2) {
            assert_int_equal(berth_field_add_box(builder, low, high, colour), BERTH_OK);
            plain_box(low, high, colour);
        } else {
            static uint8_t block[MAX_CELLS * MAX_CELLS * MAX_CELLS];
            const int32_t size[3] = {high[0] - low[0], high[1] - low[1],
                                     plain.dim == 2 ? 1 : high[2] - low[2]};
            const int64_t stride[3] = {(int64_t)size[1] * size[2], size[2], 1};  // z fastest
            for (int x = 0; x < size[0]; ++x) {
                for (int y = 0; y < size[1]; ++y) {
                    for (int z = 0; z < size[2]; ++z) {
                        const uint8_t c = (uint8_t)below(random, BERTH_CELL_COLOUR_COUNT);
                        block[x * stride[0] + y * stride[1] + z * stride[2]] = c;
                        *cell_of(low[0] + x, low[1] + y, plain.dim == 2 ? 0 : low[2] + z) = c;
                    }
                }
            }
            assert_int_equal(berth_field_add_block(builder, block, size, stride, low), BERTH_OK);
        }
    }
}

// Every grey node has children of different colours, slots and solids count up, boxes are where the codes say.
static void check_tree(const BerthField* field) {
    FieldNode stack[FIELD_STACK];
    int count = 1;
    stack[0] = field_root(field);
    uint32_t slot = 0, solid = 0;
    int64_t nodes = 0;
    while (count > 0) {
        const FieldNode at = stack[--count];
        ++nodes;
        if (node_colour(at.node) == FIELD_GREY) {
            bool mixed = false;
            for (int k = field_children(field) - 1; k >= 0; --k) {
                stack[count++] = field_child(field, &at, k);
                const int32_t colour = node_colour(stack[count - 1].node);
                mixed = mixed || colour == FIELD_GREY ||
                        colour != node_colour(stack[count - 1 > 0 ? count - 1 : 0].node) ||
                        colour != node_colour(field->nodes[node_payload(at.node)]);
            }
            assert_true(mixed);
        } else if (node_blocks(field, at.node)) {
            assert_int_equal(node_payload(at.node), solid);
            const PackedLeaf leaf = field->solids[solid++];
            assert_int_equal(leaf_log(leaf), at.log_width);
            for (int axis = 0; axis < 3; ++axis) {
                assert_int_equal(leaf_low(leaf, axis), at.low[axis]);
            }
        } else {
            assert_int_equal(node_payload(at.node), slot++);
            solid += node_colour(at.node) == BERTH_CELL_FREE ? 0u : 1u;
        }
    }
    const BerthFieldInfo info = berth_field_info(field);
    assert_int_equal(nodes, info.node_count);
    assert_int_equal(slot, field->slots);
    assert_int_equal(solid, info.occupied_count + info.unknown_count);
}

static void any_paint_gives_its_cells(void** state) {
    (void)state;
    Random random = {17};
    for (int round = 0; round < test_scaled(300); ++round) {
        BerthFieldDef def = berth_default_field_def();
        def.dim = 2 + below(&random, 2);
        def.levels = below(&random, MAX_LEVELS + 1);
        def.background = below(&random, 3) == 0 ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;
        def.unknown_is_free = below(&random, 2) == 0;
        plain.dim = def.dim;
        plain.levels = def.levels;
        plain.cells = 1 << def.levels;
        memset(plain.colour, (int)def.background, sizeof plain.colour);
        BerthFieldBuilder* builder = NULL;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        for (int i = below(&random, 12); i > 0; --i) {
            paint_random(&random, builder);
        }
        BerthField* field = NULL;
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        check_tree(field);
        for (int z = 0; z < (def.dim == 2 ? 1 : plain.cells); ++z) {
            for (int y = 0; y < plain.cells; ++y) {
                for (int x = 0; x < plain.cells; ++x) {
                    assert_int_equal(berth_field_colour_at(field, x, y, z), *cell_of(x, y, z));
                }
            }
        }
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
}

static void wrong_nodes_are_refused(void** state) {
    (void)state;
    BerthFieldDef def = berth_default_field_def();
    def.levels = 4;
    BerthFieldBuilder* builder = NULL;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    assert_int_equal(berth_field_add_node(builder, 0, 5, BERTH_CELL_OCCUPIED), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_field_add_node(builder, 0, -1, BERTH_CELL_OCCUPIED), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_field_add_node(builder, 8, 1, BERTH_CELL_OCCUPIED), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_field_add_node(builder, 4096, 4, BERTH_CELL_OCCUPIED), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_field_add_cell(builder, 16, 0, 0, BERTH_CELL_OCCUPIED), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_field_add_cell(builder, 0, -1, 0, BERTH_CELL_OCCUPIED), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_field_add_cell(builder, 0, 0, 0, (BerthCellColour)3), BERTH_ERR_ARGUMENT);
    uint64_t code[2];
    int32_t level[2];
    assert_int_equal(berth_field_add_node(builder, 7, 1, BERTH_CELL_OCCUPIED), BERTH_OK);
    assert_int_equal(berth_field_add_node(builder, 6, 1, BERTH_CELL_OCCUPIED), BERTH_OK);
    assert_false(berth_field_find_overlap(builder, code, level));
    assert_int_equal(berth_field_add_node(builder, 6 * 64 + 11, 3, BERTH_CELL_OCCUPIED), BERTH_OK);
    assert_true(berth_field_find_overlap(builder, code, level));
    assert_int_equal(code[0], 6);
    assert_int_equal(level[0], 1);
    assert_int_equal(code[1], 6 * 64 + 11);
    assert_int_equal(level[1], 3);
    berth_field_builder_destroy(builder);
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        def.resolution = bad[i];
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_ERR_ARGUMENT);
    }
    def.resolution = 1.0;
    def.levels = 17;
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_ERR_ARGUMENT);
}

// A map of 10 cells a side lives in a root of 16. Cell (15, 15, 15) was taken, and a dense map of the 1,000 cells was
// written 1,330 bytes beyond its end.
static void cells_beyond_the_size_are_refused(void** state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        BerthFieldDef def = berth_default_field_def();
        def.dim = dim;
        def.levels = 4;
        def.size[0] = def.size[1] = def.size[2] = 10;
        def.parts = BERTH_FIELD_DM | BERTH_FIELD_EUCLID;
        BerthFieldBuilder* builder = NULL;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);

        assert_int_equal(berth_field_add_cell(builder, 9, 9, 9, BERTH_CELL_OCCUPIED), BERTH_OK);
        assert_int_equal(berth_field_add_cell(builder, 10, 0, 0, BERTH_CELL_OCCUPIED), BERTH_ERR_ARGUMENT);
        assert_int_equal(berth_field_add_cell(builder, 0, 15, 0, BERTH_CELL_OCCUPIED), BERTH_ERR_ARGUMENT);
        assert_int_equal(berth_field_add_cell(builder, 0, 0, 10, BERTH_CELL_OCCUPIED),
                         dim == 3 ? BERTH_ERR_ARGUMENT : BERTH_OK);

        BerthField* field = NULL;
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
}

int test_field_tree(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_paint_gives_its_cells),
        cmocka_unit_test(wrong_nodes_are_refused),
        cmocka_unit_test(cells_beyond_the_size_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
