// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Long lists are sorted in runs: the result is that of one sort, and equal keys keep their order.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <cmocka.h>

#include "base/sort.h"
#include "math/math.h"

/// Counts how often it was asked; says stop from `most` on.
typedef struct Asked {
    int count, most;
} Asked;

static bool go_on(void* user) {
    Asked* asked = user;
    return ++asked->count < asked->most;
}

static void long_lists(void** state) {
    (void)state;
    static const size_t counts[] = {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2500000};
    const size_t most = 2500000;
    SortItem* items = malloc(most * sizeof *items);
    SortItem* scratch = malloc(most * sizeof *scratch);
    assert_true(items != NULL && scratch != NULL);
    Random random = {3};

    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
        for (size_t i = 0; i < counts[k]; ++i) {
            // Few keys, so that many are equal.
            items[i] = (SortItem){bi_random_next(&random) % 50000 << 20, (uint32_t)i};
        }

        Asked asked = {0, 1000};
        assert_true(bi_sort_long(items, scratch, counts[k], go_on, &asked));
        for (size_t i = 1; i < counts[k]; ++i) {
            const bool later = items[i - 1].key == items[i].key && items[i - 1].index < items[i].index;
            assert_true(items[i - 1].key < items[i].key || later);
        }

        asked = (Asked){0, 1};
        assert_true(bi_sort_long(items, scratch, counts[k], go_on, &asked) == (counts[k] == 0));
        assert_true(asked.count <= 1);
    }

    free(items);
    free(scratch);
}

int test_base_sort(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
