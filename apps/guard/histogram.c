// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A histogram of microseconds. One writer, one reader, no lock.

#include <math.h>

#include "guard_internal.h"

void histogram_add(Histogram* h, double seconds) {
    const double micro = seconds > 0.0 ? ceil(1e6 * seconds) : 0.0;
    const uint32_t at = micro < 4e9 ? (uint32_t)micro : 4000000000u;
    const uint32_t bin = at < HISTOGRAM_BINS ? at : HISTOGRAM_BINS - 1;
    atomic_store_explicit(&h->bins[bin], atomic_load_explicit(&h->bins[bin], memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (at > atomic_load_explicit(&h->maximum, memory_order_relaxed)) {
        atomic_store_explicit(&h->maximum, at, memory_order_relaxed);
    }
    atomic_store_explicit(&h->count, atomic_load_explicit(&h->count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

double histogram_quantile(const Histogram* h, double share) {
    const uint64_t count = atomic_load_explicit(&h->count, memory_order_relaxed);
    const double wanted = share * (double)count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BINS - 1; ++i) {
        sum += atomic_load_explicit(&h->bins[i], memory_order_relaxed);
        if ((double)sum >= wanted && count > 0) {
            return (double)i;
        }
    }
    return (double)atomic_load_explicit(&h->maximum, memory_order_relaxed);
}
