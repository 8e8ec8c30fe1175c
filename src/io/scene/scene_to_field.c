// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The stationary objects of a scene as cells. Meshes are voxelised by the field; a convex shape by descending
// the tree: a cube that is proven apart from it is left out, one whose corners are all inside it is taken
// whole, a single cell that cannot be proven apart is occupied. So no cell that an object touches is missed.
// Entry: berth_io_open_map, which is here because a map may be made of a scene.

#include <berth/io/scene.h>
#include <math.h>
#include <string.h>

#include "io/map/map_file.h"
#include "io/syntax/file.h"
#include "math/math.h"
#include "math/tolerance.h"
#include "shape/gap.h"

enum { STACK_MAX = 8 * BI_MAP_LEVELS_MAX, CUBES_A_LOOK = 1024 };
/// Most cubes that one shape may open: minutes of work.
#define CUBES_MAX 200000000

typedef struct Cube {
    int32_t low[3];
    int32_t scale;
} Cube;

/// One object's part in the world.
typedef struct ScenePart {
    const BerthShape* shape;  // or null
    const BerthMesh* mesh;    // or null
    BerthPose pose;
    double radius;
    const char* name;
} ScenePart;

// ---- which objects -------------------------------------------------------------------------------------------

// Part `part` of an object, as it stands in the world. False when there is none.
static bool find_part(const BerthScene* scene, int32_t index, int32_t part, ScenePart* out,
                      BerthObjectInfo* info) {
    const BerthObjectId id = berth_scene_object_at(scene, index);
    BerthPose pose = berth_pose_identity();
    if (berth_scene_object(scene, id, info) != BERTH_OK || part >= info->part_count) {
        return false;
    }

    const BerthSolid* solid = berth_scene_object_part(scene, id, part, &pose);
    if (solid == NULL) {
        return false;
    }

    *out = (ScenePart){.shape = berth_solid_mesh(solid) == NULL ? berth_solid_shape(solid) : NULL,
                       .mesh = berth_solid_mesh(solid),
                       .pose = berth_pose_multiply(&info->pose, &pose),
                       .radius = info->radius,
                       .name = info->name};
    return true;
}

static bool stands_still(const BerthObjectInfo* info) {
    return info->robot < 0 && !info->moving && !info->person;
}

/// Where a pass through the parts of the objects that stand still has come to.
typedef struct PartCursor {
    const BerthScene* scene;
    int32_t object, part;
} PartCursor;

static bool next_standing_part(PartCursor* cursor, ScenePart* out) {
    for (; cursor->object < berth_scene_object_count(cursor->scene); ++cursor->object, cursor->part = 0) {
        BerthObjectInfo info;
        if (find_part(cursor->scene, cursor->object, cursor->part, out, &info) && stands_still(&info)) {
            cursor->part += 1;
            return true;
        }
    }
    return false;
}

static BerthStatus check_part(const MapJob* job, const ScenePart* part) {
    if (part->shape == NULL && (part->mesh == NULL || part->radius > 0.0)) {
        return bi_fail(BERTH_ERR_UNSUPPORTED,
                       "%s: object '%.80s': points and padded meshes are not made cells here: build the map "
                       "from their file",
                       job->path, part->name);
    }
    return BERTH_OK;
}

static void widen_to_part(const ScenePart* part, BerthVec3* low, BerthVec3* high) {
    BerthVec3 a, b;
    if (part->shape != NULL) {
        bi_shape_bounds(part->shape, &part->pose, &a, &b);
    } else {
        const BerthMeshInfo info = berth_mesh_info(part->mesh);
        const BerthVec3 side = {info.high.x - info.low.x, info.high.y - info.low.y, info.high.z - info.low.z};
        const BerthVec3 middle = {0.5 * (info.low.x + info.high.x), 0.5 * (info.low.y + info.high.y),
                                  0.5 * (info.low.z + info.high.z)};

        BerthShape box;
        BerthPose pose = part->pose;
        pose.t = berth_pose_apply(&part->pose, middle);
        if (berth_shape_box(side, &box) != BERTH_OK) {
            return;
        }
        bi_shape_bounds(&box, &pose, &a, &b);
    }

    const double r = part->radius;
    // Half-spaces have no end: they are cut where the map ends.
    if (fabs(a.x) + fabs(a.y) + fabs(a.z) + fabs(b.x) + fabs(b.y) + fabs(b.z) <= 1e9) {
        *low = (BerthVec3){fmin(low->x, a.x - r), fmin(low->y, a.y - r), fmin(low->z, a.z - r)};
        *high = (BerthVec3){fmax(high->x, b.x + r), fmax(high->y, b.y + r), fmax(high->z, b.z + r)};
    }
}

// Whoever asks the map must know that it is not all of the scene.
static void warn_left_out(const MapJob* job, const BerthScene* scene) {
    int32_t count = 0;
    const char* name = "";
    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        BerthObjectInfo info;
        if (berth_scene_object(scene, berth_scene_object_at(scene, i), &info) == BERTH_OK &&
            !stands_still(&info)) {
            if (count == 0) {
                name = info.name;
            }
            count += 1;
        }
    }

    if (count > 0) {
        bi_io_warn(&job->io, "%s: %d object%s not in the map, because %s held or move%s: '%.80s'%s",
                   job->path, count, count == 1 ? " is" : "s are", count == 1 ? "it is" : "they are",
                   count == 1 ? "s" : "", name, count == 1 ? "" : " and others");
    }
}

// ---- shapes --------------------------------------------------------------------------------------------------

static BerthVec3 cube_corner(const BerthFieldDef* def, const Cube* cube, int corner) {
    const double side = (double)((int32_t)1 << cube->scale);
    return (BerthVec3){def->origin.x + def->resolution * (cube->low[0] + side * (corner & 1)),
                       def->origin.y + def->resolution * (cube->low[1] + side * (corner >> 1 & 1)),
                       def->origin.z + def->resolution * (cube->low[2] + side * (corner >> 2 & 1))};
}

// All corners of a cube in a convex set: then all of it is.
static bool is_cube_inside(const BerthFieldDef* def, const Cube* cube, const ScenePart* part) {
    BerthShape point;
    if (berth_shape_sphere(0.0, &point) != BERTH_OK) {
        return false;
    }

    for (int corner = 0; corner < 8; ++corner) {
        BerthPose at = berth_pose_identity();
        at.t = cube_corner(def, cube, corner);
        if (!(berth_shape_gap(part->shape, &part->pose, &point, &at).upper <= part->radius)) {
            return false;
        }
    }
    return true;
}

static BerthStatus occupy_cube(const BerthFieldDef* def, BerthFieldBuilder* builder, const Cube* cube) {
    int32_t high[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t end = def->size[axis] > 0 ? def->size[axis] : (int32_t)1 << def->levels;
        high[axis] = cube->low[axis] + ((int32_t)1 << cube->scale);
        high[axis] = high[axis] < end ? high[axis] : end;
        if (cube->low[axis] >= end) {
            return BERTH_OK;
        }
    }
    return berth_field_add_box(builder, cube->low, high, BERTH_CELL_OCCUPIED);
}

static BerthStatus voxelise_shape(const MapJob* job, const BerthFieldDef* def, BerthFieldBuilder* builder,
                                  const ScenePart* part) {
    Cube stack[STACK_MAX];
    int count = 0;
    int64_t opened = 0;
    BerthStatus status = BERTH_OK;
    stack[count++] = (Cube){.scale = def->levels};

    while (count > 0 && status == BERTH_OK) {
        const Cube cube = stack[--count];
        const double side = def->resolution * (double)((int32_t)1 << cube.scale);
        const BerthVec3 low = cube_corner(def, &cube, 0);

        BerthShape box;
        BerthPose pose = berth_pose_identity();
        pose.t = (BerthVec3){low.x + 0.5 * side, low.y + 0.5 * side, low.z + 0.5 * side};
        status = berth_shape_box((BerthVec3){side, side, side}, &box);
        const BerthGap gap = berth_shape_gap(part->shape, &part->pose, &box, &pose);

        // The cube's own corners are rounded, far from the origin by more: it is taken as touched a little before it is.
        const double room = BI_GRID_ALIGN * def->resolution +
                            BI_DISTANCE_SLACK * (fabs(low.x) + fabs(low.y) + fabs(low.z) + side);
        if (status != BERTH_OK || gap.lower > part->radius + room) {
            continue;
        }

        if (cube.scale == 0 || is_cube_inside(def, &cube, part)) {
            status = occupy_cube(def, builder, &cube);
            continue;
        }

        const int32_t half = (int32_t)1 << (cube.scale - 1);
        for (int i = 0; i < 8; ++i) {
            stack[count++] = (Cube){{cube.low[0] + half * (i & 1), cube.low[1] + half * (i >> 1 & 1),
                                     cube.low[2] + half * (i >> 2 & 1)},
                                    cube.scale - 1};
        }

        if (++opened > CUBES_MAX) {
            return bi_fail(BERTH_ERR_CAPACITY,
                           "%s: object '%.80s' takes more than %d cubes: a coarser resolution is needed",
                           job->path, part->name, CUBES_MAX);
        }
        if (opened % CUBES_A_LOOK == 0 && job->map.progress != NULL &&
            !job->map.progress(job->map.progress_user, 0.0)) {
            return bi_fail(BERTH_ERR_CANCELLED, "%s: stopped", job->path);
        }
    }
    return status;
}

// ---- all of it -----------------------------------------------------------------------------------------------

static BerthStatus find_bounds(const MapJob* job, const BerthScene* scene, BerthVec3* low, BerthVec3* high,
                               int32_t* count) {
    *count = 0;
    *low = (BerthVec3){INFINITY, INFINITY, INFINITY};
    *high = (BerthVec3){-INFINITY, -INFINITY, -INFINITY};

    PartCursor cursor = {.scene = scene};
    ScenePart part;
    while (next_standing_part(&cursor, &part)) {
        const BerthStatus status = check_part(job, &part);
        if (status != BERTH_OK) {
            return status;
        }
        widen_to_part(&part, low, high);
        *count += 1;
    }
    return BERTH_OK;
}

static BerthStatus add_standing_objects(MapJob* job, const BerthScene* scene, const BerthFieldDef* def,
                                        BerthFieldBuilder* builder) {
    BerthStatus status = BERTH_OK;
    PartCursor cursor = {.scene = scene};
    ScenePart part;
    while (status == BERTH_OK && next_standing_part(&cursor, &part)) {
        if (part.shape != NULL) {
            status = bi_map_check_shape(job, def, part.shape, &part.pose);
            status = status == BERTH_OK ? voxelise_shape(job, def, builder, &part) : status;
        } else {
            status = bi_map_check_mesh(job, def, part.mesh, &part.pose);
            status = status == BERTH_OK ? berth_field_add_mesh(builder, part.mesh, &part.pose) : status;
            job->facts.open_meshes += !berth_mesh_info(part.mesh).watertight;
        }
    }
    return status;
}

static BerthStatus make_field(MapJob* job, const BerthScene* scene, BerthField** out) {
    BerthVec3 low, high;
    int32_t count = 0;
    BerthFieldDef def = bi_map_field_def(job);
    BerthFieldBuilder* builder = NULL;
    BerthStatus status = find_bounds(job, scene, &low, &high, &count);

    warn_left_out(job, scene);
    if (status == BERTH_OK && count == 0) {
        status =
            bi_fail(BERTH_ERR_PARSE,
                    "%s: it has no object that stands still: there is nothing to make a map of", job->path);
    }
    if (status == BERTH_OK && !(high.x >= low.x) && (!job->map.has_origin || job->map.levels < 0)) {
        status =
            bi_fail(BERTH_ERR_ARGUMENT,
                    "%s: its objects have no end: an origin and a number of levels are needed", job->path);
    }

    if (status == BERTH_OK) {
        status = bi_map_set_grid(job, low, high, &def);
    }
    if (status == BERTH_OK) {
        status = berth_field_builder_create(&def, &builder);
    }
    if (status == BERTH_OK) {
        status = add_standing_objects(job, scene, &def, builder);
    }

    if (status == BERTH_OK) {
        status = berth_field_build(builder, out);
        if (status != BERTH_OK && status != BERTH_ERR_CANCELLED) {
            status = bi_fail_prefix(status, "%s", job->path);
        }
    }

    job->facts.background_taken_free = def.background == BERTH_CELL_FREE;
    berth_field_builder_destroy(builder);
    return status;
}

static BerthStatus read_scene_and_make_field(MapJob* job, BerthField** out) {
    BerthScene* scene = NULL;
    BerthStatus status = berth_io_read_scene(job->path, &job->io, &scene);
    if (status == BERTH_OK) {
        status = make_field(job, scene, out);
    }
    berth_scene_destroy(scene);
    return status;
}

BerthStatus berth_io_open_map(const char* path, const BerthMapOptions* map_options,
                              const BerthIoOptions* options, BerthMap** out) {
    return bi_map_open(path, map_options, options, read_scene_and_make_field, out);
}
