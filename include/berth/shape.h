// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Shape: convex bodies, and the gap between two of them.
//
// Words: `gap` is the signed distance. gap > 0 apart, gap == 0 touching, gap < 0 overlapping by -gap (the smallest
// translation that parts the two). Sets are closed: touching is collision.

#ifndef BERTH_SHAPE_H
#define BERTH_SHAPE_H

#include <berth/math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Convex bodies.
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

/// The convex hull of points, with its faces. Constant once made; share it between threads.
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

/// A ball around the origin. All makers refuse NaN, infinite, negative and zero sizes (a capsule's length and a
/// sphere's radius may be 0, a box may be flat or a point), and anything beyond 1e7 m; `out` is not written then.
BERTH_API BerthStatus berth_shape_sphere(double radius, BerthShape* out);
/// A capsule along z; length between the two sphere centres.
BERTH_API BerthStatus berth_shape_capsule(double radius, double length, BerthShape* out);
/// A box by its full sizes.
BERTH_API BerthStatus berth_shape_box(BerthVec3 size, BerthShape* out);
/// A cylinder along z.
BERTH_API BerthStatus berth_shape_cylinder(double radius, double length, BerthShape* out);
/// A cone along z, tip at +z.
BERTH_API BerthStatus berth_shape_cone(double radius, double length, BerthShape* out);
/// A triangle; it may have no area.
BERTH_API BerthStatus berth_shape_triangle(const BerthVec3 point[3], BerthShape* out);
/// A hull, borrowed.
BERTH_API BerthStatus berth_shape_hull(const BerthHull* hull, BerthShape* out);
/// The normal is made unit and the offset with it.
BERTH_API BerthStatus berth_shape_halfspace(BerthVec3 normal, double offset, BerthShape* out);
/// "sphere", "capsule", "box", "cylinder", "cone", "triangle", "hull", "halfspace"; else "unknown".
BERTH_API const char* berth_shape_name(BerthShapeKind kind);

/// What is known about the signed distance of two bodies A and B.
typedef struct BerthGap {
    double lower;  ///< the gap is at least this: rounding errors are on the safe side
    /// And at most this. Apart: the distance of the two witness points, within rounding. Overlapping: a bound of its
    /// own, which may be larger than what the witness points say where round bodies overlap (docs/theory/shape.md)
    double upper;
    BerthVec3 point_a;  ///< witness on A, in the world: nearest point, or deepest point when overlapping
    BerthVec3 point_b;  ///< witness on B, in the world
    /// Unit, from A to B: from point_a to point_b when apart, against that when overlapping
    BerthVec3 normal;
    int32_t iterations;  ///< of the search; 0 for formulas
} BerthGap;

/// The gap of two posed shapes. Never fails for shapes from the makers and finite poses; NaN, infinity and null
/// pointers give lower = -infinity, upper = +infinity, which proves nothing. Half-spaces that overlap without end have
/// -infinity for both, and one point of both as witnesses; where that would be beyond 4e7 m, only lower is -infinity.
/// No allocation.
BERTH_API BerthGap berth_shape_gap(const BerthShape* a, const BerthPose* world_from_a, const BerthShape* b,
                                   const BerthPose* world_from_b);

#ifdef __cplusplus
}
#endif
#endif
