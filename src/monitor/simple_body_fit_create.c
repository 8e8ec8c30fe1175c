// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How well simple bodies cover one body of a scene, measured anew: for inspection, not for the monitor
// itself.
// Entry: berth_simple_body_fit, at the end.

#include "math/math.h"
#include "mesh/mesh.h"
#include "monitor/monitor.h"
#include "shape/gap.h"
#include "shape/hull.h"

static const double pi = 3.14159265358979323846;

/// What is gathered about one body.
typedef struct BodyFit {
    const BerthScene* scene;
    int32_t body;
    const BerthMonitorDef* def;
    BerthAllocator from;
    BerthSimpleBody* bodies;  ///< the caller's, of `capacity`
    int32_t capacity;
    MeshEnclosure* pieces;
    Vec3* points;  ///< of the body, in its frame: their hull is its hull, or a little larger for round shapes
    int32_t point_count, point_capacity;
    bool endless;  ///< it has a half-space
    BerthSimpleBodyFit out;
} BodyFit;

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
    BodyFit* fit = user;
    fit->point_count += ball.radius > 0.0 ? 8 : 1;
}

// A ball as the corners of the cube around it: their hull contains it.
static void take_point(void* user, Ball ball) {
    BodyFit* fit = user;
    const int corners = ball.radius > 0.0 ? 8 : 1;
    for (int k = 0; k < corners && fit->point_count < fit->point_capacity; ++k) {
        const double r = ball.radius;
        fit->points[fit->point_count++] =
            v3_add(ball.centre, v3(k & 1 ? r : -r, k & 2 ? r : -r, k & 4 ? r : -r));
    }
}

static void visit_points(BodyFit* fit, ShapePoint* take) {
    const SceneBody* body = &fit->scene->bodies[fit->body];
    fit->point_count = 0;
    for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
        const ScenePart* part = &fit->scene->parts[p];
        if (!part->solid->is_mesh) {
            fit->endless = fit->endless || part->solid->shape.kind == BERTH_HALFSPACE;
            bi_shape_each_enclosing_point(&part->solid->shape, &part->frame_from_part, take, fit);
            continue;
        }
        for (int32_t i = 0; i < part->solid->mesh->info.vertex_count; ++i) {
            take(fit, (Ball){pose_apply(&part->frame_from_part, part->solid->mesh->vertices[i]), 0.0});
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

static BerthStatus fit_parts(BodyFit* fit) {
    const SceneBody* body = &fit->scene->bodies[fit->body];
    fit->out.covered = true;

    for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
        const ScenePart* part = &fit->scene->parts[p];
        const BerthStatus status =
            bi_simple_body_fit_part(fit->scene, fit->body, p, fit->def, &fit->from, fit->pieces);
        if (status != BERTH_OK) {
            return status;
        }

        fit->out.covered = fit->out.covered &&
                           (!part->solid->is_mesh || vertices_are_inside(part->solid->mesh, fit->pieces));

        for (int32_t i = 0; i < fit->pieces->count; ++i) {
            fit->out.volume += shape_volume(&fit->pieces->shapes[i]);
            if (fit->out.count < fit->capacity) {
                const Pose pose = pose_mul(&part->frame_from_part, &fit->pieces->poses[i]);
                fit->bodies[fit->out.count] =
                    (BerthSimpleBody){.body = fit->body, .shape = fit->pieces->shapes[i], .pose = pose};
            }
            fit->out.count += 1;
        }
    }
    return BERTH_OK;
}

// How far a posed shape reaches beyond the hull. The distance to a convex body is convex, so it is largest at the corners;
// and a ball reaches no further than its centre and its radius.
typedef struct Protrusion {
    const BerthShape* hull;
    double most;
} Protrusion;

static void note_protrusion(void* user, Ball ball) {
    Protrusion* beyond = user;
    const BerthShape dot = {.kind = BERTH_SPHERE, .as.sphere.radius = 0.0};
    Pose at = pose_identity();
    at.t = ball.centre;
    const double out = bi_shape_gap(beyond->hull, &dot, &at, (double)INFINITY).upper + ball.radius;
    beyond->most = out > beyond->most ? out : beyond->most;
}

static BerthStatus measure_hull(BodyFit* fit) {
    fit->out.hull_volume = (double)NAN;
    fit->out.protrusion = (double)NAN;

    const SceneBody* body = &fit->scene->bodies[fit->body];
    const BerthSolid* only = body->part_count == 1 ? fit->scene->parts[body->first_part].solid : NULL;

    visit_points(fit, count_point);
    if (fit->endless || fit->point_count == 0) {
        return BERTH_OK;
    }

    if (only != NULL && !only->is_mesh) {
        fit->out.hull_volume = fit->out.volume;  // it is convex, and its own simple body
        fit->out.protrusion = 0.0;
        return BERTH_OK;
    }

    // The hull of its points.
    const size_t room = (size_t)fit->point_count;
    fit->points = bi_take(&fit->from, room, sizeof *fit->points);
    if (fit->points == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor fit: out of memory");
    }
    fit->point_capacity = fit->point_count;
    visit_points(fit, take_point);

    BerthHull* hull = NULL;
    const BerthStatus status = berth_hull_create(fit->points, fit->point_count, &fit->from, &hull);
    bi_give(&fit->from, fit->points, room, sizeof *fit->points);
    if (status != BERTH_OK) {
        return status;
    }

    // And how far the simple bodies reach beyond it.
    fit->out.hull_volume = hull_volume(hull);
    const BerthShape shape = {.kind = BERTH_HULL, .as.hull.hull = hull};
    Protrusion beyond = {.hull = &shape};
    const int32_t shown = fit->out.count < fit->capacity ? fit->out.count : fit->capacity;
    for (int32_t i = 0; i < shown; ++i) {
        bi_shape_each_enclosing_point(&fit->bodies[i].shape, &fit->bodies[i].pose, note_protrusion, &beyond);
    }

    fit->out.protrusion = beyond.most;
    berth_hull_destroy(hull);
    return BERTH_OK;
}

BerthStatus berth_simple_body_fit(const BerthScene* scene, int32_t body, const BerthMonitorDef* def,
                                  BerthSimpleBody* bodies, int32_t capacity, BerthSimpleBodyFit* out) {
    *out = (BerthSimpleBodyFit){0};
    if (def == NULL || def->stamp != BI_DEF_STAMP || def->capsules < 1 || def->boxes < 1) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor fit: start from berth_default_monitor_def()");
    }

    if (body < 0 || body >= berth_scene_body_count(scene)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "monitor fit: there is no body %d", body);
    }

    BodyFit fit = {.scene = scene,
                   .body = body,
                   .def = def,
                   .from = bi_allocator_or_default(&def->allocator),
                   .bodies = bodies,
                   .capacity = capacity};

    fit.pieces = bi_take(&fit.from, 1, sizeof *fit.pieces);
    if (fit.pieces == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "monitor fit: out of memory");
    }

    BerthStatus status = fit_parts(&fit);
    if (status == BERTH_OK) {
        status = measure_hull(&fit);
    }

    bi_give(&fit.from, fit.pieces, 1, sizeof *fit.pieces);
    if (status == BERTH_OK) {
        *out = fit.out;
    }
    return status;
}
