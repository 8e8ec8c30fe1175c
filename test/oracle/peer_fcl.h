// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// FCL 0.7 (Debian) behind a C interface: a second opinion for tests and the peer of the benchmarks. It shares
// no code with the product. Link with -lfcl; compile peer_fcl.cpp with -DEIGEN_MAX_ALIGN_BYTES=16, the ABI of
// Debian's build. How far to believe it, by random pairs against exact.h ([t] repeated in
// test_oracle_peers.c, the rest measured once when this was written):
// - triangles, meshes: distances to 1e-15 of the size [t]; on an integer grid 215 of 7206 contacts got a
//   distance of about 1e-16 and collide() missed one;
// - boxes and polytopes of about 1 m: distance and depth to 2e-15 [t]; boxes of 1 mm: libccd's 1e-6 is
//   absolute, so distances were off by up to 0.13 and depths by 0.5 of the size, and 79 of 1128 overlaps got
//   a positive distance (collide() was right);
// - round shapes by GJK: too far by up to 2 mm (sphere, convex) and 0.15 mm (capsule) at sizes of 1 m [t];
//   cone and cylinder against mesh and against convex differ by up to 0.6 mm; at 5 cm the errors are still
//   0.3 to 0.5 mm;
// - sphere and mesh: nearest points are wrong, and an overlap gets a positive distance (repaired here for
//   pairs, not in the world form); halfspaces: collide only, distance crashes FCL.
//
// A pose is twelve doubles: rotation row by row, then translation; world = R local + t.
// Round shapes have their axis along z and their centre at the origin.
#ifndef BERTH_TEST_ORACLE_PEER_FCL_H
#define BERTH_TEST_ORACLE_PEER_FCL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerFcl PeerFcl;            // a geometry; constant once made
typedef struct PeerFclWorld PeerFclWorld;  // moving bodies, obstacles, self pairs; one thread at a time

PeerFcl* peer_fcl_sphere(double radius);
PeerFcl* peer_fcl_box(double size_x, double size_y, double size_z);  // full side lengths
PeerFcl* peer_fcl_capsule(double radius, double length);             // length between the two sphere centres
PeerFcl* peer_fcl_cylinder(double radius, double length);
PeerFcl* peer_fcl_cone(double radius, double length);                         // apex at +length/2
PeerFcl* peer_fcl_halfspace(double nx, double ny, double nz, double offset);  // n . x <= offset is solid
PeerFcl* peer_fcl_mesh(const double* vertices, int32_t vertex_count, const int32_t* triangles,
                       int32_t triangle_count);  // a surface, BVHModel<OBBRSS>; null if FCL refuses it
/// A solid; the triangles are its hull, counter-clockwise seen from outside.
PeerFcl* peer_fcl_convex(const double* vertices, int32_t vertex_count, const int32_t* triangles,
                         int32_t triangle_count);
void peer_fcl_destroy(PeerFcl* geometry);  // null is fine; worlds keep what they use

/// 1 if FCL says the two collide.
int peer_fcl_collide(const PeerFcl* a, const double pose_a[12], const PeerFcl* b, const double pose_b[12]);

/// Distance, or -1 when FCL says overlapping or touching. Points (may be null) are in the world frame; they
/// are what FCL returns, and mean nothing when the result is -1. NAN when a halfspace is involved.
double peer_fcl_distance(const PeerFcl* a, const double pose_a[12], const PeerFcl* b, const double pose_b[12],
                         double point_a[3], double point_b[3]);

/// As the distance, for somebody to whom anything above `enough` is the same: then some number above or at `enough`.
/// Meshes only; other pairs get their whole distance.
double peer_fcl_distance_within(const PeerFcl* a, const double pose_a[12], const PeerFcl* b,
                                const double pose_b[12], double enough);

/// Signed distance of convex shapes: minus the penetration depth when overlapping. NAN when a mesh or a
/// halfspace is involved (FCL has no signed distance for those), or when FCL throws.
double peer_fcl_signed_distance(const PeerFcl* a, const double pose_a[12], const PeerFcl* b,
                                const double pose_b[12]);

/// The whole-robot form, as a good user of FCL writes it: obstacles in a DynamicAABBTreeCollisionManager that
/// is set up once, one query per moving body with early exit, self pairs by AABB and then collide().
PeerFclWorld* peer_fcl_world_create(void);
void peer_fcl_world_destroy(PeerFclWorld* world);
int peer_fcl_world_add_body(PeerFclWorld* world, const PeerFcl* geometry);  // the index of the body
void peer_fcl_world_add_obstacle(PeerFclWorld* world, const PeerFcl* geometry, const double pose[12]);
void peer_fcl_world_add_self_pair(PeerFclWorld* world, int body_a, int body_b);
void peer_fcl_world_setup(PeerFclWorld* world);  // after the last obstacle, before the first question

/// poses: twelve doubles a body, in the order they were added. 1 if any body meets an obstacle or a partner.
int peer_fcl_world_check(PeerFclWorld* world, const double* poses);
/// Least distance of a body to an obstacle, -1 if one collides, INFINITY if there is no pair, NAN if the
/// world has a halfspace. Wrong when a sphere overlaps a mesh, see above.
double peer_fcl_world_distance(PeerFclWorld* world, const double* poses);
/// The same, self pairs included.
double peer_fcl_world_distance_self(PeerFclWorld* world, const double* poses);

#ifdef __cplusplus
}
#endif

#endif
