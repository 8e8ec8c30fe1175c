// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Shape: convex bodies, and the gap between two of them.
//
// Words: the `gap` is the signed distance. gap > 0: apart; gap == 0: touching; gap < 0: overlapping by -gap,
// the length of the shortest translation that separates the two. Sets are closed: touching is collision.

#ifndef BERTH_SHAPE_H
#define BERTH_SHAPE_H

#include <berth/math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of convex bodies.
typedef enum BerthShapeKind {
    BERTH_SPHERE = 0,       ///< a ball
    BERTH_CAPSULE,          ///< all points within a radius of a line segment
    BERTH_BOX,              ///< a cuboid
    BERTH_CYLINDER,         ///< a round rod
    BERTH_CONE,             ///< a round cone
    BERTH_TRIANGLE,         ///< a flat triangle
    BERTH_HULL,             ///< the convex hull of points
    BERTH_HALFSPACE,        ///< everything on one side of a plane
    BERTH_SHAPE_KIND_COUNT  ///< how many there are
} BerthShapeKind;

/// The convex hull of points, with its faces. Constant once built; may be shared between threads.
typedef struct BerthHull BerthHull;

/// A convex body in its own frame. Plain data: copy it freely. A hull is borrowed and must outlive the shape.
typedef struct BerthShape {
    BerthShapeKind kind;  ///< says which member of `as` counts
    union {
        struct {
            double radius;  ///< metres
        } sphere;           ///< centred
        struct {
            double radius;  ///< metres
            double length;  ///< metres
        } capsule;          ///< along z, centred; length between the two sphere centres
        struct {
            BerthVec3 half;  ///< metres along x, y, z
        } box;               ///< centred; half the full sizes
        struct {
            double radius;  ///< metres
            double length;  ///< metres
        } cylinder;         ///< along z, centred
        struct {
            double radius;  ///< metres
            double length;  ///< metres
        } cone;             ///< along z; tip at +length/2, base disc at -length/2
        struct {
            BerthVec3 point[3];  ///< its corners
        } triangle;              ///< anywhere
        struct {
            const BerthHull* hull;  ///< borrowed
        } hull;                     ///< borrowed
        struct {
            BerthVec3 normal;  ///< unit, out of the solid
            double offset;     ///< metres
        } halfspace;           ///< solid where normal . x <= offset; normal is a unit vector
    } as;                      ///< sizes, by kind
} BerthShape;

/// A ball around the origin. All functions that make shapes refuse NaN, infinite, negative and zero sizes
/// (but a capsule's length and a sphere's radius may be 0, and a box may be flat or a point), and anything
/// beyond 1e7 m, with BERTH_ERR_ARGUMENT; `out` is not written then.
BERTH_API BerthStatus berth_shape_sphere(double radius, BerthShape* out);
/// A capsule along z; `length` is between the two sphere centres.
BERTH_API BerthStatus berth_shape_capsule(double radius, double length, BerthShape* out);
/// A box, given by its full sizes.
BERTH_API BerthStatus berth_shape_box(BerthVec3 size, BerthShape* out);
/// A cylinder along z.
BERTH_API BerthStatus berth_shape_cylinder(double radius, double length, BerthShape* out);
/// A cone along z, tip at +z.
BERTH_API BerthStatus berth_shape_cone(double radius, double length, BerthShape* out);
/// A triangle, which may be degenerate (without area).
BERTH_API BerthStatus berth_shape_triangle(const BerthVec3 point[3], BerthShape* out);
/// A hull, which is borrowed.
BERTH_API BerthStatus berth_shape_hull(const BerthHull* hull, BerthShape* out);
/// A half-space. The normal need not be unit: normal and offset are scaled together.
BERTH_API BerthStatus berth_shape_halfspace(BerthVec3 normal, double offset, BerthShape* out);
/// "sphere", "capsule", "box", "cylinder", "cone", "triangle", "hull", "halfspace"; else "unknown".
BERTH_API const char* berth_shape_name(BerthShapeKind kind);

/// Bounds of the signed distance of two bodies A and B.
typedef struct BerthGap {
    double lower;  ///< the gap is at least this, rounding errors included
    /// The gap is at most this. Apart: the distance of the two witness points, within rounding. Overlapping:
    /// a bound of its own, which may be larger than what the witness points say where round bodies overlap
    /// (docs/theory/shape.md)
    double upper;
    /// Witness on A, in the world: its nearest point, or its deepest point when overlapping
    BerthVec3 point_a;
    BerthVec3 point_b;  ///< witness on B, in the world
    /// Unit, from A to B: from point_a to point_b when apart, from point_b to point_a when overlapping
    BerthVec3 normal;
    int32_t iterations;  ///< of the search; 0 for closed forms
} BerthGap;

/// The gap of two posed shapes. Never fails for shapes made by the functions above and finite poses; NaN,
/// infinity and null pointers give lower = -infinity, upper = +infinity, which proves nothing. Half-spaces
/// whose overlap is unbounded have -infinity for both, and one common point as both witnesses; where that
/// point would lie beyond 4e7 m, only lower is -infinity. Allocates nothing.
BERTH_API BerthGap berth_shape_gap(const BerthShape* a, const BerthPose* world_from_a, const BerthShape* b,
                                   const BerthPose* world_from_b);

#ifdef __cplusplus
}
#endif
#endif
