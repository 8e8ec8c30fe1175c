// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Every function of wide.h on arrays of PROBE_LANES, so that instruction sets can be held against each other. The body is
// wide_probe_body.h, compiled once an instruction set by probe_*.c.

#ifndef TEST_SIMD_WIDE_PROBE_H
#define TEST_SIMD_WIDE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "simd/simd.h"

enum { PROBE_LANES = 16, PROBE_TABLE = 64 };

/// What a function is asked for: its operands are rows a, b, c; results are bits of floats or whole numbers.
typedef enum ProbeOp {
    PROBE_SET,
    PROBE_COPY,  ///< load, store
    PROBE_LOAD8,
    PROBE_PICK8,
    PROBE_ADD,
    PROBE_SUB,
    PROBE_MUL,
    PROBE_DIV,
    PROBE_FMA,
    PROBE_FNMA,
    PROBE_SQRT,
    PROBE_MAX,
    PROBE_MIN,
    PROBE_ABS,
    PROBE_SIGN,
    PROBE_GT,
    PROBE_NOT_GT,
    PROBE_SELECT,    ///< by the bits of `mask`
    PROBE_PACK,      ///< lanes of `mask`: numbers, then values
    PROBE_TURNS,     ///< `whole` quarter turns
    PROBE_TO_INT,    ///< of rows of floats that an int holds: `whole`
    PROBE_FROM_INT,  ///< of `index`
    PROBE_INT_MAD,   ///< of `index`
    PROBE_GATHER,    ///< from `table` at `index`
    PROBE_SLABS,     ///< of each eight lanes
    PROBE_OP_COUNT
} ProbeOp;

typedef struct ProbeInput {
    _Alignas(64) float a[PROBE_LANES];
    _Alignas(64) float b[PROBE_LANES];
    _Alignas(64) float c[PROBE_LANES];
    _Alignas(64) float whole[PROBE_LANES];    ///< whole numbers
    _Alignas(64) float table[PROBE_TABLE];    ///< the first eight are loaded and picked from, too
    _Alignas(64) int32_t index[PROBE_LANES];  ///< from 0 to PROBE_TABLE - 1
    uint32_t mask;
    int pick;  ///< even, from 0 to 6
} ProbeInput;

typedef struct ProbeOutput {
    _Alignas(64) uint32_t first[PROBE_LANES];
    _Alignas(64) uint32_t second[PROBE_LANES];
} ProbeOutput;

/// Functions of double lanes.
typedef enum Probe64Op {
    PROBE64_ADD,
    PROBE64_SUB,
    PROBE64_MUL,
    PROBE64_ABS,
    PROBE64_IF_LE,
    PROBE64_GT,
    PROBE64_TRUNC,       ///< of rows from 0 on that an int holds: `a`
    PROBE64_STORE_INTS,  ///< the same, where `b` is above 0
    PROBE64_OP_COUNT
} Probe64Op;

typedef struct WideProbe {
    SimdIsa isa;
    /// With `flush`, between wide_flush_begin and wide_flush_end.
    void (*ask)(ProbeOp op, const ProbeInput* in, bool flush, ProbeOutput* out);
    void (*ask64)(Probe64Op op, const double* a, const double* b, double* out);  ///< PROBE_LANES of each
} WideProbe;

extern const WideProbe wide_probe_plain, wide_probe_neon, wide_probe_sse2, wide_probe_avx2, wide_probe_avx512;

#endif
