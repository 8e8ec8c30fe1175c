// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// REFINED-ADAPTIVE-BISECTION (paper 001, section VI; errata 2.7): entries are pairs of bounding volumes between two times, with
// motion bounds of their own. Volumes that are near at both times are opened; those that are near at one of them only wait
// for a time in between. What GREEDY-DIST2 found at a time is remembered, so nothing is measured twice while that is kept.
// Entries: bi_refined_measure_gap and bi_refined_step, both for motion_adaptive.c.

#include <string.h>

#include "motion/motion_queue.h"
#include "shape/gap.h"
#include "tree/rss.h"

/// A volume of one part: a node of its RSS tree, or the whole shape.
typedef struct Volume {
    const BerthSolid* solid;
    const RssNode* node;  // null: a shape
    Vec3 centre;          // of a ball around it, in the part's frame
    double radius;
} Volume;

static Volume volume_of(const BerthSolid* solid, int32_t node) {
    const RssTree* tree = solid_rss(solid);
    if (tree == NULL) {
        return (Volume){solid, NULL, solid->centre, solid->radius};
    }
    const RssNode* n = &tree->nodes[node];
    return (Volume){solid, n, n->centre, sqrt(n->half[0] * n->half[0] + n->half[1] * n->half[1]) + n->radius};
}

// How far a volume's points are from the axis of its body's own joint: the corners of its flat box tell, and its radius.
static double own_axis_lever(const BerthMotionChecker* motion, const FrameRate* rate, const Pose* frame,
                             const Volume* volume, int32_t part) {
    const RssNode* node = volume->node;
    if (node == NULL) {
        return (double)INFINITY;
    }

    double most = 0.0;
    for (int k = 0; k < 4; ++k) {
        const double x = (k & 1) != 0 ? node->half[0] : -node->half[0];
        const double y = (k & 2) != 0 ? node->half[1] : -node->half[1];
        const Vec3 corner = v3_mad(v3_mad(node->centre, x, node->axis[0]), y, node->axis[1]);
        const Vec3 world = pose_apply(&motion->checker->world_from_part[part], corner);
        const double away = axis_distance(rate, frame, world);
        most = away > most ? away : most;
    }
    return most + node->radius;
}

/// One of the two volumes of a pair, and how far down its chain the other one's begins.
typedef struct VolumeSide {
    const Volume* volume;
    int32_t body, part, row_low;
} VolumeSide;

// The paper's: the volume's ball carried inward, every joint free.
static double global_volume_speed(const BerthMotionChecker* motion, VolumeSide side, double half) {
    const BerthScene* scene = motion->scene;
    const SceneRobot* robot = &scene->robots[scene->bodies[side.body].robot];
    const MotionBody* body = &motion->bodies[side.body];
    const int32_t* frame = motion->chain_frame + body->first_chain;
    Ball ball = {pose_apply(&scene->parts[side.part].frame_from_part, side.volume->centre),
                 side.volume->radius};
    bool limits = true;
    double speed = 0.0;

    for (int32_t k = body->chain_count - 1; k > side.row_low; --k) {
        const RobotFrame* f = &robot->robot->frames[frame[k] - robot->first_frame];
        const FrameRate* rate = &motion->rates[frame[k]];
        double lever = bi_global_lever(f, ball);
        if (k == body->chain_count - 1 && f->motion != FRAME_FLOATING) {
            const Pose* pose = &motion->checker->world_from_frame[frame[k]];
            const double own = own_axis_lever(motion, rate, pose, side.volume, side.part) * MOTION_GROWN +
                               BI_DISTANCE_SLACK * motion->checker->bodies[side.body].size;
            lever = own < lever ? own : lever;
        }
        speed += (rate->turn_most > 0.0 ? lever * rate->turn_most : 0.0) + rate->slide_most;
        limits = limits && bi_global_keeps_limits(motion, frame[k], half);
        ball = bi_global_carry(robot->robot, f, ball, limits);
    }
    return speed * MOTION_GROWN;
}

// First-order bound of the speed of a volume's points against the ancestor: as sum_chain in motion_rates.c, for its ball.
static double volume_speed(const BerthMotionChecker* motion, VolumeSide side, double half) {
    if (motion->bound == BERTH_BOUND_GLOBAL && motion->bodies[side.body].chain_count > 1) {
        return global_volume_speed(motion, side, half);
    }

    const int32_t body_index = side.body;
    const Vec3 centre = pose_apply(&motion->checker->world_from_part[side.part], side.volume->centre);
    const double radius = side.volume->radius;
    const MotionBody* body = &motion->bodies[body_index];
    const int32_t* frame = motion->chain_frame + body->first_chain;
    const double* far = motion->chain_far + body->first_chain;
    const double slack = BI_DISTANCE_SLACK * motion->checker->bodies[body_index].size;

    double beyond = 0.0;
    double speed = 0.0;
    for (int32_t k = body->chain_count - 1; k > side.row_low; --k) {
        const FrameRate* rate = &motion->rates[frame[k]];
        const Pose* pose = &motion->checker->world_from_frame[frame[k]];

        double near = axis_distance(rate, pose, centre) + radius;
        if (k == body->chain_count - 1) {
            const double own = own_axis_lever(motion, rate, pose, side.volume, side.part);
            near = own < near ? own : near;
        }
        const double grown = (near + beyond) * MOTION_GROWN + slack;
        const double lever = grown < far[k] ? grown : far[k];
        const double one = lever * rate->turn_most + rate->slide_most;

        speed += one;
        beyond += half * one + lever * rate->turn_error + rate->slide_error;
    }

    return speed * MOTION_GROWN;
}

static BerthShape flat_box(const RssNode* node) {
    return (BerthShape){.kind = BERTH_BOX, .as.box.half = {node->half[0], node->half[1], 0.0}};
}

static Pose node_pose(const RssNode* node) {
    return (Pose){node->axis[0], node->axis[1], node->axis[2], node->centre};
}

// A lower bound of the gap of two volumes.
static double volume_gap(const Volume* a, const Volume* b, const Pose* a_from_b, double stop_above) {
    if (a->node != NULL && b->node != NULL) {
        return bi_rss_gap(a->node, b->node, a_from_b);
    }

    if (a->node == NULL && b->node == NULL) {
        return bi_shape_gap(&a->solid->shape, &b->solid->shape, a_from_b, stop_above).lower;
    }

    // A shape against the flat box of a node, which is grown by its radius.
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

static bool is_leaf(const Volume* v) {
    return v->node == NULL || rss_is_leaf(v->node);
}

static Vec3 corner_of(const Volume* v, int k) {
    const BerthMesh* mesh = v->solid->mesh;
    const size_t triangle = (size_t)solid_rss(v->solid)->source[rss_leaf(v->node)];
    return mesh->vertices[mesh->triangles[3 * triangle + (size_t)k]];
}

static BerthShape leaf_shape(const Volume* v) {
    if (v->node == NULL) {
        return v->solid->shape;
    }
    return (BerthShape){.kind = BERTH_TRIANGLE,
                        .as.triangle.point = {corner_of(v, 0), corner_of(v, 1), corner_of(v, 2)}};
}

// Two triangles, a triangle and a shape, two shapes: the gap itself.
static BerthGap leaf_gap(const Volume* a, const Volume* b, const Pose* a_from_b) {
    const BerthShape sa = leaf_shape(a);
    const BerthShape sb = leaf_shape(b);
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

// ---- remembered gaps -----------------------------------------------------------------------------------------

static MemoRecord* memo_set(GapMemo* memo, const MemoRecord* key) {
    uint64_t bits = 0;
    memcpy(&bits, &key->time, sizeof bits);
    const uint64_t words[3] = {key->serial ^ (bits * 0x9e3779b97f4a7c15u),
                               ((uint64_t)(uint32_t)key->part_a << 32) | (uint32_t)key->part_b,
                               ((uint64_t)(uint32_t)key->node_a << 32) | (uint32_t)key->node_b};
    uint64_t hash = 0;
    for (int k = 0; k < 3; ++k) {
        hash = (hash ^ words[k]) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return memo->records + (hash & (uint64_t)(memo->count / MEMO_WAYS - 1)) * MEMO_WAYS;
}

static bool same_key(const MemoRecord* a, const MemoRecord* b) {
    return a->serial == b->serial && a->time == b->time && a->node_a == b->node_a && a->node_b == b->node_b &&
           a->part_a == b->part_a && a->part_b == b->part_b;
}

static bool recall_gap(GapMemo* memo, MemoRecord* key) {
    const MemoRecord* set = memo_set(memo, key);
    for (int k = 0; k < MEMO_WAYS; ++k) {
        if (same_key(&set[k], key)) {
            key->gap = set[k].gap;
            key->internal = set[k].internal;
            return true;
        }
    }
    return false;
}

// Records of other segments give way first, then the next in turn.
static void remember_gap(GapMemo* memo, const MemoRecord* record) {
    MemoRecord* set = memo_set(memo, record);
    MemoRecord* replaced = &set[memo->clock++ % MEMO_WAYS];
    for (int k = 0; k < MEMO_WAYS; ++k) {
        if (same_key(&set[k], record)) {
            replaced = &set[k];
            break;
        }
        if (set[k].serial != record->serial) {
            replaced = &set[k];
        }
    }
    *replaced = *record;
}

// ---- GREEDY-DIST2 --------------------------------------------------------------------------------------------

/// Two parts at one time.
typedef struct GreedySearch {
    SegmentQuery* query;
    const BerthSolid *a, *b;
    Pose a_from_b;
    int32_t pair;
    double limit;   // volumes further apart than this are not opened
    double margin;  // at or below this the bodies may touch
    double reach;   // so much nearer can they be than they are placed; all gaps are less by it
    MemoRecord key;
    bool hit;
} GreedySearch;

/// Two volumes that are open: `gap` is the least of what is known below them.
typedef struct GreedyFrame {
    int32_t node_a, node_b, next;
    double gap;
} GreedyFrame;

static const ScenePair* scene_pair(const GreedySearch* g) {
    const BerthMotionChecker* motion = g->query->motion;
    return &motion->scene->pairs[motion->pairs[g->pair].pair];
}

// Two leaves. The static check has the last word about a touch, and its witness is a point of both bodies.
static double test_leaves(GreedySearch* g, const Volume* a, const Volume* b) {
    g->query->stats->counters.leaf_tests += 1;
    const BerthGap gap = leaf_gap(a, b, &g->a_from_b);
    if (gap.upper - g->reach <= g->margin && bi_entry_test_hit(g->query, g->pair, g->key.time)) {
        g->hit = true;
    } else if (!(gap.lower - g->reach > g->limit)) {
        const double padding = scene_pair(g)->padding;
        bi_motion_query_note_near(g->query, g->pair, g->key.time, gap.upper - g->reach - padding);
    }
    return (gap.lower > 0.0 ? gap.lower : 0.0) - g->reach;
}

// True when the gap is known without opening anything: remembered, far enough, or of two leaves.
static bool measure_unopened(GreedySearch* g, int32_t node_a, int32_t node_b, double* gap) {
    MemoRecord* key = &g->key;
    key->node_a = node_a;
    key->node_b = node_b;
    if (recall_gap(&g->query->queue->memo, key)) {
        *gap = key->gap;
        return true;
    }

    const Volume a = volume_of(g->a, node_a);
    const Volume b = volume_of(g->b, node_b);
    const bool ends = is_leaf(&a) && is_leaf(&b);

    // What can be said without opening them.
    if (a.node != NULL || b.node != NULL) {
        g->query->stats->counters.bv_tests += 1;
        *gap = volume_gap(&a, &b, &g->a_from_b, g->limit + g->reach) - g->reach;
    } else {
        *gap = -(double)INFINITY;  // two shapes: the gap itself
    }
    if (!(*gap > g->limit)) {
        if (!ends) {
            return false;
        }
        *gap = test_leaves(g, &a, &b);
    }

    key->gap = *gap;
    key->internal = 0;
    remember_gap(&g->query->queue->memo, key);
    return true;
}

// Which of two volumes is opened: true for the first, the larger one that can be.
static bool opens_first(const Volume* a, const Volume* b) {
    return is_leaf(b) || (!is_leaf(a) && rss_size(a->node) >= rss_size(b->node));
}

static void child_pair(const GreedySearch* g, int32_t node_a, int32_t node_b, int32_t k, int32_t out[2]) {
    const Volume a = volume_of(g->a, node_a);
    const Volume b = volume_of(g->b, node_b);
    const bool first = opens_first(&a, &b);
    out[0] = first ? a.node->child + k : node_a;
    out[1] = first ? node_b : b.node->child + k;
}

// The least gap below two volumes that are near: both children, depth first, each remembered on the way up.
static double walk_below(GreedySearch* g, int32_t node_a, int32_t node_b) {
    GreedyFrame stack[2 * RSS_STACK];
    int32_t count = 0;
    int32_t nodes_left = g->query->motion->checker->query->node_budget;
    stack[count++] = (GreedyFrame){node_a, node_b, 0, (double)INFINITY};

    for (;;) {
        GreedyFrame* top = &stack[count - 1];

        // Both children are done: the least of them is known about these two.
        if (top->next == 2) {
            g->key.node_a = top->node_a;
            g->key.node_b = top->node_b;
            g->key.gap = top->gap;
            g->key.internal = 1;
            remember_gap(&g->query->queue->memo, &g->key);
            const double gap = top->gap;
            if (--count == 0) {
                return gap;
            }
            stack[count - 1].gap = gap < stack[count - 1].gap ? gap : stack[count - 1].gap;
            continue;
        }

        if (nodes_left-- <= 0) {
            g->query->full = true;
            return -g->reach;
        }

        int32_t child[2];
        double gap = 0.0;
        child_pair(g, top->node_a, top->node_b, top->next++, child);
        if (measure_unopened(g, child[0], child[1], &gap)) {
            top->gap = gap < top->gap ? gap : top->gap;
            if (g->hit) {
                return -g->reach;
            }
        } else {
            BI_ASSERT(count < 2 * RSS_STACK);
            stack[count++] = (GreedyFrame){child[0], child[1], 0, (double)INFINITY};
        }
    }
}

static GreedySearch greedy_search_at(SegmentQuery* query, const QueueEntry* entry, double t, double needed) {
    const BerthMotionChecker* motion = query->motion;
    const ScenePair* pair = &motion->scene->pairs[motion->pairs[entry->pair].pair];
    return (GreedySearch){
        .query = query,
        .a = motion->scene->parts[entry->part_a].solid,
        .b = motion->scene->parts[entry->part_b].solid,
        .a_from_b = pose_between(&motion->checker->world_from_part[entry->part_a],
                                 &motion->checker->world_from_part[entry->part_b]),
        .pair = entry->pair,
        .limit = needed + motion->delta,
        .margin = bi_motion_margin(motion, pair) + pair->padding,
        .reach = bi_check_reach(motion->checker, pair),
        .key = {.serial = query->serial, .time = t, .part_a = entry->part_a, .part_b = entry->part_b}};
}

double bi_refined_measure_gap(SegmentQuery* query, const QueueEntry* entry, Span at, double needed,
                              bool* hit) {
    GreedySearch g = greedy_search_at(query, entry, at.middle, needed);
    double gap = 0.0;

    query->stats->pair_tests += 1;
    if (!measure_unopened(&g, entry->node_a, entry->node_b, &gap)) {
        gap = walk_below(&g, entry->node_a, entry->node_b);
    }

    Vec3 point;
    // Once a segment: surfaces that stay apart cannot change who is inside whom (errata 2.2).
    if (!g.hit && at.middle == 0.0 && bi_solid_find_nested(g.a, g.b, &g.a_from_b, &point)) {
        g.hit = bi_entry_test_hit(query, entry->pair, at.middle);
        gap = -g.reach;
        query->full = query->full || !g.hit;  // cannot be decided
    }

    *hit = g.hit;
    if (g.hit) {  // the walk ended there: what touches is not looked into again
        g.key.node_a = entry->node_a;
        g.key.node_b = entry->node_b;
        g.key.gap = -g.reach;
        g.key.internal = 0;
        remember_gap(&query->queue->memo, &g.key);
    }
    return g.hit ? -g.reach : gap;
}

// ---- COLLISION-TEST (paper 001, Figure 16) -------------------------------------------------------------------

/// The entry that is looked at, with what its bodies need and travel.
typedef struct VolumeTest {
    SegmentQuery* query;
    const QueueEntry* entry;
    Span span;
    PairNeed need;
    const ScenePair* pair;
    const MotionPair* ends;
} VolumeTest;

// What two volumes can travel: no more than their bodies, and less where they are nearer to an axis.
static double lambda_of(const VolumeTest* test, const QueueEntry* at) {
    const BerthMotionChecker* motion = test->query->motion;
    if (test->ends->endless) {
        return test->need.lambda;
    }
    const Volume a = volume_of(motion->scene->parts[at->part_a].solid, at->node_a);
    const Volume b = volume_of(motion->scene->parts[at->part_b].solid, at->node_b);
    const VolumeSide side_a = {&a, test->pair->body_a, at->part_a, test->ends->row_a};
    const VolumeSide side_b = {&b, test->pair->body_b, at->part_b, test->ends->row_b};
    const double half = test->span.half;
    const double speed = volume_speed(motion, side_a, half) + volume_speed(motion, side_b, half) +
                         bi_motion_reach_rate(motion, test->query->segment, test->pair) * MOTION_GROWN;
    const double own = 2.0 * half * speed;
    return own < test->need.lambda ? own : test->need.lambda;
}

// A time inside (0, 1) is the middle of one dyadic interval only, whose half is the last binary digit of t.
static double dyadic_half(double t) {
    const uint64_t digits = (uint64_t)(t * 0x1p52);
    return (double)(digits & (~digits + 1)) * 0x1p-52;
}

// What is known about two volumes at a time; measured again when it was forgotten.
static MemoRecord recall_or_measure(const VolumeTest* test, const QueueEntry* at, double t) {
    SegmentQuery* query = test->query;
    MemoRecord key = {.serial = query->serial,
                      .time = t,
                      .part_a = at->part_a,
                      .part_b = at->part_b,
                      .node_a = at->node_a,
                      .node_b = at->node_b};
    if (recall_gap(&query->queue->memo, &key)) {
        return key;
    }

    bool hit = false;
    const Span span = {t, t == 0.0 || t == 1.0 ? 0.0 : dyadic_half(t)};
    if (bi_queue_place(query, span)) {
        key.gap = bi_refined_measure_gap(query, at, span, test->need.needed, &hit);
        (void)recall_gap(&query->queue->memo, &key);
        (void)bi_queue_place(query, test->span);
    }
    return key;
}

// A pair of volumes that is not covered, and not near at both ends: a time in between.
static void bisect_entry(const VolumeTest* test, const QueueEntry* at, double lambda) {
    SegmentQuery* query = test->query;
    const double needed = test->need.needed;
    bool hit = false;

    if (bi_entry_give_up(query, at, needed)) {
        return;
    }

    const double gap = bi_refined_measure_gap(query, at, test->span, needed, &hit);
    if (query->full || (hit && !query->request->first_contact)) {
        return;
    }

    QueueEntry left = *at;
    QueueEntry right = *at;
    left.high = right.low = test->span.middle;
    left.gap_high = right.gap_low = gap;

    const bool left_free = bi_entry_prove_covered(query, &left, 0.5 * lambda, needed);
    const bool right_free = hit || bi_entry_prove_covered(query, &right, 0.5 * lambda, needed);
    if ((left_free && right_free) ||
        (!hit && bi_entry_decide_locally(query, at, test->span, lambda, test->need.slack))) {
        return;
    }

    if (!left_free) {
        bi_entry_push(query, left, 0.5 * lambda, needed);
    }
    if (!right_free) {
        bi_entry_push(query, right, 0.5 * lambda, needed);
    }
}

void bi_refined_step(SegmentQuery* query, const QueueEntry* entry, Span span) {
    const BerthMotionChecker* motion = query->motion;
    const MotionPair* ends = &motion->pairs[entry->pair];
    const VolumeTest test = {
        query, entry, span, bi_pair_need(query, entry->pair, span), &motion->scene->pairs[ends->pair], ends};

    if (bi_pair_prove_by_balls(query, entry->pair, 0.5 * test.need.lambda, test.need.needed)) {
        return;
    }

    const GreedySearch sides = {.a = motion->scene->parts[entry->part_a].solid,
                                .b = motion->scene->parts[entry->part_b].solid};
    int32_t stack[2 * RSS_STACK][2];
    int32_t count = 0;
    stack[count][0] = entry->node_a;
    stack[count++][1] = entry->node_b;

    while (count > 0 && !query->full && !(query->hit_t <= 1.0 && !query->request->first_contact)) {
        QueueEntry at = *entry;
        at.node_a = stack[--count][0];
        at.node_b = stack[count][1];

        // What is known at both ends.
        const MemoRecord low = recall_or_measure(&test, &at, entry->low);
        const MemoRecord high = recall_or_measure(&test, &at, entry->high);
        if (query->full) {
            return;
        }
        at.gap_low = low.gap;
        at.gap_high = high.gap;

        // Covered by what the bodies can travel, or by what these two volumes can.
        if (bi_entry_prove_covered(query, &at, test.need.lambda, test.need.needed)) {
            continue;
        }
        const double lambda = lambda_of(&test, &at);
        if (bi_entry_prove_covered(query, &at, lambda, test.need.needed)) {
            continue;
        }

        if (!(low.internal && high.internal)) {
            bisect_entry(&test, &at, lambda);
            continue;
        }

        // Near at both ends: open the larger volume.
        BI_ASSERT(count + 2 <= 2 * RSS_STACK);
        for (int32_t k = 0; k < 2; ++k) {
            child_pair(&sides, at.node_a, at.node_b, k, stack[count++]);
        }
    }
}
