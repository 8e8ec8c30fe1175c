// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes contact worlds: bodies and their pieces, masses, inner faces, pairs, and all memory that cycles will need.
// Entries: berth_contact_create, berth_contact_add_body, berth_contact_commit; create.h has the steps of a body.

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "contact/contact.h"
#include "contact/create.h"
#include "math/math.h"
#include "shape/gap.h"
#include "shape/solid_shape.h"

static const double PI = 3.141592653589793;

enum { MEMORY_MAX = 1 << 24 };  // pairs of pieces: 2 GB

BerthContactDef berth_default_contact_def(void) {
    return (BerthContactDef){.method = BERTH_CONTACT_OVERLAP,
                             .sides = 32,
                             .points = 4,
                             .capacity = 4096,
                             .memory = true,
                             .coulomb = true,
                             .pieces = 512,
                             .material = {1e4, 50.0, 5.0, 0.5, 1e7},
                             .driven = -1,
                             .gravity = {0.0, 0.0, -9.81},
                             .stamp = BI_DEF_STAMP};
}

BerthContactLab berth_default_contact_lab(void) {
    return (BerthContactLab){.levels = -1};
}

static BerthContactLab lab_of(const BerthContactDef* def) {
    return def->lab != NULL ? *def->lab : berth_default_contact_lab();
}

BerthContactBodyDef berth_default_contact_body_def(void) {
    return (BerthContactBodyDef){
        .world_from_body = pose_identity(), .octree_levels = -2, .stamp = BI_DEF_STAMP};
}

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "contact: out of memory");
}

static BerthStatus check_material(const BerthMaterial* m) {
    const double numbers[] = {m->stiffness, m->damping, m->viscosity, m->friction, m->foundation};
    static const char* const words[] = {"stiffness", "damping", "viscosity", "friction", "foundation"};
    for (int i = 0; i < 5; ++i) {
        if (!(numbers[i] >= 0.0 && isfinite(numbers[i]))) {
            return bi_fail(BERTH_ERR_ARGUMENT, "contact: %s is %g, must be finite and >= 0", words[i],
                           numbers[i]);
        }
    }
    return BERTH_OK;
}

BerthMaterial bi_contact_whole_material(const BerthMaterial* material) {
    BerthMaterial m = *material;
    m.foundation = m.foundation > 0.0 ? m.foundation : m.stiffness / BERTH_MATERIAL_PATCH;
    m.stiffness = m.stiffness > 0.0 ? m.stiffness : m.foundation * BERTH_MATERIAL_PATCH;
    return m;
}

static BerthStatus check_contact_def(const BerthContactDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: start from berth_default_contact_def()");
    }

    const int32_t levels = lab_of(def).levels;
    if ((unsigned)def->method >= BERTH_CONTACT_METHOD_COUNT || levels < -1 ||
        levels > BALL_OCTREE_LEVEL_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: method %d, levels %d; levels are -1 to %d",
                       (int)def->method, (int)levels, BALL_OCTREE_LEVEL_MAX);
    }
    if (def->sides < 3 || def->sides > 256 || def->points < 0 || def->capacity < 1 ||
        def->capacity > 1 << 24 || def->pieces < 1 || def->pieces > 1 << 16) {
        return bi_fail(
            BERTH_ERR_ARGUMENT,
            "contact: sides %d (3 to 256), points %d (>= 0), capacity %d (1 to 16777216), pieces %d (1 to "
            "65536)",
            (int)def->sides, (int)def->points, (int)def->capacity, (int)def->pieces);
    }
    if (!v3_finite(def->gravity)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: gravity is not finite");
    }
    return check_material(&def->material);
}

BerthStatus berth_contact_create(const BerthContactDef* def, BerthContactWorld** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: no place for the result");
    }

    *out = NULL;
    const BerthStatus status = check_contact_def(def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator allocator = bi_allocator_or_default(&def->allocator);
    BerthContactWorld* world = bi_take(&allocator, 1, sizeof *world);
    if (world == NULL) {
        return no_memory();
    }

    world->def = *def;
    world->def.material = bi_contact_whole_material(&def->material);
    world->lab = lab_of(def);
    world->def.allocator = allocator;
    bi_arena_init(&world->arena, &allocator, 0);
    *out = world;
    return BERTH_OK;
}

void berth_contact_destroy(BerthContactWorld* world) {
    if (world == NULL) {
        return;
    }
    for (int32_t i = 0; i < world->piece_count; ++i) {
        bi_polytope_free(&world->pieces[i].polytope);
        berth_hull_destroy(world->pieces[i].copy);
    }

    berth_tree_query_destroy(world->query);
    const BerthAllocator allocator = world->def.allocator;
    bi_arena_free(&world->arena);
    bi_give(&allocator, world, 1, sizeof *world);
}

// ---- pieces --------------------------------------------------------------------------------------------------

BerthStatus bi_contact_piece_from_points(BerthContactWorld* world, const Vec3* points, int32_t count,
                                         double outside, int32_t levels, Piece* out) {
    bool flat = false;
    BerthStatus status = bi_polytope_create(points, count, &world->arena, &out->polytope, &flat);
    if (status != BERTH_OK) {
        return status;
    }

    out->body_from_shape = pose_identity();
    if (flat) {
        out->kind = PIECE_FLAT;
        status = berth_hull_create(points, count, &world->arena.allocator, &out->copy);
        if (status == BERTH_OK) {
            out->shape = (BerthShape){.kind = BERTH_HULL, .as.hull = {out->copy}};
            bi_shape_ball(&out->shape, &out->centre, &out->ball);
            out->ball += outside;
        }
        return status;
    }

    out->kind = PIECE_POLYTOPE;
    out->shape = (BerthShape){.kind = BERTH_HULL, .as.hull = {out->polytope.hull}};
    out->centre = out->polytope.centre;
    out->outside = outside + out->polytope.hull->outside;
    out->ball = out->polytope.radius + out->outside;
    return bi_polytope_add_octree(&out->polytope, levels, world->lab.homogeneous, &world->arena);
}

static BerthStatus make_posed_polytope(BerthContactWorld* world, const Vec3* points, int32_t count,
                                       const Pose* pose, double outside, int32_t levels, Piece* out) {
    Vec3* posed = bi_take(&world->arena.allocator, (size_t)count, sizeof *posed);
    if (posed == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; i < count; ++i) {
        posed[i] = pose_apply(pose, points[i]);
    }

    const BerthStatus status = bi_contact_piece_from_points(world, posed, count, outside, levels, out);
    bi_give(&world->arena.allocator, posed, (size_t)count, sizeof *posed);
    return status;
}

static BerthStatus make_piece(BerthContactWorld* world, const BerthContactPiece* def, int32_t levels,
                              Piece* out) {
    const BerthShape* shape = &def->shape;
    const Pose* pose = &def->body_from_shape;

    *out = (Piece){.shape = *shape, .body_from_shape = *pose};
    Vec3 corners[2 * 256];
    const int32_t count = bi_shape_corners(shape, world->def.sides, corners);
    if (count > 0) {
        return make_posed_polytope(world, corners, count, pose, 0.0, levels, out);
    }

    switch (shape->kind) {
    case BERTH_HULL: {
        const BerthHull* hull = shape->as.hull.hull;
        return make_posed_polytope(world, hull->vertices, hull->vertex_count, pose, hull->outside, levels,
                                   out);
    }
    case BERTH_SPHERE:
    case BERTH_CAPSULE: {
        const bool capsule = shape->kind == BERTH_CAPSULE && shape->as.capsule.length > 0.0;
        const double half = capsule ? 0.5 * shape->as.capsule.length : 0.0;
        out->kind = PIECE_ROUND;
        out->core_count = capsule ? 2 : 1;
        out->core[0] = v3_mad(pose->t, -half, pose->z);
        out->core[1] = v3_mad(pose->t, half, pose->z);
        out->radius = shape->kind == BERTH_CAPSULE ? shape->as.capsule.radius : shape->as.sphere.radius;
        out->centre = pose->t;
        out->ball = (out->radius + half) * (1.0 + 4.0 * BI_ULP);
        return BERTH_OK;
    }
    case BERTH_HALFSPACE:
        out->kind = PIECE_HALFSPACE;
        out->normal = pose_turn(pose, shape->as.halfspace.normal);
        out->offset = shape->as.halfspace.offset + v3_dot(out->normal, pose->t);
        out->centre = v3_scale(out->normal, out->offset);
        out->ball = INFINITY;
        return BERTH_OK;
    default:
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: a shape of kind %d", (int)shape->kind);
    }
}

// ---- masses --------------------------------------------------------------------------------------------------

// Volume, centroid and inertia about it, density 1, of one piece.
static double piece_mass(const Piece* piece, Vec3* centroid, Vec3 inertia[3]) {
    const double r = piece->radius;
    *centroid = piece->centre;
    inertia[0] = inertia[1] = inertia[2] = v3(0.0, 0.0, 0.0);

    if (piece->kind == PIECE_POLYTOPE) {
        *centroid = piece->polytope.centroid;
        for (int i = 0; i < 3; ++i) {
            inertia[i] = piece->polytope.inertia[i];
        }
        return piece->polytope.volume;
    }
    if (piece->kind != PIECE_ROUND) {
        return 0.0;
    }

    return bi_round_mass(&piece->core[0], &piece->core[piece->core_count - 1], r, inertia);
}

static BerthStatus measure_mass(BerthContactWorld* world, Body* body) {
    double volume = 0.0;
    Vec3 first = v3(0.0, 0.0, 0.0);

    for (int32_t i = 0; i < body->piece_count; ++i) {
        Vec3 centroid, inertia[3];
        const double one = piece_mass(&world->pieces[body->first_piece + i], &centroid, inertia);
        volume += one;
        first = v3_mad(first, one, centroid);
    }

    body->centroid = volume > 0.0 ? v3_scale(first, 1.0 / volume) : world->pieces[body->first_piece].centre;
    if (body->motion != BERTH_BODY_FREE) {
        return BERTH_OK;
    }

    if (!(volume > 0.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: body '%s' has a mass but no volume", body->name);
    }

    for (int32_t i = 0; i < body->piece_count; ++i) {
        Vec3 centroid, inertia[3];
        const double one = piece_mass(&world->pieces[body->first_piece + i], &centroid, inertia);
        for (int k = 0; k < 3; ++k) {
            body->inertia[k] = v3_add(body->inertia[k], inertia[k]);
        }
        bi_inertia_move(body->inertia, one, v3_sub(centroid, body->centroid));
    }

    for (int k = 0; k < 3; ++k) {
        body->inertia[k] = v3_scale(body->inertia[k], body->mass / volume);
    }
    if (!bi_inertia_invert(body->inertia, body->inverse)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: body '%s' is too thin to turn", body->name);
    }
    return BERTH_OK;
}

static void bound_body(const BerthContactWorld* world, Body* body) {
    Vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
    bool endless = false;

    for (int32_t i = 0; i < body->piece_count; ++i) {
        const Piece* piece = &world->pieces[body->first_piece + i];
        endless = endless || !(piece->ball < INFINITY);
        const double ball = endless ? 0.0 : piece->ball;
        low = v3_min(low, v3_sub(piece->centre, v3(ball, ball, ball)));
        high = v3_max(high, v3_add(piece->centre, v3(ball, ball, ball)));
        body->extent = fmax(body->extent, v3_length(piece->centre) + ball);
    }

    body->centre = v3_scale(v3_add(low, high), 0.5);
    for (int32_t i = 0; i < body->piece_count && !endless; ++i) {
        const Piece* piece = &world->pieces[body->first_piece + i];
        const double reach = v3_distance(body->centre, piece->centre) + piece->ball;
        body->ball = fmax(body->ball, reach * (1.0 + 8.0 * BI_ULP));
    }

    body->ball = endless ? INFINITY : body->ball;
}

// ---- inner faces ---------------------------------------------------------------------------------------------

// A face is an inner one when, pulled in a little and moved out a little, all of it lies in one other piece.
static bool face_is_inner(const BerthContactWorld* world, const Body* body, int32_t own,
                          const PolyFace* face) {
    const Polytope* p = &world->pieces[body->first_piece + own].polytope;

    for (int32_t i = 0; i < body->piece_count; ++i) {
        const Piece* other = &world->pieces[body->first_piece + i];
        if (i == own || other->kind != PIECE_POLYTOPE || other->hulled) {
            continue;
        }

        const double step = 1e-6 * other->ball;
        bool holds = true;
        for (int32_t k = 0; k < face->count && holds; ++k) {
            const Vec3 corner = p->vertices[p->corners[face->first + k].vertex];
            const Vec3 at = v3_mad(v3_lerp(corner, face->centre, 1e-3), step, face->normal);
            int32_t ignored = 0;
            holds = polytope_height(&other->polytope, at, &ignored) < -0.1 * step;
        }

        if (holds) {
            return true;
        }
    }
    return false;
}

static void mark_lone_pieces(BerthContactWorld* world, const Body* body) {
    for (int32_t i = 0; i < body->piece_count; ++i) {
        Piece* piece = &world->pieces[body->first_piece + i];

        piece->alone = true;
        for (int32_t k = 0; k < body->piece_count && piece->alone; ++k) {
            const Piece* other = &world->pieces[body->first_piece + k];
            piece->alone = k == i || v3_distance(piece->centre, other->centre) > piece->ball + other->ball;
        }
    }
}

static void mark_inner_faces(BerthContactWorld* world, const Body* body) {
    for (int32_t i = 0; i < body->piece_count && body->piece_count > 1; ++i) {
        Piece* piece = &world->pieces[body->first_piece + i];
        for (int32_t f = 0; piece->kind == PIECE_POLYTOPE && f < piece->polytope.face_count; ++f) {
            PolyFace* face = &piece->polytope.faces[f];
            face->inner = face_is_inner(world, body, i, face);
            piece->polytope.has_inner = piece->polytope.has_inner || face->inner;
        }
    }
}

// ---- bodies --------------------------------------------------------------------------------------------------

static BerthStatus check_body_def(const BerthContactWorld* world, const BerthContactBodyDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: start from berth_default_contact_body_def()");
    }

    const char* name = def->name != NULL ? def->name : "";
    if (world->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: body '%s' comes after commit", name);
    }
    if (def->piece_count < 0 || (def->piece_count > 0 && def->pieces == NULL)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: body '%s' has no pieces", name);
    }
    if ((unsigned)def->motion > BERTH_BODY_FREE || def->octree_levels < -2 ||
        def->octree_levels > BALL_OCTREE_LEVEL_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: body '%s': motion %d, levels %d", name, (int)def->motion,
                       (int)def->octree_levels);
    }

    if (def->motion == BERTH_BODY_FREE && !(def->mass > 0.0 && isfinite(def->mass))) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: body '%s': mass is %g kg, must be > 0 to be moved", name,
                       def->mass);
    }
    return BERTH_OK;
}

Piece* bi_contact_new_piece(BerthContactWorld* world, Body* body) {
    Piece* pieces = bi_arena_grow(&world->arena, world->pieces, (size_t)world->piece_count,
                                  (size_t)world->piece_count + 1, &world->piece_capacity, sizeof *pieces);
    if (pieces == NULL) {
        return NULL;
    }

    world->pieces = pieces;
    Piece* piece = &pieces[world->piece_count++];
    *piece = (Piece){.kind = PIECE_FLAT};
    ++body->piece_count;
    return piece;
}

BerthStatus bi_contact_begin_body(BerthContactWorld* world, const BerthContactBodyDef* def, Body* out) {
    const BerthStatus status = check_body_def(world, def);
    if (status != BERTH_OK) {
        return status;
    }

    const char* name = def->name != NULL ? def->name : "";
    *out = (Body){.name = bi_arena_copy_text(&world->arena, name, strlen(name)),
                  .motion = def->motion,
                  .first_piece = world->piece_count,
                  .first_solid = world->solid_count,
                  .levels = def->octree_levels == -2 ? world->lab.levels : def->octree_levels,
                  .mass = def->mass,
                  .frame = -1,
                  .world_from_body = def->world_from_body};
    return out->name != NULL ? BERTH_OK : no_memory();
}

BerthStatus bi_contact_end_body(BerthContactWorld* world, Body* body) {
    if (body->piece_count == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: body '%s' has no pieces", body->name);
    }

    BerthStatus status = bi_contact_tidy_union(world, body);
    if (status == BERTH_OK) {
        status = bi_contact_part_round(world, body);
    }
    if (status != BERTH_OK) {
        return status;
    }

    bound_body(world, body);
    if (body->motion == BERTH_BODY_FREE && !(body->ball < INFINITY)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: body '%s' is a half-space and cannot be free",
                       body->name);
    }

    status = measure_mass(world, body);
    if (status != BERTH_OK) {
        return status;
    }

    mark_lone_pieces(world, body);
    mark_inner_faces(world, body);
    status = bi_contact_find_covers(world, body);
    if (status != BERTH_OK) {
        return status;
    }
    Body* bodies = bi_arena_grow(&world->arena, world->bodies, (size_t)world->body_count,
                                 (size_t)world->body_count + 1, &world->body_capacity, sizeof *bodies);
    if (bodies == NULL) {
        return no_memory();
    }

    world->bodies = bodies;
    bodies[world->body_count++] = *body;

    const Pose pose = body->world_from_body;
    status = berth_contact_move(world, world->body_count - 1, &pose, NULL, NULL);
    if (status != BERTH_OK) {
        return bi_fail(status, "contact: body '%s': its pose is no rotation, or not finite", body->name);
    }
    return BERTH_OK;
}

BerthStatus bi_contact_add_piece(BerthContactWorld* world, Body* body, const BerthContactPiece* def) {
    if (body->piece_count >= 1 << 16) {
        return bi_fail(BERTH_ERR_UNSUPPORTED, "contact: body '%s' has more than 65536 pieces", body->name);
    }

    Piece* piece = bi_contact_new_piece(world, body);
    if (piece == NULL) {
        return no_memory();
    }
    return make_piece(world, def, body->levels, piece);
}

BerthStatus berth_contact_add_body(BerthContactWorld* world, const BerthContactBodyDef* def, int32_t* index) {
    if (world == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: no world");
    }

    Body body;
    BerthStatus status = bi_contact_begin_body(world, def, &body);
    for (int32_t i = 0; status == BERTH_OK && i < def->piece_count; ++i) {
        status = bi_contact_add_piece(world, &body, &def->pieces[i]);
    }
    if (status == BERTH_OK) {
        status = bi_contact_end_body(world, &body);
    }

    if (status == BERTH_OK && index != NULL) {
        *index = world->body_count - 1;
    }
    return status;
}

static BerthStatus add_pair_rule(BerthContactWorld* world, const PairRule* rule) {
    if (world == NULL || world->committed || rule->a < 0 || rule->b < 0 || rule->a == rule->b ||
        rule->a >= world->body_count || rule->b >= world->body_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: no pair of bodies %d and %d before commit", (int)rule->a,
                       (int)rule->b);
    }

    PairRule* rules = bi_arena_grow(&world->arena, world->links, (size_t)world->link_count,
                                    (size_t)world->link_count + 1, &world->link_capacity, sizeof *rules);
    if (rules == NULL) {
        return no_memory();
    }

    world->links = rules;
    rules[world->link_count++] = *rule;
    return BERTH_OK;
}

BerthStatus berth_contact_ignore(BerthContactWorld* world, int32_t body_a, int32_t body_b) {
    return add_pair_rule(world, &(PairRule){.a = body_a, .b = body_b, .ignored = true});
}

BerthStatus berth_contact_set_pair_material(BerthContactWorld* world, int32_t body_a, int32_t body_b,
                                            const BerthMaterial* material) {
    if (material == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: no material");
    }
    const BerthStatus status = check_material(material);
    if (status != BERTH_OK) {
        return status;
    }
    return add_pair_rule(
        world, &(PairRule){.a = body_a, .b = body_b, .material = bi_contact_whole_material(material)});
}

// ---- commit --------------------------------------------------------------------------------------------------

// Pairs in order, and what rules say about them: first which are ignored, then materials.
static BerthStatus make_pairs(BerthContactWorld* world) {
    const size_t count = (size_t)world->body_count, square = count * count;
    // Of each pair of bodies: -1 when it is ignored, 1 + its place among the pairs, or 0.
    int32_t* place = bi_take(&world->arena.allocator, square + 1, sizeof *place);
    if (place == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; i < world->link_count; ++i) {
        const PairRule* rule = &world->links[i];
        const size_t low = (size_t)(rule->a < rule->b ? rule->a : rule->b);
        const size_t high = (size_t)(rule->a < rule->b ? rule->b : rule->a);
        place[low * count + high] = rule->ignored ? -1 : place[low * count + high];
    }

    // Count first, then fill what was taken for them.
    for (int pass = 0; pass < 2; ++pass) {
        world->pair_count = 0;
        int64_t memories = 0;
        for (size_t at = 0; at < square; ++at) {
            const int32_t a = (int32_t)(at / count), b = (int32_t)(at % count);
            const Body *body_a = &world->bodies[a], *body_b = &world->bodies[b];
            const bool fixed = body_a->motion == BERTH_BODY_FIXED && body_b->motion == BERTH_BODY_FIXED;
            const bool endless = !(body_a->ball < INFINITY) && !(body_b->ball < INFINITY);
            if (a >= b || place[at] < 0 || fixed || endless) {
                continue;
            }

            if (pass == 1) {
                world->pairs[world->pair_count] =
                    (BodyPair){a, b, (int32_t)memories, world->def.material, 0.0};
                place[at] = world->pair_count + 1;
            }
            ++world->pair_count;
            memories += (int64_t)body_a->piece_count * body_b->piece_count;
        }

        if (memories > MEMORY_MAX) {
            bi_give(&world->arena.allocator, place, square + 1, sizeof *place);
            return bi_fail(BERTH_ERR_UNSUPPORTED,
                           "contact: %lld pairs of convex pieces, at most %d are taken", (long long)memories,
                           MEMORY_MAX);
        }

        world->memory_count = (int32_t)memories;
        if (pass == 0) {
            world->pairs = bi_arena_take(&world->arena, (size_t)world->pair_count + 1, sizeof *world->pairs);
            world->unknown =
                bi_arena_take(&world->arena, (size_t)world->pair_count + 1, sizeof *world->unknown);
            if (world->pairs == NULL || world->unknown == NULL) {
                break;
            }
        }
    }

    for (int32_t i = 0; world->pairs != NULL && i < world->link_count; ++i) {
        const PairRule* rule = &world->links[i];
        const size_t low = (size_t)(rule->a < rule->b ? rule->a : rule->b);
        const size_t high = (size_t)(rule->a < rule->b ? rule->b : rule->a);
        if (!rule->ignored && place[low * count + high] > 0) {
            world->pairs[place[low * count + high] - 1].material = rule->material;
        }
    }

    bi_give(&world->arena.allocator, place, square + 1, sizeof *place);
    if (world->pairs == NULL || world->unknown == NULL) {
        return no_memory();
    }
    return BERTH_OK;
}

static BerthStatus take_cycle_memory(BerthContactWorld* world) {
    Arena* arena = &world->arena;
    int32_t corners = 0, edges = 0;

    for (int32_t i = 0; i < world->piece_count; ++i) {
        const Polytope* p = &world->pieces[i].polytope;
        edges = p->edge_count > edges ? p->edge_count : edges;
        corners = p->corner_most > corners ? p->corner_most : corners;
        world->face_most = p->face_count > world->face_most ? p->face_count : world->face_most;
        world->vertex_most = p->vertex_count > world->vertex_most ? p->vertex_count : world->vertex_most;
    }

    // Each side of a convex face adds at most one corner to what it clips.
    world->clip_capacity = 2 * corners + 2;
    // A vertex a face, or an edge a few edges: elemental contacts can be many.
    world->found_capacity = 4 * world->vertex_most + world->clip_capacity + 64;

    const size_t capacity = (size_t)world->def.capacity;
    world->memories = bi_arena_take(arena, (size_t)world->memory_count + 1, sizeof *world->memories);
    world->contacts = bi_arena_take(arena, capacity, sizeof *world->contacts);
    world->before = bi_arena_take(arena, capacity, sizeof *world->before);
    world->probes = bi_arena_take(arena, capacity, sizeof *world->probes);
    world->wrenches = bi_arena_take(arena, (size_t)world->body_count + 1, sizeof *world->wrenches);
    world->found = bi_arena_take(arena, (size_t)world->found_capacity, sizeof *world->found);
    bool good = world->memories != NULL && world->contacts != NULL && world->before != NULL &&
                world->probes != NULL && world->wrenches != NULL && world->found != NULL;

    // As many overlaps as the pair of bodies with most pairs of pieces may have, and one to write into.
    int64_t most = 0;
    for (int32_t i = 0; i < world->pair_count; ++i) {
        const int64_t here = (int64_t)world->bodies[world->pairs[i].a].piece_count *
                             world->bodies[world->pairs[i].b].piece_count;
        most = here > most ? here : most;
    }
    world->overlaps = bi_arena_take(arena, (size_t)most + 1, sizeof *world->overlaps);
    world->saved = bi_arena_take(arena, (size_t)world->body_count + 1, sizeof *world->saved);
    world->sticks = bi_arena_take(arena, (size_t)world->pair_count + 1, sizeof *world->sticks);
    good = good && world->overlaps != NULL && world->saved != NULL && world->sticks != NULL;

    // Each plane adds at most one corner to a polygon, and each side of a covering face as well.
    const size_t sides = 2 * (size_t)corners + 3 * (size_t)world->face_most + 2 * (size_t)world->cut_most + 8;
    world->polygon_room = bi_slice_room((int32_t)sides);
    world->slice_planes = bi_arena_take(arena, sides, sizeof *world->slice_planes);
    world->slice_edges =
        bi_arena_take(arena, 2 * (size_t)(3 * edges + corners) + 1, sizeof *world->slice_edges);
    good = good && world->slice_planes != NULL && world->slice_edges != NULL;
    for (int i = 0; i < 2; ++i) {
        world->planes[i] = bi_arena_take(arena, (size_t)world->face_most + 1, sizeof *world->planes[i]);
        world->polygon[i] = bi_arena_take(arena, (size_t)world->polygon_room, sizeof *world->polygon[i]);
        good = good && world->planes[i] != NULL && world->polygon[i] != NULL;
    }

    for (int i = 0; i < 2; ++i) {
        world->clip[i] = bi_arena_take(arena, (size_t)world->clip_capacity, sizeof *world->clip[i]);
        world->face_seen[i] = bi_arena_take(arena, (size_t)world->face_most + 1, sizeof *world->face_seen[i]);
        world->vertex_seen[i] =
            bi_arena_take(arena, (size_t)world->vertex_most + 1, sizeof *world->vertex_seen[i]);
        world->out_side[i] = bi_arena_take(arena, (size_t)world->vertex_most + 1, sizeof *world->out_side[i]);
        world->near_edges[i] = bi_arena_take(arena, (size_t)edges + 1, sizeof *world->near_edges[i]);
        good = good && world->out_side[i] != NULL && world->near_edges[i] != NULL;
        good = good && world->clip[i] != NULL && world->face_seen[i] != NULL && world->vertex_seen[i] != NULL;
    }

    return good ? BERTH_OK : no_memory();
}

// ---- how fast springs swing ----------------------------------------------------------------------------------------

// No plane cuts more out of the body than this: half of the surface of its pieces. Infinite for half-spaces.
static double largest_section(const BerthContactWorld* world, const Body* body) {
    double area = 0.0;
    for (int32_t i = 0; i < body->piece_count; ++i) {
        const Piece* piece = &world->pieces[body->first_piece + i];
        const Polytope* p = &piece->polytope;
        if (piece->kind == PIECE_HALFSPACE || piece->kind == PIECE_SOLID) {
            return INFINITY;
        }
        if (piece->kind != PIECE_POLYTOPE) {
            area += PI * piece->ball * piece->ball;
        }

        for (int32_t f = 0; piece->kind == PIECE_POLYTOPE && f < p->face_count; ++f) {
            const Vec3 origin = p->vertices[p->corners[p->faces[f].first].vertex];
            for (int32_t k = 1; k + 1 < p->faces[f].count; ++k) {
                const PolyCorner* c = &p->corners[p->faces[f].first + k];
                const Vec3 one = v3_sub(p->vertices[c[0].vertex], origin),
                           two = v3_sub(p->vertices[c[1].vertex], origin);
                area += 0.25 * v3_length(v3_cross(one, two));
            }
        }
    }
    return area;
}

static int32_t count_kind(const BerthContactWorld* world, const Body* body, PieceKind kind) {
    int32_t count = 0;
    for (int32_t i = 0; i < body->piece_count; ++i) {
        count += world->pieces[body->first_piece + i].kind == kind;
    }
    return count;
}

// Most that a newton at a point of the body accelerates the point: by the mass, and by the lever and the least inertia.
static double body_lightness(const Body* body) {
    if (body->motion != BERTH_BODY_FREE) {
        return 0.0;
    }
    const double lever = v3_distance(body->centre, body->centroid) + body->ball;
    double turning = 0.0;
    for (int i = 0; i < 3; ++i) {
        const Vec3 row = v3_abs(body->inverse[i]);
        turning = fmax(turning, row.x + row.y + row.z);
    }
    return 1.0 / body->mass + lever * lever * turning;
}

// An upper bound of the angular frequency of any two bodies: stiffness times lightness. docs/theory/contact.md derives it.
static void bound_springs(BerthContactWorld* world) {
    const double points = world->def.points > 0 ? world->def.points : 4 * world->vertex_most + 4;
    for (int32_t i = 0; i < world->pair_count; ++i) {
        BodyPair* pair = &world->pairs[i];
        const Body *a = &world->bodies[pair->a], *b = &world->bodies[pair->b];
        pair->lightness = body_lightness(a) + body_lightness(b);

        double stiffness = points * pair->material.stiffness;
        if (world->def.method == BERTH_CONTACT_OVERLAP) {
            const double section = fmin(largest_section(world, a), largest_section(world, b));
            const bool flat = count_kind(world, a, PIECE_FLAT) + count_kind(world, b, PIECE_FLAT) > 0;
            const double bed = section < INFINITY ? section * pair->material.foundation : stiffness;
            stiffness = flat ? stiffness + bed : bed;  // flat pieces keep the law by points
        }
        world->fastest = fmax(world->fastest, sqrt(stiffness * pair->lightness));
    }
}

// Where the law of the overlap is not what it says.
static BerthStatus assume_of_overlap(BerthContactWorld* world) {
    char text[200];
    int32_t flat = 0;
    for (int32_t i = 0; i < world->body_count; ++i) {
        flat += count_kind(world, &world->bodies[i], PIECE_FLAT);
    }

    BerthStatus status = BERTH_OK;
    if (flat > 0) {
        (void)snprintf(
            text, sizeof text,
            "%d flat parts have no volume: their forces are `stiffness` times the depth of one point",
            (int)flat);
        status = bi_contact_assume(world, "law_by_points", text, flat);
    }
    // Cuts between the parts of a body are not made where these meet round ones of others.
    int32_t round = 0, capsules = 0;
    for (int32_t i = 0; i < world->body_count; ++i) {
        round += count_kind(world, &world->bodies[i], PIECE_ROUND) > 0;
    }
    for (int32_t i = 0; i < world->piece_count; ++i) {
        capsules += world->pieces[i].core_count == 2;
    }
    const int32_t more = world->double_round + (capsules > 0 ? world->double_ball : 0);
    world->double_count += round > 1 ? more : 0;
    if (status == BERTH_OK && world->double_count > 0) {
        (void)snprintf(
            text, sizeof text,
            "%d pairs of parts of one body overlap, and what they have in common counts for each: forces "
            "there are upper values",
            (int)world->double_count);
        status = bi_contact_assume(world, "counted_twice", text, world->double_count);
    }
    return status;
}

BerthStatus berth_contact_commit(BerthContactWorld* world) {
    if (world == NULL || world->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "contact: no world, or committed already");
    }
    if (world->body_count > 8192) {
        return bi_fail(BERTH_ERR_UNSUPPORTED, "contact: %d bodies, at most 8192 are taken",
                       (int)world->body_count);
    }

    BerthStatus status = make_pairs(world);
    if (status == BERTH_OK) {
        status = take_cycle_memory(world);
    }
    if (status == BERTH_OK && world->def.method == BERTH_CONTACT_OVERLAP) {
        status = assume_of_overlap(world);
    }
    if (status == BERTH_OK) {
        bound_springs(world);
    }
    world->committed = status == BERTH_OK;
    return status;
}
