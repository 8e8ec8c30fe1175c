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

static inline f32w wide_fma(f32w a, f32w b, f32w c) {
    return _mm256_fmadd_ps(a, b, c);
}
static inline f32w wide_fnma(f32w a, f32w b, f32w c) {
    return _mm256_fnmadd_ps(a, b, c);
}
static inline f32w wide_sqrt(f32w a) {
    return _mm256_sqrt_ps(a);
}
static inline f32w wide_sign(f32w a, f32w b) {
    return _mm256_xor_ps(a, _mm256_and_ps(b, _mm256_set1_ps(-0.0f)));
}
typedef __m256i i32w;
static inline i32w wide_to_int(f32w a) {
    return _mm256_cvttps_epi32(a);
}
static inline f32w wide_from_int(i32w a) {
    return _mm256_cvtepi32_ps(a);
}
static inline i32w wide_int_set(int32_t value) {
    return _mm256_set1_epi32(value);
}
static inline i32w wide_int_mad(i32w a, i32w b, i32w c) {
    return _mm256_add_epi32(_mm256_mullo_epi32(a, b), c);
}
static inline f32w wide_gather(const float* table, i32w index) {
    int32_t at[WIDE];
    _mm256_storeu_si256((__m256i*)at, index);
    return _mm256_setr_ps(table[at[0]], table[at[1]], table[at[2]], table[at[3]], table[at[4]], table[at[5]],
                          table[at[6]], table[at[7]]);
}
static inline void wide_slabs8(const f32w rows[8], const float origin[8], const float scale[8], float top,
                               int32_t slabs[8]) {
    f32w four[4], two[2];
    for (int k = 0; k < 4; ++k) {
        four[k] = _mm256_min_ps(_mm256_permute2f128_ps(rows[2 * k], rows[2 * k + 1], 0x20),
                                _mm256_permute2f128_ps(rows[2 * k], rows[2 * k + 1], 0x31));
    }

    // Each 128 bits hold four lanes of one row.
    for (int k = 0; k < 2; ++k) {
        two[k] = _mm256_min_ps(_mm256_shuffle_ps(four[2 * k], four[2 * k + 1], 0x44),
                               _mm256_shuffle_ps(four[2 * k], four[2 * k + 1], 0xee));
    }
    const f32w all =
        _mm256_min_ps(_mm256_shuffle_ps(two[0], two[1], 0x88), _mm256_shuffle_ps(two[0], two[1], 0xdd));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256 least = _mm256_permutevar8x32_ps(all, order);
    const __m256 at = _mm256_mul_ps(_mm256_sub_ps(least, _mm256_loadu_ps(origin)), _mm256_loadu_ps(scale));
    const __m256 cut = _mm256_max_ps(_mm256_min_ps(at, _mm256_set1_ps(top)), _mm256_setzero_ps());
    _mm256_storeu_si256((__m256i*)(void*)slabs, _mm256_cvttps_epi32(cut));
}
static inline void wide_int_store(int32_t* values, i32w a) {
    _mm256_storeu_si256((__m256i*)values, a);
}
static inline void wide_quarter_turns(f32w n, f32w s, f32w c, f32w* sine, f32w* cosine) {
    const __m256i k = _mm256_cvttps_epi32(n);
    const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(k, 31));
    const __m256i two = _mm256_set1_epi32(2);
    const __m256i sine_sign = _mm256_slli_epi32(_mm256_and_si256(k, two), 30);
    const __m256i cosine_sign =
        _mm256_slli_epi32(_mm256_and_si256(_mm256_add_epi32(k, _mm256_set1_epi32(1)), two), 30);
    *sine = _mm256_xor_ps(_mm256_blendv_ps(s, c, odd), _mm256_castsi256_ps(sine_sign));
    *cosine = _mm256_xor_ps(_mm256_blendv_ps(c, s, odd), _mm256_castsi256_ps(cosine_sign));
}
static inline uint32_t wide_flush_begin(void) {
    const uint32_t before = _mm_getcsr();
    _mm_setcsr(before | 0x8040u);
    return before;
}
static inline void wide_flush_end(uint32_t before) {
    _mm_setcsr(before);
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
static inline maskw wide64_gt(f64w a, f64w b) {
    return (maskw)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ));
}
static inline void wide64_columns(const double* rows, int64_t stride, f64w column[4]) {
    const f64w r0 = _mm256_loadu_pd(rows), r1 = _mm256_loadu_pd(rows + stride),
               r2 = _mm256_loadu_pd(rows + 2 * stride), r3 = _mm256_loadu_pd(rows + 3 * stride);
    const f64w even[2] = {_mm256_unpacklo_pd(r0, r1), _mm256_unpacklo_pd(r2, r3)};
    const f64w odd[2] = {_mm256_unpackhi_pd(r0, r1), _mm256_unpackhi_pd(r2, r3)};
    column[0] = _mm256_permute2f128_pd(even[0], even[1], 0x20);
    column[1] = _mm256_permute2f128_pd(odd[0], odd[1], 0x20);
    column[2] = _mm256_permute2f128_pd(even[0], even[1], 0x31);
    column[3] = _mm256_permute2f128_pd(odd[0], odd[1], 0x31);
}
static inline f64w wide64_trunc(f64w a) {
    return _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
static inline void wide64_store_ints(uint32_t* out, maskw mask, f64w v) {
    const __m128i bits = _mm_setr_epi32(1, 2, 4, 8);
    const __m128i kept = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)mask), bits), bits);
    _mm_storeu_si128((__m128i*)(void*)out, _mm_and_si128(kept, _mm256_cvttpd_epi32(v)));
}

#endif
