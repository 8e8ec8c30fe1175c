// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Many independent segments: CSV with columns JOINT:from and JOINT:to, or .npy of shape (n, 2, values).
// Entries: berth_io_read_segments, berth_io_free_segments, berth_segments_segment,
// bi_io_segments_from_bytes.

#include <stdio.h>
#include <string.h>

#include "io/motion/states.h"
#include "io/motion/trajectory.h"
#include "io/syntax/csv.h"
#include "io/syntax/file.h"
#include "io/syntax/npy.h"
#include "scene/scene.h"

static BerthStatus fail_memory(const char* path) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
}

static BerthStatus allocate_segments(int64_t count, const BerthScene* scene, BerthSegments* out) {
    const int64_t each = scene->value_count;
    if (count > INT32_MAX || (each > 0 && count > BI_STATE_VALUE_MAX / 2 / each)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: %lld segments of %lld values, more than this version reads",
                       out->path, (long long)count, (long long)each);
    }

    out->segment_count = (int32_t)count;
    out->value_count = scene->value_count;
    out->values = bi_take(&out->allocator, 2 * (size_t)count * (size_t)each, sizeof *out->values);
    out->places = bi_take(&out->allocator, (size_t)count, sizeof *out->places);
    if (out->values == NULL || out->places == NULL) {
        return fail_memory(out->path);
    }

    for (size_t i = 0; i < 2 * (size_t)count && each > 0; ++i) {
        memcpy(out->values + i * (size_t)each, scene->values, (size_t)each * sizeof *out->values);
    }
    return BERTH_OK;
}

void berth_io_free_segments(BerthSegments* s) {
    if (s == NULL || s->allocator.take == NULL) {
        return;
    }
    const size_t count = (size_t)s->segment_count;
    bi_give(&s->allocator, s->values, 2 * count * (size_t)s->value_count, sizeof *s->values);
    bi_give(&s->allocator, s->places, count, sizeof *s->places);
    bi_scene_give_text(&s->allocator, s->path);
    *s = (BerthSegments){.values = NULL};
}

// Makes quaternions unit and checks that both ends are states, with a shorter arc between them.
static BerthStatus finish_segments(const BerthScene* scene, BerthSegments* s) {
    const size_t each = (size_t)s->value_count;
    for (int32_t i = 0; i < s->segment_count; ++i) {
        double* from = s->values + 2 * (size_t)i * each;
        BerthStatus status = bi_io_settle_state(scene, from);
        if (status == BERTH_OK) {
            status = bi_io_settle_state(scene, from + each);
        }
        if (status == BERTH_OK) {
            status = bi_io_check_turns(scene, from, from + each);
        }

        if (status != BERTH_OK) {
            char place[1024];
            bi_io_place(s->path, s->places[i], s->binary, place, sizeof place);
            return bi_fail_prefix(BERTH_ERR_PARSE, "%s: segment %d", place, (int)i);
        }
    }
    return BERTH_OK;
}

// ---- CSV ---------------------------------------------------------------------------------------------------

// columns[i] = 2 * value, plus 1 for the end.
static BerthStatus match_column(const CsvTable* t, const BerthScene* scene, const char* name, int32_t* out) {
    const char* colon = strrchr(name, ':');
    const bool from = colon != NULL && strcmp(colon, ":from") == 0;
    const bool to = colon != NULL && strcmp(colon, ":to") == 0;
    char joint[2 * BI_SCENE_NAME_MAX + 2];
    if ((!from && !to) || (size_t)(colon - name) >= sizeof joint) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': JOINT:from or JOINT:to was expected",
                       t->path, (int)t->header_line, name);
    }

    memcpy(joint, name, (size_t)(colon - name));
    joint[colon - name] = '\0';

    char fault[BI_NAME_FAULT_SIZE] = "";
    const int32_t value = bi_io_match_value(scene, joint, fault);
    if (value < 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': %s", t->path, (int)t->header_line, name,
                       fault);
    }

    *out = 2 * value + to;
    return BERTH_OK;
}

static BerthStatus match_columns(CsvTable* t, const BerthScene* scene, int32_t* columns) {
    bool* seen = bi_arena_take(&t->arena, 2 * (size_t)scene->value_count, sizeof *seen);
    if (seen == NULL) {
        return fail_memory(t->path);
    }

    for (int32_t i = 0; i < t->column_count; ++i) {
        const BerthStatus status = match_column(t, scene, t->names[i], &columns[i]);
        if (status != BERTH_OK) {
            return status;
        }
        if (seen[columns[i]]) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': that joint has a column already",
                           t->path, (int)t->header_line, t->names[i]);
        }
        seen[columns[i]] = true;
    }

    for (int32_t v = 0; v < scene->value_count; ++v) {
        if (seen[2 * v] != seen[2 * v + 1]) {
            char name[256];
            berth_scene_value_name(scene, v, name, sizeof name);
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: joint '%s' has a column '%s:%s' but none '%s:%s'",
                           t->path, (int)t->header_line, name, name, seen[2 * v] ? "from" : "to", name,
                           seen[2 * v] ? "to" : "from");
        }
    }
    return BERTH_OK;
}

static void fill_rows(const CsvTable* t, const int32_t* columns, BerthSegments* out) {
    const size_t each = (size_t)out->value_count;
    for (int32_t row = 0; row < t->row_count; ++row) {
        double* from = out->values + 2 * (size_t)row * each;
        const double* numbers = t->values + (size_t)row * (size_t)t->column_count;
        out->places[row] = t->lines[row];
        for (int32_t i = 0; i < t->column_count; ++i) {
            from[(size_t)(columns[i] % 2) * each + (size_t)(columns[i] / 2)] = numbers[i];
        }
    }
}

static BerthStatus read_csv(const char* data, size_t size, const BerthScene* scene, BerthSegments* out) {
    CsvTable table;
    BerthStatus status = bi_csv_header(data, size, out->path, &out->allocator, &table);
    int32_t* columns = NULL;
    if (status == BERTH_OK) {
        columns = bi_arena_take(&table.arena, (size_t)table.column_count, sizeof *columns);
        status = columns != NULL ? match_columns(&table, scene, columns) : fail_memory(out->path);
    }

    if (status == BERTH_OK) {
        status = bi_csv_rows(&table);
    }
    if (status == BERTH_OK) {
        status = allocate_segments(table.row_count, scene, out);
    }

    if (status == BERTH_OK) {
        fill_rows(&table, columns, out);
    }

    bi_csv_free(&table);
    return status;
}

// ---- .npy --------------------------------------------------------------------------------------------------

static BerthStatus read_npy(const char* data, size_t size, const BerthScene* scene, BerthSegments* out) {
    out->binary = true;
    NpyArray array;

    BerthStatus status = bi_npy_parse(data, size, out->path, &array);
    if (status == BERTH_OK &&
        (array.dimension_count != 3 || array.shape[1] != 2 || array.shape[2] != scene->value_count)) {
        status = bi_fail(BERTH_ERR_PARSE,
                         "%s: byte 8: shape (n, 2, %d) was expected: start and end of each segment",
                         out->path, (int)scene->value_count);
    }

    if (status == BERTH_OK) {
        status = allocate_segments(array.shape[0], scene, out);
    }
    if (status != BERTH_OK) {
        return status;
    }

    for (int64_t i = 0; i < array.count; ++i) {
        out->values[i] = bi_npy_value(data, &array, i);
    }
    for (int32_t i = 0; i < out->segment_count; ++i) {
        out->places[i] = (int64_t)array.offset + 16 * (int64_t)scene->value_count * i;
    }
    return BERTH_OK;
}

// ---- files -------------------------------------------------------------------------------------------------

BerthStatus bi_io_segments_from_bytes(const char* path, const char* data, size_t size,
                                      const BerthScene* scene, const BerthIoOptions* options,
                                      BerthSegments* out) {
    *out = (BerthSegments){.allocator = bi_allocator_or_default(&options->allocator)};
    out->path = bi_scene_text(&out->allocator, path);
    BerthStatus status = out->path != NULL ? BERTH_OK : fail_memory(path);
    if (status == BERTH_OK) {
        const bool npy = bi_npy_is(data, size) || bi_io_has_extension(path, ".npy");
        status = npy ? read_npy(data, size, scene, out) : read_csv(data, size, scene, out);
    }

    if (status == BERTH_OK) {
        status = finish_segments(scene, out);
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
    if (path == NULL || scene == NULL || out == NULL || options == NULL || options->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read segments: give a path, a scene, options and a place");
    }

    const BerthAllocator memory = bi_allocator_or_default(&options->allocator);
    FileBytes bytes;
    BerthStatus status = bi_io_read_file(path, 0, &memory, &bytes);
    if (status != BERTH_OK) {
        return status;
    }

    status = bi_io_segments_from_bytes(path, bytes.data, bytes.size, scene, options, out);
    bi_io_free_file(&bytes);
    return status;
}

BerthSegment berth_segments_segment(const BerthSegments* segments, int32_t index) {
    const size_t each = (size_t)segments->value_count;
    const double* from = segments->values + 2 * (size_t)index * each;
    return (BerthSegment){segments->value_count, from, from + each, NULL};
}
