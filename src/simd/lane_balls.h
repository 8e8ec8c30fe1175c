// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls of a block: their positions, the test of a ball against an item or another ball on an interval, and
// how what is not proven is recorded. docs/theory/lanes.md has the test.

#ifndef BI_LANE_BALLS_H
#define BI_LANE_BALLS_H

#include "simd/lane_frames.h"

/// Padding and margin are enlarged: this much of them counts for certain.
#define LANE_SURE_SHARE 0.99999f
/// Rounding of a step of this size and of what it is compared with.
#define LANE_STEP_LOSS (64.0f * 0x1p-24f)
/// For something that moves: a box gives its position, so a grid must cover more, squared.
#define LANE_DENSE_MORE 2.0f

// ---- balls ----------------------------------------------------------------------------------------------------

/// Where a ball is at the middle, and how far it goes to first order on half the interval.
typedef struct LanePoint {
    LaneVec p, v;
} LanePoint;

/// What carries balls: a frame's pose and twist.
typedef struct LaneCarrier {
    LanePose pose;
    LaneVec spin, origin;
    bool stands;
} LaneCarrier;

LANE_INLINE LaneCarrier lane_carrier(const LanePart* part, int32_t frame, const bool moving) {
    LaneCarrier out = {.stands = frame < 0};
    if (frame >= 0) {
        out.pose = lane_load_pose(part->scratch->poses, frame, lane_first(part));
        if (moving) {
            const float* at = part->scratch->twists + (ptrdiff_t)(6 * frame) * LANES + lane_first(part);
            out.spin = lane_load_from(at);
            out.origin = lane_load_from(at + (ptrdiff_t)3 * LANES);
        }
    }
    return out;
}

LANE_INLINE LanePoint lane_place_ball(const LaneCarrier* carrier, const LaneBall* ball, const bool moving) {
    LanePoint out = {lane_constant(ball->centre), {wide_set(0.0f), wide_set(0.0f), wide_set(0.0f)}};
    if (carrier->stands) {
        return out;
    }
    out.p = lane_mad(carrier->pose.z, wide_set(ball->centre[2]),
                     lane_mad(carrier->pose.y, wide_set(ball->centre[1]),
                              lane_mad(carrier->pose.x, wide_set(ball->centre[0]), carrier->pose.t)));
    if (moving) {
        out.v = lane_cross_add(carrier->spin, out.p, carrier->origin);
    }
    return out;
}

LANE_INLINE LanePoint lane_load_point(const float* rows, int32_t index, int32_t first) {
    const float* at = rows + (ptrdiff_t)(6 * index) * LANES + first;
    return (LanePoint){lane_load_from(at), lane_load_from(at + (ptrdiff_t)3 * LANES)};
}

LANE_INLINE void lane_store_point(float* rows, int32_t index, int32_t first, const LanePoint* point) {
    float* at = rows + (ptrdiff_t)(6 * index) * LANES + first;
    lane_store_to(at, point->p);
    lane_store_to(at + (ptrdiff_t)3 * LANES, point->v);
}

/// What an interval adds to radii, and which part of it is rounding.
typedef struct LaneLosses {
    f32w whole, rounding;
} LaneLosses;

// From how fast points move at most, their second derivatives, and what a velocity loses per sum of all rates.
LANE_INLINE LaneLosses lane_add_losses(const LanePart* part, f32w speed, f32w bend, f32w rate_loss) {
    const f32w grown = wide_set(LANE_BOUND_GROWN);
    const f32w lost = wide_fma(part->all_rates, rate_loss, wide_mul(speed, wide_set(LANE_STEP_LOSS)));
    LaneLosses out;
    out.rounding = wide_mul(wide_mul(part->half, lost), grown);
    out.whole = wide_fma(part->half_sq, wide_mul(bend, grown), out.rounding);
    return out;
}

// Of one group, in all lanes.
LANE_INLINE void lane_bound_group(const LanePart* part, const KernelGroup* g, int32_t group) {
    const float* rates = part->scratch->rates + lane_first(part);
    const KernelLever* levers = part->model->levers + g->first_lever;
    f32w speed = wide_set(0.0f), bend = speed;
    for (int32_t i = 0; i < g->lever_count; ++i) {
        const f32w lever = wide_set(levers[i].lever);
        speed = wide_fma(lever, wide_load(rates + (ptrdiff_t)(3 * levers[i].frame) * LANES), speed);
        bend = wide_fma(lever, wide_load(rates + (ptrdiff_t)(3 * levers[i].frame + 2) * LANES), bend);
    }

    const LaneLosses losses = lane_add_losses(part, speed, bend, wide_set(g->rate_loss));
    float* at = part->scratch->losses + (ptrdiff_t)(2 * group) * LANES + lane_first(part);
    wide_store(at, losses.whole);
    wide_store(at + LANES, losses.rounding);
}

// Of all groups at once, where all lanes are alike: groups side by side instead. The same sums in the same order.
LANE_INLINE void lane_bound_groups(const LanePart* part) {
    const LaneModel* model = part->model;
    const int32_t row = model->lever_rows * LANES;
    float* out = part->scratch->losses;
    for (int32_t first = 0; first < model->group_count; first += WIDE) {
        const float* levers = model->group_levers + first;
        const float* rates = part->scratch->rates + lane_first(part);
        f32w speed = wide_set(0.0f), bend = speed;
        for (int32_t f = 0; f < model->frame_count; ++f, levers += row, rates += (ptrdiff_t)3 * LANES) {
            speed = wide_fma(wide_load(levers), wide_set(rates[0]), speed);
            bend = wide_fma(wide_load(levers), wide_set(rates[(ptrdiff_t)2 * LANES]), bend);
        }

        const LaneLosses losses = lane_add_losses(part, speed, bend, wide_load(levers));
        wide_store(out + first, losses.whole);
        wide_store(out + row + first, losses.rounding);
    }
}

// What the interval adds to the radii of a group that is placed.
LANE_INLINE f32w lane_loss(const LanePart* part, int32_t group) {
    const float* losses = part->scratch->losses;
    return part->together ? wide_set(losses[group]) : lane_row(losses, 2 * group, lane_first(part));
}

LANE_INLINE f32w lane_rounding_loss(const LanePart* part, int32_t group) {
    const float* losses = part->scratch->losses;
    return part->together ? wide_set(losses[part->model->lever_rows * LANES + group])
                          : lane_row(losses, 2 * group + 1, lane_first(part));
}

LANE_INLINE LanePoint lane_group_point(const LanePart* part, int32_t group, const bool moving) {
    LaneScratch* scratch = part->scratch;
    if (scratch->group_done[group] == scratch->serial) {
        return lane_load_point(scratch->groups, group, lane_first(part));
    }
    const KernelGroup* g = &part->model->groups[group];
    const LaneCarrier carrier = lane_carrier(part, g->frame, moving);
    const LanePoint point = lane_place_ball(&carrier, &g->ball, moving);
    lane_store_point(scratch->groups, group, lane_first(part), &point);
    if (moving && !part->together) {
        lane_bound_group(part, g, group);
    }
    scratch->group_done[group] = scratch->serial;
    return point;
}

LANE_INLINE LanePoint lane_cluster_point(const LanePart* part, int32_t cluster, const bool moving) {
    LaneScratch* scratch = part->scratch;
    if (scratch->cluster_done[cluster] == scratch->serial) {
        return lane_load_point(scratch->clusters, cluster, lane_first(part));
    }
    const LaneCluster* c = &part->model->clusters[cluster];
    const LaneCarrier carrier = lane_carrier(part, part->model->groups[c->group].frame, moving);
    const LanePoint point = lane_place_ball(&carrier, &c->ball, moving);
    lane_store_point(scratch->clusters, cluster, lane_first(part), &point);
    scratch->cluster_done[cluster] = scratch->serial;
    return point;
}

LANE_INLINE void lane_place_leaves(const LanePart* part, int32_t cluster, const bool moving) {
    LaneScratch* scratch = part->scratch;
    if (scratch->leaves_done[cluster] == scratch->serial) {
        return;
    }
    const LaneCluster* c = &part->model->clusters[cluster];
    const LaneCarrier carrier = lane_carrier(part, part->model->groups[c->group].frame, moving);
    for (int32_t i = c->first_leaf; i < c->first_leaf + c->leaf_count; ++i) {
        const LanePoint point = lane_place_ball(&carrier, &part->model->leaves[i], moving);
        lane_store_point(scratch->leaves, i, lane_first(part), &point);
    }
    scratch->leaves_done[cluster] = scratch->serial;
}

/// What is added to radii against items: padding and margin, and on an interval how far steps may be off. The group is placed.
LANE_INLINE f32w lane_group_grown(const LanePart* part, int32_t group, float extra, const bool moving) {
    if (!moving) {
        return wide_set(extra);
    }
    return wide_add(lane_loss(part, group), wide_set(extra));
}

// ---- one test -------------------------------------------------------------------------------------------------

/// How a ball stands to an item, or to another ball: d from the other's nearest point.
typedef struct LaneGap {
    f32w dd;     // |d|^2
    f32w along;  // |d . v|
} LaneGap;

// Lanes where the plane across d does not prove more than `need` on the whole interval. NaN proves nothing.
LANE_INLINE maskw lane_open(const LaneGap* gap, f32w need, const bool moving) {
    const f32w need_sq = wide_mul(need, need);
    if (!moving) {
        return wide_not_gt(gap->dd, need_sq);
    }
    const f32w e = wide_sub(gap->dd, gap->along);
    return wide_not_gt(wide_mul(e, wide_abs(e)), wide_mul(gap->dd, need_sq));
}

// A place in the item's axes.
LANE_INLINE LaneVec lane_in_item(const LaneItem* item, LaneVec p) {
    if (item->level) {
        return lane_add(p, lane_constant(item->t));
    }
    return (LaneVec){wide_add(lane_dot(lane_constant(item->turn[0]), p), wide_set(item->t[0])),
                     wide_add(lane_dot(lane_constant(item->turn[1]), p), wide_set(item->t[1])),
                     wide_add(lane_dot(lane_constant(item->turn[2]), p), wide_set(item->t[2]))};
}

// The cell that is nearest to a place, and how far its middle is from there.
LANE_INLINE i32w lane_dense_cell(const LaneDense* dense, LaneVec x, f32w* off) {
    const f32w zero = wide_set(0.0f), middle = wide_set(0.5f);
    const LaneVec at = lane_scale(lane_sub(x, lane_constant(dense->origin)), wide_set(dense->inverse));
    const i32w ix = wide_to_int(wide_min(wide_max(at.x, zero), wide_set((float)(dense->size[0] - 1))));
    const i32w iy = wide_to_int(wide_min(wide_max(at.y, zero), wide_set((float)(dense->size[1] - 1))));
    const i32w iz = wide_to_int(wide_min(wide_max(at.z, zero), wide_set((float)(dense->size[2] - 1))));
    const LaneVec way = {wide_sub(wide_sub(at.x, wide_from_int(ix)), middle),
                         wide_sub(wide_sub(at.y, wide_from_int(iy)), middle),
                         wide_sub(wide_sub(at.z, wide_from_int(iz)), middle)};
    *off = wide_mul(wide_sqrt(lane_dot(way, way)), wide_set(dense->cell * 1.00001f));
    return wide_int_mad(wide_int_mad(ix, wide_int_set(dense->size[1]), iy), wide_int_set(dense->size[2]), iz);
}

// Where the grid tells of more than the box does, it counts. It tells no direction: all of a step may be towards the obstacle.
LANE_APART void lane_dense_gap(const LaneDense* dense, const LaneVec* x, const LaneVec* v, LaneGap* gap,
                               const bool moving) {
    f32w off;
    const i32w cell = lane_dense_cell(dense, *x, &off);
    const f32w room = wide_max(wide_sub(wide_gather(dense->least, cell), off), wide_set(0.0f));
    const f32w dd = wide_mul(room, room);
    const maskw more = wide_gt(dd, wide_mul(gap->dd, wide_set(moving ? LANE_DENSE_MORE : 1.0f)));
    gap->dd = wide_select(more, dd, gap->dd);
    if (moving) {
        const f32w step = wide_mul(wide_sqrt(lane_dot(*v, *v)), wide_set(1.00001f));
        gap->along = wide_select(more, wide_mul(room, step), gap->along);
    }
}

LANE_INLINE LaneGap lane_item_gap(const LaneItem* item, const LanePoint* point, const bool moving) {
    LaneVec v = point->v;
    const LaneVec x = lane_in_item(item, point->p);
    if (moving && !item->level) {
        v = (LaneVec){lane_dot(lane_constant(item->turn[0]), point->v),
                      lane_dot(lane_constant(item->turn[1]), point->v),
                      lane_dot(lane_constant(item->turn[2]), point->v)};
    }

    // From the nearest point of the box or of the cylinder, up to signs, which only the product with v needs.
    const f32w zero = wide_set(0.0f);
    LaneVec d;
    d.z = wide_max(wide_sub(wide_abs(x.z), wide_set(item->half[2])), zero);
    if (item->kind == LANE_CYLINDER) {
        const f32w away = wide_sqrt(wide_fma(x.x, x.x, wide_mul(x.y, x.y)));
        const f32w share = wide_max(
            wide_sub(wide_set(1.0f), wide_div(wide_set(item->half[0]), wide_max(away, wide_set(1e-12f)))),
            zero);
        d.x = wide_mul(wide_abs(x.x), share);
        d.y = wide_mul(wide_abs(x.y), share);
    } else if (item->kind == LANE_SPACE) {
        d = (LaneVec){zero, zero, wide_max(x.z, zero)};
    } else {
        d.x = wide_max(wide_sub(wide_abs(x.x), wide_set(item->half[0])), zero);
        d.y = wide_max(wide_sub(wide_abs(x.y), wide_set(item->half[1])), zero);
    }

    LaneGap gap = {lane_dot(d, d), zero};
    if (moving) {
        const LaneVec towards = {wide_sign(v.x, x.x), wide_sign(v.y, x.y), wide_sign(v.z, x.z)};
        gap.along = wide_abs(lane_dot(d, towards));
    }
    if (item->dense != NULL) {
        lane_dense_gap(item->dense, &x, &v, &gap, moving);
    }
    return gap;
}

LANE_INLINE LaneGap lane_point_gap(const LanePoint* a, const LanePoint* b, const bool moving) {
    const LaneVec d = lane_sub(a->p, b->p);
    LaneGap gap = {lane_dot(d, d), wide_set(0.0f)};
    if (moving) {
        gap.along = wide_abs(lane_dot(d, lane_sub(a->v, b->v)));
    }
    return gap;
}

/// What is so in which lanes.
typedef struct LaneFound {
    maskw open, overlap, hit;
} LaneFound;

// Lanes where the balls of two clusters do not prove them apart; where all leaves can meet, that of the first and of the whole other
// group counts, too.
LANE_APART maskw lane_clusters_open(const LanePart* part, const KernelPair* pair, int32_t a, int32_t b,
                                    f32w grown, const bool moving) {
    const LanePoint point_a = lane_cluster_point(part, a, moving);
    const LanePoint point_b = lane_cluster_point(part, b, moving);
    const float radius_a = part->model->clusters[a].ball.radius;
    const LaneGap gap = lane_point_gap(&point_a, &point_b, moving);
    const float radii = radius_a + part->model->clusters[b].ball.radius;
    const maskw open = lane_open(&gap, wide_add(grown, wide_set(radii)), moving);
    if (part->question->within && pair->meetings != NULL) {
        return open;
    }

    const LanePoint whole = lane_group_point(part, pair->group_b, moving);
    const LaneGap whole_gap = lane_point_gap(&point_a, &whole, moving);
    const float whole_radii = radius_a + part->model->groups[pair->group_b].ball.radius;
    return open & lane_open(&whole_gap, wide_add(grown, wide_set(whole_radii)), moving);
}

// ---- answers --------------------------------------------------------------------------------------------------

/// Of what was noted, so much is looked at for the same clusters.
enum { LANE_NOTED_LATELY = 128 };

// What is noted of two clusters is one entry, in whatever order leaves and lanes were looked at.
static void lane_note(const LanePart* part, int32_t cluster, int32_t other, maskw open, maskw overlap,
                      maskw hit) {
    LaneAnswer* answer = part->answer;
    const LaneEntry entry = {cluster, other, (uint32_t)open << lane_first(part),
                             (uint32_t)overlap << lane_first(part), (uint32_t)hit << lane_first(part)};
    answer->open |= entry.open;
    answer->hit |= entry.hit;
    answer->lately |= entry.open;
    const int32_t first = answer->count > LANE_NOTED_LATELY ? answer->count - LANE_NOTED_LATELY : 0;
    for (int32_t i = answer->count - 1; i >= first; --i) {
        LaneEntry* known = &answer->entries[i];
        if (known->cluster == cluster && known->other == other) {
            known->open |= entry.open;
            known->overlap |= entry.overlap;
            known->hit |= entry.hit;
            return;
        }
    }

    if (answer->count < answer->capacity) {
        answer->entries[answer->count++] = entry;
    } else {
        answer->full = true;
    }
}

LANE_INLINE bool lane_is_over(const LanePart* part) {
    return part->question->stop && part->answer->hit != 0;
}

#endif
