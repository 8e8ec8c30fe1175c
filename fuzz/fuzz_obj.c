// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as an OBJ file: triangles or an error, and a mesh of those triangles or an error.

#include "support/soups.h"
#include "support/target.h"

FUZZ_TARGET(bytes, size) {
    const BerthIoOptions options = berth_default_io_options();
    TriangleSoup soup;
    if (bi_soup_init(&soup, v3(-0.001, 1, 1), NULL) == BERTH_OK &&
        bi_io_parse_obj("fuzz.obj", bytes, size, &options, &soup) == BERTH_OK) {
        make_mesh_of(&soup);
    }
    bi_soup_free(&soup);
}
