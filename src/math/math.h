// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sine and cosine with a known error, outward rounding, rotations about an axis.

#ifndef BI_MATH_H
#define BI_MATH_H

#include "math/tolerance.h"
#include "math/vec3.h"

/// The same bits on every compiler and instruction set; absolute error at most BI_SINCOS_ERROR each.
/// Beyond BI_ANGLE_MAX, and for NaN, both are NaN.
void bi_sincos(double x, double* sine, double* cosine);

/// Rotation by `angle` about the unit vector `axis`, and translation t.
Pose bi_pose_axis_angle(Vec3 axis, double angle, Vec3 t);
/// The rotation of a unit quaternion, and translation t.
Pose bi_pose_from_unit_quat(BerthQuat q, Vec3 t);

/// The next double above or below, for finite values: rounding a bound outward by one step.
double bi_next_up(double x);
double bi_next_down(double x);
/// The smallest float >= x and the largest float <= x (infinite where floats end).
float bi_float_up(double x);
float bi_float_down(double x);

/// xorshift-like generator with a full 64-bit state: the same numbers everywhere for the same seed.
typedef struct Random {
    uint64_t state;
} Random;
uint64_t bi_random_next(Random* random);
/// Uniform in [low, high].
double bi_random_between(Random* random, double low, double high);
/// A uniformly distributed rotation.
BerthQuat bi_random_quat(Random* random);

#endif
