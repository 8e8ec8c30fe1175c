// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What queues are made of: a pool with pairing heaps, and placed configurations by segment and time.
// Entries: bi_pool_reset, bi_heap_push, bi_heap_pop, bi_heap_clear; bi_placed_cache_enter, bi_placed_cache_leave, bi_queue_place.

#include <string.h>

#include "motion/motion_queue.h"

// ---- pool and heaps ------------------------------------------------------------------------------------------

void bi_pool_reset(EntryPool* pool) {
    pool->fresh = 0;
    pool->free = -1;
    pool->used = 0;
}

static int32_t take_entry(EntryPool* pool) {
    int32_t at = pool->free;
    if (at >= 0) {
        pool->free = pool->entries[at].next;
    } else if (pool->fresh < pool->capacity) {
        at = pool->fresh++;
    } else {
        return -1;
    }
    pool->used += 1;
    pool->used_most = pool->used > pool->used_most ? pool->used : pool->used_most;
    return at;
}

static void give_entry(EntryPool* pool, int32_t at) {
    pool->entries[at].next = pool->free;
    pool->free = at;
    pool->used -= 1;
}

// Two heaps become one: the smaller top goes under the larger.
static int32_t meld(EntryPool* pool, int32_t a, int32_t b) {
    if (a < 0 || b < 0) {
        return a < 0 ? b : a;
    }
    QueueEntry* entries = pool->entries;
    const bool first = entries[a].key >= entries[b].key;
    const int32_t over = first ? a : b;
    const int32_t under = first ? b : a;
    entries[under].next = entries[over].child;
    entries[over].child = under;
    entries[over].next = -1;
    return over;
}

bool bi_heap_push(EntryPool* pool, EntryHeap* heap, const QueueEntry* entry) {
    const int32_t at = take_entry(pool);
    if (at < 0) {
        return false;
    }
    QueueEntry* kept = &pool->entries[at];
    *kept = *entry;
    kept->child = kept->next = -1;
    kept->key = entry->key == entry->key ? entry->key : (double)INFINITY;  // NaN has no order
    heap->top = meld(pool, heap->top, at);
    heap->count += 1;
    return true;
}

bool bi_heap_pop(EntryPool* pool, EntryHeap* heap, QueueEntry* out) {
    if (heap->top < 0) {
        return false;
    }

    QueueEntry* entries = pool->entries;
    const int32_t top = heap->top;
    *out = entries[top];

    // In pairs from the left, then all pairs from the right.
    int32_t pairs = -1;
    for (int32_t at = entries[top].child; at >= 0;) {
        const int32_t a = at;
        const int32_t b = entries[a].next;
        at = b >= 0 ? entries[b].next : -1;
        entries[a].next = -1;
        if (b >= 0) {
            entries[b].next = -1;
        }
        const int32_t both = meld(pool, a, b);
        entries[both].next = pairs;
        pairs = both;
    }

    int32_t all = -1;
    while (pairs >= 0) {
        const int32_t next = entries[pairs].next;
        entries[pairs].next = -1;
        all = meld(pool, all, pairs);
        pairs = next;
    }

    heap->top = all;
    heap->count -= 1;
    give_entry(pool, top);
    return true;
}

void bi_heap_clear(EntryPool* pool, EntryHeap* heap) {
    QueueEntry* entries = pool->entries;
    int32_t at = heap->top;
    if (at >= 0) {
        entries[at].next = -1;
    }

    int32_t last = at;  // of the list that still has to go: children are appended to it
    while (at >= 0) {
        if (entries[at].child >= 0) {
            entries[last].next = entries[at].child;
            while (entries[last].next >= 0) {
                last = entries[last].next;
            }
        }

        const int32_t next = entries[at].next;
        give_entry(pool, at);
        at = next;
    }

    *heap = (EntryHeap){-1, 0};
}

// ---- placed configurations --------------------------------------------------------------------------------------

// The arrays that the motion and its checker write to now.
static PlacedState current_arrays(const BerthMotionChecker* motion) {
    const BerthChecker* checker = motion->checker;
    return (PlacedState){checker->values,          checker->world_from_frame,
                         checker->world_from_part, checker->moved,
                         checker->bodies,          motion->rates,
                         motion->twists,           motion->chains,
                         motion->chain_lever,      checker->elapsed,
                         checker->has_values};
}

// From now on they write to these.
static void use_arrays(BerthMotionChecker* motion, const PlacedState* state) {
    BerthChecker* checker = motion->checker;
    checker->values = state->values;
    checker->world_from_frame = state->world_from_frame;
    checker->world_from_part = state->world_from_part;
    checker->moved = state->moved;
    checker->bodies = state->bodies;
    checker->has_values = state->has_values;
    checker->elapsed = state->elapsed;
    motion->rates = state->rates;
    motion->twists = state->twists;
    motion->chains = state->chains;
    motion->chain_lever = state->levers;
}

void bi_placed_cache_enter(PlacedCache* cache, const BerthMotionChecker* motion) {
    cache->home = current_arrays(motion);
    cache->away = true;
    cache->current = NULL;
}

void bi_placed_cache_leave(PlacedCache* cache, BerthMotionChecker* motion) {
    if (cache->away) {
        use_arrays(motion, &cache->home);
    }
    cache->away = false;
    cache->current = NULL;
}

static uint64_t mix_bits(uint64_t x) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}

static PlacedSlot* find_slot(PlacedCache* cache, uint64_t serial, Span span, bool* found) {
    uint64_t bits = 0;
    memcpy(&bits, &span.middle, sizeof bits);
    const uint64_t hash = mix_bits(bits + mix_bits(serial));
    const int32_t sets = cache->slot_count / PLACED_WAYS;
    PlacedSlot* set = cache->slots + PLACED_WAYS * (int32_t)(hash % (uint64_t)sets);
    PlacedSlot* oldest = set;
    *found = true;
    for (int k = 0; k < PLACED_WAYS; ++k) {
        if (set[k].serial == serial && set[k].span.middle == span.middle && set[k].span.half == span.half) {
            return &set[k];
        }
        oldest = set[k].used < oldest->used ? &set[k] : oldest;
    }
    *found = false;
    return oldest;
}

bool bi_queue_place(SegmentQuery* query, Span span) {
    BerthMotionChecker* motion = query->motion;
    PlacedCache* cache = &query->queue->placed;
    const PlacedSlot* now = cache->current;
    motion->segment = query->segment;
    // It is placed already.
    if (now != NULL && now->serial == query->serial && now->span.middle == span.middle &&
        now->span.half == span.half) {
        return true;
    }

    bool found = false;
    PlacedSlot* slot = find_slot(cache, query->serial, span, &found);
    slot->used = ++cache->clock;
    use_arrays(motion, &slot->state);
    cache->current = slot;

    if (found) {
        return true;
    }

    // Nothing is in the slot while it is being written.
    slot->serial = 0;
    slot->span = span;
    query->stats->configurations += 1;
    bi_motion_rates(motion, query->segment, span);
    const bool placed = bi_motion_place(motion, span);
    slot->state.has_values = motion->checker->has_values;
    slot->state.elapsed = motion->checker->elapsed;

    if (!placed) {
        query->full = true;
        cache->current = NULL;
        return false;
    }

    slot->serial = query->serial;
    return true;
}
