// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Tables of numbers as CSV.
// Entries: bi_csv_read_header, bi_csv_read_row, bi_csv_read_rows, bi_csv_free.

#include "io/syntax/csv.h"

#include <string.h>

#include "io/syntax/number.h"

enum { FIELD_MAX = 2000 };  // bytes of one field

typedef struct Line {
    const char* at;
    const char* end;
    int32_t number;
} Line;

typedef struct Field {
    const char* text;  // without spaces around it
    size_t length;
    bool quoted;
    char room[FIELD_MAX];  // holds text whose quotes had to be taken out
} Field;

static BerthStatus fail_line(const CsvTable* t, int32_t line, const char* text) {
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s", t->path, (int)line, text);
}

// ---- lines and fields --------------------------------------------------------------------------------------

// The next line that is not blank; false at the end of the file.
static bool next_line(const char** at, const char* end, int32_t* number, Line* out) {
    while (*at < end) {
        const char* newline = memchr(*at, '\n', (size_t)(end - *at));
        const char* last = newline != NULL ? newline : end;
        *out = (Line){*at, last, ++*number};
        *at = newline != NULL ? newline + 1 : end;

        if (out->end > out->at && out->end[-1] == '\r') {
            --out->end;
        }

        for (const char* c = out->at; c < out->end; ++c) {
            if (*c != ' ' && *c != '\t') {
                return true;
            }
        }
    }
    return false;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static BerthStatus next_quoted_field(const CsvTable* t, Line* line, Field* out) {
    size_t length = 0;
    ++line->at;
    for (;;) {
        if (line->at == line->end) {
            return fail_line(t, line->number, "a quote is not closed on its line");
        }
        char c = *line->at++;
        if (c == '"') {
            if (line->at == line->end || *line->at != '"') {
                break;
            }
            ++line->at;  // "" is a quote
        }
        if (length == FIELD_MAX) {
            return fail_line(t, line->number, "a field is too long");
        }
        out->room[length++] = c;
    }

    while (line->at < line->end && is_blank(*line->at)) {
        ++line->at;
    }

    out->text = out->room;
    out->length = length;
    out->quoted = true;
    if (line->at != line->end && *line->at != ',') {
        return fail_line(t, line->number, "text behind a closing quote");
    }
    return BERTH_OK;
}

// One field; the line is then at the comma behind it, or at its end.
static BerthStatus next_field(const CsvTable* t, Line* line, Field* out) {
    while (line->at < line->end && is_blank(*line->at)) {
        ++line->at;
    }
    if (line->at < line->end && *line->at == '"') {
        return next_quoted_field(t, line, out);
    }

    // A plain field ends at the comma; blanks around it do not belong to it.
    const char* first = line->at;
    const char* comma = memchr(first, ',', (size_t)(line->end - first));
    line->at = comma != NULL ? comma : line->end;
    const char* last = line->at;
    while (last > first && is_blank(last[-1])) {
        --last;
    }

    out->text = first;
    out->length = (size_t)(last - first);
    out->quoted = false;
    return out->length <= FIELD_MAX ? BERTH_OK : fail_line(t, line->number, "a field is too long");
}

// ---- header and rows ---------------------------------------------------------------------------------------

static BerthStatus add_name(CsvTable* t, const Line* line, const Field* field, size_t* capacity) {
    if (field->length == 0 || memchr(field->text, '\0', field->length) != NULL) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: column %d has no name", t->path, (int)line->number,
                       (int)t->column_count + 1);
    }
    if (t->column_count == BI_CSV_COLUMN_MAX) {
        return fail_line(t, line->number, "too many columns");
    }

    const size_t count = (size_t)t->column_count;
    const char** grown = bi_arena_grow(&t->arena, t->names, count, count + 1, capacity, sizeof *t->names);
    const char* name = bi_arena_copy_text(&t->arena, field->text, field->length);
    if (grown == NULL || name == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", t->path);
    }

    // Two columns of one name: which one is meant would be a guess.
    t->names = grown;
    for (int32_t i = 0; i < t->column_count; ++i) {
        if (strcmp(t->names[i], name) == 0) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%s' appears twice", t->path, (int)line->number,
                           name);
        }
    }

    t->names[t->column_count++] = name;
    return BERTH_OK;
}

static BerthStatus read_header(CsvTable* t, Line line) {
    size_t capacity = 0;
    t->header_line = line.number;
    for (;;) {
        Field field;
        BerthStatus status = next_field(t, &line, &field);
        if (status == BERTH_OK) {
            status = add_name(t, &line, &field, &capacity);
        }
        if (status != BERTH_OK || line.at == line.end) {
            return status;
        }
        ++line.at;  // the comma
    }
}

static BerthStatus read_number(const CsvTable* t, int32_t line, int32_t column, const Field* field,
                               double* out) {
    if (bi_parse_double(field->text, field->length, out)) {
        return BERTH_OK;
    }

    const char* fault = field->length == 0 ? "a number was expected, nothing is here"
                                           : bi_number_fault(field->text, field->length);
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%s': '%.*s': %s", t->path, (int)line, t->names[column],
                   field->length < 60 ? (int)field->length : 60, field->text,
                   fault != NULL ? fault : "not a number");
}

static BerthStatus read_row(const CsvTable* t, Line line, double* out) {
    int32_t column = 0;
    for (;;) {
        Field field;
        // The value itself: well formed, and under a column.
        BerthStatus status = next_field(t, &line, &field);
        if (status == BERTH_OK && column == t->column_count) {
            status = bi_fail(BERTH_ERR_PARSE, "%s:%d: more values than the header's %d columns", t->path,
                             (int)line.number, (int)t->column_count);
        }
        if (status == BERTH_OK) {
            status = read_number(t, line.number, column, &field, &out[column]);
        }
        if (status != BERTH_OK) {
            return status;
        }

        ++column;
        if (line.at == line.end) {
            break;
        }
        ++line.at;
    }

    // A row that ended early.
    if (column != t->column_count) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %d values, the header has %d columns (no value for '%s')",
                       t->path, (int)line.number, (int)column, (int)t->column_count, t->names[column]);
    }
    return BERTH_OK;
}

static bool grow_rows(CsvTable* t) {
    const size_t rows = (size_t)t->row_count;
    const size_t each = (size_t)t->column_count;
    double* values = bi_arena_grow(&t->arena, t->values, rows * each, (rows + 1) * each, &t->value_capacity,
                                   sizeof *t->values);
    int32_t* lines = bi_arena_grow(&t->arena, t->lines, rows, rows + 1, &t->line_capacity, sizeof *t->lines);

    t->values = values != NULL ? values : t->values;
    t->lines = lines != NULL ? lines : t->lines;
    return values != NULL && lines != NULL;
}

BerthStatus bi_csv_read_header(const char* data, size_t size, const char* path,
                               const BerthAllocator* allocator, CsvTable* out) {
    *out = (CsvTable){.path = path, .at = data, .end = data + size};
    bi_arena_init(&out->arena, allocator, 0);
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
        out->at += 3;
    }

    Line line;
    if (size > INT32_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s: the file is too large", path);
    }
    if (!next_line(&out->at, out->end, &out->line, &line)) {
        return fail_line(out, 1, "the file is empty; a header of names was expected");
    }
    return read_header(out, line);
}

BerthStatus bi_csv_read_row(CsvTable* table, double* out, bool* there) {
    Line line;
    *there = next_line(&table->at, table->end, &table->line, &line);
    return *there ? read_row(table, line, out) : BERTH_OK;
}

BerthStatus bi_csv_read_rows(CsvTable* table) {
    BerthStatus status = BERTH_OK;
    Line line;
    while (status == BERTH_OK && next_line(&table->at, table->end, &table->line, &line)) {
        if (!grow_rows(table)) {
            return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", table->path);
        }
        table->lines[table->row_count] = line.number;
        status =
            read_row(table, line, table->values + (size_t)table->row_count * (size_t)table->column_count);
        table->row_count += status == BERTH_OK;
    }
    return status;
}

void bi_csv_free(CsvTable* table) {
    bi_arena_free(&table->arena);
}
