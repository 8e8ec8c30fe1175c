// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The arrays of a field, the tree from its solid leaves, and their contents: leaves, colours, values of the
// maps.

#include <string.h>

#include "field/field.h"

size_t bi_field_item_size(FieldArrayKind kind) {
    static const size_t sizes[FIELD_ARRAY_COUNT] = {
        [FIELD_NODES] = sizeof(uint32_t),        [FIELD_SOLIDS] = sizeof(PackedLeaf),
        [FIELD_SEPARATIONS] = sizeof(uint16_t),  [FIELD_LINKS] = sizeof(uint32_t),
        [FIELD_STRIPS] = sizeof(FieldStrip),     [FIELD_PIECES] = sizeof(FieldPiece),
        [FIELD_REACHES] = sizeof(uint32_t),      [FIELD_DENSE_L1] = sizeof(uint16_t),
        [FIELD_DENSE_EUCLID] = sizeof(uint32_t), [FIELD_LIST_FIRST] = sizeof(uint32_t),
        [FIELD_LIST_ITEMS] = sizeof(uint32_t),
    };
    return sizes[kind];
}

// ---- arrays -------------------------------------------------------------------------------------------------------------------

void bi_field_set_pointers(BerthField* field) {
    const FieldArray* a = field->arrays;
    field->nodes = a[FIELD_NODES].data;
    field->solids = a[FIELD_SOLIDS].data;
    field->separations = a[FIELD_SEPARATIONS].data;
    field->links = a[FIELD_LINKS].data;
    field->strips = a[FIELD_STRIPS].data;
    field->pieces = a[FIELD_PIECES].data;
    field->reaches = a[FIELD_REACHES].data;
    field->dense_l1 = a[FIELD_DENSE_L1].data;
    field->dense_euclid = a[FIELD_DENSE_EUCLID].data;
    field->looks.map = field->dense_euclid;
    field->list_first = a[FIELD_LIST_FIRST].data;
    field->list_items = a[FIELD_LIST_ITEMS].data;
}

void bi_field_give_array(BerthField* field, FieldArrayKind kind) {
    FieldArray* array = &field->arrays[kind];
    if (array->data != NULL && !array->borrowed) {
        bi_give(&field->allocator, array->data, array->count, array->size);
    }
    *array = (FieldArray){NULL, 0, array->size, false};
    bi_field_set_pointers(field);
}

BerthStatus bi_field_take_array(BerthField* field, FieldArrayKind kind, size_t count) {
    bi_field_give_array(field, kind);

    FieldArray* array = &field->arrays[kind];
    array->data = bi_take(&field->allocator, count, array->size);
    if (array->data == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory, %zu bytes more were needed",
                       count * array->size);
    }
    array->count = count;
    bi_field_set_pointers(field);
    return BERTH_OK;
}

BerthStatus bi_field_take_list(BerthField* field, FieldArrayKind kind, GrowList* list) {
    const BerthStatus status = bi_field_take_array(field, kind, list->count);

    if (status == BERTH_OK && list->count > 0) {
        memcpy(field->arrays[kind].data, list->data, list->count * list->size);
    }

    bi_list_free(list);
    return status;
}

// ---- the tree -----------------------------------------------------------------------------------------------------------------

/// A grey node whose children are being made.
typedef struct TreeFrame {
    uint64_t code;
    uint32_t first;  // of its children
    int32_t level, child;
} TreeFrame;

typedef struct TreeMaker {
    BerthField* field;
    GrowList nodes;
    size_t solid;  // next one
    TreeFrame frames[FIELD_LEVELS + 1];
    int depth;
} TreeMaker;

static void count_leaf(BerthField* field, int32_t colour, int32_t level) {
    BerthFieldInfo* info = &field->info;
    const uint64_t cells = (uint64_t)1 << (info->dim * (info->levels - level));
    if (colour == BERTH_CELL_OCCUPIED) {
        ++info->occupied_count;
        info->occupied_cells += cells;
    } else if (colour == BERTH_CELL_UNKNOWN) {
        ++info->unknown_count;
        info->unknown_cells += cells;
    } else {
        ++info->free_count;
    }
}

// The word of the node at `code`; grey ones get a frame and a block of children.
static BerthStatus make_node(TreeMaker* m, uint64_t code, int32_t level, uint32_t index) {
    BerthField* field = m->field;
    const int dim = field->info.dim;
    const size_t count = field->arrays[FIELD_SOLIDS].count;
    const uint64_t width = (uint64_t)1 << (dim * (field->info.levels - level));

    int32_t colour = BERTH_CELL_FREE;
    if (m->solid < count) {
        const PackedLeaf leaf = field->solids[m->solid];
        const int32_t low[3] = {leaf_low(leaf, 0), leaf_low(leaf, 1), leaf_low(leaf, 2)};
        const uint64_t first = morton_code(dim, low);
        if (first == code && leaf_log(leaf) == field->info.levels - level) {
            colour = leaf_colour(leaf);
        } else if (first < code + width) {
            colour = FIELD_GREY;
        }
    }

    if (colour == FIELD_GREY) {
        const uint32_t children = 1u << dim;
        if (m->nodes.count + children > FIELD_PAYLOAD || bi_list_more(&m->nodes, children) == NULL) {
            return bi_fail(BERTH_ERR_MEMORY, "field: out of memory after %zu nodes", m->nodes.count);
        }

        const uint32_t first = (uint32_t)m->nodes.count;
        m->nodes.count += children;
        ((uint32_t*)m->nodes.data)[index] = node_make(FIELD_GREY, first);
        m->frames[m->depth++] = (TreeFrame){code, first, level, 0};
        ++field->info.grey_count;
        return BERTH_OK;
    }

    const bool blocks =
        colour == BERTH_CELL_OCCUPIED || (colour == BERTH_CELL_UNKNOWN && !field->info.unknown_is_free);
    ((uint32_t*)m->nodes.data)[index] = node_make(colour, blocks ? (uint32_t)m->solid : field->slots);

    field->slots += blocks ? 0u : 1u;
    field->info.obstacle_count += blocks ? 1 : 0;
    m->solid += colour == BERTH_CELL_FREE ? 0u : 1u;
    count_leaf(field, colour, level);
    return BERTH_OK;
}

static BerthStatus make_all_nodes(TreeMaker* m, const BerthFieldDef* def) {
    BerthField* field = m->field;
    if (bi_list_more(&m->nodes, 1) == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory");
    }

    m->nodes.count = 1;
    BerthStatus status = make_node(m, 0, 0, 0);

    while (status == BERTH_OK && m->depth > 0) {
        TreeFrame* top = &m->frames[m->depth - 1];
        if (top->child == field_children(field)) {
            --m->depth;
            continue;
        }

        const int32_t level = top->level + 1;
        const uint64_t width = (uint64_t)1 << (field->info.dim * (field->info.levels - level));
        const uint64_t code = top->code + (uint64_t)top->child * width;
        const uint32_t index = top->first + (uint32_t)top->child++;
        status = make_node(m, code, level, index);
        if (index % FIELD_TURNS == 0 && status == BERTH_OK) {
            status = bi_field_report_progress(def, 0.0);
        }
    }
    return status;
}

// Walks for obstacles leave out grey nodes that hold none. Where unknown leaves are free there are such nodes, most of a map's
// often. Children stand behind their parents, so one pass from the end knows them first.
static BerthStatus find_holding(BerthField* field, const BerthFieldDef* def) {
    const size_t count = field->arrays[FIELD_NODES].count;
    field->holding = bi_take(&field->allocator, count / 64 + 1, sizeof *field->holding);
    if (field->holding == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory");
    }

    const size_t children = (size_t)field_children(field);
    for (size_t i = count; i-- > 0;) {
        const uint32_t node = field->nodes[i];
        bool holds = node_blocks(field, node);
        if (node_colour(node) == FIELD_GREY) {
            holds = false;
            for (size_t k = 0; k < children && !holds; ++k) {
                holds = grey_holds_obstacle(field, node_payload(node) + (uint32_t)k);
            }
        }

        field->holding[i / 64] |= (uint64_t)holds << (i % 64);
        if (i % FIELD_TURNS == 0 && bi_field_report_progress(def, 0.0) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }
    }
    return BERTH_OK;
}

BerthStatus bi_field_make_tree(BerthField* field, const BerthFieldDef* def) {
    if (field->arrays[FIELD_SOLIDS].count >= FIELD_OBSTACLES_MAX) {
        return bi_fail(BERTH_ERR_UNSUPPORTED, "field: %zu solid leaves, at most %u can be told apart",
                       field->arrays[FIELD_SOLIDS].count, FIELD_OBSTACLES_MAX - 1u);
    }

    TreeMaker m = {.field = field, .solid = 0, .depth = 0};
    bi_list_init(&m.nodes, &field->allocator, sizeof(uint32_t));
    BerthStatus status = make_all_nodes(&m, def);
    if (status == BERTH_OK) {
        status = bi_field_take_list(field, FIELD_NODES, &m.nodes);
    }
    bi_list_free(&m.nodes);

    BerthFieldInfo* info = &field->info;
    info->node_count = (int64_t)field->arrays[FIELD_NODES].count;
    info->tree_bytes = 4 * (uint64_t)info->node_count + 8 * (uint64_t)field->arrays[FIELD_SOLIDS].count;
    if (status == BERTH_OK && info->unknown_is_free && info->unknown_count > 0) {
        status = find_holding(field, def);
    }
    return status;
}

// ---- looking at it ------------------------------------------------------------------------------------------------------------

BerthFieldInfo berth_field_info(const BerthField* field) {
    return field->info;
}

static BerthFieldLeaf public_leaf(const BerthField* field, const int32_t low[3], int32_t log_width,
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
    return public_leaf(field, low, leaf_log(leaf), leaf_colour(leaf));
}

// Sets z to 0 in the plane; false outside of the root.
static bool flatten_cell_in_root(const BerthField* field, int32_t cell[3]) {
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
    if (!flatten_cell_in_root(field, cell)) {
        return (BerthFieldLeaf){{0, 0, 0}, 0, -1, 0, BERTH_CELL_FREE};
    }

    const FieldNode at = field_leaf(field, cell);
    return public_leaf(field, at.low, at.log_width, node_colour(at.node));
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
static bool find_dense_cell(const BerthField* field, int32_t x, int32_t y, int32_t z, size_t* index) {
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
        !find_dense_cell(field, x, y, z, &index)) {
        return -1;
    }
    return field->dense_l1[index];
}

int64_t berth_field_euclid_at(const BerthField* field, int32_t x, int32_t y, int32_t z) {
    size_t index;
    if ((field->info.parts & BERTH_FIELD_EUCLID) == 0 || field->info.obstacle_count == 0 ||
        !find_dense_cell(field, x, y, z, &index)) {
        return -1;
    }
    return field->dense_euclid[index];
}

bool berth_field_separation(const BerthField* field, int32_t x, int32_t y, int32_t z, int64_t* least,
                            int64_t* greatest) {
    int32_t cell[3] = {x, y, z};
    if ((field->info.parts & BERTH_FIELD_ODM) == 0 || field->info.obstacle_count == 0 ||
        !flatten_cell_in_root(field, cell)) {
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
