// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls around points and balls: containment in exact arithmetic, and optimality by a dual bound that GMP evaluates:
// for weights w >= 0 of sum 1, no ball around the points has a squared radius below sum w |p|^2 - |sum w p|^2.
// test-share: 0.3

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/math.h"
#include "oracle/exact.h"
#include "shape/ball.h"
#include "support/setting.h"

enum { POINTS_MAX = 1000 };

// The dual bound over the radius, in exact arithmetic: the square root of it is within u of the truth.
static double dual_radius(const Vec3* p, const double* w, int count) {
    mpq_t sum, square, total, term, along[3];
    mpq_inits(sum, square, total, term, along[0], along[1], along[2], NULL);
    for (int i = 0; i < count; ++i) {
        mpq_t weight, x;
        mpq_inits(weight, x, NULL);
        mpq_set_d(weight, w[i]);
        mpq_add(total, total, weight);
        for (int axis = 0; axis < 3; ++axis) {
            mpq_set_d(x, v3_at(p[i], axis));
            mpq_mul(term, x, weight);
            mpq_add(along[axis], along[axis], term);
            mpq_mul(term, term, x);
            mpq_add(square, square, term);
        }
        mpq_clears(weight, x, NULL);
    }
    mpq_div(sum, square, total);
    for (int axis = 0; axis < 3; ++axis) {
        mpq_div(along[axis], along[axis], total);
        mpq_mul(along[axis], along[axis], along[axis]);
        mpq_sub(sum, sum, along[axis]);
    }
    const double radius = mpq_sgn(sum) > 0 ? sqrt(mpq_get_d(sum)) : 0.0;
    mpq_clears(sum, square, total, term, along[0], along[1], along[2], NULL);
    return radius;
}

// Weights w that make c of up to four points: the least of |sum w (p - c)|^2 + scale (sum w - 1)^2, which is 0 when c is
// in their hull. In long double, by elimination.
static bool weights_of(const Vec3* p, int count, Vec3 c, double* w) {
    long double m[4][5];
    const long double scale = v3_length_sq(v3_sub(p[0], c));
    for (int row = 0; row < count; ++row) {
        for (int col = 0; col < count; ++col) {
            m[row][col] = scale;
            for (int axis = 0; axis < 3; ++axis) {
                m[row][col] += ((long double)v3_at(p[row], axis) - v3_at(c, axis)) *
                               ((long double)v3_at(p[col], axis) - v3_at(c, axis));
            }
        }
        m[row][count] = scale;
    }
    for (int k = 0; k < count; ++k) {
        int pivot = k;
        for (int row = k + 1; row < count; ++row) {
            pivot = fabsl(m[row][k]) > fabsl(m[pivot][k]) ? row : pivot;
        }
        if (!(fabsl(m[pivot][k]) > 0)) {
            return false;
        }
        for (int col = 0; col <= count; ++col) {
            const long double swap = m[k][col];
            m[k][col] = m[pivot][col];
            m[pivot][col] = swap;
        }
        for (int row = 0; row < count; ++row) {
            const long double f = m[row][k] / m[k][k];
            for (int col = k; row != k && col <= count; ++col) {
                m[row][col] -= f * m[k][col];
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        w[k] = (double)(m[k][count] / m[k][k]);
        if (!(w[k] >= -1e-7)) {
            return false;
        }
        w[k] = w[k] > 0 ? w[k] : 0;
    }
    return true;
}

// Lower bound of the radius of any ball around the points, from those that are at the ball's surface.
static double least_radius(const Vec3* points, int count, Ball ball) {
    enum { NEAR_MAX = 24 };
    Vec3 near[NEAR_MAX];
    int found = 0;
    for (int i = 0; i < count && found < NEAR_MAX; ++i) {
        // A centre far from the origin is rounded by u of its coordinates.
        const double rounded = 8 * BI_ULP * v3_length(ball.centre);
        if (v3_distance(points[i], ball.centre) >= ball.radius * (1 - 1e-9) - rounded) {
            near[found++] = points[i];
        }
    }
    // Index lists that do not fall; equal neighbours stand for fewer points.
    const int most = found * found * found * found;
    double best = 0.0;
    for (int code = 0; code < most && !(best >= ball.radius * (1 - 1e-13)); ++code) {
        const int index[4] = {code / (found * found * found), code / (found * found) % found,
                              code / found % found, code % found};
        if (index[0] > index[1] || index[1] > index[2] || index[2] > index[3]) {
            continue;
        }
        Vec3 set[4] = {near[index[0]]};
        int size = 1;
        for (int k = 1; k < 4; ++k) {
            if (index[k] > index[k - 1]) {
                set[size++] = near[index[k]];
            }
        }
        double w[4];
        if (weights_of(set, size, ball.centre, w)) {
            best = fmax(best, dual_radius(set, w, size));
        }
    }
    return best;
}

static bool contains_all(Ball ball, const Vec3* points, int count) {
    const double c[3] = {ball.centre.x, ball.centre.y, ball.centre.z};
    for (int i = 0; i < count; ++i) {
        const double p[3] = {points[i].x, points[i].y, points[i].z};
        if (!exact_ball_contains(c, ball.radius, p)) {
            return false;
        }
    }
    return true;
}

static Vec3 random_point(Random* random, double size) {
    return v3(bi_random_between(random, -size, size), bi_random_between(random, -size, size),
              bi_random_between(random, -size, size));
}

// Sets of many kinds: in a cube, on a grid, on a sphere, on a circle, in a plane, on a line, repeated, far from the
// origin, flat by a hair.
enum { SET_KINDS = 11 };
static void make_set(Random* random, int kind, int count, Vec3* out) {
    const Vec3 axis = v3_unit_or(random_point(random, 1), v3(0, 0, 1));
    const Vec3 side = v3_any_normal(axis);
    for (int i = 0; i < count; ++i) {
        Vec3 p = random_point(random, 1);
        switch (kind) {
        case 1:
            p = v3(floor(3 * p.x), floor(3 * p.y), floor(3 * p.z));
            break;
        case 2:
            p = v3_unit_or(p, axis);
            break;
        case 3:
            p = v3_unit_or(v3_add(v3_scale(side, p.x), v3_scale(v3_cross(axis, side), p.y)), side);
            break;
        case 4:
            p = v3(p.x, p.y, 0.25);
            break;
        case 5:
            p = v3_scale(axis, p.x);
            break;
        case 6:
            p = i % 3 == 0 ? axis : i % 3 == 1 ? side : axis;
            break;
        case 7:
            p = v3_add(v3(1e5, -3e5, 7e4), v3_scale(p, 1e-3));
            break;
        case 8:
            p.z *= 1e-12;
            break;
        case 9:
            p = v3(p.x > 0 ? 1 : -1, p.y > 0 ? 1 : -1, p.z > 0 ? 1 : -1);
            break;
        case 10:  // three places, each many times but for rounding
            p = v3_add(i % 3 == 0 ? axis : i % 3 == 1 ? side : v3(0, 0, 0), v3_scale(p, 1e-17));
            break;
        default:
            break;
        }
        out[i] = p;
    }
}

static void smallest_is_smallest(void** state) {
    (void)state;
    Random random = {71};
    static Vec3 points[POINTS_MAX];
    double worst = 0.0;
    const int rounds = test_scaled(100000);
    for (int round = 0; round < rounds; ++round) {
        const int kind = round % SET_KINDS;
        const int count = 1 + (int)(bi_random_next(&random) % (round % 100 == 0 ? POINTS_MAX : 12));
        make_set(&random, kind, count, points);
        const Ball ball = bi_ball_smallest(points, count);
        assert_true(contains_all(ball, points, count));
        const double least = least_radius(points, count, ball);
        // Far from the origin the points themselves are known to u of their coordinates only.
        const double slack = 1e-12 * ball.radius + (kind == 7 ? 1e-10 : 0.0);
        if (!(ball.radius <= least + slack)) {
            fail_msg("kind %d, %d points: radius %.17g, but %.17g is possible", kind, count, ball.radius,
                     least);
        }
        worst = ball.radius > 0 && kind != 7 ? fmax(worst, ball.radius / least - 1) : worst;
    }
    if (getenv("BERTH_TEST_VERBOSE") != NULL) {
        printf("smallest ball: at most %.2g of the radius above the bound\n", worst);
    }
}

// Ritter and the repaired rule contain everything and are not absurd; the printed rule loses 0 of {0, 2, 4}.
static void others_contain(void** state) {
    (void)state;
    Random random = {72};
    static Vec3 points[POINTS_MAX];
    double sum[3] = {0, 0, 0};
    int counted = 0;
    for (int round = 0; round < test_scaled(100000); ++round) {
        const int kind = round % SET_KINDS;
        const int count = 1 + (int)(bi_random_next(&random) % (round % 100 == 0 ? POINTS_MAX : 12));
        make_set(&random, kind, count, points);
        const double least = bi_ball_smallest(points, count).radius;
        const Ball other[2] = {bi_ball_ritter(points, count), bi_ball_incremental(points, count)};
        for (int k = 0; k < 2; ++k) {
            assert_true(contains_all(other[k], points, count));
            assert_true(other[k].radius <= 1.6 * least);
            if (!(other[k].radius >= least * (1 - 1e-12) - (kind == 7 ? 1e-10 : 0))) {
                fail_msg("kind %d, %d points: %.17g is above %.17g", kind, count, least, other[k].radius);
            }
            sum[k] += kind == 0 && least > 0 ? other[k].radius / least : 0;
        }
        counted += kind == 0 && least > 0;
    }
    assert_true(sum[0] / counted < 1.1 && sum[1] / counted < 1.06);
    const Vec3 line[3] = {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}};
    const Ball ball = bi_ball_incremental(line, 3);
    assert_true(ball.radius < 2 * (1 + 1e-14) && fabs(ball.centre.x - 2) < 1e-14);
}

static void examples(void** state) {
    (void)state;
    const Vec3 one = {3, -4, 5};
    assert_true(bi_ball_smallest(&one, 0).radius < 0);
    assert_true(bi_ball_ritter(&one, 0).radius < 0);
    assert_true(bi_ball_incremental(&one, 0).radius < 0);
    assert_true(bi_ball_of_balls(NULL, 0).radius < 0);
    assert_true(bi_ball_smallest(&one, 1).radius == 0.0);
    const Vec3 same[5] = {one, one, one, one, one};
    assert_true(bi_ball_smallest(same, 5).radius == 0.0);
    assert_true(bi_ball_incremental(same, 5).radius == 0.0);
    assert_true(bi_ball_ritter(same, 5).radius == 0.0);
    const Vec3 two[2] = {{-1, 0, 0}, {3, 0, 0}};
    assert_true(fabs(bi_ball_smallest(two, 2).radius - 2) < 1e-14);
    // Distances whose squares underflow are still contained.
    const Vec3 tiny[3] = {{0, 0, 0}, {1e-200, 0, 0}, {0, 4e-324, 1e-200}};
    assert_true(contains_all(bi_ball_smallest(tiny, 3), tiny, 3));
    assert_true(contains_all(bi_ball_ritter(tiny, 3), tiny, 3));
    assert_true(contains_all(bi_ball_incremental(tiny, 3), tiny, 3));
}

// A ball contains another: |c - d| + s <= r, decided in exact arithmetic as |c - d|^2 <= (r - s)^2.
static bool holds_ball(Ball outer, Ball inner) {
    mpq_t r, s, sum, d, e;
    mpq_inits(r, s, sum, d, e, NULL);
    mpq_set_d(r, outer.radius);
    mpq_set_d(s, inner.radius);
    mpq_sub(r, r, s);
    for (int axis = 0; axis < 3; ++axis) {
        mpq_set_d(d, v3_at(outer.centre, axis));
        mpq_set_d(e, v3_at(inner.centre, axis));
        mpq_sub(d, d, e);
        mpq_mul(d, d, d);
        mpq_add(sum, sum, d);
    }
    const bool ahead = mpq_sgn(r) >= 0;
    mpq_mul(r, r, r);
    const bool held = ahead && mpq_cmp(sum, r) <= 0;
    mpq_clears(r, s, sum, d, e, NULL);
    return held;
}

// The smallest ball of balls: none nearby is smaller (a ball of balls is convex in its centre, so nearby is enough).
static void balls_of_balls(void** state) {
    (void)state;
    Random random = {73};
    for (int round = 0; round < test_scaled(30000); ++round) {
        Ball balls[40];
        Vec3 centres[40];
        const int count = 1 + (int)(bi_random_next(&random) % (round % 20 == 0 ? 40 : 7));
        make_set(&random, round % SET_KINDS == 7 ? 0 : round % SET_KINDS, count, centres);
        for (int i = 0; i < count; ++i) {
            const double r = bi_random_between(&random, 0, 1);
            balls[i] = (Ball){centres[i], round % 3 == 0 ? 0.25 : round % 3 == 1 ? r : 0.1 * r};
        }
        const Ball ball = bi_ball_of_balls(balls, count);
        for (int i = 0; i < count; ++i) {
            assert_true(holds_ball(ball, balls[i]));
        }
        for (int k = 0; k < 20; ++k) {
            const double step = pow(10.0, bi_random_between(&random, -6, -1));
            const Vec3 centre = v3_mad(ball.centre, step * ball.radius, random_point(&random, 1));
            assert_true(bi_ball_radius_around_balls(centre, balls, count) >= ball.radius * (1 - 1e-12));
        }
        const Ball two = bi_ball_merge(balls[0], balls[count - 1]);
        const Ball same = bi_ball_of_balls((Ball[]){balls[0], balls[count - 1]}, 2);
        assert_true(holds_ball(two, balls[0]) && holds_ball(two, balls[count - 1]));
        if (!(fabs(two.radius - same.radius) <= 1e-12 * two.radius)) {
            fail_msg("round %d: two balls in %.17g or %.17g", round, two.radius, same.radius);
        }
    }
}

int test_shape_ball(void);
// What is not a number is nowhere, so it may be anywhere: never left out.
static void nan_is_everywhere(void** state) {
    (void)state;
    const Ball good = {{5, 0, 0}, 1.0};
    const Ball bad[] = {{{0, 0, 0}, NAN}, {{NAN, 0, 0}, 1.0}, {{0, 0, NAN}, 0.0}, {{0, 0, 0}, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const Ball both[2] = {good, bad[i]}, turned[2] = {bad[i], good};
        assert_true(bi_ball_merge(good, bad[i]).radius == INFINITY);
        assert_true(bi_ball_merge(bad[i], good).radius == INFINITY);
        assert_true(bi_ball_of_balls(both, 2).radius == INFINITY);
        assert_true(bi_ball_of_balls(turned, 2).radius == INFINITY);
        assert_true(bi_ball_radius_around_balls(v3(0, 0, 0), both, 2) == INFINITY);
    }
    const Vec3 points[3] = {{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}};
    for (int32_t first = 0; first < 2; ++first) {
        assert_true(bi_ball_smallest(points + first, 2).radius == INFINITY);
        assert_true(bi_ball_ritter(points + first, 2).radius == INFINITY);
        assert_true(bi_ball_incremental(points + first, 2).radius == INFINITY);
    }
}

int test_shape_ball(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_is_smallest), cmocka_unit_test(others_contain), cmocka_unit_test(examples),
        cmocka_unit_test(nan_is_everywhere),    cmocka_unit_test(balls_of_balls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
