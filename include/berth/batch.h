// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Batch: many states or many segments in memory, checked on many threads. A verdict depends on its row alone:
// the answer is the same for any number of threads.

#ifndef BERTH_BATCH_H
#define BERTH_BATCH_H

#include <berth/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A set of worker threads and one checker for each, over one committed scene. Used by one thread at a time.
typedef struct BerthBatch BerthBatch;

/// What a row is.
typedef enum BerthBatchKind {
    BERTH_BATCH_STATES = 0,  ///< a state: berth_scene_value_count values
    BERTH_BATCH_SEGMENTS,    ///< a straight segment: the values at its start, then those at its end
    BERTH_BATCH_KIND_COUNT   ///< how many there are
} BerthBatchKind;

/// Start from berth_default_batch_def().
typedef struct BerthBatchDef {
    BerthBatchKind kind;      ///< what a row is
    double margin;            ///< required clearance, metres, >= 0
    double self_margin;       ///< between two links of one robot, metres; < 0 (the default): same as `margin`
    double delta;             ///< for segments: as in BerthMotionCheckerDef
    int32_t node_budget;      ///< as in BerthCheckerDef
    int64_t interval_budget;  ///< for segments: as in BerthMotionCheckerDef
    int32_t threads;          ///< at most 1024; 0: one per processor
    /// How many rows will be checked in all; 0: unknown, or few. Where berth_lanes_pay finds it worthwhile,
    /// the scene is first laid out for wide registers (berth/lanes.h), which decides most rows many times
    /// faster. The verdicts are the same
    int64_t expected_rows;
    /// Polled by every thread, possibly by several at once; true ends the call with BERTH_ERR_CANCELLED. May
    /// be null
    bool (*cancelled)(void* user);
    void* cancelled_user;  ///< passed to `cancelled`
    /// Called from time to time, on the calling thread, with the number of rows of this call that have a
    /// verdict. May be null
    void (*progress)(void* user, int64_t done, int64_t count);
    void* progress_user;       ///< passed to `progress`
    BerthAllocator allocator;  ///< used at creation and destruction only; all zero: the C library's heap
    uint32_t stamp;            ///< set by the default function; ties the def to this library version
} BerthBatchDef;
/// The def to start from: states, margin 0, delta 0.1 mm, one thread per processor.
BERTH_API BerthBatchDef berth_default_batch_def(void);

/// Makes all checkers. The scene must be committed and is borrowed until the batch is destroyed. A later edit
/// or commit makes the batch stale: its calls then return BERTH_ERR_STALE.
BERTH_API BerthStatus berth_batch_create(const BerthScene* scene, const BerthBatchDef* def, BerthBatch** out);
/// Ends the threads and frees the batch; null is fine. The scene stays.
BERTH_API void berth_batch_destroy(BerthBatch* batch);
/// The number of workers: how many threads can check at the same time.
BERTH_API int32_t berth_batch_worker_count(const BerthBatch* batch);
/// Numbers in a row: the scene's value_count for a state, twice that for a segment.
BERTH_API int32_t berth_batch_row_size(const BerthBatch* batch);

/// The outcome of one call. When it failed or was cancelled, only `finished`, the counts of verdicts and
/// `failed_row` are set.
typedef struct BerthBatchResult {
    int64_t finished;    ///< this many rows from the first on have a verdict: all, unless the call failed
    int64_t free_count;  ///< of the finished rows
    int64_t collision_count;  ///< of the finished rows
    int64_t unknown_count;    ///< of the finished rows
    int64_t outside_count;    ///< values outside their joint limits
    int64_t outside_rows;     ///< rows with such values
    int64_t first_outside;    ///< the first such row, or -1
    int64_t failed_row;       ///< the first row that is not a valid state or segment, or -1
    /// Pairs that a proven table of a robot keeps apart: the most that any one answer relies on
    int32_t proven_count;
} BerthBatchResult;

/// Checks `count` rows, which lie one after the other in `rows`. `verdicts` receives one byte per row, a
/// BerthVerdict: 0 unknown, 1 free, 2 collision. `clearances` (may be null; costs as much as distance
/// queries) receives a lower bound of the smallest gap: -infinity where none is known, as in a collision,
/// +infinity where there are no pairs. A row that is not valid (NaN, ...) is BERTH_ERR_ARGUMENT, with a text
/// about the first such row. After a failure or a cancellation the rows from `finished` on are unknown.
/// Allocates nothing; the first call starts the threads.
BERTH_API BerthStatus berth_batch_ask(BerthBatch* batch, const double* rows, int64_t count, uint8_t* verdicts,
                                      double* clearances, BerthBatchResult* out);
/// The same on the calling thread alone, by worker `worker` (0 <= worker < worker_count), for callers with
/// threads of their own. Different workers may be used at the same time, each by one thread, but not during
/// berth_batch_ask.
BERTH_API BerthStatus berth_batch_ask_worker(BerthBatch* batch, int32_t worker, const double* rows,
                                             int64_t count, uint8_t* verdicts, double* clearances,
                                             BerthBatchResult* out);

#ifdef __cplusplus
}
#endif
#endif
