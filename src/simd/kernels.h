// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The tables that kernels_*.c define; each build has those of its processor family.

#ifndef BI_KERNELS_H
#define BI_KERNELS_H

#include "simd/simd.h"

extern const SimdKernels bi_kernels_plain;
extern const SimdKernels bi_kernels_neon;
extern const SimdKernels bi_kernels_sse2;
extern const SimdKernels bi_kernels_avx2;
extern const SimdKernels bi_kernels_avx512;

#endif
