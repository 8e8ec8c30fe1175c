// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as an OBJ file: triangles or an error, and a mesh of those triangles or an error.

#include <stdlib.h>
#include <string.h>

#include "io/mesh/soup.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    char* copy = malloc(size + 1);  // on the heap, so that reading past the end is seen
    if (copy == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    copy[size] = '\0';
    const BerthIoOptions options = berth_default_io_options();
    TriangleSoup soup;
    if (bi_soup_init(&soup, v3(-0.001, 1, 1), NULL) == BERTH_OK &&
        bi_io_parse_obj("fuzz.obj", copy, size, &options, &soup) == BERTH_OK) {
        BerthMesh* mesh = NULL;
        (void)berth_mesh_create(soup.vertices, (int32_t)soup.vertex_count, soup.corners,
                                (int32_t)soup.triangle_count, NULL, &mesh);
        berth_mesh_destroy(mesh);
    }
    bi_soup_free(&soup);
    free(copy);
    return 0;
}
