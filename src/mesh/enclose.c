// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A few capsules or boxes that together cover a mesh. Space is divided into cells. The part of a solid in a
// cell is inside the hull of its surface in the cell and of the cell's corners that are in the solid: an
// extreme point of the solid in the cell is on the surface, or it is a corner, since everywhere else a short
// line through it stays in both. So a body around those points covers it.
// Entry: bi_mesh_enclose.

#include <string.h>

#include "math/tolerance.h"
#include "mesh/enclose.h"
#include "mesh/mesh.h"
#include "shape/gap.h"
#include "shape/hull.h"

typedef struct Cell {
    Vec3 low, high;
    BerthShape shape;  // around what is in it
    Pose pose;
    double volume;
    bool empty;  // nothing is in it
} Cell;

typedef struct MeshFit {
    const BerthMesh* mesh;
    BerthShapeKind kind;
    const BerthAllocator* from;
    Vec3* points;  // of one cell
    Ball* balls;   // twice as many as points of one cell, at most
    int32_t capacity, count;
    double slack;  // more than clipping loses
} MeshFit;

static void set_axis(Vec3* v, int axis, double value) {
    if (axis == 0) {
        v->x = value;
    } else if (axis == 1) {
        v->y = value;
    } else {
        v->z = value;
    }
}

// Keeps the part of a polygon on one side of a plane across an axis. A convex polygon gains one corner at most.
static int clip_polygon(Vec3* polygon, int count, int axis, double at, double sign) {
    Vec3 out[16];
    int made = 0;
    for (int i = 0; i < count; ++i) {
        const Vec3 p = polygon[i];
        const Vec3 q = polygon[(i + 1) % count];
        const double dp = sign * (v3_at(p, axis) - at);
        const double dq = sign * (v3_at(q, axis) - at);

        if (dp <= 0.0) {
            out[made++] = p;
        }
        if ((dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0)) {
            Vec3 crossing = v3_lerp(p, q, dp / (dp - dq));
            set_axis(&crossing, axis, at);
            out[made++] = crossing;
        }
    }

    memcpy(polygon, out, (size_t)made * sizeof *out);
    return made;
}

static void add_point(MeshFit* fit, Vec3 p) {
    if (fit->count < fit->capacity) {
        fit->points[fit->count] = p;
    }
    fit->count += 1;
}

static void add_clipped_triangle(MeshFit* fit, const Cell* cell, int32_t index) {
    Vec3 polygon[16];
    mesh_triangle(fit->mesh, index, polygon);
    const Vec3 low = v3_min(v3_min(polygon[0], polygon[1]), polygon[2]);
    const Vec3 high = v3_max(v3_max(polygon[0], polygon[1]), polygon[2]);

    int count = 3;
    for (int axis = 0; axis < 3 && count > 0; ++axis) {
        if (v3_at(low, axis) > v3_at(cell->high, axis) || v3_at(high, axis) < v3_at(cell->low, axis)) {
            return;
        }
        if (v3_at(high, axis) > v3_at(cell->high, axis)) {
            count = clip_polygon(polygon, count, axis, v3_at(cell->high, axis), 1.0);
        }
        if (v3_at(low, axis) < v3_at(cell->low, axis)) {
            count = clip_polygon(polygon, count, axis, v3_at(cell->low, axis), -1.0);
        }
    }

    for (int i = 0; i < count; ++i) {
        add_point(fit, polygon[i]);
    }
}

static void add_solid_corners(MeshFit* fit, const Cell* cell) {
    for (int k = 0; k < 8 && fit->mesh->info.watertight; ++k) {
        const Vec3 corner = v3(k & 1 ? cell->high.x : cell->low.x, k & 2 ? cell->high.y : cell->low.y,
                               k & 4 ? cell->high.z : cell->low.z);
        if (bi_mesh_contains_slow(fit->mesh, corner)) {
            add_point(fit, corner);
        }
    }
}

// Many points give way to those of their hull, which is said to be larger by what qhull left outside.
static BerthStatus make_balls(MeshFit* fit, int32_t* count) {
    enum { FEW = 40 };
    *count = fit->count;
    if (fit->count <= FEW) {
        for (int32_t i = 0; i < fit->count; ++i) {
            fit->balls[i] = (Ball){fit->points[i], fit->slack};
        }
        return BERTH_OK;
    }

    BerthHull* hull = NULL;
    const BerthStatus status = berth_hull_create(fit->points, fit->count, fit->from, &hull);
    if (status == BERTH_OK) {
        for (int32_t i = 0; i < hull->vertex_count; ++i) {
            fit->balls[i] = (Ball){hull->vertices[i], hull->outside + fit->slack};
        }
        *count = hull->vertex_count;
    }

    berth_hull_destroy(hull);
    return status;
}

// The body around what is in the cell.
static BerthStatus fit_cell(MeshFit* fit, Cell* cell) {
    fit->count = 0;
    for (int32_t i = 0; i < fit->mesh->info.triangle_count; ++i) {
        add_clipped_triangle(fit, cell, i);
    }
    add_solid_corners(fit, cell);
    BI_ASSERT(fit->count <= fit->capacity);

    cell->volume = 0.0;
    cell->empty = fit->count == 0;
    if (cell->empty) {
        return BERTH_OK;
    }

    int32_t count = 0;
    const BerthStatus status = make_balls(fit, &count);
    if (status != BERTH_OK) {
        return status;
    }

    if (fit->kind == BERTH_BOX) {
        cell->shape = bi_box_around(fit->balls, count, &cell->pose);
        const Vec3 h = cell->shape.as.box.half;
        cell->volume = 8.0 * h.x * h.y * h.z;
        return BERTH_OK;
    }

    const Capsule capsule = bi_capsule_around(fit->balls, count, fit->balls + count);
    cell->shape = bi_capsule_shape(&capsule, &cell->pose);
    cell->volume = bi_capsule_volume(&capsule);
    return BERTH_OK;
}

// The best of three halves: across each axis, at the middle.
static BerthStatus find_best_halves(MeshFit* fit, const Cell* cell, Cell best[2], double* saved) {
    *saved = -INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        const double middle = 0.5 * (v3_at(cell->low, axis) + v3_at(cell->high, axis));
        Cell halves[2] = {*cell, *cell};
        set_axis(&halves[0].high, axis, middle);
        set_axis(&halves[1].low, axis, middle);

        for (int k = 0; k < 2; ++k) {
            const BerthStatus status = fit_cell(fit, &halves[k]);
            if (status != BERTH_OK) {
                return status;
            }
        }

        const double saved_here = cell->volume - halves[0].volume - halves[1].volume;
        if (saved_here > *saved) {
            *saved = saved_here;
            best[0] = halves[0];
            best[1] = halves[1];
        }
    }
    return BERTH_OK;
}

static BerthStatus cut_cells(MeshFit* fit, int32_t most, double gain, Cell* cells, int32_t* count) {
    bool tried[BI_MESH_PIECES_MAX] = {false};
    double whole = cells[0].volume;

    while (*count < most) {
        int32_t largest = -1;
        for (int32_t i = 0; i < *count; ++i) {
            if (!tried[i] && (largest < 0 || cells[i].volume > cells[largest].volume)) {
                largest = i;
            }
        }
        if (largest < 0) {
            return BERTH_OK;
        }

        Cell halves[2];
        double saved = 0.0;
        const BerthStatus status = find_best_halves(fit, &cells[largest], halves, &saved);
        if (status != BERTH_OK) {
            return status;
        }

        tried[largest] = true;
        if (saved > gain * whole) {
            cells[largest] = halves[0];
            cells[*count] = halves[1];
            tried[largest] = tried[*count] = false;
            *count += 1;
            whole -= saved;
        }
    }
    return BERTH_OK;
}

BerthStatus bi_mesh_enclose(const BerthMesh* mesh, BerthShapeKind kind, int32_t most, double gain,
                            const BerthAllocator* allocator, MeshEnclosure* out) {
    const BerthAllocator from = bi_allocator_or_default(allocator);
    const Vec3 size = v3_max(v3_abs(mesh->info.low), v3_abs(mesh->info.high));
    MeshFit fit = {.mesh = mesh,
                   .kind = kind,
                   .from = &from,
                   .capacity = 9 * mesh->info.triangle_count + 8,
                   .slack = BI_DISTANCE_SLACK * (size.x + size.y + size.z)};

    const size_t room = (size_t)fit.capacity;
    fit.points = bi_take(&from, room, sizeof *fit.points);
    fit.balls = bi_take(&from, 2 * room, sizeof *fit.balls);
    Cell* cells = bi_take(&from, BI_MESH_PIECES_MAX, sizeof *cells);
    BerthStatus status = BERTH_OK;
    if (fit.points == NULL || fit.balls == NULL || cells == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "fit of a mesh of %d triangles: out of memory",
                         mesh->info.triangle_count);
    }

    int32_t count = 1;
    if (status == BERTH_OK) {
        cells[0] = (Cell){.low = mesh->info.low, .high = mesh->info.high};
        status = fit_cell(&fit, &cells[0]);
    }
    if (status == BERTH_OK) {
        status = cut_cells(&fit, most < BI_MESH_PIECES_MAX ? most : BI_MESH_PIECES_MAX, gain, cells, &count);
    }

    *out = (MeshEnclosure){.count = 0};
    for (int32_t i = 0; status == BERTH_OK && i < count; ++i) {
        if (!cells[i].empty) {
            out->shapes[out->count] = cells[i].shape;
            out->poses[out->count] = cells[i].pose;
            out->count += 1;
            out->volume += cells[i].volume;
        }
    }

    bi_give(&from, fit.points, room, sizeof *fit.points);
    bi_give(&from, fit.balls, 2 * room, sizeof *fit.balls);
    bi_give(&from, cells, BI_MESH_PIECES_MAX, sizeof *cells);
    return status;
}
