// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random numbers, vectors and poses from one state that a test seeds: for tests that draw in many places. One thread.

#ifndef TEST_SUPPORT_DICE_H
#define TEST_SUPPORT_DICE_H

#include "math/math.h"

extern Random dice;

double dice_between(double low, double high);
/// 0 <= choice < count.
int dice_choose(int count);
/// Each coordinate within `size` of 0.
Vec3 dice_vec(double size);
/// Any rotation, each coordinate within `reach` of 0.
Pose dice_pose(double reach);

#endif
