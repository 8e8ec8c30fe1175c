// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A look at the header of a PLY file before assimp reads it: with a header that is a little wrong assimp 5.2 does not
// come back, and it makes room for as many items as the header says.

#include <string.h>

#include "io/mesh_soup.h"
#include "io/number.h"
#include "io/scan.h"

enum { WORDS_MAX = 8 };

static const char* const g_types[] = {"char",  "uchar",  "short",   "ushort", "int",   "uint",
                                      "float", "double", "int8",    "uint8",  "int16", "uint16",
                                      "int32", "uint32", "float32", "float64"};
static const char* const g_formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};

static bool is_exactly(Word word, const char* text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static bool is_one_of(Word word, const char* const* texts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (is_exactly(word, texts[i])) {
            return true;
        }
    }
    return false;
}

static bool is_type(Word word) {
    return is_one_of(word, g_types, sizeof g_types / sizeof g_types[0]);
}

static bool is_name(Word word) {
    for (size_t i = 0; i < word.length; i++) {
        if (word.text[i] <= ' ' || word.text[i] > '~') {
            return false;
        }
    }
    return true;
}

static bool is_property(const Word* words, int count) {
    if (count == 3) {
        return is_type(words[1]) && is_name(words[2]);
    }
    return count == 5 && is_exactly(words[1], "list") && is_type(words[2]) && is_type(words[3]) &&
           is_name(words[4]);
}

static bool is_element(const Word* words, int count, size_t size) {
    int64_t items = 0;
    return count == 3 && is_name(words[1]) && bi_parse_int(words[2].text, words[2].length, &items) &&
           items >= 0 && (uint64_t)items <= size;  // each takes a byte at least
}

static BerthStatus check_line(const char* name, int32_t line, const Word* words, int count, size_t size) {
    const bool comment = count > 0 && (is_exactly(words[0], "comment") || is_exactly(words[0], "obj_info"));
    bool good = comment;
    if (line == 1) {
        good = count == 1 && is_exactly(words[0], "ply");
    } else if (line == 2) {
        good = count == 3 && is_exactly(words[0], "format") &&
               is_one_of(words[1], g_formats, sizeof g_formats / sizeof g_formats[0]) &&
               is_exactly(words[2], "1.0");
    } else if (count > 0 && is_exactly(words[0], "element")) {
        good = is_element(words, count, size);
    } else if (count > 0 && is_exactly(words[0], "property")) {
        good = is_property(words, count);
    }
    if (good) {
        return BERTH_OK;
    }
    const char* expected =
        line == 1   ? "'ply'"
        : line == 2 ? "'format ascii 1.0' or binary"
                    : "element NAME COUNT (that the file can hold), property, comment or end_header";
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: '%s' in the header, %s is expected", name, line,
                   bi_word_show(count > 0 ? words[0] : (Word){"", 0}).text, expected);
}

BerthStatus bi_io_scan_ply(const char* name, const char* data, size_t size) {
    Scan scan = bi_scan_start(data, size);
    do {
        Word words[WORDS_MAX];
        int count = 0;
        const int32_t line = scan.line;
        while (count < WORDS_MAX && bi_scan_word_in_line(&scan, '\0', &words[count])) {
            count++;
        }
        if (line > 2 && count == 1 && is_exactly(words[0], "end_header")) {
            return BERTH_OK;
        }
        if (line > 1 && count == 0 && scan.at == scan.end) {
            break;
        }
        const BerthStatus status = check_line(name, line, words, count, size);
        if (status != BERTH_OK) {
            return status;
        }
    } while (bi_scan_next_line(&scan));
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file ends, 'end_header' is expected", name, scan.line);
}
