// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Bits of cells that change, and the distance from a shape to the nearest of them. A walk from the root,
// nearest boxes first, in fixed memory: boxes are excluded by a box and a ball around the shape, then by the
// shape itself, as in field/gap_query.c.
// Entries: the functions of live_cells.h.

#include "occupancy/live_cells.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "math/morton.h"
#include "shape/gap.h"

// ---- bits ----------------------------------------------------------------------------------------------------

LiveCells bi_live_cells_shape(const int32_t size[3], double resolution) {
    LiveCells out = {.size = {size[0], size[1], size[2]}, .levels = 1, .resolution = resolution};
    const int32_t xy = size[0] > size[1] ? size[0] : size[1];
    const int32_t widest = xy > size[2] ? xy : size[2];
    while ((1 << out.levels) < widest) {
        out.levels += 1;
    }

    for (int32_t level = 1; level < out.levels; ++level) {
        out.start[level] = out.start[level - 1] + (1u << (3 * (level - 1)));
    }
    return out;
}

size_t bi_live_cells_bytes(const LiveCells* cells) {
    return (size_t)cells->start[cells->levels - 1] + ((size_t)1 << (3 * (cells->levels - 1)));
}

// The children of a node of this level that begins at `low`: those that hold cells of the size. None of a node outside.
static uint8_t bits_within(const LiveCells* cells, const int32_t low[3], int32_t level) {
    const int32_t half = 1 << (cells->levels - level - 1);
    uint8_t bits = 0;
    for (uint32_t k = 0; k < 8; ++k) {
        bool within = true;
        for (int axis = 0; axis < 3; ++axis) {
            within = within && low[axis] + ((k >> axis & 1) != 0 ? half : 0) < cells->size[axis];
        }
        bits = (uint8_t)(bits | (unsigned)within << k);
    }
    return bits;
}

void bi_live_cells_copy(LiveCells* cells, const uint8_t* bits) {
    if (bits != NULL) {
        memcpy(cells->bits, bits, bi_live_cells_bytes(cells));
    } else {
        memset(cells->bits, 0, bi_live_cells_bytes(cells));
    }
}

void bi_live_cells_fill(LiveCells* cells) {
    for (int32_t level = 0; level < cells->levels; ++level) {
        const uint32_t count = 1u << (3 * level);
        const int32_t width = 1 << (cells->levels - level);
        for (uint32_t code = 0; code < count; ++code) {
            int32_t low[3];
            morton_cell(3, code, low);
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] *= width;
            }
            cells->bits[cells->start[level] + code] = bits_within(cells, low, level);
        }
    }
}

// Upward for as long as a byte changes between nothing and something.
static void set_cell(LiveCells* cells, uint32_t code, bool obstacle) {
    for (int32_t level = cells->levels - 1; level >= 0; --level, code >>= 3) {
        uint8_t* byte = &cells->bits[cells->start[level] + (code >> 3)];
        const uint8_t before = *byte;
        const uint8_t bit = (uint8_t)(1u << (code & 7u));
        *byte = (uint8_t)(obstacle ? before | bit : before & ~bit);
        if ((before != 0) == (*byte != 0)) {
            return;
        }
    }
}

void bi_live_cells_set(LiveCells* cells, uint32_t first, uint32_t count, bool obstacle) {
    const uint32_t wide = (uint32_t)cells->size[0], deep = (uint32_t)cells->size[1];
    int32_t x = (int32_t)(first % wide);
    int32_t y = (int32_t)(first / wide % deep);
    int32_t z = (int32_t)(first / wide / deep);

    for (uint32_t i = 0; i < count; ++i) {
        const int32_t cell[3] = {x, y, z};
        set_cell(cells, (uint32_t)morton_code(3, cell), obstacle);
        if (++x == cells->size[0]) {
            x = 0;
            if (++y == cells->size[1]) {
                y = 0;
                z += 1;
            }
        }
    }
}

// ---- distances -----------------------------------------------------------------------------------------------

enum { WALK_STACK = 7 * LIVE_CELLS_LEVELS + 8 };

/// A node that holds an obstacle, or a cell that is one.
typedef struct LiveNode {
    int32_t low[3];  ///< its first cell
    int32_t level;   ///< `levels`: a cell
    uint32_t code;
    double lower;  ///< of the gap, by boxes and balls
} LiveNode;

typedef struct LiveWalk {
    const LiveCells* cells;
    const BerthShape* shape;
    const Pose* pose;  // cells_from_shape
    Vec3 low, high;    // box around the shape
    Vec3 centre;       // of a ball around it
    double radius, slack;
    double cut;    // what is further is of no interest
    double lower;  // least of all bounds of what was measured or left out within `wanted`
    BerthGap best;
    int32_t best_cell[3];
} LiveWalk;

static void node_box(const LiveCells* cells, const LiveNode* node, Vec3* low, Vec3* high) {
    const int32_t width = 1 << (cells->levels - node->level);
    double a[3], b[3];
    for (int axis = 0; axis < 3; ++axis) {
        a[axis] = bi_next_down(cells->resolution * node->low[axis]);
        b[axis] = bi_next_up(cells->resolution * (node->low[axis] + width));
    }
    *low = v3(a[0], a[1], a[2]);
    *high = v3(b[0], b[1], b[2]);
}

// How far the boxes are apart, and the ball from the box; whichever says more. Nothing is known of how deep they overlap.
static double lower_by_bounds(const LiveWalk* walk, Vec3 low, Vec3 high) {
    const Vec3 apart = v3_max(v3_max(v3_sub(low, walk->high), v3_sub(walk->low, high)), v3(0, 0, 0));
    const Vec3 off = v3_max(v3_max(v3_sub(low, walk->centre), v3_sub(walk->centre, high)), v3(0, 0, 0));
    const double apart_by = fmax(v3_length(off) - walk->radius, v3_length(apart));
    return apart_by > 0.0 ? apart_by - walk->slack : -(double)INFINITY;
}

// The box of a node, and the shape's pose in its middle.
static BerthShape box_of(const LiveWalk* walk, const LiveNode* node, Vec3* middle, Pose* pose) {
    Vec3 low, high;
    node_box(walk->cells, node, &low, &high);
    BerthShape box = {.kind = BERTH_BOX};
    box.as.box.half = v3_scale(v3_sub(high, low), 0.5);

    *middle = v3_scale(v3_add(low, high), 0.5);
    *pose = *walk->pose;
    pose->t = v3_sub(pose->t, *middle);
    return box;
}

static bool is_beyond_cut(const LiveWalk* walk, const LiveNode* node) {
    Vec3 middle;
    Pose pose;
    const BerthShape box = box_of(walk, node, &middle, &pose);
    return bi_shape_gap_if_apart(&box, walk->shape, &pose, walk->cut + walk->slack).lower - walk->slack >
           walk->cut;
}

static BerthGap cell_gap(const LiveWalk* walk, const LiveNode* node) {
    Vec3 middle;
    Pose pose;
    const BerthShape box = box_of(walk, node, &middle, &pose);
    BerthGap gap = bi_shape_gap(&box, walk->shape, &pose, walk->cut + walk->slack);

    // The walk's A is the shape.
    const Vec3 on_box = v3_add(gap.point_a, middle);
    gap.point_a = v3_add(gap.point_b, middle);
    gap.point_b = on_box;
    gap.normal = v3_neg(gap.normal);
    gap.lower -= walk->slack;
    gap.upper += walk->slack;
    return gap;
}

// Children that may be near, the nearest last.
static int push_children(const LiveWalk* walk, const LiveNode* node, LiveNode* stack, int count) {
    const LiveCells* cells = walk->cells;
    const int first = count;
    const uint8_t bits = cells->bits[cells->start[node->level] + node->code];
    const int32_t half = 1 << (cells->levels - node->level - 1);

    for (uint32_t k = 0; k < 8; ++k) {
        if ((bits >> k & 1) == 0) {
            continue;
        }

        LiveNode child = {
            .low = {node->low[0] + ((k & 1) != 0 ? half : 0), node->low[1] + ((k & 2) != 0 ? half : 0),
                    node->low[2] + ((k & 4) != 0 ? half : 0)},
            .level = node->level + 1,
            .code = node->code << 3 | k};
        Vec3 low, high;
        node_box(cells, &child, &low, &high);
        child.lower = lower_by_bounds(walk, low, high);
        if (child.lower > walk->cut) {
            continue;
        }

        int place = count++;
        for (; place > first && stack[place - 1].lower < child.lower; --place) {
            stack[place] = stack[place - 1];
        }
        stack[place] = child;
    }
    return count;
}

static void try_cell(LiveWalk* walk, const LiveNode* node) {
    const BerthGap gap = cell_gap(walk, node);
    walk->lower = gap.lower <= (double)INFINITY ? fmin(walk->lower, gap.lower) : -(double)INFINITY;

    if (walk->best_cell[0] < 0 || gap.upper < walk->best.upper) {
        walk->best = gap;
        memcpy(walk->best_cell, node->low, sizeof walk->best_cell);
        walk->cut = fmin(walk->cut, gap.upper);
    }
}

// True when all that could be nearer than the cut was looked at: what is left out is further than the cut was then, which never grows.
// Who overlaps an obstacle needs no second one.
static bool walk_nodes(LiveWalk* walk, int32_t* nodes) {
    LiveNode stack[WALK_STACK];
    stack[0] = (LiveNode){.lower = -(double)INFINITY};
    int count = 1;

    while (count > 0 && *nodes > 0 && !(walk->best.upper <= 0.0)) {
        const LiveNode top = stack[--count];
        *nodes -= 1;

        if (top.lower > walk->cut) {
            continue;
        }
        if (top.level == walk->cells->levels) {
            try_cell(walk, &top);
            continue;
        }

        const bool worth = top.level > 0 && walk->shape->kind != BERTH_SPHERE;
        if (!(worth && is_beyond_cut(walk, &top))) {
            count = push_children(walk, &top, stack, count);
        }
    }

    if (walk->best.upper <= 0.0) {
        // No depth is more than what is moved along one axis until both are apart.
        walk->lower = fmin(walk->lower, -(2.0 * walk->radius + walk->cells->resolution) - walk->slack);
        return true;
    }
    for (int i = 0; i < count; ++i) {  // not looked at: they may be as near as their bounds
        walk->lower = fmin(walk->lower, stack[i].lower);
    }
    return count == 0;
}

static LiveWalk begin_walk(const LiveCells* cells, const BerthShape* shape, const Pose* pose, double slack) {
    LiveWalk walk = {.cells = cells, .shape = shape, .pose = pose, .best_cell = {-1, -1, -1}};
    walk.best = (BerthGap){-(double)INFINITY, (double)INFINITY, pose->t, pose->t, {0, 0, 1}, 0};
    walk.lower = (double)INFINITY;

    Vec3 centre;
    bi_shape_bounds(shape, pose, &walk.low, &walk.high);
    bi_shape_ball(shape, &centre, &walk.radius);
    walk.centre = pose_apply(pose, centre);

    // Poses, boxes and kernels round in proportion to the farthest coordinate.
    const double size = v3_length(walk.centre) + walk.radius;
    const double cube = 3.0 * cells->resolution * (double)(1 << cells->levels);
    walk.slack = slack + BI_DISTANCE_SLACK * (cube + v3_length(pose->t) + size);
    return walk;
}

bool bi_live_cells_nearest(const LiveCells* cells, const BerthShape* shape, const BerthPose* cells_from_shape,
                           double slack, double wanted, int32_t* nodes, LiveCellsNearest* out) {
    LiveWalk walk = begin_walk(cells, shape, cells_from_shape, slack);
    *out = (LiveCellsNearest){.gap = walk.best, .cell = {-1, -1, -1}};
    if (cells->bits[0] == 0) {
        return false;
    }

    // NaN bounds nothing: the shape may be anywhere.
    walk.cut = wanted;
    const bool numbers = walk.slack <= (double)INFINITY && wanted == wanted;
    walk.lower = numbers ? walk.lower : -(double)INFINITY;
    const bool whole = numbers && walk_nodes(&walk, nodes);

    out->spent = !whole;
    out->gap = walk.best;
    out->gap.lower = fmin(walk.lower, walk.cut);  // of what was left out, too
    memcpy(out->cell, walk.best_cell, sizeof out->cell);
    return !whole || walk.lower <= wanted;
}

bool bi_live_cells_outside(const LiveCells* cells, const BerthShape* shape, const BerthPose* cells_from_shape,
                           double slack, double wanted, BerthGap* out) {
    const LiveWalk walk = begin_walk(cells, shape, cells_from_shape, slack);
    double least = (double)INFINITY;
    int nearest = 0;

    // The six half-spaces: the box around the shape touches the planes where the shape does.
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        const double end = bi_next_down(cells->resolution * cells->size[axis]);
        const double gap = side % 2 == 0 ? v3_at(walk.low, axis) : end - v3_at(walk.high, axis);
        if (!(gap >= least)) {
            least = gap;
            nearest = side;
        }
    }

    // Which point of it that is.
    const int axis = nearest / 2;
    const double sign = nearest % 2 == 0 ? -1.0 : 1.0;
    const Vec3 out_of = v3(axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0);
    const Pose* pose = cells_from_shape;
    const Vec3 local = v3(v3_dot(pose->x, out_of), v3_dot(pose->y, out_of), v3_dot(pose->z, out_of));
    const Vec3 point = pose_apply(pose, bi_shape_support(shape, local));

    *out = (BerthGap){.lower = least - walk.slack,
                      .upper = least + walk.slack,
                      .point_a = point,
                      .point_b = v3_add(point, v3_scale(out_of, least)),
                      .normal = out_of};
    return !(out->lower > wanted);
}
