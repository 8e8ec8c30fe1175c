// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The kernels, one table per instruction set. They take plain arrays that their callers fill, and only ever
// prune: a float answer may prove "further than", never "touching".

#ifndef BI_SIMD_H
#define BI_SIMD_H

#include <stdint.h>

#include "simd/lane_layout.h"
#include "simd/look_layout.h"

/// The later, the faster, of those that one machine can run.
typedef enum SimdIsa { SIMD_PLAIN = 0, SIMD_NEON, SIMD_SSE2, SIMD_AVX2, SIMD_AVX512, SIMD_ISA_COUNT } SimdIsa;

enum { BOX_LANES = 8, BOX_PAIRS = BOX_LANES * BOX_LANES };

/// Up to eight boxes in one frame: centres and half sizes, rounded outward. Empty lanes have half = -BOX_EMPTY.
typedef struct BoxNode {
    _Alignas(64) float centre[3][BOX_LANES];
    float half[3][BOX_LANES];
} BoxNode;
#define BOX_EMPTY 1e18f

/// Frame b seen from frame a, in float, with the slack that makes its rounding harmless (see bi_tree_box_frame).
typedef struct BoxFrame {
    float turn[3][3];      ///< turn[row][column] of a_from_b
    float abs_turn[3][3];  ///< absolute values, enlarged
    float t[3];
    float slack;  ///< metres added to every half size
} BoxFrame;

/// Pairs of boxes that are not proven further apart than sqrt(limit_sq): out_pair[k] = lane of a + 8 * lane of b,
/// out_bound[k] = a lower bound of their squared distance; where they overlap along all axes, minus how far they do along
/// the least: the deeper, the smaller. Returns how many.
typedef int32_t (*BoxPairsKernel)(const BoxNode* a, const BoxNode* b, int32_t b_count,
                                  const BoxFrame* a_from_b, float limit_sq, uint8_t out_pair[BOX_PAIRS],
                                  float out_bound[BOX_PAIRS]);

/// The corners of up to eight triangles: corner[k][axis][lane]. Empty lanes repeat a used one.
typedef struct TriangleNode {
    _Alignas(64) float corner[3][3][BOX_LANES];
} TriangleNode;

/// The span of each triangle along `n`: the largest and smallest n . corner, up to float rounding.
typedef void (*TriangleSpanKernel)(const TriangleNode* node, const float n[3], float high[BOX_LANES],
                                   float low[BOX_LANES]);

/// Of the `wanted` pairs of triangles (bit lane of a + 8 * lane of b) those that are not proven further apart than `cut`,
/// which has the frame's slack in it twice, along the normal of either.
typedef uint64_t (*TrianglePairsKernel)(const TriangleNode* a, const TriangleNode* b,
                                        const BoxFrame* a_from_b, float cut, uint64_t wanted);
/// More than products of tiny numbers lose.
#define TRIANGLE_TINY 1e-37f

/// Points of a hull, axis by axis, each array `stride` floats long; `stride` is a multiple of HULL_STEP, and places
/// beyond the last point repeat one.
enum { HULL_STEP = 16 };
/// Largest dot product of the points with each of two directions, plus the radius of the point: x, y, z, r are at
/// points, points + stride, ... Up to float rounding.
typedef void (*HullSupportsKernel)(const float* points, int32_t stride, const float first[3],
                                   const float second[3], float out[2]);

/// Points axis by axis, x, y and z at points, points + stride, points + 2 stride; `stride` is a multiple of POINTS_STEP.
enum { POINTS_STEP = 64 };
/// Which of them are near `centre`: bit k of word i is about point 64 i + k. `within`: its squared distance is below
/// `within_sq`; `not_beyond`: it is not above `beyond_sq`. Up to float rounding; a point or a centre that is NaN is never within
/// and never beyond.
typedef void (*PointsNearKernel)(const float* points, int32_t stride, const float centre[3], float within_sq,
                                 float beyond_sq, uint64_t* within, uint64_t* not_beyond);

/// Sines and cosines of `count` angles, a multiple of TURN_STEP: each has the bits of bi_sincos.
enum { TURN_STEP = 8 };
typedef void (*TurnsKernel)(const double* angle, int32_t count, double* sine, double* cosine);

typedef struct SimdKernels {
    SimdIsa isa;
    BoxPairsKernel box_pairs;
    TriangleSpanKernel triangle_span;
    TrianglePairsKernel triangle_pairs;
    HullSupportsKernel hull_supports;
    PointsNearKernel points_near;
    TurnsKernel turns;
    MapLooksKernel map_looks;
    LaneBlockKernel lane_block;
} SimdKernels;

/// The best table this machine can run.
const SimdKernels* bi_simd_kernels(void);
/// A given one, for tests and comparisons; null when this machine or build cannot run it.
const SimdKernels* bi_simd_kernels_for(SimdIsa isa);

#endif
