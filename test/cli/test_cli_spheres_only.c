// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// --spheres-only through the commands: what is free for the spheres is free for the robot; what was made for one of the two is
// refused for the other. And summaries, which the batch room counts, against one checker a row (--engine boxes).
// test-timeout: 900

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "support/expect.h"
#include "support/setting.h"

int test_cli_spheres_only(void);

enum { NPY_HEADER = 128 };

// Rows of a table; fewer where each costs more.
static int state_count(void) {
    return test_is_whole() ? 5000 : 1000;
}

static int segment_count(void) {
    return test_is_whole() ? 1000 : 200;
}

// ---- robots and rows ---------------------------------------------------------------------------------------------

/// A scene in a temporary file, with rows for it.
typedef struct Case {
    const char* name;
    const char* urdf;  // in the shared folder, or with `model` among the bundled ones
    const char* srdf;  // or null
    bool model;
} Case;

static const Case panda = {"panda", "robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf", false};
static const Case panda_spheres = {"panda_spheres", "robots/panda_mbm/panda_spherized.urdf",
                                   "robots/panda_mbm/panda.srdf", false};
static const Case ur5 = {"ur5", "robots/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf",
                         "robots/example-robot-data/robots/ur_description/srdf/ur5.srdf", false};
static const Case arm6 = {"arm6", "arm6/arm6.urdf", NULL, true};

static const char objects[] =
    "objects:\n"
    "  - {name: table, box: {size: [1.2, 0.8, 0.05]}, pose: {xyz: [0.8, 0, 0.2]}}\n"
    "  - {name: shelf, box: {size: [0.4, 0.8, 0.03]}, pose: {xyz: [0.7, 0, 0.7]}}\n"
    "  - {name: ball, sphere: {radius: 0.1}, pose: {xyz: [0, 0.5, 0.6]}}\n";

// Writes the scene and gives its path; null when the robot is not there.
static const char* write_scene(const Case* c) {
    char urdf[600], srdf[640] = "", name[64], text[3000];
    if (c->model) {
        snprintf(urdf, sizeof urdf, "%s", program_model(c->urdf));
    } else if (!test_shared_path(urdf, sizeof urdf, c->urdf)) {
        return NULL;
    }
    char path[600];
    if (c->srdf != NULL) {
        assert_true(test_shared_path(path, sizeof path, c->srdf));
        snprintf(srdf, sizeof srdf, ", srdf: %s", path);
    }
    snprintf(name, sizeof name, "%s.yaml", c->name);
    snprintf(text, sizeof text, "berth: 1\nrobots:\n  - {urdf: %s%s}\n%s", urdf, srdf, objects);
    const char* scene = program_temporary(name);
    assert_true(program_write_text(scene, text));
    return scene;
}

// Random states, and segments that begin in some of them.
static void write_rows(const char* scene, const char* states, const char* segments, uint64_t seed) {
    BerthScene* read = NULL;
    assert_int_equal(berth_io_read_scene(scene, NULL, &read), BERTH_OK);
    const int each = berth_scene_value_count(read);
    const int state_rows = state_count(), segment_rows = segment_count();
    double* values = malloc((size_t)state_rows * (size_t)each * sizeof *values);
    double* ends = malloc(2 * (size_t)segment_rows * (size_t)each * sizeof *ends);
    assert_true(values != NULL && ends != NULL);
    program_random_states(read, seed, state_rows, values);
    for (int i = 0; i < segment_rows; ++i) {
        for (int k = 0; k < each; ++k) {
            const double from = values[i * each + k], far = values[(i + segment_rows) * each + k];
            ends[2 * i * each + k] = from;
            ends[(2 * i + 1) * each + k] = from + 0.05 * (far - from);
        }
    }

    char shape[64];
    snprintf(shape, sizeof shape, "%d, %d", state_rows, each);
    assert_true(program_write_array(states, shape, values, (size_t)state_rows * (size_t)each));
    snprintf(shape, sizeof shape, "%d, 2, %d", segment_rows, each);
    assert_true(program_write_array(segments, shape, ends, 2 * (size_t)segment_rows * (size_t)each));
    free(values);
    free(ends);
    berth_scene_destroy(read);
}

// ---- running -----------------------------------------------------------------------------------------------------

#define RUN_FREE(status, ...)                              \
    do {                                                   \
        ProgramRun done = EXPECT_RUN(status, __VA_ARGS__); \
        program_free(&done);                               \
    } while (0)

static unsigned char* read_verdicts(const char* path, int rows) {
    unsigned char* bytes = malloc(NPY_HEADER + (size_t)rows + 1);
    assert_non_null(bytes);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, NPY_HEADER + (size_t)rows + 1, file), NPY_HEADER + (size_t)rows);
    fclose(file);
    memmove(bytes, bytes + NPY_HEADER, (size_t)rows);
    return bytes;
}

// ---- free is free ------------------------------------------------------------------------------------------------

typedef struct Counts {
    int both_free, lost, collisions;
} Counts;

static Counts compare(const char* robot, const char* spheres, int rows) {
    unsigned char *of_robot = read_verdicts(robot, rows), *of_spheres = read_verdicts(spheres, rows);
    Counts counts = {0};
    for (int i = 0; i < rows; ++i) {
        if (of_spheres[i] == BERTH_FREE && of_robot[i] != BERTH_FREE) {
            fail_msg("row %d is free for the spheres, and %d for the robot", i, of_robot[i]);
        }
        counts.both_free += of_spheres[i] == BERTH_FREE;
        counts.lost += of_spheres[i] != BERTH_FREE && of_robot[i] == BERTH_FREE;
        counts.collisions += of_robot[i] == BERTH_COLLISION;
    }
    free(of_robot);
    free(of_spheres);
    return counts;
}

static void ask_both(const char* scene, const char* rows, bool segments, const char* robot,
                     const char* spheres) {
    if (segments) {
        RUN_FREE(0, "batch", scene, "--segments", rows, "-o", robot, "-f", "-q");
        RUN_FREE(0, "batch", scene, "--segments", rows, "-o", spheres, "-f", "-q", "--spheres-only");
    } else {
        RUN_FREE(0, "batch", scene, rows, "-o", robot, "-f", "-q");
        RUN_FREE(0, "batch", scene, rows, "-o", spheres, "-f", "-q", "--spheres-only");
    }
}

// The counts of check and path are those of batch.
static void summaries_agree(const char* scene, const char* rows, bool segments, const char* verdicts,
                            int count) {
    unsigned char* bytes = read_verdicts(verdicts, count);
    int by_verdict[3] = {0};
    for (int i = 0; i < count; ++i) {
        by_verdict[bytes[i]] += 1;
    }
    free(bytes);

    for (int way = 0; way < 2; ++way) {
        ProgramRun run = program_run(segments ? "path" : "check", scene, segments ? "--segments" : "--states",
                                     rows, "--summary", "--json", "-q", "--spheres-only",
                                     way == 1 ? "--engine" : NULL, "boxes", NULL);
        json_t* line = program_json_line(&run, 0);
        assert_int_equal(json_integer_value(json_object_get(line, "free")), by_verdict[BERTH_FREE]);
        assert_int_equal(json_integer_value(json_object_get(line, "collisions")),
                         by_verdict[BERTH_COLLISION]);
        assert_true(assumed_count(line, "spheres_only") > 0);
        json_decref(line);
        program_free(&run);
    }
}

static void free_for_spheres_is_free(const Case* c) {
    const char* scene = write_scene(c);
    if (scene == NULL) {
        TEST_SKIP("there is no folder of shared robots");
    }
    const char *states = program_temporary("s.npy"), *segments = program_temporary("e.npy");
    const char *robot = program_temporary("r.npy"), *spheres = program_temporary("o.npy");
    write_rows(scene, states, segments, 11);
    // Sanitizers see segments: each of the six runs fits spheres anew.
    for (int kind = test_is_whole() ? 0 : 1; kind < 2; ++kind) {
        const int rows = kind == 1 ? segment_count() : state_count();
        const char* file = kind == 1 ? segments : states;
        ask_both(scene, file, kind == 1, robot, spheres);
        const Counts counts = compare(robot, spheres, rows);

        // It says something: both verdicts occur, and spheres find most of what is free.
        assert_true(counts.collisions > rows / 50);
        assert_true(counts.both_free > 2 * counts.lost);
        summaries_agree(scene, file, kind == 1, spheres, rows);
    }
    program_remove_temporary();
}

static void panda_meshes(void** state) {
    (void)state;
    if (test_is_whole()) {  // six fits of a robot of meshes: sanitizers see those of shapes here, and meshes in test_cover
        free_for_spheres_is_free(&panda);
    }
}

static void ur5_meshes(void** state) {
    (void)state;
    if (test_is_whole()) {
        free_for_spheres_is_free(&ur5);
    }
}

static void arm6_shapes(void** state) {
    (void)state;
    free_for_spheres_is_free(&arm6);
}

// A URDF of spheres is asked as it is; that it is a model of spheres is told all the same.
static void own_spheres_are_kept(void** state) {
    (void)state;
    const char* scene = write_scene(&panda_spheres);
    if (scene == NULL) {
        TEST_SKIP("there is no folder of shared robots");
    }
    const char *states = program_temporary("s.npy"), *segments = program_temporary("e.npy");
    const char *with = program_temporary("w.npy"), *without = program_temporary("o.npy");
    write_rows(scene, states, segments, 12);
    for (int kind = 0; kind < 2; ++kind) {
        const int rows = kind == 1 ? segment_count() : state_count();
        ask_both(scene, kind == 1 ? segments : states, kind == 1, without, with);
        unsigned char *a = read_verdicts(without, rows), *b = read_verdicts(with, rows);
        assert_memory_equal(a, b, (size_t)rows);
        free(a);
        free(b);
    }

    ProgramRun run = program_run("check", scene, "--json", "-q", "--spheres-only", NULL);
    json_t* line = program_json_line(&run, 0);
    assert_int_equal(assumed_count(line, "spheres_only"), 11);
    json_decref(line);
    program_free(&run);
    run = program_run("check", scene, "--json", "-q", NULL);
    line = program_json_line(&run, 0);
    assert_int_equal(assumed_count(line, "spheres_only"), 0);
    json_decref(line);
    program_free(&run);
    program_remove_temporary();
}

// ---- what is told, and what is refused ---------------------------------------------------------------------------

// A box that slides along x, between an open sheet on it and nothing else.
static const char slider[] =
    "<robot name='s'><link name='rail'><collision><origin xyz='0 0 -0.3'/><geometry><box size='1 0.1 0.1'/>"
    "</geometry></collision></link><link name='cart'><collision><geometry><box size='0.2 0.1 "
    "0.1'/></geometry>"
    "</collision></link><link name='rod'><collision><origin xyz='0 0 0.4'/><geometry><cylinder radius='0.02' "
    "length='0.4'/></geometry></collision></link><joint name='x' type='prismatic'><parent "
    "link='rail'/><child "
    "link='cart'/><axis xyz='1 0 0'/><limit lower='-0.4' upper='0.4' velocity='1' effort='1'/></joint>"
    "<joint name='y' type='prismatic'><parent link='cart'/><child link='rod'/><axis xyz='0 0 1'/><limit "
    "lower='-0.01' upper='0.1' velocity='1' effort='1'/></joint></robot>";

static void answers_say_so(void** state) {
    (void)state;
    const char *urdf = program_temporary("s.urdf"), *csv = program_temporary("s.csv");
    assert_true(program_write_text(urdf, slider));
    assert_true(program_write_text(csv, "x,y\n0,0\n0.1,0.05\n"));

    // Nothing is assumed of the robot itself, and its spheres are an entry of their own.
    RUN_FREE(0, "check", urdf, "--strict");
    RUN_FREE(0, "check", urdf, "--spheres-only");
    RUN_FREE(3, "check", urdf, "--spheres-only", "--strict");
    RUN_FREE(0, "path", urdf, csv, "--strict");
    RUN_FREE(3, "path", urdf, csv, "--spheres-only", "--strict");
    RUN_FREE(0, "batch", urdf, csv, "--strict");
    RUN_FREE(3, "batch", urdf, csv, "--spheres-only", "--strict");
    static const char* const commands[] = {"check", "path", "batch", "info"};
    for (int i = 0; i < 4; ++i) {
        ProgramRun run =
            EXPECT_RUN(0, commands[i], urdf, "--json", "--spheres-only", i == 1 || i == 2 ? csv : NULL);
        json_t* line = program_json_line(&run, 0);
        assert_int_equal(assumed_count(line, "spheres_only"), 3);
        json_decref(line);
        program_free(&run);
    }

    ProgramRun run = EXPECT_RUN(0, "check", urdf, "--spheres-only");
    assert_non_null(
        strstr(run.out, "assumed: 3 links are asked as spheres, not as what they are: rail, cart, rod"));
    program_free(&run);
    run = EXPECT_RUN(2, "contact", urdf, "--spheres-only");
    assert_non_null(strstr(run.err, "--spheres-only does nothing for this command"));
    program_free(&run);
    program_remove_temporary();
}

// A certificate is of one of the two models, and so is unfinished work.
static void work_of_the_other_is_refused(void** state) {
    (void)state;
    const char *urdf = program_temporary("s.urdf"), *csv = program_temporary("s.csv");
    const char *of_robot = program_temporary("r.txt"), *of_spheres = program_temporary("o.txt");
    assert_true(program_write_text(urdf, slider));
    assert_true(program_write_text(csv, "x,y\n0,0\n0.1,0.05\n"));
    RUN_FREE(0, "path", urdf, csv, "--certificate", of_robot);
    RUN_FREE(0, "path", urdf, csv, "--certificate", of_spheres, "--spheres-only");
    RUN_FREE(0, "path", urdf, csv, "--verify", of_robot);
    RUN_FREE(0, "path", urdf, csv, "--verify", of_spheres, "--spheres-only");
    RUN_FREE(2, "path", urdf, csv, "--verify", of_spheres);
    RUN_FREE(2, "path", urdf, csv, "--verify", of_robot, "--spheres-only");

    // The rows end in a wrong one, so that a unit is left.
    const char *rows = program_temporary("b.csv"), *out = program_temporary("b.npy");
    FILE* file = fopen(rows, "w");
    assert_non_null(file);
    fputs("x,y\n", file);
    for (int i = 0; i < 4096; ++i) {
        fprintf(file, "%g,0.01\n", 0.0001 * (i % 1000));
    }
    fputs("nan,0\n", file);
    fclose(file);
    RUN_FREE(2, "batch", urdf, rows, "-o", out);
    ProgramRun run = EXPECT_RUN(2, "batch", urdf, rows, "-o", out, "--resume", "--spheres-only");
    assert_non_null(strstr(run.err, "cannot be resumed"));
    program_free(&run);
    run = EXPECT_RUN(2, "batch", urdf, rows, "-o", out, "--resume");
    assert_non_null(strstr(run.err, "b.csv:4098: column 'x': 'nan'"));
    program_free(&run);
    program_remove_temporary();
}

// What an SRDF proves of the robot is proven for its spheres, or the pair is checked. The slider's rod is far from its rail; another
// one stands 15 mm over the rail, which the spheres of both bridge.
static void tables_are_proven_for_the_spheres(void** state) {
    (void)state;
    const char *urdf = program_temporary("s.urdf"), *srdf = program_temporary("s.srdf");
    const char *csv = program_temporary("s.csv"), *certificate = program_temporary("c.txt");
    assert_true(program_write_text(csv, "x,y\n0,0\n0.1,0.05\n"));
    for (int near = 0; near < 2; ++near) {
        char text[sizeof slider];
        memcpy(text, slider, sizeof text);
        if (near == 1) {
            char* place = strstr(text, "0 0 0.4");
            assert_non_null(place);
            memcpy(place, "0 0 -.0", 7);
            place = strstr(text, "length='0.4'");
            assert_non_null(place);
            memcpy(place, "length='.45'", 12);
        }
        assert_true(program_write_text(urdf, text));
        RUN_FREE(0, "srdf", urdf, "-o", srdf, "-q");
        static const char* const options[] = {"--quiet", "--spheres-only"};
        int proven[2], pairs[2];
        for (int i = 0; i < 2; ++i) {
            ProgramRun run =
                program_run("check", urdf, "--srdf", srdf, "--json", options[i], "--at", "y=0.05", NULL);
            json_t* line = program_json_line(&run, 0);
            proven[i] = (int)json_integer_value(json_object_get(line, "proven"));
            json_decref(line);
            assert_null(strstr(run.err, "berth_proven"));
            program_free(&run);
            run = program_run("info", urdf, "--srdf", srdf, "--json", "-q", options[i], NULL);
            line = program_json_line(&run, 0);
            pairs[i] = (int)json_integer_value(json_object_get(line, "proven"));
            json_decref(line);
            program_free(&run);
        }
        assert_true(proven[0] == 1 && pairs[0] == 1);
        assert_int_equal(proven[1], near == 0);
        assert_int_equal(pairs[1], near == 0);
    }

    // A certificate that takes it from the table is proven again for the spheres.
    assert_true(program_write_text(urdf, slider));
    RUN_FREE(0, "srdf", urdf, "-o", srdf, "-q");
    RUN_FREE(0, "path", urdf, csv, "--srdf", srdf, "--spheres-only", "--certificate", certificate);
    RUN_FREE(0, "path", urdf, csv, "--srdf", srdf, "--spheres-only", "--verify", certificate);
    RUN_FREE(2, "path", urdf, csv, "--srdf", srdf, "--verify", certificate);
    program_remove_temporary();
}

// ---- summaries ---------------------------------------------------------------------------------------------------

// Everything of a summary but the seconds, and the exit status, as one checker a row has it.
static void expect_same_summary(const char* scene, const char* rows, bool segments, const char* option) {
    json_t* lines[2];
    int statuses[2];
    for (int way = 0; way < 2; ++way) {
        ProgramRun run =
            program_run(segments ? "path" : "check", scene, segments ? "--segments" : "--states", rows,
                        "--summary", "--json", "-q", "--margin", "0.002", way == 1 ? "--engine" : option,
                        way == 1 ? "boxes" : NULL, way == 1 ? option : NULL, NULL);
        lines[way] = program_json_line(&run, 0);
        statuses[way] = run.status;
        assert_true(json_number_value(json_object_get(lines[way], "seconds")) > 0.0);
        assert_int_equal(json_object_del(lines[way], "seconds"), 0);
        assert_int_equal(program_line_count(&run), 1);
        program_free(&run);
    }
    assert_int_equal(statuses[0], statuses[1]);
    if (!json_equal(lines[0], lines[1])) {
        fail_msg("%s: %s and %s", scene, json_dumps(lines[0], 0), json_dumps(lines[1], 0));
    }
    json_decref(lines[0]);
    json_decref(lines[1]);
}

static void summaries_are_the_same(void** state) {
    (void)state;
    const Case* const cases[] = {&panda, &panda_spheres, &ur5, &arm6};
    int asked = 0;
    for (int i = 0; i < 4; ++i) {
        const bool is_of_meshes = cases[i] == &panda || cases[i] == &ur5;
        const char* scene = is_of_meshes && !test_is_whole() ? NULL : write_scene(cases[i]);
        if (scene == NULL) {
            continue;
        }
        const char *states = program_temporary("s.npy"), *segments = program_temporary("e.npy");
        write_rows(scene, states, segments, 13);
        expect_same_summary(scene, states, false, NULL);
        expect_same_summary(scene, segments, true, NULL);
        expect_same_summary(scene, states, false, "--strict");
        asked += 1;
    }
    assert_true(asked > 0);
    program_remove_temporary();
}

int test_cli_spheres_only(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panda_meshes),
        cmocka_unit_test(ur5_meshes),
        cmocka_unit_test(arm6_shapes),
        cmocka_unit_test(own_spheres_are_kept),
        cmocka_unit_test(answers_say_so),
        cmocka_unit_test(work_of_the_other_is_refused),
        cmocka_unit_test(tables_are_proven_for_the_spheres),
        cmocka_unit_test(summaries_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
