// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Work that creates more work, on several threads: parts of a tree that are built side by side.

#ifndef BI_THREADS_H
#define BI_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Processors that this process may run on, at least 1.
int32_t bi_processor_count(void);

/// Items that wait for a thread. Fixed memory: nothing is allocated.
typedef struct WorkList WorkList;
/// Does one item; may add others. `list` is null when there is one thread only.
typedef void (*WorkStep)(void* user, WorkList* list, const void* item);
enum { BI_WORK_ITEM_MAX = 64 };  ///< bytes

/// Runs `first` and all that is added on at most `threads` threads, the calling one among them, and returns when nothing is
/// left. Which thread does what and when is not defined: results must not depend on it. Threads that cannot be had are done
/// without. They receive no signals.
void bi_work_run(int32_t threads, WorkStep step, void* user, const void* first, size_t size);

/// Hands an item over, from within a step. False when it must be done by the step itself: there is no list, or it is full.
bool bi_work_add(WorkList* list, const void* item);

#endif
