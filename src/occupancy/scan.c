// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scans: which cells the rays of a scan pass and in which they end, each once, then the effect on the tree.
// The cells are kept in a table with open addressing; they enter the tree in the order of their codes, so the
// same scan gives the same tree whatever the order of its points.
// Entries: berth_occupancy_insert_scan, berth_occupancy_set_points.

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "math/morton.h"
#include "math/vec3.h"
#include "occupancy/occupancy.h"

enum { TABLE_FIRST = 1 << 12, RAYS_A_LOOK = 256, CELLS_A_LOOK = 1 << 14 };

/// Cells of one scan: code << 2 | 2 | hit each, 0 where nothing is.
typedef struct CellTable {
    uint64_t* items;
    size_t count, capacity;
} CellTable;

static size_t place_in_table(const CellTable* table, uint64_t code) {
    const size_t mask = table->capacity - 1;
    size_t at = (size_t)((code * 0x9E3779B97F4A7C15u) >> 20) & mask;
    while (table->items[at] != 0 && table->items[at] >> 2 != code) {
        at = (at + 1) & mask;
    }
    return at;
}

static BerthStatus grow_table(const BerthOccupancy* o, CellTable* table) {
    CellTable larger = {.count = table->count,
                        .capacity = table->capacity > 0 ? 2 * table->capacity : TABLE_FIRST};
    const uint64_t bytes = (uint64_t)larger.capacity * sizeof *larger.items;
    if (bytes > bi_occupancy_limit(o)) {
        return bi_fail(BERTH_ERR_MEMORY,
                       "occupancy: a scan of more than %zu cells needs %llu bytes, the limit is %llu: larger "
                       "cells, or a shorter range, need less",
                       table->count, (unsigned long long)bytes, (unsigned long long)bi_occupancy_limit(o));
    }

    larger.items = bi_take(&o->def.allocator, larger.capacity, sizeof *larger.items);
    if (larger.items == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "occupancy: out of memory for %zu cells of a scan", larger.capacity);
    }

    for (size_t i = 0; i < table->capacity; ++i) {
        if (table->items[i] != 0) {
            larger.items[place_in_table(&larger, table->items[i] >> 2)] = table->items[i];
        }
    }
    bi_give(&o->def.allocator, table->items, table->capacity, sizeof *table->items);
    *table = larger;
    return BERTH_OK;
}

// A cell that is hit stays so.
static BerthStatus put_cell(const BerthOccupancy* o, CellTable* table, const int32_t cell[3], bool hit) {
    if (2 * (table->count + 1) > table->capacity) {
        const BerthStatus status = grow_table(o, table);
        if (status != BERTH_OK) {
            return status;
        }
    }

    const uint64_t code = morton_code(o->def.dim, cell);
    uint64_t* item = &table->items[place_in_table(table, code)];
    table->count += *item == 0;
    *item |= code << 2 | 2u | (hit ? 1u : 0u);
    return BERTH_OK;
}

// ---- rays --------------------------------------------------------------------------------------------------------

/// One axis of a ray, in cells.
typedef struct RayAxis {
    double from, way;  // where it begins; how far it goes
    int32_t step;      // 1 or -1
    int32_t left;      // borders that it still has to cross
    double border;     // the next of them
    double share;      // of the ray's length, there
} RayAxis;

// Each border's place on the ray is computed by itself: nothing adds up along the ray.
static void aim_at_border(RayAxis* axis) {
    axis->share = axis->left > 0 ? (axis->border - axis->from) / axis->way : INFINITY;
}

// Cells from the tree's origin on, as berth_occupancy_cell has them before it rounds down.
static Vec3 to_cells(const BerthOccupancy* o, Vec3 point) {
    const Vec3 p = v3_sub(point, o->def.origin);
    const double r = o->def.resolution;
    return v3(p.x / r, p.y / r, p.z / r);
}

// Passes every cell from `from` up to, and without, the one that holds `to`.
static BerthStatus pass_ray(const BerthOccupancy* o, Vec3 from, Vec3 to, const int32_t first[3],
                            const int32_t last[3], CellTable* table) {
    const Vec3 a = to_cells(o, from), b = to_cells(o, to);
    const double start[3] = {a.x, a.y, a.z}, end[3] = {b.x, b.y, b.z};
    RayAxis axes[3];
    int64_t left = 0;

    for (int i = 0; i < 3; ++i) {
        const int32_t way = i < o->def.dim ? last[i] - first[i] : 0;
        axes[i] = (RayAxis){.from = start[i],
                            .way = end[i] - start[i],
                            .step = way < 0 ? -1 : 1,
                            .left = way < 0 ? -way : way,
                            .border = first[i] - o->def.first[i] + (way < 0 ? 0 : 1)};
        aim_at_border(&axes[i]);
        left += axes[i].left;
    }

    int32_t cell[3] = {first[0], first[1], o->def.dim == 2 ? 0 : first[2]};
    BerthStatus status = BERTH_OK;
    for (; left > 0 && status == BERTH_OK; --left) {
        status = put_cell(o, table, cell, false);

        // Ties go to the later axis, as OctoMap's do.
        int next = axes[0].share < axes[1].share ? 0 : 1;
        next = axes[next].share < axes[2].share ? next : 2;
        RayAxis* axis = &axes[next];
        cell[next] += axis->step;
        axis->border += axis->step;
        axis->left -= 1;
        aim_at_border(axis);
    }
    return status;
}

static BerthStatus add_ray(const BerthOccupancy* o, Vec3 sensor, const int32_t at[3], Vec3 point,
                           double range, CellTable* table, BerthOccupancyReport* report) {
    const Vec3 way = v3_sub(point, sensor);
    const double length = o->def.dim == 2 ? hypot(way.x, way.y) : v3_length(way);
    const bool beyond = range > 0.0 && length > range;
    const Vec3 end = beyond ? v3_add(sensor, v3_scale(way, range / length)) : point;

    int32_t last[3];
    if (!isfinite(length) || !berth_occupancy_cell(o, end, last)) {
        report->dropped += 1;
        return BERTH_OK;
    }

    report->points += 1;
    report->beyond += beyond;
    const BerthStatus status = pass_ray(o, sensor, end, at, last, table);
    return status == BERTH_OK && !beyond ? put_cell(o, table, last, true) : status;
}

// ---- into the tree -----------------------------------------------------------------------------------------------

/// What cells get: log-odds that are added, or set.
typedef struct CellPut {
    float hit, miss;
    bool set;
} CellPut;

static BerthStatus put_into_tree(BerthOccupancy* o, uint64_t item, const CellPut* put,
                                 BerthOccupancyReport* report) {
    const bool hit = (item & 1) != 0;
    int32_t cell[3];
    morton_cell(o->def.dim, item >> 2, cell);
    const BerthCellColour before = berth_occupancy_colour(o, cell);
    const float value = hit ? put->hit : put->miss;

    BerthStatus status = bi_occupancy_reserve_note(o);
    if (status == BERTH_OK && put->set) {
        status = bi_occupancy_set_node(o, cell, 0, value);
    } else if (status == BERTH_OK) {
        status = bi_occupancy_add(o, cell, value);
    }
    if (status != BERTH_OK) {
        return status;
    }

    report->hit += hit;
    report->passed += !hit;
    report->hit_and_free += hit && berth_occupancy_colour(o, cell) == BERTH_CELL_FREE;
    bi_occupancy_note(o, cell, before, report);
    return BERTH_OK;
}

static bool go_on_sorting(void* user) {
    return bi_occupancy_go_on(user) == BERTH_OK;
}

// All cells of the table, in the order of their codes.
static BerthStatus put_table(BerthOccupancy* o, const CellTable* table, const CellPut* put,
                             BerthOccupancyReport* report) {
    const BerthAllocator* allocator = &o->def.allocator;
    SortItem* items = bi_take_raw(allocator, table->count, sizeof *items);
    SortItem* scratch = bi_take_raw(allocator, table->count, sizeof *scratch);
    BerthStatus status = BERTH_OK;

    if (items == NULL || scratch == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "occupancy: out of memory for %zu cells of a scan", table->count);
    } else {
        size_t count = 0;
        for (size_t i = 0; i < table->capacity; ++i) {
            if (table->items[i] != 0) {
                items[count++] = (SortItem){table->items[i], 0};
            }
        }
        status = bi_sort_long(items, scratch, count, go_on_sorting, o) ? BERTH_OK : BERTH_ERR_CANCELLED;
    }

    for (size_t i = 0; i < table->count && status == BERTH_OK; ++i) {
        status = i % CELLS_A_LOOK == CELLS_A_LOOK - 1 ? bi_occupancy_go_on(o) : BERTH_OK;
        if (status == BERTH_OK) {
            status = put_into_tree(o, items[i].key, put, report);
        }
    }

    bi_give(allocator, scratch, table->count, sizeof *scratch);
    bi_give(allocator, items, table->count, sizeof *items);
    return status;
}

BerthStatus berth_occupancy_insert_scan(BerthOccupancy* o, const BerthVec3* points, size_t count,
                                        BerthVec3 sensor, double range, BerthOccupancyReport* report) {
    BerthOccupancyReport own = {0};
    report = report != NULL ? report : &own;
    *report = own;
    int32_t at[3];
    if (!berth_occupancy_cell(o, sensor, at) || !(range >= 0.0)) {
        return bi_fail(
            BERTH_ERR_ARGUMENT,
            "occupancy: a sensor at (%g, %g, %g) with range %g: a place within the tree's %d cells "
            "a side and a range >= 0 are expected",
            sensor.x, sensor.y, sensor.z, range, OCCUPANCY_SIDE);
    }

    CellTable table = {0};
    BerthStatus status = BERTH_OK;
    for (size_t i = 0; i < count && status == BERTH_OK; ++i) {
        status = i % RAYS_A_LOOK == RAYS_A_LOOK - 1 ? bi_occupancy_go_on(o) : BERTH_OK;
        if (status == BERTH_OK) {
            status = add_ray(o, sensor, at, points[i], range, &table, report);
        }
    }

    const CellPut put = {o->hit, o->miss, false};
    if (status == BERTH_OK && table.count > 0) {
        status = put_table(o, &table, &put, report);
    }
    bi_give(&o->def.allocator, table.items, table.capacity, sizeof *table.items);
    return status;
}

BerthStatus berth_occupancy_set_points(BerthOccupancy* o, const BerthVec3* points, size_t count,
                                       BerthCellColour colour, BerthOccupancyReport* report) {
    BerthOccupancyReport own = {0};
    report = report != NULL ? report : &own;
    *report = own;
    if ((uint32_t)colour >= BERTH_CELL_COLOUR_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "occupancy: colour %d is none", (int)colour);
    }

    CellTable table = {0};
    BerthStatus status = BERTH_OK;
    for (size_t i = 0; i < count && status == BERTH_OK; ++i) {
        int32_t cell[3];
        const bool inside = berth_occupancy_cell(o, points[i], cell);
        report->points += inside;
        report->dropped += !inside;
        if (inside) {
            status = put_cell(o, &table, cell, colour == BERTH_CELL_OCCUPIED);
        }
    }

    const CellPut put = {o->most, colour == BERTH_CELL_FREE ? o->least : NAN, true};
    if (status == BERTH_OK && table.count > 0) {
        status = put_table(o, &table, &put, report);
    }
    bi_give(&o->def.allocator, table.items, table.capacity, sizeof *table.items);
    return status;
}
