// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Bodies as unions: pieces are made disjoint and merged where they are convex together, so that volumes add up and a
// seam through a convex part disappears; and which faces of the remaining pieces lie against each other.
// Entries: bi_contact_tidy_union, bi_contact_part_round, bi_contact_find_covers.

#include "base/base.h"
#include "contact/contact.h"
#include "contact/create.h"
#include "math/math.h"
#include "mesh/pieces.h"
#include "shape/gap.h"

// Two planes of a body are one when they are nearer than this share of its size.
#define COVER_NEAR 1e-8
// A face that covers less than this share of another does not count.
#define COVER_LEAST 1e-9

enum { TIDY_MOST = 4096 };  // pieces; bodies of more stay as they are

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "contact: out of memory");
}

// Hulls of hollow bodies, and what is no polyhedron, stay as they are.
static bool can_join(const Piece* piece) {
    return piece->kind == PIECE_POLYTOPE && !piece->hulled;
}

static bool boxes_touch(const Piece* a, const Piece* b) {
    return v3_distance(a->centre, b->centre) <= a->ball + b->ball;
}

static bool needs_tidying(const BerthContactWorld* world, const Body* body) {
    for (int32_t i = 0; i < body->piece_count; ++i) {
        for (int32_t k = i + 1; k < body->piece_count; ++k) {
            const Piece *a = &world->pieces[body->first_piece + i],
                        *b = &world->pieces[body->first_piece + k];
            if (can_join(a) && can_join(b) && boxes_touch(a, b)) {
                return true;
            }
        }
    }
    return false;
}

static BerthStatus gather_pieces(const BerthContactWorld* world, const Body* body, ConvexPieces* out) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < body->piece_count && status == BERTH_OK; ++i) {
        const Piece* piece = &world->pieces[body->first_piece + i];
        if (can_join(piece)) {
            status = bi_pieces_add(out, piece->polytope.vertices, piece->polytope.vertex_count, i);
        }
    }
    return status;
}

// The body's pieces as they are in the list, behind those that could not join.
static BerthStatus replace_pieces(BerthContactWorld* world, Body* body, const ConvexPieces* joined) {
    const int32_t before = body->piece_count;
    const BerthAllocator* memory = &world->arena.allocator;
    Piece* old = bi_take(memory, (size_t)before, sizeof *old);
    if (old == NULL) {
        return no_memory();
    }
    bool inexact = false;
    for (int32_t i = 0; i < before; ++i) {
        old[i] = world->pieces[body->first_piece + i];
        inexact = inexact || (can_join(&old[i]) && old[i].inexact);
    }

    // Those that stay move to the front.
    world->piece_count = body->first_piece;
    body->piece_count = 0;
    for (int32_t i = 0; i < before; ++i) {
        if (can_join(&old[i])) {
            bi_polytope_free(&old[i].polytope);
        } else {
            world->pieces[world->piece_count++] = old[i];
            ++body->piece_count;
        }
    }

    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < joined->count && status == BERTH_OK; ++i) {
        const ConvexPiece* from = &joined->items[i];
        Piece* piece = bi_contact_new_piece(world, body);
        if (piece == NULL) {
            status = no_memory();
            break;
        }
        status = bi_contact_piece_from_points(world, from->points, from->count, 0.0, body->levels, piece);
        piece->merged = from->tag < 0;
        const Piece* source = &old[from->tag >= 0 ? from->tag : 0];
        piece->solid = source->solid;
        piece->body_from_solid = source->body_from_solid;
        piece->merged = piece->merged && body->solid_count > 0;
        piece->inexact = from->tag >= 0 ? source->inexact : inexact;
    }
    bi_give(memory, old, (size_t)before, sizeof *old);
    return status;
}

BerthStatus bi_contact_tidy_union(BerthContactWorld* world, Body* body) {
    if (body->piece_count < 2 || body->piece_count > TIDY_MOST || !needs_tidying(world, body)) {
        return BERTH_OK;
    }

    double size = 0.0;
    for (int32_t i = 0; i < body->piece_count; ++i) {
        const Piece* piece = &world->pieces[body->first_piece + i];
        if (can_join(piece)) {
            size = fmax(size, 2.0 * piece->polytope.extent);
        }
    }

    ConvexPieces pieces;
    bi_pieces_init(&pieces, &world->arena.allocator, size);
    bool done = false;
    BerthStatus status = gather_pieces(world, body, &pieces);
    const int32_t before = pieces.count;
    if (status == BERTH_OK) {
        status = bi_pieces_make_disjoint(&pieces, TIDY_MOST, &done);
    }
    const bool cut = pieces.count != before;
    if (status == BERTH_OK && done) {
        status = bi_pieces_merge(&pieces);
    }

    // Pieces that are still more than one are cut anew from their common surface, so that no seam of how they were given
    // is left; beyond the budget they stay as they are.
    ConvexPieces anew;
    bi_pieces_init(&anew, &world->arena.allocator, size);
    bool again = false;
    if (status == BERTH_OK && done && pieces.count > 1) {
        status = bi_pieces_recut(&anew, &pieces, world->def.pieces, &again);
        for (int32_t i = 0; i < anew.count; ++i) {
            anew.items[i].tag = -1;
        }
    }

    // Nothing to do is the usual case: then names of pieces stay as they were given.
    if (status == BERTH_OK && again) {
        status = replace_pieces(world, body, &anew);
    } else if (status == BERTH_OK && done && (cut || pieces.count != before)) {
        status = replace_pieces(world, body, &pieces);
    }
    bi_pieces_free(&anew);
    bi_pieces_free(&pieces);
    return status;
}

// ---- round parts ------------------------------------------------------------------------------------------------

static bool is_ball(const Piece* piece) {
    return piece->kind == PIECE_ROUND && piece->core_count == 1;
}

static BerthStatus add_cut(BerthContactWorld* world, Piece* piece, Vec3 normal, double offset) {
    PlaneAt* cuts = bi_arena_grow(&world->arena, world->cuts, (size_t)world->cut_count,
                                  (size_t)world->cut_count + 1, &world->cut_capacity, sizeof *cuts);
    if (cuts == NULL) {
        return no_memory();
    }
    world->cuts = cuts;
    cuts[world->cut_count++] = (PlaneAt){normal, offset};
    ++piece->cut_count;
    world->cut_most = piece->cut_count > world->cut_most ? piece->cut_count : world->cut_most;
    return BERTH_OK;
}

// A point of several balls belongs to that of least power, distance^2 - radius^2: the border of two is a plane.
static BerthStatus cut_ball(BerthContactWorld* world, const Body* body, int32_t own) {
    Piece* ball = &world->pieces[body->first_piece + own];
    ball->first_cut = world->cut_count;
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < body->piece_count && status == BERTH_OK; ++i) {
        const Piece* other = &world->pieces[body->first_piece + i];
        const Vec3 way = v3_sub(other->core[0], ball->core[0]);
        const double d = v3_length(way), r = ball->radius, s = other->radius;
        if (i == own || !is_ball(other) || d >= r + s) {
            continue;
        }

        world->double_ball += i < own;
        if (d > BI_CONTACT_TIE * (r + s)) {
            const Vec3 n = v3_scale(way, 1.0 / d);
            const double at = v3_dot(n, ball->core[0]) + (d * d + r * r - s * s) / (2.0 * d);
            status = add_cut(world, ball, n, at);
        } else if (s > r || (s == r && i < own)) {
            status = add_cut(world, ball, v3(0.0, 0.0, 1.0), -INFINITY);  // all of it is the other's
        }
    }
    return status;
}

static bool is_solid(const Piece* piece) {
    return piece->kind == PIECE_ROUND || (piece->kind == PIECE_POLYTOPE && !piece->hulled);
}

static bool overlap_each_other(const Piece* a, const Piece* b) {
    if (!is_solid(a) || !is_solid(b) || !boxes_touch(a, b)) {
        return false;
    }
    const Pose a_from_b = pose_between(&a->body_from_shape, &b->body_from_shape);
    const BerthGap gap = bi_shape_gap(&a->shape, &b->shape, &a_from_b, INFINITY);
    return gap.upper < -10.0 * BI_CONTACT_KEEP * fmin(a->ball, b->ball);
}

static BerthStatus add_cover(BerthContactWorld* world, int32_t* count, int32_t piece, int32_t index) {
    FaceCover* covers = bi_arena_grow(&world->arena, world->covers, (size_t)world->cover_count,
                                      (size_t)world->cover_count + 1, &world->cover_capacity, sizeof *covers);
    if (covers == NULL) {
        return no_memory();
    }
    world->covers = covers;
    covers[world->cover_count++] = (FaceCover){piece, index};
    ++*count;
    return BERTH_OK;
}

// Where a round piece overlaps polyhedra of its body, what they have in common is theirs.
static BerthStatus list_parts(BerthContactWorld* world, const Body* body, int32_t own) {
    Piece* piece = &world->pieces[body->first_piece + own];
    piece->first_part = world->cover_count;
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < body->piece_count && status == BERTH_OK; ++i) {
        const Piece* other = &world->pieces[body->first_piece + i];
        const bool balls = is_ball(piece) && is_ball(other);
        if (i == own || (i < own && other->kind == PIECE_ROUND) || balls ||
            !overlap_each_other(piece, other)) {
            continue;
        }

        if (other->kind == PIECE_ROUND) {
            ++world->double_count;
        } else {
            *(is_ball(piece) ? &world->double_ball : &world->double_round) += 1;
            status = add_cover(world, &piece->part_count, i, -1);
        }
    }
    return status;
}

BerthStatus bi_contact_part_round(BerthContactWorld* world, const Body* body) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < body->piece_count && status == BERTH_OK; ++i) {
        const Piece* piece = &world->pieces[body->first_piece + i];
        if (is_ball(piece)) {
            status = cut_ball(world, body, i);
        }
        if (status == BERTH_OK && piece->kind == PIECE_ROUND) {
            status = list_parts(world, body, i);
        }
        for (int32_t k = i + 1; k < body->piece_count && piece->kind == PIECE_POLYTOPE; ++k) {
            const Piece* other = &world->pieces[body->first_piece + k];
            world->double_count += other->kind == PIECE_POLYTOPE && overlap_each_other(piece, other);
        }
    }
    return status;
}

// ---- faces against each other ------------------------------------------------------------------------------------

// Do the outlines of two faces in one plane have area in common?
static bool outlines_meet(const Polytope* p, const PolyFace* face, const Polytope* q, const PolyFace* other,
                          double near) {
    // Two convex outlines in one plane are apart when a side of one has all of the other outside.
    for (int which = 0; which < 2; ++which) {
        const Polytope* own = which == 0 ? p : q;
        const Polytope* its = which == 0 ? q : p;
        const PolyFace* sides = which == 0 ? face : other;
        const PolyFace* corners = which == 0 ? other : face;

        for (int32_t k = 0; k < sides->count; ++k) {
            const PolyCorner* side = &own->corners[sides->first + k];
            double least = INFINITY;

            for (int32_t i = 0; i < corners->count; ++i) {
                const Vec3 at = its->vertices[its->corners[corners->first + i].vertex];
                least = fmin(least, v3_dot(side->side, at) - side->offset);
            }
            if (least >= -near) {
                return false;
            }
        }
    }
    return true;
}

static BerthStatus find_covers_of_face(BerthContactWorld* world, const Body* body, int32_t own,
                                       PolyFace* face) {
    const Piece* piece = &world->pieces[body->first_piece + own];
    const Polytope* p = &piece->polytope;
    const double near = COVER_NEAR * body->ball;
    face->first_cover = world->cover_count;
    face->cover_count = 0;

    for (int32_t i = 0; i < body->piece_count; ++i) {
        const Piece* other = &world->pieces[body->first_piece + i];
        if (i == own || other->kind != PIECE_POLYTOPE || other->hulled || !boxes_touch(piece, other)) {
            continue;
        }
        for (int32_t f = 0; f < other->polytope.face_count; ++f) {
            const PolyFace* by = &other->polytope.faces[f];
            const double off = fabs(v3_dot(face->normal, by->centre) - face->offset);
            if (v3_dot(by->normal, face->normal) > -1.0 + COVER_LEAST || off > near ||
                !outlines_meet(p, face, &other->polytope, by, near)) {
                continue;
            }
            const BerthStatus status = add_cover(world, &face->cover_count, i, f);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }
    return BERTH_OK;
}

BerthStatus bi_contact_find_covers(BerthContactWorld* world, const Body* body) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < body->piece_count && body->piece_count > 1; ++i) {
        Piece* piece = &world->pieces[body->first_piece + i];
        for (int32_t f = 0;
             piece->kind == PIECE_POLYTOPE && f < piece->polytope.face_count && status == BERTH_OK; ++f) {
            PolyFace* face = &piece->polytope.faces[f];
            if (!face->inner) {
                status = find_covers_of_face(world, body, i, face);
            }
        }
    }
    return status;
}
