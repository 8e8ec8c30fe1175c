// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a run tells its tests: where things are, how much work to do, and how a test says that it skips.

#ifndef TEST_SUPPORT_SETTING_H
#define TEST_SUPPORT_SETTING_H

#include <stdbool.h>
#include <stddef.h>

/// The folder of shared robots and meshes: $BERTH_SHARED_DIR, else ../shared beside the project.
/// NULL when there is no such folder; a test that needs it then calls TEST_SKIP.
const char* test_shared_dir(void);

/// Writes the path of a file of the shared folder to `out`. False when it does not exist or does not fit.
bool test_shared_path(char* out, size_t size, const char* relative);

/// How many random cases to run: `count` times $BERTH_TEST_SCALE (default 1), at least 1. `./dev test` scales down under
/// sanitizers. In ctest also times the file's own `// test-share:`, but not below a tenth, so that a whole run stays below
/// twelve minutes; `./dev test long` (BERTH_TEST_LONG=1) runs all.
int test_scaled(int count);

/// Is this `./dev test long`?
bool test_is_long(void);

/// Is this a run with all cases of its form, $BERTH_TEST_SCALE >= 1, whatever the file's share? Else it is one that looks
/// for what another compiler or a sanitizer finds, or the inner loop: fixed cases may be fewer and smaller there, too.
bool test_is_whole(void);

/// Is this built with the address or the thread sanitizer? gcc tells by macros, clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif

/// Is it the thread sanitizer? What one thread does is left to the others then.
#if defined(__SANITIZE_THREAD__)
#define TEST_THREADS_WATCHED 1
#else
#define TEST_THREADS_WATCHED 0
#endif

/// Prints `SKIP: reason` on a line of its own, which `./dev test` counts.
void test_say_skip(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// True once after test_say_skip; used by the generated main.
bool test_skip_was_said(void);

/// Ends the running cmocka test as skipped, with its reason. Needs <cmocka.h>.
#define TEST_SKIP(...)              \
    do {                            \
        test_say_skip(__VA_ARGS__); \
        skip();                     \
    } while (0)

#endif
