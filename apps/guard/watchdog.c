// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Threads besides the loop. The watchdog counts its own wake-ups, not seconds: a process that was stopped and continued
// has not hung.
// Entries: watchdog_start, watchdog_stop, machine_start_thread.

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"

enum { CHECKS = 4, STACK_BYTES = 512 * 1024 };

static bool set_attributes(pthread_attr_t* attributes, int priority) {
    const struct sched_param param = {.sched_priority = priority};
    return pthread_attr_setstacksize(attributes, STACK_BYTES) == 0 &&
           pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED) == 0 &&
           pthread_attr_setschedpolicy(attributes, priority > 0 ? SCHED_FIFO : SCHED_OTHER) == 0 &&
           pthread_attr_setschedparam(attributes, &param) == 0;
}

bool machine_start_thread(pthread_t* thread, void* (*run)(void*), void* user, int priority) {
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }

    // Signals are for the loop's thread; new threads inherit its blocked signals.
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool made =
        set_attributes(&attributes, priority) && pthread_create(thread, &attributes, run, user) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);

    (void)pthread_attr_destroy(&attributes);
    return made;
}

static void report_hang(const Watchdog* dog) {
    const char* text =
        dog->last_words != NULL
            ? dog->last_words
            : "berth monitor: the loop has hung and its permits have expired; the watchdog ends it\n";
    const ssize_t wrote = write(STDERR_FILENO, text, strlen(text));
    (void)wrote;
}

// False if the wait was ended by watchdog_stop.
static bool wait_one_check(Watchdog* dog) {
    const double until = machine_monotonic_seconds() + dog->seconds / CHECKS;
    const struct timespec at = {(time_t)until, (long)((until - (double)(time_t)until) * 1e9)};
    (void)pthread_mutex_lock(&dog->lock);
    int status = 0;
    while (!dog->done && status == 0) {
        status = pthread_cond_timedwait(&dog->stop, &dog->lock, &at);
    }
    const bool done = dog->done;
    (void)pthread_mutex_unlock(&dog->lock);
    return !done;
}

static void* run_watchdog(void* user) {
    Watchdog* dog = user;
    long long seen = -1;
    int same = 0;
    while (wait_one_check(dog)) {
        const long long beat = atomic_load(&dog->beat);
        same = beat == seen ? same + 1 : 0;
        seen = beat;
        if (same >= CHECKS) {
            report_hang(dog);
            _exit(GUARD_HUNG);
        }
    }
    return NULL;
}

bool watchdog_start(Watchdog* dog, double seconds, int priority) {
    pthread_condattr_t attributes;
    dog->seconds = seconds;
    dog->done = false;
    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }

    const bool ready = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                       pthread_cond_init(&dog->stop, &attributes) == 0 &&
                       pthread_mutex_init(&dog->lock, NULL) == 0;

    (void)pthread_condattr_destroy(&attributes);
    dog->runs = ready && machine_start_thread(&dog->thread, run_watchdog, dog, priority);
    return dog->runs;
}

void watchdog_stop(Watchdog* dog) {
    if (dog->runs) {
        (void)pthread_mutex_lock(&dog->lock);
        dog->done = true;
        (void)pthread_cond_signal(&dog->stop);
        (void)pthread_mutex_unlock(&dog->lock);
        (void)pthread_join(dog->thread, NULL);
        dog->runs = false;
    }
}
