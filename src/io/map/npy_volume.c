// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// NumPy arrays as maps: index (x, y, z), or (x, y) in the plane. bool and integers: 0 is free, negative
// unknown (as in ROS occupancy grids), everything else occupied. float32 and float64: the probability of
// being occupied, occupied from 0.5 on, NaN unknown; a number outside [0, 1] is refused.
// Entry: bi_io_parse_npy_volume.

#include <math.h>
#include <string.h>

#include "io/map/map_cells.h"
#include "io/syntax/bytes.h"
#include "io/syntax/npy.h"

#define OCCUPIED_FROM 0.5
enum { ROWS_A_LOOK = 64 };

// False: the number is no chance.
static bool read_cell_state(const char* data, const NpyArray* array, size_t index, BerthCellColour* out) {
    const uint8_t* bytes = (const uint8_t*)data + array->offset + index * bi_npy_size(array->kind);
    const size_t size = bi_npy_size(array->kind);
    if (array->kind >= NPY_BOOL) {
        // Whole numbers: only their sign matters, and whether they are 0.
        const bool has_sign = array->kind >= NPY_INT8 && (array->kind - NPY_INT8) % 2 == 0;
        uint8_t any = 0;
        for (size_t i = 0; i < size; ++i) {
            any |= bytes[i];
        }

        if (has_sign && bytes[size - 1] > 127) {
            *out = BERTH_CELL_UNKNOWN;
        } else {
            *out = any != 0 ? BERTH_CELL_OCCUPIED : BERTH_CELL_FREE;
        }
        return true;
    }

    double chance = 0.0;
    if (array->kind == NPY_FLOAT32) {
        chance = f32_at(bytes);
    } else {
        chance = bi_npy_value(data, array, (int64_t)index);
    }

    if (isnan(chance)) {
        *out = BERTH_CELL_UNKNOWN;
        return true;
    }
    *out = chance >= OCCUPIED_FROM ? BERTH_CELL_OCCUPIED : BERTH_CELL_FREE;
    return chance >= 0.0 && chance <= 1.0;
}

static BerthStatus check_shape(const char* path, const NpyArray* array, MapCells* out) {
    if (array->dimension_count < 2) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 10: shape: %d dimension%s, (x, y, z) or (x, y) is expected",
                       path, (int)array->dimension_count, array->dimension_count == 1 ? "" : "s");
    }

    out->dimensions = array->dimension_count;
    out->size[2] = 1;

    for (int i = 0; i < array->dimension_count; ++i) {
        if (array->shape[i] < 1 || array->shape[i] > BI_MAP_SIDE_MAX) {
            return bi_fail(BERTH_ERR_PARSE, "%s: byte 10: shape: %lld cells along %c, 1 to %d are expected",
                           path, (long long)array->shape[i], "xyz"[i], BI_MAP_SIDE_MAX);
        }
    }

    for (int i = 0; i < array->dimension_count; ++i) {
        out->size[i] = (int32_t)array->shape[i];
    }
    return BERTH_OK;
}

BerthStatus bi_io_parse_npy_volume(const char* path, const char* data, size_t size, MapCells* out) {
    NpyArray array;

    BerthStatus status = bi_npy_parse_any(data, size, path, &array);
    if (status == BERTH_OK) {
        status = check_shape(path, &array, out);
    }
    if (status == BERTH_OK) {
        status = bi_map_cells_allocate_grid(out, path);
    }
    if (status != BERTH_OK) {
        return status;
    }

    out->rest = BERTH_CELL_UNKNOWN;
    const size_t nx = (size_t)out->size[0], ny = (size_t)out->size[1], nz = (size_t)out->size[2];
    for (size_t x = 0; x < nx; ++x) {
        for (size_t y = 0; y < ny; ++y) {
            if ((x * ny + y) % ROWS_A_LOOK == 0 && bi_io_step(out->options, path, 1.0) != BERTH_OK) {
                return BERTH_ERR_CANCELLED;
            }
            for (size_t z = 0; z < nz; ++z) {
                const size_t ours = (z * ny + y) * nx + x;
                const size_t index = array.fortran_order ? ours : (x * ny + y) * nz + z;

                BerthCellColour state = BERTH_CELL_UNKNOWN;
                if (!read_cell_state(data, &array, index, &state)) {
                    return bi_fail(BERTH_ERR_PARSE,
                                   "%s: byte %zu: cell (%zu, %zu, %zu) is no chance of being occupied: "
                                   "0 to 1, or NaN for unknown, is expected",
                                   path, array.offset + index * bi_npy_size(array.kind), x, y, z);
                }
                out->grid[ours] = (uint8_t)state;
            }
        }
    }
    return BERTH_OK;
}
