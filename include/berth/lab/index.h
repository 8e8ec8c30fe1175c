// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, index: many convex bodies that move independently. Which pairs may be near? An N-objects octree that
// follows the bodies (paper 000, corrected: docs/theory/index.md), and three rivals behind the same
// interface. The monitor uses it internally; on its own it is for comparisons.

#ifndef BERTH_LAB_INDEX_H
#define BERTH_LAB_INDEX_H

#include <berth/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An index of bodies. Takes all its memory when it is made; one per thread.
typedef struct BerthIndex BerthIndex;

/// The octree and its rivals.
typedef enum BerthIndexKind {
    BERTH_INDEX_OCTREE = 0,  ///< N-objects octree: leaves with more than N bodies are split
    BERTH_INDEX_LIST,        ///< all pairs
    BERTH_INDEX_GRID,        ///< a grid of equal cells
    BERTH_INDEX_REGION,      ///< octree that is split down to the smallest size along every surface
    BERTH_INDEX_KIND_COUNT   ///< how many there are
} BerthIndexKind;
/// "octree", "list", "grid", "region".
BERTH_API const char* berth_index_kind_name(BerthIndexKind kind);

/// How the leaves of bodies that moved are found. The answers are the same.
typedef enum BerthIndexUpdate {
    BERTH_UPDATE_DESCENT = 0,  ///< from the root, changing only what differs
    /// Among the neighbours of the old leaves; by descent where the motion is too long
    BERTH_UPDATE_NEIGHBOURS,
    BERTH_UPDATE_REINSERT,  ///< by removing and inserting the body
    BERTH_UPDATE_REBUILD,   ///< by rebuilding everything
    BERTH_UPDATE_COUNT      ///< how many there are
} BerthIndexUpdate;
/// "descent", "neighbours", "reinsert", "rebuild".
BERTH_API const char* berth_index_update_name(BerthIndexUpdate update);

/// Refinements that can be switched off, to measure what each is worth. Answers stay complete.
typedef enum BerthIndexLess {
    BERTH_LESS_BOXES = 1,   ///< pairs, and with exact_nodes nodes, are not tested by boxes first
    BERTH_LESS_STAMPS = 2,  ///< a pair is reported once for every leaf that it shares
    BERTH_LESS_INSIDE = 4,  ///< a body whose cells did not change is looked up all the same
    /// Neighbours on all sides are searched, not only those in the direction of motion
    BERTH_LESS_DIRECTION = 8,
} BerthIndexLess;

/// Start from berth_default_index_def().
typedef struct BerthIndexDef {
    BerthIndexKind kind;      ///< which structure
    BerthIndexUpdate update;  ///< how it follows bodies that move
    BerthVec3 low;            ///< lower corner of the root cube
    double edge;         ///< of the root cube, > 0. Bodies that reach outside it are compared with all others
    double smallest;     ///< smallest edge of a leaf, > 0
    int32_t leaf_limit;  ///< N: leaves with more bodies are split, >= 1
    /// Eight leaves with at most this many different bodies are merged; 0 to leaf_limit
    int32_t merge_limit;
    int32_t grid;              ///< of GRID: cells per axis, at most 256; 0: chosen by the number of bodies
    int32_t body_limit;        ///< most bodies
    int32_t mover_limit;       ///< most bodies that move
    int32_t node_limit;        ///< most nodes: beyond it leaves are not split
    int32_t entry_limit;       ///< most (body, leaf) entries; bodies beyond that are compared with all others
    bool exact_nodes;          ///< a body is entered in a leaf when it reaches it itself, not only its box
    int32_t less;              ///< BerthIndexLess, combined with |
    BerthAllocator allocator;  ///< all zero: the C library's heap
    uint32_t stamp;            ///< set by the default function; ties the def to this library version
} BerthIndexDef;
/// The def to start from: an octree of 8 m around the origin for 1024 bodies, 128 of which move.
BERTH_API BerthIndexDef berth_default_index_def(void);
/// An empty index. Takes all its memory here.
BERTH_API BerthStatus berth_index_create(const BerthIndexDef* def, BerthIndex** out);
/// Frees an index; null is fine.
BERTH_API void berth_index_destroy(BerthIndex* index);

/// Adds a body, enlarged by `extension` metres (>= 0) all round. Pairs of two bodies without `moves` are
/// never reported. The shape's hull is borrowed. Half-spaces are compared with all bodies.
BERTH_API BerthStatus berth_index_add(BerthIndex* index, const BerthShape* shape, const BerthPose* pose,
                                      double extension, bool moves, int32_t* body);
/// Removes a body, which must be in the index; its number may be reused.
BERTH_API void berth_index_remove(BerthIndex* index, int32_t body);
/// Gives a body another shape from now on: a gripper's coarse or detailed model, or with null none until it
/// is switched back. The shape's hull is borrowed.
BERTH_API BerthStatus berth_index_switch(BerthIndex* index, int32_t body, const BerthShape* shape);
/// Sets whether two bodies may touch; if so their pair is not reported.
BERTH_API void berth_index_allow(BerthIndex* index, int32_t body_a, int32_t body_b, bool may_touch);
/// Sets the pose and extension of a body, in force from the next update on. BERTH_ERR_ARGUMENT, without a
/// text, when the pose is not finite or the extension is not from 0 to 1e7 m.
BERTH_API BerthStatus berth_index_move(BerthIndex* index, int32_t body, const BerthPose* pose,
                                       double extension);

/// Applies all moves, then splits and merges leaves. Move all bodies and update before asking for pairs.
BERTH_API void berth_index_update(BerthIndex* index);

/// Two bodies that may be near.
typedef struct BerthIndexPair {
    int32_t a;  ///< the smaller number
    int32_t b;  ///< the larger number
} BerthIndexPair;
/// All pairs that may be nearer than their extensions, each once: every pair of bodies of which at least one
/// moves, which may not touch, and whose extended bodies touch is among them. Returns how many there are; at
/// most `capacity` are written.
BERTH_API int32_t berth_index_pairs(BerthIndex* index, BerthIndexPair* pairs, int32_t capacity);

/// A leaf of the tree and the bodies in it.
typedef struct BerthIndexLeaf {
    BerthVec3 low;          ///< its lower corner
    double edge;            ///< metres
    int32_t body_count;     ///< bodies in it
    const int32_t* bodies;  ///< the first 64 of them; borrowed during the call
} BerthIndexLeaf;
/// Calls `visit` for every leaf of a tree, for pictures. `visit` must not change the index.
BERTH_API void berth_index_leaves(const BerthIndex* index,
                                  void (*visit)(void* user, const BerthIndexLeaf* leaf), void* user);
/// Contents and work of an index.
typedef struct BerthIndexStats {
    int32_t bodies;        ///< in the index
    int32_t outside;       ///< bodies that reach outside the root cube: compared with all others
    int32_t nodes;         ///< of the tree
    int32_t leaves;        ///< of the tree
    int32_t empty_leaves;  ///< leaves without a body
    int32_t depth;         ///< of the deepest leaf
    int32_t entries;       ///< (body, leaf) entries
    int64_t splits;        ///< of leaves, so far
    int64_t merges;        ///< of nodes back into leaves, so far
    int64_t node_tests;    ///< tests of a body against a node
    int64_t pair_tests;    ///< tests of two boxes
    int64_t fallbacks;  ///< updates by neighbours that fell back to descent because the motion was too long
    size_t bytes;       ///< held
} BerthIndexStats;
/// Contents and work so far.
BERTH_API BerthIndexStats berth_index_stats(const BerthIndex* index);

#ifdef __cplusplus
}
#endif
#endif
