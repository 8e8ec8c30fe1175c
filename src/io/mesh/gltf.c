// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Checks a glTF document before assimp reads it: JSON by jansson, which has a depth limit; every node has at
// most one parent, as the format requires, and chains are short; every use of a mesh is counted.
// Entry: bi_io_scan_gltf.

#include <jansson.h>
#include <string.h>

#include "io/mesh/soup.h"
#include "io/syntax/bytes.h"
#include "mesh/mesh.h"

enum { DEPTH_MAX = 200, GLB_HEADER = 20 };
// Values of accessors, counted as often as they are shown.
#define VALUES_MAX ((uint64_t)6 * BI_MESH_TRIANGLES_MAX)

// The JSON chunk, which comes first.
static bool find_json(const char** data, size_t* size) {
    if (*size < GLB_HEADER || memcmp(*data, "glTF", 4) != 0 || memcmp(*data + 16, "JSON", 4) != 0) {
        return false;
    }
    const size_t length = u32_at(*data + 12);
    if (length > *size - GLB_HEADER) {
        return false;
    }
    *data += GLB_HEADER;
    *size = length;
    return true;
}

// parents[child] = node. False: a child that is not there, or one with two parents.
static bool read_parents(const json_t* nodes, int32_t* parents) {
    const size_t count = json_array_size(nodes);
    for (size_t i = 0; i < count; i++) {
        const json_t* children = json_object_get(json_array_get(nodes, i), "children");
        for (size_t k = 0; k < json_array_size(children); k++) {
            const json_t* child = json_array_get(children, k);
            const json_int_t index = json_is_integer(child) ? json_integer_value(child) : -1;
            if (index < 0 || (size_t)index >= count || parents[index] >= 0) {
                return false;
            }
            parents[index] = (int32_t)i;
        }
    }
    return true;
}

// Going up from a node of a cycle never ends, so it also passes this.
static bool is_shallow(const int32_t* parents, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int32_t steps = 0;
        for (int32_t at = (int32_t)i; at >= 0; at = parents[at]) {
            if (++steps > DEPTH_MAX) {
                return false;
            }
        }
    }
    return true;
}

static uint64_t accessor_count(const json_t* root, const json_t* index) {
    const json_t* accessors = json_object_get(root, "accessors");
    const json_int_t at = json_is_integer(index) ? json_integer_value(index) : -1;
    const json_t* accessor = at >= 0 ? json_array_get(accessors, (size_t)at) : NULL;
    const json_int_t count = json_integer_value(json_object_get(accessor, "count"));
    if (count <= 0) {
        return 0;
    }
    return (uint64_t)count > VALUES_MAX ? VALUES_MAX + 1 : (uint64_t)count;
}

static uint64_t mesh_value_count(const json_t* root, size_t mesh) {
    const json_t* primitives =
        json_object_get(json_array_get(json_object_get(root, "meshes"), mesh), "primitives");
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(primitives) && sum <= VALUES_MAX; i++) {
        const json_t* primitive = json_array_get(primitives, i);
        sum += accessor_count(root, json_object_get(primitive, "indices"));
        sum += accessor_count(root, json_object_get(json_object_get(primitive, "attributes"), "POSITION"));
    }
    return sum;
}

// Sizes of all meshes are found once, so that nodes which share one cost nothing more.
static void find_mesh_sizes(const json_t* root, uint64_t* sizes, size_t mesh_count) {
    for (size_t i = 0; i < mesh_count; i++) {
        sizes[i] = mesh_value_count(root, i);
    }
}

static bool nodes_are_bounded(const json_t* nodes, const uint64_t* sizes, size_t mesh_count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(nodes) && sum <= VALUES_MAX; i++) {
        const json_t* mesh = json_object_get(json_array_get(nodes, i), "mesh");
        const json_int_t index = json_is_integer(mesh) ? json_integer_value(mesh) : -1;
        sum += index >= 0 && (size_t)index < mesh_count ? sizes[index] : 0;
    }
    return sum <= VALUES_MAX;
}

static BerthStatus check_nodes(const char* name, const json_t* root, const BerthAllocator* allocator) {
    const json_t* nodes = json_object_get(root, "nodes");
    const size_t count = json_array_size(nodes),
                 mesh_count = json_array_size(json_object_get(root, "meshes"));
    int32_t* parents = bi_take(allocator, count, sizeof *parents);
    uint64_t* sizes = bi_take(allocator, mesh_count, sizeof *sizes);

    BerthStatus status = BERTH_OK;
    for (size_t i = 0; i < count && parents != NULL; i++) {
        parents[i] = -1;
    }
    if (sizes != NULL) {
        find_mesh_sizes(root, sizes, mesh_count);
    }

    if (parents == NULL || sizes == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu nodes", name, count);
    } else if (!json_is_object(root)) {
        status = bi_fail(BERTH_ERR_PARSE, "%s: the JSON is no object", name);
    } else if (!read_parents(nodes, parents)) {
        status = bi_fail(BERTH_ERR_PARSE,
                         "%s: a node has a child that is not there or that another node has, too", name);
    } else if (!is_shallow(parents, count)) {
        status = bi_fail(BERTH_ERR_PARSE, "%s: nodes are below each other more than %d deep, or in a circle",
                         name, DEPTH_MAX);
    } else if (!nodes_are_bounded(nodes, sizes, mesh_count)) {
        status = bi_fail(BERTH_ERR_PARSE, "%s: with every use counted it has more than %d triangles", name,
                         BI_MESH_TRIANGLES_MAX);
    }

    bi_give(allocator, sizes, mesh_count, sizeof *sizes);
    bi_give(allocator, parents, count, sizeof *parents);
    return status;
}

BerthStatus bi_io_scan_gltf(const char* name, const char* data, size_t size, bool binary,
                            const BerthAllocator* allocator) {
    if (binary && !find_json(&data, &size)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 0: no glTF 2.0 header with its JSON", name);
    }

    const BerthAllocator memory = bi_allocator_or_default(allocator);
    json_error_t error;
    json_t* root = json_loadb(data, size, binary ? JSON_DISABLE_EOF_CHECK : 0, &error);
    if (root == NULL) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s", name, error.line, error.text);
    }

    const BerthStatus status = check_nodes(name, root, &memory);
    json_decref(root);
    return status;
}
