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

/// Which trees a query descends. The verdicts are the same for all.
typedef enum BerthEngine {
    BERTH_ENGINE_DEFAULT = 0,  ///< boxes, eight wide: the fastest
    BERTH_ENGINE_RSS,          ///< rectangle swept spheres (paper 001)
    BERTH_ENGINE_SPHERES,      ///< spheres (paper 002)
    BERTH_ENGINE_COUNT         ///< how many there are
} BerthEngine;
/// "boxes", "rss", "spheres"; otherwise "unknown".
BERTH_API const char* berth_engine_name(BerthEngine engine);

/// How the sphere of an inner node is found.
typedef enum BerthSphereRule {
    /// Smallest ball around the surface below; child spheres may protrude (paper 002)
    BERTH_SPHERES_COMPACT = 0,
    BERTH_SPHERES_GREEDY,  ///< smallest ball around the children's balls (Quinlan)
    /// Compact, with the paper's incremental rule (corrected) instead of the smallest ball
    BERTH_SPHERES_GROWING,
    BERTH_SPHERES_RITTER,     ///< compact, with Ritter's ball instead of the smallest
    BERTH_SPHERES_RULE_COUNT  ///< how many there are
} BerthSphereRule;

/// Always start from berth_default_sphere_tree_def().
typedef struct BerthSphereTreeDef {
    BerthSphereRule rule;  ///< how inner spheres are found
    int32_t arity;         ///< children per node, 2 to 8. Default 2
    double aspect;  ///< triangles longer than this many times their height are split, >= 1.5. Default 8
    /// Metres: larger leaves are split into several; 0 (the default): a quarter of the body's radius
    double leaf_size;
    uint32_t stamp;  ///< set by the default function
} BerthSphereTreeDef;
/// The def to start from: compact spheres, two children per node.
BERTH_API BerthSphereTreeDef berth_default_sphere_tree_def(void);
/// Builds a sphere tree in the solid, replacing the one that it may have. Call it before the solid is shared:
/// a query that uses spheres builds missing trees for itself (berth_tree_query_use), whereas a tree in the
/// solid is built once for all. Memory: about 80 bytes per leaf. Half-spaces have no such tree and are left
/// as they are.
BERTH_API BerthStatus berth_solid_add_spheres(BerthSolid* solid, const BerthSphereTreeDef* def);

/// From now on this query descends the trees of `engine`. For BERTH_ENGINE_SPHERES, missing sphere trees of
/// the given solids that are meshes are built here and kept until the query is destroyed or this function is
/// called again; the solids must outlive that. For BERTH_ENGINE_RSS, missing RSS trees are built in the given
/// solids, by their own allocators, once for all. A mesh without a sphere tree is searched by its RSS tree,
/// and one without either by its boxes. On failure the query uses boxes.
BERTH_API BerthStatus berth_tree_query_use(BerthTreeQuery* query, BerthEngine engine,
                                           const BerthSolid* const* solids, int32_t count);

/// GREEDY-DIST: 0 when the gap is at most `delta`, otherwise a value in (delta, gap] found with little work.
/// Also 0 where nothing could be shown: when the budget is spent, for poses that are not finite, and without
/// memory for RSS trees, which the first query about a mesh builds. Adds to `counters`, which must not be
/// null.
BERTH_API double berth_tree_greedy(BerthTreeQuery* query, const BerthSolid* a, const BerthPose* world_from_a,
                                   const BerthSolid* b, const BerthPose* world_from_b, double delta,
                                   BerthCounters* counters);

/// A volume of an RSS tree: all points within `radius` of a rectangle.
typedef struct BerthRssVolume {
    /// Pose of its centre; x and y along the rectangle's sides, z along its normal
    BerthPose solid_from_volume;
    double half[2];  ///< half sides of the rectangle, along x and y, metres
    double radius;   ///< metres
    int32_t node;    ///< of the tree; 0 is the root
} BerthRssVolume;

/// Volumes of the solid's RSS tree that together contain its whole surface, for pictures: starting from the
/// root, the largest inner volume is replaced by its two children as long as there is room. Returns how many
/// of `capacity` were written; 0 for solids without such a tree: shapes, hulls, clouds of points. A missing
/// tree is built, by the solid's allocator; 0 too when memory is short.
BERTH_API int32_t berth_solid_rss_volumes(const BerthSolid* solid, BerthRssVolume* out, int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
