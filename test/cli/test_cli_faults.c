// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every command while the machine fails: the n-th allocation, the n-th call about a file. It ends by itself, with the answer and
// the files that it has without a fault, or with exit status 4, a word why, and the files as they were. A call that is
// interrupted or does half of its work changes nothing; a program that is killed at any call leaves the old file whole, or
// the new one, and nothing that the next run minds. A sample of all n; `./dev test long` takes every one. Not under
// sanitizers, which replace the same functions.
// test-timeout: 7200
// test-share: 0.4

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"

static const char* const library = BERTH_BUILD_DIR "/libberth_faults.so";

typedef struct Totals {
    long memory, file;
} Totals;

enum { OUTPUTS_MAX = 2, FILE_MAX = 1 << 18 };

typedef struct Command {
    const char* arguments[14];
    const char* outputs[OUTPUTS_MAX + 1];
    int status;   // without a fault
    bool varies;  // what it prints is not the same each time
} Command;

/// What it does undisturbed.
typedef struct Expected {
    char* bytes[OUTPUTS_MAX];
    size_t size[OUTPUTS_MAX];
    char* out;
    Totals totals;
} Expected;

static char folder[512];
static const char OLD[] = "what was there before\n";

// ---- running ---------------------------------------------------------------------------------------------------

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

static Totals totals_of(const Command* command) {
    char path[600];
    snprintf(path, sizeof path, "%s/totals", folder);
    ProgramRun run = run_with("BERTH_FAIL_TOTAL", path, command->arguments);
    if (run.status != command->status) {
        fail_msg("berth %s %s: exit status %d: %s", command->arguments[0], command->arguments[1], run.status,
                 run.err);
    }
    program_free(&run);

    Totals totals = {0, 0};
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &totals.memory, &totals.file), 2);
    fclose(file);
    remove(path);
    assert_true(totals.memory > 10 && totals.file > 2);
    return totals;
}

// Seconds differ from run to run.
static void mask_seconds(char* text) {
    static const char* const keys[] = {"seconds\": ", "\"p50\": ", "\"p99\": ", "\"max\": "};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        for (char* at = strstr(text, keys[i]); at != NULL; at = strstr(at, keys[i])) {
            at += strlen(keys[i]);
            const size_t length = strspn(at, "0123456789.eE+-");
            memmove(at, at + length, strlen(at + length) + 1);
        }
    }
}

static size_t bytes_of(const char* path, char* bytes) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    const size_t size = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    return size;
}

static int output_count(const Command* command) {
    int count = 0;
    while (command->outputs[count] != NULL) {
        ++count;
    }
    return count;
}

static void put_old_files(const Command* command) {
    for (int i = 0; command->outputs[i] != NULL; ++i) {
        assert_true(program_write_text(command->outputs[i], OLD));
    }
}

// All that is wrong is told before the test fails.
static int complaints;

static void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (++complaints <= 30) {
        vprintf(format, arguments);
        printf("\n");
    }
    va_end(arguments);
}

// How many outputs are new; the others are the old ones, whole. Anything else fails.
static int count_new(const Command* command, const Expected* expected, const char* what) {
    static char bytes[FILE_MAX];
    int count = 0;
    for (int i = 0; command->outputs[i] != NULL; ++i) {
        const size_t size = bytes_of(command->outputs[i], bytes);
        bytes[size < FILE_MAX ? size : FILE_MAX - 1] = '\0';
        mask_seconds(bytes);
        // Arrays have no seconds, and zeros.
        const bool array = strstr(command->outputs[i], ".npy") != NULL;
        const bool is_new =
            array ? size == expected->size[i] && memcmp(bytes, expected->bytes[i], size) == 0
                  : (size > 0) == (expected->size[i] > 0) && strcmp(bytes, expected->bytes[i]) == 0;
        const bool is_old = size == strlen(OLD) && memcmp(bytes, OLD, size) == 0;
        if (!is_new && !is_old) {
            complain("berth %s, %s: %s is neither the old file nor the new one", command->arguments[0], what,
                     command->outputs[i]);
        }
        count += is_new;
    }
    return count;
}

// Files of ours that a program left; they are removed.
static int remove_parts(void) {
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

static bool ends_with_newline(const char* text) {
    const size_t length = strlen(text);
    return length > 0 && text[length - 1] == '\n';
}

// ---- one fault -------------------------------------------------------------------------------------------------

typedef struct Fault {
    const char* kind;  // BERTH_FAIL_MEMORY or BERTH_FAIL_FILE
    const char* how;   // BERTH_FAIL_HOW
    long at;
    bool on;  // and all later ones
} Fault;

// The same answer and files as always; or exit status 4, why, and no file changed.
static void check_end(const Command* command, const Expected* expected, const Fault* fault, ProgramRun* run,
                      const char* what) {
    const int made = count_new(command, expected, what);
    const int outputs = output_count(command);
    const int parts = remove_parts();
    const bool harmless = strcmp(fault->how, "EINTR") == 0 || strcmp(fault->how, "short") == 0;

    const bool answered = run->status == command->status && made == outputs;
    const bool refused = run->status == 4 && ends_with_newline(run->err) && !harmless;
    // All files were in place when what came after failed.
    const bool whole = made == 0 || made == outputs;
    if (parts != 0 || !(answered || (refused && whole))) {
        complain("berth %s %s, %s: exit status %d, %d of %d files are new, %d parts were left: %s",
                 command->arguments[0], command->arguments[1], what, run->status, made, outputs, parts,
                 run->err);
    }

    mask_seconds(run->out);
    if (answered && !command->varies && strcmp(run->out, expected->out) != 0) {
        complain("berth %s %s, %s: another answer: %.300s\nexpected: %.300s", command->arguments[0],
                 command->arguments[1], what, run->out, expected->out);
    }
}

static void check_killed(const Command* command, const Expected* expected, const ProgramRun* run,
                         const char* what) {
    if (run->status != 1009 && run->status != command->status && run->status != 4) {
        complain("berth %s, %s: exit status %d: %s", command->arguments[0], what, run->status, run->err);
    }
    (void)count_new(command, expected, what);
    // Two where there is no exchange: the new file and a name of the old one.
    assert_true(remove_parts() <= 2 * output_count(command));

    ProgramRun again = program_run_list(command->arguments);
    assert_int_equal(again.status, command->status);
    program_free(&again);
    assert_int_equal(count_new(command, expected, what), output_count(command));
}

static void one_fault(const Command* command, const Expected* expected, Fault fault) {
    char number[32], what[96];
    snprintf(number, sizeof number, "%ld%s", fault.at, fault.on ? "+" : "");
    snprintf(what, sizeof what, "%s=%s %s", fault.kind, number, fault.how);
    put_old_files(command);
    const int before = program_count_entries(folder);

    setenv("BERTH_FAIL_HOW", fault.how, 1);
    ProgramRun run = run_with(fault.kind, number, command->arguments);
    unsetenv("BERTH_FAIL_HOW");
    if (strcmp(fault.how, "kill") == 0) {
        check_killed(command, expected, &run, what);
    } else {
        check_end(command, expected, &fault, &run, what);
    }
    // Unfinished work of `berth batch` may be left; a second run goes on with it.
    char part[600];
    snprintf(part, sizeof part, "%s/verdicts.npy.part", folder);
    (void)remove(part);
    if (program_count_entries(folder) != before) {
        complain("berth %s, %s: %d files more than before", command->arguments[0], what,
                 program_count_entries(folder) - before);
    }
    program_free(&run);
}

// ---- all of them -----------------------------------------------------------------------------------------------

static void learn(const Command* command, Expected* expected) {
    static char bytes[OUTPUTS_MAX][FILE_MAX];
    *expected = (Expected){.bytes = {bytes[0], bytes[1]}};
    put_old_files(command);
    ProgramRun run = program_run_list(command->arguments);
    if (run.status != command->status) {
        fail_msg("berth %s %s: exit status %d: %s", command->arguments[0], command->arguments[1], run.status,
                 run.err);
    }
    for (int i = 0; command->outputs[i] != NULL; ++i) {
        expected->size[i] = bytes_of(command->outputs[i], bytes[i]);
        assert_true(expected->size[i] > 0 && expected->size[i] < FILE_MAX);
        bytes[i][expected->size[i]] = '\0';
        mask_seconds(bytes[i]);
    }
    expected->out = strdup(run.out);
    mask_seconds(expected->out);
    program_free(&run);

    put_old_files(command);
    expected->totals = totals_of(command);
}

// Of the numbers 1 to `total`, the last `last` of which are about outputs: some, or in a long test all.
static long next_number(long n, long total, int some, long last) {
    const long step = test_is_long() ? 1 : 1 + total / test_scaled(some);
    return n + (total - n > last ? step : 1);
}

static void every_fault(const Command* command) {
    static const char* const hows[] = {"", "EIO", "EINTR", "short", "kill"};
    Expected expected;
    learn(command, &expected);

    // Files: once, at many places; the last calls are about outputs.
    const long files = expected.totals.file;
    for (size_t k = 0; k < sizeof hows / sizeof hows[0]; ++k) {
        const bool writes = command->outputs[0] != NULL;
        if (strcmp(hows[k], "kill") == 0 && !writes) {
            continue;
        }
        const long last = writes && k != 0 ? test_scaled(6) : 2;
        for (long n = 1; n <= files; n = next_number(n, files, 4, last)) {
            one_fault(command, &expected, (Fault){"BERTH_FAIL_FILE", hows[k], n, false});
        }
        if (strcmp(hows[k], "kill") != 0 && strcmp(hows[k], "EINTR") != 0) {
            one_fault(command, &expected, (Fault){"BERTH_FAIL_FILE", hows[k], 1 + files / 2, true});
        }
    }

    // Memory: the first allocations, which everything needs, and others.
    const long allocations = expected.totals.memory;
    Random random = {11};
    const int tries = test_is_long() ? (int)fmin((double)allocations, 3000.0) : test_scaled(9);
    for (int i = 0; i < tries; ++i) {
        const bool all = test_is_long() && allocations <= 3000;
        const long n =
            all || i < tries / 4 ? i + 1 : (long)bi_random_between(&random, 1.0, (double)allocations + 1.0);
        one_fault(command, &expected, (Fault){"BERTH_FAIL_MEMORY", "", n, i % 3 == 2});
    }
    free(expected.out);
}

static const char* in_folder(const char* name) {
    const char* path = program_temporary(name);
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "%s", path);
        *strrchr(folder, '/') = '\0';
    }
    return path;
}

// More than one unit of `berth batch`.
static void write_states(const char* path) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("joint1\n", file);
    for (int i = 0; i < 5000; ++i) {
        fprintf(file, "%g\n", 0.0004 * i);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_inputs(void) {
    assert_true(program_write_text(in_folder("rooms.lin"), "4\n16 16 0\n2301 4\n1 1\n00 2\n"));
    assert_true(program_write_text(in_folder("arm.csv"), "joint1\n0\n0.1\n"));
    write_states(in_folder("states.csv"));
    assert_true(
        program_write_text(in_folder("boxes.urdf"),
                           "<robot name=\"boxes\"><link name=\"a\"><visual><geometry><mesh "
                           "filename=\"part.stl\"/></geometry></visual>"
                           "<collision><geometry><box size=\"0.1 0.2 "
                           "0.3\"/></geometry></collision></link><link name=\"b\"><collision><geometry>"
                           "<mesh filename=\"part.stl\"/></geometry></collision></link><joint name=\"j\" "
                           "type=\"revolute\"><parent "
                           "link=\"a\"/><child link=\"b\"/><origin xyz=\"1 0 0\"/><axis xyz=\"0 0 "
                           "1\"/><limit lower=\"-1\" upper=\"1\" "
                           "velocity=\"1\" effort=\"1\"/></joint></robot>\n"));
    assert_true(program_write_text(in_folder("way.csv"),
                                   "left/joint2,left/joint4,left/joint6\n-0.9,1.6,0.8\n-0.7,1.5,0.7\n"));
    assert_true(program_write_text(
        in_folder("part.stl"),
        "solid\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 endloop endfacet\n"
        "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 1 endloop endfacet\nendsolid\n"));
    assert_true(program_write_text(in_folder("part.ply"),
                                   "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty "
                                   "float y\nproperty float z\nelement face 4\n"
                                   "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 "
                                   "0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 "
                                   "2\n"));
}

static void every_command_survives(void** state) {
    (void)state;
    write_inputs();
    const char* cell = program_model("two_arms/cell.yaml");
    const char *arm = program_model("arm6/arm6.urdf"), *boxes = in_folder("boxes.urdf");
    const char *lin = in_folder("rooms.lin"), *way = in_folder("way.csv"), *arm_way = in_folder("arm.csv");
    const char *proof = in_folder("out.certificate"), *kept = in_folder("kept.certificate");
    const char *scene = in_folder("out.yaml"), *srdf = in_folder("out.srdf"), *map = in_folder("out.bmap");
    const char *image = in_folder("plan.pgm"), *plan = in_folder("plan.yaml");
    const char *states = in_folder("states.csv"), *verdicts = in_folder("verdicts.npy");
    const char* bounds = in_folder("bounds.npy");
    const char *spheres = in_folder("out.urdf"), *approximation = in_folder("spheres.srdf");
    ProgramRun made = program_run("path", arm, arm_way, "--certificate", kept, NULL);
    assert_int_equal(made.status, 0);
    program_free(&made);

    const Command commands[] = {
        {{"check", cell, "--distance", "--json", NULL}, {NULL}, 0, false},
        {{"check", arm, "--states", arm_way, "--json", "--threads", "2", NULL}, {NULL}, 0, false},
        {{"info", cell, "--json", NULL}, {NULL}, 0, false},
        {{"info", in_folder("part.stl"), "--json", NULL}, {NULL}, 0, false},
        {{"info", in_folder("part.ply"), "--json", NULL}, {NULL}, 0, false},
        {{"path", cell, way, "--json", "--threads", "2", NULL}, {NULL}, 0, false},
        {{"path", arm, arm_way, "--json", "--certificate", proof, NULL}, {proof, NULL}, 0, false},
        {{"path", arm, arm_way, "--json", "--verify", kept, NULL}, {NULL}, 0, false},
        {{"contact", program_model("touch/cell.yaml"), "--json", NULL}, {NULL}, 0, false},
        {{"monitor", program_model("two_arms/testbed.yaml"), "--input", program_model("two_arms/task2.csv"),
          "--fast", NULL},
         {NULL},
         1,
         true},
        {{"new", arm, "-o", scene, "--force", NULL}, {scene, NULL}, 0, false},
        {{"map", "build", lin, "-o", map, "--structure", "all", "--json", NULL}, {map, NULL}, 0, false},
        {{"map", "convert", lin, "-o", plan, "--json", NULL}, {image, plan, NULL}, 0, false},
        {{"map", "query", lin, "--ball", "5,5,1", "--json", "--all", "--structure", "eodm", NULL},
         {NULL},
         0,
         false},
        {{"spheres", boxes, "--count", "4", "-o", spheres, "--srdf-out", approximation, "--json", NULL},
         {spheres, approximation, NULL},
         0,
         false},
        {{"srdf", boxes, "-o", srdf, "--sample", "200", "--json", NULL}, {srdf, NULL}, 0, false},
        {{"batch", arm, states, "-o", verdicts, "--clearance", bounds, "--resume", "--json", "--threads", "1",
          NULL},
         {verdicts, bounds, NULL},
         0,
         false},
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        every_fault(&commands[i]);
    }
    program_remove_temporary();
    folder[0] = '\0';
    assert_int_equal(complaints, 0);
}

// File systems that know less: no files without names, no exchange, no links, and nothing of it.
static void poorer_file_systems(void** state) {
    (void)state;
    const char* arm = program_model("arm6/arm6.urdf");
    const char* scene = in_folder("made.yaml");
    const Command command = {{"new", arm, "-o", scene, "--force", NULL}, {scene, NULL}, 0, false};
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
        assert_non_null(strstr(run.err, "already exists; --force overwrites it"));
        program_free(&run);

        put_old_files(&command);
        run = run_with(NULL, NULL, command.arguments);
        assert_int_equal(run.status, 0);
        program_free(&run);
        static char bytes[FILE_MAX];
        assert_true(bytes_of(scene, bytes) > sizeof OLD);
        assert_int_equal(remove_parts(), 0);
        unsetenv("BERTH_LACKS");
    }

    // Everything again, on the poorest of them but with links.
    setenv("BERTH_LACKS", "tmpfile exchange", 1);
    every_fault(&command);
    unsetenv("BERTH_LACKS");
    program_remove_temporary();
    folder[0] = '\0';
    assert_int_equal(complaints, 0);
}

int test_cli_faults(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_survives),
        cmocka_unit_test(poorer_file_systems),
    };
    return TEST_SANITIZED ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
