// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Shorter paths: straight edges between two points of the path, where those are proven free. First between
// its own points, as far ahead as possible; then between random positions on it, many candidates at a time,
// the best of which is used; finally the recursive shortcut of paper 001 (V-E) about random positions.
// Entry: bi_plan_shorten.

#include <math.h>
#include <string.h>

#include "plan/plan.h"

// A shortcut is worth asking about if it saves this share of the path, and rounds without any end the search.
static const double LEAST_SAVING = 0.01;
enum { CANDIDATES = 8, IDLE_ROUNDS = 6, RECURSION = 8 };

/// A position on the path: on the line behind point `index`.
typedef struct PathPosition {
    int32_t index;
    double t;
    double at;  ///< length from the start
} PathPosition;

typedef struct Shorten {
    BerthPlanner* planner;
    PlanSpace* space;
    double length;  ///< of the path
    int32_t left;   ///< attempts
    BerthStatus status;
} Shorten;

// True when it ends: attempts are spent, the search is to stop, or something failed. That it was cancelled is noted.
static bool poll_stop(Shorten* shorten) {
    const SpaceStop stop = bi_space_poll_stop(shorten->space);
    if (stop == SPACE_CANCELLED) {
        shorten->status = BERTH_ERR_CANCELLED;
    }
    return shorten->left <= 0 || stop != SPACE_GOES_ON || shorten->status != BERTH_OK;
}

// Counts as attempts. False when something failed.
static bool ask(Shorten* shorten, const SpaceEdge* edges, int32_t count, uint8_t* is_free) {
    shorten->left -= count;
    shorten->status = bi_space_ask_edges(shorten->space, edges, count, SPACE_UNTIL_FREE, is_free);
    return shorten->status == BERTH_OK;
}

static void measure(Shorten* shorten) {
    shorten->length = bi_plan_path_length(shorten->space, &shorten->planner->path);
}

// The spare path becomes the path.
static void take_spare(Shorten* shorten, bool has_room) {
    BerthPlanner* planner = shorten->planner;
    if (!has_room) {
        shorten->status = BERTH_ERR_MEMORY;
        return;
    }
    const PlanPath old = planner->path;
    planner->path = planner->spare;
    planner->spare = old;
    measure(shorten);
}

// ---- between the path's own points -----------------------------------------------------------------------------

// From each point to the furthest one that an edge reaches.
static void skip_points(Shorten* shorten) {
    BerthPlanner* planner = shorten->planner;
    const PlanPath* path = &planner->path;
    planner->spare.count = 0;
    bool has_room = bi_plan_path_add(&planner->spare, plan_path_point(path, 0));

    int32_t at = 0;
    while (at + 1 < path->count && has_room) {
        const int32_t ahead = path->count - 1 - at;
        const int32_t count = ahead - 1 < SPACE_BATCH ? ahead - 1 : SPACE_BATCH;
        SpaceEdge edges[SPACE_BATCH];
        uint8_t is_free[SPACE_BATCH] = {0};
        for (int32_t i = 0; i < count; ++i) {
            edges[i] = (SpaceEdge){plan_path_point(path, at), plan_path_point(path, at + 1 + count - i)};
        }
        if (count > 0 && (poll_stop(shorten) || !ask(shorten, edges, count, is_free))) {
            if (shorten->status != BERTH_OK) {
                return;
            }
        }

        int32_t next = at + 1;
        for (int32_t i = 0; i < count; ++i) {
            next = is_free[i] ? at + 1 + count - i : next;
        }
        at = next;
        has_room = bi_plan_path_add(&planner->spare, plan_path_point(path, at));
    }
    take_spare(shorten, has_room);
}

// ---- between positions -----------------------------------------------------------------------------------------

static PathPosition find_position(const Shorten* shorten, double at) {
    const PlanPath* path = &shorten->planner->path;
    double before = 0.0;
    for (int32_t i = 0; i + 1 < path->count; ++i) {
        const double step =
            bi_space_distance(shorten->space, plan_path_point(path, i), plan_path_point(path, i + 1));
        if (at <= before + step || i + 2 == path->count) {
            const double t = step > 0.0 ? fmin(1.0, fmax(0.0, (at - before) / step)) : 0.0;
            return (PathPosition){i, t, at};
        }
        before += step;
    }
    return (PathPosition){0, 0.0, 0.0};
}

static void point_at(const Shorten* shorten, const PathPosition* position, double* out) {
    const PlanPath* path = &shorten->planner->path;
    bi_space_between(shorten->space, plan_path_point(path, position->index),
                     plan_path_point(path, position->index + 1), position->t, out);
}

// A position between two points is on their line up to rounding, so what is left of a line that is cut is checked again: from
// its point to the first position, and from the second position to the next point.
static bool ask_cut(Shorten* shorten, const PathPosition* low, const double* from, const PathPosition* high,
                    const double* to) {
    const PlanPath* path = &shorten->planner->path;
    SpaceEdge edges[2];
    uint8_t is_free[2] = {1, 1};
    int32_t count = 0;
    if (low->t > 0.0) {
        edges[count++] = (SpaceEdge){plan_path_point(path, low->index), from};
    }
    if (high->t < 1.0) {
        edges[count++] = (SpaceEdge){to, plan_path_point(path, high->index + 1)};
    }
    if (count > 0) {
        shorten->status = bi_space_ask_edges(shorten->space, edges, count, SPACE_UNTIL_BLOCKED, is_free);
    }
    return shorten->status == BERTH_OK && is_free[0] && is_free[1];
}

static void cut(Shorten* shorten, const PathPosition* low, const double* from, const PathPosition* high,
                const double* to) {
    BerthPlanner* planner = shorten->planner;
    const PlanPath* path = &planner->path;
    bool has_room = true;
    planner->spare.count = 0;
    for (int32_t i = 0; i <= low->index && has_room; ++i) {
        has_room = bi_plan_path_add(&planner->spare, plan_path_point(path, i));
    }
    has_room = has_room && bi_plan_path_add(&planner->spare, from) && bi_plan_path_add(&planner->spare, to);
    for (int32_t i = high->index + 1; i < path->count && has_room; ++i) {
        has_room = bi_plan_path_add(&planner->spare, plan_path_point(path, i));
    }
    take_spare(shorten, has_room);
}

/// Two positions on the path, and what the straight line between them would save.
typedef struct Candidate {
    PathPosition low, high;
    double saves;
    SpaceEdge edge;
} Candidate;

/// Candidates of one round, those that save most first.
typedef struct Round {
    Candidate candidates[CANDIDATES];
    int32_t count;
} Round;

static double* candidate_point(const Shorten* shorten, int32_t index) {
    return shorten->planner->scratch + (size_t)index * (size_t)shorten->space->dimension;
}

// Two positions on the path become a candidate if the straight line between them is shorter by enough.
static void propose(Shorten* shorten, Round* round, double low, double high) {
    Candidate new = {.low = find_position(shorten, low), .high = find_position(shorten, high)};
    if (new.low.index == new.high.index) {
        return;
    }
    double *from = candidate_point(shorten, 2 * round->count),
           *to = candidate_point(shorten, 2 * round->count + 1);
    point_at(shorten, &new.low, from);
    point_at(shorten, &new.high, to);
    new.edge = (SpaceEdge){from, to};
    new.saves = high - low - bi_space_distance(shorten->space, from, to);
    if (!(new.saves > LEAST_SAVING * shorten->length)) {
        return;
    }

    int32_t at = round->count++;
    for (; at > 0 && round->candidates[at - 1].saves < new.saves; --at) {
        round->candidates[at] = round->candidates[at - 1];
    }
    round->candidates[at] = new;
}

// Takes the candidate that saves most of those that are free. True when one was taken.
static bool take_best(Shorten* shorten, const Round* round) {
    uint8_t is_free[CANDIDATES] = {0};
    SpaceEdge edges[CANDIDATES];
    for (int32_t i = 0; i < round->count; ++i) {
        edges[i] = round->candidates[i].edge;
    }
    if (round->count == 0 || !ask(shorten, edges, round->count, is_free)) {
        return false;
    }

    for (int32_t i = 0; i < round->count; ++i) {
        const Candidate* best = &round->candidates[i];
        if (is_free[i]) {
            if (!ask_cut(shorten, &best->low, best->edge.from, &best->high, best->edge.to)) {
                return false;
            }
            cut(shorten, &best->low, best->edge.from, &best->high, best->edge.to);
            return true;
        }
    }
    return false;
}

static void random_shortcuts(Shorten* shorten) {
    Random* random = &shorten->space->random;
    for (int32_t idle = 0; idle < IDLE_ROUNDS && !poll_stop(shorten);) {
        Round round;
        round.count = 0;
        for (int32_t i = 0; i < 2 * CANDIDATES && round.count < CANDIDATES; ++i) {
            const double a = bi_random_between(random, 0.0, shorten->length);
            const double b = bi_random_between(random, 0.0, shorten->length);
            propose(shorten, &round, fmin(a, b), fmax(a, b));
        }
        idle = take_best(shorten, &round) ? 0 : idle + 1;
    }
}

// Paper 001, V-E: about a random position q, between the middles of both halves of the path, then nearer and nearer to q. All
// steps of the recursion are checked together; the first that is free saves most.
static void recursive_shortcuts(Shorten* shorten) {
    Random* random = &shorten->space->random;
    for (int32_t idle = 0; idle < IDLE_ROUNDS && !poll_stop(shorten);) {
        const double q = bi_random_between(random, 0.0, shorten->length);
        Round round;
        round.count = 0;
        for (int32_t i = 0; i < RECURSION && round.count < CANDIDATES; ++i) {
            const double share = ldexp(1.0, -i - 1);
            propose(shorten, &round, q - share * q, q + share * (shorten->length - q));
        }
        idle = take_best(shorten, &round) ? 0 : idle + 1;
    }
}

BerthStatus bi_plan_shorten(BerthPlanner* planner) {
    Shorten shorten = {
        .planner = planner, .space = &planner->space, .left = planner->shorten_attempts, .status = BERTH_OK};
    if (planner->path.count < 3) {
        return BERTH_OK;
    }

    measure(&shorten);
    skip_points(&shorten);
    if (!poll_stop(&shorten)) {
        recursive_shortcuts(&shorten);
    }

    if (!poll_stop(&shorten)) {
        random_shortcuts(&shorten);
    }

    if (!poll_stop(&shorten)) {
        skip_points(&shorten);
    }

    return shorten.status;
}
