// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Writing one file of a model.

#include "models/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

void bi_writer_open(Writer* writer, const char* folder, const char* name) {
    *writer = (Writer){.failed = true};
    const int length = snprintf(writer->path, sizeof writer->path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof writer->path) {
        errno = ENAMETOOLONG;
        return;
    }
    (void)snprintf(writer->beside, sizeof writer->beside, "%s.%ld", writer->path, (long)getpid() % 1000000);
    writer->stream = fopen(writer->beside, "wb");
    writer->failed = writer->stream == NULL;
}

void bi_writer_print(Writer* writer, const char* format, ...) {
    if (writer->failed) {
        return;
    }
    va_list args;
    va_start(args, format);
    writer->failed = vfprintf(writer->stream, format, args) < 0;
    va_end(args);
}

void bi_writer_bytes(Writer* writer, const void* bytes, size_t size) {
    if (!writer->failed) {
        writer->failed = fwrite(bytes, 1, size, writer->stream) != size;
    }
}

bool bi_writer_close(Writer* writer) {
    if (writer->stream == NULL) {
        return false;
    }
    int why = errno;
    if (fclose(writer->stream) != 0) {
        why = errno;
        writer->failed = true;
    }
    writer->stream = NULL;
    if (!writer->failed && rename(writer->beside, writer->path) == 0) {
        return true;
    }
    if (!writer->failed) {
        why = errno;
    }
    (void)unlink(writer->beside);
    errno = why;
    return false;
}
