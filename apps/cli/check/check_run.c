// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many states on many threads: chunks of them, one checker a thread.
// Entry: check_run.

#include "cli/check/check.h"
#include "cli/worker_pool.h"

enum { CHUNK = 64 };

typedef struct Slot {
    Text text;
    int32_t done;  // states answered
    int64_t free_count, collision_count, unknown_count, outside_count;
} Slot;

typedef struct Run {
    CheckJob* job;
    Progress progress;
} Run;

static BerthStatus open_worker(void* user, void** tools) {
    const Run* run = user;
    BerthCheckerDef def = berth_default_checker_def();
    def.margin = run->job->options->margin;
    if (!cli_read_engine("check", run->job->options, &def.engine)) {
        return BERTH_ERR_ARGUMENT;
    }

    BerthChecker* checker = NULL;
    const BerthStatus status = berth_checker_create(run->job->scene, &def, &checker);
    *tools = checker;
    return status;
}

static void close_worker(void* user, void* tools) {
    (void)user;
    berth_checker_destroy(tools);
}

// Answers the states of a chunk. Stops early when interrupted.
static BerthStatus check_chunk(void* user, void* tools, int32_t chunk, void* place, ChunkEnd* end) {
    const CheckJob* job = ((const Run*)user)->job;
    Slot* slot = place;
    const BerthCheckRequest request = {.distance = job->options->distance, .all = job->options->all};
    const int32_t left = job->row_count - chunk * CHUNK;
    const int32_t size = left < CHUNK ? left : CHUNK;

    for (int32_t i = 0; i < size && !cli_interrupted(); ++i) {
        const int32_t state = chunk * CHUNK + i;
        const double* values = job->rows + (size_t)state * (size_t)job->value_count;
        int32_t outside = 0;
        BerthStatus status = berth_scene_check_values(job->scene, values, &outside, NULL);
        BerthCheckResult result;
        if (status == BERTH_OK) {
            status = berth_check_state(tools, values, &request, &result);
        }
        if (status != BERTH_OK) {
            return status;
        }

        if (!job->options->summary) {
            check_write_answer(&slot->text, job, state, &result, outside);
        }

        slot->free_count += result.verdict == BERTH_FREE;
        slot->collision_count += result.verdict == BERTH_COLLISION;
        slot->unknown_count += result.verdict == BERTH_UNKNOWN;
        slot->outside_count += outside;
        slot->done += 1;
    }

    *end = slot->done < size ? CHUNK_CUT : CHUNK_WHOLE;
    return slot->text.failed ? BERTH_ERR_MEMORY : BERTH_OK;
}

// Adds a slot to the job's counts, prints it and empties it.
static int print_chunk(void* user, void* place) {
    Run* run = user;
    CheckJob* job = run->job;
    Slot* slot = place;

    job->done_count += slot->done;
    job->free_count += slot->free_count;
    job->collision_count += slot->collision_count;
    job->unknown_count += slot->unknown_count;
    job->outside_count += slot->outside_count;
    const int status = slot->text.size > 0 ? cli_write_output(&slot->text) : EXIT_FREE;

    const Text text = slot->text;
    *slot = (Slot){.text = text};
    progress_show(&run->progress, job->options, job->done_count, job->row_count, "states");
    return status;
}

static void clear_slot(void* user, void* place) {
    (void)user;
    text_free(&((Slot*)place)->text);
}

int check_run(CheckJob* job) {
    Run run = {.job = job};
    WorkerPool pool = {.command = "check",
                       .user = &run,
                       .chunk_count = job->row_count / CHUNK + (job->row_count % CHUNK != 0),
                       .threads = job->options->threads,
                       .slot_size = sizeof(Slot),
                       .open_worker = open_worker,
                       .close_worker = close_worker,
                       .work = check_chunk,
                       .take = print_chunk,
                       .clear = clear_slot};

    const int status = worker_pool_run(&pool);
    progress_end(&run.progress);
    job->seconds = pool.seconds;
    return status != EXIT_FREE || pool.finished ? status : EXIT_INTERRUPTED;
}
