// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, motion: what the tables of paper 001 compare. The verdicts are the same for all.

#ifndef BERTH_LAB_MOTION_H
#define BERTH_LAB_MOTION_H

#include <berth/lab/tree.h>
#include <berth/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What ADAPTIVE computes for two bodies at a configuration: the columns of paper 001's Table I. A COLLISION
/// is always confirmed by the static check.
typedef enum BerthDistanceWork {
    BERTH_DISTANCE_DEFAULT = 0,  ///< as much as the proof needs, with the engine's trees
    BERTH_DISTANCE_GREEDY,       ///< GREEDY-DIST: a lower bound at about the cost of a collision test
    BERTH_DISTANCE_EXACT,        ///< the true distance
    BERTH_DISTANCE_APPROXIMATE,  ///< within a relative error, `distance_error`
    /// Touching or not, without a distance, so for FIXED only. At each sample all pairs that balls do not
    /// separate on the whole segment, from the roots of their RSS trees: the paper's FIXED-RES-BISECTION. A
    /// body wholly inside another is detected at the ends of the segment
    BERTH_DISTANCE_COLLISION,
    BERTH_DISTANCE_COUNT  ///< how many there are
} BerthDistanceWork;

/// Where ADAPTIVE places the next configuration when two ends do not cover the interval between them (paper
/// 001, Figure 3).
typedef enum BerthCover {
    BERTH_COVER_BISECT = 0,  ///< b: halfway, so that all pairs share configurations
    BERTH_COVER_FRONTS,      ///< c: where the cover of the two ends stops
    BERTH_COVER_MIDDLE,      ///< d: in the middle of the part that is not covered
    BERTH_COVER_COUNT        ///< how many there are
} BerthCover;

/// Which upper bound is used for the distance of a body's points from an axis that turns them (paper 001,
/// IV-C). All are valid; they differ in tightness.
typedef enum BerthMotionBound {
    /// Over the present interval; for each joint by the side that is nearer its axis
    BERTH_BOUND_INTERVAL = 0,
    /// The paper's R: every joint may turn fully and slide within its limits; by the body's own side.
    /// INTERVAL where a sliding joint has no limits or leaves them
    BERTH_BOUND_GLOBAL,
    BERTH_BOUND_COUNT  ///< how many there are
} BerthMotionBound;

/// Which sub-segment is next, in the queue of a segment and in a collection of segments.
typedef enum BerthPathOrder {
    BERTH_ORDER_LIKELIHOOD = 0,  ///< the likeliest to collide: the least covered relative to its motion
    BERTH_ORDER_LENGTH,          ///< the longest, as in the planners that paper 001 compares with
    BERTH_ORDER_GIVEN,           ///< one segment after the other; within a segment as LIKELIHOOD
    BERTH_ORDER_COUNT            ///< how many there are
} BerthPathOrder;

/// For BerthMotionCheckerDef.lab. Start from berth_default_motion_lab().
struct BerthMotionLab {
    BerthEngine engine;          ///< which trees are descended where the bodies themselves are checked
    BerthDistanceWork distance;  ///< of ADAPTIVE
    /// Of APPROXIMATE: the result is at least (1 - this) times the gap; > 0, < 1. Default 0.5
    double distance_error;
    BerthCover cover;        ///< of ADAPTIVE
    BerthMotionBound bound;  ///< of all methods that prove
    BerthPathOrder order;    ///< of ADAPTIVE and REFINED
};
/// The meaning of a null pointer: boxes, as much distance as the proof needs, bisection, bounds over the
/// interval, likeliest first.
BERTH_API BerthMotionLab berth_default_motion_lab(void);

#ifdef __cplusplus
}
#endif
#endif
