// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Cover: balls whose union contains a body. Fitted, measured, and proven to cover.

#ifndef BERTH_COVER_H
#define BERTH_COVER_H

#include <berth/field.h>
#include <berth/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A ball; in the L1 metric an octahedron with its corners on the axes.
typedef struct BerthBall {
    BerthVec3 centre;  ///< in the frame that its owner documents
    double radius;     ///< metres
} BerthBall;

/// Balls whose union contains bodies: one group per body. Constant once made; may be shared between threads.
typedef struct BerthSpheres BerthSpheres;

/// Start from berth_default_spheres_def().
typedef struct BerthSpheresDef {
    /// Balls of all bodies together, at least one per body, at most 1,000,000; 0: as many as `protrusion`
    /// needs. Giving both `count` and `protrusion` is an error; giving neither means five balls per body
    int32_t count;
    /// Most that a ball may reach beyond its body, metres; 0: as little as `count` allows
    double protrusion;
    /// Balls of single bodies, in the order of the robot's links. n > 0: n balls, which are part of `count`
    /// if that is given; 0: a share of `count`, or whatever `protrusion` needs; -1: the body is left out.
    /// Null: all 0. Borrowed during the call
    const int32_t* body_counts;
    int32_t body_count;  ///< of `body_counts`
    /// That of the balls: round ones (the default), or octahedra for maps that are queried in L1. Octahedra
    /// are aligned with the axes of the frame that they are given in: they are L1 balls of a map only while
    /// that frame is not rotated relative to the map's
    BerthMetric metric;
    /// Poses of the bodies in an outer frame, one each, in the order of the robot's links: balls are fitted
    /// and returned in that frame. In this way octahedra for one state of a robot are aligned with the axes
    /// of a map. Null (the default): each body's own frame. Borrowed during the call
    const BerthPose* poses;
    uint64_t seed;    ///< the same seed gives the same balls, on every machine and for any number of threads
    int32_t threads;  ///< default 1; with more, the allocator is called from several threads
    double effort;    ///< work to spend on better balls, 0 to 100; default 1
    /// Polled from any thread; true ends the work with BERTH_ERR_CANCELLED. May be null
    bool (*stop)(void* user);
    /// Polled as often; true ends the search, and the tightest cover proven so far is the answer
    /// (`cut_short`), so the result depends on timing. May be null
    bool (*enough)(void* user);
    /// Never called twice at the same time. May be null
    void (*progress)(void* user, int32_t done, int32_t total);
    void* user;                ///< passed to `stop`, `enough` and `progress`
    BerthAllocator allocator;  ///< all zero: the C library's heap
    uint32_t stamp;            ///< set by the default function; ties the def to this library version
} BerthSpheresDef;
/// The def to start from: five balls per body, seed 1, one thread, effort 1.
BERTH_API BerthSpheresDef berth_default_spheres_def(void);

/// The balls of one body.
typedef struct BerthSphereGroup {
    const BerthBall* balls;  ///< borrowed from the spheres
    /// 0: the body has no geometry, or was left out. Fewer than requested only where fewer are as tight
    int32_t count;
    bool has_geometry;  ///< the body has something to cover
    bool cut_short;     ///< `enough` ended the search before all candidates were tried
    bool covered;  ///< proven: every point of the surface, and of the inside where it is closed, is in a ball
    /// Surfaces without an inside: only the surface itself is covered, and which side is outside is a guess
    int32_t open_meshes;
    double volume;        ///< of the union of the balls, m3 (an estimate, to about 0.1 %)
    double solid_volume;  ///< of the body, m3; 0 when it has open meshes
    /// No point of a ball is further than this from the body, m. To an open mesh belongs what its surface
    /// hides along all six axes
    double protrusion;
    double mean_protrusion;  ///< mean over the surface of the union (an estimate), m
    double outside_share;    ///< share of the body's surface that is in no ball (an estimate; 0 when covered)
    /// How far the body reaches out of the balls (an estimate; 0 when covered; undefined when `count` is 0),
    /// m
    double outside_most;
} BerthSphereGroup;

/// Covers one solid, which is borrowed during the call. Takes seconds. All else being equal, more balls are
/// never looser than fewer, in volume and protrusion.
BERTH_API BerthStatus berth_solid_fit_spheres(const BerthSolid* solid, const BerthSpheresDef* def,
                                              BerthSpheres** out);
/// Frees spheres; null is fine.
BERTH_API void berth_spheres_destroy(BerthSpheres* spheres);
/// The number of groups: one per body, for a robot one per link.
BERTH_API int32_t berth_spheres_group_count(const BerthSpheres* spheres);
/// The balls of one body, borrowed; all zero when there is no such group.
BERTH_API BerthSphereGroup berth_spheres_group(const BerthSpheres* spheres, int32_t group);

#ifdef __cplusplus
}
#endif
#endif
