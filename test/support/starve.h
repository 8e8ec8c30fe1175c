// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The n-th allocation fails, for all n.

#ifndef TEST_SUPPORT_STARVE_H
#define TEST_SUPPORT_STARVE_H

#include "support/meshes.h"

/// Makes something with this allocator, looks at it when that succeeds, and destroys it: all blocks are given back,
/// whatever is returned. `allocator->user` is the TestAllocator.
typedef BerthStatus StarveTry(void* user, const BerthAllocator* allocator);

/// Tries with the n-th request failing, n = 0, 1, ..., until none fails; once with all later requests granted, once with
/// all of them failing, too; unless test_is_whole(), each n in one of the two ways. The running test fails when a request
/// failed and the answer is not BERTH_ERR_MEMORY, when the last one is not BERTH_OK, or when a block is left. Returns how
/// many requests can fail.
int64_t starve(StarveTry* attempt, void* user);
/// The same for what takes no allocator but the heap's memory: it gets a null. Blocks that are left are found by the leak
/// sanitizer only. One thread at a time.
int64_t starve_heap(StarveTry* attempt, void* user);

/// For heap.c: tries once; the n-th request is refused when true is returned.
typedef bool StarveOnce(StarveTry* attempt, void* user, int64_t n, bool forever);
int64_t starve_all(StarveOnce* once, StarveTry* attempt, void* user);
/// For heap.c: true when request n was refused, and the answer is the one for that.
bool starve_judge(const TestAllocator* counts, int64_t n, BerthStatus status);

#endif
