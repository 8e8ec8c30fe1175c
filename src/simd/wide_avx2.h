// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Eight float lanes on AVX2. See wide.h.

#ifndef BI_WIDE_AVX2_H
#define BI_WIDE_AVX2_H

#include <immintrin.h>

enum { WIDE = 8 };
typedef __m256 f32w;
typedef uint32_t maskw;

static inline f32w wide_set(float value) {
    return _mm256_set1_ps(value);
}
static inline f32w wide_load(const float* values) {
    return _mm256_load_ps(values);
}
static inline void wide_store(float* values, f32w v) {
    _mm256_store_ps(values, v);
}
static inline f32w wide_load8(const float* values) {
    return _mm256_load_ps(values);
}
static inline f32w wide_spread8(const float* values) {
    return _mm256_set1_ps(values[0]);
}
static inline f32w wide_add(f32w a, f32w b) {
    return _mm256_add_ps(a, b);
}
static inline f32w wide_sub(f32w a, f32w b) {
    return _mm256_sub_ps(a, b);
}
static inline f32w wide_mul(f32w a, f32w b) {
    return _mm256_mul_ps(a, b);
}
static inline f32w wide_div(f32w a, f32w b) {
    return _mm256_div_ps(a, b);
}
static inline f32w wide_max(f32w a, f32w b) {
    return _mm256_max_ps(a, b);
}
static inline f32w wide_min(f32w a, f32w b) {
    return _mm256_min_ps(a, b);
}
static inline f32w wide_abs(f32w a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
static inline maskw wide_not_gt(f32w a, f32w b) {
    return (maskw)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NGT_UQ));
}
static inline maskw wide_gt(f32w a, f32w b) {
    return (maskw)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ));
}
static inline f32w wide_select(maskw mask, f32w if_set, f32w if_clear) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i chosen = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bits), bits);
    return _mm256_blendv_ps(if_clear, if_set, _mm256_castsi256_ps(chosen));
}

#endif
