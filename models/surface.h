// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Closed surfaces made by code: turned profiles, boxes, bars, rings, sheets, lofts and tubes, refined to a given
// number of triangles and written as STL or OBJ.

#ifndef MODELS_SURFACE_H
#define MODELS_SURFACE_H

#include <berth/math.h>

/// Grows as it is added to. Starts as all zero; bi_surface_free gives its memory back.
typedef struct Surface {
    BerthVec3* vertices;
    int (*triangles)[3];
    int vertex_count, triangle_count;
    int vertex_room, triangle_room;
    bool failed;  ///< out of memory, or a number of triangles that cannot be: the writer reports it
} Surface;

/// A point of a turned profile: distance from the axis and height, metres.
typedef struct ProfilePoint {
    double radius, height;
} ProfilePoint;

/// A four-sided sheet, bilinear between its corners (in order around it), its middle pushed out by `bulge`.
typedef struct Sheet {
    BerthVec3 corners[4];
    BerthVec3 bulge;
    BerthVec3 thickness;  ///< from the outer side, which sees the corners counter-clockwise, to the inner one
} Sheet;

/// A level section of a loft: an ellipse about (x, y), or a rounded rectangle, or between the two.
typedef struct Slice {
    double height, half_x, half_y;
    double x, y;
    double square;  ///< 0: ellipse; 1: |x|^8 + |y|^8 = 1
} Slice;

/// A point of a tube's path and the tube's radius there, metres.
typedef struct Knot {
    BerthVec3 at;
    double radius;
} Knot;

void bi_surface_free(Surface* surface);
int bi_surface_add_vertex(Surface* surface, BerthVec3 point);
void bi_surface_add_triangle(Surface* surface, int a, int b, int c);
/// Corners in order, seen from outside counter-clockwise.
void bi_surface_add_quad(Surface* surface, int a, int b, int c, int d);

/// Joins rings of `sides` vertices each, the first of which is at `first`, and closes both ends around one vertex.
void bi_surface_join_rings(Surface* surface, int first, int rings, int sides, int bottom, int top);
/// Adds the solid that a profile sweeps when it turns about z. Heights rise; the ends are closed by flat discs.
/// 2 * sides * count triangles.
void bi_surface_add_turned(Surface* surface, const ProfilePoint* profile, int count, int sides);
/// Adds a box about `centre` whose edges and corners are cut by `chamfer`. 44 triangles.
void bi_surface_add_box(Surface* surface, BerthVec3 centre, BerthVec3 size, double chamfer);
/// Adds a box with sharp edges about `centre`. 12 triangles.
void bi_surface_add_bar(Surface* surface, BerthVec3 centre, BerthVec3 size);
/// Adds a ring about z: a tube of radius `tube` around the circle of radius `ring`. 2 * ring_sides * tube_sides.
void bi_surface_add_torus(Surface* surface, double ring, double tube, int ring_sides, int tube_sides);
/// Adds a closed sheet of u * v squares a side. 4 * u * v + 4 * (u + v) triangles.
void bi_surface_add_sheet(Surface* surface, const Sheet* sheet, int u, int v);
/// Adds the body through some level sections, round between them when there are more rings than sections (straight
/// when as many). Flat ends. 2 * sides * rings triangles.
void bi_surface_add_loft(Surface* surface, const Slice* slices, int count, int rings, int sides);
/// Adds a round tube along a smooth path, with flat ends. 2 * sides * rings triangles.
void bi_surface_add_tube(Surface* surface, const Knot* knots, int count, int rings, int sides);
/// Adds a box whose faces have `face_triangles` each: steps * steps squares, and then some cut in two. The faces
/// share points, not vertices: an STL of it is closed.
void bi_surface_add_faceted_box(Surface* surface, BerthVec3 centre, BerthVec3 size, int steps,
                                int face_triangles);
/// Adds a square floor about the origin, top at z = 0, closed below by a flat pyramid. The top has all `triangles` but
/// 4 * steps.
void bi_surface_add_floor(Surface* surface, double size, double depth, int steps, int triangles);

/// Halves longest edges until there are `triangles`: each adds two. Only edges between two triangles from `first`
/// on are halved, so the shape stays the same and closed.
void bi_surface_refine(Surface* surface, int first, int triangles);

/// Turns and moves the vertices from `first` on; scales them all.
void bi_surface_move(Surface* surface, int first, const BerthPose* outer_from_inner);
void bi_surface_scale(Surface* surface, double scale);

/// Writes FOLDER/NAME as OBJ when the name ends so, else as binary STL.
bool bi_surface_write(const Surface* surface, const char* folder, const char* name);

#endif
