// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth spheres: what it writes reads back, what it says adds up, wrong requests have one clear line.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/setting.h"

int test_cli_spheres(void);

static const char arm_urdf[] =
    "<robot name='arm'>\n"
    "  <link name='base'><collision><geometry><box size='0.3 0.3 0.1'/></geometry></collision></link>\n"
    "  <link name='upper'><collision><origin xyz='0 0 0.2'/><geometry><cylinder radius='0.05' "
    "length='0.4'/></geometry>"
    "</collision></link>\n"
    "  <link name='ball'><collision><geometry><sphere radius='0.07'/></geometry></collision></link>\n"
    "  <link name='tip'/>\n"
    "  <joint name='j1' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint>\n"
    "  <joint name='j2' type='continuous'><parent link='upper'/><child link='ball'/><axis xyz='0 1 "
    "0'/></joint>\n"
    "  <joint name='j3' type='fixed'><parent link='ball'/><child link='tip'/></joint>\n"
    "</robot>\n";

static const char* arm(void) {
    const char* path = program_temporary("arm.urdf");
    assert_true(program_write_text(path, arm_urdf));
    return path;
}

static const json_t* at(const json_t* object, const char* a, const char* b) {
    const json_t* inner = json_object_get(object, a);
    return b != NULL ? json_object_get(inner, b) : inner;
}

// Links by name, each with its own number; the others are left out. Octahedra say what they are.
static void links_have_their_own_counts(void** state) {
    (void)state;
    const char* urdf = arm();
    ProgramRun run = program_run("spheres", urdf, "--link", "base=4", "--link", "upper=3", "--effort", "0.02",
                                 "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* answer = program_json_line(&run, 0);
    const json_t* links = at(answer, "fit", "links");
    assert_int_equal(json_array_size(links), 2);
    assert_string_equal(json_string_value(at(json_array_get(links, 0), "name", NULL)), "base");
    assert_int_equal(json_integer_value(at(json_array_get(links, 0), "count", NULL)), 4);
    assert_int_equal(json_integer_value(at(json_array_get(links, 1), "count", NULL)), 3);
    assert_true(json_is_false(at(answer, "fit", "cut_short")));
    assert_string_equal(json_string_value(at(answer, "metric", NULL)), "l2");
    json_decref(answer);
    program_free(&run);

    run = program_run("spheres", urdf, "--link", "base=3", "--effort", "0.02", "--metric", "l1", "--json",
                      NULL);
    assert_int_equal(run.status, 0);
    answer = program_json_line(&run, 0);
    assert_string_equal(json_string_value(at(answer, "metric", NULL)), "l1");
    assert_true(json_is_true(at(answer, "fit", "covered")));
    json_decref(answer);
    program_free(&run);
}

static void what_is_written_reads_back(void** state) {
    (void)state;
    const char* urdf = arm();
    const char* out = program_temporary("arm_spheres.urdf");
    const char* srdf = program_temporary("arm_spheres.srdf");
    ProgramRun run = program_run("spheres", urdf, "--count", "9", "--effort", "0.02", "-o", out, "--srdf-out",
                                 srdf, "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* answer = program_json_line(&run, 0);
    assert_non_null(answer);
    const json_t* fit = at(answer, "fit", NULL);
    assert_int_equal(json_integer_value(at(fit, "count", NULL)), 9);
    assert_true(json_is_true(at(fit, "covered", NULL)));
    assert_true(json_is_null(at(answer, "compared", NULL)));
    assert_true(json_number_value(at(fit, "volume_ratio", NULL)) > 1.0);
    assert_true(json_number_value(at(fit, "protrusion", "mean")) <=
                json_number_value(at(fit, "protrusion", "max")));
    const json_t* links = at(fit, "links", NULL);
    assert_int_equal(json_array_size(links), 3);
    size_t sum = 0;
    for (size_t i = 0; i < 3; ++i) {
        const json_t* link = json_array_get(links, i);
        assert_int_equal(json_array_size(at(link, "spheres", NULL)),
                         json_integer_value(at(link, "count", NULL)));
        assert_true(json_is_true(at(link, "covered", NULL)));
        sum += json_array_size(at(link, "spheres", NULL));
    }
    assert_int_equal(sum, 9);
    // The ball is its own cover.
    const json_t* ball = json_array_get(links, 2);
    assert_int_equal(json_integer_value(at(ball, "count", NULL)), 1);
    assert_true(json_number_value(at(json_array_get(at(ball, "spheres", NULL), 0), "radius", NULL)) == 0.07);
    json_decref(answer);
    program_free(&run);
    run = program_run("check", out, "--srdf", srdf, "--json", NULL);
    assert_true(run.status == 0 || run.status == 1);
    program_free(&run);
    // The written model covers the original: compared with it, nothing is outside.
    run = program_run("spheres", urdf, "--compare", out, "--json", NULL);
    assert_int_equal(run.status, 0);
    answer = program_json_line(&run, 0);
    assert_true(json_is_null(at(answer, "fit", NULL)));
    assert_true(json_is_true(at(answer, "compared", "covered")));
    assert_true(json_number_value(json_object_get(at(answer, "compared", "outside"), "share")) == 0.0);
    json_decref(answer);
    program_free(&run);
}

static void tables_for_people(void** state) {
    (void)state;
    const char* urdf = arm();
    ProgramRun run = program_run("spheres", urdf, "--count", "6", "--effort", "0.02", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "upper"));
    assert_non_null(strstr(run.out, "proven"));
    assert_non_null(strstr(run.out, "all"));
    assert_string_equal(run.err, "");
    program_free(&run);
    // Too small a model is told so.
    const char* small = program_temporary("small.urdf");
    char text[sizeof arm_urdf];
    memcpy(text, arm_urdf, sizeof text);
    memcpy(strstr(text, "<box size='0.3 0.3 0.1'/>"), "<sphere radius='0.05'/>  ", 25);
    assert_true(program_write_text(small, text));
    run = program_run("spheres", urdf, "--compare", small, NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "% outside"));
    assert_non_null(strstr(run.err, "not spheres"));  // the cylinder was left out
    program_free(&run);
}

// A link without spheres was "100.0 % outside, up to 1797693...", the largest double, and so was the robot. It is said to have
// none, JSON has null, and the rest is measured without it.
static void links_without_spheres_are_not_measured(void** state) {
    (void)state;
    const char* urdf = arm();
    const char* some = program_temporary("some.urdf");
    ProgramRun run = program_run("spheres", urdf, "--link", "base=4", "--link", "ball=1", "--effort", "0.02",
                                 "-o", some, NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);

    run = program_run("spheres", urdf, "--compare", some, NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "no spheres\n"));
    assert_non_null(strstr(run.out, "no: those with spheres are proven; 1 link has no spheres\n"));
    assert_null(strstr(run.out, "outside"));
    program_free(&run);

    run = program_run("spheres", urdf, "--compare", some, "--json", NULL);
    json_t* answer = program_json_line(&run, 0);
    const json_t* compared = at(answer, "compared", NULL);
    assert_true(json_is_false(at(compared, "covered", NULL)));
    assert_true(json_number_value(at(compared, "outside", "most")) == 0.0);
    const json_t* upper = json_array_get(at(compared, "links", NULL), 1);
    assert_string_equal(json_string_value(at(upper, "name", NULL)), "upper");
    assert_true(json_is_null(at(upper, "outside", "most")));
    assert_true(json_number_value(at(upper, "outside", "share")) == 1.0);
    json_decref(answer);
    program_free(&run);

    // None at all.
    run = program_run("spheres", urdf, "--compare", urdf, "--link", "upper", "--json", NULL);
    answer = program_json_line(&run, 0);
    assert_true(json_is_null(at(at(answer, "compared", NULL), "outside", "most")));
    json_decref(answer);
    program_free(&run);
}

static void one_link_and_a_protrusion(void** state) {
    (void)state;
    const char* urdf = arm();
    ProgramRun run = program_run("spheres", urdf, "--link", "upper", "--protrusion", "0.03", "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* answer = program_json_line(&run, 0);
    const json_t* links = at(answer, "fit", "links");
    assert_int_equal(json_array_size(links), 1);
    assert_true(json_number_value(json_object_get(at(json_array_get(links, 0), "protrusion", NULL), "max")) <=
                0.03);
    json_decref(answer);
    program_free(&run);
}

static void meshes_are_taken_too(void** state) {
    (void)state;
    const char* mesh = program_temporary("plate.obj");
    assert_true(program_write_text(mesh, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"));
    const char* out = program_temporary("plate.urdf");
    const char* json = program_temporary("plate.json");
    ProgramRun run =
        program_run("spheres", mesh, "--count", "4", "--effort", "0.02", "-o", out, "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* answer = program_json_line(&run, 0);
    assert_int_equal(json_array_size(at(answer, "assumed", NULL)), 1);  // it is open
    assert_true(json_is_null(at(answer, "fit", "volume_ratio")));
    json_decref(answer);
    program_free(&run);
    run = program_run("info", out, NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);
    run = program_run("spheres", mesh, "--count", "4", "--effort", "0.02", "-o", json, "--quiet", "--strict",
                      NULL);
    assert_int_equal(run.status, 3);
    assert_null(strstr(run.out, "assumed: "));
    program_free(&run);
    json_t* file = json_load_file(json, 0, NULL);
    assert_non_null(file);
    assert_int_equal(json_integer_value(at(file, "fit", "count")), 4);
    json_decref(file);
}

// Length without area: once cut into pieces without end.
static void needles_end(void** state) {
    (void)state;
    const char* texts[] = {"v 0 0 0\nv 1 0 0\nv 0.5 1e-9 0\nf 1 2 3\n",
                           "v 0 0 0\nv 1 0 0\nv 2 0 1e-12\nf 1 2 3\n"};
    const size_t count = sizeof texts / sizeof texts[0];
    for (size_t i = test_is_whole() ? 0 : count - 1; i < count; ++i) {
        const char* path = program_temporary("needle.obj");
        assert_true(program_write_text(path, texts[i]));
        ProgramRun run = program_run("spheres", path, "--count", "3", "--json", NULL);
        assert_int_equal(run.status, 0);
        program_free(&run);
    }
    program_remove_temporary();
}

static void the_same_answer_for_every_number_of_threads(void** state) {
    (void)state;
    const char* urdf = arm();
    const char* one = program_temporary("one.urdf");
    const char* two = program_temporary("two.urdf");
    const char* other = program_temporary("other.urdf");
    const char* const files[] = {one, two, other};
    char* texts[3] = {NULL};
    // All links with twenty balls take seconds. A cylinder takes longest, and a seed counts for a box already.
    const bool all = test_is_long();
    for (int i = 0; i < 3; ++i) {
        ProgramRun run =
            program_run("spheres", urdf, "--threads", i == 0 ? "1" : "3", "--seed", i == 2 ? "99" : "5", "-o",
                        files[i], "-q", "--effort", "0.1", all ? "--count" : "--link", all ? "20" : "base=5",
                        all ? NULL : "--link", "ball=1", NULL);
        assert_int_equal(run.status, 0);
        program_free(&run);
        FILE* file = fopen(files[i], "r");
        assert_non_null(file);
        texts[i] = calloc(1, 100000);
        assert_true(fread(texts[i], 1, 99999, file) > 0);
        (void)fclose(file);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    for (int i = 0; i < 3; ++i) {
        free(texts[i]);
    }
}

static void wrong_requests_have_one_clear_line(void** state) {
    (void)state;
    const char* urdf = arm();
    const char* bare = program_temporary("bare.urdf");
    assert_true(program_write_text(bare, "<robot name='b'><link name='x'/></robot>"));
    const char* plate = program_temporary("plate2.obj");
    assert_true(program_write_text(plate, "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n"));
    const struct {
        const char* arguments[8];
        const char* says;
    } wrong[] = {
        {{"spheres", NULL}, "usage"},
        {{"spheres", urdf, bare, NULL}, "expected one robot or mesh"},
        {{"spheres", urdf, "--count", "0", NULL}, "from 1 to 1000000"},
        {{"spheres", urdf, "--count", "-3", NULL}, "from 1 to 1000000"},
        {{"spheres", urdf, "--count", "many", NULL}, "from 1 to 1000000"},
        {{"spheres", urdf, "--count", "2", NULL}, "at least 3"},
        {{"spheres", urdf, "--protrusion", "-0.1", NULL}, "expected metres"},
        {{"spheres", urdf, "--protrusion", "0", NULL}, "more than 0"},
        {{"spheres", urdf, "--effort", "1000", NULL}, "from 0 to 100"},
        {{"spheres", urdf, "--protrusion", "nan", NULL}, "expected metres"},
        {{"spheres", urdf, "--protrusion", "1e-6", NULL}, "more than 4096"},
        {{"spheres", urdf, "--count", "5", "--protrusion", "0.1", NULL}, "not both"},
        {{"spheres", urdf, "--link", "elbow", NULL}, "no link is named 'elbow'"},
        {{"spheres", urdf, "--link", "tip", NULL}, "no collision geometry"},
        {{"spheres", urdf, "--link", "base=0", NULL}, "from 1 to 4096"},
        {{"spheres", urdf, "--link", "base=x", NULL}, "from 1 to 4096"},
        {{"spheres", urdf, "--link", "base", "--link", "base=3", NULL}, "named twice"},
        {{"spheres", urdf, "--link", "base=4", "--count", "9", NULL}, "does not fit"},
        {{"spheres", urdf, "--metric", "l3", NULL}, "expected l1 or l2"},
        {{"spheres", urdf, "--metric", "l1", "-o", "x.urdf", NULL}, "makes octahedra, not spheres"},
        {{"spheres", bare, NULL}, "no collision geometry"},
        {{"spheres", plate, "--link", "x", NULL}, "is a mesh"},
        {{"spheres", plate, "--srdf-out", "x", NULL}, "is a mesh"},
        {{"spheres", "cell.yaml", NULL}, "expected a robot"},
        {{"spheres", "nowhere.urdf", NULL}, "nowhere.urdf"},
        {{"spheres", urdf, "--compare", "nowhere.urdf", NULL}, "nowhere.urdf"},
        {{"spheres", urdf, "-o", urdf, "--effort=0.01", NULL}, "choose another output file"},
        {{"spheres", urdf, "-o", "/nowhere/x.urdf", "--effort=0.01", NULL}, "/nowhere/x.urdf"},
        {{"spheres", urdf, "-o", "/nowhere/x.json", "--effort=0.01", NULL}, "/nowhere/x.json"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        ProgramRun run = program_run_list(wrong[i].arguments);
        if (run.status != 2 || run.out_size != 0 || strstr(run.err, wrong[i].says) == NULL) {
            fail_msg("case %zu: exit %d, says: %s", i, run.status, run.err);
        }
        program_free(&run);
    }
}

static void ctrl_c_ends_it_cleanly(void** state) {
    (void)state;
    char panda[1024];
    if (!test_shared_path(panda, sizeof panda, "robots/panda_mbm/panda.urdf")) {
        TEST_SKIP("the shared robots are not here");
    }
    const char* out = program_temporary("stopped.urdf");
    const char* const arguments[] = {"spheres", panda, "--count", "400", "-o", out, NULL};
    ProgramRun run = program_run_into("/dev/null", 300, arguments);
    assert_int_equal(run.status, 130);
    assert_int_not_equal(access(out, F_OK), 0);
    program_free(&run);
}

int test_cli_spheres(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_have_their_own_counts),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(tables_for_people),
        cmocka_unit_test(links_without_spheres_are_not_measured),
        cmocka_unit_test(one_link_and_a_protrusion),
        cmocka_unit_test(meshes_are_taken_too),
        cmocka_unit_test(needles_end),
        cmocka_unit_test(the_same_answer_for_every_number_of_threads),
        cmocka_unit_test(wrong_requests_have_one_clear_line),
        cmocka_unit_test(ctrl_c_ends_it_cleanly),
    };
    return cmocka_run_group_tests_name("cli_spheres", tests, NULL, expect_clean_up);
}
