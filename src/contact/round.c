// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Contacts of spheres, capsules and half-spaces. A sphere against a polyhedron touches a vertex, an edge or a face:
// the nearest of those in the octree's leaves that its ball meets, or, with its centre inside, the face of least depth
// (paper 003, section 4.1). A capsule touches at the point where GJK has it nearest, and at its two ends.
// Entry: bi_contact_add_round.

#include "contact/contact.h"
#include "shape/gap.h"

static const BerthFeature ROUND = {BERTH_FEATURE_ROUND, 0};

// ---- a sphere and a polyhedron, in the polyhedron's frame ----------------------------------------------------

typedef struct Nearest {
    Work* work;
    const Polytope* polytope;
    uint32_t* seen;
    Vec3 centre;
    double distance_sq;
    Vec3 point;
    BerthFeature feature;
} Nearest;

static void offer_point(Nearest* nearest, Vec3 point, BerthFeatureKind kind, int32_t index) {
    const double distance_sq = v3_length_sq(v3_sub(nearest->centre, point));
    if (distance_sq < nearest->distance_sq) {
        nearest->distance_sq = distance_sq;
        nearest->point = point;
        nearest->feature = (BerthFeature){kind, index};
    }
}

static void try_edge_point(Nearest* nearest, const PolyCorner* corner) {
    const Polytope* p = nearest->polytope;
    const PolyEdge* edge = &p->edges[corner->edge];
    const Vec3 tail = p->vertices[edge->tail];

    const double along = v3_dot(v3_sub(nearest->centre, tail), edge->direction);
    if (along <= 0.0) {
        offer_point(nearest, tail, BERTH_FEATURE_VERTEX, edge->tail);
    } else if (along >= edge->length) {
        offer_point(nearest, p->vertices[edge->head], BERTH_FEATURE_VERTEX, edge->head);
    } else {
        offer_point(nearest, v3_mad(tail, along, edge->direction), BERTH_FEATURE_EDGE, corner->edge);
    }
}

static void try_face_points(Nearest* nearest, int32_t index) {
    const Polytope* p = nearest->polytope;
    const PolyFace* face = &p->faces[index];
    const double height = v3_dot(face->normal, nearest->centre) - face->offset;
    if (face->inner || height < 0.0 || height * height > nearest->distance_sq) {
        return;
    }

    bool inside = true;
    for (int32_t k = 0; k < face->count; ++k) {
        const PolyCorner* corner = &p->corners[face->first + k];
        if (v3_dot(corner->side, nearest->centre) > corner->offset) {
            inside = false;
            try_edge_point(nearest, corner);
        }
    }

    if (inside) {
        offer_point(nearest, v3_mad(nearest->centre, -height, face->normal), BERTH_FEATURE_FACE, index);
    }
}

static void visit_ball_leaf(void* user, const BallOctreeNode* leaf, const BallOctreeNode* none) {
    (void)none;
    Nearest* nearest = user;
    const int32_t* faces = ball_octree_faces(&nearest->polytope->octree, leaf);
    BerthContactWorld* world = nearest->work->world;

    for (int32_t i = 0; i < leaf->face_count; ++i) {
        if (nearest->seen[faces[i]] != world->search) {
            nearest->seen[faces[i]] = world->search;
            ++world->counters.vertex_faces;
            try_face_points(nearest, faces[i]);
        }
    }
}

// Does another piece of the body lie against the face at this point?
static bool is_against(const Work* work, const Polytope* p, const PolyFace* face, Vec3 point) {
    const Body* body = p == &work->a->polytope ? work->body_a : work->body_b;
    for (int32_t i = 0; i < face->cover_count; ++i) {
        const FaceCover* cover = &work->world->covers[face->first_cover + i];
        const Polytope* q = &work->world->pieces[body->first_piece + cover->piece].polytope;
        const PolyFace* by = &q->faces[cover->face];
        bool inside = true;
        for (int32_t k = 0; k < by->count && inside; ++k) {
            const PolyCorner* corner = &q->corners[by->first + k];
            inside = v3_dot(corner->side, point) < corner->offset;
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

typedef struct Touch {
    BerthFeature feature;
    Vec3 point;   // of the polyhedron's surface
    Vec3 normal;  // unit, out of the polyhedron
    double depth;
} Touch;

// Where a ball touches a polyhedron. APART is proven by the plane of a face, or by the nearest point of a body that the
// centre is outside of.
static Meeting find_ball_touch(Work* work, const Polytope* p, Vec3 centre, double radius, Touch* out) {
    BerthContactWorld* world = work->world;
    int32_t face = 0;
    const double height = polytope_height(p, centre, &face);
    if (height > radius + work->slack) {
        return MEETING_APART;
    }

    if (height <= 0.0) {
        // Inside: out by the nearest face that something can touch.
        double best = -INFINITY;
        for (int32_t i = 0; i < p->face_count; ++i) {
            const PolyFace* one = &p->faces[i];
            const double h = v3_dot(one->normal, centre) - one->offset;
            if (h > best && !one->inner && !is_against(work, p, one, v3_mad(centre, -h, one->normal))) {
                best = h;
                face = i;
            }
        }

        const double h = v3_dot(p->faces[face].normal, centre) - p->faces[face].offset;
        *out = (Touch){{BERTH_FEATURE_FACE, face},
                       v3_mad(centre, -h, p->faces[face].normal),
                       p->faces[face].normal,
                       radius - h};
        return h <= 0.0 ? MEETING_TOUCH : MEETING_UNKNOWN;
    }

    bi_contact_begin_search(world);
    const double reach = radius + 2.0 * work->slack;
    Nearest nearest = {.work = work, .polytope = p, .seen = world->face_seen[0], .centre = centre};
    nearest.distance_sq = reach * reach * (1.0 + 1e-12);
    world->counters.node_tests += bi_octree_walk_ball(&p->octree, centre, reach, visit_ball_leaf, &nearest);

    const double distance = sqrt(nearest.distance_sq);
    if (nearest.feature.kind == BERTH_FEATURE_ROUND || distance > radius + work->slack) {
        return MEETING_APART;
    }

    *out = (Touch){nearest.feature, nearest.point,
                   v3_unit_or(v3_sub(centre, nearest.point), p->faces[face].normal),
                   radius > distance ? radius - distance : 0.0};
    return MEETING_TOUCH;
}

// A touch of ball and polyhedron as a contact; `ball_is_a` says which is A.
static void add_touch(Work* work, const Touch* touch, bool ball_is_a) {
    // Halfway between the polyhedron's surface and the ball's, which is `depth` further in.
    const Vec3 middle = v3_mad(touch->point, -0.5 * touch->depth, touch->normal);
    if (ball_is_a) {
        bi_contact_add_point(work, ROUND, touch->feature, pose_apply(&work->a_from_b, middle),
                             v3_neg(pose_turn(&work->a_from_b, touch->normal)), touch->depth);
    } else {
        bi_contact_add_point(work, touch->feature, ROUND, middle, touch->normal, touch->depth);
    }
}

// ---- half-spaces ---------------------------------------------------------------------------------------------

// Points of a piece that can be deepest in a half-space: vertices, or the ends of a core with a radius around them.
static int32_t point_count(const Piece* piece) {
    return piece->kind == PIECE_POLYTOPE ? piece->polytope.vertex_count : piece->core_count;
}

static Meeting find_halfspace_contacts(Work* work, bool half_is_a) {
    const Piece* half = half_is_a ? work->a : work->b;
    const Piece* piece = half_is_a ? work->b : work->a;
    const BerthFeature plane = {BERTH_FEATURE_FACE, 0};

    // The plane in the piece's frame.
    const Pose* pose = &work->a_from_b;
    const Vec3 n = half_is_a ? pose_turn_back(pose, half->normal) : pose_turn(pose, half->normal);
    const double offset =
        half_is_a ? half->offset - v3_dot(half->normal, pose->t) : half->offset + v3_dot(n, pose->t);
    const bool round = piece->kind == PIECE_ROUND;

    bool all_apart = true;  // proven of every point: NaN is not below anything
    bool touches = false;
    for (int32_t i = 0; i < point_count(piece); ++i) {
        const Vec3 p = round ? piece->core[i] : piece->polytope.vertices[i];
        const double depth = offset - v3_dot(n, p) + piece->radius;
        if (depth < -work->slack) {
            continue;
        }
        all_apart = false;
        touches = touches || depth >= -work->slack;

        const double shown = depth > 0.0 ? depth : 0.0;
        const Vec3 middle = v3_mad(p, 0.5 * shown - piece->radius, n);
        const BerthFeature feature = {round ? BERTH_FEATURE_ROUND : BERTH_FEATURE_VERTEX, i};

        if (half_is_a) {
            bi_contact_add_point(work, plane, feature, pose_apply(pose, middle), half->normal, shown);
        } else {
            bi_contact_add_point(work, feature, plane, middle, v3_neg(n), shown);
        }
    }

    if (all_apart) {
        return MEETING_APART;
    }
    return touches ? MEETING_TOUCH : MEETING_UNKNOWN;  // not a number: unknown
}

// ---- everything else -------------------------------------------------------------------------------------------

static bool found_near(const Work* work, Vec3 point, double within) {
    for (int32_t i = 0; i < work->found_count; ++i) {
        if (v3_distance(work->world->found[i].point, point) <= within) {
            return true;
        }
    }
    return false;
}

// What GJK says, as one contact.
static Meeting find_gjk_contact(Work* work) {
    Axis axis;
    BerthGap gap;
    const Meeting meeting = bi_contact_search_gjk(work, &axis, &gap);
    if (meeting != MEETING_TOUCH) {
        return meeting;
    }

    const Vec3 middle = v3_lerp(gap.point_a, gap.point_b, 0.5);
    const double within = 1e-6 * (work->a->ball < INFINITY ? work->a->ball : work->b->ball);
    if (!found_near(work, middle, within)) {
        bi_contact_add_point(work, ROUND, ROUND, middle, gap.normal, gap.upper < 0.0 ? -gap.upper : 0.0);
    }
    return MEETING_TOUCH;
}

static Meeting find_round_polytope_contacts(Work* work) {
    const bool ball_is_a = work->a->kind == PIECE_ROUND;
    const Piece* round = ball_is_a ? work->a : work->b;
    const Polytope* polytope = ball_is_a ? &work->b->polytope : &work->a->polytope;

    Meeting ends = MEETING_APART;
    for (int32_t i = 0; i < round->core_count; ++i) {
        const Vec3 centre = ball_is_a ? pose_apply_back(&work->a_from_b, round->core[i])
                                      : pose_apply(&work->a_from_b, round->core[i]);
        Touch touch;
        const Meeting meeting = find_ball_touch(work, polytope, centre, round->radius, &touch);

        if (meeting == MEETING_TOUCH) {
            add_touch(work, &touch, ball_is_a);
        }
        ends = meeting_with(ends, meeting);
    }

    if (round->core_count == 1) {
        return ends;
    }

    // Between its ends a capsule can touch an edge or a corner, and go right through.
    const Meeting whole = find_gjk_contact(work);
    return ends == MEETING_TOUCH ? MEETING_TOUCH : whole;
}

// Two capsules side by side touch along a line: its two ends, where each is near the other's core.
static Meeting find_round_round_contacts(Work* work) {
    const double reach = work->a->radius + work->b->radius + work->slack;
    for (int side = 0; side < 2; ++side) {
        const Piece* p = side == 0 ? work->a : work->b;
        const Piece* q = side == 0 ? work->b : work->a;
        if (p->core_count < 2 || q->core_count < 2) {
            continue;
        }

        const Vec3 q0 = side == 0 ? pose_apply(&work->a_from_b, q->core[0]) : q->core[0];
        const Vec3 q1 = side == 0 ? pose_apply(&work->a_from_b, q->core[1]) : q->core[1];
        const Vec3 line = v3_sub(q1, q0);

        for (int end = 0; end < 2; ++end) {
            const Vec3 c = side == 0 ? p->core[end] : pose_apply(&work->a_from_b, p->core[end]);
            const double t = v3_dot(v3_sub(c, q0), line) / v3_length_sq(line);
            const Vec3 nearest = v3_mad(q0, clamp(t, 0.0, 1.0), line);
            const double distance = v3_distance(c, nearest);

            if (!(t >= 0.0 && t <= 1.0) || !(distance <= reach) || !(distance > 0.0)) {
                continue;
            }

            const Vec3 out = v3_scale(v3_sub(nearest, c), 1.0 / distance);  // from p to q
            const double depth = fmax(p->radius + q->radius - distance, 0.0);
            const Vec3 middle = v3_mad(c, p->radius - 0.5 * depth, out);
            if (!found_near(work, middle, 1e-6 * reach)) {
                bi_contact_add_point(work, ROUND, ROUND, middle, side == 0 ? out : v3_neg(out), depth);
            }
        }
    }

    const Meeting whole = find_gjk_contact(work);
    return work->found_count > 0 ? MEETING_TOUCH : whole;
}

Meeting bi_contact_add_round(Work* work) {
    const PieceKind a = work->a->kind, b = work->b->kind;
    if (a == PIECE_HALFSPACE && b == PIECE_HALFSPACE) {
        return MEETING_UNKNOWN;
    }

    if (a == PIECE_FLAT || b == PIECE_FLAT) {
        return find_gjk_contact(work);
    }
    if (a == PIECE_HALFSPACE || b == PIECE_HALFSPACE) {
        return find_halfspace_contacts(work, a == PIECE_HALFSPACE);
    }
    if (a == PIECE_ROUND && b == PIECE_ROUND) {
        return find_round_round_contacts(work);
    }
    return find_round_polytope_contacts(work);
}
