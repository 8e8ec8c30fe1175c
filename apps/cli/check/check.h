// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth check`: what to ask, how an answer is written, how many are asked on many threads.

#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/question.h"

/// States to check, and what came out. The scene is committed and constant meanwhile.
typedef struct CheckJob {
    Question* question;
    BerthCheckerDef def;
    BerthCheckerLab lab;  ///< what the def points to
    BerthCheckRequest request;
    const double* rows;
    int32_t row_count;
    const char* file;  ///< of many states, one line each, and counts at the end; null for one state

    AnswerCounts counts;  ///< of the states answered, in order from 0
    double seconds;       ///< of checking
} CheckJob;

/// Checks every state and writes the answers to standard output, in order. EXIT_FREE when that went well (the counts are
/// there then), EXIT_INTERRUPTED when it was stopped, else a status after a message.
int check_run(CheckJob* job);

/// Writes the answer to one state.
void check_write_answer(Text* text, const CheckJob* job, int32_t state, const BerthCheckResult* result,
                        int64_t outside);
/// Members of an answer's object: verdict, clearance where it was asked for, hits.
void check_json_members(Json* json, const CheckJob* job, const BerthCheckResult* result);
/// A member that lists gaps.
void check_json_gaps(Json* json, const char* key, const CheckJob* job, const BerthPairGap* gaps,
                     int32_t count);
/// Writes the counts.
void check_write_summary(Text* text, const CheckJob* job);

#endif
