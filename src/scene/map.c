// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A map as an object: its obstacles become the cubes that the tree room makes a solid of; what is said about space that
// the map does not know.

#include <berth/field.h>
#include <math.h>

#include "math/tolerance.h"
#include "scene/scene.h"
#include "tree/cells.h"

/// 2.4 GB of solid.
enum { TRIANGLES_DEFAULT = 4000000 };

BerthMapDef berth_default_map_def(void) {
    return (BerthMapDef){.height = {(double)NAN, (double)NAN},
                         .outside_is_free = false,
                         .triangle_limit = TRIANGLES_DEFAULT,
                         .stamp = BI_DEF_STAMP};
}

static BerthStatus check_map_def(const BerthField* field, const BerthMapDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map def: start from berth_default_map_def()");
    }
    if (field == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map: no field given");
    }
    if (def->triangle_limit < 12 || def->triangle_limit > BI_MESH_TRIANGLES_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map def: triangle limit is %d, from 12 to %d are expected",
                       (int)def->triangle_limit, BI_MESH_TRIANGLES_MAX);
    }

    const bool flat = berth_field_info(field).dim == 2;
    const bool has_height = !isnan(def->height[0]) || !isnan(def->height[1]);
    if (flat && !has_height) {
        return bi_fail(
            BERTH_ERR_ARGUMENT,
            "map: it is a map of the plane and 'height: [low, high]' is missing: how far its walls "
            "reach down and up");
    }
    if (flat && !(def->height[1] > def->height[0] && def->height[0] >= -BI_COORDINATE_MAX &&
                  def->height[1] <= BI_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "map: it is a map of the plane and its height is [%g, %g]; [z0, z1] with z0 < z1 is "
                       "expected: how far its walls reach down and up",
                       def->height[0], def->height[1]);
    }

    if (!flat && has_height) {
        return bi_fail(BERTH_ERR_ARGUMENT, "map: it has a height, but is no map of the plane");
    }
    return BERTH_OK;
}

// Cells of a leaf within the map's size.
static uint64_t leaf_cell_count(const BerthFieldInfo* info, const BerthFieldLeaf* leaf) {
    uint64_t cells = 1;
    for (int axis = 0; axis < info->dim; ++axis) {
        const int32_t end = leaf->low[axis] + leaf->width;
        const int32_t cut = end < info->size[axis] ? end : info->size[axis];
        cells *= cut > leaf->low[axis] ? (uint64_t)(cut - leaf->low[axis]) : 0;
    }
    return cells;
}

static void collect_cubes(const BerthField* field, const BerthFieldInfo* info, CellCube* cubes,
                          CellSet* set) {
    const int64_t count = info->occupied_count + info->unknown_count;
    for (int64_t i = 0; i < count; ++i) {
        const BerthFieldLeaf leaf = berth_field_solid_leaf(field, i);
        const uint64_t cells = leaf_cell_count(info, &leaf);
        const bool unknown = leaf.colour == BERTH_CELL_UNKNOWN;
        set->occupied += unknown ? 0 : cells;
        set->unknown += unknown ? cells : 0;
        if (cells > 0 && (!unknown || !info->unknown_is_free)) {
            cubes[set->cube_count++] =
                (CellCube){{leaf.low[0], leaf.low[1], info->dim == 2 ? 0 : leaf.low[2]}, leaf.width};
        }
    }
}

BerthStatus berth_solid_from_field(const BerthField* field, const BerthMapDef* def, BerthSolid** out) {
    *out = NULL;
    BerthStatus status = check_map_def(field, def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    const BerthFieldInfo info = berth_field_info(field);
    const size_t count = (size_t)(info.occupied_count + info.unknown_count);
    CellCube* cubes = bi_take(&from, count, sizeof *cubes);
    if (cubes == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "map: out of memory for %zu obstacles", count);
    }

    CellSet set = {.dim = info.dim,
                   .size = {info.size[0], info.size[1], info.dim == 2 ? 1 : info.size[2]},
                   .resolution = info.resolution,
                   .origin = info.origin,
                   .height = {def->height[0], def->height[1]},
                   .cubes = cubes,
                   .triangle_limit = def->triangle_limit,
                   .unknown_is_free = info.unknown_is_free,
                   .outside_is_free = def->outside_is_free,
                   .unseen_is_free = def->unseen_is_free,
                   .from_open_meshes = def->from_open_meshes};

    collect_cubes(field, &info, cubes, &set);
    status = bi_solid_from_cells(&set, &from, out);
    bi_give(&from, cubes, count, sizeof *cubes);
    return status;
}

// What is beyond one side of the map's box.
static BerthStatus add_halfspace_beyond(BerthScene* scene, BerthObjectId id, const BerthCellsInfo* cells,
                                        int side, const BerthAllocator* allocator) {
    const int axis = side / 2;
    const double sign = side % 2 == 0 ? 1.0 : -1.0;
    const double at = v3_at(side % 2 == 0 ? cells->low : cells->high, axis);
    const BerthVec3 normal = {axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};

    BerthShape shape;
    BerthSolid* solid = NULL;
    BerthStatus status = berth_shape_halfspace(normal, sign * at, &shape);
    if (status == BERTH_OK) {
        status = berth_solid_from_shape(&shape, allocator, &solid);
    }

    if (status == BERTH_OK) {
        const BerthPose object_from_map = bi_scene_object(scene, id)->object_from_solid;
        status = berth_scene_add_part(scene, id, &object_from_map, solid);
    }
    return status;
}

BerthStatus bi_scene_block_outside_map(BerthScene* scene, BerthObjectId id, const BerthAllocator* allocator) {
    const SceneObject* object = bi_scene_object(scene, id);
    BerthCellsInfo cells;
    BerthStatus status = BERTH_OK;
    if (object == NULL || !berth_solid_cells(object->solid, &cells) || cells.outside_is_free) {
        return BERTH_OK;
    }

    for (int side = 0; side < 2 * cells.dim && status == BERTH_OK; ++side) {
        status = add_halfspace_beyond(scene, id, &cells, side, allocator);
    }
    if (status != BERTH_OK) {
        berth_scene_remove_object(scene, id);
    }
    return status;
}

BerthStatus berth_scene_add_map(BerthScene* scene, const BerthObjectDef* object, const BerthField* field,
                                const BerthMapDef* map, BerthObjectId* id) {
    BerthObjectId made = {0, 0};
    if (id != NULL) {
        *id = made;
    }
    if (object == NULL || object->stamp != BI_DEF_STAMP || object->solid != NULL) {
        if (object != NULL) {
            berth_solid_destroy(object->solid);
        }
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "object def: start from berth_default_object_def(), and without a solid for a map");
    }

    BerthObjectDef def = *object;
    BerthStatus status = berth_solid_from_field(field, map, &def.solid);
    if (status == BERTH_OK) {
        status = berth_scene_add_object(scene, &def, &made);
    }
    if (status == BERTH_OK) {
        status = bi_scene_block_outside_map(scene, made, &map->allocator);
    }

    if (status == BERTH_OK && id != NULL) {
        *id = made;
    }
    return status;
}
