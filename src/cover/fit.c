// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One body's cover from start to proof: greedy covers for a ladder of reaches, the best start for the balls asked for,
// improvement, points where the proof fails added until little is left, growth of what is left, proof.
//
// Entries: bi_cover_find_ladder, bi_cover_prove_and_measure, bi_cover_finish_job.

#include <float.h>
#include <string.h>

#include "cover/many.h"

enum { MISS_ROUNDS = 4, MISS_POINTS = 1200, WITHIN_TRIES = 12, BISECTIONS = 4 };

// How much work improving may be, in point-ball distances.
#define IMPROVE_WORK 6e7
#define IMPROVE_MOVES_MAX 6000.0
#define TRIAL_MOVES 100.0
// The ladder: each reach is this share of the one before.
#define LADDER_FACTOR 0.82

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "fit: out of memory");
}

static BerthStatus start_fit(CoverJob* job) {
    if (job->started) {
        return BERTH_OK;
    }

    job->started = true;
    const bool many = job->most > 1 || job->protrusion > 0.0;
    return bi_cover_start(job->body, job->surface_points, many, job->seed, job->stop, &job->fit);
}

static BerthStatus check_stop(const CoverJob* job) {
    return job->stop.asked(job->stop.user) ? bi_fail(BERTH_ERR_CANCELLED, "fit: stopped") : BERTH_OK;
}

static void add_step(CoverJob* job, double reach, int32_t count, double volume) {
    // More balls for no less volume are no step.
    if (job->step_count > 0 && volume >= job->steps[job->step_count - 1].volume) {
        return;
    }

    if (job->step_count > 0 && count <= job->steps[job->step_count - 1].count) {
        job->step_count -= 1;
    }
    if (job->step_count < COVER_STEPS_MAX) {
        job->steps[job->step_count++] = (CoverStep){reach, volume, count};
    }
}

static double fit_volume(const CoverFit* fit) {
    return bi_cover_union_volume(fit->balls, fit->ball_count, fit->body->diagonal / 50.0);
}

BerthStatus bi_cover_find_ladder(CoverJob* job) {
    CoverFit* fit = &job->fit;
    BerthStatus status = start_fit(job);
    if (status != BERTH_OK) {
        return status;
    }

    // The first step: one ball around everything.
    const Ball one = bi_ball_smallest(fit->points.at, (int32_t)fit->points.count);
    fit->balls[0] = one;
    fit->ball_count = 1;
    add_step(job, one.radius, 1, fit_volume(fit));

    // Then greedy covers with less and less reach.
    double reach = one.radius - fmin(bi_cover_depth(job->body, one.centre), 0.9 * one.radius);
    while (job->step_count < COVER_STEPS_MAX && status == BERTH_OK && job->most > 1) {
        int32_t count = 0;
        const bool fits = bi_cover_choose_greedily(fit, reach, job->most, fit->balls, &count);
        if (!fits) {
            status = fit->cover == NULL ? no_memory() : BERTH_OK;
            break;
        }

        fit->ball_count = count;
        status = bi_cover_settle(fit, 4);
        if (status == BERTH_OK) {  // a taste of what improving will make of it
            status = bi_cover_improve(fit, (int32_t)fmin(job->effort * TRIAL_MOVES, 1000.0));
        }
        if (status == BERTH_OK) {
            status = check_stop(job);
        }

        if (status == BERTH_OK) {
            add_step(job, reach, fit->ball_count, fit_volume(fit));
        }

        if (!(reach > 1e-4 * job->body->diagonal)) {
            break;
        }
        reach *= LADDER_FACTOR;
    }

    // A body of spheres has itself as the last step.
    if (status == BERTH_OK && job->body->given_count > 0 && job->body->given_count <= job->most) {
        add_step(job, 0.0, job->body->given_count,
                 bi_cover_union_volume(job->body->given, job->body->given_count, job->body->diagonal / 50.0));
    }
    return status;
}

// ---- a cover of a given number of balls ------------------------------------------------------------------------

// The greedy cover with the smallest reach that needs no more than `wanted` balls.
static BerthStatus find_best_start(CoverJob* job) {
    CoverFit* fit = &job->fit;
    double low = 0.0, high = 2.0 * job->body->diagonal;

    // The steps of the ladder bracket the reach.
    for (int32_t i = 0; i < job->step_count; ++i) {
        if (job->steps[i].count <= job->wanted) {
            high = job->steps[i].reach;
        } else {
            low = fmax(low, job->steps[i].reach);
        }
    }
    // Settling drops balls, so a few more may be tried.
    const int32_t most = job->wanted + job->wanted / 2 + 4;
    Ball* best = bi_arena_take(&job->body->arena, (size_t)job->wanted, sizeof *best);
    if (best == NULL) {
        return no_memory();
    }

    int32_t best_count = 0;
    for (int32_t i = 0; i <= BISECTIONS; ++i) {
        const double reach = i == 0 ? high : 0.5 * (low + high);
        int32_t count = 0;
        const bool fits = bi_cover_choose_greedily(
            fit, reach, most < BI_COVER_BALLS_MAX ? most : BI_COVER_BALLS_MAX, fit->balls, &count);
        fit->ball_count = count;
        if (fit->cover == NULL) {
            return no_memory();
        }

        const BerthStatus status = fits ? bi_cover_settle(fit, 4) : BERTH_OK;
        if (status != BERTH_OK) {
            return status;
        }

        if (fits && fit->ball_count <= job->wanted) {
            memcpy(best, fit->balls, (size_t)fit->ball_count * sizeof *best);
            best_count = fit->ball_count;
            high = reach;
        } else {
            low = reach;
        }
    }

    memcpy(fit->balls, best, (size_t)best_count * sizeof *best);
    fit->ball_count = best_count;
    if (fit->ball_count == 0) {
        fit->balls[0] = bi_ball_smallest(fit->points.at, (int32_t)fit->points.count);
        fit->ball_count = 1;
    }
    return BERTH_OK;
}

static int32_t moves_for(const CoverJob* job, double share) {
    const double one = (double)job->fit.points.count * (job->wanted + 4);
    const double moves = fmin(job->effort * IMPROVE_WORK / one, job->effort * IMPROVE_MOVES_MAX);
    return (int32_t)fmin(share * moves, 1e8);
}

// Centres that are short decimals: what is written reads back as the same numbers.
static double decimal_scale(const CoverBody* body) {
    return pow(10.0, 6.0 - floor(log10(fmax(body->diagonal, 1e-6))));
}

static void round_centres(const CoverBody* body, Ball* balls, int32_t count) {
    const double scale = decimal_scale(body);
    for (int32_t i = 0; i < count; ++i) {
        Vec3* c = &balls[i].centre;
        *c = v3(round(c->x * scale) / scale + 0.0, round(c->y * scale) / scale + 0.0,
                round(c->z * scale) / scale + 0.0);
    }
}

static void round_radii_up(const CoverBody* body, Ball* balls, int32_t count) {
    const double scale = decimal_scale(body);
    for (int32_t i = 0; i < count; ++i) {
        const double up = ceil(balls[i].radius * scale) / scale;
        balls[i].radius = up >= balls[i].radius ? up : (ceil(balls[i].radius * scale) + 1.0) / scale;
    }
}

static BerthStatus store_balls(CoverJob* job, const Ball* balls, int32_t count) {
    job->balls = bi_arena_take(&job->body->arena, (size_t)count, sizeof *job->balls);
    if (job->balls == NULL) {
        return no_memory();
    }

    memcpy(job->balls, balls, (size_t)count * sizeof *balls);
    job->ball_count = count;
    return BERTH_OK;
}

// Spheres need no cells: each is in a ball or it is not.
static bool balls_hold_given(const CoverJob* job) {
    const CoverBody* body = job->body;
    for (int32_t i = 0; i < body->given_count; ++i) {
        bool held = false;
        for (int32_t k = 0; k < job->ball_count && !held; ++k) {
            held = bi_ball_reach_balls(job->balls[k].centre, &body->given[i], 1) <= job->balls[k].radius;
        }
        if (!held) {
            return false;
        }
    }
    return body->given_count > 0;
}

BerthStatus bi_cover_prove_and_measure(CoverJob* job) {
    CoverProof proof = {.covered = false};
    const CoverBody* body = job->body;
    BerthStatus status = bi_cover_prove(job->body, job->balls, job->ball_count, body->diagonal / 2000.0,
                                        false, job->stop, NULL, 0, &proof);
    if (status != BERTH_OK) {
        return status;
    }

    job->covered = proof.covered || balls_hold_given(job);
    bi_cover_measure(body, job->balls, job->ball_count, job->covered, &job->measure);
    return check_stop(job);
}

// Balls that others contain, or that are next to nothing, are of no use.
static void drop_useless_balls(CoverFit* fit) {
    for (int32_t i = fit->ball_count - 1; i >= 0 && fit->ball_count > 1; --i) {
        const Ball* ball = &fit->balls[i];
        bool hidden = ball->radius < 1e-5 * fit->body->diagonal;
        for (int32_t k = 0; k < fit->ball_count && !hidden; ++k) {
            hidden = k != i &&
                     v3_distance(ball->centre, fit->balls[k].centre) + ball->radius <= fit->balls[k].radius;
        }

        if (hidden) {
            fit->ball_count -= 1;
            fit->balls[i] = fit->balls[fit->ball_count];
        }
    }
}

// Grows the balls until the body is inside, and proves it. Growing may uncover nothing, so the second proof finds what
// the first did; a third time is for radii that were rounded.
static BerthStatus grow_and_prove(CoverJob* job) {
    CoverBody* body = job->body;
    CoverFit* fit = &job->fit;
    const double leaf = body->diagonal / 1500.0;
    drop_useless_balls(fit);
    round_centres(body, fit->balls, fit->ball_count);

    BerthStatus status = BERTH_OK;
    CoverProof proof = {.covered = false};
    for (int32_t round = 0; round < 4 && status == BERTH_OK && !proof.covered; ++round) {
        status = bi_cover_prove(body, fit->balls, fit->ball_count, leaf, true, job->stop, NULL, 0, &proof);
        round_radii_up(body, fit->balls, fit->ball_count);
    }

    if (status == BERTH_OK) {
        status = store_balls(job, fit->balls, fit->ball_count);
    }
    if (status == BERTH_OK) {
        status = bi_cover_prove_and_measure(job);
    }
    return status;
}

// Radii that leave room for the skin which the proof asks for.
static void grow_by_skin(const CoverBody* body, Ball* balls, int32_t count) {
    for (int32_t i = 0; i < count && body->open_count < body->part_count; ++i) {
        balls[i].radius *= (1.0 + 1e-9) / (1.0 - BI_COVER_SKIN);
    }
}

// Where the proof fails there were too few points: they are added. `*found` tells whether there were any.
static BerthStatus add_missed_points(CoverJob* job, int32_t round, bool with_skin, bool* found) {
    CoverFit* fit = &job->fit;
    const size_t before = fit->points.count;
    Ball* balls = bi_arena_take(&job->body->arena, (size_t)fit->ball_count, sizeof *balls);
    if (balls == NULL) {
        return no_memory();
    }

    memcpy(balls, fit->balls, (size_t)fit->ball_count * sizeof *balls);
    if (with_skin) {
        grow_by_skin(job->body, balls, fit->ball_count);
    }

    CoverProof proof;
    const double leaf = ldexp(job->body->diagonal / 120.0, -round);
    const BerthStatus status = bi_cover_prove(job->body, balls, fit->ball_count, leaf, false, job->stop,
                                              &fit->points, before + MISS_POINTS, &proof);
    *found = fit->points.count > before;
    return status;
}

// The body's own spheres.
static BerthStatus use_given_spheres(CoverJob* job) {
    BerthStatus status = store_balls(job, job->body->given, job->body->given_count);
    if (status == BERTH_OK) {
        job->covered = true;  // each is inside itself
        bi_cover_measure(job->body, job->balls, job->ball_count, true, &job->measure);
        job->measure.reach = job->measure.mean_reach = 0.0;
    }
    return status;
}

// The smallest ball around all corners.
static BerthStatus cover_by_one(CoverJob* job) {
    const CoverBody* body = job->body;
    Vec3* corners = bi_take(&body->allocator, 3 * (size_t)body->triangle_count, sizeof *corners);
    if (corners == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; i < body->triangle_count; ++i) {
        memcpy(corners + 3 * (size_t)i, body->triangles[i].point, sizeof body->triangles[i].point);
    }
    job->fit.balls[0] = bi_ball_smallest(corners, 3 * body->triangle_count);
    job->fit.ball_count = 1;
    bi_give(&body->allocator, corners, 3 * (size_t)body->triangle_count, sizeof *corners);

    grow_by_skin(body, job->fit.balls, 1);
    return grow_and_prove(job);
}

static BerthStatus cover_by_count(CoverJob* job) {
    CoverFit* fit = &job->fit;
    BerthStatus status = find_best_start(job);
    if (status == BERTH_OK) {
        status = bi_cover_settle(fit, 20);
    }
    if (status == BERTH_OK) {
        status = bi_cover_set_count(fit, job->wanted);
    }
    if (status == BERTH_OK) {
        status = bi_cover_improve(fit, moves_for(job, 0.7));
    }
    if (status == BERTH_OK) {
        status = bi_cover_set_count(fit, job->wanted);
    }

    // Points where the proof fails, added round by round.
    for (int32_t round = 0; round < MISS_ROUNDS && status == BERTH_OK; ++round) {
        bool found = false;
        status = add_missed_points(job, round, true, &found);
        if (status == BERTH_OK && found) {
            status = bi_cover_settle(fit, 5);
        }
        if (status == BERTH_OK && found) {
            status = bi_cover_improve(fit, moves_for(job, 0.3 / MISS_ROUNDS));
        }
    }

    grow_by_skin(job->body, fit->balls, fit->ball_count);
    return status == BERTH_OK ? grow_and_prove(job) : status;
}

// ---- a cover that protrudes no more than it may ----------------------------------------------------------------

static double protrusion_estimate(const CoverBody* body, const Ball* ball) {
    return ball->radius - bi_cover_depth(body, ball->centre);
}

// The smallest ball around each one's points where that protrudes no more; else just the smaller radius.
static BerthStatus settle_within(CoverJob* job, double target) {
    CoverFit* fit = &job->fit;
    Ball* old = bi_arena_take(&job->body->arena, (size_t)fit->ball_count, sizeof *old);
    if (old == NULL) {
        return no_memory();
    }
    const int32_t old_count = fit->ball_count;
    memcpy(old, fit->balls, (size_t)old_count * sizeof *old);

    const BerthStatus status = bi_cover_settle(fit, 1);
    grow_by_skin(job->body, fit->balls, fit->ball_count);
    bool within = status == BERTH_OK && fit->ball_count <= old_count;
    for (int32_t i = 0; i < fit->ball_count && within; ++i) {
        within = protrusion_estimate(job->body, &fit->balls[i]) <= target;
    }

    if (!within) {
        memcpy(fit->balls, old, (size_t)old_count * sizeof *old);
        fit->ball_count = old_count;
    }
    return status;
}

static BerthStatus fail_too_many(const CoverJob* job) {
    return bi_fail(BERTH_ERR_CAPACITY, "%s: a protrusion of at most %g m needs more than %d spheres",
                   job->name, job->protrusion, (int)BI_COVER_BALLS_MAX);
}

static BerthStatus try_reach(CoverJob* job, double target) {
    CoverFit* fit = &job->fit;
    BerthStatus status = BERTH_OK;
    bool found = true;
    for (int32_t round = 0; round < MISS_ROUNDS + 1 && found && status == BERTH_OK; ++round) {
        int32_t count = 0;
        if (!bi_cover_choose_greedily(fit, target, BI_COVER_BALLS_MAX, fit->balls, &count)) {
            return fit->cover == NULL ? no_memory() : fail_too_many(job);
        }
        fit->ball_count = count;
        status = round < MISS_ROUNDS ? add_missed_points(job, round, false, &found) : BERTH_OK;
    }

    if (status == BERTH_OK) {
        status = settle_within(job, target);
    }
    return status == BERTH_OK ? grow_and_prove(job) : status;
}

static BerthStatus cover_within_protrusion(CoverJob* job) {
    BerthStatus status = start_fit(job);
    double target = 0.9 * job->protrusion;

    for (int32_t i = 0; i < WITHIN_TRIES && status == BERTH_OK; ++i) {
        status = try_reach(job, target);
        if (status != BERTH_OK || (job->covered && job->measure.reach <= job->protrusion)) {
            return status;
        }
        target *= fmin(0.95, 0.97 * job->protrusion / job->measure.reach);
    }
    return status != BERTH_OK ? status : fail_too_many(job);
}

BerthStatus bi_cover_finish_job(CoverJob* job) {
    if (job->body->given_count > 0 && (job->protrusion > 0.0 || job->wanted >= job->body->given_count)) {
        return use_given_spheres(job);
    }
    if (job->protrusion > 0.0) {
        return cover_within_protrusion(job);
    }
    return job->wanted == 1 ? cover_by_one(job) : cover_by_count(job);
}
