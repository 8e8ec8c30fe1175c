// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a path cache: segments, each with its own heap in one pool, and what is known about it.

#ifndef BI_PATH_CACHE_H
#define BI_PATH_CACHE_H

#include <berth/lab/path.h>

#include "motion/motion_queue.h"

typedef enum CachedState {
    CACHED_UNUSED = 0,
    CACHED_NEW,   ///< nothing is known, or it was forgotten
    CACHED_OPEN,  ///< its heap says what is left
    CACHED_FREE,
    CACHED_COLLISION,
    CACHED_CLOSE  ///< it ended without an answer, and will again
} CachedState;

typedef struct CachedSegment {
    CachedState state;
    BerthSegment segment;  ///< of numbers that the cache owns
    BerthCurve* curves;    ///< where these are kept, if there are some
    SegmentQuery query;
    BerthMotionResult result;
    double length;   ///< in the space of values
    uint64_t asked;  ///< the last call that was about it
    int32_t index;   ///< in that call's list
    int32_t next;    ///< of those that are not used, -1: none
} CachedSegment;

struct BerthPathCache {
    BerthAllocator allocator;
    BerthMotionChecker* motion;
    BerthPathOrder order;
    MotionQueue* queue;
    EntryPool path;  ///< one entry a segment: the queue over segments
    CachedSegment* segments;
    int32_t segment_limit;
    int32_t unused;   ///< first of them, -1: none
    double* numbers;  ///< from, to and curves of all segments
    size_t number_count;
    uint64_t calls;
    int64_t evictions;
    bool crowded;  ///< something was forgotten in this call: one segment after the other from now on
};

/// Forgets what is left of a segment's work.
void bi_cached_forget(BerthPathCache* cache, CachedSegment* cached);

#endif
