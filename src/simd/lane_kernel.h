// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A block of configurations, or of intervals of a motion, in wide lanes: where the frames are, then every group of balls
// against the items near it and against its partners; first by one ball around the group, then by clusters, then by
// leaf balls. docs/theory/lanes.md has the test on an interval and the rounding. Written once on wide.h.
// Entry: lane_block, at the end.

#ifndef BI_LANE_KERNEL_H
#define BI_LANE_KERNEL_H

#include "simd/lane_alone.h"

// ---- against items --------------------------------------------------------------------------------------------

/// Where balls are in a field.
typedef struct LaneCells {
    maskw open;     // lanes that the distance at the cell's centre does not prove
    maskw outside;  // lanes that are in no cell, or need more than the lists hold
    i32w cell;
} LaneCells;

// Lanes that leave a box further away than they need, along one of the axes.
LANE_INLINE maskw lane_clear_of_box(const float low[3], const float high[3], const LanePoint* point,
                                    f32w need, const bool moving) {
    const f32w p[3] = {point->p.x, point->p.y, point->p.z};
    const f32w v[3] = {point->v.x, point->v.y, point->v.z};
    maskw clear = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const f32w reach = moving ? wide_add(need, wide_abs(v[axis])) : need;
        clear |= wide_gt(wide_sub(p[axis], reach), wide_set(high[axis])) |
                 wide_gt(wide_set(low[axis]), wide_add(p[axis], reach));
    }
    return clear;
}

// One look at the grid: the distance from the cell's centre, less how far the ball is from there and how far it goes.
LANE_INLINE LaneCells lane_look(const LaneField* field, const LanePoint* point, f32w need, maskw lanes,
                                const bool moving) {
    const f32w inverse = wide_set(field->inverse), zero = wide_set(0.0f);
    const LaneVec at = lane_scale(lane_sub(point->p, lane_constant(field->origin)), inverse);
    const i32w ix = wide_to_int(wide_min(wide_max(at.x, zero), wide_set((float)(field->size[0] - 1))));
    const i32w iy = wide_to_int(wide_min(wide_max(at.y, zero), wide_set((float)(field->size[1] - 1))));
    const i32w iz = wide_to_int(wide_min(wide_max(at.z, zero), wide_set((float)(field->size[2] - 1))));

    LaneCells out;
    out.cell =
        wide_int_mad(wide_int_mad(ix, wide_int_set(field->size[1]), iy), wide_int_set(field->size[2]), iz);
    const f32w distance = wide_gather(field->distance, out.cell);
    const f32w middle = wide_set(0.5f);
    const LaneVec off = {wide_sub(wide_sub(at.x, wide_from_int(ix)), middle),
                         wide_sub(wide_sub(at.y, wide_from_int(iy)), middle),
                         wide_sub(wide_sub(at.z, wide_from_int(iz)), middle)};
    const f32w off_sq = wide_mul(lane_dot(off, off), wide_set(field->cell * field->cell * 1.00001f));

    const f32w room = wide_sub(distance, need);
    const f32w spare = wide_sub(wide_set(field->reach), need);
    f32w used_sq = off_sq, go_sq = zero;
    if (moving) {
        go_sq = wide_mul(lane_dot(point->v, point->v), wide_set(1.00001f));
        const f32w product = wide_sqrt(wide_mul(off_sq, go_sq));
        used_sq = wide_add(wide_add(off_sq, go_sq), wide_add(product, product));
        used_sq = wide_mul(used_sq, wide_set(1.00001f));
    }
    out.open = lanes & ~(wide_gt(room, zero) & wide_gt(wide_mul(room, room), used_sq)) &
               ~lane_clear_of_box(field->low, field->high, point, need, moving);

    const f32w edge = wide_set(0.5001f);
    const f32w most = wide_max(wide_max(wide_abs(off.x), wide_abs(off.y)), wide_abs(off.z));
    out.outside = wide_not_gt(edge, most) | wide_not_gt(spare, zero);
    if (moving) {
        out.outside |= wide_not_gt(wide_mul(spare, spare), go_sq);
    }
    return out;
}

// Every leaf of a cluster against one item, in the lanes where the cluster's ball is not proven.
LANE_APART void lane_leaves_against_item(const LanePart* part, int32_t cluster, const LaneField* field,
                                         int32_t index, f32w grown, float extra, maskw lanes,
                                         const bool moving) {
    const LaneCluster* c = &part->model->clusters[cluster];
    const LaneItem* item = &field->items[index];
    maskw open = 0, overlap = 0, hit = 0;
    lane_place_leaves(part, cluster, moving);

    for (int32_t i = c->first_leaf; i < c->first_leaf + c->leaf_count; ++i) {
        const LaneBall* leaf = &part->model->leaves[i];
        const LanePoint point = lane_load_point(part->scratch->leaves, i, lane_first(part));
        const LaneGap gap = lane_item_gap(item, &point, moving);
        const f32w need = wide_add(grown, wide_set(leaf->radius + item->radius));
        const maskw here = lanes & lane_open(&gap, need, moving);
        if (here == 0) {
            continue;
        }

        open |= here;
        const float still = leaf->radius + item->radius + extra;
        overlap |= here & wide_not_gt(gap.dd, wide_set(still * still));
        const float sure = leaf->sure + item->sure + extra * LANE_SURE_SHARE;
        if (sure > 0.0f) {
            hit |= here & wide_gt(wide_set(sure * sure), gap.dd);
        }
    }

    if (open != 0) {
        lane_note(part, cluster, index, open, overlap, hit);
    }
}

LANE_INLINE void lane_cluster_against_item(const LanePart* part, int32_t cluster, const LaneField* field,
                                           int32_t index, const LanePoint* point, f32w grown, float extra,
                                           maskw lanes, const bool moving) {
    const LaneCluster* c = &part->model->clusters[cluster];
    const LaneItem* item = &field->items[index];
    const LaneGap gap = lane_item_gap(item, point, moving);
    const f32w need = wide_add(grown, wide_set(c->ball.radius + item->radius));
    const maskw open = lanes & lane_open(&gap, need, moving);
    if (open != 0) {
        lane_leaves_against_item(part, cluster, field, index, grown, extra, open, moving);
    }
}

LANE_APART void lane_cluster_against_items(const LanePart* part, int32_t cluster, const LaneField* field,
                                           f32w grown, float extra, maskw lanes, const bool moving) {
    const LaneCluster* c = &part->model->clusters[cluster];
    const LanePoint point = lane_cluster_point(part, cluster, moving);
    const f32w need = wide_add(grown, wide_set(c->ball.radius));
    const LaneCells cells = lane_look(field, &point, need, lanes, moving);
    if (cells.open == 0) {
        return;
    }

    // Those near each cell, in the lanes that are in it.
    const maskw lost = cells.open & cells.outside;
    if (lost != 0) {
        lane_note(part, cluster, -1, lost, 0, 0);
    }
    int32_t cell[WIDE];
    wide_int_store(cell, cells.cell);
    for (maskw left = cells.open & ~lost; left != 0 && !lane_is_over(part);) {
        const int32_t here = cell[__builtin_ctz(left)];
        maskw same = 0;
        for (maskw rest = left; rest != 0; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            same |= (maskw)(cell[lane] == here) << lane;
        }
        left &= ~same;
        for (int32_t k = field->first[here]; k < field->first[here + 1]; ++k) {
            lane_cluster_against_item(part, cluster, field, field->list[k], &point, grown, extra, same,
                                      moving);
        }
    }
}

// Which items are where the ball can get to in any lane: ends along the axes, in slabs. The first and the last slab have no end.
LANE_INLINE uint64_t lane_near_bits(const LaneField* field, const LanePoint* point, f32w need,
                                    const bool moving) {
    f32w x = need, y = need, z = need;
    if (moving) {
        x = wide_add(x, wide_abs(point->v.x));
        y = wide_add(y, wide_abs(point->v.y));
        z = wide_add(z, wide_abs(point->v.z));
    }

    const f32w none = wide_set(0.0f);
    const f32w ends[8] = {wide_sub(point->p.x, x),
                          wide_sub(point->p.y, y),
                          wide_sub(point->p.z, z),
                          wide_sub(none, wide_add(point->p.x, x)),
                          wide_sub(none, wide_add(point->p.y, y)),
                          wide_sub(none, wide_add(point->p.z, z)),
                          none,
                          none};
    int32_t slab[8];
    wide_slabs8(ends, field->slab_origin, field->slab_scale, (float)(LANE_SLABS - 1), slab);
    return field->slabs[0][slab[0]] & field->slabs[1][slab[1]] & field->slabs[2][slab[2]] &
           field->slabs[3][slab[3]] & field->slabs[4][slab[4]] & field->slabs[5][slab[5]];
}

// Leaves that are the bodies have shown their hits by themselves, but against grids.
LANE_INLINE bool lane_may_be_in_item(const KernelGroup* g, const LaneItem* item) {
    return item->dense != NULL || (g->first_sure_row != g->first_row && item->sure > LANE_UNSURE);
}

// Every leaf of a group against one item, in the lanes where the group's ball is not proven.
LANE_APART void lane_group_near_item(const LanePart* part, const KernelGroup* g, const LaneField* field,
                                     int32_t index, f32w grown, f32w dd, maskw lanes, const bool moving) {
    const LaneItem* item = &field->items[index];
    part->answer->lately = 0;
    if (lanes == 0) {
        return;
    }
    if (part->question->stop) {
        const int32_t nearest = lane_nearest(dd, lanes);
        lane_item_alone(part, g, item, index, grown, lane_first(part) + nearest, moving);
        lanes &= ~((maskw)1 << nearest);
    }
    if (__builtin_popcount(lanes) * g->row_count * (LANES / WIDE) <= LANE_ALONE_ITEM) {
        for (; lanes != 0 && !lane_is_over(part); lanes &= lanes - 1) {
            lane_item_alone(part, g, item, index, grown, lane_first(part) + __builtin_ctz(lanes), moving);
        }
    } else {
        for (int32_t c = g->first_cluster;
             lanes != 0 && c < g->first_cluster + g->cluster_count && !lane_is_over(part); ++c) {
            const LanePoint at = lane_cluster_point(part, c, moving);
            lane_cluster_against_item(part, c, field, index, &at, grown, g->extra, lanes, moving);
        }
    }

    maskw open = lane_may_be_in_item(g, item) ? lane_noted(part) : 0;
    for (; open != 0; open &= open - 1) {
        lane_sure_item(part, g, item, index, lane_first(part) + __builtin_ctz(open));
    }
}

// Few items: those near any lane, each in all lanes; by the group's ball, then by its clusters.
LANE_INLINE void lane_group_against_few(const LanePart* part, const KernelGroup* g, const LaneField* field,
                                        const LanePoint* point, f32w grown, const bool moving) {
    const f32w need = wide_add(grown, wide_set(g->ball.radius));
    uint64_t bits = g->near & lane_near_bits(field, point, need, moving);
    for (; bits != 0 && !lane_is_over(part); bits &= bits - 1) {
        const int32_t index = __builtin_ctzll(bits);
        const LaneItem* item = &field->items[index];
        const LaneGap gap = lane_item_gap(item, point, moving);
        maskw open = part->lanes & lane_open(&gap, wide_add(need, wide_set(item->radius)), moving);
        if (open != 0) {
            // What slabs would prove of this lane alone is proven, whichever lanes are beside it in a register.
            open &= ~lane_clear_of_box(item->low, item->high, point, need, moving);
            lane_group_near_item(part, g, field, index, grown, gap.dd, open, moving);
        }
    }
}

// Many: one look for the group at the grid, then for each cluster.
LANE_APART void lane_group_against_many(const LanePart* part, const KernelGroup* g, const LaneField* field,
                                        const LanePoint* point, f32w grown, const bool moving) {
    const f32w need = wide_add(grown, wide_set(g->ball.radius));
    const LaneCells cells = lane_look(field, point, need, part->lanes, moving);
    for (int32_t c = g->first_cluster;
         cells.open != 0 && c < g->first_cluster + g->cluster_count && !lane_is_over(part); ++c) {
        lane_cluster_against_items(part, c, field, grown, g->extra, cells.open, moving);
    }

    const int32_t end = part->answer->count;
    const uint32_t mine = (uint32_t)lane_leaves_left(WIDE) << lane_first(part);
    for (int32_t i = 0; i < end; ++i) {
        const LaneEntry entry = part->answer->entries[i];
        const int32_t cluster = entry.cluster - g->first_cluster;
        const bool asked = entry.other >= 0 && cluster >= 0 && cluster < g->cluster_count &&
                           lane_may_be_in_item(g, &field->items[entry.other]);
        for (uint32_t open = asked ? entry.open & mine & ~part->answer->hit : 0; open != 0;
             open &= open - 1) {
            lane_sure_item(part, g, &field->items[entry.other], entry.other, __builtin_ctz(open));
        }
    }
}

LANE_INLINE void lane_group_against_items(const LanePart* part, int32_t group, const bool moving) {
    const KernelGroup* g = &part->model->groups[group];
    const LaneField* field = &part->model->fields[g->field];
    if (field->slabs != NULL && g->near == 0) {
        return;
    }
    const LanePoint point = lane_group_point(part, group, moving);
    const f32w grown = lane_group_grown(part, group, g->extra, moving);
    if (field->slabs != NULL) {
        lane_group_against_few(part, g, field, &point, grown, moving);
    } else {
        lane_group_against_many(part, g, field, &point, grown, moving);
    }
}

// ---- against each other ---------------------------------------------------------------------------------------

LANE_INLINE void lane_try_leaves(const LanePart* part, int32_t a, int32_t b, f32w grown, float extra,
                                 maskw lanes, LaneFound* found, const bool moving) {
    const LaneBall *leaf_a = &part->model->leaves[a], *leaf_b = &part->model->leaves[b];
    const LanePoint point_a = lane_load_point(part->scratch->leaves, a, lane_first(part));
    const LanePoint point_b = lane_load_point(part->scratch->leaves, b, lane_first(part));
    const LaneGap gap = lane_point_gap(&point_a, &point_b, moving);
    const float radii = leaf_a->radius + leaf_b->radius;
    const maskw here = lanes & lane_open(&gap, wide_add(grown, wide_set(radii)), moving);
    if (here == 0) {
        return;
    }

    found->open |= here;
    found->overlap |= here & wide_not_gt(gap.dd, wide_set((radii + extra) * (radii + extra)));
    const float sure = leaf_a->sure + leaf_b->sure + extra * LANE_SURE_SHARE;
    if (sure > 0.0f) {
        found->hit |= here & wide_gt(wide_set(sure * sure), gap.dd);
    }
}

LANE_APART void lane_leaves_against_leaves(const LanePart* part, int32_t a, int32_t b, f32w grown,
                                           float extra, maskw lanes, const bool moving) {
    const LaneCluster* ca = &part->model->clusters[a];
    const LaneCluster* cb = &part->model->clusters[b];
    LaneFound found = {0, 0, 0};
    lane_place_leaves(part, a, moving);
    lane_place_leaves(part, b, moving);

    for (int32_t i = ca->first_leaf; i < ca->first_leaf + ca->leaf_count; ++i) {
        for (int32_t k = cb->first_leaf; k < cb->first_leaf + cb->leaf_count; ++k) {
            lane_try_leaves(part, i, k, grown, extra, lanes, &found, moving);
        }
    }
    if (found.open != 0) {
        lane_note(part, a, -2 - b, found.open, found.overlap, found.hit);
    }
}

// In the lanes where the groups' balls are not proven apart: each cluster against the other group, then against clusters.
LANE_APART void lane_clusters_against_clusters(const LanePart* part, const KernelGroup* ga,
                                               const KernelGroup* gb, int32_t group_b, f32w grown,
                                               float extra, maskw lanes, const bool moving) {
    const LanePoint whole_b = lane_group_point(part, group_b, moving);
    for (int32_t a = ga->first_cluster; a < ga->first_cluster + ga->cluster_count; ++a) {
        const LanePoint point_a = lane_cluster_point(part, a, moving);
        const float radius_a = part->model->clusters[a].ball.radius;
        const LaneGap whole = lane_point_gap(&point_a, &whole_b, moving);
        const maskw some =
            lanes & lane_open(&whole, wide_add(grown, wide_set(radius_a + gb->ball.radius)), moving);

        for (int32_t b = gb->first_cluster; some != 0 && b < gb->first_cluster + gb->cluster_count; ++b) {
            const LanePoint point_b = lane_cluster_point(part, b, moving);
            const float radius_b = part->model->clusters[b].ball.radius;
            const LaneGap gap = lane_point_gap(&point_a, &point_b, moving);
            const maskw open = some & lane_open(&gap, wide_add(grown, wide_set(radius_a + radius_b)), moving);
            if (open != 0) {
                lane_leaves_against_leaves(part, a, b, grown, extra, open, moving);
            }
            if (lane_is_over(part)) {
                return;
            }
        }
    }
}

// The leaves of two clusters that can meet.
LANE_INLINE void lane_meet(const LanePart* part, const LaneMeeting* meeting, f32w grown, float extra,
                           maskw lanes, const bool moving) {
    LaneFound found = {0, 0, 0};
    lane_place_leaves(part, meeting->cluster_a, moving);
    lane_place_leaves(part, meeting->cluster_b, moving);
    for (int32_t i = meeting->first; i < meeting->first + meeting->count; ++i) {
        lane_try_leaves(part, part->model->leaf_pairs[i][0], part->model->leaf_pairs[i][1], grown, extra,
                        lanes, &found, moving);
    }
    if (found.open != 0) {
        lane_note(part, meeting->cluster_a, -2 - meeting->cluster_b, found.open, found.overlap, found.hit);
    }
}

LANE_APART void lane_clusters_that_meet(const LanePart* part, const KernelPair* pair, f32w grown, maskw lanes,
                                        const bool moving) {
    for (int32_t i = 0; i < pair->meeting_count && !lane_is_over(part); ++i) {
        const LaneMeeting* meeting = &pair->meetings[i];
        const LanePoint a = lane_cluster_point(part, meeting->cluster_a, moving);
        const LanePoint b = lane_cluster_point(part, meeting->cluster_b, moving);
        const LaneGap gap = lane_point_gap(&a, &b, moving);
        const float radii = part->model->clusters[meeting->cluster_a].ball.radius +
                            part->model->clusters[meeting->cluster_b].ball.radius;
        const maskw open = lanes & lane_open(&gap, wide_add(grown, wide_set(radii)), moving);
        if (open != 0) {
            lane_meet(part, meeting, grown, pair->extra, open, moving);
        }
    }
}

// Lanes where the floor of a chart does not prove the two groups apart on all of the interval. A level's cell holds the gap on
// the cells around it, too, so it is asked where no value goes further than one of its cells is wide.
LANE_APART maskw lane_floor_open(const LanePart* part, const LaneChart* chart, float extra, const f32w at[2],
                                 const bool moving) {
    const LaneFloor* floor = &chart->floor;
    const f32w zero = wide_set(0.0f);
    f32w reach = zero, place[2];
    maskw open = 0;
    for (int k = 0; k < 2; ++k) {
        const float size = (float)chart->size[k];
        place[k] = wide_min(wide_max(at[k], zero), wide_set(size - 0.0625f));
        open |= wide_not_gt(wide_set(2.0f * size), wide_abs(at[k]));  // no number
        f32w way = wide_set(LANE_VALUE_SLACK);
        if (moving) {
            way = wide_fma(part->half, wide_abs(lane_go(part, chart->value[k])), way);
        }
        reach = wide_max(wide_mul(way, wide_set(floor->inverse_width[k])), reach);
    }

    // The smallest cells that are wide enough.
    f32w share = wide_set(floor->scale), base = wide_set(floor->base[0]), stride = wide_set(floor->stride[0]);
    float width = 1.0f;
    for (int32_t level = 1; level < floor->level_count; ++level) {
        const maskw beyond = wide_not_gt(wide_set(width), reach);
        width *= 2.0f;
        share = wide_select(beyond, wide_set(floor->scale / width), share);
        base = wide_select(beyond, wide_set(floor->base[level]), base);
        stride = wide_select(beyond, wide_set(floor->stride[level]), stride);
    }

    const f32w first = wide_from_int(wide_to_int(wide_mul(place[0], share)));
    const f32w second = wide_from_int(wide_to_int(wide_mul(place[1], share)));
    const i32w cell = wide_to_int(wide_add(wide_fma(first, stride, base), second));
    open |= wide_not_gt(wide_gather(floor->gap, cell), wide_set(extra));
    return open | wide_not_gt(wide_set(width), reach);
}

// Lanes where the chart of the values between the two groups does not prove them apart; `hit`: where it proves that bodies of
// them meet at the middle.
LANE_INLINE maskw lane_chart_open(const LanePart* part, const LaneChart* chart, float extra, maskw* hit,
                                  const bool moving) {
    f32w need = wide_set(extra), off_middle = wide_set(0.0f);
    f32w at[2];
    i32w cell[2];
    for (int k = 0; k < 2; ++k) {
        f32w q = lane_value(part, chart->value[k], moving);
        if (chart->period[k] > 0.0f) {
            const f32w shift = wide_set(0x1.8p23f);
            const f32w off = wide_sub(q, wide_set(chart->middle[k]));
            const f32w turns = wide_sub(wide_fma(off, wide_set(1.0f / chart->period[k]), shift), shift);
            q = wide_fnma(turns, wide_set(chart->period[k]), q);
        }

        at[k] = wide_mul(wide_sub(q, wide_set(chart->origin[k])), wide_set(chart->inverse[k]));
        cell[k] =
            wide_to_int(wide_min(wide_max(at[k], wide_set(0.0f)), wide_set((float)(chart->size[k] - 1))));

        // From the middle of the cell to the middle of the interval, and on to its ends.
        const f32w off = wide_sub(wide_sub(at[k], wide_from_int(cell[k])), wide_set(0.5f));
        f32w away = wide_mul(wide_abs(off), wide_set(chart->width[k]));
        off_middle = wide_fma(away, wide_set(chart->lever[k]), off_middle);
        if (moving) {
            const f32w go = wide_abs(lane_go(part, chart->value[k]));
            away = wide_fma(part->half, go, away);
        }
        need = wide_fma(away, wide_set(chart->lever[k]), need);
    }
    const f32w gap = wide_gather(chart->gap, wide_int_mad(cell[0], wide_int_set(chart->size[1]), cell[1]));
    *hit = wide_gt(wide_sub(wide_set(0.0f), gap), off_middle) & wide_gt(gap, wide_set(LANE_UNSURE));
    const maskw open = wide_not_gt(gap, need);
    if (open == 0 || (moving ? chart->floor.level_count == 0 : !chart->floor.for_states)) {
        return open;
    }
    return open & lane_floor_open(part, chart, extra, at, moving);
}

// What the interval adds to the radii of two groups at most. Turns that carry both alike do not move them against each other.
LANE_APART f32w lane_pair_loss(const LanePart* part, const KernelPair* pair) {
    const float* rates = part->scratch->rates + lane_first(part);
    const KernelLever* levers = part->model->levers + pair->first_lever;
    f32w speed = wide_set(0.0f), whole = speed;
    for (int32_t i = 0; i < pair->lever_count; ++i) {
        const f32w lever = wide_set(levers[i].lever);
        speed = wide_fma(lever, wide_load(rates + (ptrdiff_t)(3 * levers[i].frame) * LANES), speed);
        whole = wide_fma(lever, wide_load(rates + (ptrdiff_t)(3 * levers[i].frame + 2) * LANES), whole);
    }

    f32w bend = wide_mul(whole, wide_set(1.0f + 0x1p-14f));
    if (pair->ancestor >= 0) {
        const f32w shared = wide_load(rates + (ptrdiff_t)(3 * pair->ancestor + 1) * LANES);
        bend = wide_max(wide_fnma(wide_add(shared, shared), speed, bend), wide_set(0.0f));
    }
    const f32w loss =
        wide_add(lane_rounding_loss(part, pair->group_a), lane_rounding_loss(part, pair->group_b));
    return wide_fma(part->half_sq, bend, loss);
}

// How many registers of balls it takes to ask about two groups in one lane.
LANE_INLINE int32_t lane_alone_registers(const KernelGroup* a, const KernelGroup* b) {
    const int32_t one = a->leaf_count < b->leaf_count ? a->leaf_count : b->leaf_count;
    const int32_t rows = a->leaf_count < b->leaf_count ? b->row_count : a->row_count;
    return one * rows * (LANES / WIDE);
}

// In the lanes where the two groups' balls are not proven apart as if nothing carried both alike.
LANE_APART void lane_near_pair(const LanePart* part, const KernelPair* pair, maskw lanes, const bool moving) {
    const KernelGroup* ga = &part->model->groups[pair->group_a];
    const KernelGroup* gb = &part->model->groups[pair->group_b];
    f32w grown = wide_set(pair->extra);
    if (moving) {
        grown = wide_add(grown, lane_pair_loss(part, pair));
        const LanePoint a = lane_group_point(part, pair->group_a, moving);
        const LanePoint b = lane_group_point(part, pair->group_b, moving);
        const LaneGap gap = lane_point_gap(&a, &b, moving);
        const f32w need = wide_add(grown, wide_set(ga->ball.radius + gb->ball.radius));
        lanes &= lane_open(&gap, need, moving);
    }

    part->answer->lately = 0;
    const int32_t most = moving ? LANE_ALONE_PAIR_MOVING : LANE_ALONE_PAIR;
    const int32_t registers = pair->meets != NULL ? lane_alone_registers(ga, gb) : most + 1;
    if (__builtin_popcount(lanes) * registers <= most) {
        for (; lanes != 0 && !lane_is_over(part); lanes &= lanes - 1) {
            const int32_t lane = __builtin_ctz(lanes);
            lane_pair_alone(part, pair, grown, lane_first(part) + lane, moving);
        }
    } else if (lanes != 0 && part->question->within && pair->meetings != NULL) {
        lane_clusters_that_meet(part, pair, grown, lanes, moving);
    } else if (lanes != 0) {
        lane_clusters_against_clusters(part, ga, gb, pair->group_b, grown, pair->extra, lanes, moving);
    }

    const bool exact = ga->first_sure_row == ga->first_row && gb->first_sure_row == gb->first_row;
    for (maskw open = exact ? 0 : lane_noted(part); open != 0; open &= open - 1) {
        lane_sure_pair(part, pair, lane_first(part) + __builtin_ctz(open));
    }
}

LANE_INLINE void lane_pair(const LanePart* part, int32_t index, const bool moving) {
    const KernelPair* pair = &part->model->pairs[index];
    maskw lanes = part->lanes;
    if (pair->chart >= 0 && part->question->within) {
        const LaneChart* chart = &part->model->charts[pair->chart];
        maskw hit;
        lanes &= lane_chart_open(part, chart, pair->extra, &hit, moving);
        if (lanes == 0) {
            return;
        }

        hit &= lanes;
        if (hit != 0) {
            lane_note(part, chart->deep[0], -2 - chart->deep[1], hit, hit, hit);
            lanes &= ~hit;
        }
    }

    const LanePoint a = lane_group_point(part, pair->group_a, moving);
    const LanePoint b = lane_group_point(part, pair->group_b, moving);
    const LaneGap gap = lane_point_gap(&a, &b, moving);
    f32w need = wide_set(pair->extra + part->model->groups[pair->group_a].ball.radius +
                         part->model->groups[pair->group_b].ball.radius);
    if (moving) {
        need = wide_add(need, wide_add(lane_loss(part, pair->group_a), lane_loss(part, pair->group_b)));
    }
    const maskw open = lanes & lane_open(&gap, need, moving);
    if (open != 0) {
        lane_near_pair(part, pair, open, moving);
    }
}

// ---- a block --------------------------------------------------------------------------------------------------

// A lane with a hit is answered: nothing more is asked about it.
LANE_INLINE bool lane_has_more(LanePart* part) {
    part->lanes &= ~(maskw)(part->answer->hit >> lane_first(part));
    return part->lanes != 0 && !lane_is_over(part);
}

LANE_INLINE void lane_ask_pairs(LanePart* part, const bool moving) {
    for (int32_t i = 0; i < part->question->pair_count && lane_has_more(part); ++i) {
        lane_pair(part, part->question->pairs[i], moving);
    }
}

LANE_INLINE void lane_ask_groups(LanePart* part, const bool moving) {
    for (int32_t i = 0; i < part->question->group_count && lane_has_more(part); ++i) {
        lane_group_against_items(part, part->question->groups[i], moving);
    }
}

// Segments mostly collide with items, and a segment that is asked alone ends with its first hit (444 to 324 ns a colliding one of
// 4 rad); of random states many collide by charts, which place no ball.
LANE_INLINE void lane_ask_part(LanePart* part, const bool moving) {
    part->scratch->serial += 1;
    lane_place_frames(part, moving);
    if (moving && part->together) {
        lane_bound_groups(part);
    }
    if (moving) {
        lane_ask_groups(part, moving);
        lane_ask_pairs(part, moving);
    } else {
        lane_ask_pairs(part, moving);
        lane_ask_groups(part, moving);
    }
}

LANE_APART void lane_ask_still(LanePart* part) {
    lane_ask_part(part, false);
}

LANE_APART void lane_ask_moving(LanePart* part) {
    lane_ask_part(part, true);
}

static void lane_block(const LaneModel* model, const LaneQuestion* question, LaneScratch* scratch,
                       LaneAnswer* answer) {
    const uint32_t before = wide_flush_begin();
    answer->count = 0;
    answer->open = answer->hit = 0;
    answer->full = false;

    for (int32_t first = 0; first < LANES; first += WIDE) {
        const maskw lanes = (maskw)((question->lanes >> first) & ((1u << WIDE) - 1u));
        LanePart part = {.model = model,
                         .question = question,
                         .scratch = scratch,
                         .answer = answer,
                         .first = first,
                         .lanes = lanes,
                         .together = question->alike && model->lever_rows > 0};
        if (lanes == 0 || lane_is_over(&part)) {
            continue;
        }
        if (question->goes != NULL) {
            lane_ask_moving(&part);
        } else {
            lane_ask_still(&part);
        }
    }
    wide_flush_end(before);
}

#endif
