// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Little-endian numbers at any address, the same on every machine.

#ifndef BI_IO_BYTES_H
#define BI_IO_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint32_t u32_at(const void* bytes) {
    const uint8_t* b = bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t u64_at(const void* bytes) {
    return (uint64_t)u32_at(bytes) | (uint64_t)u32_at((const uint8_t*)bytes + 4) << 32;
}

static inline double f32_at(const void* bytes) {
    const uint32_t bits = u32_at(bytes);
    float value = 0.0f;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline double f64_at(const void* bytes) {
    const uint64_t bits = u64_at(bytes);
    double value = 0.0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
