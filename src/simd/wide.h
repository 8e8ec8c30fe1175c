// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One lane type, f32w with WIDE float lanes, chosen by the file that compiles a kernel: BI_WIDE_AVX512,
// BI_WIDE_AVX2 or neither. No fused multiply-add: every instruction set gives the same bits.

#ifndef BI_WIDE_H
#define BI_WIDE_H

#include <stdint.h>

#if defined(BI_WIDE_AVX512)
#include "simd/wide_avx512.h"
#elif defined(BI_WIDE_AVX2)
#include "simd/wide_avx2.h"
#else
#include "simd/wide_plain.h"
#endif

#endif
