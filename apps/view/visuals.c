// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What URDFs draw of their links: kept while the scene is read, and written as parts of the layer "visual" where it differs
// from what is checked. It is for eyes: a mesh that cannot be read is left out.
// Entries: visuals_add, view_json_visuals.

#include <stdlib.h>
#include <string.h>

#include "view/view.h"

enum { VISUALS_MOST = 4096, TRIANGLES_MOST = 3000000 };

static char* copy_text(const char* text) {
    return text != NULL ? strdup(text) : NULL;
}

void visuals_add(void* user, const BerthVisual* visual) {
    ViewVisuals* list = user;
    if (visual->link == NULL) {
        ++list->robots;
        return;
    }
    if (list->count >= VISUALS_MOST || list->failed) {
        return;
    }

    if (list->count == list->capacity) {
        const int32_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        ViewVisual* items = realloc(list->items, (size_t)capacity * sizeof *items);
        list->failed = items == NULL;
        if (list->failed) {
            return;
        }
        list->items = items;
        list->capacity = capacity;
    }

    ViewVisual* item = &list->items[list->count++];
    *item = (ViewVisual){.robot = list->robots - 1,
                         .link = copy_text(visual->link),
                         .mesh = copy_text(visual->mesh),
                         .visual = *visual};
    list->failed = item->link == NULL || (item->mesh == NULL && visual->mesh != NULL);
}

void visuals_free(ViewVisuals* visuals) {
    for (int32_t i = 0; i < visuals->count; ++i) {
        free(visuals->items[i].link);
        free(visuals->items[i].mesh);
    }
    free(visuals->items);
    *visuals = (ViewVisuals){0};
}

// The body that a visual is on; -1 for a link that has nothing to check.
static int32_t body_of(const BerthScene* scene, const ViewVisual* item) {
    const BerthRobot* robot = berth_scene_robot(scene, item->robot, NULL, NULL);
    const int32_t link = robot != NULL ? berth_robot_find_link(robot, item->link) : -1;
    for (int32_t i = 0; i < berth_scene_body_count(scene) && link >= 0; ++i) {
        const BerthBodyInfo body = berth_scene_body(scene, i);
        if (body.robot == item->robot && body.link == link && body.object.age == 0) {
            return i;
        }
    }
    return -1;
}

// Is the same file checked on this link?
static bool is_checked(const BerthScene* scene, const ViewVisual* item) {
    const BerthRobot* robot = berth_scene_robot(scene, item->robot, NULL, NULL);
    const int32_t link = robot != NULL ? berth_robot_find_link(robot, item->link) : -1;
    const int32_t count = link >= 0 ? berth_robot_link(robot, link).solid_count : 0;
    for (int32_t i = 0; i < count; ++i) {
        BerthPose unused;
        const char* source = NULL;
        const BerthSolid* solid = berth_robot_solid(robot, link, i, &unused, &source);
        const BerthShape* shape = berth_solid_shape(solid);
        if (item->mesh != NULL ? source != NULL && strcmp(source, item->mesh) == 0
                               : shape != NULL && shape->kind == item->visual.shape.kind) {
            return true;
        }
    }
    return false;
}

static bool differs(const BerthScene* scene, const ViewVisuals* visuals) {
    for (int32_t i = 0; i < visuals->count; ++i) {
        if (body_of(scene, &visuals->items[i]) >= 0 && !is_checked(scene, &visuals->items[i])) {
            return true;
        }
    }
    return false;
}

static BerthSolid* read_solid(const View* view, const ViewVisual* item, int64_t* triangles) {
    BerthSolid* solid = NULL;
    BerthIoOptions io = view->question->io;
    io.warn = NULL;
    if (item->mesh == NULL) {
        (void)berth_solid_from_shape(&item->visual.shape, NULL, &solid);
        return solid;
    }

    BerthMesh* mesh = NULL;
    if (berth_io_read_mesh(item->mesh, item->visual.scale, &io, &mesh) != BERTH_OK) {
        return NULL;
    }
    *triangles += berth_mesh_info(mesh).triangle_count;
    if (*triangles > TRIANGLES_MOST) {
        berth_mesh_destroy(mesh);
        return NULL;
    }
    (void)berth_solid_from_mesh(mesh, NULL, &solid);
    return solid;
}

void view_json_visuals(Json* json, ViewGeometry* geometry, const View* view) {
    const ViewVisuals* visuals = view->visuals;
    const BerthScene* scene = view->question->scene;
    int64_t triangles = 0;
    if (visuals == NULL || visuals->failed || visuals->robots != berth_scene_robot_count(scene) ||
        !differs(scene, visuals)) {
        return;
    }

    for (int32_t i = 0; i < visuals->count; ++i) {
        const ViewVisual* item = &visuals->items[i];
        const int32_t body = body_of(scene, item);
        BerthSolid* solid = body >= 0 ? read_solid(view, item, &triangles) : NULL;
        if (solid != NULL) {
            view_json_part(json, geometry, body, "visual", &item->visual.link_from_visual, solid, 0.0,
                           item->visual.has_colour ? item->visual.colour : NULL);
        }
        berth_solid_destroy(solid);
    }
}
