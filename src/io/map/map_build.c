// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Cells, points and meshes to fields: where the map begins, how large it is, what its other cells are.
// Entries: bi_map_from_cells, bi_map_from_points, bi_map_from_mesh, bi_map_set_grid, bi_map_cells_from_field.

#include <berth/lab/field.h>
#include <math.h>
#include <string.h>

#include "io/map/map_file.h"
#include "math/tolerance.h"

BerthFieldDef bi_map_field_def(const MapJob* job) {
    BerthFieldDef def = berth_default_field_def();
    def.unknown_is_free = job->map.unknown_given && job->map.unknown_is_free;
    def.parts = job->map.parts;
    def.memory_limit = job->map.memory_limit;
    def.progress = job->map.progress;
    def.progress_user = job->map.progress_user;
    def.allocator = job->io.allocator;
    return def;
}

// Builds the field, unless `status` is a failure; frees the builder either way.
static BerthStatus finish_field(const MapJob* job, BerthStatus status, BerthFieldBuilder* builder,
                                BerthField** out) {
    if (status == BERTH_OK) {
        status = berth_field_build(builder, out);
    }
    berth_field_builder_destroy(builder);
    if (status == BERTH_OK || status == BERTH_ERR_CANCELLED) {
        return status;
    }
    return bi_fail_prefix(status, "%s", job->path);
}

// ---- cells ---------------------------------------------------------------------------------------------------

/// So many nodes more than the file has are fine, whatever it has.
enum { NODES_MORE = 1 << 7 };

// Nodes that a map from `low` to `high` begins with: those of the file, cut where their corners are none of the map's tree, and what
// is unknown around them. Stops counting beyond `most`.
static uint64_t count_nodes(const MapCells* cells, const int32_t low[3], const int32_t high[3],
                            uint64_t most) {
    const int32_t zero[3] = {0, 0, 0};
    const int32_t size[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    uint64_t count = berth_field_box_nodes(cells->dimensions, zero, size);

    for (size_t i = 0; i < cells->count && count <= most; ++i) {
        const CellNode* node = &cells->nodes[i];
        const int32_t side = (int32_t)1 << node->scale;
        const int32_t from[3] = {node->x - low[0], node->y - low[1], node->z - low[2]};
        const int32_t to[3] = {from[0] + side, from[1] + side, from[2] + side};
        const bool whole = ((from[0] | from[1] | from[2]) & (side - 1)) == 0;
        count += whole ? 1 : berth_field_box_nodes(cells->dimensions, from, to);
    }
    return count;
}

// Moves the corners out to multiples of the least power of two that leaves few nodes: a layer of unknown cells around a floor of
// millions may not double them. With the largest one it is the whole tree of the file, and its nodes are ours.
static void align_corners(const MapCells* cells, int32_t low[3], int32_t high[3]) {
    const uint64_t most = (uint64_t)NODES_MORE + (uint64_t)cells->count + (uint64_t)cells->count / 4;
    for (int32_t scale = 0; scale <= BI_MAP_LEVELS_MAX; ++scale) {
        const int32_t mask = (1 << scale) - 1;
        int32_t from[3], to[3];
        for (int axis = 0; axis < 3; ++axis) {
            from[axis] = low[axis] & ~mask;
            to[axis] = (high[axis] + mask) & ~mask;
            to[axis] = to[axis] < cells->size[axis] ? to[axis] : cells->size[axis];
        }

        if (scale == BI_MAP_LEVELS_MAX || count_nodes(cells, from, to, most) <= most) {
            memcpy(low, from, sizeof from);
            memcpy(high, to, sizeof to);
            return;
        }
    }
}

// What is known, and a cell around it: what is unknown begins there.
static void crop_to_known(const MapCells* cells, int32_t low[3], int32_t high[3]) {
    if (!bi_map_cells_bounds(cells, 1u << BERTH_CELL_FREE | 1u << BERTH_CELL_OCCUPIED, low, high)) {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = cells->size[axis] / 2;
            high[axis] = low[axis] + 1;
        }
    }

    for (int axis = 0; axis < 3; ++axis) {
        low[axis] -= low[axis] > 0;
        high[axis] += high[axis] < cells->size[axis];
    }
}

static BerthStatus add_nodes(BerthFieldBuilder* builder, const MapCells* cells, const int32_t low[3]) {
    BerthStatus status = BERTH_OK;
    for (size_t i = 0; i < cells->count && status == BERTH_OK; ++i) {
        const CellNode* node = &cells->nodes[i];
        const int32_t side = (int32_t)1 << node->scale;
        const int32_t from[3] = {node->x - low[0], node->y - low[1], node->z - low[2]};
        const int32_t to[3] = {from[0] + side, from[1] + side, from[2] + (cells->dimensions == 2 ? 1 : side)};
        status = berth_field_add_box(builder, from, to, (BerthCellColour)node->state);
    }
    return status;
}

static BerthStatus add_grid(BerthFieldBuilder* builder, const MapCells* cells) {
    static const int32_t low[3] = {0, 0, 0};
    const int64_t stride[3] = {1, cells->size[0], (int64_t)cells->size[0] * cells->size[1]};
    return berth_field_add_block(builder, cells->grid, cells->size, stride, low);
}

BerthStatus bi_map_from_cells(const MapJob* job, const MapCells* cells, BerthField** out) {
    BerthFieldDef def = bi_map_field_def(job);
    int32_t low[3] = {0, 0, 0};
    int32_t high[3] = {cells->size[0], cells->size[1], cells->size[2]};
    const bool tree = cells->grid == NULL;

    if (tree && cells->rest == BERTH_CELL_UNKNOWN) {
        crop_to_known(cells, low, high);
        align_corners(cells, low, high);
    }

    for (int axis = 0; axis < 3; ++axis) {
        def.size[axis] = high[axis] - low[axis];
    }

    def.dim = cells->dimensions;
    def.levels = berth_field_levels_for(def.dim, def.size);
    def.resolution = cells->resolution;
    // Rounded once, at the end: the corner of an OctoMap's cube is kilometres away from where its cells are.
    const int32_t* first = cells->first;
    def.origin = (BerthVec3){fma(low[0] - first[0], cells->resolution, cells->origin.x),
                             fma(low[1] - first[1], cells->resolution, cells->origin.y),
                             fma(low[2] - first[2], cells->resolution, cells->origin.z)};

    // Cells beyond a grid's size are no part of the map.
    def.background = tree ? cells->rest : BERTH_CELL_FREE;

    BerthFieldBuilder* builder = NULL;
    BerthStatus status = berth_field_builder_create(&def, &builder);
    if (status == BERTH_OK) {
        status = tree ? add_nodes(builder, cells, low) : add_grid(builder, cells);
    }
    return finish_field(job, status, builder, out);
}

// ---- points and meshes ---------------------------------------------------------------------------------------

BerthStatus bi_map_set_grid(const MapJob* job, BerthVec3 box_low, BerthVec3 box_high, BerthFieldDef* def) {
    const double resolution = job->map.resolution;
    const double low[3] = {box_low.x, box_low.y, box_low.z}, high[3] = {box_high.x, box_high.y, box_high.z};
    if (!(resolution > 0.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: a resolution is needed: how many metres a cell is wide",
                       job->path);
    }

    def->dim = 3;
    def->resolution = resolution;
    def->background =
        job->map.unknown_given && !job->map.unknown_is_free ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;

    double origin[3] = {job->map.origin.x, job->map.origin.y, job->map.origin.z};
    for (int axis = 0; axis < 3; ++axis) {
        if (!job->map.has_origin) {
            origin[axis] = (floor(low[axis] / resolution) - 1.0) * resolution;
        }

        const double cells = ceil((high[axis] - origin[axis]) / resolution) + 1.0;
        if (!(cells <= BI_MAP_SIDE_MAX) && job->map.levels < 0) {
            return bi_fail(
                BERTH_ERR_CAPACITY,
                "%s: along %c it takes %.0f cells of %g m, at most %d are possible: a coarser resolution, or "
                "an origin and a number of levels, are needed",
                job->path, "xyz"[axis], cells, resolution, BI_MAP_SIDE_MAX);
        }
        if (job->map.levels >= 0) {
            def->size[axis] = 0;  // the levels say how many
        } else {
            def->size[axis] = cells >= 1.0 ? (int32_t)cells : 1;
        }
    }

    def->origin = (BerthVec3){origin[0], origin[1], origin[2]};
    def->levels = job->map.levels >= 0 ? job->map.levels : berth_field_levels_for(3, def->size);
    return BERTH_OK;
}

BerthStatus bi_map_from_points(MapJob* job, const PointCloud* cloud, BerthField** out) {
    const double r = job->map.radius;
    BerthVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};

    if (cloud->count == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s: it holds no point (%zu with NaN or infinite coordinates)",
                       job->path, cloud->dropped);
    }

    for (size_t i = 0; i < cloud->count; ++i) {
        const BerthVec3 p = cloud->points[i];
        low = (BerthVec3){fmin(low.x, p.x - r), fmin(low.y, p.y - r), fmin(low.z, p.z - r)};
        high = (BerthVec3){fmax(high.x, p.x + r), fmax(high.y, p.y + r), fmax(high.z, p.z + r)};
    }

    BerthFieldDef def = bi_map_field_def(job);
    BerthFieldBuilder* builder = NULL;
    BerthStatus status = bi_map_set_grid(job, low, high, &def);
    if (status != BERTH_OK) {
        return status;
    }

    status = bi_map_check_points(job, &def, cloud);
    if (status != BERTH_OK) {
        return status;
    }

    status = berth_field_builder_create(&def, &builder);
    size_t outside = 0;
    if (status == BERTH_OK) {
        status = berth_field_add_points(builder, cloud->points, cloud->count, r, &outside);
    }

    job->facts.points = (int64_t)(cloud->count - outside);
    job->facts.dropped = (int64_t)(cloud->dropped + outside);
    job->facts.background_taken_free = def.background == BERTH_CELL_FREE;
    return finish_field(job, status, builder, out);
}

BerthStatus bi_map_from_mesh(MapJob* job, const BerthMesh* mesh, BerthField** out) {
    const BerthMeshInfo info = berth_mesh_info(mesh);
    BerthFieldDef def = bi_map_field_def(job);
    BerthFieldBuilder* builder = NULL;
    BerthStatus status = bi_map_set_grid(job, info.low, info.high, &def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthPose pose = berth_pose_identity();
    status = bi_map_check_mesh(job, &def, mesh, &pose);
    if (status != BERTH_OK) {
        return status;
    }

    status = berth_field_builder_create(&def, &builder);
    if (status == BERTH_OK) {
        status = berth_field_add_mesh(builder, mesh, &pose);
    }

    job->facts.open_meshes = info.watertight ? 0 : 1;
    job->facts.background_taken_free = def.background == BERTH_CELL_FREE;
    return finish_field(job, status, builder, out);
}

// ---- back ----------------------------------------------------------------------------------------------------

static BerthStatus add_leaf(MapCells* cells, const BerthFieldLeaf* leaf) {
    int scale = 0;
    while ((1 << scale) < leaf->width) {
        ++scale;
    }
    return bi_map_cells_add(cells, (CellNode){(uint16_t)leaf->low[0], (uint16_t)leaf->low[1],
                                              (uint16_t)leaf->low[2], (uint8_t)scale, (uint8_t)leaf->colour});
}

// Free leaves are what stands between the others: going along the codes, each is asked for at its first cell.
static BerthStatus add_all_leaves(const BerthField* field, const BerthFieldInfo* info, MapCells* out) {
    const uint64_t end = (uint64_t)1 << (info->dim * info->levels);
    uint64_t code = 0;
    BerthStatus status = BERTH_OK;
    while (code < end && status == BERTH_OK) {
        // The cell that the code stands for.
        int32_t cell[3] = {0, 0, 0};
        for (int bit = 0; bit < info->levels; ++bit) {
            for (int axis = 0; axis < info->dim; ++axis) {
                cell[axis] |= (int32_t)(code >> (info->dim * bit + axis) & 1) << bit;
            }
        }

        const BerthFieldLeaf leaf = berth_field_leaf_at(field, cell[0], cell[1], cell[2]);
        status = add_leaf(out, &leaf);
        code += (uint64_t)1 << (info->dim * (info->levels - leaf.level));
    }
    return status;
}

BerthStatus bi_map_cells_from_field(const BerthField* field, bool all, MapCells* out) {
    const BerthFieldInfo info = berth_field_info(field);
    out->dimensions = info.dim;
    out->resolution = info.resolution;
    out->origin = info.origin;
    out->rest = BERTH_CELL_FREE;
    memcpy(out->size, info.size, sizeof out->size);

    if (all) {
        return add_all_leaves(field, &info, out);
    }

    BerthStatus status = BERTH_OK;
    for (int64_t i = 0; i < info.occupied_count + info.unknown_count && status == BERTH_OK; ++i) {
        const BerthFieldLeaf leaf = berth_field_solid_leaf(field, i);
        status = add_leaf(out, &leaf);
    }
    return status;
}
