// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// PLY headers, and skipping over the elements that they declare.
// Entries: bi_ply_parse_header, bi_ply_skip, bi_ply_word.

#include "io/syntax/ply.h"

#include <string.h>

#include "io/syntax/number.h"

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

    const char* expected = "element NAME COUNT (that the file can hold), property, comment or end_header";
    if (line == 1) {
        expected = "'ply'";
    } else if (line == 2) {
        expected = "'format ascii 1.0' or binary";
    }
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: '%s' in the header, %s is expected", name, line,
                   bi_word_show(count > 0 ? words[0] : (Word){"", 0}).text, expected);
}

// Bytes of a type: they are listed in order of size, twice.
static uint8_t type_size(Word type) {
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8, 1, 1, 2, 2, 4, 4, 4, 8};
    for (size_t i = 0; i < sizeof sizes; i++) {
        if (is_exactly(type, g_types[i])) {
            return sizes[i];
        }
    }
    return 0;
}

static char type_kind(Word type) {
    const char first = type.text[0];
    if (first == 'f' || first == 'd') {
        return 'F';
    }
    return first == 'u' ? 'U' : 'I';
}

// Notes what a good header line promises; false when it is more than any mesh needs.
static bool note_line(PlyHeader* plan, const Word* words, int count) {
    if (count == 3 && is_exactly(words[0], "format")) {
        plan->ascii = is_exactly(words[1], "ascii");
        plan->big_endian = is_exactly(words[1], "binary_big_endian");
    } else if (count > 0 && is_exactly(words[0], "element")) {
        if (plan->element_count == BI_PLY_ELEMENTS_MAX ||
            !bi_parse_int(words[2].text, words[2].length, &plan->items[plan->element_count])) {
            return false;
        }
        plan->names[plan->element_count] = words[1];
        plan->first[plan->element_count++] = plan->property_count;
        plan->first[plan->element_count] = plan->property_count;
    } else if (count > 0 && is_exactly(words[0], "property")) {
        if (plan->property_count == BI_PLY_PROPERTIES_MAX || plan->element_count == 0) {
            return false;
        }
        PlyProperty* property = &plan->properties[plan->property_count++];
        plan->first[plan->element_count] = plan->property_count;

        // A list has the types of its count and of its values.
        const bool list = count == 5;
        *property = (PlyProperty){.size = type_size(words[list ? 3 : 1]),
                                  .count_size = list ? type_size(words[2]) : 0,
                                  .kind = type_kind(words[list ? 3 : 1]),
                                  .name = words[count - 1]};
        property->count_signed = list && words[2].text[0] != 'u';
        return !list || (words[2].text[0] != 'f' && words[2].text[0] != 'd');
    }
    return true;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

Word bi_ply_word(PlyBody* body) {
    while (body->at < body->end && is_space(*body->at)) {
        body->at++;
    }
    const char* from = body->at;
    while (body->at < body->end && !is_space(*body->at)) {
        body->at++;
    }
    return (Word){from, (size_t)(body->at - from)};
}

static bool skip_words(PlyBody* body, int64_t count, int64_t* value) {
    for (int64_t i = 0; i < count; i++) {
        const Word word = bi_ply_word(body);
        if (word.length == 0 || (value != NULL && !bi_parse_int(word.text, word.length, value))) {
            return false;
        }
    }
    return true;
}

static bool read_count(PlyBody* body, const PlyProperty* property, int64_t* value) {
    if (body->plan->ascii) {
        return skip_words(body, 1, value);
    }
    if (body->end - body->at < property->count_size) {
        return false;
    }
    uint64_t bits = 0;
    for (int i = 0; i < property->count_size; i++) {
        const int from = body->plan->big_endian ? i : property->count_size - 1 - i;
        bits = bits << 8 | (uint8_t)body->at[from];
    }
    body->at += property->count_size;
    const uint64_t sign = (uint64_t)1 << (8 * property->count_size - 1);
    *value = property->count_signed && (bits & sign) != 0 ? -1 : (int64_t)bits;
    return true;
}

bool bi_ply_skip(PlyBody* body, const PlyProperty* property) {
    int64_t count = 1;
    if (property->count_size > 0 && !read_count(body, property, &count)) {
        return false;
    }

    const int64_t left = body->end - body->at;
    if (count < 0 || count > left) {
        return false;
    }

    if (body->plan->ascii) {
        return skip_words(body, count, NULL);
    }

    if (count * property->size > left) {
        return false;
    }
    body->at += count * property->size;
    return true;
}

BerthStatus bi_ply_parse_header(const char* name, const char* data, size_t size, PlyHeader* out,
                                const char** body) {
    Scan scan = bi_scan_start(data, size);
    *out = (PlyHeader){.ascii = false};
    do {
        Word words[WORDS_MAX];
        int count = 0;

        const int32_t line = scan.line;
        while (count < WORDS_MAX && bi_scan_word_in_line(&scan, '\0', &words[count])) {
            count++;
        }

        if (line > 2 && count == 1 && is_exactly(words[0], "end_header")) {
            const char* end = memchr(words[0].text, '\n', size - (size_t)(words[0].text - data));
            *body = end != NULL ? end + 1 : data + size;
            return BERTH_OK;
        }

        if (line > 1 && count == 0 && scan.at == scan.end) {
            break;
        }

        const BerthStatus status = check_line(name, line, words, count, size);
        if (status != BERTH_OK) {
            return status;
        }
        if (!note_line(out, words, count)) {
            return bi_fail(
                BERTH_ERR_PARSE,
                "%s:%d: more elements or properties than a mesh has, or a count that is no whole number",
                name, line);
        }
    } while (bi_scan_next_line(&scan));

    return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file ends, 'end_header' is expected", name, scan.line);
}
