// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Better balls for the same points: settling gives every point to the ball it is deepest in and every ball the smallest
// radius for its points, so radii only shrink. Also the number of balls, and the volume of their union.
//
// Entries: bi_cover_settle, bi_cover_union_volume_through_box, bi_cover_union_volume, bi_cover_set_count.

#include <float.h>
#include <string.h>

#include "cover/cover.h"

enum { SETTLE_AFTER = 3 };

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "fit: out of memory");
}

static BerthStatus reserve_owners(CoverFit* fit) {
    Arena* arena = &fit->body->arena;
    int32_t* owner =
        bi_arena_grow(arena, fit->owner, 0, fit->points.count, &fit->owner_capacity, sizeof *owner);
    if (owner == NULL) {
        return no_memory();
    }
    fit->owner = owner;

    Vec3* gathered =
        bi_arena_grow(arena, fit->gathered, 0, fit->points.count, &fit->gathered_capacity, sizeof *gathered);
    if (gathered == NULL) {
        return no_memory();
    }
    fit->gathered = gathered;

    return BERTH_OK;
}

// The ball a point is deepest in, or least outside of; `excluded` is left out.
static int32_t deepest_ball(const Ball* balls, int32_t count, Vec3 p, int32_t excluded) {
    int32_t best = -1;
    double best_depth = -DBL_MAX;
    for (int32_t i = 0; i < count; ++i) {
        const double sq = v3_length_sq(v3_sub(p, balls[i].centre));
        const double r_sq = balls[i].radius * balls[i].radius;
        const double depth = sq <= r_sq ? r_sq - sq : -(sqrt(sq) - balls[i].radius);
        if (i != excluded && depth > best_depth) {
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
    return bi_ball_smallest(fit->gathered, count);
}

static void assign_points(CoverFit* fit) {
    for (size_t i = 0; i < fit->points.count; ++i) {
        fit->owner[i] = deepest_ball(fit->balls, fit->ball_count, fit->points.at[i], -1);
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
    const BerthStatus status = reserve_owners(fit);
    if (status != BERTH_OK) {
        return status;
    }

    for (int32_t round = 0; round < rounds; ++round) {
        assign_points(fit);
        double shrunk = 0.0;

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

// ---- volume --------------------------------------------------------------------------------------------------

typedef struct Span {
    double low, high;
} Span;

/// Balls that one row of lines meets: where across and along the lines, and what is left of the squared radius.
enum { ROW_MAX = BI_COVER_BALLS_MAX };
typedef struct Row {
    double v[ROW_MAX], w[ROW_MAX], rest[ROW_MAX];
    int32_t count;
} Row;

// How much of a line is in the balls.
static double line_length(const Row* row, double v) {
    Span spans[ROW_MAX];
    int32_t count = 0;

    // Where each ball enters and leaves the line, by where it enters.
    for (int32_t k = 0; k < row->count; ++k) {
        const double dv = v - row->v[k];
        const double rest = row->rest[k] - dv * dv;
        if (!(rest > 0.0)) {
            continue;
        }

        const double half = sqrt(rest);
        int32_t place = count++;
        for (; place > 0 && spans[place - 1].low > row->w[k] - half; --place) {
            spans[place] = spans[place - 1];
        }
        spans[place] = (Span){row->w[k] - half, row->w[k] + half};
    }

    // Overlaps are counted once.
    double sum = 0.0, end = -DBL_MAX;
    for (int32_t k = 0; k < count; ++k) {
        sum += spans[k].high > end ? spans[k].high - fmax(end, spans[k].low) : 0.0;
        end = fmax(end, spans[k].high);
    }
    return sum;
}

// Lines through the middles of squares of side `step` that are anchored at 0: balls that move do not move the lines.
double bi_cover_union_volume_through_box(const Ball* balls, int32_t count, double step, Vec3 low, Vec3 high) {
    const Vec3 size = v3_sub(high, low);
    // Along the longest side: the fewest lines.
    const int axis = box_longest_axis(size);

    const int axis_u = (axis + 1) % 3, axis_v = (axis + 2) % 3;
    const double first_u = floor(v3_at(low, axis_u) / step), first_v = floor(v3_at(low, axis_v) / step);
    const int32_t rows = (int32_t)(ceil(v3_at(high, axis_u) / step) - first_u);
    const int32_t lines = (int32_t)(ceil(v3_at(high, axis_v) / step) - first_v);

    double sum = 0.0;
    for (int32_t iu = 0; iu < rows; ++iu) {
        const double u = step * (first_u + iu + 0.5);
        Row row;  // large: not cleared
        row.count = 0;
        for (int32_t i = 0; i < count && row.count < ROW_MAX; ++i) {
            const double du = u - v3_at(balls[i].centre, axis_u);
            const double rest = balls[i].radius * balls[i].radius - du * du;
            if (rest > 0.0) {
                row.v[row.count] = v3_at(balls[i].centre, axis_v);
                row.w[row.count] = v3_at(balls[i].centre, axis);
                row.rest[row.count++] = rest;
            }
        }

        for (int32_t iv = 0; iv < lines && row.count > 0; ++iv) {
            sum += line_length(&row, step * (first_v + iv + 0.5));
        }
    }

    return sum * step * step;
}

double bi_cover_union_volume(const Ball* balls, int32_t count, double step) {
    Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX), high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 r = v3(balls[i].radius, balls[i].radius, balls[i].radius);
        low = v3_min(low, v3_sub(balls[i].centre, r));
        high = v3_max(high, v3_add(balls[i].centre, r));
    }

    return count > 0 ? bi_cover_union_volume_through_box(balls, count, step, low, high) : 0.0;
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

// Its points go to the balls that need to grow least for them.
static void hand_over_and_drop(CoverFit* fit, int32_t ball) {
    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == ball) {
            fit->owner[i] = deepest_ball(fit->balls, fit->ball_count, fit->points.at[i], ball);
        }
    }

    drop_ball(fit, ball);
    for (int32_t b = 0; b < fit->ball_count; ++b) {
        fit->balls[b] = smallest_ball_of(fit, b);
    }
}

BerthStatus bi_cover_set_count(CoverFit* fit, int32_t count) {
    BerthStatus status = reserve_owners(fit);
    if (status != BERTH_OK) {
        return status;
    }

    assign_points(fit);

    // Too many: the smallest go.
    while (fit->ball_count > count && count > 0) {
        int32_t smallest = 0;
        for (int32_t i = 1; i < fit->ball_count; ++i) {
            smallest = fit->balls[i].radius < fit->balls[smallest].radius ? i : smallest;
        }
        hand_over_and_drop(fit, smallest);
    }

    // Too few: the largest are halved.
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
        status = bi_cover_settle(fit, SETTLE_AFTER);
    }
    return status;
}
