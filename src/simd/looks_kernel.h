// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lookups of balls in a map of cells, written once on wide.h. In double, no operation fused: every instruction set gives the same
// numbers.
// Entry: map_looks.

#ifndef BI_LOOKS_KERNEL_H
#define BI_LOOKS_KERNEL_H

#include <stddef.h>
#include <string.h>

#include "simd/simd.h"
#include "simd/wide.h"

static inline maskw look_lanes(const LookFrame* frame, const double* balls, int64_t stride, uint32_t* index,
                               uint32_t* above) {
    f64w ball[4], cell[3];
    wide64_columns(balls, stride, ball);
    const f64w per_metre = wide64_set(frame->per_metre), r = wide64_mul(ball[3], per_metre);

    // Negative, NaN and infinite numbers and centres outside of the map are not known.
    maskw known = wide64_gt(wide64_set(frame->most_radius), r) & ~wide64_gt(wide64_set(0.0), ball[3]);
    for (int axis = 0; axis < 3; ++axis) {
        f64w at = wide64_mul(wide64_sub(ball[axis], wide64_set(frame->origin[axis])), per_metre);
        if (axis == 2 && frame->flat) {
            at = wide64_set(0.5);
        }
        const f64w away = wide64_abs(wide64_sub(at, wide64_set(frame->middle[axis])));
        known &= wide64_gt(wide64_set(frame->inside[axis]), away);
        cell[axis] = wide64_trunc(at);
    }

    // Whole numbers below 2^31: nothing is rounded.
    const f64w plane = wide64_add(wide64_mul(cell[2], wide64_set(frame->rows)), cell[1]);
    const f64w number = wide64_add(wide64_mul(plane, wide64_set(frame->row)), cell[0]);
    wide64_store_ints(index, known, number);

    // Prefetched, not read: a load would hold up all that comes after it, so few would be in flight. Not in a function of its own: gcc 12
    // removes calls of a function that does nothing else.
    for (int k = 0; k < WIDE_DOUBLE; ++k) {
        __builtin_prefetch((const char*)frame->map + ((size_t)index[k] << frame->value_log));
    }

    const f64w p = wide64_add(wide64_mul(r, wide64_set(frame->scale)), wide64_set(frame->offset));
    wide64_store_ints(above, known, frame->squared ? wide64_mul(p, p) : p);
    return known;
}

static inline uint64_t look_step(const LookFrame* frame, const double* balls, int64_t stride, uint32_t* index,
                                 uint32_t* above) {
    uint64_t known = 0;
    for (int k = 0; k < LOOKS_STEP; k += WIDE_DOUBLE) {
        known |= (uint64_t)look_lanes(frame, balls + k * stride, stride, index + k, above + k) << k;
    }
    return known;
}

static uint64_t map_looks(const LookFrame* frame, const double* balls, int64_t stride, int32_t count,
                          uint32_t* index, uint32_t* above) {
    uint64_t known = 0;
    int32_t i = 0;
    if (stride == 4) {  // a constant: addresses cost no arithmetic
        for (; i + LOOKS_STEP <= count; i += LOOKS_STEP) {
            known |= look_step(frame, balls + 4 * (int64_t)i, 4, index + i, above + i) << i;
        }
    } else {
        for (; i + LOOKS_STEP <= count; i += LOOKS_STEP) {
            known |= look_step(frame, balls + i * stride, stride, index + i, above + i) << i;
        }
    }

    if (i < count) {  // the first of them fills the places of missing ones
        double rest[4 * LOOKS_STEP];
        for (int32_t k = 0; k < LOOKS_STEP; ++k) {
            memcpy(rest + 4 * k, balls + (i + k < count ? i + k : i) * stride, 4 * sizeof *rest);
        }
        known |= (look_step(frame, rest, 4, index + i, above + i) & ((UINT64_C(1) << (count - i)) - 1)) << i;
    }
    return known;
}

#endif
