// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Points and balls as callers receive them.
// Entries: berth_io_read_points, berth_io_read_points_of, berth_io_read_balls.

#include <berth/io/cloud.h>
#include <math.h>
#include <string.h>

#include "io/cloud/cloud.h"
#include "io/syntax/csv.h"
#include "math/tolerance.h"

static BerthStatus read_points(const char* path, int32_t dim, const BerthIoOptions* options,
                               BerthPoints* out) {
    *out = (BerthPoints){.points = NULL};
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    FileBytes file;
    PointCloud cloud;
    bi_cloud_init(&cloud, &options->allocator);
    cloud.options = options;
    cloud.dim = dim;
    *out = (BerthPoints){.allocator = cloud.allocator};

    status = bi_io_read_file(path, 0, options, &file);
    if (status != BERTH_OK) {
        return status;
    }

    status = bi_io_parse_points(path, file.data, file.size, &cloud);
    bi_io_free_file(&file);
    if (status != BERTH_OK) {
        bi_cloud_free(&cloud);
        return status;
    }

    if (cloud.has_viewpoint) {
        bi_io_warn(options, "%s: its VIEWPOINT is not applied: points are taken as they are", path);
    }

    out->points = cloud.points;
    out->count = (int64_t)cloud.count;
    out->capacity = (int64_t)cloud.capacity;
    out->dropped = (int64_t)cloud.dropped;
    return BERTH_OK;
}

BerthStatus berth_io_read_points(const char* path, const BerthIoOptions* options, BerthPoints* out) {
    return read_points(path, 0, options, out);
}

BerthStatus berth_io_read_points_of(const char* path, int32_t dim, const BerthIoOptions* options,
                                    BerthPoints* out) {
    if (dim != 2 && dim != 3) {
        *out = (BerthPoints){.points = NULL};
        return bi_fail(BERTH_ERR_ARGUMENT, "points of dimension %d: 2 or 3 is expected", (int)dim);
    }
    return read_points(path, dim, options, out);
}

void berth_io_free_points(BerthPoints* points) {
    if (points->points != NULL) {
        bi_give(&points->allocator, points->points, (size_t)points->capacity, sizeof *points->points);
    }
    points->points = NULL;
    points->count = 0;
    points->capacity = 0;
}

// ---- balls ---------------------------------------------------------------------------------------------------

// Which column is x, y, z, r; every one of them once and no other.
static BerthStatus find_columns(const CsvTable* table, int32_t dim, int column[4]) {
    static const char* const names[] = {"x", "y", "z", "r"};
    for (int i = 0; i < 4; ++i) {
        column[i] = -1;
        for (int32_t c = 0; c < table->column_count; ++c) {
            if (strcmp(table->names[c], names[i]) == 0) {
                column[i] = (int)c;
            }
        }
    }

    const bool has_z = column[2] >= 0;
    if (column[0] < 0 || column[1] < 0 || column[3] < 0 || has_z != (dim == 3) ||
        table->column_count != dim + 1) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: columns %s are expected, the map is %d-D", table->path,
                       (int)table->header_line, dim == 3 ? "x,y,z,r" : "x,y,r", (int)dim);
    }
    return BERTH_OK;
}

static BerthStatus copy_rows(const CsvTable* table, const int column[4], BerthBalls* out) {
    for (int32_t row = 0; row < table->row_count; ++row) {
        const double* values = table->values + (size_t)row * (size_t)table->column_count;
        double* ball = out->balls + 4 * (size_t)row;
        for (int i = 0; i < 4; ++i) {
            ball[i] = column[i] >= 0 ? values[column[i]] : 0.0;
            if (!(fabs(ball[i]) <= BI_COORDINATE_MAX)) {
                return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%s': %g is beyond %g m", table->path,
                               (int)table->lines[row], table->names[column[i]], ball[i], BI_COORDINATE_MAX);
            }
        }

        if (!(ball[3] >= 0.0)) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: column 'r': the radius is %g, 0 or more is expected",
                           table->path, (int)table->lines[row], ball[3]);
        }
    }
    return BERTH_OK;
}

// A first row of numbers is no header: one is put before it, in a copy.
static BerthStatus add_header(const char* path, int32_t dim, FileBytes* file) {
    const char* start = file->data;
    while (*start != '\0' && strchr(" \t\r\n", *start) != NULL) {
        ++start;
    }
    if (*start == '\0' || strchr("+-.0123456789", *start) == NULL) {
        return BERTH_OK;
    }

    const char* header = dim == 3 ? "x,y,z,r\n" : "x,y,r\n";
    FileBytes longer = {.allocator = file->allocator, .size = file->size + strlen(header)};
    longer.capacity = longer.size + 1;
    longer.data = bi_take(&longer.allocator, longer.capacity, 1);
    if (longer.data == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu bytes", path, longer.capacity);
    }

    memcpy(longer.data, header, strlen(header));
    memcpy(longer.data + strlen(header), file->data, file->size);
    bi_io_free_file(file);
    *file = longer;
    return BERTH_OK;
}

BerthStatus berth_io_read_balls(const char* path, int32_t dim, const BerthIoOptions* options,
                                BerthBalls* out) {
    *out = (BerthBalls){.balls = NULL};
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    FileBytes file;
    CsvTable table;
    out->allocator = bi_allocator_or_default(&options->allocator);
    status = bi_io_read_file(path, 0, options, &file);
    if (status != BERTH_OK) {
        return status;
    }

    int column[4];
    const size_t size = file.size;
    status = add_header(path, dim, &file);
    if (status != BERTH_OK) {
        bi_io_free_file(&file);
        return status;
    }
    status = bi_csv_read_header(file.data, file.size, path, &options->allocator, &table);
    table.line -= file.size != size;  // lines are counted as in the file

    if (status == BERTH_OK) {
        status = find_columns(&table, dim, column);
    }
    if (status == BERTH_OK) {
        status = bi_csv_read_rows(&table);
    }
    if (status == BERTH_OK && table.row_count == 0) {
        status = bi_fail(BERTH_ERR_PARSE, "%s:%d: a header and no balls; at least one was expected", path,
                         (int)table.header_line);
    }

    if (status == BERTH_OK) {
        out->count = table.row_count;
        out->balls = bi_take(&out->allocator, 4 * (size_t)out->count, sizeof *out->balls);
        if (out->balls != NULL) {
            status = copy_rows(&table, column, out);
        } else {
            status = bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %lld balls", path, (long long)out->count);
        }
    }

    bi_csv_free(&table);
    bi_io_free_file(&file);
    if (status != BERTH_OK) {
        berth_io_free_balls(out);
    }
    return status;
}

void berth_io_free_balls(BerthBalls* balls) {
    if (balls->balls != NULL) {
        bi_give(&balls->allocator, balls->balls, 4 * (size_t)balls->count, sizeof *balls->balls);
    }
    balls->balls = NULL;
    balls->count = 0;
}
