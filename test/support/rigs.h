// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random robots of balls among plain obstacles, of any size and anywhere, with kinematics and distances in double by formulas that
// are a few lines each and share nothing with the product: cheap enough for a hundred thousand questions.

#ifndef TEST_SUPPORT_RIGS_H
#define TEST_SUPPORT_RIGS_H

#include <berth/scene.h>

#include "math/math.h"
#include "support/courses.h"

enum { RIG_LINKS = 20, RIG_BALLS = 60, RIG_BLOCKS = 120, RIG_VALUES = 40 };

/// A link and the joint that carries it; of a root its pose is the base.
typedef struct RigLink {
    int robot, parent;  ///< parent -1: a root
    BerthJointType type;
    double m[12];  ///< parent_from_joint: columns x, y, z, t
    double axis[3];
    int value;  ///< its first, or that of the joint it follows
    int leader;
    double multiplier, offset;
    bool limited;
    double lower, upper;
} RigLink;

typedef struct RigBall {
    int link;
    double at[3], radius;
} RigBall;

typedef struct RigBlock {
    BerthShape shape;
    double m[12];    ///< world_from_block
    double padding;  ///< its own radius
} RigBlock;

typedef struct Rig {
    uint64_t seed;
    double size;  ///< of the robots, metres
    int link_count, ball_count, block_count, value_count, robot_count;
    RigLink links[RIG_LINKS];
    RigBall balls[RIG_BALLS];
    RigBlock blocks[RIG_BLOCKS];
    bool skip[RIG_LINKS][RIG_LINKS];
    double padding[2];  ///< by robot
    double margin, self_margin;
    BerthScene* scene;
    double at[RIG_BALLS][3];  ///< balls of the state that was asked last
} Rig;

/// Committed. Fails the running test when the library refuses anything.
Rig* rig_make(uint64_t seed);
void rig_destroy(Rig* rig);
/// A state: mostly within limits, sometimes whole turns away or beyond them.
void rig_values(const Rig* rig, Random* random, bool wild, double* values);
/// The smallest gap of pairs that move against each other, paddings and margins taken off: a CourseGap. Obstacles have no
/// depth: what is inside of one counts as on its surface.
double rig_gap(void* rig, const double* values);
/// Is every value within the limits that its joint has?
bool rig_is_within(const Rig* rig, const double* values);
/// No gap changes faster on the segment.
double rig_speed(const Rig* rig, const double* from, const double* to);

#endif
