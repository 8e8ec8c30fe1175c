// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Time and medians for benchmarks.

#include "support/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_thread_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

double bench_median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

double bench_quantile(double* values, int count, double share) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    const int at = (int)(share * count);
    return values[at < count ? at : count - 1];
}

void bench_print_who(void) {
    const char* machine = getenv("BERTH_MACHINE");
    const char* commit = getenv("BERTH_COMMIT");
    printf("%s,%s,%s", machine != NULL ? machine : "", BERTH_COMPILER, commit != NULL ? commit : "");
}
