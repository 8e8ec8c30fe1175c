// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The n-th allocation fails, for all n.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/setting.h"
#include "support/starve.h"

bool starve_judge(const TestAllocator* counts, int64_t n, BerthStatus status) {
    const bool refused = counts->taken > n;
    if (status != (refused ? BERTH_ERR_MEMORY : BERTH_OK)) {
        fail_msg("request %lld %s: %s (%s)", (long long)n, refused ? "failed" : "was not needed",
                 berth_status_name(status), berth_error_text());
    }
    return refused;
}

static bool starve_at(StarveTry* attempt, void* user, int64_t n, bool forever) {
    TestAllocator counts = {.fail_at = n, .forever = forever};
    const BerthAllocator allocator = test_allocator(&counts);
    const BerthStatus status = attempt(user, &allocator);
    const bool refused = starve_judge(&counts, n, status);
    if (counts.live != 0 || counts.live_bytes != 0) {
        fail_msg("request %lld failed: %lld blocks of %lld bytes are left", (long long)n,
                 (long long)counts.live, (long long)counts.live_bytes);
    }
    return refused;
}

int64_t starve_all(StarveOnce* once, StarveTry* attempt, void* user) {
    const int ways = test_is_whole() ? 2 : 1;
    int64_t count = 0;
    for (int way = 0; way < ways; ++way) {
        for (count = 0; once(attempt, user, count, ways == 2 ? way == 1 : count % 2 == 1); ++count) {
            assert_true(count < 100000);
        }
    }
    return count;
}

int64_t starve(StarveTry* attempt, void* user) {
    return starve_all(starve_at, attempt, user);
}
