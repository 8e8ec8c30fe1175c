// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth srdf: what it writes reads back as what it said, the same bytes for every number of threads; --lint agrees with
// it and its states are states by `berth check`; wrong requests.
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
#include <sys/stat.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/robots.h"
#include "support/setting.h"

int test_cli_srdf(void);

static json_t* parse(const ProgramRun* run) {
    json_error_t error;
    json_t* json = json_loads(run->out, 0, &error);
    if (json == NULL) {
        fail_msg("%s in %.200s\n%s", error.text, run->out, run->err);
    }
    return json;
}

static const char* text_of(const json_t* object, const char* key) {
    const char* text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

// A toy: `tip` passes `post` at 0.1 m of distance or through it, `lid` sits in `base`, `far` is fixed far away.
static const char* write_toy(const char* name, double post_radius) {
    const char* path = program_temporary(name);
    char text[4000];
    snprintf(
        text, sizeof text,
        "<robot name=\"toy\">\n"
        "<link name=\"base\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>\n"
        "<link name=\"lid\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>\n"
        "<link name=\"post\"><collision><geometry><sphere radius=\"%.17g\"/></geometry></collision></link>\n"
        "<link name=\"arm\"/>\n"
        "<link name=\"tip\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>\n"
        "<link name=\"hand\"><collision><geometry><sphere radius=\"0.05\"/></geometry></collision></link>\n"
        "<joint name=\"f1\" type=\"fixed\"><parent link=\"base\"/><child link=\"lid\"/><origin xyz=\"0 0 "
        "0.05\"/>"
        "</joint>\n"
        "<joint name=\"f2\" type=\"fixed\"><parent link=\"lid\"/><child link=\"post\"/><origin xyz=\"2 0 "
        "0\"/>"
        "</joint>\n"
        "<joint name=\"turn\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 "
        "0 1\"/>"
        "</joint>\n"
        "<joint name=\"bend\" type=\"revolute\"><parent link=\"arm\"/><child link=\"tip\"/><origin xyz=\"0 1 "
        "0\"/>"
        "<axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\"/></joint>\n"
        "<joint name=\"grip\" type=\"prismatic\"><parent link=\"tip\"/><child link=\"hand\"/>"
        "<origin xyz=\"0 0 0.3\"/><axis xyz=\"0 0 1\"/><limit lower=\"0\" upper=\"0.1\"/></joint>\n"
        "</robot>\n",
        post_radius);
    assert_true(program_write_text(path, text));
    return path;
}

static const json_t* find_pair(const json_t* document, const char* a, const char* b) {
    size_t i;
    json_t* pair;
    json_array_foreach(json_object_get(document, "pairs"), i, pair) {
        if ((strcmp(text_of(pair, "a"), a) == 0 && strcmp(text_of(pair, "b"), b) == 0) ||
            (strcmp(text_of(pair, "a"), b) == 0 && strcmp(text_of(pair, "b"), a) == 0)) {
            return pair;
        }
    }
    fail_msg("no pair %s %s", a, b);
    return NULL;
}

static void assert_class(const json_t* document, const char* a, const char* b, const char* class,
                         bool proven) {
    const json_t* pair = find_pair(document, a, b);
    assert_string_equal(text_of(pair, "class"), class);
    assert_int_equal(json_is_true(json_object_get(pair, "proven")), proven);
    assert_int_equal(json_is_true(json_object_get(pair, "disabled")), strcmp(class, "check") != 0);
}

static void classes_of_a_toy(void** state) {
    (void)state;
    const char* free_toy = write_toy("free.urdf", 0.8);
    const char* file = program_temporary("toy.srdf");
    ProgramRun run = program_run("srdf", free_toy, "-o", file, "--json", NULL);
    assert_int_equal(run.status, 0);
    json_t* document = parse(&run);
    assert_class(document, "base", "lid", "adjacent", true);
    assert_class(document, "base", "post", "never", true);
    assert_class(document, "tip", "hand", "adjacent", true);
    assert_class(document, "post", "tip", "never", true);
    assert_class(document, "post", "hand", "never", true);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(document, "counts"), "pairs")), 10);
    assert_true(program_says_its_conditions(document));
    assert_true(json_integer_value(json_object_get(document, "proven")) > 0);
    json_decref(document);
    program_free(&run);
    run = program_run("srdf", free_toy, "--lint", file, NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);

    // A larger post: they touch when the arm points to it, in a state that check agrees with.
    const char* hit_toy = write_toy("hit.urdf", 0.95);
    run = program_run("srdf", hit_toy, "--json", NULL);
    assert_int_equal(run.status, 0);
    document = parse(&run);
    assert_class(document, "post", "tip", "check", false);
    const char* at = text_of(find_pair(document, "post", "tip"), "at");
    ProgramRun check = program_run("check", hit_toy, "--at", at, "--all", "--json", NULL);
    assert_int_equal(check.status, 1);
    assert_non_null(strstr(check.out, "\"tip\""));
    program_free(&check);
    json_decref(document);
    program_free(&run);

    // The first toy's SRDF is wrong about the second one.
    run = program_run("srdf", hit_toy, "--lint", file, "--json", NULL);
    assert_int_equal(run.status, 1);
    document = parse(&run);
    const json_t* findings = json_object_get(json_object_get(document, "lint"), "findings");
    const json_t* first = NULL;
    for (size_t i = 0; i < json_array_size(findings) && first == NULL; ++i) {
        const json_t* finding = json_array_get(findings, i);
        // Its proven table is about another robot: what it disables is checked, even if it could be proven again.
        const bool touches = strcmp(text_of(finding, "kind"), "touches") == 0;
        assert_true(touches || strcmp(text_of(finding, "kind"), "table") == 0);
        first = touches ? finding : NULL;
    }
    assert_non_null(first);
    assert_string_equal(text_of(first, "reason"), "Never");
    assert_true(json_integer_value(json_object_get(first, "line")) > 3);
    json_decref(document);
    program_free(&run);
}

static void lint_finds_what_is_wrong(void** state) {
    (void)state;
    const char* toy = write_toy("lint.urdf", 0.8);
    const char* srdf = program_temporary("wrong.srdf");
    assert_true(program_write_text(srdf,
                                   "<robot name=\"toy\">\n"
                                   "<disable_collisions link1=\"base\" link2=\"lid\" reason=\"Adjacent\"/>\n"
                                   "<disable_collisions link1=\"lid\" link2=\"base\" reason=\"Adjacent\"/>\n"
                                   "<disable_collisions link1=\"lid\" link2=\"nobody\" reason=\"Never\"/>\n"
                                   "<disable_collisions link1=\"post\" link2=\"tip\" reason=\"Always\"/>\n"
                                   "<disable_collisions link1=\"base\" link2=\"tip\" reason=\"Never\"/>\n"
                                   "</robot>\n"));
    ProgramRun run = program_run("srdf", toy, "--lint", srdf, NULL);
    assert_int_equal(run.status, 1);
    static const char* const expected[] = {
        "wrong.srdf:3: lid - base: is already listed in line 2",
        "wrong.srdf:4: lid - nobody: the robot does not have both links",
        "wrong.srdf:5: post - tip: disabled as \"Always\", but they are apart",
        "post - hand: checked, but they never touch: proven",
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        if (strstr(run.out, expected[i]) == NULL) {
            fail_msg("no '%s' in\n%s", expected[i], run.out);
        }
    }
    assert_null(strstr(run.out, "wrong.srdf:6:"));  // proven
    program_free(&run);
}

// Real robots: the SRDF reads back in berth with the pairs that were told; lint is content with it.
static void written_files_read_back(void** state) {
    (void)state;
    static const char* const names[] = {"panda", "fanuc", "panda_capsules"};
    int done = 0;
    for (const TestRobot* robot = test_robots; robot->name != NULL; ++robot) {
        char urdf[1024], srdf[1024];
        const bool wanted = strcmp(robot->name, names[0]) == 0 || strcmp(robot->name, names[1]) == 0 ||
                            strcmp(robot->name, names[2]) == 0;
        if (!wanted || !test_shared_path(urdf, sizeof urdf, robot->urdf) ||
            !test_shared_path(srdf, sizeof srdf, robot->srdf)) {
            continue;
        }
        const char* file = program_temporary("real.srdf");
        ProgramRun run =
            program_run("srdf", urdf, "--srdf", srdf, "-o", file, "--json", "--threads", "2", NULL);
        assert_int_equal(run.status, 0);
        json_t* document = parse(&run);
        BerthIoOptions options = berth_default_io_options();
        BerthRobot* back = NULL;
        BerthRobot* old = NULL;
        BerthRobotOptions robot_options = berth_default_robot_options();
        robot_options.srdf = file;
        assert_int_equal(berth_io_read_robot(urdf, &robot_options, &options, &back), BERTH_OK);
        robot_options.srdf = srdf;
        assert_int_equal(berth_io_read_robot(urdf, &robot_options, &options, &old), BERTH_OK);
        size_t i;
        json_t* pair;
        json_array_foreach(json_object_get(document, "pairs"), i, pair) {
            const char* reason = NULL;
            const BerthPairRule rule =
                berth_robot_pair(back, berth_robot_find_link(back, text_of(pair, "a")),
                                 berth_robot_find_link(back, text_of(pair, "b")), &reason);
            const bool disabled = json_is_true(json_object_get(pair, "disabled"));
            // Neighbours and what always overlaps are declared, the others proven: nothing is only disabled.
            const bool skipped = rule != BERTH_PAIR_CHECKED && rule != BERTH_PAIR_RIGID;
            assert_true(skipped == disabled || rule == BERTH_PAIR_RIGID);
            assert_int_not_equal(rule, BERTH_PAIR_DISABLED);
            if (disabled) {
                assert_string_equal(reason, text_of(pair, "reason"));
            }
        }
        assert_int_equal(berth_robot_state_count(back), berth_robot_state_count(old));
        assert_int_equal(berth_robot_group_count(back), berth_robot_group_count(old));
        berth_robot_destroy(back);
        berth_robot_destroy(old);
        json_decref(document);
        program_free(&run);
        run = program_run("srdf", urdf, "--lint", file, NULL);
        assert_int_equal(run.status, 0);
        program_free(&run);
        ++done;
    }
    if (done == 0) {
        TEST_SKIP("the shared robots are not there");
    }
}

// Everything but the seconds is the same for every number of threads; a seed may change which states are found.
static void threads_and_seeds(void** state) {
    (void)state;
    const char* toy = write_toy("threads.urdf", 0.9);
    char* first = NULL;
    for (int i = 0; i < 3; ++i) {
        static const char* const threads[] = {"1", "2", "7"};
        ProgramRun run = program_run("srdf", toy, "--threads", threads[i], "--quiet", NULL);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        if (first == NULL) {
            first = strdup(run.out);
        }
        assert_string_equal(run.out, first);
        program_free(&run);
    }
    ProgramRun run = program_run("srdf", toy, "--seed", "5", "--quiet", NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);
    free(first);
}

static void options_change_what_is_disabled(void** state) {
    (void)state;
    const char* path = program_temporary("default.urdf");
    assert_true(program_write_text(
        path,
        "<robot name=\"d\">\n"
        "<link name=\"a\"><collision><origin xyz=\"1 0 0\"/><geometry><sphere "
        "radius=\"0.1\"/></geometry></collision>"
        "</link>\n<link name=\"b\"/>\n"
        "<link name=\"c\"><collision><origin xyz=\"1 0 0\"/><geometry><sphere "
        "radius=\"0.1\"/></geometry></collision>"
        "</link>\n"
        "<joint name=\"j1\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 "
        "1\"/></joint>\n"
        "<joint name=\"j2\" type=\"revolute\"><parent link=\"b\"/><child link=\"c\"/><axis xyz=\"0 1 0\"/>"
        "<limit lower=\"-1\" upper=\"1\"/></joint>\n</robot>\n"));
    ProgramRun run = program_run("srdf", path, "--allow-default", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "link1=\"a\" link2=\"c\" reason=\"Default\""));
    assert_non_null(strstr(run.err, "a - c: overlap in the default state"));
    program_free(&run);
    run = program_run("srdf", path, NULL);
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "disable_collisions"));
    assert_non_null(strstr(run.err, "a - c: overlap in the default state"));
    program_free(&run);
    run = program_run("srdf", path, "--strict", "--quiet", NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);
    run =
        program_run("srdf", path, "--allow-default", "--strict", "--quiet", NULL);  // disabled without proof
    assert_int_equal(run.status, 3);
    program_free(&run);
}

// 1e-10 m is too close to tell; only with --sample is such a pair disabled, and the reason says how it was found.
static void samples_are_told(void** state) {
    (void)state;
    const char* toy = write_toy("close.urdf", sqrt(1.0025) - 0.1 - 1e-10);
    ProgramRun run = program_run("srdf", toy, NULL);
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "link1=\"post\" link2=\"tip\""));
    assert_non_null(strstr(run.err, "post - tip: the budget is used up"));
    program_free(&run);
    run = program_run("srdf", toy, "--sample", "50", "--quiet", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "link1=\"post\" link2=\"tip\" reason=\"Never (sampled 50)\""));
    program_free(&run);
    run = program_run("srdf", toy, "--sample", "50", "--quiet", "--strict", NULL);
    assert_int_equal(run.status, 3);
    program_free(&run);
}

static void wrong_requests(void** state) {
    (void)state;
    const char* toy = write_toy("wrong.urdf", 0.8);
    const char* none = program_temporary("nothing/there.srdf");
    const struct {
        const char* arguments[8];
        const char* expected;
    } cases[] = {
        {{"srdf", NULL}, "of which robot?"},
        {{"srdf", toy, toy, NULL}, "expected one robot"},
        {{"srdf", toy, "--lint", none, NULL}, "there.srdf"},
        {{"srdf", toy, "--srdf", none, NULL}, "there.srdf"},
        {{"srdf", toy, "--lint", toy, NULL}, "wrong.urdf"},
        {{"srdf", toy, "--lint", toy, "-o", "x", NULL}, "--lint"},
        {{"srdf", toy, "--lint", toy, "--allow-default", NULL}, "--allow-default"},
        {{"srdf", toy, "--sample", "0", NULL}, "--sample"},
        {{"srdf", toy, "--budget", "x", NULL}, "--budget"},
        {{"srdf", toy, "--robot", toy, NULL}, "--robot"},
        {{"srdf", toy, "-o", none, NULL}, "there.srdf"},
        {{"srdf", "no.urdf", NULL}, "no.urdf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_list(cases[i].arguments);
        if (run.status != 2 || strstr(run.err, cases[i].expected) == NULL || run.out_size != 0) {
            fail_msg("case %zu: exit %d, '%s', out '%.100s'", i, run.status, run.err, run.out);
        }
        program_free(&run);
    }
    struct stat info;
    assert_true(stat(none, &info) != 0);
}

// A run as root with -o /dev/null put a regular file in the place of the device: what is no regular file stays.
static void only_regular_files_are_replaced(void** state) {
    (void)state;
    const char* toy = write_toy("pipe.urdf", 0.8);
    const char* pipe = program_temporary("pipe");
    struct stat info;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    ProgramRun run = program_run("srdf", toy, "-o", pipe, NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "not a regular file"));
    assert_true(stat(pipe, &info) == 0 && S_ISFIFO(info.st_mode));
    program_free(&run);
    run = program_run("new", toy, "-o", pipe, "--force", NULL);
    assert_int_equal(run.status, 2);
    assert_true(stat(pipe, &info) == 0 && S_ISFIFO(info.st_mode));
    program_free(&run);
}

// Hours of work and then "no such folder": the place is tried before anything is read. A link stays a link.
static void the_place_is_tried_first(void** state) {
    (void)state;
    const char* none = program_temporary("no/such/folder.srdf");
    ProgramRun run = program_run("srdf", "no_robot.urdf", "-o", none, NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "folder.srdf"));
    assert_null(strstr(run.err, "no_robot"));
    program_free(&run);
    run = program_run("spheres", "no_robot.urdf", "--count", "5", "-o", none, NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "folder.srdf"));
    program_free(&run);
    char link[1024];
    (void)snprintf(link, sizeof link, "%s", program_temporary("link.srdf"));
    const char* target = program_temporary("target.srdf");
    FILE* file = fopen(target, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(symlink(target, link), 0);
    run = program_run("srdf", write_toy("linked.urdf", 0.8), "-o", link, NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);
    struct stat info;
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(stat(link, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0);
}

// Ctrl-C: nothing half-written.
static void interrupted_runs_write_nothing(void** state) {
    (void)state;
    char urdf[1024];
    if (!test_shared_path(urdf, sizeof urdf, "robots/moveit_resources_pr2_description/urdf/robot.xml")) {
        TEST_SKIP("the shared robots are not there");
    }
    const char* file = program_temporary("cut.srdf");
    const char* const arguments[] = {"srdf", urdf, "-o", file, "--threads", "1", NULL};
    ProgramRun run = program_run_into("/dev/null", 1500, arguments);
    struct stat info;
    assert_int_equal(run.status, 130);
    assert_true(stat(file, &info) != 0);
    program_free(&run);
}

int test_cli_srdf(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_a_toy),
        cmocka_unit_test(lint_finds_what_is_wrong),
        cmocka_unit_test(written_files_read_back),
        cmocka_unit_test(threads_and_seeds),
        cmocka_unit_test(options_change_what_is_disabled),
        cmocka_unit_test(samples_are_told),
        cmocka_unit_test(wrong_requests),
        cmocka_unit_test(only_regular_files_are_replaced),
        cmocka_unit_test(the_place_is_tried_first),
        cmocka_unit_test(interrupted_runs_write_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
