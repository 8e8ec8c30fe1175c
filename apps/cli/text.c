// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Text that grows, and standard output with every error detected. guard/numbers.c formats numbers.

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "guard/numbers.h"

void text_free(Text* text) {
    free(text->data);
    *text = (Text){0};
}

static bool reserve(Text* text, size_t more) {
    if (text->failed || more > SIZE_MAX / 4 - text->size) {
        text->failed = true;
        return false;
    }

    if (text->size + more + 1 > text->capacity) {
        const size_t capacity = 2 * (text->size + more + 1) < 256 ? 256 : 2 * (text->size + more + 1);
        char* data = realloc(text->data, capacity);
        if (data == NULL) {
            text->failed = true;
            return false;
        }
        text->data = data;
        text->capacity = capacity;
    }
    return true;
}

void text_add(Text* text, const char* bytes, size_t size) {
    if (reserve(text, size)) {
        memcpy(text->data + text->size, bytes, size);
        text->size += size;
        text->data[text->size] = '\0';
    }
}

void text_puts(Text* text, const char* string) {
    text_add(text, string, strlen(string));
}

void text_printf(Text* text, const char* format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    const int size = vsnprintf(NULL, 0, format, args);
    va_end(args);

    if (size < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)size)) {
        (void)vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
}

void text_number(Text* text, double value) {
    char number[NUMBER_SIZE];
    number_write(number, value);
    text_puts(text, number);
}

void text_triple(Text* text, BerthVec3 v) {
    char triple[TRIPLE_SIZE];
    number_write_triple(triple, v);
    text_puts(text, triple);
}

void text_length(Text* text, double metres) {
    char length[NUMBER_SIZE];
    number_write_length(length, metres);
    text_puts(text, length);
}

void text_millimetres(Text* text, double metres, int width) {
    char length[NUMBER_SIZE];
    number_write_millimetres(length, metres);
    text_printf(text, "%*s", width, length);
}

// Rounding must not give -0.
static double no_minus_zero(double metres) {
    return fabs(metres) < 5e-4 ? 0.0 : metres;
}

void text_point(Text* text, BerthVec3 p) {
    text_printf(text, "(%.3f, %.3f, %.3f)", no_minus_zero(p.x), no_minus_zero(p.y), no_minus_zero(p.z));
}

// Length of the UTF-8 sequence at `s`; 0 if it is not valid (overlong forms and surrogates are not).
static size_t utf8_length(const unsigned char* s) {
    if (s[0] < 0x80) {
        return 1;
    }
    size_t length = 0;
    if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        length = 4;
    } else if (s[0] >= 0xE0 && s[0] < 0xF0) {
        length = 3;
    } else if (s[0] >= 0xC2 && s[0] < 0xE0) {
        length = 2;
    }

    for (size_t i = 1; i < length; ++i) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }

    const bool bad = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
                     (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F);
    return bad ? 0 : length;
}

void text_quoted(Text* text, const char* string) {
    text_puts(text, "\"");

    const unsigned char* s = (const unsigned char*)string;
    while (*s != '\0') {
        const size_t length = utf8_length(s);
        if (length == 0) {
            text_puts(text, "\\ufffd");
            ++s;
        } else if (*s < 0x20 || *s == 0x7F) {
            text_printf(text, "\\u%04x", *s++);
        } else if (*s == '"' || *s == '\\') {
            text_printf(text, "\\%c", *s++);
        } else {
            text_add(text, (const char*)s, length);
            s += length;
        }
    }

    text_puts(text, "\"");
}

void text_wrote(Text* text, const Options* options, const char* file) {
    if (file != NULL && !options->quiet && !options->json) {
        text_printf(text, "wrote %s\n", file);
    }
}

int cli_write_output(Text* text) {
    warnings_show();
    if (text->failed) {
        return cli_out_of_memory();
    }

    cli_end_loading();
    if (text->size > 0) {
        cli_hold_interrupts();  // never released: an answer is not cut off
    }

    size_t done = 0;
    while (done < text->size) {
        const ssize_t wrote = write(STDOUT_FILENO, text->data + done, text->size - done);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            if (errno != EPIPE) {
                fprintf(stderr, "berth: standard output: %s\n", strerror(errno));
            }
            return EXIT_MACHINE;
        }
        done += (size_t)wrote;
    }

    text->size = 0;
    return EXIT_FREE;
}
