// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many segments at once (paper 001, II-D): a queue for each, and one over them by the key of each one's first
// entry. What was found out about a segment is kept, so that a later call resumes it.
// Entry: berth_path_cache_check, at the end.

#include "path/path_cache.h"

static const BerthMotionRequest plain;

/// One call of berth_path_cache_check.
typedef struct PathCall {
    BerthPathCache* cache;
    BerthMotionResult* out;
    int64_t intervals_left;
    EntryHeap waiting;     // segments that are open, by their keys
    CachedSegment* hit;    // that ends it
    CachedSegment* stuck;  // first in the list that has no answer
    BerthReason reason;    // of that one
    BerthStatus status;
} PathCall;

void bi_cached_forget(BerthPathCache* cache, CachedSegment* cached) {
    bi_heap_clear(&cache->queue->pool, &cached->query.heap);
    cached->state = CACHED_NEW;
}

// Forgets the work on some other segment: the one checked longest ago, so one of this call only when there is no other.
static bool make_room(void* user, const SegmentQuery* query) {
    BerthPathCache* cache = user;
    CachedSegment* victim = NULL;

    for (int32_t i = 0; i < cache->segment_limit; ++i) {
        CachedSegment* cached = &cache->segments[i];
        if (cached->state == CACHED_OPEN && &cached->query != query && cached->query.heap.count > 0 &&
            (victim == NULL || cached->asked < victim->asked)) {
            victim = cached;
        }
    }

    if (victim == NULL) {
        return false;
    }

    bi_cached_forget(cache, victim);
    cache->evictions += 1;
    cache->crowded = true;
    return true;
}

static double key_of(const BerthPathCache* cache, const CachedSegment* cached) {
    if (cache->order == BERTH_ORDER_GIVEN) {
        return -(double)cached->index;
    }
    return cached->state == CACHED_NEW ? (double)INFINITY
                                       : cache->queue->pool.entries[cached->query.heap.top].key;
}

static void queue_segment(PathCall* call, const CachedSegment* cached) {
    const QueueEntry entry = {.key = key_of(call->cache, cached),
                              .pair = (int32_t)(cached - call->cache->segments)};
    // One entry a segment: there is room for all.
    (void)bi_heap_push(&call->cache->path, &call->waiting, &entry);
}

static void note_stuck(PathCall* call, CachedSegment* cached, BerthReason reason) {
    if (call->stuck == NULL || cached->index < call->stuck->index) {
        call->stuck = cached;
        call->reason = reason;
    }
}

static void start_segment(PathCall* call, CachedSegment* cached) {
    BerthPathCache* cache = call->cache;
    cached->result = bi_motion_no_result();
    cached->result.outside_limits = bi_motion_count_outside(cache->motion, &cached->segment);
    cached->query = bi_motion_query(cache->motion, &cached->segment, &plain, &cached->result);
    cached->query.queue = cache->queue;
    cached->query.serial = ++cache->queue->serials;
    cached->query.order = cache->order;
    cached->query.length = cached->length;
    cached->query.stats = &call->out->stats;
    cached->query.intervals_left = INT64_MAX;  // the call counts them
    cached->state = CACHED_OPEN;
    call->status = bi_queue_start(&cached->query);
}

// What the last step left: an answer, which is kept, or work. True when the segment is still open.
static bool settle_segment(PathCall* call, CachedSegment* cached) {
    SegmentQuery* query = &cached->query;
    if (call->status != BERTH_OK || query->full) {
        bi_cached_forget(call->cache, cached);
        note_stuck(call, cached, call->status != BERTH_OK ? BERTH_REASON_NUMERIC : BERTH_REASON_BUDGET);
        return false;
    }

    if (query->hit_t > 1.0 && query->heap.count > 0) {
        return true;
    }

    // It is decided, so its work can be forgotten.
    bi_motion_query_conclude(query);
    bi_cached_forget(call->cache, cached);

    switch (cached->result.verdict) {
    case BERTH_FREE:
        cached->state = CACHED_FREE;
        break;
    case BERTH_COLLISION:
        cached->state = CACHED_COLLISION;
        call->hit = cached;
        break;
    default:
        cached->state = CACHED_CLOSE;
        note_stuck(call, cached, cached->result.reason);
        break;
    }
    return false;
}

static void work_on_segments(PathCall* call) {
    BerthPathCache* cache = call->cache;
    QueueEntry first;

    while (call->status == BERTH_OK && call->hit == NULL &&
           bi_heap_pop(&cache->path, &call->waiting, &first)) {
        CachedSegment* cached = &cache->segments[first.pair];
        bool open = true;

        // In a crowd one segment is finished before the next, else each takes one step.
        do {
            if (call->intervals_left <= 0 ||
                bi_motion_query_cancelled(&(SegmentQuery){.motion = cache->motion})) {
                note_stuck(call, cached, BERTH_REASON_BUDGET);
                return;
            }
            call->intervals_left -= 1;
            cached->query.stats = &call->out->stats;
            if (cached->state == CACHED_NEW) {
                start_segment(call, cached);
            } else {
                bi_queue_step(&cached->query);
            }
            open = settle_segment(call, cached);
        } while (open && cache->crowded);

        if (open) {
            queue_segment(call, cached);
        }
    }
}

// Lists what is open; what is known already needs no work.
static BerthStatus list_segments(PathCall* call, const int32_t* numbers, int32_t count) {
    BerthPathCache* cache = call->cache;
    for (int32_t i = 0; i < count; ++i) {
        if (numbers[i] < 0 || numbers[i] >= cache->segment_limit ||
            cache->segments[numbers[i]].state == CACHED_UNUSED) {
            return bi_fail_quietly(BERTH_ERR_ARGUMENT);
        }
    }

    for (int32_t i = 0; i < count; ++i) {
        CachedSegment* cached = &cache->segments[numbers[i]];
        if (cached->asked == cache->calls) {
            continue;  // it is in the list twice
        }

        cached->asked = cache->calls;
        cached->index = i;
        if (cached->state == CACHED_COLLISION) {
            if (call->hit == NULL) {
                call->hit = cached;
            }
        } else if (cached->state == CACHED_CLOSE) {
            note_stuck(call, cached, cached->result.reason);
        } else if (cached->state != CACHED_FREE) {
            queue_segment(call, cached);
        }
    }
    return BERTH_OK;
}

// Which pair is worked on next, when none was met that cannot be decided.
static void name_open_pair(const BerthPathCache* cache, const CachedSegment* cached, BerthMotionResult* out) {
    if (out->body_a < 0 && cached->state == CACHED_OPEN && cached->query.heap.top >= 0) {
        const int32_t index = cache->queue->pool.entries[cached->query.heap.top].pair;
        const ScenePair* pair = &cache->motion->scene->pairs[cache->motion->pairs[index].pair];
        out->body_a = pair->body_a;
        out->body_b = pair->body_b;
    }
}

static void conclude_call(PathCall* call, const int32_t* numbers, int32_t count, int32_t* segment) {
    BerthMotionResult* out = call->out;
    const BerthMotionStats stats = out->stats;
    const CachedSegment* about = call->hit != NULL ? call->hit : call->stuck;
    if (about != NULL) {
        *out = about->result;
        *segment = about->index;
        if (call->hit == NULL) {
            out->verdict = BERTH_UNKNOWN;
            out->reason = call->reason;
        }
        if (call->hit == NULL && about->state != CACHED_CLOSE) {  // nothing is known about when
            out->t_low = 0.0;
            out->t_high = 1.0;
            name_open_pair(call->cache, about, out);
        }
    } else {
        out->verdict = BERTH_FREE;
        out->t_high = 1.0;
        out->clearance = (double)INFINITY;
        out->self.lower = out->environment.lower = (double)INFINITY;
        for (int32_t i = 0; i < count; ++i) {
            const CachedSegment* one = &call->cache->segments[numbers[i]];
            if (one->index != i) {
                continue;  // it is in the list twice
            }
            out->clearance = fmin(out->clearance, one->result.clearance);
            berth_clearance_lower(&out->self, &one->result.self);
            berth_clearance_lower(&out->environment, &one->result.environment);
            out->outside_limits += one->result.outside_limits;
        }
    }

    out->stats = stats;
}

BerthStatus berth_path_cache_check(BerthPathCache* cache, const int32_t* numbers, int32_t count,
                                   int64_t interval_budget, int32_t* segment, BerthMotionResult* out) {
    BerthMotionChecker* motion = cache->motion;
    *segment = -1;
    *out = bi_motion_no_result();

    if (!motion->scene->committed || motion->scene->generation != motion->generation) {
        return bi_fail_quietly(BERTH_ERR_STALE);
    }
    if (count < 0 || interval_budget <= 0) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    PathCall call = {.cache = cache, .out = out, .intervals_left = interval_budget, .waiting = {-1, 0}};
    cache->calls += 1;
    cache->crowded = false;
    cache->queue->make_room = make_room;
    cache->queue->user = cache;

    BerthStatus status = list_segments(&call, numbers, count);
    if (status == BERTH_OK) {
        bi_placed_cache_enter(&cache->queue->placed, motion);
        work_on_segments(&call);
        bi_placed_cache_leave(&cache->queue->placed, motion);
        status = call.status;
        conclude_call(&call, numbers, count, segment);
    }

    bi_heap_clear(&cache->path, &call.waiting);
    return status;
}
