// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One call on all threads. Chunks are taken in the order of rows, so everything before the first unfinished
// chunk is finished: what is kept after a failure, and which row is reported, depends on no thread.
// Entries: berth_batch_ask, berth_batch_ask_worker.

#include "batch/batch.h"

#include <stdio.h>
#include <string.h>

int64_t bi_batch_chunk(const BerthBatch* batch) {
    return batch->def.kind == BERTH_BATCH_STATES ? BI_BATCH_STATE_CHUNK : BI_BATCH_SEGMENT_CHUNK;
}

bool bi_batch_cancelled(const BerthBatch* batch) {
    return batch->def.cancelled != NULL && batch->def.cancelled(batch->def.cancelled_user);
}

BatchRows bi_batch_rows_at(const BerthBatch* batch, const BatchRows* rows, int64_t first, int64_t count) {
    return (BatchRows){.rows = rows->rows + first * batch->row_size,
                       .count = count,
                       .verdicts = rows->verdicts + first,
                       .clearances = rows->clearances != NULL ? rows->clearances + first : NULL};
}

// ---- chunks ----------------------------------------------------------------------------------------------------

// The next chunk of the call; false when there is none left, or none needed. The mutex is held.
static bool take_chunk(BerthBatch* batch, int64_t* first, int64_t* count) {
    BatchCall* call = &batch->call;
    if (call->next >= call->rows.count || call->status != BERTH_OK) {
        return false;
    }

    const int64_t left = call->rows.count - call->next;
    const int64_t chunk = bi_batch_chunk(batch);
    *first = call->next;
    *count = left < chunk ? left : chunk;
    call->next += *count;
    return true;
}

// The mutex is held.
static void note_result(BatchCall* call, int64_t first, int64_t count, BerthStatus status,
                        const BerthBatchResult* result) {
    if (status == BERTH_OK) {
        call->done += count;
        bi_batch_add_result(&call->counts, result, first);
        return;
    }

    // Of several that were not finished the first one counts.
    if (first < call->cut) {
        const char* text = berth_error_text();
        call->cut = first;
        call->status = status;
        call->counts.failed_row = status == BERTH_ERR_ARGUMENT ? first + result->finished : -1;
        (void)snprintf(call->text, sizeof call->text, "%s",
                       status == BERTH_ERR_ARGUMENT && text[0] != '\0' ? text : berth_status_meaning(status));
    }
}

// Works until no chunk is left. The mutex is held when it begins and when it returns, not in between.
static void work_chunks(BatchWorker* worker, bool tells) {
    BerthBatch* batch = worker->batch;
    BatchCall* call = &batch->call;
    int64_t first = 0, count = 0;

    call->busy += 1;
    while (take_chunk(batch, &first, &count)) {
        const BatchRows rows = bi_batch_rows_at(batch, &call->rows, first, count);
        pthread_mutex_unlock(&batch->mutex);

        BerthBatchResult result;
        const BerthStatus status = bi_batch_ask_rows(worker, &rows, &result);

        pthread_mutex_lock(&batch->mutex);
        note_result(call, first, count, status, &result);
        if (tells && batch->def.progress != NULL) {
            const int64_t done = call->done;
            pthread_mutex_unlock(&batch->mutex);
            batch->def.progress(batch->def.progress_user, done, call->rows.count);
            pthread_mutex_lock(&batch->mutex);
        }
    }

    call->busy -= 1;
    pthread_cond_broadcast(&batch->idle);
}

// ---- threads ---------------------------------------------------------------------------------------------------

static void* thread_main(void* user) {
    BatchWorker* worker = user;
    BerthBatch* batch = worker->batch;
    uint64_t seen = 0;

    pthread_mutex_lock(&batch->mutex);
    while (!batch->ends) {
        if (seen == batch->call_number) {
            pthread_cond_wait(&batch->work, &batch->mutex);
            continue;
        }
        seen = batch->call_number;
        work_chunks(worker, false);
    }
    pthread_mutex_unlock(&batch->mutex);
    return NULL;
}

void bi_batch_start_threads(BerthBatch* batch) {
    for (int32_t i = 1; !batch->threads_started && i < batch->worker_count; ++i) {
        BatchWorker* worker = &batch->workers[i];
        worker->started = pthread_create(&worker->thread, NULL, thread_main, worker) == 0;
    }
    batch->threads_started = true;
}

void bi_batch_end_threads(BerthBatch* batch) {
    pthread_mutex_lock(&batch->mutex);
    batch->ends = true;
    pthread_cond_broadcast(&batch->work);
    pthread_mutex_unlock(&batch->mutex);

    for (int32_t i = 0; batch->workers != NULL && i < batch->worker_count; ++i) {
        if (batch->workers[i].started) {
            (void)pthread_join(batch->workers[i].thread, NULL);
        }
    }
}

// ---- calls -----------------------------------------------------------------------------------------------------

static BerthStatus check_call(const BerthBatch* batch, const BatchRows* rows, const BerthBatchResult* out) {
    if (batch == NULL || out == NULL || rows->count < 0 ||
        (rows->count > 0 && (rows->verdicts == NULL || (rows->rows == NULL && batch->row_size > 0)))) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "batch: give rows, a place for their verdicts, and one for the result");
    }
    return BERTH_OK;
}

// Of a call that did not finish only what lies before the first gap counts: verdicts are counted again, the rest is not told.
static BerthBatchResult keep_finished(const BatchRows* rows, int64_t finished, int64_t failed_row) {
    BerthBatchResult kept = bi_batch_no_result();
    kept.finished = finished;
    kept.failed_row = failed_row;

    for (int64_t i = 0; i < finished; ++i) {
        kept.free_count += rows->verdicts[i] == BERTH_FREE;
        kept.collision_count += rows->verdicts[i] == BERTH_COLLISION;
        kept.unknown_count += rows->verdicts[i] == BERTH_UNKNOWN;
    }
    memset(rows->verdicts + finished, BERTH_UNKNOWN, (size_t)(rows->count - finished));
    return kept;
}

static BerthStatus end_call(const BerthBatch* batch, const BatchCall* call, BerthBatchResult* out) {
    if (call->status == BERTH_OK) {
        *out = call->counts;
        out->finished = call->rows.count;
        return BERTH_OK;
    }

    *out = keep_finished(&call->rows, call->cut, call->counts.failed_row);
    const char* kind = batch->def.kind == BERTH_BATCH_STATES ? "state" : "segment";
    if (out->failed_row < 0) {
        return bi_fail(call->status, "batch: %s", call->text);
    }
    return bi_fail(call->status, "batch: %s %lld: %s", kind, (long long)out->failed_row, call->text);
}

BerthStatus berth_batch_ask(BerthBatch* batch, const double* rows, int64_t count, uint8_t* verdicts,
                            double* clearances, BerthBatchResult* out) {
    const BatchRows all = {rows, count, verdicts, clearances};
    const BerthStatus status = check_call(batch, &all, out);
    if (status != BERTH_OK) {
        return status;
    }
    if (count > bi_batch_chunk(batch)) {
        bi_batch_start_threads(batch);
    }

    pthread_mutex_lock(&batch->mutex);
    batch->call = (BatchCall){.rows = all, .cut = count, .counts = bi_batch_no_result()};
    batch->call_number += 1;
    pthread_cond_broadcast(&batch->work);
    work_chunks(&batch->workers[0], true);
    while (batch->call.busy > 0) {
        pthread_cond_wait(&batch->idle, &batch->mutex);
    }
    pthread_mutex_unlock(&batch->mutex);

    return end_call(batch, &batch->call, out);
}

BerthStatus berth_batch_ask_worker(BerthBatch* batch, int32_t worker, const double* rows, int64_t count,
                                   uint8_t* verdicts, double* clearances, BerthBatchResult* out) {
    BatchCall call = {
        .rows = {rows, count, verdicts, clearances}, .cut = count, .counts = bi_batch_no_result()};
    const BerthStatus status = check_call(batch, &call.rows, out);
    if (status != BERTH_OK) {
        return status;
    }
    if (worker < 0 || worker >= batch->worker_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "batch: worker %d, there are %d", (int)worker,
                       (int)batch->worker_count);
    }

    const int64_t chunk = bi_batch_chunk(batch);
    for (int64_t first = 0; first < count && call.status == BERTH_OK; first += chunk) {
        const int64_t left = count - first;
        const BatchRows part = bi_batch_rows_at(batch, &call.rows, first, left < chunk ? left : chunk);
        BerthBatchResult result;
        const BerthStatus asked = bi_batch_ask_rows(&batch->workers[worker], &part, &result);
        note_result(&call, first, part.count, asked, &result);
    }
    return end_call(batch, &call, out);
}
