// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The walk over two trees of boxes. Both descend together: eight boxes against eight, the pairs that are not proven
// far enough apart go on the stack, nearest on top. Boxes prune in float with slack; double decides at the leaves.

#include <float.h>

#include "math/math.h"
#include "shape/gap.h"
#include "tree/solid.h"

// The larger the limit the less is pruned; empty lanes have a bound of BOX_EMPTY squared, which must be above it.
#define LIMIT_SQ_MAX 1e34f

typedef struct Walk {
    BerthTreeQuery* query;
    const BerthSolid* a;
    const BerthSolid* b;
    const Pose* a_from_b;
    const SolidRequest* request;
    BerthTreeAnswer* out;
    double cut;         // pairs proven further apart than this are of no interest
    float limit_sq;     // cut squared, rounded up
    double leaf_lower;  // smallest lower bound of a leaf pair
    BoxFrame frame;
    int32_t stack_count;
    int32_t nodes_left;
} Walk;

double bi_solid_slack(const BerthSolid* a, const Pose* world_from_a, const BerthSolid* b,
                      const Pose* world_from_b) {
    const double radius = a->extent + b->extent + v3_length(world_from_a->t) + v3_length(world_from_b->t);
    return BI_DISTANCE_SLACK * radius + DBL_MIN;
}

void bi_box_frame(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b, BoxFrame* out) {
    const Vec3 column[3] = {a_from_b->x, a_from_b->y, a_from_b->z};
    for (int c = 0; c < 3; ++c) {
        const double entry[3] = {column[c].x, column[c].y, column[c].z};
        for (int row = 0; row < 3; ++row) {
            out->turn[row][c] = (float)entry[row];
            out->abs_turn[row][c] = (float)fabs(entry[row]) + 4.0f * (float)BI_ULP_F;
        }
    }
    out->t[0] = (float)a_from_b->t.x;
    out->t[1] = (float)a_from_b->t.y;
    out->t[2] = (float)a_from_b->t.z;
    const double radius = a->extent + b->extent + v3_length(a_from_b->t);
    out->slack = (float)(32.0 * BI_ULP_F * radius) + FLT_MIN;
}

static void set_cut(Walk* walk) {
    const SolidRequest* request = walk->request;
    const double upper = walk->out->upper;
    const double over = upper - request->base;
    const double best = over > 0.0 ? request->base + over / (1.0 + request->tolerance) : upper;
    // Beyond max_d by the slack: then the lower bound is above max_d after the slack is taken off.
    const double range = request->max_d + 2.0 * request->slack + request->max_d * 8.0 * BI_ULP;
    walk->cut = best < range ? best : range;
    const double sq = walk->cut * walk->cut;
    walk->limit_sq =
        sq < (double)LIMIT_SQ_MAX ? (float)sq * (1.0f + 8.0f * (float)BI_ULP_F) + FLT_MIN : LIMIT_SQ_MAX;
}

static void keep_best(Walk* walk, double upper, Vec3 point_a, Vec3 point_b, Vec3 normal, int32_t triangle_a,
                      int32_t triangle_b) {
    if (upper < walk->out->upper) {
        walk->out->upper = upper;
        walk->out->point_a = point_a;
        walk->out->point_b = point_b;
        walk->out->normal = normal;
        walk->out->triangle_a = triangle_a;
        walk->out->triangle_b = triangle_b;
        set_cut(walk);
    }
}

static void measure_triangles(Walk* walk, const Vec3 ta[3], const Vec3 local_b[3], int32_t source_a,
                              int32_t source_b) {
    walk->out->counters.leaf_tests += 1;
    const Vec3 tb[3] = {pose_apply(walk->a_from_b, local_b[0]), pose_apply(walk->a_from_b, local_b[1]),
                        pose_apply(walk->a_from_b, local_b[2])};
    Vec3 pa;
    Vec3 pb;
    const double distance = sqrt(bi_triangle_distance_sq(ta, tb, &pa, &pb));
    if (distance < walk->leaf_lower) {
        walk->leaf_lower = distance;
    }
    if (distance < walk->out->upper) {
        const Vec3 apart = v3_sub(pb, pa);
        keep_best(walk, distance, pa, pb, v3_unit_or(apart, v3(0, 0, 0)), source_a, source_b);
    }
    if (!(distance >= 0.0)) {
        walk->leaf_lower = -INFINITY;  // NaN: nothing is known any more
    }
}

static void triangle_leaf(Walk* walk, int32_t ia, int32_t ib) {
    measure_triangles(walk, walk->a->triangles[ia].point, walk->b->triangles[ib].point, walk->a->source[ia],
                      walk->b->source[ib]);
}

// Triangle caching: what was nearest last time is a good guess now.
static void try_last(Walk* walk) {
    const BerthTreeAnswer* last = walk->request->last;
    if (last == NULL || last->triangle_a < 0 || last->triangle_b < 0 ||
        last->triangle_a >= walk->a->triangle_count || last->triangle_b >= walk->b->triangle_count) {
        return;
    }
    Vec3 ta[3];
    Vec3 tb[3];
    mesh_triangle(walk->a->mesh, last->triangle_a, ta);
    mesh_triangle(walk->b->mesh, last->triangle_b, tb);
    measure_triangles(walk, ta, tb, last->triangle_a, last->triangle_b);
}

static BerthShape triangle_shape(const BerthSolid* solid, int32_t index) {
    const Vec3* p = solid->triangles[index].point;
    return (BerthShape){.kind = BERTH_TRIANGLE, .as.triangle.point = {p[0], p[1], p[2]}};
}

static void shape_leaf(Walk* walk, int32_t ia, int32_t ib) {
    walk->out->counters.leaf_tests += 1;
    BerthGap gap;
    if (walk->a->is_mesh) {
        const BerthShape t = triangle_shape(walk->a, ia);
        gap = bi_shape_gap(&t, &walk->b->shape, walk->a_from_b, walk->cut);
    } else {
        const BerthShape t = triangle_shape(walk->b, ib);
        gap = bi_shape_gap(&walk->a->shape, &t, walk->a_from_b, walk->cut);
    }
    const double upper =
        gap.upper > 0.0 ? gap.upper : 0.0;  // how deep a surface is in a solid is not defined
    if (!(gap.lower >= walk->leaf_lower)) {
        walk->leaf_lower = gap.lower > -DBL_MAX ? gap.lower : -INFINITY;
    }
    keep_best(walk, upper, gap.point_a, gap.point_b, gap.normal, walk->a->is_mesh ? walk->a->source[ia] : -1,
              walk->b->is_mesh ? walk->b->source[ib] : -1);
}

static void push(Walk* walk, int32_t a, int32_t b, float bound_sq) {
    BerthTreeQuery* query = walk->query;
    BI_ASSERT(walk->stack_count < query->stack_capacity);
    query->stack[walk->stack_count++] = (SolidPairEntry){a, b, bound_sq};
    if (walk->stack_count > query->stack_high_water) {
        query->stack_high_water = walk->stack_count;
    }
}

// Brings the nearest few to the end, nearest last: they are pushed last and opened first. The others stay as they
// are; most of them are cut once the near ones are done, so sorting all 64 cost more than it gained (70 to 40 us on
// two links of a Panda).
static void bring_nearest_last(uint8_t* pair, float* bound, int32_t count) {
    enum { NEAREST = 3 };
    const int32_t stop = count > NEAREST ? count - NEAREST : 1;
    for (int32_t end = count - 1; end >= stop; --end) {
        int32_t least = 0;
        for (int32_t i = 1; i <= end; ++i) {
            least = bound[i] < bound[least] ? i : least;
        }
        const float b = bound[least];
        const uint8_t p = pair[least];
        bound[least] = bound[end];
        pair[least] = pair[end];
        bound[end] = b;
        pair[end] = p;
    }
}

static bool done(const Walk* walk) {
    return walk->out->upper <= walk->request->stop_d;
}

/// How far the triangles of two bottom nodes reach along the direction of the best pair so far. That direction
/// separates most pairs by more than the best: for convex surfaces, all of them.
typedef struct Reach {
    _Alignas(64) float high_a[BOX_LANES];
    float low_b[BOX_LANES];
    float cut;  // beyond this, with room for float rounding, a pair is of no interest
} Reach;

static void set_reach(const Walk* walk, const BoxLink* la, const BoxLink* lb, Reach* reach) {
    const Vec3 n = walk->out->normal;
    const Vec3 nb = pose_turn_back(walk->a_from_b, n);
    const float n_a[3] = {(float)n.x, (float)n.y, (float)n.z};
    const float n_b[3] = {(float)nb.x, (float)nb.y, (float)nb.z};
    _Alignas(64) float unused[BOX_LANES];
    walk->query->kernels->triangle_reach(&walk->a->corners[la->corners], n_a, reach->high_a, unused);
    walk->query->kernels->triangle_reach(&walk->b->corners[lb->corners], n_b, unused, reach->low_b);
    const double shift = v3_dot(n, walk->a_from_b->t);
    reach->cut = (float)(walk->cut - shift) + 2.0f * walk->frame.slack;
}

static void test_triangles(Walk* walk, const BoxLink* la, const BoxLink* lb, const uint8_t* pair,
                           const float* bound, int32_t count) {
    Reach reach;
    double best = -1.0;
    for (int32_t k = count - 1; k >= 0 && !done(walk); --k) {
        if (bound[k] > walk->limit_sq) {
            continue;
        }
        if (best != walk->out->upper) {
            best = walk->out->upper;
            set_reach(walk, la, lb, &reach);
        }
        const int lane_a = pair[k] & (BOX_LANES - 1);
        const int lane_b = pair[k] / BOX_LANES;
        if (!(reach.low_b[lane_b] - reach.high_a[lane_a] > reach.cut)) {
            triangle_leaf(walk, la->first + lane_a, lb->first + lane_b);
        }
    }
}

static void test_shape(Walk* walk, const BoxLink* la, const BoxLink* lb, const uint8_t* pair,
                       const float* bound, int32_t count) {
    for (int32_t k = count - 1; k >= 0 && !done(walk); --k) {
        if (!(bound[k] > walk->limit_sq)) {
            shape_leaf(walk, la->first + (pair[k] & (BOX_LANES - 1)), lb->first + pair[k] / BOX_LANES);
        }
    }
}

// One side is at its bottom: the other goes down alone, with the least bound over the lanes of the first.
static void push_one_side(Walk* walk, const SolidPairEntry* top, const BoxLink* la, const BoxLink* lb,
                          const uint8_t* pair, const float* bound, int32_t count) {
    float least[BOX_LANES];
    for (int i = 0; i < BOX_LANES; ++i) {
        least[i] = FLT_MAX;
    }
    for (int32_t k = 0; k < count; ++k) {
        const int lane = la->bottom ? pair[k] / BOX_LANES : pair[k] & (BOX_LANES - 1);
        least[lane] = bound[k] < least[lane] ? bound[k] : least[lane];
    }
    uint8_t order[BOX_LANES];
    float key[BOX_LANES];
    int32_t used = 0;
    for (int i = 0; i < BOX_LANES; ++i) {
        if (least[i] < FLT_MAX) {
            order[used] = (uint8_t)i;
            key[used] = least[i];
            used += 1;
        }
    }
    bring_nearest_last(order, key, used);
    for (int32_t k = 0; k < used; ++k) {
        if (la->bottom) {
            push(walk, top->a, lb->first + order[k], key[k]);
        } else {
            push(walk, la->first + order[k], top->b, key[k]);
        }
    }
}

static void open_pair(Walk* walk, const SolidPairEntry* top) {
    const BoxLink* la = &walk->a->links[top->a];
    const BoxLink* lb = &walk->b->links[top->b];
    uint8_t pair[BOX_PAIRS];
    float bound[BOX_PAIRS];
    const int32_t count =
        walk->query->kernels->box_pairs(&walk->a->nodes[top->a], &walk->b->nodes[top->b], lb->count,
                                        &walk->frame, walk->limit_sq, pair, bound);
    walk->out->counters.bv_tests += (int64_t)la->count * lb->count;
    if (la->bottom && lb->bottom) {
        if (walk->request->sorted) {
            bring_nearest_last(pair, bound, count);
        }
        if (walk->a->is_mesh && walk->b->is_mesh) {
            test_triangles(walk, la, lb, pair, bound, count);
        } else {
            test_shape(walk, la, lb, pair, bound, count);
        }
    } else if (la->bottom || lb->bottom) {
        push_one_side(walk, top, la, lb, pair, bound, count);
    } else {
        if (walk->request->sorted) {
            bring_nearest_last(pair, bound, count);
        }
        for (int32_t k = 0; k < count; ++k) {
            push(walk, la->first + (pair[k] & (BOX_LANES - 1)), lb->first + pair[k] / BOX_LANES, bound[k]);
        }
    }
}

static Vec3 gap_vector(Vec3 apart, Vec3 half_a, Vec3 half_b) {
    const Vec3 g = v3_sub(v3_abs(apart), v3_add(half_a, half_b));
    return v3(g.x > 0 ? g.x : 0, g.y > 0 ? g.y : 0, g.z > 0 ? g.z : 0);
}

// Are the two whole boxes proven further apart than the cut? The same bound as the kernel's, for one pair in double.
static bool boxes_apart(const Walk* walk) {
    const Pose* p = walk->a_from_b;
    const Vec3 half_a = v3_scale(v3_sub(walk->a->high, walk->a->low), 0.5);
    const Vec3 half_b = v3_scale(v3_sub(walk->b->high, walk->b->low), 0.5);
    const Vec3 centre_a = v3_scale(v3_add(walk->a->high, walk->a->low), 0.5);
    const Vec3 centre_b = v3_scale(v3_add(walk->b->high, walk->b->low), 0.5);
    const Vec3 apart = v3_sub(pose_apply(p, centre_b), centre_a);
    const Vec3 x = v3_abs(p->x);
    const Vec3 y = v3_abs(p->y);
    const Vec3 z = v3_abs(p->z);
    const Vec3 b_in_a = v3_mad(v3_mad(v3_scale(x, half_b.x), half_b.y, y), half_b.z, z);
    const Vec3 a_in_b = v3(v3_dot(x, half_a), v3_dot(y, half_a), v3_dot(z, half_a));
    const double in_a = v3_length_sq(gap_vector(apart, half_a, b_in_a));
    const double in_b = v3_length_sq(gap_vector(pose_turn_back(p, apart), a_in_b, half_b));
    const double limit = walk->cut + walk->request->slack;
    return (in_a > in_b ? in_a : in_b) > limit * limit;
}

// Walks both trees; false when the budget ran out.
static bool walk_trees(Walk* walk) {
    bi_box_frame(walk->a, walk->b, walk->a_from_b, &walk->frame);
    push(walk, 0, 0, 0.0f);
    while (walk->stack_count > 0 && !done(walk)) {
        const SolidPairEntry top = walk->query->stack[--walk->stack_count];
        if (top.bound_sq > walk->limit_sq) {
            continue;
        }
        if (walk->nodes_left-- <= 0) {
            return false;
        }
        open_pair(walk, &top);
    }
    return true;
}

// A mesh and a half-space: the lowest vertex decides.
static void halfspace_mesh(Walk* walk) {
    const bool a_is_mesh = walk->a->is_mesh;
    const BerthSolid* mesh = a_is_mesh ? walk->a : walk->b;
    const BerthSolid* space = a_is_mesh ? walk->b : walk->a;
    const Pose mesh_from_space = a_is_mesh ? *walk->a_from_b : pose_inverse(walk->a_from_b);
    const Vec3 n = pose_turn(&mesh_from_space, space->shape.as.halfspace.normal);
    const double offset = space->shape.as.halfspace.offset + v3_dot(n, mesh_from_space.t);
    double lowest = INFINITY;
    Vec3 at = {0, 0, 0};
    for (int32_t i = 0; i < mesh->mesh->info.vertex_count; ++i) {
        const double height = v3_dot(n, mesh->mesh->vertices[i]) - offset;
        if (!(height >= lowest)) {
            lowest = height;
            at = mesh->mesh->vertices[i];
        }
    }
    walk->out->counters.leaf_tests += mesh->mesh->info.vertex_count;
    walk->leaf_lower = lowest;
    if (!(lowest > -DBL_MAX)) {
        return;
    }
    const Vec3 below = v3_mad(at, -lowest, n);
    const Vec3 on_mesh = a_is_mesh ? at : pose_apply(walk->a_from_b, at);
    const Vec3 on_plane = a_is_mesh ? below : pose_apply(walk->a_from_b, below);
    const Vec3 up = a_is_mesh ? n : pose_turn(walk->a_from_b, n);
    walk->out->upper = lowest;
    walk->out->has_depth = lowest <= 0.0;
    walk->out->point_a = a_is_mesh ? on_mesh : on_plane;
    walk->out->point_b = a_is_mesh ? on_plane : on_mesh;
    walk->out->normal = a_is_mesh ? v3_neg(up) : up;
}

static void shape_pair(Walk* walk) {
    const BerthGap gap = bi_shape_gap(&walk->a->shape, &walk->b->shape, walk->a_from_b, walk->cut);
    BerthTreeAnswer* out = walk->out;
    out->counters.shape_tests += 1;
    walk->leaf_lower = gap.lower;
    out->upper = gap.upper;
    out->point_a = gap.point_a;
    out->point_b = gap.point_b;
    out->normal = gap.normal;
    out->has_depth = gap.upper <= 0.0;
}

static bool box_inside(const SolidPiece* piece, const Pose* outer_from_inner, const BerthSolid* outer) {
    const Vec3 p = pose_apply(outer_from_inner, piece->point);
    const double slack = BI_DISTANCE_SLACK * (outer->extent + v3_length(p));
    return p.x > outer->low.x - slack && p.x < outer->high.x + slack && p.y > outer->low.y - slack &&
           p.y < outer->high.y + slack && p.z > outer->low.z - slack && p.z < outer->high.z + slack;
}

// The surfaces are apart. Is a piece of `inner` inside the closed mesh `outer`?
static bool find_inside(const BerthSolid* outer, const BerthSolid* inner, const Pose* outer_from_inner,
                        Vec3* point) {
    if (!outer->is_mesh || !outer->closed) {
        return false;
    }
    for (int32_t i = 0; i < inner->piece_count; ++i) {
        if (box_inside(&inner->pieces[i], outer_from_inner, outer)) {
            *point = pose_apply(outer_from_inner, inner->pieces[i].point);
            if (bi_solid_contains(outer, *point)) {
                return true;
            }
        }
    }
    return false;
}

bool bi_solid_nested(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b, Vec3* point) {
    if (find_inside(a, b, a_from_b, point)) {
        return true;
    }
    if (!b->is_mesh || !b->closed) {
        return false;
    }
    const Pose b_from_a = pose_inverse(a_from_b);
    if (!find_inside(b, a, &b_from_a, point)) {
        return false;
    }
    *point = pose_apply(a_from_b, *point);
    return true;
}

static void test_containment(Walk* walk) {
    Vec3 point;
    if (bi_solid_nested(walk->a, walk->b, walk->a_from_b, &point)) {
        walk->out->upper = 0.0;
        walk->leaf_lower = -INFINITY;
        walk->out->contained = true;
        walk->out->point_a = walk->out->point_b = point;
        walk->out->normal = v3(0, 0, 0);
        walk->out->triangle_a = walk->out->triangle_b = -1;
    }
}

static void conclude(Walk* walk, bool complete) {
    BerthTreeAnswer* out = walk->out;
    const double least = walk->leaf_lower < walk->cut ? walk->leaf_lower : walk->cut;
    out->lower = complete ? least - walk->request->slack : (double)-INFINITY;
    if (out->upper <= walk->request->min_d) {
        out->verdict = BERTH_HIT;
        out->meeting = bi_solid_meeting(walk->a, walk->b, walk->a_from_b, out);
    } else if (out->lower > walk->request->min_d) {
        out->verdict = BERTH_FREE;
    } else {
        out->reason = complete ? BERTH_REASON_NUMERIC : BERTH_REASON_BUDGET;
    }
    if (!(out->lower <= out->upper)) {
        out->lower = out->upper;  // only when the slack is below rounding; upper is then the gap
    }
}

void bi_solid_query(BerthTreeQuery* query, const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b,
                    const SolidRequest* request, BerthTreeAnswer* out) {
    *out = (BerthTreeAnswer){.upper = INFINITY, .lower = -INFINITY, .triangle_a = -1, .triangle_b = -1};
    Walk walk = {.query = query,
                 .a = a,
                 .b = b,
                 .a_from_b = a_from_b,
                 .request = request,
                 .out = out,
                 .leaf_lower = INFINITY,
                 .nodes_left = query->node_budget};
    set_cut(&walk);
    if (!v3_finite(a_from_b->t) || !v3_finite(a_from_b->x) || !v3_finite(a_from_b->y) ||
        !v3_finite(a_from_b->z) || !(request->slack >= 0.0)) {
        out->reason = BERTH_REASON_NUMERIC;
        return;
    }
    bool complete = true;
    const bool halfspace = (!a->is_mesh && a->shape.kind == BERTH_HALFSPACE) ||
                           (!b->is_mesh && b->shape.kind == BERTH_HALFSPACE);
    if (!halfspace && boxes_apart(&walk)) {
        out->counters.bv_tests += 1;
    } else if (!a->is_mesh && !b->is_mesh) {
        shape_pair(&walk);
    } else if (halfspace) {
        halfspace_mesh(&walk);
    } else {
        try_last(&walk);
        complete = walk_trees(&walk);
        if (done(&walk)) {
            walk.leaf_lower = -INFINITY;  // ended at a witness: what was not looked at may be nearer
        } else if (complete) {
            test_containment(&walk);
        }
    }
    conclude(&walk, complete);
}
