// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// STL, both kinds. A file is binary if and only if its size agrees with its triangle count (84 + 50 n): many
// binary files begin with "solid". Normals, names and attribute bytes are ignored. A binary file that is
// longer or shorter than that is refused: something is missing, or something unknown is there.
// Entry: bi_io_parse_stl.

#include <string.h>

#include "io/mesh/soup.h"
#include "io/syntax/bytes.h"
#include "io/syntax/file.h"
#include "io/syntax/number.h"
#include "io/syntax/scan.h"
#include "math/tolerance.h"
#include "mesh/mesh.h"

// Triangles between two looks at whether to stop.
enum { STEP_TRIANGLES = 1 << 15 };
enum { HEADER_SIZE = 80, COUNT_END = 84, RECORD_SIZE = 50, NORMAL_SIZE = 12 };

static BerthStatus fail_memory(const char* name) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for its triangles", name);
}

// ---- binary -----------------------------------------------------------------------------------------------

static BerthStatus read_corner(const char* name, const char* data, size_t offset, TriangleSoup* soup) {
    const Vec3 raw = v3(f32_at(data + offset), f32_at(data + offset + 4), f32_at(data + offset + 8));
    Vec3 scaled;
    if (!bi_soup_scale(soup, raw, &scaled)) {
        int axis = 0;
        while (axis < 2 && fabs(v3_at(scaled, axis)) <= BI_COORDINATE_MAX) {
            axis++;
        }
        return bi_fail(
            BERTH_ERR_PARSE,
            "%s: byte %zu: triangle %zu has a corner with %c = %g, a finite number within %g m is expected",
            name, offset + 4 * (size_t)axis, (offset - COUNT_END) / RECORD_SIZE, "xyz"[axis],
            v3_at(raw, axis), BI_COORDINATE_MAX);
    }
    return bi_soup_add_vertex(soup, scaled) ? BERTH_OK : fail_memory(name);
}

static BerthStatus parse_binary(const char* name, const char* data, uint32_t count,
                                const BerthIoOptions* options, TriangleSoup* soup) {
    if (count == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %d: the file has no triangles", name, HEADER_SIZE);
    }
    if (count > BI_MESH_TRIANGLES_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %d: %u triangles, at most %d are read", name, HEADER_SIZE,
                       count, BI_MESH_TRIANGLES_MAX);
    }
    if (!bi_soup_reserve(soup, 3 * (size_t)count, count)) {
        return fail_memory(name);
    }

    for (size_t i = 0; i < count; i++) {
        if (i % STEP_TRIANGLES == 0 && bi_io_step(options, name, (double)i / count) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }

        const size_t start = COUNT_END + i * RECORD_SIZE + NORMAL_SIZE;
        for (size_t k = 0; k < 3; k++) {
            const BerthStatus status = read_corner(name, data, start + k * NORMAL_SIZE, soup);
            if (status != BERTH_OK) {
                return status;
            }
        }

        const int32_t first = (int32_t)(3 * i);
        if (!bi_soup_add_triangle(soup, first, first + 1, first + 2)) {
            return fail_memory(name);
        }
    }
    return BERTH_OK;
}

static BerthStatus fail_binary_size(const char* name, size_t size, uint64_t promised, uint32_t count) {
    if ((uint64_t)size < promised) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte %zu: the file ends here; its header says %u triangles, that is %llu bytes",
                       name, size, count, (unsigned long long)promised);
    }
    return bi_fail(BERTH_ERR_PARSE,
                   "%s: byte %llu: %llu more bytes after the %u triangles that the header says", name,
                   (unsigned long long)promised, (unsigned long long)((uint64_t)size - promised), count);
}

// ---- text -------------------------------------------------------------------------------------------------

typedef struct TextStl {
    const char* name;
    const char* data;
    size_t size;
    const BerthIoOptions* options;
    Scan scan;
    Word word;
    TriangleSoup* soup;
} TextStl;

static BerthStatus fail_expected(TextStl* text, const char* expected) {
    if (text->word.length == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file ends, '%s' is expected", text->name, text->scan.line,
                       expected);
    }
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: '%s', '%s' is expected", text->name, text->scan.line,
                   bi_word_show(text->word).text, expected);
}

static bool next_word(TextStl* text) {
    if (!bi_scan_word(&text->scan, &text->word)) {
        text->word = (Word){"", 0};
        return false;
    }
    return true;
}

static BerthStatus expect_word(TextStl* text, const char* keyword) {
    return next_word(text) && bi_word_is(text->word, keyword) ? BERTH_OK : fail_expected(text, keyword);
}

static BerthStatus read_vertex(TextStl* text) {
    BerthStatus status = expect_word(text, "vertex");
    double value[3] = {0.0, 0.0, 0.0};

    for (int axis = 0; axis < 3 && status == BERTH_OK; axis++) {
        if (!next_word(text)) {
            status = fail_expected(text, "a coordinate");
        } else if (!bi_parse_double(text->word.text, text->word.length, &value[axis])) {
            status =
                bi_fail(BERTH_ERR_PARSE, "%s:%d: vertex: '%s': %s", text->name, text->scan.line,
                        bi_word_show(text->word).text, bi_number_fault(text->word.text, text->word.length));
        }
    }

    Vec3 scaled;
    if (status == BERTH_OK && !bi_soup_scale(text->soup, v3(value[0], value[1], value[2]), &scaled)) {
        status = bi_fail(BERTH_ERR_PARSE, "%s:%d: vertex (%g, %g, %g) is beyond %g m", text->name,
                         text->scan.line, value[0], value[1], value[2], BI_COORDINATE_MAX);
    }

    if (status == BERTH_OK && !bi_soup_add_vertex(text->soup, scaled)) {
        status = fail_memory(text->name);
    }
    return status;
}

// "facet" is already read. The three numbers of the normal may be anything, nan too: they are not used.
static BerthStatus read_facet(TextStl* text) {
    BerthStatus status = expect_word(text, "normal");
    for (int i = 0; i < 3 && status == BERTH_OK; i++) {
        status = next_word(text) ? BERTH_OK : fail_expected(text, "a number of the normal");
    }

    if (status == BERTH_OK) {
        status = expect_word(text, "outer");
    }
    if (status == BERTH_OK) {
        status = expect_word(text, "loop");
    }
    for (int i = 0; i < 3 && status == BERTH_OK; i++) {
        status = read_vertex(text);
    }

    if (status == BERTH_OK) {
        status = expect_word(text, "endloop");
    }
    if (status == BERTH_OK) {
        status = expect_word(text, "endfacet");
    }
    if (status != BERTH_OK) {
        return status;
    }

    TriangleSoup* soup = text->soup;
    if (soup->triangle_count >= BI_MESH_TRIANGLES_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: more than %d triangles", text->name, text->scan.line,
                       BI_MESH_TRIANGLES_MAX);
    }

    const double share = (double)(text->scan.at - text->data) / (double)text->size;
    if (soup->triangle_count % STEP_TRIANGLES == 0 &&
        bi_io_step(text->options, text->name, share) != BERTH_OK) {
        return BERTH_ERR_CANCELLED;
    }
    const int32_t first = (int32_t)soup->vertex_count - 3;
    return bi_soup_add_triangle(soup, first, first + 1, first + 2) ? BERTH_OK : fail_memory(text->name);
}

// "solid" is already read; its name is the rest of the line.
static BerthStatus read_solid(TextStl* text) {
    (void)bi_scan_next_line(&text->scan);
    while (next_word(text)) {
        if (bi_word_is(text->word, "endsolid")) {
            (void)bi_scan_next_line(&text->scan);
            return BERTH_OK;
        }

        if (!bi_word_is(text->word, "facet")) {
            break;
        }

        const BerthStatus status = read_facet(text);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return fail_expected(text, "facet' or 'endsolid");
}

static BerthStatus parse_text(const char* name, const char* data, size_t size, const BerthIoOptions* options,
                              TriangleSoup* soup) {
    TextStl text = {.name = name,
                    .data = data,
                    .size = size,
                    .options = options,
                    .scan = bi_scan_start(data, size),
                    .soup = soup};
    while (next_word(&text)) {
        if (!bi_word_is(text.word, "solid")) {
            return fail_expected(&text, "solid");
        }
        const BerthStatus status = read_solid(&text);
        if (status != BERTH_OK) {
            return status;
        }
    }

    if (soup->triangle_count == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file has no triangles", name, text.scan.line);
    }
    return BERTH_OK;
}

// Text begins with "solid" and has no zero byte where a binary file has its header and first triangle.
static bool looks_like_text(const char* data, size_t size) {
    Scan scan = bi_scan_start(data, size);
    Word word;
    if (!bi_scan_word(&scan, &word) || !bi_word_is(word, "solid")) {
        return false;
    }

    const size_t head = size < COUNT_END + RECORD_SIZE ? size : COUNT_END + RECORD_SIZE;
    return memchr(data, '\0', head) == NULL;
}

BerthStatus bi_io_parse_stl(const char* name, const char* data, size_t size, const BerthIoOptions* options,
                            TriangleSoup* soup) {
    const uint32_t count = size >= COUNT_END ? u32_at(data + HEADER_SIZE) : 0;
    const uint64_t promised = COUNT_END + (uint64_t)count * RECORD_SIZE;

    if (size >= COUNT_END && (uint64_t)size == promised) {
        return parse_binary(name, data, count, options, soup);
    }

    if (looks_like_text(data, size)) {
        return parse_text(name, data, size, options, soup);
    }

    // Neither: say what is wrong with it.
    if (size == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 0: the file is empty", name);
    }
    if (size < COUNT_END) {
        return bi_fail(
            BERTH_ERR_PARSE,
            "%s: byte %zu: the file ends here; an STL header has %d bytes, text begins with 'solid'", name,
            size, COUNT_END);
    }

    return fail_binary_size(name, size, promised, count);
}
