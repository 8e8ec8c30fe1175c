// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Radix sort: linear time for every input, including hostile ones; stable, so the result is the same
// everywhere.

#ifndef BI_SORT_H
#define BI_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One thing to sort: by key; equal keys keep their order.
typedef struct SortItem {
    uint64_t key;
    uint32_t index;
} SortItem;

/// `scratch` has room for as many items. The sorted items end in `items`.
void bi_sort_items(SortItem* items, SortItem* scratch, size_t count);

/// The same for lists that may be long: in runs, which are merged. `go_on` is called several times a second; false ends it, with
/// the items in no order, and returns false.
bool bi_sort_long(SortItem* items, SortItem* scratch, size_t count, bool (*go_on)(void* user), void* user);

/// A key that orders finite doubles by value; -0 comes before 0.
uint64_t bi_sort_key(double value);

#endif
