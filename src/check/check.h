// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a checker: everything that a query writes, sized at creation.

#ifndef BI_CHECK_H
#define BI_CHECK_H

#include <berth/lab/check.h>

#include "base/base.h"
#include "check/compare.h"
#include "lanes/lanes.h"
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
    double size;   ///< metres of sliding, planar and floating joints
    double turns;  ///< radians of joints that follow others: m * q + o is rounded, times a lever
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
    double self_margin;  ///< of two links of one robot
    bool
        reaches;  ///< objects that may move are everywhere they can have got to, not where the scene has them
    double elapsed;  ///< seconds they had for that in the state that is placed
    BerthTreeQuery* query;
    LanesQuery* lanes;  ///< tried first where the verdict is enough; null: the bodies alone are used

    double* values;  ///< that world_from_frame was made for
    bool has_values;
    Pose* world_from_frame;
    Pose* world_from_part;  ///< of bodies whose `placed` is `placings`; the others' are old
    int64_t* placed;        ///< one a body
    int64_t placings;       ///< states placed so far
    CheckMoved* moved;      ///< one a robot
    CheckBody* bodies;
    CheckCandidate* candidates;
    CheckConstant* constants;
    int32_t constant_count;
    BerthHit* hits;
    BerthPairGap* pairs;
    BerthVec3* columns;    ///< two Jacobian rows of value_count
    bool has_comparisons;  ///< else every pair is compared in every query
    CompareList comparisons;
    int32_t*
        proven;  ///< one a robot: its pairs that a table proves further apart than the margin, within limits

    int32_t body_count, part_count, pair_count, value_count, frame_count, robot_count;
    BerthCheckerStats stats;
};

/// As berth_checker_create. `reaches`: objects that may move had checker->elapsed seconds to move, which the caller sets before
/// each state; nothing is assumed of them then.
BerthStatus bi_checker_create(const BerthScene* scene, const BerthCheckerDef* def, bool reaches,
                              BerthChecker** out);
/// How much nearer the pair can be than the placed bodies are, because one of them moves on its own.
static inline double bi_check_reach(const BerthChecker* checker, const ScenePair* pair) {
    return checker->reaches ? scene_pair_reach(pair, checker->elapsed) : 0.0;
}
/// What comes off the gap of the placed bodies: padding, and how much nearer they can be.
static inline double bi_check_padding(const BerthChecker* checker, const ScenePair* pair) {
    return pair->padding + bi_check_reach(checker, pair);
}
/// Does the pair have the same gap in every state?
static inline bool bi_check_is_constant(const BerthChecker* checker, const ScenePair* pair) {
    return pair->constant && !(checker->reaches && scene_pair_reaches(pair));
}

/// Poses and balls of every body for these values. False when a value is not finite or an angle too large.
bool bi_check_place(BerthChecker* checker, const double* values);
/// The same without poses of parts, which bi_check_pair makes when it needs them.
bool bi_check_place_balls(BerthChecker* checker, const double* values);
/// A lower bound of the padded gap of two bodies from their balls; -infinity where one has no ball, or for NaN.
static inline double bi_check_pair_bound(const BerthChecker* checker, const ScenePair* pair) {
    const CheckBody* a = &checker->bodies[pair->body_a];
    const CheckBody* b = &checker->bodies[pair->body_b];
    const double apart = v3_distance(a->centre, b->centre) - a->radius - b->radius;
    const double bound = apart - bi_check_padding(checker, pair) - BI_DISTANCE_SLACK * (a->size + b->size);
    // A NaN would break the order of candidates; as -infinity it is looked at first, which is what it deserves.
    return bound == bound ? bound : (double)-INFINITY;
}
/// A followed angle m * q + o is off by at most so much of BI_DISTANCE_SLACK (16 u a radian: two roundings here, two
/// for each link of a chain of mimics, of which seven are covered).
#define BI_MIMIC_SHARE 0.25
/// The scene radius of what is fixed to a frame, out of the part that no value changes.
static inline double bi_check_scene_radius(double still_size, const CheckMoved* moved) {
    return (still_size + moved->size) * (1.0 + BI_MIMIC_SHARE * moved->turns);
}

/// Makes the list of comparisons, when tables are wanted. Scenes too large for one do without. Cold.
BerthStatus bi_check_prepare_comparisons(BerthChecker* checker, const BerthCheckerLab* lab);
/// Are balls of subtrees and tables valid for these values: is every one within its limits?
bool bi_compare_within_limits(const CompareList* list, const double* values, int32_t value_count);
/// Moves the balls of the list to where the state that was placed last has them.
void bi_compare_place_balls(BerthChecker* checker);
/// Fills checker->candidates, in no order, with the pairs of a list that are not proven further apart than `limit`.
int32_t bi_compare_within(BerthChecker* checker, const CompareStep* steps, CompareRange range, double limit);
/// The same for the nearest pair: with all pairs that may be it, if it is within `most_limit`, and all that may be within
/// `least_limit`, which is not larger.
int32_t bi_compare_nearest(BerthChecker* checker, const CompareStep* steps, CompareRange range,
                           double least_limit, double most_limit);

/// At or below which gap the pair counts as a collision.
static inline double bi_check_margin(const BerthChecker* checker, const ScenePair* pair) {
    return pair->self ? checker->self_margin : checker->margin;
}
/// No pair's margin is larger.
static inline double bi_check_margin_most(const BerthChecker* checker) {
    return fmax(checker->margin, checker->self_margin);
}

/// The verdict of a state of which all is proven free but these pairs of the scene, none of which is constant.
BerthStatus bi_check_open(BerthChecker* checker, const double* values, const int32_t* pairs, int32_t count,
                          BerthCheckResult* out);

/// Nothing is known yet.
static inline BerthCheckResult bi_check_no_result(void) {
    BerthCheckResult none = {.reason = BERTH_REASON_NUMERIC, .unknown_a = -1, .unknown_b = -1};
    none.clearance = (BerthPairGap){.body_a = -1, .body_b = -1, .lower = -INFINITY, .upper = INFINITY};
    return none;
}
/// Is the scene still the one that the checker was made for?
static inline bool bi_check_is_current(const BerthChecker* checker) {
    return checker->scene->committed && checker->scene->generation == checker->generation;
}
/// As berth_check_state, without lanes.
BerthStatus bi_check_by_bodies(BerthChecker* checker, const double* values, const BerthCheckRequest* request,
                               BerthCheckResult* out);
/// The verdict of a state by checker->lanes, with its witness. False where that is for the bodies alone: then
/// nothing is answered.
bool bi_check_state_by_lanes(BerthChecker* checker, const double* values, BerthCheckResult* out);
/// Verdicts (BerthVerdict) of up to LANES states, `stride` doubles apart. `*within` is false without lanes, or where a value is no
/// number within limits: then nothing is answered, and each state must be checked by itself.
BerthStatus bi_check_states(BerthChecker* checker, const double* values, int64_t stride, int32_t count,
                            uint8_t* verdicts, bool* within);
/// Do these lanes lay out the checker's scene as it is, for its margins? Else an error that says what differs. Null is fine.
BerthStatus bi_check_lanes_match(const BerthScene* scene, const BerthLanes* lanes, double margin,
                                 double self_margin);
/// Are all pairs that never change free? Lanes do not look at them.
bool bi_check_constants_free(const BerthChecker* checker);

/// What is wanted of one pair.
typedef struct PairRequest {
    double max_d;      ///< of the padded gap: larger gaps need not be resolved
    double tolerance;  ///< relative
    bool distance;     ///< the gap, not only the verdict
    bool true_gap;     ///< also below the margin, where one witness would do for the verdict
    double enough;   ///< a witness at or below this padded gap ends the search; the margin when it is larger
    int32_t budget;  ///< nodes a pair of parts may open, or 0: as many as the checker's. Spent: UNKNOWN
} PairRequest;
/// The gap of two bodies over all their parts, padding taken off; the verdict is about the pair's margin.
void bi_check_pair(BerthChecker* checker, const ScenePair* pair, const PairRequest* wanted,
                   BerthTreeAnswer* out);

#endif
