// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sine and cosine against MPFR, rounding outward, poses and quaternions.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <float.h>
#include <mpfr.h>

#include "math/math.h"
#include "support/meshes.h"
#include "support/setting.h"

static void sines_are_within_their_error(void** state) {
    (void)state;
    Random random = {41};
    mpfr_t x, y;
    mpfr_inits2(160, x, y, (mpfr_ptr)0);
    double worst = 0;
    for (int i = 0; i < test_scaled(300000); ++i) {
        const double scale[4] = {1, 10, 1e3, 1e6};
        double angle = bi_random_between(&random, -1, 1) * scale[i & 3];
        angle = i % 7 == 0 ? floor(angle) * 1.5707963267948966 : angle;  // near multiples of a quarter turn
        angle = fabs(angle) > 1e6 ? 1e6 : angle;
        double s, c;
        bi_sincos(angle, &s, &c);
        mpfr_set_d(x, angle, MPFR_RNDN);
        mpfr_sin(y, x, MPFR_RNDN);
        mpfr_sub_d(y, y, s, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(y, MPFR_RNDA)));
        mpfr_cos(y, x, MPFR_RNDN);
        mpfr_sub_d(y, y, c, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(y, MPFR_RNDA)));
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    assert_true(worst <= BI_SINCOS_ERROR && worst > 0);
    double s, c;
    bi_sincos(0.0, &s, &c);
    assert_true(s == 0.0 && c == 1.0);
    const double bad[5] = {1.0000001e6, -1e300, (double)INFINITY, (double)-INFINITY, (double)NAN};
    for (int i = 0; i < 5; ++i) {
        bi_sincos(bad[i], &s, &c);
        assert_true(isnan(s) && isnan(c));
    }
}

static void rounding_goes_outward(void** state) {
    (void)state;
    Random random = {42};
    for (int i = 0; i < test_scaled(200000); ++i) {
        const double x = ldexp(bi_random_between(&random, -1, 1), (int)(bi_random_next(&random) % 300) - 150);
        assert_true((double)bi_float_up(x) >= x && (double)bi_float_down(x) <= x);
        assert_true(bi_float_up(x) <= nextafterf(bi_float_down(x), INFINITY));
        assert_true(bi_next_up(x) > x && bi_next_down(x) < x);
    }
    assert_true(bi_float_up(1.0) == 1.0f && bi_float_down(1.0) == 1.0f && bi_float_up(0.0) == 0.0f);
    assert_true(isinf(bi_float_up(1e39)) && bi_float_down(1e39) == FLT_MAX && bi_float_up(-1e39) == -FLT_MAX);
}

__attribute__((noinline)) static void snap(Vec3* points, int count) {
    for (int i = 0; i < count; ++i) {
        const Vec3 p = points[i];
        points[i] = v3((double)(float)p.x, (double)(float)p.y, (double)(float)p.z);
    }
}

// gcc 12.2 at -O2 leaves x and y as they are (its vectoriser of straight-line code takes the two conversions for none).
// Seen when the models came out different at -O1 and -O2; boxes rounded outward would be too small. The build turns that
// vectoriser off; this fails when it comes back.
static void a_float_is_a_float(void** state) {
    (void)state;
    Vec3 points[3] = {{0.1, 0.2, 0.3}, {1.1, 1.2, 1.3}, {2.1, 2.2, 2.3}};
    snap(points, 3);
    assert_true(points[0].x == (double)0.1f && points[0].y == (double)0.2f && points[0].z == (double)0.3f);
    assert_true(points[2].x == (double)2.1f && points[2].y == (double)2.2f && points[2].z == (double)2.3f);
}

static void poses_compose(void** state) {
    (void)state;
    Random random = {43};
    for (int i = 0; i < test_scaled(50000); ++i) {
        const Pose a = test_pose(&random, 2), b = test_pose(&random, 2);
        const Vec3 p = test_pose(&random, 1).t;
        const Pose ab = berth_pose_multiply(&a, &b);
        assert_true(v3_distance(berth_pose_apply(&ab, p), pose_apply(&a, pose_apply(&b, p))) < 1e-14);
        const Pose back = berth_pose_inverse(&ab);
        assert_true(v3_distance(berth_pose_apply(&back, berth_pose_apply(&ab, p)), p) < 1e-14);
        const Pose between = pose_between(&a, &ab);
        assert_true(v3_distance(pose_apply(&between, p), pose_apply(&b, p)) < 1e-14);
        Pose same;
        assert_int_equal(berth_pose_from_quat(a.t, berth_pose_to_quat(&a), &same), BERTH_OK);
        assert_true(v3_distance(same.x, a.x) < 1e-15 * 8 && v3_distance(same.y, a.y) < 1e-15 * 8 &&
                    v3_distance(same.z, a.z) < 1e-15 * 8);
    }
    Pose out;
    const Vec3 zero = {0, 0, 0};
    assert_int_equal(berth_pose_from_quat(zero, (BerthQuat){0, 0, 0, 0}, &out), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_pose_from_quat(zero, (BerthQuat){0, (double)NAN, 0, 1}, &out), BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_pose_from_quat(zero, (BerthQuat){0, 0, 1e-200, 0}, &out), BERTH_OK);
    assert_true(out.z.z == 1.0 && out.x.x == -1.0);
    assert_int_equal(berth_pose_from_quat(zero, (BerthQuat){0, 0, 1e200, 1e200}, &out), BERTH_OK);
    assert_true(fabs(out.x.y - 1.0) < 1e-15);
}

static void rpy_is_as_urdf_has_it(void** state) {
    (void)state;
    // R = Rz(yaw) Ry(pitch) Rx(roll), written out.
    const double r = 0.3, p = -0.7, y = 1.9;
    const Pose pose = berth_pose_from_rpy(v3(1, 2, 3), v3(r, p, y));
    assert_true(fabs(pose.x.x - cos(y) * cos(p)) < 1e-15 && fabs(pose.x.y - sin(y) * cos(p)) < 1e-15);
    assert_true(fabs(pose.x.z + sin(p)) < 1e-15 && fabs(pose.y.z - cos(p) * sin(r)) < 1e-15);
    assert_true(fabs(pose.z.z - cos(p) * cos(r)) < 1e-15 && pose.t.y == 2.0);
    assert_true(fabs(pose.y.x - (cos(y) * sin(p) * sin(r) - sin(y) * cos(r))) < 1e-15);
}

int test_math_numbers(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_are_within_their_error), cmocka_unit_test(rounding_goes_outward),
        cmocka_unit_test(a_float_is_a_float),           cmocka_unit_test(poses_compose),
        cmocka_unit_test(rpy_is_as_urdf_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
