// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Numbers in text, the same in every locale and strict: the whole token is the number, or it is refused.

#ifndef BI_NUMBER_H
#define BI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A decimal number with a point, correctly rounded: [+-] digits [. digits] [e [+-] digits]. Refuses spaces,
/// `1,5`, `0.05abc`, nan, inf, hexadecimal, empty text, numbers too large for a double, more than 400
/// characters. `text` need not end in a zero byte. On failure `*out` is left alone.
bool bi_parse_double(const char* text, size_t length, double* out);
/// A decimal whole number: [+-] digits, within 64 bits.
bool bi_parse_int(const char* text, size_t length, int64_t* out);

/// What is wrong with a token that bi_parse_double refuses, for "...: 'TOKEN': REASON": "decimal comma (use a
/// point)", "trailing characters", "not a number", "not finite", ... Null when it is a number.
const char* bi_number_fault(const char* text, size_t length);

#endif
