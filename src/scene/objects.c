// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Objects of a scene: slots with ages, found by name through chained buckets; what they are attached to; the
// exceptions (`allow` and touch lists); safety and materials, which are kept for other rooms.
// Entries: berth_scene_add_object, berth_scene_attach, berth_scene_allow, berth_scene_set_safety and
// berth_scene_set_material.

#include <math.h>
#include <string.h>

#include "math/tolerance.h"
#include "scene/scene.h"
#include "tree/solid.h"

// ---- slots and names --------------------------------------------------------------------------------------

static uint32_t hash_name(const char* name) {
    uint32_t hash = 2166136261u;  // FNV-1a
    for (; *name != '\0'; ++name) {
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    }
    return hash;
}

int32_t bi_scene_find_slot(const BerthScene* scene, const char* name) {
    if (scene->object_capacity == 0) {
        return -1;
    }
    const uint32_t hash = hash_name(name);
    int32_t slot = scene->buckets[hash & (uint32_t)(scene->object_capacity - 1)];
    while (slot >= 0 && (scene->objects[slot].hash != hash || strcmp(scene->objects[slot].name, name) != 0)) {
        slot = scene->objects[slot].next;
    }
    return slot;
}

static void chain_slot(BerthScene* scene, int32_t slot) {
    SceneObject* object = &scene->objects[slot];
    int32_t* head = &scene->buckets[object->hash & (uint32_t)(scene->object_capacity - 1)];
    object->next = *head;
    *head = slot;
}

static void unchain_slot(BerthScene* scene, int32_t slot) {
    int32_t* link = &scene->buckets[scene->objects[slot].hash & (uint32_t)(scene->object_capacity - 1)];
    while (*link != slot) {
        link = &scene->objects[*link].next;
    }
    *link = scene->objects[slot].next;
}

// Room for one more slot; the number of buckets is the capacity, a power of two.
static bool grow_objects(BerthScene* scene) {
    if (scene->first_unused >= 0 || scene->object_count < scene->object_capacity) {
        return true;
    }

    const int32_t old = scene->object_capacity;
    const int32_t larger = old > 0 ? old * 2 : 8;
    int32_t* buckets = bi_take(&scene->allocator, (size_t)larger, sizeof *buckets);
    if (buckets == NULL ||
        !bi_scene_grow_array(&scene->allocator, (void**)&scene->objects, scene->object_count, larger,
                             &scene->object_capacity, sizeof *scene->objects)) {
        bi_give(&scene->allocator, buckets, (size_t)larger, sizeof *buckets);
        return false;
    }

    BI_ASSERT(scene->object_capacity == larger);
    bi_give(&scene->allocator, scene->buckets, (size_t)old, sizeof *scene->buckets);
    scene->buckets = buckets;

    for (int32_t i = 0; i < larger; ++i) {
        buckets[i] = -1;
    }
    for (int32_t i = 0; i < scene->object_count; ++i) {
        chain_slot(scene, i);  // no slot is unused here
    }
    return true;
}

SceneObject* bi_scene_object(const BerthScene* scene, BerthObjectId id) {
    if (scene == NULL || id.age == 0 || id.slot >= (uint32_t)scene->object_count) {
        return NULL;
    }

    SceneObject* object = &scene->objects[id.slot];
    return object->used && object->age == id.age ? object : NULL;
}

BerthStatus bi_scene_fail_stale(BerthObjectId id) {
    if (id.age == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "scene: the id names no object");
    }
    return bi_fail(BERTH_ERR_STALE, "scene: the object of this id was removed (slot %u, age %u)", id.slot,
                   id.age);
}

// ---- exceptions --------------------------------------------------------------------------------------------

static BerthStatus resolve_or_fail(const BerthScene* scene, const char* what, const char* name,
                                   bool links_only, SceneBodyRef* out) {
    if (name == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: no name given", what);
    }
    if (!bi_scene_resolve_name(scene, name, links_only, out)) {
        char hint[128];
        bi_scene_suggest_name(scene, name, links_only, hint, sizeof hint);
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: there is no %s '%s'%s", what, links_only ? "link" : "body",
                       name, hint);
    }
    return BERTH_OK;
}

static BerthStatus add_exception(BerthScene* scene, const char* what, const char* name,
                                 SceneException exception) {
    if (scene->exception_count == INT32_MAX ||
        !bi_scene_grow_array(&scene->allocator, (void**)&scene->exceptions, scene->exception_count,
                             scene->exception_count + 1, &scene->exception_capacity,
                             sizeof *scene->exceptions)) {
        return bi_fail(BERTH_ERR_MEMORY, "%s '%s': out of memory", what, name);
    }
    scene->exceptions[scene->exception_count++] = exception;
    return BERTH_OK;
}

static bool same_name(SceneBodyRef a, SceneBodyRef b) {
    return a.object == b.object && a.robot == b.robot && a.link == b.link;
}

BerthStatus berth_scene_allow(BerthScene* scene, const char* body_a, const char* body_b) {
    if (scene == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "allow: no scene given");
    }

    SceneException exception = {.touch = false};
    BerthStatus status = resolve_or_fail(scene, "allow", body_a, false, &exception.a);
    if (status == BERTH_OK) {
        status = resolve_or_fail(scene, "allow", body_b, false, &exception.b);
    }

    if (status == BERTH_OK && same_name(exception.a, exception.b)) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "allow: '%s' is the same body twice", body_a);
    }
    if (status == BERTH_OK) {
        status = add_exception(scene, "allow", body_a, exception);
    }

    if (status == BERTH_OK) {
        bi_scene_mark_edited(scene);
    }
    return status;
}

static BerthStatus add_touch(BerthScene* scene, int32_t slot, const char* name, const char* body) {
    SceneException exception = {.a = {-1, -1, slot}, .touch = true};
    BerthStatus status = resolve_or_fail(scene, "touch", body, false, &exception.b);
    if (status == BERTH_OK && exception.b.object == slot) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "touch: '%s' is the object itself", body);
    }
    if (status == BERTH_OK) {
        status = add_exception(scene, "touch", name, exception);
    }
    return status;
}

BerthStatus berth_scene_touch(BerthScene* scene, BerthObjectId id, const char* body) {
    const SceneObject* object = bi_scene_object(scene, id);
    if (object == NULL) {
        return bi_scene_fail_stale(id);
    }
    const BerthStatus status = add_touch(scene, (int32_t)id.slot, object->name, body);
    if (status == BERTH_OK) {
        bi_scene_mark_edited(scene);
    }
    return status;
}

// Drops the exceptions of an object: all that name it, or only its touch list.
static void drop_exceptions(BerthScene* scene, int32_t slot, bool touch_only) {
    int32_t kept = 0;
    for (int32_t i = 0; i < scene->exception_count; ++i) {
        const SceneException* e = &scene->exceptions[i];
        const bool drop =
            touch_only ? e->touch && e->a.object == slot : e->a.object == slot || e->b.object == slot;
        if (!drop) {
            scene->exceptions[kept++] = *e;
        }
    }
    scene->exception_count = kept;
}

// ---- edits -------------------------------------------------------------------------------------------------

BerthObjectDef berth_default_object_def(void) {
    return (BerthObjectDef){
        .pose = pose_identity(), .object_from_solid = pose_identity(), .stamp = BI_DEF_STAMP};
}

static BerthStatus check_number(const char* name, const char* what, double number) {
    if (!(number >= 0.0 && isfinite(number))) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': %s is %g, must be finite and >= 0", name, what,
                       number);
    }
    return BERTH_OK;
}

static BerthStatus check_object_def(const BerthScene* scene, const BerthObjectDef* def, SceneObject* object) {
    BerthStatus status = bi_scene_check_name("object", def->name);
    if (status != BERTH_OK) {
        return status;
    }

    if (bi_scene_find_slot(scene, def->name) >= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': the scene already has an object of that name",
                       def->name);
    }
    SceneBodyRef link;
    if (scene->robot_count > 0 && bi_scene_resolve_name(scene, def->name, true, &link)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': a link of robot '%s' has that name", def->name,
                       scene->robots[link.robot].name);
    }
    if (def->solid == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': the def holds no solid", def->name);
    }
    if ((def->moving || def->person) && solid_is_empty(def->solid)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': it moves, but is a map without any obstacle",
                       def->name);
    }
    if (def->touch_count < 0 || (def->touch_count > 0 && def->touch == NULL)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': touch list of %d names", def->name,
                       (int)def->touch_count);
    }

    const double numbers[] = {def->radius, def->mass, def->speed, def->intrusion, def->uncertainty};
    const char* const words[] = {"radius", "mass", "speed", "intrusion", "uncertainty"};
    for (int i = 0; i < 5 && status == BERTH_OK; ++i) {
        status = check_number(def->name, words[i], numbers[i]);
    }
    if (status == BERTH_OK && def->attach != NULL && (def->moving || def->person)) {
        status = bi_fail(BERTH_ERR_ARGUMENT, "object '%s': it is attached, so it cannot move on its own",
                         def->name);
    }

    if (status == BERTH_OK) {
        status = bi_scene_check_pose("object", def->name, &def->pose, &object->pose);
    }
    if (status == BERTH_OK) {
        status =
            bi_scene_check_pose("object", def->name, &def->object_from_solid, &object->object_from_solid);
    }
    if (status == BERTH_OK && scene->object_used >= BI_SCENE_OBJECT_MAX) {
        status = bi_fail(BERTH_ERR_CAPACITY, "object '%s': a scene holds at most %d objects", def->name,
                         BI_SCENE_OBJECT_MAX);
    }
    return status;
}

static BerthStatus resolve_attach(const BerthScene* scene, const char* name, const char* attach,
                                  SceneObject* object) {
    object->robot = -1;
    object->link = -1;
    if (attach == NULL) {
        return BERTH_OK;
    }

    SceneBodyRef link;
    const BerthStatus status = resolve_or_fail(scene, "attach", attach, true, &link);
    if (status != BERTH_OK) {
        return bi_fail_prefix(status, "object '%s'", name);
    }
    object->robot = link.robot;
    object->link = link.link;
    return BERTH_OK;
}

static int32_t take_slot(BerthScene* scene) {
    const int32_t slot = scene->first_unused;
    if (slot >= 0) {
        scene->first_unused = scene->objects[slot].next;
        return slot;
    }
    return scene->object_count++;
}

void bi_scene_free_object(const BerthAllocator* allocator, SceneObject* object) {
    bi_scene_free_text(allocator, object->name);
    bi_scene_free_text(allocator, object->source);
    berth_solid_destroy(object->solid);
    for (int32_t i = 0; i < object->piece_count; ++i) {
        berth_solid_destroy(object->pieces[i].solid);
    }
    bi_give(allocator, object->pieces, (size_t)object->piece_capacity, sizeof *object->pieces);
}

// Gives a slot back; what it held is freed.
static void free_slot(BerthScene* scene, int32_t slot) {
    SceneObject* object = &scene->objects[slot];
    unchain_slot(scene, slot);
    drop_exceptions(scene, slot, false);
    scene->piece_count -= object->piece_count;
    bi_scene_free_object(&scene->allocator, object);
    *object = (SceneObject){.age = object->age, .next = scene->first_unused};
    scene->first_unused = slot;
    scene->object_used -= 1;
}

// Puts a checked object into the scene, with its touch list; takes its texts and its solid.
static BerthStatus place_object(BerthScene* scene, const BerthObjectDef* def, SceneObject object,
                                BerthObjectId* id) {
    const int32_t slot = take_slot(scene);
    const uint32_t age = scene->objects[slot].age + 1;

    object.used = true;
    object.age = age != 0 ? age : 1;
    object.hash = hash_name(object.name);
    scene->objects[slot] = object;
    scene->object_used += 1;
    chain_slot(scene, slot);

    for (int32_t i = 0; i < def->touch_count; ++i) {
        const BerthStatus status = add_touch(scene, slot, object.name, def->touch[i]);
        if (status != BERTH_OK) {
            bi_fail_prefix(status, "object '%s'", object.name);
            free_slot(scene, slot);
            return status;
        }
    }

    if (id != NULL) {
        *id = (BerthObjectId){(uint32_t)slot, object.age};
    }
    bi_scene_mark_edited(scene);
    return BERTH_OK;
}

BerthStatus berth_scene_add_object(BerthScene* scene, const BerthObjectDef* def, BerthObjectId* id) {
    if (id != NULL) {
        *id = (BerthObjectId){0, 0};
    }
    if (scene == NULL || def == NULL || def->stamp != BI_DEF_STAMP) {
        if (def != NULL) {
            berth_solid_destroy(def->solid);
        }
        return bi_fail(BERTH_ERR_ARGUMENT, "object def: start from berth_default_object_def()");
    }

    SceneObject object = {.solid = def->solid,
                          .radius = def->radius,
                          .mass = def->mass,
                          .moving = def->moving,
                          .person = def->person,
                          .speed = def->speed,
                          .intrusion = def->intrusion,
                          .uncertainty = def->uncertainty,
                          .body = -1};

    BerthStatus status = check_object_def(scene, def, &object);
    if (status == BERTH_OK) {
        status = resolve_attach(scene, def->name, def->attach, &object);
    }
    if (status == BERTH_OK) {
        object.name = bi_scene_copy_text(&scene->allocator, def->name);
        object.source = bi_scene_copy_text(&scene->allocator, def->source != NULL ? def->source : "");
        if (object.name == NULL || object.source == NULL || !grow_objects(scene)) {
            status = bi_fail(BERTH_ERR_MEMORY, "object '%s': out of memory", def->name);
        }
    }

    if (status != BERTH_OK) {
        bi_scene_free_text(&scene->allocator, object.name);
        bi_scene_free_text(&scene->allocator, object.source);
        berth_solid_destroy(def->solid);
        return status;
    }
    return place_object(scene, def, object, id);
}

BerthStatus berth_scene_add_part(BerthScene* scene, BerthObjectId id, const BerthPose* object_from_solid,
                                 BerthSolid* solid) {
    SceneObject* object = bi_scene_object(scene, id);
    ScenePiece piece = {.solid = solid};
    BerthStatus status = BERTH_OK;
    if (object == NULL) {
        status = bi_scene_fail_stale(id);
    } else if (solid == NULL || solid_is_empty(solid)) {
        status =
            bi_fail(BERTH_ERR_ARGUMENT, "object '%s': no solid given, or one that is empty", object->name);
    } else {
        status = bi_scene_check_pose("object", object->name, object_from_solid, &piece.object_from_piece);
    }

    if (status == BERTH_OK && scene->piece_count >= BI_SCENE_OBJECT_MAX) {
        status = bi_fail(BERTH_ERR_CAPACITY, "object '%s': a scene holds at most %d further parts",
                         object->name, BI_SCENE_OBJECT_MAX);
    }
    if (status == BERTH_OK &&
        !bi_scene_grow_array(&scene->allocator, (void**)&object->pieces, object->piece_count,
                             object->piece_count + 1, &object->piece_capacity, sizeof *object->pieces)) {
        status = bi_fail(BERTH_ERR_MEMORY, "object '%s': out of memory", object->name);
    }

    if (status != BERTH_OK) {
        berth_solid_destroy(solid);
        return status;
    }

    object->pieces[object->piece_count++] = piece;
    scene->piece_count += 1;
    bi_scene_mark_edited(scene);
    return BERTH_OK;
}

BerthStatus berth_scene_remove_object(BerthScene* scene, BerthObjectId id) {
    if (bi_scene_object(scene, id) == NULL) {
        return bi_scene_fail_stale(id);
    }
    free_slot(scene, (int32_t)id.slot);
    bi_scene_mark_edited(scene);
    return BERTH_OK;
}

BerthStatus berth_scene_set_object_pose(BerthScene* scene, BerthObjectId id, const BerthPose* pose) {
    SceneObject* object = bi_scene_object(scene, id);
    if (object == NULL) {
        return bi_scene_fail_stale(id);
    }
    Pose checked;
    const BerthStatus status = bi_scene_check_pose("object", object->name, pose, &checked);
    if (status == BERTH_OK) {
        object->pose = checked;
        bi_scene_mark_edited(scene);
    }
    return status;
}

BerthStatus berth_scene_attach(BerthScene* scene, BerthObjectId id, const char* link,
                               const BerthPose* link_from_object) {
    SceneObject* object = bi_scene_object(scene, id);
    if (object == NULL) {
        return bi_scene_fail_stale(id);
    }
    if (object->moving || object->person) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': it moves on its own, so it cannot be attached",
                       object->name);
    }
    if (link == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': attach: no link given", object->name);
    }

    SceneObject changed = *object;
    BerthStatus status = bi_scene_check_pose("object", object->name, link_from_object, &changed.pose);
    if (status == BERTH_OK) {
        status = resolve_attach(scene, object->name, link, &changed);
    }

    if (status == BERTH_OK) {
        *object = changed;
        bi_scene_mark_edited(scene);
    }
    return status;
}

BerthStatus berth_scene_detach(BerthScene* scene, BerthObjectId id, const BerthPose* world_from_object) {
    SceneObject* object = bi_scene_object(scene, id);
    if (object == NULL) {
        return bi_scene_fail_stale(id);
    }
    if (object->robot < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': it is not attached", object->name);
    }

    Pose pose;
    const BerthStatus status = bi_scene_check_pose("object", object->name, world_from_object, &pose);
    if (status == BERTH_OK) {
        object->pose = pose;
        object->robot = -1;
        object->link = -1;
        drop_exceptions(scene, (int32_t)id.slot, true);
        bi_scene_mark_edited(scene);
    }
    return status;
}

// ---- looking -----------------------------------------------------------------------------------------------

int32_t berth_scene_moving_count(const BerthScene* scene) {
    int32_t count = 0;
    for (int32_t slot = 0; scene != NULL && slot < scene->object_count; ++slot) {
        const SceneObject* object = &scene->objects[slot];
        count += object->used && (object->moving || object->person);
    }
    return count;
}

const char* berth_moving_name(BerthMoving moving) {
    static const char* const names[BERTH_MOVING_COUNT] = {"stand", "reach"};
    return (int)moving >= 0 && moving < BERTH_MOVING_COUNT ? names[moving] : "unknown";
}

int32_t berth_scene_object_count(const BerthScene* scene) {
    return scene != NULL ? scene->object_used : 0;
}

BerthObjectId berth_scene_object_at(const BerthScene* scene, int32_t index) {
    for (int32_t slot = 0; scene != NULL && index >= 0 && slot < scene->object_count; ++slot) {
        if (scene->objects[slot].used && index-- == 0) {
            return (BerthObjectId){(uint32_t)slot, scene->objects[slot].age};
        }
    }
    return (BerthObjectId){0, 0};
}

BerthObjectId berth_scene_find_object(const BerthScene* scene, const char* name) {
    const int32_t slot = scene != NULL && name != NULL ? bi_scene_find_slot(scene, name) : -1;
    return slot >= 0 ? (BerthObjectId){(uint32_t)slot, scene->objects[slot].age} : (BerthObjectId){0, 0};
}

BerthStatus berth_scene_object(const BerthScene* scene, BerthObjectId id, BerthObjectInfo* out) {
    const SceneObject* object = bi_scene_object(scene, id);
    if (object == NULL) {
        return bi_scene_fail_stale(id);
    }
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "scene: no slot for the result");
    }

    *out = (BerthObjectInfo){.name = object->name,
                             .source = object->source,
                             .solid = object->solid,
                             .part_count = 1 + object->piece_count,
                             .pose = object->pose,
                             .robot = object->robot,
                             .link = object->link,
                             .radius = object->radius,
                             .mass = object->mass,
                             .moving = object->moving,
                             .person = object->person,
                             .speed = object->speed,
                             .intrusion = object->intrusion,
                             .uncertainty = object->uncertainty};
    return BERTH_OK;
}

// ---- kept for other rooms ----------------------------------------------------------------------------------

BerthStatus berth_scene_set_safety(BerthScene* scene, const BerthSafety* safety) {
    if (scene == NULL || safety == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "safety: nothing given");
    }

    const double numbers[] = {safety->period, safety->latency,    safety->reaction, safety->silence,
                              safety->margin, safety->hysteresis, safety->noise,    safety->drift};
    const char* const words[] = {"period", "latency",    "reaction", "silence",
                                 "margin", "hysteresis", "noise",    "drift"};
    for (int i = 0; i < 8; ++i) {
        const bool positive = i == 0 || i == 3;
        if (!(numbers[i] >= 0.0 && isfinite(numbers[i])) || (positive && numbers[i] == 0.0)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "safety: %s is %g, must be finite and %s", words[i],
                           numbers[i], positive ? "> 0" : ">= 0");
        }
    }

    scene->safety = *safety;
    scene->has_safety = true;
    return BERTH_OK;
}

bool berth_scene_safety(const BerthScene* scene, BerthSafety* out) {
    if (scene != NULL && scene->has_safety && out != NULL) {
        *out = scene->safety;
    }
    return scene != NULL && scene->has_safety;
}

static SceneMaterial* find_material(const BerthScene* scene, const char* name) {
    for (int32_t i = 0; i < scene->material_count; ++i) {
        if (strcmp(scene->materials[i].name, name) == 0) {
            return &scene->materials[i];
        }
    }
    return NULL;
}

BerthStatus berth_scene_set_material(BerthScene* scene, const char* name, const BerthMaterial* material) {
    if (scene == NULL || material == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "material: nothing given");
    }
    const BerthStatus status = bi_scene_check_name("material", name);
    if (status != BERTH_OK) {
        return status;
    }

    const double numbers[] = {material->stiffness, material->damping, material->viscosity, material->friction,
                              material->foundation};
    const char* const words[] = {"stiffness", "damping", "viscosity", "friction", "foundation"};
    for (int i = 0; i < 5; ++i) {
        if (!(numbers[i] >= 0.0 && isfinite(numbers[i]))) {
            return bi_fail(BERTH_ERR_ARGUMENT, "material '%s': %s is %g, must be finite and >= 0", name,
                           words[i], numbers[i]);
        }
    }
    if (!(material->stiffness + material->foundation > 0.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "material '%s': stiffness or foundation must be > 0", name);
    }

    SceneMaterial* old = find_material(scene, name);
    if (old != NULL) {
        old->material = *material;
        return BERTH_OK;
    }

    char* copy = bi_scene_copy_text(&scene->allocator, name);
    if (copy == NULL || !bi_scene_grow_array(&scene->allocator, (void**)&scene->materials,
                                             scene->material_count, scene->material_count + 1,
                                             &scene->material_capacity, sizeof *scene->materials)) {
        bi_scene_free_text(&scene->allocator, copy);
        return bi_fail(BERTH_ERR_MEMORY, "material '%s': out of memory", name);
    }

    scene->materials[scene->material_count++] = (SceneMaterial){copy, *material};
    return BERTH_OK;
}

const char* berth_scene_material_name(const BerthScene* scene, int32_t index) {
    const bool is_there = scene != NULL && index >= 0 && index < scene->material_count;
    return is_there ? scene->materials[index].name : NULL;
}

bool berth_scene_material(const BerthScene* scene, const char* name, BerthMaterial* out) {
    const SceneMaterial* found = scene != NULL && name != NULL ? find_material(scene, name) : NULL;
    if (found != NULL && out != NULL) {
        *out = found->material;
    }
    return found != NULL;
}
