// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Names to indexes. Sorted runs whose lengths are powers of two: adding n names costs O(n log n), finding one
// O(log^2 n), in the worst case too, so no choice of names in a hostile file makes it slow (as it would a hash table).

#ifndef BI_ROBOT_NAMES_H
#define BI_ROBOT_NAMES_H

#include "base/arena.h"

typedef struct NameEntry {
    const char* name;
    int32_t index;
} NameEntry;

typedef struct NameTable {
    NameEntry* entries;
    NameEntry* spare;  // merging needs it
    size_t count, capacity;
} NameTable;

/// The index of a name, or -1.
int32_t bi_names_find(const NameTable* table, const char* name);
/// Adds a name that is not there yet; `name` is borrowed. False when memory ran out.
bool bi_names_add(NameTable* table, Arena* arena, const char* name, int32_t index);

#endif
