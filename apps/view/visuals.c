// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The visuals of URDFs: kept while the scene is read, and written as parts of the layer "visual" if they differ from the
// checked geometry. They are only for display: a mesh that cannot be read is left out, and if the bytes are limited,
// small details of all meshes are merged with a grid: the vertices in a cell become one.
// Entries: visuals_told, visuals_find_bodies, view_json_visuals, view_write_visuals.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

enum { VISUALS_MOST = 4096, TRIANGLES_MOST = 3000000 };

static char* copy_text(const char* text) {
    return text != NULL ? strdup(text) : NULL;
}

static void visuals_add(void* user, const BerthVisual* visual) {
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
                         .visual = *visual,
                         .body = -1};
    list->failed = item->link == NULL || (item->mesh == NULL && visual->mesh != NULL);
}

BerthIoOptions visuals_told(ViewVisuals* visuals) {
    BerthIoOptions told = berth_default_io_options();
    told.visual = visuals_add;
    told.visual_user = visuals;
    return told;
}

void visuals_free(ViewVisuals* visuals) {
    for (int32_t i = 0; i < visuals->count; ++i) {
        free(visuals->items[i].link);
        free(visuals->items[i].mesh);
    }
    free(visuals->items);
    *visuals = (ViewVisuals){0};
}

// The body of a visual; -1 for a link without collision geometry.
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

// Whether the same file is collision geometry of this link.
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

// In the thread that owns the scene: later reading no longer uses the scene.
void visuals_find_bodies(ViewVisuals* visuals, const BerthScene* scene) {
    visuals->differ = false;
    if (visuals->failed || visuals->robots != berth_scene_robot_count(scene)) {
        return;
    }
    for (int32_t i = 0; i < visuals->count; ++i) {
        ViewVisual* item = &visuals->items[i];
        item->body = body_of(scene, item);
        visuals->differ |= item->body >= 0 && !is_checked(scene, item);
    }
}

// ---- meshes --------------------------------------------------------------------------------------------------------

/// A mesh file to draw. Links of two equal robots share one.
typedef struct DrawnMesh {
    BerthMesh* mesh;       // null: none, or it cannot be read
    int32_t same;          // the visual that read this file; itself if it is the first
    BerthVec3* vertices;   // merged ones, or null: those of the mesh
    int32_t* triangles;    // likewise
    int32_t vertex_count;  // number of drawn vertices
    int32_t triangle_count;
    bool placed;  // it is already in the geometry
    ViewMesh at;
} DrawnMesh;

static void drop_merged(DrawnMesh* drawn) {
    free(drawn->vertices);
    free(drawn->triangles);
    drawn->vertices = NULL;
    drawn->triangles = NULL;
}

static void drop_meshes(DrawnMesh* meshes, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        drop_merged(&meshes[i]);
        berth_mesh_destroy(meshes[i].mesh);
    }
    free(meshes);
}

static bool is_same_file(const ViewVisual* a, const ViewVisual* b) {
    const BerthVec3 s = a->visual.scale, t = b->visual.scale;
    return a->mesh != NULL && b->mesh != NULL && strcmp(a->mesh, b->mesh) == 0 && s.x == t.x && s.y == t.y &&
           s.z == t.z;
}

static void read_mesh(const View* view, const ViewVisual* item, DrawnMesh* out) {
    ViewVisuals* visuals = view->visuals;
    BerthIoOptions io = view->question->io;
    io.warn = NULL;
    if (view->visuals_later) {
        io.files = NULL;  // another thread may be using it
        io.progress = NULL;
    }
    BerthMesh* mesh = NULL;
    if (berth_io_read_mesh(item->mesh, item->visual.scale, &io, &mesh) != BERTH_OK) {
        ++visuals->unread_count;
        return;
    }

    const BerthMeshInfo info = berth_mesh_info(mesh);
    if (visuals->triangle_count + info.triangle_count > TRIANGLES_MOST) {
        ++visuals->unread_count;
        berth_mesh_destroy(mesh);
        return;
    }
    visuals->triangle_count += info.triangle_count;
    *out = (DrawnMesh){.mesh = mesh,
                       .same = out->same,
                       .vertex_count = info.vertex_count,
                       .triangle_count = info.triangle_count};
}

static DrawnMesh* read_meshes(const View* view) {
    const ViewVisuals* visuals = view->visuals;
    DrawnMesh* meshes = calloc((size_t)visuals->count + 1, sizeof *meshes);
    for (int32_t i = 0; i < visuals->count && meshes != NULL; ++i) {
        const ViewVisual* item = &visuals->items[i];
        meshes[i].same = i;
        for (int32_t k = 0; k < i && meshes[i].same == i; ++k) {
            if (visuals->items[k].body >= 0 && is_same_file(&visuals->items[k], item)) {
                meshes[i].same = k;
            }
        }
        if (item->body >= 0 && item->mesh != NULL && meshes[i].same == i) {
            read_mesh(view, item, &meshes[i]);
        }
    }
    return meshes;
}

// ---- fewer triangles -----------------------------------------------------------------------------------------------

static BerthVec3 cell_of(BerthVec3 v, double cell) {
    // Adding zero turns -0 into 0, because bytes are compared.
    return (BerthVec3){floor(v.x / cell) + 0.0, floor(v.y / cell) + 0.0, floor(v.z / cell) + 0.0};
}

static size_t hash_of(BerthVec3 cell) {
    uint64_t words[3];
    memcpy(words, &cell, sizeof words);
    uint64_t hash = 0;
    for (int i = 0; i < 3; ++i) {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
    }
    return (size_t)hash;
}

// Numbers the cells with vertices in the order of their first vertices, which represent them. `like`: the number for each
// vertex.
static int32_t number_cells(const BerthVec3* vertices, int32_t count, double cell, int32_t* like,
                            int32_t* table, size_t table_size, BerthVec3* out) {
    int32_t made = 0;
    for (int32_t i = 0; i < count; ++i) {
        const BerthVec3 own = cell_of(vertices[i], cell);
        size_t at = hash_of(own) & (table_size - 1);
        int32_t known = -1;

        // The cells at this place of the table, and the following ones.
        while (table[at] != 0 && known < 0) {
            const BerthVec3 other = cell_of(out[table[at] - 1], cell);
            if (memcmp(&own, &other, sizeof own) == 0) {
                known = table[at] - 1;
            } else {
                at = (at + 1) & (table_size - 1);
            }
        }

        if (known < 0) {
            known = made++;
            out[known] = vertices[i];
            table[at] = known + 1;
        }
        like[i] = known;
    }
    return made;
}

// Removes triangles with two corners in one cell. False if memory runs out.
static bool merge(DrawnMesh* drawn, double cell) {
    const BerthMeshInfo info = berth_mesh_info(drawn->mesh);
    const int32_t* given = berth_mesh_triangles(drawn->mesh);
    size_t table_size = 16;
    while (table_size < 2 * (size_t)info.vertex_count) {
        table_size *= 2;
    }

    drop_merged(drawn);
    drawn->vertices = malloc(((size_t)info.vertex_count + 1) * sizeof *drawn->vertices);
    drawn->triangles = malloc((3 * (size_t)info.triangle_count + 1) * sizeof *drawn->triangles);
    int32_t* like = malloc(((size_t)info.vertex_count + 1) * sizeof *like);
    int32_t* table = calloc(table_size, sizeof *table);
    const bool there = drawn->vertices != NULL && drawn->triangles != NULL && like != NULL && table != NULL;
    if (there) {
        drawn->vertex_count = number_cells(berth_mesh_vertices(drawn->mesh), info.vertex_count, cell, like,
                                           table, table_size, drawn->vertices);
        int32_t kept = 0;
        for (int32_t i = 0; i < info.triangle_count; ++i) {
            const int32_t a = like[given[3 * i]], b = like[given[3 * i + 1]], c = like[given[3 * i + 2]];
            if (a != b && b != c && c != a) {
                drawn->triangles[3 * kept] = a;
                drawn->triangles[3 * kept + 1] = b;
                drawn->triangles[3 * kept + 2] = c;
                ++kept;
            }
        }
        drawn->triangle_count = kept;
    }
    free(like);
    free(table);
    return there;
}

static int64_t bytes_of(const DrawnMesh* meshes, int32_t count) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < count; ++i) {
        bytes += meshes[i].mesh != NULL ? 12LL * meshes[i].vertex_count + 12LL * meshes[i].triangle_count : 0;
    }
    return bytes;
}

// The finest grid with which all meshes fit; false if memory runs out, or none does.
static bool fit_meshes(ViewVisuals* visuals, DrawnMesh* meshes) {
    static const double FINEST = 0.0005, COARSEST = 0.1;  // metres
    visuals->merged = 0.0;
    if (visuals->bytes_most == 0 || bytes_of(meshes, visuals->count) <= visuals->bytes_most) {
        return true;
    }

    for (double cell = FINEST; cell <= COARSEST; cell *= 2.0) {
        for (int32_t i = 0; i < visuals->count; ++i) {
            if (meshes[i].mesh != NULL && !merge(&meshes[i], cell)) {
                return false;
            }
        }
        if (bytes_of(meshes, visuals->count) <= visuals->bytes_most) {
            visuals->merged = cell;
            return true;
        }
    }
    return false;
}

// ---- writing -------------------------------------------------------------------------------------------------------

static void json_mesh(Json* json, ViewGeometry* geometry, ViewVisuals* visuals, const ViewVisual* item,
                      DrawnMesh* drawn) {
    if (!drawn->placed) {
        const BerthVec3* vertices =
            drawn->vertices != NULL ? drawn->vertices : berth_mesh_vertices(drawn->mesh);
        const int32_t* triangles =
            drawn->triangles != NULL ? drawn->triangles : berth_mesh_triangles(drawn->mesh);
        drawn->at = view_add_mesh(geometry, vertices, drawn->vertex_count, triangles, drawn->triangle_count);
        drawn->placed = true;
        visuals->drawn_count += drawn->triangle_count;
    }
    view_json_mesh_part(json, item->body, "visual", &item->visual.link_from_visual, &drawn->at,
                        item->visual.has_colour ? item->visual.colour : NULL);
}

static void json_shape(Json* json, ViewGeometry* geometry, const ViewVisual* item) {
    BerthSolid* solid = NULL;
    if (berth_solid_from_shape(&item->visual.shape, NULL, &solid) == BERTH_OK) {
        view_json_part(json, geometry, item->body, "visual", &item->visual.link_from_visual, solid, 0.0,
                       item->visual.has_colour ? item->visual.colour : NULL);
    }
    berth_solid_destroy(solid);
}

void view_json_visuals(Json* json, ViewGeometry* geometry, const View* view) {
    ViewVisuals* visuals = view->visuals;
    visuals->triangle_count = visuals->drawn_count = 0;
    visuals->unread_count = 0;

    DrawnMesh* meshes = read_meshes(view);
    const bool fits = meshes != NULL && fit_meshes(visuals, meshes);
    for (int32_t i = 0; i < visuals->count && meshes != NULL; ++i) {
        const ViewVisual* item = &visuals->items[i];
        DrawnMesh* drawn = &meshes[meshes[i].same];
        if (item->body >= 0 && item->mesh == NULL) {
            json_shape(json, geometry, item);
        } else if (item->body >= 0 && drawn->mesh != NULL && fits) {
            json_mesh(json, geometry, visuals, item, drawn);
        }
    }
    json->text->failed |= meshes == NULL;
    drop_meshes(meshes, meshes != NULL ? visuals->count : 0);
}

void view_write_visuals(const View* view, Text* text, ViewGeometry* geometry) {
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_open(&json, "parts", '[');
    view_json_visuals(&json, geometry, view);
    json_close(&json, ']');
    view_json_geometry(&json, geometry);
    json_close(&json, '}');
}
