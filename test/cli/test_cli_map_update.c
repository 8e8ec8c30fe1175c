// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map update and the exports of convert, the real program: updated maps equal those built anew in every byte, scans against
// liboctomap, distances and surfaces against brute force.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <berth/berth.h>

#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"
#if BERTH_HAVE_ORACLES
#include "oracle/peer_octomap_scan.h"
#endif

enum { X = 13, Y = 9, Z = 6, CELLS = X * Y * Z };

static int below(Random* random, int n) {
    return (int)(bi_random_next(random) % (uint64_t)n);
}

static char* read_whole(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char* bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

// C order: 1 occupied, 0 free, -1 unknown.
static void write_volume(const char* path, const int8_t* cells) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    char header[128];
    const int length =
        snprintf(header, sizeof header, "{'descr': '|i1', 'fortran_order': False, 'shape': (%d, %d, %d), }\n",
                 X, Y, Z);
    const char start[10] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)length, 0};
    fwrite(start, 1, sizeof start, file);
    fwrite(header, 1, (size_t)length, file);
    fwrite(cells, 1, CELLS, file);
    fclose(file);
}

static void run_well(const char* const* arguments) {
    ProgramRun run = program_run_list(arguments);
    if (run.status != 0) {
        fail_msg("'%s %s %s': exit status %d, %s", arguments[0], arguments[1], arguments[2], run.status,
                 run.err);
    }
    program_free(&run);
}
#define RUN(...) run_well((const char* const[]){__VA_ARGS__, NULL})

static void random_cells(Random* random, int8_t cells[CELLS]) {
    const int unknown = below(random, 2) * 10;
    for (int i = 0; i < CELLS; ++i) {
        const int roll = below(random, 100);
        cells[i] = roll < 12 ? 1 : (int8_t)(roll < 12 + unknown ? -1 : 0);
    }
}

// ---- cells --------------------------------------------------------------------------------------------------------------

// Sizes that are no powers of two, an origin and a resolution that are no whole numbers, points on the lower faces of their cells and
// anywhere inside: the file that update writes is the file that build writes, byte for byte, with every structure.
static void updates_are_builds(void** state) {
    (void)state;
    Random random = {1811};
    for (int turn = 0; turn < test_scaled(6); ++turn) {
        int8_t cells[CELLS];
        random_cells(&random, cells);
        const char* before = program_temporary("before.npy");
        const char* after = program_temporary("after.npy");
        const char* old = program_temporary("old.bmap");
        const char* updated = program_temporary("updated.bmap");
        const char* anew = program_temporary("anew.bmap");
        const char* occupied = program_temporary("occupied.csv");
        const char* freed = program_temporary("freed.npy");
        write_volume(before, cells);

        // The origin in 1/8, so that faces are exact; half of the points lie on lower corners.
        double list[40][3];
        FILE* file = fopen(occupied, "w");
        assert_non_null(file);
        fprintf(file, "x,y,z\n");
        int freed_count = 0;
        int8_t colours[CELLS];
        memset(colours, -2, sizeof colours);
        for (int i = 0; i < 60; ++i) {
            const int cell[3] = {below(&random, X), below(&random, Y), below(&random, Z)};
            const double shift = below(&random, 2) == 0 ? 0.0 : 0.25 * bi_random_between(&random, 0.01, 0.99);
            const double p[3] = {-1.125 + 0.25 * cell[0] + shift, 2.5 + 0.25 * cell[1] + shift,
                                 0.25 * cell[2] + shift};
            const int index = (cell[0] * Y + cell[1]) * Z + cell[2];
            if (i < 20) {
                fprintf(file, "%.17g,%.17g,%.17g\n", p[0], p[1], p[2]);
                colours[index] = 1;  // over those of --free
            } else {
                memcpy(list[freed_count++], p, sizeof p);
                colours[index] = (int8_t)(colours[index] == 1 ? 1 : 0);
            }
        }
        fclose(file);
        assert_true(program_write_array(freed, "40, 3", &list[0][0], 120));
        for (int i = 0; i < CELLS; ++i) {
            cells[i] = colours[i] == -2 ? cells[i] : colours[i];
        }
        write_volume(after, cells);

        RUN("map", "build", before, "--resolution", "0.25", "--origin=-1.125,2.5,0", "--structure", "all",
            "-o", old);
        RUN("map", "update", old, "--occupied", occupied, "--free", freed, "-o", updated);
        RUN("map", "build", after, "--resolution", "0.25", "--origin=-1.125,2.5,0", "--structure", "all",
            "-o", anew);
        size_t sizes[2];
        char* a = read_whole(updated, &sizes[0]);
        char* b = read_whole(anew, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(a, b, sizes[0]);
        free(a);
        free(b);
    }
    program_remove_temporary();
}

// What is outside of a map makes it larger; what rays cleared is assumed, and stays so in a .bmap.
static void maps_grow_and_remember(void** state) {
    (void)state;
    int8_t cells[CELLS] = {0};
    const char* volume = program_temporary("v.npy");
    const char* small = program_temporary("small.bmap");
    const char* large = program_temporary("large.bmap");
    const char* points = program_temporary("p.csv");
    cells[0] = 1;
    write_volume(volume, cells);
    assert_true(program_write_text(points, "x,y,z\n5.05,0.25,0.25\n"));
    RUN("map", "build", volume, "--resolution", "0.1", "-o", small);
    RUN("map", "update", small, "--scan", points, "--sensor", "0.25,0.25,0.25", "-o", large);

    ProgramRun run = program_run("map", "query", large, "--ball", "5.05,0.25,0.25,0.001", "--ball",
                                 "3.25,0.25,0.25,0.01", "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* hit = program_json_line(&run, 0);
    json_t* passed = program_json_line(&run, 1);
    assert_string_equal(json_string_value(json_object_get(hit, "verdict")), "collision");
    assert_string_equal(json_string_value(json_object_get(passed, "verdict")), "free");
    const json_t* assumed = json_array_get(json_object_get(passed, "assumed"), 0);
    assert_string_equal(json_string_value(json_object_get(assumed, "what")), "cleared_space_free");
    // From the 13th cell to the 50th: those before were free.
    assert_int_equal(json_integer_value(json_object_get(assumed, "count")), 50 - X);
    json_decref(hit);
    json_decref(passed);
    program_free(&run);

    // One hit makes a cell of a .bmap occupied, however free it was.
    const char* again = program_temporary("again.bmap");
    assert_true(program_write_text(points, "x,y,z\n0.65,0.45,0.25\n"));
    RUN("map", "update", small, "--scan", points, "--sensor", "0.25,0.45,0.25", "-o", again);
    run = program_run("map", "query", again, "--ball", "0.65,0.45,0.25,0.001", "--json", NULL);
    assert_non_null(strstr(run.out, "\"collision\""));
    program_free(&run);
    program_remove_temporary();
}

// Rays in a 2-D map: the plane's own cells, whatever the height.
static void scans_in_the_plane(void** state) {
    (void)state;
    const char* lin = program_temporary("m.lin");
    const char* points = program_temporary("p.csv");
    const char* out = program_temporary("out.bmap");
    assert_true(program_write_text(lin, "2\n4 4 0\n00 2\n"));
    assert_true(program_write_text(points, "x,y,z\n3.5,3.25,7\n"));
    RUN("map", "update", lin, "--scan", points, "--sensor", "2.5,2.5", "-o", out);
    ProgramRun run =
        program_run("map", "query", out, "--ball", "3.5,3.5,0.1", "--ball", "2.5,2.5,0.1", "--json", NULL);
    json_t* hit = program_json_line(&run, 0);
    json_t* passed = program_json_line(&run, 1);
    assert_string_equal(json_string_value(json_object_get(hit, "verdict")), "collision");
    assert_string_equal(json_string_value(json_object_get(passed, "verdict")), "free");
    json_decref(hit);
    json_decref(passed);
    program_free(&run);
    program_remove_temporary();
}

// Points of the plane have two columns: named, by rows of numbers, as .npy, and with more behind them. In a 3-D map two are too few.
static void points_of_the_plane(void** state) {
    (void)state;
    static const char* const texts[] = {"x,y\n3.5,3.25\n", "3.5 3.25\n", "x,y,z\n3.5,3.25,7\n",
                                        "x;y;what\n3.5;3.25;wall\n"};
    const char* lin = program_temporary("m.lin");
    const char* cube = program_temporary("cube.lin");
    const char* points = program_temporary("p.csv");
    const char* out = program_temporary("out.bmap");
    assert_true(program_write_text(lin, "2\n4 4 0\n00 2\n"));
    assert_true(program_write_text(cube, "2\n4 4 4\n00 2\n"));

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        assert_true(program_write_text(points, texts[i]));
        RUN("map", "update", lin, "--occupied", points, "-o", out);
        ProgramRun run =
            program_run("map", "query", out, "--ball", "3.5,3.5,0.1", "--ball", "2.5,3.5,0.1", "-q", NULL);
        assert_non_null(strstr(run.out, "ball 0 (3.5, 3.5) r 0.1: collision"));
        assert_non_null(strstr(run.out, "ball 1 (2.5, 3.5) r 0.1: free"));
        program_free(&run);

        run = program_run("map", "update", cube, "--occupied", points, "-o", out, NULL);
        assert_int_equal(run.status, i == 2 ? 0 : 2);
        assert_true(i == 2 || strstr(run.err, "three numbers") != NULL);
        program_free(&run);
    }

    // A scan of a laser, and words where numbers should be.
    assert_true(program_write_text(points, "x,y\n3.5,3.25\n"));
    RUN("map", "update", lin, "--scan", points, "--sensor", "2.5,2.5", "-o", out);
    assert_true(program_write_text(points, "x,y\n3.5,wall\n"));
    ProgramRun run = program_run("map", "update", lin, "--free", points, "-o", out, NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "two numbers x y"));
    program_free(&run);
    program_remove_temporary();
}

// ---- scans, by liboctomap -------------------------------------------------------------------------------------------------

#if BERTH_HAVE_ORACLES
enum { POINTS = 400, LEAVES = 1 << 18 };

static int64_t count_differences(const char* path, const PeerOddsLeaf* leaves, int count, int64_t* cells) {
    BerthOccupancy* odds = NULL;
    assert_int_equal(berth_io_read_occupancy(path, NULL, NULL, &odds), BERTH_OK);
    int64_t differ = 0;
    for (int i = 0; i < count; ++i) {
        const int width = 1 << leaves[i].scale;
        for (int c = 0; c < width * width * width; ++c) {
            const int32_t cell[3] = {leaves[i].x + c % width, leaves[i].y + c / width % width,
                                     leaves[i].z + c / width / width};
            float ours = NAN;
            differ += !berth_occupancy_log_odds(odds, cell, &ours) || ours != leaves[i].log_odds;
            *cells += 1;
        }
    }
    berth_occupancy_destroy(odds);
    return differ;
}

// A tree of OctoMap's, two scans put into it by both: log-odds equal to the last bit but for cells that a ray grazes (OctoMap steps along a
// direction in float; test_occupancy_scan looks at each), from .ot and from .bt, where chances are OctoMap's least and most.
static void scans_of_liboctomap(void** state) {
    (void)state;
    Random random = {1812};
    static float points[3][3 * POINTS];
    PeerScan scans[3];
    const char* csv[3] = {program_temporary("s0.csv"), program_temporary("s1.csv"),
                          program_temporary("s2.csv")};
    for (int s = 0; s < 3; ++s) {
        FILE* file = fopen(csv[s], "w");
        assert_non_null(file);
        scans[s] = (PeerScan){points[s], POINTS, {0.5f * (float)s, 0.25f, 1.125f}, 0.0};
        fprintf(file, "x,y,z\n");
        for (int i = 0; i < POINTS; ++i) {
            float* p = points[s] + 3 * i;
            for (int axis = 0; axis < 3; ++axis) {
                p[axis] = (float)bi_random_between(&random, -2.0, 2.0);
            }
            fprintf(file, "%.9g,%.9g,%.9g\n", (double)p[0], (double)p[1], (double)p[2]);
        }
        fclose(file);
    }

    PeerOddsLeaf* leaves = calloc(LEAVES, sizeof *leaves);
    assert_non_null(leaves);
    const char* starts[2] = {program_temporary("start.ot"), program_temporary("start.bt")};
    for (int k = 0; k < 2; ++k) {
        int64_t nodes = 0, cells = 0;
        assert_true(peer_octomap_insert(NULL, 0.05, scans, 1, starts[k], leaves, LEAVES, &nodes) > 0);
        const int count = peer_octomap_insert(starts[k], 0.05, scans + 1, 2, NULL, leaves, LEAVES, &nodes);
        assert_in_range(count, 1, LEAVES);
        const char* ours = program_temporary("ours.ot");
        const char* again = program_temporary("again.ot");
        RUN("map", "update", starts[k], "--scan", csv[1], "--sensor", "0.5,0.25,1.125", "--scan", csv[2],
            "--sensor", "1,0.25,1.125", "-o", ours);
        const int64_t differ = count_differences(ours, leaves, count, &cells);
        assert_true(cells > 20000 && differ * 1000 <= cells);

        // Converted, the chances are the same; and OctoMap reads what we wrote.
        RUN("map", "convert", ours, "-o", again);
        size_t sizes[2];
        char* a = read_whole(ours, &sizes[0]);
        char* b = read_whole(again, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(a, b, sizes[0]);
        free(a);
        free(b);
        const int read = peer_octomap_insert(ours, 0.05, scans, 0, NULL, leaves, LEAVES, &nodes);
        assert_in_range(read, 1, LEAVES);
        cells = 0;
        assert_int_equal(count_differences(ours, leaves, read, &cells), 0);
    }
    free(leaves);
    program_remove_temporary();
}
#else
static void scans_of_liboctomap(void** state) {
    (void)state;
    TEST_SKIP("without liboctomap");
}
#endif

// ---- exports -----------------------------------------------------------------------------------------------------------------

static const double* doubles_of(const char* bytes, size_t size, size_t count) {
    assert_true(size >= 8 * count);
    return (const double*)(const void*)(bytes + size - 8 * count);
}

// Squared distance of a cell's centre to a closed cell, in half cells.
static int64_t square_to(const int at[3], const int cell[3]) {
    int64_t sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t c = 2 * at[axis] + 1, low = 2 * cell[axis], high = low + 2;
        const int64_t gap = c < low ? low - c : (c > high ? c - high : 0);
        sum += gap * gap;
    }
    return sum;
}

static int64_t brute_square(const int8_t* cells, const int at[3], bool to_blocked) {
    int64_t best = INT64_MAX;
    for (int i = 0; i < CELLS; ++i) {
        const int cell[3] = {i / (Y * Z), i / Z % Y, i % Z};
        if ((cells[i] != 0) == to_blocked) {
            const int64_t square = square_to(at, cell);
            best = square < best ? square : best;
        }
    }
    return best;
}

static void distances_of_cells(void** state) {
    (void)state;
    Random random = {1813};
    for (int turn = 0; turn < test_scaled(4); ++turn) {
        int8_t cells[CELLS];
        random_cells(&random, cells);
        const char* volume = program_temporary("v.npy");
        const char* esdf = program_temporary("esdf.npy");
        const char* gradient = program_temporary("gradient.npy");
        const char* walled = program_temporary("walled.npy");
        write_volume(volume, cells);
        RUN("map", "convert", volume, "--resolution", "0.3", "--origin=-100,7,0.1", "--esdf", "-o", esdf);
        RUN("map", "convert", volume, "--resolution", "0.3", "--origin=-100,7,0.1", "--gradient", "-o",
            gradient);
        RUN("map", "convert", volume, "--resolution", "0.3", "--esdf", "--outside", "occupied", "-o", walled);
        size_t size[3];
        char* bytes[3] = {read_whole(esdf, &size[0]), read_whole(gradient, &size[1]),
                          read_whole(walled, &size[2])};
        assert_non_null(strstr(bytes[0] + 10, "(13, 9, 6)"));
        assert_non_null(strstr(bytes[1] + 10, "(13, 9, 6, 3)"));
        const double* d = doubles_of(bytes[0], size[0], CELLS);
        const double* g = doubles_of(bytes[1], size[1], 3 * CELLS);
        const double* w = doubles_of(bytes[2], size[2], CELLS);

        for (int i = 0; i < CELLS; ++i) {
            const int at[3] = {i / (Y * Z), i / Z % Y, i % Z};
            const bool blocked = cells[i] != 0;
            const int64_t square = brute_square(cells, at, !blocked);
            const double want = 0.5 * sqrt((double)square) * 0.3;
            assert_true(fabs(d[i] - (blocked ? -want : want)) <= 4e-16 * want);
            int border = INT32_MAX;
            const int sides[3] = {X, Y, Z};
            for (int axis = 0; axis < 3; ++axis) {
                border = 2 * at[axis] + 1 < border ? 2 * at[axis] + 1 : border;
                border =
                    2 * (sides[axis] - at[axis]) - 1 < border ? 2 * (sides[axis] - at[axis]) - 1 : border;
            }
            const double near = fmin(want, 0.5 * border * 0.3);
            assert_true(fabs(w[i] - (blocked ? -want : near)) <= 4e-16 * want);

            // Along the gradient, as far as the distance says, is the face of the nearest.
            const double length =
                sqrt(g[3 * i] * g[3 * i] + g[3 * i + 1] * g[3 * i + 1] + g[3 * i + 2] * g[3 * i + 2]);
            assert_true(fabs(length - 1.0) < 1e-12);
            bool found = false;
            for (int k = 0; k < CELLS && !found; ++k) {
                const int cell[3] = {k / (Y * Z), k / Z % Y, k % Z};
                bool inside = (cells[k] != 0) != blocked;
                for (int axis = 0; axis < 3 && inside; ++axis) {
                    const double p = at[axis] + 0.5 - g[3 * i + axis] * d[i] / 0.3;
                    inside = p > cell[axis] - 1e-9 && p < cell[axis] + 1 + 1e-9;
                }
                found = inside;
            }
            assert_true(found);
        }
        for (int k = 0; k < 3; ++k) {
            free(bytes[k]);
        }
    }
    program_remove_temporary();
}

// The surface is closed and holds what is occupied: its volume by signed tetrahedra, its faces by counting, and berth's reader of meshes
// takes it.
static void surfaces_and_slices(void** state) {
    (void)state;
    Random random = {1814};
    int8_t cells[CELLS];
    random_cells(&random, cells);
    const char* volume = program_temporary("v.npy");
    const char* surface = program_temporary("s.ply");
    const char* png = program_temporary("s.png");
    const char* svg = program_temporary("s.svg");
    write_volume(volume, cells);
    RUN("map", "convert", volume, "--resolution", "0.5", "-o", surface);
    RUN("map", "convert", volume, "--resolution", "0.5", "--slice", "1.25", "-o", png);
    RUN("map", "convert", volume, "--resolution", "0.5", "--slice", "1.25", "-o", svg);

    int occupied = 0, faces = 0, black = 0;
    for (int i = 0; i < CELLS; ++i) {
        const int at[3] = {i / (Y * Z), i / Z % Y, i % Z}, sides[3] = {X, Y, Z}, steps[3] = {Y * Z, Z, 1};
        occupied += cells[i] == 1;
        black += cells[i] == 1 && at[2] == 2;
        for (int axis = 0; axis < 3 && cells[i] == 1; ++axis) {
            faces += at[axis] == 0 || cells[i - steps[axis]] != 1;
            faces += at[axis] == sides[axis] - 1 || cells[i + steps[axis]] != 1;
        }
    }

    size_t size = 0;
    char* bytes = read_whole(surface, &size);
    int vertices = 0, triangles = 0;
    assert_int_equal(sscanf(strstr(bytes, "element vertex"), "element vertex %d", &vertices), 1);
    assert_int_equal(sscanf(strstr(bytes, "element face"), "element face %d", &triangles), 1);
    assert_int_equal(triangles, 2 * faces);
    const char* body = strstr(bytes, "end_header\n") + 11;
    assert_int_equal(size - (size_t)(body - bytes), (size_t)vertices * 24 + (size_t)triangles * 13);
    double sum = 0.0;
    for (int t = 0; t < triangles; ++t) {
        const char* face = body + (size_t)vertices * 24 + (size_t)t * 13;
        double p[3][3];
        for (int k = 0; k < 3; ++k) {
            uint32_t index;
            memcpy(&index, face + 1 + 4 * k, 4);
            assert_in_range(index, 0, vertices - 1);
            memcpy(p[k], body + 24 * (size_t)index, 24);
        }
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
               p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    assert_true(fabs(sum / 6.0 - 0.125 * occupied) < 1e-9);
    free(bytes);
    RUN("info", surface);

    // The picture has a black pixel for each occupied cell of the layer; the PNG is read back as an image.
    bytes = read_whole(svg, &size);
    int drawn = 0;
    for (const char* at = bytes; (at = strstr(at, "width=\"")) != NULL; at += 7) {
        int width = 0;
        char colour[8] = "";
        if (sscanf(at, "width=\"%d\" height=\"1\" fill=\"%7[#0-9a-f]\"", &width, colour) == 2 &&
            strcmp(colour, "#000000") == 0) {
            drawn += width;
        }
    }
    assert_int_equal(drawn, black);
    free(bytes);
    const char* server = program_temporary("s.yaml");
    assert_true(program_write_text(server, "image: s.png\nresolution: 0.5\norigin: [0, 0, 0]\n"));
    ProgramRun run = program_run("map", "info", server, "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* facts = program_json_line(&run, 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(facts, "cells"), "occupied")), black);
    json_decref(facts);
    program_free(&run);
    program_remove_temporary();
}

// ---- structures, and robots in the plane ----------------------------------------------------------------------------------------

static char* chosen_by(const char* map, const char* metric) {
    const char* out = program_temporary("chosen.bmap");
    ProgramRun run = program_run("map", "build", map, "--resolution", "0.1", "--metric", metric, "-o", out,
                                 "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* facts = program_json_line(&run, 0);
    char* chosen = strdup(json_string_value(json_object_get(facts, "chosen")));
    assert_non_null(json_object_get(facts, "why"));
    json_decref(facts);
    program_free(&run);

    // Asked, the map names what answered.
    run =
        program_run("map", "query", out, "--ball", "0.25,0.25,0.25,0.01", "--metric", metric, "--json", NULL);
    json_t* line = program_json_line(&run, 0);
    assert_string_equal(json_string_value(json_object_get(line, "structure")), chosen);
    json_decref(line);
    program_free(&run);
    return chosen;
}

static void structures_are_chosen(void** state) {
    (void)state;
    int8_t cells[CELLS] = {0};
    const char* clean = program_temporary("clean.npy");
    const char* noisy = program_temporary("noisy.npy");
    for (int i = 0; i < Y * Z; ++i) {
        cells[i] = 1;  // a wall
    }
    write_volume(clean, cells);
    for (int x = 4; x < X; x += 2) {
        cells[(x * Y + 4) * Z + 3] = 1;
    }
    write_volume(noisy, cells);
    const char* const expected[3] = {"edt", "eodm", "dm"};
    char* const found[3] = {chosen_by(clean, "l2"), chosen_by(clean, "l1"), chosen_by(noisy, "l1")};
    for (int i = 0; i < 3; ++i) {
        assert_string_equal(found[i], expected[i]);
        free(found[i]);
    }
    program_remove_temporary();
}

// A robot of spheres over a floor plan: their shadows against all occupied squares, whatever their height.
static void robots_in_the_plane(void** state) {
    (void)state;
    const char* image = program_temporary("plan.pgm");
    const char* server = program_temporary("plan.yaml");
    const char* urdf = program_temporary("balls.urdf");
    assert_true(program_write_text(image, "P2\n4 3\n255\n254 254 254 254\n254 254 0 254\n254 254 254 254\n"));
    assert_true(program_write_text(server, "image: plan.pgm\nresolution: 0.5\norigin: [-1, -0.75, 0]\n"));

    // The occupied square is [0, 0.5] x [-0.25, 0.25].
    static const struct {
        double x, y, z, radius, distance;
        const char* verdict;
    } spheres[] = {{-0.25, 0.0, 9.0, 0.125, 0.25, "free"},
                   {-0.25, 0.125, -3.0, 0.375, 0.25, "collision"},
                   {0.25, 0.125, 1.0, 0.0625, 0.0, "collision"},
                   {0.875, 0.25, 0.5, 0.0625, 0.375, "free"}};
    enum { COUNT = sizeof spheres / sizeof spheres[0] };
    char text[2048];
    int length = snprintf(text, sizeof text, "<robot name=\"balls\"><link name=\"base\">");
    for (int i = 0; i < COUNT; ++i) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "<collision><origin xyz=\"%g %g %g\"/><geometry><sphere radius=\"%g\"/></geometry>"
                           "</collision>",
                           spheres[i].x, spheres[i].y, spheres[i].z, spheres[i].radius);
    }
    (void)snprintf(text + length, sizeof text - (size_t)length, "</link></robot>\n");
    assert_true(program_write_text(urdf, text));

    ProgramRun run =
        program_run("map", "query", server, "--robot", urdf, "--outside", "free", "--json", NULL);
    if (run.status != 0 || program_line_count(&run) != COUNT) {
        fail_msg("exit status %d, %s", run.status, run.err);
    }
    for (int i = 0; i < COUNT; ++i) {
        json_t* line = program_json_line(&run, i);
        assert_true(json_is_true(json_object_get(line, "projected")));
        assert_string_equal(json_string_value(json_object_get(line, "verdict")), spheres[i].verdict);
        const json_t* distance = json_object_get(line, "distance");
        assert_true(fabs(json_number_value(json_object_get(distance, "lower")) - spheres[i].distance) <
                    1e-12);
        assert_int_equal(json_array_size(json_object_get(line, "nearest")), 2);
        json_decref(line);
    }
    program_free(&run);
    program_remove_temporary();
}

// Help of one command lists its options and no others.
static void help_of_one_command(void** state) {
    (void)state;
    ProgramRun update = program_run("map", "update", "--help", NULL);
    ProgramRun query = program_run("help", "map", "query", NULL);
    assert_int_equal(update.status, 0);
    assert_int_equal(query.status, 0);
    assert_non_null(strstr(update.out, "--sensor X,Y,Z"));
    assert_null(strstr(update.out, "--ball "));
    assert_non_null(strstr(query.out, "--balls FILE"));
    assert_null(strstr(query.out, "--scan"));
    program_free(&update);
    program_free(&query);
}

int test_cli_map_update(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_builds),  cmocka_unit_test(maps_grow_and_remember),
        cmocka_unit_test(scans_in_the_plane),  cmocka_unit_test(points_of_the_plane),
        cmocka_unit_test(scans_of_liboctomap), cmocka_unit_test(distances_of_cells),
        cmocka_unit_test(surfaces_and_slices), cmocka_unit_test(structures_are_chosen),
        cmocka_unit_test(robots_in_the_plane), cmocka_unit_test(help_of_one_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
