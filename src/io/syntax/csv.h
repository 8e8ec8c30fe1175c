// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Tables of numbers as CSV: a header of names, then rows of numbers. Commas, quotes around fields, "" for a quote,
// CRLF, a byte order mark and blank lines are fine; a row of another length, an empty field or anything that is not a
// finite number is an error with FILE:LINE and the column's name.

#ifndef BI_IO_CSV_H
#define BI_IO_CSV_H

#include "base/arena.h"

enum { BI_CSV_COLUMN_MAX = 10000 };

typedef struct CsvTable {
    Arena arena;
    const char* path;    ///< for texts; borrowed
    const char** names;  ///< column_count, none empty, none twice
    int32_t column_count;
    int32_t header_line;  ///< from 1
    int32_t row_count;
    double* values;  ///< row_count rows of column_count
    int32_t* lines;  ///< of the rows
    size_t value_capacity, line_capacity;
    const char* at;  ///< what is not read yet
    const char* end;
    int32_t line;
} CsvTable;

/// Reads the header, so that its names can be judged before the rows are. `data` is borrowed until the rows are read.
/// To be freed also after a failure.
BerthStatus bi_csv_read_header(const char* data, size_t size, const char* path,
                               const BerthAllocator* allocator, CsvTable* out);
/// Reads the next row of what lies between `at` and `end` into `out` (column_count numbers); `*there` is false when there is
/// none left. Its line is `table->line`. Takes no memory: a file may be given piece by piece, cut between lines.
BerthStatus bi_csv_read_row(CsvTable* table, double* out, bool* there);
/// Reads all rows.
BerthStatus bi_csv_read_rows(CsvTable* table);
void bi_csv_free(CsvTable* table);

#endif
