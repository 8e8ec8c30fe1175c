// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A call that must succeed; else the running test fails with the call and its text. Needs <cmocka.h>.

#ifndef TEST_SUPPORT_MUST_H
#define TEST_SUPPORT_MUST_H

#define MUST(call)                                         \
    do {                                                   \
        if ((call) != BERTH_OK) {                          \
            fail_msg("%s: %s", #call, berth_error_text()); \
        }                                                  \
    } while (0)

#endif
