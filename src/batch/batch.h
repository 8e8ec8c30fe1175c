// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the files of this room share: a worker, the threads, one call in progress.

#ifndef BI_BATCH_H
#define BI_BATCH_H

#include <berth/batch.h>

#include <pthread.h>

#include "base/base.h"
#include "lanes/lanes.h"
#include "motion/motion.h"

enum {
    BI_BATCH_STATE_CHUNK = 1024,  ///< rows that a thread takes at once
    BI_BATCH_SEGMENT_CHUNK = 32,  ///< the same of segments, which take longer
    BI_BATCH_CANCEL_EVERY = 64,   ///< states between two looks at whether to stop
    BI_BATCH_TEXT = 512           ///< bytes of a failure's text
};

/// The checkers of one thread.
typedef struct BatchWorker {
    BerthBatch* batch;
    BerthChecker* checker;       // of states
    BerthMotionChecker* motion;  // of segments
    pthread_t thread;
    bool started;
} BatchWorker;

/// Rows of one call, or of one chunk of it.
typedef struct BatchRows {
    const double* rows;
    int64_t count;
    uint8_t* verdicts;
    double* clearances;  // or null
} BatchRows;

/// A call that all threads work on. Guarded by the batch's mutex.
typedef struct BatchCall {
    BatchRows rows;
    int64_t next;        // the first row that nobody has taken
    int64_t done;        // rows that have their verdict
    int64_t cut;         // the first row of the first chunk that was not finished
    int32_t busy;        // threads that work on it
    BerthStatus status;  // why `cut`
    char text[BI_BATCH_TEXT];
    BerthBatchResult counts;
} BatchCall;

struct BerthBatch {
    BerthBatchDef def;  // its allocator is settled
    const BerthScene* scene;
    BerthLanes* lanes;     // or null
    int32_t proven_count;  // pairs that tables prove apart, for rows within limits
    int32_t value_count, row_size, worker_count;
    BatchWorker* workers;
    bool threads_started;
    pthread_mutex_t mutex;
    pthread_cond_t work, idle;
    uint64_t call_number;  // grows when there is work
    bool ends;
    BatchCall call;
};

/// Asks about the rows, one after the other: THE place where the engine is. On failure `out->finished` rows have a verdict.
BerthStatus bi_batch_ask_rows(BatchWorker* worker, const BatchRows* rows, BerthBatchResult* out);
/// No row yet.
BerthBatchResult bi_batch_no_result(void);
/// Adds what came out of rows that begin at `first`.
void bi_batch_add_result(BerthBatchResult* sum, const BerthBatchResult* more, int64_t first);
/// Rows that one thread takes at once.
int64_t bi_batch_chunk(const BerthBatch* batch);
/// The chunk that begins at `first`.
BatchRows bi_batch_rows_at(const BerthBatch* batch, const BatchRows* rows, int64_t first, int64_t count);
bool bi_batch_cancelled(const BerthBatch* batch);

/// Starts the threads of all workers but the first, once. Where none can be started the caller works alone.
void bi_batch_start_threads(BerthBatch* batch);
void bi_batch_end_threads(BerthBatch* batch);

#endif
