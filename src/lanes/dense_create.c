// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Obstacles of many triangles (meshes, maps, clouds) as a grid that gives a lower and an upper bound of their
// distance by one lookup. Cells that the surface touches are found first, with tolerance; the others form
// regions that the surface does not enter, and one point of each decides whether it is inside. Then distances
// are propagated from these cells along one axis after the other. All of it is about whole cells, so nothing
// depends on how triangles lie in them.
// Entry: bi_lanes_make_dense.

#include <string.h>

#include "lanes/lanes.h"
#include "tree/solid.h"

enum {
    CELLS_LEAST = 4096,      // of a grid
    CELLS_OF_MAP = 1 << 18,  // whose triangles are large
    CELLS_MOST = 1 << 20,
    CELLS_A_TRIANGLE = 16,
    SPREAD = 16  // cells that distances are followed
};
/// Cells around the obstacle; not whole ones, so that cells' middles are on no axis that corners of it are on.
static const double RIM[3] = {1.37, 1.61, 1.83};
#define CELL_LEAST 1e-3  // metres
/// Farther than anything: no such point is known.
#define NOWHERE 1e15f

/// What a cell is.
typedef enum CellKind {
    CELL_UNKNOWN = 0,  // not touched by the surface, not looked at yet
    CELL_SURFACE,
    CELL_FREE,
    CELL_SOLID  // all of it is inside
} CellKind;

/// A grid in the making, in the obstacle's own axes.
typedef struct Dense {
    const BerthSolid* solid;
    Vec3 origin,
        from_middle;  // corner of the first cell: in the obstacle's frame, and from the middle of its box
    double cell;
    double slack;  // metres that double may be off by
    int32_t size[3];
    int32_t count;
    uint8_t* kinds;
    int32_t* stack;      // cells of a region that wait
    float *here, *next;  // squared distances, in cells
} Dense;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "lanes: out of memory");
}

static int32_t cell_at(const Dense* d, int32_t x, int32_t y, int32_t z) {
    return (x * d->size[1] + y) * d->size[2] + z;
}

static Vec3 middle_of(const Dense* d, int32_t x, int32_t y, int32_t z) {
    return v3_add(d->origin, v3((x + 0.5) * d->cell, (y + 0.5) * d->cell, (z + 0.5) * d->cell));
}

// ---- where it is ----------------------------------------------------------------------------------------------------

double bi_lanes_dense_cells(const BerthSolid* solid) {
    if (!solid->is_mesh) {
        return 0.0;
    }
    const double least = solid->cells != NULL ? CELLS_OF_MAP : CELLS_LEAST;
    return fmin(fmax((double)CELLS_A_TRIANGLE * solid->triangle_count, least), CELLS_MOST);
}

// As many cells as it may have, over the part of the box that balls get to: beyond it as far as distances are followed.
static bool lay_cells(Dense* d, Vec3 reach_centre, double reach) {
    const Vec3 low = d->solid->low, high = d->solid->high;
    const double wanted = bi_lanes_dense_cells(d->solid);
    double cell = CELL_LEAST;
    for (int round = 0; round < 400; ++round, cell *= 1.05) {
        const double beyond = reach + (SPREAD + 2) * cell;
        const Vec3 rim = v3(RIM[0] * cell, RIM[1] * cell, RIM[2] * cell);
        const Vec3 room = v3(beyond, beyond, beyond);
        const Vec3 from = v3_max(v3_sub(low, rim), v3_sub(reach_centre, room));
        const Vec3 to = v3_min(v3_add(high, rim), v3_add(reach_centre, room));
        const Vec3 size = v3_sub(to, from);
        if (!(size.x > 0.0 && size.y > 0.0 && size.z > 0.0)) {
            return false;  // nothing gets there
        }

        const double counts[3] = {ceil(size.x / cell), ceil(size.y / cell), ceil(size.z / cell)};
        if (counts[0] * counts[1] * counts[2] <= wanted) {
            d->cell = cell;
            d->origin = from;
            d->from_middle = v3_sub(from, v3_scale(v3_add(low, high), 0.5));
            d->count = (int32_t)(counts[0] * counts[1] * counts[2]);
            for (int k = 0; k < 3; ++k) {
                d->size[k] = (int32_t)counts[k];
            }
            d->slack = 1e-9 * (1.0 + d->solid->extent + v3_length(from));
            return true;
        }
    }
    return false;
}

// ---- what the surface touches ---------------------------------------------------------------------------------------

/// Cells first <= cell <= last on each axis.
typedef struct Block {
    int32_t first[3], last[3];
} Block;

// Is the triangle on one side of the box along this axis?
static bool is_apart_along(const Vec3 corner[3], Vec3 axis, Vec3 half) {
    const double room = half.x * fabs(axis.x) + half.y * fabs(axis.y) + half.z * fabs(axis.z);
    const double a = v3_dot(axis, corner[0]), b = v3_dot(axis, corner[1]), c = v3_dot(axis, corner[2]);
    return fmin(a, fmin(b, c)) > room || fmax(a, fmax(b, c)) < -room;
}

// The axes, the triangle's plane, and its sides across the axes.
static bool touches_box(const Triangle* t, Vec3 middle, Vec3 half) {
    const Vec3 corner[3] = {v3_sub(t->point[0], middle), v3_sub(t->point[1], middle),
                            v3_sub(t->point[2], middle)};
    const Vec3 sides[3] = {v3_sub(corner[1], corner[0]), v3_sub(corner[2], corner[1]),
                           v3_sub(corner[0], corner[2])};
    if (is_apart_along(corner, v3(1, 0, 0), half) || is_apart_along(corner, v3(0, 1, 0), half) ||
        is_apart_along(corner, v3(0, 0, 1), half) ||
        is_apart_along(corner, v3_cross(sides[0], sides[1]), half)) {
        return false;
    }

    for (int i = 0; i < 3; ++i) {
        if (is_apart_along(corner, v3(0, -sides[i].z, sides[i].y), half) ||
            is_apart_along(corner, v3(sides[i].z, 0, -sides[i].x), half) ||
            is_apart_along(corner, v3(-sides[i].y, sides[i].x, 0), half)) {
            return false;
        }
    }
    return true;
}

static bool touches_block(const Dense* d, const Triangle* t, const Block* block) {
    double middle[3], half[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = v3_at(d->origin, k) + 0.5 * (block->first[k] + block->last[k] + 1) * d->cell;
        half[k] = 0.5 * (block->last[k] - block->first[k] + 1) * d->cell + d->slack;
    }
    return touches_box(t, v3(middle[0], middle[1], middle[2]), v3(half[0], half[1], half[2]));
}

// Halves the block until the triangle does not touch it, or it is a cell.
static void mark_block(Dense* d, const Triangle* t, const Block* block) {
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (block->last[k] - block->first[k] > block->last[axis] - block->first[axis]) {
            axis = k;
        }
    }
    const int32_t cell = cell_at(d, block->first[0], block->first[1], block->first[2]);
    const bool single = block->last[axis] == block->first[axis];
    if ((single && d->kinds[cell] == CELL_SURFACE) || !touches_block(d, t, block)) {
        return;
    }
    if (single) {
        d->kinds[cell] = CELL_SURFACE;
        return;
    }

    Block low = *block, high = *block;
    low.last[axis] = (block->first[axis] + block->last[axis]) / 2;
    high.first[axis] = low.last[axis] + 1;
    mark_block(d, t, &low);
    mark_block(d, t, &high);
}

static void mark_triangle(Dense* d, const Triangle* t) {
    const Vec3 low = v3_min(t->point[0], v3_min(t->point[1], t->point[2]));
    const Vec3 high = v3_max(t->point[0], v3_max(t->point[1], t->point[2]));
    Block block;
    for (int k = 0; k < 3; ++k) {
        const double from = floor((v3_at(low, k) - d->slack - v3_at(d->origin, k)) / d->cell);
        const double to = floor((v3_at(high, k) + d->slack - v3_at(d->origin, k)) / d->cell);
        if (to < 0.0 || from > d->size[k] - 1.0) {
            return;
        }
        block.first[k] = (int32_t)fmax(from, 0.0);
        block.last[k] = (int32_t)fmin(to, d->size[k] - 1.0);
    }
    mark_block(d, t, &block);
}

// ---- what is inside -------------------------------------------------------------------------------------------------

// The surface does not enter the cells of a region, so all of it is inside, or none.
static void fill_region(Dense* d, int32_t start, CellKind kind) {
    int32_t count = 0;
    d->stack[count++] = start;
    d->kinds[start] = (uint8_t)kind;

    while (count > 0) {
        const int32_t at = d->stack[--count];
        const int32_t cell[3] = {at / d->size[2] / d->size[1], at / d->size[2] % d->size[1], at % d->size[2]};
        const int32_t step[3] = {d->size[1] * d->size[2], d->size[2], 1};
        for (int k = 0; k < 3; ++k) {
            if (cell[k] > 0 && d->kinds[at - step[k]] == CELL_UNKNOWN) {
                d->kinds[at - step[k]] = (uint8_t)kind;
                d->stack[count++] = at - step[k];
            }
            if (cell[k] < d->size[k] - 1 && d->kinds[at + step[k]] == CELL_UNKNOWN) {
                d->kinds[at + step[k]] = (uint8_t)kind;
                d->stack[count++] = at + step[k];
            }
        }
    }
}

static void sort_cells(Dense* d) {
    for (int32_t i = 0; i < d->solid->triangle_count; ++i) {
        mark_triangle(d, &d->solid->triangles[i]);
    }
    for (int32_t i = 0; i < d->count; ++i) {
        if (d->kinds[i] == CELL_UNKNOWN) {
            const Vec3 middle =
                middle_of(d, i / d->size[2] / d->size[1], i / d->size[2] % d->size[1], i % d->size[2]);
            const bool inside = d->solid->closed && bi_solid_contains(d->solid, middle);
            fill_region(d, i, inside ? CELL_SOLID : CELL_FREE);
        }
    }
}

// ---- distances ------------------------------------------------------------------------------------------------------

/// Which point of a cell the distance is to: the nearest, or the farthest.
typedef enum CellPoint { POINT_NEAREST, POINT_FARTHEST } CellPoint;

// From the middle of a cell to a cell `steps` away, along one axis, squared.
static float way_sq(int32_t steps, CellPoint point) {
    const float way = (float)steps + (point == POINT_NEAREST ? -0.5f : 0.5f);
    return way > 0.0f ? way * way : 0.0f;
}

// The least over a line of cells of what each has, and the way to it. Nothing is looked for beyond SPREAD.
static void spread_line(const float* from, float* to, int32_t count, int32_t step, CellPoint point) {
    for (int32_t i = 0; i < count; ++i) {
        float best = NOWHERE;
        for (int32_t k = 0; k <= SPREAD && way_sq(k, point) < best; ++k) {
            const float way = way_sq(k, point);
            if (i - k >= 0) {
                best = fminf(best, from[(ptrdiff_t)(i - k) * step] + way);
            }
            if (i + k < count) {
                best = fminf(best, from[(ptrdiff_t)(i + k) * step] + way);
            }
        }
        to[(ptrdiff_t)i * step] = best;
    }
}

// `here` gets the squared distance, in cells, to the nearest cell that is of one of the kinds.
static void spread(Dense* d, CellKind kind, CellKind or_kind, CellPoint point) {
    for (int32_t i = 0; i < d->count; ++i) {
        d->here[i] = d->kinds[i] == (uint8_t)kind || d->kinds[i] == (uint8_t)or_kind ? 0.0f : NOWHERE;
    }

    const int32_t step[3] = {d->size[1] * d->size[2], d->size[2], 1};
    for (int axis = 2; axis >= 0; --axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int32_t i = 0; i < d->size[u]; ++i) {
            for (int32_t k = 0; k < d->size[v]; ++k) {
                const ptrdiff_t first = (ptrdiff_t)i * step[u] + (ptrdiff_t)k * step[v];
                spread_line(d->here + first, d->next + first, d->size[axis], step[axis], point);
            }
        }
        float* swapped = d->here;
        d->here = d->next;
        d->next = swapped;
    }
}

// No point of the obstacle is nearer to the middle than this. What is not found is further than all that was looked at.
static void tell_least(const Dense* d, double lost, float* out) {
    for (int32_t i = 0; i < d->count; ++i) {
        const double found = fmin(sqrt((double)d->here[i]), SPREAD + 0.5);
        out[i] = bi_float_down(fmax(found * (1.0 - 1e-6) * d->cell - lost, 0.0));
    }
}

// Some point of it is not further than this.
static void tell_most(const Dense* d, double lost, float* out) {
    for (int32_t i = 0; i < d->count; ++i) {
        if (d->here[i] < NOWHERE) {
            out[i] = fminf(out[i], bi_float_up(sqrt((double)d->here[i]) * (1.0 + 1e-6) * d->cell + lost));
        }
    }
}

// What floats lose when a place is looked up: of its coordinates in cells, and of the distance.
static double look_slack(const Dense* d) {
    const int32_t longest = d->size[0] > d->size[1] ? d->size[0] : d->size[1];
    const double cells = (double)(longest > d->size[2] ? longest : d->size[2]) + SPREAD + 4.0;
    return 1e-6 + 2.0 * d->slack + 32.0 * LANES_U * cells * d->cell +
           8.0 * LANES_U * v3_length(d->from_middle);
}

static void measure(Dense* d, float* least, float* most) {
    const double lost = look_slack(d);
    spread(d, CELL_SURFACE, CELL_SOLID, POINT_NEAREST);
    tell_least(d, lost, least);

    // A solid cell is one to its nearest point; of one that the surface only touches, a point is somewhere.
    for (int32_t i = 0; i < d->count; ++i) {
        most[i] = NOWHERE;
    }
    spread(d, CELL_SURFACE, CELL_SURFACE, POINT_FARTHEST);
    tell_most(d, lost, most);
    spread(d, CELL_SOLID, CELL_SOLID, POINT_NEAREST);
    tell_most(d, lost, most);
}

// ---- a grid ---------------------------------------------------------------------------------------------------------

static void write_dense(const Dense* d, LaneDense* out) {
    for (int k = 0; k < 3; ++k) {
        out->origin[k] = (float)v3_at(d->from_middle, k);
        out->size[k] = d->size[k];
    }
    out->cell = (float)d->cell;
    out->inverse = 1.0f / out->cell;
}

BerthStatus bi_lanes_make_dense(LanesBuild* build, const BerthSolid* solid, const Pose* lane_from_solid,
                                LaneDense** out) {
    Dense d = {.solid = solid};
    *out = NULL;
    const Vec3 centre = pose_apply_back(lane_from_solid, v3(0, 0, 0));
    if (!lay_cells(&d, centre, build->lanes->reach)) {
        return BERTH_OK;
    }

    Arena scratch;
    bi_arena_init(&scratch, &build->lanes->allocator, 0);
    d.kinds = bi_arena_take(&scratch, (size_t)d.count, sizeof *d.kinds);
    d.stack = bi_arena_take(&scratch, (size_t)d.count, sizeof *d.stack);
    d.here = bi_arena_take(&scratch, (size_t)d.count, sizeof *d.here);
    d.next = bi_arena_take(&scratch, (size_t)d.count, sizeof *d.next);
    LaneDense* made = bi_arena_take(&build->lanes->arena, 1, sizeof *made);
    float* least = bi_arena_take(&build->lanes->arena, (size_t)d.count, sizeof *least);
    float* most = bi_arena_take(&build->lanes->arena, (size_t)d.count, sizeof *most);
    const bool room = d.kinds != NULL && d.stack != NULL && d.here != NULL && d.next != NULL &&
                      made != NULL && least != NULL && most != NULL;
    if (room) {
        sort_cells(&d);
        measure(&d, least, most);
        write_dense(&d, made);
        made->least = least;
        made->most = most;
        *out = made;
    }
    bi_arena_free(&scratch);
    return room ? BERTH_OK : no_memory();
}
