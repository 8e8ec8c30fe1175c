// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Time and medians for benchmarks.

#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

/// Seconds, monotonic.
double bench_now(void);
/// Seconds of processor time of this thread: what others do on the machine does not count.
double bench_thread_now(void);
/// The middle one; sorts in place.
double bench_median(double* values, int count);
/// The value that `share` of them do not exceed; sorts in place.
double bench_quantile(double* values, int count, double share);
/// The columns every result has: "machine,compiler,commit".
void bench_print_who(void);

#endif
