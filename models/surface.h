// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Closed surfaces made by code: turned profiles and boxes with chamfers, written as STL or OBJ.

#ifndef MODELS_SURFACE_H
#define MODELS_SURFACE_H

#include <berth/math.h>

/// Enough for every part of every model; adding more is an error that the writer reports.
#define SURFACE_VERTEX_MAX 1024
#define SURFACE_TRIANGLE_MAX 2048

typedef struct Surface {
    BerthVec3 vertices[SURFACE_VERTEX_MAX];
    int triangles[SURFACE_TRIANGLE_MAX][3];
    int vertex_count, triangle_count;
    bool overflow;
} Surface;

/// A point of a turned profile: distance from the axis and height, metres.
typedef struct ProfilePoint {
    double radius, height;
} ProfilePoint;

void bi_surface_clear(Surface* surface);
/// Adds the solid that a profile sweeps when it turns about z. Heights rise; the ends are closed by flat discs.
/// 2 * sides * count triangles.
void bi_surface_add_turned(Surface* surface, const ProfilePoint* profile, int count, int sides);
/// Adds a box about `centre` whose edges and corners are cut by `chamfer`. 44 triangles.
void bi_surface_add_box(Surface* surface, BerthVec3 centre, BerthVec3 size, double chamfer);
/// Turns and moves everything added so far.
void bi_surface_move(Surface* surface, const BerthPose* outer_from_inner);

/// Writes FOLDER/NAME as OBJ when the name ends so, else as binary STL.
bool bi_surface_write(const Surface* surface, const char* folder, const char* name);

#endif
