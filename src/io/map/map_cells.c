// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Cells of a map file: memory for them within a limit, counts, bounds.

#include "io/map/map_cells.h"

#include <math.h>
#include <string.h>

#define MIB 1048576.0
enum { NODES_A_LOOK = 1 << 16 };
/// Cells wider than this are a mistake; narrower ones than a nanometre too.
#define RESOLUTION_MIN 1e-9
#define RESOLUTION_MAX 1e6

void bi_map_cells_init(MapCells* cells, const BerthAllocator* allocator, size_t memory_limit) {
    *cells = (MapCells){.allocator = bi_allocator_or_default(allocator),
                        .memory_limit = memory_limit > 0 ? memory_limit : BI_MAP_MEMORY,
                        .dimensions = 3,
                        .size = {1, 1, 1},
                        .resolution = 1.0};
}

size_t bi_map_cells_grid_count(const MapCells* cells) {
    return (size_t)cells->size[0] * (size_t)cells->size[1] * (size_t)cells->size[2];
}

void bi_map_cells_free(MapCells* cells) {
    if (cells->nodes != NULL) {
        bi_give(&cells->allocator, cells->nodes, cells->capacity, sizeof *cells->nodes);
    }
    if (cells->grid != NULL) {
        bi_give(&cells->allocator, cells->grid, bi_map_cells_grid_count(cells), 1);
    }
    cells->nodes = NULL;
    cells->grid = NULL;
    cells->count = 0;
    cells->capacity = 0;
}

BerthStatus bi_map_cells_add(MapCells* cells, CellNode node) {
    if (cells->count == cells->capacity) {
        const size_t larger = cells->capacity > 0 ? 2 * cells->capacity : 1024;
        if (larger > cells->memory_limit / sizeof node) {
            return bi_fail(BERTH_ERR_CAPACITY,
                           "more than %zu nodes need more than %.0f MiB, which is the limit", cells->count,
                           (double)cells->memory_limit / MIB);
        }

        CellNode* moved = bi_take(&cells->allocator, larger, sizeof node);
        if (moved == NULL) {
            return bi_fail(BERTH_ERR_MEMORY, "no memory for %zu nodes", larger);
        }

        if (cells->count > 0) {
            memcpy(moved, cells->nodes, cells->count * sizeof node);
            bi_give(&cells->allocator, cells->nodes, cells->capacity, sizeof node);
        }
        cells->nodes = moved;
        cells->capacity = larger;
    }

    cells->nodes[cells->count++] = node;
    return cells->count % NODES_A_LOOK == 0 ? bi_io_step(cells->options, cells->path, 1.0) : BERTH_OK;
}

uint64_t bi_map_cells_tree_order(const CellNode* node) {
    uint64_t key = 0;
    for (int bit = BI_MAP_LEVELS_MAX - 1; bit >= 0; --bit) {
        key = key << 3 | (uint64_t)(node->z >> bit & 1) << 2 | (uint64_t)(node->y >> bit & 1) << 1 |
              (uint64_t)(node->x >> bit & 1);
    }
    return key;
}

BerthStatus bi_map_cells_allocate_grid(MapCells* cells, const char* path) {
    // At most 2^48: no overflow.
    const uint64_t needed = (uint64_t)cells->size[0] * (uint64_t)cells->size[1] * (uint64_t)cells->size[2];
    if (needed > cells->memory_limit) {
        return bi_fail(BERTH_ERR_CAPACITY, "%s: %d x %d x %d cells need %.0f MiB, the limit is %.0f MiB",
                       path, (int)cells->size[0], (int)cells->size[1], (int)cells->size[2],
                       (double)needed / MIB, (double)cells->memory_limit / MIB);
    }

    cells->grid = bi_take_raw(&cells->allocator, (size_t)needed, 1);
    if (cells->grid == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %.0f MiB of cells", path, (double)needed / MIB);
    }
    return BERTH_OK;
}

static void widen_to_cube(int32_t low[3], int32_t high[3], const int32_t from[3], int32_t side) {
    for (int i = 0; i < 3; ++i) {
        low[i] = from[i] < low[i] ? from[i] : low[i];
        high[i] = from[i] + side > high[i] ? from[i] + side : high[i];
    }
}

bool bi_map_cells_bounds(const MapCells* cells, unsigned colours, int32_t low[3], int32_t high[3]) {
    for (int i = 0; i < 3; ++i) {
        low[i] = INT32_MAX;
        high[i] = 0;
    }

    for (size_t i = 0; i < cells->count; ++i) {
        const CellNode* node = &cells->nodes[i];
        if ((colours >> node->state & 1) != 0) {
            widen_to_cube(low, high, (int32_t[3]){node->x, node->y, node->z}, (int32_t)1 << node->scale);
        }
    }

    size_t at = 0;
    for (int32_t z = 0; cells->grid != NULL && z < cells->size[2]; ++z) {
        for (int32_t y = 0; y < cells->size[1]; ++y) {
            for (int32_t x = 0; x < cells->size[0]; ++x, ++at) {
                if ((colours >> cells->grid[at] & 1) != 0) {
                    widen_to_cube(low, high, (int32_t[3]){x, y, z}, 1);
                }
            }
        }
    }

    if (cells->dimensions == 2 && high[0] > 0) {
        low[2] = 0;
        high[2] = 1;
    }
    return high[0] > 0;
}

BerthStatus bi_map_cells_check_resolution(const char* place, double resolution) {
    if (resolution >= RESOLUTION_MIN && resolution <= RESOLUTION_MAX) {
        return BERTH_OK;
    }
    return bi_fail(BERTH_ERR_PARSE, "%s: resolution %g, metres a cell from %g to %g are expected", place,
                   resolution, RESOLUTION_MIN, RESOLUTION_MAX);
}
