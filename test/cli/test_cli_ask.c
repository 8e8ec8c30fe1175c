// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What people ask and get told beside the verdict: warnings of one kind in one line, names of packages as robots in the wild
// write them, contents of worlds and clouds without a robot or a resolution.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support/expect.h"

static int count_of(const char* text, const char* part) {
    int count = 0;
    for (const char* at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        ++count;
    }
    return count;
}

// ---- warnings ----------------------------------------------------------------------------------------------------

#define LINKS                                                                                  \
    "<link name='a'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>" \
    "<link name='b'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>" \
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin xyz='0 0 1'/>" \
    "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"

static void warnings_of_one_kind_are_one_line(void** state) {
    (void)state;
    const char* robot = expect_written("kinds.urdf", "<robot name='r'>" LINKS "</robot>\n");
    const char* srdf = expect_written("kinds.srdf",
                                      "<robot name='r'>\n"
                                      "<disable_collisions link1='a' link2='gone1' reason='Never'/>\n"
                                      "<disable_collisions link1='a' link2='gone2' reason='Never'/>\n"
                                      "<disable_collisions link1='gone3' link2='b' reason='Never'/>\n"
                                      "<disable_collisions link1='a' link2='a' reason='Never'/>\n"
                                      "<disable_collisions link1='a' link2='gone4' reason='Never'/>\n"
                                      "</robot>\n");

    // One line a kind, with the first and the number.
    ProgramRun run = EXPECT_RUN(0, "check", robot, "--srdf", srdf, "--json");
    assert_int_equal(count_of(run.err, "warning: "), 2);
    assert_int_equal(count_of(run.err, "the robot has no such link"), 1);
    assert_non_null(strstr(run.err,
                           "gone1\": the robot has no such link; ignored (and 3 more of this kind; "
                           "--verbose lists them)\n"));
    assert_null(strstr(run.err, "gone4"));
    assert_non_null(strstr(run.err, "a link with itself is no pair; ignored\n"));
    program_free(&run);

    // Each by itself, and all of them in the answer of `info`.
    run = EXPECT_RUN(0, "check", robot, "--srdf", srdf, "--verbose");
    assert_int_equal(count_of(run.err, "warning: "), 5);
    assert_non_null(strstr(run.err, "gone4"));
    assert_null(strstr(run.err, "of this kind"));
    program_free(&run);
    json_t* answer = EXPECT_JSON(0, "info", robot, "--srdf", srdf);
    assert_int_equal(json_array_size(json_object_get(answer, "warnings")), 5);
    json_decref(answer);
    run = EXPECT_RUN(0, "check", robot, "--srdf", srdf, "--quiet");
    assert_string_equal(run.err, "");
    program_free(&run);

    // Warnings come before an error that follows them.
    run = EXPECT_RUN(2, "check", robot, "--srdf", srdf, "--states", "/nowhere.csv");
    assert_true(strstr(run.err, "warning: ") == run.err);
    assert_non_null(strstr(run.err, "/nowhere.csv: cannot be opened"));
    program_free(&run);
}

// ---- packages ----------------------------------------------------------------------------------------------------

static void three_slashes_are_two(void** state) {
    (void)state;
    const char* folder = program_temporary("pkg");
    assert_int_equal(mkdir(folder, 0755), 0);
    (void)expect_written("pkg/t.obj",
                         "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    const char* robot =
        expect_written("talos.urdf",
                       "<robot name='r'><link name='a'>"
                       "<collision><geometry><mesh filename='package:///pkg/t.obj'/></geometry></collision>"
                       "<collision><geometry><mesh "
                       "filename='package:///pkg/t.obj'/></geometry></collision></link></robot>\n");
    ProgramRun run = EXPECT_RUN(0, "info", robot);
    assert_int_equal(count_of(run.err, "warning: "), 1);
    assert_non_null(
        strstr(run.err,
               "talos.urdf: 'package:///pkg/t.obj': package:///NAME is taken as package://NAME (and 1 "
               "more of this kind"));
    program_free(&run);
    EXPECT_STATUS(3, "check", robot, "--strict");
}

// ---- contents ----------------------------------------------------------------------------------------------------

static void worlds_and_clouds_have_contents(void** state) {
    (void)state;
    const char* world = expect_written(
        "world.scene",
        "scene\n* box\n1\nbox\n1 2 3\n0 0 0.5\n0 0 0 1\n0 0 0 0\n* ball\n1\nsphere\n0.5\n2 0 0\n"
        "0 0 0 1\n0 0 0 0\n.\n");
    json_t* answer = EXPECT_JSON(0, "info", world);
    assert_string_equal(text_at(answer, "kind"), "world");
    assert_int_equal(json_array_size(json_object_get(answer, "objects")), 2);
    assert_int_equal(json_array_size(json_object_get(answer, "robots")), 0);
    assert_int_equal(json_array_size(json_object_get(answer, "warnings")), 0);
    json_decref(answer);
    EXPECT_STATUS(2, "check", world);  // nothing could be asked of it

    const char* mbm =
        expect_written("scene.yaml",
                       "name: s\nrobot_state:\n  joint_state: {name: [j], position: [0]}\n"
                       "  attached_collision_objects:\n    - link_name: hand\n      object: {id: held}\n"
                       "allowed_collision_matrix: {entry_names: [a], entry_values: [[true]]}\n"
                       "world:\n  collision_objects:\n    - id: can\n      header: {frame_id: world}\n"
                       "      primitives: [{type: cylinder, dimensions: [0.2, 0.05]}]\n"
                       "      primitive_poses: [{position: [1, 0, 0], orientation: [0, 0, 0, 1]}]\n");
    ProgramRun run = EXPECT_RUN(0, "info", mbm, "--json");
    assert_non_null(strstr(run.err, "scene.yaml:3: what is said about a robot is left out"));
    answer = program_json_line(&run, 0);
    assert_string_equal(text_at(answer, "kind"), "world");
    assert_int_equal(json_array_size(json_object_get(answer, "objects")), 1);
    json_decref(answer);
    program_free(&run);

    static const struct {
        const char *name, *text;
    } clouds[] = {
        {"c.xyz", "0 0 0\n1 2 3\n"},
        {"c.txt", "0 0 0\n1 2 3\n"},
        {"c.csv", "x,y,z\n0,0,0\n1,2,3\n"},
        {"c.ply",
         "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
         "end_header\n0 0 0\n1 2 3\n"},
    };
    for (size_t i = 0; i < sizeof clouds / sizeof clouds[0]; ++i) {
        answer = EXPECT_JSON(0, "info", expect_written(clouds[i].name, clouds[i].text));
        assert_string_equal(text_at(answer, "kind"), "points");
        assert_int_equal(integer_at(answer, "points"), 2);
        json_decref(answer);
    }
    answer = EXPECT_JSON(0, "info",
                         expect_written("m.ply",
                                        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                                        "property float y\nproperty float z\nelement face 1\n"
                                        "property list uchar int vertex_indices\nend_header\n"
                                        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
    assert_string_equal(text_at(answer, "kind"), "mesh");
    json_decref(answer);

    // Joints may be named x, y and z: behind a robot such a table is about these.
    const char* gantry =
        expect_written("gantry.urdf",
                       "<robot name='g'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
                       "<joint name='x' type='prismatic'><parent link='a'/><child link='b'/>"
                       "<limit lower='-9' upper='9' velocity='1' effort='1'/></joint>"
                       "<joint name='y' type='prismatic'><parent link='b'/><child link='c'/>"
                       "<limit lower='-9' upper='9' velocity='1' effort='1'/></joint>"
                       "<joint name='z' type='prismatic'><parent link='c'/><child link='d'/>"
                       "<limit lower='-9' upper='9' velocity='1' effort='1'/></joint></robot>\n");
    run = EXPECT_RUN(0, "info", gantry, program_temporary("c.csv"), "--json");
    answer = program_json_line(&run, 1);
    assert_string_equal(text_at(answer, "kind"), "states");
    json_decref(answer);
    program_free(&run);
}

// ---- options -----------------------------------------------------------------------------------------------------

static void options_that_do_nothing_are_refused(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    const char* arm = program_model("room/arm.urdf");
    const char* way = expect_written("way.csv", "turn1\n0\n0.1\n");
    const char* mesh = expect_written("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const char* map = expect_written("rooms.lin", "3\n8 8 0\n000 3\n");
    const char* proof = program_temporary("idle.txt");
    const char* built = program_temporary("idle.bmap");
    EXPECT_STATUS(0, "path", cell, way, "--certificate", proof, "--quiet");
    const char* const cases[][9] = {
        {"check", cell, "--interpolation", "cubic", NULL},
        {"info", cell, "--margin", "0.1", NULL},
        {"info", mesh, "--pairs", NULL},
        {"info", mesh, "--capsules", NULL},
        {"path", cell, way, "--distance", NULL},
        {"path", cell, way, "--verify", proof, "--method", "refined", NULL},
        {"path", cell, way, "--verify", proof, "--delta", "1e-3", NULL},
        {"path", cell, way, "--verify", proof, "--first-contact", NULL},
        {"new", arm, "--force", NULL},
        {"spheres", arm, "--robot", arm, NULL},
        {"srdf", arm, "--robot", arm, NULL},
        {"srdf", arm, "--margin", "1", NULL},
        {"map", "build", map, "-o", built, "--at", "turn1=0", NULL},
        {"map", "info", map, "--count", "3", NULL},
        {"map", "query", map, "--ball", "1,1,1", "--state", "home", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_list(cases[i]);
        if (run.status != 2 || run.out_size != 0 || strstr(run.err, " does nothing ") == NULL ||
            count_of(run.err, "\n") != 1) {
            fail_msg("case %zu, berth %s: exit %d, said '%s'", i, cases[i][0], run.status, run.err);
        }
        program_free(&run);
    }

    // What every command knows is taken by every command.
    static const char* const commands[][6] = {
        {"check", NULL}, {"info", NULL}, {"path", NULL}, {"contact", NULL}, {"srdf", NULL}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        const char* arguments[16] = {
            commands[i][0], i == 4 ? arm : cell, "--json", "--quiet", "--threads", "1", "--seed", "3",
            "--package",    "nowhere=/nowhere",  NULL};
        if (strcmp(arguments[0], "path") == 0) {
            arguments[10] = way;
        }
        ProgramRun run = program_run_list(arguments);
        assert_int_equal(run.status, 0);
        program_free(&run);
    }
}

int test_cli_ask(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_of_one_kind_are_one_line),
        cmocka_unit_test(three_slashes_are_two),
        cmocka_unit_test(worlds_and_clouds_have_contents),
        cmocka_unit_test(options_that_do_nothing_are_refused),
    };
    return cmocka_run_group_tests_name("cli_ask", tests, NULL, expect_clean_up);
}
