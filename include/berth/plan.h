// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Plan: a collision-free motion from one state to another, every edge of which is proven free.

#ifndef BERTH_PLAN_H
#define BERTH_PLAN_H

#include <berth/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Searches for motions in one committed scene. Holds all trees and scratch memory: one per thread.
typedef struct BerthPlanner BerthPlanner;

/// How to search for a motion. The edges are proven, whichever finds it.
typedef enum BerthPlannerKind {
    BERTH_PLANNER_DEFAULT = 0,  ///< the fastest for a single query
    BERTH_PLANNER_RRT_CONNECT,  ///< two trees that grow towards random states and then towards each other
    /// Two trees whose edges are checked only when they are on a path to a goal (paper 001's A-SBL)
    BERTH_PLANNER_SBL,
    BERTH_PLANNER_PRM,  ///< lazy PRM: a roadmap that is kept between queries, for many queries in one cell
    BERTH_PLANNER_KIND_COUNT  ///< how many there are
} BerthPlannerKind;
/// "rrt-connect", "sbl", "prm"; otherwise "unknown". DEFAULT has the name of the planner that it stands for.
BERTH_API const char* berth_planner_name(BerthPlannerKind kind);

/// Why no motion was found.
typedef enum BerthPlanReason {
    BERTH_PLAN_FOUND = 0,        ///< a motion was found
    BERTH_PLAN_START_COLLISION,  ///< the start collides: `body_a` with `body_b`
    BERTH_PLAN_GOAL_COLLISION,   ///< no goal is free, and `goal` collides
    BERTH_PLAN_START_UNKNOWN,    ///< the start could not be decided: too close, or a budget
    BERTH_PLAN_GOAL_UNKNOWN,     ///< no goal is free, none collides, and `goal` could not be decided
    BERTH_PLAN_BUDGET,           ///< samples, states or time are spent; a motion may exist
    BERTH_PLAN_REASON_COUNT      ///< how many there are
} BerthPlanReason;
/// "start_collision", "goal_collision", "start_unknown", "goal_unknown", "budget"; "" for FOUND.
BERTH_API const char* berth_plan_reason_name(BerthPlanReason reason);

/// Settings for comparisons: berth/lab/plan.h.
typedef struct BerthPlannerLab BerthPlannerLab;

/// A straight motion that a search has added, for drawings.
typedef struct BerthPlanEdge {
    int32_t tree;  ///< 0: the tree that grows from the start, 1: that from the goals. Always 0 for a roadmap
    const double* from;  ///< a state, value_count values; borrowed during the call
    const double* to;    ///< the state at its other end; borrowed during the call
} BerthPlanEdge;

/// Start from berth_default_planner_def().
typedef struct BerthPlannerDef {
    BerthPlannerKind kind;  ///< how to search
    double margin;          ///< required clearance, metres, >= 0
    double self_margin;     ///< between two links of one robot, metres; < 0 (the default): same as `margin`
    /// As in BerthMotionCheckerDef: motions with smaller gaps than margin + delta may be rejected
    double delta;
    /// Of everything random: the same seed gives the same motion (for PRM, after the same queries)
    uint64_t seed;
    int64_t sample_budget;  ///< most samples of one search, > 0; default 10,000,000
    int32_t state_limit;  ///< most states that the trees hold, >= 16: it bounds the memory. Default 1,000,000
    /// Weight of each value in lengths (value_count, each > 0), or null: 1 each; copied
    const double* weights;
    /// Which values may change (value_count), or null: all; copied. The others keep those of the start
    const bool* moves;
    /// Goals are also reached at whole turns of continuous joints and planar angles: the motion may end at
    /// the given goal plus those whole turns that bring it nearest to the start, or with one value the other
    /// way round. Joints that others follow do not wrap
    bool wrap;
    /// Most attempts of berth_planner_shorten, >= 0; default 400
    int32_t shorten_attempts;
    /// The scene laid out for wide registers, with the same margins, borrowed until the planner is destroyed;
    /// null (the default): the planner lays it out itself, at once where that takes next to no time (robots
    /// made of spheres), otherwise when a query has checked so many edges that it pays; never with a lab.
    /// Motions are found many times faster with it
    const BerthLanes* lanes;
    /// Polled from time to time: true ends with BERTH_ERR_CANCELLED; may be null
    bool (*cancelled)(void* user);
    void* cancelled_user;      ///< passed to `cancelled`
    bool (*late)(void* user);  ///< polled from time to time: true ends the search for its budget; may be null
    void* late_user;           ///< passed to `late`
    /// Called for every edge that a search adds, by the searching thread; may be null. Edges of RRT-Connect
    /// and PRM are proven free by then, those of SBL not yet. It does not change the answer
    void (*grew)(void* user, const BerthPlanEdge* edge);
    void* grew_user;             ///< passed to `grew`
    BerthAllocator allocator;    ///< all zero: the C library's heap
    const BerthPlannerLab* lab;  ///< null: the default. Read at creation only
    uint32_t stamp;              ///< set by the default function; ties the def to this library version
} BerthPlannerDef;
/// The def to start from: margin 0, delta 0.1 mm, seed 0, the default planner.
BERTH_API BerthPlannerDef berth_default_planner_def(void);
/// Makes a planner. The scene must be committed and is borrowed until the planner is destroyed. A later edit
/// or commit makes it stale: calls then return BERTH_ERR_STALE.
BERTH_API BerthStatus berth_planner_create(const BerthScene* scene, const BerthPlannerDef* def,
                                           BerthPlanner** out);
/// Frees a planner; null is fine. The scene stays.
BERTH_API void berth_planner_destroy(BerthPlanner* planner);

/// Start and goals. All arrays are borrowed during the call.
typedef struct BerthPlanQuery {
    const double* start;  ///< value_count values
    const double* goals;  ///< goal_count rows of value_count values; the motion may end at any of them
    int32_t goal_count;   ///< > 0
} BerthPlanQuery;

/// The work of a search.
typedef struct BerthPlanStats {
    int64_t samples;     ///< random states that were drawn
    int64_t states;      ///< states in the trees
    int64_t edges;       ///< straight motions that were checked
    int64_t free_edges;  ///< of these, proven free
} BerthPlanStats;

/// The answer. A motion is `row_count` states with straight segments between them.
typedef struct BerthPlanResult {
    bool found;              ///< there is a motion, in `rows`
    BerthPlanReason reason;  ///< why there is no motion
    const double* rows;      ///< row_count rows of value_count values; borrowed until the next call
    int32_t row_count;       ///< at least 2 when a motion was found, otherwise 0
    int32_t goal;            ///< the goal that it reaches, or that the reason is about; otherwise -1
    double length;           ///< of the motion: sum of the weighted Euclidean lengths of its segments
    int32_t body_a;          ///< a body of a start or goal that collides or is unknown; otherwise -1
    int32_t body_b;          ///< the other body; otherwise -1
    BerthVec3 point;         ///< of the collision, in the world
    BerthPlanStats stats;    ///< of all calls since the search began
} BerthPlanResult;

/// Searches for a motion. Its first row is exactly the start and its last row exactly one of the goals (with
/// `wrap`, up to whole turns of the values that wrap). BERTH_ERR_ARGUMENT for values that are invalid,
/// outside joint limits, or different in start and goal although they may not change.
BERTH_API BerthStatus berth_planner_find(BerthPlanner* planner, const BerthPlanQuery* query,
                                         BerthPlanResult* out);
/// Shortens the motion that was found last; it remains proven and keeps its ends. BERTH_ERR_ARGUMENT when
/// there is no motion. Stops with what it has when `late` returns true.
BERTH_API BerthStatus berth_planner_shorten(BerthPlanner* planner, BerthPlanResult* out);
/// The work so far of the search that is running, or of the last one. May be called from `cancelled` and
/// `late`, to show progress.
BERTH_API BerthPlanStats berth_planner_stats(const BerthPlanner* planner);

/// A pose that a link is to reach.
typedef struct BerthPlanPose {
    int32_t robot;  ///< index in the scene
    int32_t link;   ///< index in that robot
    /// Of the link's frame; reached within 1e-7 m at its origin and at 0.25 m along each axis
    BerthPose world_from_link;
} BerthPlanPose;
/// Finds states in which a link has a pose, to serve as goals of a query: by inverse kinematics from the
/// start and from many random states, within limits, different from each other, with the values that may not
/// change as in `start`. `states` has room for `most` (> 0) rows of value_count values; `*count` receives the
/// number of states found: free ones only, or, when none is free, a single one that is not, or none. The same
/// seed gives the same states.
BERTH_API BerthStatus berth_planner_solve_pose(BerthPlanner* planner, const BerthPlanPose* pose,
                                               const double* start, double* states, int32_t most,
                                               int32_t* count);

/// A motion with times. Between rows, values follow cubics with the given velocities at both ends, as a ROS
/// joint trajectory controller executes them. All arrays are borrowed until the next call.
typedef struct BerthPlanTimed {
    const double* rows;        ///< row_count rows of value_count values
    const double* velocities;  ///< row_count rows of value_count values, per second
    /// row_count times in seconds since the start, increasing, in whole nanoseconds; the first is 0
    const double* times;
    int32_t row_count;     ///< at least 2
    double duration;       ///< seconds, of the whole motion
    int32_t corner_count;  ///< inner corners of the motion
    int32_t blend_count;   ///< of these, rounded, which is proven free; the motion stops at the others
    /// Values that change and have no acceleration limit: see berth_planner_time
    int32_t default_accelerations;
} BerthPlanTimed;
/// Assigns times to the motion that was found last: along its segments with trapezoidal speed, within the
/// velocity and acceleration limits of all joints (the scene's limits, otherwise the URDF's velocity).
/// Corners are rounded where that is proven free; elsewhere the motion stops. The smaller of a joint's
/// acceleration and deceleration counts for both. A joint with neither is assumed to reach its largest speed
/// in half a second; `default_accelerations` counts these. BERTH_ERR_ARGUMENT for a joint that moves and has
/// no velocity limit, BERTH_ERR_UNSUPPORTED for a floating joint that turns. From then on
/// berth_planner_certify proves this motion, until the next one is found or shortened.
BERTH_API BerthStatus berth_planner_time(BerthPlanner* planner, BerthPlanTimed* out);

/// The proof of the whole motion.
typedef struct BerthPlanProof {
    BerthVerdict verdict;        ///< FREE, or what the first segment that is not was found to be
    BerthClearance self;         ///< FREE: between two links of one robot
    BerthClearance environment;  ///< FREE: of all other pairs
    int32_t proven_count;        ///< pairs that tables prove apart: the most that one segment relies on
    BerthMotionStats stats;      ///< the work of the proof
} BerthPlanProof;
/// Proves once more the motion that was found last, or its timed form, segment by segment, by the bodies
/// themselves. `sharp`: with bounds of the smallest gap from both sides. `certificate` (may be null) receives
/// the proof; make it with berth_planner_certificate.
BERTH_API BerthStatus berth_planner_certify(BerthPlanner* planner, bool sharp, BerthCertificate* certificate,
                                            BerthPlanProof* out);
/// An empty certificate for berth_planner_certify, for the motion as it is now: with times or without.
BERTH_API BerthStatus berth_planner_certificate(const BerthPlanner* planner, const BerthAllocator* allocator,
                                                BerthCertificate** out);

#ifdef __cplusplus
}
#endif
#endif
