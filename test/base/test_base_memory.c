// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Statuses and their texts, the allocator hook, the arena.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "support/meshes.h"

static void texts_name_things(void** state) {
    (void)state;
    assert_int_equal(bi_fail(BERTH_ERR_PARSE, "%s: %d", "here", 7), BERTH_ERR_PARSE);
    assert_string_equal(berth_error_text(), "here: 7");
    assert_int_equal(bi_fail_prefix(BERTH_ERR_PARSE, "%s", "file"), BERTH_ERR_PARSE);
    assert_string_equal(berth_error_text(), "file: here: 7");

    // A function of every cycle that fails leaves no text, and not that of another failure either.
    BerthPose pose;
    assert_int_equal(berth_pose_from_quat((BerthVec3){0, 0, 0}, (BerthQuat){0, 0, 0, 0}, &pose),
                     BERTH_ERR_ARGUMENT);
    assert_string_equal(berth_error_text(), "");
    assert_int_equal(bi_fail_prefix(BERTH_ERR_STALE, "%s", "file"), BERTH_ERR_STALE);
    assert_string_equal(berth_error_text(), "file: an id names something removed");
    assert_int_equal(bi_fail_quietly(BERTH_ERR_CAPACITY), BERTH_ERR_CAPACITY);
    assert_string_equal(berth_error_text(), "");
    assert_int_equal(bi_fail(BERTH_ERR_PARSE, "again"), BERTH_ERR_PARSE);
    assert_string_equal(berth_error_text(), "again");

    assert_string_equal(berth_status_name(BERTH_ERR_STALE), "BERTH_ERR_STALE");
    assert_string_equal(berth_status_meaning(BERTH_ERR_CAPACITY), "a buffer fixed at creation is full");
    assert_string_equal(berth_status_name((BerthStatus)99), "unknown status");
    assert_string_equal(berth_verdict_name(BERTH_UNKNOWN), "unknown");
    assert_string_equal(berth_verdict_name(BERTH_COLLISION), "collision");
    assert_string_equal(berth_reason_name(BERTH_REASON_TOO_CLOSE), "too_close");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", BERTH_VERSION_MAJOR, BERTH_VERSION_MINOR,
             BERTH_VERSION_PATCH);
    assert_string_equal(berth_version(), version);
    // Cleared memory is UNKNOWN: a forgotten query is never free.
    BerthVerdict verdict;
    memset(&verdict, 0, sizeof verdict);
    assert_int_equal(verdict, BERTH_UNKNOWN);
}

// A text longer than the buffer is cut, and a prefix before a full one stays in front.
static void long_texts_are_cut(void** state) {
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    bi_fail(BERTH_ERR_PARSE, "%s", text);
    assert_int_equal(strlen(berth_error_text()), 2047);
    bi_fail_prefix(BERTH_ERR_PARSE, "front");
    assert_memory_equal(berth_error_text(), "front: xxx", 10);
    assert_int_equal(strlen(berth_error_text()), 2047);
    bi_fail_prefix(BERTH_ERR_PARSE, "%s", text);
    assert_true(strlen(berth_error_text()) <= 2047);
}

static void sizes_that_overflow_are_refused(void** state) {
    (void)state;
    const BerthAllocator heap = berth_default_allocator();
    assert_null(bi_take(&heap, SIZE_MAX / 2, 3));
    assert_null(bi_take(&heap, SIZE_MAX, 1));
    void* none = bi_take(&heap, 0, 8);
    assert_non_null(none);
    bi_give(&heap, none, 0, 8);
    Arena arena;
    bi_arena_init(&arena, NULL, 0);
    assert_null(bi_arena_take(&arena, SIZE_MAX / 2, 3));
    bi_arena_free(&arena);
}

static void arenas_keep_what_they_hold(void** state) {
    (void)state;
    TestAllocator counts = {.fail_at = -1};
    const BerthAllocator allocator = test_allocator(&counts);
    Arena arena;
    bi_arena_init(&arena, &allocator, 0);
    unsigned char* blocks[500];
    for (int i = 0; i < 500; ++i) {
        blocks[i] = bi_arena_take(&arena, (size_t)i * 7 + 1, 1);
        assert_non_null(blocks[i]);
        for (int k = 0; k <= i * 7; ++k) {
            assert_int_equal(blocks[i][k], 0);
        }
        memset(blocks[i], i & 255, (size_t)i * 7 + 1);
    }
    for (int i = 0; i < 500; ++i) {
        for (int k = 0; k <= i * 7; ++k) {
            assert_int_equal(blocks[i][k], i & 255);
        }
    }
    int* items = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; ++i) {
        items = bi_arena_grow(&arena, items, i, i + 1, &capacity, sizeof *items);
        items[i] = (int)i;
    }
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(items[i], i);
    }
    assert_string_equal(bi_arena_copy_text(&arena, "hello world", 5), "hello");
    bi_arena_free(&arena);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.live_bytes, 0);
}

static void arenas_respect_limits_and_failures(void** state) {
    (void)state;
    Arena arena;
    bi_arena_init(&arena, NULL, 100000);
    size_t got = 0;
    while (bi_arena_take(&arena, 1000, 1) != NULL) {
        got += 1000;
    }
    assert_true(got > 10000 && got <= 100000 && arena.total <= 100000);
    bi_arena_free(&arena);
    TestAllocator counts = {.fail_at = 1};
    const BerthAllocator allocator = test_allocator(&counts);
    bi_arena_init(&arena, &allocator, 0);
    assert_non_null(bi_arena_take(&arena, 100, 1));
    assert_null(bi_arena_take(&arena, 100000, 1));
    assert_non_null(bi_arena_take(&arena, 100000, 1));
    bi_arena_free(&arena);
    assert_int_equal(counts.live, 0);
}

int test_base_memory(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_name_things),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(arenas_keep_what_they_hold),
        cmocka_unit_test(arenas_respect_limits_and_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
