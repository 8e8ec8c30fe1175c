// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the loop needs from the machine: a clock that never jumps, real-time scheduling, locked memory, a processor that
// rounds correctly, signals as flags, and a watchdog.

#ifndef GUARD_MACHINE_H
#define GUARD_MACHINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "guard.h"

/// Seconds of CLOCK_MONOTONIC, of CLOCK_REALTIME, and of this thread's own processor time.
double machine_monotonic_seconds(void);
double machine_wall_seconds(void);
double machine_cpu_seconds(void);
/// Sleeps until that time of CLOCK_MONOTONIC, or until the program is asked to end.
void machine_sleep_until(double mono);

typedef struct Machine {
    bool fifo, locked, kernel;  ///< SCHED_FIFO, mlockall, a kernel with PREEMPT_RT
    char words[120];            ///< "real-time: ..." or "not real-time: ..."
    long faults;                ///< page faults of this thread at machine_mark_usage
    size_t heap;                ///< bytes in use then
} Machine;

/// Requests the rights; false with a text if they are required and not granted.
bool machine_request_real_time(Machine* machine, const GuardSettings* settings, GuardError* error);
/// Touches the stack that cycles will need, so that no cycle takes a page fault.
void machine_touch_stack(void);
void machine_mark_usage(Machine* machine);
/// Page faults of this thread since the mark, and how many bytes of the heap were taken.
long machine_page_faults(const Machine* machine);
long machine_heap_growth(const Machine* machine);

/// The processor rounds to nearest, keeps small numbers and traps nothing: made so, and is it so?
void machine_set_float_mode(void);
bool machine_float_mode_is_right(void);
/// For the fault laboratory.
void machine_spoil_float_mode(bool flush);

/// SIGUSR1 asks for statistics, SIGUSR2 resets; SIGPIPE and SIGHUP do nothing.
void machine_watch_signals(void);
/// From here on SIGTERM and SIGINT end the loop, which then closes what is open.
void machine_watch_ending(void);
bool machine_is_ending(void);
bool machine_take_stats_request(void);
bool machine_take_reset_request(void);

/// A thread with a small stack that takes no signals; priority 0: an ordinary one, else SCHED_FIFO. False when there is none.
bool machine_start_thread(pthread_t* thread, void* (*run)(void*), void* user, int priority);

/// Ends the process with GUARD_HUNG when `beat` stands still for so many seconds.
typedef struct Watchdog {
    pthread_t thread;
    pthread_mutex_t lock;  ///< never taken by the loop
    pthread_cond_t stop;
    atomic_llong beat;
    bool done, runs;
    double seconds;
    const char* last_words;  ///< what it writes then; null: those of the monitor
} Watchdog;
bool watchdog_start(Watchdog* dog, double seconds, int priority);
void watchdog_stop(Watchdog* dog);

#endif
