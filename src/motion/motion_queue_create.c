// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys queues: entries, slots of placed configurations, remembered gaps.

#include <string.h>

#include "motion/motion_queue.h"

enum {
    ENTRY_CAPACITY = 1 << 17,      // of a single segment, beyond four times all pairs; more is UNKNOWN
    SLOT_BYTES_ALL = 4 << 20,      // of all slots, unless a few need more
    SLOTS_LEAST = 4 * PLACE_WAYS,  // two ends, a middle and a way back up
    SLOTS_MOST = 64 * PLACE_WAYS,
    MEMO_RECORDS = 1 << 16
};

/// Bytes of one slot's arrays, or their places in a block.
typedef struct Carve {
    char* at;  // null: only counts
    size_t size;
} Carve;

static void* carve(Carve* from, size_t count, size_t size) {
    const size_t start = from->size;
    from->size += (count * size + 63) & ~(size_t)63;
    return from->at == NULL ? NULL : from->at + start;
}

static MotionPlace carve_place(Carve* from, const BerthMotion* motion) {
    const BerthChecker* c = motion->checker;
    MotionPlace place = {0};
    place.values = carve(from, (size_t)c->value_count, sizeof *place.values);
    place.world_from_frame = carve(from, (size_t)c->frame_count, sizeof *place.world_from_frame);
    place.world_from_part = carve(from, (size_t)c->part_count, sizeof *place.world_from_part);
    place.moved = carve(from, (size_t)c->robot_count, sizeof *place.moved);
    place.bodies = carve(from, (size_t)c->body_count, sizeof *place.bodies);
    place.rates = carve(from, (size_t)c->frame_count, sizeof *place.rates);
    place.twists = carve(from, (size_t)c->frame_count, sizeof *place.twists);
    place.chains = carve(from, (size_t)motion->chain_total, sizeof *place.chains);
    place.levers = carve(from, (size_t)motion->chain_total, sizeof *place.levers);
    return place;
}

static void copy(void* to, const void* from, size_t count, size_t size) {
    if (count > 0) {
        memcpy(to, from, count * size);
    }
}

// What no value changes is written once, when the checker is made.
static void fill_place(MotionPlace* place, const BerthMotion* motion) {
    const BerthChecker* c = motion->checker;
    copy(place->values, c->values, (size_t)c->value_count, sizeof *place->values);
    copy(place->world_from_frame, c->world_from_frame, (size_t)c->frame_count, sizeof(Pose));
    copy(place->world_from_part, c->world_from_part, (size_t)c->part_count, sizeof(Pose));
    copy(place->moved, c->moved, (size_t)c->robot_count, sizeof(CheckMoved));
    copy(place->bodies, c->bodies, (size_t)c->body_count, sizeof(CheckBody));
    copy(place->rates, motion->rates, (size_t)c->frame_count, sizeof(FrameRate));
    copy(place->twists, motion->twists, (size_t)c->frame_count, sizeof(Twist));
    copy(place->chains, motion->chains, (size_t)motion->chain_total, sizeof(ChainSum));
    copy(place->levers, motion->chain_lever, (size_t)motion->chain_total, sizeof(double));
    place->has_values = c->has_values;
}

static bool make_places(PlaceCache* cache, const BerthMotion* motion, const BerthAllocator* from) {
    Carve size = {0};
    carve_place(&size, motion);
    const size_t fit = SLOT_BYTES_ALL / (size.size + 1);
    const size_t count = fit < SLOTS_LEAST ? SLOTS_LEAST : fit > SLOTS_MOST ? SLOTS_MOST : fit;
    cache->slot_count = (int32_t)(count / PLACE_WAYS * PLACE_WAYS);
    cache->slots = bi_take(from, (size_t)cache->slot_count, sizeof *cache->slots);
    cache->block_bytes = (size_t)cache->slot_count * size.size + 64;
    cache->block = bi_take(from, 1, cache->block_bytes);
    if (cache->slots == NULL || cache->block == NULL) {
        return false;
    }
    Carve block = {(char*)cache->block + (64 - (uintptr_t)cache->block % 64) % 64, 0};
    for (int32_t i = 0; i < cache->slot_count; ++i) {
        cache->slots[i].place = carve_place(&block, motion);
        fill_place(&cache->slots[i].place, motion);
    }
    return true;
}

BerthStatus bi_queue_create(const BerthMotion* motion, const BerthAllocator* allocator, int64_t entry_count,
                            MotionQueue** out) {
    *out = NULL;
    MotionQueue* queue = bi_take(allocator, 1, sizeof *queue);
    if (queue == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "motion queue: out of memory");
    }
    queue->allocator = *allocator;
    const int64_t all = ENTRY_CAPACITY + 4 * (int64_t)motion->scene->pair_count;
    const int64_t wanted = entry_count > 0 ? entry_count : all;
    queue->pool.capacity = (int32_t)(wanted < INT32_MAX ? wanted : INT32_MAX);
    queue->pool.entries = bi_take(allocator, (size_t)queue->pool.capacity, sizeof(QueueEntry));
    queue->memo.count = motion->method == BERTH_METHOD_REFINED ? MEMO_RECORDS : 0;
    bool ok = queue->pool.entries != NULL && make_places(&queue->places, motion, allocator);
    if (ok && queue->memo.count > 0) {
        queue->memo.records = bi_take(allocator, (size_t)queue->memo.count, sizeof(MemoRecord));
        ok = queue->memo.records != NULL;
    }
    if (!ok) {
        bi_queue_destroy(queue);
        return bi_fail(BERTH_ERR_MEMORY, "motion queue: out of memory");
    }
    bi_pool_reset(&queue->pool);
    *out = queue;
    return BERTH_OK;
}

size_t bi_queue_bytes(const MotionQueue* queue) {
    return sizeof *queue + (size_t)queue->pool.capacity * sizeof(QueueEntry) +
           (size_t)queue->places.slot_count * sizeof(PlaceSlot) + queue->places.block_bytes +
           (size_t)queue->memo.count * sizeof(MemoRecord);
}

void bi_queue_destroy(MotionQueue* queue) {
    if (queue == NULL) {
        return;
    }
    const BerthAllocator from = queue->allocator;
    bi_give(&from, queue->pool.entries, (size_t)queue->pool.capacity, sizeof(QueueEntry));
    bi_give(&from, queue->places.slots, (size_t)queue->places.slot_count, sizeof(PlaceSlot));
    bi_give(&from, queue->places.block, 1, queue->places.block_bytes);
    bi_give(&from, queue->memo.records, (size_t)queue->memo.count, sizeof(MemoRecord));
    bi_give(&from, queue, 1, sizeof *queue);
}
