// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Log-odds from and to OctoMap's files, and the field of what is known in a tree of them.
// Entries: berth_io_read_occupancy, berth_io_write_occupancy, berth_io_field_from_occupancy,
// berth_map_update, bi_io_octomap_odds_bytes.

#include <math.h>
#include <string.h>

#include "io/map/map_file.h"
#include "occupancy/occupancy.h"

BerthStatus berth_io_read_occupancy(const char* path, const BerthOccupancyDef* def,
                                    const BerthIoOptions* options, BerthOccupancy** out) {
    *out = NULL;
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    BerthOccupancyDef own = def != NULL ? *def : berth_default_occupancy_def();
    own.allocator = bi_allocator_or_default(def != NULL ? &def->allocator : &options->allocator);
    FileBytes file;
    status = bi_io_read_file(path, own.memory_limit > 0 ? own.memory_limit : BI_MAP_MEMORY, options, &file);
    if (status == BERTH_OK) {
        status = bi_io_parse_octomap_odds(path, file.data, file.size, &own, out);
        bi_io_free_file(&file);
    }
    return status;
}

// ---- writing -----------------------------------------------------------------------------------------------------

// Four bytes of log-odds, one of children, then these.
static BerthStatus put_node(void* user, const OccupancyNode* node) {
    TextOut* out = user;
    uint32_t bits;
    memcpy(&bits, &node->log_odds, sizeof bits);
    const char bytes[5] = {(char)(bits & 255), (char)(bits >> 8 & 255), (char)(bits >> 16 & 255),
                           (char)(bits >> 24 & 255), (char)node->children};
    bi_text_out_bytes(out, bytes, sizeof bytes);
    return out->failed ? BERTH_ERR_MEMORY : BERTH_OK;
}

BerthStatus bi_io_octomap_odds_bytes(const char* path, const BerthOccupancy* odds, TextOut* out) {
    const BerthOccupancyInfo info = berth_occupancy_info(odds);
    const bool at_zero = info.origin.x == 0.0 && info.origin.y == 0.0 && info.origin.z == 0.0;
    const bool middle = info.first[0] == BI_MAP_SIDE_MAX / 2 && info.first[1] == BI_MAP_SIDE_MAX / 2 &&
                        info.first[2] == BI_MAP_SIDE_MAX / 2;
    if (info.dim != 3 || !at_zero || !middle) {
        return bi_fail(
            BERTH_ERR_UNSUPPORTED,
            "%s: OctoMap's cells are 3-D and begin at whole multiples of the resolution (%g m); this "
            "map's do not: .bmap and .npy can hold it",
            path, info.resolution);
    }

    bi_text_out_add(out, "# Octomap OcTree file\n# written by berth\nid OcTree\nsize %lld\nres ",
                    (long long)info.node_count);
    bi_text_out_number(out, info.resolution);
    bi_text_out_add(out, "\ndata\n");
    if (out->failed || bi_occupancy_walk(odds, put_node, out) != BERTH_OK) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %lld nodes", path, (long long)info.node_count);
    }
    return BERTH_OK;
}

BerthStatus berth_io_write_occupancy(const char* path, const BerthOccupancy* occupancy,
                                     const BerthIoOptions* options) {
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }
    if (!bi_io_has_extension(path, ".ot")) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: log-odds are written as .ot", path);
    }

    TextOut out = {.bytes.allocator = bi_allocator_or_default(&options->allocator)};
    status = bi_io_octomap_odds_bytes(path, occupancy, &out);
    return bi_text_out_write(path, &out, status, options);
}

// ---- fields ------------------------------------------------------------------------------------------------------

static BerthStatus add_cell_node(void* user, const OccupancyNode* node) {
    if (node->children != 0) {
        return BERTH_OK;
    }
    const uint8_t state = node->log_odds >= 0.0f ? BERTH_CELL_OCCUPIED : BERTH_CELL_FREE;
    return bi_map_cells_add(user, (CellNode){(uint16_t)node->low[0], (uint16_t)node->low[1],
                                             (uint16_t)node->low[2], (uint8_t)node->log_width, state});
}

BerthStatus berth_io_field_from_occupancy(const char* name, const BerthOccupancy* occupancy,
                                          const BerthMapOptions* map_options, const BerthIoOptions* options,
                                          BerthField** out) {
    *out = NULL;
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }
    if (map_options == NULL || map_options->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map options: start from berth_default_map_options()");
    }

    const BerthOccupancyInfo info = berth_occupancy_info(occupancy);
    MapJob job = {.path = name, .map = *map_options, .io = *options};
    job.io.allocator = bi_allocator_or_default(&options->allocator);
    MapCells cells;
    bi_map_cells_init(&cells, &job.io.allocator, map_options->memory_limit);
    cells.options = &job.io;
    cells.path = name;
    cells.dimensions = info.dim;
    cells.rest = BERTH_CELL_UNKNOWN;
    cells.resolution = info.resolution;
    cells.origin = info.origin;
    for (int axis = 0; axis < 3; ++axis) {
        cells.size[axis] = axis < info.dim ? BI_MAP_SIDE_MAX : 1;
        cells.first[axis] = axis < info.dim ? info.first[axis] : 0;
    }

    status = bi_occupancy_walk(occupancy, add_cell_node, &cells);
    if (status == BERTH_OK) {
        status = bi_map_from_cells(&job, &cells, out);
    }
    bi_map_cells_free(&cells);
    return status;
}

// ---- changes -----------------------------------------------------------------------------------------------------

// The field's cell (0, 0, 0) in the tree.
static void find_corner(const BerthFieldInfo* field, const BerthOccupancyInfo* odds, int64_t corner[3]) {
    const double at[3] = {field->origin.x - odds->origin.x, field->origin.y - odds->origin.y,
                          field->origin.z - odds->origin.z};
    for (int axis = 0; axis < 3; ++axis) {
        corner[axis] =
            axis < field->dim ? (int64_t)nearbyint(at[axis] / field->resolution) + odds->first[axis] : 0;
    }
}

// The changes as the field counts cells. False when one is outside of it.
static bool move_changes(const BerthFieldInfo* info, const int64_t corner[3], const BerthFieldChange* from,
                         size_t count, BerthFieldChange* to) {
    for (size_t i = 0; i < count; ++i) {
        to[i] = from[i];
        for (int axis = 0; axis < info->dim; ++axis) {
            const int64_t cell = from[i].cell[axis] - corner[axis];
            if (cell < 0 || cell >= info->size[axis]) {
                return false;
            }
            to[i].cell[axis] = (int32_t)cell;
        }
    }
    return true;
}

static BerthStatus grow_map(BerthMap* map, const BerthOccupancy* occupancy,
                            const BerthMapOptions* map_options, const BerthIoOptions* options) {
    const BerthFieldInfo info = berth_field_info(map->field);
    BerthMapOptions same = *map_options;
    BerthField* larger = NULL;
    same.parts = info.parts;
    same.unknown_given = true;
    same.unknown_is_free = info.unknown_is_free;

    const BerthStatus status = berth_io_field_from_occupancy("map", occupancy, &same, options, &larger);
    if (status == BERTH_OK) {
        berth_field_destroy(map->field);
        map->field = larger;
    }
    return status;
}

BerthStatus berth_map_update(BerthMap* map, const BerthOccupancy* occupancy, int64_t cleared,
                             const BerthMapOptions* map_options, const BerthIoOptions* options, bool* grown) {
    BerthStatus status = bi_io_settle_options(&options);
    const BerthFieldInfo info = berth_field_info(map->field);
    const BerthOccupancyInfo odds = berth_occupancy_info(occupancy);
    if (status == BERTH_OK && (odds.dim != info.dim || odds.resolution != info.resolution)) {
        status =
            bi_fail(BERTH_ERR_ARGUMENT, "map: the tree has cells of %g m in %d-D, the map of %g m in %d-D",
                    odds.resolution, (int)odds.dim, info.resolution, (int)info.dim);
    }
    if (status != BERTH_OK) {
        return status;
    }

    size_t count = 0;
    const BerthFieldChange* changes = berth_occupancy_changes(occupancy, &count);
    BerthFieldChange* moved = bi_take_raw(&map->allocator, count, sizeof *moved);
    if (moved == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "map: no memory for %zu changes", count);
    }

    int64_t corner[3];
    find_corner(&info, &odds, corner);
    const bool inside = move_changes(&info, corner, changes, count, moved);
    status = inside ? berth_field_update(map->field, moved, count)
                    : grow_map(map, occupancy, map_options, options);
    bi_give(&map->allocator, moved, count, sizeof *moved);

    map->facts.cleared += status == BERTH_OK ? cleared : 0;
    if (grown != NULL) {
        *grown = !inside;
    }
    return status;
}
