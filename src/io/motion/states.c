// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// States: CSV with a header of joint names, .npy, or "joint=value,..." on a command line. A file is read
// completely and checked before its first state is returned.
// Entries: berth_io_read_states, berth_io_free_states, berth_io_parse_state, bi_io_states_from_bytes.

#include "io/motion/states.h"

#include <string.h>

#include "io/motion/table.h"
#include "io/syntax/number.h"
#include "scene/scene.h"

// ---- files -------------------------------------------------------------------------------------------------

static BerthStatus match_column(const Table* t, const char* name, TableColumn* out) {
    char fault[BI_NAME_FAULT_SIZE] = "";
    if (!bi_io_match_column(t->scene, name, 0, out, fault)) {
        return bi_table_fail_column(
            t, name, "%s",
            bi_io_is_number(name) ? "a header of joint names was expected, here is a number" : fault);
    }
    if (out->follows) {
        return BERTH_OK;
    }

    const int32_t earlier = bi_table_find_column(t, 0, out->value);
    if (earlier >= 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: columns '%.200s' and '%.200s' are the same joint", t->path,
                       (int)t->csv.header_line, t->csv.names[earlier], name);
    }
    return BERTH_OK;
}

static BerthStatus check_shape(const Table* t) {
    const NpyArray* array = &t->npy;
    if (t->binary && (array->dimension_count != 2 || array->shape[1] != t->scene->value_count)) {
        return bi_fail(
            BERTH_ERR_PARSE,
            "%s: byte 8: shape (n, %d) was expected, one column a joint value; here are %d "
            "dimensions, the last of %lld",
            t->path, (int)t->scene->value_count, (int)array->dimension_count,
            array->dimension_count > 0 ? (long long)array->shape[array->dimension_count - 1] : 0LL);
    }
    return BERTH_OK;
}

static BerthStatus fail_row(const Table* t, int32_t row) {
    if (t->binary) {
        (void)bi_fail_prefix(BERTH_ERR_PARSE, "state %lld", (long long)bi_table_row_number(t, row));
    }
    return bi_io_fail_at(t->path, bi_table_line(t, row), t->binary);
}

// Joints that have no column are as in the scene.
static BerthStatus fill_row(const Table* t, int32_t row, double* values) {
    memcpy(values, t->scene->values, (size_t)t->scene->value_count * sizeof *values);
    for (int32_t i = 0; i < t->column_count; ++i) {
        const TableColumn column = bi_table_column(t, i);
        if (!column.follows) {
            values[column.value] = bi_table_number(t, row, i);
        }
    }

    const double* const kinds[] = {values};
    const BerthStatus agree = bi_table_check_followers(t, row, kinds);
    if (agree != BERTH_OK) {
        return agree;
    }
    return bi_io_normalize_and_check_state(t->scene, values) == BERTH_OK ? BERTH_OK : fail_row(t, row);
}

const TableForm bi_states_form = {.rows = "states",
                                  .npy_states = 1,
                                  .kind_count = 1,
                                  .position_kinds = 1,
                                  .match = match_column,
                                  .check = check_shape,
                                  .fill = fill_row};

static BerthStatus fill_rows(const Table* t, BerthStates* out) {
    const size_t each = (size_t)out->value_count;
    BerthStatus status = BERTH_OK;
    for (int32_t row = 0; row < t->row_count && each > 0 && status == BERTH_OK; ++row) {
        status = fill_row(t, row, out->values + (size_t)row * each);
    }
    return status;
}

BerthStatus bi_io_states_from_bytes(const char* path, const char* data, size_t size, const BerthScene* scene,
                                    const BerthIoOptions* options, BerthStates* out) {
    *out = (BerthStates){.allocator = bi_allocator_or_default(&options->allocator)};

    Table table;
    BerthStatus status = bi_table_read(&bi_states_form, path, data, size, scene, &out->allocator, &table);
    if (status == BERTH_OK) {
        out->row_count = table.row_count;
        out->value_count = scene->value_count;
        out->values =
            bi_take(&out->allocator, (size_t)out->row_count * (size_t)out->value_count, sizeof *out->values);
        if (out->values != NULL) {
            status = fill_rows(&table, out);
        } else {
            status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
        }
    }

    bi_table_free(&table);
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

    FileBytes bytes;
    BerthStatus status = bi_io_open_motion("read states", path, scene, out, &options, &bytes);
    if (status == BERTH_OK) {
        status = bi_io_states_from_bytes(path, bytes.data, bytes.size, scene, options, out);
    }
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

    char missing[BI_NAME_FAULT_SIZE];
    const int32_t value = bi_io_match_value(scene, name, missing);
    if (value < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%.*s': '%.100s': %s", shown, item, name, missing);
    }

    if (given[value]) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%.*s': joint '%.100s' appears twice", shown, item, name);
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
        status = bi_io_normalize_and_check_state(scene, changed);
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
