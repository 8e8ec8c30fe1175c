// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Is a point inside a set of cells? Its cell is looked up; a point within rounding of a border is in the cells of both
// sides, so that in doubt it is inside.
//
// Entry: bi_cell_index_may_contain.

#include "math/math.h"
#include "tree/cells.h"

static bool has_code(const CellIndex* index, uint64_t code) {
    size_t low = 0;
    size_t high = index->range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (index->ranges[middle].end <= code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < index->range_count && index->ranges[low].first <= code;
}

/// The cells of one axis that a coordinate may be in: one, or two at a border.
typedef struct CellSpan {
    int32_t first, last;  // last < first: it is outside
} CellSpan;

static CellSpan span_of(const CellIndex* index, int axis, double at, double room) {
    const double per_cell = 1.0 / index->info.resolution;
    const double cell = (at - v3_at(index->origin, axis)) * per_cell;
    const double error = (room + BI_DISTANCE_SLACK * fabs(at)) * per_cell;
    if (!(cell + error >= 0.0) || !(cell - error <= (double)index->size[axis])) {
        return (CellSpan){0, -1};
    }

    const double low = floor(cell - error);
    const double high = floor(cell + error);
    const double last = (double)index->size[axis] - 1.0;
    return (CellSpan){(int32_t)clamp(low, 0.0, last), (int32_t)clamp(high, 0.0, last)};
}

bool bi_cell_index_may_contain(const CellIndex* index, Vec3 point) {
    if (!v3_finite(point)) {
        return true;
    }

    // The borders were rounded when they were made, and the point came out of a pose: both by less than this.
    const double room =
        BI_DISTANCE_SLACK * (v3_length(index->info.low) + v3_length(index->info.high) + v3_length(point));

    CellSpan span[3] = {{0, 0}, {0, 0}, {0, 0}};
    for (int axis = 0; axis < index->info.dim; ++axis) {
        span[axis] = span_of(index, axis, v3_at(point, axis), room);
    }

    if (index->info.dim == 2 &&
        !(point.z >= index->info.low.z - room && point.z <= index->info.high.z + room)) {
        return false;
    }

    for (int32_t z = span[2].first; z <= span[2].last; ++z) {
        for (int32_t y = span[1].first; y <= span[1].last; ++y) {
            for (int32_t x = span[0].first; x <= span[0].last; ++x) {
                const int32_t cell[3] = {x, y, z};
                if (has_code(index, morton_code(index->info.dim, cell))) {
                    return true;
                }
            }
        }
    }
    return false;
}
