// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Check: one configuration. Is it free? How near is everything? What touches what?

#ifndef BERTH_CHECK_H
#define BERTH_CHECK_H

#include <berth/lanes.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All scratch memory of queries on one committed scene: one per thread. A query neither allocates nor locks.
typedef struct BerthChecker BerthChecker;

/// Settings for comparisons: berth/lab/check.h.
typedef struct BerthCheckerLab BerthCheckerLab;

/// Always start from berth_default_checker_def(): a margin of zero must be a decision, never an omission.
typedef struct BerthCheckerDef {
    double margin;        ///< required clearance, metres, >= 0
    double self_margin;   ///< between two links of one robot, metres; < 0 (the default): same as `margin`
    int32_t node_budget;  ///< most tree nodes that one pair of one query may open, > 0; default 10,000,000
    BerthAllocator allocator;  ///< used at creation and destruction only; all zero: the C library's heap
    /// The scene laid out for wide registers, with the same margins, borrowed until the checker is destroyed;
    /// null (the default): none. States of which only the verdict is wanted are tried there first. The
    /// verdicts are the same
    const BerthLanes* lanes;
    const BerthCheckerLab* lab;  ///< null: the fastest. Read at creation only
    uint32_t stamp;              ///< set by the default function; ties the def to this library version
} BerthCheckerDef;

/// The def to start from: margin 0.
BERTH_API BerthCheckerDef berth_default_checker_def(void);
/// The scene must be committed and is borrowed until the checker is destroyed. A later edit or commit makes
/// the checker stale: queries then return BERTH_ERR_STALE and answer UNKNOWN.
BERTH_API BerthStatus berth_checker_create(const BerthScene* scene, const BerthCheckerDef* def,
                                           BerthChecker** out);
/// Frees a checker; null is fine. The scene stays.
BERTH_API void berth_checker_destroy(BerthChecker* checker);

/// What is wanted besides the verdict. All zero: nothing.
typedef struct BerthCheckRequest {
    bool distance;     ///< the clearance, not only the verdict
    bool all;          ///< every hit, and with `distance` every pair's gap
    double tolerance;  ///< relative tolerance of the clearance, 0 to 1000; 0 is exact
    /// With `distance`, metres: once a gap at or below this is found, the clearance is not made more precise;
    /// its lower bound may then be as low as the margin. 0: always precise. Saves most of the work when
    /// something is near. Not with `all`
    double near_enough;
    /// With `distance`, metres, 0 or >= near_enough: a clearance above this is reported only as being above
    /// it, without a pair. 0: no such limit. Not with `all`
    double far_enough;
} BerthCheckRequest;

/// Two bodies that collide.
typedef struct BerthHit {
    int32_t body_a;   ///< the body with the smaller number, as in berth_scene_body
    int32_t body_b;   ///< the other body
    BerthVec3 point;  ///< a point of both padded bodies, in the world
    /// `depth` is defined: for two convex shapes, for a mesh and a half-space, and for bodies of which only
    /// the padding overlaps
    bool has_depth;
    double depth;      ///< metres >= 0 by which the padded bodies overlap; 0 where not defined
    bool has_normal;   ///< `normal` is defined
    BerthVec3 normal;  ///< unit, from A to B
} BerthHit;

/// The gap of two padded bodies.
typedef struct BerthPairGap {
    int32_t body_a;     ///< the body with the smaller number
    int32_t body_b;     ///< the other body
    double lower;       ///< the gap is at least this
    double upper;       ///< the gap is at most this, by the witness points
    BerthVec3 point_a;  ///< witness of `upper` on A, in the world
    BerthVec3 point_b;  ///< witness of `upper` on B, in the world
} BerthPairGap;

/// The answer about one state.
typedef struct BerthCheckResult {
    BerthVerdict verdict;  ///< about all pairs that are not allowed to touch
    BerthReason reason;    ///< why it is UNKNOWN
    int32_t unknown_a;     ///< UNKNOWN: a body that could not be decided, or -1
    int32_t unknown_b;     ///< UNKNOWN: the other body of that pair, or -1
    bool has_clearance;    ///< `distance` was requested, nothing collides, and there is a pair
    /// The smallest gap over all pairs; above `far_enough`: bodies -1, upper infinite
    BerthPairGap clearance;
    const BerthHit* hits;       ///< valid until the next query of this checker
    int32_t hit_count;          ///< of `hits`: 0 or 1; with `all` every pair in collision
    const BerthPairGap* pairs;  ///< with `distance` and `all`: every pair, nearest first
    int32_t pair_count;         ///< of `pairs`
    /// Pairs that are not checked: within these limits their robot's table proves them further apart than the
    /// margin
    int32_t proven_count;
    BerthCounters counters;  ///< the work of the query
} BerthCheckResult;

/// Checks one state of berth_scene_value_count values. No pointer may be null. Values that
/// berth_scene_check_values refuses, and a request out of range, are BERTH_ERR_ARGUMENT, without a text, and
/// the answer is UNKNOWN.
BERTH_API BerthStatus berth_check_state(BerthChecker* checker, const double* values,
                                        const BerthCheckRequest* request, BerthCheckResult* out);

/// The same for one robot of the scene alone: pairs of its links and of what is attached to them.
BERTH_API BerthStatus berth_check_self(BerthChecker* checker, int32_t robot, const double* values,
                                       const BerthCheckRequest* request, BerthCheckResult* out);

/// The gap that belongs to a derivative.
typedef struct BerthGapGradient {
    BerthPairGap gap;  ///< of the two bodies, in the order of the arguments
    bool defined;      ///< the derivative exists: without padding the bodies are apart
} BerthGapGradient;

/// The gap of one pair of bodies and its derivative with respect to every value, d(gap)/d(value), through the
/// witness points. `gradient` receives berth_scene_value_count numbers, all 0 where it is not defined. Where
/// the nearest points are not unique it is the derivative for those that were found. The two need not be a
/// pair that is checked. BERTH_ERR_STALE and BERTH_ERR_ARGUMENT as for a state.
BERTH_API BerthStatus berth_check_gradient(BerthChecker* checker, const double* values, int32_t body_a,
                                           int32_t body_b, double* gradient, BerthGapGradient* out);

/// The work and the memory of a checker, for sizing.
typedef struct BerthCheckerStats {
    int64_t queries;           ///< since the checker was made
    int64_t nodes_opened;      ///< tree nodes, over all queries
    int32_t stack_high_water;  ///< most entries that were ever on the stack of a search
    size_t bytes;              ///< held by the checker
} BerthCheckerStats;
/// The figures as they are now.
BERTH_API BerthCheckerStats berth_checker_stats(const BerthChecker* checker);

#ifdef __cplusplus
}
#endif
#endif
