// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The oracle's own examination: answers known by hand, an independent integer method (separating directions),
// dense sampling, and wrong oracles that the same checks must catch.
#if !defined(BERTH_HAVE_ORACLES) || BERTH_HAVE_ORACLES
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle/exact.h"
#include "oracle/numbers.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int test_oracle_exact(void);

// ---- helpers ----------------------------------------------------------------------------------------------

static int below(uint64_t* seed, int count) {
    return (int)(next_bits(seed) % (uint64_t)count);
}

static void random_points(uint64_t* seed, double* out, int count, double size) {
    for (int i = 0; i < 3 * count; i++) {
        out[i] = uniform(seed, -size, size);
    }
}

static void grid_points(uint64_t* seed, double* out, int count, int half) {
    for (int i = 0; i < 3 * count; i++) {
        out[i] = below(seed, 2 * half + 1) - half;
    }
}

static void sub(double out[3], const double a[3], const double b[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

static void cross(double out[3], const double a[3], const double b[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

static double norm(const double a[3]) {
    return sqrt(dot(a, a));
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double zero[3] = {0, 0, 0};

static void assert_bracket(double lower, double upper, double value) {
    assert_true(lower <= value && value <= upper);
    assert_true(lower == upper || nextafter(lower, (double)INFINITY) == upper);
}

static void assert_near_triangle(const double p[3], const double t[9]) {
    double lower, upper;
    exact_point_triangle_sq_bracket(p, t, &lower, &upper);
    assert_true(upper < 1e-28);
}

static void assert_distance_here(const double a[9], const double b[9], double expected) {
    double lower, upper, wa[3], wb[3], w[3];
    double d = exact_triangles_distance(a, b, wa, wb);
    assert_true(d == expected);
    exact_triangles_distance_bracket(a, b, &lower, &upper);
    assert_bracket(lower, upper, expected);
    assert_true(lower == upper);
    assert_int_equal(exact_triangles_touch(a, b), expected == 0);
    assert_int_equal(exact_triangles_touch(b, a), expected == 0);
    assert_true(exact_triangles_distance(b, a, NULL, NULL) == expected);
    sub(w, wa, wb);
    assert_true(fabs(norm(w) - expected) <= 1e-14 * (1 + expected));
    assert_near_triangle(wa, a);
    assert_near_triangle(wb, b);
}

// In three positions, because a slip may concern one axis only.
static void assert_distance(const double a[9], const double b[9], double expected) {
    for (int turn = 0; turn < 3; turn++) {
        double ta[9], tb[9];
        for (int k = 0; k < 9; k++) {
            ta[k - k % 3 + (k + turn) % 3] = a[k];
            tb[k - k % 3 + (k + turn) % 3] = b[k];
        }
        assert_distance_here(ta, tb, expected);
    }
}

// ---- an independent judge for small integers --------------------------------------------------------------

// Strictly apart along n? Products of small integers are exact in double.
static bool separates(const double* a, int count_a, const double* b, int count_b, const double n[3]) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < count_a + count_b; i++) {
        int which = i >= count_a;
        double x = dot(n, which ? b + 3 * (i - count_a) : a + 3 * i);
        low[which] = fmin(low[which], x);
        high[which] = fmax(high[which], x);
    }
    return high[0] < low[1] || high[1] < low[0];
}

// Direction from the line of edge e through a point, to p.
static void away_from_line(double out[3], const double e[3], const double w[3]) {
    double n[3];
    cross(n, e, w);
    cross(out, n, e);
}

// Disjoint convex sets are strictly separated along the line of their nearest points, which is a face normal,
// a cross of two edges, a perpendicular from a point to an edge, or a difference of two points.
static bool judge_apart(const double* a, int na, const double* b, int nb) {
    const double* p[16];
    int count = na + nb;
    for (int i = 0; i < count; i++) {
        p[i] = i < na ? a + 3 * i : b + 3 * (i - na);
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            double e[3], n[3];
            sub(e, p[j], p[i]);
            if (separates(a, na, b, nb, e)) {
                return true;
            }
            for (int k = 0; k < count; k++) {
                double w[3];
                sub(w, p[k], p[i]);
                cross(n, e, w);
                if (separates(a, na, b, nb, n)) {
                    return true;
                }
                away_from_line(n, e, w);
                if (separates(a, na, b, nb, n)) {
                    return true;
                }
                for (int l = k + 1; l < count; l++) {
                    double f[3];
                    sub(f, p[l], p[k]);
                    cross(n, e, f);
                    if (separates(a, na, b, nb, n)) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

typedef int (*TouchFunction)(const double a[9], const double b[9]);
typedef double (*DistanceFunction)(const double a[9], const double b[9]);

// How often a touch function contradicts the judge, on grids so coarse that most pairs are degenerate.
static int touch_mistakes(TouchFunction touch, int trials, int* touching) {
    uint64_t seed = 7;
    int mistakes = 0;
    *touching = 0;
    for (int i = 0; i < trials; i++) {
        double t[18];
        grid_points(&seed, t, 6, 1 + i % 4);
        if (i % 5 == 0) {  // one plane
            for (int k = 2; k < 18; k += 3) {
                t[k] = 0;
            }
        }
        bool expected = !judge_apart(t, 3, t + 9, 3);
        *touching += expected;
        mistakes += touch(t, t + 9) != expected;
    }
    return mistakes;
}

static void corner_mix(double out[3], const double t[9], double u, double v) {
    for (int k = 0; k < 3; k++) {
        out[k] = t[k] + u * (t[3 + k] - t[k]) + v * (t[6 + k] - t[k]);
    }
}

// Least distance over a grid of points of a to triangle b by projected search over b's grid; an upper bound.
static double sampled_distance(const double a[9], const double b[9], int steps) {
    double best = INFINITY;
    for (int i = 0; i <= steps; i++) {
        for (int j = 0; i + j <= steps; j++) {
            double p[3];
            corner_mix(p, a, (double)i / steps, (double)j / steps);
            for (int k = 0; k <= steps; k++) {
                for (int l = 0; k + l <= steps; l++) {
                    double q[3], w[3];
                    corner_mix(q, b, (double)k / steps, (double)l / steps);
                    sub(w, p, q);
                    best = fmin(best, dot(w, w));
                }
            }
        }
    }
    return sqrt(best);
}

static double longest_edge(const double t[9]) {
    double longest = 0;
    for (int i = 0; i < 3; i++) {
        double e[3];
        sub(e, t + 3 * i, t + 3 * ((i + 1) % 3));
        longest = fmax(longest, norm(e));
    }
    return longest;
}

// How often a distance contradicts sampling: above the sampled minimum, or below it by more than the grid
// allows.
static int distance_mistakes(DistanceFunction distance, int trials) {
    uint64_t seed = 11;
    int mistakes = 0, steps = 24;
    for (int i = 0; i < trials; i++) {
        double a[9], b[9];
        random_points(&seed, a, 3, 1);
        random_points(&seed, b, 3, 1);
        for (int k = 0; k < 9; k += 3) {
            b[k] += i % 3;  // from overlapping to apart
        }
        double sampled = sampled_distance(a, b, steps), d = distance(a, b);
        double reach = (longest_edge(a) + longest_edge(b)) / steps;
        mistakes += d > sampled + 1e-12 || d < sampled - reach;
    }
    return mistakes;
}

static double true_distance(const double a[9], const double b[9]) {
    return exact_triangles_distance(a, b, NULL, NULL);
}

// ---- wrong oracles ----------------------------------------------------------------------------------------

static int touch_one_way(const double a[9], const double b[9]) {  // only edges of a against b
    for (int i = 0; i < 3; i++) {
        double edge[9];
        memcpy(edge, a + 3 * i, 3 * sizeof *a);
        memcpy(edge + 3, a + 3 * ((i + 1) % 3), 3 * sizeof *a);
        memcpy(edge + 6, edge + 3, 3 * sizeof *a);
        if (exact_triangles_touch(edge, b)) {
            return 1;
        }
    }
    return 0;
}

static int touch_open(const double a[9], const double b[9]) {  // shrinks a a little: misses mere contact
    double c[9];
    for (int i = 0; i < 9; i++) {
        c[i] = a[i] + ((a[i % 3] + a[3 + i % 3] + a[6 + i % 3]) / 3 - a[i]) * 0x1p-20;
    }
    return exact_triangles_touch(c, b);
}

static int touch_boxes(const double a[9], const double b[9]) {
    for (int k = 0; k < 3; k++) {
        if (fmin(a[k], fmin(a[3 + k], a[6 + k])) > fmax(b[k], fmax(b[3 + k], b[6 + k])) ||
            fmin(b[k], fmin(b[3 + k], b[6 + k])) > fmax(a[k], fmax(a[3 + k], a[6 + k]))) {
            return 0;
        }
    }
    return 1;
}

static double distance_of_points(const double a[9], const double b[9]) {  // corners of a to b only
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        double lower, upper;
        exact_point_triangle_sq_bracket(a + 3 * i, b, &lower, &upper);
        best = fmin(best, sqrt(lower));
    }
    return best;
}

static double distance_too_small(const double a[9], const double b[9]) {
    return true_distance(a, b) * 0.5;
}

static void wrong_answers_are_noticed(void** state) {
    (void)state;
    int touching;
    assert_true(touch_mistakes(touch_one_way, 3000, &touching) > 0);
    assert_true(touch_mistakes(touch_open, 3000, &touching) > 0);
    assert_true(touch_mistakes(touch_boxes, 3000, &touching) > 0);
    assert_true(distance_mistakes(distance_of_points, 60) > 0);
    assert_true(distance_mistakes(distance_too_small, 60) > 0);
}

// ---- triangles --------------------------------------------------------------------------------------------

static void triangles_agree_with_judge(void** state) {
    (void)state;
    int touching, trials = 20000;
    assert_int_equal(touch_mistakes(exact_triangles_touch, trials, &touching), 0);
    assert_in_range(touching, trials / 10, trials - trials / 10);
}

static void triangles_agree_with_sampling(void** state) {
    (void)state;
    assert_int_equal(distance_mistakes(true_distance, 150), 0);
}

static void triangles_known_answers(void** state) {
    (void)state;
    const double floor[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    const double above[9] = {1, 1, 3, 2, 1, 3, 1, 2, 3};
    const double corner_down[9] = {1, 1, 2, 5, 5, 9, -5, 5, 9};
    const double standing[9] = {1, 1, 0, 1, 1, 5, 2, 2, 5};      // one corner on the face
    const double piercing[9] = {1, 1, -1, 1, 1, 5, 2, 2, 5};     // an edge goes through
    const double inside[9] = {1, 1, 0, 1.5, 1, 0, 1, 1.5, 0};    // one plane, contained
    const double beside[9] = {-3, -4, 0, -9, -4, 0, -3, -9, 0};  // one plane, corner to corner
    const double shares_edge[9] = {0, 0, 0, 4, 0, 0, 2, -3, 1};
    const double shares_corner[9] = {0, 0, 0, -4, 0, 1, -2, -3, 1};
    const double edge_over_edge[9] = {2, -1, 1, 2, 1, 1, 2, 0, 7};  // crosses above the edge y = 0
    assert_distance(floor, above, 3);
    assert_distance(floor, corner_down, 2);
    assert_distance(floor, standing, 0);
    assert_distance(floor, piercing, 0);
    assert_distance(floor, inside, 0);
    assert_distance(floor, beside, 5);
    assert_distance(floor, shares_edge, 0);
    assert_distance(floor, shares_corner, 0);
    assert_distance(floor, edge_over_edge, 1);
    assert_distance(floor, floor, 0);
}

// Points and segments in triangle clothes, needles, duplicates, parallel and collinear edges.
static void triangles_degenerate(void** state) {
    (void)state;
    const double floor[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    const double point_on[9] = {1, 1, 0, 1, 1, 0, 1, 1, 0}, point_off[9] = {1, 1, 2, 1, 1, 2, 1, 1, 2};
    const double point_origin[9] = {0}, point_far[9] = {3, 4, 0, 3, 4, 0, 3, 4, 0};
    const double segment[9] = {0, 0, 1, 8, 0, 1, 4, 0, 1};  // three corners on a line, the middle one last
    const double parallel[9] = {0, 2, 1, 8, 2, 1, 8, 2, 1}, ahead[9] = {10, 0, 1, 12, 0, 1, 11, 0, 1};
    const double overlap[9] = {8, 0, 1, 12, 0, 1, 8, 0, 1}, across[9] = {4, -1, 1, 4, 1, 1, 4, 1, 1};
    const double needle[9] = {0, 0, 0, 1, 0x1p-1040, 0, 2, 0, 0},
                 needle_over[9] = {0, 0, 2, 1, 0, 2, 2, 0x1p-1040, 2};
    assert_distance(floor, point_on, 0);
    assert_distance(floor, point_off, 2);
    assert_distance(point_origin, point_far, 5);
    assert_distance(point_origin, point_origin, 0);
    assert_distance(segment, parallel, 2);
    assert_distance(segment, ahead, 2);
    assert_distance(segment, overlap, 0);
    assert_distance(segment, across, 0);
    assert_distance(segment, segment, 0);
    assert_distance(floor, segment, 1);
    assert_distance(needle, needle, 0);
    assert_int_equal(exact_triangles_touch(needle, needle_over), 0);
    assert_true(exact_triangles_distance(needle, needle_over, NULL, NULL) == 2);
}

// One step of the last bit decides, at every scale: touching is lost, and the distance is that step.
static void triangles_last_bit(void** state) {
    (void)state;
    for (int e = -900; e <= 900; e += 150) {
        double s = ldexp(1, e), up = nextafter(s, (double)INFINITY);
        const double wall[9] = {s, -s, -s, s, s, -s, s, 0, 3 * s};
        double tip[9] = {-s, 0, 0, -s, s, 0, s, 0, 0};
        assert_int_equal(exact_triangles_touch(wall, tip), 1);
        for (int i = 0; i < 9; i += 3) {
            tip[i] = tip[i] > 0 ? up : 2 * s;
        }
        assert_int_equal(exact_triangles_touch(wall, tip), 0);
        assert_true(exact_triangles_distance(wall, tip, NULL, NULL) == up - s);
    }
    // 0.1 + 0.2 is not 0.3
    const double floor[9] = {-1, -1, 0.1 + 0.2, 1, -1, 0.1 + 0.2, 0, 1, 0.1 + 0.2};
    const double point[9] = {0, 0, 0.3, 0, 0, 0.3, 0, 0, 0.3};
    assert_int_equal(exact_triangles_touch(floor, point), 0);
    assert_true(exact_triangles_distance(floor, point, NULL, NULL) == (0.1 + 0.2) - 0.3);
}

static void triangles_extreme_range(void** state) {
    (void)state;
    const double big[9] = {-1e308, -1e308, 0, 1e308, -1e308, 0, 0, 1e308, 0};
    const double small[9] = {0, 0, DBL_TRUE_MIN, 1e-300, 0, 1, 0, 1e-300, 1};
    double lower, upper;
    assert_int_equal(exact_triangles_touch(big, small), 0);
    assert_true(exact_triangles_distance(big, small, NULL, NULL) == DBL_TRUE_MIN);
    const double far_a[9] = {DBL_MAX, 0, 0, DBL_MAX, 0, 0, DBL_MAX, 0, 0};
    const double far_b[9] = {-DBL_MAX, 0, 0, -DBL_MAX, 0, 0, -DBL_MAX, 0, 0};
    exact_triangles_distance_bracket(far_a, far_b, &lower, &upper);
    assert_true(lower == DBL_MAX && isinf(upper));
    // A distance below the least double is still not zero.
    const double steep[9] = {0, 0, 0, 1, 0, 0, 0, 1, 1};
    const double near[9] = {0.25, 0.25, nextafter(0.25, 1), 0.25, 0.25, 1, 0.25, 0.5, 1};
    assert_true(exact_triangles_distance(steep, near, NULL, NULL) > 0);
    const double tiny_slope[9] = {0, 0, 0, 1, 0, 0, 0, 1, DBL_TRUE_MIN};
    const double tiny_point[9] = {0.25, 0.5, DBL_TRUE_MIN, 0.25, 0.5, 1, 0.25, 0.5, 1};
    exact_triangles_distance_bracket(tiny_slope, tiny_point, &lower, &upper);
    assert_true(lower == 0 && upper > 0);  // half of the least double
    assert_true(exact_triangles_distance(tiny_slope, tiny_point, NULL, NULL) > 0);
}

static void brackets_are_tight(void** state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 3000; i++) {
        double a[9], b[9], lower, upper, wa[3], wb[3], w[3];
        random_points(&seed, a, 3, 1);
        random_points(&seed, b, 3, 1);
        b[0] += i % 4;
        double d = exact_triangles_distance(a, b, wa, wb);
        exact_triangles_distance_bracket(a, b, &lower, &upper);
        assert_bracket(lower, upper, d);
        sub(w, wa, wb);
        assert_true(fabs(norm(w) - d) < 4e-15);
        assert_near_triangle(wa, a);
        assert_near_triangle(wb, b);
        double alone[3];
        exact_triangles_distance(a, b, alone, NULL);
        assert_memory_equal(alone, wa, sizeof alone);
        exact_triangles_distance(a, b, NULL, alone);
        assert_memory_equal(alone, wb, sizeof alone);
        assert_true((d == 0) == exact_triangles_touch(a, b));
    }
    // sqrt(2) is between its neighbours, sqrt(2.25) is itself.
    const double o[9] = {0}, two[9] = {1, 1, 0, 1, 1, 0, 1, 1, 0},
                 exact[9] = {1.5, 0, 0, 1.5, 0, 0, 1.5, 0, 0};
    double lower, upper;
    exact_triangles_distance_bracket(o, two, &lower, &upper);
    assert_true(lower * lower < 2 && upper * upper > 2 && nextafter(lower, 2) == upper);
    exact_triangles_distance_bracket(o, exact, &lower, &upper);
    assert_true(lower == 1.5 && upper == 1.5);
    // 1 + 2^-60 is the exact root, but no double.
    const double one[9] = {1, 0, 0, 1, 0, 0, 1, 0, 0},
                 tiny[9] = {-0x1p-60, 0, 0, -0x1p-60, 0, 0, -0x1p-60, 0, 0};
    exact_triangles_distance_bracket(one, tiny, &lower, &upper);
    assert_true(lower == 1 && upper == 1 + DBL_EPSILON);
    const double least[9] = {DBL_TRUE_MIN, 0, 0, DBL_TRUE_MIN, 0, 0, DBL_TRUE_MIN, 0, 0};
    exact_triangles_distance_bracket(o, least, &lower, &upper);
    assert_true(lower == DBL_TRUE_MIN && upper == DBL_TRUE_MIN);
}

// IEEE square roots of small integers are rounded to nearest, and so must ours be; then a distance below the
// grid.
static void distances_round_to_nearest(void** state) {
    (void)state;
    uint64_t seed = 29;
    const double origin[9] = {0};
    for (int i = 0; i < 2000; i++) {
        double p[9];
        grid_points(&seed, p, 1, 5000);
        memcpy(p + 3, p, 3 * sizeof *p);
        memcpy(p + 6, p, 3 * sizeof *p);
        assert_true(exact_triangles_distance(p, origin, NULL, NULL) == sqrt(dot(p, p)));
    }
    // Normal (-1000, -1000, 1e6): the point is 1000 / |n| above the plane, a thousandth of the grid.
    const double plane[9] = {-1000, -1000, -2, 1000, 0, 1, 0, 1000, 1},
                 point[9] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
    assert_true(fabs(exact_triangles_distance(plane, point, NULL, NULL) - 1000 / sqrt(1e12 + 2e6)) < 1e-18);
}

// The posed form works without the double filter: on the identity the two must agree, near contact above all.
static void filter_changes_nothing(void** state) {
    (void)state;
    uint64_t seed = 5;
    int touching = 0;
    for (int i = 0; i < 6000; i++) {
        double a[9], b[9], la, ua, lb, ub;
        random_points(&seed, a, 3, 1);
        random_points(&seed, b, 3, 1);
        if (i % 2 == 0) {  // a corner of b within rounding of a point of a
            corner_mix(b, a, uniform(&seed, 0, 0.5), uniform(&seed, 0, 0.5));
        }
        if (i % 6 == 0) {  // and the others beyond
            corner_mix(b + 3, a, 0.5, 1 + uniform(&seed, 0, 1));
            corner_mix(b + 6, a, 1 + uniform(&seed, 0, 1), 0.5);
        }
        int touch = exact_triangles_touch(a, b);
        touching += touch;
        assert_int_equal(touch, exact_triangles_touch_posed(a, b, identity, zero));
        exact_triangles_distance_bracket(a, b, &la, &ua);
        exact_triangles_distance_posed_bracket(a, b, identity, zero, &lb, &ub);
        assert_true(la == lb && ua == ub);
    }
    assert_in_range(touching, 500, 5500);
}

static void moved(double out[9], const double t[9], const double rot[9], const double shift[3]) {
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = dot(rot + 3 * k, t + 3 * i) + shift[k];
        }
    }
}

// On a grid, quarter turns and shears are exact in double, so posing and moving beforehand must agree.
// Swapping, rotating the corners and scaling by two must not matter either.
static void metamorphic(void** state) {
    (void)state;
    uint64_t seed = 9;
    const double shear[9] = {0, -1, 2, 1, 0, 0, 0, 3, 1};
    const double shift[3] = {1, -2, 0.5};
    for (int i = 0; i < 3000; i++) {
        double a[9], b[9], c[9], d[9], l[4], u[4];
        grid_points(&seed, a, 3, 3);
        grid_points(&seed, b, 3, 3);
        moved(c, b, shear, shift);
        exact_triangles_distance_posed_bracket(a, b, shear, shift, &l[0], &u[0]);
        exact_triangles_distance_bracket(c, a, &l[1], &u[1]);
        for (int k = 0; k < 9; k++) {
            d[k] = 2 * a[(k + 3) % 9];
            c[k] *= 2;
        }
        exact_triangles_distance_bracket(d, c, &l[2], &u[2]);
        assert_true(l[0] == l[1] && u[0] == u[1] && l[2] == 2 * l[0] && u[2] == 2 * u[0]);
        assert_int_equal(exact_triangles_touch_posed(a, b, shear, shift), l[0] == 0);
    }
}

static void helpers_known_answers(void** state) {
    (void)state;
    const double floor[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0}, p[3] = {1, 1, 3}, outside[3] = {-3, -4, 0};
    const double s[4][3] = {{0, 0, 0}, {2, 0, 0}, {1, -1, 3}, {1, 1, 3}};
    double lower, upper;
    exact_point_triangle_sq_bracket(p, floor, &lower, &upper);
    assert_true(lower == 9 && upper == 9);
    exact_point_triangle_sq_bracket(outside, floor, &lower, &upper);
    assert_true(lower == 25 && upper == 25);
    exact_segment_segment_sq_bracket(s[0], s[1], s[2], s[3], &lower, &upper);
    assert_true(lower == 9 && upper == 9);
    exact_segment_segment_sq_bracket(s[0], s[0], s[2], s[2], &lower, &upper);
    assert_true(lower == 11 && upper == 11);
    const double c[3] = {1, 1, 1}, on[3] = {4, 5, 1}, off[3] = {4, 5, 1 + 0x1p-52};
    assert_int_equal(exact_ball_contains(c, 5, on), 1);
    assert_int_equal(exact_ball_contains(c, 5, off), 0);  // the excess is 2^-107 of the radius
    assert_int_equal(exact_ball_contains(c, nextafter(5, 6), off), 1);
    assert_int_equal(exact_ball_contains(c, 0, c), 1);
    assert_int_equal(exact_ball_contains(c, -1, c), 0);
}

// ---- meshes -----------------------------------------------------------------------------------------------

// A cube of half side h about the centre: corner i has bit k of i for the sign of axis k; normals outward.
static const int32_t cube_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void cube_points(double out[24], double x, double y, double z, double h) {
    const double centre[3] = {x, y, z};
    for (int i = 0; i < 24; i++) {
        out[i] = centre[i % 3] + ((i / 3 >> (i % 3)) & 1 ? h : -h);
    }
}

static void winding_numbers(void** state) {
    (void)state;
    uint64_t seed = 13;
    double v[48];
    int32_t both[72], inverted[36];
    cube_points(v, 0, 0, 0, 1);
    cube_points(v + 24, 0.5, 0, 0, 1);
    for (int i = 0; i < 36; i++) {
        both[i] = cube_triangles[i];
        both[36 + i] = cube_triangles[i] + 8;
        inverted[i] = cube_triangles[i - i % 3 + 2 - i % 3];
    }
    const double corner[3] = {1, 1, 1}, edge[3] = {1, 1, 0.3}, face[3] = {1, 0.2, 0.3},
                 diagonal[3] = {0, 0, 1};
    const double just_in[3] = {nextafter(1, 0), 0.2, 0.3}, just_out[3] = {nextafter(1, 2), 0.2, 0.3};
    assert_int_equal(exact_point_in_mesh(corner, v, cube_triangles, 12), EXACT_ON_SURFACE);
    assert_int_equal(exact_point_in_mesh(edge, v, cube_triangles, 12), EXACT_ON_SURFACE);
    assert_int_equal(exact_point_in_mesh(face, v, cube_triangles, 12), EXACT_ON_SURFACE);
    assert_int_equal(exact_point_in_mesh(diagonal, v, cube_triangles, 12), EXACT_ON_SURFACE);
    assert_int_equal(exact_point_in_mesh(just_in, v, cube_triangles, 12), 1);
    assert_int_equal(exact_point_in_mesh(just_out, v, cube_triangles, 12), 0);
    assert_int_equal(exact_point_in_mesh(zero, v, inverted, 12), -1);
    assert_int_equal(exact_point_in_mesh(zero, v, NULL, 0), 0);
    for (int i = 0; i < 1000; i++) {
        double p[3];
        random_points(&seed, p, 1, 1.7);
        int one = fabs(p[0]) < 1 && fabs(p[1]) < 1 && fabs(p[2]) < 1;
        int two = fabs(p[0] - 0.5) < 1 && fabs(p[1]) < 1 && fabs(p[2]) < 1;
        assert_int_equal(exact_point_in_mesh(p, v, both, 24), one + two);
    }
}

// The first ray of the oracle (its generator is repeated here) meets a corner, so the second must answer.
static void winding_retries(void** state) {
    (void)state;
    uint64_t seed = 0x9e3779b97f4a7c15u;
    double v[12], centre[3];
    for (int k = 0; k < 3; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        v[k] = (double)((int)(seed >> 44) - (1 << 19));
    }
    // A tetrahedron about the origin: the corner in question, two across, and minus the sum of the three.
    const double across[6] = {v[1], v[2], v[0], v[2], v[0], v[1]};
    memcpy(v + 3, across, sizeof across);
    for (int k = 0; k < 3; k++) {
        v[9 + k] = -(v[k] + v[3 + k] + v[6 + k]);
        centre[k] = 8 * v[k];
    }
    int32_t triangles[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    double n[3];
    cross(n, v + 3, v + 6);
    int expected = dot(n, v) > 0 ? 1 : -1;
    assert_int_equal(exact_point_in_mesh(zero, v, triangles, 4), expected);
    assert_int_equal(exact_point_in_mesh(centre, v, triangles, 4), 0);
    for (int k = 0; k < 3; k++) {
        centre[k] = -8 * v[k];  // the ray goes through the solid and leaves by the corner
    }
    assert_int_equal(exact_point_in_mesh(centre, v, triangles, 4), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(exact_point_in_mesh(v + 3 * i, v, triangles, 4), EXACT_ON_SURFACE);
        assert_int_equal(
            exact_point_in_mesh(v + 3 * i, v, triangles + 3 * ((i + 1) % 4), 1) == EXACT_ON_SURFACE,
            i != 3);  // faces 1, 2, 3 hold corners 0, 1, 2; face 0 misses corner 3
    }
}

// Boxes of triangles that only touch must not be taken for apart, posed or not, on either side.
static void meshes_in_contact(void** state) {
    (void)state;
    double a[24], b[24], lower, upper;
    cube_points(a, 0, 0, 0, 1);
    for (int i = 0; i < 6; i++) {
        double c[3] = {0, 0, 0};
        c[i / 2] = i % 2 ? -2 : 2;
        cube_points(b, c[0], c[1], c[2], 1);
        assert_int_equal(exact_meshes_touch(a, cube_triangles, 12, b, cube_triangles, 12, NULL, NULL), 1);
        assert_int_equal(exact_meshes_touch(a, cube_triangles, 12, a, cube_triangles, 12, identity, c), 1);
        exact_meshes_distance_bracket(a, cube_triangles, 12, b, cube_triangles, 12, NULL, NULL, &lower,
                                      &upper);
        assert_true(upper == 0);
        c[i / 2] *= 1 + DBL_EPSILON;
        assert_int_equal(exact_meshes_touch(a, cube_triangles, 12, a, cube_triangles, 12, identity, c), 0);
    }
}

static void meshes_against_all_pairs(void** state) {
    (void)state;
    uint64_t seed = 17;
    for (int i = 0; i < 60; i++) {
        double v[48], best_lower = INFINITY, best_upper = INFINITY, lower, upper, rot[9], shift[3];
        cube_points(v, 0, 0, 0, 1);
        cube_points(v + 24, 0, 0, 0, 0.5);
        random_points(&seed, rot, 3, 1);
        random_points(&seed, shift, 1, 3);
        for (int a = 0; a < 12; a++) {
            for (int b = 0; b < 12; b++) {
                double ta[9], tb[9];
                for (int k = 0; k < 9; k++) {
                    ta[k] = v[3 * cube_triangles[3 * a + k / 3] + k % 3];
                    tb[k] = v[24 + 3 * cube_triangles[3 * b + k / 3] + k % 3];
                }
                exact_triangles_distance_posed_bracket(ta, tb, rot, shift, &lower, &upper);
                best_lower = fmin(best_lower, lower);
                best_upper = fmin(best_upper, upper);
            }
        }
        exact_meshes_distance_bracket(v, cube_triangles, 12, v + 24, cube_triangles, 12, rot, shift, &lower,
                                      &upper);
        assert_true(lower == best_lower && upper == best_upper);
        int touch = exact_meshes_touch(v, cube_triangles, 12, v + 24, cube_triangles, 12, rot, shift);
        assert_int_equal(touch, best_upper == 0);
    }
    double v[24], lower, upper;
    cube_points(v, 0, 0, 0, 1);
    assert_int_equal(exact_meshes_touch(v, cube_triangles, 12, v, cube_triangles, 0, NULL, NULL), 0);
    exact_meshes_distance_bracket(v, cube_triangles, 0, v, cube_triangles, 12, NULL, NULL, &lower, &upper);
    assert_true(isinf(lower) && isinf(upper));
}

// ---- convex sets ------------------------------------------------------------------------------------------

static void assert_convex(const double* a, int na, const double* b, int nb, double distance, double depth) {
    double lower, upper;
    int touching = depth >= 0;
    for (int swap = 0; swap < 2; swap++) {
        const double *p = swap ? b : a, *q = swap ? a : b;
        int np = swap ? nb : na, nq = swap ? na : nb;
        assert_int_equal(exact_convex_distance_bracket(p, np, q, nq, &lower, &upper), touching);
        assert_bracket(lower, upper, distance);
        assert_int_equal(exact_convex_depth_bracket(p, np, q, nq, &lower, &upper), touching);
        assert_bracket(lower, upper, touching ? depth : 0);
    }
}

static void convex_known_answers(void** state) {
    (void)state;
    double a[24], b[24];
    const double octahedron[18] = {4.5, 1.5,  1.5, -1.5, 1.5, 1.5, 1.5, 4.5, 1.5,
                                   1.5, -1.5, 1.5, 1.5,  1.5, 4.5, 1.5, 1.5, -1.5};
    const double tetrahedron[12] = {0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3};
    const double inside[3] = {0.25, 0.5, 0.5}, outside[3] = {3, 3, 3}, corner[3] = {1, 1, 1},
                 far_point[3] = {4, 5, 1};
    const double square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, rod[6] = {0.5, 0.5, -1, 0.5, 0.5, 2};
    const double lying[6] = {0.5, 0.5, 0, 3, 0.5, 0}, along[6] = {2, 0.5, 0, 9, 0.5, 0};
    cube_points(a, 0, 0, 0, 1);
    cube_points(b, 1.25, 0, 0, 1);
    assert_convex(a, 8, b, 8, 0, 0.75);
    cube_points(b, 2, 0.5, 0, 1);
    assert_convex(a, 8, b, 8, 0, 0);  // faces stacked
    cube_points(b, 2, 2, 2, 1);
    assert_convex(a, 8, b, 8, 0, 0);  // corner to corner
    cube_points(b, 5, 6, 2, 1);
    assert_convex(a, 8, b, 8, 5, -1);
    cube_points(b, 0, 0, 0, 3);
    assert_convex(a, 8, b, 8, 0, 4);  // contained, six equal depths
    assert_convex(a, 8, a, 8, 0, 2);
    assert_convex(a, 8, octahedron, 6, 0,
                  sqrt(0.75));  // radius 3; along the diagonal, (3 - (4.5 - 3)) / sqrt(3)
    assert_convex(tetrahedron, 4, inside, 1, 0, 0.25);
    assert_convex(tetrahedron, 4, outside, 1, sqrt(12), -1);
    assert_convex(a, 8, corner, 1, 0, 0);
    assert_convex(a, 8, far_point, 1, 5, -1);
    assert_convex(square, 4, rod, 2, 0, 0.5);
    const double post[6] = {0.5, 0.25, -1, 0.5, 0.25, 2};  // off the diagonals
    assert_convex(square, 4, post, 2, 0, 0.25);
    assert_convex(square, 4, lying, 2, 0, 0);
    assert_convex(lying, 2, along, 2, 0, 0);
    assert_convex(square, 4, along, 2, 1, -1);
    assert_convex(corner, 1, corner, 1, 0, 0);
    double many[3 * EXACT_CONVEX_MAX];
    for (int i = 0; i < 3 * EXACT_CONVEX_MAX; i++) {
        many[i] = b[i % 24];  // every corner four times
    }
    assert_convex(a, 8, many, EXACT_CONVEX_MAX, 0, 4);
    double lower, upper;
    assert_int_equal(exact_convex_distance_bracket(a, 0, b, 8, &lower, &upper), -1);
    assert_int_equal(exact_convex_depth_bracket(a, 8, b, EXACT_CONVEX_MAX + 1, &lower, &upper), -1);
}

// Grids give flat and repeated points in plenty; three points must agree with the triangle oracle.
static void convex_agrees_with_judge(void** state) {
    (void)state;
    uint64_t seed = 19;
    int touching = 0;
    for (int i = 0; i < 700; i++) {
        double p[48], la, ua, lb, ub;
        int na = 1 + below(&seed, 6), nb = 1 + below(&seed, 6);
        grid_points(&seed, p, na + nb, 1 + i % 4);
        for (int k = 0; k < nb; k++) {
            p[3 * (na + k)] += i % 3;
        }
        int touch = exact_convex_distance_bracket(p, na, p + 3 * na, nb, &la, &ua);
        assert_int_equal(touch, !judge_apart(p, na, p + 3 * na, nb));
        assert_int_equal(touch, ua == 0);
        assert_int_equal(touch, exact_convex_depth_bracket(p, na, p + 3 * na, nb, &lb, &ub));
        touching += touch;
        if (na == 3 && nb == 3) {
            exact_triangles_distance_bracket(p, p + 9, &lb, &ub);
            assert_true(la == lb && ua == ub);
        }
    }
    assert_in_range(touching, 70, 630);
}

// Depth: no direction overlaps less, and moving by the depth along the best of many directions nearly parts
// them.
static void convex_depth_against_directions(void** state) {
    (void)state;
    uint64_t seed = 23;
    int overlapping = 0;
    for (int i = 0; i < 40; i++) {
        double a[30], b[30], lower, upper, least = INFINITY;
        random_points(&seed, a, 10, 1);
        random_points(&seed, b, 10, 1);
        if (exact_convex_depth_bracket(a, 10, b, 10, &lower, &upper) != 1) {
            continue;
        }
        overlapping++;
        for (int j = 0; j < 40000; j++) {
            double n[3], high = -INFINITY, low = INFINITY;
            random_points(&seed, n, 1, 1);
            for (int k = 0; k < 10; k++) {
                high = fmax(high, dot(n, a + 3 * k));
                low = fmin(low, dot(n, b + 3 * k));
            }
            least = fmin(least, (high - low) / norm(n));
        }
        assert_true(lower <= least + 1e-12);
        assert_true(least - lower < 0.1);
    }
    assert_true(overlapping > 20);
}

int test_oracle_exact(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_known_answers),
        cmocka_unit_test(triangles_degenerate),
        cmocka_unit_test(triangles_last_bit),
        cmocka_unit_test(triangles_extreme_range),
        cmocka_unit_test(triangles_agree_with_judge),
        cmocka_unit_test(triangles_agree_with_sampling),
        cmocka_unit_test(brackets_are_tight),
        cmocka_unit_test(filter_changes_nothing),
        cmocka_unit_test(metamorphic),
        cmocka_unit_test(helpers_known_answers),
        cmocka_unit_test(distances_round_to_nearest),
        cmocka_unit_test(winding_numbers),
        cmocka_unit_test(winding_retries),
        cmocka_unit_test(meshes_in_contact),
        cmocka_unit_test(meshes_against_all_pairs),
        cmocka_unit_test(convex_known_answers),
        cmocka_unit_test(convex_agrees_with_judge),
        cmocka_unit_test(convex_depth_against_directions),
        cmocka_unit_test(wrong_answers_are_noticed),
    };
    return cmocka_run_group_tests_name("oracle_exact", tests, NULL, NULL);
}

#else

int test_oracle_exact(void);

int test_oracle_exact(void) {
    return 0;  // built without GMP, FCL or KDL
}

#endif
