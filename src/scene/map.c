// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A map as an object: its obstacles become the cubes that the tree room makes a solid of; what is stated
// about space that the map does not know.

#include <berth/field.h>
#include <math.h>

#include "math/tolerance.h"
#include "scene/scene.h"
#include "tree/cells.h"
#include "tree/solid.h"

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
static BerthStatus halfspace_beyond(const BerthCellsInfo* cells, int side, const BerthAllocator* allocator,
                                    BerthSolid** out) {
    const int axis = side / 2;
    const double sign = side % 2 == 0 ? 1.0 : -1.0;
    const double at = v3_at(side % 2 == 0 ? cells->low : cells->high, axis);
    const BerthVec3 normal = {axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};

    BerthShape shape;
    const BerthStatus status = berth_shape_halfspace(normal, sign * at, &shape);
    return status == BERTH_OK ? berth_solid_from_shape(&shape, allocator, out) : status;
}

BerthStatus bi_scene_block_outside_map(BerthScene* scene, BerthObjectId id, const BerthAllocator* allocator) {
    SceneObject* object = bi_scene_object(scene, id);
    BerthCellsInfo cells;
    BerthStatus status = BERTH_OK;
    if (object == NULL || !berth_solid_cells(object->solid, &cells) || cells.outside_is_free) {
        return BERTH_OK;
    }

    object->border_first = object->piece_count;
    for (int side = 0; side < 2 * cells.dim && status == BERTH_OK; ++side) {
        BerthSolid* solid = NULL;
        const Pose object_from_map = object->object_from_solid;
        status = halfspace_beyond(&cells, side, allocator, &solid);
        if (status == BERTH_OK) {
            status = berth_scene_add_part(scene, id, &object_from_map, solid);
            object->border_count += status == BERTH_OK;
        }
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

// ---- what is outside -----------------------------------------------------------------------------------------

/// Nodes that one question may open: a map has at most so many triangles.
enum { POINT_NODES = 10000000 };

// How far a point of the world is inside of the border of a map, metres; below 0 outside. Infinite where it has no border.
static double depth_within_border(const BerthScene* scene, const SceneBody* body, const SceneObject* object,
                                  BerthVec3 point) {
    const int32_t first = body->first_part + body->part_count - object->piece_count + object->border_first;
    double depth = INFINITY;
    for (int32_t i = first; i < first + object->border_count; ++i) {
        const ScenePart* part = &scene->parts[i];
        const BerthShape* shape = berth_solid_shape(part->solid);
        const Vec3 at = pose_apply_back(&part->frame_from_part, point);
        depth = fmin(depth, v3_dot(shape->as.halfspace.normal, at) - shape->as.halfspace.offset);
    }
    return depth;
}

// A lower bound of the point's distance from the cells of the map, metres; 0 where there is none.
static double distance_from_cells(const BerthScene* scene, const ScenePart* cells, BerthVec3 point) {
    BerthShape shape;
    BerthSolid* dot = NULL;
    BerthTreeQuery* query = NULL;
    double distance = 0.0;

    BerthStatus status = berth_shape_sphere(0.0, &shape);
    if (status == BERTH_OK) {
        status = berth_solid_from_shape(&shape, &scene->allocator, &dot);
    }
    if (status == BERTH_OK) {
        status = berth_tree_query_create(POINT_NODES, &scene->allocator, &query);
    }
    if (status == BERTH_OK) {
        const BerthTreeRequest whole = berth_default_tree_request();
        BerthPose at = berth_pose_identity();
        at.t = point;
        distance = berth_tree_distance(query, dot, &at, cells->solid, &cells->frame_from_part, &whole).lower;
    }

    berth_tree_query_destroy(query);
    berth_solid_destroy(dot);
    return distance;
}

bool berth_scene_outside_map(const BerthScene* scene, int32_t body, BerthVec3 point) {
    if (scene == NULL || body < 0 || body >= berth_scene_body_count(scene)) {
        return false;
    }
    const SceneBody* of = &scene->bodies[body];
    const SceneObject* object = of->object >= 0 ? &scene->objects[of->object] : NULL;
    if (object == NULL || object->border_count == 0 || of->frame >= 0) {
        return false;
    }

    // A witness on the border itself is off it by rounding.
    const double depth = depth_within_border(scene, of, object, point);
    const double slack = BI_DISTANCE_SLACK * (1.0 + fabs(point.x) + fabs(point.y) + fabs(point.z));
    if (!(depth > slack)) {
        return !isnan(depth);
    }
    return solid_is_empty(object->solid) ||
           depth <= distance_from_cells(scene, &scene->parts[of->first_part], point) + slack;
}

// ---- another map in the same place ---------------------------------------------------------------------------

enum { SIDES = 6 };

/// What an object of a map is made of.
typedef struct MapBody {
    BerthSolid* solid;
    BerthSolid* border[SIDES];
    int32_t border_count;
} MapBody;

static void destroy_map_body(MapBody* body) {
    berth_solid_destroy(body->solid);
    for (int32_t i = 0; i < body->border_count; ++i) {
        berth_solid_destroy(body->border[i]);
    }
}

static BerthStatus make_map_body(const BerthField* field, const BerthMapDef* map, MapBody* out) {
    BerthCellsInfo cells;
    BerthStatus status = berth_solid_from_field(field, map, &out->solid);
    if (status != BERTH_OK || !berth_solid_cells(out->solid, &cells) || cells.outside_is_free) {
        return status;
    }

    for (int side = 0; side < 2 * cells.dim && status == BERTH_OK; ++side) {
        status = halfspace_beyond(&cells, side, &map->allocator, &out->border[side]);
        out->border_count += status == BERTH_OK;
    }
    return status;
}

// The new solids take the places of the old ones; what else belongs to the object stays. There is room for all.
static void exchange_map_body(BerthScene* scene, SceneObject* object, const MapBody* body) {
    const Pose object_from_map = object->object_from_solid;
    int32_t kept = 0;
    for (int32_t i = 0; i < object->piece_count; ++i) {
        if (i >= object->border_first && i < object->border_first + object->border_count) {
            berth_solid_destroy(object->pieces[i].solid);
        } else {
            object->pieces[kept++] = object->pieces[i];
        }
    }

    scene->piece_count += kept + body->border_count - object->piece_count;
    object->border_first = kept;
    object->border_count = body->border_count;
    for (int32_t i = 0; i < body->border_count; ++i) {
        object->pieces[kept++] = (ScenePiece){body->border[i], object_from_map};
    }

    object->piece_count = kept;
    berth_solid_destroy(object->solid);
    object->solid = body->solid;
}

BerthStatus berth_scene_set_map(BerthScene* scene, BerthObjectId id, const BerthField* field,
                                const BerthMapDef* map) {
    SceneObject* object = bi_scene_object(scene, id);
    BerthCellsInfo cells;
    if (object == NULL) {
        return bi_scene_fail_stale(id);
    }
    if (!berth_solid_cells(object->solid, &cells)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': it is no map", object->name);
    }

    MapBody body = {.solid = NULL};
    BerthStatus status = make_map_body(field, map, &body);
    if (status == BERTH_OK && (object->moving || object->person) && solid_is_empty(body.solid)) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "object '%s': it moves, but is a map without any obstacle",
                         object->name);
    }

    const int32_t needed = object->piece_count - object->border_count + body.border_count;
    const int32_t total = scene->piece_count - object->border_count + body.border_count;
    if (status == BERTH_OK && total > BI_SCENE_OBJECT_MAX) {
        status = bi_fail(BERTH_ERR_CAPACITY, "object '%s': a scene holds at most %d further parts",
                         object->name, BI_SCENE_OBJECT_MAX);
    }
    if (status == BERTH_OK && needed > object->piece_capacity &&
        !bi_scene_grow_array(&scene->allocator, (void**)&object->pieces, object->piece_count, needed,
                             &object->piece_capacity, sizeof *object->pieces)) {
        status = bi_fail(BERTH_ERR_MEMORY, "object '%s': out of memory", object->name);
    }

    if (status != BERTH_OK) {
        destroy_map_body(&body);
        return status;
    }
    exchange_map_body(scene, object, &body);
    bi_scene_mark_edited(scene);
    return BERTH_OK;
}
