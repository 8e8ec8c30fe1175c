// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Status texts, assertions and the default allocator.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // madvise
#endif

#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { ERROR_TEXT_SIZE = 2048 };
// The one mutable global of the library, and whether its text is about the last failure. In a program that is linked with the
// library both are in the memory that every thread is born with, so hot code may write the second. In one that loads it later
// (Python, plug-ins) the first failure of a thread allocates them. They must not be tied to the former (initial-exec): a block of
// 2 kB is too large for the room that the loader keeps for those who come later, and the library could not be loaded at all.
static _Thread_local char error_text[ERROR_TEXT_SIZE];
static _Thread_local bool text_is_old;

BerthStatus bi_fail(BerthStatus status, const char* format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error_text, sizeof error_text, format, args);
    va_end(args);
    bi_make_one_line(error_text);
    text_is_old = false;
    return status;
}

BerthStatus bi_fail_quietly(BerthStatus status) {
    text_is_old = true;
    return status;
}

BerthStatus bi_fail_prefix(BerthStatus status, const char* format, ...) {
    char prefix[ERROR_TEXT_SIZE];
    char old[ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);

    // The old text moves behind the prefix; its end is cut off when there is no room. A status without one has a meaning.
    memcpy(old, error_text, sizeof old);
    if (text_is_old) {
        (void)snprintf(old, sizeof old, "%s", berth_status_meaning(status));
    }
    text_is_old = false;
    const size_t length = strlen(prefix);
    const size_t room = sizeof error_text - 1;
    const size_t head = length < room ? length : room;

    memcpy(error_text, prefix, head);
    const size_t left = room - head;
    snprintf(error_text + head, left + 1, ": %.*s", (int)(left > 2 ? left - 2 : 0), old);
    bi_make_one_line(error_text);
    return status;
}

const char* berth_error_text(void) {
    return text_is_old ? "" : error_text;
}

#define AS_NAME(name, value, text) \
    case name:                     \
        return #name;
#define AS_TEXT(name, value, text) \
    case name:                     \
        return text;

const char* berth_status_name(BerthStatus status) {
    switch (status) { BERTH_STATUS_LIST(AS_NAME) }
    return "unknown status";
}

const char* berth_status_meaning(BerthStatus status) {
    switch (status) { BERTH_STATUS_LIST(AS_TEXT) }
    return "unknown status";
}

const char* berth_verdict_name(BerthVerdict verdict) {
    if (verdict == BERTH_FREE) {
        return "free";
    }
    return verdict == BERTH_COLLISION ? "collision" : "unknown";
}

const char* berth_reason_name(BerthReason reason) {
    switch (reason) {
    case BERTH_REASON_TOO_CLOSE:
        return "too_close";
    case BERTH_REASON_BUDGET:
        return "budget";
    case BERTH_REASON_NUMERIC:
        return "numeric";
    case BERTH_REASON_NONE:
        break;
    }
    return "";
}

#define AS_STRING_(x) #x
#define AS_STRING(x) AS_STRING_(x)

const char* berth_version(void) {
    return AS_STRING(BERTH_VERSION_MAJOR) "." AS_STRING(BERTH_VERSION_MINOR) "." AS_STRING(
        BERTH_VERSION_PATCH);
}

#if defined(BI_ASSERTS) && BI_ASSERTS
_Noreturn void bi_assert_failed(const char* condition, const char* file, int line) {
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
#endif

// Blocks of this size or more are placed in pages of 2 MiB where the system has them: otherwise a lookup in a large map
// waits as long for the page table as for the memory.
#define LARGE_BLOCK ((size_t)16 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

static void* heap_take(void* user, size_t size, size_t align) {
    (void)user;
    const size_t wanted = size >= LARGE_BLOCK && align < HUGE_PAGE ? HUGE_PAGE : align;
    const size_t alignment = wanted < sizeof(void*) ? sizeof(void*) : wanted;
    if (size > SIZE_MAX - alignment) {
        return NULL;
    }

    const size_t whole = (size + alignment - 1) / alignment * alignment;
    void* block = aligned_alloc(alignment, whole > 0 ? whole : alignment);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (block != NULL && size >= LARGE_BLOCK) {
        (void)madvise(block, whole, MADV_HUGEPAGE);  // advice: it may be refused
    }
#endif
    return block;
}

static void heap_give(void* user, void* block, size_t size) {
    (void)user;
    (void)size;
    free(block);
}

BerthAllocator berth_default_allocator(void) {
    return (BerthAllocator){heap_take, heap_give, NULL};
}

BerthAllocator bi_allocator_or_default(const BerthAllocator* allocator) {
    return allocator != NULL && allocator->take != NULL && allocator->give != NULL
               ? *allocator
               : berth_default_allocator();
}

enum { BLOCK_ALIGN = 64 };  // a cache line, and the widest vector register

static bool block_size(size_t count, size_t size, size_t* bytes) {
    if (size != 0 && count > (SIZE_MAX - BLOCK_ALIGN) / size) {
        return false;
    }
    *bytes = count * size > 0 ? count * size : 1;
    return true;
}

void* bi_take_raw(const BerthAllocator* allocator, size_t count, size_t size) {
    size_t bytes = 0;
    return block_size(count, size, &bytes) ? allocator->take(allocator->user, bytes, BLOCK_ALIGN) : NULL;
}

void* bi_take(const BerthAllocator* allocator, size_t count, size_t size) {
    void* block = bi_take_raw(allocator, count, size);
    if (block != NULL) {
        memset(block, 0, count * size);
    }
    return block;
}

void bi_give(const BerthAllocator* allocator, void* block, size_t count, size_t size) {
    size_t bytes = 0;
    if (block != NULL && block_size(count, size, &bytes)) {
        allocator->give(allocator->user, block, bytes);
    }
}
