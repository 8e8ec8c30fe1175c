// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Text that grows, numbers that read back, files that are written beside and renamed.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // O_CLOEXEC
#endif

#include "io/syntax/text_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_SIZE = 512, PATH_SIZE = 4200 };

void bi_text_out_bytes(TextOut* out, const char* text, size_t length) {
    FileBytes* bytes = &out->bytes;
    if (!out->failed && length + 1 > bytes->capacity - bytes->size) {
        // Room at least doubles, so that adding is cheap on average.
        size_t larger = bytes->capacity > 0 ? 2 * bytes->capacity : 4096;
        larger = larger > bytes->size + length + 1 ? larger : bytes->size + length + 1;
        char* moved = bi_take(&bytes->allocator, larger, 1);
        out->failed = moved == NULL;
        if (moved != NULL) {
            if (bytes->size > 0) {
                memcpy(moved, bytes->data, bytes->size);
            }
            bi_give(&bytes->allocator, bytes->data, bytes->capacity, 1);
            bytes->data = moved;
            bytes->capacity = larger;
        }
    }

    if (!out->failed && length > 0) {
        memcpy(bytes->data + bytes->size, text, length);
        bytes->size += length;
        bytes->data[bytes->size] = '\0';
    }
}

void bi_text_out_add(TextOut* out, const char* format, ...) {
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    bi_text_out_bytes(out, line, length > 0 && length < LINE_SIZE ? (size_t)length : 0);
}

// Whatever stands for the point in this locale becomes one.
static const char* with_point(const char* raw, char text[TEXT_OUT_NUMBER]) {
    size_t at = 0;
    bool point = false;
    for (const char* c = raw; *c != '\0'; ++c) {
        const bool plain = (*c >= '0' && *c <= '9') || *c == '+' || *c == '-' || *c == 'e';
        if (plain || !point) {
            text[at++] = plain ? *c : '.';
        }
        point = point || !plain;
    }
    text[at] = '\0';
    return text;
}

const char* bi_number_text(double value, char text[TEXT_OUT_NUMBER]) {
    char raw[TEXT_OUT_NUMBER];
    (void)snprintf(raw, sizeof raw, "%.17g", value);
    return with_point(raw, text);
}

void bi_text_out_number(TextOut* out, double value) {
    char raw[TEXT_OUT_NUMBER], text[TEXT_OUT_NUMBER];
    for (int digits = 6; digits <= 17; ++digits) {
        (void)snprintf(raw, sizeof raw, "%.*g", digits, value + 0.0);
        if (strtod(raw, NULL) == value) {
            break;
        }
    }
    bi_text_out_add(out, "%s", with_point(raw, text));
}

void bi_text_out_quoted(TextOut* out, const char* text) {
    for (const char* c = text; *c != '\0'; ++c) {
        switch (*c) {
        case '&':
            bi_text_out_add(out, "&amp;");
            break;
        case '<':
            bi_text_out_add(out, "&lt;");
            break;
        case '"':
            bi_text_out_add(out, "&quot;");
            break;
        case '\t':
        case '\n':
        case '\r':
            bi_text_out_add(out, "&#%d;", (int)*c);
            break;
        default:
            bi_text_out_bytes(out, c, 1);
        }
    }
}

static BerthStatus fail_write(const char* path, int code) {
    char text[128] = "";
    const char* reason = strerror_r(code, text, sizeof text);
    const bool ours = code == ENOENT || code == EACCES || code == ENOTDIR || code == EISDIR ||
                      code == EPERM || code == ENAMETOOLONG || code == EROFS;
    return bi_fail(ours ? BERTH_ERR_ARGUMENT : BERTH_ERR_SYSTEM, "%s: cannot be written: %s", path, reason);
}

// 0, or what went wrong.
static int write_all(int descriptor, const FileBytes* bytes) {
    size_t done = 0;
    while (done < bytes->size) {
        const ssize_t wrote = write(descriptor, bytes->data + done, bytes->size - done);
        if (wrote < 0 && errno != EINTR) {
            return errno;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return fsync(descriptor) != 0 ? errno : 0;
}

BerthStatus bi_io_write_and_rename(const char* path, const FileBytes* bytes) {
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: cannot be written: it is not a regular file", path);
    }
    char beside[PATH_SIZE];
    const int length = snprintf(beside, sizeof beside, "%s.%ld.part", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof beside) {
        return fail_write(path, ENAMETOOLONG);
    }

    // Whatever goes wrong from here on, the file beside is removed.
    const int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return fail_write(path, errno);
    }

    int code = write_all(descriptor, bytes);
    if (close(descriptor) != 0 && code == 0) {
        code = errno;
    }
    if (code == 0 && rename(beside, path) != 0) {
        code = errno;
    }

    if (code != 0) {
        (void)unlink(beside);
        return fail_write(path, code);
    }
    return BERTH_OK;
}

BerthStatus bi_text_out_write(const char* path, TextOut* out, BerthStatus status) {
    if (status == BERTH_OK && out->failed) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }
    if (status == BERTH_OK) {
        status = bi_io_write_and_rename(path, &out->bytes);
    }
    bi_io_free_file(&out->bytes);
    return status;
}
