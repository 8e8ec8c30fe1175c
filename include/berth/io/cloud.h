// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files of points and balls.

#ifndef BERTH_IO_CLOUD_H
#define BERTH_IO_CLOUD_H

#include <berth/io/syntax.h>
#include <berth/math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Points of a cloud: finite, within 1e7 m.
typedef struct BerthPoints {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    BerthVec3* points;         ///< `count` points, in the cloud's frame
    int64_t count;             ///< points
    int64_t capacity;          ///< points that `points` has room for
    int64_t dropped;           ///< points that were left out: NaN or infinite
} BerthPoints;
/// Reads .pcd (ascii, binary, binary_compressed), .ply (ascii, binary of either byte order), .npy of float64
/// (n, 3), or (n, 2) in the plane, and text with x y z (.xyz .csv .txt .pts).
BERTH_API BerthStatus berth_io_read_points(const char* path, const BerthIoOptions* options, BerthPoints* out);
/// The same for a map of `dim` 2 or 3. With dim 2 columns x and y are enough (text may have more); a missing
/// z is 0. With dim 3 all three are required.
BERTH_API BerthStatus berth_io_read_points_of(const char* path, int32_t dim, const BerthIoOptions* options,
                                              BerthPoints* out);
/// Is the file a cloud, by its name: .pcd, .xyz, .txt, .pts; or an existing .ply without faces, or an
/// existing .csv with columns x, y and z?
BERTH_API bool berth_io_is_cloud(const char* path);
/// Frees what berth_io_read_points returned.
BERTH_API void berth_io_free_points(BerthPoints* points);

/// Balls: centre and radius, 4 numbers per ball; z is 0 in the plane.
typedef struct BerthBalls {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    double* balls;             ///< x, y, z, radius of each ball
    int64_t count;             ///< balls
} BerthBalls;
/// Reads a CSV with columns x, y, z, r, or with dim 2 x, y, r: in any order with a header, in this order
/// without one; radii >= 0. At least one row.
BERTH_API BerthStatus berth_io_read_balls(const char* path, int32_t dim, const BerthIoOptions* options,
                                          BerthBalls* out);
/// Frees what berth_io_read_balls returned.
BERTH_API void berth_io_free_balls(BerthBalls* balls);

#ifdef __cplusplus
}
#endif
#endif
