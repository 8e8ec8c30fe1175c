// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls around points and balls. The smallest is found as an LP-type problem: keep the few points that define
// the ball, add the farthest point outside, find the smallest ball of those at most five by trying every
// subset, and repeat. A subset is judged by the ball that it really gives, so flat and repeated points need
// no tolerance: a bad circumcentre just loses. The search is done relative to the first point: far from the
// origin a rounded centre would lead to wrong choices.
// Entries: bi_ball_radius_around, bi_ball_radius_around_balls, bi_ball_smallest, bi_ball_ritter,
// bi_ball_incremental, bi_ball_of_balls, bi_ball_merge.

#include "shape/ball.h"

#include <float.h>

#include "base/base.h"
#include "math/math.h"

enum { HELD_MAX = 4, ROUNDS_MAX = 512 };

// A point is outside only when it is by more than rounding: 16 u of the squared radius.
#define OUTSIDE (1.0 + 16.0 * BI_ULP)

// A squared length below this may have lost digits to underflow.
#define SQUARE_SAFE 1e-280

// A root of a sum of three squares of differences is off by less than 4 u of itself; products add one.
static double round_up(double length) {
    return length * (1.0 + 8.0 * BI_ULP);
}

static double distance_up(Vec3 a, Vec3 b) {
    const Vec3 d = v3_sub(a, b);
    const double sq = v3_length_sq(d);
    if (!(sq <= SQUARE_SAFE)) {
        return sq == sq ? round_up(sqrt(sq)) : (double)INFINITY;  // NaN: nothing is known
    }
    const double most = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    return most > 0.0 ? bi_next_up(1.75 * most) : 0.0;
}

double bi_ball_radius_around(Vec3 centre, const Vec3* points, int32_t count) {
    double farthest_sq = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        const double sq = v3_length_sq(v3_sub(points[i], centre));
        if (!(sq <= farthest_sq)) {
            farthest_sq = sq == sq ? sq : (double)INFINITY;
        }
    }

    if (farthest_sq > SQUARE_SAFE) {
        return round_up(sqrt(farthest_sq));
    }

    // Squares that may have underflowed: measured again without them.
    double farthest = count > 0 ? 0.0 : -1.0;
    for (int32_t i = 0; i < count; ++i) {
        farthest = fmax(farthest, distance_up(points[i], centre));
    }
    return farthest;
}

double bi_ball_radius_around_balls(Vec3 centre, const Ball* balls, int32_t count) {
    double farthest = -1.0;
    for (int32_t i = 0; i < count; ++i) {
        if (!(balls[i].radius < 0.0)) {
            const double apart = distance_up(balls[i].centre, centre);
            const double reach = apart == 0.0 ? balls[i].radius : round_up(apart + balls[i].radius);
            if (!(reach <= farthest)) {
                farthest = reach == reach ? reach : (double)INFINITY;
            }
        }
    }
    return farthest;
}

// Of the points, seen from `origin`, the one farthest from `centre`.
static int32_t farthest_from(Vec3 origin, Vec3 centre, const Vec3* points, int32_t count,
                             double* distance_sq) {
    int32_t best = 0;
    double best_sq = -1.0;
    for (int32_t i = 0; i < count; ++i) {
        const double sq = v3_length_sq(v3_sub(v3_sub(points[i], origin), centre));
        if (sq > best_sq) {
            best_sq = sq;
            best = i;
        }
    }
    *distance_sq = best_sq;
    return best;
}

// Vectors d in the span of q with d[i].q[j] = 1 where i = j, else 0. Useless numbers when q is dependent.
static void dual_basis(const Vec3* q, int count, Vec3* d) {
    if (count == 1) {
        d[0] = v3_scale(q[0], 1.0 / v3_length_sq(q[0]));
    } else if (count == 2) {
        const Vec3 n = v3_cross(q[0], q[1]);
        const double s = 1.0 / v3_length_sq(n);
        d[0] = v3_scale(v3_cross(q[1], n), s);
        d[1] = v3_scale(v3_cross(n, q[0]), s);
    } else if (count == 3) {
        const Vec3 c = v3_cross(q[1], q[2]);
        const double s = 1.0 / v3_dot(q[0], c);
        d[0] = v3_scale(c, s);
        d[1] = v3_scale(v3_cross(q[2], q[0]), s);
        d[2] = v3_scale(v3_cross(q[0], q[1]), s);
    }
}

/// The balls that hold the present one (points have radius 0), its centre, and its squared or plain radius.
typedef struct Held {
    Ball ball[HELD_MAX + 1];
    int count;
    Vec3 centre;
    double size;
} Held;

static double held_size_sq(const Held* held, Vec3 centre) {
    double most = 0.0;
    for (int i = 0; i < held->count; ++i) {
        const double sq = v3_length_sq(v3_sub(held->ball[i].centre, centre));
        most = sq > most ? sq : most;
    }
    return most;
}

static double held_size(const Held* held, Vec3 centre) {
    double most = 0.0;
    for (int i = 0; i < held->count; ++i) {
        const double reach = v3_distance(held->ball[i].centre, centre) + held->ball[i].radius;
        most = reach > most ? reach : most;
    }
    return most;
}

/// A subset of the held with the newest in it: differences from the newest, and its dual vectors.
typedef struct Subset {
    int mask, count;
    Vec3 offset[HELD_MAX], dual[HELD_MAX];
    double radius_offset[HELD_MAX];  // radii less the newest's
} Subset;

// False when the mask has more than three members: four on a sphere decide it.
static bool try_pick_subset(const Held* held, int mask, Subset* out) {
    const Ball* newest = &held->ball[held->count - 1];
    out->mask = mask;
    out->count = 0;
    for (int i = 0; i + 1 < held->count; ++i) {
        if ((mask >> i & 1) != 0) {
            out->offset[out->count] = v3_sub(held->ball[i].centre, newest->centre);
            out->radius_offset[out->count] = held->ball[i].radius - newest->radius;
            out->count += 1;
        }
    }

    if (out->count < HELD_MAX) {
        dual_basis(out->offset, out->count, out->dual);
        return true;
    }
    return false;
}

static void keep_only_subset(Held* held, int mask) {
    int kept = 0;
    for (int i = 0; i + 1 < held->count; ++i) {
        if ((mask >> i & 1) != 0) {
            held->ball[kept++] = held->ball[i];
        }
    }
    held->ball[kept++] = held->ball[held->count - 1];
    held->count = kept;
}

// The smallest ball of the held points, the newest on its surface: the best of all circumcentres.
static void settle_points(Held* held) {
    double best = INFINITY;
    Vec3 best_centre = held->centre;
    int best_mask = 0;

    for (int mask = 0; mask < 1 << (held->count - 1); ++mask) {
        Subset set;
        if (!try_pick_subset(held, mask, &set)) {
            continue;
        }

        Vec3 x = v3(0, 0, 0);
        for (int i = 0; i < set.count; ++i) {
            x = v3_mad(x, 0.5 * v3_length_sq(set.offset[i]), set.dual[i]);
        }
        const Vec3 centre = v3_add(held->ball[held->count - 1].centre, x);
        const double size = v3_finite(centre) ? held_size_sq(held, centre) : (double)INFINITY;

        if (size < best) {
            best = size;
            best_centre = centre;
            best_mask = mask;
        }
    }

    keep_only_subset(held, best_mask);
    held->centre = best_centre;
    held->size = best;
}

/// What a search for the smallest ball is about: points, or balls.
typedef struct BallSearch {
    const void* items;
    int32_t count;
    Vec3 origin;  // of the held ones
    /// The item that reaches farthest from a centre, and how far, in the measure of Held.size.
    Ball (*find_farthest)(const struct BallSearch* search, Vec3 centre, double* reach);
    void (*settle)(Held* held);
} BallSearch;

// Takes the farthest item in, until none reaches outside. The centre that was best, from the origin.
static Vec3 find_smallest_centre(const BallSearch* search, Held* held) {
    Vec3 best = held->centre;
    double best_reach = INFINITY;

    for (int round = 0; round < ROUNDS_MAX; ++round) {
        double reach;
        const Ball farthest = search->find_farthest(search, held->centre, &reach);
        if (reach < best_reach) {
            best_reach = reach;
            best = held->centre;
        }

        if (!(reach > held->size * OUTSIDE)) {
            break;
        }

        const double before = held->size;
        held->ball[held->count++] = (Ball){v3_sub(farthest.centre, search->origin), farthest.radius};
        search->settle(held);
        if (!(held->size > before)) {
            break;  // rounding: the ball grows with every item or it is found
        }
    }
    return best;
}

static Ball farthest_point(const BallSearch* search, Vec3 centre, double* distance_sq) {
    const Vec3* points = search->items;
    return (Ball){points[farthest_from(search->origin, centre, points, search->count, distance_sq)], 0.0};
}

Ball bi_ball_smallest(const Vec3* points, int32_t count) {
    if (count <= 0) {
        return (Ball){{0, 0, 0}, -1.0};
    }

    Held held = {.count = 1};
    const BallSearch search = {points, count, points[0], farthest_point, settle_points};
    const Vec3 centre = v3_add(search.origin, find_smallest_centre(&search, &held));
    return (Ball){centre, bi_ball_radius_around(centre, points, count)};
}

Ball bi_ball_ritter(const Vec3* points, int32_t count) {
    if (count <= 0) {
        return (Ball){{0, 0, 0}, -1.0};
    }

    double sq;
    const Vec3 none = v3(0, 0, 0);
    const Vec3 a = points[farthest_from(points[0], none, points, count, &sq)];
    const Vec3 b = points[farthest_from(a, none, points, count, &sq)];
    Vec3 centre = v3_lerp(a, b, 0.5);
    double radius = 0.5 * v3_distance(a, b);

    // It grows to each point that is outside.
    for (int32_t i = 0; i < count; ++i) {
        const double apart = v3_distance(points[i], centre);
        if (apart > radius) {
            const double grown = 0.5 * (radius + apart);
            centre = v3_lerp(points[i], centre, grown / apart);
            radius = grown;
        }
    }
    return (Ball){centre, bi_ball_radius_around(centre, points, count)};
}

Ball bi_ball_incremental(const Vec3* points, int32_t count) {
    if (count <= 0) {
        return (Ball){{0, 0, 0}, -1.0};
    }

    Vec3 centre = count > 1 ? v3_lerp(points[0], points[1], 0.5) : points[0];
    double radius = v3_distance(centre, points[0]);
    for (int32_t i = 2; i < count; ++i) {
        const Vec3 v = points[i];
        const Vec3 back = v3_sub(centre, v);
        const double apart = v3_length(back);
        if (!(apart > radius)) {
            continue;
        }

        // The smallest ball through v, centred on the ray from v to the old centre, that contains the used points.
        // v is outside the ball around them, so all of them are ahead of it: their heights h are positive. Where rounding
        // makes one too small: the ball through v that holds the whole old one is never too small either.
        const Vec3 e = v3_scale(back, 1.0 / apart);
        const double most = apart + radius;
        double width = 0.0;
        for (int32_t k = 0; k < i; ++k) {
            const Vec3 u = v3_sub(points[k], v);
            const double h = v3_dot(u, e);
            const double sq = v3_length_sq(u);
            if (sq > width * h && h > 0.0) {
                width = sq / h;
            }
        }

        width = width < most ? width : most;
        centre = v3_mad(v, 0.5 * width, e);
        radius = 0.5 * width;
    }
    return (Ball){centre, bi_ball_radius_around(centre, points, count)};
}

// x = u + rho w touches every ball of the subset from outside in, at rho = |x|; both roots are tried.
static int tangent_centres(const Subset* set, Vec3 out[2]) {
    if (set->count == 1) {
        // Two balls: without the quadratic, which loses digits where one is nearly in the other.
        const double apart = v3_length(set->offset[0]);
        out[0] = v3_scale(set->offset[0], 0.5 * (apart + set->radius_offset[0]) / apart);
        return 1;
    }

    Vec3 u = v3(0, 0, 0);
    Vec3 w = v3(0, 0, 0);
    for (int i = 0; i < set->count; ++i) {
        u = v3_mad(u, 0.5 * (v3_length_sq(set->offset[i]) - set->radius_offset[i] * set->radius_offset[i]),
                   set->dual[i]);
        w = v3_mad(w, set->radius_offset[i], set->dual[i]);
    }

    const double a = v3_length_sq(w) - 1.0;
    const double half_b = v3_dot(u, w);
    const double c = v3_length_sq(u);
    const double root = sqrt(fmax(0.0, half_b * half_b - a * c));

    // The two roots without cancellation: t / a and c / t.
    const double t = half_b > 0.0 ? -half_b - root : -half_b + root;
    out[0] = v3_mad(u, t / a, w);
    out[1] = t != 0.0 ? v3_mad(u, c / t, w) : u;
    return 2;
}

static void settle_balls(Held* held) {
    const Vec3 origin = held->ball[held->count - 1].centre;
    double best = INFINITY;
    Vec3 best_centre = held->centre;
    int best_mask = 0;

    for (int mask = 0; mask < 1 << (held->count - 1); ++mask) {
        Subset set;
        if (!try_pick_subset(held, mask, &set)) {
            continue;
        }

        Vec3 x[2] = {{0, 0, 0}, {0, 0, 0}};
        const int tries = set.count == 0 ? 1 : tangent_centres(&set, x);
        for (int k = 0; k < tries; ++k) {
            const Vec3 centre = v3_add(origin, x[k]);
            const double size = v3_finite(centre) ? held_size(held, centre) : (double)INFINITY;
            if (size < best) {
                best = size;
                best_centre = centre;
                best_mask = mask;
            }
        }
    }

    keep_only_subset(held, best_mask);
    held->centre = best_centre;
    held->size = best;
}

static Ball farthest_ball(const BallSearch* search, Vec3 centre, double* reach) {
    const Ball* balls = search->items;
    int32_t best = -1;
    double most = -1.0;
    for (int32_t i = 0; i < search->count; ++i) {
        const double one = v3_distance(v3_sub(balls[i].centre, search->origin), centre) + balls[i].radius;
        if (balls[i].radius >= 0.0 && one > most) {
            most = one;
            best = i;
        }
    }
    *reach = most;
    return best >= 0 ? balls[best] : balls[0];
}

Ball bi_ball_of_balls(const Ball* balls, int32_t count) {
    int32_t first = 0;
    while (first < count && balls[first].radius < 0.0) {
        first += 1;
    }
    if (first >= count) {
        return (Ball){{0, 0, 0}, -1.0};
    }

    Held held = {.ball = {{{0, 0, 0}, balls[first].radius}}, .count = 1, .size = balls[first].radius};
    const BallSearch search = {balls, count, balls[first].centre, farthest_ball, settle_balls};
    const Vec3 centre = v3_add(search.origin, find_smallest_centre(&search, &held));
    return (Ball){centre, bi_ball_radius_around_balls(centre, balls, count)};
}

Ball bi_ball_merge(Ball a, Ball b) {
    if (a.radius < 0.0 || b.radius < 0.0) {
        return a.radius < 0.0 ? b : a;
    }

    const double apart = v3_distance(a.centre, b.centre);
    if (apart + b.radius <= a.radius) {
        return (Ball){a.centre, bi_ball_radius_around_balls(a.centre, (Ball[]){a, b}, 2)};
    }
    if (apart + a.radius <= b.radius) {
        return (Ball){b.centre, bi_ball_radius_around_balls(b.centre, (Ball[]){a, b}, 2)};
    }

    const double radius = 0.5 * (apart + a.radius + b.radius);
    const Vec3 centre = v3_lerp(a.centre, b.centre, apart > 0.0 ? (radius - a.radius) / apart : 0.0);
    return (Ball){centre, bi_ball_radius_around_balls(centre, (Ball[]){a, b}, 2)};
}
