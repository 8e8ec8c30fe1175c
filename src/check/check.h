// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The inside of a checker: everything a query writes, sized at creation.

#ifndef BI_CHECK_H
#define BI_CHECK_H

#include <berth/check.h>

#include "base/base.h"
#include "math/math.h"
#include "robot/robot.h"
#include "scene/scene.h"
#include "tree/solid.h"

/// A body in the current state: a ball around it, and how large the numbers are that its poses came from.
typedef struct CheckBody {
    Vec3 local_centre;  ///< in its frame
    Vec3 centre;        ///< in the world
    double radius;      ///< +infinity for bodies with a half-space
    double size;        ///< scene radius M of its points, kinematics included: slack is BI_DISTANCE_SLACK * M
    double still_size;  ///< the part of `size` that no value changes
} CheckBody;

/// What a robot's values add to the numbers its poses come from.
typedef struct CheckMoved {
    double size;  ///< metres of sliding, planar and floating joints
    double
        turns;  ///< radians of joints that follow others: m * q + o is rounded, and a lever makes metres of that
} CheckMoved;

/// A pair that may be near, with a lower bound of its padded gap from the two balls.
typedef struct CheckCandidate {
    double bound;
    int32_t pair;
} CheckCandidate;

/// Gap of two bodies that never move against each other, found at creation. Points are in their frame.
typedef struct CheckConstant {
    int32_t pair;
    BerthTreeAnswer answer;
} CheckConstant;

struct BerthChecker {
    BerthAllocator allocator;
    const BerthScene* scene;
    uint64_t generation;
    double margin;
    BerthTreeQuery* query;

    double* values;  ///< that world_from_frame was made for
    bool has_values;
    Pose* world_from_frame;
    Pose* world_from_part;
    CheckMoved* moved;  ///< one a robot
    CheckBody* bodies;
    CheckCandidate* candidates;
    CheckConstant* constants;
    int32_t constant_count;
    BerthHit* hits;
    BerthPairGap* pairs;
    BerthVec3* columns;  ///< two Jacobian rows of value_count

    int32_t body_count, part_count, pair_count, value_count, frame_count, robot_count;
    BerthCheckerStats stats;
};

/// Poses and balls of every body for these values. False when a value is not finite or an angle too large.
bool bi_check_place(BerthChecker* checker, const double* values);
/// What is wanted of one pair.
typedef struct PairRequest {
    double max_d;      ///< of the padded gap: farther need not be told apart
    double tolerance;  ///< relative
    bool distance;     ///< the gap, not only the verdict
    bool true_gap;     ///< also below the margin, where one witness would do for the verdict
    double enough;  ///< a witness at or below this padded gap ends the search; the margin when it is larger
} PairRequest;
/// The gap of two bodies over all their parts, padding taken off; the verdict is about the checker's margin.
void bi_check_pair(BerthChecker* checker, const ScenePair* pair, const PairRequest* wanted,
                   BerthTreeAnswer* out);

#endif
