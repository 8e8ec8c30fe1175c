// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Text to be written to a file: it grows, uses a decimal point in every locale, and is written completely or
// not at all.

#ifndef BI_IO_TEXT_OUT_H
#define BI_IO_TEXT_OUT_H

#include "io/syntax/files.h"

/// Text that grows; `failed` once memory ran out, and everything after does nothing.
typedef struct TextOut {
    FileBytes bytes;
    bool failed;
} TextOut;

enum { TEXT_OUT_NUMBER = 40 };

void bi_text_out_bytes(TextOut* out, const char* text, size_t length);
/// At most 511 bytes at once; longer ones are left out.
void bi_text_out_add(TextOut* out, const char* format, ...) BI_PRINTF(2, 3);
/// The shortest decimal that reads back as the same number.
void bi_text_out_number(TextOut* out, double value);
/// For an XML attribute in double quotes.
void bi_text_out_quoted(TextOut* out, const char* text);

/// Seventeen digits, which read back exactly.
const char* bi_number_text(double value, char text[TEXT_OUT_NUMBER]);

/// Writes the text by bi_io_write_file, when `status` is BERTH_OK and memory did not run out. Frees it in any case.
BerthStatus bi_text_out_write(const char* path, TextOut* out, BerthStatus status,
                              const BerthIoOptions* options);

#endif
