// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every term of what there must be between a robot and a person. On a rail the bounds are sharp: a permit with a hair to spare, and then
// the worst that was declared happens, all of it, step by step; the margin is still there at the end, and hardly more. And
// robots that drive, turn and reach while people run into them, wherever that goes.

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

/// What comes toward the carriage.
typedef enum Kind { A_PERSON, A_THING, A_POINT, KINDS } Kind;

typedef struct Rail {
    GuardKit kit;
    Kind kind;
    BerthJointLimit limit;
    double speed, uncertainty, intrusion, radius;
    BerthMonitorCloud cloud;
} Rail;

static void open_rail(Rail* rail, Random* random, Kind kind) {
    memset(rail, 0, sizeof *rail);
    rail->kind = kind;
    rail->limit = (BerthJointLimit){bi_random_between(random, 0.3, 2.0), bi_random_between(random, 1.0, 8.0),
                                    bi_random_between(random, 1.0, 8.0)};
    kit_open(&rail->kit, kit_rail, NULL, false, rail->limit);
    rail->speed = bi_random_between(random, 0.0, 1.6);
    rail->uncertainty = kind == A_THING ? 0.0 : bi_random_between(random, 0.02, 0.1);
    rail->intrusion = kind == A_PERSON ? bi_random_between(random, 0.02, 0.2) : 0.0;
    rail->radius = bi_random_between(random, 0.01, 0.3);
    BerthMonitorDef* def = &rail->kit.def;
    def->safety = (BerthSafety){.period = 0.001,
                                .latency = bi_random_between(random, 0.0, 0.02),
                                .reaction = bi_random_between(random, 0.0, 0.05),
                                .silence = 0.1,
                                .margin = bi_random_between(random, 0.0, 0.05)};
    def->valid_for = bi_random_between(random, 0.001, 0.02);
    def->good_needed = 1;
    def->model_error = bi_random_between(random, 0.0, 0.02);
    def->tracking_error = bi_random_between(random, 0.0, 0.02);
    def->robot_uncertainty = bi_random_between(random, 0.0, 0.05);
    if (kind == A_POINT) {
        rail->intrusion = bi_random_between(random, 0.02, 0.2);
        rail->cloud = (BerthMonitorCloud){.name = "eye",
                                          .capacity = 1,
                                          .radius = rail->radius,
                                          .speed = rail->speed,
                                          .uncertainty = rail->uncertainty,
                                          .intrusion = rail->intrusion,
                                          .person = true,
                                          .latency = def->safety.latency};
        def->clouds = &rail->cloud;
        def->cloud_count = 1;
        rail->kit.point_count[0] = 1;
    } else {
        BerthShape ball;
        BerthObjectDef object = berth_default_object_def();
        object.person = kind == A_PERSON;
        object.moving = kind == A_THING;
        object.speed = rail->speed;
        object.uncertainty = rail->uncertainty;
        object.intrusion = rail->intrusion;
        assert_int_equal(berth_shape_sphere(rail->radius, &ball), BERTH_OK);
        kit_add(&rail->kit, "other", &ball, (BerthVec3){0, 0, 0}, &object);
    }
    kit_start(&rail->kit);
}

static void put_other(Rail* rail, double x) {
    if (rail->kind == A_POINT) {
        rail->kit.points[0][0] = (BerthVec3){x, 0, 0};
    } else {
        rail->kit.objects[0].pose = kit_at((BerthVec3){x, 0, 0});
    }
}

// Everything is told now, `age` seconds pass, and there is a cycle.
static BerthPermit ask_at(Rail* rail, double x, double robot_age, double other_age) {
    GuardKit* kit = &rail->kit;
    put_other(rail, x);
    const double now = kit->now;
    berth_monitor_end(kit->monitor);  // a monitor of its own for each question: nothing jumps
    berth_monitor_destroy(kit->monitor);
    assert_int_equal(berth_monitor_create(kit->scene, &kit->def, &kit->monitor), BERTH_OK);
    berth_monitor_reset(kit->monitor);
    kit->now = now - robot_age;
    kit_say_joints(kit);
    kit->now = now - other_age;
    kit_say_others(kit);
    kit->now = now;
    BerthPermit permit;
    berth_monitor_cycle(kit->monitor, now, &permit);
    berth_monitor_seal(kit->monitor, now, &permit);
    return permit;
}

// The distance that the worst takes: the robot runs away from its sample until the permit is over and brakes bite, then stops; the other
// goes on until the robot stands.
static double worst_travel(const Rail* rail, double v0, double robot_age, double other_age) {
    const BerthMonitorDef* def = &rail->kit.def;
    const double until = def->valid_for + def->safety.reaction;  // from the cycle on
    const double step = 1e-5;
    double v = fabs(v0);
    double went = 0.0;
    double t = -robot_age - def->safety.latency;
    while (t < until) {
        const double dt = fmin(step, until - t);
        const double next = fmin(rail->limit.velocity, v + rail->limit.acceleration * dt);
        went += 0.5 * (v + next) * dt;
        v = next;
        t += dt;
    }
    while (v > 0.0) {
        const double dt = fmin(step, v / rail->limit.deceleration);
        const double next = v - rail->limit.deceleration * dt;
        went += 0.5 * (v + fmax(next, 0.0)) * dt;
        t += dt;
        v = next > 1e-12 ? next : 0.0;
    }
    const double other = rail->speed * (t + other_age + def->safety.latency);
    const double bodies = (rail->kind == A_POINT ? 1.0 : 2.0) * def->model_error;
    const double robot_off = rail->kind == A_THING ? 0.0 : def->robot_uncertainty;
    return went + other + rail->uncertainty + rail->intrusion + robot_off + def->tracking_error + bodies;
}

static void the_margin_is_left_and_hardly_more(void** state) {
    (void)state;
    static Rail rail;
    Random random = {21};
    double widest = 0.0;
    for (int n = 0; n < test_scaled(300); ++n) {
        open_rail(&rail, &random, (Kind)(n % KINDS));
        GuardKit* kit = &rail.kit;
        kit->now = bi_random_between(&random, 0.0, 1e5);
        kit->qd[0] = bi_random_between(&random, -1.0, 1.0) * rail.limit.velocity;
        const double robot_age = bi_random_between(&random, 0.0, 0.09);
        const double other_age = bi_random_between(&random, 0.0, 0.09);
        const double touching = 0.1 + rail.radius;
        // Where does the answer change? Between contact and far away, it does so once.
        double near = touching;
        double far = touching + 20.0;
        assert_false(ask_at(&rail, near, robot_age, other_age).go);
        assert_true(ask_at(&rail, far, robot_age, other_age).go);
        while (far - near > 1e-9) {
            const double middle = 0.5 * (near + far);
            *(ask_at(&rail, middle, robot_age, other_age).go ? &far : &near) = middle;
        }
        const double left = far - touching - worst_travel(&rail, kit->qd[0], robot_age, other_age);
        const double margin = kit->def.safety.margin;
        const double share = rail.limit.acceleration / rail.limit.deceleration;
        const double loose = 0.001 * (rail.limit.velocity + rail.speed) * (1.0 + share) + 1e-6;
        if (!(left >= margin - 1e-6 && left <= margin + loose)) {
            fail_msg("case %d: %g m are left of a margin of %g m (at most %g more were expected)", n, left,
                     margin, loose);
        }
        widest = fmax(widest, left - margin);
        kit_close(kit);
    }
    print_message("at most %g m more than the margin were left\n", widest);
}

// ---- robots that drive, turn and reach -----------------------------------------------------------------------

enum { PEOPLE = 3, BOXES = 3 };

static const char planar_srdf[] =
    "<robot name='r'><virtual_joint name='v' type='planar' parent_frame='w' "
    "child_link='base'/>"
    "<disable_collisions link1='base' link2='one' reason='Adjacent'/>"
    "<disable_collisions link1='one' link2='two' reason='Adjacent'/>"
    "<disable_collisions link1='base' link2='two' reason='Never'/></robot>";
static const char driving_arm[] =
    "<robot name='r'>"
    "<link name='base'><collision><geometry><box size='0.6 0.4 0.2'/></geometry></collision></link>"
    "<link name='one'><collision><origin xyz='0.25 0 0'/><geometry><box size='0.5 0.06 0.06'/></geometry>"
    "</collision></link>"
    "<link name='two'><collision><origin xyz='0.2 0 0'/><geometry><box size='0.4 0.05 0.05'/></geometry>"
    "</collision></link>"
    "<joint name='a' type='continuous'><parent link='base'/><child link='one'/><origin xyz='0 0 0.3'/>"
    "<axis xyz='0 0 1'/><limit velocity='2' effort='1'/></joint>"
    "<joint name='b' type='revolute'><parent link='one'/><child link='two'/><origin xyz='0.5 0 0'/>"
    "<axis xyz='0 1 0'/><limit lower='-2.5' upper='2.5' velocity='2' effort='1'/><mimic joint='a' "
    "multiplier='-0.5' offset='0.2'/></joint></robot>";

typedef struct Crowd {
    GuardKit kit;
    Random random;
    BerthJointLimit limit;
    double speed, uncertainty, intrusion, radius;
    BerthVec3 at[PEOPLE], shift;
    double q[KIT_VALUES], v[KIT_VALUES], wish[KIT_VALUES];
    double valid_until, lost_since, base_shift;
} Crowd;

static double random_in(Crowd* c, double low, double high) {
    return bi_random_between(&c->random, low, high);
}

static Vec3 random_within(Crowd* c, double radius) {
    return v3_scale(
        v3_unit_or(v3(random_in(c, -1, 1), random_in(c, -1, 1), random_in(c, -1, 1)), v3(1, 0, 0)),
        radius * random_in(c, 0.0, 1.0));
}

static void open_crowd(Crowd* c, uint64_t seed) {
    memset(c, 0, sizeof *c);
    c->random.state = seed;
    c->limit = (BerthJointLimit){1.0, 5.0, 4.0};
    c->speed = 1.2;
    c->uncertainty = 0.05;
    c->intrusion = 0.08;
    c->radius = 0.15;
    kit_open(&c->kit, driving_arm, planar_srdf, true, c->limit);
    BerthShape ball;
    BerthObjectDef def = berth_default_object_def();
    def.person = true;
    def.speed = c->speed;
    def.uncertainty = c->uncertainty;
    def.intrusion = c->intrusion;
    assert_int_equal(berth_shape_sphere(c->radius, &ball), BERTH_OK);
    static const char* const names[PEOPLE] = {"anna", "bert", "cleo"};
    for (int i = 0; i < PEOPLE; ++i) {
        kit_add(&c->kit, names[i], &ball, (BerthVec3){5.0 + i, 0, 0}, &def);
    }
    c->kit.def.safety =
        (BerthSafety){.period = 0.004, .latency = 0.006, .reaction = 0.02, .silence = 0.02, .margin = 0.0};
    c->kit.def.good_needed = 1;
    c->kit.def.tracking_error = 0.01;
    c->kit.def.robot_uncertainty = 0.03;
    c->kit.def.jump_slack = 0.2;  // people are told with their error, which jumps
    kit_start(&c->kit);
}

static bool touches(const Crowd* c) {
    BerthPose base;
    const BerthRobot* robot = berth_scene_robot(c->kit.scene, 0, NULL, &base);
    BerthPose links[BOXES + 1];
    assert_true(berth_robot_link_count(robot) <= BOXES + 1);
    berth_robot_link_poses(robot, &base, c->q, links);
    for (int32_t l = 0; l < berth_robot_link_count(robot); ++l) {
        for (int32_t s = 0; s < berth_robot_link(robot, l).solid_count; ++s) {
            BerthPose link_from_solid;
            const BerthSolid* solid = berth_robot_solid(robot, l, s, &link_from_solid, NULL);
            BerthPose pose = pose_mul(&links[l], &link_from_solid);
            pose.t = v3_add(pose.t, c->shift);  // where the robot truly is
            for (int i = 0; i < PEOPLE; ++i) {
                const BerthShape person = {.kind = BERTH_SPHERE,
                                           .as.sphere.radius = c->radius + c->intrusion};
                const BerthPose at = kit_at(c->at[i]);
                if (berth_shape_gap(berth_solid_shape(solid), &pose, &person, &at).upper <= 0.0) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool robot_moves(const Crowd* c) {
    double fastest = 0.0;
    for (int32_t i = 0; i < c->kit.count; ++i) {
        fastest = fmax(fastest, fabs(c->v[i]));
    }
    return fastest > 1e-9;
}

// Toward the robot's middle, mostly; now and then elsewhere.
static void walk(Crowd* c, int i, double step) {
    const Vec3 goal = v3(c->q[0] + 0.3 * cos(c->q[2]), c->q[1], 0.2);
    const Vec3 way = v3_sub(goal, c->at[i]);
    const Vec3 go = v3_unit_or(way, v3(1, 0, 0));
    c->at[i] = v3_mad(c->at[i], c->speed * step, go);
}

static void drive(Crowd* c, double step) {
    const bool permitted = c->kit.now <= c->valid_until;
    c->lost_since = permitted ? c->kit.now : c->lost_since;
    const bool brakes = c->kit.now - c->lost_since > c->kit.def.safety.reaction;
    for (int32_t i = 0; i < c->kit.count; ++i) {
        const double target = brakes ? 0.0 : c->wish[i];
        const double change = (brakes ? c->limit.deceleration : c->limit.acceleration) * step;
        c->v[i] = target > c->v[i] ? fmin(target, c->v[i] + change) : fmax(target, c->v[i] - change);
        c->q[i] += c->v[i] * step;
    }
}

static void tell(Crowd* c) {
    GuardKit* kit = &c->kit;
    for (int32_t i = 0; i < kit->count; ++i) {
        const double error = kit->def.tracking_error;
        kit->q[i] = c->q[i] + random_in(c, -error, error);
        kit->qd[i] = c->v[i];
    }
    for (int i = 0; i < PEOPLE; ++i) {
        kit->objects[i].pose = kit_at(v3_add(c->at[i], random_within(c, c->uncertainty)));
    }
    if (random_in(c, 0, 1) > 0.2) {
        kit_say_joints(kit);
    }
    if (random_in(c, 0, 1) > 0.2) {
        kit_say_others(kit);
    }
}

static void begin(Crowd* c) {
    const bool faces = random_in(c, 0, 1) < 0.7;
    for (int32_t i = 0; i < c->kit.count; ++i) {
        c->q[i] = 0.0;
        c->v[i] = 0.0;
    }
    c->shift = random_within(c, c->kit.def.robot_uncertainty);
    for (int i = 0; i < PEOPLE; ++i) {
        const double angle = random_in(c, -3.1, 3.1);
        const double far = random_in(c, 1.8, 3.0);
        c->at[i] = v3(far * cos(angle), far * sin(angle), random_in(c, -0.2, 0.5));
    }
    const Vec3 way = v3_unit_or(c->at[0], v3(1, 0, 0));
    for (int32_t i = 0; i < c->kit.count; ++i) {
        c->wish[i] = random_in(c, 0, 1) < 0.5 ? -c->limit.velocity : c->limit.velocity;
    }
    if (faces) {
        c->wish[0] = way.x * c->limit.velocity;
        c->wish[1] = way.y * c->limit.velocity;
    }
    c->kit.stream += 1;
    c->valid_until = c->lost_since = c->kit.now - 1.0;
    c->kit.now += 1.0;  // a new beginning
}

static void people_touch_standing_robots_only(void** state) {
    (void)state;
    static Crowd c;
    open_crowd(&c, 5);
    int64_t stood = 0;
    int64_t go = 0;
    const int runs = test_scaled(400);
    for (int run = 0; run < runs; ++run) {
        begin(&c);
        bool met = false;
        for (int cycle = 0; cycle < 400 && !met; ++cycle) {
            if (cycle % 20 == 2) {
                berth_monitor_reset(c.kit.monitor);
            }
            tell(&c);
            BerthPermit permit;
            berth_monitor_cycle(c.kit.monitor, c.kit.now, &permit);
            berth_monitor_seal(c.kit.monitor, c.kit.now, &permit);
            c.valid_until = permit.go ? permit.valid_until : fmin(c.valid_until, c.kit.now);
            go += permit.go;
            for (int k = 0; k < 4 && !met; ++k) {
                drive(&c, c.kit.def.safety.period / 4);
                for (int i = 0; i < PEOPLE; ++i) {
                    walk(&c, i, c.kit.def.safety.period / 4);
                }
                c.kit.now += c.kit.def.safety.period / 4;
                met = touches(&c);
                if (met && robot_moves(&c)) {
                    fail_msg("run %d, cycle %d: a person is touched by a robot that moves", run, cycle);
                }
            }
        }
        stood += met;
    }
    print_message("%lld permits, %lld of %d times somebody ran into a robot that stood\n", (long long)go,
                  (long long)stood, runs);
    assert_true(stood > runs / 2 && go > runs);
    kit_close(&c.kit);
}

// ---- bases in closed form ------------------------------------------------------------------------------------------

/// A ball 0.4 m from the middle of a base, its far side 0.5 m from it; limits of the base are random.
static BerthJointLimit open_base(GuardKit* kit, const char* srdf, int values, Random* random) {
    static const char disc[] =
        "<robot name='r'><link name='base'><collision><origin xyz='0.4 0 0'/>"
        "<geometry><sphere radius='0.1'/></geometry></collision></link></robot>";
    const BerthJointLimit limit = {bi_random_between(random, 0.2, 2.0), bi_random_between(random, 1, 9),
                                   bi_random_between(random, 1, 9)};
    kit_open(kit, disc, srdf, true, limit);
    assert_int_equal(kit->count, values);
    BerthShape wall;
    assert_int_equal(berth_shape_box((BerthVec3){1, 1, 1}, &wall), BERTH_OK);
    kit_add(kit, "wall", &wall, (BerthVec3){50, 0, 0}, NULL);
    return limit;
}

// How far a joint gets from this speed until it stands: faster until it is as fast as it can be, on at that speed, braking.
static double run_and_brake(const GuardKit* kit, const BerthJointLimit* limit, double speed) {
    const double h = 0.001 + 0.001 + kit->def.valid_for + 0.004;
    const double t = fmin(h, (limit->velocity - speed) / limit->acceleration);
    const double fastest = speed + limit->acceleration * t;
    const double run = speed * t + 0.5 * limit->acceleration * t * t + limit->velocity * (h - t);
    return run + 0.5 * fastest * fastest / limit->deceleration;
}

static void expect_buffer(const GuardKit* kit, double wanted, int n) {
    double buffer = 0.0;
    for (int32_t i = 0; i < berth_monitor_body_count(kit->monitor); ++i) {
        buffer = fmax(buffer, berth_monitor_body(kit->monitor, i).buffer);
    }
    if (!(buffer >= wanted && buffer <= wanted + 1e-9)) {
        fail_msg("case %d: buffer %.12g, expected %.12g", n, buffer, wanted);
    }
}

// What a planar base can do: two slides and a turn, each to its standstill.
static void a_planar_base_in_closed_form(void** state) {
    (void)state;
    static GuardKit kit;
    Random random = {8};
    for (int n = 0; n < test_scaled(200); ++n) {
        const BerthJointLimit limit = open_base(&kit, planar_srdf, 3, &random);
        kit_start(&kit);
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            kit.qd[k] = bi_random_between(&random, -1, 1) * limit.velocity;
            kit.q[k] = bi_random_between(&random, -3, 3);
            sum += (k < 2 ? 1.0 : 0.5) * run_and_brake(&kit, &limit, fabs(kit.qd[k]));
        }
        kit_say(&kit);
        (void)kit_cycle(&kit);
        expect_buffer(&kit, sum, n);
        kit_close(&kit);
    }
}

// A base that floats: three slides, and a turn about its origin at the largest speed.
static void a_floating_base_in_closed_form(void** state) {
    (void)state;
    static GuardKit kit;
    static const char floating[] =
        "<robot name='r'><virtual_joint name='v' type='floating' parent_frame='w' "
        "child_link='base'/></robot>";
    Random random = {8};
    for (int n = 0; n < test_scaled(200); ++n) {
        const BerthJointLimit limit = open_base(&kit, floating, 7, &random);
        kit.def.good_needed = 1;
        kit_start(&kit);
        const BerthQuat turned = bi_random_quat(&random);
        double sum = 0.0;
        for (int k = 0; k < 4; ++k) {
            const double speed = k < 3 ? bi_random_between(&random, 0.1, 1) * limit.velocity : limit.velocity;
            kit.qd[k] = k < 3 ? speed : 0.0;
            kit.q[k] = bi_random_between(&random, -3, 3);
            sum += (k < 3 ? 1.0 : 0.5) * run_and_brake(&kit, &limit, speed);
        }
        const double quat[4] = {turned.x, turned.y, turned.z, turned.w};
        memcpy(kit.q + 3, quat, sizeof quat);
        assert_true(kit_wake(&kit).go);
        expect_buffer(&kit, sum, n);
        // The same the other way round is the same; a little is allowed, a quarter turn is not, and nothing is no orientation.
        for (int k = 0; k < 4; ++k) {
            kit.q[3 + k] *= -2.0;
        }
        kit_say(&kit);
        assert_true(kit_cycle(&kit).go);
        const double angle = n % 2 == 0 ? 0.8 * kit.def.jump_slack : 1.0;
        const BerthQuat by = {sin(0.5 * angle), 0.0, 0.0, cos(0.5 * angle)};
        kit.q[3] = turned.w * by.x + turned.x * by.w;
        kit.q[4] = turned.y * by.w + turned.z * by.x;
        kit.q[5] = turned.z * by.w - turned.y * by.x;
        kit.q[6] = turned.w * by.w - turned.x * by.x;
        kit_say(&kit);
        assert_int_equal(kit_cycle(&kit).reason, n % 2 == 0 ? BERTH_STOP_NONE : BERTH_STOP_JUMP);
        assert_true(kit_wake(&kit).go);
        memset(kit.q + 3, 0, 4 * sizeof kit.q[0]);
        kit_say(&kit);
        assert_int_equal(kit_cycle(&kit).reason, BERTH_STOP_VALUE);
        kit_close(&kit);
    }
}

int test_monitor_persons(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_margin_is_left_and_hardly_more),
        cmocka_unit_test(people_touch_standing_robots_only),
        cmocka_unit_test(a_planar_base_in_closed_form),
        cmocka_unit_test(a_floating_base_in_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
