// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Microseconds, counted; and the ring of notes. One writer, one reader, no lock.

#include <math.h>

#include "inside.h"

void histogram_add(Histogram* h, double seconds) {
    const double micro = seconds > 0.0 ? ceil(1e6 * seconds) : 0.0;
    const uint32_t at = micro < 4e9 ? (uint32_t)micro : 4000000000u;
    const uint32_t bin = at < BINS ? at : BINS - 1;
    atomic_store_explicit(&h->bins[bin], atomic_load_explicit(&h->bins[bin], memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (at > atomic_load_explicit(&h->most, memory_order_relaxed)) {
        atomic_store_explicit(&h->most, at, memory_order_relaxed);
    }
    atomic_store_explicit(&h->count, atomic_load_explicit(&h->count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

double histogram_at(const Histogram* h, double share) {
    const uint64_t count = atomic_load_explicit(&h->count, memory_order_relaxed);
    const double wanted = share * (double)count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < BINS - 1; ++i) {
        sum += atomic_load_explicit(&h->bins[i], memory_order_relaxed);
        if ((double)sum >= wanted && count > 0) {
            return (double)i;
        }
    }
    return (double)atomic_load_explicit(&h->most, memory_order_relaxed);
}

bool ring_push(Ring* ring, const Note* note) {
    const size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    const size_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head - tail >= RING_SIZE) {
        return false;
    }
    ring->notes[head % RING_SIZE] = *note;
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return true;
}

bool ring_pop(Ring* ring, Note* note) {
    const size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const size_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    if (head == tail) {
        return false;
    }
    *note = ring->notes[tail % RING_SIZE];
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return true;
}
