// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A depth camera that is flown through a model: a ray caster over the triangles of its objects, and noise as such sensors have it.
// Nothing of the library is used, so that what it sees is no opinion of ours. The same seed sees the same.

#ifndef MODELS_CAMERA_H
#define MODELS_CAMERA_H

#include <berth/math.h>
#include <stdbool.h>
#include <stdint.h>

/// The triangles of a model's objects; they stand where their files say.
typedef struct DepthScene DepthScene;
/// Reads the STL files that FOLDER/cell.yaml names as objects. Null when one cannot be read.
DepthScene* bi_depth_open(const char* folder);
void bi_depth_close(DepthScene* scene);
int bi_depth_triangles(const DepthScene* scene);
/// How far the first triangle is along a direction of length 1, metres; INFINITY: there is none.
double bi_depth_cast(const DepthScene* scene, BerthVec3 from, BerthVec3 direction);
/// The same by all triangles, one by one.
double bi_depth_cast_slowly(const DepthScene* scene, BerthVec3 from, BerthVec3 direction);

/// Start from bi_depth_camera().
typedef struct DepthCamera {
    int columns, rows;
    double width;              ///< of the picture 1 m before the eye, metres
    double nearest, farthest;  ///< metres along the axis; what is elsewhere is not told
    double noise;  ///< times that of a structured-light camera: 1.2 mm + 1.9 mm (z - 0.4)^2 / m^2, one sigma
    double lost;   ///< share of pixels that tell nothing
} DepthCamera;
/// 80 x 60 pixels, 70 degrees, 0.4 to 4 m, that noise, 3 % lost.
DepthCamera bi_depth_camera(void);
/// Where the eye is in frame 0 <= i < frames, and what it looks at: once around the middle of the kitchen looking out, once looking in.
void bi_depth_flight(int frame, int frames, BerthVec3* eye, BerthVec3* target);
/// One picture as points, x y z each, of the world; `points` has room for columns * rows. Returns how many there are.
int bi_depth_picture(const DepthScene* scene, const DepthCamera* camera, BerthVec3 eye, BerthVec3 target,
                     uint64_t* random, BerthVec3* points);

#endif
