// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Work in chunks on many threads, whose answers are taken in order by the main thread. An answer depends on its chunk
// alone, so what is printed is the same for every number of threads. A ring of slots bounds the memory.

#ifndef CLI_WORKER_POOL_H
#define CLI_WORKER_POOL_H

#include "cli/cli.h"

/// How a chunk ended.
typedef enum ChunkEnd {
    CHUNK_WHOLE = 0,  ///< its slot has all answers
    CHUNK_LAST,       ///< the same, and no later chunk is needed
    CHUNK_CUT         ///< stopped early (Ctrl-C): no later chunk will be taken
} ChunkEnd;

typedef struct WorkerPool {
    const char* command;  ///< for messages
    void* user;
    int32_t chunk_count;
    int threads;       ///< at most; 0: one per processor
    size_t slot_size;  ///< bytes of one chunk's answers; zeroed before the first use
    /// Creates what one thread needs. Main thread.
    BerthStatus (*open_worker)(void* user, void** tools);
    void (*close_worker)(void* user, void* tools);
    /// Answers a chunk into its slot. Any thread, several at once.
    BerthStatus (*work)(void* user, void* tools, int32_t chunk, void* slot, ChunkEnd* end);
    /// Takes the answers out of a slot and empties it for another chunk. Main thread, in order. EXIT_FREE, or a status
    /// after a message.
    int (*take)(void* user, void* slot);
    /// Frees the contents of a slot, taken or not.
    void (*clear)(void* user, void* slot);

    double seconds;  ///< out: of all the work
    bool finished;   ///< out: every needed chunk was taken
} WorkerPool;

/// EXIT_FREE (then look at `finished`), or a status after a message.
int worker_pool_run(WorkerPool* pool);

/// A progress bar on standard error, if that is a terminal and the work takes long. Start with zeros.
typedef struct Progress {
    double start, shown;
} Progress;
/// Whether it is time for another line; the caller then writes one, after "\r". The clock starts at the first call.
bool progress_take_turn(Progress* progress, const Options* options);
void progress_show(Progress* progress, const Options* options, int64_t done, int64_t count, const char* what);
void progress_end(Progress* progress);

#endif
