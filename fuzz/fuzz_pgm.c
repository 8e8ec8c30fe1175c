// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as an image, PGM or PNG, and as map_server's description of one: cells or an error.

#include "io/map/map_cells.h"
#include "support/target.h"

FUZZ_TARGET(bytes, size) {
    static const MapServer usual = {.resolution = 0.05, .occupied_threshold = 0.65, .free_threshold = 0.25};
    const size_t limit = (size_t)64 << 20;
    GreyImage image = {.allocator = berth_default_allocator()};
    MapServer server;
    MapCells cells;
    bi_map_cells_init(&cells, NULL, limit);
    if (bi_io_parse_image("fuzz.pgm", bytes, size, limit, &image) == BERTH_OK) {
        (void)bi_map_cells_from_image("fuzz.pgm", &usual, &image, &cells);
    }
    if (bi_io_is_map_server(bytes, size)) {
        (void)bi_io_parse_map_server("fuzz.yaml", bytes, size, NULL, &server);
    }
    bi_map_cells_free(&cells);
    bi_image_free(&image);
}
