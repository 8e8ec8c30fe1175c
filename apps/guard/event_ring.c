// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The ring of events from the loop to the log writer. One writer, one reader, no lock.

#include "guard_internal.h"

bool event_ring_has_room(const EventRing* ring) {
    const size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    return head - atomic_load_explicit(&ring->tail, memory_order_acquire) < RING_SIZE / 2;
}

bool event_ring_push(EventRing* ring, const Event* event) {
    const size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    const size_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head - tail >= RING_SIZE) {
        return false;
    }
    ring->events[head % RING_SIZE] = *event;
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return true;
}

bool event_ring_pop(EventRing* ring, Event* event) {
    const size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const size_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    if (head == tail) {
        return false;
    }
    *event = ring->events[tail % RING_SIZE];
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return true;
}
