// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many states on many threads. States are cut into chunks; a thread takes the next chunk, writes its answers into
// a slot, and the main thread prints slots in order. One checker a thread; an answer depends on its state alone,
// so the bytes printed are the same for every number of threads. A ring of slots bounds the memory.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { CHUNK = 64, SLOTS_PER_THREAD = 4 };

typedef struct Slot {
    Text text;
    int32_t done;  // states answered
    int64_t free_count, collision_count, unknown_count, outside_count;
    bool ready;
} Slot;

typedef struct Run {
    CheckJob* job;
    Slot* slots;
    int32_t slot_count, chunk_count;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int32_t next_take, next_print;  // chunks; guarded by the mutex
    bool stop;                      // guarded by the mutex
    BerthStatus status;             // first failure, guarded by the mutex
    char failure[512];
} Run;

typedef struct Worker {
    Run* run;
    BerthChecker* checker;
    pthread_t thread;
    bool started;
} Worker;

static int32_t chunk_size(const Run* run, int32_t chunk) {
    const int32_t left = run->job->row_count - chunk * CHUNK;
    return left < CHUNK ? left : CHUNK;
}

// Answers the states of a chunk into its slot. Stops early when interrupted.
static BerthStatus answer_chunk(Run* run, BerthChecker* checker, int32_t chunk, Slot* slot) {
    const CheckJob* job = run->job;
    const BerthCheckRequest request = {.distance = job->options->distance, .all = job->options->all};
    const int32_t size = chunk_size(run, chunk);
    for (int32_t i = 0; i < size && !cli_interrupted(); ++i) {
        const int32_t state = chunk * CHUNK + i;
        const double* values = job->rows + (size_t)state * (size_t)job->value_count;
        int32_t outside = 0;
        BerthStatus status = berth_scene_check_values(job->scene, values, &outside, NULL);
        BerthCheckResult result;
        if (status == BERTH_OK) {
            status = berth_check_state(checker, values, &request, &result);
        }
        if (status != BERTH_OK) {
            return status;
        }
        if (!job->options->summary) {
            check_write_answer(&slot->text, job, state, &result, outside);
        }
        slot->free_count += result.verdict == BERTH_FREE;
        slot->collision_count += result.verdict == BERTH_HIT;
        slot->unknown_count += result.verdict == BERTH_UNKNOWN;
        slot->outside_count += outside;
        slot->done += 1;
    }
    return slot->text.failed ? BERTH_ERR_MEMORY : BERTH_OK;
}

// Takes the next chunk, or -1 when there is none left. Waits for a free slot when `wait`.
static int32_t take_chunk(Run* run, bool wait) {
    while (wait && !run->stop && run->next_take < run->chunk_count &&
           run->next_take - run->next_print >= run->slot_count) {
        pthread_cond_wait(&run->changed, &run->mutex);
    }
    if (run->stop || run->next_take >= run->chunk_count ||
        run->next_take - run->next_print >= run->slot_count) {
        return -1;
    }
    return run->next_take++;
}

static void work_chunk(Worker* worker, int32_t chunk) {
    Run* run = worker->run;
    Slot* slot = &run->slots[chunk % run->slot_count];
    const BerthStatus status = answer_chunk(run, worker->checker, chunk, slot);
    pthread_mutex_lock(&run->mutex);
    if (status != BERTH_OK && run->status == BERTH_OK) {
        run->status = status;
        (void)snprintf(run->failure, sizeof run->failure, "%s", berth_error_text());
    }
    run->stop = run->stop || status != BERTH_OK || slot->done < chunk_size(run, chunk);
    slot->ready = true;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
}

static void* worker_main(void* argument) {
    Worker* worker = argument;
    Run* run = worker->run;
    for (;;) {
        pthread_mutex_lock(&run->mutex);
        const int32_t chunk = take_chunk(run, true);
        pthread_mutex_unlock(&run->mutex);
        if (chunk < 0) {
            return NULL;
        }
        work_chunk(worker, chunk);
    }
}

static void show_progress(const CheckJob* job, double start, double* shown) {
    const double now = cli_seconds();
    if (job->options->quiet || now - start < 0.5 || now - *shown < 0.1 || !isatty(STDERR_FILENO)) {
        return;
    }
    *shown = now;
    char bar[41];
    const int filled = (int)(40.0 * job->done_count / job->row_count);
    memset(bar, '.', 40);
    memset(bar, '#', (size_t)filled);
    bar[40] = '\0';
    fprintf(stderr, "\r[%s] %d of %d states", bar, (int)job->done_count, (int)job->row_count);
}

static void end_progress(double shown) {
    if (shown > 0.0) {
        fprintf(stderr, "\r\033[K");
    }
}

// Adds a slot that is ready to the job's counts, prints it and empties it.
static int print_slot(CheckJob* job, Slot* slot) {
    job->done_count += slot->done;
    job->free_count += slot->free_count;
    job->collision_count += slot->collision_count;
    job->unknown_count += slot->unknown_count;
    job->outside_count += slot->outside_count;
    const int status = slot->text.size > 0 ? cli_write(&slot->text) : EXIT_FREE;
    const Text text = slot->text;
    *slot = (Slot){.text = text};
    return status;
}

// The main thread: prints chunks in order; works itself when it is the only one.
static int print_all(Run* run, Worker* own) {
    CheckJob* job = run->job;
    const double start = cli_seconds();
    double shown = 0.0;
    int status = EXIT_FREE;
    while (status == EXIT_FREE && run->next_print < run->chunk_count) {
        if (own != NULL) {
            pthread_mutex_lock(&run->mutex);
            const int32_t chunk = take_chunk(run, false);
            pthread_mutex_unlock(&run->mutex);
            if (chunk >= 0) {
                work_chunk(own, chunk);
            }
        }
        Slot* slot = &run->slots[run->next_print % run->slot_count];
        pthread_mutex_lock(&run->mutex);
        // After a stop, chunks that were not taken will never be ready.
        while (!slot->ready && !(run->stop && run->next_print >= run->next_take)) {
            pthread_cond_wait(&run->changed, &run->mutex);
        }
        const bool ready = slot->ready && run->status == BERTH_OK;
        pthread_mutex_unlock(&run->mutex);
        const bool partial = !ready || slot->done < chunk_size(run, run->next_print);
        if (ready) {
            status = print_slot(job, slot);
        }
        pthread_mutex_lock(&run->mutex);
        run->next_print += 1;
        pthread_cond_broadcast(&run->changed);
        pthread_mutex_unlock(&run->mutex);
        show_progress(job, start, &shown);
        if (partial) {
            break;
        }
    }
    end_progress(shown);
    return status;
}

static int run_workers(Run* run, Worker* workers, int count) {
    const double start = cli_seconds();
    int started = 0;
    for (int i = 0; count > 1 && i < count; ++i) {
        workers[i].started = pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) == 0;
        started += workers[i].started;
    }
    int status = print_all(run, started == 0 ? &workers[0] : NULL);
    pthread_mutex_lock(&run->mutex);
    run->stop = true;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
    for (int i = 0; i < count; ++i) {
        if (workers[i].started) {
            pthread_join(workers[i].thread, NULL);
        }
    }
    run->job->seconds = cli_seconds() - start;
    if (status != EXIT_FREE) {
        return status;
    }
    if (run->status == BERTH_ERR_MEMORY) {
        return cli_out_of_memory();
    }
    if (run->status != BERTH_OK) {
        fprintf(stderr, "berth check: state %d: %s\n", (int)run->job->done_count, run->failure);
        return run->status == BERTH_ERR_SYSTEM ? EXIT_MACHINE : EXIT_WRONG;
    }
    return run->job->done_count < run->job->row_count ? EXIT_INTERRUPTED : EXIT_FREE;
}

static int thread_count(const CheckJob* job, int32_t chunk_count) {
    long count = job->options->threads;
    if (count <= 0) {
        count = sysconf(_SC_NPROCESSORS_ONLN);
    }
    count = count < 1 ? 1 : count > 1024 ? 1024 : count;
    return count > chunk_count ? (int)(chunk_count > 0 ? chunk_count : 1) : (int)count;
}

int check_run(CheckJob* job) {
    Run run = {.job = job, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    run.chunk_count = job->row_count / CHUNK + (job->row_count % CHUNK != 0);
    const int count = thread_count(job, run.chunk_count);
    run.slot_count = count * SLOTS_PER_THREAD;
    run.slots = calloc((size_t)run.slot_count, sizeof *run.slots);
    Worker* workers = calloc((size_t)count, sizeof *workers);
    int status = run.slots != NULL && workers != NULL ? EXIT_FREE : cli_out_of_memory();
    BerthCheckerDef def = berth_default_checker_def();
    def.margin = job->options->margin;
    for (int i = 0; status == EXIT_FREE && i < count; ++i) {
        workers[i].run = &run;
        const BerthStatus made = berth_checker_create(job->scene, &def, &workers[i].checker);
        status = made == BERTH_OK ? EXIT_FREE : cli_failed(made);
    }
    if (status == EXIT_FREE) {
        status = run_workers(&run, workers, count);
    }
    for (int i = 0; workers != NULL && i < count; ++i) {
        berth_checker_destroy(workers[i].checker);
    }
    for (int32_t i = 0; run.slots != NULL && i < run.slot_count; ++i) {
        text_free(&run.slots[i].text);
    }
    free(workers);
    free(run.slots);
    return status;
}
