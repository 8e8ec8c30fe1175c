// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Shared separator trees. Where the thesis' sweep is wrong or does more than is needed, this does what EODM does (errata 5.2, 5.3): a
// grid is cut into strips with three functions each, by the very code that makes a leaf's faces, here of one face as wide as the map.
// So what differs from EODM is sharing alone.
//
// Exact for the same reason: an obstacle is beyond a face plane of the leaf as a whole for at least one face, and then it is in that
// plane's grid, unless others hide all of it, which are then at most as far from every point before the plane.

#include <stdlib.h>
#include <string.h>

#include "field/eodm.h"
#include "maps/separators.h"
#include "math/math.h"

typedef struct SeparatorMaker {
    SeparatorTrees* trees;
    GrowList separators;  ///< Separator
    GrowList axes;        ///< uint8_t, a separator
    GrowList asked;       ///< bool, a grid: some leaf links to it
    GrowList rects;       ///< FaceRect, of one grid
    EodmMaker eodm;
    uint64_t*
        order[FIELD_FACES];  ///< obstacles as seen along each direction, nearest first: depth and number
    size_t count;            ///< of them
    uint8_t* hidden;         ///< a cell of a plane
} SeparatorMaker;

static bool push(GrowList* list, const void* item) {
    char* place = bi_list_more(list, 1);
    if (place != NULL) {
        memcpy(place, item, list->size);
        ++list->count;
    }
    return place != NULL;
}

// ---- appendix A and B: the trees of separators, and the leaves' links ------------------------------------------------------

// insert_separator and get_separator in one: the separator at a place, made where there is none; SEPARATOR_NONE: no memory.
static uint32_t separator_at(SeparatorMaker* maker, int axis, int32_t at) {
    Separator* all = maker->separators.data;
    uint32_t parent = SEPARATOR_NONE;
    for (uint32_t i = maker->trees->roots[axis]; i != SEPARATOR_NONE;) {
        if (all[i].at == at) {
            return i;
        }
        parent = i;
        i = at > all[i].at ? all[i].right : all[i].left;
    }

    const Separator fresh = {at, SEPARATOR_NONE, SEPARATOR_NONE};
    const uint8_t of_axis = (uint8_t)axis;
    const bool not_asked = false;
    const uint32_t index = (uint32_t)maker->separators.count;
    if (!push(&maker->separators, &fresh) || !push(&maker->axes, &of_axis) ||
        !push(&maker->asked, &not_asked) || !push(&maker->asked, &not_asked)) {
        return SEPARATOR_NONE;
    }

    all = maker->separators.data;
    if (parent == SEPARATOR_NONE) {
        maker->trees->roots[axis] = index;
    } else {
        *(at > all[parent].at ? &all[parent].right : &all[parent].left) = index;
    }
    return index;
}

// link_white_node, for all faces.
static bool link_leaf(SeparatorMaker* maker, const FieldNode* leaf) {
    const int faces = 2 * maker->trees->field->info.dim;
    uint32_t* links = maker->trees->links + (size_t)node_payload(leaf->node) * (size_t)faces;

    for (int face = 0; face < faces; ++face) {
        const int32_t at = leaf->low[face / 2] + (face % 2 == 0 ? 0 : 1 << leaf->log_width);
        const uint32_t separator = separator_at(maker, face / 2, at);
        if (separator == SEPARATOR_NONE) {
            return false;
        }
        links[face] = 2 * separator + (uint32_t)(face % 2);
        ((bool*)maker->asked.data)[links[face]] = true;
    }
    return true;
}

// Connect_3D_EODM: every free leaf, in the order of codes.
static bool connect(SeparatorMaker* maker) {
    const BerthField* field = maker->trees->field;
    FieldNode stack[FIELD_STACK];
    int count = 1;
    stack[0] = field_root(field);

    while (count > 0) {
        const FieldNode at = stack[--count];
        if (node_colour(at.node) == FIELD_GREY) {
            for (int k = field_children(field) - 1; k >= 0; --k) {
                stack[count++] = field_child(field, &at, k);
            }
        } else if (!node_blocks(field, at.node) && !link_leaf(maker, &at)) {
            return false;
        }
    }
    return true;
}

// ---- fill_3D_separators: what each plane sees -------------------------------------------------------------------------------

static int by_depth(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// order_visible_obstacles, once a direction: planes further along it only leave the first ones out.
static bool order_obstacles(SeparatorMaker* maker) {
    const BerthField* field = maker->trees->field;
    const size_t solids = field->arrays[FIELD_SOLIDS].count;

    for (int face = 0; face < 2 * field->info.dim; ++face) {
        uint64_t* order = malloc((solids + 1) * sizeof *order);
        maker->order[face] = order;
        if (order == NULL) {
            return false;
        }

        maker->count = 0;
        for (size_t i = 0; i < solids; ++i) {
            const PackedLeaf leaf = field->solids[i];
            const int32_t low = leaf_low(leaf, face / 2);
            const int32_t depth = face % 2 == 0 ? field->cells - low - leaf_width(leaf) : low;
            if (leaf_colour(leaf) != BERTH_CELL_UNKNOWN || !field->info.unknown_is_free) {
                order[maker->count++] = (uint64_t)(uint32_t)depth << 32 | i;
            }
        }
        qsort(order, maker->count, sizeof *order, by_depth);
    }
    return true;
}

// Hides the cells of a rectangle; tells how many were seen until then.
static int64_t hide(SeparatorMaker* maker, const FaceRect* rect) {
    const BerthField* field = maker->trees->field;
    const int32_t rows = field->info.dim == 3 ? rect->v1 : 1;
    int64_t seen = 0;
    for (int32_t v = rect->v0; v < rows; ++v) {
        uint8_t* row = maker->hidden + (size_t)v * (size_t)field->cells;
        for (int32_t u = rect->u0; u < rect->u1; ++u) {
            seen += row[u] == 0 ? 1 : 0;
            row[u] = 1;
        }
    }
    return seen;
}

// The obstacles wholly beyond a plane that are seen from it, nearest first. An obstacle that others hide is no nearer than they.
static bool find_rects(SeparatorMaker* maker, int face, int32_t at) {
    const BerthField* field = maker->trees->field;
    const int dim = field->info.dim, normal = face / 2;
    const int32_t depth = face % 2 == 0 ? field->cells - at : at;
    const int u = dim == 2 ? 1 - normal : (normal + 1) % 3, v = (normal + 2) % 3;
    int64_t open = (int64_t)field->cells * (dim == 3 ? field->cells : 1);
    memset(maker->hidden, 0, (size_t)open);
    maker->rects.count = 0;

    for (size_t i = 0; i < maker->count && open > 0; ++i) {
        const int32_t begins = (int32_t)(maker->order[face][i] >> 32);
        if (begins < depth) {
            continue;
        }

        const uint32_t obstacle = (uint32_t)maker->order[face][i];
        const PackedLeaf leaf = field->solids[obstacle];
        const int32_t width = leaf_width(leaf), low_u = leaf_low(leaf, u), low_v = leaf_low(leaf, v);
        FaceRect rect = {low_u, low_u + width, 0, field->cells, begins - depth, obstacle};
        if (dim == 3) {
            rect.v0 = low_v;
            rect.v1 = low_v + width;
        }

        const int64_t seen = hide(maker, &rect);
        open -= seen;
        if (seen > 0 && !push(&maker->rects, &rect)) {
            return false;
        }
    }
    return true;
}

static bool fill(SeparatorMaker* maker) {
    const BerthField* field = maker->trees->field;
    const size_t count = maker->separators.count;
    const size_t cells = (size_t)field->cells * (size_t)(field->info.dim == 3 ? field->cells : 1);
    maker->hidden = malloc(cells);
    maker->trees->grids = malloc((2 * count + 1) * sizeof *maker->trees->grids);
    if (maker->hidden == NULL || maker->trees->grids == NULL || !order_obstacles(maker)) {
        return false;
    }

    for (size_t grid = 0; grid < 2 * count; ++grid) {
        const Separator* separator = (const Separator*)maker->separators.data + grid / 2;
        const int face = 2 * ((const uint8_t*)maker->axes.data)[grid / 2] + (int)(grid % 2);
        maker->trees->grids[grid] = (uint32_t)maker->eodm.strips.count;
        if (!((const bool*)maker->asked.data)[grid]) {
            continue;
        }
        ++maker->trees->grid_count;
        if (!find_rects(maker, face, separator->at) ||
            bi_eodm_append_face(&maker->eodm, &maker->rects, field->cells) != BERTH_OK) {
            return false;
        }
    }

    // The end of the last grid, and of the last strip.
    const uint32_t pieces = (uint32_t)maker->eodm.pieces.count;
    const FieldStrip end = {(uint32_t)field->cells, pieces, pieces, pieces};
    maker->trees->grids[2 * count] = (uint32_t)maker->eodm.strips.count;
    return push(&maker->eodm.strips, &end);
}

// ---- making -------------------------------------------------------------------------------------------------------------------

// A list's items in a block of the right size; the list is empty then. Null: no memory.
static void* take_items(GrowList* list) {
    void* out = malloc(list->count * list->size + 1);
    if (out != NULL && list->count > 0) {
        memcpy(out, list->data, list->count * list->size);
    }
    bi_list_free(list);
    return out;
}

static bool keep(SeparatorMaker* maker) {
    SeparatorTrees* trees = maker->trees;
    trees->separator_count = maker->separators.count;
    trees->strip_count = maker->eodm.strips.count;
    trees->piece_count = maker->eodm.pieces.count;
    trees->separators = take_items(&maker->separators);
    trees->functions.strips = take_items(&maker->eodm.strips);
    trees->functions.pieces = take_items(&maker->eodm.pieces);
    return trees->separators != NULL && trees->functions.strips != NULL && trees->functions.pieces != NULL;
}

SeparatorTrees* map_separators_create(const BerthField* field) {
    SeparatorTrees* trees = calloc(1, sizeof *trees);
    if (trees == NULL) {
        return NULL;
    }

    const BerthFieldDef def = berth_default_field_def();
    *trees = (SeparatorTrees){.field = field, .roots = {SEPARATOR_NONE, SEPARATOR_NONE, SEPARATOR_NONE}};
    trees->functions.allocator = field->allocator;
    trees->link_count = (size_t)field->slots * 2 * (size_t)field->info.dim;
    trees->links = calloc(trees->link_count + 1, sizeof *trees->links);
    SeparatorMaker maker = {.trees = trees};
    bi_list_init(&maker.separators, &field->allocator, sizeof(Separator));
    bi_list_init(&maker.axes, &field->allocator, sizeof(uint8_t));
    bi_list_init(&maker.asked, &field->allocator, sizeof(bool));
    bi_list_init(&maker.rects, &field->allocator, sizeof(FaceRect));
    bi_eodm_maker_init(&maker.eodm, &trees->functions);
    maker.eodm.def = &def;

    const bool made = trees->links != NULL && connect(&maker) && fill(&maker) && keep(&maker);

    bi_eodm_maker_free(&maker.eodm);
    bi_list_free(&maker.separators);
    bi_list_free(&maker.axes);
    bi_list_free(&maker.asked);
    bi_list_free(&maker.rects);
    free(maker.hidden);
    for (int face = 0; face < FIELD_FACES; ++face) {
        free(maker.order[face]);
    }
    if (!made) {
        map_separators_destroy(trees);
        (void)bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the separator trees");
        return NULL;
    }
    return trees;
}

void map_separators_destroy(SeparatorTrees* trees) {
    if (trees != NULL) {
        free(trees->separators);
        free(trees->links);
        free(trees->grids);
        free((void*)trees->functions.strips);
        free((void*)trees->functions.pieces);
        free(trees);
    }
}

uint64_t map_separators_bytes(const SeparatorTrees* trees) {
    return trees->separator_count * sizeof(Separator) + trees->link_count * sizeof(uint32_t) +
           (2 * trees->separator_count + 1) * sizeof(uint32_t) + trees->strip_count * sizeof(FieldStrip) +
           trees->piece_count * sizeof(FieldPiece);
}

// ---- a question ----------------------------------------------------------------------------------------------------------------

FieldNear map_separators_within(const SeparatorTrees* trees, const CellPoint* point, double limit) {
    const BerthField* field = trees->field;
    const int dim = field->info.dim, faces = 2 * dim;
    FieldNear near = {limit < INFINITY ? bi_next_up(limit) : limit, UINT32_MAX, 0};

    const FieldNode leaf = field_leaf(field, point->cell);
    if (node_blocks(field, leaf.node)) {
        return (FieldNear){0.0, node_payload(leaf.node), 1};
    }

    // The links lead from the leaf to its grids: the trees are not searched.
    const uint32_t* links = trees->links + (size_t)node_payload(leaf.node) * (size_t)faces;
    const double width = (double)(1 << leaf.log_width);
    for (int face = 0; face < faces; ++face) {
        const int normal = face / 2;
        const uint32_t first = trees->grids[links[face]], end = trees->grids[links[face] + 1];
        const double from_low = point->at[normal] - (double)leaf.low[normal];
        const double m = face % 2 == 0 ? from_low : width - from_low;
        if (first == end || m >= near.key) {
            continue;
        }

        const double u = point->at[dim == 2 ? 1 - normal : (normal + 1) % 3];
        const double v = dim == 2 ? 0.0 : point->at[(normal + 2) % 3];
        bi_eodm_ask_face(&trees->functions, first, end, m, u, v, (double)field->cells, &near);
    }

    near.key = near.obstacle == UINT32_MAX ? INFINITY : near.key;
    return near;
}
