// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Arena: chained blocks that double in size, freed together.

#include "base/arena.h"

#include <string.h>

struct ArenaBlock {
    ArenaBlock* older;
    size_t size;  // bytes of the whole block
    size_t used;  // bytes from its start, header included
    size_t pad;
};

enum { FIRST_BLOCK = 4096, ARENA_ALIGN = 16 };

void bi_arena_init(Arena* arena, const BerthAllocator* allocator, size_t limit) {
    *arena = (Arena){.allocator = bi_allocator_or_default(allocator), .limit = limit};
}

void bi_arena_free(Arena* arena) {
    for (ArenaBlock* block = arena->newest; block != NULL;) {
        ArenaBlock* older = block->older;
        arena->allocator.give(arena->allocator.user, block, block->size);
        block = older;
    }
    arena->newest = NULL;
    arena->total = 0;
}

static ArenaBlock* add_block(Arena* arena, size_t bytes) {
    size_t size = arena->newest != NULL ? arena->newest->size * 2 : FIRST_BLOCK;
    const size_t doubling_end = (size_t)1 << 24;  // a nearly empty last block should stay cheap
    size = size < doubling_end ? size : doubling_end;
    const size_t needed = bytes + sizeof(ArenaBlock);
    size = size < needed ? needed : size;

    if (arena->limit != 0 && (size > arena->limit || arena->total > arena->limit - size)) {
        return NULL;
    }

    ArenaBlock* block = arena->allocator.take(arena->allocator.user, size, 64);
    if (block == NULL) {
        return NULL;
    }

    *block = (ArenaBlock){.older = arena->newest, .size = size, .used = sizeof *block};
    arena->newest = block;
    arena->total += size;
    return block;
}

void* bi_arena_take(Arena* arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / 2 / size) {
        return NULL;
    }

    const size_t bytes = (count * size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    ArenaBlock* block = arena->newest;
    if (block == NULL || block->size - block->used < bytes) {
        block = add_block(arena, bytes);
        if (block == NULL) {
            return NULL;
        }
    }

    void* items = (char*)block + block->used;
    block->used += bytes;
    memset(items, 0, bytes);
    return items;
}

char* bi_arena_copy_text(Arena* arena, const char* text, size_t length) {
    char* copy = length < SIZE_MAX ? bi_arena_take(arena, length + 1, 1) : NULL;
    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

void* bi_arena_grow(Arena* arena, void* items, size_t count, size_t needed, size_t* capacity, size_t size) {
    if (items != NULL && needed <= *capacity) {
        return items;
    }

    size_t larger = *capacity > 0 ? *capacity : 8;
    while (larger < needed) {
        if (larger > SIZE_MAX / 2) {
            return NULL;
        }
        larger *= 2;
    }

    void* moved = bi_arena_take(arena, larger, size);
    if (moved != NULL) {
        if (count > 0) {
            memcpy(moved, items, count * size);
        }
        *capacity = larger;
    }
    return moved;
}
