// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Eight float lanes as two registers of SSE2, which every x86-64 processor has. There is no fused multiply-add:
// wide_fma makes it of doubles, with the same bits. See wide.h.

#ifndef BI_WIDE_SSE2_H
#define BI_WIDE_SSE2_H

#include <emmintrin.h>

enum { WIDE = 8 };
typedef struct f32w {
    __m128 low, high;
} f32w;
typedef uint32_t maskw;

static inline f32w wide_set(float value) {
    const __m128 four = _mm_set1_ps(value);
    return (f32w){four, four};
}
static inline f32w wide_load(const float* values) {
    return (f32w){_mm_load_ps(values), _mm_load_ps(values + 4)};
}
static inline void wide_store(float* values, f32w v) {
    _mm_store_ps(values, v.low);
    _mm_store_ps(values + 4, v.high);
}
static inline f32w wide_load8(const float* values) {
    return wide_load(values);
}
typedef int pickw;
static inline pickw wide_pick_of(int j) {
    return j;
}
static inline f32w wide_pick8(f32w v, pickw pick) {
    _Alignas(16) float lanes[WIDE];
    wide_store(lanes, v);
    return wide_set(lanes[pick]);
}
static inline f32w wide_add(f32w a, f32w b) {
    return (f32w){_mm_add_ps(a.low, b.low), _mm_add_ps(a.high, b.high)};
}
static inline f32w wide_sub(f32w a, f32w b) {
    return (f32w){_mm_sub_ps(a.low, b.low), _mm_sub_ps(a.high, b.high)};
}
static inline f32w wide_mul(f32w a, f32w b) {
    return (f32w){_mm_mul_ps(a.low, b.low), _mm_mul_ps(a.high, b.high)};
}
static inline f32w wide_div(f32w a, f32w b) {
    return (f32w){_mm_div_ps(a.low, b.low), _mm_div_ps(a.high, b.high)};
}
static inline f32w wide_max(f32w a, f32w b) {
    return (f32w){_mm_max_ps(a.low, b.low), _mm_max_ps(a.high, b.high)};
}
static inline f32w wide_min(f32w a, f32w b) {
    return (f32w){_mm_min_ps(a.low, b.low), _mm_min_ps(a.high, b.high)};
}
static inline f32w wide_abs(f32w a) {
    const __m128 sign = _mm_set1_ps(-0.0f);
    return (f32w){_mm_andnot_ps(sign, a.low), _mm_andnot_ps(sign, a.high)};
}
static inline maskw wide_mask_of(__m128 low, __m128 high) {
    return (maskw)_mm_movemask_ps(low) | (maskw)_mm_movemask_ps(high) << 4;
}
static inline maskw wide_not_gt(f32w a, f32w b) {
    return wide_mask_of(_mm_cmpngt_ps(a.low, b.low), _mm_cmpngt_ps(a.high, b.high));
}
static inline maskw wide_gt(f32w a, f32w b) {
    return wide_mask_of(_mm_cmpgt_ps(a.low, b.low), _mm_cmpgt_ps(a.high, b.high));
}
static inline __m128 wide_blend4(__m128 chosen, __m128 if_set, __m128 if_clear) {
    return _mm_or_ps(_mm_and_ps(chosen, if_set), _mm_andnot_ps(chosen, if_clear));
}
static inline f32w wide_select(maskw mask, f32w if_set, f32w if_clear) {
    const __m128i bits = _mm_set1_epi32((int)mask);
    const __m128i low = _mm_setr_epi32(1, 2, 4, 8), high = _mm_setr_epi32(16, 32, 64, 128);
    const __m128i low_set = _mm_cmpeq_epi32(_mm_and_si128(bits, low), low);
    const __m128i high_set = _mm_cmpeq_epi32(_mm_and_si128(bits, high), high);
    return (f32w){wide_blend4(_mm_castsi128_ps(low_set), if_set.low, if_clear.low),
                  wide_blend4(_mm_castsi128_ps(high_set), if_set.high, if_clear.high)};
}

static inline int32_t wide_pack_lanes(maskw mask, f32w v, int first, uint8_t* numbers, float* values) {
    _Alignas(16) float lanes[WIDE];
    int32_t count = 0;
    wide_store(lanes, v);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        numbers[count] = (uint8_t)(first + lane);
        values[count++] = lanes[lane];
    }
    return count;
}

// ---- a product and a sum that are rounded once ------------------------------------------------------------------
//
// The product of two floats is exact in double: 48 bits, exponents from -298 to 255. Its sum with the third is rounded to double,
// then to float. That is the fused result unless the sum, once rounded, is exactly half way between two floats (its last 29
// bits are 1 and zeros) or below the normal floats, where half ways lie elsewhere. Those lanes, seldom any, are done again with
// the sum rounded to odd: then the last bit tells that something was cut off, and rounding to float is right, since a
// double has more than two bits more (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
// Nothing here is a tiny double, so flushing does to operands and results what it does in one instruction.

/// a * b + c as doubles rounded to odd, two lanes.
static inline __m128d wide_odd_sum2(__m128d product, __m128d c) {
    const __m128d sum = _mm_add_pd(product, c);

    // What the sum has lost, exactly (Knuth). NaN where something is infinite: then nothing is changed below.
    const __m128d c_part = _mm_sub_pd(sum, product);
    const __m128d product_part = _mm_sub_pd(sum, c_part);
    const __m128d lost = _mm_add_pd(_mm_sub_pd(product, product_part), _mm_sub_pd(c, c_part));
    const __m128d zero = _mm_setzero_pd();
    const __m128d inexact = _mm_or_pd(_mm_cmplt_pd(lost, zero), _mm_cmpgt_pd(lost, zero));

    // An even last bit: the odd neighbour is on the side of what was lost, away from zero where the signs agree.
    const __m128i bits = _mm_castpd_si128(sum), one = _mm_set_epi32(0, 1, 0, 1);
    const __m128i even = _mm_andnot_si128(bits, one);
    const __m128i unlike = _mm_srli_epi64(_mm_xor_si128(bits, _mm_castpd_si128(lost)), 63);
    const __m128i step = _mm_sub_epi64(even, _mm_slli_epi64(_mm_mul_epu32(even, unlike), 1));
    return _mm_castsi128_pd(_mm_add_epi64(bits, _mm_and_si128(step, _mm_castpd_si128(inexact))));
}

static __attribute__((noinline, unused)) __m128 wide_fma4_slow(__m128d low_product, __m128d low_c,
                                                               __m128d high_product, __m128d high_c) {
    return _mm_movelh_ps(_mm_cvtpd_ps(wide_odd_sum2(low_product, low_c)),
                         _mm_cvtpd_ps(wide_odd_sum2(high_product, high_c)));
}

static inline __m128 wide_fma4(__m128 a, __m128 b, __m128 c) {
    const __m128d low_product = _mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b));
    const __m128d high_product =
        _mm_mul_pd(_mm_cvtps_pd(_mm_movehl_ps(a, a)), _mm_cvtps_pd(_mm_movehl_ps(b, b)));
    const __m128d low_c = _mm_cvtps_pd(c), high_c = _mm_cvtps_pd(_mm_movehl_ps(c, c));
    const __m128d low_sum = _mm_add_pd(low_product, low_c), high_sum = _mm_add_pd(high_product, high_c);

    // The last 32 bits of each sum, and the first: half way, or not zero and below 2^-125?
    const __m128 low_words = _mm_castpd_ps(low_sum), high_words = _mm_castpd_ps(high_sum);
    const __m128i last = _mm_castps_si128(_mm_shuffle_ps(low_words, high_words, _MM_SHUFFLE(2, 0, 2, 0)));
    const __m128i first =
        _mm_and_si128(_mm_castps_si128(_mm_shuffle_ps(low_words, high_words, _MM_SHUFFLE(3, 1, 3, 1))),
                      _mm_set1_epi32(INT32_MAX));
    const __m128i half_way =
        _mm_cmpeq_epi32(_mm_and_si128(last, _mm_set1_epi32((1 << 29) - 1)), _mm_set1_epi32(1 << 28));
    const __m128i tiny = _mm_andnot_si128(_mm_cmpeq_epi32(first, _mm_setzero_si128()),
                                          _mm_cmplt_epi32(first, _mm_set1_epi32((1023 - 125) << 20)));
    if (_mm_movemask_epi8(_mm_or_si128(half_way, tiny)) != 0) {
        return wide_fma4_slow(low_product, low_c, high_product, high_c);
    }
    return _mm_movelh_ps(_mm_cvtpd_ps(low_sum), _mm_cvtpd_ps(high_sum));
}

static inline f32w wide_fma(f32w a, f32w b, f32w c) {
    return (f32w){wide_fma4(a.low, b.low, c.low), wide_fma4(a.high, b.high, c.high)};
}
static inline f32w wide_fnma(f32w a, f32w b, f32w c) {
    const __m128 sign = _mm_set1_ps(-0.0f);
    return wide_fma((f32w){_mm_xor_ps(a.low, sign), _mm_xor_ps(a.high, sign)}, b, c);
}

// -----------------------------------------------------------------------------------------------------------------

static inline f32w wide_sqrt(f32w a) {
    return (f32w){_mm_sqrt_ps(a.low), _mm_sqrt_ps(a.high)};
}
static inline f32w wide_sign(f32w a, f32w b) {
    const __m128 sign = _mm_set1_ps(-0.0f);
    return (f32w){_mm_xor_ps(a.low, _mm_and_ps(b.low, sign)), _mm_xor_ps(a.high, _mm_and_ps(b.high, sign))};
}
typedef struct i32w {
    __m128i low, high;
} i32w;
static inline i32w wide_to_int(f32w a) {
    return (i32w){_mm_cvttps_epi32(a.low), _mm_cvttps_epi32(a.high)};
}
static inline f32w wide_from_int(i32w a) {
    return (f32w){_mm_cvtepi32_ps(a.low), _mm_cvtepi32_ps(a.high)};
}
static inline i32w wide_int_set(int32_t value) {
    const __m128i four = _mm_set1_epi32(value);
    return (i32w){four, four};
}
static inline __m128i wide_int_mul4(__m128i a, __m128i b) {
    const __m128i even = _mm_mul_epu32(a, b);
    const __m128i odd = _mm_mul_epu32(_mm_srli_si128(a, 4), _mm_srli_si128(b, 4));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, _MM_SHUFFLE(0, 0, 2, 0)),
                              _mm_shuffle_epi32(odd, _MM_SHUFFLE(0, 0, 2, 0)));
}
static inline i32w wide_int_mad(i32w a, i32w b, i32w c) {
    return (i32w){_mm_add_epi32(wide_int_mul4(a.low, b.low), c.low),
                  _mm_add_epi32(wide_int_mul4(a.high, b.high), c.high)};
}
static inline void wide_int_store(int32_t* values, i32w a) {
    _mm_storeu_si128((__m128i*)values, a.low);
    _mm_storeu_si128((__m128i*)(values + 4), a.high);
}
static inline f32w wide_gather(const float* table, i32w index) {
    int32_t at[WIDE];
    _Alignas(16) float lanes[WIDE];
    wide_int_store(at, index);
    for (int i = 0; i < WIDE; ++i) {
        lanes[i] = table[at[i]];
    }
    return wide_load(lanes);
}
static inline void wide_slabs8(const f32w rows[8], const float origin[8], const float scale[8], float top,
                               int32_t slabs[8]) {
    for (int k = 0; k < 8; ++k) {
        const __m128 four = _mm_min_ps(rows[k].low, rows[k].high);
        const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
        const float least = _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
        const float at = (least - origin[k]) * scale[k];
        const float cut = at < top ? at : top;
        slabs[k] = (int32_t)(cut > 0.0f ? cut : 0.0f);
    }
}
static inline void wide_quarter_turns4(__m128 n, __m128 s, __m128 c, __m128* sine, __m128* cosine) {
    const __m128i k = _mm_cvttps_epi32(n), two = _mm_set1_epi32(2);
    const __m128 odd = _mm_castsi128_ps(_mm_srai_epi32(_mm_slli_epi32(k, 31), 31));
    const __m128i sine_sign = _mm_slli_epi32(_mm_and_si128(k, two), 30);
    const __m128i cosine_sign = _mm_slli_epi32(_mm_and_si128(_mm_add_epi32(k, _mm_set1_epi32(1)), two), 30);
    *sine = _mm_xor_ps(wide_blend4(odd, c, s), _mm_castsi128_ps(sine_sign));
    *cosine = _mm_xor_ps(wide_blend4(odd, s, c), _mm_castsi128_ps(cosine_sign));
}
static inline void wide_quarter_turns(f32w n, f32w s, f32w c, f32w* sine, f32w* cosine) {
    wide_quarter_turns4(n.low, s.low, c.low, &sine->low, &cosine->low);
    wide_quarter_turns4(n.high, s.high, c.high, &sine->high, &cosine->high);
}
static inline uint32_t wide_flush_begin(void) {
    const uint32_t before = _mm_getcsr();
    _mm_setcsr(before | 0x8040u);
    return before;
}
static inline void wide_flush_end(uint32_t before) {
    _mm_setcsr(before);
}

/// Two double lanes.
enum { WIDE_DOUBLE = 2 };
typedef __m128d f64w;

static inline f64w wide64_set(double value) {
    return _mm_set1_pd(value);
}
static inline f64w wide64_load(const double* values) {
    return _mm_loadu_pd(values);
}
static inline void wide64_store(double* values, f64w v) {
    _mm_storeu_pd(values, v);
}
static inline f64w wide64_add(f64w a, f64w b) {
    return _mm_add_pd(a, b);
}
static inline f64w wide64_sub(f64w a, f64w b) {
    return _mm_sub_pd(a, b);
}
static inline f64w wide64_mul(f64w a, f64w b) {
    return _mm_mul_pd(a, b);
}
static inline f64w wide64_abs(f64w a) {
    return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
}
static inline f64w wide64_if_le(f64w a, f64w b, f64w if_le, f64w if_not) {
    const __m128d le = _mm_cmple_pd(a, b);
    return _mm_or_pd(_mm_and_pd(le, if_le), _mm_andnot_pd(le, if_not));
}
static inline maskw wide64_gt(f64w a, f64w b) {
    return (maskw)_mm_movemask_pd(_mm_cmpgt_pd(a, b));
}
static inline void wide64_columns(const double* rows, int64_t stride, f64w column[4]) {
    for (int k = 0; k < 4; k += 2) {
        const f64w r0 = _mm_loadu_pd(rows + k), r1 = _mm_loadu_pd(rows + stride + k);
        column[k] = _mm_unpacklo_pd(r0, r1);
        column[k + 1] = _mm_unpackhi_pd(r0, r1);
    }
}
static inline f64w wide64_trunc(f64w a) {
    return _mm_cvtepi32_pd(_mm_cvttpd_epi32(a));
}
static inline void wide64_store_ints(uint32_t* out, maskw mask, f64w v) {
    const __m128i bits = _mm_setr_epi32(1, 2, 4, 8);
    const __m128i kept = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)mask), bits), bits);
    _mm_storel_epi64((__m128i*)(void*)out, _mm_and_si128(kept, _mm_cvttpd_epi32(v)));
}

#endif
