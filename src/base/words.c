// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Edit distance of two words, for messages that suggest what was probably meant; and texts that fit on one
// line.
// Entries: berth_word_distance, bi_is_one_line, bi_make_one_line.

#include <string.h>

#include "base/base.h"

enum { WORD_MAX = 63 };

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

int32_t berth_word_distance(const char* a, const char* b, int32_t limit) {
    const size_t na = a != NULL ? strlen(a) : SIZE_MAX;
    const size_t nb = b != NULL ? strlen(b) : SIZE_MAX;
    if (na > WORD_MAX || nb > WORD_MAX) {
        return limit + 1;
    }

    // Distances of a's first i letters to every beginning of b, one row after the other.
    int32_t rows[3][WORD_MAX + 1];  // two rows back, one back, this one
    for (size_t j = 0; j <= nb; ++j) {
        rows[1][j] = 0;
        rows[2][j] = (int32_t)j;
    }

    for (size_t i = 1; i <= na; ++i) {
        memcpy(rows[0], rows[1], sizeof rows[0]);
        memcpy(rows[1], rows[2], sizeof rows[1]);
        rows[2][0] = (int32_t)i;
        for (size_t j = 1; j <= nb; ++j) {
            const int32_t changed = rows[1][j - 1] + (a[i - 1] != b[j - 1]);
            const int32_t dropped = rows[1][j] + 1;
            const int32_t added = rows[2][j - 1] + 1;
            rows[2][j] = least(changed, least(dropped, added));

            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                rows[2][j] = least(rows[2][j], rows[0][j - 2] + 1);
            }
        }
    }

    return least(rows[2][nb], limit + 1);
}

static bool is_control(char c) {
    return (unsigned char)c < 0x20 || c == 0x7f;
}

bool bi_is_one_line(const char* text) {
    while (*text != '\0' && !is_control(*text)) {
        text += 1;
    }
    return *text == '\0';
}

void bi_make_one_line(char* text) {
    for (char* c = text; *c != '\0'; ++c) {
        if (is_control(*c)) {
            *c = '?';
        }
    }
}
