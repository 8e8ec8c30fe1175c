// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth plan: what it finds is held against berth path and by certificates, the same seed gives the same bytes, problems are
// answered in order, every way in which there is no motion has its words and exit status, and wrong requests are refused.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/program.h"
#include "support/setting.h"

// A ball on two slides, and a wall between left and right that is open above y = 1.3.
static const char robot_text[] =
    "<robot name='slider'><link name='base'/><link name='mid'/>"
    "<link name='ball'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
    "<joint name='x' type='prismatic'><parent link='base'/><child link='mid'/><axis xyz='1 0 0'/>"
    "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"
    "<joint name='y' type='prismatic'><parent link='mid'/><child link='ball'/><axis xyz='0 1 0'/>"
    "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint></robot>";
static const char scene_text[] =
    "berth: 1\nrobots:\n  - urdf: slider.urdf\n    srdf: slider.srdf\n    state: {x: -1, y: -1}\n"
    "objects:\n  - {name: wall, box: {size: [0.2, 4, 1]}, pose: {xyz: [0, -0.8, 0]}}\n";
static const char srdf_text[] =
    "<robot name='slider'><group name='all'><joint name='x'/><joint name='y'/></group>"
    "<group name='along'><joint name='x'/></group>"
    "<group_state name='right' group='all'><joint name='x' value='1'/><joint name='y' "
    "value='-1'/></group_state>"
    "<group_state name='inside' group='all'><joint name='x' value='0'/><joint name='y' "
    "value='-1'/></group_state>"
    "<group_state name='near' group='all'><joint name='x' value='-1'/><joint name='y' "
    "value='0'/></group_state></robot>";

static const char* scene_file(void) {
    const char* scene = program_temporary("slider.yaml");
    assert_true(program_write_text(program_temporary("slider.urdf"), robot_text));
    assert_true(program_write_text(program_temporary("slider.srdf"), srdf_text));
    assert_true(program_write_text(scene, scene_text));
    return scene;
}

static ProgramRun expect(int status, const char* const* arguments) {
    ProgramRun run = program_run_list(arguments);
    if (run.status != status) {
        fail_msg("berth %s: exit status %d, %d was expected: %s%s", arguments[0], run.status, status, run.out,
                 run.err);
    }
    return run;
}
#define EXPECT(status, ...) expect(status, (const char* const[]){__VA_ARGS__, NULL})
#define RUN(status, ...)                               \
    do {                                               \
        ProgramRun done = EXPECT(status, __VA_ARGS__); \
        program_free(&done);                           \
    } while (0)

static char* read_text(const char* path) {
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* text = calloc(1, 1 << 20);
    assert_non_null(text);
    (void)!fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static const char* text_of(const json_t* object, const char* key) {
    const char* text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static double number_of(const json_t* object, const char* key) {
    return json_number_value(json_object_get(object, key));
}

// ---- one question ------------------------------------------------------------------------------------------------

static void found_is_proven(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char *csv = program_temporary("way.csv"), *proof = program_temporary("way.proof");
    ProgramRun run =
        EXPECT(0, "plan", scene, "--to", "right", "--json", "-o", csv, "--certificate", proof, "--seed", "3");
    json_t* answer = program_json_line(&run, 0);
    assert_string_equal(text_of(answer, "verdict"), "found");
    assert_string_equal(text_of(answer, "planner"), "rrt-connect");
    assert_true(json_is_true(json_object_get(answer, "certified")));

    const json_t* path = json_object_get(answer, "path");
    const size_t rows = json_array_size(path);
    const json_t *first = json_array_get(path, 0), *last = json_array_get(path, rows - 1);
    assert_true(rows >= 3);
    assert_true(json_number_value(json_array_get(first, 0)) == -1.0);
    assert_true(json_number_value(json_array_get(first, 1)) == -1.0);
    assert_true(json_number_value(json_array_get(last, 0)) == 1.0);
    assert_true(json_number_value(json_array_get(last, 1)) == -1.0);
    const double least = 2.0 * hypot(0.9, 2.2);  // to the wall's upper corners and back
    assert_true(number_of(answer, "length") > least && number_of(answer, "length") < 1.4 * least);
    assert_true(number_of(answer, "length") <= number_of(answer, "found_length"));
    assert_true(number_of(json_object_get(answer, "clearance"), "lower") > 0.0);

    // What was written is that motion.
    ProgramRun checked = EXPECT(0, "path", scene, csv, "--json");
    json_t* again = program_json_line(&checked, 0);
    assert_string_equal(text_of(again, "verdict"), "free");
    assert_string_equal(text_of(again, "interpolation"), "linear");
    assert_true(number_of(again, "segments") == (double)(rows - 1));
    RUN(0, "path", scene, csv, "--verify", proof);
    json_decref(again);
    program_free(&checked);
    json_decref(answer);
    program_free(&run);

    // A proof is about its motion, not about another.
    RUN(0, "plan", scene, "--to", "near", "-o", program_temporary("other.csv"));
    RUN(2, "path", scene, program_temporary("other.csv"), "--verify", proof);
}

static void same_seed_same_bytes(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char *a = program_temporary("a.csv"), *b = program_temporary("b.csv"),
               *c = program_temporary("c.csv");
    RUN(0, "plan", scene, "--to", "right", "--seed", "7", "-o", a);
    RUN(0, "plan", scene, "--from", "x=-1,y=-1", "--to", "x=1,y=-1", "--seed", "7", "-o", b, "--quiet");
    RUN(0, "plan", scene, "--to", "right", "--seed", "8", "-o", c);
    char *of_a = read_text(a), *of_b = read_text(b), *of_c = read_text(c);
    assert_string_equal(of_a, of_b);
    assert_string_not_equal(of_a, of_c);

    // A state may come from a file, and the motion may be a message of ROS.
    const char* json = program_temporary("a.json");
    char from[1200];
    snprintf(from, sizeof from, "@%s", a);
    RUN(0, "plan", scene, "--from", from, "--to", "right", "--seed", "7", "-o", json);
    ProgramRun run = EXPECT(0, "path", scene, json, "--json");
    json_t* answer = program_json_line(&run, 0);
    int lines = 0;
    for (const char* at = of_a; *at != '\0'; ++at) {
        lines += *at == '\n';
    }
    assert_true(number_of(answer, "segments") == (double)(lines - 2));
    json_decref(answer);
    program_free(&run);
    free(of_a);
    free(of_b);
    free(of_c);
}

static void none_says_why(void** state) {
    (void)state;
    const char* scene = scene_file();
    const struct {
        const char *from, *to, *reason;
        int status;
    } cases[] = {{"inside", "right", "start_collision", 1}, {"near", "inside", "goal_collision", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run =
            EXPECT(cases[i].status, "plan", scene, "--from", cases[i].from, "--to", cases[i].to, "--json");
        json_t* answer = program_json_line(&run, 0);
        assert_string_equal(text_of(answer, "verdict"), "none");
        assert_string_equal(text_of(answer, "reason"), cases[i].reason);
        assert_string_equal(text_of(answer, "a"), "ball");
        assert_string_equal(text_of(answer, "b"), "wall");
        assert_int_equal(json_array_size(json_object_get(answer, "point")), 3);
        json_decref(answer);
        program_free(&run);
    }

    // With a margin the opening is closed: the time is spent, and no file is written.
    const char* csv = program_temporary("none.csv");
    ProgramRun run =
        EXPECT(3, "plan", scene, "--to", "right", "--margin", "0.7", "--time", "0.05", "--json", "-o", csv);
    json_t* answer = program_json_line(&run, 0);
    assert_string_equal(text_of(answer, "reason"), "budget");
    assert_true(number_of(json_object_get(answer, "stats"), "samples") > 0.0);
    assert_true(access(csv, F_OK) != 0);
    json_decref(answer);
    program_free(&run);

    run = EXPECT(1, "plan", scene, "--from", "inside", "--to", "right");
    assert_non_null(strstr(run.out, "the start collides: ball and wall touch"));
    program_free(&run);
    run = EXPECT(3, "plan", scene, "--to", "right", "--margin", "0.7", "--time", "0.05");
    assert_non_null(strstr(run.out, "none was found in"));
    program_free(&run);
}

// A group moves alone: at y = -1 the wall is in the way, above it the way is straight.
static void groups_and_weights_count(void** state) {
    (void)state;
    const char* scene = scene_file();
    ProgramRun run =
        EXPECT(3, "plan", scene, "--to", "right", "--group", "along", "--time", "0.05", "--json");
    json_t* answer = program_json_line(&run, 0);
    assert_string_equal(text_of(answer, "reason"), "budget");
    json_decref(answer);
    program_free(&run);

    // The goal's y is not the group's: it is the start's.
    run = EXPECT(0, "plan", scene, "--from", "x=-1,y=1.6", "--to", "right", "--group", "along", "--weights",
                 "x=3", "--json");
    answer = program_json_line(&run, 0);
    const json_t* path = json_object_get(answer, "path");
    assert_int_equal(json_array_size(path), 2);
    assert_true(json_number_value(json_array_get(json_array_get(path, 1), 1)) == 1.6);
    assert_true(fabs(number_of(answer, "length") - 6.0) < 1e-12);
    json_decref(answer);
    program_free(&run);
}

// A link's pose as the goal: the ball at (1, -1) is the state x = 1, y = -1.
static void poses_are_goals(void** state) {
    (void)state;
    const char* scene = scene_file();
    ProgramRun run = EXPECT(0, "plan", scene, "--goal-pose", "ball=1,-1,0,0,0,0", "--json");
    json_t* answer = program_json_line(&run, 0);
    const json_t* path = json_object_get(answer, "path");
    const json_t* last = json_array_get(path, json_array_size(path) - 1);
    assert_true(fabs(json_number_value(json_array_get(last, 0)) - 1.0) < 1e-6);
    assert_true(fabs(json_number_value(json_array_get(last, 1)) + 1.0) < 1e-6);
    json_decref(answer);
    program_free(&run);

    // In the wall it collides; above the plane no state has it.
    run = EXPECT(1, "plan", scene, "--goal-pose", "ball=0,-1,0,0,0,0");
    assert_non_null(strstr(run.out, "the goal collides: ball and wall touch"));
    program_free(&run);
    run = EXPECT(3, "plan", scene, "--goal-pose", "ball=1,-1,0.5,0,0,0");
    assert_non_null(strstr(run.out, "no state within limits was found in which the link has that pose"));
    program_free(&run);
}

// ---- many --------------------------------------------------------------------------------------------------------

static void problems_are_answered_in_order(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char* file = program_temporary("problems.jsonl");
    assert_true(program_write_text(
        file,
        "{\"name\": \"round\", \"scene\": {\"objects\": []}, \"start\": [-1, -1], \"goals\": [[1, -1]]}\n\n"
        "{\"name\": \"ball\", \"scene\": {\"objects\": [{\"name\": \"b\", \"sphere\": {\"radius\": 0.3}, "
        "\"pose\": {\"xyz\": [-1, -1, "
        "0]}}]}, \"start\": [-1, -1], \"goals\": [[1, -1]]}\n"
        "{\"name\": \"two\", \"scene\": {\"objects\": []}, \"start\": [-1, -1], \"goals\": [[0, 0], [-1, "
        "1]]}\n"
        "{\"name\": \"shut\", \"scene\": {\"objects\": [{\"name\": \"b\", \"box\": {\"size\": [0.2, 4, 1]}, "
        "\"pose\": {\"xyz\": [0, 3, "
        "0]}}]}, \"start\": [-1, -1], \"goals\": [[1, -1]]}\n"));
    char* texts[2];
    for (int threads = 1; threads <= 2; ++threads) {
        ProgramRun run = EXPECT(1, "plan", scene, "--problems", file, "--json", "--time", "0.1", "--threads",
                                threads == 1 ? "1" : "2");
        assert_int_equal(program_line_count(&run), 4);
        static const char* const names[] = {"round", "ball", "two", "shut"};
        static const char* const words[] = {"found", "none", "found", "none"};
        static const char* const reasons[] = {"", "start_collision", "", "budget"};
        for (int i = 0; i < 4; ++i) {
            json_t* answer = program_json_line(&run, i);
            assert_string_equal(text_of(answer, "name"), names[i]);
            assert_string_equal(text_of(answer, "verdict"), words[i]);
            assert_string_equal(text_of(answer, "reason"), reasons[i]);
            if (i == 2) {
                assert_true(number_of(answer, "goal") == 1.0);
            }
            if (i == 0) {
                texts[threads - 1] = json_dumps(json_object_get(answer, "path"), JSON_COMPACT);
            }
            json_decref(answer);
        }
        program_free(&run);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void wrong_problems_are_refused(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char* file = program_temporary("wrong.jsonl");
    static const char good[] =
        "{\"name\": \"g\", \"scene\": {\"objects\": []}, \"start\": [-1, -1], \"goals\": [[1, -1]]}\n";
    const struct {
        const char *line, *words;
    } cases[] = {
        {"{\"name\": \"g\", \"scene\": {\"objects\": []}, \"start\": [-3, -1], \"goals\": [[1, -1]]}\n",
         "outside its limits"},
        {"{\"name\": \"g\", \"scene\": {\"objects\": []}, \"start\": [-1, -1], \"goals\": []}\n",
         "at least one"},
        {"{\"name\": \"g\", \"scene\": {\"objects\": []}, \"start\": [-1], \"goals\": [[1, -1]]}\n", "start"},
        {"{\"name\": \"g\", \"scene\": {\"objects\": [{\"name\": \"b\"}]}, \"start\": [-1, 0], \"goals\": "
         "[[1, -1]]}\n",
         "b"},
        {"not json {\n", "wrong.jsonl:2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", good, cases[i].line);
        assert_true(program_write_text(file, text));
        ProgramRun run = EXPECT(2, "plan", scene, "--problems", file, "--json");
        assert_non_null(strstr(run.err, "wrong.jsonl:2"));
        assert_non_null(strstr(run.err, cases[i].words));
        assert_int_equal(run.out_size, 0);
        program_free(&run);
    }
    assert_true(program_write_text(file, "\n  \n"));
    RUN(2, "plan", scene, "--problems", file);
}

// ---- requests ----------------------------------------------------------------------------------------------------

static void wrong_requests_are_refused(void** state) {
    (void)state;
    const char* scene = scene_file();
    const struct {
        const char *words, *arguments[6];
    } cases[] = {
        {"where to?", {NULL}},
        {"no state is named 'nowhere'", {"--to", "nowhere"}},
        {"outside its limits -2 .. 2", {"--to", "x=3"}},
        {"outside its limits", {"--from", "x=-2.001", "--to", "right"}},
        {"there is no joint", {"--to", "z=3"}},
        {"expected one of rrt-connect, sbl", {"--to", "right", "--planner", "magic"}},
        {".csv or .json", {"--to", "right", "-o", "way.txt"}},
        {"does nothing with --problems", {"--to", "right", "--problems", "x.jsonl"}},
        {"there is no such group; there are: all, along", {"--to", "right", "--group", "none"}},
        {"expected a number above 0", {"--to", "right", "--weights", "x=0"}},
        {"there is no joint", {"--to", "right", "--weights", "q=2"}},
        {"there is no link 'nose'", {"--goal-pose", "nose=0,0,0,0,0,0"}},
        {"expected LINK=X,Y,Z,R,P,Y", {"--goal-pose", "ball=0,0,0"}},
        {"what is 'extra'", {"--to", "right", "extra"}},
        {"No such file", {"--to", "@/nowhere/at/all.csv"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* arguments[12] = {"plan", scene};
        for (int k = 0; k < 6 && cases[i].arguments[k] != NULL; ++k) {
            arguments[2 + k] = cases[i].arguments[k];
        }
        ProgramRun run = expect(2, arguments);
        if (strstr(run.err, cases[i].words) == NULL) {
            fail_msg("'%s' was expected in: %s", cases[i].words, run.err);
        }
        assert_int_equal(run.out_size, 0);
        program_free(&run);
    }
}

// Nothing is searched for longer once Ctrl-C came; lines of problems that were finished are there.
static void interrupts_end_it(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char* file = program_temporary("long.jsonl");
    const char* out = program_temporary("out.txt");
    assert_true(program_write_text(out, ""));
    ProgramRun run = program_run_into(
        out, 300,
        (const char* const[]){"plan", scene, "--to", "right", "--margin", "0.7", "--time", "100", NULL});
    assert_int_equal(run.status, 130);
    program_free(&run);

    assert_true(program_write_text(
        file,
        "{\"name\": \"quick\", \"scene\": {\"objects\": []}, \"start\": [-1, -1], \"goals\": [[-1, 1]]}\n"
        "{\"name\": \"shut\", \"scene\": {\"objects\": [{\"name\": \"b\", \"box\": {\"size\": [0.2, 4, 1]}, "
        "\"pose\": {\"xyz\": [0, 3, "
        "0]}}]}, \"start\": [-1, -1], \"goals\": [[1, -1]]}\n"));
    run = program_run_into(
        out, 700, (const char* const[]){"plan", scene, "--problems", file, "--json", "--time", "100", NULL});
    assert_int_equal(run.status, 130);
    assert_non_null(strstr(run.err, "interrupted after 1 of 2 problems"));
    program_free(&run);
    char* text = read_text(out);
    assert_non_null(strstr(text, "\"quick\""));
    assert_null(strstr(text, "\"shut\""));
    free(text);
}

static int remove_files(void** state) {
    (void)state;
    program_remove_temporary();
    return 0;
}

int test_cli_plan(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_is_proven),
        cmocka_unit_test(same_seed_same_bytes),
        cmocka_unit_test(none_says_why),
        cmocka_unit_test(poses_are_goals),
        cmocka_unit_test(groups_and_weights_count),
        cmocka_unit_test(problems_are_answered_in_order),
        cmocka_unit_test(wrong_problems_are_refused),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(interrupts_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
