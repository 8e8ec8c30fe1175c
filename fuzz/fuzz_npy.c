// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a NumPy volume: cells of the three colours or an error.

#include <stdlib.h>
#include <string.h>

#include "io/map/map_cells.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    char* copy = malloc(size + 1);  // on the heap, so that reading past the end is seen
    if (copy == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    copy[size] = '\0';
    MapCells cells;
    bi_cells_init(&cells, NULL, (size_t)64 << 20);
    if (bi_io_parse_npy_volume("fuzz.npy", copy, size, &cells) == BERTH_OK) {
        const size_t count = bi_cells_grid_count(&cells);
        for (size_t i = 0; i < count; ++i) {
            if (cells.grid[i] >= BERTH_CELL_COLOUR_COUNT) {
                abort();
            }
        }
    }
    bi_cells_free(&cells);
    free(copy);
    return 0;
}
