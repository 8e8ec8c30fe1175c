// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many independent segments: CSV with columns JOINT:from and JOINT:to, or .npy of shape (n, 2, values).
// Entries: berth_io_read_segments, berth_io_free_segments, berth_segments_segment,
// bi_io_segments_from_bytes.

#include <string.h>

#include "io/motion/table.h"
#include "io/motion/trajectory.h"
#include "scene/scene.h"

static BerthStatus take_segments(int32_t count, const BerthScene* scene, BerthSegments* out) {
    const size_t each = (size_t)scene->value_count;
    out->segment_count = count;
    out->value_count = scene->value_count;
    out->values = bi_take(&out->allocator, 2 * (size_t)count * each, sizeof *out->values);
    out->lines = bi_take(&out->allocator, (size_t)count, sizeof *out->lines);
    if (out->values == NULL || out->lines == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", out->path);
    }
    return BERTH_OK;
}

void berth_io_free_segments(BerthSegments* s) {
    if (s == NULL || s->allocator.take == NULL) {
        return;
    }
    const size_t count = (size_t)s->segment_count;
    bi_give(&s->allocator, s->values, 2 * count * (size_t)s->value_count, sizeof *s->values);
    bi_give(&s->allocator, s->lines, count, sizeof *s->lines);
    bi_scene_free_text(&s->allocator, s->path);
    *s = (BerthSegments){.values = NULL};
}

// ---- files -------------------------------------------------------------------------------------------------

typedef enum ColumnKind { COLUMN_FROM = 0, COLUMN_TO, COLUMN_KIND_COUNT } ColumnKind;

static BerthStatus match_column(const Table* t, const char* name, TableColumn* out) {
    const char* colon = strrchr(name, ':');
    const bool from = colon != NULL && strcmp(colon, ":from") == 0;
    const bool to = colon != NULL && strcmp(colon, ":to") == 0;
    char joint[2 * BI_SCENE_NAME_MAX + 2];
    if ((!from && !to) || (size_t)(colon - name) >= sizeof joint) {
        return bi_table_fail_column(t, name, "JOINT:from or JOINT:to was expected");
    }

    memcpy(joint, name, (size_t)(colon - name));
    joint[colon - name] = '\0';

    char fault[BI_NAME_FAULT_SIZE] = "";
    const int32_t kind = to ? COLUMN_TO : COLUMN_FROM;
    return bi_io_match_column(t->scene, joint, kind, out, fault) ? BERTH_OK
                                                                 : bi_table_fail_column(t, name, "%s", fault);
}

// A joint that has a start has an end.
static BerthStatus check_columns(const Table* t) {
    for (int32_t v = 0; v < t->scene->value_count; ++v) {
        const bool has_from = bi_table_find_column(t, COLUMN_FROM, v) >= 0;
        const bool has_to = bi_table_find_column(t, COLUMN_TO, v) >= 0;
        if (has_from != has_to) {
            char name[256];
            berth_scene_value_name(t->scene, v, name, sizeof name);
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: joint '%s' has a column '%s:%s' but none '%s:%s'",
                           t->path, (int)t->csv.header_line, name, name, has_from ? "from" : "to", name,
                           has_from ? "to" : "from");
        }
    }
    return BERTH_OK;
}

static BerthStatus check_columns_or_shape(const Table* t) {
    if (!t->binary) {
        return check_columns(t);
    }

    const NpyArray* array = &t->npy;
    if (array->dimension_count != 3 || array->shape[1] != 2 || array->shape[2] != t->scene->value_count) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte 8: shape (n, 2, %d) was expected: start and end of each segment", t->path,
                       (int)t->scene->value_count);
    }
    return BERTH_OK;
}

// Makes quaternions unit and checks that both ends are states, with a shorter arc between them.
static BerthStatus finish_row(const Table* t, int32_t row, double* from, double* to) {
    BerthStatus status = bi_io_normalize_and_check_state(t->scene, from);
    if (status == BERTH_OK) {
        status = bi_io_normalize_and_check_state(t->scene, to);
    }
    if (status == BERTH_OK) {
        status = bi_io_check_half_turns(t->scene, from, to);
    }

    if (status != BERTH_OK) {
        (void)bi_fail_prefix(BERTH_ERR_PARSE, "segment %lld", (long long)bi_table_row_number(t, row));
        return bi_io_fail_at(t->path, bi_table_line(t, row), t->binary);
    }
    return BERTH_OK;
}

// Joints that have no columns are as in the scene.
static BerthStatus fill_row(const Table* t, int32_t row, double* from) {
    const size_t each = (size_t)t->scene->value_count;
    if (each > 0) {
        memcpy(from, t->scene->values, each * sizeof *from);
        memcpy(from + each, t->scene->values, each * sizeof *from);
    }
    for (int32_t i = 0; i < t->column_count; ++i) {
        const TableColumn column = bi_table_column(t, i);
        if (!column.follows) {
            from[(size_t)column.kind * each + (size_t)column.value] = bi_table_number(t, row, i);
        }
    }

    const double* const kinds[COLUMN_KIND_COUNT] = {from, from + each};
    const BerthStatus status = bi_table_check_followers(t, row, kinds);
    return status == BERTH_OK ? finish_row(t, row, from, from + each) : status;
}

const TableForm bi_segments_form = {.rows = "segments",
                                    .npy_states = 2,
                                    .kind_count = COLUMN_KIND_COUNT,
                                    .position_kinds = COLUMN_KIND_COUNT,
                                    .match = match_column,
                                    .check = check_columns_or_shape,
                                    .fill = fill_row};

static BerthStatus fill_rows(const Table* t, BerthSegments* out) {
    BerthStatus status = BERTH_OK;
    for (int32_t row = 0; row < t->row_count && status == BERTH_OK; ++row) {
        out->lines[row] = bi_table_line(t, row);
        status = fill_row(t, row, out->values + 2 * (size_t)row * (size_t)out->value_count);
    }
    return status;
}

static BerthStatus read_table(const char* data, size_t size, const BerthScene* scene, BerthSegments* out) {
    Table table;
    BerthStatus status =
        bi_table_read(&bi_segments_form, out->path, data, size, scene, &out->allocator, &table);
    out->binary = table.binary;

    if (status == BERTH_OK) {
        status = take_segments(table.row_count, scene, out);
    }
    if (status == BERTH_OK) {
        status = fill_rows(&table, out);
    }

    bi_table_free(&table);
    return status;
}

BerthStatus bi_io_segments_from_bytes(const char* path, const char* data, size_t size,
                                      const BerthScene* scene, const BerthIoOptions* options,
                                      BerthSegments* out) {
    *out = (BerthSegments){.allocator = bi_allocator_or_default(&options->allocator)};
    out->path = bi_scene_copy_text(&out->allocator, path);
    BerthStatus status = BERTH_OK;
    if (out->path != NULL) {
        status = read_table(data, size, scene, out);
    } else {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }

    if (status != BERTH_OK) {
        berth_io_free_segments(out);
    }
    return status;
}

BerthStatus berth_io_read_segments(const char* path, const BerthScene* scene, const BerthIoOptions* options,
                                   BerthSegments* out) {
    if (out != NULL) {
        *out = (BerthSegments){.values = NULL};
    }

    FileBytes bytes;
    BerthStatus status = bi_io_open_motion("read segments", path, scene, out, &options, &bytes);
    if (status == BERTH_OK) {
        status = bi_io_segments_from_bytes(path, bytes.data, bytes.size, scene, options, out);
    }
    bi_io_free_file(&bytes);
    return status;
}

BerthSegment berth_segments_segment(const BerthSegments* segments, int32_t index) {
    const size_t each = (size_t)segments->value_count;
    const double* from = segments->values + 2 * (size_t)index * each;
    return (BerthSegment){.value_count = segments->value_count, .from = from, .to = from + each};
}
