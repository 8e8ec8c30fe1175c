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
typedef __m256i pickw;
static inline pickw wide_pick_of(int j) {
    return _mm256_set1_epi32(j);
}
static inline f32w wide_pick8(f32w v, pickw pick) {
    return _mm256_permutevar8x32_ps(v, pick);
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

/// Four double lanes.
enum { WIDE_DOUBLE = 4 };
typedef __m256d f64w;

static inline f64w wide64_set(double value) {
    return _mm256_set1_pd(value);
}
static inline f64w wide64_load(const double* values) {
    return _mm256_loadu_pd(values);
}
static inline void wide64_store(double* values, f64w v) {
    _mm256_storeu_pd(values, v);
}
static inline f64w wide64_add(f64w a, f64w b) {
    return _mm256_add_pd(a, b);
}
static inline f64w wide64_sub(f64w a, f64w b) {
    return _mm256_sub_pd(a, b);
}
static inline f64w wide64_mul(f64w a, f64w b) {
    return _mm256_mul_pd(a, b);
}
static inline f64w wide64_abs(f64w a) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}
static inline f64w wide64_if_le(f64w a, f64w b, f64w if_le, f64w if_not) {
    return _mm256_blendv_pd(if_not, if_le, _mm256_cmp_pd(a, b, _CMP_LE_OQ));
}

#endif
