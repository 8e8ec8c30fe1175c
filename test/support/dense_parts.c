// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Trees of boxes over triangles, made by halving; distances of triangles by their edges and corners.

#include "support/dense_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <float.h>
#include <stdlib.h>
#include <cmocka.h>

// ---- distances ----------------------------------------------------------------------------------------------------

static double unit_clamp(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// Squared distance of two segments, of which either may be a point.
static double segments_sq(V p, V u, V q, V v) {
    const V r = sub(p, q);
    const double a = dot(u, u), e = dot(v, v), f = dot(v, r), c = dot(u, r), b = dot(u, v);
    double s = 0, t = 0;
    if (a > 0 && e > 0) {
        const double across = a * e - b * b;
        s = across > 0 ? unit_clamp((b * f - c * e) / across) : 0;
        t = (b * s + f) / e;
        if (t < 0 || t > 1) {
            t = unit_clamp(t);
            s = unit_clamp((b * t - c) / a);
        }
    } else if (a > 0) {
        s = unit_clamp(-c / a);
    } else if (e > 0) {
        t = unit_clamp(f / e);
    }
    const V d = sub(add(r, times(u, s)), times(v, t));
    return dot(d, d);
}

// Squared distance of a point to the face of a triangle, where its foot is inside of it; infinite else.
static double face_sq(V p, const Tri* t, V n, double nn) {
    for (int k = 0; k < 3; ++k) {
        const V edge = sub(t->at[(k + 1) % 3], t->at[k]);
        if (dot(cross(edge, sub(p, t->at[k])), n) < 0) {
            return INFINITY;
        }
    }
    const double h = dot(n, sub(p, t->at[0]));
    return h * h / nn;
}

// Does the segment from p to q cross the triangle?
static bool pierces(V p, V q, const Tri* t, V n) {
    const double hp = dot(n, sub(p, t->at[0])), hq = dot(n, sub(q, t->at[0]));
    if (!(hp * hq < 0)) {
        return false;
    }
    const V at = add(p, times(sub(q, p), hp / (hp - hq)));
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        const V edge = sub(t->at[(k + 1) % 3], t->at[k]);
        inside = inside && dot(cross(edge, sub(at, t->at[k])), n) >= 0;
    }
    return inside;
}

// How far two triangles are apart for certain: along the line between their middles, and along both normals.
static double beyond(const Tri* a, const Tri* b) {
    const V along[3] = {
        sub(add(add(b->at[0], b->at[1]), b->at[2]), add(add(a->at[0], a->at[1]), a->at[2])),
        cross(sub(a->at[1], a->at[0]), sub(a->at[2], a->at[0])),
        cross(sub(b->at[1], b->at[0]), sub(b->at[2], b->at[0])),
    };
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        const V n = along[k];
        const double size = length(n);
        double a_low = INFINITY, a_high = -INFINITY, b_low = INFINITY, b_high = -INFINITY;
        for (int i = 0; i < 3; ++i) {
            const double ha = dot(n, a->at[i]), hb = dot(n, b->at[i]);
            a_low = least_of(a_low, ha), a_high = most_of(a_high, ha);
            b_low = least_of(b_low, hb), b_high = most_of(b_high, hb);
        }
        most = size > 0 ? most_of(most, most_of(b_low - a_high, a_low - b_high) / size - 1e-12) : most;
    }
    return most;
}

static double triangles_sq(const Tri* a, const Tri* b) {
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        const V u = sub(a->at[(i + 1) % 3], a->at[i]);
        for (int k = 0; k < 3; ++k) {
            least = least_of(least, segments_sq(a->at[i], u, b->at[k], sub(b->at[(k + 1) % 3], b->at[k])));
        }
    }
    const Tri* both[2] = {a, b};
    for (int side = 0; side < 2; ++side) {
        const Tri *face = both[side], *other = both[1 - side];
        const V n = cross(sub(face->at[1], face->at[0]), sub(face->at[2], face->at[0]));
        const double nn = dot(n, n);
        for (int k = 0; nn > 0 && k < 3; ++k) {
            least = least_of(least, face_sq(other->at[k], face, n, nn));
            if (pierces(other->at[k], other->at[(k + 1) % 3], face, n)) {
                return 0;
            }
        }
    }
    return least;
}

// ---- parts --------------------------------------------------------------------------------------------------------

static Node ball_around(const Tri* tris, const int* order, int count) {
    V low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * count; ++i) {
        const V p = tris[order[i / 3]].at[i % 3];
        low = (V){least_of(low.x, p.x), least_of(low.y, p.y), least_of(low.z, p.z)};
        high = (V){most_of(high.x, p.x), most_of(high.y, p.y), most_of(high.z, p.z)};
    }
    Node node = {.centre = times(add(low, high), 0.5), .left = -1};
    const V slack = {1e-12, 1e-12, 1e-12};
    node.half = add(times(sub(high, low), 0.5 * (1 + 1e-12)), slack);
    for (int i = 0; i < 3 * count; ++i) {
        node.radius = most_of(node.radius, length(sub(tris[order[i / 3]].at[i % 3], node.centre)));
    }
    node.radius = node.radius * (1 + 1e-12) + 1e-12;
    return node;
}

typedef struct Sorted {
    double key;
    int tri;
} Sorted;

static int compare_keys(const void* a, const void* b) {
    const Sorted *first = a, *second = b;
    return (first->key > second->key) - (first->key < second->key);
}

// Halves along the axis on which the middles are widest apart.
static void halve(const Tri* tris, int* order, int count) {
    V low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    Sorted* sorted = malloc((size_t)count * sizeof *sorted);
    for (int i = 0; i < count; ++i) {
        const V m = add(add(tris[order[i]].at[0], tris[order[i]].at[1]), tris[order[i]].at[2]);
        low = (V){least_of(low.x, m.x), least_of(low.y, m.y), least_of(low.z, m.z)};
        high = (V){most_of(high.x, m.x), most_of(high.y, m.y), most_of(high.z, m.z)};
    }
    const V wide = sub(high, low);
    const int axis = wide.x >= wide.y && wide.x >= wide.z ? 0 : wide.y >= wide.z ? 1 : 2;
    for (int i = 0; i < count; ++i) {
        const V m = add(add(tris[order[i]].at[0], tris[order[i]].at[1]), tris[order[i]].at[2]);
        sorted[i] = (Sorted){axis == 0 ? m.x : axis == 1 ? m.y : m.z, order[i]};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_keys);
    for (int i = 0; i < count; ++i) {
        order[i] = sorted[i].tri;
    }
    free(sorted);
}

static int build_node(Part* part, int* order, int count) {
    const int index = part->node_count++;
    part->nodes[index] = ball_around(part->tris, order, count);
    if (count == 1) {
        part->nodes[index].right = order[0];
        return index;
    }
    halve(part->tris, order, count);
    const int left = build_node(part, order, count / 2);
    const int right = build_node(part, order + count / 2, count - count / 2);
    part->nodes[index].left = left;
    part->nodes[index].right = right;
    return index;
}

void part_build_tree(Part* part) {
    int* order = malloc((size_t)part->tri_count * sizeof *order);
    for (int i = 0; i < part->tri_count; ++i) {
        order[i] = i;
    }
    part->nodes = malloc((size_t)(2 * part->tri_count) * sizeof *part->nodes);
    build_node(part, order, part->tri_count);
    free(order);
}

// Room for one more: it doubles at every power of two. One by one took half the time of a test with a thousand boxes under the
// address sanitizer, which moves what grows.
static void* grown(void* items, int count, size_t size) {
    const bool is_full = (count & (count - 1)) == 0;
    return is_full ? realloc(items, (size_t)(2 * count + 1) * size) : items;
}

static void add_tri(Part* part, V a, V b, V c) {
    part->tris = grown(part->tris, part->tri_count, sizeof *part->tris);
    part->tris[part->tri_count++] = (Tri){{a, b, c}};
}

static void add_inner(Part* part, bool round, V half, Frame pose) {
    part->inner = grown(part->inner, part->inner_count, sizeof *part->inner);
    part->inner[part->inner_count++] = (Inner){round, half, pose};
}

static void add_piece(Part* part, int tri) {
    part->pieces = grown(part->pieces, part->piece_count, sizeof *part->pieces);
    part->pieces[part->piece_count++] = tri;
}

void part_add_box(Part* part, V centre, V half) {
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    V at[8];
    for (int k = 0; k < 8; ++k) {
        at[k] = add(centre, (V){(k & 1) != 0 ? half.x : -half.x, (k & 2) != 0 ? half.y : -half.y,
                                (k & 4) != 0 ? half.z : -half.z});
    }
    add_piece(part, part->tri_count);
    for (int i = 0; i < 12; ++i) {
        add_tri(part, at[faces[i][0]], at[faces[i][1]], at[faces[i][2]]);
    }
    Frame pose = still;
    pose.t = centre;
    add_inner(part, false, half, pose);
}

// A rod is a line with a radius, exact but for its ends, which are round and inside of it; what is thick is a prism.
static void add_cylinder(Part* part, double radius, double long_half) {
    if (long_half > 20 * radius) {
        const V end = {0, 0, long_half - radius};
        add_tri(part, times(end, -1), end, times(end, -1));
        part->radius = radius;
        return;
    }
    const V low = {0, 0, -long_half}, high = {0, 0, long_half};
    for (int s = 0; s < DENSE_SIDES; ++s) {
        const double a = 2 * acos(-1.0) * s / DENSE_SIDES, b = 2 * acos(-1.0) * (s + 1) / DENSE_SIDES;
        const V pa = {radius * cos(a), radius * sin(a), 0}, pb = {radius * cos(b), radius * sin(b), 0};
        add_tri(part, low, add(pb, low), add(pa, low));
        add_tri(part, high, add(pa, high), add(pb, high));
        add_tri(part, add(pa, low), add(pb, low), add(pb, high));
        add_tri(part, add(pa, low), add(pb, high), add(pa, high));
    }
    add_inner(part, true, (V){radius, radius, long_half}, still);
}

static void set_shape(Part* part, const BerthShape* s) {
    const V none = {0, 0, 0};
    switch (s->kind) {
    case BERTH_SPHERE:
        part->radius = s->as.sphere.radius;
        add_tri(part, none, none, none);
        break;
    case BERTH_CAPSULE:
        part->radius = s->as.capsule.radius;
        add_tri(part, (V){0, 0, -0.5 * s->as.capsule.length}, (V){0, 0, 0.5 * s->as.capsule.length}, none);
        break;
    case BERTH_BOX:
        part_add_box(part, none, v_of(s->as.box.half));
        break;
    case BERTH_CYLINDER:
        add_cylinder(part, s->as.cylinder.radius, 0.5 * s->as.cylinder.length);
        break;
    case BERTH_HALFSPACE:
        part->plane = true;
        part->normal = v_of(s->as.halfspace.normal);
        part->offset = s->as.halfspace.offset;
        break;
    default:
        fail_msg("dense: a shape of kind %d", (int)s->kind);
    }
}

static int piece_of(int* above, int vertex) {
    while (above[vertex] != vertex) {
        vertex = above[vertex] = above[above[vertex]];
    }
    return vertex;
}

// What hangs together by corners that are shared is one piece.
static void find_pieces(Part* part, const int32_t* corner, int vertex_count) {
    int* above = malloc((size_t)vertex_count * sizeof *above);
    for (int v = 0; v < vertex_count; ++v) {
        above[v] = v;
    }
    for (int i = 0; i < 3 * part->tri_count; ++i) {
        above[piece_of(above, corner[i])] = piece_of(above, corner[i / 3 * 3]);
    }

    bool* told = calloc((size_t)vertex_count, sizeof *told);
    for (int i = 0; i < part->tri_count; ++i) {
        const int piece = piece_of(above, corner[3 * i]);
        if (!told[piece]) {
            add_piece(part, i);
        }
        told[piece] = true;
    }
    free(told);
    free(above);
}

void part_set_solid(Part* part, const BerthSolid* solid) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    if (mesh == NULL) {
        set_shape(part, berth_solid_shape(solid));
    } else {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        const BerthVec3* at = berth_mesh_vertices(mesh);
        const int32_t* corner = berth_mesh_triangles(mesh);
        part->tris = malloc((size_t)info.triangle_count * sizeof *part->tris);
        part->tri_count = info.triangle_count;
        part->closed = info.watertight;
        part->mesh = true;
        for (int i = 0; i < 3 * info.triangle_count; ++i) {
            part->tris[i / 3].at[i % 3] = v_of(at[corner[i]]);
        }
    }
    if (mesh != NULL) {
        find_pieces(part, berth_mesh_triangles(mesh), berth_mesh_info(mesh).vertex_count);
    } else if (!part->plane && part->piece_count == 0) {
        add_piece(part, 0);
    }
    if (!part->plane) {
        part_build_tree(part);
    }
}

void part_free(Part* part) {
    free(part->tris);
    free(part->nodes);
    free(part->inner);
    free(part->pieces);
}

// ---- how far two are apart ----------------------------------------------------------------------------------------

// One body of which distances are known by a formula: a box, a cylinder, a line or a point.
static bool is_simple(const Part* part) {
    return (part->tri_count == 1 && !part->mesh) ||
           (part->inner_count == 1 && part->tri_count <= 4 * DENSE_SIDES);
}

// From a point to it, in its own frame, from below.
static double simple_distance(const Part* part, V p) {
    if (part->inner_count == 0) {
        const Tri* t = &part->tris[0];
        const V none = {0, 0, 0};
        return sqrt(segments_sq(p, none, t->at[0], sub(t->at[1], t->at[0])));
    }
    const Inner* inner = &part->inner[0];
    const V q = unapply(&inner->pose, p);
    const double z = most_of(0, fabs(q.z) - inner->half.z);
    if (inner->round) {
        return hypot(most_of(0, hypot(q.x, q.y) - inner->half.x), z);
    }
    const double x = most_of(0, fabs(q.x) - inner->half.x), y = most_of(0, fabs(q.y) - inner->half.y);
    return sqrt(x * x + y * y + z * z);
}

/// A search for the distance of two parts: what is nearer than `best` by less than its share counts as found. It ends where
/// `best` is below `enough`.
typedef struct Walk {
    double share, around, best, enough;
} Walk;

static bool is_settled(const Walk* walk) {
    return walk->best < walk->enough;
}

static double walk_limit(const Walk* walk) {
    return least_of(walk->best, walk->share * (walk->best - walk->around) + walk->around);
}

static Tri moved(const Frame* f, const Tri* t) {
    return (Tri){{apply(f, t->at[0]), apply(f, t->at[1]), apply(f, t->at[2])}};
}

// How far a triangle is from a box for certain: along the line from the box to the triangle's middle.
static double beyond_box(const Part* simple, const Tri* t) {
    if (simple->inner_count == 0 || simple->inner[0].round) {
        return 0;
    }
    const Inner* inner = &simple->inner[0];
    const V h = inner->half;
    V at[3], n = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        at[k] = unapply(&inner->pose, t->at[k]);
        n = add(n, times(at[k], 1.0 / 3));
    }
    n = (V){n.x - most_of(-h.x, least_of(h.x, n.x)), n.y - most_of(-h.y, least_of(h.y, n.y)),
            n.z - most_of(-h.z, least_of(h.z, n.z))};
    const double size = length(n), box = fabs(n.x) * h.x + fabs(n.y) * h.y + fabs(n.z) * h.z;
    const double least = least_of(dot(n, at[0]), least_of(dot(n, at[1]), dot(n, at[2])));
    return size > 0 ? (least - box) / size - 1e-12 : 0;
}

// Are the corners of a triangle near enough to what is left of it to stand for it? Where their distances are exact.
static bool try_corners(const Part* simple, const Tri* t, double bound, Walk* walk) {
    if (simple->inner_count > 0 && simple->inner[0].round) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        walk->best = least_of(walk->best, simple_distance(simple, t->at[k]));
    }
    return most_of(bound, beyond_box(simple, t)) >= walk_limit(walk);
}

// A tree against something simple: its corners first, since these are cheap and bound the rest.
static void walk_simple(const Part* tree, const Part* simple, Walk* walk) {
    const Frame from_tree = relative(&simple->world, &tree->world);
    struct {
        int node;
        double bound;
    } stack[DENSE_DEEP];
    int count = 1;
    stack[0].node = 0;
    stack[0].bound = -INFINITY;
    while (count > 0 && !is_settled(walk)) {
        count -= 1;
        const Node* node = &tree->nodes[stack[count].node];
        if (stack[count].bound >= walk_limit(walk)) {
            continue;
        }
        if (node->left < 0) {
            const Tri t = moved(&from_tree, &tree->tris[node->right]);
            if (try_corners(simple, &t, stack[count].bound, walk)) {
                continue;
            }
            for (int k = 0; k < simple->tri_count && !is_settled(walk); ++k) {
                if (beyond(&simple->tris[k], &t) >= walk_limit(walk)) {
                    continue;
                }
                walk->best = least_of(walk->best, sqrt(triangles_sq(&simple->tris[k], &t)));
            }
            continue;
        }

        assert_true(count + 2 <= DENSE_DEEP);
        const int child[2] = {node->left, node->right};
        double bound[2];
        for (int k = 0; k < 2; ++k) {
            const Node* n = &tree->nodes[child[k]];
            bound[k] = simple_distance(simple, apply(&from_tree, n->centre)) - n->radius;
        }
        const int near = bound[0] < bound[1] ? 0 : 1;  // the nearer one comes first
        stack[count].node = child[1 - near];
        stack[count++].bound = bound[1 - near];
        stack[count].node = child[near];
        stack[count++].bound = bound[near];
    }
}

static double gap_along(double apart, double halves) {
    return most_of(0, fabs(apart) - halves);
}

static double outside(V d, V h) {
    const V gap = {gap_along(d.x, h.x), gap_along(d.y, h.y), gap_along(d.z, h.z)};
    return dot(gap, gap);
}

// Of two boxes in two frames: each in a box along the other one's axes.
static double boxes_apart(const Node* a, const Node* b, const Frame* a_from_b, const Frame* size) {
    const V d = sub(apply(a_from_b, b->centre), a->centre);
    const V e = {dot(a_from_b->x, d), dot(a_from_b->y, d), dot(a_from_b->z, d)};
    const V g = {dot(size->x, a->half), dot(size->y, a->half), dot(size->z, a->half)};
    return sqrt(most_of(outside(d, add(turn(size, b->half), a->half)), outside(e, add(g, b->half))));
}

static V sizes(V a) {
    return (V){fabs(a.x), fabs(a.y), fabs(a.z)};
}

// `last` is the pair of triangles that was nearest last time: most likely it still nearly is.
static void walk_trees(const Part* a, const Part* b, int last[2], Walk* walk) {
    const Frame a_from_b = relative(&a->world, &b->world);
    const Frame size = {sizes(a_from_b.x), sizes(a_from_b.y), sizes(a_from_b.z), {0, 0, 0}};
    struct {
        int a, b;
        double bound;
    } stack[DENSE_DEEP];
    int count = 1;
    stack[0].a = stack[0].b = 0;
    stack[0].bound = -INFINITY;
    const Tri first = moved(&a_from_b, &b->tris[last[1] % b->tri_count]);
    walk->best = least_of(walk->best, sqrt(triangles_sq(&a->tris[last[0] % a->tri_count], &first)));

    while (count > 0 && !is_settled(walk)) {
        count -= 1;
        const int ia = stack[count].a, ib = stack[count].b;
        const Node *na = &a->nodes[ia], *nb = &b->nodes[ib];
        if (stack[count].bound >= walk_limit(walk)) {
            continue;
        }
        if (na->left < 0 && nb->left < 0) {
            const Tri t = moved(&a_from_b, &b->tris[nb->right]);
            if (beyond(&a->tris[na->right], &t) >= walk_limit(walk)) {
                continue;
            }
            const double apart = sqrt(triangles_sq(&a->tris[na->right], &t));
            if (apart < walk->best) {
                walk->best = apart;
                last[0] = na->right;
                last[1] = nb->right;
            }
            continue;
        }

        assert_true(count + 2 <= DENSE_DEEP);
        const bool split_a = nb->left < 0 || (na->left >= 0 && na->radius > nb->radius);
        const int child[2] = {split_a ? na->left : nb->left, split_a ? na->right : nb->right};
        double bound[2];
        for (int k = 0; k < 2; ++k) {
            const Node* x = split_a ? &a->nodes[child[k]] : na;
            const Node* y = split_a ? nb : &b->nodes[child[k]];
            bound[k] = boxes_apart(x, y, &a_from_b, &size);
        }
        const int near = bound[0] < bound[1] ? 0 : 1;
        for (int k = 0; k < 2; ++k) {
            const int which = k == 0 ? 1 - near : near;
            stack[count].a = split_a ? child[which] : ia;
            stack[count].b = split_a ? ib : child[which];
            stack[count++].bound = bound[which];
        }
    }
}

// How often a closed surface goes round a point, by solid angles (van Oosterom and Strackee).
static bool is_inside_by_angles(const Part* mesh, V p) {
    double sum = 0;
    for (int i = 0; i < mesh->tri_count; ++i) {
        const V a = sub(mesh->tris[i].at[0], p), b = sub(mesh->tris[i].at[1], p),
                c = sub(mesh->tris[i].at[2], p);
        const double la = length(a), lb = length(b), lc = length(c);
        sum +=
            2 * atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
    }
    return fabs(sum) > 2 * acos(-1.0);
}

// How often a ray from p along d goes out through a triangle: 1, -1 where it goes in, 0; 2 where it is too near to an edge to tell.
static int goes_out(const Tri* t, V p, V d) {
    V corner[3];
    double side[3], size = 0;
    for (int k = 0; k < 3; ++k) {
        corner[k] = sub(t->at[k], p);
        size = most_of(size, length(corner[k]));
    }
    for (int k = 0; k < 3; ++k) {
        side[k] = dot(d, cross(corner[k], corner[(k + 1) % 3]));
    }
    const double least = least_of(side[0], least_of(side[1], side[2])),
                 most = most_of(side[0], most_of(side[1], side[2])), blur = 1e-13 * size * size;
    if (least < -blur && most > blur) {
        return 0;
    }
    const V n = cross(sub(t->at[1], t->at[0]), sub(t->at[2], t->at[0]));
    const double ahead = dot(n, corner[0]) * dot(n, d);
    if (fabs(least) <= blur || fabs(most) <= blur || fabs(ahead) <= 1e-13 * dot(n, n)) {
        return 2;
    }
    return ahead < 0 ? 0 : least > 0 ? 1 : -1;
}

static bool ray_meets(const Node* node, V p, V d) {
    const V c = sub(node->centre, p), h = node->half;
    const V across = cross(c, d);
    return dot(c, d) >= -node->radius && fabs(across.x) <= h.y * fabs(d.z) + h.z * fabs(d.y) &&
           fabs(across.y) <= h.x * fabs(d.z) + h.z * fabs(d.x) &&
           fabs(across.z) <= h.x * fabs(d.y) + h.y * fabs(d.x);
}

// The same by where a ray goes out, which a tree finds at once; by angles where the ray meets an edge.
static bool is_inside_mesh(const Part* mesh, V p) {
    const Node* root = &mesh->nodes[0];
    const V far = sizes(sub(p, root->centre)), d = {0.2672612419, 0.5345224838, 0.8017837257};
    if (far.x > root->half.x || far.y > root->half.y || far.z > root->half.z) {
        return false;
    }
    int stack[DENSE_DEEP], count = 1, rounds = 0;
    stack[0] = 0;
    while (count > 0) {
        const Node* node = &mesh->nodes[stack[--count]];
        if (!ray_meets(node, p, d)) {
            continue;
        }
        if (node->left < 0) {
            const int out = goes_out(&mesh->tris[node->right], p, d);
            if (out == 2) {
                return is_inside_by_angles(mesh, p);
            }
            rounds += out;
            continue;
        }
        assert_true(count + 2 <= DENSE_DEEP);
        stack[count++] = node->left;
        stack[count++] = node->right;
    }
    return rounds != 0;
}

static bool is_inside(const Part* solid, V p, bool meshes) {
    bool inside = meshes && solid->closed && is_inside_mesh(solid, p);
    for (int i = 0; i < solid->inner_count && !inside; ++i) {
        const Inner* inner = &solid->inner[i];
        const V q = unapply(&inner->pose, p);
        const bool side = inner->round ? hypot(q.x, q.y) <= inner->half.x
                                       : fabs(q.x) <= inner->half.x && fabs(q.y) <= inner->half.y;
        inside = side && fabs(q.z) <= inner->half.z;
    }
    return inside;
}

// Is a corner of one inside of what the other is solid in, but for meshes?
static bool holds(const Part* solid, const Part* other) {
    return is_inside(solid, unapply(&solid->world, apply(&other->world, other->tris[0].at[0])), false);
}

static bool holds_a_piece(const Part* solid, const Part* other) {
    const Frame from_other = relative(&solid->world, &other->world);
    bool inside = false;
    for (int i = 0; i < other->piece_count && !inside && (solid->closed || solid->inner_count > 0); ++i) {
        inside = is_inside(solid, apply(&from_other, other->tris[other->pieces[i]].at[0]), true);
    }
    return inside;
}

bool parts_nest(const Part* a, const Part* b) {
    if (a->plane || b->plane) {
        return false;
    }
    const double roots = length(sub(a->middle, b->middle)) - a->nodes[0].radius - b->nodes[0].radius;
    return roots < 0 && (holds_a_piece(a, b) || holds_a_piece(b, a));
}

// The lowest of a tree over a plane, from its top; nothing below `best` is looked at where there is none.
static double plane_gap(const Part* plane, const Part* other, double best) {
    const V n = turn(&plane->world, plane->normal);
    const double offset = plane->offset + dot(n, plane->world.t) + other->radius;
    const V along = {dot(n, other->world.x), dot(n, other->world.y), dot(n, other->world.z)};
    const V wide = sizes(along);
    const double height = dot(n, other->world.t) - offset;
    int stack[DENSE_DEEP], count = 1;
    stack[0] = 0;
    while (count > 0) {
        const Node* node = &other->nodes[stack[--count]];
        if (height + dot(along, node->centre) - dot(wide, node->half) >= best) {
            continue;
        }
        for (int k = 0; k < 3 && node->left < 0; ++k) {
            best = least_of(best, height + dot(along, other->tris[node->right].at[k]));
        }
        if (node->left >= 0) {
            assert_true(count + 2 <= DENSE_DEEP);
            stack[count++] = node->left;
            stack[count++] = node->right;
        }
    }
    return best;
}

bool parts_are_apart(const Part* a, const Part* b, double padding, double far, int last[2], double* met) {
    if (a->plane || b->plane) {
        const double gap =
            (a->plane ? plane_gap(a, b, far + padding) : plane_gap(b, a, far + padding)) - padding;
        *met = least_of(*met, gap);
        return gap > far - 1e-12;  // where nothing is nearer it is told as `far`, but for rounding
    }

    const double around = a->radius + b->radius + padding, wanted = most_of(far + around, 1e-9);
    const double roots = length(sub(a->middle, b->middle)) - a->nodes[0].radius - b->nodes[0].radius;
    if (roots >= wanted) {
        return true;
    }
    Walk walk = {1.0, around, wanted, wanted};
    if (is_simple(a) || is_simple(b)) {
        walk_simple(is_simple(b) ? a : b, is_simple(b) ? b : a, &walk);
    } else {
        walk_trees(a, b, last, &walk);
    }
    if (is_settled(&walk)) {
        *met = least_of(*met, (walk.best > 0 ? walk.best : -1e-6) - around);
    }
    return !is_settled(&walk);
}

// Paddings taken off; `best` where it is not smaller.
double parts_gap(const Part* a, const Part* b, double padding, double share, int last[2], double best) {
    if (a->plane || b->plane) {
        return (a->plane ? plane_gap(a, b, best + padding) : plane_gap(b, a, best + padding)) - padding;
    }
    const double around = a->radius + b->radius + padding;
    const double roots = length(sub(a->middle, b->middle)) - a->nodes[0].radius - b->nodes[0].radius;
    Walk walk = {share, around, best + around, DBL_MIN};
    if (roots >= walk_limit(&walk)) {
        return best;
    }
    if (is_simple(a) || is_simple(b)) {
        walk_simple(is_simple(b) ? a : b, is_simple(b) ? b : a, &walk);
    } else {
        walk_trees(a, b, last, &walk);
    }
    const double apart = walk.best > 0 ? walk.best : -1e-6;  // surfaces that cross
    if (apart > 0 && roots < 0 && (share > 0.8 ? parts_nest(a, b) : holds(a, b) || holds(b, a))) {
        return -around;
    }
    return apart - around;
}
