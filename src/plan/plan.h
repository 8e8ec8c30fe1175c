// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a planner: trees of points, the motion that was found, and the functions that the searches
// share.

#ifndef BI_PLAN_H
#define BI_PLAN_H

#include <berth/plan.h>

#include "plan/nearest.h"
#include "plan/space.h"

/// A tree of points, each reached from its parent; a root's parent is -1. Grows up to the def's state_limit.
typedef struct PlanTree {
    BerthAllocator allocator;
    int32_t dimension;
    double* points;
    int32_t* parents;
    float*
        reaches;  ///< samples beyond are seldom tried from a point; infinite until an edge from there was blocked
    int32_t count, capacity;
    Nearest nearest;
    float* scaled;  ///< scratch: one point for `nearest`
} PlanTree;

/// A motion: rows of points. Capacity grows as needed.
typedef struct PlanPath {
    BerthAllocator allocator;
    int32_t dimension;
    double* points;
    int32_t count, capacity;
} PlanPath;

/// A row of a timed motion: on which edge of the path and how far from its first point, the speed along it, and the seconds from
/// the row before.
typedef struct TimingKnot {
    int32_t edge;
    double distance, speed, duration;
} TimingKnot;

/// The path with times. Arrays that belong together are one block, which the first of them names.
typedef struct PlanTiming {
    bool is_set;  ///< it is of the planner's path
    double *times, *rows, *velocities;
    int32_t row_count;
    double *radii, *speeds;  ///< by point of the path: of the blend there, and along the path at its ends
    double* lengths;         ///< by edge
    double *velocity_limits, *acceleration_limits;  ///< by axis
    double *before, *behind;                        ///< scratch: a state each
    TimingKnot* knots;
    int32_t knot_count;
    BerthCurve* curves;  ///< scratch: of one segment
    int32_t default_accelerations;
    int32_t point_capacity, value_count;
    size_t row_numbers, corner_numbers, knot_capacity;  ///< of the blocks
} PlanTiming;

typedef struct PlanRoadmap PlanRoadmap;

struct BerthPlanner {
    BerthAllocator allocator;
    BerthPlannerKind kind;
    int32_t shorten_attempts;
    PlanSpace space;
    uint64_t generation;      ///< of the scene
    PlanTree trees[2];        ///< from the start, and from the goals
    PlanPath path;            ///< that was found
    PlanPath spare;           ///< what it becomes
    double* rows;             ///< the path as states
    size_t row_capacity;      ///< doubles
    int64_t milestone_count;  ///< of SBL's trees, which end with the search
    PlanRoadmap* roadmap;     ///< of PRM, or null; stays from one question to the next
    int32_t goal;             ///< which goal the path reaches
    int32_t* root_goals;      ///< by root of the goal tree: which goal it is
    size_t root_capacity;
    double* scratch;  ///< PLAN_SCRATCH points
    PlanTiming timing;
};

enum {
    PLAN_SCRATCH = 2 * SPACE_BATCH + 4  ///< points of scratch
};

// ---- trees -----------------------------------------------------------------------------------------------------

void bi_plan_tree_init(PlanTree* tree, const BerthAllocator* allocator, int32_t dimension);
void bi_plan_tree_free(PlanTree* tree);
void bi_plan_tree_clear(PlanTree* tree);
/// Adds a point and returns its number; -1 when there is no memory.
int32_t bi_plan_tree_add(PlanTree* tree, const PlanSpace* space, const double* point, int32_t parent);
/// The nearest point's number; -1 for an empty tree.
int32_t bi_plan_tree_nearest(PlanTree* tree, const PlanSpace* space, const double* point);
static inline const double* plan_tree_point(const PlanTree* tree, int32_t index) {
    return tree->points + (size_t)index * (size_t)tree->dimension;
}

// ---- paths -----------------------------------------------------------------------------------------------------

/// Adds a point behind the last, unless it equals that. False when there is no memory.
bool bi_plan_path_add(PlanPath* path, const double* point);
/// The same also when it equals that. `point` is not of the path.
bool bi_plan_path_push(PlanPath* path, const double* point);
void bi_plan_path_free(PlanPath* path);
static inline double* plan_path_point(const PlanPath* path, int32_t index) {
    return path->points + (size_t)index * (size_t)path->dimension;
}
double bi_plan_path_length(const PlanSpace* space, const PlanPath* path);
/// The branch from the root of one tree to `first`, then from `second` to the root of the other.
bool bi_plan_path_join(PlanPath* path, const PlanTree* from, int32_t first, const PlanTree* to,
                       int32_t second);

// ---- searches --------------------------------------------------------------------------------------------------

/// How a search ended. FOUND: the planner's path is there.
typedef enum SearchEnd { SEARCH_FOUND = 0, SEARCH_SPENT, SEARCH_FAILED } SearchEnd;

/// The roots of both trees are there. On FAILED `*status` says why.
SearchEnd bi_plan_search_rrt_connect(BerthPlanner* planner, BerthStatus* status);
SearchEnd bi_plan_search_sbl(BerthPlanner* planner, BerthStatus* status);
SearchEnd bi_plan_prm(BerthPlanner* planner, BerthStatus* status);

/// May the search go on? SPENT for samples, states and time; FAILED when cancelled.
SearchEnd bi_plan_check_budget(BerthPlanner* planner, BerthStatus* status);

/// Was the scene edited since? Lanes do not look: they would answer about the scene that it was.
bool bi_plan_is_stale(const BerthPlanner* planner);
/// OK where there is a path, and the scene is as it was.
BerthStatus bi_plan_check_found(const BerthPlanner* planner);

/// The motion between two rows of planner->timing. Its curves are valid until the next call.
void bi_timing_segment(BerthPlanner* planner, int32_t row, BerthSegment* out);
void bi_timing_free(PlanTiming* timing, const BerthAllocator* allocator);

/// Shortens the planner's path.
BerthStatus bi_plan_shorten(BerthPlanner* planner);

#endif
