// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A field that was changed equals one that was made anew, in every byte; blocks of bytes come back as they were; damaged ones are refused or harmless; and
// where memory runs out nothing is lost.
// test-share: 0.4

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "field/field.h"
#include "io/map/map_file.h"
#include "math/math.h"
#include "support/setting.h"

static int below(Random* random, int n) {
    return (int)(bi_random_next(random) % (uint64_t)n);
}

/// A packed field.
typedef struct Packed {
    void* bytes;
    size_t size;
} Packed;

static Packed pack(const BerthField* field) {
    Packed packed = {NULL, bi_bmap_block_size(field)};
    packed.bytes = aligned_alloc(64, packed.size);
    assert_non_null(packed.bytes);
    assert_int_equal(bi_bmap_write_block(field, packed.bytes, packed.size), BERTH_OK);
    return packed;
}

static void assert_same(const BerthField* a, const BerthField* b) {
    const Packed pa = pack(a), pb = pack(b);
    for (int kind = 0; kind < FIELD_ARRAY_COUNT; ++kind) {
        const FieldArray *x = &a->arrays[kind], *y = &b->arrays[kind];
        if (x->count != y->count || (x->count > 0 && memcmp(x->data, y->data, x->count * x->size) != 0)) {
            fail_msg("array %d differs: %zu and %zu items", kind, x->count, y->count);
        }
    }
    assert_int_equal(pa.size, pb.size);
    assert_memory_equal(pa.bytes, pb.bytes, pa.size);
    const BerthFieldInfo ia = berth_field_info(a), ib = berth_field_info(b);
    assert_memory_equal(&ia, &ib, sizeof ia);
    free(pa.bytes);
    free(pb.bytes);
}

static BerthFieldDef random_def(Random* random) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = 2 + below(random, 2);
    def.levels = 1 + below(random, def.dim == 2 ? 6 : 5);
    for (int axis = 0; axis < def.dim; ++axis) {
        def.size[axis] = below(random, 2) == 0 ? 0 : 1 + below(random, 1 << def.levels);
    }
    def.background = below(random, 4) == 0 ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;
    def.unknown_is_free = below(random, 2) == 0;
    def.local = below(random, 4) == 0;
    def.parts = BERTH_FIELD_ALL_PARTS;
    return def;
}

static int32_t size_of(const BerthFieldDef* def, int axis) {
    return axis >= def->dim ? 1 : def->size[axis] > 0 ? def->size[axis] : 1 << def->levels;
}

static void random_cell(Random* random, const BerthFieldDef* def, int32_t cell[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        cell[axis] = below(random, size_of(def, axis));
    }
}

static BerthFieldBuilder* random_builder(Random* random, const BerthFieldDef* def) {
    BerthFieldBuilder* builder = NULL;
    assert_int_equal(berth_field_builder_create(def, &builder), BERTH_OK);
    for (int i = below(random, 9); i > 0; --i) {
        int32_t low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            const int32_t size = size_of(def, axis);
            low[axis] = below(random, size);
            high[axis] = low[axis] + 1 + below(random, (size - low[axis] + 1) / 2);
            high[axis] = high[axis] > size ? size : high[axis];
        }
        assert_int_equal(
            berth_field_add_box(builder, low, high, (BerthCellColour)(i % 4 == 0 ? below(random, 3) : 1)),
            BERTH_OK);
    }
    return builder;
}

static void updates_equal_rebuilds(void** state) {
    (void)state;
    Random random = {77};
    for (int round = 0; round < test_scaled(120); ++round) {
        const BerthFieldDef def = random_def(&random);
        BerthFieldBuilder* builder = random_builder(&random, &def);
        BerthField* field = NULL;
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        for (int step = 0; step < 6; ++step) {
            BerthFieldChange changes[100];
            const int count = step == 3 ? 100 : 1 + below(&random, 5);
            int32_t at[3];
            random_cell(&random, &def, at);
            for (int i = 0; i < count; ++i) {
                random_cell(&random, &def, changes[i].cell);
                for (int axis = 0; axis < 3 && step % 2 == 0; ++axis) {  // close together
                    const int32_t near = at[axis] + below(&random, 3) - 1;
                    changes[i].cell[axis] = near < 0                      ? 0
                                            : near >= size_of(&def, axis) ? size_of(&def, axis) - 1
                                                                          : near;
                }
                changes[i].colour = (BerthCellColour)below(&random, 3);
                const int32_t* c = changes[i].cell;
                assert_int_equal(berth_field_add_cell(builder, c[0], c[1], c[2], changes[i].colour),
                                 BERTH_OK);
            }
            assert_int_equal(berth_field_update(field, changes, (size_t)count), BERTH_OK);
            BerthField* anew = NULL;
            assert_int_equal(berth_field_build(builder, &anew), BERTH_OK);
            assert_same(field, anew);
            berth_field_destroy(anew);
        }
        const BerthFieldChange outside = {{-1, 0, 0}, BERTH_CELL_OCCUPIED};
        assert_int_equal(berth_field_update(field, &outside, 1), BERTH_ERR_ARGUMENT);
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
}

// Larger maps: only where the dense maps are changed in place and leaves are kept does an update cost less than a build.
static void updates_of_larger_maps(void** state) {
    (void)state;
    Random random = {78};
    for (int round = 0; round < test_scaled(2); ++round) {
        BerthFieldDef def = berth_default_field_def();
        def.levels = 6;
        def.parts = BERTH_FIELD_ALL_PARTS;
        BerthFieldBuilder* builder = NULL;
        assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
        for (int i = 0; i < 250; ++i) {
            assert_int_equal(berth_field_add_cell(builder, below(&random, 64), below(&random, 64),
                                                  below(&random, 64), BERTH_CELL_OCCUPIED),
                             BERTH_OK);
        }
        BerthField *field = NULL, *anew = NULL;
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        for (int step = 0; step < 20; ++step) {
            BerthFieldChange changes[4];
            const int count = 1 + below(&random, 4);
            for (int i = 0; i < count; ++i) {
                // One that is there goes, one that is not comes.
                const BerthFieldLeaf leaf = berth_field_solid_leaf(
                    field, below(&random, (int)berth_field_info(field).occupied_count));
                memcpy(changes[i].cell, leaf.low, sizeof leaf.low);
                changes[i].colour = BERTH_CELL_FREE;
                if (below(&random, 2) == 0) {
                    random_cell(&random, &def, changes[i].cell);
                    changes[i].colour = BERTH_CELL_OCCUPIED;
                }
                const int32_t* c = changes[i].cell;
                assert_int_equal(berth_field_add_cell(builder, c[0], c[1], c[2], changes[i].colour),
                                 BERTH_OK);
            }
            assert_int_equal(berth_field_update(field, changes, (size_t)count), BERTH_OK);
            if (step % 5 == 4) {
                assert_int_equal(berth_field_build(builder, &anew), BERTH_OK);
                assert_same(field, anew);
                berth_field_destroy(anew);
            }
        }
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
}

static void blocks_come_back(void** state) {
    (void)state;
    Random random = {79};
    for (int round = 0; round < test_scaled(60); ++round) {
        BerthFieldDef def = random_def(&random);
        def.parts = (uint32_t)below(&random, BERTH_FIELD_ALL_PARTS + 1);
        def.resolution = 0.05;
        def.origin = (BerthVec3){-1.5, 2.25, 0.125};
        BerthFieldBuilder* builder = random_builder(&random, &def);
        BerthField *field = NULL, *copy = NULL;
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        Packed packed = pack(field);
        for (int way = 0; way < 4; ++way) {
            assert_int_equal(
                bi_bmap_read_block(packed.bytes, packed.size, way % 2 == 0, way / 2 == 0, NULL, &copy),
                BERTH_OK);
            assert_same(field, copy);
            // A borrowed field can be changed; the block is not.
            int32_t cell[3];
            random_cell(&random, &def, cell);
            const BerthFieldChange change = {{cell[0], cell[1], cell[2]}, BERTH_CELL_OCCUPIED};
            assert_int_equal(berth_field_update(copy, &change, 1), BERTH_OK);
            berth_field_destroy(copy);
        }
        const Packed again = pack(field);
        assert_memory_equal(again.bytes, packed.bytes, packed.size);
        assert_int_equal(bi_bmap_write_block(field, again.bytes, packed.size - 1), BERTH_ERR_CAPACITY);
        for (size_t cut = 1; cut < packed.size; cut = 2 * cut + 3) {
            assert_int_equal(bi_bmap_read_block(packed.bytes, packed.size - cut, false, false, NULL, &copy),
                             BERTH_ERR_PARSE);
        }
        free(again.bytes);
        free(packed.bytes);
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
}

// Asks everything that reads the arrays.
static void ask_everything(Random* random, const BerthField* field) {
    const BerthFieldInfo info = berth_field_info(field);
    for (int i = 0; i < 20; ++i) {
        BerthVec3 p = info.origin;
        p.x += info.resolution * bi_random_between(random, 0, info.size[0]);
        p.y += info.resolution * bi_random_between(random, 0, info.size[1]);
        p.z += info.resolution * bi_random_between(random, 0, info.size[2]);
        for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
            BerthFieldAnswer answer;
            berth_field_query_by(field, (BerthFieldMethod)method, (BerthMetric)(i % 2), p, 1.0, &answer);
            berth_field_ball_by(field, (BerthFieldMethod)method, (BerthMetric)(i % 2), p, info.resolution);
        }
        BerthFieldInterval intervals[8];
        berth_field_intervals(field, below(random, info.size[0]), below(random, info.size[1]), 0, intervals,
                              8);
    }
}

// Any byte may be anything: either the block is refused, or it can be asked without leaving it; with proof it is refused, or it is a field that a
// builder could have made.
static void damaged_blocks(void** state) {
    (void)state;
    Random random = {80};
    int refused = 0, taken = 0;
    for (int round = 0; round < test_scaled(30); ++round) {
        BerthFieldDef def = random_def(&random);
        def.levels = 1 + below(&random, 4);
        memset(def.size, 0, sizeof def.size);
        BerthFieldBuilder* builder = random_builder(&random, &def);
        BerthField *field = NULL, *copy = NULL;
        assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
        Packed packed = pack(field);
        uint8_t* bytes = packed.bytes;
        for (int i = 0; i < 60; ++i) {
            const size_t header = 256,
                         at = (size_t)(bi_random_next(&random) %
                                       (i % 3 == 0 && packed.size > header ? header : packed.size));
            const uint8_t was = bytes[at];
            bytes[at] =
                (uint8_t)(i % 2 == 0 ? was ^ (1u << below(&random, 8)) : (unsigned)below(&random, 256));
            if (bi_bmap_read_block(bytes, packed.size, i % 4 == 0, false, NULL, &copy) == BERTH_OK) {
                ask_everything(&random, copy);
                berth_field_destroy(copy);
                ++taken;
                if (bi_bmap_read_block(bytes, packed.size, false, true, NULL, &copy) == BERTH_OK) {
                    BerthFieldDef same = def;
                    same.unknown_is_free = berth_field_info(copy).unknown_is_free;
                    same.local = berth_field_info(copy).local;
                    same.parts = berth_field_info(copy).parts;
                    BerthField* made = NULL;
                    assert_int_equal(berth_field_remake(copy, &same, &made), BERTH_OK);
                    assert_same(copy, made);
                    berth_field_destroy(made);
                    berth_field_destroy(copy);
                }
            } else {
                ++refused;
            }
            bytes[at] = was;
        }
        free(packed.bytes);
        berth_field_destroy(field);
        berth_field_builder_destroy(builder);
    }
    assert_true(refused > 0 && taken > 0);
}

// ---- memory that runs out ---------------------------------------------------------------------------------------------------------------

typedef struct Purse {
    long left, held;
} Purse;

static void* purse_take(void* user, size_t size, size_t align) {
    Purse* purse = user;
    if (purse->left-- <= 0) {
        return NULL;
    }
    void* block = aligned_alloc(align, (size + align - 1) / align * align);
    purse->held += block != NULL;
    return block;
}

static void purse_give(void* user, void* block, size_t size) {
    (void)size;
    ((Purse*)user)->held -= block != NULL;
    free(block);
}

static void cube_mesh(BerthMesh** mesh) {
    const BerthVec3 v[8] = {{1.2, 1.2, 1.2}, {5.7, 1.2, 1.2}, {1.2, 5.7, 1.2}, {5.7, 5.7, 1.2},
                            {1.2, 1.2, 5.7}, {5.7, 1.2, 5.7}, {1.2, 5.7, 5.7}, {5.7, 5.7, 5.7}};
    const int32_t t[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    assert_int_equal(berth_mesh_create(v, 8, t, 12, NULL, mesh), BERTH_OK);
}

// Builds, updates, packs and unpacks with `left` allocations; true when all went well.
static bool live_with(Purse* purse, const BerthMesh* mesh) {
    BerthFieldDef def = berth_default_field_def();
    def.levels = 3;
    def.parts = BERTH_FIELD_ALL_PARTS;
    def.background = BERTH_CELL_UNKNOWN;
    def.unknown_is_free = true;
    def.allocator = (BerthAllocator){purse_take, purse_give, purse};
    BerthFieldBuilder* builder = NULL;
    BerthField *field = NULL, *copy = NULL;
    const BerthFieldChange changes[2] = {{{1, 1, 1}, BERTH_CELL_OCCUPIED}, {{3, 3, 3}, BERTH_CELL_FREE}};
    const BerthPose pose = berth_pose_identity();
    bool good = berth_field_builder_create(&def, &builder) == BERTH_OK &&
                berth_field_add_mesh(builder, mesh, &pose) == BERTH_OK &&
                berth_field_build(builder, &field) == BERTH_OK;
    Packed packed = {NULL, 0};
    if (good) {
        packed = pack(field);
        const BerthStatus status = berth_field_update(field, changes, 2);
        good = status == BERTH_OK;
        if (!good) {  // as before
            assert_int_equal(status, BERTH_ERR_MEMORY);
            const Packed after = pack(field);
            assert_memory_equal(after.bytes, packed.bytes, packed.size);
            free(after.bytes);
        }
    }
    good =
        good && bi_bmap_read_block(packed.bytes, packed.size, true, true, &def.allocator, &copy) == BERTH_OK;
    good = good && berth_field_update(copy, changes, 2) == BERTH_OK;
    if (good) {
        assert_same(copy, field);
    }
    berth_field_destroy(copy);
    berth_field_destroy(field);
    berth_field_builder_destroy(builder);
    free(packed.bytes);
    return good;
}

static void memory_runs_out(void** state) {
    (void)state;
    BerthMesh* mesh = NULL;
    cube_mesh(&mesh);
    long needed = 0;
    for (bool good = false; !good; ++needed) {
        Purse purse = {needed, 0};
        good = live_with(&purse, mesh);
        assert_int_equal(purse.held, 0);
    }
    assert_true(needed > 50);
    berth_mesh_destroy(mesh);
}

int test_field_update(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_equal_rebuilds), cmocka_unit_test(updates_of_larger_maps),
        cmocka_unit_test(blocks_come_back),       cmocka_unit_test(damaged_blocks),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
