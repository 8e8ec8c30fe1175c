// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Eight triangles against eight along the normals of both, written once on wide.h. A direction that is far from a normal
// is as good for a proof: both triangles are projected on it, so only the projections' rounding counts (docs/theory/simd.md).
// Entry: triangle_pairs.

#ifndef BI_TRIANGLE_KERNEL_H
#define BI_TRIANGLE_KERNEL_H

#include "simd/simd.h"
#include "simd/wide.h"

/// A direction a lane, how far the lane's own triangle reaches along it, and the gap that proves something.
typedef struct NormalReach {
    f32w n[3];
    f32w low, high, room;
} NormalReach;

static inline f32w dot_lanes(const f32w n[3], const f32w p[3]) {
    return wide_add(wide_add(wide_mul(n[0], p[0]), wide_mul(n[1], p[1])), wide_mul(n[2], p[2]));
}

static inline NormalReach reach_along_normals(f32w point[3][3], float cut) {
    f32w u[3], v[3];
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = wide_sub(point[1][axis], point[0][axis]);
        v[axis] = wide_sub(point[2][axis], point[0][axis]);
    }

    // The normal, not made unit.
    NormalReach out;
    for (int axis = 0; axis < 3; ++axis) {
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        out.n[axis] = wide_sub(wide_mul(u[i], v[j]), wide_mul(u[j], v[i]));
    }

    // How far the triangle itself reaches along it.
    const f32w p = dot_lanes(out.n, point[0]), q = dot_lanes(out.n, point[1]), r = dot_lanes(out.n, point[2]);
    out.low = wide_min(p, wide_min(q, r));
    out.high = wide_max(p, wide_max(q, r));

    // The sum of absolute values is no less than the length; TRIANGLE_TINY is above what denormal numbers lose.
    const f32w sum = wide_add(wide_add(wide_abs(out.n[0]), wide_abs(out.n[1])), wide_abs(out.n[2]));
    out.room = wide_add(wide_mul(sum, wide_set(cut)), wide_set(TRIANGLE_TINY));
    return out;
}

// Lanes where the triangle with these projections is beyond the other's reach along the other's direction.
static inline maskw lanes_beyond(f32w p, f32w q, f32w r, f32w low, f32w high, f32w room) {
    const f32w above = wide_sub(wide_min(p, wide_min(q, r)), high);
    const f32w below = wide_sub(low, wide_max(p, wide_max(q, r)));
    return wide_gt(above, room) | wide_gt(below, room);
}

static uint64_t triangle_pairs(const TriangleNode* a, const TriangleNode* b, const BoxFrame* a_from_b,
                               float cut, uint64_t wanted) {
    f32w pa[3][3], pb[3][3];
    for (int k = 0; k < 3; ++k) {
        const f32w x = wide_load8(b->corner[k][0]), y = wide_load8(b->corner[k][1]);
        const f32w z = wide_load8(b->corner[k][2]);
        for (int row = 0; row < 3; ++row) {
            const float* turn = a_from_b->turn[row];
            pa[k][row] = wide_load8(a->corner[k][row]);
            pb[k][row] =
                wide_add(wide_add(wide_add(wide_mul(wide_set(turn[0]), x), wide_mul(wide_set(turn[1]), y)),
                                  wide_mul(wide_set(turn[2]), z)),
                         wide_set(a_from_b->t[row]));
        }
    }

    const NormalReach of_a = reach_along_normals(pa, cut);
    const NormalReach of_b = reach_along_normals(pb, cut);

    const uint64_t group = ((uint64_t)1 << WIDE) - 1;
    uint64_t near = 0;
    for (int j = 0; j < BOX_LANES; j += WIDE / BOX_LANES) {
        if (((wanted >> (BOX_LANES * j)) & group) == 0) {
            continue;
        }

        const pickw pick = wide_pick_of(j);  // one b triangle a group of eight lanes
        f32w at[3], reach[3], n[3];
        for (int axis = 0; axis < 3; ++axis) {
            n[axis] = wide_pick8(of_b.n[axis], pick);
        }
        for (int k = 0; k < 3; ++k) {
            const f32w p[3] = {wide_pick8(pb[k][0], pick), wide_pick8(pb[k][1], pick),
                               wide_pick8(pb[k][2], pick)};
            at[k] = dot_lanes(of_a.n, p);
            reach[k] = dot_lanes(n, pa[k]);
        }

        const maskw apart = lanes_beyond(at[0], at[1], at[2], of_a.low, of_a.high, of_a.room) |
                            lanes_beyond(reach[0], reach[1], reach[2], wide_pick8(of_b.low, pick),
                                         wide_pick8(of_b.high, pick), wide_pick8(of_b.room, pick));
        near |= (~(uint64_t)apart & group) << (BOX_LANES * j);
    }
    return near & wanted;
}

#endif
