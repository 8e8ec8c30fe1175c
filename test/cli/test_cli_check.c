// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth check as a user meets it: exit statuses, JSON that equals the library's own answers bit for bit, --strict,
// --limits, a full disk, a German locale, Ctrl-C.
// test-labels: threads

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

#include "support/expect.h"
#include "support/setting.h"

// "free: proven" and exit 3 without a word was a riddle: with --quiet standard error has the reason. JSON lists it anyway.
static void strict_says_why(const char* cell) {
    const char* const at = "left/joint1=3.1";
    ProgramRun run = program_run("check", cell, "--strict", "--at", at, "--quiet", NULL);
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.err, "exit 3 because of --strict"));
    program_free(&run);
    run = program_run("check", cell, "--at", at, "--quiet", NULL);
    assert_string_equal(run.err, "");
    program_free(&run);
    run = program_run("check", cell, "--strict", "--at", at, "--quiet", "--json", NULL);
    assert_string_equal(run.err, "");
    program_free(&run);
}

static void exit_status_tells_the_verdict(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    EXPECT_STATUS(0, "check", cell);
    EXPECT_STATUS(0, "check", cell, "--state", "home");
    EXPECT_STATUS(0, "check", cell, "--state", "left/reach_front", "--distance");
    EXPECT_STATUS(0, "check", cell, "--state", "left/arm/reach_front");
    EXPECT_STATUS(1, "check", cell, "--state", "reach_front");  // both arms
    EXPECT_STATUS(1, "check", cell, "--state", "left/hit_table");
    EXPECT_STATUS(0, "check", cell, "--state", "left/hit_table", "--state", "left/home");
    EXPECT_STATUS(1, "check", cell, "--state", "left/reach_front", "--margin", "0.06");
    EXPECT_STATUS(2, "check", cell, "--state", "nowhere");
    EXPECT_STATUS(2, "check", cell, "--state", "left/nowhere");
    // Neighbours and allowed pairs are declared, which --strict accepts; values outside limits are assumed. Collisions come
    // first.
    EXPECT_STATUS(0, "check", cell, "--strict");
    EXPECT_STATUS(3, "check", cell, "--strict", "--at", "left/joint1=3.1", "-q");
    strict_says_why(cell);
    EXPECT_STATUS(1, "check", cell, "--strict", "--state", "left/hit_table");
    EXPECT_STATUS(0, "check", cell, "--at", "left/joint1=3.1");
    EXPECT_STATUS(2, "check", cell, "--at", "left/joint1=3.1", "--limits");
}

static void every_answer_lists_what_it_assumed(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    json_t* answer = EXPECT_JSON(0, "check", cell);
    assert_int_equal(declared_count(answer, "adjacent_pairs"), 12);
    assert_int_equal(declared_count(answer, "allowed_pairs"), 4);
    assert_int_equal(assumed_count(answer, "disabled_pairs"), 0);
    assert_int_equal(integer_at(answer, "proven"), 0);
    assert_int_equal(assumed_count(answer, "outside_limits"), 0);
    assert_null(json_object_get(answer, "clearance"));  // only with --distance
    assert_null(json_object_get(answer, "reason"));
    json_decref(answer);
    answer = EXPECT_JSON(0, "check", cell, "-q", "--at", "left/joint1=3.1,right/joint7=-4");
    assert_int_equal(assumed_count(answer, "outside_limits"), 2);
    json_decref(answer);
    answer = EXPECT_JSON(0, "check", cell, "--summary");
    assert_int_equal(declared_count(answer, "adjacent_pairs"), 12);
    assert_int_equal(json_integer_value(json_object_get(answer, "free")), 1);
    json_decref(answer);
}

static void warnings_go_to_standard_error_unless_quiet(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    ProgramRun run = program_run("check", cell, "--at", "turn1=2.95", "--json", NULL);
    assert_non_null(strstr(run.err, "warning: turn1 = 2.95 is outside its limits -2.9 .. 2.9"));
    assert_int_equal(program_line_count(&run), 1);
    const int status = run.status;
    program_free(&run);
    run = program_run("check", cell, "--at", "turn1=2.95", "--json", "--quiet", NULL);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, status);
    program_free(&run);
}

// 20 um were "0.0 mm" in one text and "0.02 mm" in another: lengths look alike everywhere, and only zero looks like zero.
static void lengths_are_never_rounded_to_zero(void** state) {
    (void)state;
    static const struct {
        const char *margin, *shown;
    } cases[] = {{"1.5", "1.500 m"},        {"0.0123", "12.3 mm"}, {"0.0005", "0.5 mm"},
                 {"0.0002136", "0.214 mm"}, {"0.00002", "20 um"},  {"2.136e-6", "2.14 um"},
                 {"3e-9", "3 nm"}};
    const char* cell = program_model("two_arms/cell.yaml");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, i == 0 ? "within the margin of %s" : "stays more than %s apart",
                       cases[i].shown);
        ProgramRun run = program_run("check", cell, "--margin", cases[i].margin, NULL);
        assert_int_equal(run.status, i == 0);
        assert_non_null(strstr(run.out, wanted));
        program_free(&run);
    }
}

static void expect_number(const json_t* value, double wanted) {
    if (!isfinite(wanted)) {
        assert_true(json_is_null(value));
        return;
    }
    assert_true(json_is_number(value));
    const double read = json_number_value(value);
    if (read != wanted) {
        fail_msg("%.17g was written as %.17g", wanted, read);
    }
}

static void expect_vec3(const json_t* value, BerthVec3 wanted) {
    assert_int_equal(json_array_size(value), 3);
    expect_number(json_array_get(value, 0), wanted.x);
    expect_number(json_array_get(value, 1), wanted.y);
    expect_number(json_array_get(value, 2), wanted.z);
}

static void expect_body(const BerthScene* scene, const json_t* value, int32_t body) {
    assert_string_equal(json_string_value(value), berth_scene_body_name(scene, body));
}

static void expect_gap(const BerthScene* scene, const json_t* value, const BerthPairGap* gap) {
    expect_number(json_object_get(value, "lower"), gap->lower);
    expect_number(json_object_get(value, "upper"), gap->upper);
    expect_body(scene, json_object_get(value, "a"), gap->body_a);
    expect_body(scene, json_object_get(value, "b"), gap->body_b);
    expect_vec3(json_object_get(value, "point_a"), gap->point_a);
    expect_vec3(json_object_get(value, "point_b"), gap->point_b);
}

static void expect_answer(const BerthScene* scene, const json_t* line, const BerthCheckResult* result) {
    assert_string_equal(json_string_value(json_object_get(line, "verdict")),
                        berth_verdict_name(result->verdict));
    const json_t* clearance = json_object_get(line, "clearance");
    if (result->has_clearance) {
        expect_gap(scene, clearance, &result->clearance);
    } else {
        assert_true(json_is_null(clearance));
    }
    const json_t* hits = json_object_get(line, "hits");
    assert_int_equal(json_array_size(hits), result->hit_count);
    for (int32_t i = 0; i < result->hit_count; ++i) {
        const json_t* hit = json_array_get(hits, (size_t)i);
        expect_body(scene, json_object_get(hit, "a"), result->hits[i].body_a);
        expect_body(scene, json_object_get(hit, "b"), result->hits[i].body_b);
        expect_vec3(json_object_get(hit, "point"), result->hits[i].point);
        expect_number(json_object_get(hit, "depth"),
                      result->hits[i].has_depth ? result->hits[i].depth : (double)NAN);
        if (result->hits[i].has_normal) {
            expect_vec3(json_object_get(hit, "normal"), result->hits[i].normal);
        } else {
            assert_true(json_is_null(json_object_get(hit, "normal")));
        }
    }
    const json_t* pairs = json_object_get(line, "pairs");
    assert_int_equal(json_array_size(pairs), result->pair_count);
    for (int32_t i = 0; i < result->pair_count; ++i) {
        expect_gap(scene, json_array_get(pairs, (size_t)i), &result->pairs[i]);
    }
}

// Every number of every answer reads back as the double that the library gave.
static void json_equals_the_library_bit_for_bit(void** state) {
    (void)state;
    static const char* const models[] = {"two_arms/cell.yaml", "arm6/cell.yaml", "room/cell.yaml"};
    for (int m = 0; m < 3; ++m) {
        const char* path = program_model(models[m]);
        BerthScene* scene = expect_scene(path);
        const int rows = test_scaled(60);
        const int32_t count = berth_scene_value_count(scene);
        double* values = calloc((size_t)rows * (size_t)count, sizeof *values);
        program_random_states(scene, 7 + (uint64_t)m, rows, values);
        const char* file = program_temporary("states.csv");
        assert_true(program_write_csv(file, scene, values, rows));
        ProgramRun run = program_run("check", path, "--states", file, "--distance", "--all", "--json",
                                     "--threads", "2", NULL);
        assert_int_equal(program_line_count(&run), rows);
        const BerthCheckerDef def = berth_default_checker_def();
        BerthChecker* checker = NULL;
        assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);
        bool any_hit = false;
        for (int i = 0; i < rows; ++i) {
            const BerthCheckRequest request = {.distance = true, .all = true};
            BerthCheckResult result;
            assert_int_equal(
                berth_check_state(checker, values + (size_t)i * (size_t)count, &request, &result), BERTH_OK);
            json_t* line = program_json_line(&run, i);
            assert_non_null(line);
            assert_int_equal(json_integer_value(json_object_get(line, "state")), i);
            expect_answer(scene, line, &result);
            any_hit = any_hit || result.verdict == BERTH_COLLISION;
            json_decref(line);
        }
        assert_int_equal(run.status, any_hit ? 1 : 0);
        berth_checker_destroy(checker);
        free(values);
        program_free(&run);
        berth_scene_destroy(scene);
    }
}

static void thread_counts_give_the_same_bytes(void** state) {
    (void)state;
    const char* path = program_model("arm6/cell.yaml");
    BerthScene* scene = expect_scene(path);
    const int rows = test_scaled(1000);
    double* values = calloc((size_t)rows * 6, sizeof *values);
    program_random_states(scene, 3, rows, values);
    const char* file = program_temporary("many.npy");
    assert_true(program_write_npy(file, scene, values, rows));
    expect_same_for_threads(
        (const char* const[]){"check", path, "--states", file, "--distance", "--json", NULL},
        (const char* const[]){"2", "4", "7", NULL}, rows);
    free(values);
    berth_scene_destroy(scene);
}

static void a_full_disk_is_exit_4(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    const char* const cases[][6] = {
        {"check", cell, NULL}, {"check", cell, "--json", NULL}, {"check", cell, "--summary", "--json", NULL},
        {"info", cell, NULL},  {"info", cell, "--json", NULL},  {"new", program_model("room/arm.urdf"), NULL},
        {"help", NULL},        {"help", "check", NULL},         {"--version", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_into("/dev/full", 0, cases[i]);
        if (run.status != 4 || strstr(run.err, "standard output") == NULL) {
            fail_msg("berth %s into /dev/full: exit %d, said '%s'", cases[i][0], run.status, run.err);
        }
        program_free(&run);
    }
}

static void a_german_locale_changes_nothing(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    expect_same_in_german(
        (const char* const[]){"check", cell, "--distance", "--all", "--json", "--margin", "0.015", NULL});
}

// Wrong rows are found before the first answer.
static void wrong_states_files_print_nothing(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    static const struct {
        const char* text;
        const char* said;
    } cases[] = {
        {"turn1,turn2\n0,0\n0,nan\n", ":3:"}, {"turn1,turn2\n0,0\n0\n", ":3:"},
        {"turn1,nosuch\n0,0\n", "nosuch"},    {"turn1,turn1\n0,0\n", "turn1"},
        {"turn1\n0.1\n0.2x\n", ":3:"},        {"", "states.csv"},
        {"turn1\n0.1\n1e999\n", ":3:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* file = program_temporary("states.csv");
        assert_true(program_write_text(file, cases[i].text));
        ProgramRun run = program_run("check", cell, "--states", file, "--json", NULL);
        if (run.status != 2 || run.out_size != 0 || strstr(run.err, cases[i].said) == NULL) {
            fail_msg("case %zu: exit %d, printed %zu bytes, said '%s'", i, run.status, run.out_size, run.err);
        }
        program_free(&run);
    }
    // Limits are looked at for every row first, too.
    const char* file = program_temporary("states.csv");
    assert_true(program_write_text(file, "turn1\n0.1\n5\n"));
    ProgramRun run = program_run("check", cell, "--states", file, "--limits", "--json", NULL);
    assert_int_equal(run.status, 2);
    assert_int_equal(run.out_size, 0);
    assert_non_null(strstr(run.err, "state 1"));
    program_free(&run);
}

// Joints that a file does not name keep the state of --state and --at.
static void states_stand_on_the_given_state(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    const char* file = program_temporary("one.csv");
    assert_true(program_write_text(file, "right/joint7\n0\n0.5\n"));
    EXPECT_STATUS(0, "check", cell, "--states", file);
    EXPECT_STATUS(1, "check", cell, "--states", file, "--state", "left/hit_table");
}

// Ctrl-C: what was finished stands there in whole lines, counted from 0; exit 130.
static void an_interrupted_run_keeps_what_was_finished(void** state) {
    (void)state;
    const char* path = program_model("arm6/cell.yaml");
    BerthScene* scene = expect_scene(path);
    const int rows = 60000;
    double* values = calloc((size_t)rows * 6, sizeof *values);
    program_random_states(scene, 5, rows, values);
    const char* file = program_temporary("long.npy");
    assert_true(program_write_npy(file, scene, values, rows));
    const char* const arguments[] = {"check", path,     "--states",  file, "--distance",
                                     "--all", "--json", "--threads", "2",  NULL};
    expect_whole_lines(arguments, "state", rows, 0);
    free(values);
    berth_scene_destroy(scene);
}

int test_cli_check(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_status_tells_the_verdict),
        cmocka_unit_test(every_answer_lists_what_it_assumed),
        cmocka_unit_test(warnings_go_to_standard_error_unless_quiet),
        cmocka_unit_test(lengths_are_never_rounded_to_zero),
        cmocka_unit_test(json_equals_the_library_bit_for_bit),
        cmocka_unit_test(thread_counts_give_the_same_bytes),
        cmocka_unit_test(a_full_disk_is_exit_4),
        cmocka_unit_test(a_german_locale_changes_nothing),
        cmocka_unit_test(wrong_states_files_print_nothing),
        cmocka_unit_test(states_stand_on_the_given_state),
        cmocka_unit_test(an_interrupted_run_keeps_what_was_finished),
    };
    return cmocka_run_group_tests_name("cli_check", tests, NULL, expect_clean_up);
}
