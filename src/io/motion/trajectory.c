// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Trajectories: which kind of file it is, CSV and .npy, and the checks that hold for every kind. A file is read whole
// and checked before anything of it is given out.
// Entries: berth_io_read_trajectory, berth_io_free_trajectory, bi_io_trajectory_from_bytes; for the other
// files of the room bi_io_match_value, bi_io_take_trajectory, bi_io_place, bi_io_check_turns.

#include "io/motion/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/motion/states.h"
#include "io/syntax/csv.h"
#include "io/syntax/file.h"
#include "io/syntax/npy.h"
#include "io/syntax/number.h"
#include "math/tolerance.h"
#include "scene/scene.h"

static BerthStatus fail_memory(const char* path) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
}

// ---- names -------------------------------------------------------------------------------------------------

// The joint of that name though it has no value of that name: fixed, following, or of several values.
static const char* describe_joint_fault(const BerthScene* scene, const char* name, char* fault) {
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        const size_t length = strlen(robot->name);
        const bool whole = length > 0 && strncmp(name, robot->name, length) == 0 && name[length] == '/';
        const int32_t index = berth_robot_find_joint(robot->robot, whole ? name + length + 1 : name);
        if (index < 0 || (!whole && scene->robot_count > 1)) {
            continue;
        }

        const BerthJointInfo joint = berth_robot_joint(robot->robot, index);
        if (joint.mimic >= 0) {
            (void)snprintf(fault, BI_NAME_FAULT_SIZE,
                           "that joint follows '%.200s' and has no value of its own",
                           berth_robot_joint(robot->robot, joint.mimic).name);
        } else if (joint.first_value < 0) {
            (void)snprintf(fault, BI_NAME_FAULT_SIZE, "that joint is fixed and has no value");
        } else {
            (void)snprintf(fault, BI_NAME_FAULT_SIZE, "that joint has %d values: name each, like '%.200s/x'",
                           (int)joint.value_count, name);
        }
        return fault;
    }
    return NULL;
}

int32_t bi_io_match_value(const BerthScene* scene, const char* name, char* fault) {
    const int32_t value = berth_scene_find_value(scene, name);
    if (value < 0 && describe_joint_fault(scene, name, fault) == NULL) {
        char hint[128];
        bi_io_suggest_value(scene, name, hint, sizeof hint);
        (void)snprintf(fault, BI_NAME_FAULT_SIZE, "there is no joint of that name%s%s", hint,
                       strchr(name, ';') != NULL ? " (columns are separated by commas)" : "");
    }
    return value;
}

// ---- memory ------------------------------------------------------------------------------------------------

BerthStatus bi_io_take_trajectory(int64_t row_count, const BerthScene* scene, TrajectoryParts parts,
                                  BerthTrajectory* out) {
    const int64_t each = scene->value_count;
    if (row_count > INT32_MAX || (each > 0 && row_count > BI_STATE_VALUE_MAX / each)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: %lld rows of %lld values, more than this version reads",
                       out->path, (long long)row_count, (long long)each);
    }

    const size_t rows = (size_t)row_count;
    const size_t count = rows * (size_t)each;
    const BerthAllocator* memory = &out->allocator;
    out->row_count = (int32_t)row_count;
    out->value_count = scene->value_count;

    out->positions = bi_take(memory, count, sizeof *out->positions);
    out->velocities = parts.velocities ? bi_take(memory, count, sizeof *out->velocities) : NULL;
    out->accelerations = parts.accelerations ? bi_take(memory, count, sizeof *out->accelerations) : NULL;
    out->times = parts.times ? bi_take(memory, rows, sizeof *out->times) : NULL;
    out->named = bi_take(memory, (size_t)each, sizeof *out->named);
    out->places = bi_take(memory, rows, sizeof *out->places);

    if (out->positions == NULL || (parts.velocities && out->velocities == NULL) ||
        (parts.accelerations && out->accelerations == NULL) || (parts.times && out->times == NULL) ||
        out->named == NULL || out->places == NULL) {
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
    bi_give(&t->allocator, t->places, rows, sizeof *t->places);
    bi_scene_give_text(&t->allocator, t->path);
    *t = (BerthTrajectory){.positions = NULL};
}

void bi_io_place(const char* path, int64_t place, bool binary, char* text, size_t size) {
    (void)snprintf(text, size, binary ? "%s: byte %lld" : "%s:%lld", path, (long long)place);
}

// ---- what every trajectory must be -------------------------------------------------------------------------

BerthStatus bi_io_check_turns(const BerthScene* scene, const double* from, const double* to) {
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t j = 0; j < robot->joint_count; ++j) {
            const BerthJointInfo joint = berth_robot_joint(robot->robot, j);
            if (joint.type != BERTH_JOINT_FLOATING || joint.first_value < 0) {
                continue;
            }

            const double* a = from + robot->first_value + joint.first_value + 3;
            const double* b = to + robot->first_value + joint.first_value + 3;
            const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];

            if (!(fabs(dot) > BI_HALF_TURN_NEAR)) {
                return bi_fail(
                    BERTH_ERR_PARSE,
                    "joint '%.200s' turns by half a turn: both ways round are as long; give a row in "
                    "between",
                    joint.name);
            }
        }
    }
    return BERTH_OK;
}

static BerthStatus fail_row_prefix(const BerthTrajectory* t, int32_t row) {
    char place[1024];
    bi_io_place(t->path, t->places[row], t->binary, place, sizeof place);
    return bi_fail_prefix(BERTH_ERR_PARSE, "%s", place);
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
    if (t->row_count == 0) {
        return bi_fail(BERTH_ERR_PARSE,
                       t->binary ? "%s: byte 8: no rows; at least one state was expected"
                                 : "%s:1: no rows; at least one state was expected",
                       t->path);
    }

    for (int32_t row = 0; row < t->row_count; ++row) {
        double* values = t->positions + (size_t)row * each;
        if (bi_io_settle_state(scene, values) != BERTH_OK) {
            return fail_row_prefix(t, row);
        }

        const BerthStatus status = check_times(t, row);
        if (status != BERTH_OK) {
            return status;
        }
        if (row > 0 && bi_io_check_turns(scene, values - each, values) != BERTH_OK) {
            return fail_row_prefix(t, row);
        }
    }
    return BERTH_OK;
}

// ---- CSV ---------------------------------------------------------------------------------------------------

typedef enum ColumnKind { COLUMN_POSITION = 0, COLUMN_VELOCITY, COLUMN_ACCELERATION, COLUMN_TIME } ColumnKind;
enum { COLUMN_VALUE_KINDS = 3 };

typedef struct Column {
    ColumnKind kind;
    int32_t value;
} Column;

static const char* const column_suffixes[COLUMN_VALUE_KINDS] = {NULL, ":velocity", ":acceleration"};

// What a column's name means; whole names of joints come first.
static BerthStatus match_column(const CsvTable* t, const BerthScene* scene, const char* name, Column* out) {
    char fault[BI_NAME_FAULT_SIZE] = "";
    *out = (Column){COLUMN_POSITION, bi_io_match_value(scene, name, fault)};
    if (out->value >= 0) {
        return BERTH_OK;
    }

    if (strcmp(name, "time") == 0) {
        *out = (Column){COLUMN_TIME, -1};
        return BERTH_OK;
    }

    double number = 0.0;
    if (bi_parse_double(name, strlen(name), &number)) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s:%d: column '%s': a header of joint names was expected, here is a number", t->path,
                       (int)t->header_line, name);
    }

    for (int kind = COLUMN_VELOCITY; kind <= COLUMN_ACCELERATION; ++kind) {
        char joint[2 * BI_SCENE_NAME_MAX + 2];
        const size_t length = strlen(name);
        const size_t tail = strlen(column_suffixes[kind]);
        if (length > tail && length - tail < sizeof joint &&
            strcmp(name + length - tail, column_suffixes[kind]) == 0) {
            memcpy(joint, name, length - tail);
            joint[length - tail] = '\0';
            *out = (Column){(ColumnKind)kind, bi_io_match_value(scene, joint, fault)};
        }
    }

    if (out->value < 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': %s", t->path, (int)t->header_line, name,
                       fault);
    }
    return BERTH_OK;
}

// A joint that has a position must have the velocity and the acceleration that others have, and no other may.
static BerthStatus check_columns(const CsvTable* t, const BerthScene* scene, const int32_t* seen,
                                 const TrajectoryParts* parts) {
    int32_t positions = 0;
    for (int32_t v = 0; v < scene->value_count; ++v) {
        const int32_t* has = seen + (size_t)v * COLUMN_VALUE_KINDS;
        positions += has[COLUMN_POSITION];
        for (int kind = COLUMN_VELOCITY; kind <= COLUMN_ACCELERATION; ++kind) {
            const bool wanted =
                has[COLUMN_POSITION] && (kind == COLUMN_VELOCITY ? parts->velocities : parts->accelerations);

            if ((has[kind] != 0) != wanted) {
                char name[256];
                berth_scene_value_name(scene, v, name, sizeof name);
                return bi_fail(BERTH_ERR_PARSE, "%s:%d: joint '%s' has %s column '%s%s', but %s", t->path,
                               (int)t->header_line, name, wanted ? "no" : "a", name, column_suffixes[kind],
                               wanted ? "others have" : "no column of its own");
            }
        }
    }

    if (positions == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: no column is a joint's", t->path, (int)t->header_line);
    }
    return BERTH_OK;
}

static BerthStatus match_columns(CsvTable* t, const BerthScene* scene, Column* columns,
                                 TrajectoryParts* parts) {
    int32_t* seen = bi_arena_take(&t->arena, (size_t)scene->value_count, COLUMN_VALUE_KINDS * sizeof *seen);
    if (seen == NULL) {
        return fail_memory(t->path);
    }

    for (int32_t i = 0; i < t->column_count; ++i) {
        const BerthStatus status = match_column(t, scene, t->names[i], &columns[i]);
        if (status != BERTH_OK) {
            return status;
        }

        const Column c = columns[i];
        parts->times |= c.kind == COLUMN_TIME;
        parts->velocities |= c.kind == COLUMN_VELOCITY;
        parts->accelerations |= c.kind == COLUMN_ACCELERATION;

        // Two names of one joint: "joint1" and "left/joint1".
        if (c.kind != COLUMN_TIME && seen[c.value * COLUMN_VALUE_KINDS + (int)c.kind]++ > 0) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': that joint has a column already",
                           t->path, (int)t->header_line, t->names[i]);
        }
    }

    return check_columns(t, scene, seen, parts);
}

static BerthStatus fill_number(const CsvTable* t, const Column* column, int32_t index, int32_t row,
                               double number, BerthTrajectory* out) {
    static const double most[] = {INFINITY, BI_VELOCITY_MAX, BI_ACCELERATION_MAX, BI_TIME_MAX};
    if (!(fabs(number) <= most[column->kind])) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': %g is beyond %g", t->path,
                       (int)t->lines[row], t->names[index], number, most[column->kind]);
    }

    const size_t at =
        (size_t)row * (size_t)out->value_count + (size_t)(column->value >= 0 ? column->value : 0);

    switch (column->kind) {
    case COLUMN_POSITION:
        out->positions[at] = number;
        out->named[column->value] = true;
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

static BerthStatus fill_rows(const CsvTable* t, const Column* columns, BerthTrajectory* out) {
    for (int32_t row = 0; row < t->row_count; ++row) {
        out->places[row] = t->lines[row];
        const double* numbers = t->values + (size_t)row * (size_t)t->column_count;
        for (int32_t i = 0; i < t->column_count; ++i) {
            const BerthStatus status = fill_number(t, &columns[i], i, row, numbers[i], out);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }
    return BERTH_OK;
}

static BerthStatus read_csv(const char* data, size_t size, const BerthScene* scene, BerthTrajectory* out) {
    CsvTable table;
    BerthStatus status = bi_csv_header(data, size, out->path, &out->allocator, &table);
    Column* columns = NULL;
    TrajectoryParts parts = {.times = false};

    if (status == BERTH_OK) {
        columns = bi_arena_take(&table.arena, (size_t)table.column_count, sizeof *columns);
        status = columns != NULL ? match_columns(&table, scene, columns, &parts) : fail_memory(out->path);
    }

    if (status == BERTH_OK) {
        status = bi_csv_rows(&table);
    }
    if (status == BERTH_OK && table.row_count == 0) {
        status = bi_fail(BERTH_ERR_PARSE, "%s:%d: a header and no rows; at least one state was expected",
                         out->path, (int)table.header_line);
    }

    if (status == BERTH_OK) {
        status = bi_io_take_trajectory(table.row_count, scene, parts, out);
    }
    if (status == BERTH_OK) {
        status = fill_rows(&table, columns, out);
    }

    bi_csv_free(&table);
    return status;
}

// ---- .npy --------------------------------------------------------------------------------------------------

static BerthStatus read_npy(const char* data, size_t size, const BerthScene* scene, BerthTrajectory* out) {
    out->binary = true;
    NpyArray array;
    BerthStatus status = bi_npy_parse(data, size, out->path, &array);

    if (status == BERTH_OK && (array.dimension_count != 2 || array.shape[1] != scene->value_count)) {
        status = bi_fail(BERTH_ERR_PARSE, "%s: byte 8: shape (n, %d) was expected, one column a joint value",
                         out->path, (int)scene->value_count);
    }

    if (status == BERTH_OK) {
        status = bi_io_take_trajectory(array.shape[0], scene, (TrajectoryParts){.times = false}, out);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const int64_t each = scene->value_count;
    for (int64_t i = 0; i < array.count; ++i) {
        out->positions[i] = bi_npy_value(data, &array, i);
        out->named[i % each] = true;
    }
    for (int32_t row = 0; row < out->row_count; ++row) {
        out->places[row] = (int64_t)array.offset + 8 * each * row;
    }
    return BERTH_OK;
}

// ---- files -------------------------------------------------------------------------------------------------

typedef enum FileKind { FILE_CSV = 0, FILE_NPY, FILE_MESSAGE } FileKind;

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
static FileKind find_file_kind(const char* path, const char* data, size_t size) {
    if (bi_npy_is(data, size) || bi_io_has_extension(path, ".npy")) {
        return FILE_NPY;
    }
    if (bi_io_has_extension(path, ".json") || bi_io_has_extension(path, ".yaml") ||
        bi_io_has_extension(path, ".yml")) {
        return FILE_MESSAGE;
    }
    if (bi_io_has_extension(path, ".csv")) {
        return FILE_CSV;
    }

    size_t first = 0;
    while (first < size &&
           (data[first] == ' ' || data[first] == '\t' || data[first] == '\r' || data[first] == '\n')) {
        ++first;
    }
    const bool message = first < size && (data[first] == '{' || contains_word(data, size, "joint_names:"));
    return message ? FILE_MESSAGE : FILE_CSV;
}

BerthStatus bi_io_trajectory_from_bytes(const char* path, const char* data, size_t size,
                                        const BerthScene* scene, const BerthIoOptions* options,
                                        BerthTrajectory* out) {
    *out = (BerthTrajectory){.allocator = bi_allocator_or_default(&options->allocator)};
    out->path = bi_scene_text(&out->allocator, path);
    BerthStatus status = out->path != NULL ? BERTH_OK : fail_memory(path);

    if (status == BERTH_OK) {
        const FileKind kind = find_file_kind(path, data, size);
        if (kind == FILE_NPY) {
            status = read_npy(data, size, scene, out);
        } else if (kind == FILE_MESSAGE) {
            status = bi_io_read_trajectory_message(data, size, scene, options, out);
        } else {
            status = read_csv(data, size, scene, out);
        }
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
    if (path == NULL || scene == NULL || out == NULL || options == NULL || options->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read trajectory: give a path, a scene, options and a place");
    }

    const BerthAllocator memory = bi_allocator_or_default(&options->allocator);
    FileBytes bytes;
    BerthStatus status = bi_io_read_file(path, 0, &memory, &bytes);
    if (status != BERTH_OK) {
        return status;
    }

    status = bi_io_trajectory_from_bytes(path, bytes.data, bytes.size, scene, options, out);
    bi_io_free_file(&bytes);
    return status;
}
