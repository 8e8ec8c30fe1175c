// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// starve_heap: the linker turns the library's calls of aligned_alloc into calls of __wrap_aligned_alloc (CMakeLists.txt),
// which are granted by the real one unless a test starves the heap.

#include "support/starve.h"

void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);

static const BerthAllocator* starved;  // null: the heap has all that is wanted

void* __wrap_aligned_alloc(size_t alignment, size_t size) {
    if (starved == NULL) {
        return __real_aligned_alloc(alignment, size);
    }
    const BerthAllocator* from = starved;
    starved = NULL;  // it takes its blocks from here
    void* block = from->take(from->user, size, alignment);
    starved = from;
    return block;
}

static bool starve_heap_at(StarveTry* attempt, void* user, int64_t n, bool forever) {
    static TestAllocator counts;  // outlive a test that is left by a failed assertion
    static BerthAllocator allocator;
    counts = (TestAllocator){.fail_at = n, .forever = forever};
    allocator = test_allocator(&counts);
    starved = &allocator;
    const BerthStatus status = attempt(user, NULL);
    starved = NULL;
    return starve_judge(&counts, n, status);
}

int64_t starve_heap(StarveTry* attempt, void* user) {
    return starve_all(starve_heap_at, attempt, user);
}
