// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Recorded motions of a body: CSV of x, y, z, an orientation and a time.
// Entries: berth_io_read_poses, berth_io_free_poses, bi_io_poses_from_bytes.

#include <berth/io/motion.h>
#include <string.h>

#include "base/base.h"
#include "io/motion/poses.h"
#include "io/syntax/csv.h"
#include "io/syntax/file.h"
#include "math/math.h"

enum { X, Y, Z, QX, QY, QZ, QW, ROLL, PITCH, YAW, TIME, COLUMN_COUNT };
static const char* const column_names[COLUMN_COUNT] = {"x",  "y",    "z",     "qx",  "qy",  "qz",
                                                       "qw", "roll", "pitch", "yaw", "time"};

static BerthStatus find_columns(const CsvTable* table, int32_t columns[COLUMN_COUNT]) {
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        columns[i] = -1;
    }

    for (int32_t c = 0; c < table->column_count; ++c) {
        int known = 0;
        while (known < COLUMN_COUNT && strcmp(table->names[c], column_names[known]) != 0) {
            ++known;
        }

        if (known == COLUMN_COUNT) {
            return bi_fail(
                BERTH_ERR_PARSE,
                "%s:%d: column '%.80s' is not known; x, y, z, and qx, qy, qz, qw or roll, pitch, yaw, "
                "and time are",
                table->path, (int)table->header_line, table->names[c]);
        }
        columns[known] = c;
    }

    const int quats = (columns[QX] >= 0) + (columns[QY] >= 0) + (columns[QZ] >= 0) + (columns[QW] >= 0);
    const int angles = (columns[ROLL] >= 0) + (columns[PITCH] >= 0) + (columns[YAW] >= 0);
    for (int i = X; i <= Z; ++i) {
        if (columns[i] < 0) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: column '%s' is missing", table->path,
                           (int)table->header_line, column_names[i]);
        }
    }

    if ((quats != 0 && quats != 4) || (angles != 0 && angles != 3) || (quats != 0 && angles != 0)) {
        return bi_fail(
            BERTH_ERR_PARSE,
            "%s:%d: an orientation is qx, qy, qz, qw, or roll, pitch, yaw: all of one, none of the other",
            table->path, (int)table->header_line);
    }
    return BERTH_OK;
}

static BerthStatus read_row(const CsvTable* table, const int32_t columns[COLUMN_COUNT], int32_t row,
                            BerthPose* out) {
    const double* v = table->values + (size_t)row * (size_t)table->column_count;
    const Vec3 at = v3(v[columns[X]], v[columns[Y]], v[columns[Z]]);
    const Vec3 magnitude = v3_abs(at);
    if (!(magnitude.x <= BI_COORDINATE_MAX && magnitude.y <= BI_COORDINATE_MAX &&
          magnitude.z <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: (%g, %g, %g) m is further than %g m away", table->path,
                       (int)table->lines[row], at.x, at.y, at.z, BI_COORDINATE_MAX);
    }

    *out = pose_identity();
    out->t = at;
    if (columns[QX] >= 0) {
        const BerthQuat q = {v[columns[QX]], v[columns[QY]], v[columns[QZ]], v[columns[QW]]};
        const BerthStatus status = berth_pose_from_quat(at, q, out);
        if (status != BERTH_OK) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: the quaternion (%g, %g, %g, %g) is no orientation",
                           table->path, (int)table->lines[row], q.x, q.y, q.z, q.w);
        }
        return BERTH_OK;
    }

    if (columns[ROLL] >= 0) {
        const Vec3 rpy = v3(v[columns[ROLL]], v[columns[PITCH]], v[columns[YAW]]);
        *out = berth_pose_from_rpy(at, rpy);
        if (!v3_finite(out->x) || !v3_finite(out->y)) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: an angle is beyond %g rad", table->path,
                           (int)table->lines[row], BI_ANGLE_MAX);
        }
    }
    return BERTH_OK;
}

static BerthStatus read_rows(const CsvTable* table, const int32_t columns[COLUMN_COUNT], BerthPoses* out) {
    if (table->row_count < 1) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: no rows; at least one was expected", table->path,
                       (int)table->header_line);
    }

    out->row_count = table->row_count;
    out->poses = bi_take(&out->allocator, (size_t)out->row_count, sizeof *out->poses);
    out->times =
        columns[TIME] >= 0 ? bi_take(&out->allocator, (size_t)out->row_count, sizeof *out->times) : NULL;
    if (out->poses == NULL || (columns[TIME] >= 0 && out->times == NULL)) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", table->path);
    }

    BerthStatus status = BERTH_OK;
    for (int32_t row = 0; row < out->row_count && status == BERTH_OK; ++row) {
        status = read_row(table, columns, row, &out->poses[row]);
        if (status == BERTH_OK && out->times != NULL) {
            out->times[row] =
                table->values[(size_t)row * (size_t)table->column_count + (size_t)columns[TIME]];
            if (row > 0 && !(out->times[row] > out->times[row - 1])) {
                status = bi_fail(BERTH_ERR_PARSE, "%s:%d: time %g s is not after %g s", table->path,
                                 (int)table->lines[row], out->times[row], out->times[row - 1]);
            }
        }
    }
    return status;
}

BerthStatus bi_io_poses_from_bytes(const char* path, const char* data, size_t size,
                                   const BerthAllocator* allocator, BerthPoses* out) {
    *out = (BerthPoses){.allocator = bi_allocator_or_default(allocator)};
    CsvTable table;
    int32_t columns[COLUMN_COUNT];

    BerthStatus status = bi_csv_read_header(data, size, path, &out->allocator, &table);
    if (status == BERTH_OK) {
        status = find_columns(&table, columns);
    }
    if (status == BERTH_OK) {
        status = bi_csv_read_rows(&table);
    }
    if (status == BERTH_OK) {
        status = read_rows(&table, columns, out);
    }

    bi_csv_free(&table);
    if (status != BERTH_OK) {
        berth_io_free_poses(out);
    }
    return status;
}

BerthStatus berth_io_read_poses(const char* path, const BerthAllocator* allocator, BerthPoses* out) {
    if (path == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "read poses: give a path and a place");
    }
    *out = (BerthPoses){.allocator = bi_allocator_or_default(allocator)};

    FileBytes bytes;
    const BerthIoOptions options = {.allocator = out->allocator};
    BerthStatus status = bi_io_read_file(path, 0, &options, &bytes);
    if (status == BERTH_OK) {
        status = bi_io_poses_from_bytes(path, bytes.data, bytes.size, allocator, out);
        bi_io_free_file(&bytes);
    }
    return status;
}

void berth_io_free_poses(BerthPoses* poses) {
    if (poses == NULL) {
        return;
    }
    bi_give(&poses->allocator, poses->poses, (size_t)poses->row_count, sizeof *poses->poses);
    bi_give(&poses->allocator, poses->times, (size_t)poses->row_count, sizeof *poses->times);
    *poses = (BerthPoses){.allocator = poses->allocator};
}
