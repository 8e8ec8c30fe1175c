// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// NumPy's .npy. The header is a Python dictionary with three known keys; only what NumPy writes is understood.
// Entries: bi_npy_parse, bi_npy_parse_any, bi_npy_has_magic, bi_npy_size, bi_npy_value; bi_npy_put_header.

#include "io/syntax/npy.h"
#include "io/syntax/bytes.h"

#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6, HEADER_MAX = 65536, NUMBERS_ALIGN = 64 };

typedef struct HeaderScan {
    const char* data;
    size_t at, end;
    const char* path;
    bool any_kind;  // every kind and order is accepted
} HeaderScan;

static BerthStatus fail(const HeaderScan* s, const char* text) {
    return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: %s", s->path, s->at, text);
}

static void skip_spaces(HeaderScan* s) {
    while (s->at < s->end && (s->data[s->at] == ' ' || s->data[s->at] == '\n' || s->data[s->at] == '\t')) {
        ++s->at;
    }
}

static bool take_character(HeaderScan* s, char c) {
    skip_spaces(s);
    const bool there = s->at < s->end && s->data[s->at] == c;
    s->at += there;
    return there;
}

static bool take_word(HeaderScan* s, const char* word) {
    skip_spaces(s);
    const size_t length = strlen(word);
    const bool there = s->end - s->at >= length && memcmp(s->data + s->at, word, length) == 0;
    s->at += there ? length : 0;
    return there;
}

// 'text' or "text", compared with what it may be.
static bool take_text(HeaderScan* s, const char* text) {
    const size_t start = s->at;
    skip_spaces(s);
    const char quote = s->at < s->end ? s->data[s->at] : '\0';

    if (quote == '\'' || quote == '"') {
        ++s->at;
        const size_t length = strlen(text);
        if (s->end - s->at > length && memcmp(s->data + s->at, text, length) == 0 &&
            s->data[s->at + length] == quote) {
            s->at += length + 1;
            return true;
        }
    }

    s->at = start;
    return false;
}

static bool take_number(HeaderScan* s, int64_t* out) {
    skip_spaces(s);
    const size_t start = s->at;
    int64_t number = 0;
    while (s->at < s->end && s->data[s->at] >= '0' && s->data[s->at] <= '9') {
        const int64_t digit = s->data[s->at] - '0';
        if (number > (INT64_MAX - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
        ++s->at;
    }
    *out = number;
    return s->at > start;
}

// (3, 7) or (3,)
static BerthStatus take_shape(HeaderScan* s, NpyArray* out) {
    if (!take_character(s, '(')) {
        return fail(s, "shape: '(' was expected");
    }

    out->dimension_count = 0;
    while (!take_character(s, ')')) {
        if (out->dimension_count == BI_NPY_DIMENSION_MAX) {
            return fail(s, "shape: more than three dimensions");
        }
        if (!take_number(s, &out->shape[out->dimension_count])) {
            return fail(s, "shape: a whole number was expected");
        }

        out->dimension_count += 1;
        if (!take_character(s, ',')) {
            return take_character(s, ')') ? BERTH_OK : fail(s, "shape: ',' or ')' was expected");
        }
    }
    return BERTH_OK;
}

static BerthStatus take_kind(HeaderScan* s, NpyArray* out) {
    static const char* const names[NPY_KIND_COUNT] = {"<f8", "<f4", "|b1", "|u1", "|i1", "<u2",
                                                      "<i2", "<u4", "<i4", "<u8", "<i8"};
    const int count = s->any_kind ? NPY_KIND_COUNT : 1;
    for (int i = 0; i < count; ++i) {
        if (take_text(s, names[i])) {
            out->kind = (NpyKind)i;
            return BERTH_OK;
        }
    }
    return fail(s, s->any_kind ? "descr: bool, whole numbers or floats ('|b1', '|u1', '<i8', '<f4', ...), "
                                 "little-endian, were expected"
                               : "descr: '<f8' (little-endian float64) was expected");
}

static BerthStatus take_order(HeaderScan* s, NpyArray* out) {
    out->fortran_order = s->any_kind && take_word(s, "True");
    if (out->fortran_order || take_word(s, "False")) {
        return BERTH_OK;
    }
    return fail(s, s->any_kind ? "fortran_order: True or False was expected"
                               : "fortran_order: False (C order) was expected");
}

static BerthStatus take_entry(HeaderScan* s, NpyArray* out, unsigned* seen) {
    static const char* const keys[] = {"descr", "fortran_order", "shape"};
    static BerthStatus (*const take_value[])(HeaderScan*, NpyArray*) = {take_kind, take_order, take_shape};
    for (unsigned i = 0; i < 3; ++i) {
        if (!take_text(s, keys[i])) {
            continue;
        }
        if ((*seen & (1u << i)) != 0 || !take_character(s, ':')) {
            return fail(s, "header: a key twice, or ':' missing");
        }
        *seen |= 1u << i;
        return take_value[i](s, out);
    }
    return fail(s, "header: 'descr', 'fortran_order' or 'shape' was expected");
}

static BerthStatus read_header(HeaderScan* s, NpyArray* out) {
    unsigned seen = 0;
    if (!take_character(s, '{')) {
        return fail(s, "header: '{' was expected");
    }
    while (!take_character(s, '}')) {
        const BerthStatus status = take_entry(s, out, &seen);
        if (status != BERTH_OK) {
            return status;
        }
        if (!take_character(s, ',')) {
            if (!take_character(s, '}')) {
                return fail(s, "header: ',' or '}' was expected");
            }
            break;
        }
    }

    // Nothing may be missing and nothing may follow.
    skip_spaces(s);
    if (s->at != s->end || seen != 7) {
        return fail(s, seen != 7 ? "header: 'descr', 'fortran_order' and 'shape' are all needed"
                                 : "header: text behind '}'");
    }
    return BERTH_OK;
}

size_t bi_npy_size(NpyKind kind) {
    static const uint8_t sizes[NPY_KIND_COUNT] = {8, 4, 1, 1, 1, 2, 2, 4, 4, 8, 8};
    return sizes[kind];
}

// The numbers must end where the file ends.
static BerthStatus check_size(const HeaderScan* s, size_t size, NpyArray* out) {
    const size_t item = bi_npy_size(out->kind);
    const int64_t most = (int64_t)((size - out->offset) / item);

    int64_t count = 1;
    for (int32_t i = 0; i < out->dimension_count; ++i) {
        if (out->shape[i] != 0 && count > INT64_MAX / 8 / out->shape[i]) {
            return fail(s, "shape: too large");
        }
        count *= out->shape[i];
    }

    out->count = count;
    if (count != most || (size - out->offset) % item != 0) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte %zu: the header says %lld numbers, the file holds %zu bytes of them",
                       s->path, out->offset, (long long)count, size - out->offset);
    }
    return BERTH_OK;
}

bool bi_npy_has_magic(const char* data, size_t size) {
    return size >= MAGIC_SIZE && memcmp(data, magic, MAGIC_SIZE) == 0;
}

static BerthStatus parse_array(const char* data, size_t size, const char* path, bool any_kind,
                               NpyArray* out) {
    HeaderScan s = {.data = data, .end = size, .path = path, .any_kind = any_kind};
    *out = (NpyArray){.dimension_count = 0};
    if (!bi_npy_has_magic(data, size)) {
        return fail(&s, "not a .npy file: it does not begin with \\x93NUMPY");
    }

    const unsigned char* bytes = (const unsigned char*)data;
    s.at = MAGIC_SIZE;
    const int major = size > MAGIC_SIZE ? bytes[MAGIC_SIZE] : 0;
    if (major != 1 && major != 2) {
        return fail(&s, "version 1 or 2 of the format was expected");
    }

    // The length of the header: two bytes in version 1, four in version 2.
    const size_t start = major == 1 ? 10 : 12;
    s.at = 8;
    if (size < start) {
        return fail(&s, "the file ends inside its header");
    }
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (major == 2) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }

    if (length > HEADER_MAX || length > size - start) {
        return fail(&s, "the header is longer than the file or than 65536 bytes");
    }

    s.at = start;
    s.end = start + length;
    const BerthStatus status = read_header(&s, out);
    if (status != BERTH_OK) {
        return status;
    }

    out->offset = s.end;
    return check_size(&s, size, out);
}

BerthStatus bi_npy_parse(const char* data, size_t size, const char* path, NpyArray* out) {
    return parse_array(data, size, path, false, out);
}

BerthStatus bi_npy_parse_any(const char* data, size_t size, const char* path, NpyArray* out) {
    return parse_array(data, size, path, true, out);
}

double bi_npy_value(const char* data, const NpyArray* array, int64_t index) {
    return f64_at(data + array->offset + 8 * (size_t)index);
}

void bi_npy_put_header(TextOut* out, const char* dictionary) {
    // Numbers begin at a multiple of 64 bytes, the last byte before them is a newline.
    const size_t before = MAGIC_SIZE + 4, length = strlen(dictionary);
    const size_t whole = (before + length + 1 + NUMBERS_ALIGN - 1) / NUMBERS_ALIGN * NUMBERS_ALIGN - before;
    BI_ASSERT(whole < HEADER_MAX);

    const char version_and_size[4] = {1, 0, (char)(whole & 255), (char)(whole >> 8)};
    bi_text_out_bytes(out, magic, MAGIC_SIZE);
    bi_text_out_bytes(out, version_and_size, sizeof version_and_size);
    bi_text_out_bytes(out, dictionary, length);
    for (size_t i = length + 1; i < whole; ++i) {
        bi_text_out_bytes(out, " ", 1);
    }
    bi_text_out_bytes(out, "\n", 1);
}
