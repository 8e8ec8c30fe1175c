// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Text that grows, and numbers that read back exactly.

#include "io/syntax/text_out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512 };

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

BerthStatus bi_text_out_write(const char* path, TextOut* out, BerthStatus status,
                              const BerthIoOptions* options) {
    if (status == BERTH_OK && out->failed) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }
    if (status == BERTH_OK) {
        status = bi_io_write_file(path, &out->bytes, options);
    }
    bi_io_free_file(&out->bytes);
    return status;
}
