// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, tree: the papers' own trees and bounds, for comparison with the default ones.

#ifndef BERTH_LAB_TREE_H
#define BERTH_LAB_TREE_H

#include <berth/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Which trees a query goes down. Verdicts are the same for all; they are there to be compared.
typedef enum BerthEngine {
    BERTH_ENGINE_DEFAULT = 0,  ///< boxes eight wide: the fastest
    BERTH_ENGINE_RSS,          ///< rectangle swept spheres (paper 001)
    BERTH_ENGINE_SPHERES,      ///< spheres (paper 002)
    BERTH_ENGINE_COUNT         ///< how many there are
} BerthEngine;
/// "boxes", "rss", "spheres"; else "unknown".
BERTH_API const char* berth_engine_name(BerthEngine engine);

/// How the sphere of a node that is no leaf is found.
typedef enum BerthSphereRule {
    BERTH_SPHERES_COMPACT = 0,  ///< smallest ball of the surface below; children may stick out (paper 002)
    BERTH_SPHERES_GREEDY,       ///< the smallest ball of the children's balls (Quinlan)
    BERTH_SPHERES_GROWING,  ///< compact, with the paper's incremental rule (repaired) instead of the smallest
    BERTH_SPHERES_RITTER,   ///< compact, with Ritter's ball instead of the smallest
    BERTH_SPHERES_RULE_COUNT  ///< how many there are
} BerthSphereRule;

/// Always start from berth_default_sphere_tree_def().
typedef struct BerthSphereTreeDef {
    BerthSphereRule rule;  ///< how inner spheres are found
    int32_t arity;         ///< children of a node, 2 to 8. Default 2
    double aspect;         ///< triangles longer than this many times their height are cut, >= 1.5. Default 8
    /// Metres: larger leaves are cut into several. 0, the default: a quarter of the body's radius.
    double leaf_size;
    uint32_t stamp;  ///< set by the default function
} BerthSphereTreeDef;
/// The def to start from: compact spheres, two children a node.
BERTH_API BerthSphereTreeDef berth_default_sphere_tree_def(void);
/// Builds a tree of spheres into the solid, in place of the one it may have. Before the solid is shared: a query that
/// is told to use spheres builds what is missing for itself (berth_tree_query_use), but a tree in the solid is made
/// once for all. Memory: about 80 bytes a leaf. Half-spaces have none and are left as they are.
BERTH_API BerthStatus berth_solid_add_spheres(BerthSolid* solid, const BerthSphereTreeDef* def);

/// From now on this query goes down the trees of `engine`. For BERTH_ENGINE_SPHERES, sphere trees of those of the given
/// solids that are meshes and have none are built here and kept until the query is destroyed or this is called again;
/// the solids must outlive that. For BERTH_ENGINE_RSS, RSS trees are built into those of the given solids that have none, by
/// their own allocators, once for all. A mesh that is met without a sphere tree is searched by its RSS tree, and without
/// either by its boxes. On failure the query uses boxes.
BERTH_API BerthStatus berth_tree_query_use(BerthTreeQuery* query, BerthEngine engine,
                                           const BerthSolid* const* solids, int32_t count);

/// GREEDY-DIST: 0 when the gap is at most `delta`, else a value in (delta, gap] found with little work. Also 0 where
/// nothing could be shown: a spent budget, poses that are not finite, no memory for RSS trees, which the first question
/// about a mesh builds. Adds to `counters`, which must not be null.
BERTH_API double berth_tree_greedy(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                                   const BerthSolid* b, const BerthPose* world_from_b, double delta,
                                   BerthCounters* counters);

/// A volume of an RSS tree: all points within `radius` of a rectangle.
typedef struct BerthRssVolume {
    BerthPose solid_from_volume;  ///< its centre; x and y along the rectangle's sides, z its normal
    double half[2];               ///< of the rectangle, along x and y, metres
    double radius;                ///< metres
    int32_t node;                 ///< of the tree; 0 is the root
} BerthRssVolume;

/// Volumes of the solid's RSS tree that hold all of its surface, for pictures: the root, and as long as there is room the
/// largest that is no leaf gives way to its two children. Returns how many of `capacity` were written; 0 for what has no
/// such tree: shapes, hulls, clouds of points. The tree is made when there is none yet, by the solid's allocator; 0 too when
/// memory is short.
BERTH_API int32_t berth_solid_rss_volumes(const BerthSolid* solid, BerthRssVolume* out, int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
