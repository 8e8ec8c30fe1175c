// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The whole program while the machine fails: the n-th allocation, the n-th call about a file. It must end by itself with
// an exit status of INTERFACE section 1 and say why, and leave nothing half-written behind. Not under sanitizers, which
// replace the same functions.

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static const char* const library = BERTH_BUILD_DIR "/libberth_faults.so";

typedef struct Totals {
    long memory, file;
} Totals;

static ProgramRun run_with(const char* name, const char* value, const char* const* arguments) {
    setenv("LD_PRELOAD", library, 1);
    if (name != NULL) {
        setenv(name, value, 1);
    }
    ProgramRun run = program_run_list(arguments);
    unsetenv("LD_PRELOAD");
    if (name != NULL) {
        unsetenv(name);
    }
    return run;
}

static Totals totals_of(const char* const* arguments, int status) {
    const char* path = program_temporary("totals");
    ProgramRun run = run_with("BERTH_FAIL_TOTAL", path, arguments);
    assert_int_equal(run.status, status);
    program_free(&run);
    Totals totals = {0, 0};
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &totals.memory, &totals.file), 2);
    fclose(file);
    remove(path);
    return totals;
}

static int entries_in(const char* folder) {
    DIR* open_folder = opendir(folder);
    assert_non_null(open_folder);
    int count = 0;
    while (readdir(open_folder) != NULL) {
        count += 1;
    }
    closedir(open_folder);
    return count;
}

static bool ends_with_newline(const char* text) {
    const size_t length = strlen(text);
    return length > 0 && text[length - 1] == '\n';
}

typedef struct Case {
    const char* arguments[12];
    int status;          // without a fault
    const char* output;  // a file that is written, or null
} Case;

// One run with a fault: it answers as without one, or says what failed.
static void one_fault(const Case* c, const char* kind, long at, bool on, const char* folder) {
    char number[32];
    snprintf(number, sizeof number, "%ld%s", at, on ? "+" : "");
    if (c->output != NULL) {
        remove(c->output);
    }
    const int before = entries_in(folder);
    ProgramRun run = run_with(kind, number, c->arguments);
    const int made = entries_in(folder) - before;
    const bool answered = run.status == c->status;
    const bool refused = run.status == 4 || run.status == 2;
    if (!answered && !refused) {
        fail_msg("berth %s, %s=%s: exit status %d, said '%s'", c->arguments[0], kind, number, run.status,
                 run.err);
    }
    if (refused && !answered && !ends_with_newline(run.err)) {
        fail_msg("berth %s, %s=%s: exit status %d without a word", c->arguments[0], kind, number, run.status);
    }
    struct stat info;
    const int expected = c->output != NULL && stat(c->output, &info) == 0 ? 1 : 0;
    if (made != expected) {
        fail_msg("berth %s, %s=%s: %d files were left, %d expected", c->arguments[0], kind, number, made,
                 expected);
    }
    if (expected == 1 && answered && info.st_size == 0) {
        fail_msg("berth %s, %s=%s: an empty file", c->arguments[0], kind, number);
    }
    program_free(&run);
}

static void every_fault(const Case* c, const char* folder) {
    if (c->output != NULL) {
        remove(c->output);
    }
    const Totals totals = totals_of(c->arguments, c->status);
    assert_true(totals.memory > 10 && totals.file > 0);
    for (long n = 1; n <= totals.file; ++n) {
        one_fault(c, "BERTH_FAIL_FILE", n, false, folder);
    }
    const int tries = test_scaled(40);
    Random random = {11};
    for (int i = 0; i < tries; ++i) {
        const long n =
            i < tries / 3 ? i + 1 : (long)bi_random_between(&random, 1.0, (double)totals.memory + 1.0);
        one_fault(c, "BERTH_FAIL_MEMORY", n, i % 2 == 1, folder);
    }
}

static void the_program_survives(void** state) {
    (void)state;
    const char* cell = program_model("two_arms/cell.yaml");
    const char* certificate = program_temporary("proof.certificate");
    const char* made = program_temporary("made.yaml");
    const char* way = program_temporary("way.csv");
    const char* lin = program_temporary("rooms.lin");
    const char* map = program_temporary("rooms.bmap");
    char folder[512];
    snprintf(folder, sizeof folder, "%s", way);
    *strrchr(folder, '/') = '\0';
    assert_true(program_write_text(way, "left/joint2,left/joint4,left/joint6\n-0.9,1.6,0.8\n-0.7,1.5,0.7\n"));
    assert_true(program_write_text(lin, "4\n16 16 0\n2301 4\n1 1\n00 2\n"));
    const Case cases[] = {
        {{"check", cell, "--distance", "--json", NULL}, 0, NULL},
        {{"info", cell, "--json", NULL}, 0, NULL},
        {{"path", cell, way, "--json", "--certificate", certificate, NULL}, 0, certificate},
        {{"path", cell, way, "--threads", "2", NULL}, 0, NULL},
        {{"new", program_model("arm6/arm6.urdf"), "-o", made, NULL}, 0, made},
        {{"map", "build", lin, "-o", map, "--structure", "all", NULL}, 0, map},
        {{"map", "query", lin, "--ball", "5,5,1", "--json", "--all", "--structure", "eodm", NULL}, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        every_fault(&cases[i], folder);
    }
    program_remove_temporary();
}

int test_cli_faults(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_survives),
    };
    return SANITIZED ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
