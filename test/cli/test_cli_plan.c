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

#include "support/expect.h"
#include "support/setting.h"
#include "support/slider.h"

// A ball on two slides, and a wall between left and right that is open above y = 1.3.
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
    assert_true(program_write_text(program_temporary("slider.urdf"), SLIDER_URDF));
    assert_true(program_write_text(program_temporary("slider.srdf"), srdf_text));
    assert_true(program_write_text(scene, scene_text));
    return scene;
}

#define RUN(status, ...)                                   \
    do {                                                   \
        ProgramRun done = EXPECT_RUN(status, __VA_ARGS__); \
        program_free(&done);                               \
    } while (0)

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
    ProgramRun run = EXPECT_RUN(0, "plan", scene, "--to", "right", "--json", "-o", csv, "--certificate",
                                proof, "--seed", "3");
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
    ProgramRun checked = EXPECT_RUN(0, "path", scene, csv, "--json");
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
    char *of_a = expect_file(a), *of_b = expect_file(b), *of_c = expect_file(c);
    assert_string_equal(of_a, of_b);
    assert_string_not_equal(of_a, of_c);

    // A state may come from a file, and the motion may be a message of ROS.
    const char* json = program_temporary("a.json");
    char from[1200];
    snprintf(from, sizeof from, "@%s", a);
    RUN(0, "plan", scene, "--from", from, "--to", "right", "--seed", "7", "-o", json);
    ProgramRun run = EXPECT_RUN(0, "path", scene, json, "--json");
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
        ProgramRun run = EXPECT_RUN(cases[i].status, "plan", scene, "--from", cases[i].from, "--to",
                                    cases[i].to, "--json");
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
    ProgramRun run = EXPECT_RUN(3, "plan", scene, "--to", "right", "--margin", "0.7", "--time", "0.05",
                                "--json", "-o", csv);
    json_t* answer = program_json_line(&run, 0);
    assert_string_equal(text_of(answer, "reason"), "budget");
    assert_true(number_of(json_object_get(answer, "stats"), "samples") > 0.0);
    assert_true(access(csv, F_OK) != 0);
    json_decref(answer);
    program_free(&run);

    run = EXPECT_RUN(1, "plan", scene, "--from", "inside", "--to", "right");
    assert_non_null(strstr(run.out, "the start collides: ball and wall touch"));
    program_free(&run);
    run = EXPECT_RUN(3, "plan", scene, "--to", "right", "--margin", "0.7", "--time", "0.05");
    assert_non_null(strstr(run.out, "none was found in"));
    program_free(&run);
}

// ---- with times --------------------------------------------------------------------------------------------------

static double element(const json_t* rows, size_t row, size_t column) {
    return json_number_value(json_array_get(json_array_get(rows, row), column));
}

// A ball at (x, y) and the wall: 0.2 wide around x = 0, up to y = 1.2. Not the library's.
static double gap_to_wall(double x, double y) {
    const double dx = fmax(0.0, fabs(x) - 0.1), dy = fmax(0.0, y - 1.2);
    return hypot(dx, dy) - 0.1;
}

// Every cubic between two rows by its own definition, 1,000 places on each: speeds, accelerations, gaps.
static void check_timed(const json_t* answer, const double* speed, const double* bend) {
    const json_t *path = json_object_get(answer, "path"), *times = json_object_get(answer, "times");
    const json_t* velocities = json_object_get(answer, "velocities");
    const size_t rows = json_array_size(path);
    assert_int_equal(json_array_size(times), rows);
    assert_int_equal(json_array_size(velocities), rows);
    double fastest = 0.0, hardest = 0.0;
    for (size_t row = 0; row + 1 < rows; ++row) {
        const double t0 = json_number_value(json_array_get(times, row));
        const double d = json_number_value(json_array_get(times, row + 1)) - t0;
        assert_true(d > 0.0);
        for (int k = 0; k <= 1000; ++k) {
            const double u = k / 1000.0;
            double at[2];
            for (size_t j = 0; j < 2; ++j) {
                const double p0 = element(path, row, j), p1 = element(path, row + 1, j);
                const double v0 = element(velocities, row, j), v1 = element(velocities, row + 1, j);
                at[j] = (1 + 2 * u) * (1 - u) * (1 - u) * p0 + u * (1 - u) * (1 - u) * d * v0 +
                        u * u * (3 - 2 * u) * p1 + u * u * (u - 1) * d * v1;
                const double v =
                    6 * u * (1 - u) * (p1 - p0) / d + (1 - u) * (1 - 3 * u) * v0 + u * (3 * u - 2) * v1;
                const double a =
                    (6 - 12 * u) * (p1 - p0) / (d * d) + ((6 * u - 4) * v0 + (6 * u - 2) * v1) / d;
                fastest = fmax(fastest, fabs(v) / speed[j]);
                hardest = fmax(hardest, fabs(a) / bend[j]);
            }
            assert_true(gap_to_wall(at[0], at[1]) > 0.0);
        }
    }
    for (size_t j = 0; j < 2; ++j) {
        assert_true(element(velocities, 0, j) == 0.0 && element(velocities, rows - 1, j) == 0.0);
    }
    // Limits are kept, and used.
    assert_true(fastest <= 1.0 + 1e-9 && hardest <= 1.0 + 1e-6);
    assert_true(fastest > 0.9 && hardest > 0.9);
}

static void timed_motion_reads_back(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char *csv = program_temporary("timed.csv"), *json = program_temporary("timed.json"),
               *proof = program_temporary("timed.proof");
    int64_t blends = 0, corners = 0;
    for (int seed = 0; seed < 8; ++seed) {
        char text[20];
        snprintf(text, sizeof text, "%d", seed);
        ProgramRun run = EXPECT_RUN(0, "plan", scene, "--to", "right", "--timed", "--json", "--seed", text,
                                    "-o", csv, "--certificate", proof);
        json_t* answer = program_json_line(&run, 0);
        assert_true(json_is_true(json_object_get(answer, "certified")));
        assert_true(number_of(answer, "default_accelerations") == 2.0);
        check_timed(answer, (double[]){1.0, 1.0}, (double[]){2.0, 2.0});
        blends += (int64_t)number_of(answer, "blends");
        corners += (int64_t)number_of(answer, "corners");

        // Both files are that motion by default, timing and blends included.
        RUN(0, "plan", scene, "--to", "right", "--timed", "--seed", text, "-o", json);
        const char* files[] = {csv, json};
        for (int i = 0; i < 2; ++i) {
            ProgramRun checked = EXPECT_RUN(0, "path", scene, files[i], "--json");
            json_t* again = program_json_line(&checked, 0);
            assert_string_equal(text_of(again, "interpolation"), "cubic");
            assert_true(number_of(again, "segments") + 1.0 ==
                        (double)json_array_size(json_object_get(answer, "path")));
            json_decref(again);
            program_free(&checked);
            RUN(0, "path", scene, files[i], "--verify", proof);
        }
        json_decref(answer);
        program_free(&run);
    }

    // Downwards velocities begin and end with -0, which no file keeps: the proof once was about another motion.
    RUN(0, "plan", scene, "--from", "right", "--to", "x=0.8,y=-0", "--timed", "-o", csv, "--certificate",
        proof);
    RUN(0, "path", scene, csv, "--verify", proof);
    RUN(0, "plan", scene, "--from", "right", "--to", "x=0.8,y=-0", "-o", csv, "--certificate", proof);
    RUN(0, "path", scene, csv, "--verify", proof);
    assert_true(corners >= 8 && blends > 0);

    // A motion that stands has two rows.
    ProgramRun run = EXPECT_RUN(0, "plan", scene, "--from", "right", "--to", "right", "--timed", "--json");
    json_t* answer = program_json_line(&run, 0);
    assert_int_equal(json_array_size(json_object_get(answer, "times")), 2);
    json_decref(answer);
    program_free(&run);
}

static void timing_obeys_the_scene(void** state) {
    (void)state;
    (void)scene_file();
    char text[2000];
    const char* slow = program_temporary("slow.yaml");
    const char* objects = strstr(scene_text, "objects:");
    snprintf(text, sizeof text,
             "%.*s    limits: {x: {velocity: 0.5, acceleration: 0.8, deceleration: 0.4}, y: {acceleration: "
             "3}}\n%s",
             (int)(objects - scene_text), scene_text, objects);
    assert_true(program_write_text(slow, text));
    ProgramRun run = EXPECT_RUN(0, "plan", slow, "--to", "right", "--timed", "--json", "--no-shorten");
    json_t* answer = program_json_line(&run, 0);
    assert_true(number_of(answer, "default_accelerations") == 0.0);
    check_timed(answer, (double[]){0.5, 1.0}, (double[]){0.4, 3.0});
    json_decref(answer);
    program_free(&run);

    // A joint without a velocity limit is named.
    const char *urdf = program_temporary("free.urdf"), *scene = program_temporary("free.yaml");
    assert_true(program_write_text(
        urdf,
        "<robot name='free'><link name='base'/><link name='ball'><collision><geometry><sphere "
        "radius='0.1'/></geometry></collision></link><joint name='turn' type='continuous'><parent "
        "link='base'/><child link='ball'/><axis xyz='0 0 1'/></joint></robot>"));
    assert_true(program_write_text(scene, "berth: 1\nrobots:\n  - urdf: free.urdf\n"));
    run = EXPECT_RUN(2, "plan", scene, "--to", "turn=1", "--timed");
    assert_non_null(strstr(run.err, "'turn' has no velocity limit"));
    program_free(&run);
}

// A group moves alone: at y = -1 the wall is in the way, above it the way is straight.
static void groups_and_weights_count(void** state) {
    (void)state;
    const char* scene = scene_file();
    ProgramRun run =
        EXPECT_RUN(3, "plan", scene, "--to", "right", "--group", "along", "--time", "0.05", "--json");
    json_t* answer = program_json_line(&run, 0);
    assert_string_equal(text_of(answer, "reason"), "budget");
    json_decref(answer);
    program_free(&run);

    // The goal's y is not the group's: it is the start's.
    run = EXPECT_RUN(0, "plan", scene, "--from", "x=-1,y=1.6", "--to", "right", "--group", "along",
                     "--weights", "x=3", "--json");
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
    ProgramRun run = EXPECT_RUN(0, "plan", scene, "--goal-pose", "ball=1,-1,0,0,0,0", "--json");
    json_t* answer = program_json_line(&run, 0);
    const json_t* path = json_object_get(answer, "path");
    const json_t* last = json_array_get(path, json_array_size(path) - 1);
    assert_true(fabs(json_number_value(json_array_get(last, 0)) - 1.0) < 1e-6);
    assert_true(fabs(json_number_value(json_array_get(last, 1)) + 1.0) < 1e-6);
    json_decref(answer);
    program_free(&run);

    // In the wall it collides; above the plane no state has it.
    run = EXPECT_RUN(1, "plan", scene, "--goal-pose", "ball=0,-1,0,0,0,0");
    assert_non_null(strstr(run.out, "the goal collides: ball and wall touch"));
    program_free(&run);
    run = EXPECT_RUN(3, "plan", scene, "--goal-pose", "ball=1,-1,0.5,0,0,0");
    assert_non_null(
        strstr(run.out, "no state within joint limits was found in which the link has that pose"));
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
        ProgramRun run = EXPECT_RUN(1, "plan", scene, "--problems", file, "--json", "--time", "0.1",
                                    "--threads", threads == 1 ? "1" : "2");
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

// A roadmap is kept over problems without objects, and dropped where a problem has some: then the wall has no opening.
static void roadmaps_are_kept(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char* file = program_temporary("many.jsonl");
    static const char way[] =
        "{\"name\": \"way\", \"scene\": {\"objects\": []}, \"start\": [-1, -1], \"goals\": [[1, -1]]}\n";
    static const char shut[] =
        "{\"name\": \"shut\", \"scene\": {\"objects\": [{\"name\": \"b\", \"box\": {\"size\": [0.2, 4, 1]}, "
        "\"pose\": {\"xyz\": [0, 3, 0]}}]}, \"start\": [-1, -1], \"goals\": [[1, -1]]}\n";
    char text[2000];
    snprintf(text, sizeof text, "%s%s%s%s%s", way, way, shut, way, way);
    assert_true(program_write_text(file, text));

    double edges[2][5];
    for (int threads = 1; threads <= 2; ++threads) {
        ProgramRun run = EXPECT_RUN(3, "plan", scene, "--problems", file, "--planner", "prm", "--json",
                                    "--time", "0.2", "--threads", threads == 1 ? "1" : "2", "--no-shorten");
        assert_int_equal(program_line_count(&run), 5);
        for (int i = 0; i < 5; ++i) {
            json_t* answer = program_json_line(&run, i);
            assert_string_equal(text_of(answer, "planner"), "prm");
            assert_string_equal(text_of(answer, "verdict"), i == 2 ? "none" : "found");
            edges[threads - 1][i] = number_of(json_object_get(answer, "stats"), "edges");
            json_decref(answer);
        }
        program_free(&run);
    }
    for (int i = 0; i < 5; ++i) {
        assert_true(i == 2 || edges[0][i] == edges[1][i]);
    }
    assert_true(edges[0][1] <
                edges[0][0]);  // the same way again: a straight line is tried, the rest is known
    assert_true(edges[0][3] == edges[0][0]);  // begun anew
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
        ProgramRun run = EXPECT_RUN(2, "plan", scene, "--problems", file, "--json");
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
        {"not also 'extra'", {"--to", "right", "extra"}},
        {"No such file", {"--to", "@/nowhere/at/all.csv"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* arguments[12] = {"plan", scene};
        for (int k = 0; k < 6 && cases[i].arguments[k] != NULL; ++k) {
            arguments[2 + k] = cases[i].arguments[k];
        }
        ProgramRun run = expect_run(2, arguments);
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
    char* text = expect_file(out);
    assert_non_null(strstr(text, "\"quick\""));
    assert_null(strstr(text, "\"shut\""));
    free(text);
}

// How long a search takes nobody knows: a person sees seconds and samples on a terminal, and of many problems how many are done.
// Not with -q, and never in a file.
static void progress_is_shown(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char* shut[] = {"plan", scene, "--to", "right", "--margin", "0.7", "--time", "2", NULL, NULL};
    ProgramRun run = program_run_terminal(shut);
    assert_int_equal(run.status, 3);
    const char* first = strstr(run.err, "searching for ");
    assert_non_null(first);
    assert_non_null(strstr(first, "(--time 2), "));
    double seconds = 0.0, limit = 0.0;
    long long samples = 0, more = 0;
    assert_int_equal(
        sscanf(first, "searching for %lf s (--time %lf), %lld samples", &seconds, &limit, &samples), 3);
    assert_true(seconds >= 0.4 && samples > 0);

    // It goes on, and the line is taken away before the answer.
    const char* last = first;
    for (const char* at = first; at != NULL; at = strstr(at + 1, "searching for ")) {
        last = at;
    }
    assert_int_equal(sscanf(last, "searching for %lf s (--time %lf), %lld samples", &seconds, &limit, &more),
                     3);
    assert_true(more > samples);
    assert_non_null(strstr(last, "samples\r\033[K"));
    program_free(&run);

    shut[8] = "--quiet";
    run = program_run_terminal(shut);
    assert_int_equal(run.status, 3);
    assert_string_equal(run.err, "");
    program_free(&run);
    shut[8] = NULL;
    run = program_run_list(shut);
    assert_null(strstr(run.err, "searching"));
    program_free(&run);

    const char* file = program_temporary("some.jsonl");
    const char* line =
        "{\"name\": \"shut\", \"scene\": {\"objects\": [{\"name\": \"b\", \"box\": {\"size\": [0.2, 4, 1]}, "
        "\"pose\": {\"xyz\": [0, 3, 0]}}]}, \"start\": [-1, -1], \"goals\": [[1, -1]]}\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", line, line);
    assert_true(program_write_text(file, text));
    run = program_run_terminal(
        (const char* const[]){"plan", scene, "--problems", file, "--time", "0.8", "--threads", "1", NULL});
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.err, "] 1 of 2 problems"));
    program_free(&run);
}

int test_cli_plan(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_is_proven),
        cmocka_unit_test(same_seed_same_bytes),
        cmocka_unit_test(none_says_why),
        cmocka_unit_test(timed_motion_reads_back),
        cmocka_unit_test(timing_obeys_the_scene),
        cmocka_unit_test(poses_are_goals),
        cmocka_unit_test(groups_and_weights_count),
        cmocka_unit_test(problems_are_answered_in_order),
        cmocka_unit_test(roadmaps_are_kept),
        cmocka_unit_test(wrong_problems_are_refused),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(interrupts_end_it),
        cmocka_unit_test(progress_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
