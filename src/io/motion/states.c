// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// States: CSV with a header of joint names, .npy, or "joint=value,..." on a command line. A file is read whole and
// checked before its first state is given out.
// Entries: berth_io_read_states, berth_io_free_states, berth_io_parse_state, bi_io_states_from_bytes.

#include "io/motion/states.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/scene_file.h"
#include "io/syntax/csv.h"
#include "io/syntax/file.h"
#include "io/syntax/npy.h"
#include "io/syntax/number.h"
#include "scene/scene.h"

// ---- what a state must be ----------------------------------------------------------------------------------

BerthStatus bi_io_settle_state(const BerthScene* scene, double* values) {
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const SceneRobot* robot = &scene->robots[r];
        for (int32_t j = 0; j < robot->joint_count; ++j) {
            const BerthJointInfo joint = berth_robot_joint(robot->robot, j);
            if (joint.type != BERTH_JOINT_FLOATING || joint.first_value < 0) {
                continue;
            }

            double* quat = values + robot->first_value + joint.first_value + 3;
            const double old[4] = {quat[0], quat[1], quat[2], quat[3]};
            if (!bi_io_unit_quat(quat)) {
                memcpy(quat, old, sizeof old);  // the check below says what is wrong with it
            }
        }
    }
    return berth_scene_check_values(scene, values, NULL, NULL);
}

void bi_io_suggest_value(const BerthScene* scene, const char* name, char* text, size_t size) {
    enum { LIMIT = 2 };
    char best[64] = "";
    int32_t nearest = LIMIT + 1;
    for (int32_t i = 0; i < scene->value_count; ++i) {
        char value[2 * BI_SCENE_NAME_MAX + 2];
        berth_scene_value_name(scene, i, value, sizeof value);

        const char* bare = strchr(value, '/');
        const bool only_robot_missing = scene->robot_count > 1 && bare != NULL && strcmp(bare + 1, name) == 0;
        const int32_t away = only_robot_missing ? 0 : bi_scene_word_distance(name, value, LIMIT);
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

static BerthStatus allocate_rows(const char* path, int64_t row_count, const BerthScene* scene,
                                 BerthStates* out) {
    const int64_t each = scene->value_count;
    if (row_count > INT32_MAX || (each > 0 && row_count > BI_STATE_VALUE_MAX / each)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: %lld states of %lld values, more than this version reads", path,
                       (long long)row_count, (long long)each);
    }

    out->values = bi_take(&out->allocator, (size_t)row_count * (size_t)each, sizeof *out->values);
    if (out->values == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }

    out->row_count = (int32_t)row_count;
    out->value_count = scene->value_count;
    return BERTH_OK;
}

// ---- CSV ---------------------------------------------------------------------------------------------------

// columns[i] = value of the scene that column i is.
static BerthStatus match_columns(const CsvTable* t, const BerthScene* scene, int32_t* columns) {
    for (int32_t i = 0; i < t->column_count; ++i) {
        columns[i] = berth_scene_find_value(scene, t->names[i]);

        double number = 0.0;
        if (columns[i] < 0 && bi_parse_double(t->names[i], strlen(t->names[i]), &number)) {
            return bi_fail(BERTH_ERR_PARSE,
                           "%s:%d: column '%s': a header of joint names was expected, here is a number",
                           t->path, (int)t->header_line, t->names[i]);
        }

        if (columns[i] < 0) {
            char hint[128];
            bi_io_suggest_value(scene, t->names[i], hint, sizeof hint);
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%.200s': there is no joint of that name%s%s",
                           t->path, (int)t->header_line, t->names[i], hint,
                           strchr(t->names[i], ';') != NULL ? " (columns are separated by commas)" : "");
        }
        // Two names of one joint: "joint1" and "left/joint1".
        for (int32_t k = 0; k < i; ++k) {
            if (columns[k] == columns[i]) {
                return bi_fail(BERTH_ERR_PARSE, "%s:%d: columns '%.200s' and '%.200s' are the same joint",
                               t->path, (int)t->header_line, t->names[k], t->names[i]);
            }
        }
    }
    return BERTH_OK;
}

static BerthStatus fill_rows(const CsvTable* t, const BerthScene* scene, const int32_t* columns,
                             BerthStates* out) {
    const size_t each = (size_t)scene->value_count;
    for (int32_t row = 0; row < t->row_count; ++row) {
        double* values = out->values + (size_t)row * each;
        const double* given = t->values + (size_t)row * (size_t)t->column_count;
        if (each > 0) {
            memcpy(values, scene->values, each * sizeof *values);
        }

        for (int32_t i = 0; i < t->column_count; ++i) {
            values[columns[i]] = given[i];
        }

        const BerthStatus status = bi_io_settle_state(scene, values);
        if (status != BERTH_OK) {
            return bi_fail_prefix(BERTH_ERR_PARSE, "%s:%d", t->path, (int)t->lines[row]);
        }
    }
    return BERTH_OK;
}

static BerthStatus read_csv(const char* path, const char* data, size_t size, const BerthScene* scene,
                            BerthStates* out) {
    CsvTable table;
    BerthStatus status = bi_csv_header(data, size, path, &out->allocator, &table);
    int32_t* columns = NULL;
    if (status == BERTH_OK) {
        columns = bi_arena_take(&table.arena, (size_t)table.column_count, sizeof *columns);
        if (columns == NULL) {
            status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
        } else {
            status = match_columns(&table, scene, columns);
        }
    }

    if (status == BERTH_OK) {
        status = bi_csv_rows(&table);
    }
    if (status == BERTH_OK) {
        status = allocate_rows(path, table.row_count, scene, out);
    }

    if (status == BERTH_OK) {
        status = fill_rows(&table, scene, columns, out);
    }

    bi_csv_free(&table);
    return status;
}

// ---- .npy --------------------------------------------------------------------------------------------------

static BerthStatus read_npy(const char* path, const char* data, size_t size, const BerthScene* scene,
                            BerthStates* out) {
    NpyArray array;
    BerthStatus status = bi_npy_parse(data, size, path, &array);
    if (status != BERTH_OK) {
        return status;
    }

    if (array.dimension_count != 2 || array.shape[1] != scene->value_count) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte 8: shape (n, %d) was expected, one column a joint value; here are %d "
                       "dimensions, the last of %lld",
                       path, (int)scene->value_count, (int)array.dimension_count,
                       array.dimension_count > 0 ? (long long)array.shape[array.dimension_count - 1] : 0LL);
    }

    status = allocate_rows(path, array.shape[0], scene, out);
    const size_t each = (size_t)scene->value_count;
    for (int32_t row = 0; row < out->row_count && status == BERTH_OK && each > 0; ++row) {
        double* values = out->values + (size_t)row * each;
        for (size_t i = 0; i < each; ++i) {
            values[i] = bi_npy_value(data, &array, (int64_t)row * (int64_t)each + (int64_t)i);
        }

        if (bi_io_settle_state(scene, values) != BERTH_OK) {
            status = bi_fail_prefix(BERTH_ERR_PARSE, "%s: byte %zu: state %d", path,
                                    array.offset + 8 * (size_t)row * each, (int)row);
        }
    }
    return status;
}

// ---- files -------------------------------------------------------------------------------------------------

BerthStatus bi_io_states_from_bytes(const char* path, const char* data, size_t size, const BerthScene* scene,
                                    const BerthIoOptions* options, BerthStates* out) {
    *out = (BerthStates){.allocator = bi_allocator_or_default(&options->allocator)};
    const bool npy = bi_npy_is(data, size) || bi_io_has_extension(path, ".npy");
    const BerthStatus status =
        npy ? read_npy(path, data, size, scene, out) : read_csv(path, data, size, scene, out);
    if (status != BERTH_OK) {
        berth_io_free_states(out);
    }
    return status;
}

BerthStatus berth_io_read_states(const char* path, const BerthScene* scene, const BerthIoOptions* options,
                                 BerthStates* out) {
    if (out != NULL) {
        *out = (BerthStates){.values = NULL};
    }
    if (path == NULL || scene == NULL || out == NULL || options == NULL || options->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read states: give a path, a scene, options and a place");
    }

    const BerthAllocator memory = bi_allocator_or_default(&options->allocator);
    FileBytes bytes;
    BerthStatus status = bi_io_read_file(path, 0, &memory, &bytes);
    if (status != BERTH_OK) {
        return status;
    }

    status = bi_io_states_from_bytes(path, bytes.data, bytes.size, scene, options, out);
    bi_io_free_file(&bytes);
    return status;
}

void berth_io_free_states(BerthStates* states) {
    if (states == NULL || states->allocator.take == NULL) {
        return;
    }
    bi_give(&states->allocator, states->values, (size_t)states->row_count * (size_t)states->value_count,
            sizeof *states->values);
    *states = (BerthStates){.values = NULL};
}

// ---- a state on a command line -----------------------------------------------------------------------------

// One "joint=value"; the name may hold '=' itself, the value cannot.
static BerthStatus parse_item(const char* item, size_t length, const BerthScene* scene, double* values,
                              bool* given) {
    size_t equals = length;
    while (equals > 0 && item[equals - 1] != '=') {
        --equals;
    }
    const int shown = length < 100 ? (int)length : 100;
    if (equals == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%.*s': joint=value was expected", shown, item);
    }

    // The name, without the blanks around it.
    size_t first = 0;
    size_t last = equals - 1;
    while (first < last && item[first] == ' ') {
        ++first;
    }
    while (last > first && item[last - 1] == ' ') {
        --last;
    }

    char name[2 * BI_SCENE_NAME_MAX + 2];
    if (last - first >= sizeof name) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%.*s...': the name is too long", shown, item);
    }
    memcpy(name, item + first, last - first);
    name[last - first] = '\0';

    const int32_t value = berth_scene_find_value(scene, name);
    if (value < 0) {
        char hint[128];
        bi_io_suggest_value(scene, name, hint, sizeof hint);
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%.*s': there is no joint '%.100s'%s", shown, item, name,
                       hint);
    }

    if (given[value]) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%.*s': joint '%.100s' is there twice", shown, item, name);
    }
    given[value] = true;

    // The value, without the blanks around it.
    first = equals;
    last = length;
    while (first < last && item[first] == ' ') {
        ++first;
    }
    while (last > first && item[last - 1] == ' ') {
        --last;
    }

    if (!bi_parse_double(item + first, last - first, &values[value])) {
        const char* fault =
            last > first ? bi_number_fault(item + first, last - first) : "a number was expected";
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%.*s': %s", shown, item,
                       fault != NULL ? fault : "not a number");
    }
    return BERTH_OK;
}

static BerthStatus parse_items(const char* text, const BerthScene* scene, double* values, bool* given) {
    for (const char* item = text;;) {
        const size_t length = strcspn(item, ",");
        const BerthStatus status = parse_item(item, length, scene, values, given);
        if (status != BERTH_OK || item[length] == '\0') {
            return status;
        }
        item += length + 1;
    }
}

BerthStatus berth_io_parse_state(const char* text, const BerthScene* scene, double* values) {
    if (text == NULL || scene == NULL || (values == NULL && scene->value_count > 0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state: give a text, a scene and values");
    }

    const size_t count = (size_t)scene->value_count;
    double* changed = bi_take(&scene->allocator, count, sizeof *changed);
    bool* given = bi_take(&scene->allocator, count, sizeof *given);

    BerthStatus status = BERTH_OK;
    if (changed == NULL || given == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "state: out of memory");
    } else {
        if (count > 0) {
            memcpy(changed, values, count * sizeof *changed);
        }
        status = parse_items(text, scene, changed, given);
    }

    if (status == BERTH_OK) {
        status = bi_io_settle_state(scene, changed);
        if (status != BERTH_OK) {
            bi_fail_prefix(status, "state '%.100s'", text);
        }
    }

    if (status == BERTH_OK && count > 0) {
        memcpy(values, changed, count * sizeof *changed);
    }

    bi_give(&scene->allocator, changed, count, sizeof *changed);
    bi_give(&scene->allocator, given, count, sizeof *given);
    return status;
}
