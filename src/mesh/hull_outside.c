// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How far outside the hull of its vertices an input point can be. qhull merges facets within rounding, so
// points that are not vertices may protrude slightly. For every point p a point q of the hull is computed: a
// convex combination of an inner point and the corners of the face through which p is seen from there.
// However badly that face was found, q is in the hull and |p - q| bounds the distance; docs/theory/mesh.md
// has the rounding.
// Entries: bi_hull_face_neighbours, bi_hull_measure_outside.

#include "math/tolerance.h"
#include "mesh/hull_build.h"
#include "shape/gap.h"

// Rounding of q and |p - q|, per metre of extent and distance from the origin.
#define OUTSIDE_ERROR (32.0 * BI_ULP)

// Rounds that improve the weights of a mixture.
enum { REFINE_ROUNDS = 2 };

// Most faces that are looked at where stepping from face to face fails: a second of work.
#define SEARCH_WORK_MAX ((int64_t)1 << 22)

static uint64_t face_edge_key(const int32_t* faces, uint32_t edge) {
    const uint32_t side = edge % 3;
    const uint64_t from = (uint64_t)(uint32_t)faces[edge];
    const uint64_t to = (uint64_t)(uint32_t)faces[edge - side + (side + 1) % 3];
    return from < to ? from << 32 | to : to << 32 | from;
}

bool bi_hull_face_neighbours(const int32_t* faces, int32_t face_count, SortItem* items, int32_t* across) {
    const size_t count = 3 * (size_t)face_count;
    for (size_t i = 0; i < count; i++) {
        items[i] = (SortItem){face_edge_key(faces, (uint32_t)i), (uint32_t)i};
    }
    bi_sort_items(items, items + count, count);

    for (size_t i = 0; i < count; i += 2) {
        if (i + 1 >= count || items[i].key != items[i + 1].key) {
            return false;
        }
        const uint32_t one = items[i].index, other = items[i + 1].index;
        const bool third = i + 2 < count && items[i + 2].key == items[i].key;
        if (third || faces[one] == faces[other]) {
            return false;  // more than two faces, or both in the same direction
        }

        across[one] = (int32_t)(other / 3);
        across[other] = (int32_t)(one / 3);
    }
    return true;
}

typedef struct FaceSearch {
    const HullBuild* build;
    const int32_t* across;
    Vec3 centre;
    int32_t face;  // where the last point was found: the next one is near
    int32_t step_max;
    int64_t work_left;
    double good_distance;  // a distance nearly as small as rounding lets it be
} FaceSearch;

typedef struct Weights {
    double at[3];
    double whole;  // at[] / whole are the weights of the corners
} Weights;

static void face_corners(const FaceSearch* search, int32_t face, Vec3 corner[3]) {
    for (int k = 0; k < 3; k++) {
        const int32_t index = search->build->faces[3 * (size_t)face + (size_t)k];
        corner[k] = v3_sub(search->build->points[index], search->centre);
    }
}

static Weights weights_of(const Vec3 corner[3], Vec3 offset) {
    const Vec3 normal_0 = v3_cross(corner[1], corner[2]);
    return (Weights){{v3_dot(offset, normal_0), v3_dot(offset, v3_cross(corner[2], corner[0])),
                      v3_dot(offset, v3_cross(corner[0], corner[1]))},
                     v3_dot(corner[0], normal_0)};
}

static Vec3 mix_corners(const Vec3 corner[3], const double at[3]) {
    return v3_mad(v3_mad(v3_scale(corner[0], at[0]), at[1], corner[1]), at[2], corner[2]);
}

// |p - q| for the q that the clamped weights give. In a thin hull the determinants lose most of their digits;
// adding the weights of what is left over brings them back.
static double mixture_distance(const Vec3 corner[3], Vec3 offset, const Weights* weights) {
    double at[3] = {weights->at[0] / weights->whole, weights->at[1] / weights->whole,
                    weights->at[2] / weights->whole};

    for (int round = 0; round < REFINE_ROUNDS; round++) {
        const Weights more = weights_of(corner, v3_sub(offset, mix_corners(corner, at)));
        for (int k = 0; k < 3; k++) {
            at[k] += more.at[k] / more.whole;
        }
    }

    // Weights below 0 become 0, and their sum at most 1: then the mixture is in the hull.
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        at[k] = at[k] > 0.0 && at[k] < 1e300 ? at[k] : 0.0;
        sum += at[k];
    }
    for (int k = 0; k < 3; k++) {
        at[k] *= sum > 1.0 ? 1.0 / sum : 1.0;
    }

    return v3_distance(offset, mix_corners(corner, at));
}

// Steps towards the face through which `offset` is seen from the centre; the start of the look at the three
// sides turns with every step, so that no cycle lasts.
static bool step_to_face(FaceSearch* search, Vec3 offset, double* distance) {
    for (int32_t step = 0; step < search->step_max; step++) {
        Vec3 corner[3];
        face_corners(search, search->face, corner);
        const Weights weights = weights_of(corner, offset);

        int leave = -1;
        for (int i = 0; i < 3 && leave < 0; i++) {
            const int k = (step + i) % 3;
            leave = weights.at[k] < 0.0 ? k : -1;
        }
        if (leave < 0) {
            *distance = mixture_distance(corner, offset, &weights);
            return true;
        }

        search->face = search->across[3 * (size_t)search->face + (size_t)((leave + 1) % 3)];
    }
    return false;
}

// The best mixture of all faces, or the nearest point of one; of as many faces as the work allows.
static double search_all_faces(FaceSearch* search, Vec3 offset) {
    double best = v3_length(offset);
    for (int32_t i = 0; i < search->build->face_count && search->work_left > 0; i++, search->work_left--) {
        Vec3 corner[3], nearest;
        face_corners(search, i, corner);
        const Weights weights = weights_of(corner, offset);
        const double distance = mixture_distance(corner, offset, &weights);
        best = distance < best ? distance : best;

        (void)bi_point_triangle_distance_sq(offset, corner, &nearest);
        const double reach = v3_distance(offset, nearest);
        best = reach < best ? reach : best;
    }
    return best;
}

static double farthest_outside(FaceSearch* search, const uint8_t* is_vertex) {
    double most = 0.0;
    for (int32_t i = 0; i < search->build->count; i++) {
        if (is_vertex[i] != 0) {
            continue;
        }

        const Vec3 offset = v3_sub(search->build->points[i], search->centre);
        double distance = 0.0;
        if (!step_to_face(search, offset, &distance) || !(distance <= search->good_distance)) {
            const double other = search_all_faces(search, offset);
            distance = distance > 0.0 && distance < other ? distance : other;
        }

        most = distance > most ? distance : most;
    }
    return most;
}

// The middle of four vertices far apart: inside the hull for sure, which the corners themselves would not
// make it when qhull merged one of them away.
static Vec3 inner_point(const HullBuild* build) {
    Vec3 centre = v3(0, 0, 0);
    for (int k = 0; k < 4; k++) {
        const Vec3 corner = build->points[build->corner[k]];
        Vec3 nearest = build->points[build->vertices[0]];
        for (int32_t i = 1; i < build->vertex_count; i++) {
            const Vec3 p = build->points[build->vertices[i]];
            nearest = v3_distance(p, corner) < v3_distance(nearest, corner) ? p : nearest;
        }
        centre = v3_mad(centre, 0.25, nearest);
    }
    return centre;
}

BerthStatus bi_hull_measure_outside(HullBuild* build) {
    if (build->vertex_count == build->count) {
        build->outside = 0.0;  // every point is a vertex
        return BERTH_OK;
    }

    const size_t face_count = (size_t)build->face_count;
    uint8_t* is_vertex = bi_take(&build->allocator, (size_t)build->count, sizeof *is_vertex);
    SortItem* items = bi_take(&build->allocator, 6 * face_count, sizeof *items);
    int32_t* across = bi_take(&build->allocator, 3 * face_count, sizeof *across);

    BerthStatus status = BERTH_ERR_MEMORY;
    if (is_vertex != NULL && items != NULL && across != NULL) {
        (void)bi_hull_face_neighbours(build->faces, build->face_count, items, across);
        for (int32_t i = 0; i < build->vertex_count; i++) {
            is_vertex[build->vertices[i]] = 1;
        }

        FaceSearch search = {.build = build, .across = across, .work_left = SEARCH_WORK_MAX};
        search.centre = inner_point(build);
        search.step_max = 64 + 8 * (int32_t)sqrt((double)face_count);
        const double extent =
            v3_distance(build->low, build->high) + v3_length(v3_max(v3_abs(build->low), v3_abs(build->high)));
        search.good_distance = 8.0 * OUTSIDE_ERROR * extent;
        build->outside =
            farthest_outside(&search, is_vertex) * (1.0 + OUTSIDE_ERROR) + OUTSIDE_ERROR * extent;
        status = BERTH_OK;
    }

    bi_give(&build->allocator, across, 3 * face_count, sizeof *across);
    bi_give(&build->allocator, items, 6 * face_count, sizeof *items);
    bi_give(&build->allocator, is_vertex, (size_t)build->count, sizeof *is_vertex);
    if (status != BERTH_OK) {
        return bi_fail(status, "hull: no memory for %zu faces", face_count);
    }
    return BERTH_OK;
}
