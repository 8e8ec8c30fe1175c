// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The box kernel, written once on wide.h and compiled once for each instruction set.
//
// Eight boxes of frame a against eight of frame b. Each b box is enclosed in an a-aligned box and vice versa;
// the distance of two boxes with the same axes is the length of the vector of their axis gaps. The larger of
// the two lengths is the bound. docs/theory/simd.md has the rounding argument for `slack`.
// Entries: box_pairs, triangle_span.

#ifndef BI_BOX_KERNEL_H
#define BI_BOX_KERNEL_H

#include "simd/simd.h"
#include "simd/wide.h"

/// Boxes of one frame enclosed in boxes of another: centres and half sizes, the eight of them in each group of
/// eight lanes.
typedef struct Enclosed {
    f32w centre[3];
    f32w half[3];
} Enclosed;

static inline f32w dot3(const float n[3], f32w x, f32w y, f32w z) {
    return wide_add(wide_add(wide_mul(wide_set(n[0]), x), wide_mul(wide_set(n[1]), y)),
                    wide_mul(wide_set(n[2]), z));
}

static inline Enclosed enclose_in_a(const BoxNode* b, const BoxFrame* f) {
    const f32w x = wide_load8(b->centre[0]), y = wide_load8(b->centre[1]), z = wide_load8(b->centre[2]);
    const f32w hx = wide_load8(b->half[0]), hy = wide_load8(b->half[1]), hz = wide_load8(b->half[2]);
    Enclosed out;
    for (int row = 0; row < 3; ++row) {
        out.centre[row] = wide_add(dot3(f->turn[row], x, y, z), wide_set(f->t[row]));
        out.half[row] = wide_add(dot3(f->abs_turn[row], hx, hy, hz), wide_set(f->slack));
    }
    return out;
}

static inline Enclosed enclose_in_b(const BoxNode* a, const BoxFrame* f) {
    const f32w x = wide_sub(wide_load8(a->centre[0]), wide_set(f->t[0]));
    const f32w y = wide_sub(wide_load8(a->centre[1]), wide_set(f->t[1]));
    const f32w z = wide_sub(wide_load8(a->centre[2]), wide_set(f->t[2]));
    const f32w hx = wide_load8(a->half[0]), hy = wide_load8(a->half[1]), hz = wide_load8(a->half[2]);

    Enclosed out;
    for (int column = 0; column < 3; ++column) {
        const float turn[3] = {f->turn[0][column], f->turn[1][column], f->turn[2][column]};
        const float size[3] = {f->abs_turn[0][column], f->abs_turn[1][column], f->abs_turn[2][column]};
        out.centre[column] = dot3(turn, x, y, z);
        out.half[column] = wide_add(dot3(size, hx, hy, hz), wide_set(f->slack));
    }
    return out;
}

static inline f32w axis_gap(f32w centre_a, f32w half_a, f32w centre_b, f32w half_b) {
    return wide_sub(wide_abs(wide_sub(centre_a, centre_b)), wide_add(half_a, half_b));
}

static inline f32w add_gap_sq(f32w sum, f32w gap) {
    // max with zero second: a NaN gap becomes 0, which proves nothing.
    const f32w open = wide_max(gap, wide_set(0.0f));
    return wide_add(sum, wide_mul(open, open));
}

static int32_t box_pairs(const BoxNode* a, const BoxNode* b, int32_t b_count, const BoxFrame* a_from_b,
                         float limit_sq, uint8_t out_pair[BOX_PAIRS], float out_bound[BOX_PAIRS]) {
    const Enclosed b_in_a = enclose_in_a(b, a_from_b);
    const Enclosed a_in_b = enclose_in_b(a, a_from_b);

    f32w a_centre[3], a_half[3], b_centre[3], b_half[3];
    for (int axis = 0; axis < 3; ++axis) {
        a_centre[axis] = wide_load8(a->centre[axis]);
        a_half[axis] = wide_load8(a->half[axis]);
        b_centre[axis] = wide_load8(b->centre[axis]);
        b_half[axis] = wide_load8(b->half[axis]);
    }

    const f32w limit = wide_set(limit_sq);
    int32_t count = 0;

    for (int32_t j = 0; j < b_count; j += WIDE / BOX_LANES) {
        const pickw pick = wide_pick_of(j);  // one b box a group of eight lanes
        f32w in_a = wide_set(0.0f);
        f32w in_b = wide_set(0.0f);
        f32w widest = wide_set(-BOX_EMPTY);  // gap of all six axes
        for (int axis = 0; axis < 3; ++axis) {
            const f32w gap_a = axis_gap(a_centre[axis], a_half[axis], wide_pick8(b_in_a.centre[axis], pick),
                                        wide_pick8(b_in_a.half[axis], pick));
            const f32w gap_b = axis_gap(a_in_b.centre[axis], a_in_b.half[axis],
                                        wide_pick8(b_centre[axis], pick), wide_pick8(b_half[axis], pick));
            in_a = add_gap_sq(in_a, gap_a);
            in_b = add_gap_sq(in_b, gap_b);
            widest = wide_max(gap_a, wide_max(gap_b, widest));
        }

        const f32w bound = wide_max(in_a, in_b);
        const maskw near = wide_not_gt(bound, limit);
        if (near != 0) {
            // Where all axes overlap the bound is 0, and how deep they overlap is reported instead.
            const f32w reported = wide_add(bound, wide_min(widest, wide_set(0.0f)));
            count += wide_pack_lanes(near, reported, BOX_LANES * j, out_pair + count, out_bound + count);
        }
    }
    return count;
}

static void triangle_span(const TriangleNode* node, const float n[3], float high[BOX_LANES],
                          float low[BOX_LANES]) {
    for (int i = 0; i < BOX_LANES; ++i) {
        const float p =
            (n[0] * node->corner[0][0][i] + n[1] * node->corner[0][1][i]) + n[2] * node->corner[0][2][i];
        const float q =
            (n[0] * node->corner[1][0][i] + n[1] * node->corner[1][1][i]) + n[2] * node->corner[1][2][i];
        const float r =
            (n[0] * node->corner[2][0][i] + n[1] * node->corner[2][1][i]) + n[2] * node->corner[2][2][i];

        const float pq_high = p > q ? p : q;
        const float pq_low = p < q ? p : q;
        high[i] = pq_high > r ? pq_high : r;
        low[i] = pq_low < r ? pq_low : r;
    }
}

#endif
