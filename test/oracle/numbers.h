// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random numbers and a product for the oracles' own tests, which share nothing with the library.
#ifndef BERTH_TEST_ORACLE_NUMBERS_H
#define BERTH_TEST_ORACLE_NUMBERS_H

#include <stdint.h>

static inline uint64_t next_bits(uint64_t* seed) {
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double uniform(uint64_t* seed, double low, double high) {
    return low + (high - low) * ((double)(next_bits(seed) >> 11) * 0x1p-53);
}

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#endif
