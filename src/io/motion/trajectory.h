// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Trajectories and segments from bytes.

#ifndef BI_IO_TRAJECTORY_H
#define BI_IO_TRAJECTORY_H

#include <berth/io/motion.h>

#include "base/base.h"

#define BI_VELOCITY_MAX 1e6      ///< of a value, per second
#define BI_ACCELERATION_MAX 1e9  ///< of a value, per second squared
#define BI_TIME_MAX 1e12         ///< seconds: stamps since 1970 are far below

BerthStatus bi_io_trajectory_from_bytes(const char* path, const char* data, size_t size,
                                        const BerthScene* scene, const BerthIoOptions* options,
                                        BerthTrajectory* out);
BerthStatus bi_io_segments_from_bytes(const char* path, const char* data, size_t size,
                                      const BerthScene* scene, const BerthIoOptions* options,
                                      BerthSegments* out);
/// JSON or YAML of trajectory_msgs/JointTrajectory. `out` has its allocator and path; the caller frees it on failure
/// and finishes it.
BerthStatus bi_io_read_trajectory_message(const char* data, size_t size, const BerthScene* scene,
                                          const BerthIoOptions* options, BerthTrajectory* out);

/// How every value runs from row `row` to the next, by polynomials also where it is straight. Times, velocities and
/// accelerations that are needed are there.
BerthStatus bi_io_segment_curves(const BerthTrajectory* trajectory, int32_t row,
                                 BerthInterpolation interpolation, BerthCurve* curves);

typedef struct TrajectoryParts {
    bool velocities, accelerations, times;
} TrajectoryParts;
/// Memory for the rows, which get the scene's state.
BerthStatus bi_io_allocate_trajectory(int32_t row_count, const BerthScene* scene, TrajectoryParts parts,
                                      BerthTrajectory* out);

#endif
