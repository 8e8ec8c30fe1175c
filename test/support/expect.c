// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The program as tests ask it.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expect.h"
#include "support/setting.h"

// ---- files ----------------------------------------------------------------------------------------------------

int expect_clean_up(void** state) {
    (void)state;
    program_remove_temporary();
    return 0;
}

const char* expect_written(const char* name, const char* text) {
    const char* path = program_temporary(name);
    assert_true(program_write_text(path, text));
    return path;
}

char* expect_file(const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fail_msg("%s cannot be read", path);
    }
    const long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);

    char* text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    (void)fclose(file);
    return text;
}

void expect_text(const char* path, const char* text) {
    char found[2048] = "";
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    (void)fclose(file);
    assert_string_equal(found, text);
}

BerthScene* expect_scene(const char* path) {
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    if (berth_io_read_scene(path, &options, &scene) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    return scene;
}

int expect_free_states(const BerthScene* scene, const double* values, int rows) {
    const BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    assert_int_equal(berth_checker_create(scene, &def, &checker), BERTH_OK);

    int free_count = 0;
    for (int row = 0; row < rows; ++row) {
        BerthCheckResult result;
        const double* at = values + (ptrdiff_t)row * berth_scene_value_count(scene);
        assert_int_equal(berth_check_state(checker, at, &(BerthCheckRequest){0}, &result), BERTH_OK);
        free_count += result.verdict == BERTH_FREE ? 1 : 0;
    }
    berth_checker_destroy(checker);
    return free_count;
}

// ---- one run ---------------------------------------------------------------------------------------------------

ProgramRun expect_run(int wanted, const char* const* arguments) {
    ProgramRun run = program_run_list(arguments);
    if (run.status != wanted) {
        char line[2000] = "berth";
        for (int i = 0; arguments[i] != NULL; ++i) {
            strncat(line, " ", sizeof line - strlen(line) - 1);
            strncat(line, arguments[i], sizeof line - strlen(line) - 1);
        }
        fail_msg("%s: exit %d, wanted %d; said '%s' '%s'", line, run.status, wanted, run.err, run.out);
    }
    return run;
}

void expect_status(int wanted, const char* const* arguments) {
    ProgramRun run = expect_run(wanted, arguments);
    program_free(&run);
}

json_t* expect_json(int wanted, const char* const* arguments) {
    ProgramRun run = expect_run(wanted, arguments);
    assert_int_equal(program_line_count(&run), 1);
    json_t* json = program_json_line(&run, 0);
    assert_non_null(json);
    program_free(&run);
    return json;
}

// ---- answers ---------------------------------------------------------------------------------------------------

const char* text_at(const json_t* object, const char* key) {
    return json_string_value(json_object_get(object, key));
}

double number_at(const json_t* object, const char* key) {
    const json_t* value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

int64_t integer_at(const json_t* object, const char* key) {
    const json_t* value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

// The count of one kind in a list of {what, count}.
static int64_t count_of_kind(const json_t* list, const char* what) {
    assert_true(json_is_array(list));
    size_t i = 0;
    const json_t* item = NULL;
    json_array_foreach(list, i, item) {
        if (strcmp(text_at(item, "what"), what) == 0) {
            return integer_at(item, "count");
        }
    }
    return 0;
}

int64_t assumed_count(const json_t* answer, const char* what) {
    return count_of_kind(json_object_get(answer, "assumed"), what);
}

int64_t declared_count(const json_t* answer, const char* what) {
    return count_of_kind(json_object_get(answer, "declared"), what);
}

// ---- several runs ----------------------------------------------------------------------------------------------

static void expect_same_run(const ProgramRun* one, const ProgramRun* other) {
    assert_int_equal(other->status, one->status);
    assert_int_equal(other->out_size, one->out_size);
    assert_memory_equal(other->out, one->out, one->out_size);
}

static ProgramRun run_threads(const char* const* arguments, const char* threads) {
    const char* all[PROGRAM_ARGUMENTS_MAX + 1] = {NULL};
    int count = 0;
    for (; arguments[count] != NULL; ++count) {
        assert_true(count + 2 < PROGRAM_ARGUMENTS_MAX);
        all[count] = arguments[count];
    }
    all[count] = "--threads";
    all[count + 1] = threads;
    return program_run_list(all);
}

void expect_same_for_threads(const char* const* arguments, const char* const* counts, int lines) {
    ProgramRun one = run_threads(arguments, "1");
    assert_int_equal(program_line_count(&one), lines);
    for (int i = 0; counts[i] != NULL; ++i) {
        ProgramRun run = run_threads(arguments, counts[i]);
        expect_same_run(&one, &run);
        program_free(&run);
    }
    program_free(&one);
}

void expect_same_in_german(const char* const* arguments) {
    ProgramRun plain = program_run_list(arguments);
    assert_int_equal(setenv("LC_ALL", "de_DE.UTF-8", 1), 0);
    ProgramRun german = program_run_list(arguments);
    assert_int_equal(unsetenv("LC_ALL"), 0);
    expect_same_run(&plain, &german);
    program_free(&plain);
    program_free(&german);
}

static void expect_first_lines(const ProgramRun* run, const char* key, int lines, int count) {
    assert_true(lines < count);
    assert_non_null(strstr(run->err, "interrupted after"));
    assert_int_equal(run->out[run->out_size - 1], '\n');

    json_t* first = program_json_line(run, 0);
    json_t* last = program_json_line(run, lines - 1);
    assert_int_equal(integer_at(first, key), 0);
    assert_int_equal(integer_at(last, key), lines - 1);
    json_decref(first);
    json_decref(last);
}

void expect_whole_lines(const char* const* arguments, const char* key, int count, int done) {
    // The machine may be slow: wait longer until the signal hits the checking and not the reading.
    bool hit = false;
    for (int wait_ms = 60; !hit && wait_ms < 20000; wait_ms *= 2) {
        ProgramRun run = program_run_into(NULL, wait_ms, arguments);
        const int lines = program_line_count(&run);
        if (run.status == 0 || run.status == 1 || run.status == done) {
            test_say_skip("%d %ss were done before the signal came", count, key);
            hit = true;
        } else if (run.status != 1000 + 2) {  // that is: before the program was ready to catch it
            assert_int_equal(run.status, 130);
            if (lines > 0) {
                expect_first_lines(&run, key, lines, count);
                hit = true;
            }
        }
        program_free(&run);
    }
}
