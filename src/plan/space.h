// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The space that planners search: which values may change and how far, lengths, random states, and THE two
// queries of every planner: are these states free, are these straight edges free? How they are answered is
// known only here. Planners query many at a time where they can.
//
// A point is `dimension` doubles: the values that may change. A state is all values of the scene.

#ifndef BI_PLAN_SPACE_H
#define BI_PLAN_SPACE_H

#include <berth/lab/plan.h>
#include <berth/plan.h>

#include "math/math.h"
#include "motion/motion.h"

enum {
    SPACE_BATCH = 32  ///< most edges that are checked together
};

typedef enum SpaceKind {
    SPACE_LINE = 0,  ///< a value within limits
    SPACE_TURN,      ///< an angle without limits
    SPACE_SLIDE,     ///< a length without limits
    SPACE_QUAT       ///< one of the four numbers of an orientation
} SpaceKind;

/// One value that may change.
typedef struct SpaceAxis {
    int32_t value;  ///< of the scene's state
    SpaceKind kind;
    int32_t quat_first;            ///< SPACE_QUAT: the axis of the first of the four
    double limit_low, limit_high;  ///< infinite without limits
    double low, high;              ///< where samples are drawn: the limits, or around start and goals
    bool wraps;                    ///< goals count at whole turns, too
    double weight;
} SpaceAxis;

typedef enum SpaceStop { SPACE_GOES_ON = 0, SPACE_LATE, SPACE_CANCELLED } SpaceStop;

typedef struct PlanSpace {
    BerthAllocator allocator;
    const BerthScene* scene;
    BerthMotionChecker* motion;
    // The scene laid out here, where nobody gave a layout. From so many edges of one question on it is asked: so a question's answer
    // does not depend on those before it.
    BerthLanes* own_lanes;
    int64_t lanes_from;      ///< INT64_MAX: never
    LanesQuery* idle_lanes;  ///< of the motion checker, until then
    BerthPlannerDef def;
    int32_t value_count;
    SpaceAxis* axes;
    int32_t dimension;
    bool has_quats;
    int32_t wrap_count;  ///< axes that wrap
    double* rest;        ///< value_count: what values that do not change are
    double* edge;        ///< scratch: three states
    Random random;
    SpaceStop stop;     ///< sticks until the next question
    double resolution;  ///< lab: edges of SBL are sampled so finely, and not proven; 0: they are proven
    bool patient;       ///< it does not matter how late it is
    double
        blocked_at;  ///< of the last edge that was checked and is not free: a place from 0 to 1 where it is not
    BerthPlanStats stats;
} PlanSpace;

BerthStatus bi_space_create(const BerthScene* scene, const BerthPlannerDef* def, PlanSpace* out);
void bi_space_destroy(PlanSpace* space);

/// A new question: the random numbers begin again, values that do not change are those of the start, samples reach around all
/// of these states. Fails for states outside limits, or goals that differ where nothing may change.
BerthStatus bi_space_begin(PlanSpace* space, const BerthPlanQuery* query);

/// Lays out the scene, or takes the layout of a question before. For many edges to come.
BerthStatus bi_space_use_lanes(PlanSpace* space);
/// Should the search end? Asked often.
SpaceStop bi_space_poll_stop(PlanSpace* space);

/// Which states count as that goal: `which` from 0 to wrap_count. 0 is the goal with whole turns taken off so that it is nearest
/// to the start of the question; the others go the other way round in one of the axes that wrap. False: there is none.
bool bi_space_goal_state(const PlanSpace* space, const double* goal, int32_t which, double* out);

void bi_space_point_from_state(const PlanSpace* space, const double* state, double* point);
void bi_space_state_from_point(const PlanSpace* space, const double* point, double* state);
double bi_space_distance(const PlanSpace* space, const double* a, const double* b);
/// The point at share t of the way from a to b; exactly a at 0 and b at 1.
void bi_space_between(const PlanSpace* space, const double* a, const double* b, double t, double* out);
void bi_space_sample(PlanSpace* space, double* point);
/// Anywhere between two points, or a share `beyond` of its range's width beyond them in each value.
void bi_space_sample_between(PlanSpace* space, const double* a, const double* b, double beyond,
                             double* point);
/// Near `centre`: each value within `reach` of its range's width, within its range.
void bi_space_sample_near(PlanSpace* space, const double* centre, double reach, double* point);
/// Coordinates in which plain Euclidean distance is about bi_space_distance: for nearest neighbours.
void bi_space_scale(const PlanSpace* space, const double* point, float* out);
/// The length of the diagonal of what samples are drawn from.
double bi_space_extent(const PlanSpace* space);

/// Is an orientation turned by half a turn, as far as a file can tell? Then there is no shorter arc, and readers of motions refuse it.
bool bi_space_turns_half(const PlanSpace* space, const double* a, const double* b);

/// One state, with what it collides with.
BerthStatus bi_space_ask_state(PlanSpace* space, const double* state, BerthCheckResult* out);
/// Points: *free is 1 for those that are proven free.
BerthStatus bi_space_ask_points(PlanSpace* space, const double* points, int32_t count, uint8_t* is_free);

/// An edge between two points.
typedef struct SpaceEdge {
    const double *from, *to;
} SpaceEdge;
/// Which edges need an answer: those behind the first that is blocked, or that is free, may be told as not free.
typedef enum SpaceWish { SPACE_ALL = 0, SPACE_UNTIL_BLOCKED, SPACE_UNTIL_FREE } SpaceWish;
/// Up to SPACE_BATCH edges: is_free[i] is 1 for those that are proven free, else 0.
BerthStatus bi_space_ask_edges(PlanSpace* space, const SpaceEdge* edges, int32_t count, SpaceWish wish,
                               uint8_t* is_free);
/// Tells who watches that a tree has got an edge.
void bi_space_tell_edge(PlanSpace* space, int32_t tree, const double* from, const double* to);
/// One edge.
BerthStatus bi_space_ask_edge(PlanSpace* space, const double* from, const double* to, bool* is_free);

#endif
