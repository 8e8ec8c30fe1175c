// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a motion query. A segment is divided into dyadic intervals of time; on each, one
// configuration (the middle) is placed, and every pair of bodies is proven apart for the whole interval, or
// passed on to the two halves. docs/theory/motion.md derives the bounds.
//
// From a query to its verdict: berth_motion_check_segment (motion_levels.c) takes one interval after the
// other; bi_motion_rates and bi_motion_place compute where everything is at its middle and how it can move
// around that; bi_motion_prove_pair (motion_pair.c) tries each open pair, with the static check
// (check/check.h) for the bodies themselves and bi_motion_prove_pair_locally for what is left;
// bi_motion_query_conclude makes the result.

#ifndef BI_MOTION_H
#define BI_MOTION_H

#include <berth/lab/motion.h>

#include "certificate/certificate.h"
#include "certificate/planes.h"
#include "check/check.h"

/// Bounds of motion are enlarged by more than the rounding of the few dozen operations they come from.
#define MOTION_GROWN (1.0 + 0x1p-40)
/// And what such a bound gives back, where it is the other way round, is smaller by more than it was enlarged.
#define MOTION_SHRUNK (1.0 - 0x1p-38)

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
    /// Floats: x, y, z and radius arrays of `stride` each; stride 0: not bounded (half-spaces).
    int32_t first, stride;
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
    /// The scene frame that planes are held in, -1: the world. The chains' ancestor, or a half-space's own.
    int32_t ancestor;
    int32_t half_space;  ///< -1, or which body (0: a, 1: b) is a single half-space
    bool
        endless;  ///< a body that moves has no end: its chain bounds nothing, bi_motion_bound_pair_rates does
} MotionPair;

/// One interval of time: [index, index + 1] / 2^level, with the pairs that are not proven yet.
typedef struct Interval {
    uint64_t index;
    int32_t first, count;  ///< in the level's list
} Interval;

typedef struct Level {
    Interval* intervals;
    int32_t* pairs;  ///< motion pairs that are open
    int32_t interval_count, pair_count;
} Level;

/// Queues of paper 001's methods: motion_queue.h.
typedef struct MotionQueue MotionQueue;

/// What the local method carries on: a pair of volumes (RSS nodes; 0 for a shape) of two parts.
typedef struct LocalItem {
    int32_t part_a, part_b, node_a, node_b;
} LocalItem;
enum {
    LOCAL_ITEMS = 1 << 16,      ///< at a time; where there are more, times are halved
    LOCAL_LAST_RESORT = 4096,   ///< tests of volumes, where unknown is an answer
    LOCAL_FIRST_TRY = 1 << 20,  ///< where halves of the time may do
    LOCAL_DEPTH = 52            ///< of halved times
};
/// Times are exact to here.
#define LOCAL_HALF_MIN 0x1p-50

/// What another search left open: a pair of the scene on the interval [index, index + 1] / 2^level.
typedef struct MotionOpen {
    uint64_t index;
    int32_t level;
    int32_t pair;  ///< of motion->pairs
} MotionOpen;

struct BerthMotionChecker {
    BerthAllocator allocator;
    const BerthScene* scene;
    uint64_t generation;
    double margin, self_margin, delta, resolution;
    BerthMethod method;
    int64_t interval_budget;
    BerthDistanceWork distance;
    double distance_error;
    BerthCover cover;
    BerthMotionBound bound;
    BerthPathOrder order;
    bool (*cancelled)(void* user);
    void* cancelled_user;
    BerthChecker* checker;
    MotionQueue* queue;  ///< of ADAPTIVE and REFINED, else null

    double* values;          ///< of the configuration that is placed
    double* tracking_error;  ///< value_count
    bool* within;      ///< one a robot: the segment that is begun keeps its limits, tracking error included
    bool has_error;    ///< one of them is above 0
    FrameRate* rates;  ///< by scene frame
    Twist* twists;     ///< by scene frame
    MotionBody* bodies;
    MotionPair* pairs;
    int32_t pair_count;  ///< pairs that change
    ChainSum* chains;
    int32_t* chain_frame;  ///< scene frame of each chain row; -1 in row 0
    double* chain_far;  ///< most that the body's points can be from that frame's axis, whatever the joints do
    double* chain_global;  ///< the paper's: while slides keep their limits; infinite where these say nothing
    double* chain_lever;   ///< on the placed interval
    int32_t chain_total;
    float* points;  ///< all hulls
    int32_t float_count;
    BerthShape* part_hulls;       ///< convex hull of every part of the scene
    BerthHull** owned_hulls;      ///< those that were made here
    Vec3* normals;                ///< by motion pair: the last plane's normal, from a to b, in the world
    LocalItem* local_items;       ///< of the local method
    double local_from;            ///< intervals on which no gap changes by more go to it
    double local_last;            ///< and on these it has the last word
    const BerthSegment* segment;  ///< that was placed last
    const BerthMotionFunction* function;  ///< of this query, or null
    Level levels[2];
    int32_t interval_capacity, list_capacity;

    // Of those that have lanes: null else.
    LanesQuery* lanes;
    LanesSegmentAnswer* lane_answers;  ///< LANES_SEGMENTS, about the segments of the last call
    MotionOpen* open;                  ///< LANES_OPEN_MAX: what is left of one of them
    double* lane_rows;                 ///< two states
};

/// Which gap is wanted between two bodies.
static inline double bi_motion_margin(const BerthMotionChecker* motion, const ScenePair* pair) {
    return pair->self ? motion->self_margin : motion->margin;
}

/// The values at t: the segment's, or those of the query's function. The checker receives how long objects may have moved.
void bi_motion_values(const BerthMotionChecker* motion, const BerthSegment* segment, double t,
                      double* values);
/// How much nearer a pair's bodies can come per unit of segment time because one of them moves on its own.
static inline double bi_motion_reach_rate(const BerthMotionChecker* motion, const BerthSegment* segment,
                                          const ScenePair* pair) {
    return motion->checker->reaches ? pair->reach_speed * segment->duration * BI_REACH_GROWN : 0.0;
}
/// Reads the values at t and their bounds on the interval into motion->values and motion->rates.
void bi_motion_rates(BerthMotionChecker* motion, const BerthSegment* segment, Span span);
/// Places the middle configuration, its twists and chain sums. False when a value is no good.
bool bi_motion_place(BerthMotionChecker* motion, Span span);

/// How far a point is from the axis of a frame; from its origin where the axis may be any.
static inline double axis_distance(const FrameRate* rate, const Pose* frame, Vec3 point) {
    const Vec3 from_origin = v3_sub(point, frame->t);
    return v3_length(rate->any_axis ? from_origin : v3_cross(pose_turn(frame, rate->axis), from_origin));
}

/// The verdict of a segment of which all but these is proven free; sorted by level, then by index. Constant pairs and both ends
/// are part of what is proven. As berth_motion_check_segment otherwise, without clearances.
BerthStatus bi_motion_check_open(BerthMotionChecker* motion, const BerthSegment* segment,
                                 const MotionOpen* open, int32_t count, BerthMotionResult* out);
/// As berth_motion_check_segment, without lanes.
BerthStatus bi_motion_check_by_bodies(BerthMotionChecker* motion, const BerthSegment* segment,
                                      const BerthMotionRequest* request, BerthMotionResult* out);

/// Gives lanes to a checker that has none, where they apply; null is fine. They must live longer than it.
BerthStatus bi_motion_use_lanes(BerthMotionChecker* motion, const BerthLanes* lanes);
/// Asks motion->lanes about up to LANES_SEGMENTS straight segments: rows of two states each, `stride` doubles apart.
void bi_motion_ask_lanes(BerthMotionChecker* motion, const double* rows, int64_t stride, int32_t count);
/// The verdict of the segment with that number among those of the last call, without clearances; a hit of lanes comes without
/// its point. False where values are beyond limits, or too much is open: then it must be checked by itself.
bool bi_motion_finish_lane_answer(BerthMotionChecker* motion, const BerthSegment* segment, int32_t number,
                                  BerthStatus* status, BerthMotionResult* out);
/// One straight segment, with its witness. False: it is for the bodies alone.
bool bi_motion_check_by_lanes(BerthMotionChecker* motion, const BerthSegment* segment, BerthStatus* status,
                              BerthMotionResult* out);
/// The place of two bodies in motion->pairs, or -1: body_a < body_b.
int32_t bi_motion_find_pair(const BerthMotionChecker* motion, int32_t body_a, int32_t body_b);

/// What is known about a pair on an interval.
typedef enum PairState { PAIR_OPEN = 0, PAIR_FREE, PAIR_COLLISION, PAIR_CLOSE } PairState;
/// What a try at a pair leaves.
typedef struct PairProof {
    double* clearance;        ///< lowered by what FREE proved
    BerthMotionStats* stats;  ///< added to
    BerthTreeAnswer hit;      ///< HIT: the witness
    double t;                 ///< and when: the middle, or where the local method met it
    /// HIT, CLOSE: nothing is known from here on, and before it only by the local method.
    double t_low;
    bool tight;      ///< the interval is so short that no gap changes by more than delta on it
    bool spent;      ///< a budget ran out: the query is over
    ProofKind kind;  ///< FREE: what proved it, as a certificate says it,
    Vec3 direction;  ///< PROOF_PLANE: in the world,
    double bound;    ///< and the clearance that holds on the interval
    double taken;    ///< PROOF_DISTANCE: the distance at the middle less that is `bound`
    bool recorded;   ///< request: only what a certificate can state counts as a proof
    /// Asked: where the local method lists its planes; null: with `recorded` it is not used
    BerthCertificate* certificate;
    bool listed;         ///< FREE: by such planes
    bool first_contact;  ///< request: a witness of the local method must be the earliest
    /// Asked: tracking error is left out, since the motion is not to be proven any more. FREE says that there is no witness.
    bool commanded;
    bool may_give_up;  ///< request: set `hopeless`, and continue as if `commanded` were set
    bool
        hopeless;  ///< at the middle the tracking error alone is too much: no shorter interval around it is free
} PairProof;
/// Tries to prove the pair apart by more than the margin on the whole interval. OPEN: the halves may do; CLOSE: the
/// interval is tight, so the gap is within margin + delta somewhere on it.
PairState bi_motion_prove_pair(BerthMotionChecker* motion, int32_t index, Span span, PairProof* proof);

/// Velocity of a frame (-1: the world) as seen from another.
static inline Twist twist_against(const BerthMotionChecker* motion, int32_t frame, int32_t ancestor) {
    Twist twist = {{0, 0, 0}, {0, 0, 0}};
    if (frame >= 0) {
        twist = motion->twists[frame];
    }
    if (ancestor >= 0) {
        twist.spin = v3_sub(twist.spin, motion->twists[ancestor].spin);
        twist.origin = v3_sub(twist.origin, motion->twists[ancestor].origin);
    }
    return twist;
}

static inline Vec3 twist_velocity(const Twist* twist, Vec3 point) {
    return v3_add(twist->origin, v3_cross(twist->spin, point));
}

/// What a pair can do on the placed interval, seen from the frame its planes are held in; `half` is that of the span.
typedef struct PairBounds {
    double travel;  ///< first order: no gap changes by more from the middle
    double bend;    ///< second order: half^2 / 2 times the second derivatives
    /// Margin, padding, how far a body has moved on its own at the middle, tracking error and slack: what must be left
    double needed;
    double slack;  ///< rounding of poses and distances
    /// How much more a body that moves on its own has come nearer at the end of the interval than at its middle, and less at
    /// its start. In `travel`, not in `bend`.
    double nearing;
} PairBounds;
PairBounds bi_motion_pair_bounds(const BerthMotionChecker* motion, int32_t index, double half);

/// The local exact method on one pair (index of motion->pairs) and one interval, which is placed and is placed again on return.
/// `only`: two volumes of it, or null for all of it. The static check must have found the pair FREE at the middle: so it is not
/// nested. FREE; HIT: a witness at proof->t, which need not be the middle; CLOSE: the gap is the margin up to rounding somewhere
/// after proof->t_low, or, `spent`, more than `tests` pairs of volumes were looked at. Before proof->t_low it is proven free.
/// OPEN: it has nothing to say about this pair, go on halving. With proof->certificate what it
/// proves is listed there; nothing is when it is not FREE.
PairState bi_motion_prove_pair_locally(BerthMotionChecker* motion, const BerthSegment* segment, int32_t index,
                                       Span span, const LocalItem* only, int64_t tests, PairProof* proof);
/// How many pairs of volumes the local method may look at; `decides`: halves of the time will not do.
static inline int64_t bi_motion_local_tests(const BerthMotionChecker* motion, bool decides) {
    const int64_t most = motion->checker->query->node_budget;
    if (motion->delta > 0.0) {
        return LOCAL_LAST_RESORT;
    }
    return decides || most < LOCAL_FIRST_TRY ? most : LOCAL_FIRST_TRY;
}
/// A convex shape that moves: where it is at the middle of the interval, and its twist there.
typedef struct MovingShape {
    const BerthShape* shape;
    const Pose* pose;    ///< in the world
    const Twist* twist;  ///< against the frame that planes are held in
} MovingShape;
/// What a direction n, fixed in the frame that the twists are against, leaves between two convex shapes at both ends of the
/// interval, with `nearing` (PairBounds): the bend still comes off. In double; not for half-spaces.
double bi_convex_plane_gap(const MovingShape* moving_a, const MovingShape* moving_b, Vec3 n, double half,
                           double nearing);

/// What a pair can do on the placed interval, each joint with the lever of the side that is nearer its axis.
typedef struct PairRates {
    double
        speed;  ///< no gap of the pair changes faster, bodies that move on their own included, tracking error aside
    double error;  ///< nor by more than this for tracking error
    /// Pairs with a half-space: second derivatives of the other body's points, seen from the half-space.
    double bend;
} PairRates;
/// `index` is of motion->pairs, `half` that of the span which was placed. Costs a few dozen operations a joint between the two.
PairRates bi_motion_bound_pair_rates(const BerthMotionChecker* motion, int32_t index, double half);
/// Paper 001's lambda: after bi_motion_rates and bi_motion_place with this span, no gap of the pair differs by more than this
/// between any two times of the span, nor by more than half of it from its middle. For a queue whose intervals have both ends
/// placed: `lambda < eta_a + eta_b` (errata 2.1). +infinity or NaN where nothing is known (two half-spaces that turn): ask
/// `lambda < ...`, which both fail. Tracking error is not in it: bi_motion_pair_tracking_error.
double bi_motion_pair_lambda(const BerthMotionChecker* motion, int32_t index, Span span);

/// The paper's R (IV-C): a ball that holds a body's points, in the frame of one of its joints, then in the next one inward.
/// How far its points are from the joint's axis; from its origin where the axis may be any.
double bi_global_lever(const RobotFrame* frame, Ball ball);
/// The ball that holds them whatever the joint does, in the parent frame. Infinite where it may slide anywhere; `limits`:
/// slides keep theirs.
Ball bi_global_carry(const BerthRobot* robot, const RobotFrame* frame, Ball ball, bool limits);
/// Does the frame, if it slides, keep its limits on the placed interval, tracking error included?
bool bi_global_keeps_limits(const BerthMotionChecker* motion, int32_t frame, double half);

/// Tracking error of a pair: how much nearer it can be than on the commanded motion.
double bi_motion_pair_tracking_error(const BerthMotionChecker* motion, const MotionPair* ends);

/// The heap of one segment's entries, in a queue's pool.
typedef struct EntryHeap {
    int32_t top;  ///< -1: empty
    int32_t count;
} EntryHeap;

/// A segment that is being checked, and what was found so far.
typedef struct SegmentQuery {
    BerthMotionChecker* motion;
    const BerthSegment* segment;
    const BerthMotionRequest* request;
    BerthMotionResult* out;
    BerthMotionStats* stats;  ///< work is counted here
    double clearances[2];     ///< proven so far: of pairs with others, and of one robot's own links
    double hit_t;             ///< earliest witness so far; 2 when there is none
    double close_t;           ///< start of the earliest interval that is too close; 2 when there is none
    int64_t intervals_left;
    bool full;  ///< something did not fit, or a budget is spent
    bool
        hopeless;  ///< tracking error is too much somewhere: only a witness of a collision is still looked for
    // Of those that have a queue:
    MotionQueue* queue;
    EntryHeap heap;
    uint64_t serial;    ///< distinguishes the segment from all others of the queue
    int64_t steps;      ///< entries looked at
    int64_t band_left;  ///< entries within the band that may still be looked at; -1: none was met
    BerthPathOrder order;
    double length;  ///< of the segment, for BERTH_ORDER_LENGTH
} SegmentQuery;

/// Nothing is known: UNKNOWN, no bodies, no bounds.
static inline BerthMotionResult bi_motion_no_result(void) {
    const BerthClearance none = {.upper = (double)INFINITY, .body_a = -1, .body_b = -1};
    return (BerthMotionResult){.self = none, .environment = none, .body_a = -1, .body_b = -1};
}

/// A query that has not begun.
SegmentQuery bi_motion_query(BerthMotionChecker* motion, const BerthSegment* segment,
                             const BerthMotionRequest* request, BerthMotionResult* out);
void bi_motion_query_note_collision(SegmentQuery* query, double t, const ScenePair* pair, Vec3 point);
void bi_motion_query_note_close(SegmentQuery* query, double t_low, double t_high, const ScenePair* pair);
/// May a motion be given up for its tracking error? Then `hopeless` is worth looking for.
bool bi_motion_query_may_give_up(const SegmentQuery* query);
/// One configuration by the static check: every pair, constant ones too.
BerthStatus bi_motion_query_check_state(SegmentQuery* query, double t, BerthVerdict* verdict);
/// Pairs that never change: their verdict is that of any configuration.
void bi_motion_query_check_constants(SegmentQuery* query);
/// The verdict, from all of the above.
void bi_motion_query_conclude(SegmentQuery* query);
/// The query was concluded as FREE with a lower bound of each class: looks for better ones, and for upper bounds.
void bi_motion_find_clearance(const SegmentQuery* query, BerthMotionResult* out);
/// Before a search looks at pairs: of which robots proofs within limits hold, for the whole segment.
void bi_motion_find_within(BerthMotionChecker* motion, const BerthSegment* segment);
/// Is the pair (index of motion->pairs) proven further apart than its margin by its robot's table, on that segment?
bool bi_motion_is_proven(const BerthMotionChecker* motion, int32_t index);
/// The same for a verdict: then the pair is done, with what is proven as its clearance, and as a record of the certificate.
bool bi_motion_query_skip_proven(SegmentQuery* query, int32_t index);
/// FIXED: samples by bisection down to the resolution, the ends aside. It can only miss.
BerthStatus bi_motion_test_samples(SegmentQuery* query);
/// Value counts and finite numbers.
bool bi_motion_segment_is_valid(const BerthMotionChecker* motion, const BerthSegment* segment);
/// Values that leave their joint limits on the way.
int32_t bi_motion_count_outside(const BerthMotionChecker* motion, const BerthSegment* segment);

static inline bool bi_motion_query_cancelled(const SegmentQuery* query) {
    const BerthMotionChecker* motion = query->motion;
    return motion->cancelled != NULL && motion->cancelled(motion->cancelled_user);
}

// What the search records, when it is asked to.

/// The segment that a query of `motion` is about to look at.
BerthStatus bi_motion_record_segment(BerthCertificate* certificate, const BerthMotionChecker* motion,
                                     const BerthSegment* segment);

#endif
