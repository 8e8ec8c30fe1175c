// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The functions behind a WideProbe, for the instruction set that the including file has chosen. See wide_probe.h.

#ifndef TEST_SIMD_WIDE_PROBE_BODY_H
#define TEST_SIMD_WIDE_PROBE_BODY_H

#include <string.h>

#include "simd/wide.h"
#include "simd/wide_probe.h"

static void put_floats(uint32_t* out, f32w v) {
    _Alignas(64) float lanes[WIDE];
    wide_store(lanes, v);
    memcpy(out, lanes, sizeof lanes);
}

static void put_mask(uint32_t* out, maskw mask) {
    for (int i = 0; i < WIDE; ++i) {
        out[i] = mask >> i & 1u;
    }
    out[0] |= mask >> (WIDE - 1) >> 1 << 8;  // no bits beyond the lanes
}

static void put_ints(uint32_t* out, i32w v) {
    int32_t lanes[WIDE];
    wide_int_store(lanes, v);
    memcpy(out, lanes, sizeof lanes);
}

static i32w ints_of(const int32_t* index) {
    _Alignas(64) float lanes[WIDE];
    for (int i = 0; i < WIDE; ++i) {
        lanes[i] = (float)index[i];
    }
    return wide_to_int(wide_load(lanes));
}

/// The eight values of each group of eight lanes, which a register may hold one or two of.
static void put_groups(uint32_t* out, const ProbeInput* in, int first, bool picks) {
    f32w v = wide_load8(in->table);
    if (picks) {
        v = wide_pick8(v, wide_pick_of(in->pick + first / 8));
    }
    put_floats(out, v);
}

// Packed lanes of all parts follow each other, as kernels write them.
static void put_packed(const ProbeInput* in, int first, ProbeOutput* out) {
    const uint32_t before = in->mask & ((1u << first) - 1u);
    const maskw mask = in->mask >> first & (uint32_t)((1ull << WIDE) - 1u);
    const int start = __builtin_popcount(before);
    uint8_t numbers[WIDE];
    float values[WIDE];
    const int32_t count = wide_pack_lanes(mask, wide_load(in->a + first), first, numbers, values);
    for (int32_t i = 0; i < count; ++i) {
        out->first[start + i] = numbers[i];
        memcpy(&out->second[start + i], &values[i], sizeof values[i]);
    }
}

// Of eight lanes each: registers that hold sixteen are asked twice, with each half in both.
static void put_slabs(const ProbeInput* in, int first, ProbeOutput* out) {
    for (int half = 0; half < WIDE; half += 8) {
        const f32w v = wide_load8(in->a + first + half);
        f32w rows[8];
        float origin[8], scale[8];
        int32_t slabs[8];
        for (int k = 0; k < 8; ++k) {
            rows[k] = wide_add(v, wide_set(in->b[k]));
            origin[k] = in->c[k];
            scale[k] = k % 2 == 0 ? 3.0f : -0.7f;
        }
        wide_slabs8(rows, origin, scale, 63.0f, slabs);
        for (int k = 0; k < 8; ++k) {
            out->first[first + half + k] = (uint32_t)slabs[k];
        }
    }
}

static bool put_arithmetic(ProbeOp op, const ProbeInput* in, int first, uint32_t* out) {
    const f32w a = wide_load(in->a + first), b = wide_load(in->b + first), c = wide_load(in->c + first);
    switch ((int)op) {
    case PROBE_SET:
        put_floats(out, wide_set(in->a[3]));
        return true;
    case PROBE_COPY:
        put_floats(out, a);
        return true;
    case PROBE_ADD:
        put_floats(out, wide_add(a, b));
        return true;
    case PROBE_SUB:
        put_floats(out, wide_sub(a, b));
        return true;
    case PROBE_MUL:
        put_floats(out, wide_mul(a, b));
        return true;
    case PROBE_DIV:
        put_floats(out, wide_div(a, b));
        return true;
    case PROBE_FMA:
        put_floats(out, wide_fma(a, b, c));
        return true;
    case PROBE_FNMA:
        put_floats(out, wide_fnma(a, b, c));
        return true;
    case PROBE_SQRT:
        put_floats(out, wide_sqrt(a));
        return true;
    case PROBE_MAX:
        put_floats(out, wide_max(a, b));
        return true;
    case PROBE_MIN:
        put_floats(out, wide_min(a, b));
        return true;
    case PROBE_ABS:
        put_floats(out, wide_abs(a));
        return true;
    case PROBE_SIGN:
        put_floats(out, wide_sign(a, b));
        return true;
    default:
        return false;
    }
}

static void put_part(ProbeOp op, const ProbeInput* in, int first, ProbeOutput* out) {
    const f32w a = wide_load(in->a + first), b = wide_load(in->b + first), c = wide_load(in->c + first);
    const i32w index = ints_of(in->index + first);
    f32w sine, cosine;
    if (put_arithmetic(op, in, first, out->first + first)) {
        return;
    }
    switch ((int)op) {
    case PROBE_LOAD8:
        put_groups(out->first + first, in, first, false);
        break;
    case PROBE_PICK8:
        put_groups(out->first + first, in, first, true);
        break;
    case PROBE_GT:
        put_mask(out->first + first, wide_gt(a, b));
        break;
    case PROBE_NOT_GT:
        put_mask(out->first + first, wide_not_gt(a, b));
        break;
    case PROBE_SELECT:
        put_floats(out->first + first, wide_select(in->mask >> first, a, b));
        break;
    case PROBE_PACK:
        put_packed(in, first, out);
        break;
    case PROBE_TURNS:
        wide_quarter_turns(wide_load(in->whole + first), a, c, &sine, &cosine);
        put_floats(out->first + first, sine);
        put_floats(out->second + first, cosine);
        break;
    case PROBE_TO_INT:
        put_ints(out->first + first, wide_to_int(wide_load(in->whole + first)));
        break;
    case PROBE_FROM_INT:
        put_floats(out->first + first, wide_from_int(index));
        break;
    case PROBE_INT_MAD:
        put_ints(out->first + first, wide_int_mad(index, wide_int_set(in->index[5]), index));
        break;
    case PROBE_GATHER:
        put_floats(out->first + first, wide_gather(in->table, index));
        break;
    case PROBE_SLABS:
        put_slabs(in, first, out);
        break;
    default:
        break;
    }
}

static void probe_ask(ProbeOp op, const ProbeInput* in, bool flush, ProbeOutput* out) {
    const uint32_t before = flush ? wide_flush_begin() : 0;
    for (int first = 0; first < PROBE_LANES; first += WIDE) {
        put_part(op, in, first, out);
    }
    if (flush) {
        wide_flush_end(before);
    }
}

// What gives no doubles: lanes of a mask, and whole numbers.
static void put_whole(Probe64Op op, f64w x, f64w y, double* out) {
    const maskw mask = wide64_gt(op == PROBE64_GT ? x : y, op == PROBE64_GT ? y : wide64_set(0.0));
    uint32_t whole[WIDE_DOUBLE];
    wide64_store_ints(whole, mask, op == PROBE64_GT ? wide64_set(1.0) : x);
    for (int i = 0; i < WIDE_DOUBLE; ++i) {
        out[i] = op == PROBE64_GT ? (double)(mask >> i & 1u) : (double)whole[i];
    }
    out[0] += mask >> (WIDE_DOUBLE - 1) >> 1 != 0 ? 0.5 : 0.0;  // no bits beyond the lanes
}

static void probe_ask64(Probe64Op op, const double* a, const double* b, double* out) {
    for (int i = 0; i < PROBE_LANES; i += WIDE_DOUBLE) {
        const f64w x = wide64_load(a + i), y = wide64_load(b + i);
        f64w z = wide64_set(0.0);
        if (op == PROBE64_ADD) {
            z = wide64_add(x, y);
        } else if (op == PROBE64_SUB) {
            z = wide64_sub(x, y);
        } else if (op == PROBE64_MUL) {
            z = wide64_mul(x, y);
        } else if (op == PROBE64_ABS) {
            z = wide64_abs(x);
        } else if (op == PROBE64_IF_LE) {
            z = wide64_if_le(x, y, wide64_set(1.0), wide64_set(2.0));
        } else if (op == PROBE64_TRUNC) {
            z = wide64_trunc(x);
        } else {
            put_whole(op, x, y, out + i);
            continue;
        }
        wide64_store(out + i, z);
    }
}

#endif
