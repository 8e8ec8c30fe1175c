// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Radix sort, one byte per pass; passes in which all keys agree are skipped.

#include "base/sort.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGIT_COUNT = 64 / DIGIT_BITS, BIN_COUNT = 1 << DIGIT_BITS };

void bi_sort_items(SortItem* items, SortItem* scratch, size_t count) {
    size_t bins[DIGIT_COUNT][BIN_COUNT];
    memset(bins, 0, sizeof bins);

    // One pass counts the digits of all places.
    for (size_t i = 0; i < count; i++) {
        for (int digit = 0; digit < DIGIT_COUNT; digit++) {
            bins[digit][(items[i].key >> (digit * DIGIT_BITS)) & (BIN_COUNT - 1)]++;
        }
    }

    SortItem* from = items;
    SortItem* to = scratch;
    for (int digit = 0; digit < DIGIT_COUNT; digit++) {
        size_t* bin = bins[digit];
        const int shift = digit * DIGIT_BITS;
        if (count == 0 || bin[(items[0].key >> shift) & (BIN_COUNT - 1)] == count) {
            continue;  // all keys agree here
        }

        // The sizes of the bins become their starts.
        size_t start = 0;
        for (int i = 0; i < BIN_COUNT; i++) {
            const size_t size = bin[i];
            bin[i] = start;
            start += size;
        }

        for (size_t i = 0; i < count; i++) {
            to[bin[(from[i].key >> shift) & (BIN_COUNT - 1)]++] = from[i];
        }

        SortItem* swap = from;
        from = to;
        to = swap;
    }

    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
}

// ---- long lists ------------------------------------------------------------------------------------------------

enum { RUN_MOST = 1 << 20 };

// Merges two runs that follow each other, [first, middle) and [middle, end).
static bool merge_runs(SortItem* items, SortItem* scratch, size_t first, size_t middle, size_t end,
                       bool (*go_on)(void* user), void* user) {
    size_t a = first, b = middle;
    for (size_t i = first; i < end; ++i) {
        if (b == end || (a < middle && items[a].key <= items[b].key)) {
            scratch[i] = items[a++];
        } else {
            scratch[i] = items[b++];
        }

        if (i % RUN_MOST == 0 && !go_on(user)) {
            return false;
        }
    }

    memcpy(items + first, scratch + first, (end - first) * sizeof *items);
    return true;
}

bool bi_sort_long(SortItem* items, SortItem* scratch, size_t count, bool (*go_on)(void* user), void* user) {
    bool going = true;
    for (size_t at = 0; at < count && going; at += RUN_MOST) {
        bi_sort_items(items + at, scratch + at, count - at < RUN_MOST ? count - at : RUN_MOST);
        going = go_on(user);
    }

    for (size_t run = RUN_MOST; run < count && going; run *= 2) {
        for (size_t at = 0; at < count && count - at > run && going; at += 2 * run) {
            const size_t end = count - at < 2 * run ? count : at + 2 * run;
            going = merge_runs(items, scratch, at, at + run, end, go_on, user);
        }
    }
    return going;
}

uint64_t bi_sort_key(double value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t sign = (uint64_t)1 << 63;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}
