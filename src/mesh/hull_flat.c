// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The dimension of the span of points, and the hull of points in a plane: sorted along one axis, then two
// chains.
// Entries: bi_hull_find_dimension, bi_hull_flat.

#include "math/tolerance.h"
#include "mesh/hull_build.h"

// Points nearer than this to a line or plane, per metre of their extent and distance from the origin, are on
// it: what rounding leaves of a projection.
#define SPAN_ERROR (16.0 * BI_ULP)

static double extent_of(const HullBuild* build) {
    return v3_distance(build->low, build->high) + v3_length(v3_max(v3_abs(build->low), v3_abs(build->high)));
}

static int32_t farthest_point(const HullBuild* build, double (*measure)(const HullBuild*, Vec3),
                              double* most) {
    int32_t best = 0;
    *most = -1.0;
    for (int32_t i = 0; i < build->count; i++) {
        const double value = measure(build, build->points[i]);
        if (value > *most) {
            *most = value;
            best = i;
        }
    }
    return best;
}

static double distance_from_corner(const HullBuild* build, Vec3 p) {
    return v3_distance(p, build->points[build->corner[0]]);
}

static Vec3 line_direction(const HullBuild* build) {
    return v3_unit_or(v3_sub(build->points[build->corner[1]], build->points[build->corner[0]]), v3(1, 0, 0));
}

static double distance_from_line(const HullBuild* build, Vec3 p) {
    const Vec3 direction = line_direction(build);
    const Vec3 offset = v3_sub(p, build->points[build->corner[0]]);
    return v3_length(v3_cross(direction, offset));
}

// Two axes in the plane of the first three corners; the second at right angles to the first.
static void plane_axes(const HullBuild* build, Vec3* along, Vec3* across) {
    *along = line_direction(build);
    const Vec3 offset = v3_sub(build->points[build->corner[2]], build->points[build->corner[0]]);
    const Vec3 rest = v3_mad(offset, -v3_dot(offset, *along), *along);
    *across = v3_unit_or(rest, v3_any_normal(*along));
}

static double distance_from_plane(const HullBuild* build, Vec3 p) {
    Vec3 along, across;
    plane_axes(build, &along, &across);
    return fabs(v3_dot(v3_cross(along, across), v3_sub(p, build->points[build->corner[0]])));
}

// The point with the smallest x, then y, then z: a vertex of the hull for sure.
static int32_t first_corner(const HullBuild* build) {
    int32_t best = 0;
    for (int32_t i = 1; i < build->count; i++) {
        const Vec3 p = build->points[i], q = build->points[best];
        if (p.x < q.x || (p.x == q.x && (p.y < q.y || (p.y == q.y && p.z < q.z)))) {
            best = i;
        }
    }
    return best;
}

void bi_hull_find_dimension(HullBuild* build) {
    const double error = SPAN_ERROR * extent_of(build);
    double most = 0.0;

    build->corner[0] = first_corner(build);
    build->corner[1] = farthest_point(build, distance_from_corner, &most);
    build->dimension = 0;
    if (!(most > error)) {
        return;
    }

    build->corner[2] = farthest_point(build, distance_from_line, &most);
    build->dimension = 1;
    if (!(most > error)) {
        return;
    }

    build->corner[3] = farthest_point(build, distance_from_plane, &most);
    build->thickness = most;
    build->dimension = most > error ? 3 : 2;
}

// ---- the hull in a plane ----------------------------------------------------------------------------------

typedef struct Chains {
    Vec3 origin, along, across;
    double flat;     // heights up to this are none
    double* u;       // of each point, along
    double* v;       // and across
    int32_t* lower;  // indexes by growing u, and
    int32_t* upper;
    int32_t lower_count, upper_count;
} Chains;

// How far b is to the left of the way from a to c.
static double height_over_line(const Chains* chains, int32_t a, int32_t b, int32_t c) {
    const double cu = chains->u[c] - chains->u[a], cv = chains->v[c] - chains->v[a];
    const double bu = chains->u[b] - chains->u[a], bv = chains->v[b] - chains->v[a];
    const double length = sqrt(cu * cu + cv * cv);
    return length > 0.0 ? (cu * bv - cv * bu) / length : 0.0;
}

static void push_on_chain(const Chains* chains, int32_t* items, int32_t* count, int32_t point, double side) {
    while (*count >= 2 &&
           !(side * height_over_line(chains, items[*count - 2], items[*count - 1], point) > chains->flat)) {
        (*count)--;
    }
    items[(*count)++] = point;
}

static void sort_along(const Chains* chains, int32_t count, SortItem* items) {
    for (int32_t i = 0; i < count; i++) {
        items[i] = (SortItem){bi_sort_key(chains->v[i]), (uint32_t)i};
    }
    bi_sort_items(items, items + count, (size_t)count);

    for (int32_t i = 0; i < count; i++) {
        items[i].key = bi_sort_key(chains->u[items[i].index]);
    }
    bi_sort_items(items, items + count, (size_t)count);
}

// Where on the chain u is: a point of the hull in 3-D, a mixture of two vertices.
static Vec3 point_at(const HullBuild* build, const Chains* chains, const int32_t* items, int32_t count,
                     double u, double* v) {
    int32_t low = 0, high = count - 1;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (chains->u[items[middle]] <= u) {
            low = middle;
        } else {
            high = middle;
        }
    }

    const int32_t a = items[low], b = items[high];
    const double width = chains->u[b] - chains->u[a];
    const double t = width > 0.0 ? clamp((u - chains->u[a]) / width, 0.0, 1.0) : 0.0;
    *v = chains->v[a] + t * (chains->v[b] - chains->v[a]);
    return v3_lerp(build->points[a], build->points[b], t);
}

// The farthest that a point is from a mixture of four vertices near it.
static double chain_outside(const HullBuild* build, const Chains* chains) {
    double most = 0.0;
    for (int32_t i = 0; i < build->count; i++) {
        double below = 0.0, above = 0.0;
        const Vec3 p = point_at(build, chains, chains->lower, chains->lower_count, chains->u[i], &below);
        const Vec3 q = point_at(build, chains, chains->upper, chains->upper_count, chains->u[i], &above);
        const double t = above > below ? clamp((chains->v[i] - below) / (above - below), 0.0, 1.0) : 0.0;
        const double distance = v3_distance(build->points[i], v3_lerp(p, q, t));
        most = distance > most ? distance : most;
    }
    return most;
}

static void build_chains(HullBuild* build, Chains* chains, SortItem* items) {
    for (int32_t i = 0; i < build->count; i++) {
        const Vec3 offset = v3_sub(build->points[i], chains->origin);
        chains->u[i] = v3_dot(offset, chains->along);
        chains->v[i] = v3_dot(offset, chains->across);
    }

    sort_along(chains, build->count, items);
    for (int32_t i = 0; i < build->count; i++) {
        push_on_chain(chains, chains->lower, &chains->lower_count, (int32_t)items[i].index, -1.0);
        push_on_chain(chains, chains->upper, &chains->upper_count, (int32_t)items[i].index, +1.0);
    }

    // Counter-clockwise round: along the lower chain, back along the upper one without its two ends.
    for (int32_t i = 0; i < chains->lower_count; i++) {
        build->vertices[build->vertex_count++] = chains->lower[i];
    }
    for (int32_t i = chains->upper_count - 2; i > 0; i--) {
        build->vertices[build->vertex_count++] = chains->upper[i];
    }

    build->outside = chain_outside(build, chains) + SPAN_ERROR * extent_of(build);
}

BerthStatus bi_hull_flat(HullBuild* build) {
    const size_t count = (size_t)build->count;
    Chains chains = {.origin = build->points[build->corner[0]], .flat = BI_ULP * extent_of(build)};
    if (build->dimension == 1) {
        chains.flat *= SPAN_ERROR / BI_ULP;  // only the two ends
    }
    plane_axes(build, &chains.along, &chains.across);

    chains.u = bi_take(&build->allocator, 2 * count, sizeof *chains.u);
    chains.lower = bi_take(&build->allocator, 2 * count, sizeof *chains.lower);
    SortItem* items = bi_take(&build->allocator, 2 * count, sizeof *items);

    BerthStatus status = BERTH_ERR_MEMORY;
    if (chains.u != NULL && chains.lower != NULL && items != NULL) {
        chains.v = chains.u + count;
        chains.upper = chains.lower + count;
        build_chains(build, &chains, items);
        status = BERTH_OK;
    }

    bi_give(&build->allocator, items, 2 * count, sizeof *items);
    bi_give(&build->allocator, chains.lower, 2 * count, sizeof *chains.lower);
    bi_give(&build->allocator, chains.u, 2 * count, sizeof *chains.u);
    if (status != BERTH_OK) {
        return bi_fail(status, "hull: no memory for %zu points", count);
    }
    return BERTH_OK;
}
