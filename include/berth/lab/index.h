// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, index: many convex bodies that move apart. Which pairs may be near? An N-objects octree that follows the bodies
// (paper 000, corrected: docs/theory/index.md), and three rivals behind the same calls. The monitor uses it inside; by itself it
// is for comparisons.

#ifndef BERTH_LAB_INDEX_H
#define BERTH_LAB_INDEX_H

#include <berth/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes all its memory when it is made; one a thread.
typedef struct BerthIndex BerthIndex;

/// The octree and its rivals.
typedef enum BerthIndexKind {
    BERTH_INDEX_OCTREE = 0,  ///< N-objects octree: leaves with more than N bodies are split
    BERTH_INDEX_LIST,        ///< all pairs
    BERTH_INDEX_GRID,        ///< cells of one size
    BERTH_INDEX_REGION,      ///< octree down to the smallest size along every surface
    BERTH_INDEX_KIND_COUNT   ///< how many there are
} BerthIndexKind;
/// "octree", "list", "grid", "region".
BERTH_API const char* berth_index_kind_name(BerthIndexKind kind);

/// How bodies that moved find their leaves. The answers are the same.
typedef enum BerthIndexUpdate {
    BERTH_UPDATE_DESCENT = 0,  ///< from the root, and only what differs is changed
    BERTH_UPDATE_NEIGHBOURS,   ///< in the neighbours of the old leaves; descent where the motion is too long
    BERTH_UPDATE_REINSERT,     ///< taken out and put in again
    BERTH_UPDATE_REBUILD,      ///< everything anew
    BERTH_UPDATE_COUNT         ///< how many there are
} BerthIndexUpdate;
/// "descent", "neighbours", "reinsert", "rebuild".
BERTH_API const char* berth_index_update_name(BerthIndexUpdate update);

/// Refinements that can be left out, to measure what each is worth. Answers stay complete.
typedef enum BerthIndexLess {
    BERTH_LESS_BOXES = 1,      ///< pairs, and with exact_nodes nodes, are not compared by boxes first
    BERTH_LESS_STAMPS = 2,     ///< a pair is told once for every leaf that it shares
    BERTH_LESS_INSIDE = 4,     ///< a body whose cells did not change is looked up all the same
    BERTH_LESS_DIRECTION = 8,  ///< neighbours on all sides, not only where the motion goes
} BerthIndexLess;

/// Start from berth_default_index_def().
typedef struct BerthIndexDef {
    BerthIndexKind kind;      ///< which structure
    BerthIndexUpdate update;  ///< how it follows bodies that moved
    BerthVec3 low;            ///< corner of the root cube
    double edge;              ///< of the root cube, > 0. Bodies that reach outside are compared with all
    double smallest;          ///< leaves are not made smaller, > 0
    int32_t leaf_limit;       ///< N: leaves with more are split, >= 1
    int32_t merge_limit;  ///< eight leaves with at most so many different bodies are merged; 0 to leaf_limit
    int32_t grid;         ///< of GRID: cells an axis, at most 256; 0: by the number of bodies
    int32_t body_limit;   ///< most bodies, and of these
    int32_t mover_limit;  ///< most that move
    int32_t node_limit;   ///< most nodes: beyond it leaves are not split
    int32_t entry_limit;  ///< most (body, leaf) entries: bodies beyond it are compared with all
    bool exact_nodes;     ///< a body is in a leaf when it reaches it, not when its box does
    int32_t less;         ///< BerthIndexLess
    BerthAllocator allocator;  ///< all zero: the C library's heap
    uint32_t stamp;            ///< set by the default function; ties the def to this library version
} BerthIndexDef;
/// The def to start from: an octree of 8 m around the origin for 1024 bodies, 128 of which move.
BERTH_API BerthIndexDef berth_default_index_def(void);
/// An empty index. Takes all its memory here.
BERTH_API BerthStatus berth_index_create(const BerthIndexDef* def, BerthIndex** out);
/// Frees an index; null is fine.
BERTH_API void berth_index_destroy(BerthIndex* index);

/// Adds a body, `extension` metres (>= 0) larger all round. `moves`: pairs of two bodies that do not are never told.
/// The shape's hull is borrowed. Half-spaces are compared with all.
BERTH_API BerthStatus berth_index_add(BerthIndex* index, const BerthShape* shape, const BerthPose* pose,
                                      double extension, bool moves, int32_t* body);
/// Takes a body out, which must be in it; its number may be given again.
BERTH_API void berth_index_remove(BerthIndex* index, int32_t body);
/// Another shape from now on: a gripper's coarse or detailed model, or with null none until it is switched back. The
/// shape's hull is borrowed.
BERTH_API BerthStatus berth_index_switch(BerthIndex* index, int32_t body, const BerthShape* shape);
/// Compatible bodies may touch: their pair is not told.
BERTH_API void berth_index_allow(BerthIndex* index, int32_t body_a, int32_t body_b, bool may_touch);
/// Where a body is now. Counts from the next update on. BERTH_ERR_ARGUMENT, without a text, when the pose is not finite
/// or the extension is not from 0 to 1e7 m.
BERTH_API BerthStatus berth_index_move(BerthIndex* index, int32_t body, const BerthPose* pose,
                                       double extension);

/// Follows all moves, then splits and merges. First all bodies move, then pairs are looked at: never in between.
BERTH_API void berth_index_update(BerthIndex* index);

/// Two bodies that may be near.
typedef struct BerthIndexPair {
    int32_t a;  ///< the smaller number
    int32_t b;  ///< the larger number
} BerthIndexPair;
/// All pairs that may be nearer than their extensions, once each: every pair of bodies, at least one moving, not
/// compatible, whose extended bodies touch is among them. Returns how many there are; at most `capacity` are written.
BERTH_API int32_t berth_index_pairs(BerthIndex* index, BerthIndexPair* pairs, int32_t capacity);

/// A leaf of the tree with the bodies in it.
typedef struct BerthIndexLeaf {
    BerthVec3 low;          ///< corner with the smallest coordinates
    double edge;            ///< metres
    int32_t body_count;     ///< bodies in it
    const int32_t* bodies;  ///< the first 64 of them, borrowed during the call
} BerthIndexLeaf;
/// Calls `visit` for every leaf of a tree, for pictures. `visit` must not change the index.
BERTH_API void berth_index_leaves(const BerthIndex* index,
                                  void (*visit)(void* user, const BerthIndexLeaf* leaf), void* user);
/// What is in an index and what it did.
typedef struct BerthIndexStats {
    int32_t bodies;        ///< in the index
    int32_t outside;       ///< bodies that reach outside of the root cube: compared with all
    int32_t nodes;         ///< of the tree
    int32_t leaves;        ///< of the tree
    int32_t empty_leaves;  ///< leaves without a body
    int32_t depth;         ///< of the deepest leaf
    int32_t entries;       ///< (body, leaf)
    int64_t splits;        ///< of leaves, so far
    int64_t merges;        ///< of nodes back into leaves, so far
    int64_t node_tests;    ///< bodies against nodes
    int64_t pair_tests;    ///< boxes against boxes
    int64_t fallbacks;     ///< updates by neighbours whose motion was too long for that
    size_t bytes;          ///< held
} BerthIndexStats;
/// What is in it and what it did so far.
BERTH_API BerthIndexStats berth_index_stats(const BerthIndex* index);

#ifdef __cplusplus
}
#endif
#endif
