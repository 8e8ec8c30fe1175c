// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Two capsules: slices along both axes are stadiums (all points near a segment), whose common area and border
// are sums over segments and arcs. The distance of the two segments is the same in all slices, so it is also
// known where slices have a common part.
// Entry: bi_slice_capsules.

#include <math.h>

#include "math/math.h"
#include "shape/slice.h"

// Axes are parallel below this sine.
#define PARALLEL 1e-8

enum { HALVINGS = 60, ANGLES_MOST = 12 };

static const double PI = 3.141592653589793;

static const double GAUSS_PLACES[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                       0.9602898564975363};
static const double GAUSS_WEIGHTS[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                        0.1012285362903763};

typedef struct Flat {
    double x, y;
} Flat;

static Flat flat(double x, double y) {
    return (Flat){x, y};
}
static Flat flat_sub(Flat a, Flat b) {
    return flat(a.x - b.x, a.y - b.y);
}
static Flat flat_mad(Flat a, double s, Flat b) {
    return flat(a.x + s * b.x, a.y + s * b.y);
}
static double flat_dot(Flat a, Flat b) {
    return a.x * b.x + a.y * b.y;
}
static double flat_cross(Flat a, Flat b) {
    return a.x * b.y - a.y * b.x;
}

typedef struct Stadium {
    Flat end[2];
    Flat along;  // unit
    double length, radius;
} Stadium;

typedef struct Slices {
    Vec3 origin, x, y, normal;
    const Capsule* capsule[2];
    double height[2];  // of the axes
    Stadium stadium[2];
    double distance;  // of the two segments, in every slice
    SliceSum* sum;
} Slices;

/// Integrals over one slice, and over the second's border in the first.
typedef struct Slice {
    double area, x, y;
    double border;
    Flat border_first, border_normal;
} Slice;

static double segment_distance(const Stadium* s, Flat p) {
    const Flat from = flat_sub(p, s->end[0]);
    const double t = clamp(flat_dot(from, s->along), 0.0, s->length);
    const Flat off = flat_mad(from, -t, s->along);
    return sqrt(flat_dot(off, off));
}

// ---- borders -------------------------------------------------------------------------------------------------

// The part of p + t d, t from 0 to 1, within a disc.
static void clip_by_disc(Flat p, Flat d, Flat centre, double r, double* from, double* to) {
    const Flat w = flat_sub(p, centre);
    const double a = flat_dot(d, d), b = flat_dot(d, w), c = flat_dot(w, w) - r * r, det = b * b - a * c;
    if (a > 0.0 && det > 0.0) {
        *from = fmin(*from, (-b - sqrt(det)) / a);
        *to = fmax(*to, (-b + sqrt(det)) / a);
    }
}

// ... and within the rectangle between the two discs.
static void clip_by_rectangle(Flat p, Flat d, const Stadium* s, double* from, double* to) {
    const Flat w = flat_sub(p, s->end[0]);
    const double start[2] = {flat_dot(w, s->along) - 0.5 * s->length, flat_cross(s->along, w)};
    const double way[2] = {flat_dot(d, s->along), flat_cross(s->along, d)};
    const double half[2] = {0.5 * s->length, s->radius};
    double low = -INFINITY, high = INFINITY;

    for (int i = 0; i < 2; ++i) {
        if (way[i] != 0.0) {
            const double one = (-half[i] - start[i]) / way[i], other = (half[i] - start[i]) / way[i];
            low = fmax(low, fmin(one, other));
            high = fmin(high, fmax(one, other));
        } else if (fabs(start[i]) > half[i]) {
            return;
        }
    }
    if (low < high) {
        *from = fmin(*from, low);
        *to = fmax(*to, high);
    }
}

// A straight side of one stadium in the other.
static void add_side(Flat p, Flat q, const Stadium* in, bool border, Slice* slice) {
    const Flat d = flat_sub(q, p);
    double from = INFINITY, to = -INFINITY;
    clip_by_disc(p, d, in->end[0], in->radius, &from, &to);
    clip_by_disc(p, d, in->end[1], in->radius, &from, &to);
    clip_by_rectangle(p, d, in, &from, &to);
    from = fmax(from, 0.0);
    to = fmin(to, 1.0);
    if (!(from < to)) {
        return;
    }

    const Flat a = flat_mad(p, from, d), b = flat_mad(p, to, d);
    const double cross = flat_cross(a, b);
    slice->area += 0.5 * cross;
    slice->x += cross * (a.x + b.x) / 6.0;
    slice->y += cross * (a.y + b.y) / 6.0;
    if (border) {
        const Flat way = flat_sub(b, a);
        const double length = sqrt(flat_dot(way, way));
        slice->border += length;
        slice->border_first.x += 0.5 * length * (a.x + b.x);
        slice->border_first.y += 0.5 * length * (a.y + b.y);
        slice->border_normal = flat_mad(slice->border_normal, 1.0, flat(way.y, -way.x));
    }
}

// An arc that is all inside.
static void add_arc(Flat c, double r, double from, double to, bool border, Slice* slice) {
    const double turn = to - from;
    double c0, s0, c1, s1;
    bi_sincos(from, &s0, &c0);
    bi_sincos(to, &s1, &c1);
    const Flat first = flat(s1 - s0, c0 - c1);  // integral of the direction
    const double xx = 0.5 * turn + 0.5 * (s1 * c1 - s0 * c0), yy = 0.5 * turn - 0.5 * (s1 * c1 - s0 * c0);
    const double xy = 0.5 * (s1 * s1 - s0 * s0);

    slice->area += 0.5 * (r * flat_dot(c, first) + r * r * turn);
    const double whole = r * flat_dot(c, first) + r * r * turn;
    slice->x += (c.x * whole + r * r * (xx * c.x + xy * c.y) + r * r * r * first.x) / 3.0;
    slice->y += (c.y * whole + r * r * (xy * c.x + yy * c.y) + r * r * r * first.y) / 3.0;
    if (border) {
        slice->border += r * turn;
        slice->border_first.x += r * turn * c.x + r * r * first.x;
        slice->border_first.y += r * turn * c.y + r * r * first.y;
        slice->border_normal = flat_mad(slice->border_normal, r, first);
    }
}

static int add_angle(double* angles, int count, Flat c, Flat at, double begin, double turn) {
    double angle = atan2(at.y - c.y, at.x - c.x) - begin;
    for (int i = 0; i < 2; ++i) {
        angle += angle < 0.0 ? 2.0 * PI : 0.0;  // `begin` is no more than a turn and a half off
        angle -= angle > 2.0 * PI ? 2.0 * PI : 0.0;
    }
    if (angle > 0.0 && angle < turn) {
        angles[count++] = angle;
    }
    return count;
}

// Where a circle crosses the border of a stadium, behind `begin`.
static int find_angles(Flat c, double r, double begin, double turn, const Stadium* in, double* angles) {
    int count = 0;
    for (int end = 0; end < 2; ++end) {
        const Flat way = flat_sub(in->end[end], c);
        const double d = sqrt(flat_dot(way, way));
        const double x = d > 0.0 ? (d * d + r * r - in->radius * in->radius) / (2.0 * d) : INFINITY;
        if (fabs(x) < r) {
            const Flat u = flat(way.x / d, way.y / d);
            const double y = sqrt(r * r - x * x);
            count = add_angle(angles, count, c, flat(c.x + x * u.x - y * u.y, c.y + x * u.y + y * u.x), begin,
                              turn);
            count = add_angle(angles, count, c, flat(c.x + x * u.x + y * u.y, c.y + x * u.y - y * u.x), begin,
                              turn);
        }
    }
    for (int side = -1; side <= 1 && in->length > 0.0; side += 2) {
        const Flat across = flat(-in->along.y, in->along.x), w = flat_sub(c, in->end[0]);
        const double off = side * in->radius - flat_dot(w, across);
        if (fabs(off) < r) {
            const Flat foot = flat_mad(c, off, across);
            const double y = sqrt(r * r - off * off);
            count = add_angle(angles, count, c, flat_mad(foot, y, in->along), begin, turn);
            count = add_angle(angles, count, c, flat_mad(foot, -y, in->along), begin, turn);
        }
    }

    for (int i = 1; i < count; ++i) {
        const double value = angles[i];
        int k = i;
        for (; k > 0 && angles[k - 1] > value; --k) {
            angles[k] = angles[k - 1];
        }
        angles[k] = value;
    }
    return count;
}

static void add_arcs(Flat c, double r, double begin, double turn, const Stadium* in, bool border,
                     Slice* slice) {
    double angles[ANGLES_MOST];
    const int count = find_angles(c, r, begin, turn, in, angles);
    double from = 0.0;
    for (int i = 0; i <= count; ++i) {
        const double to = i < count ? angles[i] : turn, middle = begin + 0.5 * (from + to);
        double sine, cosine;
        bi_sincos(middle, &sine, &cosine);
        if (segment_distance(in, flat_mad(c, r, flat(cosine, sine))) < in->radius) {
            add_arc(c, r, begin + from, begin + to, border, slice);
        }
        from = to;
    }
}

// The border of one stadium in the other, counter-clockwise.
static void add_border(const Stadium* s, const Stadium* in, bool border, Slice* slice) {
    const double r = s->radius;
    if (!(s->length > 0.0)) {
        add_arcs(s->end[0], r, 0.0, 2.0 * PI, in, border, slice);
        return;
    }
    const Flat across = flat(-s->along.y, s->along.x);
    const double angle = atan2(across.y, across.x);
    add_side(flat_mad(s->end[0], -r, across), flat_mad(s->end[1], -r, across), in, border, slice);
    add_arcs(s->end[1], r, angle - PI, PI, in, border, slice);
    add_side(flat_mad(s->end[1], r, across), flat_mad(s->end[0], r, across), in, border, slice);
    add_arcs(s->end[0], r, angle, PI, in, border, slice);
}

// ---- slices --------------------------------------------------------------------------------------------------

static double radius_at(const Slices* slices, int which, double h) {
    const double r = slices->capsule[which]->radius, off = h - slices->height[which];
    return sqrt(fmax(r * r - off * off, 0.0));
}

// How much the stadiums reach over each other: concave.
static double reach_at(const Slices* slices, double h) {
    return radius_at(slices, 0, h) + radius_at(slices, 1, h) - slices->distance;
}

static void add_slice(Slices* slices, double h, double weight) {
    for (int i = 0; i < 2; ++i) {
        slices->stadium[i].radius = radius_at(slices, i, h);
    }
    const double rho = slices->stadium[1].radius;
    if (!(rho > 0.0 && slices->stadium[0].radius > 0.0)) {
        return;
    }
    Slice slice = {.area = 0.0};
    add_border(&slices->stadium[0], &slices->stadium[1], false, &slice);
    add_border(&slices->stadium[1], &slices->stadium[0], true, &slice);

    SliceSum* sum = slices->sum;
    const Vec3 level = v3_mad(slices->origin, h, slices->normal);
    const double area = fmax(slice.area, 0.0);
    sum->volume += weight * area;
    const Vec3 moment = v3_mad(v3_scale(slices->x, slice.x), slice.y, slices->y);
    sum->first = v3_mad(v3_mad(sum->first, weight, moment), weight * area, level);

    // The surface leans out of the slice: its normal is that of the border, and as high as the slice is off the axis.
    const double lean = (h - slices->height[1]) / rho, r = slices->capsule[1]->radius;
    const Vec3 side = v3_mad(v3_scale(slices->x, slice.border_normal.x), slice.border_normal.y, slices->y);
    sum->push = v3_mad(v3_mad(sum->push, weight, side), weight * lean * slice.border, slices->normal);
    if (slice.border > 0.0) {
        const double surface = weight * slice.border * r / rho;
        const Vec3 at = v3_mad(v3_mad(level, slice.border_first.x / slice.border, slices->x),
                               slice.border_first.y / slice.border, slices->y);
        sum->area += surface;
        sum->area_first = v3_mad(sum->area_first, surface, at);
        for (int row = 0; row < 3; ++row) {
            sum->area_second[row] = v3_mad(sum->area_second[row], v3_at(at, row) * surface, at);
        }
    }
}

static void add_interval(Slices* slices, double from, double to) {
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    for (int i = 0; i < 8 && half > 0.0; ++i) {
        const double x = i % 2 == 0 ? GAUSS_PLACES[i / 2] : -GAUSS_PLACES[i / 2];
        add_slice(slices, middle + half * 0.5 * x * (3.0 - x * x),
                  half * 1.5 * (1.0 - x * x) * GAUSS_WEIGHTS[i / 2]);
    }
}

// Where reach_at is zero between a place where it is positive and one where it is not.
static double find_end(const Slices* slices, double inside, double outside) {
    for (int i = 0; i < HALVINGS; ++i) {
        const double middle = 0.5 * (inside + outside);
        if (reach_at(slices, middle) > 0.0) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return inside;
}

static double segments_distance(const Stadium* a, const Stadium* b) {
    double least = INFINITY;
    for (int end = 0; end < 2; ++end) {
        least = fmin(least, fmin(segment_distance(a, b->end[end]), segment_distance(b, a->end[end])));
    }
    const double sine = flat_cross(a->along, b->along);
    const Flat w = flat_sub(b->end[0], a->end[0]);
    const double t = flat_cross(w, b->along) / sine, u = flat_cross(w, a->along) / sine;
    return sine != 0.0 && t >= 0.0 && t <= a->length && u >= 0.0 && u <= b->length ? 0.0 : least;
}

// A frame whose third axis is across both axes.
static void choose_frame(Slices* slices) {
    const Capsule *a = slices->capsule[0], *b = slices->capsule[1];
    const Vec3 way_a = v3_sub(a->end[1], a->end[0]), way_b = v3_sub(b->end[1], b->end[0]);
    const Vec3 u = v3_unit_or(way_a, v3(0, 0, 0)), v = v3_unit_or(way_b, v3(0, 0, 0));
    const Vec3 apart = v3_sub(v3_lerp(b->end[0], b->end[1], 0.5), v3_lerp(a->end[0], a->end[1], 0.5));
    slices->x = v3_length_sq(u) > 0.0 ? u : v3_unit_or(v, v3_unit_or(v3_any_normal(apart), v3(1, 0, 0)));

    const Vec3 across = v3_cross(u, v);
    const Vec3 off = v3_mad(apart, -v3_dot(apart, slices->x), slices->x);
    const Vec3 any = v3_any_normal(slices->x);
    slices->normal = v3_length(across) > PARALLEL ? v3_unit_or(across, any) : v3_unit_or(off, any);
    slices->normal = v3_unit_or(v3_mad(slices->normal, -v3_dot(slices->normal, slices->x), slices->x), any);
    slices->y = v3_cross(slices->normal, slices->x);
    slices->origin = v3_lerp(a->end[0], b->end[0], 0.5);

    for (int i = 0; i < 2; ++i) {
        const Capsule* capsule = slices->capsule[i];
        Stadium* s = &slices->stadium[i];
        for (int end = 0; end < 2; ++end) {
            const Vec3 p = v3_sub(capsule->end[end], slices->origin);
            s->end[end] = flat(v3_dot(p, slices->x), v3_dot(p, slices->y));
        }
        const Flat way = flat_sub(s->end[1], s->end[0]);
        s->length = sqrt(flat_dot(way, way));
        s->along = s->length > 0.0 ? flat(way.x / s->length, way.y / s->length) : flat(1.0, 0.0);
        const Vec3 middle = v3_sub(v3_lerp(capsule->end[0], capsule->end[1], 0.5), slices->origin);
        slices->height[i] = v3_dot(middle, slices->normal);
    }
    slices->distance = segments_distance(&slices->stadium[0], &slices->stadium[1]);
}

void bi_slice_capsules(const Capsule* capsule, const Capsule* other, SliceSum* sum) {
    Slices slices = {.capsule = {capsule, other}, .sum = sum};
    choose_frame(&slices);
    double low = -INFINITY, high = INFINITY;
    for (int i = 0; i < 2; ++i) {
        low = fmax(low, slices.height[i] - slices.capsule[i]->radius);
        high = fmin(high, slices.height[i] + slices.capsule[i]->radius);
    }
    if (!(low < high)) {
        return;
    }

    // The highest reach, then where it ends on both sides.
    double from = low, to = high;
    for (int i = 0; i < HALVINGS; ++i) {
        const double one = from + 0.382 * (to - from), two = to - 0.382 * (to - from);
        if (reach_at(&slices, one) < reach_at(&slices, two)) {
            from = one;
        } else {
            to = two;
        }
    }
    const double best = 0.5 * (from + to);
    if (!(reach_at(&slices, best) > 0.0)) {
        return;
    }
    low = reach_at(&slices, low) > 0.0 ? low : find_end(&slices, best, low);
    high = reach_at(&slices, high) > 0.0 ? high : find_end(&slices, best, high);
    const double ends[5] = {low, 0.5 * (low + best), best, 0.5 * (best + high), high};
    for (int i = 0; i < 4; ++i) {
        add_interval(&slices, ends[i], ends[i + 1]);
    }
}
