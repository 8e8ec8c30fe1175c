// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covers for callers that wait: greedy balls that protrude as little as the number of balls allows, each made
// as small as its points allow, then enlarged by the proof where something was open. Work is counted and
// bounded; when it is spent the result is one ball around everything, which needs no proof by cells: balls
// are convex.
// Entry: bi_cover_quick.

#include <float.h>
#include <string.h>

#include "cover/cover.h"

enum { POINTS = 5000, CELLS = 2600, PROTRUSION_TRIES = 8, LOWER_TRIES = 2, FAR_MORE = 4 };

// Of one proof: about a tenth of a second.
#define PROOF_WORK 60000000
// What growing in the proof may add to a protrusion.
#define GROWTH_SHARE 0.9
// A protrusion is near enough to the least when it needs this share of the balls, or is so little above one that needs too many.
#define NEARLY_ALL 0.9
#define ENOUGH 1.05

/// One body's cover in the making.
typedef struct QuickRun {
    CoverBody* body;
    CoverFit fit;
    double wanted;  // protrusion
    int32_t most;
    Ball* trial;  // room for `most`, as `balls`
    int32_t trial_count;
    // The proven cover that protrudes least so far.
    Ball* balls;
    int32_t count;
    double protrusion;
} QuickRun;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}

static bool never_stop(void* user) {
    (void)user;
    return false;
}

static const CoverStop no_stop = {never_stop, NULL};

// ---- one ball ------------------------------------------------------------------------------------------------

// Around all corners, which are off by the slack at most.
static BerthStatus cover_by_one(QuickRun* run) {
    const CoverBody* body = run->body;
    const size_t count = 3 * (size_t)body->triangle_count;
    Vec3* corners = bi_take(&body->allocator, count, sizeof *corners);
    if (corners == NULL) {
        return no_memory();
    }
    memcpy(corners, body->triangles, count * sizeof *corners);

    Ball one = bi_ball_smallest(corners, (int32_t)count);
    one.radius = fmax((one.radius + 2.0 * body->slack) * (1.0 + 64.0 * BI_ULP), body->radius_min);
    bi_give(&body->allocator, corners, count, sizeof *corners);

    run->balls[0] = one;
    run->count = 1;
    run->protrusion = bi_cover_largest_protrusion(body, &one, 1);
    return BERTH_OK;
}

// ---- several -------------------------------------------------------------------------------------------------

// Balls that protrude by at most `protrusion` and cover the points, and how many are needed: more than `most` are no cover, and
// far more are not counted to the end.
static bool try_protrusion(QuickRun* run, double protrusion) {
    const int32_t counted =
        FAR_MORE * run->most < BI_COVER_BALLS_MAX ? FAR_MORE * run->most : BI_COVER_BALLS_MAX;
    (void)bi_cover_choose_greedily(&run->fit, protrusion, counted, run->fit.balls, &run->fit.ball_count);
    return run->fit.ball_count <= run->most;
}

// The least protrusion from `protrusion` on that `most` balls have, nearly. The number of balls falls about as the protrusion
// rises: a ball of radius R that protrudes by p covers a disc of the surface of radius sqrt(2 R p).
static bool find_protrusion(QuickRun* run, double* protrusion) {
    double low = 0.0, high = DBL_MAX, now = *protrusion;
    for (int32_t i = 0; i < PROTRUSION_TRIES; ++i) {
        const bool enough = try_protrusion(run, now);
        if (run->fit.cover == NULL) {
            return false;  // memory
        }
        const double ratio = (double)run->fit.ball_count / run->most;
        if (enough) {
            high = now;
            run->trial_count = run->fit.ball_count;
            memcpy(run->trial, run->fit.balls, (size_t)run->trial_count * sizeof *run->trial);
        } else {
            low = now;
        }
        if ((enough && (i == 0 || ratio > NEARLY_ALL)) || (!enough && high <= ENOUGH * low)) {
            break;
        }

        now *= ratio;
        if (high < DBL_MAX) {
            now = clamp(now, 0.75 * low + 0.25 * high, 0.25 * low + 0.75 * high);
        } else {
            now = fmax(now, 1.1 * low);
        }
    }
    *protrusion = high;
    return high < DBL_MAX;
}

// Each ball becomes the smallest around the points that are deepest in it, where that protrudes no more than it did; else it
// keeps its centre.
static BerthStatus shrink_trial(QuickRun* run, double protrusion) {
    CoverFit* fit = &run->fit;
    CoverBody* body = run->body;
    const BerthStatus status = bi_cover_reserve_owners(fit);
    if (status != BERTH_OK) {
        return status;
    }
    for (size_t i = 0; i < fit->points.count; ++i) {
        fit->owner[i] = bi_cover_deepest(body->metric, run->trial, run->trial_count, fit->points.at[i]);
    }

    const double spare = 1.0 / (1.0 - BI_COVER_SKIN) + 1e-9;
    int32_t kept = 0;
    for (int32_t b = 0; b < run->trial_count; ++b) {
        int32_t own = 0;
        for (size_t i = 0; i < fit->points.count; ++i) {
            if (fit->owner[i] == b) {
                fit->gathered[own++] = fit->points.at[i];
            }
        }
        if (own == 0) {
            continue;
        }

        Ball ball = bi_ball_smallest(fit->gathered, own);
        ball.radius = fmax(spare * ball.radius, body->radius_min);
        if (bi_cover_protrusion(body, &ball) > protrusion) {
            ball.centre = run->trial[b].centre;
            ball.radius = spare * bi_ball_radius_around(ball.centre, fit->gathered, own);
            ball.radius = fmax(fmin(ball.radius, run->trial[b].radius), body->radius_min);
        }
        run->trial[kept++] = ball;
    }
    run->trial_count = kept;
    return BERTH_OK;
}

// Grows what leaves something open, and proves once more without growing.
static BerthStatus prove_trial(QuickRun* run, bool* proven) {
    *proven = false;
    CoverProof proof;
    CoverQuestion question = {
        .leaf = run->body->diagonal / 400.0, .grow = true, .work = PROOF_WORK, .stop = no_stop};
    BerthStatus status = bi_cover_prove(run->body, run->trial, run->trial_count, &question, &proof);
    if (status != BERTH_OK || proof.spent) {
        return status;
    }

    question.grow = false;
    question.leaf *= 0.25;
    status = bi_cover_prove(run->body, run->trial, run->trial_count, &question, &proof);
    *proven = status == BERTH_OK && proof.covered;
    return status;
}

static void keep_trial(QuickRun* run, double protrusion) {
    memcpy(run->balls, run->trial, (size_t)run->trial_count * sizeof *run->balls);
    run->count = run->trial_count;
    run->protrusion = protrusion;
}

static BerthStatus cover_by_several(QuickRun* run) {
    CoverBody* body = run->body;
    BerthStatus status = bi_cover_start(body, POINTS, CELLS, 1, no_stop, &run->fit);
    double target = fmax(GROWTH_SHARE * run->wanted, 4.0 * body->radius_min);

    for (int32_t i = 0; i <= LOWER_TRIES && status == BERTH_OK && run->protrusion > run->wanted; ++i) {
        const double asked = target;
        if (!find_protrusion(run, &target)) {
            return run->fit.cover == NULL ? no_memory() : BERTH_OK;
        }

        bool proven = false;
        status = shrink_trial(run, target);
        if (status == BERTH_OK) {
            status = prove_trial(run, &proven);
        }
        const double protrusion = bi_cover_largest_protrusion(body, run->trial, run->trial_count);
        if (status == BERTH_OK && proven && protrusion < run->protrusion) {
            keep_trial(run, protrusion);
        }

        // As many balls as there may be: lower is in vain.
        if (target > asked || !proven) {
            break;
        }
        target *= fmin(0.9, 0.95 * run->wanted / fmax(protrusion, DBL_MIN));
    }
    return status;
}

// ---- pieces --------------------------------------------------------------------------------------------------

static bool is_sphere(const CoverPiece* piece) {
    return !piece->solid->is_mesh && piece->solid->shape.kind == BERTH_SPHERE;
}

static Ball ball_of(const CoverPiece* piece) {
    return (Ball){piece->body_from_solid.t, piece->solid->shape.as.sphere.radius};
}

static bool is_halfspace(const CoverPiece* piece) {
    return !piece->solid->is_mesh && piece->solid->shape.kind == BERTH_HALFSPACE;
}

/// Pieces that are spheres, as they are, and the others.
typedef struct PieceSplit {
    Ball* spheres;
    int32_t sphere_count;
    CoverPiece* others;
    int32_t other_count;
} PieceSplit;

// Where spheres cannot be kept they are solids like others. Pieces without obstacles are left out.
static void split_pieces(const CoverPiece* pieces, int32_t count, bool keep_spheres, PieceSplit* split) {
    split->sphere_count = split->other_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (keep_spheres && is_sphere(&pieces[i])) {
            split->spheres[split->sphere_count++] = ball_of(&pieces[i]);
        } else if (!solid_is_empty(pieces[i].solid)) {
            split->others[split->other_count++] = pieces[i];
        }
    }
}

// Bodies may have too many triangles to be looked at: the solids know balls around themselves.
static BerthStatus cover_by_solids(const PieceSplit* split, const BerthAllocator* from, QuickRun* run) {
    Ball* around = bi_take(from, (size_t)split->other_count, sizeof *around);
    if (around == NULL) {
        return no_memory();
    }
    for (int32_t i = 0; i < split->other_count; ++i) {
        const CoverPiece* piece = &split->others[i];
        const double slack = BI_DISTANCE_SLACK * (piece->solid->extent + v3_length(piece->body_from_solid.t));
        around[i] = (Ball){pose_apply(&piece->body_from_solid, piece->solid->centre),
                           (piece->solid->radius + slack) * (1.0 + 16.0 * BI_ULP)};
    }

    run->balls[0] = bi_ball_of_balls(around, split->other_count);
    run->count = 1;
    run->protrusion = 2.0 * run->balls[0].radius;
    bi_give(from, around, (size_t)split->other_count, sizeof *around);
    return BERTH_OK;
}

static BerthStatus cover_others(const PieceSplit* split, const BerthAllocator* from, QuickRun* run) {
    if (split->other_count == 0) {
        return BERTH_OK;
    }

    BerthStatus status =
        bi_cover_body_create(split->others, split->other_count, BERTH_METRIC_L2, from, &run->body);
    if (status == BERTH_ERR_CAPACITY) {
        return cover_by_solids(split, from, run);
    }
    if (status == BERTH_OK) {
        status = cover_by_one(run);
    }
    if (status == BERTH_OK && run->most > 1 && run->protrusion > run->wanted) {
        status = cover_by_several(run);
    }
    bi_cover_body_destroy(run->body);
    return status;
}

static BerthStatus copy_out(const PieceSplit* split, const QuickRun* run, const BerthAllocator* from,
                            QuickCover* out) {
    const int32_t total = split->sphere_count + run->count;
    Ball* balls = bi_take(from, (size_t)total, sizeof *balls);
    if (balls == NULL) {
        return no_memory();
    }
    memcpy(balls, split->spheres, (size_t)split->sphere_count * sizeof *balls);
    memcpy(balls + split->sphere_count, run->balls, (size_t)run->count * sizeof *balls);
    *out = (QuickCover){balls, total, run->protrusion};
    return BERTH_OK;
}

BerthStatus bi_cover_quick(const CoverPiece* pieces, int32_t count, double protrusion, int32_t most,
                           const BerthAllocator* allocator, QuickCover* out) {
    *out = (QuickCover){0};
    int32_t spheres = 0, others = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (is_halfspace(&pieces[i])) {
            return bi_fail(BERTH_ERR_UNSUPPORTED, "cover: no balls contain a half-space");
        }
        spheres += is_sphere(&pieces[i]) ? 1 : 0;
        others += !is_sphere(&pieces[i]) && !solid_is_empty(pieces[i].solid) ? 1 : 0;
    }

    const BerthAllocator from = bi_allocator_or_default(allocator);
    const int32_t limit = most < BI_COVER_BALLS_MAX ? most : BI_COVER_BALLS_MAX;
    const bool keep_spheres = spheres + (others > 0 ? 1 : 0) <= limit;
    const int32_t room = keep_spheres ? limit - spheres : limit;
    const size_t size = (size_t)count, balls_size = (size_t)(room > 1 ? room : 1);

    PieceSplit split = {.spheres = bi_take(&from, size, sizeof(Ball)),
                        .others = bi_take(&from, size, sizeof(CoverPiece))};
    QuickRun run = {.wanted = protrusion,
                    .most = room,
                    .trial = bi_take(&from, balls_size, sizeof(Ball)),
                    .balls = bi_take(&from, balls_size, sizeof(Ball))};
    BerthStatus status = no_memory();
    if (split.spheres != NULL && split.others != NULL && run.trial != NULL && run.balls != NULL) {
        split_pieces(pieces, count, keep_spheres, &split);
        status = cover_others(&split, &from, &run);
    }
    if (status == BERTH_OK) {
        status = copy_out(&split, &run, &from, out);
    }

    bi_give(&from, split.spheres, size, sizeof(Ball));
    bi_give(&from, split.others, size, sizeof(CoverPiece));
    bi_give(&from, run.trial, balls_size, sizeof(Ball));
    bi_give(&from, run.balls, balls_size, sizeof(Ball));
    return status;
}
