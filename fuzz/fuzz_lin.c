// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a .lin file: nodes that do not overlap and that are the same when written and read again, or an error.

#include <stdlib.h>
#include <string.h>

#include "io/map/map_cells.h"
#include "support/target.h"

static BerthStatus parse(const char* bytes, size_t size, MapCells* cells) {
    bi_map_cells_init(cells, NULL, (size_t)64 << 20);
    return bi_io_parse_lin("fuzz.lin", bytes, size, cells);
}

FUZZ_TARGET(bytes, size) {
    MapCells cells, again;
    if (parse(bytes, size, &cells) == BERTH_OK) {
        TextOut out = {.bytes.allocator = berth_default_allocator()};
        if (bi_io_lin_text(&cells, false, &out) == BERTH_OK) {
            if (parse(out.bytes.data, out.bytes.size, &again) != BERTH_OK || again.count != cells.count ||
                (cells.count > 0 &&
                 memcmp(again.nodes, cells.nodes, cells.count * sizeof *cells.nodes) != 0)) {
                abort();
            }
            bi_map_cells_free(&again);
        }
        bi_io_free_file(&out.bytes);
    }
    bi_map_cells_free(&cells);
}
