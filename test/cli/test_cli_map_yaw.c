// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps of ROS' map_server that are turned about their origin: queries against all squares, scenes against the same map with a pose,
// and what refuses them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/program.h"
#include "support/setting.h"

enum { WIDTH = 9, HEIGHT = 7, BALLS = 40 };
static const double resolution = 0.3, origin[2] = {1.5, -2.0};

/// Row 0 at the bottom, 1: occupied.
typedef struct Plan {
    int cells[HEIGHT][WIDTH];
} Plan;

static Plan write_plan(Random* random, const char* image) {
    Plan plan;
    FILE* file = fopen(image, "w");
    assert_non_null(file);
    fprintf(file, "P2\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int y = HEIGHT - 1; y >= 0; --y) {
        for (int x = 0; x < WIDTH; ++x) {
            plan.cells[y][x] = bi_random_next(random) % 6 == 0;
            fprintf(file, "%d ", plan.cells[y][x] != 0 ? 0 : 254);
        }
        fprintf(file, "\n");
    }
    fclose(file);
    return plan;
}

static void write_server(const char* path, double yaw) {
    char text[256];
    (void)snprintf(text, sizeof text, "image: plan.pgm\nresolution: %.17g\norigin: [%.17g, %.17g, %.17g]\n",
                   resolution, origin[0], origin[1], yaw);
    assert_true(program_write_text(path, text));
}

// A place of the world in the frame of the cells, in cells.
static void into_cells(double yaw, const double p[2], long double at[2]) {
    const long double dx = (long double)p[0] - (long double)origin[0],
                      dy = (long double)p[1] - (long double)origin[1];
    const long double c = cosl((long double)yaw), s = sinl((long double)yaw);
    at[0] = (c * dx + s * dy) / (long double)resolution;
    at[1] = (c * dy - s * dx) / (long double)resolution;
}

// From the centre to the nearest occupied square, by long double in the frame of the cells, on whose axes L1 is measured.
static double brute_distance(const Plan* plan, double yaw, const double p[2], bool l1) {
    long double at[2], best = INFINITY;
    into_cells(yaw, p, at);
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        const int cell[2] = {i % WIDTH, i / WIDTH};
        if (plan->cells[cell[1]][cell[0]] == 0) {
            continue;
        }
        const long double gx = fmaxl(fmaxl(cell[0] - at[0], at[0] - cell[0] - 1.0L), 0.0L);
        const long double gy = fmaxl(fmaxl(cell[1] - at[1], at[1] - cell[1] - 1.0L), 0.0L);
        best = fminl(best, l1 ? gx + gy : sqrtl(gx * gx + gy * gy));
    }
    return (double)(best * (long double)resolution);
}

static void balls_in_turned_maps(void** state) {
    (void)state;
    Random random = {1821};
    static const double yaws[] = {0.3, 1.5707963267948966, -2.5, 100.0};
    for (int turn = 0; turn < test_scaled(8); ++turn) {
        const double yaw = yaws[turn % 4];
        const bool l1 = (turn / 2 + turn / 4) % 2 == 1;
        const char* server = program_temporary("plan.yaml");
        const char* bmap = program_temporary("plan.bmap");
        const char* csv = program_temporary("balls.csv");
        const Plan plan = write_plan(&random, program_temporary("plan.pgm"));
        write_server(server, yaw);

        double balls[BALLS][3];
        FILE* file = fopen(csv, "w");
        assert_non_null(file);
        fprintf(file, "x,y,r\n");
        for (int i = 0; i < BALLS; ++i) {
            const double u = bi_random_between(&random, 0.0, WIDTH * resolution),
                         v = bi_random_between(&random, 0.0, HEIGHT * resolution);
            balls[i][0] = origin[0] + cos(yaw) * u - sin(yaw) * v;
            balls[i][1] = origin[1] + sin(yaw) * u + cos(yaw) * v;
            balls[i][2] = i % 4 == 0 ? 0.0 : bi_random_between(&random, 0.0, 0.5);
            // Some touch to within rounding.
            balls[i][2] = i % 4 == 1 ? brute_distance(&plan, yaw, balls[i], l1) : balls[i][2];
            fprintf(file, "%.17g,%.17g,%.17g\n", balls[i][0], balls[i][1], balls[i][2]);
        }
        fclose(file);

        ProgramRun run = program_run("map", "build", server, "--structure", "all", "-o", bmap, NULL);
        assert_int_equal(run.status, 0);
        program_free(&run);
        run = program_run("map", "query", turn % 2 == 0 ? server : bmap, "--balls", csv, "--outside", "free",
                          "--metric", l1 ? "l1" : "l2", "--json", NULL);
        assert_int_equal(program_line_count(&run), BALLS);
        for (int i = 0; i < BALLS; ++i) {
            json_t* line = program_json_line(&run, i);
            const double want = brute_distance(&plan, yaw, balls[i], l1);
            const json_t* distance = json_object_get(line, "distance");
            const double lower = json_number_value(json_object_get(distance, "lower"));
            const double upper = json_number_value(json_object_get(distance, "upper"));
            const char* verdict = json_string_value(json_object_get(line, "verdict"));
            assert_true(lower <= want && want <= upper && upper - lower < 1e-12);
            if (strcmp(verdict, "unknown") == 0) {
                assert_true(fabs(want - balls[i][2]) < 1e-12);
                assert_string_equal(json_string_value(json_object_get(line, "reason")), "numeric");
            } else {
                assert_true((want > balls[i][2]) == (strcmp(verdict, "free") == 0));
            }
            // The nearest point is as far as the distance says, in the world.
            const json_t* nearest = json_object_get(line, "nearest");
            const double point[2] = {json_number_value(json_array_get(nearest, 0)),
                                     json_number_value(json_array_get(nearest, 1))};
            long double a[2], b[2];
            into_cells(yaw, point, a);
            into_cells(yaw, balls[i], b);
            const double dx = (double)((a[0] - b[0]) * (long double)resolution),
                         dy = (double)((a[1] - b[1]) * (long double)resolution);
            assert_true(fabs((l1 ? fabs(dx) + fabs(dy) : hypot(dx, dy)) - want) < 1e-12);
            json_decref(line);
        }
        program_free(&run);
    }
    program_remove_temporary();
}

// Metres from the arm to the map `file` with a pose.
static double clearance_in_scene(const char* file, const char* pose) {
    const char* scene = program_temporary("scene.yaml");
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "berth: 1\nrobots:\n  - urdf: %s\nobjects:\n  - name: plan\n    map: {file: %s, height: "
                   "[0, 2], outside: free}\n"
                   "    pose: %s\n",
                   program_model("arm6/arm6.urdf"), file, pose);
    assert_true(program_write_text(scene, text));
    ProgramRun run = program_run("check", scene, "--distance", "--all", "--json", NULL);
    assert_true(run.status == 0 || run.status == 1);
    json_t* answer = program_json_line(&run, 0);
    double least = INFINITY;
    size_t index = 0;
    json_t* pair = NULL;
    json_array_foreach(json_object_get(answer, "pairs"), index, pair) {
        const char* b = json_string_value(json_object_get(pair, "b"));
        if (b != NULL && strcmp(b, "plan") == 0) {
            least = fmin(least, json_number_value(json_object_get(pair, "lower")));
        }
    }
    json_decref(answer);
    program_free(&run);
    return least;
}

static void scenes_turn_their_maps(void** state) {
    (void)state;
    Random random = {1822};
    for (int turn = 0; turn < test_scaled(3); ++turn) {
        const double yaw = 0.4 + 1.1 * turn;
        (void)write_plan(&random, program_temporary("plan.pgm"));
        const char* turned = program_temporary("turned.yaml");
        const char* straight = program_temporary("straight.yaml");
        write_server(turned, yaw);
        write_server(straight, 0.0);

        char pose[160];
        (void)snprintf(pose, sizeof pose, "{xyz: [%.17g, %.17g, 0], rpy: [0, 0, %.17g]}",
                       origin[0] - (cos(yaw) * origin[0] - sin(yaw) * origin[1]),
                       origin[1] - (sin(yaw) * origin[0] + cos(yaw) * origin[1]), yaw);
        const double by_yaw = clearance_in_scene(turned, "{xyz: [0, 0, 0]}");
        const double by_pose = clearance_in_scene(straight, pose);
        assert_true(isfinite(by_yaw) && fabs(by_yaw - by_pose) < 1e-9);
    }
    program_remove_temporary();
}

// Where a place in the frame of the cells (in cells) is in the world.
static void into_world(double yaw, double x, double y, double out[2]) {
    out[0] = origin[0] + resolution * (cos(yaw) * x - sin(yaw) * y);
    out[1] = origin[1] + resolution * (sin(yaw) * x + cos(yaw) * y);
}

// A cell set by a point of the world, and a scan from a sensor in the world, are those of the straight map set in its frame.
static void updates_turn_their_points(void** state) {
    (void)state;
    Random random = {1824};
    for (int turn = 0; turn < test_scaled(3); ++turn) {
        const double yaw = -0.7 + 1.3 * turn;
        (void)write_plan(&random, program_temporary("plan.pgm"));
        char* images[2] = {NULL, NULL};
        for (int turned = 0; turned < 2; ++turned) {
            const double angle = turned != 0 ? yaw : 0.0;
            const char* server = program_temporary("map.yaml");
            write_server(server, angle);
            Random same = {(uint64_t)(40 + turn)};
            char text[3][600] = {"x,y\n", "x,y\n", "x,y\n"};
            for (int kind = 0; kind < 3; ++kind) {
                for (int i = 0; i < 5; ++i) {
                    // Never near the border of a cell.
                    const double x = floor(bi_random_between(&same, 0, WIDTH)) + 0.4;
                    const double y = floor(bi_random_between(&same, 0, HEIGHT)) + 0.6;
                    double at[2];
                    into_world(angle, x, y, at);
                    const size_t used = strlen(text[kind]);
                    (void)snprintf(text[kind] + used, sizeof text[kind] - used, "%.17g,%.17g\n", at[0],
                                   at[1]);
                }
            }
            double eye[2];
            char sensor[80];
            into_world(angle, 4.3, 3.45, eye);
            (void)snprintf(sensor, sizeof sensor, "--sensor=%.17g,%.17g", eye[0], eye[1]);
            assert_true(program_write_text(program_temporary("on.csv"), text[0]));
            assert_true(program_write_text(program_temporary("off.csv"), text[1]));
            assert_true(program_write_text(program_temporary("scan.csv"), text[2]));
            const char* out = program_temporary(turned != 0 ? "a.yaml" : "b.yaml");
            ProgramRun run = program_run("map", "update", server, "--occupied", program_temporary("on.csv"),
                                         "--free", program_temporary("off.csv"), "--scan",
                                         program_temporary("scan.csv"), sensor, "-o", out, NULL);
            if (run.status != 0) {
                fail_msg("%s", run.err);
            }
            program_free(&run);
            images[turned] = expect_file(program_temporary(turned != 0 ? "a.pgm" : "b.pgm"));
            assert_non_null(images[turned]);
        }
        assert_string_equal(images[0], images[1]);
        free(images[0]);
        free(images[1]);
    }
    program_remove_temporary();
}

static void chance_and_all_turn_too(void** state) {
    (void)state;
    Random random = {1825};
    const double yaw = 0.9;
    const char* server = program_temporary("plan.yaml");
    const Plan plan = write_plan(&random, program_temporary("plan.pgm"));
    write_server(server, yaw);
    const char* stats = program_temporary("stats.csv");
    ProgramRun run =
        program_run("map", "query", server, "--random", "200", "--stats", stats, "--all", "--json", NULL);
    assert_int_equal(run.status, 0);
    assert_int_equal(program_line_count(&run), 200);
    char* text = expect_file(stats);
    const char* row = strchr(text, '\n') + 1;
    for (int i = 0; i < 200; ++i, row = strchr(row, '\n') + 1) {
        double p[2];
        long double at[2];
        assert_int_equal(sscanf(row, "%*d,%lf,%lf", &p[0], &p[1]), 2);
        into_cells(yaw, p, at);
        assert_true(at[0] > -1e-9L && at[0] < WIDTH + 1e-9L && at[1] > -1e-9L && at[1] < HEIGHT + 1e-9L);

        // Each of what is equally near is an occupied square, whose corner is told in the world.
        json_t* line = program_json_line(&run, i);
        const json_t* near = json_object_get(line, "equally_near");
        assert_true(json_array_size(near) > 0);
        const json_t* low = json_object_get(json_array_get(near, 0), "low");
        const double corner[2] = {json_number_value(json_array_get(low, 0)),
                                  json_number_value(json_array_get(low, 1))};
        long double cell[2];
        into_cells(yaw, corner, cell);
        const int x = (int)lroundl(cell[0]), y = (int)lroundl(cell[1]);
        assert_true(fabsl(cell[0] - x) < 1e-9L && fabsl(cell[1] - y) < 1e-9L && plan.cells[y][x] != 0);
        json_decref(line);
    }
    free(text);
    program_free(&run);
    program_remove_temporary();
}

static void what_cannot_turn_says_so(void** state) {
    (void)state;
    Random random = {1823};
    const char* server = program_temporary("plan.yaml");
    (void)write_plan(&random, program_temporary("plan.pgm"));
    write_server(server, 0.5);
    const char* points = program_temporary("p.csv");
    assert_true(program_write_text(points, "x,y,z\n-20,-1,0\n"));
    const char* const cases[][10] = {
        {"map", "update", server, "--occupied", points, "-o", program_temporary("x.bmap"), NULL},
        {"map", "convert", server, "-o", program_temporary("x.ply"), NULL},
        {"map", "convert", server, "-o", program_temporary("y.npy"), NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_list(cases[i]);
        assert_int_equal(run.status, 2);
        assert_non_null(strstr(run.err, "rotated"));
        program_free(&run);
    }

    // Kept by .yaml.
    const char* again = program_temporary("again.yaml");
    ProgramRun run = program_run("map", "convert", server, "-o", again, NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);
    run = program_run("map", "info", again, "--json", NULL);
    json_t* facts = program_json_line(&run, 0);
    assert_true(json_number_value(json_object_get(facts, "yaw")) == 0.5);
    json_decref(facts);
    program_free(&run);
    program_remove_temporary();
}

int test_cli_map_yaw(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_in_turned_maps),      cmocka_unit_test(scenes_turn_their_maps),
        cmocka_unit_test(updates_turn_their_points), cmocka_unit_test(chance_and_all_turn_too),
        cmocka_unit_test(what_cannot_turn_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
