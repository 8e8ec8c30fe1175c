// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth view: what the page is told is what the commands answer about the same input, member by member: states, paths, plans,
// contacts, balls in maps; what it draws is there and where it is; what it exports reads back.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/expect.h"
#include "support/page.h"
#include "support/setting.h"
#include "support/slider.h"

#define START(...) page_start((const char* const[]){__VA_ARGS__, NULL})

static json_t* scene_of(const PageServer* server) {
    char* text = page_body(server, "/scene.json", NULL);
    assert_non_null(text);
    json_t* scene = json_loads(text, 0, NULL);
    assert_non_null(scene);
    free(text);
    return scene;
}

static int open_socket(const PageServer* server) {
    const int fd = page_socket(server, server->token, NULL);
    assert_true(fd >= 0);
    return fd;
}

static void stop(PageServer* server, int fd) {
    (void)close(fd);
    assert_int_equal(page_stop(server), 130);
}

static json_t* array_of(const double* values, size_t count) {
    json_t* array = json_array();
    for (size_t i = 0; i < count; ++i) {
        (void)json_array_append_new(array, json_real(values[i]));
    }
    return array;
}

static json_t* first_values(const json_t* scene) {
    json_t* array = json_array();
    const json_t* values = json_object_get(scene, "values");
    for (size_t i = 0; i < json_array_size(values); ++i) {
        (void)json_array_append(array, json_object_get(json_array_get(values, i), "value"));
    }
    return array;
}

static json_t* with_values(json_t* values) {
    return json_pack("{s:o}", "values", values);
}

static json_t* command_json(const char* const* arguments) {
    ProgramRun run = program_run_list(arguments);
    json_t* answer = run.status >= 0 && run.status <= 3 ? program_json_line(&run, 0) : NULL;
    if (answer == NULL) {
        fail_msg("berth %s: exit status %d: %s", arguments[0], run.status, run.err);
    }
    program_free(&run);
    return answer;
}
#define COMMAND(...) command_json((const char* const[]){__VA_ARGS__, NULL})

// Members of the command's answer that the page must have, the same; but for those that are named.
static void expect_members(const json_t* page, const json_t* command, const char* const* less) {
    const char* key = NULL;
    json_t* value = NULL;
    json_object_foreach((json_t*)(uintptr_t)command, key, value) {
        bool left_out = false;
        for (int i = 0; less[i] != NULL; ++i) {
            left_out |= strcmp(less[i], key) == 0;
        }
        if (!left_out && !json_equal(json_object_get(page, key), value)) {
            char* a = json_dumps(json_object_get(page, key), JSON_ENCODE_ANY);
            char* b = json_dumps(value, JSON_ENCODE_ANY);
            fail_msg("%s: the page is told %.300s, the command says %.300s", key, a != NULL ? a : "nothing",
                     b);
        }
    }
}
#define EXPECT_MEMBERS(page, command, ...) \
    expect_members(page, command, (const char* const[]){__VA_ARGS__, NULL})

// ---- what is drawn -------------------------------------------------------------------------------------------------

static void check_shapes(const json_t* scene, size_t bytes) {
    const json_t* parts = json_object_get(scene, "parts");
    const json_t* geometry = json_object_get(scene, "geometry");
    const json_int_t vertices = json_integer_value(json_object_get(geometry, "vertices"));
    const json_int_t indices = json_integer_value(json_object_get(geometry, "indices"));
    assert_int_equal(bytes, 12 * vertices + 4 * indices);

    json_int_t seen_vertices = 0, seen_indices = 0;
    for (size_t i = 0; i < json_array_size(parts); ++i) {
        const json_t* part = json_array_get(parts, i);
        const json_t* shape = json_object_get(part, "shape");
        const json_int_t body = json_integer_value(json_object_get(part, "body"));
        assert_true(body >= 0 && (size_t)body < json_array_size(json_object_get(scene, "bodies")));
        assert_int_equal(json_array_size(json_object_get(part, "pose")), 12);
        seen_vertices += json_integer_value(json_object_get(shape, "vertex_count")) +
                         json_integer_value(json_object_get(shape, "count"));
        seen_indices += json_integer_value(json_object_get(shape, "index_count"));
    }
    assert_int_equal(seen_vertices, vertices);
    assert_int_equal(seen_indices, indices);
}

static void scenes_are_told(void** state) {
    (void)state;
    static const char* const models[] = {"two_arms/cell.yaml", "room/cell.yaml", "machine/cell.yaml",
                                         "humanoid23/humanoid23.urdf"};
    for (size_t m = 0; m < sizeof models / sizeof models[0]; ++m) {
        const char* file = program_model(models[m]);
        if (access(file, R_OK) != 0) {
            continue;
        }
        PageServer server = START(file);
        json_t* scene = scene_of(&server);
        json_t* command = COMMAND("check", file, "--json");
        size_t bytes = 0;
        char* geometry = page_body(&server, "/geometry.bin", &bytes);
        assert_non_null(geometry);

        check_shapes(scene, bytes);
        EXPECT_MEMBERS(scene, command, "state", "verdict", "hits", "reason", "a", "b");
        assert_true(json_array_size(json_object_get(scene, "values")) > 0);
        free(geometry);
        json_decref(command);
        json_decref(scene);
        assert_int_equal(page_stop(&server), 130);
    }
}

// ---- states --------------------------------------------------------------------------------------------------------

enum { VALUES_MOST = 64 };

static BerthScene* read_scene(const char* file) {
    BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    assert_int_equal(berth_io_read_scene(file, &options, &scene), BERTH_OK);
    return scene;
}

// What a page asks while something is dragged: the same answer, but for the list of near pairs.
static void check_quick(int fd, const double* values, size_t count, const json_t* whole) {
    json_t* fields = with_values(array_of(values, count));
    assert_int_equal(json_object_set_new(fields, "quick", json_true()), 0);
    json_t* quick = page_ask(fd, "state", fields);
    assert_null(json_object_get(quick, "near"));
    assert_true(json_equal(json_object_get(quick, "verdict"), json_object_get(whole, "verdict")));
    assert_int_equal(json_array_size(json_object_get(quick, "hits")),
                     json_array_size(json_object_get(whole, "hits")));
    assert_true(json_equal(json_object_get(quick, "poses"), json_object_get(whole, "poses")));

    const json_t* one = json_object_get(quick, "clearance");
    const json_t* other = json_object_get(whole, "clearance");
    assert_int_equal(json_is_object(one), json_is_object(other));
    const double gap = json_number_value(json_object_get(one, "lower"));
    assert_true(fabs(gap - json_number_value(json_object_get(other, "lower"))) < 1e-9);
    json_decref(quick);
}

// Random states, by the page and by berth check.
static void states_are_what_check_says(void** state) {
    (void)state;
    const char* file = program_model("two_arms/cell.yaml");
    const char* rows = program_temporary("states.csv");
    const int count = test_scaled(60);
    BerthScene* scene = read_scene(file);
    const size_t values = (size_t)berth_scene_value_count(scene);
    double* states = calloc((size_t)count * values, sizeof *states);
    assert_non_null(states);
    program_random_states(scene, 5, count, states);
    assert_true(program_write_csv(rows, scene, states, count));

    ProgramRun run = program_run("check", file, "--states", rows, "--distance", "--all", "--json", NULL);
    PageServer server = START(file);
    const int fd = open_socket(&server);
    int collisions = 0;
    for (int i = 0; i < count; ++i) {
        json_t* command = program_json_line(&run, i);
        json_t* page = page_ask(fd, "state", with_values(array_of(states + (size_t)i * values, values)));
        assert_non_null(command);
        EXPECT_MEMBERS(page, command, "state", "pairs");
        collisions += strcmp(json_string_value(json_object_get(page, "verdict")), "collision") == 0;

        const json_t* near = json_object_get(page, "near");
        const json_t* pairs = json_object_get(command, "pairs");
        for (size_t k = 0; k < 8 && k < json_array_size(pairs); ++k) {
            assert_true(json_equal(json_array_get(near, k), json_array_get(pairs, k)));
        }
        assert_int_equal(json_array_size(json_object_get(page, "poses")), 12 * berth_scene_body_count(scene));
        check_quick(fd, states + (size_t)i * values, values, page);
        json_decref(command);
        json_decref(page);
    }

    assert_true(collisions > 0 && (collisions < count || count < 10));
    program_free(&run);
    stop(&server, fd);
    free(states);
    berth_scene_destroy(scene);
}

// Where the page has a body is where the robot's own kinematics has it.
static void bodies_are_where_they_are(void** state) {
    (void)state;
    const char* file = program_model("two_arms/cell.yaml");
    BerthScene* scene = read_scene(file);
    const size_t count = (size_t)berth_scene_value_count(scene);
    double values[VALUES_MOST];
    program_random_states(scene, 11, 1, values);
    PageServer server = START(file);
    const int fd = open_socket(&server);
    json_t* page = page_ask(fd, "state", with_values(array_of(values, count)));
    const json_t* poses = json_object_get(page, "poses");

    const double* first = values;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        BerthPose base, links[VALUES_MOST];
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, &base);
        berth_robot_link_poses(robot, &base, first, links);
        first += berth_robot_value_count(robot);
        for (int32_t i = 0; i < berth_scene_body_count(scene); ++i) {
            const BerthBodyInfo body = berth_scene_body(scene, i);
            if (body.robot == r && body.object.age == 0) {
                const BerthPose* pose = &links[body.link];
                assert_true(json_number_value(json_array_get(poses, (size_t)(12 * i + 3))) == pose->t.x);
                assert_true(json_number_value(json_array_get(poses, (size_t)(12 * i + 4))) == pose->x.y);
                assert_true(json_number_value(json_array_get(poses, (size_t)(12 * i + 11))) == pose->t.z);
            }
        }
    }
    json_decref(page);
    stop(&server, fd);
    berth_scene_destroy(scene);
}

// ---- a ball on two slides, and a wall ------------------------------------------------------------------------------

static const char scene_text[] =
    "berth: 1\nrobots:\n  - urdf: slider.urdf\n    state: {x: -1, y: -1}\n"
    "objects:\n  - {name: wall, box: {size: [0.2, 4, 1]}, pose: {xyz: [0, -0.8, 0]}}\n"
    "  - {name: stone, box: {size: [0.2, 0.2, 0.2]}, pose: {xyz: [1.5, 1.5, 0]}, mass: 1}\n";

static const char* slider_scene(void) {
    const char* scene = program_temporary("slider.yaml");
    assert_true(program_write_text(program_temporary("slider.urdf"), SLIDER_URDF));
    assert_true(program_write_text(scene, scene_text));
    return scene;
}

static json_t* two(double x, double y) {
    return json_pack("[f, f]", x, y);
}

static json_t* pose_at(double x, double y, double z) {
    return json_pack("[f,f,f,f,f,f,f,f,f,f,f,f]", 1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z);
}

// The verdict of the page changes exactly where that of berth check does: at x = -0.2, to the last bits.
static void verdict_changes_where_check_says(void** state) {
    (void)state;
    const char* file = slider_scene();
    PageServer server = START(file);
    const int fd = open_socket(&server);
    double apart = -1.0, touching = 0.0;
    for (int i = 0; i < 60; ++i) {
        const double x = 0.5 * (apart + touching);
        json_t* page = page_ask(fd, "state", with_values(two(x, -1.0)));
        const bool is_free = strcmp(json_string_value(json_object_get(page, "verdict")), "free") == 0;
        *(is_free ? &apart : &touching) = x;
        json_decref(page);
    }
    stop(&server, fd);

    const double ends[2] = {apart, touching};
    assert_true(fabs(apart + 0.2) < 1e-9 && fabs(touching + 0.2) < 1e-9);
    for (int i = 0; i < 2; ++i) {
        char at[64];
        (void)snprintf(at, sizeof at, "x=%.17g,y=-1", ends[i]);
        json_t* command = COMMAND("check", file, "--at", at, "--json");
        const char* verdict = json_string_value(json_object_get(command, "verdict"));
        assert_int_equal(strcmp(verdict, "free") == 0, i == 0);
        json_decref(command);
    }
}

static void check_path(const char* file, const char* rows, const char* verdict) {
    PageServer server = START(file, "--trajectory", rows);
    const int fd = open_socket(&server);
    json_t* command = COMMAND("path", file, rows, "--all", "--first-contact", "--json");
    json_t* page = page_ask(fd, "path", NULL);
    assert_string_equal(json_string_value(json_object_get(page, "verdict")), verdict);
    EXPECT_MEMBERS(page, command, "segments", "stats");
    assert_int_equal(json_array_size(json_object_get(page, "segments")),
                     json_integer_value(json_object_get(command, "segments")));

    // The plot is of states on the motion: none is nearer than what is proven of all of it.
    const json_t* profile = json_object_get(page, "profile");
    const double proven = json_number_value(json_object_get(json_object_get(page, "clearance"), "lower"));
    assert_true(json_array_size(profile) > 2);
    for (size_t i = 0; i < json_array_size(profile); ++i) {
        const json_t* point = json_array_get(profile, i);
        assert_true(json_number_value(json_object_get(point, "upper")) >= proven);
        json_t* at = page_ask(fd, "at", json_pack("{s:O}", "t", json_object_get(point, "t")));
        const json_t* clearance = json_object_get(at, "clearance");
        assert_true(json_is_null(clearance) ||
                    json_equal(json_object_get(clearance, "upper"), json_object_get(point, "upper")));
        json_decref(at);
    }
    json_decref(page);
    json_decref(command);
    stop(&server, fd);
}

static void paths_are_what_path_says(void** state) {
    (void)state;
    const char* scene = slider_scene();
    const char* free_rows = program_temporary("free.csv");
    const char* hit_rows = program_temporary("hit.csv");
    assert_true(program_write_text(free_rows, "time,x,y\n0,-1,-1\n1,-1,1.5\n3,1,1.5\n"));
    assert_true(program_write_text(hit_rows, "x,y\n-1,-1\n-1,0\n1,0\n"));
    check_path(scene, free_rows, "free");
    check_path(scene, hit_rows, "collision");
}

static void plans_are_what_plan_says(void** state) {
    (void)state;
    const char* file = slider_scene();
    PageServer server = START(file);
    const int fd = open_socket(&server);
    json_t* command = COMMAND("plan", file, "--from", "x=-1,y=-1", "--to", "x=1,y=-1", "--json");
    json_t* page = page_ask(
        fd, "plan", json_pack("{s:o, s:o, s:i}", "from", two(-1, -1), "to", two(1, -1), "seconds", 10));
    assert_string_equal(json_string_value(json_object_get(page, "verdict")), "found");
    EXPECT_MEMBERS(page, command, "seconds", "stats");
    json_decref(page);
    json_decref(command);

    stop(&server, fd);
}

// A line of a tree is six numbers. The tip is a ball of a slider, at its values: free of the wall, which is x within 0.1 and y
// below 1 (slider.h).
static size_t check_tree(const json_t* lines) {
    assert_true(json_is_array(lines) && json_array_size(lines) % 6 == 0);
    for (size_t i = 0; i < json_array_size(lines); i += 3) {
        const double x = json_number_value(json_array_get(lines, i));
        const double y = json_number_value(json_array_get(lines, i + 1));
        assert_true(fabs(x) <= 2.0 && fabs(y) <= 2.0);
        assert_false(fabs(x) < 0.1 && y < 1.0);
    }
    return json_array_size(lines) / 6;
}

// A plan that ends before its first message tells its trees in the answer; one that takes long, as they grow.
static void trees_of_a_plan_are_told(void** state) {
    (void)state;
    PageServer server = START(slider_scene());
    const int fd = open_socket(&server);
    json_t* page = page_ask(
        fd, "plan", json_pack("{s:o, s:o, s:i}", "from", two(-1, -1), "to", two(1, -1), "seconds", 10));
    const size_t lines = check_tree(json_object_get(page, "tree"));
    assert_true(lines > 0);
    assert_int_equal(json_integer_value(json_object_get(page, "edges")), lines);
    json_decref(page);
    stop(&server, fd);
}

// The planned motion is asked about by its number: halfway, and as a whole. It is the one that was certified.
static void planned_motions_are_asked_about(void** state) {
    (void)state;
    PageServer server = START(slider_scene());
    const int fd = open_socket(&server);
    json_t* plan = page_ask(
        fd, "plan", json_pack("{s:o, s:o, s:i}", "from", two(-1, -1), "to", two(1, -1), "seconds", 10));
    const json_int_t motion = json_integer_value(json_object_get(plan, "motion"));
    const json_t* rows = json_object_get(plan, "path");
    assert_true(motion > 0 && json_array_size(rows) > 2);
    for (size_t row = 0; row + 1 < json_array_size(rows); ++row) {
        json_t* at = page_ask(fd, "at", json_pack("{s:I, s:f}", "motion", motion, "t", (double)row + 0.25));
        assert_string_equal(json_string_value(json_object_get(at, "verdict")), "free");
        for (size_t i = 0; i < 2; ++i) {
            const double a = json_number_value(json_array_get(json_array_get(rows, row), i));
            const double b = json_number_value(json_array_get(json_array_get(rows, row + 1), i));
            const double now = json_number_value(json_array_get(json_object_get(at, "values"), i));
            assert_true(fabs(now - (0.75 * a + 0.25 * b)) < 1e-12);
        }
        json_decref(at);
    }

    json_t* path = page_ask(fd, "path", json_pack("{s:I}", "motion", motion));
    assert_string_equal(json_string_value(json_object_get(path, "verdict")), "free");
    assert_int_equal(json_array_size(json_object_get(path, "segments")), json_array_size(rows) - 1);
    assert_true(json_array_size(json_object_get(path, "profile")) > json_array_size(rows));
    assert_true(json_equal(json_object_get(json_object_get(path, "clearance"), "lower"),
                           json_object_get(json_object_get(plan, "clearance"), "lower")));
    json_decref(path);

    assert_non_null(strstr(page_refused(fd, "at", json_pack("{s:I, s:i}", "motion", motion + 1, "t", 0)),
                           "plan it again"));
    assert_non_null(strstr(page_refused(fd, "path", json_pack("{s:s}", "motion", "first")), "number"));
    assert_non_null(strstr(page_refused(fd, "path", NULL), "--trajectory"));
    json_decref(plan);

    // Older ones are forgotten, sooner or later, and never taken for newer ones.
    for (int i = 0; i < 20; ++i) {
        json_decref(page_ask(
            fd, "plan", json_pack("{s:o, s:o, s:i}", "from", two(-1, -1), "to", two(-1, 1), "seconds", 10)));
    }
    assert_non_null(
        strstr(page_refused(fd, "at", json_pack("{s:I, s:i}", "motion", motion, "t", 0)), "plan it again"));
    stop(&server, fd);
}

// A wall reaches from end to end: there is no way, and a search goes on until it is ended.
static const char* shut_scene(void) {
    const char* file = program_temporary("shut.yaml");
    (void)slider_scene();
    assert_true(program_write_text(file,
                                   "berth: 1\nrobots:\n  - urdf: slider.urdf\n    state: {x: -1, y: -1}\n"
                                   "objects:\n  - {name: wall, box: {size: [0.2, 9, 1]}}\n"
                                   "  - {name: stone, sphere: {radius: 0.1}, pose: {xyz: [-1, 1.5, 0]}}\n"));
    return file;
}

static bool send_long_plan(int fd, int id) {
    char text[160];
    (void)snprintf(text, sizeof text,
                   "{\"id\": %d, \"do\": \"plan\", \"from\": [-1, -1], \"to\": [1, -1], \"seconds\": 600}",
                   id);
    return page_send(fd, text);
}

// The next answer that is whole; what is told in between must be the progress of `id`.
static json_t* next_answer(int fd, int id) {
    for (;;) {
        json_t* message = page_receive(fd);
        assert_non_null(message);
        if (json_object_get(message, "ok") != NULL) {
            return message;
        }
        assert_non_null(json_object_get(message, "progress"));
        assert_int_equal(json_integer_value(json_object_get(message, "id")), id);
        json_decref(message);
    }
}

static void expect_error(json_t* answer, int id, const char* error) {
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), id);
    assert_string_equal(json_string_value(json_object_get(answer, "error")), error);
    json_decref(answer);
}

// While a plan takes minutes states are answered, of its page and of others; what waits behind it can be taken back; an object
// that moves ends it, because it is about a scene that is no more, and other pages are told.
static void states_are_answered_meanwhile(void** state) {
    (void)state;
    PageServer server = START(shut_scene());
    const int fd = open_socket(&server), other = open_socket(&server);
    assert_true(send_long_plan(fd, 7));
    assert_true(send_long_plan(fd, 8));
    assert_true(send_long_plan(fd, 9));
    assert_true(page_send(fd, "{\"id\": 10, \"do\": \"state\", \"values\": [-1, 1]}"));
    json_t* answer = next_answer(fd, 7);
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), 10);
    assert_string_equal(json_string_value(json_object_get(answer, "verdict")), "free");
    json_decref(answer);
    json_decref(page_ask(other, "state", with_values(two(-1, -1))));

    // 8 waits, 7 does not: the one that is named ends.
    assert_true(page_send(fd, "{\"id\": 8, \"do\": \"cancel\"}"));
    expect_error(next_answer(fd, 7), 8, "cancelled");
    assert_true(page_send(fd, "{\"id\": 8, \"do\": \"cancel\"}"));     // nothing any more
    assert_true(page_send(other, "{\"id\": 7, \"do\": \"cancel\"}"));  // nor of another page
    assert_true(page_send(fd, "{\"id\": 11, \"do\": \"state\", \"values\": [-1, 1]}"));
    json_decref(next_answer(fd, 7));
    assert_true(page_send(fd, "{\"id\": 7, \"do\": \"cancel\"}"));
    expect_error(next_answer(fd, 7), 7, "cancelled");

    // The other page moves the stone to where the first one's ball was free.
    json_t* told = page_receive(fd);  // 9 goes on
    assert_int_equal(json_integer_value(json_object_get(told, "id")), 9);
    json_decref(told);
    json_decref(
        page_ask(other, "place", json_pack("{s:s, s:o}", "body", "stone", "pose", pose_at(-1.0, 1.1, 0.0))));
    bool is_told = false, has_ended = false;
    while (!is_told || !has_ended) {
        json_t* message = page_receive(fd);
        assert_non_null(message);
        if (json_object_get(message, "event") != NULL) {
            assert_string_equal(json_string_value(json_object_get(message, "event")), "place");
            assert_string_equal(json_string_value(json_object_get(message, "body")), "stone");
            is_told = true;
        } else if (json_object_get(message, "ok") != NULL) {
            assert_non_null(strstr(json_string_value(json_object_get(message, "error")), "moved"));
            has_ended = true;
        }
        json_decref(message);
    }
    answer = page_ask(fd, "state", with_values(two(-1, 1)));
    assert_string_equal(json_string_value(json_object_get(answer, "verdict")), "collision");
    json_decref(answer);

    // Who moved it is not told of it: the next text is the answer.
    assert_true(page_send(other, "{\"id\": 12, \"do\": \"state\", \"values\": [-1, 1]}"));
    told = page_receive(other);
    assert_int_equal(json_integer_value(json_object_get(told, "id")), 12);
    json_decref(told);
    (void)close(other);
    stop(&server, fd);
}

static void long_work_is_cancelled(void** state) {
    (void)state;
    PageServer server = START(shut_scene());
    const int fd = open_socket(&server);
    assert_true(send_long_plan(fd, 7));

    // It tells how far it is and what grew, and only then is it ended.
    json_t* told = page_receive(fd);
    assert_non_null(json_object_get(told, "progress"));
    const size_t drawn = json_array_size(json_object_get(told, "tree"));
    assert_true(drawn > 0 && drawn % 6 == 0);
    assert_true(json_integer_value(json_object_get(told, "edges")) >= (json_int_t)(drawn / 6));
    json_decref(told);
    assert_true(page_send(fd, "{\"id\": 7, \"do\": \"cancel\"}"));
    for (;;) {
        json_t* answer = page_receive(fd);
        assert_non_null(answer);
        const bool last = json_object_get(answer, "ok") != NULL;
        if (last) {
            assert_string_equal(json_string_value(json_object_get(answer, "error")), "cancelled");
        }
        json_decref(answer);
        if (last) {
            break;
        }
    }
    json_decref(page_ask(fd, "state", with_values(two(-1, -1))));
    stop(&server, fd);
}

// While something moves the page asks quickly: no list of pairs, and all else is what check says.
static void quick_answers_are_the_same(void** state) {
    (void)state;
    const char* file = program_model("kitchen/cell.yaml");
    PageServer server = START(file);
    const int fd = open_socket(&server);
    json_t* scene = scene_of(&server);
    json_t* command = COMMAND("check", file, "--distance", "--all", "--json");
    json_t* page = page_ask(fd, "state", json_pack("{s:o, s:b}", "values", first_values(scene), "quick", 1));
    EXPECT_MEMBERS(page, command, "state", "pairs");
    assert_null(json_object_get(page, "near"));
    json_decref(page);
    json_decref(command);
    json_decref(scene);
    stop(&server, fd);
}

// What a URDF draws is told where it is not what is checked, with its colour; it changes no answer. It comes in a file of its own,
// which is made when somebody asks for it; a file that two links draw is there once, and twice drawn.
static void visuals_are_told(void** state) {
    (void)state;
    const char* file = program_temporary("drawn.urdf");
    assert_true(program_write_text(
        file,
        "<robot name='drawn'><material name='red'><color rgba='1 0 0 0.5'/></material>"
        "<link name='base'><visual><origin xyz='0 0 1'/><geometry><box size='2 2 2'/></geometry><material "
        "name='red'/>"
        "</visual><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        "<link name='arm'><visual><geometry><mesh filename='nowhere.stl'/></geometry></visual>"
        "<visual><geometry><mesh filename='drawn.stl'/></geometry></visual>"
        "<visual><origin xyz='1 0 0'/><geometry><mesh filename='drawn.stl'/></geometry></visual>"
        "<visual><geometry><mesh filename='drawn.stl' scale='2 2 2'/></geometry></visual>"
        "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><origin xyz='0 0 0.5'/>"
        "<axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"));
    assert_true(program_write_text(program_temporary("drawn.stl"),
                                   "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 3 0 "
                                   "0\nvertex 0 4 0\nendloop\nendfacet\n"
                                   "endsolid s\n"));
    PageServer server = START(file, "--quiet");
    json_t* scene = scene_of(&server);
    assert_int_equal(json_array_size(json_object_get(scene, "parts")), 2);
    const json_t* later = json_object_get(scene, "later");
    assert_int_equal(json_array_size(later), 1);
    assert_string_equal(json_string_value(json_array_get(later, 0)), "visual");

    size_t bytes = 0;
    char* text = page_body(&server, "/visual.json", NULL);
    char* geometry = page_body(&server, "/visual.bin", &bytes);
    assert_non_null(text);
    assert_non_null(geometry);
    json_t* sent = json_loads(text, 0, NULL);
    const json_t* parts = json_object_get(sent, "parts");
    assert_int_equal(json_array_size(parts), 4);
    const json_t* drawn = json_array_get(parts, 0);
    assert_string_equal(json_string_value(json_object_get(drawn, "layer")), "visual");
    assert_true(json_number_value(json_array_get(json_object_get(drawn, "pose"), 11)) == 1.0);
    assert_true(json_number_value(json_array_get(json_object_get(drawn, "color"), 3)) == 0.5);

    // Two meshes of three vertices and a triangle each: the file once as it is, once at twice the size.
    assert_int_equal(bytes, 2 * (3 * 12 + 3 * 4));
    const json_t* first = json_object_get(json_array_get(parts, 1), "shape");
    const json_t* second = json_object_get(json_array_get(parts, 2), "shape");
    assert_true(json_equal(first, second));
    const json_int_t at = json_integer_value(
        json_object_get(json_object_get(json_array_get(parts, 3), "shape"), "first_vertex"));
    assert_int_equal(at, 3);
    float corner[3];
    memcpy(corner, geometry + 12 * (at + 1), sizeof corner);
    assert_true(corner[0] == 6.0F || corner[1] == 8.0F || corner[0] == 0.0F);
    json_decref(sent);
    json_decref(scene);
    free(geometry);
    free(text);
    assert_int_equal(page_stop(&server), 130);
}

// A scene that draws what it checks has nothing to fetch.
static void what_is_checked_is_not_told_twice(void** state) {
    (void)state;
    PageServer server = START(slider_scene());
    json_t* scene = scene_of(&server);
    assert_true(json_is_array(json_object_get(scene, "later")));
    assert_int_equal(json_array_size(json_object_get(scene, "later")), 0);
    char* text = page_body(&server, "/visual.json", NULL);
    json_t* sent = text != NULL ? json_loads(text, 0, NULL) : NULL;
    assert_true(json_is_array(json_object_get(sent, "parts")));
    assert_int_equal(json_array_size(json_object_get(sent, "parts")), 0);
    json_decref(sent);
    json_decref(scene);
    free(text);
    assert_int_equal(page_stop(&server), 130);
}

// ---- objects -------------------------------------------------------------------------------------------------------

// An object that was dragged is where the exported scene has it, and the answers are those of berth about that scene.
static void placed_objects_are_exported(void** state) {
    (void)state;
    const char* file = slider_scene();
    const char* exported = program_temporary("exported.yaml");
    PageServer server = START(file);
    const int fd = open_socket(&server);
    json_t* page = page_ask(fd, "state", with_values(two(-1, 1)));
    assert_string_equal(json_string_value(json_object_get(page, "verdict")), "free");
    assert_int_equal(json_array_size(json_object_get(page, "moved")), 0);
    json_decref(page);

    page = page_ask(fd, "place", json_pack("{s:s, s:o}", "body", "stone", "pose", pose_at(-0.85, 1.0, 0.0)));
    assert_string_equal(json_string_value(json_object_get(page, "verdict")), "collision");

    // A page that comes later is told that it was moved.
    const int later = open_socket(&server);
    json_t* state_of_later = page_ask(later, "state", with_values(two(-1, 1)));
    const json_t* moved = json_object_get(state_of_later, "moved");
    json_t* scene = scene_of(&server);
    assert_int_equal(json_array_size(moved), 1);
    const json_t* body = json_array_get(json_object_get(scene, "bodies"),
                                        (size_t)json_integer_value(json_array_get(moved, 0)));
    assert_string_equal(json_string_value(json_object_get(body, "name")), "stone");
    json_decref(scene);
    json_decref(state_of_later);
    (void)close(later);
    json_t* text = page_ask(fd, "export", json_pack("{s:s}", "what", "scene"));
    assert_true(program_write_text(exported, json_string_value(json_object_get(text, "text"))));
    json_t* command = COMMAND("check", exported, "--distance", "--all", "--json");
    EXPECT_MEMBERS(page, command, "state", "pairs");
    json_decref(command);
    json_decref(text);
    json_decref(page);

    // Forces, too.
    page = page_ask(fd, "contact", NULL);
    command = COMMAND("contact", exported, "--json");
    assert_true(json_array_size(json_object_get(page, "contacts")) > 0);
    EXPECT_MEMBERS(page, command, "none");
    json_decref(command);
    json_decref(page);

    text = page_ask(fd, "export", json_pack("{s:s}", "what", "csv"));
    assert_string_equal(json_string_value(json_object_get(text, "text")), "x,y\n-1,1\n");
    json_decref(text);
    stop(&server, fd);
}

// A scene with a map of the plane of 6 x 5 cells, two of them occupied, with walls from 0.2 to 0.9. The map's own file too.
static const char* planar_scene(const char** map_file) {
    const char* map = program_temporary("plane.yaml");
    const char* file = program_temporary("planar.yaml");
    *map_file = map;
    assert_true(program_write_text(
        program_temporary("plane.pgm"),
        "P2\n6 5\n255\n254 254 254 254 254 254\n254 0 254 254 254 254\n254 254 254 254 0 254\n"
        "254 254 254 254 254 254\n254 254 254 254 254 254\n"));
    assert_true(program_write_text(map,
                                   "image: plane.pgm\nresolution: 0.2\norigin: [0.1, -0.3, 0]\nnegate: 0\n"
                                   "occupied_thresh: 0.65\nfree_thresh: 0.196\n"));
    (void)slider_scene();
    assert_true(program_write_text(
        file,
        "berth: 1\nrobots:\n  - {urdf: slider.urdf, base: {xyz: [9, 9, 9]}}\nobjects:\n"
        "  - {name: floor, map: {file: plane.yaml, height: [0.2, 0.9], outside: free}}\n"));
    return file;
}

// What the page is told now, and what berth check says about the scene that it exports, written to `file`.
static void expect_exported(int fd, const char* file, json_t* page) {
    json_t* text = page_ask(fd, "export", json_pack("{s:s}", "what", "scene"));
    assert_true(program_write_text(file, json_string_value(json_object_get(text, "text"))));
    json_t* command = COMMAND("check", file, "--distance", "--all", "--json");
    EXPECT_MEMBERS(page, command, "state", "pairs");
    json_decref(command);
    json_decref(text);
    json_decref(page);
}

// URDF, SRDF and a package's mesh lie in three folders, all named relative to where the program was started: the exported scene
// beside the URDF finds them.
static void bare_robots_are_exported(void** state) {
    (void)state;
    char home[4096], there[4096];
    assert_non_null(getcwd(home, sizeof home));
    (void)snprintf(there, sizeof there, "%s", program_temporary("anywhere"));
    *strrchr(there, '/') = '\0';
    assert_int_equal(chdir(there), 0);
    assert_true(mkdir("urdf files", 0700) == 0 && mkdir("srdf", 0700) == 0 && mkdir("parts", 0700) == 0);
    assert_true(program_write_text("parts/tip.obj",
                                   "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\n"
                                   "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
    assert_true(program_write_text(
        "urdf files/robot.urdf",
        "<robot name='r'><link name='base'><collision><geometry><box size='0.2 0.2 "
        "0.2'/></geometry></collision></link>"
        "<link name='mid'/><link name='tip'><collision><geometry><mesh "
        "filename='package://parts/tip.obj'/></geometry>"
        "</collision></link><joint name='x' type='prismatic'><parent link='base'/><child link='mid'/>"
        "<axis xyz='1 0 0'/><limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"
        "<joint name='y' type='prismatic'><parent link='mid'/><child link='tip'/><axis xyz='0 1 0'/>"
        "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint></robot>"));
    assert_true(program_write_text("srdf/robot.srdf", "<robot name='r'/>"));

    PageServer server = START("urdf files/robot.urdf", "--srdf", "srdf/robot.srdf", "--package",
                              "parts=parts", "--package", "parts=nowhere");
    const int fd = open_socket(&server);
    expect_exported(fd, "urdf files/free.yaml", page_ask(fd, "state", with_values(two(1.0, 0.5))));
    expect_exported(fd, "urdf files/hit.yaml", page_ask(fd, "state", with_values(two(0.05, 0.0))));

    // A scene file that was opened with a package of the command line keeps it.
    stop(&server, fd);
    assert_true(program_write_text("scene.yaml",
                                   "berth: 1\npackages: {parts: nowhere, other: srdf}\nrobots:\n"
                                   "  - urdf: urdf files/robot.urdf\n    srdf: srdf/robot.srdf\n"));
    server = START("scene.yaml", "--package", "parts=parts");
    const int again = open_socket(&server);
    expect_exported(again, "again.yaml", page_ask(again, "state", with_values(two(1.0, 0.5))));
    stop(&server, again);

    // The folder is emptied by who made it, but only of files.
    static const char* const made[] = {"urdf files/robot.urdf", "urdf files/free.yaml",
                                       "urdf files/hit.yaml",   "urdf files",
                                       "srdf/robot.srdf",       "srdf",
                                       "parts/tip.obj",         "parts"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; ++i) {
        assert_int_equal(remove(made[i]), 0);
    }
    assert_int_equal(chdir(home), 0);
}

// A map by itself is exported as the scene of that map, where it was put.
static void maps_are_exported(void** state) {
    (void)state;
    const char* map = NULL;
    const char* volume = program_temporary("block.bmap");
    (void)planar_scene(&map);
    json_decref(COMMAND("map", "build", map, "-o", volume, "--json"));
    const char* const files[] = {map, volume};
    for (int i = 0; i < 2; ++i) {
        PageServer server = START(files[i]);
        const int fd = open_socket(&server);
        json_t* page =
            page_ask(fd, "place", json_pack("{s:s, s:o}", "body", "map", "pose", pose_at(0.5, 0.25, 0.0)));
        json_t* text = page_ask(fd, "export", json_pack("{s:s}", "what", "scene"));
        const char* exported = program_temporary("map scene.yaml");
        assert_true(program_write_text(exported, json_string_value(json_object_get(text, "text"))));
        json_decref(text);
        json_decref(page);

        // The scene shows the map where it was, to a ball that is asked there.
        PageServer shown = START(exported);
        const int other = open_socket(&shown);
        for (int k = 0; k < 8; ++k) {
            json_t* centre = json_pack("[f, f, f]", 0.6 + 0.15 * k, 0.3 + 0.1 * k, 0.3);
            json_t* a = page_ask(
                fd, "ball", json_pack("{s:s, s:O, s:f}", "map", "map", "centre", centre, "radius", 0.05));
            json_t* b = page_ask(
                other, "ball", json_pack("{s:s, s:O, s:f}", "map", "map", "centre", centre, "radius", 0.05));
            assert_true(json_equal(json_object_get(a, "verdict"), json_object_get(b, "verdict")));
            assert_true(json_equal(json_object_get(a, "distance"), json_object_get(b, "distance")));
            json_decref(a);
            json_decref(b);
            json_decref(centre);
        }
        stop(&shown, other);
        stop(&server, fd);
    }
}

// A tool that is dragged is there in the state that comes back.
static void tools_reach_their_pose(void** state) {
    (void)state;
    const char* file = program_model("two_arms/cell.yaml");
    PageServer server = START(file);
    const int fd = open_socket(&server);
    json_t* scene = scene_of(&server);
    const json_t* tips = json_object_get(json_array_get(json_object_get(scene, "robots"), 0), "tips");
    const size_t tip = (size_t)json_integer_value(json_array_get(tips, 0));
    json_t* page = page_ask(fd, "state", with_values(first_values(scene)));

    double wanted[12];
    for (size_t i = 0; i < 12; ++i) {
        wanted[i] = json_number_value(json_array_get(json_object_get(page, "poses"), 12 * tip + i));
    }
    json_decref(page);
    wanted[3] -= 0.04;
    wanted[11] += 0.03;
    page = page_ask(fd, "tool",
                    json_pack("{s:i, s:o, s:o}", "body", (int)tip, "pose", array_of(wanted, 12), "values",
                              first_values(scene)));
    json_t* there = page_ask(fd, "state", with_values(json_incref(json_object_get(page, "values"))));
    for (size_t i = 0; i < 12; ++i) {
        const double is = json_number_value(json_array_get(json_object_get(there, "poses"), 12 * tip + i));
        assert_true(fabs(is - wanted[i]) < 1e-5);
    }
    json_decref(there);
    json_decref(page);

    wanted[3] += 50.0;
    const char* text = page_refused(fd, "tool",
                                    json_pack("{s:i, s:o, s:o}", "body", (int)tip, "pose",
                                              array_of(wanted, 12), "values", first_values(scene)));
    assert_non_null(strstr(text, "not reached"));
    json_decref(scene);
    stop(&server, fd);
}

// A map of 8 x 8 x 8 cells: balls, by the page and by berth map query.
// From a point to a cell of 0.1 m at this corner.
static double gap_to_cell(double cx, double cy, double cz, double x, double y, double z) {
    const double dx = fmax(fmax(cx - x, x - cx - 0.1), 0.0);
    const double dy = fmax(fmax(cy - y, y - cy - 0.1), 0.0);
    const double dz = fmax(fmax(cz - z, z - cz - 0.1), 0.0);
    return sqrt(dx * dx + dy * dy + dz * dz);
}

static void balls_are_what_map_query_says(void** state) {
    (void)state;
    json_int_t numbers[2] = {-1, -1};
    enum { SIDE = 8 };
    double cells[SIDE * SIDE * SIDE] = {0};
    cells[3 * SIDE * SIDE + 4 * SIDE + 2] = cells[6 * SIDE * SIDE + 1 * SIDE + 7] = 1.0;
    const char* map = program_temporary("cells.npy");
    const char* file = program_temporary("mapped.yaml");
    assert_true(program_write_array(map, "8, 8, 8", cells, SIDE * SIDE * SIDE));
    (void)slider_scene();
    assert_true(
        program_write_text(file,
                           "berth: 1\nrobots:\n  - {urdf: slider.urdf, base: {xyz: [9, 9, 9]}}\nobjects:\n"
                           "  - {name: room, map: {file: cells.npy, resolution: 0.1, outside: free}}\n"));

    PageServer server = START(file);
    const int fd = open_socket(&server);
    for (int i = 0; i < 30; ++i) {
        const double x = 0.05 + 0.07 * (i % 10), y = 0.03 + 0.11 * (i % 7), z = 0.02 + 0.09 * (i % 8);
        const double r = 0.02 + 0.03 * (i % 6);
        char ball[128];
        (void)snprintf(ball, sizeof ball, "%.17g,%.17g,%.17g,%.17g", x, y, z, r);
        json_t* command = COMMAND("map", "query", map, "--resolution", "0.1", "--outside", "free", "--ball",
                                  ball, "--json");
        json_t* page = page_ask(
            fd, "ball", json_pack("{s:s, s:[f,f,f], s:f}", "map", "room", "centre", x, y, z, "radius", r));
        assert_true(json_equal(json_object_get(page, "verdict"), json_object_get(command, "verdict")));
        assert_string_equal(json_string_value(json_object_get(page, "body")), "room");

        // The two cells are two obstacles: which is nearer, by their corners, is which number is told, always the same one.
        const double first = gap_to_cell(0.3, 0.4, 0.2, x, y, z),
                     second = gap_to_cell(0.6, 0.1, 0.7, x, y, z);
        const json_int_t obstacle = json_integer_value(json_object_get(page, "obstacle"));
        assert_true(json_is_integer(json_object_get(page, "obstacle")) && fabs(first - second) > 1e-9);
        json_int_t* known = &numbers[second < first];
        assert_true(*known < 0 || *known == obstacle);
        *known = obstacle;
        const json_t* a = json_object_get(page, "distance");
        const json_t* b = json_object_get(command, "distance");
        assert_true(fabs(json_number_value(json_object_get(a, "upper")) -
                         json_number_value(json_object_get(b, "upper"))) < 1e-6);
        json_decref(page);
        json_decref(command);
    }
    assert_true(numbers[0] >= 0 && numbers[1] >= 0 && numbers[0] != numbers[1]);
    stop(&server, fd);
}

// Without a map all objects are asked: it is the answer about the nearest of them, whose name is told.
static void balls_among_all_objects(void** state) {
    (void)state;
    static const char* const objects[] = {"wall", "stone"};
    PageServer server = START(slider_scene());
    const int fd = open_socket(&server);
    int named[2] = {0};
    for (int i = 0; i < 24; ++i) {
        json_t* centre = json_pack("[f, f, f]", -1.2 + 0.13 * i, -1.0 + 0.13 * i, 0.02 * i);
        const double radius = 0.05 * (i % 5);
        json_t* all = page_ask(fd, "ball", json_pack("{s:O, s:f}", "centre", centre, "radius", radius));
        json_t* each[2];
        double upper[2];
        for (int k = 0; k < 2; ++k) {
            each[k] =
                page_ask(fd, "ball",
                         json_pack("{s:s, s:O, s:f}", "map", objects[k], "centre", centre, "radius", radius));
            upper[k] = json_number_value(json_object_get(json_object_get(each[k], "distance"), "upper"));
        }
        const int nearer = upper[1] < upper[0];
        assert_string_equal(json_string_value(json_object_get(all, "body")), objects[nearer]);
        assert_true(json_equal(json_object_get(all, "verdict"), json_object_get(each[nearer], "verdict")));
        assert_true(json_equal(json_object_get(all, "nearest"), json_object_get(each[nearer], "nearest")));
        assert_null(json_object_get(all, "obstacle"));  // these are no maps
        named[nearer] += 1;
        json_decref(all);
        json_decref(each[0]);
        json_decref(each[1]);
        json_decref(centre);
    }
    assert_true(named[0] > 0 && named[1] > 0);
    stop(&server, fd);
}

// The ball is asked in the plane, wherever the mouse put it.
static void balls_in_the_plane_too(void** state) {
    (void)state;
    const char* map = NULL;
    PageServer server = START(planar_scene(&map));
    const int fd = open_socket(&server);
    for (int i = 0; i < 20; ++i) {
        const double x = 0.15 + 0.1 * (i % 9), y = -0.25 + 0.12 * (i % 7), r = 0.05 + 0.06 * (i % 5);
        char ball[128];
        (void)snprintf(ball, sizeof ball, "%.17g,%.17g,%.17g", x, y, r);
        json_t* command = COMMAND("map", "query", map, "--outside", "free", "--ball", ball, "--json");
        json_t* page = page_ask(
            fd, "ball",
            json_pack("{s:s, s:[f,f,f], s:f}", "map", "floor", "centre", x, y, 0.1 * i, "radius", r));
        assert_true(json_equal(json_object_get(page, "verdict"), json_object_get(command, "verdict")));
        const double a = json_number_value(json_object_get(json_object_get(page, "distance"), "upper"));
        const double b = json_number_value(json_object_get(json_object_get(command, "distance"), "upper"));
        assert_true(fabs(a - b) < 1e-6);
        json_decref(page);
        json_decref(command);
    }
    stop(&server, fd);
}

static double element_at(const json_t* array, size_t index) {
    return json_number_value(json_array_get(array, index));
}

// Colours of a slice are distances of balls without size at the same points.
static void slices_are_distances(void** state) {
    (void)state;
    const char* map = NULL;
    PageServer server = START(planar_scene(&map));
    const int fd = open_socket(&server);
    json_t* slice = page_ask(fd, "slice",
                             json_pack("{s:s, s:[f,f], s:[f,f], s:f}", "map", "floor", "low", 0.0, -0.4,
                                       "high", 1.4, 0.8, "height", 0.5));
    const double nx = element_at(json_object_get(slice, "size"), 0);
    const double ny = element_at(json_object_get(slice, "size"), 1);
    const json_t* distance = json_object_get(slice, "distance");
    assert_true(json_array_size(distance) == (size_t)(nx * ny) && nx * ny > 8000 && nx * ny <= 16384);
    for (size_t i = 0; i < json_array_size(distance); i += 701) {
        const double x = 1.4 * ((double)(i % (size_t)nx) + 0.5) / nx;
        const double y = -0.4 + 1.2 * ((double)(i / (size_t)nx) + 0.5) / ny;
        json_t* ball = page_ask(
            fd, "ball", json_pack("{s:s, s:[f,f,f], s:i}", "map", "floor", "centre", x, y, 0.5, "radius", 0));
        assert_true(fabs(json_number_value(json_object_get(json_object_get(ball, "distance"), "lower")) -
                         element_at(distance, i)) < 1e-9);
        json_decref(ball);
    }
    json_decref(slice);
    stop(&server, fd);
}

// Every cell is in one leaf, of its colour.
static void cells_are_those_of_the_map(void** state) {
    (void)state;
    const char* map = NULL;
    PageServer server = START(planar_scene(&map));
    const int fd = open_socket(&server);
    json_t* page = page_ask(fd, "cells", json_pack("{s:s}", "map", "floor"));
    const json_t* leaves = json_object_get(page, "leaves");
    assert_int_equal(json_integer_value(json_object_get(page, "dim")), 2);
    assert_int_equal(5 * json_integer_value(json_object_get(page, "count")), json_array_size(leaves));
    for (int cell = 0; cell < 30; ++cell) {
        const double x = 0.1 + 0.2 * (cell % 6) + 0.1, y = -0.3 + 0.2 * (cell / 6) + 0.1;
        const bool occupied = (cell % 6 == 1 && cell / 6 == 3) || (cell % 6 == 4 && cell / 6 == 2);
        int holders = 0;
        for (size_t i = 0; i + 5 <= json_array_size(leaves); i += 5) {
            const double low_x = element_at(leaves, i), low_y = element_at(leaves, i + 1);
            const double width = element_at(leaves, i + 3);
            if (x > low_x && x < low_x + width && y > low_y && y < low_y + width) {
                ++holders;
                assert_int_equal(element_at(leaves, i + 4) == 1.0, occupied);
            }
        }
        assert_int_equal(holders, 1);
    }
    json_decref(page);
    stop(&server, fd);
}

// From a point of the cell to its sides and on by the functions: the shortest of these ways is the map's L1 distance.
static void perimeter_functions_tell_the_distance(void** state) {
    (void)state;
    const char* map = NULL;
    PageServer server = START(planar_scene(&map));
    const int fd = open_socket(&server);
    for (int i = 0; i < 12; ++i) {
        const double x = 0.95 + 0.029 * i, y = -0.28 + 0.017 * i;
        json_t* page =
            page_ask(fd, "perimeter",
                     json_pack("{s:s, s:[f,f,f], s:i}", "map", "floor", "centre", x, y, 0.0, "radius", 0));
        const json_t* leaf = json_object_get(page, "leaf");
        const json_t* intervals = json_object_get(page, "intervals");
        double least = INFINITY;
        for (size_t k = 0; k < json_array_size(intervals); ++k) {
            const json_t* one = json_array_get(intervals, k);
            const int face = (int)json_integer_value(json_object_get(one, "face"));
            const double from = json_number_value(json_object_get(one, "from"));
            const double to = json_number_value(json_object_get(one, "to"));
            const double along = face < 2 ? y : x, across = face < 2 ? x : y;
            const double low = element_at(leaf, face < 2 ? 0 : 1), high = low + element_at(leaf, 3);
            if (along < from || along > to) {
                continue;
            }
            const double a = json_number_value(json_object_get(one, "distance_from"));
            const double b = json_number_value(json_object_get(one, "distance_to"));
            const double beyond = to > from ? a + (b - a) * (along - from) / (to - from) : a;
            least = fmin(least, beyond + (face % 2 == 0 ? across - low : high - across));
        }
        char ball[128];
        (void)snprintf(ball, sizeof ball, "%.17g,%.17g,0", x, y);
        json_t* command =
            COMMAND("map", "query", map, "--outside", "free", "--metric", "l1", "--ball", ball, "--json");
        const double said = json_number_value(json_object_get(json_object_get(command, "distance"), "upper"));
        assert_true(fabs(least - said) < 1e-9);
        json_decref(command);
        json_decref(page);
    }
    assert_non_null(strstr(page_refused(fd, "perimeter",
                                        json_pack("{s:s, s:[f,f,f], s:i}", "map", "floor", "centre", 0.4, 0.4,
                                                  0.0, "radius", 0)),
                           "free cell"));
    stop(&server, fd);
}

// A map needs no scene around it.
static void maps_are_shown_by_themselves(void** state) {
    (void)state;
    const char* map = NULL;
    (void)planar_scene(&map);
    PageServer server = START(map);
    const int fd = open_socket(&server);
    for (int i = 0; i < 5; ++i) {
        const double x = 0.4 + 0.15 * i, y = -0.1 + 0.1 * i;
        char ball[128];
        (void)snprintf(ball, sizeof ball, "%.17g,%.17g,0.05", x, y);
        json_t* command = COMMAND("map", "query", map, "--ball", ball, "--json");
        json_t* page = page_ask(
            fd, "ball", json_pack("{s:s, s:[f,f], s:f}", "map", "map", "centre", x, y, "radius", 0.05));
        assert_true(json_equal(json_object_get(page, "verdict"), json_object_get(command, "verdict")));
        json_decref(page);
        json_decref(command);
    }
    json_decref(page_ask(fd, "cells", json_pack("{s:s}", "map", "map")));
    stop(&server, fd);

    ProgramRun run = program_run("view", map, "--at", "x=1", "--html", program_temporary("x.html"), NULL);
    assert_int_equal(run.status, 2);
    program_free(&run);
}

// How far a slide can go until it stands: it keeps speeding up until braking begins after `horizon`, and then brakes. Two samples a
// period apart tell its mean speed, and not what it gained since, or that it turned round.
static double slide_reach(double told, double horizon) {
    const double fastest = 1.0, faster = 4.0, slower = 8.0, period = 0.03;
    const double speed = fmin(fastest, fmax(fabs(told) + 0.5 * faster * period, faster * period));
    const double then = fmin(fastest, speed + faster * horizon);
    const double rising = fmin(horizon, (fastest - speed) / faster);
    const double before = (speed + 0.5 * faster * rising) * rising + fastest * (horizon - rising);
    return before + then * then / (2.0 * slower);
}

// The ball hangs on both slides, and goes no further than both together: at rest, at reported speeds, at the largest when none are
// reported. What is drawn is the ball, larger by as much, where it is.
static void buffers_are_what_bodies_can_go(void** state) {
    (void)state;
    const char* file = program_temporary("guarded.yaml");
    (void)slider_scene();
    assert_true(program_write_text(
        file,
        "berth: 1\nrobots:\n  - urdf: slider.urdf\n"
        "    limits: {x: {velocity: 1, acceleration: 4, deceleration: 8}, y: {velocity: 1, acceleration: 4, "
        "deceleration: 8}}\n"
        "safety: {period: 0.03, latency: 0.002, reaction: 0.015, silence: 0.045, margin: 0}\n"
        "objects:\n  - {name: wall, box: {size: [0.2, 4, 1]}, pose: {xyz: [0, -0.8, 0]}}\n"));
    PageServer server = START(file);
    const int fd = open_socket(&server);
    json_t* scene = scene_of(&server);
    static const double speeds[][2] = {{0, 0}, {0.3, -0.2}, {-0.6, 0.9}};
    for (int i = 0; i < 4; ++i) {
        json_t* request = json_pack("{s:o}", "values", two(-1.0 + 0.1 * i, 0.5));
        if (i < 3) {
            (void)json_object_set_new(request, "velocities", two(speeds[i][0], speeds[i][1]));
        }
        json_t* page = page_ask(fd, "buffers", request);
        const double horizon = json_number_value(json_object_get(page, "horizon"));
        assert_true(fabs(horizon - (0.002 + 0.03 + 0.003 + 0.015)) < 1e-9);  // a permit lives 3 ms
        assert_int_equal(json_is_true(json_object_get(page, "reported")), i < 3);

        const json_t* bodies = json_object_get(page, "bodies");
        assert_int_equal(json_array_size(bodies), 1);  // the wall stands
        const double expected = i < 3
                                    ? slide_reach(speeds[i][0], horizon) + slide_reach(speeds[i][1], horizon)
                                    : 2.0 * slide_reach(1.0, horizon);
        const double buffer = json_number_value(json_object_get(json_array_get(bodies, 0), "buffer"));
        assert_true(buffer >= expected * (1.0 - 1e-9) && buffer < expected * 1.001 + 1e-6);

        const json_t* part = json_array_get(json_object_get(page, "parts"), 0);
        const json_t* pose = json_object_get(part, "pose");
        const double radius = json_number_value(json_object_get(json_object_get(part, "shape"), "radius"));
        assert_true(fabs(radius - 0.1 - buffer) < 1e-9);
        assert_true(fabs(json_number_value(json_array_get(pose, 3)) - (-1.0 + 0.1 * i)) < 1e-9);
        assert_true(fabs(json_number_value(json_array_get(pose, 7)) - 0.5) < 1e-9);
        json_decref(page);
    }

    // What a guard refuses has no buffers, and the next state has them again; so has one after an object moved.
    assert_non_null(strstr(page_refused(fd, "buffers", with_values(two(3.0, 0.0))), "stop"));
    assert_non_null(strstr(
        page_refused(fd, "buffers", json_pack("{s:o, s:[f]}", "values", two(0.0, 1.5), "velocities", 0.0)),
        "2 numbers"));
    json_decref(page_ask(fd, "buffers", with_values(two(-1.0, 0.5))));
    json_decref(
        page_ask(fd, "place", json_pack("{s:s, s:o}", "body", "wall", "pose", pose_at(0.0, -0.7, 0.0))));
    json_decref(page_ask(fd, "buffers", with_values(two(-1.0, 0.5))));
    json_decref(scene);
    stop(&server, fd);

    PageServer without = START(slider_scene());
    const int other = open_socket(&without);
    assert_non_null(strstr(page_refused(other, "buffers", with_values(two(-1.0, 0.5))), "safety"));
    stop(&without, other);
}

// Leaves are boxes that fill the whole cube, and every body is in one of them or outside.
static void octree_fills_its_cube(void** state) {
    (void)state;
    PageServer server = START(program_model("two_arms/cell.yaml"));
    const int fd = open_socket(&server);
    json_t* page = page_ask(fd, "octree", NULL);
    const json_t* leaves = json_object_get(page, "leaves");
    bool seen[256] = {false};
    double volume = 0.0;
    for (size_t i = 0; i < json_array_size(leaves); ++i) {
        const json_t* leaf = json_array_get(leaves, i);
        double one = 1.0;
        for (size_t k = 0; k < 3; ++k) {
            one *= json_number_value(json_array_get(json_object_get(leaf, "high"), k)) -
                   json_number_value(json_array_get(json_object_get(leaf, "low"), k));
        }
        volume += one;
        const json_t* bodies = json_object_get(leaf, "bodies");
        for (size_t k = 0; k < json_array_size(bodies); ++k) {
            seen[json_integer_value(json_array_get(bodies, k)) % 256] = true;
        }
    }
    assert_true(fabs(volume - 512.0) < 1e-6);
    assert_true(json_array_size(leaves) > 8);

    json_t* scene = scene_of(&server);
    size_t missing = 0;
    for (size_t i = 0; i < json_array_size(json_object_get(scene, "bodies")); ++i) {
        missing += seen[i] ? 0U : 1U;
    }
    assert_true(missing <= (size_t)json_integer_value(json_object_get(page, "outside")));
    json_decref(scene);
    json_decref(page);
    stop(&server, fd);
}

// The capsules of a link lie where the link is: each corner of a box around the link's mesh is not far from one.
static void layers_are_told(void** state) {
    (void)state;
    const char* file = program_model("two_arms/cell.yaml");
    PageServer server = START(file);
    const int fd = open_socket(&server);
    json_t* page = page_ask(fd, "layer", json_pack("{s:s}", "name", "capsules"));
    json_t* info = COMMAND("info", file, "--capsules", "--json");
    const json_t* guards = json_object_get(info, "guards");
    json_int_t count = 0;
    for (size_t i = 0; i < json_array_size(guards); ++i) {
        count += json_integer_value(json_object_get(json_array_get(guards, i), "count"));
    }
    assert_true(count > 0);
    assert_int_equal(json_array_size(json_object_get(page, "parts")), count);

    // Bodies of plain shapes are guarded as they are: the part is the collision part, pose and all.
    json_t* scene = scene_of(&server);
    const json_t* drawn = json_object_get(scene, "parts");
    for (size_t i = 0; i < json_array_size(drawn) && i < (size_t)count; ++i) {
        const json_t* a = json_object_get(json_array_get(drawn, i), "pose");
        const json_t* b = json_object_get(json_array_get(json_object_get(page, "parts"), i), "pose");
        for (size_t k = 0; k < 12; ++k) {
            assert_true(fabs(json_number_value(json_array_get(a, k)) -
                             json_number_value(json_array_get(b, k))) < 1e-9);
        }
    }
    json_decref(scene);
    json_decref(info);
    json_decref(page);
    stop(&server, fd);
}

static void rss_volumes_are_told(void** state) {
    (void)state;
    PageServer server = START(program_model("tori/cell.yaml"));
    const int fd = open_socket(&server);
    for (int count = 1; count <= 16; count *= 4) {
        json_t* page = page_ask(fd, "layer", json_pack("{s:s, s:i}", "name", "rss", "count", count));
        json_t* scene = scene_of(&server);
        size_t meshes = 0;
        for (size_t i = 0; i < json_array_size(json_object_get(scene, "parts")); ++i) {
            const json_t* shape =
                json_object_get(json_array_get(json_object_get(scene, "parts"), i), "shape");
            meshes += strcmp(json_string_value(json_object_get(shape, "kind")), "mesh") == 0 ? 1U : 0U;
        }
        assert_true(meshes > 0);
        assert_int_equal(json_array_size(json_object_get(page, "parts")), meshes * (size_t)count);
        json_decref(scene);
        json_decref(page);
    }
    stop(&server, fd);
}

static void pairs_are_told(void** state) {
    (void)state;
    const char* file = program_model("two_arms/cell.yaml");
    PageServer server = START(file);
    const int fd = open_socket(&server);
    json_t* scene = scene_of(&server);
    const size_t bodies = json_array_size(json_object_get(scene, "bodies"));
    size_t checked = 0;
    for (size_t i = 0; i < bodies; ++i) {
        json_t* page = page_ask(fd, "pairs", json_pack("{s:i}", "body", (int)i));
        const json_t* pairs = json_object_get(page, "pairs");
        assert_int_equal(json_array_size(pairs), bodies - 1);
        for (size_t k = 0; k < bodies - 1; ++k) {
            const char* status = json_string_value(json_object_get(json_array_get(pairs, k), "status"));
            checked += strcmp(status, "checked") == 0 || strcmp(status, "proven") == 0 ? 1U : 0U;
        }
        json_decref(page);
    }

    BerthScene* read = read_scene(file);
    assert_int_equal(checked, 2 * berth_scene_pair_count(read));
    berth_scene_destroy(read);
    json_decref(scene);
    stop(&server, fd);
}

// ---- requests that are wrong, files --------------------------------------------------------------------------------

static void wrong_requests_are_refused(void** state) {
    (void)state;
    PageServer server = START(slider_scene());
    const int fd = open_socket(&server);
    const struct {
        const char *what, *fields, *said;
    } cases[] = {
        {"dance", "{}", "not a known request"},
        {"state", "{}", "expected 2 numbers"},
        {"state", "{\"values\": [1]}", "expected 2 numbers"},
        {"state", "{\"values\": [1, \"a\"]}", "not a number"},
        {"state", "{\"values\": [1, 1e300]}", "value"},
        {"at", "{\"t\": 1}", "--trajectory"},
        {"path", "{}", "--trajectory"},
        {"pairs", "{\"body\": 99}", "body"},
        {"pairs", "{\"body\": \"nobody\"}", "body"},
        {"place", "{\"body\": \"ball\", \"pose\": []}", "link"},
        {"place", "{\"body\": \"wall\", \"pose\": [1, 2]}", "12 numbers"},
        {"place", "{\"body\": \"wall\", \"pose\": [2,0,0,0, 0,1,0,0, 0,0,1,0]}", "12 numbers"},
        {"tool", "{\"body\": \"wall\"}", "link"},
        {"ball", "{\"map\": \"ball\", \"centre\": [0, 0, 0], \"radius\": 1}", "object"},
        {"ball", "{\"map\": \"wall\", \"centre\": [0], \"radius\": 1}", "centre"},
        {"ball", "{\"map\": \"wall\", \"centre\": [0, 0, 0], \"radius\": -1}", "radius"},
        {"plan", "{\"from\": [-1, -1], \"to\": [9, 9]}", "limit"},
        {"plan", "{\"from\": [-1, -1], \"to\": [1, 1], \"seconds\": 1e9}", "seconds"},
        {"layer", "{\"name\": \"skin\"}", "capsules"},
        {"layer", "{\"name\": \"collision\"}", "body"},
        {"layer", "{\"name\": \"collision\", \"body\": 0}", "not an object"},
        {"layer", "{\"name\": \"rss\", \"count\": 0}", "count"},
        {"slice", "{\"map\": \"wall\", \"low\": [0, 0], \"high\": [0, 1], \"height\": 0}", "rectangle"},
        {"slice", "{\"map\": \"wall\", \"low\": [0, 0], \"high\": [1, 1]}", "height"},
        {"slice", "{\"map\": \"ball\", \"low\": [0, 0], \"high\": [1, 1], \"height\": 0}", "object"},
        {"cells", "{\"map\": \"wall\"}", "is not a map"},
        {"perimeter", "{\"map\": \"wall\", \"centre\": [0, 0], \"radius\": 0}", "is not a map"},
        {"export", "{\"what\": \"soul\"}", "csv"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* text = page_refused(fd, cases[i].what, json_loads(cases[i].fields, 0, NULL));
        if (strstr(text, cases[i].said) == NULL) {
            fail_msg("%s %s: '%s' does not speak of '%s'", cases[i].what, cases[i].fields, text,
                     cases[i].said);
        }
    }
    json_decref(page_ask(fd, "state", with_values(two(-1, -1))));
    stop(&server, fd);
}

// What a page from disk has about pairs is what the program says about each of them.
static void check_recorded_pairs(const char* scene, const json_t* pairs) {
    PageServer server = START(scene);
    const int fd = open_socket(&server);
    json_t* told = scene_of(&server);
    const size_t bodies = json_array_size(json_object_get(told, "bodies"));
    const json_t *of = json_object_get(pairs, "of"), *facts = json_object_get(pairs, "facts");
    assert_int_equal(json_array_size(of), bodies * (bodies - 1) / 2);
    size_t at = 0;
    for (size_t a = 0; a < bodies; ++a) {
        json_t* page = page_ask(fd, "pairs", json_pack("{s:i}", "body", (int)a));
        const json_t* rows = json_object_get(page, "pairs");
        for (size_t b = a + 1; b < bodies; ++b) {
            const json_t* row = json_array_get(rows, b - 1);  // a itself is not among them
            const json_t* fact = json_array_get(facts, (size_t)json_integer_value(json_array_get(of, at++)));
            assert_true(json_equal(json_object_get(row, "status"), json_object_get(fact, "status")));
            assert_true(json_equal(json_object_get(row, "reason"), json_object_get(fact, "reason")));
        }
        json_decref(page);
    }
    json_decref(told);
    stop(&server, fd);
}

// A page from disk loads nothing, and holds the answers; without the bundle the program says what is missing.
static void pages_hold_everything(void** state) {
    (void)state;
    const char* scene = slider_scene();
    const char* rows = program_temporary("way.csv");
    const char* page = program_temporary("page.html");
    assert_true(program_write_text(rows, "x,y\n-1,-1\n-1,1.5\n1,1.5\n"));
    ProgramRun run = program_run("view", scene, "--trajectory", rows, "--html", page, NULL);
    if (run.status == 2) {
        assert_non_null(strstr(run.err, "without its page"));
        program_free(&run);
        return;
    }
    assert_int_equal(run.status, 0);
    program_free(&run);

    char* text = expect_file(page);
    assert_null(strstr(text, " src="));
    assert_null(strstr(text, "rel=\"stylesheet\""));
    char* begin = strstr(text, "id=\"berth-recording\"");
    assert_non_null(begin);
    begin = strchr(begin, '>') + 1;
    json_t* recording = json_loadb(begin, (size_t)(strstr(begin, "</script>") - begin), 0, NULL);
    json_t* command = COMMAND("path", scene, rows, "--all", "--first-contact", "--json");
    EXPECT_MEMBERS(json_object_get(recording, "path"), command, "segments", "stats");
    assert_true(json_array_size(json_object_get(recording, "states")) > 2);
    check_recorded_pairs(scene, json_object_get(recording, "pairs"));
    json_decref(command);
    json_decref(recording);
    free(text);
}

int test_cli_view(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_are_told),
        cmocka_unit_test(states_are_what_check_says),
        cmocka_unit_test(bodies_are_where_they_are),
        cmocka_unit_test(quick_answers_are_the_same),
        cmocka_unit_test(visuals_are_told),
        cmocka_unit_test(what_is_checked_is_not_told_twice),
        cmocka_unit_test(verdict_changes_where_check_says),
        cmocka_unit_test(paths_are_what_path_says),
        cmocka_unit_test(plans_are_what_plan_says),
        cmocka_unit_test(trees_of_a_plan_are_told),
        cmocka_unit_test(planned_motions_are_asked_about),
        cmocka_unit_test(states_are_answered_meanwhile),
        cmocka_unit_test(long_work_is_cancelled),
        cmocka_unit_test(placed_objects_are_exported),
        cmocka_unit_test(bare_robots_are_exported),
        cmocka_unit_test(maps_are_exported),
        cmocka_unit_test(tools_reach_their_pose),
        cmocka_unit_test(balls_are_what_map_query_says),
        cmocka_unit_test(balls_among_all_objects),
        cmocka_unit_test(balls_in_the_plane_too),
        cmocka_unit_test(maps_are_shown_by_themselves),
        cmocka_unit_test(slices_are_distances),
        cmocka_unit_test(cells_are_those_of_the_map),
        cmocka_unit_test(perimeter_functions_tell_the_distance),
        cmocka_unit_test(buffers_are_what_bodies_can_go),
        cmocka_unit_test(octree_fills_its_cube),
        cmocka_unit_test(layers_are_told),
        cmocka_unit_test(rss_volumes_are_told),
        cmocka_unit_test(pairs_are_told),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(pages_hold_everything),
    };
    if (!page_is_there()) {
        printf("built without civetweb: berth view is not tested\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
