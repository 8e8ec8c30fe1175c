// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps and clouds in scene files, as a user meets them: a Panda in a voxelised bookshelf that is also there as boxes, with
// certificates; a mobile base in a ROS map; clouds; info; wrong files.

// clang-format off
#include <berth/motion.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/setting.h"

// ---- the bookshelf ---------------------------------------------------------------------------------------------

/// Cells of 2 cm from (0.2, -0.64, 0) on.
#define CELL 0.02
static const int shelf[][6] = {
    {15, 12, 5, 30, 52, 6},  {15, 12, 22, 30, 52, 23}, {15, 12, 40, 30, 52, 41}, {15, 12, 57, 30, 52, 58},
    {15, 12, 5, 30, 13, 58}, {15, 31, 5, 30, 32, 58},  {15, 51, 5, 30, 52, 58},  {29, 12, 5, 30, 52, 58},
    {20, 14, 6, 28, 17, 16}, {20, 18, 6, 28, 20, 18},  {20, 36, 23, 28, 39, 33}, {20, 42, 23, 28, 44, 35},
};
enum { SHELF_BOXES = sizeof shelf / sizeof *shelf };

static void write_shelf_map(const char* path) {
    BerthFieldDef def = berth_default_field_def();
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    def.dim = 3;
    def.levels = 6;
    def.resolution = CELL;
    def.origin = (BerthVec3){0.2, -0.64, 0.0};
    assert_int_equal(berth_field_builder_create(&def, &builder), BERTH_OK);
    for (int i = 0; i < SHELF_BOXES; ++i) {
        const int32_t low[3] = {shelf[i][0], shelf[i][1], shelf[i][2]};
        const int32_t high[3] = {shelf[i][3], shelf[i][4], shelf[i][5]};
        assert_int_equal(berth_field_add_box(builder, low, high, BERTH_CELL_OCCUPIED), BERTH_OK);
    }
    assert_int_equal(berth_field_build(builder, &field), BERTH_OK);
    const BerthIoOptions io = berth_default_io_options();
    if (berth_io_write_map(path, field, NULL, &io) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    berth_field_destroy(field);
    berth_field_builder_destroy(builder);
}

static bool scene_text(char* text, size_t size, const char* objects) {
    char urdf[500], srdf[500];
    if (!test_shared_path(urdf, sizeof urdf, "robots/panda_mbm/panda.urdf") ||
        !test_shared_path(srdf, sizeof srdf, "robots/panda_mbm/panda.srdf")) {
        return false;
    }
    snprintf(text, size, "berth: 1\nrobots: [{urdf: '%s', srdf: '%s', state: panda_arm/ready}]\nobjects:\n%s",
             urdf, srdf, objects);
    return true;
}

static const char* boxes_scene(void) {
    static char text[8000], objects[6000];
    objects[0] = '\0';
    for (int i = 0; i < SHELF_BOXES; ++i) {
        const int* b = shelf[i];
        char line[300];
        snprintf(line, sizeof line,
                 "  - {name: b%d, box: {size: [%.17g, %.17g, %.17g]}, pose: {xyz: [%.17g, %.17g, %.17g]}}\n",
                 i, CELL * (b[3] - b[0]), CELL * (b[4] - b[1]), CELL * (b[5] - b[2]),
                 0.2 + CELL / 2 * (b[0] + b[3]), -0.64 + CELL / 2 * (b[1] + b[4]), CELL / 2 * (b[2] + b[5]));
        strncat(objects, line, sizeof objects - strlen(objects) - 1);
    }
    return scene_text(text, sizeof text, objects) ? expect_written("boxes.yaml", text) : NULL;
}

static const char* map_scene(const char* name, const char* map) {
    char text[3000], objects[1000];
    snprintf(objects, sizeof objects, "  - {name: shelf, map: %s}\n", map);
    return scene_text(text, sizeof text, objects) ? expect_written(name, text) : NULL;
}

// States of the arm: verdicts among cells are those among the boxes they make up, and so are clearances.
static void shelf_of_cells_is_the_shelf(void** state) {
    (void)state;
    const char* boxes = boxes_scene();
    if (boxes == NULL) {
        TEST_SKIP("no shared robots");
    }
    write_shelf_map(program_temporary("shelf.bt"));
    const char* map = map_scene("map.yaml", "{file: shelf.bt, unknown: free, outside: free}");
    BerthScene* scene = expect_scene(boxes);
    const int rows = test_scaled(2000);
    double* values = calloc((size_t)rows * 7, sizeof *values);
    program_random_states(scene, 5, rows, values);
    const char* states = program_temporary("states.csv");
    assert_true(program_write_csv(states, scene, values, rows));
    ProgramRun a = program_run("check", boxes, "--states", states, "--distance", "--json", "-q", NULL);
    ProgramRun b = program_run("check", map, "--states", states, "--distance", "--json", "-q", NULL);
    assert_int_equal(a.status, b.status);
    assert_int_equal(program_line_count(&b), rows);
    int free_count = 0, shelf_nearest = 0;
    for (int i = 0; i < rows; ++i) {
        json_t* x = program_json_line(&a, i);
        json_t* y = program_json_line(&b, i);
        assert_string_equal(json_string_value(json_object_get(x, "verdict")),
                            json_string_value(json_object_get(y, "verdict")));
        const json_t* of_x = json_object_get(x, "clearance");
        const json_t* of_y = json_object_get(y, "clearance");
        if (json_is_object(of_x)) {
            free_count += 1;
            shelf_nearest += strcmp(json_string_value(json_object_get(of_y, "b")), "shelf") == 0;
            assert_true(fabs(json_number_value(json_object_get(of_x, "upper")) -
                             json_number_value(json_object_get(of_y, "upper"))) < 1e-9);
        }
        json_decref(x);
        json_decref(y);
    }
    print_message("%d states, %d free, the shelf nearest in %d\n", rows, free_count, shelf_nearest);
    assert_true(free_count > rows / 4 && shelf_nearest > rows / 100);
    program_free(&a);
    program_free(&b);
    free(values);
    berth_scene_destroy(scene);
}

// A walk of small steps towards the shelf, each proven; then the whole of it by the program, with its certificate.
static void path_in_the_shelf_is_certified(void** state) {
    (void)state;
    write_shelf_map(program_temporary("shelf.bt"));
    const char* map = map_scene("map.yaml", "{file: shelf.bt, unknown: free, outside: free}");
    if (map == NULL) {
        TEST_SKIP("no shared robots");
    }
    BerthScene* scene = expect_scene(map);
    const BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    BerthChecker* checker = NULL;
    const BerthCheckerDef checker_def = berth_default_checker_def();
    assert_int_equal(berth_motion_checker_create(scene, &def, &motion), BERTH_OK);
    assert_int_equal(berth_checker_create(scene, &checker_def, &checker), BERTH_OK);
    enum { ROWS = 30 };
    double rows[ROWS][7];
    double best = INFINITY;
    Random random = {3};
    memcpy(rows[0], berth_scene_values(scene), sizeof rows[0]);
    int count = 1;
    const int32_t hand = berth_scene_find_body(scene, "panda_hand");
    const int32_t body = berth_scene_find_body(scene, "shelf");
    for (int tries = 0; tries < 3000 && count < ROWS; ++tries) {
        double next[7], gradient[7];
        BerthGapGradient found;
        for (int i = 0; i < 7; ++i) {
            next[i] = rows[count - 1][i] + bi_random_between(&random, -0.12, 0.12);
        }
        assert_int_equal(berth_check_gradient(checker, next, hand, body, gradient, &found), BERTH_OK);
        const BerthSegment segment = {.value_count = 7, .from = rows[count - 1], .to = next};
        const BerthMotionRequest request = {0};
        BerthMotionResult r;
        if (!(found.gap.upper < best) ||
            berth_motion_check_segment(motion, &segment, &request, &r) != BERTH_OK ||
            r.verdict != BERTH_FREE || r.outside_limits > 0) {
            continue;
        }
        best = found.gap.upper;
        memcpy(rows[count++], next, sizeof next);
    }
    print_message("%d rows, the hand at last %.1f mm from the shelf\n", count, 1e3 * best);
    assert_true(count > 5 && best < 0.05);
    const char* csv = program_temporary("walk.csv");
    assert_true(program_write_csv(csv, scene, rows[0], count));
    const char* proof = program_temporary("walk.cert");
    json_t* json = EXPECT_JSON(0, "path", map, csv, "--certificate", proof, "-q");
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "free");
    assert_true(json_array_size(json_object_get(json, "assumed")) >= 3);
    json_decref(json);
    EXPECT_STATUS(0, "path", map, csv, "--verify", proof, "-q");
    EXPECT_STATUS(0, "path", map, csv, "-q", "--method", "adaptive");
    EXPECT_STATUS(3, "path", map, csv, "-q", "--strict");
    // Another map, another policy, a wall across the way.
    EXPECT_STATUS(2, "path", map_scene("other.yaml", "{file: shelf.bt, outside: free}"), csv, "--verify",
                  proof, "-q");
    // All that is not known is an obstacle: the arm stands in it.
    EXPECT_STATUS(1, "path", map_scene("unknown.yaml", "{file: shelf.bt, outside: free}"), csv, "-q");
    EXPECT_STATUS(1, "path", map_scene("outside.yaml", "{file: shelf.bt, unknown: free, outside: occupied}"),
                  csv, "-q");
    berth_checker_destroy(checker);
    berth_motion_checker_destroy(motion);
    berth_scene_destroy(scene);
}

// ---- a plan ----------------------------------------------------------------------------------------------------

static const char base_urdf[] =
    "<robot name='cart'><link name='base'><collision><origin xyz='0 0 0.2'/><geometry><box size='0.4 0.3 "
    "0.3'/>"
    "</geometry></collision></link></robot>";
static const char base_srdf[] =
    "<robot name='cart'><virtual_joint name='world' type='planar' parent_frame='map' "
    "child_link='base'/></robot>";

// 20 x 20 cells of 0.2 m from (-2, -2) on: walls around, a wall at x from 0 to 0.2 with a door at y from -0.4 to 0.2; one
// cell that nobody saw.
static void write_plan(void) {
    char image[2400] = "P2\n20 20\n255\n";
    for (int row = 0; row < 20; ++row) {
        const int y = 19 - row;
        for (int x = 0; x < 20; ++x) {
            const bool wall = x == 0 || x == 19 || y == 0 || y == 19 || (x == 10 && (y < 8 || y > 10));
            strcat(image, wall ? "0 " : x == 15 && y == 15 ? "205 " : "254 ");
        }
        strcat(image, "\n");
    }
    expect_written("plan.pgm", image);
    expect_written("plan.yaml",
                   "image: plan.pgm\nresolution: 0.2\norigin: [-2.0, -2.0, 0.0]\noccupied_thresh: 0.65\n"
                   "free_thresh: 0.196\nnegate: 0\n");
    expect_written("cart.urdf", base_urdf);
    expect_written("cart.srdf", base_srdf);
}

static const char* plan_scene(const char* name, const char* map) {
    char text[1000];
    snprintf(text, sizeof text,
             "berth: 1\nrobots: [{urdf: cart.urdf, srdf: cart.srdf, free_base: true}]\nobjects:\n  - {name: "
             "house, map: %s}\n",
             map);
    return expect_written(name, text);
}

static void base_in_a_ros_map(void** state) {
    (void)state;
    write_plan();
    const char* scene = plan_scene("house.yaml", "{file: plan.yaml, height: [0, 1], outside: occupied}");
    const char* through = expect_written(
        "through.csv", "world/x,world/y,world/theta\n-1,-1,0\n-1,-0.1,0\n1,-0.1,0\n1,-1,1.5\n");
    const char* into =
        expect_written("into.csv", "world/x,world/y,world/theta\n-1,-1,0\n-1,0.2,0\n1,0.2,0\n");
    const char* proof = program_temporary("house.cert");
    json_t* json = EXPECT_JSON(0, "path", scene, through, "--certificate", proof, "--strict");
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "free");
    assert_int_equal(json_array_size(json_object_get(json, "assumed")), 0);
    json_decref(json);
    EXPECT_STATUS(0, "path", scene, through, "--verify", proof);
    EXPECT_STATUS(2, "path", scene, into, "--verify", proof);
    json = EXPECT_JSON(1, "path", scene, into, "--first-contact");
    const json_t* touch = json_object_get(json, "first_contact");
    assert_int_equal(json_integer_value(json_object_get(touch, "segment")), 1);
    assert_string_equal(json_string_value(json_object_get(touch, "b")), "house");
    const json_t* t = json_object_get(touch, "t");  // its front is at x = 0 when its middle is at -0.2
    assert_true(json_number_value(json_array_get(t, 0)) <= 0.4 &&
                json_number_value(json_array_get(t, 1)) >= 0.4 - 1e-9);
    json_decref(json);
    // The cell that nobody saw is at (1, 1): in the way, or assumed.
    const char* corner = expect_written("corner.csv", "world/x,world/y,world/theta\n0.8,-0.1,0\n1.1,1.1,0\n");
    EXPECT_STATUS(1, "path", scene, corner);
    const char* bold =
        plan_scene("bold.yaml", "{file: plan.yaml, height: [0, 1], unknown: free, outside: free}");
    json = EXPECT_JSON(0, "path", bold, corner);
    assert_int_equal(json_array_size(json_object_get(json, "assumed")), 2);
    json_decref(json);
    EXPECT_STATUS(3, "path", bold, corner, "--strict");
    // Above the walls everything is free.
    EXPECT_STATUS(0, "path", plan_scene("low.yaml", "{file: plan.yaml, height: [-1, 0.01], outside: free}"),
                  into);
}

// ---- clouds, info, wrong files -----------------------------------------------------------------------------------

static void clouds_and_info(void** state) {
    (void)state;
    expect_written("cart.urdf", base_urdf);
    expect_written("cloud.xyz", "1 0 0.2\n1.5 0.1 0.3\nnan 0 0\n0 3 0\n");
    const char* scene = expect_written("cloud.yaml",
                                       "berth: 1\nrobots: [{urdf: cart.urdf}]\nobjects:\n"
                                       "  - {name: dust, points: {file: cloud.xyz, radius: 0.05}}\n");
    json_t* json = EXPECT_JSON(0, "check", scene, "--distance");
    const json_t* clearance = json_object_get(json, "clearance");
    assert_true(fabs(json_number_value(json_object_get(clearance, "upper")) - (1 - 0.2 - 0.05)) < 1e-12);
    assert_string_equal(json_string_value(json_object_get(clearance, "b")), "dust");
    json_decref(json);
    json = EXPECT_JSON(0, "info", scene);
    const json_t* object = json_array_get(json_object_get(json, "objects"), 0);
    assert_true(json_number_value(json_object_get(object, "radius")) == 0.05);
    json_decref(json);
    ProgramRun run = EXPECT_RUN(0, "info", scene);
    assert_non_null(strstr(run.out, "3 points"));
    assert_non_null(strstr(run.err, "1 points are NaN or infinite"));
    program_free(&run);
    // As a map: what the points do not touch is free by assumption, in the map and in a scene of it alike.
    run = EXPECT_RUN(0, "map", "build", program_temporary("cloud.xyz"), "--resolution", "0.1", "-o",
                     program_temporary("cloud.bmap"), "-q");
    program_free(&run);
    static const char* const maps[] = {"{file: cloud.bmap, outside: free}",
                                       "{file: cloud.xyz, resolution: 0.1, outside: free}",
                                       "{file: cloud.xyz, resolution: 0.1, unknown: occupied}"};
    for (int i = 0; i < 3; ++i) {
        char text[300];
        snprintf(text, sizeof text,
                 "berth: 1\nrobots: [{urdf: cart.urdf}]\nobjects:\n  - {name: dust, map: %s}\n", maps[i]);
        run = EXPECT_RUN(i < 2 ? 0 : 1, "check", expect_written("dust.yaml", text), "--json", "-q");
        assert_int_equal(strstr(run.out, "unseen_space_free") != NULL, i < 2);
        program_free(&run);
    }
    write_plan();
    run = EXPECT_RUN(0, "info", plan_scene("house.yaml", "{file: plan.yaml, height: [0, 1]}"));
    assert_non_null(strstr(run.out, "2-D map, cells of 0.2 m: 91 occupied, 1 unknown (occupied)"));
    program_free(&run);
}

// A ball of 0.02 m and a cloud of one point whose radius is 0.04 m, in every distance: the point of a hit is in both. It was
// halfway between the ball and the bare point, 15 mm outside of the robot.
static void hits_with_a_radius_are_in_both(void** state) {
    (void)state;
    (void)expect_written(
        "bead.urdf",
        "<robot name='bead'><link name='w'/><link name='s'><collision><geometry><sphere radius='0.02'/>"
        "</geometry></collision></link><joint name='x' type='prismatic'><parent link='w'/><child "
        "link='s'/><axis xyz='1 0 0'/><limit lower='-2' upper='2' velocity='1' effort='1'/></joint></robot>");
    (void)expect_written("one.csv", "x,y,z\n0.05,0,0\n");
    const char* scene =
        expect_written("radius.yaml",
                       "berth: 1\nrobots: [{urdf: bead.urdf}]\nobjects:\n  - {name: cloud, points: {file: "
                       "one.csv, radius: 0.04}}\n");

    for (int i = 0; i < 6; ++i) {
        const double x = 0.01 * i - 0.005;
        char at[40];
        (void)snprintf(at, sizeof at, "x=%g", x);
        json_t* answer = EXPECT_JSON(1, "check", scene, "--at", at);
        const json_t* point = json_object_get(json_array_get(json_object_get(answer, "hits"), 0), "point");
        const double hit = json_number_value(json_array_get(point, 0));
        assert_true(fabs(hit - x) <= 0.02 + 1e-12 && fabs(hit - 0.05) <= 0.04 + 1e-12);
        json_decref(answer);
    }
}

static void wrong_files_are_named(void** state) {
    (void)state;
    write_plan();
    expect_written("short.bt", "# Octomap OcTree binary file\nid OcTree\nsize 5\nres 0.1\ndata\n\x01");
    expect_written("no.xyz", "# nothing\n");
    const struct {
        const char* map;
        const char* said;
    } wrong[] = {
        {"{file: plan.yaml}",
         "wrong.yaml:4: object 'house': map: 'plan.yaml': map: it is a map of the plane and 'height: [low, "
         "high]' is missing"},
        {"{file: plan.yaml, height: [1, 0]}", "its height is [1, 0]"},
        {"{file: nowhere.bt}", "wrong.yaml:4: object 'house': map"},
        {"{file: short.bt}", "short.bt: byte"},
        {"{file: plan.yaml, unknown: perhaps, height: [0, 1]}", "'occupied' or 'free' was expected"},
        {"{file: plan.yaml, hight: [0, 1]}", "hight"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        ProgramRun run = EXPECT_RUN(2, "check", plan_scene("wrong.yaml", wrong[i].map));
        if (strstr(run.err, wrong[i].said) == NULL) {
            fail_msg("case %d: %s", (int)i, run.err);
        }
        program_free(&run);
    }
    ProgramRun run = EXPECT_RUN(2, "check",
                                expect_written("none.yaml",
                                               "berth: 1\nrobots: [{urdf: cart.urdf}]\nobjects:\n"
                                               "  - {name: dust, points: {file: no.xyz}}\n"));
    assert_non_null(strstr(run.err, "no.xyz"));
    program_free(&run);
}

// A robot beyond the border of a small map: seen in the review as "base_link and room overlap", without a word that it is the
// outside, nor of the key that changes it. A hit of a cell says nothing of the kind.
static void the_outside_is_named(void** state) {
    (void)state;
    static const char ball[] =
        "<robot name=\"r\"><link name=\"base_link\"/><link name=\"ball\"><collision><geometry>"
        "<sphere radius=\"0.05\"/></geometry></collision></link>"
        "<joint name=\"x\" type=\"prismatic\"><parent link=\"base_link\"/><child link=\"ball\"/>"
        "<axis xyz=\"1 0 0\"/><limit lower=\"-2\" upper=\"2\" effort=\"1\" "
        "velocity=\"1\"/></joint></robot>\n";
    expect_written("ball.urdf", ball);
    expect_written("cells.csv", "x,y,z\n0.45,-0.05,0.05\n0.95,0.95,0.95\n-0.45,-0.45,-0.45\n");
    EXPECT_STATUS(0, "map", "build", program_temporary("cells.csv"), "--resolution", "0.1", "--origin",
                  "-0.5,-0.5,-0.5", "-o", program_temporary("cells.bmap"));
    static char scene[300];
    snprintf(scene, sizeof scene, "%s",
             expect_written("room.yaml",
                            "berth: 1\nrobots: [{urdf: ball.urdf}]\nobjects:\n"
                            "  - {name: room, map: {file: cells.bmap}, pose: {xyz: [0, 0.1, 0]}}\n"));
    static const char key[] = "the space beyond the border of room is an obstacle";
    static const struct {
        const char* at;
        bool outside;
    } cases[] = {{"x=-0.48", true}, {"x=-1.5", true}, {"x=0.39", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ProgramRun run = EXPECT_RUN(1, "check", scene, "--at", cases[i].at);
        assert_int_equal(strstr(run.out, key) != NULL, cases[i].outside);
        assert_int_equal(strstr(run.out, "'outside: free'") != NULL, cases[i].outside);
        program_free(&run);
        json_t* line = EXPECT_JSON(1, "check", scene, "--at", cases[i].at);
        const json_t* hit = json_array_get(json_object_get(line, "hits"), 0);
        assert_int_equal(json_is_true(json_object_get(hit, "outside_map")), cases[i].outside);
        assert_true(cases[i].outside || json_object_get(hit, "outside_map") == NULL);
        json_decref(line);
    }

    const char* motion = expect_written("out.csv", "x\n0\n-0.6\n");
    ProgramRun run = EXPECT_RUN(1, "path", scene, motion);
    assert_non_null(strstr(run.out, key));
    program_free(&run);
    json_t* line = EXPECT_JSON(1, "path", scene, motion);
    assert_true(json_is_true(json_object_get(line, "outside_map")));
    json_decref(line);
    run = EXPECT_RUN(1, "plan", scene, "--to", "x=-0.6");
    assert_non_null(strstr(run.out, key));
    program_free(&run);

    // Of a ball the option is named.
    run = EXPECT_RUN(0, "map", "query", program_temporary("cells.bmap"), "--ball", "-2,0,0,0.1");
    assert_non_null(strstr(run.out, "--outside free"));
    program_free(&run);
}

int test_cli_sensed(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shelf_of_cells_is_the_shelf),
        cmocka_unit_test(path_in_the_shelf_is_certified),
        cmocka_unit_test(base_in_a_ros_map),
        cmocka_unit_test(clouds_and_info),
        cmocka_unit_test(hits_with_a_radius_are_in_both),
        cmocka_unit_test(wrong_files_are_named),
        cmocka_unit_test(the_outside_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
