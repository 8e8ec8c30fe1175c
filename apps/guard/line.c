// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Text of a fixed size.

#include "line.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (!isfinite(value)) {
        line_puts(line, "null");
        return;
    }

    char text[40];
    for (int digits = 15; digits <= 17; ++digits) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value + 0.0);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    line_puts(line, text);
}

void line_length(Line* line, double metres) {
    if (!isfinite(metres)) {
        line_puts(line, "an unknown distance");
    } else if (fabs(metres) >= 1.0) {
        line_printf(line, "%.3f m", metres);
    } else {
        line_printf(line, "%.1f mm", 1000.0 * metres);
    }
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
    line_key(line, key);
    line_puts(line, "[");
    line_number(line, point.x);
    line_puts(line, ", ");
    line_number(line, point.y);
    line_puts(line, ", ");
    line_number(line, point.z);
    line_puts(line, "]");
}
