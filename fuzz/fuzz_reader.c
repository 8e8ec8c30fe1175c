// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as what a reader of foreign meshes says, which a hostile file has taken over: the library believes nothing.
// odd_reader (test/peers) sends back what comes behind the header of a PLY file.

#include "support/foreign.h"

static const char HEAD[] = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n";

FUZZ_TARGET(bytes, size) {
    setenv("ODD_READER", "echo", 1);
    set_reader("odd_reader");
    char* file = malloc(sizeof HEAD + size);
    if (file == NULL) {
        return;
    }
    memcpy(file, HEAD, sizeof HEAD - 1);
    memcpy(file + sizeof HEAD - 1, bytes, size);
    file[sizeof HEAD - 1 + size] = '\0';
    read_as("fuzz.ply", file, sizeof HEAD - 1 + size);
    free(file);
}
