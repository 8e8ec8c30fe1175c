// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lanes: a scene laid out for wide registers. Robots are covered with balls, sixteen states or sixteen parts
// of a motion are checked side by side, and what the balls cannot decide is left to the bodies themselves.
// The verdicts are the same; most come many times faster. Made once and given to checkers, which then use it
// where it applies.

#ifndef BERTH_LANES_H
#define BERTH_LANES_H

#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A committed scene laid out for wide registers. Constant once made; may be shared between threads and
/// checkers.
typedef struct BerthLanes BerthLanes;

/// Start from berth_default_lanes_def().
typedef struct BerthLanesDef {
    double margin;       ///< that of the checkers that will use it, metres, >= 0
    double self_margin;  ///< between two links of one robot, metres; < 0 (the default): same as `margin`
    /// The lanes of another scene with the same robots, or null. What depends on the robots alone is taken
    /// from there if all of it is the same, which saves nearly all of the time. That layout, the one it was
    /// itself made from, and their scenes must outlive the new one. For a planner that meets one robot in
    /// many cells
    const BerthLanes* like;
    /// How many states will be checked in all; 0 here and below (the default): many. For few, two searches
    /// are left out: which parts of links can meet at all, and how near those come that are always close to
    /// each other. A robot made of spheres is then laid out in less than a millisecond. What is proven is the
    /// same
    int64_t expected_states;
    int64_t expected_segments;  ///< how many segments will be checked in all
    BerthAllocator allocator;   ///< all zero: the C library's heap
    uint32_t stamp;             ///< set by the default function; ties the def to this library version
} BerthLanesDef;
/// The def to start from: margin 0.
BERTH_API BerthLanesDef berth_default_lanes_def(void);

/// Lays out a committed scene, which is borrowed until the lanes are destroyed; a later edit or commit makes
/// them stale. Links that are not made of spheres are covered with balls, about 0.04 s each; when many
/// queries are expected, which links can meet is searched too, up to 0.2 s per link. `*out` is null, with
/// BERTH_OK, for scenes that cannot be laid out: with half-spaces or maps that move, or with robots of more
/// than a few hundred links.
BERTH_API BerthStatus berth_lanes_create(const BerthScene* scene, const BerthLanesDef* def, BerthLanes** out);
/// Frees lanes; null is fine. Checkers that use them must be destroyed first.
BERTH_API void berth_lanes_destroy(BerthLanes* lanes);
/// True when laying out this scene takes less time than it saves on so many states and segments. For a Panda
/// with meshes that is from 190,000 states or 39,000 segments on, for one made of spheres from 55 or 14; for
/// robots with more than 256 pairs of links to look at, never. A layout made `like` another one always pays.
BERTH_API bool berth_lanes_pay(const BerthScene* scene, int64_t states, int64_t segments);

#ifdef __cplusplus
}
#endif
#endif
