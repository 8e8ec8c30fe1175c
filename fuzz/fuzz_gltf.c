// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a glTF file, with text or binary by how it begins. As fuzz_dae.c.

#include "support/foreign.h"

FUZZ_TARGET(bytes, size) {
    read_as(size >= 4 && memcmp(bytes, "glTF", 4) == 0 ? "fuzz.glb" : "fuzz.gltf", bytes, size);
}
