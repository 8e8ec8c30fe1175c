// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What users see of proofs and their conditions: berth srdf writes a table, other commands rely on it where it holds and
// tell `assumed`, `declared` and `proven`; --strict accepts the last two. An SRDF's reason decides nothing.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/expect.h"
#include "support/setting.h"

int test_cli_proven(void);

// Two turns: within limits the upper arm never reaches the base, beyond those of j2 it does (at j1 = 1.3, j2 = 3).
#define ARM                                                                                                \
    "<robot name='arm'>"                                                                                   \
    "<link name='base'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"       \
    "<link name='lower'><collision><origin xyz='0 0 0.25'/><geometry><box size='0.1 0.1 0.4'/></geometry>" \
    "</collision></link>"                                                                                  \
    "<link name='upper'><collision><origin xyz='0 0 0.25'/><geometry><box size='0.1 0.1 0.4'/></geometry>" \
    "</collision></link>"                                                                                  \
    "<joint name='j1' type='revolute'><parent link='base'/><child link='lower'/><origin xyz='0 0 0.15'/>"  \
    "<axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"                     \
    "<joint name='j2' type='revolute'><parent link='lower'/><child link='upper'/><origin xyz='0 0 0.5'/>"  \
    "<axis xyz='0 1 0'/><limit lower='-2' upper='2' velocity='1' effort='1'/></joint></robot>"

// The arm's own SRDF, and the JSON that was said with it.
static json_t* make_srdf(const char* urdf, const char* file) {
    return EXPECT_JSON(0, "srdf", urdf, "-o", file);
}

static void a_table_is_written_in_both_forms(void** state) {
    (void)state;
    const char* urdf = expect_written("arm.urdf", ARM);
    const char* file = program_temporary("arm.srdf");
    json_t* answer = make_srdf(urdf, file);
    const json_t* table = json_object_get(answer, "table");
    assert_int_equal(integer_at(table, "version"), 1);
    assert_int_equal(strlen(text_at(table, "robot")), 64);
    assert_int_equal(json_array_size(json_object_get(table, "limits")), 2);
    assert_int_equal(json_array_size(json_object_get(table, "pairs")), 1);
    const json_t* pair = json_array_get(json_object_get(table, "pairs"), 0);
    assert_string_equal(text_at(pair, "a"), "base");
    assert_string_equal(text_at(pair, "b"), "upper");
    assert_true(number_at(pair, "gap") > 0.05);

    // The same in the SRDF, as an element of its own.
    char* text = expect_file(file);
    char wanted[200];
    (void)snprintf(wanted, sizeof wanted, "<berth_proven version=\"1\" robot=\"%s\" sum=\"%s\">",
                   text_at(table, "robot"), text_at(table, "sum"));
    assert_non_null(strstr(text, wanted));
    assert_non_null(strstr(text, "<limit joint=\"j2\" lower=\"-2\" upper=\"2\"/>"));

    // least_gap is what is proven, seen_gap what was measured.
    size_t i;
    json_t* one;
    json_array_foreach(json_object_get(answer, "pairs"), i, one) {
        if (strcmp(text_at(one, "b"), "upper") == 0 && strcmp(text_at(one, "a"), "base") == 0) {
            assert_true(number_at(one, "least_gap") == number_at(pair, "gap"));
            assert_true(number_at(one, "seen_gap") >= number_at(one, "least_gap"));
        }
    }

    // Written once more over itself it is the same: the old table is not kept.
    const char* again = program_temporary("again.srdf");
    EXPECT_STATUS(0, "srdf", urdf, "--srdf", file, "-o", again);
    char* second = expect_file(again);
    const char* element = strstr(second, "<berth_proven");
    assert_non_null(element);
    assert_null(strstr(element + 1, "<berth_proven"));
    free(second);
    free(text);
    json_decref(answer);
}

static void answers_rely_on_it_within_limits_only(void** state) {
    (void)state;
    const char* urdf = expect_written("arm.urdf", ARM);
    const char* file = program_temporary("arm.srdf");
    json_decref(make_srdf(urdf, file));
    json_t* answer = EXPECT_JSON(0, "check", urdf, "--srdf", file, "--strict");
    assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
    assert_int_equal(declared_count(answer, "adjacent_pairs"), 2);
    assert_int_equal(integer_at(answer, "proven"), 1);
    json_decref(answer);

    // Beyond limits it is checked, though free; and not free where they touch.
    answer = EXPECT_JSON(0, "check", urdf, "--srdf", file, "-q", "--at", "j2=2.1");
    assert_int_equal(integer_at(answer, "proven"), 0);
    assert_int_equal(assumed_count(answer, "outside_limits"), 1);
    json_decref(answer);
    EXPECT_STATUS(3, "check", urdf, "--srdf", file, "-q", "--strict", "--at", "j2=2.1");
    EXPECT_STATUS(1, "check", urdf, "--srdf", file, "-q", "--at", "j1=1.3,j2=3");
    // So with a margin that the gap does not exceed.
    answer = EXPECT_JSON(1, "check", urdf, "--srdf", file, "--margin", "0.5", "--at", "j1=1,j2=2");
    assert_int_equal(integer_at(answer, "proven"), 0);
    json_decref(answer);

    const char* inside = expect_written("inside.csv", "j1,j2\n0,0\n1,1.5\n");
    const char* beyond = expect_written("beyond.csv", "j1,j2\n0,0\n1,2.1\n");
    const char* hit = expect_written("hit.csv", "j1,j2\n0,0\n1.3,3\n");
    answer = EXPECT_JSON(0, "path", urdf, inside, "--srdf", file, "--strict");
    assert_int_equal(integer_at(answer, "proven"), 1);
    assert_int_equal(json_array_size(json_object_get(answer, "assumed")), 0);
    json_decref(answer);
    answer = EXPECT_JSON(0, "path", urdf, beyond, "--srdf", file, "-q");
    assert_int_equal(integer_at(answer, "proven"), 0);
    json_decref(answer);
    EXPECT_STATUS(1, "path", urdf, hit, "--srdf", file, "-q");

    // The default rule has nothing proven, and info tells both apart.
    answer = EXPECT_JSON(0, "check", urdf, "--strict");
    assert_int_equal(integer_at(answer, "proven"), 0);
    assert_int_equal(declared_count(answer, "adjacent_pairs"), 2);
    json_decref(answer);
    answer = EXPECT_JSON(0, "info", urdf, "--srdf", file, "--strict");
    assert_int_equal(integer_at(answer, "proven"), 1);
    json_decref(answer);
}

static void reasons_decide_nothing(void** state) {
    (void)state;
    const char* urdf = expect_written("arm.urdf", ARM);
    const char* file = expect_written("said.srdf",
                                      "<robot name='arm'>"
                                      "<disable_collisions link1='base' link2='upper' reason='Adjacent'/>"
                                      "<disable_collisions link1='lower' link2='upper' reason='Never'/>"
                                      "<disable_collisions link1='base' link2='lower'/></robot>");
    json_t* answer = EXPECT_JSON(0, "check", urdf, "--srdf", file);
    assert_int_equal(assumed_count(answer, "disabled_pairs"), 1);
    assert_int_equal(declared_count(answer, "adjacent_pairs"), 2);
    assert_int_equal(integer_at(answer, "proven"), 0);
    json_decref(answer);
    EXPECT_STATUS(3, "check", urdf, "--srdf", file, "--strict");
}

static void edited_tables_are_told(void** state) {
    (void)state;
    const char* urdf = expect_written("arm.urdf", ARM);
    const char* file = program_temporary("arm.srdf");
    const char* inside = expect_written("inside.csv", "j1,j2\n0,0\n1,1.5\n");
    const char* proof = program_temporary("proof.txt");
    json_decref(make_srdf(urdf, file));
    EXPECT_STATUS(0, "path", urdf, inside, "--srdf", file, "--certificate", proof);
    EXPECT_STATUS(0, "path", urdf, inside, "--srdf", file, "--verify", proof, "--strict");

    char* text = expect_file(file);
    char* gap = strstr(text, " gap=\"0.");
    assert_non_null(gap);
    gap[8] = '9';
    const char* edited = expect_written("edited.srdf", text);
    free(text);
    ProgramRun run = program_run("check", urdf, "--srdf", edited, "--json", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "edited"));
    assert_non_null(strstr(run.out, "\"proven\": 0"));
    program_free(&run);
    EXPECT_STATUS(1, "check", urdf, "--srdf", edited, "-q", "--at", "j1=1.3,j2=3");
    EXPECT_STATUS(3, "check", urdf, "--srdf", edited, "-q", "--strict");
    EXPECT_STATUS(2, "path", urdf, inside, "--srdf", edited, "-q", "--verify", proof);
    json_t* lint = EXPECT_JSON(1, "srdf", urdf, "--lint", edited, "-q");
    assert_int_equal(integer_at(json_object_get(lint, "lint"), "table"), 1);
    json_decref(lint);
    EXPECT_STATUS(0, "srdf", urdf, "--lint", file);

    // Text where a number belongs is an error that names the line.
    const char* broken =
        expect_written("broken.srdf",
                       "<robot name='arm'>\n<berth_proven version='1'>\n"
                       "<pair link1='base' link2='upper' gap='wide'/></berth_proven></robot>");
    run = program_run("check", urdf, "--srdf", broken, NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "broken.srdf:3"));
    program_free(&run);
}

// Each robot of a scene has its own table and its own limits; and its links' meshes or hulls are its own geometry.
static void robots_of_a_scene_are_apart(void** state) {
    (void)state;
    const char* urdf = expect_written("arm.urdf", ARM);
    const char* file = program_temporary("arm.srdf");
    json_decref(make_srdf(urdf, file));
    const char* scene =
        expect_written("two.yaml",
                       "berth: 1\nrobots:\n"
                       "  - {name: left, urdf: arm.urdf, srdf: arm.srdf}\n"
                       "  - {name: right, urdf: arm.urdf, srdf: arm.srdf, base: {xyz: [5, 0, 0]}}\n"
                       "  - {name: plain, urdf: arm.urdf, base: {xyz: [0, 5, 0]}}\n");
    json_t* answer = EXPECT_JSON(0, "check", scene, "--strict");
    assert_int_equal(integer_at(answer, "proven"), 2);
    assert_int_equal(declared_count(answer, "adjacent_pairs"), 6);
    json_decref(answer);
    answer = EXPECT_JSON(0, "check", scene, "-q", "--at", "left/j2=2.1");
    assert_int_equal(integer_at(answer, "proven"), 1);
    json_decref(answer);
    EXPECT_STATUS(1, "check", scene, "-q", "--at", "left/j1=1.3,left/j2=3");
    const char* states = expect_written("many.csv", "left/j2,right/j2\n2.1,2.1\n0,2.1\n0,0\n");
    answer = EXPECT_JSON(0, "check", scene, "-q", "--states", states, "--summary");
    assert_int_equal(integer_at(answer, "proven"), 2);  // the most of one answer
    json_decref(answer);
}

int test_cli_proven(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_written_in_both_forms),
        cmocka_unit_test(answers_rely_on_it_within_limits_only),
        cmocka_unit_test(reasons_decide_nothing),
        cmocka_unit_test(edited_tables_are_told),
        cmocka_unit_test(robots_of_a_scene_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
