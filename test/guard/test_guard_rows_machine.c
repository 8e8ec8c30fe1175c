// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The fault laboratory: rows 11 to 24 of docs/reference/safety.md, the machine and its surroundings, each against a real `berth monitor` on loopback. Every permit is judged by the
// account of support/lab.h. What is asserted without patience is on the safe side only; that permits come when all is well is
// waited for, with resets, because a busy machine makes cycles late.
// test-labels: waits

#include <arpa/inet.h>
#include <berth/lab/monitor.h>
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/expect.h"
#include "support/guard.h"
#include "support/lab.h"
#include "support/setting.h"

// Row 11: stopped for 20 ms and more, going on again: no permit without a reset.
static void row_11_stopped_for_a_moment(void** state) {
    (void)state;
    Lab lab;
    lab_open_plain(&lab);
    for (int i = 0; i < test_scaled(12); ++i) {
        lab_go(&lab);
        lab_talk(&lab, lab_between(0.0, 2.0 * LAB_PERIOD));
        siginfo_t how = {0};
        assert_int_equal(kill(lab.g.pid, SIGSTOP), 0);
        assert_int_equal(waitid(P_PID, (id_t)lab.g.pid, &how, WSTOPPED), 0);
        const double stopped = guarded_now();
        lab_note(&lab, LAB_FAULT, 0, stopped, stopped);
        // Its messages go on; and a reset waits behind more than it reads in the cycle that finds out. Who sent it did not know.
        for (int k = 0; k < (i % 2 == 0 ? 0 : 40); ++k) {
            guarded_send(&lab.g, "rubbish", 7);
        }
        if (i % 2 != 0) {
            lab_reset(&lab);
        }
        for (int k = 0; k < 11; ++k) {
            lab_good(&lab);
            guarded_sleep(0.002);
        }
        const double woken = guarded_now();
        lab_note(&lab, LAB_FAULT, 0, woken, woken);
        assert_int_equal(kill(lab.g.pid, SIGCONT), 0);
        lab_talk(&lab, 4.0 * LAB_PERIOD);
        assert_true(lab_stopped(&lab, true));
    }
    assert_true(lab.stops[BERTH_STOP_OVERRUN] > 0);
    lab_close(&lab);
}

// Runs until cycle `at` and some more with resets; how many permits came of later cycles than the first STOP of that kind.
static int64_t permits_after(Lab* lab, uint64_t at, BerthStop kind, double more, uint64_t* last_go) {
    const double limit = guarded_now() + LAB_PATIENCE;
    int64_t after = 0, went = 0;
    double seen = (double)INFINITY;
    *last_go = 0;
    for (int i = 0; guarded_now() < limit && guarded_now() < seen + more; ++i) {
        const int64_t before = lab->go;
        if (i % 16 == 0) {
            lab_reset(lab);
        }
        lab_good(lab);
        guarded_sleep(0.003);
        const bool is_over = isfinite(seen);
        (void)lab_take(lab);
        after += is_over ? lab->go - before : 0;
        went += lab->last_permit < at ? lab->go - before : 0;
        *last_go = lab->g.last.permit.go ? lab->g.last.sequence : *last_go;
        if (!is_over && lab->last_permit >= at && lab->stops[kind] > 0) {
            seen = guarded_now();
        }
    }
    assert_true(isfinite(seen));
    print_message("%lld permits before cycle %llu\n", (long long)went, (unsigned long long)at);
    return after;
}

// Row 11: a cycle that takes longer than its period.
static void row_11_a_cycle_takes_too_long(void** state) {
    (void)state;
    static const char* const delays[] = {"0.011@40", "0.03@55", "0.2@47"};
    for (int i = 0; i < 3; ++i) {
        const char* const arguments[] = {"--test-delay", delays[i], NULL};
        Lab lab;
        lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", arguments);
        const uint64_t at = strtoull(strchr(delays[i], '@') + 1, NULL, 10) + 1;
        const double limit = guarded_now() + LAB_PATIENCE;
        while (lab.last_permit + 8 < at && guarded_now() < limit) {
            (void)lab_until_go(&lab, 0.03);
        }
        const double silent_reset = guarded_now();
        while (lab.last_permit < at && guarded_now() < limit) {
            lab_talk(&lab, LAB_PERIOD);  // no reset over the moment
        }
        const double passed = guarded_now();
        assert_true(lab.last_permit >= at && passed > silent_reset);
        lab_talk(&lab, 4.0 * LAB_PERIOD);
        assert_true(lab_stopped(&lab, true));
        assert_true(lab.stops[BERTH_STOP_OVERRUN] > 0);
        lab_go(&lab);
        lab_close(&lab);
    }
}

// Row 12: the loop hangs: nothing more is said, and the watchdog ends it.
static void row_12_the_loop_hangs(void** state) {
    (void)state;
    static const char* const arguments[] = {"--test-fault", "hang@50", "--watchdog", "0.2", NULL};
    Lab lab;
    lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", arguments);
    const double limit = guarded_now() + LAB_PATIENCE;
    siginfo_t over = {0};
    while (over.si_pid == 0 && guarded_now() < limit) {
        (void)lab_until_go(&lab, 0.02);
        assert_int_equal(waitid(P_PID, (id_t)lab.g.pid, &over, WEXITED | WNOHANG | WNOWAIT), 0);
    }
    assert_int_equal(lab_end(&lab, 0), 5);
    assert_int_equal(lab.last_permit, 50);  // cycles 0 to 49
    assert_true(lab.go > 0);
    lab_close(&lab);
}

// Row 13: killed at any moment. Nobody speaks for it; a new one at its place begins in STOP, though the sender goes on.
static void row_13_killed(void** state) {
    (void)state;
    for (int i = 0; i < test_scaled(6); ++i) {
        Lab lab, next;
        char input[64];
        lab_open_plain(&lab);
        if (i % 3 != 0) {
            lab_go(&lab);
        }
        lab_talk(&lab, lab_between(0.0, 4.0 * LAB_PERIOD));
        assert_int_equal(lab_end(&lab, SIGKILL), 1000 + SIGKILL);
        for (int k = 0; k < 10; ++k) {
            lab_good(&lab);
            guarded_sleep(0.002);
            assert_int_equal(lab_take(&lab), 0);
        }
        (void)snprintf(input, sizeof input, "udp:127.0.0.1:%d", lab.g.port);
        const char* const arguments[] = {"--input", input, NULL};
        lab_open(&next, LAB_PERIOD, LAB_SILENCE, "", arguments);
        next.g.stream = lab.g.stream;
        next.g.sequence = lab.g.sequence;
        lab_talk(&next, 8.0 * LAB_PERIOD);
        assert_int_equal(next.go, 0);
        if (i % 3 == 0) {
            lab_go(&next);
        }
        lab_close(&next);
        lab_close(&lab);
    }
}

// ---- floods --------------------------------------------------------------------------------------------------

static int bound_socket(int* port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(file >= 0);
    assert_int_equal(bind(file, (struct sockaddr*)&at, sizeof at), 0);
    assert_int_equal(getsockname(file, (struct sockaddr*)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return file;
}

// A process that sends as fast as it can: states that look true, resets, rubbish.
static pid_t flood(const Lab* lab, bool true_looking) {
    const pid_t pid = fork();
    if (pid != 0) {
        return pid;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    Guarded other = lab->g;
    int port = 0;
    static char bytes[BERTH_WIRE_SIZE];
    static BerthWireMessage m;
    m = lab->state;
    other.sender = bound_socket(&port);
    for (uint64_t i = 0;; ++i) {
        m.stream = lab->g.stream;
        m.sequence = lab->g.sequence + 1000 + i;
        m.kind = i % 50 == 49 ? BERTH_WIRE_RESET : BERTH_WIRE_STATE;
        m.stamp = guarded_now();
        const size_t size = berth_wire_write(&m, bytes, sizeof bytes);
        bytes[30] = (char)(bytes[30] ^ !true_looking);
        guarded_send(&other, bytes, size);
        if (i % 64 == 63) {
            guarded_sleep(0.0002);
        }
    }
}

static void end_floods(const pid_t* pids, int count) {
    for (int i = 0; i < count; ++i) {
        (void)kill(pids[i], SIGKILL);
        (void)waitpid(pids[i], NULL, 0);
    }
}

// Row 14: three processes flood it. With --from theirs looks true; without, it is rubbish. The sender is heard, and its silence too.
static void row_14_floods(void** state) {
    (void)state;
    for (int declared = 0; declared < 2; ++declared) {
        int port = 0;
        const int sender = bound_socket(&port);
        char from[64];
        (void)snprintf(from, sizeof from, "127.0.0.1:%d", port);
        const char* const arguments[] = {"--from", from, NULL};
        Lab lab;
        lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", declared ? arguments : NULL);
        close(lab.g.sender);
        lab.g.sender = sender;
        lab_go(&lab);
        pid_t pids[3];
        for (int i = 0; i < 3; ++i) {
            pids[i] = flood(&lab, declared == 1);
        }
        int went = 0;
        for (int i = 0; i < test_scaled(3); ++i) {
            // Among rubbish the queue may be full all the time: then it stops, and that is right.
            went += lab_until_go(&lab, declared ? LAB_PATIENCE : 0.2);
            lab_wait(&lab, LAB_SILENCE + 4.0 * LAB_PERIOD);
            assert_true(lab_stopped(&lab, false));
        }
        end_floods(pids, 3);
        assert_true(went > 0 || !declared);
        lab_go(&lab);
        assert_int_equal(lab_end(&lab, SIGTERM), 0);
        const double other = guarded_number(&lab.g, "end", "strangers") +
                             guarded_number(&lab.g, "end", "unqueued") +
                             guarded_number(&lab.g, "end", "malformed");
        print_message("%.0f datagrams of others%s\n", other,
                      declared ? "" : ", or of its own that found the queue full");
        assert_true(other > 1000.0);
        lab_close(&lab);
    }
}

// Row 15: one receiver goes, one never reads. The third hears permits all the time.
static void row_15_receivers_that_are_gone(void** state) {
    (void)state;
    int ports[2], files[2];
    char outputs[2][64];
    for (int i = 0; i < 2; ++i) {
        files[i] = bound_socket(&ports[i]);
        (void)snprintf(outputs[i], sizeof outputs[i], "%s:127.0.0.1:%d", i == 0 ? "udp" : "json", ports[i]);
    }
    const int little = 1;
    (void)setsockopt(files[1], SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    const char* const arguments[] = {"--output", outputs[0], "--output", outputs[1], NULL};
    Lab lab;
    lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", arguments);
    lab_go(&lab);
    close(files[0]);
    for (int i = 0; i < test_scaled(10); ++i) {
        lab_talk(&lab, 5.0 * LAB_PERIOD);
        lab_go(&lab);
    }
    const uint64_t before = lab.last_permit;
    lab_talk(&lab, 10.0 * LAB_PERIOD);
    assert_true(lab.last_permit > before);
    lab_only_time_was_wrong(&lab);
    lab_close(&lab);
    close(files[1]);
}

static bool file_has(const char* path, const char* text) {
    static char all[1 << 18];
    FILE* file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    const size_t size = fread(all, 1, sizeof all - 1, file);
    all[size] = '\0';
    fclose(file);
    return strstr(all, text) != NULL;
}

// Row 16: the disk is full from the start; and it becomes full and has room again: it is told how much is missing.
static void row_16_the_disk_is_full(void** state) {
    (void)state;
    static const char* const full[] = {"--log", "/dev/full", NULL};
    Lab lab;
    lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", full);
    lab_go(&lab);
    lab_only_time_was_wrong(&lab);
    assert_int_equal(lab_end(&lab, SIGTERM), 4);
    assert_true(guarded_number(&lab.g, "end", "unwritten") > 0);
    lab_close(&lab);

    const char* path = program_temporary("rows.log");
    const char* const arguments[] = {"--log", path, NULL};
    lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", arguments);
    lab_go(&lab);
    struct stat now;
    struct rlimit before, little;
    assert_int_equal(stat(path, &now), 0);
    assert_int_equal(prlimit(lab.g.pid, RLIMIT_FSIZE, NULL, &before), 0);
    little = (struct rlimit){(rlim_t)now.st_size + 100, before.rlim_max};
    assert_int_equal(prlimit(lab.g.pid, RLIMIT_FSIZE, &little, NULL), 0);
    for (int i = 0; i < 6; ++i) {  // a change of the permit each, and so a line
        lab_go(&lab);
        lab.g.stream += 1;
        lab_bad(&lab, lab_next(&lab));
        lab_talk(&lab, 3.0 * LAB_PERIOD);
    }
    lab_go(&lab);
    assert_int_equal(stat(path, &now), 0);
    assert_true((rlim_t)now.st_size <= little.rlim_cur);
    assert_int_equal(prlimit(lab.g.pid, RLIMIT_FSIZE, &before, NULL), 0);
    const double end = guarded_now() + LAB_PATIENCE;
    bool told = false;
    while (!told && guarded_now() < end) {
        lab.g.stream += 1;
        lab_bad(&lab, lab_next(&lab));
        lab_talk(&lab, 3.0 * LAB_PERIOD);
        told = file_has(path, "\"event\": \"lost\"");
    }
    assert_true(told);
    lab_go(&lab);
    assert_int_equal(lab_end(&lab, SIGTERM), 4);  // lines are missing
    assert_int_equal(lab.g.last.permit.reason, BERTH_STOP_END);
    lab_close(&lab);
}

// Row 17: ended at any moment; the last word is STOP (lab_close asserts it). SIGHUP and SIGPIPE change nothing.
static void row_17_ended(void** state) {
    (void)state;
    const int trials = test_scaled(8);
    double longest = 0.0;
    int unflushed = 0;
    for (int i = 0; i < trials; ++i) {
        Lab lab;
        lab_open_plain(&lab);
        if (i % 2 == 0) {
            lab_go(&lab);
        }
        for (int k = 0; k < 5; ++k) {
            (void)kill(lab.g.pid, k % 2 == 0 ? SIGHUP : SIGPIPE);
            lab_talk(&lab, 0.5 * LAB_PERIOD);
        }
        lab_only_time_was_wrong(&lab);
        lab_talk(&lab, lab_between(0.0, 2.0 * LAB_PERIOD));
        const double asked = guarded_now();
        assert_int_equal(lab_end(&lab, i % 3 == 0 ? SIGINT : SIGTERM), 0);
        longest = fmax(longest, guarded_now() - asked);
        assert_int_equal(lab.g.last.permit.reason, BERTH_STOP_END);
        unflushed += guarded_event_count(&lab.g, "end") != 1;
        lab_close(&lab);
    }
    print_message("ended %.0f ms after the signal, the latest; %d of %d without their last line\n",
                  1000.0 * longest, unflushed, trials);
    assert_true(unflushed <= 1 + trials / 20);  // it waits 50 ms for its writer, and no longer
}

// ---- other things than joints --------------------------------------------------------------------------------

static const char cart_scene[] =
    "objects:\n  - {name: cart, sphere: {radius: 0.1}, pose: {xyz: [9, 0, 0]}, moving: {speed: 0.5}}\n"
    "  - {name: hood, sphere: {radius: 0.1}, pose: {xyz: [-9, 0, 0]}}\n";

static void tell_other(Lab* lab, int channel, int points, bool alive) {
    static BerthWireMessage m;
    memset(&m, 0, sizeof m);
    m.kind = channel == 1 ? BERTH_WIRE_POSE : BERTH_WIRE_CLOUD;
    (void)snprintf(m.name, sizeof m.name, "%s", channel == 1 ? "cart" : "camera");
    m.stream = lab->g.stream;
    m.sequence = ++lab->g.sequence;
    m.stamp = guarded_now();
    m.pose = (BerthPose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {9, 0, 0}};
    m.total = m.point_count = channel == 2 ? points : 0;
    m.alive = alive;
    for (int i = 0; i < m.point_count; ++i) {
        m.points[i] = (BerthVec3){8.0, 0.01 * i, 0.0};
    }
    const double before = guarded_now();
    lab_send(lab, &m, false);
    if (channel == 1 || points > 0 || alive) {
        lab_told(lab, channel, before, guarded_now());
    }
}

// Everybody talks but one (-1: all do). `empty`: the silent one is a sensor that sends nothing it saw.
static void talk_but(Lab* lab, int silent, bool empty, bool resets, double seconds) {
    const double end = guarded_now() + seconds;
    for (int i = 0; guarded_now() < end; ++i) {
        if (resets && i % 16 == 0) {
            lab_reset(lab);
        }
        for (int c = 1; c < 3; ++c) {
            if (c != silent) {
                tell_other(lab, c, i % 2 == 0 ? 5 : 0, true);
            } else if (empty && c == 2) {
                tell_other(lab, c, 0, false);
            }
        }
        if (silent != 0) {
            lab_good(lab);
        }
        guarded_sleep(0.003);
        (void)lab_take(lab);
    }
}

static bool goes_within(Lab* lab, double seconds) {
    const int64_t before = lab->go;
    const double end = guarded_now() + seconds;
    while ((lab->go == before || !lab->g.last.permit.go) && guarded_now() < end) {
        talk_but(lab, -1, false, true, 0.06);
    }
    return lab->go > before;
}

// A sender whose first message was held up on a busy machine between its stamp and its way is `skew` until it has a new stream.
static void all_go(Lab* lab) {
    const double end = guarded_now() + LAB_PATIENCE;
    while (!goes_within(lab, 5.0)) {
        if (guarded_now() > end) {
            fail_msg("no permit, the last word is %s", berth_stop_name(lab->g.last.permit.reason));
        }
        lab->g.stream += 1;
    }
}

// Row 18: whoever is silent, or a sensor that sees nothing and does not say that it lives: STOP. The account asks for all three.
static void row_18_others_are_silent(void** state) {
    (void)state;
    static const char* const arguments[] = {"--cloud", "camera=points:50,radius:0.01,speed:0.1", NULL};
    Lab lab;
    lab_open(&lab, LAB_PERIOD, LAB_SILENCE, cart_scene, arguments);
    lab.channels = 3;
    for (int i = 0; i < 3 || i < test_scaled(8); ++i) {  // each of the three once, at least
        all_go(&lab);
        talk_but(&lab, i % 3, i % 2 == 1, i % 4 == 3, LAB_SILENCE + 6.0 * LAB_PERIOD);
        assert_false(lab.g.last.permit.go);
    }
    assert_true(lab.stops[BERTH_STOP_OBJECT] > 0);
    lab_close(&lab);
}

// Row 19: the scene's file is not read again; what was not declared cannot be switched to; the permit's hash tells what is in force.
static void row_19_the_model_changes(void** state) {
    (void)state;
    static const char* const arguments[] = {"--cloud", "camera=points:50,radius:0.01,speed:0.1", "--choice",
                                            "hood=on:hood|off:", NULL};
    Lab lab;
    lab_open(&lab, LAB_PERIOD, LAB_SILENCE, cart_scene, arguments);
    lab.channels = 3;
    uint8_t hashes[2][32] = {{0}};
    BerthWireMessage change = {.kind = BERTH_WIRE_SWITCH, .name = "hood", .stamp = (double)NAN};
    for (int i = 0; i < 2 || i < test_scaled(6); ++i) {
        (void)snprintf(change.option, sizeof change.option, "%s", i % 2 == 0 ? "on" : "off");
        for (int tries = 0; tries == 0 || (tries < 12 && !goes_within(&lab, 5.0)); ++tries) {
            lab.g.stream += tries > 0;
            change.stream = lab.g.stream;
            change.sequence = ++lab.g.sequence;
            lab_send(&lab, &change, i % 2 == 0);
        }
        all_go(&lab);
        if (i < 2) {
            memcpy(hashes[i], lab.g.last.permit.model, 32);
        }
        assert_memory_equal(hashes[i % 2], lab.g.last.permit.model, 32);
        (void)kill(lab.g.pid, SIGHUP);  // many programs read their files again
    }
    assert_memory_not_equal(hashes[0], hashes[1], 32);
    for (int i = 0; i < test_scaled(4); ++i) {
        static const char* const undeclared[] = {"ajar", "", "ON", "on:hood"};
        // After a choice that was refused a declared one is waited for.
        (void)snprintf(change.option, sizeof change.option, "off");
        change.stream = lab.g.stream;
        change.sequence = ++lab.g.sequence;
        lab_send(&lab, &change, false);
        all_go(&lab);
        (void)snprintf(change.option, sizeof change.option, "%s", undeclared[i % 4]);
        change.stream = lab.g.stream;
        change.sequence = ++lab.g.sequence;
        static char bytes[BERTH_WIRE_SIZE];
        const size_t size = berth_wire_write(&change, bytes, sizeof bytes);
        const double before = guarded_now();
        if (size > 0) {  // an empty name is no message
            guarded_send(&lab.g, bytes, size);
            lab_note(&lab, LAB_FAULT, 0, before, guarded_now());
            talk_but(&lab, -1, false, false, 4.0 * LAB_PERIOD);
            assert_false(lab.g.last.permit.go);
        }
    }
    lab_close(&lab);
}

// ---- before the start ----------------------------------------------------------------------------------------

typedef struct Spoil {
    const char *from, *to;
} Spoil;

static void refuses(const char* text, const char* what) {
    const char* path = program_temporary("bad_cell.yaml");
    assert_true(program_write_text(path, text));
    ProgramRun run =
        program_run("monitor", path, "--input", "udp:127.0.0.1:0", "--not-real-time", "--cycles", "2", NULL);
    if (run.status != 2 || run.err[0] == '\0' || run.out_size != 0) {
        fail_msg("%s: exit %d, '%s', '%s'", what, run.status, run.out, run.err);
    }
    program_free(&run);
}

// Row 20: what is missing or out of range is refused, with a text; the same file unspoilt runs.
static void row_20_settings_that_are_wrong(void** state) {
    (void)state;
    static const Spoil spoils[] = {
        {"safety:", "x-safety:"},
        {"period: 0.01", "period: 0"},
        {"period: 0.01", "period: -0.01"},
        {"period: 0.01", "period: .nan"},
        {"period: 0.01", "period: .inf"},
        {"period: 0.01", "period: fast"},
        {"period: 0.01, ", ""},
        {"silence: 0.05", "silence: -1"},
        {"silence: 0.05", "silence: .nan"},
        {"silence: 0.05", "silence: 0"},
        {"silence: 0.05, ", ""},
        {"latency: 0.01", "latency: -0.01"},
        {"latency: 0.01, ", ""},
        {"reaction: 0.01", "reaction: -1"},
        {"reaction: 0.01, ", ""},
        {"margin: 0.005", "margin: -0.005"},
        {"margin: 0.005", "margin: .nan"},
        {"margin: 0.005", "margins: 0.005"},
        {"joint3: {acceleration: 5, deceleration: 20}", "joint3: {velocity: 1}"},
        {"joint3: {acceleration: 5, deceleration: 20}", "joint3: {acceleration: -5, deceleration: 20}"},
        {"joint3: {acceleration: 5, deceleration: 20}", "joint3: {acceleration: 5, deceleration: .nan}"},
        {"joint3: {acceleration: 5, deceleration: 20}", "joint3: {acceleration: 5, deceleration: .inf}"},
        {"joint3:", "joint33:"},
        {"arm.urdf", "no_arm.urdf"},
        {"berth: 1", "berth: 999"},
    };
    char text[8192];
    FILE* file = fopen(guarded_scene(LAB_PERIOD, LAB_SILENCE, ""), "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; ++i) {
        char spoilt[9000];
        const char* at = strstr(text, spoils[i].from);
        assert_non_null(at);
        (void)snprintf(spoilt, sizeof spoilt, "%.*s%s%s", (int)(at - text), text, spoils[i].to,
                       at + strlen(spoils[i].from));
        refuses(spoilt, spoils[i].to[0] != '\0' ? spoils[i].to : spoils[i].from);
    }
    refuses("", "an empty file");
    const char* path = program_temporary("good_cell.yaml");
    assert_true(program_write_text(path, text));
    ProgramRun run =
        program_run("monitor", path, "--input", "udp:127.0.0.1:0", "--not-real-time", "--cycles", "2", NULL);
    assert_int_equal(run.status, 0);
    program_free(&run);
}

// A joint without a deceleration brakes as it accelerates: that is told, and not enough for --strict.
static void braking_that_is_assumed_is_told(void** state) {
    (void)state;
    static const char given[] = ", deceleration: 20}";
    char text[8192], less[8192];
    FILE* file = fopen(guarded_scene(LAB_PERIOD, LAB_SILENCE, ""), "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    const char* at = strstr(text, given);
    assert_non_null(at);
    (void)snprintf(less, sizeof less, "%.*s}%s", (int)(at - text), text, at + strlen(given));
    const char* const cells[2] = {text, less};
    for (int i = 0; i < 2; ++i) {
        const char* path = program_temporary(i == 0 ? "full_cell.yaml" : "less_cell.yaml");
        assert_true(program_write_text(path, cells[i]));
        ProgramRun run = program_run("monitor", path, "--input", "udp:127.0.0.1:0", "--not-real-time",
                                     "--cycles", "2", "--json", "--strict", NULL);
        assert_int_equal(strstr(run.out, "{\"what\": \"braking_as_acceleration\", \"count\": 1}") != NULL, i);
        assert_true(i == 0 || run.status == 3);
        program_free(&run);
    }
}

// $BERTH_PROGRAM is a script that does something before it becomes the program.
static bool wrap_program(const char* before) {
    char text[2048];
    const char* program = getenv("BERTH_PROGRAM");
    (void)snprintf(text, sizeof text, "#!/bin/sh\n%s '%s' \"$@\"\n", before,
                   program != NULL && program[0] != '\0' ? program : BERTH_PROGRAM);
    const char* path = program_temporary("wrapped");
    return program_write_text(path, text) && chmod(path, 0755) == 0 && setenv("BERTH_PROGRAM", path, 1) == 0;
}

static void unwrap_program(const char* before) {
    if (before[0] != '\0') {
        setenv("BERTH_PROGRAM", before, 1);
    } else {
        unsetenv("BERTH_PROGRAM");
    }
}

static void copy_program(char* out, size_t size) {
    const char* program = getenv("BERTH_PROGRAM");
    (void)snprintf(out, size, "%s", program != NULL ? program : "");
}

// Row 21: without rights it runs only when that is said, and then every event says "not real-time". Nothing may be locked.
static void row_21_without_rights(void** state) {
    (void)state;
    if (TEST_SANITIZED) {
        printf("not under sanitizers, which lock no memory\n");
        return;
    }
    char before[1024];
    copy_program(before, sizeof before);
    const char* scene = guarded_scene(LAB_PERIOD, LAB_SILENCE, "");
    // Root gives its rights up, and can still read its files wherever they are.
    assert_true(wrap_program(geteuid() == 0
                                 ? "ulimit -l 0; ulimit -r 0\nexec setpriv --bounding-set=-sys_nice,-ipc_lock"
                                 : "ulimit -l 0; ulimit -r 0\nexec"));
    ProgramRun run = program_run("monitor", scene, "--input", "udp:127.0.0.1:0", "--cycles", "3", NULL);
    ProgramRun told = program_run("monitor", scene, "--input", "udp:127.0.0.1:0", "--cycles", "30", "--json",
                                  "--not-real-time", NULL);
    unwrap_program(before);
    const int lines = program_line_count(&told);
    int honest = 0;
    for (int i = 0; i < lines; ++i) {
        json_t* line = program_json_line(&told, i);
        honest += json_is_false(json_object_get(line, "real_time"));
        json_decref(line);
    }
    const int status = run.status, allowed = told.status;
    const bool helped = strstr(run.err, "--not-real-time") != NULL;
    const bool locked = strstr(told.out, "not locked") == NULL;
    program_free(&run);
    program_free(&told);
    assert_int_equal(status, 2);
    assert_true(helped);
    assert_int_equal(allowed, 0);
    assert_true(lines >= 3 && honest == lines);
    assert_false(locked);
}

// Row 22: one bit of the model. Found within a second of cycles, and no reset makes the model right again.
static void row_22_a_bit_of_the_model(void** state) {
    (void)state;
    static const char* const faults[] = {"model@40", "model@57"};
    for (int i = 0; i < 2; ++i) {
        const char* const arguments[] = {"--test-fault", faults[i], NULL};
        Lab lab;
        uint64_t last_go = 0;
        lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", arguments);
        const uint64_t at = strtoull(strchr(faults[i], '@') + 1, NULL, 10);
        const int64_t after = permits_after(&lab, at, BERTH_STOP_MODEL, 1.5, &last_go);
        if (after != 0) {
            fail_msg("%lld permits after it was found that the model is wrong", (long long)after);
        }
        assert_true(last_go <= at + (uint64_t)(1.0 / LAB_PERIOD) + 2);
        lab_close(&lab);
    }
}

// Row 22, in the library: wherever the bit is, from the slice that finds it on all slices do, whatever is reset.
static void row_22_stays_found(void** state) {
    (void)state;
    static GuardKit kit;
    kit_open(&kit, kit_arm, NULL, false, (BerthJointLimit){1.0, 4.0, 8.0});
    kit.def.good_needed = 1;
    kit_start(&kit);
    assert_true(kit_wake(&kit).go);
    const size_t bytes = berth_monitor_model_bytes(kit.monitor), slice = bytes / 50 + 1;
    for (int n = 0; n < test_scaled(300); ++n) {
        const size_t bit = (size_t)lab_pick(8 * (uint64_t)bytes);
        berth_monitor_test_flip_bit(kit.monitor, bit);
        bool found = false;
        for (int i = 0; i < 250; ++i) {
            const bool good = berth_monitor_check_model(kit.monitor, slice);
            assert_false(found && good);
            found = found || !good;
            berth_monitor_reset(kit.monitor);
        }
        assert_true(found);
        berth_monitor_test_flip_bit(kit.monitor, bit);
        for (int i = 0; i < 110; ++i) {
            found = !berth_monitor_check_model(kit.monitor, slice);
        }
        assert_false(found);
    }
    kit_close(&kit);
}

// Row 23: another rounding, numbers that are flushed: STOP in that cycle.
static void row_23_another_rounding(void** state) {
    (void)state;
    static const char* const faults[] = {"rounding@40", "flush@45"};
#if defined(__x86_64__)
    const int count = 2;
#else
    const int count = 1;
#endif
    for (int i = 0; i < count; ++i) {
        const char* const arguments[] = {"--test-fault", faults[i], NULL};
        Lab lab;
        lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", arguments);
        const uint64_t at = strtoull(strchr(faults[i], '@') + 1, NULL, 10) + 1;
        const double limit = guarded_now() + LAB_PATIENCE;
        while (lab.last_permit + 8 < at && guarded_now() < limit) {
            (void)lab_until_go(&lab, 0.03);
        }
        while (lab.last_permit < at + 4 && guarded_now() < limit) {
            lab_talk(&lab, LAB_PERIOD);
        }
        assert_true(lab.last_permit >= at + 4);
        assert_true(lab_stopped(&lab, true));
        lab_go(&lab);  // it is set right, and a reset helps
        lab_close(&lab);
    }
}

// Row 24: eight files, and ten thousand signals a second.
static void row_24_few_files_and_many_signals(void** state) {
    (void)state;
    if (TEST_SANITIZED) {
        printf("not under sanitizers, which open files of their own\n");
        return;
    }
    char before[1024];
    copy_program(before, sizeof before);
    assert_true(wrap_program("ulimit -n 8\nexec"));
    const char* const arguments[] = {"--stats", program_temporary("rows.prom"), NULL};
    Lab lab;
    lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", arguments);
    unwrap_program(before);
    lab_go(&lab);
    const pid_t storm = fork();
    if (storm == 0) {
        static const int signals[] = {SIGUSR1, SIGHUP, SIGPIPE, SIGCHLD, SIGWINCH, SIGURG, SIGCONT};
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0;; ++i) {
            (void)kill(lab.g.pid, signals[i % 7]);
            if (i % 2 == 1) {
                guarded_sleep(0.0001);
            }
        }
    }
    for (int i = 0; i < test_scaled(6); ++i) {
        lab_go(&lab);
        lab_talk(&lab, 6.0 * LAB_PERIOD);
        lab_wait(&lab, LAB_SILENCE + 3.0 * LAB_PERIOD);
        assert_true(lab_stopped(&lab, true));
    }
    end_floods(&storm, 1);
    lab_only_time_was_wrong(&lab);
    lab_close(&lab);
}

int test_guard_rows_machine(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_11_stopped_for_a_moment),
        cmocka_unit_test(row_11_a_cycle_takes_too_long),
        cmocka_unit_test(row_12_the_loop_hangs),
        cmocka_unit_test(row_13_killed),
        cmocka_unit_test(row_14_floods),
        cmocka_unit_test(row_15_receivers_that_are_gone),
        cmocka_unit_test(row_16_the_disk_is_full),
        cmocka_unit_test(row_17_ended),
        cmocka_unit_test(row_18_others_are_silent),
        cmocka_unit_test(row_19_the_model_changes),
        cmocka_unit_test(braking_that_is_assumed_is_told),
        cmocka_unit_test(row_20_settings_that_are_wrong),
        cmocka_unit_test(row_21_without_rights),
        cmocka_unit_test(row_22_a_bit_of_the_model),
        cmocka_unit_test(row_22_stays_found),
        cmocka_unit_test(row_23_another_rounding),
        cmocka_unit_test(row_24_few_files_and_many_signals),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
