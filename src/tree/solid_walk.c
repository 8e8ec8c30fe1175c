// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The one query about two solids: what needs no tree, the walk over the trees of the query's engine, the
// tests of leaves, containment, and the conclusion. Double decides at the leaves, whatever the volumes above
// them are.
// Entry: bi_solid_query.

#include <float.h>

#include "math/math.h"
#include "shape/gap.h"
#include "tree/walk.h"

// The larger the limit the less is pruned; empty lanes have a bound of BOX_EMPTY squared, which must be above it.
#define LIMIT_SQ_MAX 1e34f

double bi_solid_slack(const BerthSolid* a, const Pose* world_from_a, const BerthSolid* b,
                      const Pose* world_from_b) {
    const double radius = a->extent + b->extent + v3_length(world_from_a->t) + v3_length(world_from_b->t);
    return BI_DISTANCE_SLACK * radius + DBL_MIN;
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

void bi_walk_test_triangles(Walk* walk, const Vec3 ta[3], const Vec3 local_b[3], int32_t source_a,
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

// Triangle caching: what was nearest last time is a good guess now.
static void try_last_pair(Walk* walk) {
    const BerthTreeAnswer* last = walk->request->last;
    if (last == NULL || last->triangle_a < 0 || last->triangle_b < 0 ||
        last->triangle_a >= walk->a->triangle_count || last->triangle_b >= walk->b->triangle_count) {
        return;
    }

    Vec3 ta[3];
    Vec3 tb[3];
    mesh_triangle(walk->a->mesh, last->triangle_a, ta);
    mesh_triangle(walk->b->mesh, last->triangle_b, tb);
    bi_walk_test_triangles(walk, ta, tb, last->triangle_a, last->triangle_b);
}

void bi_walk_test_shape(Walk* walk, const Vec3 triangle[3], int32_t source) {
    walk->out->counters.leaf_tests += 1;
    const BerthShape t = {.kind = BERTH_TRIANGLE,
                          .as.triangle.point = {triangle[0], triangle[1], triangle[2]}};

    const bool a_is_mesh = walk->a->is_mesh;
    const BerthGap gap = a_is_mesh ? bi_shape_gap(&t, &walk->b->shape, walk->a_from_b, walk->cut)
                                   : bi_shape_gap(&walk->a->shape, &t, walk->a_from_b, walk->cut);

    const double upper =
        gap.upper > 0.0 ? gap.upper : 0.0;  // how deep a surface is in a solid is not defined
    if (!(gap.lower >= walk->leaf_lower)) {
        walk->leaf_lower = gap.lower > -DBL_MAX ? gap.lower : -INFINITY;
    }

    keep_best(walk, upper, gap.point_a, gap.point_b, gap.normal, a_is_mesh ? source : -1,
              a_is_mesh ? -1 : source);
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

// A mesh and a half-space: the lowest vertex decides.
static void measure_halfspace_mesh(Walk* walk) {
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

static void measure_shapes(Walk* walk) {
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

bool bi_solid_find_nested(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b, Vec3* point) {
    if (bi_solid_find_piece_inside(a, b, a_from_b, point)) {
        return true;
    }
    if (!b->is_mesh || !b->closed) {
        return false;
    }

    const Pose b_from_a = pose_inverse(a_from_b);
    if (!bi_solid_find_piece_inside(b, a, &b_from_a, point)) {
        return false;
    }
    *point = pose_apply(a_from_b, *point);
    return true;
}

static void test_containment(Walk* walk) {
    Vec3 point;
    if (bi_solid_find_nested(walk->a, walk->b, walk->a_from_b, &point)) {
        walk->out->upper = 0.0;
        walk->leaf_lower = -INFINITY;
        walk->out->contained = true;
        walk->out->point_a = walk->out->point_b = point;
        walk->out->normal = v3(0, 0, 0);
        walk->out->triangle_a = walk->out->triangle_b = -1;
    }
}

// Where a gap in [lower, upper] is, of min_d and max_d.
static BerthRange range_of(const SolidRequest* request, double lower, double upper) {
    if (upper <= request->min_d) {
        return BERTH_BELOW_MIN;
    }
    if (lower > request->max_d) {
        return BERTH_ABOVE_MAX;
    }
    return lower > request->min_d && upper <= request->max_d ? BERTH_IN_RANGE : BERTH_RANGE_UNKNOWN;
}

static void conclude(Walk* walk, bool complete) {
    BerthTreeAnswer* out = walk->out;
    const double least = walk->leaf_lower < walk->cut ? walk->leaf_lower : walk->cut;
    out->lower = complete ? least - walk->request->slack : (double)-INFINITY;

    if (out->upper <= walk->request->min_d) {
        out->verdict = BERTH_COLLISION;
        out->meeting = bi_solid_find_meeting_point(walk->a, walk->b, walk->a_from_b, out);
    } else if (out->lower > walk->request->min_d) {
        out->verdict = BERTH_FREE;
    } else {
        out->reason = complete ? BERTH_REASON_NUMERIC : BERTH_REASON_BUDGET;
    }

    if (!(out->lower <= out->upper)) {
        out->lower = out->upper;  // only when the slack is below rounding; upper is then the gap
    }

    out->range = range_of(walk->request, out->lower, out->upper);
}

// Is there the tree that the query's engine goes down? All solids have boxes.
static bool has_volumes(const BerthTreeQuery* query, const BerthSolid* solid) {
    if (query->engine == BERTH_ENGINE_DEFAULT) {
        return false;
    }
    return !solid->is_mesh || solid_rss(solid) != NULL ||
           (query->engine == BERTH_ENGINE_SPHERES && bi_tree_query_spheres(query, solid) != NULL);
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
                 .nodes_left = request->budget > 0 && request->budget < query->node_budget
                                   ? request->budget
                                   : query->node_budget};
    set_cut(&walk);

    if (!v3_finite(a_from_b->t) || !v3_finite(a_from_b->x) || !v3_finite(a_from_b->y) ||
        !v3_finite(a_from_b->z) || !(request->slack >= 0.0)) {
        out->reason = BERTH_REASON_NUMERIC;
        return;
    }

    if (solid_is_empty(a) || solid_is_empty(b)) {
        conclude(&walk, true);
        return;
    }

    bool complete = true;
    const bool halfspace = (!a->is_mesh && a->shape.kind == BERTH_HALFSPACE) ||
                           (!b->is_mesh && b->shape.kind == BERTH_HALFSPACE);
    if (!halfspace && boxes_apart(&walk)) {
        out->counters.bv_tests += 1;
    } else if (!a->is_mesh && !b->is_mesh) {
        measure_shapes(&walk);
    } else if (halfspace) {
        measure_halfspace_mesh(&walk);
    } else {
        try_last_pair(&walk);
        complete =
            has_volumes(query, a) && has_volumes(query, b) ? bi_volume_walk(&walk) : bi_tree_box_walk(&walk);
        if (walk_is_done(&walk)) {
            walk.leaf_lower = -INFINITY;  // ended at a witness: what was not looked at may be nearer
        } else if (complete) {
            test_containment(&walk);
        }
    }

    conclude(&walk, complete);
}
