// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps that say little of much space cost what they say: nodes and memory of `berth map info` and `build` for six voxels 3 km apart,
// OctoMap's smallest file, and a yard of 400 m; and that what is unknown around them is still where it was.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/setting.h"

enum { MIDDLE = 1 << 15, FREE = 1, OCCUPIED = 2, BOXES_MAX = 80, BYTES_MAX = 4 << 20 };

typedef struct Box {
    int low[3], high[3];
    int colour;
} Box;

/// OctoMap's .bt of boxes of cells, of which later ones win; written by halving, with nothing of the product.
typedef struct Writer {
    const Box* boxes;
    int count;
    uint8_t* bytes;
    int size, nodes;
} Writer;

// The colour of a cube: 0 unknown, or 3 when it has more than one.
static int colour_of(const Writer* w, const int low[3], int width) {
    for (int b = w->count - 1; b >= 0; --b) {
        bool touches = true, holds = true;
        for (int axis = 0; axis < 3; ++axis) {
            touches =
                touches && w->boxes[b].low[axis] < low[axis] + width && w->boxes[b].high[axis] > low[axis];
            holds =
                holds && w->boxes[b].low[axis] <= low[axis] && w->boxes[b].high[axis] >= low[axis] + width;
        }
        if (touches) {
            return holds ? w->boxes[b].colour : 3;
        }
    }
    return 0;
}

static void put_node(Writer* w, const int low[3], int width) {
    const int at = w->size, half = width / 2;
    int colours[8], corners[8][3];
    w->nodes += 1;
    w->size += 2;
    assert_true(w->size <= BYTES_MAX);
    unsigned bits = 0;
    for (int child = 0; child < 8; ++child) {
        for (int axis = 0; axis < 3; ++axis) {
            corners[child][axis] = low[axis] + ((child >> axis & 1) != 0 ? half : 0);
        }
        colours[child] = colour_of(w, corners[child], half);
        w->nodes += colours[child] == FREE || colours[child] == OCCUPIED;
        bits |= (unsigned)colours[child] << 2 * child;
    }
    w->bytes[at] = (uint8_t)(bits & 255);
    w->bytes[at + 1] = (uint8_t)(bits >> 8);
    for (int child = 0; child < 8; ++child) {
        if (colours[child] == 3) {
            put_node(w, corners[child], half);
        }
    }
}

// Returns the nodes of the file.
static int write_bt(const char* path, const Box* boxes, int count) {
    static const int zero[3] = {0, 0, 0};
    Writer w = {boxes, count, malloc(BYTES_MAX), 0, 0};
    assert_non_null(w.bytes);
    put_node(&w, zero, 1 << 16);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "# Octomap OcTree binary file\nid OcTree\nsize %d\nres 0.1\ndata\n", w.nodes);
    assert_int_equal(fwrite(w.bytes, 1, (size_t)w.size, file), w.size);
    fclose(file);
    free(w.bytes);
    return w.nodes;
}

// The most that a child has held so far. Sanitizers hold more than the program does.
static void check_memory(double most_mb) {
    struct rusage children;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &children), 0);
    if (!TEST_SANITIZED && (double)children.ru_maxrss / 1024.0 > most_mb) {
        fail_msg("%.0f MB held, at most %.0f were expected", (double)children.ru_maxrss / 1024.0, most_mb);
    }
}

static double number_in(const json_t* object, const char* key) {
    const json_t* value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

// Nodes of the map by `info` and after `build`, which are at most so many times those of the file.
static json_t* check_nodes(const char* path, int file_nodes, double times) {
    const char* built = program_temporary("built.bmap");
    json_t* info = EXPECT_JSON(0, "map", "info", path);
    json_t* build = EXPECT_JSON(0, "map", "build", path, "--structure", "octree", "-o", built);
    const double nodes = number_in(json_object_get(info, "nodes"), "all");
    if (nodes > times * file_nodes) {
        fail_msg("%s: %d nodes in the file, %.0f in the map", path, file_nodes, nodes);
    }
    assert_true(number_in(json_object_get(build, "nodes"), "all") == nodes);
    json_decref(build);
    return info;
}

// Seen in the review: 92 nodes became 40,305, and a file of 440 bytes took 20 GB once.
static void voxels_far_apart(void** state) {
    (void)state;
    static const int at[6][3] = {{1, 2, 3},         {29987, 5, 17},        {13, 29991, 7},
                                 {29981, 29999, 3}, {15001, 14999, 29989}, {7, 3, 29993}};
    Box boxes[6];
    for (int i = 0; i < 6; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].low[axis] = MIDDLE - 15000 + at[i][axis];
            boxes[i].high[axis] = boxes[i].low[axis] + 1;
        }
        boxes[i].colour = OCCUPIED;
    }
    const char* path = program_temporary("six.bt");
    const int nodes = write_bt(path, boxes, 6);
    assert_true(nodes < 120);
    json_t* info = check_nodes(path, nodes, 10.0);
    assert_true(number_in(json_object_get(info, "cells"), "occupied") == 6.0);
    json_decref(info);
    check_memory(50.0);
}

static void the_smallest_file(void** state) {
    (void)state;
    const Box octant = {{MIDDLE, MIDDLE, MIDDLE}, {2 * MIDDLE, 2 * MIDDLE, 2 * MIDDLE}, OCCUPIED};
    const char* path = program_temporary("octant.bt");
    const int nodes = write_bt(path, &octant, 1);
    assert_int_equal(nodes, 2);
    json_decref(check_nodes(path, nodes, 200.0));
    check_memory(50.0);

    // Deep inside it, at its corner, and where nothing is known.
    json_t* line = EXPECT_JSON(0, "map", "query", path, "--ball", "1000,1000,1000,0.1", "--outside", "free");
    assert_string_equal(json_string_value(json_object_get(line, "verdict")), "collision");
    json_decref(line);
    line = EXPECT_JSON(0, "map", "query", path, "--ball", "-0.05,50,50,0.01", "--outside", "free",
                       "--unknown", "free");
    assert_string_equal(json_string_value(json_object_get(line, "verdict")), "free");
    assert_true(fabs(number_in(json_object_get(line, "distance"), "upper") - 0.05) < 1e-9);
    json_decref(line);
    line = EXPECT_JSON(0, "map", "query", path, "--ball", "-0.05,50,50,0.01", "--outside", "free");
    assert_string_equal(json_string_value(json_object_get(line, "verdict")), "collision");
    json_decref(line);
}

// Metres to the nearest container, or to where the yard is known no more, which is an obstacle wherever the map ends.
static double distance_in_yard(const Box* boxes, int count, const double p[3]) {
    double best = INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        const double cell = p[axis] / 0.1 + MIDDLE;
        best = fmin(best, 0.1 * fmin(cell - boxes[0].low[axis], boxes[0].high[axis] - cell));
    }
    for (int b = 1; b < count; ++b) {
        double sum = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            const double cell = p[axis] / 0.1 + MIDDLE;
            const double gap = 0.1 * fmax(0.0, fmax(boxes[b].low[axis] - cell, cell - boxes[b].high[axis]));
            sum += gap * gap;
        }
        best = fmin(best, sqrt(sum));
    }
    return fmax(best, 0.0);
}

// 400 x 300 x 10 m at 0.1 m. Its map was 2152 cells high once, of which 100 are known: the outside began 100 m off.
static void a_yard(void** state) {
    (void)state;
    Random random = {5};
    Box boxes[BOXES_MAX] = {
        {{MIDDLE - 2000, MIDDLE - 1504, MIDDLE}, {MIDDLE + 2000, MIDDLE + 1504, MIDDLE + 96}, FREE}};
    for (int b = 1; b < BOXES_MAX; ++b) {
        const bool along = bi_random_next(&random) % 2 == 0;
        const int low[3] = {MIDDLE - 2000 + 8 * (int)(bi_random_next(&random) % 484),
                            MIDDLE - 1504 + 8 * (int)(bi_random_next(&random) % 360), MIDDLE};
        const int size[3] = {along ? 120 : 24, along ? 24 : 120,
                             24 * (1 + (int)(bi_random_next(&random) % 3))};
        for (int axis = 0; axis < 3; ++axis) {
            boxes[b].low[axis] = low[axis];
            boxes[b].high[axis] = low[axis] + size[axis];
        }
        boxes[b].colour = OCCUPIED;
    }
    const char* path = program_temporary("yard.bt");
    const int nodes = write_bt(path, boxes, BOXES_MAX);
    json_t* info = check_nodes(path, nodes, 2.0);
    const json_t* size = json_object_get(info, "size");
    assert_true(json_number_value(json_array_get(size, 2)) <= 3.0 * 96);
    assert_true(json_number_value(json_array_get(size, 0)) <= 1.1 * 4000);
    assert_true(json_number_value(json_array_get(size, 1)) <= 1.1 * 3008);
    json_decref(info);
    check_memory(120.0);

    // However little of what is unknown is kept around it, a robot that leaves what is known meets it.
    enum { BALLS = 300 };
    static double balls[BALLS][4];
    const char* csv = program_temporary("balls.csv");
    FILE* file = fopen(csv, "w");
    assert_non_null(file);
    fprintf(file, "x,y,z,r\n");
    for (int i = 0; i < BALLS; ++i) {
        balls[i][0] = bi_random_between(&random, -200.05, 200.05);
        balls[i][1] = bi_random_between(&random, -150.45, 150.45);
        balls[i][2] = bi_random_between(&random, -0.05, 9.65);
        balls[i][3] = bi_random_between(&random, 0.0, 2.0);
        fprintf(file, "%.17g,%.17g,%.17g,%.17g\n", balls[i][0], balls[i][1], balls[i][2], balls[i][3]);
    }
    fclose(file);
    for (int outside = 0; outside < 2; ++outside) {
        ProgramRun run = EXPECT_RUN(0, "map", "query", path, "--balls", csv, "--json", "--outside",
                                    outside != 0 ? "occupied" : "free");
        for (int i = 0; i < BALLS; ++i) {
            json_t* line = program_json_line(&run, i);
            const double want = distance_in_yard(boxes, BOXES_MAX, balls[i]);
            assert_true(fabs(number_in(json_object_get(line, "distance"), "lower") - want) < 1e-6);
            assert_string_equal(json_string_value(json_object_get(line, "verdict")),
                                want > balls[i][3] ? "free" : "collision");
            json_decref(line);
        }
        program_free(&run);
    }
}

int test_cli_map_sparse(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voxels_far_apart),
        cmocka_unit_test(the_smallest_file),
        cmocka_unit_test(a_yard),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
