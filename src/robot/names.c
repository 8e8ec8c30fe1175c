// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Names to indexes by sorted runs (the logarithmic method).

#include "robot/names.h"

#include <string.h>

int32_t bi_names_find(const NameTable* table, const char* name) {
    size_t start = 0;
    for (int bit = 31; bit >= 0; --bit) {
        const size_t size = (size_t)1 << bit;
        if ((table->count & size) == 0) {
            continue;
        }

        size_t low = start, high = start + size;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            const int order = strcmp(table->entries[middle].name, name);
            if (order == 0) {
                return table->entries[middle].index;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }

        start += size;
    }
    return -1;
}

// Merges the last two runs, `size` names each.
static void merge_last_runs(NameTable* table, size_t size) {
    NameEntry* left = table->entries + table->count - 2 * size;
    const NameEntry* right = left + size;

    memcpy(table->spare, left, size * sizeof *left);
    size_t i = 0, j = 0;
    for (size_t k = 0; k < 2 * size; ++k) {
        if (j == size || (i < size && strcmp(table->spare[i].name, right[j].name) < 0)) {
            left[k] = table->spare[i++];
        } else {
            left[k] = right[j++];
        }
    }
}

bool bi_names_add(NameTable* table, Arena* arena, const char* name, int32_t index) {
    // The spare comes first: when the second cannot grow, no array is taken for larger than it is.
    size_t capacity = table->capacity;
    size_t spare_capacity = table->capacity;
    NameEntry* spare =
        bi_arena_grow(arena, table->spare, 0, table->count + 1, &spare_capacity, sizeof *spare);
    if (spare == NULL) {
        return false;
    }
    table->spare = spare;

    NameEntry* entries =
        bi_arena_grow(arena, table->entries, table->count, table->count + 1, &capacity, sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    table->entries = entries;
    table->capacity = capacity;
    table->entries[table->count++] = (NameEntry){name, index};

    for (size_t size = 1; table->count % (2 * size) == 0; size *= 2) {
        merge_last_runs(table, size);
    }
    return true;
}
