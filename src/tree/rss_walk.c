// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Gaps of rectangle swept spheres, and GREEDY-DIST on two trees of them as corrected in errata 2.4.
//
// Entries: bi_rss_gap, bi_rss_ball_gap, bi_rss_shape_gap, bi_rss_greedy_distance, bi_rss_test_touch.

#include <float.h>

#include "math/math.h"
#include "shape/gap.h"
#include "tree/rss.h"

/// A rectangle with its axes, all in one frame.
typedef struct Rect {
    Vec3 centre, x, y, z;
    double hx, hy;
} Rect;

static Vec3 rect_corner(const Rect* r, int k) {
    const double sx = (k & 1) ? r->hx : -r->hx;
    const double sy = (k & 2) ? r->hy : -r->hy;
    return v3_mad(v3_mad(r->centre, sx, r->x), sy, r->y);
}

static Vec3 nearest_in_rect(const Rect* r, Vec3 p) {
    const Vec3 d = v3_sub(p, r->centre);
    const double u = clamp(v3_dot(d, r->x), -r->hx, r->hx);
    const double v = clamp(v3_dot(d, r->y), -r->hy, r->hy);
    return v3_mad(v3_mad(r->centre, u, r->x), v, r->y);
}

static double reach_along(const Rect* r, Vec3 n) {
    return fabs(v3_dot(n, r->x)) * r->hx + fabs(v3_dot(n, r->y)) * r->hy;
}

// Does an edge of `a` pass through the rectangle `b`?
static bool edges_pierce(const Rect* a, const Rect* b) {
    static const int edge[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
    for (int k = 0; k < 4; ++k) {
        const Vec3 p = v3_sub(rect_corner(a, edge[k][0]), b->centre);
        const Vec3 q = v3_sub(rect_corner(a, edge[k][1]), b->centre);
        const double hp = v3_dot(p, b->z);
        const double hq = v3_dot(q, b->z);
        if ((hp > 0) == (hq > 0) && hp != 0.0 && hq != 0.0) {
            continue;
        }

        const double t = hp == hq ? 0.0 : clamp(hp / (hp - hq), 0.0, 1.0);
        const Vec3 at = v3_lerp(p, q, t);
        if (fabs(v3_dot(at, b->x)) <= b->hx && fabs(v3_dot(at, b->y)) <= b->hy) {
            return true;
        }
    }
    return false;
}

static void keep_nearer(Vec3 p, Vec3 q, double* best_sq, Vec3* apart) {
    const Vec3 d = v3_sub(q, p);
    const double sq = v3_length_sq(d);
    if (sq < *best_sq) {
        *best_sq = sq;
        *apart = d;
    }
}

static double edge_edge_sq(const Rect* a, const Rect* b, double best_sq) {
    static const int edge[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};

    for (int i = 0; i < 4; ++i) {
        const Vec3 a0 = rect_corner(a, edge[i][0]);
        const Vec3 a1 = rect_corner(a, edge[i][1]);
        for (int j = 0; j < 4; ++j) {
            Vec3 p;
            Vec3 q;
            const double sq = bi_line_segments_distance_sq(a0, a1, rect_corner(b, edge[j][0]),
                                                           rect_corner(b, edge[j][1]), &p, &q);
            best_sq = sq < best_sq ? sq : best_sq;
        }
    }
    return best_sq;
}

// Distance of two rectangles: corners against the other rectangle, edges against edges, or a crossing. When the plane
// across the nearest corner already separates them by that much, the corner is the answer.
static double rect_distance(const Rect* a, const Rect* b) {
    double best_sq = DBL_MAX;
    Vec3 apart = v3(0, 0, 0);

    for (int k = 0; k < 4; ++k) {
        const Vec3 pb = rect_corner(b, k);
        keep_nearer(nearest_in_rect(a, pb), pb, &best_sq, &apart);
        const Vec3 pa = rect_corner(a, k);
        keep_nearer(pa, nearest_in_rect(b, pa), &best_sq, &apart);
    }

    const double best = sqrt(best_sq);
    const double gap =
        v3_dot(apart, v3_sub(b->centre, a->centre)) - reach_along(a, apart) - reach_along(b, apart);
    if (gap >= best_sq * (1.0 - 1e-12)) {
        return best;
    }

    if (edges_pierce(a, b) || edges_pierce(b, a)) {
        return 0.0;
    }
    return sqrt(edge_edge_sq(a, b, best_sq));
}

static Rect rect_of(const RssNode* node) {
    return (Rect){node->centre, node->axis[0], node->axis[1], node->axis[2], node->half[0], node->half[1]};
}

static Rect rect_seen_from(const RssNode* node, const Pose* a_from_b) {
    return (Rect){pose_apply(a_from_b, node->centre),
                  pose_turn(a_from_b, node->axis[0]),
                  pose_turn(a_from_b, node->axis[1]),
                  pose_turn(a_from_b, node->axis[2]),
                  node->half[0],
                  node->half[1]};
}

double bi_rss_gap(const RssNode* a, const RssNode* b, const Pose* a_from_b) {
    const Rect ra = rect_of(a);
    const Rect rb = rect_seen_from(b, a_from_b);
    return rect_distance(&ra, &rb) - a->radius - b->radius;
}

// Are two volumes further apart than `needed`? Planes along the sides of the rectangles tell most; the distance the rest.
static bool volumes_apart(const RssNode* a, const RssNode* b, const Pose* a_from_b, double needed) {
    const Rect ra = rect_of(a);
    const Rect rb = rect_seen_from(b, a_from_b);
    const Vec3 between = v3_sub(rb.centre, ra.centre);
    const double away = needed + a->radius + b->radius;
    const Vec3 axes[6] = {ra.z, rb.z, ra.x, ra.y, rb.x, rb.y};

    for (int k = 0; k < 6; ++k) {
        const double gap =
            fabs(v3_dot(between, axes[k])) - reach_along(&ra, axes[k]) - reach_along(&rb, axes[k]);
        if (gap > away * (1.0 + 1e-12)) {
            return true;
        }
    }
    return rect_distance(&ra, &rb) > away;
}

double bi_rss_ball_gap(const RssNode* node, Vec3 centre, double radius) {
    const Rect r = {node->centre, node->axis[0], node->axis[1], node->axis[2], node->half[0], node->half[1]};
    return v3_distance(centre, nearest_in_rect(&r, centre)) - radius - node->radius;
}

double bi_rss_shape_gap(const RssNode* node, const BerthShape* shape, const Pose* rss_from_shape,
                        double stop_above) {
    // The rectangle is a flat box; what its gap is off by is in `lower`.
    const BerthShape flat = {.kind = BERTH_BOX, .as.box.half = {node->half[0], node->half[1], 0.0}};
    const Pose frame = {node->axis[0], node->axis[1], node->axis[2], node->centre};
    const Pose flat_from_shape = pose_between(&frame, rss_from_shape);
    return bi_shape_gap(&flat, shape, &flat_from_shape, stop_above + node->radius).lower - node->radius;
}

/// The triangles of two leaves, in the frame of the first.
typedef struct LeafPair {
    Vec3 a[3], b[3];
} LeafPair;

static LeafPair leaf_triangles(const RssTree* a, const RssNode* na, const RssTree* b, const RssNode* nb,
                               const Pose* a_from_b) {
    LeafPair out;
    mesh_triangle(a->mesh, a->source[rss_leaf(na)], out.a);
    mesh_triangle(b->mesh, b->source[rss_leaf(nb)], out.b);
    for (int k = 0; k < 3; ++k) {
        out.b[k] = pose_apply(a_from_b, out.b[k]);
    }
    return out;
}

static double leaf_distance(const LeafPair* leaves) {
    Vec3 pa;
    Vec3 pb;
    return sqrt(bi_triangle_distance_sq(leaves->a, leaves->b, &pa, &pb));
}

// Which node to open: never a leaf, else the bigger volume. Must not depend on the configuration (errata 2.4).
static bool opens_a(const RssNode* na, const RssNode* nb) {
    return rss_is_leaf(nb) || (!rss_is_leaf(na) && rss_size(na) >= rss_size(nb));
}

typedef struct RssPair {
    int32_t a, b;
} RssPair;

// The children of one of the two volumes, the first on top.
static int32_t push_children(RssPair stack[2 * RSS_STACK], int32_t count, RssPair top, const RssNode* na,
                             const RssNode* nb) {
    BI_ASSERT(count + 2 <= 2 * RSS_STACK);
    if (opens_a(na, nb)) {
        stack[count++] = (RssPair){na->child + 1, top.b};
        stack[count++] = (RssPair){na->child, top.b};
    } else {
        stack[count++] = (RssPair){top.a, nb->child + 1};
        stack[count++] = (RssPair){top.a, nb->child};
    }
    return count;
}

double bi_rss_greedy_distance(const RssTree* a, const RssTree* b, const Pose* a_from_b, double delta,
                              double slack, int32_t node_budget, BerthCounters* counters) {
    // A pair is popped with its gap unknown: GREEDY-DIST is a depth-first walk, its value the least gap at which a
    // branch was cut. `found` only falls, so a branch cut at more than `found` adds nothing.
    RssPair stack[2 * RSS_STACK];
    int32_t count = 0;
    double found = INFINITY;

    stack[count++] = (RssPair){0, 0};
    while (count > 0) {
        const RssPair top = stack[--count];
        const RssNode* na = &a->nodes[top.a];
        const RssNode* nb = &b->nodes[top.b];

        if (node_budget-- <= 0) {
            return -1.0;
        }

        counters->bv_tests += 1;
        double gap = bi_rss_gap(na, nb, a_from_b) - slack;
        if (!(gap > delta) && rss_is_leaf(na) && rss_is_leaf(nb)) {
            counters->leaf_tests += 1;
            const LeafPair leaves = leaf_triangles(a, na, b, nb, a_from_b);
            gap = leaf_distance(&leaves) - slack;
            if (!(gap > delta)) {
                return 0.0;
            }
        }

        if (gap > delta) {
            found = gap < found ? gap : found;
            continue;
        }

        count = push_children(stack, count, top, na, nb);
    }
    return found;
}

bool bi_rss_test_touch(const RssTree* a, const RssTree* b, const Pose* a_from_b, double needed,
                       int32_t node_budget, BerthCounters* counters) {
    RssPair stack[2 * RSS_STACK];
    int32_t count = 0;

    stack[count++] = (RssPair){0, 0};
    while (count > 0) {
        const RssPair top = stack[--count];
        const RssNode* na = &a->nodes[top.a];
        const RssNode* nb = &b->nodes[top.b];
        if (node_budget-- <= 0) {
            return true;
        }

        counters->bv_tests += 1;
        if (volumes_apart(na, nb, a_from_b, needed)) {
            continue;
        }
        if (!rss_is_leaf(na) || !rss_is_leaf(nb)) {
            count = push_children(stack, count, top, na, nb);
            continue;
        }

        counters->leaf_tests += 1;
        const LeafPair leaves = leaf_triangles(a, na, b, nb, a_from_b);
        if (!bi_triangles_apart(leaves.a, leaves.b, needed) && !(leaf_distance(&leaves) > needed)) {
            return true;
        }
    }
    return false;
}
