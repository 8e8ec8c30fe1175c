// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a COLLADA file: the look before, then the reader that has assimp. Triangles that a mesh can be made of, or an
// error; a reader that crashes is an error as well.

#include "support/foreign.h"

FUZZ_TARGET(bytes, size) {
    read_as("fuzz.dae", bytes, size);
}
