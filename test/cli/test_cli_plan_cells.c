// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth plan where there is more than one arm among boxes: two arms at once, what an arm holds, maps and clouds, bases that
// drive, continuous joints that wrap, the dual Panda and the PR2. Every motion that is found is written, read back by berth path,
// verified by its certificate, and sampled densely by models that share no code with the library: `dense`, or gaps of the test's own.
// test-share: 0.5

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/dense.h"
#include "support/expect.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/slider.h"

enum { SAMPLES = 200, VALUES = 64 };
static const double PI = 3.14159265358979323846;

/// What a test knows about a state: the smallest gap, at most 0 where something meets.
typedef double (*Gap)(void* user, const double* values);

#define RUN(status, ...)                                   \
    do {                                                   \
        ProgramRun done = EXPECT_RUN(status, __VA_ARGS__); \
        program_free(&done);                               \
    } while (0)

static const char* text_of(const json_t* object, const char* key) {
    const char* text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static double element(const json_t* answer, size_t row, size_t column) {
    const json_t* path = json_object_get(answer, "path");
    return json_number_value(json_array_get(json_array_get(path, row), column));
}

static size_t row_count(const json_t* answer) {
    return json_array_size(json_object_get(answer, "path"));
}

// Evenly along every line, ends too. How near it comes.
static double sample(const json_t* answer, Gap gap, void* user) {
    const size_t values = json_array_size(json_array_get(json_object_get(answer, "path"), 0));
    double nearest = INFINITY;
    assert_true(values > 0 && values <= VALUES);
    for (size_t row = 0; row + 1 < row_count(answer); ++row) {
        const int samples = test_scaled(SAMPLES);
        for (int k = 0; k <= samples; ++k) {
            double at[VALUES];
            const double t = (double)k / samples;
            for (size_t i = 0; i < values; ++i) {
                at[i] = (1.0 - t) * element(answer, row, i) + t * element(answer, row + 1, i);
            }
            const double here = gap(user, at);
            if (!(here > 0.0)) {
                fail_msg("row %d, t = %g: a motion that was found collides, gap %g", (int)row, t, here);
            }
            nearest = fmin(nearest, here);
        }
    }
    return nearest;
}

// Plans with these arguments; the motion is certified, read back, verified and sampled. The caller frees the answer.
static json_t* plan_found(const char* scene, Gap gap, void* user, const char* const* more) {
    const char *csv = program_temporary("way.csv"), *proof = program_temporary("way.proof");
    const char* arguments[PROGRAM_ARGUMENTS_MAX] = {"plan", scene,           "--json", "-o",
                                                    csv,    "--certificate", proof,    "--no-clearance"};
    int count = 8;
    for (; *more != NULL; ++more) {
        arguments[count++] = *more;
    }
    ProgramRun run = expect_run(0, arguments);
    json_t* answer = program_json_line(&run, 0);
    program_free(&run);
    assert_string_equal(text_of(answer, "verdict"), "found");
    assert_true(json_is_true(json_object_get(answer, "certified")));

    const bool bare = strstr(scene, ".yaml") == NULL;
    const char* srdf = NULL;
    for (int i = 0; i + 1 < count; ++i) {
        srdf = strcmp(arguments[i], "--srdf") == 0 ? arguments[i + 1] : srdf;
    }
    const char* option = bare && srdf != NULL ? "--srdf" : "--quiet";
    const char* value = bare && srdf != NULL ? srdf : NULL;
    ProgramRun checked = EXPECT_RUN(0, "path", scene, csv, "--json", "--no-clearance", option, value);
    json_t* again = program_json_line(&checked, 0);
    assert_string_equal(text_of(again, "verdict"), "free");
    assert_true(json_number_value(json_object_get(again, "segments")) == (double)(row_count(answer) - 1));
    json_decref(again);
    program_free(&checked);
    RUN(0, "path", scene, csv, "--verify", proof, option, value);
    (void)sample(answer, gap, user);
    return answer;
}
#define FOUND(scene, gap, user, ...) plan_found(scene, gap, user, (const char* const[]){__VA_ARGS__, NULL})

static BerthScene* read_scene(const char* path, const char* srdf) {
    BerthScene* scene = NULL;
    BerthIoOptions options = berth_default_io_options();
    options.srdf = srdf;
    if (berth_io_read_scene(path, &options, &scene) != BERTH_OK || berth_scene_commit(scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return scene;
}

// A random state that the sceptic calls free by some room, in a file of its own; joints that may not move keep `rest`.
static void draw_free(Dense* dense, const BerthScene* scene, uint64_t* seed, const bool* moves,
                      double* values, const char* file) {
    const int count = berth_scene_value_count(scene);
    double rest[VALUES];
    assert_true(count <= VALUES);
    memcpy(rest, values, (size_t)count * sizeof *rest);
    bool is_free = false;
    for (int tries = 0; tries < 3000 && !is_free; ++tries) {
        program_random_states(scene, ++*seed, 1, values);
        for (int i = 0; i < count; ++i) {
            values[i] = moves == NULL || moves[i] ? values[i] : rest[i];
        }
        is_free = dense_gap(dense, values) > 0.0;
    }
    if (!is_free) {
        fail_msg("no free state: %s and %s", dense_nearest(dense, 0), dense_nearest(dense, 1));
    }
    assert_true(program_write_csv(file, scene, values, 1));
}

// Does anything meet on the straight line?
static bool line_hits(Dense* dense, const double* a, const double* b, int count) {
    for (int k = 0; k <= 100; ++k) {
        double at[VALUES];
        for (int i = 0; i < count; ++i) {
            at[i] = a[i] + 0.01 * k * (b[i] - a[i]);
        }
        if (!(dense_gap(dense, at) > 0.0)) {
            return true;
        }
    }
    return false;
}

// Ends between which a straight line does not do.
static void draw_ends(Dense* dense, const BerthScene* scene, uint64_t* seed, const bool* moves,
                      const char* from, const char* to) {
    const int count = berth_scene_value_count(scene);
    double a[VALUES] = {0}, b[VALUES];
    assert_true(count <= VALUES);
    memcpy(a, berth_scene_values(scene), (size_t)count * sizeof *a);
    do {
        draw_free(dense, scene, seed, moves, a, from);
        memcpy(b, a, sizeof b);
        draw_free(dense, scene, seed, moves, b, to);
    } while (!line_hits(dense, a, b, count));
}

// Random ends, and motions between them.
static void plan_pairs(const char* file, const char* srdf, const char* group, const bool* moves, int pairs,
                       uint64_t seed) {
    BerthScene* scene = read_scene(file, srdf);
    Dense* dense = dense_open(scene, 0.0);
    char from[1100], to[1100];
    snprintf(from, sizeof from, "@%s", program_temporary("from.csv"));
    snprintf(to, sizeof to, "@%s", program_temporary("to.csv"));
    for (int i = 0; i < pairs; ++i) {
        draw_ends(dense, scene, &seed, moves, from + 1, to + 1);
        const char* more[12] = {"--from", from, "--to", to, "--time", "60"};
        int count = 6;
        if (srdf != NULL) {
            more[count++] = "--srdf";
            more[count++] = srdf;
        }
        if (group != NULL) {
            more[count++] = "--group";
            more[count++] = group;
        }
        json_t* answer = plan_found(file, dense_gap, dense, more);
        assert_true(row_count(answer) > 2);
        json_decref(answer);
    }
    dense_close(dense);
    berth_scene_destroy(scene);
}

// ---- several arms, and what they hold ------------------------------------------------------------------------------

static void two_arms_move_at_once(void** state) {
    (void)state;
    plan_pairs(program_model("two_arms/cell.yaml"), NULL, NULL, NULL, test_scaled(4), 40);
}

// The same cell with a long box in the left hand: motions are of arm and box.
static void what_an_arm_holds_goes_with_it(void** state) {
    (void)state;
    static const char held[] =
        "  - name: part\n    box: {size: [0.05, 0.4, 0.05]}\n    attach: left/link7\n"
        "    pose: {xyz: [0, 0, 0.3]}\n    touch: [left/link6, left/link7]\n";
    const char* model = program_model("two_arms/cell.yaml");
    const char* file = program_temporary("held.yaml");
    static char text[1 << 16], made[1 << 17];
    FILE* in = fopen(model, "rb");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);

    // Robots are found where the model is.
    char* at = strstr(text, "objects:\n");
    assert_non_null(at);
    at += strlen("objects:\n");
    size_t used = 0;
    for (const char* from = text; *from != '\0'; ++from) {
        if (from == at) {
            used += (size_t)snprintf(made + used, sizeof made - used, "%s", held);
        }
        if (strncmp(from, "urdf: ", 6) == 0 || strncmp(from, "srdf: ", 6) == 0) {
            used += (size_t)snprintf(made + used, sizeof made - used, "%.6s%.*s/", from,
                                     (int)(strrchr(model, '/') - model), model);
            from += 5;
            continue;
        }
        made[used++] = *from;
    }
    made[used] = '\0';
    assert_true(program_write_text(file, made));

    const bool left[14] = {true, true, true, true, true, true, true};
    plan_pairs(file, NULL, NULL, left, test_scaled(3), 60);
}

static void dual_panda_moves_both_arms(void** state) {
    (void)state;
    const TestRobot* robot = test_robot_named("dual_panda");
    char urdf[1024], srdf[1024];
    if (!test_shared_path(urdf, sizeof urdf, robot->urdf) ||
        !test_shared_path(srdf, sizeof srdf, robot->srdf)) {
        TEST_SKIP("plan: the dual Panda is not there");
    }
    BerthRobot* read = test_read_robot_if_there(robot, true);
    if (read == NULL) {
        TEST_SKIP("plan: the dual Panda's meshes cannot be read by this build");
    }
    berth_robot_destroy(read);
    const char* file = program_temporary("dual.yaml");
    char text[4000];
    snprintf(text, sizeof text,
             "berth: 1\nrobots:\n  - urdf: %s\n    srdf: %s\nobjects:\n"
             "  - {name: table, box: {size: [0.6, 1.6, 0.05]}, pose: {xyz: [0.7, 0, 0.2]}}\n"
             "  - {name: post, cylinder: {radius: 0.05, length: 0.8}, pose: {xyz: [0.55, 0, 0.6]}}\n",
             urdf, srdf);
    assert_true(program_write_text(file, text));
    plan_pairs(file, NULL, NULL, NULL, test_scaled(2), 7);
}

// The PR2's own SRDF disables nothing. As MoveIt's assistant would: pairs that overlap in the default state.
static void write_pr2_srdf(const char* urdf, const char* file) {
    ProgramRun run = EXPECT_RUN(1, "check", urdf, "--srdf", file, "--all", "--json", "--quiet");
    json_t* answer = program_json_line(&run, 0);
    const json_t* hits = json_object_get(answer, "hits");
    static char text[1 << 15];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "<robot name='pr2'><group name='left_arm'><chain base_link='torso_lift_link' "
                         "tip_link='l_wrist_roll_link'/></group>\n");
    for (size_t i = 0; i < json_array_size(hits); ++i) {
        const json_t* hit = json_array_get(hits, i);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<disable_collisions link1='%s' link2='%s' reason='Default'/>\n",
                                 text_of(hit, "a"), text_of(hit, "b"));
    }
    assert_true(used < sizeof text - 100);
    (void)snprintf(text + used, sizeof text - used, "</robot>\n");
    assert_true(program_write_text(file, text));
    json_decref(answer);
    program_free(&run);
}

static void pr2_moves_an_arm(void** state) {
    (void)state;
    const TestRobot* robot = test_robot_named("pr2");
    char urdf[1024];
    if (!test_shared_path(urdf, sizeof urdf, robot->urdf)) {
        TEST_SKIP("plan: the PR2 is not there");
    }
    BerthRobot* read = test_read_robot_if_there(robot, true);
    if (read == NULL) {
        TEST_SKIP("plan: the PR2's meshes cannot be read by this build");
    }
    berth_robot_destroy(read);
    const char* srdf = program_temporary("pr2.srdf");
    assert_true(program_write_text(srdf, "<robot name='pr2'/>"));
    write_pr2_srdf(urdf, srdf);
    const char* file = program_temporary("pr2.yaml");
    char text[4000];
    snprintf(text, sizeof text,
             "berth: 1\nrobots:\n  - urdf: %s\n    srdf: %s\nobjects:\n"
             "  - {name: table, box: {size: [0.5, 1.4, 0.05]}, pose: {xyz: [0.75, 0, 0.6]}}\n",
             urdf, srdf);
    assert_true(program_write_text(file, text));

    // The seven joints of the left arm.
    static const char* const joints[] = {
        "l_shoulder_pan_joint", "l_shoulder_lift_joint", "l_upper_arm_roll_joint", "l_elbow_flex_joint",
        "l_forearm_roll_joint", "l_wrist_flex_joint",    "l_wrist_roll_joint"};
    BerthScene* scene = read_scene(file, NULL);
    bool moves[VALUES] = {false};
    for (size_t i = 0; i < sizeof joints / sizeof joints[0]; ++i) {
        const int32_t value = berth_scene_find_value(scene, joints[i]);
        assert_true(value >= 0 && value < VALUES);
        moves[value] = true;
    }
    berth_scene_destroy(scene);
    plan_pairs(file, NULL, "left_arm", moves, test_scaled(3), 11);
}

// ---- maps and clouds -----------------------------------------------------------------------------------------------

/// A wall of points or cells with a hole, and a ball on two slides.
typedef struct Wall {
    double centres[400][2];
    int count;
    double half, radius;  // of a cell; of a point
} Wall;

static double wall_gap(void* user, const double* at) {
    const Wall* wall = user;
    double nearest = INFINITY;
    for (int i = 0; i < wall->count; ++i) {
        const double dx = fmax(0.0, fabs(at[0] - wall->centres[i][0]) - wall->half);
        const double dy = fmax(0.0, fabs(at[1] - wall->centres[i][1]) - wall->half);
        nearest = fmin(nearest, hypot(dx, dy));
    }
    return nearest - wall->radius - 0.1;
}

// Cells along x = 0, all of y but a hole.
static Wall make_wall(double step, double low, double high) {
    Wall wall = {0};
    const int cells = (int)(4.0 / step + 0.5);
    for (int i = 0; i < cells; ++i) {
        const double y = -2.0 + (i + 0.5) * step;
        if (y < low || y > high) {
            wall.centres[wall.count][0] = 0.5 * step;
            wall.centres[wall.count++][1] = y;
        }
    }
    return wall;
}

static void a_cloud_is_passed_through_its_hole(void** state) {
    (void)state;
    Wall wall = make_wall(0.025, 0.8, 1.3);
    static char text[1 << 14];
    size_t used = (size_t)snprintf(text, sizeof text, "x,y,z\n");
    for (int i = 0; i < wall.count; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%.17g,%.17g,0\n", wall.centres[i][0],
                                 wall.centres[i][1]);
    }
    wall.radius = 0.02;
    assert_true(program_write_text(program_temporary("slider.urdf"), SLIDER_URDF));
    assert_true(program_write_text(program_temporary("wall.csv"), text));
    const char* scene = program_temporary("cloud.yaml");
    assert_true(program_write_text(scene,
                                   "berth: 1\nrobots:\n  - {urdf: slider.urdf, state: {x: -1, y: -1}}\n"
                                   "objects:\n  - {name: wall, points: {file: wall.csv, radius: 0.02}}\n"));
    for (int seed = 0; seed < test_scaled(4); ++seed) {
        char number[16];
        snprintf(number, sizeof number, "%d", seed);
        json_t* answer = FOUND(scene, wall_gap, &wall, "--to", "x=1,y=-1", "--seed", number);
        assert_true(row_count(answer) >= 3);
        json_decref(answer);
    }

    // A hole that is too small for ball and margin is none.
    RUN(3, "plan", scene, "--to", "x=1,y=-1", "--margin", "0.16", "--time", "0.1");
}

static void a_map_is_passed_through_its_hole(void** state) {
    (void)state;
    const double step = 0.05;
    Wall wall = make_wall(step, 0.7, 1.2);
    wall.half = 0.5 * step;

    // One layer of cells a side of x = 0; everything else is known to be free.
    enum { NX = 80, NY = 80, NZ = 8 };
    static uint8_t cells[NX * NY * NZ];
    memset(cells, 0, sizeof cells);
    for (int i = 0; i < wall.count; ++i) {
        const int y = (int)floor((wall.centres[i][1] + 2.0) / step);
        for (int z = 0; z < NZ; ++z) {
            cells[(40 * NY + y) * NZ + z] = 1;
        }
    }
    const char* npy = program_temporary("wall.npy");
    FILE* file = fopen(npy, "wb");
    assert_non_null(file);
    char header[128];
    memset(header, ' ', sizeof header);
    const int wrote =
        snprintf(header + 10, sizeof header - 10,
                 "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, %d), }", NX, NY, NZ);
    header[10 + wrote] = ' ';
    header[127] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    assert_int_equal(fwrite(cells, 1, sizeof cells, file), sizeof cells);
    fclose(file);

    assert_true(program_write_text(program_temporary("slider.urdf"), SLIDER_URDF));
    const char* scene = program_temporary("map.yaml");
    assert_true(program_write_text(
        scene,
        "berth: 1\nrobots:\n  - {urdf: slider.urdf, state: {x: -1, y: -1}}\n"
        "objects:\n  - {name: wall, map: {file: wall.npy, resolution: 0.05, origin: [-2, -2, -0.2], outside: "
        "free}}\n"));
    json_t* answer = FOUND(scene, wall_gap, &wall, "--to", "x=1,y=-1");
    assert_true(row_count(answer) >= 3);
    json_decref(answer);
    RUN(3, "plan", scene, "--to", "x=1,y=-1", "--margin", "0.16", "--time", "0.1");
}

// ---- the Panda through a sensed map --------------------------------------------------------------------------------

// A shelf of boxes as a depth camera would give it: points on it, made a map of 2 cm cells by berth map build.
enum { CELLS = 40000 };
static const double CELL = 0.02;

typedef struct Shelf {
    DenseBox* boxes;
    int count;
    char text[1 << 21];
    size_t used;
} Shelf;

static void add_point(Shelf* shelf, double x, double y, double z) {
    const double at[3] = {x, y, z};
    double centre[3];
    for (int i = 0; i < 3; ++i) {
        centre[i] = (floor(at[i] / CELL + 50.0) - 50.0 + 0.5) * CELL;
    }
    shelf->used += (size_t)snprintf(shelf->text + shelf->used, sizeof shelf->text - shelf->used,
                                    "%.17g,%.17g,%.17g\n", x, y, z);
    for (int i = shelf->count - 1; i >= 0; --i) {
        const BerthVec3 c = shelf->boxes[i].centre;
        if (fabs(c.x - centre[0]) + fabs(c.y - centre[1]) + fabs(c.z - centre[2]) < 1e-9) {
            return;
        }
    }
    assert_true(shelf->count < CELLS && shelf->used < sizeof shelf->text - 200);
    shelf->boxes[shelf->count++] =
        (DenseBox){{centre[0], centre[1], centre[2]}, {CELL / 2, CELL / 2, CELL / 2}};
}

// Points 18 mm apart on a board, off the borders of cells.
static void add_board(Shelf* shelf, const double low[3], const double high[3]) {
    for (double x = low[0]; x <= high[0] + 1e-9; x += 0.018) {
        for (double y = low[1]; y <= high[1] + 1e-9; y += 0.018) {
            for (double z = low[2]; z <= high[2] + 1e-9; z += 0.018) {
                add_point(shelf, x + 0.0011, y + 0.0013, z + 0.0017);
            }
        }
    }
}

static void panda_reaches_round_a_sensed_shelf(void** state) {
    (void)state;
    char urdf[1024], srdf[1024];
    if (!test_shared_path(urdf, sizeof urdf, "robots/panda_mbm/panda.urdf") ||
        !test_shared_path(srdf, sizeof srdf, "robots/panda_mbm/panda.srdf")) {
        TEST_SKIP("plan: the Panda is not there");
    }
    static Shelf shelf;
    shelf = (Shelf){.boxes = calloc(CELLS, sizeof *shelf.boxes)};
    assert_non_null(shelf.boxes);
    shelf.used = (size_t)snprintf(shelf.text, sizeof shelf.text, "x,y,z\n");
    for (int board = 0; board < 3; ++board) {
        const double z = 0.1 + 0.35 * board;
        add_board(&shelf, (double[]){0.55, -0.4, z}, (double[]){0.8, 0.4, z});
    }
    add_board(&shelf, (double[]){0.55, 0.0, 0.1}, (double[]){0.8, 0.0, 0.8});
    assert_true(program_write_text(program_temporary("shelf.csv"), shelf.text));
    RUN(0, "map", "build", program_temporary("shelf.csv"), "--resolution", "0.02", "--origin", "-1,-1,-1",
        "--levels", "7", "--unknown", "free", "-o", program_temporary("shelf.bmap"));

    const char* file = program_temporary("shelf.yaml");
    char text[4000];
    snprintf(text, sizeof text,
             "berth: 1\nrobots:\n  - urdf: %s\n    srdf: %s\nobjects:\n"
             "  - {name: shelf, map: {file: shelf.bmap, unknown: free, outside: free}}\n",
             urdf, srdf);
    assert_true(program_write_text(file, text));
    BerthScene* scene = read_scene(file, NULL);
    Dense* dense = dense_open(scene, 0.0);
    const BerthPose here = berth_pose_identity();
    dense_set_boxes(dense, "shelf", &here, shelf.boxes, shelf.count);

    char from[1100], to[1100];
    uint64_t seed = 5;
    snprintf(from, sizeof from, "@%s", program_temporary("from.csv"));
    snprintf(to, sizeof to, "@%s", program_temporary("to.csv"));
    draw_ends(dense, scene, &seed, NULL, from + 1, to + 1);
    json_t* answer = FOUND(file, dense_gap, dense, "--from", from, "--to", to, "--time", "60");
    print_message("the Panda and a map of %d cells: %d rows\n", shelf.count, (int)row_count(answer));
    assert_true(row_count(answer) >= 3);
    json_decref(answer);
    dense_close(dense);
    berth_scene_destroy(scene);
    free(shelf.boxes);
}

// ---- bases that drive, joints that turn ----------------------------------------------------------------------------

// A cart 0.4 long and 0.2 wide drives in the plane; the wall at x = 0 has a door 0.3 wide around y = 0.
static double cart_gap(void* user, const double* at) {
    (void)user;
    // Points on the cart's rim and inside against both parts of the wall, which are 0.1 thick.
    double nearest = INFINITY;
    for (int i = 0; i <= 40; ++i) {
        for (int k = 0; k <= 20; ++k) {
            const double u = -0.2 + 0.01 * i, v = -0.1 + 0.01 * k;
            const double x = at[0] + u * cos(at[2]) - v * sin(at[2]);
            const double y = at[1] + u * sin(at[2]) + v * cos(at[2]);
            const double dx = fmax(0.0, fabs(x) - 0.05), dy = fmax(0.0, 0.15 - fabs(y));
            nearest = fmin(nearest, hypot(dx, dy));
        }
    }
    return nearest;
}

static const char* cart_scene(void) {
    assert_true(
        program_write_text(program_temporary("cart.urdf"),
                           "<robot name='cart'><link name='cart'><collision><geometry><box size='0.4 0.2 "
                           "0.2'/></geometry></collision></link></robot>"));
    assert_true(program_write_text(program_temporary("cart.srdf"),
                                   "<robot name='cart'><virtual_joint name='drive' type='planar' "
                                   "parent_frame='world' child_link='cart'/></robot>"));
    const char* scene = program_temporary("cart.yaml");
    assert_true(
        program_write_text(scene,
                           "berth: 1\nrobots:\n  - {urdf: cart.urdf, srdf: cart.srdf, free_base: true}\n"
                           "objects:\n  - {name: up, box: {size: [0.1, 10, 1]}, pose: {xyz: [0, 5.15, 0]}}\n"
                           "  - {name: down, box: {size: [0.1, 10, 1]}, pose: {xyz: [0, -5.15, 0]}}\n"));
    return scene;
}

static void a_cart_drives_through_a_door(void** state) {
    (void)state;
    const char* scene = cart_scene();
    for (int seed = 0; seed < test_scaled(4); ++seed) {
        char number[16];
        snprintf(number, sizeof number, "%d", seed);
        json_t* answer =
            FOUND(scene, cart_gap, NULL, "--from", "drive/x=-1,drive/y=0.5,drive/theta=1.5", "--to",
                  "drive/x=1,drive/y=-0.5,drive/theta=1.5", "--seed", number, "--time", "30");
        assert_true(row_count(answer) >= 3);
        json_decref(answer);
    }

    // From 3 to -3 it turns by nearly a whole turn, or with --wrap by 0.28.
    static const char from[] = "drive/x=-1,drive/y=0,drive/theta=3",
                      to[] = "drive/x=-1.5,drive/y=0,drive/theta=-3";
    json_t* answer = FOUND(scene, cart_gap, NULL, "--from", from, "--to", to);
    assert_true(element(answer, row_count(answer) - 1, 2) == -3.0);
    json_decref(answer);
    answer = FOUND(scene, cart_gap, NULL, "--from", from, "--to", to, "--wrap");
    assert_int_equal(row_count(answer), 2);
    assert_true(fabs(element(answer, 1, 2) - (2.0 * PI - 3.0)) < 1e-14);
    json_decref(answer);
}

// ---- a base that flies ---------------------------------------------------------------------------------------------

// A plate 0.4 by 0.4 and 0.06 thick flies through a slit 0.2 wide, for which it has to stand on its edge.
static const char* plate_scene(bool wall) {
    assert_true(
        program_write_text(program_temporary("plate.urdf"),
                           "<robot name='plate'><link name='plate'><collision><geometry><box size='0.4 0.4 "
                           "0.06'/></geometry></collision></link></robot>"));
    assert_true(program_write_text(program_temporary("plate.srdf"),
                                   "<robot name='plate'><virtual_joint name='fly' type='floating' "
                                   "parent_frame='world' child_link='plate'/></robot>"));
    char text[600];
    snprintf(text, sizeof text,
             "berth: 1\nrobots:\n  - {urdf: plate.urdf, srdf: plate.srdf, free_base: true}\n"
             "objects:\n  - {name: left, box: {size: [0.1, 10, 20]}, pose: {xyz: [%s, 5.1, 0]}}\n"
             "  - {name: right, box: {size: [0.1, 10, 20]}, pose: {xyz: [%s, -5.1, 0]}}\n",
             wall ? "0" : "50", wall ? "0" : "50");
    const char* scene = program_temporary("plate.yaml");
    assert_true(program_write_text(scene, text));
    return scene;
}

// Points of the plate, 2 cm apart, against both parts of the wall. `at`: place and quaternion.
static double plate_gap(const double* at) {
    const double x = at[3], y = at[4], z = at[5], w = at[6];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    double nearest = INFINITY;
    for (int i = 0; i < 21 * 21 * 2; ++i) {
        const double p[3] = {0.02 * (i % 21) - 0.2, 0.02 * (i / 21 % 21) - 0.2, i < 21 * 21 ? -0.03 : 0.03};
        double world[3];
        for (int k = 0; k < 3; ++k) {
            world[k] = at[k] + turn[k][0] * p[0] + turn[k][1] * p[1] + turn[k][2] * p[2];
        }
        nearest = fmin(nearest, hypot(fmax(0.0, fabs(world[0]) - 0.05), fmax(0.0, 0.1 - fabs(world[1]))));
    }
    return nearest;
}

// Between two rows places go straight, and orientations along the shorter arc at an even pace.
static void sample_flight(const json_t* answer) {
    for (size_t row = 0; row + 1 < row_count(answer); ++row) {
        double dot = 0.0;
        for (size_t i = 3; i < 7; ++i) {
            dot += element(answer, row, i) * element(answer, row + 1, i);
        }
        const double sign = dot < 0.0 ? -1.0 : 1.0, angle = acos(fmin(1.0, fabs(dot)));
        assert_true(fabs(dot) > 1e-6);  // else there is no shorter one

        for (int k = 0; k <= 100; ++k) {
            const double t = 0.01 * k;
            double at[7];
            for (size_t i = 0; i < 7; ++i) {
                const bool turns = i >= 3 && angle > 1e-6;
                const double a = turns ? sin((1.0 - t) * angle) / sin(angle) : 1.0 - t;
                const double b = turns ? sign * sin(t * angle) / sin(angle) : t * (i >= 3 ? sign : 1.0);
                at[i] = a * element(answer, row, i) + b * element(answer, row + 1, i);
            }
            assert_true(plate_gap(at) > 0.0);
        }
    }
}

static double no_gap(void* user, const double* at) {
    (void)user;
    (void)at;
    return 1.0;
}

static void a_plate_flies_through_a_slit(void** state) {
    (void)state;
    const char* scene = plate_scene(true);
    for (int seed = 0; seed < test_scaled(3); ++seed) {
        char number[16];
        snprintf(number, sizeof number, "%d", seed);
        json_t* answer = FOUND(scene, no_gap, NULL, "--from", "fly/x=-1", "--to", "fly/x=1", "--seed", number,
                               "--time", "60");
        assert_true(row_count(answer) >= 3);
        sample_flight(answer);
        json_decref(answer);
    }
}

// Half a turn has no shorter arc, and readers refuse it: such a motion was told as found and proven, and berth path could not
// read it. It goes by way of another orientation now.
static void half_a_turn_goes_by_way_of_another(void** state) {
    (void)state;
    static const char *const from = "fly/x=-1", *const to = "fly/x=-1.5,fly/qx=0,fly/qy=1,fly/qz=0,fly/qw=0";
    static const char* const planners[] = {"rrt-connect", "sbl", "prm"};
    const char* scene = plate_scene(false);
    for (int i = 0; i < 3; ++i) {
        json_t* answer = FOUND(scene, no_gap, NULL, "--from", from, "--to", to, "--planner", planners[i]);
        assert_true(row_count(answer) >= 3);
        sample_flight(answer);
        json_decref(answer);
    }
}

// A ball goes round a post on a continuous joint, at radius 1. A second joint may turn it about itself.
static double turn_gap(void* user, const double* at) {
    const double post = *(const double*)user;
    return hypot(cos(at[0]) - cos(post), sin(at[0]) - sin(post)) - 0.1 - 0.05;
}

static const char* turn_scene(double post, bool followed) {
    char text[3000];
    snprintf(
        text, sizeof text,
        "<robot name='turn'><link name='base'/><link name='ball'><collision><origin xyz='1 0 0'/>"
        "<geometry><sphere radius='0.1'/></geometry></collision></link><link name='flag'/>"
        "<joint name='turn' type='continuous'><parent link='base'/><child link='ball'/><axis xyz='0 0 1'/>"
        "<limit effort='1' velocity='1'/></joint>"
        "<joint name='flag' type='%s'><parent link='ball'/><child link='flag'/><axis xyz='0 0 1'/>%s</joint>"
        "</robot>",
        followed ? "continuous" : "fixed", followed ? "<mimic joint='turn' multiplier='0.5'/>" : "");
    assert_true(program_write_text(program_temporary("turn.urdf"), text));
    const char* scene = program_temporary("turn.yaml");
    snprintf(
        text, sizeof text,
        "berth: 1\nrobots:\n  - urdf: turn.urdf\nobjects:\n  - {name: post, sphere: {radius: 0.05}, pose: "
        "{xyz: [%.17g, %.17g, 0]}}\n",
        cos(post), sin(post));
    assert_true(program_write_text(scene, text));
    return scene;
}

static void continuous_joints_wrap_when_asked(void** state) {
    (void)state;
    const char *from = "turn=3", *to = "turn=-3";

    // A post at 0: without --wrap there is no way, with it the way is short.
    double post = 0.0;
    const char* scene = turn_scene(post, false);
    RUN(3, "plan", scene, "--from", from, "--to", to, "--time", "0.1");
    json_t* answer = FOUND(scene, turn_gap, &post, "--from", from, "--to", to, "--wrap");
    assert_int_equal(row_count(answer), 2);
    assert_true(element(answer, 0, 0) == 3.0);
    assert_true(fabs(element(answer, 1, 0) - (2.0 * PI - 3.0)) < 1e-14);
    assert_true(json_number_value(json_object_get(answer, "goal")) == 0.0);
    json_decref(answer);

    // With times, too: what is written is read back by default.
    const char* timed = program_temporary("turn.csv");
    RUN(0, "plan", scene, "--from", from, "--to", to, "--wrap", "--timed", "-o", timed);
    RUN(0, "path", scene, timed);

    // A post on the short way: the long way is the one that was given.
    post = PI;
    scene = turn_scene(post, false);
    answer = FOUND(scene, turn_gap, &post, "--from", "turn=2.8", "--to", "turn=-2.8", "--wrap");
    assert_true(element(answer, row_count(answer) - 1, 0) == -2.8);
    json_decref(answer);
    // Also where that was not given: from 2 to 4 the post is in the way, from 2 to 4 - 2 pi it is not.
    answer = FOUND(scene, turn_gap, &post, "--from", "turn=2", "--to", "turn=4", "--wrap");
    assert_true(fabs(element(answer, row_count(answer) - 1, 0) - (4.0 - 2.0 * PI)) < 1e-14);
    json_decref(answer);

    // What others follow by a ratio is elsewhere after a turn.
    post = 0.0;
    scene = turn_scene(post, true);
    RUN(3, "plan", scene, "--from", from, "--to", to, "--wrap", "--time", "0.1");
}

int test_cli_plan_cells(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_arms_move_at_once),
        cmocka_unit_test(what_an_arm_holds_goes_with_it),
        cmocka_unit_test(dual_panda_moves_both_arms),
        cmocka_unit_test(pr2_moves_an_arm),
        cmocka_unit_test(a_cloud_is_passed_through_its_hole),
        cmocka_unit_test(a_map_is_passed_through_its_hole),
        cmocka_unit_test(panda_reaches_round_a_sensed_shelf),
        cmocka_unit_test(a_cart_drives_through_a_door),
        cmocka_unit_test(a_plate_flies_through_a_slit),
        cmocka_unit_test(half_a_turn_goes_by_way_of_another),
        cmocka_unit_test(continuous_joints_wrap_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
