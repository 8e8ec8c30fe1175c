// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Object-centred spherical octrees (paper 003, sections 2.1 and 3.1; NOTES section 4): which vertices, edges and faces
// of two polyhedra can be near each other. The root is the smallest cube around the object; each node is the ball
// around its cube; nodes whose ball misses the surface are left out. Every leaf lists all features its ball meets, of
// all three kinds: the node's type says only which is the strongest.
//
// Invariant: every point of the surface is in the cube, and so in the ball, of a leaf, and in the balls of all nodes
// above that leaf; a leaf lists every feature that its ball meets.

#ifndef BI_OCTREE_H
#define BI_OCTREE_H

#include "base/arena.h"
#include "math/vec3.h"

enum { OCTREE_LEVEL_MAX = 6 };

/// The surface of a polyhedron, borrowed.
typedef struct OctreeSurface {
    const Vec3* vertices;
    int32_t vertex_count;
    const int32_t* edges;  ///< two vertices each
    int32_t edge_count;
    const int32_t* loop;        ///< corners of faces, one face after the other
    const int32_t* first_loop;  ///< face_count + 1 offsets into loop
    int32_t face_count;
} OctreeSurface;

typedef enum OctreeType { OCTREE_NONE = 0, OCTREE_FACE, OCTREE_EDGE, OCTREE_VERTEX } OctreeType;

typedef struct OctreeNode {
    Vec3 centre;
    double radius;
    int32_t first;  ///< child, or -1: a leaf
    uint8_t count;  ///< of children; they are neighbours
    uint8_t level;
    uint8_t type;  ///< OctreeType: the strongest feature its ball meets
    // A leaf's features, in `items`: vertices, edges, faces, one list after the other.
    int32_t items;
    int32_t vertex_count, edge_count, face_count;
} OctreeNode;

typedef struct Octree {
    const OctreeNode* nodes;  ///< the root comes first
    int32_t node_count, leaf_count;
    const int32_t* items;
    int32_t item_count;
    int32_t levels;
} Octree;

static inline const int32_t* octree_vertices(const Octree* tree, const OctreeNode* leaf) {
    return tree->items + leaf->items;
}
static inline const int32_t* octree_edges(const Octree* tree, const OctreeNode* leaf) {
    return tree->items + leaf->items + leaf->vertex_count;
}
static inline const int32_t* octree_faces(const Octree* tree, const OctreeNode* leaf) {
    return tree->items + leaf->items + leaf->vertex_count + leaf->edge_count;
}

/// Builds into `arena`. `homogeneous`: every node that meets the surface is split down to `levels`; else one that lists
/// so little that splitting it cannot help stays a leaf.
BerthStatus bi_octree_build(const OctreeSurface* surface, int32_t levels, bool homogeneous, Arena* arena,
                            Octree* out);
/// How deep to go for a polyhedron of this many edges (measured: docs/contact.md).
int32_t bi_octree_levels(int32_t edge_count);

/// Called for each pair of leaves whose balls are within `reach` of each other.
typedef void (*OctreeVisit)(void* user, const OctreeNode* leaf_a, const OctreeNode* leaf_b);
/// Visits every pair of leaves that holds a pair of surface points, one of each, at most `reach` apart; and more.
/// Both go down at the same time. Returns how many pairs of nodes were compared.
int64_t bi_octree_walk(const Octree* a, const Octree* b, const Pose* a_from_b, double reach,
                       OctreeVisit visit, void* user);
/// The paper's way: B's leaves that meet A's root, then A's tree against each of those. The same pairs of leaves.
int64_t bi_octree_walk_two_phases(const Octree* a, const Octree* b, const Pose* a_from_b, double reach,
                                  OctreeVisit visit, void* user);
/// Visits every leaf whose ball meets the ball around `centre`; leaf_b is null.
int64_t bi_octree_walk_ball(const Octree* a, Vec3 centre, double radius, OctreeVisit visit, void* user);

#endif
