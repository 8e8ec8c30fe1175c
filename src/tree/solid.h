// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The internals of solids: a shape or a mesh with a tree of boxes eight wide, and the one query by which all
// questions are answered. Invariant: every leaf lies inside every box above it, in its own frame.

#ifndef BI_SOLID_H
#define BI_SOLID_H

#include <berth/lab/tree.h>

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "shape/hull.h"
#include "simd/simd.h"

/// Children of a box node: `count` nodes from `first`, or `count` leaves when `bottom`.
typedef struct BoxLink {
    int32_t first;
    int32_t corners;  ///< of a bottom node over triangles: its place in `corners`
    uint8_t count;
    uint8_t bottom;
} BoxLink;

typedef struct Triangle {
    Vec3 point[3];
} Triangle;

/// A piece of surface that can lie wholly inside another body: one point of it and its box.
typedef struct SolidPiece {
    Vec3 point;
    Vec3 low, high;
} SolidPiece;

/// Pieces [begin, end) and a box around their points. The first child is the next node.
typedef struct PieceNode {
    Vec3 low, high;
    int32_t begin, end;
    int32_t second;  ///< child, or -1: a leaf
} PieceNode;

typedef struct RssTree RssTree;
/// The RSS tree of a mesh, which only some queries need: made by the first that needs it, then constant.
typedef struct LazyRss {
    pthread_mutex_t mutex;  ///< held while it is made
    RssTree* _Atomic tree;  ///< null: not needed yet
} LazyRss;
typedef struct SphereTree SphereTree;
typedef struct CellIndex CellIndex;

struct BerthSolid {
    BerthAllocator allocator;
    bool is_mesh;
    bool closed;       ///< a mesh that is watertight, or any shape
    BerthShape shape;  ///< when not a mesh
    BerthHull* hull;   ///< owned, or null
    BerthMesh* mesh;   ///< owned, or null
    Vec3 centre;       ///< of a ball that contains it,
    double radius;     ///< +infinity for half-spaces
    Vec3 low, high;    ///< box that contains it; infinite for half-spaces
    double extent;     ///< no point is further than this from the frame's origin
    // The tree of boxes. A shape has one bottom node with one box; a half-space has none.
    BoxNode* nodes;
    BoxLink* links;
    int32_t node_count;
    int32_t depth;
    TriangleNode* corners;  ///< one a bottom node: its triangles in float
    int32_t bottom_count;
    Triangle* triangles;  ///< in leaf order
    int32_t* source;      ///< triangle of the mesh that each leaf is
    int32_t triangle_count;
    SolidPiece* pieces;
    int32_t piece_count;
    PieceNode* piece_nodes;  ///< a tree over many pieces; null over few
    int32_t piece_node_count;
    CellIndex* cells;     ///< of a map, which it owns: they say what is inside; else null
    bool is_cloud;        ///< a mesh whose triangles are points
    LazyRss* rss;         ///< of a mesh; null for a shape and for a map without obstacles
    SphereTree* spheres;  ///< on request, else null
};

/// Adds what another query did.
static inline void counters_add(BerthCounters* sum, const BerthCounters* more) {
    sum->bv_tests += more->bv_tests;
    sum->leaf_tests += more->leaf_tests;
    sum->shape_tests += more->shape_tests;
}

/// A map without obstacles: it has no tree, and everything is infinitely far from it.
static inline bool solid_is_empty(const BerthSolid* solid) {
    return solid->is_mesh && solid->triangle_count == 0;
}

/// Makes the RSS tree of a mesh unless it is there; with nothing to do for a shape. Cold, and for any thread: what goes down
/// RSS trees asks for them when it is created. The memory is the solid's, taken under a lock of its own.
BerthStatus bi_solid_need_rss(const BerthSolid* solid);
/// The RSS tree; null for a shape, and where it was not needed.
static inline const RssTree* solid_rss(const BerthSolid* solid) {
    return solid->rss != NULL ? atomic_load_explicit(&solid->rss->tree, memory_order_acquire) : NULL;
}
/// Leaves as certificates count them: the triangles of a mesh, in the order of its RSS tree; 1 for a shape.
static inline int32_t solid_leaf_count(const BerthSolid* solid) {
    return solid->rss != NULL ? solid->triangle_count : 1;
}

/// The longest side of a box of this size: 0, 1 or 2, the first of equal ones.
static inline int box_longest_axis(Vec3 size) {
    if (size.x >= size.y && size.x >= size.z) {
        return 0;
    }
    return size.y >= size.z ? 1 : 2;
}

/// Builds nodes, links, triangles and source from the mesh, on at most `threads` threads; they are the same for any number of
/// them. What a failure leaves behind, berth_solid_destroy frees.
BerthStatus bi_tree_box_build(BerthSolid* solid, int32_t threads);

/// A cleared solid with its allocator, or null with a text.
BerthSolid* bi_solid_new(const BerthAllocator* allocator);
/// Bounds, trees and pieces of a solid that has its shape or mesh. Takes it: on failure it is destroyed.
BerthStatus bi_solid_finish(BerthSolid* solid, BerthSolid** out);
/// The tree over the pieces, where there are many; puts them into its order.
BerthStatus bi_solid_build_pieces(BerthSolid* solid);
/// The surfaces are apart: is a piece of `inner` inside the closed mesh `outer`? `point`, in `outer`, is in both then.
bool bi_solid_find_piece_inside(const BerthSolid* outer, const BerthSolid* inner,
                                const Pose* outer_from_inner, Vec3* point);

typedef struct SolidPairEntry {
    int32_t a, b;
    float bound_sq;
} SolidPairEntry;

/// A sphere tree that a query made for a solid that has none.
typedef struct QueryTree {
    const BerthSolid* solid;  ///< null: an empty place
    SphereTree* tree;
} QueryTree;

struct BerthTreeQuery {
    BerthAllocator allocator;
    const SimdKernels* kernels;
    BerthEngine engine;
    QueryTree* trees;       ///< hashed by the solid, the next free place after it; at most half full
    int32_t tree_capacity;  ///< a power of two, or 0
    bool plain_centres;     ///< spheres: turn every centre anew, for the benchmark
    int32_t node_budget;
    int32_t stack_capacity;
    int32_t stack_high_water;
    SolidPairEntry* stack;
};

/// Deepest tree the build makes; a stack of 64 entries a level of both trees cannot overflow.
enum { SOLID_DEPTH_MAX = 30 };

typedef struct SolidRequest {
    double min_d, max_d;  ///< as BerthTreeRequest
    double stop_d;        ///< a witness at or below this ends the search: min_d, or 0 for the true distance
    double tolerance;
    double base;   ///< the tolerance is relative to the gap less this: padding and margin, which come off it
    double slack;  ///< metres by which poses and kernels may be off: lower bounds are lowered by it
    bool sorted;   ///< nearest first: for distances
    int32_t budget;               ///< nodes it may open when above 0 and below the query's own budget
    const BerthTreeAnswer* last;  ///< as BerthTreeRequest
} SolidRequest;

/// The sphere tree of a solid: its own, or the one the query made; null when there is none.
const SphereTree* bi_tree_query_spheres(const BerthTreeQuery* query, const BerthSolid* solid);
/// Bytes held, its sphere trees included.
size_t bi_tree_query_bytes(const BerthTreeQuery* query);

/// The one query. Points and normal are in A's frame.
void bi_solid_query(BerthTreeQuery* query, const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b,
                    const SolidRequest* request, BerthTreeAnswer* out);
/// GREEDY-DIST: 0 when the gap is at most delta, or that could not be excluded; else a value in (delta, gap].
double bi_solid_greedy_distance(BerthTreeQuery* query, const BerthSolid* a, const BerthSolid* b,
                                const Pose* a_from_b, double delta, double slack, BerthCounters* counters);
/// The surfaces do not cross. Is a piece of one inside the other? `point`, in A's frame, is in both then.
bool bi_solid_find_nested(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b, Vec3* point);
/// A point of both bodies, in A's frame like the answer's, when upper <= 0; else halfway between the witnesses.
Vec3 bi_solid_find_meeting_point(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b,
                                 const BerthTreeAnswer* answer);
/// True when `point` is inside the closed mesh, or when that cannot be excluded.
bool bi_solid_contains(const BerthSolid* solid, Vec3 point);
/// The float frame for the box kernel; see docs/theory/simd.md for the slack.
void bi_tree_box_frame(const BerthSolid* a, const BerthSolid* b, const Pose* a_from_b, BoxFrame* out);
/// Slack for poses given in the world: BI_DISTANCE_SLACK times the scene radius of the two.
double bi_solid_slack(const BerthSolid* a, const Pose* world_from_a, const BerthSolid* b,
                      const Pose* world_from_b);

#endif
