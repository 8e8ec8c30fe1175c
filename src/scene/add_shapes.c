// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Objects in one call, for scenes that are built in code: a shape, mesh or cloud at a pose. All other
// properties of an object (attachment, mass, motion) go through berth_scene_add_object.
// Entries: berth_scene_add_box and its siblings.

#include "base/base.h"
#include "scene/scene.h"

/// What these calls have in common.
typedef struct SimpleObject {
    const char* name;
    const BerthPose* pose;  // null: at the origin
    double radius;
    const char* source;
} SimpleObject;

static BerthStatus add_solid(BerthScene* scene, const SimpleObject* object, BerthSolid* solid,
                             BerthObjectId* id) {
    BerthObjectDef def = berth_default_object_def();
    def.name = object->name;
    def.solid = solid;
    def.radius = object->radius;
    def.source = object->source;
    if (object->pose != NULL) {
        def.pose = *object->pose;
    }
    return berth_scene_add_object(scene, &def, id);
}

// A failed call gives no id.
static void clear_id(BerthObjectId* id) {
    if (id != NULL) {
        *id = (BerthObjectId){0, 0};
    }
}

// `made` is how the maker of the shape ended.
static BerthStatus add_shape(BerthScene* scene, const char* name, BerthStatus made, const BerthShape* shape,
                             const BerthPose* pose, BerthObjectId* id) {
    clear_id(id);
    if (scene == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "scene: null");
    }
    if (made != BERTH_OK) {
        return bi_fail_prefix(made, "object '%s'", name != NULL ? name : "");
    }

    BerthSolid* solid = NULL;
    const BerthStatus status = berth_solid_from_shape(shape, &scene->allocator, &solid);
    if (status != BERTH_OK) {
        return status;
    }
    return add_solid(scene,
                     &(SimpleObject){.name = name, .pose = pose, .source = berth_shape_name(shape->kind)},
                     solid, id);
}

BerthStatus berth_scene_add_box(BerthScene* scene, const char* name, BerthVec3 size,
                                const BerthPose* world_from_box, BerthObjectId* id) {
    BerthShape shape;
    const BerthStatus made = berth_shape_box(size, &shape);
    return add_shape(scene, name, made, &shape, world_from_box, id);
}

BerthStatus berth_scene_add_sphere(BerthScene* scene, const char* name, double radius, BerthVec3 centre,
                                   BerthObjectId* id) {
    BerthShape shape;
    const BerthStatus made = berth_shape_sphere(radius, &shape);
    BerthPose pose = berth_pose_identity();
    pose.t = centre;
    return add_shape(scene, name, made, &shape, &pose, id);
}

BerthStatus berth_scene_add_capsule(BerthScene* scene, const char* name, double radius, double length,
                                    const BerthPose* world_from_capsule, BerthObjectId* id) {
    BerthShape shape;
    const BerthStatus made = berth_shape_capsule(radius, length, &shape);
    return add_shape(scene, name, made, &shape, world_from_capsule, id);
}

BerthStatus berth_scene_add_cylinder(BerthScene* scene, const char* name, double radius, double length,
                                     const BerthPose* world_from_cylinder, BerthObjectId* id) {
    BerthShape shape;
    const BerthStatus made = berth_shape_cylinder(radius, length, &shape);
    return add_shape(scene, name, made, &shape, world_from_cylinder, id);
}

BerthStatus berth_scene_add_cone(BerthScene* scene, const char* name, double radius, double length,
                                 const BerthPose* world_from_cone, BerthObjectId* id) {
    BerthShape shape;
    const BerthStatus made = berth_shape_cone(radius, length, &shape);
    return add_shape(scene, name, made, &shape, world_from_cone, id);
}

BerthStatus berth_scene_add_halfspace(BerthScene* scene, const char* name, BerthVec3 normal, double offset,
                                      BerthObjectId* id) {
    BerthShape shape;
    const BerthStatus made = berth_shape_halfspace(normal, offset, &shape);
    return add_shape(scene, name, made, &shape, NULL, id);
}

BerthStatus berth_scene_add_mesh(BerthScene* scene, const char* name, BerthMesh* mesh,
                                 const BerthPose* world_from_mesh, BerthObjectId* id) {
    clear_id(id);
    if (scene == NULL) {
        berth_mesh_destroy(mesh);
        return bi_fail(BERTH_ERR_ARGUMENT, "scene: null");
    }

    BerthSolid* solid = NULL;
    const BerthStatus status = berth_solid_from_mesh(mesh, &scene->allocator, &solid);
    if (status != BERTH_OK) {
        return status;
    }
    return add_solid(scene, &(SimpleObject){.name = name, .pose = world_from_mesh, .source = "mesh"}, solid,
                     id);
}

BerthStatus berth_scene_add_points(BerthScene* scene, const char* name, const BerthVec3* points,
                                   int32_t count, double radius, const BerthPose* world_from_points,
                                   BerthObjectId* id) {
    clear_id(id);
    if (scene == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "scene: null");
    }

    BerthSolid* solid = NULL;
    const BerthStatus status = berth_solid_from_points(points, count, &scene->allocator, &solid);
    if (status != BERTH_OK) {
        return status;
    }
    const SimpleObject object = {
        .name = name, .pose = world_from_points, .radius = radius, .source = "points"};
    return add_solid(scene, &object, solid, id);
}
