// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One lane type, f32w with WIDE float lanes, chosen by the file that compiles a kernel: BI_WIDE_AVX512, BI_WIDE_AVX2,
// BI_WIDE_SSE2, BI_WIDE_NEON or none of them. Every instruction set gives the same bits, NaN's own aside;
// wide_avx512.h says what each function does.

#ifndef BI_WIDE_H
#define BI_WIDE_H

#include <stdint.h>

#if defined(BI_WIDE_AVX512)
#include "simd/wide_avx512.h"
#elif defined(BI_WIDE_AVX2)
#include "simd/wide_avx2.h"
#elif defined(BI_WIDE_SSE2)
#include "simd/wide_sse2.h"
#elif defined(BI_WIDE_NEON)
#include "simd/wide_neon.h"
#else
#include "simd/wide_plain.h"
#endif

#endif
