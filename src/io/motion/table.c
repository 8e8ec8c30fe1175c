// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Rows of numbers about a scene's values, from CSV or .npy, with their line numbers; names of values;
// requirements that every state of a file must meet.
// Entries: bi_table_*, bi_io_open_motion, bi_io_check_row_count, bi_io_match_value and the others of table.h.

#include "io/motion/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/scene_file.h"
#include "io/syntax/bytes.h"
#include "io/syntax/number.h"
#include "math/tolerance.h"
#include "scene/scene.h"

static BerthStatus fail_memory(const char* path) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
}

// ---- files -------------------------------------------------------------------------------------------------

BerthStatus bi_io_open_motion(const char* what, const char* path, const BerthScene* scene, const void* out,
                              const BerthIoOptions** options, FileBytes* bytes) {
    *bytes = (FileBytes){.data = NULL};
    if (path == NULL || scene == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: give a path, a scene and a place", what);
    }

    const BerthStatus status = bi_io_settle_options(options);
    return status == BERTH_OK ? bi_io_read_file(path, 0, *options, bytes) : status;
}

bool bi_table_is_npy(const char* path, const char* data, size_t size) {
    return bi_npy_has_magic(data, size) || bi_io_has_extension(path, ".npy");
}

BerthStatus bi_io_check_row_count(const char* path, const char* rows, int64_t row_count, int64_t states,
                                  const BerthScene* scene) {
    const int64_t each = scene->value_count;
    if (row_count > INT32_MAX || (each > 0 && row_count > BI_TABLE_NUMBER_MAX / states / each)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: %lld %s of %lld values, more than this version reads", path,
                       (long long)row_count, rows, (long long)each);
    }
    return BERTH_OK;
}

// ---- names -------------------------------------------------------------------------------------------------

// "; did you mean 'x'?" or "" for a value's name that is not there.
static void suggest_value(const BerthScene* scene, const char* name, char* text, size_t size) {
    enum { LIMIT = 2 };
    char best[64] = "";
    int32_t nearest = LIMIT + 1;
    for (int32_t i = 0; i < scene->value_count; ++i) {
        char value[2 * BI_SCENE_NAME_MAX + 2];
        berth_scene_value_name(scene, i, value, sizeof value);

        const char* bare = strchr(value, '/');
        const bool only_robot_missing = scene->robot_count > 1 && bare != NULL && strcmp(bare + 1, name) == 0;
        const int32_t away = only_robot_missing ? 0 : berth_word_distance(name, value, LIMIT);
        if (away < nearest && strlen(value) < sizeof best) {
            nearest = away;
            memcpy(best, value, strlen(value) + 1);
        }
    }

    text[0] = '\0';
    if (nearest <= LIMIT) {
        snprintf(text, size, "; did you mean '%s'?", best);
    }
}

// The joint of that name, whether it has a value or not: "joint", or "robot/joint" where there are several.
static const SceneRobot* find_joint(const BerthScene* scene, const char* name, BerthJointInfo* out) {
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        const size_t length = strlen(robot->name);
        const bool whole = length > 0 && strncmp(name, robot->name, length) == 0 && name[length] == '/';
        const int32_t index = berth_robot_find_joint(robot->robot, whole ? name + length + 1 : name);
        if (index >= 0 && (whole || scene->robot_count == 1)) {
            *out = berth_robot_joint(robot->robot, index);
            return robot;
        }
    }
    return NULL;
}

// The joint of that name though it has no value of that name: fixed, following, or of several values.
static const char* describe_joint_fault(const BerthScene* scene, const char* name, char* fault) {
    BerthJointInfo joint;
    const SceneRobot* robot = find_joint(scene, name, &joint);
    if (robot == NULL) {
        return NULL;
    }

    if (joint.mimic >= 0) {
        (void)snprintf(fault, BI_NAME_FAULT_SIZE, "that joint follows '%.200s' and has no value of its own",
                       berth_robot_joint(robot->robot, joint.mimic).name);
    } else if (joint.first_value < 0) {
        (void)snprintf(fault, BI_NAME_FAULT_SIZE, "that joint is fixed and has no value");
    } else {
        (void)snprintf(fault, BI_NAME_FAULT_SIZE, "that joint has %d values: name each, like '%.200s/x'",
                       (int)joint.value_count, name);
    }
    return fault;
}

void bi_io_describe_missing(const BerthScene* scene, const char* name, char* fault) {
    char hint[128];
    suggest_value(scene, name, hint, sizeof hint);
    (void)snprintf(fault, BI_NAME_FAULT_SIZE, "there is no joint of that name%s%s", hint,
                   strchr(name, ';') != NULL ? " (columns are separated by commas)" : "");
}

int32_t bi_io_match_value(const BerthScene* scene, const char* name, char* fault) {
    const int32_t value = berth_scene_find_value(scene, name);
    if (value < 0 && describe_joint_fault(scene, name, fault) == NULL) {
        bi_io_describe_missing(scene, name, fault);
    }
    return value;
}

bool bi_io_match_column(const BerthScene* scene, const char* name, int32_t kind, TableColumn* out,
                        char* fault) {
    *out = (TableColumn){.kind = kind, .value = berth_scene_find_value(scene, name)};
    if (out->value >= 0) {
        return true;
    }

    BerthJointInfo joint;
    const SceneRobot* robot = find_joint(scene, name, &joint);
    if (robot != NULL && joint.mimic >= 0) {
        const int32_t leader = berth_robot_joint(robot->robot, joint.mimic).first_value;
        out->follows = true;
        out->value = leader >= 0 ? robot->first_value + leader : -1;
        out->multiplier = joint.mimic_multiplier;
        out->offset = joint.mimic_offset;
        return true;
    }

    return bi_io_match_value(scene, name, fault) >= 0;
}

double bi_io_follower_value(const TableColumn* column, const double* values, bool rate) {
    const double followed = column->value >= 0 ? column->multiplier * values[column->value] : 0.0;
    return followed + (rate ? 0.0 : column->offset);
}

bool bi_io_follower_agrees(double told, double expected) {
    return fabs(told - expected) <= BI_MIMIC_NEAR;
}

bool bi_io_is_number(const char* name) {
    double number = 0.0;
    return bi_parse_double(name, strlen(name), &number);
}

// ---- places ------------------------------------------------------------------------------------------------

BerthStatus bi_io_fail_at(const char* path, int64_t place, bool binary) {
    return bi_fail_prefix(BERTH_ERR_PARSE, binary ? "%s: byte %lld" : "%s:%lld", path, (long long)place);
}

BerthStatus bi_table_fail_column(const Table* table, const char* name, const char* format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);

    return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': %s", table->path, (int)table->csv.header_line,
                   name, text);
}

// ---- tables ------------------------------------------------------------------------------------------------

static BerthStatus match_columns(Table* t) {
    const size_t value_count = (size_t)t->scene->value_count;
    t->columns = bi_arena_take(&t->csv.arena, (size_t)t->column_count, sizeof *t->columns);
    t->first_columns =
        bi_arena_take(&t->csv.arena, (size_t)t->form->kind_count * value_count, sizeof *t->first_columns);
    if (t->columns == NULL || t->first_columns == NULL) {
        return fail_memory(t->path);
    }

    for (int32_t i = 0; i < t->column_count; ++i) {
        TableColumn column = {.value = -1};
        const BerthStatus status = t->form->match(t, t->csv.names[i], &column);
        if (status != BERTH_OK) {
            return status;
        }

        // Two names of one joint: "joint1" and "left/joint1".
        const bool taken = column.value >= 0 && !column.follows;
        if (taken && bi_table_find_column(t, column.kind, column.value) >= 0) {
            return bi_table_fail_column(t, t->csv.names[i], "that joint has a column already");
        }

        t->columns[i] = column;
        if (taken) {
            t->first_columns[(size_t)column.kind * value_count + (size_t)column.value] = i + 1;
        }
    }
    return BERTH_OK;
}

// The header is judged before the rows are read.
static BerthStatus read_csv_header(Table* t, const char* data, size_t size, const BerthAllocator* allocator) {
    BerthStatus status = bi_csv_read_header(data, size, t->path, allocator, &t->csv);
    t->column_count = t->csv.column_count;

    if (status == BERTH_OK) {
        status = match_columns(t);
    }
    return status == BERTH_OK ? t->form->check(t) : status;
}

static BerthStatus read_npy_header(Table* t, const char* data, size_t file_size) {
    BerthStatus status = bi_npy_parse(data, file_size, t->path, &t->npy);
    if (status == BERTH_OK) {
        status = t->form->check(t);
    }
    t->column_count = t->form->npy_states * t->scene->value_count;
    return status;
}

BerthStatus bi_table_read_header(const TableForm* form, const TableBytes* bytes, const BerthScene* scene,
                                 const BerthAllocator* allocator, Table* out) {
    *out = (Table){.form = form,
                   .scene = scene,
                   .path = bytes->path,
                   .binary = bi_table_is_npy(bytes->path, bytes->data, bytes->size)};
    return out->binary ? read_npy_header(out, bytes->data, bytes->file_size)
                       : read_csv_header(out, bytes->data, bytes->size, allocator);
}

static BerthStatus read_npy_rows(Table* t, const char* data) {
    const BerthStatus status =
        bi_io_check_row_count(t->path, t->form->rows, t->npy.shape[0], t->form->npy_states, t->scene);
    if (status == BERTH_OK) {
        t->row_count = (int32_t)t->npy.shape[0];
        t->numbers = data + t->npy.offset;
    }
    return status;
}

static BerthStatus read_csv_rows(Table* t) {
    const BerthStatus status = bi_csv_read_rows(&t->csv);
    t->row_count = t->csv.row_count;
    return status;
}

BerthStatus bi_table_fail_empty(const Table* t) {
    if (t->binary) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte 8: shape (0, ...): there are no %s, at least one was expected", t->path,
                       t->form->rows);
    }
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: a header and no %s; at least one was expected", t->path,
                   (int)t->csv.header_line, t->form->rows);
}

BerthStatus bi_table_read(const TableForm* form, const char* path, const char* data, size_t size,
                          const BerthScene* scene, const BerthAllocator* allocator, Table* out) {
    const TableBytes bytes = {.path = path, .data = data, .size = size, .file_size = size};
    BerthStatus status = bi_table_read_header(form, &bytes, scene, allocator, out);
    if (status == BERTH_OK) {
        status = out->binary ? read_npy_rows(out, data) : read_csv_rows(out);
    }
    if (status == BERTH_OK) {
        status = bi_io_check_row_count(path, form->rows, out->row_count, form->npy_states, scene);
    }
    return status != BERTH_OK || out->row_count > 0 ? status : bi_table_fail_empty(out);
}

void bi_table_free(Table* table) {
    if (!table->binary) {
        bi_csv_free(&table->csv);
    }
}

TableColumn bi_table_column(const Table* table, int32_t column) {
    const int32_t each = table->scene->value_count;
    return table->binary ? (TableColumn){.kind = column / each, .value = column % each}
                         : table->columns[column];
}

double bi_table_number(const Table* table, int32_t row, int32_t column) {
    const int64_t at = (int64_t)row * table->column_count + column;
    return table->binary ? f64_at(table->numbers + 8 * at) : table->csv.values[at];
}

int64_t bi_table_row_number(const Table* table, int32_t row) {
    return table->first_row + row;
}

int64_t bi_table_line(const Table* table, int32_t row) {
    return table->binary ? (int64_t)table->npy.offset +
                               8 * (int64_t)table->column_count * bi_table_row_number(table, row)
                         : table->csv.lines[row];
}

int32_t bi_table_find_column(const Table* table, int32_t kind, int32_t value) {
    return table->first_columns[(size_t)kind * (size_t)table->scene->value_count + (size_t)value] - 1;
}

BerthStatus bi_table_check_followers(const Table* t, int32_t row, const double* const* kinds) {
    for (int32_t i = 0; i < t->column_count && !t->binary; ++i) {
        const TableColumn column = t->columns[i];
        if (!column.follows) {
            continue;
        }

        const double* values = kinds[column.kind];
        const bool rate = column.kind >= t->form->position_kinds;
        if (values == NULL && column.value >= 0) {
            return bi_table_fail_column(t, t->csv.names[i], "the joint that it follows has no such column");
        }

        const double told = bi_table_number(t, row, i);
        const double expected = bi_io_follower_value(&column, values, rate);
        if (!bi_io_follower_agrees(told, expected)) {
            char leader[2 * BI_SCENE_NAME_MAX + 2] = "a fixed joint";
            if (column.value >= 0) {
                berth_scene_value_name(t->scene, column.value, leader, sizeof leader);
            }
            return bi_fail(
                BERTH_ERR_PARSE,
                "%s:%lld: column '%.200s': %.12g, but it follows '%s', by which it is %.12g (it may "
                "differ by %g)",
                t->path, (long long)bi_table_line(t, row), t->csv.names[i], told, leader, expected,
                BI_MIMIC_NEAR);
        }
    }
    return BERTH_OK;
}

// ---- what every state must be ------------------------------------------------------------------------------

/// Where a pass through the floating joints of a scene has come to.
typedef struct FloatingCursor {
    const BerthScene* scene;
    int32_t robot, joint;
} FloatingCursor;

// The next floating joint that has values; `quat` is the first value of its orientation.
static bool next_floating_joint(FloatingCursor* cursor, BerthJointInfo* out, int32_t* quat) {
    for (; cursor->robot < cursor->scene->robot_count; ++cursor->robot, cursor->joint = 0) {
        const SceneRobot* robot = &cursor->scene->robots[cursor->robot];
        while (cursor->joint < robot->joint_count) {
            *out = berth_robot_joint(robot->robot, cursor->joint++);
            if (out->type == BERTH_JOINT_FLOATING && out->first_value >= 0) {
                *quat = robot->first_value + out->first_value + 3;
                return true;
            }
        }
    }
    return false;
}

BerthStatus bi_io_normalize_and_check_state(const BerthScene* scene, double* values) {
    FloatingCursor cursor = {.scene = scene};
    BerthJointInfo joint;
    int32_t quat = 0;
    while (next_floating_joint(&cursor, &joint, &quat)) {
        (void)bi_io_normalize_quat(values +
                                   quat);  // what is no orientation stays as it is, and is refused now
    }
    return berth_scene_check_values(scene, values, NULL, NULL);
}

BerthStatus bi_io_check_half_turns(const BerthScene* scene, const double* from, const double* to) {
    FloatingCursor cursor = {.scene = scene};
    BerthJointInfo joint;
    int32_t quat = 0;
    while (next_floating_joint(&cursor, &joint, &quat)) {
        const double* a = from + quat;
        const double* b = to + quat;
        const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        if (!(fabs(dot) > BI_HALF_TURN_NEAR)) {
            return bi_fail(BERTH_ERR_PARSE,
                           "joint '%.200s' turns by half a turn: both ways round are as long; give a row in "
                           "between",
                           joint.name);
        }
    }
    return BERTH_OK;
}
