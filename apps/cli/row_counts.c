// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Only the counts of verdicts of many rows in memory, by the batch room, which answers many rows at once if it can.
// Entries: row_counts_pay, row_counts_run.

#include <stdlib.h>

#include "cli/question.h"

enum { ROWS_LEAST = 1000, CHUNK_STATES = 1024, CHUNK_SEGMENTS = 64 };

/// A run of the pool.
typedef struct Run {
    RowCounts* rows;
    BerthBatch* batch;
    int32_t chunk_rows;
    int32_t opened;  // workers so far
    Progress progress;
} Run;

/// What one thread needs.
typedef struct Tools {
    int32_t worker;
    uint8_t verdicts[CHUNK_STATES];
} Tools;

bool row_counts_pay(int32_t row_count) {
    return row_count >= ROWS_LEAST;
}

static bool is_interrupted(void* user) {
    (void)user;
    return cli_interrupted();
}

static BerthStatus open_worker(void* user, void** out) {
    Run* run = user;
    Tools* tools = calloc(1, sizeof *tools);
    if (tools == NULL) {
        return BERTH_ERR_MEMORY;
    }
    tools->worker = run->opened++;
    *out = tools;
    return BERTH_OK;
}

static void close_worker(void* user, void* tools) {
    (void)user;
    free(tools);
}

static AnswerCounts counts_of(const BerthBatchResult* result) {
    return (AnswerCounts){.done = result->finished,
                          .free_count = result->free_count,
                          .collision_count = result->collision_count,
                          .unknown_count = result->unknown_count,
                          .outside_count = result->outside_count,
                          .proven_count = result->proven_count};
}

static BerthStatus ask_chunk(void* user, void* given, int32_t chunk, void* slot, ChunkEnd* end) {
    Run* run = user;
    Tools* tools = given;
    AnswerCounts* counts = slot;
    const int32_t first = chunk * run->chunk_rows;
    const int32_t left = run->rows->row_count - first;
    const int32_t count = left < run->chunk_rows ? left : run->chunk_rows;
    cli_hold_interrupts();  // never released: from here on answers are kept

    BerthBatchResult result;
    const double* rows = run->rows->rows + (ptrdiff_t)first * berth_batch_row_size(run->batch);
    const BerthStatus status =
        berth_batch_ask_worker(run->batch, tools->worker, rows, count, tools->verdicts, NULL, &result);
    if (status == BERTH_ERR_CANCELLED) {
        *counts = (AnswerCounts){0};
        *end = CHUNK_CUT;
        return BERTH_OK;
    }
    *counts = counts_of(&result);
    return status;
}

static int take_chunk(void* user, void* slot) {
    Run* run = user;
    RowCounts* rows = run->rows;
    answer_counts_add(&rows->counts, slot);
    progress_show(&run->progress, rows->question->options, rows->counts.done, rows->row_count, rows->items);
    return EXIT_FREE;
}

static void clear_slot(void* user, void* slot) {
    (void)user;
    (void)slot;
}

int row_counts_run(RowCounts* rows) {
    const bool states = rows->def.kind == BERTH_BATCH_STATES;
    Run run = {.rows = rows, .chunk_rows = states ? CHUNK_STATES : CHUNK_SEGMENTS};
    rows->def.threads = rows->question->options->threads;
    rows->def.expected_rows = rows->row_count;
    rows->def.cancelled = is_interrupted;
    int status = cli_exit_status(berth_batch_create(rows->question->scene, &rows->def, &run.batch));
    if (status != EXIT_FREE) {
        return status;
    }

    cli_end_loading();
    WorkerPool pool = {
        .command = rows->question->command,
        .user = &run,
        .chunk_count = rows->row_count / run.chunk_rows + (rows->row_count % run.chunk_rows != 0),
        .threads = berth_batch_worker_count(run.batch),
        .slot_size = sizeof(AnswerCounts),
        .open_worker = open_worker,
        .close_worker = close_worker,
        .work = ask_chunk,
        .take = take_chunk,
        .clear = clear_slot};
    status = worker_pool_run(&pool);
    progress_end(&run.progress);
    rows->seconds = pool.seconds;
    berth_batch_destroy(run.batch);
    return status != EXIT_FREE || pool.finished ? status : EXIT_INTERRUPTED;
}
