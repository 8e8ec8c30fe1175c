// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// RETREAT: when an arm that was stopped near something may be backed out, and when not. And the hysteresis of nearness.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/math.h"
#include "support/guard.h"
#include "support/setting.h"

// A carriage 0.1 m long to either side on a rail; the wall's face is at x = 1.
static const double face = 1.0;

static void open_rail(GuardKit* kit, double crawl, const BerthObjectDef* wall_def) {
    kit_open(kit, kit_rail, NULL, false, (BerthJointLimit){1.0, 4.0, 8.0});
    kit->def.good_needed = 2;
    kit->def.crawl = crawl;
    BerthShape wall;
    assert_int_equal(berth_shape_box((BerthVec3){0.5, 0.5, 0.5}, &wall), BERTH_OK);
    kit_add(kit, "wall", &wall, (BerthVec3){face + 0.25, 0, 0}, wall_def);
}

// Tells that speed from a gap of `gap` metres for a while, going as it tells; the last permit.
static BerthPermit go_at(GuardKit* kit, double gap, double speed, int cycles) {
    BerthPermit permit = {0};
    kit->q[0] = face - 0.1 - gap;
    for (int n = 0; n < cycles; ++n) {
        kit->q[0] += 0.001 * speed;
        kit->qd[0] = speed;
        kit_say(kit);
        permit = kit_cycle(kit);
    }
    return permit;
}

static void wake_at(GuardKit* kit, double gap) {
    kit->q[0] = face - 0.1 - gap;
    kit->qd[0] = 0.0;
    (void)kit_wake(kit);
}

static void only_away_and_slowly(void** state) {
    (void)state;
    static GuardKit kit;
    const struct {
        double crawl, gap, speed;
        bool retreat;
    } cases[] = {
        {0.25, 0.008, 0.0, true},     // it stands inside of the margin
        {0.25, 0.008, -0.05, true},   // goes away
        {0.25, 0.008, 0.05, false},   // comes nearer
        {0.25, 0.008, 0.001, false},  // even slowly
        {0.25, 0.008, -0.9, false},   // faster than V: it could lose more than it may
        {0.0, 0.008, 0.0, false},     // nobody asked for it
        {1e-4, 0.008, 0.0, false},    // at rest it could lose more than V times the horizon
        {0.25, 0.3, 0.0, false},      // a permit
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        open_rail(&kit, cases[i].crawl, NULL);
        kit_start(&kit);
        wake_at(&kit, cases[i].gap);
        const BerthPermit permit = go_at(&kit, cases[i].gap, cases[i].speed, 3);
        if (permit.retreat != cases[i].retreat) {
            fail_msg("case %zu: %s, retreat %d", i, berth_stop_name(permit.reason), permit.retreat);
        }
        assert_int_equal(permit.go, cases[i].gap == 0.3);
        if (permit.retreat) {
            assert_int_equal(permit.reason, BERTH_STOP_NEAR);
            assert_true(fabs(permit.valid_until - (kit.now - 0.001 + kit.def.valid_for)) < 1e-12);
        }
        assert_true((berth_monitor_counters(kit.monitor).retreats > 0) == cases[i].retreat ||
                    cases[i].speed != 0.0);
        kit_close(&kit);
    }
}

// Velocities that are not told, and those that are not true: it tells that it goes away and comes nearer.
static void velocities_are_told_and_true(void** state) {
    (void)state;
    static GuardKit kit;
    open_rail(&kit, 0.25, NULL);
    kit_start(&kit);
    wake_at(&kit, 0.008);
    BerthMonitorMessage message = kit_message(&kit);
    message.velocities = NULL;
    berth_monitor_receive(kit.monitor, &message);
    BerthPermit permit = kit_cycle(&kit);
    assert_true(permit.reason == BERTH_STOP_NEAR && !permit.retreat);
    kit_close(&kit);

    open_rail(&kit, 0.25, NULL);
    kit_start(&kit);
    wake_at(&kit, 0.008);
    assert_true(go_at(&kit, 0.008, 0.0, 60).retreat);
    int given = 0;
    for (int n = 0; n < 60; ++n) {
        kit.q[0] += 0.001 * 0.05;
        kit.qd[0] = -0.02;
        kit_say(&kit);
        permit = kit_cycle(&kit);
        given += permit.retreat;
    }
    print_message("a lie of 0.07 m/s: %d cycles\n", given);
    assert_true(given < 45 && !permit.retreat);
    kit_close(&kit);
}

// Whoever moves by themselves forbid it while they are too near; further away they do not.
static void nobody_may_be_near(void** state) {
    (void)state;
    static GuardKit kit;
    for (int kind = 0; kind < 3; ++kind) {
        for (int far = 0; far < 2; ++far) {
            const double x = face - 0.1 - 0.008 - 0.1 - (far ? 0.8 : 0.015);
            BerthShape ball;
            BerthObjectDef walker = berth_default_object_def();
            BerthMonitorCloud cloud = {.name = "eye", .capacity = KIT_POINTS, .radius = 0.01, .speed = 0.2};
            open_rail(&kit, 0.25, NULL);
            assert_int_equal(berth_shape_sphere(0.02, &ball), BERTH_OK);
            if (kind < 2) {
                walker.moving = kind == 0;
                walker.person = kind == 1;
                walker.speed = 1.6;
                kit_add(&kit, "walker", &ball, (BerthVec3){x, 0, 0}, &walker);
            } else {
                kit.def.clouds = &cloud;
                kit.def.cloud_count = 1;
                kit.points[0][0] = (BerthVec3){x, 0, 0};
                kit.point_count[0] = 1;
            }
            kit_start(&kit);
            wake_at(&kit, 0.008);
            const BerthPermit permit = go_at(&kit, 0.008, 0.0, 3);
            assert_int_equal(permit.reason, BERTH_STOP_NEAR);
            if (permit.retreat != (far != 0)) {
                fail_msg("kind %d, far %d: retreat %d", kind, far, permit.retreat);
            }
            kit_close(&kit);
        }
    }
}

// A fault ends it, and it comes back after a reset only.
static void no_fault(void** state) {
    (void)state;
    static GuardKit kit;
    open_rail(&kit, 0.25, NULL);
    kit_start(&kit);
    wake_at(&kit, 0.008);
    assert_true(go_at(&kit, 0.008, 0.0, 3).retreat);
    kit.q[0] = NAN;
    kit_say(&kit);
    BerthPermit permit = kit_cycle(&kit);
    assert_true(permit.reason == BERTH_STOP_VALUE && !permit.retreat);
    assert_false(go_at(&kit, 0.008, 0.0, 30).retreat);
    wake_at(&kit, 0.008);
    assert_true(go_at(&kit, 0.008, 0.0, 3).retreat);

    // One that is sealed too late is none.
    kit_say(&kit);
    berth_monitor_cycle(kit.monitor, kit.now, &permit);
    assert_true(permit.retreat);
    berth_monitor_seal(kit.monitor, kit.now + 0.002, &permit);
    assert_true(permit.reason == BERTH_STOP_OVERRUN && !permit.retreat);
    kit_close(&kit);

    // What cannot be is refused.
    open_rail(&kit, 0.25, NULL);
    assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
    kit.def.latch_near = true;
    assert_int_equal(berth_monitor_create(kit.scene, &kit.def, &kit.monitor), BERTH_ERR_ARGUMENT);
    kit.def.latch_near = false;
    kit.def.crawl = NAN;
    assert_int_equal(berth_monitor_create(kit.scene, &kit.def, &kit.monitor), BERTH_ERR_ARGUMENT);
    kit_close(&kit);
}

// Creeping nearer by less than can be told from noise: what was lost counts from where the retreat began, over all of its pauses.
static void losses_add_up(void** state) {
    (void)state;
    static GuardKit kit;
    open_rail(&kit, 0.25, NULL);
    kit.def.safety.noise = 1e-4;
    kit_start(&kit);
    wake_at(&kit, 0.008);
    assert_true(go_at(&kit, 0.008, 0.0, 60).retreat);
    const double most = 0.25 * berth_monitor_horizon(kit.monitor, 0.0);
    const double from = kit.q[0];
    bool retreat = true;
    for (int n = 0; n < 100000 && retreat; ++n) {
        kit.q[0] += 1e-7;  // 0.1 mm/s, told as standing
        kit.qd[0] = 0.0;
        kit_say(&kit);
        retreat = n % 3 == 0 || kit_cycle(&kit).retreat;
        if (n % 3 == 0) {
            (void)kit_cycle(&kit);
        }
    }
    const double lost = kit.q[0] - from;
    print_message("lost %.3f mm of %.3f mm\n", 1e3 * lost, 1e3 * most);
    assert_true(!retreat && lost <= most && lost > 0.2 * most);
    kit_close(&kit);
}

// ---- hysteresis ----------------------------------------------------------------------------------------------

// An arm stands near the border, and its encoder is off by up to 0.2 mrad (here: mm) at 1 kHz. How often does the verdict change in four
// seconds, at the worst of many places around the border?
static int most_changes(double hysteresis, double noise_declared, Random* random) {
    static GuardKit kit;
    int worst = 0;
    for (int place = -10; place <= 30; ++place) {
        open_rail(&kit, 0.0, NULL);
        kit.def.safety.hysteresis = hysteresis;
        kit.def.safety.noise = noise_declared;
        kit.def.jump_slack = 1.0;  // it is put there
        kit_start(&kit);
        wake_at(&kit, 0.05);
        BerthPermit permit = go_at(&kit, 0.05, 0.0, 20);
        const double border = permit.required;
        int changes = 0;
        bool last = true;
        for (int n = 0; n < 4000; ++n) {
            kit.q[0] = face - 0.1 - border - 1e-4 * place + bi_random_between(random, -2e-4, 2e-4);
            kit_say(&kit);
            permit = kit_cycle(&kit);
            assert_true(permit.go || permit.reason == BERTH_STOP_NEAR || permit.reason == BERTH_STOP_JUMP ||
                        permit.reason == BERTH_STOP_RESET);
            changes += permit.go != last;
            last = permit.go;
        }
        worst = changes > worst ? changes : worst;
        kit_close(&kit);
    }
    return worst;
}

static void noise_at_the_border(void** state) {
    (void)state;
    Random random = {3};
    const int without = most_changes(0.0, 2e-4, &random);
    const int with = most_changes(0.002, 2e-4, &random);
    const int undeclared = most_changes(0.002, 0.0, &random);
    print_message("changes in 4 s: %d without hysteresis, %d with 2 mm, %d where the noise is not declared\n",
                  without, with, undeclared);
    assert_true(without > 100);
    assert_true(with <= 4 && undeclared <= 6);
}

// It delays permission, never STOP: with it there is no permit where there is none without.
static void it_only_takes_away(void** state) {
    (void)state;
    static GuardKit kits[2];
    Random random = {9};
    int held = 0;
    for (int run = 0; run < test_scaled(30); ++run) {
        for (int k = 0; k < 2; ++k) {
            open_rail(&kits[k], 0.0, NULL);
            kits[k].def.safety.hysteresis = k == 0 ? 0.0 : 0.01;
            kit_start(&kits[k]);
            wake_at(&kits[k], 0.2);
        }
        double q = kits[0].q[0];
        double v = 0.0;
        double wish = 0.0;
        for (int n = 0; n < 2000; ++n) {
            wish = bi_random_next(&random) % 100 == 0 ? bi_random_between(&random, -0.6, 0.6) : wish;
            wish = q > face - 0.11 ? -0.3 : wish;
            const double next = v + fmin(fmax(wish - v, -0.004), 0.004);
            q += 0.0005 * (v + next);
            v = next;
            bool go[2];
            for (int k = 0; k < 2; ++k) {
                kits[k].q[0] = q;
                kits[k].qd[0] = v;
                kit_say(&kits[k]);
                go[k] = kit_cycle(&kits[k]).go;
            }
            assert_true(go[0] || !go[1]);
            held += go[0] != go[1];
        }
        kit_close(&kits[0]);
        kit_close(&kits[1]);
    }
    assert_true(held > 0 || !test_is_whole());
}

int test_monitor_retreat(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_away_and_slowly), cmocka_unit_test(velocities_are_told_and_true),
        cmocka_unit_test(nobody_may_be_near),   cmocka_unit_test(no_fault),
        cmocka_unit_test(losses_add_up),        cmocka_unit_test(noise_at_the_border),
        cmocka_unit_test(it_only_takes_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
