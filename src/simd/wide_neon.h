// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Eight float lanes as two registers of NEON, on 64-bit ARM. See wide.h.

#ifndef BI_WIDE_NEON_H
#define BI_WIDE_NEON_H

#include <arm_neon.h>

enum { WIDE = 8 };
typedef struct f32w {
    float32x4_t low, high;
} f32w;
typedef uint32_t maskw;

static inline f32w wide_set(float value) {
    const float32x4_t four = vdupq_n_f32(value);
    return (f32w){four, four};
}
static inline f32w wide_load(const float* values) {
    return (f32w){vld1q_f32(values), vld1q_f32(values + 4)};
}
static inline void wide_store(float* values, f32w v) {
    vst1q_f32(values, v.low);
    vst1q_f32(values + 4, v.high);
}
static inline f32w wide_load8(const float* values) {
    return wide_load(values);
}
typedef int pickw;
static inline pickw wide_pick_of(int j) {
    return j;
}
static inline f32w wide_pick8(f32w v, pickw pick) {
    float lanes[WIDE];
    wide_store(lanes, v);
    return wide_set(lanes[pick]);
}
static inline f32w wide_add(f32w a, f32w b) {
    return (f32w){vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
}
static inline f32w wide_sub(f32w a, f32w b) {
    return (f32w){vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
}
static inline f32w wide_mul(f32w a, f32w b) {
    return (f32w){vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)};
}
static inline f32w wide_div(f32w a, f32w b) {
    return (f32w){vdivq_f32(a.low, b.low), vdivq_f32(a.high, b.high)};
}
/// The instructions for these give NaN when either is: not what the other sets do.
static inline float32x4_t wide_max4(float32x4_t a, float32x4_t b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
static inline float32x4_t wide_min4(float32x4_t a, float32x4_t b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
static inline f32w wide_max(f32w a, f32w b) {
    return (f32w){wide_max4(a.low, b.low), wide_max4(a.high, b.high)};
}
static inline f32w wide_min(f32w a, f32w b) {
    return (f32w){wide_min4(a.low, b.low), wide_min4(a.high, b.high)};
}
static inline f32w wide_abs(f32w a) {
    return (f32w){vabsq_f32(a.low), vabsq_f32(a.high)};
}
static inline maskw wide_mask_of(uint32x4_t low, uint32x4_t high) {
    static const uint32_t low_bits[4] = {1, 2, 4, 8}, high_bits[4] = {16, 32, 64, 128};
    const uint32x4_t bits =
        vorrq_u32(vandq_u32(low, vld1q_u32(low_bits)), vandq_u32(high, vld1q_u32(high_bits)));
    return vaddvq_u32(bits);
}
static inline maskw wide_gt(f32w a, f32w b) {
    return wide_mask_of(vcgtq_f32(a.low, b.low), vcgtq_f32(a.high, b.high));
}
static inline maskw wide_not_gt(f32w a, f32w b) {
    return wide_gt(a, b) ^ 0xffu;
}
static inline f32w wide_select(maskw mask, f32w if_set, f32w if_clear) {
    static const uint32_t low_bits[4] = {1, 2, 4, 8}, high_bits[4] = {16, 32, 64, 128};
    const uint32x4_t bits = vdupq_n_u32(mask);
    return (f32w){vbslq_f32(vtstq_u32(bits, vld1q_u32(low_bits)), if_set.low, if_clear.low),
                  vbslq_f32(vtstq_u32(bits, vld1q_u32(high_bits)), if_set.high, if_clear.high)};
}

static inline int32_t wide_pack_lanes(maskw mask, f32w v, int first, uint8_t* numbers, float* values) {
    float lanes[WIDE];
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
    return (f32w){vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)};
}
static inline f32w wide_fnma(f32w a, f32w b, f32w c) {
    return (f32w){vfmsq_f32(c.low, a.low, b.low), vfmsq_f32(c.high, a.high, b.high)};
}
static inline f32w wide_sqrt(f32w a) {
    return (f32w){vsqrtq_f32(a.low), vsqrtq_f32(a.high)};
}
static inline float32x4_t wide_sign4(float32x4_t a, float32x4_t b) {
    const uint32x4_t sign = vandq_u32(vreinterpretq_u32_f32(b), vdupq_n_u32(0x80000000u));
    return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), sign));
}
static inline f32w wide_sign(f32w a, f32w b) {
    return (f32w){wide_sign4(a.low, b.low), wide_sign4(a.high, b.high)};
}
typedef struct i32w {
    int32x4_t low, high;
} i32w;
static inline i32w wide_to_int(f32w a) {
    return (i32w){vcvtq_s32_f32(a.low), vcvtq_s32_f32(a.high)};
}
static inline f32w wide_from_int(i32w a) {
    return (f32w){vcvtq_f32_s32(a.low), vcvtq_f32_s32(a.high)};
}
static inline i32w wide_int_set(int32_t value) {
    const int32x4_t four = vdupq_n_s32(value);
    return (i32w){four, four};
}
static inline i32w wide_int_mad(i32w a, i32w b, i32w c) {
    return (i32w){vmlaq_s32(c.low, a.low, b.low), vmlaq_s32(c.high, a.high, b.high)};
}
static inline void wide_int_store(int32_t* values, i32w a) {
    vst1q_s32(values, a.low);
    vst1q_s32(values + 4, a.high);
}
static inline f32w wide_gather(const float* table, i32w index) {
    int32_t at[WIDE];
    float lanes[WIDE];
    wide_int_store(at, index);
    for (int i = 0; i < WIDE; ++i) {
        lanes[i] = table[at[i]];
    }
    return wide_load(lanes);
}
static inline void wide_slabs8(const f32w rows[8], const float origin[8], const float scale[8], float top,
                               int32_t slabs[8]) {
    for (int k = 0; k < 8; ++k) {
        const float least = vminvq_f32(wide_min4(rows[k].low, rows[k].high));
        const float at = (least - origin[k]) * scale[k];
        const float cut = at < top ? at : top;
        slabs[k] = (int32_t)(cut > 0.0f ? cut : 0.0f);
    }
}
static inline void wide_quarter_turns4(float32x4_t n, float32x4_t s, float32x4_t c, float32x4_t* sine,
                                       float32x4_t* cosine) {
    const uint32x4_t k = vreinterpretq_u32_s32(vcvtq_s32_f32(n)), two = vdupq_n_u32(2);
    const uint32x4_t odd = vtstq_u32(k, vdupq_n_u32(1));
    const uint32x4_t sine_sign = vshlq_n_u32(vandq_u32(k, two), 30);
    const uint32x4_t cosine_sign = vshlq_n_u32(vandq_u32(vaddq_u32(k, vdupq_n_u32(1)), two), 30);
    *sine = vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(vbslq_f32(odd, c, s)), sine_sign));
    *cosine = vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(vbslq_f32(odd, s, c)), cosine_sign));
}
static inline void wide_quarter_turns(f32w n, f32w s, f32w c, f32w* sine, f32w* cosine) {
    wide_quarter_turns4(n.low, s.low, c.low, &sine->low, &cosine->low);
    wide_quarter_turns4(n.high, s.high, c.high, &sine->high, &cosine->high);
}
/// Bit 24 of the control register: tiny operands and results count as 0. Unlike on x86 a result is tiny before it is rounded.
static inline uint32_t wide_flush_begin(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before) : : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(before | (UINT64_C(1) << 24)) : "memory");
    return (uint32_t)before;
}
static inline void wide_flush_end(uint32_t before) {
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)before) : "memory");
}

/// Two double lanes.
enum { WIDE_DOUBLE = 2 };
typedef float64x2_t f64w;

static inline f64w wide64_set(double value) {
    return vdupq_n_f64(value);
}
static inline f64w wide64_load(const double* values) {
    return vld1q_f64(values);
}
static inline void wide64_store(double* values, f64w v) {
    vst1q_f64(values, v);
}
static inline f64w wide64_add(f64w a, f64w b) {
    return vaddq_f64(a, b);
}
static inline f64w wide64_sub(f64w a, f64w b) {
    return vsubq_f64(a, b);
}
static inline f64w wide64_mul(f64w a, f64w b) {
    return vmulq_f64(a, b);
}
static inline f64w wide64_abs(f64w a) {
    return vabsq_f64(a);
}
static inline f64w wide64_if_le(f64w a, f64w b, f64w if_le, f64w if_not) {
    return vbslq_f64(vcleq_f64(a, b), if_le, if_not);
}
static inline maskw wide64_gt(f64w a, f64w b) {
    const uint64x2_t gt = vcgtq_f64(a, b);
    return (maskw)((vgetq_lane_u64(gt, 0) & 1u) | (vgetq_lane_u64(gt, 1) & 2u));
}
static inline void wide64_columns(const double* rows, int64_t stride, f64w column[4]) {
    for (int k = 0; k < 4; k += 2) {
        const f64w r0 = vld1q_f64(rows + k), r1 = vld1q_f64(rows + stride + k);
        column[k] = vzip1q_f64(r0, r1);
        column[k + 1] = vzip2q_f64(r0, r1);
    }
}
static inline f64w wide64_trunc(f64w a) {
    return vrndq_f64(a);
}
static inline void wide64_store_ints(uint32_t* out, maskw mask, f64w v) {
    static const uint32_t lane_bits[2] = {1, 2};
    const uint32x2_t kept = vtst_u32(vdup_n_u32(mask), vld1_u32(lane_bits));
    vst1_u32(out, vand_u32(kept, vmovn_u64(vcvtq_u64_f64(v))));
}

#endif
