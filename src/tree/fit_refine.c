// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Better balls for the same points. Settling gives every point to the ball it is deepest in and every ball the smallest
// radius for its points: radii only shrink. Improving hands points at the rim of a ball to others, or takes a ball away
// here and splits one there, and keeps what makes the union smaller.

#include <float.h>
#include <string.h>

#include "tree/fit.h"

enum { SETTLE_AFTER = 2 };

// Lines across the body's diagonal when volumes are compared.
#define QUICK_LINES 40.0
// The share by which a move may make the volume larger, at first.
#define WARMTH 0.01

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "fit: out of memory");
}

static BerthStatus make_room(Fit* fit) {
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

// The ball a point is deepest in, or least outside of; `but` is left out.
static int32_t best_ball(const Ball* balls, int32_t count, Vec3 p, int32_t but) {
    int32_t best = -1;
    double best_depth = -DBL_MAX;
    for (int32_t i = 0; i < count; ++i) {
        const double sq = v3_length_sq(v3_sub(p, balls[i].centre));
        const double r_sq = balls[i].radius * balls[i].radius;
        const double depth = sq <= r_sq ? r_sq - sq : -(sqrt(sq) - balls[i].radius);
        if (i != but && depth > best_depth) {
            best_depth = depth;
            best = i;
        }
    }
    return best;
}

static Ball ball_of(const Fit* fit, int32_t ball) {
    int32_t count = 0;
    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == ball) {
            fit->gathered[count++] = fit->points.at[i];
        }
    }
    return bi_ball_smallest(fit->gathered, count);
}

static void own_all(Fit* fit) {
    for (size_t i = 0; i < fit->points.count; ++i) {
        fit->owner[i] = best_ball(fit->balls, fit->ball_count, fit->points.at[i], -1);
    }
}

static void drop_ball(Fit* fit, int32_t ball) {
    fit->ball_count -= 1;
    fit->balls[ball] = fit->balls[fit->ball_count];
    for (size_t i = 0; i < fit->points.count; ++i) {
        fit->owner[i] = fit->owner[i] == fit->ball_count ? ball : fit->owner[i];
    }
}

BerthStatus bi_fit_settle(Fit* fit, int32_t rounds) {
    const BerthStatus status = make_room(fit);
    if (status != BERTH_OK) {
        return status;
    }
    for (int32_t round = 0; round < rounds; ++round) {
        own_all(fit);
        double shrunk = 0.0;
        for (int32_t b = fit->ball_count - 1; b >= 0; --b) {
            const Ball ball = ball_of(fit, b);
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
enum { ROW_MAX = 256 };
typedef struct Row {
    double v[ROW_MAX], w[ROW_MAX], rest[ROW_MAX];
    int32_t count;
} Row;

// How much of a line is in the balls.
static double line_length(const Row* row, double v) {
    Span spans[ROW_MAX];
    int32_t count = 0;
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
    double sum = 0.0, end = -DBL_MAX;
    for (int32_t k = 0; k < count; ++k) {
        sum += spans[k].high > end ? spans[k].high - fmax(end, spans[k].low) : 0.0;
        end = fmax(end, spans[k].high);
    }
    return sum;
}

// Lines through the middles of squares of side `step` that are anchored at 0: balls that move do not move the lines.
double bi_fit_union_volume(const Ball* balls, int32_t count, double step) {
    Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX), high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 r = v3(balls[i].radius, balls[i].radius, balls[i].radius);
        low = v3_min(low, v3_sub(balls[i].centre, r));
        high = v3_max(high, v3_add(balls[i].centre, r));
    }
    const Vec3 size = v3_sub(high, low);
    // Along the longest side: the fewest lines.
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const int axis_u = (axis + 1) % 3, axis_v = (axis + 2) % 3;
    const double first_u = floor(v3_at(low, axis_u) / step), first_v = floor(v3_at(low, axis_v) / step);
    const int32_t rows = (int32_t)(ceil(v3_at(high, axis_u) / step) - first_u);
    const int32_t lines = (int32_t)(ceil(v3_at(high, axis_v) / step) - first_v);
    double sum = 0.0;
    for (int32_t iu = 0; iu < rows; ++iu) {
        const double u = step * (first_u + iu + 0.5);
        Row row = {.count = 0};
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

// ---- moves ---------------------------------------------------------------------------------------------------

/// What a move may have to take back.
typedef struct Undo {
    Ball* balls;
    int32_t* owner;
    int32_t ball_count;
} Undo;

static void save(const Fit* fit, Undo* undo) {
    memcpy(undo->balls, fit->balls, (size_t)fit->ball_count * sizeof *undo->balls);
    memcpy(undo->owner, fit->owner, fit->points.count * sizeof *undo->owner);
    undo->ball_count = fit->ball_count;
}

static void restore(Fit* fit, const Undo* undo) {
    memcpy(fit->balls, undo->balls, (size_t)undo->ball_count * sizeof *undo->balls);
    memcpy(fit->owner, undo->owner, fit->points.count * sizeof *undo->owner);
    fit->ball_count = undo->ball_count;
}

static Vec3 random_direction(Random* random) {
    for (int32_t i = 0; i < 20; ++i) {
        const Vec3 v = v3(bi_random_between(random, -1.0, 1.0), bi_random_between(random, -1.0, 1.0),
                          bi_random_between(random, -1.0, 1.0));
        const double sq = v3_length_sq(v);
        if (sq > 0.01 && sq <= 1.0) {
            return v3_scale(v, 1.0 / sqrt(sq));
        }
    }
    return v3(1, 0, 0);
}

// Makes the balls marked in `touched` the smallest around their points.
static void shrink_touched(Fit* fit, const bool* touched) {
    for (int32_t b = fit->ball_count - 1; b >= 0; --b) {
        if (!touched[b]) {
            continue;
        }
        const Ball ball = ball_of(fit, b);
        if (ball.radius >= 0.0) {
            fit->balls[b] = ball;
        } else if (fit->ball_count > 1) {
            drop_ball(fit, b);
        }
    }
}

// Points of one ball's rim, on one side, go to the balls that need to grow least for them.
static void hand_over(Fit* fit, bool* touched) {
    const int32_t from = (int32_t)(bi_random_next(&fit->random) % (uint64_t)fit->ball_count);
    const Vec3 along = random_direction(&fit->random);
    const double share = bi_random_between(&fit->random, 0.0, 1.0);
    const double rim = fit->balls[from].radius * (1.0 - 0.5 * share * share);
    touched[from] = true;
    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == from &&
            v3_dot(v3_sub(fit->points.at[i], fit->balls[from].centre), along) > rim) {
            const int32_t to = best_ball(fit->balls, fit->ball_count, fit->points.at[i], from);
            fit->owner[i] = to;
            touched[to] = true;
        }
    }
}

static void split_ball(Fit* fit, int32_t ball, Vec3 along) {
    const int32_t fresh = fit->ball_count++;
    const Vec3 c = fit->balls[ball].centre;
    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == ball && v3_dot(v3_sub(fit->points.at[i], c), along) > 0.0) {
            fit->owner[i] = fresh;
        }
    }
    const Ball first = ball_of(fit, ball), second = ball_of(fit, fresh);
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

static void remove_ball(Fit* fit, int32_t ball) {
    bool touched[BI_FIT_BALLS_MAX];
    memset(touched, 0, (size_t)fit->ball_count * sizeof *touched);
    for (size_t i = 0; i < fit->points.count; ++i) {
        if (fit->owner[i] == ball) {
            fit->owner[i] = best_ball(fit->balls, fit->ball_count, fit->points.at[i], ball);
            touched[fit->owner[i]] = true;
        }
    }
    shrink_touched(fit, touched);
    drop_ball(fit, ball);
}

// The smallest (sign -1) or largest (+1) of three random balls.
static int32_t pick_ball(Fit* fit, double sign) {
    int32_t best = (int32_t)(bi_random_next(&fit->random) % (uint64_t)fit->ball_count);
    for (int32_t i = 0; i < 2; ++i) {
        const int32_t other = (int32_t)(bi_random_next(&fit->random) % (uint64_t)fit->ball_count);
        best = sign * fit->balls[other].radius > sign * fit->balls[best].radius ? other : best;
    }
    return best;
}

// Towards the farthest point that the ball has, or anywhere.
static Vec3 split_direction(Fit* fit, int32_t ball) {
    Vec3 along = random_direction(&fit->random);
    double most = 0.0;
    const bool farthest = bi_random_next(&fit->random) % 4 != 0;
    for (size_t i = 0; i < fit->points.count && farthest; ++i) {
        const Vec3 out = v3_sub(fit->points.at[i], fit->balls[ball].centre);
        if (fit->owner[i] == ball && v3_length_sq(out) > most) {
            most = v3_length_sq(out);
            along = out;
        }
    }
    return along;
}

// A ball goes, another is split: the way to move one from where it does little to where it does much.
static void move_ball(Fit* fit) {
    remove_ball(fit, pick_ball(fit, -1.0));
    const int32_t target = pick_ball(fit, 1.0);
    split_ball(fit, target, split_direction(fit, target));
}

// One or two balls lose or gain weight and stand elsewhere: points change hands where balls meet.
static void shake(Fit* fit) {
    const int32_t times = bi_random_next(&fit->random) % 3 == 0 ? 2 : 1;
    for (int32_t i = 0; i < times; ++i) {
        Ball* ball = &fit->balls[bi_random_next(&fit->random) % (uint64_t)fit->ball_count];
        const double size = 0.4 * pow(0.02, bi_random_between(&fit->random, 0.0, 1.0));
        ball->radius *= 1.0 + size * bi_random_between(&fit->random, -1.0, 1.0);
        ball->centre = v3_mad(ball->centre, size * ball->radius * bi_random_between(&fit->random, 0.0, 1.0),
                              random_direction(&fit->random));
    }
}

static void make_move(Fit* fit, int32_t wanted) {
    bool touched[BI_FIT_BALLS_MAX];
    const uint64_t kind = bi_random_next(&fit->random) % 16;
    if (kind < 2) {
        move_ball(fit);
    } else if (kind < 5) {
        memset(touched, 0, (size_t)fit->ball_count * sizeof *touched);
        hand_over(fit, touched);
        shrink_touched(fit, touched);
    } else {
        shake(fit);
    }
    // A ball that lost all its points stands up again elsewhere.
    while (fit->ball_count < wanted) {
        const int32_t before = fit->ball_count;
        own_all(fit);
        const int32_t target = pick_ball(fit, 1.0);
        split_ball(fit, target, split_direction(fit, target));
        if (fit->ball_count == before) {
            break;
        }
    }
}

BerthStatus bi_fit_improve(Fit* fit, int32_t moves) {
    BerthStatus status = make_room(fit);
    if (status != BERTH_OK || fit->ball_count < 2) {
        return status;
    }
    Arena* arena = &fit->body->arena;
    Undo now = {.balls = bi_arena_take(arena, BI_FIT_BALLS_MAX, sizeof *now.balls),
                .owner = bi_arena_take(arena, fit->points.count, sizeof *now.owner)};
    Undo best = {.balls = bi_arena_take(arena, BI_FIT_BALLS_MAX, sizeof *best.balls),
                 .owner = bi_arena_take(arena, fit->points.count, sizeof *best.owner)};
    if (now.balls == NULL || now.owner == NULL || best.balls == NULL || best.owner == NULL) {
        return no_memory();
    }
    own_all(fit);
    const double step = fit->body->diagonal / QUICK_LINES;
    const int32_t wanted = fit->ball_count;
    double volume = bi_fit_union_volume(fit->balls, fit->ball_count, step), best_volume = volume;
    save(fit, &best);
    for (int32_t move = 0; move < moves && status == BERTH_OK; ++move) {
        if (move % 64 == 0 && fit->stop.asked(fit->stop.user)) {
            return bi_fail(BERTH_ERR_CANCELLED, "fit: stopped");
        }
        save(fit, &now);
        make_move(fit, wanted);
        status = bi_fit_settle(fit, SETTLE_AFTER);
        const double after = bi_fit_union_volume(fit->balls, fit->ball_count, step);
        // A little worse is taken at first, less and less.
        const double heat = WARMTH * (1.0 - (double)move / moves) * bi_random_between(&fit->random, 0.0, 1.0);
        if (after < volume * (1.0 + heat)) {
            volume = after;
            if (volume < best_volume) {
                best_volume = volume;
                save(fit, &best);
            }
        } else {
            restore(fit, &now);
        }
    }
    restore(fit, &best);
    return status;
}

BerthStatus bi_fit_set_count(Fit* fit, int32_t count) {
    BerthStatus status = make_room(fit);
    if (status != BERTH_OK) {
        return status;
    }
    own_all(fit);
    while (fit->ball_count > count && count > 0) {
        int32_t smallest = 0;
        for (int32_t i = 1; i < fit->ball_count; ++i) {
            smallest = fit->balls[i].radius < fit->balls[smallest].radius ? i : smallest;
        }
        remove_ball(fit, smallest);
    }
    while (fit->ball_count < count && status == BERTH_OK) {
        int32_t largest = 0;
        const int32_t before = fit->ball_count;
        for (int32_t i = 1; i < fit->ball_count; ++i) {
            largest = fit->balls[i].radius > fit->balls[largest].radius ? i : largest;
        }
        split_ball(fit, largest, split_direction(fit, largest));
        if (fit->ball_count == before) {
            break;
        }
        status = bi_fit_settle(fit, SETTLE_AFTER);
    }
    return status;
}
