// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as an image, PGM or PNG, and as map_server's description of one: cells or an error.

#include <stdlib.h>
#include <string.h>

#include "io/map/map_cells.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const MapServer usual = {.resolution = 0.05, .occupied_threshold = 0.65, .free_threshold = 0.25};
    const size_t limit = (size_t)64 << 20;
    char* copy = malloc(size + 1);  // on the heap, so that reading past the end is seen
    if (copy == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    copy[size] = '\0';
    GreyImage image = {.allocator = berth_default_allocator()};
    MapServer server;
    MapCells cells;
    bi_cells_init(&cells, NULL, limit);
    if (bi_io_parse_image("fuzz.pgm", copy, size, limit, &image) == BERTH_OK) {
        (void)bi_cells_from_image("fuzz.pgm", &usual, &image, &cells);
    }
    if (bi_io_is_map_server(copy, size)) {
        (void)bi_io_parse_map_server("fuzz.yaml", copy, size, NULL, &server);
    }
    bi_cells_free(&cells);
    bi_image_free(&image);
    free(copy);
    return 0;
}
