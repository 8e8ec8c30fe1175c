// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The functions of wide.h, compiled for this instruction set.

#define BI_WIDE_AVX512

#include "simd/wide_probe_body.h"

const WideProbe wide_probe_avx512 = {.isa = SIMD_AVX512, .ask = probe_ask, .ask64 = probe_ask64};
