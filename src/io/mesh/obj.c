// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Wavefront OBJ: vertices and faces. Names, normals, textures, materials, lines and points are ignored;
// free-form surfaces, which would be lost, and unknown keywords are errors. Polygons become fans from their
// first corner: the fan of a concave polygon covers it and may cover more, which is a warning.
// Entry: bi_io_parse_obj.

#include <string.h>

#include "io/mesh/soup.h"
#include "io/syntax/file.h"
#include "io/syntax/number.h"
#include "io/syntax/scan.h"
#include "math/tolerance.h"
#include "mesh/mesh.h"

static const char* const g_ignored[] = {
    "vt",     "vn", "g", "o",   "s",     "mg",       "usemtl",   "mtllib",     "usemap",
    "maplib", "l",  "p", "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};

// Lines between two looks at whether to stop.
enum { STEP_LINES = 1 << 15 };
enum { VERTEX_VALUES_MAX = 7 };  // x y z [w], or x y z r g b, or x y z w r g b

typedef struct Obj {
    const char* name;
    const BerthIoOptions* options;
    Scan scan;
    TriangleSoup* soup;
    int64_t largest_vertex;  // that a face named, from 1: it may follow later in the file
    int32_t largest_vertex_line;
    int32_t folded_count;  // polygons whose fan folds over
    int32_t folded_line;   // the first
    bool keyword_seen;
} Obj;

static BerthStatus fail_memory(const Obj* obj) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for its triangles", obj->name);
}

static BerthStatus fail_word(const Obj* obj, const char* keyword, Word word, const char* reason) {
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s: '%s': %s", obj->name, obj->scan.line, keyword,
                   bi_word_show(word).text, reason);
}

static BerthStatus read_vertex(Obj* obj) {
    double value[VERTEX_VALUES_MAX] = {0.0};
    int count = 0;
    const int32_t line = obj->scan.line;
    Word word;

    while (bi_scan_word_in_line(&obj->scan, '#', &word)) {
        if (count == VERTEX_VALUES_MAX) {
            return fail_word(obj, "v", word, "at most 7 numbers are expected");
        }
        if (!bi_parse_double(word.text, word.length, &value[count++])) {
            return fail_word(obj, "v", word, bi_number_fault(word.text, word.length));
        }
    }

    if (count < 3 || count == 5) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s:%d: v with %d numbers, 3 are expected (or 4, 6, 7: weight, colour)", obj->name,
                       line, count);
    }

    if ((count == 4 || count == 7) && value[3] != 1.0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: v has weight %g, only 1 is accepted", obj->name, line,
                       value[3]);
    }

    Vec3 scaled;
    if (!bi_soup_scale(obj->soup, v3(value[0], value[1], value[2]), &scaled)) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: vertex (%g, %g, %g) is beyond %g m", obj->name, line,
                       value[0], value[1], value[2], BI_COORDINATE_MAX);
    }

    if (obj->soup->vertex_count >= 3 * (size_t)BI_MESH_TRIANGLES_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: more than %d vertices", obj->name, line,
                       3 * BI_MESH_TRIANGLES_MAX);
    }
    return bi_soup_add_vertex(obj->soup, scaled) ? BERTH_OK : fail_memory(obj);
}

// The vertex index (from 0) of "7", "7/1", "7//3", "7/1/3", "-1/-1".
static BerthStatus read_corner(Obj* obj, Word word, int32_t* out) {
    size_t start = 0;
    for (int part = 0; start <= word.length; part++) {
        const char* slash = memchr(word.text + start, '/', word.length - start);
        const size_t end = slash != NULL ? (size_t)(slash - word.text) : word.length;
        int64_t index = 0;

        if (part > 2) {
            return fail_word(obj, "f", word, "more than two slashes");
        }

        const bool may_be_empty = part == 1 && slash != NULL;
        if (!(may_be_empty && end == start) && !bi_parse_int(word.text + start, end - start, &index)) {
            return fail_word(obj, "f", word, "an index is expected: V, V/VT, V//VN or V/VT/VN");
        }

        if (part == 0) {
            const int64_t vertex_count = (int64_t)obj->soup->vertex_count;
            if (index == 0 || index < -vertex_count || index > 3 * (int64_t)BI_MESH_TRIANGLES_MAX) {
                return bi_fail(BERTH_ERR_PARSE,
                               "%s:%d: f: '%s': there is no such vertex (%lld so far, counted from 1)",
                               obj->name, obj->scan.line, bi_word_show(word).text, (long long)vertex_count);
            }
            *out = (int32_t)(index > 0 ? index - 1 : vertex_count + index);
            if (index > obj->largest_vertex) {
                obj->largest_vertex = index;
                obj->largest_vertex_line = obj->scan.line;
            }
        }

        start = end + 1;
    }
    return BERTH_OK;
}

static BerthStatus read_face(Obj* obj) {
    const int32_t line = obj->scan.line;
    SoupFan fan = {0};
    Word word;

    while (bi_scan_word_in_line(&obj->scan, '#', &word)) {
        int32_t corner = 0;
        const BerthStatus status = read_corner(obj, word, &corner);
        if (status != BERTH_OK) {
            return status;
        }

        if (fan.count >= 2 && obj->soup->triangle_count >= BI_MESH_TRIANGLES_MAX) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: more than %d triangles", obj->name, line,
                           BI_MESH_TRIANGLES_MAX);
        }
        if (!bi_soup_add_corner(obj->soup, &fan, corner)) {
            return fail_memory(obj);
        }
    }

    if (fan.count < 3) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: f with %lld corners, at least 3 are expected", obj->name,
                       line, (long long)fan.count);
    }
    if (fan.folded) {
        if (obj->folded_count == 0) {
            obj->folded_line = line;
        }
        obj->folded_count++;
    }
    return BERTH_OK;
}

// Some programs write "VERTICES TRIANGLES" as a first line of bare numbers.
static bool is_count_line(const Obj* obj, Word first) {
    Scan ahead = obj->scan;
    int64_t value = 0;
    Word word = first;
    do {
        if (!bi_parse_int(word.text, word.length, &value)) {
            return false;
        }
    } while (bi_scan_word_in_line(&ahead, '#', &word));
    return true;
}

static BerthStatus read_line(Obj* obj) {
    Word word;
    if (!bi_scan_word_in_line(&obj->scan, '#', &word)) {
        return BERTH_OK;
    }

    const bool first = !obj->keyword_seen;
    obj->keyword_seen = true;
    if (bi_word_is(word, "v")) {
        return read_vertex(obj);
    }
    if (bi_word_is(word, "f") || bi_word_is(word, "fo")) {
        return read_face(obj);
    }

    for (size_t i = 0; i < sizeof g_ignored / sizeof g_ignored[0]; i++) {
        if (bi_word_is(word, g_ignored[i])) {
            while (bi_scan_word_in_line(&obj->scan, '\0', &word)) {
                // to the end of the line, and of lines that go on
            }
            return BERTH_OK;
        }
    }

    if (first && is_count_line(obj, word)) {
        bi_io_warn(obj->options, "%s:%d: a line of bare numbers before the first keyword is ignored",
                   obj->name, obj->scan.line);
        return BERTH_OK;
    }

    return bi_fail(BERTH_ERR_PARSE,
                   "%s:%d: unknown keyword '%s', v, f or another keyword of polygon meshes is expected",
                   obj->name, obj->scan.line, bi_word_show(word).text);
}

BerthStatus bi_io_parse_obj(const char* name, const char* data, size_t size, const BerthIoOptions* options,
                            TriangleSoup* soup) {
    Obj obj = {.name = name, .options = options, .scan = bi_scan_start(data, size), .soup = soup};

    do {
        BerthStatus status = BERTH_OK;
        if (obj.scan.line % STEP_LINES == 0) {
            status = bi_io_step(options, name, (double)(obj.scan.at - data) / (double)size);
        }
        if (status == BERTH_OK) {
            status = read_line(&obj);
        }
        if (status != BERTH_OK) {
            return status;
        }
    } while (bi_scan_next_line(&obj.scan));

    // Faces may name vertices that follow later, so this is known only at the end.
    if (obj.largest_vertex > (int64_t)soup->vertex_count) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s:%d: f: there is no vertex %lld, the file has %zu (counted from 1)", name,
                       obj.largest_vertex_line, (long long)obj.largest_vertex, soup->vertex_count);
    }

    if (soup->triangle_count == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file has no faces", name, obj.scan.line);
    }

    if (obj.folded_count > 0) {
        bi_io_warn(
            options,
            "%s:%d: %d concave polygons (the first here) are covered by fans of triangles that stick out",
            name, obj.folded_line, obj.folded_count);
    }
    return BERTH_OK;
}
