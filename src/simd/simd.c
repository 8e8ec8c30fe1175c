// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Selects the kernels for the machine that runs.

#include "simd/simd.h"

#include <stddef.h>

#include "simd/kernels.h"

#ifndef BI_X86
#if defined(__x86_64__)
#define BI_X86 1
#else
#define BI_X86 0
#endif
#endif

#if defined(__aarch64__)
#define BI_ARM64 1
#else
#define BI_ARM64 0
#endif

const SimdKernels* bi_simd_kernels_for(SimdIsa isa) {
    if (isa == SIMD_PLAIN) {
        return &bi_kernels_plain;
    }

#if BI_ARM64
    if (isa == SIMD_NEON) {  // every such processor has it
        return &bi_kernels_neon;
    }
#endif

#if BI_X86
    if (isa == SIMD_SSE2 && __builtin_cpu_supports("sse2")) {
        return &bi_kernels_sse2;
    }
    if (isa == SIMD_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return &bi_kernels_avx2;
    }
    if (isa == SIMD_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("fma")) {
        return &bi_kernels_avx512;
    }
#endif
    return NULL;
}

const SimdKernels* bi_simd_kernels(void) {
    for (int isa = SIMD_ISA_COUNT - 1; isa > SIMD_PLAIN; --isa) {
        const SimdKernels* kernels = bi_simd_kernels_for((SimdIsa)isa);
        if (kernels != NULL) {
            return kernels;
        }
    }
    return &bi_kernels_plain;
}
