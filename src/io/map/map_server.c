// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// ROS map_server: a YAML file that defines what the grey levels of an image mean, and the cells that follow
// from it. Between the two thresholds a cell is unknown, in the modes trinary and scale alike: a cost between
// 0 and 100 proves nothing.
// Entries: bi_io_parse_map_server, bi_map_cells_from_image, bi_io_is_map_server, bi_io_is_like_map_server.

#include <math.h>
#include <string.h>

#include "io/map/map_cells.h"
#include "io/syntax/yaml.h"
#include "math/tolerance.h"

enum { ROWS_A_LOOK = 64 };

static bool has_line(const char* data, size_t size, const char* key) {
    const size_t length = strlen(key);
    bool line_start = true;
    for (size_t i = 0; i + length <= size; ++i) {
        if (line_start && memcmp(data + i, key, length) == 0) {
            return true;
        }
        line_start = data[i] == '\n' || data[i] == '\r';
    }
    return false;
}

bool bi_io_is_map_server(const char* data, size_t size) {
    return has_line(data, size, "image:");
}

bool bi_io_is_like_map_server(const char* data, size_t size) {
    const bool described = has_line(data, size, "resolution:") || has_line(data, size, "occupied_thresh:") ||
                           has_line(data, size, "free_thresh:");
    return has_line(data, size, "image:") || (described && !has_line(data, size, "berth:"));
}

static BerthStatus find_required(const YamlFile* file, const char* key, const YamlNode** out) {
    *out = bi_yaml_find(file->root, key);
    return *out != NULL ? BERTH_OK : bi_yaml_fail(file, file->root, "'%s' is missing", key);
}

// 0, 1, true or false.
static BerthStatus read_negate(const YamlFile* file, const YamlNode* node, bool* out) {
    if (node->kind == YAML_VALUE && (strcmp(node->text, "0") == 0 || strcmp(node->text, "1") == 0)) {
        *out = node->text[0] == '1';
        return BERTH_OK;
    }
    return bi_yaml_bool(file, node, "negate", out);
}

static BerthStatus read_mode(const YamlFile* file, const YamlNode* node, bool* raw) {
    const char* text = NULL;
    const BerthStatus status = bi_yaml_text(file, node, "mode", &text);
    if (status != BERTH_OK) {
        return status;
    }

    *raw = strcmp(text, "raw") == 0;
    if (!*raw && strcmp(text, "trinary") != 0 && strcmp(text, "scale") != 0) {
        return bi_yaml_fail(file, node, "mode '%.40s', one of trinary, scale, raw is expected", text);
    }
    return BERTH_OK;
}

static BerthStatus read_required(const YamlFile* file, MapServer* out) {
    const YamlNode* image = NULL;
    const YamlNode* resolution = NULL;
    const YamlNode* origin = NULL;
    const char* text = NULL;

    BerthStatus status = find_required(file, "image", &image);
    if (status == BERTH_OK) {
        status = bi_yaml_text(file, image, "image", &text);
    }
    if (status == BERTH_OK && strlen(text) >= sizeof out->image) {
        status = bi_yaml_fail(file, image, "image: a name of more than %zu bytes", sizeof out->image - 1);
    }

    if (status == BERTH_OK) {
        memcpy(out->image, text, strlen(text) + 1);
        status = find_required(file, "resolution", &resolution);
    }
    if (status == BERTH_OK) {
        status = bi_yaml_number(file, resolution, "resolution", 1e-9, 1e6, &out->resolution);
    }

    if (status == BERTH_OK) {
        status = find_required(file, "origin", &origin);
    }
    if (status == BERTH_OK) {
        status = bi_yaml_numbers(file, origin, "origin", 3, BI_COORDINATE_MAX, out->origin);
    }

    return status;
}

static BerthStatus read_description(const YamlFile* file, MapServer* out) {
    static const char* const keys[] = {"image",           "resolution",  "origin", "negate",
                                       "occupied_thresh", "free_thresh", "mode",   NULL};

    BerthStatus status = bi_yaml_check_keys(file, file->root, "map", keys);
    if (status == BERTH_OK) {
        status = read_required(file, out);
    }

    const YamlNode* occupied = status == BERTH_OK ? bi_yaml_find(file->root, "occupied_thresh") : NULL;
    if (occupied != NULL) {
        status = bi_yaml_number(file, occupied, "occupied_thresh", 0.0, 1.0, &out->occupied_threshold);
    }
    const YamlNode* free_node = status == BERTH_OK ? bi_yaml_find(file->root, "free_thresh") : NULL;
    if (free_node != NULL) {
        status = bi_yaml_number(file, free_node, "free_thresh", 0.0, 1.0, &out->free_threshold);
    }
    const YamlNode* negate = status == BERTH_OK ? bi_yaml_find(file->root, "negate") : NULL;
    if (negate != NULL) {
        status = read_negate(file, negate, &out->negate);
    }
    const YamlNode* mode = status == BERTH_OK ? bi_yaml_find(file->root, "mode") : NULL;
    if (mode != NULL) {
        status = read_mode(file, mode, &out->raw);
    }

    if (status != BERTH_OK) {
        return status;
    }

    if (!(out->free_threshold <= out->occupied_threshold)) {
        return bi_yaml_fail(file, free_node != NULL ? free_node : file->root,
                            "free_thresh %g is above occupied_thresh %g", out->free_threshold,
                            out->occupied_threshold);
    }
    if (out->raw && out->negate) {
        return bi_yaml_fail(file, negate,
                            "negate with mode raw means different things in ROS 1 and ROS 2: not supported");
    }
    return BERTH_OK;
}

BerthStatus bi_io_parse_map_server(const char* path, const char* data, size_t size,
                                   const BerthAllocator* allocator, MapServer* out) {
    YamlFile file;
    *out = (MapServer){.occupied_threshold = 0.65, .free_threshold = 0.25};  // nav2's

    BerthStatus status = bi_yaml_parse(data, size, path, 1, allocator, &file);
    if (status == BERTH_OK && file.root == NULL) {
        status = bi_fail(BERTH_ERR_PARSE, "%s:1: the file is empty, a map of map_server is expected", path);
    }
    if (status == BERTH_OK) {
        status = read_description(&file, out);
    }

    bi_yaml_free(&file);
    return status;
}

static BerthCellColour cell_state(const MapServer* server, int32_t value, int32_t white) {
    double occupied = 0.0;
    if (server->raw) {
        // Values are percents; those above 100 say nothing.
        const double percent = nearbyint(255.0 * value / white);
        if (percent > 100.0) {
            return BERTH_CELL_UNKNOWN;
        }
        occupied = percent / 100.0;
    } else {
        occupied = server->negate ? (double)value / white : (double)(white - value) / white;
    }

    if (occupied > server->occupied_threshold) {
        return BERTH_CELL_OCCUPIED;
    }
    return occupied < server->free_threshold ? BERTH_CELL_FREE : BERTH_CELL_UNKNOWN;
}

BerthStatus bi_map_cells_from_image(const char* path, const MapServer* server, const GreyImage* image,
                                    MapCells* out) {
    out->dimensions = 2;
    out->size[0] = image->width;
    out->size[1] = image->height;
    out->size[2] = 1;
    out->resolution = server->resolution;
    out->origin = (BerthVec3){server->origin[0], server->origin[1], 0.0};
    out->rest = BERTH_CELL_UNKNOWN;

    const BerthStatus status = bi_map_cells_allocate_grid(out, path);
    if (status != BERTH_OK) {
        return status;
    }

    const size_t width = (size_t)image->width;
    for (int32_t y = 0; y < image->height; ++y) {
        if (y % ROWS_A_LOOK == 0 && bi_io_step(out->options, path, 1.0) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }
        const size_t from = (size_t)(image->height - 1 - y) * width;
        for (size_t x = 0; x < width; ++x) {
            const bool seen = image->opaque == NULL || image->opaque[from + x] != 0;
            const BerthCellColour state =
                seen ? cell_state(server, image->grey[from + x], image->white) : BERTH_CELL_UNKNOWN;
            out->grid[(size_t)y * width + x] = (uint8_t)state;
        }
    }
    return BERTH_OK;
}
