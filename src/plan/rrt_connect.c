// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// RRT-Connect (Kuffner and LaValle, 2000) on certified edges: two trees take turns, the smaller one more
// often. One grows by an edge towards a random state; the other then tries to reach what was added, and grows
// as far as it can. An edge that is not proven free does not exist.
// Entry: bi_plan_search_rrt_connect.

#include <math.h>

#include "plan/plan.h"

// What was best in the median and for the slowest twentieth of 500 searches of the Panda, ten seeds in 50 problems: edges are at
// most EDGE_SHARE of the space's diagonal; most samples are between start and goal, or a little beyond; an edge that is
// blocked somewhere is tried up to half of that.
static const double EDGE_SHARE = 0.25, NEAR_SAMPLES = 0.8, NEAR_BEYOND = 0.15, PART = 0.5, LEAST_PART = 0.2;

// A point from which an edge was blocked is near something: samples far beyond mostly lie behind it, and an edge costs ten times as much as to
// draw another one (Yershova, Jaillet, Simeon and LaValle, 2005, dynamic domains). Its reach is so many times the usual length at
// first, is less with each edge that is blocked and more with each that is free. In spaces of many dimensions nearly all samples are far
// away: one of some is tried in any case.
static const double FIRST_REACH = 2.0, LEAST_REACH = 0.8, REACH_LESS = 0.6, REACH_MORE = 1.2;
enum { PASSED_IN_A_ROW = 16 };

/// Most turns in a row of the smaller tree. Without an end to it a tree that is shut in would keep the other from coming.
enum { TURNS_IN_A_ROW = 32 };

typedef struct Rrt {
    BerthPlanner* planner;
    PlanSpace* space;
    double edge_length;
    int32_t goal_count;  // roots of the goal tree
    int32_t passed;      // samples beyond reach, one after the other
    BerthStatus status;
} Rrt;

static SearchEnd fail(Rrt* rrt, BerthStatus status) {
    rrt->status = status;
    return SEARCH_FAILED;
}

// A point of a tree, reached from another one by an edge that is proven. -1 when there is no memory.
static int32_t add(Rrt* rrt, PlanTree* tree, const double* point, int32_t parent) {
    const int32_t added = bi_plan_tree_add(tree, rrt->space, point, parent);
    if (added >= 0) {
        bi_space_tell_edge(rrt->space, (int32_t)(tree - rrt->planner->trees), plan_tree_point(tree, parent),
                           plan_tree_point(tree, added));
    }
    return added;
}

// True when a sample is worth an edge from this point; those that are not are counted.
static bool take_in_reach(Rrt* rrt, const PlanTree* tree, int32_t point, double distance) {
    const bool is_far = distance > (double)tree->reaches[point];
    rrt->passed = is_far && rrt->passed < PASSED_IN_A_ROW ? rrt->passed + 1 : 0;
    return rrt->passed == 0;
}

static void learn_reach(const Rrt* rrt, PlanTree* tree, int32_t point, bool is_free) {
    const double reach = (double)tree->reaches[point], length = rrt->edge_length;
    if (is_free) {
        tree->reaches[point] = (float)(REACH_MORE * reach);
    } else {
        tree->reaches[point] =
            (float)(isinf(reach) ? FIRST_REACH * length : fmax(LEAST_REACH * length, REACH_LESS * reach));
    }
}

// One edge from the nearest point of `tree` towards `sample`. `*added` is the new point, or -1 where there is none.
static SearchEnd extend(Rrt* rrt, PlanTree* tree, const double* sample, int32_t* added) {
    PlanSpace* space = rrt->space;
    double* target = rrt->planner->scratch + (size_t)space->dimension;
    *added = -1;

    const int32_t near = bi_plan_tree_nearest(tree, space, sample);
    const double* from = plan_tree_point(tree, near);
    const double distance = bi_space_distance(space, from, sample);
    if (!(distance > 0.0) || !take_in_reach(rrt, tree, near, distance)) {
        return SEARCH_SPENT;
    }

    bool is_free = false;
    const double share = fmin(1.0, rrt->edge_length / distance);
    bi_space_between(space, from, sample, share, target);
    BerthStatus status = bi_space_ask_edge(space, from, target, &is_free);
    if (status == BERTH_OK && !is_free &&
        space->blocked_at * share * distance > LEAST_PART * rrt->edge_length) {
        bi_space_between(space, from, sample, PART * space->blocked_at * share, target);
        status = bi_space_ask_edge(space, from, target, &is_free);
    }
    if (status != BERTH_OK) {
        return fail(rrt, status);
    }

    learn_reach(rrt, tree, near, is_free);
    *added = is_free ? add(rrt, tree, target, near) : -1;
    return !is_free || *added >= 0 ? SEARCH_SPENT : fail(rrt, BERTH_ERR_MEMORY);
}

// From the nearest point of `tree` straight to `goal`. FOUND when that gets there: from point `*last`. Where it is blocked, the
// tree grows as far as edges of the usual length are free.
static SearchEnd connect(Rrt* rrt, PlanTree* tree, const double* goal, int32_t* last) {
    PlanSpace* space = rrt->space;
    int32_t at = bi_plan_tree_nearest(tree, space, goal);
    bool is_free = false;
    BerthStatus status = bi_space_ask_edge(space, plan_tree_point(tree, at), goal, &is_free);
    if (status != BERTH_OK) {
        return fail(rrt, status);
    }
    if (is_free) {
        *last = at;
        return SEARCH_FOUND;
    }

    const double distance = bi_space_distance(space, plan_tree_point(tree, at), goal);
    const int32_t steps = (int32_t)(space->blocked_at * distance / rrt->edge_length);
    double* stop = rrt->planner->scratch + 3 * (size_t)space->dimension;
    for (int32_t i = 0; i < steps; ++i) {
        const double* from = plan_tree_point(tree, at);
        bi_space_between(space, from, goal, rrt->edge_length / (distance - i * rrt->edge_length), stop);
        status = bi_space_ask_edge(space, from, stop, &is_free);
        if (status != BERTH_OK) {
            return fail(rrt, status);
        }
        if (!is_free) {
            break;
        }
        at = add(rrt, tree, stop, at);
        if (at < 0) {
            return fail(rrt, BERTH_ERR_MEMORY);
        }
    }
    return SEARCH_SPENT;
}

static void draw_sample(Rrt* rrt, double* sample) {
    PlanSpace* space = rrt->space;
    const PlanTree* trees = rrt->planner->trees;
    if (bi_random_between(&space->random, 0.0, 1.0) < NEAR_SAMPLES) {
        const int32_t goal = (int32_t)(bi_random_next(&space->random) % (uint64_t)rrt->goal_count);
        bi_space_sample_between(space, plan_tree_point(&trees[0], 0), plan_tree_point(&trees[1], goal),
                                NEAR_BEYOND, sample);
    } else {
        bi_space_sample(space, sample);
    }
}

// One turn: `tree` grows, the other one tries to follow.
static SearchEnd grow(Rrt* rrt, int32_t which) {
    BerthPlanner* planner = rrt->planner;
    PlanTree *tree = &planner->trees[which], *other = &planner->trees[1 - which];
    double* sample = planner->scratch;
    int32_t added = -1, last = -1;

    draw_sample(rrt, sample);
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
    const bool has_room = which == 0 ? bi_plan_path_join(&planner->path, tree, added, other, last)
                                     : bi_plan_path_join(&planner->path, other, last, tree, added);
    return has_room ? SEARCH_FOUND : fail(rrt, BERTH_ERR_MEMORY);
}

SearchEnd bi_plan_search_rrt_connect(BerthPlanner* planner, BerthStatus* status) {
    Rrt rrt = {.planner = planner,
               .space = &planner->space,
               .edge_length = EDGE_SHARE * bi_space_extent(&planner->space),
               .goal_count = planner->trees[1].count,
               .status = BERTH_OK};

    int32_t in_a_row = 0;
    for (int32_t which = 0;;) {
        const SearchEnd budget = bi_plan_check_budget(planner, status);
        if (budget != SEARCH_FOUND) {
            return budget;
        }

        const SearchEnd end = grow(&rrt, which);
        if (end != SEARCH_SPENT) {
            *status = rrt.status;
            return end;
        }

        // They take turns, but the smaller one has more of them.
        in_a_row += 1;
        if (in_a_row >= TURNS_IN_A_ROW || planner->trees[which].count >= planner->trees[1 - which].count) {
            which = 1 - which;
            in_a_row = 0;
        }
    }
}
