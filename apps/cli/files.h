// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files that a command writes: beside their places first, then put there together.

#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "cli/cli.h"

/// One of several files that belong together.
typedef struct StagedFile {
    char path[4096], beside[4160], saved[4160];
    bool staged, kept, placed;
} StagedFile;

/// Writes the text beside `path`. EXIT_FREE, or a status after a message; files_finish is due in both cases.
int files_stage(StagedFile* file, const char* path, const Text* text, bool force);
/// Puts it in its place. Refuses to replace what is there unless `force`, and then keeps it until files_finish.
int files_place(StagedFile* file, bool force);
/// Can a file be written there? Asked before long work, by writing an empty one beside it: the same status and message that
/// files_stage would give after it. EXIT_FREE for a null path.
int files_check_writable(const char* path);
/// Ends it: when not `good`, what was there before is there again. Nothing is left beside.
void files_finish(StagedFile* file, bool good);
/// Prints "PATH: what: errno's text"; returns the exit status that goes with it.
int files_report_error(const char* path, const char* what);

#endif
