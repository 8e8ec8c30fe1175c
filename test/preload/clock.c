// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Loaded before the guard (LD_PRELOAD) by test_guard_rows.c: a wall clock that jumps every BERTH_CLOCK_JUMP seconds, by an hour and by
// less, both ways; with BERTH_CLOCK_LITTLE by a few milliseconds, mostly backwards. The kernel's stamps of datagrams jump with it: each has
// the wall clock of the moment at which it came.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static int (*real_time)(clockid_t, struct timespec*);
static int (*real_receive)(int, struct mmsghdr*, unsigned, int, struct timespec*);
static double step;
static int little;

__attribute__((constructor)) static void begin(void) {
    const char* text = getenv("BERTH_CLOCK_JUMP");
    *(void**)&real_time = dlsym(RTLD_NEXT, "clock_gettime");
    *(void**)&real_receive = dlsym(RTLD_NEXT, "recvmmsg");
    step = text != NULL ? strtod(text, NULL) : 0.0;
    little = getenv("BERTH_CLOCK_LITTLE") != NULL;
}

static double seconds(const struct timespec* t) {
    return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}

static double now_of(clockid_t clock) {
    struct timespec t = {0};
    (void)real_time(clock, &t);
    return seconds(&t);
}

// What the wall clock is off by at a moment of CLOCK_MONOTONIC.
static double shift_at(double mono) {
    static const double shifts[] = {0.0, 3600.0, -3600.0, 0.015, -0.015, 1.0, -1.0, 0.03, -0.03, 37.0};
    const unsigned long k = step > 0.0 ? (unsigned long)(mono / step) : 0;
    if (little) {
        return 0.012 * (double)(3 - k % 4);
    }
    return step > 0.0 ? shifts[k * 2654435761ul % 1000003ul % (sizeof shifts / sizeof shifts[0])] : 0.0;
}

static void move(struct timespec* t, double by) {
    const long long ns = (long long)t->tv_sec * 1000000000ll + t->tv_nsec + (long long)llround(by * 1e9);
    t->tv_sec = (time_t)(ns / 1000000000ll);
    t->tv_nsec = (long)(ns % 1000000000ll);
}

int clock_gettime(clockid_t clock, struct timespec* out) {
    if (real_time == NULL) {
        begin();
    }
    const int result = real_time(clock, out);
    if (result == 0 && clock == CLOCK_REALTIME) {
        move(out, shift_at(now_of(CLOCK_MONOTONIC)));
    }
    return result;
}

int recvmmsg(int file, struct mmsghdr* headers, unsigned count, int flags, struct timespec* timeout) {
    const int got = real_receive(file, headers, count, flags, timeout);
    const double offset = now_of(CLOCK_REALTIME) - now_of(CLOCK_MONOTONIC);
    for (int i = 0; i < got; ++i) {
        struct msghdr* header = &headers[i].msg_hdr;
        for (struct cmsghdr* c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
                struct timespec at;
                memcpy(&at, CMSG_DATA(c), sizeof at);
                move(&at, shift_at(seconds(&at) - offset));
                memcpy(CMSG_DATA(c), &at, sizeof at);
            }
        }
    }
    return got;
}
