// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The inside of a motion query. A segment is cut into dyadic intervals of time; on each, one configuration (the middle)
// is placed, and every pair of bodies is proven apart for the whole interval, or goes on to the two halves.
// docs/motion.md derives the bounds.

#ifndef BI_MOTION_H
#define BI_MOTION_H

#include <berth/motion.h>

#include "check/check.h"
#include "motion/certificate.h"

/// How a frame moves against its parent on an interval: it slides, then it turns about `axis` through its origin. All
/// per unit of segment time; the largest values hold on the whole interval.
typedef struct FrameRate {
    Vec3 slide;   ///< velocity at the middle, in the joint's frame
    Vec3 axis;    ///< unit, in the joint's frame and in the frame itself
    double turn;  ///< angular velocity at the middle
    double slide_most, turn_most;
    double slide_bend, turn_bend;    ///< largest second derivatives
    double slide_error, turn_error;  ///< tracking error and rounding of values, metres and radians
    bool any_axis;                   ///< the error may turn about any axis through the origin
} FrameRate;

/// Velocity of a rigid frame at the middle of the interval, in the world.
typedef struct Twist {
    Vec3 spin;    ///< angular velocity
    Vec3 origin;  ///< velocity of the point of the frame that is at the world's origin
} Twist;

/// Sums over the joints from the base to one joint of a body's chain, for points of that body. Differences of two
/// rows are about the joints between: what counts between a body and an ancestor.
typedef struct ChainSum {
    double turn;   ///< S: largest angular speeds
    double speed;  ///< first-order bound of a point's speed
    double bend;   ///< P: bound of the second derivative, with all earlier joints counted
    double lever;  ///< Q: what an earlier turn adds to `bend`, per 2 * its speed
    double error;  ///< tracking error
} ChainSum;

/// Points whose convex hull, each with its radius, contains a body: in the body's frame (in the world without one).
typedef struct MotionHull {
    int32_t first,
        stride;   ///< floats: x, y, z and radius arrays of `stride` each; stride 0: not bounded (half-spaces)
    double size;  ///< no coordinate or radius is larger
} MotionHull;

typedef struct MotionBody {
    MotionHull hull;
    int32_t first_chain;  ///< of its rows in chain arrays; row 0 is "nothing moves"
    int32_t chain_count;  ///< moving frames above it, itself included, plus one
} MotionBody;

/// Two bodies, with where their chains part.
typedef struct MotionPair {
    int32_t pair;          ///< of the scene
    int32_t row_a, row_b;  ///< rows of the lowest common ancestor in both chains
    int32_t ancestor;      ///< its scene frame, -1: the world
    int32_t half_space;    ///< -1, or which body (0: a, 1: b) is a single half-space
} MotionPair;

/// One interval of time: [index, index + 1] / 2^level, with the pairs that are not proven yet.
typedef struct Interval {
    uint64_t index;
    int32_t first, count;  ///< in the level's list
} Interval;

/// What the refined method carries on: a pair of volumes (RSS nodes; 0 for a shape) of two parts of a motion pair.
typedef struct MotionItem {
    int32_t pair, part_a, part_b, node_a, node_b;
} MotionItem;

typedef struct Level {
    Interval* intervals;
    int32_t* pairs;     ///< motion pairs that are open; or, for the refined method,
    MotionItem* items;  ///< pairs of volumes
    int32_t interval_count, pair_count;
} Level;

struct BerthMotion {
    BerthAllocator allocator;
    const BerthScene* scene;
    uint64_t generation;
    double margin, delta, resolution;
    BerthMethod method;
    int64_t interval_budget;
    BerthChecker* checker;

    double* values;          ///< of the configuration that is placed
    double* tracking_error;  ///< value_count
    FrameRate* rates;        ///< by scene frame
    Twist* twists;           ///< by scene frame
    MotionBody* bodies;
    MotionPair* pairs;
    int32_t pair_count;  ///< pairs that change
    ChainSum* chains;
    int32_t* chain_frame;  ///< scene frame of each chain row; -1 in row 0
    double*
        chain_far;  ///< largest distance of the body's points from that frame's axis, whatever the joints do
    int32_t chain_total;
    float* points;  ///< all hulls
    int32_t float_count;
    BerthShape* part_hulls;   ///< convex hull of every part of the scene
    BerthHull** owned_hulls;  ///< those that were made here
    Vec3* normals;            ///< by motion pair: the last plane's normal, from a to b, in the world
    Level levels[2];
    int32_t interval_capacity, list_capacity;
};

/// A segment being checked, at one interval.
typedef struct Span {
    double middle, half;  ///< of the interval, in segment time
} Span;

/// Reads the values at t and their bounds on the interval into motion->values and motion->rates.
void bi_motion_rates(BerthMotion* motion, const BerthSegment* segment, Span span);
/// Places the middle configuration, its twists and chain sums. False when a value is no good.
bool bi_motion_place(BerthMotion* motion, Span span);

/// How far a point is from the axis of a frame; from its origin where the axis may be any.
static inline double axis_distance(const FrameRate* rate, const Pose* frame, Vec3 point) {
    const Vec3 from_origin = v3_sub(point, frame->t);
    return v3_length(rate->any_axis ? from_origin : v3_cross(pose_turn(frame, rate->axis), from_origin));
}

/// What is known about a pair on an interval.
typedef enum PairState { PAIR_OPEN = 0, PAIR_FREE, PAIR_HIT, PAIR_CLOSE } PairState;
/// What a try at a pair leaves.
typedef struct PairProof {
    double* clearance;        ///< lowered by what FREE proved
    BerthMotionStats* stats;  ///< added to
    BerthTreeAnswer hit;      ///< HIT: the witness
    bool tight;               ///< the interval is so short that no gap changes by more than delta on it
    bool spent;               ///< a budget ran out: the query is over
    ProofKind kind;           ///< FREE: what proved it, as a certificate says it,
    Vec3 direction;           ///< PROOF_PLANE: in the world,
    double bound;             ///< and the clearance that holds on the interval
} PairProof;
/// Tries to prove the pair apart by more than the margin on the whole interval. OPEN: the halves may do; CLOSE: the
/// interval is tight, so the gap is within margin + delta somewhere on it.
PairState bi_motion_pair(BerthMotion* motion, int32_t index, Span span, PairProof* proof);

/// Tracking error of a pair: how much nearer it can be than on the commanded motion.
double bi_motion_error(const BerthMotion* motion, const MotionPair* ends);
/// The refined method on one item. What must wait for the halves is appended to `to`; FREE otherwise means done.
PairState bi_motion_refine(BerthMotion* motion, const MotionItem* item, Span span, PairProof* proof,
                           Level* to);

#endif
