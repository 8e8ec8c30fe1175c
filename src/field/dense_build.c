// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Dense maps in linear time. L1: a wave, as two sweeps an axis. Euclidean: one sweep along x, then lower envelopes of parabolas along y and z. In half cells
// the centre of cell i is at 2i + 1 and obstacle cell j reaches from 2j to 2j + 2; along one axis its nearest point is one of its two ends, or the centre itself
// for i = j. So with G the map of the axes before, the next one is min(G[i], min over ends v of (2(i - v) + 1)^2 + min(G[v - 1], G[v])).
// Entries: bi_field_make_l1, bi_field_make_euclid; bi_field_spread_l1 for updates.

#include "field/field.h"

#include <string.h>

enum { FILL_MOST = 1 << 26 };  // bytes between two questions whether to go on
enum { LANES = 16 };           // columns that are turned together: a cache line of values

static size_t cell_total(const BerthField* field) {
    return (size_t)field->info.size[0] * (size_t)field->info.size[1] * (size_t)field->info.size[2];
}

/// What goes on while a dense map is made.
typedef struct DenseWork {
    BerthField* field;
    const BerthFieldDef* def;
    double share;  // reported meanwhile
} DenseWork;

static BerthStatus report_work(const DenseWork* work) {
    return bi_field_report_progress(work->def, work->share);
}

// An array of bytes 0xFF, plane by plane: it may be gigabytes.
static BerthStatus take_far_array(const DenseWork* work, FieldArrayKind kind) {
    BerthField* field = work->field;
    bi_field_give_array(field, kind);
    FieldArray* array = &field->arrays[kind];
    const size_t count = cell_total(field), bytes = count * array->size;

    const uint64_t limit = bi_field_memory_limit(work->def);
    if (bytes > limit) {
        return bi_fail(BERTH_ERR_MEMORY,
                       "field: a dense map needs %zu bytes, the limit and the other parts leave %llu", bytes,
                       (unsigned long long)limit);
    }

    array->data = bi_take_raw(&field->allocator, count, array->size);
    if (array->data == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory, %zu bytes more were needed", bytes);
    }
    array->count = count;
    bi_field_set_pointers(field);

    BerthStatus status = BERTH_OK;
    for (size_t at = 0; at < bytes && status == BERTH_OK; at += FILL_MOST) {
        memset((char*)array->data + at, 0xFF, bytes - at < FILL_MOST ? bytes - at : FILL_MOST);
        status = report_work(work);
    }
    return status;
}

// Calls `fill` for every row of cells of every obstacle.
static BerthStatus for_each_obstacle_row(const DenseWork* work,
                                         void (*fill)(BerthField* field, size_t first, size_t count)) {
    BerthField* field = work->field;
    const size_t solids = field->arrays[FIELD_SOLIDS].count;
    uint64_t cells = 0;
    BerthStatus status = BERTH_OK;

    for (size_t i = 0; i < solids && status == BERTH_OK; ++i) {
        const PackedLeaf leaf = field->solids[i];
        if (leaf_colour(leaf) == BERTH_CELL_UNKNOWN && field->info.unknown_is_free) {
            continue;
        }

        const int32_t width = leaf_width(leaf);
        int32_t cell[3] = {leaf_low(leaf, 0), 0, 0};
        for (int32_t k = 0; k < (field->info.dim == 2 ? 1 : width) && status == BERTH_OK; ++k) {
            for (int32_t j = 0; j < width; ++j) {
                cell[1] = leaf_low(leaf, 1) + j;
                cell[2] = leaf_low(leaf, 2) + k;
                fill(field, dense_index(field, cell), (size_t)width);
            }

            cells += (uint64_t)width * (uint64_t)width;
            if (cells >= FILL_MOST) {
                cells = 0;
                status = report_work(work);
            }
        }
    }
    return status;
}

// ---- L1 -----------------------------------------------------------------------------------------------------------------------------

static void fill_l1(BerthField* field, size_t first, size_t count) {
    memset((uint16_t*)field->arrays[FIELD_DENSE_L1].data + first, 0, count * sizeof(uint16_t));
}

// to[i] = min(to[i], from[i] + 1), up to FIELD_DM_MOST.
static void wave_rows(uint16_t* to, const uint16_t* from, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const uint16_t most = from[i] < FIELD_DM_MOST ? from[i] : FIELD_DM_MOST - 1;
        const uint16_t next = (uint16_t)(most + 1);
        to[i] = next < to[i] ? next : to[i];
    }
}

static void wave_in_row(uint16_t* row, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        wave_rows(row + i, row + i - 1, 1);
    }

    for (size_t i = count - 1; i-- > 0;) {
        wave_rows(row + i, row + i + 1, 1);
    }
}

// The sweeps along an axis whose neighbours are `step` apart: rows of `width` cells side by side.
static void wave_across(uint16_t* cells, size_t step, size_t width, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        wave_rows(cells + i * step, cells + (i - 1) * step, width);
    }

    for (size_t i = count - 1; i-- > 0;) {
        wave_rows(cells + i * step, cells + (i + 1) * step, width);
    }
}

BerthStatus bi_field_spread_l1(BerthField* field, const BerthFieldDef* def, double share,
                               const int32_t low[3], const int32_t high[3]) {
    uint16_t* first = (uint16_t*)field->arrays[FIELD_DENSE_L1].data + dense_index(field, low);
    const size_t row = (size_t)field->info.size[0], plane = row * (size_t)field->info.size[1];
    const size_t nx = (size_t)(high[0] - low[0]), ny = (size_t)(high[1] - low[1]),
                 nz = (size_t)(high[2] - low[2]);
    BerthStatus status = BERTH_OK;

    for (size_t z = 0; z < nz && status == BERTH_OK; ++z) {
        for (size_t y = 0; y < ny; ++y) {
            wave_in_row(first + z * plane + y * row, nx);
        }
        wave_across(first + z * plane, row, nx, ny);
        status = bi_field_report_progress(def, share);
    }

    for (size_t y = 0; y < ny && status == BERTH_OK; ++y) {
        wave_across(first + y * row, plane, nx, nz);
        status = bi_field_report_progress(def, share);
    }
    return status;
}

BerthStatus bi_field_make_l1(BerthField* field, const BerthFieldDef* def, double from, double to) {
    const DenseWork work = {field, def, from};
    BerthStatus status = take_far_array(&work, FIELD_DENSE_L1);
    if (status == BERTH_OK) {
        status = for_each_obstacle_row(&work, fill_l1);
    }

    if (status == BERTH_OK) {
        const int32_t low[3] = {0, 0, 0};
        status = bi_field_spread_l1(field, def, from + 0.3 * (to - from), low, field->info.size);
    }
    return status == BERTH_OK ? bi_field_report_progress(def, from + 0.9 * (to - from)) : status;
}

// ---- Euclidean ----------------------------------------------------------------------------------------------------------------------

static void fill_euclid(BerthField* field, size_t first, size_t count) {
    memset((uint32_t*)field->arrays[FIELD_DENSE_EUCLID].data + first, 0, count * sizeof(uint32_t));
}

// One cell further along a row, distances as 2 k - 1 for k cells: 0 in an obstacle.
static uint32_t next_distance(uint32_t cell, uint32_t last) {
    if (cell == 0) {
        return 0;
    }
    if (last == FIELD_ENDLESS) {
        return last;
    }
    return last == 0 ? 1 : last + 2;
}

static void euclid_row(uint32_t* row, size_t count) {
    // Distances first, to the left; then squares of the nearer ones.
    uint32_t last = FIELD_ENDLESS;
    for (size_t i = 0; i < count; ++i) {
        last = next_distance(row[i], last);
        row[i] = last;
    }

    last = FIELD_ENDLESS;
    for (size_t i = count; i-- > 0;) {
        last = next_distance(row[i], last);
        const uint32_t best = last < row[i] ? last : row[i];
        row[i] = best == FIELD_ENDLESS ? best : best * best;
    }
}

/// Parabolas of the lower envelope: the end they stand on, its value, and the first cell where they are lowest.
typedef struct Parabola {
    int64_t end, value, from;
} Parabola;

static int64_t parabola_at(const Parabola* p, int64_t cell) {
    const int64_t gap = 2 * (cell - p->end) + 1;
    return gap * gap + p->value;
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// The first cell where the parabola at `v` (a later end) is below the one at u.
static int64_t first_below(const Parabola* u, int64_t v, int64_t value) {
    const int64_t apart = v - u->end;
    return floor_div(value - u->value + 4 * apart * (u->end + v - 1), 8 * apart) + 1;
}

// g and out: `count` values LANES apart. `hull` has room for count + 1.
static void lower_envelope(const uint32_t* g, uint32_t* out, size_t count, Parabola* hull) {
    int64_t top = -1;

    for (size_t v = 0; v <= count; ++v) {
        const uint32_t a = v > 0 ? g[(v - 1) * LANES] : FIELD_ENDLESS,
                       b = v < count ? g[v * LANES] : FIELD_ENDLESS;
        const uint32_t least = a < b ? a : b;
        if (least == FIELD_ENDLESS) {
            continue;
        }

        Parabola next = {(int64_t)v, least, 0};
        while (top >= 0 && parabola_at(&hull[top], hull[top].from) > parabola_at(&next, hull[top].from)) {
            --top;
        }
        if (top >= 0) {
            next.from = first_below(&hull[top], next.end, next.value);
        }

        if (next.from < (int64_t)count) {
            hull[++top] = next;
        }
    }

    int64_t at = top;
    for (size_t i = count; i-- > 0;) {
        uint32_t value = g[i * LANES];
        if (at >= 0 && value != 0) {
            while (hull[at].from > (int64_t)i) {
                --at;
            }
            const int64_t best = parabola_at(&hull[at], (int64_t)i);
            value = best < (int64_t)value ? (uint32_t)best : value;
        }
        out[i * LANES] = value;
    }
}

// Envelopes along an axis, LANES neighbouring columns at a time: `count` cells, `step` apart, from `cells` on; `width` columns side by side.
static void lower_envelopes(uint32_t* cells, size_t width, size_t step, size_t count, uint32_t* buffer,
                            Parabola* hull) {
    uint32_t* result = buffer + count * LANES;
    for (size_t x = 0; x < width; x += LANES) {
        const size_t lanes = width - x < LANES ? width - x : LANES;
        for (size_t i = 0; i < count; ++i) {
            memcpy(buffer + i * LANES, cells + i * step + x, lanes * sizeof *buffer);
        }

        for (size_t lane = 0; lane < lanes; ++lane) {
            lower_envelope(buffer + lane, result + lane, count, hull);
        }

        for (size_t i = 0; i < count; ++i) {
            memcpy(cells + i * step + x, result + i * LANES, lanes * sizeof *buffer);
        }
    }
}

static BerthStatus euclid_sweeps(BerthField* field, const BerthFieldDef* def, double from, double to,
                                 uint32_t* buffer, Parabola* hull) {
    uint32_t* cells = field->arrays[FIELD_DENSE_EUCLID].data;
    const size_t nx = (size_t)field->info.size[0], ny = (size_t)field->info.size[1],
                 nz = (size_t)field->info.size[2];
    BerthStatus status = BERTH_OK;

    for (size_t z = 0; z < nz && status == BERTH_OK; ++z) {
        uint32_t* plane = cells + z * nx * ny;
        for (size_t y = 0; y < ny; ++y) {
            euclid_row(plane + y * nx, nx);
        }
        lower_envelopes(plane, nx, nx, ny, buffer, hull);
        status = bi_field_report_progress(def, from + 0.5 * (to - from) * (double)z / (double)nz);
    }

    for (size_t y = 0; y < ny && nz > 1 && status == BERTH_OK; ++y) {
        lower_envelopes(cells + y * nx, nx, nx * ny, nz, buffer, hull);
        status = bi_field_report_progress(def, from + (0.5 + 0.5 * (double)y / (double)ny) * (to - from));
    }
    return status;
}

BerthStatus bi_field_make_euclid(BerthField* field, const BerthFieldDef* def, double from, double to) {
    if (field->info.levels > 14) {
        return bi_fail(BERTH_ERR_UNSUPPORTED, "field: a Euclidean map has at most 14 levels, this one %d",
                       field->info.levels);
    }
    const DenseWork work = {field, def, from};
    BerthStatus status = take_far_array(&work, FIELD_DENSE_EUCLID);
    if (status == BERTH_OK) {
        status = for_each_obstacle_row(&work, fill_euclid);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const size_t longest =
        (size_t)(field->info.size[1] > field->info.size[2] ? field->info.size[1] : field->info.size[2]);
    uint32_t* buffer = bi_take(&field->allocator, 2 * LANES * longest, sizeof *buffer);
    Parabola* hull = bi_take(&field->allocator, longest + 1, sizeof *hull);

    if (buffer == NULL || hull == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the Euclidean map");
    } else {
        status = euclid_sweeps(field, def, from, to, buffer, hull);
    }

    if (hull != NULL) {
        bi_give(&field->allocator, hull, longest + 1, sizeof *hull);
    }
    if (buffer != NULL) {
        bi_give(&field->allocator, buffer, 2 * LANES * longest, sizeof *buffer);
    }

    return status;
}
