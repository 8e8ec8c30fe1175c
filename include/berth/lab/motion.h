// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, motion: what paper 001's tables compare. Verdicts are the same for all.

#ifndef BERTH_LAB_MOTION_H
#define BERTH_LAB_MOTION_H

#include <berth/lab/tree.h>
#include <berth/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What ADAPTIVE asks about two bodies at a configuration: the columns of paper 001's Table I. For comparison. A
/// COLLISION is always confirmed by the static check.
typedef enum BerthDistanceWork {
    BERTH_DISTANCE_DEFAULT = 0,  ///< as much as the proof needs, on the engine's trees
    BERTH_DISTANCE_GREEDY,       ///< GREEDY-DIST: a lower bound at about the cost of a collision test
    BERTH_DISTANCE_EXACT,        ///< the true distance
    BERTH_DISTANCE_APPROXIMATE,  ///< within a relative error, `distance_error`
    /// Touch or not: no distance, so for FIXED only. At each sample all pairs that balls do not part on the whole segment, from
    /// the roots of their RSS trees: the paper's FIXED-RES-BISECTION. What is wholly inside of something is seen at the ends.
    BERTH_DISTANCE_COLLISION,
    BERTH_DISTANCE_COUNT  ///< how many there are
} BerthDistanceWork;

/// Where ADAPTIVE puts the next configuration when two ends do not cover what is between them (paper 001, Figure 3).
typedef enum BerthCover {
    BERTH_COVER_BISECT = 0,  ///< b: halfway, so that all pairs share configurations
    BERTH_COVER_FRONTS,      ///< c: where the two ends' own cover stops
    BERTH_COVER_MIDDLE,      ///< d: in the middle of what is not covered
    BERTH_COVER_COUNT        ///< how many there are
} BerthCover;

/// How far a body's points are taken to be from an axis that turns them (paper 001, IV-C). All are true; they differ in size.
typedef enum BerthMotionBound {
    BERTH_BOUND_INTERVAL = 0,  ///< on the interval at hand, each joint by the side that is nearer its axis
    /// The paper's own R: every joint may turn all the way and slide within its limits; the body's own side. Where a slide has no
    /// limits, or leaves them, INTERVAL.
    BERTH_BOUND_GLOBAL,
    BERTH_BOUND_COUNT  ///< how many there are
} BerthMotionBound;

/// Which sub-segment comes next: of a segment's queue, and of a collection of segments.
typedef enum BerthPathOrder {
    BERTH_ORDER_LIKELIHOOD = 0,  ///< the one most likely to collide: least covered for what it moves
    BERTH_ORDER_LENGTH,          ///< the longest, as the planners that paper 001 compares with do
    BERTH_ORDER_GIVEN,           ///< one segment after the other; within a segment as LIKELIHOOD
    BERTH_ORDER_COUNT            ///< how many there are
} BerthPathOrder;

/// For BerthMotionCheckerDef.lab. Start from berth_default_motion_lab().
struct BerthMotionLab {
    BerthEngine engine;          ///< which trees to go down, where bodies themselves are asked
    BerthDistanceWork distance;  ///< of ADAPTIVE
    double distance_error;       ///< of APPROXIMATE: at least (1 - this) of the gap; > 0, < 1. Default 0.5
    BerthCover cover;            ///< of ADAPTIVE
    BerthMotionBound bound;      ///< of all methods that prove
    BerthPathOrder order;        ///< of ADAPTIVE and REFINED
};
/// What a null pointer means: boxes, as much distance as the proof needs, halves, bounds of the interval, most likely first.
BERTH_API BerthMotionLab berth_default_motion_lab(void);

#ifdef __cplusplus
}
#endif
#endif
