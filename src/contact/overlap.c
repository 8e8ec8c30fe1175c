// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The law of the overlap: the common part of two pieces, and the force of two bodies that follows from it. Volume,
// first moment and outer surface of the common part add up over pieces, so they do not depend on how a surface is
// divided into triangles or contacts into points. docs/theory/contact.md derives the law.
// Entries: bi_contact_overlap (two pieces), bi_contact_overlap_forces (two bodies).

#include "contact/contact.h"
#include "math/math.h"
#include "shape/slice.h"

// How much the surface of the body without a seam counts beside that of the one with it.
#define SEAM_OTHER 1e-3

// Outer surface as a share of (volume)^(2/3) below which it gives the direction of less than the whole volume, cubed.
#define SURFACE_LEAST_CUBED 1e-6

static const double PI = 3.141592653589793;

// ---- two polyhedra -------------------------------------------------------------------------------------------

// One of the two bodies while the faces of the other are cut by its planes; all in A's frame.
typedef struct Side {
    const Body* body;
    const Piece* piece;
    Pose to_a;
    PlaneAt* planes;  // those that cut something off the other piece
    int32_t plane_count;
} Side;

typedef struct Common {
    Work* work;
    SliceSum* out;
    Vec3* polygon;
    Vec3* next;
    int32_t count;
    Vec3 origin;  // that tetrahedra start from, near what is common
    bool started;
    Vec3 outer;   // area vector of the outer faces of the body at work
    double seam;  // area of its other faces
} Common;

// Cuts off what is above a plane. There is room for twice the corners of a convex polygon; what rounding makes more of is nothing.
static void cut_polygon(Common* common, const PlaneAt* plane) {
    const int32_t most = common->work->world->polygon_room - 1;
    int32_t count = 0;
    for (int32_t i = 0; i < common->count && count < most; ++i) {
        const Vec3 from = common->polygon[i], to = common->polygon[i + 1 < common->count ? i + 1 : 0];
        const double above_from = v3_dot(plane->normal, from) - plane->offset;
        const double above_to = v3_dot(plane->normal, to) - plane->offset;

        if (above_from <= 0.0) {
            common->next[count++] = from;
        }
        if ((above_from <= 0.0) != (above_to <= 0.0)) {
            common->next[count++] = v3_lerp(from, to, clamp(above_from / (above_from - above_to), 0.0, 1.0));
        }
    }

    common->count = count < most ? count : 0;
    Vec3* swapped = common->polygon;
    common->polygon = common->next;
    common->next = swapped;
}

// The part of a face that lies in the other piece. Of two faces in one plane that look the same way A's stands for both.
static void cut_face(Common* common, const Side* own, const Side* other, int32_t index, bool of_b) {
    const Polytope* p = &own->piece->polytope;
    const PolyFace* face = &p->faces[index];
    const Vec3 normal = pose_turn(&own->to_a, face->normal);

    common->count = face->count;
    for (int32_t k = 0; k < face->count; ++k) {
        common->polygon[k] = pose_apply(&own->to_a, p->vertices[p->corners[face->first + k].vertex]);
    }

    for (int32_t i = 0; i < other->plane_count && common->count > 0; ++i) {
        const PlaneAt* plane = &other->planes[i];
        if (of_b && v3_dot(plane->normal, normal) > 1.0 - BI_CONTACT_TIE) {
            double off = 0.0;
            for (int32_t k = 0; k < common->count; ++k) {
                off = fmax(off, fabs(v3_dot(plane->normal, common->polygon[k]) - plane->offset));
            }
            if (off <= common->work->slack) {
                common->count = 0;
                break;
            }
        }
        cut_polygon(common, plane);
    }
}

// Area vector of the polygon, from its first corner; twice.
static Vec3 polygon_area(const Common* common) {
    Vec3 twice = v3(0.0, 0.0, 0.0);
    for (int32_t k = 1; k + 1 < common->count; ++k) {
        twice = v3_add(twice, v3_cross(v3_sub(common->polygon[k], common->polygon[0]),
                                       v3_sub(common->polygon[k + 1], common->polygon[0])));
    }
    return twice;
}

static void add_volume(Common* common) {
    SliceSum* out = common->out;
    for (int32_t k = 1; k + 1 < common->count; ++k) {
        const Vec3 a = v3_sub(common->polygon[0], common->origin);
        const Vec3 b = v3_sub(common->polygon[k], common->origin);
        const Vec3 c = v3_sub(common->polygon[k + 1], common->origin);
        const double six = v3_dot(a, v3_cross(b, c));
        out->volume += six / 6.0;
        out->first = v3_mad(out->first, six / 24.0, v3_add(a, v3_add(b, c)));
    }
}

// Adds an outer surface: `sign` 1 for B's, -1 for A's; `share` -1 takes a part away that another piece covers. Moments
// by the midpoints of triangles' sides, which is exact for products of two coordinates.
static void add_surface(Common* common, double sign, double share) {
    SliceSum* out = common->out;
    const Vec3 twice = polygon_area(common);
    out->push = v3_mad(out->push, 0.25 * sign * share, twice);
    common->outer = v3_mad(common->outer, 0.5 * sign * share, twice);
    common->seam -= 0.5 * share * v3_length(twice);

    for (int32_t k = 1; k + 1 < common->count; ++k) {
        const Vec3 corner[3] = {v3_sub(common->polygon[0], common->origin),
                                v3_sub(common->polygon[k], common->origin),
                                v3_sub(common->polygon[k + 1], common->origin)};
        const double area =
            0.25 * share * v3_length(v3_cross(v3_sub(corner[1], corner[0]), v3_sub(corner[2], corner[0])));
        out->area += area;
        for (int i = 0; i < 3; ++i) {
            const Vec3 x = v3_lerp(corner[i], corner[(i + 1) % 3], 0.5);
            out->area_first = v3_mad(out->area_first, area / 3.0, x);
            for (int row = 0; row < 3; ++row) {
                out->area_second[row] = v3_mad(out->area_second[row], v3_at(x, row) * area / 3.0, x);
            }
        }
    }
}

// Takes away what other pieces of the same body cover of this face.
static void take_covers_away(Common* common, const Side* own, const Side* other, int32_t index, bool of_b) {
    const PolyFace* face = &own->piece->polytope.faces[index];
    const BerthContactWorld* world = common->work->world;

    for (int32_t i = 0; i < face->cover_count; ++i) {
        const FaceCover* cover = &world->covers[face->first_cover + i];
        const Polytope* p = &world->pieces[own->body->first_piece + cover->piece].polytope;
        const PolyFace* by = &p->faces[cover->face];
        cut_face(common, own, other, index, of_b);
        for (int32_t k = 0; k < by->count && common->count > 0; ++k) {
            const PolyCorner* corner = &p->corners[by->first + k];
            const Vec3 normal = pose_turn(&own->to_a, corner->side);
            cut_polygon(common, &(PlaneAt){normal, corner->offset + v3_dot(normal, own->to_a.t)});
        }
        if (common->count >= 3) {
            add_surface(common, of_b ? 1.0 : -1.0, -1.0);
        }
    }
}

// All faces of one piece, cut by the planes of the other.
static void add_faces(Common* common, const Side* own, const Side* other, bool of_b) {
    const Polytope* p = &own->piece->polytope;
    for (int32_t f = 0; f < p->face_count; ++f) {
        cut_face(common, own, other, f, of_b);
        if (common->count < 3) {
            continue;
        }
        if (!common->started) {
            common->origin = common->polygon[0];
            common->started = true;
        }

        add_volume(common);
        common->seam += 0.5 * v3_length(polygon_area(common));
        if (!p->faces[f].inner) {
            add_surface(common, of_b ? 1.0 : -1.0, 1.0);
            take_covers_away(common, own, other, f, of_b);
        }
    }
}

// The planes of `side` that some vertex of `other` is above.
static void list_planes(Side* side, const Side* other) {
    const Polytope* p = &side->piece->polytope;
    const Polytope* q = &other->piece->polytope;
    int32_t hint = 0;

    for (int32_t f = 0; f < p->face_count; ++f) {
        const Vec3 normal = pose_turn(&side->to_a, p->faces[f].normal);
        const double offset = p->faces[f].offset + v3_dot(normal, side->to_a.t);
        const Vec3 inside = pose_turn_back(&other->to_a, normal);
        hint = polytope_support(q, inside, hint);
        const double reach = v3_dot(inside, q->vertices[hint]) + v3_dot(normal, other->to_a.t);
        if (reach > offset - BI_CONTACT_TIE * p->radius) {
            side->planes[side->plane_count++] = (PlaneAt){normal, offset};
        }
    }
}

// Without seams the outer surfaces of both bodies have the same area vector, since together they are closed. A seam of one
// body ends what is common there, and the other body's surface with it: then the outer surface of the body with the seam
// gives the direction, and the other's only where there is none.
static void choose_direction(Vec3 outer_b, double seam_b, Vec3 outer_a, double seam_a, SliceSum* out) {
    const double size_a = v3_length(outer_a), size_b = v3_length(outer_b);
    const double weight_b = (seam_b + SEAM_OTHER * seam_a) * size_b;
    const double weight_a = (seam_a + SEAM_OTHER * seam_b) * size_a;
    const double both = weight_a + weight_b;
    if (both > 0.0) {
        out->push = v3_mad(v3_scale(outer_b, weight_b / both), weight_a / both, outer_a);
    }
}

static void overlap_polytopes(Work* work, const Body* a, const Body* b, SliceSum* out) {
    BerthContactWorld* world = work->world;
    Side side_a = {a, work->a, pose_identity(), world->planes[0], 0};
    Side side_b = {b, work->b, work->a_from_b, world->planes[1], 0};
    list_planes(&side_a, &side_b);
    list_planes(&side_b, &side_a);

    Common common = {.work = work, .out = out, .polygon = world->polygon[0], .next = world->polygon[1]};
    add_faces(&common, &side_b, &side_a, true);
    const Vec3 outer_b = common.outer;
    const double seam_b = fmax(common.seam, 0.0);
    common.outer = v3(0.0, 0.0, 0.0);
    common.seam = 0.0;
    add_faces(&common, &side_a, &side_b, false);
    choose_direction(outer_b, seam_b, common.outer, fmax(common.seam, 0.0), out);

    bi_slice_shift(out, common.origin);
}

// A half-space has no end: what is common is the polyhedron below the plane, whose surface up there is a polygon.
static void overlap_halfspace(Work* work, SliceSum* out) {
    const bool flipped = work->a->kind == PIECE_HALFSPACE;
    const Piece* half = flipped ? work->a : work->b;
    const Polytope* p = flipped ? &work->b->polytope : &work->a->polytope;
    const Pose to_a = flipped ? work->a_from_b : pose_identity();
    const Vec3 normal = flipped ? half->normal : pose_turn(&work->a_from_b, half->normal);
    const double offset = half->offset + (flipped ? 0.0 : v3_dot(normal, work->a_from_b.t));
    const PlaneAt plane = {normal, offset};

    // Tetrahedra from a point of the plane: its own polygon has no volume with it.
    const Vec3 centre = pose_apply(&to_a, p->centre);
    Common common = {.work = work,
                     .out = out,
                     .polygon = work->world->polygon[0],
                     .next = work->world->polygon[1],
                     .origin = v3_mad(centre, offset - v3_dot(normal, centre), normal)};

    Vec3 push = v3(0.0, 0.0, 0.0);
    for (int32_t f = 0; f < p->face_count; ++f) {
        const PolyFace* face = &p->faces[f];
        common.count = face->count;
        for (int32_t k = 0; k < face->count; ++k) {
            common.polygon[k] = pose_apply(&to_a, p->vertices[p->corners[face->first + k].vertex]);
        }
        cut_polygon(&common, &plane);
        if (common.count < 3) {
            continue;
        }

        add_volume(&common);
        push = v3_mad(push, -0.5, polygon_area(&common));
        if (!face->inner) {
            add_surface(&common, flipped ? 1.0 : -1.0, 2.0);
        }
    }

    // The plane's own normal is the direction, whatever the faces of the polyhedron say.
    const double across = fabs(v3_dot(push, normal));
    out->push = v3_scale(normal, flipped ? -across : across);

    bi_slice_shift(out, common.origin);
}

// ---- balls and capsules --------------------------------------------------------------------------------------

static Capsule round_in(const Piece* piece, const Pose* to_a) {
    return (Capsule){{pose_apply(to_a, piece->core[0]), pose_apply(to_a, piece->core[piece->core_count - 1])},
                     piece->radius};
}

static SlicePlane plane_in(const Pose* to_a, Vec3 normal, double offset, bool surface) {
    const Vec3 n = pose_turn(to_a, normal);
    return (SlicePlane){.normal = n, .offset = offset + v3_dot(n, to_a->t), .surface = surface};
}

// Adds a plane that cuts something off the capsule. False: there is nothing of it behind the plane.
static bool list_plane(BerthContactWorld* world, const Capsule* capsule, SlicePlane plane, SliceBody* body) {
    const double one = v3_dot(plane.normal, capsule->end[0]), other = v3_dot(plane.normal, capsule->end[1]);
    if (fmax(one, other) + capsule->radius > plane.offset) {
        world->slice_planes[body->plane_count++] = plane;
    }
    return fmin(one, other) - capsule->radius < plane.offset;
}

// Where other balls of its body begin, a ball ends: each point of the union is in one of them.
static bool list_cuts(BerthContactWorld* world, const Capsule* capsule, const Piece* piece, const Pose* to_a,
                      SliceBody* body) {
    bool some = true;
    for (int32_t i = 0; i < piece->cut_count && some; ++i) {
        const PlaneAt* cut = &world->cuts[piece->first_cut + i];
        some = list_plane(world, capsule, plane_in(to_a, cut->normal, cut->offset, false), body);
    }
    return some;
}

// The planes of a piece that cut the capsule, and the edges between them.
static bool list_faces(BerthContactWorld* world, const Capsule* capsule, const Piece* piece, const Pose* to_a,
                       bool surface, SliceBody* body) {
    if (piece->kind == PIECE_HALFSPACE) {
        return list_plane(world, capsule, plane_in(to_a, piece->normal, piece->offset, surface), body);
    }

    const Polytope* p = &piece->polytope;
    uint32_t* seen = world->face_seen[0];
    bi_contact_begin_search(world);
    for (int32_t f = 0; f < p->face_count; ++f) {
        const PolyFace* face = &p->faces[f];
        const int32_t before = body->plane_count;
        const SlicePlane plane = plane_in(to_a, face->normal, face->offset, surface && !face->inner);
        if (!list_plane(world, capsule, plane, body)) {
            return false;
        }
        seen[f] = body->plane_count > before ? world->search : 0;
    }

    Vec3* edges = world->slice_edges;
    for (int32_t e = 0; e < p->edge_count; ++e) {
        const PolyEdge* edge = &p->edges[e];
        if (seen[edge->left] == world->search && seen[edge->right] == world->search) {
            edges[2 * body->edge_count] = pose_apply(to_a, p->vertices[edge->tail]);
            edges[2 * body->edge_count + 1] = pose_apply(to_a, p->vertices[edge->head]);
            ++body->edge_count;
        }
    }
    body->edges = edges;
    return true;
}

// Takes the surface away that other pieces of the same body cover: the same planes with those around the cover.
static void take_covered_surface(BerthContactWorld* world, const Capsule* capsule, const Body* owner,
                                 const Piece* piece, const Pose* to_a, SliceBody* body, double share,
                                 SliceSum* sum) {
    const Polytope* p = &piece->polytope;
    const int32_t count = body->plane_count, edges = body->edge_count;
    for (int32_t f = 0; f < p->face_count && piece->kind == PIECE_POLYTOPE; ++f) {
        const PolyFace* face = &p->faces[f];
        const SlicePlane own = plane_in(to_a, face->normal, face->offset, true);
        for (int32_t i = 0; i < face->cover_count && !face->inner; ++i) {
            const FaceCover* cover = &world->covers[face->first_cover + i];
            const Polytope* q = &world->pieces[owner->first_piece + cover->piece].polytope;
            const PolyFace* by = &q->faces[cover->face];

            // Only this face is surface now.
            for (int32_t k = 0; k < count; ++k) {
                SlicePlane* plane = &world->slice_planes[k];
                plane->surface = plane->offset == own.offset && v3_distance(plane->normal, own.normal) == 0.0;
            }
            body->plane_count = count;
            body->edge_count = edges;
            bool some = true;
            for (int32_t k = 0; k < by->count && some; ++k) {
                const PolyCorner* corner = &q->corners[by->first + k];
                const PolyEdge* edge = &q->edges[corner->edge];
                some = list_plane(world, capsule, plane_in(to_a, corner->side, corner->offset, false), body);
                world->slice_edges[2 * body->edge_count] = pose_apply(to_a, q->vertices[edge->tail]);
                world->slice_edges[2 * body->edge_count + 1] = pose_apply(to_a, q->vertices[edge->head]);
                ++body->edge_count;
            }

            SliceSum taken = {.volume = 0.0};
            if (some) {
                bi_slice_planes(capsule, body, -share, world->polygon, &taken);
            }
            sum->push = v3_add(sum->push, taken.push);
            sum->area += taken.area;
            sum->area_first = v3_add(sum->area_first, taken.area_first);
            for (int row = 0; row < 3; ++row) {
                sum->area_second[row] = v3_add(sum->area_second[row], taken.area_second[row]);
            }
        }
    }
}

// A polyhedron of its body that a round piece overlaps; the one before the first is none.
static const Piece* own_part(const BerthContactWorld* world, const Body* body, const Piece* round,
                             int32_t i) {
    return i < 0 ? NULL : &world->pieces[body->first_piece + world->covers[round->first_part + i].piece];
}

// A ball or capsule and what planes bound, less what polyhedra of its own body have of it; in A's frame.
static SliceSum slice_round(Work* work, bool round_is_a) {
    BerthContactWorld* world = work->world;
    const Pose here = pose_identity();
    const Piece *round = round_is_a ? work->a : work->b, *other = round_is_a ? work->b : work->a;
    const Body *body_of_round = round_is_a ? work->body_a : work->body_b,
               *owner = round_is_a ? work->body_b : work->body_a;
    const Pose *round_to_a = round_is_a ? &here : &work->a_from_b,
               *to_a = round_is_a ? &work->a_from_b : &here;
    const Capsule capsule = round_in(round, round_to_a);

    SliceSum sum = {.volume = 0.0};
    for (int32_t i = -1; i < round->part_count; ++i) {
        const Piece* part = own_part(world, body_of_round, round, i);
        const double share = part == NULL ? 1.0 : -1.0;
        SliceBody body = {.planes = world->slice_planes};
        if (list_faces(world, &capsule, other, to_a, true, &body) &&
            list_cuts(world, &capsule, round, round_to_a, &body) &&
            (part == NULL || list_faces(world, &capsule, part, round_to_a, false, &body))) {
            bi_slice_planes(&capsule, &body, share, world->polygon, &sum);
            take_covered_surface(world, &capsule, owner, other, to_a, &body, share, &sum);
        }
    }

    // Out of a half-space there is one way, also for what is all in it.
    const double least = PI * BI_CONTACT_KEEP * capsule.radius * capsule.radius;
    if (other->kind == PIECE_HALFSPACE && sum.volume > 0.0 && sum.area < least) {
        sum.push = v3_scale(pose_turn(to_a, other->normal), least);
    }
    return sum;
}

static void overlap_capsule(Work* work, SliceSum* out) {
    const Pose here = pose_identity();
    const bool round_is_a = work->a->kind == PIECE_ROUND;
    if (round_is_a && work->b->kind == PIECE_ROUND) {
        const Capsule one = round_in(work->a, &here), other = round_in(work->b, &work->a_from_b);
        bi_slice_capsules(&one, &other, out);
    } else {
        *out = slice_round(work, round_is_a);
    }

    out->push = round_is_a ? out->push : v3_neg(out->push);
    out->area = fmax(out->area, 0.0);
}

// Two balls, of which other parts of their bodies take something away: the plane of equal power parts what they have in
// common into a cap of each, and what is in a polyhedron of either body is that one's.
static double cut_lens(Work* work, Vec3 apart, double d) {
    BerthContactWorld* world = work->world;
    const Pose here = pose_identity();
    const Capsule ball_a = round_in(work->a, &here), ball_b = round_in(work->b, &work->a_from_b);
    const Vec3 normal = v3_scale(apart, 1.0 / d);  // from B to A
    const double r = ball_a.radius, s = ball_b.radius;
    const double offset = v3_dot(normal, ball_b.end[0]) + (d * d - r * r + s * s) / (2.0 * d);
    const int32_t parts_a = 1 + work->a->part_count, parts_b = 1 + work->b->part_count;

    // A's own side is where normal . x is larger: what is common there is B's.
    SliceSum sum = {.volume = 0.0};
    for (int32_t i = 0; i < 2 * parts_a * parts_b; ++i) {
        const bool a_side = i % 2 != 0;
        const Capsule* ball = a_side ? &ball_a : &ball_b;
        const double sign = a_side ? 1.0 : -1.0;
        const Piece* one = own_part(world, work->body_a, work->a, i / 2 % parts_a - 1);
        const Piece* other = own_part(world, work->body_b, work->b, i / 2 / parts_a - 1);
        SliceBody body = {.planes = world->slice_planes};
        if (list_plane(world, ball, (SlicePlane){.normal = v3_scale(normal, sign), .offset = sign * offset},
                       &body) &&
            list_cuts(world, ball, work->a, &here, &body) &&
            list_cuts(world, ball, work->b, &work->a_from_b, &body) &&
            (one == NULL || list_faces(world, ball, one, &here, false, &body)) &&
            (other == NULL || list_faces(world, ball, other, &work->a_from_b, false, &body))) {
            bi_slice_planes(ball, &body, (one == NULL) == (other == NULL) ? 1.0 : -1.0, world->polygon, &sum);
        }
    }
    return fmax(sum.volume, 0.0);
}

// `push` out of the other body; the line of the force goes through the ball's centre.
static void set_ball_overlap(SliceSum* out, double volume, Vec3 push, Vec3 centre, double radius,
                             bool ball_is_a) {
    const double area = v3_length(push);
    const Vec3 outward = v3_unit_or(push, v3(0.0, 0.0, 0.0));
    const double depth = area > 0.0 ? volume / area : 0.0;
    const Vec3 point = v3_mad(centre, -(radius - fmin(depth, radius)), outward);

    *out = (SliceSum){.volume = volume, .push = ball_is_a ? push : v3_neg(push), .area = area};
    bi_slice_shift(out, point);
}

// Two balls: volume, and the area vector of the disc that parts them, out of B.
static double lens_volume(Work* work, Vec3 centre_a, Vec3 centre_b, Vec3* push) {
    const Vec3 apart = v3_sub(centre_a, centre_b);
    const double d = v3_length(apart), r = work->a->radius, s = work->b->radius, sum = r + s;
    const double small = fmin(r, s);
    double volume = 0.0;
    if (d < sum && d > fabs(r - s)) {
        volume = PI * (sum - d) * (sum - d) * (d * d + 2.0 * d * sum - 3.0 * (r - s) * (r - s)) / (12.0 * d);
    } else if (d < sum) {
        volume = 4.0 / 3.0 * PI * small * small * small;
    }
    const double x = d > 0.0 ? (d * d - r * r + s * s) / (2.0 * d) : 0.0;
    *push = v3_scale(v3_unit_or(apart, v3(0.0, 0.0, 1.0)), PI * fmax(s * s - x * x, BI_CONTACT_KEEP * s * s));

    const int32_t cuts = work->a->cut_count + work->b->cut_count + work->a->part_count + work->b->part_count;
    if (cuts > 0 && volume > 0.0 && d > BI_CONTACT_TIE * sum) {
        const double left = cut_lens(work, apart, d);
        *push = v3_scale(*push, fmin(left / volume, 1.0));
        volume = left;
    }
    return volume;
}

static void overlap_ball(Work* work, SliceSum* out) {
    const Pose here = pose_identity();
    const bool ball_is_a = work->a->kind == PIECE_ROUND;
    const Piece* ball = ball_is_a ? work->a : work->b;
    const Piece* other = ball_is_a ? work->b : work->a;
    const Pose to_a = ball_is_a ? here : work->a_from_b;
    const Pose other_to_a = ball_is_a ? work->a_from_b : here;
    const Vec3 centre = pose_apply(&to_a, ball->core[0]);
    const double r = ball->radius;
    double volume = 0.0;
    Vec3 push = v3(0.0, 0.0, 0.0);

    if (other->kind == PIECE_ROUND) {
        volume = lens_volume(work, centre, pose_apply(&other_to_a, other->core[0]), &push);
    } else if (other->kind == PIECE_HALFSPACE && ball->cut_count + ball->part_count == 0) {
        const SlicePlane plane = plane_in(&other_to_a, other->normal, other->offset, true);
        const double cap = clamp(r - (v3_dot(plane.normal, centre) - plane.offset), 0.0, 2.0 * r);
        volume = PI * cap * cap * (r - cap / 3.0);
        push = v3_scale(plane.normal, PI * fmax(cap * (2.0 * r - cap), BI_CONTACT_KEEP * r * r));
    } else {
        const SliceSum sum = slice_round(work, ball_is_a);
        volume = fmax(sum.volume, 0.0);
        push = sum.push;
    }
    set_ball_overlap(out, volume, push, centre, r, ball_is_a);
}

bool bi_contact_overlap(Work* work, const Body* a, const Body* b, SliceSum* out) {
    *out = (SliceSum){.volume = 0.0};
    const PieceKind one = work->a->kind, other = work->b->kind;
    const bool solid_a = one == PIECE_ROUND || one == PIECE_POLYTOPE || one == PIECE_HALFSPACE;
    const bool solid_b = other == PIECE_ROUND || other == PIECE_POLYTOPE || other == PIECE_HALFSPACE;
    if (!solid_a || !solid_b) {
        return false;  // flat pieces keep the law by points
    }

    if (work->a->core_count == 2 || work->b->core_count == 2) {
        overlap_capsule(work, out);
    } else if (one == PIECE_ROUND || other == PIECE_ROUND) {
        overlap_ball(work, out);
    } else if (one == PIECE_HALFSPACE || other == PIECE_HALFSPACE) {
        overlap_halfspace(work, out);
    } else {
        overlap_polytopes(work, a, b, out);
    }
    out->volume = out->volume > 0.0 ? out->volume : 0.0;
    return true;
}

// ---- forces ------------------------------------------------------------------------------------------------------

// Two bodies, with all that their pieces have in common; in the world.
typedef struct Law {
    const BerthContactWorld* world;
    const BerthMaterial* material;
    const Body *a, *b;
    double raise;  // volume of all over what of it outer surfaces direct
    double area;   // outer surface of all
} Law;

// Damping and friction of a part, spread evenly over its outer surface, with the rates at the surface's middle.
static void add_dampers(const Law* law, const SliceSum* part, Vec3 n, double spring, BerthWrench* sum,
                        Vec3* middle) {
    const double share = part->area / law->area;
    const Vec3 m = v3_scale(part->area_first, 1.0 / part->area);
    const Pose* pose = &law->a->world_from_body;
    const Vec3 at = pose_apply(pose, m);
    const Vec3 dv = v3_sub(body_speed(law->a, at), body_speed(law->b, at));
    const Vec3 spin = v3_sub(law->a->spin, law->b->spin);
    const double out_speed = v3_dot(dv, n);

    // A damper never pulls, and friction is no more than its share of what presses.
    const double damping = law->material->damping * share;
    const double press = fmax(0.0, spring - damping * out_speed);
    Vec3 side = v3_scale(v3_mad(dv, -out_speed, n), -law->material->viscosity * share);
    double slip = 1.0;
    if (law->world->def.coulomb) {
        const double most = law->material->friction * press, size = v3_length(side);
        slip = size > most ? most / size : 1.0;
    }
    sum->force = v3_mad(v3_scale(side, slip), press - spring, n);

    // Second moments of the surface about its middle resist rocking (across n) and spinning (along n).
    const Vec3 local_n = pose_turn_back(pose, n), local_spin = pose_turn_back(pose, spin);
    Vec3 second[3];
    double around = 0.0;
    for (int row = 0; row < 3; ++row) {
        second[row] = v3_mad(part->area_second[row], -v3_at(m, row), part->area_first);
        around += v3_at(second[row], row);
    }
    const Vec3 lever = v3_cross(local_n, local_spin);
    const Vec3 rocked = columns_apply(second, lever);
    const Vec3 rock = v3_scale(v3_cross(local_n, rocked), press > 0.0 ? damping / part->area : 0.0);
    around -= v3_dot(local_n, columns_apply(second, local_n));
    const double twist = -slip * law->material->viscosity * share / part->area * fmax(around, 0.0) *
                         v3_dot(local_spin, local_n);
    sum->moment = v3_mad(pose_turn(pose, rock), press > 0.0 ? twist : 0.0, n);
    *middle = at;
}

// How much of a part's volume its own outer surface directs: all of it unless there is next to none, as where a piece is
// touched only through its seams. What is left goes to the other parts. Without this a surface that is only rounding told
// where 9 N of 37 N went; and it is continuous, so a surface that comes in sight turns the force gradually.
static double directed_share(const SliceSum* part) {
    const double surface = v3_length(part->push);
    const double cubed = surface * surface * surface;
    const double whole = SURFACE_LEAST_CUBED * part->volume * part->volume;
    return cubed < whole ? cubed / whole : 1.0;
}

static void add_wrench(BerthWrench* wrench, Vec3 force, Vec3 arm, Vec3 moment) {
    wrench->force = v3_add(wrench->force, force);
    wrench->moment = v3_add(wrench->moment, v3_add(v3_cross(arm, force), moment));
}

// Sums over the parts of two bodies that friction at rest needs.
typedef struct Press {
    Vec3 force;     // of springs, on A
    double size;    // sum of their sizes
    Vec3 point;     // sum of points times sizes
    double spread;  // sum of sizes times the square of how far the surface reaches from its middle, m2
} Press;

// The part's force on A, into both bodies' sums. Returns it.
static Vec3 add_part(BerthContactWorld* world, const BodyPair* pair, const Law* law, const SliceSum* part,
                     Press* press) {
    const Vec3 centre_a = pose_apply(&law->a->world_from_body, law->a->centroid);
    const Vec3 centre_b = pose_apply(&law->b->world_from_body, law->b->centroid);
    const double surface = v3_length(part->push);
    if (!(surface > 0.0 && part->volume > 0.0)) {
        return v3(0.0, 0.0, 0.0);
    }

    // The spring at the middle of the volume.
    const Vec3 n = pose_turn(&law->a->world_from_body, v3_scale(part->push, 1.0 / surface));
    const double spring = law->material->foundation * part->volume * directed_share(part) * law->raise;
    const Vec3 point = pose_apply(&law->a->world_from_body, v3_scale(part->first, 1.0 / part->volume));
    const Vec3 push = v3_scale(n, spring);
    add_wrench(&world->wrenches[pair->a], push, v3_sub(point, centre_a), v3(0.0, 0.0, 0.0));
    add_wrench(&world->wrenches[pair->b], v3_neg(push), v3_sub(point, centre_b), v3(0.0, 0.0, 0.0));
    press->force = v3_add(press->force, push);
    press->size += spring;
    press->point = v3_mad(press->point, spring, point);
    if (!(part->area > 0.0)) {
        return push;
    }

    const Vec3 m = v3_scale(part->area_first, 1.0 / part->area);
    double around = -v3_dot(m, part->area_first);
    for (int row = 0; row < 3; ++row) {
        around += v3_at(part->area_second[row], row);
    }
    press->spread += spring * fmax(around, 0.0) / part->area;

    BerthWrench damped;
    Vec3 middle;
    add_dampers(law, part, n, spring, &damped, &middle);
    add_wrench(&world->wrenches[pair->a], damped.force, v3_sub(middle, centre_a), damped.moment);
    add_wrench(&world->wrenches[pair->b], v3_neg(damped.force), v3_sub(middle, centre_b),
               v3_neg(damped.moment));
    return v3_add(push, damped.force);
}

// Friction at rest: a spring along the surface from where the bodies began to touch, stretched while steps are made, that
// gives way beyond friction times what presses. Without it all that stands creeps.
static void hold_by_friction(BerthContactWorld* world, const BodyPair* pair, const Law* law,
                             const Press* press) {
    Stick* stick = &world->sticks[pair - world->pairs];
    const double normal = v3_length(press->force);
    if (!(normal > 0.0) || !world->def.coulomb) {
        *stick = (Stick){.twist = 0.0};
        return;
    }

    // The stretch goes on with the speed along the surface.
    const Vec3 n = v3_scale(press->force, 1.0 / normal), point = v3_scale(press->point, 1.0 / press->size);
    const Vec3 dv = v3_sub(body_speed(law->a, point), body_speed(law->b, point));
    const Vec3 stretched = v3_mad(stick->stretch, world->implicit, dv);
    stick->stretch = v3_mad(stretched, -v3_dot(stretched, n), n);
    stick->twist += world->implicit * v3_dot(v3_sub(law->a->spin, law->b->spin), n);

    // What dampers along the surface do already is friction, too.
    const Vec3 side = v3_mad(dv, -v3_dot(dv, n), n);
    const double left =
        fmax(0.0, law->material->friction * normal - law->material->viscosity * v3_length(side));
    const double stiffness = 0.5 * law->material->foundation * law->area;
    const double pull = stiffness * v3_length(stick->stretch);
    if (pull > left) {
        stick->stretch = v3_scale(stick->stretch, left / pull);
    }

    const double radius_sq = press->spread / press->size, radius = sqrt(radius_sq);
    const double most = radius_sq > 0.0 ? left / (stiffness * radius) : 0.0;
    stick->twist = clamp(stick->twist, -most, most);

    const Vec3 force = v3_scale(stick->stretch, -stiffness);
    const Vec3 moment = v3_scale(n, -stiffness * radius_sq * stick->twist);
    const Vec3 centre_a = pose_apply(&law->a->world_from_body, law->a->centroid);
    const Vec3 centre_b = pose_apply(&law->b->world_from_body, law->b->centroid);
    add_wrench(&world->wrenches[pair->a], force, v3_sub(point, centre_a), moment);
    add_wrench(&world->wrenches[pair->b], v3_neg(force), v3_sub(point, centre_b), v3_neg(moment));
}

void bi_contact_overlap_forces(BerthContactWorld* world, const BodyPair* pair, int32_t first, int32_t end) {
    BerthMaterial material = pair->material;
    material.damping = damper_rate(world, pair, material.damping, 1.0);
    material.viscosity = damper_rate(world, pair, material.viscosity, 1.0);
    Law law = {
        .world = world, .material = &material, .a = &world->bodies[pair->a], .b = &world->bodies[pair->b]};

    double all = 0.0, directed = 0.0;
    for (int32_t i = 0; i < world->overlap_count; ++i) {
        const SliceSum* part = &world->overlaps[i].sum;
        all += part->volume;
        directed += part->volume * directed_share(part);
        law.area += part->area;
    }
    law.raise = directed > 0.0 ? all / directed : 0.0;

    Press press = {.size = 0.0};
    for (int32_t i = 0; i < world->overlap_count; ++i) {
        const Overlap* part = &world->overlaps[i];
        const Vec3 force = add_part(world, pair, &law, &part->sum, &press);

        // The force of a single point is its share by depth; the sum is what acts.
        double depth = 0.0;
        for (int32_t k = first; k < end; ++k) {
            const BerthContact* c = &world->contacts[k];
            depth += c->piece_a == part->piece_a && c->piece_b == part->piece_b ? c->depth : 0.0;
        }
        for (int32_t k = first; k < end; ++k) {
            BerthContact* c = &world->contacts[k];
            if (c->piece_a == part->piece_a && c->piece_b == part->piece_b) {
                c->force = depth > 0.0 ? v3_scale(force, c->depth / depth) : v3(0.0, 0.0, 0.0);
            }
        }
    }
    hold_by_friction(world, pair, &law, &press);
}

bool bi_contact_has_overlap(const BerthContactWorld* world, const BerthContact* c) {
    for (int32_t i = 0; i < world->overlap_count; ++i) {
        if (world->overlaps[i].piece_a == c->piece_a && world->overlaps[i].piece_b == c->piece_b) {
            return true;
        }
    }
    return false;
}
