// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Two pieces, and two bodies of many pieces: which pieces are near, their contacts, which of their points are hidden
// between pieces of the same body, and the memory of the last cycle.
// Entries: bi_contact_pieces, bi_contact_bodies.

#include <stddef.h>

#include "contact/contact.h"

// Is one of the points found in both bodies? Then they do meet.
static bool is_witnessed(const Work* work) {
    const double allowed = 4.0 * work->slack;
    for (int32_t i = 0; i < work->found_count; ++i) {
        const Vec3 p = work->world->found[i].point;
        int32_t face = 0;
        if (polytope_height(&work->a->polytope, p, &face) <= allowed &&
            polytope_height(&work->b->polytope, pose_apply_back(&work->a_from_b, p), &face) <= allowed) {
            return true;
        }
    }
    return false;
}

// Do the points tell about as much as the axis? A kept axis can have its deepest corner beside the face it belongs to.
static bool tells_depth(const Work* work, const Axis* axis) {
    double deepest = 0.0;
    for (int32_t i = 0; i < work->found_count; ++i) {
        deepest = fmax(deepest, work->world->found[i].depth);
    }
    return deepest >= (1.0 - BI_CONTACT_KEEP_SHARE) * axis->depth - work->keep;
}

// No features to name: the point that GJK has.
static void add_gjk_point(Work* work, const Axis* axis) {
    Axis unused;
    BerthGap gap;
    (void)bi_contact_search_gjk(work, &unused, &gap);
    const BerthFeature none = {BERTH_FEATURE_ROUND, 0};
    bi_contact_add_point(work, none, none, v3_lerp(gap.point_a, gap.point_b, 0.5), axis->n,
                         axis->depth > 0.0 ? axis->depth : 0.0);
}

static Meeting find_polytope_contacts(Work* work) {
    PairMemory* memory = work->memory;
    Axis axis = {.kind = AXIS_NONE};
    Meeting meeting = bi_contact_find_axis_again(work, &axis);

    // Features of the last cycle answer most pairs.
    if (meeting == MEETING_TOUCH) {
        bi_contact_add_manifold(work, &axis);
        if (!is_witnessed(work) || !tells_depth(work, &axis)) {
            work->found_count = 0;
            meeting = MEETING_UNKNOWN;
        }
    }

    if (meeting == MEETING_UNKNOWN) {
        memory->axis.kind = AXIS_NONE;
        meeting = bi_contact_find_axis(work, &axis);
        if (meeting != MEETING_APART) {
            bi_contact_add_manifold(work, &axis);
        }

        if (meeting == MEETING_UNKNOWN && is_witnessed(work)) {
            meeting = MEETING_TOUCH;
        }
        work->found_count = meeting == MEETING_TOUCH ? work->found_count : 0;
        if (meeting == MEETING_TOUCH && work->found_count == 0) {
            add_gjk_point(work, &axis);
        }
    }

    memory->axis = axis;

    if (meeting == MEETING_TOUCH && work->world->def.method == BERTH_CONTACT_ELEMENTAL) {
        // The manifold stays where there is no vertex inside and no pair of edges: deep, or faces that cross.
        const int32_t manifold = work->found_count;
        bi_contact_add_elemental(work, fmax(axis.depth, 0.0) + 2.0 * work->slack);
        if (work->found_count > manifold) {
            for (int32_t i = manifold; i < work->found_count; ++i) {
                work->world->found[i - manifold] = work->world->found[i];
            }
            work->found_count -= manifold;
        }
    }
    return meeting;
}

Meeting bi_contact_pieces(Work* work) {
    if (work->a->kind == PIECE_SOLID || work->b->kind == PIECE_SOLID) {
        return MEETING_TOUCH;  // perhaps: the solids are tested next
    }

    if (work->a->kind == PIECE_POLYTOPE && work->b->kind == PIECE_POLYTOPE) {
        return find_polytope_contacts(work);
    }
    return bi_contact_add_round(work);
}

// ---- unions of pieces ----------------------------------------------------------------------------------------

static bool piece_holds(const Piece* piece, Vec3 point, double inside) {
    if (!(v3_distance(point, piece->centre) < piece->ball)) {
        return false;
    }

    if (piece->kind == PIECE_POLYTOPE) {
        const Polytope* p = &piece->polytope;
        bool holds = true;
        for (int32_t i = 0; i < p->face_count && holds; ++i) {
            // A point just behind an inner face is as deep in the body as it is under the others.
            const double height = v3_dot(p->faces[i].normal, point) - p->faces[i].offset;
            holds = height < (p->faces[i].inner ? 0.0 : -inside);
        }
        return holds;
    }
    return piece->kind == PIECE_ROUND && piece->core_count == 1 &&
           v3_distance(point, piece->core[0]) < piece->radius - inside;
}

// Is the surface of `piece` at this point covered by another piece of the body? Then nothing can touch it there. Only
// deeper than anything here is: in a hollow between two pieces a corner is a little in both, and both push it.
static bool is_covered(const BerthContactWorld* world, const Body* body, const Piece* piece, Vec3 surface,
                       Vec3 outward, double deepest) {
    for (int32_t i = 0; i < body->piece_count; ++i) {
        const Piece* other = &world->pieces[body->first_piece + i];
        const double step = BI_CONTACT_KEEP * other->ball;
        if (other != piece && !other->hulled &&
            piece_holds(other, v3_mad(surface, step, outward), 2.0 * deepest + 0.1 * step)) {
            return true;
        }
    }
    return false;
}

// A ball that rests on a seam touches the edges there sideways. A point of one piece that is in another, too, is the nearest
// of both only if the other reaches no further along the normal.
static bool is_on_seam(const BerthContactWorld* world, const Body* body, const Piece* piece, Vec3 surface,
                       Vec3 outward) {
    for (int32_t i = 0; i < body->piece_count; ++i) {
        const Piece* other = &world->pieces[body->first_piece + i];
        const Polytope* p = &other->polytope;
        const double near = BI_CONTACT_KEEP * other->ball;
        int32_t face = 0;
        if (other == piece || other->kind != PIECE_POLYTOPE || other->hulled ||
            !(v3_distance(surface, other->centre) <= other->ball + near) ||
            !(polytope_height(p, surface, &face) <= near)) {
            continue;
        }

        const int32_t far = polytope_support(p, outward, 0);
        if (v3_dot(outward, v3_sub(p->vertices[far], surface)) > 4.0 * near) {
            return true;
        }
    }
    return false;
}

// Is a point on the surface of one of the two hidden by another piece of its body?
static bool is_hidden(const Work* work, bool of_a, Vec3 surface, Vec3 outward, double deepest) {
    const Piece* piece = of_a ? work->a : work->b;
    const Piece* other = of_a ? work->b : work->a;
    const Body* body = of_a ? work->body_a : work->body_b;
    if (piece->alone) {
        return false;
    }
    const bool seam = piece->kind == PIECE_POLYTOPE && other->kind == PIECE_ROUND;
    return is_covered(work->world, body, piece, surface, outward, deepest) ||
           (seam && is_on_seam(work->world, body, piece, surface, outward));
}

// Drops points on surfaces between the pieces of one body.
static void drop_covered(Work* work) {
    if (work->a->alone && work->b->alone) {
        return;
    }

    BerthContactWorld* world = work->world;
    int32_t kept = 0;
    double deepest = 0.0;
    for (int32_t i = 0; i < work->found_count; ++i) {
        deepest = fmax(deepest, world->found[i].depth);
    }

    for (int32_t i = 0; i < work->found_count; ++i) {
        const BerthContact c = world->found[i];
        const Vec3 on_a = v3_mad(c.point, 0.5 * c.depth, c.normal);
        const Vec3 on_b = pose_apply_back(&work->a_from_b, v3_mad(c.point, -0.5 * c.depth, c.normal));
        const Vec3 out_of_b = v3_neg(pose_turn_back(&work->a_from_b, c.normal));
        if (!is_hidden(work, true, on_a, c.normal, deepest) &&
            !is_hidden(work, false, on_b, out_of_b, deepest)) {
            world->found[kept++] = c;
        }
    }

    work->found_count = kept;
}

// ---- pieces that are larger than what they stand for -------------------------------------------------------------

static Meeting ask_solids(const Work* work, const Body* a, const BodySolid* one, const Body* b,
                          const BodySolid* other) {
    const Pose world_from_a = pose_mul(&a->world_from_body, &one->body_from_solid);
    const Pose world_from_b = pose_mul(&b->world_from_body, &other->body_from_solid);
    const BerthTreeAnswer answer = berth_tree_collide(work->world->query, one->solid, &world_from_a,
                                                      other->solid, &world_from_b, one->grown + other->grown);

    if (answer.verdict == BERTH_FREE) {
        return MEETING_APART;
    }
    return answer.verdict == BERTH_COLLISION ? MEETING_TOUCH : MEETING_UNKNOWN;
}

// The hull of a mesh or the prism of a cylinder touches: do the bodies themselves?
static Meeting confirm_by_solids(const Work* work, const Body* a, const Body* b) {
    const Piece *one = work->a, *other = work->b;
    BerthTreeQuery* query = work->world->query;
    if (!(one->inexact || other->inexact) || query == NULL || one->solid == NULL || other->solid == NULL) {
        return MEETING_TOUCH;
    }

    // A piece of several solids tests all of its body's.
    const BodySolid own = {one->solid, one->body_from_solid, one->grown};
    const BodySolid its = {other->solid, other->body_from_solid, other->grown};
    const BodySolid* solids_a = one->merged ? work->world->solids + a->first_solid : &own;
    const BodySolid* solids_b = other->merged ? work->world->solids + b->first_solid : &its;
    const int32_t count_a = one->merged ? a->solid_count : 1, count_b = other->merged ? b->solid_count : 1;

    Meeting all = MEETING_APART;
    for (int32_t i = 0; i < count_a; ++i) {
        for (int32_t k = 0; k < count_b && all != MEETING_TOUCH; ++k) {
            all = meeting_with(all, ask_solids(work, a, &solids_a[i], b, &solids_b[k]));
        }
    }
    return all;
}

// ---- two bodies ------------------------------------------------------------------------------------------------

// The contact of the last cycle with the same features, or null.
static const BerthContact* find_earlier(const BerthContactWorld* world, const PairMemory* memory,
                                        const BerthContact* contact) {
    if (memory->cycle + 1 != world->cycle) {
        return NULL;
    }

    for (int32_t i = memory->last_first; i < memory->last_first + memory->last_count; ++i) {
        const BerthContact* old = &world->before[i];
        if (old->feature_a.kind == contact->feature_a.kind &&
            old->feature_a.index == contact->feature_a.index &&
            old->feature_b.kind == contact->feature_b.kind &&
            old->feature_b.index == contact->feature_b.index) {
            return old;
        }
    }
    return NULL;
}

// Pieces side by side find the same point on their seam: the deeper one counts. False when there is no such point yet.
static bool merge_double(BerthContactWorld* world, int32_t first, const BerthContact* contact,
                         double within) {
    for (int32_t i = first; i < world->contact_count; ++i) {
        BerthContact* other = &world->contacts[i];
        if (v3_distance(other->point, contact->point) <= within &&
            v3_dot(other->normal, contact->normal) > 1.0 - BI_CONTACT_KEEP) {
            other->depth = fmax(other->depth, contact->depth);
            return true;
        }
    }
    return false;
}

// Moves what was found into the world's list.
static void store_contacts(Work* work, const BodyPair* pair, int32_t first, int32_t piece_a, int32_t piece_b,
                           int64_t* lost) {
    BerthContactWorld* world = work->world;
    PairMemory* memory = work->memory;
    const Body* a = &world->bodies[pair->a];
    const Body* b = &world->bodies[pair->b];
    const bool many = a->piece_count > 1 || b->piece_count > 1;
    const int32_t begin = world->contact_count;
    *lost += work->lost;

    for (int32_t i = 0; i < work->found_count; ++i) {
        BerthContact c = world->found[i];
        const BerthContact* old = find_earlier(world, memory, &c);
        c.age = old != NULL ? old->age + (old->age < INT32_MAX) : 0;

        c.body_a = pair->a;
        c.body_b = pair->b;
        c.piece_a = piece_a;
        c.piece_b = piece_b;
        c.point = pose_apply(&a->world_from_body, c.point);
        c.normal = pose_turn(&a->world_from_body, c.normal);

        if (many && merge_double(world, first, &c, work->keep)) {
            continue;
        }
        if (world->contact_count >= world->def.capacity) {
            ++*lost;
            continue;
        }
        world->contacts[world->contact_count++] = c;
    }

    if (!world->probing) {
        memory->last_first = begin;
        memory->last_count = world->contact_count - begin;
        memory->cycle = world->cycle;
    }
}

static bool balls_apart(Vec3 centre_a, double ball_a, Vec3 centre_b, double ball_b, double slack) {
    return v3_distance(centre_a, centre_b) > ball_a + ball_b + slack;
}

static bool is_blind(const Piece* piece) {
    return piece->hulled || piece->kind == PIECE_SOLID;
}

// Two pieces: contacts where features tell them, else whether the bodies themselves are apart, touch, or neither is known.
static void meet_pieces(Work* work, const BodyPair* pair, BodyMeeting* out) {
    const Body* a = &work->world->bodies[pair->a];
    const Body* b = &work->world->bodies[pair->b];
    const bool blind = is_blind(work->a) || is_blind(work->b);
    Meeting meeting = bi_contact_pieces(work);
    if (meeting == MEETING_TOUCH || (meeting == MEETING_UNKNOWN && blind)) {
        meeting = confirm_by_solids(work, a, b);
    }

    // It touches, but it is not known with what: a hull's normal is not the body's.
    if (blind && meeting != MEETING_APART) {
        const bool solid = work->a->kind == PIECE_SOLID || work->b->kind == PIECE_SOLID;
        out->is_blind = true;
        out->doubt = solid ? BERTH_DOUBT_NO_FEATURES : BERTH_DOUBT_NOT_CONVEX;
        out->touching = out->touching || meeting == MEETING_TOUCH;
        meeting = MEETING_UNKNOWN;
    }

    out->meeting = meeting_with(out->meeting, meeting);
    if (meeting == MEETING_TOUCH) {
        drop_covered(work);
        bi_contact_reduce_points(work);
    }
}

// Forces of a part of the touching pieces are not those of the bodies.
static void forget_contacts(BerthContactWorld* world, const BodyPair* pair, int32_t first) {
    const int32_t count = world->bodies[pair->a].piece_count * world->bodies[pair->b].piece_count;
    world->contact_count = first;
    world->overlap_count = 0;
    for (int32_t i = 0; i < count && !world->probing; ++i) {
        world->memories[pair->first_memory + i].last_count = 0;
    }
}

// What the two have in common, for the law of the overlap. True when that is a volume beyond rounding.
static bool note_overlap(Work* work, const Body* a, const Body* b, int32_t piece_a, int32_t piece_b) {
    BerthContactWorld* world = work->world;
    Overlap* out = &world->overlaps[world->overlap_count];
    if (world->def.method != BERTH_CONTACT_OVERLAP || world->probing ||
        !bi_contact_overlap(work, a, b, &out->sum)) {
        return false;
    }

    out->piece_a = piece_a;
    out->piece_b = piece_b;
    ++world->overlap_count;
    return out->sum.volume > 4.0 * work->slack * (out->sum.area + v3_length(out->sum.push));
}

BodyMeeting bi_contact_bodies(BerthContactWorld* world, const BodyPair* pair) {
    const Body* a = &world->bodies[pair->a];
    const Body* b = &world->bodies[pair->b];
    const double size =
        v3_length(a->world_from_body.t) + v3_length(b->world_from_body.t) + a->extent + b->extent;
    const double slack = BI_DISTANCE_SLACK * size;
    const Pose a_from_b = pose_between(&a->world_from_body, &b->world_from_body);

    BodyMeeting all = {.meeting = MEETING_APART};
    world->overlap_count = 0;
    if (balls_apart(a->centre, a->ball, pose_apply(&a_from_b, b->centre), b->ball, slack)) {
        return all;
    }

    const int32_t first = world->contact_count;
    for (int32_t i = 0; i < a->piece_count; ++i) {
        const Piece* piece_a = &world->pieces[a->first_piece + i];
        const Vec3 centre = pose_apply_back(&a_from_b, piece_a->centre);
        if (balls_apart(centre, piece_a->ball, b->centre, b->ball, slack)) {
            continue;
        }

        for (int32_t k = 0; k < b->piece_count; ++k) {
            const Piece* piece_b = &world->pieces[b->first_piece + k];
            if (balls_apart(centre, piece_a->ball, piece_b->centre, piece_b->ball, slack)) {
                continue;
            }

            ++world->counters.piece_pairs;
            Work work = {.world = world,
                         .body_a = a,
                         .body_b = b,
                         .a = piece_a,
                         .b = piece_b,
                         .memory = &world->memories[pair->first_memory + i * b->piece_count + k],
                         .a_from_b = a_from_b,
                         .slack = slack + piece_a->outside + piece_b->outside};
            const double round = fmin(piece_a->ball, piece_b->ball);
            work.keep = BI_CONTACT_KEEP * (round < INFINITY ? round : 1.0) + work.slack;

            if (!world->def.memory) {
                *work.memory = (PairMemory){.axis = {.kind = AXIS_NONE}};
            }

            BodyMeeting here = {.meeting = MEETING_APART};
            meet_pieces(&work, pair, &here);
            if (here.meeting == MEETING_TOUCH && !all.is_blind) {
                store_contacts(&work, pair, first, i, k, &all.lost);
            }
            if (here.meeting != MEETING_APART && !here.is_blind && note_overlap(&work, a, b, i, k)) {
                here.meeting = MEETING_TOUCH;  // what features could not decide, a volume in both does
            }

            all.meeting = meeting_with(all.meeting, here.meeting);
            all.doubt = here.is_blind ? here.doubt : all.doubt;
            all.is_blind = all.is_blind || here.is_blind;
            all.touching = all.touching || here.touching;
        }
    }

    if (all.is_blind) {
        forget_contacts(world, pair, first);
    }
    return all;
}
