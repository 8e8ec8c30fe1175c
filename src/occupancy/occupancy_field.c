// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// From a field, which knows for each cell only whether it is free or occupied, to log-odds. Its cells keep
// their positions: in OctoMap's cube where the field's corner is a whole number of cells from zero, otherwise
// in a cube of its own.
// Entry: berth_occupancy_from_field.

#include <math.h>
#include <string.h>

#include "field/field.h"
#include "math/tolerance.h"
#include "occupancy/occupancy.h"

// Where the field's first cell lies in OctoMap's cube. False when its corners are not OctoMap's, up to three roundings of decimal
// numbers, or it reaches out.
static bool find_place(const BerthFieldInfo* info, int32_t corner[3]) {
    const double origin[3] = {info->origin.x, info->origin.y, info->origin.z};
    corner[2] = 0;
    for (int axis = 0; axis < info->dim; ++axis) {
        const double steps = origin[axis] / info->resolution, whole = nearbyint(steps);
        const double first = whole + OCCUPANCY_SIDE / 2;
        const double room = 4.0 * BI_ULP * (1.0 + fabs(steps));
        if (!(fabs(steps - whole) <= room) || !(first >= 0.0 && first + info->size[axis] <= OCCUPANCY_SIDE)) {
            return false;
        }
        corner[axis] = (int32_t)first;
    }
    return true;
}

// In the middle of a cube of its own, so that the field's nodes are nodes.
static void choose_place(const BerthFieldInfo* info, int32_t corner[3]) {
    const int32_t width = 1 << info->levels;
    const int32_t middle = (OCCUPANCY_SIDE / width - 1) / 2 * width;
    for (int axis = 0; axis < 3; ++axis) {
        corner[axis] = axis < info->dim ? middle : 0;
    }
}

static BerthStatus add_leaf(BerthOccupancy* o, const BerthField* field, const FieldNode* leaf,
                            const int32_t corner[3]) {
    const int32_t colour = node_colour(leaf->node);
    int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    if (colour == BERTH_CELL_UNKNOWN) {
        return BERTH_OK;
    }

    // What is beyond the size is no part of the map.
    for (int axis = 0; axis < field->info.dim; ++axis) {
        const int32_t end = leaf->low[axis] + (1 << leaf->log_width);
        const int32_t size = field->info.size[axis];
        if (leaf->low[axis] >= size) {
            return BERTH_OK;
        }
        low[axis] = corner[axis] + leaf->low[axis];
        high[axis] = corner[axis] + (end < size ? end : size);
    }
    return berth_occupancy_set_box(o, low, high, colour == BERTH_CELL_OCCUPIED ? o->most : o->miss);
}

static BerthStatus add_leaves(BerthOccupancy* o, const BerthField* field, const int32_t corner[3]) {
    FieldNode stack[FIELD_STACK];
    int count = 0;
    uint32_t turns = 0;
    stack[count++] = field_root(field);
    BerthStatus status = BERTH_OK;

    while (count > 0 && status == BERTH_OK) {
        const FieldNode at = stack[--count];
        if (node_colour(at.node) != FIELD_GREY) {
            status = add_leaf(o, field, &at, corner);
            if (status == BERTH_OK && ++turns % 1024 == 0) {
                status = bi_occupancy_go_on(o);
            }
            continue;
        }
        for (int k = field_children(field) - 1; k >= 0; --k) {
            stack[count++] = field_child(field, &at, k);
        }
    }
    return status;
}

BerthStatus berth_occupancy_from_field(const BerthField* field, const BerthOccupancyDef* def,
                                       BerthOccupancy** out, int32_t corner[3]) {
    *out = NULL;
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "occupancy def: start from berth_default_occupancy_def()");
    }

    const BerthFieldInfo info = berth_field_info(field);
    BerthOccupancyDef same = *def;
    same.dim = info.dim;
    same.resolution = info.resolution;
    if (find_place(&info, corner)) {
        same.origin = (BerthVec3){0.0, 0.0, 0.0};
        same.first[0] = same.first[1] = same.first[2] = OCCUPANCY_SIDE / 2;
    } else {
        choose_place(&info, corner);
        same.origin = info.origin;
        memcpy(same.first, corner, sizeof same.first);
    }

    BerthOccupancy* o = NULL;
    BerthStatus status = berth_occupancy_create(&same, &o);
    if (status == BERTH_OK) {
        status = add_leaves(o, field, corner);
    }
    if (status != BERTH_OK) {
        berth_occupancy_destroy(o);
        return status;
    }
    *out = o;
    return BERTH_OK;
}
