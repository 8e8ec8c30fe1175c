// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Eight float lanes in plain C: runs everywhere, and is the oracle that the other instruction sets are held to.

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
#undef BI_EACH_LANE
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

#endif
