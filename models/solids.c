// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Bars, rings, sheets and patches: the obstacles of the models.

#include "math/math.h"
#include "models/surface.h"

static const double TURN = 6.283185307179586;

void bi_surface_add_bar(Surface* s, BerthVec3 centre, BerthVec3 size) {
    int v[8];
    for (int i = 0; i < 8; ++i) {
        v[i] = bi_surface_add_vertex(
            s, v3(centre.x + (i & 1 ? size.x : -size.x) / 2, centre.y + (i & 2 ? size.y : -size.y) / 2,
                  centre.z + (i & 4 ? size.z : -size.z) / 2));
    }
    bi_surface_add_quad(s, v[0], v[2], v[3], v[1]);
    bi_surface_add_quad(s, v[4], v[5], v[7], v[6]);
    bi_surface_add_quad(s, v[0], v[1], v[5], v[4]);
    bi_surface_add_quad(s, v[2], v[6], v[7], v[3]);
    bi_surface_add_quad(s, v[0], v[4], v[6], v[2]);
    bi_surface_add_quad(s, v[1], v[3], v[7], v[5]);
}

void bi_surface_add_torus(Surface* s, double ring, double tube, int ring_sides, int tube_sides) {
    const int first = s->vertex_count;
    for (int i = 0; i < ring_sides; ++i) {
        double ring_sine = 0.0, ring_cosine = 0.0;
        bi_sincos(TURN * i / ring_sides, &ring_sine, &ring_cosine);
        for (int k = 0; k < tube_sides; ++k) {
            double sine = 0.0, cosine = 0.0;
            bi_sincos(TURN * k / tube_sides, &sine, &cosine);
            const double radius = ring + tube * cosine;
            bi_surface_add_vertex(s, v3(radius * ring_cosine, radius * ring_sine, tube * sine));
        }
    }
    for (int i = 0; i < ring_sides; ++i) {
        const int here = first + i * tube_sides, there = first + (i + 1) % ring_sides * tube_sides;
        for (int k = 0; k < tube_sides; ++k) {
            const int next = (k + 1) % tube_sides;
            bi_surface_add_quad(s, here + k, there + k, there + next, here + next);
        }
    }
}

static Vec3 sheet_point(const Sheet* sheet, double u, double v) {
    const Vec3 low = v3_add(v3_scale(sheet->corners[0], 1 - u), v3_scale(sheet->corners[1], u));
    const Vec3 high = v3_add(v3_scale(sheet->corners[3], 1 - u), v3_scale(sheet->corners[2], u));
    const Vec3 flat = v3_add(v3_scale(low, 1 - v), v3_scale(high, v));
    return v3_add(flat, v3_scale(sheet->bulge, 16 * u * (1 - u) * v * (1 - v)));
}

// One side of a sheet: (u + 1) * (v + 1) vertices. Returns the first.
static int add_sheet_points(Surface* s, const Sheet* sheet, int u, int v, Vec3 offset) {
    const int first = s->vertex_count;
    for (int j = 0; j <= v; ++j) {
        for (int i = 0; i <= u; ++i) {
            const Vec3 p = sheet_point(sheet, (double)i / u, (double)j / v);
            bi_surface_add_vertex(s, v3_add(p, offset));
        }
    }
    return first;
}

void bi_surface_add_sheet(Surface* s, const Sheet* sheet, int u, int v) {
    const int outer = add_sheet_points(s, sheet, u, v, v3(0, 0, 0));
    const int inner = add_sheet_points(s, sheet, u, v, sheet->thickness);
    const int row = u + 1, top = v * row;
    for (int j = 0; j < v; ++j) {
        for (int i = 0; i < u; ++i) {
            const int o = outer + j * row + i, n = inner + j * row + i;
            bi_surface_add_quad(s, o, o + 1, o + row + 1, o + row);
            bi_surface_add_quad(s, n, n + row, n + row + 1, n + 1);
        }
        const int low = j * row, high = low + row;
        bi_surface_add_quad(s, outer + low, outer + high, inner + high, inner + low);
        bi_surface_add_quad(s, outer + low + u, inner + low + u, inner + high + u, outer + high + u);
    }
    for (int i = 0; i < u; ++i) {
        bi_surface_add_quad(s, outer + i, inner + i, inner + i + 1, outer + i + 1);
        bi_surface_add_quad(s, outer + top + i, outer + top + i + 1, inner + top + i + 1, inner + top + i);
    }
}

// Points of a grid on a box: the same numbers on both faces at an edge, since all come from the same expression.
typedef struct Grid {
    Vec3 centre, size;
    int steps;
} Grid;

static Vec3 grid_point(const Grid* g, const int at[3]) {
    return v3(g->centre.x + g->size.x * (2 * at[0] - g->steps) / (2 * g->steps),
              g->centre.y + g->size.y * (2 * at[1] - g->steps) / (2 * g->steps),
              g->centre.z + g->size.z * (2 * at[2] - g->steps) / (2 * g->steps));
}

// The face across `axis`, open, with 2 * steps^2 triangles and then refined to `triangles`, which puts no new point
// on its edges. Returns its first vertex; they go row by row.
static int add_grid_face(Surface* s, const Grid* g, int axis, bool positive, int triangles) {
    const int u = (axis + (positive ? 1 : 2)) % 3, v = (axis + (positive ? 2 : 1)) % 3;
    const int vertex = s->vertex_count, first = s->triangle_count, row = g->steps + 1;
    int at[3] = {0};
    at[axis] = positive ? g->steps : 0;
    for (at[v] = 0; at[v] <= g->steps; ++at[v]) {
        for (at[u] = 0; at[u] <= g->steps; ++at[u]) {
            bi_surface_add_vertex(s, grid_point(g, at));
        }
    }
    for (int j = 0; j < g->steps; ++j) {
        for (int i = 0; i < g->steps; ++i) {
            const int o = vertex + j * row + i;
            bi_surface_add_quad(s, o, o + 1, o + row + 1, o + row);
        }
    }
    bi_surface_refine(s, first, first + triangles);
    return vertex;
}

void bi_surface_add_faceted_box(Surface* s, BerthVec3 centre, BerthVec3 size, int steps, int face_triangles) {
    const Grid grid = {centre, size, steps};
    for (int axis = 0; axis < 3; ++axis) {
        add_grid_face(s, &grid, axis, false, face_triangles);
        add_grid_face(s, &grid, axis, true, face_triangles);
    }
}

void bi_surface_add_floor(Surface* s, double size, double depth, int steps, int triangles) {
    const Grid grid = {v3(0, 0, 0), v3(size, size, 0), steps};
    const int row = steps + 1, corner = steps * row;
    const int top = add_grid_face(s, &grid, 2, true, triangles - 4 * steps);
    const int below = bi_surface_add_vertex(s, v3(0, 0, -depth));
    for (int i = 0; i < steps; ++i) {
        bi_surface_add_triangle(s, top + i + 1, top + i, below);
        bi_surface_add_triangle(s, top + corner + i, top + corner + i + 1, below);
        bi_surface_add_triangle(s, top + i * row, top + (i + 1) * row, below);
        bi_surface_add_triangle(s, top + (i + 1) * row + steps, top + i * row + steps, below);
    }
}
