// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Running the real program, and files of states for it.

#ifndef TEST_SUPPORT_PROGRAM_H
#define TEST_SUPPORT_PROGRAM_H

#include <berth/io.h>
#include <jansson.h>

#define PROGRAM_ARGUMENTS_MAX 40

typedef struct ProgramRun {
    int status;  ///< exit status; 1000 + signal when it was killed; -1 when it could not be run
    char* out;   ///< standard output, zero-terminated
    size_t out_size;
    char* err;  ///< standard error, zero-terminated
} ProgramRun;

/// Runs `berth` ($BERTH_PROGRAM, else the one of this build) with the arguments, the last of which is NULL.
ProgramRun program_run(const char* first, ...) __attribute__((sentinel));
ProgramRun program_run_list(const char* const* arguments);
/// The same with standard output going to a file, and SIGINT sent after some milliseconds (0: never).
ProgramRun program_run_into(const char* path, int interrupt_after_ms, const char* const* arguments);
/// The same with standard error on a terminal, as a person has it: `err` is all that was written there.
ProgramRun program_run_terminal(const char* const* arguments);
void program_free(ProgramRun* run);

/// The n-th line of the output as JSON, or NULL after a message.
json_t* program_json_line(const ProgramRun* run, int line);
/// Does an answer say what it assumes, what is declared and how many pairs are proven, as every answer does?
bool program_says_its_conditions(const json_t* answer);
int program_line_count(const ProgramRun* run);

/// build/models/NAME/FILE, in one of 64 static buffers.
const char* program_model(const char* model_and_file);
/// A folder for this process's files; NAME in it, in one of 64 static buffers.
const char* program_temporary(const char* name);
/// Removes that folder and what is in it.
void program_remove_temporary(void);
/// What is in a folder, "." and ".." included.
int program_count_entries(const char* folder);

/// Random states within limits (continuous joints in [-3, 3]); the same for the same seed.
void program_random_states(const BerthScene* scene, uint64_t seed, int rows, double* values);
bool program_write_csv(const char* path, const BerthScene* scene, const double* values, int rows);
/// Little-endian doubles as npy, of a shape like "10, 2, 6".
bool program_write_array(const char* path, const char* shape, const double* values, size_t count);
/// The same of states: a row a state.
bool program_write_npy(const char* path, const BerthScene* scene, const double* values, int rows);
bool program_write_text(const char* path, const char* text);

#endif
