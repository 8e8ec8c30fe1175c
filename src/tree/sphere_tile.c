// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Divides bodies into pieces for sphere trees. A triangle is bisected across its longest edge until its
// pieces are not much longer than it is high, and no larger than the leaf size: one ball around a long
// triangle is mostly empty (errata 2.8). A round body is a point or a segment with a radius; any other shape
// is divided into cells of its box.
// Entry: bi_tree_sphere_tile.

#include "tree/sphere_tile.h"

#include "math/math.h"
#include "shape/gap.h"

// Halving the longest edge twice halves all edges: 12 halvings make pieces 1/64 as long, at most 4096 of them.
enum { HALVINGS_MAX = 12, CELLS_MAX = 4096, CELLS_A_SIDE = 64 };
#define FINEST (1.0 / 64.0)

// Corners of pieces are middles of middles: each rounds by u of the coordinates, 12 deep. Twice that, and the frame.
#define CORNER_SLACK (32.0 * BI_ULP)

typedef struct Tile {
    Vec3 p[3];
    int32_t halvings;
} Tile;

static int longest_edge(const Vec3 p[3], double* length_sq) {
    int longest = 0;
    *length_sq = -1.0;
    for (int k = 0; k < 3; ++k) {
        const double sq = v3_length_sq(v3_sub(p[(k + 1) % 3], p[k]));
        if (sq > *length_sq) {
            *length_sq = sq;
            longest = k;
        }
    }
    return longest;
}

// How long an edge of a piece of this triangle may be; all that says so grows with `coarse`.
static double edge_limit(const Vec3 p[3], double leaf_size, double aspect, double coarse) {
    double longest_sq;
    longest_edge(p, &longest_sq);
    const double longest = sqrt(longest_sq);
    const double area = v3_length(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
    const double by_shape = aspect * (longest > 0.0 ? area / longest : 0.0);
    return coarse * fmax(fmin(by_shape, 2.0 * leaf_size), FINEST * longest);
}

// Cuts one triangle; with `out` null the pieces are only counted.
static int32_t tile_triangle(const Vec3 p[3], double limit, Vec3* out) {
    Tile stack[HALVINGS_MAX + 2];
    int32_t waiting = 0;
    int32_t made = 0;

    stack[waiting++] = (Tile){{p[0], p[1], p[2]}, 0};
    while (waiting > 0) {
        const Tile tile = stack[--waiting];
        double longest_sq;
        const int k = longest_edge(tile.p, &longest_sq);

        if (!(longest_sq > limit * limit) || tile.halvings >= HALVINGS_MAX) {
            for (int i = 0; out != NULL && i < 3; ++i) {
                out[3 * (size_t)made + (size_t)i] = tile.p[i];
            }
            made += 1;
            continue;
        }

        const Vec3 a = tile.p[k];
        const Vec3 b = tile.p[(k + 1) % 3];
        const Vec3 c = tile.p[(k + 2) % 3];
        const Vec3 middle = v3_scale(v3_add(a, b), 0.5);

        stack[waiting++] = (Tile){{middle, b, c}, tile.halvings + 1};
        stack[waiting++] = (Tile){{a, middle, c}, tile.halvings + 1};
    }
    return made;
}

static void triangle_of(const BerthSolid* solid, int32_t index, Vec3 out[3]) {
    if (solid->is_mesh) {
        mesh_triangle(solid->mesh, index, out);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = solid->shape.as.triangle.point[k];
    }
}

static bool take_tiles(SphereTiles* tiles, int64_t count, int32_t stride, const BerthAllocator* allocator) {
    tiles->stride = stride;
    tiles->count = (int32_t)count;
    tiles->points = bi_take(allocator, (size_t)count * (size_t)stride, sizeof *tiles->points);
    tiles->sources = bi_take(allocator, (size_t)count, sizeof *tiles->sources);
    return tiles->points != NULL && tiles->sources != NULL;
}

static bool tile_triangles(const BerthSolid* solid, double leaf_size, double aspect,
                           const BerthAllocator* allocator, SphereTiles* out) {
    const int32_t triangles = solid->is_mesh ? solid->mesh->info.triangle_count : 1;
    const int64_t most = 4 * (int64_t)triangles + CELLS_MAX;
    double coarse = 1.0;
    int64_t count = most + 1;

    // Ends: once `coarse` is above 1 / FINEST no edge is too long, and there is one piece a triangle.
    for (int round = 0; round < 16 && count > most; ++round, coarse *= 1.5) {
        count = 0;
        for (int32_t i = 0; i < triangles && count <= most; ++i) {
            Vec3 p[3];
            triangle_of(solid, i, p);
            count += tile_triangle(p, edge_limit(p, leaf_size, aspect, coarse), NULL);
        }
    }

    BI_ASSERT(count <= most);
    coarse /= 1.5;

    if (!take_tiles(out, count, 3, allocator)) {
        return false;
    }

    int32_t used = 0;
    for (int32_t i = 0; i < triangles; ++i) {
        Vec3 p[3];
        triangle_of(solid, i, p);
        const double limit = edge_limit(p, leaf_size, aspect, coarse);
        const int32_t made = tile_triangle(p, limit, out->points + 3 * (size_t)used);

        for (int32_t k = 0; k < made; ++k) {
            out->sources[used + k] = i;
        }
        used += made;
    }

    BI_ASSERT(used == out->count);
    return true;
}

static bool tile_capsule(double half, double leaf_size, const BerthAllocator* allocator, SphereTiles* out) {
    const int32_t count = (int32_t)clamp(ceil(half / leaf_size), 1.0, (double)CELLS_A_SIDE);
    if (!take_tiles(out, count, 2, allocator)) {
        return false;
    }

    for (int32_t i = 0; i < count; ++i) {
        out->points[2 * i] = v3(0.0, 0.0, half * (2.0 * i / count - 1.0));
        out->points[2 * i + 1] = v3(0.0, 0.0, half * (2.0 * (i + 1) / count - 1.0));
    }
    return true;
}

/// A box cut into cells.
typedef struct Cells {
    Vec3 low, high;
    int32_t n[3];
} Cells;

static Cells cells_of(const BerthSolid* solid, double leaf_size) {
    Cells cells = {.low = solid->low, .high = solid->high};
    const Vec3 size = v3_sub(cells.high, cells.low);
    double edge = 2.0 * leaf_size / sqrt(3.0);

    for (int round = 0; round < 64; ++round, edge *= 1.25) {
        for (int axis = 0; axis < 3; ++axis) {
            cells.n[axis] = (int32_t)clamp(ceil(v3_at(size, axis) / edge), 1.0, (double)CELLS_A_SIDE);
        }
        if ((int64_t)cells.n[0] * cells.n[1] * cells.n[2] <= CELLS_MAX) {
            return cells;
        }
    }

    cells.n[0] = cells.n[1] = cells.n[2] = 1;
    return cells;
}

static double cell_side(const Cells* cells, int axis, int32_t i) {
    const double low = v3_at(cells->low, axis);
    const double high = v3_at(cells->high, axis);
    return i == cells->n[axis] ? high : low + (high - low) * i / cells->n[axis];
}

static void cell_corners(const Cells* cells, const int32_t at[3], Vec3 out[8]) {
    for (int k = 0; k < 8; ++k) {
        out[k] = v3(cell_side(cells, 0, at[0] + (k & 1)), cell_side(cells, 1, at[1] + (k >> 1 & 1)),
                    cell_side(cells, 2, at[2] + (k >> 2)));
    }
}

// False only when the cell is proven to have no point of the shape.
static bool cell_used(const BerthSolid* solid, const Vec3 corner[8], double slack) {
    const Vec3 centre = v3_scale(v3_add(corner[0], corner[7]), 0.5);
    const BerthShape ball = {.kind = BERTH_SPHERE,
                             .as.sphere.radius = 0.5 * v3_distance(corner[0], corner[7]) + slack};

    Pose at = pose_identity();
    at.t = centre;
    return !(bi_shape_gap(&solid->shape, &ball, &at, 0.0).lower > 0.0);
}

static bool tile_cells(const BerthSolid* solid, double leaf_size, const BerthAllocator* allocator,
                       SphereTiles* out) {
    const Cells cells = cells_of(solid, leaf_size);
    int32_t count = 0;

    for (int fill = 0; fill < 2; ++fill) {
        if (fill == 1 && !take_tiles(out, count, 8, allocator)) {
            return false;
        }

        count = 0;
        for (int32_t i = 0; i < cells.n[0] * cells.n[1] * cells.n[2]; ++i) {
            const int32_t at[3] = {i % cells.n[0], i / cells.n[0] % cells.n[1],
                                   i / (cells.n[0] * cells.n[1])};
            Vec3 corner[8];
            cell_corners(&cells, at, corner);

            if (cell_used(solid, corner, CORNER_SLACK * solid->extent)) {
                for (int k = 0; fill == 1 && k < 8; ++k) {
                    out->points[8 * count + k] = corner[k];
                }
                count += 1;
            }
        }
    }
    return true;
}

BerthStatus bi_tree_sphere_tile(const BerthSolid* solid, double leaf_size, double aspect,
                                const BerthAllocator* allocator, SphereTiles* out) {
    *out = (SphereTiles){.swell = CORNER_SLACK * solid->extent};
    bool enough;

    if (solid->is_mesh || solid->shape.kind == BERTH_TRIANGLE) {
        enough = tile_triangles(solid, leaf_size, aspect, allocator, out);
    } else if (solid->shape.kind == BERTH_SPHERE) {
        out->swell += solid->shape.as.sphere.radius;
        enough = take_tiles(out, 1, 1, allocator);
    } else if (solid->shape.kind == BERTH_CAPSULE) {
        out->swell += solid->shape.as.capsule.radius;
        enough = tile_capsule(0.5 * solid->shape.as.capsule.length, leaf_size, allocator, out);
    } else {
        enough = tile_cells(solid, leaf_size, allocator, out);
    }

    if (!enough) {
        bi_tree_sphere_tiles_free(out, allocator);
        return bi_fail(BERTH_ERR_MEMORY, "sphere tree of %d pieces: out of memory", out->count);
    }
    return BERTH_OK;
}

void bi_tree_sphere_tiles_free(SphereTiles* tiles, const BerthAllocator* allocator) {
    bi_give(allocator, tiles->points, (size_t)tiles->count * (size_t)tiles->stride, sizeof *tiles->points);
    bi_give(allocator, tiles->sources, (size_t)tiles->count, sizeof *tiles->sources);
    tiles->points = NULL;
    tiles->sources = NULL;
}
