// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The least depth of two convex polyhedra, exactly: by the nearest face of their Minkowski difference, which belongs
// to a face and a vertex or to two edges whose Gauss arcs cross. Both features are near each other: no further than
// the depth. So with any upper bound of the depth, from an earlier axis or from GJK, the octrees give every feature
// that can define it. Derivation and rounding: docs/theory/contact.md.
// Entries: bi_contact_find_axis_again, bi_contact_find_axis; the parts of them that other files need are in contact.h.

#include "contact/contact.h"
#include "shape/gap.h"

// Two edges whose directions enclose less than this angle (squared) are parallel: a face of one of the bodies then is as
// good an axis, within the edges' length times the angle.
#define PARALLEL_SQ 1e-14

// More pairs of edges than this are left to the octrees.
enum { LENS_PAIRS = 4096 };

double bi_contact_depth_along(Work* work, Vec3 n, bool exact) {
    const Polytope* a = &work->a->polytope;
    const Polytope* b = &work->b->polytope;
    const Vec3 back = v3_neg(pose_turn_back(&work->a_from_b, n));
    PairMemory* memory = work->memory;

    memory->hint_a = polytope_support(a, n, memory->hint_a);
    memory->hint_b = polytope_support(b, back, memory->hint_b);
    double high = v3_dot(n, a->vertices[memory->hint_a]);
    double low = -v3_dot(back, b->vertices[memory->hint_b]);

    if (exact && a->vertex_count > POLYTOPE_SCAN_MAX) {
        for (int32_t i = 0; i < a->vertex_count; ++i) {
            high = fmax(high, v3_dot(n, a->vertices[i]));
        }
    }
    if (exact && b->vertex_count > POLYTOPE_SCAN_MAX) {
        for (int32_t i = 0; i < b->vertex_count; ++i) {
            low = fmin(low, -v3_dot(back, b->vertices[i]));
        }
    }

    return high - low - v3_dot(n, work->a_from_b.t);
}

// True when n proves them apart. The hints move along.
static bool prove_apart_along(Work* work, Vec3 n) {
    return bi_contact_depth_along(work, n, false) < -work->slack &&
           bi_contact_depth_along(work, n, true) < -work->slack;
}

typedef struct Search {
    Work* work;
    Axis best;    // of those with features
    Axis parted;  // kind is not NONE once an axis proves them apart
} Search;

static void offer_axis(Search* search, const Axis* axis) {
    Work* work = search->work;
    if (axis->depth < -work->slack && prove_apart_along(work, axis->n)) {
        search->parted = *axis;
    }

    // Equal within rounding: a face gives more points than two edges, and the lower number is the same every time.
    const Axis* best = &search->best;
    const double handicap = axis->kind == AXIS_EDGES && best->kind != AXIS_EDGES ? work->slack : 0.0;
    const double bonus = axis->kind != AXIS_EDGES && best->kind == AXIS_EDGES ? work->slack : 0.0;
    if (best->kind == AXIS_NONE || axis->depth < best->depth - handicap + bonus) {
        search->best = *axis;
    }
}

static Axis face_axis_a(Work* work, int32_t face) {
    const PolyFace* f = &work->a->polytope.faces[face];
    const Vec3 n = f->normal, back = v3_neg(pose_turn_back(&work->a_from_b, n));
    const Polytope* b = &work->b->polytope;

    const int32_t v = polytope_support(b, back, work->memory->hint_b);
    work->memory->hint_b = v;
    const double low = v3_dot(n, work->a_from_b.t) - v3_dot(back, b->vertices[v]);
    return (Axis){AXIS_FACE_A, face, v, n, f->offset - low};
}

static Axis face_axis_b(Work* work, int32_t face) {
    const PolyFace* f = &work->b->polytope.faces[face];
    const Vec3 n = v3_neg(pose_turn(&work->a_from_b, f->normal));
    const Polytope* a = &work->a->polytope;
    const int32_t v = polytope_support(a, n, work->memory->hint_a);
    work->memory->hint_a = v;
    const double low = v3_dot(n, work->a_from_b.t) - f->offset;
    return (Axis){AXIS_FACE_B, v, face, n, v3_dot(n, a->vertices[v]) - low};
}

// Does the body look along n with an inner face at this vertex? Nothing can come from there.
static bool looks_inner(const Polytope* p, int32_t vertex, Vec3 n) {
    double most = -INFINITY;
    bool inner = false;
    for (int32_t k = p->first_around[vertex]; p->has_inner && k < p->first_around[vertex + 1]; ++k) {
        const PolyEdge* edge = &p->edges[p->around[k]];
        const int32_t faces[2] = {edge->left, edge->right};
        for (int i = 0; i < 2; ++i) {
            const double along = v3_dot(p->faces[faces[i]].normal, n);
            inner = along > most ? p->faces[faces[i]].inner : inner;
            most = fmax(most, along);
        }
    }
    return inner;
}

static void try_face_axis(Search* search, bool of_a, int32_t face) {
    Work* work = search->work;
    const Polytope* p = of_a ? &work->a->polytope : &work->b->polytope;

    ++work->world->counters.vertex_faces;
    if (p->faces[face].inner) {
        return;
    }

    const Axis axis = of_a ? face_axis_a(work, face) : face_axis_b(work, face);
    const Vec3 back = v3_neg(pose_turn_back(&work->a_from_b, axis.n));
    const bool inner = of_a ? looks_inner(&work->b->polytope, axis.b, back)
                            : looks_inner(&work->a->polytope, axis.a, axis.n);

    if (!inner || axis.depth < -work->slack) {
        offer_axis(search, &axis);
    }
}

static void try_leaf_faces(Search* search, const BallOctreeNode* leaf, bool of_a) {
    BerthContactWorld* world = search->work->world;
    const Polytope* p = of_a ? &search->work->a->polytope : &search->work->b->polytope;
    const int32_t* faces = ball_octree_faces(&p->octree, leaf);
    uint32_t* seen = world->face_seen[of_a ? 0 : 1];

    for (int32_t i = 0; i < leaf->face_count; ++i) {
        if (seen[faces[i]] != world->search) {
            seen[faces[i]] = world->search;
            try_face_axis(search, of_a, faces[i]);
        }
    }
}

// An edge of A in B's frame.
typedef struct EdgeInB {
    int32_t index;
    Vec3 tail, direction, left, right;
} EdgeInB;

static EdgeInB edge_in_b(const Work* work, int32_t index) {
    const Polytope* a = &work->a->polytope;
    const PolyEdge* edge = &a->edges[index];
    return (EdgeInB){index, pose_apply_back(&work->a_from_b, a->vertices[edge->tail]),
                     pose_turn_back(&work->a_from_b, edge->direction),
                     pose_turn_back(&work->a_from_b, a->faces[edge->left].normal),
                     pose_turn_back(&work->a_from_b, a->faces[edge->right].normal)};
}

static bool edge_is_inner(const Polytope* p, const PolyEdge* edge) {
    return p->faces[edge->left].inner || p->faces[edge->right].inner;
}

// Do the arc of A's edge and the mirrored arc of B's cross? With left x right along the edge, each arc's ends lie on both
// sides of the other's great circle, and the crossing is on the same side of the sphere for both.
static bool arcs_cross(const EdgeInB* a, const Polytope* b, const PolyEdge* edge) {
    const double left_b = v3_dot(b->faces[edge->left].normal, a->direction);
    const double right_b = v3_dot(b->faces[edge->right].normal, a->direction);
    if (!(left_b * right_b < 0.0)) {
        return false;
    }

    const double left_a = v3_dot(a->left, edge->direction), right_a = v3_dot(a->right, edge->direction);
    return left_a * right_a < 0.0 && left_b * right_a < 0.0;
}

EdgePair bi_contact_edge_pair(const Work* work, int32_t edge_a, int32_t edge_b) {
    const Polytope* a = &work->a->polytope;
    const Polytope* b = &work->b->polytope;
    const PolyEdge* on_a = &a->edges[edge_a];
    const PolyEdge* on_b = &b->edges[edge_b];

    const Vec3 p = a->vertices[on_a->tail], d = on_a->direction;
    const Vec3 q = pose_apply(&work->a_from_b, b->vertices[on_b->tail]);
    const Vec3 e = pose_turn(&work->a_from_b, on_b->direction), between = v3_sub(q, p);
    const double de = v3_dot(d, e), along_d = v3_dot(between, d), along_e = v3_dot(between, e);

    Vec3 n = v3_cross(d, e);
    const double length_sq = v3_length_sq(n);
    const bool parallel = !(length_sq > PARALLEL_SQ);
    EdgePair pair = {0};
    pair.along_a = parallel ? along_d : (along_d - along_e * de) / length_sq;
    pair.along_b = parallel ? 0.0 : (along_d * de - along_e) / length_sq;
    pair.point_a = v3_mad(p, clamp(pair.along_a, 0.0, on_a->length), d);
    pair.point_b = v3_mad(q, clamp(pair.along_b, 0.0, on_b->length), e);

    // The normal is one of the least way out only where the arcs cross.
    const EdgeInB in_b = edge_in_b(work, edge_a);
    if (!parallel && arcs_cross(&in_b, b, on_b)) {
        const Vec3 out = v3_add(a->faces[on_a->left].normal, a->faces[on_a->right].normal);
        n = v3_scale(n, (v3_dot(n, out) >= 0.0 ? 1.0 : -1.0) / sqrt(length_sq));
        pair.crosses = true;
        pair.n = n;
        pair.depth = -v3_dot(n, between);
    }

    return pair;
}

static void try_edge_axis(Search* search, const EdgeInB* edge_a, int32_t index_b) {
    Work* work = search->work;
    const Polytope* b = &work->b->polytope;
    const PolyEdge* edge_b = &b->edges[index_b];

    ++work->world->counters.edge_edges;
    if (!arcs_cross(edge_a, b, edge_b) || edge_is_inner(b, edge_b)) {
        return;
    }

    Vec3 n = v3_cross(edge_a->direction, edge_b->direction);
    const double length_sq = v3_length_sq(n);
    if (!(length_sq > PARALLEL_SQ)) {
        return;
    }

    const double side = v3_dot(n, v3_add(edge_a->left, edge_a->right)) >= 0.0 ? 1.0 : -1.0;
    n = v3_scale(n, side / sqrt(length_sq));
    const double depth = v3_dot(n, v3_sub(edge_a->tail, b->vertices[edge_b->tail]));
    if (search->best.kind != AXIS_NONE && !(depth < search->best.depth)) {
        return;
    }

    // The direction of nearly parallel edges is known badly: whatever it is, its supports tell its depth.
    Axis axis = {AXIS_EDGES, edge_a->index, index_b, pose_turn(&work->a_from_b, n), 0.0};
    axis.depth = fmax(depth, bi_contact_depth_along(work, axis.n, false));
    offer_axis(search, &axis);
}

bool bi_contact_mark_edges_seen(BerthContactWorld* world, int32_t a, int32_t b) {
    // Multiplied by odd numbers so that neighbours do not share a place.
    EdgeSeen* place = &world->edge_seen[((uint32_t)a * 167u + (uint32_t)b * 5u) % EDGE_FILTER];

    const bool seen = place->search == world->search && place->a == a && place->b == b;
    *place = (EdgeSeen){world->search, a, b};
    return seen;
}

// Numbers the next search; the marks of old ones are wiped before numbers come round again.
void bi_contact_begin_search(BerthContactWorld* world) {
    if (++world->search != 0) {
        return;
    }

    world->search = 1;
    for (int side = 0; side < 2; ++side) {
        for (int32_t i = 0; i < world->face_most; ++i) {
            world->face_seen[side][i] = 0;
        }
        for (int32_t i = 0; i < world->vertex_most; ++i) {
            world->vertex_seen[side][i] = 0;
        }
    }

    for (int i = 0; i < EDGE_FILTER; ++i) {
        world->edge_seen[i].search = 0;
    }
}

static void visit_leaves(void* user, const BallOctreeNode* leaf_a, const BallOctreeNode* leaf_b) {
    Search* search = user;
    Work* work = search->work;

    if (search->parted.kind != AXIS_NONE) {
        return;
    }
    try_leaf_faces(search, leaf_a, true);
    try_leaf_faces(search, leaf_b, false);

    const Polytope* a = &work->a->polytope;
    const Polytope* b = &work->b->polytope;
    const int32_t* edges_a = ball_octree_edges(&a->octree, leaf_a);
    const int32_t* edges_b = ball_octree_edges(&b->octree, leaf_b);
    const bool lone = a->octree.node_count == 1 && b->octree.node_count == 1;

    for (int32_t i = 0; i < leaf_a->edge_count; ++i) {
        if (edge_is_inner(a, &a->edges[edges_a[i]])) {
            continue;
        }

        const EdgeInB edge = edge_in_b(work, edges_a[i]);
        for (int32_t k = 0; k < leaf_b->edge_count; ++k) {
            if (lone || !bi_contact_mark_edges_seen(work->world, edge.index, edges_b[k])) {
                try_edge_axis(search, &edge, edges_b[k]);
            }
        }
    }
}

// The axis of the last cycle with today's depth; NONE when it has no features.
static Axis renew_axis(Work* work, const Axis* last) {
    Axis axis = {.kind = AXIS_NONE};
    if (last->kind == AXIS_FACE_A) {
        return face_axis_a(work, last->a);
    }
    if (last->kind == AXIS_FACE_B) {
        return face_axis_b(work, last->b);
    }
    if (last->kind == AXIS_EDGES) {
        const EdgePair pair = bi_contact_edge_pair(work, last->a, last->b);
        if (pair.crosses) {
            axis = (Axis){AXIS_EDGES, last->a, last->b, pair.n, bi_contact_depth_along(work, pair.n, false)};
        }
    }
    return axis;
}

Meeting bi_contact_search_gjk(Work* work, Axis* out, BerthGap* gap) {
    const Piece* a = work->a;
    const Piece* b = work->b;

    ++work->world->counters.searches;
    const Pose body_from_b = pose_mul(&work->a_from_b, &b->body_from_shape);
    const Pose a_from_b = pose_between(&a->body_from_shape, &body_from_b);
    *gap = bi_shape_gap(&a->shape, &b->shape, &a_from_b, work->slack);

    gap->normal = pose_turn(&a->body_from_shape, gap->normal);
    gap->point_a = pose_apply(&a->body_from_shape, gap->point_a);
    gap->point_b = pose_apply(&a->body_from_shape, gap->point_b);
    *out = (Axis){AXIS_PLAIN, -1, -1, gap->normal, -gap->upper};

    if (gap->lower > work->slack) {
        return MEETING_APART;
    }
    // Within rounding of touching counts as touching.
    return gap->upper <= 2.0 * work->slack ? MEETING_TOUCH : MEETING_UNKNOWN;
}

// A box around what both bodies have in common, widened by the reach, along an axis that parts them least and two
// across it. In A's frame.
typedef struct Lens {
    Vec3 axis[3];
    double low[3], high[3];
} Lens;

static void span_along(const Polytope* p, Vec3 n, double* low, double* high) {
    *low = INFINITY;
    *high = -INFINITY;

    for (int32_t v = 0; v < p->vertex_count; ++v) {
        const double h = v3_dot(n, p->vertices[v]);
        *low = h < *low ? h : *low;
        *high = h > *high ? h : *high;
    }
}

static Lens find_lens(const Work* work, Vec3 n, double reach) {
    const Polytope* a = &work->a->polytope;
    const Polytope* b = &work->b->polytope;

    const Vec3 between = v3_sub(pose_apply(&work->a_from_b, b->centre), a->centre);
    const Vec3 side = v3_mad(between, -v3_dot(between, n), n);
    const bool aside = v3_length_sq(side) > 1e-6 * (a->radius * a->radius);
    Lens lens = {.axis = {n, aside ? v3_unit_or(side, n) : v3_any_normal(n)}};
    lens.axis[2] = v3_cross(n, lens.axis[1]);

    for (int k = 0; k < 3; ++k) {
        double low_a, high_a, low_b, high_b;
        span_along(a, lens.axis[k], &low_a, &high_a);
        span_along(b, pose_turn_back(&work->a_from_b, lens.axis[k]), &low_b, &high_b);
        const double shift = v3_dot(lens.axis[k], work->a_from_b.t);
        lens.low[k] = fmax(low_a, low_b + shift) - reach;
        lens.high[k] = fmin(high_a, high_b + shift) + reach;
    }

    return lens;
}

// On which sides of the lens each vertex is out.
static void mark_sides(const Work* work, const Lens* lens, bool of_a) {
    const Polytope* p = of_a ? &work->a->polytope : &work->b->polytope;
    uint8_t* out = work->world->out_side[of_a ? 0 : 1];
    Vec3 axis[3];
    double low[3], high[3];

    for (int k = 0; k < 3; ++k) {
        axis[k] = of_a ? lens->axis[k] : pose_turn_back(&work->a_from_b, lens->axis[k]);
        const double shift = of_a ? 0.0 : v3_dot(lens->axis[k], work->a_from_b.t);
        low[k] = lens->low[k] - shift;
        high[k] = lens->high[k] - shift;
    }

    for (int32_t v = 0; v < p->vertex_count; ++v) {
        unsigned sides = 0;
        for (unsigned k = 0; k < 3; ++k) {
            const double h = v3_dot(axis[k], p->vertices[v]);
            sides |= (h < low[k] ? 1u : 0u) << (2 * k) | (h > high[k] ? 2u : 0u) << (2 * k);
        }
        out[v] = (uint8_t)sides;
    }
}

// Tries the faces of one body that reach into the lens, and lists its edges that do. Returns how many these are.
static int32_t collect_near_features(Search* search, const Lens* lens, bool of_a) {
    Work* work = search->work;
    const Polytope* p = of_a ? &work->a->polytope : &work->b->polytope;
    mark_sides(work, lens, of_a);
    const uint8_t* out = work->world->out_side[of_a ? 0 : 1];

    for (int32_t f = 0; f < p->face_count; ++f) {
        const PolyFace* face = &p->faces[f];
        unsigned common = 63;
        for (int32_t k = 0; k < face->count && common != 0; ++k) {
            common &= out[p->corners[face->first + k].vertex];
        }
        if (common == 0) {
            try_face_axis(search, of_a, f);
        }
    }

    int32_t* near = work->world->near_edges[of_a ? 0 : 1];
    int32_t count = 0;
    for (int32_t e = 0; e < p->edge_count; ++e) {
        const PolyEdge* edge = &p->edges[e];
        near[count] = e;
        count += (out[edge->tail] & out[edge->head]) == 0 && !edge_is_inner(p, edge);
    }

    return count;
}

// Without octrees: of bodies that are not deep in each other the lens leaves few features. A pair that can be the least
// axis is within the reach, so both of it meet the lens. False when it leaves too many pairs of edges.
static bool search_lens(Search* search, const Axis* start, double reach) {
    Work* work = search->work;
    BerthContactWorld* world = work->world;

    const Lens lens = find_lens(work, start->n, reach);
    const int32_t count_a = collect_near_features(search, &lens, true);
    const int32_t count_b = collect_near_features(search, &lens, false);
    if ((int64_t)count_a * count_b > LENS_PAIRS) {
        return false;
    }

    for (int32_t i = 0; i < count_a && search->parted.kind == AXIS_NONE; ++i) {
        const EdgeInB edge = edge_in_b(work, world->near_edges[0][i]);
        for (int32_t k = 0; k < count_b; ++k) {
            try_edge_axis(search, &edge, world->near_edges[1][k]);
        }
    }
    return true;
}

// Searches features no further than the depth of `start`, which is an upper bound.
static Meeting search_features(Work* work, const Axis* start, Axis* out) {
    BerthContactWorld* world = work->world;
    Search search = {.work = work};
    if (start->kind > AXIS_PLAIN) {
        search.best = *start;
    }

    bi_contact_begin_search(world);
    const double reach = fmax(start->depth, 0.0) + 2.0 * work->slack;
    if (world->lab.levels >= 0 || !search_lens(&search, start, reach)) {
        world->counters.node_tests += bi_octree_walk(&work->a->polytope.octree, &work->b->polytope.octree,
                                                     &work->a_from_b, reach, visit_leaves, &search);
    }

    if (search.parted.kind != AXIS_NONE) {
        *out = search.parted;
        return MEETING_APART;
    }

    *out = search.best;
    return search.best.kind != AXIS_NONE ? MEETING_TOUCH : MEETING_UNKNOWN;
}

// Keeps the last cycle's axis unless the new one is clearly better.
static void keep_last_axis(const Work* work, const Axis* last, Axis* axis) {
    if (work->world->def.memory && last->kind > AXIS_PLAIN &&
        last->depth <= axis->depth + BI_CONTACT_KEEP_SHARE * fabs(axis->depth) + work->keep) {
        *axis = *last;
    }
}

Meeting bi_contact_find_axis_again(Work* work, Axis* out) {
    PairMemory* memory = work->memory;
    if (memory->axis.kind == AXIS_NONE) {
        return MEETING_UNKNOWN;
    }

    if (prove_apart_along(work, memory->axis.n)) {
        *out = memory->axis;
        return MEETING_APART;
    }

    const Axis last = renew_axis(work, &memory->axis);
    if (last.kind == AXIS_NONE) {
        return MEETING_UNKNOWN;
    }
    if (prove_apart_along(work, last.n)) {
        *out = last;
        return MEETING_APART;
    }

    const Meeting meeting = search_features(work, &last, out);
    if (meeting == MEETING_TOUCH) {
        keep_last_axis(work, &last, out);
    }
    return meeting;
}

Meeting bi_contact_find_axis(Work* work, Axis* out) {
    BerthGap gap;
    const Axis last = renew_axis(work, &work->memory->axis);
    const Meeting meeting = bi_contact_search_gjk(work, out, &gap);
    if (meeting == MEETING_APART || !(gap.upper < INFINITY)) {
        return meeting;
    }

    // GJK's depth is one along its normal: the true one is no larger. Where it could not tell whether they touch, the
    // features that are nearest are no further apart than its points.
    Axis plain = {AXIS_PLAIN, -1, -1, out->n, bi_contact_depth_along(work, out->n, false)};
    plain.depth = fmax(plain.depth, meeting == MEETING_UNKNOWN ? 2.0 * gap.upper : 0.0);

    const Meeting found = search_features(work, &plain, out);
    if (found == MEETING_UNKNOWN) {
        *out = plain;  // every face that could be it is an inner one
        return meeting;
    }
    if (found == MEETING_APART) {
        return MEETING_APART;
    }

    keep_last_axis(work, &last, out);
    return meeting;
}
