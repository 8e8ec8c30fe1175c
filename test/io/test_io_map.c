// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps as files have them: .lin, images of map_server, NumPy volumes. Known files, round trips, wrong ones by their place.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "io/map/map_cells.h"
#include "math/math.h"
#include "support/setting.h"
#include "support/starve.h"

typedef BerthStatus (*Parser)(const char* path, const char* data, size_t size, MapCells* out);

static BerthStatus parse(Parser parser, const char* data, size_t size, MapCells* cells) {
    bi_map_cells_init(cells, NULL, 0);
    char* copy = malloc(size + 1);  // reading past the end is seen
    assert_non_null(copy);
    memcpy(copy, data, size);
    copy[size] = '\0';
    const BerthStatus status = parser("m", copy, size, cells);
    free(copy);
    return status;
}

static void refuse(Parser parser, const char* data, size_t size, const char* expected) {
    MapCells cells;
    const BerthStatus status = parse(parser, data, size, &cells);
    if (status == BERTH_OK || strstr(berth_error_text(), expected) == NULL) {
        fail_msg("status %d, text '%s', expected '%s'", (int)status, berth_error_text(), expected);
    }
    bi_map_cells_free(&cells);
}

// ---- .lin ----------------------------------------------------------------------------------------------------

static void lin_by_hand(void** state) {
    (void)state;
    // The thesis' own example: 2301 in base 4 is x = 5, y = 12 on a grid of 16.
    static const char text[] = "4\r\n16 16 0\n\n2301 4   # a cell\n1 1\n00 2";
    MapCells cells;
    assert_int_equal(parse(bi_io_parse_lin, text, strlen(text), &cells), BERTH_OK);
    assert_int_equal(cells.dimensions, 2);
    assert_int_equal(cells.size[0], 16);
    assert_int_equal(cells.size[2], 1);
    assert_int_equal(cells.rest, BERTH_CELL_FREE);
    assert_int_equal(cells.count, 3);
    const CellNode expected[] = {{5, 12, 0, 0, BERTH_CELL_OCCUPIED},
                                 {8, 0, 0, 3, BERTH_CELL_OCCUPIED},
                                 {0, 0, 0, 2, BERTH_CELL_OCCUPIED}};
    assert_memory_equal(cells.nodes, expected, sizeof expected);
    uint64_t occupied = 0;
    for (size_t i = 0; i < cells.count; ++i) {
        if (cells.nodes[i].state == BERTH_CELL_OCCUPIED) {
            occupied += (uint64_t)1 << (cells.dimensions * cells.nodes[i].scale);
        }
    }
    assert_true(occupied == 1 + 64 + 16 && cells.grid == NULL);
    int32_t low[3], high[3];
    assert_true(bi_map_cells_bounds(&cells, 1u << BERTH_CELL_OCCUPIED, low, high));
    assert_true(low[0] == 0 && high[0] == 16 && low[1] == 0 && high[1] == 13 && high[2] == 1);
    bi_map_cells_free(&cells);
    // In space, with sizes of their own; the whole of it; nothing at all.
    static const char* const good[] = {"3\n8 4 2\n0 3\n", "2\n4 4 4\n0 0\n", "5\n32 32 32\n",
                                       "0\n1 1 0\n0 0"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        if (good[i][0] == '3') {
            refuse(bi_io_parse_lin, good[i], strlen(good[i]), "has 1 digits, its level is 3");
            continue;
        }
        assert_int_equal(parse(bi_io_parse_lin, good[i], strlen(good[i]), &cells), BERTH_OK);
        bi_map_cells_free(&cells);
    }
}

static void lin_wrong(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* expected;
    } cases[] = {
        {"", "m:1: the number of levels"},
        {"x\n", "m:1: the number of levels"},
        {"3 4\n", "m:1: the number of levels"},
        {"17\n131072 131072 0\n", "m:1: 17 levels, 0 to 16"},
        {"-1\n", "m:1: -1 levels"},
        {"99999999999999999999\n", "m:1: the number of levels"},
        {"3\n", "three sizes are expected"},
        {"3\n8 8\n", "m:2: three sizes"},
        {"3\n8 8 8 8\n", "m:2: three sizes"},
        {"3\n8 7 8\n", "m:2: size '7', a power of two"},
        {"3\n8 0 8\n", "m:2: size '0'"},
        {"3\n8 -8 8\n", "m:2: size '-8'"},
        {"3\n16 16 0\n", "m:2: the largest size is 16, 3 levels make 8"},
        {"3\n4 4 0\n", "m:2: the largest size is 4"},
        {"3\n8 8 0\n012\n", "m:3: a locational code and its level"},
        {"3\n8 8 0\n012 3 4\n", "m:3: a locational code and its level"},
        {"3\n8 8 0\n012 x\n", "m:3: a locational code and its level"},
        {"3\n8 8 0\n012 4\n", "m:3: level 4, 0 to 3"},
        {"3\n8 8 0\n012 -1\n", "m:3: level -1"},
        {"3\n8 8 0\n012 2\n", "has 3 digits, its level is 2"},
        {"3\n8 8 0\n01 3\n", "has 2 digits, its level is 3"},
        {"3\n8 8 0\n014 3\n", "digits from 0 to 3"},
        {"3\n8 8 8\n018 3\n", "digits from 0 to 7"},
        {"3\n8 8 8\n0-1 3\n", "digits from 0 to 7"},
        {"3\n8 4 0\n200 3\n", "m:3: code '200' reaches to y = 5, the size is 4"},
        {"3\n8 8 0\n0 1\n33 2\n012 3\n", "m:5: this node overlaps that of line 3"},
        {"3\n8 8 0\n012 3\n012 3\n", "m:4: this node overlaps that of line 3"},
        {"3\n8 8 0\n012 3\n0 0\n", "m:4: this node overlaps that of line 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        refuse(bi_io_parse_lin, cases[i].text, strlen(cases[i].text), cases[i].expected);
    }
}

static void split_at_random(Random* random, MapCells* cells, CellNode node, CellNode* stack) {
    int count = 0;
    stack[count++] = node;
    while (count > 0) {
        const CellNode top = stack[--count];
        const double dice = bi_random_between(random, 0, 1);
        if (top.scale == 0 || dice < 0.35) {
            if (dice < 0.2) {
                assert_int_equal(bi_map_cells_add(cells, top), BERTH_OK);
            }
            continue;
        }
        const int half = top.scale - 1;
        for (int i = 0; i < (cells->dimensions == 2 ? 4 : 8); ++i) {
            stack[count++] =
                (CellNode){(uint16_t)(top.x + ((i & 1) << half)), (uint16_t)(top.y + ((i >> 1 & 1) << half)),
                           (uint16_t)(top.z + ((i >> 2) << half)), (uint8_t)half, BERTH_CELL_OCCUPIED};
        }
    }
}

static void lin_round_trip(void** state) {
    (void)state;
    Random random = {9};
    const int tries = test_scaled(60);
    for (int i = 0; i < tries; ++i) {
        MapCells cells, again;
        bi_map_cells_init(&cells, NULL, 0);
        cells.dimensions = 2 + i % 2;
        const int levels = i % (cells.dimensions == 2 ? 7 : 5);
        cells.size[0] = cells.size[1] = 1 << levels;
        cells.size[2] = cells.dimensions == 2 ? 1 : 1 << levels;
        CellNode stack[256];
        split_at_random(&random, &cells, (CellNode){0, 0, 0, (uint8_t)levels, BERTH_CELL_OCCUPIED}, stack);
        TextOut out = {.bytes.allocator = berth_default_allocator()};
        assert_int_equal(bi_io_lin_text(&cells, false, &out), BERTH_OK);
        assert_int_equal(parse(bi_io_parse_lin, out.bytes.data, out.bytes.size, &again), BERTH_OK);
        assert_int_equal(again.count, cells.count);
        assert_int_equal(again.dimensions, cells.dimensions);
        if (cells.count > 0) {
            assert_memory_equal(again.nodes, cells.nodes, cells.count * sizeof *cells.nodes);
        }
        bi_io_free_file(&out.bytes);
        bi_map_cells_free(&again);
        bi_map_cells_free(&cells);
    }
}

// ---- images --------------------------------------------------------------------------------------------------

static BerthStatus parse_image(const char* data, size_t size, size_t limit, GreyImage* image) {
    *image = (GreyImage){.allocator = berth_default_allocator()};
    char* copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    copy[size] = '\0';
    const BerthStatus status = bi_io_parse_image("i", copy, size, limit, image);
    free(copy);
    return status;
}

static void refuse_image(const char* data, size_t size, const char* expected) {
    GreyImage image;
    const BerthStatus status = parse_image(data, size, (size_t)1 << 20, &image);
    if (status == BERTH_OK || strstr(berth_error_text(), expected) == NULL) {
        fail_msg("status %d, text '%s', expected '%s'", (int)status, berth_error_text(), expected);
    }
    bi_image_free(&image);
}

static void pgm_images(void** state) {
    (void)state;
    static const char* const good[] = {"P5\n# made by hand\n2 2 255\n\0\200\377\1",
                                       "P2 2 2 255 0 128 # mine\n255 1\n", "P5 2\n2#x\n255\n\0\200\377\1"};
    const size_t sizes[] = {30, strlen(good[1]), 17};
    const uint16_t expected[] = {0, 128, 255, 1};
    for (int i = 0; i < 3; ++i) {
        GreyImage image;
        if (parse_image(good[i], sizes[i], 0, &image) != BERTH_OK) {
            fail_msg("%d: %s", i, berth_error_text());
        }
        assert_int_equal(image.width, 2);
        assert_memory_equal(image.grey, expected, sizeof expected);
        bi_image_free(&image);
    }
    GreyImage image;
    static const char wide[] = "P5 1 1 65535\n\x12\x34";
    assert_int_equal(parse_image(wide, sizeof wide - 1, 0, &image), BERTH_OK);
    assert_int_equal(image.grey[0], 0x1234);
    bi_image_free(&image);
    static const struct {
        const char* text;
        const char* expected;
    } cases[] = {
        {"", "byte 0: not a PNG or PGM"},
        {"P6 1 1 255\n123", "byte 0: not a PNG or PGM"},
        {"P5", "i:1: the file ends, the width"},
        {"P5 2", "the file ends, the height"},
        {"P5 -2 2 255\n1234", "width '-2'"},
        {"P5 2 2 0\n1234", "largest grey level is 0"},
        {"P5 2 2 70000\n1234", "largest grey level '70000'"},
        {"P5 2 2 255\n123", "2 x 2 pixels take 4 bytes, 3 are there"},
        {"P5 2 2 255\n12345", "2 x 2 pixels take 4 bytes, 5 are there"},
        {"P5 2000000000 2000000000 255\n1", "pixels take"},
        {"P5 0 0 255\n", "an image of 0 x 0"},
        {"P5 2 2 60\n1234z", "take 4 bytes, 5"},
        {"P5 2 2 60\n123z", "byte 13: grey level 122, the header says at most 60"},
        {"P2 2 2 255 1 2 3", "the file ends, the grey level is expected"},
        {"P2 9 9 255 1 2 3", "take at least 81 bytes"},
        {"P2 2 2 255 1 2 300", "grey level '300'"},
        {"P2 2 2 255 1 2 300 400", "i:1: grey level '300'"},
        {"P2 2 2 255 1 2 x    ", "grey level 'x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        refuse_image(cases[i].text, strlen(cases[i].text), cases[i].expected);
    }
}

static size_t make_png(int width, int height, png_uint_32 format, const void* pixels, char* out,
                       size_t room) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = format};
    png_alloc_size_t size = room;
    assert_true(png_image_write_to_memory(&image, out, &size, 0, pixels, 0, NULL));
    return size;
}

static void png_images(void** state) {
    (void)state;
    enum { W = 7, H = 5, ROOM = 8192 };
    char* bytes = malloc(ROOM);
    assert_non_null(bytes);
    uint8_t grey[W * H], colour[4 * W * H];
    for (int i = 0; i < W * H; ++i) {
        grey[i] = (uint8_t)(i * 7);
        colour[4 * i] = colour[4 * i + 1] = colour[4 * i + 2] = grey[i];
        colour[4 * i + 3] = i == 3 ? 100 : 255;
    }
    GreyImage image;
    size_t size = make_png(W, H, PNG_FORMAT_GRAY, grey, bytes, ROOM);
    assert_int_equal(parse_image(bytes, size, 0, &image), BERTH_OK);
    assert_true(image.width == W && image.height == H && image.white == 255 && image.opaque == NULL);
    for (int i = 0; i < W * H; ++i) {
        assert_int_equal(image.grey[i], grey[i]);
    }
    bi_image_free(&image);
    for (size_t cut = 0; cut < size; ++cut) {
        assert_int_not_equal(parse_image(bytes, cut, 0, &image), BERTH_OK);
        bi_image_free(&image);
    }
    for (size_t i = 8; i < size; ++i) {
        bytes[i] ^= 0x55;  // damaged: refused, or a part that does not matter
        (void)parse_image(bytes, size, 0, &image);
        bi_image_free(&image);
        bytes[i] ^= 0x55;
    }
    refuse_image(bytes, size - 20, "byte ");
    size = make_png(W, H, PNG_FORMAT_RGBA, colour, bytes, ROOM);
    assert_int_equal(parse_image(bytes, size, 0, &image), BERTH_OK);
    for (int i = 0; i < W * H; ++i) {
        assert_int_equal(image.opaque[i], i != 3);
        assert_true(i == 3 || image.grey[i] == grey[i]);
    }
    bi_image_free(&image);
    // A small file that becomes a large image: refused before its memory is taken.
    uint8_t* white = calloc(3000, 3000);
    char* small = malloc(1 << 16);
    assert_true(white != NULL && small != NULL);
    size = make_png(3000, 3000, PNG_FORMAT_GRAY, white, small, 1 << 16);
    refuse_image(small, size, "3000 x 3000 pixels needs 17 MiB, the limit is 1 MiB");
    free(white);
    free(small);
    free(bytes);
}

// ---- map_server ----------------------------------------------------------------------------------------------

static BerthStatus parse_server(const char* text, MapServer* out) {
    return bi_io_parse_map_server("m.yaml", text, strlen(text), NULL, out);
}

static void server_by_hand(void** state) {
    (void)state;
    MapServer server;
    static const char text[] =
        "image: lab.pgm\nresolution: 0.05\norigin: [-1.5, 2, 0]\nnegate: 0\n"
        "occupied_thresh: 0.65\nfree_thresh: 0.196\n";
    assert_true(bi_io_is_map_server(text, strlen(text)));
    assert_false(bi_io_is_map_server("berth: 1\n# image: x\n", 21));
    assert_int_equal(parse_server(text, &server), BERTH_OK);
    assert_string_equal(server.image, "lab.pgm");
    assert_true(server.origin[0] == -1.5 && server.free_threshold == 0.196 && !server.negate && !server.raw);
    // 0 is black and occupied, 205 is what map_saver writes for unknown, 254 is free; row 0 is the top.
    uint16_t pixels[] = {0, 205, 254, 255, 89, 90};
    GreyImage image = {
        .allocator = berth_default_allocator(), .width = 3, .height = 2, .white = 255, .grey = pixels};
    MapCells cells;
    bi_map_cells_init(&cells, NULL, 0);
    assert_int_equal(bi_map_cells_from_image("m", &server, &image, &cells), BERTH_OK);
    const uint8_t F = BERTH_CELL_FREE, O = BERTH_CELL_OCCUPIED, U = BERTH_CELL_UNKNOWN;
    const uint8_t expected[] = {F, O, U, O, U, F};  // (255 - 89) / 255 > 0.65, (255 - 90) / 255 < 0.65
    assert_memory_equal(cells.grid, expected, sizeof expected);
    assert_true(cells.dimensions == 2 && cells.resolution == 0.05 && cells.origin.y == 2.0);
    bi_map_cells_free(&cells);
    // Negated: white is occupied.
    server.negate = true;
    assert_int_equal(bi_map_cells_from_image("m", &server, &image, &cells), BERTH_OK);
    const uint8_t negated[] = {O, U, U, F, O, O};
    assert_memory_equal(cells.grid, negated, sizeof negated);
    bi_map_cells_free(&cells);
    // Raw: percents, above 100 unknown.
    uint16_t percents[] = {0, 100, 50, 101, 255, 10};
    image.grey = percents;
    server.negate = false;
    server.raw = true;
    assert_int_equal(bi_map_cells_from_image("m", &server, &image, &cells), BERTH_OK);
    const uint8_t raw[] = {U, U, F, F, O, U};
    assert_memory_equal(cells.grid, raw, sizeof raw);
    bi_map_cells_free(&cells);
}

static void server_wrong(void** state) {
    (void)state;
#define GOOD "image: a.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n"
    static const struct {
        const char* text;
        const char* expected;
    } cases[] = {
        {"", "m.yaml:1"},
        {"- 1\n", "m.yaml:1"},
        {"image: a.pgm\norigin: [0,0,0]\n", "'resolution' is missing"},
        {"resolution: 1\norigin: [0,0,0]\n", "'image' is missing"},
        {"image: a.pgm\nresolution: 1\n", "'origin' is missing"},
        {"image: a.pgm\nresolution: -1\norigin: [0,0,0]\n", "m.yaml:2: resolution"},
        {"image: a.pgm\nresolution: 0\norigin: [0,0,0]\n", "m.yaml:2: resolution"},
        {"image: a.pgm\nresolution: .nan\norigin: [0,0,0]\n", "m.yaml:2: resolution"},
        {"image: a.pgm\nresolution: 1\norigin: [0,0]\n", "m.yaml:3: origin"},
        {GOOD "mode: fancy\n", "m.yaml:4: mode 'fancy'"},
        {GOOD "negate: 2\n", "m.yaml:4: negate"},
        {GOOD "occupied_thresh: 2\n", "m.yaml:4: occupied_thresh"},
        {GOOD "free_thresh: 0.9\n", "m.yaml:4: free_thresh 0.9 is above"},
        {GOOD "mode: raw\nnegate: 1\n", "m.yaml:5: negate with mode raw"},
        {GOOD "colour: 1\n", "m.yaml:4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        MapServer server;
        const BerthStatus status = parse_server(cases[i].text, &server);
        if (status == BERTH_OK || strstr(berth_error_text(), cases[i].expected) == NULL) {
            fail_msg("status %d, text '%s', expected '%s'", (int)status, berth_error_text(),
                     cases[i].expected);
        }
    }
}

// ---- .npy ----------------------------------------------------------------------------------------------------

static size_t make_npy(char* out, const char* descr, const char* order, const char* shape, const void* data,
                       size_t bytes) {
    char header[256];
    const int length = snprintf(header, sizeof header,
                                "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape);
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (char)length;
    out[9] = 0;
    memcpy(out + 10, header, (size_t)length);
    memcpy(out + 10 + length, data, bytes);
    return 10 + (size_t)length + bytes;
}

static void npy_volumes(void** state) {
    (void)state;
    char bytes[512];
    MapCells cells;
    const uint8_t F = BERTH_CELL_FREE, O = BERTH_CELL_OCCUPIED, U = BERTH_CELL_UNKNOWN;
    // (2, 3, 1): C order runs along z, then y, then x; our cells along x first.
    const uint8_t numbers[] = {0, 1, 0, 200, 0, 0};
    size_t size = make_npy(bytes, "|u1", "False", "(2, 3, 1)", numbers, 6);
    assert_int_equal(parse(bi_io_parse_npy_volume, bytes, size, &cells), BERTH_OK);
    const uint8_t expected[] = {F, O, O, F, F, F};
    assert_memory_equal(cells.grid, expected, 6);
    assert_true(cells.dimensions == 3 && cells.size[0] == 2 && cells.size[1] == 3 && cells.size[2] == 1);
    bi_map_cells_free(&cells);
    size = make_npy(bytes, "|b1", "True", "(2, 3)", numbers, 6);
    assert_int_equal(parse(bi_io_parse_npy_volume, bytes, size, &cells), BERTH_OK);
    const uint8_t fortran[] = {F, O, F, O, F, F};
    assert_memory_equal(cells.grid, fortran, 6);
    assert_int_equal(cells.dimensions, 2);
    bi_map_cells_free(&cells);
    const int8_t signed_numbers[] = {-1, 0, 100, -128, 1, 0};
    size = make_npy(bytes, "|i1", "True", "(6, 1)", signed_numbers, 6);
    assert_int_equal(parse(bi_io_parse_npy_volume, bytes, size, &cells), BERTH_OK);
    const uint8_t signs[] = {U, F, O, U, O, F};
    assert_memory_equal(cells.grid, signs, 6);
    bi_map_cells_free(&cells);
    const int64_t wide_numbers[] = {-1, 0, (int64_t)1 << 40, INT64_MIN, 256, 0};
    size = make_npy(bytes, "<i8", "True", "(6, 1)", wide_numbers, sizeof wide_numbers);
    assert_int_equal(parse(bi_io_parse_npy_volume, bytes, size, &cells), BERTH_OK);
    assert_memory_equal(cells.grid, signs, 6);
    bi_map_cells_free(&cells);
    const uint16_t short_numbers[] = {65535, 0, 256, 0};
    size = make_npy(bytes, "<u2", "True", "(4, 1)", short_numbers, sizeof short_numbers);
    assert_int_equal(parse(bi_io_parse_npy_volume, bytes, size, &cells), BERTH_OK);
    const uint8_t shorts[] = {O, F, O, F};
    assert_memory_equal(cells.grid, shorts, 4);
    bi_map_cells_free(&cells);
    const float chances[] = {0.0f, 0.49f, 0.5f, 1.0f, NAN, -0.0f};
    size = make_npy(bytes, "<f4", "True", "(6, 1)", chances, sizeof chances);
    assert_int_equal(parse(bi_io_parse_npy_volume, bytes, size, &cells), BERTH_OK);
    const uint8_t floats[] = {F, F, O, O, U, F};
    assert_memory_equal(cells.grid, floats, 6);
    bi_map_cells_free(&cells);
    const double wide[] = {0.0, 0.5, (double)NAN};
    size = make_npy(bytes, "<f8", "False", "(1, 1, 3)", wide, sizeof wide);
    assert_int_equal(parse(bi_io_parse_npy_volume, bytes, size, &cells), BERTH_OK);
    const uint8_t doubles[] = {F, O, U};
    assert_memory_equal(cells.grid, doubles, 3);
    bi_map_cells_free(&cells);
    for (size_t cut = 0; cut < size; ++cut) {
        assert_int_not_equal(parse(bi_io_parse_npy_volume, bytes, cut, &cells), BERTH_OK);
        bi_map_cells_free(&cells);
    }
}

static void npy_wrong(void** state) {
    (void)state;
    char bytes[512];
    const double odd[] = {0.5, 1.5, -0.1};
    size_t size = make_npy(bytes, "<f8", "False", "(1, 1, 3)", odd, sizeof odd);
    refuse(bi_io_parse_npy_volume, bytes, size, "cell (0, 0, 1) is no chance");
    size = make_npy(bytes, "<f8", "False", "(3,)", odd, sizeof odd);
    refuse(bi_io_parse_npy_volume, bytes, size, "1 dimension, (x, y, z)");
    size = make_npy(bytes, "<f8", "False", "(1, 1, 1, 3)", odd, sizeof odd);
    refuse(bi_io_parse_npy_volume, bytes, size, "more than three dimensions");
    size = make_npy(bytes, ">i4", "False", "(1, 1, 6)", odd, sizeof odd);
    refuse(bi_io_parse_npy_volume, bytes, size, "descr: bool, whole numbers");
    size = make_npy(bytes, "|u1", "False", "(0, 4, 4)", odd, 0);
    refuse(bi_io_parse_npy_volume, bytes, size, "0 cells along x");
    size = make_npy(bytes, "|u1", "False", "(70000, 0, 4)", odd, 0);
    refuse(bi_io_parse_npy_volume, bytes, size, "70000 cells along x");
    size = make_npy(bytes, "|u1", "False", "(4000000000, 4000000000, 4)", odd, 24);
    refuse(bi_io_parse_npy_volume, bytes, size, "too large");
    size = make_npy(bytes, "|u1", "False", "(1000, 1000, 1000)", odd, 24);
    refuse(bi_io_parse_npy_volume, bytes, size, "the header says 1000000000 numbers");
}

// ---- memory --------------------------------------------------------------------------------------------------

static void limits_are_told(void** state) {
    (void)state;
    MapCells cells;
    bi_map_cells_init(&cells, NULL, 1 << 20);
    cells.size[0] = cells.size[1] = cells.size[2] = 1024;
    assert_int_equal(bi_map_cells_allocate_grid(&cells, "m"), BERTH_ERR_CAPACITY);
    assert_string_equal(berth_error_text(), "m: 1024 x 1024 x 1024 cells need 1024 MiB, the limit is 1 MiB");
    BerthStatus status = BERTH_OK;
    for (int i = 0; i < 200000 && status == BERTH_OK; ++i) {
        status = bi_map_cells_add(&cells, (CellNode){.scale = 0});
    }
    assert_int_equal(status, BERTH_ERR_CAPACITY);
    bi_map_cells_free(&cells);
}

// ---- memory --------------------------------------------------------------------------------------------------

/// A map as bytes.
typedef struct MapBytes {
    int kind;  ///< 0 .lin, 1 .npy, 2 .png, 3 .yaml
    const char* data;
    size_t size;
} MapBytes;

static BerthStatus parse_map(void* user, const BerthAllocator* allocator) {
    const MapBytes* from = user;
    MapCells cells;
    GreyImage image = {.allocator = *allocator};
    MapServer server;
    bi_map_cells_init(&cells, allocator, 0);
    const BerthStatus status = from->kind == 0   ? bi_io_parse_lin("m", from->data, from->size, &cells)
                               : from->kind == 1 ? bi_io_parse_npy_volume("m", from->data, from->size, &cells)
                               : from->kind == 2
                                   ? bi_io_parse_image("m", from->data, from->size, 0, &image)
                                   : bi_io_parse_map_server("m", from->data, from->size, allocator, &server);
    bi_map_cells_free(&cells);
    bi_image_free(&image);
    return status;
}

// The n-th allocation fails, for all n: a status, and nothing is left.
static void memory_fails(void** state) {
    (void)state;
    static const char lin[] = "3\n8 8 0\n012 3\n1 1\n";
    char npy[256], png[2048];
    const uint8_t numbers[] = {0, 1, 0, 200, 0, 0};
    MapBytes maps[] = {{0, lin, sizeof lin - 1},
                       {1, npy, make_npy(npy, "|u1", "False", "(2, 3, 1)", numbers, 6)},
                       {2, png, make_png(2, 3, PNG_FORMAT_GRAY, numbers, png, sizeof png)},
                       {3, GOOD, strlen(GOOD)}};
    for (int kind = 0; kind < 4; ++kind) {
        const int64_t requests = starve(parse_map, &maps[kind]);
        assert_true(requests > 0 && requests < 200);
    }
}

int test_io_map(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lin_by_hand),     cmocka_unit_test(lin_wrong),    cmocka_unit_test(lin_round_trip),
        cmocka_unit_test(pgm_images),      cmocka_unit_test(png_images),   cmocka_unit_test(server_by_hand),
        cmocka_unit_test(server_wrong),    cmocka_unit_test(npy_volumes),  cmocka_unit_test(npy_wrong),
        cmocka_unit_test(limits_are_told), cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
