// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// OctoMap's .bt and .ot: leaves equal to liboctomap's on random trees, both ways; wrong files by their line or byte.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "io/map/map_cells.h"
#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"
#if BERTH_HAVE_ORACLES
#include "oracle/peer_octomap_file.h"
#endif

static BerthStatus parse(const char* data, size_t size, MapCells* cells) {
    bi_map_cells_init(cells, NULL, 0);
    // Exactly as large as the data, so that reading past its end is seen.
    char* copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    copy[size] = '\0';
    const BerthStatus status = bi_io_parse_octomap("m.bt", copy, size, cells);
    free(copy);
    return status;
}

static void refuse(const char* data, size_t size, const char* expected) {
    MapCells cells;
    const BerthStatus status = parse(data, size, &cells);
    if (status == BERTH_OK || strstr(berth_error_text(), expected) == NULL) {
        fail_msg("status %d, text '%s', expected '%s'", (int)status, berth_error_text(), expected);
    }
    bi_map_cells_free(&cells);
}

// ---- by hand -------------------------------------------------------------------------------------------------

#define HEADER "# Octomap OcTree binary file\n# anything\nid OcTree\nsize %d\nres 0.5\ndata\n"

static size_t put_header(char* out, int nodes) {
    return (size_t)sprintf(out, HEADER, nodes);
}

static void one_level(void** state) {
    (void)state;
    char bytes[256];
    // Child 0 free, child 7 occupied, child 1 inner without anything known in it.
    size_t size = put_header(bytes, 4);
    bytes[size++] = 0x01 | 0x0c;
    bytes[size++] = (char)0x80;
    bytes[size++] = 0;
    bytes[size++] = 0;
    MapCells cells;
    assert_int_equal(parse(bytes, size, &cells), BERTH_OK);
    assert_int_equal(cells.count, 2);
    assert_true(cells.resolution == 0.5 && cells.origin.x == -16384.0 && cells.size[1] == 65536);
    assert_int_equal(cells.nodes[0].state, BERTH_CELL_FREE);
    assert_int_equal(cells.nodes[0].scale, 15);
    assert_int_equal(cells.nodes[1].state, BERTH_CELL_OCCUPIED);
    assert_int_equal(cells.nodes[1].x, 32768);
    assert_int_equal(cells.nodes[1].y, 32768);
    assert_int_equal(cells.nodes[1].z, 32768);
    bi_map_cells_free(&cells);
    // The oldest kind: 3, resolution, number of nodes.
    const double resolution = 0.5;
    char old[64] = {3, 0, 0, 0};
    memcpy(old + 4, &resolution, 8);
    old[12] = 4;
    memcpy(old + 16, bytes + size - 4, 4);
    assert_int_equal(parse(old, 20, &cells), BERTH_OK);
    assert_int_equal(cells.count, 2);
    bi_map_cells_free(&cells);
    // Nothing at all.
    size = put_header(bytes, 0);
    assert_int_equal(parse(bytes, size, &cells), BERTH_OK);
    assert_int_equal(cells.count, 0);
    bi_map_cells_free(&cells);
}

static void wrong_files(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* expected;
    } texts[] = {
        {"", "m.bt:1: not a file of OctoMap's"},
        {"# Octomap OcTree binary fil", "not a file"},
        {"# Octomap OcTree binary file\n", "the file ends, 'data' is expected"},
        {"# Octomap OcTree binary file\nid OcTree\nsize 1\ndata\n",
         "m.bt:4: 'id', 'size' and 'res' are all needed"},
        {"# Octomap OcTree binary file\nid OcTree\nid OcTree\n", "m.bt:3: 'id' in the header"},
        {"# Octomap OcTree binary file\nid SemanticOcTree\n", "kind 'SemanticOcTree'"},
        {"# Octomap OcTree binary file\nsize -4\n", "size '-4'"},
        {"# Octomap OcTree binary file\nsize 1e3\n", "size '1e3'"},
        {"# Octomap OcTree binary file\nres -0.1\n", "resolution -0.1"},
        {"# Octomap OcTree binary file\nres 0\n", "resolution 0"},
        {"# Octomap OcTree binary file\nres nan\n", "res 'nan'"},
        {"# Octomap OcTree binary file\nres 1e30\n", "resolution 1e+30"},
        {"# Octomap OcTree binary file\nid OcTree\nsize 4000000000\nres 1\ndata\nab", "cannot hold them"},
        {"# Octomap OcTree binary file\nid OcTree\nsize 2\nres 1\ndata\n\1", "the file ends inside its tree"},
        {"# Octomap OcTree file\nid OcTree\nsize 1\nres 1\ndata\nabcd", "cannot hold them"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        refuse(texts[i].text, strlen(texts[i].text), texts[i].expected);
    }
    char bytes[256];
    size_t size = put_header(bytes, 3);
    memcpy(bytes + size, "\1\0", 2);
    refuse(bytes, size + 2, "the tree ends here with 2 nodes, the header says 3");
    size = put_header(bytes, 2);
    memcpy(bytes + size, "\1\0zz", 4);
    refuse(bytes, size + 4, "and bytes follow it");
    // Seventeen levels: the first child is inner, again and again.
    size = put_header(bytes, 30);
    for (int i = 0; i < 17; ++i) {
        memcpy(bytes + size, "\3\0", 2);
        size += 2;
    }
    refuse(bytes, size, "deeper than 16 levels");
    // Log-odds that are no number.
    size = (size_t)sprintf(bytes, "# Octomap OcTree file\nid OcTree\nsize 1\nres 1\ndata\n");
    const uint32_t nan_bits = 0x7fc00000;
    memcpy(bytes + size, &nan_bits, 4);
    bytes[size + 4] = 0;
    refuse(bytes, size + 5, "NaN");
    // An old header with a resolution that is none.
    const double bad[] = {-1.0, 0.0, (double)INFINITY, (double)NAN};
    for (int i = 0; i < 4; ++i) {
        char old[20] = {3, 0, 0, 0};
        memcpy(old + 4, &bad[i], 8);
        refuse(old, sizeof old, "resolution");
    }
}

// Every cut of a good file is refused, and so is every one with a byte more.
static void cut_files(void** state) {
    (void)state;
    char bytes[256];
    size_t size = put_header(bytes, 4);
    const size_t header = size;
    memcpy(bytes + size, "\x0d\x80\0\0", 4);
    size += 4;
    for (size_t cut = 0; cut < size; ++cut) {
        MapCells cells;
        assert_int_not_equal(parse(bytes, cut, &cells), BERTH_OK);
        bi_map_cells_free(&cells);
    }
    assert_true(header > 10);
    refuse(bytes, size + 1, "bytes follow");
}

// ---- against liboctomap --------------------------------------------------------------------------------------

#if BERTH_HAVE_ORACLES

enum { LEAVES_MAX = 200000 };

static int by_place(const void* a, const void* b) {
    return memcmp(a, b, sizeof(PeerOctoLeaf));
}

// Blocks of cells, some of them whole cubes that pruning makes one leaf of. Later ones win, as in the tree.
static int random_blocks(Random* random, PeerOctoLeaf* out, int count) {
    for (int i = 0; i < count; ++i) {
        const int scale = bi_random_between(random, 0, 1) < 0.2 ? (int)bi_random_between(random, 1, 4) : 0;
        const double width = bi_random_between(random, 0, 1) < 0.1 ? 30000.0 : 20.0;
        const int mask = ~((1 << scale) - 1);
        uint16_t at[3];
        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = (uint16_t)((int)(32768.0 + bi_random_between(random, -width, width)) & mask);
        }
        out[i] = (PeerOctoLeaf){at[0], at[1], at[2], (uint8_t)scale, bi_random_between(random, 0, 1) < 0.5};
    }
    return count;
}

static char* read_whole(const char* path, size_t* size) {
    FileBytes bytes;
    assert_int_equal(bi_io_read_file(path, 0, NULL, &bytes), BERTH_OK);
    char* copy = malloc(bytes.size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size + 1);
    *size = bytes.size;
    bi_io_free_file(&bytes);
    return copy;
}

static void must_equal(const MapCells* cells, PeerOctoLeaf* theirs, int count, PeerOctoLeaf* ours) {
    assert_int_equal(cells->count, count);
    for (size_t i = 0; i < cells->count; ++i) {
        const CellNode* n = &cells->nodes[i];
        ours[i] = (PeerOctoLeaf){n->x, n->y, n->z, n->scale, n->state == BERTH_CELL_OCCUPIED};
    }
    qsort(theirs, (size_t)count, sizeof *theirs, by_place);
    qsort(ours, (size_t)count, sizeof *ours, by_place);
    assert_memory_equal(ours, theirs, (size_t)count * sizeof *ours);
}

static void leaves_of_liboctomap(void** state) {
    (void)state;
    Random random = {77};
    PeerOctoLeaf* theirs = malloc(LEAVES_MAX * sizeof *theirs);
    PeerOctoLeaf* ours = malloc(LEAVES_MAX * sizeof *ours);
    assert_true(theirs != NULL && ours != NULL);
    const int tries = test_scaled(60);
    for (int i = 0; i < tries; ++i) {
        const int count = random_blocks(&random, theirs, 1 + i % 150);
        const bool full = i % 3 != 0;
        const bool colour = i % 3 == 2;
        const char* path = program_temporary(full ? "tree.ot" : "tree.bt");
        const double resolution = 0.01 * (1 + i);
        assert_int_equal(peer_octomap_write(path, resolution, theirs, count, i % 2, colour), 0);
        double their_resolution = 0.0;
        const int leaves = peer_octomap_read(path, &their_resolution, theirs, LEAVES_MAX);
        assert_true(leaves > 0 && leaves <= LEAVES_MAX);
        size_t size = 0;
        char* bytes = read_whole(path, &size);
        MapCells cells;
        bi_map_cells_init(&cells, NULL, 0);
        if (bi_io_parse_octomap(path, bytes, size, &cells) != BERTH_OK) {
            fail_msg("%s", berth_error_text());
        }
        free(bytes);
        assert_true(cells.resolution == their_resolution);
        must_equal(&cells, theirs, leaves, ours);

        // Ours, written again, is the same to them.
        TextOut out = {.bytes.allocator = berth_default_allocator()};
        const BerthIoOptions writing = berth_default_io_options();
        const char* again = program_temporary("again.bt");
        assert_int_equal(bi_io_octomap_bytes(again, &cells, &out), BERTH_OK);
        assert_int_equal(bi_io_write_file(again, &out.bytes, &writing), BERTH_OK);
        assert_int_equal(peer_octomap_read(again, &their_resolution, theirs, LEAVES_MAX), leaves);
        must_equal(&cells, theirs, leaves, ours);
        bi_io_free_file(&out.bytes);
        bi_map_cells_free(&cells);
    }
    free(theirs);
    free(ours);
    program_remove_temporary();
}

// Cells that do not begin where OctoMap's cubes do are cut into smaller ones: the same cells.
static void shifted_maps(void** state) {
    (void)state;
    Random random = {5};
    PeerOctoLeaf* theirs = malloc(LEAVES_MAX * sizeof *theirs);
    assert_non_null(theirs);
    const int tries = test_scaled(40);
    for (int i = 0; i < tries; ++i) {
        MapCells cells;
        bi_map_cells_init(&cells, NULL, 0);
        cells.resolution = 0.05;
        cells.size[0] = cells.size[1] = cells.size[2] = 32;
        int shift[3];
        for (int axis = 0; axis < 3; ++axis) {
            shift[axis] = (int)bi_random_between(&random, -60, 60);
        }
        cells.origin = v3(0.05 * shift[0], 0.05 * shift[1], 0.05 * shift[2]);
        const CellNode nodes[] = {{0, 0, 0, 4, BERTH_CELL_OCCUPIED},
                                  {16, 16, 0, 3, BERTH_CELL_FREE},
                                  {31, 31, 31, 0, BERTH_CELL_OCCUPIED}};
        for (int n = 0; n < 3; ++n) {
            assert_int_equal(bi_map_cells_add(&cells, nodes[n]), BERTH_OK);
        }
        TextOut out = {.bytes.allocator = berth_default_allocator()};
        const BerthIoOptions writing = berth_default_io_options();
        const char* path = program_temporary("shifted.bt");
        assert_int_equal(bi_io_octomap_bytes(path, &cells, &out), BERTH_OK);
        assert_int_equal(bi_io_write_file(path, &out.bytes, &writing), BERTH_OK);
        bi_io_free_file(&out.bytes);
        double resolution = 0.0;
        const int leaves = peer_octomap_read(path, &resolution, theirs, LEAVES_MAX);
        assert_true(leaves >= 3);
        int64_t occupied = 0, free_cells = 0;
        for (int l = 0; l < leaves; ++l) {
            const int at[3] = {theirs[l].x - 32768 - shift[0], theirs[l].y - 32768 - shift[1],
                               theirs[l].z - 32768 - shift[2]};
            const int side = 1 << theirs[l].scale;
            bool held = false;
            for (int n = 0; n < 3; ++n) {
                const int from[3] = {nodes[n].x, nodes[n].y, nodes[n].z};
                bool in = (nodes[n].state == BERTH_CELL_OCCUPIED) == (theirs[l].occupied != 0);
                for (int axis = 0; axis < 3; ++axis) {
                    in =
                        in && at[axis] >= from[axis] && at[axis] + side <= from[axis] + (1 << nodes[n].scale);
                }
                held = held || in;
            }
            assert_true(held);
            *(theirs[l].occupied != 0 ? &occupied : &free_cells) += (int64_t)side * side * side;
        }
        assert_int_equal(occupied, 16 * 16 * 16 + 1);
        assert_int_equal(free_cells, 8 * 8 * 8);
        bi_map_cells_free(&cells);
    }
    free(theirs);
    program_remove_temporary();
}

#else

static void leaves_of_liboctomap(void** state) {
    (void)state;
    TEST_SKIP("liboctomap was not there when this was built");
}
static void shifted_maps(void** state) {
    (void)state;
    TEST_SKIP("liboctomap was not there when this was built");
}

#endif

// The map that has all the space there is, and maps that cannot be written so.
static void whole_and_impossible(void** state) {
    (void)state;
    MapCells cells, again;
    bi_map_cells_init(&cells, NULL, 0);
    cells.origin = v3(-32768, -32768, -32768);
    cells.size[0] = cells.size[1] = cells.size[2] = 65536;
    assert_int_equal(bi_map_cells_add(&cells, (CellNode){0, 0, 0, 16, BERTH_CELL_OCCUPIED}), BERTH_OK);
    TextOut out = {.bytes.allocator = berth_default_allocator()};
    assert_int_equal(bi_io_octomap_bytes("w.bt", &cells, &out), BERTH_OK);
    assert_int_equal(parse(out.bytes.data, out.bytes.size, &again), BERTH_OK);
    assert_int_equal(again.count, 8);
    for (int i = 0; i < 8; ++i) {
        assert_true(again.nodes[i].scale == 15 && again.nodes[i].state == BERTH_CELL_OCCUPIED);
    }
    bi_map_cells_free(&again);
    bi_io_free_file(&out.bytes);
    cells.origin.y = 0.5;
    assert_int_equal(bi_io_octomap_bytes("w.bt", &cells, &out), BERTH_ERR_UNSUPPORTED);
    assert_non_null(strstr(berth_error_text(), "begins at y = 0.5"));
    // Off by 0.1 millionth of a cell: once it was moved there, and a ball that touched before was free.
    cells.origin.y = -32768.0 + 1e-7;
    assert_int_equal(bi_io_octomap_bytes("w.bt", &cells, &out), BERTH_ERR_UNSUPPORTED);
    cells.origin.y = 0.0;
    assert_int_equal(bi_io_octomap_bytes("w.bt", &cells, &out), BERTH_ERR_UNSUPPORTED);
    assert_non_null(strstr(berth_error_text(), "out of OctoMap's cube"));

    // A large node one cell beside its place would be 150 million cubes: told before they are made (21 bytes took 6 GB).
    MapCells beside;
    bi_map_cells_init(&beside, NULL, 0);
    beside.origin = v3(-1, -1, -1);
    beside.size[0] = beside.size[1] = beside.size[2] = 8192;
    assert_int_equal(bi_map_cells_add(&beside, (CellNode){0, 0, 0, 13, BERTH_CELL_FREE}), BERTH_OK);
    assert_int_equal(bi_io_octomap_bytes("w.bt", &beside, &out), BERTH_ERR_CAPACITY);
    assert_non_null(strstr(berth_error_text(), "the limit is 4096 MiB"));
    // The program's advice begins where a text ends so (apps/cli/session.c).
    assert_non_null(strstr(berth_error_text(), ", or an origin at a multiple of many cells, need less"));
    bi_map_cells_free(&beside);

    cells.dimensions = 2;
    assert_int_equal(bi_io_octomap_bytes("w.bt", &cells, &out), BERTH_ERR_UNSUPPORTED);
    bi_io_free_file(&out.bytes);
    bi_map_cells_free(&cells);
}

int test_io_octomap(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_level),    cmocka_unit_test(wrong_files),
        cmocka_unit_test(cut_files),    cmocka_unit_test(leaves_of_liboctomap),
        cmocka_unit_test(shifted_maps), cmocka_unit_test(whole_and_impossible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
