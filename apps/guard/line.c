// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Text of a fixed size.

#include "line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "numbers.h"

void line_clear(Line* line) {
    line->size = 0;
    line->text[0] = '\0';
    line->cut = false;
}

void line_puts(Line* line, const char* text) {
    const size_t length = strlen(text);
    if (line->cut || length >= LINE_SIZE - line->size) {
        line->cut = true;
        return;
    }
    memcpy(line->text + line->size, text, length + 1);
    line->size += length;
}

void line_printf(Line* line, const char* format, ...) {
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line->text + line->size, LINE_SIZE - line->size, format, args);
    va_end(args);
    if (line->cut || length < 0 || (size_t)length >= LINE_SIZE - line->size) {
        line->text[line->size] = '\0';
        line->cut = true;
        return;
    }
    line->size += (size_t)length;
}

void line_number(Line* line, double value) {
    char text[NUMBER_SIZE];
    number_write(text, value);
    line_puts(line, text);
}

void line_length(Line* line, double metres) {
    char text[NUMBER_SIZE];
    number_write_length(text, metres);
    line_puts(line, text);
}

void line_quoted(Line* line, const char* text) {
    char one[3] = {0};
    line_puts(line, "\"");
    for (const char* c = text; *c != '\0'; ++c) {
        const bool plain = (unsigned char)*c >= 0x20 && *c != 0x7f;
        const bool escaped = *c == '"' || *c == '\\';
        if (escaped) {
            one[0] = '\\';
            one[1] = *c;
        } else {
            one[0] = plain ? *c : '?';
            one[1] = '\0';
        }
        line_puts(line, one);
    }
    line_puts(line, "\"");
}

static void line_key(Line* line, const char* key) {
    line_printf(line, ", \"%s\": ", key);
}

void line_key_number(Line* line, const char* key, double value) {
    line_key(line, key);
    line_number(line, value);
}

void line_key_int(Line* line, const char* key, long long value) {
    line_key(line, key);
    line_printf(line, "%lld", value);
}

void line_key_text(Line* line, const char* key, const char* value) {
    line_key(line, key);
    if (value != NULL) {
        line_quoted(line, value);
    } else {
        line_puts(line, "null");
    }
}

void line_key_bool(Line* line, const char* key, bool value) {
    line_key(line, key);
    line_puts(line, value ? "true" : "false");
}

void line_key_point(Line* line, const char* key, BerthVec3 point) {
    char text[TRIPLE_SIZE];
    number_write_triple(text, point);
    line_key(line, key);
    line_puts(line, text);
}
