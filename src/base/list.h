// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A list of items of one size that grows while something is built.

#ifndef BI_LIST_H
#define BI_LIST_H

#include "base/base.h"

typedef struct GrowList {
    BerthAllocator allocator;
    void* data;
    size_t count, capacity;
    size_t size;  ///< of an item, bytes
} GrowList;

void bi_list_init(GrowList* list, const BerthAllocator* allocator, size_t size);
/// Frees the items; the list is empty then.
void bi_list_free(GrowList* list);
/// Room for `more` items behind the last, which the caller counts; null when there is no memory.
void* bi_list_more(GrowList* list, size_t more);

#endif
