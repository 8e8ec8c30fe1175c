// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Models that are switched between cycles: as if each had a monitor of its own; what is not declared stops; a load makes braking
// longer; the hash tells which one it is (docs/reference/safety.md, row 19).

#include <berth/lab/monitor.h>
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

static const char* const coarse_bodies[] = {"glove"};
static const char* const fine_bodies[] = {"finger", "thumb"};
static const char* const table_bodies[] = {"part_on_table"};
static const char* const hand_bodies[] = {"part_in_hand"};
static const BerthMonitorOption gripper_options[] = {{"coarse", coarse_bodies, 1}, {"fine", fine_bodies, 2}};
static const BerthMonitorOption part_options[] = {
    {"table", table_bodies, 1}, {"hand", hand_bodies, 1}, {"gone", NULL, 0}};
static const BerthMonitorChoice choices[] = {
    {.name = "gripper", .options = gripper_options, .option_count = 2},
    {.name = "part", .options = part_options, .option_count = 3}};
static const BerthJointLimit limit = {1.0, 4.0, 8.0};

static void add_ball(GuardKit* kit, const char* name, double radius, BerthVec3 at, const char* attach,
                     double mass) {
    BerthShape ball;
    BerthObjectDef def = berth_default_object_def();
    def.attach = attach;
    def.mass = mass;
    assert_int_equal(berth_shape_sphere(radius, &ball), BERTH_OK);
    kit_add(kit, name, &ball, at, &def);
}

// Everything that can be chosen, or with `gripper` and `part` only what those options bring.
static void open_all(GuardKit* kit, int gripper, int part) {
    kit_open(kit, kit_arm, NULL, false, limit);
    if (gripper != 1) {
        add_ball(kit, "glove", 0.12, (BerthVec3){0.55, 0, 0}, "two", 0.3);
    }
    if (gripper != 0) {
        add_ball(kit, "finger", 0.03, (BerthVec3){0.55, 0.04, 0}, "two", 0.1);
        add_ball(kit, "thumb", 0.03, (BerthVec3){0.55, -0.04, 0}, "two", 0.1);
    }
    if (part == 0 || part < 0) {
        add_ball(kit, "part_on_table", 0.05, (BerthVec3){0.7, 0.6, 0}, NULL, 2.0);
    }
    if (part == 1 || part < 0) {
        add_ball(kit, "part_in_hand", 0.05, (BerthVec3){0.65, 0, 0}, "two", 2.0);
    }
    add_ball(kit, "post", 0.1, (BerthVec3){-0.8, 0.3, 0}, NULL, 0.0);
    kit->def.good_needed = 1;
    kit->def.jump_slack = 10.0;
    kit->silent_choices = true;
}

static void choose(GuardKit* kit, int32_t choice, int32_t option) {
    const BerthMonitorSwitch message = {.choice = choice,
                                        .option = option,
                                        .stream = kit->stream,
                                        .sequence = ++kit->sequence,
                                        .stamp = kit->now,
                                        .received = kit->now};
    berth_monitor_switch(kit->monitor, &message);
}

static void as_if_each_had_its_own(void** state) {
    (void)state;
    static GuardKit all;
    static GuardKit own[2][3];
    Random random = {3};
    open_all(&all, -1, -1);
    all.def.choices = choices;
    all.def.choice_count = 2;
    kit_start(&all);
    for (int g = 0; g < 2; ++g) {
        for (int p = 0; p < 3; ++p) {
            open_all(&own[g][p], g, p);
            kit_start(&own[g][p]);
        }
    }
    int64_t go = 0;
    int64_t near = 0;
    uint8_t hashes[2][3][32];
    bool seen[2][3] = {{false}};
    int g = 0;
    int p = 0;
    for (int n = 0; n < test_scaled(20000); ++n) {
        if (bi_random_next(&random) % 3 == 0) {
            g = (int)(bi_random_next(&random) % 2);
            p = (int)(bi_random_next(&random) % 3);
            choose(&all, 0, g);
            choose(&all, 1, p);
        }
        const double q[2] = {bi_random_between(&random, -3, 3), bi_random_between(&random, -2.4, 2.4)};
        const double v[2] = {bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1)};
        GuardKit* const both[2] = {&all, &own[g][p]};
        BerthPermit permits[2];
        own[g][p].now = all.now;
        for (int k = 0; k < 2; ++k) {
            // A value that is none: what it did before is forgotten, and the leap to the next state is not seen as a speed.
            both[k]->q[0] = NAN;
            kit_say_joints(both[k]);
            memcpy(both[k]->q, q, sizeof q);
            memcpy(both[k]->qd, v, sizeof v);
            berth_monitor_fault(both[k]->monitor, BERTH_STOP_OVERRUN);  // as its clock says, too
            berth_monitor_reset(both[k]->monitor);
            kit_say(both[k]);
            berth_monitor_cycle(both[k]->monitor, both[k]->now, &permits[k]);
            berth_monitor_reset(both[k]->monitor);
            kit_say(both[k]);
            berth_monitor_cycle(both[k]->monitor, both[k]->now, &permits[k]);
        }
        all.now += 0.001;
        if (permits[0].go != permits[1].go || permits[0].reason != permits[1].reason ||
            permits[0].distance != permits[1].distance || permits[0].required != permits[1].required) {
            fail_msg("case %d, options %d and %d: %s (%.9g of %.9g), alone %s (%.9g of %.9g)", n, g, p,
                     berth_stop_name(permits[0].reason), permits[0].distance, permits[0].required,
                     berth_stop_name(permits[1].reason), permits[1].distance, permits[1].required);
        }
        go += permits[0].go;
        near += permits[0].reason == BERTH_STOP_NEAR;
        assert_int_equal(berth_monitor_active(all.monitor, 0), g);
        assert_int_equal(berth_monitor_active(all.monitor, 1), p);
        if (seen[g][p]) {
            assert_memory_equal(hashes[g][p], permits[0].model, 32);
        }
        memcpy(hashes[g][p], permits[0].model, 32);
        seen[g][p] = true;
    }
    for (int a = 0; a < 6; ++a) {
        for (int b = 0; b < a; ++b) {
            assert_memory_not_equal(hashes[a / 3][a % 3], hashes[b / 3][b % 3], 32);
        }
    }
    print_message("%lld permits, %lld near\n", (long long)go, (long long)near);
    assert_true(go > 100 && near > 100);
    for (int a = 0; a < 6; ++a) {
        kit_close(&own[a / 3][a % 3]);
    }
    kit_close(&all);
}

static void what_is_not_declared_stops(void** state) {
    (void)state;
    static GuardKit kit;
    open_all(&kit, -1, -1);
    kit.def.choices = choices;
    kit.def.choice_count = 2;
    kit.sequence = 1000;
    kit_start(&kit);
    assert_int_equal(berth_monitor_find_choice(kit.monitor, "part"), 1);
    assert_int_equal(berth_monitor_find_option(kit.monitor, 1, "gone"), 2);
    assert_int_equal(berth_monitor_find_option(kit.monitor, 1, "coarse"), -1);
    assert_int_equal(berth_monitor_find_option(kit.monitor, -1, "coarse"), -1);
    const int32_t wrong[][2] = {{0, 2}, {0, -1}, {2, 0}, {-1, 0}, {1, 3}, {1, INT32_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_true(kit_wake(&kit).go);
        choose(&kit, wrong[i][0], wrong[i][1]);
        kit_say(&kit);
        assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_MODEL);
        kit_say(&kit);
        assert_false(kit_cycle(&kit).go);

        // What of a choice that is known was not: its sender believes in it until it tells of another one.
        if (wrong[i][0] == 0 || wrong[i][0] == 1) {
            assert_int_equal(kit_wake(&kit).reason, BERTH_STOP_RESET);
            choose(&kit, wrong[i][0], 0);
        }
    }
    assert_true(kit_wake(&kit).go);
    choose(&kit, 1, 2);
    const uint64_t last = kit.sequence;
    kit_say(&kit);
    assert_true(kit_cycle(&kit).go);
    kit.sequence = last - 1;
    choose(&kit, 1, 1);  // the same number again: nothing happens
    kit.sequence = last + 100;
    kit_say(&kit);
    assert_true(kit_cycle(&kit).go);
    assert_int_equal(berth_monitor_active(kit.monitor, 1), 2);
    kit.sequence = last - 50;
    choose(&kit, 1, 1);  // far back: not the sender that it was
    kit.sequence = last + 200;
    kit_say(&kit);
    assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_SEQUENCE);
    assert_int_equal(berth_monitor_active(kit.monitor, 1), 2);
    kit_close(&kit);
}

static BerthStatus try_choices(const BerthMonitorChoice* list, int32_t count, const char* word) {
    static GuardKit kit;
    open_all(&kit, -1, -1);
    BerthShape ball;
    BerthObjectDef def = berth_default_object_def();
    def.moving = true;
    assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
    kit_add(&kit, "cart", &ball, (BerthVec3){5, 0, 0}, &def);
    kit.def.choices = list;
    kit.def.choice_count = count;
    assert_int_equal(berth_scene_commit(kit.scene), BERTH_OK);
    const BerthStatus status = berth_monitor_create(kit.scene, &kit.def, &kit.monitor);
    if (strstr(berth_error_text(), word) == NULL) {
        fail_msg("'%s' is not in: %s", word, berth_error_text());
    }
    kit_close(&kit);
    return status;
}

static void choices_that_make_no_sense(void** state) {
    (void)state;
    static const char* const nobody[] = {"nobody"};
    static const char* const cart[] = {"cart"};
    const BerthMonitorOption unknown = {"x", nobody, 1};
    const BerthMonitorOption moving = {"x", cart, 1};
    const BerthMonitorOption same[] = {{"x", coarse_bodies, 1}, {"x", NULL, 0}};
    const BerthMonitorOption twice[] = {{"x", coarse_bodies, 1}, {"y", coarse_bodies, 1}};
    const BerthMonitorChoice wrong[] = {{.name = "a", .options = &unknown, .option_count = 1},
                                        {.name = "a", .options = &moving, .option_count = 1},
                                        {.name = "a", .options = same, .option_count = 2},
                                        {.name = "a", .options = twice, .option_count = 2},
                                        {.name = "a", .options = same, .option_count = 0},
                                        {.name = "", .options = same, .option_count = 1},
                                        {.name = "a", .options = same, .option_count = 1, .silence = NAN}};
    const char* const words[] = {"nobody", "cart", "twice", "another", "options", "name", "silence"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_int_equal(try_choices(&wrong[i], 1, words[i]), BERTH_ERR_ARGUMENT);
    }
    const BerthMonitorChoice doubled[] = {choices[0], choices[0]};
    assert_int_equal(try_choices(doubled, 2, "twice"), BERTH_ERR_ARGUMENT);
}

// One that must be told again and again, as a sender of joints must.
static void silence_about_a_choice_stops(void** state) {
    (void)state;
    static GuardKit kit;
    BerthMonitorChoice told = choices[0];
    told.silence = 0.01;
    open_all(&kit, -1, 2);
    kit.def.choices = &told;
    kit.def.choice_count = 1;
    kit.silent_choices = false;
    kit_start(&kit);
    assert_true(kit_wake(&kit).go);
    kit.silent_choices = true;
    for (int i = 0; i < 9; ++i) {
        kit_say(&kit);
        assert_true(kit_cycle(&kit).go);
    }
    for (int i = 0; i < 3; ++i) {
        kit_say(&kit);
        (void)kit_cycle(&kit);
    }
    kit_say(&kit);
    assert_false(kit_cycle(&kit).go);
    kit_close(&kit);
}

// A gripper takes the part, and its sender begins anew: with a stream of its own it tells once that the part is in the hand. That
// message is a fault, and was dropped; after the reset the guard went on with the part on the table, for as long as the gripper held it.
static void a_choice_that_was_refused_is_waited_for(void** state) {
    (void)state;
    static GuardKit kit;
    open_all(&kit, -1, -1);
    kit.def.choices = choices;
    kit.def.choice_count = 2;
    kit_start(&kit);
    choose(&kit, 1, 0);
    assert_true(kit_wake(&kit).go);
    assert_int_equal(berth_monitor_active(kit.monitor, 1), 0);

    const uint64_t stream = kit.stream;
    kit.stream = stream + 1;
    choose(&kit, 1, 1);
    kit.stream = stream;
    kit_say(&kit);
    assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_SEQUENCE);
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(kit_wake(&kit).reason, BERTH_STOP_RESET);
    }

    kit.stream = stream + 1;
    choose(&kit, 1, 1);
    kit.stream = stream;
    const BerthPermit permit = kit_wake(&kit);
    assert_true(permit.cause == BERTH_STOP_NONE && permit.reason == BERTH_STOP_NEAR);  // it touches the glove
    assert_int_equal(berth_monitor_active(kit.monitor, 1), 1);
    kit_close(&kit);
}

// Two kilograms in the hand of an arm that weighs as much where they are: its brakes do half.
static void a_load_makes_braking_longer(void** state) {
    (void)state;
    static GuardKit kit;
    open_all(&kit, -1, -1);
    kit.def.choices = choices;
    kit.def.choice_count = 2;
    kit.def.load_mass = 2.2;
    kit_start(&kit);
    kit.qd[0] = 1.0;
    choose(&kit, 0, 1);  // fingers of 0.2 kg
    const double mass[3] = {0.2, 2.2, 0.2};
    for (int option = 0; option < 3; ++option) {
        choose(&kit, 1, option);
        kit_say(&kit);
        (void)kit_cycle(&kit);
        const double scale = 2.2 / (2.2 + mass[option]);
        const BerthJointLimit now = berth_monitor_limit(kit.monitor, 0);
        assert_true(fabs(now.deceleration - 8.0 * scale) < 1e-12);
        assert_true(now.velocity == 1.0 && now.acceleration == 4.0);
        double most = 0.0;
        double far = 0.0;
        for (int32_t i = 0; i < berth_monitor_body_count(kit.monitor); ++i) {
            const BerthSimpleBody body = berth_monitor_body(kit.monitor, i);
            if (body.body == berth_scene_find_body(kit.scene, "one")) {
                most = body.buffer;
                far = sqrt(0.5 * 0.5 + 2 * 0.03 * 0.03);
            }
        }
        // The base joint alone moves link one; its farthest corner from the axis is in the plane.
        const double lever = sqrt(0.5 * 0.5 + 0.03 * 0.03);
        const double h = 0.001 + 0.001 + 0.003 + 0.004;
        const double travel = 1.0 * h + 0.5 * 1.0 / (8.0 * scale);
        assert_true(far > lever && most >= lever * travel && most <= lever * travel + 1e-9);
        kit.now += 0.0;
    }
    kit_close(&kit);
}

int test_monitor_choices(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_if_each_had_its_own),
        cmocka_unit_test(what_is_not_declared_stops),
        cmocka_unit_test(choices_that_make_no_sense),
        cmocka_unit_test(silence_about_a_choice_stops),
        cmocka_unit_test(a_choice_that_was_refused_is_waited_for),
        cmocka_unit_test(a_load_makes_braking_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
