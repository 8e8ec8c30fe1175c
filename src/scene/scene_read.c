// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Reading what edits have made of a scene, for programs that write it.

#include "base/base.h"
#include "scene/scene.h"

const BerthSolid* berth_scene_object_part(const BerthScene* scene, BerthObjectId id, int32_t part,
                                          BerthPose* object_from_part) {
    const SceneObject* object = scene != NULL ? bi_scene_object(scene, id) : NULL;
    if (object == NULL || part < 0 || part > object->piece_count) {
        return NULL;
    }

    if (object_from_part != NULL) {
        *object_from_part =
            part == 0 ? object->object_from_solid : object->pieces[part - 1].object_from_piece;
    }
    return part == 0 ? object->solid : object->pieces[part - 1].solid;
}

int32_t berth_scene_exception_count(const BerthScene* scene) {
    return scene != NULL ? scene->exception_count : 0;
}

static void write_side_name(const BerthScene* scene, const SceneBodyRef* side, char* text, size_t size) {
    if (size == 0) {
        return;
    }
    text[0] = '\0';
    if (side->robot >= 0) {
        bi_scene_link_name(scene, side->robot, side->link, text, size);
        return;
    }

    const char* name = scene->objects[side->object].name;
    size_t i = 0;
    for (; i + 1 < size && name[i] != '\0'; ++i) {
        text[i] = name[i];
    }
    text[i] = '\0';
}

BerthStatus berth_scene_exception(const BerthScene* scene, int32_t index, char* body_a, char* body_b,
                                  size_t size, bool* touch) {
    if (index < 0 || index >= berth_scene_exception_count(scene) || body_a == NULL || body_b == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "exception %d: the scene has %d", (int)index,
                       (int)berth_scene_exception_count(scene));
    }

    const SceneException* exception = &scene->exceptions[index];
    write_side_name(scene, &exception->a, body_a, size);
    write_side_name(scene, &exception->b, body_b, size);
    if (touch != NULL) {
        *touch = exception->touch;
    }
    return BERTH_OK;
}
