// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// States and segments of files of any size. Taking rows is quick and in order: for a .npy it is their
// numbers, for a CSV their lines are located and copied. Reading them, which costs more, needs nothing but
// the piece: many threads do it at once.
// Entries: berth_io_open_rows, berth_io_close_rows, berth_rows_*, berth_row_piece_*.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // pread
#endif

#include <berth/io/motion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/motion/table.h"
#include "scene/scene.h"

enum {
    WINDOW_FIRST = 1 << 20,  // bytes of a CSV in memory; holds the longest header of a .npy
    WINDOW_MOST = 1 << 26    // and when a line is longer than that
};

/// Bytes that grow.
typedef struct Bytes {
    char* data;
    size_t size, capacity;
} Bytes;

struct BerthRows {
    BerthAllocator allocator;
    const char* path;
    int descriptor;
    int64_t file_size;
    Table table;        // without rows
    int64_t row_count;  // -1: not known
    int32_t row_size;
    int64_t next_row;  // that is taken next, in order
    // of a CSV
    Bytes window;  // read, of which `used` bytes are behind us
    size_t used;
    int64_t read_end;  // how far the file is read
    int64_t rows_begin;
    int32_t line;  // that was passed last
};

struct BerthRowPiece {
    const BerthRows* rows;
    int32_t most;
    int64_t first_row;
    int32_t row_count;
    int32_t first_line;  // the line before its first one
    Bytes text;          // of a CSV: its lines
    char* numbers;       // of a .npy: its bytes
    double* row;         // of a CSV: one row
    int32_t* lines;      // of a CSV: `most`
};

static BerthStatus fail_memory(const BerthRows* rows) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", rows->path);
}

static bool reserve(const BerthAllocator* allocator, Bytes* bytes, size_t capacity) {
    if (capacity <= bytes->capacity) {
        return true;
    }
    char* larger = bi_take_raw(allocator, capacity, 1);
    if (larger == NULL) {
        return false;
    }

    if (bytes->size > 0) {
        memcpy(larger, bytes->data, bytes->size);
    }
    bi_give(allocator, bytes->data, bytes->capacity, 1);
    bytes->data = larger;
    bytes->capacity = capacity;
    return true;
}

// ---- lines of a CSV --------------------------------------------------------------------------------------------

// Reads on, behind what is not used yet; `*more` is false at the end of the file.
static BerthStatus fill_window(BerthRows* rows, bool* more) {
    Bytes* window = &rows->window;
    *more = rows->read_end < rows->file_size;
    if (!*more) {
        return BERTH_OK;
    }

    if (rows->used > 0) {
        window->size -= rows->used;
        memmove(window->data, window->data + rows->used, window->size);
        rows->used = 0;
    }
    if (window->size == window->capacity) {
        if (window->capacity >= WINDOW_MOST) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: a line of more than %d bytes", rows->path,
                           (int)rows->line + 1, (int)WINDOW_MOST);
        }
        if (!reserve(&rows->allocator, window, 2 * window->capacity)) {
            return fail_memory(rows);
        }
    }

    const int64_t left = rows->file_size - rows->read_end;
    const size_t room = window->capacity - window->size;
    const size_t size = left < (int64_t)room ? (size_t)left : room;
    const BerthStatus status =
        bi_io_read_at(rows->descriptor, rows->path, rows->read_end, window->data + window->size, size);
    window->size += status == BERTH_OK ? size : 0;
    rows->read_end += status == BERTH_OK ? (int64_t)size : 0;
    return status;
}

// As the reader of rows has it: the end of the line aside, blanks alone.
static bool is_blank(const char* text, size_t size) {
    size -= size > 0 && text[size - 1] == '\n';
    size -= size > 0 && text[size - 1] == '\r';
    for (size_t i = 0; i < size; ++i) {
        if (text[i] != ' ' && text[i] != '\t') {
            return false;
        }
    }
    return true;
}

// The next line with its end, which lies in the window until the next call; a size of 0 at the end of the file.
static BerthStatus next_line(BerthRows* rows, const char** text, size_t* size) {
    bool more = true;
    size_t looked = 0;
    for (;;) {
        const Bytes* window = &rows->window;
        const size_t have = window->size - rows->used;
        const char* begin = window->data + rows->used;
        const char* newline = have > looked ? memchr(begin + looked, '\n', have - looked) : NULL;

        if (newline != NULL || !more) {
            *text = begin;
            *size = newline != NULL ? (size_t)(newline - begin) + 1 : have;
            rows->used += *size;
            break;
        }
        looked = have;
        const BerthStatus status = fill_window(rows, &more);
        if (status != BERTH_OK) {
            return status;
        }
    }

    if (*size > 0 && rows->line == INT32_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s: more lines than this version reads", rows->path);
    }
    rows->line += *size > 0;
    return BERTH_OK;
}

static void rewind_rows(BerthRows* rows) {
    rows->window.size = rows->used = 0;
    rows->read_end = rows->rows_begin;
    rows->line = rows->table.csv.header_line;
    rows->next_row = 0;
}

static BerthStatus skip_to(BerthRows* rows, int64_t first) {
    if (first < rows->next_row) {
        rewind_rows(rows);
    }
    while (rows->next_row < first) {
        const char* text = NULL;
        size_t size = 0;
        const BerthStatus status = next_line(rows, &text, &size);
        if (status != BERTH_OK || size == 0) {
            return status;
        }
        rows->next_row += !is_blank(text, size);
    }
    return BERTH_OK;
}

static BerthStatus copy_lines(BerthRows* rows, BerthRowPiece* piece) {
    piece->text.size = 0;
    piece->first_line = rows->line;
    while (piece->row_count < piece->most) {
        const char* text = NULL;
        size_t size = 0;
        const BerthStatus status = next_line(rows, &text, &size);
        if (status != BERTH_OK || size == 0) {
            return status;
        }

        Bytes* copy = &piece->text;
        const size_t needed = copy->size + size;
        if (needed > copy->capacity && !reserve(&rows->allocator, copy, 2 * needed)) {
            return fail_memory(rows);
        }
        memcpy(copy->data + copy->size, text, size);
        copy->size += size;

        const bool blank = is_blank(text, size);
        piece->row_count += !blank;
        rows->next_row += !blank;
    }
    return BERTH_OK;
}

// ---- opening ---------------------------------------------------------------------------------------------------

// Where the first line of a CSV ends that is not blank. Nothing of the window is used up meanwhile.
static BerthStatus find_header_end(BerthRows* rows, size_t* end) {
    const bool marked = rows->window.size >= 3 && memcmp(rows->window.data, "\xEF\xBB\xBF", 3) == 0;
    size_t begin = marked ? 3 : 0;
    for (;;) {
        const Bytes* window = &rows->window;
        const char* newline = memchr(window->data + begin, '\n', window->size - begin);
        if (newline == NULL) {
            bool more = true;
            const BerthStatus status = fill_window(rows, &more);
            if (status != BERTH_OK || !more) {
                *end = rows->window.size;
                return status;
            }
            continue;
        }

        *end = (size_t)(newline - window->data) + 1;
        if (!is_blank(window->data + begin, *end - begin)) {
            return BERTH_OK;
        }
        begin = *end;
    }
}

static BerthStatus read_header(BerthRows* rows, const BerthIoOptions* options, bool segments) {
    bool more = true;
    BerthStatus status = fill_window(rows, &more);
    size_t header = rows->window.size;
    if (status == BERTH_OK && !bi_table_is_npy(rows->path, rows->window.data, rows->window.size)) {
        status = find_header_end(rows, &header);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const TableBytes bytes = {
        .path = rows->path, .data = rows->window.data, .size = header, .file_size = (size_t)rows->file_size};
    status = bi_table_read_header(segments ? &bi_segments_form : &bi_states_form, &bytes, rows->table.scene,
                                  &options->allocator, &rows->table);
    rows->rows_begin = (int64_t)header;
    rows->row_count = rows->table.binary ? rows->table.npy.shape[0] : -1;
    if (status == BERTH_OK && rows->row_count == 0) {
        return bi_table_fail_empty(&rows->table);
    }
    return status;
}

BerthStatus berth_io_open_rows(const char* path, const BerthScene* scene, bool segments,
                               const BerthIoOptions* options, BerthRows** out) {
    if (path == NULL || scene == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "open rows: give a path, a scene and a place");
    }
    *out = NULL;
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator allocator = bi_allocator_or_default(&options->allocator);
    BerthRows* rows = bi_take(&allocator, 1, sizeof *rows);
    if (rows == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }

    rows->allocator = allocator;
    rows->path = path;
    rows->table.scene = scene;
    rows->table.binary = true;  // nothing to free yet
    rows->row_size = (segments ? 2 : 1) * scene->value_count;
    status = bi_io_open_file(path, options, &rows->descriptor, &rows->file_size);
    if (status == BERTH_OK && !reserve(&allocator, &rows->window, WINDOW_FIRST)) {
        status = fail_memory(rows);
    }
    if (status == BERTH_OK) {
        status = read_header(rows, options, segments);
    }

    if (status != BERTH_OK) {
        berth_io_close_rows(rows);
        return status;
    }
    rewind_rows(rows);
    *out = rows;
    return BERTH_OK;
}

void berth_io_close_rows(BerthRows* rows) {
    if (rows == NULL) {
        return;
    }

    if (rows->descriptor >= 0) {
        (void)close(rows->descriptor);
    }
    bi_table_free(&rows->table);
    const BerthAllocator allocator = rows->allocator;
    bi_give(&allocator, rows->window.data, rows->window.capacity, 1);
    bi_give(&allocator, rows, 1, sizeof *rows);
}

int64_t berth_rows_count(const BerthRows* rows) {
    return rows != NULL ? rows->row_count : 0;
}

int32_t berth_rows_row_size(const BerthRows* rows) {
    return rows != NULL ? rows->row_size : 0;
}

double berth_rows_share(const BerthRows* rows) {
    if (rows->table.binary) {
        return (double)rows->next_row / (double)rows->row_count;
    }
    const int64_t behind = rows->read_end - (int64_t)(rows->window.size - rows->used);
    return (double)behind / (double)rows->file_size;
}

// ---- pieces ----------------------------------------------------------------------------------------------------

BerthStatus berth_row_piece_create(const BerthRows* rows, int32_t most, BerthRowPiece** out) {
    if (rows == NULL || most <= 0 || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "row piece: give rows, a number above 0 and a place");
    }
    *out = NULL;
    BerthRowPiece* piece = bi_take(&rows->allocator, 1, sizeof *piece);
    if (piece == NULL) {
        return fail_memory(rows);
    }

    piece->rows = rows;
    piece->most = most;
    bool made = false;
    if (rows->table.binary) {
        piece->numbers =
            bi_take_raw(&rows->allocator, (size_t)most, (size_t)rows->row_size * sizeof(double) + 1);
        made = piece->numbers != NULL;
    } else {
        piece->row = bi_take(&rows->allocator, (size_t)rows->table.column_count, sizeof *piece->row);
        piece->lines = bi_take(&rows->allocator, (size_t)most, sizeof *piece->lines);
        made = piece->row != NULL && piece->lines != NULL;
    }

    if (!made) {
        berth_row_piece_destroy(piece);
        return fail_memory(rows);
    }
    *out = piece;
    return BERTH_OK;
}

void berth_row_piece_destroy(BerthRowPiece* piece) {
    if (piece == NULL) {
        return;
    }

    const BerthRows* rows = piece->rows;
    bi_give(&rows->allocator, piece->numbers, (size_t)piece->most,
            (size_t)rows->row_size * sizeof(double) + 1);
    bi_give(&rows->allocator, piece->row, (size_t)rows->table.column_count, sizeof *piece->row);
    bi_give(&rows->allocator, piece->lines, (size_t)piece->most, sizeof *piece->lines);
    bi_give(&rows->allocator, piece->text.data, piece->text.capacity, 1);
    bi_give(&rows->allocator, piece, 1, sizeof *piece);
}

BerthStatus berth_rows_take(BerthRows* rows, int64_t first, BerthRowPiece* piece, int32_t* count) {
    if (rows == NULL || piece == NULL || count == NULL || piece->rows != rows || first < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "take rows: give rows, a piece of them and a place");
    }
    piece->first_row = first;
    piece->row_count = *count = 0;

    BerthStatus status = BERTH_OK;
    if (rows->table.binary) {
        const int64_t left = first < rows->row_count ? rows->row_count - first : 0;
        piece->row_count = left < piece->most ? (int32_t)left : piece->most;
        rows->next_row = first + piece->row_count;
    } else {
        status = skip_to(rows, first);
        if (status == BERTH_OK) {
            status = copy_lines(rows, piece);
        }
        if (status == BERTH_OK && first == 0 && piece->row_count == 0) {
            status = bi_table_fail_empty(&rows->table);
        }
    }

    piece->row_count = status == BERTH_OK ? piece->row_count : 0;
    *count = piece->row_count;
    return status;
}

static BerthStatus read_npy(BerthRowPiece* piece, Table* t, double* values) {
    const BerthRows* rows = piece->rows;
    const int64_t row_bytes = 8 * (int64_t)rows->row_size;
    t->numbers = piece->numbers;
    BerthStatus status =
        bi_io_read_at(rows->descriptor, rows->path, (int64_t)t->npy.offset + piece->first_row * row_bytes,
                      piece->numbers, (size_t)(piece->row_count * row_bytes));

    for (int32_t i = 0; i < piece->row_count && status == BERTH_OK; ++i) {
        status = t->form->fill(t, i, values + (ptrdiff_t)i * rows->row_size);
    }
    return status;
}

// One row at a time is a table of one row.
static BerthStatus read_csv(BerthRowPiece* piece, Table* t, double* values) {
    const BerthRows* rows = piece->rows;
    t->csv.at = piece->text.data;
    t->csv.end = piece->text.data + piece->text.size;
    t->csv.line = piece->first_line;
    t->csv.values = piece->row;
    t->csv.lines = &t->csv.line;

    for (int32_t i = 0; i < piece->row_count; ++i) {
        bool there = false;
        BerthStatus status = bi_csv_read_row(&t->csv, piece->row, &there);
        BI_ASSERT(there);
        piece->lines[i] = t->csv.line;
        t->first_row = piece->first_row + i;
        if (status == BERTH_OK) {
            status = t->form->fill(t, 0, values + (ptrdiff_t)i * rows->row_size);
        }
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

BerthStatus berth_row_piece_read(BerthRowPiece* piece, double* values) {
    if (piece == NULL || (values == NULL && piece->row_count > 0 && piece->rows->row_size > 0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read rows: give a piece and a place");
    }
    if (piece->row_count == 0 || piece->rows->row_size == 0) {
        return BERTH_OK;
    }

    // A table of its own: names and columns are shared, and only looked at.
    Table t = piece->rows->table;
    t.row_count = piece->row_count;
    t.first_row = piece->first_row;
    return t.binary ? read_npy(piece, &t, values) : read_csv(piece, &t, values);
}

void berth_row_piece_line(const BerthRowPiece* piece, int32_t row, char* text, size_t size) {
    const BerthRows* rows = piece->rows;
    if (rows->table.binary) {
        const int64_t number = piece->first_row + row;
        (void)snprintf(text, size, "%s: byte %lld", rows->path,
                       (long long)rows->table.npy.offset + 8LL * rows->row_size * number);
    } else {
        (void)snprintf(text, size, "%s:%d", rows->path, (int)piece->lines[row]);
    }
}
