// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Slices across a capsule's axis are discs, and those of a body of planes are convex polygons: the area, the first moment
// and the sides of the polygon in the disc are sums over its sides. Where the form changes (ends of the core, planes that
// begin to cut, edges that pierce the surface) an interval ends; within one Gauss's rule of eight points is used on a
// cubic that is flat at both ends, so that roots there are as good as smooth.
// Entries: bi_slice_planes, bi_slice_shift.

#include <math.h>

#include "shape/slice.h"

enum {
    BREAKS_MOST = 256,    // places that are remembered
    INTERVALS_MOST = 32,  // intervals that are looked at: of more places some are left out
    WELL_MOST = 24        // of more intervals than that each has four points only
};

// A plane this near to a slice's own (sine of the angle) has no line in it, and ends the slices instead.
#define ACROSS 1e-9

// Rules of eight and of four points.
static const double GAUSS_PLACES[2][4] = {
    {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363},
    {0.3399810435848563, 0.8611363115940526}};
static const double GAUSS_WEIGHTS[2][4] = {
    {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763},
    {0.6521451548625461, 0.3478548451374538}};

typedef struct Slicer {
    const Capsule* capsule;
    const SliceBody* body;
    SliceSum* sum;
    double share;
    Vec3 origin, x, y, axis;  // of the first end
    double length;
    double low, high;  // where slices have anything
    double breaks[BREAKS_MOST];
    int32_t break_count;
    Vec3* polygon;  // x, y, and the plane of the side that leaves the corner (-1: none)
    Vec3* next;
    int32_t count;
} Slicer;

/// Area and first moment of a slice.
typedef struct Slice {
    double area, x, y;
} Slice;

static double disc_radius(const Slicer* slicer, double s) {
    const double r = slicer->capsule->radius;
    const double out = s < 0.0 ? s : fmax(s - slicer->length, 0.0);
    return sqrt(fmax(r * r - out * out, 0.0));
}

static Vec3 slice_point(const Slicer* slicer, double s, double x, double y) {
    return v3_mad(v3_mad(v3_mad(slicer->origin, s, slicer->axis), x, slicer->x), y, slicer->y);
}

// Planes as the slices see them. The sine of the angle between the two comes from components: 1 - cosine^2 has no digits left
// near 0.
static void turn_planes(const Slicer* slicer) {
    for (int32_t i = 0; i < slicer->body->plane_count; ++i) {
        SlicePlane* plane = &slicer->body->planes[i];
        plane->x = v3_dot(plane->normal, slicer->x);
        plane->y = v3_dot(plane->normal, slicer->y);
        plane->sine = sqrt(plane->x * plane->x + plane->y * plane->y);
        plane->along = v3_dot(plane->normal, slicer->axis);
        plane->from = plane->offset - v3_dot(plane->normal, slicer->origin);
    }
}

// ---- where the form changes ----------------------------------------------------------------------------------

// A place on the cylinder (kind 0), on the ball at the first end (1) or the last (2): places beyond are none of its own.
static void add_break(Slicer* slicer, int kind, double s) {
    const double from[3] = {0.0, -INFINITY, slicer->length}, to[3] = {slicer->length, 0.0, INFINITY};
    if (s > slicer->low && s < slicer->high && s >= from[kind] && s <= to[kind] &&
        slicer->break_count < BREAKS_MOST) {
        slicer->breaks[slicer->break_count++] = s;
    }
}

// Where a plane begins and ends to cut the discs: of the cylinder, and of the balls at both ends.
static void add_plane_breaks(Slicer* slicer, const SlicePlane* plane) {
    const double along = plane->along, sine = plane->sine, off = plane->from, r = slicer->capsule->radius;

    for (int side = -1; side <= 1; side += 2) {
        add_break(slicer, 0, (off + side * r * sine) / along);
    }
    for (int end = 0; end < 2; ++end) {
        const double middle = end == 0 ? 0.0 : slicer->length, height = off - along * middle;
        const double disc = r * r - height * height;
        if (disc > 0.0) {
            add_break(slicer, 1 + end, middle + height * along - sqrt(disc) * sine);
            add_break(slicer, 1 + end, middle + height * along + sqrt(disc) * sine);
        }
    }
}

// Where an edge ends, and where it pierces the surface: of the cylinder, and of the balls.
static void add_edge_breaks(Slicer* slicer, Vec3 from, Vec3 to) {
    const Vec3 way = v3_sub(to, from), start = v3_sub(from, slicer->origin);
    const double r = slicer->capsule->radius, rise = v3_dot(way, slicer->axis);
    const double s0 = v3_dot(start, slicer->axis);
    for (int kind = 0; kind < 3; ++kind) {
        Vec3 w = way, p = start;
        if (kind == 0) {
            w = v3_mad(way, -rise, slicer->axis);
            p = v3_mad(start, -s0, slicer->axis);
        } else {
            p = v3_mad(start, kind == 1 ? 0.0 : -slicer->length, slicer->axis);
        }
        const double a = v3_dot(w, w), b = v3_dot(w, p), c = v3_dot(p, p) - r * r;
        const double det = b * b - a * c;
        if (c < 0.0) {
            add_break(slicer, kind, s0);
        }
        if (a + 2.0 * b + c < 0.0) {
            add_break(slicer, kind, s0 + rise);
        }
        if (!(a > 0.0) || !(det > 0.0)) {
            continue;
        }

        for (int side = -1; side <= 1; side += 2) {
            const double t = (-b + side * sqrt(det)) / a;
            if (t > 0.0 && t < 1.0) {
                add_break(slicer, kind, s0 + t * rise);
            }
        }
    }
}

static void sort_breaks(Slicer* slicer) {
    for (int32_t i = 1; i < slicer->break_count; ++i) {
        const double value = slicer->breaks[i];
        int32_t k = i;
        for (; k > 0 && slicer->breaks[k - 1] > value; --k) {
            slicer->breaks[k] = slicer->breaks[k - 1];
        }
        slicer->breaks[k] = value;
    }

    // Of very many every second, third, ... stays.
    const int32_t every = 1 + slicer->break_count / INTERVALS_MOST;
    int32_t kept = 0;
    for (int32_t i = every - 1; i < slicer->break_count; i += every) {
        slicer->breaks[kept++] = slicer->breaks[i];
    }
    slicer->break_count = kept;
}

// ---- one slice -----------------------------------------------------------------------------------------------

// What the triangle of the origin and a side has in common with a disc around the origin, signed; and the part of the side
// in it, as shares of the side. False: no part.
static bool add_side(double ax, double ay, double bx, double by, double r, Slice* slice, double* from,
                     double* to) {
    const double dx = bx - ax, dy = by - ay, aa = dx * dx + dy * dy;
    const double mid = ax * dx + ay * dy, cc = ax * ax + ay * ay - r * r;
    const double det = mid * mid - aa * cc;
    const bool crosses = aa > 0.0 && det > 0.0;
    const double root = crosses ? sqrt(det) : 0.0;
    const double s = crosses ? fmax((-mid - root) / aa, 0.0) : 1.0;
    const double t = crosses ? fmin((-mid + root) / aa, 1.0) : 0.0;
    const bool inside = s < t;

    // Straight within the disc, and arcs before and behind.
    double px = bx, py = by, qx = bx, qy = by;
    if (inside) {
        px = ax + s * dx;
        py = ay + s * dy;
        qx = ax + t * dx;
        qy = ay + t * dy;
        const double cross = px * qy - py * qx;
        slice->area += 0.5 * cross;
        slice->x += cross * (px + qx) / 6.0;
        slice->y += cross * (py + qy) / 6.0;
    }
    for (int arc = 0; arc < 2; ++arc) {
        if (arc == 0 ? inside && s <= 0.0 : !inside || t >= 1.0) {
            continue;
        }
        const double ux = arc == 0 ? ax : qx, uy = arc == 0 ? ay : qy;
        const double vx = arc == 0 ? px : bx, vy = arc == 0 ? py : by;
        const double u = sqrt(ux * ux + uy * uy), v = sqrt(vx * vx + vy * vy), third = r * r * r / 3.0;
        slice->area += 0.5 * r * r * atan2(ux * vy - uy * vx, ux * vx + uy * vy);
        slice->x += third * (vy / v - uy / u);
        slice->y += third * (ux / u - vx / v);
    }

    *from = s;
    *to = t;
    return inside;
}

// Cuts the polygon by a line a x + b y <= d. A convex polygon gains one corner at most. Where very many lines meet in a point to the
// last digit rounding makes others of it, and may go on doing so: what outgrows its room is nothing.
static void cut_slice(Slicer* slicer, double a, double b, double d, int32_t plane) {
    const int32_t room = bi_slice_room(slicer->body->plane_count);
    int32_t count = 0;
    for (int32_t i = 0; i < slicer->count; ++i) {
        if (count + 2 > room) {
            slicer->count = 0;
            return;
        }
        const Vec3 from = slicer->polygon[i], to = slicer->polygon[i + 1 < slicer->count ? i + 1 : 0];
        const double above_from = a * from.x + b * from.y - d, above_to = a * to.x + b * to.y - d;
        if (above_from <= 0.0) {
            slicer->next[count++] = from;
        }
        if ((above_from <= 0.0) != (above_to <= 0.0)) {
            const double t = clamp(above_from / (above_from - above_to), 0.0, 1.0);
            // What leaves goes on along the line, what comes back along its own side.
            slicer->next[count++] = v3(from.x + t * (to.x - from.x), from.y + t * (to.y - from.y),
                                       above_from <= 0.0 ? plane : from.z);
        }
    }

    slicer->count = count;
    Vec3* swapped = slicer->polygon;
    slicer->polygon = slicer->next;
    slicer->next = swapped;
}

// The polygon of the slice, in a square around the disc; count 0: nothing of it is in the disc.
static void make_polygon(Slicer* slicer, double s, double r) {
    const double half = 1.5 * r;
    slicer->polygon[0] = v3(-half, -half, -1.0);
    slicer->polygon[1] = v3(half, -half, -1.0);
    slicer->polygon[2] = v3(half, half, -1.0);
    slicer->polygon[3] = v3(-half, half, -1.0);
    slicer->count = r > 0.0 ? 4 : 0;

    for (int32_t i = 0; i < slicer->body->plane_count && slicer->count > 0; ++i) {
        const SlicePlane* plane = &slicer->body->planes[i];
        const double d = plane->from - plane->along * s, reach = plane->sine * r;
        if (plane->sine <= ACROSS || d >= reach) {
            continue;
        }
        if (d <= -reach) {
            slicer->count = 0;
        } else {
            cut_slice(slicer, plane->x, plane->y, d, i);
        }
    }
}

static void add_surface(Slicer* slicer, const SlicePlane* plane, Vec3 p, Vec3 q, double area) {
    SliceSum* sum = slicer->sum;
    const Vec3 middle = v3_lerp(p, q, 0.5), at[3] = {p, middle, q};
    const double simpson[3] = {area / 6.0, 4.0 * area / 6.0, area / 6.0};
    sum->push = v3_mad(sum->push, area, plane->normal);
    sum->area += area;
    sum->area_first = v3_mad(sum->area_first, area, middle);
    for (int i = 0; i < 3; ++i) {
        for (int row = 0; row < 3; ++row) {
            sum->area_second[row] = v3_mad(sum->area_second[row], v3_at(at[i], row) * simpson[i], at[i]);
        }
    }
}

// One slice; `thickness` 0: its sides are not wanted.
static Slice measure_slice(Slicer* slicer, double s, double thickness) {
    const double r = disc_radius(slicer, s);
    Slice slice = {.area = 0.0};
    make_polygon(slicer, s, r);

    for (int32_t i = 0; i < slicer->count; ++i) {
        const Vec3 from = slicer->polygon[i], to = slicer->polygon[i + 1 < slicer->count ? i + 1 : 0];
        double a, b;
        if (!add_side(from.x, from.y, to.x, to.y, r, &slice, &a, &b) || from.z < 0.0 || thickness == 0.0) {
            continue;
        }
        const SlicePlane* plane = &slicer->body->planes[(int32_t)from.z];
        if (plane->surface) {
            const Vec3 p = slice_point(slicer, s, from.x + a * (to.x - from.x), from.y + a * (to.y - from.y));
            const Vec3 q = slice_point(slicer, s, from.x + b * (to.x - from.x), from.y + b * (to.y - from.y));
            add_surface(slicer, plane, p, q, thickness * v3_distance(p, q) / plane->sine);
        }
    }
    slice.area = fmax(slice.area, 0.0);
    return slice;
}

static void add_interval(Slicer* slicer, double from, double to) {
    SliceSum* sum = slicer->sum;
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    const int rule = slicer->break_count > WELL_MOST ? 1 : 0, count = rule == 0 ? 8 : 4;
    for (int i = 0; i < count && half > 0.0; ++i) {
        const double x = i % 2 == 0 ? GAUSS_PLACES[rule][i / 2] : -GAUSS_PLACES[rule][i / 2];
        const double s = middle + half * 0.5 * x * (3.0 - x * x);
        const double weight = slicer->share * half * 1.5 * (1.0 - x * x) * GAUSS_WEIGHTS[rule][i / 2];
        const Slice slice = measure_slice(slicer, s, weight);
        sum->volume += weight * slice.area;
        const Vec3 moment = v3_mad(v3_scale(slicer->x, slice.x), slice.y, slicer->y);
        sum->first = v3_mad(v3_mad(sum->first, weight, moment), weight * slice.area,
                            v3_mad(slicer->origin, s, slicer->axis));
    }
}

// A plane across the axis: the slices end there, and what is left of its disc is surface.
static void end_slices(Slicer* slicer) {
    for (int32_t i = 0; i < slicer->body->plane_count; ++i) {
        const SlicePlane* plane = &slicer->body->planes[i];
        const double along = plane->along, s = plane->from / along;
        if (plane->sine > ACROSS) {
            continue;
        }
        slicer->low = along > 0.0 ? slicer->low : fmax(slicer->low, s);
        slicer->high = along > 0.0 ? fmin(slicer->high, s) : slicer->high;
    }
}

static void add_end_discs(Slicer* slicer, double low, double high) {
    for (int32_t i = 0; i < slicer->body->plane_count; ++i) {
        const SlicePlane* plane = &slicer->body->planes[i];
        const double along = plane->along, s = plane->from / along;
        if (plane->sine > ACROSS || !plane->surface || s != (along > 0.0 ? slicer->high : slicer->low) ||
            !(s > low && s < high)) {
            continue;
        }
        const Slice slice = measure_slice(slicer, s, 0.0);
        const Vec3 at = slice.area > 0.0 ? slice_point(slicer, s, slice.x / slice.area, slice.y / slice.area)
                                         : slicer->origin;

        // Its moments about its middle as those of a disc of the same area.
        const double reach = 0.5 * sqrt(slice.area / 3.141592653589793);
        const double part = 0.25 * slicer->share * slice.area;
        const Vec3 around[4] = {slicer->x, v3_neg(slicer->x), slicer->y, v3_neg(slicer->y)};
        for (int k = 0; k < 4; ++k) {
            const Vec3 p = v3_mad(at, 1.4142135623730951 * reach, around[k]);
            add_surface(slicer, plane, p, p, part);
        }
    }
}

void bi_slice_planes(const Capsule* capsule, const SliceBody* body, double share, Vec3* const polygons[2],
                     SliceSum* sum) {
    const Vec3 way = v3_sub(capsule->end[1], capsule->end[0]);
    const double r = capsule->radius;
    Slicer slicer = {.capsule = capsule,
                     .body = body,
                     .sum = sum,
                     .share = share,
                     .origin = capsule->end[0],
                     .length = v3_length(way),
                     .polygon = polygons[0],
                     .next = polygons[1]};
    slicer.axis = v3_unit_or(way, v3(0.0, 0.0, 1.0));
    slicer.x = v3_any_normal(slicer.axis);
    slicer.y = v3_cross(slicer.axis, slicer.x);
    slicer.low = -r;
    slicer.high = slicer.length + r;
    turn_planes(&slicer);
    end_slices(&slicer);

    add_break(&slicer, 0, 0.0);
    add_break(&slicer, 0, slicer.length);
    for (int32_t i = 0; i < body->plane_count; ++i) {
        add_plane_breaks(&slicer, &body->planes[i]);
    }
    for (int32_t i = 0; i < body->edge_count; ++i) {
        add_edge_breaks(&slicer, body->edges[2 * i], body->edges[2 * i + 1]);
    }
    sort_breaks(&slicer);

    double from = slicer.low;
    for (int32_t i = 0; i <= slicer.break_count; ++i) {
        const double to = i < slicer.break_count ? slicer.breaks[i] : slicer.high;
        add_interval(&slicer, from, to);
        from = to;
    }
    add_end_discs(&slicer, -r, slicer.length + r);
}

void bi_slice_shift(SliceSum* sum, Vec3 point) {
    const Vec3 m = sum->area_first;
    for (int row = 0; row < 3; ++row) {
        const double along = v3_at(point, row);
        const Vec3 mixed = v3_add(v3_scale(m, along), v3_scale(point, v3_at(m, row) + along * sum->area));
        sum->area_second[row] = v3_add(sum->area_second[row], mixed);
    }
    sum->area_first = v3_mad(m, sum->area, point);
    sum->first = v3_mad(sum->first, sum->volume, point);
}
