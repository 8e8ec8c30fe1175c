// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of an index. Space is a cube of cells with integer coordinates, the smallest leaves; a body's
// box is a range of cells. Turning a coordinate into a cell is monotone, so boxes that touch share a cell and
// with it a leaf: no tolerance is needed for that. Invariant after an update: a body is in exactly the leaves
// that its range (or the body itself) reaches, or it is on the outside list.

#ifndef BI_INDEX_H
#define BI_INDEX_H

#include <berth/lab/index.h>

#include "base/base.h"
#include "math/tolerance.h"
#include "math/vec3.h"

enum { INDEX_AXES = 3, INDEX_DEPTH_MAX = 20, INDEX_CHILDREN = 8, INDEX_NONE = -1 };

/// Cells from low to high, both included.
typedef struct CellRange {
    int32_t low[INDEX_AXES], high[INDEX_AXES];
} CellRange;

/// An axis-aligned box in single precision, rounded outward.
typedef struct IndexBox {
    float low[INDEX_AXES], high[INDEX_AXES];
} IndexBox;

/// Growth that makes up for the rounding of coordinates to float, by their size.
#define INDEX_FLOAT_SLACK (2.0 * BI_ULP_F)

typedef struct IndexNode {
    int32_t cell[INDEX_AXES];  ///< its first cell
    int32_t size;              ///< cells an axis
    int32_t child;             ///< first of eight, or INDEX_NONE: a leaf
    int32_t parent;
    int32_t first;    ///< of its entries
    int32_t count;    ///< entries
    uint64_t stamp;   ///< of the last body that was here or came here
    uint64_t looked;  ///< of the last body that was compared with it by its neighbours
    bool listed;      ///< among the checks
} IndexNode;

/// A body in a leaf: in the list of the leaf's bodies and in the list of the body's leaves.
typedef struct IndexEntry {
    int32_t body, leaf;
    int32_t leaf_next, leaf_previous;
    int32_t body_next, body_previous;
    uint64_t stamp;  ///< confirmed by the update with this number
} IndexEntry;

typedef struct IndexBody {
    BerthShape shape;
    Pose pose;
    double extension;
    IndexBox box;      ///< of the extended body
    Pose placed_pose;  ///< and extension, at the last update
    double placed_extension;
    CellRange range;
    int32_t first;    ///< of its entries
    int32_t outside;  ///< its place on the outside list, or INDEX_NONE
    int32_t mover;    ///< its number among the movers, or INDEX_NONE
    uint64_t seen;    ///< stamp of the last mover that met it
    bool used, shown, moved, in_list;
} IndexBody;

/// Sixteen boxes, axis by axis, so that one loop compares them all with another.
enum { INDEX_LANES = 16, INDEX_MATES_MOST = 128, INDEX_BLOCKS = INDEX_MATES_MOST / INDEX_LANES };
typedef struct BoxBlock {
    _Alignas(64) float low[INDEX_AXES][INDEX_LANES];
    float high[INDEX_AXES][INDEX_LANES];
} BoxBlock;

/// What stands in the leaves of a mover, each body once. It is kept until the mover's leaves change or something that
/// stands does (`standing`), so most cycles walk no list.
typedef struct IndexMates {
    uint64_t standing;  ///< the index's when this was made; 0: to be made
    int32_t count;      ///< INDEX_NONE: too many to keep
    int32_t bodies[INDEX_MATES_MOST];
    BoxBlock blocks[INDEX_BLOCKS];
} IndexMates;

struct BerthIndex {
    BerthAllocator allocator;
    BerthIndexDef def;
    int32_t cells;    ///< of the whole cube, an axis
    double per_cell;  ///< cells a metre
    double cell_edge;
    uint64_t stamp;
    IndexBody* bodies;
    int32_t body_count;  ///< slots of the array in use, holes included
    IndexNode* nodes;
    int32_t node_count, node_free;  ///< node_free: first of a free block of eight
    IndexEntry* entries;
    int32_t entry_free;   ///< first of those given back
    int32_t entry_fresh;  ///< first of those never used
    int32_t entry_left;
    int32_t* outside;
    int32_t outside_count;
    int32_t* moved;  ///< bodies since the last update
    int32_t moved_count;
    int32_t* movers;  ///< bodies by mover number, INDEX_NONE in holes
    int32_t mover_count;
    IndexMates* mates;       ///< by mover number
    BoxBlock* mover_blocks;  ///< boxes of the movers, by number
    uint64_t standing;       ///< grows when something that stands comes, goes or changes
    uint64_t* allowed;       ///< a row of body_limit bits a mover
    int32_t row_words;
    int32_t* checks;  ///< nodes whose children may be merged
    int32_t check_count;
    int32_t* work;                                 ///< stack of nodes
    int32_t leaves_by_power[INDEX_DEPTH_MAX + 1];  ///< leaves by the power of two of their size
    int64_t splits, merges, node_tests, pair_tests, fallbacks;
    size_t bytes;
};

static inline bool range_meets(const CellRange* range, const IndexNode* node) {
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        if (range->low[axis] >= node->cell[axis] + node->size || range->high[axis] < node->cell[axis]) {
            return false;
        }
    }
    return true;
}

/// True when the body must be listed in the node: its range meets it, and with exact_nodes the body may reach it.
bool bi_index_test_node(BerthIndex* index, const IndexBody* body, const IndexNode* node);
/// True when the node's cube is proven to lie inside the body.
bool bi_index_covers(const BerthIndex* index, const IndexBody* body, const IndexNode* node);
/// The extended body's box and range.
void bi_index_measure(const BerthIndex* index, IndexBody* body);
/// False when the range leaves the cube, or is empty.
bool bi_index_is_inside(const BerthIndex* index, const IndexBody* body);

/// The body's leaves have changed, or for one that stands anything about it.
static inline void note_changed(BerthIndex* index, const IndexBody* body) {
    if (body->mover != INDEX_NONE) {
        index->mates[body->mover].standing = 0;
    } else {
        index->standing += 1;
    }
}

static inline void set_lane(BoxBlock* blocks, int32_t at, const IndexBox* box) {
    BoxBlock* block = &blocks[at / INDEX_LANES];
    for (int axis = 0; axis < INDEX_AXES; ++axis) {
        block->low[axis][at % INDEX_LANES] = box->low[axis];
        block->high[axis][at % INDEX_LANES] = box->high[axis];
    }
}

/// Finite, and an extension that can be.
bool bi_index_pose_is_valid(const Pose* pose, double extension);
/// The next update looks at this body.
void bi_index_note_moved(BerthIndex* index, int32_t body);

/// Puts a body on the list that is compared with all, or takes it off.
void bi_index_set_outside(BerthIndex* index, int32_t body, bool outside);
/// Takes a body out of all its leaves.
void bi_index_remove_from_leaves(BerthIndex* index, int32_t body);
void bi_index_remove_entry(BerthIndex* index, int32_t entry);
/// Puts a body into all leaves below `node` that it meets and is not in yet, and splits what is then too full. Entries that are
/// there, or new, are confirmed with the current stamp. False when entries ran out: the body is then on the outside list.
bool bi_index_insert(BerthIndex* index, int32_t body, int32_t node);
/// The same of one cell of a grid.
bool bi_index_insert_in_cell(BerthIndex* index, int32_t body, int32_t cell);
/// Merges where children hold little, upwards.
void bi_index_merge(BerthIndex* index);
/// One root, or the cells of a grid, without bodies.
void bi_index_clear(BerthIndex* index);
/// True when the boxes that lists of mates keep are still those of their bodies.
bool bi_index_mates_are_current(const BerthIndex* index);
/// The neighbours of the old leaves, in the direction of the motion. False when the motion is too long for that.
bool bi_index_insert_by_neighbours(BerthIndex* index, int32_t body);

#endif
