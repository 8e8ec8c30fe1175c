// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys queues: entries, slots of placed configurations, remembered gaps.
// Entries: bi_queue_create, bi_queue_destroy; bi_queue_least_bytes, bi_queue_bytes.

#include <string.h>

#include "motion/motion_queue.h"

enum {
    ENTRY_CAPACITY = 1 << 17,       // of a single segment, beyond four times all pairs; more is UNKNOWN
    SLOT_BYTES_ALL = 4 << 20,       // of all slots, unless a few need more
    SLOTS_LEAST = 4 * PLACED_WAYS,  // two ends, a middle and a way back up
    SLOTS_MOST = 64 * PLACED_WAYS,
    MEMO_RECORDS = 1 << 16,
    MEMO_LEAST = 1 << 10,
    LIMIT_PARTS = 8  // of a limit: one for slots, one for remembered gaps
};

/// How much of everything.
typedef struct QueuePlan {
    size_t entries, slots, slot_bytes, records;
} QueuePlan;

/// Bytes of one slot's arrays, or their places in a block.
typedef struct BlockCursor {
    char* at;  // null: only counts
    size_t size;
} BlockCursor;

static void* carve_array(BlockCursor* from, size_t count, size_t size) {
    const size_t start = from->size;
    from->size += (count * size + 63) & ~(size_t)63;
    return from->at == NULL ? NULL : from->at + start;
}

static PlacedState carve_state(BlockCursor* from, const BerthMotionChecker* motion) {
    const BerthChecker* c = motion->checker;
    PlacedState state = {0};
    state.values = carve_array(from, (size_t)c->value_count, sizeof *state.values);
    state.world_from_frame = carve_array(from, (size_t)c->frame_count, sizeof *state.world_from_frame);
    state.world_from_part = carve_array(from, (size_t)c->part_count, sizeof *state.world_from_part);
    state.moved = carve_array(from, (size_t)c->robot_count, sizeof *state.moved);
    state.bodies = carve_array(from, (size_t)c->body_count, sizeof *state.bodies);
    state.rates = carve_array(from, (size_t)c->frame_count, sizeof *state.rates);
    state.twists = carve_array(from, (size_t)c->frame_count, sizeof *state.twists);
    state.chains = carve_array(from, (size_t)motion->chain_total, sizeof *state.chains);
    state.levers = carve_array(from, (size_t)motion->chain_total, sizeof *state.levers);
    return state;
}

static void copy_array(void* to, const void* from, size_t count, size_t size) {
    if (count > 0) {
        memcpy(to, from, count * size);
    }
}

// What no value changes is written once, when the checker is made.
static void fill_state(PlacedState* state, const BerthMotionChecker* motion) {
    const BerthChecker* c = motion->checker;
    copy_array(state->values, c->values, (size_t)c->value_count, sizeof *state->values);
    copy_array(state->world_from_frame, c->world_from_frame, (size_t)c->frame_count, sizeof(Pose));
    copy_array(state->world_from_part, c->world_from_part, (size_t)c->part_count, sizeof(Pose));
    copy_array(state->moved, c->moved, (size_t)c->robot_count, sizeof(CheckMoved));
    copy_array(state->bodies, c->bodies, (size_t)c->body_count, sizeof(CheckBody));
    copy_array(state->rates, motion->rates, (size_t)c->frame_count, sizeof(FrameRate));
    copy_array(state->twists, motion->twists, (size_t)c->frame_count, sizeof(Twist));
    copy_array(state->chains, motion->chains, (size_t)motion->chain_total, sizeof(ChainSum));
    copy_array(state->levers, motion->chain_lever, (size_t)motion->chain_total, sizeof(double));
    state->has_values = c->has_values;
}

static size_t slot_bytes(const BerthMotionChecker* motion) {
    BlockCursor size = {0};
    carve_state(&size, motion);
    return size.size;
}

static size_t plan_bytes(const QueuePlan* plan) {
    return sizeof(MotionQueue) + plan->entries * sizeof(QueueEntry) +
           plan->slots * (sizeof(PlacedSlot) + plan->slot_bytes) + 64 + plan->records * sizeof(MemoRecord);
}

static QueuePlan least_plan(const BerthMotionChecker* motion) {
    return (QueuePlan){.entries = 64 + 2 * (size_t)motion->scene->pair_count,
                       .slots = SLOTS_LEAST,
                       .slot_bytes = slot_bytes(motion),
                       .records = motion->method == BERTH_METHOD_REFINED ? MEMO_LEAST : 0};
}

size_t bi_queue_least_bytes(const BerthMotionChecker* motion) {
    const QueuePlan plan = least_plan(motion);
    return plan_bytes(&plan);
}

// Slots and records grow up to their share of the limit, entries take the rest.
static QueuePlan plan_queue(const BerthMotionChecker* motion, size_t limit) {
    QueuePlan plan = least_plan(motion);
    const size_t share = limit > 0 ? limit / LIMIT_PARTS : SLOT_BYTES_ALL;
    const size_t slots_all = share < SLOT_BYTES_ALL ? share : SLOT_BYTES_ALL;

    while (plan.slots + PLACED_WAYS <= SLOTS_MOST &&
           (plan.slots + PLACED_WAYS) * (plan.slot_bytes + sizeof(PlacedSlot)) <= slots_all) {
        plan.slots += PLACED_WAYS;
    }

    while (plan.records > 0 && plan.records < MEMO_RECORDS &&
           (limit == 0 || 2 * plan.records * sizeof(MemoRecord) <= share)) {
        plan.records *= 2;
    }

    const size_t taken = plan_bytes(&plan);
    if (limit == 0) {
        plan.entries += ENTRY_CAPACITY + 2 * (size_t)motion->scene->pair_count;
    } else if (limit > taken) {
        plan.entries += (limit - taken) / sizeof(QueueEntry);
    }

    plan.entries = plan.entries < INT32_MAX ? plan.entries : INT32_MAX;
    return plan;
}

static bool make_placed_cache(PlacedCache* cache, const BerthMotionChecker* motion, const QueuePlan* plan,
                              const BerthAllocator* from) {
    cache->slot_count = (int32_t)plan->slots;
    cache->slots = bi_take(from, plan->slots, sizeof *cache->slots);
    cache->block_bytes = plan->slots * plan->slot_bytes + 64;
    cache->block = bi_take(from, 1, cache->block_bytes);
    if (cache->slots == NULL || cache->block == NULL) {
        return false;
    }
    BlockCursor block = {(char*)cache->block + (64 - (uintptr_t)cache->block % 64) % 64, 0};
    for (int32_t i = 0; i < cache->slot_count; ++i) {
        cache->slots[i].state = carve_state(&block, motion);
        fill_state(&cache->slots[i].state, motion);
    }
    return true;
}

BerthStatus bi_queue_create(const BerthMotionChecker* motion, const BerthAllocator* allocator,
                            size_t byte_limit, MotionQueue** out) {
    *out = NULL;
    const QueuePlan plan = plan_queue(motion, byte_limit);
    MotionQueue* queue = bi_take(allocator, 1, sizeof *queue);
    if (queue == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "motion queue: out of memory");
    }

    queue->allocator = *allocator;
    queue->pool.capacity = (int32_t)plan.entries;
    // An entry is written when it is first used: most never are, and clearing all of them took longer than most searches.
    queue->pool.entries = bi_take_raw(allocator, plan.entries, sizeof(QueueEntry));
    queue->memo.count = (int32_t)plan.records;
    bool ok = queue->pool.entries != NULL && make_placed_cache(&queue->placed, motion, &plan, allocator);
    if (ok && plan.records > 0) {
        queue->memo.records = bi_take(allocator, plan.records, sizeof(MemoRecord));
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
           (size_t)queue->placed.slot_count * sizeof(PlacedSlot) + queue->placed.block_bytes +
           (size_t)queue->memo.count * sizeof(MemoRecord);
}

void bi_queue_destroy(MotionQueue* queue) {
    if (queue == NULL) {
        return;
    }
    const BerthAllocator from = queue->allocator;
    bi_give(&from, queue->pool.entries, (size_t)queue->pool.capacity, sizeof(QueueEntry));
    bi_give(&from, queue->placed.slots, (size_t)queue->placed.slot_count, sizeof(PlacedSlot));
    bi_give(&from, queue->placed.block, 1, queue->placed.block_bytes);
    bi_give(&from, queue->memo.records, (size_t)queue->memo.count, sizeof(MemoRecord));
    bi_give(&from, queue, 1, sizeof *queue);
}
