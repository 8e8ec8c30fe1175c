// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many chunks on many threads. A thread takes the next chunk and writes its answers into a slot of a ring; the main
// thread takes the slots in order.
// Entries: worker_pool_run, progress_take_turn, progress_show, progress_end.

#include "cli/worker_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS_PER_THREAD = 4, THREADS_MAX = 1024 };

typedef struct SlotState {
    bool ready;
    ChunkEnd end;
} SlotState;

typedef struct Run {
    const WorkerPool* pool;
    char* slots;
    SlotState* states;
    int32_t slot_count;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    // guarded by the mutex
    int32_t chunk_count, next_work, next_take;
    bool stop;
    BerthStatus status;  // first failure
    char failure[512];
} Run;

typedef struct Worker {
    Run* run;
    void* tools;
    pthread_t thread;
    bool started;
} Worker;

static void* chunk_slot(const Run* run, int32_t chunk) {
    return run->slots + (size_t)(chunk % run->slot_count) * run->pool->slot_size;
}

// The next chunk, or -1 if there is none left. Waits for a free slot if `wait`. The mutex is held.
static int32_t next_chunk(Run* run, bool wait) {
    while (wait && !run->stop && run->next_work < run->chunk_count &&
           run->next_work - run->next_take >= run->slot_count) {
        pthread_cond_wait(&run->changed, &run->mutex);
    }
    if (run->stop || run->next_work >= run->chunk_count ||
        run->next_work - run->next_take >= run->slot_count) {
        return -1;
    }
    return run->next_work++;
}

static void work_chunk(Worker* worker, int32_t chunk) {
    Run* run = worker->run;
    const WorkerPool* pool = run->pool;
    ChunkEnd end = CHUNK_WHOLE;
    const BerthStatus status = pool->work(pool->user, worker->tools, chunk, chunk_slot(run, chunk), &end);

    pthread_mutex_lock(&run->mutex);
    if (status != BERTH_OK && run->status == BERTH_OK) {
        run->status = status;
        // These functions leave no error text.
        const char* text = berth_error_text();
        (void)snprintf(run->failure, sizeof run->failure, "%s",
                       text[0] != '\0' ? text : berth_status_meaning(status));
    }
    run->stop = run->stop || status != BERTH_OK || end == CHUNK_CUT;

    if (end == CHUNK_LAST && chunk + 1 < run->chunk_count) {
        run->chunk_count = chunk + 1;
    }

    run->states[chunk % run->slot_count] = (SlotState){true, end};
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
}

static void* worker_main(void* argument) {
    Worker* worker = argument;
    Run* run = worker->run;
    for (;;) {
        pthread_mutex_lock(&run->mutex);
        const int32_t chunk = next_chunk(run, true);
        pthread_mutex_unlock(&run->mutex);
        if (chunk < 0) {
            return NULL;
        }
        work_chunk(worker, chunk);
    }
}

// Waits until the next chunk is ready and returns how it ended; false if no more will come. The mutex is held.
static bool await_chunk(Run* run, ChunkEnd* end) {
    if (run->next_take >= run->chunk_count) {
        return false;
    }

    SlotState* state = &run->states[run->next_take % run->slot_count];
    // After a stop, chunks that were not started will never be ready.
    while (!state->ready && !(run->stop && run->next_take >= run->next_work)) {
        pthread_cond_wait(&run->changed, &run->mutex);
    }

    const bool ready = state->ready && run->status == BERTH_OK;
    *end = state->end;
    *state = (SlotState){false, CHUNK_WHOLE};
    return ready;
}

// The main thread: takes chunks in order, and processes them itself if it is the only thread.
static int take_all(Run* run, Worker* own, bool* finished) {
    const WorkerPool* pool = run->pool;
    for (;;) {
        // The only thread processes a chunk itself, then takes it below.
        pthread_mutex_lock(&run->mutex);
        const int32_t chunk = own != NULL ? next_chunk(run, false) : -1;
        pthread_mutex_unlock(&run->mutex);
        if (chunk >= 0) {
            work_chunk(own, chunk);
        }

        ChunkEnd end = CHUNK_WHOLE;
        pthread_mutex_lock(&run->mutex);
        const bool ready = await_chunk(run, &end);
        const int32_t index = run->next_take;
        *finished = !ready && index >= run->chunk_count;
        pthread_mutex_unlock(&run->mutex);
        if (!ready) {
            return EXIT_FREE;
        }

        const int status = pool->take(pool->user, chunk_slot(run, index));
        pthread_mutex_lock(&run->mutex);
        run->next_take += 1;
        pthread_cond_broadcast(&run->changed);
        pthread_mutex_unlock(&run->mutex);

        if (status != EXIT_FREE || end == CHUNK_CUT) {
            return status;
        }
    }
}

static int run_workers(Run* run, Worker* workers, int count, WorkerPool* pool) {
    const double start = cli_seconds();
    int started = 0;
    for (int i = 0; count > 1 && i < count; ++i) {
        workers[i].started = pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) == 0;
        started += workers[i].started;
    }

    const int status = take_all(run, started == 0 ? &workers[0] : NULL, &pool->finished);
    pthread_mutex_lock(&run->mutex);
    run->stop = true;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);

    for (int i = 0; i < count; ++i) {
        if (workers[i].started) {
            pthread_join(workers[i].thread, NULL);
        }
    }

    pool->seconds = cli_seconds() - start;
    if (status != EXIT_FREE || run->status == BERTH_OK) {
        return status;
    }
    if (run->status == BERTH_ERR_MEMORY) {
        return cli_out_of_memory();
    }
    fprintf(stderr, "berth %s: %s\n", pool->command, run->failure);
    return run->status == BERTH_ERR_SYSTEM ? EXIT_MACHINE : EXIT_WRONG;
}

static int thread_count(const WorkerPool* pool) {
    long count = pool->threads > 0 ? pool->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (count > THREADS_MAX) {
        count = THREADS_MAX;
    }
    if (count > pool->chunk_count) {
        count = pool->chunk_count;
    }
    return count < 1 ? 1 : (int)count;
}

int worker_pool_run(WorkerPool* pool) {
    Run run = {.pool = pool,
               .mutex = PTHREAD_MUTEX_INITIALIZER,
               .changed = PTHREAD_COND_INITIALIZER,
               .chunk_count = pool->chunk_count};

    const int count = thread_count(pool);
    run.slot_count = count * SLOTS_PER_THREAD;
    run.slots = calloc((size_t)run.slot_count, pool->slot_size);
    run.states = calloc((size_t)run.slot_count, sizeof *run.states);
    Worker* workers = calloc((size_t)count, sizeof *workers);
    int status = run.slots != NULL && run.states != NULL && workers != NULL ? EXIT_FREE : cli_out_of_memory();

    int opened = 0;
    for (; status == EXIT_FREE && opened < count; ++opened) {
        workers[opened].run = &run;
        const BerthStatus made = pool->open_worker(pool->user, &workers[opened].tools);
        if (made != BERTH_OK) {
            status = cli_report_failure(made);
            break;
        }
    }

    if (status == EXIT_FREE) {
        status = run_workers(&run, workers, count, pool);
    }

    for (int i = 0; i < opened; ++i) {
        pool->close_worker(pool->user, workers[i].tools);
    }
    for (int32_t i = 0; run.slots != NULL && i < run.slot_count; ++i) {
        pool->clear(pool->user, chunk_slot(&run, i));
    }

    free(workers);
    free(run.states);
    free(run.slots);
    return status;
}

// ---- progress ------------------------------------------------------------------------------------------------

bool progress_take_turn(Progress* progress, const Options* options) {
    const double now = cli_seconds();
    if (progress->start == 0.0) {
        progress->start = now;
    }

    if (options->quiet || now - progress->start < 0.5 || now - progress->shown < 0.1 ||
        !isatty(STDERR_FILENO)) {
        return false;
    }

    cli_end_loading();
    progress->shown = now;
    return true;
}

void progress_show(Progress* progress, const Options* options, int64_t done, int64_t count,
                   const char* what) {
    enum { WIDTH = 40 };
    if (count <= 0 || !progress_take_turn(progress, options)) {
        return;
    }

    char bar[WIDTH + 1];
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)(WIDTH * (double)done / (double)count));
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %lld of %lld %s", bar, (long long)done, (long long)count, what);
}

void progress_end(Progress* progress) {
    if (progress->shown > 0.0) {
        fprintf(stderr, "\r\033[K");
    }
}
