// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files that a command writes: all of them, or none, and none that it reads.

#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "cli/cli.h"

/// The files that this run of the program reads and writes; null if memory ran out. Lives as long as the program: what is not
/// committed by then never appears.
BerthFiles* files_of_program(void);
/// Declares, before any work, that `path` (may be null) will be written. EXIT_FREE, or a status after a message: the file was
/// read, or is another output of this command.
int files_reserve(const char* path);
/// Whether a file can be written there, to be called before long work: the same status and message that files_write would
/// give after it. EXIT_FREE for a null path.
int files_check_writable(const char* path);
/// Both of these for --report, if given: it is not an input file, and it can be written.
int files_check_report(const Options* options);
/// Writes the text; it appears under its name after files_commit. Refuses to replace an existing file unless `force`.
/// EXIT_FREE, or a status after a message.
int files_write(const char* path, const Text* text, bool force);
/// The next certificate lists this text as one of its files. EXIT_FREE, or a status after a message.
int files_list(const char* path, const Text* text);
/// Puts all written files in their places. EXIT_FREE, or a status after a message; then nothing has changed.
int files_commit(void);
/// The relative path from a folder to a file, both of which must exist. False, with errno, if one does not.
bool files_relative_path(const char* folder, const char* file, Text* out);
/// Prints "PATH: what: errno's text"; returns the exit status for it.
int files_report_error(const char* path, const char* what);

#endif
