// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Hulls of points in space by qhull, of which only the combinatorics are used: which points, in which
// triangles. qhull leaves by longjmp inside qh_new_qhull, which catches it and returns a code; what comes
// after it here only reads lists. It prints to the stream it is given: a small piece of memory, since null
// would be an error to it. Entry: bi_hull_qhull.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // fmemopen
#endif

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <string.h>

#include "mesh/hull_build.h"

enum { MESSAGE_SIZE = 512 };

// Triangles (Qt), keep going where facets become wide (Q12), no advice about precision (Pp).
#define QHULL_COMMAND "qhull Qt Q12 Pp"

// The points moved to the origin and scaled to about 1: qhull's tolerances are relative to the largest
// coordinate.
static void copy_points(const HullBuild* build, double* out) {
    const Vec3 centre = v3_lerp(build->low, build->high, 0.5);
    const double size = v3_distance(build->low, build->high);
    for (int32_t i = 0; i < build->count; i++) {
        const Vec3 p = v3_scale(v3_sub(build->points[i], centre), 1.0 / size);
        out[3 * (size_t)i] = p.x;
        out[3 * (size_t)i + 1] = p.y;
        out[3 * (size_t)i + 2] = p.z;
    }
}

static int32_t count_facets(qhT* qh) {
    int32_t count = 0;
    facetT* facet;
    FORALLfacets {
        count += facet->upperdelaunay ? 0 : 1;
    }
    return count;
}

// The three input indexes of a facet, counter-clockwise from outside; false when it is no triangle.
static bool read_facet_corners(qhT* qh, facetT* facet, int32_t corner[3]) {
    if (qh_setsize(qh, facet->vertices) != 3) {
        return false;
    }

    int count = 0;
    vertexT *vertex, **vertexp;
    FOREACHvertex_(facet->vertices) {
        corner[count++] = (int32_t)qh_pointid(qh, vertex->point);
    }

    if ((facet->toporient ^ qh_ORIENTclock) != 0) {
        const int32_t swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
    return true;
}

static bool read_faces(HullBuild* build, qhT* qh) {
    facetT* facet;
    FORALLfacets {
        if (facet->upperdelaunay) {
            continue;
        }

        int32_t* corner = build->faces + 3 * (size_t)build->face_count;
        if (build->face_count >= build->face_capacity || !read_facet_corners(qh, facet, corner)) {
            return false;
        }
        for (int k = 0; k < 3; k++) {
            if (corner[k] < 0 || corner[k] >= build->count) {
                return false;
            }
        }

        build->face_count++;
    }
    return build->face_count >= 4;
}

// Turns all faces when the surface as a whole is inside out.
static void turn_outward(HullBuild* build) {
    const Vec3 origin = v3_lerp(build->low, build->high, 0.5);
    double volume = 0.0;
    for (int32_t i = 0; i < build->face_count; i++) {
        const int32_t* corner = build->faces + 3 * (size_t)i;
        const Vec3 a = v3_sub(build->points[corner[0]], origin);
        const Vec3 b = v3_sub(build->points[corner[1]], origin);
        volume += v3_dot(a, v3_cross(b, v3_sub(build->points[corner[2]], origin)));
    }

    for (int32_t i = 0; i < build->face_count && volume < 0.0; i++) {
        int32_t* corner = build->faces + 3 * (size_t)i;
        const int32_t swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
}

// Vertices are the points that faces name, in the order of the input.
static BerthStatus collect_vertices(HullBuild* build, bool* failed) {
    const size_t face_count = (size_t)build->face_count;
    uint8_t* used = bi_take(&build->allocator, (size_t)build->count, sizeof *used);
    SortItem* items = bi_take(&build->allocator, 6 * face_count, sizeof *items);
    int32_t* across = bi_take(&build->allocator, 3 * face_count, sizeof *across);

    BerthStatus status = BERTH_ERR_MEMORY;
    if (used != NULL && items != NULL && across != NULL) {
        *failed = !bi_hull_face_neighbours(build->faces, build->face_count, items, across);
        for (size_t i = 0; i < 3 * face_count; i++) {
            used[build->faces[i]] = 1;
        }

        for (int32_t i = 0; i < build->count && !*failed; i++) {
            if (used[i] != 0) {
                build->vertices[build->vertex_count++] = i;
            }
        }
        status = BERTH_OK;
    }

    bi_give(&build->allocator, across, 3 * face_count, sizeof *across);
    bi_give(&build->allocator, items, 6 * face_count, sizeof *items);
    bi_give(&build->allocator, used, (size_t)build->count, sizeof *used);
    if (status != BERTH_OK) {
        return bi_fail(status, "hull: no memory for %zu faces", face_count);
    }
    return BERTH_OK;
}

static BerthStatus read_hull(HullBuild* build, qhT* qh, bool* failed) {
    build->face_capacity = count_facets(qh);
    build->faces = bi_take(&build->allocator, 3 * (size_t)build->face_capacity, sizeof *build->faces);
    if (build->faces == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "hull: no memory for %d faces", build->face_capacity);
    }

    *failed = !read_faces(build, qh);
    if (*failed) {
        return BERTH_OK;
    }

    turn_outward(build);
    return collect_vertices(build, failed);
}

static BerthStatus run_qhull(HullBuild* build, double* points, FILE* errors, bool* flat, bool* failed) {
    qhT state;
    qhT* qh = &state;
    char command[] = QHULL_COMMAND;
    memset(qh, 0, sizeof *qh);
    qh_zero(qh, errors);

    const int code = qh_new_qhull(qh, 3, build->count, points, False, command, NULL, errors);
    BerthStatus status = BERTH_OK;
    *flat = code == qh_ERRsingular;
    *failed = code != qh_ERRnone && !*flat;

    if (code == qh_ERRnone) {
        status = read_hull(build, qh, failed);
    } else if (code == qh_ERRmem) {
        status = bi_fail(BERTH_ERR_MEMORY, "hull: no memory for qhull with %d points", build->count);
    }

    int long_count = 0, long_size = 0;
    qh->NOerrexit = True;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_count, &long_size);
    return status;
}

BerthStatus bi_hull_qhull(HullBuild* build, bool* flat, bool* failed) {
    *flat = *failed = false;
    const size_t value_count = 3 * (size_t)build->count;
    char message[MESSAGE_SIZE];
    FILE* errors = fmemopen(message, sizeof message, "w");
    double* points = bi_take(&build->allocator, value_count, sizeof *points);

    BerthStatus status = BERTH_ERR_MEMORY;
    if (errors != NULL && points != NULL) {
        setvbuf(errors, NULL, _IONBF, 0);
        copy_points(build, points);
        status = run_qhull(build, points, errors, flat, failed);
    } else {
        status = bi_fail(status, "hull: no memory for %d points", build->count);
    }

    bi_give(&build->allocator, points, value_count, sizeof *points);
    if (errors != NULL) {
        fclose(errors);
    }

    if (*flat || *failed) {
        build->face_count = 0;
        build->vertex_count = 0;
    }
    return status;
}
