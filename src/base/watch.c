// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A request to stop long work, which is polled often and whose caller is asked rarely.
// Entries: berth_watch_ask, berth_watch_stop.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // CLOCK_MONOTONIC_COARSE
#endif

#include <time.h>

#include "base/base.h"

// Nanoseconds of a clock that never jumps, to a few milliseconds: reading it costs less than anything that is watched.
static int64_t coarse_now(void) {
#if defined(CLOCK_MONOTONIC_COARSE)
    const clockid_t clock = CLOCK_MONOTONIC_COARSE;
#else
    const clockid_t clock = CLOCK_MONOTONIC;
#endif
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 1;  // never 0, which is "not asked yet"
}

bool berth_watch_ask(void* user) {
    BerthWatch* watch = user;
    if (watch == NULL) {
        return false;
    }
    if (__atomic_load_n(&watch->stopped, __ATOMIC_RELAXED) != 0 || watch->cancelled == NULL) {
        return __atomic_load_n(&watch->stopped, __ATOMIC_RELAXED) != 0;
    }

    // Of threads that come at the same time one calls.
    const int64_t now = coarse_now();
    int64_t asked = __atomic_load_n(&watch->asked, __ATOMIC_RELAXED);
    const bool due = asked == 0 || (double)(now - asked) >= watch->period * 1e9;
    if (due &&
        __atomic_compare_exchange_n(&watch->asked, &asked, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
        watch->cancelled(watch->user)) {
        berth_watch_stop(watch);
    }
    return __atomic_load_n(&watch->stopped, __ATOMIC_RELAXED) != 0;
}

void berth_watch_stop(BerthWatch* watch) {
    if (watch != NULL) {
        __atomic_store_n(&watch->stopped, 1, __ATOMIC_RELAXED);
    }
}
