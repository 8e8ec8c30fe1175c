// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as one of OctoMap's files: leaves that are the same when written as .bt and read again, or an error.

#include <stdlib.h>

#include "io/map/map_cells.h"
#include "support/target.h"

// A tree's cells of a state, all of which are in nodes.
static uint64_t cells_of_state(const MapCells* cells, BerthCellColour state) {
    uint64_t count = 0;
    for (size_t i = 0; i < cells->count; ++i) {
        if (cells->nodes[i].state == state) {
            count += (uint64_t)1 << (cells->dimensions * cells->nodes[i].scale);
        }
    }
    return count;
}

FUZZ_TARGET(bytes, size) {
    MapCells cells, again;
    bi_map_cells_init(&cells, NULL, (size_t)64 << 20);
    bi_map_cells_init(&again, NULL, (size_t)64 << 20);
    if (bi_io_parse_octomap("fuzz.bt", bytes, size, &cells) == BERTH_OK) {
        TextOut out = {.bytes.allocator = berth_default_allocator()};
        if (bi_io_octomap_bytes("fuzz.bt", &cells, &out) == BERTH_OK) {
            if (bi_io_parse_octomap("fuzz.bt", out.bytes.data, out.bytes.size, &again) != BERTH_OK ||
                cells_of_state(&again, BERTH_CELL_OCCUPIED) != cells_of_state(&cells, BERTH_CELL_OCCUPIED) ||
                cells_of_state(&again, BERTH_CELL_FREE) != cells_of_state(&cells, BERTH_CELL_FREE)) {
                abort();
            }
        }
        bi_io_free_file(&out.bytes);
    }
    bi_map_cells_free(&again);
    bi_map_cells_free(&cells);
}
