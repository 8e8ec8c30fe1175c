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

/// Searches motions in one committed scene. Holds all trees and scratch memory: one a thread.
typedef struct BerthPlanner BerthPlanner;

/// How a motion is searched. Whatever finds it, its edges are proven.
typedef enum BerthPlannerKind {
    BERTH_PLANNER_DEFAULT = 0,  ///< the one that is fastest for a single question
    BERTH_PLANNER_RRT_CONNECT,  ///< two trees that grow towards random states and then towards each other
    BERTH_PLANNER_SBL,  ///< two trees whose edges are checked only on a path that leads to a goal (paper 001's A-SBL)
    /// Lazy PRM: a roadmap that is kept from one question to the next, for many questions in one cell
    BERTH_PLANNER_PRM,
    BERTH_PLANNER_KIND_COUNT  ///< how many there are
} BerthPlannerKind;
/// "rrt-connect", "sbl", "prm"; else "unknown". The default has the name of what it stands for.
BERTH_API const char* berth_planner_name(BerthPlannerKind kind);

/// Why no motion was found.
typedef enum BerthPlanReason {
    BERTH_PLAN_FOUND = 0,        ///< one was
    BERTH_PLAN_START_COLLISION,  ///< the start collides: `body_a` and `body_b` say what with what
    BERTH_PLAN_GOAL_COLLISION,   ///< no goal is free, and `goal` collides
    BERTH_PLAN_START_UNKNOWN,    ///< the start could not be decided: too close to tell, or a budget
    BERTH_PLAN_GOAL_UNKNOWN,     ///< no goal is free, none collides, and `goal` could not be decided
    BERTH_PLAN_BUDGET,           ///< samples, states or time are spent. It does not mean that there is none
    BERTH_PLAN_REASON_COUNT      ///< how many there are
} BerthPlanReason;
/// "start_collision", "goal_collision", "start_unknown", "goal_unknown", "budget"; "" for FOUND.
BERTH_API const char* berth_plan_reason_name(BerthPlanReason reason);

/// Choices for comparisons: berth/lab/plan.h.
typedef struct BerthPlannerLab BerthPlannerLab;

/// A straight motion that a search added: for drawings.
typedef struct BerthPlanEdge {
    int32_t tree;        ///< 0: of the tree that grows from the start, 1: from the goals. 0 of a roadmap
    const double* from;  ///< a state, value_count values; borrowed during the call
    const double* to;    ///< the other one; borrowed during the call
} BerthPlanEdge;

/// Start from berth_default_planner_def().
typedef struct BerthPlannerDef {
    BerthPlannerKind kind;  ///< how to search
    double margin;          ///< required clearance, metres, >= 0
    double self_margin;     ///< of two links of one robot, metres; < 0 (the default): as `margin`
    double delta;           ///< as in BerthMotionCheckerDef: motions that come nearer may be passed by
    uint64_t
        seed;  ///< of all that is random: the same seed gives the same motion; of PRM after the same questions
    int64_t sample_budget;  ///< most samples of one search, > 0; default 10,000,000
    int32_t state_limit;    ///< most states that trees hold, >= 16: it bounds the memory. Default 1,000,000
    /// How much each value counts in lengths (value_count, each > 0), or null: 1 each; copied
    const double* weights;
    /// Which values may change (value_count), or null: all of them; copied. The others keep those of the start
    const bool* moves;
    /// Goals count at whole turns of continuous joints and planar angles, too: the motion ends in the goal that was given up
    /// to whole turns, the nearest to the start or the other way round. Joints that others follow do not wrap
    bool wrap;
    /// Most attempts of berth_planner_shorten, >= 0; default 400
    int32_t shorten_attempts;
    /// The scene laid out for wide registers, for the same margins, borrowed until the planner is destroyed; null (the
    /// default): the planner lays it out itself, at once where that takes next to no time (robots made of spheres), else when a
    /// question has asked about so many edges that it pays; never with a lab. Motions are found many times faster with it
    const BerthLanes* lanes;
    bool (*cancelled)(void* user);  ///< asked now and then: true ends with BERTH_ERR_CANCELLED; may be null
    void* cancelled_user;           ///< passed to `cancelled`
    bool (*late)(void* user);       ///< asked now and then: true ends the search for its budget; may be null
    void* late_user;                ///< passed to `late`
    /// Told of every edge that a search adds to its trees, while it searches, by the thread that does; may be null. Edges of
    /// RRT-Connect and PRM are proven free by then, those of SBL are not yet. It changes nothing of the answer
    void (*grew)(void* user, const BerthPlanEdge* edge);
    void* grew_user;             ///< passed to `grew`
    BerthAllocator allocator;    ///< all zero: the C library's heap
    const BerthPlannerLab* lab;  ///< null: the default. Read at creation only
    uint32_t stamp;              ///< set by the default function; ties the def to this library version
} BerthPlannerDef;
/// The def to start from: margin 0, delta 0.1 mm, seed 0, the default planner.
BERTH_API BerthPlannerDef berth_default_planner_def(void);
/// Makes a planner. The scene is borrowed until it is destroyed, and must be committed. A later edit or commit makes it
/// stale: calls then return BERTH_ERR_STALE.
BERTH_API BerthStatus berth_planner_create(const BerthScene* scene, const BerthPlannerDef* def,
                                           BerthPlanner** out);
/// Frees it; null is fine. The scene stays.
BERTH_API void berth_planner_destroy(BerthPlanner* planner);

/// From where to where. All arrays are borrowed during the call.
typedef struct BerthPlanQuery {
    const double* start;  ///< value_count values
    const double* goals;  ///< goal_count rows of value_count values: any of them will do
    int32_t goal_count;   ///< > 0
} BerthPlanQuery;

/// What a search did.
typedef struct BerthPlanStats {
    int64_t samples;     ///< random states that were drawn
    int64_t states;      ///< that trees hold
    int64_t edges;       ///< straight motions that were asked about
    int64_t free_edges;  ///< of these: proven free
} BerthPlanStats;

/// The answer. A motion is `row_count` states with straight lines between them.
typedef struct BerthPlanResult {
    bool found;              ///< there is a motion: `rows`
    BerthPlanReason reason;  ///< why there is none
    const double* rows;      ///< row_count rows of value_count values; borrowed until the next call
    int32_t row_count;       ///< at least 2 where one was found, else 0
    int32_t goal;            ///< which of the goals it reaches, or which one the reason is about; else -1
    double length;           ///< of the motion: sum of the weighted Euclidean lengths of its lines
    int32_t body_a;          ///< of a start or goal that collides or is unknown; else -1
    int32_t body_b;          ///< and the other body; else -1
    BerthVec3 point;         ///< of a collision, in the world
    BerthPlanStats stats;    ///< of all calls since the search began
} BerthPlanResult;

/// Searches a motion. Its first row is the start and its last row one of the goals, exactly, or with `wrap` less whole turns
/// of what wraps. BERTH_ERR_ARGUMENT for values
/// that are no states, are outside joint limits, or differ between start and goal although they may not change.
BERTH_API BerthStatus berth_planner_find(BerthPlanner* planner, const BerthPlanQuery* query,
                                         BerthPlanResult* out);
/// Makes the motion that was found last shorter, and no less proven. Ends the same; BERTH_ERR_ARGUMENT when there is none.
/// When `late` says so it stops with what it has.
BERTH_API BerthStatus berth_planner_shorten(BerthPlanner* planner, BerthPlanResult* out);
/// What the search that runs, or ran last, has done so far: `cancelled` and `late` may ask, for progress.
BERTH_API BerthPlanStats berth_planner_stats(const BerthPlanner* planner);

/// Where a link is to be.
typedef struct BerthPlanPose {
    int32_t robot;              ///< of the scene, by index
    int32_t link;               ///< of that robot, by index
    BerthPose world_from_link;  ///< its frame, within 1e-7 m there and 0.25 m along each axis
} BerthPlanPose;
/// States in which a link has a pose, for the goals of a query: by inverse kinematics from the start and many random states,
/// within limits, different from each other, values that may not change as in `start`. `states` has room for `most` (> 0) rows of
/// value_count values; `*count` says how many were found: free ones only, or one that is not where no free one was found, or
/// none. The same seed gives the same states.
BERTH_API BerthStatus berth_planner_solve_pose(BerthPlanner* planner, const BerthPlanPose* pose,
                                               const double* start, double* states, int32_t most,
                                               int32_t* count);

/// A motion with times. Between rows values run along cubics that have the given velocities at both, as a ROS joint trajectory
/// controller executes them. All arrays are borrowed until the next call.
typedef struct BerthPlanTimed {
    const double* rows;        ///< row_count rows of value_count values
    const double* velocities;  ///< row_count rows of value_count values, per second
    const double*
        times;          ///< row_count seconds since the start, whole nanoseconds, which grow; the first is 0
    int32_t row_count;  ///< at least 2
    double duration;    ///< seconds of all of it
    int32_t corner_count;  ///< points of the motion between its ends
    int32_t blend_count;   ///< of these: rounded, since that is proven free; it stops at the others
    int32_t
        default_accelerations;  ///< values that change and have no acceleration limit: see berth_planner_time
} BerthPlanTimed;
/// Gives times to the motion that was found last: along its lines at trapezoidal speed, within the velocity and acceleration
/// limits of all joints (the scene's limits, else the URDF's velocity); corners are rounded where that is proven free, else it stops
/// there. The smaller of a joint's acceleration and deceleration counts for both. A joint without either reaches its
/// largest speed in half a second: `default_accelerations` says for how many that was taken. BERTH_ERR_ARGUMENT for a
/// joint that moves and has no velocity limit, BERTH_ERR_UNSUPPORTED for a floating joint that turns. From then on
/// berth_planner_certify proves this motion, until the next one is found or shortened.
BERTH_API BerthStatus berth_planner_time(BerthPlanner* planner, BerthPlanTimed* out);

/// What the whole motion's proof says.
typedef struct BerthPlanProof {
    BerthVerdict verdict;        ///< FREE, but for what stopped it
    BerthClearance self;         ///< FREE: of two links of one robot
    BerthClearance environment;  ///< FREE: of all other pairs
    int32_t proven_count;        ///< pairs that tables prove apart: the most that a segment relies on
    BerthMotionStats stats;      ///< what it took
} BerthPlanProof;
/// Proves the motion that was found last, or that has got times since, once more, segment by segment, by the bodies themselves. `sharp`: with bounds of the
/// smallest gap from both sides. `certificate` (may be null) records it, and is made by berth_planner_certificate.
BERTH_API BerthStatus berth_planner_certify(BerthPlanner* planner, bool sharp, BerthCertificate* certificate,
                                            BerthPlanProof* out);
/// An empty certificate for berth_planner_certify, of the motion as it is now: with times, or without.
BERTH_API BerthStatus berth_planner_certificate(const BerthPlanner* planner, const BerthAllocator* allocator,
                                                BerthCertificate** out);

#ifdef __cplusplus
}
#endif
#endif
