// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Moves that make the union of balls smaller while it still covers all points: a ball is perturbed, gives
// points at its rim away, or leaves its place to split another. Only the balls near a move are settled again,
// and only the lines through them are measured, so a move costs the same among six balls or six hundred. A
// slightly worse result is accepted at first, less and less. The budget is work, counted in points, balls and
// lines that were examined: the same on every machine.
// Entry: bi_cover_improve.

#include <float.h>
#include <string.h>

#include "cover/cover.h"

enum { NEAR_MAX = 20, CHANGED_MAX = 2 * NEAR_MAX + 2, BESIDE_MAX = 96, SETTLE_ROUNDS = 2 };

// Lines across the middle ball when volumes are compared.
#define LINES_EACH 14.0
// How much of one ball's share a move may make the volume larger, at first.
#define START_HEAT 0.04
// What a metre of forbidden protrusion weighs, against the area of its ball.
#define CAP_WEIGHT 8.0

/// The search: what a move changed, and how to take it back.
typedef struct Search {
    CoverFit* fit;
    int32_t changed[CHANGED_MAX];  // balls that the move may have changed
    int32_t changed_count;
    Ball before[CHANGED_MAX];
    int32_t* owner_before;
    int32_t* place;  // of each ball in the list that settles, or -1
    int32_t* best_owner;
    Ball* best_balls;
    CoverLines lines;
    double cap;   // largest protrusion that costs nothing
    double work;  // spent so far
} Search;

static double random_between(CoverFit* fit, double low, double high) {
    return bi_random_between(&fit->random, low, high);
}

static int32_t random_ball(CoverFit* fit) {
    return (int32_t)(bi_random_next(&fit->random) % (uint64_t)fit->ball_count);
}

static Vec3 random_direction(CoverFit* fit) {
    for (int32_t i = 0; i < 20; ++i) {
        // One after the other: compilers may choose the order of arguments, and with it the cover.
        const double x = random_between(fit, -1.0, 1.0);
        const double y = random_between(fit, -1.0, 1.0);
        const double z = random_between(fit, -1.0, 1.0);
        const Vec3 v = v3(x, y, z);
        const double sq = v3_length_sq(v);
        if (sq > 0.01 && sq <= 1.0) {
            return v3_scale(v, 1.0 / sqrt(sq));
        }
    }
    return v3(1, 0, 0);
}

// Notes a ball that is about to change.
static void note_ball(Search* search, int32_t ball) {
    for (int32_t i = 0; i < search->changed_count; ++i) {
        if (search->changed[i] == ball) {
            return;
        }
    }

    if (search->changed_count < CHANGED_MAX) {
        search->before[search->changed_count] = search->fit->balls[ball];
        search->changed[search->changed_count++] = ball;
    }
}

// The ball itself first, then those it overlaps.
static int32_t list_overlapping(const CoverFit* fit, int32_t ball, int32_t near[NEAR_MAX]) {
    int32_t count = 0;
    near[count++] = ball;

    const Ball* own = &fit->balls[ball];
    for (int32_t i = 0; i < fit->ball_count && count < NEAR_MAX; ++i) {
        const double reach = own->radius + fit->balls[i].radius;
        if (i != ball && v3_length_sq(v3_sub(own->centre, fit->balls[i].centre)) < reach * reach) {
            near[count++] = i;
        }
    }
    return count;
}

// ---- settling a few balls ------------------------------------------------------------------------------------

static int32_t deepest_of_list(const CoverFit* fit, const int32_t* list, int32_t count, Vec3 p) {
    int32_t best = list[0];
    double best_depth = -DBL_MAX;
    for (int32_t k = 0; k < count; ++k) {
        const double depth = cover_depth_in_ball(fit->body->metric, &fit->balls[list[k]], p);
        if (depth > best_depth) {
            best_depth = depth;
            best = list[k];
        }
    }
    return best;
}

static void reassign_points(Search* search, const int32_t* list, int32_t count) {
    CoverFit* fit = search->fit;
    for (size_t i = 0; i < fit->points.count; ++i) {
        if (search->place[fit->owner[i]] >= 0) {
            fit->owner[i] = deepest_of_list(fit, list, count, fit->points.at[i]);
            search->work += count;
        }
    }
    search->work += 0.5 * (double)fit->points.count;
}

// The smallest balls around the points of each in the list; radius 0 for one that has none.
static void shrink_to_points(Search* search, const int32_t* list, int32_t count) {
    CoverFit* fit = search->fit;
    int32_t first[NEAR_MAX + 3] = {0};

    // Points of each ball of the list are gathered next to each other.
    for (size_t i = 0; i < fit->points.count; ++i) {
        const int32_t place = search->place[fit->owner[i]];
        first[place + 2] += 1;  // place -1 counts into first[1], which is not used
    }
    first[1] = 0;
    for (int32_t k = 0; k < count; ++k) {
        first[k + 2] += first[k + 1];
    }

    int32_t next[NEAR_MAX + 2];
    memcpy(next, first + 1, sizeof next);
    for (size_t i = 0; i < fit->points.count; ++i) {
        const int32_t place = search->place[fit->owner[i]];
        if (place >= 0) {
            fit->gathered[next[place]++] = fit->points.at[i];
        }
    }

    search->work += (double)fit->points.count + 8.0 * first[count + 1];
    for (int32_t k = 0; k < count; ++k) {
        const int32_t size = first[k + 2] - first[k + 1];
        if (size > 0) {
            fit->balls[list[k]] =
                bi_cover_smallest_ball(fit->body->metric, fit->gathered + first[k + 1], size);
        } else {
            fit->balls[list[k]].radius = 0.0;
        }
    }
}

// Points go to the listed ball they are deepest in (from the start with `reassign_first`), then each ball shrinks to its points.
static void settle_listed(Search* search, const int32_t* list, int32_t count, bool reassign_first,
                          int32_t rounds) {
    for (int32_t k = 0; k < count; ++k) {
        search->place[list[k]] = k;
        note_ball(search, list[k]);
    }

    for (int32_t round = 0; round < rounds; ++round) {
        if (reassign_first || round > 0) {
            reassign_points(search, list, count);
        }
        shrink_to_points(search, list, count);
    }

    for (int32_t k = 0; k < count; ++k) {
        search->place[list[k]] = -1;
    }
}

// ---- moves ---------------------------------------------------------------------------------------------------

// A ball loses or gains weight and stands elsewhere: points change hands where balls meet.
static void shake_ball(Search* search) {
    CoverFit* fit = search->fit;
    int32_t near[NEAR_MAX];
    const int32_t ball = random_ball(fit);
    const int32_t count = list_overlapping(fit, ball, near);

    const int32_t times = bi_random_next(&fit->random) % 3 == 0 ? 2 : 1;
    for (int32_t i = 0; i < times; ++i) {
        int32_t moved = ball;
        if (i > 0) {
            moved = near[bi_random_next(&fit->random) % (uint64_t)count];
        }
        note_ball(search, moved);
        Ball* at = &fit->balls[moved];
        const double size = 0.4 * pow(0.02, random_between(fit, 0.0, 1.0));
        at->radius *= 1.0 + size * random_between(fit, -1.0, 1.0);
        const double share = random_between(fit, 0.0, 1.0);
        at->centre = v3_mad(at->centre, size * at->radius * share, random_direction(fit));
    }

    settle_listed(search, near, count, true, SETTLE_ROUNDS);
}

// Points of one ball's rim, on one side, go to others near.
static void hand_over_rim(Search* search) {
    CoverFit* fit = search->fit;
    int32_t near[NEAR_MAX];
    const int32_t ball = random_ball(fit);
    const int32_t count = list_overlapping(fit, ball, near);
    if (count < 2) {
        return;
    }

    const Vec3 along = random_direction(fit);
    const double share = random_between(fit, 0.0, 1.0);
    const double rim = fit->balls[ball].radius * (1.0 - 0.5 * share * share);
    const Vec3 c = fit->balls[ball].centre;

    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == ball && v3_dot(v3_sub(fit->points.at[i], c), along) > rim) {
            fit->owner[i] = deepest_of_list(fit, near + 1, count - 1, fit->points.at[i]);
        }
    }

    settle_listed(search, near, count, false, SETTLE_ROUNDS);
}

// The smallest (sign -1) or largest (+1) of three random balls.
static int32_t pick_ball(CoverFit* fit, double sign) {
    int32_t best = random_ball(fit);
    for (int32_t i = 0; i < 2; ++i) {
        const int32_t other = random_ball(fit);
        best = sign * fit->balls[other].radius > sign * fit->balls[best].radius ? other : best;
    }
    return best;
}

// Towards the farthest point that the ball has, or anywhere.
static Vec3 split_direction(CoverFit* fit, int32_t ball) {
    const Vec3 along = random_direction(fit);
    if (bi_random_next(&fit->random) % 4 == 0) {
        return along;
    }

    Vec3 far = along;
    double most = 0.0;
    for (size_t i = 0; i < fit->points.count; ++i) {
        const Vec3 out = v3_sub(fit->points.at[i], fit->balls[ball].centre);
        if (fit->owner[i] == ball && v3_length_sq(out) > most) {
            most = v3_length_sq(out);
            far = out;
        }
    }
    return far;
}

// A ball without points takes half of another's.
static void split_into_empty(Search* search, int32_t empty, int32_t from) {
    CoverFit* fit = search->fit;
    const Vec3 along = split_direction(fit, from);

    const Vec3 c = fit->balls[from].centre;
    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == from && v3_dot(v3_sub(fit->points.at[i], c), along) > 0.0) {
            fit->owner[i] = empty;
        }
    }

    settle_listed(search, (int32_t[]){from, empty}, 2, false, 1);

    int32_t near[NEAR_MAX];
    const int32_t count = list_overlapping(fit, from, near);
    settle_listed(search, near, count, true, SETTLE_ROUNDS);
}

// A ball goes, another is split: the way to move one from where it does little to where it does much.
static void move_ball(Search* search) {
    CoverFit* fit = search->fit;
    int32_t near[NEAR_MAX];
    const int32_t ball = pick_ball(fit, -1.0), target = pick_ball(fit, 1.0);
    const int32_t count = list_overlapping(fit, ball, near);
    if (count < 2 || target == ball) {
        return;
    }

    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == ball) {
            fit->owner[i] = deepest_of_list(fit, near + 1, count - 1, fit->points.at[i]);
        }
    }

    settle_listed(search, near, count, false, 1);
    split_into_empty(search, ball, target);
}

// What the changed balls' union gained, the others near taken into account.
static double volume_change(Search* search) {
    const CoverFit* fit = search->fit;
    Ball old[CHANGED_MAX + BESIDE_MAX], now[CHANGED_MAX + BESIDE_MAX];
    Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX), high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    int32_t count = search->changed_count;
    for (int32_t k = 0; k < count; ++k) {
        old[k] = search->before[k];
        now[k] = fit->balls[search->changed[k]];
        for (int32_t side = 0; side < 2; ++side) {
            const Ball* ball = side == 0 ? &old[k] : &now[k];
            const Vec3 r = v3(ball->radius, ball->radius, ball->radius);
            low = v3_min(low, v3_sub(ball->centre, r));
            high = v3_max(high, v3_add(ball->centre, r));
        }
    }

    // Balls that did not change but reach into their box.
    for (int32_t i = 0; i < fit->ball_count; ++i) {
        const Ball* ball = &fit->balls[i];
        const Vec3 apart = v3_sub(v3_max(low, v3_min(high, ball->centre)), ball->centre);
        bool beside = v3_length_sq(apart) < ball->radius * ball->radius;
        for (int32_t k = 0; k < search->changed_count && beside; ++k) {
            beside = search->changed[k] != i;
        }

        if (beside && count == CHANGED_MAX + BESIDE_MAX) {
            return DBL_MAX;  // too crowded to tell
        }
        if (beside) {
            old[count] = now[count] = *ball;
            ++count;
        }
    }

    search->work += fit->ball_count;
    return bi_cover_union_volume_through_box(now, count, &search->lines, low, high, &search->work) -
           bi_cover_union_volume_through_box(old, count, &search->lines, low, high, &search->work);
}

static void undo_move(Search* search) {
    CoverFit* fit = search->fit;
    for (int32_t k = 0; k < search->changed_count; ++k) {
        fit->balls[search->changed[k]] = search->before[k];
    }
    memcpy(fit->owner, search->owner_before, fit->points.count * sizeof *fit->owner);
}

static double try_move(Search* search) {
    CoverFit* fit = search->fit;
    const uint64_t kind = bi_random_next(&fit->random) % 16;
    search->changed_count = 0;
    memcpy(search->owner_before, fit->owner, fit->points.count * sizeof *fit->owner);

    if (kind < 3) {
        move_ball(search);
    } else if (kind < 6) {
        hand_over_rim(search);
    } else {
        shake_ball(search);
    }
    // A ball that lost all its points stands up again elsewhere.
    for (int32_t k = 0; k < search->changed_count && search->changed_count < NEAR_MAX; ++k) {
        const int32_t ball = search->changed[k];
        if (fit->balls[ball].radius <= 0.0) {
            const int32_t target = pick_ball(fit, 1.0);
            if (target != ball && fit->balls[target].radius > 0.0) {
                split_into_empty(search, ball, target);
            }
        }
    }
    // Near lists were cut short: what was not noted cannot be taken back in full.
    return search->changed_count > 0 && search->changed_count < CHANGED_MAX ? volume_change(search) : DBL_MAX;
}

// What the changed balls' protrusion beyond the cap costs, less what it did before.
static double cap_change(Search* search) {
    const CoverFit* fit = search->fit;
    double sum = 0.0;
    for (int32_t k = 0; k < search->changed_count; ++k) {
        for (int32_t side = 0; side < 2; ++side) {
            const Ball* ball = side == 0 ? &search->before[k] : &fit->balls[search->changed[k]];
            const double most = ball->radius - search->cap;
            if (!(most > 0.0)) {
                continue;  // whatever the depth is
            }
            const double beyond = fmax(most - fmax(bi_cover_depth(fit->body, ball->centre), 0.0), 0.0);
            sum += (side == 0 ? -CAP_WEIGHT : CAP_WEIGHT) * beyond * ball->radius * ball->radius;
            search->work += 200.0;
        }
    }
    return sum;
}

static void keep_best(const Search* search) {
    const CoverFit* fit = search->fit;
    memcpy(search->best_balls, fit->balls, (size_t)fit->ball_count * sizeof *fit->balls);
    memcpy(search->best_owner, fit->owner, fit->points.count * sizeof *fit->owner);
}

// One move, kept or taken back: what it cost.
static double make_move(Search* search, double heat) {
    double change = try_move(search);
    if (change < heat) {
        change += cap_change(search);
    }
    if (!(change < heat)) {
        undo_move(search);
        return 0.0;
    }
    return change;
}

static BerthStatus run_search(Search* search, double work) {
    CoverFit* fit = search->fit;
    const double start = bi_cover_union_volume(fit->balls, fit->ball_count, &search->lines);
    double cost = start, best = start;
    keep_best(search);

    // Cost counts from the start: volume, and what the cap adds to or takes from it.
    for (int32_t move = 0; search->work < work; ++move) {
        if (move % 16 == 0 && fit->stop.asked(fit->stop.user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
        }

        search->work += 0.25 * (double)fit->points.count + 50.0;
        const double cool = fmax(1.0 - search->work / work, 0.0);
        const double heat =
            START_HEAT * start / fit->ball_count * cool * cool * random_between(fit, 0.0, 1.0);
        cost += make_move(search, heat);

        // Copying all is dear among many balls: only when it is better by a thousandth.
        if (cost < best - 1e-3 * start) {
            best = cost;
            keep_best(search);
        }
    }

    if (best < cost) {
        memcpy(fit->balls, search->best_balls, (size_t)fit->ball_count * sizeof *fit->balls);
        memcpy(fit->owner, search->best_owner, fit->points.count * sizeof *fit->owner);
    }
    return BERTH_OK;
}

static BerthStatus take_scratch(Search* search) {
    const CoverFit* fit = search->fit;
    Arena* arena = &fit->body->arena;
    search->owner_before = bi_arena_take(arena, fit->points.count, sizeof *search->owner_before);
    search->best_owner = bi_arena_take(arena, fit->points.count, sizeof *search->best_owner);
    search->best_balls = bi_arena_take(arena, (size_t)fit->ball_count, sizeof *search->best_balls);
    search->place = bi_arena_take(arena, (size_t)fit->ball_count, sizeof *search->place);
    return search->owner_before != NULL && search->best_owner != NULL && search->best_balls != NULL &&
                   search->place != NULL
               ? BERTH_OK
               : bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}

BerthStatus bi_cover_improve(CoverFit* fit, double work, double cap) {
    if (fit->ball_count < 2 || !(work > 0.0)) {
        return BERTH_OK;
    }

    BerthStatus status = bi_cover_settle(fit, 1);
    Search search = {.fit = fit, .lines = bi_cover_lines(fit->body), .cap = cap};
    if (status == BERTH_OK) {
        status = take_scratch(&search);
    }
    if (status != BERTH_OK || fit->ball_count < 2) {
        return status;
    }

    double sum = 0.0;
    for (int32_t i = 0; i < fit->ball_count; ++i) {
        search.place[i] = -1;
        sum += fit->balls[i].radius;
    }

    search.lines.step = fmax(2.0 * sum / fit->ball_count / LINES_EACH, search.lines.step);
    return run_search(&search, work);
}
