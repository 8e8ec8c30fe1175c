// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Simple covers of points, from which a search starts and which it must never be worse than: balls in the
// cells of finer and finer grids, in the cells of an octree whose largest ball is split first, and greedy
// balls around middles of the body that reach less and less beyond it. Each kind has an order of its own that
// does not depend on the number of balls wanted.
// Entries: bi_cover_starts_create, bi_cover_next_start.

#include "cover/starts.h"

#include <float.h>
#include <string.h>

enum { GRID_MOST = 200 };

// Each reach of the greedy covers is this share of the one before.
#define REACH_FACTOR 0.82
#define REACH_LEAST 1e-4

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "cover: out of memory");
}

// Corners of a cell that are inside of the body, or nearly, behind the `count` points that are gathered.
static int32_t add_inner_corners(CoverFit* fit, Vec3 centre, double half, int32_t count) {
    const double near = 1e-6 * fit->body->diagonal;
    for (int32_t k = 0; k < 8; ++k) {
        const Vec3 corner = v3_add(centre, v3((k & 1) != 0 ? half : -half, (k & 2) != 0 ? half : -half,
                                              (k & 4) != 0 ? half : -half));
        if (bi_cover_depth(fit->body, corner) > -near) {
            fit->gathered[count++] = corner;
        }
    }
    return count;
}

// ---- grids ---------------------------------------------------------------------------------------------------

// Cubes, `side` of them along the body's longest side, centred on the body: a ball for each that has points.
static bool fill_grid(CoverStarts* starts, int32_t side, CoverStart* out) {
    CoverFit* fit = starts->fit;
    const CoverBody* body = fit->body;
    const Vec3 size = v3_sub(body->high, body->low);
    const double cell = fmax(fmax(size.x, fmax(size.y, size.z)) / side, DBL_MIN);

    double cells[3], low[3];
    for (int axis = 0; axis < 3; ++axis) {
        cells[axis] = fmax(ceil(v3_at(size, axis) / cell * (1.0 - 1e-9)), 1.0);
        low[axis] = 0.5 * (v3_at(body->low, axis) + v3_at(body->high, axis) - cells[axis] * cell);
    }

    // The cell of each point; the last cell of a row has its far end too.
    for (size_t i = 0; i < starts->point_count; ++i) {
        uint32_t key = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double at = floor((v3_at(fit->points.at[i], axis) - low[axis]) / cell);
            key = key << 8 | (uint32_t)clamp(at, 0.0, cells[axis] - 1.0);
        }
        starts->cells[i] = (SortItem){key, (uint32_t)i};
    }
    bi_sort_items(starts->cells, starts->cells + starts->point_count, starts->point_count);

    out->count = 0;
    for (size_t first = 0; first < starts->point_count;) {
        size_t last = first;
        for (; last < starts->point_count && starts->cells[last].key == starts->cells[first].key; ++last) {
            fit->gathered[last - first] = fit->points.at[starts->cells[last].index];
        }
        const bool look = (out->count & 63) == 63;
        if (out->count == BI_COVER_BALLS_MAX || (look && fit->stop.asked(fit->stop.user))) {
            return false;
        }

        const uint32_t key = (uint32_t)starts->cells[first].key;
        const Vec3 centre = v3(low[0] + cell * ((key >> 16 & 255) + 0.5),
                               low[1] + cell * ((key >> 8 & 255) + 0.5), low[2] + cell * ((key & 255) + 0.5));
        const int32_t count = add_inner_corners(fit, centre, 0.5 * cell, (int32_t)(last - first));
        out->balls[out->count++] = bi_cover_smallest_ball(body->metric, fit->gathered, count);
        first = last;
    }
    return true;
}

// The next finer grid; false when there is none with few enough balls.
static bool next_grid(CoverStarts* starts) {
    CoverStart* grid = &starts->kinds[COVER_START_GRID];
    starts->grid_side += 1;
    return starts->grid_side <= GRID_MOST && fill_grid(starts, starts->grid_side, grid);
}

// ---- an octree -----------------------------------------------------------------------------------------------

// The smallest ball around the points of a cell, by their numbers, and around what of its corners is inside.
static Ball ball_around(CoverFit* fit, const int32_t* order, const Octant* cell) {
    for (int32_t i = 0; i < cell->count; ++i) {
        fit->gathered[i] = fit->points.at[order[i]];
    }
    const int32_t count = add_inner_corners(fit, cell->centre, cell->half, cell->count);
    return bi_cover_smallest_ball(fit->body->metric, fit->gathered, count);
}

static bool begin_octree(CoverStarts* starts) {
    const CoverBody* body = starts->fit->body;
    const Vec3 size = v3_sub(body->high, body->low);
    const double half = 0.5 * fmax(size.x, fmax(size.y, size.z));

    for (size_t i = 0; i < starts->point_count; ++i) {
        starts->order[i] = (int32_t)i;
    }
    starts->octants[0] =
        (Octant){v3_scale(v3_add(body->low, body->high), 0.5), half, 0, (int32_t)starts->point_count};
    CoverStart* start = &starts->kinds[COVER_START_OCTREE];
    start->balls[0] = ball_around(starts->fit, starts->order, &starts->octants[0]);
    start->count = 1;
    return true;
}

static int32_t octant_of(const Octant* parent, Vec3 p) {
    return (p.x > parent->centre.x ? 1 : 0) | (p.y > parent->centre.y ? 2 : 0) |
           (p.z > parent->centre.z ? 4 : 0);
}

// Cuts one cell in eight; those without points are left out.
static void cut_octant(CoverStarts* starts, int32_t cut) {
    CoverFit* fit = starts->fit;
    CoverStart* start = &starts->kinds[COVER_START_OCTREE];
    const Octant parent = starts->octants[cut];

    int32_t begin[9] = {0};
    int32_t* own = starts->order + parent.first;
    for (int32_t i = 0; i < parent.count; ++i) {
        begin[octant_of(&parent, fit->points.at[own[i]]) + 1] += 1;
    }
    for (int32_t k = 0; k < 8; ++k) {
        begin[k + 1] += begin[k];
    }

    int32_t next[8];
    memcpy(next, begin, sizeof next);
    for (int32_t i = 0; i < parent.count; ++i) {
        starts->scratch[next[octant_of(&parent, fit->points.at[own[i]])]++] = own[i];
    }
    memcpy(own, starts->scratch, (size_t)parent.count * sizeof *own);

    // The first takes the place of the one that is cut, the others come behind the last.
    int32_t at = cut;
    const double half = 0.5 * parent.half;
    for (int32_t k = 0; k < 8; ++k) {
        const int32_t count = begin[k + 1] - begin[k];
        if (count == 0) {
            continue;
        }
        const Vec3 out =
            v3((k & 1) != 0 ? half : -half, (k & 2) != 0 ? half : -half, (k & 4) != 0 ? half : -half);
        starts->octants[at] = (Octant){v3_add(parent.centre, out), half, parent.first + begin[k], count};
        start->balls[at] = ball_around(fit, own + begin[k], &starts->octants[at]);
        start->count += at == cut ? 0 : 1;
        at = start->count;
    }
}

// Cuts the cell with the largest ball, until there are more balls than before; false when none can be cut.
static bool next_octree(CoverStarts* starts) {
    CoverStart* start = &starts->kinds[COVER_START_OCTREE];
    if (start->count == 0) {
        return begin_octree(starts);
    }

    const int32_t before = start->count;
    while (start->count == before) {
        int32_t largest = 0;
        for (int32_t i = 1; i < start->count; ++i) {
            largest = start->balls[i].radius > start->balls[largest].radius ? i : largest;
        }
        if (!(start->balls[largest].radius > 1e-6 * starts->fit->body->diagonal) ||
            start->count + 7 > BI_COVER_BALLS_MAX) {
            return false;
        }
        cut_octant(starts, largest);
    }
    return true;
}

// ---- middles of the body -------------------------------------------------------------------------------------

static BerthStatus next_medial(CoverStarts* starts, bool* found) {
    CoverFit* fit = starts->fit;
    CoverStart* start = &starts->kinds[COVER_START_MEDIAL];
    *found = false;
    if (starts->reach == 0.0) {
        const Ball one =
            bi_cover_smallest_ball(fit->body->metric, fit->points.at, (int32_t)starts->point_count);
        starts->reach = one.radius - fmin(fmax(bi_cover_depth(fit->body, one.centre), 0.0), 0.9 * one.radius);
    }
    starts->reach *= REACH_FACTOR;
    if (!(starts->reach > REACH_LEAST * fit->body->diagonal)) {
        return BERTH_OK;
    }

    const size_t all = fit->points.count;
    fit->points.count = starts->point_count;
    int32_t count = 0;
    const bool enough = bi_cover_choose_greedily(fit, starts->reach, BI_COVER_BALLS_MAX, fit->balls, &count);
    fit->ball_count = count;

    BerthStatus status = BERTH_OK;
    if (fit->stop.asked(fit->stop.user)) {
        status = bi_fail(BERTH_ERR_CANCELLED, "cover: stopped");
    } else if (fit->cover == NULL) {
        status = no_memory();
    }
    fit->points.count = all;
    if (status != BERTH_OK || !enough) {
        return status;
    }

    memcpy(start->balls, fit->balls, (size_t)fit->ball_count * sizeof *start->balls);
    start->count = fit->ball_count;
    *found = true;
    return BERTH_OK;
}

// ---- all -----------------------------------------------------------------------------------------------------

BerthStatus bi_cover_starts_create(CoverFit* fit, CoverStarts* out) {
    *out = (CoverStarts){.fit = fit, .point_count = fit->points.count};
    Arena* arena = &fit->body->arena;
    const size_t points = fit->points.count;
    out->cells = bi_arena_take(arena, 2 * points, sizeof *out->cells);
    out->order = bi_arena_take(arena, points, sizeof *out->order);
    out->scratch = bi_arena_take(arena, points, sizeof *out->scratch);
    out->octants = bi_arena_take(arena, BI_COVER_BALLS_MAX, sizeof *out->octants);

    bool taken = out->cells != NULL && out->order != NULL && out->scratch != NULL && out->octants != NULL;
    for (int kind = 0; kind < COVER_START_COUNT && taken; ++kind) {
        out->kinds[kind].balls = bi_arena_take(arena, BI_COVER_BALLS_MAX, sizeof(Ball));
        taken = out->kinds[kind].balls != NULL;
    }
    return taken ? bi_cover_reserve_owners(fit) : no_memory();
}

static BerthStatus advance(CoverStarts* starts, int kind, bool* found) {
    if (kind == COVER_START_MEDIAL) {
        return next_medial(starts, found);
    }
    *found = kind == COVER_START_GRID ? next_grid(starts) : next_octree(starts);
    return BERTH_OK;
}

BerthStatus bi_cover_next_start(CoverStarts* starts, int32_t most, const CoverStart** out) {
    *out = NULL;
    for (int kind = 0; kind < COVER_START_COUNT; ++kind) {
        CoverStart* start = &starts->kinds[kind];
        if (start->ended) {
            continue;
        }

        if (!start->waiting) {
            bool found = false;
            const BerthStatus status = advance(starts, kind, &found);
            start->ended = !found;
            start->waiting = found;
            if (status != BERTH_OK) {
                return status;
            }
        }
        if (start->waiting && start->count <= most) {
            start->waiting = false;
            starts->reach_found = kind == COVER_START_MEDIAL ? starts->reach : starts->reach_found;
            *out = start;
            return BERTH_OK;
        }
    }
    return BERTH_OK;
}
