// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The long run about soundness: blocks of random segments, each from its number and a seed alone, so that a run can stop
// and go on anywhere.

#ifndef BENCH_SOUNDNESS_RUN_H
#define BENCH_SOUNDNESS_RUN_H

#include "support/segments.h"

/// What was counted for one kind of setting, beyond what judges count.
typedef struct RunCount {
    SegmentCount count;
    int64_t
        exhausted;  ///< segments whose smallest gap is known to 1 um: the crude speed leaves no room for a smaller
    int64_t independent;  ///< states of free segments judged by code that shares nothing with the checker
    int64_t dense,
        dense_samples;     ///< free segments judged as a whole by such code, and at how many configurations
    int64_t dense_proven;  ///< of these: a crude bound of speed proves the claim from its gaps
} RunCount;

enum { RUN_KINDS = 9 };
extern const char* const run_kinds[RUN_KINDS];

/// One block, about a hundred segments, half of them made to graze, added to counts[kind of the block]. Every `share`-th free
/// segment is judged as a whole by other code as well; none when it is 0.
void run_block(uint64_t seed, int64_t block, int64_t share, RunCount counts[RUN_KINDS]);

#endif
