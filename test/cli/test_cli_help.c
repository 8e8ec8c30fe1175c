// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Help, version, and requests that are wrong: one message, exit 2, nothing on standard output.

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

#include "support/program.h"

static const char* const working[] = {"info", "check", "path",    "plan", "monitor", "contact",
                                      "map",  "new",   "spheres", "srdf", "batch",   "view"};

static void help_lists_every_command(void** state) {
    (void)state;
    const char* const ways[] = {"help", "--help", "-h"};
    for (int i = 0; i < 3; ++i) {
        ProgramRun run = program_run(ways[i], NULL);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        for (size_t k = 0; k < sizeof working / sizeof working[0]; ++k) {
            assert_non_null(strstr(run.out, working[k]));
        }
        program_free(&run);
    }
}

// Each help teaches: usage, options, an example, exit statuses, a JSON example that is JSON up to its shortenings.
static void help_of_a_command_teaches(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof working / sizeof working[0]; ++i) {
        ProgramRun by_help = program_run("help", working[i], NULL);
        ProgramRun by_option = program_run(working[i], "--help", NULL);
        ProgramRun by_letter = program_run(working[i], "-h", NULL);
        assert_int_equal(by_help.status, 0);
        assert_int_equal(by_option.status, 0);
        assert_string_equal(by_help.out, by_option.out);
        assert_string_equal(by_help.out, by_letter.out);
        static const char* const parts[] = {
            "usage: berth", "--json",    "--strict",    "--threads", "--seed", "--package",  "--srdf",
            "--quiet",      "--verbose", "--dae-units", "example",   "{\"",    "exit status"};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
            if (strstr(by_help.out, parts[k]) == NULL) {
                fail_msg("berth help %s does not mention %s", working[i], parts[k]);
            }
        }
        program_free(&by_help);
        program_free(&by_option);
        program_free(&by_letter);
    }
}

// Help was up to 211 columns wide. Where there is no terminal it is 100; a word alone may be longer, and none is.
static void help_has_no_long_line(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof working / sizeof working[0]; ++i) {
        ProgramRun run = program_run("help", working[i], NULL);
        for (const char* line = run.out; *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            if (length > 100 || (length > 0 && line[length - 1] == ' ')) {
                fail_msg("berth help %s: %d columns, or a blank at the end: %.*s", working[i], (int)length,
                         (int)length, line);
            }
            line += length + (line[length] == '\n');
        }
        program_free(&run);
    }
}

static void version_is_the_library_s(void** state) {
    (void)state;
    ProgramRun run = program_run("--version", NULL);
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "berth %s\n", berth_version());
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, wanted);
    program_free(&run);
}

static int line_count(const char* text) {
    int count = 0;
    for (; *text != '\0'; ++text) {
        count += *text == '\n';
    }
    return count;
}

static void wrong_requests_get_one_line_and_exit_2(void** state) {
    (void)state;
    const char* cell = program_model("room/cell.yaml");
    const struct {
        const char* arguments[8];
        const char* said;
    } cases[] = {
        {{"chek", NULL}, "did you mean 'check'"},
        {{"xyzzyxyzzy", NULL}, "'berth help'"},
        {{"--verbose", NULL}, "--verbose"},
        {{"help", "chekc", NULL}, "chekc"},
        {{"check", NULL}, "which scene"},
        {{"check", "a.yaml", "b.yaml", NULL}, "b.yaml"},
        {{"check", cell, "--distanec", NULL}, "did you mean --distance"},
        {{"check", cell, "--dist", NULL}, "did you mean --distance"},
        {{"check", cell, "--pairs", NULL}, "--pairs"},
        {{"check", cell, "--threads", "0", NULL}, "whole number"},
        {{"check", cell, "--threads", "2x", NULL}, "whole number"},
        {{"check", cell, "--threads", NULL}, "needs a value"},
        {{"check", cell, "--seed", "-1", NULL}, "--seed"},
        {{"check", cell, "--margin", "-0.1", NULL}, "--margin"},
        {{"path", NULL}, "which scene and trajectory"},
        {{"path", cell, NULL}, "which trajectory"},
        {{"path", cell, "a.csv", "--segments", "s.csv", NULL}, "not both"},
        {{"path", cell, "a.csv", "--method", "quick", NULL}, "second-order, adaptive, refined, fixed"},
        {{"path", cell, "a.csv", "--interpolation", "spline", NULL}, "linear, cubic, quintic"},
        {{"path", cell, "a.csv", "--resolution", "0.1", NULL}, "--method fixed"},
        {{"path", cell, "a.csv", "--resolution", "0", "--method", "fixed"}, "--resolution"},
        {{"path", cell, "--segments", "s.csv", "--interpolation", "cubic", NULL}, "straight lines"},
        {{"path", cell, "a.csv", "--tracking-error", NULL}, "needs a value"},
        {{"path", cell, "a.csv", "--distance", NULL}, "--distance"},
        {{"path", cell, "/nowhere/a.csv", NULL}, "/nowhere/a.csv"},
        {{"path", cell, "--segments", "/nowhere/s.csv", NULL}, "/nowhere/s.csv"},
        {{"path", "/nowhere/cell.yaml", "a.csv", NULL}, "/nowhere/cell.yaml"},
        {{"check", cell, "--margin", "nan", NULL}, "--margin"},
        {{"check", cell, "--margin", "inf", NULL}, "--margin"},
        {{"check", cell, "--margin", "0x1p3", NULL}, "--margin"},
        {{"check", cell, "--margin", "0,5", NULL}, "--margin"},
        {{"check", cell, "--json=yes", NULL}, "takes no value"},
        {{"check", cell, "--package", "nodir", NULL}, "NAME=DIR"},
        {{"check", cell, "--dae-units", "inch", NULL}, "obey or ignore"},
        {{"check", cell, "--engine", "sphere", NULL}, "boxes, rss, spheres"},
        {{"check", cell, "--state", "home", NULL}, "no named states"},
        {{"check", cell, "--at", "nosuch=1", NULL}, "nosuch"},
        {{"check", cell, "--at", "turn1=", NULL}, "turn1"},
        {{"check", cell, "--at", "turn1=0.1abc", NULL}, "turn1"},
        {{"check", cell, "--at", "turn1=0,1", NULL}, "1"},
        {{"check", cell, "--at", "turn1=1,turn1=2", NULL}, "turn1"},
        {{"check", cell, "--at", "turn1=nan", NULL}, "turn1"},
        {{"check", cell, "--at", "turn1=9", "--limits", NULL}, "-2.9 .. 2.9"},
        {{"check", cell, "--states", "/no/such.csv", NULL}, "/no/such.csv"},
        {{"check", "/no/such.yaml", NULL}, "/no/such.yaml"},
        {{"check", "/dev/null", NULL}, "/dev/null"},
        {{"check", "/dev/zero", NULL}, "/dev/zero"},
        {{"info", NULL}, "which file"},
        {{"info", "states.csv", NULL}, "before it"},
        {{"info", "/no/mesh.stl", NULL}, "/no/mesh.stl"},
        {{"new", NULL}, "which robot"},
        {{"new", cell, NULL}, "already a berth scene"},
        {{"new", "/no/robot.urdf", NULL}, "/no/robot.urdf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_list(cases[i].arguments);
        const bool good = run.status == 2 && run.out_size == 0 && line_count(run.err) == 1 &&
                          strstr(run.err, cases[i].said) != NULL;
        if (!good) {
            fail_msg("case %zu (berth %s %s ...): status %d, said '%s'", i, cases[i].arguments[0],
                     cases[i].arguments[1] != NULL ? cases[i].arguments[1] : "", run.status, run.err);
        }
        program_free(&run);
    }
}

int test_cli_help(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_every_command),
        cmocka_unit_test(help_of_a_command_teaches),
        cmocka_unit_test(help_has_no_long_line),
        cmocka_unit_test(version_is_the_library_s),
        cmocka_unit_test(wrong_requests_get_one_line_and_exit_2),
    };
    return cmocka_run_group_tests_name("cli_help", tests, NULL, NULL);
}
