// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Convex bodies for contact tests, and the slow truth about two of them: faces and edges by trying all triples of
// corners, depth over all axes, contacts over all features. Shares no code with src/contact.

#ifndef TEST_SUPPORT_BODIES_H
#define TEST_SUPPORT_BODIES_H

#include <berth/contact.h>

#include "math/math.h"

enum { BODY_CORNERS = 32, BODY_FACES = 64, BODY_EDGES = 128 };

typedef struct BruteBody {
    Vec3 corner[BODY_CORNERS];
    int corner_count;
    struct {
        Vec3 normal;
        double offset;
    } face[BODY_FACES];
    int face_count;
    struct {
        int a, b;
    } edge[BODY_EDGES];
    int edge_count;
    double size;  ///< farthest corner from the origin
} BruteBody;

/// Which body: 0 cube, 1 box, 2 cylinder of 20 vertices, 3 cone of 11, 4 plate, 5 needle, 6 tetrahedron, 7 octahedron,
/// 8 wedge, beyond: hulls of random points. Corners are on the hull.
enum { BODY_KINDS = 12 };
void brute_body(int kind, double scale, Random* random, BruteBody* out);
/// A contact body with one piece of these corners.
void brute_add(BerthContactWorld* world, const BruteBody* body, int32_t levels, BerthBodyMotion motion);

/// (greatest n.a) - (least n.b) for unit n in the world.
double brute_along(const BruteBody* a, const Pose* pose_a, const BruteBody* b, const Pose* pose_b, Vec3 n);
/// The least of that over all face normals and all products of edges; negative: apart by at least that along `axis`.
double brute_depth(const BruteBody* a, const Pose* pose_a, const BruteBody* b, const Pose* pose_b,
                   Vec3* axis);
/// Height of a point above the nearest face plane; <= 0 inside.
double brute_height(const BruteBody* body, const Pose* pose, Vec3 point);

/// A pose of B against A at the origin: `way` picks stacked, grazing, parallel edges, vertex on edge, deep, contained or
/// anything; the depth of the two is then `*depth`, up to rounding.
enum { BRUTE_WAYS = 7 };
Pose brute_meet(const BruteBody* a, const BruteBody* b, int way, Random* random);

#endif
