// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One body's cover from start to proof: one ball around everything, then as many as requested (chain.c), or
// greedy balls that protrude no more than allowed; proof and measures.
// Entries: bi_cover_round_centres, bi_cover_round_radii_up, bi_cover_drop_useless, bi_cover_find_ladder,
// bi_cover_prove_and_measure, bi_cover_finish_job.

#include <float.h>
#include <string.h>

#include "cover/many.h"

enum { MISS_ROUNDS = 4, MISS_POINTS = 1200, WITHIN_TRIES = 12, GROW_ROUNDS = 4, INSIDE_CELLS = 9000 };
enum { LADDER_POINTS = 1200, LADDER_CELLS = 2500, LADDER_BALLS = 100, LADDER_CUTS = 8 };

// Each reach of the ladder is this share of the one before.
#define LADDER_FACTOR 0.82

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}

// ---- numbers that can be written -----------------------------------------------------------------------------

// Centres that are short decimals: what is written reads back as the same numbers.
static double decimal_scale(const CoverBody* body) {
    return pow(10.0, 6.0 - floor(log10(fmax(body->diagonal, 1e-6))));
}

void bi_cover_round_centres(const CoverBody* body, Ball* balls, int32_t count) {
    const double scale = decimal_scale(body);
    for (int32_t i = 0; i < count; ++i) {
        Vec3* c = &balls[i].centre;
        *c = v3(round(c->x * scale) / scale + 0.0, round(c->y * scale) / scale + 0.0,
                round(c->z * scale) / scale + 0.0);
    }
}

void bi_cover_round_radii_up(const CoverBody* body, Ball* balls, int32_t count) {
    const double scale = decimal_scale(body);
    for (int32_t i = 0; i < count; ++i) {
        const double up = ceil(balls[i].radius * scale) / scale;
        balls[i].radius = up >= balls[i].radius ? up : (ceil(balls[i].radius * scale) + 1.0) / scale;
    }
}

void bi_cover_drop_useless(const CoverBody* body, Ball* balls, int32_t* count) {
    for (int32_t i = *count - 1; i >= 0 && *count > 1; --i) {
        bool hidden = balls[i].radius < 0.5 * body->radius_min;
        for (int32_t k = 0; k < *count && !hidden; ++k) {
            hidden = k != i &&
                     cover_length(body->metric, v3_sub(balls[i].centre, balls[k].centre)) + balls[i].radius <=
                         balls[k].radius;
        }

        if (hidden) {
            *count -= 1;
            balls[i] = balls[*count];
        }
    }
}

// ---- proof and measures --------------------------------------------------------------------------------------

static BerthStatus store_balls(CoverJob* job, const Ball* balls, int32_t count) {
    if (job->balls == NULL) {
        job->balls = bi_arena_take(&job->body->arena, BI_COVER_BALLS_MAX, sizeof *job->balls);
    }
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
            held =
                bi_ball_radius_around_balls(job->balls[k].centre, &body->given[i], 1) <= job->balls[k].radius;
        }
        if (!held) {
            return false;
        }
    }
    return body->given_count > 0;
}

BerthStatus bi_cover_prove_and_measure(CoverJob* job) {
    CoverProof proof = {.covered = false};
    const CoverQuestion question = {.leaf = job->body->diagonal / 4000.0, .stop = job->stop};
    BerthStatus status = bi_cover_prove(job->body, job->balls, job->ball_count, &question, &proof);
    if (status != BERTH_OK) {
        return status;
    }

    job->covered = proof.covered || balls_hold_given(job);
    return bi_cover_measure(job->body, job->balls, job->ball_count, job->covered, job->stop, &job->measure);
}

// Grows the balls until the body is inside, and proves it: growing may uncover nothing, so the second time finds what the
// first did; more are for radii that were rounded.
static BerthStatus grow_and_prove(CoverJob* job) {
    CoverBody* body = job->body;
    BerthStatus status = BERTH_OK;
    CoverProof proof = {.covered = false};
    const CoverQuestion question = {.leaf = body->diagonal / 1500.0, .grow = true, .stop = job->stop};
    bi_cover_drop_useless(body, job->balls, &job->ball_count);
    bi_cover_round_centres(body, job->balls, job->ball_count);

    for (int32_t round = 0; round < GROW_ROUNDS && status == BERTH_OK && !proof.covered && !proof.spent;
         ++round) {
        status = bi_cover_prove(body, job->balls, job->ball_count, &question, &proof);
        bi_cover_round_radii_up(body, job->balls, job->ball_count);
    }
    return status == BERTH_OK ? bi_cover_prove_and_measure(job) : status;
}

// The body's own spheres.
static BerthStatus use_given_spheres(CoverJob* job) {
    BerthStatus status = store_balls(job, job->body->given, job->body->given_count);
    if (status == BERTH_OK) {
        job->covered = true;  // each is inside itself
        status = bi_cover_measure(job->body, job->balls, job->ball_count, true, job->stop, &job->measure);
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
    Ball one = bi_cover_smallest_ball(body->metric, corners, 3 * body->triangle_count);
    bi_give(&body->allocator, corners, 3 * (size_t)body->triangle_count, sizeof *corners);

    one.radius *= (1.0 + 1e-9) / (1.0 - BI_COVER_SKIN * cover_room(body->metric));
    one.radius = fmax(one.radius, body->radius_min);
    const BerthStatus status = store_balls(job, &one, 1);
    return status == BERTH_OK ? grow_and_prove(job) : status;
}

// ---- what more balls are worth -------------------------------------------------------------------------------

// More balls protrude less, at least by this power of their number: one place that none of these quick covers gets right
// must not look as if no ball could help it, nor as if all were needed there.
#define REACH_POWER -0.3

static void add_step(CoverJob* job, int32_t count, double volume, double reach) {
    // More balls for no less volume are no step.
    if (job->step_count < COVER_STEPS_MAX &&
        (job->step_count == 0 || volume < job->steps[job->step_count - 1].volume)) {
        job->steps[job->step_count++] = (CoverStep){count, volume, reach};
    }

    double lower = reach;
    if (job->reach_count > 0) {
        const CoverStep last = job->reaches[job->reach_count - 1];
        lower = fmin(reach, last.reach * pow((double)count / last.count, REACH_POWER));
    }
    if (job->reach_count < COVER_STEPS_MAX) {
        job->reaches[job->reach_count++] = (CoverStep){count, volume, lower};
    }
}

// Between two steps the volume falls evenly: a step above that line would be waited for and not be worth it.
static void keep_lower_hull(CoverJob* job) {
    int32_t kept = 0;
    for (int32_t i = 0; i < job->step_count; ++i) {
        const CoverStep step = job->steps[i];
        while (kept >= 2) {
            const CoverStep a = job->steps[kept - 2], b = job->steps[kept - 1];
            const double line =
                a.volume + (step.volume - a.volume) * (b.count - a.count) / (step.count - a.count);
            if (b.volume < line) {
                break;
            }
            --kept;
        }
        job->steps[kept++] = step;
    }
    job->step_count = kept;
}

/// The least volume and the least protrusion that covers of points by so many balls had; 0: there was none.
typedef struct Ladder {
    CoverLines lines;
    double volume[LADDER_BALLS + 1], reach[LADDER_BALLS + 1];
} Ladder;

static void note_rung(Ladder* ladder, const CoverFit* fit) {
    const int32_t count = fit->ball_count;
    if (count < 1 || count > LADDER_BALLS) {
        return;
    }
    const double volume = bi_cover_union_volume(fit->balls, count, &ladder->lines);
    const double reach = bi_cover_largest_protrusion(fit->body, fit->balls, count);
    double* least = &ladder->volume[count];
    *least = *least > 0.0 ? fmin(*least, volume) : volume;
    least = &ladder->reach[count];
    *least = *least > 0.0 ? fmin(*least, reach) : reach;
}

// The largest ball cut in two, and settled: good for few balls.
static BerthStatus climb_by_cuts(CoverFit* fit, Ladder* ladder, int32_t most) {
    BerthStatus status = BERTH_OK;
    fit->balls[0] = bi_cover_smallest_ball(fit->body->metric, fit->points.at, (int32_t)fit->points.count);
    fit->ball_count = 1;
    for (int32_t count = 1; count <= most && status == BERTH_OK; ++count) {
        status = bi_cover_fill_up(fit, count);
        if (status == BERTH_OK) {
            status = bi_cover_settle(fit, 4);
        }
        if (status == BERTH_OK) {
            note_rung(ladder, fit);
        }
    }
    return status;
}

// Greedy balls that protrude less and less: good for many.
static BerthStatus climb_by_reach(CoverJob* job, CoverFit* fit, Ladder* ladder, int32_t most) {
    double reach = 0.5 * job->body->diagonal;
    BerthStatus status = BERTH_OK;
    for (bool enough = true; enough && status == BERTH_OK; reach *= LADDER_FACTOR) {
        enough = bi_cover_choose_greedily(fit, reach, most, fit->balls, &fit->ball_count);
        if (job->stop.asked(job->stop.user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
        }
        if (fit->cover == NULL) {
            return no_memory();
        }

        if (enough) {
            note_rung(ladder, fit);
            status = bi_cover_settle(fit, 2);
            note_rung(ladder, fit);
        }
        enough = enough && reach > job->body->radius_min;
    }
    return status;
}

// Covers of points: cheap, and volume and protrusion fall as those of better covers do.
BerthStatus bi_cover_find_ladder(CoverJob* job) {
    CoverBody* body = job->body;
    Ladder ladder = {.lines = bi_cover_lines(body)};
    CoverFit fit;
    const int32_t most =
        body->given_count > 0 && body->given_count < LADDER_BALLS ? body->given_count : LADDER_BALLS;
    BerthStatus status = bi_cover_start(body, LADDER_POINTS, LADDER_CELLS, job->seed, job->stop, &fit);
    if (status == BERTH_OK) {
        status = climb_by_cuts(&fit, &ladder, most < LADDER_CUTS ? most : LADDER_CUTS);
    }
    if (status == BERTH_OK) {
        status = climb_by_reach(job, &fit, &ladder, most);
    }

    for (int32_t count = 1; count < most && status == BERTH_OK; ++count) {
        if (ladder.volume[count] > 0.0) {
            add_step(job, count, ladder.volume[count], ladder.reach[count]);
        }
    }
    // A body of spheres has itself as the last step.
    if (status == BERTH_OK && body->given_count > 1) {
        add_step(job, body->given_count, bi_cover_union_volume(body->given, body->given_count, &ladder.lines),
                 0.0);
    }
    keep_lower_hull(job);
    return status;
}

// ---- a cover that protrudes no more than it may ----------------------------------------------------------------

// Where the proof fails there were too few points: they are added. `*found`: there were some.
static BerthStatus add_missed_points(CoverJob* job, CoverFit* fit, int32_t round, bool* found) {
    const size_t before = fit->points.count;
    CoverProof proof;
    const CoverQuestion question = {.leaf = ldexp(job->body->diagonal / 120.0, -round),
                                    .misses = &fit->points,
                                    .misses_max = before + MISS_POINTS,
                                    .stop = job->pause};
    const BerthStatus status = bi_cover_prove(job->body, fit->balls, fit->ball_count, &question, &proof);
    *found = fit->points.count > before;
    return status;
}

// The smallest ball around each one's points where that protrudes no more; else just the smaller radius.
static BerthStatus settle_within(CoverJob* job, CoverFit* fit, double target) {
    Ball* old = bi_arena_take(&job->body->arena, (size_t)fit->ball_count, sizeof *old);
    if (old == NULL) {
        return no_memory();
    }
    const int32_t old_count = fit->ball_count;
    memcpy(old, fit->balls, (size_t)old_count * sizeof *old);

    const BerthStatus status = bi_cover_settle(fit, 1);
    const double spare = BI_COVER_SKIN * cover_room(job->body->metric);
    bool within = status == BERTH_OK && fit->ball_count <= old_count;
    for (int32_t i = 0; i < fit->ball_count && within; ++i) {
        Ball* ball = &fit->balls[i];
        ball->radius = fmax(ball->radius * (1.0 + 1e-9) / (1.0 - spare), job->body->radius_min);
        within = ball->radius - bi_cover_depth(job->body, ball->centre) <= target;
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

static BerthStatus try_reach(CoverJob* job, CoverFit* fit, double target) {
    BerthStatus status = BERTH_OK;
    bool found = true;
    for (int32_t round = 0; round < MISS_ROUNDS + 1 && found && status == BERTH_OK; ++round) {
        int32_t count = 0;
        const bool enough = bi_cover_choose_greedily(fit, target, BI_COVER_BALLS_MAX, fit->balls, &count);
        if (job->pause.asked(job->pause.user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
        }
        if (!enough) {
            return fit->cover == NULL ? no_memory() : fail_too_many(job);
        }
        fit->ball_count = count;
        status = round < MISS_ROUNDS ? add_missed_points(job, fit, round, &found) : BERTH_OK;
    }

    if (status == BERTH_OK) {
        status = settle_within(job, fit, target);
    }
    if (status == BERTH_OK) {
        status = store_balls(job, fit->balls, fit->ball_count);
    }
    return status == BERTH_OK ? grow_and_prove(job) : status;
}

static BerthStatus cover_within_protrusion(CoverJob* job) {
    CoverFit fit;
    BerthStatus status =
        bi_cover_start(job->body, job->surface_points, INSIDE_CELLS, job->seed, job->pause, &fit);
    double target = 0.9 * job->protrusion;

    for (int32_t i = 0; i < WITHIN_TRIES && status == BERTH_OK; ++i) {
        status = try_reach(job, &fit, target);
        if (status == BERTH_OK && job->covered && job->measure.reach <= job->protrusion) {
            return status;
        }
        target *= fmin(0.95, 0.97 * job->protrusion / fmax(job->measure.reach, DBL_MIN));
    }

    // Time is up: one ball around everything is proven, and its protrusion is reported.
    if (status == BERTH_ERR_CANCELLED && !job->stop.asked(job->stop.user)) {
        job->cut_short = true;
        return cover_by_one(job);
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

    BerthStatus status = cover_by_one(job);
    if (status == BERTH_OK && job->wanted > 1) {
        status = bi_cover_run_chain(job);
    }
    if (status == BERTH_OK && job->ball_count > 1) {
        status = bi_cover_prove_and_measure(job);
    }

    // Each step was proven, so this is for the last bit of a rounding only.
    return status == BERTH_OK && !job->covered ? grow_and_prove(job) : status;
}
