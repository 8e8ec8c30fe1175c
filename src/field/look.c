// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What is in a field: leaves, colours, and the values of the maps as they are defined.

#include "field/field.h"

BerthFieldInfo berth_field_info(const BerthField* field) {
    return field->info;
}

static BerthFieldLeaf leaf_tell(const BerthField* field, const int32_t low[3], int32_t log_width,
                                int32_t colour) {
    const int32_t level = field->info.levels - log_width;
    BerthFieldLeaf out = {
        {low[0], low[1], low[2]}, (int32_t)1 << log_width, level, 0, (BerthCellColour)colour};
    out.code = morton_code(field->info.dim, low) >> (field->info.dim * log_width);
    return out;
}

BerthFieldLeaf berth_field_solid_leaf(const BerthField* field, int64_t index) {
    if (index < 0 || index >= (int64_t)field->arrays[FIELD_SOLIDS].count) {
        return (BerthFieldLeaf){{0, 0, 0}, 0, -1, 0, BERTH_CELL_FREE};
    }
    const PackedLeaf leaf = field->solids[index];
    const int32_t low[3] = {leaf_low(leaf, 0), leaf_low(leaf, 1), leaf_low(leaf, 2)};
    return leaf_tell(field, low, leaf_log(leaf), leaf_colour(leaf));
}

static bool cell_in_root(const BerthField* field, int32_t cell[3]) {
    if (field->info.dim == 2) {
        cell[2] = 0;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (cell[axis] < 0 || cell[axis] >= field->cells) {
            return false;
        }
    }
    return true;
}

BerthFieldLeaf berth_field_leaf_at(const BerthField* field, int32_t x, int32_t y, int32_t z) {
    int32_t cell[3] = {x, y, z};
    if (!cell_in_root(field, cell)) {
        return (BerthFieldLeaf){{0, 0, 0}, 0, -1, 0, BERTH_CELL_FREE};
    }
    const FieldNode at = field_leaf(field, cell);
    return leaf_tell(field, at.low, at.log_width, node_colour(at.node));
}

BerthCellColour berth_field_colour_at(const BerthField* field, int32_t x, int32_t y, int32_t z) {
    const BerthFieldLeaf leaf = berth_field_leaf_at(field, x, y, z);
    return leaf.level < 0 ? BERTH_CELL_UNKNOWN : leaf.colour;
}

void berth_field_read_block(const BerthField* field, const int32_t low[3], const int32_t size[3],
                            const int64_t stride[3], uint8_t* cells) {
    for (int32_t k = 0; k < size[2]; ++k) {
        for (int32_t j = 0; j < size[1]; ++j) {
            for (int32_t i = 0; i < size[0];) {
                // One descent a leaf, not a cell.
                const BerthFieldLeaf leaf = berth_field_leaf_at(field, low[0] + i, low[1] + j, low[2] + k);
                const int32_t end = leaf.level < 0 ? i + 1 : leaf.low[0] + leaf.width - low[0];
                const uint8_t colour = leaf.level < 0 ? (uint8_t)BERTH_CELL_UNKNOWN : (uint8_t)leaf.colour;
                for (; i < end && i < size[0]; ++i) {
                    cells[i * stride[0] + j * stride[1] + k * stride[2]] = colour;
                }
            }
        }
    }
}

// The cell's place in the dense maps; false outside of the map's size.
static bool dense_cell(const BerthField* field, int32_t x, int32_t y, int32_t z, size_t* index) {
    const int32_t cell[3] = {x, y, field->info.dim == 2 ? 0 : z};
    for (int axis = 0; axis < 3; ++axis) {
        if (cell[axis] < 0 || cell[axis] >= field->info.size[axis]) {
            return false;
        }
    }
    *index = dense_index(field, cell);
    return true;
}

int64_t berth_field_dm_at(const BerthField* field, int32_t x, int32_t y, int32_t z) {
    size_t index;
    if ((field->info.parts & BERTH_FIELD_DM) == 0 || field->info.obstacle_count == 0 ||
        !dense_cell(field, x, y, z, &index)) {
        return -1;
    }
    return field->dense_l1[index];
}

int64_t berth_field_euclid_at(const BerthField* field, int32_t x, int32_t y, int32_t z) {
    size_t index;
    if ((field->info.parts & BERTH_FIELD_EUCLID) == 0 || field->info.obstacle_count == 0 ||
        !dense_cell(field, x, y, z, &index)) {
        return -1;
    }
    return field->dense_euclid[index];
}

bool berth_field_separation(const BerthField* field, int32_t x, int32_t y, int32_t z, int64_t* least,
                            int64_t* greatest) {
    int32_t cell[3] = {x, y, z};
    if ((field->info.parts & BERTH_FIELD_ODM) == 0 || field->info.obstacle_count == 0 ||
        !cell_in_root(field, cell)) {
        return false;
    }
    const FieldNode at = field_leaf(field, cell);
    if (node_blocks(field, at.node)) {
        return false;
    }
    const uint16_t* separation = field->separations + 2 * (size_t)node_payload(at.node);
    *least = separation[0];
    *greatest = separation[1];
    return true;
}
