// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// For commands that ask about a scene (check, path, contact): opening the scene, shared options, many answers on many
// threads, and what is made of their counts: a summary, an exit status.

#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include "cli/worker_pool.h"

// ---- opening ---------------------------------------------------------------------------------------------------

/// The request and what was read for it. Must not be moved in memory: `io` points into it.
typedef struct Question {
    const char* command;  ///< for messages
    const Options* options;
    Warnings warnings;
    BerthIoOptions io;
    BerthScene* scene;  ///< the first argument
    double* values;     ///< the state of --state and --at, over the scene's own
    int32_t value_count;
    BerthMoving moving;  ///< how objects that may move are treated
} Question;

/// Reads the scene and the state. EXIT_FREE, or a status after a message; call question_close in both cases.
int question_open(Question* question, const char* command, const Options* options);
/// The same, for pictures: `told` (may be null) has the functions to call for visuals and maps.
int question_open_told(Question* question, const char* command, const Options* options,
                       const BerthIoOptions* told);
void question_close(Question* question);
/// Sets the scene's state to it, so that joints not named in a file keep these values. EXIT_FREE, or a status after a
/// message.
int question_set_scene_state(Question* question);

/// --margin and --engine; `lab` must live as long as the def. False after a message.
bool question_read_checker_def(const char* command, const Options* options, BerthCheckerDef* def,
                               BerthCheckerLab* lab);
/// The same, and --delta.
bool question_read_motion_def(const char* command, const Options* options, BerthMotionCheckerDef* def,
                              BerthMotionLab* lab);
/// The scene laid out for SIMD lanes, if that pays for so many states and segments and no engine was chosen; else null.
int question_make_lanes(const Question* question, double margin, double self_margin, int64_t states,
                        int64_t segments, BerthLanes** out);

// ---- joint limits ----------------------------------------------------------------------------------------------

/// Rows with values outside joint limits.
typedef struct OutsideRows {
    int64_t count;
    int32_t first_row;  ///< the first of them, or the row that is not a valid state
    char what[400];     ///< about the first: "JOINT = VALUE is outside its limits LOW .. HIGH"
} OutsideRows;

/// Checks `row_count` states that follow one another in memory. Not BERTH_OK if one is not a valid state: out->first_row.
BerthStatus question_find_outside(const Question* question, const double* rows, int32_t row_count,
                                  OutsideRows* out);
/// With --limits prints `refusal` and returns EXIT_WRONG; warns otherwise.
int question_report_outside(Question* question, const char* refusal, const char* warning);

// ---- answers ---------------------------------------------------------------------------------------------------

/// The counts of some answers.
typedef struct AnswerCounts {
    int64_t done;
    int64_t free_count, collision_count, unknown_count;
    int64_t outside_count;  ///< values outside joint limits
    int64_t proven_count;   ///< pairs proven apart by a table: the largest number in one answer
} AnswerCounts;

void answer_counts_add(AnswerCounts* sum, const AnswerCounts* more);
/// One answer.
AnswerCounts answer_counts_of(BerthVerdict verdict, int64_t outside, int64_t proven);

/// Many questions of one kind on many threads. What is printed and counted is the same for every number of threads.
typedef struct AnswerRun {
    const Question* question;
    void* user;
    const char* items;  ///< the word for the items in progress lines: "states"
    int32_t item_count;
    int32_t chunk_size;        ///< items that a thread takes at once
    const void* empty_counts;  ///< initial counts of a chunk
    size_t counts_size;
    /// Creates what one thread needs. Main thread.
    BerthStatus (*open_worker)(void* user, void** tools);
    void (*close_worker)(void* user, void* tools);
    /// Answers one item: writes its line, adds to the chunk's counts. Any thread, several at once. `*end` is CHUNK_WHOLE;
    /// CHUNK_LAST: no later item is needed; CHUNK_CUT: it was interrupted, and this item has no answer.
    BerthStatus (*answer)(void* user, void* tools, int32_t item, Text* text, void* counts, ChunkEnd* end);
    /// Adds a chunk's counts to all. Main thread, in order. Returns how many items are done.
    int64_t (*add_counts)(void* user, const void* counts);

    double seconds;  ///< out: of all the work
} AnswerRun;

/// EXIT_FREE, EXIT_INTERRUPTED if it was stopped, else a status after a message.
int answer_run(AnswerRun* run);

/// Many states or segments in memory, for which only the counts of verdicts are needed.
typedef struct RowCounts {
    const Question* question;
    BerthBatchDef def;   ///< kind, margins and delta; the rest is set by row_counts_run
    const char* items;   ///< the word for the items in progress lines: "states"
    const double* rows;  ///< one after the other
    int32_t row_count;

    AnswerCounts counts;  ///< out: of the rows that were answered, in order from 0
    double seconds;       ///< out: of asking
} RowCounts;

/// Whether this many rows are answered faster together than one by one.
bool row_counts_pay(int32_t row_count);
/// EXIT_FREE, EXIT_INTERRUPTED if it was stopped, else a status after a message.
int row_counts_run(RowCounts* rows);

/// Prints how far the work got; returns EXIT_INTERRUPTED.
int question_report_interrupt(const Question* question, int64_t done, int64_t count, const char* items);
/// The exit status for the counts; for --strict, `assumed` counts what was assumed besides the scene's entries and values
/// outside limits.
int question_exit_status(const Question* question, const AnswerCounts* counts, int64_t assumed);
/// --summary --json: one line. `interpolation` is the one used between rows, or "" if there is none; `late` as in
/// cli_json_assumed.
void question_json_summary(Text* text, const Question* question, const AnswerCounts* counts,
                           const char* items, double seconds, const char* interpolation, int64_t late);
/// The same line for people.
void question_text_summary(Text* text, const AnswerCounts* counts, const char* items, double seconds);

#endif
