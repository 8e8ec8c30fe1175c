// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Small robots and scenes in a few lines, for examples whose answers are known by hand. Failures fail the running test.

#ifndef TEST_SUPPORT_KIT_H
#define TEST_SUPPORT_KIT_H

#include <berth/motion.h>

#include "math/math.h"

typedef struct Kit {
    BerthRobotBuilder* builder;
    BerthScene* scene;
    int links, joints, objects;
    char last_joint[16];
    double padding;
    bool limited;  ///< the next joint is, by these
    double lower, upper;
} Kit;

Kit kit_new(void);
/// The root is link 0. `axis` is z by default where all are 0.
int kit_link(Kit* kit, int parent, BerthJointType type, BerthVec3 axis, BerthVec3 offset);
/// Limits of the next joint.
void kit_limit(Kit* kit, double lower, double upper);
/// Follows joint `leader` (counted from 0, in the order of kit_link).
int kit_mimic(Kit* kit, int parent, BerthJointType type, BerthVec3 axis, BerthVec3 offset, int leader,
              double multiplier, double shift);
void kit_solid(Kit* kit, int link, BerthShape shape, BerthVec3 at);
/// Ends the robot: all pairs of links are checked but those listed here as a, b, a, b, ..., -1 (null: none).
void kit_robot(Kit* kit, const int* skipped);
/// Adds an object; `attach` may be null.
BerthObjectId kit_object(Kit* kit, BerthShape shape, BerthPose pose, const char* attach);
void kit_commit(Kit* kit);
void kit_free(Kit* kit);

BerthShape kit_ball(double radius);
BerthShape kit_box(double x, double y, double z);
BerthShape kit_cylinder(double radius, double length);
BerthShape kit_plane(BerthVec3 normal, double offset);
BerthPose kit_at(double x, double y, double z);

/// One segment with a def; straight when `curves` is null.
BerthMotionResult kit_ask(const Kit* kit, const BerthMotionCheckerDef* def, const double* from,
                          const double* to, const BerthCurve* curves, bool first_contact);

#endif
