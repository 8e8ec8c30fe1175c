// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Convex polyhedra with vertices, edges, faces and their adjacency (paper 003, section 3.1), and queries of them: the
// farthest corner, whether a point is inside.
//
// Invariants: vertices are sorted by x, y, z; a face's corners run counter-clockwise seen from outside and start at
// its first vertex; faces are sorted by their corners; an edge runs from its lower to its higher vertex, and edges are
// sorted. No vertex is above any face's plane (offsets are maxima over all vertices).

#ifndef BI_POLYTOPE_H
#define BI_POLYTOPE_H

#include "base/arena.h"
#include "math/vec3.h"
#include "shape/hull.h"
#include "tree/ball_octree.h"

/// More vertices are refused: contacts of larger bodies are not what this is for.
enum { POLYTOPE_VERTICES_MAX = 65536 };

typedef struct PolyEdge {
    int32_t tail, head;
    int32_t left, right;  ///< faces; left of the way from tail to head, seen from outside
    Vec3 direction;       ///< unit, tail to head
    double length;
} PolyEdge;

typedef struct PolyFace {
    Vec3 normal;    ///< unit, outward
    double offset;  ///< normal . x <= offset for all vertices
    Vec3 centre;    ///< of its area
    int32_t first, count;
    bool inner;                        ///< between two pieces of one body: nothing can touch it
    int32_t first_cover, cover_count;  ///< faces of other pieces of the body that lie on a part of it
} PolyFace;

/// One corner of a face, and the side that leaves it.
typedef struct PolyCorner {
    int32_t vertex, edge;
    Vec3 side;      ///< unit, in the face's plane, outward: the paper's coboundary vector
    double offset;  ///< side . x <= offset inside the face
} PolyCorner;

typedef struct Polytope {
    int32_t vertex_count, edge_count, face_count, corner_count;
    Vec3* vertices;
    PolyEdge* edges;
    PolyFace* faces;
    PolyCorner* corners;
    int32_t* first_around;  ///< vertex_count + 1 offsets into
    int32_t* around;        ///< edges at each vertex: its coboundary
    int32_t* loop;          ///< vertices of corners, for the octree
    int32_t* first_loop;
    int32_t* edge_ends;
    int32_t corner_most;  ///< of one face
    bool has_inner;       ///< some face is an inner one
    Vec3 centre;          ///< of a ball around all vertices
    double radius;
    double extent;  ///< no vertex is further from the frame's origin
    double volume;
    Vec3 centroid;
    Vec3 inertia[3];  ///< about the centroid, of density 1: columns of a symmetric matrix
    BerthHull* hull;  ///< the same body for GJK; owned
    BallOctree octree;
} Polytope;

/// The hull of points, with coplanar triangles made one face. `*flat`: it has no volume; nothing was made then.
BerthStatus bi_polytope_create(const Vec3* points, int32_t count, Arena* arena, Polytope* out, bool* flat);
/// Gives back what is not in the arena.
void bi_polytope_free(Polytope* polytope);
/// Builds the octree; levels -1: chosen.
BerthStatus bi_polytope_add_octree(Polytope* polytope, int32_t levels, bool homogeneous, Arena* arena);

enum { POLYTOPE_SCAN_MAX = 40 };  ///< with more vertices climbing is faster

/// The vertex farthest along d. `start`: where the last search ended.
static inline int32_t polytope_support(const Polytope* p, Vec3 d, int32_t start) {
    int32_t best = 0;
    double high = v3_dot(p->vertices[0], d);

    if (p->vertex_count <= POLYTOPE_SCAN_MAX) {
        for (int32_t i = 1; i < p->vertex_count; ++i) {
            const double height = v3_dot(p->vertices[i], d);
            best = height > high ? i : best;
            high = height > high ? height : high;
        }
        return best;
    }

    best = start;
    high = v3_dot(p->vertices[best], d);

    for (int32_t step = 0; step < p->vertex_count; ++step) {
        const int32_t from = best;
        for (int32_t k = p->first_around[from]; k < p->first_around[from + 1]; ++k) {
            const PolyEdge* edge = &p->edges[p->around[k]];
            const int32_t other = edge->tail == from ? edge->head : edge->tail;
            const double height = v3_dot(p->vertices[other], d);
            best = height > high ? other : best;
            high = height > high ? height : high;
        }

        if (best == from) {
            break;
        }
    }

    return best;
}

/// How far the point is above the nearest face's plane, at most 0 inside; the face in `*face`, the lowest of equals.
static inline double polytope_height(const Polytope* p, Vec3 point, int32_t* face) {
    double high = -INFINITY;
    for (int32_t i = 0; i < p->face_count; ++i) {
        const double height = v3_dot(p->faces[i].normal, point) - p->faces[i].offset;
        if (height > high) {
            high = height;
            *face = i;
        }
    }
    return high;
}

#endif
