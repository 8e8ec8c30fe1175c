// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sine and cosine, rounding, poses. docs/theory/math.md has the error bound of the sine.
// Entries: bi_sincos, then bi_pose_*, bi_next_up to bi_float_down, bi_random_*, berth_pose_*.

#include "math/math.h"

#include <float.h>
#include <string.h>

#include "base/base.h"

// pi/2 in three parts: the first two have 33 bits each, so that n times them is exact for |n| < 2^20.
static const double HALF_PI_1 = 0x1.921fb544p+0;
static const double HALF_PI_2 = 0x1.0b4611a6p-34;
static const double HALF_PI_3 = 0x1.3198a2e037073p-69;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;

// Taylor series on [-pi/4, pi/4]: the first term left out is below 2e-19 for both.
static double sine_near_zero(double r) {
    const double s = r * r;
    const double tail =
        -1.0 / 6.0 +
        s * (1.0 / 120.0 +
             s * (-1.0 / 5040.0 + s * (1.0 / 362880.0 +
                                       s * (-1.0 / 39916800.0 + s * (1.0 / 6227020800.0 +
                                                                     s * (-1.0 / 1307674368000.0 +
                                                                          s * (1.0 / 355687428096000.0)))))));
    return r + r * s * tail;
}

static double cosine_near_zero(double r) {
    const double s = r * r;
    const double tail =
        1.0 / 24.0 +
        s * (-1.0 / 720.0 +
             s * (1.0 / 40320.0 +
                  s * (-1.0 / 3628800.0 +
                       s * (1.0 / 479001600.0 + s * (-1.0 / 87178291200.0 + s * (1.0 / 20922789888000.0))))));
    return 1.0 - (0.5 * s - s * s * tail);
}

void bi_sincos(double x, double* sine, double* cosine) {
    if (!(fabs(x) <= BI_ANGLE_MAX)) {
        *sine = *cosine = (double)NAN;
        return;
    }

    // The angle less the nearest multiple of pi/2.
    const double turns = x * TWO_OVER_PI;
    // Adding and subtracting 1.5 * 2^52 rounds to the nearest whole number without a library call.
    const double n = (turns + 0x1.8p52) - 0x1.8p52;
    const double r = ((x - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3;

    const double s = sine_near_zero(r);
    const double c = cosine_near_zero(r);

    // Each quarter turn exchanges the two and changes a sign.
    switch ((int)n & 3) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
        break;
    }
}

Pose bi_pose_axis_angle(Vec3 axis, double angle, Vec3 t) {
    double s = 0.0;
    double c = 0.0;
    bi_sincos(angle, &s, &c);
    const double k = 1.0 - c;
    const Vec3 a = axis;
    return (Pose){{c + k * a.x * a.x, k * a.x * a.y + s * a.z, k * a.x * a.z - s * a.y},
                  {k * a.x * a.y - s * a.z, c + k * a.y * a.y, k * a.y * a.z + s * a.x},
                  {k * a.x * a.z + s * a.y, k * a.y * a.z - s * a.x, c + k * a.z * a.z},
                  t};
}

Pose bi_pose_from_unit_quat(BerthQuat q, Vec3 t) {
    return (Pose){{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)},
                  {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)},
                  {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)},
                  t};
}

double bi_next_up(double x) {
    return nextafter(x, DBL_MAX);
}

double bi_next_down(double x) {
    return nextafter(x, -DBL_MAX);
}

float bi_float_up(double x) {
    if (x > (double)FLT_MAX) {
        return INFINITY;
    }
    const float nearest = x < -(double)FLT_MAX ? -FLT_MAX : (float)x;
    return (double)nearest >= x ? nearest : nextafterf(nearest, INFINITY);
}

float bi_float_down(double x) {
    return -bi_float_up(-x);
}

uint64_t bi_random_next(Random* random) {
    // splitmix64: every seed is a good one, also 0.
    random->state += 0x9e3779b97f4a7c15u;
    uint64_t z = random->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double bi_random_between(Random* random, double low, double high) {
    const double unit = (double)(bi_random_next(random) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

BerthQuat bi_random_quat(Random* random) {
    BerthQuat q;
    double norm_sq = 0.0;
    do {  // a point in the unit ball of four dimensions, made unit: uniform over rotations
        q.x = bi_random_between(random, -1, 1);
        q.y = bi_random_between(random, -1, 1);
        q.z = bi_random_between(random, -1, 1);
        q.w = bi_random_between(random, -1, 1);
        norm_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    } while (norm_sq > 1.0 || norm_sq < 1e-4);
    const double s = 1.0 / sqrt(norm_sq);
    return (BerthQuat){q.x * s, q.y * s, q.z * s, q.w * s};
}

BerthPose berth_pose_identity(void) {
    return pose_identity();
}

BerthPose berth_pose_from_rpy(BerthVec3 xyz, BerthVec3 rpy) {
    const Pose roll = bi_pose_axis_angle(v3(1, 0, 0), rpy.x, v3(0, 0, 0));
    const Pose pitch = bi_pose_axis_angle(v3(0, 1, 0), rpy.y, v3(0, 0, 0));
    const Pose yaw = bi_pose_axis_angle(v3(0, 0, 1), rpy.z, xyz);
    const Pose turn = pose_mul(&pitch, &roll);
    return pose_mul(&yaw, &turn);
}

BerthStatus berth_pose_from_quat(BerthVec3 xyz, BerthQuat quat, BerthPose* out) {
    const double largest = fmax(fmax(fabs(quat.x), fabs(quat.y)), fmax(fabs(quat.z), fabs(quat.w)));
    const bool finite = isfinite(quat.x) && isfinite(quat.y) && isfinite(quat.z) && isfinite(quat.w);
    if (!finite || !(largest > 0.0) || !v3_finite(xyz)) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    // Dividing by the largest first keeps tiny and huge quaternions from under- and overflowing.
    BerthQuat q = {quat.x / largest, quat.y / largest, quat.z / largest, quat.w / largest};
    const double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    *out = bi_pose_from_unit_quat((BerthQuat){q.x * s, q.y * s, q.z * s, q.w * s}, xyz);
    return BERTH_OK;
}

BerthQuat berth_pose_to_quat(const BerthPose* p) {
    // The largest of the four squares is taken first: no cancellation, whatever the rotation.
    const double xx = 1 + p->x.x - p->y.y - p->z.z;
    const double yy = 1 - p->x.x + p->y.y - p->z.z;
    const double zz = 1 - p->x.x - p->y.y + p->z.z;
    const double ww = 1 + p->x.x + p->y.y + p->z.z;
    const double xy = p->x.y + p->y.x, xz = p->x.z + p->z.x, yz = p->y.z + p->z.y;
    const double wx = p->y.z - p->z.y, wy = p->z.x - p->x.z, wz = p->x.y - p->y.x;

    BerthQuat q;
    if (ww >= xx && ww >= yy && ww >= zz) {
        q = (BerthQuat){wx, wy, wz, ww};
    } else if (xx >= yy && xx >= zz) {
        q = (BerthQuat){xx, xy, xz, wx};
    } else if (yy >= zz) {
        q = (BerthQuat){xy, yy, yz, wy};
    } else {
        q = (BerthQuat){xz, yz, zz, wz};
    }

    const double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (BerthQuat){q.x * s, q.y * s, q.z * s, q.w * s};
}

BerthPose berth_pose_multiply(const BerthPose* a_from_b, const BerthPose* b_from_c) {
    return pose_mul(a_from_b, b_from_c);
}

BerthPose berth_pose_inverse(const BerthPose* a_from_b) {
    return pose_inverse(a_from_b);
}

BerthVec3 berth_pose_apply(const BerthPose* a_from_b, BerthVec3 point_in_b) {
    return pose_apply(a_from_b, point_in_b);
}
