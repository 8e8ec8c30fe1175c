// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT

#include "support/setting.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool skip_said;

const char* test_shared_dir(void) {
    const char* dir = getenv("BERTH_SHARED_DIR");
    if (dir == NULL || dir[0] == '\0') {
        dir = BERTH_SHARED_DIR;
    }
    struct stat info;
    return stat(dir, &info) == 0 && S_ISDIR(info.st_mode) ? dir : NULL;
}

bool test_shared_path(char* out, size_t size, const char* relative) {
    const char* dir = test_shared_dir();
    if (dir == NULL) {
        return false;
    }
    const int length = snprintf(out, size, "%s/%s", dir, relative);
    struct stat info;
    return length > 0 && (size_t)length < size && stat(out, &info) == 0;
}

static double positive_setting(const char* name) {
    const char* text = getenv(name);
    const double value = text == NULL ? 1.0 : atof(text);
    return value > 0.0 ? value : 1.0;
}

bool test_is_long(void) {
    return getenv("BERTH_TEST_LONG") != NULL;
}

bool test_is_whole(void) {
    return test_is_long() || positive_setting("BERTH_TEST_SCALE") >= 1.0;
}

int test_scaled(int count) {
    const double scale = positive_setting("BERTH_TEST_SCALE");
    const double share = test_is_long() ? 1.0 : positive_setting("BERTH_TEST_SHARE");
    // Below a tenth some tests see too few cases to show that they could fail: a share takes nothing away there.
    const double scaled = count * fmax(scale * share, fmin(scale, 0.1));
    return scaled < 1.0 ? 1 : scaled > 1e9 ? 1000000000 : (int)scaled;
}

void test_say_skip(const char* format, ...) {
    va_list args;
    va_start(args, format);
    fputs("SKIP: ", stdout);
    vprintf(format, args);
    fputs("\n", stdout);
    fflush(stdout);
    va_end(args);
    skip_said = true;
}

bool test_skip_was_said(void) {
    const bool said = skip_said;
    skip_said = false;
    return said;
}
