// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The speed scale of a permit, held against permits themselves: senders that tell just that share of their largest speeds get one,
// and with a step more they get none. And the earliest contact, against a carriage that is driven into a wall step by step.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/math.h"
#include "support/guard.h"
#include "support/program.h"
#include "support/setting.h"

enum { STEPS = 32 };

// Everything is told once, to a monitor of its own, and there is a cycle.
static BerthPermit ask(GuardKit* kit, double age) {
    berth_monitor_destroy(kit->monitor);
    assert_int_equal(berth_monitor_create(kit->scene, &kit->def, &kit->monitor), BERTH_OK);
    berth_monitor_reset(kit->monitor);
    kit->now += 1.0;
    kit_say(kit);
    BerthPermit permit;
    kit->now += age;
    berth_monitor_cycle(kit->monitor, kit->now, &permit);
    berth_monitor_seal(kit->monitor, kit->now, &permit);
    return permit;
}

// All joints at a share of their largest speeds, one way or the other.
static BerthPermit ask_at_scale(GuardKit* kit, double age, double scale, Random* random) {
    for (int32_t i = 0; i < kit->count; ++i) {
        const double speed = scale * berth_monitor_limit(kit->monitor, i).velocity;
        kit->qd[i] = bi_random_between(random, 0.0, 1.0) < 0.5 ? speed : -speed;
    }
    return ask(kit, age);
}

typedef struct ScaleCount {
    int cases, open, between, closed, clouds, refined_more;
} ScaleCount;

static void check_scale(GuardKit* kit, double age, Random* random, ScaleCount* count) {
    const BerthPermit permit = ask_at_scale(kit, age, bi_random_between(random, 0.0, 1.0), random);
    assert_true(permit.reason == BERTH_STOP_NONE || permit.reason == BERTH_STOP_NEAR);
    assert_true(permit.scale >= 0.0 && permit.scale <= 1.0);
    const double step = permit.scale * STEPS;
    assert_true(step == floor(step));

    // Nothing limits the whole scale; something every other one.
    assert_int_equal(permit.scale < 1.0, permit.scale_a >= 0);
    assert_int_equal(permit.scale < 1.0, permit.scale_b >= 0 || permit.scale_cloud >= 0);
    count->clouds += permit.scale_cloud >= 0;

    if (permit.scale > 0.0) {
        assert_true(ask_at_scale(kit, age, permit.scale, random).go);
    }
    if (permit.scale < 1.0) {
        const BerthPermit faster = ask_at_scale(kit, age, permit.scale + 1.0 / STEPS, random);
        count->refined_more += faster.go;
        if (!kit->def.refine) {  // meshes were asked about what was too near at other speeds only
            assert_int_equal(faster.reason, BERTH_STOP_NEAR);
        }
    }

    count->cases += 1;
    count->open += permit.scale == 1.0;
    count->closed += permit.scale == 0.0;
    count->between += permit.scale > 0.0 && permit.scale < 1.0;
}

static BerthVec3 somewhere(Random* random, double most) {
    return (BerthVec3){bi_random_between(random, -most, most), bi_random_between(random, -most, most),
                       bi_random_between(random, -0.2, 0.2)};
}

static void open_place(GuardKit* kit, Random* random, BerthMonitorCloud* cloud) {
    const BerthJointLimit limit = {
        bi_random_between(random, 0.3, 3.0),
        bi_random_between(random, 0.0, 1.0) < 0.2 ? 0.0 : bi_random_between(random, 1.0, 9.0),
        bi_random_between(random, 1.0, 9.0)};
    kit_open(kit, bi_random_between(random, 0.0, 1.0) < 0.3 ? kit_rail : kit_arm, NULL, false, limit);
    kit->def.safety.margin = bi_random_between(random, 0.0, 0.05);
    kit->def.safety.silence = 0.1;
    kit->def.model_error = bi_random_between(random, 0.0, 0.01);
    kit->def.tracking_error = bi_random_between(random, 0.0, 0.01);
    kit->def.good_needed = 1;

    BerthShape ball;
    assert_int_equal(berth_shape_sphere(bi_random_between(random, 0.02, 0.3), &ball), BERTH_OK);
    kit_add(kit, "wall", &ball, somewhere(random, 2.5), NULL);
    if (bi_random_between(random, 0.0, 1.0) < 0.5) {
        BerthObjectDef person = berth_default_object_def();
        person.person = true;
        person.speed = bi_random_between(random, 0.0, 1.6);
        person.uncertainty = 0.02;
        kit_add(kit, "person", &ball, somewhere(random, 3.0), &person);
    }
    if (bi_random_between(random, 0.0, 1.0) < 0.5) {
        *cloud = (BerthMonitorCloud){.name = "eye",
                                     .capacity = KIT_POINTS,
                                     .radius = 0.01,
                                     .speed = bi_random_between(random, 0.0, 0.5)};
        kit->def.clouds = cloud;
        kit->def.cloud_count = 1;
        kit->point_count[0] = 1 + (int32_t)(bi_random_next(random) % 20);
        for (int32_t i = 0; i < kit->point_count[0]; ++i) {
            kit->points[0][i] = somewhere(random, 3.0);
        }
    }
    kit_start(kit);
}

static void permits_agree_with_their_scale(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {77};
    ScaleCount count = {0};
    for (int i = 0; i < test_scaled(3000); ++i) {
        BerthMonitorCloud cloud;
        memset(&kit, 0, sizeof kit);
        open_place(&kit, &random, &cloud);
        for (int32_t v = 0; v < kit.count; ++v) {
            kit.q[v] = bi_random_between(&random, -2.0, 2.0);
        }
        check_scale(&kit, bi_random_between(&random, 0.0, 0.05), &random, &count);
        kit_close(&kit);
    }
    print_message("report %d cases: %d whole, %d between, %d nothing, %d limited by clouds\n", count.cases,
                  count.open, count.between, count.closed, count.clouds);
    assert_true(count.between > count.cases / 5 && count.open > 0 && count.closed > 0 && count.clouds > 0);
}

// Two arms with meshes and proven pairs, in their cell; by capsules alone and with the second look.
static void two_arms(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {5};
    for (int refine = 0; refine < 2; ++refine) {
        ScaleCount count = {0};
        memset(&kit, 0, sizeof kit);
        assert_int_equal(berth_io_read_scene(program_model("two_arms/testbed.yaml"), NULL, &kit.scene),
                         BERTH_OK);
        kit.count = berth_scene_value_count(kit.scene);
        kit.def = berth_default_monitor_def();
        kit.def.good_needed = 1;
        kit.def.refine = refine == 1;
        kit.stream = 1;
        assert_int_equal(berth_monitor_create(kit.scene, &kit.def, &kit.monitor), BERTH_OK);
        double* states = calloc((size_t)(60 * kit.count), sizeof *states);
        program_random_states(kit.scene, 9, 60, states);
        for (int i = 0; i < 60; ++i) {
            memcpy(kit.q, states + (size_t)i * (size_t)kit.count, (size_t)kit.count * sizeof *kit.q);
            check_scale(&kit, 0.0, &random, &count);
        }
        print_message("report refine %d: %d whole, %d between, %d nothing, %d more by meshes\n", refine,
                      count.open, count.between, count.closed, count.refined_more);
        assert_true(count.between > 0);
        free(states);
        berth_monitor_destroy(kit.monitor);
        berth_scene_destroy(kit.scene);
    }
}

// Without it nothing but its own fields changes.
static void permits_do_not_depend_on_it(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {31};
    for (int i = 0; i < test_scaled(1000); ++i) {
        BerthMonitorCloud cloud;
        memset(&kit, 0, sizeof kit);
        open_place(&kit, &random, &cloud);
        for (int32_t v = 0; v < kit.count; ++v) {
            kit.q[v] = bi_random_between(&random, -2.0, 2.0);
        }
        Random same = random;
        const BerthPermit with = ask_at_scale(&kit, 0.0, 0.4, &random);
        kit.def.speed_scale = false;
        const BerthPermit without = ask_at_scale(&kit, 0.0, 0.4, &same);
        assert_int_equal(with.go, without.go);
        assert_int_equal(with.reason, without.reason);
        assert_true(without.scale == 0.0 && without.scale_a == -1);
        if (!with.go) {
            assert_int_equal(with.body_a, without.body_a);
            assert_true(with.distance == without.distance);
            assert_true(fabs(with.required - without.required) < 1e-9);  // asked at another time of day
        }
        kit_close(&kit);
    }
}

// Other stops have none.
static void stops_have_none(void** state) {
    (void)state;
    static GuardKit kit;
    memset(&kit, 0, sizeof kit);
    kit_open(&kit, kit_arm, NULL, false, (BerthJointLimit){1, 4, 4});
    kit_start(&kit);
    BerthPermit permit = kit_wake(&kit);
    assert_true(permit.go && permit.scale > 0.0);
    kit.now += 5.0;  // silence
    permit = kit_cycle(&kit);
    assert_true(!permit.go && permit.scale == 0.0 && permit.scale_a == -1);
    kit_close(&kit);
}

// How long until a carriage that does its best is at the wall.
static double drive(double way, double v, double acceleration, double most) {
    const double dt = 1e-5;
    double t = 0.0;
    while (way > 0.0) {
        const double next = acceleration > 0.0 ? fmin(most, v + acceleration * dt) : most;
        way -= 0.5 * (v + next) * dt;
        v = next;
        t += dt;
    }
    return t;
}

static void contact_is_as_early_as_it_can_be(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {8};
    for (int i = 0; i < test_scaled(300); ++i) {
        const BerthJointLimit limit = {bi_random_between(&random, 0.3, 2.0),
                                       i % 5 == 0 ? 0.0 : bi_random_between(&random, 0.5, 8.0),
                                       bi_random_between(&random, 1.0, 8.0)};
        memset(&kit, 0, sizeof kit);
        kit_open(&kit, kit_rail, NULL, false, limit);
        kit.def.good_needed = 1;
        BerthShape ball;
        assert_int_equal(berth_shape_sphere(0.1, &ball), BERTH_OK);
        kit_add(&kit, "wall", &ball, (BerthVec3){bi_random_between(&random, 0.3, 0.8), 0, 0}, NULL);
        kit_start(&kit);
        kit.qd[0] = bi_random_between(&random, -1.0, 1.0) * limit.velocity;
        const BerthPermit permit = ask(&kit, 0.0);
        if (permit.body_a >= 0 && permit.distance > 0.0) {
            const double told = i % 5 == 0 ? limit.velocity : kit.qd[0];
            const double expected = drive(permit.distance, told, limit.acceleration, limit.velocity);
            assert_true(fabs(permit.time_to_contact - expected) < 1e-4);
            assert_true(fabs(permit.approach - kit.qd[0]) < 1e-9);
        }
        kit_close(&kit);
    }
}

int test_monitor_scale(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permits_agree_with_their_scale),   cmocka_unit_test(two_arms),
        cmocka_unit_test(permits_do_not_depend_on_it),      cmocka_unit_test(stops_have_none),
        cmocka_unit_test(contact_is_as_early_as_it_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
