// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robots written as text inside tests, and what is said about them.

#ifndef TEST_SUPPORT_URDF_TEXT_H
#define TEST_SUPPORT_URDF_TEXT_H

#include <berth/io.h>

/// What a reading said besides its answer.
typedef struct TestTalk {
    int32_t warning_count;
    char first[3000];  ///< warning
    char last[3000];   ///< warning
} TestTalk;

/// Reads "r.urdf" and, if not null, "r.srdf" from memory; meshes become boxes. `talk` may be null.
BerthStatus test_read_text(const char* urdf, const char* srdf, bool free_base, TestTalk* talk,
                           BerthRobot** out);
/// A warn function that fills a TestTalk.
void test_hear(void* talk, const char* text);

#endif
