// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// When few lanes of a block are left, the lanes of the machine go across the leaf balls of a group, one
// configuration (or interval) at a time. The tests are those of lane_balls.h.
// Entries: lane_item_alone, lane_pair_alone, lane_sure_item, lane_sure_pair.

#ifndef BI_LANE_ALONE_H
#define BI_LANE_ALONE_H

#include "simd/lane_balls.h"

/// So many registers of balls are asked lane by lane before clusters in all lanes are cheaper: of states, whose lanes are unlike, more
/// than of intervals, which are mostly near each other.
enum { LANE_ALONE_ITEM = 8, LANE_ALONE_PAIR = 96, LANE_ALONE_PAIR_MOVING = 24 };

LANE_INLINE float lane_pick(f32w v, int32_t lane) {
    _Alignas(64) float lanes[WIDE];
    wide_store(lanes, v);
    return lanes[lane];
}

// Of some lanes the one where a ball is nearest to what it is held against: where a segment that is asked alone has a hit first of
// all, which ends it.
LANE_APART int32_t lane_nearest(f32w dd, maskw lanes) {
    _Alignas(64) float all[WIDE];
    wide_store(all, dd);
    int32_t nearest = __builtin_ctz(lanes);
    for (maskw rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
        const int32_t lane = __builtin_ctz(rest);
        nearest = all[lane] < all[nearest] ? lane : nearest;
    }
    return nearest;
}

LANE_INLINE LaneVec lane_splat(const float* rows, int32_t row, int32_t lane) {
    return (LaneVec){wide_set(rows[(ptrdiff_t)row * LANES + lane]),
                     wide_set(rows[(ptrdiff_t)(row + 1) * LANES + lane]),
                     wide_set(rows[(ptrdiff_t)(row + 2) * LANES + lane])};
}

// The frame's pose and twist in one lane, for all lanes.
LANE_INLINE LaneCarrier lane_carrier_alone(const LanePart* part, int32_t frame, int32_t lane,
                                           const bool moving) {
    LaneCarrier out = {.stands = frame < 0};
    if (frame >= 0) {
        const float* poses = part->scratch->poses;
        out.pose =
            (LanePose){lane_splat(poses, 12 * frame, lane), lane_splat(poses, 12 * frame + 3, lane),
                       lane_splat(poses, 12 * frame + 6, lane), lane_splat(poses, 12 * frame + 9, lane)};
        if (moving) {
            out.spin = lane_splat(part->scratch->twists, 6 * frame, lane);
            out.origin = lane_splat(part->scratch->twists, 6 * frame + 3, lane);
        }
    }
    return out;
}

// WIDE leaves of a row, from its leaf `off` on.
LANE_INLINE LanePoint lane_place_row(const LaneCarrier* carrier, const LaneRow* row, int32_t off,
                                     const bool moving) {
    const LaneVec c = {wide_load(row->x + off), wide_load(row->y + off), wide_load(row->z + off)};
    LanePoint out = {c, lane_zero()};
    if (carrier->stands) {
        return out;
    }
    out.p = lane_mad(carrier->pose.z, c.z,
                     lane_mad(carrier->pose.y, c.y, lane_mad(carrier->pose.x, c.x, carrier->pose.t)));
    if (moving) {
        out.v = lane_cross_add(carrier->spin, out.p, carrier->origin);
    }
    return out;
}

// Of WIDE leaves, those that exist.
LANE_INLINE maskw lane_leaves_left(int32_t left) {
    return (maskw)(left >= WIDE ? (1u << (WIDE - 1)) * 2u - 1u : (1u << left) - 1u);
}

/// Leaves that are open in one lane, as bits from `first_leaf` on.
typedef struct LaneLeft {
    int32_t lane, first_leaf;
    maskw open, overlap, hit;
} LaneLeft;

// Takes the next run of leaves that are of one cluster. Returns the cluster, and the lane's bit where something is so.
LANE_APART int32_t lane_next_cluster(const LanePart* part, LaneLeft* left, LaneFound* found) {
    const int32_t* clusters = part->model->leaf_clusters;
    const int32_t cluster = clusters[left->first_leaf + __builtin_ctz(left->open)];
    maskw same = 0;
    for (maskw rest = left->open; rest != 0 && clusters[left->first_leaf + __builtin_ctz(rest)] == cluster;
         rest &= rest - 1) {
        same |= rest & (~rest + 1u);
    }
    left->open &= ~same;

    const maskw bit = (maskw)1 << (left->lane - lane_first(part));
    found->open = bit;
    found->overlap = (left->overlap & same) != 0 ? bit : 0;
    found->hit = (left->hit & same) != 0 ? bit : 0;
    return cluster;
}

// A cluster that is proven as a whole is, whatever its leaves are: so lanes that are asked alone get the answers of those that are
// not.
LANE_APART void lane_note_item_leaves(const LanePart* part, const LaneItem* item, int32_t index, f32w grown,
                                      LaneLeft* left, const bool moving) {
    while (left->open != 0) {
        LaneFound found;
        const int32_t cluster = lane_next_cluster(part, left, &found);
        const LanePoint point = lane_cluster_point(part, cluster, moving);
        const LaneGap gap = lane_item_gap(item, &point, moving);
        const f32w need =
            wide_add(grown, wide_set(part->model->clusters[cluster].ball.radius + item->radius));
        if ((found.open & lane_open(&gap, need, moving)) != 0) {
            lane_note(part, cluster, index, found.open, found.overlap, found.hit);
        }
    }
}

// The same of a leaf of cluster `other` and leaves of the other group.
LANE_APART void lane_note_pair_leaves(const LanePart* part, const KernelPair* pair, int32_t other, f32w grown,
                                      LaneLeft* left, const bool moving) {
    while (left->open != 0) {
        LaneFound found;
        const int32_t cluster = lane_next_cluster(part, left, &found);
        const bool few_is_a = pair->few == pair->group_a;
        const int32_t a = few_is_a ? other : cluster, b = few_is_a ? cluster : other;
        if ((found.open & lane_clusters_open(part, pair, a, b, grown, moving)) != 0) {
            lane_note(part, a, -2 - b, found.open, found.overlap, found.hit);
        }
    }
}

LANE_INLINE void lane_note_sure(const LanePart* part, int32_t lane, int32_t cluster, int32_t other) {
    const maskw bit = (maskw)1 << (lane - lane_first(part));
    lane_note(part, cluster, other, bit, bit, bit);
}

// All leaves of a group against one item, in one lane. A hit is all that a segment alone needs.
LANE_APART void lane_item_alone(const LanePart* part, const KernelGroup* g, const LaneItem* item,
                                int32_t index, f32w grown, int32_t lane, const bool moving) {
    const LaneCarrier carrier = lane_carrier_alone(part, g->frame, lane, moving);
    const f32w grown_here = wide_set(lane_pick(grown, lane - lane_first(part)));
    for (int32_t off = 0; off < g->leaf_count; off += WIDE) {
        const LaneRow* row = &part->model->rows[g->first_row + off / LANES];
        const int32_t at = off % LANES;
        const LanePoint point = lane_place_row(&carrier, row, at, moving);
        const LaneGap gap = lane_item_gap(item, &point, moving);
        const f32w radius = wide_add(wide_load(row->radius + at), wide_set(item->radius));
        const maskw open =
            lane_leaves_left(g->leaf_count - off) & lane_open(&gap, wide_add(grown_here, radius), moving);
        if (open == 0) {
            continue;
        }

        const f32w still = wide_add(radius, wide_set(g->extra));
        const f32w sure =
            wide_add(wide_load(row->sure + at), wide_set(item->sure + g->extra * LANE_SURE_SHARE));
        const maskw overlap = wide_not_gt(gap.dd, wide_mul(still, still));
        const maskw hit = wide_gt(sure, wide_set(0.0f)) & wide_gt(wide_mul(sure, sure), gap.dd);
        if (part->question->stop && (open & hit) != 0) {
            const int32_t leaf = g->first_leaf + off + __builtin_ctz(open & hit);
            lane_note_sure(part, lane, part->model->leaf_clusters[leaf], index);
            return;
        }
        LaneLeft left = {lane, g->first_leaf + off, open, overlap, hit};
        lane_note_item_leaves(part, item, index, grown, &left, moving);
    }
}

/// WIDE leaves of the group with more of them.
typedef struct LaneMany {
    LanePoint point;
    f32w radius, sure;
    int32_t first_leaf;
} LaneMany;

// One leaf of the group with fewer against those, in one lane.
LANE_INLINE void lane_leaf_alone(const LanePart* part, const KernelPair* pair, int32_t leaf,
                                 const LanePoint* one, const LaneMany* many, f32w grown, f32w grown_here,
                                 int32_t lane, maskw can_meet, const bool moving) {
    const LaneBall* ball = &part->model->leaves[leaf];
    const LaneGap gap = lane_point_gap(one, &many->point, moving);
    const f32w radii = wide_add(many->radius, wide_set(ball->radius));
    const maskw open = can_meet & lane_open(&gap, wide_add(grown_here, radii), moving);
    if (open == 0) {
        return;
    }

    const f32w still = wide_add(radii, wide_set(pair->extra));
    const f32w sure = wide_add(many->sure, wide_set(ball->sure + pair->extra * LANE_SURE_SHARE));
    const maskw hit = wide_gt(sure, wide_set(0.0f)) & wide_gt(wide_mul(sure, sure), gap.dd);
    const int32_t* clusters = part->model->leaf_clusters;
    if (part->question->stop && (open & hit) != 0) {
        const int32_t other = clusters[many->first_leaf + __builtin_ctz(open & hit)];
        const bool is_a = pair->few == pair->group_a;
        lane_note_sure(part, lane, is_a ? clusters[leaf] : other, -2 - (is_a ? other : clusters[leaf]));
        return;
    }
    LaneLeft left = {lane, many->first_leaf, open, wide_not_gt(gap.dd, wide_mul(still, still)), hit};
    lane_note_pair_leaves(part, pair, clusters[leaf], grown, &left, moving);
}

// All leaves of two groups against each other, in one lane.
LANE_APART void lane_pair_alone(const LanePart* part, const KernelPair* pair, f32w grown, int32_t lane,
                                const bool moving) {
    const KernelGroup* few = &part->model->groups[pair->few];
    const KernelGroup* many =
        &part->model->groups[pair->few == pair->group_a ? pair->group_b : pair->group_a];
    const uint16_t* meets = part->question->within ? pair->meets : pair->exist;
    float* alone = part->scratch->alone;
    const LaneCarrier few_carrier = lane_carrier_alone(part, few->frame, lane, moving);
    for (int32_t off = 0; off < few->leaf_count; off += WIDE) {
        const LaneRow* row = &part->model->rows[few->first_row + off / LANES];
        const LanePoint point = lane_place_row(&few_carrier, row, off % LANES, moving);
        lane_store_point(alone, off / LANES, off % LANES, &point);
    }

    const f32w grown_here = wide_set(lane_pick(grown, lane - lane_first(part)));
    const LaneCarrier carrier = lane_carrier_alone(part, many->frame, lane, moving);
    for (int32_t off = 0; off < many->leaf_count && !lane_is_over(part); off += WIDE) {
        const int32_t r = off / LANES, at = off % LANES;
        const LaneRow* row = &part->model->rows[many->first_row + r];
        const LaneMany placed = {lane_place_row(&carrier, row, at, moving), wide_load(row->radius + at),
                                 wide_load(row->sure + at), many->first_leaf + off};
        for (int32_t i = 0; i < few->leaf_count && !lane_is_over(part); ++i) {
            const maskw can_meet = ((maskw)meets[i * many->row_count + r] >> at) & lane_leaves_left(WIDE);
            if (can_meet == 0) {
                continue;
            }
            const float* from = alone + (ptrdiff_t)6 * (i / LANES) * LANES;
            const LanePoint one = {lane_splat(from, 0, i % LANES),
                                   moving ? lane_splat(from, 3, i % LANES) : lane_zero()};
            lane_leaf_alone(part, pair, few->first_leaf + i, &one, &placed, grown, grown_here, lane, can_meet,
                            moving);
        }
    }
}

// ---- what is inside for certain -----------------------------------------------------------------------------------

// Lanes of the part that were noted lately, and have no hit yet.
LANE_INLINE maskw lane_noted(const LanePart* part) {
    const uint32_t noted = part->answer->lately & ~part->answer->hit;
    return (maskw)(noted >> lane_first(part)) & lane_leaves_left(WIDE);
}

// Lanes where a point of the item is nearer than `sure`.
LANE_INLINE maskw lane_is_in_item(const LaneItem* item, const LanePoint* point, f32w sure) {
    if (item->dense != NULL) {
        f32w off;
        const i32w cell = lane_dense_cell(item->dense, lane_in_item(item, point->p), &off);
        return wide_gt(sure, wide_add(wide_gather(item->dense->most, cell), off));
    }
    const LaneGap gap = lane_item_gap(item, point, false);
    return wide_gt(sure, wide_set(0.0f)) & wide_gt(wide_mul(sure, sure), gap.dd);
}

// Is a ball that is inside of the group for certain in the item? At the middle of the lane's interval.
LANE_APART void lane_sure_item(const LanePart* part, const KernelGroup* g, const LaneItem* item,
                               int32_t index, int32_t lane) {
    const LaneCarrier carrier = lane_carrier_alone(part, g->frame, lane, false);
    const float touching = item->dense != NULL ? item->dense->sure : item->sure;
    const f32w added = wide_set(touching + g->extra * LANE_SURE_SHARE);
    for (int32_t off = 0; off < g->sure_count; off += WIDE) {
        const int32_t r = g->first_sure_row + off / LANES, at = off % LANES;
        const LanePoint point = lane_place_row(&carrier, &part->model->rows[r], at, false);
        const f32w sure = wide_add(wide_load(part->model->rows[r].sure + at), added);
        const maskw hit = lane_leaves_left(g->sure_count - off) & lane_is_in_item(item, &point, sure);
        if (hit != 0) {
            lane_note_sure(part, lane, part->model->row_clusters[r * LANES + at + __builtin_ctz(hit)], index);
            return;
        }
    }
}

// Do balls that are inside of two groups for certain meet? At the middle of the lane's interval.
LANE_APART void lane_sure_pair(const LanePart* part, const KernelPair* pair, int32_t lane) {
    const KernelGroup *a = &part->model->groups[pair->group_a], *b = &part->model->groups[pair->group_b];
    const int32_t* clusters = part->model->row_clusters;
    const LaneCarrier from_a = lane_carrier_alone(part, a->frame, lane, false);
    const LaneCarrier from_b = lane_carrier_alone(part, b->frame, lane, false);
    if (a->sure_count > LANE_ALONE_LEAVES) {
        return;
    }
    for (int32_t off = 0; off < a->sure_count; off += WIDE) {
        const LaneRow* row = &part->model->rows[a->first_sure_row + off / LANES];
        const LanePoint point = lane_place_row(&from_a, row, off % LANES, false);
        lane_store(part->scratch->alone, 6 * (off / LANES), off % LANES, point.p);
    }

    for (int32_t off = 0; off < b->sure_count; off += WIDE) {
        const int32_t r = b->first_sure_row + off / LANES, at = off % LANES;
        const LanePoint point = lane_place_row(&from_b, &part->model->rows[r], at, false);
        const f32w sure_b = wide_load(part->model->rows[r].sure + at);
        for (int32_t i = 0; i < a->sure_count; ++i) {
            const LaneRow* row = &part->model->rows[a->first_sure_row + i / LANES];
            const float* placed = part->scratch->alone + (ptrdiff_t)6 * (i / LANES) * LANES;
            const LaneVec d = lane_sub(lane_splat(placed, 0, i % LANES), point.p);
            const f32w sure =
                wide_add(sure_b, wide_set(row->sure[i % LANES] + pair->extra * LANE_SURE_SHARE));
            const maskw hit = lane_leaves_left(b->sure_count - off) & wide_gt(sure, wide_set(0.0f)) &
                              wide_gt(wide_mul(sure, sure), lane_dot(d, d));
            if (hit != 0) {
                lane_note_sure(part, lane, clusters[a->first_sure_row * LANES + i],
                               -2 - clusters[r * LANES + at + __builtin_ctz(hit)]);
                return;
            }
        }
    }
}

#endif
