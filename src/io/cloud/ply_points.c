// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The vertices of a PLY file as points: text, or bytes of either order. Other elements are skipped; what
// follows the vertices is not read.
// Entry: bi_io_parse_ply_points.

#include <string.h>

#include "io/cloud/cloud.h"
#include "io/syntax/ply.h"

static bool is_named(Word word, const char* text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/// The vertices, and which of their properties are coordinates.
typedef struct VertexLayout {
    int element;
    int axis[3];
} VertexLayout;

static BerthStatus find_vertices(const char* path, const PlyHeader* plan, VertexLayout* out) {
    out->element = 0;
    while (out->element < plan->element_count && !is_named(plan->names[out->element], "vertex")) {
        out->element += 1;
    }
    if (out->element == plan->element_count) {
        return bi_fail(BERTH_ERR_PARSE, "%s:1: the header has no element vertex", path);
    }

    static const char* const names[] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; ++axis) {
        out->axis[axis] = -1;
        for (int p = plan->first[out->element]; p < plan->first[out->element + 1]; ++p) {
            if (is_named(plan->properties[p].name, names[axis])) {
                if (out->axis[axis] >= 0 || plan->properties[p].count_size > 0) {
                    return bi_fail(BERTH_ERR_PARSE, "%s:1: the vertices have '%s' twice, or a list of them",
                                   path, names[axis]);
                }
                out->axis[axis] = p;
            }
        }

        if (out->axis[axis] < 0) {
            return bi_fail(BERTH_ERR_PARSE, "%s:1: the vertices have no property '%s'", path, names[axis]);
        }
    }
    return BERTH_OK;
}

static bool read_number(PlyBody* body, const PlyProperty* property, double* out) {
    if (body->plan->ascii) {
        const Word word = bi_ply_word(body);
        return bi_cloud_parse_number(word.text, word.length, out);
    }
    if (body->end - body->at < property->size) {
        return false;
    }

    *out = bi_cloud_read_number((const uint8_t*)body->at, property->kind, property->size,
                                body->plan->big_endian);
    body->at += property->size;
    return true;
}

static BerthStatus fail_item(const char* path, const char* data, const char* at, int64_t item,
                             const char* element) {
    return bi_fail(BERTH_ERR_PARSE,
                   "%s: byte %zu: item %lld of %s: the file does not hold what it says here, or no number",
                   path, (size_t)(at - data), (long long)item, element);
}

static BerthStatus skip_element(const char* path, const char* data, PlyBody* body, int element) {
    const PlyHeader* plan = body->plan;
    for (int64_t i = 0; i < plan->items[element]; ++i) {
        for (int p = plan->first[element]; p < plan->first[element + 1]; ++p) {
            if (!bi_ply_skip(body, &plan->properties[p])) {
                return fail_item(path, data, body->at, i, "an element before the vertices");
            }
        }
    }
    return BERTH_OK;
}

// Which coordinate a property is, or -1.
static int axis_of(const VertexLayout* vertices, int property) {
    for (int axis = 0; axis < 3; ++axis) {
        if (property == vertices->axis[axis]) {
            return axis;
        }
    }
    return -1;
}

static BerthStatus read_vertex(const char* path, const char* data, PlyBody* body,
                               const VertexLayout* vertices, int64_t item, PointCloud* out) {
    const PlyHeader* plan = body->plan;
    const size_t where = (size_t)(body->at - data);
    double xyz[3] = {0, 0, 0};
    for (int p = plan->first[vertices->element]; p < plan->first[vertices->element + 1]; ++p) {
        const int axis = axis_of(vertices, p);
        const PlyProperty* property = &plan->properties[p];
        const bool read = axis >= 0 ? read_number(body, property, &xyz[axis]) : bi_ply_skip(body, property);
        if (!read) {
            return fail_item(path, data, body->at, item, "the vertices");
        }
    }
    return bi_cloud_add(out, path, true, where, (BerthVec3){xyz[0], xyz[1], xyz[2]});
}

BerthStatus bi_io_parse_ply_points(const char* path, const char* data, size_t size, PointCloud* out) {
    PlyHeader plan;
    VertexLayout vertices;
    PlyBody body = {&plan, data, data + size};
    BerthStatus status = bi_ply_parse_header(path, data, size, &plan, &body.at);
    if (status == BERTH_OK) {
        status = find_vertices(path, &plan, &vertices);
    }

    for (int element = 0; status == BERTH_OK && element < vertices.element; ++element) {
        status = skip_element(path, data, &body, element);
    }
    for (int64_t i = 0; status == BERTH_OK && i < plan.items[vertices.element]; ++i) {
        status = read_vertex(path, data, &body, &vertices, i, out);
    }
    return status;
}
