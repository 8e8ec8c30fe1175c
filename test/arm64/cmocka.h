// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What tests use of cmocka, for tools/test_arm64: there is no cmocka for another processor beside Debian's cross compiler.
// A failed assertion ends the program.

#ifndef TEST_ARM64_CMOCKA_H
#define TEST_ARM64_CMOCKA_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char* name;
    void (*run)(void** state);
};
#define cmocka_unit_test(function) \
    { #function, function }
#define cmocka_run_group_tests(tests, setup, teardown) \
    arm64_run_tests(tests, sizeof(tests) / sizeof((tests)[0]))
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    cmocka_run_group_tests(tests, setup, teardown)

static inline int arm64_run_tests(const struct CMUnitTest* tests, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        void* state = NULL;
        tests[i].run(&state);
        printf("passed: %s\n", tests[i].name);
        fflush(stdout);
    }
    return 0;
}

static inline void arm64_require(int holds, const char* what, const char* file, int line) {
    if (!holds) {
        printf("FAILED %s:%d: %s\n", file, line, what);
        exit(1);
    }
}
#define arm64_must(holds, what) arm64_require((holds) ? 1 : 0, what, __FILE__, __LINE__)

#define assert_true(c) arm64_must(c, #c)
#define assert_false(c) arm64_must(!(c), "not " #c)
#define assert_int_equal(a, b) arm64_must((long long)(a) == (long long)(b), #a " == " #b)
#define assert_int_not_equal(a, b) arm64_must((long long)(a) != (long long)(b), #a " != " #b)
#define assert_null(p) arm64_must((p) == NULL, #p " is null")
#define assert_non_null(p) arm64_must((p) != NULL, #p " is not null")
#define assert_string_equal(a, b) arm64_must(strcmp(a, b) == 0, #a " == " #b)
#define assert_memory_equal(a, b, size) arm64_must(memcmp(a, b, size) == 0, #a " == " #b)
#define assert_in_range(x, low, high) arm64_must((x) >= (low) && (x) <= (high), #x " in range")
#define fail_msg(...) (printf(__VA_ARGS__), arm64_must(0, "fail_msg"))
#define fail() arm64_must(0, "fail")
#define skip() exit(77)
#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) printf(__VA_ARGS__)

#endif
