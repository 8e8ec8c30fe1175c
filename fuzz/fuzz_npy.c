// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a NumPy volume: cells of the three colours or an error.

#include <stdlib.h>

#include "io/map/map_cells.h"
#include "support/target.h"

FUZZ_TARGET(bytes, size) {
    MapCells cells;
    bi_map_cells_init(&cells, NULL, (size_t)64 << 20);
    if (bi_io_parse_npy_volume("fuzz.npy", bytes, size, &cells) == BERTH_OK) {
        const size_t count = bi_map_cells_grid_count(&cells);
        for (size_t i = 0; i < count; ++i) {
            if (cells.grid[i] >= BERTH_CELL_COLOUR_COUNT) {
                abort();
            }
        }
    }
    bi_map_cells_free(&cells);
}
