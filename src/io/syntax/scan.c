// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Words and lines of a text file. Lines end in \n, \r\n or a single \r.

#include "io/syntax/scan.h"

#include <string.h>

Scan bi_scan_start(const char* data, size_t size) {
    return (Scan){data, data + size, 1};
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

// Steps over one line end, if there is one.
static bool skip_line_end(Scan* scan) {
    if (scan->at == scan->end || !is_line_end(*scan->at)) {
        return false;
    }
    const char first = *scan->at++;
    if (first == '\r' && scan->at != scan->end && *scan->at == '\n') {
        scan->at++;
    }
    scan->line += scan->line < INT32_MAX ? 1 : 0;
    return true;
}

// A backslash as the last thing of a line.
static bool skip_continuation(Scan* scan) {
    if (scan->at == scan->end || *scan->at != '\\') {
        return false;
    }
    Scan ahead = *scan;
    ahead.at++;
    while (ahead.at != ahead.end && is_space(*ahead.at)) {
        ahead.at++;
    }
    if (!skip_line_end(&ahead)) {
        return false;
    }
    *scan = ahead;
    return true;
}

static Word take_word(Scan* scan) {
    Word word = {scan->at, 0};
    while (scan->at != scan->end && !is_space(*scan->at) && !is_line_end(*scan->at)) {
        scan->at++;
    }
    word.length = (size_t)(scan->at - word.text);
    return word;
}

bool bi_scan_word(Scan* scan, Word* out) {
    while (scan->at != scan->end) {
        if (is_space(*scan->at)) {
            scan->at++;
        } else if (!skip_line_end(scan)) {
            *out = take_word(scan);
            return true;
        }
    }
    return false;
}

bool bi_scan_word_in_line(Scan* scan, char comment, Word* out) {
    while (scan->at != scan->end) {
        if (is_space(*scan->at)) {
            scan->at++;
        } else if (!skip_continuation(scan)) {
            break;
        }
    }

    if (scan->at == scan->end || is_line_end(*scan->at) || (comment != '\0' && *scan->at == comment)) {
        return false;
    }

    *out = take_word(scan);
    // "1\" at the end of a line: the backslash is not part of the word.
    if (out->length > 1 && out->text[out->length - 1] == '\\') {
        Scan ahead = *scan;
        ahead.at--;
        if (skip_continuation(&ahead)) {
            *scan = ahead;
            out->length--;
        }
    }
    return true;
}

bool bi_scan_next_line(Scan* scan) {
    while (scan->at != scan->end && !is_line_end(*scan->at)) {
        scan->at++;
    }
    return skip_line_end(scan);
}

bool bi_word_is(Word word, const char* lower_case) {
    if (word.length != strlen(lower_case)) {
        return false;
    }
    for (size_t i = 0; i < word.length; i++) {
        const char c =
            word.text[i] >= 'A' && word.text[i] <= 'Z' ? (char)(word.text[i] - 'A' + 'a') : word.text[i];
        if (c != lower_case[i]) {
            return false;
        }
    }
    return true;
}

Shown bi_word_show(Word word) {
    Shown shown;
    const size_t length = word.length < BI_SHOWN_MAX ? word.length : BI_SHOWN_MAX;
    for (size_t i = 0; i < length; i++) {
        const char c = word.text[i];
        shown.text[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    memcpy(shown.text + length, word.length > length ? "..." : "", word.length > length ? 4 : 1);
    return shown;
}
