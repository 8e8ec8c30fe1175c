// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What must take the permit away (docs/reference/safety.md, the rows that are about messages and time), and the separation distance.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <berth/io.h>
#include <berth/monitor.h>

#include "math/math.h"
#include "support/program.h"
#include "support/setting.h"

enum { VALUES_MAX = 32 };
static const double PERIOD = 0.001;

/// A monitor over one arm at rest, with a sender.
typedef struct Guard {
    BerthScene* scene;
    BerthMonitor* monitor;
    int32_t count;
    double q[VALUES_MAX];
    double low[VALUES_MAX], high[VALUES_MAX];
    uint64_t stream, sequence;
    double now;
} Guard;

static void open_guard(Guard* g, double skew_limit) {
    memset(g, 0, sizeof *g);
    const BerthIoOptions options = berth_default_io_options();
    assert_int_equal(berth_io_read_scene(program_model("two_arms/cell.yaml"), &options, &g->scene), BERTH_OK);
    g->count = berth_scene_value_count(g->scene);
    memcpy(g->q, berth_scene_values(g->scene), (size_t)g->count * sizeof g->q[0]);
    int32_t value = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(g->scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(g->scene, r, NULL, NULL);
        for (int32_t j = 0; j < berth_robot_joint_count(robot); ++j) {
            const BerthJointInfo info = berth_robot_joint(robot, j);
            assert_int_equal(berth_scene_set_joint_limit(g->scene, r, j, &(BerthJointLimit){1.0, 4.0, 8.0}),
                             BERTH_OK);
            for (int32_t k = 0; k < info.value_count; ++k, ++value) {
                g->low[value] = info.has_limits ? info.lower : -INFINITY;
                g->high[value] = info.has_limits ? info.upper : INFINITY;
            }
        }
    }
    BerthMonitorDef def = berth_default_monitor_def();
    def.safety = (BerthSafety){
        .period = PERIOD, .latency = 0.001, .reaction = 0.005, .silence = 0.005, .margin = 0.001};
    def.skew_limit = skew_limit;
    assert_int_equal(berth_monitor_create(g->scene, &def, &g->monitor), BERTH_OK);
    g->stream = 7;
}

static void close_guard(Guard* g) {
    berth_monitor_destroy(g->monitor);
    berth_scene_destroy(g->scene);
}

static BerthMonitorMessage next_message(Guard* g) {
    static double still[VALUES_MAX];
    return (BerthMonitorMessage){.stream = g->stream,
                                 .sequence = ++g->sequence,
                                 .stamp = g->now,
                                 .received = g->now,
                                 .positions = g->q,
                                 .velocities = still,
                                 .count = g->count};
}

static void say(Guard* g) {
    const BerthMonitorMessage message = next_message(g);
    berth_monitor_receive(g->monitor, &message);
}

static BerthPermit cycle(Guard* g) {
    BerthPermit permit;
    berth_monitor_cycle(g->monitor, g->now, &permit);
    berth_monitor_seal(g->monitor, g->now + 0.0001, &permit);
    assert_true(permit.go == (permit.reason == BERTH_STOP_NONE));
    assert_true(!permit.go || permit.valid_until <= g->now + 0.0031);
    g->now += PERIOD;
    return permit;
}

// Good messages and a reset: a permit.
static void make_good(Guard* g) {
    berth_monitor_reset(g->monitor);
    BerthPermit permit = {0};
    for (int i = 0; i < 12; ++i) {
        say(g);
        permit = cycle(g);
    }
    if (!permit.go) {
        fail_msg("no permit: %s", berth_stop_name(permit.reason));
    }
}

// After a fault: STOP now, latched for all good messages that follow, and none before a reset.
static void expect_stop(Guard* g, BerthStop reason) {
    const BerthPermit permit = cycle(g);
    if (permit.go || permit.reason != reason) {
        fail_msg("expected %s, got %s", berth_stop_name(reason), berth_stop_name(permit.reason));
    }
    for (int i = 0; i < 30; ++i) {
        say(g);
        assert_false(cycle(g).go);
    }
}

static void nothing_heard_is_no_permit(void** state) {
    (void)state;
    Guard g;
    open_guard(&g, INFINITY);
    berth_monitor_reset(g.monitor);
    for (int i = 0; i < 5000; ++i) {
        const BerthPermit permit = cycle(&g);
        assert_true(!permit.go && permit.reason == BERTH_STOP_NO_STATE);
    }
    close_guard(&g);
    open_guard(&g, INFINITY);  // heard, but nobody asked for permits
    for (int i = 0; i < 100; ++i) {
        say(&g);
        assert_int_equal(cycle(&g).reason, BERTH_STOP_RESET);
    }
    make_good(&g);
    close_guard(&g);
}

static void silence_stops(void** state) {
    (void)state;
    Guard g;
    open_guard(&g, INFINITY);
    for (int pause = 1; pause <= 50; ++pause) {
        make_good(&g);
        const double last = g.now - PERIOD;
        bool stopped = false;
        for (int i = 0; i < pause; ++i) {
            const bool late = g.now - last > 0.005;
            stopped = stopped || late;
            const BerthPermit permit = cycle(&g);
            assert_true(late ? !permit.go : permit.go);
        }
        say(&g);
        assert_true(cycle(&g).go == !stopped);
    }
    close_guard(&g);
}

static void disorder(void** state) {
    (void)state;
    Guard g;
    open_guard(&g, INFINITY);
    make_good(&g);
    BerthMonitorMessage old = next_message(&g);
    say(&g);
    const BerthMonitorCounters before = berth_monitor_counters(g.monitor);
    for (int i = 0; i < 5; ++i) {  // a replay makes nothing fresh
        old.received = g.now;
        berth_monitor_receive(g.monitor, &old);
        (void)cycle(&g);
    }
    old.received = g.now;
    berth_monitor_receive(g.monitor, &old);
    const BerthMonitorCounters after = berth_monitor_counters(g.monitor);
    assert_int_equal(after.stale - before.stale, 6);
    expect_stop(&g, BERTH_STOP_LATE);
    make_good(&g);
    g.sequence -= 10;  // further back than the window
    say(&g);
    expect_stop(&g, BERTH_STOP_SEQUENCE);
    g.sequence += 1000;  // forward: lost ones
    make_good(&g);
    g.stream += 1;
    say(&g);
    expect_stop(&g, BERTH_STOP_SEQUENCE);
    make_good(&g);
    close_guard(&g);
}

static void wrong_values_stop(void** state) {
    (void)state;
    Guard g;
    open_guard(&g, INFINITY);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int32_t j = 0; j < g.count; ++j) {
        const double good = g.q[j];
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
            make_good(&g);
            g.q[j] = bad[k];
            say(&g);
            g.q[j] = good;
            expect_stop(&g, BERTH_STOP_VALUE);
        }
        make_good(&g);
        g.q[j] = isfinite(g.high[j]) ? nextafter(g.high[j] + 1e-3, INFINITY) : good + 0.5;
        say(&g);
        g.q[j] = good;
        expect_stop(&g, isfinite(g.high[j]) ? BERTH_STOP_LIMIT : BERTH_STOP_JUMP);
        make_good(&g);
        g.q[j] = good + (good + 0.3 < g.high[j] ? 0.3 : -0.3);
        say(&g);
        g.q[j] = good;
        expect_stop(&g, BERTH_STOP_JUMP);
    }
    make_good(&g);
    g.q[0] = -0.0;  // these are numbers
    g.q[1] += DBL_TRUE_MIN;
    say(&g);
    assert_true(cycle(&g).go);
    close_guard(&g);
}

static void malformed_is_dropped(void** state) {
    (void)state;
    Guard g;
    open_guard(&g, INFINITY);
    make_good(&g);
    for (int32_t count = 0; count <= 2 * g.count; ++count) {
        BerthMonitorMessage message = next_message(&g);
        message.count = count;
        message.source = count == g.count ? 1 : 0;
        const int64_t before = berth_monitor_counters(g.monitor).malformed;
        berth_monitor_receive(g.monitor, &message);
        assert_int_equal(berth_monitor_counters(g.monitor).malformed, before + 1);
    }
    for (int i = 0; i < 5; ++i) {
        (void)cycle(&g);
    }
    expect_stop(&g, BERTH_STOP_LATE);
    close_guard(&g);
}

static void clocks(void** state) {
    (void)state;
    Guard g;
    open_guard(&g, 0.1);
    make_good(&g);
    const double offs[] = {3600.0, -3600.0, 0.11, NAN};
    for (size_t i = 0; i < sizeof offs / sizeof offs[0]; ++i) {
        BerthMonitorMessage message = next_message(&g);
        message.stamp += offs[i];
        berth_monitor_receive(g.monitor, &message);
        expect_stop(&g, BERTH_STOP_SKEW);
        make_good(&g);
    }
    g.now += 5 * PERIOD;  // this process slept
    say(&g);
    expect_stop(&g, BERTH_STOP_OVERRUN);
    make_good(&g);
    BerthPermit permit;
    say(&g);
    berth_monitor_cycle(g.monitor, g.now, &permit);
    assert_true(permit.go);
    berth_monitor_seal(g.monitor, g.now + 1.01 * PERIOD, &permit);
    assert_true(!permit.go && permit.reason == BERTH_STOP_OVERRUN);
    g.now += PERIOD;
    say(&g);
    assert_false(cycle(&g).go);
    make_good(&g);
    berth_monitor_fault(g.monitor, BERTH_STOP_NUMBERS);
    expect_stop(&g, BERTH_STOP_NUMBERS);
    make_good(&g);
    berth_monitor_end(g.monitor);
    berth_monitor_reset(g.monitor);
    for (int i = 0; i < 40; ++i) {
        say(&g);
        assert_int_equal(cycle(&g).reason, BERTH_STOP_END);
    }
    close_guard(&g);
}

// Integrals by rectangles, with a person and a robot that brakes evenly.
static void separation(void** state) {
    (void)state;
    BerthSeparation terms = {.person_speed = 1.6,
                             .robot_speed = 1.0,
                             .reaction = 0.1,
                             .stopping = 0.3,
                             .braking = -1.0,
                             .intrusion = 0.2,
                             .person_uncertainty = 0.1,
                             .robot_uncertainty = 0.05};
    double out = 0.0;
    assert_int_equal(berth_separation_distance(&terms, &out), BERTH_OK);
    assert_true(out >= 1.24 && out < 1.24 + 1e-12);
    terms.reaction = 0.2;
    assert_int_equal(berth_separation_distance(&terms, &out), BERTH_OK);
    assert_true(fabs(out - 1.50) < 1e-12);
    terms.reaction = 0.1;
    terms.robot_speed = 0.0;
    assert_int_equal(berth_separation_distance(&terms, &out), BERTH_OK);
    assert_true(fabs(out - 0.99) < 1e-12);
    double* all[] = {&terms.person_speed, &terms.robot_speed,        &terms.reaction,         &terms.stopping,
                     &terms.intrusion,    &terms.person_uncertainty, &terms.robot_uncertainty};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        const double keep = *all[i];
        *all[i] = NAN;
        assert_int_equal(berth_separation_distance(&terms, &out), BERTH_ERR_ARGUMENT);
        *all[i] = -0.1;
        assert_int_equal(berth_separation_distance(&terms, &out), BERTH_ERR_ARGUMENT);
        *all[i] = keep;
    }
    Random random = {1};
    for (int n = 0; n < test_scaled(300); ++n) {
        for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
            *all[i] = bi_random_between(&random, 0.0, 2.0);
        }
        enum { STEPS = 1000 };
        long double sum = (long double)terms.intrusion + terms.person_uncertainty + terms.robot_uncertainty;
        for (int k = 0; k < STEPS; ++k) {
            const long double part = (k + 0.5L) / STEPS;
            sum += (long double)terms.person_speed * (terms.reaction + terms.stopping) / STEPS;
            sum += (long double)terms.robot_speed * terms.reaction / STEPS;
            sum += (long double)terms.robot_speed * (1 - part) * terms.stopping / STEPS;
        }
        assert_int_equal(berth_separation_distance(&terms, &out), BERTH_OK);
        assert_true(fabsl(out - sum) < 1e-9L && out >= sum - 1e-15L);
    }
}

static void what_is_not_said_is_refused(void** state) {
    (void)state;
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    BerthMonitor* monitor = NULL;
    assert_int_equal(berth_io_read_scene(program_model("two_arms/cell.yaml"), &options, &scene), BERTH_OK);
    BerthMonitorDef def = berth_default_monitor_def();
    def.safety =
        (BerthSafety){.period = 0.001, .latency = 0.001, .reaction = 0.01, .silence = 0.005, .margin = 0.01};
    for (int32_t j = 0; j < 2; ++j) {
        const BerthRobot* robot = berth_scene_robot(scene, 0, NULL, NULL);
        const int32_t joint = berth_robot_find_joint(robot, "joint1");
        assert_int_equal(
            berth_scene_set_joint_limit(scene, 0, joint, &(BerthJointLimit){j == 0 ? 0.0 : 1.0, 0.0, 0.0}),
            BERTH_OK);
        assert_int_equal(berth_monitor_create(scene, &def, &monitor), BERTH_ERR_ARGUMENT);
        assert_non_null(strstr(berth_error_text(), "joint1"));
    }
    def.safety.silence = 0.0;
    assert_int_equal(berth_monitor_create(scene, &def, &monitor), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "silence"));
    assert_null(monitor);
    berth_scene_destroy(scene);
}

int test_monitor_input(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_heard_is_no_permit),
        cmocka_unit_test(silence_stops),
        cmocka_unit_test(disorder),
        cmocka_unit_test(wrong_values_stop),
        cmocka_unit_test(malformed_is_dropped),
        cmocka_unit_test(clocks),
        cmocka_unit_test(separation),
        cmocka_unit_test(what_is_not_said_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
