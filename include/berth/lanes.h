// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lanes: a scene laid out for wide registers. Robots are covered with balls, sixteen states or sixteen parts of a motion are
// asked side by side, and what balls cannot decide goes to the bodies themselves: verdicts are the same, most of them many
// times faster. Made once and given to checkers, which then use it where it applies.

#ifndef BERTH_LANES_H
#define BERTH_LANES_H

#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A committed scene laid out for wide registers. Constant once made: share it between threads and checkers.
typedef struct BerthLanes BerthLanes;

/// Start from berth_default_lanes_def().
typedef struct BerthLanesDef {
    double margin;       ///< of the checkers that use it, metres, >= 0
    double self_margin;  ///< of two links of one robot, metres; < 0 (the default): as `margin`
    /// The lanes of another scene with the same robots, or null. What depends on robots alone is taken from it, if all of
    /// that is the same; nearly all of the time goes there. It, what it was made like, and its scene must live longer than
    /// the new one. For a planner that meets one robot in many cells
    const BerthLanes* like;
    /// How many states will be asked about in all; 0 for both (the default): many. For few it is not searched which
    /// parts of links can meet at all, and how near those come that are always near each other: a robot made of spheres is laid
    /// out in less than a millisecond then. What is proven is the same
    int64_t expected_states;
    int64_t expected_segments;  ///< how many segments will be asked about in all
    BerthAllocator allocator;   ///< all zero: the C library's heap
    uint32_t stamp;             ///< set by the default function; ties the def to this library version
} BerthLanesDef;
/// The def to start from: margin 0.
BERTH_API BerthLanesDef berth_default_lanes_def(void);

/// Lays out a committed scene, which is borrowed until the lanes are destroyed; a later edit or commit makes them stale.
/// Covers every link that is not made of spheres, which takes about 0.04 s a link, and, for many questions, looks which links can
/// meet, up to 0.2 s a link. `*out` is null, with BERTH_OK, for scenes that do not fit: half-spaces and maps that move, robots of
/// more than some hundred links.
BERTH_API BerthStatus berth_lanes_create(const BerthScene* scene, const BerthLanesDef* def, BerthLanes** out);
/// Frees lanes; null is fine. Checkers that use them must be gone.
BERTH_API void berth_lanes_destroy(BerthLanes* lanes);
/// Would laying out this scene, with so many expected, take less time than it saves on so many states and segments? Of a Panda with
/// meshes that is so from 190,000 states or 39,000 segments on, of one made of spheres from 55 or 14; of robots with more than 256
/// pairs of links to look at it never is. A layout like another one always pays.
BERTH_API bool berth_lanes_pay(const BerthScene* scene, int64_t states, int64_t segments);

#ifdef __cplusplus
}
#endif
#endif
