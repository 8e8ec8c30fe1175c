// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Words of a text file with line numbers. Words refer to the file's bytes: nothing is copied.

#ifndef BI_SCAN_H
#define BI_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Word {
    const char* text;  // not ended by a zero byte
    size_t length;
} Word;

typedef struct Scan {
    const char* at;
    const char* end;
    int32_t line;  // of `at`, from 1
} Scan;

enum { BI_SHOWN_MAX = 48 };
/// A word as error texts show it: cut, and with '?' for what cannot be printed.
typedef struct Shown {
    char text[BI_SHOWN_MAX + 4];
} Shown;

Scan bi_scan_start(const char* data, size_t size);
/// The next word of the file, on this line or a later one; false at the end.
bool bi_scan_word(Scan* scan, Word* out);
/// The next word of this line; false at its end. A line that ends in a backslash goes on; `comment` starts a
/// comment that ends it (0: there are none).
bool bi_scan_word_in_line(Scan* scan, char comment, Word* out);
/// Goes to the start of the next line; false at the end of the file.
bool bi_scan_next_line(Scan* scan);

/// Upper or lower case.
bool bi_word_is(Word word, const char* lower_case);
Shown bi_word_show(Word word);

#endif
