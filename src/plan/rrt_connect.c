// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// RRT-Connect (Kuffner and LaValle, 2000) on certified edges: two trees take turns. One grows by an edge towards a random
// state; the other then grows towards what was added, edge by edge, until it gets there or is blocked. An edge that is not
// proven free does not exist. Points from which an edge failed are given samples nearby only (Yershova and others, 2005).
// Entry: bi_plan_rrt_connect.

#include <math.h>

#include "plan/plan.h"

// Edges are at most this share of the space's diagonal, and points whose edges fail keep to samples within so many edges.
static const double EDGE_SHARE = 0.15;
static const double FIRST_REACH = 2.0, LEAST_REACH = 0.5, REACH_SHRINKS = 0.5, REACH_GROWS = 1.5;

typedef struct Rrt {
    BerthPlanner* planner;
    PlanSpace* space;
    double edge_length;
    BerthStatus status;
} Rrt;

static SearchEnd fail(Rrt* rrt, BerthStatus status) {
    rrt->status = status;
    return SEARCH_FAILED;
}

static void shrink_reach(const Rrt* rrt, PlanTree* tree, int32_t from) {
    const float first = (float)(FIRST_REACH * rrt->edge_length),
                least = (float)(LEAST_REACH * rrt->edge_length);
    float* reach = &tree->reaches[from];
    *reach = isinf(*reach) ? first : fmaxf(least, *reach * (float)REACH_SHRINKS);
}

// One edge from the nearest point of `tree` towards `sample`. `*added` is the new point, or -1 where there is none.
static SearchEnd extend(Rrt* rrt, PlanTree* tree, const double* sample, int32_t* added) {
    PlanSpace* space = rrt->space;
    double* target = rrt->planner->scratch + (size_t)space->dimension;
    *added = -1;

    const int32_t near = bi_plan_tree_nearest(tree, space, sample);
    const double* from = plan_tree_point(tree, near);
    const double distance = bi_space_distance(space, from, sample);
    if (distance > (double)tree->reaches[near] || !(distance > 0.0)) {
        return SEARCH_SPENT;
    }
    bi_space_between(space, from, sample, fmin(1.0, rrt->edge_length / distance), target);

    uint8_t is_free = 0;
    const BerthStatus status = bi_space_ask_edges(space, &(SpaceEdge){from, target}, 1, true, &is_free);
    if (status != BERTH_OK) {
        return fail(rrt, status);
    }
    if (!is_free) {
        shrink_reach(rrt, tree, near);
        return SEARCH_SPENT;
    }

    tree->reaches[near] *= (float)REACH_GROWS;
    *added = bi_plan_tree_add(tree, space, target, near);
    return *added >= 0 ? SEARCH_SPENT : fail(rrt, BERTH_ERR_MEMORY);
}

// Edges from the nearest point of `tree` straight to `goal`, as far as they are free. FOUND when the last one gets there: from
// point `*last`.
static SearchEnd connect(Rrt* rrt, PlanTree* tree, const double* goal, int32_t* last) {
    PlanSpace* space = rrt->space;
    const size_t dimension = (size_t)space->dimension;
    double* stops = rrt->planner->scratch + 3 * dimension;

    int32_t at = bi_plan_tree_nearest(tree, space, goal);
    const double* from = plan_tree_point(tree, at);
    const double distance = bi_space_distance(space, from, goal);
    const int32_t steps = (int32_t)fmax(1.0, fmin(ceil(distance / rrt->edge_length), 1e6));

    for (int32_t done = 0; done < steps;) {
        const int32_t count = steps - done < SPACE_BATCH ? steps - done : SPACE_BATCH;
        SpaceEdge edges[SPACE_BATCH];
        uint8_t is_free[SPACE_BATCH];
        from = plan_tree_point(tree, at);
        for (int32_t i = 0; i < count; ++i) {
            double* stop = stops + (size_t)i * dimension;
            bi_space_between(space, from, goal, (double)(i + 1) / (double)(steps - done), stop);
            edges[i] = (SpaceEdge){i == 0 ? from : stop - dimension, stop};
        }
        const BerthStatus status = bi_space_ask_edges(space, edges, count, true, is_free);
        if (status != BERTH_OK) {
            return fail(rrt, status);
        }

        for (int32_t i = 0; i < count; ++i) {
            if (!is_free[i]) {
                return SEARCH_SPENT;
            }
            done += 1;
            if (done == steps) {
                *last = at;
                return SEARCH_FOUND;
            }
            at = bi_plan_tree_add(tree, space, edges[i].to, at);
            if (at < 0) {
                return fail(rrt, BERTH_ERR_MEMORY);
            }
        }
    }
    return SEARCH_SPENT;
}

// One turn: `tree` grows, the other one tries to follow.
static SearchEnd grow(Rrt* rrt, int32_t which) {
    BerthPlanner* planner = rrt->planner;
    PlanTree *tree = &planner->trees[which], *other = &planner->trees[1 - which];
    double* sample = planner->scratch;
    int32_t added = -1, last = -1;

    bi_space_sample(rrt->space, sample);
    SearchEnd end = extend(rrt, tree, sample, &added);
    if (end == SEARCH_FAILED || added < 0) {
        return end;
    }

    double* goal = planner->scratch + 2 * (size_t)rrt->space->dimension;
    bi_space_between(rrt->space, plan_tree_point(tree, added), sample, 0.0, goal);
    end = connect(rrt, other, goal, &last);
    if (end != SEARCH_FOUND) {
        return end;
    }
    const bool fits = which == 0 ? bi_plan_path_join(&planner->path, tree, added, other, last)
                                 : bi_plan_path_join(&planner->path, other, last, tree, added);
    return fits ? SEARCH_FOUND : fail(rrt, BERTH_ERR_MEMORY);
}

SearchEnd bi_plan_rrt_connect(BerthPlanner* planner, BerthStatus* status) {
    Rrt rrt = {.planner = planner,
               .space = &planner->space,
               .edge_length = EDGE_SHARE * bi_space_extent(&planner->space),
               .status = BERTH_OK};
    SearchEnd end = SEARCH_SPENT;

    for (int32_t which = 0;; which = 1 - which) {
        const SearchEnd budget = bi_plan_budget(planner, status);
        if (budget != SEARCH_FOUND) {
            return budget;
        }
        end = grow(&rrt, which);
        if (end != SEARCH_SPENT) {
            *status = rrt.status;
            return end;
        }
    }
}
