// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Motion: segments and paths. Is every configuration on this motion free - proven, not sampled? When is the
// first contact?

#ifndef BERTH_MOTION_H
#define BERTH_MOTION_H

#include <berth/certificate.h>
#include <berth/check.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All scratch memory of motion queries on one committed scene: one per thread. A query allocates nothing.
typedef struct BerthMotionChecker BerthMotionChecker;

/// How a segment is checked. All but FIXED prove what they call free, and they agree outside the delta band.
typedef enum BerthMethod {
    BERTH_METHOD_DEFAULT = 0,  ///< the fastest method that proves
    /// Planes between hulls that move with known velocity and bounded acceleration
    BERTH_METHOD_SECOND_ORDER,
    /// Bisection, with distances at both ends and first-order motion bounds (paper 001)
    BERTH_METHOD_ADAPTIVE,
    BERTH_METHOD_REFINED,  ///< pairs of bounding volumes, each with a motion bound of its own (paper 001, VI)
    BERTH_METHOD_FIXED,    ///< samples at a fixed resolution: proves nothing; the usual baseline
    BERTH_METHOD_COUNT     ///< how many there are
} BerthMethod;
/// "default", "second-order", "adaptive", "refined", "fixed"; otherwise "unknown".
BERTH_API const char* berth_method_name(BerthMethod method);

/// Settings for comparisons: berth/lab/motion.h.
typedef struct BerthMotionLab BerthMotionLab;

/// Start from berth_default_motion_checker_def().
typedef struct BerthMotionCheckerDef {
    double margin;       ///< required clearance, metres, >= 0
    double self_margin;  ///< between two links of one robot, metres; < 0 (the default): same as `margin`
    /// Metres, >= 0: a segment with a gap from margin to margin + delta may be answered UNKNOWN
    double delta;
    BerthMethod method;  ///< how segments are checked
    /// What objects that may move on their own do: STAND (the default), or REACH, which requires timed
    /// segments
    BerthMoving moving;
    double resolution;        ///< of FIXED: largest step of any value between samples, > 0; default 0.01
    int64_t interval_budget;  ///< most time intervals that one segment may open, > 0; default 10,000,000
    int32_t node_budget;      ///< as in BerthCheckerDef
    /// How far each value may deviate from the commanded one (value_count), or null; copied
    const double* tracking_error;
    bool (*cancelled)(void* user);  ///< polled once per interval; true ends the query, UNKNOWN. May be null
    void* cancelled_user;           ///< passed to `cancelled`
    BerthAllocator allocator;       ///< all zero: the C library's heap
    /// The scene laid out for wide registers, with the same margins, borrowed until the checker is destroyed;
    /// null (the default): none. Tried first for straight segments of which only the verdict is wanted, with
    /// the default method, without tracking error, and among objects that stand. The verdicts are the same
    /// outside the delta band
    const BerthLanes* lanes;
    const BerthMotionLab* lab;  ///< null: the default. Read at creation only
    uint32_t stamp;             ///< set by the default function; ties the def to this library version
} BerthMotionCheckerDef;
/// The def to start from: margin 0 for all pairs, delta 0.1 mm, the default method.
BERTH_API BerthMotionCheckerDef berth_default_motion_checker_def(void);
/// Makes a checker of motions. The scene must be committed and is borrowed until the checker is destroyed. A
/// later edit or commit makes it stale: queries then return BERTH_ERR_STALE and answer UNKNOWN.
BERTH_API BerthStatus berth_motion_checker_create(const BerthScene* scene, const BerthMotionCheckerDef* def,
                                                  BerthMotionChecker** out);
/// Frees a checker; null is fine. The scene stays.
BERTH_API void berth_motion_checker_destroy(BerthMotionChecker* motion);

/// Any other motion: a function that gives the values, and bounds of how fast each of them changes. The
/// bounds are taken without proof; a value that is further from the segment's ends than its speed allows
/// gives UNKNOWN.
typedef struct BerthMotionFunction {
    void (*values)(void* user, double t, double* values);  ///< writes value_count values at t in [0, 1]
    void* user;                                            ///< passed to `values`
    const double* speeds;  ///< value_count bounds: |value'(t)| is nowhere larger on [0, 1]; finite, >= 0
} BerthMotionFunction;

/// What is wanted besides the verdict. All zero: nothing.
typedef struct BerthMotionRequest {
    /// Null: the motion is the segment. Otherwise `from` and `to` of the segment are only the values at its
    /// two ends. Proofs are then of first order, and there is no certificate; robots with floating joints are
    /// refused
    const BerthMotionFunction* function;
    bool first_contact;  ///< bracket the earliest contact, instead of stopping at the first that is found
    /// FREE: bound the smallest gap from both sides, from above by measurement and from below by proof. Costs
    /// a few times as much as the verdict
    bool sharp_clearance;
    BerthCertificate* certificate;  ///< records what is proven as its next segment; null: no record
} BerthMotionRequest;

/// The work of a query.
typedef struct BerthMotionStats {
    int64_t configurations;  ///< configurations placed
    int64_t intervals;       ///< time intervals opened
    int64_t pair_tests;      ///< pairs of bodies tested
    BerthCounters counters;  ///< of the trees
} BerthMotionStats;
/// Adds the work of another query to a sum.
BERTH_API void berth_motion_stats_add(BerthMotionStats* sum, const BerthMotionStats* more);

/// Bounds of the smallest gap on a motion that is free, less the tracking error.
typedef struct BerthClearance {
    double lower;       ///< proven: every gap is larger on the whole motion; +infinity without pairs
    double upper;       ///< measured: some gap is no larger; +infinity when none was measured
    int32_t body_a;     ///< a body of the pair that was measured, or -1
    int32_t body_b;     ///< and the other body, or -1
    int32_t segment;    ///< for a path: the segment where it was measured, from 0
    double t;           ///< and the time on that segment, from 0 to 1
    BerthVec3 point_a;  ///< nearest point of A there, in the world, without padding
    BerthVec3 point_b;  ///< nearest point of B there, in the world, without padding
    bool spent;         ///< the budget ended the search: `lower` may be far below the true value
} BerthClearance;
/// Combines two clearances into that of both motions, in `least`. A zeroed BerthClearance is not neutral:
/// start from a copy of one of them.
BERTH_API void berth_clearance_lower(BerthClearance* least, const BerthClearance* more);

/// The answer about one segment.
typedef struct BerthMotionResult {
    BerthVerdict verdict;  ///< about the whole segment
    BerthReason reason;    ///< why it is UNKNOWN
    bool sampled_free;     ///< FIXED found no collision: the verdict is UNKNOWN
    double clearance;      ///< FREE: every gap exceeds this on the whole segment
    /// FREE: between two links of one robot. `upper` only with sharp_clearance, and not with FIXED
    BerthClearance self;
    BerthClearance environment;  ///< FREE: of all other pairs
    double t;                    ///< COLLISION: time of the witness
    /// UNKNOWN: start of the interval that could not be decided; with first_contact: of the bracket of the
    /// earliest contact
    double t_low;
    double t_high;           ///< end of that interval
    int32_t body_a;          ///< COLLISION and UNKNOWN: a body of the pair; otherwise -1
    int32_t body_b;          ///< COLLISION and UNKNOWN: the other body; otherwise -1
    BerthVec3 point;         ///< COLLISION: witness, in the world
    int32_t outside_limits;  ///< values that leave their joint limits on the segment
    /// Pairs that were skipped: their robot's table proves them apart on the whole segment
    int32_t proven_count;
    BerthMotionStats stats;  ///< the work of the query
} BerthMotionResult;

/// Checks one segment. No pointer may be null. A segment with another number of values, with invalid values,
/// or without times where the checker's `moving` is REACH, is BERTH_ERR_ARGUMENT, without a text, and the
/// answer is UNKNOWN.
BERTH_API BerthStatus berth_motion_check_segment(BerthMotionChecker* motion, const BerthSegment* segment,
                                                 const BerthMotionRequest* request, BerthMotionResult* out);
/// The answer about a whole path.
typedef struct BerthPathResult {
    BerthVerdict verdict;  ///< about the whole path
    BerthReason reason;    ///< why it is UNKNOWN
    /// FREE: every gap exceeds this on the whole path; +infinity without pairs. Otherwise 0
    double clearance;
    BerthClearance self;         ///< FREE: between two links of one robot
    BerthClearance environment;  ///< FREE: of all other pairs
    int32_t segment;             ///< COLLISION and UNKNOWN: the segment, from 0; otherwise -1
    double t;                    ///< and the time on that segment, from 0 to 1
    int32_t body_a;              ///< and a body of the pair; otherwise -1
    int32_t body_b;              ///< and the other body; otherwise -1
    BerthVec3 point;             ///< COLLISION: a point of both, in the world
    int32_t outside_limits;      ///< values that leave their joint limits on the way, over all segments
    BerthMotionStats stats;      ///< the work of the call
} BerthPathResult;
/// Checks a path of straight segments in one call: `row_count` states of `value_count` values each, one after
/// the other in `rows`. A state has the values of all joints, grippers included: value_count must be
/// berth_scene_value_count, and berth_scene_find_value gives the index of a joint by name. FREE means that
/// every configuration in between is proven to keep more than `margin` metres (>= 0); objects that may move
/// are taken to stand where the scene has them. Stops at the first collision. Makes a checker and destroys it
/// again: keep a BerthMotionChecker for frequent queries. For a certificate, too, make a checker and check
/// segment by segment, with the same `certificate` in every request (examples/keep_proof.c).
BERTH_API BerthStatus berth_motion_check_path(const BerthScene* scene, const double* rows, int32_t row_count,
                                              int32_t value_count, double margin, BerthPathResult* out);

/// An empty certificate for the scene, margin and tracking error of this checker. The checker's queries, one
/// at a time, append their segments to it; recording takes memory, and a query fails when there is none. Not
/// for FIXED, which proves nothing, nor for ADAPTIVE with a cover other than BISECT. REFINED records the
/// proof of SECOND_ORDER: its own volumes are not listed.
BERTH_API BerthStatus berth_certificate_create(const BerthMotionChecker* motion,
                                               const BerthAllocator* allocator, BerthCertificate** out);
/// The demands of a verification that match what a checker with this def proves: its margin, tracking error
/// (borrowed), treatment of moving objects, and allocator.
BERTH_API BerthVerifyDef berth_motion_verify_def(const BerthMotionCheckerDef* def);

#ifdef __cplusplus
}
#endif
#endif
