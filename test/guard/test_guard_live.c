// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-labels: threads waits
//
// The real guard on loopback: permits only on good, fresh messages after a reset; and none after silence, death, or a signal.
// Times are those of the guard's own stamps and of the sender's clock, which are one clock: nobody's lateness counts.

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/expect.h"
#include "support/guarded.h"
#include "support/setting.h"

// Long enough that a busy machine seldom misses a cycle.
static const double PERIOD = 0.01, SILENCE = 0.1;

static const char* const ON_UDP[] = {"--input", "udp:127.0.0.1:0", "--good", "3", NULL};

static Guarded begin(const char* const* arguments) {
    Guarded g;
    const char* scene = guarded_scene(PERIOD, SILENCE, "");
    assert_non_null(scene);
    if (!guarded_start(&g, scene, false, arguments)) {
        fail_msg("it did not start: %s", g.text);
    }
    return g;
}

static void last_reason(const Guarded* g, const char* event, const char* wanted) {
    json_t* found = guarded_event(g, event);
    assert_non_null(found);
    assert_string_equal(json_string_value(json_object_get(found, "reason")), wanted);
    json_decref(found);
}

static void says_what_it_is(void** state) {
    (void)state;
    Guarded g = begin(ON_UDP);
    json_t* start = guarded_event(&g, "start");
    assert_non_null(
        strstr(json_string_value(json_object_get(start, "monitor")), "only take permission away"));
    assert_true(json_is_false(json_object_get(start, "real_time")));
    assert_non_null(strstr(json_string_value(json_object_get(start, "machine")), "not real-time"));
    json_decref(start);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    json_t* end = guarded_event(&g, "end");
    assert_non_null(strstr(json_string_value(json_object_get(end, "monitor")), "behind a rated device"));
    json_decref(end);
    guarded_close(&g);
}

// Nothing is heard: never a permit. Messages without a reset: neither.
static void no_permit_without_state_and_reset(void** state) {
    (void)state;
    Guarded g = begin(ON_UDP);
    guarded_sleep(0.15);
    guarded_take(&g);
    assert_true(g.stop_count > 0);
    guarded_read(&g);
    assert_non_null(strstr(g.text, "\"reason\": \"no_state\""));
    for (int i = 0; i < 30; ++i) {
        guarded_send_state(&g, 0.0, false);
        guarded_sleep(0.005);
    }
    guarded_take(&g);
    assert_int_equal(g.go_count, 0);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_take(&g);
    assert_int_equal(g.go_count, 0);
    assert_int_equal(g.last.permit.reason, BERTH_STOP_END);
    assert_true(guarded_number(&g, "end", "good") >= 20);
    guarded_close(&g);
}

static void silence_takes_the_permit_away(void** state) {
    (void)state;
    Guarded g = begin(ON_UDP);
    for (int round = 0; round < 3; ++round) {
        assert_true(guarded_until_go(&g, 15.0));
        assert_true(g.last.permit.valid_until <= 1.5 * PERIOD + 1e-9);
        const double silent_since = g.sent_at;
        guarded_sleep(SILENCE + 4.0 * PERIOD);
        guarded_take(&g);
        assert_false(g.last.permit.go);
        // 0.1 ms: the kernel's stamp is of another clock.
        if (!(g.last_go_stamp <= silent_since + SILENCE + 1e-4)) {
            fail_msg("a permit %.4f s after the last message", g.last_go_stamp - silent_since);
        }
    }
    guarded_read(&g);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    assert_true(g.go_count >= 3);
    guarded_close(&g);
}

// A burst that takes several cycles to be read: what waited in the queue is as old as it is, not as young as its reading.
static void a_queue_keeps_nothing_young(void** state) {
    (void)state;
    static const double SHORT = 0.025;
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SHORT, ""), false, ON_UDP));
    int bursts = 0;
    for (int round = 0; round < 40 && bursts < 5; ++round) {
        assert_true(guarded_until_go(&g, 15.0));
        const double begin = guarded_now();
        for (int i = 0; i < 120; ++i) {
            guarded_send_state(&g, 0.0, false);
        }
        bursts += g.sent_at - begin < 0.005;
        guarded_sleep(SHORT + 6.0 * PERIOD);
        guarded_take(&g);
        if (!(g.last_go_stamp <= g.sent_at + SHORT + 1e-4)) {
            fail_msg("a permit %.4f s after the last message", g.last_go_stamp - g.sent_at);
        }
    }
    assert_true(bursts > 0 || TEST_SANITIZED);  // a sanitized sender may be too slow for a burst
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

// Another stream: the sender began anew. STOP at once, though messages go on.
static void a_sender_that_begins_anew_stops(void** state) {
    (void)state;
    Guarded g = begin(ON_UDP);
    assert_true(guarded_until_go(&g, 15.0));
    g.stream = 8;
    guarded_send_state(&g, 0.0, false);
    const double changed = g.sent_at;  // cycles that begin after it have it before them
    for (int i = 0; i < 20; ++i) {
        guarded_send_state(&g, 0.0, false);
        guarded_sleep(0.005);
    }
    guarded_take(&g);
    assert_true(g.last_go_stamp <= changed);
    assert_false(g.last.permit.go);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

typedef struct Bad {
    const char* name;
    BerthStop stop;  // NONE: it is dropped
    const char* counted;
} Bad;

static size_t make_bad(const Guarded* g, int which, char* bytes, size_t capacity) {
    static BerthWireMessage m;
    memset(&m, 0, sizeof m);
    m.kind = BERTH_WIRE_STATE;
    m.stream = g->stream;
    m.sequence = g->sequence + 1;
    m.stamp = guarded_now();
    memcpy(m.name, which == 3 ? "other" : "state", sizeof "state");
    m.count = berth_scene_value_count(g->scene) - (which == 2);
    for (int32_t i = 0; i < m.count; ++i) {
        m.positions[i] = berth_scene_values(g->scene)[i];
    }
    const double zero = 0.0;
    m.positions[1] = which == 4 ? zero / zero : which == 5 ? 2.5 : which == 6 ? 0.9 : m.positions[1];
    size_t size = berth_wire_write(&m, bytes, capacity);
    bytes[20] ^= (char)(which == 0);
    return size - (which == 1 ? 3 : 0);
}

// Rows 6 to 8 of the failure table.
static void bad_messages_give_no_permit(void** state) {
    (void)state;
    static const Bad bads[] = {{"checksum", BERTH_STOP_NONE, "malformed"},
                               {"cut", BERTH_STOP_NONE, "malformed"},
                               {"count", BERTH_STOP_NONE, "malformed"},
                               {"name", BERTH_STOP_NONE, "nameless"},
                               {"NaN", BERTH_STOP_VALUE, NULL},
                               {"limit", BERTH_STOP_LIMIT, NULL},
                               {"jump", BERTH_STOP_JUMP, NULL}};
    Guarded g = begin(ON_UDP);
    char bytes[BERTH_WIRE_SIZE];
    for (int which = 0; which < (int)(sizeof bads / sizeof bads[0]); ++which) {
        assert_true(guarded_until_go(&g, 15.0));
        const double good_until = g.sent_at;
        const double end = good_until + SILENCE + 5.0 * PERIOD;
        double first_bad = 0.0;
        while (guarded_now() < end) {
            guarded_send(&g, bytes, make_bad(&g, which, bytes, sizeof bytes));
            first_bad = first_bad > 0.0 ? first_bad : guarded_now();
            g.sequence += bads[which].stop == BERTH_STOP_NONE;
            guarded_sleep(0.005);
        }
        guarded_take(&g);
        assert_false(g.last.permit.go);
        // What is dropped keeps nothing alive; what is wrong stops the first cycle that begins after it.
        const double until = bads[which].stop == BERTH_STOP_NONE ? good_until + SILENCE + 1e-4 : first_bad;
        if (!(g.last_go_stamp <= until)) {
            fail_msg("%s: a permit %.4f s after the last good message", bads[which].name,
                     g.last_go_stamp - good_until);
        }
    }
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    assert_true(guarded_number(&g, "end", "malformed") > 0 && guarded_number(&g, "end", "nameless") > 0);
    guarded_close(&g);
}

static void killed_and_started_again(void** state) {
    (void)state;
    for (int round = 0; round < 3; ++round) {
        Guarded g = begin(ON_UDP);
        assert_true(guarded_until_go(&g, 15.0));
        assert_int_equal(guarded_end(&g, SIGKILL), 1000 + SIGKILL);
        guarded_take(&g);
        const int64_t before = g.go_count + g.stop_count;
        guarded_sleep(3.0 * PERIOD);
        assert_int_equal(guarded_take(&g), 0);  // nobody speaks for the dead
        assert_int_equal(g.go_count + g.stop_count, before);
        guarded_close(&g);
        // The same sender goes on as if nothing had been: no permit before a reset.
        g = begin(ON_UDP);
        for (int i = 0; i < 20; ++i) {
            guarded_send_state(&g, 0.0, false);
            guarded_sleep(0.005);
        }
        guarded_take(&g);
        assert_int_equal(g.go_count, 0);
        guarded_close(&g);
    }
}

static void harmless_signals(void** state) {
    (void)state;
    Guarded g = begin(ON_UDP);
    for (int i = 0; i < 200; ++i) {
        (void)kill(g.pid, i % 2 == 0 ? SIGHUP : SIGPIPE);
        (void)kill(g.pid, SIGUSR2);  // a reset, over and over
        guarded_sleep(0.0005);
    }
    assert_true(guarded_until_go(&g, 15.0));
    assert_int_equal(guarded_end(&g, SIGINT), 0);
    guarded_take(&g);
    assert_int_equal(g.last.permit.reason, BERTH_STOP_END);
    guarded_close(&g);
}

// Strangers flood it for a moment: every one is counted, none is heard.
static void a_flood_of_strangers(void** state) {
    (void)state;
    const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--from", "127.0.0.1:9", "--good", "3",
                                     NULL};
    Guarded g = begin(arguments);
    const double end = guarded_now() + 0.3;
    long sent = 0;
    for (; guarded_now() < end; ++sent) {
        guarded_send_state(&g, 0.0, sent % 2 == 0);
        if (sent % 100 == 0) {
            guarded_send_reset(&g);
        }
    }
    guarded_take(&g);
    assert_int_equal(g.go_count, 0);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    assert_true(guarded_number(&g, "end", "strangers") + guarded_number(&g, "end", "unqueued") >=
                (double)sent);
    assert_int_equal((int)guarded_number(&g, "end", "messages"), 0);
    guarded_close(&g);
}

static void standard_input_is_heard(void** state) {
    (void)state;
    static const char* const arguments[] = {"--input", "-", "--good", "2", NULL};
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), true, arguments));
    char row[2048];
    int size = 0;
    for (int i = 0; i < 14; ++i) {
        size += snprintf(row + size, sizeof row - (size_t)size, "%s/joint%d%s", i < 7 ? "left" : "right",
                         i % 7 + 1, i < 13 ? "," : "\n");
    }
    assert_int_equal(write(g.in, row, (size_t)size), size);
    static const char values[] = "0,0,0,0,0,0,0,0,0,0,0,0,0,0\n";
    const double end = guarded_now() + 15.0;
    for (int i = 0; g.go_count == 0 && guarded_now() < end; ++i) {
        assert_int_equal(write(g.in, values, sizeof values - 1), sizeof values - 1);
        if (i % 40 == 0) {
            (void)kill(g.pid, SIGUSR2);
        }
        guarded_sleep(0.005);
        guarded_take(&g);
    }
    assert_true(g.go_count > 0);
    static const char bad[] = "0,0,nan,0,0,0,0,0,0,0,0,0,0,0\n";
    assert_int_equal(write(g.in, bad, sizeof bad - 1), sizeof bad - 1);
    guarded_sleep(0.1);
    guarded_take(&g);
    assert_false(g.last.permit.go);
    assert_int_equal(guarded_end(&g, 0), 3);  // its input ended, and it had stopped
    last_reason(&g, "stop", "end");
    guarded_close(&g);
}

int test_guard_live(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_is),
        cmocka_unit_test(no_permit_without_state_and_reset),
        cmocka_unit_test(silence_takes_the_permit_away),
        cmocka_unit_test(a_queue_keeps_nothing_young),
        cmocka_unit_test(a_sender_that_begins_anew_stops),
        cmocka_unit_test(bad_messages_give_no_permit),
        cmocka_unit_test(killed_and_started_again),
        cmocka_unit_test(harmless_signals),
        cmocka_unit_test(a_flood_of_strangers),
        cmocka_unit_test(standard_input_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
