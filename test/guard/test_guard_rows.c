// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The fault laboratory: rows 1 to 10 of docs/reference/safety.md, what is heard, each against a real `berth monitor` on loopback. Every permit is judged by the
// account of support/lab.h. What is asserted without patience is on the safe side only; that permits come when all is well is
// waited for, with resets, because a busy machine makes cycles late.
// test-labels: waits

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/expect.h"
#include "support/lab.h"
#include "support/setting.h"

// Row 1: nothing was ever heard. Resets alone help nobody.
static void row_01_no_message_at_all(void** state) {
    (void)state;
    Lab lab;
    lab_open_plain(&lab);
    for (int i = 0; i < test_scaled(50); ++i) {
        if (i % 4 == 1) {
            lab_reset(&lab);
        } else if (i % 4 == 3) {
            (void)kill(lab.g.pid, SIGUSR2);
        }
        lab_wait(&lab, 0.02);
    }
    assert_int_equal(lab.go, 0);
    assert_true(lab.stops[BERTH_STOP_NO_STATE] > 0);
    lab_close(&lab);
}

// Row 2: pauses around the limit. The account has the rest: a longer pause latches.
static void row_02_pauses(void** state) {
    (void)state;
    static const double pauses[] = {0.6, 0.8, 1.0, 1.2, 1.6, 4.0};
    Lab lab;
    lab_open_plain(&lab);
    const int trials = test_scaled(5);
    for (int i = 0; i < 6 * trials; ++i) {
        lab_go(&lab);
        lab_talk(&lab, lab_between(0.0, LAB_PERIOD));
        lab_wait(&lab, pauses[i % 6] * LAB_SILENCE + lab_between(0.0, 0.2 * LAB_PERIOD));
        lab_talk(&lab, 2.0 * LAB_PERIOD);
    }
    lab_only_time_was_wrong(&lab);
    assert_true(lab.stops[BERTH_STOP_LATE] > 0);
    print_message("%d pauses; the oldest state with a permit was %.1f ms old, %.0f ms are tolerated\n",
                  6 * trials, 1000.0 * lab.oldest, 1000.0 * LAB_SILENCE);
    lab_close(&lab);
}

// Row 3: one in three is lost. It goes on.
static void row_03_single_losses(void** state) {
    (void)state;
    Lab lab;
    lab_open_plain(&lab);
    lab_go(&lab);
    const int64_t before = lab.go;
    for (int i = 0; i < test_scaled(300); ++i) {
        if (lab_pick(3) == 0) {
            (void)lab_next(&lab);  // lost on the way
        } else {
            lab_good(&lab);
        }
        if (i % 40 == 39 && !lab.g.last.permit.go) {
            lab_reset(&lab);
        }
        guarded_sleep(0.003);
        (void)lab_take(&lab);
    }
    lab_go(&lab);
    assert_true(lab.go > before + 1);
    lab_only_time_was_wrong(&lab);
    lab_close(&lab);
}

static size_t write_next(Lab* lab, char* bytes) {
    return berth_wire_write(lab_next(lab), bytes, BERTH_WIRE_SIZE);
}

static void send_told(Lab* lab, const char* bytes, size_t size) {
    const double before = guarded_now();
    guarded_send(&lab->g, bytes, size);
    lab_told(lab, 0, before, guarded_now());
}

// Row 4: swapped and doubled ones are dropped and counted, and are no fault.
static void row_04_swapped_and_doubled(void** state) {
    (void)state;
    static char one[BERTH_WIRE_SIZE], two[BERTH_WIRE_SIZE];
    Lab lab;
    lab_open_plain(&lab);
    lab_go(&lab);
    const int count = test_scaled(120);
    for (int i = 0; i < count; ++i) {
        const size_t size_one = write_next(&lab, one), size_two = write_next(&lab, two);
        send_told(&lab, two, size_two);
        guarded_send(&lab.g, i % 2 == 0 ? one : two, i % 2 == 0 ? size_one : size_two);
        if (i % 20 == 19) {
            lab_reset(&lab);
        }
        guarded_sleep(0.004);
        (void)lab_take(&lab);
    }
    lab_go(&lab);
    lab_only_time_was_wrong(&lab);
    assert_int_equal(lab_end(&lab, SIGTERM), 0);
    assert_int_equal((int)guarded_number(&lab.g, "end", "stale"), count);
    lab_close(&lab);
}

// Row 4: a capture, with a reset in it, played again when the sender is silent: nothing of it is fresh, and its reset was used up.
static void row_04_a_capture_played_again(void** state) {
    (void)state;
    enum { KEPT = 24, RESET_AT = 8 };
    static char bytes[KEPT][BERTH_WIRE_SIZE];
    size_t sizes[KEPT] = {0};
    Lab lab;
    lab_open_plain(&lab);
    for (int round = 0; round < test_scaled(6); ++round) {
        for (int i = 0; i < KEPT; ++i) {
            if (i == RESET_AT) {
                lab_reset(&lab);
                const BerthWireMessage reset = {.kind = BERTH_WIRE_RESET,
                                                .stream = lab.g.stream,
                                                .sequence = lab.g.sequence,
                                                .stamp = (double)NAN};
                sizes[i] = berth_wire_write(&reset, bytes[i], sizeof bytes[i]);
                continue;
            }
            sizes[i] = write_next(&lab, bytes[i]);
            send_told(&lab, bytes[i], sizes[i]);
            guarded_sleep(0.002);
            (void)lab_take(&lab);
        }
        lab_go(&lab);
        // Every one of them is older than those that came last. All of it twice.
        for (int i = 0; i < 2 * KEPT; ++i) {
            guarded_send(&lab.g, bytes[i % KEPT], sizes[i % KEPT]);
            guarded_sleep(0.003);
            (void)lab_take(&lab);
        }
        lab_wait(&lab, 3.0 * LAB_PERIOD);
        assert_true(lab_stopped(&lab, false));
        const double now = guarded_now();
        lab_note(&lab, LAB_FAULT, 0, now, now);
        lab_reset(&lab);
    }
    lab_close(&lab);
}

// Row 5: the sender begins anew, or its sequence falls back by more than a few.
static void row_05_the_sender_restarts(void** state) {
    (void)state;
    Lab lab;
    lab_open_plain(&lab);
    for (int i = 0; i < test_scaled(12); ++i) {
        lab_go(&lab);
        if (i % 2 == 0) {
            lab.g.stream += 1 + lab_pick(1000);
            lab.g.sequence = lab_pick(2) == 0 ? 0 : lab.g.sequence;
        } else {
            lab.g.stream += lab.g.sequence < 20;  // no room to fall back
            lab.g.sequence -= lab.g.sequence < 20 ? 0 : 10 + lab_pick(lab.g.sequence - 11);
        }
        lab_bad(&lab, lab_next(&lab));
        lab_talk(&lab, lab_between(3.0, 6.0) * LAB_PERIOD);  // it is all right now, but nobody reset
        assert_true(lab_stopped(&lab, true));
        // Resets of this stream were sent already: theirs must be later ones.
        lab.g.stream += 1;
        lab_bad(&lab, lab_next(&lab));
    }
    assert_true(lab.stops[BERTH_STOP_SEQUENCE] > 0);
    lab_close(&lab);
}

// A value that is wrong at one joint: STOP, with its number. A busy machine may have stopped before; then once more.
static void stops_at(Lab* lab, int32_t joint, BerthStop wanted, double position, double velocity) {
    bool seen = false;
    for (int i = 0; i < 40 && !seen; ++i) {
        lab_go(lab);
        const int64_t before = lab->stops[wanted];
        const double keep[2] = {lab->state.positions[joint], lab->state.velocities[joint]};
        lab->state.positions[joint] = position;
        lab->state.velocities[joint] = velocity;
        lab_bad(lab, lab_next(lab));
        lab->state.positions[joint] = keep[0];
        lab->state.velocities[joint] = keep[1];
        lab_talk(lab, 2.0 * LAB_PERIOD);
        seen = lab->stops[wanted] > before;
        if (seen) {
            assert_int_equal(lab->value, joint);
        }
    }
    if (!seen) {
        fail_msg("joint %d: no STOP for %s", joint, berth_stop_name(wanted));
    }
}

// Row 6: every joint, every value that is no number; and those that are, though small.
static void row_06_values_that_are_no_numbers(void** state) {
    (void)state;
    const double inf = (double)INFINITY, nan_value = (double)NAN;
    const double wrong[] = {nan_value, inf, -nan_value, -inf};
    const double right[] = {DBL_TRUE_MIN, -DBL_TRUE_MIN, -0.0, 0.5 * DBL_MIN};
    Lab lab;
    lab_open_plain(&lab);
    for (int32_t joint = 0; joint < lab.state.count; ++joint) {
        for (int k = 0; k < 4; ++k) {
            stops_at(&lab, joint, BERTH_STOP_VALUE, wrong[k], 0.0);
        }
        // A speed that is no number makes it stop as well, under its own name.
        lab.state.velocities[joint] = wrong[joint % 4];
        lab_bad(&lab, lab_next(&lab));
        lab.state.velocities[joint] = 0.0;
        lab_talk(&lab, LAB_PERIOD);
    }
    lab_go(&lab);  // on a busy machine permits about the last one are still on their way
    const int64_t before =
        lab.stops[BERTH_STOP_VALUE] + lab.stops[BERTH_STOP_LIMIT] + lab.stops[BERTH_STOP_JUMP];
    for (int32_t joint = 0; joint < lab.state.count; ++joint) {
        lab.state.positions[joint] = right[joint % 4];
        lab.state.velocities[joint] = right[(joint + 1) % 4];
        lab_go(&lab);
    }
    assert_int_equal(lab.stops[BERTH_STOP_VALUE] + lab.stops[BERTH_STOP_LIMIT] + lab.stops[BERTH_STOP_JUMP],
                     before);
    lab_close(&lab);
}

// Row 7: the limit itself is allowed, the next number beyond it is not; and 0.5 radian at once are a jump.
static void row_07_limits_and_jumps(void** state) {
    (void)state;
    static const double limits[] = {3, 2, 3, 2, 3, 1.9, 3};  // of two_arms/arm.urdf
    Lab lab;
    lab_open_plain(&lab);
    for (int32_t joint = 0; joint < lab.state.count; ++joint) {
        const double limit = joint % 2 == 0 ? limits[joint % 7] : -limits[joint % 7];
        stops_at(&lab, joint, BERTH_STOP_JUMP, joint % 2 == 0 ? 0.5 : -0.5, 0.0);
        const double beyond = limit + (limit > 0.0 ? 1e-3 : -1e-3);  // the tolerance
        stops_at(&lab, joint, BERTH_STOP_LIMIT, nextafter(beyond, 2.0 * limit), 0.0);
        stops_at(&lab, joint, BERTH_STOP_LIMIT, -100.0 * limit, 0.0);
    }
    // At the limit and its tolerance: whatever else may be said there, it is not that.
    lab_go(&lab);
    const int64_t before = lab.stops[BERTH_STOP_LIMIT];
    for (int32_t joint = 0; joint < lab.state.count; ++joint) {
        const double most = limits[joint % 7] + 1e-3;  // with the tolerance
        lab.state.positions[joint] = joint % 2 == 0 ? most : -most;
        lab_bad(&lab, lab_next(&lab));  // a jump to there
        lab_reset(&lab);
        lab_talk(&lab, 3.0 * LAB_PERIOD);
        lab.state.positions[joint] = 0.0;
        lab_bad(&lab, lab_next(&lab));
    }
    assert_int_equal(lab.stops[BERTH_STOP_LIMIT], before);
    lab_close(&lab);
}

// Bytes that are no message: of every length, with bits turned over, and of no kind at all.
static size_t make_rubbish(Lab* lab, int64_t number, char* bytes, size_t room) {
    const size_t whole = berth_wire_write(lab_next(lab), bytes, BERTH_WIRE_SIZE);
    if (number < (int64_t)(2 * whole)) {  // every length but the right one
        memset(bytes + whole, 0, whole);
        return (size_t)number == whole ? whole - 1 : (size_t)number;
    }
    const uint64_t kind = lab_pick(8);
    if (kind < 4) {  // up to three bits: the checksum finds them all
        for (uint64_t k = 0; k <= lab_pick(3); ++k) {
            const uint64_t bit = lab_pick(8 * whole / 3) + k * (8 * whole / 3);
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << (bit % 8)));
        }
        return whole;
    }
    const size_t size = kind == 7 && lab_pick(400) == 0 ? 65507 : (size_t)lab_pick(kind == 6 ? 1200 : 400);
    for (size_t k = 0; k < size; k += 8) {
        const uint64_t bits = lab_random();
        memcpy(bytes + k, &bits, k + 8 <= room ? 8 : room - k);
    }
    if (kind == 5 && size > 8) {
        memcpy(bytes, "BRTH\1\1", 6);
    }
    return size;
}

// Row 8: all of them are dropped and counted, and keep nothing alive.
static void row_08_rubbish(void** state) {
    (void)state;
    static char bytes[65536];
    const int64_t count = test_scaled(30000);
    Lab lab;
    lab_open(&lab, 0.002, LAB_SILENCE, "", NULL);
    int64_t sent = 0;
    for (int round = 0; sent < count; ++round) {
        if (round % 8 == 0) {
            (void)lab_until_go(&lab, 0.5);
        }
        // As many as it reads in two cycles, and then until those are over, so that all are heard.
        const uint64_t seen = lab.last_permit;
        for (int i = 0; i < 40 && sent < count; ++i, ++sent) {
            guarded_send(&lab.g, bytes, make_rubbish(&lab, sent, bytes, sizeof bytes));
        }
        const double end = guarded_now() + LAB_PATIENCE;
        while (lab.last_permit < seen + 3 && guarded_now() < end) {
            guarded_sleep(0.0005);
            (void)lab_take(&lab);
        }
    }
    lab_wait(&lab, LAB_SILENCE + 0.02);
    assert_true(lab_stopped(&lab, false));
    lab_go(&lab);  // and it lives
    assert_int_equal(lab_end(&lab, SIGTERM), 0);
    const double heard = guarded_number(&lab.g, "end", "malformed"),
                 lost = guarded_number(&lab.g, "end", "unqueued");
    print_message("%lld datagrams: %.0f malformed, %.0f found the queue full\n", (long long)sent, heard,
                  lost);
    assert_true(heard <= (double)sent && heard + lost >= 0.99 * (double)sent && heard >= 0.5 * (double)sent);
    lab_close(&lab);
}

static void open_with_jumps(Lab* lab, bool little) {
    setenv("LD_PRELOAD", BERTH_BUILD_DIR "/libberth_clock.so", 1);
    setenv("BERTH_CLOCK_JUMP", "0.023", 1);
    if (little) {
        setenv("BERTH_CLOCK_LITTLE", "1", 1);
    }
    lab_open_plain(lab);
    unsetenv("LD_PRELOAD");
    unsetenv("BERTH_CLOCK_JUMP");
    unsetenv("BERTH_CLOCK_LITTLE");
}

// A message that came while the clock jumped is as old as it can be. Where the machine stood still for as long as the silence, too,
// the sender's clock seems to be off by so much from then on: `skew`, until there is a new stream (docs/theory/monitor.md).
static bool lost_the_clock(const Lab* lab) {
    return lab->stops[BERTH_STOP_SKEW] > 0 && lab->standstill > 0.9 * LAB_SILENCE;
}

// How many trials went well before the clock was lost, at most so many.
static int try_jumps(Lab* lab, int trials) {
    for (int i = 0; i < trials; ++i) {
        const double end = guarded_now() + LAB_PATIENCE;
        while (!lab_until_go(lab, 0.5)) {
            if (lost_the_clock(lab)) {
                return i;
            }
            if (guarded_now() > end) {
                fail_msg("no permit, the last word is %s", berth_stop_name(lab->g.last.permit.reason));
            }
        }
        lab_talk(lab, lab_between(1.0, 4.0) * LAB_PERIOD);
        // More than it reads in a cycle or two: what waits in the queue over a jump stays as old as it is.
        for (int k = 0; k < (i % 4 == 3 ? 0 : 75); ++k) {
            lab_good(lab);
        }
        lab_wait(lab, LAB_SILENCE + 4.0 * LAB_PERIOD);
        assert_true(lab_stopped(lab, false));
    }
    return trials;
}

static void with_a_clock_that_jumps(bool little, int trials) {
    const double end = guarded_now() + 3.0 * LAB_PATIENCE;
    for (int done = 0; done < trials;) {
        Lab lab;
        open_with_jumps(&lab, little);
        done += try_jumps(&lab, trials - done);
        lab.stops[BERTH_STOP_SKEW] = lost_the_clock(&lab) ? 0 : lab.stops[BERTH_STOP_SKEW];
        lab_only_time_was_wrong(&lab);
        print_message("the oldest state with a permit was %.1f ms old; between two cycles %.1f ms at most\n",
                      1000.0 * lab.oldest, 1000.0 * lab.standstill);
        lab_close(&lab);
        if (done < trials && guarded_now() > end) {
            fail_msg("%d of %d trials: the machine stands still too often", done, trials);
        }
    }
}

// Row 9: the wall clock jumps every few cycles, and so do the kernel's stamps.
static void row_09_the_wall_clock_jumps(void** state) {
    (void)state;
    if (TEST_SANITIZED) {
        printf("not under sanitizers, which want to be loaded first\n");
        return;
    }
    with_a_clock_that_jumps(false, test_scaled(8));
    with_a_clock_that_jumps(true, test_scaled(16));
}

// Row 10: stamps of another time stop, with a clock in common and without.
static void row_10_stamps(void** state) {
    (void)state;
    static const char* const skewed[] = {"--skew", "0.5", NULL};
    for (int checked = 0; checked < 2; ++checked) {
        Lab lab;
        lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", checked ? skewed : NULL);
        for (int i = 0; i < test_scaled(8); ++i) {
            const double stamps[] = {3600.0, -3600.0, 1e300, (double)NAN};
            lab_go(&lab);
            BerthWireMessage* m = lab_next(&lab);
            m->stamp += stamps[i % 4];
            lab_bad(&lab, m);
            lab_talk(&lab, 2.0 * LAB_PERIOD);
            assert_true(lab_stopped(&lab, true));
        }
        assert_true(lab.stops[BERTH_STOP_SKEW] > 0);
        lab_close(&lab);
    }
}

// Row 10: a clock that stands or runs at half its speed while messages come; no permit later than the silence makes it, and a reset
// does not help.
static void row_10_clocks_that_stop(void** state) {
    (void)state;
    for (int i = 0; i < test_scaled(8); ++i) {
        Lab lab;
        lab_open(&lab, LAB_PERIOD, LAB_SILENCE, "", NULL);
        lab_go(&lab);
        const double rate = i % 2 == 0 ? 0.0 : 0.5;
        const double from = guarded_now();
        const double until = from + LAB_SILENCE / (1.0 - rate);
        while (guarded_now() < until + 10.0 * LAB_PERIOD) {
            BerthWireMessage* m = lab_next(&lab);
            const double before = guarded_now();
            m->stamp = from + rate * (before - from);
            lab_send(&lab, m, false);
            lab_told(&lab, 0, before, guarded_now());
            lab_wait(&lab, LAB_PERIOD);
        }
        // The slowest and the quickest message of a loaded machine lie some milliseconds apart.
        if (!(lab.g.last_go_stamp <= until + 2.0 * LAB_PERIOD)) {
            fail_msg("rate %g: a permit %.4f s after the clock stopped", rate, lab.g.last_go_stamp - from);
        }
        assert_true(lab_stopped(&lab, false));
        assert_true(lab.stops[BERTH_STOP_SKEW] + lab.stops[BERTH_STOP_LATE] > 0);
        lab_close(&lab);
    }
}

int test_guard_rows(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_01_no_message_at_all),
        cmocka_unit_test(row_02_pauses),
        cmocka_unit_test(row_03_single_losses),
        cmocka_unit_test(row_04_swapped_and_doubled),
        cmocka_unit_test(row_04_a_capture_played_again),
        cmocka_unit_test(row_05_the_sender_restarts),
        cmocka_unit_test(row_06_values_that_are_no_numbers),
        cmocka_unit_test(row_07_limits_and_jumps),
        cmocka_unit_test(row_08_rubbish),
        cmocka_unit_test(row_09_the_wall_clock_jumps),
        cmocka_unit_test(row_10_stamps),
        cmocka_unit_test(row_10_clocks_that_stop),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
