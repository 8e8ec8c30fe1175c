// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How well simple bodies cover one body of a scene, measured anew: for people, not for the guard itself.

#include "math/math.h"
#include "mesh/mesh.h"
#include "monitor/monitor.h"
#include "shape/gap.h"
#include "shape/hull.h"

static const double pi = 3.14159265358979323846;

/// What is gathered about one body.
typedef struct Cover {
    const BerthScene* scene;
    int32_t body;
    const BerthMonitorDef* def;
    BerthAllocator from;
    BerthGuardBody* bodies;  ///< the caller's, of `capacity`
    int32_t capacity;
    MeshEnclosure* pieces;
    Vec3* points;  ///< of the body, in its frame: their hull is its hull, or a little larger for round shapes
    int32_t point_count, point_capacity;
    bool endless;  ///< it has a half-space
    BerthGuardFit out;
} Cover;

static double hull_volume(const BerthHull* hull) {
    double sum = 0.0;
    for (int32_t i = 0; i < hull->face_count; ++i) {
        const Vec3 a = v3_sub(hull->vertices[hull->faces[3 * i]], hull->centre);
        const Vec3 b = v3_sub(hull->vertices[hull->faces[3 * i + 1]], hull->centre);
        const Vec3 c = v3_sub(hull->vertices[hull->faces[3 * i + 2]], hull->centre);
        sum += v3_dot(a, v3_cross(b, c)) / 6.0;
    }
    return sum;
}

static double shape_volume(const BerthShape* s) {
    switch (s->kind) {
    case BERTH_SPHERE:
        return 4.0 / 3.0 * pi * s->as.sphere.radius * s->as.sphere.radius * s->as.sphere.radius;
    case BERTH_CAPSULE:
        return pi * s->as.capsule.radius * s->as.capsule.radius *
               (s->as.capsule.length + 4.0 / 3.0 * s->as.capsule.radius);
    case BERTH_BOX:
        return 8.0 * s->as.box.half.x * s->as.box.half.y * s->as.box.half.z;
    case BERTH_CYLINDER:
        return pi * s->as.cylinder.radius * s->as.cylinder.radius * s->as.cylinder.length;
    case BERTH_CONE:
        return pi * s->as.cone.radius * s->as.cone.radius * s->as.cone.length / 3.0;
    case BERTH_HULL:
        return hull_volume(s->as.hull.hull);
    default:
        return 0.0;  // a triangle; a half-space has none that ends
    }
}

// ---- points ----------------------------------------------------------------------------------------------

static void count_point(void* user, Ball ball) {
    Cover* cover = user;
    cover->point_count += ball.radius > 0.0 ? 8 : 1;
}

// A ball as the corners of the cube around it: their hull contains it.
static void take_point(void* user, Ball ball) {
    Cover* cover = user;
    const int corners = ball.radius > 0.0 ? 8 : 1;
    for (int k = 0; k < corners && cover->point_count < cover->point_capacity; ++k) {
        const double r = ball.radius;
        cover->points[cover->point_count++] =
            v3_add(ball.centre, v3(k & 1 ? r : -r, k & 2 ? r : -r, k & 4 ? r : -r));
    }
}

static void each_point(Cover* cover, ShapePoint* take) {
    const SceneBody* body = &cover->scene->bodies[cover->body];
    cover->point_count = 0;
    for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
        const ScenePart* part = &cover->scene->parts[p];
        if (!part->solid->is_mesh) {
            cover->endless = cover->endless || part->solid->shape.kind == BERTH_HALFSPACE;
            bi_shape_each_point(&part->solid->shape, &part->frame_from_part, take, cover);
            continue;
        }
        for (int32_t i = 0; i < part->solid->mesh->info.vertex_count; ++i) {
            take(cover, (Ball){pose_apply(&part->frame_from_part, part->solid->mesh->vertices[i]), 0.0});
        }
    }
}

// ---- pieces ----------------------------------------------------------------------------------------------

// Every vertex of a mesh must be in one of its pieces: what was covered by construction is looked at once more.
static bool vertices_are_inside(const BerthMesh* mesh, const MeshEnclosure* pieces) {
    const BerthShape dot = {.kind = BERTH_SPHERE, .as.sphere.radius = 0.0};
    for (int32_t i = 0; i < mesh->info.vertex_count; ++i) {
        Pose at = pose_identity();
        at.t = mesh->vertices[i];
        bool inside = false;
        for (int32_t k = 0; k < pieces->count && !inside; ++k) {
            const Pose piece_from_dot = pose_between(&pieces->poses[k], &at);
            inside = bi_shape_gap(&pieces->shapes[k], &dot, &piece_from_dot, (double)INFINITY).upper <= 0.0;
        }
        if (!inside) {
            return false;
        }
    }
    return true;
}

static BerthStatus fit_parts(Cover* cover) {
    const SceneBody* body = &cover->scene->bodies[cover->body];
    cover->out.covered = true;
    for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
        const ScenePart* part = &cover->scene->parts[p];
        const BerthStatus status =
            bi_guard_fit_part(cover->scene, cover->body, p, cover->def, &cover->from, cover->pieces);
        if (status != BERTH_OK) {
            return status;
        }
        cover->out.covered = cover->out.covered &&
                             (!part->solid->is_mesh || vertices_are_inside(part->solid->mesh, cover->pieces));
        for (int32_t i = 0; i < cover->pieces->count; ++i) {
            cover->out.volume += shape_volume(&cover->pieces->shapes[i]);
            if (cover->out.count < cover->capacity) {
                const Pose pose = pose_mul(&part->frame_from_part, &cover->pieces->poses[i]);
                cover->bodies[cover->out.count] =
                    (BerthGuardBody){.body = cover->body, .shape = cover->pieces->shapes[i], .pose = pose};
            }
            cover->out.count += 1;
        }
    }
    return BERTH_OK;
}

// How far a posed shape reaches beyond the hull. The distance to a convex body is convex, so it is largest at the corners;
// and a ball reaches no further than its centre and its radius.
typedef struct Beyond {
    const BerthShape* hull;
    double most;
} Beyond;

static void reach_beyond(void* user, Ball ball) {
    Beyond* beyond = user;
    const BerthShape dot = {.kind = BERTH_SPHERE, .as.sphere.radius = 0.0};
    Pose at = pose_identity();
    at.t = ball.centre;
    const double out = bi_shape_gap(beyond->hull, &dot, &at, (double)INFINITY).upper + ball.radius;
    beyond->most = out > beyond->most ? out : beyond->most;
}

static BerthStatus measure_hull(Cover* cover) {
    cover->out.hull_volume = (double)NAN;
    cover->out.protrusion = (double)NAN;
    const SceneBody* body = &cover->scene->bodies[cover->body];
    const BerthSolid* only = body->part_count == 1 ? cover->scene->parts[body->first_part].solid : NULL;
    each_point(cover, count_point);
    if (cover->endless || cover->point_count == 0) {
        return BERTH_OK;
    }
    if (only != NULL && !only->is_mesh) {
        cover->out.hull_volume = cover->out.volume;  // it is convex, and guards itself
        cover->out.protrusion = 0.0;
        return BERTH_OK;
    }
    const size_t room = (size_t)cover->point_count;
    cover->points = bi_take(&cover->from, room, sizeof *cover->points);
    if (cover->points == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "guard fit: out of memory");
    }
    cover->point_capacity = cover->point_count;
    each_point(cover, take_point);
    BerthHull* hull = NULL;
    const BerthStatus status = berth_hull_create(cover->points, cover->point_count, &cover->from, &hull);
    bi_give(&cover->from, cover->points, room, sizeof *cover->points);
    if (status != BERTH_OK) {
        return status;
    }
    cover->out.hull_volume = hull_volume(hull);
    const BerthShape shape = {.kind = BERTH_HULL, .as.hull.hull = hull};
    Beyond beyond = {.hull = &shape};
    const int32_t shown = cover->out.count < cover->capacity ? cover->out.count : cover->capacity;
    for (int32_t i = 0; i < shown; ++i) {
        bi_shape_each_point(&cover->bodies[i].shape, &cover->bodies[i].pose, reach_beyond, &beyond);
    }
    cover->out.protrusion = beyond.most;
    berth_hull_destroy(hull);
    return BERTH_OK;
}

BerthStatus berth_guard_fit(const BerthScene* scene, int32_t body, const BerthMonitorDef* def,
                            BerthGuardBody* bodies, int32_t capacity, BerthGuardFit* out) {
    *out = (BerthGuardFit){0};
    if (def == NULL || def->stamp != BI_DEF_STAMP || def->capsules < 1 || def->boxes < 1) {
        return bi_fail(BERTH_ERR_ARGUMENT, "guard fit: start from berth_default_monitor_def()");
    }
    if (body < 0 || body >= berth_scene_body_count(scene)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "guard fit: there is no body %d", body);
    }
    Cover cover = {.scene = scene,
                   .body = body,
                   .def = def,
                   .from = bi_allocator_or_default(&def->allocator),
                   .bodies = bodies,
                   .capacity = capacity};
    cover.pieces = bi_take(&cover.from, 1, sizeof *cover.pieces);
    if (cover.pieces == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "guard fit: out of memory");
    }
    BerthStatus status = fit_parts(&cover);
    if (status == BERTH_OK) {
        status = measure_hull(&cover);
    }
    bi_give(&cover.from, cover.pieces, 1, sizeof *cover.pieces);
    if (status == BERTH_OK) {
        *out = cover.out;
    }
    return status;
}
