// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A body for fitting: every solid as triangles in one frame. Shapes are replaced by a mesh around them, so
// that what covers the mesh covers the shape. The triangles are stored in blocks of neighbours, each with a
// box: a proof about a small region reads few.
// Entries: bi_cover_mesh_around, bi_cover_body_create.

#include <float.h>
#include <string.h>

#include "base/sort.h"
#include "cover/cover.h"
#include "math/morton.h"

enum { TURN_STEPS = 48, RING_STEPS = 12 };

// Relative room for rounding in corners of meshes around shapes.
#define AROUND_SLACK 1e-12
// Flat boxes get this share of their size as thickness, so that they are closed.
#define FLAT_SHARE 1e-4
// The skin of the smallest ball holds this many slacks, else no cube of the proof would ever fit into it.
#define SLACKS_IN_SKIN 64.0
// Balls smaller than this share of the body's size are of no use, and costly to prove.
#define RADIUS_SHARE 1e-4
#define RADIUS_LEAST 1e-9
// Cells of the curve along the body's diagonal: 16 bits each way.
#define CELLS_ACROSS 65535.0

typedef struct Outline {
    Vec3 corners[2 + (RING_STEPS + 2) * TURN_STEPS];
    int32_t triangles[3 * 2 * (RING_STEPS + 3) * TURN_STEPS];
    int32_t corner_count, triangle_count;
} Outline;

static void add_triangle(Outline* outline, int32_t a, int32_t b, int32_t c) {
    int32_t* triangle = outline->triangles + 3 * outline->triangle_count++;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

// A body of revolution about z: rings from the bottom up, closed by a point at each end.
static void revolve(Outline* outline, double bottom, double top, const double* radius, const double* height,
                    int32_t rings) {
    outline->corners[0] = v3(0, 0, bottom);
    outline->corners[1] = v3(0, 0, top);
    outline->corner_count = 2;

    // The rings, one after the other.
    for (int32_t ring = 0; ring < rings; ++ring) {
        for (int32_t i = 0; i < TURN_STEPS; ++i) {
            double s, c;
            bi_sincos(2.0 * 3.14159265358979323846 * i / TURN_STEPS, &s, &c);
            outline->corners[outline->corner_count++] = v3(radius[ring] * c, radius[ring] * s, height[ring]);
        }
    }

    // A fan at each end, and two triangles for each side between neighbouring rings.
    for (int32_t i = 0; i < TURN_STEPS; ++i) {
        const int32_t next = (i + 1) % TURN_STEPS;
        const int32_t last = 2 + (rings - 1) * TURN_STEPS;
        add_triangle(outline, 0, 2 + next, 2 + i);
        add_triangle(outline, 1, last + i, last + next);
        for (int32_t ring = 0; ring + 1 < rings; ++ring) {
            const int32_t a = 2 + ring * TURN_STEPS;
            const int32_t b = a + TURN_STEPS;
            add_triangle(outline, a + i, a + next, b + next);
            add_triangle(outline, a + i, b + next, b + i);
        }
    }
}

// The smallest radius of corners on rings so that the flat faces between them stay outside of the round body.
static double circumscribed_radius(double radius) {
    double s, c;
    bi_sincos(3.14159265358979323846 / TURN_STEPS, &s, &c);
    return radius / c * (1.0 + AROUND_SLACK);
}

// Rings at equal angles. A face between two rings is nearest to the centre in its middle, where it is
// cos(turn step / 2) cos(ring step / 2) of the corners' distance away at least; the caps at the poles likewise.
static double around_capsule(Outline* outline, double radius, double length) {
    enum { HALF = RING_STEPS / 2 };
    double s, c, turn;
    bi_sincos(3.14159265358979323846 / TURN_STEPS, &s, &turn);
    bi_sincos(3.14159265358979323846 / (2 * RING_STEPS), &s, &c);
    const double wide = radius / (turn * c) * (1.0 + AROUND_SLACK);

    // The lower half with the equator, the equator again at the other end of a capsule, the upper half.
    double radii[RING_STEPS + 2], heights[RING_STEPS + 2];
    int32_t rings = 0;
    for (int32_t k = 1; k <= HALF; ++k) {
        bi_sincos(3.14159265358979323846 * k / RING_STEPS, &s, &c);
        radii[rings] = wide * s;
        heights[rings++] = -0.5 * length - wide * c;
    }
    if (length > 0.0) {
        radii[rings] = wide;
        heights[rings++] = 0.5 * length;
    }
    for (int32_t k = HALF - 1; k >= 1; --k) {
        bi_sincos(3.14159265358979323846 * k / RING_STEPS, &s, &c);
        radii[rings] = wide * s;
        heights[rings++] = 0.5 * length + wide * c;
    }

    revolve(outline, -0.5 * length - wide, 0.5 * length + wide, radii, heights, rings);
    return wide - radius;
}

static double around_box(Outline* outline, Vec3 half) {
    static const int32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    const double most = fmax(half.x, fmax(half.y, half.z));
    const double least = fmax(FLAT_SHARE * most, 1e-9);
    const Vec3 wide = v3_max(half, v3(least, least, least));

    for (int32_t i = 0; i < 8; ++i) {
        outline->corners[i] = v3((i & 1) != 0 ? wide.x : -wide.x, (i & 2) != 0 ? wide.y : -wide.y,
                                 (i & 4) != 0 ? wide.z : -wide.z);
    }
    outline->corner_count = 8;

    for (int32_t i = 0; i < 12; ++i) {
        add_triangle(outline, faces[i][0], faces[i][1], faces[i][2]);
    }
    return v3_distance(wide, half);
}

static double around_cylinder(Outline* outline, double radius, double length) {
    const double wide = circumscribed_radius(radius);
    revolve(outline, -0.5 * length, 0.5 * length, (double[]){wide, wide},
            (double[]){-0.5 * length, 0.5 * length}, 2);
    return wide - radius;
}

static double around_cone(Outline* outline, double radius, double length) {
    const double wide = circumscribed_radius(radius);
    revolve(outline, -0.5 * length, 0.5 * length, &wide, &(double){-0.5 * length}, 1);
    return wide - radius;
}

// Hulls have faces; flat ones get the box around them.
static BerthStatus around_hull(const BerthHull* hull, const BerthAllocator* allocator, BerthMesh** out,
                               double* excess) {
    *excess = hull->outside;
    if (hull->face_count > 0) {
        return berth_mesh_create(hull->vertices, hull->vertex_count, hull->faces, hull->face_count, allocator,
                                 out);
    }

    Vec3 low = hull->vertices[0], high = low;
    for (int32_t i = 1; i < hull->vertex_count; ++i) {
        low = v3_min(low, hull->vertices[i]);
        high = v3_max(high, hull->vertices[i]);
    }

    Outline outline = {.corner_count = 0};
    const Vec3 middle = v3_scale(v3_add(low, high), 0.5);
    const Vec3 half = v3_scale(v3_sub(high, low), 0.5 * (1.0 + AROUND_SLACK));
    *excess += around_box(&outline, half) + v3_length(half);

    for (int32_t i = 0; i < outline.corner_count; ++i) {
        outline.corners[i] = v3_add(outline.corners[i], middle);
    }
    return berth_mesh_create(outline.corners, outline.corner_count, outline.triangles, outline.triangle_count,
                             allocator, out);
}

BerthStatus bi_cover_mesh_around(const BerthShape* shape, const BerthAllocator* allocator, BerthMesh** out,
                                 double* excess) {
    Outline outline = {.corner_count = 0};
    *out = NULL;
    *excess = 0.0;

    switch (shape->kind) {
    case BERTH_SPHERE:
        *excess = around_capsule(&outline, fmax(shape->as.sphere.radius, 1e-9), 0.0);
        break;
    case BERTH_CAPSULE:
        *excess = around_capsule(&outline, shape->as.capsule.radius, shape->as.capsule.length);
        break;
    case BERTH_BOX:
        *excess = around_box(&outline, shape->as.box.half);
        break;
    case BERTH_CYLINDER:
        *excess = around_cylinder(&outline, shape->as.cylinder.radius, shape->as.cylinder.length);
        break;
    case BERTH_CONE:
        *excess = around_cone(&outline, shape->as.cone.radius, shape->as.cone.length);
        break;
    case BERTH_TRIANGLE:
        for (int32_t i = 0; i < 3; ++i) {
            outline.corners[outline.corner_count++] = shape->as.triangle.point[i];
        }
        add_triangle(&outline, 0, 1, 2);
        break;
    case BERTH_HULL:
        return around_hull(shape->as.hull.hull, allocator, out, excess);
    case BERTH_HALFSPACE:
    case BERTH_SHAPE_KIND_COUNT:
        return bi_fail(BERTH_ERR_UNSUPPORTED, "cover: no balls contain a half-space");
    }

    return berth_mesh_create(outline.corners, outline.corner_count, outline.triangles, outline.triangle_count,
                             allocator, out);
}

// ---- bodies --------------------------------------------------------------------------------------------------

static BerthStatus add_part(CoverBody* body, const CoverPiece* piece) {
    CoverPart* part = &body->parts[body->part_count];
    *part = (CoverPart){.solid = piece->solid, .body_from_solid = piece->body_from_solid};

    // A shape stands for itself by a mesh around it.
    if (!piece->solid->is_mesh) {
        BerthMesh* mesh = NULL;
        BerthStatus status =
            bi_cover_mesh_around(&piece->solid->shape, &body->allocator, &mesh, &part->excess);
        if (status == BERTH_OK) {
            status = berth_solid_from_mesh(mesh, &body->allocator, &part->owned);
        }
        if (status != BERTH_OK) {
            return status;
        }
        part->solid = part->owned;
    }

    body->part_count += 1;
    part->closed = part->solid->closed;
    // A hull's points may be outside of its faces; the rest is what turning and moving corners costs.
    part->slack = BI_DISTANCE_SLACK * (part->solid->extent + v3_length(part->body_from_solid.t)) +
                  (!piece->solid->is_mesh && piece->solid->shape.kind == BERTH_HULL
                       ? piece->solid->shape.as.hull.hull->outside
                       : 0.0);

    body->open_count += part->closed ? 0 : 1;
    body->triangle_count += part->solid->mesh->info.triangle_count;
    return BERTH_OK;
}

// ---- blocks of neighbouring triangles ------------------------------------------------------------------------

// Where a triangle's middle is along the curve of Morton.
static uint64_t curve_key(const CoverBody* body, const Triangle* triangle) {
    const Vec3* t = triangle->point;
    const Vec3 middle = v3_scale(v3_add(v3_add(t[0], t[1]), t[2]), 1.0 / 3.0);
    const double scale = body->diagonal > 0.0 ? CELLS_ACROSS / body->diagonal : 0.0;

    int32_t cell[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double along = (v3_at(middle, axis) - v3_at(body->low, axis)) * scale;
        cell[axis] = (int32_t)clamp(along, 0.0, CELLS_ACROSS);
    }
    return morton_code(3, cell);
}

static void box_blocks(CoverBody* body) {
    for (int32_t block = 0; block < body->block_count; ++block) {
        Vec3 low = v3(DBL_MAX, DBL_MAX, DBL_MAX), high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
        const int32_t end = (block + 1) * BI_COVER_BLOCK;
        for (int32_t i = block * BI_COVER_BLOCK; i < end && i < body->triangle_count; ++i) {
            for (int k = 0; k < 3; ++k) {
                low = v3_min(low, body->triangles[i].point[k]);
                high = v3_max(high, body->triangles[i].point[k]);
            }
        }
        body->block_low[block] = low;
        body->block_high[block] = high;
    }
}

// Sorts the triangles along the curve and boxes them in blocks.
static BerthStatus sort_triangles(CoverBody* body) {
    const size_t count = (size_t)body->triangle_count;
    body->block_count = (body->triangle_count + BI_COVER_BLOCK - 1) / BI_COVER_BLOCK;
    body->block_low = bi_arena_take(&body->arena, (size_t)body->block_count, sizeof *body->block_low);
    body->block_high = bi_arena_take(&body->arena, (size_t)body->block_count, sizeof *body->block_high);

    SortItem* items = bi_take(&body->allocator, 2 * count, sizeof *items);
    Triangle* triangles = bi_take(&body->allocator, count, sizeof *triangles);
    int32_t* part_of = bi_take(&body->allocator, count, sizeof *part_of);
    const bool taken = body->block_low != NULL && body->block_high != NULL && items != NULL &&
                       triangles != NULL && part_of != NULL;

    if (taken) {
        for (size_t i = 0; i < count; ++i) {
            items[i] = (SortItem){curve_key(body, &body->triangles[i]), (uint32_t)i};
        }
        bi_sort_items(items, items + count, count);

        for (size_t i = 0; i < count; ++i) {
            triangles[i] = body->triangles[items[i].index];
            part_of[i] = body->part_of[items[i].index];
        }
        memcpy(body->triangles, triangles, count * sizeof *triangles);
        memcpy(body->part_of, part_of, count * sizeof *part_of);
        box_blocks(body);
    }

    bi_give(&body->allocator, items, 2 * count, sizeof *items);
    bi_give(&body->allocator, triangles, count, sizeof *triangles);
    bi_give(&body->allocator, part_of, count, sizeof *part_of);
    return taken ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}

static BerthStatus fill_triangles(CoverBody* body) {
    body->triangles = bi_arena_take(&body->arena, (size_t)body->triangle_count, sizeof *body->triangles);
    body->part_of = bi_arena_take(&body->arena, (size_t)body->triangle_count, sizeof *body->part_of);
    if (body->triangles == NULL || body->part_of == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
    }

    body->low = v3(DBL_MAX, DBL_MAX, DBL_MAX);
    body->high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    int32_t at = 0;
    for (int32_t p = 0; p < body->part_count; ++p) {
        const BerthMesh* mesh = body->parts[p].solid->mesh;
        for (int32_t i = 0; i < mesh->info.triangle_count; ++i, ++at) {
            Vec3* corner = body->triangles[at].point;
            mesh_triangle(mesh, i, corner);
            for (int32_t k = 0; k < 3; ++k) {
                corner[k] = pose_apply(&body->parts[p].body_from_solid, corner[k]);
                body->low = v3_min(body->low, corner[k]);
                body->high = v3_max(body->high, corner[k]);
            }
            body->part_of[at] = p;
        }
        body->area += mesh->info.area;
    }

    body->diagonal = v3_distance(body->low, body->high);
    for (int32_t p = 0; p < body->part_count; ++p) {
        body->slack = fmax(body->slack, body->parts[p].slack);
    }
    body->slack += BI_DISTANCE_SLACK * (body->diagonal + v3_length(body->low) + v3_length(body->high));
    body->radius_min = fmax(SLACKS_IN_SKIN * body->slack / BI_COVER_SKIN, RADIUS_SHARE * body->diagonal);
    body->radius_min = fmax(body->radius_min, RADIUS_LEAST);
    return sort_triangles(body);
}

// A body of spheres only is its own cover.
static BerthStatus keep_own_spheres(CoverBody* body, const CoverPiece* pieces, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        if (pieces[i].solid->is_mesh || pieces[i].solid->shape.kind != BERTH_SPHERE) {
            return BERTH_OK;
        }
    }

    body->given = bi_arena_take(&body->arena, (size_t)count, sizeof *body->given);
    if (body->given == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
    }

    for (int32_t i = 0; i < count; ++i) {
        body->given[i] = (Ball){pieces[i].body_from_solid.t, pieces[i].solid->shape.as.sphere.radius};
    }

    body->given_count = count;
    return BERTH_OK;
}

BerthStatus bi_cover_body_create(const CoverPiece* pieces, int32_t count, BerthMetric metric,
                                 const BerthAllocator* allocator, CoverBody** out) {
    *out = NULL;
    if (count > BI_COVER_BALLS_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "cover: %d solids in one body, more than %d", (int)count,
                       (int)BI_COVER_BALLS_MAX);
    }

    const BerthAllocator from = bi_allocator_or_default(allocator);
    CoverBody* body = bi_take(&from, 1, sizeof *body);
    if (body == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
    }

    body->allocator = from;
    body->metric = metric;
    bi_arena_init(&body->arena, &from, 0);
    body->parts = bi_arena_take(&body->arena, (size_t)count, sizeof *body->parts);
    BerthStatus status = body->parts != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");

    for (int32_t i = 0; i < count && status == BERTH_OK; ++i) {
        status = add_part(body, &pieces[i]);
        if (status == BERTH_OK && body->triangle_count > BI_COVER_TRIANGLES_MAX) {
            status = bi_fail(BERTH_ERR_CAPACITY, "cover: more than %d triangles in one body",
                             (int)BI_COVER_TRIANGLES_MAX);
        }
    }

    // A ball is its own cover by balls, not by octahedra.
    if (status == BERTH_OK && metric == BERTH_METRIC_L2) {
        status = keep_own_spheres(body, pieces, count);
    }
    if (status == BERTH_OK) {
        status = fill_triangles(body);
    }

    if (status != BERTH_OK) {
        bi_cover_body_destroy(body);
        return status;
    }

    *out = body;
    return BERTH_OK;
}

void bi_cover_body_destroy(CoverBody* body) {
    if (body == NULL) {
        return;
    }
    for (int32_t i = 0; i < body->part_count; ++i) {
        berth_solid_destroy(body->parts[i].owned);
    }

    const BerthAllocator from = body->allocator;
    bi_arena_free(&body->arena);
    bi_give(&from, body, 1, sizeof *body);
}
