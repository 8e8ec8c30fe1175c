// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Obstacles as convex items, and for each set of obstacles that some group is compared with a field: a grid
// that gives by one lookup the distance of all items, and which are near. Items contain the obstacle; where
// they are larger than it, a ball that meets one is open, not a hit. Boxes around many triangles have a grid
// of their own (dense_create.c).
// Entry: bi_lanes_make_fields.

#include <string.h>

#include "lanes/lanes.h"
#include "tree/solid.h"

enum {
    CELLS_MOST = 40,       // along the longest side
    ITEMS_MOST = 4000000,  // of a field
    LIST_MOST = 40000000
};
/// What a field looks beyond the largest cluster: motion on an interval.
#define REACH_BEYOND 0.12  // metres
#define CELL_LEAST 0.02
/// How far the distance of a cell is looked for.
#define DISTANCE_BEYOND 0.2

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "lanes: out of memory");
}

/// Items while they are collected.
typedef struct Items {
    LanesBuild* build;
    LaneItem* at;
    size_t count, capacity;
} Items;

// ---- items ------------------------------------------------------------------------------------------------------

// Lane coordinates are floats from the lanes' origin: what a place in the item's axes is off by.
static double item_slack(const LanesBuild* build, const Pose* lane_from_item, double size) {
    return 24.0 * LANES_U * (build->lanes->reach + v3_length(lane_from_item->t) + size);
}

static LaneItem placed_item(const Pose* lane_from_item) {
    const Vec3 back = v3_neg(pose_turn_back(lane_from_item, lane_from_item->t));
    const Vec3 axes[3] = {lane_from_item->x, lane_from_item->y, lane_from_item->z};
    LaneItem item = {.t = {(float)back.x, (float)back.y, (float)back.z}, .level = 1};
    for (int row = 0; row < 3; ++row) {
        for (int k = 0; k < 3; ++k) {
            const double entry = v3_at(axes[row], k);
            const double whole = nearbyint(entry);
            item.turn[row][k] = (float)(fabs(entry - whole) < 2.0 * LANES_U ? whole : entry);
            item.level = item.level && item.turn[row][k] == (row == k ? 1.0f : 0.0f);
        }
    }
    return item;
}

static BerthStatus add_item(Items* items, const LaneItem* item) {
    items->at = bi_arena_grow(&items->build->lanes->arena, items->at, items->count, items->count + 1,
                              &items->capacity, sizeof *items->at);
    if (items->at == NULL) {
        return no_memory();
    }
    items->at[items->count++] = *item;
    return BERTH_OK;
}

/// A box or cylinder with a radius around it, in its own axes.
typedef struct Core {
    LaneItemKind kind;
    Vec3 half;
    double radius;
    bool exact;  // it is the obstacle, not only around it
} Core;

// How much of a unit vector is along x, y and z; true when it is along one of them, one way or the other.
static bool measure_axis(Vec3 axis, double* x, double* y, double* z) {
    *x = fabs(axis.x);
    *y = fabs(axis.y);
    *z = fabs(axis.z);
    const double most = fmax(*x, fmax(*y, *z));
    return most > 1.0 - 1e-12 && *x + *y + *z - most < 2.0 * LANES_U;
}

// A box whose sides are along the axes, whichever is which, and a cylinder along z, however it is turned about it, need no turn.
static Pose leveled(const Pose* lane_from_item, Core* core) {
    Pose level = pose_identity();
    level.t = lane_from_item->t;
    double x[3], y[3], z[3];
    const Vec3 axes[3] = {lane_from_item->x, lane_from_item->y, lane_from_item->z};
    bool along[3];
    for (int k = 0; k < 3; ++k) {
        along[k] = measure_axis(axes[k], &x[k], &y[k], &z[k]);
    }

    if (core->kind == LANE_BOX && along[0] && along[1] && along[2]) {
        const Vec3 half = core->half;
        core->half = v3(nearbyint(x[0]) * half.x + nearbyint(x[1]) * half.y + nearbyint(x[2]) * half.z,
                        nearbyint(y[0]) * half.x + nearbyint(y[1]) * half.y + nearbyint(y[2]) * half.z,
                        nearbyint(z[0]) * half.x + nearbyint(z[1]) * half.y + nearbyint(z[2]) * half.z);
        return level;
    }
    return core->kind == LANE_CYLINDER && along[2] && z[2] > 0.5 ? level : *lane_from_item;
}

// An item whose place and axes are decided.
static BerthStatus add_placed(Items* items, int32_t body, const Pose* lane_from_item, const Core* core,
                              double padding) {
    const double size = v3_length(core->half) + core->radius + padding;
    const double slack = item_slack(items->build, lane_from_item, size);
    LaneItem item = placed_item(lane_from_item);
    item.kind = (int32_t)core->kind;
    item.half[0] = (float)core->half.x;
    item.half[1] = (float)core->half.y;
    item.half[2] = (float)core->half.z;
    item.radius = bi_float_up((core->radius + padding) * LANES_GROWN + slack);
    item.sure = LANE_UNSURE;
    if (core->exact) {
        item.sure = bi_float_down((core->radius + padding) * (1.0 - 16.0 * LANES_U) - 2.0 * slack);
    }
    item.body = body;
    return add_item(items, &item);
}

static BerthStatus add_core(Items* items, int32_t body, const Pose* world_from_item, const Core* given,
                            double padding) {
    Core core = *given;
    const Pose lane_from_world = pose_inverse(&items->build->lanes->world_from_lane);
    const Pose turned = pose_mul(&lane_from_world, world_from_item);
    const Pose lane_from_item = leveled(&turned, &core);
    return add_placed(items, body, &lane_from_item, &core, padding);
}

static Core core_of_shape(const BerthShape* shape) {
    switch (shape->kind) {
    case BERTH_SPHERE:
        return (Core){LANE_BOX, v3(0, 0, 0), shape->as.sphere.radius, true};
    case BERTH_CAPSULE:
        return (Core){LANE_BOX, v3(0, 0, 0.5 * shape->as.capsule.length), shape->as.capsule.radius, true};
    case BERTH_BOX:
        return (Core){LANE_BOX, shape->as.box.half, 0.0, true};
    case BERTH_CYLINDER:
        return (Core){LANE_CYLINDER, v3(shape->as.cylinder.radius, 0.0, 0.5 * shape->as.cylinder.length), 0.0,
                      true};
    case BERTH_CONE:
        return (Core){LANE_CYLINDER, v3(shape->as.cone.radius, 0.0, 0.5 * shape->as.cone.length), 0.0, false};
    case BERTH_TRIANGLE:
    case BERTH_HULL:
    case BERTH_HALFSPACE:
    case BERTH_SHAPE_KIND_COUNT:
        break;
    }
    return (Core){LANE_BOX, v3(0, 0, 0), -1.0, false};
}

// A half-space: its plane's normal is z, and what is below is solid.
static BerthStatus add_space(Items* items, int32_t body, const Pose* world_from_part, const BerthShape* shape,
                             double padding) {
    const Vec3 n = pose_turn(world_from_part, shape->as.halfspace.normal);
    const Vec3 on_plane =
        pose_apply(world_from_part, v3_scale(shape->as.halfspace.normal, shape->as.halfspace.offset));
    // The point of the plane that is nearest to the origin, so that numbers stay small.
    const Vec3 origin = items->build->lanes->world_from_lane.t;
    const Vec3 foot = v3_add(origin, v3_scale(n, v3_dot(n, v3_sub(on_plane, origin))));
    const Vec3 x = v3_any_normal(n);
    const Pose pose = {x, v3_cross(n, x), n, foot};
    const Core core = {LANE_SPACE, v3(0, 0, 0), 0.0, false};
    return add_core(items, body, &pose, &core, padding);
}

// A box around many triangles, and how far they are in it.
static BerthStatus add_dense(Items* items, int32_t body, const ScenePart* part, double padding) {
    const BerthSolid* solid = part->solid;
    const Pose lane_from_world = pose_inverse(&items->build->lanes->world_from_lane);
    const Pose lane_from_part = pose_mul(&lane_from_world, &part->frame_from_part);
    LaneDense* dense = NULL;
    BerthStatus status = bi_lanes_make_dense(items->build, solid, &lane_from_part, &dense);
    if (status != BERTH_OK) {
        return status;
    }

    Pose lane_from_item = lane_from_part;
    lane_from_item.t = pose_apply(&lane_from_part, v3_scale(v3_add(solid->low, solid->high), 0.5));
    const Vec3 half = v3_scale(v3_sub(solid->high, solid->low), 0.5 * (1.0 + 0x1p-40));
    const Core core = {LANE_BOX, half, 0.0, false};
    status = add_placed(items, body, &lane_from_item, &core, padding);
    if (status == BERTH_OK && dense != NULL) {
        const double slack = item_slack(items->build, &lane_from_item, v3_length(half) + padding);
        dense->sure = bi_float_down(padding * (1.0 - 16.0 * LANES_U) - 2.0 * slack);
        items->at[items->count - 1].dense = dense;
    }
    return status;
}

static BerthStatus add_box(Items* items, int32_t body, const Pose* world_from_part, Vec3 low, Vec3 high,
                           double padding) {
    Pose pose = *world_from_part;
    pose.t = pose_apply(world_from_part, v3_scale(v3_add(low, high), 0.5));
    const Core core = {LANE_BOX, v3_scale(v3_sub(high, low), 0.5 * (1.0 + 0x1p-40)), 0.0, false};
    return add_core(items, body, &pose, &core, padding);
}

static BerthStatus add_part(Items* items, int32_t body, const ScenePart* part, double padding) {
    const BerthSolid* solid = part->solid;
    if (solid_is_empty(solid)) {
        return BERTH_OK;
    }

    if (!solid->is_mesh && solid->shape.kind == BERTH_HALFSPACE) {
        return add_space(items, body, &part->frame_from_part, &solid->shape, padding);
    }
    if (!solid->is_mesh) {
        const Core core = core_of_shape(&solid->shape);
        if (core.radius >= 0.0) {
            return add_core(items, body, &part->frame_from_part, &core, padding);
        }
    }
    if (solid->is_mesh) {
        return add_dense(items, body, part, padding);
    }
    return add_box(items, body, &part->frame_from_part, solid->low, solid->high, padding);
}

// ---- which obstacles a group is compared with --------------------------------------------------------------------

static BerthStatus obstacles_of(LanesBuild* build, int32_t group, bool* wanted, bool* any) {
    const BerthScene* scene = build->scene;
    memset(wanted, 0, (size_t)scene->body_count * sizeof *wanted);
    const int32_t body = build->first_body[group];
    *any = false;
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (!pair->constant && pair->body_a == body && pair->body_b >= scene->moved_body_count) {
            wanted[pair->body_b] = true;
            *any = true;
            // Each side's padding goes into its own radii.
            const double paddings = scene->bodies[body].padding + scene->bodies[pair->body_b].padding;
            build->holds = build->holds && pair->padding <= paddings * (1.0 + 1e-12);
        }
    }
    return BERTH_OK;
}

static BerthStatus collect_items(Items* items, const bool* wanted) {
    const BerthScene* scene = items->build->scene;
    BerthStatus status = BERTH_OK;
    for (int32_t b = scene->moved_body_count; b < scene->body_count && status == BERTH_OK; ++b) {
        const SceneBody* body = &scene->bodies[b];
        for (int32_t p = body->first_part;
             wanted[b] && p < body->first_part + body->part_count && status == BERTH_OK; ++p) {
            status = add_part(items, b, &scene->parts[p], body->padding);
        }
    }
    items->build->holds = items->build->holds && items->count < ITEMS_MOST;
    return status;
}

// ---- the grid ---------------------------------------------------------------------------------------------------

/// A box around an item, in lane coordinates; of a half-space infinite.
typedef struct Bounds {
    Vec3 low, high;
} Bounds;

static Bounds bounds_of(const LaneItem* item) {
    const double grown = (double)item->radius;
    const Vec3 half = item->kind == LANE_CYLINDER
                          ? v3((double)item->half[0], (double)item->half[0], (double)item->half[2])
                          : v3((double)item->half[0], (double)item->half[1], (double)item->half[2]);
    double centre[3], reach[3];

    for (int k = 0; k < 3; ++k) {
        centre[k] = 0.0;
        reach[k] = grown + 1e-5;
        for (int row = 0; row < 3; ++row) {
            centre[k] -= (double)item->turn[row][k] * (double)item->t[row];
            reach[k] += fabs((double)item->turn[row][k]) * v3_at(half, row);
        }
        if (item->kind == LANE_SPACE) {
            reach[k] = (double)INFINITY;
        }
    }
    return (Bounds){v3(centre[0] - reach[0], centre[1] - reach[1], centre[2] - reach[2]),
                    v3(centre[0] + reach[0], centre[1] + reach[1], centre[2] + reach[2])};
}

// From a point to an item, in double.
static double item_distance(const LaneItem* item, Vec3 p) {
    double x[3];
    for (int row = 0; row < 3; ++row) {
        x[row] = (double)item->turn[row][0] * p.x + (double)item->turn[row][1] * p.y +
                 (double)item->turn[row][2] * p.z + (double)item->t[row];
    }

    if (item->kind == LANE_SPACE) {
        return fmax(x[2], 0.0) - (double)item->radius;
    }
    const double dz = fmax(fabs(x[2]) - (double)item->half[2], 0.0);
    double across = 0.0;
    if (item->kind == LANE_CYLINDER) {
        across = fmax(sqrt(x[0] * x[0] + x[1] * x[1]) - (double)item->half[0], 0.0);
    } else {
        const double dx = fmax(fabs(x[0]) - (double)item->half[0], 0.0);
        const double dy = fmax(fabs(x[1]) - (double)item->half[1], 0.0);
        across = sqrt(dx * dx + dy * dy);
    }
    return sqrt(across * across + dz * dz) - (double)item->radius;
}

/// A field in the making.
typedef struct Grid {
    LanesBuild* build;
    LaneField* field;
    const LaneItem* items;
    float* distance;
    int32_t *count, *list;
    double beyond;  // distances are looked for so far
} Grid;

static Vec3 cell_centre(const LaneField* field, int32_t x, int32_t y, int32_t z) {
    return v3((double)field->origin[0] + ((double)x + 0.5) * (double)field->cell,
              (double)field->origin[1] + ((double)y + 0.5) * (double)field->cell,
              (double)field->origin[2] + ((double)z + 0.5) * (double)field->cell);
}

// Cells within `beyond` of an item's box.
static void cells_near(const LaneField* field, const Bounds* bounds, double beyond, int32_t low[3],
                       int32_t high[3]) {
    for (int k = 0; k < 3; ++k) {
        const double from =
            (v3_at(bounds->low, k) - beyond - (double)field->origin[k]) * (double)field->inverse;
        const double to =
            (v3_at(bounds->high, k) + beyond - (double)field->origin[k]) * (double)field->inverse;
        const double top = (double)(field->size[k] - 1);
        low[k] = (int32_t)fmin(fmax(from - 1.0, 0.0), top);
        high[k] = (int32_t)fmin(fmax(to + 1.0, 0.0), top);
    }
}

/// What is done with a cell and an item that is this far from the cell's centre.
typedef void (*CellWork)(Grid* grid, int64_t cell, int32_t item, double distance);

static void each_near_cell(Grid* grid, int32_t item, double beyond, CellWork work) {
    const LaneField* field = grid->field;
    const Bounds bounds = bounds_of(&grid->items[item]);
    int32_t low[3], high[3];
    cells_near(field, &bounds, beyond, low, high);
    for (int32_t x = low[0]; x <= high[0]; ++x) {
        for (int32_t y = low[1]; y <= high[1]; ++y) {
            for (int32_t z = low[2]; z <= high[2]; ++z) {
                const double d = item_distance(&grid->items[item], cell_centre(field, x, y, z));
                work(grid, ((int64_t)x * field->size[1] + y) * field->size[2] + z, item, d);
            }
        }
    }
}

static double near_distance(const LaneField* field) {
    return (double)field->reach + 0.5 * sqrt(3.0) * 1.0003 * (double)field->cell;
}

// What floats lose when a place is looked up in the grid: of its coordinates in cells, and of the distance.
static double look_slack(const Grid* grid) {
    return 1e-6 + 16.0 * LANES_U * ((double)(CELLS_MOST + 2) * (double)grid->field->cell + grid->beyond);
}

static void note_distance(Grid* grid, int64_t cell, int32_t item, double distance) {
    grid->distance[cell] = fminf(grid->distance[cell], bi_float_down(distance - look_slack(grid)));
    (void)item;
}

static void count_near(Grid* grid, int64_t cell, int32_t item, double distance) {
    note_distance(grid, cell, item, distance);
    grid->count[cell + 1] += distance <= near_distance(grid->field);
}

static void list_near(Grid* grid, int64_t cell, int32_t item, double distance) {
    if (distance <= near_distance(grid->field)) {
        grid->list[--grid->count[cell + 1]] = item;
    }
}

// The part of space that balls and items share. Half-spaces are everywhere.
static bool lay_grid(Grid* grid, double reach) {
    LaneField* field = grid->field;
    const double most = grid->build->lanes->reach + grid->beyond;
    Vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t i = 0; i < field->item_count; ++i) {
        const Bounds b = bounds_of(&grid->items[i]);
        low = v3_min(low, b.low);
        high = v3_max(high, b.high);
    }
    for (int k = 0; k < 3; ++k) {
        field->low[k] = bi_float_down(v3_at(low, k) - 1e-5);
        field->high[k] = bi_float_up(v3_at(high, k) + 1e-5);
    }

    const Vec3 room = v3(grid->beyond, grid->beyond, grid->beyond);
    low = v3_max(v3_sub(low, room), v3(-most, -most, -most));
    high = v3_min(v3_add(high, room), v3(most, most, most));
    if (!(low.x < high.x && low.y < high.y && low.z < high.z)) {
        low = v3(-0.5, -0.5, -0.5);  // nothing is within reach
        high = v3(0.5, 0.5, 0.5);
    }

    const Vec3 size = v3_sub(high, low);
    const double longest = fmax(size.x, fmax(size.y, size.z));
    field->cell = (float)fmax(longest / CELLS_MOST, CELL_LEAST);
    field->inverse = 1.0f / field->cell;
    for (int k = 0; k < 3; ++k) {
        field->origin[k] = (float)v3_at(low, k);
        field->size[k] = (int32_t)ceil(v3_at(size, k) / (double)field->cell) + 1;
    }
    field->reach = (float)reach;
    return longest < 1e6;
}

static BerthStatus fill_lists(Grid* grid, int64_t cells) {
    Arena* arena = &grid->build->lanes->arena;
    grid->count = bi_arena_take(arena, (size_t)cells + 1, sizeof *grid->count);
    if (grid->count == NULL) {
        return no_memory();
    }

    // How long each cell's list is, then where it ends: list_near fills it downward, to its start.
    for (int32_t i = 0; i < grid->field->item_count; ++i) {
        each_near_cell(grid, i, grid->beyond, count_near);
    }
    int64_t total = 0;
    for (int64_t c = 0; c < cells; ++c) {
        total += grid->count[c + 1];
        grid->count[c + 1] = (int32_t)total;
        if (total > LIST_MOST) {
            grid->build->holds = false;
            return BERTH_OK;
        }
    }

    grid->list = bi_arena_take(arena, (size_t)total, sizeof *grid->list);
    int32_t* first = bi_arena_take(arena, (size_t)cells + 1, sizeof *first);
    if (grid->list == NULL || first == NULL) {
        return no_memory();
    }
    memcpy(first, grid->count, ((size_t)cells + 1) * sizeof *first);
    for (int32_t i = 0; i < grid->field->item_count; ++i) {
        each_near_cell(grid, i, grid->beyond, list_near);
    }
    grid->field->first = first;
    grid->field->list = grid->list;
    return BERTH_OK;
}

static BerthStatus fill_grid(Grid* grid) {
    Arena* arena = &grid->build->lanes->arena;
    LaneField* field = grid->field;
    const int64_t cells = (int64_t)field->size[0] * field->size[1] * field->size[2];
    grid->distance = bi_arena_take(arena, (size_t)cells, sizeof *grid->distance);
    if (grid->distance == NULL) {
        return no_memory();
    }
    for (int64_t c = 0; c < cells; ++c) {
        grid->distance[c] = bi_float_down(grid->beyond - look_slack(grid));
    }
    field->distance = grid->distance;
    return fill_lists(grid, cells);
}

// What the items of a field are by slab along one axis: not ended before it, not begun behind it.
static void fill_axis(const LaneField* field, int axis, double low, double width,
                      uint64_t unended[LANE_SLABS], uint64_t begun[LANE_SLABS]) {
    // Slabs are widened by more than floats lose in finding them; the first and the last have no end.
    for (int32_t k = 0; k < LANE_SLABS; ++k) {
        const double start = k == 0 ? -(double)INFINITY : low + ((double)k - 0.01) * width;
        const double end = k == LANE_SLABS - 1 ? (double)INFINITY : low + ((double)k + 1.01) * width;
        for (int32_t i = 0; i < field->item_count; ++i) {
            const Bounds b = bounds_of(&field->items[i]);
            unended[k] |= (uint64_t)(v3_at(b.high, axis) >= start) << i;
            begun[k] |= (uint64_t)(v3_at(b.low, axis) <= end) << i;
        }
    }
}

// Slabs of equal width from the first item's start to the last one's end.
static BerthStatus fill_slabs(LanesBuild* build, LaneField* field) {
    uint64_t(*slabs)[LANE_SLABS] = bi_arena_take(&build->lanes->arena, 6, sizeof *slabs);
    if (slabs == NULL) {
        return no_memory();
    }

    const double most = build->lanes->reach + 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (int32_t i = 0; i < field->item_count; ++i) {
            const Bounds b = bounds_of(&field->items[i]);
            low = fmin(low, v3_at(b.low, axis));
            high = fmax(high, v3_at(b.high, axis));
        }
        const float origin = (float)fmax(low, -most);
        high = fmax(fmin(high, most), (double)origin + 1e-3);

        const float inverse = (float)(LANE_SLABS / (high - (double)origin));
        field->slab_origin[axis] = origin;
        field->slab_origin[3 + axis] = -origin;
        field->slab_scale[axis] = inverse;
        field->slab_scale[3 + axis] = -inverse;
        fill_axis(field, axis, (double)origin, 1.0 / (double)inverse, slabs[axis], slabs[3 + axis]);
    }
    field->slabs = (const uint64_t(*)[LANE_SLABS])slabs;
    return BERTH_OK;
}

// Items that a group can get near to at all, wherever its joints are.
static uint64_t near_items(const LanesBuild* build, int32_t group, const LaneField* field) {
    const LanesGroup* g = &build->lanes->groups[group];
    const double most = g->reach.radius + g->leaf_radius + (double)build->lane_groups[group].extra;
    uint64_t near = 0;
    for (int32_t i = 0; i < field->item_count && field->slabs != NULL; ++i) {
        const double gap = item_distance(&field->items[i], g->reach.centre);
        near |= (uint64_t) !(gap > most * (1.0 + 1e-5) + 1e-4) << i;
    }
    return near;
}

static void bound_items(Items* items) {
    for (size_t i = 0; i < items->count; ++i) {
        const Bounds b = bounds_of(&items->at[i]);
        for (int k = 0; k < 3; ++k) {
            items->at[i].low[k] = bi_float_down(v3_at(b.low, k));
            items->at[i].high[k] = bi_float_up(v3_at(b.high, k));
        }
    }
}

static BerthStatus make_field(LanesBuild* build, int32_t group, const bool* wanted, LaneField* field) {
    Items items = {build, NULL, 0, 0};
    BerthStatus status = collect_items(&items, wanted);
    if (status != BERTH_OK || !build->holds) {
        return status;
    }

    bound_items(&items);

    // As far as any group of the field needs.
    double cluster = 0.0, whole = 0.0;
    for (int32_t g = group; g < build->lanes->model.group_count; ++g) {
        const double extra = (double)build->lane_groups[g].extra;
        cluster = fmax(cluster, build->most_radius[g] + extra);
        whole = fmax(whole, (double)build->lane_groups[g].ball.radius + extra);
    }
    *field = (LaneField){.item_count = (int32_t)items.count, .items = items.at};
    if (field->item_count <= LANE_MASK_ITEMS) {
        return fill_slabs(build, field);
    }
    Grid grid = {.build = build, .field = field, .items = items.at};
    const double reach = cluster + REACH_BEYOND;
    grid.beyond = fmax(whole + DISTANCE_BEYOND, 1.1 * reach);
    if (!lay_grid(&grid, reach)) {
        build->holds = false;
        return BERTH_OK;
    }
    grid.beyond = fmax(grid.beyond, near_distance(field) + 1e-3);
    return fill_grid(&grid);
}

BerthStatus bi_lanes_make_fields(LanesBuild* build) {
    const BerthScene* scene = build->scene;
    LaneModel* model = &build->lanes->model;
    Arena* arena = &build->lanes->arena;
    const size_t bodies = (size_t)scene->body_count;
    bool* wanted = bi_arena_take(arena, bodies, sizeof *wanted);
    bool* sets = bi_arena_take(arena, bodies * LANES_FIELDS_MAX, sizeof *sets);
    if (wanted == NULL || sets == NULL) {
        return no_memory();
    }

    BerthStatus status = BERTH_OK;
    for (int32_t g = 0; g < model->group_count && status == BERTH_OK && build->holds; ++g) {
        bool any = false;
        status = obstacles_of(build, g, wanted, &any);
        int32_t field = 0;
        while (any && field < model->field_count &&
               memcmp(sets + bodies * (size_t)field, wanted, bodies) != 0) {
            field += 1;
        }
        if (any && field == LANES_FIELDS_MAX) {
            build->holds = false;
        } else if (any && field == model->field_count) {
            memcpy(sets + bodies * (size_t)field, wanted, bodies);
            status = make_field(build, g, wanted, &build->fields[model->field_count++]);
        }
        build->lane_groups[g].field = any ? field : -1;
        if (any && status == BERTH_OK && build->holds) {
            build->lane_groups[g].near = near_items(build, g, &build->fields[field]);
        }
    }
    return status;
}
