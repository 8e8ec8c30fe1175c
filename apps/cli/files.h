// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files that a command writes: all of them, or none, and none that it reads.

#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "cli/cli.h"

/// What this run of the program reads and writes; null when there was no memory for it. Ends with the program: what was
/// not committed then was never there.
BerthFiles* files_of_program(void);
/// Says, before any work, that `path` (may be null) will be written. EXIT_FREE, or a status after a message: it was read,
/// or is another output of this command.
int files_reserve(const char* path);
/// Can a file be written there? Asked before long work: the same status and message that files_write would give after it.
/// EXIT_FREE for a null path.
int files_check_writable(const char* path);
/// Both of --report, where it is given: it is none of the files that are read, and can be written.
int files_check_report(const Options* options);
/// Writes the text; it is in its place after files_commit. Refuses to replace what is there unless `force`. EXIT_FREE, or
/// a status after a message.
int files_write(const char* path, const Text* text, bool force);
/// A certificate that is written next lists this text as one of its files. EXIT_FREE, or a status after a message.
int files_list(const char* path, const Text* text);
/// Puts everything that was written in its place. EXIT_FREE, or a status after a message; then nothing has changed.
int files_commit(void);
/// The path from a folder to a file, both of which are there, made absolute first. False, with errno, when one is not.
bool files_relative_path(const char* folder, const char* file, Text* out);
/// Prints "PATH: what: errno's text"; returns the exit status that goes with it.
int files_report_error(const char* path, const char* what);

#endif
