// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes a contact world from a scene: links and objects as unions of convex pieces. A mesh is split into its connected
// surfaces; where one is not convex a closed mesh is cut into convex pieces. A mesh beyond the budget of pieces, or
// not closed, is replaced by its hull, which can prove it apart but exerts no force: that is listed in `assumed`.
// Entry: berth_contact_from_scene.

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "contact/contact.h"
#include "contact/create.h"
#include "mesh/mesh.h"
#include "mesh/pieces.h"
#include "robot/robot.h"
#include "scene/scene.h"
#include "tree/solid.h"

// Two volumes of a piece of surface and its hull that differ by less than this share are the same body,
#define VOLUME_NEAR 1e-6
// when all of the surface is within this share of the hull's radius of a face: a thin hole has next to no volume.
#define SURFACE_NEAR 1e-6

// Most nodes that one question about two solids may open; more is UNKNOWN. As many as a checker's default.
enum { QUERY_NODES = 10000000 };

typedef struct Import {
    BerthContactWorld* world;
    const BerthScene* scene;
    int32_t rounded, hulled, skipped;  // pieces, for `assumed`
    int32_t cut, cut_pieces;           // meshes that were cut, and into how many
    int32_t held, allowed;             // pairs that are left out
    char first_hulled[80], first_skipped[80];
} Import;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "contact: out of memory");
}

static BerthStatus add_to_list(Arena* arena, ContactList* list, const char* what, const char* detail,
                               int32_t count) {
    BerthAssumed* items = bi_arena_grow(arena, list->items, (size_t)list->count, (size_t)list->count + 1,
                                        &list->capacity, sizeof *items);
    const char* copy = bi_arena_copy_text(arena, detail, strlen(detail));
    const char* word = bi_arena_copy_text(arena, what, strlen(what));
    if (items == NULL || copy == NULL || word == NULL) {
        return no_memory();
    }

    list->items = items;
    items[list->count++] = (BerthAssumed){word, copy, count};
    return BERTH_OK;
}

BerthStatus bi_contact_assume(BerthContactWorld* world, const char* what, const char* detail, int32_t count) {
    return add_to_list(&world->arena, &world->assumed, what, detail, count);
}

static BerthStatus declare(Import* import, const char* what, const char* detail, int32_t count) {
    return add_to_list(&import->world->arena, &import->world->declared, what, detail, count);
}

// ---- solids --------------------------------------------------------------------------------------------------

// Points of one connected surface of a mesh, each once, and six times the volume it encloses.
static int32_t gather_component(const BerthMesh* mesh, int32_t component, const Pose* pose, int32_t* mark,
                                Vec3* points, double* six_volumes) {
    int32_t count = 0;
    *six_volumes = 0.0;

    for (int32_t t = 0; t < mesh->info.triangle_count; ++t) {
        if (mesh->component[t] != component) {
            continue;
        }

        Vec3 corner[3];
        mesh_triangle(mesh, t, corner);
        *six_volumes += v3_dot(corner[0], v3_cross(corner[1], corner[2]));

        for (int k = 0; k < 3; ++k) {
            int32_t* seen = &mark[mesh->triangles[3 * (size_t)t + (size_t)k]];
            if (*seen != component + 1) {
                *seen = component + 1;
                points[count++] = pose_apply(pose, corner[k]);
            }
        }
    }
    return count;
}

static void note_first_name(char* place, size_t size, const char* name) {
    if (place[0] == '\0') {
        (void)snprintf(place, size, "%s", name);
    }
}

// Does a triangle lie on one of the hull's faces?
static bool lies_on_face(const Polytope* hull, const Vec3 corner[3], int32_t face) {
    double deepest = 0.0;
    for (int k = 0; k < 3; ++k) {
        deepest = fmax(deepest, hull->faces[face].offset - v3_dot(hull->faces[face].normal, corner[k]));
    }
    return deepest <= SURFACE_NEAR * hull->radius;
}

static bool lies_on_hull(const Polytope* hull, const Vec3 corner[3]) {
    // Most lie on a face at the hull's farthest corner along their normal.
    const Vec3 normal = v3_cross(v3_sub(corner[1], corner[0]), v3_sub(corner[2], corner[0]));
    const int32_t far = polytope_support(hull, normal, 0);
    for (int32_t k = hull->first_around[far]; k < hull->first_around[far + 1]; ++k) {
        const PolyEdge* edge = &hull->edges[hull->around[k]];
        if (lies_on_face(hull, corner, edge->left) || lies_on_face(hull, corner, edge->right)) {
            return true;
        }
    }

    // Of a thin triangle the normal is not well known.
    for (int32_t f = 0; f < hull->face_count; ++f) {
        if (lies_on_face(hull, corner, f)) {
            return true;
        }
    }
    return false;
}

// Is a closed surface its own hull? All of it lies on the hull, and it encloses the hull's volume: once around, from outside.
static bool is_own_hull(const BerthMesh* mesh, int32_t component, const Pose* pose, double volume,
                        const Piece* piece) {
    if (piece->kind != PIECE_POLYTOPE) {
        return false;
    }

    const Polytope* hull = &piece->polytope;
    bool convex = fabs(volume - hull->volume) <= VOLUME_NEAR * hull->volume;
    for (int32_t t = 0; t < mesh->info.triangle_count && convex; ++t) {
        if (mesh->component[t] == component) {
            Vec3 corner[3];
            mesh_triangle(mesh, t, corner);
            for (int k = 0; k < 3; ++k) {
                corner[k] = pose_apply(pose, corner[k]);
            }
            convex = lies_on_hull(hull, corner);
        }
    }
    return convex;
}

// The pieces from `first` on are hulls only.
static void mark_hulled(Import* import, const Body* body, int32_t first) {
    for (int32_t i = first; i < import->world->piece_count; ++i) {
        Piece* piece = &import->world->pieces[i];
        import->hulled += !piece->hulled;
        piece->inexact = piece->hulled = true;
        note_first_name(import->first_hulled, sizeof import->first_hulled, body->name);
    }
}

// Puts convex pieces in the place of the hulls from `first` on. `*done` false: there are too many, nothing was done.
static BerthStatus cut_mesh(Import* import, Body* body, const BerthSolid* solid, const Pose* pose,
                            int32_t first, bool* done) {
    BerthContactWorld* world = import->world;
    const BerthMesh* mesh = berth_solid_mesh(solid);
    ConvexPieces pieces;
    bi_pieces_init(&pieces, &world->arena.allocator, v3_distance(mesh->info.low, mesh->info.high));
    BerthStatus status = bi_pieces_from_mesh(&pieces, mesh, world->def.pieces, done);

    if (status == BERTH_OK && *done) {
        for (int32_t i = first; i < world->piece_count; ++i) {
            bi_polytope_free(&world->pieces[i].polytope);
            berth_hull_destroy(world->pieces[i].copy);
        }
        body->piece_count -= world->piece_count - first;
        world->piece_count = first;
        ++import->cut;
        import->cut_pieces += pieces.count;
    }

    for (int32_t i = 0; i < pieces.count && status == BERTH_OK && *done; ++i) {
        ConvexPiece* from = &pieces.items[i];
        for (int32_t k = 0; k < from->count; ++k) {
            from->points[k] = pose_apply(pose, from->points[k]);
        }
        Piece* piece = bi_contact_new_piece(world, body);
        if (piece == NULL) {
            status = no_memory();
            break;
        }
        status =
            bi_contact_piece_from_points(world, from->points, from->count, pieces.near, body->levels, piece);
        piece->solid = solid;
        piece->body_from_solid = *pose;
    }
    bi_pieces_free(&pieces);
    return status;
}

static BerthStatus add_mesh(Import* import, Body* body, const BerthSolid* solid, const Pose* pose) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    BerthContactWorld* world = import->world;
    const BerthAllocator* memory = &world->arena.allocator;
    const size_t vertices = (size_t)mesh->info.vertex_count;
    int32_t* mark = bi_take(memory, vertices, sizeof *mark);
    Vec3* points = bi_take(memory, vertices, sizeof *points);

    BerthStatus status = mark != NULL && points != NULL ? BERTH_OK : no_memory();

    const int32_t first = world->piece_count, hulled = import->hulled;
    const bool named = import->first_hulled[0] != '\0';
    bool hollow = false;

    // A surface that is not closed, or in very many pieces, is taken whole.
    const bool whole = !mesh->info.watertight || mesh->info.component_count > 4096;
    const int32_t pieces = whole ? 1 : mesh->info.component_count;
    for (int32_t c = 0; c < pieces && status == BERTH_OK; ++c) {
        double six_volumes = 0.0;
        int32_t count = mesh->info.vertex_count;
        for (int32_t v = 0; whole && v < count; ++v) {
            points[v] = pose_apply(pose, mesh->vertices[v]);
        }
        if (!whole) {
            count = gather_component(mesh, c, pose, mark, points, &six_volumes);
        }

        Piece* piece = bi_contact_new_piece(world, body);
        if (piece != NULL) {
            status = bi_contact_piece_from_points(world, points, count, 0.0, body->levels, piece);
        } else {
            status = no_memory();
        }

        if (status == BERTH_OK) {
            piece->solid = solid;
            piece->body_from_solid = *pose;
            hollow = hollow || (!whole && !(six_volumes > 0.0));
            if (whole || !is_own_hull(mesh, c, pose, six_volumes / 6.0, piece)) {
                mark_hulled(import, body, world->piece_count - 1);
            }
        }
    }

    // A surface that is seen from inside is that of a cavity: the one around it is not solid, either.
    if (status == BERTH_OK && hollow) {
        mark_hulled(import, body, first);
    }

    bool cut = false;
    if (status == BERTH_OK && !whole && import->hulled > hulled) {
        status = cut_mesh(import, body, solid, pose, first, &cut);
    }
    if (cut) {
        import->hulled = hulled;
        import->first_hulled[0] = named ? import->first_hulled[0] : '\0';
    }

    bi_give(memory, points, vertices, sizeof *points);
    bi_give(memory, mark, vertices, sizeof *mark);
    return status;
}

static BerthStatus note_solid(BerthContactWorld* world, Body* body, const BodySolid* solid) {
    BodySolid* solids = bi_arena_grow(&world->arena, world->solids, (size_t)world->solid_count,
                                      (size_t)world->solid_count + 1, &world->solid_capacity, sizeof *solids);
    if (solids == NULL) {
        return no_memory();
    }
    world->solids = solids;
    solids[world->solid_count++] = *solid;
    ++body->solid_count;
    return BERTH_OK;
}

// `grown` metres around it belong to it; then, too, it has no features.
static BerthStatus add_solid(Import* import, Body* body, const BerthSolid* solid, const Pose* pose,
                             double grown) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    const BerthShape* shape = berth_solid_shape(solid);
    const BerthStatus noted = note_solid(import->world, body, &(BodySolid){solid, *pose, grown});
    if (noted != BERTH_OK) {
        return noted;
    }

    if (berth_solid_cells(solid, NULL) || berth_solid_point_count(solid) > 0 || grown > 0.0 ||
        (mesh == NULL && shape == NULL)) {
        Piece* piece = bi_contact_new_piece(import->world, body);
        ++import->skipped;
        note_first_name(import->first_skipped, sizeof import->first_skipped, body->name);
        if (piece == NULL) {
            return no_memory();
        }

        *piece = (Piece){.kind = PIECE_SOLID,
                         .body_from_shape = pose_identity(),
                         .centre = pose_apply(pose, solid->centre),
                         .ball = (solid->radius + grown) * (1.0 + 0x1p-50),
                         .solid = solid,
                         .body_from_solid = *pose,
                         .grown = grown,
                         .inexact = true};
        return BERTH_OK;
    }

    if (mesh != NULL) {
        return add_mesh(import, body, solid, pose);
    }

    const bool rounded = shape->kind == BERTH_CYLINDER || shape->kind == BERTH_CONE;
    import->rounded += rounded;
    const BerthStatus status = bi_contact_add_piece(import->world, body, &(BerthContactPiece){*shape, *pose});

    if (status == BERTH_OK) {
        Piece* piece = &import->world->pieces[import->world->piece_count - 1];
        piece->solid = solid;
        piece->body_from_solid = *pose;
        piece->inexact = rounded;
    }
    return status;
}

// ---- bodies --------------------------------------------------------------------------------------------------

// A body on its own is written in the object's frame, all others in that of the link that moves them.
static BerthStatus add_pieces(Import* import, const SceneBody* from, Body* body) {
    const BerthScene* scene = import->scene;
    BerthStatus status = BERTH_OK;

    if (from->robot < 0 && from->object >= 0) {
        const SceneObject* object = &scene->objects[from->object];
        status = add_solid(import, body, object->solid, &object->object_from_solid, from->radius);
        for (int32_t i = 0; i < object->piece_count && status == BERTH_OK; ++i) {
            status = add_solid(import, body, object->pieces[i].solid, &object->pieces[i].object_from_piece,
                               from->radius);
        }
        return status;
    }

    for (int32_t i = 0; i < from->part_count && status == BERTH_OK; ++i) {
        const ScenePart* part = &scene->parts[from->first_part + i];
        status = add_solid(import, body, part->solid, &part->frame_from_part, from->radius);
    }
    return status;
}

static BerthStatus add_body(Import* import, const SceneBody* from) {
    BerthContactBodyDef def = berth_default_contact_body_def();
    def.name = from->name;
    // Also links that no joint moves: two fixed bodies are not compared, and a base may stand in a wall.
    def.motion = from->robot >= 0 ? BERTH_BODY_DRIVEN : BERTH_BODY_FIXED;

    const SceneObject* object = from->object >= 0 ? &import->scene->objects[from->object] : NULL;
    if (from->robot < 0 && object != NULL) {
        def.world_from_body = object->pose;
        def.mass = object->mass;
        if (object->mass > 0.0) {
            def.motion = BERTH_BODY_FREE;
        } else {
            def.motion = object->moving || object->person ? BERTH_BODY_DRIVEN : BERTH_BODY_FIXED;
        }
    }

    if (from - import->scene->bodies == import->world->def.driven) {
        def.motion = BERTH_BODY_DRIVEN;
    }

    Body body;
    BerthStatus status = bi_contact_begin_body(import->world, &def, &body);
    if (status == BERTH_OK) {
        status = add_pieces(import, from, &body);
    }

    if (status != BERTH_OK) {
        return bi_fail_prefix(status, "body '%s'", from->name);
    }

    body.frame = from->frame;
    return bi_contact_end_body(import->world, &body);
}

// ---- pairs ---------------------------------------------------------------------------------------------------

static bool is_checked(const BerthScene* scene, int32_t a, int32_t b) {
    int32_t low = 0, high = scene->pair_count;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const ScenePair* pair = &scene->pairs[middle];
        const bool before = pair->body_a < a || (pair->body_a == a && pair->body_b < b);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < scene->pair_count && scene->pairs[low].body_a == a && scene->pairs[low].body_b == b;
}

static bool is_named(const SceneBodyRef* name, const SceneBody* body) {
    return name->object >= 0 ? name->object == body->object
                             : body->object < 0 && name->robot == body->robot && name->link == body->link;
}

// May the two touch, by `allow` or a touch list?
static bool is_allowed(const BerthScene* scene, const SceneBody* a, const SceneBody* b) {
    for (int32_t i = 0; i < scene->exception_count; ++i) {
        const SceneException* e = &scene->exceptions[i];
        if ((is_named(&e->a, a) && is_named(&e->b, b)) || (is_named(&e->a, b) && is_named(&e->b, a))) {
            return true;
        }
    }
    return false;
}

// Neither a joint, nor forces, nor a hand.
static bool nobody_moves(const Import* import, int32_t at) {
    const SceneBody* body = &import->scene->bodies[at];
    return body->robot >= 0 ? body->frame < 0 : import->world->bodies[at].motion == BERTH_BODY_FIXED;
}

// Is the pair left out? Counts those that are held or allowed, for `assumed`.
static bool note_if_ignored(Import* import, int32_t a, int32_t b, bool skip_allowed) {
    const BerthScene* scene = import->scene;
    const SceneBody *body_a = &scene->bodies[a], *body_b = &scene->bodies[b];
    const bool links = body_a->object < 0 && body_b->object < 0 && body_a->robot == body_b->robot;
    const bool held = body_a->robot >= 0 && body_a->robot == body_b->robot && body_a->link == body_b->link &&
                      (body_a->object < 0) != (body_b->object < 0);

    // Two objects on their own are never among the scene's pairs. A base on the table that it is mounted on means nothing.
    const bool objects = body_a->robot < 0 && body_b->robot < 0;
    const bool mounted = nobody_moves(import, a) && nobody_moves(import, b);
    const bool left_out = objects ? skip_allowed && is_allowed(scene, body_a, body_b)
                                  : (links || skip_allowed || mounted) && !is_checked(scene, a, b);

    import->held += held;
    import->allowed += !held && left_out && is_allowed(scene, body_a, body_b);
    return held || left_out;
}

static BerthMaterial own_material(const Import* import, const char* name) {
    BerthMaterial material = import->world->def.material;
    if (!berth_scene_material(import->scene, name, &material)) {
        (void)berth_scene_material(import->scene, "default", &material);
    }
    return bi_contact_whole_material(&material);
}

static double in_series(double a, double b) {
    return a + b > 0.0 ? 2.0 * a * b / (a + b) : 0.0;
}

static BerthMaterial find_pair_material(const Import* import, const char* a, const char* b) {
    char name[2 * BI_SCENE_NAME_MAX + 2];
    BerthMaterial material;
    (void)snprintf(name, sizeof name, "%s+%s", a, b);
    if (berth_scene_material(import->scene, name, &material)) {
        return material;
    }

    (void)snprintf(name, sizeof name, "%s+%s", b, a);
    if (berth_scene_material(import->scene, name, &material)) {
        return material;
    }

    const BerthMaterial one = own_material(import, a), other = own_material(import, b);
    // Springs and dampers one behind the other, scaled so that two equal ones give themselves.
    return (BerthMaterial){in_series(one.stiffness, other.stiffness), in_series(one.damping, other.damping),
                           0.5 * (one.viscosity + other.viscosity), sqrt(one.friction * other.friction),
                           in_series(one.foundation, other.foundation)};
}

static BerthStatus set_up_pairs(Import* import, bool skip_allowed) {
    const int32_t count = import->world->body_count;
    BerthStatus status = BERTH_OK;

    for (int32_t a = 0; a < count && status == BERTH_OK; ++a) {
        for (int32_t b = a + 1; b < count && status == BERTH_OK; ++b) {
            if (import->world->bodies[a].motion == BERTH_BODY_FIXED &&
                import->world->bodies[b].motion == BERTH_BODY_FIXED) {
                continue;
            }

            const BerthMaterial material =
                find_pair_material(import, import->scene->bodies[a].name, import->scene->bodies[b].name);
            if (note_if_ignored(import, a, b, skip_allowed)) {
                status = berth_contact_ignore(import->world, a, b);
            } else {
                status = berth_contact_set_pair_material(import->world, a, b, &material);
            }
        }
    }

    return status;
}

// ---- all of it -----------------------------------------------------------------------------------------------

// Does a material's name say where it is: "default", a body, or two bodies with a plus between them?
static bool names_known_bodies(const BerthScene* scene, const char* name) {
    if (strcmp(name, "default") == 0 || berth_scene_find_body(scene, name) >= 0) {
        return true;
    }

    char first[BI_SCENE_NAME_MAX + 1];
    for (const char* plus = strchr(name, '+'); plus != NULL; plus = strchr(plus + 1, '+')) {
        const size_t length = (size_t)(plus - name);
        if (length < sizeof first) {
            memcpy(first, name, length);
            first[length] = '\0';
            if (berth_scene_find_body(scene, first) >= 0 && berth_scene_find_body(scene, plus + 1) >= 0) {
                return true;
            }
        }
    }
    return false;
}

static BerthStatus assume_unused_materials(Import* import) {
    int32_t count = 0;
    const char* first = "";

    for (int32_t i = 0; i < import->scene->material_count; ++i) {
        const char* name = import->scene->materials[i].name;
        if (!names_known_bodies(import->scene, name)) {
            first = count == 0 ? name : first;
            ++count;
        }
    }

    char text[400];
    (void)snprintf(text, sizeof text,
                   "%d materials are used nowhere: '%.80s' is no body, and no pair of bodies 'a+b'",
                   (int)count, first);
    if (count == 0) {
        return BERTH_OK;
    }
    return bi_contact_assume(import->world, "unused_materials", text, count);
}

// What the scene assumes and declares; but of the pairs that it allows to touch only those count that are left out here,
// too.
static BerthStatus assume_as_scene(Import* import) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < berth_scene_assumed_count(import->scene) && status == BERTH_OK; ++i) {
        const BerthAssumed one = berth_scene_assumed(import->scene, i);
        status = bi_contact_assume(import->world, one.what, one.detail, one.count);
    }
    for (int32_t i = 0; i < berth_scene_declared_count(import->scene) && status == BERTH_OK; ++i) {
        const BerthAssumed one = berth_scene_declared(import->scene, i);
        if (strcmp(one.what, "allowed_pairs") != 0 && strcmp(one.what, "touch_pairs") != 0) {
            status = declare(import, one.what, one.detail, one.count);
        }
    }

    char text[200];
    if (status == BERTH_OK && import->allowed > 0) {
        (void)snprintf(text, sizeof text, "%d pairs are not looked at because the scene allows them to touch",
                       (int)import->allowed);
        status = declare(import, "allowed_pairs", text, import->allowed);
    }

    if (status == BERTH_OK && import->held > 0) {
        (void)snprintf(text, sizeof text,
                       "%d pairs of an object and the link that holds it are not looked at",
                       (int)import->held);
        status = declare(import, "touch_pairs", text, import->held);
    }
    return status;
}

// What may move on its own stands where the scene has it, but for the follower, which is led.
static BerthStatus assume_standing(Import* import) {
    int32_t count = 0;
    for (int32_t i = 0; i < import->scene->body_count; ++i) {
        const int32_t place = import->scene->bodies[i].object;
        const SceneObject* object = place >= 0 ? &import->scene->objects[place] : NULL;
        const bool can_move = object != NULL && (object->moving || object->person);
        count += can_move && i != import->world->def.driven;
    }
    if (count == 0) {
        return BERTH_OK;
    }

    char text[100];
    (void)snprintf(text, sizeof text, "%d objects that may move stand where the scene has them", (int)count);
    return bi_contact_assume(import->world, "moving_objects_stand", text, count);
}

// Forces are of the bodies themselves: a padding that others check with is none of their surface.
static BerthStatus assume_without_padding(Import* import) {
    int32_t count = 0;
    for (int32_t i = 0; i < import->scene->body_count; ++i) {
        count += import->scene->bodies[i].padding > import->scene->bodies[i].radius;
    }
    if (count == 0) {
        return BERTH_OK;
    }

    char text[100];
    (void)snprintf(text, sizeof text, "%d bodies are taken without the padding of their robot", (int)count);
    return bi_contact_assume(import->world, "padding_left_out", text, count);
}

static BerthStatus list_assumed(Import* import) {
    char text[400];
    BerthStatus status = assume_as_scene(import);
    if (status == BERTH_OK && import->cut > 0) {
        (void)snprintf(
            text, sizeof text,
            "%d meshes that are not convex are cut into %d convex pieces; rounding moves the corners of cuts "
            "by at most 1e-9 of their size",
            (int)import->cut, (int)import->cut_pieces);
        status = declare(import, "convex_pieces", text, import->cut_pieces);
    }
    if (status == BERTH_OK) {
        status = assume_unused_materials(import);
    }
    if (status == BERTH_OK) {
        status = assume_without_padding(import);
    }
    if (status == BERTH_OK) {
        status = assume_standing(import);
    }

    if (status == BERTH_OK && import->rounded > 0) {
        (void)snprintf(text, sizeof text,
                       "%d cylinders and cones are taken as prisms and pyramids of %d sides around them",
                       (int)import->rounded, (int)import->world->def.sides);
        status = bi_contact_assume(import->world, "rounded", text, import->rounded);
    }

    if (status == BERTH_OK && import->hulled > 0) {
        (void)snprintf(
            text, sizeof text,
            "%d surfaces of meshes are not convex, and not closed or beyond %d convex pieces: their hulls "
            "prove them apart, touching them is unknown (the first: '%s')",
            (int)import->hulled, (int)import->world->def.pieces, import->first_hulled);
        status = bi_contact_assume(import->world, "hulls", text, import->hulled);
    }

    if (status == BERTH_OK && import->skipped > 0) {
        (void)snprintf(text, sizeof text,
                       "%d maps or clouds have no features: only that nothing touches them can be told (the "
                       "first: '%s')",
                       (int)import->skipped, import->first_skipped);
        status = bi_contact_assume(import->world, "no_features", text, import->skipped);
    }

    return status;
}

static BerthStatus attach_scene(BerthContactWorld* world, const BerthScene* scene) {
    world->scene = scene;
    world->generation = scene->generation;

    world->world_from_frame =
        bi_arena_take(&world->arena, (size_t)scene->frame_count + 1, sizeof *world->world_from_frame);
    return world->world_from_frame != NULL ? BERTH_OK : no_memory();
}

BerthStatus berth_contact_from_scene(const BerthScene* scene, const BerthContactDef* def, bool skip_allowed,
                                     BerthContactWorld** out) {
    if (scene == NULL || out == NULL || !scene->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: no scene, or it is not committed");
    }

    BerthStatus status = berth_contact_create(def, out);
    if (status != BERTH_OK) {
        return status;
    }

    Import import = {.world = *out, .scene = scene};
    for (int32_t i = 0; i < scene->body_count && status == BERTH_OK; ++i) {
        status = add_body(&import, &scene->bodies[i]);
    }

    if (status == BERTH_OK) {
        status = set_up_pairs(&import, skip_allowed);
    }
    if (status == BERTH_OK) {
        status = list_assumed(&import);
    }
    if (status == BERTH_OK) {
        status = attach_scene(*out, scene);
    }

    if (status == BERTH_OK && import.rounded + import.hulled + import.skipped > 0) {
        status = berth_tree_query_create(QUERY_NODES, &(*out)->def.allocator, &(*out)->query);
    }
    if (status == BERTH_OK) {
        status = berth_contact_commit(*out);
    }
    if (status == BERTH_OK) {
        status = berth_contact_place(*out, scene->values, 0.0);
    }

    if (status != BERTH_OK) {
        berth_contact_destroy(*out);
        *out = NULL;
    }

    return status;
}
