// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-labels: threads
// Work that makes more work: every item is done once, for any number of threads, with a list that overflows too.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"

enum { LEAVES = 3000 };

/// Numbers from begin to before end, to be counted one by one.
typedef struct Range {
    int32_t begin, end;
} Range;

typedef struct Count {
    atomic_int times[LEAVES];
    int32_t fan;  // parts that a range is cut into
} Count;

static void count_range(void* user, WorkList* list, const void* item) {
    Count* count = user;
    Range range;
    memcpy(&range, item, sizeof range);
    if (range.end - range.begin == 1) {
        atomic_fetch_add(&count->times[range.begin], 1);
        return;
    }

    const int32_t size = range.end - range.begin;
    for (int32_t i = 0; i < count->fan; ++i) {
        const Range part = {range.begin + (int32_t)((int64_t)size * i / count->fan),
                            range.begin + (int32_t)((int64_t)size * (i + 1) / count->fan)};
        if (part.begin < part.end && !bi_work_add(list, &part)) {
            count_range(user, list, &part);
        }
    }
}

static void all_is_done_once(void** state) {
    (void)state;
    const int32_t fans[3] = {2, 7, LEAVES};  // the last fills the list at once
    for (int f = 0; f < 3; ++f) {
        for (int32_t threads = 0; threads <= 5; ++threads) {
            static Count count;
            memset(&count, 0, sizeof count);
            count.fan = fans[f];
            const Range all = {0, LEAVES};
            bi_work_run(threads, count_range, &count, &all, sizeof all);
            for (int32_t i = 0; i < LEAVES; ++i) {
                assert_int_equal(atomic_load(&count.times[i]), 1);
            }
        }
    }
}

static void there_is_a_processor(void** state) {
    (void)state;
    assert_true(bi_processor_count() >= 1);
}

int test_base_threads(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_is_done_once),
                                       cmocka_unit_test(there_is_a_processor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
