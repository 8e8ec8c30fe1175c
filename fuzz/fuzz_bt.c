// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as one of OctoMap's files: leaves that are the same when written as .bt and read again, or an error.

#include <stdlib.h>

#include "io/map/map_cells.h"
#include "support/target.h"

FUZZ_TARGET(bytes, size) {
    MapCells cells, again;
    bi_cells_init(&cells, NULL, (size_t)64 << 20);
    bi_cells_init(&again, NULL, (size_t)64 << 20);
    if (bi_io_parse_octomap("fuzz.bt", bytes, size, &cells) == BERTH_OK) {
        TextOut out = {.bytes.allocator = berth_default_allocator()};
        if (bi_io_octomap_bytes("fuzz.bt", &cells, &out) == BERTH_OK) {
            if (bi_io_parse_octomap("fuzz.bt", out.bytes.data, out.bytes.size, &again) != BERTH_OK ||
                bi_cells_count(&again, BERTH_CELL_OCCUPIED) != bi_cells_count(&cells, BERTH_CELL_OCCUPIED) ||
                bi_cells_count(&again, BERTH_CELL_FREE) != bi_cells_count(&cells, BERTH_CELL_FREE)) {
                abort();
            }
        }
        bi_io_free_file(&out.bytes);
    }
    bi_cells_free(&again);
    bi_cells_free(&cells);
}
