// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The bodies of the sceptic's model (dense.h) and how far two of them are apart: triangles with a radius, under a tree of boxes.
// For dense*.c alone; shares no code with the product.

#ifndef TEST_SUPPORT_DENSE_PARTS_H
#define TEST_SUPPORT_DENSE_PARTS_H

#include <math.h>
#include <stdbool.h>

#include <berth/shape.h>

#include "support/dense.h"

enum { DENSE_SIDES = 24, DENSE_DEEP = 128 };

typedef struct V {
    double x, y, z;
} V;

typedef struct Frame {
    V x, y, z, t;  // columns, origin
} Frame;

typedef struct Tri {
    V at[3];
} Tri;

typedef struct Node {
    V centre, half;   // a box
    double radius;    // of a ball around it all
    int left, right;  // children; left < 0: leaf of triangle `right`
} Node;

/// What is solid: a box, or a cylinder along z.
typedef struct Inner {
    bool round;
    V half;  // of a cylinder: radius, radius, half its length
    Frame pose;
} Inner;

typedef struct Part {
    int body, frame;  // frame -1: it stands still
    Frame in_frame;
    double radius;
    bool plane;
    V normal;
    double offset;
    Tri* tris;
    Node* nodes;
    int tri_count, node_count;
    Inner* inner;
    int inner_count;
    bool closed;  // a mesh that is solid
    int* pieces;  // a triangle of each part of the surface that hangs together
    int piece_count;
    bool mesh;
    Frame world;  // now
    V middle;     // of the root, now
} Part;

// As fmin and fmax, without their care for NaN, which nothing here is.
static inline double least_of(double a, double b) {
    return a < b ? a : b;
}
static inline double most_of(double a, double b) {
    return a > b ? a : b;
}

// ---- vectors ------------------------------------------------------------------------------------------------------

static inline V sub(V a, V b) {
    return (V){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline V add(V a, V b) {
    return (V){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline V times(V a, double s) {
    return (V){a.x * s, a.y * s, a.z * s};
}
static inline double dot(V a, V b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline V cross(V a, V b) {
    return (V){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double length(V a) {
    return sqrt(dot(a, a));
}
static inline V turn(const Frame* f, V p) {
    return add(add(times(f->x, p.x), times(f->y, p.y)), times(f->z, p.z));
}
static inline V apply(const Frame* f, V p) {
    return add(turn(f, p), f->t);
}
static inline V unapply(const Frame* f, V p) {
    const V d = sub(p, f->t);
    return (V){dot(f->x, d), dot(f->y, d), dot(f->z, d)};
}
static inline Frame multiply(const Frame* a, const Frame* b) {
    return (Frame){turn(a, b->x), turn(a, b->y), turn(a, b->z), apply(a, b->t)};
}
static inline Frame relative(const Frame* a, const Frame* b) {  // a_from_b
    const V to = unapply(a, b->t);
    return (Frame){{dot(a->x, b->x), dot(a->y, b->x), dot(a->z, b->x)},
                   {dot(a->x, b->y), dot(a->y, b->y), dot(a->z, b->y)},
                   {dot(a->x, b->z), dot(a->y, b->z), dot(a->z, b->z)},
                   to};
}
static inline V v_of(BerthVec3 a) {
    return (V){a.x, a.y, a.z};
}
static inline Frame frame_of(const BerthPose* p) {
    return (Frame){v_of(p->x), v_of(p->y), v_of(p->z), v_of(p->t)};
}
static const Frame still = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

// ---- parts --------------------------------------------------------------------------------------------------------

/// The shape or the mesh, and its tree. Fails the running test for a shape that it does not know.
void part_set_solid(Part* part, const BerthSolid* solid);
/// A box more, to be followed by part_build_tree.
void part_add_box(Part* part, V centre, V half);
void part_build_tree(Part* part);
void part_free(Part* part);
/// Paddings taken off; `best` where it is not smaller. `last` are the triangles that were nearest the last time.
double parts_gap(const Part* a, const Part* b, double padding, double share, int last[2], double best);
/// Is each further than `far` from the other, radii and padding taken off? Ends at the first triangles that are not, and makes *met
/// their gap, if that is smaller: an upper bound. What is inside of the other is not seen.
bool parts_are_apart(const Part* a, const Part* b, double padding, double far, int last[2], double* met);
/// Is one of the pieces of one, by a corner of each, inside of what the other is solid in?
bool parts_nest(const Part* a, const Part* b);

#endif
