// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Arena: many small objects with one lifetime. Blocks are chained; everything is freed at once.

#ifndef BI_ARENA_H
#define BI_ARENA_H

#include "base/base.h"

typedef struct ArenaBlock ArenaBlock;
typedef struct Arena {
    BerthAllocator allocator;
    ArenaBlock* newest;
    size_t total;  ///< bytes taken from the allocator
    size_t limit;  ///< most bytes it may take; more fails like memory running out. 0: no limit
} Arena;

void bi_arena_init(Arena* arena, const BerthAllocator* allocator, size_t limit);
void bi_arena_free(Arena* arena);
/// Zeroed memory for `count` items; null when there is none.
void* bi_arena_take(Arena* arena, size_t count, size_t size);
/// A copy of `length` bytes with a zero behind it.
char* bi_arena_copy_text(Arena* arena, const char* text, size_t length);

/// Room for `needed` items in an arena-backed array that grows by doubling: returns the (perhaps moved)
/// array or null. `*capacity` is updated.
void* bi_arena_grow(Arena* arena, void* items, size_t count, size_t needed, size_t* capacity, size_t size);

#endif
