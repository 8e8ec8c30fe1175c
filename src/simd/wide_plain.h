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
static inline f32w wide_spread8(const float* values) {
    BI_EACH_LANE(values[0]);
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

#endif
