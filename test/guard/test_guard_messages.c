// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every kind of message to the real guard: several sources, poses, clouds, switches; permits as JSON; and noise.
// test-labels: waits

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/guarded.h"
#include "support/setting.h"

static const double PERIOD = 0.01, SILENCE = 0.1;

static void send_wire(Guarded* g, BerthWireMessage* m, const char* name, uint64_t sequence, bool json) {
    static char bytes[BERTH_WIRE_SIZE];
    (void)snprintf(m->name, sizeof m->name, "%s", name);
    m->stream = g->stream;
    m->sequence = sequence;
    m->stamp = guarded_now();
    const size_t size =
        json ? berth_wire_write_json(m, bytes, sizeof bytes) : berth_wire_write(m, bytes, sizeof bytes);
    assert_true(size > 0);
    guarded_send(g, bytes, size);
}

static BerthWireMessage* state_of(const Guarded* g, int32_t first, int32_t count) {
    static BerthWireMessage m;
    memset(&m, 0, sizeof m);
    m.kind = BERTH_WIRE_STATE;
    m.count = count;
    m.has_velocities = true;
    for (int32_t i = 0; i < count; ++i) {
        m.positions[i] = berth_scene_values(g->scene)[first + i];
    }
    return &m;
}

static BerthWireMessage* cloud_of(int points, bool alive, double x) {
    static BerthWireMessage m;
    memset(&m, 0, sizeof m);
    m.kind = BERTH_WIRE_CLOUD;
    m.total = m.point_count = points;
    m.alive = alive;
    for (int i = 0; i < points; ++i) {
        m.points[i] = (BerthVec3){x, 0.01 * i, 0.0};
    }
    return &m;
}

// Each tells of the last 20 messages, so that a datagram that a busy machine loses is no matter.
// A map of 40 x 40 x 40 cells with one bar of cells along y, at `wall` along x and 0.3 m high; -1: none. All of it, or what changes when there was none.
static BerthWireMessage* map_of(int wall, bool whole, uint64_t since) {
    static BerthWireMessage m;
    memset(&m, 0, sizeof m);
    m.kind = BERTH_WIRE_CELLS;
    m.whole = whole;
    m.since = since;
    m.alive = true;
    m.parts = 1;
    for (uint32_t i = 0; wall >= 0 && i < 40; ++i) {
        m.runs[m.run_count++] = (BerthCellRun){(uint32_t)wall + 40 * i + 13 * 1600, 1, BERTH_CELL_OCCUPIED};
    }
    return &m;
}

/// What is sent every few milliseconds.
typedef struct Talk {
    bool left, right;  // the two sources
    bool cloud, alive;
    int points;
    double x;  // of the points
    bool cart;
    bool map, changes;  // a map, whole or what changed since the last message
    int wall;
} Talk;

// Talks so for that long, with resets; how many permits came in the second half.
static int64_t talk(Guarded* g, const Talk* t, double seconds) {
    static uint64_t sequence = 0;
    const double begin = guarded_now();
    int64_t before = 0;
    bool half = false;
    for (int i = 0; guarded_now() < begin + seconds; ++i) {
        ++sequence;
        if (i % 20 == 0) {
            BerthWireMessage reset = {.kind = BERTH_WIRE_RESET};
            send_wire(g, &reset, "", sequence, false);
        }
        if (t->left) {
            send_wire(g, state_of(g, 0, 7), "l", sequence, i % 2 == 0);
        }
        if (t->right) {
            send_wire(g, state_of(g, 7, 7), "r", sequence, i % 2 == 1);
        }
        if (t->cloud) {
            send_wire(g, cloud_of(t->points, t->alive, t->x), "camera", sequence, false);
        }
        if (t->map) {
            send_wire(g, map_of(t->wall, !t->changes, t->changes && sequence > 20 ? sequence - 20 : 0),
                      "room", sequence, i % 3 == 0);
        }
        if (t->cart) {
            BerthWireMessage pose = {.kind = BERTH_WIRE_POSE,
                                     .pose = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {9, 0, 0}}};
            send_wire(g, &pose, "cart", sequence, false);
        }
        guarded_sleep(0.005);
        guarded_take(g);
        if (!half && guarded_now() > begin + 0.5 * seconds) {
            half = true;
            before = g->go_count;
        }
    }
    guarded_take(g);
    return g->go_count - before;
}

// As long as it takes to hear a permit, on a busy machine.
static bool comes_to_go(Guarded* g, const Talk* t) {
    for (int i = 0; i < 20; ++i) {
        if (talk(g, t, 0.5) > 0) {
            return true;
        }
    }
    return false;
}

static void both_sources_must_talk(void** state) {
    (void)state;
    static const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--good",  "2", "--source",
                                            "l=left",  "--source",        "r=right", NULL};
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    assert_int_equal(talk(&g, &(Talk){.left = true}, 0.3), 0);
    assert_int_equal(g.go_count, 0);
    assert_true(comes_to_go(&g, &(Talk){.left = true, .right = true}));
    (void)talk(&g, &(Talk){.right = true}, 2.0 * SILENCE);
    assert_int_equal(talk(&g, &(Talk){.right = true}, 0.2), 0);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

static void moving_things_must_be_told(void** state) {
    (void)state;
    static const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--good",  "2", "--source",
                                            "l=left",  "--source",        "r=right", NULL};
    Guarded g;
    const char* scene = guarded_scene(
        PERIOD, SILENCE,
        "objects:\n  - {name: cart, sphere: {radius: 0.1}, pose: {xyz: [9, 0, 0]}, moving: {speed: 0.5}}\n");
    assert_true(guarded_start(&g, scene, false, arguments));
    assert_int_equal(talk(&g, &(Talk){.left = true, .right = true}, 0.3), 0);
    assert_int_equal(g.go_count, 0);
    assert_true(comes_to_go(&g, &(Talk){.left = true, .right = true, .cart = true}));
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

// Row 18: a sensor that is silent, or sees nothing and does not say that it lives, is STOP. So is what it sees too near.
static void clouds_are_heard(void** state) {
    (void)state;
    static const char* const arguments[] = {
        "--input", "udp:127.0.0.1:0", "--good",  "2",       "--source",
        "l=left",  "--source",        "r=right", "--cloud", "camera=points:50,radius:0.01,speed:0.1",
        NULL};
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    assert_int_equal(talk(&g, &(Talk){.left = true, .right = true}, 0.3), 0);
    assert_int_equal(talk(&g, &(Talk){.left = true, .right = true, .cloud = true}, 0.3), 0);
    assert_int_equal(g.go_count, 0);
    assert_true(comes_to_go(&g, &(Talk){.left = true, .right = true, .cloud = true, .alive = true}));
    assert_true(comes_to_go(&g, &(Talk){.left = true, .right = true, .cloud = true, .points = 20, .x = 5.0}));
    // More points than were declared are not cut, they are STOP.
    assert_int_equal(
        talk(&g, &(Talk){.left = true, .right = true, .cloud = true, .points = 200, .x = 5.0}, 0.3), 0);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

// Rows 4, 8, 18: changes of a map say nothing before a whole came; after it they keep it fresh; its silence and cells that are none
// are STOP. A wall that comes by changes takes the permit away.
static void maps_are_heard(void** state) {
    (void)state;
    static const char* const arguments[] = {
        "--input",  "udp:127.0.0.1:0",
        "--good",   "2",
        "--source", "l=left",
        "--source", "r=right",
        "--map",    "room=size:40/40/40,resolution:0.1,cells:100,origin:-2/-2/-1,speed:0.1,outside:free",
        NULL};
    const Talk with_changes = {.left = true, .right = true, .map = true, .changes = true, .wall = -1};
    const Talk with_whole = {.left = true, .right = true, .map = true, .wall = -1};
    Talk with_wall = with_changes;
    with_wall.wall = 20;
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    assert_true(guarded_event_count(&g, "start") == 1 && strstr(g.text, "outside_space_free") != NULL);
    assert_int_equal(talk(&g, &(Talk){.left = true, .right = true}, 0.3), 0);
    assert_int_equal(talk(&g, &with_changes, 0.3), 0);
    assert_int_equal(g.go_count, 0);
    assert_true(comes_to_go(&g, &with_whole));
    assert_true(comes_to_go(&g, &with_changes));
    assert_int_equal(talk(&g, &with_wall, 0.3), 0);
    assert_int_equal(talk(&g, &with_changes, 0.3), 0);  // nobody says that the wall went away
    assert_true(comes_to_go(&g, &with_whole));
    Talk nonsense = with_changes;
    nonsense.wall = 43000;  // the last of its cells are beyond the map
    assert_int_equal(talk(&g, &nonsense, 0.3), 0);
    assert_int_equal(talk(&g, &with_changes, 0.3), 0);
    assert_true(comes_to_go(&g, &with_whole));
    assert_int_equal(talk(&g, &(Talk){.left = true, .right = true}, 0.4), 0);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

// Row 19: what can be chosen was declared; the permit's hash says what is in force; what was not declared is STOP.
static void models_are_switched(void** state) {
    (void)state;
    static const char* const arguments[] = {
        "--input",  "udp:127.0.0.1:0",   "--good", "2", "--source", "l=left", "--source", "r=right",
        "--choice", "hood=on:hood|off:", NULL};
    Guarded g;
    const char* scene = guarded_scene(
        PERIOD, SILENCE, "objects:\n  - {name: hood, sphere: {radius: 0.1}, pose: {xyz: [9, 0, 0]}}\n");
    assert_true(guarded_start(&g, scene, false, arguments));
    const Talk both = {.left = true, .right = true};
    assert_true(comes_to_go(&g, &both));
    uint8_t with[32], without[32];
    memcpy(with, g.last.permit.model, sizeof with);
    BerthWireMessage change = {.kind = BERTH_WIRE_SWITCH, .option = "off"};
    send_wire(&g, &change, "hood", 1, true);
    assert_true(comes_to_go(&g, &both));
    memcpy(without, g.last.permit.model, sizeof without);
    assert_memory_not_equal(with, without, sizeof with);
    change = (BerthWireMessage){.kind = BERTH_WIRE_SWITCH, .option = "on"};
    send_wire(&g, &change, "hood", 2, false);
    assert_true(comes_to_go(&g, &both));
    assert_memory_equal(with, g.last.permit.model, sizeof with);
    change = (BerthWireMessage){.kind = BERTH_WIRE_SWITCH, .option = "ajar"};
    send_wire(&g, &change, "hood", 3, false);
    const double asked = guarded_now();
    guarded_sleep(5.0 * PERIOD);
    guarded_take(&g);
    assert_false(g.last.permit.go);
    assert_true(g.last_go_stamp <= asked);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

static void permits_as_json(void** state) {
    (void)state;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    const int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(file, (struct sockaddr*)&at, sizeof at), 0);
    assert_int_equal(getsockname(file, (struct sockaddr*)&at, &size), 0);
    char output[64];
    (void)snprintf(output, sizeof output, "json:127.0.0.1:%d", ntohs(at.sin_port));
    const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--output", output, NULL};
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    char text[4096] = "";
    for (int i = 0; i < 2000 && recv(file, text, sizeof text - 1, 0) <= 0; ++i) {
        guarded_sleep(0.005);
    }
    json_t* permit = json_loads(text, 0, NULL);
    assert_non_null(permit);
    assert_string_equal(json_string_value(json_object_get(permit, "kind")), "permit");
    assert_string_equal(json_string_value(json_object_get(permit, "verdict")), "stop");
    assert_string_equal(json_string_value(json_object_get(permit, "reason")), "no_state");
    json_decref(permit);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
    close(file);
}

// Bytes that nobody meant, as datagrams and as lines: counted, and no permit.
static void noise(void** state) {
    (void)state;
    Random random = {.state = 5};
    for (int piped = 0; piped < 2; ++piped) {
        const char* const arguments[] = {"--input", piped ? "-" : "udp:127.0.0.1:0", "--good", "1", NULL};
        Guarded g;
        assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), piped, arguments));
        static char bytes[65000];
        for (int i = 0; i < test_scaled(300); ++i) {
            const size_t size = bi_random_next(&random) % (i % 50 == 1 ? sizeof bytes : 300) + 1;
            for (size_t k = 0; k < size; ++k) {
                static const char json[] = "{}\",:[]0123456789.e-";
                const uint64_t one = bi_random_next(&random);
                bytes[k] = i % 3 == 0 ? (char)one : json[one % (sizeof json - 1)];
            }
            bytes[size - 1] = i % 5 == 0 ? bytes[size - 1] : '\n';
            if (i % 4 == 0 && size > 4) {
                memcpy(bytes, "BRTH\1", 5);
            }
            if (piped) {
                const ssize_t wrote = write(g.in, bytes, size);
                (void)wrote;
            } else {
                guarded_send(&g, bytes, size);
            }
            if (i % 30 == 0) {
                (void)kill(g.pid, SIGUSR2);
                guarded_sleep(0.01);
            }
            guarded_take(&g);
        }
        guarded_take(&g);
        assert_int_equal(g.go_count, 0);
        assert_int_equal(guarded_end(&g, SIGTERM), 0);
        assert_true(guarded_number(&g, "end", "malformed") > 0);
        guarded_close(&g);
    }
}

int test_guard_messages(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sources_must_talk), cmocka_unit_test(moving_things_must_be_told),
        cmocka_unit_test(clouds_are_heard),       cmocka_unit_test(models_are_switched),
        cmocka_unit_test(maps_are_heard),

        cmocka_unit_test(permits_as_json),        cmocka_unit_test(noise),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
