// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Sorting by radix: linear time for every input, hostile ones too; stable, so the result is the same
// everywhere.

#ifndef BI_SORT_H
#define BI_SORT_H

#include <stddef.h>
#include <stdint.h>

/// One thing to sort: by key; equal keys keep their order.
typedef struct SortItem {
    uint64_t key;
    uint32_t index;
} SortItem;

/// `scratch` has room for as many items. The sorted items end in `items`.
void bi_sort_items(SortItem* items, SortItem* scratch, size_t count);

/// A key that orders finite doubles by value; -0 comes before 0.
uint64_t bi_sort_key(double value);

#endif
