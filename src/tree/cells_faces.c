// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The surface of a set of cells. On each plane between two layers of cells the cubes below it and above it
// leave rows of cells; where only one side has the cell the plane is surface. Rows are sorted, so one pass
// over them finds the runs, and runs that continue in the next row grow into rectangles. Between two borders
// of cubes all rows are alike and are one: a cube that is 2^15 cells wide has no more rows than there are
// borders beside it. Linear in the rows of all cubes.
// Entry: bi_cell_faces.

#include <string.h>

#include "base/sort.h"
#include "tree/cells.h"

/// A row of one cube's face: from..to on a plane.
enum { ROW_SIDE = 1u << 20, ROW_END = ROW_SIDE - 1u };
/// Of one direction: 4 GB.
#define ROWS_MAX ((size_t)1 << 27)

typedef struct Rows {
    SortItem* items;  // key: plane, row, from; index: to, and ROW_SIDE for a cube above the plane
    size_t count, capacity;
} Rows;

/// The borders of all cubes along the axis that rows are numbered by.
typedef struct Borders {
    int32_t* number;  // of the border at a coordinate
    int32_t* place;   // of a border
} Borders;
enum { BORDER_MOST = CELL_SIDE_MAX + 1 };

/// Rectangles that may still grow, of the row that was last and of the one that is next.
typedef struct Sweep {
    const BerthAllocator* allocator;
    CellFaces* out;
    int axis;
    Borders borders;
    CellFace* open;
    CellFace* next;
    int32_t open_count, next_count;
    bool failed;
} Sweep;

static size_t row_place(int32_t plane, int32_t row, int32_t from) {
    return (size_t)plane << (2 * CELL_BITS) | (size_t)row << CELL_BITS | (size_t)from;
}

static int32_t row_from(const SortItem* item) {
    return (int32_t)(item->key & ((1u << CELL_BITS) - 1u));
}

// The cube's part within the size: [low, high) on each axis. False when nothing is left.
static bool clip_cube(const CellSet* set, const CellCube* cube, int32_t low[3], int32_t high[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        const bool flat = set->dim == 2 && axis == 2;
        low[axis] = flat ? 0 : cube->low[axis];
        high[axis] = flat ? 1 : cube->low[axis] + cube->width;
        high[axis] = high[axis] < set->size[axis] ? high[axis] : set->size[axis];
        if (low[axis] >= high[axis]) {
            return false;
        }
    }
    return true;
}

static void find_borders(const CellSet* set, int v, Borders* borders) {
    memset(borders->number, 0, BORDER_MOST * sizeof *borders->number);
    for (int64_t i = 0; i < set->cube_count; ++i) {
        int32_t low[3], high[3];
        if (clip_cube(set, &set->cubes[i], low, high)) {
            borders->number[low[v]] = borders->number[high[v]] = 1;
        }
    }

    int32_t count = 0;
    for (int32_t at = 0; at < BORDER_MOST; ++at) {
        if (borders->number[at] != 0) {
            borders->number[at] = count;
            borders->place[count++] = at;
        }
    }
}

static size_t count_rows(const CellSet* set, int axis, const Borders* borders) {
    size_t count = 0;
    for (int64_t i = 0; i < set->cube_count; ++i) {
        int32_t low[3], high[3];
        if (clip_cube(set, &set->cubes[i], low, high)) {
            const int v = (axis + 2) % 3;
            count += 2 * (size_t)(borders->number[high[v]] - borders->number[low[v]]);
        }
    }
    return count;
}

static void fill_rows(const CellSet* set, int axis, const Borders* borders, Rows* rows) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    rows->count = 0;
    for (int64_t i = 0; i < set->cube_count; ++i) {
        int32_t low[3], high[3];
        if (!clip_cube(set, &set->cubes[i], low, high)) {
            continue;
        }

        for (int32_t row = borders->number[low[v]]; row < borders->number[high[v]]; ++row) {
            rows->items[rows->count++] = (SortItem){row_place(high[axis], row, low[u]), (uint32_t)high[u]};
            rows->items[rows->count++] =
                (SortItem){row_place(low[axis], row, low[u]), (uint32_t)high[u] | ROW_SIDE};
        }
    }
}

static void store_face(Sweep* sweep, const CellFace* face) {
    CellFaces* out = sweep->out;
    out->count += 1;

    if (out->count > out->limit) {
        return;  // only counted: the text says how many
    }

    if (out->stored == out->capacity) {
        const int32_t capacity = out->capacity < 512 ? 1024 : out->capacity * 2;
        CellFace* larger = bi_take(sweep->allocator, (size_t)capacity, sizeof *larger);
        if (larger == NULL) {
            sweep->failed = true;
            return;
        }

        for (int32_t i = 0; i < out->stored; ++i) {
            larger[i] = out->faces[i];
        }

        bi_give(sweep->allocator, out->faces, (size_t)out->capacity, sizeof *out->faces);
        out->faces = larger;
        out->capacity = capacity;
    }

    CellFace* stored = &out->faces[out->stored++];
    *stored = *face;
    stored->low = sweep->borders.place[face->low];
    stored->high = sweep->borders.place[face->high];
}

// A run of surface in the row that is being swept; joins the one before it where they meet.
static void add_run(Sweep* sweep, CellFace run) {
    if (sweep->next_count > 0) {
        CellFace* last = &sweep->next[sweep->next_count - 1];
        if (last->to == run.from && last->up == run.up) {
            last->to = run.to;
            return;
        }
    }

    sweep->next[sweep->next_count++] = run;
}

// The items of one row of one plane, by where they begin. Those of one side do not overlap.
static void sweep_row(Sweep* sweep, const SortItem* items, size_t count, int32_t plane, int32_t row) {
    int32_t end[2] = {-1, -1};
    int32_t at = row_from(&items[0]);
    size_t i = 0;
    sweep->next_count = 0;

    for (;;) {
        for (; i < count && row_from(&items[i]) == at; ++i) {
            end[(items[i].index & ROW_SIDE) != 0] = (int32_t)(items[i].index & ROW_END);
        }

        const bool below = end[0] > at;
        const bool above = end[1] > at;
        if (!below && !above && i == count) {
            return;
        }

        int32_t to = i < count ? row_from(&items[i]) : INT32_MAX;
        to = below && end[0] < to ? end[0] : to;
        to = above && end[1] < to ? end[1] : to;

        if (below != above) {
            add_run(sweep, (CellFace){sweep->axis, plane, at, to, row, row + 1, below});
        }

        at = to;
    }
}

// Rectangles of the row before that the row's runs do not continue are done; the others grow. Both are in order.
static void close_row(Sweep* sweep) {
    int32_t k = 0;

    for (int32_t i = 0; i < sweep->open_count; ++i) {
        const CellFace* old = &sweep->open[i];
        while (k < sweep->next_count && sweep->next[k].from < old->from) {
            ++k;
        }

        CellFace* run = k < sweep->next_count ? &sweep->next[k] : NULL;
        if (run != NULL && run->plane == old->plane && run->low == old->high && run->from == old->from &&
            run->to == old->to && run->up == old->up) {
            run->low = old->low;
        } else {
            store_face(sweep, old);
        }
    }

    CellFace* swap = sweep->open;
    sweep->open = sweep->next;
    sweep->next = swap;
    sweep->open_count = sweep->next_count;
    sweep->next_count = 0;
}

static void sweep_axis(Sweep* sweep, const Rows* rows) {
    size_t end = 0;
    for (size_t start = 0; start < rows->count && !sweep->failed; start = end) {
        const uint64_t group = rows->items[start].key >> CELL_BITS;
        for (end = start + 1; end < rows->count && rows->items[end].key >> CELL_BITS == group;) {
            ++end;
        }

        sweep_row(sweep, rows->items + start, end - start, (int32_t)(group >> CELL_BITS),
                  (int32_t)(group & ((1u << CELL_BITS) - 1u)));
        close_row(sweep);
    }
    close_row(sweep);
}

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "map: out of memory for its surface");
}

static BerthStatus find_axis_faces(const CellSet* set, const BerthAllocator* allocator, Sweep* sweep) {
    find_borders(set, (sweep->axis + 2) % 3, &sweep->borders);
    Rows rows = {.capacity = count_rows(set, sweep->axis, &sweep->borders)};
    if (rows.capacity > ROWS_MAX) {
        return bi_fail(BERTH_ERR_MEMORY,
                       "map: the surface of its obstacles has %zu rows of cells, which need %.3g bytes, the "
                       "limit is %.3g: a map of larger cells has fewer",
                       rows.capacity, 2.0 * (double)sizeof *rows.items * (double)rows.capacity,
                       2.0 * (double)sizeof *rows.items * ROWS_MAX);
    }

    rows.items = bi_take_raw(allocator, 2 * rows.capacity, sizeof *rows.items);
    if (rows.items == NULL) {
        return no_memory();
    }

    fill_rows(set, sweep->axis, &sweep->borders, &rows);
    bi_sort_items(rows.items, rows.items + rows.capacity, rows.count);
    sweep_axis(sweep, &rows);

    bi_give(allocator, rows.items, 2 * rows.capacity, sizeof *rows.items);
    return sweep->failed ? no_memory() : BERTH_OK;
}

BerthStatus bi_cell_faces(const CellSet* set, const BerthAllocator* allocator, CellFaces* out) {
    *out = (CellFaces){.limit = set->triangle_limit / 2};
    const size_t width = CELL_SIDE_MAX + 1;  // no row has more runs than cells
    Sweep sweep = {.allocator = allocator, .out = out};

    sweep.open = bi_take(allocator, width, sizeof *sweep.open);
    sweep.next = bi_take(allocator, width, sizeof *sweep.next);
    sweep.borders.number = bi_take(allocator, BORDER_MOST, sizeof(int32_t));
    sweep.borders.place = bi_take(allocator, BORDER_MOST, sizeof(int32_t));
    const bool room = sweep.open != NULL && sweep.next != NULL && sweep.borders.number != NULL &&
                      sweep.borders.place != NULL;
    BerthStatus status = room ? BERTH_OK : no_memory();

    for (int axis = 0; axis < 3 && status == BERTH_OK; ++axis) {
        sweep.axis = axis;
        sweep.open_count = sweep.next_count = 0;
        status = find_axis_faces(set, allocator, &sweep);
    }

    bi_give(allocator, sweep.open, width, sizeof *sweep.open);
    bi_give(allocator, sweep.next, width, sizeof *sweep.next);
    bi_give(allocator, sweep.borders.number, BORDER_MOST, sizeof(int32_t));
    bi_give(allocator, sweep.borders.place, BORDER_MOST, sizeof(int32_t));
    return status;
}

void bi_cell_faces_free(const BerthAllocator* allocator, CellFaces* faces) {
    bi_give(allocator, faces->faces, (size_t)faces->capacity, sizeof *faces->faces);
    *faces = (CellFaces){0};
}
