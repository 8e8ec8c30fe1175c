// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Recorded motions through the program: the same permits as by the library, bit for bit, whatever form they are in.
// test-labels: waits

#include <math.h>
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

#include <berth/monitor.h>

#include "support/expect.h"
#include "support/guarded.h"
#include "support/setting.h"

enum { VALUES = 14 };

/// What a replay came to.
typedef struct Outcome {
    int64_t permits, near, first_stop;
    double distance, required;
    char a[64], b[64];
} Outcome;

/// A scene and a motion in it.
typedef struct Motion {
    BerthScene* scene;
    BerthTrajectory rows;
    BerthSafety safety;
} Motion;

static Motion open_motion(const char* file) {
    Motion m = {0};
    const BerthIoOptions options = berth_default_io_options();
    assert_int_equal(berth_io_read_scene(program_model("two_arms/testbed.yaml"), &options, &m.scene),
                     BERTH_OK);
    assert_int_equal(berth_io_read_trajectory(file, m.scene, &options, &m.rows), BERTH_OK);
    assert_true(berth_scene_safety(m.scene, &m.safety));
    return m;
}

static void close_motion(Motion* m) {
    berth_io_free_trajectory(&m->rows);
    berth_scene_destroy(m->scene);
}

static Outcome by_library(const Motion* m) {
    Outcome out = {.first_stop = -1};
    BerthMonitor* monitor = NULL;
    BerthMonitorDef def = berth_default_monitor_def();
    def.valid_for = 1.5 * m->safety.period;
    def.good_needed = 1;
    assert_int_equal(berth_monitor_create(m->scene, &def, &monitor), BERTH_OK);
    berth_monitor_reset(monitor);
    for (int32_t row = 0; row < m->rows.row_count; ++row) {
        const double now = (double)row * m->safety.period;
        const double told = m->rows.times[row] - m->rows.times[0];
        const BerthMonitorMessage message = {.sequence = (uint64_t)row + 1,
                                             .stamp = NAN,
                                             .received = told < now ? told : now,
                                             .positions = m->rows.positions + (size_t)row * VALUES,
                                             .velocities = m->rows.velocities + (size_t)row * VALUES,
                                             .count = VALUES};
        BerthPermit permit;
        berth_monitor_receive(monitor, &message);
        berth_monitor_cycle(monitor, now, &permit);
        berth_monitor_seal(monitor, now, &permit);
        out.permits += permit.go;
        out.near += permit.reason == BERTH_STOP_NEAR;
        if (!permit.go && out.first_stop < 0) {
            out.first_stop = row;
            out.distance = permit.distance;
            out.required = permit.required;
            (void)snprintf(out.a, sizeof out.a, "%s", berth_scene_body_name(m->scene, permit.body_a));
            (void)snprintf(out.b, sizeof out.b, "%s", berth_scene_body_name(m->scene, permit.body_b));
        }
    }
    berth_monitor_destroy(monitor);
    return out;
}

static double number_of(const json_t* line, const char* key) {
    const json_t* value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is_event(const json_t* line, const char* name) {
    return strcmp(json_string_value(json_object_get(line, "event")), name) == 0;
}

static Outcome by_program(const char* const* arguments, int* status) {
    Outcome out = {.first_stop = -1};
    ProgramRun run = program_run_list(arguments);
    *status = run.status;
    if (run.err[0] != '\0') {
        print_message("%s", run.err);
    }
    for (int i = 0; i < program_line_count(&run); ++i) {
        json_t* line = program_json_line(&run, i);
        assert_non_null(line);
        if (is_event(line, "stop") && out.first_stop < 0 && json_is_string(json_object_get(line, "a"))) {
            out.first_stop = (int64_t)number_of(line, "cycle");
            out.distance = number_of(line, "distance");
            out.required = number_of(line, "required");
            (void)snprintf(out.a, sizeof out.a, "%s", json_string_value(json_object_get(line, "a")));
            (void)snprintf(out.b, sizeof out.b, "%s", json_string_value(json_object_get(line, "b")));
        }
        if (is_event(line, "end")) {
            const json_t* stops = json_object_get(line, "stops");
            out.permits = (int64_t)number_of(line, "permits");
            out.near =
                json_is_integer(json_object_get(stops, "near")) ? (int64_t)number_of(stops, "near") : 0;
        }
        json_decref(line);
    }
    program_free(&run);
    return out;
}

static void same(const Outcome* a, const Outcome* b) {
    assert_int_equal(a->permits, b->permits);
    assert_int_equal(a->near, b->near);
    assert_int_equal(a->first_stop, b->first_stop);
    assert_true(a->distance == b->distance && a->required == b->required);
    assert_string_equal(a->a, b->a);
    assert_string_equal(a->b, b->b);
}

static void tasks_stop_where_the_library_does(void** state) {
    (void)state;
    for (int task = 1; task <= 3; ++task) {
        char name[64];
        (void)snprintf(name, sizeof name, "two_arms/task%d.csv", task);
        const char* file = program_model(name);
        Motion m = open_motion(file);
        const Outcome wanted = by_library(&m);
        const char* const arguments[] = {
            "monitor", program_model("two_arms/testbed.yaml"), "--input", file, "--fast", "--json", NULL};
        int status = -1;
        const Outcome got = by_program(arguments, &status);
        same(&wanted, &got);
        assert_int_equal(status, task == 1 ? 0 : 1);
        close_motion(&m);
    }
}

// One row of --rows against the permit that the library gives.
static void expect_row(const Motion* m, const char* line, int32_t row, const BerthPermit* p) {
    char verdict[8], reason[16], a[64] = "", b[64] = "";
    double time = NAN, distance = NAN, required = NAN;
    int cycle = -1;
    const int read = sscanf(line, "%lf,%d,%7[^,],%15[^,],%63[^,],%63[^,],%lf,%lf", &time, &cycle, verdict,
                            reason, a, b, &distance, &required);
    assert_int_equal(cycle, row);
    assert_true(fabs(time - (double)row * m->safety.period) < 1e-6);
    assert_string_equal(verdict, p->go ? "go" : "stop");
    assert_string_equal(reason, berth_stop_name(p->reason));
    if (p->body_a < 0) {
        assert_int_equal(read, 4);  // empty cells
        return;
    }
    assert_int_equal(read, 8);
    assert_string_equal(a, berth_scene_body_name(m->scene, p->body_a));
    assert_string_equal(b, berth_scene_body_name(m->scene, p->body_b));
    assert_true(fabs(distance - p->distance) < 1e-8 && fabs(required - p->required) < 1e-8);
}

// The rows of a whole task, and of every tenth cycle with those that change something, bounded.
static void a_row_a_cycle(void** state) {
    (void)state;
    const char* task = program_model("two_arms/task2.csv");
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* path = program_temporary("rows.csv");
    Motion m = open_motion(task);
    const Outcome wanted = by_library(&m);

    BerthMonitor* monitor = NULL;
    BerthMonitorDef def = berth_default_monitor_def();
    def.valid_for = 1.5 * m.safety.period;
    def.good_needed = 1;
    assert_int_equal(berth_monitor_create(m.scene, &def, &monitor), BERTH_OK);
    berth_monitor_reset(monitor);

    ProgramRun run =
        program_run("monitor", scene, "--input", task, "--fast", "--quiet", "--rows", path, NULL);
    assert_int_equal(run.status, 1);
    program_free(&run);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    char line[512];
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(strncmp(line, "time,cycle,verdict,reason,a,b,distance,required,", 48), 0);
    for (int32_t row = 0; row < m.rows.row_count; ++row) {
        const double now = (double)row * m.safety.period;
        const double told = m.rows.times[row] - m.rows.times[0];
        const BerthMonitorMessage message = {.sequence = (uint64_t)row + 1,
                                             .stamp = NAN,
                                             .received = told < now ? told : now,
                                             .positions = m.rows.positions + (size_t)row * VALUES,
                                             .velocities = m.rows.velocities + (size_t)row * VALUES,
                                             .count = VALUES};
        BerthPermit permit;
        berth_monitor_receive(monitor, &message);
        berth_monitor_cycle(monitor, now, &permit);
        berth_monitor_seal(monitor, now, &permit);
        assert_true(permit.age >= 0.0 && permit.age < 1e-3);
        assert_non_null(fgets(line, sizeof line, file));
        expect_row(&m, line, row, &permit);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
    berth_monitor_destroy(monitor);

    run = program_run("monitor", scene, "--input", task, "--fast", "--quiet", "--json", "--rows", path,
                      "--rows-every", "10", "--rows-most", "12", NULL);
    // 15 tens and the cycle of the first STOP, unless that is one of them; twelve are written.
    char left_out[40];
    (void)snprintf(left_out, sizeof left_out, "\"rows_left_out\": %d", wanted.first_stop % 10 == 0 ? 3 : 4);
    assert_non_null(strstr(run.out, left_out));
    assert_non_null(strstr(run.out, "\"a\": null, \"b\": null, \"distance\": null"));
    program_free(&run);
    file = fopen(path, "r");
    assert_non_null(file);
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        lines += 1;
    }
    fclose(file);
    assert_int_equal(lines, 13);

    run = program_run("monitor", scene, "--input", task, "--fast", "--quiet", "--rows", "/dev/full", NULL);
    assert_int_equal(run.status, 4);
    assert_non_null(strstr(run.err, "--rows /dev/full"));
    program_free(&run);
    close_motion(&m);
}

// A joint that sits a little beyond its limit: by default, with none, and with more.
static void joints_on_their_limits(void** state) {
    (void)state;
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* path = program_temporary("limit.csv");
    assert_true(program_write_text(path, "left/joint7\n3.0009\n3.0009\n3.0009\n"));
    static const char* const given[] = {"0.001,0.0001", "0,0", "0.0008,1", "0.002,0"};
    static const bool stops[] = {false, true, true, false};
    for (int i = 0; i < 4; ++i) {
        ProgramRun run = program_run("monitor", scene, "--input", path, "--fast", "--quiet", "--json",
                                     "--limit-tolerance", given[i], NULL);
        assert_int_equal(strstr(run.out, "\"reason\": \"limit\"") != NULL, stops[i]);
        program_free(&run);
    }
    ProgramRun run = program_run("monitor", scene, "--input", path, "--fast", "--quiet", "--json", NULL);
    assert_null(strstr(run.out, "\"reason\": \"limit\""));
    program_free(&run);
    run = program_run("monitor", scene, "--input", path, "--fast", "--limit-tolerance", "0.001", NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "expected RAD,M"));
    program_free(&run);
}

// Slack and the window of late numbers are the user's.
static void slack_is_given(void** state) {
    (void)state;
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* path = program_temporary("jump.csv");
    assert_true(program_write_text(path, "left/joint7\n0\n0\n0.5\n0.5\n"));
    ProgramRun run = program_run("monitor", scene, "--input", path, "--fast", "--quiet", "--json", NULL);
    assert_non_null(strstr(run.out, "\"reason\": \"jump\""));
    program_free(&run);
    run = program_run("monitor", scene, "--input", path, "--fast", "--quiet", "--json", "--jump-slack", "0.6",
                      "--reorder", "0", NULL);
    assert_null(strstr(run.out, "\"reason\": \"jump\""));
    program_free(&run);
}

// Rows are the same but for their last column, the time that a cycle took.
static int compare_rows(const char* a, const char* b) {
    FILE *fa = fopen(a, "r"), *fb = fopen(b, "r");
    assert_true(fa != NULL && fb != NULL);
    char la[1000], lb[1000];
    int count = 0;

    while (fgets(la, sizeof la, fa) != NULL) {
        assert_non_null(fgets(lb, sizeof lb, fb));
        *strrchr(la, ',') = *strrchr(lb, ',') = '\0';
        assert_string_equal(la, lb);
        count += 1;
    }

    assert_null(fgets(lb, sizeof lb, fb));
    (void)fclose(fa);
    (void)fclose(fb);
    return count;
}

static void every_index_gives_the_same_permits(void** state) {
    (void)state;
    static const char* const kinds[] = {"octree", "list", "grid", "region"};
    const char* rows[4];
    for (int i = 0; i < 4; ++i) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s.csv", kinds[i]);
        rows[i] = program_temporary(name);
        ProgramRun run = program_run("monitor", program_model("two_arms/testbed.yaml"), "--input",
                                     program_model("two_arms/task2.csv"), "--fast", "--quiet", "--index",
                                     kinds[i], "--rows", rows[i], NULL);
        assert_true(run.status == 0 || run.status == 1 || run.status == 3);
        program_free(&run);
    }

    for (int i = 1; i < 4; ++i) {
        assert_true(compare_rows(rows[0], rows[i]) > 100);
    }

    ProgramRun run =
        program_run("monitor", program_model("two_arms/testbed.yaml"), "--explain", "--index", "tree", NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "expected octree, list, grid or region"));
    program_free(&run);
}

// The same rows as messages in JSON, from two sources in another order of joints.
static void recorded_messages_come_to_the_same(void** state) {
    (void)state;
    Motion m = open_motion(program_model("two_arms/task2.csv"));
    const Outcome wanted = by_library(&m);
    const char* path = program_temporary("task2.jsonl");
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    static BerthWireMessage w;
    static char text[BERTH_WIRE_SIZE];
    for (int32_t row = 0; row < m.rows.row_count; ++row) {
        for (int source = 0; source < 2; ++source) {
            memset(&w, 0, sizeof w);
            w.kind = BERTH_WIRE_STATE;
            w.stream = 5;
            w.sequence = (uint64_t)row + 1;
            w.stamp = 100.0 + m.rows.times[row];
            (void)snprintf(w.name, sizeof w.name, "%s", source == 0 ? "l" : "r");
            w.count = 7;
            w.has_velocities = true;
            for (int i = 0; i < 7; ++i) {
                const size_t at = (size_t)row * VALUES + (size_t)(source == 0 ? 6 - i : 7 + i);
                w.positions[i] = m.rows.positions[at];
                w.velocities[i] = m.rows.velocities[at];
            }
            const size_t size = berth_wire_write_json(&w, text, sizeof text);
            assert_true(size > 0);
            fprintf(file, "%.*s\n", (int)size, text);
        }
    }
    fclose(file);
    const char* const arguments[] = {
        "monitor",  program_model("two_arms/testbed.yaml"),
        "--input",  path,
        "--fast",   "--json",
        "--source", "l=left/joint7,left/joint6,left/joint5,left/joint4,left/joint3,left/joint2,left/joint1",
        "--source", "r=right",
        NULL};
    int status = -1;
    const Outcome got = by_program(arguments, &status);
    assert_int_equal(status, 1);
    // Stamps are not exactly the rows' times, so ages and buffers differ by rounding.
    assert_int_equal(got.permits, wanted.permits);
    assert_int_equal(got.first_stop, wanted.first_stop);
    assert_true(fabs(got.required - wanted.required) < 1e-9 && got.distance == wanted.distance);
    close_motion(&m);
}

// Rows a tenth of a second apart are silence to a guard that wants one every 45 ms; on the line between them they are not.
static void sparse_rows_are_silence(void** state) {
    (void)state;
    const char* path = program_temporary("sparse.csv");
    assert_true(program_write_text(path, "time,left/joint1\n0,0\n0.1,0.001\n0.2,0.002\n0.3,0.003\n"));
    const char* scene = program_model("two_arms/testbed.yaml");
    ProgramRun run = program_run("monitor", scene, "--input", path, "--fast", "--differences", NULL);
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.out, "STOP late from state"));
    assert_non_null(strstr(run.err, "13 of 14 values are missing"));
    program_free(&run);
    run = program_run("monitor", scene, "--input", path, "--fast", "--interpolate", "--differences",
                      "--quiet", "--json", NULL);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    program_free(&run);
    run = program_run("monitor", scene, "--input", path, "--fast", "--differences", "--auto-start", NULL);
    assert_int_equal(run.status, 3);
    char* first = strstr(run.out, "GO");
    assert_non_null(first != NULL ? strstr(first + 1, "GO") : NULL);  // it went on after the first STOP
    program_free(&run);
}

// A motion of few rows with velocities, as `berth plan --timed` writes them. Between rows the message had been on a line, with the
// speed of the row to come: 0 while the joint was still slowing down, which is a jump.
static void rows_with_velocities_are_followed_on_their_curves(void** state) {
    (void)state;
    const char* path = program_temporary("curves.csv");
    assert_true(program_write_text(path,
                                   "time,left/joint7,left/joint7:velocity\n0,0,0\n0.5,0.0625,0.25\n"
                                   "2.5,0.5625,0.25\n3,0.625,0\n"));
    ProgramRun run = program_run("monitor", program_model("two_arms/testbed.yaml"), "--input", path, "--fast",
                                 "--interpolate", "--quiet", "--json", NULL);
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "jump"));
    assert_non_null(strstr(run.out, "\"permits\": 101"));  // of 30 ms each, the last at 3 s
    program_free(&run);

    assert_true(program_write_text(path, "left/joint7,left/joint7:velocity\n0,0\n0.0625,0.25\n"));
    run = program_run("monitor", program_model("two_arms/testbed.yaml"), "--input", path, "--fast",
                      "--interpolate", NULL);
    assert_int_equal(run.status, 2);  // curves need times
    assert_non_null(strstr(run.err, "time"));
    program_free(&run);
}

static void moving_objects_must_be_heard(void** state) {
    (void)state;
    const char* scene =
        guarded_scene(0.01, 0.05,
                      "objects:\n  - {name: cart, sphere: {radius: 0.1}, pose: {xyz: [9, 0, 0]}, "
                      "moving: {speed: 0.5}}\n");
    const char* path = program_temporary("still.csv");
    assert_true(program_write_text(path, "left/joint1\n0\n0\n0\n0\n0\n0\n"));
    ProgramRun run = program_run("monitor", scene, "--input", path, "--fast", "--quiet", "--json", NULL);
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.out, "\"reason\": \"object\""));
    program_free(&run);
    run = program_run("monitor", scene, "--input", path, "--fast", "--quiet", "--json", "--objects-stand",
                      NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "\"permits\": 6"));
    program_free(&run);
}

// The first of many slides goes at 0.9 m/s towards a post 50 mm away; the others stand.
static const char* write_comb(int joints, const char** scene) {
    char *urdf = NULL, *yaml = NULL, *rows = NULL;
    size_t sizes[3];
    FILE* robot = open_memstream(&urdf, &sizes[0]);
    FILE* cell = open_memstream(&yaml, &sizes[1]);
    FILE* motion = open_memstream(&rows, &sizes[2]);
    assert_true(robot != NULL && cell != NULL && motion != NULL);

    fputs("<robot name=\"comb\"><link name=\"base\"/>", robot);
    fputs("berth: 1\nrobots:\n  - name: comb\n    urdf: comb.urdf\n    limits: {", cell);
    for (int i = 0; i < joints; ++i) {
        static const char ball[] = "<collision><geometry><sphere radius=\"0.01\"/></geometry></collision>";
        fprintf(robot,
                "<link name=\"l%d\">%s</link><joint name=\"j%d\" type=\"prismatic\"><parent link=\"base\"/>"
                "<child link=\"l%d\"/><axis xyz=\"1 0 0\"/><limit lower=\"-5\" upper=\"5\" velocity=\"1\" "
                "effort=\"1\"/></joint>",
                i, i == 0 ? ball : "", i, i);
        fprintf(cell, "%sj%d: {velocity: 1, acceleration: 4, deceleration: 8}", i > 0 ? ", " : "", i);
        fprintf(motion, "j%d,j%d:velocity%s", i, i, i + 1 < joints ? "," : "\n");
    }
    fputs("</robot>\n", robot);
    fputs(
        "}\nobjects:\n  - {name: post, box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [2, 0, 0]}}\nsafety: "
        "{period: "
        "0.001, latency: 0.001, reaction: 0.004, silence: 0.01, margin: 0.01}\n",
        cell);
    for (int row = 0; row < 5; ++row) {
        for (int i = 0; i < joints; ++i) {
            fprintf(motion, "%s%s", i == 0 ? "1.89,0.9" : "0,0", i + 1 < joints ? "," : "\n");
        }
    }

    assert_true(fclose(robot) == 0 && fclose(cell) == 0 && fclose(motion) == 0);
    const char* path = program_temporary("comb.csv");
    *scene = program_temporary("comb.yaml");
    assert_true(program_write_text(program_temporary("comb.urdf"), urdf) &&
                program_write_text(*scene, yaml) && program_write_text(path, rows));
    free(urdf);
    free(yaml);
    free(rows);
    return path;
}

// A source of 600 values, told by a file. They were gathered in the room of a message, which has 512: the last positions were
// written over the first velocities, the slide that moved at 0.9 m/s seemed to stand, and with 50 mm left of the 73 mm that are
// required it was GO.
static void a_source_of_more_values_than_a_message(void** state) {
    (void)state;
    const char* scene = NULL;
    const char* rows = write_comb(600, &scene);
    const char* const alone[] = {"monitor", scene, "--input", rows, "--fast", "--quiet", "--json", NULL};
    const char* const named[] = {"monitor", scene,    "--input",  rows,     "--fast",
                                 "--quiet", "--json", "--source", "s=comb", NULL};
    int status[2];
    const Outcome a = by_program(alone, &status[0]), b = by_program(named, &status[1]);
    assert_true(status[0] == 1 && status[1] == 1);
    assert_true(a.near == 5 && a.permits == 0 && a.distance < 0.0501 && a.required > 0.07);
    same(&a, &b);
}

static void the_same_bytes_twice(void** state) {
    (void)state;
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* task = program_model("two_arms/task3.csv");
    const char* log = program_temporary("log");
    ProgramRun one = program_run("monitor", scene, "--input", task, "--fast", "--json", NULL);
    ProgramRun two = program_run("monitor", scene, "--input", task, "--fast", "--json", "--log", log, NULL);
    // All but the page faults, which are the machine's.
    char* cut_one = strstr(one.out, "\"page_faults\"");
    char* cut_two = strstr(two.out, "\"page_faults\"");
    assert_non_null(cut_one);
    assert_non_null(cut_two);
    *cut_one = *cut_two = '\0';
    assert_string_equal(one.out, two.out);
    program_free(&one);
    program_free(&two);
}

static void explains_every_number(void** state) {
    (void)state;
    const char* scene =
        guarded_scene(0.004, 0.02,
                      "objects:\n  - {name: worker, sphere: {radius: 0.3}, pose: {xyz: [9, 0, 0]}, "
                      "person: {speed: 1.6, intrusion: 0.2, uncertainty: 0.1}}\n");
    ProgramRun run =
        program_run("monitor", scene, "--explain", "--json", "--robot-uncertainty", "0.05", NULL);
    assert_int_equal(run.status, 0);
    json_t* line = program_json_line(&run, 0);
    assert_non_null(line);
    assert_true(program_says_its_conditions(line));
    const double fresh = 0.01 + 0.004 + 0.006 + 0.01;
    assert_true(fabs(number_of(line, "horizon_fresh") - fresh) < 1e-12);
    assert_true(fabs(number_of(line, "horizon_silent") - fresh - 0.02) < 1e-12);
    assert_int_equal(json_array_size(json_object_get(line, "joints")), VALUES);
    double cost = 0.0;
    for (size_t i = 0; i < json_array_size(json_object_get(line, "bodies")); ++i) {
        const json_t* body = json_array_get(json_object_get(line, "bodies"), i);
        assert_true(number_of(body, "rest") <= number_of(body, "fastest"));
        assert_true(number_of(body, "fastest") <= number_of(body, "silent"));
        if (strcmp(json_string_value(json_object_get(body, "body")), "worker") != 0) {
            cost = fmax(cost, (number_of(body, "silent") - number_of(body, "fastest")) / 0.02);
        }
    }
    assert_true(cost > 0.0 && fabs(number_of(line, "silence_mm_per_ms") - cost) < 1e-9 * cost);
    const json_t* person = json_array_get(json_object_get(line, "persons"), 0);
    const char* const terms[] = {"S_h", "S_r", "S_s", "C", "Z_d", "Z_r"};
    double sum = 0.0;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; ++i) {
        sum += number_of(person, terms[i]);
    }
    assert_true(fabs(number_of(person, "S") - sum) < 1e-9);
    assert_true(number_of(person, "Z_r") == 0.05 && number_of(person, "Z_d") == 0.1 &&
                number_of(person, "C") == 0.2);
    json_decref(line);
    program_free(&run);
    run = program_run("monitor", scene, "--explain", NULL);
    assert_int_equal(run.status, 2);  // a term is missing
    assert_non_null(strstr(run.err, "--robot-uncertainty"));
    program_free(&run);
    run = program_run("monitor", scene, "--explain", "--robot-uncertainty", "0", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "A millisecond of silence costs"));
    program_free(&run);
}

static void wrong_requests(void** state) {
    (void)state;
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* task = program_model("two_arms/task2.csv");
    const char* bad_record = program_temporary("bad.jsonl");
    assert_true(program_write_text(bad_record, "{\"berth\":1}\n"));
    const char* folder = program_temporary("folder");
    assert_int_equal(mkdir(folder, 0777), 0);
    const char* const requests[][9] = {
        {"monitor", NULL},
        {"monitor", scene, NULL},
        {"monitor", scene, "more.yaml", "--input", task, NULL},
        {"monitor", scene, "--input", "nothing.csv", "--fast", NULL},
        {"monitor", scene, "--input", bad_record, "--fast", NULL},
        {"monitor", scene, "--input", "udp:127.0.0.1", "--not-real-time", NULL},
        {"monitor", scene, "--input", "udp:example.org:7400", "--not-real-time", NULL},
        {"monitor", scene, "--input", "udp:0.0.0.0:0", "--not-real-time", NULL},
        {"monitor", scene, "--input", "udp:127.0.0.1:0", "--fast", NULL},
        {"monitor", scene, "--input", "udp:127.0.0.1:0", "--auto-start", NULL},
        {"monitor", scene, "--input", task, "--fast", "--output", "tcp:127.0.0.1:1", NULL},
        {"monitor", scene, "--input", task, "--fast", "--from", "127.0.0.1", NULL},
        {"monitor", scene, "--input", task, "--fast", "--source", "left", NULL},
        {"monitor", scene, "--input", task, "--fast", "--source", "a=left", NULL},
        {"monitor", scene, "--input", task, "--fast", "--source", "a=nobody", NULL},
        {"monitor", scene, "--input", task, "--fast", "--cloud", "a=points:10", NULL},
        {"monitor", scene, "--input", task, "--fast", "--choice", "a=on:nothing", NULL},
        {"monitor", scene, "--input", task, "--fast", "--test-delay", "5", NULL},
        {"monitor", scene, "--input", task, "--fast", "--test-fault", "flood@3", NULL},
        {"monitor", scene, "--input", task, "--fast", "--bench", "1", NULL},
        {"monitor", program_model("room/cell.yaml"), "--input", task, "--fast", NULL},
        {"monitor", scene, "--input", task, "--fast", "--log", program_temporary("no/log"), NULL},
        {"monitor", scene, "--input", task, "--fast", "--log", folder, NULL},
        {"monitor", scene, "--input", task, "--fast", "--stats", program_temporary("no/stats"), NULL},
        {"monitor", scene, "--input", task, "--fast", "--stats", folder, NULL},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; ++i) {
        ProgramRun run = program_run_list(requests[i]);
        if (run.status != 2 || run.out_size != 0 || strchr(run.err, '\n') != strrchr(run.err, '\n') ||
            run.err[0] == '\0') {
            fail_msg("request %d: status %d, out '%s', err '%s'", (int)i, run.status, run.out, run.err);
        }
        program_free(&run);
    }
    assert_int_equal(rmdir(folder), 0);
}

// Ports wrapped round: 99999 was 34463, -1 was 65535.
static void ports_are_16_bits(void** state) {
    (void)state;
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* task = program_model("two_arms/task2.csv");
    const char* const live = "udp:127.0.0.1:0";
    const char* const requests[][9] = {
        {"monitor", scene, "--not-real-time", "--input", "udp:127.0.0.1:99999", NULL},
        {"monitor", scene, "--not-real-time", "--input", "udp:127.0.0.1:65536", NULL},
        {"monitor", scene, "--not-real-time", "--input", "udp:[::1]:4294967296123456789123", NULL},
        {"monitor", scene, "--not-real-time", "--input", "udp:127.0.0.1:-1", NULL},
        {"monitor", scene, "--not-real-time", "--input", live, "--from", "127.0.0.1:99999", NULL},
        {"monitor", scene, "--input", task, "--fast", "--output", "udp:127.0.0.1:99999", NULL},
        {"monitor", scene, "--input", task, "--fast", "--output", "json:127.0.0.1:70000", NULL},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; ++i) {
        const char* const* last = requests[i];
        while (last[1] != NULL) {
            ++last;
        }
        ProgramRun run = program_run_list(requests[i]);
        if (run.status != 2 || run.out_size != 0 || strstr(run.err, "0 to 65535") == NULL ||
            strstr(run.err, strrchr(*last, ':') + 1) == NULL) {
            fail_msg("request %d: status %d, out '%s', err '%s'", (int)i, run.status, run.out, run.err);
        }
        program_free(&run);
    }
    ProgramRun run = program_run("monitor", scene, "--input", task, "--fast", "--quiet", "--output",
                                 "udp:127.0.0.1:65535", NULL);
    assert_int_not_equal(run.status, 2);
    program_free(&run);
}

int test_guard_replay(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_stop_where_the_library_does),
        cmocka_unit_test(a_row_a_cycle),
        cmocka_unit_test(joints_on_their_limits),
        cmocka_unit_test(slack_is_given),
        cmocka_unit_test(recorded_messages_come_to_the_same),
        cmocka_unit_test(sparse_rows_are_silence),
        cmocka_unit_test(rows_with_velocities_are_followed_on_their_curves),
        cmocka_unit_test(moving_objects_must_be_heard),
        cmocka_unit_test(a_source_of_more_values_than_a_message),
        cmocka_unit_test(the_same_bytes_twice),
        cmocka_unit_test(every_index_gives_the_same_permits),
        cmocka_unit_test(explains_every_number),
        cmocka_unit_test(wrong_requests),
        cmocka_unit_test(ports_are_16_bits),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
