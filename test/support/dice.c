// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random numbers, vectors and poses from one state.

#include "support/dice.h"

Random dice;

double dice_between(double low, double high) {
    return bi_random_between(&dice, low, high);
}

int dice_choose(int count) {
    return (int)((bi_random_next(&dice) >> 33) % (uint64_t)count);
}

Vec3 dice_vec(double size) {
    return v3(dice_between(-size, size), dice_between(-size, size), dice_between(-size, size));
}

Pose dice_pose(double reach) {
    return bi_pose_from_unit_quat(bi_random_quat(&dice), dice_vec(reach));
}
