// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Ctrl-C on every command, wherever it is: reading two million triangles (`./dev test long`; fewer else) in every format,
// welding, hulls, trees, samples of an SRDF, a scene's commit, questions, maps, spheres. It ends with 130 and a word, soon,
// and leaves no file and no process behind. Version 0.1 took 11 to 47 s.
// test-labels: waits

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/program.h"
#include "support/setting.h"

// It ends within a second by itself; this is about loops that do not look. On a machine that is busy with other things a
// second may take a minute: late is who also used so much of a processor, or who waits for something.
static const double LATEST = 5.0, LATEST_IDLE = 120.0;

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- large files -----------------------------------------------------------------------------------------------

// A bumpy ball: rings of vertices between two poles.
typedef struct Ball {
    int rings, around;
} Ball;

static Ball large_ball(void) {
    const int side = test_is_long() ? 1000 : 400;  // 2 million, or 320,000 triangles
    return (Ball){side, side};
}

static void ball_vertex(const Ball* ball, int ring, int step, float out[3]) {
    const double down = M_PI * (ring + 0.5) / ball->rings;
    const double turn = 2.0 * M_PI * (step % ball->around) / ball->around;
    const double radius = 0.3 + 0.01 * sin(40.0 * down) * cos(40.0 * turn);
    out[0] = (float)(radius * sin(down) * cos(turn));
    out[1] = (float)(radius * sin(down) * sin(turn));
    out[2] = (float)(radius * cos(down));
}

static int ball_index(const Ball* ball, int ring, int step) {
    return ring * ball->around + step % ball->around;
}

// Calls `add` with the rings and steps of each triangle's corners.
static void each_triangle(const Ball* ball, void (*add)(FILE*, const Ball*, const int (*)[2]), FILE* file) {
    for (int r = 0; r + 1 < ball->rings; ++r) {
        for (int s = 0; s < ball->around; ++s) {
            const int one[3][2] = {{r, s}, {r + 1, s}, {r + 1, s + 1}};
            const int two[3][2] = {{r, s}, {r + 1, s + 1}, {r, s + 1}};
            add(file, ball, one);
            add(file, ball, two);
        }
    }
}

static int triangle_count(const Ball* ball) {
    return 2 * (ball->rings - 1) * ball->around;
}

static void each_vertex(const Ball* ball, const char* format, FILE* file) {
    for (int r = 0; r < ball->rings; ++r) {
        for (int s = 0; s < ball->around; ++s) {
            float p[3];
            ball_vertex(ball, r, s, p);
            fprintf(file, format, (double)p[0], (double)p[1], (double)p[2]);
        }
    }
}

static void add_stl(FILE* file, const Ball* ball, const int (*corner)[2]) {
    char record[50] = {0};
    for (int i = 0; i < 3; ++i) {
        float p[3];
        ball_vertex(ball, corner[i][0], corner[i][1], p);
        memcpy(record + 12 + 12 * i, p, 12);
    }
    fwrite(record, 1, sizeof record, file);
}

static void add_indexes(FILE* file, const Ball* ball, const int (*corner)[2], const char* format, int first) {
    fprintf(file, format, first + ball_index(ball, corner[0][0], corner[0][1]),
            first + ball_index(ball, corner[1][0], corner[1][1]),
            first + ball_index(ball, corner[2][0], corner[2][1]));
}

static void add_obj(FILE* file, const Ball* ball, const int (*corner)[2]) {
    add_indexes(file, ball, corner, "f %d %d %d\n", 1);
}

static void add_ply(FILE* file, const Ball* ball, const int (*corner)[2]) {
    add_indexes(file, ball, corner, "3 %d %d %d\n", 0);
}

static void add_dae(FILE* file, const Ball* ball, const int (*corner)[2]) {
    add_indexes(file, ball, corner, "%d %d %d ", 0);
}

static void write_dae(FILE* file, const Ball* ball) {
    const int vertices = ball->rings * ball->around;
    fprintf(file,
            "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
            "version=\"1.4.1\">"
            "<asset/><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"pa\" "
            "count=\"%d\">",
            3 * vertices);
    each_vertex(ball, "%.6f %.6f %.6f ", file);
    fprintf(file,
            "</float_array><technique_common><accessor source=\"#pa\" count=\"%d\" stride=\"3\"><param "
            "name=\"X\" "
            "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor>"
            "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "
            "source=\"#p\"/></vertices>"
            "<triangles count=\"%d\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>",
            vertices, triangle_count(ball));
    each_triangle(ball, add_dae, file);
    fprintf(file,
            "</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene "
            "id=\"s\"><node>"
            "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene>"
            "<instance_visual_scene url=\"#s\"/></scene></COLLADA>\n");
}

static void write_ball(const char* name) {
    const Ball ball = large_ball();
    const char* path = program_temporary(name);
    const char* kind = strrchr(path, '.');
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    if (strcmp(kind, ".stl") == 0) {
        char head[84] = {0};
        const uint32_t count = (uint32_t)triangle_count(&ball);
        memcpy(head + 80, &count, 4);
        fwrite(head, 1, sizeof head, file);
        each_triangle(&ball, add_stl, file);
    } else if (strcmp(kind, ".obj") == 0) {
        each_vertex(&ball, "v %.6f %.6f %.6f\n", file);
        each_triangle(&ball, add_obj, file);
    } else if (strcmp(kind, ".ply") == 0) {
        fprintf(
            file,
            "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
            "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
            ball.rings * ball.around, triangle_count(&ball));
        each_vertex(&ball, "%.6f %.6f %.6f\n", file);
        each_triangle(&ball, add_ply, file);
    } else {
        write_dae(file, &ball);
    }
    assert_int_equal(fclose(file), 0);
}

// ---- scenes ----------------------------------------------------------------------------------------------------

// The limits are what `monitor` needs: without them it would be refused as soon as it has read the mesh.
static void write_scene(const char* name, const char* more) {
    char text[2048], limits[512] = "";
    for (int i = 1; i <= 6; ++i) {
        const size_t used = strlen(limits);
        snprintf(limits + used, sizeof limits - used,
                 "%sjoint%d: {velocity: 1, acceleration: 5, deceleration: 5}", i > 1 ? ", " : "", i);
    }
    snprintf(text, sizeof text,
             "berth: 1\nrobots:\n  - name: arm\n    urdf: %s\n    limits: {%s}\nobjects:\n  - name: rock\n"
             "    mesh: {file: large.stl%s}\n"
             "    pose: {xyz: [1.5, 0, 0.5]}\nsafety: {period: 0.001, latency: 0.01, reaction: 0.02, "
             "silence: 0.005, "
             "margin: 0.02}\n",
             program_model("arm6/arm6.urdf"), limits, more);
    assert_true(program_write_text(program_temporary(name), text));
}

static void write_inputs(void) {
    static const char* const meshes[] = {"large.stl", "large.obj", "large.ply", "large.dae"};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; ++i) {
        write_ball(meshes[i]);
    }
    write_scene("rock.yaml", "");
    write_scene("hull.yaml", ", hull: true");
    assert_true(program_write_text(
        program_temporary("large.urdf"),
        "<robot name=\"two\"><link name=\"a\"><collision><geometry><mesh "
        "filename=\"large.stl\"/></geometry></collision>"
        "</link><link name=\"b\"><collision><geometry><mesh "
        "filename=\"large.stl\"/></geometry></collision></link>"
        "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"1 0 "
        "0\"/><axis xyz=\"0 0 "
        "1\"/><limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/></joint></robot>\n"));
    assert_true(program_write_text(program_temporary("way.csv"), "time,joint1,joint2\n0,0,0\n100,0.5,0.5\n"));

    // Many questions: more than can be answered before somebody interrupts.
    FILE* states = fopen(program_temporary("states.csv"), "w");
    FILE* segments = fopen(program_temporary("segments.csv"), "w");
    FILE* balls = fopen(program_temporary("balls.csv"), "w");
    assert_true(states != NULL && segments != NULL && balls != NULL);
    fprintf(states, "joint1,joint2,joint3\n");
    fprintf(segments, "joint1:from,joint1:to,joint2:from,joint2:to\n");
    fprintf(balls, "x,y,r\n");
    for (int i = 0; i < 400000; ++i) {
        fprintf(states, "%g,%g,%g\n", i * 1e-6, i * 2e-6, i * -1e-6);
        fprintf(segments, "%g,0.5,0,%g\n", i * 1e-6, i * 1e-6);
        fprintf(balls, "%g,%g,1\n", 1.0 + i * 1e-5, 1.0 + i * 2e-5);
    }
    assert_int_equal(fclose(states) + fclose(segments) + fclose(balls), 0);
    assert_true(program_write_text(program_temporary("rooms.lin"), "4\n16 16 0\n2301 4\n1 1\n00 2\n"));
}

// ---- the test --------------------------------------------------------------------------------------------------

typedef struct Case {
    const char* arguments[12];
    bool
        is_long;  // it answers, or prepares, for seconds after it has loaded: it is interrupted in the middle of that, too
} Case;

// Processes that run the program at `path`.
static int count_running(const char* path) {
    DIR* processes = opendir("/proc");
    assert_non_null(processes);
    int count = 0;
    for (struct dirent* entry = readdir(processes); entry != NULL; entry = readdir(processes)) {
        char link[320], target[1024];
        snprintf(link, sizeof link, "/proc/%s/exe", entry->d_name);
        const ssize_t length = readlink(link, target, sizeof target - 1);
        if (length > 0) {
            target[length] = '\0';
            count += strcmp(target, path) == 0;
        }
    }
    closedir(processes);
    return count;
}

static const char* copy_reader(void) {
    const char* copy = program_temporary("reader");
    char command[1024];
    snprintf(command, sizeof command, "cp %s/berth-mesh-reader %s", BERTH_BUILD_DIR, copy);
    return access(BERTH_BUILD_DIR "/berth-mesh-reader", X_OK) == 0 && system(command) == 0 ? copy : NULL;
}

// Of all children that are over, and theirs.
static double processor_seconds(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// A program that has no processor yet has no handler, and dies of the signal without a word: then it gets more time.
static ProgramRun run_interrupted(const Case* c, int* after_ms) {
    for (int tries = 0;; ++tries) {
        ProgramRun run = program_run_into(NULL, *after_ms, c->arguments);
        const bool too_early = run.status == 1000 + SIGINT && run.out_size == 0 && run.err[0] == '\0';
        if (!too_early || tries == 4) {
            return run;
        }
        program_free(&run);
        *after_ms *= 2;
    }
}

// Was it interrupted? Else it was done before.
static bool interrupt(const Case* c, int after_ms, double* longest) {
    const double before = processor_seconds(), start = seconds_now();
    int waited_ms = after_ms;
    ProgramRun run = run_interrupted(c, &waited_ms);
    const double took = seconds_now() - start - 1e-3 * waited_ms, used = processor_seconds() - before;
    const bool stopped = run.status == 130;
    if (!stopped && run.status != 0 && run.status != 1 && run.status != 3) {
        fail_msg("berth %s %s, after %d ms: exit status %d: %s", c->arguments[0], c->arguments[1], after_ms,
                 run.status, run.err);
    }
    const bool late = took > LATEST_IDLE || (took > LATEST && used > LATEST);
    if (stopped && (strstr(run.err, "interrupted") == NULL || late)) {
        fail_msg("berth %s %s, after %d ms: took %.1f s to end (%.1f s of a processor), said '%s'",
                 c->arguments[0], c->arguments[1], after_ms, took, used, run.err);
    }
    // Whole lines, each an answer.
    if (stopped && run.out_size > 0 && run.out[run.out_size - 1] != '\n') {
        fail_msg("berth %s %s, after %d ms: half an answer", c->arguments[0], c->arguments[1], after_ms);
    }
    *longest = stopped ? fmax(*longest, took) : *longest;
    program_free(&run);
    return stopped;
}

static void every_command_stops(void** state) {
    (void)state;
    write_inputs();
    const char* way = program_temporary("way.csv");
    const char* rock = program_temporary("rock.yaml");
    const char* hull = program_temporary("hull.yaml");
    const char* urdf = program_temporary("large.urdf");
    const char* arm = program_model("arm6/arm6.urdf");
    const char* out = program_temporary("out");
    const char* map = program_temporary("out.bmap");
    const char* srdf = program_temporary("out.srdf");
    const char* reader = copy_reader();
    const Case cases[] = {
        {{"info", program_temporary("large.stl"), NULL}, false},
        {{"info", program_temporary("large.obj"), NULL}, false},
        {{"info", program_temporary("large.ply"), NULL}, false},
        {{"info", program_temporary("large.dae"), NULL}, false},
        {{"info", rock, "--json", NULL}, false},
        {{"check", rock, "--distance", NULL}, false},
        {{"check", hull, NULL}, false},
        {{"check", rock, "--engine", "spheres", NULL}, false},
        {{"check", arm, "--states", program_temporary("states.csv"), "--distance", "--json", NULL}, true},
        {{"path", arm, "--segments", program_temporary("segments.csv"), "--json", NULL}, true},
        {{"map", "query", program_temporary("rooms.lin"), "--balls", program_temporary("balls.csv"), "--json",
          NULL},
         true},
        {{"path", rock, way, "--certificate", out, NULL}, false},
        {{"contact", rock, NULL}, false},
        {{"monitor", rock, "--input", way, "--fast", "--objects-stand", NULL}, true},
        {{"new", urdf, "-o", out, NULL}, false},
        {{"srdf", urdf, "-o", srdf, NULL}, false},
        {{"srdf", arm, "--sample", "1000000", "-o", srdf, NULL}, false},
        {{"spheres", urdf, "--count", "200", "-o", out, NULL}, false},
        {{"map", "build", rock, "--resolution", "0.005", "-o", map, NULL}, false},
    };
    static const int moments[] = {60, 300, 1500, 3000};
    char folder[512];
    snprintf(folder, sizeof folder, "%s", out);
    *strrchr(folder, '/') = '\0';
    const int before = program_count_entries(folder);
    if (reader != NULL) {
        setenv("BERTH_MESH_READER", reader, 1);
    }

    double longest = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        int stopped = 0;
        const size_t enough = cases[i].is_long ? 3 : 2;
        for (size_t k = 0; k < sizeof moments / sizeof moments[0] && (k < enough || test_is_long()); ++k) {
            stopped += interrupt(&cases[i], moments[k], &longest);
            assert_true(program_count_entries(folder) <=
                        before + 1);  // a whole output when it was done before
            remove(out), remove(map), remove(srdf);
        }
        if (stopped == 0) {
            fail_msg("berth %s %s: was done before it could be interrupted", cases[i].arguments[0],
                     cases[i].arguments[1]);
        }
    }
    unsetenv("BERTH_MESH_READER");
    print_message("the longest took %.2f s to end\n", longest);

    // Readers end with who started them.
    for (int tries = 0; reader != NULL && count_running(reader) > 0; ++tries) {
        assert_true(tries < 50);
        const struct timespec pause = {0, 100000000};
        nanosleep(&pause, NULL);
    }
    program_remove_temporary();
}

int test_cli_interrupt(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(every_command_stops)};
    return TEST_SANITIZED ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
