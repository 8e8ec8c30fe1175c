// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What every room uses: failing with a text, assertions for our own bugs, memory from the caller's allocator.

#ifndef BI_BASE_H
#define BI_BASE_H

#include <berth/base.h>

#if defined(__GNUC__)
#define BI_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define BI_PRINTF(format_index, first)
#endif

/// Ties a Def struct to this library version; set by the default functions, checked by the create functions.
#define BI_DEF_STAMP 0xB3270002u

/// Leaves a line of text for berth_error_text() and returns `status`. Cold paths only.
BerthStatus bi_fail(BerthStatus status, const char* format, ...) BI_PRINTF(2, 3);
/// Returns `status` and leaves no text: berth_error_text() is "" until the next bi_fail. For functions of every cycle; it
/// allocates and waits for nothing.
BerthStatus bi_fail_quietly(BerthStatus status);
/// Puts "prefix: " (formatted) before the text that is already there; returns `status`.
BerthStatus bi_fail_prefix(BerthStatus status, const char* format, ...) BI_PRINTF(2, 3);
/// Control characters become '?': what a file says may be part of a message, but never moves a terminal's cursor.
void bi_make_one_line(char* text);
/// Is there no control character in it?
bool bi_is_one_line(const char* text);

/// BI_ASSERT: cheap, on in debug builds and in all CI tests. BI_VALIDATE: walks whole structures.
/// For our own bugs only: what a caller or a file can cause is a status.
#if defined(BI_ASSERTS) && BI_ASSERTS
_Noreturn void bi_assert_failed(const char* condition, const char* file, int line);
#define BI_ASSERT(condition) ((condition) ? (void)0 : bi_assert_failed(#condition, __FILE__, __LINE__))
#define BI_VALIDATE(condition) BI_ASSERT(condition)
#else
#define BI_ASSERT(condition) ((void)0)
#define BI_VALIDATE(condition) ((void)0)
#endif

/// Returns the allocator to use for one that may be null or all zero.
BerthAllocator bi_allocator_or_default(const BerthAllocator* allocator);
/// Memory for `count` items of `size` bytes, zeroed; null when there is none or the product overflows.
/// count = 0 gives a valid pointer to nothing. bi_give takes the same count and size.
void* bi_take(const BerthAllocator* allocator, size_t count, size_t size);
/// The same with whatever is in it: for gigabytes that are written anyway, in steps that can be ended.
void* bi_take_raw(const BerthAllocator* allocator, size_t count, size_t size);
void bi_give(const BerthAllocator* allocator, void* block, size_t count, size_t size);

#endif
