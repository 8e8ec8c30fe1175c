// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Shape: convex bodies, triangle meshes, and the gap between two convex bodies.
//
// Words: `gap` is the signed distance. gap > 0 apart, gap == 0 touching, gap < 0 overlapping by -gap (the smallest
// translation that parts the two). Sets are closed: touching is collision.

#ifndef BERTH_SHAPE_H
#define BERTH_SHAPE_H

#include <berth/math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum BerthShapeKind {
    BERTH_SPHERE = 0,
    BERTH_CAPSULE,
    BERTH_BOX,
    BERTH_CYLINDER,
    BERTH_CONE,
    BERTH_TRIANGLE,
    BERTH_HULL,
    BERTH_HALFSPACE,
    BERTH_SHAPE_KIND_COUNT
} BerthShapeKind;

/// The convex hull of points, with its faces. Constant once made; share it between threads.
typedef struct BerthHull BerthHull;

/// A convex body in its own frame. Plain data: copy it freely. A hull is borrowed and must outlive the shape.
typedef struct BerthShape {
    BerthShapeKind kind;
    union {
        struct {
            double radius;
        } sphere;  ///< centred
        struct {
            double radius;
            double length;
        } capsule;  ///< along z, centred; length between the two sphere centres
        struct {
            BerthVec3 half;
        } box;  ///< centred; half the full sizes
        struct {
            double radius;
            double length;
        } cylinder;  ///< along z, centred
        struct {
            double radius;
            double length;
        } cone;  ///< along z; tip at +length/2, base disc at -length/2
        struct {
            BerthVec3 point[3];
        } triangle;
        struct {
            const BerthHull* hull;
        } hull;
        struct {
            BerthVec3 normal;
            double offset;
        } halfspace;  ///< solid where normal . x <= offset; normal is a unit vector
    } as;
} BerthShape;

/// The makers refuse NaN, infinite, negative and zero sizes (a capsule's length and a sphere's radius may be 0,
/// a box may be flat), and anything beyond 1e7 m.
BERTH_API BerthStatus berth_shape_sphere(double radius, BerthShape* out);
BERTH_API BerthStatus berth_shape_capsule(double radius, double length, BerthShape* out);
BERTH_API BerthStatus berth_shape_box(BerthVec3 size, BerthShape* out);
BERTH_API BerthStatus berth_shape_cylinder(double radius, double length, BerthShape* out);
BERTH_API BerthStatus berth_shape_cone(double radius, double length, BerthShape* out);
BERTH_API BerthStatus berth_shape_triangle(const BerthVec3 point[3], BerthShape* out);
BERTH_API BerthStatus berth_shape_hull(const BerthHull* hull, BerthShape* out);
/// The normal is made unit and the offset with it.
BERTH_API BerthStatus berth_shape_halfspace(BerthVec3 normal, double offset, BerthShape* out);
/// "sphere", "capsule", ...
BERTH_API const char* berth_shape_name(BerthShapeKind kind);

/// What is known about the signed distance of two bodies A and B.
typedef struct BerthGap {
    double lower;       ///< the gap is at least this: rounding errors are on the safe side
    double upper;       ///< the gap of the two witness points, within rounding
    BerthVec3 point_a;  ///< witness on A, in the world: nearest point, or deepest point when overlapping
    BerthVec3 point_b;  ///< witness on B, in the world
    BerthVec3
        normal;  ///< unit, from A to B: from point_a to point_b when apart, against that when overlapping
    int32_t iterations;
} BerthGap;

/// The gap of two posed shapes. Never fails for shapes from the makers and finite poses; NaN in gives
/// lower = -infinity, upper = +infinity, which proves nothing. No allocation.
BERTH_API BerthGap berth_shape_gap(const BerthShape* a, const BerthPose* world_from_a, const BerthShape* b,
                                   const BerthPose* world_from_b);

/// The hull of `count` points (at least 1; flat, straight and single-point sets are fine). The points of the
/// input are all inside, up to `outside` metres, which is added to every gap that is computed with the hull.
BERTH_API BerthStatus berth_hull_create(const BerthVec3* points, int32_t count,
                                        const BerthAllocator* allocator, BerthHull** out);
BERTH_API void berth_hull_destroy(BerthHull* hull);

/// A triangle mesh, welded, with what is known about its surface. Constant once made.
typedef struct BerthMesh BerthMesh;

typedef struct BerthMeshInfo {
    int32_t vertex_count;
    int32_t triangle_count;
    int32_t degenerate_count;  ///< triangles without area that were dropped
    int32_t duplicate_count;   ///< triangles that were there twice and were dropped
    int32_t open_edge_count;   ///< edges that are not shared by exactly two triangles in opposite directions
    int32_t component_count;   ///< connected pieces of surface
    bool watertight;           ///< closed: it is solid, and what is wholly inside it collides
    bool convex;               ///< watertight, one piece, and equal to its hull
    BerthVec3 low, high;       ///< bounding box
    double volume;             ///< of a watertight mesh, else 0
    double area;
} BerthMeshInfo;

/// Welds equal vertices, drops degenerate triangles, finds out whether the surface is closed. `triangles` holds
/// 3 * triangle_count indexes. Refuses NaN, infinite and > 1e7 m coordinates, indexes out of range, no triangles.
BERTH_API BerthStatus berth_mesh_create(const BerthVec3* vertices, int32_t vertex_count,
                                        const int32_t* triangles, int32_t triangle_count,
                                        const BerthAllocator* allocator, BerthMesh** out);
BERTH_API void berth_mesh_destroy(BerthMesh* mesh);
BERTH_API BerthMeshInfo berth_mesh_info(const BerthMesh* mesh);
BERTH_API const BerthVec3* berth_mesh_vertices(const BerthMesh* mesh);
/// 3 * triangle_count vertex indexes, outward winding when watertight.
BERTH_API const int32_t* berth_mesh_triangles(const BerthMesh* mesh);

#ifdef __cplusplus
}
#endif
#endif
