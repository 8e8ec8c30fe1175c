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
#include "monitor/monitor.h"
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
            kit.qd[0] = kit.qd[1] = 0.5;  // more than is observed: that depends on the times between messages
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

// Readings that are off by 0.2 mrad a millisecond differ by up to 0.4 rad/s. Where the noise is declared the arm is taken to go much
// slower: mean speeds over longer spans count.
static void noise_is_little_speed(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {15};
    double most = 0.0;
    double by_rows = 0.0;
    kit_open(&kit, kit_arm, NULL, false, limit);
    kit.def.good_needed = 3;
    kit.def.safety.noise = 2e-4;
    kit_start(&kit);
    assert_true(kit_wake(&kit).go);
    double last = 0.0;
    for (int n = 0; n < 1000; ++n) {
        kit.q[0] = bi_random_between(&random, -2e-4, 2e-4);
        by_rows = fmax(by_rows, fabs(kit.q[0] - last) / 0.001);
        last = kit.q[0];
        kit_say(&kit);
        assert_true(kit_cycle(&kit).go);
        most = n < 100 ? 0.0 : fmax(most, kit.monitor->speeds[0]);
    }
    print_message("0.2 mrad: %.3f rad/s by differences, taken as at most %.3f\n", by_rows, most);
    assert_true(by_rows > 0.3 && most < 0.13);
    kit_close(&kit);
}

// Joints that change their speed as fast as they can, at random; readings are off by the declared noise, messages get lost and come a
// little late. What is observed is never less than the truth, and buffers of a driver that tells 0 are never smaller than those of one
// that tells the truth.
static void observed_is_never_less_than_true(void** state) {
    (void)state;
    static GuardKit liar;
    static GuardKit honest;
    Random random = {16};
    double least_more = INFINITY;
    for (int i = 0; i < test_scaled(40); ++i) {
        const double noise = i % 2 == 0 ? 0.0 : 3e-4;
        GuardKit* const kits[] = {&liar, &honest};
        for (int k = 0; k < 2; ++k) {
            kit_open(kits[k], kit_arm, NULL, false, limit);
            kits[k]->def.good_needed = 3;
            kits[k]->def.safety.noise = noise;
            kits[k]->def.jump_slack = 10.0;  // this is not about the check
            kit_start(kits[k]);
            (void)kit_wake(kits[k]);
        }

        double q = 0.0;
        double v = 0.0;
        double a = 0.0;
        for (int n = 0; n < 1000; ++n) {
            const double dt = 0.001;
            if (bi_random_next(&random) % 60 == 0) {
                a = bi_random_between(&random, -1.0, 1.0) < 0.0 ? -4.0 : 4.0;
            }
            const double next = fmin(fmax(v + a * dt, -1.0), 1.0);
            q += 0.5 * (v + next) * dt;
            v = next;

            liar.q[0] = honest.q[0] = q + bi_random_between(&random, -noise, noise);
            liar.qd[0] = 0.0;
            honest.qd[0] = v;
            if (bi_random_next(&random) % 5 != 0) {
                kit_say(&liar);
                kit_say(&honest);
                least_more = fmin(least_more, liar.monitor->speeds[0] - fabs(v));
            }
            (void)kit_cycle(&liar);
            (void)kit_cycle(&honest);
            const double by_lie = berth_monitor_body(liar.monitor, 1).buffer;
            const double by_truth = berth_monitor_body(honest.monitor, 1).buffer;
            if (!(by_lie >= by_truth * (1.0 - 1e-11))) {  // q was summed up with rounding
                fail_msg("run %d, cycle %d: goes %g, buffer %g of a liar, %.3g more of the truth", i, n, v,
                         by_lie, by_truth - by_lie);
            }
        }
        kit_close(&liar);
        kit_close(&honest);
    }
    assert_true(least_more >= -1e-12);
}

// Seen from outside: a joint that rises to 0.25 rad/s at 5 rad/s2 while its driver tells 0. Required was 32.0 mm where the honest driver
// had 34.4 mm; it is to be no less in any cycle, until the lie is found.
static void a_ramp_that_is_not_told(void** state) {
    (void)state;
    static GuardKit kits[2];
    const BerthJointLimit can = {1.0, 5.0, 5.0};
    for (int k = 0; k < 2; ++k) {
        kit_open(&kits[k], kit_arm, NULL, false, can);
        BerthShape ball;
        assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
        kit_add(&kits[k], "post", &ball, (BerthVec3){0.8, 0.25, 0}, NULL);
        kit_start(&kits[k]);
        assert_true(kit_wake(&kits[k]).go);
    }

    double v = 0.0;
    int compared = 0;
    bool found = false;
    for (int n = 0; n < 500 && !found; ++n) {
        const double next = fmin(v + 0.005, 0.25);
        BerthPermit permits[2];
        for (int k = 0; k < 2; ++k) {
            kits[k].q[0] += 0.5 * (v + next) * 0.001;
            kits[k].qd[0] = k == 0 ? 0.0 : next;
            kit_say(&kits[k]);
            permits[k] = kit_cycle(&kits[k]);
        }
        v = next;
        found = permits[0].reason == BERTH_STOP_JUMP;
        if (!found && permits[0].body_a >= 0 && permits[1].body_a >= 0) {
            assert_true(permits[0].required >= permits[1].required);
            compared += 1;
        }
    }
    print_message("%d cycles compared until the lie was found\n", compared);
    assert_true(found && compared > 20);
    kit_close(&kits[0]);
    kit_close(&kits[1]);
}

// ---- echoes ------------------------------------------------------------------------------------------------------

/// What comes of a sender whose messages take `delay` seconds and that echoes the last permit it saw; it does not tell stamps.
typedef struct EchoRun {
    BerthStop first;
    int permits;
    double buffer;
} EchoRun;

static EchoRun run_echo(double delay, double stamp, int64_t unstamped) {
    static GuardKit kit;
    EchoRun run = {.first = BERTH_STOP_NONE};
    open_arm(&kit);
    kit.qd[0] = 0.5;
    berth_monitor_reset(kit.monitor);
    const int lag = (int)(delay / 0.001 + 0.5);
    for (int n = 0; n < 200; ++n) {
        // What is received now was sampled `lag` cycles ago, when the permit of the cycle before that was the last.
        BerthMonitorMessage message = kit_message(&kit);
        message.stamp = stamp;
        message.echo = n > lag ? (uint64_t)(n - lag) : 0;
        berth_monitor_receive(kit.monitor, &message);
        const BerthPermit permit = kit_cycle(&kit);
        run.permits += permit.go;
        if (run.first == BERTH_STOP_NONE && permit.reason != BERTH_STOP_RESET) {
            run.first = permit.reason;
        }
        run.buffer = berth_monitor_body(kit.monitor, 1).buffer;
    }
    assert_true(berth_monitor_counters(kit.monitor).unstamped == unstamped);
    kit_close(&kit);
    return run;
}

static void echoes_bound_the_age(void** state) {
    (void)state;
    // The kit's latency is 1 ms and its silence 5 ms. The permit before a sample is a cycle older than the sample.
    double last = 0.0;
    for (int lag = 0; lag <= 4; ++lag) {
        const EchoRun run = run_echo(0.001 * lag, NAN, lag + 1);
        assert_int_equal(run.first, BERTH_STOP_NONE);
        assert_true(run.permits > 150);
        assert_true(lag == 0 || run.buffer > last);  // what is older than the latency is in the buffers
        last = run.buffer;
    }
    const EchoRun late = run_echo(0.007, NAN, 8);
    assert_int_equal(late.first, BERTH_STOP_LATE);
    assert_true(late.permits <= 7);  // before it began to echo
}

static void echoes_that_are_wrong(void** state) {
    (void)state;
    static GuardKit kit;
    const uint64_t wrong[] = {UINT64_MAX, 1000000, 0};  // never sent; and none, though the stream had them
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        open_arm(&kit);
        berth_monitor_reset(kit.monitor);
        BerthPermit permit = {0};
        for (int n = 0; n < 400; ++n) {
            BerthMonitorMessage message = kit_message(&kit);
            message.echo = n == 399 ? wrong[i] : (uint64_t)n;
            berth_monitor_receive(kit.monitor, &message);
            permit = kit_cycle(&kit);
            assert_true(n < 20 || n == 399 || permit.go);
        }
        assert_true(permit.reason == BERTH_STOP_SKEW && permit.source == 0);
        kit_close(&kit);
    }

    // A recording that is played again with new numbers: what it echoes is long ago.
    open_arm(&kit);
    berth_monitor_reset(kit.monitor);
    for (int n = 0; n < 1000; ++n) {
        BerthMonitorMessage message = kit_message(&kit);
        message.echo = n < 500 ? (uint64_t)n : (uint64_t)(n - 500 + 1);
        berth_monitor_receive(kit.monitor, &message);
        const BerthPermit permit = kit_cycle(&kit);
        assert_true(permit.go == (n >= 20 && n < 500) || n < 20);
        if (n >= 500) {
            berth_monitor_reset(kit.monitor);
        }
    }
    kit_close(&kit);
}

// Of two senders the first one is heard from the future: there is no age. The second one's was told instead.
static void an_age_that_is_none(void** state) {
    (void)state;
    static GuardKit kit;
    const int32_t value[2] = {0, 1};
    const BerthMonitorSource sources[2] = {{"one", &value[0], 1}, {"two", &value[1], 1}};
    kit_open(&kit, kit_arm, NULL, false, limit);
    kit.def.sources = sources;
    kit.def.source_count = 2;
    kit_start(&kit);
    kit.now = 100.0;
    for (int first = 0; first < 2; ++first) {
        for (int32_t s = 0; s < 2; ++s) {
            const BerthMonitorMessage message = {.source = s,
                                                 .sequence = (uint64_t)first + 1,
                                                 .stamp = (double)NAN,
                                                 .received = kit.now + (s == first ? 1.0 : 0.0),
                                                 .positions = &kit.q[s],
                                                 .velocities = &kit.qd[s],
                                                 .count = 1};
            berth_monitor_receive(kit.monitor, &message);
        }
        BerthPermit permit;
        berth_monitor_cycle(kit.monitor, kit.now, &permit);
        assert_int_equal(permit.reason, BERTH_STOP_LATE);
        assert_true(isnan(permit.age));
        kit.now += 0.001;
    }
    kit_close(&kit);
}

int test_monitor_clocks(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_are_right),   cmocka_unit_test(samples_that_grow_old),
        cmocka_unit_test(clocks_that_are_wrong),   cmocka_unit_test(clocks_after_a_fault),
        cmocka_unit_test(what_is_behind_is_age),   cmocka_unit_test(velocities_that_are_lies),
        cmocka_unit_test(noise_is_little_speed),   cmocka_unit_test(observed_is_never_less_than_true),
        cmocka_unit_test(a_ramp_that_is_not_told), cmocka_unit_test(echoes_bound_the_age),
        cmocka_unit_test(echoes_that_are_wrong),   cmocka_unit_test(an_age_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
