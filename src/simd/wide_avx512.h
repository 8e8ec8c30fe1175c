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
/// Which lanes wide_pick8 takes: lane j in the first group of eight lanes, j + 1 in the second.
typedef __m512i pickw;
static inline pickw wide_pick_of(int j) {
    return _mm512_add_epi32(_mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1),
                            _mm512_set1_epi32(j));
}
static inline f32w wide_pick8(f32w v, pickw pick) {
    return _mm512_permutexvar_ps(pick, v);
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

/// Lanes that the mask has, one after the other: their values, and their numbers counted from `first`.
static inline int32_t wide_pack_lanes(maskw mask, f32w v, int first, uint8_t* numbers, float* values) {
    const int32_t count = __builtin_popcount(mask);
    const __mmask16 kept = (__mmask16)mask, packed = (__mmask16)((1u << count) - 1u);
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i number =
        _mm512_add_epi32(_mm512_maskz_compress_epi32(kept, lanes), _mm512_set1_epi32(first));
    _mm512_mask_storeu_ps(values, packed, _mm512_maskz_compress_ps(kept, v));
    _mm_mask_storeu_epi8(numbers, packed, _mm512_cvtepi32_epi8(number));
    return count;
}

/// Eight double lanes.
enum { WIDE_DOUBLE = 8 };
typedef __m512d f64w;

static inline f64w wide64_set(double value) {
    return _mm512_set1_pd(value);
}
static inline f64w wide64_load(const double* values) {
    return _mm512_loadu_pd(values);
}
static inline void wide64_store(double* values, f64w v) {
    _mm512_storeu_pd(values, v);
}
static inline f64w wide64_add(f64w a, f64w b) {
    return _mm512_add_pd(a, b);
}
static inline f64w wide64_sub(f64w a, f64w b) {
    return _mm512_sub_pd(a, b);
}
static inline f64w wide64_mul(f64w a, f64w b) {
    return _mm512_mul_pd(a, b);
}
static inline f64w wide64_abs(f64w a) {
    return _mm512_abs_pd(a);
}
/// `if_le` where a <= b, `if_not` where not or where either is NaN.
static inline f64w wide64_if_le(f64w a, f64w b, f64w if_le, f64w if_not) {
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_LE_OQ), if_not, if_le);
}

#endif
