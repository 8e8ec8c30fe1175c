// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Ranges of motion: balls over boxes of values against kinematics in long double, which shares no code with ours, on
// random trees with joints of every kind; closed forms; what cannot be bounded is infinite.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "robot/range.h"
#include "support/arms.h"
#include "support/kit.h"
#include "support/setting.h"

int test_robot_range(void);

enum { VALUE_MAX = 128 };

typedef long double Long;
typedef struct LongVec {
    Long x, y, z;
} LongVec;

static LongVec long_of(Vec3 v) {
    return (LongVec){v.x, v.y, v.z};
}
static LongVec long_mad(LongVec a, Long s, LongVec b) {
    return (LongVec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static LongVec long_apply(const Pose* p, LongVec v) {
    LongVec out = long_of(p->t);
    out = long_mad(out, v.x, long_of(p->x));
    out = long_mad(out, v.y, long_of(p->y));
    return long_mad(out, v.z, long_of(p->z));
}
static Long long_dot(LongVec a, LongVec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static LongVec long_cross(LongVec a, LongVec b) {
    return (LongVec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// Rodrigues' formula.
static LongVec long_turn(LongVec axis, Long angle, LongVec v) {
    const Long s = sinl(angle), c = cosl(angle);
    LongVec out = {c * v.x, c * v.y, c * v.z};
    out = long_mad(out, s, long_cross(axis, v));
    return long_mad(out, (1 - c) * long_dot(axis, v), axis);
}
static LongVec long_quat(const double* q, LongVec v) {
    const Long n = sqrtl((Long)q[0] * q[0] + (Long)q[1] * q[1] + (Long)q[2] * q[2] + (Long)q[3] * q[3]);
    const LongVec u = {q[0] / n, q[1] / n, q[2] / n};
    const LongVec t = long_cross(u, v);
    return long_mad(long_mad(v, 2 * q[3] / n, t), 2, long_cross(u, t));
}

// A point of `frame` in the axes of `ancestor`.
static LongVec long_place(const BerthRobot* robot, int32_t frame, int32_t ancestor, LongVec p,
                          const double* values) {
    for (int32_t f = frame; f != ancestor; f = robot->frames[f].parent) {
        const RobotFrame* self = &robot->frames[f];
        const double* q = values + self->value;
        const Long one = (Long)self->multiplier * q[0] + self->offset;
        const LongVec axis = long_of(self->axis);
        if (self->motion == FRAME_SLIDE) {
            p = long_mad(p, one, axis);
        } else if (self->motion == FRAME_PLANAR) {
            p = long_turn(axis, q[2], p);
            p = long_mad(p, q[0], long_of(self->across[0]));
            p = long_mad(p, q[1], long_of(self->across[1]));
        } else if (self->motion == FRAME_FLOATING) {
            p = long_mad(long_quat(q + 3, p), 1, (LongVec){q[0], q[1], q[2]});
        } else {
            p = long_turn(axis, one, p);
        }
        p = long_apply(&self->parent_from_joint, p);
    }
    return p;
}

// A random box within +-3, small and large sides, some of them points; orientations are left free.
static void random_box(const BerthRobot* robot, Random* random, double* low, double* high) {
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const double middle = bi_random_between(random, -3, 3);
        const double sizes[] = {0, 1e-6, 0.3, 1.5, 4};
        const double half = sizes[bi_random_next(random) % 5] * bi_random_between(random, 0, 1);
        low[i] = middle - half;
        high[i] = middle + half;
        if (robot->values[i].type == BERTH_JOINT_FLOATING && robot->values[i].component > 2) {
            low[i] = -1;
            high[i] = 1;
        }
    }
}

// Ends of the box more often than not: that is where balls are left.
static void random_inside(const BerthRobot* robot, Random* random, const double* low, const double* high,
                          double* values) {
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const uint64_t kind = bi_random_next(random) % 3;
        values[i] = kind == 0 ? low[i] : kind == 1 ? high[i] : bi_random_between(random, low[i], high[i]);
    }
}

static double long_outside(const Ball* ball, LongVec p) {
    const LongVec d = long_mad(p, -1, long_of(ball->centre));
    return (double)(sqrtl(long_dot(d, d)) - ball->radius);
}

static void balls_contain_all_samples(void** state) {
    (void)state;
    Random random = {31};
    double low[VALUE_MAX], high[VALUE_MAX], values[VALUE_MAX];
    double nearest = -INFINITY;
    int64_t samples = 0;
    for (int r = 0; r < test_scaled(4000); ++r) {
        BerthRobot* robot = test_random_robot(&random, false);
        random_box(robot, &random, low, high);
        const int32_t frame = (int32_t)(bi_random_next(&random) % (uint64_t)robot->frame_count);
        int32_t ancestor = frame;
        for (uint64_t up = bi_random_next(&random) % 8; up > 0 && ancestor > 0; --up) {
            ancestor = robot->frames[ancestor].parent;
        }
        const Vec3 c = v3(bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1), 0.3);
        const Ball ball = {c, r % 3 == 0 ? 0.0 : 0.1};
        const Ball range = bi_range_ball(robot, frame, ancestor, ball, low, high);
        assert_true(range.radius < INFINITY);
        for (int i = 0; i < 100; ++i) {
            random_inside(robot, &random, low, high, values);
            Vec3 u = v3(bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1),
                        bi_random_between(&random, -1, 1));
            u = v3_unit_or(u, v3(1, 0, 0));
            const Long size = sqrtl(long_dot(long_of(u), long_of(u)));
            const LongVec on = long_mad(long_of(c), (1 - 1e-17L) * ball.radius / size, long_of(u));
            const double outside = long_outside(&range, long_place(robot, frame, ancestor, on, values));
            assert_true(outside <= 0.0);
            nearest = ancestor != frame && outside > nearest ? outside : nearest;
            ++samples;
        }
        berth_robot_destroy(robot);
    }
    print_message("report %lld samples, nearest to its ball's surface from inside: %.3g m\n",
                  (long long)samples, -nearest);
    assert_true(nearest > -1e-12);  // tight somewhere, else the test says little
}

static BerthRobot* kit_build(Kit* kit) {
    BerthRobot* robot = NULL;
    assert_int_equal(berth_robot_use_listed_pairs(kit->builder), BERTH_OK);
    assert_int_equal(berth_robot_build(kit->builder, &robot, NULL), BERTH_OK);
    kit_free(kit);
    return robot;
}

static void assert_ball(Ball ball, Vec3 centre, double radius) {
    assert_true(v3_distance(ball.centre, centre) < 1e-14);
    assert_true(ball.radius >= radius && ball.radius < radius + 1e-13);
}

// One joint: the ball is the best one, up to rounding.
static void one_joint_has_the_closed_form(void** state) {
    (void)state;
    const double third = 3.14159265358979323846 / 3;
    Kit kit = kit_new();
    kit_link(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, -2), v3(0, 0, 1));
    kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(3, 0, 0), v3(0, 1, 0));
    kit_mimic(&kit, 0, BERTH_JOINT_REVOLUTE, v3(0, 0, 1), v3(0, 0, 0), 0, -2, third);
    BerthRobot* robot = kit_build(&kit);
    const double low[] = {-third, -1}, high[] = {third, 2};
    // +-60 degrees about -z of a point at distance 2: centre halfway out, radius 2 sin 60.
    const int32_t turn = robot->links[1].frame, slide = robot->links[2].frame, mimic = robot->links[3].frame;
    const Ball point = {{2, 0, 0.5}, 0}, ball = {{0, 0, 0}, 0.25};
    assert_ball(bi_range_ball(robot, turn, 0, point, low, high), v3(1, 0, 1.5), sqrt(3.0));
    assert_ball(bi_range_ball(robot, turn, turn, point, low, high), point.centre, 0);
    assert_ball(bi_range_ball(robot, slide, 0, ball, low, high), v3(0.5, 1, 0), 1.75);
    // The follower turns by 60 -+ 120 degrees: more than half a turn, so the whole circle's ball.
    assert_ball(bi_range_ball(robot, mimic, 0, point, low, high), v3(0, 0, 0.5), 2);
    const double narrow_low[] = {0, 0}, narrow_high[] = {third / 2, 0};
    // By 0 to 60 degrees: the middle is 30.
    assert_ball(bi_range_ball(robot, mimic, 0, point, narrow_low, narrow_high),
                v3(sqrt(3.0) * cos(third / 2), sqrt(3.0) * 0.5, 0.5), 1);
    berth_robot_destroy(robot);
}

// What has no bound is infinite or the whole circle; NaN never gives a small ball.
static void what_is_not_bounded_is_infinite(void** state) {
    (void)state;
    Kit kit = kit_new();
    kit_link(&kit, 0, BERTH_JOINT_CONTINUOUS, v3(0, 0, 1), v3(0, 0, 1));
    kit_link(&kit, 0, BERTH_JOINT_PRISMATIC, v3(1, 0, 0), v3(0, 1, 0));
    kit_link(&kit, 0, BERTH_JOINT_PLANAR, v3(0, 0, 1), v3(0, 1, 0));
    kit_link(&kit, 0, BERTH_JOINT_FLOATING, v3(0, 0, 1), v3(0, 1, 0));
    BerthRobot* robot = kit_build(&kit);
    double low[16], high[16];
    const Ball point = {{1, 0, 0}, 0};
    assert_int_equal(robot->value_count, 12);
    bi_range_limits(robot, low, high);
    const double odd[][2] = {
        {-INFINITY, INFINITY}, {(double)NAN, 1}, {0, (double)NAN}, {-INFINITY, 0}, {-1e7, 1e7}};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; ++k) {
        for (int32_t i = 0; i < robot->value_count; ++i) {
            low[i] = odd[k][0];
            high[i] = odd[k][1];
        }
        const double least = k == 4 ? 1e7 : INFINITY;
        assert_ball(bi_range_ball(robot, robot->links[1].frame, 0, point, low, high), v3(0, 0, 1), 1);
        for (int32_t l = 2; l < robot->link_count; ++l) {
            const Ball ball = bi_range_ball(robot, robot->links[l].frame, 0, point, low, high);
            assert_true(!(ball.radius < least));
        }
    }
    berth_robot_destroy(robot);
}

int test_robot_range(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_contain_all_samples),
        cmocka_unit_test(one_joint_has_the_closed_form),
        cmocka_unit_test(what_is_not_bounded_is_infinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
