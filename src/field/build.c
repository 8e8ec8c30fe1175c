// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// From paint to a field: paint is sorted by code and resolved into the largest nodes of one colour, which
// make the tree. No recursion: a tree is at most 17 deep, so a walk is an array of 17 frames.
// Entries: berth_field_build, berth_field_remake; bi_field_resolve_paints for updates.

#include <string.h>

#include "base/sort.h"
#include "field/field.h"
#include "math/tolerance.h"
#include "simd/simd.h"

#define FIELD_COORDINATE_MAX 1e7
/// So many nodes are never refused: they are nothing beside the program itself.
enum { PAINTS_FREE = 1 << 14 };

const char* berth_field_method_name(BerthFieldMethod method) {
    static const char* const names[BERTH_FIELD_METHOD_COUNT] = {"best", "octree", "thesis", "odm",
                                                                "eodm", "dm",     "euclid", "lists"};
    return (uint32_t)method < BERTH_FIELD_METHOD_COUNT ? names[method] : "";
}

const char* berth_metric_name(BerthMetric metric) {
    if (metric == BERTH_METRIC_L2) {
        return "l2";
    }
    return metric == BERTH_METRIC_L1 ? "l1" : "";
}

BerthFieldDef berth_default_field_def(void) {
    BerthFieldDef def;
    memset(&def, 0, sizeof def);

    def.dim = 3;
    def.resolution = 1.0;
    def.stamp = BI_DEF_STAMP;
    return def;
}

int32_t berth_field_levels_for(int32_t dim, const int32_t size[3]) {
    int32_t levels = 0;
    for (int axis = 0; axis < dim; ++axis) {
        if (size[axis] < 1 || size[axis] > 1 << FIELD_LEVELS) {
            return -1;
        }
        while (1 << levels < size[axis]) {
            ++levels;
        }
    }
    return levels;
}

BerthStatus bi_field_def_check(const BerthFieldDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field def: start from berth_default_field_def()");
    }
    if (def->dim != 2 && def->dim != 3) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field def: dim is %d, must be 2 or 3", def->dim);
    }

    if (def->levels < 0 || def->levels > FIELD_LEVELS) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field def: levels is %d, must be 0 to %d", def->levels,
                       FIELD_LEVELS);
    }
    if (!(def->resolution > 0.0) || !(def->resolution * (1 << def->levels) <= FIELD_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "field def: resolution is %g m, must be > 0 and the whole map below %g m wide",
                       def->resolution, FIELD_COORDINATE_MAX);
    }
    if (!(def->resolution >= 1.0 / FIELD_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field def: resolution is %g m, must be at least %g",
                       def->resolution, 1.0 / FIELD_COORDINATE_MAX);
    }

    const double far = fmax(fabs(def->origin.x), fmax(fabs(def->origin.y), fabs(def->origin.z)));
    if (!v3_finite(def->origin) || !(far <= FIELD_COORDINATE_MAX)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field def: the origin must be finite and within %g m",
                       FIELD_COORDINATE_MAX);
    }

    for (int axis = 0; axis < def->dim; ++axis) {
        if (def->size[axis] < 0 || def->size[axis] > 1 << def->levels) {
            return bi_fail(BERTH_ERR_ARGUMENT, "field def: size %d is %d cells, must be 0 to %d (2^levels)",
                           axis, def->size[axis], 1 << def->levels);
        }
    }

    if (def->background != BERTH_CELL_FREE && def->background != BERTH_CELL_UNKNOWN) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field def: the background must be free or unknown");
    }
    if ((def->parts & ~(uint32_t)BERTH_FIELD_ALL_PARTS) != 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field def: parts has unknown bits, 0x%x", def->parts);
    }
    return BERTH_OK;
}

static void set_size(BerthFieldInfo* info, const BerthFieldDef* def) {
    for (int axis = 0; axis < 3; ++axis) {
        info->size[axis] = map_size(def, axis);
    }
}

uint64_t berth_field_dense_bytes(const BerthFieldDef* def) {
    if (bi_field_def_check(def) != BERTH_OK) {
        return 0;
    }

    BerthFieldInfo info = {.dim = def->dim};
    set_size(&info, def);
    const uint64_t cells = (uint64_t)info.size[0] * (uint64_t)info.size[1] * (uint64_t)info.size[2];
    return ((def->parts & BERTH_FIELD_DM) != 0 ? 2 * cells : 0) +
           ((def->parts & BERTH_FIELD_EUCLID) != 0 ? 4 * cells : 0);
}

BerthStatus bi_field_report_progress(const BerthFieldDef* def, double share) {
    if (def != NULL && def->progress != NULL && !def->progress(def->progress_user, share)) {
        return bi_fail(BERTH_ERR_CANCELLED, "field: stopped by the caller");
    }
    return BERTH_OK;
}

// A paint (8) in a list that grows by half beside its old self, two entries to sort (32), a leaf (8) in such a list, and its
// share of the tree's nodes: bytes, at the worst moment.
enum { PAINT_BYTES = 80 };

uint64_t bi_field_memory_limit(const BerthFieldDef* def) {
    return def->memory_limit > 0 ? (uint64_t)def->memory_limit : FIELD_MEMORY_DEFAULT;
}

BerthStatus bi_field_check_paints(const BerthFieldDef* def, uint64_t nodes) {
    const uint64_t limit = bi_field_memory_limit(def);
    const uint64_t most = limit / PAINT_BYTES < UINT32_MAX ? limit / PAINT_BYTES : UINT32_MAX;
    if (nodes <= most || nodes <= PAINTS_FREE) {
        return BERTH_OK;
    }

    return bi_fail(
        BERTH_ERR_MEMORY,
        "field: %llu nodes of a map of %d x %d x %d cells would need about %.3g bytes, the limit is %llu "
        "(%llu nodes): larger cells, or a smaller part of the map, need less",
        (unsigned long long)nodes, map_size(def, 0), map_size(def, 1), map_size(def, 2),
        (double)nodes * PAINT_BYTES, (unsigned long long)limit, (unsigned long long)most);
}

BerthStatus bi_field_check_budget(const BerthFieldDef* def, uint64_t used, uint64_t done, uint64_t total) {
    const uint64_t limit = bi_field_memory_limit(def);
    if (used > limit) {
        return bi_fail(
            BERTH_ERR_MEMORY,
            "field: %llu bytes after %llu of %llu nodes, the whole may need %.3g; the limit is %llu",
            (unsigned long long)used, (unsigned long long)done, (unsigned long long)total,
            (double)used * (double)total / (double)done, (unsigned long long)limit);
    }
    return BERTH_OK;
}

// Before anything is done: dense maps are as large as the map, whatever is in it.
static BerthStatus check_dense(const BerthFieldDef* def) {
    const uint64_t limit = bi_field_memory_limit(def), dense = berth_field_dense_bytes(def);
    if (dense > limit) {
        return bi_fail(
            BERTH_ERR_MEMORY,
            "field: the dense maps of %d x %d x %d cells would need %llu bytes, more than the limit of "
            "%llu: the structures that are not dense (octree, odm, eodm, lists), larger cells, or a "
            "smaller map need less",
            map_size(def, 0), map_size(def, 1), map_size(def, 2), (unsigned long long)dense,
            (unsigned long long)limit);
    }
    return BERTH_OK;
}

// ---- the builder --------------------------------------------------------------------------------------------------------------

BerthStatus berth_field_builder_create(const BerthFieldDef* def, BerthFieldBuilder** out) {
    *out = NULL;
    BerthStatus status = bi_field_def_check(def);
    if (status == BERTH_OK) {
        status = check_dense(def);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator allocator = bi_allocator_or_default(&def->allocator);
    BerthFieldBuilder* builder = bi_take(&allocator, 1, sizeof *builder);
    if (builder == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field builder: out of memory");
    }

    builder->def = *def;
    builder->def.allocator = allocator;
    bi_list_init(&builder->paints, &allocator, sizeof(Paint));
    if (def->background == BERTH_CELL_UNKNOWN) {
        BerthFieldInfo info = {.dim = def->dim};
        set_size(&info, def);
        const int32_t low[3] = {0, 0, 0};
        const BerthStatus painted = berth_field_add_box(builder, low, info.size, BERTH_CELL_UNKNOWN);
        if (painted != BERTH_OK) {
            berth_field_builder_destroy(builder);
            return painted;
        }
        builder->canvas = builder->paints.count;
    }

    *out = builder;
    return BERTH_OK;
}

void berth_field_builder_destroy(BerthFieldBuilder* builder) {
    if (builder != NULL) {
        const BerthAllocator allocator = builder->def.allocator;
        bi_list_free(&builder->paints);
        bi_give(&allocator, builder, 1, sizeof *builder);
    }
}

BerthStatus bi_field_append_paint(const BerthFieldDef* def, GrowList* paints, const int32_t low[3],
                                  int32_t log_width, BerthCellColour colour) {
    const size_t count = paints->count;
    if (count % FIELD_TURNS == FIELD_TURNS - 1) {
        BerthStatus status = bi_field_check_paints(def, (uint64_t)count + 1);
        if (status == BERTH_OK) {
            status = bi_field_report_progress(def, 0.0);
        }
        if (status != BERTH_OK) {
            return status;
        }
    }

    Paint* paint = count < UINT32_MAX ? bi_list_more(paints, 1) : NULL;
    if (paint == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field builder: out of memory after %zu nodes", count);
    }

    *paint = paint_make(morton_code(def->dim, low), def->levels - log_width, (int32_t)colour);
    ++paints->count;
    return BERTH_OK;
}

BerthStatus bi_field_paint(BerthFieldBuilder* builder, const int32_t low[3], int32_t log_width,
                           BerthCellColour colour) {
    return bi_field_append_paint(&builder->def, &builder->paints, low, log_width, colour);
}

BerthStatus berth_field_add_node(BerthFieldBuilder* builder, uint64_t code, int32_t level,
                                 BerthCellColour colour) {
    const int32_t dim = builder->def.dim, levels = builder->def.levels;
    if (level < 0 || level > levels) {
        return bi_fail(BERTH_ERR_ARGUMENT, "level is %d, must be 0 to %d", level, levels);
    }
    if (code >> (dim * level) != 0) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "locational code %llu is out of range for level %d: it has %d digits of base %d",
                       (unsigned long long)code, level, level, 1 << dim);
    }

    if ((uint32_t)colour >= BERTH_CELL_COLOUR_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "colour %d is none", (int)colour);
    }

    int32_t low[3];
    morton_cell(dim, code << (dim * (levels - level)), low);

    for (int axis = 0; axis < dim; ++axis) {
        if (low[axis] + (1 << (levels - level)) > map_size(&builder->def, axis)) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "locational code %llu of level %d reaches beyond the map's %d cells of axis %d",
                           (unsigned long long)code, level, map_size(&builder->def, axis), axis);
        }
    }
    return bi_field_paint(builder, low, levels - level, colour);
}

BerthStatus berth_field_add_cell(BerthFieldBuilder* builder, int32_t x, int32_t y, int32_t z,
                                 BerthCellColour colour) {
    const int32_t low[3] = {x, y, builder->def.dim == 2 ? 0 : z};

    for (int axis = 0; axis < builder->def.dim; ++axis) {
        const int32_t cells = map_size(&builder->def, axis);
        if (low[axis] < 0 || low[axis] >= cells) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "cell (%d, %d, %d) is outside of the map's %d cells of axis %d", x, y, z, cells,
                           axis);
        }
    }

    if ((uint32_t)colour >= BERTH_CELL_COLOUR_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "colour %d is none", (int)colour);
    }
    return bi_field_paint(builder, low, 0, colour);
}

// ---- from paints to the largest nodes of one colour ---------------------------------------------------------------------------

enum { COLOUR_MIXED = FIELD_GREY };

/// A node whose children are being resolved: what is painted over all of it, and the paints that lie deeper.
typedef struct ResolveFrame {
    uint64_t code;
    size_t next, end;  // of the sorted items that are left for it
    int32_t colour;    // of the paint over all of it
    uint32_t seq;      // and when that was put on: 0 is the bare canvas
    int32_t level, child;
    int32_t common;  // colour of all children so far, or COLOUR_MIXED
} ResolveFrame;

typedef struct Resolve {
    int dim;
    int32_t levels;
    const Paint* paints;
    const SortItem* items;
    GrowList* solids;
    const BerthFieldDef* def;  // for progress, or null
    uint64_t turns;
    ResolveFrame frames[FIELD_LEVELS + 1];
    int depth;
} Resolve;

static BerthStatus emit_leaf(Resolve* r, uint64_t code, int32_t level, int32_t colour) {
    if (colour == BERTH_CELL_FREE) {
        return BERTH_OK;
    }

    PackedLeaf* leaf = bi_list_more(r->solids, 1);
    if (leaf == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory after %zu leaves", r->solids->count);
    }

    int32_t low[3];
    morton_cell(r->dim, code, low);
    *leaf = leaf_pack(low, r->levels - level, colour);
    ++r->solids->count;
    return BERTH_OK;
}

// Opens a node. Returns its colour when it is a leaf, else COLOUR_MIXED with a frame for it on the stack.
static int32_t resolve_open(Resolve* r, uint64_t code, int32_t level, size_t next, size_t end, int32_t colour,
                            uint32_t seq) {
    const uint64_t key = code << 5 | (uint32_t)level;
    for (; next < end && r->items[next].key == key; ++next) {
        if (r->items[next].index + 1 > seq) {
            seq = r->items[next].index + 1;
            colour = (int32_t)(r->paints[r->items[next].index] & 3u);
        }
    }

    // A leaf, unless something that lies deeper was painted later.
    bool deeper = false;
    for (size_t i = next; i < end && !deeper; ++i) {
        deeper = r->items[i].index + 1 > seq;
    }
    if (!deeper) {
        return colour;
    }

    r->frames[r->depth++] = (ResolveFrame){code, next, end, colour, seq, level, 0, -1};
    return COLOUR_MIXED;
}

// A child of the top frame is known. Merges equal leaves.
static BerthStatus resolve_close(Resolve* r, uint64_t code, int32_t level, int32_t colour) {
    BerthStatus status = BERTH_OK;
    if (colour != COLOUR_MIXED) {
        status = emit_leaf(r, code, level, colour);
    }

    while (status == BERTH_OK && r->depth > 0) {
        ResolveFrame* top = &r->frames[r->depth - 1];
        top->common = top->child == 0 || top->common == colour ? colour : COLOUR_MIXED;
        if (++top->child < 1 << r->dim) {
            break;
        }

        colour = top->common;
        --r->depth;
        if (colour != COLOUR_MIXED && colour != BERTH_CELL_FREE) {
            r->solids->count -= (size_t)1 << r->dim;
            status = emit_leaf(r, top->code, top->level, colour);
        }
    }

    return status;
}

static BerthStatus resolve_walk(Resolve* r, size_t count) {
    int32_t colour = resolve_open(r, 0, 0, 0, count, BERTH_CELL_FREE, 0);
    if (colour != COLOUR_MIXED) {
        return emit_leaf(r, 0, 0, colour);
    }

    BerthStatus status = BERTH_OK;
    while (status == BERTH_OK && r->depth > 0) {
        ResolveFrame* top = &r->frames[r->depth - 1];
        const int32_t level = top->level + 1;
        const uint64_t width = (uint64_t)1 << (r->dim * (r->levels - level));
        const uint64_t code = top->code + (uint64_t)top->child * width;

        size_t end = top->next;
        while (end < top->end && r->items[end].key >> 5 < code + width) {
            ++end;
        }

        const size_t next = top->next;
        top->next = end;
        colour = resolve_open(r, code, level, next, end, top->colour, top->seq);

        if (++r->turns % FIELD_TURNS == 0) {
            status = bi_field_report_progress(r->def, 0.0);
        }
        if (status == BERTH_OK && colour != COLOUR_MIXED) {
            status = resolve_close(r, code, level, colour);
        }
    }
    return status;
}

static bool go_on_sorting(void* user) {
    return bi_field_report_progress(user, 0.0) == BERTH_OK;
}

BerthStatus bi_field_resolve_paints(int dim, int32_t levels, const Paint* paints, size_t count,
                                    const BerthFieldDef* def, GrowList* solids) {
    SortItem* items = bi_take_raw(&solids->allocator, count, sizeof *items);
    SortItem* scratch = bi_take_raw(&solids->allocator, count, sizeof *scratch);
    BerthStatus status = BERTH_OK;

    if (items == NULL || scratch == NULL) {
        status = bi_fail(BERTH_ERR_MEMORY, "field: out of memory for %zu nodes", count);
    } else {
        BerthFieldDef settled = def != NULL ? *def : (BerthFieldDef){0};
        bool going = true;
        for (size_t i = 0; i < count && going; ++i) {
            items[i] = (SortItem){paints[i] >> 2, (uint32_t)i};
            going = i % FIELD_TURNS != 0 || go_on_sorting(&settled);
        }

        going = going && bi_sort_long(items, scratch, count, go_on_sorting, &settled);
        status = going ? BERTH_OK : BERTH_ERR_CANCELLED;
        bi_give(&solids->allocator, scratch, count, sizeof *scratch);
        scratch = NULL;

        Resolve r = {
            .dim = dim, .levels = levels, .paints = paints, .items = items, .solids = solids, .def = def};
        if (status == BERTH_OK) {
            status = resolve_walk(&r, count);
        }
    }

    bi_give(&solids->allocator, scratch, count, sizeof *scratch);
    bi_give(&solids->allocator, items, count, sizeof *items);
    return status;
}

bool berth_field_find_overlap(BerthFieldBuilder* builder, uint64_t code[2], int32_t level[2]) {
    const size_t count = builder->paints.count - builder->canvas;
    const BerthAllocator* allocator = &builder->def.allocator;
    const Paint* paints = count > 0 ? (const Paint*)builder->paints.data + builder->canvas : NULL;
    SortItem* items = bi_take(allocator, count, sizeof *items);
    SortItem* scratch = bi_take(allocator, count, sizeof *scratch);
    bool found = false;

    if (items != NULL && scratch != NULL) {
        for (size_t i = 0; i < count; ++i) {
            items[i] = (SortItem){paints[i] >> 2, (uint32_t)i};
        }
        bi_sort_items(items, scratch, count);

        uint64_t end = 0;
        for (size_t i = 0; i < count && !found; ++i) {
            const uint64_t first = items[i].key >> 5;
            const int32_t deep = (int32_t)(items[i].key & 31u);
            const int shift = builder->def.dim * (builder->def.levels - deep);
            found = i > 0 && first < end;
            if (found) {
                level[0] = (int32_t)(items[i - 1].key & 31u);
                code[0] = items[i - 1].key >> 5 >> (builder->def.dim * (builder->def.levels - level[0]));
                level[1] = deep;
                code[1] = first >> shift;
            }

            end = first + ((uint64_t)1 << shift);
        }
    }

    if (scratch != NULL) {
        bi_give(allocator, scratch, count, sizeof *scratch);
    }
    if (items != NULL) {
        bi_give(allocator, items, count, sizeof *items);
    }

    return found;
}

// ---- the field ----------------------------------------------------------------------------------------------------------------

BerthStatus bi_field_create(const BerthFieldDef* def, BerthField** out) {
    const BerthAllocator allocator = bi_allocator_or_default(&def->allocator);
    BerthField* field = bi_take(&allocator, 1, sizeof *field);
    *out = field;
    if (field == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory");
    }

    field->allocator = allocator;
    BerthFieldInfo* info = &field->info;
    info->dim = def->dim;
    info->levels = def->levels;
    info->resolution = def->resolution;
    info->origin = def->origin;
    info->background = def->background;
    info->unknown_is_free = def->unknown_is_free;
    info->local = def->local && (def->parts & BERTH_FIELD_EODM) != 0;
    info->parts = def->parts;
    set_size(info, def);
    field->cells = 1 << def->levels;
    field->per_metre = 1.0 / def->resolution;
    field->kernels = bi_simd_kernels();
    bi_field_make_looks(field);

    // In the plane z is not used, but may be large.
    const Vec3 o = v3_abs(def->origin);
    const double farthest = fmax(fmax(o.x, o.y), def->dim == 3 ? o.z : 0.0) / def->resolution;
    field->origin_slack = BI_FIELD_SLACK * farthest;
    field->rough_is_enough = BI_FIELD_SLACK * (4.0 * field->cells) + 2.0 * field->origin_slack < FIELD_ROUGH;

    int exponent;
    const double bits = ldexp(frexp(def->resolution, &exponent), 26);
    field->short_resolution = bits == floor(bits);

    for (int kind = 0; kind < FIELD_ARRAY_COUNT; ++kind) {
        field->arrays[kind].size = bi_field_item_size((FieldArrayKind)kind);
    }

    return BERTH_OK;
}

void berth_field_destroy(BerthField* field) {
    if (field != NULL) {
        for (int kind = 0; kind < FIELD_ARRAY_COUNT; ++kind) {
            bi_field_give_array(field, (FieldArrayKind)kind);
        }
        const BerthAllocator allocator = field->allocator;
        bi_give(&allocator, field->holding, (size_t)field->info.node_count / 64 + 1, sizeof *field->holding);
        bi_give(&allocator, field, 1, sizeof *field);
    }
}

static BerthStatus build_from_solids(const BerthFieldDef* def, GrowList* solids, BerthField** out) {
    BerthField* field = NULL;
    BerthStatus status = check_dense(def);

    if (status == BERTH_OK) {
        status = bi_field_create(def, &field);
    }
    if (status == BERTH_OK) {
        status = bi_field_take_list(field, FIELD_SOLIDS, solids);
    }
    if (status == BERTH_OK) {
        status = bi_field_make_tree(field, def);
    }
    if (status == BERTH_OK) {
        status = bi_field_make_parts(field, def, NULL, 0);
    }

    if (status != BERTH_OK) {
        berth_field_destroy(field);
        field = NULL;
    }

    *out = field;
    return status;
}

BerthStatus berth_field_build(BerthFieldBuilder* builder, BerthField** out) {
    *out = NULL;
    GrowList solids;
    bi_list_init(&solids, &builder->def.allocator, sizeof(PackedLeaf));
    BerthStatus status = bi_field_resolve_paints(builder->def.dim, builder->def.levels, builder->paints.data,
                                                 builder->paints.count, &builder->def, &solids);

    if (status == BERTH_OK) {
        status = build_from_solids(&builder->def, &solids, out);
    }

    bi_list_free(&solids);
    return status;
}

BerthStatus berth_field_remake(const BerthField* field, const BerthFieldDef* def, BerthField** out) {
    *out = NULL;
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field def: start from berth_default_field_def()");
    }

    BerthFieldDef same = *def;
    same.allocator = bi_allocator_or_default(&def->allocator);
    same.dim = field->info.dim;
    same.levels = field->info.levels;
    same.resolution = field->info.resolution;
    same.origin = field->info.origin;
    same.background = field->info.background;
    memcpy(same.size, field->info.size, sizeof same.size);

    BerthStatus status = bi_field_def_check(&same);
    if (status != BERTH_OK) {
        return status;
    }

    GrowList solids;
    bi_list_init(&solids, &same.allocator, sizeof(PackedLeaf));
    const size_t count = field->arrays[FIELD_SOLIDS].count;
    PackedLeaf* copy = bi_list_more(&solids, count);
    if (copy == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory");
    }

    if (count > 0) {
        memcpy(copy, field->solids, count * sizeof *copy);
    }
    solids.count = count;

    status = build_from_solids(&same, &solids, out);
    bi_list_free(&solids);
    return status;
}
