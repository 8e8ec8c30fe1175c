// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Io: files to objects. Every error text begins with FILE:LINE (binary files: FILE: byte N). Any bytes give an
// answer or an error, in bounded time and memory.

#ifndef BERTH_IO_H
#define BERTH_IO_H

#include <berth/check.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How files are read. Start from berth_default_io_options().
typedef struct BerthIoOptions {
    BerthAllocator allocator;
    /// Called once a warning with one line of text, which begins with FILE:LINE. May be null.
    void (*warn)(void* user, const char* text);
    void* user;
    const char* const* packages;  ///< NAME=DIR, searched first
    int32_t package_count;
    const char* srdf;  ///< for a bare URDF, or null
    const char*
        robot;  ///< URDF for scene files that hold no robot (MoveIt .scene, MotionBenchMaker), or null
    bool ignore_dae_units;  ///< --dae-units ignore
    uint32_t stamp;
} BerthIoOptions;

BERTH_API BerthIoOptions berth_default_io_options(void);

/// How one mesh file is read into a mesh.
typedef struct BerthMeshOptions {
    BerthVec3 scale;  ///< per axis; a negative determinant flips the winding
} BerthMeshOptions;

/// STL and OBJ by own readers, DAE, PLY, glTF and others through assimp when it was built in.
BERTH_API BerthStatus berth_io_read_mesh(const char* path, BerthVec3 scale, const BerthIoOptions* options,
                                         BerthMesh** out);
/// A URDF, with options->srdf if given. `hull`: names of links whose meshes become hulls ("*" for all).
BERTH_API BerthStatus berth_io_read_robot(const char* urdf_path, const char* srdf_path, bool free_base,
                                          const char* const* hull, int32_t hull_count,
                                          const BerthIoOptions* options, BerthRobot** out);
/// A .yaml scene, a bare URDF, a MoveIt .scene or a MotionBenchMaker scene. Committed.
BERTH_API BerthStatus berth_io_read_scene(const char* path, const BerthIoOptions* options, BerthScene** out);

/// One line of a problems file: {"name", "scene": {"objects": [...]}, "start": [...], "goals": [[...]]}.
typedef struct BerthProblem {
    BerthAllocator allocator;
    char* name;
    int32_t value_count;
    double* start;  ///< value_count
    double* goals;  ///< goal_count rows of value_count
    int32_t goal_count;
    BerthObjectId* objects;  ///< that were added to the scene
    int32_t object_count;
} BerthProblem;
/// Parses one line (`length` bytes; `path` and `line` are for texts and for files it names), adds its objects to the
/// scene and commits. On failure the scene has its own objects again and `out` is empty.
BERTH_API BerthStatus berth_io_read_problem(const char* text, size_t length, const char* path, int32_t line,
                                            const BerthIoOptions* options, BerthScene* scene,
                                            BerthProblem* out);
/// Takes the problem's objects out of the scene again (not when `scene` is null; commit is left to the caller) and
/// frees the problem.
BERTH_API void berth_io_free_problem(BerthScene* scene, BerthProblem* problem);

/// Many states: row_count rows of value_count values, in the scene's order. Joints that a CSV does not name keep
/// the scene's state.
typedef struct BerthStates {
    BerthAllocator allocator;
    int32_t row_count, value_count;
    double* values;
} BerthStates;
/// .csv with a header of joint names, or .npy.
BERTH_API BerthStatus berth_io_read_states(const char* path, const BerthScene* scene,
                                           const BerthIoOptions* options, BerthStates* out);
BERTH_API void berth_io_free_states(BerthStates* states);
/// "joint1=0.1,joint2=-0.5" written over `values`.
BERTH_API BerthStatus berth_io_parse_state(const char* text, const BerthScene* scene, double* values);

#ifdef __cplusplus
}
#endif
#endif
