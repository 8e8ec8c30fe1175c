// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random robots among random objects, put into a berth scene and into the brute model at once.

#ifndef TEST_SUPPORT_WORLDS_H
#define TEST_SUPPORT_WORLDS_H

#include "math/math.h"
#include "support/brute.h"

typedef enum WorldStyle {
    WORLD_PLAIN = 0,
    WORLD_GRID,     // axes aligned, everything on multiples of 1/8 m, quarter turns
    WORLD_FAR,      // 1e5 m from the origin
    WORLD_UNEVEN,   // tiny (1e-4 m) and large parts together
    WORLD_SLIDING,  // prismatic joints at large values
    WORLD_CONVEX,   // no meshes: cheap, and overlaps have depths
    WORLD_STYLE_COUNT
} WorldStyle;

enum { WORLD_MESH = BERTH_HALFSPACE + 1, WORLD_PIECES = WORLD_MESH + 6, WORLD_KINDS };

typedef struct World {
    WorldStyle style;
    BerthScene* scene;
    BruteWorld brute;
    BerthObjectId ids[BRUTE_OBJECTS];  // by object
    BerthPose poses[BRUTE_OBJECTS];
    int object_count;
} World;

/// What a world is made of, at most.
typedef struct WorldPlan {
    WorldStyle style;
    int robots, joints, objects;
    bool no_padding, no_allow, no_planes;
    double padding;  // of every robot, when > 0
} WorldPlan;

/// Committed. Fails the running test when the library refuses anything.
World* world_make(Random* random, const WorldPlan* plan);
/// One body that floats (seven values) and one object at the origin, of these kinds: BerthShapeKind, then TestMeshKind
/// from WORLD_MESH on, then WORLD_PIECES, a closed mesh of two balls.
World* world_pair(Random* random, WorldStyle style, int kind_a, double size_a, int kind_b, double size_b);
void world_destroy(World* world);
/// One random state.
void world_values(const World* world, Random* random, double* values);
/// Moves an object that stands on its own, in both models; commits.
void world_move_object(World* world, int object, const BerthPose* pose);
/// Moves everything rigidly; commits.
void world_carry(World* world, const BerthPose* motion);
/// Anywhere; of WORLD_GRID quarter turns at eighths of a metre.
BerthPose world_pose(Random* random, WorldStyle style, double range);
/// A random solid in both models.
BerthSolid* world_solid(Random* random, WorldStyle style, int kind, double size, BrutePart* out);
/// "sphere" ... "halfspace", "mesh", "open mesh"
const char* world_part_name(const BrutePart* part);

#endif
