// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A body's covers by one ball, two, three and so on, each proven, none looser than the one before; the last
// one is the result. The sequence does not depend on where it ends, so more balls never protrude more nor
// have more volume than fewer. A step splits the ball where that gains most and proves what that ball covered
// alone; simple covers (starts.c) are used where they are better; at fixed counts everything is moved and
// improved.
// Entry: bi_cover_run_chain.

#include <float.h>
#include <string.h>

#include "cover/many.h"
#include "cover/starts.h"

enum { OWN_CELLS = 12, OWN_MAX = 250000, TIGHT_ROUNDS = 6, POINTS_TO = 64, CAP_FROM = 2, FEW_BALLS = 12 };
enum { HALVE_POINTS = 1500, SPLIT_TRIES = 4, SPLIT_GROUPS = 3, SPLIT_ROUNDS = 2, SEAM_ROUNDS = 2 };

// Work of one improvement, in points, balls and lines that are looked at: some tenths of a second.
#define IMPROVE_WORK 8e7
// Covers are improved at 2, 3, 4, 6, 9, 13, 19 ... balls.
#define COUNT_FACTOR 1.5
// A new cover replaces the old one when it is smaller by more than volumes are off.
#define BETTER_SHARE 5e-4
// Balls may protrude this much more than greedy ones of the same number, which cover points only.
#define LOOSER 1.7
// What proving may add to a protrusion.
#define CAP_SHARE 0.985
// Below the first effort balls are only split and simple covers taken; below the second all are tightened once only.
#define SOME_EFFORT 0.05
#define FULL_EFFORT 2.0
// A cover that is so much larger is not tightened.
#define HOPELESS 1.25
// Share of the distance of points that radii grow by.
#define BETWEEN_POINTS 0.4
// Balls are tightened again while that takes off this share of the volume.
#define TIGHT_SHARE 2e-3

/// From this many balls on so many points, and so many cells inside.
static const struct {
    int32_t from, points, cells;
} tiers[] = {{1, 2200, 7000}, {40, 5000, 12000}, {160, 12000, 30000}, {640, 30000, 90000}};
enum { TIER_COUNT = (int)(sizeof tiers / sizeof tiers[0]) };

/// A proven cover.
typedef struct Cover {
    Ball* balls;
    double* protrusion;  // of each
    int32_t count;
    double volume, reach;
} Cover;

typedef struct Chain {
    CoverJob* job;
    CoverBody* body;
    CoverLines lines;
    CoverFit fit;
    size_t point_count;  // of the fit, without misses
    int32_t tier;
    CoverStarts starts;
    Cover now, trial, spare;
    Vec3* some;                     // of points that are halved
    CoverPoints own;                // what one ball alone covers
    int32_t* order;                 // of balls that may be split
    Ball* tight;                    // balls in the order in which they are tightened
    int32_t aim;                    // balls that the step is about
    double* least_reach;            // of the covers by at most so many balls
    Ball* near[2];                  // balls around a split, before and after
    int32_t improve_at;             // the next count where all is improved
    int32_t changes;                // of `now` so far
    int32_t stuck_at, improved_at;  // that many changes: no split helps, all is improved
} Chain;

/// One or two balls, and what stands for them: one can be cut in two, be made smaller, or not be needed; two can share
/// what they cover in another way.
typedef struct Split {
    int32_t ball, other;  // other: -1 when there is one only
    Ball region;          // around both
    Ball halves[2];
    int32_t half_count;
    double change;  // of the volume, before the proof
} Split;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}

static bool is_closed(const CoverBody* body) {
    return body->open_count < body->part_count;
}

// Radii that leave room for the skin that the proof requires.
static void grow_by_skin(const CoverBody* body, Ball* balls, int32_t count) {
    const double spare = is_closed(body) ? BI_COVER_SKIN * cover_room(body->metric) : 0.0;
    for (int32_t i = 0; i < count; ++i) {
        balls[i].radius = fmax(balls[i].radius * (1.0 + 1e-9) / (1.0 - spare), body->radius_min);
    }
}

// Fewer balls may protrude less than a few more: the eight octants of a cube do, but not nine balls. A quarter of them
// never does. Nor do balls protrude much more than greedy ones do that are made for it.
static double reach_allowed(const Chain* chain) {
    const double quarter = chain->aim < 4 * CAP_FROM ? DBL_MAX : chain->least_reach[chain->aim / 4];
    return chain->starts.reach_found > 0.0 ? fmin(quarter, LOOSER * chain->starts.reach_found) : quarter;
}

// ---- covers --------------------------------------------------------------------------------------------------

static bool take_cover(Arena* arena, Cover* out) {
    out->balls = bi_arena_take(arena, BI_COVER_BALLS_MAX + 2, sizeof *out->balls);
    out->protrusion = bi_arena_take(arena, BI_COVER_BALLS_MAX + 2, sizeof *out->protrusion);
    return out->balls != NULL && out->protrusion != NULL;
}

static void measure_cover(const Chain* chain, Cover* cover) {
    cover->volume = bi_cover_union_volume(cover->balls, cover->count, &chain->lines);
    cover->reach = 0.0;
    for (int32_t i = 0; i < cover->count; ++i) {
        cover->protrusion[i] = bi_cover_protrusion(chain->body, &cover->balls[i]);
        cover->reach = fmax(cover->reach, cover->protrusion[i]);
    }
}

static void swap_covers(Chain* chain) {
    const Cover old = chain->now;
    chain->now = chain->trial;
    chain->trial = old;
    chain->changes += 1;
}

// Makes a proven cover of the balls in `trial`, or says that it could not.
static BerthStatus prove_trial(Chain* chain, bool* proven) {
    CoverJob* job = chain->job;
    Cover* trial = &chain->trial;
    *proven = false;
    bi_cover_drop_useless(chain->body, trial->balls, &trial->count);
    bi_cover_round_centres(chain->body, trial->balls, trial->count);

    // Growing only adds, so one pass is enough; the last proof of all is made about what comes out.
    CoverProof proof;
    const CoverQuestion question = {
        .leaf = chain->body->diagonal / 1500.0, .grow = true, .work = BI_COVER_WORK / 8, .stop = job->pause};
    const BerthStatus status = bi_cover_prove(chain->body, trial->balls, trial->count, &question, &proof);
    if (status != BERTH_OK || proof.spent) {
        return status;
    }

    bi_cover_round_radii_up(chain->body, trial->balls, trial->count);
    measure_cover(chain, trial);
    *proven = true;
    return BERTH_OK;
}

// ---- splitting -----------------------------------------------------------------------------------------------

// Copies all balls but those of the split into `trial`.
static void leave_out(Chain* chain, const Split* split) {
    const Cover* now = &chain->now;
    Cover* trial = &chain->trial;
    trial->count = 0;
    for (int32_t i = 0; i < now->count; ++i) {
        if (i != split->ball && i != split->other) {
            trial->protrusion[trial->count] = now->protrusion[i];
            trial->balls[trial->count++] = now->balls[i];
        }
    }
}

// Which points of the split's region no ball has? They are collected in `own`.
static CoverQuestion ask_for_own(Chain* chain, const Split* split, double leaf) {
    return (CoverQuestion){.leaf = leaf,
                           .region = &split->region,
                           .misses = &chain->own,
                           .misses_max = OWN_MAX,
                           .collect = true,
                           .work = BI_COVER_WORK / 80,
                           .stop = chain->job->pause};
}

// What of the body the balls of the split alone cover, by points: `own`. None: they are not needed.
static BerthStatus collect_own(Chain* chain, const Split* split, bool* all) {
    leave_out(chain, split);
    chain->own.count = 0;

    CoverProof proof;
    const CoverQuestion question = ask_for_own(chain, split, split->region.radius / OWN_CELLS);
    const BerthStatus status =
        bi_cover_prove(chain->body, chain->trial.balls, chain->trial.count, &question, &proof);
    *all = status == BERTH_OK && !proof.spent && chain->own.count < OWN_MAX;
    return status;
}

// The smallest balls around the first points and around the others; false when there are none of one kind.
static bool wrap_parts(BerthMetric metric, const Vec3* points, int32_t first, int32_t count, Ball halves[2]) {
    if (first == 0 || first == count) {
        return false;
    }
    halves[0] = bi_cover_smallest_ball(metric, points, first);
    halves[1] = bi_cover_smallest_ball(metric, points + first, count - first);
    return true;
}

// Every point to the ball it is deeper in, and the smallest balls around what each got; false when one got none.
static bool share_points(BerthMetric metric, Vec3* points, int32_t count, Ball halves[2]) {
    int32_t first = 0;
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 p = points[i];
        if (cover_depth_in_ball(metric, &halves[0], p) > cover_depth_in_ball(metric, &halves[1], p)) {
            points[i] = points[first];
            points[first++] = p;
        }
    }
    return wrap_parts(metric, points, first, count, halves);
}

// Two balls for points: halves along a direction, then shared again. False when a half is empty.
static bool halve_along(BerthMetric metric, Vec3* points, int32_t count, Vec3 middle, Vec3 along,
                        Ball halves[2]) {
    int32_t first = 0;
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 p = points[i];
        if (v3_dot(v3_sub(p, middle), along) > 0.0) {
            points[i] = points[first];
            points[first++] = p;
        }
    }

    bool shared = wrap_parts(metric, points, first, count, halves);
    for (int32_t round = 0; round < SPLIT_ROUNDS && shared; ++round) {
        shared = share_points(metric, points, count, halves);
    }
    return shared;
}

// The best of four directions: along the axes, and to the farthest point. Some of the points tell which; all are shared.
static bool halve_points(Chain* chain, Vec3* points, int32_t count, Ball halves[2]) {
    const BerthMetric metric = chain->body->metric;
    const int32_t stride = count / HALVE_POINTS + 1;
    int32_t used = 0;
    Vec3 sum = v3(0, 0, 0), low = points[0], high = points[0], far = v3(1, 1, 1);
    for (int32_t i = 0; i < count; i += stride) {
        chain->some[used++] = points[i];
        sum = v3_add(sum, points[i]);
        low = v3_min(low, points[i]);
        high = v3_max(high, points[i]);
    }

    const Vec3 middle = v3_scale(sum, 1.0 / used), centre = v3_scale(v3_add(low, high), 0.5);
    double most = 0.0, best = DBL_MAX;
    for (int32_t i = 0; i < used; ++i) {
        const Vec3 out = v3_sub(chain->some[i], middle);
        if (v3_length_sq(out) > most) {
            most = v3_length_sq(out);
            far = out;
        }
    }

    const Vec3 directions[] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1), far};
    for (int k = 0; k < 4; ++k) {
        Ball two[2];
        if (!halve_along(metric, chain->some, used, k < 3 ? centre : middle, directions[k], two)) {
            continue;
        }
        const double size =
            two[0].radius * two[0].radius * two[0].radius + two[1].radius * two[1].radius * two[1].radius;
        if (size < best) {
            best = size;
            memcpy(halves, two, sizeof two);
        }
    }
    return best < DBL_MAX && share_points(metric, points, count, halves);
}

static void widen_box(const Ball* ball, Vec3* low, Vec3* high) {
    const Vec3 r = v3(ball->radius, ball->radius, ball->radius);
    *low = v3_min(*low, v3_sub(ball->centre, r));
    *high = v3_max(*high, v3_add(ball->centre, r));
}

// What of the volume changes when the ball becomes its halves.
static double split_change(Chain* chain, const Split* split) {
    const Cover* now = &chain->now;
    Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX), high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    widen_box(&now->balls[split->ball], &low, &high);
    if (split->other >= 0) {
        widen_box(&now->balls[split->other], &low, &high);
    }
    for (int32_t k = 0; k < split->half_count; ++k) {
        widen_box(&split->halves[k], &low, &high);
    }

    int32_t count = 0;
    for (int32_t i = 0; i < now->count; ++i) {
        const Ball* ball = &now->balls[i];
        const Vec3 apart = v3_sub(v3_max(low, v3_min(high, ball->centre)), ball->centre);
        if (i != split->ball && i != split->other && v3_length_sq(apart) < ball->radius * ball->radius) {
            chain->near[0][count] = chain->near[1][count] = *ball;
            ++count;
        }
    }

    int32_t before = count;
    chain->near[0][before++] = now->balls[split->ball];
    if (split->other >= 0) {
        chain->near[0][before++] = now->balls[split->other];
    }
    for (int32_t k = 0; k < split->half_count; ++k) {
        chain->near[1][count + k] = split->halves[k];
    }
    return bi_cover_volume_change(chain->near[0], before, chain->near[1], count + split->half_count,
                                  &chain->lines, low, high);
}

// Points along the seam of two halves, finer and finer: what is between points of `own` may be in neither.
static BerthStatus close_seam(Chain* chain, Split* split, bool* all) {
    const BerthMetric metric = chain->body->metric;
    Cover* trial = &chain->trial;
    BerthStatus status = BERTH_OK;
    *all = true;
    for (int32_t round = 1; round <= SEAM_ROUNDS && status == BERTH_OK && *all; ++round) {
        leave_out(chain, split);
        memcpy(trial->balls + trial->count, split->halves, sizeof split->halves);
        grow_by_skin(chain->body, trial->balls + trial->count, 2);

        const size_t before = chain->own.count;
        CoverProof proof;
        const CoverQuestion question =
            ask_for_own(chain, split, ldexp(split->region.radius / OWN_CELLS, -round));
        status = bi_cover_prove(chain->body, trial->balls, trial->count + 2, &question, &proof);
        if (status != BERTH_OK || chain->own.count == before) {
            break;
        }
        *all = !proof.spent && chain->own.count < OWN_MAX &&
               share_points(metric, chain->own.at, (int32_t)chain->own.count, split->halves);
    }
    return status;
}

// How balls (`other` may be -1) would be replaced: by nothing, one or two. `*better`: with less volume.
static BerthStatus plan_split(Chain* chain, int32_t ball, int32_t other, int32_t half_count, Split* out,
                              bool* better) {
    const Ball* balls = chain->now.balls;
    *out = (Split){.ball = ball, .other = other, .region = balls[ball]};
    if (other >= 0) {
        out->region = bi_ball_merge(balls[ball], balls[other]);
    }
    *better = false;
    bool all = false;
    BerthStatus status = collect_own(chain, out, &all);
    if (status != BERTH_OK || !all) {
        return status;
    }

    const int32_t count = (int32_t)chain->own.count;
    const BerthMetric metric = chain->body->metric;
    if (count > 0) {
        out->half_count = half_count;
        out->halves[0] = bi_cover_smallest_ball(metric, chain->own.at, count);
        if (half_count == 2 && (count < 2 || !halve_points(chain, chain->own.at, count, out->halves))) {
            return BERTH_OK;
        }
        if (half_count == 2) {
            status = close_seam(chain, out, &all);
            if (status != BERTH_OK || !all) {
                return status;
            }
        }
        bi_cover_round_centres(chain->body, out->halves, half_count);
        grow_by_skin(chain->body, out->halves, half_count);
    }
    out->change = split_change(chain, out);
    *better = out->change < 0.0;
    return BERTH_OK;
}

// Proves what is planned: what was in the ball is in what replaces it, which grows for that, or in others. Kept when
// nothing is looser.
static BerthStatus try_split(Chain* chain, Split* split, bool* kept) {
    Cover *now = &chain->now, *trial = &chain->trial;
    *kept = false;

    leave_out(chain, split);
    const int32_t first = trial->count;
    for (int32_t k = 0; k < split->half_count; ++k) {
        trial->balls[trial->count++] = split->halves[k];
    }

    CoverProof proof;
    const CoverQuestion question = {.leaf = fmin(chain->body->diagonal / 1500.0, split->region.radius / 60.0),
                                    .region = &split->region,
                                    .grow = split->half_count > 0,
                                    .first_grown = first,
                                    .work = BI_COVER_WORK / 80,
                                    .stop = chain->job->pause};
    const BerthStatus status = bi_cover_prove(chain->body, trial->balls, trial->count, &question, &proof);
    if (status != BERTH_OK || proof.spent || (split->half_count == 0 && !proof.covered)) {
        return status;
    }

    // Rounded up, and then: is it smaller, and does it protrude no more?
    bi_cover_round_radii_up(chain->body, trial->balls + first, split->half_count);
    memcpy(split->halves, trial->balls + first, (size_t)split->half_count * sizeof *split->halves);
    double allowed = fmax(reach_allowed(chain), now->protrusion[split->ball]);
    if (split->other >= 0) {
        allowed = fmax(allowed, now->protrusion[split->other]);
    }
    for (int32_t i = first; i < trial->count; ++i) {
        trial->protrusion[i] = bi_cover_protrusion(chain->body, &trial->balls[i]);
        if (!(trial->protrusion[i] <= allowed)) {
            return BERTH_OK;
        }
    }
    const double change = split_change(chain, split);
    if (!(change < -1e-6 * now->volume / now->count)) {
        return BERTH_OK;
    }

    trial->volume = now->volume + change;
    trial->reach = 0.0;
    for (int32_t i = 0; i < trial->count; ++i) {
        trial->reach = fmax(trial->reach, trial->protrusion[i]);
    }
    swap_covers(chain);
    *kept = true;
    return BERTH_OK;
}

// About how much volume a ball has outside of the body; one that protrudes more than it may comes first.
static double worth_of(const Chain* chain, int32_t ball) {
    const double radius = chain->now.balls[ball].radius, protrusion = chain->now.protrusion[ball];
    return protrusion > reach_allowed(chain) ? 1e30 * protrusion : protrusion * radius * radius;
}

// Those that are worth most first.
static int32_t order_balls(Chain* chain, int32_t most) {
    const Cover* now = &chain->now;
    int32_t count = 0;
    for (int32_t i = 0; i < now->count; ++i) {
        const double worth = worth_of(chain, i);
        if (count == most && !(worth > worth_of(chain, chain->order[count - 1]))) {
            continue;
        }
        count += count < most ? 1 : 0;
        int32_t at = count - 1;
        for (; at > 0 && worth_of(chain, chain->order[at - 1]) < worth; --at) {
            chain->order[at] = chain->order[at - 1];
        }
        chain->order[at] = i;
    }
    return count;
}

// One ball more (or one less, where one is not needed). False when none of those tried made it better.
static BerthStatus split_some_ball(Chain* chain, bool* kept) {
    *kept = false;
    if (chain->stuck_at == chain->changes) {
        return BERTH_OK;  // nothing is different from when none helped
    }
    const int32_t most = order_balls(chain, SPLIT_TRIES * SPLIT_GROUPS);

    // Balls that protrude more than they may have the first try to themselves.
    int32_t group = 0;
    while (group < most && group < SPLIT_TRIES &&
           chain->now.protrusion[chain->order[group]] > reach_allowed(chain)) {
        ++group;
    }
    group = group > 0 ? group : SPLIT_TRIES;

    for (int32_t from = 0; from < most && !*kept; from += group, group = SPLIT_TRIES) {
        Split plans[SPLIT_TRIES];
        int32_t count = 0;

        // The plans of a few balls, the best first.
        for (int32_t i = from; i < most && i < from + group; ++i) {
            Split plan;
            bool better = false;
            const BerthStatus status = plan_split(chain, chain->order[i], -1, 2, &plan, &better);
            if (status != BERTH_OK) {
                return status;
            }
            if (!better) {
                continue;
            }
            int32_t at = count++;
            for (; at > 0 && plans[at - 1].change > plan.change; --at) {
                plans[at] = plans[at - 1];
            }
            plans[at] = plan;
        }

        for (int32_t k = 0; k < count && !*kept; ++k) {
            const BerthStatus status = try_split(chain, &plans[k], kept);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }
    chain->stuck_at = *kept ? -1 : chain->changes;
    return BERTH_OK;
}

// The ball in `now` that is this one, or -1: numbers change when balls do.
static int32_t find_ball(const Chain* chain, const Ball* ball) {
    for (int32_t i = 0; i < chain->now.count; ++i) {
        if (memcmp(&chain->now.balls[i], ball, sizeof *ball) == 0) {
            return i;
        }
    }
    return -1;
}

// The ball that overlaps this one most, or -1.
static int32_t closest_ball(const Chain* chain, int32_t ball) {
    const Cover* now = &chain->now;
    int32_t best = -1;
    double most = 0.0;
    for (int32_t i = 0; i < now->count; ++i) {
        const double overlap = now->balls[i].radius + now->balls[ball].radius -
                               v3_distance(now->balls[i].centre, now->balls[ball].centre);
        if (i != ball && overlap > most) {
            most = overlap;
            best = i;
        }
    }
    return best;
}

// One ball as small as the others let it be; or, with `pairs`, what it and its neighbour cover shared anew.
static BerthStatus tighten_ball(Chain* chain, int32_t ball, bool pairs) {
    const int32_t other = pairs ? closest_ball(chain, ball) : -1;
    if (pairs && other < 0) {
        return BERTH_OK;
    }

    Split plan;
    bool better = false, kept = false;
    BerthStatus status = plan_split(chain, ball, other, pairs ? 2 : 1, &plan, &better);
    if (status == BERTH_OK && better) {
        status = try_split(chain, &plan, &kept);
    }
    return status;
}

// Every ball, those that are worth most first: alone, then with its neighbour, and so on as long as that helps and the
// volume is not beyond hope.
static BerthStatus tighten(Chain* chain, double hope) {
    double before = chain->now.volume;
    const int32_t rounds = chain->job->effort < SOME_EFFORT ? 0 : TIGHT_ROUNDS;
    for (int32_t round = 0; round < rounds; ++round) {
        const int32_t count = order_balls(chain, BI_COVER_BALLS_MAX);
        for (int32_t i = 0; i < count; ++i) {
            chain->tight[i] = chain->now.balls[chain->order[i]];
        }

        for (int32_t i = 0; i < count && chain->now.count > 1; ++i) {
            const int32_t ball = find_ball(chain, &chain->tight[i]);
            const BerthStatus status = ball >= 0 ? tighten_ball(chain, ball, round % 2 == 1) : BERTH_OK;
            if (status != BERTH_OK) {
                return status;
            }
        }
        if (round % 2 == 1) {
            const bool tighter = chain->now.volume < before * (1.0 - TIGHT_SHARE);
            if (!tighter || chain->now.volume > hope || chain->job->effort < FULL_EFFORT) {
                break;
            }
            before = chain->now.volume;
        }
    }
    return BERTH_OK;
}

// ---- improving -----------------------------------------------------------------------------------------------

// Settles, and splits balls for those that turn out to be needless.
static BerthStatus settle_all(CoverFit* fit, int32_t count, int32_t rounds) {
    BerthStatus status = bi_cover_settle(fit, rounds);
    if (status == BERTH_OK && fit->ball_count < count) {
        status = bi_cover_fill_up(fit, count);
    }
    return status;
}

// Balls of `trial` to the fit, without their skins; only the points that it began with.
static BerthStatus load_trial(Chain* chain, int32_t count) {
    CoverFit* fit = &chain->fit;
    const Cover* trial = &chain->trial;
    fit->points.count = chain->point_count;
    memcpy(fit->balls, trial->balls, (size_t)trial->count * sizeof *fit->balls);
    fit->ball_count = trial->count;
    return settle_all(fit, count, 3);
}

// `trial` with `count` balls that were moved as points. What is between points need not be covered, so radii grow by a part
// of their distance; tightening takes off what that was too much.
static BerthStatus improve_trial(Chain* chain, int32_t count) {
    CoverFit* fit = &chain->fit;
    Cover* trial = &chain->trial;
    BerthStatus status = load_trial(chain, count);
    if (status == BERTH_OK) {
        status = bi_cover_improve(fit, chain->job->effort * IMPROVE_WORK, CAP_SHARE * reach_allowed(chain));
    }

    const double apart = sqrt(2.0 * chain->body->area / tiers[chain->tier].points);
    memcpy(trial->balls, fit->balls, (size_t)fit->ball_count * sizeof *trial->balls);
    trial->count = fit->ball_count;
    for (int32_t i = 0; i < trial->count; ++i) {
        trial->balls[i].radius += BETWEEN_POINTS * apart;
    }
    grow_by_skin(chain->body, trial->balls, trial->count);
    return status;
}

// Proves the balls of `trial`, tightens them, and keeps them when they are better than what there was: in volume, and (but
// where volume alone decides) in protrusion.
static BerthStatus judge_trial(Chain* chain, bool volume_decides, bool* kept) {
    bool proven = false;
    BerthStatus status = prove_trial(chain, &proven);
    *kept = false;
    if (status != BERTH_OK || !proven || chain->trial.volume > HOPELESS * chain->now.volume) {
        return status;
    }

    const Cover before = chain->now;
    const int32_t changes = chain->changes;
    const double reach = reach_allowed(chain);
    chain->now = chain->trial;
    chain->trial = chain->spare;
    chain->changes += 1;
    status = tighten(chain, 1.01 * before.volume);
    *kept = status == BERTH_OK && chain->now.volume < before.volume * (1.0 - BETTER_SHARE) &&
            (volume_decides || chain->now.reach <= fmax(reach, before.reach));
    if (*kept) {
        chain->spare = before;
    } else {
        chain->spare = chain->now;
        chain->now = before;
        chain->changes = changes;
    }
    return status;
}

static BerthStatus improve_now(Chain* chain, int32_t count) {
    if (chain->job->effort < SOME_EFFORT) {
        return BERTH_OK;
    }
    if (chain->improved_at == chain->changes && chain->now.count == count) {
        return BERTH_OK;
    }
    const BerthStatus tightened = tighten(chain, DBL_MAX);
    chain->improved_at = chain->changes;
    if (tightened != BERTH_OK || count > POINTS_TO) {
        return tightened;
    }

    memcpy(chain->trial.balls, chain->now.balls, (size_t)chain->now.count * sizeof *chain->now.balls);
    chain->trial.count = chain->now.count;

    bool kept = false;
    const BerthStatus status = improve_trial(chain, count);
    return status == BERTH_OK ? judge_trial(chain, false, &kept) : status;
}

// Where no split alone helps, several together may: all balls that are left over are used at once.
static BerthStatus split_many(Chain* chain, int32_t count) {
    const int32_t most = order_balls(chain, count - chain->now.count);
    Ball* halves = bi_arena_take(&chain->body->arena, 2 * (size_t)most, sizeof *halves);
    int32_t* from = bi_arena_take(&chain->body->arena, (size_t)most, sizeof *from);
    if (halves == NULL || from == NULL) {
        return no_memory();
    }

    int32_t split_count = 0;
    for (int32_t i = 0; i < most; ++i) {
        Split plan;
        bool better = false;
        const BerthStatus status = plan_split(chain, chain->order[i], -1, 2, &plan, &better);
        if (status != BERTH_OK) {
            return status;
        }
        if (plan.half_count == 2 && plan.halves[1].radius > 0.0) {
            memcpy(halves + 2 * (size_t)split_count, plan.halves, sizeof plan.halves);
            from[split_count++] = plan.ball;
        }
    }
    if (split_count == 0) {
        return BERTH_OK;
    }

    Cover* trial = &chain->trial;
    trial->count = chain->now.count;
    memcpy(trial->balls, chain->now.balls, (size_t)trial->count * sizeof *trial->balls);
    for (int32_t i = 0; i < split_count; ++i) {
        trial->balls[from[i]] = halves[2 * i];
        trial->balls[trial->count++] = halves[2 * i + 1];
    }
    bool kept = false;
    return judge_trial(chain, false, &kept);
}

static void copy_start(Chain* chain, const CoverStart* start) {
    Cover* trial = &chain->trial;
    memcpy(trial->balls, start->balls, (size_t)start->count * sizeof *trial->balls);
    trial->count = start->count;
    grow_by_skin(chain->body, trial->balls, trial->count);
}

// A simple cover that is smaller than what there is takes its place. Where it protrudes more, it is improved until it does
// not; and if that fails, the volume decides.
static BerthStatus consider_start(Chain* chain, const CoverStart* start) {
    copy_start(chain, start);
    const double volume = bi_cover_union_volume(chain->trial.balls, chain->trial.count, &chain->lines);
    if (!(volume < chain->now.volume)) {
        return BERTH_OK;
    }

    bool kept = false;
    return judge_trial(chain, true, &kept);
}

// ---- the chain -----------------------------------------------------------------------------------------------

static BerthStatus start_tier(Chain* chain, int32_t count) {
    while (chain->tier + 1 < TIER_COUNT && count >= tiers[chain->tier + 1].from) {
        chain->tier += 1;
    }
    if (chain->fit.balls != NULL && count != tiers[chain->tier].from) {
        return BERTH_OK;
    }

    BerthStatus status = bi_cover_start(chain->body, tiers[chain->tier].points, tiers[chain->tier].cells,
                                        chain->job->seed, chain->job->pause, &chain->fit);
    chain->point_count = chain->fit.points.count;
    return status == BERTH_OK ? bi_cover_starts_create(&chain->fit, &chain->starts) : status;
}

static BerthStatus consider_starts(Chain* chain, int32_t count) {
    const CoverStart* start = NULL;
    BerthStatus status = BERTH_OK;
    do {
        status = bi_cover_next_start(&chain->starts, count, &start);
        if (status == BERTH_OK && start != NULL) {
            status = consider_start(chain, start);
        }
    } while (status == BERTH_OK && start != NULL);
    return status;
}

// From a cover by at most count - 1 balls to one by at most `count`.
static BerthStatus make_step(Chain* chain, int32_t count) {
    BerthStatus status = start_tier(chain, count);
    bool kept = true;
    for (int32_t i = 0; status == BERTH_OK && kept && chain->now.count < count && i < 8; ++i) {
        status = split_some_ball(chain, &kept);
    }
    if (status == BERTH_OK) {
        status = consider_starts(chain, count);
    }

    // Few balls are dear, so none is left over without another try.
    const bool left_over = chain->now.count < count;
    if (status == BERTH_OK && (count >= chain->improve_at || (left_over && count <= FEW_BALLS))) {
        if (left_over && chain->job->effort >= SOME_EFFORT) {
            status = split_many(chain, count);
        }
        if (status == BERTH_OK) {
            status = improve_now(chain, count);
        }
        chain->improve_at =
            count + (count * (COUNT_FACTOR - 1.0) > 1.0 ? (int32_t)(count * (COUNT_FACTOR - 1.0)) : 1);
    }
    return status;
}

static BerthStatus store_cover(CoverJob* job, const Cover* cover) {
    memcpy(job->balls, cover->balls, (size_t)cover->count * sizeof *cover->balls);
    job->ball_count = cover->count;
    return BERTH_OK;
}

BerthStatus bi_cover_run_chain(CoverJob* job) {
    Chain chain = {.job = job,
                   .body = job->body,
                   .lines = bi_cover_lines(job->body),
                   .improve_at = 2,
                   .stuck_at = -1,
                   .improved_at = -1};
    Arena* arena = &job->body->arena;
    bool taken =
        take_cover(arena, &chain.now) && take_cover(arena, &chain.trial) && take_cover(arena, &chain.spare);
    chain.order = bi_arena_take(arena, BI_COVER_BALLS_MAX, sizeof *chain.order);
    chain.some = bi_arena_take(arena, HALVE_POINTS + 1, sizeof *chain.some);
    chain.least_reach = bi_arena_take(arena, BI_COVER_BALLS_MAX + 1, sizeof *chain.least_reach);
    chain.tight = bi_arena_take(arena, BI_COVER_BALLS_MAX, sizeof *chain.tight);
    for (int32_t k = 0; k < 2; ++k) {
        chain.near[k] = bi_arena_take(arena, BI_COVER_BALLS_MAX + 2, sizeof(Ball));
        taken = taken && chain.near[k] != NULL;
    }
    if (!taken || chain.order == NULL || chain.tight == NULL || chain.least_reach == NULL ||
        chain.some == NULL) {
        return no_memory();
    }

    // What there is already: one ball around everything, proven.
    memcpy(chain.now.balls, job->balls, (size_t)job->ball_count * sizeof *job->balls);
    chain.now.count = job->ball_count;
    measure_cover(&chain, &chain.now);

    BerthStatus status = BERTH_OK;
    chain.least_reach[0] = chain.least_reach[1] = DBL_MAX;
    for (int32_t count = 2; count <= job->wanted && status == BERTH_OK; ++count) {
        chain.aim = count;
        status = make_step(&chain, count);
        chain.least_reach[count] = fmin(chain.least_reach[count - 1], chain.now.reach);
        job->tell(job->stop.user);
    }

    // Time that is up is no failure: the last cover that was proven is kept.
    if (status == BERTH_ERR_CANCELLED && !job->stop.asked(job->stop.user)) {
        job->cut_short = true;
        status = BERTH_OK;
    }
    return status == BERTH_OK ? store_cover(job, &chain.now) : status;
}
