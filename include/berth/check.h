// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Check: one configuration. Is it free? how near is everything? what touches what?

#ifndef BERTH_CHECK_H
#define BERTH_CHECK_H

#include <berth/lanes.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All scratch memory of queries on one committed scene: one a thread. A query allocates and locks nothing.
typedef struct BerthChecker BerthChecker;

/// Choices for comparisons: berth/lab/check.h.
typedef struct BerthCheckerLab BerthCheckerLab;

/// Always start from berth_default_checker_def(): a margin of zero must be a decision, never an omission.
typedef struct BerthCheckerDef {
    double margin;             ///< required clearance, metres, >= 0
    double self_margin;        ///< of two links of one robot, metres; < 0 (the default): as `margin`
    int32_t node_budget;       ///< most tree nodes one pair of one query may open, > 0; default 10,000,000
    BerthAllocator allocator;  ///< used at creation and destruction only; all zero: the C library's heap
    /// The scene laid out for wide registers, for the same margins, borrowed until the checker is destroyed; null (the default):
    /// none. States of which only the verdict is wanted are then asked there first. Verdicts are the same
    const BerthLanes* lanes;
    const BerthCheckerLab* lab;  ///< null: the fastest. Read at creation only
    uint32_t stamp;              ///< set by the default function; ties the def to this library version
} BerthCheckerDef;

/// The def to start from: margin 0.
BERTH_API BerthCheckerDef berth_default_checker_def(void);
/// The scene is borrowed until the checker is destroyed, and must be committed. A later edit or commit makes the
/// checker stale: queries then return BERTH_ERR_STALE and answer UNKNOWN.
BERTH_API BerthStatus berth_checker_create(const BerthScene* scene, const BerthCheckerDef* def,
                                           BerthChecker** out);
/// Frees a checker; null is fine. The scene stays.
BERTH_API void berth_checker_destroy(BerthChecker* checker);

/// What is wanted beside the verdict. All zero: nothing.
typedef struct BerthCheckRequest {
    bool distance;     ///< clearance wanted, not only the verdict
    bool all;          ///< every hit, and with `distance` every pair's gap
    double tolerance;  ///< relative tolerance of the clearance, 0 to 1000; 0 is exact
    /// With `distance`, metres: a clearance at or below this may be told as anything down to the margin. 0: it is told as
    /// it is. Saves most of the work where something is near. Not with `all`
    double near_enough;
    /// With `distance`, metres: one above this may be told as being above it, without a pair. 0: no such limit. Not with
    /// `all`
    double far_enough;
} BerthCheckRequest;

/// Two bodies that touch.
typedef struct BerthHit {
    int32_t body_a;   ///< the body with the smaller number, as berth_scene_body counts them
    int32_t body_b;   ///< the other body
    BerthVec3 point;  ///< of both padded bodies, in the world
    /// `depth` is defined: two convex shapes, a mesh and a half-space, or bodies of which only the padding overlaps
    bool has_depth;
    double depth;      ///< metres >= 0 by which the padded bodies overlap; 0 where it is not defined
    bool has_normal;   ///< `normal` is defined
    BerthVec3 normal;  ///< unit, from A to B
} BerthHit;

/// The gap of two bodies.
typedef struct BerthPairGap {
    int32_t body_a;     ///< the body with the smaller number
    int32_t body_b;     ///< the other body
    double lower;       ///< the gap of the padded bodies is at least this
    double upper;       ///< and at most this, by the witness points
    BerthVec3 point_a;  ///< witness of upper on A, in the world
    BerthVec3 point_b;  ///< witness of upper on B, in the world
} BerthPairGap;

/// The answer about one state.
typedef struct BerthCheckResult {
    BerthVerdict verdict;    ///< about all pairs that are not allowed to touch
    BerthReason reason;      ///< why it is UNKNOWN
    int32_t unknown_a;       ///< UNKNOWN: a body it is about, or -1
    int32_t unknown_b;       ///< UNKNOWN: the other body, or -1
    bool has_clearance;      ///< distance was asked, no collision, and there is a pair
    BerthPairGap clearance;  ///< smallest gap over all pairs; above `far_enough`: bodies -1, upper infinite
    const BerthHit* hits;    ///< valid until the next query of this checker
    int32_t hit_count;       ///< of `hits`: 0 or 1, or with `all` every pair in collision
    const BerthPairGap* pairs;  ///< with distance and all: every pair, nearest first
    int32_t pair_count;         ///< of `pairs`
    int32_t proven_count;       ///< pairs that their robot's table proves further apart than the margin, here
    BerthCounters counters;     ///< what the query did
} BerthCheckResult;

/// One state: berth_scene_value_count values. No pointer may be null. Values that berth_scene_check_values refuses, and
/// a tolerance or range out of range, are BERTH_ERR_ARGUMENT, without a text, and the answer is UNKNOWN.
BERTH_API BerthStatus berth_check_state(BerthChecker* checker, const double* values,
                                        const BerthCheckRequest* request, BerthCheckResult* out);

/// The same about one robot of the scene alone: pairs of its links and of what is attached to them.
BERTH_API BerthStatus berth_check_self(BerthChecker* checker, int32_t robot, const double* values,
                                       const BerthCheckRequest* request, BerthCheckResult* out);

/// What comes with the derivative of a gap.
typedef struct BerthGapGradient {
    BerthPairGap gap;  ///< of the two bodies, in the order that was asked
    bool defined;      ///< there is a derivative: the bodies without padding are apart
} BerthGapGradient;

/// The gap of one pair of bodies and its derivative with respect to every value: d(gap)/d(value), through the witness
/// points, in `gradient` (berth_scene_value_count numbers; all 0 where it is not defined). Where the nearest points are
/// not unique it is the derivative of the one that was found. The two need not be a pair that is checked.
/// BERTH_ERR_STALE and BERTH_ERR_ARGUMENT as for a state.
BERTH_API BerthStatus berth_check_gradient(BerthChecker* checker, const double* values, int32_t body_a,
                                           int32_t body_b, double* gradient, BerthGapGradient* out);

/// What a checker did and holds, for sizing.
typedef struct BerthCheckerStats {
    int64_t queries;           ///< asked since the checker was made
    int64_t nodes_opened;      ///< tree nodes, of all queries
    int32_t stack_high_water;  ///< most entries that a search had waiting
    size_t bytes;              ///< held by the checker
} BerthCheckerStats;
/// The numbers as they are now.
BERTH_API BerthCheckerStats berth_checker_stats(const BerthChecker* checker);

#ifdef __cplusplus
}
#endif
#endif
