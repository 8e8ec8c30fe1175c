// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys an index; between updates, adds and removes bodies and changes their shapes.
// Entries: berth_index_create, berth_index_destroy, berth_index_add, berth_index_remove, berth_index_switch,
// berth_index_allow; inside the room bi_index_measure, bi_index_is_inside.

#include <float.h>
#include <string.h>

#include "index/index.h"
#include "math/math.h"
#include "shape/gap.h"

const char* berth_index_kind_name(BerthIndexKind kind) {
    static const char* const names[BERTH_INDEX_KIND_COUNT] = {"octree", "list", "grid", "region"};
    return (int)kind >= 0 && kind < BERTH_INDEX_KIND_COUNT ? names[kind] : "unknown";
}

const char* berth_index_update_name(BerthIndexUpdate update) {
    static const char* const names[BERTH_UPDATE_COUNT] = {"descent", "neighbours", "reinsert", "rebuild"};
    return (int)update >= 0 && update < BERTH_UPDATE_COUNT ? names[update] : "unknown";
}

BerthIndexDef berth_default_index_def(void) {
    return (BerthIndexDef){.low = {-4.0, -4.0, -4.0},
                           .edge = 8.0,
                           .smallest = 0.05,
                           .leaf_limit = 10,
                           .merge_limit = 6,
                           .body_limit = 1024,
                           .mover_limit = 128,
                           .node_limit = 1 << 15,
                           .entry_limit = 1 << 16,
                           .stamp = BI_DEF_STAMP};
}

static BerthStatus check_number(const char* name, double value, double low, double high) {
    if (!(value >= low && value <= high)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "index def: %s is %g, must be from %g to %g", name, value, low,
                       high);
    }
    return BERTH_OK;
}

static BerthStatus check_def(const BerthIndexDef* def) {
    enum { MOST = 1 << 24 };
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "index def: start from berth_default_index_def()");
    }

    const struct {
        const char* name;
        double value, low, high;
    } rules[] = {
        {"kind", (int)def->kind, 0, BERTH_INDEX_KIND_COUNT - 1},
        {"update", (int)def->update, 0, BERTH_UPDATE_COUNT - 1},
        {"low.x", def->low.x, -BI_COORDINATE_MAX, BI_COORDINATE_MAX},
        {"low.y", def->low.y, -BI_COORDINATE_MAX, BI_COORDINATE_MAX},
        {"low.z", def->low.z, -BI_COORDINATE_MAX, BI_COORDINATE_MAX},
        {"edge", def->edge, 1e-6, BI_COORDINATE_MAX},
        {"smallest leaf", def->smallest, def->edge * 0x1p-20, def->edge},
        {"leaf limit", def->leaf_limit, 1, MOST},
        {"merge limit", def->merge_limit, 0, def->leaf_limit},
        {"grid", def->grid, 0, 256},
        {"body limit", def->body_limit, 1, MOST},
        {"mover limit", def->mover_limit, 0, def->body_limit},
        {"node limit", def->node_limit, 9, MOST},
        {"entry limit", def->entry_limit, 1, MOST},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const BerthStatus status = check_number(rules[i].name, rules[i].value, rules[i].low, rules[i].high);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

// Octrees have a power of two of cells an axis, so that leaves end on cells. A grid's cells are its leaves.
static void set_cells(BerthIndex* index) {
    BerthIndexDef* def = &index->def;
    index->cells = 1;
    if (def->kind == BERTH_INDEX_GRID) {
        // About two cells a body along each side of the cube that bodies would fill evenly.
        const int32_t automatic = (int32_t)ceil(2.0 * cbrt((double)def->body_limit));
        if (def->grid <= 0) {
            def->grid = automatic < 64 ? automatic : 64;
        }
        def->node_limit = def->grid * def->grid * def->grid;
        index->cells = def->grid;
    } else {
        while (index->cells < (1 << INDEX_DEPTH_MAX) && def->edge / (2.0 * index->cells) >= def->smallest) {
            index->cells *= 2;
        }
    }

    index->cell_edge = def->edge / index->cells;
    index->per_cell = index->cells / def->edge;
}

static void* take_counted(BerthIndex* index, size_t count, size_t size) {
    index->bytes += count * size;
    return bi_take(&index->allocator, count, size);
}

enum { STACK_SIZE = INDEX_CHILDREN * (INDEX_DEPTH_MAX + 2) };

static size_t mover_block_count(const BerthIndexDef* def) {
    return ((size_t)def->mover_limit + INDEX_LANES - 1) / INDEX_LANES;
}

static bool take_arrays(BerthIndex* index) {
    const BerthIndexDef* def = &index->def;
    index->row_words = (def->body_limit + 63) / 64;

    index->bodies = take_counted(index, (size_t)def->body_limit, sizeof *index->bodies);
    index->nodes = take_counted(index, (size_t)def->node_limit, sizeof *index->nodes);
    index->entries = take_counted(index, (size_t)def->entry_limit, sizeof *index->entries);
    index->outside = take_counted(index, (size_t)def->body_limit, sizeof *index->outside);
    index->moved = take_counted(index, (size_t)def->body_limit, sizeof *index->moved);
    index->movers = take_counted(index, (size_t)def->mover_limit, sizeof *index->movers);
    index->mates = take_counted(index, (size_t)def->mover_limit, sizeof *index->mates);
    index->mover_blocks = take_counted(index, mover_block_count(def), sizeof *index->mover_blocks);
    index->allowed =
        take_counted(index, (size_t)def->mover_limit * (size_t)index->row_words, sizeof *index->allowed);
    index->checks = take_counted(index, (size_t)def->node_limit, sizeof *index->checks);
    index->work = take_counted(index, STACK_SIZE, sizeof *index->work);

    return index->bodies && index->nodes && index->entries && index->outside && index->moved &&
           index->movers && index->mates && index->mover_blocks && index->allowed && index->checks &&
           index->work;
}

BerthStatus berth_index_create(const BerthIndexDef* def, BerthIndex** out) {
    *out = NULL;
    const BerthStatus status = check_def(def);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    BerthIndex* index = bi_take(&from, 1, sizeof *index);
    if (index == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "index: out of memory");
    }

    index->allocator = from;
    index->def = *def;
    set_cells(index);
    if (!take_arrays(index)) {
        const size_t bytes = index->bytes;
        berth_index_destroy(index);
        return bi_fail(BERTH_ERR_MEMORY, "index of %d bodies: out of memory (it needs %zu bytes)",
                       def->body_limit, bytes);
    }

    bi_index_clear(index);
    *out = index;
    return BERTH_OK;
}

void berth_index_destroy(BerthIndex* index) {
    if (index == NULL) {
        return;
    }

    const BerthIndexDef* def = &index->def;
    const BerthAllocator from = index->allocator;

    bi_give(&from, index->bodies, (size_t)def->body_limit, sizeof *index->bodies);
    bi_give(&from, index->nodes, (size_t)def->node_limit, sizeof *index->nodes);
    bi_give(&from, index->entries, (size_t)def->entry_limit, sizeof *index->entries);
    bi_give(&from, index->outside, (size_t)def->body_limit, sizeof *index->outside);
    bi_give(&from, index->moved, (size_t)def->body_limit, sizeof *index->moved);
    bi_give(&from, index->movers, (size_t)def->mover_limit, sizeof *index->movers);
    bi_give(&from, index->mates, (size_t)def->mover_limit, sizeof *index->mates);
    bi_give(&from, index->mover_blocks, mover_block_count(def), sizeof *index->mover_blocks);
    bi_give(&from, index->allowed, (size_t)def->mover_limit * (size_t)index->row_words,
            sizeof *index->allowed);
    bi_give(&from, index->checks, (size_t)def->node_limit, sizeof *index->checks);
    bi_give(&from, index->work, STACK_SIZE, sizeof *index->work);
    bi_give(&from, index, 1, sizeof *index);
}

// ---- bodies ----------------------------------------------------------------------------------------------

// Monotone in x, so that what touches shares a cell; outside the cube it is one cell too far.
static int32_t cell_of(const BerthIndex* index, double x, double low) {
    const double cell = floor((x - low) * index->per_cell);
    if (!(cell >= 0.0)) {
        return -1;
    }
    return cell < (double)index->cells ? (int32_t)cell : index->cells;
}

void bi_index_measure(const BerthIndex* index, IndexBody* body) {
    Vec3 low;
    Vec3 high;
    bi_shape_bounds(&body->shape, &body->pose, &low, &high);

    const Vec3 farthest =
        v3(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)), fmax(fabs(low.z), fabs(high.z)));
    const double grown_by =
        body->extension + FLT_MIN +
        (BI_DISTANCE_SLACK + INDEX_FLOAT_SLACK) * (farthest.x + farthest.y + farthest.z + body->extension);
    body->box =
        (IndexBox){{(float)(low.x - grown_by), (float)(low.y - grown_by), (float)(low.z - grown_by)},
                   {(float)(high.x + grown_by), (float)(high.y + grown_by), (float)(high.z + grown_by)}};

    // Cells come from the rounded box: boxes that touch, as they are compared, have ranges that meet.
    const double from[INDEX_AXES] = {index->def.low.x, index->def.low.y, index->def.low.z};
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        body->range.low[axis] = cell_of(index, (double)body->box.low[axis], from[axis]);
        body->range.high[axis] = cell_of(index, (double)body->box.high[axis], from[axis]);
    }
}

bool bi_index_is_inside(const BerthIndex* index, const IndexBody* body) {
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        if (body->range.low[axis] < 0 || body->range.high[axis] >= index->cells ||
            body->range.low[axis] > body->range.high[axis]) {
            return false;
        }
    }
    return index->def.kind != BERTH_INDEX_LIST;
}

static int32_t find_free_mover(const BerthIndex* index) {
    for (int32_t i = 0; i < index->mover_count; ++i) {
        if (index->movers[i] == INDEX_NONE) {
            return i;
        }
    }
    return index->mover_count < index->def.mover_limit ? index->mover_count : INDEX_NONE;
}

BerthStatus berth_index_add(BerthIndex* index, const BerthShape* shape, const BerthPose* pose,
                            double extension, bool moves, int32_t* out) {
    *out = INDEX_NONE;
    if (!bi_index_pose_is_valid((const Pose*)pose, extension)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "index: extension is %g m, must be from 0 to %g, and the pose finite", extension,
                       BI_COORDINATE_MAX);
    }

    int32_t at = 0;
    while (at < index->body_count && index->bodies[at].used) {
        at += 1;
    }
    const int32_t mover = moves ? find_free_mover(index) : INDEX_NONE;
    if (at >= index->def.body_limit || (moves && mover == INDEX_NONE)) {
        return bi_fail(BERTH_ERR_CAPACITY, "index: there are %d bodies and %d movers, no more fit",
                       index->body_count, index->mover_count);
    }

    IndexBody* body = &index->bodies[at];
    const bool in_list = body->in_list;
    *body = (IndexBody){.shape = *shape,
                        .pose = *(const Pose*)pose,
                        .extension = extension,
                        .first = INDEX_NONE,
                        .outside = INDEX_NONE,
                        .mover = mover,
                        .used = true,
                        .shown = true,
                        .in_list = in_list};
    index->body_count = at >= index->body_count ? at + 1 : index->body_count;

    if (moves) {
        index->movers[mover] = at;
        index->mover_count = mover >= index->mover_count ? mover + 1 : index->mover_count;
        index->mates[mover].standing = 0;
        memset(index->allowed + (size_t)mover * (size_t)index->row_words, 0,
               (size_t)index->row_words * sizeof *index->allowed);
    }

    for (int32_t i = 0; i < index->mover_count; ++i) {
        berth_index_allow(index, index->movers[i], at, false);
    }

    bi_index_note_moved(index, at);
    *out = at;
    return BERTH_OK;
}

void berth_index_remove(BerthIndex* index, int32_t at) {
    IndexBody* body = &index->bodies[at];
    bi_index_remove_from_leaves(index, at);
    bi_index_set_outside(index, at, false);
    note_changed(index, body);
    if (body->mover != INDEX_NONE) {
        index->movers[body->mover] = INDEX_NONE;
    }
    body->used = body->shown = false;
}

BerthStatus berth_index_switch(BerthIndex* index, int32_t at, const BerthShape* shape) {
    IndexBody* body = &index->bodies[at];
    bi_index_remove_from_leaves(index, at);
    bi_index_set_outside(index, at, false);
    note_changed(index, body);
    body->shown = shape != NULL;
    if (shape != NULL) {
        body->shape = *shape;
    }
    bi_index_note_moved(index, at);
    return BERTH_OK;
}

static void set_allowed(BerthIndex* index, int32_t mover, int32_t body, bool value) {
    uint64_t* word = &index->allowed[(size_t)mover * (size_t)index->row_words + (size_t)(body / 64)];
    const uint64_t bit = (uint64_t)1 << (body % 64);
    *word = value ? *word | bit : *word & ~bit;
}

void berth_index_allow(BerthIndex* index, int32_t a, int32_t b, bool may_touch) {
    if (a < 0 || b < 0) {
        return;  // a hole among the movers
    }
    if (index->bodies[a].mover != INDEX_NONE) {
        set_allowed(index, index->bodies[a].mover, b, may_touch);
    }
    if (index->bodies[b].mover != INDEX_NONE) {
        set_allowed(index, index->bodies[b].mover, a, may_touch);
    }
}
