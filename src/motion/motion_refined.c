// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The refined checker (paper 001, II-G; NOTES 2.7): pairs of bounding volumes, each with a motion bound of its own. On an
// interval a pair of volumes is done when its gap at the middle is above what its points can travel; volumes that overlap
// at the middle are opened; volumes that are apart but not by enough, and pairs of leaves, go on to the two halves.

#include "motion/motion.h"
#include "shape/gap.h"
#include "tree/rss.h"

#define GROWN (1.0 + 0x1p-40)

/// A volume of one part: a node of its RSS tree, or the whole shape.
typedef struct Volume {
    const BerthSolid* solid;
    const RssNode* node;  // null: a shape
    Vec3 centre;          // of a ball around it, in the part's frame
    double radius;
} Volume;

static Volume volume_of(const BerthSolid* solid, int32_t node) {
    if (solid->rss == NULL) {
        return (Volume){solid, NULL, solid->centre, solid->radius};
    }
    const RssNode* n = &solid->rss->nodes[node];
    return (Volume){solid, n, n->centre, sqrt(n->half[0] * n->half[0] + n->half[1] * n->half[1]) + n->radius};
}

// First-order bound of the speed of a ball's points against the ancestor: as sum_chain in motion_place.c, for this ball.
static double ball_speed(const BerthMotion* motion, int32_t body_index, int32_t row_low, Vec3 centre,
                         double radius, double half) {
    const MotionBody* body = &motion->bodies[body_index];
    const int32_t* frame = motion->chain_frame + body->first_chain;
    const double* far = motion->chain_far + body->first_chain;
    const double slack = BI_DISTANCE_SLACK * motion->checker->bodies[body_index].size;
    double beyond = 0.0;
    double speed = 0.0;
    for (int32_t k = body->chain_count - 1; k > row_low; --k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const Pose* pose = &motion->checker->world_from_frame[frame[k]];
        const double near = axis_distance(rate, pose, centre) + radius;
        const double grown = (near + beyond) * GROWN + slack;
        const double lever = grown < far[k] ? grown : far[k];
        const double one = lever * rate->turn_most + rate->slide_most;
        speed += one;
        beyond += half * one + lever * rate->turn_error + rate->slide_error;
    }
    return speed * GROWN;
}

static BerthShape flat_box(const RssNode* node) {
    return (BerthShape){.kind = BERTH_BOX, .as.box.half = {node->half[0], node->half[1], 0.0}};
}

static Pose node_pose(const RssNode* node) {
    return (Pose){node->axis[0], node->axis[1], node->axis[2], node->centre};
}

// A lower bound of the gap of two volumes at the middle.
static double volume_gap(const Volume* a, const Volume* b, const Pose* a_from_b, double stop_above) {
    if (a->node != NULL && b->node != NULL) {
        return bi_rss_gap(a->node, b->node, a_from_b);
    }
    if (a->node == NULL && b->node == NULL) {
        return bi_shape_gap(&a->solid->shape, &b->solid->shape, a_from_b, stop_above).lower;
    }
    if (a->node != NULL) {
        const BerthShape box = flat_box(a->node);
        const Pose a_from_node = node_pose(a->node);
        const Pose node_from_b = pose_between(&a_from_node, a_from_b);
        return bi_shape_gap(&box, &b->solid->shape, &node_from_b, stop_above + a->node->radius).lower -
               a->node->radius;
    }
    const BerthShape box = flat_box(b->node);
    const Pose b_from_node = node_pose(b->node);
    const Pose a_from_node = pose_mul(a_from_b, &b_from_node);
    return bi_shape_gap(&a->solid->shape, &box, &a_from_node, stop_above + b->node->radius).lower -
           b->node->radius;
}

static bool is_end(const Volume* v) {
    return v->node == NULL || rss_is_leaf(v->node);
}

static Vec3 corner_of(const Volume* v, int k) {
    const BerthMesh* mesh = v->solid->mesh;
    return mesh->vertices[mesh->triangles[3 * (size_t)v->solid->rss->source[rss_leaf(v->node)] + (size_t)k]];
}

static BerthShape end_shape(const Volume* v) {
    if (v->node == NULL) {
        return v->solid->shape;
    }
    return (BerthShape){.kind = BERTH_TRIANGLE,
                        .as.triangle.point = {corner_of(v, 0), corner_of(v, 1), corner_of(v, 2)}};
}

// Two triangles, a triangle and a shape, two shapes: the gap itself.
static BerthGap end_gap(const Volume* a, const Volume* b, const Pose* a_from_b) {
    const BerthShape sa = end_shape(a);
    const BerthShape sb = end_shape(b);
    if (a->node != NULL && b->node != NULL) {
        const Vec3 tb[3] = {pose_apply(a_from_b, sb.as.triangle.point[0]),
                            pose_apply(a_from_b, sb.as.triangle.point[1]),
                            pose_apply(a_from_b, sb.as.triangle.point[2])};
        BerthGap gap = {0};
        gap.upper = sqrt(bi_triangle_distance_sq(sa.as.triangle.point, tb, &gap.point_a, &gap.point_b));
        gap.lower = gap.upper;
        return gap;
    }
    return bi_shape_gap(&sa, &sb, a_from_b, INFINITY);
}

typedef struct Refining {
    BerthMotion* motion;
    const ScenePair* pair;
    const MotionPair* ends;
    int32_t part_a, part_b;
    Pose a_from_b;
    double half, error, slack;
    PairProof* proof;
} Refining;

// What must be left for this pair of volumes beyond the margin, and what they can travel.
static double travel_of(const Refining* r, const Volume* a, const Volume* b) {
    const Vec3 ca = pose_apply(&r->motion->checker->world_from_part[r->part_a], a->centre);
    const Vec3 cb = pose_apply(&r->motion->checker->world_from_part[r->part_b], b->centre);
    return r->half * (ball_speed(r->motion, r->pair->body_a, r->ends->row_a, ca, a->radius, r->half) +
                      ball_speed(r->motion, r->pair->body_b, r->ends->row_b, cb, b->radius, r->half));
}

static bool prove(const Refining* r, double gap, double travel) {
    const double needed = r->motion->margin + r->pair->padding + r->error + r->slack;
    if (!(gap - travel > needed)) {
        return false;
    }
    const double bound = gap - travel - (needed - r->motion->margin);
    *r->proof->clearance = bound < *r->proof->clearance ? bound : *r->proof->clearance;
    return true;
}

static PairState refine_ends(Refining* r, const Volume* a, const Volume* b, double travel) {
    r->proof->stats->counters.leaf_tests += 1;
    const BerthGap gap = end_gap(a, b, &r->a_from_b);
    if (gap.upper <= r->motion->margin + r->pair->padding) {
        // The static check has the last word, and its witness is a point of both bodies. What it does not call a hit
        // is one up to rounding.
        const PairRequest wanted = {.max_d = r->motion->margin, .enough = r->motion->margin};
        bi_check_pair(r->motion->checker, r->pair, &wanted, &r->proof->hit);
        return r->proof->hit.verdict == BERTH_HIT ? PAIR_HIT : PAIR_CLOSE;
    }
    if (prove(r, gap.lower, travel)) {
        return PAIR_FREE;
    }
    // Half-spaces that turn have no bound, and shorter intervals have none either.
    return 2.0 * travel > r->motion->delta && travel < (double)INFINITY ? PAIR_OPEN : PAIR_CLOSE;
}

// One pair of volumes: FREE, HIT, CLOSE, OPEN (wait for the halves), or its volumes must be opened: *open then.
static PairState refine_volumes(Refining* r, const Volume* a, const Volume* b, bool* open) {
    *open = false;
    const double travel = travel_of(r, a, b);
    r->proof->tight = !(2.0 * travel > r->motion->delta);
    if (is_end(a) && is_end(b)) {
        return refine_ends(r, a, b, travel);
    }
    r->proof->stats->counters.bv_tests += 1;
    const double needed = r->motion->margin + r->pair->padding + r->error + r->slack;
    const double gap = volume_gap(a, b, &r->a_from_b, needed + travel);
    if (prove(r, gap, travel)) {
        return PAIR_FREE;
    }
    *open = !(gap > needed + r->motion->delta) || r->proof->tight;
    return PAIR_OPEN;
}

static bool open_first(const Volume* a, const Volume* b) {
    return is_end(b) || (!is_end(a) && rss_size(a->node) >= rss_size(b->node));
}

PairState bi_motion_refine(BerthMotion* motion, const MotionItem* item, Span span, PairProof* proof,
                           Level* to) {
    const MotionPair* ends = &motion->pairs[item->pair];
    const ScenePair* pair = &motion->scene->pairs[ends->pair];
    const CheckBody* states = motion->checker->bodies;
    Refining r = {.motion = motion,
                  .pair = pair,
                  .ends = ends,
                  .part_a = item->part_a,
                  .part_b = item->part_b,
                  .half = span.half,
                  .error = bi_motion_error(motion, ends),
                  .slack = 2.0 * BI_DISTANCE_SLACK * (states[pair->body_a].size + states[pair->body_b].size),
                  .proof = proof};
    r.a_from_b = pose_between(&motion->checker->world_from_part[item->part_a],
                              &motion->checker->world_from_part[item->part_b]);
    const BerthSolid* solid_a = motion->scene->parts[item->part_a].solid;
    const BerthSolid* solid_b = motion->scene->parts[item->part_b].solid;
    int32_t stack[2 * RSS_STACK][2];
    int32_t count = 0;
    int32_t nodes_left = motion->checker->query->node_budget;
    stack[count][0] = item->node_a;
    stack[count++][1] = item->node_b;
    while (count > 0) {
        const int32_t ia = stack[--count][0];
        const int32_t ib = stack[count][1];
        const Volume a = volume_of(solid_a, ia);
        const Volume b = volume_of(solid_b, ib);
        bool open = false;
        proof->stats->pair_tests += 1;
        if (nodes_left-- <= 0) {
            proof->spent = true;
            return PAIR_CLOSE;
        }
        const PairState state = refine_volumes(&r, &a, &b, &open);
        if (state == PAIR_HIT || state == PAIR_CLOSE) {
            return state;
        }
        if (state == PAIR_FREE) {
            continue;
        }
        if (!open) {
            if (to->pair_count >= motion->list_capacity) {
                proof->spent = true;
                return PAIR_CLOSE;
            }
            to->items[to->pair_count++] = (MotionItem){item->pair, item->part_a, item->part_b, ia, ib};
            continue;
        }
        BI_ASSERT(count + 2 <= 2 * RSS_STACK);
        const bool first = open_first(&a, &b);
        for (int32_t k = 0; k < 2; ++k) {
            stack[count][0] = first ? a.node->child + k : ia;
            stack[count++][1] = first ? ib : b.node->child + k;
        }
    }
    return PAIR_FREE;
}
