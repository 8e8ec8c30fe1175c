// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Permits that wait for the thread that writes them over DDS.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "apps/guard/pending.h"

// Each write was held up by 20 ms, of a guard with cycles of 30 ms: up to sixteen permits waited for the thread that writes them, and
// each said "go, for 45 ms" when it was written, however long ago it was given. A peer heard "go" until 0.24 s after the last joint
// state, long after the guard had stopped; 0.03 s is usual.
static void a_permit_that_waited_too_long_is_none(void** state) {
    (void)state;
    const BerthPermit given[3] = {{.sequence = 7, .go = true, .scale = 1.0},
                                  {.sequence = 8, .retreat = true, .reason = BERTH_STOP_NEAR},
                                  {.sequence = 9, .reason = BERTH_STOP_LATE, .cause = BERTH_STOP_LATE}};
    for (int i = 0; i < 3; ++i) {
        const PendingPermit pending = {.stream = 3, .until = 100.015, .permit = given[i]};
        const bool lives = given[i].go || given[i].retreat;

        BerthPermit p = pending_as_of(&pending, 100.010);
        assert_true(p.go == given[i].go && p.retreat == given[i].retreat && p.reason == given[i].reason);
        assert_true(p.sequence == given[i].sequence && p.scale == given[i].scale);
        assert_true(lives ? fabs(p.valid_until - 0.005) < 1e-9 : p.valid_until == 0.0);

        // At its end, after it, and where the clock is none.
        const double late[3] = {100.015, 101.0, (double)NAN};
        for (int k = 0; k < 3; ++k) {
            p = pending_as_of(&pending, late[k]);
            assert_true(!p.go && !p.retreat && p.valid_until == 0.0 && p.scale == 0.0);
            assert_int_equal(p.reason, lives ? BERTH_STOP_OVERRUN : BERTH_STOP_LATE);
            assert_true(p.sequence == given[i].sequence && p.cause == given[i].cause);
        }
    }
}

int test_guard_pending(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_permit_that_waited_too_long_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
