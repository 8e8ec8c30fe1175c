// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps to files: berth's own, .lin, OctoMap's .bt, NumPy's .npy, and an image with its description for ROS
// map_server.
// Entry: berth_io_write_map.

#include <stdio.h>
#include <string.h>

#include "io/map/map_file.h"
#include "io/syntax/npy.h"

enum { PATH_SIZE = 4200, GREY_FREE = 254, GREY_UNKNOWN = 205, GREY_OCCUPIED = 0 };

static BerthStatus write_bmap(const char* path, const BerthField* field, const BerthMapFacts* facts,
                              const BerthIoOptions* options) {
    FileBytes bytes = {.allocator = options->allocator};
    BerthStatus status = bi_bmap_bytes(path, field, facts, &bytes);
    if (status == BERTH_OK) {
        status = bi_io_write_file(path, &bytes, options);
    }
    bi_io_free_file(&bytes);
    return status;
}

static BerthStatus write_lin(const char* path, const BerthField* field, const BerthIoOptions* options) {
    const BerthFieldInfo info = berth_field_info(field);
    TextOut out = {.bytes.allocator = options->allocator};
    MapCells cells;
    bi_map_cells_init(&cells, &options->allocator, 0);

    if (info.resolution != 1.0 || info.origin.x != 0.0 || info.origin.y != 0.0 || info.origin.z != 0.0) {
        bi_io_warn(options,
                   "%s: .lin has no place for resolution %g and origin (%g, %g, %g): cells are 1 wide there",
                   path, info.resolution, info.origin.x, info.origin.y, info.origin.z);
    }

    if (info.unknown_cells > 0) {
        bi_io_warn(options, "%s: .lin has no unknown cells: the map's %llu are %s there", path,
                   (unsigned long long)info.unknown_cells, info.unknown_is_free ? "free" : "occupied");
    }

    uint64_t outside = 0;
    BerthStatus status = bi_map_cells_from_field(field, false, &cells);
    if (status == BERTH_OK) {
        status = bi_io_lin_add_outside(&cells, !info.unknown_is_free, &outside);
        if (status != BERTH_OK) {
            status = bi_fail_prefix(status, "%s", path);
        }
    }

    if (status == BERTH_OK && outside > 0) {
        bi_io_warn(options,
                   "%s: sizes are powers of two in .lin: %llu cells that are outside of the map are %s", path,
                   (unsigned long long)outside,
                   info.unknown_is_free ? "free there, as unknown space is" : "occupied there");
    }

    if (status == BERTH_OK) {
        status = bi_io_lin_text(&cells, !info.unknown_is_free, &out);
    }

    bi_map_cells_free(&cells);
    return bi_text_out_write(path, &out, status, options);
}

static BerthStatus write_octomap(const char* path, const BerthField* field, const BerthIoOptions* options) {
    TextOut out = {.bytes.allocator = options->allocator};
    MapCells cells;
    bi_map_cells_init(&cells, &options->allocator, 0);
    BerthStatus status = bi_map_cells_from_field(field, true, &cells);
    if (status == BERTH_OK) {
        status = bi_io_octomap_bytes(path, &cells, &out);
    }
    bi_map_cells_free(&cells);
    return bi_text_out_write(path, &out, status, options);
}

// As sure as OctoMap can be: a field knows no chances.
static BerthStatus write_octomap_odds(const char* path, const BerthField* field,
                                      const BerthIoOptions* options) {
    BerthOccupancyDef def = berth_default_occupancy_def();
    BerthOccupancy* odds = NULL;
    int32_t corner[3];
    def.allocator = options->allocator;
    def.miss = def.least;  // what free cells get

    BerthStatus status = berth_occupancy_from_field(field, &def, &odds, corner);
    if (status == BERTH_OK) {
        status = berth_io_write_occupancy(path, odds, options);
    }
    berth_occupancy_destroy(odds);
    return status;
}

// All cells of the map's size as a grid, x fastest.
static BerthStatus read_grid(const char* path, const BerthField* field, MapCells* cells) {
    static const int32_t low[3] = {0, 0, 0};
    const BerthFieldInfo info = berth_field_info(field);
    memcpy(cells->size, info.size, sizeof cells->size);
    const BerthStatus status = bi_map_cells_allocate_grid(cells, path);
    if (status == BERTH_OK) {
        const int64_t stride[3] = {1, info.size[0], (int64_t)info.size[0] * info.size[1]};
        berth_field_read_block(field, low, info.size, stride, cells->grid);
    }
    return status;
}

/// Writes the cells one by one; `put` may change them on the way.
static BerthStatus write_grid(const char* path, const BerthField* field, const BerthIoOptions* options,
                              void (*put)(TextOut* out, const BerthFieldInfo* info, MapCells* cells)) {
    const BerthFieldInfo info = berth_field_info(field);
    TextOut out = {.bytes.allocator = options->allocator};
    MapCells cells;
    bi_map_cells_init(&cells, &options->allocator, 0);

    const BerthStatus status = read_grid(path, field, &cells);
    if (status == BERTH_OK) {
        put(&out, &info, &cells);
    }
    bi_map_cells_free(&cells);
    return bi_text_out_write(path, &out, status, options);
}

static void put_npy_header(TextOut* out, const BerthFieldInfo* info) {
    char text[256];
    if (info->dim == 2) {
        (void)snprintf(text, sizeof text, "{'descr': '|i1', 'fortran_order': True, 'shape': (%d, %d), }",
                       (int)info->size[0], (int)info->size[1]);
    } else {
        (void)snprintf(text, sizeof text, "{'descr': '|i1', 'fortran_order': True, 'shape': (%d, %d, %d), }",
                       (int)info->size[0], (int)info->size[1], (int)info->size[2]);
    }
    bi_npy_put_header(out, text);
}

static void put_npy(TextOut* out, const BerthFieldInfo* info, MapCells* cells) {
    const size_t count = bi_map_cells_grid_count(cells);
    for (size_t i = 0; i < count; ++i) {
        cells->grid[i] = cells->grid[i] == BERTH_CELL_UNKNOWN ? 0xff : cells->grid[i] == BERTH_CELL_OCCUPIED;
    }
    put_npy_header(out, info);
    bi_text_out_bytes(out, (const char*)cells->grid, count);
}

// ---- map_server ----------------------------------------------------------------------------------------------

static uint8_t grey_of(uint8_t state) {
    if (state == BERTH_CELL_FREE) {
        return GREY_FREE;
    }
    return state == BERTH_CELL_OCCUPIED ? GREY_OCCUPIED : GREY_UNKNOWN;
}

static void put_image(TextOut* out, const BerthFieldInfo* info, MapCells* cells) {
    bi_text_out_add(out, "P5\n%d %d\n255\n", (int)info->size[0], (int)info->size[1]);
    const size_t width = (size_t)info->size[0];
    for (int32_t y = info->size[1] - 1; y >= 0; --y) {
        uint8_t* row = cells->grid + (size_t)y * width;
        for (size_t x = 0; x < width; ++x) {
            row[x] = grey_of(row[x]);
        }
        bi_text_out_bytes(out, (const char*)row, width);
    }
}

// A YAML text in double quotes.
static void put_quoted(TextOut* out, const char* before, const char* text) {
    bi_text_out_add(out, "%s\"", before);
    for (const char* c = text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\') {
            bi_text_out_bytes(out, "\\", 1);
        }
        bi_text_out_bytes(out, c, 1);
    }
    bi_text_out_add(out, "\"");
}

static BerthStatus write_server(const char* path, const BerthField* field, double yaw,
                                const BerthIoOptions* options) {
    const BerthFieldInfo info = berth_field_info(field);
    if (info.dim != 2) {
        return bi_fail(BERTH_ERR_UNSUPPORTED, "%s: an image is 2-D, this map is 3-D", path);
    }

    char image[PATH_SIZE];
    const char* dot = strrchr(path, '.');
    const int length = snprintf(image, sizeof image, "%.*s.pgm", (int)(dot - path), path);
    if (length < 0 || length >= PATH_SIZE) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: the path is too long", path);
    }

    BerthStatus status = write_grid(image, field, options, put_image);
    if (status != BERTH_OK) {
        return status;
    }

    const char* slash = strrchr(image, '/');
    TextOut out = {.bytes.allocator = options->allocator};
    put_quoted(&out, "image: ", slash != NULL ? slash + 1 : image);
    bi_text_out_add(&out, "\nresolution: ");
    bi_text_out_number(&out, info.resolution);
    bi_text_out_add(&out, "\norigin: [");
    bi_text_out_number(&out, info.origin.x);
    bi_text_out_add(&out, ", ");
    bi_text_out_number(&out, info.origin.y);
    bi_text_out_add(&out, ", ");
    bi_text_out_number(&out, yaw);
    bi_text_out_add(&out, "]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\nmode: trinary\n");

    return bi_text_out_write(path, &out, BERTH_OK, options);
}

// By extension. An image and its description are two files, hence `options` have a place for several.
static BerthStatus write_map(const char* path, const BerthField* field, const BerthMapFacts* facts,
                             const BerthIoOptions* options) {
    if (bi_io_has_extension(path, ".bmap")) {
        return write_bmap(path, field, facts, options);
    }
    const bool server = bi_io_has_extension(path, ".yaml") || bi_io_has_extension(path, ".yml");
    if (facts->yaw != 0.0 && !server) {
        return bi_fail(BERTH_ERR_UNSUPPORTED,
                       "%s: the map is rotated (yaw %g): only .bmap and .yaml can store that", path,
                       facts->yaw);
    }
    if (bi_io_has_extension(path, ".lin")) {
        return write_lin(path, field, options);
    }
    if (bi_io_has_extension(path, ".bt")) {
        return write_octomap(path, field, options);
    }
    if (bi_io_has_extension(path, ".ot")) {
        return write_octomap_odds(path, field, options);
    }
    if (bi_io_has_extension(path, ".npy")) {
        return write_grid(path, field, options, put_npy);
    }
    if (server) {
        return write_server(path, field, facts->yaw, options);
    }

    return bi_fail(BERTH_ERR_ARGUMENT,
                   "%s: maps are written as .bmap, .lin, .bt, .ot, .npy or .yaml (map_server)", path);
}

BerthStatus berth_io_write_map(const char* path, const BerthField* field, const BerthMapFacts* facts,
                               const BerthIoOptions* options) {
    static const BerthMapFacts none = {0};
    if (path == NULL || path[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "a file's name is missing");
    }
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    // Without files of the caller's: files of our own, which are put in their places here.
    BerthIoOptions settled = *options;
    settled.allocator = bi_allocator_or_default(&options->allocator);
    if (options->files == NULL) {
        status = berth_io_files_create(&settled.allocator, &settled.files);
    }
    if (status == BERTH_OK) {
        status = write_map(path, field, facts != NULL ? facts : &none, &settled);
    }

    if (options->files == NULL) {
        status = status == BERTH_OK ? berth_io_files_commit(settled.files) : status;
        berth_io_files_destroy(settled.files);
    }
    return status;
}
