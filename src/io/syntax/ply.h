// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The header of a PLY file: which elements and properties its body has. Strict, and never more than the file
// can hold.

#ifndef BI_IO_PLY_H
#define BI_IO_PLY_H

#include "base/base.h"
#include "io/syntax/scan.h"

enum { BI_PLY_ELEMENTS_MAX = 16, BI_PLY_PROPERTIES_MAX = 256 };

/// A value, or with count_size > 0 a list of them behind a count; sizes in bytes.
typedef struct PlyProperty {
    uint8_t size, count_size;
    bool count_signed;
    char kind;  // of a value: 'F' real, 'I' whole, 'U' whole and not negative
    Word name;
} PlyProperty;

/// What the header promises of the body.
typedef struct PlyHeader {
    bool ascii, big_endian;
    int element_count, property_count;
    Word names[BI_PLY_ELEMENTS_MAX];
    int64_t items[BI_PLY_ELEMENTS_MAX];
    int first[BI_PLY_ELEMENTS_MAX + 1];  // property of each element; the last one ends the list
    PlyProperty properties[BI_PLY_PROPERTIES_MAX];
} PlyHeader;

/// Reads the header; `*body` is where the body begins.
BerthStatus bi_ply_parse_header(const char* name, const char* data, size_t size, PlyHeader* out,
                                const char** body);

/// Where reading of the body is.
typedef struct PlyBody {
    const PlyHeader* plan;
    const char* at;
    const char* end;
} PlyBody;
/// Steps over one value, or a list with as many as it says; false when the file does not hold them.
bool bi_ply_skip(PlyBody* body, const PlyProperty* property);
/// The next word of a text body; its length is 0 at the end.
Word bi_ply_word(PlyBody* body);

#endif
