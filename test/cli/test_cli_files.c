// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files that commands write: never over one that they read, under whatever name; and when a file may not grow, an exit
// status and nothing left beside it.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/expect.h"

static const char ARM[] =
    "<robot name='arm'><link name='base'><collision><geometry><box size='0.1 0.1 "
    "0.1'/></geometry></collision>"
    "</link><link name='tip'><collision><origin xyz='0 0 0.3'/><geometry><box size='0.1 0.1 0.1'/></geometry>"
    "</collision></link><joint name='turn' type='revolute'><parent link='base'/><child link='tip'/>"
    "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>\n";
static const char SRDF[] = "<robot name='arm'><disable_collisions link1='base' link2='tip'/></robot>\n";
static const char WAY[] = "turn\n0\n0.5\n";
static const char SEGMENTS[] = "turn:from,turn:to\n0,0.5\n";

static void expect_refused(const char* const* arguments) {
    ProgramRun run = program_run_list(arguments);
    if (run.status != 2 || run.out_size != 0 || strstr(run.err, "is an input file") == NULL) {
        fail_msg("berth %s: exit %d, said '%s'", arguments[0], run.status, run.err);
    }
    program_free(&run);
}

// A certificate, an SRDF, a map went over the robot, the trajectory or the balls they were made from.
static void what_is_read_is_not_replaced(void** state) {
    (void)state;
    const char* arm = expect_written("arm.urdf", ARM);
    const char* srdf = expect_written("arm.srdf", SRDF);
    const char* way = expect_written("way.csv", WAY);
    const char* segments = expect_written("segments.csv", SEGMENTS);
    const char* map = expect_written("rooms.lin", "3\n8 8 0\n000 3\n");
    const char* balls = expect_written("balls.csv", "x,y,r\n6,6,1\n");
    const char* second = program_temporary("second.urdf");
    const char* alias = program_temporary("alias.urdf");
    assert_int_equal(link(arm, second), 0);
    assert_int_equal(symlink(arm, alias), 0);
    const char* const cases[][9] = {
        {"path", arm, way, "--certificate", way, NULL},
        {"path", arm, way, "--certificate", arm, NULL},
        {"path", arm, way, "--certificate", second, NULL},
        {"path", arm, way, "--srdf", srdf, "--certificate", srdf, NULL},
        {"path", arm, "--segments", segments, "--certificate", segments, NULL},
        {"srdf", arm, "-o", arm, NULL},
        {"srdf", arm, "-o", second, NULL},
        {"srdf", arm, "-o", alias, NULL},
        {"srdf", arm, "--srdf", srdf, "-o", srdf, NULL},
        {"spheres", arm, "-o", second, NULL},
        {"spheres", arm, "--srdf-out", arm, NULL},
        {"spheres", arm, "--compare", second, "-o", alias, NULL},
        {"spheres", arm, "--srdf", srdf, "--srdf-out", srdf, NULL},
        {"new", arm, "-o", arm, NULL},
        {"new", arm, "-o", arm, "--force", NULL},
        {"new", arm, "-o", alias, "--force", NULL},
        {"new", arm, "--srdf", srdf, "-o", srdf, "--force", NULL},
        {"map", "build", map, "-o", map, NULL},
        {"map", "convert", map, "-o", map, NULL},
        {"map", "query", map, "--balls", balls, "--stats", balls, NULL},
        {"map", "query", map, "--balls", balls, "--stats", map, NULL},
        {"monitor", arm, "--input", way, "--fast", "--log", arm, NULL},
        {"monitor", arm, "--input", way, "--fast", "--log", way, NULL},
        {"monitor", arm, "--input", way, "--fast", "--stats", second, NULL},
        {"monitor", arm, "--input", way, "--fast", "--stats", way, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        expect_refused(cases[i]);
    }
    expect_text(arm, ARM);
    expect_text(srdf, SRDF);
    expect_text(way, WAY);
    expect_text(segments, SEGMENTS);
    expect_text(map, "3\n8 8 0\n000 3\n");
    expect_text(balls, "x,y,r\n6,6,1\n");
    program_remove_temporary();
}

static const char SCENE[] =
    "berth: 1\nrobots:\n  - {urdf: arm.urdf, srdf: arm.srdf}\nobjects:\n"
    "  - {name: part, mesh: {file: part.obj}, pose: {xyz: [5, 0, 0]}}\n"
    "  - {name: rooms, map: {file: rooms.lin, resolution: 0.1, height: [8, 9], outside: free}, pose: {xyz: "
    "[9, 9, 0]}}\n";
static const char PART[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
static const char MESHED[] =
    "<robot name='lump'><link name='base'><collision><geometry><mesh "
    "filename='part.obj'/></geometry></collision>"
    "</link></robot>\n";

// What is only looked at is not read, and still not replaced.
static const char SHOWN[] =
    "<robot name='shown'><link name='base'><visual><geometry><mesh filename='seen.obj'/></geometry></visual>"
    "<collision><geometry><box size='1 1 1'/></geometry></collision></link></robot>\n";

// Files that only a scene or a URDF names were written over: the robot, its SRDF, meshes, maps.
static void what_a_scene_names_is_not_replaced(void** state) {
    (void)state;
    const char* arm = expect_written("arm.urdf", ARM);
    const char* srdf = expect_written("arm.srdf", SRDF);
    const char* way = expect_written("way.csv", WAY);
    const char* part = expect_written("part.obj", PART);
    const char* map = expect_written("rooms.lin", "3\n8 8 0\n000 3\n");
    const char* lump = expect_written("lump.urdf", MESHED);
    const char* scene = expect_written("cell.yaml", SCENE);
    const char* alias = program_temporary("alias.obj");
    const char* free_name = program_temporary("free");
    assert_int_equal(symlink("part.obj", alias), 0);
    EXPECT_STATUS(0, "path", scene, way, "--certificate", free_name, "--quiet");
    const char* seen = expect_written("seen.obj", PART);
    const char* shown = expect_written("shown.urdf", SHOWN);
    const char* left = expect_written("left.csv", "time,turn\n0,0\n1,0.5\n");
    const char* more = expect_written("more.csv", "time,nothing\n0,0\n");
    const char* image = program_temporary("image.pgm");
    const char* described = expect_written("described.yaml",
                                           "image: image.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n"
                                           "negate: 0\noccupied_thresh: 0.6\nfree_thresh: 0.2\n");
    (void)expect_written("image.pgm", "P2\n2 2\n255\n0 0 255 255\n");
    const char* beside = program_temporary("image.yaml");  // whose image would be image.pgm

    const char* const cases[][9] = {
        {"path", scene, way, "--certificate", arm, NULL},
        {"path", scene, way, "--certificate", srdf, NULL},
        {"path", scene, way, "--certificate", part, NULL},
        {"path", scene, way, "--certificate", alias, NULL},
        {"path", scene, way, "--certificate", map, NULL},
        {"monitor", scene, "--input", way, "--fast", "--log", part, NULL},
        {"monitor", scene, "--input", way, "--fast", "--stats", map, NULL},
        {"srdf", lump, "-o", part, NULL},
        {"spheres", lump, "-o", alias, NULL},
        {"new", lump, "-o", part, "--force", NULL},
        {"map", "convert", scene, "-o", map, "--resolution", "0.5", NULL},
        {"srdf", shown, "-o", seen, NULL},
        {"new", shown, "-o", seen, "--force", NULL},
        {"path", arm, left, more, "--certificate", more, NULL},
        {"map", "convert", described, "-o", beside, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        expect_refused(cases[i]);
    }
    expect_text(arm, ARM);
    expect_text(srdf, SRDF);
    expect_text(part, PART);
    expect_text(seen, PART);
    expect_text(image, "P2\n2 2\n255\n0 0 255 255\n");
    expect_text(map, "3\n8 8 0\n000 3\n");
    program_remove_temporary();
}

// Two outputs of one command that are one file: refused before any work.
static void outputs_are_different_files(void** state) {
    (void)state;
    const char* arm = expect_written("arm.urdf", ARM);
    const char* way = expect_written("way.csv", WAY);
    const char* out = program_temporary("out.urdf");
    const char* there = expect_written("there.urdf", "old");
    const char* alias = program_temporary("alias.urdf");
    assert_int_equal(symlink("there.urdf", alias), 0);
    const char* const cases[][10] = {
        {"spheres", arm, "-o", out, "--srdf-out", out, NULL},
        {"spheres", arm, "-o", there, "--srdf-out", alias, NULL},
        {"monitor", arm, "--input", way, "--fast", "--log", out, "--stats", out, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = program_run_list(cases[i]);
        if (run.status != 2 || run.out_size != 0 || strstr(run.err, "would be written twice") == NULL) {
            fail_msg("berth %s: exit %d, said '%s'", cases[i][0], run.status, run.err);
        }
        program_free(&run);
        assert_int_not_equal(access(out, F_OK), 0);
        expect_text(there, "old");
    }
    program_remove_temporary();
}

// ---- ulimit -f -----------------------------------------------------------------------------------------------

static int entries_beside(const char* path) {
    char folder[512];
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    DIR* open_folder = opendir(folder);
    assert_non_null(open_folder);
    int count = 0;
    while (readdir(open_folder) != NULL) {
        ++count;
    }
    (void)closedir(open_folder);
    return count;
}

static ProgramRun run_with_small_files(const char* const* arguments, rlim_t most) {
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {most, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ProgramRun run = program_run_list(arguments);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    return run;
}

// SIGXFSZ ended the program and left NAME.PID.part.
static void a_file_that_may_not_grow(void** state) {
    (void)state;
    const char* arm = expect_written("arm.urdf", ARM);
    const char* way = expect_written("way.csv", WAY);
    const char* map = expect_written("rooms.lin", "3\n8 8 0\n000 3\n");
    const char* out = program_temporary("out.urdf");
    const char* built = program_temporary("out.bmap");
    const char* const cases[][9] = {
        {"path", arm, way, "--certificate", out, "--quiet", NULL},
        {"map", "build", map, "-o", built, "--quiet", NULL},
        {"spheres", arm, "--count", "2", "-o", out, "--quiet", NULL},
        {"srdf", arm, "-o", out, "--quiet", NULL},
        {"new", arm, "-o", out, "--quiet", NULL},
    };
    const int before = entries_beside(out);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ProgramRun run = run_with_small_files(cases[i], 100);
        if (run.status != 4 || strstr(run.err, "/out.") == NULL) {
            fail_msg("berth %s: exit %d, said '%s'", cases[i][0], run.status, run.err);
        }
        program_free(&run);
        assert_int_equal(entries_beside(out), before);
    }
}

int test_cli_files(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_not_replaced),
        cmocka_unit_test(what_a_scene_names_is_not_replaced),
        cmocka_unit_test(outputs_are_different_files),
        cmocka_unit_test(a_file_that_may_not_grow),
    };
    return cmocka_run_group_tests_name("cli_files", tests, NULL, expect_clean_up);
}
