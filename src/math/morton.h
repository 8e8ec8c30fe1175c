// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Morton codes of cells: the bits of x, y and z interleaved, so that the cells of a node of a quadtree or
// octree are consecutive. At most 16 bits per axis.

#ifndef BI_MORTON_H
#define BI_MORTON_H

#include <stdint.h>

/// Bits of x, spread so that dim - 1 others fit between two.
static inline uint64_t morton_spread(uint32_t x, int dim) {
    uint64_t v = x;
    if (dim == 2) {
        v = (v | v << 8) & 0x00FF00FFu;
        v = (v | v << 4) & 0x0F0F0F0Fu;
        v = (v | v << 2) & 0x33333333u;
        return (v | v << 1) & 0x55555555u;
    }
    v = (v | v << 16) & 0x0000FF0000FFull;
    v = (v | v << 8) & 0x00F00F00F00Full;
    v = (v | v << 4) & 0x0C30C30C30C3ull;
    return (v | v << 2) & 0x249249249249ull;
}
static inline uint32_t morton_gather(uint64_t code, int dim) {
    uint64_t v = code;
    if (dim == 2) {
        v &= 0x55555555u;
        v = (v | v >> 1) & 0x33333333u;
        v = (v | v >> 2) & 0x0F0F0F0Fu;
        v = (v | v >> 4) & 0x00FF00FFu;
        return (uint32_t)((v | v >> 8) & 0xFFFFu);
    }
    v &= 0x249249249249ull;
    v = (v | v >> 2) & 0x0C30C30C30C3ull;
    v = (v | v >> 4) & 0x00F00F00F00Full;
    v = (v | v >> 8) & 0x0000FF0000FFull;
    return (uint32_t)((v | v >> 16) & 0xFFFFu);
}
/// The code of a cell, `levels` digits.
static inline uint64_t morton_code(int dim, const int32_t cell[3]) {
    uint64_t code = 0;
    for (int axis = 0; axis < dim; ++axis) {
        code |= morton_spread((uint32_t)cell[axis], dim) << axis;
    }
    return code;
}
static inline void morton_cell(int dim, uint64_t code, int32_t cell[3]) {
    cell[2] = 0;
    for (int axis = 0; axis < dim; ++axis) {
        cell[axis] = (int32_t)morton_gather(code >> axis, dim);
    }
}

#endif
