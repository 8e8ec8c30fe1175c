// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Meshes, poses and allocators that several tests use, made by code from a seed.

#ifndef TEST_SUPPORT_MESHES_H
#define TEST_SUPPORT_MESHES_H

#include <berth/tree.h>

#include "math/math.h"

typedef enum TestMeshKind {
    TEST_MESH_BALL = 0,  // closed, bumpy
    TEST_MESH_TORUS,     // closed, not convex
    TEST_MESH_BOX,       // closed, 12 triangles
    TEST_MESH_HOLLOW,    // closed, a ball with a ball-shaped cavity of half its size
    TEST_MESH_SHEET,     // open, wavy
    TEST_MESH_SOUP,      // open, triangles anywhere, slivers among them
    TEST_MESH_KIND_COUNT
} TestMeshKind;

/// About `triangles` triangles within `size` of the origin. Null when the library refused it.
BerthMesh* test_mesh(TestMeshKind kind, int triangles, double size, Random* random);
/// The same as a solid.
BerthSolid* test_solid(TestMeshKind kind, int triangles, double size, Random* random);
/// A random rotation and a translation of at most `range` along each axis.
BerthPose test_pose(Random* random, double range);
/// Any convex shape but hulls and half-spaces, about `size` large.
BerthShape test_shape(BerthShapeKind kind, double size, Random* random);
/// Row-major rotation, as the oracles want it.
void test_rotation(const BerthPose* pose, double out[9]);

/// Counts, and fails the n-th request when `fail_at` >= 0 (and all later ones when `forever`).
typedef struct TestAllocator {
    int64_t taken, given, live;
    int64_t live_bytes;
    int64_t fail_at;
    bool forever;
} TestAllocator;
BerthAllocator test_allocator(TestAllocator* counts);

#endif
