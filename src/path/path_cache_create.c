// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys path caches; adds and removes segments.
// Entries: berth_path_cache_create, _destroy, _add, _drop, _stats, berth_default_path_cache_def.

#include <string.h>

#include "path/path_cache.h"

BerthPathCacheDef berth_default_path_cache_def(void) {
    return (BerthPathCacheDef){.byte_limit = (size_t)64 << 20, .segment_limit = 1024, .stamp = BI_DEF_STAMP};
}

static BerthPathOrder order_of(const BerthPathCacheDef* def) {
    return def->lab != NULL ? def->lab->order : BERTH_ORDER_LIKELIHOOD;
}

/// Numbers of one value: from, to and a curve.
enum { VALUE_NUMBERS = 2 + sizeof(BerthCurve) / sizeof(double) };

static size_t segment_bytes(const BerthMotionChecker* motion) {
    return sizeof(CachedSegment) + sizeof(QueueEntry) +
           (size_t)motion->scene->value_count * VALUE_NUMBERS * sizeof(double);
}

static BerthStatus check_def(const BerthMotionChecker* motion, const BerthPathCacheDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "path cache def: start from berth_default_path_cache_def()");
    }
    if (motion->method == BERTH_METHOD_FIXED) {
        return bi_fail(BERTH_ERR_UNSUPPORTED, "path cache: the fixed method samples and proves nothing");
    }

    const BerthPathOrder order = order_of(def);
    if ((int)order < 0 || order >= BERTH_ORDER_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "path cache def: order %d is not known", (int)order);
    }

    if (def->segment_limit <= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "path cache def: segment limit is %d, must be > 0",
                       (int)def->segment_limit);
    }

    const size_t fixed = sizeof(BerthPathCache) + (size_t)def->segment_limit * segment_bytes(motion) +
                         bi_queue_least_bytes(motion);
    if (def->byte_limit < fixed) {
        return bi_fail(
            BERTH_ERR_ARGUMENT,
            "path cache def: byte limit is %zu, must be at least %zu for %d segments of this scene",
            def->byte_limit, fixed, (int)def->segment_limit);
    }

    return BERTH_OK;
}

static void lay_out_segments(BerthPathCache* cache) {
    const size_t values = (size_t)cache->motion->scene->value_count;
    double* next = cache->numbers;
    for (int32_t i = 0; i < cache->segment_limit; ++i) {
        CachedSegment* cached = &cache->segments[i];
        cached->segment = (BerthSegment){.value_count = (int32_t)values, .from = next, .to = next + values};
        cached->curves = (BerthCurve*)(void*)(next + 2 * values);
        cached->next = i + 1 < cache->segment_limit ? i + 1 : -1;
        next += VALUE_NUMBERS * values;
    }
    bi_pool_reset(&cache->path);
}

BerthStatus berth_path_cache_create(BerthMotionChecker* motion, const BerthPathCacheDef* def,
                                    BerthPathCache** out) {
    *out = NULL;

    BerthStatus status = check_def(motion, def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    const size_t limit = (size_t)def->segment_limit;
    BerthPathCache* cache = bi_take(&from, 1, sizeof *cache);
    if (cache == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "path cache: out of memory");
    }

    cache->allocator = from;
    cache->motion = motion;
    cache->order = order_of(def);
    cache->segment_limit = cache->path.capacity = def->segment_limit;
    cache->number_count = limit * (size_t)motion->scene->value_count * VALUE_NUMBERS;
    cache->segments = bi_take(&from, limit, sizeof *cache->segments);
    cache->path.entries = bi_take(&from, limit, sizeof *cache->path.entries);
    cache->numbers = bi_take(&from, cache->number_count, sizeof *cache->numbers);

    if (cache->segments == NULL || cache->path.entries == NULL || cache->numbers == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "path cache: out of memory");
    } else {
        const size_t rest = def->byte_limit - sizeof *cache - limit * segment_bytes(motion);
        status = bi_queue_create(motion, &from, rest, &cache->queue);
    }

    if (status != BERTH_OK) {
        berth_path_cache_destroy(cache);
        return status;
    }

    lay_out_segments(cache);
    *out = cache;
    return BERTH_OK;
}

void berth_path_cache_destroy(BerthPathCache* cache) {
    if (cache == NULL) {
        return;
    }
    const BerthAllocator from = cache->allocator;
    bi_queue_destroy(cache->queue);
    bi_give(&from, cache->segments, (size_t)cache->segment_limit, sizeof *cache->segments);
    bi_give(&from, cache->path.entries, (size_t)cache->segment_limit, sizeof *cache->path.entries);
    bi_give(&from, cache->numbers, cache->number_count, sizeof *cache->numbers);
    bi_give(&from, cache, 1, sizeof *cache);
}

BerthStatus berth_path_cache_add(BerthPathCache* cache, const BerthSegment* segment, int32_t* number) {
    *number = -1;
    if (!bi_motion_segment_is_valid(cache->motion, segment)) {
        return bi_fail(
            BERTH_ERR_ARGUMENT, "path cache: a segment has %d values%s, %d finite ones%s are expected",
            (int)segment->value_count, segment->timed ? " and times" : "",
            (int)cache->motion->scene->value_count, cache->motion->checker->reaches ? " and times >= 0" : "");
    }
    if (cache->unused < 0) {
        return bi_fail(BERTH_ERR_CAPACITY, "path cache: there are %d segments already",
                       (int)cache->segment_limit);
    }

    CachedSegment* cached = &cache->segments[cache->unused];
    const size_t count = (size_t)segment->value_count;
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += (segment->to[i] - segment->from[i]) * (segment->to[i] - segment->from[i]);
    }

    if (count > 0) {
        // The numbers are the cache's own; only queries see them as constant.
        memcpy((double*)(void*)cached->segment.from, segment->from, count * sizeof(double));
        memcpy((double*)(void*)cached->segment.to, segment->to, count * sizeof(double));
    }
    if (count > 0 && segment->curves != NULL) {
        memcpy(cached->curves, segment->curves, count * sizeof(BerthCurve));
    }

    cached->segment.curves = segment->curves != NULL ? cached->curves : NULL;
    cached->segment.timed = segment->timed;
    cached->segment.start = segment->start;
    cached->segment.duration = segment->duration;
    cached->length = sqrt(sum);
    cached->state = CACHED_NEW;
    cached->query = (SegmentQuery){.heap = {-1, 0}};

    *number = cache->unused;
    cache->unused = cached->next;
    return BERTH_OK;
}

void berth_path_cache_drop(BerthPathCache* cache, int32_t number) {
    if (number < 0 || number >= cache->segment_limit || cache->segments[number].state == CACHED_UNUSED) {
        return;
    }
    CachedSegment* cached = &cache->segments[number];
    bi_cached_forget(cache, cached);
    cached->state = CACHED_UNUSED;
    cached->next = cache->unused;
    cache->unused = number;
}

BerthPathCacheStats berth_path_cache_stats(const BerthPathCache* cache) {
    return (BerthPathCacheStats){.bytes = sizeof *cache +
                                          (size_t)cache->segment_limit * segment_bytes(cache->motion) +
                                          bi_queue_bytes(cache->queue),
                                 .entries = cache->queue->pool.used,
                                 .entries_most = cache->queue->pool.used_most,
                                 .evictions = cache->evictions};
}
