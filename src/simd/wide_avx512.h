// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sixteen float lanes on AVX-512. See wide.h.

#ifndef BI_WIDE_AVX512_H
#define BI_WIDE_AVX512_H

#include <immintrin.h>

enum { WIDE = 16 };
typedef __m512 f32w;
typedef uint32_t maskw;

static inline f32w wide_set(float value) {
    return _mm512_set1_ps(value);
}
static inline f32w wide_load(const float* values) {
    return _mm512_load_ps(values);
}
static inline void wide_store(float* values, f32w v) {
    _mm512_store_ps(values, v);
}
/// The eight floats at `values`, in each group of eight lanes.
static inline f32w wide_load8(const float* values) {
    return _mm512_broadcast_f32x8(_mm256_load_ps(values));
}
/// values[0] in the first group of eight lanes, values[1] in the second.
static inline f32w wide_spread8(const float* values) {
    return _mm512_mask_blend_ps(0xff00, _mm512_set1_ps(values[0]), _mm512_set1_ps(values[1]));
}
static inline f32w wide_add(f32w a, f32w b) {
    return _mm512_add_ps(a, b);
}
static inline f32w wide_sub(f32w a, f32w b) {
    return _mm512_sub_ps(a, b);
}
static inline f32w wide_mul(f32w a, f32w b) {
    return _mm512_mul_ps(a, b);
}
static inline f32w wide_div(f32w a, f32w b) {
    return _mm512_div_ps(a, b);
}
static inline f32w wide_max(f32w a, f32w b) {
    return _mm512_max_ps(a, b);
}
static inline f32w wide_min(f32w a, f32w b) {
    return _mm512_min_ps(a, b);
}
static inline f32w wide_abs(f32w a) {
    return _mm512_abs_ps(a);
}
/// Lanes where a <= b; NaN compares true: what cannot be excluded stays.
static inline maskw wide_not_gt(f32w a, f32w b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_NGT_UQ);
}
/// Lanes where a > b; NaN compares false: not proven.
static inline maskw wide_gt(f32w a, f32w b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}
static inline f32w wide_select(maskw mask, f32w if_set, f32w if_clear) {
    return _mm512_mask_blend_ps((__mmask16)mask, if_clear, if_set);
}

#endif
