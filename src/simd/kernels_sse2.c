// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// All kernels, compiled for this instruction set.

#define BI_WIDE_SSE2

#include "simd/box_kernel.h"
#include "simd/hull_kernel.h"
#include "simd/kernels.h"
#include "simd/lane_kernel.h"
#include "simd/looks_kernel.h"
#include "simd/points_kernel.h"
#include "simd/triangle_kernel.h"
#include "simd/turn_kernel.h"

const SimdKernels bi_kernels_sse2 = {.isa = SIMD_SSE2,
                                     .box_pairs = box_pairs,
                                     .triangle_span = triangle_span,
                                     .triangle_pairs = triangle_pairs,
                                     .hull_supports = hull_supports,
                                     .points_near = points_near,
                                     .turns = turns,
                                     .map_looks = map_looks,
                                     .lane_block = lane_block};
