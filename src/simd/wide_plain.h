// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Eight float lanes in plain C: runs everywhere, and is the oracle against which the other instruction sets
// are tested.

#ifndef BI_WIDE_PLAIN_H
#define BI_WIDE_PLAIN_H

#include <math.h>

enum { WIDE = 8 };
typedef struct f32w {
    float lane[WIDE];
} f32w;
typedef uint32_t maskw;

#define BI_EACH_LANE(expression)     \
    f32w out;                        \
    for (int i = 0; i < WIDE; ++i) { \
        out.lane[i] = (expression);  \
    }                                \
    return out

static inline f32w wide_set(float value) {
    BI_EACH_LANE(value);
}
static inline f32w wide_load(const float* values) {
    BI_EACH_LANE(values[i]);
}
static inline void wide_store(float* values, f32w v) {
    for (int i = 0; i < WIDE; ++i) {
        values[i] = v.lane[i];
    }
}
static inline f32w wide_load8(const float* values) {
    BI_EACH_LANE(values[i]);
}
typedef int pickw;
static inline pickw wide_pick_of(int j) {
    return j;
}
static inline f32w wide_pick8(f32w v, pickw pick) {
    BI_EACH_LANE(v.lane[pick]);
}
static inline f32w wide_add(f32w a, f32w b) {
    BI_EACH_LANE(a.lane[i] + b.lane[i]);
}
static inline f32w wide_sub(f32w a, f32w b) {
    BI_EACH_LANE(a.lane[i] - b.lane[i]);
}
static inline f32w wide_mul(f32w a, f32w b) {
    BI_EACH_LANE(a.lane[i] * b.lane[i]);
}
static inline f32w wide_div(f32w a, f32w b) {
    BI_EACH_LANE(a.lane[i] / b.lane[i]);
}
/// As the instruction sets have them: the second operand when either is NaN.
static inline f32w wide_max(f32w a, f32w b) {
    BI_EACH_LANE(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}
static inline f32w wide_min(f32w a, f32w b) {
    BI_EACH_LANE(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
}
static inline f32w wide_abs(f32w a) {
    BI_EACH_LANE(fabsf(a.lane[i]));
}
static inline maskw wide_not_gt(f32w a, f32w b) {
    maskw mask = 0;
    for (int i = 0; i < WIDE; ++i) {
        mask |= (maskw) !(a.lane[i] > b.lane[i]) << i;
    }
    return mask;
}
static inline maskw wide_gt(f32w a, f32w b) {
    maskw mask = 0;
    for (int i = 0; i < WIDE; ++i) {
        mask |= (maskw)(a.lane[i] > b.lane[i]) << i;
    }
    return mask;
}
static inline f32w wide_select(maskw mask, f32w if_set, f32w if_clear) {
    BI_EACH_LANE((mask >> i) & 1u ? if_set.lane[i] : if_clear.lane[i]);
}
static inline f32w wide_fma(f32w a, f32w b, f32w c) {
    BI_EACH_LANE(fmaf(a.lane[i], b.lane[i], c.lane[i]));
}
static inline f32w wide_fnma(f32w a, f32w b, f32w c) {
    BI_EACH_LANE(fmaf(-a.lane[i], b.lane[i], c.lane[i]));
}
static inline f32w wide_sqrt(f32w a) {
    BI_EACH_LANE(sqrtf(a.lane[i]));
}
static inline f32w wide_sign(f32w a, f32w b) {
    BI_EACH_LANE(signbit(b.lane[i]) ? -a.lane[i] : a.lane[i]);
}
typedef struct i32w {
    int32_t lane[WIDE];
} i32w;
static inline f32w wide_from_int(i32w a) {
    BI_EACH_LANE((float)a.lane[i]);
}
static inline f32w wide_gather(const float* table, i32w index) {
    BI_EACH_LANE(table[index.lane[i]]);
}
#undef BI_EACH_LANE
static inline i32w wide_to_int(f32w a) {
    i32w out;
    for (int i = 0; i < WIDE; ++i) {
        out.lane[i] = (int32_t)a.lane[i];
    }
    return out;
}
static inline void wide_slabs8(const f32w rows[8], const float origin[8], const float scale[8], float top,
                               int32_t slabs[8]) {
    for (int k = 0; k < 8; ++k) {
        float least = rows[k].lane[0];
        for (int i = 1; i < WIDE; ++i) {
            least = rows[k].lane[i] < least ? rows[k].lane[i] : least;
        }
        const float at = (least - origin[k]) * scale[k];
        const float cut = at < top ? at : top;
        slabs[k] = (int32_t)(cut > 0.0f ? cut : 0.0f);
    }
}
static inline i32w wide_int_set(int32_t value) {
    i32w out;
    for (int i = 0; i < WIDE; ++i) {
        out.lane[i] = value;
    }
    return out;
}
static inline i32w wide_int_mad(i32w a, i32w b, i32w c) {
    i32w out;
    for (int i = 0; i < WIDE; ++i) {
        out.lane[i] = a.lane[i] * b.lane[i] + c.lane[i];
    }
    return out;
}
static inline void wide_int_store(int32_t* values, i32w a) {
    for (int i = 0; i < WIDE; ++i) {
        values[i] = a.lane[i];
    }
}
static inline int32_t wide_pack_lanes(maskw mask, f32w v, int first, uint8_t* numbers, float* values) {
    _Alignas(64) float lanes[WIDE];
    int32_t count = 0;
    wide_store(lanes, v);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        numbers[count] = (uint8_t)(first + lane);
        values[count++] = lanes[lane];
    }
    return count;
}
static inline void wide_quarter_turns(f32w n, f32w s, f32w c, f32w* sine, f32w* cosine) {
    for (int i = 0; i < WIDE; ++i) {
        const int32_t k = (int32_t)n.lane[i];
        const float first = (k & 1) != 0 ? c.lane[i] : s.lane[i];
        const float second = (k & 1) != 0 ? s.lane[i] : c.lane[i];
        sine->lane[i] = (k & 2) != 0 ? -first : first;
        cosine->lane[i] = ((k + 1) & 2) != 0 ? -second : second;
    }
}
/// Plain C cannot ask for it: tiny numbers are only slower, and the slack of radii covers what flushing them loses.
static inline uint32_t wide_flush_begin(void) {
    return 0;
}
static inline void wide_flush_end(uint32_t before) {
    (void)before;
}

/// One double is enough: there is nothing to gain from more.
enum { WIDE_DOUBLE = 1 };
typedef double f64w;

static inline f64w wide64_set(double value) {
    return value;
}
static inline f64w wide64_load(const double* values) {
    return *values;
}
static inline void wide64_store(double* values, f64w v) {
    *values = v;
}
static inline f64w wide64_add(f64w a, f64w b) {
    return a + b;
}
static inline f64w wide64_sub(f64w a, f64w b) {
    return a - b;
}
static inline f64w wide64_mul(f64w a, f64w b) {
    return a * b;
}
static inline f64w wide64_abs(f64w a) {
    return fabs(a);
}
static inline f64w wide64_if_le(f64w a, f64w b, f64w if_le, f64w if_not) {
    return a <= b ? if_le : if_not;
}
static inline maskw wide64_gt(f64w a, f64w b) {
    return a > b ? 1u : 0u;
}
static inline void wide64_columns(const double* rows, int64_t stride, f64w column[4]) {
    (void)stride;
    for (int k = 0; k < 4; ++k) {
        column[k] = rows[k];
    }
}
static inline f64w wide64_trunc(f64w a) {
    return fabs(a) < 0x1p31 ? (double)(int32_t)a : 0.0;
}
static inline void wide64_store_ints(uint32_t* out, maskw mask, f64w v) {
    *out = mask != 0 ? (uint32_t)v : 0;
}

#endif
