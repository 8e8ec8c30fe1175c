// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Cover: balls whose union contains bodies. Fitted, measured, and proven to cover.

#ifndef BERTH_COVER_H
#define BERTH_COVER_H

#include <berth/field.h>
#include <berth/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A ball; of the L1 metric an octahedron with its corners on the axes.
typedef struct BerthBall {
    BerthVec3 centre;  ///< in the frame of whoever has it
    double radius;     ///< metres
} BerthBall;

/// Balls whose union contains bodies: one group a body. Owned; constant once made; share it between threads.
typedef struct BerthSpheres BerthSpheres;

/// Start from berth_default_spheres_def().
typedef struct BerthSpheresDef {
    /// Balls of all bodies together, at least one a body, at most 1,000,000; 0: as many as `protrusion` needs. Count
    /// and protrusion both: an error. Neither: five balls a body
    int32_t count;
    double protrusion;  ///< metres that no ball may reach beyond its body; 0: as little as `count` allows
    /// Balls of single bodies, in the order of the robot's links: n > 0: n balls, which are part of `count` where that
    /// is given; 0: its share of `count`, or within `protrusion`; -1: the body is left out. Null: all are 0. Borrowed
    /// during the call
    const int32_t* body_counts;
    int32_t body_count;  ///< how many of them there are
    /// Of the balls: round ones (the default), or octahedra for maps that are asked in L1. Octahedra stand on the axes of the
    /// frame that they are told in: they are L1 balls of a map only while that frame is not turned against the map's
    BerthMetric metric;
    /// Where the bodies are, one each, in the order of the robot's links: balls are fitted and told in the frame outside of
    /// them all. So octahedra of one state of a robot stand on the axes of a map. Null (the default): in each body's own
    /// frame. Borrowed during the call
    const BerthPose* poses;
    uint64_t seed;  ///< the same seed gives the same balls, on every machine and for every number of threads
    int32_t threads;  ///< default 1; with more the allocator is called from several threads
    double effort;    ///< how much work to spend on better balls, 0 to 100; 1 is the default
    /// Asked now and then, from any thread; true ends the work with BERTH_ERR_CANCELLED. May be null
    bool (*stop)(void* user);
    /// Asked as often; true ends the search, and the tightest cover proven by then is the answer (`cut_short`). What
    /// that is depends on the moment. May be null
    bool (*enough)(void* user);
    void (*progress)(void* user, int32_t done, int32_t total);  ///< never two calls at once. May be null
    void* user;                                                 ///< passed to `stop`, `enough` and `progress`
    BerthAllocator allocator;                                   ///< all zero: the C library's heap
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthSpheresDef;
/// The def to start from: five balls a body, seed 1, one thread, effort 1.
BERTH_API BerthSpheresDef berth_default_spheres_def(void);

/// One body's balls, in its frame.
typedef struct BerthSphereGroup {
    const BerthBall* balls;  ///< borrowed from the spheres
    /// 0: the body has no geometry, or was not asked for. Fewer than were asked for only where fewer are as tight
    int32_t count;
    bool has_geometry;  ///< the body has something to cover
    bool cut_short;     ///< `enough` ended the search before all balls were tried
    bool covered;  ///< proven: every point of the surface, and of the inside where it is closed, is in a ball
    /// Surfaces without an inside: only they themselves are covered, and what counts as outside of them is a guess
    int32_t open_meshes;
    double volume;        ///< of the union of the balls, m3 (estimate, about 0.1 %)
    double solid_volume;  ///< of the body, m3; 0 when it has open meshes
    /// No point of a ball is further than this from the body (from what its open meshes hide), m
    double protrusion;
    double mean_protrusion;  ///< over the surface of the union (estimate), m
    double outside_share;    ///< of the body's surface that is in no ball (estimate; 0 when covered)
    /// How far out of the balls the body reaches (estimate; 0 when covered; nothing to go by where `count` is 0), m
    double outside_most;
} BerthSphereGroup;

/// Covers one solid. Takes seconds; the solid is borrowed during the call only. More balls are never looser than fewer, in
/// volume and protrusion, all else being equal.
BERTH_API BerthStatus berth_solid_fit_spheres(const BerthSolid* solid, const BerthSpheresDef* def,
                                              BerthSpheres** out);
/// Frees spheres; null is fine.
BERTH_API void berth_spheres_destroy(BerthSpheres* spheres);
/// How many groups there are: one a body, so one a link of a robot.
BERTH_API int32_t berth_spheres_group_count(const BerthSpheres* spheres);
/// The balls of one body; all zero for a number that is none. Borrowed.
BERTH_API BerthSphereGroup berth_spheres_group(const BerthSpheres* spheres, int32_t group);

#ifdef __cplusplus
}
#endif
#endif
