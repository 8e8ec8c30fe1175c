// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Numbers in text. The grammar is checked here, so that strtod only ever sees valid numbers; short numbers,
// which are nearly all, are also converted here, exactly: both factors are exact doubles, so one rounding
// remains.
// Entries: bi_parse_double, bi_parse_int, bi_number_fault.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // strtod_l
#endif

#include "io/syntax/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Longer tokens are not numbers that a program or a person writes: 400 holds 1e308 in full and then some.
#define NUMBER_LENGTH_MAX 400

// The largest whole number below which all are doubles, and the largest power of ten that is one.
#define EXACT_MAX ((uint64_t)1 << 53)
#define EXACT_POWER_MAX 22

static const double g_power[EXACT_POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct NumberScan {
    size_t used;     // characters that belong to the number
    bool is_number;  // at least one digit, and a whole exponent if any
    bool negative;
    bool exact;       // digits and power say it all
    uint64_t digits;  // mantissa without its point
    int32_t power;    // of ten
} NumberScan;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void push_digit(NumberScan* scan, char c, bool fraction) {
    if (scan->digits < EXACT_MAX / 10) {
        scan->digits = scan->digits * 10 + (uint64_t)(c - '0');
        scan->power -= fraction ? 1 : 0;
    } else {
        scan->exact = false;
    }
}

// The longest prefix that is a number.
static NumberScan scan_number(const char* text, size_t length) {
    NumberScan scan = {.exact = true};
    size_t at = 0;
    if (at < length && (text[at] == '+' || text[at] == '-')) {
        scan.negative = text[at] == '-';
        at++;
    }

    // The mantissa.
    size_t digit_count = 0;
    for (; at < length && is_digit(text[at]); at++, digit_count++) {
        push_digit(&scan, text[at], false);
    }
    if (at < length && text[at] == '.') {
        at++;
        for (; at < length && is_digit(text[at]); at++, digit_count++) {
            push_digit(&scan, text[at], true);
        }
    }

    if (digit_count == 0) {
        return scan;
    }
    scan.is_number = true;
    scan.used = at;

    // An exponent without digits does not belong to the number.
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        bool negative = false;
        if (at < length && (text[at] == '+' || text[at] == '-')) {
            negative = text[at] == '-';
            at++;
        }

        int32_t exponent = 0;
        size_t start = at;
        for (; at < length && is_digit(text[at]); at++) {
            if (exponent < 100000) {  // larger ones are infinite or zero anyway
                exponent = exponent * 10 + (text[at] - '0');
            }
        }

        if (at > start) {
            scan.used = at;
            scan.power += negative ? -exponent : exponent;
        }
    }
    return scan;
}

// Only for tokens whose whole length scan_number accepts.
static double convert_slowly(const char* text, size_t length) {
    char copy[NUMBER_LENGTH_MAX + 1];
    memcpy(copy, text, length);
    copy[length] = '\0';
    // The C locale is a constant of the C library: nothing is allocated, nothing shared is changed.
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) {
        return NAN;
    }
    const double value = strtod_l(copy, NULL, c_locale);
    freelocale(c_locale);
    return value;
}

bool bi_parse_double(const char* text, size_t length, double* out) {
    if (length == 0 || length > NUMBER_LENGTH_MAX) {
        return false;
    }
    const NumberScan scan = scan_number(text, length);
    if (!scan.is_number || scan.used != length) {
        return false;
    }

    // Both factors are exact: one rounding, the correct one.
    if (FLT_EVAL_METHOD == 0 && scan.exact && scan.power >= -EXACT_POWER_MAX &&
        scan.power <= EXACT_POWER_MAX) {
        const double digits = (double)scan.digits;
        const double value = scan.power < 0 ? digits / g_power[-scan.power] : digits * g_power[scan.power];
        *out = scan.negative ? -value : value;
        return true;
    }

    const double value = convert_slowly(text, length);
    if (!isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

bool bi_parse_int(const char* text, size_t length, int64_t* out) {
    size_t at = 0;
    const bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '+' || text[0] == '-')) {
        at++;
    }
    if (at == length) {
        return false;
    }

    const uint64_t most = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t value = 0;
    for (; at < length; at++) {
        if (!is_digit(text[at])) {
            return false;
        }
        const uint64_t digit = (uint64_t)(text[at] - '0');
        if (value > (most - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }

    if (!negative) {
        *out = (int64_t)value;
    } else {
        *out = value == most ? INT64_MIN : -(int64_t)value;
    }
    return true;
}

static char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_with_word(const char* text, size_t length, const char* word) {
    const size_t word_length = strlen(word);
    if (length < word_length) {
        return false;
    }
    for (size_t i = 0; i < word_length; i++) {
        if (lower_case(text[i]) != word[i]) {
            return false;
        }
    }
    return true;
}

const char* bi_number_fault(const char* text, size_t length) {
    double value = 0;
    if (bi_parse_double(text, length, &value)) {
        return NULL;
    }
    if (length == 0) {
        return "empty, a number is expected";
    }
    if (length > NUMBER_LENGTH_MAX) {
        return "too many characters for a number";
    }

    // Words that are no decimal number at all.
    const bool has_sign = text[0] == '+' || text[0] == '-';
    const char* body = text + (has_sign ? 1 : 0);
    const size_t body_length = length - (has_sign ? 1 : 0);
    if (starts_with_word(body, body_length, "nan") || starts_with_word(body, body_length, "inf")) {
        return "not finite";
    }
    if (starts_with_word(body, body_length, "0x")) {
        return "hexadecimal numbers are not accepted";
    }

    // A number with something behind it.
    const NumberScan scan = scan_number(text, length);
    if (!scan.is_number) {
        return "not a number";
    }
    if (scan.used == length) {
        return "not finite (too large)";
    }
    return text[scan.used] == ',' ? "decimal comma (use a point)" : "trailing characters after the number";
}
