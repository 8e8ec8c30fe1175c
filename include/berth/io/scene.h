// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scene files: berth's own, MoveIt's, MotionBenchMaker's; files of motion-planning problems.

#ifndef BERTH_IO_SCENE_H
#define BERTH_IO_SCENE_H

#include <berth/io/syntax.h>
#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a .yaml scene, a bare URDF, a MoveIt .scene or a MotionBenchMaker scene. The scene is committed.
BERTH_API BerthStatus berth_io_read_scene(const char* path, const BerthIoOptions* options, BerthScene** out);

/// One line of a problems file: {"name", "scene": {"objects": [...]}, "start": [...], "goals": [[...]]}.
typedef struct BerthProblem {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    char* name;                ///< of the problem
    int32_t value_count;       ///< of the scene
    double* start;             ///< value_count values
    double* goals;             ///< goal_count rows of value_count values
    int32_t goal_count;        ///< rows of `goals`
    BerthObjectId* objects;    ///< objects that were added to the scene
    int32_t object_count;      ///< of `objects`
} BerthProblem;
/// The text of a problem, and its place in a file.
typedef struct BerthProblemText {
    const char* text;  ///< the line
    size_t length;     ///< its bytes
    /// Of its file: begins error texts; relative file names in the problem are resolved beside it
    const char* path;
    int32_t line_number;  ///< in that file, from 1; 0 means 1
} BerthProblemText;
/// Parses one line, adds its objects to the scene and commits. On failure the scene is as before and `out` is
/// empty.
BERTH_API BerthStatus berth_io_read_problem(const BerthProblemText* line, const BerthIoOptions* options,
                                            BerthScene* scene, BerthProblem* out);
/// Removes the problem's objects from the scene (unless `scene` is null; committing is left to the caller)
/// and frees the problem.
BERTH_API void berth_io_free_problem(BerthScene* scene, BerthProblem* problem);

/// The lines of a problems file, in memory, without empty ones.
typedef struct BerthProblemLines {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    char* text;                ///< of the whole file
    size_t capacity;           ///< bytes of `text`
    int32_t count;             ///< lines that are not empty
    size_t* starts;            ///< offset of each line in `text`
    size_t* lengths;           ///< bytes of each line, without its end
    int32_t* numbers;          ///< line number of each in the file, from 1
} BerthProblemLines;
/// Reads a file of problems, whose lines berth_io_read_problem parses. At least one line.
BERTH_API BerthStatus berth_io_read_problem_lines(const char* path, const BerthIoOptions* options,
                                                  BerthProblemLines* out);
/// Frees what berth_io_read_problem_lines returned.
BERTH_API void berth_io_free_problem_lines(BerthProblemLines* lines);

#ifdef __cplusplus
}
#endif
#endif
