// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scene files: berth's own, MoveIt's, MotionBenchMaker's; motion-planning problems.

#ifndef BERTH_IO_SCENE_H
#define BERTH_IO_SCENE_H

#include <berth/io/syntax.h>
#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A .yaml scene, a bare URDF, a MoveIt .scene or a MotionBenchMaker scene. Committed.
BERTH_API BerthStatus berth_io_read_scene(const char* path, const BerthIoOptions* options, BerthScene** out);

/// One line of a problems file: {"name", "scene": {"objects": [...]}, "start": [...], "goals": [[...]]}.
typedef struct BerthProblem {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    char* name;                ///< of the problem
    int32_t value_count;       ///< of the scene
    double* start;             ///< value_count
    double* goals;             ///< goal_count rows of value_count
    int32_t goal_count;        ///< rows of `goals`
    BerthObjectId* objects;    ///< that were added to the scene
    int32_t object_count;      ///< of `objects`
} BerthProblem;
/// A problem as a text, and where it stands.
typedef struct BerthProblemText {
    const char* text;     ///< the line
    size_t length;        ///< bytes of it
    const char* path;     ///< of its file: for errors, and files that it names are beside it
    int32_t line_number;  ///< in that file, counted from 1; 0: 1
} BerthProblemText;
/// Parses one line, adds its objects to the scene and commits. On failure the scene has its own objects again and `out` is
/// empty.
BERTH_API BerthStatus berth_io_read_problem(const BerthProblemText* line, const BerthIoOptions* options,
                                            BerthScene* scene, BerthProblem* out);
/// Takes the problem's objects out of the scene again (not when `scene` is null; commit is left to the caller) and
/// frees the problem.
BERTH_API void berth_io_free_problem(BerthScene* scene, BerthProblem* problem);

/// A problems file: its lines, in memory. Empty ones are left out.
typedef struct BerthProblemLines {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    char* text;                ///< of the whole file
    size_t capacity;           ///< bytes of `text`
    int32_t count;             ///< lines that are not empty
    size_t* starts;            ///< where in `text` each begins
    size_t* lengths;           ///< bytes of each, without its end
    int32_t* numbers;          ///< of each in the file, counted from 1
} BerthProblemLines;
/// Reads a file whose lines are for berth_io_read_problem. At least one line.
BERTH_API BerthStatus berth_io_read_problem_lines(const char* path, const BerthIoOptions* options,
                                                  BerthProblemLines* out);
/// Frees what berth_io_read_problem_lines gave.
BERTH_API void berth_io_free_problem_lines(BerthProblemLines* lines);

#ifdef __cplusplus
}
#endif
#endif
