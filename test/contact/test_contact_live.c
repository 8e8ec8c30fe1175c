// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-labels: threads waits
//
// A follower led live, over real loopback: the force is the coupling's, silence and every fault are force 0 and say so, what
// is old, foreign or no pose is not taken, a loop that hangs is ended, and so is one that is interrupted. Times are those of
// the program's stamps and of the sender's clock, which are one clock: nobody's lateness counts.

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <berth/contact.h>
#include <math.h>

#include "math/math.h"
#include "support/expect.h"
#include "support/guarded.h"

static const double SILENCE = 0.3, PATIENCE = 60.0;
#define ARGUMENTS "--follower", "hand=udp:127.0.0.1:0", "--period", "0.005", "--silence", "0.3"

static const char SCENE[] =
    "berth: 1\n"
    "objects:\n"
    "  - {name: table, box: {size: [2, 2, 0.1]}, pose: {xyz: [0, 0, -0.05]}}\n"
    "  - {name: hand, box: {size: [0.1, 0.1, 0.1]}, pose: {xyz: [0, 0, 0.3]}}\n";

typedef struct Hand {
    Guarded g;
    uint64_t stream, sequence;
    double sent_at;
    // The last message that came.
    char state[16];
    double stamp, valid_for, lag;
    BerthVec3 force, moment;
    uint64_t answers;
    bool limited;
    int64_t messages, live_messages;
    double last_live_stamp;
    double most_force;
} Hand;

static Hand take_hand(const char* const* arguments) {
    Hand h = {.stream = 7};
    if (!guarded_start_as(&h.g, "contact", expect_written("live.yaml", SCENE), false, arguments)) {
        fail_msg("it did not start: %s", h.g.text);
    }
    return h;
}

// ---- messages ----------------------------------------------------------------------------------------------------

static void send_pose(Hand* h, const char* name, const Pose* pose, bool json) {
    static BerthWireMessage m;
    char bytes[BERTH_WIRE_SIZE];
    m = (BerthWireMessage){.kind = BERTH_WIRE_POSE, .stream = h->stream, .sequence = ++h->sequence};
    m.stamp = guarded_now();
    m.pose = *pose;
    (void)snprintf(m.name, sizeof m.name, "%s", name);
    const size_t size =
        json ? berth_wire_write_json(&m, bytes, sizeof bytes) : berth_wire_write(&m, bytes, sizeof bytes);
    assert_true(size > 0);
    guarded_send(&h->g, bytes, size);
    h->sent_at = guarded_now();
}

static BerthVec3 vector_of(const json_t* message, const char* key) {
    const json_t* list = json_object_get(message, key);
    assert_int_equal(json_array_size(list), 3);
    return (BerthVec3){json_number_value(json_array_get(list, 0)), json_number_value(json_array_get(list, 1)),
                       json_number_value(json_array_get(list, 2))};
}

static bool is_force(const char* bytes, size_t size) {
    json_t* m = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
    const char* kind = json_string_value(json_object_get(m, "kind"));
    const bool is = kind != NULL && strcmp(kind, "force") == 0;
    json_decref(m);
    return is;
}

// Takes all that came. Whatever is not live is force 0.
static int take(Hand* h) {
    char bytes[BERTH_WIRE_SIZE];
    int count = 0;
    for (size_t got; (got = guarded_receive(&h->g, bytes, sizeof bytes, is_force)) > 0; ++count) {
        json_t* m = json_loadb(bytes, got, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(m);
        assert_string_equal(text_at(m, "kind"), "force");
        assert_string_equal(text_at(m, "name"), "hand");
        (void)snprintf(h->state, sizeof h->state, "%s", text_at(m, "state"));
        h->stamp = number_at(m, "stamp");
        h->valid_for = number_at(m, "valid_for");
        h->force = vector_of(m, "force");
        h->moment = vector_of(m, "moment");
        h->answers = (uint64_t)json_integer_value(json_object_get(m, "answers"));
        h->lag = json_number_value(json_object_get(m, "lag"));
        h->limited = json_is_true(json_object_get(m, "limited"));
        ++h->messages;

        h->most_force = fmax(h->most_force, v3_length(h->force));
        const bool live = strcmp(h->state, "live") == 0;
        if (live) {
            ++h->live_messages;
            h->last_live_stamp = h->stamp;
        } else {
            assert_true(v3_length(h->force) == 0.0 && v3_length(h->moment) == 0.0 && h->valid_for == 0.0);
        }
        json_decref(m);
    }
    return count;
}

// Sends this pose again and again until the last of them is answered in this state, at most so long.
static bool is_held(Hand* h, const Pose* pose, const char* state, bool json, double seconds) {
    const double end = guarded_now() + seconds;
    for (int i = 0; guarded_now() < end; ++i) {
        send_pose(h, "hand", pose, json);
        guarded_sleep(0.005);
        if (take(h) > 0 && i >= 4 && strcmp(h->state, state) == 0) {
            return true;
        }
    }
    return false;
}

static void hold_until(Hand* h, const Pose* pose, const char* state, bool json) {
    if (!is_held(h, pose, state, json, PATIENCE)) {
        fail_msg("'%s' was expected, '%s' is told", state, h->state);
    }
}

// From above the table to there, slowly. Where a busy machine is silent for too long on the way it gets no force until it was out:
// then once more.
static void lower_hand(Hand* h, double z) {
    const double end = guarded_now() + PATIENCE;
    Pose pose = pose_identity();
    do {
        pose.t = v3(0, 0, 0.3);
        hold_until(h, &pose, "live", false);
        for (double at = 0.3; at > z; at -= 0.01) {
            pose.t.z = at;
            send_pose(h, "hand", &pose, false);
            guarded_sleep(0.004);
        }
        pose.t.z = z;
    } while (!is_held(h, &pose, "live", true, 2.0) && guarded_now() < end);
    assert_string_equal(h->state, "live");
}

static int end(Hand* h, int signal) {
    const int status = guarded_end(&h->g, signal);
    take(h);
    return status;
}

// ---- what is felt --------------------------------------------------------------------------------------------------

static void the_hand_feels_the_coupling(void** state) {
    (void)state;
    Hand h = take_hand((const char* const[]){ARGUMENTS, NULL});
    lower_hand(&h, 0.04);
    assert_true(v3_distance(h.force, v3(0, 0, 10)) < 0.02);
    assert_true(fabs(h.lag - 0.01) < 1e-5 && !h.limited && h.valid_for > 0.0);

    // Pressed flat it cannot turn: the hand is turned back.
    Pose turned = bi_pose_axis_angle(v3(0, 1, 0), 0.05, v3(0, 0, 0.03));
    while (!is_held(&h, &turned, "live", false, 2.0)) {
        lower_hand(&h, 0.04);
    }
    assert_true(h.moment.y < -1e-4);
    assert_int_equal(end(&h, SIGINT), 0);
    assert_string_equal(h.state, "ended");
    assert_true(guarded_number(&h.g, "end", "poses") > 30 && guarded_number(&h.g, "end", "malformed") == 0);
    assert_true(guarded_number(&h.g, "end", "cycles") + 1 == guarded_number(&h.g, "end", "sent"));
    guarded_close(&h.g);
}

static void no_pose_no_force(void** state) {
    (void)state;
    Hand h = take_hand((const char* const[]){ARGUMENTS, NULL});
    guarded_sleep(0.1);
    assert_true(take(&h) > 0);
    assert_string_equal(h.state, "waiting");
    assert_int_equal(end(&h, SIGTERM), 0);
    assert_int_equal(h.live_messages, 0);
    guarded_close(&h.g);
}

// Silence is force 0; a hand that is in the table by then gets no force until it was out.
static void silence_is_no_force(void** state) {
    (void)state;
    Hand h = take_hand((const char* const[]){ARGUMENTS, NULL});
    for (int round = 0; round < 2; ++round) {
        lower_hand(&h, 0.04);
        const double since = h.sent_at;
        guarded_sleep(SILENCE + 0.05);
        const double until = guarded_now() + PATIENCE;
        for (take(&h); strcmp(h.state, "silent") != 0 && guarded_now() < until; take(&h)) {
            guarded_sleep(0.005);
        }
        assert_string_equal(h.state, "silent");
        assert_true(h.last_live_stamp <= since + SILENCE);

        Pose pose = pose_identity();
        pose.t = v3(0, 0, 0.04);
        hold_until(&h, &pose, "inside", false);
        do {
            pose.t.z = 0.051;
            hold_until(&h, &pose, "live", false);
            pose.t.z = 0.048;
        } while (!is_held(&h, &pose, "live", false, 2.0));
        assert_true(fabs(h.force.z - 2.0) < 0.02);
    }
    assert_int_equal(end(&h, SIGINT), 0);
    assert_true(guarded_number(&h.g, "end", "silences") >= 2);
    guarded_close(&h.g);
}

// It was stopped while poses came: what waited in the queue is as old as it is.
static void a_stopped_loop_takes_nothing_old(void** state) {
    (void)state;
    Hand h = take_hand((const char* const[]){ARGUMENTS, NULL});
    lower_hand(&h, 0.04);
    assert_int_equal(kill(h.g.pid, SIGSTOP), 0);
    guarded_sleep(0.05);
    take(&h);
    Pose pose = pose_identity();
    pose.t = v3(0, 0, 0.03);
    send_pose(&h, "hand", &pose, false);
    const uint64_t last = h.sequence;
    guarded_sleep(SILENCE + 0.1);
    const int64_t before = h.live_messages;
    assert_int_equal(kill(h.g.pid, SIGCONT), 0);
    const double until = guarded_now() + PATIENCE;
    while (h.answers < last && guarded_now() < until) {
        guarded_sleep(0.01);
        take(&h);
    }
    assert_int_equal(h.answers, last);
    assert_int_equal(h.live_messages, before);
    assert_string_equal(h.state, "silent");
    assert_int_equal(end(&h, SIGINT), 0);
    guarded_close(&h.g);
}

static void a_force_is_limited(void** state) {
    (void)state;
    Hand h = take_hand((const char* const[]){ARGUMENTS, "--force-limit", "7", "--coupling", "2000,0", NULL});
    lower_hand(&h, -0.5);
    assert_true(h.limited);
    assert_true(fabs(v3_length(h.force) - 7.0) < 1e-9 && h.most_force <= 7.0 + 1e-9);
    assert_int_equal(end(&h, SIGINT), 0);
    guarded_close(&h.g);
}

// ---- what is not taken -------------------------------------------------------------------------------------------

static void what_is_no_pose_of_the_hand_is_not_taken(void** state) {
    (void)state;
    Hand h = take_hand((const char* const[]){ARGUMENTS, NULL});
    Pose pose = pose_identity();
    pose.t = v3(0, 0, 0.3);
    hold_until(&h, &pose, "live", false);

    // Rubbish, another name, another hand while this one speaks, a message that was sent before.
    guarded_send(&h.g, "rubbish", 7);
    Pose other = pose;
    other.t.x = 0.5;
    send_pose(&h, "table", &other, false);
    h.stream = 8;
    send_pose(&h, "hand", &other, false);
    h.stream = 7;
    const uint64_t sequence = h.sequence;
    h.sequence = 1;
    send_pose(&h, "hand", &other, false);
    h.sequence = sequence;
    hold_until(&h, &pose, "live", false);

    // No rotation, no number: a fault until there is a good one.
    Pose wrong = pose;
    wrong.x = v3(2, 0, 0);
    hold_until(&h, &wrong, "fault", false);
    wrong = pose;
    wrong.t.z = NAN;
    hold_until(&h, &wrong, "fault", false);
    hold_until(&h, &pose, "live", false);

    assert_int_equal(end(&h, SIGINT), 0);
    assert_true(guarded_number(&h.g, "end", "strangers") == 2);
    assert_true(guarded_number(&h.g, "end", "stale") == 1);
    assert_true(guarded_number(&h.g, "end", "malformed") >= 3);
    guarded_close(&h.g);
}

static void a_loop_that_hangs_is_ended(void** state) {
    (void)state;
    Hand h = take_hand((const char* const[]){ARGUMENTS, "--test-fault", "hang@20", "--watchdog", "2", NULL});
    assert_int_equal(end(&h, 0), 5);
    assert_true(h.messages == 20);
    guarded_close(&h.g);
}

static void requests_that_are_wrong_are_refused(void** state) {
    (void)state;
    const char* scene = expect_written("live.yaml", SCENE);
#define REFUSED(text, ...)                                             \
    do {                                                               \
        ProgramRun run = EXPECT_RUN(2, "contact", scene, __VA_ARGS__); \
        if (strstr(run.err, text) == NULL) {                           \
            fail_msg("'%s' is not in: %s", text, run.err);             \
        }                                                              \
        program_free(&run);                                            \
    } while (0)
    REFUSED("--output", "--follower", "hand=udp:127.0.0.1:0", "--not-real-time");
    REFUSED("--from", "--follower", "hand=udp:0.0.0.0:0", "--output", "udp:127.0.0.1:9", "--not-real-time");
    REFUSED("no body", "--follower", "nobody=udp:127.0.0.1:0", "--output", "udp:127.0.0.1:9");
    REFUSED("udp:HOST:PORT", "--follower", "hand=udp:127.0.0.1:0", "--output", "tcp:127.0.0.1:9",
            "--not-real-time");
    REFUSED("--silence", "--silence", "0.1");
    REFUSED("--output", "--output", "udp:127.0.0.1:9");
    REFUSED("--constrain", "--follower", "hand=udp:127.0.0.1:0", "--output", "udp:127.0.0.1:9",
            "--constrain");
    REFUSED("--priority", "--follower", "hand=udp:127.0.0.1:0", "--output", "udp:127.0.0.1:9", "--priority",
            "99");
    REFUSED("hang@CYCLE", "--follower", "hand=udp:127.0.0.1:0", "--output", "udp:127.0.0.1:9", "--test-fault",
            "model@3");
}

int test_contact_live(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hand_feels_the_coupling),
        cmocka_unit_test(no_pose_no_force),
        cmocka_unit_test(silence_is_no_force),
        cmocka_unit_test(a_stopped_loop_takes_nothing_old),
        cmocka_unit_test(a_force_is_limited),
        cmocka_unit_test(what_is_no_pose_of_the_hand_is_not_taken),
        cmocka_unit_test(a_loop_that_hangs_is_ended),
        cmocka_unit_test(requests_that_are_wrong_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
