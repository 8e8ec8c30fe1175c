// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lookups of balls in a map of cells: the parameters, which the owner of the map fills, and the kernel.

#ifndef BI_LOOK_LAYOUT_H
#define BI_LOOK_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/// A map of cells, x fastest, fewer than 2^31 of them, in which balls (x y z radius, metres) are looked up. In cells, except the origin.
typedef struct LookFrame {
    double origin[3], per_metre;
    double middle[3], inside[3];  ///< centres are nearer to `middle` than `inside`, along each axis
    double most_radius;           ///< radii are below it; no limit reaches 2^31 then
    double row, rows;             ///< cells in a row, rows in a plane
    double scale, offset;         ///< the value must be above scale r + offset,
    bool squared;                 ///< or above its square
    bool flat;                    ///< z counts as in the middle of the one plane
    int32_t value_log;            ///< the values are of 2^value_log bytes
    const void* map;
} LookFrame;

/// At most LOOKS_MOST balls, `stride` doubles apart. index[k]: the cell that contains the centre of ball k; above[k]: the integer part of its
/// limit. Bit k of the result is set if both are valid; it is clear, and both are 0, if the centre is not inside or a number is not valid.
/// Prefetches the values. The arrays have room for LOOKS_MOST and are filled up to a multiple of LOOKS_STEP.
enum { LOOKS_MOST = 64, LOOKS_STEP = 8 };
typedef uint64_t (*MapLooksKernel)(const LookFrame* frame, const double* balls, int64_t stride, int32_t count,
                                   uint32_t* index, uint32_t* above);

#endif
