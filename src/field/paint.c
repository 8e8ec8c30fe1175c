// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What can be added to a builder: boxes, blocks of cells, points, meshes. Each determines for a node whether
// it covers it, misses it, or cuts it; cut nodes are opened, cut cells are painted. A cell that is touched is
// painted: rounding errs in that direction, too.
// Entries: berth_field_add_box, berth_field_add_block, berth_field_add_points, berth_field_add_mesh.

#include <string.h>

#include "field/field.h"
#include "math/tolerance.h"
#include "mesh/mesh.h"
#include "shape/gap.h"

typedef enum Cover { COVER_NONE = 0, COVER_ALL, COVER_SOME } Cover;
typedef Cover (*CoverOf)(const void* user, const int32_t low[3], int32_t log_width);

typedef struct PaintNode {
    int32_t low[3];
    int32_t log_width;
} PaintNode;

// What of a node is within the map's size.
static Cover cover_of_size(const BerthFieldDef* def, const PaintNode* at) {
    Cover cover = COVER_ALL;
    for (int axis = 0; axis < def->dim; ++axis) {
        const int32_t size = map_size(def, axis);
        if (at->low[axis] >= size) {
            return COVER_NONE;
        }
        if (at->low[axis] + (1 << at->log_width) > size) {
            cover = COVER_SOME;
        }
    }
    return cover;
}

// Opens nodes from the root on; what is covered goes to `paints`.
static BerthStatus paint_where(const BerthFieldDef* def, CoverOf cover, const void* user,
                               BerthCellColour colour, GrowList* paints) {
    PaintNode stack[FIELD_STACK];
    int count = 1;
    stack[0] = (PaintNode){{0, 0, 0}, def->levels};
    BerthStatus status = BERTH_OK;
    uint32_t turns = 0;

    while (count > 0 && status == BERTH_OK) {
        if (++turns % FIELD_TURNS == 0 && bi_field_report_progress(def, 0.0) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }
        const PaintNode at = stack[--count];
        const Cover within = cover_of_size(def, &at);
        const Cover part = within == COVER_NONE ? COVER_NONE : cover(user, at.low, at.log_width);
        if (part == COVER_NONE) {
            continue;
        }

        if ((part == COVER_SOME || within == COVER_SOME) && at.log_width > 0) {
            const int32_t b = at.log_width - 1;
            for (int k = (1 << def->dim) - 1; k >= 0; --k) {
                stack[count++] = (PaintNode){{at.low[0] + ((k & 1) << b), at.low[1] + ((k >> 1 & 1) << b),
                                              at.low[2] + ((k >> 2 & 1) << b)},
                                             b};
            }
            continue;
        }

        status = bi_field_append_paint(def, paints, at.low, at.log_width, colour);
    }
    return status;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------------------

typedef struct CellBox {
    int32_t low[3], high[3];
    int dim;
} CellBox;

static Cover cover_box(const void* user, const int32_t low[3], int32_t log_width) {
    const CellBox* box = user;
    Cover cover = COVER_ALL;

    for (int axis = 0; axis < box->dim; ++axis) {
        const int32_t high = low[axis] + (1 << log_width);
        if (high <= box->low[axis] || low[axis] >= box->high[axis]) {
            return COVER_NONE;
        }
        if (low[axis] < box->low[axis] || high > box->high[axis]) {
            cover = COVER_SOME;
        }
    }
    return cover;
}

static BerthStatus check_cells(const BerthFieldDef* def, const int32_t low[3], const int32_t high[3]) {
    for (int axis = 0; axis < def->dim; ++axis) {
        const int32_t cells = map_size(def, axis);
        if (low[axis] < 0 || high[axis] > cells || low[axis] > high[axis]) {
            return bi_fail(BERTH_ERR_ARGUMENT, "cells %d to %d of axis %d are not within the %d of the map",
                           low[axis], high[axis], axis, cells);
        }
    }
    return BERTH_OK;
}

// Cubes of one width that lie within the box, on their places in the tree; of each twice as wide one there are 2^dim in it.
uint64_t berth_field_box_nodes(int32_t dim, const int32_t low[3], const int32_t high[3]) {
    uint64_t nodes = 0, wider = 0;
    for (int32_t k = FIELD_LEVELS; k >= 0; --k) {
        uint64_t cubes = 1;
        for (int axis = 0; axis < dim; ++axis) {
            const int64_t width = (int64_t)1 << k;
            const int64_t first = (low[axis] + width - 1) >> k, end = high[axis] >> k;
            cubes *= end > first ? (uint64_t)(end - first) : 0;
        }
        nodes += cubes - (wider << dim);
        wider = cubes;
    }
    return nodes;
}

BerthStatus berth_field_add_box(BerthFieldBuilder* builder, const int32_t low[3], const int32_t high[3],
                                BerthCellColour colour) {
    const BerthStatus status = check_cells(&builder->def, low, high);
    if (status != BERTH_OK) {
        return status;
    }

    if ((uint32_t)colour >= BERTH_CELL_COLOUR_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "colour %d is none", (int)colour);
    }

    const uint64_t nodes = berth_field_box_nodes(builder->def.dim, low, high);
    const BerthStatus room = bi_field_check_paints(&builder->def, nodes + builder->paints.count);
    if (room != BERTH_OK) {
        return room;
    }

    const CellBox box = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}, builder->def.dim};
    return paint_where(&builder->def, cover_box, &box, colour, &builder->paints);
}

// ---- blocks of cells --------------------------------------------------------------------------------------------------------------

typedef struct Block {
    CellBox box;
    const uint8_t* cells;
    const int64_t* stride;
    uint8_t colour;  // that is looked for
    const BerthFieldDef* def;
    bool* cancelled;
} Block;

enum { LARGE_LOG = 10, LEAVES_A_LOOK = 1 << 14 };

// Whether all cells of the node have the colour, none, or some.
static Cover cover_block(const void* user, const int32_t low[3], int32_t log_width) {
    const Block* block = user;
    const Cover cover = cover_box(&block->box, low, log_width);
    if (cover != COVER_ALL) {
        return cover;
    }

    const int32_t width = 1 << log_width;
    const int64_t* stride = block->stride;
    const bool flat = block->box.dim == 2;
    bool some = false, all = true;

    for (int32_t k = 0; k < (flat ? 1 : width) && (all || !some); ++k) {
        // Large nodes are gigabytes of cells.
        if (log_width >= LARGE_LOG && bi_field_report_progress(block->def, 0.0) != BERTH_OK) {
            *block->cancelled = true;
            return COVER_NONE;
        }
        for (int32_t j = 0; j < width && (all || !some); ++j) {
            const int64_t row = (low[1] + j - block->box.low[1]) * stride[1] +
                                (flat ? 0 : (low[2] + k - block->box.low[2]) * stride[2]);
            const uint8_t* cell = block->cells + row + (low[0] - block->box.low[0]) * stride[0];
            for (int32_t i = 0; i < width; ++i) {
                const bool same = cell[i * stride[0]] == block->colour;
                some = some || same;
                all = all && same;
            }
        }
    }

    if (all) {
        return COVER_ALL;
    }
    return some ? COVER_SOME : COVER_NONE;
}

BerthStatus berth_field_add_block(BerthFieldBuilder* builder, const uint8_t* cells, const int32_t size[3],
                                  const int64_t stride[3], const int32_t low[3]) {
    const int dim = builder->def.dim;
    const int32_t high[3] = {low[0] + size[0], low[1] + size[1], dim == 2 ? 1 : low[2] + size[2]};
    BerthStatus status = check_cells(&builder->def, low, high);
    if (status != BERTH_OK) {
        return status;
    }

    bool seen[BERTH_CELL_COLOUR_COUNT] = {false};
    for (int32_t k = 0; k < (dim == 2 ? 1 : size[2]) && status == BERTH_OK; ++k) {
        status = bi_field_report_progress(&builder->def, 0.0);
        for (int32_t j = 0; j < size[1]; ++j) {
            for (int32_t i = 0; i < size[0]; ++i) {
                const uint8_t colour = cells[i * stride[0] + j * stride[1] + (dim == 2 ? 0 : k * stride[2])];
                if (colour >= BERTH_CELL_COLOUR_COUNT) {
                    return bi_fail(BERTH_ERR_ARGUMENT, "cell (%d, %d, %d): colour %d is none", i, j, k,
                                   colour);
                }
                seen[colour] = true;
            }
        }
    }

    bool cancelled = false;
    Block block = {{{low[0], low[1], low[2]}, {high[0], high[1], high[2]}, dim},
                   cells,
                   stride,
                   0,
                   &builder->def,
                   &cancelled};

    for (int colour = 0; colour < BERTH_CELL_COLOUR_COUNT && status == BERTH_OK; ++colour) {
        // A bare canvas is free already.
        const bool bare = colour == BERTH_CELL_FREE && builder->paints.count == 0;
        if (seen[colour] && !bare) {
            block.colour = (uint8_t)colour;
            status =
                paint_where(&builder->def, cover_block, &block, (BerthCellColour)colour, &builder->paints);
        }
        if (status == BERTH_OK) {
            status = cancelled ? BERTH_ERR_CANCELLED : bi_field_report_progress(&builder->def, 0.0);
        }
    }

    return status;
}

// ---- points -----------------------------------------------------------------------------------------------------------------------

static Vec3 to_cells(const BerthFieldDef* def, Vec3 point) {
    const Vec3 q = v3_sub(point, def->origin);
    return v3(q.x / def->resolution, q.y / def->resolution, q.z / def->resolution);
}

// Rounding of a point in cells: see docs/theory/field.md.
static double cell_slack(const BerthFieldDef* def, Vec3 q) {
    const double far = fmax(fabs(q.x), fmax(fabs(q.y), fabs(q.z)));
    return BI_FIELD_SLACK * ((double)(1 << def->levels) + far);
}

typedef struct CellBall {
    double centre[3];
    double radius, slack;
    int dim;
} CellBall;

static Cover cover_ball(const void* user, const int32_t low[3], int32_t log_width) {
    const CellBall* ball = user;
    double near_sq = 0.0, far_sq = 0.0;

    for (int axis = 0; axis < ball->dim; ++axis) {
        const double a = (double)low[axis] - ball->centre[axis];
        const double b = ball->centre[axis] - (double)(low[axis] + (1 << log_width));
        const double near = fmax(fmax(a, b), 0.0);
        const double far = fmax(-a, -b);
        near_sq += near * near;
        far_sq += far * far;
    }

    const double most = ball->radius + ball->slack, least = ball->radius - ball->slack;
    if (near_sq > most * most) {
        return COVER_NONE;
    }

    return least > 0.0 && far_sq < least * least ? COVER_ALL : COVER_SOME;
}

BerthStatus berth_field_add_points(BerthFieldBuilder* builder, const BerthVec3* points, size_t count,
                                   double radius, size_t* dropped) {
    const BerthFieldDef* def = &builder->def;
    if (!(radius >= 0.0) || !isfinite(radius)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "points: radius is %g m, must be finite and >= 0", radius);
    }

    size_t left_out = 0;
    BerthStatus status = BERTH_OK;

    for (size_t i = 0; i < count && status == BERTH_OK; ++i) {
        if (i % 1024 == 1023 && bi_field_report_progress(def, 0.0) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }
        const bool finite =
            isfinite(points[i].x) && isfinite(points[i].y) && (def->dim == 2 || isfinite(points[i].z));
        Vec3 q = to_cells(def, points[i]);
        if (def->dim == 2) {
            q.z = 0.0;
        }

        // A ball that touches the map, or may, is in it.
        const double c[3] = {q.x, q.y, q.z};
        const double r = radius / def->resolution, room = r > 0.0 ? r + cell_slack(def, q) : 0.0;
        bool inside = finite;
        for (int axis = 0; axis < def->dim; ++axis) {
            inside = inside && c[axis] >= -room && c[axis] <= map_size(def, axis) + room;
        }

        if (!inside) {
            ++left_out;
        } else if (radius > 0.0) {
            const CellBall ball = {{c[0], c[1], c[2]}, r, cell_slack(def, q), def->dim};
            status = paint_where(def, cover_ball, &ball, BERTH_CELL_OCCUPIED, &builder->paints);
        } else {
            int32_t cell[3] = {0, 0, 0};
            for (int axis = 0; axis < def->dim; ++axis) {
                cell[axis] = c[axis] >= map_size(def, axis) ? map_size(def, axis) - 1 : (int32_t)c[axis];
            }
            status = bi_field_paint(builder, cell, 0, BERTH_CELL_OCCUPIED);
        }
    }

    if (dropped != NULL) {
        *dropped = left_out;
    }
    return status;
}

// ---- meshes -----------------------------------------------------------------------------------------------------------------------

typedef struct CellTriangle {
    Vec3 point[3];  // in cells
    Vec3 edge[3];
    double slack;
} CellTriangle;

// True when the axis proves that triangle and cube (centre, half width) are apart.
static bool axis_parts(const CellTriangle* t, Vec3 centre, double half, Vec3 axis) {
    const double p0 = v3_dot(axis, v3_sub(t->point[0], centre));
    const double p1 = v3_dot(axis, v3_sub(t->point[1], centre));
    const double p2 = v3_dot(axis, v3_sub(t->point[2], centre));
    const double length = fabs(axis.x) + fabs(axis.y) + fabs(axis.z);
    const double reach = (half + t->slack) * length;
    return fmin(p0, fmin(p1, p2)) > reach || fmax(p0, fmax(p1, p2)) < -reach;
}

static Cover cover_triangle(const void* user, const int32_t low[3], int32_t log_width) {
    const CellTriangle* t = user;
    const double half = 0.5 * (double)(1 << log_width);
    const Vec3 centre = v3((double)low[0] + half, (double)low[1] + half, (double)low[2] + half);
    const Vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    for (int axis = 0; axis < 3; ++axis) {
        if (axis_parts(t, centre, half, unit[axis])) {
            return COVER_NONE;
        }
    }

    if (axis_parts(t, centre, half, v3_cross(t->edge[0], t->edge[1]))) {
        return COVER_NONE;
    }

    for (int edge = 0; edge < 3; ++edge) {
        for (int axis = 0; axis < 3; ++axis) {
            if (axis_parts(t, centre, half, v3_cross(unit[axis], t->edge[edge]))) {
                return COVER_NONE;
            }
        }
    }
    return COVER_SOME;
}

static BerthStatus paint_surface(const BerthFieldDef* def, const BerthMesh* mesh, const Pose* pose,
                                 GrowList* paints) {
    BerthStatus status = BERTH_OK;

    for (int32_t i = 0; i < mesh->info.triangle_count && status == BERTH_OK; ++i) {
        if (i % 1024 == 1023 && bi_field_report_progress(def, 0.0) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }
        Vec3 local[3];
        mesh_triangle(mesh, i, local);

        CellTriangle t;
        t.slack = 0.0;
        for (int k = 0; k < 3; ++k) {
            t.point[k] = to_cells(def, pose_apply(pose, local[k]));
            // Poses and the projections round, too: eight times what one point costs.
            t.slack = fmax(t.slack, 8.0 * cell_slack(def, t.point[k]));
        }

        for (int k = 0; k < 3; ++k) {
            t.edge[k] = v3_sub(t.point[(k + 1) % 3], t.point[k]);
        }

        status = paint_where(def, cover_triangle, &t, BERTH_CELL_OCCUPIED, paints);
    }
    return status;
}

static uint32_t find_set(uint32_t* parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Calls `each` for all free leaves, in the order of their slots.
static BerthStatus for_each_free_leaf(const BerthField* tree, const BerthFieldDef* def,
                                      BerthStatus (*each)(void* user, const FieldNode* leaf), void* user) {
    FieldNode stack[FIELD_STACK];
    int count = 1;
    stack[0] = field_root(tree);
    BerthStatus status = BERTH_OK;

    while (count > 0 && status == BERTH_OK) {
        const FieldNode at = stack[--count];
        if (node_colour(at.node) == FIELD_GREY) {
            for (int k = field_children(tree) - 1; k >= 0; --k) {
                stack[count++] = field_child(tree, &at, k);
            }
        } else if (!node_blocks(tree, at.node)) {
            const bool look = node_payload(at.node) % LEAVES_A_LOOK == 0;
            status = look ? bi_field_report_progress(def, 0.0) : BERTH_OK;
            status = status == BERTH_OK ? each(user, &at) : status;
        }
    }
    return status;
}

typedef struct Fill {
    const BerthField* tree;  // of the surface alone
    BerthFieldBuilder* builder;
    const BerthMesh* mesh;
    const Pose* pose;
    uint32_t* parent;  // sets of free leaves that no surface parts
    uint8_t* inside;   // by set: 0 not known yet, 1 out, 2 in
} Fill;

static BerthStatus join_neighbours(void* user, const FieldNode* leaf) {
    Fill* fill = user;

    for (int side = 0; side < FIELD_FACES; ++side) {
        int32_t cell[3] = {leaf->low[0], leaf->low[1], leaf->low[2]};
        cell[side / 2] += side % 2 == 0 ? -1 : 1 << leaf->log_width;
        if (cell[side / 2] < 0 || cell[side / 2] >= fill->tree->cells) {
            continue;
        }

        const FieldNode next = field_leaf(fill->tree, cell);
        if (!node_blocks(fill->tree, next.node)) {
            const uint32_t a = find_set(fill->parent, node_payload(leaf->node));
            const uint32_t b = find_set(fill->parent, node_payload(next.node));
            fill->parent[a > b ? a : b] = a > b ? b : a;
        }
    }
    return BERTH_OK;
}

// A node of the root, less what is beyond the map's size.
static BerthStatus paint_within_size(BerthFieldBuilder* builder, const int32_t low[3], int32_t log_width) {
    const PaintNode node = {{low[0], low[1], low[2]}, log_width};
    const Cover within = cover_of_size(&builder->def, &node);
    if (within == COVER_NONE) {
        return BERTH_OK;
    }
    if (within == COVER_ALL) {
        return bi_field_paint(builder, low, log_width, BERTH_CELL_OCCUPIED);
    }

    int32_t high[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t end = low[axis] + (1 << log_width), size = map_size(&builder->def, axis);
        high[axis] = end < size ? end : size;
    }
    return berth_field_add_box(builder, low, high, BERTH_CELL_OCCUPIED);
}

static BerthStatus paint_leaf_if_inside(void* user, const FieldNode* leaf) {
    Fill* fill = user;
    const BerthFieldDef* def = &fill->builder->def;
    const uint32_t set = find_set(fill->parent, node_payload(leaf->node));

    if (fill->inside[set] == 0) {
        if (bi_field_report_progress(def, 0.0) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }
        const double half = 0.5 * (double)(1 << leaf->log_width);
        const Vec3 q =
            v3((double)leaf->low[0] + half, (double)leaf->low[1] + half, (double)leaf->low[2] + half);
        const Vec3 p = v3_mad(def->origin, def->resolution, q);
        fill->inside[set] = bi_mesh_contains_slow(fill->mesh, pose_apply_back(fill->pose, p)) ? 2 : 1;
    }

    if (fill->inside[set] != 2) {
        return BERTH_OK;
    }
    return paint_within_size(fill->builder, leaf->low, leaf->log_width);
}

// Free leaves of the surface's tree that share a face lie on one side of it; one of each set is tested.
static BerthStatus fill_inside(BerthFieldBuilder* builder, const BerthField* tree, const BerthMesh* mesh,
                               const Pose* pose) {
    Fill fill = {tree, builder, mesh, pose, NULL, NULL};

    fill.parent = bi_take(&tree->allocator, tree->slots, sizeof *fill.parent);
    fill.inside = bi_take(&tree->allocator, tree->slots, sizeof *fill.inside);
    BerthStatus status = BERTH_OK;

    if (fill.parent == NULL || fill.inside == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "field builder: out of memory");
    } else {
        for (uint32_t i = 0; i < tree->slots; ++i) {
            fill.parent[i] = i;
        }
        status = for_each_free_leaf(tree, &builder->def, join_neighbours, &fill);
    }

    if (status == BERTH_OK) {
        status = for_each_free_leaf(tree, &builder->def, paint_leaf_if_inside, &fill);
    }

    if (fill.parent != NULL) {
        bi_give(&tree->allocator, fill.parent, tree->slots, sizeof *fill.parent);
    }
    if (fill.inside != NULL) {
        bi_give(&tree->allocator, fill.inside, tree->slots, sizeof *fill.inside);
    }
    return status;
}

BerthStatus berth_field_add_mesh(BerthFieldBuilder* builder, const BerthMesh* mesh,
                                 const BerthPose* field_from_mesh) {
    if (builder->def.dim != 3) {
        return bi_fail(BERTH_ERR_ARGUMENT, "a mesh can only be added to a map of space, this one has %d axes",
                       builder->def.dim);
    }
    if (!v3_finite(field_from_mesh->x) || !v3_finite(field_from_mesh->y) || !v3_finite(field_from_mesh->z) ||
        !v3_finite(field_from_mesh->t)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "a mesh's pose must be finite");
    }

    // In the whole root: a surface that ended where the map's size does would have no inside any more.
    BerthFieldDef def = builder->def;
    def.parts = 0;
    def.background = BERTH_CELL_FREE;
    def.size[0] = def.size[1] = def.size[2] = 0;

    GrowList paints, solids;
    bi_list_init(&paints, &def.allocator, sizeof(Paint));
    bi_list_init(&solids, &def.allocator, sizeof(PackedLeaf));
    BerthField* tree = NULL;

    BerthStatus status = paint_surface(&def, mesh, field_from_mesh, &paints);
    if (status == BERTH_OK) {
        status = bi_field_resolve_paints(def.dim, def.levels, paints.data, paints.count, &def, &solids);
    }

    bi_list_free(&paints);
    for (size_t i = 0; i < solids.count && status == BERTH_OK; ++i) {
        const PackedLeaf leaf = ((const PackedLeaf*)solids.data)[i];
        const int32_t low[3] = {leaf_low(leaf, 0), leaf_low(leaf, 1), leaf_low(leaf, 2)};
        status = paint_within_size(builder, low, leaf_log(leaf));
    }

    if (status == BERTH_OK && mesh->info.watertight) {
        status = bi_field_create(&def, &tree);
        if (status == BERTH_OK) {
            status = bi_field_take_list(tree, FIELD_SOLIDS, &solids);
        }
        if (status == BERTH_OK) {
            status = bi_field_make_tree(tree, &def);
        }
        if (status == BERTH_OK) {
            status = fill_inside(builder, tree, mesh, field_from_mesh);
        }
        berth_field_destroy(tree);
    }

    bi_list_free(&solids);
    return status;
}
