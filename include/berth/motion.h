// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Motion: segments and paths. Is every configuration on this motion free - proven, not sampled? When is first contact?

#ifndef BERTH_MOTION_H
#define BERTH_MOTION_H

#include <berth/certificate.h>
#include <berth/check.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All scratch memory of motion queries on one committed scene: one a thread. A query allocates nothing.
typedef struct BerthMotionChecker BerthMotionChecker;

/// How a segment is checked. All but FIXED prove what they call free, and agree outside the delta band.
typedef enum BerthMethod {
    BERTH_METHOD_DEFAULT = 0,   ///< the fastest that proves
    BERTH_METHOD_SECOND_ORDER,  ///< planes between hulls that move by velocity and bounded acceleration
    BERTH_METHOD_ADAPTIVE,  ///< bisection by distances at both ends and first-order motion bounds (paper 001)
    BERTH_METHOD_REFINED,   ///< pairs of bounding volumes with motion bounds of their own (paper 001, VI)
    BERTH_METHOD_FIXED,     ///< samples at a resolution: proves nothing, the baseline people use
    BERTH_METHOD_COUNT      ///< how many there are
} BerthMethod;
/// "default", "second-order", "adaptive", "refined", "fixed"; else "unknown".
BERTH_API const char* berth_method_name(BerthMethod method);

/// Choices for comparisons: berth/lab/motion.h.
typedef struct BerthMotionLab BerthMotionLab;

/// Start from berth_default_motion_checker_def().
typedef struct BerthMotionCheckerDef {
    double margin;       ///< required clearance, metres, >= 0
    double self_margin;  ///< of two links of one robot, metres; < 0 (the default): as `margin`
    double delta;        ///< gaps of at most margin + delta need not be told from collisions; metres, >= 0
    BerthMethod method;  ///< how segments are checked
    /// Objects that may move on their own: STAND, the default, or REACH, which asks for timed segments
    BerthMoving moving;
    double resolution;        ///< of FIXED: largest step of any value between samples, > 0; default 0.01
    int64_t interval_budget;  ///< most intervals of time one segment may open, > 0; default 10,000,000
    int32_t node_budget;      ///< as in BerthCheckerDef
    /// How far each value may be off the commanded one (value_count), or null; copied
    const double* tracking_error;
    bool (*cancelled)(void* user);  ///< looked at once an interval: true ends the query, UNKNOWN; may be null
    void* cancelled_user;           ///< passed to `cancelled`
    BerthAllocator allocator;       ///< all zero: the C library's heap
    /// The scene laid out for wide registers, for the same margins, borrowed until the checker is destroyed; null (the default):
    /// none. Straight segments of the default method of which only the verdict is wanted are then asked there first, without
    /// tracking error and among objects that stand. Verdicts are the same outside of the delta band
    const BerthLanes* lanes;
    const BerthMotionLab* lab;  ///< null: the default. Read at creation only
    uint32_t stamp;             ///< set by the default function; ties the def to this library version
} BerthMotionCheckerDef;
/// The def to start from: margin 0 for all pairs, delta 0.1 mm, the default method.
BERTH_API BerthMotionCheckerDef berth_default_motion_checker_def(void);
/// Makes a checker of motions. The scene is borrowed until it is destroyed, and must be committed. A later edit or
/// commit makes the checker stale: queries then return BERTH_ERR_STALE and answer UNKNOWN.
BERTH_API BerthStatus berth_motion_checker_create(const BerthScene* scene, const BerthMotionCheckerDef* def,
                                                  BerthMotionChecker** out);
/// Frees it; null is fine. The scene stays.
BERTH_API void berth_motion_checker_destroy(BerthMotionChecker* motion);

/// Any other motion: values by a function, and how fast each can change. What it says of speeds is taken without proof;
/// a value that is further from the segment's ends than its speed allows gives UNKNOWN.
typedef struct BerthMotionFunction {
    void (*values)(void* user, double t, double* values);  ///< writes value_count values at t in [0, 1]
    void* user;                                            ///< passed to `values`
    const double* speeds;  ///< value_count: |value'(t)| is nowhere larger on [0, 1]; finite, >= 0
} BerthMotionFunction;

/// What is wanted beside the verdict. All zero: nothing.
typedef struct BerthMotionRequest {
    /// Null: as the segment says. Else its `from` and `to` are only the values at 0 and 1. Proofs are then to first
    /// order, and there is no certificate; robots with floating joints are refused.
    const BerthMotionFunction* function;
    bool first_contact;  ///< bracket the earliest contact, do not stop at the first found
    /// FREE: look for the smallest gap, from above by measuring and from below by proof. Costs a few times the verdict
    bool sharp_clearance;
    BerthCertificate* certificate;  ///< what is proven is recorded here as its next segment; null: it is not
} BerthMotionRequest;

/// What a query did.
typedef struct BerthMotionStats {
    int64_t configurations;  ///< placed
    int64_t intervals;       ///< of time, opened
    int64_t pair_tests;      ///< pairs of bodies looked at
    BerthCounters counters;  ///< of the trees
} BerthMotionStats;
/// Adds what another query did.
BERTH_API void berth_motion_stats_add(BerthMotionStats* sum, const BerthMotionStats* more);

/// How near bodies come on a motion that is free, tracking error taken off: bounds of the smallest gap.
typedef struct BerthClearance {
    double lower;       ///< proven: every gap is larger on the whole motion; +infinity without pairs
    double upper;       ///< measured: some gap is no larger; +infinity where none was measured
    int32_t body_a;     ///< whose gap was measured, or -1
    int32_t body_b;     ///< and the other body, or -1
    int32_t segment;    ///< of a path, counted from 0: where it was measured
    double t;           ///< and when on that segment, from 0 to 1
    BerthVec3 point_a;  ///< nearest point of A there, in the world; padding lies around it
    BerthVec3 point_b;  ///< and of B
    bool spent;         ///< the search ended for its budget: `lower` may be far below what is there
} BerthClearance;
/// Bounds of both together. All zero is not a start: begin with one of them.
BERTH_API void berth_clearance_lower(BerthClearance* least, const BerthClearance* more);

/// The answer about one segment.
typedef struct BerthMotionResult {
    BerthVerdict verdict;  ///< about all of the segment
    BerthReason reason;    ///< why it is UNKNOWN
    bool sampled_free;     ///< FIXED found no collision: the verdict is UNKNOWN
    double clearance;      ///< FREE: every gap is larger than this on the whole segment
    /// FREE: of two links of one robot. `upper` only with sharp_clearance, and not of FIXED
    BerthClearance self;
    BerthClearance environment;  ///< FREE: of all other pairs
    double t;                    ///< COLLISION: where the witness is
    /// UNKNOWN: where it could not be decided; first_contact: bracket of the earliest touch; its start
    double t_low;
    double t_high;           ///< and its end
    int32_t body_a;          ///< COLLISION and UNKNOWN: a body it is about; else -1
    int32_t body_b;          ///< COLLISION and UNKNOWN: the other body; else -1
    BerthVec3 point;         ///< COLLISION: witness, in the world
    int32_t outside_limits;  ///< values that leave their joint limits on the way
    int32_t proven_count;    ///< pairs that were skipped: their robot's table proves them apart on all of it
    BerthMotionStats stats;  ///< what the query did
} BerthMotionResult;

/// One segment. No pointer may be null. A segment of another number of values, or with values that are no state, or without
/// times where the checker's `moving` is REACH, is BERTH_ERR_ARGUMENT, without a text, and the answer is UNKNOWN.
BERTH_API BerthStatus berth_motion_check_segment(BerthMotionChecker* motion, const BerthSegment* segment,
                                                 const BerthMotionRequest* request, BerthMotionResult* out);
/// The answer about a whole path.
typedef struct BerthPathResult {
    BerthVerdict verdict;  ///< about all of the path
    BerthReason reason;    ///< why it is UNKNOWN
    /// FREE: every gap is larger than this on the whole path; +infinity without pairs. Else 0
    double clearance;
    BerthClearance self;         ///< FREE: of two links of one robot, from both sides
    BerthClearance environment;  ///< FREE: of all other pairs
    int32_t segment;             ///< COLLISION and UNKNOWN: between which rows, counted from 0; else -1
    double t;                    ///< and when on that segment, from 0 to 1
    int32_t body_a;              ///< and which body; else -1
    int32_t body_b;              ///< and which other body; else -1
    BerthVec3 point;             ///< COLLISION: a point of both, in the world
    int32_t outside_limits;      ///< values that leave their joint limits on the way, of all segments
    BerthMotionStats stats;      ///< what all of it took
} BerthPathResult;
/// A path of straight lines in one call: `row_count` states of `value_count` values each, one after the other in `rows`.
/// A state has the values of all joints, grippers included: value_count must be berth_scene_value_count, and
/// berth_scene_find_value places a joint by name. FREE means proven for every configuration in between, with more than
/// `margin` metres (>= 0) to spare; objects that may move stand where the scene has them. Ends at the first collision. Takes the scene's memory for a checker and gives it back: who
/// asks often keeps one. For a certificate make a checker and ask segment by segment, all with the same `certificate` in the
/// request (examples/keep_proof.c).
BERTH_API BerthStatus berth_motion_check_path(const BerthScene* scene, const double* rows, int32_t row_count,
                                              int32_t value_count, double margin, BerthPathResult* out);

/// An empty certificate about this motion's scene, margin and tracking error. Queries of this motion, one at a time,
/// record their segments in order; recording takes memory, and running out of it fails the query. Not for FIXED, which
/// proves nothing, nor for ADAPTIVE with a cover other than BISECT. REFINED records what SECOND_ORDER proves: its own
/// volumes are not listed.
BERTH_API BerthStatus berth_certificate_create(const BerthMotionChecker* motion,
                                               const BerthAllocator* allocator, BerthCertificate** out);
/// What a verification asks for, to be told that motions are free as a checker with this def would tell it: its margin,
/// tracking error (borrowed), what moving objects do, and allocator.
BERTH_API BerthVerifyDef berth_motion_verify_def(const BerthMotionCheckerDef* def);

#ifdef __cplusplus
}
#endif
#endif
