// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lists of convex polyhedra: hulls of points, cuts by planes, differences, and unions that are convex.
// Entries: bi_pieces_add, bi_pieces_make_disjoint, bi_pieces_merge.

#include "mesh/pieces.h"

#include <math.h>

#include "mesh/pieces_cut.h"
#include "shape/hull.h"

// A union is convex when its hull has this share more volume at most.
#define UNION_NEAR 1e-9
// Less volume than this share of near * size^2 is rounding.
#define SLIVER 1e-3

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "convex pieces: out of memory");
}

void bi_pieces_init(ConvexPieces* pieces, const BerthAllocator* allocator, double size) {
    *pieces = (ConvexPieces){.near = 1e-10 * size};
    bi_arena_init(&pieces->arena, allocator, 0);
}

void bi_pieces_free(ConvexPieces* pieces) {
    bi_arena_free(&pieces->arena);
    *pieces = (ConvexPieces){.count = 0};
}

static double hull_volume(const BerthHull* hull) {
    const Vec3 o = hull->vertices[0];
    double six = 0.0;
    for (int32_t t = 0; t < hull->face_count; ++t) {
        const int32_t* c = hull->faces + 3 * (size_t)t;
        six += v3_dot(v3_sub(hull->vertices[c[0]], o),
                      v3_cross(v3_sub(hull->vertices[c[1]], o), v3_sub(hull->vertices[c[2]], o)));
    }
    return six / 6.0;
}

static BerthStatus copy_hull(Arena* arena, const BerthHull* hull, ConvexPiece* out) {
    out->count = hull->vertex_count;
    out->face_count = hull->face_count;
    out->points = bi_arena_take(arena, (size_t)out->count, sizeof *out->points);
    out->faces = bi_arena_take(arena, 3 * (size_t)out->face_count, sizeof *out->faces);
    if (out->points == NULL || out->faces == NULL) {
        return no_memory();
    }

    out->low = out->high = hull->vertices[0];
    for (int32_t i = 0; i < out->count; ++i) {
        out->points[i] = hull->vertices[i];
        out->low = v3_min(out->low, out->points[i]);
        out->high = v3_max(out->high, out->points[i]);
    }
    for (int32_t i = 0; i < 3 * out->face_count; ++i) {
        out->faces[i] = hull->faces[i];
    }
    return BERTH_OK;
}

BerthStatus bi_piece_make(ConvexPieces* pieces, const Vec3* points, int32_t count, int32_t tag,
                          ConvexPiece* out) {
    *out = (ConvexPiece){.tag = tag};
    if (count < 4) {
        return BERTH_OK;
    }
    BerthHull* hull = NULL;
    BerthStatus status = berth_hull_create(points, count, &pieces->arena.allocator, &hull);
    if (status != BERTH_OK) {
        return status;
    }

    // Thinner than what counts as the same plane: nothing is left.
    if (hull->face_count > 0) {
        const double volume = hull_volume(hull), least = SLIVER * pieces->near * hull->radius * hull->radius;
        if (volume > least) {
            out->volume = volume;
            status = copy_hull(&pieces->arena, hull, out);
        }
    }
    berth_hull_destroy(hull);
    return status;
}

BerthStatus bi_pieces_append(ConvexPieces* pieces, const ConvexPiece* piece) {
    ConvexPiece* items = bi_arena_grow(&pieces->arena, pieces->items, (size_t)pieces->count,
                                       (size_t)pieces->count + 1, &pieces->capacity, sizeof *items);
    if (items == NULL) {
        return no_memory();
    }
    pieces->items = items;
    items[pieces->count++] = *piece;
    return BERTH_OK;
}

BerthStatus bi_pieces_add(ConvexPieces* pieces, const Vec3* points, int32_t count, int32_t tag) {
    ConvexPiece piece;
    BerthStatus status = bi_piece_make(pieces, points, count, tag, &piece);
    if (status == BERTH_OK && piece.count > 0) {
        status = bi_pieces_append(pieces, &piece);
    }
    return status;
}

// ---- cuts ----------------------------------------------------------------------------------------------------

// Corners of the part where side * (normal . x - offset) <= 0: those that are there, and where edges cross the plane.
static int32_t part_corners(const ConvexPiece* piece, Vec3 normal, double offset, double side, double near,
                            Vec3* out) {
    int32_t count = 0;
    for (int32_t i = 0; i < piece->count; ++i) {
        if (side * (v3_dot(normal, piece->points[i]) - offset) <= near) {
            out[count++] = piece->points[i];
        }
    }

    for (int32_t i = 0; i < 3 * piece->face_count; ++i) {
        const int32_t from = piece->faces[i], to = piece->faces[i % 3 == 2 ? i - 2 : i + 1];
        if (from > to) {
            continue;  // the other triangle at this edge has it the other way round
        }
        const double above = v3_dot(normal, piece->points[from]) - offset;
        const double other = v3_dot(normal, piece->points[to]) - offset;
        if ((above > near && other < -near) || (above < -near && other > near)) {
            out[count++] = v3_lerp(piece->points[from], piece->points[to], above / (above - other));
        }
    }
    return count;
}

BerthStatus bi_piece_cut(ConvexPieces* pieces, const ConvexPiece* piece, Vec3 normal, double offset,
                         ConvexPiece* below, ConvexPiece* above) {
    const size_t most = (size_t)piece->count + 3 * (size_t)piece->face_count;
    Vec3* corners = bi_take(&pieces->arena.allocator, most, sizeof *corners);
    if (corners == NULL) {
        return no_memory();
    }

    int32_t count = part_corners(piece, normal, offset, 1.0, pieces->near, corners);
    BerthStatus status = bi_piece_make(pieces, corners, count, piece->tag, below);
    if (status == BERTH_OK) {
        count = part_corners(piece, normal, offset, -1.0, pieces->near, corners);
        status = bi_piece_make(pieces, corners, count, piece->tag, above);
    }
    bi_give(&pieces->arena.allocator, corners, most, sizeof *corners);
    return status;
}

bool bi_piece_plane(const ConvexPiece* piece, int32_t face, Vec3* normal, double* offset) {
    const int32_t* c = piece->faces + 3 * (size_t)face;
    const Vec3 a = piece->points[c[0]];
    const Vec3 n = v3_cross(v3_sub(piece->points[c[1]], a), v3_sub(piece->points[c[2]], a));
    const double length = v3_length(n);
    if (!(length > 0.0)) {
        return false;
    }
    *normal = v3_scale(n, 1.0 / length);
    *offset = v3_dot(*normal, a);
    return true;
}

// ---- disjoint --------------------------------------------------------------------------------------------------

static bool boxes_meet(const ConvexPiece* a, const ConvexPiece* b, double near) {
    return a->low.x <= b->high.x + near && b->low.x <= a->high.x + near && a->low.y <= b->high.y + near &&
           b->low.y <= a->high.y + near && a->low.z <= b->high.z + near && b->low.z <= a->high.z + near;
}

// Does some plane of `by` have all of `piece` above it?
static bool is_parted(const ConvexPiece* piece, const ConvexPiece* by, double near) {
    for (int32_t f = 0; f < by->face_count; ++f) {
        Vec3 normal;
        double offset, least = INFINITY;
        if (!bi_piece_plane(by, f, &normal, &offset)) {
            continue;
        }
        for (int32_t i = 0; i < piece->count; ++i) {
            least = fmin(least, v3_dot(normal, piece->points[i]) - offset);
        }
        if (least >= -near) {
            return true;
        }
    }
    return false;
}

// What of `piece` is not in `by`, into `out`: its part above each plane, then the next plane for what is below.
static BerthStatus take_away(ConvexPieces* out, ConvexPiece piece, const ConvexPiece* by) {
    for (int32_t f = 0; f < by->face_count && piece.count > 0; ++f) {
        Vec3 normal;
        double offset, high = -INFINITY;
        if (!bi_piece_plane(by, f, &normal, &offset)) {
            continue;
        }
        for (int32_t i = 0; i < piece.count; ++i) {
            high = fmax(high, v3_dot(normal, piece.points[i]) - offset);
        }
        if (high <= out->near) {
            continue;
        }

        ConvexPiece below, above;
        BerthStatus status = bi_piece_cut(out, &piece, normal, offset, &below, &above);
        if (status == BERTH_OK && above.count > 0) {
            status = bi_pieces_append(out, &above);
        }
        if (status != BERTH_OK) {
            return status;
        }
        piece = below;
    }
    return BERTH_OK;
}

BerthStatus bi_pieces_make_disjoint(ConvexPieces* pieces, int32_t most, bool* done) {
    *done = true;
    BerthStatus status = BERTH_OK;

    for (int32_t i = 0; i < pieces->count && status == BERTH_OK; ++i) {
        for (int32_t k = i + 1; k < pieces->count && status == BERTH_OK; ++k) {
            const ConvexPiece own = pieces->items[i], other = pieces->items[k];
            if (!boxes_meet(&own, &other, 0.0) || is_parted(&other, &own, pieces->near) ||
                is_parted(&own, &other, pieces->near)) {
                continue;
            }

            // The last takes its place; what is left of it is appended and tested again.
            pieces->items[k] = pieces->items[--pieces->count];
            status = take_away(pieces, other, &own);
            --k;
            if (pieces->count > most) {
                *done = false;
                return status;
            }
        }
    }
    return status;
}

// ---- unions ----------------------------------------------------------------------------------------------------

// Two convex bodies side by side make a convex one only with a whole face in common: three corners at least.
static bool share_face(const ConvexPiece* a, const ConvexPiece* b, double near) {
    int32_t common = 0;
    for (int32_t i = 0; i < a->count && common < 3; ++i) {
        for (int32_t k = 0; k < b->count; ++k) {
            if (v3_distance(a->points[i], b->points[k]) <= near) {
                ++common;
                break;
            }
        }
    }
    return common >= 3;
}

// The hull of pieces [first, first + count) of a list of indexes, if they are convex together.
static BerthStatus try_union(ConvexPieces* pieces, const int32_t* which, int32_t count, ConvexPiece* out) {
    size_t total = 0;
    double volume = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        total += (size_t)pieces->items[which[i]].count;
        volume += pieces->items[which[i]].volume;
    }
    Vec3* points = bi_take(&pieces->arena.allocator, total, sizeof *points);
    if (points == NULL) {
        return no_memory();
    }

    int32_t at = 0, tag = pieces->items[which[0]].tag;
    for (int32_t i = 0; i < count; ++i) {
        const ConvexPiece* piece = &pieces->items[which[i]];
        tag = piece->tag == tag ? tag : -1;
        for (int32_t k = 0; k < piece->count; ++k) {
            points[at++] = piece->points[k];
        }
    }
    const BerthStatus status = bi_piece_make(pieces, points, at, tag, out);
    bi_give(&pieces->arena.allocator, points, total, sizeof *points);

    if (status == BERTH_OK && !(out->volume <= volume * (1.0 + UNION_NEAR))) {
        out->count = 0;
    }
    return status;
}

BerthStatus bi_pieces_merge(ConvexPieces* pieces) {
    if (pieces->count < 2) {
        return BERTH_OK;
    }

    // All of them at once, so that a convex body is one piece whatever cuts it had.
    int32_t* all = bi_take(&pieces->arena.allocator, (size_t)pieces->count, sizeof *all);
    if (all == NULL) {
        return no_memory();
    }
    const int32_t begin = pieces->count;
    for (int32_t i = 0; i < begin; ++i) {
        all[i] = i;
    }
    ConvexPiece whole;
    BerthStatus status = try_union(pieces, all, begin, &whole);
    bi_give(&pieces->arena.allocator, all, (size_t)begin, sizeof *all);
    if (status == BERTH_OK && whole.count > 0) {
        pieces->items[0] = whole;
        pieces->count = 1;
    }

    // Then pairs, until no pair is left.
    bool changed = true;
    while (changed && status == BERTH_OK) {
        changed = false;
        for (int32_t i = 0; i < pieces->count && status == BERTH_OK; ++i) {
            for (int32_t k = i + 1; k < pieces->count && status == BERTH_OK; ++k) {
                const ConvexPiece *a = &pieces->items[i], *b = &pieces->items[k];
                if (!boxes_meet(a, b, pieces->near) || !share_face(a, b, 4.0 * pieces->near)) {
                    continue;
                }
                ConvexPiece both;
                status = try_union(pieces, (int32_t[]){i, k}, 2, &both);
                if (status == BERTH_OK && both.count > 0) {
                    pieces->items[i] = both;
                    pieces->items[k--] = pieces->items[--pieces->count];
                    changed = true;
                }
            }
        }
    }
    return status;
}
