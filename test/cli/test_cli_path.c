// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth path as a user meets it: exit statuses, JSON that equals the library's own answers bit for bit, the same bytes
// for every number of threads, what is assumed, wrong files, Ctrl-C.
// test-labels: threads

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
#include <unistd.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/setting.h"

#define WAVE "left/joint1,left/joint2\n0,-0.9\n0.3,-0.7\n-0.3,-0.8\n"
// Home, a little to the side, into the table, home.
#define DIVE                                                                                               \
    "time,left/joint1,left/joint2,left/joint3,left/joint4,left/joint5,left/joint6\n0,0,-0.9,0,1.6,0,0.8\n" \
    "1,0.1,-0.9,0,1.6,0,0.8\n3,0,-0.47,-0.2,1.27,0.19,0.7\n4,0,-0.9,0,1.6,0,0.8\n"

static void exit_status_tells_the_verdict(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    const char* wave = expect_written("wave.csv", WAVE);
    const char* dive = expect_written("dive.csv", DIVE);
    EXPECT_STATUS(0, "path", cell, wave);
    EXPECT_STATUS(0, "path", cell, wave, "--quiet", "--threads", "2");
    EXPECT_STATUS(0, "path", cell, wave, "--strict");  // neighbours and allowed pairs are declared
    EXPECT_STATUS(1, "path", cell, dive);
    EXPECT_STATUS(1, "path", cell, dive, "--strict", "--first-contact");
    EXPECT_STATUS(1, "path", cell, wave, "--margin", "0.5");
    EXPECT_STATUS(3, "path", cell, wave, "--method", "fixed");
    EXPECT_STATUS(1, "path", cell, dive, "--method", "fixed");
    EXPECT_STATUS(0, "path", cell, wave, "--method", "second-order");
    EXPECT_STATUS(0, "path", cell, wave, "--tracking-error", "0.001");
    EXPECT_STATUS(0, "path", cell, wave, "--tracking-error", "left/joint1=0.001,right/joint2=0");
    EXPECT_STATUS(1, "path", cell, wave, "--state", "left/hit_table", "--at", "left/joint1=0.2,left/joint2=0",
                  "--margin", "0.3");
    EXPECT_STATUS(2, "path", cell, wave, "--tracking-error", "left/joint9=0.001");
    EXPECT_STATUS(2, "path", cell, wave, "--tracking-error", "left/joint1=0.1,left/joint1=0.2");
    EXPECT_STATUS(2, "path", cell, wave, "--tracking-error", "-1");
    EXPECT_STATUS(2, "path", cell, wave, "--tracking-error", "nan");
    EXPECT_STATUS(2, "path", cell, wave, "--interpolation", "cubic");
    EXPECT_STATUS(2, "path", cell, wave, "--state", "nowhere");
}

// One arm's rows with times; where `curved` velocities that bend what lies between them.
static const char* written_wander(Random* random, bool curved) {
    char text[4096];
    int at = snprintf(text, sizeof text, "time,left/joint1,left/joint2,left/joint4%s\n",
                      curved ? ",left/joint1:velocity,left/joint2:velocity,left/joint4:velocity" : "");
    for (int row = 0; row < 4; ++row) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%d,%.17g,%.17g,%.17g", row,
                       bi_random_between(random, -0.4, 0.4), bi_random_between(random, -1.1, -0.5),
                       bi_random_between(random, 1.0, 1.7));
        for (int i = 0; i < 3 && curved; ++i) {
            at +=
                snprintf(text + at, sizeof text - (size_t)at, ",%.17g", bi_random_between(random, -0.8, 0.8));
        }
        at += snprintf(text + at, sizeof text - (size_t)at, "\n");
    }
    return expect_written("wander.csv", text);
}

// The library's one call about a file says what the program says about it, curves included.
static void one_call_about_a_trajectory(void** state) {
    (void)state;
    char cell[512];  // buffers of names are used again after 64
    (void)snprintf(cell, sizeof cell, "%s", program_model("two_arms/cell.yaml"));
    BerthScene* scene = NULL;
    assert_int_equal(berth_io_read_scene(cell, NULL, &scene), BERTH_OK);
    Random random = {4};
    int verdicts[3] = {0};
    for (int i = 0; i < 12 + test_scaled(60); ++i) {
        const char* file = written_wander(&random, i % 2 == 1);
        BerthTrajectory path;
        BerthPathResult answer;
        assert_int_equal(berth_io_read_trajectory(file, scene, NULL, &path), BERTH_OK);
        assert_int_equal(berth_trajectory_check(&path, scene, 0.0, &answer), BERTH_OK);
        berth_io_free_trajectory(&path);

        ProgramRun run = program_run("path", cell, file, "--json", NULL);
        json_t* told = program_json_line(&run, 0);
        assert_string_equal(json_string_value(json_object_get(told, "verdict")),
                            berth_verdict_name(answer.verdict));
        if (answer.verdict == BERTH_FREE) {
            const json_t* lower = json_object_get(json_object_get(told, "clearance"), "lower");
            assert_true(json_number_value(lower) == answer.clearance);
        } else {
            assert_int_equal(json_integer_value(json_object_get(told, "segment")), answer.segment);
        }
        verdicts[answer.verdict] += 1;
        json_decref(told);
        program_free(&run);
    }
    berth_scene_destroy(scene);
    assert_true(verdicts[BERTH_FREE] > 0 && verdicts[BERTH_COLLISION] > 0);
}

// Tracking error that nothing can prove away: text must not take longer than JSON because it would show the first contact. It took 83 s.
static void a_person_waits_no_longer_than_a_program(void** state) {
    (void)state;
    const char* cell = program_model("arm6/cell.yaml");
    const char* file = expect_written("error.csv", "joint1,joint2\n0,-0.5\n0.4,-0.4\n");
    ProgramRun run = program_run("path", cell, file, "--tracking-error", "0.1", NULL);
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.out, "when joints deviate by their tracking error"));
    const char* placed = strstr(run.out, " configurations placed");
    assert_non_null(placed);
    while (placed > run.out && placed[-1] != ' ') {
        placed -= 1;
    }
    assert_true(strtol(placed, NULL, 10) < 1000);
    program_free(&run);
}

// A proof that was written holds for the same request, for less, and for nothing else.
static void a_certificate_is_checked(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    const char* wave = expect_written("wave.csv", WAVE);
    const char* other =
        expect_written("other_wave.csv", "left/joint1,left/joint2\n0,-0.9\n0.3,-0.7\n-0.3,-0.801\n");
    const char* dive = expect_written("dive.csv", DIVE);
    const char* proof = program_temporary("proof.txt");
    EXPECT_STATUS(0, "path", cell, wave, "--certificate", proof, "--margin", "0.001", "--tracking-error",
                  "0.001");
    EXPECT_STATUS(0, "path", cell, wave, "--verify", proof, "--margin", "0.001", "--tracking-error", "0.001");
    EXPECT_STATUS(0, "path", cell, wave, "--verify", proof);
    EXPECT_STATUS(0, "path", cell, wave, "--verify", proof, "--strict");
    EXPECT_STATUS(2, "path", cell, wave, "--verify", proof, "--margin", "0.2");
    EXPECT_STATUS(2, "path", cell, wave, "--verify", proof, "--tracking-error", "0.002");
    EXPECT_STATUS(2, "path", cell, other, "--verify", proof);
    EXPECT_STATUS(2, "path", cell, dive, "--verify", proof);
    EXPECT_STATUS(2, "path", cell, wave, "--verify", program_temporary("nothing.txt"));
    EXPECT_STATUS(2, "path", cell, wave, "--verify", wave);
    EXPECT_STATUS(2, "path", cell, wave, "--verify", proof, "--certificate", proof);
    EXPECT_STATUS(2, "path", cell, wave, "--certificate", proof, "--method", "fixed");
    EXPECT_STATUS(0, "path", cell, wave, "--certificate", proof, "--method", "refined");
    EXPECT_STATUS(0, "path", cell, wave, "--verify", proof);
    EXPECT_STATUS(2, "path", cell, wave, "--certificate", "/nowhere/proof.txt");
    const char* none = program_temporary("none.txt");
    EXPECT_STATUS(1, "path", cell, dive, "--certificate", none);
    assert_int_not_equal(access(none, F_OK), 0);
    ProgramRun run = program_run("path", cell, wave, "--verify", proof, NULL);
    assert_non_null(strstr(run.out, "declared: "));
    program_free(&run);
    run = program_run("path", cell, wave, "--verify", proof, "--quiet", NULL);
    assert_non_null(strstr(run.out, "the certificate holds"));
    assert_null(strstr(run.out, "declared: "));
    program_free(&run);
    json_t* answer = EXPECT_JSON(0, "path", cell, wave, "--verify", proof);
    assert_string_equal(text_at(answer, "certificate"), "holds");
    assert_true(number_at(json_object_get(answer, "clearance"), "lower") >= 0.001);
    assert_int_equal(number_at(answer, "segments"), 2);
    json_decref(answer);

    // What it says about itself, without the scene.
    answer = EXPECT_JSON(0, "info", proof);
    assert_string_equal(text_at(answer, "kind"), "certificate");
    assert_int_equal(number_at(answer, "segments"), 2);
    assert_true(number_at(answer, "records") > 2 && number_at(answer, "margin") >= 0.001);
    assert_string_equal(text_at(json_array_get(json_object_get(answer, "files"), 0), "file"), cell);
    assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
    json_decref(answer);
    run = EXPECT_RUN(0, "info", proof);
    assert_non_null(strstr(run.out, "a certificate, version 3"));
    program_free(&run);

    // Damage that a checksum would not show is in test_certificate_verify; this is what a text editor does.
    FILE* file = fopen(proof, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 200, SEEK_SET), 0);
    fputc('x', file);
    fclose(file);
    EXPECT_STATUS(2, "path", cell, wave, "--verify", proof);
    EXPECT_STATUS(2, "info", proof);
    EXPECT_STATUS(2, "info", expect_written("short.txt", "berth certificate 3\nend\n"));
}

static void a_trajectory_is_one_document(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    json_t* answer = EXPECT_JSON(0, "path", cell, expect_written("wave.csv", WAVE));
    assert_string_equal(text_at(answer, "verdict"), "free");
    assert_true(number_at(json_object_get(answer, "clearance"), "lower") > 0.0);
    assert_true(number_at(answer, "margin") == 0.0 && number_at(answer, "delta") == 1e-4);
    assert_int_equal(json_integer_value(json_object_get(answer, "segments")), 2);
    assert_int_equal(declared_count(answer, "adjacent_pairs"), 12);
    const json_t* stats = json_object_get(answer, "stats");
    static const char* const counters[] = {"configurations", "pairs", "bv_tests", "leaf_tests"};
    for (int i = 0; i < 4; ++i) {
        assert_true(json_is_integer(json_object_get(stats, counters[i])));
    }
    assert_true(number_at(stats, "configurations") > 0 && number_at(stats, "seconds") > 0.0);
    assert_null(json_object_get(answer, "first_contact"));
    json_decref(answer);

    answer = EXPECT_JSON(0, "path", cell, expect_written("wave.csv", WAVE), "--margin", "0.001", "--delta",
                         "2e-4", "--first-contact");
    assert_true(number_at(answer, "margin") == 0.001 && number_at(answer, "delta") == 2e-4);
    assert_true(number_at(json_object_get(answer, "clearance"), "lower") >= 0.001);
    assert_true(json_is_null(json_object_get(answer, "first_contact")));
    json_decref(answer);

    // Without a band: the same verdicts, first contact to rounding.
    answer = EXPECT_JSON(0, "path", cell, expect_written("wave.csv", WAVE), "--delta", "0");
    assert_string_equal(text_at(answer, "verdict"), "free");
    assert_true(number_at(answer, "delta") == 0.0);
    json_decref(answer);
    answer =
        EXPECT_JSON(1, "path", cell, expect_written("dive.csv", DIVE), "--delta", "0", "--first-contact");
    const json_t* exact = json_object_get(json_object_get(answer, "first_contact"), "t");
    assert_true(json_number_value(json_array_get(exact, 1)) - json_number_value(json_array_get(exact, 0)) <
                1e-9);
    json_decref(answer);
}

// The witness is one: berth check finds the same pair in collision in the state that is given.
static void a_collision_has_a_witness(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    json_t* answer = EXPECT_JSON(1, "path", cell, expect_written("dive.csv", DIVE), "--first-contact");
    assert_string_equal(text_at(answer, "verdict"), "collision");
    const int64_t segment = json_integer_value(json_object_get(answer, "segment"));
    const double t = number_at(answer, "t");
    assert_true(segment >= 0 && segment < 3 && t >= 0.0 && t <= 1.0);
    assert_int_equal(json_array_size(json_object_get(answer, "point")), 3);
    const double times[] = {0, 1, 3, 4};
    assert_true(fabs(number_at(answer, "time") -
                     (times[segment] + t * (times[segment + 1] - times[segment]))) < 1e-12);
    const json_t* contact = json_object_get(answer, "first_contact");
    const json_t* bracket = json_object_get(contact, "t");
    assert_int_equal(json_integer_value(json_object_get(contact, "segment")), segment);
    assert_true(json_number_value(json_array_get(bracket, 0)) <=
                json_number_value(json_array_get(bracket, 1)));
    assert_true(json_number_value(json_array_get(bracket, 1)) <= t);

    const json_t* values = json_object_get(answer, "state");
    assert_int_equal(json_array_size(values), 14);
    char at[2000] = "";
    for (size_t i = 0; i < 14; ++i) {
        char item[80];
        (void)snprintf(item, sizeof item, "%s%s/joint%zu=%.17g", i > 0 ? "," : "", i < 7 ? "left" : "right",
                       i % 7 + 1, json_number_value(json_array_get(values, i)));
        strcat(at, item);
    }
    json_t* check = EXPECT_JSON(1, "check", cell, "--all", "--at", at);
    bool found = false;
    size_t i = 0;
    const json_t* hit = NULL;
    json_array_foreach(json_object_get(check, "hits"), i, hit) {
        found = found || (strcmp(text_at(hit, "a"), text_at(answer, "a")) == 0 &&
                          strcmp(text_at(hit, "b"), text_at(answer, "b")) == 0);
    }
    assert_true(found);
    json_decref(check);
    json_decref(answer);
}

static void a_start_in_collision_is_said(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    const char* file = expect_written("start.csv", "left/joint1\n0\n0.3\n");
    json_t* answer = EXPECT_JSON(1, "path", cell, file, "--state", "left/hit_table");
    assert_int_equal(json_integer_value(json_object_get(answer, "segment")), 0);
    assert_true(number_at(answer, "t") == 0.0);
    assert_non_null(text_at(answer, "a"));
    assert_non_null(text_at(answer, "b"));
    json_decref(answer);
    ProgramRun run = program_run("path", cell, file, "--state", "left/hit_table", NULL);
    assert_non_null(strstr(run.out, "the motion starts in collision"));
    program_free(&run);
    // One state is a path, too.
    const char* one = expect_written("one.csv", "left/joint1\n0\n");
    EXPECT_STATUS(0, "path", cell, one);
    EXPECT_STATUS(1, "path", cell, one, "--state", "left/hit_table");
}

static void fixed_steps_prove_nothing(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    json_t* answer = EXPECT_JSON(3, "path", cell, expect_written("wave.csv", WAVE), "--method", "fixed",
                                 "--resolution", "0.2");
    assert_string_equal(text_at(answer, "verdict"), "unknown");
    assert_string_equal(text_at(answer, "sampled"), "free");
    assert_true(json_is_null(json_object_get(answer, "clearance")));
    json_decref(answer);
    // Nor where it touches first.
    const char* dive = expect_written("dive.csv", DIVE);
    ProgramRun run = program_run("path", cell, dive, "--first-contact", "--method", "fixed", NULL);
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.err, "berth path: --first-contact needs a method that proves; --method fixed only samples\n");
    program_free(&run);
    run = program_run("path", cell, dive, "--method", "fixed", NULL);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "COLLISION"));
    assert_null(strstr(run.out, "first contact"));
    program_free(&run);
}

// ---- between rows ----------------------------------------------------------------------------------------------

static void expect_interpolation(const char* wanted, const char* cell, const char* file, const char* option) {
    ProgramRun run =
        program_run("path", cell, file, "--json", option != NULL ? "--interpolation" : NULL, option, NULL);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    json_t* answer = program_json_line(&run, 0);
    assert_string_equal(text_at(answer, "interpolation"), wanted);
    assert_int_equal(assumed_count(answer, "interpolation"), 0);
    json_decref(answer);
    program_free(&run);
}

static void interpolation_is_what_the_file_has(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    const char* curve = expect_written("curve.yaml",
                                       "joint_names: [left/joint1]\npoints:\n"
                                       "- {positions: [0], velocities: [0], time_from_start: 0}\n"
                                       "- {positions: [0.2], velocities: [0], time_from_start: 1}\n"
                                       "- {positions: [0.1], velocities: [0], time_from_start: 2}\n");
    const char* smooth = expect_written("smooth.csv",
                                        "time,left/joint1,left/joint1:velocity,left/joint1:acceleration\n"
                                        "0,0,0,0\n1,0.2,0.1,0\n");
    const char* wave = expect_written("wave.csv", WAVE);
    expect_interpolation("linear", cell, wave, NULL);
    expect_interpolation("cubic", cell, curve, NULL);
    expect_interpolation("quintic", cell, smooth, NULL);
    expect_interpolation("linear", cell, curve, "linear");
    expect_interpolation("cubic", cell, smooth, "cubic");
    expect_interpolation("linear", cell, smooth, "linear");
    EXPECT_STATUS(2, "path", cell, curve, "--interpolation", "quintic");  // no accelerations
    EXPECT_STATUS(2, "path", cell, wave, "--interpolation", "cubic");

    ProgramRun run = EXPECT_RUN(0, "info", cell, smooth, "--json");
    json_t* described = program_json_line(&run, 1);
    assert_string_equal(text_at(described, "interpolation"), "quintic");
    json_decref(described);
    program_free(&run);

    // What a controller could not execute is an error, unless somebody chooses.
    const char* timeless = expect_written("timeless.csv", "left/joint1,left/joint1:velocity\n0,0\n0.1,0\n");
    run = EXPECT_RUN(2, "path", cell, timeless);
    assert_non_null(strstr(run.err, "velocities are given without times"));
    assert_non_null(strstr(run.err, ": --interpolation linear\n"));
    program_free(&run);
    expect_interpolation("linear", cell, timeless, "linear");

    // Words, a summary and the certificate name it too.
    run = EXPECT_RUN(0, "path", cell, curve, "--quiet");
    assert_non_null(strstr(run.out, "(2 segments, cubic)"));
    program_free(&run);
    json_t* answer = EXPECT_JSON(0, "path", cell, curve, "--summary");
    assert_string_equal(text_at(answer, "interpolation"), "cubic");
    json_decref(answer);
    const char* proof = program_temporary("cubic.txt");
    EXPECT_STATUS(0, "path", cell, curve, "--certificate", proof);
    FILE* file = fopen(proof, "r");
    char head[4000] = "";
    assert_true(fread(head, 1, sizeof head - 1, file) > 100);
    fclose(file);
    assert_non_null(strstr(head, "\ninterpolation cubic\n"));
    answer = EXPECT_JSON(0, "path", cell, curve, "--verify", proof);
    assert_string_equal(text_at(answer, "interpolation"), "cubic");
    json_decref(answer);
    EXPECT_STATUS(2, "path", cell, curve, "--verify", proof, "--interpolation", "linear");
}

// A position between two rows by the blending functions of Hermite, in segment time u; speeds are per duration. This and
// berth check know nothing of motions.
static double hermite(const double a[3], const double b[3], bool quintic, double u) {
    const double w = 1.0 - u;
    if (!quintic) {
        return a[0] * w * w * (1 + 2 * u) + a[1] * u * w * w - b[1] * u * u * w + b[0] * u * u * (3 - 2 * u);
    }
    return a[0] * w * w * w * (1 + 3 * u + 6 * u * u) + a[1] * u * w * w * w * (1 + 3 * u) +
           a[2] * u * u * w * w * w / 2 + b[0] * u * u * u * (1 + 3 * w + 6 * w * w) -
           b[1] * w * u * u * u * (1 + 3 * w) + b[2] * w * w * u * u * u / 2;
}

/// Two rows of some joints of an arm near its home, with speeds that carry it far beyond the rows between them.
typedef struct Swing {
    const char* arm;
    double ends[2][3][3];  ///< row, joint, position and its derivatives
    bool quintic;
    double seconds;
} Swing;

static const int swing_joints[] = {1, 2, 4};

static Swing make_swing(Random* random, const char* arm, bool quintic) {
    static const double home[3] = {0, -0.9, 1.6};
    Swing swing = {.arm = arm, .quintic = quintic, .seconds = bi_random_between(random, 0.2, 3)};
    for (int row = 0; row < 2; ++row) {
        for (int j = 0; j < 3; ++j) {
            swing.ends[row][j][0] = home[j] + bi_random_between(random, -0.05, 0.05);
            swing.ends[row][j][1] = bi_random_between(random, -6, 6);
            swing.ends[row][j][2] = bi_random_between(random, -20, 20);
        }
    }
    return swing;
}

static void write_swing(const Swing* swing, const char* path) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("time", file);
    for (int j = 0; j < 3; ++j) {
        const int joint = swing_joints[j];
        fprintf(file, ",%s/joint%d,%s/joint%d:velocity", swing->arm, joint, swing->arm, joint);
        if (swing->quintic) {
            fprintf(file, ",%s/joint%d:acceleration", swing->arm, joint);
        }
    }
    for (int row = 0; row < 2; ++row) {
        fprintf(file, "\n%.17g", row * swing->seconds);
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < (swing->quintic ? 3 : 2); ++k) {
                fprintf(file, ",%.17g", swing->ends[row][j][k] / pow(swing->seconds, k));
            }
        }
    }
    fputs("\n", file);
    fclose(file);
}

// States of one or more arms at the same times; who has arrived waits.
static void write_samples(const Swing* swings, int arms, int count, const char* path) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    double longest = 0.0;
    for (int i = 0; i < 3 * arms; ++i) {
        fprintf(file, "%s%s/joint%d", i > 0 ? "," : "", swings[i / 3].arm, swing_joints[i % 3]);
        longest = fmax(longest, swings[i / 3].seconds);
    }
    fputs("\n", file);
    for (int sample = 0; sample <= count; ++sample) {
        for (int i = 0; i < 3 * arms; ++i) {
            const Swing* swing = &swings[i / 3];
            const double u = fmin(1.0, sample * longest / count / swing->seconds);
            fprintf(file, "%s%.17g", i > 0 ? "," : "",
                    hermite(swing->ends[0][i % 3], swing->ends[1][i % 3], swing->quintic, u));
        }
        fputs("\n", file);
    }
    fclose(file);
}

// The verdict of the motion as an exit status. Samples never refute it, and what they find is found.
static int judge_swings(const Swing* swings, int arms) {
    static const char *cell = NULL, *files[2], *samples;
    if (cell == NULL) {
        cell = program_model("two_arms/cell.yaml");
        files[0] = program_temporary("swing0.csv");
        files[1] = program_temporary("swing1.csv");
        samples = program_temporary("samples.csv");
    }

    for (int i = 0; i < arms; ++i) {
        write_swing(&swings[i], files[i]);
    }
    write_samples(swings, arms, 1500, samples);
    ProgramRun run =
        program_run("path", cell, files[0], "--json", "--quiet", arms > 1 ? files[1] : NULL, NULL);
    const int verdict = run.status;
    assert_true(verdict == 0 || verdict == 1 || verdict == 3);
    program_free(&run);

    run = program_run("check", cell, "--states", samples, "--summary", "--json", "--quiet", NULL);
    json_t* counts = program_json_line(&run, 0);
    const int64_t hits = integer_at(counts, "collisions");
    json_decref(counts);
    program_free(&run);
    assert_false(verdict == 0 && hits > 0);
    assert_true(hits == 0 || verdict == 1);
    return verdict;
}

// Rows are harmless, the curve between them swings into the table or past it: no free answer is refuted by samples of the
// polynomial, and every collision that samples find is one.
static void curves_are_proven_between_their_ends(void** state) {
    (void)state;
    Random random = {77};
    int verdicts[4] = {0};
    const int rounds = test_scaled(60) + 6;
    for (int round = 0; round < rounds; ++round) {
        const Swing swing = make_swing(&random, "left", round % 2 == 1);
        ++verdicts[judge_swings(&swing, 1)];
    }
    assert_true(verdicts[0] > 0 && verdicts[1] > 0);
}

// Two arms, each with its own file, duration and kind of curve.
static void merged_curves_are_proven(void** state) {
    (void)state;
    Random random = {78};
    int verdicts[4] = {0};
    const int rounds = test_scaled(60) + 8;
    for (int round = 0; round < rounds; ++round) {
        const Swing swings[] = {make_swing(&random, "left", round % 2 == 1),
                                make_swing(&random, "right", round / 2 % 2 == 1)};
        ++verdicts[judge_swings(swings, 2)];
    }
    assert_true(verdicts[0] > 0 && verdicts[1] > 0);
}

// ---- several trajectories ----------------------------------------------------------------------------------------

static void several_trajectories_are_one_motion(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    const char* left = expect_written("left.csv", "time,left/joint1\n0,0\n1,0.2\n2,0\n");
    const char* right =
        expect_written("right.csv", "time,right/joint1,right/joint1:velocity\n0,0,0\n1.5,0.1,0\n");
    json_t* answer = EXPECT_JSON(0, "path", cell, left, right);
    assert_int_equal(integer_at(answer, "segments"), 3);  // 0, 1, 1.5, 2
    assert_string_equal(text_at(answer, "interpolation"), "linear, cubic");
    assert_int_equal(assumed_count(answer, "stands_before_start"), 0);
    json_decref(answer);
    const char* proof = program_temporary("both.txt");
    EXPECT_STATUS(0, "path", cell, left, right, "--certificate", proof);
    EXPECT_STATUS(0, "path", cell, left, right, "--verify", proof);
    EXPECT_STATUS(0, "path", cell, right, left, "--verify", proof);  // the order of files is nothing
    EXPECT_STATUS(2, "path", cell, left, "--verify", proof);

    // The same motion in one file collides at the same time.
    const char* dive = expect_written("dive.csv", DIVE);
    const char* wait = expect_written("wait.csv", "time,right/joint1\n0,0\n0.7,0.05\n");
    json_t* alone = EXPECT_JSON(1, "path", cell, dive, "--first-contact");
    answer = EXPECT_JSON(1, "path", cell, wait, dive, "--first-contact");
    assert_true(fabs(number_at(alone, "time") - number_at(answer, "time")) < 2.0);
    assert_string_equal(text_at(alone, "a"), text_at(answer, "a"));
    const json_t* first = json_array_get(json_object_get(json_object_get(alone, "first_contact"), "t"), 0);
    const json_t* merged = json_array_get(json_object_get(json_object_get(answer, "first_contact"), "t"), 0);
    assert_true(fabs(json_number_value(first) - json_number_value(merged)) < 1e-3);
    json_decref(alone);
    json_decref(answer);
    ProgramRun run = EXPECT_RUN(1, "path", cell, wait, dive);
    assert_non_null(strstr(run.out, "segment 2 of 4 (linear), t = "));
    program_free(&run);

    // Who begins later is taken to stand, which is said.
    const char* late = expect_written("late.csv", "time,right/joint1\n0.5,0\n1,0.1\n");
    run = EXPECT_RUN(0, "path", cell, left, late, "--json");
    assert_non_null(strstr(run.err, "late.csv: it begins at 0.5 s, another one at 0 s"));
    answer = program_json_line(&run, 0);
    assert_int_equal(assumed_count(answer, "stands_before_start"), 1);
    json_decref(answer);
    program_free(&run);

    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"right/joint1\n0\n1\n", "it has no times"},
        {"time,left/joint1\n0,0\n1,0\n", "joint 'left/joint1' is in "},
        {"time,nosuch\n0,0\n", "there is no joint"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        run = EXPECT_RUN(2, "path", cell, left, expect_written("wrong.csv", wrong[i].text));
        assert_non_null(strstr(run.err, "wrong.csv:"));
        assert_non_null(strstr(run.err, wrong[i].said));
        assert_int_equal(run.out_size, 0);
        program_free(&run);
    }
}

static void files_without_rows_are_errors(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    ProgramRun run = EXPECT_RUN(2, "path", cell, "--segments",
                                expect_written("none.csv", "left/joint1:from,left/joint1:to\n"));
    assert_non_null(strstr(run.err, "none.csv:1: a header and no segments; at least one was expected"));
    program_free(&run);
    run = EXPECT_RUN(2, "check", cell, "--states", expect_written("none.csv", "left/joint1\n"));
    assert_non_null(strstr(run.err, "none.csv:1: a header and no states; at least one was expected"));
    program_free(&run);
    EXPECT_STATUS(2, "path", cell, expect_written("none.csv", "left/joint1\n"));
    run = EXPECT_RUN(2, "map", "query", expect_written("rooms.lin", "3\n8 8 0\n000 3\n"), "--balls",
                     expect_written("none.csv", "x,y,r\n"));
    assert_non_null(strstr(run.err, "none.csv:1: a header and no balls; at least one was expected"));
    program_free(&run);
}

static void values_outside_limits(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    const char* file = expect_written("outside.csv", "turn1\n2.8\n2.95\n");
    ProgramRun run = program_run("path", cell, file, "--json", NULL);
    assert_non_null(strstr(run.err, "outside.csv:3: turn1 = 2.95 is outside its limits -2.9 .. 2.9"));
    json_t* answer = program_json_line(&run, 0);
    assert_true(assumed_count(answer, "outside_limits") > 0);
    json_decref(answer);
    program_free(&run);
    run = program_run("path", cell, file, "--json", "--limits", NULL);
    assert_int_equal(run.status, 2);
    assert_int_equal(run.out_size, 0);
    assert_non_null(strstr(run.err, "outside.csv:3: turn1 = 2.95"));
    program_free(&run);
    // Both rows are inside; the curve between them is not.
    file = expect_written("over.csv", "time,turn1,turn1:velocity\n0,2.8,2\n1,2.8,-2\n");
    run = program_run("path", cell, file, "--json", "--limits", "--interpolation", "cubic", NULL);
    assert_int_equal(run.status, 2);
    assert_int_equal(run.out_size, 0);
    assert_non_null(strstr(run.err, "leave joint limits between rows"));
    program_free(&run);
}

// ---- many segments -------------------------------------------------------------------------------------------

// Random segments, most of them short, as a .npy of shape (n, 2, values).
static double* write_segments(const char* path, const BerthScene* scene, uint64_t seed, int count) {
    const int32_t each = berth_scene_value_count(scene);
    double* values = calloc(2 * (size_t)count * (size_t)each, sizeof *values);
    assert_non_null(values);
    program_random_states(scene, seed, 2 * count, values);
    for (int i = 0; i < count; ++i) {
        double* from = values + 2 * (size_t)i * (size_t)each;
        const double share = i % 3 == 0 ? 1.0 : 0.05;
        for (int32_t k = 0; k < each; ++k) {
            from[each + k] = from[k] + share * (from[each + k] - from[k]);
        }
    }
    char header[128];
    const int length =
        snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 2, %d), }\n",
                 count, (int)each);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    const unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, 0};
    assert_int_equal(fwrite(start, 1, 10, file), 10);
    assert_int_equal(fwrite(header, 1, (size_t)length, file), (size_t)length);
    assert_int_equal(fwrite(values, sizeof *values, 2 * (size_t)count * (size_t)each, file),
                     2 * (size_t)count * (size_t)each);
    assert_int_equal(fclose(file), 0);
    return values;
}

static void expect_line(const BerthScene* scene, const json_t* line, int segment,
                        const BerthMotionResult* wanted) {
    assert_int_equal(json_integer_value(json_object_get(line, "segment")), segment);
    assert_string_equal(text_at(line, "verdict"), berth_verdict_name(wanted->verdict));
    if (wanted->verdict == BERTH_FREE) {
        const json_t* clearance = json_object_get(line, "clearance");
        const json_t* environment = json_object_get(clearance, "environment");
        assert_true(number_at(clearance, "lower") == wanted->clearance);
        assert_true(number_at(clearance, "upper") == fmin(wanted->self.upper, wanted->environment.upper));
        assert_int_equal(json_integer_value(json_object_get(clearance, "segment")), segment);
        assert_true(number_at(environment, "lower") == wanted->environment.lower);
        assert_true(number_at(environment, "upper") == wanted->environment.upper);
        return;
    }
    assert_string_equal(text_at(line, "a"), berth_scene_body_name(scene, wanted->body_a));
    assert_string_equal(text_at(line, "b"), berth_scene_body_name(scene, wanted->body_b));
    if (wanted->verdict == BERTH_COLLISION) {
        assert_true(number_at(line, "t") == wanted->t);
        const json_t* point = json_object_get(line, "point");
        assert_true(json_number_value(json_array_get(point, 0)) == wanted->point.x);
    } else {
        assert_string_equal(text_at(line, "reason"), berth_reason_name(wanted->reason));
        assert_true(json_number_value(json_array_get(json_object_get(line, "t"), 0)) == wanted->t_low);
        assert_true(json_number_value(json_array_get(json_object_get(line, "t"), 1)) == wanted->t_high);
    }
}

static void lines_equal_the_library_bit_for_bit(void** state) {
    (void)state;
    static const char* const models[] = {"two_arms/cell.yaml", "arm6/cell.yaml", "room/cell.yaml"};
    for (int m = 0; m < 3; ++m) {
        const char* cell = program_model(models[m]);
        BerthScene* scene = expect_scene(cell);
        const int count = test_scaled(90);
        const int32_t each = berth_scene_value_count(scene);
        const char* file = program_temporary("segments.npy");
        double* values = write_segments(file, scene, 31 + (uint64_t)m, count);
        ProgramRun run = program_run("path", cell, "--segments", file, "--json", "--threads", "2", NULL);
        assert_int_equal(program_line_count(&run), count);
        const BerthMotionCheckerDef def = berth_default_motion_checker_def();
        BerthMotionChecker* motion = NULL;
        assert_int_equal(berth_motion_checker_create(scene, &def, &motion), BERTH_OK);
        int64_t counts[3] = {0};
        for (int i = 0; i < count; ++i) {
            const double* from = values + 2 * (size_t)i * (size_t)each;
            const BerthSegment segment = {.value_count = each, .from = from, .to = from + each};
            const BerthMotionRequest request = {.sharp_clearance = true};
            BerthMotionResult result;
            assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &result), BERTH_OK);
            json_t* line = program_json_line(&run, i);
            assert_non_null(line);
            expect_line(scene, line, i, &result);
            json_decref(line);
            counts[result.verdict] += 1;
        }
        assert_int_equal(run.status, counts[BERTH_COLLISION] > 0 ? 1 : counts[BERTH_UNKNOWN] > 0 ? 3 : 0);
        const int status = run.status;
        program_free(&run);
        json_t* summary = EXPECT_JSON(status, "path", cell, "--segments", file, "--summary");
        assert_int_equal(json_integer_value(json_object_get(summary, "segments")), count);
        assert_int_equal(json_integer_value(json_object_get(summary, "free")), counts[BERTH_FREE]);
        assert_int_equal(json_integer_value(json_object_get(summary, "collisions")), counts[BERTH_COLLISION]);
        assert_int_equal(json_integer_value(json_object_get(summary, "unknown")), counts[BERTH_UNKNOWN]);
        assert_true(number_at(summary, "seconds") > 0.0);
        json_decref(summary);
        berth_motion_checker_destroy(motion);
        free(values);
        berth_scene_destroy(scene);
    }
}

static void thread_counts_give_the_same_bytes(void** state) {
    (void)state;
    const char* cell = program_model("arm6/cell.yaml");
    BerthScene* scene = expect_scene(cell);
    const char* file = program_temporary("many.npy");
    const int count = test_scaled(400);
    free(write_segments(file, scene, 77, count));
    expect_same_for_threads(
        (const char* const[]){"path", cell, "--segments", file, "--first-contact", "--json", NULL},
        (const char* const[]){"2", "5", NULL}, count);

    // A trajectory of many segments: all but the seconds.
    const int rows = test_scaled(300);
    const int32_t each = berth_scene_value_count(scene);
    double* values = calloc((size_t)rows * (size_t)each, sizeof *values);
    program_random_states(scene, 5, rows, values);
    for (int row = 1; row < rows; ++row) {
        for (int32_t k = 0; k < each; ++k) {
            double* value = values + (size_t)row * (size_t)each + k;
            *value = value[-each] + 0.01 * (*value - value[-each]);
        }
    }
    const char* walk = program_temporary("walk.csv");
    assert_true(program_write_csv(walk, scene, values, rows));
    json_t* answers[3];
    static const char* const counts[] = {"1", "2", "7"};
    for (int i = 0; i < 3; ++i) {
        ProgramRun run = program_run("path", cell, walk, "--json", "--threads", counts[i], NULL);
        answers[i] = program_json_line(&run, 0);
        assert_non_null(answers[i]);
        json_object_del(json_object_get(answers[i], "stats"), "seconds");
        assert_true(json_equal(answers[i], answers[0]));
        program_free(&run);
    }
    for (int i = 0; i < 3; ++i) {
        json_decref(answers[i]);
    }
    free(values);
    berth_scene_destroy(scene);
}

// ---- what goes wrong -----------------------------------------------------------------------------------------

static void wrong_files_print_nothing(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    static const struct {
        const char* name;
        const char* text;
        const char* said;
    } cases[] = {
        {"t.csv", "", "t.csv:1: "},
        {"t.csv", "turn1,turn2\n", "t.csv:1: "},
        {"t.csv", "turn1,turn2\n0,0\n0,nan\n", "t.csv:3: "},
        {"t.csv", "turn1,turn2\n0,0\n0\n", "t.csv:3: "},
        {"t.csv", "turn1,nosuch\n0,0\n", "nosuch"},
        {"t.csv", "time,turn1\n0,0\n1,0\n0.5,0\n", "t.csv:4: "},
        {"t.json", "{\"joint_names\": [\"turn1\"], \"points\": [{\"positions\": [1, 2]}]}", "t.json:1: "},
        {"t.yaml", "joint_names: [turn9]\npoints: []\n", "t.yaml:1: "},
        {"s.csv", "turn1:from\n1\n", "s.csv:1: "},
        {"s.csv", "turn1:from,turn1:to\n1,1\n1,x\n", "s.csv:3: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* file = expect_written(cases[i].name, cases[i].text);
        ProgramRun run = cases[i].name[0] == 's'
                             ? program_run("path", cell, "--segments", file, "--json", NULL)
                             : program_run("path", cell, file, "--json", NULL);
        if (run.status != 2 || run.out_size != 0 || strstr(run.err, cases[i].said) == NULL) {
            fail_msg("case %zu: exit %d, printed %zu bytes, said '%s'", i, run.status, run.out_size, run.err);
        }
        program_free(&run);
    }
}

// berth info tells what a file of motions is, by the reader that understands it best.
static void info_describes_motions(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    const char* files[] = {
        expect_written("t.csv", "time,turn1\n0,0\n1.5,2.95\n"),
        expect_written("s.csv", "turn1:from,turn1:to\n0,0\n1.5,2\n"),
        expect_written("t.yaml", "joint_names: [turn1]\npoints: [{positions: [1], velocities: [0]}]\n"),
    };
    ProgramRun run = program_run("info", cell, files[0], files[1], files[2], "--json", NULL);
    assert_int_equal(run.status, 0);
    assert_int_equal(program_line_count(&run), 4);
    static const char* const kinds[] = {"scene", "trajectory", "segments", "trajectory"};
    for (int i = 0; i < 4; ++i) {
        json_t* line = program_json_line(&run, i);
        assert_string_equal(text_at(line, "kind"), kinds[i]);
        if (i == 1) {
            assert_int_equal(json_integer_value(json_object_get(line, "rows")), 2);
            assert_int_equal(json_integer_value(json_object_get(line, "outside_limits")), 1);
            assert_true(json_number_value(json_array_get(json_object_get(line, "time"), 1)) == 1.5);
        }
        json_decref(line);
    }
    program_free(&run);
    static const char* const wrong[][2] = {
        {"time,turn1\n0,0\n1.5,x\n", "w.csv:3: column 'turn1': 'x'"},
        {"turn1:from,turn1:to\n1,2,3\n", "w.csv:2: more values"},
        {"turn1\n1,2\n", "w.csv:2: more values"},
        {"turm1\n1\n", "did you mean 'turn1'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        run = program_run("info", cell, expect_written("w.csv", wrong[i][0]), NULL);
        assert_int_equal(run.status, 2);
        assert_int_equal(run.out_size, 0);
        if (strstr(run.err, wrong[i][1]) == NULL) {
            fail_msg("case %zu: %s", i, run.err);
        }
        program_free(&run);
    }
}

static void a_full_disk_is_told(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    const char* walk = expect_written("walk.csv", "turn1\n0\n0.1\n");
    const char* const cases[][8] = {{"path", cell, walk, NULL},
                                    {"path", cell, walk, "--json", NULL},
                                    {"path", cell, walk, "--json", "--summary", NULL},
                                    {"help", "path", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_into("/dev/full", 0, cases[i]);
        assert_int_equal(run.status, 4);
        assert_non_null(strstr(run.err, "standard output"));
        program_free(&run);
    }
}

static void a_german_locale_changes_nothing(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    const char* segments = expect_written("s.csv", "left/joint2:from,left/joint2:to\n-0.9,-0.5\n-0.9,1.9\n");
    expect_same_in_german(
        (const char* const[]){"path", cell, "--segments", segments, "--json", "--margin", "0.0015", NULL});
}

// Ctrl-C: what was finished stands there in whole lines, counted from 0; exit 130.
static void an_interrupt_keeps_what_was_finished(void** state) {
    (void)state;
    const char* cell = program_model("arm6/cell.yaml");
    BerthScene* scene = expect_scene(cell);
    const char* file = program_temporary("long.npy");
    const int count = 60000;
    free(write_segments(file, scene, 99, count));
    berth_scene_destroy(scene);
    const char* const arguments[] = {"path", cell, "--segments", file, "--json", "--threads", "2", NULL};
    expect_whole_lines(arguments, "segment", count, 3);
}

// Until the signal comes while the only segment is checked. Standard output has `told`, or is empty.
static void expect_interrupt(const char* const* arguments, const char* told) {
    for (int wait_ms = 200; wait_ms < 20000; wait_ms *= 2) {
        ProgramRun run = program_run_into(NULL, wait_ms, arguments);
        const int status = run.status;
        const bool while_checking = strstr(run.err, "interrupted after 0 of 1") != NULL;
        const bool as_told = told != NULL ? strstr(run.out, told) != NULL : run.out_size == 0;
        program_free(&run);
        if (status == 1000 + 2 || (status == 130 && !while_checking)) {
            continue;  // before the program was ready to catch it, or while it read the scene
        }
        assert_int_equal(status, 130);  // without a look at the signal the segment would be answered: 0 or 3
        assert_true(as_told);
        return;
    }
}

// One segment that takes seconds: a whole turn, grazing a floor of 8,000 triangles, by first-order bounds.
static void an_interrupt_ends_a_long_segment(void** state) {
    (void)state;
    const char* cell = program_model("graze_a/cell.yaml");
    const char* path = program_model("graze_a/path.csv");
    const char* const arguments[] = {"path", cell, path, "--method", "adaptive", "--delta", "0.00001", NULL};
    const char* const counted[] = {"path",    cell,      path,        "--method", "adaptive",
                                   "--delta", "0.00001", "--summary", NULL};
    expect_interrupt(arguments, NULL);
    expect_interrupt(counted, "0 segments: 0 free");  // the counts so far, as of --segments
}

// A rod of 1 m, 2 cm thick, spins about its length 2.5 mm off a plate: its points move 2 cm a radian, not half a metre.
static void a_spinning_rod_is_thin(void** state) {
    (void)state;
    const char* urdf =
        expect_written("rod.urdf",
                       "<robot name='rod'><link name='base'/><link name='rod'><collision><geometry>"
                       "<cylinder radius='0.02' length='1'/></geometry></collision></link>"
                       "<joint name='spin' type='continuous'><parent link='base'/><child link='rod'/>"
                       "<axis xyz='0 0 1'/></joint></robot>");
    char text[600];
    (void)snprintf(text, sizeof text,
                   "berth: 1\nrobots: [{urdf: '%s'}]\n"
                   "objects: [{name: plate, box: {size: [0.1, 1, 1]}, pose: {xyz: [0.0725, 0, 0]}}]\n",
                   urdf);
    const char* scene = expect_written("rod.yaml", text);
    const char* path = expect_written("spin.csv", "spin\n0\n6\n");
    const char* proof = program_temporary("spin.cert");

    const char* const methods[] = {"second-order", "refined", "adaptive"};
    for (int i = 0; i < 3; ++i) {
        json_t* answer = EXPECT_JSON(0, "path", scene, path, "--no-clearance", "--method", methods[i]);
        assert_true(integer_at(json_object_get(answer, "stats"), "configurations") <= 40);
        json_decref(answer);
    }
    EXPECT_STATUS(0, "path", scene, path, "--certificate", proof);
    EXPECT_STATUS(0, "path", scene, path, "--verify", proof);
}

int test_cli_path(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_status_tells_the_verdict),
        cmocka_unit_test(one_call_about_a_trajectory),
        cmocka_unit_test(a_person_waits_no_longer_than_a_program),
        cmocka_unit_test(a_certificate_is_checked),
        cmocka_unit_test(a_trajectory_is_one_document),
        cmocka_unit_test(a_collision_has_a_witness),
        cmocka_unit_test(a_start_in_collision_is_said),
        cmocka_unit_test(fixed_steps_prove_nothing),
        cmocka_unit_test(interpolation_is_what_the_file_has),
        cmocka_unit_test(curves_are_proven_between_their_ends),
        cmocka_unit_test(merged_curves_are_proven),
        cmocka_unit_test(several_trajectories_are_one_motion),
        cmocka_unit_test(files_without_rows_are_errors),
        cmocka_unit_test(values_outside_limits),
        cmocka_unit_test(lines_equal_the_library_bit_for_bit),
        cmocka_unit_test(thread_counts_give_the_same_bytes),
        cmocka_unit_test(wrong_files_print_nothing),
        cmocka_unit_test(info_describes_motions),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_german_locale_changes_nothing),
        cmocka_unit_test(an_interrupt_keeps_what_was_finished),
        cmocka_unit_test(an_interrupt_ends_a_long_segment),
        cmocka_unit_test(a_spinning_rod_is_thin),
    };
    return cmocka_run_group_tests_name("cli_path", tests, NULL, expect_clean_up);
}
