// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The work on units: each thread reads the rows of its unit, checks them and passes the answer on. The output depends
// only on the rows, not on the threads or on when a run was stopped.
// Entries: batch_run_units, batch_accept, batch_compare_done, batch_note_end, batch_run, batch_end_progress.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/batch/batch.h"

/// A run of the pool.
typedef struct UnitRun {
    BatchJob* job;
    const UnitList* list;
    int (*accept)(BatchJob* job, UnitAnswer* answer);
    int next_worker;
    // taking rows, one thread at a time; of a CSV in the order of chunks
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int32_t next_chunk;
} UnitRun;

/// What a thread needs.
typedef struct Tools {
    int worker;
    BerthRowPiece* piece;
    double* values;
    UnitAnswer* there;  // used when units are compared
} Tools;

static int64_t unit_of(const UnitList* list, int32_t chunk) {
    return chunk < list->count ? list->units[chunk] : list->next + (chunk - list->count);
}

// ---- threads ---------------------------------------------------------------------------------------------------

static void close_worker(void* user, void* given) {
    (void)user;
    Tools* tools = given;
    if (tools != NULL) {
        berth_row_piece_destroy(tools->piece);
        free(tools->values);
        free(tools->there);
        free(tools);
    }
}

static BerthStatus open_worker(void* user, void** out) {
    UnitRun* run = user;
    const BatchJob* job = run->job;
    const size_t numbers = (size_t)job->unit_rows * (size_t)berth_rows_row_size(job->rows);
    Tools* tools = calloc(1, sizeof *tools);
    if (tools == NULL) {
        return BERTH_ERR_MEMORY;
    }

    tools->worker = run->next_worker++;
    tools->values = malloc(numbers * sizeof *tools->values + 1);
    tools->there = calloc(1, sizeof *tools->there);
    BerthStatus status = tools->values != NULL && tools->there != NULL ? BERTH_OK : BERTH_ERR_MEMORY;
    if (status == BERTH_OK) {
        status = berth_row_piece_create(job->rows, job->unit_rows, &tools->piece);
    }
    if (status != BERTH_OK) {
        close_worker(user, tools);
        return status;
    }
    *out = tools;
    return BERTH_OK;
}

// ---- one unit --------------------------------------------------------------------------------------------------

static void fail_answer(UnitAnswer* answer, BerthStatus status, const char* place) {
    const char* text = berth_error_text();
    const bool machine = status == BERTH_ERR_MEMORY || status == BERTH_ERR_SYSTEM;
    answer->exit_status = machine ? EXIT_MACHINE : EXIT_WRONG;
    (void)snprintf(answer->text, sizeof answer->text, "%s%s%s", place, place[0] != '\0' ? ": " : "",
                   text[0] != '\0' ? text : berth_status_meaning(status));
}

// The rows of a unit. The lines of a CSV are located one unit after the other; all threads parse them in parallel.
static BerthStatus take_rows(UnitRun* run, Tools* tools, int32_t chunk, int64_t unit, int32_t* count) {
    const BatchJob* job = run->job;
    const bool in_order = berth_rows_count(job->rows) < 0;
    pthread_mutex_lock(&run->mutex);
    while (in_order && run->next_chunk != chunk) {
        pthread_cond_wait(&run->changed, &run->mutex);
    }

    const BerthStatus status = berth_rows_take(job->rows, unit * job->unit_rows, tools->piece, count);
    run->next_chunk = chunk + 1;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
    return status == BERTH_OK ? berth_row_piece_read(tools->piece, tools->values) : status;
}

static uint64_t hash_rows(const BatchJob* job, const Tools* tools, int32_t count) {
    const size_t numbers = (size_t)count * (size_t)berth_rows_row_size(job->rows);
    return batch_hash((uint64_t)count, tools->values, numbers * sizeof *tools->values);
}

// --limits: names the first row outside limits.
static void refuse_outside(const BatchJob* job, const Tools* tools, UnitAnswer* answer) {
    const BerthScene* scene = job->question->scene;
    const int32_t each = job->question->value_count;
    const double* row =
        tools->values + (ptrdiff_t)answer->record.first_outside * berth_rows_row_size(job->rows);

    int32_t outside = 0, value = -1;
    (void)berth_scene_check_values(scene, row, &outside, &value);
    if (outside == 0) {
        row += each;  // the end of a segment
        (void)berth_scene_check_values(scene, row, &outside, &value);
    }

    char place[1200], what[600];
    berth_row_piece_line(tools->piece, answer->record.first_outside, place, sizeof place);
    cli_describe_outside_limits(scene, row, value, what, sizeof what);
    answer->exit_status = EXIT_WRONG;
    (void)snprintf(answer->text, sizeof answer->text, "%s: %s", place, what);
}

// Existing units must belong to these rows; otherwise this is another file.
static void compare_unit(BatchJob* job, Tools* tools, int64_t unit, int32_t count, UnitAnswer* answer) {
    UnitAnswer* there = tools->there;
    pthread_mutex_lock(&job->mutex);  // the part has one buffer
    const bool read = part_read_unit(&job->part, unit, there);
    pthread_mutex_unlock(&job->mutex);

    answer->record = there->record;
    if (!read || there->record.row_count != count || there->record.input != hash_rows(job, tools, count)) {
        answer->exit_status = EXIT_WRONG;
        (void)snprintf(answer->text, sizeof answer->text,
                       "%s: cannot be resumed: it was made from other input (%s %lld to %lld of %s have "
                       "changed)",
                       job->part.path, job->items, (long long)unit * job->unit_rows,
                       (long long)(unit + 1) * job->unit_rows - 1, job->file);
    } else if (job->question->options->limits && there->record.outside_rows > 0) {
        refuse_outside(job, tools, answer);  // the run that made it was asked without --limits
    }
}

static void note_result(UnitAnswer* answer, const BerthBatchResult* result) {
    UnitRecord* record = &answer->record;
    record->outside_count = result->outside_count;
    record->outside_rows = (int32_t)result->outside_rows;
    record->first_outside = (int32_t)result->first_outside;
    record->proven_count = result->proven_count;
    record->counts[BERTH_UNKNOWN] = (int32_t)result->unknown_count;
    record->counts[BERTH_FREE] = (int32_t)result->free_count;
    record->counts[BERTH_COLLISION] = (int32_t)result->collision_count;
}

static BerthStatus ask_unit(BatchJob* job, Tools* tools, UnitAnswer* answer) {
    BerthBatchResult result;
    const BerthStatus status =
        berth_batch_ask_worker(job->batch, tools->worker, tools->values, answer->record.row_count,
                               answer->verdicts, answer->clearances, &result);
    if (status != BERTH_OK) {
        return status;
    }

    note_result(answer, &result);
    if (job->question->options->limits && result.outside_rows > 0) {
        refuse_outside(job, tools, answer);
    }
    return BERTH_OK;
}

// Memory for a unit's answer, which stays in its slot.
static bool make_room(const BatchJob* job, UnitAnswer* answer) {
    const size_t rows = (size_t)job->unit_rows;
    if (answer->verdicts == NULL) {
        answer->verdicts = malloc(rows);
    }
    if (answer->clearances == NULL && job->question->options->clearance != NULL) {
        answer->clearances = malloc(rows * sizeof *answer->clearances);
    }
    return answer->verdicts != NULL &&
           (answer->clearances != NULL || job->question->options->clearance == NULL);
}

static BerthStatus work_unit(void* user, void* given, int32_t chunk, void* slot, ChunkEnd* end) {
    UnitRun* run = user;
    Tools* tools = given;
    UnitAnswer* answer = slot;
    const int64_t unit = unit_of(run->list, chunk);
    const bool room = make_room(run->job, answer);

    // Take the rows in any case: other threads wait for their turn.
    int32_t count = 0;
    BerthStatus status = take_rows(run, tools, chunk, unit, &count);
    answer->exit_status = EXIT_FREE;
    answer->record = (UnitRecord){.unit = unit, .row_count = count, .first_outside = -1};
    if (!room) {
        return BERTH_ERR_MEMORY;
    }

    if (status == BERTH_OK && count < run->job->unit_rows) {
        batch_note_end(run->job, unit + (count > 0));
    }
    if (status != BERTH_OK) {
        fail_answer(answer, status, "");
    } else if (run->job->verifying) {
        compare_unit(run->job, tools, unit, count, answer);
    } else if (count > 0) {
        answer->record.input = hash_rows(run->job, tools, count);
        status = ask_unit(run->job, tools, answer);
        if (status != BERTH_OK && status != BERTH_ERR_CANCELLED) {
            fail_answer(answer, status, run->job->file);
        }
    }

    if (status == BERTH_ERR_CANCELLED || cli_interrupted()) {
        *end = CHUNK_CUT;
    } else if (answer->exit_status != EXIT_FREE || count < run->job->unit_rows) {
        *end = CHUNK_LAST;
    }
    answer->record.row_count = *end == CHUNK_CUT ? 0 : answer->record.row_count;
    return BERTH_OK;
}

// Failures are reported in order, so that the first one in the file is reported.
static int take_unit(void* user, void* slot) {
    UnitRun* run = user;
    UnitAnswer* answer = slot;
    if (answer->exit_status != EXIT_FREE) {
        batch_end_progress(run->job);
        warnings_show();
        fprintf(stderr, "%s\n", answer->text);
        return answer->exit_status;
    }
    return answer->record.row_count > 0 ? run->accept(run->job, answer) : EXIT_FREE;
}

static void clear_answer(void* user, void* slot) {
    (void)user;
    UnitAnswer* answer = slot;
    free(answer->verdicts);
    free(answer->clearances);
}

int batch_run_units(BatchJob* job, const UnitList* list, int (*accept)(BatchJob*, UnitAnswer*)) {
    UnitRun run = {.job = job,
                   .list = list,
                   .accept = accept,
                   .mutex = PTHREAD_MUTEX_INITIALIZER,
                   .changed = PTHREAD_COND_INITIALIZER};
    const int64_t count = list->after >= 0 ? list->count + list->after : INT32_MAX;
    if (count == 0) {
        return EXIT_FREE;
    }

    WorkerPool pool = {.command = "batch",
                       .user = &run,
                       .chunk_count = count < INT32_MAX ? (int32_t)count : INT32_MAX,
                       .threads = berth_batch_worker_count(job->batch),
                       .slot_size = sizeof(UnitAnswer),
                       .open_worker = open_worker,
                       .close_worker = close_worker,
                       .work = work_unit,
                       .take = take_unit,
                       .clear = clear_answer};
    const int status = worker_pool_run(&pool);
    job->seconds += job->verifying ? 0.0 : pool.seconds;
    return status != EXIT_FREE || pool.finished ? status : EXIT_INTERRUPTED;
}

// ---- what came out ---------------------------------------------------------------------------------------------

// "12.3 M"
static void write_large(char text[16], double number) {
    static const char* const units[] = {"", " k", " M", " G"};
    int unit = 0;
    for (; number >= 1e4 && unit < 3; ++unit) {
        number /= 1e3;
    }
    (void)snprintf(text, 16, unit > 0 ? "%.4g%s" : "%.0f%s", number, units[unit]);
}

static void show_progress(BatchJob* job) {
    enum { WIDTH = 40 };
    const double now = cli_seconds();
    if (job->question->options->quiet || now - job->start < 0.5 || now - job->shown < 0.1 ||
        !isatty(STDERR_FILENO)) {
        return;
    }

    cli_end_loading();
    job->shown = now;
    const double done = (double)job->counts.done;
    const double share = job->row_count > 0 ? done / (double)job->row_count : berth_rows_share(job->rows);
    char bar[WIDTH + 1], shown[16], rate[16];
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)(WIDTH * (share < 1.0 ? share : 1.0)));
    bar[WIDTH] = '\0';
    write_large(shown, done);
    write_large(rate, (done - (double)job->resumed) / (now - job->start));
    fprintf(stderr, "\r\033[K[%s] %.1f %%, %s %s, %s a second", bar, 100.0 * share, shown, job->items, rate);
}

void batch_end_progress(BatchJob* job) {
    if (job->shown > 0.0) {
        fprintf(stderr, "\r\033[K");
        job->shown = 0.0;
    }
}

static void count_unit(BatchJob* job, const UnitRecord* record) {
    const AnswerCounts counts = {.done = record->row_count,
                                 .free_count = record->counts[BERTH_FREE],
                                 .collision_count = record->counts[BERTH_COLLISION],
                                 .unknown_count = record->counts[BERTH_UNKNOWN],
                                 .outside_count = record->outside_count,
                                 .proven_count = record->proven_count};
    answer_counts_add(&job->counts, &counts);
    job->unit_count += 1;

    const int64_t first = record->unit * job->unit_rows + record->first_outside;
    if (record->outside_rows > 0 && (job->outside_rows == 0 || first < job->first_outside)) {
        job->first_outside = first;
    }
    job->outside_rows += record->outside_rows;
}

int batch_accept(BatchJob* job, UnitAnswer* answer) {
    pthread_mutex_lock(&job->mutex);
    int status = EXIT_FREE;
    if (!job->verifying && job->part.descriptor >= 0) {
        status = part_write_unit(&job->part, answer);
    }
    if (status == EXIT_FREE) {
        count_unit(job, &answer->record);
        show_progress(job);
    }
    pthread_mutex_unlock(&job->mutex);
    return status;
}

// ---- all of it -------------------------------------------------------------------------------------------------

// The units that are done, or those that are not.
static int64_t list_units(const BatchPart* part, bool done, int64_t* units) {
    int64_t count = 0;
    for (int64_t i = 0; i < part->known_units; ++i) {
        if ((part->done[i] != 0) == done) {
            units[count++] = i;
        }
    }
    return count;
}

int batch_compare_done(BatchJob* job, int64_t** holes, int64_t* hole_count) {
    int64_t* units = malloc(((size_t)job->part.known_units + 1) * sizeof *units);
    *holes = units;
    *hole_count = 0;
    if (units == NULL) {
        return cli_out_of_memory();
    }

    const UnitList list = {.units = units, .count = list_units(&job->part, true, units)};
    job->start = cli_seconds();
    job->verifying = true;
    const int status = batch_run_units(job, &list, batch_accept);
    job->verifying = false;

    job->resumed = job->counts.done;
    job->start = cli_seconds();
    *hole_count = list_units(&job->part, false, units);
    return status;
}

void batch_note_end(BatchJob* job, int64_t unit_end) {
    pthread_mutex_lock(&job->mutex);
    if (unit_end >= 0 && (job->unit_end < 0 || unit_end < job->unit_end)) {
        job->unit_end = unit_end;
    }
    pthread_mutex_unlock(&job->mutex);
}

int batch_run(BatchJob* job) {
    int64_t *holes = NULL, hole_count = 0;
    int status = batch_compare_done(job, &holes, &hole_count);
    if (status == EXIT_FREE) {
        const int64_t all = job->row_count >= 0 ? job->unit_end : -1, known = job->part.known_units;
        const UnitList list = {
            .units = holes, .count = hole_count, .next = known, .after = all < 0 ? -1 : all - known};
        status = batch_run_units(job, &list, batch_accept);
    }
    batch_end_progress(job);
    free(holes);
    return status;
}
