// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Writing one file of a model: beside its place, renamed when it is whole.

#ifndef MODELS_WRITER_H
#define MODELS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Writer {
    FILE* stream;
    bool failed;
    char path[4096];
    char beside[4112];
} Writer;

/// Starts FOLDER/NAME. On failure the writer is closed and every further call does nothing.
void bi_writer_open(Writer* writer, const char* folder, const char* name);
void bi_writer_print(Writer* writer, const char* format, ...) __attribute__((format(printf, 2, 3)));
void bi_writer_bytes(Writer* writer, const void* bytes, size_t size);
/// Flushes, closes and renames. False, with errno, when anything since open has failed; no file is left then.
bool bi_writer_close(Writer* writer);

#endif
