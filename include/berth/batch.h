// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Batch: many states or many segments, asked on many threads, in memory. A verdict depends on its row alone: the answer
// is the same for every number of threads.

#ifndef BERTH_BATCH_H
#define BERTH_BATCH_H

#include <berth/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Checkers of one committed scene, one a thread, and those threads. Asked by one thread at a time.
typedef struct BerthBatch BerthBatch;

/// What a row is.
typedef enum BerthBatchKind {
    BERTH_BATCH_STATES = 0,  ///< a state: berth_scene_value_count values
    BERTH_BATCH_SEGMENTS,    ///< a straight segment: the values at its start, then those at its end
    BERTH_BATCH_KIND_COUNT   ///< how many there are
} BerthBatchKind;

/// Start from berth_default_batch_def().
typedef struct BerthBatchDef {
    BerthBatchKind kind;      ///< what rows are
    double margin;            ///< required clearance, metres, >= 0
    double self_margin;       ///< of two links of one robot, metres; < 0 (the default): as `margin`
    double delta;             ///< of segments: as in BerthMotionCheckerDef
    int32_t node_budget;      ///< as in BerthCheckerDef
    int64_t interval_budget;  ///< of segments: as in BerthMotionCheckerDef
    int32_t threads;          ///< at most 1024; 0: one a processor
    /// How many rows will be asked about in all; 0: not known, few. Where berth_lanes_pay says that so many pay for it, the scene is
    /// laid out for wide registers first, which decides most rows many times faster. Verdicts are the same
    int64_t expected_rows;
    /// Asked now and then by every thread, several at once: true ends the call with BERTH_ERR_CANCELLED. May be null
    bool (*cancelled)(void* user);
    void* cancelled_user;  ///< passed to `cancelled`
    /// Told by the calling thread, now and then, how many rows of this call have their verdict. May be null
    void (*progress)(void* user, int64_t done, int64_t count);
    void* progress_user;       ///< passed to `progress`
    BerthAllocator allocator;  ///< used at creation and destruction only; all zero: the C library's heap
    uint32_t stamp;            ///< set by the default function; ties the def to this library version
} BerthBatchDef;
/// The def to start from: states, margin 0, delta 0.1 mm, one thread a processor.
BERTH_API BerthBatchDef berth_default_batch_def(void);

/// Makes all checkers. The scene is borrowed until the batch is destroyed, and must be committed. A later edit or commit
/// makes it stale: calls then return BERTH_ERR_STALE.
BERTH_API BerthStatus berth_batch_create(const BerthScene* scene, const BerthBatchDef* def, BerthBatch** out);
/// Ends its threads and frees it; null is fine. The scene stays.
BERTH_API void berth_batch_destroy(BerthBatch* batch);
/// How many workers there are: threads that can ask at once.
BERTH_API int32_t berth_batch_worker_count(const BerthBatch* batch);
/// Numbers of a row: value_count of a state, twice that of a segment.
BERTH_API int32_t berth_batch_row_size(const BerthBatch* batch);

/// What came out of one call. When it failed or was cancelled only `finished`, the counts of verdicts and `failed_row` are
/// told.
typedef struct BerthBatchResult {
    int64_t finished;         ///< the first so many rows have their verdict: all of them, unless it failed
    int64_t free_count;       ///< of the finished rows
    int64_t collision_count;  ///< of the finished rows
    int64_t unknown_count;    ///< of the finished rows
    int64_t outside_count;    ///< values outside joint limits
    int64_t outside_rows;     ///< rows that have any
    int64_t first_outside;    ///< the first of these, or -1
    int64_t failed_row;       ///< the first row that is no state or segment, or -1
    int32_t proven_count;     ///< pairs that a robot's table proves apart: the most that one answer relies on
} BerthBatchResult;

/// Asks about `count` rows, one after the other in `rows`. `verdicts` gets a BerthVerdict for each as a byte: 0 unknown, 1
/// free, 2 collision. `clearances` (may be null; costs what a distance costs) gets a lower bound of the smallest gap: -infinity
/// where none is known, as in a collision, +infinity where there is no pair. A row that is no state (NaN, ...) is
/// BERTH_ERR_ARGUMENT, with a text about the first such row. After a failure or a cancellation rows beyond `finished` are
/// unknown. Allocates nothing; the first call starts the threads.
BERTH_API BerthStatus berth_batch_ask(BerthBatch* batch, const double* rows, int64_t count, uint8_t* verdicts,
                                      double* clearances, BerthBatchResult* out);
/// The same on the calling thread alone, by worker `worker` (0 <= worker < worker_count): for those who have threads of
/// their own. Workers may be asked at the same time, each by one thread; not during berth_batch_ask.
BERTH_API BerthStatus berth_batch_ask_worker(BerthBatch* batch, int32_t worker, const double* rows,
                                             int64_t count, uint8_t* verdicts, double* clearances,
                                             BerthBatchResult* out);

#ifdef __cplusplus
}
#endif
#endif
