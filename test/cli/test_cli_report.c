// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// --report of every command that has it: the page says what the command says, loads nothing, tells how to get it again; it is
// written whole or not at all, and never over what is read.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/expect.h"
#include "support/setting.h"
#include "support/slider.h"

// A name that would end the page, were it not escaped.
static const char scene_text[] =
    "berth: 1\nrobots:\n  - urdf: slider.urdf\n    state: {x: -1, y: -1}\n"
    "    limits: {x: {velocity: 1, acceleration: 4, deceleration: 8}, y: {velocity: 1, acceleration: 4, "
    "deceleration: 8}}\n"
    "objects:\n  - {name: '</script><b>wall</b>', box: {size: [0.2, 4, 1]}, pose: {xyz: [0, -0.8, 0]}}\n"
    "safety: {period: 0.001, latency: 0.001, reaction: 0.002, silence: 0.2, margin: 0.001}\n";

static const char* scene_file(void) {
    const char* scene = program_temporary("slider.yaml");
    assert_true(program_write_text(program_temporary("slider.urdf"), SLIDER_URDF));
    assert_true(program_write_text(scene, scene_text));
    return scene;
}

static int count_of(const char* text, const char* word) {
    int count = 0;
    for (const char* at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        ++count;
    }
    return count;
}

static bool is_given(const char* const* arguments, const char* word) {
    while (*arguments != NULL && strcmp(*arguments, word) != 0) {
        ++arguments;
    }
    return *arguments != NULL;
}

// Runs it twice, with and without a report: the same exit status, and the first line for people is in the page.
static void expect_report(int status, bool plots, const char* const* arguments) {
    const char* page = program_temporary("report.html");
    const char* more[24];
    int count = 0;
    for (; arguments[count] != NULL; ++count) {
        more[count] = arguments[count];
    }
    more[count] = "--report";
    more[count + 1] = page;
    more[count + 2] = NULL;
    (void)unlink(page);

    ProgramRun run = program_run_list(more);
    if (run.status != status) {
        fail_msg("berth %s --report: exit status %d: %s%s", arguments[0], run.status, run.out, run.err);
    }
    char* text = expect_file(page);
    // Where it is, for people.
    assert_int_equal(strstr(run.out, "wrote ") != NULL, !is_given(arguments, "--json"));
    assert_non_null(strstr(text, "How to get this again"));
    assert_non_null(strstr(text, "--report"));
    assert_int_equal(strstr(text, "<svg") != NULL, plots);
    assert_non_null(strstr(text, "class=\"answer\""));
    assert_null(strstr(text, "<b>wall"));
    assert_true(strstr(text, "<h2>The view</h2>") != NULL || strstr(text, "no 3-D view") != NULL);
    assert_int_equal(count_of(text, "</html>"), 1);

    // Nothing of another place: no element loads an address.
    assert_null(strstr(text, "<script src"));
    assert_null(strstr(text, "<link "));
    assert_null(strstr(text, "<img"));
    free(text);
    program_free(&run);
}
#define EXPECT_REPORT(status, plots, ...) \
    expect_report(status, plots, (const char* const[]){__VA_ARGS__, NULL})

static void reports_say_what_commands_say(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char* hit = program_temporary("hit.csv");
    const char* around = program_temporary("around.csv");
    const char* near = program_temporary("near.csv");
    const char* map = program_temporary("cells.npy");
    double cells[64] = {0};
    cells[21] = 1.0;
    assert_true(program_write_text(hit, "time,x,y\n0,-1,-1\n1,-1,0\n3,1,0\n"));
    assert_true(program_write_text(around, "time,x,y\n0,-1,-1\n3,-1,1.5\n6,1,1.5\n"));
    assert_true(program_write_text(near, "time,x,y\n0,-1,-1\n3,-0.3,-1\n"));
    assert_true(program_write_array(map, "4, 4, 4", cells, 64));

    EXPECT_REPORT(0, true, "path", scene, around);
    EXPECT_REPORT(1, true, "path", scene, hit, "--json");
    EXPECT_REPORT(0, true, "path", scene, around, "--quiet", "--json");
    EXPECT_REPORT(0, true, "plan", scene, "--to", "x=1,y=-1");
    EXPECT_REPORT(0, true, "plan", scene, "--to", "x=1,y=-1", "--timed");
    EXPECT_REPORT(1, false, "plan", scene, "--to", "x=0,y=-1");
    EXPECT_REPORT(0, false, "monitor", scene, "--input", around, "--fast", "--auto-start", "--interpolate");
    EXPECT_REPORT(1, true, "monitor", scene, "--input", near, "--fast", "--auto-start", "--interpolate");
    EXPECT_REPORT(0, true, "spheres", program_model("two_arms/arm.urdf"), "--count", "7", "--effort", "0.01");
    EXPECT_REPORT(0, true, "map", "info", map, "--resolution", "0.1");
}

// The answer in words is the command's own first line.
static void words_are_the_answer(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char* hit = program_temporary("hit.csv");
    const char* page = program_temporary("words.html");
    assert_true(program_write_text(hit, "x,y\n-1,-1\n-1,0\n1,0\n"));
    ProgramRun run = program_run("path", scene, hit, "--report", page, NULL);
    char* text = expect_file(page);
    assert_non_null(strstr(run.out, "COLLISION"));
    const char* answer = strstr(text, "class=\"answer\">") + strlen("class=\"answer\">");
    const size_t same = strcspn(run.out, "<\n");  // the wall's name is escaped
    assert_true(same > 10);
    assert_memory_equal(answer, run.out, same);
    free(text);
    program_free(&run);
}

// A surface of size x size squares, 1 m wide, with waves 5 mm high, as a binary STL.
static void write_waves(const char* path, int size) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    char head[80] = {0};
    const uint32_t count = 2 * (uint32_t)size * (uint32_t)size;
    assert_int_equal(fwrite(head, sizeof head, 1, file), 1);
    assert_int_equal(fwrite(&count, sizeof count, 1, file), 1);
    for (int i = 0; i < size * size; ++i) {
        static const int corners[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
        for (int k = 0; k < 2; ++k) {
            float numbers[12] = {0.0F, 0.0F, 1.0F};
            const uint16_t end = 0;
            for (int c = 0; c < 3; ++c) {
                const int x = i % size + corners[k][c][0], y = i / size + corners[k][c][1];
                numbers[3 + 3 * c] = (float)x / (float)size;
                numbers[4 + 3 * c] = (float)y / (float)size;
                numbers[5 + 3 * c] = 0.005F * (float)((x / 8 + y / 8) % 2);
            }
            assert_int_equal(fwrite(numbers, sizeof numbers, 1, file), 1);
            assert_int_equal(fwrite(&end, sizeof end, 1, file), 1);
        }
    }
    assert_int_equal(fclose(file), 0);
}

// The view of a report has visual meshes; large ones with fewer triangles, so that the file can be mailed, and the report says so.
static void visual_meshes_are_in_reports(void** state) {
    (void)state;
    const char* urdf = program_temporary("waves.urdf");
    const char* page = program_temporary("waves.html");
    const char* rows = program_temporary("waves.csv");
    assert_true(program_write_text(rows, "time,x\n0,0\n2,1\n"));
    assert_true(program_write_text(
        urdf,
        "<robot name='waves'><link name='base'/><link name='arm'>"
        "<visual><geometry><mesh filename='waves.stl'/></geometry></visual>"
        "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        "<link name='wall'><collision><origin xyz='5 5 5'/><geometry><sphere "
        "radius='0.1'/></geometry></collision>"
        "</link><joint name='w' type='fixed'><parent link='base'/><child link='wall'/></joint>"
        "<joint name='x' type='prismatic'><parent link='base'/><child link='arm'/><axis xyz='1 0 0'/>"
        "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"));

    const char* scene = program_temporary("waves.yaml");
    assert_true(program_write_text(
        scene,
        "berth: 1\nrobots:\n  - urdf: waves.urdf\n"
        "    limits: {x: {velocity: 1, acceleration: 4, deceleration: 8}}\n"
        "safety: {period: 0.001, latency: 0.001, reaction: 0.002, silence: 0.2, margin: 0.001}\n"));

    const struct {
        int size;
        bool is_merged;
    } cases[] = {{20, false}, {300, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        write_waves(program_temporary("waves.stl"), cases[i].size);
        const char* const commands[][10] = {{"monitor", scene, "--input", rows, "--fast", "--auto-start",
                                             "--interpolate", "--report", page, NULL},
                                            {"path", urdf, rows, "--report", page, NULL},
                                            {"plan", urdf, "--to", "x=0.5", "--report", page, NULL}};
        for (size_t k = 0; k < sizeof commands / sizeof commands[0]; ++k) {
            ProgramRun run = program_run_list(commands[k]);
            if (run.status != 0) {
                fail_msg("berth %s: exit status %d: %s%s", commands[k][0], run.status, run.out, run.err);
            }
            char* text = expect_file(page);
            if (strstr(text, "<h2>The view</h2>") != NULL) {
                long long drawn = -1, all = -1;
                const char* note = strstr(text, "Its layers include the visual meshes, ");
                assert_non_null(note);
                note += strlen("Its layers include the visual meshes, ");
                if (cases[i].is_merged) {
                    assert_int_equal(sscanf(note, "with %lld of their %lld triangles", &drawn, &all), 2);
                    assert_true(drawn > 1000 && drawn < all);
                    assert_int_equal(all, 2LL * cases[i].size * cases[i].size);
                    assert_non_null(strstr(note, " mm are merged"));
                } else {
                    assert_int_equal(sscanf(note, "%lld triangles", &drawn), 1);
                    assert_int_equal(drawn, 2LL * cases[i].size * cases[i].size);
                }
                assert_true(strlen(text) < 6000000);
            }
            free(text);
            program_free(&run);
        }
    }
}

static void wrong_reports_are_refused(void** state) {
    (void)state;
    const char* scene = scene_file();
    const char* rows = program_temporary("rows.csv");
    assert_true(program_write_text(rows, "x,y\n-1,-1\n-1,0\n"));
    const struct {
        int status;
        const char* arguments[8];
        const char* said;
    } cases[] = {
        {2, {"path", scene, rows, "--report", rows, NULL}, "is an input file"},
        {2, {"path", scene, rows, "--report", scene, NULL}, "is an input file"},
        {2, {"path", scene, "--segments", rows, "--report", "/tmp/r.html", NULL}, "--report"},
        {4, {"path", scene, rows, "--report", "/nowhere/at/all/r.html", NULL}, "/nowhere/at/all"},
        {4,
         {"plan", scene, "--to", "x=1,y=1.5", "--report", "/nowhere/at/all/r.html", NULL},
         "/nowhere/at/all"},
        {2, {"map", "convert", rows, "-o", "/tmp/x.npy", "--report", "/tmp/r.html", NULL}, "--report"},
        {2, {"check", scene, "--report", "/tmp/r.html", NULL}, "--report"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_list(cases[i].arguments);
        if (run.status != cases[i].status && !(cases[i].status == 4 && run.status == 2)) {
            fail_msg("case %zu: exit status %d: %s", i, run.status, run.err);
        }
        assert_non_null(strstr(run.err, cases[i].said));
        assert_int_equal(run.out_size, 0);
        program_free(&run);
    }
    char* text = expect_file(rows);
    assert_string_equal(text, "x,y\n-1,-1\n-1,0\n");
    free(text);
}

int test_cli_report(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_say_what_commands_say),
        cmocka_unit_test(words_are_the_answer),
        cmocka_unit_test(visual_meshes_are_in_reports),
        cmocka_unit_test(wrong_reports_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
