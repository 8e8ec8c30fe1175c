// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth check`: what to ask, how an answer is written, how many are asked on many threads.

#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/cli.h"

/// States to check, and what came out. The scene is committed and constant meanwhile.
typedef struct CheckJob {
    const Options* options;
    const BerthScene* scene;
    const double* rows;
    int32_t row_count, value_count;
    bool many;  ///< from a file: one line a state, and counts at the end

    int32_t done_count;  ///< states answered, in order from 0
    int64_t free_count, collision_count, unknown_count;
    int64_t outside_count;  ///< values outside joint limits, of the answered states
    double seconds;         ///< of checking
} CheckJob;

/// Checks every state and writes the answers to standard output, in order. EXIT_FREE when that went well (look at
/// the counts then), EXIT_INTERRUPTED when it was stopped, else a status after a message.
int check_run(CheckJob* job);

/// Writes the answer to one state.
void check_write_answer(Text* text, const CheckJob* job, int32_t state, const BerthCheckResult* result,
                        int64_t outside);
/// Writes the counts.
void check_write_summary(Text* text, const CheckJob* job);

#endif
