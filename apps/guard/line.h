// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Text of a fixed size, for threads that must not allocate. Text that does not fit is cut off.

#ifndef GUARD_LINE_H
#define GUARD_LINE_H

#include <berth/math.h>
#include <stdbool.h>
#include <stddef.h>

enum { LINE_SIZE = 8192 };

typedef struct Line {
    char text[LINE_SIZE];
    size_t size;
    bool cut;
} Line;

void line_clear(Line* line);
void line_puts(Line* line, const char* text);
void line_printf(Line* line, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// number_write.
void line_number(Line* line, double value);
/// number_write_length.
void line_length(Line* line, double metres);
/// Appends a JSON string with its quotes; bytes that would need other escapes become '?'.
void line_quoted(Line* line, const char* text);
// JSON members, each preceded by a comma.
void line_key_number(Line* line, const char* key, double value);
void line_key_int(Line* line, const char* key, long long value);
void line_key_text(Line* line, const char* key, const char* value);
void line_key_bool(Line* line, const char* key, bool value);
void line_key_point(Line* line, const char* key, BerthVec3 point);

#endif
