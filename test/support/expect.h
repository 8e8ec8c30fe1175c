// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The program as tests ask it: what it must answer, what its files must hold. Everything here fails the running test.

#ifndef TEST_SUPPORT_EXPECT_H
#define TEST_SUPPORT_EXPECT_H

#include "support/program.h"

/// Ends a group of tests: removes the folder of temporary files.
int expect_clean_up(void** state);
/// A temporary file with this text; its path as program_temporary gives it.
const char* expect_written(const char* name, const char* text);
/// The whole file as text, to be freed.
char* expect_file(const char* path);
/// The file holds this text and nothing else.
void expect_text(const char* path, const char* text);
/// Reads a scene file.
BerthScene* expect_scene(const char* path);

/// How many of so many states, one after the other in `values`, are free.
int expect_free_states(const BerthScene* scene, const double* values, int rows);

/// Runs the program; it must end with this status.
ProgramRun expect_run(int wanted, const char* const* arguments);
void expect_status(int wanted, const char* const* arguments);
/// The one line that it prints, as JSON.
json_t* expect_json(int wanted, const char* const* arguments);
#define EXPECT_RUN(wanted, ...) expect_run(wanted, (const char* const[]){__VA_ARGS__, NULL})
#define EXPECT_STATUS(wanted, ...) expect_status(wanted, (const char* const[]){__VA_ARGS__, NULL})
#define EXPECT_JSON(wanted, ...) expect_json(wanted, (const char* const[]){__VA_ARGS__, "--json", NULL})

/// Null when there is no such text.
const char* text_at(const json_t* object, const char* key);
/// There must be such a number.
double number_at(const json_t* object, const char* key);
int64_t integer_at(const json_t* object, const char* key);
/// How often an answer assumed this; 0 when it is not in its list.
int64_t assumed_count(const json_t* answer, const char* what);
/// The same of "declared".
int64_t declared_count(const json_t* answer, const char* what);

/// With one thread it prints so many lines, and the same bytes with each of the other counts, the last of which is null.
void expect_same_for_threads(const char* const* arguments, const char* const* counts, int lines);
/// The same in a locale with decimal commas.
void expect_same_in_german(const char* const* arguments);
/// Ctrl-C: what was finished of `count` answers is there in whole lines, counted from 0 by `key`; exit 130. The test is
/// marked as skipped when all was done (exit 0, 1 or `done`) before the signal came.
void expect_whole_lines(const char* const* arguments, const char* key, int count, int done);

#endif
