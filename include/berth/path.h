// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Path: segments that are checked again and again, for planners of your own. To check a whole path once, use
// berth/motion.h.

#ifndef BERTH_PATH_H
#define BERTH_PATH_H

#include <berth/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is already known about many segments, so that a check can be resumed where it stopped: for planners
/// that check paths made of segments that they keep. Takes all its memory when it is made. When that is full,
/// what is known of some segment is forgotten, which costs time and never correctness. The motion checker is
/// borrowed until the cache is destroyed, and both are used by one thread at a time. A segment whose own work
/// does not fit is UNKNOWN for its budget and starts again.
typedef struct BerthPathCache BerthPathCache;

/// Settings for comparisons: berth/lab/path.h.
typedef struct BerthPathCacheLab BerthPathCacheLab;

/// Start from berth_default_path_cache_def().
typedef struct BerthPathCacheDef {
    size_t byte_limit;             ///< most bytes that it may take
    int32_t segment_limit;         ///< most segments at a time
    BerthAllocator allocator;      ///< all zero: the C library's heap
    const BerthPathCacheLab* lab;  ///< null: the default. Read at creation only
    uint32_t stamp;                ///< set by the default function; ties the def to this library version
} BerthPathCacheDef;
/// The def to start from: 64 MiB, 1024 segments, the likeliest collision first.
BERTH_API BerthPathCacheDef berth_default_path_cache_def(void);
/// Takes all its memory here; for a byte_limit that is too small the error text says how much is needed.
/// BERTH_ERR_UNSUPPORTED for FIXED.
BERTH_API BerthStatus berth_path_cache_create(BerthMotionChecker* motion, const BerthPathCacheDef* def,
                                              BerthPathCache** out);
/// Frees a cache; null is fine.
BERTH_API void berth_path_cache_destroy(BerthPathCache* cache);
/// Adds a segment, which is copied, and returns its number (-1 on failure). BERTH_ERR_CAPACITY when the cache
/// holds segment_limit segments.
BERTH_API BerthStatus berth_path_cache_add(BerthPathCache* cache, const BerthSegment* segment,
                                           int32_t* number);
/// Forgets a segment; its number may be reused. Numbers without a segment are ignored.
BERTH_API void berth_path_cache_drop(BerthPathCache* cache, int32_t number);
/// Are all of these segments free? They are worked on together in the cache's order; the first collision ends
/// the work, and what was found out about the others is kept. At most `interval_budget` (> 0) intervals are
/// opened; another call resumes the work. `segment` receives the index in `numbers` that a collision or an
/// unknown is about, -1 when all are free. `out->stats` is the work of this call. BERTH_ERR_ARGUMENT for a
/// number without a segment, and for a segment one of whose ends is invalid.
BERTH_API BerthStatus berth_path_cache_check(BerthPathCache* cache, const int32_t* numbers, int32_t count,
                                             int64_t interval_budget, int32_t* segment,
                                             BerthMotionResult* out);

/// The contents of a cache.
typedef struct BerthPathCacheStats {
    size_t bytes;          ///< taken
    int64_t entries;       ///< entries in queues now
    int64_t entries_most;  ///< most entries at a time so far
    int64_t evictions;     ///< segments whose work was forgotten to make room
} BerthPathCacheStats;
/// The contents now.
BERTH_API BerthPathCacheStats berth_path_cache_stats(const BerthPathCache* cache);

#ifdef __cplusplus
}
#endif
#endif
