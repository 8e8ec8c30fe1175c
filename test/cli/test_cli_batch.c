// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth batch against berth check and berth path, verdict by verdict; the same bytes for every number of threads, after every
// way to be stopped, and of several processes; what is wrong is refused with its place; memory does not grow with the file.
// test-timeout: 1200
// test-share: 0.3

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/setting.h"

extern char** environ;

enum { NPY_HEADER = 128, UNIT = 4096 };

// ---- files -------------------------------------------------------------------------------------------------------

typedef struct Bytes {
    char* data;
    size_t size;
} Bytes;

static Bytes read_file(const char* path) {
    Bytes bytes = {0};
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return bytes;
    }
    struct stat state;
    assert_int_equal(fstat(fileno(file), &state), 0);
    bytes.data = malloc((size_t)state.st_size + 1);
    assert_non_null(bytes.data);
    bytes.size = fread(bytes.data, 1, (size_t)state.st_size, file);
    fclose(file);
    return bytes;
}

static bool is_there(const char* path) {
    return access(path, F_OK) == 0;
}

static const char* part_of(const char* path) {
    static char part[1200];
    snprintf(part, sizeof part, "%s.part", path);
    return part;
}

static void expect_equal_files(const char* a, const char* b) {
    Bytes of_a = read_file(a), of_b = read_file(b);
    assert_int_equal(of_a.size, of_b.size);
    assert_true(of_a.size > NPY_HEADER);
    assert_memory_equal(of_a.data, of_b.data, of_a.size);
    free(of_a.data);
    free(of_b.data);
}

static void run_ok(const char* const* arguments) {
    ProgramRun run = expect_run(0, arguments);
    program_free(&run);
}

#define RUN_OK(...) run_ok((const char* const[]){__VA_ARGS__, NULL})

// ---- scenes ------------------------------------------------------------------------------------------------------

/// A scene by its file, and states for it.
typedef struct Case {
    const char *scene, *srdf;
    BerthScene* read;
    int values, rows;
    double* states;
} Case;

static void open_case(Case* out, const char* scene, const char* srdf, int rows, uint64_t seed) {
    *out = (Case){.scene = scene, .srdf = srdf, .rows = rows};
    BerthIoOptions options = berth_default_io_options();
    options.srdf = srdf;
    if (berth_io_read_scene(scene, &options, &out->read) != BERTH_OK) {
        fail_msg("%s: %s", scene, berth_error_text());
    }
    out->values = berth_scene_value_count(out->read);
    out->states = malloc((size_t)rows * (size_t)out->values * sizeof *out->states);
    assert_non_null(out->states);
    program_random_states(out->read, seed, rows, out->states);
}

static void close_case(Case* c) {
    free(c->states);
    berth_scene_destroy(c->read);
}

static BerthVerdict verdict_of(const json_t* line) {
    const char* name = json_string_value(json_object_get(line, "verdict"));
    for (int i = 0; i < 3; ++i) {
        if (name != NULL && strcmp(name, berth_verdict_name((BerthVerdict)i)) == 0) {
            return (BerthVerdict)i;
        }
    }
    fail_msg("no verdict");
    return BERTH_UNKNOWN;
}

// What check or path said, a line a row, against bytes.
static void expect_verdicts(const ProgramRun* run, const char* output, const char* bounds, int rows) {
    Bytes verdicts = read_file(output), clearances = bounds != NULL ? read_file(bounds) : (Bytes){0};
    assert_int_equal(verdicts.size, (size_t)rows + NPY_HEADER);
    assert_int_equal(program_line_count(run), rows);
    const char* at = run->out;
    for (int i = 0; i < rows; ++i) {
        json_error_t error;
        const size_t length = strcspn(at, "\n");
        json_t* line = json_loadb(at, length, 0, &error);
        assert_non_null(line);
        const BerthVerdict verdict = verdict_of(line);
        if (verdict != (BerthVerdict)verdicts.data[NPY_HEADER + i]) {
            fail_msg("row %d: %s, batch has %d", i, berth_verdict_name(verdict),
                     verdicts.data[NPY_HEADER + i]);
        }

        // Numbers are printed so that they read back exactly.
        const json_t* lower = json_object_get(json_object_get(line, "clearance"), "lower");
        if (bounds != NULL) {
            double bound = 0.0;
            memcpy(&bound, clearances.data + NPY_HEADER + 8 * (size_t)i, sizeof bound);
            assert_true(lower != NULL && json_is_number(lower) ? bound == json_number_value(lower)
                                                               : bound == (double)-INFINITY);
        }
        json_decref(line);
        at += length + 1;
    }
    free(verdicts.data);
    free(clearances.data);
}

// ---- the same verdicts -------------------------------------------------------------------------------------------

static void states_agree(Case* c) {
    const char *npy = program_temporary("s.npy"), *csv = program_temporary("s.csv");
    const char *out = program_temporary("o.npy"), *other = program_temporary("p.npy");
    const char *bounds = program_temporary("b.npy"), *other_bounds = program_temporary("c.npy");
    const char* srdf = c->srdf != NULL ? "--srdf" : NULL;
    assert_true(program_write_npy(npy, c->read, c->states, c->rows));
    assert_true(program_write_csv(csv, c->read, c->states, c->rows));

    RUN_OK("batch", c->scene, npy, "-o", out, "--clearance", bounds, "--quiet", "--threads", "1", srdf,
           c->srdf);
    ProgramRun run = program_run("check", c->scene, "--states", npy, "--distance", "--json", "--quiet", srdf,
                                 c->srdf, NULL);
    expect_verdicts(&run, out, bounds, c->rows);
    program_free(&run);

    static const char* const threads[] = {"2", "3", "4"};
    for (int i = 0; i < 3; ++i) {
        RUN_OK("batch", c->scene, i == 1 ? csv : npy, "-o", other, "--clearance", other_bounds, "--quiet",
               "--threads", threads[i], srdf, c->srdf);
        expect_equal_files(out, other);
        expect_equal_files(bounds, other_bounds);
    }
    assert_false(is_there(part_of(out)));
}

static void segments_agree(Case* c) {
    const int rows = c->rows / 4;
    double* ends = malloc(2 * (size_t)rows * (size_t)c->values * sizeof *ends);
    assert_non_null(ends);
    for (int i = 0; i < rows; ++i) {
        const double* from = c->states + (ptrdiff_t)i * c->values;
        const double* far = c->states + (ptrdiff_t)(i + rows) * c->values;
        for (int k = 0; k < c->values; ++k) {
            ends[(ptrdiff_t)2 * i * c->values + k] = from[k];
            ends[(ptrdiff_t)(2 * i + 1) * c->values + k] = from[k] + 0.03 * (far[k] - from[k]);
        }
    }
    char shape[64];
    snprintf(shape, sizeof shape, "%d, 2, %d", rows, c->values);
    const char *npy = program_temporary("e.npy"), *out = program_temporary("eo.npy");
    const char *other = program_temporary("ep.npy"), *bounds = program_temporary("eb.npy");
    const char* srdf = c->srdf != NULL ? "--srdf" : NULL;
    assert_true(program_write_array(npy, shape, ends, 2 * (size_t)rows * (size_t)c->values));

    RUN_OK("batch", c->scene, "--segments", npy, "-o", out, "--clearance", bounds, "--delta", "0.001",
           "--quiet", srdf, c->srdf);
    ProgramRun run = program_run("path", c->scene, "--segments", npy, "--delta", "0.001", "--json", "--quiet",
                                 srdf, c->srdf, NULL);
    expect_verdicts(&run, out, bounds, rows);
    program_free(&run);
    RUN_OK("batch", c->scene, "--segments", npy, "-o", other, "--delta", "0.001", "--quiet", "--threads", "3",
           srdf, c->srdf);
    expect_equal_files(out, other);
    free(ends);
}

static void bundled_models_agree(void** state) {
    (void)state;
    static const char* const models[] = {"two_arms/cell.yaml", "arm6/arm6.urdf", "kitchen/cell.yaml"};
    const int count = test_is_whole() ? 3 : 2;  // the kitchen's layout takes long where sanitizers look
    for (int i = 0; i < count; ++i) {
        Case c;
        open_case(&c, program_model(models[i]), NULL, i < 2 ? 300 + test_scaled(1500) : 60 + test_scaled(60),
                  7);
        states_agree(&c);
        segments_agree(&c);
        close_case(&c);
    }
    program_remove_temporary();
}

static void real_robots_agree(void** state) {
    (void)state;
    static const char* const robots[][2] = {
        {"robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf"},
        {"robots/moveit_resources_fanuc_description/urdf/fanuc.urdf",
         "robots/moveit_resources_fanuc_moveit_config/config/fanuc.srdf"},
    };
    if (test_shared_dir() == NULL) {
        TEST_SKIP("there is no folder of shared robots");
    }
    for (int i = 0; i < 2; ++i) {
        char urdf[600], srdf[600];
        Case c;
        assert_true(test_shared_path(urdf, sizeof urdf, robots[i][0]));
        assert_true(test_shared_path(srdf, sizeof srdf, robots[i][1]));
        open_case(&c, urdf, srdf, 200 + test_scaled(600), 8);
        states_agree(&c);
        segments_agree(&c);
        close_case(&c);
    }
    program_remove_temporary();
}

// ---- what is told ------------------------------------------------------------------------------------------------

static void answer_has_all_parts(void** state) {
    (void)state;
    const char *scene = program_model("two_arms/cell.yaml"), *csv = program_temporary("s.csv");
    assert_true(program_write_text(csv, "left/joint1,left/joint2\n0,-0.9\n0.1,-0.9\n2.9,9\n"));
    ProgramRun run = program_run("batch", scene, csv, "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* line = program_json_line(&run, 0);
    assert_int_equal(json_integer_value(json_object_get(line, "states")), 3);
    int64_t sum = 0;
    static const char* const counts[] = {"free", "collisions", "unknown"};
    for (int i = 0; i < 3; ++i) {
        sum += json_integer_value(json_object_get(line, counts[i]));
    }
    assert_int_equal(sum, 3);
    assert_true(json_is_number(json_object_get(line, "seconds")));
    assert_true(json_is_array(json_object_get(line, "declared")));
    assert_true(json_is_integer(json_object_get(line, "proven")));
    const json_t* assumed = json_object_get(line, "assumed");
    bool outside = false;
    for (size_t i = 0; i < json_array_size(assumed); ++i) {
        const char* what = json_string_value(json_object_get(json_array_get(assumed, i), "what"));
        outside |= what != NULL && strcmp(what, "outside_limits") == 0;
    }
    assert_true(outside);
    assert_non_null(
        strstr(run.err, "1 of 3 states have values outside joint limits (the first is number 2)"));
    json_decref(line);
    program_free(&run);

    run = program_run("batch", scene, csv, "--strict", "--quiet", NULL);
    assert_int_equal(run.status, 3);
    program_free(&run);
    run = program_run("batch", scene, csv, "--limits", NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "s.csv:4: left/joint2 = 9 is outside its limits"));
    program_free(&run);
    program_remove_temporary();
}

// ---- what is wrong -----------------------------------------------------------------------------------------------

static void expect_refusal(const char* text, const char* const* arguments) {
    ProgramRun run = expect_run(2, arguments);
    if (strstr(run.err, text) == NULL) {
        fail_msg("'%s' was expected: %s", text, run.err);
    }
    assert_string_equal(run.out, "");
    program_free(&run);
}
#define REFUSED(text, ...) expect_refusal(text, (const char* const[]){__VA_ARGS__, NULL})

static void wrong_requests_are_refused(void** state) {
    (void)state;
    const char *arm = program_model("arm6/arm6.urdf"), *csv = program_temporary("s.csv");
    const char *out = program_temporary("o.npy"), *part = program_temporary("o.npy.part");
    assert_true(program_write_text(csv, "joint1\n0\n"));
    REFUSED("which scene", "batch");
    REFUSED("which states", "batch", arm);
    REFUSED("not both", "batch", arm, csv, "--segments", csv);
    REFUSED("one file of states", "batch", arm, csv, csv);
    REFUSED("need -o", "batch", arm, csv, "--resume");
    REFUSED("need -o", "batch", arm, csv, "--clearance", out);
    REFUSED("give only one of them", "batch", arm, csv, "-o", out, "--resume", "--force");
    REFUSED("is an input file", "batch", arm, csv, "-o", csv);
    REFUSED("would be written twice", "batch", arm, csv, "-o", out, "--clearance", out);
    // Its work was lost when all was done, and nothing said so.
    REFUSED("would be written twice", "batch", arm, csv, "-o", out, "--clearance", part);
    REFUSED("cannot be opened", "batch", arm, "/nowhere.csv", "-o", out);
    REFUSED("cannot be written", "batch", arm, csv, "-o", "/nowhere/o.npy");
    REFUSED("--margin", "batch", arm, csv, "--margin", "-1");
    assert_false(is_there(part_of(out)) || is_there(out));
    program_remove_temporary();
}

static void wrong_rows_are_named(void** state) {
    (void)state;
    const char *arm = program_model("arm6/arm6.urdf"), *out = program_temporary("o.npy");
    const char *csv = program_temporary("s.csv"), *npy = program_temporary("s.npy");
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "s.csv:1: the file is empty"},
        {"joint1\n", "s.csv:1: a header and no states"},
        {"joint7\n0\n", "s.csv:1: column 'joint7'"},
        {"joint1\n0\nnan\n", "s.csv:3: column 'joint1': 'nan'"},
        {"joint1,joint2\n0,1\n\n1\n", "s.csv:4: 1 values, the header has 2 columns"},
        {"joint1\n0\n1e9\n", "s.csv:3: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_true(program_write_text(csv, cases[i].text));
        REFUSED(cases[i].expected, "batch", arm, csv, "-o", out);
        assert_false(is_there(out) || is_there(part_of(out)));
    }

    // Of two wrong rows the first is named, however many threads there are. What is finished before it stays.
    enum { ROWS = 5 * UNIT };
    double* values = calloc((size_t)ROWS * 6, sizeof *values);
    assert_non_null(values);
    values[(3 * UNIT + 17) * 6 + 2] = NAN;
    values[(4 * UNIT + 1) * 6] = INFINITY;
    char shape[32];
    snprintf(shape, sizeof shape, "%d, 6", ROWS);
    assert_true(program_write_array(npy, shape, values, (size_t)ROWS * 6));
    char expected[100];
    snprintf(expected, sizeof expected, "s.npy: byte %d: state %d: ", NPY_HEADER + (3 * UNIT + 17) * 48,
             3 * UNIT + 17);
    static const char* const threads[] = {"1", "2", "4"};
    for (int i = 0; i < 3; ++i) {
        REFUSED(expected, "batch", arm, npy, "-o", out, "--threads", threads[i]);
        assert_true(is_there(part_of(out)) && !is_there(out));
        assert_int_equal(remove(part_of(out)), 0);
    }

    // A file that is cut, and one of another shape.
    assert_int_equal(truncate(npy, NPY_HEADER + 4711), 0);
    REFUSED("the header says", "batch", arm, npy, "-o", out);
    assert_true(program_write_array(npy, "10, 5", values, 50));
    REFUSED("shape (n, 6) was expected", "batch", arm, npy, "-o", out);
    REFUSED("shape (n, 2, 6) was expected", "batch", arm, "--segments", npy, "-o", out);
    assert_false(is_there(out) || is_there(part_of(out)));
    free(values);
    program_remove_temporary();
}

// ---- stopped and gone on with --------------------------------------------------------------------------------------

static pid_t start_program(const char* const* arguments) {
    const char* program = getenv("BERTH_PROGRAM");
    program = program != NULL && program[0] != '\0' ? program : BERTH_PROGRAM;
    const char* argv[PROGRAM_ARGUMENTS_MAX + 2] = {program};
    for (int i = 0; arguments[i] != NULL; ++i) {
        argv[i + 1] = arguments[i];
    }
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    assert_int_equal(posix_spawn(&child, program, &actions, NULL, (char* const*)argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Runs it and kills it after so long; true when it was faster.
static bool run_and_kill(double seconds, const char* const* arguments) {
    const pid_t child = start_program(arguments);
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    (void)nanosleep(&pause, NULL);
    (void)kill(child, SIGKILL);
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

// Many rows whose verdicts differ.
static void open_long_case(Case* c, const char* npy, const char* csv) {
    open_case(c, program_model("two_arms/cell.yaml"), NULL, (test_is_whole() ? 10 : 6) * UNIT + 100, 11);
    assert_true(program_write_npy(npy, c->read, c->states, c->rows));
    assert_true(csv == NULL || program_write_csv(csv, c->read, c->states, c->rows));
}

/// Work that is killed again and again, and must end with the bytes of `whole`.
typedef struct Work {
    const char *scene, *rows[2], *segments, *whole, *out;  // rows: the same as .npy and as .csv; or segments
    double took;                                           // by two threads, undisturbed
} Work;

// Every third time it may then end. Whoever was faster than the signal was not killed, and does not count: counts how often it was.
static void kill_and_go_on(const Work* work, int kills, uint64_t seed) {
    Random random = {seed};
    int killed = 0, ended = 0;
    for (int i = 0; killed < kills; ++i) {
        if (ended > 10 * kills) {
            fail_msg("%d of %d times it was killed, %d times it was faster", killed, kills, ended);
        }
        const char* rows = work->rows[i / 3 % 2];
        const char* const of_states[] = {
            "batch",     work->scene,           rows, "-o", work->out, "--resume", "--quiet",
            "--threads", i % 4 < 2 ? "2" : "1", NULL};
        const char* const of_segments[] = {
            "batch",    work->scene, "--segments", work->segments,        "-o", work->out,
            "--resume", "--quiet",   "--threads",  i % 4 < 2 ? "2" : "1", NULL};
        const char* const* arguments = work->segments != NULL ? of_segments : of_states;
        const bool is_done = run_and_kill(bi_random_between(&random, 0.0, 0.8 * work->took), arguments);
        killed += !is_done;
        ended += is_done;
        if (i % 3 == 2 || is_done) {
            run_ok(arguments);
            expect_equal_files(work->whole, work->out);
            assert_false(is_there(part_of(work->out)));
            assert_int_equal(remove(work->out), 0);
        }
    }
    (void)remove(part_of(work->out));
    print_message("killed %d times, %d times too late\n", killed, ended);
}

static int kill_count(void) {
    return test_scaled(20) < 4 ? 4 : test_scaled(20);
}

static void killed_work_goes_on(void** state) {
    (void)state;
    Case c;
    const char *npy = program_temporary("s.npy"), *csv = program_temporary("s.csv");
    const char *whole = program_temporary("w.npy"), *out = program_temporary("o.npy");
    const char *bounds = program_temporary("b.npy"), *whole_bounds = program_temporary("wb.npy");
    open_long_case(&c, npy, csv);
    const double start = seconds_now();
    RUN_OK("batch", c.scene, npy, "-o", whole, "--quiet", "--threads", "2");
    const double took = seconds_now() - start;

    const Work work = {c.scene, {npy, csv}, NULL, whole, out, took};
    kill_and_go_on(&work, kill_count(), 12);

    // With bounds, which cost far more, of fewer rows.
    assert_true(program_write_npy(npy, c.read, c.states, UNIT + 100));
    RUN_OK("batch", c.scene, npy, "-o", out, "--clearance", whole_bounds, "--quiet", "--margin", "0.02");
    const char* const arguments[] = {"batch", c.scene,    npy,        "-o",   out,       "--clearance",
                                     bounds,  "--resume", "--margin", "0.02", "--quiet", NULL};
    assert_int_equal(remove(out), 0);
    (void)run_and_kill(0.7 * took, arguments);
    run_ok(arguments);
    expect_equal_files(whole_bounds, bounds);
    close_case(&c);
    program_remove_temporary();
}

static void interrupted_work_goes_on(void** state) {
    (void)state;
    Case c;
    const char *npy = program_temporary("s.npy"), *whole = program_temporary("w.npy");
    const char* out = program_temporary("o.npy");
    open_long_case(&c, npy, NULL);
    RUN_OK("batch", c.scene, npy, "-o", whole, "--quiet");
    for (int wait = 1; wait < 4000; wait *= 4) {
        const char* const arguments[] = {"batch", c.scene, npy, "-o", out, "--threads", "1", NULL};
        ProgramRun run = program_run_into(NULL, wait, arguments);
        assert_true(run.status == 130 || run.status == 0 || run.status == 1000 + SIGINT);
        if (run.status == 130) {
            assert_non_null(strstr(run.err, "berth batch: interrupted"));
            assert_string_equal(run.out, "");
            assert_false(is_there(out));
        }
        program_free(&run);
        RUN_OK("batch", c.scene, npy, "-o", out, "--quiet", "--resume");
        expect_equal_files(whole, out);
        assert_int_equal(remove(out), 0);
    }
    close_case(&c);
    program_remove_temporary();
}

// Unfinished work of a known extent: all units but some, as if their writer had been killed.
static void make_part(const char* scene, const char* npy, const char* out, const char* option,
                      const char* value) {
    const char* const arguments[] = {"batch", scene,     npy,    "-o",  out, "--threads",
                                     "2",     "--force", option, value, NULL};
    const pid_t child = start_program(arguments);
    const double end = seconds_now() + 60.0;
    struct stat state;
    while ((stat(part_of(out), &state) != 0 || state.st_size < 4096 + 2 * UNIT) && seconds_now() < end) {
        const struct timespec pause = {0, 200000};
        (void)nanosleep(&pause, NULL);
    }
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    if (!is_there(part_of(out))) {
        fail_msg("it was faster than this test");
    }
}

static void other_work_is_refused(void** state) {
    (void)state;
    Case c;
    const char *npy = program_temporary("s.npy"), *whole = program_temporary("w.npy");
    const char* out = program_temporary("o.npy");
    open_long_case(&c, npy, NULL);
    RUN_OK("batch", c.scene, npy, "-o", whole, "--quiet");
    make_part(c.scene, npy, out, NULL, NULL);
    Bytes before = read_file(part_of(out));

    REFUSED("contains unfinished work: continue with --resume, or start anew with --force", "batch", c.scene,
            npy, "-o", out, "--quiet");
    REFUSED("it was made with '--margin 0', this run has '--margin 0.1'", "batch", c.scene, npy, "-o", out,
            "--quiet", "--resume", "--margin", "0.1");
    REFUSED("--self-margin", "batch", c.scene, npy, "-o", out, "--quiet", "--resume", "--self-margin", "0.1");
    REFUSED("it was made with '--clearance: no'", "batch", c.scene, npy, "-o", out, "--quiet", "--resume",
            "--clearance", program_temporary("b.npy"));

    // Another scene: the same robots, one object moved.
    Bytes text = read_file(c.scene);
    text.data[text.size] = '\0';
    char* size = strstr(text.data, "size: [");
    assert_non_null(size);
    size[7] = size[7] == '9' ? '8' : '9';
    char moved[1200];
    snprintf(moved, sizeof moved, "%.*s/moved_by_test_%d.yaml", (int)(strrchr(c.scene, '/') - c.scene),
             c.scene, (int)getpid());
    FILE* file = fopen(moved, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
    assert_int_equal(fclose(file), 0);
    free(text.data);
    REFUSED("it was made with 'scene: ", "batch", moved, npy, "-o", out, "--quiet", "--resume");
    assert_int_equal(remove(moved), 0);

    // Other rows: one number of a unit that is finished; then fewer rows.
    const double kept = c.states[3];
    const char* changed = program_temporary("t.npy");
    c.states[3] += 1e-9;
    assert_true(program_write_npy(changed, c.read, c.states, c.rows));
    REFUSED("it was made from other input (states 0 to 4095 of ", "batch", c.scene, changed, "-o", out,
            "--quiet", "--resume");
    c.states[3] = kept;
    assert_true(program_write_npy(changed, c.read, c.states, c.rows - 1));
    REFUSED("it was made with 'number of rows: ", "batch", c.scene, changed, "-o", out, "--quiet",
            "--resume");

    // All this changed nothing; the right request still goes on.
    Bytes after = read_file(part_of(out));
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    RUN_OK("batch", c.scene, npy, "-o", out, "--quiet", "--resume");
    expect_equal_files(whole, out);

    // Somebody's own file is never touched.
    assert_true(program_write_text(part_of(out), "my notes\n"));
    REFUSED("is not unfinished work of berth batch", "batch", c.scene, npy, "-o", out, "--force", "--quiet");
    REFUSED("is not unfinished work of berth batch", "batch", c.scene, npy, "-o", out, "--quiet");
    Bytes notes = read_file(part_of(out));
    assert_int_equal(notes.size, 9);
    free(notes.data);
    free(before.data);
    free(after.data);
    close_case(&c);
    program_remove_temporary();
}

// A run without --limits asked a first unit in which a row leaves its limits, and ended at a NaN behind it. Gone on with
// under --limits it took that unit over and exited with 0, where a run from the start exits with 2.
static void limits_hold_for_finished_units(void** state) {
    (void)state;
    const char *arm = program_model("arm6/arm6.urdf"), *out = program_temporary("o.npy");
    const char* npy = program_temporary("s.npy");
    enum { ROWS = 2 * UNIT };
    double* values = calloc((size_t)ROWS * 6, sizeof *values);
    assert_non_null(values);
    char shape[32];
    snprintf(shape, sizeof shape, "%d, 6", ROWS);

    values[5 * 6 + 1] = 9.0;
    values[(ROWS - 1) * 6] = NAN;
    assert_true(program_write_array(npy, shape, values, (size_t)ROWS * 6));
    REFUSED("s.npy: byte ", "batch", arm, npy, "-o", out);
    assert_true(is_there(part_of(out)));

    values[(ROWS - 1) * 6] = 0.0;
    assert_true(program_write_array(npy, shape, values, (size_t)ROWS * 6));
    REFUSED("joint2 = 9 is outside its limits", "batch", arm, npy, "-o", out, "--resume", "--limits");
    assert_true(is_there(part_of(out)) && !is_there(out));
    RUN_OK("batch", arm, npy, "-o", out, "--resume", "--quiet");
    free(values);
    program_remove_temporary();
}

// A unit of which a byte is wrong is done again, wherever it is.
static void damaged_units_are_done_again(void** state) {
    (void)state;
    Case c;
    const char *npy = program_temporary("s.npy"), *whole = program_temporary("w.npy");
    const char* out = program_temporary("o.npy");
    open_long_case(&c, npy, NULL);
    RUN_OK("batch", c.scene, npy, "-o", whole, "--quiet");
    make_part(c.scene, npy, out, NULL, NULL);
    Bytes part = read_file(part_of(out));
    Random random = {13};
    for (int i = 0; i < test_scaled(10) + 2; ++i) {
        // A byte changes, or the end is missing.
        const size_t at = (size_t)bi_random_between(&random, 4096.0, (double)part.size);
        const char kept = part.data[at];
        part.data[at] = (char)(part.data[at] ^ (1 << i % 8));
        FILE* file = fopen(part_of(out), "wb");
        assert_non_null(file);
        const size_t size = i % 3 == 2 ? at : part.size;
        assert_int_equal(fwrite(part.data, 1, size, file), size);
        assert_int_equal(fclose(file), 0);
        part.data[at] = kept;

        RUN_OK("batch", c.scene, npy, "-o", out, "--quiet", "--resume");
        expect_equal_files(whole, out);
    }
    free(part.data);
    close_case(&c);
    program_remove_temporary();
}

// ---- memory ------------------------------------------------------------------------------------------------------

// Joints without geometry: rows of 480 bytes that cost little. The file is larger than all memory that is allowed.
static void memory_does_not_grow(void** state) {
    (void)state;
    if (TEST_SANITIZED) {
        return;  // sanitizers take terabytes of addresses
    }
    enum { JOINTS = 60, ROWS = 1000000 };
    const char *urdf = program_temporary("long.urdf"), *npy = program_temporary("long.npy");
    const char* out = program_temporary("o.npy");
    FILE* file = fopen(urdf, "w");
    assert_non_null(file);
    fputs("<robot name=\"long\"><link name=\"l0\"/>\n", file);
    for (int i = 0; i < JOINTS; ++i) {
        fprintf(file,
                "<link name=\"l%d\"/><joint name=\"j%d\" type=\"prismatic\"><parent link=\"l%d\"/><child "
                "link=\"l%d\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" velocity=\"1\" "
                "effort=\"1\"/></joint>\n",
                i + 1, i, i, i + 1);
    }
    fputs("</robot>\n", file);
    assert_int_equal(fclose(file), 0);
    char shape[32];
    snprintf(shape, sizeof shape, "%d, %d", ROWS, JOINTS);
    assert_true(program_write_array(npy, shape, NULL, 0));
    assert_int_equal(truncate(npy, NPY_HEADER + (off_t)ROWS * JOINTS * 8),
                     0);  // zeros, without a block on disk

    const char* program = getenv("BERTH_PROGRAM");
    program = program != NULL && program[0] != '\0' ? program : BERTH_PROGRAM;
    char kept[1024];
    snprintf(kept, sizeof kept, "%s", program);
    setenv("BERTH_PROGRAM", "/bin/sh", 1);
    ProgramRun run = program_run("-c", "ulimit -v 300000; exec \"$0\" \"$@\"", kept, "batch", urdf, npy, "-o",
                                 out, "--json", "--quiet", "--threads", "1", NULL);
    setenv("BERTH_PROGRAM", kept, 1);
    if (run.status != 0) {
        fail_msg("exit status %d: %s", run.status, run.err);
    }
    program_free(&run);
    Bytes bytes = read_file(out);
    assert_int_equal(bytes.size, NPY_HEADER + ROWS);
    for (int i = 0; i < ROWS; ++i) {
        assert_int_equal(bytes.data[NPY_HEADER + i], BERTH_FREE);
    }
    free(bytes.data);
    program_remove_temporary();
}

// ---- many processes ----------------------------------------------------------------------------------------------

static int run_mpi(const char* count, const char* const* arguments) {
    const char* argv[PROGRAM_ARGUMENTS_MAX + 8] = {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n",
                                                   count};
    int used = 5;
    const char* program = getenv("BERTH_PROGRAM");
    argv[used++] = program != NULL && program[0] != '\0' ? program : BERTH_PROGRAM;
    for (int i = 0; arguments[i] != NULL; ++i) {
        argv[used++] = arguments[i];
    }
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int spawned = posix_spawnp(&child, "mpirun", &actions, NULL, (char* const*)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(spawned, 0);
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 1000 + WTERMSIG(result);
}

static void several_processes_agree(void** state) {
    (void)state;
    if (TEST_SANITIZED || !is_there(BERTH_BUILD_DIR "/berth-batch-mpi.so")) {
        return;  // not built, or MPI's own findings; the next test is about that
    }
    Case c;
    const char *npy = program_temporary("s.npy"), *csv = program_temporary("s.csv");
    const char *whole = program_temporary("w.npy"), *out = program_temporary("o.npy");
    const char *bounds = program_temporary("b.npy"), *whole_bounds = program_temporary("wb.npy");
    open_long_case(&c, npy, csv);
    RUN_OK("batch", c.scene, npy, "-o", whole, "--quiet");
    static const char* const counts[] = {"2", "3"};
    for (int i = 0; i < 2; ++i) {
        const char* const arguments[] = {"batch", c.scene,     i == 0 ? npy : csv, "-o",
                                         out,     "--threads", i == 0 ? "1" : "2", "--quiet",
                                         NULL};
        assert_int_equal(run_mpi(counts[i], arguments), 0);
        expect_equal_files(whole, out);
        assert_false(is_there(part_of(out)));
    }

    // What one process left, two finish; and bounds.
    assert_int_equal(remove(out), 0);
    make_part(c.scene, npy, out, NULL, NULL);
    const char* const resumed[] = {"batch", c.scene, npy, "-o", out, "--resume", "--quiet", NULL};
    assert_int_equal(run_mpi("2", resumed), 0);
    expect_equal_files(whole, out);
    assert_true(program_write_npy(npy, c.read, c.states, UNIT + 100));
    RUN_OK("batch", c.scene, npy, "-o", out, "--clearance", whole_bounds, "--margin", "0.02", "--quiet");
    const char* const with_bounds[] = {"batch", c.scene,    npy,    "-o",      out, "--clearance",
                                       bounds,  "--margin", "0.02", "--quiet", NULL};
    assert_int_equal(run_mpi("2", with_bounds), 0);
    expect_equal_files(whole_bounds, bounds);

    // A wrong row ends all of them.
    c.states[(ptrdiff_t)(5 * UNIT + 3) * c.values] = NAN;
    assert_true(program_write_npy(npy, c.read, c.states, c.rows));
    const char* const wrong[] = {"batch", c.scene, npy, "-o", out, "--quiet", "--force", NULL};
    assert_int_equal(run_mpi("2", wrong), 2);
    close_case(&c);
    program_remove_temporary();
}

// ---- by lanes ------------------------------------------------------------------------------------------------------

// The Panda made of spheres among things.
static bool write_spheres_scene(const char* path) {
    char urdf[2048], srdf[2048], text[8192];
    if (!test_shared_path(urdf, sizeof urdf, "robots/panda_mbm/panda_spherized.urdf") ||
        !test_shared_path(srdf, sizeof srdf, "robots/panda_mbm/panda.srdf")) {
        return false;
    }
    snprintf(text, sizeof text,
             "berth: 1\nrobots:\n  - {urdf: %s, srdf: %s}\nobjects:\n"
             "  - {name: a_table, box: {size: [0.6, 1.2, 0.04]}, pose: {xyz: [0.85, 0, 0.3]}}\n"
             "  - {name: a_rod, cylinder: {radius: 0.001, length: 0.6}, pose: {xyz: [0.5, -0.4, 0.6]}}\n"
             "  - {name: a_ball, sphere: {radius: 0.08}, pose: {xyz: [-0.5, 0.3, 0.7]}}\n"
             "  - {name: a_bar, capsule: {radius: 0.01, length: 0.5}, pose: {xyz: [-0.4, -0.4, 0.8]}}\n",
             urdf, srdf);
    return program_write_text(path, text);
}

// Some of the rows by a checker that knows no lanes: the same, but where the one or the other cannot tell.
static void expect_bodies_agree(const Case* c, const double* rows, int count, bool segments,
                                const char* out) {
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(c->read, &def, &motion), BERTH_OK);
    Bytes bytes = read_file(out);
    const int step = count / 2000 + 1, size = segments ? 2 * c->values : c->values;
    int seen[3] = {0, 0, 0}, unknown = 0;
    for (int i = 0; i < count; i += step) {
        const double* from = rows + (ptrdiff_t)i * size;
        const BerthSegment segment = {
            .value_count = c->values, .from = from, .to = segments ? from + c->values : from};
        const BerthMotionRequest request = {0};
        BerthMotionResult result;
        assert_int_equal(berth_motion_check_segment(motion, &segment, &request, &result), BERTH_OK);
        const int theirs = bytes.data[NPY_HEADER + i];
        assert_true(theirs >= 0 && theirs < 3);
        seen[theirs] += 1;
        if (theirs != (int)result.verdict) {
            assert_true(theirs == BERTH_UNKNOWN || result.verdict == BERTH_UNKNOWN);
            unknown += 1;
        }
    }
    assert_true(seen[BERTH_FREE] > 50 && seen[BERTH_COLLISION] > 50 && unknown < 5);
    free(bytes.data);
    berth_motion_checker_destroy(motion);
}

// Nothing above goes through lanes: two_arms has too few rows to pay for them. A robot of spheres always does.
static void work_by_lanes_keeps_its_bytes(void** state) {
    (void)state;
    const char* scene = program_temporary("spheres.yaml");
    if (!write_spheres_scene(scene)) {
        TEST_SKIP("batch: the Panda made of spheres is not there");
    }
    enum { STATES = 300000, SEGMENTS = 60000 };
    const bool sanitized = TEST_SANITIZED || !test_is_whole();
    const int states = sanitized ? STATES / 30 : STATES, segments = sanitized ? SEGMENTS / 30 : SEGMENTS;
    Case c;
    open_case(&c, scene, NULL, states, 14);
    assert_true(berth_lanes_pay(c.read, states, 0) && berth_lanes_pay(c.read, 0, segments));

    double* ends = malloc(2 * (size_t)segments * (size_t)c.values * sizeof *ends);
    assert_non_null(ends);
    for (int i = 0; i < segments; ++i) {
        const double* from = c.states + (ptrdiff_t)i * c.values;
        const double* far = c.states + (ptrdiff_t)(i + segments) * c.values;
        for (int k = 0; k < c.values; ++k) {
            ends[(ptrdiff_t)2 * i * c.values + k] = from[k];
            ends[(ptrdiff_t)(2 * i + 1) * c.values + k] = from[k] + 0.2 * (far[k] - from[k]);
        }
    }

    const char *npy = program_temporary("s.npy"), *csv = program_temporary("s.csv");
    const char *whole = program_temporary("w.npy"), *out = program_temporary("o.npy");
    char shape[64];
    snprintf(shape, sizeof shape, "%d, 2, %d", segments, c.values);
    for (int kind = 0; kind < 2; ++kind) {
        const char* option = kind == 1 ? "--segments" : "--quiet";
        if (kind == 0) {
            assert_true(program_write_npy(npy, c.read, c.states, states));
            assert_true(program_write_csv(csv, c.read, c.states, states));
        } else {
            assert_true(program_write_array(npy, shape, ends, 2 * (size_t)segments * (size_t)c.values));
        }
        RUN_OK("batch", scene, option, npy, "-o", out, "--threads", "1", "--quiet");
        const double start = seconds_now();
        RUN_OK("batch", scene, option, npy, "-o", whole, "--threads", "2", "--quiet");
        const double took = seconds_now() - start;
        expect_equal_files(whole, out);
        expect_bodies_agree(&c, kind == 1 ? ends : c.states, kind == 1 ? segments : states, kind == 1, whole);
        assert_int_equal(remove(out), 0);

        if (!TEST_SANITIZED && is_there(BERTH_BUILD_DIR "/berth-batch-mpi.so")) {
            const char* const arguments[] = {"batch", scene,       option, npy,       "-o",
                                             out,     "--threads", "1",    "--quiet", NULL};
            assert_int_equal(run_mpi("2", arguments), 0);
            expect_equal_files(whole, out);
            assert_int_equal(remove(out), 0);
        }
        const Work work = {scene, {npy, csv}, kind == 1 ? npy : NULL, whole, out, took};
        kill_and_go_on(&work, kill_count(), 15);
        assert_int_equal(remove(whole), 0);
    }
    free(ends);
    close_case(&c);
    program_remove_temporary();
}

static void missing_mpi_is_told(void** state) {
    (void)state;
    // A copy of the program elsewhere has no module beside it.
    const char *arm = program_model("arm6/arm6.urdf"), *csv = program_temporary("s.csv");
    const char* copy = program_temporary("berth");
    const char* program = getenv("BERTH_PROGRAM");
    char kept[1024];
    snprintf(kept, sizeof kept, "%s", program != NULL && program[0] != '\0' ? program : BERTH_PROGRAM);
    assert_true(program_write_text(csv, "joint1\n0\n"));
    Bytes bytes = read_file(kept);
    FILE* file = fopen(copy, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    assert_int_equal(fclose(file), 0);
    free(bytes.data);
    assert_int_equal(chmod(copy, 0755), 0);

    setenv("BERTH_PROGRAM", copy, 1);
    setenv("LD_LIBRARY_PATH", BERTH_BUILD_DIR, 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    ProgramRun run = program_run("batch", arm, csv, NULL);
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("LD_LIBRARY_PATH");
    setenv("BERTH_PROGRAM", kept, 1);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "mpirun started 4 processes, but this berth was built without MPI"));
    program_free(&run);
    program_remove_temporary();
}

int test_cli_batch(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_models_agree),          cmocka_unit_test(real_robots_agree),
        cmocka_unit_test(answer_has_all_parts),          cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(wrong_rows_are_named),          cmocka_unit_test(killed_work_goes_on),
        cmocka_unit_test(interrupted_work_goes_on),      cmocka_unit_test(other_work_is_refused),
        cmocka_unit_test(damaged_units_are_done_again),  cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(several_processes_agree),       cmocka_unit_test(missing_mpi_is_told),
        cmocka_unit_test(work_by_lanes_keeps_its_bytes), cmocka_unit_test(limits_hold_for_finished_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
