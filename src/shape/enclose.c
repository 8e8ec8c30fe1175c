// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Fits: directions are tried, the best few are improved by small rotations. For one direction the best
// capsule and the box are short computations; docs/theory/shape.md describes them.
// Entries: bi_capsule_volume, bi_capsule_around, bi_capsule_shape, bi_box_around,
// bi_shape_each_enclosing_point, bi_shape_points.

#include "shape/enclose.h"

#include "math/math.h"
#include "shape/hull.h"

enum { START_COUNT = 40, KEPT = 3, TURN_STEPS = 60, RADIUS_STEPS = 24, CIRCLE_POINTS = 24 };

// Directions are not distinguished below this, radian: a metre long and a centimetre thin, it is 0.1 % of the volume.
#define FINEST_TURN 1e-5

/// A direction and what it is worth: volume.
typedef struct AxisTry {
    Vec3 axis;
    double volume;
} AxisTry;

double bi_capsule_volume(const Capsule* capsule) {
    const double r = capsule->radius;
    return 3.14159265358979323846 * r * r * (v3_distance(capsule->end[0], capsule->end[1]) + r * (4.0 / 3.0));
}

static double segment_distance(Vec3 p, const Vec3 end[2]) {
    const Vec3 along = v3_sub(end[1], end[0]);
    const double sq = v3_length_sq(along);
    const double t = sq > 0.0 ? clamp(v3_dot(v3_sub(p, end[0]), along) / sq, 0.0, 1.0) : 0.0;
    return v3_distance(p, v3_mad(end[0], t, along));
}

// The radius that contains all balls around the segment, rounded up: the segment is convex in p, so any point of it that is
// near bounds the distance from above, rounding in t included.
static double capsule_reach(const Ball* balls, int32_t count, const Vec3 end[2]) {
    double reach = 0.0;
    double farthest = v3_length(end[0]) + v3_length(end[1]);
    for (int32_t i = 0; i < count; ++i) {
        const double candidate = segment_distance(balls[i].centre, end) + balls[i].radius;
        reach = candidate > reach ? candidate : reach;
        farthest = fmax(farthest, v3_length(balls[i].centre));
    }
    return reach + BI_DISTANCE_SLACK * (reach + farthest);
}

// The capsule's part of the axis for one radius: each ball at height z, rho from the axis, lets the segment's ends be
// at most sqrt((r - s)^2 - rho^2) short of z. When the ends pass each other any point between them serves both.
static double fit_segment(const Ball* balls, const Ball* flat, int32_t count, Vec3 axis, const Ball* circle,
                          double ends[2]) {
    const double r = circle->radius;
    double a = INFINITY;
    double b = -INFINITY;
    for (int32_t i = 0; i < count; ++i) {
        const double room = r - flat[i].radius;
        const double rest = room * room - v3_length_sq(v3_sub(flat[i].centre, circle->centre));
        const double reach = rest > 0.0 ? sqrt(rest) : 0.0;
        const double height = v3_dot(balls[i].centre, axis);
        a = fmin(a, height + reach);
        b = fmax(b, height - reach);
    }

    ends[0] = b < a ? 0.5 * (a + b) : a;
    ends[1] = b < a ? ends[0] : b;
    return 3.14159265358979323846 * r * r * (ends[1] - ends[0] + r * (4.0 / 3.0));
}

static Capsule fit_capsule_along(const Ball* balls, int32_t count, Vec3 axis, Ball* flat) {
    const Vec3 u = v3_any_normal(axis);
    const Vec3 w = v3_cross(axis, u);
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 p = balls[i].centre;
        flat[i] = (Ball){v3(v3_dot(p, u), v3_dot(p, w), 0.0), balls[i].radius};
    }

    const Ball least = bi_ball_of_balls(flat, count);
    double best = INFINITY;
    double best_ends[2] = {0.0, 0.0};

    // A thicker capsule may be shorter, and smaller for it.
    for (int k = 0; k < RADIUS_STEPS; ++k) {
        const Ball circle = {least.centre, least.radius * (1.0 + 0.03 * k)};
        double ends[2];
        const double volume = fit_segment(balls, flat, count, axis, &circle, ends);
        if (volume < best) {
            best = volume;
            best_ends[0] = ends[0];
            best_ends[1] = ends[1];
        }
    }

    const Vec3 foot = v3_add(v3_scale(u, least.centre.x), v3_scale(w, least.centre.y));
    Capsule out = {{v3_mad(foot, best_ends[0], axis), v3_mad(foot, best_ends[1], axis)}, 0.0};
    out.radius = capsule_reach(balls, count, out.end);
    return out;
}

// Evenly over half a sphere.
static Vec3 start_axis(int k) {
    const double z = 1.0 - (k + 0.5) / START_COUNT;
    double s = 0.0;
    double c = 0.0;
    bi_sincos(2.39996322972865 * k, &s, &c);
    const double r = sqrt(1.0 - z * z);
    return v3(r * c, r * s, z);
}

// Four sides: `axis` is tilted by about `by` radians to one of them.
static Vec3 tilt_axis(Vec3 axis, int side, double by) {
    const Vec3 u = v3_any_normal(axis);
    const Vec3 w = v3_cross(axis, u);
    const Vec3 across = v3_scale(side < 2 ? u : w, side % 2 == 0 ? by : -by);
    return v3_unit_or(v3_add(axis, across), axis);
}

// The best few, in order.
static void insert_if_better(AxisTry* kept, AxisTry candidate) {
    for (int i = 0; i < KEPT; ++i) {
        if (candidate.volume < kept[i].volume) {
            for (int j = KEPT - 1; j > i; --j) {
                kept[j] = kept[j - 1];
            }
            kept[i] = candidate;
            return;
        }
    }
}

/// What a fit makes small over directions.
typedef double Cost(const Ball* balls, int32_t count, Vec3 axis, Ball* scratch);

static Vec3 best_fit_axis(const Ball* balls, int32_t count, Ball* scratch, Cost* cost) {
    AxisTry kept[KEPT];
    for (int i = 0; i < KEPT; ++i) {
        kept[i] = (AxisTry){v3(0, 0, 1), INFINITY};
    }

    const Vec3 plain[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < START_COUNT + 3; ++k) {
        const Vec3 axis = k < 3 ? plain[k] : start_axis(k - 3);
        insert_if_better(kept, (AxisTry){axis, cost(balls, count, axis, scratch)});
    }

    // Each kept direction is improved by turns that become smaller.
    AxisTry best = kept[0];
    for (int i = 0; i < KEPT; ++i) {
        AxisTry here = kept[i];
        double step = 0.2;
        for (int k = 0; k < TURN_STEPS && step > FINEST_TURN; ++k) {
            bool better = false;
            for (int side = 0; side < 4; ++side) {
                const Vec3 axis = tilt_axis(here.axis, side, step);
                const double volume = cost(balls, count, axis, scratch);
                if (volume < here.volume) {
                    here = (AxisTry){axis, volume};
                    better = true;
                }
            }
            step = better ? step : 0.5 * step;
        }
        best = here.volume < best.volume ? here : best;
    }

    return best.axis;
}

static double capsule_cost(const Ball* balls, int32_t count, Vec3 axis, Ball* scratch) {
    const Capsule capsule = fit_capsule_along(balls, count, axis, scratch);
    return bi_capsule_volume(&capsule);
}

Capsule bi_capsule_around(const Ball* balls, int32_t count, Ball* scratch) {
    const Vec3 axis = best_fit_axis(balls, count, scratch, capsule_cost);
    return fit_capsule_along(balls, count, axis, scratch);
}

BerthShape bi_capsule_shape(const Capsule* capsule, Pose* pose) {
    const Vec3 along = v3_sub(capsule->end[1], capsule->end[0]);
    const Vec3 z = v3_unit_or(along, v3(0, 0, 1));
    const Vec3 x = v3_any_normal(z);
    *pose = (Pose){x, v3_cross(z, x), z, v3_lerp(capsule->end[0], capsule->end[1], 0.5)};

    // A hair longer and thicker: the pose rounds.
    const double length = v3_length(along);
    const double slack = BI_DISTANCE_SLACK * (length + v3_length(pose->t));
    return (BerthShape){.kind = BERTH_CAPSULE,
                        .as.capsule = {.radius = capsule->radius + slack, .length = length}};
}

// ---- boxes -----------------------------------------------------------------------------------------------

// The box with one axis along `axis` and turned by `angle` about it. Flat sets have no volume: a little of the surface is
// added, so that they are distinguished.
static double fit_box_at(const Ball* balls, int32_t count, Vec3 axis, double angle, Pose* pose) {
    const Vec3 u = v3_any_normal(axis);
    const Vec3 w = v3_cross(axis, u);
    double s = 0.0;
    double c = 0.0;
    bi_sincos(angle, &s, &c);
    const Vec3 x = v3_add(v3_scale(u, c), v3_scale(w, s));
    *pose = (Pose){x, v3_cross(axis, x), axis, {0, 0, 0}};

    Vec3 low = v3(INFINITY, INFINITY, INFINITY);
    Vec3 high = v3(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 p = pose_turn_back(pose, balls[i].centre);
        const Vec3 r = v3(balls[i].radius, balls[i].radius, balls[i].radius);
        low = v3_min(low, v3_sub(p, r));
        high = v3_max(high, v3_add(p, r));
    }

    const Vec3 size = v3_sub(high, low);
    pose->t = pose_turn(pose, v3_scale(v3_add(low, high), 0.5));
    return size.x * size.y * size.z + 1e-6 * (size.x * size.y + size.y * size.z + size.z * size.x);
}

// One axis is given: the best turn about it, first of a quarter circle, then nearby.
static double fit_box_about(const Ball* balls, int32_t count, Vec3 axis, Pose* pose) {
    enum { TURNS = 18 };
    const double quarter = 1.5707963267948966;
    double best = INFINITY;
    double angle = 0.0;

    for (int k = 0; k < TURNS; ++k) {
        const double volume = fit_box_at(balls, count, axis, quarter * k / TURNS, pose);
        if (volume < best) {
            best = volume;
            angle = quarter * k / TURNS;
        }
    }

    for (double step = 0.5 * quarter / TURNS; step > FINEST_TURN; step *= 0.5) {
        for (int side = -1; side <= 1; side += 2) {
            const double volume = fit_box_at(balls, count, axis, angle + side * step, pose);
            if (volume < best) {
                best = volume;
                angle += side * step;
            }
        }
    }

    return fit_box_at(balls, count, axis, angle, pose);
}

static double box_cost(const Ball* balls, int32_t count, Vec3 axis, Ball* scratch) {
    (void)scratch;
    Pose pose;
    return fit_box_about(balls, count, axis, &pose);
}

BerthShape bi_box_around(const Ball* balls, int32_t count, Pose* pose) {
    double volume = fit_box_about(balls, count, best_fit_axis(balls, count, NULL, box_cost), pose);

    // Turning about one axis after the other gets out of corners in which small turns of one direction are stuck.
    for (int k = 0; k < 12; ++k) {
        const Vec3 axes[3] = {pose->x, pose->y, pose->z};
        Pose other;
        const double better = fit_box_about(balls, count, axes[k % 3], &other);
        if (better < volume) {
            volume = better;
            *pose = other;
        }
    }

    // All balls are measured in the final axes, and the result is rounded up.
    Vec3 most = {0, 0, 0};
    double farthest = v3_length(pose->t);
    for (int32_t i = 0; i < count; ++i) {
        const Vec3 p = v3_abs(pose_apply_back(pose, balls[i].centre));
        const Vec3 r = v3(balls[i].radius, balls[i].radius, balls[i].radius);
        most = v3_max(most, v3_add(p, r));
        farthest = fmax(farthest, v3_length(balls[i].centre) + balls[i].radius);
    }

    const double slack = BI_DISTANCE_SLACK * (farthest + v3_length(most));
    return (BerthShape){.kind = BERTH_BOX, .as.box.half = v3_add(most, v3(slack, slack, slack))};
}

// ---- points of shapes ------------------------------------------------------------------------------------

/// Where points go: posed, to the caller's function.
typedef struct PointSink {
    const Pose* pose;
    ShapePoint* take;
    void* user;
} PointSink;

static void add_point(const PointSink* to, Vec3 p, double radius) {
    to->take(to->user, (Ball){pose_apply(to->pose, p), radius});
}

// A polygon around the circle: its corners are further out by 1 / cos(half its angle).
static void add_circle(const PointSink* to, double radius, double z) {
    double s = 0.0;
    double c = 0.0;
    bi_sincos(3.14159265358979 / CIRCLE_POINTS, &s, &c);
    const double out = radius / c * (1.0 + 0x1p-40);
    for (int k = 0; k < CIRCLE_POINTS; ++k) {
        bi_sincos(6.28318530717959 * k / CIRCLE_POINTS, &s, &c);
        add_point(to, v3(out * c, out * s, z), 0.0);
    }
}

void bi_shape_each_enclosing_point(const BerthShape* shape, const Pose* pose, ShapePoint* take, void* user) {
    const PointSink to = {pose, take, user};
    const double half_length = 0.5 * shape->as.capsule.length;

    switch (shape->kind) {
    case BERTH_SPHERE:
        add_point(&to, v3(0, 0, 0), shape->as.sphere.radius);
        break;
    case BERTH_CAPSULE:
        add_point(&to, v3(0, 0, -half_length), shape->as.capsule.radius);
        add_point(&to, v3(0, 0, half_length), shape->as.capsule.radius);
        break;
    case BERTH_BOX:
        for (int k = 0; k < 8; ++k) {
            const Vec3 h = shape->as.box.half;
            add_point(&to, v3(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z), 0.0);
        }
        break;
    case BERTH_CYLINDER:
        add_circle(&to, shape->as.cylinder.radius, -half_length);
        add_circle(&to, shape->as.cylinder.radius, half_length);
        break;
    case BERTH_CONE:
        add_circle(&to, shape->as.cone.radius, -half_length);
        add_point(&to, v3(0, 0, half_length), 0.0);
        break;
    case BERTH_TRIANGLE:
        for (int k = 0; k < 3; ++k) {
            add_point(&to, shape->as.triangle.point[k], 0.0);
        }
        break;
    case BERTH_HULL:
        for (int32_t k = 0; k < shape->as.hull.hull->vertex_count; ++k) {
            add_point(&to, shape->as.hull.hull->vertices[k], shape->as.hull.hull->outside);
        }
        break;
    default:
        break;
    }
}

typedef struct PointList {
    Ball* out;
    int32_t capacity, count;
} PointList;

static void store_point(void* user, Ball point) {
    PointList* list = user;
    if (list->count < list->capacity) {
        list->out[list->count] = point;
    }
    list->count += 1;
}

int32_t bi_shape_points(const BerthShape* shape, const Pose* pose, Ball* out, int32_t capacity) {
    PointList list = {out, capacity, 0};
    bi_shape_each_enclosing_point(shape, pose, store_point, &list);
    return list.count;
}
