// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Numbers that read back exactly, and lengths that people can read.

#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void number_write(char text[NUMBER_SIZE], double value) {
    if (!isfinite(value)) {
        (void)snprintf(text, NUMBER_SIZE, "null");
        return;
    }
    if (value == 0.0) {
        (void)snprintf(text, NUMBER_SIZE, "0");  // never -0
        return;
    }

    // 15 digits survive a trip through a double and %g drops trailing zeros, so nothing shorter is missed; only
    // numbers near the end of the range have fewer digits to offer.
    for (int digits = fabs(value) < 1e-300 ? 1 : 15; digits <= 17; ++digits) {
        (void)snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }

    for (char* c = text; *c != '\0'; ++c) {
        if (*c == ',') {
            *c = '.';  // in case a library has set a locale
        }
    }
}

void number_write_triple(char text[TRIPLE_SIZE], BerthVec3 v) {
    char x[NUMBER_SIZE], y[NUMBER_SIZE], z[NUMBER_SIZE];
    number_write(x, v.x);
    number_write(y, v.y);
    number_write(z, v.z);
    (void)snprintf(text, TRIPLE_SIZE, "[%s, %s, %s]", x, y, z);
}

// One decimal, or three significant digits below 1; zero without a sign.
static void write_millimetres(char text[NUMBER_SIZE], double millimetres, const char* unit) {
    if (fabs(millimetres) >= 1.0) {
        (void)snprintf(text, NUMBER_SIZE, "%.1f%s", millimetres, unit);
    } else {
        (void)snprintf(text, NUMBER_SIZE, "%.3g%s", millimetres + 0.0, unit);
    }
}

void number_write_length(char text[NUMBER_SIZE], double metres) {
    const double size = fabs(metres);
    if (!isfinite(metres)) {
        (void)snprintf(text, NUMBER_SIZE, "an unknown distance");
    } else if (size >= 1.0) {
        (void)snprintf(text, NUMBER_SIZE, "%.3f m", metres);
    } else if (size >= 1e-4 || size == 0.0) {
        write_millimetres(text, 1e3 * metres, " mm");
    } else if (size >= 1e-7) {
        (void)snprintf(text, NUMBER_SIZE, "%.3g um", 1e6 * metres);
    } else {
        (void)snprintf(text, NUMBER_SIZE, "%.3g nm", 1e9 * metres);
    }
}

void number_write_millimetres(char text[NUMBER_SIZE], double metres) {
    if (isfinite(metres)) {
        write_millimetres(text, 1e3 * metres, "");
    } else {
        (void)snprintf(text, NUMBER_SIZE, "-");
    }
}
