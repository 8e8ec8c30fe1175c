// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth new and berth info: scenes that check accepts as they are, conversions that give the same answers, files
// that are not overwritten; facts about robots, meshes and states.

// clang-format off
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
#include <sys/stat.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/robots.h"
#include "support/setting.h"

static bool is_there(const char* path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static void a_first_scene_is_accepted_as_it_is(void** state) {
    (void)state;
    static const char* const robots[] = {"two_arms/arm.urdf", "arm6/arm6.urdf", "room/arm.urdf"};
    for (int i = 0; i < 3; ++i) {
        const char* file = program_temporary("first.yaml");
        ProgramRun run = program_run("new", program_model(robots[i]), "-o", file, "--force", NULL);
        assert_int_equal(run.status, 0);
        program_free(&run);
        run = program_run("check", file, "--distance", "--json", NULL);
        if (run.status != 0) {
            fail_msg("%s: exit %d: %s%s", robots[i], run.status, run.err, run.out);
        }
        program_free(&run);
    }
}

// On standard output the same scene names its files from the current folder.
static void a_first_scene_goes_to_standard_output(void** state) {
    (void)state;
    ProgramRun run = program_run("new", program_model("room/arm.urdf"), NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "berth: 1\n"));
    static const char* const kinds[] = {"box:",  "sphere:", "cylinder:", "capsule:", "cone:",  "halfspace:",
                                        "mesh:", "map:",    "points:",   "attach:",  "touch:", "allow:"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        assert_non_null(strstr(run.out, kinds[i]));
    }
    program_free(&run);
}

// The commented examples are true: taken out of their comments they are a scene.
static void the_examples_in_the_comments_work(void** state) {
    (void)state;
    ProgramRun run = program_run("new", program_model("room/arm.urdf"), NULL);
    const char* scene_file = program_temporary("examples.yaml");
    assert_true(program_write_text(program_temporary("room.lin"), "2\n4 4 4\n07 2\n"));
    assert_true(program_write_text(program_temporary("scan.xyz"), "1 2 3\n3 2 1\n"));
    FILE* file = fopen(scene_file, "w");
    assert_non_null(file);
    bool examples = false;
    for (char* line = strtok(run.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strstr(line, "urdf:") != NULL && line[0] != '#') {
            fprintf(file, "    urdf: \"%s\"\n", program_model("room/arm.urdf"));
        } else if (strncmp(line, "  # Every other", 15) == 0) {
            examples = true;
        } else if (strncmp(line, "# allow", 7) == 0 || strncmp(line, "#   - [", 7) == 0) {
            fprintf(file, "%s\n", line + 2);
        } else if (examples && strncmp(line, "  # ", 4) == 0) {
            if (strstr(line, "part.stl") != NULL) {
                fprintf(file, "    mesh: {file: \"%s\"}\n", program_model("arm6/part.stl"));
            } else if (strstr(line, "room.bt") != NULL) {
                fprintf(file, "    map: {file: room.lin, unknown: occupied}\n");
            } else if (strstr(line, "scan.pcd") != NULL) {
                fprintf(file, "    points: {file: scan.xyz, radius: 0.01}\n");
            } else {
                fprintf(file, "  %s\n", line + 4);
            }
        } else {
            fprintf(file, "%s\n", line);
        }
    }
    assert_int_equal(fclose(file), 0);
    program_free(&run);
    run = program_run("check", scene_file, "--json", "--all", NULL);
    if (run.status != 0 && run.status != 1) {
        fail_msg("exit %d: %s", run.status, run.err);
    }
    program_free(&run);
    run = program_run("info", scene_file, "--json", NULL);
    json_t* info = program_json_line(&run, 0);
    assert_int_equal(json_array_size(json_object_get(info, "objects")), 11);
    json_decref(info);
    program_free(&run);
}

// A UR5's file ends with its root, `world`: the held example was attached to that, and collided with the base. It is
// attached to what ends the longest chain that moves, here a flange behind a fixed joint, and may touch what is rigid with it.
static void the_held_example_is_held_by_a_hand(void** state) {
    (void)state;
    static const char urdf[] =
        "<robot name='arm'>\n"
        "  <link name='fore'><collision><geometry><box size='0.1 0.1 0.3'/></geometry></collision></link>\n"
        "  <link name='flange'/>\n"
        "  <link name='base'><collision><geometry><box size='0.3 0.3 0.2'/></geometry></collision></link>\n"
        "  <link name='flag'/>\n"
        "  <link name='world'/>\n"
        "  <joint name='stand' type='fixed'><parent link='world'/><child link='base'/></joint>\n"
        "  <joint name='pole' type='fixed'><parent link='world'/><child link='flag'/></joint>\n"
        "  <joint name='turn' type='continuous'><origin xyz='0 0 0.5'/><parent link='base'/><child "
        "link='fore'/>"
        "<axis xyz='0 0 1'/></joint>\n"
        "  <joint name='end' type='fixed'><origin xyz='0 0 0.15'/><parent link='fore'/><child "
        "link='flange'/></joint>\n"
        "</robot>\n";
    const char* file = expect_written("held.urdf", urdf);
    ProgramRun run = program_run("new", file, NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "  attach: flange\n"));
    assert_non_null(strstr(run.out, "  touch: [fore]"));
    program_free(&run);

    // Nothing moves: any link will do, and the scene is one all the same.
    file = expect_written("stone.urdf", "<robot name='stone'><link name='rock'/></robot>\n");
    run = program_run("new", file, NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "  attach: rock\n"));
    assert_non_null(strstr(run.out, "  touch: [rock]"));
    program_free(&run);
}

static void what_is_there_is_not_overwritten(void** state) {
    (void)state;
    const char* urdf = program_model("room/arm.urdf");
    const char* file = program_temporary("kept.yaml");
    assert_true(program_write_text(file, "mine\n"));
    ProgramRun run = program_run("new", urdf, "-o", file, NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "--force"));
    program_free(&run);
    expect_text(file, "mine\n");
    run = program_run("new", urdf, "-o", file, "--force", "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* told = program_json_line(&run, 0);
    assert_string_equal(json_string_value(json_object_get(told, "file")), file);
    assert_true(program_says_its_conditions(told));
    json_decref(told);
    program_free(&run);
    run = program_run("new", urdf, "-o", "/no/such/folder/x.yaml", NULL);
    assert_int_equal(run.status, 2);
    program_free(&run);
}

static const char moveit_scene[] =
    "kitchen\n* box1\n0.5 0 0.3\n0 0 0 1\n2\nbox\n0.1 0.2 0.3\n0 0 0\n0 0 0 1\n0 0 0 0\nsphere\n0.1\n0 0.5 "
    "0\n"
    "0 0 0.7071 0.7071\n0 0 0 0\n0\n* wedge\n0.6 -0.4 0.2\n0 0 0.3826834 0.9238795\n1\nmesh\n4 4\n0 0 0\n0.2 "
    "0 0\n"
    "0 0.2 0\n0 0 0.2\n0 2 1\n0 1 3\n0 3 2\n1 2 3\n0 0 0\n0 0 0 1\n0 0 0 0\n0\n.\n";

static const char mbm_scene[] =
    "name: test\nrobot_state:\n  joint_state:\n    name: [turn1, turn2]\n    position: [0.3, -1.5]\n"
    "allowed_collision_matrix:\n  entry_names: [fore, can]\n  entry_values:\n    - [true, true]\n    - "
    "[true, true]\n"
    "world:\n  collision_objects:\n    - id: can\n      primitives:\n        - type: cylinder\n"
    "          dimensions: [0.2, 0.05]\n      primitive_poses:\n        - position: [0.5, 0.2, 0.4]\n"
    "          orientation: [0, 0, 0.707, 0.707]\n";

// Verdicts, distances and the names of the nearest bodies.
static void expect_same_answers(const char* a, const char* b, const char* urdf) {
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    assert_int_equal(berth_io_read_scene(a, &options, &scene), BERTH_OK);
    const int rows = test_scaled(200);
    double* values = calloc((size_t)rows * (size_t)berth_scene_value_count(scene), sizeof *values);
    program_random_states(scene, 23, rows, values);
    const char* states = program_temporary("conversion.npy");
    assert_true(program_write_npy(states, scene, values, rows));
    ProgramRun ours = program_run("check", a, "--states", states, "--distance", "--json", "-q", NULL);
    ProgramRun theirs =
        program_run("check", b, "--robot", urdf, "--states", states, "--distance", "--json", "-q", NULL);
    assert_int_equal(ours.status, theirs.status);
    assert_int_equal(program_line_count(&ours), rows);
    for (int i = 0; i < rows; ++i) {
        json_t* x = program_json_line(&ours, i);
        json_t* y = program_json_line(&theirs, i);
        assert_string_equal(json_string_value(json_object_get(x, "verdict")),
                            json_string_value(json_object_get(y, "verdict")));
        const json_t* gap_x = json_object_get(x, "clearance");
        const json_t* gap_y = json_object_get(y, "clearance");
        assert_int_equal(json_typeof(gap_x), json_typeof(gap_y));
        if (json_is_object(gap_x)) {
            const double apart = json_number_value(json_object_get(gap_x, "upper")) -
                                 json_number_value(json_object_get(gap_y, "upper"));
            assert_true(fabs(apart) < 1e-9);
            assert_string_equal(text_at(gap_x, "a"), text_at(gap_y, "a"));
            assert_string_equal(text_at(gap_x, "b"), text_at(gap_y, "b"));
        }
        json_decref(x);
        json_decref(y);
    }
    program_free(&ours);
    program_free(&theirs);
    free(values);
    berth_scene_destroy(scene);
}

static void foreign_scenes_convert_to_the_same_answers(void** state) {
    (void)state;
    const char* urdf = program_model("room/arm.urdf");
    const char* from[2] = {program_temporary("kitchen.scene"), program_temporary("mbm.yaml")};
    assert_true(program_write_text(from[0], moveit_scene));
    assert_true(program_write_text(from[1], mbm_scene));
    for (int i = 0; i < 2; ++i) {
        const char* to = program_temporary(i == 0 ? "kitchen.yaml" : "converted.yaml");
        ProgramRun run = program_run("new", from[i], "--robot", urdf, "-o", to, NULL);
        if (run.status != 0) {
            fail_msg("exit %d: %s", run.status, run.err);
        }
        program_free(&run);
        expect_same_answers(to, from[i], urdf);
    }
    assert_true(is_there(program_temporary("kitchen_1.obj")));
    // A mesh cannot go to standard output with its scene.
    ProgramRun run = program_run("new", from[0], "--robot", urdf, NULL);
    assert_int_equal(run.status, 2);
    assert_int_equal(run.out_size, 0);
    program_free(&run);
}

// Seen: with --force, a scene that could not be written took the user's old mesh with it, because meshes already
// written were removed again. Here the scene's place is a folder, which no file can replace.
static void a_failed_overwrite_gives_back_what_was_there(void** state) {
    (void)state;
    const char* from = program_temporary("again.scene");
    const char* to = program_temporary("again.yaml");
    const char* mesh = program_temporary("again_1.obj");
    assert_true(program_write_text(from, moveit_scene));
    assert_true(program_write_text(mesh, "my own mesh\n"));
    assert_int_equal(mkdir(to, 0777), 0);
    ProgramRun run =
        program_run("new", from, "--robot", program_model("room/arm.urdf"), "-o", to, "--force", NULL);
    assert_true(run.status == 2 || run.status == 4);
    program_free(&run);
    expect_text(mesh, "my own mesh\n");
    assert_int_equal(rmdir(to), 0);
}

static void info_has_what_interface_promises(void** state) {
    (void)state;
    ProgramRun run = program_run("info", program_model("room/cell.yaml"), "--json", "--pairs", NULL);
    assert_int_equal(run.status, 0);
    assert_int_equal(program_line_count(&run), 1);
    json_t* info = program_json_line(&run, 0);
    const json_t* joints = json_object_get(info, "joints");
    assert_int_equal(json_array_size(joints), 6);
    const json_t* first = json_array_get(joints, 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "turn1");
    assert_string_equal(json_string_value(json_object_get(first, "type")), "revolute");
    assert_int_equal(json_array_size(json_object_get(first, "values")), 1);
    assert_true(json_number_value(json_object_get(json_object_get(first, "limits"), "upper")) == 2.9);
    assert_true(json_is_null(json_object_get(json_array_get(joints, 2), "limits")));  // continuous
    const json_t* mimic = json_object_get(json_array_get(joints, 5), "mimic");
    assert_string_equal(json_string_value(json_object_get(mimic, "joint")), "grip");
    assert_int_equal(json_array_size(json_object_get(info, "links")), 7);
    const json_t* pairs = json_object_get(info, "pairs");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(pairs, "skipped"), "adjacent")), 6);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(pairs, "skipped"), "always_overlap")),
                     1);
    assert_int_equal(json_array_size(json_object_get(pairs, "list")), 21);
    assert_true(json_is_array(json_object_get(info, "assumed")));
    assert_true(json_array_size(json_object_get(info, "declared")) > 0);
    assert_true(json_is_array(json_object_get(info, "warnings")));
    json_decref(info);
    program_free(&run);
    run = program_run("info", program_model("room/cell.yaml"), "--strict", "--json", NULL);
    assert_int_equal(run.status, 0);  // neighbours are declared
    program_free(&run);
}

static void info_tells_about_meshes_and_states(void** state) {
    (void)state;
    const char* file = program_temporary("two.csv");
    assert_true(program_write_text(file, "turn1\n-0.5\n5\n"));
    ProgramRun run = program_run("info", program_model("arm6/base.stl"), program_model("room/cell.yaml"),
                                 file, "--json", NULL);
    assert_int_equal(run.status, 0);
    assert_int_equal(program_line_count(&run), 3);
    json_t* mesh = program_json_line(&run, 0);
    assert_int_equal(json_integer_value(json_object_get(mesh, "triangles")), 560);
    assert_true(json_is_true(json_object_get(mesh, "watertight")));
    json_t* states = program_json_line(&run, 2);
    assert_int_equal(json_integer_value(json_object_get(states, "states")), 2);
    assert_int_equal(json_integer_value(json_object_get(states, "outside_limits")), 1);
    json_decref(mesh);
    json_decref(states);
    program_free(&run);
}

// The PR2's Kinect says centimetres and means metres: 2.8 mm must not pass without a word.
static void info_warns_of_a_wrong_unit(void** state) {
    (void)state;
    char path[1024];
    if (!test_shared_path(path, sizeof path, "robots/mesh-traps/wrong-unit-centimeter.dae")) {
        TEST_SKIP("the shared mesh traps are not here");
    }
    ProgramRun run = program_run("info", path, "--json", NULL);
    json_t* mesh = program_json_line(&run, 0);
    assert_non_null(mesh);
    assert_int_equal(json_array_size(json_object_get(mesh, "warnings")), 1);
    assert_non_null(strstr(run.err, "--dae-units ignore"));
    json_decref(mesh);
    program_free(&run);
    run = program_run("info", path, "--json", "--dae-units", "ignore", NULL);
    mesh = program_json_line(&run, 0);
    assert_int_equal(json_array_size(json_object_get(mesh, "warnings")), 0);
    const json_t* low = json_array_get(json_object_get(mesh, "low"), 1);
    assert_true(json_number_value(low) < -0.13);
    json_decref(mesh);
    program_free(&run);
}

// The library says what is wrong with a file; which flag helps is the program's to say.
static void texts_of_the_library_get_advice(void** state) {
    (void)state;
    const char* foreign = expect_written("advice.scene", "noname\n.\n");
    const char* urdf = program_model("room/arm.urdf");
    const char* scene = program_model("room/cell.yaml");
    const struct {
        const char *file, *robot, *text;
    } cases[] = {
        {foreign, NULL,
         "holds no robot, and none was given: pass --robot ROBOT.urdf (and --srdf ROBOT.srdf)\n"},
        {scene, urdf, "a robot or an SRDF was given: --robot and --srdf are only for files without one\n"},
        {urdf, urdf, "and another one was given: --robot is only for scene files without one\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run("check", cases[i].file, cases[i].robot != NULL ? "--robot" : NULL,
                                     cases[i].robot, NULL);
        assert_int_equal(run.status, 2);
        if (strstr(run.err, cases[i].text) == NULL) {
            fail_msg("%s", run.err);
        }
        program_free(&run);
    }
}

static void real_robots_are_described_and_get_a_scene(void** state) {
    (void)state;
    if (test_shared_dir() == NULL) {
        TEST_SKIP("the shared robots are not here");
    }
    for (const TestRobot* robot = test_robots; robot->name != NULL; ++robot) {
        if (!test_robot_is_due(robot)) {
            continue;
        }
        char urdf[1024], srdf[1024];
        assert_true(test_shared_path(urdf, sizeof urdf, robot->urdf));
        const bool with = robot->srdf != NULL && test_shared_path(srdf, sizeof srdf, robot->srdf);
        const char* file = program_temporary("real.yaml");
        ProgramRun run =
            program_run("new", urdf, "-q", "--force", "-o", file, with ? "--srdf" : NULL, srdf, NULL);
        if (run.status != 0) {
            fail_msg("new %s: exit %d: %s", robot->name, run.status, run.err);
        }
        program_free(&run);
        run = program_run("check", file, "-q", "--json", NULL);
        if (run.status != 0 && run.status != 1) {
            fail_msg("check %s: exit %d: %s", robot->name, run.status, run.err);
        }
        program_free(&run);
    }
}

int test_cli_new(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_scene_is_accepted_as_it_is),
        cmocka_unit_test(a_first_scene_goes_to_standard_output),
        cmocka_unit_test(the_examples_in_the_comments_work),
        cmocka_unit_test(the_held_example_is_held_by_a_hand),
        cmocka_unit_test(what_is_there_is_not_overwritten),
        cmocka_unit_test(foreign_scenes_convert_to_the_same_answers),
        cmocka_unit_test(a_failed_overwrite_gives_back_what_was_there),
        cmocka_unit_test(info_has_what_interface_promises),
        cmocka_unit_test(info_tells_about_meshes_and_states),
        cmocka_unit_test(info_warns_of_a_wrong_unit),
        cmocka_unit_test(texts_of_the_library_get_advice),
        cmocka_unit_test(real_robots_are_described_and_get_a_scene),
    };
    return cmocka_run_group_tests_name("cli_new", tests, NULL, expect_clean_up);
}
