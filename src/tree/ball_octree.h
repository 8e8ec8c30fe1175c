// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Object-centred spherical octrees (paper 003, sections 2.1 and 3.1; errata 4): which vertices, edges and faces
// of two polyhedra can be near each other. The root is the smallest cube around the object; each node is the ball
// around its cube; nodes whose ball misses the surface are left out. Every leaf lists all features its ball meets, of
// all three kinds: the node's type says only which is the strongest.
//
// Invariant: every point of the surface is in the cube, and so in the ball, of a leaf, and in the balls of all nodes
// above that leaf; a leaf lists every feature that its ball meets.

#ifndef BI_BALL_OCTREE_H
#define BI_BALL_OCTREE_H

#include "base/arena.h"
#include "math/vec3.h"

enum { BALL_OCTREE_LEVEL_MAX = 6 };

/// The surface of a polyhedron, borrowed.
typedef struct BallOctreeSurface {
    const Vec3* vertices;
    int32_t vertex_count;
    const int32_t* edges;  ///< two vertices each
    int32_t edge_count;
    const int32_t* loop;        ///< corners of faces, one face after the other
    const int32_t* first_loop;  ///< face_count + 1 offsets into loop
    int32_t face_count;
} BallOctreeSurface;

typedef enum BallOctreeType {
    BALL_OCTREE_NONE = 0,
    BALL_OCTREE_FACE,
    BALL_OCTREE_EDGE,
    BALL_OCTREE_VERTEX
} BallOctreeType;

typedef struct BallOctreeNode {
    Vec3 centre;
    double radius;
    int32_t first;  ///< child, or -1: a leaf
    uint8_t count;  ///< of children; they are neighbours
    uint8_t level;
    uint8_t type;  ///< BallOctreeType: the strongest feature its ball meets
    // A leaf's features, in `items`: vertices, edges, faces, one list after the other.
    int32_t items;
    int32_t vertex_count, edge_count, face_count;
} BallOctreeNode;

typedef struct BallOctree {
    const BallOctreeNode* nodes;  ///< the root comes first
    int32_t node_count, leaf_count;
    const int32_t* items;
    int32_t item_count;
    int32_t levels;
} BallOctree;

static inline const int32_t* ball_octree_vertices(const BallOctree* tree, const BallOctreeNode* leaf) {
    return tree->items + leaf->items;
}
static inline const int32_t* ball_octree_edges(const BallOctree* tree, const BallOctreeNode* leaf) {
    return tree->items + leaf->items + leaf->vertex_count;
}
static inline const int32_t* ball_octree_faces(const BallOctree* tree, const BallOctreeNode* leaf) {
    return tree->items + leaf->items + leaf->vertex_count + leaf->edge_count;
}

/// Builds into `arena`. `homogeneous`: every node that meets the surface is split down to `levels`; else one that lists
/// so little that splitting it cannot help stays a leaf.
BerthStatus bi_octree_build(const BallOctreeSurface* surface, int32_t levels, bool homogeneous, Arena* arena,
                            BallOctree* out);
/// How deep to go for a polyhedron of this many edges (measured: docs/theory/contact.md).
int32_t bi_octree_levels(int32_t edge_count);

/// Called for each pair of leaves whose balls are within `reach` of each other.
typedef void (*BallOctreeVisit)(void* user, const BallOctreeNode* leaf_a, const BallOctreeNode* leaf_b);
/// Visits every pair of leaves that holds a pair of surface points, one of each, at most `reach` apart; and more.
/// Both go down at the same time. Returns how many pairs of nodes were compared.
int64_t bi_octree_walk(const BallOctree* a, const BallOctree* b, const Pose* a_from_b, double reach,
                       BallOctreeVisit visit, void* user);
/// The paper's way: B's leaves that meet A's root, then A's tree against each of those. The same pairs of leaves.
int64_t bi_octree_walk_two_phases(const BallOctree* a, const BallOctree* b, const Pose* a_from_b,
                                  double reach, BallOctreeVisit visit, void* user);
/// Visits every leaf whose ball meets the ball around `centre`; leaf_b is null.
int64_t bi_octree_walk_ball(const BallOctree* a, Vec3 centre, double radius, BallOctreeVisit visit,
                            void* user);

#endif
