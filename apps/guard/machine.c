// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Clocks, real-time rights, floating-point environment, signals.

#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

bool guard_fail(GuardError* error, int status, const char* format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    error->status = status;
    return false;
}

static const double LONGEST_SLEEP = 0.05;  // longest single sleep, seconds

// ---- clocks --------------------------------------------------------------------------------------------------

static double read_clock(clockid_t clock) {
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double machine_monotonic_seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double machine_wall_seconds(void) {
    return read_clock(CLOCK_REALTIME);
}

double machine_cpu_seconds(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void machine_sleep_until(double monotonic) {
    // A signal only interrupts the sleep; the deadline stays the same. A signal that arrived just before is noticed after
    // one piece.
    for (double left = monotonic - machine_monotonic_seconds(); left > 0.0 && !machine_is_ending();
         left = monotonic - machine_monotonic_seconds()) {
        const double until = left < LONGEST_SLEEP ? monotonic : monotonic - left + LONGEST_SLEEP;
        const double second = floor(until);
        const struct timespec at = {(time_t)second, (long)((until - second) * 1e9)};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    }
}

// ---- rights --------------------------------------------------------------------------------------------------

static bool request_fifo(int priority) {
    const struct sched_param param = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0;
}

bool machine_request_real_time(Machine* machine, const GuardSettings* settings, GuardError* error) {
    struct utsname name;
    *machine = (Machine){0};
    machine->kernel = uname(&name) == 0 && strstr(name.version, "PREEMPT_RT") != NULL;

    if (settings->fast) {
        (void)snprintf(machine->words, sizeof machine->words, "not real-time: simulated time");
        return true;
    }

    if (!settings->not_real_time) {
        machine->locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
        machine->fifo = request_fifo(settings->priority);
        if (!machine->locked || !machine->fifo) {
            return guard_fail(error, GUARD_WRONG,
                              "this process may not %s: give it the rights (CAP_SYS_NICE, CAP_IPC_LOCK, or "
                              "limits rtprio and "
                              "memlock), or use --not-real-time",
                              machine->locked ? "use SCHED_FIFO" : "lock its memory");
        }

        (void)snprintf(machine->words, sizeof machine->words, "SCHED_FIFO %d, memory locked, kernel %s%s",
                       settings->priority, name.release, machine->kernel ? "" : " without PREEMPT_RT");
        return true;
    }

    machine->locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;  // it costs nothing to try
    (void)snprintf(machine->words, sizeof machine->words, "not real-time: no SCHED_FIFO, memory %s",
                   machine->locked ? "locked" : "not locked");
    return true;
}

void machine_touch_stack(void) {
    enum { STACK = 256 * 1024, PAGE = 4096 };
    volatile char stack[STACK];
    for (size_t i = 0; i < STACK; i += PAGE) {
        stack[i] = 0;
    }
    (void)stack[STACK - 1];
}

static long page_faults_now(void) {
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

long machine_heap_growth(const Machine* machine) {
    return (long)(mallinfo2().uordblks - machine->heap);
}

void machine_mark_usage(Machine* machine) {
    machine->heap = mallinfo2().uordblks;
    machine->faults = page_faults_now();
}

long machine_page_faults(const Machine* machine) {
    return page_faults_now() - machine->faults;
}

// ---- numbers -------------------------------------------------------------------------------------------------

void machine_set_float_mode(void) {
    (void)fesetenv(FE_DFL_ENV);
}

bool machine_float_mode_is_right(void) {
    volatile double small = DBL_MIN;
    volatile double half = 0.5;
    const double denormal = small * half;  // 0 if results are flushed
    volatile double kept = denormal;
    const double again = kept * 2.0;  // 0 if operands are flushed
    return fegetround() == FE_TONEAREST && fegetexcept() == 0 && again == DBL_MIN;
}

void machine_spoil_float_mode(bool flush) {
    if (!flush) {
        (void)fesetround(FE_UPWARD);
        return;
    }
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);  // flush results, take operands as zero
#endif
}

// ---- signals -------------------------------------------------------------------------------------------------

static atomic_int ending, stats_asked, reset_asked;

static void on_signal(int number) {
    if (number == SIGUSR1) {
        atomic_store(&stats_asked, 1);
    } else if (number == SIGUSR2) {
        atomic_store(&reset_asked, 1);
    } else {
        atomic_store(&ending, 1);
    }
}

static void watch(int number, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = handler;
    (void)sigaction(number, &action, NULL);
}

void machine_watch_signals(void) {
    watch(SIGUSR1, on_signal);
    watch(SIGUSR2, on_signal);
    watch(SIGPIPE, SIG_IGN);
    watch(SIGHUP, SIG_IGN);
}

void machine_watch_ending(void) {
    watch(SIGTERM, on_signal);
    watch(SIGINT, on_signal);
}

bool machine_is_ending(void) {
    return atomic_load(&ending) != 0;
}

bool machine_take_stats_request(void) {
    return atomic_exchange(&stats_asked, 0) != 0;
}

bool machine_take_reset_request(void) {
    return atomic_exchange(&reset_asked, 0) != 0;
}

// ---- standard files ----------------------------------------------------------------------------------------------

void guard_hold_standard_files(void) {
    // open() takes the lowest free number. The direction is wrong on purpose: input cannot be read, the others cannot be
    // written.
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF) {
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}
