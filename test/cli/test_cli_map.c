// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth map, the real program: answers against brute force, every structure alike, requests that are wrong.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"

// ---- a world of boxes ----------------------------------------------------------------------------------------

enum { SIDE = 32, BOXES = 14, BALLS = 60 };

typedef struct World {
    int dim;
    int low[BOXES][3], high[BOXES][3];
} World;

static World random_world(uint64_t seed, int dim) {
    Random random = {seed};
    World world = {.dim = dim};
    for (int b = 0; b < BOXES; ++b) {
        for (int axis = 0; axis < 3; ++axis) {
            world.low[b][axis] = axis < dim ? (int)bi_random_between(&random, 0, SIDE - 1) : 0;
            const int high = world.low[b][axis] + 1 + (int)bi_random_between(&random, 0, 4);
            world.high[b][axis] = axis < dim ? (high < SIDE ? high : SIDE) : 1;
        }
    }
    return world;
}

static void write_volume(const char* path, const World* world) {
    static uint8_t cells[SIDE * SIDE * SIDE];
    memset(cells, 0, sizeof cells);
    const int depth = world->dim == 3 ? SIDE : 1;
    for (int b = 0; b < BOXES; ++b) {
        for (int x = world->low[b][0]; x < world->high[b][0]; ++x) {
            for (int y = world->low[b][1]; y < world->high[b][1]; ++y) {
                for (int z = world->low[b][2]; z < world->high[b][2]; ++z) {
                    cells[(x * SIDE + y) * depth + z] = 1;
                }
            }
        }
    }
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    char header[128];
    const int length =
        snprintf(header, sizeof header, "{'descr': '|b1', 'fortran_order': False, 'shape': (%d, %d%s), }\n",
                 SIDE, SIDE, world->dim == 3 ? ", 32" : "");
    fwrite("\x93NUMPY\1\0", 1, 8, file);
    fputc(length, file);
    fputc(0, file);
    fwrite(header, 1, (size_t)length, file);
    fwrite(cells, 1, (size_t)(SIDE * SIDE * depth), file);
    fclose(file);
}

static double distance_to(const World* world, const double p[3], bool l1) {
    double best = INFINITY;
    for (int b = 0; b < BOXES; ++b) {
        double sum = 0.0;
        for (int axis = 0; axis < world->dim; ++axis) {
            const double gap = fmax(0.0, fmax(world->low[b][axis] - p[axis], p[axis] - world->high[b][axis]));
            sum += l1 ? gap : gap * gap;
        }
        best = fmin(best, l1 ? sum : sqrt(sum));
    }
    return best;
}

// What is outside of the map is nearer, maybe: from inside along an axis, in every metric.
static double distance_to_border(const World* world, const double p[3]) {
    double best = INFINITY;
    for (int axis = 0; axis < world->dim; ++axis) {
        best = fmin(best, fmin(p[axis], SIDE - p[axis]));
    }
    return fmax(best, 0.0);
}

// Halves and quarters of cells, so that borders are hit; radii that touch exactly now and then.
static void write_balls(const char* path, const World* world, uint64_t seed, double balls[BALLS][4]) {
    Random random = {seed};
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, world->dim == 3 ? "x,y,z,r\n" : "x,y,r\n");
    for (int i = 0; i < BALLS; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            balls[i][axis] = axis < world->dim ? (int)bi_random_between(&random, 0, 4 * SIDE) / 4.0 : 0.0;
        }
        balls[i][3] = (int)bi_random_between(&random, 0, 12) / 4.0;
        if (world->dim == 3) {
            fprintf(file, "%g,%g,%g,%g\n", balls[i][0], balls[i][1], balls[i][2], balls[i][3]);
        } else {
            fprintf(file, "%g,%g,%g\n", balls[i][0], balls[i][1], balls[i][3]);
        }
    }
    fclose(file);
}

static double number_of(const json_t* object, const char* key) {
    const json_t* value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void check_answers(const ProgramRun* run, const World* world, double balls[BALLS][4], bool l1,
                          bool outside_is_free) {
    if (run->status != 0) {
        fail_msg("exit status %d: %s", run->status, run->err);
    }
    assert_int_equal(program_line_count(run), BALLS);
    for (int i = 0; i < BALLS; ++i) {
        json_t* line = program_json_line(run, i);
        assert_non_null(line);
        const double obstacle = distance_to(world, balls[i], l1);
        const double border = outside_is_free ? INFINITY : distance_to_border(world, balls[i]);
        const double expected = fmin(obstacle, border);
        if (obstacle != border) {
            assert_int_equal(json_is_true(json_object_get(line, "border")), border < obstacle);
        }
        const json_t* distance = json_object_get(line, "distance");
        assert_int_equal((int)number_of(line, "ball"), i);
        assert_true(fabs(number_of(distance, "lower") - expected) < 1e-9);
        assert_true(fabs(number_of(distance, "upper") - expected) < 1e-9);
        assert_true(number_of(distance, "lower") <= expected && expected <= number_of(distance, "upper"));
        const char* verdict = json_string_value(json_object_get(line, "verdict"));
        if (strcmp(verdict, expected <= balls[i][3] ? "collision" : "free") != 0) {
            fail_msg("ball %d at distance %.17g with radius %.17g: %s", i, expected, balls[i][3], verdict);
        }
        const json_t* nearest = json_object_get(line, "nearest");
        assert_int_equal(json_array_size(nearest), world->dim);
        double sum = 0.0;
        for (int axis = 0; axis < world->dim; ++axis) {
            const double gap =
                fabs(json_number_value(json_array_get(nearest, (size_t)axis)) - balls[i][axis]);
            sum += l1 ? gap : gap * gap;
        }
        assert_true(fabs((l1 ? sum : sqrt(sum)) - expected) < 1e-9);
        json_decref(line);
    }
}

static void answers_are_those_of_brute_force(void** state) {
    (void)state;
    static const char* const structures[] = {"octree", "odm", "eodm", "dm", "edt", "lists", "thesis"};
    const int tries = test_scaled(1);
    for (int i = 0; i < tries; ++i) {
        for (int dim = 2; dim <= 3; ++dim) {
            double balls[BALLS][4];
            const World world = random_world((uint64_t)(10 * i + dim), dim);
            const char* volume = program_temporary("v.npy");
            const char* map = program_temporary("v.bmap");
            const char* file = program_temporary("b.csv");
            write_volume(volume, &world);
            write_balls(file, &world, (uint64_t)i + 5, balls);
            ProgramRun run = program_run("map", "build", volume, "--resolution", "1", "--structure", "all",
                                         "-o", map, "--json", NULL);
            assert_int_equal(run.status, 0);
            json_t* built = program_json_line(&run, 0);
            assert_string_equal(json_string_value(json_object_get(built, "format")), "npy");
            assert_int_equal(json_array_size(json_object_get(built, "structures")), 6);
            json_decref(built);
            program_free(&run);
            for (int s = 0; s < 7; ++s) {
                for (int l1 = 0; l1 < 2; ++l1) {
                    const bool outside_is_free = (s + l1 + i) % 2 == 0;
                    run = program_run("map", "query", map, "--balls", file, "--structure", structures[s],
                                      "--metric", l1 != 0 ? "l1" : "l2", "--json", "--outside",
                                      outside_is_free ? "free" : "occupied", NULL);
                    check_answers(&run, &world, balls, l1 != 0, outside_is_free);
                    program_free(&run);
                }
            }
            run = program_run("map", "query", volume, "--resolution", "1", "--balls", file, "--json", NULL);
            check_answers(&run, &world, balls, false, false);
            program_free(&run);
        }
    }
    program_remove_temporary();
}

// ---- queries of other kinds ----------------------------------------------------------------------------------

static void random_balls_and_statistics(void** state) {
    (void)state;
    const World world = random_world(3, 3);
    const char* volume = program_temporary("v.npy");
    const char* stats = program_temporary("stats.csv");
    write_volume(volume, &world);
    ProgramRun first = program_run("map", "query", volume, "--resolution", "0.1", "--random", "50", "--seed",
                                   "4", "--json", "--stats", stats, NULL);
    ProgramRun second = program_run("map", "query", volume, "--resolution", "0.1", "--random", "50", "--seed",
                                    "4", "--json", "--structure", "eodm", NULL);
    assert_int_equal(first.status, 0);
    assert_int_equal(program_line_count(&first), 50);
    for (int i = 0; i < 50; ++i) {  // the same balls, the same verdicts
        json_t* a = program_json_line(&first, i);
        json_t* b = program_json_line(&second, i);
        assert_true(json_equal(json_object_get(a, "verdict"), json_object_get(b, "verdict")));
        json_decref(a);
        json_decref(b);
    }
    program_free(&first);
    program_free(&second);
    FILE* file = fopen(stats, "r");
    assert_non_null(file);
    char line[256];
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        lines += 1;
    }
    fclose(file);
    assert_int_equal(lines, 51);
    ProgramRun summary = program_run("map", "query", volume, "--resolution", "0.1", "--random", "500",
                                     "--summary", "--json", NULL);
    json_t* totals = program_json_line(&summary, 0);
    assert_int_equal(
        (int)(number_of(totals, "free") + number_of(totals, "collisions") + number_of(totals, "unknown")),
        500);
    json_decref(totals);
    program_free(&summary);
    program_remove_temporary();
}

// The covering spheres of an arm: a free arm's distances are below those of its links to the same boxes.
static void a_robots_spheres(void** state) {
    (void)state;
    const char* lin = program_temporary("far.lin");
    // Cells 1 wide from (-16, -16, -16): one of them is occupied, far from the robot.
    assert_true(program_write_text(lin, "5\n32 32 32\n00000 5\n"));
    const char* urdf = program_model("arm6/arm6.urdf");
    ProgramRun run = program_run("map", "query", lin, "--origin", "-16,-16,-16", "--robot", urdf, "--count",
                                 "8", "--summary", "--json", NULL);
    if (run.status != 0) {
        fail_msg("%s", run.err);
    }
    json_t* totals = program_json_line(&run, 0);
    assert_string_equal(json_string_value(json_object_get(totals, "verdict")), "free");
    assert_true(number_of(totals, "balls") > 2);
    json_decref(totals);
    program_free(&run);
    // The cell around the base.
    run = program_run("map", "query", lin, "--origin", "-0.5,-0.5,-0.5", "--robot", urdf, "--json", "--count",
                      "8", NULL);
    assert_int_equal(run.status, 0);
    int hits = 0;
    for (int i = 0; i < program_line_count(&run); ++i) {
        json_t* line = program_json_line(&run, i);
        assert_true(json_is_string(json_object_get(line, "link")));
        hits += strcmp(json_string_value(json_object_get(line, "verdict")), "collision") == 0;
        json_decref(line);
    }
    assert_true(hits > 0);
    program_free(&run);
    program_remove_temporary();
}

enum { OCTAHEDRA_MAX = 64 };

/// Octahedra as `map query` tells them.
typedef struct Octahedra {
    int count, hits;
    double at[OCTAHEDRA_MAX][4];
} Octahedra;

static Octahedra ask_octahedra(const char* map, const char* urdf, const char* state, const char* count) {
    Octahedra out = {.count = 0};
    ProgramRun run = program_run("map", "query", map, "--robot", urdf, "--at", state, "--metric", "l1",
                                 "--count", count, "-q", NULL);
    if (run.status != 0) {
        fail_msg("%s", run.err);
    }
    for (const char* line = run.out; line != NULL && out.count < OCTAHEDRA_MAX; line = strchr(line, '\n')) {
        line += *line == '\n';
        double* p = out.at[out.count];
        char verdict[32];
        if (sscanf(line, "ball %*d of %*s (%lf, %lf, %lf) r %lf (an octahedron): %31[a-z]", &p[0], &p[1],
                   &p[2], &p[3], verdict) == 5) {
            out.hits += strcmp(verdict, "collision") == 0;
            out.count += 1;
        }
    }
    program_free(&run);
    return out;
}

static bool in_octahedra(const Octahedra* o, const double p[3]) {
    bool in = false;
    for (int i = 0; i < o->count; ++i) {
        const double* c = o->at[i];
        in = in || fabs(p[0] - c[0]) + fabs(p[1] - c[1]) + fabs(p[2] - c[2]) <= c[3] + 2e-5;  // of six digits
    }
    return in;
}

// Euclidean radii were once taken as those of octahedra (false free), then round balls were enclosed one by one: unknown between r
// and sqrt(3) r. Now octahedra are fitted to the links where they are, on the map's axes: whatever a joint turns, every
// point of the robot is in one, and each answer is that octahedron's own.
static void octahedra_hold_the_turned_robot(void** state) {
    (void)state;
    static const char robot[] =
        "<robot name='r'><link name='base'/><link name='bar'><collision><geometry><box size='0.4 0.1 0.06'/>"
        "</geometry></collision></link><joint name='j' type='revolute'><parent link='base'/><child "
        "link='bar'/>"
        "<origin xyz='3 3 3'/><axis xyz='0 0 1'/><limit lower='-3' upper='3' effort='1' "
        "velocity='1'/></joint>"
        "</robot>\n";
    const char* lin = program_temporary("cell.lin");
    const char* urdf = program_temporary("bar.urdf");
    assert_true(program_write_text(lin, "3\n8 8 8\n000 3\n"));
    assert_true(program_write_text(urdf, robot));
    Random random = {77};
    double volume[2] = {0.0, 0.0};
    for (int turn = test_is_whole() ? 0 : 2; turn < 3; ++turn) {  // each fits octahedra anew
        const double angle = 0.4 * turn;
        char at[40];
        snprintf(at, sizeof at, "j=%.17g", angle);
        for (int many = 0; many < 2; ++many) {
            const Octahedra o = ask_octahedra(lin, urdf, at, many != 0 ? "24" : "1");
            assert_true(o.count >= 1 && o.hits == 0);
            for (int i = 0; i < 4000; ++i) {
                const double u = bi_random_between(&random, -0.2, 0.2),
                             v = bi_random_between(&random, -0.05, 0.05);
                const double p[3] = {3 + cos(angle) * u - sin(angle) * v, 3 + sin(angle) * u + cos(angle) * v,
                                     3 + bi_random_between(&random, -0.03, 0.03)};
                assert_true(in_octahedra(&o, p));
            }
            for (int i = 0; i < 4000; ++i) {
                const double p[3] = {3 + bi_random_between(&random, -0.5, 0.5),
                                     3 + bi_random_between(&random, -0.5, 0.5),
                                     3 + bi_random_between(&random, -0.5, 0.5)};
                volume[many] += in_octahedra(&o, p);
            }
        }
    }
    assert_true(volume[1] < 0.6 * volume[0]);
    program_remove_temporary();
}

// A robot of one round sphere beside a cell, 0.1 m away from the cell's corner along the diagonal, which is sqrt(3) times as far by L1.
// Its octahedron holds it, is not much larger than it must be, and its answer is by its own radius.
static void a_sphere_in_an_octahedron(void** state) {
    (void)state;
    static const char robot[] =
        "<robot name='r'><link name='ball'><collision><origin xyz='%s'/>"
        "<geometry><sphere radius='%g'/></geometry></collision></link></robot>";
    static const double radii[] = {0.12, 0.2, 0.09, 0.1001, 0.05};
    const char* lin = program_temporary("cell.lin");
    const char* urdf = program_temporary("ball.urdf");
    assert_true(program_write_text(lin, "3\n8 8 8\n000 3\n"));

    for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i += test_is_whole() ? 1 : 3) {
        char text[512], place[96];
        const double at = 1.0 + 0.1 / sqrt(3.0);
        snprintf(place, sizeof place, "%.17g %.17g %.17g", at, at, at);
        snprintf(text, sizeof text, robot, place, radii[i]);
        assert_true(program_write_text(urdf, text));

        ProgramRun run = program_run("map", "query", lin, "--robot", urdf, "--metric", "l1", "--json", NULL);
        if (run.status != 0) {
            fail_msg("%s", run.err);
        }
        assert_int_equal(program_line_count(&run), 1);
        json_t* line = program_json_line(&run, 0);
        const json_t* distance = json_object_get(line, "distance");
        const double radius = number_of(line, "radius_l1");
        assert_true(radius >= sqrt(3.0) * radii[i] && radius < 1.1 * sqrt(3.0) * radii[i]);
        assert_true(number_of(distance, "upper") <= 0.1 * sqrt(3.0) + 0.05 * radii[i]);
        assert_string_equal(json_string_value(json_object_get(line, "verdict")),
                            number_of(distance, "lower") > radius ? "free" : "collision");
        json_decref(line);
        program_free(&run);
    }
    program_remove_temporary();
}

// A point within rounding of the map's border is unknown, and that has a reason: it had none.
static void unknown_at_the_border_has_a_reason(void** state) {
    (void)state;
    const char *cloud = program_temporary("two.csv"), *map = program_temporary("two.bmap");
    assert_true(program_write_text(cloud, "x,y,z\n3000.25,0.05,0.05\n3001.05,0.95,0.95\n"));
    ProgramRun run = program_run("map", "build", cloud, "--resolution", "0.1", "--origin=3000.1,-0.1,-0.1",
                                 "-q", "-o", map, NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);

    int unknown = 0;
    for (int i = -4; i <= 4; ++i) {
        char ball[80];
        (void)snprintf(ball, sizeof ball, "%.17g,0.5,0.5,0", 3000.1 * (1.0 + i * 0x1p-52));
        run = program_run("map", "query", map, "--ball", ball, "--json", NULL);
        json_t* line = program_json_line(&run, 0);
        const char* verdict = json_string_value(json_object_get(line, "verdict"));
        assert_string_not_equal(verdict, "free");
        unknown += strcmp(verdict, "unknown") == 0;
        assert_true(strcmp(verdict, "unknown") != 0 || json_is_string(json_object_get(line, "reason")));
        json_decref(line);
        program_free(&run);
    }
    assert_true(unknown > 0);
}

static void convert_and_info(void** state) {
    (void)state;
    const World world = random_world(8, 3);
    const char* volume = program_temporary("v.npy");
    write_volume(volume, &world);
    ProgramRun run = program_run("map", "info", volume, "--resolution", "0.5", "--json", NULL);
    json_t* info = program_json_line(&run, 0);
    const double occupied = number_of(json_object_get(info, "cells"), "occupied");
    assert_true(occupied > 0);
    assert_int_equal((int)number_of(info, "dimensions"), 3);
    json_decref(info);
    program_free(&run);
    static const char* const names[] = {"a.lin", "a.bt", "a.bmap"};
    for (int i = 0; i < 3; ++i) {
        const char* other = program_temporary(names[i]);
        run = program_run("map", "convert", volume, "--resolution", "0.5", "-o", other, "-q", NULL);
        if (run.status != 0) {
            fail_msg("%s", run.err);
        }
        program_free(&run);
        run = program_run("map", "info", other, "--json", "--unknown", "free", NULL);
        info = program_json_line(&run, 0);
        assert_true(number_of(json_object_get(info, "cells"), "occupied") == occupied);
        json_decref(info);
        program_free(&run);
    }
    program_remove_temporary();
}

// What is outside of a map does not become free because the sizes of a .lin are powers of two; nor do unknown cells, unless
// that was asked for. Either is said, with the number of cells.
static void outside_stays_outside(void** state) {
    (void)state;
    const char* volume = program_temporary("o.npy");
    const char* lin = program_temporary("o.lin");
    FILE* file = fopen(volume, "wb");
    assert_non_null(file);
    static const char header[] = "{'descr': '|i1', 'fortran_order': False, 'shape': (4, 5, 6), }\n";
    fwrite("\x93NUMPY\1\0", 1, 8, file);
    fputc((int)strlen(header), file);
    fputc(0, file);
    fwrite(header, 1, strlen(header), file);
    for (int i = 0; i < 4 * 5 * 6; ++i) {
        fputc(i == 0 ? 255 : 0, file);  // cell (0, 0, 0) is unknown
    }
    fclose(file);
    // 4 x 8 x 8 less 4 x 5 x 6 are 136 cells.
    static const struct {
        const char *choice, *unknown, *outside, *verdict;
    } cases[] = {{"occupied", "the map's 1 are occupied",
                  "136 cells that are outside of the map are occupied", "collision"},
                 {"free", "the map's 1 are free", "136 cells that are outside of the map are free", "free"}};
    for (int i = 0; i < 2; ++i) {
        ProgramRun run = program_run("map", "convert", volume, "--resolution", "1", "--unknown",
                                     cases[i].choice, "-o", lin, NULL);
        if (run.status != 0 || strstr(run.err, cases[i].unknown) == NULL ||
            strstr(run.err, cases[i].outside) == NULL) {
            fail_msg("exit status %d, err '%s'", run.status, run.err);
        }
        program_free(&run);
        run =
            program_run("map", "query", lin, "--ball", "2,5.5,2,0.1", "--ball", "0.5,0.5,0.5,0.1", "--ball",
                        "2,2,2,0.1", "--ball", "5,2,2,0.1", "--json", i == 0 ? NULL : "--outside=free", NULL);
        assert_int_equal(program_line_count(&run), 4);
        const char* expected[] = {cases[i].verdict, cases[i].verdict, "free",
                                  i == 0 ? "collision" : "free"};  // assumed: outside_space_free
        for (int b = 0; b < 4; ++b) {
            json_t* line = program_json_line(&run, b);
            assert_string_equal(json_string_value(json_object_get(line, "verdict")), expected[b]);
            json_decref(line);
        }
        program_free(&run);
    }
    program_remove_temporary();
}

// A point inside of an occupied cell is a collision, also when its coordinates and the resolution are no short binary
// numbers: 0.05 m was called unknown at radius 0, because rounding was taken off a distance that is 0 for certain.
static void points_inside(void** state) {
    (void)state;
    const World world = random_world(31, 3);
    const char* volume = program_temporary("v.npy");
    const char* file = program_temporary("p.csv");
    write_volume(volume, &world);
    FILE* csv = fopen(file, "w");
    assert_non_null(csv);
    fprintf(csv, "x,y,z,r\n");
    for (int b = 0; b < BOXES; ++b) {
        fprintf(csv, "%.17g,%.17g,%.17g,0\n", 0.05 * (world.low[b][0] + 0.3), 0.05 * (world.low[b][1] + 0.7),
                0.05 * (world.low[b][2] + 0.1));
    }
    fclose(csv);
    static const char* const structures[] = {"octree", "odm", "eodm", "dm", "edt", "lists", "thesis"};
    for (int s = 0; s < 7; ++s) {
        ProgramRun run = program_run("map", "query", volume, "--resolution", "0.05", "--balls", file,
                                     "--structure", structures[s], "--json", NULL);
        assert_int_equal(program_line_count(&run), BOXES);
        for (int b = 0; b < BOXES; ++b) {
            json_t* line = program_json_line(&run, b);
            assert_string_equal(json_string_value(json_object_get(line, "verdict")), "collision");
            assert_true(number_of(json_object_get(line, "distance"), "upper") == 0.0);
            json_decref(line);
        }
        program_free(&run);
    }
    program_remove_temporary();
}

// berth info knows maps and clouds, beside everything else.
static void info_of_maps(void** state) {
    (void)state;
    const char* lin = program_temporary("a.lin");
    const char* cloud = program_temporary("a.xyz");
    const char* yaml = program_temporary("a.yaml");
    assert_true(program_write_text(lin, "2\n4 4 0\n00 2\n"));
    assert_true(program_write_text(cloud, "1 2 3\n4 5 -6\nnan 0 0\n"));
    assert_true(program_write_text(program_temporary("a.pgm"), "P2 2 2 255 0 255 255 255\n"));
    assert_true(program_write_text(yaml, "image: a.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n"));
    ProgramRun run = program_run("info", lin, cloud, yaml, "--json", NULL);
    if (run.status != 0) {
        fail_msg("%s", run.err);
    }
    static const char* const kinds[] = {"map", "points", "map"};
    for (int i = 0; i < 3; ++i) {
        json_t* line = program_json_line(&run, i);
        assert_string_equal(json_string_value(json_object_get(line, "kind")), kinds[i]);
        if (i == 1) {
            assert_int_equal((int)number_of(line, "points"), 2);
            assert_int_equal((int)number_of(line, "dropped"), 1);
        } else {
            assert_int_equal((int)number_of(json_object_get(line, "cells"), "occupied"), 1);
        }
        json_decref(line);
    }
    program_free(&run);
    program_remove_temporary();
}

static void must_assume(const json_t* line, size_t index, const char* what, int count) {
    const json_t* entry = json_array_get(json_object_get(line, "assumed"), index);
    assert_non_null(entry);
    assert_string_equal(json_string_value(json_object_get(entry, "what")), what);
    assert_true(json_is_string(json_object_get(entry, "detail")));
    assert_int_equal((int)number_of(entry, "count"), count);
}

// What is assumed is said, and --strict makes it the exit status.
static void assumptions(void** state) {
    (void)state;
    const char* cloud = program_temporary("c.xyz");
    assert_true(program_write_text(cloud, "0 0 0\n1 1 1\nnan nan nan\n"));
    ProgramRun run = program_run("map", "info", cloud, "--resolution", "0.1", "--json", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "unseen_space_free"));
    assert_non_null(strstr(run.err, "1 points were dropped"));
    program_free(&run);
    run = program_run("map", "info", cloud, "--resolution", "0.1", "--strict", NULL);
    assert_int_equal(run.status, 3);
    program_free(&run);
    // A free ball that reaches out of the map: what is there is not known.
    const char* lin = program_temporary("a.lin");
    assert_true(program_write_text(lin, "3\n8 8 0\n000 3\n"));
    run = program_run("map", "query", lin, "--ball", "6,6,1", "--ball", "6,6,3", "--json", "--strict",
                      "--outside", "free", NULL);
    assert_int_equal(run.status, 3);
    json_t* first = program_json_line(&run, 0);
    json_t* second = program_json_line(&run, 1);
    assert_string_equal(json_string_value(json_object_get(second, "verdict")), "free");
    assert_null(json_object_get(first, "reaches_out"));
    assert_true(json_is_true(json_object_get(second, "reaches_out")));
    assert_true(json_is_array(json_object_get(first, "assumed")));
    assert_int_equal(json_array_size(json_object_get(first, "assumed")), 0);
    must_assume(second, 0, "outside_space_free", 1);
    json_decref(first);
    json_decref(second);
    program_free(&run);
    // Each answer lists what is taken without proof: two cells of this map are unknown.
    const char* yaml = program_temporary("a.yaml");
    assert_true(program_write_text(program_temporary("a.pgm"),
                                   "P2 4 4 255 0 128 128 254 254 254 254 254 254 "
                                   "254 254 254 254 254 254 254\n"));
    assert_true(program_write_text(yaml, "image: a.pgm\nresolution: 1\norigin: [0, 0, 0]\n"));
    for (int i = 0; i < 2; ++i) {
        run = program_run("map", "query", yaml, "--unknown", i == 0 ? "free" : "occupied", "--ball",
                          "1.5,3.5,0.1", "--ball", "0.5,3.5,0.1", "--ball", "3.5,0.5,1", "--json",
                          "--outside", "free", NULL);
        static const char* const verdicts[2][3] = {{"free", "collision", "free"},
                                                   {"collision", "collision", "free"}};
        for (int b = 0; b < 3; ++b) {
            json_t* line = program_json_line(&run, b);
            const bool out = b == 2;
            assert_string_equal(json_string_value(json_object_get(line, "verdict")), verdicts[i][b]);
            assert_int_equal(json_array_size(json_object_get(line, "assumed")), (i == 0) + out);
            if (i == 0) {
                must_assume(line, 0, "unknown_space_free", 2);
            }
            if (out) {
                must_assume(line, i == 0, "outside_space_free", 1);
            }
            json_decref(line);
        }
        program_free(&run);
    }
    run = program_run("map", "query", lin, "--ball", "6,6,1", "--json", "--strict", NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);
    // --quiet leaves it out for people; for `info` it is the answer.
    const char* out = program_temporary("c.bmap");
    const char* const cases[][9] = {
        {"map", "query", lin, "--ball", "6,6,3", "--outside", "free", NULL},
        {"map", "query", lin, "--ball", "6,6,3", "--outside", "free", "--quiet", NULL},
        {"map", "build", cloud, "--resolution", "0.1", "-o", out, NULL},
        {"map", "build", cloud, "--resolution", "0.1", "-o", out, "--quiet"},
        {"map", "info", cloud, "--resolution", "0.1", "--quiet", NULL}};
    const bool said[] = {true, false, true, false, true};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; ++i) {
        run = program_run_list(cases[i]);
        assert_int_equal(run.status, 0);
        assert_true((strstr(run.out, "assumed: ") != NULL) == said[i]);
        program_free(&run);
    }
    program_remove_temporary();
}

// ---- wrong requests ------------------------------------------------------------------------------------------

static void wrong_requests(void** state) {
    (void)state;
    const char* lin = program_temporary("a.lin");
    const char* bad = program_temporary("bad.lin");
    assert_true(program_write_text(lin, "2\n4 4 0\n00 2\n"));
    assert_true(program_write_text(bad, "2\n4 4 0\n04 2\n"));
    const char* server = program_temporary("server.yaml");
    assert_true(program_write_text(server, "resolution: 0.1\norigin: [0, 0, 0]\n"));
    const struct {
        const char* arguments[12];
        const char* expected;
    } cases[] = {
        {{"map", NULL}, "build, info, query, update or convert"},
        {{"map", "make", lin, NULL}, "unknown command 'make'"},
        {{"map", "info", NULL}, "which file"},
        {{"map", "info", lin, lin, NULL}, "one file"},
        {{"map", "build", lin, NULL}, "which output file?"},
        {{"map", "build", lin, "-o", "x.bt", NULL}, "build writes .bmap files"},
        {{"map", "convert", lin, "-o", "x.las", NULL}, "x.las: maps are written as"},
        {{"map", "info", lin, "-o", "x.bmap", NULL}, "--output does nothing in 'berth map info'"},
        {{"map", "info", lin, "--ball", "1,1,1", NULL}, "--ball does nothing in 'berth map info'"},
        {{"map", "update", lin, "-o", "x.bmap", NULL}, "expected --occupied, --free or --scan"},
        {{"map", "update", lin, "-o", "x.bmap", "--scan", "a.csv", NULL},
         "expected once, or once for each --scan"},
        {{"map", "update", lin, "-o", "x.bmap", "--free", "a.csv", "--range", "2", NULL},
         "are only for --scan"},
        {{"map", "query", lin, "--scan", "a.csv", NULL}, "--scan does nothing in 'berth map query'"},
        {{"map", "info", bad, NULL}, "bad.lin:3: code '04'"},
        {{"map", "info", "/nowhere.lin", NULL}, "/nowhere.lin: cannot be opened"},
        {{"map", "build", lin, "-o", "x.bmap", "--structure", "edom", NULL}, "--structure 'edom'"},
        {{"map", "query", lin, NULL}, "one of --ball, --balls, --random and --robot"},
        {{"map", "query", lin, "--ball", "1,1,1", "--random", "3", NULL}, "one of --ball"},
        {{"map", "query", lin, "--random", "0", NULL}, "--random '0': expected a whole number, at least 1"},
        {{"map", "info", server, NULL}, "server.yaml:1: 'image' is missing"},
        {{"map", "query", lin, "--ball", "1,1,1,1", NULL}, "expected x,y,r"},
        {{"map", "query", lin, "--ball", "1,1,-1", NULL}, "with r >= 0"},
        {{"map", "query", lin, "--ball", "1,1,nan", NULL}, "--ball '1,1,nan'"},
        {{"map", "query", lin, "--ball", "1,1,1", "--metric", "l3", NULL}, "expected l1 or l2"},
        {{"map", "query", lin, "--ball", "1,1,1", "--unknown", "maybe", NULL}, "expected free or occupied"},
        {{"map", "query", lin, "--ball", "1,1,1", "--origin", "1", NULL}, "--origin '1'"},
        {{"map", "query", lin, "--ball", "1,1,1", "--at", "j=1", NULL},
         "--at does nothing without query --robot"},
        {{"map", "build", lin, "-o", "x.bmap", "--structure", "dm", "--metric", "l1", NULL},
         "give only one of them"},
        {{"map", "info", lin, "--resolution", "0", NULL}, "--resolution '0'"},
        {{"map", "info", lin, "--resolution", "-1", NULL}, "--resolution '-1'"},
        {{"map", "info", lin, "--levels", "x", NULL}, "--levels 'x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_list(cases[i].arguments);
        if (run.status != 2 || run.out_size != 0 || strstr(run.err, cases[i].expected) == NULL) {
            fail_msg("case %zu: exit status %d, out '%s', err '%s', expected '%s'", i, run.status, run.out,
                     run.err, cases[i].expected);
        }
        program_free(&run);
    }
    struct stat info;
    assert_int_not_equal(stat("x.bmap", &info), 0);
    program_remove_temporary();
}

int test_cli_map(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_brute_force),
        cmocka_unit_test(random_balls_and_statistics),
        cmocka_unit_test(a_robots_spheres),
        cmocka_unit_test(octahedra_hold_the_turned_robot),
        cmocka_unit_test(a_sphere_in_an_octahedron),
        cmocka_unit_test(unknown_at_the_border_has_a_reason),
        cmocka_unit_test(convert_and_info),
        cmocka_unit_test(outside_stays_outside),
        cmocka_unit_test(points_inside),
        cmocka_unit_test(info_of_maps),
        cmocka_unit_test(assumptions),
        cmocka_unit_test(wrong_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
