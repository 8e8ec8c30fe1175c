// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Trajectories: which kind of file it is, CSV and .npy, and the checks for every kind. A file is read
// completely and checked before anything of it is returned.
// Entries: berth_io_read_trajectory, berth_io_free_trajectory, bi_io_trajectory_from_bytes; for
// trajectory_message.c bi_io_allocate_trajectory.

#include "io/motion/trajectory.h"

#include <math.h>
#include <string.h>

#include "io/motion/table.h"
#include "scene/scene.h"

static BerthStatus fail_memory(const char* path) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
}

// ---- memory ------------------------------------------------------------------------------------------------

BerthStatus bi_io_allocate_trajectory(int32_t row_count, const BerthScene* scene, TrajectoryParts parts,
                                      BerthTrajectory* out) {
    const int64_t each = scene->value_count;
    const size_t rows = (size_t)row_count;
    const size_t count = rows * (size_t)each;
    const BerthAllocator* memory = &out->allocator;
    out->row_count = row_count;
    out->value_count = scene->value_count;

    out->positions = bi_take(memory, count, sizeof *out->positions);
    out->velocities = parts.velocities ? bi_take(memory, count, sizeof *out->velocities) : NULL;
    out->accelerations = parts.accelerations ? bi_take(memory, count, sizeof *out->accelerations) : NULL;
    out->times = parts.times ? bi_take(memory, rows, sizeof *out->times) : NULL;
    out->named = bi_take(memory, (size_t)each, sizeof *out->named);
    out->lines = bi_take(memory, rows, sizeof *out->lines);

    if (out->positions == NULL || (parts.velocities && out->velocities == NULL) ||
        (parts.accelerations && out->accelerations == NULL) || (parts.times && out->times == NULL) ||
        out->named == NULL || out->lines == NULL) {
        return fail_memory(out->path);
    }

    // Values that the file does not name are as in the scene.
    for (size_t i = 0; i < rows && each > 0; ++i) {
        memcpy(out->positions + i * (size_t)each, scene->values, (size_t)each * sizeof *out->positions);
    }
    return BERTH_OK;
}

void berth_io_free_trajectory(BerthTrajectory* t) {
    if (t == NULL || t->allocator.take == NULL) {
        return;
    }

    const size_t rows = (size_t)t->row_count;
    const size_t count = rows * (size_t)t->value_count;
    bi_give(&t->allocator, t->positions, count, sizeof *t->positions);
    bi_give(&t->allocator, t->velocities, count, sizeof *t->velocities);
    bi_give(&t->allocator, t->accelerations, count, sizeof *t->accelerations);
    bi_give(&t->allocator, t->times, rows, sizeof *t->times);
    bi_give(&t->allocator, t->named, (size_t)t->value_count, sizeof *t->named);
    bi_give(&t->allocator, t->lines, rows, sizeof *t->lines);
    bi_give(&t->allocator, t->curves, rows > 1 ? count - (size_t)t->value_count : 0, sizeof *t->curves);
    bi_scene_free_text(&t->allocator, t->path);
    *t = (BerthTrajectory){.positions = NULL};
}

// ---- what every trajectory must be -------------------------------------------------------------------------

static BerthStatus fail_row_prefix(const BerthTrajectory* t, int32_t row) {
    return bi_io_fail_at(t->path, t->lines[row], t->binary);
}

static BerthStatus check_times(const BerthTrajectory* t, int32_t row) {
    if (t->times == NULL || row == 0 || t->times[row] > t->times[row - 1]) {
        return BERTH_OK;
    }
    (void)bi_fail(BERTH_ERR_PARSE,
                  t->times[row] == t->times[row - 1]
                      ? "time %.12g s is the same as in the row before; times must grow"
                      : "time %.12g s is before that of the row before, %.12g s; times must grow",
                  t->times[row], t->times[row - 1]);
    return fail_row_prefix(t, row);
}

// Makes quaternions unit; checks that every row is a state, that times grow, and that orientations have a shorter arc
// between them.
static BerthStatus finish_trajectory(const BerthScene* scene, BerthTrajectory* t) {
    const size_t each = (size_t)t->value_count;
    for (int32_t row = 0; row < t->row_count; ++row) {
        double* values = t->positions + (size_t)row * each;
        if (bi_io_normalize_and_check_state(scene, values) != BERTH_OK) {
            return fail_row_prefix(t, row);
        }

        const BerthStatus status = check_times(t, row);
        if (status != BERTH_OK) {
            return status;
        }
        if (row > 0 && bi_io_check_half_turns(scene, values - each, values) != BERTH_OK) {
            return fail_row_prefix(t, row);
        }
    }
    return BERTH_OK;
}

// ---- CSV and .npy ------------------------------------------------------------------------------------------

typedef enum ColumnKind { COLUMN_POSITION = 0, COLUMN_VELOCITY, COLUMN_ACCELERATION, COLUMN_TIME } ColumnKind;
enum { COLUMN_VALUE_KINDS = 3 };

static const char* const column_suffixes[COLUMN_VALUE_KINDS] = {NULL, ":velocity", ":acceleration"};

// What a column's name means; whole names of joints come first.
static BerthStatus match_column(const Table* t, const char* name, TableColumn* out) {
    char fault[BI_NAME_FAULT_SIZE] = "";
    if (bi_io_match_column(t->scene, name, COLUMN_POSITION, out, fault)) {
        return BERTH_OK;
    }

    if (strcmp(name, "time") == 0) {
        *out = (TableColumn){.kind = COLUMN_TIME, .value = -1};
        return BERTH_OK;
    }
    if (bi_io_is_number(name)) {
        return bi_table_fail_column(t, name, "a header of joint names was expected, here is a number");
    }

    for (int32_t kind = COLUMN_VELOCITY; kind <= COLUMN_ACCELERATION; ++kind) {
        char joint[2 * BI_SCENE_NAME_MAX + 2];
        const size_t length = strlen(name);
        const size_t tail = strlen(column_suffixes[kind]);
        if (length > tail && length - tail < sizeof joint &&
            strcmp(name + length - tail, column_suffixes[kind]) == 0) {
            memcpy(joint, name, length - tail);
            joint[length - tail] = '\0';
            if (bi_io_match_column(t->scene, joint, kind, out, fault)) {
                return BERTH_OK;
            }
        }
    }
    return bi_table_fail_column(t, name, "%s", fault);
}

static TrajectoryParts find_parts(const Table* t) {
    TrajectoryParts parts = {.times = false};
    for (int32_t i = 0; i < t->column_count; ++i) {
        const TableColumn column = bi_table_column(t, i);
        parts.times |= column.kind == COLUMN_TIME;
        parts.velocities |= column.kind == COLUMN_VELOCITY && !column.follows;
        parts.accelerations |= column.kind == COLUMN_ACCELERATION && !column.follows;
    }
    return parts;
}

// A joint that has a position must have the velocity and the acceleration that others have, and no other may.
static BerthStatus check_columns(const Table* t) {
    const TrajectoryParts parts = find_parts(t);
    int32_t positions = 0;
    for (int32_t v = 0; v < t->scene->value_count; ++v) {
        const bool has_position = bi_table_find_column(t, COLUMN_POSITION, v) >= 0;
        positions += has_position;
        for (int32_t kind = COLUMN_VELOCITY; kind <= COLUMN_ACCELERATION; ++kind) {
            const bool wanted =
                has_position && (kind == COLUMN_VELOCITY ? parts.velocities : parts.accelerations);

            if ((bi_table_find_column(t, kind, v) >= 0) != wanted) {
                char name[256];
                berth_scene_value_name(t->scene, v, name, sizeof name);
                return bi_fail(BERTH_ERR_PARSE, "%s:%d: joint '%s' has %s column '%s%s', but %s", t->path,
                               (int)t->csv.header_line, name, wanted ? "no" : "a", name,
                               column_suffixes[kind], wanted ? "others have" : "no column of its own");
            }
        }
    }

    if (positions == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: no column is a joint's", t->path, (int)t->csv.header_line);
    }
    return BERTH_OK;
}

static BerthStatus check_columns_or_shape(const Table* t) {
    if (!t->binary) {
        return check_columns(t);
    }
    if (t->npy.dimension_count != 2 || t->npy.shape[1] != t->scene->value_count) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 8: shape (n, %d) was expected, one column a joint value",
                       t->path, (int)t->scene->value_count);
    }
    return BERTH_OK;
}

static BerthStatus fill_number(const Table* t, int32_t row, int32_t index, BerthTrajectory* out) {
    // Whether positions are possible is told by the joints.
    static const double most[] = {INFINITY, BI_VELOCITY_MAX, BI_ACCELERATION_MAX, BI_TIME_MAX};
    const TableColumn column = bi_table_column(t, index);
    const double number = bi_table_number(t, row, index);
    if (column.kind != COLUMN_POSITION && !(fabs(number) <= most[column.kind])) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': %g is beyond %g", t->path,
                       (int)t->csv.lines[row], t->csv.names[index], number, most[column.kind]);
    }
    if (column.follows) {
        return BERTH_OK;  // compared when the row is whole
    }

    const size_t at = (size_t)row * (size_t)out->value_count + (size_t)(column.value >= 0 ? column.value : 0);

    switch ((ColumnKind)column.kind) {
    case COLUMN_POSITION:
        out->positions[at] = number;
        out->named[column.value] = true;
        break;
    case COLUMN_VELOCITY:
        out->velocities[at] = number;
        break;
    case COLUMN_ACCELERATION:
        out->accelerations[at] = number;
        break;
    case COLUMN_TIME:
        out->times[row] = number;
        break;
    }
    return BERTH_OK;
}

static BerthStatus fill_rows(const Table* t, BerthTrajectory* out) {
    for (int32_t row = 0; row < t->row_count; ++row) {
        out->lines[row] = bi_table_line(t, row);
        for (int32_t i = 0; i < t->column_count; ++i) {
            const BerthStatus status = fill_number(t, row, i, out);
            if (status != BERTH_OK) {
                return status;
            }
        }

        const size_t at = (size_t)row * (size_t)out->value_count;
        const double* const kinds[COLUMN_VALUE_KINDS] = {
            out->positions + at, out->velocities != NULL ? out->velocities + at : NULL,
            out->accelerations != NULL ? out->accelerations + at : NULL};
        const BerthStatus status = bi_table_check_followers(t, row, kinds);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

static BerthStatus read_table(const char* data, size_t size, const BerthScene* scene, BerthTrajectory* out) {
    static const TableForm form = {.rows = "rows",
                                   .npy_states = 1,
                                   .kind_count = COLUMN_VALUE_KINDS,
                                   .position_kinds = 1,
                                   .match = match_column,
                                   .check = check_columns_or_shape};
    Table table;
    BerthStatus status = bi_table_read(&form, out->path, data, size, scene, &out->allocator, &table);
    out->binary = table.binary;
    if (status == BERTH_OK) {
        status = bi_io_allocate_trajectory(table.row_count, scene, find_parts(&table), out);
    }
    if (status == BERTH_OK) {
        status = fill_rows(&table, out);
    }

    bi_table_free(&table);
    return status;
}

// ---- files -------------------------------------------------------------------------------------------------

static bool contains_word(const char* data, size_t size, const char* word) {
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; ++i) {
        if (memcmp(data + i, word, length) == 0) {
            return true;
        }
    }
    return false;
}

// By extension; else by what stands there: a header of a CSV hardly says "joint_names:".
static bool is_message(const char* path, const char* data, size_t size) {
    if (bi_table_is_npy(path, data, size) || bi_io_has_extension(path, ".csv")) {
        return false;
    }
    if (bi_io_has_extension(path, ".json") || bi_io_has_extension(path, ".yaml") ||
        bi_io_has_extension(path, ".yml")) {
        return true;
    }

    size_t first = 0;
    while (first < size &&
           (data[first] == ' ' || data[first] == '\t' || data[first] == '\r' || data[first] == '\n')) {
        ++first;
    }
    return first < size && (data[first] == '{' || contains_word(data, size, "joint_names:"));
}

BerthStatus bi_io_trajectory_from_bytes(const char* path, const char* data, size_t size,
                                        const BerthScene* scene, const BerthIoOptions* options,
                                        BerthTrajectory* out) {
    *out = (BerthTrajectory){.allocator = bi_allocator_or_default(&options->allocator)};
    out->path = bi_scene_copy_text(&out->allocator, path);

    BerthStatus status = BERTH_OK;
    if (out->path == NULL) {
        status = fail_memory(path);
    } else if (is_message(path, data, size)) {
        status = bi_io_read_trajectory_message(data, size, scene, options, out);
    } else {
        status = read_table(data, size, scene, out);
    }

    if (status == BERTH_OK) {
        status = finish_trajectory(scene, out);
    }
    if (status != BERTH_OK) {
        berth_io_free_trajectory(out);
    }
    return status;
}

BerthStatus berth_io_read_trajectory(const char* path, const BerthScene* scene, const BerthIoOptions* options,
                                     BerthTrajectory* out) {
    if (out != NULL) {
        *out = (BerthTrajectory){.positions = NULL};
    }

    FileBytes bytes;
    BerthStatus status = bi_io_open_motion("read trajectory", path, scene, out, &options, &bytes);
    if (status == BERTH_OK) {
        status = bi_io_trajectory_from_bytes(path, bytes.data, bytes.size, scene, options, out);
    }
    bi_io_free_file(&bytes);
    return status;
}
