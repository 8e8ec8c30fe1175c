// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Who may speak to the real guard, over loopback: with a key, messages that are not signed, signed with another key, under another
// nonce, cut or changed give no permit, nor does what was recorded before a fault; states of another model or of other joints are
// refused; and what is not on loopback needs a key or trust.
// test-labels: waits

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/wire/wire.h"
#include "support/expect.h"
#include "support/guarded.h"
#include "support/program.h"
#include "support/setting.h"

static const double PERIOD = 0.01, SILENCE = 0.1;
static const char secret[] = "0123456789abcdef0123456789abcdef";

static const char* key_file(void) {
    const char* path = program_temporary("guard.key");
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0 && write(file, secret, sizeof secret - 1) == (ssize_t)sizeof secret - 1);
    (void)close(file);
    return path;
}

static Guarded begin_with_key(void) {
    static Guarded g;
    const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--good", "2", "--key", key_file(), NULL};
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    return g;
}

/// How a message is signed, or not.
typedef enum Way { RIGHT, PLAIN, OTHER_KEY, OTHER_NONCE, CHANGED, CUT, WAY_COUNT } Way;

typedef struct Sent {
    char bytes[BERTH_WIRE_SIZE];
    size_t size;
} Sent;

// Somebody in between makes the sequence another one, and the checksum right again: that needs no key.
static void change(char* bytes, size_t size, bool json) {
    const size_t body = json ? size - 18 : size - 4;
    bytes[json ? strcspn(bytes, "q") + strlen("quence\":") : 18] ^= 1;
    const uint32_t sum = bi_wire_checksum(bytes, body);
    if (json) {
        (void)snprintf(bytes + body, 32, ",\"crc\":\"%08x\"}", sum);
    }
    for (int k = 0; !json && k < 4; ++k) {
        bytes[body + (size_t)k] = (char)(sum >> (8 * k));
    }
}

// What a sender would put on the wire under the nonce that the guard's last permit had.
static Sent make(Guarded* g, BerthWireKind kind, bool json, Way way) {
    static BerthWireMessage m;
    Sent sent = {.size = 0};
    memset(&m, 0, sizeof m);
    m.kind = kind;
    m.stream = g->stream;
    m.sequence = ++g->sequence;
    m.stamp = guarded_now();
    if (kind == BERTH_WIRE_STATE) {
        memcpy(m.name, "state", sizeof "state");
        m.count = berth_scene_value_count(g->scene);
        m.has_velocities = true;
        memcpy(m.positions, berth_scene_values(g->scene), (size_t)m.count * sizeof *m.positions);
    }

    BerthWireKey key;
    berth_wire_make_key(way == OTHER_KEY ? "another key, as long as it" : secret,
                        way == OTHER_KEY ? 26 : sizeof secret - 1, &key);
    sent.size = json ? berth_wire_write_json(&m, sent.bytes, sizeof sent.bytes)
                     : berth_wire_write(&m, sent.bytes, sizeof sent.bytes);
    if (way != PLAIN) {
        sent.size = berth_wire_sign(sent.bytes, sent.size, sizeof sent.bytes,
                                    g->last.nonce + (way == OTHER_NONCE), 0, &key);
    }
    assert_true(sent.size > 0);
    if (way == CHANGED) {
        change(sent.bytes, sent.size, json);
    }
    sent.size -= way == CUT ? 7 : 0;
    return sent;
}

static void send_one(Guarded* g, BerthWireKind kind, bool json, Way way) {
    const Sent sent = make(g, kind, json, way);
    guarded_send(g, sent.bytes, sent.size);
    g->sent_at = guarded_now();
}

static void talk(Guarded* g, Way states, Way resets, double seconds) {
    const double end = guarded_now() + seconds;
    for (int i = 0; guarded_now() < end; ++i) {
        if (i % 20 == 0) {
            send_one(g, BERTH_WIRE_RESET, i % 40 == 0, resets);
        }
        send_one(g, BERTH_WIRE_STATE, i % 2 == 0, states);
        guarded_sleep(0.005);
        guarded_take(g);
    }
}

static bool talk_until_go(Guarded* g) {
    const int64_t before = g->go_count;
    for (int i = 0; i < 60 && g->go_count == before; ++i) {
        talk(g, RIGHT, RIGHT, 0.25);
    }
    return g->go_count > before;
}

static void only_the_key_gives_permits(void** state) {
    (void)state;
    Guarded g = begin_with_key();
    talk(&g, PLAIN, PLAIN, 0.05);  // the nonce is heard
    assert_true(g.last.nonce != 0);
    for (int way = PLAIN; way < WAY_COUNT; ++way) {
        talk(&g, (Way)way, (Way)way, 0.25);
        talk(&g, RIGHT, (Way)way, 0.25);
        assert_int_equal(g.go_count, 0);
    }
    talk(&g, PLAIN, RIGHT, 0.25);
    assert_int_equal(g.go_count, 0);
    assert_true(talk_until_go(&g));

    // States that are not signed keep nothing alive.
    for (int way = PLAIN; way < WAY_COUNT; ++way) {
        assert_true(talk_until_go(&g));
        const double last_good = g.sent_at;
        talk(&g, (Way)way, RIGHT, SILENCE + 10.0 * PERIOD);
        assert_false(g.last.permit.go);
        if (!(g.last_go_stamp <= last_good + SILENCE + 1e-4)) {
            fail_msg("way %d: a permit %.4f s after the last signed state", way, g.last_go_stamp - last_good);
        }
    }
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    assert_true(guarded_number(&g, "end", "forged") > 0 && guarded_number(&g, "end", "replayed") > 0 &&
                guarded_number(&g, "end", "malformed") > 0);
    guarded_close(&g);
}

// All that was sent while there were permits, in its order and pace, after a fault: the reset too. The nonce is another one then.
static void what_was_recorded_is_worth_nothing(void** state) {
    (void)state;
    enum { MOST = 60 };
    static Sent recorded[MOST];
    Guarded g = begin_with_key();
    for (int round = 0; round < 3; ++round) {
        assert_true(talk_until_go(&g));
        g.stream += 1;  // the sender begins anew: a fault, and a stream that no sequence is known of
        talk(&g, RIGHT, RIGHT, 0.05);
        for (int i = 0; i < MOST; ++i) {
            recorded[i] = make(&g, i % 20 == 0 ? BERTH_WIRE_RESET : BERTH_WIRE_STATE, i % 3 == 0, RIGHT);
            if (i < MOST / 2) {
                guarded_send(&g, recorded[i].bytes, recorded[i].size);  // the others were held back
            }
            guarded_sleep(0.002);
            guarded_take(&g);
        }
        const uint64_t nonce = g.last.nonce;
        guarded_sleep(SILENCE + 5.0 * PERIOD);  // a fault: late
        guarded_take(&g);
        assert_false(g.last.permit.go);
        if (g.last.nonce == nonce) {
            continue;  // it had stood all the while: there was no fault that began
        }
        const int64_t before = g.go_count;
        for (int i = 0; i < MOST; ++i) {
            guarded_send(&g, recorded[i].bytes, recorded[i].size);
            guarded_sleep(0.002);
        }
        guarded_sleep(5.0 * PERIOD);
        guarded_take(&g);
        assert_int_equal(g.go_count, before);
    }
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    assert_true(guarded_number(&g, "end", "replayed") > 0);
    guarded_close(&g);
}

// Permits are signed too, and answer with the stream of who spoke from where they go.
static void permits_are_signed(void** state) {
    (void)state;
    Guarded g = begin_with_key();
    BerthWireKey key;
    berth_wire_make_key(secret, sizeof secret - 1, &key);
    g.stream = 4711;
    assert_true(talk_until_go(&g));
    assert_true(g.last.answer == 0);  // it speaks from another port than it listens at

    const int sender = g.sender;
    g.sender = g.permits;
    bool answered = false;
    for (int i = 0; i < 400 && !answered; ++i) {
        send_one(&g, BERTH_WIRE_HELLO, i % 2 == 0, RIGHT);
        send_one(&g, BERTH_WIRE_STATE, i % 2 == 0, RIGHT);
        guarded_sleep(0.005);
        static char bytes[BERTH_WIRE_SIZE];
        static BerthWireMessage m;
        for (ssize_t got; (got = read(g.permits, bytes, sizeof bytes)) > 0;) {
            assert_int_equal(berth_wire_read(bytes, (size_t)got, &m), BERTH_OK);
            assert_true(berth_wire_is_signed_by(&m, bytes, &key));
            g.last = m;
            answered = answered || m.answer == 4711;
        }
    }
    g.sender = sender;
    assert_true(answered);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    json_t* start = guarded_event(&g, "start");
    assert_true(json_integer_value(json_object_get(start, "nonce")) != 0);
    json_decref(start);
    guarded_close(&g);
}

/// What a state says that it is of.
typedef enum Claim { NONE, MODEL, NAMES, BOTH, WRONG_MODEL, WRONG_NAMES } Claim;

static void send_claim(Guarded* g, Claim claim, bool json) {
    static BerthWireMessage m;
    static char bytes[BERTH_WIRE_SIZE];
    memset(&m, 0, sizeof m);
    m.kind = BERTH_WIRE_STATE;
    m.stream = g->stream;
    m.sequence = ++g->sequence;
    m.stamp = guarded_now();
    memcpy(m.name, "state", sizeof "state");
    m.count = berth_scene_value_count(g->scene);
    m.has_velocities = true;
    memcpy(m.positions, berth_scene_values(g->scene), (size_t)m.count * sizeof *m.positions);
    m.has_model = claim == MODEL || claim == BOTH || claim == WRONG_MODEL;
    m.has_names = claim == NAMES || claim == BOTH || claim == WRONG_NAMES;
    memcpy(m.model, g->last.permit.model, sizeof m.model);
    m.model[31] ^= claim == WRONG_MODEL;
    for (int32_t i = 0, at = 0; m.has_names && i < m.count; ++i) {
        // Wrong: two neighbours the other way round.
        const int32_t told = claim == WRONG_NAMES && i >= m.count - 2 ? 2 * m.count - 3 - i : i;
        berth_scene_value_name(g->scene, told, m.names + at, sizeof m.names - (size_t)at);
        at += (int32_t)strlen(m.names + at) + 1;
    }
    const size_t size =
        json ? berth_wire_write_json(&m, bytes, sizeof bytes) : berth_wire_write(&m, bytes, sizeof bytes);
    assert_true(size > 0);
    guarded_send(g, bytes, size);
}

static void states_of_another_model_or_other_joints(void** state) {
    (void)state;
    static const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--good", "2", NULL};
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    guarded_sleep(3.0 * PERIOD);
    guarded_take(&g);
    for (int claim = NONE; claim <= WRONG_NAMES; ++claim) {
        const int64_t before = g.go_count;
        const bool right = claim < WRONG_MODEL;
        guarded_sleep(SILENCE + 5.0 * PERIOD);
        guarded_take(&g);
        const int64_t silent = g.go_count;
        const double end = guarded_now() + (right ? 15.0 : 0.4);
        for (int i = 0; guarded_now() < end && !(right && g.go_count > silent); ++i) {
            if (i % 20 == 0) {
                guarded_send_reset(&g);
            }
            send_claim(&g, (Claim)claim, i % 2 == 0);
            guarded_sleep(0.005);
            guarded_take(&g);
        }
        assert_true(before <= silent);
        assert_true((g.go_count > silent) == right);
    }
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    assert_true(guarded_number(&g, "end", "misfits") > 0);
    guarded_close(&g);
}

// Nothing is opened: each is refused before the first cycle, or ends after one.
static void who_is_believed_where(void** state) {
    (void)state;
    const char* key = key_file();
    const char* open_key = program_temporary("open.key");
    assert_true(program_write_text(open_key, secret) && chmod(open_key, 0644) == 0);
    const struct {
        const char* arguments[8];
        const char* words;  // null: it runs
    } cases[] = {
        {{"--input", "udp:0.0.0.0:0"}, "--key FILE"},
        {{"--input", "udp:0.0.0.0:0", "--from", "127.0.0.1"}, "--key FILE"},
        {{"--input", "udp:0.0.0.0:0", "--trust-network"}, "name who may send"},
        {{"--input", "udp:0.0.0.0:0", "--trust-network", "--from", "10.9.8.7"}, NULL},
        {{"--input", "udp:0.0.0.0:0", "--key", key}, NULL},
        {{"--input", "udp:127.0.0.1:0", "--from", "10.9.8.7"}, "--from 10.9.8.7 is not on loopback"},
        {{"--input", "udp:127.0.0.1:0", "--from", "10.9.8.7", "--key", key}, NULL},
        {{"--input", "udp:127.0.0.1:0", "--output", "udp:10.9.8.7:9"}, "--output udp:10.9.8.7:9 is not"},
        {{"--input", "dds:/joint_states"}, "--trust-network"},
        {{"--input", "dds:/joint_states", "--key", key}, "--trust-network"},
        {{"--input", "udp:127.0.0.1:0", "--output", "dds:"}, "--trust-network"},
        {{"--input", "udp:127.0.0.1:0", "--key", "nowhere.key"}, "--key nowhere.key: "},
        {{"--input", "udp:127.0.0.1:0", "--key", open_key}, "others may read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* const* a = cases[i].arguments;
        const bool runs = cases[i].words == NULL;
        ProgramRun run = program_run("monitor", program_model("two_arms/testbed.yaml"), "--not-real-time",
                                     "--cycles", "3", "--quiet", a[0], a[1], a[2], a[3], a[4], a[5], NULL);
        if (run.status != (runs ? 0 : 2) || (!runs && strstr(run.err, cases[i].words) == NULL)) {
            fail_msg("case %zu: %d, %s", i, run.status, run.err);
        }
        program_free(&run);
    }
}

int test_guard_trust(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_key_gives_permits),
        cmocka_unit_test(what_was_recorded_is_worth_nothing),
        cmocka_unit_test(permits_are_signed),
        cmocka_unit_test(states_of_another_model_or_other_joints),
        cmocka_unit_test(who_is_believed_where),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
