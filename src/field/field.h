// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of a field. The tree is an array of 32-bit nodes: two bits of colour and 30 bits that say
// where the children are (grey), which solid leaf it is (an obstacle), or which free leaf (its *slot*, by
// which ODM, EODM and lists are found). Children are adjacent, in the order of codes. Everything about cells
// is an integer; queries compute in cells, in double, and are exact where the input is a multiple of 1/256
// cell (docs/theory/field.md).

#ifndef BI_FIELD_H
#define BI_FIELD_H

#include <berth/lab/field.h>

#include "base/base.h"
#include "base/list.h"
#include "math/morton.h"
#include "math/vec3.h"
#include "simd/look_layout.h"

enum {
    FIELD_LEVELS = BERTH_FIELD_LEVELS_MAX,
    FIELD_CHILDREN = 8,
    FIELD_FACES = 6,
    FIELD_STACK = FIELD_LEVELS * (FIELD_CHILDREN - 1) + FIELD_CHILDREN,  // a walk that leaves siblings behind
    FIELD_GREY = BERTH_CELL_COLOUR_COUNT,                                // the fourth colour of a node
};
#define FIELD_PAYLOAD 0x3FFFFFFFu
#define FIELD_ENDLESS UINT32_MAX                  // no obstacle at all: of the dense Euclidean map
#define FIELD_MEMORY_DEFAULT ((uint64_t)4 << 30)  // bytes, where a def says 0
#define FIELD_ROUGH 0x1p-21       // cells: so much rounding is allowed for by a first look at a dense map
#define FIELD_DM_MOST UINT16_MAX  // of the dense L1 map: so far or further

/// A leaf: x, y, z of 16 bits, the power of two of its width (5 bits), its colour (2 bits).
typedef uint64_t PackedLeaf;

static inline PackedLeaf leaf_pack(const int32_t low[3], int32_t log_width, int32_t colour) {
    return (uint64_t)(uint32_t)low[0] | (uint64_t)(uint32_t)low[1] << 16 | (uint64_t)(uint32_t)low[2] << 32 |
           (uint64_t)(uint32_t)log_width << 48 | (uint64_t)(uint32_t)colour << 53;
}
static inline int32_t leaf_low(PackedLeaf leaf, int axis) {
    return (int32_t)(leaf >> (16 * axis) & 0xFFFFu);
}
static inline int32_t leaf_log(PackedLeaf leaf) {
    return (int32_t)(leaf >> 48 & 31u);
}
static inline int32_t leaf_width(PackedLeaf leaf) {
    return (int32_t)1 << leaf_log(leaf);
}
static inline int32_t leaf_colour(PackedLeaf leaf) {
    return (int32_t)(leaf >> 53 & 3u);
}

/// Between two line separators of a face; the last of all is a sentinel. Its pieces: in the strip [first, north), beyond its
/// upper line [north, south), beyond its lower line [south, next strip's first).
typedef struct FieldStrip {
    uint32_t low;  ///< where it starts along the face's second axis, cells from the node's corner
    uint32_t first, north, south;
} FieldStrip;

/// An interval of a perimeter function: where it starts (17 bits, half cells from the node's corner), its kind (2), its
/// value + FIELD_VALUE_BIAS (19), the obstacle (26). Up to the next one's start.
typedef uint64_t FieldPiece;
enum { PIECE_NONE = 0, PIECE_RISE, PIECE_FALL, PIECE_LEVEL };
#define FIELD_VALUE_BIAS 65536
#define FIELD_OBSTACLES_MAX (1u << 26)

static inline FieldPiece piece_pack(uint32_t start, uint32_t kind, int32_t value, uint32_t obstacle) {
    return (uint64_t)start << 47 | (uint64_t)kind << 45 |
           (uint64_t)(uint32_t)(value + FIELD_VALUE_BIAS) << 26 | obstacle;
}
static inline uint32_t piece_start(FieldPiece piece) {
    return (uint32_t)(piece >> 47);
}
static inline uint32_t piece_kind(FieldPiece piece) {
    return (uint32_t)(piece >> 45) & 3u;
}
static inline int32_t piece_value(FieldPiece piece) {
    return (int32_t)(piece >> 26 & 0x7FFFFu) - FIELD_VALUE_BIAS;
}
static inline uint32_t piece_obstacle(FieldPiece piece) {
    return (uint32_t)(piece & (FIELD_OBSTACLES_MAX - 1u));
}

/// An array of one part. Borrowed ones lie in the caller's block.
typedef struct FieldArray {
    void* data;
    size_t count, size;
    bool borrowed;
} FieldArray;

typedef enum FieldArrayKind {
    FIELD_NODES = 0,    ///< uint32_t
    FIELD_SOLIDS,       ///< PackedLeaf, in the order of codes
    FIELD_SEPARATIONS,  ///< uint16_t, two a slot: least, greatest
    FIELD_LINKS,  ///< uint32_t, first strip of each face; a row of faces a slot (local: a node), and one more
    FIELD_STRIPS,    ///< FieldStrip, and a sentinel
    FIELD_PIECES,    ///< FieldPiece
    FIELD_REACHES,   ///< uint32_t, a slot (global): no obstacle further from the leaf than this, L1, counts
    FIELD_DENSE_L1,  ///< uint16_t, x fastest
    FIELD_DENSE_EUCLID,  ///< uint32_t, x fastest
    FIELD_LIST_FIRST,    ///< uint32_t, a slot, and one more
    FIELD_LIST_ITEMS,    ///< uint32_t, solids
    FIELD_ARRAY_COUNT
} FieldArrayKind;

struct BerthField {
    BerthAllocator allocator;
    BerthFieldInfo info;
    int32_t cells;     ///< of the root, an axis
    uint32_t slots;    ///< free leaves, those that unknown_is_free makes free too
    double per_metre;  ///< cells, 1 / resolution, for rough work only
    const struct SimdKernels* kernels;
    LookFrame looks;        ///< for lookups of balls in the dense Euclidean map
    double origin_slack;    ///< cells: how far the origin and the borders may be from where files have them
    bool rough_is_enough;   ///< coordinates round by far less than the dense maps' first look leaves room for
    bool short_resolution;  ///< at most 26 bits
    uint8_t best[BERTH_METRIC_COUNT];  ///< BerthFieldMethod: the part that answers fastest
    /// A bit a node: it is an obstacle, or holds one. Null: every grey node does, since no unknown leaf is free.
    uint64_t* holding;
    // The arrays again, typed.
    const uint32_t* nodes;
    const PackedLeaf* solids;
    const uint16_t* separations;
    const uint32_t* links;
    const FieldStrip* strips;
    const FieldPiece* pieces;
    const uint32_t* reaches;
    const uint16_t* dense_l1;
    const uint32_t* dense_euclid;
    const uint32_t* list_first;
    const uint32_t* list_items;
    FieldArray arrays[FIELD_ARRAY_COUNT];
};

/// False: no obstacle is in the grey node at this index.
static inline bool grey_holds_obstacle(const BerthField* field, uint32_t index) {
    return field->holding == NULL || (field->holding[index / 64] >> (index % 64) & 1) != 0;
}

static inline int32_t node_colour(uint32_t node) {
    return (int32_t)(node >> 30);
}
static inline uint32_t node_payload(uint32_t node) {
    return node & FIELD_PAYLOAD;
}
static inline uint32_t node_make(int32_t colour, uint32_t payload) {
    return (uint32_t)colour << 30 | payload;
}
/// A leaf that is an obstacle.
static inline bool node_blocks(const BerthField* field, uint32_t node) {
    const int32_t colour = node_colour(node);
    return colour == BERTH_CELL_OCCUPIED || (colour == BERTH_CELL_UNKNOWN && !field->info.unknown_is_free);
}
static inline int field_children(const BerthField* field) {
    return 1 << field->info.dim;
}

/// A node on a walk.
typedef struct FieldNode {
    uint32_t node;   ///< its word
    uint32_t index;  ///< of the word
    int32_t low[3];
    int32_t log_width;
} FieldNode;

static inline FieldNode field_root(const BerthField* field) {
    return (FieldNode){field->nodes[0], 0, {0, 0, 0}, field->info.levels};
}
/// Child `k` of a grey node.
static inline FieldNode field_child(const BerthField* field, const FieldNode* at, int k) {
    const uint32_t index = node_payload(at->node) + (uint32_t)k;
    const int32_t log_width = at->log_width - 1;
    return (FieldNode){field->nodes[index],
                       index,
                       {at->low[0] + ((k & 1) << log_width), at->low[1] + ((k >> 1 & 1) << log_width),
                        at->low[2] + ((k >> 2 & 1) << log_width)},
                       log_width};
}
/// The leaf that holds a cell of the root.
static inline FieldNode field_leaf(const BerthField* field, const int32_t cell[3]) {
    FieldNode at = field_root(field);
    while (node_colour(at.node) == FIELD_GREY) {
        const int32_t b = at.log_width - 1;
        at = field_child(field, &at, (cell[0] >> b & 1) | (cell[1] >> b & 1) << 1 | (cell[2] >> b & 1) << 2);
    }
    return at;
}
static inline size_t dense_index(const BerthField* field, const int32_t cell[3]) {
    const size_t nx = (size_t)field->info.size[0], ny = (size_t)field->info.size[1];
    return (size_t)cell[0] + nx * ((size_t)cell[1] + ny * (size_t)cell[2]);
}

/// A node's box in metres, rounded outward. In the plane from height[0] to height[1] in z; null: as far as coordinates go.
void bi_field_box(const BerthField* field, const FieldNode* at, const double height[2], Vec3* low,
                  Vec3* high);

/// Cells of the map along an axis; in the plane there is one along z.
static inline int32_t map_size(const BerthFieldDef* def, int axis) {
    if (axis >= def->dim) {
        return 1;
    }
    return def->size[axis] > 0 ? def->size[axis] : 1 << def->levels;
}

// ---- making -----------------------------------------------------------------------------------------------------------------

/// The list's items become the field's array `kind`, in a block of the right size; the list is empty then.
BerthStatus bi_field_take_list(BerthField* field, FieldArrayKind kind, GrowList* list);
/// A zeroed array of the field.
BerthStatus bi_field_take_array(BerthField* field, FieldArrayKind kind, size_t count);
void bi_field_give_array(BerthField* field, FieldArrayKind kind);
/// Sets the typed pointers.
void bi_field_set_pointers(BerthField* field);
size_t bi_field_item_size(FieldArrayKind kind);

/// Loops over nodes ask so often whether they shall go on; each turn is far below a microsecond.
enum { FIELD_TURNS = 1 << 16 };

/// Paint on the tree, later over earlier: code of the first cell (48 bits), level (5), colour (2).
typedef uint64_t Paint;
static inline Paint paint_make(uint64_t cell_code, int32_t level, int32_t colour) {
    return cell_code << 7 | (uint64_t)(uint32_t)level << 2 | (uint32_t)colour;
}

struct BerthFieldBuilder {
    BerthFieldDef def;
    GrowList paints;  ///< Paint
    size_t canvas;    ///< paints of the background
};
/// One more paint in a list, within the def's limit; now and then progress is reported.
BerthStatus bi_field_append_paint(const BerthFieldDef* def, GrowList* paints, const int32_t low[3],
                                  int32_t log_width, BerthCellColour colour);
BerthStatus bi_field_paint(BerthFieldBuilder* builder, const int32_t low[3], int32_t log_width,
                           BerthCellColour colour);
/// The largest nodes of one colour, in the order of codes; `solids` is a list of PackedLeaf. Deterministic: any paints
/// that give the same cells give the same list. `def` for progress; may be null.
BerthStatus bi_field_resolve_paints(int dim, int32_t levels, const Paint* paints, size_t count,
                                    const BerthFieldDef* def, GrowList* solids);
/// MEMORY when `nodes` of paint would take more than the def's limit until they are a tree: the text says how much, and why.
BerthStatus bi_field_check_paints(const BerthFieldDef* def, uint64_t nodes);
/// The field's tree from its solids array (which it has already). `def` for progress; may be null.
BerthStatus bi_field_make_tree(BerthField* field, const BerthFieldDef* def);
/// What an update changed, as boxes of cells, and what of the old field may be used again.
enum { FIELD_CLUSTERS = 64 };
typedef struct FieldCells {
    int32_t low[3], high[3];  ///< high: the cell behind the last
} FieldCells;
typedef struct FieldTouched {
    const BerthField* old;
    FieldCells clusters[FIELD_CLUSTERS];  ///< obstacles that came or went are in these
    int count;
    const uint32_t* renumber;  ///< from old solids to new ones
} FieldTouched;
/// The slot a free leaf had before, or UINT32_MAX.
uint32_t bi_field_old_slot(const FieldTouched* touched, const FieldNode* leaf);
/// True when nothing changed within `reach` cells (L1) of the node: what was found there holds still.
bool bi_field_is_untouched(const FieldTouched* touched, const FieldNode* at, uint32_t reach);

/// All parts that the info requests, over the tree, except the dense ones in `skip`. `def` for progress and limits; `touched` is null for a new field.
BerthStatus bi_field_make_parts(BerthField* field, const BerthFieldDef* def, const FieldTouched* touched,
                                uint32_t skip);
/// Sets up lookups in dense maps, from the info.
void bi_field_make_looks(BerthField* field);
/// The part that answers fastest.
BerthFieldMethod bi_field_best_method(uint32_t parts, BerthMetric metric);
/// Bytes of the parts into the info, and which is best.
void bi_field_measure_parts(BerthField* field);
/// A field without arrays.
BerthStatus bi_field_create(const BerthFieldDef* def, BerthField** out);
BerthStatus bi_field_def_check(const BerthFieldDef* def);
/// Bytes, also where the def says 0.
uint64_t bi_field_memory_limit(const BerthFieldDef* def);
/// MEMORY when `used` bytes are over the limit, after `done` of `total` nodes.
BerthStatus bi_field_check_budget(const BerthFieldDef* def, uint64_t used, uint64_t done, uint64_t total);
/// Said now and then; CANCELLED when the caller wants to stop. A null def never does.
BerthStatus bi_field_report_progress(const BerthFieldDef* def, double share);

// Dense maps over the cells of the size, x fastest: whole numbers, so that an updated one equals one made anew (dense_build.c).
/// L1 distance of cell indices: nothing blocks the wave, so it is the sum over the axes, in two sweeps each.
BerthStatus bi_field_make_l1(BerthField* field, const BerthFieldDef* def, double share_from, double share_to);
/// Lets the wave of the L1 map run over a box of cells (low <= cell < high) from the values that are in it. `def` for progress; may
/// be null: then it does not fail.
BerthStatus bi_field_spread_l1(BerthField* field, const BerthFieldDef* def, double share,
                               const int32_t low[3], const int32_t high[3]);
/// Squared Euclidean distance of cell centres to the nearest obstacle, half cells.
BerthStatus bi_field_make_euclid(BerthField* field, const BerthFieldDef* def, double share_from,
                                 double share_to);

#endif
