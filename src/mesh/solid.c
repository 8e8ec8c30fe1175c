// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a closed surface encloses. Every piece is turned outward, so that windings of overlapping pieces add
// up and never cancel; only a piece that was inside out and lies within one that was not is a cavity and
// stays as it is. Where that cannot be decided, or costs too much, the piece is turned outward: more solid,
// never less.
//
// Also area, bounds, and whether the solid is its own hull.
// Entries: bi_mesh_turn_outward, bi_mesh_measure.

#include "math/tolerance.h"
#include "mesh/mesh_build.h"

// Most triangles that rays look at to tell cavities: a second of work; and a few rays for the largest meshes.
#define CAVITY_WORK_MIN ((int64_t)1 << 26)
#define CAVITY_RAYS_MIN 16

// Most (face, vertex) pairs of the test for convexity: a tenth of a second. A larger mesh is not called
// convex.
#define CONVEX_WORK_MAX ((int64_t)1 << 27)

// Relative rounding of one volume or plane term, against its size; see contains.c, which has the same
// terms.
#define TERM_ERROR (16.0 * BI_ULP)

typedef struct Piece {
    int32_t first_vertex;
    double volume;  // signed, times 6
    double size;    // sum of the magnitudes of its terms: volume / size shows what rounding left of it
    bool seen;
    bool inward;  // surely inside out as given
    bool turn;
} Piece;

static void sum_volumes(const MeshBuild* build, Piece* pieces) {
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        const int32_t* corner = build->triangles + 3 * (size_t)i;
        Piece* piece = &pieces[build->component[i]];
        if (!piece->seen) {
            piece->seen = true;
            piece->first_vertex = corner[0];
        }

        const Vec3 origin = build->vertices[piece->first_vertex];
        const Vec3 a = v3_sub(build->vertices[corner[0]], origin);
        const Vec3 b = v3_sub(build->vertices[corner[1]], origin);
        const Vec3 c = v3_sub(build->vertices[corner[2]], origin);

        const Vec3 plus = v3(b.y * c.z, b.z * c.x, b.x * c.y);
        const Vec3 minus = v3(b.z * c.y, b.x * c.z, b.y * c.x);
        piece->volume += v3_dot(a, v3_sub(plus, minus));
        piece->size += v3_dot(v3_abs(a), v3_add(v3_abs(plus), v3_abs(minus)));
    }
}

// Winding of the pieces that are not inward about p; false when no ray is sure or the work is spent.
static bool find_outward_winding(const MeshBuild* build, const Piece* pieces, Vec3 p, int64_t* work,
                                 int32_t* winding) {
    for (int32_t ray = 0; ray < BI_RAY_COUNT; ray++) {
        RayCount count = {0, true};
        *work -= build->info.triangle_count;
        if (*work < 0) {
            return false;
        }

        for (int32_t i = 0; i < build->info.triangle_count && count.sure; i++) {
            if (pieces[build->component[i]].inward) {
                continue;
            }
            const int32_t* corner = build->triangles + 3 * (size_t)i;
            const Vec3 t[3] = {build->vertices[corner[0]], build->vertices[corner[1]],
                               build->vertices[corner[2]]};
            bi_ray_add_crossings(p, ray, t, &count);
        }

        if (count.sure) {
            *winding = count.winding;
            return true;
        }
    }
    return false;
}

// A cavity that touches the outer surface with the corner that is tested first: then the middles of its first triangles are.
static bool find_cavity_winding(const MeshBuild* build, const Piece* pieces, int32_t piece, int64_t* work,
                                int32_t* winding) {
    enum { MIDDLES = 4 };
    if (find_outward_winding(build, pieces, build->vertices[pieces[piece].first_vertex], work, winding)) {
        return true;
    }

    int32_t asked = 0;
    for (int32_t i = 0; i < build->info.triangle_count && asked < MIDDLES; i++) {
        const int32_t* corner = build->triangles + 3 * (size_t)i;
        if (build->component[i] != piece) {
            continue;
        }
        ++asked;
        const Vec3 sum = v3_add(v3_add(build->vertices[corner[0]], build->vertices[corner[1]]),
                                build->vertices[corner[2]]);
        if (find_outward_winding(build, pieces, v3_scale(sum, 1.0 / 3.0), work, winding)) {
            return true;
        }
    }
    return false;
}

static void choose_turns(const MeshBuild* build, Piece* pieces) {
    const int32_t piece_count = build->info.component_count;
    int32_t inward_count = 0;
    for (int32_t i = 0; i < piece_count; i++) {
        const double error = ((double)build->info.triangle_count * BI_ULP + TERM_ERROR) * pieces[i].size;
        pieces[i].inward = pieces[i].volume < -error;
        inward_count += pieces[i].inward ? 1 : 0;
    }

    int64_t work = CAVITY_RAYS_MIN * (int64_t)build->info.triangle_count;
    work = work > CAVITY_WORK_MIN ? work : CAVITY_WORK_MIN;
    for (int32_t i = 0; i < piece_count; i++) {
        if (!pieces[i].inward) {
            continue;
        }

        int32_t winding = 0;
        const bool cavity = inward_count < piece_count &&
                            find_cavity_winding(build, pieces, i, &work, &winding) && winding > 0;
        pieces[i].turn = !cavity;
    }
}

static void turn_pieces(MeshBuild* build, const Piece* pieces) {
    for (int32_t i = 0; i < build->info.triangle_count; i++) {
        if (pieces[build->component[i]].turn) {
            int32_t* corner = build->triangles + 3 * (size_t)i;
            const int32_t swap = corner[1];
            corner[1] = corner[2];
            corner[2] = swap;
        }
    }

    double volume = 0.0;
    for (int32_t i = 0; i < build->info.component_count; i++) {
        volume += (pieces[i].turn ? -pieces[i].volume : pieces[i].volume) / 6.0;
    }
    build->info.volume = volume > 0.0 ? volume : 0.0;
}

BerthStatus bi_mesh_turn_outward(MeshBuild* build) {
    if (!build->info.watertight) {
        return BERTH_OK;
    }
    const size_t piece_count = (size_t)build->info.component_count;
    Piece* pieces = bi_take(&build->allocator, piece_count, sizeof *pieces);
    if (pieces == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "mesh: no memory for %zu pieces", piece_count);
    }

    sum_volumes(build, pieces);
    choose_turns(build, pieces);
    turn_pieces(build, pieces);
    bi_give(&build->allocator, pieces, piece_count, sizeof *pieces);
    return BERTH_OK;
}

// ---- measures ------------------------------------------------------------------------------------------

// True when no vertex is further than `tolerance` outside the plane of the triangle, rounding included.
static bool all_behind_face(const MeshBuild* build, int32_t triangle, double tolerance) {
    const int32_t* corner = build->triangles + 3 * (size_t)triangle;
    const Vec3 origin = build->vertices[corner[0]];
    const Vec3 a = v3_sub(build->vertices[corner[1]], origin);
    const Vec3 b = v3_sub(build->vertices[corner[2]], origin);
    const Vec3 plus = v3(a.y * b.z, a.z * b.x, a.x * b.y);
    const Vec3 minus = v3(a.z * b.y, a.x * b.z, a.y * b.x);
    const Vec3 normal = v3_sub(plus, minus);
    const Vec3 size = v3_add(v3_abs(plus), v3_abs(minus));

    // The length of the true normal is at least the computed one less its error, and less rounding.
    const double length = v3_length(normal) * (1.0 - TERM_ERROR) - TERM_ERROR * v3_length(size);
    if (!(length > 0.0)) {
        return false;
    }

    for (int32_t i = 0; i < build->info.vertex_count; i++) {
        const Vec3 p = v3_sub(build->vertices[i], origin);
        const double error = TERM_ERROR * v3_dot(v3_abs(p), size);
        if (!(v3_dot(p, normal) + error <= tolerance * length)) {
            return false;
        }
    }
    return true;
}

static bool is_convex(const MeshBuild* build, double diagonal) {
    const BerthMeshInfo* info = &build->info;
    const int64_t work = (int64_t)info->triangle_count * info->vertex_count;
    if (!info->watertight || info->component_count != 1 || !(info->volume > 0.0) || work > CONVEX_WORK_MAX) {
        return false;
    }

    for (int32_t i = 0; i < info->triangle_count; i++) {
        if (!all_behind_face(build, i, BI_CONVEX_TOLERANCE * diagonal)) {
            return false;
        }
    }
    return true;
}

void bi_mesh_measure(MeshBuild* build) {
    BerthMeshInfo* info = &build->info;
    info->low = info->high = build->vertices[0];
    for (int32_t i = 1; i < info->vertex_count; i++) {
        info->low = v3_min(info->low, build->vertices[i]);
        info->high = v3_max(info->high, build->vertices[i]);
    }

    info->area = 0.0;
    for (int32_t i = 0; i < info->triangle_count; i++) {
        const int32_t* corner = build->triangles + 3 * (size_t)i;
        const Vec3 origin = build->vertices[corner[0]];
        info->area += 0.5 * v3_length(v3_cross(v3_sub(build->vertices[corner[1]], origin),
                                               v3_sub(build->vertices[corner[2]], origin)));
    }

    info->convex = is_convex(build, v3_distance(info->low, info->high));
}
