// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The whole program while the machine fails: the n-th allocation, the n-th call about a file. It must end by itself with
// an exit status of INTERFACE section 1 and say why, and leave nothing half-written behind. A call that is interrupted or
// does half of its work changes nothing; a program that is killed at any call leaves the old file whole, or the new one, and
// nothing that the next run minds. Not under sanitizers, which replace the same functions.

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
    const long step = 1 + totals.file / test_scaled(50);
    for (long n = 1; n <= totals.file; n += totals.file - n > 20 ? step : 1) {
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

// ---- files that are replaced -----------------------------------------------------------------------------------

enum { OUTPUTS_MAX = 2, FILE_MAX = 1 << 16 };

typedef struct Replacing {
    const char* arguments[12];
    const char* outputs[OUTPUTS_MAX + 1];
    bool timed;  // what it prints has seconds in it
} Replacing;

static const char OLD[] = "what was there before\n";

static size_t bytes_of(const char* path, char* bytes) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    const size_t size = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    return size;
}

typedef struct Expected {
    char* bytes[OUTPUTS_MAX];
    size_t size[OUTPUTS_MAX];
    char* out;
} Expected;

static void put_old_files(const Replacing* r) {
    for (int i = 0; r->outputs[i] != NULL; ++i) {
        assert_true(program_write_text(r->outputs[i], OLD));
    }
}

// How many outputs are new; the others are the old ones, whole. Anything else fails.
static int count_new(const Replacing* r, const Expected* expected, const char* what) {
    static char bytes[FILE_MAX];
    int count = 0;
    for (int i = 0; r->outputs[i] != NULL; ++i) {
        const size_t size = bytes_of(r->outputs[i], bytes);
        const bool is_new = size == expected->size[i] && memcmp(bytes, expected->bytes[i], size) == 0;
        const bool is_old = size == strlen(OLD) && memcmp(bytes, OLD, size) == 0;
        if (!is_new && !is_old) {
            fail_msg("berth %s, %s: %s is neither the old file nor the new one", r->arguments[0], what,
                     r->outputs[i]);
        }
        count += is_new;
    }
    return count;
}

// Files of ours that a killed program left; they are removed.
static int remove_parts(const char* folder) {
    int count = 0;
    DIR* listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent* entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (strncmp(entry->d_name, ".berth-", 7) == 0) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            assert_int_equal(remove(path), 0);
            ++count;
        }
    }
    closedir(listing);
    return count;
}

static void one_replacement(const Replacing* r, const Expected* expected, const char* how, long at,
                            const char* folder) {
    char number[32], what[64];
    snprintf(number, sizeof number, "%ld", at);
    snprintf(what, sizeof what, "%s at call %ld", how, at);
    int outputs = 0;
    while (r->outputs[outputs] != NULL) {
        ++outputs;
    }

    put_old_files(r);
    ProgramRun run = run_with("BERTH_FAIL_FILE", number, r->arguments);
    const int made = count_new(r, expected, what);
    const int parts = remove_parts(folder);

    if (strcmp(how, "kill") == 0) {
        if (run.status != 1009 && run.status != 0) {
            fail_msg("berth %s, %s: exit status %d", r->arguments[0], what, run.status);
        }
        assert_true(parts <=
                    2 * outputs);  // two where there is no exchange: the new file and a name of the old one
        // Whatever it left: the next run does not mind.
        ProgramRun again = program_run_list(r->arguments);
        assert_int_equal(again.status, 0);
        program_free(&again);
        assert_int_equal(count_new(r, expected, what), outputs);
    } else if (strcmp(how, "EIO") == 0) {
        // All or none; and an error when none.
        const bool said = (run.status == 4 || run.status == 2) && ends_with_newline(run.err);
        if (parts != 0 || (run.status == 0 ? made != outputs : !said || (made != 0 && made != outputs))) {
            fail_msg("berth %s, %s: exit status %d, %d of %d files are new, %d parts: %s", r->arguments[0],
                     what, run.status, made, outputs, parts, run.err);
        }
    } else if (run.status != 0 || made != outputs || parts != 0 ||
               (!r->timed && strcmp(run.out, expected->out) != 0)) {
        fail_msg("berth %s, %s: exit status %d, %d of %d files are new, %d parts: %s", r->arguments[0], what,
                 run.status, made, outputs, parts, run.err);
    }
    program_free(&run);
}

static void replace_with(const Replacing* r, const char* how, const char* folder) {
    static char bytes[OUTPUTS_MAX][FILE_MAX];
    Expected expected = {{bytes[0], bytes[1]}, {0}, NULL};
    put_old_files(r);
    ProgramRun run = program_run_list(r->arguments);
    if (run.status != 0) {
        fail_msg("berth %s: exit status %d: %s", r->arguments[0], run.status, run.err);
    }
    for (int i = 0; r->outputs[i] != NULL; ++i) {
        expected.size[i] = bytes_of(r->outputs[i], bytes[i]);
        assert_true(expected.size[i] > 0 && expected.size[i] < FILE_MAX);
    }
    expected.out = run.out;

    setenv("BERTH_FAIL_HOW", how, 1);
    put_old_files(r);
    const Totals totals = totals_of(r->arguments, 0);
    assert_true(totals.file > 10);
    // The last calls are about the outputs; of those before some are enough, unless the test is a long one.
    const long last = test_scaled(20), step = 1 + totals.file / test_scaled(15);
    for (long n = 1; n <= totals.file; n += totals.file - n > last ? step : 1) {
        one_replacement(r, &expected, how, n, folder);
    }
    unsetenv("BERTH_FAIL_HOW");
    program_free(&run);
}

static void files_are_old_or_new(void** state) {
    (void)state;
    const char* arm = program_model("arm6/arm6.urdf");
    const char* lin = program_temporary("rooms.lin");
    const char* way = program_temporary("way.csv");
    const char* proof = program_temporary("proof.certificate");
    const char* scene = program_temporary("made.yaml");
    const char* image = program_temporary("plan.pgm");
    const char* plan = program_temporary("plan.yaml");
    const char* srdf = program_temporary("made.srdf");
    char folder[512];
    snprintf(folder, sizeof folder, "%s", way);
    *strrchr(folder, '/') = '\0';
    assert_true(program_write_text(lin, "4\n16 16 0\n2301 4\n1 1\n00 2\n"));
    assert_true(program_write_text(way, "joint1\n0\n0.1\n"));

    const Replacing cases[] = {
        {{"path", arm, way, "--certificate", proof, NULL}, {proof, NULL}, true},
        {{"new", arm, "-o", scene, "--force", NULL}, {scene, NULL}, false},
        {{"map", "convert", lin, "-o", plan, NULL}, {image, plan, NULL}, true},
        {{"srdf", arm, "-o", srdf, "--sample", "200", NULL}, {srdf, NULL}, true},
    };
    static const char* const hows[] = {"kill", "EIO", "EINTR", "short"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (size_t k = 0; k < sizeof hows / sizeof hows[0]; ++k) {
            replace_with(&cases[i], hows[k], folder);
        }
    }
    program_remove_temporary();
}

// File systems that know less: no files without names, no exchange, no links, and nothing of it.
static void poorer_file_systems(void** state) {
    (void)state;
    const char* arm = program_model("arm6/arm6.urdf");
    const char* scene = program_temporary("made.yaml");
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scene);
    *strrchr(folder, '/') = '\0';
    const Replacing r = {{"new", arm, "-o", scene, "--force", NULL}, {scene, NULL}, false};
    static const char* const all[] = {"tmpfile",   "exchange",          "link",
                                      "noreplace", "tmpfile noreplace", "tmpfile exchange noreplace link"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        setenv("BERTH_LACKS", all[i], 1);
        // Where nothing is, and without --force.
        remove(scene);
        const char* const fresh[] = {"new", arm, "-o", scene, NULL};
        ProgramRun run = run_with(NULL, NULL, fresh);
        if (run.status != 0) {
            fail_msg("without %s: exit status %d: %s", all[i], run.status, run.err);
        }
        program_free(&run);
        run = run_with(NULL, NULL, fresh);
        assert_int_equal(run.status, 2);
        assert_non_null(strstr(run.err, "is there already; --force overwrites it"));
        program_free(&run);

        put_old_files(&r);
        run = run_with(NULL, NULL, r.arguments);
        assert_int_equal(run.status, 0);
        program_free(&run);
        static char bytes[FILE_MAX];
        assert_true(bytes_of(scene, bytes) > sizeof OLD);
        assert_int_equal(remove_parts(folder), 0);
        unsetenv("BERTH_LACKS");
    }
    // A kill at any call, on the poorest of them but with links.
    setenv("BERTH_LACKS", "tmpfile exchange", 1);
    replace_with(&r, "kill", folder);
    replace_with(&r, "EIO", folder);
    unsetenv("BERTH_LACKS");
    program_remove_temporary();
}

int test_cli_faults(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_survives),
        cmocka_unit_test(files_are_old_or_new),
        cmocka_unit_test(poorer_file_systems),
    };
    return SANITIZED ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
