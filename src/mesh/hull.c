// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Convex hulls: validation, choice of the method (a point, a segment, a polygon, qhull), and the result.
// Where qhull gives up, all distinct points are vertices: slower, and still the hull.
// Entries: berth_hull_create, berth_hull_destroy, berth_hull_vertices, berth_hull_faces.

#include "shape/hull.h"

#include "math/math.h"
#include "mesh/hull_build.h"

// With fewer vertices a scan is faster than climbing from neighbour to neighbour.
enum { NEIGHBOURS_FROM = 32 };

// Steps towards the centre of the smallest ball: step i moves 1 / (i + 1) of the way to the farthest vertex.
enum { BALL_STEPS = 100 };

// qhull calls points flat that are thinner than about 1e-13 of their size; anything thicker is not believed.
#define FLAT_SHARE_MAX 1e-9

static BerthStatus check_points(HullBuild* build) {
    build->low = build->high = build->points[0];
    for (int32_t i = 0; i < build->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const double value = v3_at(build->points[i], axis);
            if (!(fabs(value) <= BI_COORDINATE_MAX)) {
                return bi_fail(BERTH_ERR_ARGUMENT,
                               "hull: point %d has %c = %g, a finite number within %g m is expected", i,
                               "xyz"[axis], value, BI_COORDINATE_MAX);
            }
        }
        build->low = v3_min(build->low, build->points[i]);
        build->high = v3_max(build->high, build->points[i]);
    }
    return BERTH_OK;
}

// Sorted by place, the first of equal ones is taken.
static BerthStatus use_all_points(HullBuild* build) {
    const size_t count = (size_t)build->count;
    SortItem* items = bi_take(&build->allocator, 2 * count, sizeof *items);
    if (items == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "hull: no memory for %zu points", count);
    }

    for (size_t i = 0; i < count; i++) {
        items[i].index = (uint32_t)i;
    }
    for (int axis = 2; axis >= 0; axis--) {
        for (size_t i = 0; i < count; i++) {
            items[i].key = bi_sort_key(v3_at(build->points[items[i].index], axis));
        }
        bi_sort_items(items, items + count, count);
    }

    for (size_t i = 0; i < count; i++) {
        const Vec3 p = build->points[items[i].index], q = build->points[items[i == 0 ? 0 : i - 1].index];
        if (i == 0 || p.x != q.x || p.y != q.y || p.z != q.z) {
            build->vertices[build->vertex_count++] = (int32_t)items[i].index;
        }
    }

    bi_give(&build->allocator, items, 2 * count, sizeof *items);
    build->outside = 0.0;
    return BERTH_OK;
}

static BerthStatus find_vertices(HullBuild* build) {
    bi_hull_find_dimension(build);
    if (build->dimension == 0) {
        build->vertices[build->vertex_count++] = build->corner[0];
        // The sum of the box's sides, which does not underflow, is above every distance in it.
        const Vec3 size = v3_sub(build->high, build->low);
        const double apart = size.x + size.y + size.z;
        build->outside = apart > 0.0 ? bi_next_up(apart * (1.0 + BI_DISTANCE_SLACK)) : 0.0;
        return BERTH_OK;
    }

    if (build->dimension < 3) {
        return bi_hull_flat(build);
    }

    bool flat = false, failed = false;
    const BerthStatus status = bi_hull_qhull(build, &flat, &failed);
    if (status != BERTH_OK) {
        return status;
    }

    if (flat && build->thickness <= FLAT_SHARE_MAX * v3_distance(build->low, build->high)) {
        build->dimension = 2;
        return bi_hull_flat(build);
    }
    if (flat || failed) {
        return use_all_points(build);
    }
    return bi_hull_measure_outside(build);
}

// ---- the finished hull ------------------------------------------------------------------------------------

static int32_t farthest_vertex(const BerthHull* hull, Vec3 centre) {
    int32_t best = 0;
    double most = -1.0;
    for (int32_t i = 0; i < hull->vertex_count; i++) {
        const double distance_sq = v3_length_sq(v3_sub(hull->vertices[i], centre));
        if (distance_sq > most) {
            most = distance_sq;
            best = i;
        }
    }
    return best;
}

// A ball near the smallest one (Badoiu and Clarkson). Its centre is a mixture of vertices, so it is in the
// hull.
static void fit_ball(BerthHull* hull) {
    Vec3 centre = hull->vertices[0];
    Vec3 best = centre;
    double radius = v3_distance(hull->vertices[farthest_vertex(hull, centre)], centre);

    for (int i = 1; i < BALL_STEPS && hull->vertex_count > 1; i++) {
        centre = v3_lerp(centre, hull->vertices[farthest_vertex(hull, centre)], 1.0 / (i + 1.0));
        const double reach = v3_distance(hull->vertices[farthest_vertex(hull, centre)], centre);
        if (reach < radius) {
            radius = reach;
            best = centre;
        }
    }

    hull->centre = best;
    hull->radius = hull->vertex_count > 1 ? bi_next_up(radius * (1.0 + BI_DISTANCE_SLACK)) : 0.0;
}

// From faces each edge once from either side; from a polygon the vertex before and after.
static BerthStatus make_neighbours(BerthHull* hull, bool ring) {
    const size_t vertex_count = (size_t)hull->vertex_count;
    hull->first_neighbour = bi_take(&hull->allocator, vertex_count + 1, sizeof *hull->first_neighbour);
    hull->neighbour_count = ring ? 2 * hull->vertex_count : 3 * hull->face_count;
    if (hull->vertex_count < NEIGHBOURS_FROM) {
        hull->neighbour_count = 0;
    }
    hull->neighbours = bi_take(&hull->allocator, (size_t)hull->neighbour_count, sizeof *hull->neighbours);
    if (hull->first_neighbour == NULL || hull->neighbours == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "hull: no memory for %d neighbours", hull->neighbour_count);
    }

    if (hull->neighbour_count == 0) {
        return BERTH_OK;
    }

    int32_t* first = hull->first_neighbour;
    if (ring) {
        for (int32_t i = 0; i < hull->vertex_count; i++) {
            first[i + 1] = 2 * (i + 1);
            hull->neighbours[2 * (size_t)i] = (i + hull->vertex_count - 1) % hull->vertex_count;
            hull->neighbours[2 * (size_t)i + 1] = (i + 1) % hull->vertex_count;
        }
        return BERTH_OK;
    }

    // Every directed edge from -> to is in exactly one face. Count, sum up, place; the sums move by one
    // meanwhile.
    const size_t edge_count = 3 * (size_t)hull->face_count;
    for (size_t i = 0; i < edge_count; i++) {
        first[hull->faces[i] + 1]++;
    }
    for (size_t i = 0; i < vertex_count; i++) {
        first[i + 1] += first[i];
    }
    for (size_t i = 0; i < edge_count; i++) {
        const size_t next = i % 3 == 2 ? i - 2 : i + 1;
        hull->neighbours[first[hull->faces[i]]++] = hull->faces[next];
    }

    for (size_t i = vertex_count; i > 0; i--) {
        first[i] = first[i - 1];
    }
    first[0] = 0;
    return BERTH_OK;
}

static BerthStatus fill_hull(HullBuild* build, BerthHull* hull) {
    const size_t vertex_count = (size_t)build->vertex_count;
    const size_t corner_count = 3 * (size_t)build->face_count;

    hull->vertex_count = build->vertex_count;
    hull->face_count = build->face_count;
    hull->outside = build->outside;

    hull->vertices = bi_take(&hull->allocator, vertex_count, sizeof *hull->vertices);
    hull->faces = bi_take(&hull->allocator, corner_count, sizeof *hull->faces);
    int32_t* place = bi_take(&hull->allocator, (size_t)build->count, sizeof *place);

    BerthStatus status = BERTH_ERR_MEMORY;
    if (hull->vertices != NULL && hull->faces != NULL && place != NULL) {
        for (size_t i = 0; i < vertex_count; i++) {
            hull->vertices[i] = build->points[build->vertices[i]];
            place[build->vertices[i]] = (int32_t)i;
        }
        for (size_t i = 0; i < corner_count; i++) {
            hull->faces[i] = place[build->faces[i]];
        }
        fit_ball(hull);
        status = BERTH_OK;
    }

    bi_give(&hull->allocator, place, (size_t)build->count, sizeof *place);
    if (status != BERTH_OK) {
        return bi_fail(status, "hull: no memory for %zu vertices", vertex_count);
    }
    return make_neighbours(hull, build->dimension == 2);
}

static BerthStatus make_hull(HullBuild* build, BerthHull** out) {
    BerthHull* hull = bi_take(&build->allocator, 1, sizeof *hull);
    if (hull == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "hull: no memory");
    }
    hull->allocator = build->allocator;

    const BerthStatus status = fill_hull(build, hull);
    if (status != BERTH_OK) {
        berth_hull_destroy(hull);
        return status;
    }

    *out = hull;
    return BERTH_OK;
}

BerthStatus berth_hull_create(const BerthVec3* points, int32_t count, const BerthAllocator* allocator,
                              BerthHull** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "hull: no place for the result");
    }
    *out = NULL;
    if (points == NULL || count < 1 || count > BI_HULL_POINTS_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "hull: %d points, 1 to %d are expected", count,
                       BI_HULL_POINTS_MAX);
    }

    HullBuild build = {.allocator = bi_allocator_or_default(allocator), .points = points, .count = count};
    BerthStatus status = check_points(&build);
    if (status != BERTH_OK) {
        return status;
    }

    build.vertices = bi_take(&build.allocator, 2 * (size_t)count, sizeof *build.vertices);
    if (build.vertices != NULL) {
        status = find_vertices(&build);
    } else {
        status = bi_fail(BERTH_ERR_MEMORY, "hull: no memory for %d points", count);
    }
    if (status == BERTH_OK) {
        status = make_hull(&build, out);
    }

    bi_give(&build.allocator, build.faces, 3 * (size_t)build.face_capacity, sizeof *build.faces);
    bi_give(&build.allocator, build.vertices, 2 * (size_t)count, sizeof *build.vertices);
    return status;
}

void berth_hull_destroy(BerthHull* hull) {
    if (hull == NULL) {
        return;
    }
    const BerthAllocator allocator = hull->allocator;
    const size_t vertex_count = (size_t)hull->vertex_count;
    bi_give(&allocator, hull->vertices, vertex_count, sizeof *hull->vertices);
    bi_give(&allocator, hull->faces, 3 * (size_t)hull->face_count, sizeof *hull->faces);
    bi_give(&allocator, hull->first_neighbour, vertex_count + 1, sizeof *hull->first_neighbour);
    bi_give(&allocator, hull->neighbours, (size_t)hull->neighbour_count, sizeof *hull->neighbours);
    bi_give(&allocator, hull, 1, sizeof *hull);
}

const BerthVec3* berth_hull_vertices(const BerthHull* hull, int32_t* count) {
    *count = hull->vertex_count;
    return hull->vertices;
}

const int32_t* berth_hull_faces(const BerthHull* hull, int32_t* count) {
    *count = hull->face_count;
    return hull->faces;
}
