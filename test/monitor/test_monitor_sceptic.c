// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Inputs that somebody thought of to get a permit that should not be. Each was one once, or might have been.

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

#include <berth/lab/index.h>

#include "math/math.h"
#include "support/guard.h"
#include "support/setting.h"

static const BerthJointLimit limit = {1.0, 4.0, 8.0};

static void open_arm(GuardKit* kit) {
    kit_open(kit, kit_arm, NULL, false, limit);
    kit->def.good_needed = 2;
    kit_start(kit);
    assert_true(kit_wake(kit).go);
}

static void stays_stopped(GuardKit* kit) {
    for (int i = 0; i < 20; ++i) {
        kit_say(kit);
        assert_false(kit_cycle(kit).go);
    }
}

// A cycle at no time left a clock behind that no later cycle was late for.
static void times_that_are_none(void** state) {
    (void)state;
    static GuardKit kit;
    const double when[] = {NAN, INFINITY, -INFINITY, 1e300, 1e10};
    for (size_t i = 0; i < sizeof when / sizeof when[0]; ++i) {
        open_arm(&kit);
        BerthPermit permit;
        kit_say(&kit);
        berth_monitor_cycle(kit.monitor, when[i], &permit);
        assert_false(permit.go);
        berth_monitor_seal(kit.monitor, kit.now, &permit);
        assert_false(permit.go);
        stays_stopped(&kit);
        assert_true(kit_wake(&kit).go || when[i] == 1e10 || when[i] == 1e300);
        kit_close(&kit);
    }
    open_arm(&kit);
    kit.now += 0.05;  // late after a time that was none
    BerthPermit permit;
    berth_monitor_cycle(kit.monitor, NAN, &permit);
    berth_monitor_reset(kit.monitor);
    kit_say(&kit);
    kit_say(&kit);
    assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_OVERRUN);
    kit_close(&kit);
    open_arm(&kit);
    kit_say(&kit);
    berth_monitor_cycle(kit.monitor, kit.now, &permit);
    assert_true(permit.go);
    berth_monitor_cycle(kit.monitor, nextafter(kit.now, 0.0), &permit);  // one step back
    assert_false(permit.go);
    kit_close(&kit);
}

// Numbers of seconds so large that a millisecond is lost in them: every message would be fresh for ever.
static void times_without_milliseconds(void** state) {
    (void)state;
    static GuardKit kit;
    kit_open(&kit, kit_arm, NULL, false, limit);
    kit.def.good_needed = 1;
    kit_start(&kit);
    kit.now = 1e14;
    berth_monitor_reset(kit.monitor);
    kit_say(&kit);
    for (int i = 0; i < 100; ++i) {
        assert_false(kit_cycle(&kit).go);
    }
    kit_close(&kit);
    kit_open(&kit, kit_arm, NULL, false, limit);
    kit.def.good_needed = 1;
    kit_start(&kit);
    kit.now = 1e9;  // thirty years are fine
    assert_true(kit_wake(&kit).go);
    kit_close(&kit);
}

static void a_fault_that_is_none(void** state) {
    (void)state;
    static GuardKit kit;
    const int reasons[] = {BERTH_STOP_NONE, BERTH_STOP_RESET, -1, BERTH_STOP_COUNT, 100000};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i) {
        kit_open(&kit, kit_arm, NULL, false, limit);
        kit_start(&kit);
        kit_say(&kit);
        berth_monitor_fault(kit.monitor, (BerthStop)reasons[i]);  // this unlatched what nobody had reset
        stays_stopped(&kit);
        kit_close(&kit);
    }
}

// Drivers that do not know velocities often tell zeros.
static void speeds_that_are_lies(void** state) {
    (void)state;
    static GuardKit kit;
    const double real[] = {0.9, -0.5, 0.2, 0.1};
    for (size_t i = 0; i < sizeof real / sizeof real[0]; ++i) {
        open_arm(&kit);
        bool stopped = false;
        for (int n = 0; n < 300 && !stopped; ++n) {
            kit.q[0] += 0.001 * real[i];
            kit_say(&kit);
            const BerthPermit permit = kit_cycle(&kit);
            stopped = !permit.go;
            assert_true(permit.go || (permit.reason == BERTH_STOP_JUMP && permit.value == 0));
        }
        assert_true(stopped);
        kit_close(&kit);
    }
    // The truth, with messages that are lost and speeds that change: no complaint.
    Random random = {4};
    open_arm(&kit);
    double v = 0.0;
    for (int n = 0; n < test_scaled(20000); ++n) {
        const double wish = bi_random_next(&random) % 50 == 0 ? bi_random_between(&random, -1, 1) : v;
        v += fmin(fmax(wish - v, -0.004), 0.004);
        kit.q[0] += 0.001 * v;
        kit.qd[0] = v;
        if (bi_random_next(&random) % 3 != 0 || n % 4 == 0) {
            kit_say(&kit);
        }
        const BerthPermit permit = kit_cycle(&kit);
        if (!permit.go) {
            fail_msg("cycle %d: %s", n, berth_stop_name(permit.reason));
        }
    }
    kit_close(&kit);
}

// A joint that turns without end may be counted anew; one that another follows may not.
static void turns_that_wrap(void** state) {
    (void)state;
    static GuardKit kit;
    static const char followed[] =
        "<robot name='r'><link name='base'/><link name='one'><collision><geometry><sphere "
        "radius='0.1'/></geometry>"
        "</collision></link><link name='two'><collision><geometry><sphere "
        "radius='0.05'/></geometry></collision></link>"
        "<joint name='a' type='continuous'><parent link='base'/><child link='one'/><axis xyz='0 0 1'/>"
        "<limit velocity='2' effort='1'/></joint><joint name='b' type='continuous'><parent link='one'/>"
        "<child link='two'/><origin xyz='0.5 0 0'/><axis xyz='0 0 1'/><limit velocity='2' effort='1'/>"
        "<mimic joint='a' multiplier='0.5'/></joint></robot>";
    const double turn = 6.283185307179586;
    open_arm(&kit);
    kit.q[0] = 0.004;
    const double turns[] = {turn, -turn, -2 * turn, 5 * turn, 0.0};
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; ++i) {
        kit.q[0] += turns[i];
        kit_say(&kit);
        assert_true(kit_cycle(&kit).go);
    }
    kit.q[0] += 0.5 * turn;
    kit_say(&kit);
    assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_JUMP);
    kit_close(&kit);
    kit_open(&kit, followed, NULL, false, limit);
    kit.def.good_needed = 2;
    kit_start(&kit);
    assert_true(kit_wake(&kit).go);
    kit.q[0] += turn;  // the follower is on the other side then
    kit_say(&kit);
    assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_JUMP);
    kit_close(&kit);
}

// Old bytes of the same stream, after a fault that made the monitor forget what it had heard.
static void replays_after_a_fault(void** state) {
    (void)state;
    static GuardKit kit;
    open_arm(&kit);
    const uint64_t newest = kit.sequence;
    const double good = kit.q[0];
    kit.q[0] = NAN;
    kit_say(&kit);
    kit.q[0] = good;
    assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_VALUE);
    berth_monitor_reset(kit.monitor);
    for (int i = 0; i < 30; ++i) {
        kit.sequence = newest - 4 + (uint64_t)(i % 4);
        kit_say(&kit);
        assert_false(kit_cycle(&kit).go);
    }
    kit.sequence = newest + 1;
    assert_true(kit_wake(&kit).go);
    kit_close(&kit);
}

// A scene that is edited under its monitor: what the monitor points to is gone.
static void scenes_that_change(void** state) {
    (void)state;
    static GuardKit kit;
    open_arm(&kit);
    BerthShape ball;
    assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
    kit_add(&kit, "late", &ball, (BerthVec3){0.5, 0, 0}, NULL);
    kit_say(&kit);
    assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_MODEL);
    assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
    assert_false(berth_monitor_check_model(kit.monitor, 100));
    berth_monitor_reset(kit.monitor);
    for (int i = 0; i < 20; ++i) {
        kit_say(&kit);
        assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_MODEL);
    }
    kit_close(&kit);
}

static void permits_of_another_cycle(void** state) {
    (void)state;
    static GuardKit kit;
    open_arm(&kit);
    BerthPermit first;
    BerthPermit second;
    kit_say(&kit);
    berth_monitor_cycle(kit.monitor, kit.now, &first);
    berth_monitor_cycle(kit.monitor, kit.now, &second);
    assert_true(first.go && second.go);
    berth_monitor_seal(kit.monitor, kit.now, &first);
    assert_false(first.go);
    kit_close(&kit);
}

// Limits and coordinates beyond all sense: no permit, and no crash.
static void numbers_that_overflow(void** state) {
    (void)state;
    static GuardKit kit;
    const BerthJointLimit wild[] = {
        {1e300, 1e300, 1e-300}, {1.0, 1.0, DBL_TRUE_MIN}, {1.0, 1e300, 1e-200}, {1e200, 0.0, 1e-200}};
    BerthShape ball;
    assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; ++i) {
        kit_open(&kit, kit_arm, NULL, false, wild[i]);
        kit.def.good_needed = 1;
        kit_add(&kit, "post", &ball, (BerthVec3){2.0, 0, 0}, NULL);
        kit_start(&kit);
        kit.qd[0] = 0.5;
        kit.qd[1] = 1.0;
        assert_false(kit_wake(&kit).go);
        kit_close(&kit);
    }
    kit_open(&kit, kit_arm, NULL, false, limit);
    kit.def.good_needed = 1;
    kit.def.jump_slack = 1e300;
    kit_start(&kit);
    kit.q[0] = 1e7;  // an angle that our sine does not take
    assert_false(kit_wake(&kit).go);
    kit_close(&kit);
}

// Boxes whose numbers overflow are apart from nothing.
static void boxes_that_overflow(void** state) {
    (void)state;
    const BerthIndexKind kinds[] = {BERTH_INDEX_OCTREE, BERTH_INDEX_LIST, BERTH_INDEX_GRID};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        BerthIndexDef def = berth_default_index_def();
        BerthIndex* index = NULL;
        BerthShape ball;
        int32_t body[3];
        def.kind = kinds[k];
        assert_int_equal(berth_index_create(&def, &index), BERTH_OK);
        assert_int_equal(berth_shape_sphere(1e7, &ball), BERTH_OK);
        const BerthPose at = kit_at((BerthVec3){0, 0, 0});
        const BerthPose far = kit_at((BerthVec3){DBL_MAX, DBL_MAX, DBL_MAX});
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(berth_index_add(index, &ball, &at, 0.0, i < 2, &body[i]), BERTH_OK);
        }
        berth_index_update(index);
        assert_int_equal(berth_index_move(index, body[0], &far, 1e7), BERTH_OK);
        berth_index_update(index);
        BerthIndexPair pairs[8];
        const int32_t count = berth_index_pairs(index, pairs, 8);
        assert_int_equal(count, 3);
        BerthPose nan_pose = at;
        nan_pose.x.y = NAN;
        assert_int_not_equal(berth_index_move(index, body[0], &nan_pose, 0.0), BERTH_OK);
        assert_int_not_equal(berth_index_move(index, body[0], &at, NAN), BERTH_OK);
        assert_int_not_equal(berth_index_move(index, body[0], &at, -1.0), BERTH_OK);
        berth_index_destroy(index);
    }
}

// Things without size, flat ones, and ones without end.
static void bodies_of_all_sizes(void** state) {
    (void)state;
    static GuardKit kit;
    BerthShape shapes[5];
    assert_int_equal(berth_shape_sphere(0.0, &shapes[0]), BERTH_OK);
    assert_int_equal(berth_shape_box((BerthVec3){0.0, 0.0, 0.0}, &shapes[1]), BERTH_OK);
    assert_int_equal(berth_shape_box((BerthVec3){1.0, 0.0, 1.0}, &shapes[2]), BERTH_OK);
    assert_int_equal(berth_shape_capsule(1e-9, 0.0, &shapes[3]), BERTH_OK);
    assert_int_equal(berth_shape_halfspace((BerthVec3){0, 1, 0}, 0.0, &shapes[4]), BERTH_OK);
    for (int i = 0; i < 5; ++i) {
        kit_open(&kit, kit_arm, NULL, false, limit);
        kit.def.good_needed = 1;
        kit_add(&kit, "thing", &shapes[i], (BerthVec3){0.7, -0.1, 0.0}, NULL);
        kit_start(&kit);
        assert_true(kit_wake(&kit).go);
        kit_close(&kit);
        kit_open(&kit, kit_arm, NULL, false, limit);
        kit.def.good_needed = 1;
        kit_add(&kit, "thing", &shapes[i], (BerthVec3){0.7, -0.03, 0.0}, NULL);
        kit_start(&kit);
        assert_int_equal(kit_wake(&kit).reason, BERTH_STOP_NEAR);
        kit_close(&kit);
    }
}

// A thousand balls: permits as by looking at every one of them.
static void a_thousand_bodies(void** state) {
    (void)state;
    static GuardKit kit;
    static char names[1000][16];
    static Vec3 places[1000];
    Random random = {12};
    BerthShape ball;
    assert_int_equal(berth_shape_sphere(0.02, &ball), BERTH_OK);
    kit_open(&kit, kit_arm, NULL, false, limit);
    kit.def.good_needed = 1;
    kit.def.jump_slack = 100.0;
    for (int i = 0; i < 1000; ++i) {
        const double angle = bi_random_between(&random, -3.2, 3.2);
        const double far = bi_random_between(&random, 0.4, 4.0);
        const double high =
            (far < 1.1 ? 0.12 : 0.0) * (i % 2 == 0 ? 1.0 : -1.0) * bi_random_between(&random, 0.7, 3);
        places[i] = v3(far * cos(angle), far * sin(angle), high);
        snprintf(names[i], sizeof names[i], "ball%d", i);
        kit_add(&kit, names[i], &ball, places[i], NULL);
    }
    kit_start(&kit);
    int64_t go = 0;
    int64_t near = 0;
    for (int n = 0; n < test_scaled(3000); ++n) {
        for (int k = 0; k < 2; ++k) {
            kit.q[k] = bi_random_between(&random, -2.4, 2.4);
            kit.qd[k] = bi_random_between(&random, -1, 1) * (n % 2 == 0 ? 1.0 : 0.01);
        }
        berth_monitor_reset(kit.monitor);
        kit_say(&kit);
        const BerthPermit permit = kit_cycle(&kit);
        double worst = INFINITY;
        for (int32_t g = 0; g < berth_monitor_body_count(kit.monitor); ++g) {
            const BerthSimpleBody body = berth_monitor_body(kit.monitor, g);
            for (int i = 0; body.buffer > 0.0 && i < 1000; ++i) {
                const BerthPose at = kit_at(places[i]);
                const double gap = berth_shape_gap(&body.shape, &body.pose, &ball, &at).lower;
                worst = fmin(worst, gap - body.buffer - kit.def.safety.margin);
            }
        }
        if (fabs(worst) > 1e-9 && permit.go != (worst > 0.0)) {
            fail_msg("case %d: %s with %g m to spare", n, berth_stop_name(permit.reason), worst);
        }
        go += permit.go;
        near += permit.reason == BERTH_STOP_NEAR;
    }
    print_message("%lld permits, %lld near\n", (long long)go, (long long)near);
    assert_true(go > 10 && near > 10);
    kit_close(&kit);
}

#if defined(__x86_64__)
// Numbers that are too small become 0 in some libraries' hands.
static void flushing_to_zero(void** state) {
    (void)state;
    static GuardKit kit;
    open_arm(&kit);
    const unsigned before = __builtin_ia32_stmxcsr();
    const unsigned bits[] = {0x8000u, 0x0040u, 0x8040u};
    for (int i = 0; i < 3; ++i) {
        kit_say(&kit);
        BerthPermit permit;
        __builtin_ia32_ldmxcsr(before | bits[i]);
        berth_monitor_cycle(kit.monitor, kit.now, &permit);
        __builtin_ia32_ldmxcsr(before);
        kit.now += 0.001;
        assert_int_equal(permit.reason, BERTH_STOP_NUMBERS);
        assert_true(kit_wake(&kit).go);
    }
    kit_close(&kit);
}
#endif

// Every bit of what must not change, on two models; the pass ends, and bits that are put back are good again.
static void every_bit_counts(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {6};
    kit_open(&kit, kit_arm, NULL, false, limit);
    BerthShape ball;
    assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
    kit_add(&kit, "post", &ball, (BerthVec3){2.0, 0, 0}, NULL);
    kit.def.good_needed = 1;
    kit.def.refine = true;
    kit_start(&kit);
    assert_true(kit_wake(&kit).go);
    const size_t bytes = berth_monitor_model_bytes(kit.monitor);
    const int64_t before = berth_monitor_counters(kit.monitor).model_passes;
    for (size_t done = 0; done < 10 * bytes; done += 777) {
        assert_true(berth_monitor_check_model(kit.monitor, 777));
    }
    assert_true(berth_monitor_counters(kit.monitor).model_passes >= before + 9);
    for (int n = 0; n < test_scaled(3000); ++n) {
        const size_t bit = (size_t)(bi_random_next(&random) % (8 * (uint64_t)bytes));
        berth_monitor_test_flip_bit(kit.monitor, bit);
        bool good = true;
        for (size_t done = 0; done < 2 * bytes + 64 && good; done += 1 + bytes / 7) {
            good = berth_monitor_check_model(kit.monitor, 1 + bytes / 7);
        }
        berth_monitor_test_flip_bit(kit.monitor, bit);
        if (good) {
            fail_msg("bit %zu of %zu bytes", bit, bytes);
        }
        (void)berth_monitor_check_model(kit.monitor, bytes);  // what was summed with the bit is over
        (void)berth_monitor_check_model(kit.monitor, bytes);
        assert_true(berth_monitor_check_model(kit.monitor, 2 * bytes));
    }
    kit_say(&kit);
    assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_MODEL);
    assert_true(kit_wake(&kit).go);
    kit_close(&kit);
}

int test_monitor_sceptic(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_that_are_none),
        cmocka_unit_test(times_without_milliseconds),
        cmocka_unit_test(a_fault_that_is_none),
        cmocka_unit_test(speeds_that_are_lies),
        cmocka_unit_test(turns_that_wrap),
        cmocka_unit_test(replays_after_a_fault),
        cmocka_unit_test(scenes_that_change),
        cmocka_unit_test(permits_of_another_cycle),
        cmocka_unit_test(numbers_that_overflow),
        cmocka_unit_test(boxes_that_overflow),
        cmocka_unit_test(bodies_of_all_sizes),
        cmocka_unit_test(a_thousand_bodies),
#if defined(__x86_64__)
        cmocka_unit_test(flushing_to_zero),
#endif
        cmocka_unit_test(every_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
