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

/// a * b + c, rounded once on every instruction set: the same bits.
static inline f32w wide_fma(f32w a, f32w b, f32w c) {
    return _mm512_fmadd_ps(a, b, c);
}
/// c - a * b, rounded once.
static inline f32w wide_fnma(f32w a, f32w b, f32w c) {
    return _mm512_fnmadd_ps(a, b, c);
}
static inline f32w wide_sqrt(f32w a) {
    return _mm512_sqrt_ps(a);
}
/// `a` with the sign of `b` multiplied in.
static inline f32w wide_sign(f32w a, f32w b) {
    const __m512i bits = _mm512_and_epi32(_mm512_castps_si512(b), _mm512_set1_epi32(INT32_MIN));
    return _mm512_castsi512_ps(_mm512_xor_epi32(_mm512_castps_si512(a), bits));
}
/// Floats as whole numbers, cut off: only for values that an int holds.
typedef __m512i i32w;
static inline i32w wide_to_int(f32w a) {
    return _mm512_cvttps_epi32(a);
}
static inline f32w wide_from_int(i32w a) {
    return _mm512_cvtepi32_ps(a);
}
static inline i32w wide_int_set(int32_t value) {
    return _mm512_set1_epi32(value);
}
static inline i32w wide_int_mad(i32w a, i32w b, i32w c) {
    return _mm512_add_epi32(_mm512_mullo_epi32(a, b), c);
}
/// One load a lane: the instruction for it is slower than that where processors guard it. Put together in registers: a wide load
/// from narrow stores waits until all of them are done.
static inline f32w wide_gather(const float* table, i32w index) {
    _Alignas(64) int32_t at[WIDE];
    _mm512_store_si512(at, index);
    return _mm512_setr_ps(table[at[0]], table[at[1]], table[at[2]], table[at[3]], table[at[4]], table[at[5]],
                          table[at[6]], table[at[7]], table[at[8]], table[at[9]], table[at[10]],
                          table[at[11]], table[at[12]], table[at[13]], table[at[14]], table[at[15]]);
}
/// The least lane of each of eight rows, less its origin and times its scale, cut to [0, top] and to a whole number. Two rows
/// are halved into one, and so on.
static inline void wide_slabs8(const f32w rows[8], const float origin[8], const float scale[8], float top,
                               int32_t slabs[8]) {
    f32w four[4], two[2];
    for (int k = 0; k < 4; ++k) {
        four[k] = _mm512_min_ps(_mm512_shuffle_f32x4(rows[2 * k], rows[2 * k + 1], 0x88),
                                _mm512_shuffle_f32x4(rows[2 * k], rows[2 * k + 1], 0xdd));
    }
    for (int k = 0; k < 2; ++k) {
        two[k] = _mm512_min_ps(_mm512_shuffle_f32x4(four[2 * k], four[2 * k + 1], 0x88),
                               _mm512_shuffle_f32x4(four[2 * k], four[2 * k + 1], 0xdd));
    }

    // Each 128 bits now hold four lanes of one row: rows 0 to 3 in the first register, 4 to 7 in the second.
    const f32w pairs =
        _mm512_min_ps(_mm512_shuffle_ps(two[0], two[1], 0x44), _mm512_shuffle_ps(two[0], two[1], 0xee));
    const f32w all = _mm512_min_ps(pairs, _mm512_permute_ps(pairs, 0xb1));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 2, 6, 10, 14, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256 least = _mm512_castps512_ps256(_mm512_permutexvar_ps(order, all));
    const __m256 at = _mm256_mul_ps(_mm256_sub_ps(least, _mm256_loadu_ps(origin)), _mm256_loadu_ps(scale));
    const __m256 cut = _mm256_max_ps(_mm256_min_ps(at, _mm256_set1_ps(top)), _mm256_setzero_ps());
    _mm256_storeu_si256((__m256i*)(void*)slabs, _mm256_cvttps_epi32(cut));
}
static inline void wide_int_store(int32_t* values, i32w a) {
    _mm512_storeu_si512(values, a);
}
/// Sine and cosine of an angle that is `n` quarter turns (a small whole number) more than one whose are s and c.
static inline void wide_quarter_turns(f32w n, f32w s, f32w c, f32w* sine, f32w* cosine) {
    const __m512i k = _mm512_cvttps_epi32(n);
    const __mmask16 odd = _mm512_test_epi32_mask(k, _mm512_set1_epi32(1));
    const __m512i two = _mm512_set1_epi32(2);
    const __m512i sine_sign = _mm512_slli_epi32(_mm512_and_epi32(k, two), 30);
    const __m512i cosine_sign =
        _mm512_slli_epi32(_mm512_and_epi32(_mm512_add_epi32(k, _mm512_set1_epi32(1)), two), 30);
    *sine = _mm512_castsi512_ps(
        _mm512_xor_epi32(_mm512_castps_si512(_mm512_mask_blend_ps(odd, s, c)), sine_sign));
    *cosine = _mm512_castsi512_ps(
        _mm512_xor_epi32(_mm512_castps_si512(_mm512_mask_blend_ps(odd, c, s)), cosine_sign));
}
/// Tiny numbers count as 0 from here until wide_flush_end, which takes what this returns.
static inline uint32_t wide_flush_begin(void) {
    const uint32_t before = _mm_getcsr();
    _mm_setcsr(before | 0x8040u);
    return before;
}
static inline void wide_flush_end(uint32_t before) {
    _mm_setcsr(before);
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
/// Bit k: a > b in lane k; NaN compares false.
static inline maskw wide64_gt(f64w a, f64w b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}
/// WIDE_DOUBLE rows of four values each, `stride` doubles apart: column[k] contains value k of each row.
static inline void wide64_columns(const double* rows, int64_t stride, f64w column[4]) {
    f64w two[4];
    for (int k = 0; k < 4; ++k) {
        const double* at = rows + 2 * k * stride;
        two[k] =
            _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(at)), _mm256_loadu_pd(at + stride), 1);
    }

    const __m512i first = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i last = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    const f64w low[2] = {_mm512_permutex2var_pd(two[0], first, two[1]),
                         _mm512_permutex2var_pd(two[0], last, two[1])};
    const f64w high[2] = {_mm512_permutex2var_pd(two[2], first, two[3]),
                          _mm512_permutex2var_pd(two[2], last, two[3])};
    for (int k = 0; k < 2; ++k) {
        column[2 * k] = _mm512_shuffle_f64x2(low[k], high[k], 0x44);
        column[2 * k + 1] = _mm512_shuffle_f64x2(low[k], high[k], 0xee);
    }
}
/// Truncated to an integer; only for values from 0 on that fit an int.
static inline f64w wide64_trunc(f64w a) {
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
/// Lanes in the mask truncated to integers, only for values from 0 on that fit an int; other lanes give 0, whatever they contain.
static inline void wide64_store_ints(uint32_t* out, maskw mask, f64w v) {
    _mm256_storeu_si256((__m256i*)(void*)out, _mm512_maskz_cvttpd_epi32((__mmask8)mask, v));
}

#endif
