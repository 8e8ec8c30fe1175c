// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files with rows of numbers about a scene's values: what the readers of states, segments and trajectories
// share. The header of a CSV names its columns; a row of a .npy has one state after the other.

#ifndef BI_IO_TABLE_H
#define BI_IO_TABLE_H

#include <berth/scene.h>

#include "io/syntax/csv.h"
#include "io/syntax/file.h"
#include "io/syntax/npy.h"

/// Most numbers in one file: 2 GB of them.
#define BI_TABLE_NUMBER_MAX ((int64_t)1 << 28)

enum { BI_NAME_FAULT_SIZE = 320 };

/// What a column holds: a value of the scene, of one of the reader's kinds (a position, a velocity, ...). A column of a
/// joint that follows another says nothing new: it is compared with multiplier * value + offset.
typedef struct TableColumn {
    int32_t kind;   ///< from 0
    int32_t value;  ///< -1: none of the scene's, and then a column of its own
    bool follows;   ///< `value` is that of the joint it follows; -1: that one is fixed
    double multiplier, offset;
} TableColumn;

typedef struct Table Table;

/// What is special about one kind of file.
typedef struct TableForm {
    const char* rows;  ///< what rows are called: "states"
    int32_t
        npy_states;  ///< states in a row of a .npy, kinds 0 and up: shape (n, values), or (n, npy_states, values)
    int32_t kind_count;
    int32_t
        position_kinds;  ///< kinds 0 and up that are positions; the others are rates, which offsets do not change
    /// What a column of a CSV is, by its name. That it is there already is found by the caller.
    BerthStatus (*match)(const Table* table, const char* name, TableColumn* out);
    /// Whether the columns of a CSV, or the shape of a .npy, are what is expected.
    BerthStatus (*check)(const Table* table);
    /// The values of one row: what the file says over the scene's state, checked. Null: the reader does that in its own way.
    BerthStatus (*fill)(const Table* table, int32_t row, double* values);
} TableForm;

/// Of files of states and of segments: what berth_io_read_states and berth_io_read_segments read.
extern const TableForm bi_states_form, bi_segments_form;

struct Table {
    const TableForm* form;
    const BerthScene* scene;
    const char* path;  ///< for texts; borrowed
    bool binary;       ///< a .npy: a "line" is a byte
    int32_t row_count, column_count;
    int64_t first_row;  ///< of the file: 0, unless this is a piece of it

    CsvTable csv;            ///< when not binary
    TableColumn* columns;    ///< when not binary: column_count
    int32_t* first_columns;  ///< when not binary: for kind and value, 1 + the column, or 0

    NpyArray npy;         ///< when binary
    const char* numbers;  ///< when binary: those of the first row; borrowed
};

/// By its first bytes, or by its name.
bool bi_table_is_npy(const char* path, const char* data, size_t size);
/// Reads a whole table. `data` is borrowed until it is freed, which is needed after a failure as well.
BerthStatus bi_table_read(const TableForm* form, const char* path, const char* data, size_t size,
                          const BerthScene* scene, const BerthAllocator* allocator, Table* out);
/// The beginning of a table's file; borrowed.
typedef struct TableBytes {
    const char* path;
    const char* data;
    size_t
        size;  ///< bytes of `data`: at least the header, which of a CSV ends with the first line that is not blank
    size_t file_size;  ///< bytes of the whole file
} TableBytes;
/// The same without the rows, which come later, piece by piece.
BerthStatus bi_table_read_header(const TableForm* form, const TableBytes* bytes, const BerthScene* scene,
                                 const BerthAllocator* allocator, Table* out);
/// There are no rows: an answer about nothing would read like a good one.
BerthStatus bi_table_fail_empty(const Table* table);
void bi_table_free(Table* table);

TableColumn bi_table_column(const Table* table, int32_t column);
double bi_table_number(const Table* table, int32_t row, int32_t column);
/// The line of a row, or its first byte in a binary file.
int64_t bi_table_line(const Table* table, int32_t row);
/// The column that has this value in this kind, or -1; CSV only, and among those that are matched already.
int32_t bi_table_find_column(const Table* table, int32_t kind, int32_t value);
/// Its place among all rows of the file, counted from 0.
int64_t bi_table_row_number(const Table* table, int32_t row);
/// Whether all columns of joints that follow others agree with these, in a row that was filled: `kinds` has, for each
/// kind, the scene's values in that row, or null. CSV only; a .npy has no such columns.
BerthStatus bi_table_check_followers(const Table* table, int32_t row, const double* const* kinds);
/// "PATH:LINE: column 'NAME': ..." about the header of a CSV.
BerthStatus bi_table_fail_column(const Table* table, const char* name, const char* format, ...)
    BI_PRINTF(3, 4);

/// What every public reader of this room begins with: its arguments are there, the options are settled, the file is
/// read. `what` is for texts. `bytes` may be freed in any case.
BerthStatus bi_io_open_motion(const char* what, const char* path, const BerthScene* scene, const void* out,
                              const BerthIoOptions** options, FileBytes* bytes);
/// Whether so many rows, of `states` states each, can be read. `rows` is what they are called.
BerthStatus bi_io_check_row_count(const char* path, const char* rows, int64_t row_count, int64_t states,
                                  const BerthScene* scene);

/// The value of that name, or -1 with the reason in `fault` (BI_NAME_FAULT_SIZE bytes).
int32_t bi_io_match_value(const BerthScene* scene, const char* name, char* fault);
/// What a joint's name stands for: a value, or a joint that follows another one. False with the reason in `fault`.
bool bi_io_match_column(const BerthScene* scene, const char* name, int32_t kind, TableColumn* out,
                        char* fault);
/// What a joint that follows another must be, `rate` for velocities and accelerations; `values` may be null when it
/// follows nothing that moves.
double bi_io_follower_value(const TableColumn* column, const double* values, bool rate);
/// Whether it is that. NaN is not.
bool bi_io_follower_agrees(double told, double expected);
/// In `fault`: that there is no joint of that name, and what was probably meant.
void bi_io_describe_missing(const BerthScene* scene, const char* name, char* fault);
/// True when a column's name is a number: a row stands where the header should.
bool bi_io_is_number(const char* name);

/// Puts "PATH:LINE: " or "PATH: byte N: " before the text that is already there. The file is at fault.
BerthStatus bi_io_fail_at(const char* path, int64_t place, bool binary);

/// Makes the quaternions of floating joints unit, then checks all values. The text names the joint.
BerthStatus bi_io_normalize_and_check_state(const BerthScene* scene, double* values);
/// No floating joint has opposite orientations in two rows. The text names the joint.
BerthStatus bi_io_check_half_turns(const BerthScene* scene, const double* from, const double* to);

#endif
