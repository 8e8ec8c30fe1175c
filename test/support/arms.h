// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robots made by code: a plain arm for examples, and random trees of links for properties.

#ifndef TEST_SUPPORT_ARMS_H
#define TEST_SUPPORT_ARMS_H

#include <berth/scene.h>

#include "math/math.h"

/// base (fixed), upper, lower, hand (no joint to lower: fixed), tool (no geometry, fixed to hand), each a sphere of
/// radius 0.05 but the tool; joints shoulder (revolute z, +-2), elbow (revolute y, +-2), wrist (fixed), flange (fixed).
/// Pairs are listed: base - upper and upper - lower are disabled. State "ready" of group "arm": shoulder 0.5, elbow -1.
/// With `free_base` a floating joint "world_joint" comes first. Null when memory ran out.
BerthRobot* test_arm(bool free_base, const BerthAllocator* allocator);
/// One or two of them in a scene that is not committed; the first has that name (null: its own), the other one is
/// "right". Null, after a message, when that fails.
BerthScene* test_arm_scene(const char* first, int robots, bool free_base);
/// 1 to 8 links in any tree, joints of every kind, 0 to 2 solids a link; pairs listed (some disabled) or by the default
/// rule when `default_rule`.
BerthRobot* test_random_robot(Random* random, bool default_rule);
/// A sphere as a solid; null when memory ran out.
BerthSolid* test_ball(double radius, const BerthAllocator* allocator);

#endif
