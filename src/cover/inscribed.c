// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls inside bodies: whatever touches one touches the body. A ball is inside a closed part when its centre
// certainly is and no surface of the part is within its radius. Centres are chosen where the body is deep and
// where there is no ball yet.
// Entry: bi_cover_inscribed.

#include <float.h>
#include <string.h>

#include "cover/cover.h"
#include "mesh/mesh_build.h"

enum { POINTS = 64, CELLS = 1500 };

// Depths are computed with errors of this share of the body's size.
#define DEPTH_SLACK 1e-9

static bool never_stop(void* user) {
    (void)user;
    return false;
}

// Inside by a ray whose every crossing is certain; a point that no ray is certain about is not.
static bool surely_inside(const BerthMesh* mesh, Vec3 p) {
    for (int32_t ray = 0; ray < BI_RAY_COUNT; ++ray) {
        RayCount count = {0, true};
        for (int32_t i = 0; i < mesh->info.triangle_count && count.sure; ++i) {
            Vec3 t[3];
            mesh_triangle(mesh, i, t);
            bi_ray_add_crossings(p, ray, t, &count);
        }
        if (count.sure) {
            return count.winding != 0;
        }
    }
    return false;
}

// The radius of a ball around the point that is inside one closed part; 0 for none. A mesh around a convex shape reaches at
// most `excess` beyond it, so a ball in the mesh that is smaller by that is in the shape.
static double proven_radius(const CoverBody* body, Vec3 p) {
    double best = 0.0;
    for (int32_t i = 0; i < body->part_count; ++i) {
        const CoverPart* part = &body->parts[i];
        const Vec3 at = pose_apply_back(&part->body_from_solid, p);
        if (!part->closed || part->solid->cells != NULL || part->solid->is_cloud) {
            continue;
        }
        const double away = bi_cover_surface_distance(part->solid, at, DBL_MAX, NULL);
        const double radius =
            away - part->excess - 2.0 * (body->slack + part->slack) - DEPTH_SLACK * body->diagonal;
        if (radius > best && surely_inside(part->solid->mesh, at)) {
            best = radius;
        }
    }
    return best;
}

// Half of how wide the part of the ball is that is outside of each of the others.
static double width_outside(Ball ball, const Ball* others, int32_t count) {
    double width = ball.radius;
    for (int32_t i = 0; i < count; ++i) {
        const double apart = v3_distance(ball.centre, others[i].centre);
        width = fmin(width, 0.5 * (apart + ball.radius - others[i].radius));
    }
    return width;
}

// The place that adds most, by its depth; -1 when none adds anything.
static int32_t best_place(const CoverPlaces* places, const Ball* balls, int32_t count, double least) {
    int32_t best = -1;
    double most = least;
    for (size_t i = 0; i < places->count; ++i) {
        if (places->depth[i] > most) {
            const double width = width_outside((Ball){places->at[i], places->depth[i]}, balls, count);
            if (width > most) {
                most = width;
                best = (int32_t)i;
            }
        }
    }
    return best;
}

// What was found before is counted as taken.
static void fill_body(const CoverBody* body, CoverFit* fit, int32_t most, Ball* balls, int32_t* count) {
    while (*count < most) {
        const int32_t place = best_place(&fit->places, balls, *count, body->radius_min);
        if (place < 0) {
            return;
        }

        const Ball ball = {fit->places.at[place], proven_radius(body, fit->places.at[place])};
        fit->places.depth[place] = 0.0;  // not a second time
        if (ball.radius > body->radius_min) {
            balls[(*count)++] = ball;
        }
    }
}

static bool is_solid(const CoverPiece* piece) {
    const BerthSolid* solid = piece->solid;
    return solid->closed && (solid->is_mesh ? !solid_is_empty(solid) && solid->cells == NULL
                                            : solid->shape.kind != BERTH_HALFSPACE);
}

static BerthStatus inscribe_in_body(const CoverPiece* pieces, int32_t count, const BerthAllocator* from,
                                    int32_t most, Ball* balls, int32_t* ball_count) {
    CoverBody* body = NULL;
    BerthStatus status = bi_cover_body_create(pieces, count, BERTH_METRIC_L2, from, &body);
    if (status == BERTH_ERR_CAPACITY) {
        return BERTH_OK;  // too large to be looked at
    }

    CoverFit fit;
    if (status == BERTH_OK) {
        status = bi_cover_start(body, POINTS, CELLS, 1, (CoverStop){never_stop, NULL}, &fit);
    }
    if (status == BERTH_OK) {
        fill_body(body, &fit, most, balls, ball_count);
    }
    bi_cover_body_destroy(body);
    return status;
}

BerthStatus bi_cover_inscribed(const CoverPiece* pieces, int32_t count, int32_t most,
                               const BerthAllocator* allocator, Ball* balls, int32_t* ball_count) {
    *ball_count = 0;
    const BerthAllocator from = bi_allocator_or_default(allocator);
    CoverPiece* others = bi_take(&from, (size_t)count, sizeof *others);
    if (others == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
    }

    // Spheres are themselves.
    int32_t other_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        const BerthSolid* solid = pieces[i].solid;
        if (!solid->is_mesh && solid->shape.kind == BERTH_SPHERE) {
            if (*ball_count < most) {
                balls[(*ball_count)++] = (Ball){pieces[i].body_from_solid.t, solid->shape.as.sphere.radius};
            }
        } else if (is_solid(&pieces[i])) {
            others[other_count++] = pieces[i];
        }
    }

    BerthStatus status = BERTH_OK;
    if (other_count > 0 && *ball_count < most) {
        status = inscribe_in_body(others, other_count, &from, most, balls, ball_count);
    }
    bi_give(&from, others, (size_t)count, sizeof *others);
    return status;
}
