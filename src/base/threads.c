// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A list of work under one mutex. Meant for items that take milliseconds; a step handles smaller ones itself.
// Entries: bi_processor_count, bi_work_run, bi_work_add.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // sched_getaffinity
#endif

#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

enum { THREADS_MAX = 64, LIST_MAX = 256 };

struct WorkList {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    WorkStep step;
    void* user;
    size_t size;
    // guarded by the mutex
    int32_t count;
    int32_t busy;  // threads within a step
    _Alignas(max_align_t) unsigned char items[LIST_MAX][BI_WORK_ITEM_MAX];
};

int32_t bi_processor_count(void) {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
    }
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < THREADS_MAX ? (int32_t)online : 1;
}

bool bi_work_add(WorkList* list, const void* item) {
    if (list == NULL) {
        return false;
    }

    (void)pthread_mutex_lock(&list->mutex);
    const bool has_room = list->count < LIST_MAX;
    if (has_room) {
        memcpy(list->items[list->count++], item, list->size);
        (void)pthread_cond_signal(&list->changed);
    }
    (void)pthread_mutex_unlock(&list->mutex);
    return has_room;
}

// Until nothing waits and no thread is busy that could add more.
static void work(WorkList* list) {
    _Alignas(max_align_t) unsigned char item[BI_WORK_ITEM_MAX];

    (void)pthread_mutex_lock(&list->mutex);
    while (list->count > 0 || list->busy > 0) {
        if (list->count == 0) {
            (void)pthread_cond_wait(&list->changed, &list->mutex);
            continue;
        }

        memcpy(item, list->items[--list->count], list->size);
        list->busy += 1;
        (void)pthread_mutex_unlock(&list->mutex);
        list->step(list->user, list, item);
        (void)pthread_mutex_lock(&list->mutex);
        list->busy -= 1;
    }

    (void)pthread_cond_broadcast(&list->changed);
    (void)pthread_mutex_unlock(&list->mutex);
}

static void* thread_main(void* list) {
    work(list);
    return NULL;
}

// Signals are for the threads of the program: one that ends up here would interrupt nothing.
static int32_t start_threads(WorkList* list, pthread_t* threads, int32_t wanted) {
    sigset_t all;
    sigset_t before;
    int32_t started = 0;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < wanted && pthread_create(&threads[started], NULL, thread_main, list) == 0) {
        started += 1;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void bi_work_run(int32_t threads, WorkStep step, void* user, const void* first, size_t size) {
    BI_ASSERT(size <= BI_WORK_ITEM_MAX);
    if (threads <= 1) {
        step(user, NULL, first);
        return;
    }

    WorkList list = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                     .changed = PTHREAD_COND_INITIALIZER,
                     .step = step,
                     .user = user,
                     .size = size,
                     .count = 1};
    memcpy(list.items[0], first, size);

    pthread_t started[THREADS_MAX];
    const int32_t others = threads < THREADS_MAX ? threads - 1 : THREADS_MAX - 1;
    const int32_t count = start_threads(&list, started, others);
    work(&list);
    for (int32_t i = 0; i < count; ++i) {
        (void)pthread_join(started[i], NULL);
    }
    (void)pthread_cond_destroy(&list.changed);
    (void)pthread_mutex_destroy(&list.mutex);
}
