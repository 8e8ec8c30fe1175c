// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Better balls for the same points: settling assigns every point to the ball in which it is deepest and gives
// every ball the smallest radius for its points, so radii only shrink. And the smallest balls of both
// metrics.
// Entries: bi_cover_radius_around, bi_cover_smallest_ball, bi_cover_reserve_owners, bi_cover_deepest,
// bi_cover_settle.

#include <float.h>
#include <string.h>

#include "cover/cover.h"

// ---- balls of both metrics -----------------------------------------------------------------------------------

double bi_cover_radius_around(BerthMetric metric, Vec3 centre, const Vec3* points, int32_t count) {
    if (metric != BERTH_METRIC_L1) {
        return bi_ball_radius_around(centre, points, count);
    }

    double reach = -1.0;
    for (int32_t i = 0; i < count; ++i) {
        const double away = cover_length(metric, v3_sub(points[i], centre)) * (1.0 + 8.0 * BI_ULP);
        reach = away <= reach ? reach : away;
    }
    return reach;
}

// An octahedron is what is between four pairs of planes: |f_k . (p - c)| <= r for f_0 = (1, 1, 1), f_1 = (1, 1, -1),
// f_2 = (1, -1, 1), f_3 = (-1, 1, 1). Points have a middle m_k and a half width w_k along each, the centre c has
// y_k = f_k . c with y_0 = y_1 + y_2 + y_3, and |y_k - m_k| <= r - w_k. So r is the largest width, or what the middles
// disagree by, shared among the four: the smallest r for which such y exist.
static Ball smallest_octahedron(const Vec3* points, int32_t count) {
    double low[4] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}, high[4] = {-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 p = points[i];
        const double along[4] = {p.x + p.y + p.z, p.x + p.y - p.z, p.x - p.y + p.z, -p.x + p.y + p.z};
        for (int k = 0; k < 4; ++k) {
            low[k] = fmin(low[k], along[k]);
            high[k] = fmax(high[k], along[k]);
        }
    }

    double middle[4], half[4], widest = 0.0, sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        middle[k] = 0.5 * (low[k] + high[k]);
        half[k] = 0.5 * (high[k] - low[k]);
        widest = fmax(widest, half[k]);
        sum += half[k];
    }

    // Each y goes towards agreement as far as it may, in the share that its room has of all.
    const double apart = middle[0] - middle[1] - middle[2] - middle[3];
    const double radius = fmax(widest, 0.25 * (fabs(apart) + sum));
    const double room = 4.0 * radius - sum;
    const double share = room > 0.0 ? apart / room : 0.0;
    const double y1 = middle[1] + share * (radius - half[1]);
    const double y2 = middle[2] + share * (radius - half[2]);
    const double y3 = middle[3] + share * (radius - half[3]);
    return (Ball){v3(0.5 * (y1 + y2), 0.5 * (y1 + y3), 0.5 * (y2 + y3)), radius};
}

Ball bi_cover_smallest_ball(BerthMetric metric, const Vec3* points, int32_t count) {
    if (metric != BERTH_METRIC_L1) {
        return bi_ball_smallest(points, count);
    }
    if (count <= 0) {
        return (Ball){v3(0, 0, 0), -1.0};
    }

    Ball ball = smallest_octahedron(points, count);
    ball.radius = bi_cover_radius_around(metric, ball.centre, points, count);
    return ball;
}

// ---- settling ------------------------------------------------------------------------------------------------

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}

BerthStatus bi_cover_reserve_owners(CoverFit* fit) {
    Arena* arena = &fit->body->arena;
    int32_t* owner =
        bi_arena_grow(arena, fit->owner, 0, fit->points.count, &fit->owner_capacity, sizeof *owner);
    if (owner == NULL) {
        return no_memory();
    }
    fit->owner = owner;

    Vec3* gathered = bi_arena_grow(arena, fit->gathered, 0, fit->points.count + 8, &fit->gathered_capacity,
                                   sizeof *gathered);
    if (gathered == NULL) {
        return no_memory();
    }
    fit->gathered = gathered;

    return BERTH_OK;
}

int32_t bi_cover_deepest(BerthMetric metric, const Ball* balls, int32_t count, Vec3 p) {
    int32_t best = -1;
    double best_depth = -DBL_MAX;
    for (int32_t i = 0; i < count; ++i) {
        const double depth = cover_depth_in_ball(metric, &balls[i], p);
        if (depth > best_depth) {
            best_depth = depth;
            best = i;
        }
    }
    return best;
}

static Ball smallest_ball_of(const CoverFit* fit, int32_t ball) {
    int32_t count = 0;
    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == ball) {
            fit->gathered[count++] = fit->points.at[i];
        }
    }
    return bi_cover_smallest_ball(fit->body->metric, fit->gathered, count);
}

static void assign_points(CoverFit* fit) {
    for (size_t i = 0; i < fit->points.count; ++i) {
        fit->owner[i] = bi_cover_deepest(fit->body->metric, fit->balls, fit->ball_count, fit->points.at[i]);
    }
}

static void drop_ball(CoverFit* fit, int32_t ball) {
    fit->ball_count -= 1;
    fit->balls[ball] = fit->balls[fit->ball_count];
    for (size_t i = 0; i < fit->points.count; ++i) {
        fit->owner[i] = fit->owner[i] == fit->ball_count ? ball : fit->owner[i];
    }
}

BerthStatus bi_cover_settle(CoverFit* fit, int32_t rounds) {
    const BerthStatus status = bi_cover_reserve_owners(fit);
    if (status != BERTH_OK) {
        return status;
    }

    for (int32_t round = 0; round < rounds; ++round) {
        assign_points(fit);
        double shrunk = 0.0;

        if (fit->stop.asked(fit->stop.user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
        }

        for (int32_t b = fit->ball_count - 1; b >= 0; --b) {
            const Ball ball = smallest_ball_of(fit, b);
            if (ball.radius < 0.0) {
                drop_ball(fit, b);
                shrunk = DBL_MAX;
                continue;
            }
            shrunk = fmax(shrunk, fabs(fit->balls[b].radius - ball.radius));
            fit->balls[b] = ball;
        }

        if (shrunk <= 1e-4 * fit->body->diagonal) {
            break;
        }
    }
    return BERTH_OK;
}

// ---- how many ------------------------------------------------------------------------------------------------

// From the ball's centre to the farthest point that it has.
static Vec3 farthest_point(const CoverFit* fit, int32_t ball) {
    Vec3 along = v3(1, 0, 0);
    double most = 0.0;

    for (size_t i = 0; i < fit->points.count; ++i) {
        const Vec3 out = v3_sub(fit->points.at[i], fit->balls[ball].centre);
        if (fit->owner[i] == ball && v3_length_sq(out) > most) {
            most = v3_length_sq(out);
            along = out;
        }
    }

    return along;
}

static void split_ball(CoverFit* fit, int32_t ball, Vec3 along) {
    const int32_t fresh = fit->ball_count++;
    const Vec3 c = fit->balls[ball].centre;

    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == ball && v3_dot(v3_sub(fit->points.at[i], c), along) > 0.0) {
            fit->owner[i] = fresh;
        }
    }

    // A side without points: the split is taken back.
    const Ball first = smallest_ball_of(fit, ball), second = smallest_ball_of(fit, fresh);
    if (first.radius < 0.0 || second.radius < 0.0) {
        for (size_t i = 0; i < fit->points.count; ++i) {
            fit->owner[i] = fit->owner[i] == fresh ? ball : fit->owner[i];
        }
        fit->ball_count -= 1;
        return;
    }

    fit->balls[ball] = first;
    fit->balls[fresh] = second;
}

BerthStatus bi_cover_fill_up(CoverFit* fit, int32_t count) {
    BerthStatus status = bi_cover_reserve_owners(fit);
    if (status != BERTH_OK) {
        return status;
    }
    assign_points(fit);

    while (fit->ball_count < count && status == BERTH_OK) {
        int32_t largest = 0;
        const int32_t before = fit->ball_count;
        for (int32_t i = 1; i < fit->ball_count; ++i) {
            largest = fit->balls[i].radius > fit->balls[largest].radius ? i : largest;
        }

        split_ball(fit, largest, farthest_point(fit, largest));
        if (fit->ball_count == before) {
            break;
        }
        if (fit->stop.asked(fit->stop.user)) {
            status = bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
        }
    }
    return status;
}
