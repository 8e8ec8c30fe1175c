// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Cells appear or vanish. The tree is merged anew from two sorted lists; ODM and EODM keep what no change can
// affect; dense maps are changed in place where a change can have an effect, or made anew when that is most
// of them. Everything that can fail comes before the first change of the field. All maps are exact integers
// and building is deterministic, so the result equals a new build.
// Entry: berth_field_update; bi_field_old_slot and bi_field_is_untouched tell the making of parts what it may
// keep.

#include <string.h>

#include "base/sort.h"
#include "field/query.h"

// ---- what was touched -------------------------------------------------------------------------------------------------------------

uint32_t bi_field_old_slot(const FieldTouched* touched, const FieldNode* leaf) {
    const FieldNode was = field_leaf(touched->old, leaf->low);
    return was.log_width == leaf->log_width && !node_blocks(touched->old, was.node) ? node_payload(was.node)
                                                                                    : UINT32_MAX;
}

// How far two ranges of cells are apart; 0 when they meet.
static int32_t range_gap(int32_t low_a, int32_t high_a, int32_t low_b, int32_t high_b) {
    if (low_a > high_b) {
        return low_a - high_b;
    }
    return low_b > high_a ? low_b - high_a : 0;
}

bool bi_field_is_untouched(const FieldTouched* touched, const FieldNode* at, uint32_t reach) {
    for (int i = 0; i < touched->count; ++i) {
        const FieldCells* c = &touched->clusters[i];

        int64_t apart = 0;
        for (int axis = 0; axis < touched->old->info.dim; ++axis) {
            const int32_t high = at->low[axis] + (1 << at->log_width);
            apart += range_gap(at->low[axis], high, c->low[axis], c->high[axis]);
        }

        if (apart <= (int64_t)reach) {
            return false;
        }
    }
    return true;
}

static void grow_cells(FieldCells* cells, const int32_t low[3], int32_t width) {
    for (int axis = 0; axis < 3; ++axis) {
        cells->low[axis] = low[axis] < cells->low[axis] ? low[axis] : cells->low[axis];
        cells->high[axis] = low[axis] + width > cells->high[axis] ? low[axis] + width : cells->high[axis];
    }
}

/// Boxes that come in the order of codes, `total` of them, gathered into at most FIELD_CLUSTERS.
typedef struct Gather {
    FieldCells* clusters;
    int count;
    size_t seen, total;
} Gather;

static void gather_box(Gather* g, const int32_t low[3], int32_t width) {
    const size_t cluster = g->total <= FIELD_CLUSTERS ? g->seen : g->seen * FIELD_CLUSTERS / g->total;

    ++g->seen;
    if ((int)cluster >= g->count) {
        FieldCells* fresh = &g->clusters[g->count++];
        for (int axis = 0; axis < 3; ++axis) {
            fresh->low[axis] = low[axis];
            fresh->high[axis] = low[axis] + width;
        }
    }
    grow_cells(&g->clusters[g->count - 1], low, width);
}

static bool leaf_blocks(const BerthField* field, PackedLeaf leaf) {
    return leaf_colour(leaf) == BERTH_CELL_OCCUPIED || !field->info.unknown_is_free;
}

static uint64_t leaf_order(const BerthField* field, PackedLeaf leaf) {
    const int32_t low[3] = {leaf_low(leaf, 0), leaf_low(leaf, 1), leaf_low(leaf, 2)};
    return morton_code(field->info.dim, low) << 5 | (uint32_t)(field->info.levels - leaf_log(leaf));
}

// Walks both lists of solids side by side: renumbers what stayed, counts or gathers what came or went.
static size_t compare_solids(const BerthField* old, const BerthField* next, uint32_t* renumber,
                             Gather* gather) {
    const size_t n = old->arrays[FIELD_SOLIDS].count, m = next->arrays[FIELD_SOLIDS].count;
    size_t i = 0, j = 0, differ = 0;

    while (i < n || j < m) {
        const uint64_t a = i < n ? leaf_order(old, old->solids[i]) : UINT64_MAX;
        const uint64_t b = j < m ? leaf_order(next, next->solids[j]) : UINT64_MAX;
        const PackedLeaf leaf = a <= b ? old->solids[i] : next->solids[j];
        const bool same = a == b && leaf_blocks(old, old->solids[i]) == leaf_blocks(next, next->solids[j]);

        if (a == b) {
            renumber[i] = (uint32_t)j;
        }
        i += a <= b ? 1 : 0;
        j += b <= a ? 1 : 0;

        if (!same) {
            ++differ;
            if (gather != NULL) {
                const int32_t low[3] = {leaf_low(leaf, 0), leaf_low(leaf, 1), leaf_low(leaf, 2)};
                gather_box(gather, low, leaf_width(leaf));
            }
        }
    }

    return differ;
}

// ---- dense maps in place ------------------------------------------------------------------------------------------------------------

/// Cells that changed, a cluster a block of cells, and where a map must be looked at again for them.
typedef struct DensePlan {
    FieldCells clusters[FIELD_CLUSTERS];    // of cells that were free and are not, or the other way round
    FieldCells regions[2][FIELD_CLUSTERS];  // L1 map, Euclidean map
    size_t first[FIELD_CLUSTERS + 1];       // of the cluster's flips
    bool adds[FIELD_CLUSTERS];              // only obstacles that came, and few
    int count;
    const SortItem* flips;  // codes of the cells
    bool anew[2];           // the changes reach most of the map: it is made anew
} DensePlan;

static int64_t index_gap(const FieldCells* c, const int32_t cell[3], int axis) {
    if (cell[axis] < c->low[axis]) {
        return c->low[axis] - cell[axis];
    }
    return cell[axis] >= c->high[axis] ? cell[axis] - c->high[axis] + 1 : 0;
}

// Can a change within the cluster matter to the cell? By the value that the cell had.
static bool l1_reached(const BerthField* field, const FieldCells* c, const int32_t cell[3]) {
    const int64_t gap = index_gap(c, cell, 0) + index_gap(c, cell, 1) + index_gap(c, cell, 2);
    return field->dense_l1[dense_index(field, cell)] >= gap;
}

// Squared distance of the cell's centre to the cluster, half cells.
static int64_t centre_gap_sq(const FieldCells* c, const int32_t cell[3]) {
    int64_t sum = 0;

    for (int axis = 0; axis < 3; ++axis) {
        const int64_t gap = index_gap(c, cell, axis);
        sum += gap > 0 ? (2 * gap - 1) * (2 * gap - 1) : 0;
    }
    return sum;
}

static bool euclid_reached(const BerthField* field, const FieldCells* c, const int32_t cell[3]) {
    return (int64_t)field->dense_euclid[dense_index(field, cell)] >= centre_gap_sq(c, cell);
}

// The same with twice half a cell's diagonal to spare: where no cell of a shell around the cluster passes, none outside of it is reached (docs/theory/field.md).
static bool euclid_nearly(const BerthField* field, const FieldCells* c, const int32_t cell[3]) {
    const double value = sqrt((double)field->dense_euclid[dense_index(field, cell)]);
    return value + 3.5 >= sqrt((double)centre_gap_sq(c, cell));
}

typedef bool (*Reached)(const BerthField* field, const FieldCells* c, const int32_t cell[3]);

// Does a cell of one side of `box` pass? The side is the layer just within it.
static bool side_reached(const BerthField* field, Reached reached, const FieldCells* c, const FieldCells* box,
                         int axis, bool high) {
    FieldCells side = *box;
    side.low[axis] = high ? box->high[axis] - 1 : box->low[axis];
    side.high[axis] = side.low[axis] + 1;

    int32_t cell[3];
    for (cell[2] = side.low[2]; cell[2] < side.high[2]; ++cell[2]) {
        for (cell[1] = side.low[1]; cell[1] < side.high[1]; ++cell[1]) {
            for (cell[0] = side.low[0]; cell[0] < side.high[0]; ++cell[0]) {
                if (reached(field, c, cell)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static uint64_t cell_volume(const FieldCells* c) {
    uint64_t cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
        cells *= (uint64_t)(c->high[axis] - c->low[axis]);
    }
    return cells;
}

// Grows a box around the cluster, a layer at a time, until a whole layer is not reached or it holds more than `most` cells.
static FieldCells find_region(const BerthField* field, Reached reached, const FieldCells* c, uint64_t most) {
    FieldCells box = *c;
    bool grows = true;
    while (grows && cell_volume(&box) <= most) {
        FieldCells wider = box;
        bool any = false;
        for (int axis = 0; axis < field->info.dim; ++axis) {
            wider.low[axis] -= wider.low[axis] > 0 ? 1 : 0;
            wider.high[axis] += wider.high[axis] < field->info.size[axis] ? 1 : 0;
        }

        for (int axis = 0; axis < field->info.dim && !any; ++axis) {
            any = (wider.low[axis] < box.low[axis] && side_reached(field, reached, c, &wider, axis, false)) ||
                  (wider.high[axis] > box.high[axis] && side_reached(field, reached, c, &wider, axis, true));
        }

        grows = any;
        if (any) {
            box = wider;
        }
    }

    return box;
}

static FieldCells bound_of_regions(const DensePlan* plan, int map) {
    FieldCells box = plan->regions[map][0];

    for (int i = 1; i < plan->count; ++i) {
        const FieldCells* region = &plan->regions[map][i];
        for (int axis = 0; axis < 3; ++axis) {
            box.low[axis] = region->low[axis] < box.low[axis] ? region->low[axis] : box.low[axis];
            box.high[axis] = region->high[axis] > box.high[axis] ? region->high[axis] : box.high[axis];
        }
    }
    return box;
}

// Making a map anew costs some 10 ns a cell, looking at a cell again about as much, a search for one that a vanished obstacle was near to a hundred times
// that; about a sixth of the cells looked at need one.
static void plan_dense(const BerthField* field, DensePlan* plan) {
    const uint64_t cells =
        (uint64_t)field->info.size[0] * (uint64_t)field->info.size[1] * (uint64_t)field->info.size[2];

    for (int map = 0; map < 2; ++map) {
        const bool there = map == 0 ? field->dense_l1 != NULL : field->dense_euclid != NULL;
        uint64_t left = cells / 4;
        for (int i = 0; i < plan->count && there && !plan->anew[map]; ++i) {
            const uint64_t price = map == 1 && !plan->adds[i] ? 16 : 1;
            plan->regions[map][i] =
                find_region(field, map == 0 ? l1_reached : euclid_nearly, &plan->clusters[i], left / price);

            const uint64_t cost = price * cell_volume(&plan->regions[map][i]);
            plan->anew[map] = cost > left;
            left -= plan->anew[map] ? 0 : cost;
        }
    }

    if (plan->count > 0 && field->dense_l1 != NULL && !plan->anew[0]) {
        const FieldCells box = bound_of_regions(plan, 0);
        plan->anew[0] = cell_volume(&box) > cells / 4;
    }
}

// Forgets the values that a change can reach, sets obstacles, and lets the wave in again from all around.
static void update_l1(BerthField* field, const DensePlan* plan) {
    uint16_t* map = field->arrays[FIELD_DENSE_L1].data;
    int32_t cell[3];

    for (int i = 0; i < plan->count; ++i) {
        const FieldCells* r = &plan->regions[0][i];
        for (cell[2] = r->low[2]; cell[2] < r->high[2]; ++cell[2]) {
            for (cell[1] = r->low[1]; cell[1] < r->high[1]; ++cell[1]) {
                for (cell[0] = r->low[0]; cell[0] < r->high[0]; ++cell[0]) {
                    if (l1_reached(field, &plan->clusters[i], cell)) {
                        map[dense_index(field, cell)] =
                            node_blocks(field, field_leaf(field, cell).node) ? 0 : FIELD_DM_MOST;
                    }
                }
            }
        }
    }

    FieldCells box = bound_of_regions(plan, 0);
    for (int axis = 0; axis < field->info.dim; ++axis) {
        box.low[axis] -= box.low[axis] > 0 ? 1 : 0;
        box.high[axis] += box.high[axis] < field->info.size[axis] ? 1 : 0;
    }
    (void)bi_field_spread_l1(field, NULL, 0.0, box.low, box.high);  // never cancelled
}

// The value of a cell that a change reaches: obstacles that came can only be nearer; where one went the tree is searched.
static uint32_t new_euclid_value(const BerthField* field, const DensePlan* plan, int cluster,
                                 const int32_t cell[3], uint32_t was) {
    if (plan->adds[cluster]) {
        int64_t best = was;
        for (size_t i = plan->first[cluster]; i < plan->first[cluster + 1]; ++i) {
            FieldCells added;
            morton_cell(field->info.dim, plan->flips[i].key, added.low);
            for (int axis = 0; axis < 3; ++axis) {
                added.high[axis] = added.low[axis] + 1;
            }

            const int64_t value = centre_gap_sq(&added, cell);
            best = value < best ? value : best;
        }
        return (uint32_t)best;
    }

    const CellPoint point = {{cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5},
                             {cell[0], cell[1], cell[2]},
                             0.0,
                             true,
                             true,
                             true,
                             true};

    const FieldNear near = bi_field_search_nearest(field, &point, BERTH_METRIC_L2, INFINITY);
    return near.obstacle == UINT32_MAX ? FIELD_ENDLESS : (uint32_t)(4.0 * near.key);
}

static void update_euclid(BerthField* field, const DensePlan* plan) {
    uint32_t* map = field->arrays[FIELD_DENSE_EUCLID].data;
    int32_t cell[3];
    for (int i = 0; i < plan->count; ++i) {
        const FieldCells* r = &plan->regions[1][i];
        for (cell[2] = r->low[2]; cell[2] < r->high[2]; ++cell[2]) {
            for (cell[1] = r->low[1]; cell[1] < r->high[1]; ++cell[1]) {
                for (cell[0] = r->low[0]; cell[0] < r->high[0]; ++cell[0]) {
                    if (euclid_reached(field, &plan->clusters[i], cell)) {
                        uint32_t* value = &map[dense_index(field, cell)];
                        *value = new_euclid_value(field, plan, i, cell, *value);
                    }
                }
            }
        }
    }
}

// ---- the update -----------------------------------------------------------------------------------------------------------------------

typedef struct Update {
    BerthField* field;
    const BerthFieldChange* changes;
    size_t count;
    BerthField* next;
    uint32_t* renumber;
    SortItem* flips;  // cells that block and did not, or the other way round; and room to sort
    FieldTouched touched;
    DensePlan plan;
} Update;

static BerthStatus check_changes(const Update* u) {
    for (size_t i = 0; i < u->count; ++i) {
        const BerthFieldChange* c = &u->changes[i];
        for (int axis = 0; axis < u->field->info.dim; ++axis) {
            if (c->cell[axis] < 0 || c->cell[axis] >= u->field->info.size[axis]) {
                return bi_fail(BERTH_ERR_ARGUMENT, "change %zu: cell (%d, %d, %d) is outside of the map", i,
                               c->cell[0], c->cell[1], c->cell[2]);
            }
        }

        if ((uint32_t)c->colour >= BERTH_CELL_COLOUR_COUNT) {
            return bi_fail(BERTH_ERR_ARGUMENT, "change %zu: colour %d is none", i, (int)c->colour);
        }
    }
    return BERTH_OK;
}

static void cell_of_change(const Update* u, size_t i, int32_t cell[3]) {
    const BerthFieldChange* c = &u->changes[i];
    cell[0] = c->cell[0];
    cell[1] = c->cell[1];
    cell[2] = u->field->info.dim == 2 ? 0 : c->cell[2];
}

// The new leaves: the old ones painted, then the changes over them.
static BerthStatus merge_leaves(Update* u, GrowList* paints, GrowList* solids) {
    const BerthField* old = u->field;
    const size_t n = old->arrays[FIELD_SOLIDS].count;
    Paint* paint = n + u->count < UINT32_MAX ? bi_list_more(paints, n + u->count) : NULL;
    if (paint == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for an update of %zu cells", u->count);
    }

    for (size_t i = 0; i < n; ++i) {
        const PackedLeaf leaf = old->solids[i];
        const int32_t low[3] = {leaf_low(leaf, 0), leaf_low(leaf, 1), leaf_low(leaf, 2)};
        paint[i] =
            paint_make(morton_code(old->info.dim, low), old->info.levels - leaf_log(leaf), leaf_colour(leaf));
    }

    for (size_t i = 0; i < u->count; ++i) {
        int32_t cell[3];
        cell_of_change(u, i, cell);
        paint[n + i] =
            paint_make(morton_code(old->info.dim, cell), old->info.levels, (int32_t)u->changes[i].colour);
    }

    paints->count = n + u->count;
    return bi_field_resolve_paints(old->info.dim, old->info.levels, paint, paints->count, NULL, solids);
}

static BerthFieldDef def_from_field(const BerthField* field) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = field->info.dim;
    def.levels = field->info.levels;
    def.resolution = field->info.resolution;
    def.origin = field->info.origin;
    memcpy(def.size, field->info.size, sizeof def.size);
    def.background = field->info.background;
    def.unknown_is_free = field->info.unknown_is_free;
    def.parts = field->info.parts;
    def.local = field->info.local;
    def.allocator = field->allocator;
    return def;
}

static BerthStatus make_next_tree(Update* u, const BerthFieldDef* def) {
    GrowList paints, solids;
    bi_list_init(&paints, &u->field->allocator, sizeof(Paint));
    bi_list_init(&solids, &u->field->allocator, sizeof(PackedLeaf));

    BerthStatus status = merge_leaves(u, &paints, &solids);
    bi_list_free(&paints);

    if (status == BERTH_OK) {
        status = bi_field_create(def, &u->next);
    }
    if (status == BERTH_OK) {
        status = bi_field_take_list(u->next, FIELD_SOLIDS, &solids);
    }
    if (status == BERTH_OK) {
        status = bi_field_make_tree(u->next, NULL);
    }

    bi_list_free(&solids);
    return status;
}

// Flips in the order of codes, a cluster a block of 16 cells an axis. More blocks than clusters: the maps are made anew.
static void cluster_flips(Update* u, size_t flips) {
    enum { BLOCK = 4, FEW = 32 };
    DensePlan* plan = &u->plan;
    const int dim = u->field->info.dim;
    plan->flips = u->flips;

    for (size_t i = 0; i < flips; ++i) {
        int32_t cell[3];
        morton_cell(dim, u->flips[i].key, cell);

        if (i == 0 || u->flips[i].key >> (BLOCK * dim) != u->flips[i - 1].key >> (BLOCK * dim)) {
            if (plan->count == FIELD_CLUSTERS) {
                plan->anew[0] = plan->anew[1] = true;
                return;
            }
            plan->adds[plan->count] = true;
            plan->first[plan->count] = i;
            for (int axis = 0; axis < 3; ++axis) {
                plan->clusters[plan->count].low[axis] = cell[axis];
                plan->clusters[plan->count].high[axis] = cell[axis] + 1;
            }
            ++plan->count;
        }

        const int at = plan->count - 1;
        plan->first[plan->count] = i + 1;
        grow_cells(&plan->clusters[at], cell, 1);
        plan->adds[at] = plan->adds[at] && i + 1 - plan->first[at] <= FEW &&
                         node_blocks(u->next, field_leaf(u->next, cell).node);
    }
}

static BerthStatus find_touched(Update* u) {
    const size_t n = u->field->arrays[FIELD_SOLIDS].count;
    u->renumber = bi_take(&u->field->allocator, n, sizeof *u->renumber);
    u->flips = bi_take(&u->field->allocator, 2 * u->count, sizeof *u->flips);
    if (u->renumber == NULL || u->flips == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for an update of %zu cells", u->count);
    }

    u->touched.old = u->field;
    u->touched.renumber = u->renumber;
    Gather gather = {u->touched.clusters, 0, 0, compare_solids(u->field, u->next, u->renumber, NULL)};
    compare_solids(u->field, u->next, u->renumber, &gather);
    u->touched.count = gather.count;

    size_t flips = 0;
    for (size_t i = 0; i < u->count; ++i) {
        int32_t cell[3];
        cell_of_change(u, i, cell);
        if (node_blocks(u->field, field_leaf(u->field, cell).node) !=
            node_blocks(u->next, field_leaf(u->next, cell).node)) {
            u->flips[flips++] = (SortItem){morton_code(u->field->info.dim, cell), (uint32_t)i};
        }
    }

    bi_sort_items(u->flips, u->flips + u->count, flips);
    cluster_flips(u, flips);
    return BERTH_OK;
}

// A dense map that stays is changed in place: one that is the caller's is copied first.
static BerthStatus copy_borrowed_dense(Update* u, FieldArrayKind kind) {
    FieldArray* array = &u->field->arrays[kind];
    if (array->data == NULL || !array->borrowed) {
        return BERTH_OK;
    }

    void* copy = bi_take(&u->field->allocator, array->count, array->size);
    if (copy == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory to copy a borrowed map");
    }

    memcpy(copy, array->data, array->count * array->size);
    array->data = copy;
    array->borrowed = false;
    bi_field_set_pointers(u->field);
    return BERTH_OK;
}

// Moves a dense map that stays to the next field and changes it there. Cannot fail.
static void move_dense(Update* u, int map) {
    const FieldArrayKind kind = map == 0 ? FIELD_DENSE_L1 : FIELD_DENSE_EUCLID;
    FieldArray* array = &u->field->arrays[kind];
    if (array->data == NULL || u->plan.anew[map]) {
        return;
    }

    u->next->arrays[kind] = *array;
    *array = (FieldArray){NULL, 0, array->size, false};
    bi_field_set_pointers(u->next);
    bi_field_set_pointers(u->field);

    if (u->plan.count > 0 && map == 0) {
        update_l1(u->next, &u->plan);
    } else if (u->plan.count > 0) {
        update_euclid(u->next, &u->plan);
    }
}

static BerthStatus update_field(Update* u) {
    const BerthFieldDef def = def_from_field(u->field);
    BerthStatus status = make_next_tree(u, &def);
    if (status == BERTH_OK) {
        status = find_touched(u);
    }
    if (status != BERTH_OK) {
        return status;
    }

    plan_dense(u->field, &u->plan);
    const uint32_t skip =
        (u->plan.anew[0] ? 0u : BERTH_FIELD_DM) | (u->plan.anew[1] ? 0u : BERTH_FIELD_EUCLID);

    status = bi_field_make_parts(u->next, &def, u->field->info.local ? NULL : &u->touched, skip);
    if (status == BERTH_OK && !u->plan.anew[0]) {
        status = copy_borrowed_dense(u, FIELD_DENSE_L1);
    }
    if (status == BERTH_OK && !u->plan.anew[1]) {
        status = copy_borrowed_dense(u, FIELD_DENSE_EUCLID);
    }

    if (status != BERTH_OK) {
        return status;
    }

    move_dense(u, 0);
    move_dense(u, 1);
    bi_field_measure_parts(u->next);

    const BerthField swap = *u->field;
    *u->field = *u->next;
    *u->next = swap;
    return BERTH_OK;
}

BerthStatus berth_field_update(BerthField* field, const BerthFieldChange* changes, size_t count) {
    Update u = {.field = field, .changes = changes, .count = count};
    BerthStatus status = check_changes(&u);
    const size_t solids = field->arrays[FIELD_SOLIDS].count;
    const BerthAllocator allocator = field->allocator;

    if (status == BERTH_OK && count > 0) {
        status = update_field(&u);
    }

    if (u.renumber != NULL) {
        bi_give(&allocator, u.renumber, solids, sizeof *u.renumber);
    }
    if (u.flips != NULL) {
        bi_give(&allocator, u.flips, 2 * count, sizeof *u.flips);
    }

    berth_field_destroy(u.next);
    return status;
}
