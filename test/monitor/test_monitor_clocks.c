// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Senders whose clocks or velocities are not to be trusted (docs/reference/safety.md, rows 7 and 10). A sender takes samples of an arm; a way
// with a queue brings them; its clock may stand, run slow or fast, step, or have another zero. The test knows when each sample was
// taken, and holds every permit against that: the monitor is told stamps and receipts only.

#include <berth/lab/index.h>
#include <berth/lab/monitor.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "math/math.h"
#include "support/guard.h"
#include "support/setting.h"

static const BerthJointLimit limit = {1.0, 4.0, 8.0};
static const double drift = 1e-4;  // of the default def

static void open_arm(GuardKit* kit) {
    kit_open(kit, kit_arm, NULL, false, limit);
    kit->def.good_needed = 3;
    kit_start(kit);
    kit->now = 100.0;
}

/// A sender, and the way from it.
typedef struct Sender {
    double offset, rate;            ///< its clock: offset + rate * seconds since it began
    double frozen_from;             ///< it stands from then on; +infinity: never
    double step_at, step;           ///< it is set forward or back at that time
    double queue_from, queue_grow;  ///< from then on every second adds so many seconds to the delay
    bool stamps;
} Sender;

static double stamp_of(const Sender* s, double began, double sampled) {
    const double at = sampled < s->frozen_from ? sampled : s->frozen_from;
    const double set = sampled >= s->step_at ? s->step : 0.0;
    return s->stamps ? s->offset + s->rate * (at - began) + set : (double)NAN;
}

static double delay_of(const Sender* s, double now, Random* random) {
    const double queue = now > s->queue_from ? (now - s->queue_from) * s->queue_grow : 0.0;
    return bi_random_between(random, 0.0, 0.0009) + queue;
}

/// What came of a run.
typedef struct Run {
    int permits, cycles;
    double oldest;  ///< sample that a permit was given on, seconds before the cycle
} Run;

// Three seconds of messages every millisecond, each as old as the sender's way makes it.
static Run run_sender(const Sender* s, uint64_t seed) {
    static GuardKit kit;
    Random random = {seed};
    Run run = {0};
    open_arm(&kit);
    berth_monitor_reset(kit.monitor);
    const double began = kit.now;

    for (int n = 0; n < 3000; ++n) {
        const double sampled = kit.now - delay_of(s, kit.now, &random);
        BerthMonitorMessage message = kit_message(&kit);
        message.stamp = stamp_of(s, began, sampled);
        berth_monitor_receive(kit.monitor, &message);

        const double now = kit.now;
        const BerthPermit permit = kit_cycle(&kit);
        run.cycles += 1;
        run.permits += permit.go;
        run.oldest = permit.go ? fmax(run.oldest, now - sampled) : run.oldest;
    }

    kit_close(&kit);
    return run;
}

static Sender good_sender(Random* random) {
    return (Sender){.offset = bi_random_between(random, -2e9, 2e9),
                    .rate = 1.0 + bi_random_between(random, -drift, drift),
                    .frozen_from = INFINITY,
                    .step_at = INFINITY,
                    .queue_from = INFINITY,
                    .stamps = true};
}

// A clock of any zero that drifts as it may, and none at all: every cycle but the first ones has its permit.
static void clocks_that_are_right(void** state) {
    (void)state;
    Random random = {11};
    for (int i = 0; i < test_scaled(40); ++i) {
        Sender s = good_sender(&random);
        s.stamps = i % 8 != 0;
        const Run run = run_sender(&s, (uint64_t)i + 1);
        if (run.permits < run.cycles - 3) {
            fail_msg("case %d: %d permits in %d cycles (rate %.9g)", i, run.permits, run.cycles, s.rate);
        }
    }
}

// What a permit is given on is never older than the latency, the silence, and what the drift hides in three seconds.
static void samples_that_grow_old(void** state) {
    (void)state;
    Random random = {12};
    const double most = 0.001 + 0.005 + 3.0 * 2.0 * drift + 1e-6;
    double oldest = 0.0;

    for (int i = 0; i < test_scaled(80); ++i) {
        Sender s = good_sender(&random);
        s.queue_from = 100.0 + bi_random_between(&random, 0.0, 2.0);
        s.queue_grow = pow(10.0, bi_random_between(&random, -1.5, -0.001));
        const Run run = run_sender(&s, (uint64_t)i + 1);
        oldest = fmax(oldest, run.oldest);
        if (run.oldest > most) {
            fail_msg("case %d: a permit on a sample that is %.6f s old (a queue that grows by %.3f s/s)", i,
                     run.oldest, s.queue_grow);
        }
        assert_true(run.permits > 0);
    }
    print_message("the oldest sample with a permit was %.2f ms old, %.2f ms allowed\n", 1e3 * oldest,
                  1e3 * most);
}

// Standing still, half or double speed, set forward or back: a permit lives at most until what was wrong adds up to the silence and
// the latency.
static void clocks_that_are_wrong(void** state) {
    (void)state;
    Random random = {13};
    for (int i = 0; i < test_scaled(100); ++i) {
        Sender s = good_sender(&random);
        const double from = 100.0 + bi_random_between(&random, 0.1, 1.0);
        double most = 0.0;  // permits after that are wrong
        switch (i % 5) {
        case 0:
            s.frozen_from = from;
            most = from + 0.008;
            break;
        case 1:
            s.rate = bi_random_between(&random, 0.0, 0.99);
            most = 100.0 + 0.008 / (1.0 - s.rate);
            break;
        case 2:
            s.rate = bi_random_between(&random, 1.02, 50.0);
            most = 100.0 + 0.010 / (s.rate - 1.0) + 0.002;
            break;
        case 3:
            s.step_at = from;
            s.step = -pow(10.0, bi_random_between(&random, -2.0, 4.0));
            most = from + 0.002;
            break;
        default:
            s.step_at = from;
            s.step = pow(10.0, bi_random_between(&random, -1.9, 4.0));
            most = from + 0.002;
            break;
        }

        const Run run = run_sender(&s, (uint64_t)i + 1);
        if (run.permits > (most - 100.0) / 0.001 + 2.0) {
            fail_msg("case %d (kind %d, rate %.6f, step %.6f): %d permits, %.0f at most", i, i % 5, s.rate,
                     s.step, run.permits, (most - 100.0) / 0.001 + 2.0);
        }
    }
}

// A stamp that was there and is not any more, one that is no number: STOP. After a fault of its clock a sender is not believed from a
// new zero, unless it begins a new stream; and a reset alone makes no clock right.
static void clocks_after_a_fault(void** state) {
    (void)state;
    static GuardKit kit;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        open_arm(&kit);
        assert_true(kit_wake(&kit).go);
        BerthMonitorMessage message = kit_message(&kit);
        message.stamp = bad[i];
        berth_monitor_receive(kit.monitor, &message);
        const BerthPermit permit = kit_cycle(&kit);
        assert_true(!permit.go && permit.reason == BERTH_STOP_SKEW && permit.source == 0);
        assert_true(kit_wake(&kit).go);  // one message was wrong, its clock is not
        kit_close(&kit);
    }

    open_arm(&kit);
    assert_true(kit_wake(&kit).go);
    for (int n = 0; n < 100; ++n) {  // a second behind from now on, and somebody resets and resets
        berth_monitor_reset(kit.monitor);
        BerthMonitorMessage message = kit_message(&kit);
        message.stamp -= 1.0;
        berth_monitor_receive(kit.monitor, &message);
        assert_false(kit_cycle(&kit).go);
    }
    kit.stream += 1;
    BerthPermit permit = {0};
    for (int n = 0; n < 10; ++n) {
        BerthMonitorMessage message = kit_message(&kit);
        message.stamp -= 1.0;
        berth_monitor_receive(kit.monitor, &message);
        if (n == 1) {
            berth_monitor_reset(kit.monitor);
        }
        permit = kit_cycle(&kit);
    }
    assert_true(permit.go);
    kit_close(&kit);
}

// What a stamp is behind is age: buffers are those of a message that was received so much earlier.
static void what_is_behind_is_age(void** state) {
    (void)state;
    static GuardKit kit;
    double last = 0.0;
    for (int n = 0; n < 5; ++n) {
        const double behind = 0.0002 * n;  // less than a period: stamps advance
        double buffers[2];
        for (int k = 0; k < 2; ++k) {
            open_arm(&kit);
            assert_true(kit_wake(&kit).go);
            BerthMonitorMessage message = kit_message(&kit);
            message.stamp -= behind;
            message.received -= k == 0 ? 0.0 : behind;
            berth_monitor_receive(kit.monitor, &message);
            assert_true(kit_cycle(&kit).go);
            buffers[k] = berth_monitor_body(kit.monitor, 1).buffer;
            kit_close(&kit);
        }
        assert_true(n == 0 || buffers[0] > last * (1.0 + 1e-3));
        last = buffers[0];
        assert_true(fabs(buffers[0] - buffers[1]) <= 1e-4 * buffers[1]);  // the drift of a period
    }
}

// An arm that goes at any speed and tells 0, or less than that: once it was looked at for as long as it takes, its buffers are those of
// an arm that tells the truth. One that tells more than it does has the buffers of what it tells.
static void velocities_that_are_lies(void** state) {
    (void)state;
    static GuardKit liar;
    static GuardKit honest;
    Random random = {14};
    for (int i = 0; i < test_scaled(60); ++i) {
        const double v = bi_random_between(&random, -1.0, 1.0) * (i % 3 == 0 ? 0.03 : 1.0);
        const double told = v * (i % 2 == 0 ? 0.0 : bi_random_between(&random, -0.9, 1.6));
        open_arm(&liar);
        open_arm(&honest);
        liar.q[0] = honest.q[0] = bi_random_between(&random, -0.5, 0.5);
        (void)kit_wake(&liar);
        (void)kit_wake(&honest);

        bool stopped = false;
        int compared = 0;
        for (int n = 0; n < 200 && !stopped; ++n) {
            liar.q[0] = honest.q[0] += 0.001 * v;
            liar.qd[0] = fmin(fmax(told, -1.0), 1.0);
            honest.qd[0] = fabs(liar.qd[0]) > fabs(v) ? fabs(liar.qd[0]) : fabs(v);
            kit_say(&liar);
            kit_say(&honest);
            stopped = !kit_cycle(&liar).go;
            (void)kit_cycle(&honest);
            const double a = berth_monitor_body(liar.monitor, 1).buffer;
            const double b = berth_monitor_body(honest.monitor, 1).buffer;
            if (n >= 50 && !stopped) {
                compared += 1;
                if (!(a >= b * (1.0 - 1e-9) && a <= b * (1.0 + 1e-9))) {
                    fail_msg("case %d, message %d: goes %.4f, tells %.4f: buffer %.9f, of an honest one %.9f",
                             i, n, v, told, a, b);
                }
            }
        }
        assert_true(stopped || compared > 100);
        kit_close(&liar);
        kit_close(&honest);
    }
}

// Readings that are off by as much as was declared are no speed.
static void noise_is_no_speed(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {15};
    kit_open(&kit, kit_arm, NULL, false, limit);
    kit.def.good_needed = 3;
    kit.def.tracking_error = 1e-3;
    kit_start(&kit);
    assert_true(kit_wake(&kit).go);
    const double still = berth_monitor_body(kit.monitor, 1).buffer;
    for (int n = 0; n < 500; ++n) {
        kit.q[0] = bi_random_between(&random, -1e-3, 1e-3);
        kit_say(&kit);
        assert_true(kit_cycle(&kit).go);
        assert_true(fabs(berth_monitor_body(kit.monitor, 1).buffer - still) < 1e-5);
    }
    kit_close(&kit);
}

int test_monitor_clocks(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_are_right), cmocka_unit_test(samples_that_grow_old),
        cmocka_unit_test(clocks_that_are_wrong), cmocka_unit_test(clocks_after_a_fault),
        cmocka_unit_test(what_is_behind_is_age), cmocka_unit_test(velocities_that_are_lies),
        cmocka_unit_test(noise_is_no_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
